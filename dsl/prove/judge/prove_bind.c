// SPDX-License-Identifier: Apache-2.0
/* Rules without a claim: they change what callers bind or get, the type of a
 * Placeholder or of the value that a Save writes.  The meaning of the graph
 * must not change, so each is proved as the exact rule that states this:
 *
 *   Quantize(Placeholder() @p :1) @o => Placeholder() like p : o.type
 *   Quantize(Dequantize(p') @p :1) @o => p'     when p'.type == o.type  exact
 *
 * Callers that hand over the codes p' mean the reals that these stand for, and
 * handed over those before.  A Save is compared by the reals that it writes. */
#include "dsl/prove/trial/case.h"

#include <string.h>
#include "dsl/model/named.h"
#include "dsl/resolve/resolver.h"

/* ---- parts that a rule touches ---- */

typedef struct Bound {
    const SnDefs *defs;
    const char *dq;
    uint32_t npat, nterm; /* sources with an effect, on the left and right */
    SnPat *pat;
    SnTerm *term;
} Bound;

static bool
bound_kind(const SnDefs *s, const char *name)
{
    const SnDefNode *n = name ? sn_def_node(s, name) : NULL;

    return n && n->has_effect && n->nin == 0 && n->nout == 1;
}

static void
find_pat(Bound *b, SnPat *p)
{
    if (p->pk == SN_P_CALL && bound_kind(b->defs, p->name)) {
        b->npat++;
        b->pat = p;
    }
    for (uint32_t i = 0; i < p->narg; i++)
        find_pat(b, p->arg[i]);
}

static void
find_term(Bound *b, SnTerm *t)
{
    if (t->tk == SN_T_CALL && bound_kind(b->defs, t->name)) {
        b->nterm++;
        b->term = t;
    }
    for (uint32_t i = 0; i < t->narg; i++)
        find_term(b, t->arg[i]);
}

static Bound
find(const SnDefs *s, const SnDefRule *r)
{
    Bound b = {.defs = s};

    find_pat(&b, r->pat);
    if (r->rhs)
        find_term(&b, r->rhs);
    for (uint32_t i = 0; i < r->nlet; i++)
        find_term(&b, r->let[i]);
    return b;
}

/* Why the rule needs a claim, or NULL. */
static const char *
why_not(const Bound *b, const SnDefRule *r)
{
    bool save = r->root && r->root->has_effect && r->root->nout == 0;

    if (!r->rhs || r->nmore)
        return "its right side is not one value";
    if (b->nterm == 0 && !save)
        return "it changes nothing that callers bind or get";
    if (b->nterm && (b->npat != 1 || b->nterm != 1))
        return "it does not replace one input by one";
    if (b->nterm && !b->term->type)
        return "it does not say the type of the input that it makes";
    if (b->nterm && (b->term->nasg || !b->term->like || !b->pat->capture ||
                     !sn_name_same(b->term->like, b->pat->capture)))
        return "the input that it makes is not wholly 'like' the one that it "
               "replaces";
    if (b->nterm && b->pat->nuse != 1)
        return "others may read the input that it replaces (:1)";
    return NULL;
}

/* ---- the rule that states what is kept ---- */

static SnExpr *
expr(SnArena *a, SnEk ek, SnPos pos, uint32_t n, SnExpr *x, SnExpr *y)
{
    SnExpr *e = SN_NEW(a, SnExpr), *kid[] = {x, y};

    e->ek = ek;
    e->pos = pos;
    e->nkid = n;
    e->kid = sn_memdup(a, kid, sizeof kid);
    return e;
}

/* name.type == t */
static SnExpr *
of_type(SnArena *a, const char *name, const SnExpr *t)
{
    SnExpr *v = expr(a, SN_E_NAME, t->pos, 0, NULL, NULL);
    SnExpr *m = expr(a, SN_E_MEMBER, t->pos, 1, v, NULL);
    SnExpr *e = expr(a, SN_E_BIN, t->pos, 2, m, sn_expr_clone(a, t));

    sn_expr_say(v, name);
    sn_expr_say(m, "type");
    e->op = SN_OP_EQ;
    return e;
}

static SnExpr *
both(SnArena *a, SnExpr *x, SnExpr *y)
{
    if (!x)
        return y;
    SnExpr *e = expr(a, SN_E_BIN, x->pos, 2, x, y);
    e->op = SN_OP_AND;
    return e;
}

typedef struct Arg {
    SnProver *pv;
    SnArena *a;
    Bound b;
} Arg;

/* The input is a value on the right, and the reals it represents on the left.
 * Before names are resolved. */
static void
as_values(void *arg, SnDefRule *r)
{
    const Arg *x = arg;
    SnArena *a = x->a;
    if (x->pv->mutate)
        x->pv->mutate(x->pv->mutate_arg, r);
    Bound now = find(x->b.defs, r);

    r->claim = (SnDefClaim){.kind = SN_CLAIM_EXACT, .pos = r->pos};
    if (!now.term)
        return;
    SnPat *p = now.pat;
    SnTerm *t = now.term;
    const char *name = sn_format(a, "%s'", p->capture ? p->capture : "input");
    SnPat *v = SN_NEW(a, SnPat);
    *v = (SnPat){.pk = SN_P_VAR, .pos = p->pos, .name = name};
    p->name = x->b.dq;
    p->nasg = 0;
    p->narg = 1;
    p->arg = sn_memdup(a, &v, sizeof v);
    SnExpr *same = of_type(a, name, t->type);
    r->when = both(a, r->when, same);
    r->need = both(a, r->need, same);
    *t = (SnTerm){.tk = SN_T_VAR, .pos = t->pos, .name = name};
}

bool
sn_prove_bind(SnProver *pv, const SnDefRule *r, SnDefRule **says)
{
    const SnDefNode *dq = sn_prove_dequantize(pv);
    Arg arg = {.pv = pv, .a = pv->a, .b = find(pv->defs, r)};
    SnDiag *d = sn_diag_new(pv->a);
    const char *why = why_not(&arg.b, r);
    size_t n = r->text ? strlen(r->text) : 0;

    if (!why && (!dq || n < 6 || strncmp(r->text, "rule", 4)))
        why = "its text is not that of a rule of a pass";
    if (why) {
        sn_error(pv->d, r->pos, "SN314", "rule '%s' has no claim, but %s",
                 r->name, why);
        sn_diag_help(pv->d, "exact, within n lsb, refines, real E, or "
                            "lossy \"what is lost\"");
        return false;
    }
    arg.b.dq = dq->name;
    *says = sn_prove_reparse(
        pv, d, sn_strndup(pv->a, r->text + 4, n - 4 - (r->text[n - 1] == ';')),
        as_values, &arg);
    if (!*says) {
        const char *msg = sn_diag_text(d, pv->a), *at = strstr(msg, "]: ");
        msg = at ? at + 3 : msg;
        sn_error(
            pv->d, r->pos, "SN314",
            "rule '%s' has no claim, and its new input cannot be checked: %.*s",
            r->name, (int)strcspn(msg, "\n"), msg);
        return false;
    }
    (*says)->pos = r->pos;
    (*says)->claim.pos = r->pos;
    (*says)->id = UINT32_MAX;
    return true;
}

/* ---- values that a Save writes ---- */

SnCaseValue *
sn_prove_as_real(SnProofCase *c, SnCaseValue *x)
{
    const SnDefNode *dq = sn_prove_dequantize(c->pv);
    SnCaseType f32 = {.elem = SN_F32, .axis = -1};

    if (!dq || !x->type.nq)
        return x;
    SnCaseNode *n = SN_NEW(c->a, SnCaseNode);
    n->n = dq;
    n->attr = SN_NEW_N(c->a, SnExprValue, dq->nall + 1);
    n->nin = 1;
    n->in = SN_NEW_N(c->a, SnCaseValue *, 1);
    n->port = SN_NEW_N(c->a, uint32_t, 1);
    n->in[0] = x;
    n->out[0] = sn_case_value(c, &f32);
    n->out[0]->def = n;
    sn_case_set_shape(n->out[0], x->rank, x->dim);
    return n->out[0];
}

/* ---- nodes that cannot be run ---- */

const SnDefNode *
sn_prove_opaque_pat(const SnPat *p)
{
    if (p->node && p->node->nout && p->node->rsem[0]->cls == SN_C_OPAQUE)
        return p->node;
    for (uint32_t i = 0; i < p->narg; i++) {
        const SnDefNode *n = sn_prove_opaque_pat(p->arg[i]);
        if (n)
            return n;
    }
    return NULL;
}

const SnDefNode *
sn_prove_opaque_term(const SnTerm *t)
{
    if (t->node && t->node->nout && t->node->rsem[0]->cls == SN_C_OPAQUE)
        return t->node;
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnDefNode *n = sn_prove_opaque_term(t->arg[i]);
        if (n)
            return n;
    }
    return NULL;
}
