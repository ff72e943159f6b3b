// SPDX-License-Identifier: Apache-2.0
/* Draws attributes that a map needs, and shapes of leaves that it reads. */
#include "dsl/prove/trial/prove_mapping.h"

#include <string.h>

static SnExprValue
ints(SnProofCase *c, uint32_t n, const int64_t *x)
{
    double *v = SN_NEW_N(c->a, double, n + 1);

    for (uint32_t i = 0; i < n; i++)
        v[i] = (double)x[i];
    return (SnExprValue){.ty = SN_TY_INTS, .n = n, .list = v};
}

static void
set_ints(SnProofCase *c, SnCaseNode *n, unsigned arg, uint32_t k,
         const int64_t *x)
{
    SnExprValue *v = sn_case_map_attr(n, arg);

    if (v && !v->given)
        *v = ints(c, k, x);
}

/* Axis k of r, from either end. */
static double
an_axis(SnProofCase *c, uint32_t k, int r)
{
    return sn_case_chance(c, 30) ? (double)k - r : k;
}

/* Sets an axis argument, unless the pattern does; returns the axis, or -1 if x
 * has no such axis. */
static int
draw_axis(SnProofCase *c, SnCaseNode *n, unsigned arg, double els,
          const SnCaseValue *x)
{
    SnExprValue *v = sn_case_map_attr(n, arg);

    if (v && !v->given && x->rank > 0)
        v->r = an_axis(c, sn_case_below(c, (uint32_t)x->rank), x->rank);
    return sn_case_axis(x, sn_case_map_num(n, arg, els));
}

static void
set_num(SnExprValue *v, double r)
{
    if (v && !v->given)
        v->r = r;
}

/* ---- drawing for maps ---- */

static void
some_shape(SnProofCase *c, int rank, int64_t *d)
{
    for (int i = 0; i < rank; i++)
        d[i] = 1 + sn_case_about(c, rank < 3 && c->wide ? 6 : 3);
}

/* The rank above 2 of stacked matrices that the condition names, or 0. */
static int
many_matrices(const SnProofCase *c)
{
    for (uint32_t i = 0; c->map == SN_MW_MATMUL && c->shaped && i < c->nnumber;
         i++)
        if (c->number[i] == 3 || c->number[i] == 4)
            return (int)c->number[i];
    return 0;
}

/* Shapes that the map of the left side takes. */
static int
likely_shape(SnProofCase *c, int64_t *d)
{
    static const int64_t mat[3][2] = {{2, 3}, {3, 3}, {3, 2}};
    static const int64_t pic[3][4] = {{1, 3, 3, 2}, {2, 2, 2, 2}, {2, 1, 2, 2}};
    uint32_t k = sn_case_below(c, 4);

    if (c->map == SN_MW_TABLE) {
        d[0] = 256;
        return 1;
    }
    if (c->map == SN_MW_SPACE_TO_DEPTH || c->map == SN_MW_DEPTH_TO_SPACE) {
        for (int i = 0; i < 4; i++)
            d[i] = i ? 4 << (c->wide && sn_case_chance(c, 20)) : 1;
        if (c->wide && sn_case_chance(c, 50)) { /* threes */
            d[1] = d[2] = 6;
            d[3] = 9 << sn_case_chance(c, 50);
        }
        return 4;
    }
    bool m = c->map == SN_MW_MATMUL;
    if (c->wide) { /* fits the following nodes less often */
        some_shape(c, m ? 2 : 4, d);
        return m ? 2 : 4;
    }
    if (k == 3) {
        d[0] = m ? 3 : 2;
        return 1;
    }
    int many = many_matrices(c);
    if (many && sn_case_chance(c, 50)) {
        for (int i = 0; i < many - 2; i++)
            d[i] = 1 + sn_case_below(c, 2);
        memcpy(d + many - 2, mat[k], 2 * sizeof *d);
        return many;
    }
    memcpy(d, m ? mat[k] : pic[k], (m ? 2 : 4) * sizeof *d);
    return m ? 2 : 4;
}

/* A rank or a dimension that the rule's condition names. */
static int
named_shape(SnProofCase *c, int rank, int64_t *d)
{
    double v = c->number[sn_case_below(c, c->nnumber)];

    if (v != (int)v || v < 0)
        return rank;
    if (v >= 1 && v <= SN_CASE_RANK && sn_case_chance(c, 50)) {
        rank = (int)v;
        some_shape(c, rank, d);
    } else if (v > 0 && v <= 128 && rank > 0) {
        d[sn_case_below(c, (uint32_t)rank)] = (int64_t)v;
    }
    return rank;
}

/* The shape of a leaf with the same place as t in another operand: rules of
 * several moves are about operands that are moved alike, and a family's list of
 * operands is of parts that differ along one axis. */
static bool
shape_alike(SnProofCase *c, SnCaseValue *t)
{
    const SnCaseValue *x = c->twin ? c->twin : c->regrouped;
    bool part = c->pr->derive && c->in_each;

    if (!x && part && c->each > 0)
        x = c->first;
    if (c->flat || !x || !sn_case_chance(c, 75))
        return false;
    int64_t d[SN_CASE_RANK];
    memcpy(d, x->dim, sizeof d);
    if (part && x->rank > 0 && sn_case_chance(c, 40))
        d[sn_case_below(c, (uint32_t)x->rank)] = 1 + sn_case_below(c, 3);
    sn_case_set_shape(t, x->rank, d);
    return true;
}

static void
base_shape(SnProofCase *c, SnCaseValue *t)
{
    int64_t d[SN_CASE_RANK] = {256};
    int rank = 1;

    if (shape_alike(c, t))
        return;
    if (!c->flat) {
        rank = sn_case_chance(c, 60) ? 4 : 1 + (int)sn_case_below(c, 3);
        some_shape(c, rank, d);
        if (c->map && sn_case_chance(c, 85))
            rank = likely_shape(c, d);
        bool fits = rank > 1 && many_matrices(c);
        for (int i = 0; c->shaped && c->nnumber && i < 2 && !fits; i++)
            if (sn_case_chance(c, 60))
                rank = named_shape(c, rank, d);
    }
    sn_case_set_shape(t, rank, d);
    if (c->in_each && c->each == 0)
        c->first = t;
}

/* The end of base's shape, some dimensions 1; where all maps are element by
 * element, one element or twice as many. */
static void
other_shape(SnProofCase *c, SnCaseValue *x, const SnCaseValue *base)
{
    int64_t d[SN_CASE_RANK];
    int r = (int)sn_case_below(c, (uint32_t)base->rank + 1);

    if (c->flat) {
        d[0] = 2;
        d[1] = base->rank == 1 ? base->n : 1;
        if (sn_case_chance(c, 50) || base->rank != 1)
            d[0] = 1;
        sn_case_set_shape(x, d[0] == 1 ? 1 : 2, d);
        return;
    }
    if (sn_case_chance(c, 40))
        r = base->rank;
    else if (base->rank > 0 && sn_case_chance(c, 50))
        r = 1;
    for (int i = 0; i < r; i++) {
        d[i] = base->dim[base->rank - r + i];
        if (sn_case_chance(c, 40))
            d[i] = d[i] == 1 ? 2 : 1;
    }
    sn_case_set_shape(x, r, d);
}

static void
draw_broadcast(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *base = NULL;
    uint32_t how = sn_case_below(c, 4);

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank >= 0 && (!base || n->in[s]->n > base->n))
            base = n->in[s];
    for (uint32_t s = 0; s < n->nin; s++) {
        SnCaseValue *x = n->in[s];
        if (!x || x->rank >= 0)
            continue;
        if (!base) {
            base_shape(c, x);
            if (n == c->root && !c->flat && sn_case_chance(c, 4))
                sn_case_set_shape(x, 0, x->dim);
            base = x;
            continue;
        }
        if (sn_case_chance(c, c->flat ? 8 : 25)) {
            other_shape(c, x, base);
            continue;
        }
        uint32_t k = n->nin > 2 ? how & 1 : how;
        if (k < 2 && base->rank > 0 && (k || n->nin > 2) && !c->flat)
            sn_case_set_shape(x, 1, &base->dim[base->rank - 1]);
        else
            sn_case_set_shape(x, base->rank, base->dim);
    }
}

/* An operand other than those multiplied that already has a shape, that of the
 * result. */
static const SnCaseValue *
result_beside(const SnCaseNode *n)
{
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank == 4 &&
            n->in[s] != sn_case_map_port(n, 0) &&
            n->in[s] != sn_case_map_port(n, 1))
            return n->in[s];
    return NULL;
}

/* A convolution of one group whose result has y's shape: steps of 1, and pads
 * that make up for the window. */
static void
draw_conv_to(SnProofCase *c, SnCaseNode *n, const SnCaseValue *y)
{
    SnCaseValue *x = sn_case_map_port(n, 0), *w = sn_case_map_port(n, 1);
    SnExprValue *ka = sn_case_attr(n, "kernel");
    int64_t in = 1 + sn_case_below(c, 3), k[2], p[4], one[2] = {1, 1};

    for (uint32_t i = 0; i < 2; i++) {
        k[i] = 1 + sn_case_about(c, 2);
        p[i] = (int64_t)sn_case_below(c, (uint32_t)k[i]);
        p[i + 2] = k[i] - 1 - p[i];
    }
    sn_case_set_shape(x, 4, (int64_t[]){y->dim[0], y->dim[1], y->dim[2], in});
    sn_case_set_shape(w, 4, (int64_t[]){y->dim[3], k[0], k[1], in});
    if (ka && !ka->given)
        *ka = ints(c, 2, k);
    set_ints(c, n, 2, 2, one);
    set_ints(c, n, 3, 4, p);
    set_ints(c, n, 4, 2, one);
}

static void
draw_conv(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *x = sn_case_map_port(n, 0), *w = sn_case_map_port(n, 1);
    const SnCaseValue *y = result_beside(n);

    if (y && x && w && x->rank < 0 && w->rank < 0 && sn_case_chance(c, 90)) {
        draw_conv_to(c, n, y);
        return;
    }
    int64_t g = sn_case_chance(c, 15) ? 2 : 1;
    int64_t xd[4] = {1, 2 + sn_case_about(c, 2), 2 + sn_case_about(c, 2),
                     g * (1 + sn_case_below(c, g > 1 ? 2 : 3))};
    int64_t k[2] = {1 + sn_case_about(c, 2), 1 + sn_case_about(c, 2)};
    int64_t st[2] = {1, 1}, dl[2] = {1, 1}, p[4] = {0, 0, 0, 0};
    SnExprValue *ka = sn_case_attr(n, "kernel"), *ga = sn_case_map_attr(n, 5);

    if (c->wide && sn_case_chance(c, 40))
        xd[0] = 2;
    if (ga && ga->given && ga->r >= 1 && ga->r <= 16)
        g = xd[3] = (int64_t)ga->r;
    for (uint32_t i = 0; ka && ka->given && i < 2; i++)
        if (sn_case_at(ka, i) >= 1 && sn_case_at(ka, i) <= 16)
            k[i] = sn_case_at(ka, i);

    if (x && x->rank < 0)
        sn_case_set_shape(x, 4, xd);
    if (!ga || !x || x->rank != 4 || x->dim[3] % g)
        g = 1; /* for another group the shapes do not fit */
    if (w && w->rank < 0 && x && x->rank == 4) {
        int64_t wd[4] = {g * (1 + sn_case_below(c, g > 1 ? 2 : 3)), k[0], k[1],
                         x->dim[3] / g};
        sn_case_set_shape(w, 4, wd);
        set_num(ga, (double)g);
    }
    if (ka && !ka->given && w && w->rank == 4)
        *ka = ints(c, 2, &w->dim[1]);
    for (uint32_t i = 0; i < 4; i++) {
        p[i] = sn_case_chance(c, 20);
        st[i & 1] = 1 + sn_case_chance(c, 15);
        dl[i & 1] = 1 + sn_case_chance(c, 10);
    }
    for (uint32_t i = 0; i < 4 && c->wide; i++)
        if (sn_case_chance(c, 40)) {
            p[i] = sn_case_about(c, 2);
            st[i & 1] = 1 + sn_case_about(c, 1);
            dl[i & 1] = 1 + sn_case_below(c, 1 + c->wide);
        }
    set_ints(c, n, 2, 2, st);
    set_ints(c, n, 3, 4, p);
    set_ints(c, n, 4, 2, dl);
}

static void
draw_pool(SnProofCase *c, SnCaseNode *n, SnCaseValue *x)
{
    int64_t k[2], st[2], dl[2], p[4] = {0, 0, 0, 0};

    if (x->rank < 0) {
        int64_t d[4] = {1 + (c->wide > 0), 2 + sn_case_below(c, 3),
                        2 + sn_case_below(c, 3), 1 + sn_case_below(c, 2)};
        d[1] += 3 * c->wide;
        d[2] += 3 * c->wide;
        sn_case_set_shape(x, 4, d);
    }
    bool one = sn_case_chance(c, 45); /* nearly a window of one element */
    for (int i = 0; i < 2; i++) {
        k[i] = 1 + sn_case_about(c, 3);
        st[i] = 1 + sn_case_about(c, 2);
        dl[i] = 1 + sn_case_chance(c, 15);
        if (one && sn_case_chance(c, 85))
            k[i] = 1;
        if (one && sn_case_chance(c, 85))
            st[i] = 1;
        p[i] = k[i] > 1 && sn_case_chance(c, 40);
        p[i + 2] = k[i] > 1 && sn_case_chance(c, 40);
    }
    for (uint32_t i = 0; i < 4 && c->wide && !one; i++)
        p[i] = sn_case_below(c, (uint32_t)k[i & 1]);
    if (one && sn_case_chance(c, 20))
        p[sn_case_below(c, 4)] = 1;
    set_ints(c, n, 1, 2, k);
    set_ints(c, n, 2, 2, st);
    set_ints(c, n, 3, 4, p);
    set_ints(c, n, 4, 2, dl);
}

static const SnExprValue *
perm_above(const SnCaseValue *x)
{
    return x->def && x->def->n->nin == 1 && x->def->n->rsem[0]->map &&
                   sn_case_map_is(x->def, SN_MW_PERMUTE)
               ? sn_case_map_list(x->def, 1)
               : NULL;
}

/* For a permutation that the pattern gives: likely shapes have few ranks. */
static void
written_rank(SnProofCase *c, const SnCaseNode *n, SnCaseValue *x)
{
    const SnExprValue *p = sn_case_map_attr(n, 1);
    int64_t d[SN_CASE_RANK];

    if (!p || !p->given || p->n > SN_CASE_RANK || c->flat)
        return;
    some_shape(c, (int)p->n, d);
    sn_case_set_shape(x, (int)p->n, d);
}

static void
draw_permute(SnProofCase *c, SnCaseNode *n, SnCaseValue *x)
{
    int64_t p[SN_CASE_RANK];
    const SnExprValue *up = perm_above(x);

    for (int i = 0; i < x->rank; i++)
        p[i] = i;
    if (c->twin && c->twin->rank == x->rank && sn_case_chance(c, 70)) {
        for (int i = 0; i < x->rank; i++)
            p[i] = (int64_t)c->perm[i];
    } else if (up && sn_case_chance(c, 30)) {
        for (uint32_t i = 0; i < up->n; i++)
            p[sn_case_at(up, i)] = i;
    } else if (!sn_case_chance(c, 25)) {
        for (int i = x->rank - 1; i > 0; i--) {
            int j = (int)sn_case_below(c, (uint32_t)i + 1);
            int64_t t = p[i];
            p[i] = p[j];
            p[j] = t;
        }
    }
    set_ints(c, n, 1, (uint32_t)x->rank, p);
    c->twin = x;
    c->perm = sn_case_map_list(n, 1)->list;
}

/* ONNX's scale next to the dimensions: the ratio, none, or nearly the ratio. */
static void
draw_scales(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x,
            const int64_t *dim)
{
    SnExprValue *v = sn_case_map_attr(n, 2);
    uint32_t r = (uint32_t)x->rank;
    double *s = SN_NEW_N(c->a, double, r + 1);

    for (uint32_t i = 0; i < r; i++) {
        s[i] = x->dim[i] ? (double)dim[i] / (double)x->dim[i] : 1;
        if (sn_case_chance(c, 20))
            s[i] += 0.3 * sn_case_unit(c);
        s[i] = (double)(float)(s[i] > 0 ? s[i] : 1);
    }
    if (v && !v->given)
        *v = (SnExprValue){
            .ty = SN_TY_REALS, .n = sn_case_chance(c, 25) ? 0 : r, .list = s};
}

static void
draw_slice(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, bool noop)
{
    int64_t v[SN_CASE_RANK] = {0}, w[SN_CASE_RANK], st[SN_CASE_RANK];
    uint32_t r = (uint32_t)x->rank;

    for (uint32_t i = 0; i < r; i++) {
        w[i] = x->dim[i];
        st[i] = 1;
    }
    for (uint32_t i = 0; i < r && !noop; i++) {
        if (x->dim[i] == 0)
            continue;
        v[i] = sn_case_below(c, (uint32_t)x->dim[i]);
        w[i] = 1 + sn_case_below(c, (uint32_t)(x->dim[i] - v[i]));
        if (v[i] + 2 * (w[i] - 1) < x->dim[i] && sn_case_chance(c, 60))
            st[i] = 2;
        if (c->wide && sn_case_chance(c, 60)) { /* any step that fits */
            int64_t room = x->dim[i] - 1 - v[i];
            st[i] = 1 + sn_case_below(c, (uint32_t)(room ? room : 1));
            w[i] = (x->dim[i] - 1 - v[i]) / st[i] + 1;
        }
    }
    for (uint32_t i = 0; i < r; i++)
        if (x->dim[i] > 0 && sn_case_chance(c, 15)) { /* backwards */
            v[i] = x->dim[i] - 1;
            w[i] = x->dim[i];
            st[i] = -1;
        }
    set_ints(c, n, 1, r, v);
    set_ints(c, n, 2, r, w);
    set_ints(c, n, 3, r, st);
}

static void
draw_pads(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, bool noop)
{
    int64_t v[2 * SN_CASE_RANK] = {0};
    uint32_t r = (uint32_t)x->rank;
    bool reflect = sn_word_named(sn_case_map_word(n, 2)) == SN_W_REFLECT;
    for (uint32_t i = 0; i < 2 * r && !noop; i++)
        v[i] = reflect && x->dim[i % r] < 2 ? 0 : sn_case_chance(c, 30);
    bool inner = c->wide && r == 4 && sn_case_chance(c, 60);
    for (uint32_t i = 0; i < 2 * r && !noop && c->wide; i++)
        if (inner && (i % 4 == 0 || i % 4 == 3)) /* only rows, only columns */
            v[i] = 0;
        else if (sn_case_chance(c, 30)) /* below 0: cropped */
            v[i] = (int64_t)sn_case_about(c, 3) - 1 - (c->wide > 1);
    set_ints(c, n, 1, 2 * r, v);
}

static void
draw_lists(SnProofCase *c, SnCaseNode *n, SnCaseValue *x)
{
    int64_t v[2 * SN_CASE_RANK] = {0}, w[SN_CASE_RANK], st[SN_CASE_RANK];
    uint32_t r = (uint32_t)x->rank;
    bool noop = sn_case_chance(c, 35);

    for (uint32_t i = 0; i < r; i++) {
        w[i] = x->dim[i];
        st[i] = 1;
    }
    if (sn_case_map_is(n, SN_MW_SLICE)) {
        draw_slice(c, n, x, noop);
    } else if (sn_case_map_is(n, SN_MW_TILE)) {
        for (uint32_t i = 0; i < r && !noop; i++)
            st[i] = 1 + sn_case_about(c, 2);
        set_ints(c, n, 1, r, st);
    } else if (sn_case_map_is(n, SN_MW_FLIP)) {
        uint32_t k = 0;
        for (uint32_t i = 0; i < r && !noop; i++)
            if (sn_case_chance(c, 50))
                v[k++] = (int64_t)an_axis(c, i, x->rank);
        set_ints(c, n, 1, k, v);
    } else if (sn_case_map_is(n, SN_MW_PAD)) {
        draw_pads(c, n, x, noop);
    } else if (sn_case_map_is(n, SN_MW_NEAREST)) {
        for (uint32_t i = 0; i < r; i++)
            w[i] *= 1 + (i > 0 && sn_case_chance(c, 50));
        for (uint32_t i = 0; i < r && c->wide; i++)
            if (sn_case_chance(c, 40))
                w[i] = 1 + sn_case_below(c, 3 * (uint32_t)x->dim[i]);
        set_ints(c, n, 1, r, w);
        if (c->wide) {
            draw_scales(c, n, x, w);
            return;
        }
        for (uint32_t i = 0; i < r; i++)
            st[i] = x->dim[i] ? w[i] / x->dim[i] : 1;
        set_ints(c, n, 2, sn_case_chance(c, 15) ? 0 : r, st);
    }
}

static void
draw_reshape(SnProofCase *c, SnCaseNode *n, SnCaseValue *x)
{
    int64_t flat[1] = {-1}, two[2] = {x->rank ? x->dim[0] : 1, -1};
    int64_t d[SN_CASE_RANK];
    const SnCaseValue *y = x->leaf ? c->regrouped : NULL;
    bool alike = y && y->rank == x->rank &&
                 !memcmp(y->dim, x->dim, (size_t)x->rank * sizeof *x->dim);

    if (alike && sn_case_chance(c, 75)) {
        SnExprValue *v = sn_case_map_attr(n, 1);
        if (v && !v->given)
            *v = *c->dims;
    } else if (sn_case_chance(c, 25)) {
        set_ints(c, n, 1, (uint32_t)x->rank, x->dim);
    } else if (x->rank > 1 && sn_case_chance(c, 35)) {
        /* the same dimensions elsewhere */
        memcpy(d, x->dim, (size_t)x->rank * sizeof *d);
        uint32_t i = sn_case_below(c, (uint32_t)x->rank);
        uint32_t k = sn_case_below(c, (uint32_t)x->rank);
        int64_t t = d[i];
        d[i] = d[k];
        d[k] = t;
        set_ints(c, n, 1, (uint32_t)x->rank, d);
    } else if (x->rank != 4 && sn_case_chance(c, 30)) {
        /* a picture of it */
        d[0] = d[3] = 1;
        d[1] = x->rank ? x->dim[0] : 1;
        d[2] = -1;
        set_ints(c, n, 1, 4, d);
    } else if (sn_case_chance(c, 50)) {
        set_ints(c, n, 1, 1, flat);
    } else {
        set_ints(c, n, 1, 2, two);
    }
    if (x->leaf) {
        c->regrouped = x;
        c->dims = sn_case_map_list(n, 1);
    }
}

/* The one axis along which the operands differ, or -1. */
static int
parts_axis(const SnCaseNode *n)
{
    const SnCaseValue *x = n->in[0];
    int ax = -1;

    for (uint32_t s = 1; s < n->nin; s++) {
        const SnCaseValue *y = n->in[s];
        if (!x || !y || x->rank != y->rank)
            return -1;
        for (int i = 0; i < x->rank; i++) {
            if (x->dim[i] == y->dim[i] || i == ax)
                continue;
            if (ax >= 0)
                return -1;
            ax = i;
        }
    }
    return ax;
}

static void
draw_concat(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *base = NULL;

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank >= 0)
            base = n->in[s];
    for (uint32_t s = 0; s < n->nin; s++) {
        if (!n->in[s] || n->in[s]->rank >= 0)
            continue;
        if (base)
            sn_case_set_shape(n->in[s], base->rank, base->dim);
        else
            base_shape(c, n->in[s]);
        base = n->in[s];
    }
    if (!base)
        return;
    draw_axis(c, n, 1, 0, base);
    int ax = c->pr->derive ? parts_axis(n) : -1;
    if (ax >= 0)
        set_num(sn_case_map_attr(n, 1), an_axis(c, (uint32_t)ax, base->rank));
}

/* The rest: operands that the map does not index; biases have one per channel,
 * others one for each result. */
static void
draw_vectors(SnCaseNode *n)
{
    SnCaseValue *y = n->out[0];

    for (uint32_t s = 0; s < n->nin; s++) {
        if (!n->in[s] || n->in[s]->rank >= 0 || y->rank <= 0)
            continue;
        if (n->n->in[n->port[s]]->fact == SN_PIN)
            sn_case_set_shape(n->in[s], 1, &y->dim[y->rank - 1]);
        else
            sn_case_set_shape(n->in[s], y->rank, y->dim);
    }
}

static void
shape_leaf_above(SnCaseValue *x)
{
    /* An unshaped Splat takes the shape it was given by its reader. */
    if (x && x->def && x->def->n->nin == 0 && x->rank >= 0) {
        SnExprValue *v = sn_case_attr(x->def, "dims");
        if (v)
            v->n = 0;
    }
}

static bool
draw_gather(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x)
{
    SnCaseValue *ix = sn_case_map_port(n, 1);
    int64_t d[2] = {2, 2};
    int ax = draw_axis(c, n, 2, 0, x);

    if (ix)
        ix->index = true;
    if (ix && ix->rank < 0)
        sn_case_set_shape(ix, x->rank < 3 && sn_case_chance(c, 30) ? 2 : 1, d);
    if (ax < 0 || x->dim[ax] < 2)
        return sn_case_no(c, "an axis too short to gather from");
    return true;
}

/* Rows of two indices. */
static void
draw_bag(SnProofCase *c, SnCaseNode *n, SnCaseValue *x)
{
    SnCaseValue *ix = sn_case_map_port(n, 1);
    int64_t d[2] = {2 + sn_case_below(c, 2), 1 + sn_case_below(c, 3)};
    int64_t rows[2] = {1 + sn_case_below(c, 2), 2};

    if (x->rank < 0)
        sn_case_set_shape(x, 2, d);
    if (ix)
        ix->index = true;
    if (ix && ix->rank < 0)
        sn_case_set_shape(ix, 2, rows);
}

static void
draw_topk(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x)
{
    int ax = draw_axis(c, n, 2, -1, x);

    if (ax >= 0)
        set_num(sn_case_map_attr(n, 1),
                1 + sn_case_below(c, (uint32_t)x->dim[ax]));
}

/* Maps of one operand that is not indexed together with others: x, whose shape
 * is drawn if it has none yet. */
static bool
draw_single(SnProofCase *c, SnCaseNode *n)
{
    static const int64_t picture[4] = {1, 2, 4, 4};
    SnCaseValue *x = sn_case_map_port(n, 0);
    SnExprValue *one = sn_case_map_attr(n, 1);

    if (!x)
        return sn_case_no(c, "a missing operand");
    if (sn_case_map_is(n, SN_MW_BAG))
        draw_bag(c, n, x);
    bool block = sn_case_map_is(n, SN_MW_SPACE_TO_DEPTH) ||
                 sn_case_map_is(n, SN_MW_DEPTH_TO_SPACE);
    if (x->rank < 0 && block)
        sn_case_set_shape(x, 4, picture);
    if (x->rank < 0 && sn_case_map_is(n, SN_MW_PERMUTE))
        written_rank(c, n, x);
    if (x->rank < 0)
        base_shape(c, x);
    if (sn_case_map_is(n, SN_MW_GATHER))
        return draw_gather(c, n, x);
    if (sn_case_map_is(n, SN_MW_PERMUTE)) {
        draw_permute(c, n, x);
    } else if (sn_case_map_is(n, SN_MW_RESHAPE)) {
        draw_reshape(c, n, x);
    } else if (block) {
        set_num(one, c->wide ? 1 + sn_case_below(c, 3) : 2);
    } else if (sn_case_map_is(n, SN_MW_ROW)) {
        draw_axis(c, n, 1, -1, x);
    } else if (sn_case_map_is(n, SN_MW_REDUCE)) {
        int64_t ax[2] = {
            (int64_t)an_axis(c, sn_case_below(c, (uint32_t)x->rank), x->rank),
            0};
        set_ints(c, n, 1, x->rank ? sn_case_below(c, 2) : 0, ax);
    } else if (sn_case_map_is(n, SN_MW_WINDOW_CHANNEL)) {
        set_num(one, 1 + sn_case_about(c, 4));
    } else if (sn_case_map_is(n, SN_MW_TOPK)) {
        draw_topk(c, n, x);
    } else {
        draw_lists(c, n, x);
    }
    return true;
}

static void
draw_table(SnCaseNode *n, SnCaseValue *x)
{
    int64_t d[1] = {256};
    SnCaseValue *t = sn_case_map_port(n, 1);

    if (x->rank < 0)
        sn_case_set_shape(x, 1, d);
    if (t && t->rank < 0)
        sn_case_set_shape(t, 1, d);
}

/* The shape of the results; operands without a shape do not decide it. */
static bool
shape_without(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *save[8] = {NULL};

    for (uint32_t s = 0; s < n->nin && s < 8; s++)
        if (n->in[s] && n->in[s]->rank < 0) {
            save[s] = n->in[s];
            n->in[s] = NULL;
        }
    bool ok = sn_case_shape(c, n);
    for (uint32_t s = 0; s < n->nin && s < 8; s++)
        if (save[s])
            n->in[s] = save[s];
    return ok;
}

/* Maps with draws aimed at the cases on which rules about them depend; draws
 * for other maps follow from their declarations. */
static bool
is_aimed(const SnCaseNode *n)
{
    const SnDefSem *m = sn_case_sem(n);

    return m && m->over != SN_MW_NONE && m->over != SN_MW_FILL;
}

bool
sn_case_draw_map(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *x = n->nin ? n->in[0] : NULL;

    if (!sn_case_sem(n) || !sn_case_sem(n)->map) {
        if (x && x->rank < 0) /* a Save */
            base_shape(c, x);
        return true;
    }
    if (sn_case_map_slot(n, sn_case_sem(n)->arg[0]) < 0 ||
        !sn_case_map_port(n, 0))
        return sn_case_no(c, "a missing operand");
    x = sn_case_map_port(n, 0);
    if (sn_case_map_is(n, SN_MW_BROADCAST))
        draw_broadcast(c, n);
    else if (sn_case_map_is(n, SN_MW_CONV) ||
             sn_case_map_is(n, SN_MW_CONV_TRANSPOSE))
        draw_conv(c, n);
    else if (sn_case_map_is(n, SN_MW_MATMUL))
        sn_case_draw_matmul(c, n);
    else if (sn_case_map_is(n, SN_MW_POOL))
        draw_pool(c, n, x);
    else if (sn_case_map_is(n, SN_MW_CONCAT))
        draw_concat(c, n);
    else if (sn_case_map_is(n, SN_MW_TABLE))
        draw_table(n, x);
    else if (is_aimed(n) ? !draw_single(c, n) : !sn_case_draw_declared(c, n))
        return false;
    for (uint32_t s = 0; s < n->nin; s++)
        shape_leaf_above(n->in[s]);
    if (!shape_without(c, n))
        return false;
    draw_vectors(n);
    return true;
}
