// SPDX-License-Identifier: Apache-2.0
/* Means of 8-bit codes by a row of an integer sum: pools where the graph's
 * arithmetic has such a row of its own, and means along axes under any.
 * Neighbouring channels are added up together. */
#include "backend/cpu/mean.h"

#include <string.h>

#include "backend/cpu/geo.h"
#include "cpu_kernels.h"

bool
sn_cpu_mean_row(const SnCall *c, unsigned when, int64_t zp_shift, SnRowUse *use)
{
    const SnSem *s = &c->kind->sem[0];
    const SnType *x = c->in[0].type, *y = c->out[0].type;
    const char *map = s->decl ? s->decl->name : NULL;

    *use = sn_row_use(c->rounding, SN_FORM_MEAN, map, when,
                      (SnRowGrids){{y->scale[0], x->scale[0], 0},
                                   {y->zp[0], x->zp[0], 0},
                                   1,
                                   zp_shift,
                                   {sn_row_arg(c, 0, "kernel", 0),
                                    sn_row_arg(c, 0, "kernel", 1)}});
    return use->row && !use->real;
}

/* ---- n results side by side ---- */

/* A constant count first, of which compilers make vector code. */
static void
add(const int8_t *x, int64_t n, int32_t *sum)
{
    for (; n >= 16; n -= 16, x += 16, sum += 16)
        for (int i = 0; i < 16; i++)
            sum[i] += x[i];
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

/* Codes of sums of ntap codes each. */
static void
codes(const SnRowUse *use, SnLim lim, const int32_t *sum, int64_t ntap,
      int64_t n, int8_t *y, int64_t step)
{
    int64_t zeros = ntap * use->g.zp[1];

    for (int64_t i = 0; i < n; i++)
        y[i * step] = (int8_t)sn_row_at(use, sum[i] - zeros, 0, lim.lo, lim.hi);
}

/* ---- pools ---- */

struct SnCpuPoolRow {
    SnPool8 p; /* first: what averages pixels is given no more */
    SnLim lim;
    const SnRowUse *use;
    SnRowUse *now; /* of a run: for the elements that its window divides by */
    int32_t *sum;
    size_t taps; /* bytes of the window's places, before the sums */
};

const SnCpuPoolRow *
sn_cpu_pool_row(SnPrep *p, const SnPool8 *pool, SnLim lim, const SnRowUse *use)
{
    SnCpuPoolRow *k = SN_NEW(p->call->scratch, SnCpuPoolRow);

    k->p = *pool;
    k->lim = lim;
    k->use = sn_memdup(p->call->scratch, use, sizeof *use);
    k->taps = (p->nwork + 63) / 64 * 64;
    p->nwork = k->taps + (size_t)pool->geo.c * sizeof *k->sum;
    p->any = true;
    return k;
}

static void
average(const SnPool8 *pool, const int8_t *x, const int64_t *tap, int64_t ntap,
        int64_t part, int64_t nall, int8_t *y)
{
    const SnCpuPoolRow *k = (const void *)pool;
    int64_t n = pool->geo.c;

    (void)part;
    sn_row_divide(k->now, nall);
    memset(k->sum, 0, (size_t)n * sizeof *k->sum);
    for (int64_t t = 0; t < ntap; t++)
        add(x + tap[t], n, k->sum);
    codes(k->now, k->lim, k->sum, ntap, n, y, 1);
}

void
sn_cpu_pool_row_run(const SnCpuPoolRow *pool, const SnCall *c, int64_t pitch)
{
    SnCpuPoolRow k = *pool;
    SnRowUse now = *k.use;

    k.now = &now;
    k.sum = (void *)((char *)c->work + k.taps);
    sn_pool8_by(NULL, average, &k.p, c->in[0].data, c->out[0].data, pitch,
                c->work, c->u0, c->u1);
}

/* ---- along axes ---- */

enum { LANES = 1024, TAPS = 1 << 23 };

typedef struct Mean {
    SnRowUse use;
    SnLim lim;
} Mean;

bool
sn_cpu_mean_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnTensor *x = &c->in[0], *y = &c->out[0];
    Mean *k = SN_NEW(c->scratch, Mean);
    SnMap m;

    if (x->type->elem != SN_QI8 || x->type->nq != 1 || y->type->nq != 1 ||
        sn_map_open(&m, c, 0) != SN_OK || m.nout != 1 || m.maxtap > TAPS ||
        !sn_cpu_mean_row(c, m.whole ? SN_WHEN_WHOLE : 0, 0, &k->use))
        return false;
    k->lim = sn_lim(y->type, sn_cpu_clamp(c));
    p->prep = k;
    p->any = true;
    p->nwork = LANES * sizeof(int32_t);
    p->cost = sn_shape_count(x->shape) / 4;
    return true;
}

/* One lane whose taps are runs of codes. */
static int32_t
sum_runs(const SnMap *m, const int8_t *x)
{
    int32_t sum = 0;

    for (int64_t k = 0; k < m->ntap; k++)
        sum += x[m->a[k]];
    return sum;
}

/* n lanes of a set, the first of which has number l. */
static void
lanes(const SnMap *m, const int8_t *x, int64_t l, int64_t n, int32_t *sum)
{
    x += l * m->lane_a;
    memset(sum, 0, (size_t)n * sizeof *sum);
    if (m->lane_a == 1 && n > 1) {
        for (int64_t k = 0; k < m->ntap; k++)
            add(x + m->a[k], n, sum);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        sum[i] = sum_runs(m, x + i * m->lane_a);
}

SnStatus
sn_cpu_mean_q8(const SnCall *c)
{
    const Mean *k = c->prep;
    SnRowUse use = k->use;
    int8_t *y = c->out[0].data;
    SnMap m;

    SN_TRY(sn_map_open(&m, c, 0));
    for (int64_t g = 0; g < m.ngroup; g++) {
        sn_map_set(&m, g);
        sn_row_divide(&use, m.nall);
        for (int64_t l = 0, n; l < m.nlane; l += n) {
            n = m.nlane - l < LANES ? m.nlane - l : LANES;
            lanes(&m, c->in[0].data, l, n, c->work);
            codes(&use, k->lim, c->work, m.ntap, n, y + m.y0 + l * m.lane_y,
                  m.lane_y);
        }
    }
    return SN_OK;
}
