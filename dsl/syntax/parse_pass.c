// SPDX-License-Identifier: Apache-2.0
/* Builds passes, rules and tests for the parser. */
#include "dsl/model/onnx.h"
#include "dsl/syntax/parse.h"

#include "gram.h"

/* ---- passes ---- */

static SnDefPass *
new_pass(SnParser *P, const char *name, SnPos at)
{
    SnDefPass *p = SN_NEW(P->a, SnDefPass);

    p->name = name;
    p->pos = at;
    return p;
}

void
sn_parse_pass(SnParser *P, bool lowering, SnTok name, SnTok doc)
{
    SnDefPass *p = new_pass(P, sn_parse_name(P, name), name.pos);

    p->lowering = lowering;
    p->doc = doc.str;
    P->pass = p;
    SN_PUSH(P->a, P->defs->pass, P->defs->npass, p);
}

/* Where a rule, preference or test goes: outside a pass, to the pass that the
 * file's backend gets at the end of the file. */
static SnDefPass *
target(SnParser *P, SnPos at)
{
    if (P->pass)
        return P->pass;
    if (!P->top)
        P->top = new_pass(P, "backend", at);
    return P->top;
}

void
sn_parse_allow(SnParser *P, SnDefClaim c)
{
    SN_PUSH(P->a, P->pass->allow, P->pass->nallow, c);
}

SnDefClass *
sn_parse_class(SnParser *P, SnTok name, SnExpr *e)
{
    SnDefClass *c = SN_NEW(P->a, SnDefClass);

    c->name = sn_parse_name(P, name);
    c->pos = name.pos;
    c->e = e;
    SN_PUSH(P->a, P->defs->cls, P->defs->nclass, c);
    return c;
}

void
sn_parse_derive(SnParser *P, SnTok family, SnTok what, SnExpr *over)
{
    SnDefDerive *v = SN_NEW(P->a, SnDefDerive);

    v->pos = family.pos;
    v->family = sn_parse_name(P, family);
    size_t fam = sn_lang_named(sn_family_words, SN_NFAM, v->family);
    v->fam = fam < SN_NFAM ? (SnFamilyId)fam : SN_FAM_WRITTEN;
    v->what = what.raw ? sn_parse_name(P, what) : NULL;
    v->over = over;
    SN_PUSH(P->a, P->pass->derive, P->pass->nderive, v);
    SN_PUSH(P->a, P->defs->derive, P->defs->nderive, v);
}

void
sn_parse_prefer(SnParser *P, SnTok kw, SnIds a, SnIds b, SnTok why)
{
    SnDefPass *pass = target(P, kw.pos);
    SnDefPrefer *p = SN_NEW(P->a, SnDefPrefer);

    p->pos = kw.pos;
    p->na = a.n;
    p->a = a.s;
    p->a_pos = a.pos;
    p->nb = b.n;
    p->b = b.s;
    p->b_pos = b.pos;
    p->why = why.str;
    SN_PUSH(P->a, pass->prefer, pass->nprefer, p);
}

void
sn_parse_order(SnParser *P, SnIds l)
{
    SnDefPass *p = P->pass;

    for (uint32_t i = 0; i < l.n; i++) {
        uint32_t n = p->norder;

        SN_PUSH(P->a, p->order, p->norder, l.s[i]);
        SN_PUSH(P->a, p->order_pos, n, l.pos[i]);
    }
}

void
sn_parse_place(SnParser *P, SnTok kw, SnTok what, SnTok min)
{
    sn_parse_once(P, kw, P->pass->place);
    P->pass->place = sn_parse_name(P, what);
    P->pass->place_min = sn_parse_name(P, min);
    P->pass->place_pos = kw.pos;
}

void
sn_parse_pipeline(SnParser *P, SnTok name, SnIds l)
{
    SnDefPipeline *p = SN_NEW(P->a, SnDefPipeline);

    p->name = sn_parse_name(P, name);
    p->pos = name.pos;
    p->npass = l.n;
    p->pass = l.s;
    p->pass_pos = l.pos;
    SN_PUSH(P->a, P->defs->pipeline, P->defs->npipeline, p);
}

/* ---- rules ---- */

void
sn_parse_rule(SnParser *P, SnTok name, bool lower, bool custom)
{
    SnDefRule *r = SN_NEW(P->a, SnDefRule);

    r->name = sn_parse_name(P, name);
    r->pos = name.pos;
    r->lower = lower;
    r->custom = custom;
    P->rule = r;
}

void
sn_parse_let(SnParser *P, SnTok name, SnTerm *t)
{
    SnDefRule *r = P->rule;
    uint32_t n = r->nlet, k = r->nlet;

    SN_PUSH(P->a, r->let_name, r->nlet, sn_parse_name(P, name));
    SN_PUSH(P->a, r->let_pos, n, name.pos);
    SN_PUSH(P->a, r->let, k, t);
}

void
sn_parse_rhs(SnParser *P, SnTerm *t, SnTerms more)
{
    P->rule->rhs = t;
    P->rule->nmore = more.n;
    P->rule->more = more.v;
}

void
sn_parse_builder(SnParser *P, SnTok fn, SnIds components)
{
    P->rule->builder = sn_parse_name(P, fn);
    P->rule->ncomponent = components.n;
    P->rule->component = components.s;
}

void
sn_parse_claim(SnParser *P, SnDefClaim c)
{
    if (P->rule->claim.kind != SN_CLAIM_NONE) {
        sn_error(P->d, c.pos, "SN012", "a second claim");
        sn_diag_span(P->d, P->rule->claim.pos, "the first");
        return;
    }
    P->rule->claim = c;
}

void
sn_parse_under(SnParser *P, SnIds names, SnDefClaim c)
{
    SnDefRule *r = P->rule;

    for (uint32_t i = 0; i < names.n; i++) {
        SnDefUnder u = {.name = names.s[i], .pos = names.pos[i], .claim = c};
        SN_PUSH(P->a, r->under, r->nunder, u);
    }
}

void
sn_parse_other(SnParser *P, SnDefClaim c)
{
    if (P->rule->other.kind != SN_CLAIM_NONE) {
        sn_error(P->d, c.pos, "SN012", "a second claim after 'else'");
        sn_diag_span(P->d, P->rule->other.pos, "the first");
        return;
    }
    P->rule->other = c;
}

void
sn_rule_when(SnArena *a, SnDefRule *r)
{
    r->when = r->need ? r->need : r->worth;
    if (!r->need || !r->worth)
        return;
    r->when = SN_NEW(a, SnExpr);
    r->when->ek = SN_E_BIN;
    r->when->op = SN_OP_AND;
    r->when->pos = r->need->pos;
    r->when->depth = 1 + (r->need->depth > r->worth->depth ? r->need->depth
                                                           : r->worth->depth);
    r->when->nkid = 2;
    r->when->kid = SN_NEW_N(a, SnExpr *, 2);
    r->when->kid[0] = r->need;
    r->when->kid[1] = r->worth;
}

void
sn_parse_rule_end(SnParser *P, SnTok from, SnTok to)
{
    SnDefPass *pass = target(P, P->rule->pos);
    SnDefRule *r = P->rule;

    r->text = sn_parse_text(P, from, to);
    r->pass = pass;
    sn_rule_when(P->a, r);
    SN_PUSH(P->a, pass->rule, pass->nrule, r);
    SN_PUSH(P->a, P->defs->rule, P->defs->nrule, r);
}

/* ---- tests ---- */

void
sn_parse_test(SnParser *P, SnTok name)
{
    SnDefTest *t = SN_NEW(P->a, SnDefTest);

    t->name = sn_parse_name(P, name);
    t->pos = name.pos;
    t->pass = target(P, name.pos);
    P->test = t;
    if (P->pass)
        SN_PUSH(P->a, P->pass->test, P->pass->ntest, t);
    else
        SN_PUSH(P->a, P->defs->test, P->defs->ntest, t);
}

void
sn_parse_test_line(SnParser *P, int kind, SnTok at, SnTerm *t, SnExpr *e,
                   SnIds l)
{
    SnDefTestLine *n = SN_NEW(P->a, SnDefTestLine);

    n->pos = at.pos;
    n->term = t;
    n->e = e;
    n->nname = l.n;
    n->names = l.s;
    switch (kind) {
    case SN_TL_VALUE:
        n->kind = SN_TL_VALUE;
        break;
    case SN_TL_INPUT:
        n->kind = SN_TL_INPUT;
        break;
    case SN_TL_EXPECT:
        n->kind = SN_TL_EXPECT;
        break;
    case SN_TL_COND:
        n->kind = SN_TL_COND;
        break;
    case SN_TL_REJECT:
        n->kind = SN_TL_REJECT;
        break;
    case SN_TL_USING:
        n->kind = SN_TL_USING;
        break;
    default:
        n->kind = SN_TL_ASSUME;
        break;
    }
    if (kind == SN_TL_REJECT)
        n->name = at.str;
    else if (kind != SN_TL_COND && kind != SN_TL_USING)
        n->name = sn_parse_name(P, at);
    SN_PUSH(P->a, P->test->line, P->test->nline, n);
}

/* ---- declarations of the file's backend ---- */

static void
own_pass(SnParser *P)
{
    static const SnDefClaim exact = {.kind = SN_CLAIM_EXACT};
    SnDefBackend *b = P->backend;
    SnDefPass *p = P->top;

    if (!b) {
        if (p) {
            sn_error(P->d, p->pos, "SN013",
                     "a rule, test or preference outside a pass");
            sn_diag_help(P->d, "only a file with a backend may have them; "
                               "they form its pass 'backend'");
        }
        return;
    }
    if (!p)
        p = new_pass(P, "backend", b->pos);
    p->pos = b->pos;
    p->backend = b;
    SN_PUSH(P->a, p->allow, p->nallow, exact);
    p->allow[0].pos = b->pos;
    for (uint32_t i = 0; i < p->nrule; i++)
        p->rule[i]->backend = b;
    SN_PUSH(P->a, P->defs->pass, P->defs->npass, p);
}

void
sn_parse_own(SnParser *P)
{
    SnDefs *f = P->defs;

    own_pass(P);
    for (uint32_t i = 0; i < f->nnode; i++)
        if (f->node[i]->pos.src == P->src)
            f->node[i]->backend = P->backend;
    for (uint32_t i = 0; i < f->nop; i++)
        if (f->op[i]->pos.src == P->src)
            f->op[i]->backend = P->backend;
    for (uint32_t i = 0; i < f->nrefine; i++)
        if (f->refine[i]->pos.src == P->src)
            f->refine[i]->backend = P->backend;
    for (uint32_t i = 0; i < f->ntest; i++)
        if (f->test[i]->pos.src == P->src)
            f->test[i]->backend = P->backend;
}
