// SPDX-License-Identifier: Apache-2.0
/* Both sides of a rule as values and nodes, and what its condition says about
 * ranks, types and permutations. */
#include "dsl/prove/index/side.h"

#include "dsl/model/expr_tree.h"
#include "dsl/resolve/resolver.h"

static void *
out(SnIndex *cx, const char *why)
{
    sn_path_stop(&cx->path, SN_PATH_OUT, "%s", why);
    return NULL;
}

/* ---- classes of ranks, types and permutations ---- */

int
sn_index_rank_rep(const SnIndex *cx, int rank)
{
    while (cx->same_rank[rank] != rank)
        rank = cx->same_rank[rank];
    return rank;
}

static void
equal_ranks(SnIndex *cx, int a, int b)
{
    cx->same_rank[sn_index_rank_rep(cx, a)] = sn_index_rank_rep(cx, b);
}

static int
new_rank(SnIndex *cx)
{
    if (cx->nrank == 64)
        out(cx, "too many values");
    else
        cx->same_rank[cx->nrank] = cx->nrank;
    return cx->nrank < 64 ? cx->nrank++ : 0;
}

const char *
sn_index_type_rep(const SnIndex *cx, const char *type)
{
    for (uint32_t hop = 0; hop < 64; hop++) {
        uint32_t i = 0;
        while (i < cx->ntype && cx->type[0][i] != type)
            i++;
        if (i == cx->ntype)
            break;
        type = cx->type[1][i];
    }
    return type;
}

static void
equal_types(SnIndex *cx, const char *a, const char *b)
{
    a = sn_index_type_rep(cx, sn_poly_word(&cx->path.P, a));
    b = sn_index_type_rep(cx, sn_poly_word(&cx->path.P, b));
    if (a == b || cx->ntype == 64)
        return;
    cx->type[0][cx->ntype] = a;
    cx->type[1][cx->ntype++] = b;
}

int
sn_index_gen(SnIndex *cx, const char *attr)
{
    for (uint32_t i = 0; i < cx->ngen; i++)
        if (cx->gen[i] == attr)
            return (int)i + 1;
    if (cx->ngen == SN_INDEX_NGEN) {
        out(cx, "too many permutations");
        return 1;
    }
    cx->gen[cx->ngen] = attr;
    cx->same_gen[cx->ngen] = (uint8_t)cx->ngen;
    return (int)++cx->ngen;
}

uint16_t
sn_index_base(SnIndex *cx, const char *attr)
{
    for (uint32_t i = 0; i < cx->nbase; i++)
        if (cx->base[i] == attr)
            return (uint16_t)(i + 1);
    if (cx->nbase == SN_INDEX_NGEN) {
        out(cx, "too many axes");
        return 1;
    }
    cx->base[cx->nbase++] = attr;
    return (uint16_t)cx->nbase;
}

/* ---- values and nodes ---- */

static SnIndexValue *
value(SnIndex *cx, const char *name, const char *type, int rank)
{
    SnIndexValue *v = SN_NEW(cx->a, SnIndexValue);

    *v = (SnIndexValue){
        .name = name, .type = sn_poly_word(&cx->path.P, type), .rank = rank};
    SN_PUSH(cx->a, cx->value, cx->nvalue, v);
    return v;
}

/* One scale for a whole tensor: scales along an axis also depend on places. */
static bool
per_tensor(const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        for (uint32_t k = 0; k < n->nin; k++)
            if (n->tuple[i].in[k].axis >= 0 ||
                n->tuple[i].in[k].elem == SN_ROW8)
                return false;
        for (uint32_t k = 0; k < n->nout; k++)
            if (n->tuple[i].out[k].axis >= 0)
                return false;
    }
    return true;
}

static bool
all_f32(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        if ((p->out ? n->tuple[i].out : n->tuple[i].in)[p->index].elem !=
            SN_F32)
            return false;
    return n->ntuple > 0;
}

static SnIndexNode *
node(SnIndex *cx, const SnDefNode *n, const char *name, bool left)
{
    SnIndexNode *v = SN_NEW(cx->a, SnIndexNode);

    if (!n || n->nout != 1 || n->has_effect || !n->rsem[0]->decl ||
        !n->rsem[0]->decl->decl)
        return out(cx, "a node without one result over a map");
    if (!per_tensor(n))
        return out(cx, sn_format(cx->a, "scales along an axis of %s", n->name));
    if (!left && n->nrinv)
        return out(cx, sn_format(cx->a, "an invariant of %s", n->name));
    *v = (SnIndexNode){.n = n,
                       .sem = n->rsem[0],
                       .map = n->rsem[0]->decl->decl,
                       .name = name,
                       .left = left};
    if (!sn_index_in_reach(v->map))
        return out(cx, sn_format(cx->a, "the form of map '%s'", v->map->name));
    v->in = SN_NEW_N(cx->a, SnIndexValue *, n->nin + 1);
    v->attr = SN_NEW_N(cx->a, SnIndexAttr *, n->nall + 1);
    SN_PUSH(cx->a, cx->node, cx->nnode, v);
    return v;
}

/* Ranks of a node's operands and result: equal if the map runs along one run;
 * for broadcast operands, if all have one rank. */
static void
ranks(SnIndex *cx, SnIndexNode *n)
{
    int join = -1;
    bool one = true;

    for (unsigned i = 0; i < n->map->nparam && !sn_index_is_flat(n->map); i++) {
        for (unsigned k = 0; k < sn_index_noperand(n, i); k++) {
            const SnIndexValue *x = sn_index_operand(n, i, k);
            if (!x)
                continue;
            int rank = sn_index_rank_rep(cx, x->rank);
            bool first = join < 0;
            if (n->map->param[i].item[0].kind != SN_MI_JOIN &&
                (n->left || first)) {
                equal_ranks(cx, rank, n->out->rank);
                join = rank;
                continue;
            }
            one &= join < 0 || join == rank;
            join = rank;
        }
    }
    if (join >= 0 && one)
        equal_ranks(cx, join, n->out->rank);
}

static void
result(SnIndex *cx, SnIndexNode *n, const char *type)
{
    n->out = value(cx, n->name, type, new_rank(cx));
    n->out->def = n;
    for (uint32_t i = 0; i < n->n->nin; i++) {
        if (n->in[i] && n->n->in[i]->fact == SN_SAME &&
            n->n->out[0]->fact == SN_SAME)
            equal_types(cx, n->in[i]->type, type);
        n->out->each |= n->in[i] && n->in[i]->each && !n->n->in[i]->variadic;
    }
    ranks(cx, n);
}

/* ---- left side ---- */

static SnIndexValue *pattern(SnIndex *cx, const SnPat *p);

static SnIndexValue *
leaf(SnIndex *cx, const char *name)
{
    return value(cx, name, sn_format(cx->a, "%s.type", name), new_rank(cx));
}

static SnIndexAttr *
own_attr(SnIndex *cx, SnIndexNode *v, const SnDefAttr *a, const SnPat *p)
{
    SnIndexAttr *r = SN_NEW(cx->a, SnIndexAttr);

    *r = (SnIndexAttr){
        .own = sn_poly_word(&cx->path.P,
                            sn_format(cx->a, "%s.%s", v->name, a->name)),
        .node = v,
        .attr = a};
    for (uint32_t i = 0; i < p->nasg; i++)
        if (p->asg[i].attr == a) {
            r->own = NULL;
            r->e = p->asg[i].e;
        }
    return r;
}

/* Operands first: nodes are in order of values. */
static SnIndexValue *
operand_of_pattern(SnIndex *cx, const SnPat *arg, const char *name)
{
    bool each = arg && (arg->pk == SN_P_EACH || arg->pk == SN_P_LIST);
    SnIndexValue *x;

    if (!arg || arg->pk == SN_P_WILD)
        return leaf(cx, name);
    if (each && arg->pk == SN_P_EACH && !cx->pr->alike)
        return out(cx, "operands of a list that may differ");
    x = pattern(cx, arg->pk == SN_P_EACH ? arg->arg[0] : arg);
    for (SnIndexValue *v = x; v && each; v = v->def ? v->def->in[0] : NULL)
        v->each = true;
    return x;
}

static SnIndexValue *
pattern_node(SnIndex *cx, const SnPat *p)
{
    const SnDefNode *n =
        p->pk == SN_P_CALL || !cx->pr->any ? p->node : cx->pr->any;
    const char *name =
        p->capture ? p->capture : sn_format(cx->a, "#%u", cx->nnode);
    SnIndexNode *v = node(cx, n, name, true);

    for (uint32_t i = 0; v && i < n->nin; i++)
        v->in[i] =
            operand_of_pattern(cx, p->by_port ? p->by_port[i] : NULL,
                               sn_format(cx->a, "%s.%s", name, n->in[i]->name));
    if (!v || sn_path_stopped(&cx->path))
        return NULL;
    for (uint32_t i = 0; i < n->nall; i++)
        v->attr[n->all[i]->index] = own_attr(cx, v, n->all[i], p);
    result(cx, v,
           all_f32(n, n->out[0]) ? "f32" : sn_format(cx->a, "%s.type", name));
    if (p->cap) {
        cx->bind[p->cap->index] = v->out;
        cx->bound[p->cap->index] = v;
    }
    return v->out;
}

static SnIndexValue *
pattern(SnIndex *cx, const SnPat *p)
{
    if (sn_path_stopped(&cx->path))
        return NULL;
    switch (p->pk) {
    case SN_P_VAR:
    case SN_P_LIST:
        if (!cx->bind[p->var->index])
            cx->bind[p->var->index] = leaf(cx, p->name);
        return cx->bind[p->var->index];
    case SN_P_CALL:
    case SN_P_FORMS:
    case SN_P_ANY:
        return pattern_node(cx, p);
    default:
        return out(cx, "a pattern outside the index calculus");
    }
}

/* ---- right side ---- */

static SnIndexValue *term(SnIndex *cx, const SnTerm *t);

/* The generator of the Transpose above the node that is renumbered. */
static int
moved_by(SnIndex *cx)
{
    for (uint32_t i = 0; i < cx->nnode; i++) {
        const SnIndexNode *n = cx->node[i];
        if (!n->left || n->n == cx->pr->node || n->sem->over != SN_MW_PERMUTE)
            continue;
        return sn_index_gen(
            cx, n->attr[((const SnDefAttr *)n->sem->arg[1]->ref)->index]->own);
    }
    out(cx, "attributes that follow what is no permutation");
    return 0;
}

static void
renumber(SnIndex *cx, SnIndexNode *v)
{
    for (unsigned i = 0; i < v->map->nparam; i++) {
        const SnIndexAttr *is = sn_index_arg(v, i);
        if (!is)
            continue;
        SnIndexAttr *a = v->attr[is->attr->index];
        SnMapAxisUse use = sn_map_axis_use(v->map, i);
        if (!sn_map_axes_free(v->map))
            out(cx, "axes that cannot be renumbered");
        else if (use != SN_MX_NONE && a->own) {
            a->use = use;
            a->perm = moved_by(cx);
        }
    }
}

static SnIndexAttr *
term_attr(SnIndex *cx, SnIndexNode *v, const SnDefAttr *a, const SnTerm *t)
{
    SnIndexAttr *r = SN_NEW(cx->a, SnIndexAttr);
    const SnIndexNode *like =
        t->like_var ? cx->bound[t->like_var->index] : NULL;

    *r = (SnIndexAttr){.e = a->def, .node = v, .attr = a};
    const SnDefAttr *same = like ? sn_def_attr(like->n, a->name) : NULL;
    if (same)
        *r = *like->attr[same->index];
    if (same && same != a && (a->where || a->ty != same->ty))
        out(cx, "an attribute like that of another kind");
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].attr == a) {
            *r = (SnIndexAttr){.e = t->asg[i].e, .node = v, .attr = a};
            if (a->where)
                out(cx, "a constraint of an attribute");
        }
    return r;
}

/* Does the name determine the type, as that of a quantized type does? */
static bool
one_type(const SnDefType *t)
{
    return t && t->nconc == 1 && !sn_conc_quant(t->conc[0]);
}

static const char *
term_type(SnIndex *cx, const SnTerm *t)
{
    const SnExpr *e = t->type ? t->type : t->forced;

    if (e && e->ek == SN_E_MEMBER && e->word == SN_W_TYPE &&
        e->kid[0]->rk == SN_R_VAR) {
        const SnIndexValue *v =
            cx->bind[((const SnDefVar *)e->kid[0]->ref)->index];
        return v ? v->type : NULL;
    }
    if (e && e->rk == SN_R_TYPE && !one_type(e->ref))
        return NULL;
    return e ? sn_expr_str(cx->a, e) : NULL;
}

/* The rank of a result that keeps the numbers of places is that of its list. */
static void
flat_rank(SnIndex *cx, const SnIndexNode *v)
{
    for (unsigned i = 0; i < v->map->nparam; i++) {
        const SnIndexAttr *a = sn_index_arg(v, i);
        const SnExpr *e = a && !a->own ? a->e : NULL;
        const SnIndexValue *o = NULL;
        if (a && a->own)
            o = a->node->out;
        else if (e && e->fn == SN_FN_DIMS && e->kid[0]->rk == SN_R_VAR)
            o = cx->bind[((const SnDefVar *)e->kid[0]->ref)->index];
        if (o)
            equal_ranks(cx, v->out->rank, o->rank);
    }
}

static SnIndexValue *
term_node(SnIndex *cx, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    SnIndexNode *v = node(cx, n, sn_format(cx->a, "#%u", cx->nnode), false);
    const char *type;

    for (uint32_t i = 0; v && i < n->nin; i++) {
        const SnTerm *a =
            n->in[i]->variadic && t->nlist == 1 ? t->list[0] : t->by_port[i];
        if (n->in[i]->variadic && t->nlist != 1)
            return out(cx, "a list of operands that is written out");
        if (a && a->tk != SN_T_NONE)
            v->in[i] = term(cx, a->tk == SN_T_EACH ? a->arg[0] : a);
    }
    type = v && all_f32(n, n->out[0]) ? "f32" : term_type(cx, t);
    if (!v || sn_path_stopped(&cx->path))
        return NULL;
    if (!type)
        return out(cx, "a type that nothing names");
    for (uint32_t i = 0; i < n->nall; i++)
        v->attr[n->all[i]->index] = term_attr(cx, v, n->all[i], t);
    if (cx->pr->renumber && n == cx->pr->node)
        renumber(cx, v);
    result(cx, v, type);
    if (sn_index_is_flat(v->map))
        flat_rank(cx, v);
    return v->out;
}

static SnIndexValue *
term(SnIndex *cx, const SnTerm *t)
{
    if (sn_path_stopped(&cx->path))
        return NULL;
    switch (t->tk) {
    case SN_T_VAR:
        if (!cx->bind[t->var->index])
            return out(cx, "a variable of another kind");
        return cx->bind[t->var->index];
    case SN_T_CALL:
        return term_node(cx, t);
    default:
        return out(cx, "a term outside the index calculus");
    }
}

/* ---- the condition ---- */

const SnIndexAttr *
sn_index_member(const SnIndex *cx, const SnExpr *e)
{
    const SnIndexNode *n;

    if (e->ek != SN_E_MEMBER || e->kid[0]->rk != SN_R_VAR)
        return NULL;
    n = cx->bound[((const SnDefVar *)e->kid[0]->ref)->index];
    const SnDefAttr *a = n ? sn_def_attr(n->n, e->s) : NULL;
    return a ? n->attr[a->index] : NULL;
}

/* The permutation that an expression names, or 0. */
static int
permutation(SnIndex *cx, const SnExpr *e)
{
    const SnIndexAttr *a = sn_index_member(cx, e);
    const SnIndexNode *n = a && a->own ? a->node : NULL;

    if (!n || n->sem->over != SN_MW_PERMUTE || n->sem->arg[1]->ref != a->attr)
        return 0;
    return sn_index_gen(cx, a->own);
}

static void
equal_permutations(SnIndex *cx, int p, int q)
{
    uint8_t was = cx->same_gen[p], is = cx->same_gen[q];

    for (uint32_t i = 0; i < cx->ngen; i++)
        if (cx->same_gen[i] == was)
            cx->same_gen[i] = is;
}

bool
sn_index_said_equal(SnIndex *cx, const char *a, const char *b)
{
    for (uint32_t i = 0; i < cx->nguard; i++) {
        const SnExpr *e = cx->guard[i];
        if (e->ek != SN_E_BIN || e->op != SN_OP_EQ)
            continue;
        const char *x =
            sn_poly_word(&cx->path.P, sn_expr_str(cx->a, e->kid[0]));
        const char *y =
            sn_poly_word(&cx->path.P, sn_expr_str(cx->a, e->kid[1]));
        if ((x == a && y == b) || (x == b && y == a))
            return true;
    }
    return false;
}

bool
sn_index_said_positive(SnIndex *cx, const char *a)
{
    a = sn_poly_word(&cx->path.P, a);
    for (uint32_t i = 0; i < cx->nguard; i++) {
        const SnExpr *e = cx->guard[i];
        if (e->ek == SN_E_BIN && e->op == SN_OP_GT &&
            e->kid[1]->ek == SN_E_INT && e->kid[1]->i == 0 &&
            sn_poly_word(&cx->path.P, sn_expr_str(cx->a, e->kid[0])) == a)
            return true;
    }
    return false;
}

static const SnIndexValue *
whose_shape(const SnIndex *cx, const SnExpr *e)
{
    if ((e->fn != SN_FN_SHAPE && e->fn != SN_FN_DIMS && e->fn != SN_FN_RANK) ||
        e->kid[0]->rk != SN_R_VAR)
        return NULL;
    return cx->bind[((const SnDefVar *)e->kid[0]->ref)->index];
}

static void
equation(SnIndex *cx, const SnExpr *a, const SnExpr *b)
{
    const SnIndexValue *x = whose_shape(cx, a), *y = whose_shape(cx, b);
    int p = permutation(cx, a), q = permutation(cx, b);

    if (x && y)
        equal_ranks(cx, x->rank, y->rank);
    if (p && q) {
        equal_permutations(cx, p - 1, q - 1);
        equal_ranks(cx, sn_index_member(cx, a)->node->out->rank,
                    sn_index_member(cx, b)->node->out->rank);
        return;
    }
    const SnIndexAttr *u = sn_index_member(cx, a);
    const SnIndexAttr *v = sn_index_member(cx, b);
    if (u && v && u->own && v->own && a->ty == SN_TY_INTS &&
        sn_index_is_flat(u->node->map) && sn_index_is_flat(v->node->map))
        equal_ranks(cx, u->node->out->rank, v->node->out->rank);
    bool list =
        (x && y && a->fn != SN_FN_RANK) || (a->ty == SN_TY_INTS && !p && !q);
    if (list && cx->nalike < 16)
        cx->alike[cx->nalike++] = (SnIndexAlike){a, b};
}

static void
condition(SnIndex *cx, const SnExpr *e)
{
    if (!e)
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        condition(cx, e->kid[0]);
        condition(cx, e->kid[1]);
        return;
    }
    if (cx->nguard < 32)
        cx->guard[cx->nguard++] = e;
    if (e->fn == SN_FN_IDENTITY && permutation(cx, e->kid[0]))
        cx->identity[permutation(cx, e->kid[0]) - 1] = true;
    if (e->ek != SN_E_BIN || e->op != SN_OP_EQ)
        return;
    const SnExpr *k[2] = {e->kid[0], e->kid[1]};
    const char *t[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        if (k[i]->ek == SN_E_MEMBER && k[i]->word == SN_W_TYPE &&
            k[i]->kid[0]->rk == SN_R_VAR &&
            cx->bind[((const SnDefVar *)k[i]->kid[0]->ref)->index])
            t[i] = cx->bind[((const SnDefVar *)k[i]->kid[0]->ref)->index]->type;
        else if (k[i]->rk == SN_R_TYPE && one_type(k[i]->ref))
            t[i] = sn_expr_str(cx->a, k[i]);
    if (t[0] && t[1])
        equal_types(cx, t[0], t[1]);
    else
        equation(cx, k[0], k[1]);
}

/* An axis of a node's result is also one of its operands. */
static void
one_rank(SnIndex *cx, const SnIndexNode *n)
{
    for (uint32_t i = 0; i < n->n->nin && !sn_index_is_flat(n->map); i++)
        if (n->in[i] && sn_index_rank_rep(cx, n->in[i]->rank) !=
                            sn_index_rank_rep(cx, n->out->rank))
            out(cx, "values whose ranks may differ");
}

bool
sn_index_one_class(const SnIndex *cx)
{
    for (int i = 1; i < cx->nrank; i++)
        if (sn_index_rank_rep(cx, i) != sn_index_rank_rep(cx, 0))
            return false;
    return true;
}

SnAxis
sn_axis_of(SnIndex *cx, const SnIndexValue *v)
{
    int rank = sn_index_rank_rep(cx, v->rank);

    if (rank == sn_index_rank_rep(cx, cx->left->rank))
        return sn_axis_any();
    return (SnAxis){.base = sn_index_base(
                        cx, sn_poly_word(&cx->path.P,
                                         sn_format(cx->a, "any of %d", rank)))};
}

SnPoly
sn_index_rank(SnIndex *cx, const SnIndexValue *v)
{
    return sn_poly_name(
        &cx->path.P,
        sn_format(cx->a, "rank(%d)", v ? sn_index_rank_rep(cx, v->rank) : -1));
}

bool
sn_index_sides(SnIndex *cx)
{
    const SnDefRule *r = cx->pr->r;

    if (r->nlet || r->nmore || !r->rhs || cx->pr->swap || cx->pr->commutes)
        out(cx, "a rule with components or several results");
    cx->bind = SN_NEW_N(cx->a, SnIndexValue *, r->nvar + 1);
    cx->bound = SN_NEW_N(cx->a, SnIndexNode *, r->nvar + 1);
    cx->left = pattern(cx, r->pat);
    if (!sn_path_stopped(&cx->path))
        condition(cx, r->need);
    for (uint32_t i = 0; i < cx->nnode && !sn_path_stopped(&cx->path); i++)
        ranks(cx, cx->node[i]);
    cx->right = term(cx, r->rhs);
    for (uint32_t i = 0; i < cx->nnode && !sn_path_stopped(&cx->path); i++)
        one_rank(cx, cx->node[i]);
    return !sn_path_stopped(&cx->path) && cx->left && cx->right;
}

bool
sn_index_alone(SnIndex *cx, const SnDefNode *n)
{
    SnPat *p = SN_NEW(cx->a, SnPat);

    p->pk = SN_P_CALL;
    p->node = n;
    cx->left = pattern(cx, p);
    for (uint32_t i = 0; i < cx->nnode && !sn_path_stopped(&cx->path); i++)
        one_rank(cx, cx->node[i]);
    return !sn_path_stopped(&cx->path) && cx->left;
}
