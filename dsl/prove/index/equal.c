// SPDX-License-Identifier: Apache-2.0
/* Is the right side legal, does it have the left one's shape and type, and is
 * it made from the same elements?  One path after the other. */

#include "dsl/model/expr_tree.h"
#include "dsl/prove/index/side.h"

static void
fail(SnIndex *cx, const char *what)
{
    sn_path_stop(&cx->path, SN_PATH_FAIL, "%s", what);
}

/* ---- attributes that no map takes ---- */

static const char *
attr_text(SnIndex *cx, const SnIndexAttr *a)
{
    const char *t = a->own ? a->own : a->e ? sn_expr_str(cx->a, a->e) : "none";

    return sn_poly_word(&cx->path.P,
                        a->perm ? sn_format(cx->a, "%s, renumbered", t) : t);
}

static bool
of_map(const SnIndexNode *n, const SnDefAttr *a)
{
    for (uint32_t i = 0; i < n->sem->narg; i++)
        if (n->sem->arg[i]->rk == SN_R_ATTR && n->sem->arg[i]->ref == a)
            return true;
    return false;
}

static bool
mentions(const SnExpr *e, const SnDefAttr *a)
{
    if (!e)
        return false;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (mentions(e->kid[i], a))
            return true;
    return e->rk == SN_R_ATTR && e->ref == a;
}

/* Is the attribute used for more than a parameter of the map? */
static bool
counts(const SnIndexNode *n, const SnDefAttr *a)
{
    return !of_map(n, a) || mentions(n->sem->formula, a) ||
           mentions(n->sem->els, a);
}

/* Same kind, attributes and types: the same function of equal elements. */
static bool
alike(SnIndex *cx, const SnIndexNode *l, const SnIndexNode *r)
{
    if (l->n != r->n) {
        fail(cx, sn_format(cx->a, "%s against %s", l->n->name, r->n->name));
        return false;
    }
    for (uint32_t i = 0; i < l->n->nall; i++) {
        const char *a = attr_text(cx, l->attr[l->n->all[i]->index]);
        const char *b = attr_text(cx, r->attr[l->n->all[i]->index]);
        if (counts(l, l->n->all[i]) && a != b && !sn_index_said_equal(cx, a, b))
            fail(cx, sn_format(cx->a, "%s is %s, not %s", l->n->all[i]->name, b,
                               a));
    }
    for (uint32_t i = 0; i <= l->n->nin; i++) {
        const SnIndexValue *x = i < l->n->nin ? l->in[i] : l->out;
        const SnIndexValue *y = i < l->n->nin ? r->in[i] : r->out;
        if (!x != !y)
            fail(cx,
                 sn_format(cx->a, "an operand of %s is missing", l->n->name));
        else if (x && sn_index_type_rep(cx, x->type) !=
                          sn_index_type_rep(cx, y->type))
            fail(cx, sn_format(cx->a, "types of %s: %s against %s", l->n->name,
                               y->type, x->type));
    }
    return !sn_path_stopped(&cx->path);
}

/* ---- places ---- */

SnIndexPlace *
sn_index_read(SnIndex *cx, const SnIndexNode *n, const SnMapStmt *read,
              unsigned k, const SnIndexPlace *at, const SnPoly *tap)
{
    SnIndexPlace *p = SN_NEW(cx->a, SnIndexPlace);

    *p = (SnIndexPlace){n,
                        read,
                        at,
                        tap,
                        sn_index_operand(n, (unsigned)read->param, k),
                        read->els == SN_ME_NONE};
    if (!p->of)
        sn_path_stop(&cx->path, SN_PATH_OUT, "a missing operand");
    if (read->which >= 0 && !p->of->each)
        sn_path_stop(&cx->path, SN_PATH_OUT, "operands that are written out");
    return p;
}

/* The axis of the node's result that decides its index along t, or t. */
static SnAxis
goes_by(SnIndex *cx, const SnIndexPlace *p, int32_t at, SnAxis t, bool *found)
{
    const SnMapDecl *d = p->node->map;
    const SnMapExpr *e = &d->expr[at];
    const SnMapStmt *r = sn_map_stmt(d, SN_MS_RESULT);
    SnIndexEnv v = {.node = p->node};

    for (unsigned i = 0; i < r->n && e->op == SN_MO_NAME; i++)
        *found |= r->bound[i].slot == e->v;
    if (*found)
        return t;
    for (unsigned i = 0; i < d->nstmt && e->op == SN_MO_NAME; i++)
        if (d->stmt[i].kind == SN_MS_LET && d->stmt[i].slot == e->v)
            return goes_by(cx, p, d->stmt[i].e, t, found);
    if (e->op == SN_MO_ELEM) {
        (void)goes_by(cx, p, e->kid, t, found);
        return *found ? sn_index_eval(cx, &v, e->kid + 1, t).at : t;
    }
    for (unsigned i = 0; i < e->nkid && !*found; i++) {
        SnAxis to = goes_by(cx, p, e->kid + (int32_t)i, t, found);
        if (*found)
            return to;
    }
    return t;
}

/* The axis of the place whose index depends on the arbitrary axis of the
 * result. */
static SnAxis
axis_of_any(SnIndex *cx, const SnIndexPlace *p)
{
    SnAxis w = sn_axis_any(), t = sn_axis_any();

    for (const SnIndexPlace *k = p; k->node; k = k->at) {
        bool found = false;
        w = goes_by(cx, k, k->read->index[0], w, &found);
        if (!found || w.base)
            sn_path_stop(&cx->path, SN_PATH_OUT,
                         "an index that goes by no axis");
    }
    for (unsigned i = 0; i < w.n && !sn_path_stopped(&cx->path); i++)
        t = sn_axis_apply(cx, t, -w.word[i]);
    return t;
}

/* Does the place lie in the box, along that axis? */
bool
sn_index_inside(SnIndex *cx, const SnIndexPlace *p, SnAxis t)
{
    unsigned param = (unsigned)p->read->param;
    SnPoly i = sn_index_at(cx, p, t), which = {0};
    SnIndexEnv v = {p->node, p->at, p->tap, NULL};
    int k = sn_index_item(cx, p->node, param, t);
    bool vary = p->node->map->param[param].item[k].vary;

    if (p->read->which >= 0 && vary)
        which = sn_index_poly(cx, &v, p->read->which, t);
    SnPoly d = sn_index_dim(cx, p->of, t, vary ? &which : NULL);
    return sn_path_decide(&cx->path, i) &&
           sn_path_decide(
               &cx->path,
               sn_poly_plus(&cx->path.P, sn_poly_sub(&cx->path.P, d, i), -1));
}

/* Do both lie in their boxes in the same cases, along the axes that depend on
 * one axis of the result?  *in: they do, in this one. */
static bool
both_inside(SnIndex *cx, const SnIndexPlace *p, const SnIndexPlace *q, bool *in)
{
    SnAxis t = axis_of_any(cx, p), u = axis_of_any(cx, q);

    *in = true;
    if (sn_path_stopped(&cx->path))
        return true;
    if (p->read == q->read && p->read->which < 0 &&
        sn_index_equal_at(cx, p, t, q, u) &&
        sn_facts_is_zero(&cx->path.F,
                         sn_poly_sub(&cx->path.P,
                                     sn_index_dim(cx, p->of, t, NULL),
                                     sn_index_dim(cx, q->of, u, NULL))))
        return true;
    *in = sn_index_inside(cx, p, t);
    return *in == sn_index_inside(cx, q, u);
}

/* ---- values ---- */

typedef struct Side {
    const SnIndexValue *v;
    const SnIndexPlace *at;
} Side;

static void same(SnIndex *cx, Side l, Side r);

/* A node that only moves elements: its reads may be skipped or filled. */
static const SnMapStmt *
passes(const SnIndexNode *n)
{
    const SnMapStmt *read = n ? sn_map_stmt(n->map, SN_MS_READ) : NULL;
    const SnExpr *y = n ? n->sem->formula : NULL;

    if (!read || n->sem->cls != SN_C_MOVE || y->ek != SN_E_NAME ||
        y->rk != SN_R_PORT || read->when >= 0 || read->which >= 0 ||
        sn_map_stmt(n->map, SN_MS_TAPS) ||
        sn_map_count(n->map, SN_MS_READ) != 1 ||
        sn_index_noperand(n, (unsigned)read->param) != 1 ||
        sn_index_operand(n, (unsigned)read->param, 0) !=
            n->in[((const SnDefPort *)y->ref)->index])
        return NULL;
    return read;
}

static Side
through(SnIndex *cx, Side s)
{
    while (!sn_path_stopped(&cx->path)) {
        const SnMapStmt *read = passes(s.v->def);
        if (!read || read->els != SN_ME_NONE ||
            sn_index_type_rep(
                cx,
                sn_index_operand(s.v->def, (unsigned)read->param, 0)->type) !=
                sn_index_type_rep(cx, s.v->type))
            break;
        SnIndexPlace *p = sn_index_read(cx, s.v->def, read, 0, s.at, NULL);
        s = (Side){p->of, p};
    }
    return s;
}

/* The value read where a place lies in the box, and the fill elsewhere. */
static SnIndexPlace *
filled(SnIndex *cx, Side s)
{
    const SnMapStmt *read = passes(s.v->def);

    if (!read || read->els != SN_ME_FILL)
        return NULL;
    return sn_index_read(cx, s.v->def, read, 0, s.at, NULL);
}

/* Both are filled in the same cases with the same value, or one is never
 * filled; *l and *r become what they read.  False: nothing is left to
 * compare. */
static bool
past_fill(SnIndex *cx, Side *l, Side *r, SnIndexPlace *p, SnIndexPlace *q)
{
    bool in = true, same_cases = true;

    if (p && q && !alike(cx, l->v->def, r->v->def))
        return false;
    if (p && q)
        same_cases = both_inside(cx, p, q, &in);
    else
        same_cases = sn_index_inside(cx, p ? p : q, axis_of_any(cx, p ? p : q));
    if (!same_cases)
        fail(cx, "an element that one side reads and the other fills");
    for (int i = 0; i < 2; i++) {
        SnIndexPlace *k = i ? q : p;
        if (k) {
            k->inside = true;
            *(i ? r : l) = (Side){k->of, k};
        }
    }
    if (!in)
        sn_path_seen(&cx->path, "same: both sides are filled");
    return in && !sn_path_stopped(&cx->path);
}

static void
same_read(SnIndex *cx, const SnIndexNode *l, const SnIndexPlace *lat,
          const SnIndexNode *r, const SnIndexPlace *rat, const SnMapStmt *s,
          unsigned operand, const SnPoly *tap)
{
    SnIndexPlace *p = sn_index_read(cx, l, s, operand, lat, tap);
    SnIndexPlace *q = sn_index_read(cx, r, s, operand, rat, tap);
    SnIndexEnv a = {l, lat, tap, NULL}, b = {r, rat, tap, NULL};

    if (s->when >= 0)
        sn_path_stop(&cx->path, SN_PATH_OUT, "a read under a condition");
    if (s->els != SN_ME_NONE && !sn_path_stopped(&cx->path)) {
        bool in;
        if (!both_inside(cx, p, q, &in))
            fail(cx, "a tap that one side reads and the other skips");
        p->inside = q->inside = true;
        if (!in) {
            sn_path_seen(&cx->path, "same: both sides skip it");
            return;
        }
    }
    if (s->which >= 0 && !sn_path_stopped(&cx->path) &&
        !sn_facts_is_zero(
            &cx->path.F,
            sn_poly_sub(&cx->path.P,
                        sn_index_poly(cx, &a, s->which, sn_axis_any()),
                        sn_index_poly(cx, &b, s->which, sn_axis_any()))))
        fail(cx, "different operands of a list");
    if (!sn_path_stopped(&cx->path))
        same(cx, (Side){p->of, p}, (Side){q->of, q});
}

/* Each operand has its own paths, which end with it: facts known where it is
 * read are not known at the next one. */
static void
one_read(SnIndex *cx, const SnIndexNode *l, const SnIndexPlace *lat,
         const SnIndexNode *r, const SnIndexPlace *rat, const SnMapStmt *s,
         unsigned operand, const SnPoly *tap)
{
    if (!sn_path_each(&cx->path,
                      sn_format(cx->a, "operand %u of %s", operand, l->name)))
        return;
    same_read(cx, l, lat, r, rat, s, operand, tap);
    sn_path_through(&cx->path);
}

/* Other numbers that a formula may read: they must be equal. */
static void
same_number(SnIndex *cx, const SnIndexEnv *a, const SnIndexEnv *b, int32_t e)
{
    if (sn_index_is_list(a->node->map, e)) {
        sn_path_stop(&cx->path, SN_PATH_OUT, "a number for each axis");
        return;
    }
    SnPoly x = sn_index_poly(cx, a, e, sn_axis_any());
    SnPoly y = sn_index_poly(cx, b, e, sn_axis_any());
    if (!sn_path_stopped(&cx->path) &&
        !sn_facts_is_zero(&cx->path.F, sn_poly_sub(&cx->path.P, x, y)))
        fail(cx, sn_format(
                     cx->a, "%s against %s",
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, x)),
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, y))));
}

/* Equal bounds of the set; its places into tap[]. */
static void
same_taps(SnIndex *cx, const SnIndexEnv *a, const SnIndexEnv *b, SnPoly *tap)
{
    const SnMapStmt *s = sn_map_stmt(a->node->map, SN_MS_TAPS);
    SnIndexEnv shape = {.node = a->node};

    for (unsigned i = 0; s && i < s->n; i++) {
        if (s->bound[i].when >= 0)
            sn_path_stop(&cx->path, SN_PATH_OUT, "taps under a condition");
        same_number(cx, a, b, s->bound[i].e);
        if (sn_path_stopped(&cx->path))
            return;
        tap[i] = sn_poly_name(&cx->path.P, sn_format(cx->a, "t%u", cx->ntap++));
        SnPoly n = sn_index_poly(cx, &shape, s->bound[i].e, sn_axis_any());
        sn_path_assume(&cx->path, tap[i]);
        sn_path_assume(
            &cx->path,
            sn_poly_plus(&cx->path.P, sn_poly_sub(&cx->path.P, n, tap[i]), -1));
    }
    if (s && sn_facts_absurd(&cx->path.F))
        sn_path_stop(&cx->path, SN_PATH_DEAD, "an empty set");
}

/* The number of reads. */
static uint32_t
operands(const SnIndexNode *n)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < n->map->nstmt; i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        if (s->kind == SN_MS_READ || s->kind == SN_MS_CENTRE)
            sum += sn_index_noperand(n, (unsigned)s->param);
    }
    return sum;
}

static void
same_nodes(SnIndex *cx, Side l, Side r)
{
    const SnIndexNode *n = l.v->def, *m = r.v->def;
    SnPoly *tap = SN_NEW_N(cx->a, SnPoly, 8);
    SnIndexEnv a = {n, l.at, tap, NULL}, b = {m, r.at, tap, NULL};

    if (!alike(cx, n, m))
        return;
    sn_trace_nodes(&cx->path.trace, operands(n),
                   sn_format(cx->a, "%s, %s", n->name, m->name));
    same_taps(cx, &a, &b, tap);
    for (unsigned i = 0; i < n->map->nstmt && !sn_path_stopped(&cx->path);
         i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        switch ((SnMapStmtKind)s->kind) {
        case SN_MS_READ:
        case SN_MS_CENTRE:
            for (unsigned k = 0; k < sn_index_noperand(n, (unsigned)s->param) &&
                                 !sn_path_stopped(&cx->path);
                 k++)
                one_read(cx, n, l.at, m, r.at, s, k, tap);
            break;
        case SN_MS_BESIDE:
            for (unsigned k = 0; k < s->n; k++)
                same_number(cx, &a, &b, s->index[k]);
            break;
        case SN_MS_DIVISOR:
        case SN_MS_NUMBER:
        case SN_MS_PARTS:
        case SN_MS_WHOLE:
            sn_path_stop(&cx->path, SN_PATH_OUT,
                         "a set with an order of its own");
            break;
        case SN_MS_LET:
        case SN_MS_REQUIRE:
        case SN_MS_RESULT:
        case SN_MS_TAPS:
        case SN_MS_PRIMITIVE:
            break;
        }
    }
}

static void
same_leaf(SnIndex *cx, Side l, Side r)
{
    SnAxis any = sn_axis_of(cx, l.v);

    if (l.v != r.v) {
        fail(cx, sn_format(cx->a, "'%s' against '%s'", l.v->name, r.v->name));
        return;
    }
    if (sn_index_equal_at(cx, l.at, any, r.at, any)) {
        sn_path_seen(&cx->path, "same: element of '%s'", l.v->name);
        return;
    }
    SnPoly i = sn_index_at(cx, l.at, any), k = sn_index_at(cx, r.at, any);
    if (!sn_path_stopped(&cx->path))
        fail(cx, sn_format(
                     cx->a, "'%s' at %s against %s", l.v->name,
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, i)),
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, k))));
}

static void
same(SnIndex *cx, Side l, Side r)
{
    for (;;) {
        l = through(cx, l);
        r = through(cx, r);
        if (sn_path_stopped(&cx->path))
            return;
        SnIndexPlace *p = filled(cx, l), *q = filled(cx, r);
        if (!p && !q)
            break;
        if (!past_fill(cx, &l, &r, p, q))
            return;
    }
    if (sn_path_stopped(&cx->path))
        return;
    if (l.v->def && r.v->def)
        same_nodes(cx, l, r);
    else
        same_leaf(cx, l, r);
}

/* ---- the right side is legal ---- */

/* The left side has that node, and the condition is the same there. */
static bool
holds_left(SnIndex *cx, const SnIndexNode *n, int32_t e)
{
    SnAxis any = sn_axis_of(cx, n->out);
    SnIndexEnv b = {.node = n};

    for (uint32_t i = 0; i < cx->nnode; i++) {
        SnIndexEnv a = {.node = cx->node[i]};
        if (!cx->node[i]->left || cx->node[i]->map != n->map)
            continue;
        int ngen = sn_index_one_class(cx) ? (int)cx->ngen : 0;
        for (int g = -ngen; g <= ngen; g++)
            if (sn_index_congruent(cx, &a, g ? sn_axis_apply(cx, any, g) : any,
                                   &b, any, e))
                return true;
    }
    return false;
}

static void
must_hold(SnIndex *cx, const SnIndexNode *n, const SnMapStmt *s)
{
    SnIndexEnv v = {.node = n};

    if (!holds_left(cx, n, s->e) && !sn_path_stopped(&cx->path) &&
        !sn_index_truth(cx, &v, s->e, sn_axis_of(cx, n->out)))
        fail(cx, sn_format(cx->a, "%s on the right may be illegal: %s",
                           n->n->name, sn_path_condition(cx->a, s->text)));
    sn_path_seen(&cx->path, "legal %s: %s", n->name,
                 s->text ? s->text : "a condition");
}

void
sn_index_legal(SnIndex *cx, const SnIndexNode *n, bool lists)
{
    if (sn_index_is_flat(n->map))
        return;
    for (unsigned i = 0; i < n->map->nstmt && !sn_path_stopped(&cx->path);
         i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        if (s->kind == SN_MS_REQUIRE && !s->late &&
            sn_index_is_list(n->map, s->e) == lists)
            must_hold(cx, n, s);
    }
}

/* Operands have the dimensions that a run gives for all, and so do the operands
 * of a list except along the named axis. */
void
sn_index_fit(SnIndex *cx, const SnIndexNode *n)
{
    SnAxis t = sn_axis_of(cx, n->out);
    uint32_t k = 0;
    SnPoly x, y;

    (void)sn_index_dim(cx, n->out, t, NULL);
    while (!sn_path_stopped(&cx->path) && sn_index_fits(cx, n, t, k++, &x, &y))
        if (!sn_facts_is_zero(&cx->path.F, sn_poly_sub(&cx->path.P, x, y)))
            fail(cx, sn_format(cx->a, "operands of %s on the right may differ",
                               n->n->name));
}

void
sn_index_same_shape(SnIndex *cx)
{
    if (sn_index_rank_rep(cx, cx->left->rank) !=
        sn_index_rank_rep(cx, cx->right->rank))
        fail(cx, "the rank may differ");
    SnPoly l = sn_index_dim(cx, cx->left, sn_axis_any(), NULL);
    SnPoly r = sn_index_dim(cx, cx->right, sn_axis_any(), NULL);

    if (!sn_path_stopped(&cx->path) &&
        !sn_facts_is_zero(&cx->path.F, sn_poly_sub(&cx->path.P, l, r)))
        fail(cx, sn_format(
                     cx->a, "a dimension is %s, not %s",
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, r)),
                     sn_poly_text(&cx->path.P, sn_facts_norm(&cx->path.F, l))));
    if (sn_index_type_rep(cx, cx->left->type) !=
        sn_index_type_rep(cx, cx->right->type))
        fail(cx, sn_format(cx->a, "the type is %s, not %s", cx->right->type,
                           cx->left->type));
    if (!sn_path_stopped(&cx->path))
        sn_trace_goal(&cx->path.trace, sn_poly_sub(&cx->path.P, l, r), "shape");
}

void
sn_index_same(SnIndex *cx, const SnIndexPlace *root)
{
    same(cx, (Side){cx->left, root}, (Side){cx->right, root});
}
