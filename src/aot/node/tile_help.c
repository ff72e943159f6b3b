// SPDX-License-Identifier: Apache-2.0
/* What loops of windows and planes share. */
#include <string.h>

#include "aot/node/tile_help.h"

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

const char *
sn_tile_out_of(SnAotNode *n, const char *first, uint32_t vars)
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
sn_tile_even_step(const SnAotNode *n, uint32_t vars, const int64_t *k)
{
    int64_t below = 1, first = 0;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        int64_t b = n->u.var[v].bound.v;
        if (!(vars >> v & 1) || b == 1)
            continue;
        first = first ? first : k[v];
        if (k[v] != first * below)
            return 0;
        below *= b;
    }
    return first;
}

int64_t
sn_tile_pixel_step(const SnAotNode *n)
{
    int64_t k[SN_MAP_NVAR];

    for (uint32_t v = 0; v < n->u.nvar; v++)
        k[v] = sn_aot_step(n, v);
    return sn_tile_even_step(n, n->tile->pixels, k);
}

const char *
sn_aot_tile_out(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    uint32_t rest = t->groups | filter_bit(t);
    long long step = (long long)sn_tile_pixel_step(n);

    if (t->form != SN_TILE_WINDOWS)
        return sn_tile_out_of(n, NULL, rest | t->pixels);
    return sn_tile_out_of(
        n,
        step ? sn_format(n->a, "%lld * tp + %lld * tq", step, step) : "tat[tq]",
        rest);
}

/* The parameter that holds them, packed or as they are. */
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

/* ---- results of windows ---- */

/* acc: the sum of a filter and pixel tq, less the filter's zero point's
 * part. */
void
sn_tile_acc(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    bool rows = t->form == SN_TILE_ROWS;
    const char *z = sn_tile_zero(n, sn_format(n->a, "i%d", t->filter));
    const char *sum = rows     ? sn_format(n->a, "tacc[i%d - tf]", t->filter)
                      : t->mve ? "tacc[tq]"
                               : sn_format(n->a, "tacc[%lld * tq + i%d - tf]",
                                           (long long)t->block, t->filter);

    if (z)
        sn_aot_line(n, "const int32_t acc = sn_add32(%s, -%s * tsum[%s]);", sum,
                    z, rows ? "0" : "tq");
    else
        sn_aot_line(n, "const int32_t acc = %s;", sum);
}

/* Pixels of a tile. */
int
sn_tile_count(const SnAotTile *t)
{
    return t->npixel < 4 ? (int)t->npixel : 4;
}

/* The filter's constants stay in registers. */
void
sn_tile_pixels(SnAotNode *n)
{
    int depth = n->depth;

    sn_aot_line(n, "SN_UNROLL");
    sn_aot_line(n, "for (int tq = 0; tq < %d; tq++) {", sn_tile_count(n->tile));
    n->depth++;
    sn_tile_acc(n);
    sn_aot_tile_lines(n);
    sn_tile_close(n, depth);
}

bool
sn_tile_plain(const SnAotNode *n, SnTilePlain *p)
{
    const SnAotTile *t = n->tile;
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
