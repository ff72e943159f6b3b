// SPDX-License-Identifier: Apache-2.0
/* Conjuncts of a rule's condition that speak of types and clamps alone: tested
 * while its left side is drawn, before shapes are.  No case is lost that meets
 * the condition. */
#include "dsl/prove/trial/case.h"

#include "dsl/model/model.h"

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
