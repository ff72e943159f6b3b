// SPDX-License-Identifier: Apache-2.0
/* What a caller of the import may say about a model. */
#ifndef SN_IMPORT_OPTS_H
#define SN_IMPORT_OPTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct SnOnnxOpts {
    const char *const *dims;   /* "N=4" for symbolic dimensions; NULL-ended;
                                  NULL: none */
    const char *const *shapes; /* "x=1x3x32x32" for inputs, or "1x3x32x32"
                                  where there is one; NULL-ended; NULL: none */
    int64_t batch;             /* a free leading dimension; 0: 1 */
    uint64_t max_nbyte;        /* of tensors worked out; 0: 4 GiB */
    size_t late;               /* weights of at least so many bytes may be late
                                  (graph/late/late.h); for graphs that are run
                                  and not written.  0: none */
} SnOnnxOpts;

#endif
