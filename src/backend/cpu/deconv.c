// SPDX-License-Identifier: Apache-2.0
/* Transposed convolutions as plain ones: results whose places leave one rest
 * when divided by the stride (a *phase*) read the same taps at neighbouring
 * places of x.  Each phase is a convolution without stride into working memory,
 * whose pixels are then laid out apart.  Along an axis results advance as x
 * does while taps go back: on codes the taps of a phase are turned around, as
 * the order of an integer sum is free; on reals x and the results are, so that
 * sums keep their order. */
#include <string.h>

#include "backend/cpu/contract.h"
#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/conv_f32/conv_f32.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

/* A phase along one axis: result m (m0 <= m <= m1) is at place first + step *
 * (m - m0); its taps are t0, t0 + every, ..., `ntap` of them, `apart` apart in
 * x.  The convolution has `pad` before x, `skip` results that are left out, and
 * then n. */
typedef struct Axis {
    int64_t first, n, t0, every, ntap, apart, pad, skip;
} Axis;

/* What the map says of an axis: the filter's size and so on, cut the padding
 * cut off in front, x and y the lengths. */
typedef struct Along {
    int64_t size, stride, dilate, cut, x, y;
} Along;

static int64_t
common(int64_t a, int64_t b)
{
    return b ? common(b, a % b) : a;
}

/* Towards minus infinity. */
static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Phase number `rest`.  False where no tap reaches it. */
static bool
open_axis(const Along *o, int64_t rest, bool turned, Axis *a)
{
    int64_t div = common(o->stride, o->dilate);

    *a = (Axis){.every = o->stride / div, .apart = o->dilate / div};
    while (a->t0 < o->size && (rest - a->t0 * o->dilate) % o->stride)
        a->t0++;
    if (a->t0 == o->size)
        return false;
    a->ntap = (o->size - a->t0 + a->every - 1) / a->every;
    /* The first tap of result m reads x at m + ahead, the next before it. */
    int64_t ahead = (rest - a->t0 * o->dilate) / o->stride;
    int64_t m0 = -floor_div(rest - o->cut, o->stride);
    int64_t m1 = floor_div(o->y - 1 + o->cut - rest, o->stride);
    a->first = rest + o->stride * m0 - o->cut;
    a->n = m1 - m0 + 1;
    a->pad =
        turned ? m1 + ahead + 1 - o->x : (a->ntap - 1) * a->apart - ahead - m0;
    if (a->pad < 0) {
        a->skip = -a->pad;
        a->pad = 0;
    }
    return true;
}

typedef struct Phase {
    Axis row, col;
    SnConvGeo geo; /* of one image */
    const SnConvQ8 *codes;
    const SnConvF32 *reals;
} Phase;

/* Units are phases of images. */
typedef struct Deconv {
    SnConvGeo geo;  /* oh, ow: of the result */
    size_t size;    /* of an element */
    size_t done, x; /* bytes of a phase's results, of a turned image or sums */
    SnCpuRows rows; /* of codes under another arithmetic than float, or none */
    int nphase;
    Phase phase[];
} Deconv;

/* The node's geometry; pt and pl are what is cut off. */
static bool
open_geo(const SnCall *c, SnConvGeo *o)
{
    const SnSem *s = &c->kind->sem[0];
    const SnShape *x = sn_map_port(c, s, 0)->shape, *y = c->out[0].shape;
    const SnShape *w = sn_map_port(c, s, 1)->shape;

    if (x->rank != 4 || w->rank != 4 || y->rank != 4)
        return false;
    *o = sn_cpu_window_geo(c, w->dim[1], w->dim[2]);
    o->group = sn_map_int(c, s, 5, 1);
    return o->group > 0 && o->c == w->dim[3] * o->group &&
           sn_shape_count(x) > 0 && sn_shape_count(y) > 0 &&
           sn_shape_count(w) > 0;
}

/* The convolution of one phase. */
static void
set_geo(const SnConvGeo *o, Phase *f)
{
    f->geo = *o;
    f->geo.n = 1;
    f->geo.oh = f->row.n + f->row.skip;
    f->geo.ow = f->col.n + f->col.skip;
    f->geo.kh = f->row.ntap;
    f->geo.kw = f->col.ntap;
    f->geo.sh = f->geo.sw = 1;
    f->geo.dh = f->row.apart;
    f->geo.dw = f->col.apart;
    f->geo.pt = f->row.pad;
    f->geo.pl = f->col.pad;
}

/* All phases, without plans; NULL where some result has no tap, or there are
 * more phases than a unit each is worth. */
static Deconv *
open_phases(const SnCall *c, bool turned)
{
    enum { MOST = 256 };
    SnConvGeo o;

    if (!open_geo(c, &o) || o.sh > MOST || o.sw > MOST / o.sh)
        return NULL;
    Along row = {o.kh, o.sh, o.dh, o.pt, o.h, o.oh};
    Along col = {o.kw, o.sw, o.dw, o.pl, o.w, o.ow};
    Deconv *k = sn_alloc(c->scratch, sizeof *k + (size_t)(o.sh * o.sw) *
                                                     sizeof k->phase[0]);
    *k = (Deconv){.geo = o, .size = sn_elem_size(c->out[0].type->elem)};
    for (int64_t i = 0; i < o.sh * o.sw; i++) {
        Phase *f = &k->phase[k->nphase];
        *f = (Phase){0};
        if (!open_axis(&row, i / o.sw, turned, &f->row) ||
            !open_axis(&col, i % o.sw, turned, &f->col))
            return NULL;
        if (f->row.n <= 0 || f->col.n <= 0)
            continue;
        set_geo(&o, f);
        if (!sn_conv_q8_holds(&f->geo))
            return NULL;
        size_t n = (size_t)(f->geo.oh * f->geo.ow * o.oc) * k->size;
        k->done = n > k->done ? n : k->done;
        k->nphase++;
    }
    k->done = (k->done + 63) / 64 * 64;
    return k;
}

/* The phase's part of the filter, [oc, taps, channels of a group]; back: its
 * taps in the opposite order. */
static void *
part_of(SnArena *a, const Deconv *k, const Phase *f, const char *w, bool back)
{
    const SnConvGeo *o = &k->geo;
    size_t n = (size_t)(o->c / o->group) * k->size;
    int64_t taps = f->row.ntap * f->col.ntap;
    char *to = sn_alloc_n(a, (size_t)(o->oc * taps), n);

    for (int64_t i = 0; i < o->oc * taps; i++) {
        int64_t t = back ? taps - 1 - i % taps : i % taps;
        int64_t r = f->row.t0 + t / f->col.ntap * f->row.every;
        int64_t q = f->col.t0 + t % f->col.ntap * f->col.every;
        memcpy(to + (size_t)i * n,
               w + (size_t)((i / taps * o->kh + r) * o->kw + q) * n, n);
    }
    return to;
}

static void
finish(SnPrep *p, Deconv *k, size_t work, int64_t cost)
{
    const SnConvGeo *o = &k->geo;

    p->prep = k;
    p->nwork = k->done + k->x + work;
    p->nunit = o->n * k->nphase;
    p->cost = o->n * (cost + o->oh * o->ow * o->oc * (int64_t)k->size / 16);
}

static bool
prepare_codes(SnPrep *p, SnArena *tmp)
{
    const SnCall *c = p->call;
    const SnTensor *w = sn_map_port(c, &c->kind->sem[0], 1);
    SnCpuRows rows = {0};
    SnConvNum num;
    size_t work = 0;
    int64_t cost = 0;

    if (!w->data ||
        !sn_cpu_conv_numbers(tmp, c, c->out[0].type, sn_cpu_clamp(c), &num))
        return false;
    if (c->rounding != SN_ROUNDING_FLOAT) {
        if (!sn_cpu_rows_find(c, &num, c->out[0].type, &rows))
            return false;
        num = sn_cpu_rows_sums(&num);
    }
    Deconv *k = open_phases(c, false);
    for (int i = 0; k && i < k->nphase; i++) {
        Phase *f = &k->phase[i];
        f->codes = sn_conv_q8_plan(c->scratch, sn_isa(), &f->geo, &num,
                                   part_of(tmp, k, f, w->data, true));
        size_t n = sn_conv_q8_work(f->codes);
        work = n > work ? n : work;
        cost += sn_conv_q8_cost(f->codes);
    }
    if (!k)
        return false;
    k->rows = rows;
    if (rows.row)
        k->x = k->done * sizeof(int32_t);
    finish(p, k, work, cost);
    p->any = true;
    return true;
}

bool
sn_cpu_deconv_q8_prepare(SnPrep *p)
{
    SnArena *tmp = sn_arena_new();
    bool ok = prepare_codes(p, tmp);

    sn_arena_free(tmp);
    return ok;
}

bool
sn_cpu_deconv_f32_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnTensor *w = sn_map_port(c, &c->kind->sem[0], 1);
    const SnTensor *b = sn_opnd(c, 2);
    SnLimF lim = sn_limf(sn_cpu_clamp(c));
    int64_t cost = 0;

    Deconv *k = w->data && (!b->type || b->data) ? open_phases(c, true) : NULL;
    if (!k)
        return false;
    SnArena *tmp = sn_arena_new();
    for (int i = 0; i < k->nphase; i++) {
        Phase *f = &k->phase[i];
        SnFilterF32 filter = {.w = part_of(tmp, k, f, w->data, false),
                              .bias = b->data,
                              .step_c = f->geo.kh * f->geo.kw *
                                        (k->geo.c / k->geo.group),
                              .step_k = 1,
                              .lo = lim.lo,
                              .hi = lim.hi};
        f->reals = sn_conv_f32_plan(c->scratch, sn_isa(), &f->geo, &filter);
        cost += sn_conv_f32_cost(f->reals);
    }
    sn_arena_free(tmp);
    k->x = (size_t)(k->geo.h * k->geo.w * k->geo.c) * sizeof(float);
    finish(p, k, 0, cost);
    return true;
}

/* ---- a run ---- */

/* A phase's codes, to y; between: the memory of turned images or sums. */
static void
run_codes(const Deconv *k, const Phase *f, const int8_t *x, int8_t *y,
          int32_t *between, void *more)
{
    const SnConvGeo *o = &f->geo;
    int64_t n = sn_conv_q8_units(f->codes);

    if (!k->rows.row) {
        sn_conv_q8_run(f->codes, x, y, o->oc, more, 0, n);
        return;
    }
    sn_conv_q8_sums(f->codes, x, k->rows.xz, between, o->oc, more, 0, n);
    sn_cpu_rows_codes(&k->rows, between, o->oc, o->oh * o->ow, 0, o->oc, y,
                      o->oc);
}

/* Rows and columns of an image in the opposite order. */
static void
turn(const SnConvGeo *o, const float *x, float *to)
{
    for (int64_t i = o->h * o->w; i-- > 0; x += o->c)
        memcpy(to + i * o->c, x, (size_t)o->c * sizeof *to);
}

/* n pixels of px bytes to every `step`-th one, from the first or, `back`, from
 * the last.  Pixels of a few channels are small: a size that is known is copied
 * without a call. */
static void
spread(char *to, size_t step, const char *from, int64_t n, size_t px, bool back)
{
#define PIXELS(size)                                                          \
    for (int64_t j = 0; j < n; j++)                                           \
    memcpy(to + (size_t)j * step, from + (size_t)(back ? n - 1 - j : j) * px, \
           size)
    switch (px) {
    case 1:
        PIXELS(1);
        break;
    case 3:
        PIXELS(3);
        break;
    case 4:
        PIXELS(4);
        break;
    case 12:
        PIXELS(12);
        break;
    case 16:
        PIXELS(16);
        break;
    default:
        PIXELS(px);
        break;
    }
#undef PIXELS
}

/* The phase's results to their places in image y. */
static void
lay(const Deconv *k, const Phase *f, const char *from, char *y)
{
    size_t px = (size_t)k->geo.oc * k->size;
    bool back = f->reals != NULL;

    for (int64_t i = 0; i < f->row.n; i++) {
        int64_t r = f->row.skip + (back ? f->row.n - 1 - i : i);
        const char *line = from + (size_t)(r * f->geo.ow) * px;
        char *to =
            y + (size_t)((f->row.first + i * k->geo.sh) * k->geo.ow) * px;
        spread(to + (size_t)f->col.first * px, (size_t)k->geo.sw * px,
               line + (size_t)f->col.skip * px, f->col.n, px, back);
    }
}

SnStatus
sn_cpu_deconv(const SnCall *c)
{
    const Deconv *k = c->prep;
    const SnConvGeo *o = &k->geo;
    const char *first = c->in[0].data;
    char *work = c->work, *y = c->out[0].data;
    void *turned = work + k->done, *more = work + k->done + k->x;
    size_t nx = (size_t)(o->h * o->w * o->c) * k->size;
    size_t ny = (size_t)(o->oh * o->ow * o->oc) * k->size;
    int64_t last = -1;

    for (int64_t u = c->u0; u < c->u1; u++) {
        int64_t image = u / k->nphase;
        const Phase *f = &k->phase[u % k->nphase];
        const void *x = first + (size_t)image * nx;
        if (f->codes) {
            run_codes(k, f, x, c->work, turned, more);
        } else {
            if (image != last)
                turn(o, x, turned);
            last = image;
            sn_conv_f32_run(f->reals, turned, c->work, 0,
                            sn_conv_f32_units(f->reals));
        }
        lay(k, f, work, y + (size_t)image * ny);
    }
    return SN_OK;
}
