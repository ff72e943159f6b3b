// SPDX-License-Identifier: Apache-2.0
/* Plans of 8-bit convolutions: packing, working memory. */
#include "kernel/conv/conv_priv.h"

#include <assert.h>
#include <string.h>

#include "kernel/conv/conv_wino.h"
#include "kernel/pack.h"

SnVariants sn_conv_variants;

const SnGemm *
sn_gemm(SnIsa isa)
{
    return sn_variant(&sn_conv_variants, isa);
}

static int32_t
wrap_sub_mul(int32_t s, int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)s - (uint32_t)a * (uint32_t)b);
}

/* ---- geometry ---- */

static void
set_work(SnConvQ8 *p)
{
    const SnConvGeo *o = &p->geo;
    int64_t px = p->t->esize * o->c;

    p->brows = (p->rows - 1) * p->bsh + (o->kh - 1) * o->dh + 1;
    if (!p->direct)
        p->buf = (size_t)(p->brows * p->wp * px + 256) / 64 * 64;
    if (p->columns) { /* and codes x.zp, for pixels outside */
        p->npad = (size_t)((o->w > 0 ? o->w : 1) * o->c);
        p->buf += (p->npad + 63) / 64 * 64;
    }
    p->nwork = p->buf;
    if (p->columns)
        p->nwork +=
            (size_t)((p->rows - 1) * o->sh + 2 * o->dh + 1) * sizeof(int8_t *);
    if (p->wino)
        p->nwork += sn_wino_work(o, p->rows);
    else if (!p->depthwise)
        p->nwork += (size_t)(p->rows * o->ow) * sizeof(SnPx);
    if (p->rowsum)
        p->nwork += (size_t)(p->rows * o->ow) * sizeof(int32_t);
}

/* ---- packing ---- */

typedef struct Pack {
    SnArena *a;
    SnConvQ8 *p;
    const SnConvNum *num;
    const int8_t **w; /* see codes() */
    int fold;         /* lane i of a block has the channel of lane i % fold */
    int16_t *dw;      /* a depthwise block before it is packed */
    int npanel;       /* SnConvPick.npanel */
} Pack;

/* The filter, loaded lazily: not called when packed panels and biases are
 * cached. */
static const int8_t *
codes(const Pack *k)
{
    if (!*k->w)
        *k->w = k->num->filter(k->num->ctx);
    return *k->w;
}

static int64_t
channel(const Pack *k, int64_t c0, int i)
{
    return (c0 + i % k->fold) % k->p->geo.oc;
}

static int32_t
wz_of(const SnConvNum *num, int64_t c)
{
    return num->wz[num->nwz > 1 ? c : 0];
}

/* Sums of w - wz of channel c at each of the kh * kw taps. */
static void
tap_sums(const Pack *k, int64_t c, int32_t *sum)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t cig = o->c / o->group, n = o->kh * o->kw;
    const int8_t *w = codes(k) + c * n * cig;

    for (int64_t t = 0; t < n; t++, w += cig) {
        int32_t s = 0;
        for (int64_t i = 0; i < cig; i++)
            s += w[i];
        sum[t] = wrap_sub_mul(s, (int32_t)cig, wz_of(k->num, c));
    }
}

/* Over the taps of a class. */
static int32_t
sum_class(const SnConvGeo *o, const SnConvClass *cl, const int32_t *sum)
{
    int32_t s = 0;

    for (int64_t i = cl->r.t0; i < cl->r.t0 + cl->r.nt; i++)
        for (int64_t j = cl->c.t0; j < cl->c.t0 + cl->c.nt; j++)
            s = wrap_sub_mul(s, -1, sum[i * o->kw + j]);
    return s;
}

/* For each class, biases of n channels from c0 on at place(i) of a padded
 * array, less what its taps add beyond the contract; one array for all
 * classes where x - x.zp is widened.  If x.zp is not known yet: what its taps
 * add for each 1 of shift. */
static const int32_t *const *
make_biases(const Pack *k, int64_t c0, int n, int padded, SnPlaceFn *place,
            const SnConvClass *cl, uint32_t ncl)
{
    const SnConvNum *num = k->num;
    const SnConvGeo *o = &k->p->geo;
    int32_t shift = k->p->t->esize != 1 ? 0
                    : num->sums         ? -1
                                        : num->xz + k->p->t->offset;
    int32_t **v = SN_NEW_N(k->a, int32_t *, ncl);
    int32_t *sum = SN_NEW_N(k->a, int32_t, o->kh * o->kw);
    bool *ready = SN_NEW_N(k->a, bool, ncl), all = true;

    for (uint32_t j = 0; j < ncl; j++) {
        ready[j] = j > 0 && shift == 0;
        v[j] = ready[j] ? v[0]
                        : sn_pack_piece(num->biases, k->a,
                                        (size_t)padded * sizeof **v, &ready[j]);
        all &= ready[j];
    }
    for (int i = 0; i < n && !all; i++) {
        int64_t c = channel(k, c0, i);
        if (shift != 0)
            tap_sums(k, c, sum);
        for (uint32_t j = 0; j < ncl; j++)
            if (!ready[j])
                v[j][place ? place(i) : i] =
                    wrap_sub_mul(num->bias ? num->bias[c] : 0, shift,
                                 sum_class(o, &cl[j], sum));
    }
    return (const int32_t *const *)v;
}

/* Whether tiles subtract the filter's zero points times row sums. */
static bool
has_zeros(const SnConvQ8 *p, const SnConvNum *num)
{
    bool any = false;

    for (uint32_t i = 0; i < num->nwz; i++)
        any |= num->wz[i] != 0;
    return any && p->t->esize == 1;
}

/* The other constants of n channels from c0 on. */
static SnEnd
make_end(const Pack *k, int64_t c0, int n, int padded, SnPlaceFn *place)
{
    const SnConvNum *num = k->num;
    SnConvQ8 *p = k->p;
    bool zeros = p->raw || (!p->depthwise && has_zeros(p, num));
    int32_t *wz = zeros ? SN_NEW_N(k->a, int32_t, padded) : NULL;
    float *mul = p->sums ? NULL : SN_NEW_N(k->a, float, padded);

    for (int i = 0; i < n; i++) {
        int64_t c = channel(k, c0, i);
        int at = place ? place(i) : i;
        if (mul)
            mul[at] = num->mul[num->nmul > 1 ? c : 0];
        if (zeros)
            wz[at] = wz_of(num, c);
    }
    if (!mul)
        return (SnEnd){.sums = true, .wz = wz};
    bool small = true;
    for (int i = 0; i < padded; i++)
        small &= mul[i] < 1;
    return (SnEnd){.small = small,
                   .mul = mul,
                   .wz = wz,
                   .lo = (float)(num->lo - num->yz),
                   .hi = (float)(num->hi - num->yz),
                   .low = (int8_t)num->lo,
                   .high = (int8_t)num->hi,
                   .zp = num->yz};
}

/* The codes of one channel, four at a time, to every nl-th place. */
static void
pack_codes(const SnConvQ8 *p, const int8_t *w, int nl, char *to)
{
    for (int64_t r = 0; r < p->nrun; r++, w += p->len)
        for (int64_t s = 0; s < p->nstep; s++, to += nl * 4)
            sn_conv_four(p, w + 4 * s, 1, p->len - 4 * s, to);
}

/* The places of the channels in a panel of npanel times SN_LANE; NULL: in
 * order, as for sums that are not packed. */
static SnPlaceFn *
place_of(const SnConvQ8 *p, int npanel)
{
    return npanel == p->g->ntile && !p->sums ? p->g->place : NULL;
}

/* [run][step][channel][element]; zeros past the channels and the taps. */
static const void *
pack_panel(const Pack *k, int64_t c0, int ncol, int npanel)
{
    const SnConvQ8 *p = k->p;
    int ks = p->g->kstep, es = p->t->esize, nl = npanel * SN_LANE;
    int64_t taps = p->nrun * p->len;
    bool ready;
    char *to =
        sn_pack_piece(k->num->panels, k->a,
                      (size_t)(p->nrun * p->nstep * nl * ks * es), &ready);

    SnPlaceFn *place = place_of(p, npanel);
    for (int i = 0; i < ncol && !ready; i++) {
        const int8_t *w = codes(k) + (c0 + i) * taps;
        int32_t z = wz_of(k->num, c0 + i);
        int at0 = place ? place(i) : i;
        if (es == 1) {
            pack_codes(p, w, nl, to + at0 * ks);
            continue;
        }
        for (int64_t r = 0; r < p->nrun; r++)
            for (int64_t e = 0; e < p->len; e++) {
                int64_t at = ((r * p->nstep + e / ks) * nl + at0) * ks + e % ks;
                ((int16_t *)(void *)to)[at] = (int16_t)(w[r * p->len + e] - z);
            }
    }
    return to;
}

/* [place][step][channel][element] of kernel/conv/conv_wino.h. */
static const void *
pack_wino(const Pack *k, int64_t c0, int ncol)
{
    int64_t cin = k->p->geo.c / k->p->geo.group,
            size = SN_WINO_POS * cin * SN_LANE;
    bool ready;
    int16_t *to =
        sn_pack_piece(k->num->panels, k->a, (size_t)size * sizeof *to, &ready);

    for (int i = 0; i < ncol && !ready; i++) {
        const int8_t *w = codes(k) + (c0 + i) * 9 * cin;
        int32_t z = wz_of(k->num, c0 + i);
        for (int64_t e = 0; e < cin; e++) {
            int16_t d[9], u[SN_WINO_POS];
            for (int t = 0; t < 9; t++)
                d[t] = (int16_t)(w[t * cin + e] - z);
            sn_wino_filter(d, u);
            for (int t = 0; t < SN_WINO_POS; t++)
                to[((t * cin + e / 2 * 2) * SN_LANE + k->p->g->place(i) * 2) +
                   e % 2] = u[t];
        }
    }
    return to;
}

static void
pack_gemm(const Pack *k)
{
    SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t taps = p->nrun * p->len;
    int64_t ocg = o->oc / o->group, most = sn_conv_width(o, k->npanel);
    SnConvBlock *v =
        SN_NEW_N(k->a, SnConvBlock, o->group * ((ocg + most - 1) / most));
    uint32_t n = 0;

    for (int64_t g = 0; g < o->group; g++)
        for (int64_t c = 0; c < ocg; c += most) {
            SnConvBlock b = {.c0 = g * ocg + c};
            b.x0 = g * (o->c / o->group) * p->t->esize;
            b.ncol = (int)min64(ocg - c, most);
            b.npanel = (b.ncol + SN_LANE - 1) / SN_LANE;
            b.w = p->wino ? pack_wino(k, b.c0, b.ncol)
                          : pack_panel(k, b.c0, b.ncol, b.npanel);
            SnPlaceFn *place = place_of(p, b.npanel);
            int padded = b.npanel * SN_LANE;
            b.end = make_end(k, b.c0, b.ncol, padded, place);
            b.bias = make_biases(k, b.c0, b.ncol, padded, place, p->classes,
                                 p->nclass);
            v[n++] = b;
            if (k->num->from && *k->w)
                sn_arena_unload(k->num->from, *k->w,
                                (size_t)((b.c0 + b.ncol) * taps));
        }
    p->block = v;
    p->nblock = n;
}

/* ---- depthwise ---- */

static int16_t
clamp_s8(int32_t v)
{
    return (int16_t)(v < -128 ? -128 : v > 127 ? 127 : v);
}

/* Differences w - wz lie in [-255, 255].  Where they do not fit 8 bits, each
 * tap is repeated two or three times, with parts that add up. */
static int
parts_needed(const Pack *k)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t taps = o->kh * o->kw;
    int n = 1;

    for (int64_t i = 0; i < o->oc * taps; i++) {
        int32_t v = codes(k)[i] - wz_of(k->num, i / taps);
        int need = v > 254 ? 3 : v > 127 || v < -128 ? 2 : 1;
        n = need > n ? need : n;
    }
    return n;
}

/* The taps in the order of the packed block: row by row, all parts; or by
 * columns of three and a gap. */
static int64_t *
order_taps(const Pack *k, int parts, int64_t ntap)
{
    const SnConvGeo *o = &k->p->geo;
    int64_t *tap = SN_NEW_N(k->a, int64_t, ntap);

    for (int64_t t = 0; t < ntap; t++) {
        tap[t] = k->p->columns ? t % 4 < 3 ? t % 4 * 3 + t / 4 : -1
                 : t < parts * o->kh * o->kw ? t % (o->kh * o->kw)
                                             : -1;
    }
    return tap;
}

/* order: numbers of taps, -1 for none. */
static void
pack_dw_block(const Pack *k, SnConvBlock *b, int lanes, const int64_t *order,
              int64_t ntap, int parts)
{
    const SnGemm *g = k->p->g;
    int64_t taps = k->p->geo.kh * k->p->geo.kw;
    int16_t *w = k->dw;
    void *to =
        sn_alloc_n(k->a, (size_t)(ntap * g->dwblock), (size_t)k->p->t->esize);

    memset(w, 0, (size_t)(ntap * g->dwblock) * sizeof *w);
    for (int i = 0; i < lanes; i++)
        for (int64_t t = 0; t < ntap; t++) {
            int64_t c = channel(k, b->c0, i);
            if (order[t] < 0)
                continue;
            int32_t v = codes(k)[c * taps + order[t]];
            v -= k->p->raw ? 0 : wz_of(k->num, c);
            for (int64_t j = 0; parts > 1 && j < t / taps; j++)
                v -= clamp_s8(v);
            w[t * g->dwblock + i] = parts > 1 ? clamp_s8(v) : (int16_t)v;
        }
    g->dwpack(w, ntap, to);
    b->w = to;
}

static void
pack_dw(const Pack *k)
{
    SnConvQ8 *p = k->p;
    const SnConvGeo *o = &p->geo;
    int64_t taps = o->kh * o->kw, block = p->g->dwblock;
    int parts = p->t->esize == 1 ? parts_needed(k) : 1;
    SnConvClass whole = {.r.nt = o->kh, .c.nt = o->kw};
    SnConvBlock *v = SN_NEW_N(k->a, SnConvBlock, (o->oc + block - 1) / block);
    uint32_t n = 0;

    if (p->columns && parts > 1) {
        p->raw = true;
        parts = 1;
    }
    int64_t ntap = p->columns ? 12 : (parts * taps + 3) / 4 * 4;
    int64_t *order = order_taps(k, parts, ntap);
    int64_t *tap = SN_NEW_N(k->a, int64_t, ntap);
    int16_t *dw = SN_NEW_N(k->a, int16_t, ntap * block);
    for (int64_t t = 0; t < ntap; t++) {
        int64_t at = order[t] < 0 ? 0 : order[t];
        tap[t] = (at / o->kw * o->dh * p->wp + at % o->kw * o->dw) * o->c *
                 p->t->esize;
    }
    for (int64_t c = 0; c < o->oc; c += block) {
        SnConvBlock b = {.c0 = c, .x0 = c * p->t->esize};
        b.ncol = (int)min64((o->oc - c) * p->rep, block);
        /* Half a block of channels: two rows share it. */
        bool half = p->columns && b.ncol <= block / 2;
        Pack q = *k;
        q.dw = dw;
        q.fold = (int)(half ? block / 2 : block);
        int lanes = half ? (int)block : b.ncol;
        pack_dw_block(&q, &b, lanes, order, ntap, parts);
        b.end = make_end(&q, c, lanes, (int)block, p->g->dwplace);
        b.end.bias =
            *make_biases(&q, c, lanes, (int)block, p->g->dwplace, &whole, 1);
        v[n++] = b;
    }
    p->tap = tap;
    p->ntap = ntap;
    p->block = v;
    p->nblock = n;
}

/* ---- the plan ---- */

const SnConvQ8 *
sn_conv_q8_plan(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                const SnConvNum *num, const int8_t *w)
{
    SnConvQ8 *p = SN_NEW(a, SnConvQ8);
    Pack k = {.a = a, .p = p, .num = num, .w = &w, .fold = SN_TILE_N};

    p->sums = num->sums;
    sn_conv_shape(p, isa, geo);
    p->xz = num->xz;
    p->rate = sn_pack_rate(num->panels,
                           geo->oc * geo->kh * geo->kw * (geo->c / geo->group));
    if (!num->program && p->g->flipped && sn_conv_flip_pays(p))
        p->t = p->g->flipped;
    p->rowsum = !p->depthwise && (p->t->flip || has_zeros(p, num));
    if (is_empty(geo))
        return p;
    bool tiles = sn_conv_q8_tiles(isa, geo, num);
    SnConvPick pick = num->pick ? *num->pick : sn_conv_rules(p, tiles);
    assert(!num->pick || sn_conv_q8_fits(isa, geo, tiles, &pick));
    p->rows = pick.rows;
    p->by_block = pick.by_block;
    p->wino = pick.tiles;
    k.npanel = pick.npanel;
    if (p->wino) {
        p->rows += p->rows % 2;
        p->wp = (geo->ow + 1) / 2 * 2 + 2;
    }
    if (p->depthwise) {
        pack_dw(&k);
    } else {
        sn_conv_classes(a, p, pick.clip);
        pack_gemm(&k);
    }
    set_work(p);
    return p;
}
