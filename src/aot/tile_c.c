// SPDX-License-Identifier: Apache-2.0
/* Tiles as C: loops that gather what results read, sums of products by the
 * functions of dot.h, loops over the results that the lines of the node's text
 * make of these sums. */
#include <string.h>

#include "aot/tile_c.h"

/* Names of the loops: tp first pixel of a tile, tq pixel of it, tn how many,
 * tat their places in the result, tf first filter of a block, tc filter of it,
 * tacc sums, tsum sums of windows, tw filters. */

void
sn_tile_close(SnAotNode *n, int depth)
{
    while (n->depth > depth) {
        n->depth--;
        sn_aot_line(n, "}");
    }
}

/* The sum of k * variable over vars, and base; first: a name that it begins
 * with, or NULL. */
const char *
sn_tile_linear(SnAotNode *n, const char *first, const int64_t *k, int64_t base,
               uint32_t vars)
{
    SnBuf b;

    sn_buf_init(&b, n->a);
    sn_puts(&b, first ? first : "");
    for (uint32_t v = 0; v < n->u.nvar; v++) {
        int64_t m = k[v] < 0 ? -k[v] : k[v];
        if (!(vars >> v & 1) || !m)
            continue;
        sn_puts(&b, k[v] < 0 ? (b.n ? " - " : "-") : b.n ? " + " : "");
        if (m == 1)
            sn_putf(&b, "i%u", v);
        else
            sn_putf(&b, "%lld * i%u", (long long)m, v);
    }
    if (base || !b.n)
        sn_putf(&b, "%s%lld",
                base < 0 ? (b.n ? " - " : "-")
                : b.n    ? " + "
                         : "",
                (long long)(base < 0 ? -base : base));
    return sn_buf_str(&b);
}

/* The number of a place among those of vars, the last fastest. */
const char *
sn_tile_number(SnAotNode *n, uint32_t vars)
{
    int64_t k[SN_MAP_NVAR] = {0}, step = 1;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--)
        if (vars >> v & 1) {
            k[v] = step;
            step *= n->u.var[v].bound.v;
        }
    return sn_tile_linear(n, NULL, k, 0, vars);
}

static const char *
out_of(SnAotNode *n, const char *first, uint32_t vars)
{
    int64_t k[SN_MAP_NVAR] = {0};

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (!n->u.var[v].tap)
            k[v] = sn_aot_step(n, v);
    return sn_tile_linear(n, first, k, 0, vars);
}

static uint32_t
filter_bit(const SnAotTile *t)
{
    return t->filter < 0 ? 0 : UINT32_C(1) << t->filter;
}

int64_t
sn_tile_pixel_step(const SnAotNode *n)
{
    int64_t below = 1, first = 0;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        int64_t b = n->u.var[v].bound.v;
        if (!(n->tile->pixels >> v & 1) || b == 1)
            continue;
        if (first == 0)
            first = sn_aot_step(n, (uint32_t)v);
        if (sn_aot_step(n, (uint32_t)v) != first * below)
            return 0;
        below *= b;
    }
    return first;
}

const char *
sn_aot_tile_out(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    uint32_t rest = t->groups | filter_bit(t);
    long long step = (long long)sn_tile_pixel_step(n);

    if (t->form != SN_TILE_WINDOWS)
        return out_of(n, NULL, rest | t->pixels);
    return out_of(n,
                  step ? sn_format(n->a, "%lld * tp + %lld * tq", step, step)
                       : "tat[tq]",
                  rest);
}

/* The parameter that has them, packed or as they are. */
const char *
sn_tile_filters(const SnAotNode *n)
{
    return sn_aot_operand(n, n->tile->w);
}

void
sn_tile_loops(SnAotNode *n, uint32_t vars)
{
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (vars >> v & 1)
            sn_aot_loop(n, v);
}

/* ---- zero points of filters ---- */

static const char *
zero_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_format(a, "%d", (int)((const int32_t *)v)[i]);
}

/* That of filter m of a group, as C; NULL: it is 0. */
const char *
sn_tile_zero(SnAotNode *n, const char *m)
{
    const SnAotTile *t = n->tile;
    int64_t count = t->ngroup * t->mp;
    bool same = true;

    if (!t->wz)
        return NULL;
    for (int64_t g = 0; g < t->ngroup; g++)
        for (int64_t f = 0; f < t->nfilter; f++)
            same = same && t->wz[g * t->mp + f] == t->wz[0];
    if (same)
        return sn_format(n->a, "(%d)", (int)t->wz[0]);
    const char *table =
        sn_aot_table(n, "int8_t", (uint32_t)count, zero_item, t->wz);
    const char *g = sn_tile_number(n, t->groups);
    return t->mp == 1 ? sn_format(n->a, "%s[%s]", table, g)
                      : sn_format(n->a, "%s[(%s) * %lld + %s]", table, g,
                                  (long long)t->mp, m);
}

/* ---- windows ---- */

/* Places of the pixel number `pixel`. */
static void
put_places(SnAotNode *n, const char *pixel)
{
    const SnAotTile *t = n->tile;
    int64_t below = 1, all = t->npixel;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        int64_t b = n->u.var[v].bound.v;
        const char *s = pixel;
        if (!(t->pixels >> v & 1))
            continue;
        if (below > 1)
            s = sn_format(n->a, "%s / %lld", s, (long long)below);
        if (below * b < all)
            s = sn_format(n->a, "%s %% %lld", s, (long long)b);
        sn_aot_line(n, "const int i%d = %s;", v, s);
        below *= b;
    }
    n->open |= t->pixels;
}

/* Where the fours of a run begin in a window, or what is left of it. */
static const char *
quad_place(SnAotNode *n, uint32_t outer, bool left)
{
    const SnAotTile *t = n->tile;
    int64_t fours = t->nrun & ~INT64_C(3), each = left ? t->nrun % 4 : fours;
    int64_t k[SN_MAP_NVAR] = {0}, step = each;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--)
        if (outer >> v & 1) {
            k[v] = step;
            step *= n->u.var[v].bound.v;
        }
    return sn_tile_linear(n, NULL, k, left ? fours * (t->k / t->nrun) : 0,
                          outer);
}

/* One run of a window: the call that gathers it. */
static void
put_run(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    uint32_t outer = t->taps & ~t->run;
    int64_t k[SN_MAP_NVAR] = {0}, step = 1;
    const SnAotBound *b = &n->bound[t->slowest];
    const char *lo = b->lo ? b->lo : "0", *cond = "";
    const char *hi =
        b->hi ? b->hi
              : sn_format(n->a, "%lld", (long long)(t->nrun / t->inner));

    for (int v = (int)n->u.nvar - 1; v >= 0; v--)
        if (t->taps >> v & 1) {
            k[v] = step;
            step *= n->u.var[v].bound.v;
        }
    for (uint32_t v = 0; v < n->u.nvar; v++) {
        const SnAotBound *c = &n->bound[v];
        if (!(outer >> v & 1))
            continue;
        if (c->lo)
            cond = sn_format(n->a, "%s%si%u >= %s", cond, *cond ? " && " : "",
                             v, c->lo);
        if (c->hi)
            cond = sn_format(n->a, "%s%si%u < %s", cond, *cond ? " && " : "", v,
                             c->hi);
    }
    if (t->inner > 1) {
        lo = b->lo ? sn_format(n->a, "%s * %lld", lo, (long long)t->inner) : lo;
        hi = sn_format(n->a, "%s * %lld", hi, (long long)t->inner);
    }
    if (*cond)
        hi = sn_format(n->a, "%s ? %s : 0", cond, hi);
    const char *at = sn_tile_linear(n, NULL, t->off.k, t->off.base,
                                    t->pixels | t->groups | outer);
    const char *place = sn_tile_linear(n, NULL, k, 0, outer);
    const char *x = sn_aot_operand(n, t->x);
    long long run = (long long)t->nrun, st = (long long)t->step;
    bool rows = t->form == SN_TILE_ROWS;
    if (t->mve)
        sn_aot_line(n,
                    "sn_mve_window((int8_t *)win + %lld * tq + %s, %s, %s, %s, "
                    "%s, %lld, %d);",
                    (long long)t->k, place, x, at, lo, hi, run, (int)t->xz);
    else if (!t->dsp)
        sn_aot_line(n, "sn_window(win + %s%s, %s, %s, %s, %s, %lld, %lld, %d);",
                    rows ? ""
                         : sn_format(n->a, "%lld * tq + ", (long long)t->kp),
                    place, x, at, lo, hi, run, st, (int)t->xz);
    else if (t->quads)
        sn_aot_line(n,
                    "sn_quad_window(win%s, %s, %s, %s, %s, %s, %s, %lld, %d, "
                    "%d);",
                    rows ? "" : " + 2 * tq", quad_place(n, outer, false),
                    quad_place(n, outer, true), x, at, lo, hi, run, (int)t->xz,
                    rows ? 1 : 4);
    else
        sn_aot_line(n,
                    "sn_pair_window(win%s, %s, %s, %s, %s, %s, %lld, %lld, %d, "
                    "%d);",
                    rows ? "" : " + 2 * tq", place, x, at, lo, hi, run, st,
                    (int)t->xz, rows ? 1 : 4);
}

static void
gather(SnAotNode *n, const char *pixel)
{
    const SnAotTile *t = n->tile;
    int depth = n->depth;

    put_places(n, pixel);
    sn_aot_bounds(n);
    if (t->form == SN_TILE_WINDOWS && !sn_tile_pixel_step(n))
        sn_aot_line(n, "tat[tq] = %s;", out_of(n, NULL, t->pixels));
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if ((t->taps & ~t->run) >> v & 1) {
            sn_aot_line(n, "for (int i%u = 0; i%u < %lld; i%u++) {", v, v,
                        (long long)n->u.var[v].bound.v, v);
            n->depth++;
        }
    put_run(n);
    sn_tile_close(n, depth);
}

/* acc: the sum of filter tc of pixel tq, less what the filter's zero point
 * makes. */
static void
put_acc(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    bool rows = t->form == SN_TILE_ROWS;
    const char *z = sn_tile_zero(n, sn_format(n->a, "i%d", t->filter));
    const char *sum =
        rows     ? sn_format(n->a, "tacc[i%d - tf]", t->filter)
        : t->mve ? "tacc[tq]"
                 : sn_format(n->a, "tacc[2 * tq + i%d - tf]", t->filter);

    if (z)
        sn_aot_line(n, "const int32_t acc = sn_add32(%s, -%s * tsum[%s]);", sum,
                    z, rows ? "0" : "tq");
    else
        sn_aot_line(n, "const int32_t acc = %s;", sum);
}

/* Pixels of a tile. */
static int
tile_pixels(const SnTile *t)
{
    return t->npixel < 4 ? (int)t->npixel : 4;
}

/* The filter's constants stay in registers. */
void
sn_tile_pixels(SnAotNode *n)
{
    int depth = n->depth;

    sn_aot_line(n, "SN_UNROLL");
    sn_aot_line(n, "for (int tq = 0; tq < %d; tq++) {", tile_pixels(n->tile));
    n->depth++;
    put_acc(n);
    sn_aot_tile_lines(n);
    sn_tile_close(n, depth);
}

bool
sn_tile_plain(const SnAotNode *n, SnTilePlain *p)
{
    const SnTile *t = n->tile;
    uint32_t v = (uint32_t)t->filter;
    SnAffine f;

    return t->form == SN_TILE_WINDOWS && !t->wz && t->npixel >= 4 &&
           t->mp == t->nfilter && sn_tile_pixel_step(n) &&
           sn_aot_step(n, v) == 1 && sn_aot_tile_plain(n, p) &&
           n->u.nbeside > 0 &&
           sn_term_affine(&n->u.T, n->u.beside[0], f.k, &f.base) && f.k[v] == 1;
}

void
sn_tile_first_filter(SnAotNode *n, SnTilePlain *p, int copies)
{
    sn_aot_line(n, "const int i%d = 0;", n->tile->filter);
    n->open |= UINT32_C(1) << n->tile->filter;
    if (!p->each && copies == 2) {
        sn_aot_line(n, "const float tm[2] = {%s[0], %s[0]};", p->mult, p->mult);
        memcpy(p->mult, "tm", 3);
    }
    sn_aot_line(n, "const int tq = 0;");
    sn_aot_line(n, "(void)%s;", p->limit); /* it is that of the function */
}

/* All filters of four pixels by one call, for DSP instructions. */
static bool
put_plain(SnAotNode *n, const char *group)
{
    const SnTile *t = n->tile;
    SnTilePlain p;

    if (!t->dsp || !sn_tile_plain(n, &p))
        return false;
    sn_tile_first_filter(n, &p, 2);
    const char *at = sn_aot_tile_beside(n);
    const char *mult = p.each ? sn_format(n->a, "%s + %s", p.mult, at) : p.mult;
    sn_aot_line(n,
                "SnPut put = {win, %lld, %s + %s, %s, %d, %s + %s, %lld, %s, "
                "%lld};",
                (long long)(2 * t->kp), p.bias, at, mult, p.each ? 8 : 0,
                sn_aot_result(n, n->res), sn_aot_tile_out(n),
                (long long)sn_tile_pixel_step(n), p.zero,
                (long long)(t->mp / 2));
    sn_aot_line(n, "sn_put_windows(%s + (%s0) * %lld, &put);",
                sn_tile_filters(n), group, (long long)t->kp);
    return true;
}

static void
open_filters(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    bool rows = t->form == SN_TILE_ROWS;
    long long b = (long long)t->block, m = (long long)t->nfilter;
    int f = t->filter;
    const char *g =
        t->groups ? sn_format(n->a, "(%s) * %lld + ",
                              sn_tile_number(n, t->groups), (long long)t->mp)
                  : "";

    if (t->mve) {
        sn_tile_mve(n, g);
        return;
    }
    if (put_plain(n, g))
        return;
    if (t->wz)
        sn_aot_line(n, "sn_%s_sums(win, %lld, %d, tsum);",
                    t->dsp ? "pair" : "window", (long long)t->kp, rows ? 1 : 4);
    sn_aot_line(n, "for (int tf = 0; tf < %lld; tf += %lld) {", m, b);
    n->depth++;
    sn_aot_line(n, "int32_t tacc[%d];", rows ? 4 : 8);
    sn_aot_line(n, "sn_dot_%s%s(%s + (%stf) * %lld, win, %lld, tacc);",
                t->dsp ? "pair_" : "", rows ? "rows" : "windows",
                sn_tile_filters(n), g, (long long)t->kp, (long long)t->kp);
    if (rows && m % b == 0)
        sn_aot_line(n, "SN_UNROLL");
    sn_aot_line(n, "for (int i%d = tf; i%d < tf + %lld%s; i%d++) {", f, f, b,
                m % b ? sn_format(n->a, " && i%d < %lld", f, m) : "", f);
    n->depth++;
    n->open |= UINT32_C(1) << f;
    if (rows) {
        put_acc(n);
        sn_aot_tile_lines(n);
        return;
    }
    sn_aot_tile_hoist(n);
    sn_tile_pixels(n);
}

static void
open_windows(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    bool rows = t->form == SN_TILE_ROWS;
    bool gaps = t->kp != t->k || (!rows && t->npixel < 4);

    if (gaps)
        sn_aot_line(n, "memset(win, 0, %lu);", (unsigned long)t->scratch);
    sn_tile_loops(n, t->groups);
    if (t->wz)
        sn_aot_line(n, "int32_t tsum[%d];", rows ? 1 : 4);
    if (rows) {
        gather(n, "0");
        open_filters(n);
        return;
    }
    if (t->npixel % 4 && t->npixel > 4) {
        /* the last tile ends with the last pixel: some are made twice */
        sn_aot_line(n, "for (int tr = 0; tr < %lld; tr += 4) {",
                    (long long)t->npixel);
        n->depth++;
        sn_aot_line(n, "const int tp = sn_soft_min(tr, %lld);",
                    (long long)t->npixel - 4);
    } else {
        sn_aot_line(n, "for (int tp = 0; tp < %lld; tp += 4) {",
                    (long long)t->npixel);
        n->depth++;
    }
    if (t->direct) {
        open_filters(n);
        return;
    }
    if (!sn_tile_pixel_step(n))
        sn_aot_line(n, "int tat[4];");
    sn_aot_line(n, "for (int tq = 0; tq < %d; tq++) {", tile_pixels(t));
    n->depth++;
    gather(n, "(tp + tq)");
    sn_tile_close(n, n->depth - 1);
    open_filters(n);
}

void
sn_aot_tile_put(SnAotNode *n)
{
    int depth = n->depth;

    if (n->tile->form == SN_TILE_PLANE)
        sn_tile_plane(n);
    else
        open_windows(n);
    sn_tile_close(n, depth);
}
