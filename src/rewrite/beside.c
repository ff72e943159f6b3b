// SPDX-License-Identifier: Apache-2.0
/* The built-in pass `beside`: products of one value with several matrices are
 * one product with all of them, and what is done alike to neighbouring parts
 * of a row is done to the row.  The gates of an unrolled LSTM or GRU become one
 * product, one sum and one function a step so.  Results are parts of a row,
 * which a run leaves where they are (run/view.h); each element is computed as
 * before, so that no bit changes. */
#include <stdlib.h>
#include <string.h>

#include "graph/text/text.h"
#include "map/facts.h"
#include "rewrite/copy.h"
#include "rewrite/internal.h"
#include "sn_kind_constant.h"
#include "sn_kind_fully_connected.h"
#include "sn_kind_slice.h"

/* Products that are joined once: constants that were joined before are found
 * again by the first of them. */
typedef struct Joined {
    struct Joined *next;
    uint32_t n;
    const SnRef *from;
    SnRef to;
} Joined;

typedef struct Beside {
    SnRewriter *rw;
    SnGraph *g;
    uint32_t nnode;
    Joined **joined; /* [nnode] by the first constant */
    SnStatus status;
} Beside;

/* Elements [at, at + n) of row `row` of base, all in one row of its last
 * axis. */
typedef struct Part {
    SnRef base;
    int64_t row, at, n;
    SnId node;
} Part;

static int64_t
last_dim(const SnGraph *g, SnRef v)
{
    const SnShape *s = sn_shape_of(g, v);

    return s->dim[s->rank - 1];
}

static bool
part_of(const SnGraph *g, SnRef v, Part *p)
{
    const SnSliceAttr *at;
    const SnShape *s;

    if (!v || sn_kind(g, v) != SN_K_SLICE)
        return false;
    at = sn_slice_attr(g, SN_NODE(v));
    *p = (Part){.base = sn_slice_x(g, SN_NODE(v)), .node = SN_NODE(v)};
    s = sn_shape_of(g, p->base);
    if (s->rank == 0)
        return false;
    int last = s->rank - 1;
    for (int k = 0; k < last; k++) {
        if (at->size.v[k] != 1 || at->start.v[k] < 0)
            return false;
        p->row = p->row * s->dim[k] + at->start.v[k];
    }
    p->at = at->start.v[last];
    p->n = at->size.v[last];
    return p->at >= 0 && (p->n <= 1 || at->step.v[last] == 1);
}

static int
by_place(const void *x, const void *y)
{
    const Part *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool
follows(const Part *a, const Part *b)
{
    return a->base == b->base && a->row == b->row && a->at + a->n == b->at;
}

/* Elements [at, at + n) of row `row` of base, in a shape of rank dimensions
 * whose first ones are 1. */
static SnRef
cut(Beside *b, SnRef base, int64_t row, int64_t at, int64_t n)
{
    const SnShape *s = sn_shape_of(b->g, base);
    int last = s->rank - 1;
    int64_t start[SN_MAXRANK], size[SN_MAXRANK], step[SN_MAXRANK];
    const SnType *type = sn_type(b->g, base);

    for (int k = last; k >= 0; k--) {
        step[k] = 1;
        size[k] = k == last ? n : 1;
        start[k] = k == last ? at : row % s->dim[k];
        if (k < last)
            row /= s->dim[k];
    }
    SnSliceAttr attr = {{(uint32_t)s->rank, start},
                        {(uint32_t)s->rank, size},
                        {(uint32_t)s->rank, step}};
    return SN_REF(sn_slice_new(b->g, NULL, base, &attr, type), 0);
}

/* v is part [at, at + n) of row 0 of `wide` from now on. */
static void
put(Beside *b, SnRef v, SnRef wide, int64_t at, int64_t n)
{
    SnId mark = b->g->nnode;

    sn_replace(b->g, v, cut(b, wide, 0, at, n), mark);
    sn_remove_unused(b->g, SN_NODE(v));
}

/* ---- the same for neighbouring parts ---- */

static bool
is_number(const SnGraph *g, SnRef v)
{
    return sn_def(g, v)->data && sn_type(g, v)->axis < 0 &&
           sn_shape_count(sn_shape_of(g, v)) == 1;
}

/* Whether b does to part q what a does to part p, its neighbour. */
static bool
alike(const SnGraph *g, SnId a, const Part *p, SnId b, const Part *q)
{
    const SnNode *x = sn_node(g, a), *y = sn_node(g, b);

    if (a == b || x->kind != y->kind || x->nin != y->nin ||
        x->res[0].type != y->res[0].type ||
        !sn_attrs_equal(sn_desc(x->kind), x->attr, y->attr))
        return false;
    for (uint32_t i = 0; i < x->nin; i++) {
        SnRef u = x->in[i].ref, v = y->in[i].ref;
        Part s, t;
        bool first = u == SN_REF(p->node, 0), second = v == SN_REF(q->node, 0);
        if (first != second)
            return false;
        if (first || (u == v && u && is_number(g, u)))
            continue;
        if (!part_of(g, u, &s) || !part_of(g, v, &t) || !follows(&s, &t) ||
            s.n != p->n || t.n != q->n)
            return false;
    }
    return sn_shape_count(sn_shape_of(g, SN_REF(b, 0))) == q->n;
}

/* The node that does to q what a does to p, or 0. */
static SnId
partner(const SnGraph *g, SnId a, const Part *p, const Part *q)
{
    for (const SnUse *u = sn_res(g, SN_REF(q->node, 0))->uses; u; u = u->next)
        if (sn_pointwise(sn_node(g, u->user)) && alike(g, a, p, u->user, q))
            return u->user;
    return 0;
}

/* Users [0, n) of parts [0, n) become one; its node. */
static SnId
join_users(Beside *b, const Part *p, const SnId *user, uint32_t n)
{
    SnGraph *g = b->g;
    SnEdit e = sn_edit(g, user[0]);
    int64_t all = p[n - 1].at + p[n - 1].n - p[0].at, at = 0;

    for (uint32_t i = 0; i < e.nin; i++) {
        Part s;
        if (!part_of(g, e.in[i], &s))
            continue; /* a number */
        if (s.at == 0 && last_dim(g, s.base) == all &&
            sn_shape_count(sn_shape_of(g, s.base)) == all)
            e.in[i] = s.base;
        else
            e.in[i] = cut(b, s.base, s.row, s.at, all);
    }
    SnId wide = sn_edit_add(g, &e);
    for (uint32_t i = 0; i < n; i++, at += p[i - 1].n)
        put(b, SN_REF(user[i], 0), SN_REF(wide, 0), at, p[i].n);
    return wide;
}

/* The parts of base by their places, in scratch; how many. */
static uint32_t
parts_of(const Beside *b, SnRef base, Part **out)
{
    Part *v = NULL, p;
    uint32_t n = 0;

    for (const SnUse *u = sn_res(b->g, base)->uses; u; u = u->next)
        if (part_of(b->g, SN_REF(u->user, 0), &p))
            SN_PUSH(b->rw->scratch, v, n, p);
    if (n)
        qsort(v, n, sizeof *v, by_place);
    *out = v;
    return n;
}

/* Users of part p of n and of those after it, as many as are alike. */
static uint32_t
run_from(const Beside *b, const Part *p, uint32_t n, SnId first, SnId *user)
{
    uint32_t k = 1;

    user[0] = first;
    while (k < n && follows(&p[k - 1], &p[k]) &&
           (user[k] = partner(b->g, user[k - 1], &p[k - 1], &p[k])) != 0)
        k++;
    return k;
}

/* Joins what is done alike to parts of base, and to parts of what comes of
 * it.  Levels are as many as nodes follow one another in a step. */
static void
widen(Beside *b, SnRef base)
{
    Part *p;
    uint32_t n = parts_of(b, base, &p);
    SnId *user = SN_NEW_N(b->rw->scratch, SnId, n + 1);

    for (uint32_t i = 0; i + 1 < n; i++) {
        bool again = true;
        while (again && !sn_node(b->g, p[i].node)->dead) {
            const SnUse *u = sn_res(b->g, SN_REF(p[i].node, 0))->uses;
            for (again = false; u && !again; u = u->next) {
                if (!sn_pointwise(sn_node(b->g, u->user)) ||
                    sn_shape_count(sn_shape_of(b->g, SN_REF(u->user, 0))) !=
                        p[i].n)
                    continue;
                uint32_t k = run_from(b, p + i, n - i, u->user, user);
                if (k < 2)
                    continue;
                SnId wide = join_users(b, p + i, user, k);
                widen(b, SN_REF(wide, 0));
                again = true;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++)
        sn_remove_unused(b->g, p[i].node);
}

/* ---- products of one value ---- */

static bool
is_real(const SnGraph *g, SnRef v)
{
    return sn_type(g, v)->elem == SN_F32;
}

/* A product with constants whose result is one row, or is read row by row. */
static bool
can_join(const SnGraph *g, SnId id, SnRef x)
{
    const SnNode *n = sn_node(g, id);
    SnRef y = SN_REF(id, 0), w, bias;
    Part p;

    if (n->kind != SN_K_FULLY_CONNECTED || n->nin < 2 || n->in[0].ref != x ||
        !is_real(g, y) || !sn_range_full(sn_clamp_of(g, id)))
        return false;
    w = n->in[1].ref;
    bias = n->nin > 2 ? n->in[2].ref : 0;
    if (!sn_def(g, w)->data || (bias && !sn_def(g, bias)->data))
        return false;
    if (sn_shape_of(g, y)->dim[0] == 1)
        return true;
    for (const SnUse *u = sn_res(g, y)->uses; u; u = u->next)
        if (!part_of(g, SN_REF(u->user, 0), &p))
            return false;
    return true;
}

/* Constants [0, n) one after the other along the first axis. */
static SnRef
join_constants(Beside *b, const SnRef *from, uint32_t n)
{
    SnGraph *g = b->g;
    SnShape s = *sn_shape_of(g, from[0]);
    size_t size = 0, at = 0;
    Joined *j;

    for (j = b->joined[SN_NODE(from[0])]; j; j = j->next)
        if (j->n == n && !memcmp(j->from, from, n * sizeof *from))
            return j->to;
    s.dim[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const SnShape *t = sn_shape_of(g, from[i]);
        if (b->status == SN_OK)
            b->status = sn_text_check(g, SN_NODE(from[i]), b->rw->d);
        s.dim[0] += t->dim[0];
        size += sn_tensor_nbyte(sn_type(g, from[i]), t);
    }
    char *data = sn_alloc(g->arena, size);
    for (uint32_t i = 0; i < n; i++) {
        size_t one =
            sn_tensor_nbyte(sn_type(g, from[i]), sn_shape_of(g, from[i]));
        memcpy(data + at, sn_node_data(g, SN_NODE(from[i])), one);
        at += one;
    }
    const SnType *type = sn_type(g, from[0]);
    SnSpec c = {.kind = SN_K_CONSTANT,
                .type = &type,
                .shape = sn_shape(g->pool, s.rank, s.dim),
                .data = data,
                .borrow = true};
    j = SN_NEW(b->rw->scratch, Joined);
    *j = (Joined){b->joined[SN_NODE(from[0])], n,
                  sn_memdup(b->rw->scratch, from, n * sizeof *from),
                  SN_REF(sn_add(g, &c, NULL), 0)};
    return (b->joined[SN_NODE(from[0])] = j)->to;
}

static int
by_id(const void *x, const void *y)
{
    SnId a = *(const SnId *)x, b = *(const SnId *)y;

    return a < b ? -1 : a > b;
}

/* Parts of the product v, which has columns [at, ..) of `wide`, are parts of
 * that. */
static void
move_parts(Beside *b, SnRef v, SnRef wide, int64_t at)
{
    SnGraph *g = b->g;
    Part *p;
    uint32_t n = parts_of(b, v, &p);

    if (sn_shape_of(g, v)->dim[0] == 1) {
        put(b, v, wide, at, last_dim(g, v));
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        SnId mark = g->nnode;
        sn_replace(g, SN_REF(p[i].node, 0),
                   cut(b, wide, p[i].row, at + p[i].at, p[i].n), mark);
        sn_remove_unused(g, p[i].node);
    }
}

static void
join_products(Beside *b, const SnId *id, uint32_t n)
{
    SnGraph *g = b->g;
    SnEdit e = sn_edit(g, id[0]);
    SnRef *v = SN_NEW_N(b->rw->scratch, SnRef, n);
    int64_t at = 0;

    for (uint32_t k = 1; k < e.nin; k++) {
        if (!e.in[k])
            continue;
        for (uint32_t i = 0; i < n; i++)
            v[i] = sn_in(g, id[i], k);
        e.in[k] = join_constants(b, v, n);
    }
    SnRef wide = SN_REF(sn_edit_add(g, &e), 0);
    for (uint32_t i = 0; i < n; i++) {
        int64_t wide_by = last_dim(g, SN_REF(id[i], 0));
        move_parts(b, SN_REF(id[i], 0), wide, at);
        at += wide_by;
    }
    widen(b, wide);
}

static bool
has_bias(const SnGraph *g, SnId id)
{
    return sn_node(g, id)->nin > 2 && sn_in(g, id, 2);
}

/* Products of x, those with a bias and those without. */
static void
look(Beside *b, SnRef x)
{
    SnId *id[2] = {NULL, NULL};
    uint32_t n[2] = {0, 0};

    for (const SnUse *u = sn_res(b->g, x)->uses; u; u = u->next)
        if (can_join(b->g, u->user, x)) {
            int k = has_bias(b->g, u->user);
            SN_PUSH(b->rw->scratch, id[k], n[k], u->user);
        }
    for (int k = 0; k < 2; k++) {
        if (n[k] < 2)
            continue;
        qsort(id[k], n[k], sizeof *id[k], by_id);
        join_products(b, id[k], n[k]);
    }
}

SnStatus
sn_beside_pass(SnRewriter *rw, SnGraph *g)
{
    const SnBackendDesc *cpu = sn_opts(rw)->backend;
    Beside b = {rw, g, g->nnode, SN_NEW_N(rw->scratch, Joined *, g->nnode),
                SN_OK};
    uint32_t n;

    if (!sn_has_kernel(cpu, SN_K_FULLY_CONNECTED) ||
        !sn_has_kernel(cpu, SN_K_SLICE))
        return SN_OK;
    const SnId *topo = sn_order(rw, g, &n);
    for (uint32_t i = 0; i < n && b.status == SN_OK; i++) {
        const SnNode *x = sn_node(g, topo[i]);
        if (!x->dead && !x->data && x->nres > 0)
            look(&b, SN_REF(topo[i], 0));
    }
    sn_dce(g);
    return b.status;
}
