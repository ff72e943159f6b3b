// SPDX-License-Identifier: Apache-2.0
/* Sums of products of plain int32 (IntegerConv2D, IntegerMatMul) by the tiles
 * of kernel/conv/conv_q8.h: the operands are differences of codes and zero
 * points as a rule, so that each becomes codes again, with a zero point of its
 * own, found in the filter's channels when it is packed and in x at each run.
 * What does not fit 8 bits so is summed plainly. */
#include <string.h>

#include "backend/cpu/contract.h"
#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/conv/conv_q8.h"
#include "kernel/each/each.h"
#include "kernel/eval/map.h"

/* A difference of two codes, without sign; rows for which packing a computed
 * filter pays. */
enum { MOST = 255, PACK_ROWS = 4 };

typedef struct Sums {
    SnIsa isa;
    SnConvGeo geo;
    const SnConvQ8 *plan; /* NULL: w is computed, or several matrices */
    size_t codes;         /* bytes of work before the plan's own: x */
    bool transposed;      /* w is [oc, taps], else [taps, oc] */
    SnCpuMatrices m;      /* without plan */
} Sums;

/* The least zero point that makes codes of numbers in [lo, hi]: 0 where they
 * are codes already.  False when there is none. */
static bool
zero_point(int32_t lo, int32_t hi, int32_t *zp)
{
    if (lo < -MOST || hi > MOST || hi - lo > MOST)
        return false;
    *zp = lo >= -128 && hi <= 127 ? 0 : -128 - lo;
    return true;
}

/* ---- the filter ---- */

/* Elements of w from one channel to the next, and from one tap to the next. */
typedef struct Steps {
    int64_t channel, tap;
} Steps;

static Steps
steps(const Sums *k, int64_t taps)
{
    return k->transposed ? (Steps){taps, 1} : (Steps){1, k->geo.oc};
}

/* The codes of n channels, at most LINE: these lie in one line of a cache where
 * the taps are rows. */
enum { LINE = 16 };

static bool
line_codes(const int32_t *w, Steps s, int64_t n, int64_t taps, int8_t *code,
           int32_t *wz)
{
    int32_t lo[LINE], hi[LINE];

    for (int64_t c = 0; c < n; c++)
        lo[c] = hi[c] = w[c * s.channel];
    for (int64_t t = 1; t < taps; t++)
        for (int64_t c = 0; c < n; c++) {
            int32_t e = w[c * s.channel + t * s.tap];
            lo[c] = e < lo[c] ? e : lo[c];
            hi[c] = e > hi[c] ? e : hi[c];
        }
    for (int64_t c = 0; c < n; c++)
        if (!zero_point(lo[c], hi[c], &wz[c]))
            return false;
    for (int64_t t = 0; t < taps; t++)
        for (int64_t c = 0; c < n; c++)
            code[c * taps + t] = (int8_t)(w[c * s.channel + t * s.tap] + wz[c]);
    return true;
}

/* [oc, taps] codes with a zero point for each channel. */
static bool
filter_codes(const Sums *k, const int32_t *w, int64_t taps, int8_t *code,
             int32_t *wz)
{
    Steps s = steps(k, taps);
    int64_t oc = k->geo.oc;

    for (int64_t c = 0; c < oc; c += LINE) {
        int64_t n = oc - c < LINE ? oc - c : LINE;
        if (!line_codes(w + c * s.channel, s, n, taps, code + c * taps, wz + c))
            return false;
    }
    return true;
}

/* The plan in a, or NULL: w's numbers are none of codes.  tmp is used. */
static const SnConvQ8 *
plan(SnArena *a, SnArena *tmp, const Sums *k, const int32_t *w)
{
    const SnConvGeo *o = &k->geo;
    int64_t taps = o->kh * o->kw * (o->c / o->group);
    int8_t *code = sn_alloc_n(tmp, (size_t)(o->oc * taps), 1);
    SnConvNum num = {.nwz = (uint32_t)o->oc, .sums = true};
    int32_t *wz = SN_NEW_N(tmp, int32_t, o->oc + 1);

    if (taps == 0 || !filter_codes(k, w, taps, code, wz))
        return NULL;
    num.wz = wz;
    return sn_conv_q8_plan(a, k->isa, o, &num, code);
}

static void
set_codes(Sums *k)
{
    int64_t n = k->geo.n * k->geo.h * k->geo.w * k->geo.c;

    k->codes = (size_t)(n + 63) / 64 * 64;
}

static bool
pack(SnPrep *p, SnArena *tmp, Sums *k, const SnTensor *w)
{
    k->plan = plan(p->call->scratch, tmp, k, w->data);
    if (!k->plan)
        return false;
    set_codes(k);
    p->prep = k;
    p->nwork = k->codes + sn_conv_q8_work(k->plan);
    p->nunit = sn_conv_q8_units(k->plan);
    p->cost = sn_conv_q8_cost(k->plan) + (int64_t)k->codes / 16;
    return true;
}

static bool
prepare(SnPrep *p, Sums *k)
{
    const SnTensor *w = sn_map_port(p->call, &p->call->kind->sem[0], 1);
    SnArena *tmp;
    bool ok;

    if (!w->data)
        return false;
    tmp = sn_arena_new();
    ok = pack(p, tmp, k, w);
    sn_arena_free(tmp);
    return ok;
}

bool
sn_cpu_conv_sums_prepare(SnPrep *p)
{
    Sums *k = SN_NEW(p->call->scratch, Sums);

    k->isa = sn_isa();
    k->transposed = true;
    return sn_cpu_conv_geo(p->call, &k->geo) && sn_conv_q8_holds(&k->geo) &&
           prepare(p, k);
}

bool
sn_cpu_matmul_sums_prepare(SnPrep *p)
{
    Sums *k = SN_NEW(p->call->scratch, Sums);

    k->isa = sn_isa();
    if (sn_map_port(p->call, &p->call->kind->sem[0], 1)->data &&
        sn_cpu_matmul_geo(p->call, &k->geo, &k->transposed))
        return prepare(p, k);
    if (!sn_cpu_matrices(p->call, &k->m) || k->m.geo.h < PACK_ROWS)
        return false;
    k->geo = k->m.geo;
    k->transposed = k->m.transposed;
    set_codes(k);
    p->prep = k;
    p->nwork = k->codes;
    return true;
}

/* ---- a run ---- */

/* The plain sum of one result: rows and columns of x outside it count 0. */
static int32_t
sum_at(const Sums *k, const int32_t *x, const int32_t *w, int64_t r, int64_t q,
       int64_t c)
{
    const SnConvGeo *o = &k->geo;
    int64_t cig = o->c / o->group;
    Steps of = steps(k, o->kh * o->kw * cig);
    uint32_t s = 0;

    x += r / o->oh * o->h * o->w * o->c + c / (o->oc / o->group) * cig;
    for (int64_t t = 0; t < o->kh * o->kw; t++) {
        int64_t row = r % o->oh * o->sh - o->pt + t / o->kw * o->dh;
        int64_t col = q * o->sw - o->pl + t % o->kw * o->dw;
        if (row < 0 || row >= o->h || col < 0 || col >= o->w)
            continue;
        const int32_t *u = x + (row * o->w + col) * o->c;
        for (int64_t i = 0; i < cig; i++)
            s += (uint32_t)u[i] *
                 (uint32_t)w[c * of.channel + (t * cig + i) * of.tap];
    }
    return (int32_t)s;
}

static void
plain_sums(const Sums *k, const int32_t *x, const int32_t *w, int32_t *y,
           SnConvPart part)
{
    const SnConvGeo *o = &k->geo;

    for (int64_t r = part.r0; r < part.r1; r++)
        for (int64_t q = 0; q < o->ow; q++)
            for (int64_t c = part.c0; c < part.c1; c++)
                y[(r * o->ow + q) * o->oc + c] = sum_at(k, x, w, r, q, c);
}

static int64_t
clip(int64_t v, int64_t hi)
{
    return v < 0 ? 0 : v > hi ? hi : v;
}

/* The rows of x, of all images, that result rows [r0, r1) read lie in
 * [*from, *to). */
static void
rows_read(const SnConvGeo *o, int64_t r0, int64_t r1, int64_t *from,
          int64_t *to)
{
    int64_t last = r1 - 1;
    int64_t low = r0 % o->oh * o->sh - o->pt;
    int64_t high = last % o->oh * o->sh - o->pt + (o->kh - 1) * o->dh + 1;

    *from = r0 / o->oh * o->h + clip(low, o->h);
    *to = last / o->oh * o->h + clip(high, o->h);
}

/* Rows [from, to) of x as codes with a zero point; false if there is none. */
static bool
codes(const Sums *k, const int32_t *x, int64_t from, int64_t to, int8_t *code,
      int32_t *zp)
{
    int64_t row = k->geo.w * k->geo.c, n = to > from ? (to - from) * row : 0;
    int32_t lo = 0, hi = 0;

    sn_each_bounds(k->isa, x + from * row, n, &lo, &hi);
    if (!zero_point(lo, hi, zp))
        return false;
    sn_each_code(k->isa, x + from * row, n, *zp, code + from * row);
    return true;
}

/* One product of several: its filter is packed now. */
static void
run_matrix(const Sums *k, const SnCall *c, const int32_t *x, const int32_t *w,
           int32_t *y)
{
    const SnConvGeo *o = &k->geo;
    SnArena *a = c->scratch;
    const SnConvQ8 *p = plan(a, a, k, w);
    int32_t zp;

    if (!p || !codes(k, x, 0, o->h, c->work, &zp))
        plain_sums(k, x, w, y, (SnConvPart){0, o->h, 0, o->oc, 1});
    else
        sn_conv_q8_sums(p, c->work, zp, y, o->oc,
                        sn_alloc(a, sn_conv_q8_work(p)), 0,
                        sn_conv_q8_units(p));
}

static void
run_matrices(const Sums *k, const SnCall *c)
{
    int64_t at[2];

    for (int64_t i = 0; i < k->m.count; i++) {
        sn_cpu_matrix_at(&k->m, i, at);
        run_matrix(k, c, (const int32_t *)c->in[0].data + at[0],
                   (const int32_t *)c->in[1].data + at[1],
                   (int32_t *)c->out[0].data + i * k->geo.h * k->geo.oc);
    }
}

SnStatus
sn_cpu_sums(const SnCall *c)
{
    const Sums *k = c->prep;
    const int32_t *x = c->in[0].data;
    int32_t *y = c->out[0].data, zp;
    int64_t from, to;

    if (!k->plan) {
        run_matrices(k, c);
        return SN_OK;
    }
    if (sn_shape_count(c->out[0].shape) == 0 || c->u0 >= c->u1)
        return SN_OK;
    SnConvPart part = sn_conv_q8_part(k->plan, c->u0, c->u1);
    rows_read(&k->geo, part.r0, part.r1, &from, &to);
    if (!codes(k, x, from, to, c->work, &zp))
        plain_sums(k, x, c->in[1].data, y, part);
    else
        sn_conv_q8_sums(k->plan, c->work, zp, y, k->geo.oc,
                        (char *)c->work + k->codes, c->u0, c->u1);
    return SN_OK;
}

/* ---- means of codes, by a row of an integer sum ----
 *
 * Pools where the graph's arithmetic has such a row of its own, and means along
 * axes under any.  Neighbouring channels are added up together. */

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
mean_codes(const SnRowUse *use, SnLim lim, const int32_t *sum, int64_t ntap,
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
    mean_codes(k->now, k->lim, k->sum, ntap, n, y, 1);
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
            mean_codes(&use, k->lim, c->work, m.ntap, n,
                       y + m.y0 + l * m.lane_y, m.lane_y);
        }
    }
    return SN_OK;
}
