// SPDX-License-Identifier: Apache-2.0
/* NumPy's .npy files, versions 1 to 3: one tensor each. */
#ifndef SN_NPY_H
#define SN_NPY_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/data.h"
#include "base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads integers of 8 to 64 bits, float16, float32, float64 and bool, in C or
 * Fortran order (elements are put into C order), little-endian. */
SnStatus sn_npy_read(SnArena *a, const char *path, SnDiag *d, SnData *out);
/* The same from memory; name is for messages. */
SnStatus sn_npy_parse(SnArena *a, const char *name, const void *p, size_t n,
                      SnDiag *d, SnData *out);

/* A file that is read by parts, so that its size is not held in memory:
 * data.data is NULL, elements start at byte `at`.  Pipes, and files in Fortran
 * order with more than one axis, are read whole: data.data holds them. */
typedef struct SnNpy {
    const char *path;
    SnData data;
    size_t at;
} SnNpy;

/* Reads and checks the header and the size (and bool elements); path is
 * borrowed. */
SnStatus sn_npy_open(SnArena *a, const char *path, SnDiag *d, SnNpy *out);
/* Element k of part is element i + k of those requested, k < n. */
typedef void SnNpyEach(void *ctx, const SnData *part, int64_t i, int64_t n);
/* Passes elements [first, first + n), which the file has, to `each` in order,
 * at most 32 KiB at a time.  No memory is kept, and threads may read one file
 * at once.  false with errno when the file can no longer be read or has become
 * shorter (errno 0). */
bool sn_npy_part(const SnNpy *f, int64_t first, int64_t n, SnNpyEach *each,
                 void *ctx);

/* Writes version 1.0; the same types.  a is for the file's image. */
SnStatus sn_npy_write(SnArena *a, SnDiag *d, const char *path, const SnData *t);

#ifdef __cplusplus
}
#endif

#endif
