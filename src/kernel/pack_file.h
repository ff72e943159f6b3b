// SPDX-License-Identifier: Apache-2.0
/* The file of packed weights: a header, an index, the items' bytes, all
 * 64-aligned.  Numbers are in the machine's byte order, which the mark shows.
 */
#ifndef SN_PACK_FILE_H
#define SN_PACK_FILE_H

#include <stdint.h>

enum { SN_PACK_ALIGN = 64 };

typedef struct SnPackHead {
    char magic[16];
    char build[24];                    /* SN_PACK_ID */
    uint64_t mark, nbyte, nitem, hash; /* of the file; of the index */
    char zero[56];
} SnPackHead;

#define SN_PACK_MAGIC "sinter-pack 1\n"
#define SN_PACK_MARK UINT64_C(0x0102030405060708)

typedef struct SnPackEntry {
    uint64_t key[2], at, nbyte, hash, zero[3];
} SnPackEntry;

#endif
