// SPDX-License-Identifier: Apache-2.0
/* What share of the node tests of some operators passes. */
#ifndef SN_TEST_SHARE_H
#define SN_TEST_SHARE_H

#include <stdbool.h>
#include "base/arena.h"
#include "onnx.pb-c.h"

enum { SHARE_FLOAT, SHARE_QUANTIZED, SHARE_NSET };

typedef struct Share {
    const char **op[SHARE_NSET]; /* [nop] */
    uint32_t nop[SHARE_NSET];
    uint32_t ntest[SHARE_NSET], npass[SHARE_NSET];
} Share;

/* Operators from a file of lines "float OP" and "quantized OP"; '#' starts a
 * comment.  False, with a message, when it cannot be read. */
bool sn_share_read(SnArena *a, const char *path, Share *s);
/* Counts a test: its model, the line of the table.  A test of operators on
 * codes is printed. */
void sn_share_count(Share *s, const Onnx__ModelProto *m, const char *key,
                    const char *line);
/* Prints "| ..." lines; false when less than `least` percent pass. */
bool sn_share_print(const Share *s, double least);

#endif
