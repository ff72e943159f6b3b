// SPDX-License-Identifier: Apache-2.0
/* Sums of products: packing, walking, portable loops. */
#include "kernel/eval/dot.h"

#include <math.h>
#include <string.h>

static void
dot_f32(const SnMap *m, const float *x, const float *pack, int64_t width,
        float *acc)
{
    for (uint32_t s = 0; s < m->nseg; s++) {
        const float *p = pack + m->seg[s].k * width;
        for (int64_t j = 0; j < m->seg[s].n; j++, p += width) {
            float v = x[m->seg[s].a + j * m->step_a];
            for (int64_t i = 0; i < width; i++)
                acc[i] = fmaf(v, p[i], acc[i]);
        }
    }
}

static void
dot_s16(const int16_t *x, const int16_t *pack, int64_t kpad, int64_t width,
        int32_t *acc)
{
    memset(acc, 0, (size_t)width * sizeof *acc);
    for (int64_t k = 0; k < kpad; k += 2, pack += 2 * width)
        for (int64_t i = 0; i < width; i++) {
            uint32_t v = (uint32_t)(x[k] * pack[2 * i]) +
                         (uint32_t)(x[k + 1] * pack[2 * i + 1]);
            acc[i] = (int32_t)((uint32_t)acc[i] + v);
        }
}

static void
mac_f32(const float *x, const float *w, int64_t n, float *acc)
{
    for (int64_t i = 0; i < n; i++)
        acc[i] = fmaf(x[i], w[i], acc[i]);
}

static void
mac_s8(const int8_t *x, int32_t zx, const int16_t *w, int64_t n, int32_t *acc)
{
    for (int64_t i = 0; i < n; i++)
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)((x[i] - zx) * w[i]));
}

static const SnDotLoops portable = {dot_f32, dot_s16, mac_f32, mac_s8};
SnVariants sn_dot_variants;

void sn_register_dot_portable(void);
void
sn_register_dot_portable(void)
{
    sn_variant_add(&sn_dot_variants, SN_ISA_PORTABLE, &portable);
}

/* ---- reading operands ---- */

static int32_t
code(const SnTensor *t, int64_t i)
{
    return t->type->elem == SN_QI16 ? ((const int16_t *)t->data)[i]
                                    : ((const int8_t *)t->data)[i];
}

static int32_t
zp_of(const SnTensor *t, int64_t ch)
{
    return t->type->zp[t->type->nq > 1 ? ch : 0];
}

static bool
is_f32(const SnDot *d)
{
    return d->x->type->elem == SN_F32;
}

static bool
is_wide(const SnDot *d)
{
    return d->x->type->elem == SN_QI16 || d->wt->type->elem == SN_QI16;
}

/* ---- packing: w of this block of lanes, tap by tap ---- */

static int64_t
tap_of(const SnMap *m, int64_t k)
{
    return m->b_of ? m->b_of[k] : k * m->step_b;
}

static void
pack_f32(SnDot *d)
{
    const SnMap *m = d->m;
    const float *w = (const float *)d->wt->data + m->b0;
    int64_t width = d->width, n = m->maxtap;

    memset(d->pack, 0, (size_t)(n * width) * sizeof(float));
    for (int64_t i = 0; i < d->n; i++) {
        const float *row = w + (d->l0 + i) * m->lane_b;
        float *p = (float *)d->pack + i;
        if (m->b_of)
            for (int64_t k = 0; k < n; k++, p += width)
                *p = row[m->b_of[k]];
        else
            for (int64_t k = 0; k < n; k++, p += width, row += m->step_b)
                *p = *row;
    }
}

/* One lane's codes, `step` apart in the pack, or in pairs that far apart. */
static void
pack_lane(const SnMap *m, const int8_t *row, int32_t z, bool pairs,
          int64_t step, int16_t *p)
{
    int64_t odd = pairs ? 1 : step, even = pairs ? step - 1 : step;

    for (int64_t k = 0; k < m->maxtap; k++) {
        *p = (int16_t)(row[tap_of(m, k)] - z);
        p += k % 2 ? even : odd;
    }
}

static void
pack_s16(SnDot *d)
{
    const SnMap *m = d->m;
    const int8_t *w = (const int8_t *)d->wt->data + m->b0;
    bool pairs = m->lane_a == 0;

    memset(d->pack, 0, (size_t)(d->kpad * d->width) * sizeof(int16_t));
    for (int64_t i = 0; i < d->n; i++)
        pack_lane(m, w + (d->l0 + i) * m->lane_b,
                  zp_of(d->wt, m->chan0 + d->l0 + i), pairs,
                  pairs ? 2 * d->width : d->width,
                  (int16_t *)d->pack + (pairs ? 2 * i : i));
}

static void
pack_s32(SnDot *d)
{
    const SnMap *m = d->m;
    int32_t *p = d->pack;

    for (int64_t i = 0; i < d->n; i++) {
        int64_t at = m->b0 + (d->l0 + i) * m->lane_b;
        int32_t z = zp_of(d->wt, m->chan0 + d->l0 + i);
        for (int64_t k = 0; k < m->maxtap; k++)
            p[k * d->width + i] = code(d->wt, at + tap_of(m, k)) - z;
    }
}

static void
pack(SnDot *d)
{
    if (d->pack_b0 == d->m->b0 && d->pack_l0 == d->l0)
        return;
    if (is_f32(d))
        pack_f32(d);
    else if (is_wide(d))
        pack_s32(d);
    else
        pack_s16(d);
    d->pack_b0 = d->m->b0;
    d->pack_l0 = d->l0;
}

/* ---- one block ---- */

static void
block_f32(SnDot *d)
{
    const SnMap *m = d->m;
    const float *x = d->x->data, *p = d->pack;

    for (int64_t i = 0; i < d->width; i++)
        d->f[i] = d->bias && i < d->n ? d->bias[m->chan0 + d->l0 + i] : 0;
    if (m->lane_a == 0) {
        d->loops->f32(m, x, p, d->width, d->f);
        return;
    }
    for (uint32_t s = 0; s < m->nseg; s++)
        for (int64_t j = 0; j < m->seg[s].n; j++)
            d->loops->mac_f32(x + m->seg[s].a + j * m->step_a +
                                  d->l0 * m->lane_a,
                              p + (m->seg[s].k + j) * d->width, d->n, d->f);
}

/* The x taps as differences from the zero point, 0 where padded. */
static void
gather(SnDot *d)
{
    const SnMap *m = d->m;
    const int8_t *x = d->x->data;
    int16_t *t = d->taps;
    int32_t z = d->x->type->zp[0];

    if (m->ntap < m->maxtap)
        memset(t, 0, (size_t)d->kpad * sizeof *t);
    for (uint32_t s = 0; s < m->nseg; s++) {
        const int8_t *p = x + m->seg[s].a;
        int16_t *q = t + m->seg[s].k;
        for (int64_t j = 0; j < m->seg[s].n; j++)
            q[j] = (int16_t)(p[j * m->step_a] - z);
    }
}

static void
block_s8(SnDot *d)
{
    const SnMap *m = d->m;
    const int8_t *x = d->x->data;

    if (m->lane_a == 0) {
        gather(d);
        d->loops->s16(d->taps, d->pack, d->kpad, d->width, d->i);
        return;
    }
    memset(d->i, 0, sizeof d->i);
    for (uint32_t s = 0; s < m->nseg; s++)
        for (int64_t j = 0; j < m->seg[s].n; j++)
            d->loops->mac_s8(
                x + m->seg[s].a + j * m->step_a + d->l0 * m->lane_a,
                d->x->type->zp[0],
                (const int16_t *)d->pack + (m->seg[s].k + j) * d->width, d->n,
                d->i);
}

static void
block_wide(SnDot *d)
{
    const SnMap *m = d->m;
    int32_t z = d->x->type->zp[0];

    memset(d->w, 0, sizeof d->w);
    for (uint32_t s = 0; s < m->nseg; s++)
        for (int64_t j = 0; j < m->seg[s].n; j++) {
            const int32_t *p =
                (const int32_t *)d->pack + (m->seg[s].k + j) * d->width;
            int64_t at = m->seg[s].a + j * m->step_a;
            for (int64_t i = 0; i < d->n; i++) {
                int64_t l = at + (d->l0 + i) * m->lane_a;
                d->w[i] += (int64_t)(code(d->x, l) - z) * p[i];
            }
        }
}

void
sn_dot_open(SnDot *d, SnMap *m, const SnCall *c, const SnTensor *x,
            const SnTensor *w, const float *bias)
{
    memset(d, 0, sizeof *d);
    d->m = m;
    d->x = x;
    d->wt = w;
    d->bias = bias;
    d->width = m->nlane < SN_LANES ? (m->nlane + 7) / 8 * 8 : SN_LANES;
    d->pack_b0 = d->pack_l0 = -1;
    d->kpad = (m->maxtap + 1) / 2 * 2;
    d->loops = sn_variant(&sn_dot_variants, sn_isa_best());
    size_t size = is_f32(d) || is_wide(d) ? 4 : 2;
    d->pack = sn_alloc_n(c->scratch, (size_t)(d->kpad * d->width), size);
    d->taps = SN_NEW_N(c->scratch, int16_t, d->kpad);
}

bool
sn_dot_next(SnDot *d)
{
    if (d->g == d->m->ngroup) {
        d->g = 0;
        d->l0 += SN_LANES;
    }
    if (d->l0 >= d->m->nlane || d->m->ngroup == 0)
        return false;
    d->n = d->m->nlane - d->l0;
    if (d->n > SN_LANES)
        d->n = SN_LANES;
    sn_map_segs(d->m, d->g++);
    pack(d);
    if (is_f32(d))
        block_f32(d);
    else if (is_wide(d))
        block_wide(d);
    else
        block_s8(d);
    return true;
}
