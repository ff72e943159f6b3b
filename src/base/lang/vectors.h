// SPDX-License-Identifier: Apache-2.0
/* Vectors of an arithmetic: what its rows give for values, as a text that a
 * vendor's simulator and `sinter run --check-vectors` read, and `sinter-gen
 * --vectors` writes.
 *
 *   sinter-vectors 1 tflite
 *   row contract over conv when depthwise : x.scale w.scale y.scale y.zp acc y
 *   0x1.8p-5 0x1p-7 0x1.4p-4 -3 12345 17
 *
 * Scales and reals are binary32, decimal or in hexadecimal; the last column is
 * the code, clamped to 8 bits (16 where the row is `wide`).  # begins a comment
 * line. */
#ifndef SN_VECTORS_H
#define SN_VECTORS_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/lang/arithmetic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a row is looked for: flags of `when` are set, others are not. */
typedef struct SnVectorRow {
    SnForm form;
    const char *map; /* NULL: none */
    unsigned when;
} SnVectorRow;

typedef struct SnVector {
    uint32_t line;
    SnRowGrids g;
    int64_t in[2];
    float real;
    int64_t want; /* the code */
} SnVector;

typedef struct SnVectorTable {
    SnVectorRow row;
    uint32_t line, n;
    SnVector *v;
} SnVectorTable;

typedef struct SnVectors {
    const char *path, *arith;
    uint32_t n;
    SnVectorTable *table;
} SnVectors;

/* A file of vectors; what is wrong is reported with its line. */
SnStatus sn_vectors_read(SnArena *a, SnDiag *d, const char *path, SnVectors *v);
/* The second operand of the row; of a function what the entry above is more
 * by, times the codes from that below: in[0], kernel[0] and [1]. */
static inline int64_t
sn_vectors_second(const SnVectorRow *r, const SnVector *v)
{
    return r->form == SN_FORM_FUNCTION
               ? (v->g.kernel[0] - v->in[0]) * v->g.kernel[1]
               : v->in[1];
}
void sn_vectors_put_head(SnBuf *b, const char *arith);
void sn_vectors_put_row(SnBuf *b, const SnVectorRow *r);
void sn_vectors_put(SnBuf *b, const SnVectorRow *r, const SnVector *v);
/* "contract over conv when depthwise" */
const char *sn_vectors_row_name(SnArena *a, const SnVectorRow *r);
/* The clamp of a row's results. */
static inline int32_t
sn_vectors_hi(const SnVectorRow *r)
{
    return r->when & SN_WHEN_WIDE ? 32767 : 127;
}

#ifdef __cplusplus
}
#endif

#endif
