// SPDX-License-Identifier: Apache-2.0
/* Tiles of four windows for vectors (mve.h): codes are gathered as they are, or
 * met where they lie; one filter at a time. */
#include "aot/tile_help.h"

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
