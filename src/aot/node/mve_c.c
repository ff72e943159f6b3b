// SPDX-License-Identifier: Apache-2.0
/* Tiles for vectors (mve.h).  Four windows: codes are gathered as they are, or
 * read where they lie; one filter at a time.  Planes: the channel is laid out
 * with its borders, codes as they are, the zero point outside; four results
 * along the last axis are made at a time, a tap by one instruction. */
#include "aot/node/tile_help.h"

/* ---- windows ---- */

/* Where the first of four windows is. */
static const char *
windows_of(SnAotNode *n)
{
    const SnAotTile *t = n->tile;

    if (!t->direct)
        return "(const int8_t *)win";
    return sn_format(
        n->a, "%s + %s", sn_aot_operand(n, t->x),
        sn_tile_linear(n, sn_format(n->a, "%lld * tp", (long long)t->xstep),
                       t->off.k, t->off.base, t->groups));
}

static long long
stride_of(const SnAotTile *t)
{
    return (long long)(t->direct ? t->xstep : t->k);
}

static bool
put_plain(SnAotNode *n, const char *group)
{
    const SnAotTile *t = n->tile;
    SnTilePlain p;

    if (!sn_tile_plain(n, &p))
        return false;
    sn_tile_first_filter(n, &p, 1);
    const char *at = sn_aot_tile_beside(n);
    sn_aot_line(
        n,
        "const SnMvePut put = {%s, %lld, %lld, %d, %s + %s, %s, %d, "
        "%s + %s, %lld, %s, %lld};",
        windows_of(n), stride_of(t), (long long)t->k, (int)t->xz, p.bias, at,
        p.each ? sn_format(n->a, "%s + %s", p.mult, at) : p.mult, p.each,
        sn_aot_result(n, n->res), sn_aot_tile_out(n),
        (long long)sn_tile_pixel_step(n), p.zero, (long long)t->nfilter);
    sn_aot_line(n, "sn_mve_put(%s + (%s0) * %lld, &put);", sn_tile_filters(n),
                group, (long long)t->k);
    return true;
}

void
sn_tile_mve(SnAotNode *n, const char *group)
{
    const SnAotTile *t = n->tile;

    if (put_plain(n, group))
        return;
    sn_aot_line(n, "for (int tf = 0; tf < %lld; tf++) {",
                (long long)t->nfilter);
    n->depth++;
    sn_aot_line(n, "int32_t tacc[4];");
    sn_aot_line(n, "sn_mve_dots(%s + (%stf) * %lld, %s, %lld, %lld, %d, tacc);",
                sn_tile_filters(n), group, (long long)t->k, windows_of(n),
                stride_of(t), (long long)t->k, (int)t->xz);
    sn_aot_line(n, "const int i%d = tf;", t->filter);
    n->open |= UINT32_C(1) << t->filter;
    sn_aot_tile_hoist(n);
    sn_tile_pixels(n);
}

/* ---- planes ---- */

void
sn_tile_fill_lanes(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnTileAxis *in = &t->axis[t->naxis - 1];
    const SnTileAxis *out = t->naxis == 2 ? &t->axis[0] : NULL;
    int64_t lo = 0, hi = 1, lo1, hi1;

    if (out)
        sn_tile_inside(t, 0, &lo, &hi);
    sn_tile_inside(t, t->naxis - 1, &lo1, &hi1);
    const char *from = sn_tile_linear(
        n, NULL, t->off.k,
        t->off.base + (out ? lo * out->stride : 0) + lo1 * in->stride,
        (t->groups | t->pixels) & ~sn_tile_walked(t));
    sn_aot_line(n,
                "sn_mve_plane((int8_t *)win + %lld, %s + (%s), %lld, %lld, "
                "%lld, %lld, %lld);",
                (long long)(lo * t->pitch + lo1), sn_aot_operand(n, t->x), from,
                (long long)(hi - lo), (long long)(hi1 - lo1),
                (long long)(out ? out->stride : 0), (long long)in->stride,
                (long long)t->pitch);
}

/* The initial value of all results of a channel: the zero point's part of their
 * sums, and more. */
static const char *
first_of(SnAotNode *n, const char *more)
{
    const SnAotTile *t = n->tile;
    SnBuf b;

    sn_buf_init(&b, n->a);
    for (int64_t k = 0; k < t->k; k++)
        sn_putf(&b, "%stw%lld", k ? " + " : "", (long long)k);
    const char *less =
        t->xz == 0 ? "0"
                   : sn_format(n->a, "%d * (%s)", -(int)t->xz, sn_buf_str(&b));
    return more ? sn_format(n->a, "sn_add32(%s, %s)", less, more) : less;
}

/* Sums of four results, tx: where their windows begin. */
static void
put_sums(SnAotNode *n, const SnTileAxis *in)
{
    const SnAotTile *t = n->tile;

    sn_aot_line(n, "SnFour ta = first;");
    for (int64_t k = 0; k < t->k; k++) {
        long long at = (long long)sn_tile_tap_at(n, k);
        if (in->step == 1)
            sn_aot_line(n, "ta = sn_mve_tap(ta, tx + %lld, tw%lld);", at,
                        (long long)k);
        else
            sn_aot_line(n, "ta = sn_mve_tap_at(ta, tx + %lld, from, tw%lld);",
                        at, (long long)k);
    }
}

/* Results of one place each, by the lines of the text. */
static void
put_lines(SnAotNode *n, const SnTileAxis *in)
{
    int depth = n->depth;

    sn_aot_line(n, "int32_t tacc[4];");
    sn_aot_line(n, "sn_mve_sums(ta, tacc);");
    sn_aot_line(n, "for (int tq = 0; tq < 4; tq++) {");
    n->depth++;
    sn_aot_line(n, "const int i%d = tj + tq;", in->place);
    sn_aot_line(n, "const int32_t acc = tacc[tq];");
    n->open |= UINT32_C(1) << in->place;
    sn_aot_tile_lines(n);
    sn_tile_close(n, depth);
}

/* A row of results, from tx on; the last four end with its last: some are
 * computed twice.  plain: what is done with sums; NULL: what the text says. */
static void
put_row(SnAotNode *n, const SnTileAxis *in, const SnTilePlain *plain)
{
    long long count = (long long)n->u.var[in->place].bound.v;
    long long step = (long long)sn_aot_step(n, (uint32_t)in->place);
    int depth = n->depth;

    for (int last = 0; last <= (count % 4 ? 1 : 0); last++) {
        if (last) {
            long long back = 4 - count % 4;
            sn_aot_line(n, "tx -= %lld;", back * (long long)in->step);
            sn_aot_line(n, plain ? "ty -= %lld;" : "const int tj = %lld;",
                        plain ? back * step : count - 4);
        } else {
            sn_aot_line(n, "for (int tj = 0; tj < %lld; tj += 4) {",
                        count - count % 4);
            n->depth++;
        }
        put_sums(n, in);
        if (plain)
            sn_aot_line(n, "sn_mve_codes(ta, tm, %s, ty, to);", plain->zero);
        else
            put_lines(n, in);
        if (last)
            break;
        sn_aot_line(n, "tx += %lld;", 4 * (long long)in->step);
        if (plain)
            sn_aot_line(n, "ty += %lld;", 4 * step);
        sn_tile_close(n, depth);
    }
}

/* The beginning of a row of results. */
static void
put_starts(SnAotNode *n, const SnTileAxis *in, bool plain)
{
    const SnAotTile *t = n->tile;
    const SnTileAxis *out = t->naxis == 2 ? &t->axis[0] : NULL;
    const char *row =
        out && out->place >= 0
            ? sn_format(n->a, " + %lld * i%d",
                        (long long)(out->step * t->pitch), out->place)
            : "";

    sn_aot_line(n, "const int8_t *tx = (const int8_t *)win%s;", row);
    if (plain)
        sn_aot_line(n, "int8_t *ty = %s + %s;", sn_aot_result(n, n->res),
                    sn_tile_out_of(n, NULL,
                                   (t->groups | t->pixels) &
                                       ~(UINT32_C(1) << in->place)));
}

void
sn_tile_lanes(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnTileAxis *in = &t->axis[t->naxis - 1];
    SnTilePlain p;
    bool plain = !t->wz && sn_aot_tile_plain(n, &p) && n->u.nbeside > 0;

    sn_tile_taps(n);
    if (in->step != 1)
        sn_aot_line(n, "const SnFour from = sn_mve_places(%lld);",
                    (long long)in->step);
    if (plain) {
        const char *at = sn_aot_tile_beside(n);
        sn_aot_line(n, "const SnFour first = sn_mve_same(%s);",
                    first_of(n, sn_format(n->a, "%s[%s]", p.bias, at)));
        sn_aot_line(n, "const float tm = %s[%s];", p.mult, p.each ? at : "0");
        sn_aot_line(n, "const SnFour to = sn_mve_places(%lld);",
                    (long long)sn_aot_step(n, (uint32_t)in->place));
        sn_aot_line(n, "(void)%s;", p.limit);
    } else {
        sn_aot_line(n, "const SnFour first = sn_mve_same(%s);",
                    first_of(n, NULL));
        sn_aot_tile_hoist(n);
    }
    sn_tile_loops(n, sn_tile_walked(t) & ~(UINT32_C(1) << in->place));
    put_starts(n, in, plain);
    put_row(n, in, plain ? &p : NULL);
}
