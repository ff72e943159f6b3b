/* Conditions as literals: which exclude, and which imply each other. */
#include <string.h>
#include "dsl/order_priv.h"

/* ---- hashes ---- */

uint64_t
sn_or_mix(uint64_t h, uint64_t v)
{
    h ^= v + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
    return h * UINT64_C(0xff51afd7ed558ccd);
}

uint64_t
sn_or_hash_str(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; s && *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static SnOt *
operand_of(SnOt *t, const char *name)
{
    for (uint32_t i = 0; t->node && i < t->node->nin && i < t->narg; i++)
        if (!strcmp(t->node->in[i]->name, name))
            return t->arg[i];
    return NULL;
}

SnOt *
sn_or_var_term(const SnOr *r, const SnExpr *e)
{
    if (e->rk != SN_R_VAR)
        return NULL;
    const SnDefVar *v = e->ref;
    return v->vk == SN_V_LET ? NULL : r->var[v->index];
}

static uint64_t
attr_hash(SnOt *t, const char *name)
{
    return sn_or_mix(sn_or_hash_str(name), (uint64_t)(uintptr_t)sn_ot_get(t));
}

static uint64_t
hash(const SnOr *r, const SnExpr *e)
{
    uint64_t h = sn_or_mix((uint64_t)e->ek, e->ek == SN_E_BIN ? e->op + 1u : 0);
    SnOt *t;

    if (e->ek == SN_E_NAME && (t = sn_or_var_term(r, e)))
        return (uint64_t)(uintptr_t)sn_ot_get(t);
    if (e->ek == SN_E_MEMBER && (t = sn_or_var_term(r, e->kid[0]))) {
        SnOt *o = operand_of(sn_ot_get(t), e->s);
        return o ? (uint64_t)(uintptr_t)sn_ot_get(o) : attr_hash(t, e->s);
    }
    h = sn_or_mix(h, sn_or_hash_str(e->s));
    h = sn_or_mix(h, (uint64_t)e->i);
    for (uint32_t i = 0; i < e->nkid; i++)
        h = sn_or_mix(h, hash(r, e->kid[i]));
    return h ? h : 1;
}

static bool
constant(const SnExpr *e)
{
    if (e->ek == SN_E_NAME)
        return e->rk == SN_R_WORD || e->rk == SN_R_TYPE;
    if (e->ek == SN_E_MEMBER || e->ek == SN_E_CALL)
        return false;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (!constant(e->kid[i]))
            return false;
    return true;
}

static uint64_t
binary(const SnOr *r, const SnExpr *e, SnOp op, bool swap)
{
    uint64_t a = hash(r, e->kid[swap]), b = hash(r, e->kid[!swap]);

    if (op == SN_OP_EQ && a > b) {
        uint64_t t = a;
        a = b;
        b = t;
    }
    return sn_or_mix(sn_or_mix(sn_or_mix((uint64_t)SN_E_BIN, op + 1u), a), b);
}

SnLit
sn_or_lit(const SnOr *r, const SnExpr *e)
{
    SnLit l = {.e = e};

    while (e->ek == SN_E_NOT) {
        l.neg = !l.neg;
        e = e->kid[0];
    }
    if (e->ek != SN_E_BIN) {
        l.hash = hash(r, e);
        return l;
    }
    switch (e->op) {
    case SN_OP_EQ:
    case SN_OP_NE:
        l.neg ^= e->op == SN_OP_NE;
        l.hash = binary(r, e, SN_OP_EQ, false);
        for (int k = 0; k < 2; k++)
            if (constant(e->kid[!k]) && !constant(e->kid[k])) {
                l.hash = hash(r, e->kid[k]);
                l.value = hash(r, e->kid[!k]);
            }
        break;
    case SN_OP_GE: /* not a < b */
        l.neg = !l.neg;
        l.hash = binary(r, e, SN_OP_LT, false);
        break;
    case SN_OP_LE: /* not b < a */
        l.neg = !l.neg;
        l.hash = binary(r, e, SN_OP_LT, true);
        break;
    case SN_OP_GT:
        l.hash = binary(r, e, SN_OP_LT, true);
        break;
    default:
        l.hash = binary(r, e, e->op, false);
        break;
    }
    return l;
}

/* What a pattern asks of attributes: {trans_b = true}. */
static void
asg_lits(SnOc *c, const SnOr *r, SnOt *t, SnLit **v, uint32_t *n)
{
    for (uint32_t i = 0; i < t->nasg && !t->fresh; i++) {
        const SnExpr *e = t->asg[i].e;
        SnLit l = {.hash = attr_hash(t, t->asg[i].name)};
        if (e->ek == SN_E_BOOL)
            l.neg = !e->i;
        else
            l.value = hash(r, e);
        SN_PUSH(c->a, *v, *n, l);
    }
    for (uint32_t i = 0; i < t->narg; i++)
        asg_lits(c, r, t->arg[i], v, n);
}

uint32_t
sn_or_lits(SnOc *c, const SnOr *r, SnLit **v)
{
    uint32_t n = 0;

    *v = NULL;
    for (uint32_t i = 0; i < r->nguard; i++) {
        SnLit l = sn_or_lit(r, r->guard[i]);
        SN_PUSH(c->a, *v, n, l);
    }
    asg_lits(c, r, r->lhs, v, &n);
    return n;
}

bool
sn_lits_disjoint(const SnLit *a, uint32_t na, const SnLit *b, uint32_t nb)
{
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++)
            if (a[i].hash == b[j].hash &&
                (a[i].value == b[j].value
                     ? a[i].neg != b[j].neg
                     : a[i].value && b[j].value && !a[i].neg && !b[j].neg))
                return true;
    return false;
}

bool
sn_lits_imply(const SnLit *a, uint32_t na, SnLit b)
{
    for (uint32_t i = 0; i < na; i++)
        if (a[i].hash == b.hash && a[i].value == b.value &&
            a[i].neg == b.neg)
            return true;
    return false;
}
