// SPDX-License-Identifier: Apache-2.0
/* What generated evaluators call in addition to base/num.h: parameters of
 * operands, ranges, integer arithmetic, named rows. */
#ifndef SN_ROWS_H
#define SN_ROWS_H

#include "base/num.h"
#include "kernel/eval/dot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---- */

/* A saturation on codes: storage met with a range, lo <= hi. */
typedef struct SnLim {
    int32_t lo, hi;
} SnLim;
SnLim sn_lim(const SnType *t, SnRange r);
/* A saturation on reals; open sides are infinite.  lo may lie above hi, which
 * then is the result. */
typedef struct SnLimF {
    float lo, hi;
} SnLimF;
SnLimF sn_limf(SnRange r);
static inline SnRange
sn_range_open(void)
{
    SnRange r = {0, 0, false, false};
    return r;
}
/* Whether t is a per-tensor quantized type of 8 or 16 bits. */
bool sn_is_code(const SnType *t);

/* Whether operand `slot` is a vector along the channels (or the row) of result
 * res, rather than shaped like it. */
static inline bool
sn_is_vector(const SnCall *c, uint32_t slot, unsigned res)
{
    const SnShape *s = sn_opnd(c, slot)->shape;

    return s && s->rank == 1 && c->out[res].shape->rank > 1;
}

static inline float
sn_clampf(float v, SnLimF l)
{
    float low = v < l.lo ? l.lo : v; /* min(max(v, lo), hi), crossed or not */

    return low > l.hi ? l.hi : low;
}
/* v, rounded toward zero, in [lo, hi]; NaN gives 0. */
static inline int64_t
sn_truncf(float v, int64_t lo, int64_t hi)
{
    if (v != v)
        return 0;
    if (v <= (float)lo)
        return lo;
    return v >= (float)hi ? hi : (int64_t)v;
}

/* ---- contracts ---- */

/* The multipliers (x.scale * w.scale) / y.scale, one per slice of w. */
const float *sn_mults(SnArena *a, const SnType *x, const SnType *w,
                      const SnType *y);

/* ---- rows of the graph's arithmetic ---- */

/* A row that is opened for grids; row NULL: the arithmetic has none, and the
 * result is computed by the steps of the meaning. */
typedef struct SnRowUse {
    const SnArithRow *row;
    bool real; /* it is the row for any point: takes a real, not codes */
    SnRowGrids g;
    int64_t k[SN_ROW_NK];
} SnRowUse;
/* The row for a form, else the one for any point; when: SN_WHEN_ flags. */
SnRowUse sn_row_use(SnRounding by, SnForm form, const char *map, unsigned when,
                    SnRowGrids g);
/* Is it what `float` computes there, with or without a row? */
bool sn_row_as_float(const SnRowUse *u, SnForm form, const char *map,
                     unsigned when);
/* The int that the node gives for a parameter of its map, element i of a list;
 * 1: it gives none. */
int64_t sn_row_arg(const SnCall *c, unsigned res, const char *name, uint32_t i);
/* SN_WHEN_ flags that follow from the set that result res is over. */
unsigned sn_row_flags(const SnCall *c, unsigned res);
/* The rows of a contract, one per slice of w. */
const SnRowUse *sn_row_uses(const SnCall *c, const SnType *x, const SnType *w,
                            const SnType *y, const char *map, unsigned when);
/* The same for a loop over sums: mul has the multipliers, and use is NULL,
 * where the rows are that of `float`, which sinter-gen holds against
 * sn_requant; else mul is NULL. */
typedef struct SnSumRows {
    const SnRowUse *use;
    const float *mul;
    int32_t zp;
} SnSumRows;
SnSumRows sn_sum_rows(const SnCall *c, const SnType *x, const SnType *w,
                      const SnType *y, const char *map, unsigned when);
/* A mean divides by n from here on. */
void sn_row_divide(SnRowUse *u, int64_t n);
/* The code for codes, or for a sum, in [lo, hi]. */
static inline int32_t
sn_row_at(const SnRowUse *u, int64_t a, int64_t b, int32_t lo, int32_t hi)
{
    return sn_row_code(u->row, u->k, a, b, lo, hi);
}
/* The code of a sum of products by the row of slice i. */
static inline int32_t
sn_sum_code(const SnSumRows *r, int64_t i, int32_t acc, int32_t lo, int32_t hi)
{
    return r->mul ? sn_requant(acc, r->mul[i], r->zp, lo, hi)
                  : sn_row_at(&r->use[i], acc, 0, lo, hi);
}
static inline int32_t
sn_sum_code64(const SnSumRows *r, int64_t i, int64_t acc, int32_t lo,
              int32_t hi)
{
    return r->mul ? sn_requant64(acc, r->mul[i], r->zp, lo, hi)
                  : sn_row_at(&r->use[i], acc, 0, lo, hi);
}
/* As sn_row_at; if there is no row, v is the result of the meaning's steps. */
static inline int32_t
sn_row_quant(const SnRowUse *u, int64_t a, int64_t b, float v, float scale,
             int32_t zp, int32_t lo, int32_t hi)
{
    if (!u->row)
        return sn_quant(v, scale, zp, lo, hi);
    if (!u->real)
        return sn_row_at(u, a, b, lo, hi);
    return v != v ? lo : sn_row_at(u, sn_bits_f32(v), 0, lo, hi);
}

/* ---- functions by entries of a table ---- */

/* The row for the node as a function, NULL: it is computed for each code. */
const SnArithRow *sn_lut_row(const SnCall *c);
/* What the meaning's steps give for n codes x, by y's limits. */
typedef void SnCodesFn(const SnCall *c, const int8_t *x, int64_t n, int8_t *y);
/* The same by entries of a table, as the row has them. */
void sn_lut_run(const SnCall *c, const SnArithRow *row, SnCodesFn *fn,
                const int8_t *x, int64_t n, int8_t *y);

/* ---- tables ---- */

/* All 256 codes of 8 bits, ascending. */
void sn_codes8(int8_t code[256]);

/* ---- row8: codes of a row, then its f32 scale and offset ---- */

static inline float
sn_dequant_row8(const uint8_t *row, int64_t cols, int64_t i)
{
    float p[2];

    memcpy(p, row + cols, sizeof p);
    return sn_mulf(p[0], (float)row[i]) + p[1];
}

/* ---- rows to variance 1, 8 bits ---- */

/* eps, limited for these rows: above the limit, any row of codes is 0. */
static inline float
sn_normal_eps(float eps)
{
    return eps < 1e30f ? eps : 1e30f;
}
/* sn_normal of these types, or an error where n is above SN_NORMAL_MOST. */
SnStatus sn_normal_open(SnNormal *k, const SnCall *c, int64_t n, float eps,
                        bool centred, const SnType *x, const SnType *y);

/* ---- softmax, 8 bits ---- */

typedef struct SnSoftmax {
    uint32_t t[256];      /* round(2^23 * exp(-i * x.scale)) */
    uint8_t byte[3][256]; /* those of t, the lowest first */
    uint64_t one;         /* floor(1 / y.scale) */
    int32_t zp;
    SnLim lim;
} SnSoftmax;
void sn_softmax_open(SnSoftmax *s, const SnType *x, const SnType *y, SnLim lim);
/* The result of a code that lies `below` the row's greatest; sum: of t over the
 * row. */
int8_t sn_softmax_code(const SnSoftmax *s, int below, uint64_t sum);
/* One row: m is set. */
void sn_softmax_row(const SnSoftmax *s, const SnMap *m, const int8_t *x,
                    int8_t *y);

#ifdef __cplusplus
}
#endif

#endif
