// SPDX-License-Identifier: Apache-2.0
/* Shapes: matches operands with the patterns of maps, and checks that nodes are
 * legal. */
#include "dsl/prove/real/box.h"

#include "dsl/model/reads.h"
#include "map/facts.h"

static SnNums
integer(SnRealProof *cx, int64_t v)
{
    return sn_real_one(cx, sn_poly_int(&cx->path.P, v));
}

/* The left side is legal, as illegal ones are not cases.  The right one must
 * be. */
static void
refuse(SnRealProof *cx, const SnBoxNode *n, const char *what)
{
    if (n->left)
        sn_path_stop(&cx->path, SN_PATH_DEAD, "the left side is not legal");
    else
        sn_path_stop(&cx->path, SN_PATH_FAIL,
                     "%s on the right may be illegal: %s", n->n->name, what);
}

static void
equal(SnRealProof *cx, const SnBoxNode *n, SnPoly a, SnPoly b, const char *what)
{
    SnPoly d = sn_poly_sub(&cx->path.P, a, b);

    if (sn_real_stopped(cx) || sn_real_knows_zero(cx, d))
        return;
    if (!n->left) {
        refuse(cx, n, what);
        return;
    }
    sn_path_assume_zero(&cx->path, d);
    if (sn_facts_absurd(&cx->path.F))
        refuse(cx, n, what);
}

/* ---- patterns ---- */

static const SnExpr *
arg_of(const SnBoxNode *n, unsigned param)
{
    uint32_t k, i = sn_sem_param_args(n->sem, param, &k);

    return i < n->sem->narg ? n->sem->arg[i] : NULL;
}

SnBox *
sn_real_operand(const SnBoxNode *n, unsigned param)
{
    const SnExpr *e = arg_of(n, param);

    return e && e->rk == SN_R_PORT ? n->in[((const SnDefPort *)e->ref)->index]
                                   : NULL;
}

int
sn_real_param_of(const SnBoxNode *n, const SnDefPort *p)
{
    for (unsigned i = 0; i < n->map->nparam; i++) {
        const SnExpr *e = arg_of(n, i);
        if (e && e->rk == SN_R_PORT && e->ref == p)
            return (int)i;
    }
    return -1;
}

/* How many axes of `rank` each item takes; false: they do not fit. */
static bool
lengths(SnRealProof *cx, const SnBoxNode *n, unsigned param, int rank)
{
    const SnMapParam *p = &n->map->param[param];
    uint8_t *len = n->len[param];
    int left = rank, open = -1, at = -1;
    int64_t axis;

    for (unsigned i = 0; i < p->nitem; i++) {
        const SnMapItem *it = &p->item[i];
        len[i] = it->kind == SN_MI_DIM || it->kind == SN_MI_AT;
        if (it->kind == SN_MI_ALONG)
            len[i] = (uint8_t)n->slot[it->along].n;
        else if (it->kind == SN_MI_RUN && n->slot[it->slot].v)
            len[i] = (uint8_t)n->slot[it->slot].n;
        else if (it->kind == SN_MI_RUN || it->kind == SN_MI_JOIN)
            open = (int)i;
        at = it->kind == SN_MI_AT ? (int)i : at;
        left -= len[i];
    }
    for (unsigned i = 0; i < p->nitem; i++)
        if (p->item[i].kind == SN_MI_MAYBE && left > 0) {
            len[i] = 1;
            left--;
        }
    if (at >= 0) { /* a..., d @ axis, b...: nothing else */
        if (p->nitem != 3 || at != 1 ||
            !sn_poly_is_int(sn_real_norm(cx, n->slot[p->item[1].along].v[0]),
                            &axis))
            return false;
        len[0] = (uint8_t)axis;
        len[2] = (uint8_t)(rank - 1 - axis);
        return axis >= 0 && axis < rank;
    }
    if (open >= 0 && left >= 0)
        len[open] = (uint8_t)left;
    return open >= 0 ? left >= 0 : left == 0;
}

static void
join(SnRealProof *cx, const SnBoxNode *n, SnNums *d, const SnPoly *dim,
     int rank)
{
    SnPoly one = sn_poly_int(&cx->path.P, 1);
    SnNums r =
        sn_real_list(cx, d->v && (int)d->n > rank ? d->n : (uint32_t)rank);

    for (uint32_t i = 0; i < r.n; i++) {
        int k = (int)i - ((int)r.n - rank), j = (int)i - ((int)r.n - (int)d->n);
        SnPoly x = k >= 0 ? dim[k] : one, y = d->v && j >= 0 ? d->v[j] : one;
        SnPoly diff = sn_poly_sub(&cx->path.P, x, y);
        r.v[i] = y;
        if (sn_real_knows_zero(cx, diff) ||
            sn_real_knows_zero(cx, sn_poly_plus(&cx->path.P, x, -1)))
            continue;
        r.v[i] = x;
        if (sn_real_knows_zero(cx, sn_poly_plus(&cx->path.P, y, -1)))
            continue;
        if (sn_path_decide_zero(&cx->path, sn_poly_plus(&cx->path.P, y, -1)))
            continue;
        r.v[i] = y;
        if (!sn_path_decide_zero(&cx->path, sn_poly_plus(&cx->path.P, x, -1)))
            equal(cx, n, x, y, "operands cannot be broadcast");
    }
    *d = r;
}

/* d[x]: a dimension that each operand of a list has separately. */
static void
append(SnRealProof *cx, SnNums *s, SnPoly d)
{
    SnNums r = sn_real_list(cx, s->n + 1);

    for (uint32_t i = 0; i < s->n; i++)
        r.v[i] = s->v[i];
    r.v[s->n] = d;
    *s = r;
}

static void
bind_operand(SnRealProof *cx, SnBoxNode *n, unsigned param, SnBox *v)
{
    const SnMapParam *p = &n->map->param[param];
    int at = 0;

    if (!v) {
        sn_real_out(cx, "a missing operand");
        return;
    }
    sn_real_shape(cx, v);
    if (sn_real_stopped(cx))
        return;
    if (!lengths(cx, n, param, v->rank)) {
        refuse(cx, n, "the rank of an operand");
        return;
    }
    for (unsigned i = 0; i < p->nitem && !sn_real_stopped(cx); i++) {
        const SnMapItem *it = &p->item[i];
        SnNums *s = &n->slot[it->slot], is;
        uint8_t len = n->len[param][i];
        is = sn_real_list(cx, len ? len : 1);
        is.n = len;
        for (int k = 0; k < len; k++)
            is.v[k] = v->dim[at + k];
        at += len;
        is.list = it->vary || it->kind == SN_MI_RUN ||
                  it->kind == SN_MI_ALONG || it->kind == SN_MI_JOIN;
        if (it->kind == SN_MI_MAYBE && len == 0)
            is = integer(cx, 1);
        if (it->kind == SN_MI_JOIN) {
            join(cx, n, s, v->dim + at - len, len);
        } else if (!s->v) {
            *s = is;
        } else if (it->vary) {
            append(cx, s, is.v[0]);
        } else {
            for (uint32_t k = 0; k < is.n; k++)
                equal(cx, n, s->v[k], is.v[k], "dimensions that differ");
        }
    }
}

/* The length of the run in that slot, by an attribute of fixed length, or -1.
 */
static int
run_length(const SnBoxNode *n, int slot)
{
    for (unsigned i = 0; i < n->map->nparam; i++) {
        const SnMapParam *p = &n->map->param[i];
        const SnExpr *e = arg_of(n, i);
        if ((p->length != SN_ML_RUN && p->length != SN_ML_PAIR) ||
            p->along != slot || !e || e->rk != SN_R_ATTR)
            continue;
        const SnBoxAttr *a = sn_real_attr(n, e->ref);
        if (a->known && a->i.n)
            return (int)a->i.n / (p->length == SN_ML_PAIR ? 2 : 1);
    }
    return -1;
}

/* The only rank that n accepts for an operand, if that follows from lists along
 * its axes or from the result's rank. */
static int
wanted(const SnBoxNode *n, unsigned param)
{
    const SnMapParam *p = &n->map->param[param];
    const SnMapStmt *r = sn_map_stmt(n->map, SN_MS_RESULT);
    int rank = 0;

    if (p->nitem == 1 && p->item[0].kind == SN_MI_RUN && r && r->n == 1 &&
        r->bound[0].when < 0 && n->map->slot[r->bound[0].slot].list &&
        sn_map_axes_free(n->map))
        return n->out->want;
    for (unsigned i = 0; i < p->nitem; i++) {
        const SnMapItem *it = &p->item[i];
        int len =
            it->kind == SN_MI_DIM ? 1
            : it->kind == SN_MI_RUN || it->kind == SN_MI_ALONG
                ? run_length(n, it->kind == SN_MI_RUN ? it->slot : it->along)
                : -1;
        if (len < 0)
            return -1;
        rank += len;
    }
    return rank;
}

/* One, or all that are broadcast. */
static void
bind_operands(SnRealProof *cx, SnBoxNode *n, unsigned param)
{
    uint32_t k, i = sn_sem_param_args(n->sem, param, &k);

    for (uint32_t j = i; j < i + k && !sn_real_stopped(cx); j++) {
        uint32_t port = ((const SnDefPort *)n->sem->arg[j]->ref)->index;
        SnBox *v = n->in[port];
        if (v && v->rank < 0 && n->left)
            v->want = wanted(n, param);
        bind_operand(cx, n, param, v);
        for (uint32_t m = 1; (v = sn_real_nth(n, port, m)); m++)
            bind_operand(cx, n, param, v);
    }
}

/* ---- parameters ---- */

/* An axis counted from the front: a number, or each possible one. */
static SnPoly
axis(SnRealProof *cx, const SnBoxNode *n, SnPoly p, int rank)
{
    int64_t v;

    for (int k = -rank; k < rank && !sn_real_stopped(cx); k++) {
        if (sn_poly_is_int(sn_real_norm(cx, p), &v))
            break;
        (void)sn_path_decide_zero(&cx->path, sn_poly_plus(&cx->path.P, p, -k));
    }
    if (!sn_poly_is_int(sn_real_norm(cx, p), &v) || v < -rank || v >= rank) {
        refuse(cx, n, "an axis that is not there");
        v = 0;
    }
    return sn_poly_int(&cx->path.P, v < 0 ? v + rank : v);
}

/* The axes that a parameter names, counted from the front.  The attribute's own
 * numbers, which the rule's condition uses, stay as written. */
static SnNums
positions(SnRealProof *cx, const SnBoxNode *n, const SnMapParam *p,
          SnNums written)
{
    SnBox *v = sn_real_operand(n, (unsigned)p->along);
    SnNums r = sn_real_list(cx, written.n);

    r.list = written.list;
    for (uint32_t i = 0; i < r.n && !sn_real_stopped(cx); i++) {
        r.v[i] = written.v[i];
        if (!v)
            continue;
        sn_real_shape(cx, v);
        r.v[i] = axis(cx, n, written.v[i], v->rank);
        for (uint32_t k = 0; k < i; k++)
            if (sn_poly_same(r.v[i], r.v[k]))
                refuse(cx, n, "an axis twice");
    }
    return r;
}

static SnNums
argument(SnRealProof *cx, SnBoxNode *n, const SnMapParam *p, const SnExpr *e)
{
    const SnDefAttr *d = e->rk == SN_R_ATTR ? e->ref : NULL;
    SnBoxAttr *a = d ? sn_real_attr(n, d) : NULL;

    if (a && a->attr->ty == SN_A_INTS && !a->known) {
        if (p->length != SN_ML_RUN && p->length != SN_ML_PAIR) {
            sn_real_out(cx, "a list of unknown length");
            return integer(cx, 0);
        }
        if (p->dflt >= 0 &&
            sn_path_decide_name(&cx->path,
                                sn_format(cx->a, "{%s is empty}", a->name))) {
            a->known = true; /* empty: the default */
        } else {
            a->known = true;
            a->i = sn_real_list(cx, n->slot[p->along].n *
                                        (p->length == SN_ML_PAIR ? 2 : 1));
            for (uint32_t i = 0; i < a->i.n; i++)
                a->i.v[i] = sn_poly_name(
                    &cx->path.P, sn_format(cx->a, "%s[%u]", a->name, i));
            if (d->where)
                sn_real_assume(cx, n, d->where);
            sn_real_facts(cx, false);
        }
    }
    return sn_real_nums(cx, n, e);
}

static void
bind_param(SnRealProof *cx, SnBoxNode *n, unsigned param)
{
    const SnMapParam *p = &n->map->param[param];
    const SnExpr *e = arg_of(n, param);
    SnNums r;

    if (p->kind == SN_MP_REAL) {
        sn_real_out(cx, "reals of a map");
        return;
    }
    r = e ? argument(cx, n, p, e) : (SnNums){.list = true};
    if (sn_real_stopped(cx))
        return;
    if (p->dflt >= 0 && (!e || (p->length != SN_ML_ONE && r.n == 0)))
        r = sn_real_map(cx, n, n->slot, p->dflt);
    if (p->length == SN_ML_RUN || p->length == SN_ML_PAIR) {
        uint32_t want = n->slot[p->along].n * (p->length == SN_ML_PAIR ? 2 : 1);
        if (r.n != want)
            refuse(cx, n, "the length of a list");
    }
    if (p->kind == SN_MP_AXIS || p->kind == SN_MP_AXES)
        r = positions(cx, n, p, r);
    n->slot[p->slot] = r;
}

/* In an order in which each finds what it depends on: an axis after its
 * operand's rank, an operand after its axis, a list after its run. */
static void
bind_all(SnRealProof *cx, SnBoxNode *n)
{
    const SnMapDecl *d = n->map;

    for (unsigned i = 0; i < d->nparam && !sn_real_stopped(cx); i++)
        if (d->param[i].kind == SN_MP_AXIS)
            bind_param(cx, n, i);
    for (unsigned i = 0; i < d->nparam && !sn_real_stopped(cx); i++) {
        if (d->param[i].kind == SN_MP_OPERAND)
            bind_operands(cx, n, i);
        else if (d->param[i].kind != SN_MP_AXIS)
            bind_param(cx, n, i);
    }
}

/* ---- legality ---- */

static void
require(SnRealProof *cx, const SnBoxNode *n, const SnMapStmt *s)
{
    SnNums c;

    if (n->left && sn_real_claim(cx, n, s->e))
        return;
    cx->reading = n->left;
    c = sn_real_map(cx, n, n->slot, s->e);
    cx->reading = false;
    for (uint32_t i = 0; i < c.n && !sn_real_stopped(cx); i++) {
        SnPoly no = sn_poly_plus(&cx->path.P, c.v[i], -1);
        if (!sn_real_knows_zero(cx, no))
            refuse(cx, n, sn_path_condition(cx->a, s->text));
    }
}

static SnPoly
rank_name(SnRealProof *cx, const SnBox *v)
{
    return sn_poly_name(&cx->path.P, sn_format(cx->a, "rank(%s)", v->name));
}

/* The certificate states that it was shown: elements have as many places. */
static void
rank_is(SnRealProof *cx, const SnBox *v)
{
    SnPoly d = sn_poly_plus(&cx->path.P, rank_name(cx, v), -v->rank);

    if (!sn_real_stopped(cx) && sn_real_knows_zero(cx, d))
        sn_trace_goal(&cx->path.trace, d, "rank");
}

/* The condition, or the map, gives that of the operand. */
static void
rank_is_said(SnRealProof *cx, const SnBox *v)
{
    sn_path_assume_zero(&cx->path,
                        sn_poly_plus(&cx->path.P, rank_name(cx, v), -v->rank));
    rank_is(cx, v);
}

static void
pinned(SnRealProof *cx, const SnBoxNode *n)
{
    for (uint32_t i = 0; i < n->n->nin && !sn_real_stopped(cx); i++) {
        SnBox *b = n->in[i];
        if (!b || n->n->in[i]->fact != SN_PIN || n->sem->cls != SN_C_CONTRACT ||
            n->out->rank == 0)
            continue;
        if (b->rank < 0 && !b->def && n->left) {
            b->rank = 1;
            rank_is_said(cx, b);
            b->dim[0] = n->out->dim[n->out->rank - 1];
            continue;
        }
        sn_real_shape(cx, b);
        if (sn_real_stopped(cx))
            return;
        if (b->rank != 1)
            refuse(cx, n, "the rank of the bias");
        else
            equal(cx, n, b->dim[0], n->out->dim[n->out->rank - 1],
                  "the length of the bias");
    }
}

static void
constraints(SnRealProof *cx, const SnBoxNode *n)
{
    for (uint32_t i = 0; i < n->n->nrinv && !sn_real_stopped(cx); i++) {
        const SnExpr *e = n->n->rinv[i]->expr;
        if (n->left)
            sn_real_assume(cx, n, e);
        else if (!sn_real_holds(cx, n, e))
            refuse(cx, n, "an invariant of the node");
    }
    for (uint32_t i = 0; i < n->n->nall && !n->left; i++) {
        const SnExpr *e = n->n->all[i]->where;
        if (e && !sn_real_stopped(cx) && !sn_real_holds(cx, n, e))
            refuse(cx, n, "a constraint of an attribute");
    }
}

void
sn_real_point_fits(SnRealProof *cx)
{
    for (uint32_t i = 0; i < cx->nnode && !sn_real_stopped(cx); i++)
        if (!cx->node[i]->left && cx->node[i]->n->nrinv)
            refuse(cx, cx->node[i], "an invariant of the node");
        else if (!cx->node[i]->left)
            constraints(cx, cx->node[i]);
}

/* ---- results ---- */

static void
result(SnRealProof *cx, SnBoxNode *n)
{
    const SnMapStmt *r = sn_map_stmt(n->map, SN_MS_RESULT);
    SnBox *o = n->out;

    o->rank = 0;
    for (unsigned i = 0; r && i < r->n && !sn_real_stopped(cx); i++) {
        SnNums d = sn_real_map(cx, n, n->slot, r->bound[i].e), when = {0};
        if (r->bound[i].when >= 0)
            when = sn_real_map(cx, n, n->slot, r->bound[i].when);
        uint32_t len = d.list ? d.n : when.list ? when.n : 1;
        for (uint32_t k = 0; k < len && !sn_real_stopped(cx); k++) {
            int64_t there = 1;
            if (when.v &&
                !sn_poly_is_int(sn_real_norm(cx, when.v[when.list ? k : 0]),
                                &there))
                sn_real_out(cx, "a result whose rank is open");
            if (!there)
                continue;
            if (o->rank == SN_BOX_RANK) {
                refuse(cx, n, "more than 8 dimensions");
                return;
            }
            o->dim[o->rank++] = sn_real_norm(cx, d.v[d.list ? k : 0]);
        }
    }
    if (!r)
        sn_real_out(cx, "a map without a result");
}

/* An empty set has no mean; without a result none is needed. */
static void
nonempty(SnRealProof *cx, const SnBoxNode *n)
{
    const SnMapStmt *t = sn_map_stmt(n->map, SN_MS_TAPS);
    SnPolys *P = &cx->path.P;

    if (n->left || !n->sem->nonempty || !t || sn_real_stopped(cx))
        return;
    for (int i = 0; i < n->out->rank; i++)
        if (sn_real_knows_zero(cx, n->out->dim[i]))
            return;
    for (unsigned i = 0; i < t->n; i++) {
        SnNums b = sn_real_map(cx, n, n->slot, t->bound[i].e);
        for (uint32_t k = 0; k < b.n && !sn_real_stopped(cx); k++)
            if (!sn_real_knows(cx, sn_poly_plus(P, b.v[k], -1)))
                refuse(cx, n, "a set that may be empty");
    }
}

void
sn_real_open(SnRealProof *cx, SnBoxNode *n)
{
    const SnMapDecl *d = n->map;

    if (n->slot)
        return;
    n->slot = SN_NEW_N(cx->a, SnNums, d->nslot + 1u);
    n->len = SN_NEW_N(cx->a, SnBoxLens, d->nparam + 1u);
    bind_all(cx, n);
    if (!sn_real_stopped(cx))
        constraints(cx, n);
    for (unsigned i = 0; i < d->nstmt && !sn_real_stopped(cx); i++) {
        const SnMapStmt *s = &d->stmt[i];
        if (s->kind == SN_MS_LET && !s->late)
            n->slot[s->slot] = sn_real_map(cx, n, n->slot, s->e);
        else if (s->kind == SN_MS_REQUIRE && !s->late)
            require(cx, n, s);
    }
    if (!sn_real_stopped(cx))
        result(cx, n);
    if (!sn_real_stopped(cx))
        pinned(cx, n);
    nonempty(cx, n);
}

/* ---- operands ---- */

/* Does e, a conjunction, allow v that rank?  n: the node whose ports it names,
 * or NULL. */
static bool
leaves_rank(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e,
            const SnBox *v, int rank)
{
    const SnExpr *of;
    const SnBox *x;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return leaves_rank(cx, n, e->kid[0], v, rank) &&
               leaves_rank(cx, n, e->kid[1], v, rank);
    if (e->ek != SN_E_BIN || e->kid[0]->ek != SN_E_CALL ||
        e->kid[0]->fn != SN_FN_RANK || e->kid[1]->ek != SN_E_INT)
        return true;
    of = e->kid[0]->kid[0];
    x = of->rk == SN_R_VAR ? cx->bind[((const SnDefVar *)of->ref)->index]
        : of->rk == SN_R_PORT && n && !((const SnDefPort *)of->ref)->out
            ? n->in[((const SnDefPort *)of->ref)->index]
            : NULL;
    int64_t k = e->kid[1]->i;
    return x != v || (e->op == SN_OP_EQ   ? rank == k
                      : e->op == SN_OP_LE ? rank <= k
                      : e->op == SN_OP_LT ? rank < k
                      : e->op == SN_OP_GE ? rank >= k
                      : e->op == SN_OP_GT ? rank > k
                                          : true);
}

static bool
may_rank(SnRealProof *cx, const SnBox *v, int rank)
{
    for (uint32_t i = 0; i < cx->nfact; i++)
        if (!leaves_rank(cx, NULL, cx->fact[i], v, rank))
            return false;
    for (uint32_t i = 0; i < cx->nnode; i++)
        for (uint32_t k = 0; k < cx->node[i]->n->nrinv && cx->node[i]->left;
             k++)
            if (!leaves_rank(cx, cx->node[i], cx->node[i]->n->rinv[k]->expr, v,
                             rank))
                return false;
    return true;
}

static void
leaf_shape(SnRealProof *cx, SnBox *v)
{
    int last = v->want >= 0 ? v->want : SN_BOX_RANK,
        r = v->want >= 0 ? last : 0;
    SnPolys *P = &cx->path.P;
    SnPoly rank = rank_name(cx, v);

    while (last > 0 && !may_rank(cx, v, last))
        last--;
    sn_path_assume(&cx->path, sn_poly_plus(P, rank, -r));
    sn_path_assume(&cx->path,
                   sn_poly_plus(P, sn_poly_scale(P, rank, -1), last));
    for (; r < last; r++) {
        if (!may_rank(cx, v, r))
            sn_path_assume(&cx->path, sn_poly_plus(P, rank, -r - 1));
        else if (sn_path_decide(&cx->path,
                                sn_poly_plus(P, sn_poly_scale(P, rank, -1), r)))
            break;
    }
    v->rank = r;
    rank_is(cx, v);
    for (int i = 0; i < r; i++) {
        v->dim[i] = sn_poly_name(&cx->path.P,
                                 sn_format(cx->a, "dim(%s, %d)", v->name, i));
        sn_path_assume(&cx->path, v->dim[i]);
    }
}

/* The value that has the shape of v by the condition, or NULL. */
static SnBox *
said_like(SnRealProof *cx, const SnBox *v)
{
    SnBox *a, *b, *best = NULL;

    for (uint32_t i = 0; i < cx->nfact; i++)
        if (sn_real_same_shape(cx, cx->fact[i], &a, &b) && a != b) {
            SnBox *o = a == v ? b : b == v ? a : NULL;
            if (o && !o->busy && (!best || !o->def))
                best = o;
        }
    return best;
}

void
sn_real_shape(SnRealProof *cx, SnBox *v)
{
    SnBox *like;

    if (v->rank >= 0 || sn_real_stopped(cx))
        return;
    if (v->busy) {
        sn_real_out(cx, "shapes that go round");
        return;
    }
    v->busy = true;
    like = !v->def || v->def->left ? said_like(cx, v) : NULL;
    if (like && !v->def && (like->def || like->rank < 0))
        like = NULL; /* the first of two operands decides */
    if (like && v->def && !sn_real_is_point(v->def->map))
        like = NULL;
    if (like) {
        sn_real_shape(cx, like);
        v->rank = like->rank;
        if (!v->def && !sn_real_stopped(cx))
            rank_is_said(cx, v);
        for (int i = 0; i < v->rank; i++)
            v->dim[i] = like->dim[i];
    } else if (v->def) {
        sn_real_open(cx, v->def);
    } else {
        leaf_shape(cx, v);
    }
    v->busy = false;
}

/* Operands of a node whose shape the condition gives: each dimension is 1 or
 * that of the result. */
void
sn_real_fits(SnRealProof *cx, const SnBoxNode *n)
{
    SnPolys *P = &cx->path.P;
    const SnBox *o = n->out;

    for (uint32_t i = 0; i < n->n->nin && !sn_real_stopped(cx); i++) {
        SnBox *v = n->in[i];
        if (!v || v->def)
            continue;
        sn_real_shape(cx, v);
        if (!sn_real_stopped(cx) && v->rank > o->rank)
            refuse(cx, n, "more dimensions than its result");
        for (int k = 0; k < v->rank && !sn_real_stopped(cx); k++) {
            SnPoly d = sn_poly_sub(P, v->dim[k], o->dim[k + o->rank - v->rank]);
            SnPoly one = sn_poly_plus(P, v->dim[k], -1);
            if (sn_real_knows_zero(cx, d) || sn_real_knows_zero(cx, one))
                continue;
            if (!sn_path_decide_zero(&cx->path, one))
                equal(cx, n, v->dim[k], o->dim[k + o->rank - v->rank],
                      "a dimension");
        }
    }
}
