// SPDX-License-Identifier: Apache-2.0
/* Roundings on the way to an element of either side, counted in formulas.
 *
 * Each operation of binary32 moves its result by 2^-24 of it at most.  To first
 * order, an element that passes n roundings is off by n * 2^-24 of the largest
 * value on the way: of the same formula with magnitudes in the place of terms,
 * where differences are sums.  A sum over taps rounds once a tap. */
#include "dsl/prove/judge/prove_rounds.h"

#include "dsl/resolve/resolver.h"

typedef struct Rounds {
    uint32_t n, tap; /* roundings, and those of each tap of a sum */
} Rounds;

/* The node whose operands a formula reads: on the left side or on the right. */
typedef struct Node {
    const SnInstance *pr;
    const SnDefNode *n;
    SnPat *const *pat;   /* by port */
    SnTerm *const *term; /* by port */
} Node;

static Rounds of_pat(const SnInstance *pr, const SnPat *p);
static Rounds of_term(const SnInstance *pr, const SnTerm *t);

static Rounds
both(Rounds a, Rounds b)
{
    return (Rounds){a.n + b.n, a.tap + b.tap};
}

static Rounds
either(Rounds a, Rounds b)
{
    return (Rounds){a.n > b.n ? a.n : b.n, a.tap > b.tap ? a.tap : b.tap};
}

static Rounds
of_port(const Node *v, const char *name)
{
    const SnDefPort *p = sn_def_operand(v->n, name);

    if (p && v->pat && v->pat[p->index])
        return of_pat(v->pr, v->pat[p->index]);
    if (p && v->term && v->term[p->index])
        return of_term(v->pr, v->term[p->index]);
    return (Rounds){0, 0};
}

/* Factors and divisors pass on the error of each; summands and choices the
 * error of the worse one. */
static Rounds
of_formula(const Node *v, const SnExpr *e)
{
    Rounds r = {0, 0};
    bool factors =
        e->ek == SN_E_BIN && (e->op == SN_OP_MUL || e->op == SN_OP_DIV);

    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT)
        return of_port(v, e->s);
    for (uint32_t i = 0; i < e->nkid; i++) {
        Rounds k = of_formula(v, e->kid[i]);
        r = factors || e->fn == SN_FN_POW ? both(r, k) : either(r, k);
    }
    if (e->ek == SN_E_BIN)
        r.n += e->op <= SN_OP_DIV;
    if (e->ek == SN_E_CALL) {
        r.n += sn_case_fn_rounds(e->fn);
        r.n += e->fn == SN_FN_MEAN;
        r.tap += e->nkid == 1 && (e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN);
    }
    return r;
}

static Rounds
of_pat(const SnInstance *pr, const SnPat *p)
{
    const SnDefNode *n = p->pk == SN_P_ANY ? pr->any : p->node;
    Node v = {.pr = pr, .n = n, .pat = p->by_port};

    if (p->pk == SN_P_EACH)
        return of_pat(pr, p->arg[0]);
    if (!n || !p->by_port || !n->rsem[0]->formula)
        return (Rounds){0, 0};
    return of_formula(&v, n->rsem[0]->formula);
}

static Rounds
of_term(const SnInstance *pr, const SnTerm *t)
{
    Node v = {.pr = pr, .n = t->node, .term = t->by_port};

    switch (t->tk) {
    case SN_T_CALL:
        if (t->node && t->by_port && t->node->rsem[0]->formula)
            return of_formula(&v, t->node->rsem[0]->formula);
        break;
    case SN_T_VAR:
    case SN_T_COPY:
        if (t->var && t->var->let)
            return of_term(pr, t->var->let);
        if (t->var && t->var->pat)
            return of_pat(pr, t->var->pat);
        break;
    case SN_T_FUNC:
    case SN_T_EACH:
        if (t->narg)
            return of_term(pr, t->arg[0]);
        break;
    case SN_T_NONE:
        break;
    }
    return (Rounds){0, 0};
}

static const char *
text(SnArena *a, Rounds r)
{
    return r.tap ? sn_format(a, "%u + %u a tap", r.n, r.tap)
                 : sn_format(a, "%u", r.n);
}

const char *
sn_prove_roundings(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    return sn_format(pv->a,
                     "roundings: %s on the left, %s on the right, %.2g "
                     "of their bound used",
                     text(pv->a, of_pat(pr, pr->r->pat)),
                     text(pv->a, of_term(pr, pr->r->rhs)), t->used);
}

bool
sn_prove_too_rough(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    if (t->used <= 1)
        return false;
    sn_error(pv->d, pr->r->pos, "SN301",
             "rule '%s' is unsound: both sides differ by %.3g times what their "
             "roundings add up to",
             pr->r->name, t->used);
    return true;
}
