// SPDX-License-Identifier: Apache-2.0
/* Types: if real arithmetic is compared, all values are reals; if elements are
 * only moved, both results have one type.  Also the shapes of
 * element-by-element rules. */
#include "dsl/prove/real/box.h"

#include <string.h>

static uint32_t
bit(int8_t elem)
{
    return elem >= 0 ? 1u << elem : 0;
}

/* ---- known types ---- */

/* v.type == t, v.type in [t, u]. */
static void
said(SnRealProof *cx, const SnExpr *e)
{
    const SnDefType *t;
    SnBox *v;

    uint32_t elems = 0;

    if (!(e->ek == SN_E_BIN && e->op == SN_OP_EQ) && e->ek != SN_E_IN)
        return;
    if (e->kid[0]->ek != SN_E_MEMBER || e->kid[0]->word != SN_W_TYPE ||
        e->kid[0]->kid[0]->rk != SN_R_VAR)
        return;
    v = cx->bind[((const SnDefVar *)e->kid[0]->kid[0]->ref)->index];
    for (uint32_t k = 1; k < e->nkid; k++) {
        if (e->kid[k]->rk != SN_R_TYPE)
            return;
        t = e->kid[k]->ref;
        for (uint32_t i = 0; i < t->nconc; i++)
            elems |= bit(t->conc[i].elem);
    }
    if (v)
        v->elems &= elems;
}

static bool
possible(const SnBoxNode *n, const SnDefTuple *t)
{
    const SnBox *v;

    for (uint32_t i = 0; i < n->n->nin; i++)
        for (uint32_t k = 0; (v = sn_real_nth(n, i, k)); k++)
            if (!(v->elems & bit(t->in[i].elem)))
                return false;
    return n->out->elems & bit(t->out[0].elem);
}

/* Narrows the types of n's operands and result to those of its tuples. */
static bool
narrow(const SnBoxNode *n)
{
    uint32_t in[16] = {0}, out = 0;
    bool changed = false;
    SnBox *v;

    for (uint32_t k = 0; k < n->n->ntuple; k++) {
        const SnDefTuple *t = &n->n->tuple[k];
        if (!possible(n, t))
            continue;
        out |= bit(t->out[0].elem);
        for (uint32_t i = 0; i < n->n->nin && i < 16; i++)
            in[i] |= bit(t->in[i].elem);
    }
    changed = (n->out->elems & out) != n->out->elems;
    n->out->elems &= out;
    for (uint32_t i = 0; i < n->n->nin && i < 16; i++)
        for (uint32_t k = 0; (v = sn_real_nth(n, i, k)); k++) {
            changed |= (v->elems & in[i]) != v->elems;
            v->elems &= in[i];
        }
    return changed;
}

static void
settle(SnRealProof *cx, bool left)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < cx->nnode; i++)
            if (cx->node[i]->left == left)
                changed |= narrow(cx->node[i]);
    }
}

static bool
is_data(const SnBoxNode *n, uint32_t port)
{
    int p = sn_real_param_of(n, n->n->in[port]);

    return p >= 0 && n->map->param[p].data == 'i';
}

static bool
is_real(SnRealProof *cx, const SnBox *v)
{
    if (!v->elems)
        sn_path_stop(&cx->path,
                     v->def && !v->def->left ? SN_PATH_FAIL : SN_PATH_DEAD,
                     "no types fit '%s'", v->name);
    return v->elems == bit(SN_F32);
}

static bool
only_real(SnRealProof *cx)
{
    bool all = true;
    const SnBox *v;

    for (uint32_t i = 0; i < cx->nnode; i++) {
        const SnBoxNode *n = cx->node[i];
        all &= is_real(cx, n->out);
        for (uint32_t k = 0; k < n->n->nin; k++)
            for (uint32_t j = 0; (v = sn_real_nth(n, k, j)); j++)
                all &= is_data(n, k) || is_real(cx, v);
    }
    return all;
}

/* The operand that has v's type, as far up as facts show. */
static const SnBox *
type_of(const SnBox *v)
{
    while (v->def && v->def->n->out[0]->fact == SN_SAME) {
        const SnBox *up = NULL;
        for (uint32_t i = 0; i < v->def->n->nin && !up; i++)
            if (v->def->n->in[i]->fact == SN_SAME)
                up = v->def->in[i];
        if (!up)
            break;
        v = up;
    }
    return v;
}

/* ---- sums of products of codes ---- */

static bool
is_arg(const SnBoxNode *n, const SnDefAttr *a)
{
    for (uint32_t i = 0; i < n->sem->narg; i++)
        if (n->sem->arg[i]->ref == a)
            return true;
    return false;
}

static bool
same_attr(const SnRealProof *cx, const SnBoxAttr *a, const SnBoxAttr *b)
{
    bool same = a->full == b->full && a->i.n == b->i.n &&
                sn_ring_same(&cx->R, a->r, b->r);

    for (uint32_t i = 0; i < a->i.n && same; i++)
        same = sn_poly_same(a->i.v[i], b->i.v[i]);
    for (int k = 0; k < 2 && same && !a->full; k++)
        same = a->has[k] == b->has[k] &&
               (!a->has[k] || sn_ring_same(&cx->R, a->side[k], b->side[k]));
    return same;
}

/* The root's own type, as the right side writes it. */
static bool
says_type_of(const SnRealProof *cx, const SnBox *l)
{
    const SnExpr *e = cx->pr->r->rhs->type;

    return e && e->ek == SN_E_MEMBER && e->word == SN_W_TYPE &&
           e->kid[0]->rk == SN_R_VAR &&
           cx->bind[((const SnDefVar *)e->kid[0]->ref)->index] == l;
}

/* One sum of products on both sides, of codes of equal types, with equal
 * attributes but those of its map: if the sums are equal as integers, its row
 * makes the same codes from them. */
static bool
one_contract(const SnRealProof *cx, const SnBox *l, const SnBox *r)
{
    const SnBoxNode *a = l->def, *b = r->def;

    if (!a || !b || a->n != b->n || a->sem->cls != SN_C_CONTRACT ||
        (l->elems & bit(SN_F32)) || !says_type_of(cx, l))
        return false;
    for (uint32_t i = 0; i < a->n->nin; i++)
        if (!a->in[i] != !b->in[i] ||
            (a->in[i] && type_of(a->in[i]) != type_of(b->in[i])))
            return false;
    for (uint32_t i = 0; i < a->n->nall; i++)
        if (!is_arg(a, a->n->all[i]) &&
            !same_attr(cx, sn_real_attr(a, a->n->all[i]),
                       sn_real_attr(b, a->n->all[i])))
            return false;
    return true;
}

/* Is there one type that both can have, and no more about it than its name? */
static bool
one_plain_type(const SnBox *l, const SnBox *r)
{
    return l->elems == r->elems &&
           (l->elems == bit(SN_I8) || l->elems == bit(SN_I32) ||
            l->elems == bit(SN_I64) || l->elems == bit(SN_BOOL));
}

/* The plain type that holds the same values. */
static int
storage(int8_t elem)
{
    return elem == SN_QI8 ? SN_I8 : elem == SN_QI32 ? SN_I32 : elem;
}

/* Does n take each element as it is?  One that is moved into another type may
 * not fit there. */
static bool
keeps_values(const SnBoxNode *n)
{
    bool all = true;

    for (uint32_t k = 0; k < n->n->ntuple; k++) {
        const SnDefTuple *t = &n->n->tuple[k];
        for (uint32_t i = 0; i < n->n->nin && possible(n, t); i++)
            all &= !n->in[i] || is_data(n, i) ||
                   storage(t->in[i].elem) == storage(t->out[0].elem);
    }
    return all;
}

void
sn_real_types(SnRealProof *cx, SnBox *l, SnBox *r)
{
    for (uint32_t i = 0; i < cx->nfact; i++)
        said(cx, cx->fact[i]);
    if (cx->pr->r->lower)
        l->elems &= bit(SN_F32);
    settle(cx, true);
    r->elems &= l->elems;
    settle(cx, false);
    cx->all_real = only_real(cx);
    if (cx->all_real || sn_real_stopped(cx))
        return;
    if (cx->pr->r->claim.kind == SN_CLAIM_REAL)
        sn_real_out(cx, "types that may not be real");
    else if (one_contract(cx, l, r))
        cx->codes[0] = r->def, cx->codes[1] = l->def;
    else if (type_of(l) != type_of(r) && !one_plain_type(l, r))
        sn_real_out(cx, "types that are not proved equal");
    for (uint32_t i = 0; i < cx->nnode; i++)
        if (cx->node[i] != cx->codes[0] && cx->node[i] != cx->codes[1] &&
            !keeps_values(cx->node[i]))
            cx->retypes = true;
}

/* ---- element by element ---- */

static bool
point_node(const SnDefNode *n)
{
    const SnMapDecl *d =
        n && n->nout == 1 && n->rsem[0]->decl ? n->rsem[0]->decl->decl : NULL;

    return d && (!sn_map_stmt(d, SN_MS_READ) || sn_real_is_point(d));
}

static bool
point_pattern(const SnPat *p)
{
    if (p->pk == SN_P_CALL && !point_node(p->node))
        return false;
    for (uint32_t i = 0; i < p->narg; i++)
        if (!point_pattern(p->arg[i]))
            return false;
    return p->pk == SN_P_CALL || p->pk == SN_P_VAR || p->pk == SN_P_WILD;
}

static bool
point_term(const SnTerm *t)
{
    if (t->tk == SN_T_CALL && !point_node(t->node))
        return false;
    for (uint32_t i = 0; i < t->narg; i++)
        if (!point_term(t->arg[i]))
            return false;
    return true;
}

bool
sn_real_all_point(const SnDefRule *r)
{
    for (uint32_t i = 0; i < r->nlet; i++)
        if (!point_term(r->let[i]))
            return false;
    return r->rhs && point_pattern(r->pat) && point_term(r->rhs);
}

typedef struct Leaves {
    uint32_t n;
    const SnBox *v[64];
} Leaves;

static bool
has(const Leaves *s, const SnBox *v)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i] == v)
            return true;
    return false;
}

/* The values that determine v's shape: operands, and values with their own
 * shape. */
static void
leaves(SnRealProof *cx, const SnBox *v, Leaves *s)
{
    if (!v || has(s, v))
        return;
    if (!v->def || !sn_map_stmt(v->def->map, SN_MS_READ)) {
        if (s->n == 64)
            sn_real_out(cx, "too many operands");
        else
            s->v[s->n++] = v;
        return;
    }
    for (uint32_t i = 0; i < v->def->n->nin; i++)
        leaves(cx, v->def->in[i], s);
}

static bool
has_axes(SnRealProof *cx, const SnBox *v)
{
    for (uint32_t i = 0; i < cx->nfact; i++) {
        const SnExpr *e = cx->fact[i];
        if (e->ek == SN_E_BIN && e->op == SN_OP_GE &&
            e->kid[0]->ek == SN_E_CALL && e->kid[0]->fn == SN_FN_RANK &&
            e->kid[0]->kid[0]->rk == SN_R_VAR && e->kid[1]->ek == SN_E_INT &&
            e->kid[1]->i >= 1 &&
            cx->bind[((const SnDefVar *)e->kid[0]->kid[0]->ref)->index] == v)
            return true;
    }
    return false;
}

static const SnExpr *
dims_of(const SnBox *fill)
{
    for (uint32_t i = 0; i < fill->def->n->nall; i++)
        if (fill->def->n->all[i]->ty == SN_A_INTS)
            return sn_real_attr(fill->def, fill->def->n->all[i])->e;
    return NULL;
}

/* A value of the right side whose shape adds nothing to that of the operands:
 * [1], [dim(x, -1)] with an x that has axes, dims(x). */
static bool
adds_nothing(SnRealProof *cx, const SnBox *fill, const Leaves *s)
{
    const SnExpr *e = dims_of(fill), *k;
    const SnBox *x = NULL;

    if (!e)
        return false;
    k = e->ek == SN_E_LIST && e->nkid == 1 ? e->kid[0] : e;
    if (k->ek == SN_E_CALL && k->kid[0]->rk == SN_R_VAR)
        x = cx->bind[((const SnDefVar *)k->kid[0]->ref)->index];
    if (k == e)
        return (e->ek == SN_E_LIST && e->nkid == 0) ||
               (k->ek == SN_E_CALL && k->fn == SN_FN_DIMS && has(s, x));
    if (k->ek == SN_E_CALL && k->fn == SN_FN_DIM)
        return k->kid[1]->ek == SN_E_NEG && k->kid[1]->kid[0]->ek == SN_E_INT &&
               k->kid[1]->kid[0]->i == 1 && has(s, x) && has_axes(cx, x);
    for (uint32_t i = 0; i < s->n && k->ek == SN_E_INT && k->i == 1; i++)
        if (has_axes(cx, s->v[i]))
            return true;
    return false;
}

void
sn_real_point_shapes(SnRealProof *cx, const SnBox *l, const SnBox *r)
{
    Leaves a = {0}, b = {0};
    SnBox *x, *y;
    bool same = true;

    leaves(cx, l, &a);
    leaves(cx, r, &b);
    for (uint32_t i = 0; i < b.n; i++)
        if (b.v[i]->def && !b.v[i]->def->left && !adds_nothing(cx, b.v[i], &b))
            sn_real_out(cx, "the shape of a value of the right side");
    for (uint32_t i = 0; i < a.n; i++)
        same &= has(&b, a.v[i]);
    for (uint32_t i = 0; i < cx->nfact && !same; i++)
        same = sn_real_same_shape(cx, cx->fact[i], &x, &y) &&
               ((x == l && has(&b, y)) || (y == l && has(&b, x)));
    if (!same)
        sn_path_stop(&cx->path, SN_PATH_FAIL, "the shape may be another one");
}
