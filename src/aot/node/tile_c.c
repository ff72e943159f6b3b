// SPDX-License-Identifier: Apache-2.0
/* Tiles as C: loops that gather what results read, sums of products by the
 * functions of dot.h, and loops in which the lines of the node's text turn
 * these sums into results. */
#include <string.h>

#include "aot/node/tile_help.h"

/* Names of the loops: tp first pixel of a tile, tq pixel of it, tat their
 * places in the result, tf first filter of a block, tacc sums, tsum sums of
 * windows, tw filters. */

/* ---- windows ---- */

/* Places of pixel number `pixel`. */
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

/* Where the fours of a run begin in a window, or its remaining elements. */
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

/* The call that gathers one run of a window. */
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
    else if (t->wide)
        sn_aot_line(n,
                    "sn_wide_window((int64_t *)(void *)win + %lld * (tq >> 1) "
                    "+ %s, tq & 1, %s, %s, %s, %s, %lld, %lld, %d);",
                    (long long)t->kp, place, x, at, lo, hi, run, st,
                    (int)t->xz);
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
        sn_aot_line(n, "tat[tq] = %s;", sn_tile_out_of(n, NULL, t->pixels));
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if ((t->taps & ~t->run) >> v & 1) {
            sn_aot_line(n, "for (int i%u = 0; i%u < %lld; i%u++) {", v, v,
                        (long long)n->u.var[v].bound.v, v);
            n->depth++;
        }
    put_run(n);
    sn_tile_close(n, depth);
}

/* Declares `put`, of all filters of the pixels from tp on, for DSP
 * instructions. */
static void
put_struct(SnAotNode *n, SnTilePlain *p)
{
    const SnAotTile *t = n->tile;

    sn_tile_first_filter(n, p, 2);
    const char *at = sn_aot_tile_beside(n);
    const char *mult =
        p->each ? sn_format(n->a, "%s + %s", p->mult, at) : p->mult;
    sn_aot_line(n,
                "SnPut put = {win, %lld, %s + %s, %s, %d, %s + %s, %lld, %s, "
                "%lld};",
                (long long)(2 * t->kp), p->bias, at, mult, p->each ? 8 : 0,
                sn_aot_result(n, n->res), sn_aot_tile_out(n),
                (long long)sn_tile_pixel_step(n), p->zero,
                (long long)(t->mp / 2));
}

/* All filters of four pixels by one call. */
static bool
put_plain(SnAotNode *n, const char *group)
{
    SnTilePlain p;

    if (!n->tile->dsp || !sn_tile_plain(n, &p))
        return false;
    put_struct(n, &p);
    sn_aot_line(n, "sn_put_windows(%s + (%s0) * %lld, &put);",
                sn_tile_filters(n), group, (long long)n->tile->kp);
    return true;
}

/* The filters of a group, as an offset before a sum. */
static const char *
group_of(SnAotNode *n)
{
    const SnAotTile *t = n->tile;

    return t->groups ? sn_format(n->a, "(%s) * %lld + ",
                                 sn_tile_number(n, t->groups), (long long)t->mp)
                     : "";
}

/* All pixels by one call, where windows are rows of x in their place: one
 * function that many nodes share. */
static bool
put_points(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnMapRead *r = sn_aot_read_of(n, t->x);
    int64_t step = sn_tile_even_step(n, t->pixels, t->off.k);
    SnTilePlain p;

    if (!t->dsp || t->mve || !t->quads || t->run != t->taps || t->k % 4 ||
        step <= 0 || !sn_tile_plain(n, &p))
        return false;
    for (int d = 0; d < r->box.rank; d++)
        if (!r->inside[d])
            return false;
    sn_aot_line(n, "const int tp = 0;");
    put_struct(n, &p);
    sn_aot_line(n,
                "sn_put_points(%s + (%s0) * %lld, %s + %s, win, %lld, %lld, "
                "%d, &put);",
                sn_tile_filters(n), group_of(n), (long long)t->kp,
                sn_aot_operand(n, t->x),
                sn_tile_linear(n, NULL, t->off.k, t->off.base, t->groups),
                (long long)step, (long long)t->npixel, (int)t->xz);
    return true;
}

static void
open_filters(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    bool rows = t->form == SN_TILE_ROWS;
    long long b = (long long)t->block, m = (long long)t->nfilter;
    int f = t->filter;
    const char *g = group_of(n);

    if (t->mve) {
        sn_tile_mve(n, g);
        return;
    }
    if (put_plain(n, g))
        return;
    if (t->wz && t->wide)
        sn_aot_line(n,
                    "sn_wide_sums((const int64_t *)(void *)win, %lld, tsum);",
                    (long long)t->kp);
    else if (t->wz)
        sn_aot_line(n, "sn_%s_sums(win, %lld, %d, tsum);",
                    t->dsp ? "pair" : "window", (long long)t->kp, rows ? 1 : 4);
    sn_aot_line(n, "for (int tf = 0; tf < %lld; tf += %lld) {", m, b);
    n->depth++;
    sn_aot_line(n, "int32_t tacc[%lld];", rows ? 4 : 4 * b);
    sn_aot_line(n, "sn_dot_%s%s(%s + (%stf) * %lld, %s, %lld, tacc);",
                t->dsp ? "pair_" : "",
                rows      ? "rows"
                : t->wide ? "wide"
                          : "windows",
                sn_tile_filters(n), g, (long long)t->kp,
                t->wide ? "(const int64_t *)(void *)win" : "win",
                (long long)t->kp);
    if (rows && m % b == 0)
        sn_aot_line(n, "SN_UNROLL");
    sn_aot_line(n, "for (int i%d = tf; i%d < tf + %lld%s; i%d++) {", f, f, b,
                m % b ? sn_format(n->a, " && i%d < %lld", f, m) : "", f);
    n->depth++;
    n->open |= UINT32_C(1) << f;
    if (rows) {
        sn_tile_acc(n);
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
    if (put_points(n))
        return;
    if (t->wz)
        sn_aot_line(n, "int32_t tsum[%d];", rows ? 1 : 4);
    if (rows) {
        gather(n, "0");
        open_filters(n);
        return;
    }
    if (t->npixel % 4 && t->npixel > 4) {
        /* the last tile ends with the last pixel: some are computed twice */
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
    sn_aot_line(n, "for (int tq = 0; tq < %d; tq++) {", sn_tile_count(t));
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
