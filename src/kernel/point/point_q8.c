// SPDX-License-Identifier: Apache-2.0
/* Point, pool and LRN kernels: what all variants share, and the portable
 * one. */
#include "kernel/point/point_q8.h"

#include <string.h>
#include "base/num.h"
#include "kernel/eval/rows.h"

SnVariants sn_point_q8_variants;

static const SnPoint8 *
point8(SnIsa isa)
{
    return sn_variant(&sn_point_q8_variants, isa);
}

/* ---- shared ---- */

void
sn_table8_open(SnTable8 *p, const int8_t t[256])
{
    memcpy(p->t, t, 256);
    p->lo = t[0];
    p->hi = t[255];
    p->clamp = p->lo <= p->hi;
    for (int i = 0; i < 256; i++) {
        int v = i - 128;
        p->clamp &= t[i] == (v < p->lo ? p->lo : v > p->hi ? p->hi : v);
    }
}

void
sn_table8_run(SnIsa isa, const SnTable8 *p, const int8_t *x, int64_t n,
              int8_t *y)
{
    point8(isa)->table(p, x, n, y);
}

void
sn_table16_run(const int8_t *t, const int8_t *a, const int8_t *b, int64_t n,
               int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = t[(a[i] + 128) * 256 + b[i] + 128];
}

void
sn_pair8_run(SnIsa isa, const SnPair8 *p, const int8_t *a, const int8_t *b,
             int64_t n, int8_t *y)
{
    point8(isa)->pair(p, a, b, n, y);
}

void
sn_sum8_run(SnIsa isa, const SnSum8 *p, const int8_t *a, const int8_t *b,
            int64_t n, int8_t *y)
{
    sn_sum8_by(point8(isa)->sum, p, a, b, n, y);
}

/* The results of the formula for each pair of codes. */
static void
all_pairs(const SnPoint8 *k, const SnPair8 *formula, int8_t *t)
{
    int8_t a[256], b[256];

    sn_codes8(b);
    for (int i = 0; i < 256; i++) {
        memset(a, i - 128, sizeof a);
        k->pair(formula, a, b, 256, t + 256 * i);
    }
}

bool
sn_sum8_fit(SnIsa isa, SnSum8 *p, const int8_t *table, const SnPair8 *formula)
{
    const SnPoint8 *k = point8(isa);
    int8_t t[65536];

    if (!k->sum)
        return false;
    if (!table)
        all_pairs(k, formula, t);
    return sn_sum8_fit_by(k->sum, p, table ? table : t);
}

void
sn_quant8_run(SnIsa isa, const SnQuant8 *p, const float *x, int64_t n,
              int8_t *y)
{
    point8(isa)->quant(p, x, n, y);
}

void
sn_dequant8_run(SnIsa isa, const SnQuant8 *p, const int8_t *x, int64_t n,
                float *y)
{
    point8(isa)->dequant(p, x, n, y);
}

void
sn_planes8_run(SnIsa isa, const int8_t *r, const int8_t *g, const int8_t *b,
               int64_t n, int8_t *y)
{
    const SnPoint8 *v = point8(isa);
    int64_t i = v->planes ? v->planes(r, g, b, n, y) : 0;

    for (; i < n; i++) {
        y[3 * i] = r[i];
        y[3 * i + 1] = g[i];
        y[3 * i + 2] = b[i];
    }
}

bool
sn_permute8_run(SnIsa isa, const uint8_t index[64], int64_t n, const int8_t *x,
                int64_t count, int8_t *y)
{
    SnPermute8Fn *fn = point8(isa)->permute;

    return fn && fn(index, n, x, count, y);
}

size_t
sn_pool8_work(const SnPool8 *p)
{
    return (size_t)(p->geo.kh * p->geo.kw) * sizeof(int64_t);
}

void
sn_maxpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                int64_t pitch, void *work, int64_t r0, int64_t r1)
{
    sn_pool8_by(point8(isa)->max, NULL, p, x, y, pitch, work, r0, r1);
}

void
sn_avgpool8_run(SnIsa isa, const SnPool8 *p, const int8_t *x, int8_t *y,
                int64_t pitch, void *work, int64_t r0, int64_t r1)
{
    sn_pool8_by(NULL, point8(isa)->avg, p, x, y, pitch, work, r0, r1);
}

void
sn_lrn8_run(SnIsa isa, const SnLrn8 *p, const int8_t *x, int8_t *y, void *work,
            int64_t p0, int64_t p1)
{
    sn_lrn8_by(point8(isa)->lrn, p, x, y, work, p0, p1);
}

/* ---- portable ---- */

static void
table_ref(const SnTable8 *p, const int8_t *x, int64_t n, int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = p->t[x[i] + 128];
}

static void
pair_ref(const SnPair8 *p, const int8_t *a, const int8_t *b, int64_t n,
         int8_t *y)
{
    int32_t lo = (int32_t)p->lo, hi = (int32_t)p->hi;

    for (int64_t i = 0; i < n; i++) {
        float da = sn_dequant(a[i], p->as, p->az);
        float db = sn_dequant(b[i], p->bs, p->bz);
        float v = p->mul ? da * db : da + db;
        y[i] = (int8_t)(sn_rne_clamp(v / p->ys, lo, hi) + p->yz);
    }
}

static void
dequant_ref(const SnQuant8 *p, const int8_t *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = sn_dequant(x[i], p->scale, p->zp);
}

const SnPoint8 sn_point8_ref = {pair_ref,  NULL,      sn_quant8_c, dequant_ref,
                                table_ref, sn_max8_c, sn_avg8_c,   sn_lrn8_c,
                                NULL,      NULL};

void sn_register_point_q8_portable(void);
void
sn_register_point_q8_portable(void)
{
    sn_variant_add(&sn_point_q8_variants, SN_ISA_PORTABLE, &sn_point8_ref);
}
