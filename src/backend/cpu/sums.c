/* Sums of products of plain int32 (IntegerConv2D, IntegerMatMul) by the tiles
 * of kernel/conv_q8.h: the operands are differences of codes and zero points
 * as a rule, so that each becomes codes again, with a zero point of its own,
 * found in the filter's channels when it is packed and in x at each run.  What
 * does not fit 8 bits so is summed plainly. */
#include <string.h>

#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/each.h"
#include "kernel/map.h"

enum { MOST = 255 }; /* a difference of two codes, without sign */

typedef struct Sums {
    SnIsa isa;
    SnConvGeo geo;
    const SnConvQ8 *plan;
    size_t codes;         /* bytes of work before the plan's own: x */
    bool turned;          /* w is [oc, taps], else [taps, oc] */
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

/* Channel c of w, tap by tap. */
static const int32_t *
channel(const Sums *k, const int32_t *w, int64_t taps, int64_t c,
        int64_t *step)
{
    *step = k->turned ? 1 : k->geo.oc;
    return k->turned ? w + c * taps : w + c;
}

/* [oc, taps] codes with a zero point for each channel. */
static bool
filter_codes(const Sums *k, const int32_t *w, int64_t taps, int8_t *code,
             int32_t *wz)
{
    for (int64_t c = 0; c < k->geo.oc; c++, code += taps) {
        int64_t step;
        const int32_t *v = channel(k, w, taps, c, &step);
        int32_t lo = v[0], hi = v[0];
        for (int64_t i = 1; i < taps; i++) {
            int32_t e = v[i * step];
            lo = e < lo ? e : lo;
            hi = e > hi ? e : hi;
        }
        if (!zero_point(lo, hi, &wz[c]))
            return false;
        for (int64_t i = 0; i < taps; i++)
            code[i] = (int8_t)(v[i * step] + wz[c]);
    }
    return true;
}

static bool
pack(SnPrep *p, SnArena *tmp, Sums *k, const SnTensor *w)
{
    int64_t taps = k->geo.oc ? sn_shape_count(w->shape) / k->geo.oc : 0;
    int8_t *code = sn_alloc_n(tmp, (size_t)(k->geo.oc * taps), 1);
    SnConvNum num = {.nwz = (uint32_t)k->geo.oc, .sums = true};
    int32_t *wz = SN_NEW_N(tmp, int32_t, k->geo.oc + 1);

    if (taps == 0 || !filter_codes(k, w->data, taps, code, wz))
        return false;
    num.wz = wz;
    k->plan = sn_conv_q8_plan(p->call->scratch, k->isa, &k->geo, &num, code);
    k->codes = (size_t)(k->geo.n * k->geo.h * k->geo.w * k->geo.c + 63) / 64 *
               64;
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
    k->isa = sn_isa();
    tmp = sn_arena_new();
    ok = pack(p, tmp, k, w);
    sn_arena_free(tmp);
    return ok;
}

bool
sn_cpu_conv_sums_prepare(SnPrep *p)
{
    Sums *k = SN_NEW(p->call->scratch, Sums);

    k->turned = true;
    return sn_cpu_conv_geo(p->call, &k->geo) && prepare(p, k);
}

bool
sn_cpu_matmul_sums_prepare(SnPrep *p)
{
    Sums *k = SN_NEW(p->call->scratch, Sums);

    return sn_cpu_matmul_geo(p->call, &k->geo, &k->turned) && prepare(p, k);
}

/* ---- a run ---- */

/* The plain sum of one result: rows and columns of x outside it count 0. */
static int32_t
sum_at(const Sums *k, const int32_t *x, const int32_t *w, int64_t r, int64_t q,
       int64_t c)
{
    const SnConvGeo *o = &k->geo;
    int64_t cig = o->c / o->group, taps = o->kh * o->kw * cig, step;
    const int32_t *v = channel(k, w, taps, c, &step);
    uint32_t s = 0;

    x += r / o->oh * o->h * o->w * o->c + c / (o->oc / o->group) * cig;
    for (int64_t t = 0; t < o->kh * o->kw; t++) {
        int64_t row = r % o->oh * o->sh - o->pt + t / o->kw * o->dh;
        int64_t col = q * o->sw - o->pl + t % o->kw * o->dw;
        if (row < 0 || row >= o->h || col < 0 || col >= o->w)
            continue;
        const int32_t *u = x + (row * o->w + col) * o->c;
        for (int64_t i = 0; i < cig; i++)
            s += (uint32_t)u[i] * (uint32_t)v[(t * cig + i) * step];
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

SnStatus
sn_cpu_sums(const SnCall *c)
{
    const Sums *k = c->prep;
    const SnConvGeo *o = &k->geo;
    const int32_t *x = c->in[0].data;
    int32_t *y = c->out[0].data, lo = 0, hi = 0, zp;
    int8_t *code = c->work;
    int64_t row = o->w * o->c, from, to;

    if (sn_shape_count(c->out[0].shape) == 0 || c->u0 >= c->u1)
        return SN_OK;
    SnConvPart part = sn_conv_q8_part(k->plan, c->u0, c->u1);
    rows_read(o, part.r0, part.r1, &from, &to);
    int64_t n = to > from ? (to - from) * row : 0;
    sn_each_bounds(k->isa, x + from * row, n, &lo, &hi);
    if (!zero_point(lo, hi, &zp)) {
        plain_sums(k, x, c->in[1].data, y, part);
        return SN_OK;
    }
    sn_each_code(k->isa, x + from * row, n, zp, code + from * row);
    sn_conv_q8_sums(k->plan, code, zp, y, o->oc,
                    (char *)c->work + k->codes, c->u0, c->u1);
    return SN_OK;
}
