// SPDX-License-Identifier: Apache-2.0
/* Conjuncts of a rule's condition that speak of types and clamps alone: tested
 * while its left side is drawn, before shapes are.  No case is lost that meets
 * the condition. */
#include "dsl/prove/trial/case.h"

#include <string.h>
#include "dsl/model/reads.h"

/* ---- which conjuncts ---- */

/* What a conjunct reads of variables, a bit for each. */
typedef struct Reads {
    uint64_t types, attrs;
} Reads;

/* A variable that is bound once. */
static const SnDefVar *
single(const SnExpr *e)
{
    const SnDefVar *v = e->ek == SN_E_NAME && e->rk == SN_R_VAR ? e->ref : NULL;

    return v && !v->each && v->index < 64 &&
                   (v->vk == SN_V_NODE || v->vk == SN_V_VALUE)
               ? v
               : NULL;
}

/* Attributes of reals and ranges are drawn before shapes, whatever the map. */
static bool
member(const SnExpr *e, Reads *r)
{
    const SnDefVar *v = single(e->kid[0]);
    bool type = e->word == SN_W_TYPE && e->ty == SN_TY_ETYPE;

    if (!v || e->rk == SN_R_PORT)
        return false;
    const SnDefAttr *a = v->node ? sn_def_attr(v->node, e->s) : NULL;
    if (a && !type) {
        r->attrs |= UINT64_C(1) << v->index;
        return a->ty == SN_A_RANGE || a->ty == SN_A_REAL;
    }
    r->types |= UINT64_C(1) << v->index;
    return type || ((v->vk == SN_V_VALUE || v->node) &&
                    (e->word == SN_W_SCALE || e->word == SN_W_ZP));
}

static bool early(const SnExpr *e, Reads *r);

/* Functions of types, clamps and numbers. */
static bool
call(const SnExpr *e, Reads *r)
{
    const SnDefVar *v = e->nkid ? single(e->kid[0]) : NULL;

    switch (e->rk == SN_R_TYPE ? SN_FN_COVERS : e->fn) {
    case SN_FN_REACH: /* of a node, too: its result's clamp */
        if (!v)
            return false;
        r->types |= UINT64_C(1) << v->index;
        r->attrs |= v->vk == SN_V_NODE ? UINT64_C(1) << v->index : 0;
        return true;
    case SN_FN_COVERS:
    case SN_FN_LO:
    case SN_FN_HI:
    case SN_FN_MEET:
    case SN_FN_MIN:
    case SN_FN_MAX:
    case SN_FN_ABS:
    case SN_FN_SQRT:
        break;
    default:
        return false;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        if (!early(e->kid[i], r))
            return false;
    return true;
}

static bool
early(const SnExpr *e, Reads *r)
{
    switch (e->ek) {
    case SN_E_INT:
    case SN_E_REAL:
    case SN_E_BOOL:
        return true;
    case SN_E_NAME:
        return e->rk == SN_R_TYPE || e->rk == SN_R_WORD || e->rk == SN_R_FUNC;
    case SN_E_MEMBER:
        return member(e, r);
    case SN_E_CALL:
        return call(e, r);
    case SN_E_NEG:
    case SN_E_NOT:
    case SN_E_BIN:
    case SN_E_IN:
        for (uint32_t i = 0; i < e->nkid; i++)
            if (!early(e->kid[i], r))
                return false;
        return true;
    default:
        return false;
    }
}

void
sn_case_early_find(SnCaseShared *y, const SnExpr *when)
{
    Reads r = {0};

    if (when && when->ek == SN_E_BIN && when->op == SN_OP_AND) {
        sn_case_early_find(y, when->kid[0]);
        sn_case_early_find(y, when->kid[1]);
    } else if (when && y->nearly < SN_CASE_NEARLY && early(when, &r) &&
               (r.types | r.attrs)) {
        y->early[y->nearly] = when;
        y->types[y->nearly] = r.types;
        y->attrs[y->nearly++] = r.attrs;
    }
}

/* ---- while a case is drawn ---- */

static bool
test(SnProofCase *c)
{
    if (c->fail)
        return false;
    for (uint32_t i = 0; i < c->shared->nearly; i++) {
        if (c->tested >> i & 1 || c->shared->types[i] & ~c->typed ||
            c->shared->attrs[i] & ~c->set)
            continue;
        c->tested |= UINT32_C(1) << i;
        if (!sn_case_cond(c, c->shared->early[i])) {
            c->unmet = true;
            return sn_case_no(c, "the condition does not hold");
        }
    }
    return true;
}

/* Types along an axis are not yet cut to it, and a bias may get another one. */
bool
sn_case_early_type(SnProofCase *c, const SnDefVar *v, const SnCaseType *t)
{
    if (!c->shared || c->in_each || v->index >= 64 || t->axis >= 0 ||
        c->pr->given_bias)
        return true;
    c->typed |= UINT64_C(1) << v->index;
    return test(c);
}

bool
sn_case_early_attrs(SnProofCase *c, const SnDefVar *v)
{
    if (!c->shared || c->in_each || v->index >= 64)
        return true;
    c->set |= UINT64_C(1) << v->index;
    return test(c);
}

/* ---- what follows from the rule alone ---- */

static bool
flat_map(const SnDefNode *n)
{
    return n->nin == 0 || sn_sem_each_repeats(n->rsem[0]);
}

static bool
flat_pat(const SnProofCase *c, const SnPat *p)
{
    const SnDefNode *n =
        (p->pk == SN_P_ANY || p->pk == SN_P_FORMS) ? c->pr->any : p->node;

    if (n && !flat_map(n))
        return false;
    for (uint32_t i = 0; i < p->narg; i++)
        if (!flat_pat(c, p->arg[i]))
            return false;
    return true;
}

/* Is there a node that may add its zero point before it rounds? */
static bool
rounds(const SnProofCase *c, const SnPat *p)
{
    const SnDefNode *n =
        (p->pk == SN_P_ANY || p->pk == SN_P_FORMS) ? c->pr->any : p->node;
    bool is = n && sn_def_attr(n, "round");

    for (uint32_t i = 0; i < p->narg; i++)
        is |= rounds(c, p->arg[i]);
    return is;
}

static SnMapWord
ranked_map(const SnProofCase *c, const SnPat *p)
{
    const SnDefNode *n =
        (p->pk == SN_P_ANY || p->pk == SN_P_FORMS) ? c->pr->any : p->node;
    SnMapWord m = n && n->nout ? n->rsem[0]->over : SN_MW_NONE;

    if (m == SN_MW_TABLE || m == SN_MW_MATMUL || m == SN_MW_CONV ||
        m == SN_MW_SPACE_TO_DEPTH || m == SN_MW_DEPTH_TO_SPACE ||
        m == SN_MW_CONV_TRANSPOSE || m == SN_MW_POOL)
        return m;
    m = SN_MW_NONE;
    for (uint32_t i = 0; !m && i < p->narg; i++)
        m = ranked_map(c, p->arg[i]);
    return m;
}

static bool
flat_term(const SnTerm *t)
{
    if (t->tk == SN_T_CALL && t->node && !flat_map(t->node))
        return false;
    for (uint32_t i = 0; i < t->narg; i++)
        if (!flat_term(t->arg[i]))
            return false;
    return true;
}

/* The numbers and types that the rule names are corners of its conditions. */
static void
numbers(SnProofCase *c, const SnExpr *e)
{
    if (!e || c->nnumber == 12)
        return;
    if (e->ek == SN_E_CALL && e->rk == SN_R_TYPE && c->npool < 4) {
        SnExprValue v = sn_case_expr(c, e);
        if (v.ty == SN_TY_ETYPE && v.typed && v.t.axis < 0)
            c->pool[c->npool++] = v.t;
        else if (v.ty == SN_TY_ETYPE && v.typed && c->nodd < 2)
            c->odd[c->nodd++] = v.t;
        return;
    }
    if (e->ek == SN_E_INT || e->ek == SN_E_REAL)
        c->number[c->nnumber++] = e->ek == SN_E_INT ? (double)e->i : e->r;
    for (uint32_t i = 0; i < e->nkid; i++)
        numbers(c, e->kid[i]);
}

static void
numbers_of(SnProofCase *c, const SnPat *p)
{
    for (uint32_t i = 0; i < p->nasg; i++)
        numbers(c, p->asg[i].e);
    for (uint32_t i = 0; i < p->narg; i++)
        numbers_of(c, p->arg[i]);
}

static bool
names_shape(const SnExpr *e)
{
    if (!e)
        return false;
    if (e->fn == SN_FN_DIM || e->fn == SN_FN_RANK)
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (names_shape(e->kid[i]))
            return true;
    return false;
}

/* Types at which a result is fixed are also drawn for other values. */
static void
seed_node(SnProofCase *c, const SnDefNode *n)
{
    if (!n || !n->nout || n->out[0]->fact != SN_FIXED || c->npool >= 4)
        return;
    SnCaseType t = {.elem = SN_QI8, .axis = -1, .nq = 1};
    t.scale[0] = (float)n->out[0]->fixed_scale;
    t.zp[0] = (int32_t)n->out[0]->fixed_zp;
    c->pool[c->npool++] = t;
}

static void
seed_fixed(SnProofCase *c, const SnPat *p, const SnTerm *t)
{
    seed_node(c, p->node);
    for (uint32_t i = 0; i < p->narg; i++)
        seed_fixed(c, p->arg[i], NULL);
    if (t)
        seed_node(c, t->node);
}

/* What follows from the rule alone. */
void
sn_case_seed(SnProofCase *c)
{
    c->map = ranked_map(c, c->r->pat);
    c->vector = flat_pat(c, c->r->pat) && (!c->r->rhs || flat_term(c->r->rhs));
    c->shaped = names_shape(c->r->need);
    c->rounds = rounds(c, c->r->pat);
    seed_fixed(c, c->r->pat, c->r->rhs);
    numbers(c, c->r->need);
    numbers_of(c, c->r->pat);
}

/* The same, from a case that was seeded. */
void
sn_case_seed_from(SnProofCase *c, const SnProofCase *x)
{
    c->map = x->map;
    c->vector = x->vector;
    c->shaped = x->shaped;
    c->rounds = x->rounds;
    c->npool = x->npool;
    c->nodd = x->nodd;
    c->nnumber = x->nnumber;
    memcpy(c->pool, x->pool, x->npool * sizeof *x->pool);
    memcpy(c->odd, x->odd, x->nodd * sizeof *x->odd);
    memcpy(c->number, x->number, x->nnumber * sizeof *x->number);
}
