// SPDX-License-Identifier: Apache-2.0
/* Rules: the left side binds variables, everything else uses them. */
#include <math.h>
#include <string.h>
#include "dsl/model/arith.h"
#include "dsl/resolve/resolver.h"

typedef struct Ctx {
    SnResolver *rs;
    SnDefRule *r;
    bool each, bad;
} Ctx;

/* ---- variables ---- */

static SnDefVar *
find(const Ctx *c, const char *name)
{
    return sn_named(c->r->var, c->r->nvar, name);
}

static const SnDefVar *
bind(Ctx *c, SnVk vk, const char *name, SnPos at, const SnPat *p)
{
    SnDefVar *v = find(c, name);

    if (v && vk == SN_V_VALUE && v->vk == SN_V_VALUE && v->each == c->each)
        return v; /* the same value again */
    if (v) {
        sn_error(c->rs->d, at, "SN201", "'%s' is bound twice", name);
        sn_diag_span(c->rs->d, v->pos, "first here");
        c->bad = true;
        return NULL;
    }
    v = SN_NEW(c->rs->a, SnDefVar);
    v->name = name;
    v->pos = at;
    v->vk = vk;
    v->pat = p;
    v->each = c->each;
    v->index = c->r->nvar;
    SN_PUSH(c->rs->a, c->r->var, c->r->nvar, v);
    return v;
}

/* ---- patterns ---- */

static void pattern(Ctx *c, SnPat *p, const SnDefPort *port);

static void
place_named(Ctx *c, SnPat *p, SnPat *a)
{
    const SnDefNode *n = p->node;
    SnCands v = sn_cands(c->rs);

    const SnDefPort *x = sn_def_operand(n, a->port);
    if (x) {
        if (p->by_port[x->index]) {
            sn_error(c->rs->d, a->pos, "SN102",
                     "operand '%s' of %s is given twice", a->port, n->name);
            c->bad = true;
        }
        p->by_port[x->index] = a;
        return;
    }
    for (uint32_t i = 0; i < n->nin; i++)
        sn_cands_add(&v, n->in[i]->name, &n->in[i]->pos);
    sn_resolve_unknown(c->rs, a->pos, "operand", a->port, n->name, &v);
    c->bad = true;
}

static void
place_args(Ctx *c, SnPat *p)
{
    const SnDefNode *n = p->node;
    uint32_t npos = 0, seen = 0;
    bool named = false;

    p->by_port = SN_NEW_N(c->rs->a, SnPat *, n->nin);
    for (uint32_t i = 0; i < p->narg; i++) {
        npos += !p->arg[i]->port;
        named |= p->arg[i]->port != NULL;
    }
    if (npos > n->nin || (npos < n->nin && !named)) {
        sn_error(c->rs->d, p->pos, "SN102",
                 "%s takes %u operand%s (%s), not %u", n->name, n->nin,
                 n->nin == 1 ? "" : "s",
                 sn_resolve_ports(c->rs, n->in, n->nin, true), npos);
        if (npos < n->nin)
            sn_diag_help(c->rs->d, "write _ for an operand that may be "
                                   "anything, also missing");
        c->bad = true;
        return;
    }
    for (uint32_t i = 0; i < p->narg; i++)
        if (!p->arg[i]->port)
            p->by_port[seen++] = p->arg[i];
    for (uint32_t i = 0; i < p->narg; i++)
        if (p->arg[i]->port)
            place_named(c, p, p->arg[i]);
}

static const SnDefPort *
port_of(const SnPat *p, const SnPat *arg)
{
    for (uint32_t i = 0; p->by_port && i < p->node->nin; i++)
        if (p->by_port[i] == arg)
            return p->node->in[i];
    return NULL;
}

static void
pat_node(Ctx *c, SnPat *p)
{
    p->node = sn_resolve_node(c->rs, p->pos, p->name);
    if (!p->node)
        c->bad = true;
    if (sn_resolve_bad(c->rs, p->node)) {
        p->node = NULL;
        c->bad = true;
    }
    if (p->node)
        place_args(c, p);
    for (uint32_t i = 0; i < p->narg; i++)
        pattern(c, p->arg[i], p->node ? port_of(p, p->arg[i]) : NULL);
}

static void
pat_class(Ctx *c, SnPat *p)
{
    SnCands v = sn_cands(c->rs);

    p->cls = sn_resolve_class(c->rs->defs, p->name);
    if (p->cls)
        return;
    for (uint32_t i = 0; i < c->rs->defs->nclass; i++)
        sn_cands_add(&v, c->rs->defs->cls[i]->name, &c->rs->defs->cls[i]->pos);
    sn_resolve_unknown(c->rs, p->pos, "class", p->name, NULL, &v);
    c->bad = true;
}

static void
pat_types(Ctx *c, SnPat *p)
{
    for (uint32_t i = 0; i < p->ntype; i++) {
        const SnDefType *t = sn_resolve_type(c->rs, p->type_pos, p->type[i]);
        if (!t)
            c->bad = true;
        for (uint32_t j = 0; t && j < t->nconc; j++)
            SN_PUSH(c->rs->a, p->conc, p->nconc, t->conc[j]);
    }
}

static void
pat_capture(Ctx *c, SnPat *p)
{
    if (p->pk != SN_P_CALL && p->pk != SN_P_FORMS && p->pk != SN_P_ANY) {
        sn_error(c->rs->d, p->pos, "SN201",
                 "'@%s' captures a node, and '%s' is a value", p->capture,
                 p->name ? p->name : "_");
        c->bad = true;
        return;
    }
    const SnDefVar *v = bind(c, SN_V_NODE, p->capture, p->pos, p);
    p->cap = v;
    if (v && p->pk == SN_P_CALL)
        c->r->var[v->index]->node = p->node;
}

static void
pat_list(Ctx *c, const SnPat *p, const SnDefPort *port)
{
    if (!port || port->variadic == (p->pk == SN_P_LIST || p->pk == SN_P_EACH))
        return;
    if (port->variadic && p->pk == SN_P_WILD)
        return;
    sn_error(c->rs->d, p->pos, "SN104",
             port->variadic ? "'%s' is variadic: match it by a list"
                            : "'%s' is one operand, not a list",
             port->name);
    if (port->variadic)
        sn_diag_help(c->rs->d, "%s... or each PATTERN", port->name);
    c->bad = true;
}

/* port: the place of the pattern, NULL at the root or after an error. */
static void
pattern(Ctx *c, SnPat *p, const SnDefPort *port)
{
    bool was = c->each;

    pat_list(c, p, port);
    switch (p->pk) {
    case SN_P_WILD:
        break;
    case SN_P_VAR:
        p->var = bind(c, SN_V_VALUE, p->name, p->pos, p);
        break;
    case SN_P_LIST:
        p->var = bind(c, SN_V_LIST, p->name, p->pos, p);
        break;
    case SN_P_CALL:
    case SN_P_FORMS:
        pat_node(c, p);
        break;
    case SN_P_ANY:
        pat_class(c, p);
        break;
    case SN_P_EACH:
        c->each = true;
        pattern(c, p->arg[0], NULL);
        c->each = was;
        break;
    }
    if (p->capture)
        pat_capture(c, p);
    pat_types(c, p);
}

static void
pat_asgs(SnScope *sc, SnPat *p)
{
    for (uint32_t i = 0; i < p->narg; i++)
        pat_asgs(sc, p->arg[i]);
    for (uint32_t i = 0; p->node && i < p->nasg; i++) {
        SnAsg *a = &p->asg[i];
        SnCands v = sn_cands(sc->rs);
        a->attr = sn_def_attr(p->node, a->name);
        for (uint32_t j = 0; j < p->node->nall; j++)
            sn_cands_add(&v, p->node->all[j]->name, &p->node->all[j]->pos);
        if (a->attr) {
            sn_resolve_value(sc, a->e, p->node, a->attr);
        } else {
            sn_resolve_unknown(sc->rs, a->pos, "attribute", a->name,
                               p->node->name, &v);
            sc->bad = true;
        }
    }
}

/* ---- the rest of a rule ---- */

bool
sn_resolve_lsb(SnResolver *rs, SnDefClaim *k, int least)
{
    if (!sn_resolve_const(rs, k->bound, &k->n))
        return false;
    if (k->n >= least && k->n < SN_LSB_END && k->n == floor(k->n))
        return true;
    sn_error(rs->d, k->bound->pos, "SN007",
             "'%s' is not a valid lsb count: expected an integer from %d to %d",
             sn_expr_str(rs->a, k->bound), least, SN_LSB_END - 1);
    if (k->n == 0)
        sn_diag_help(rs->d, "exact");
    if (k->n >= SN_LSB_END)
        sn_diag_help(rs->d,
                     "lossy \"what is lost\" optin \"name\"     (%d lsb "
                     "is all of an 8-bit type)",
                     SN_LSB_END);
    return false;
}

/* A reason is for readers of the reports: it must not be empty. */
static void
reason(Ctx *c, const char *word, const char *text)
{
    if (!text || text[strspn(text, " \t")])
        return;
    sn_error(c->rs->d, c->r->pos, "SN205", "rule '%s' is %s without a reason",
             c->r->name, word);
    sn_diag_help(c->rs->d, "%s \"%s\"", word,
                 *word == 't' ? "why" : "what is lost");
    c->bad = true;
}

static void
claim_under(Ctx *c, SnDefClaim *u, const char *name)
{
    if (u->kind == SN_CLAIM_LOSSY || u->kind == SN_CLAIM_REAL ||
        c->r->claim.kind == SN_CLAIM_NONE) {
        sn_error(c->rs->d, u->pos, "SN205",
                 "rule '%s' claims under '%s': expected exact, within n lsb or "
                 "refines, and a claim of its own",
                 c->r->name, name ? name : "else");
        sn_diag_help(c->rs->d, "%s%s within 1 lsb", name ? "under " : "else",
                     name ? name : "");
        c->bad = true;
    }
    if (u->kind == SN_CLAIM_WITHIN && u->bound && !sn_resolve_lsb(c->rs, u, 1))
        c->bad = true;
}

/* under NAME: an arithmetic other than float, each once. */
static void
under(Ctx *c, SnDefUnder *u, uint32_t n)
{
    const SnDefs *s = c->rs->defs;
    uint32_t at = sn_named_at(s->arith, s->narith, u->name);
    SnCands v = sn_cands(c->rs);

    claim_under(c, &u->claim, u->name);
    for (uint32_t i = 0; i < n; i++)
        if (sn_name_same(c->r->under[i].name, u->name)) {
            sn_error(c->rs->d, u->pos, "SN012", "a second claim under %s",
                     u->name);
            sn_diag_span(c->rs->d, c->r->under[i].pos, "the first");
            c->bad = true;
        }
    if (at < s->narith && s->arith[at]->number != SN_ROUNDING_FLOAT) {
        u->by = s->arith[at]->number;
        return;
    }
    c->bad = true;
    if (at < s->narith) {
        sn_error(c->rs->d, u->pos, "SN205",
                 "rule '%s' claims under float: that is the claim itself",
                 c->r->name);
        return;
    }
    for (uint32_t i = 0; i < s->narith; i++)
        if (s->arith[i]->number != SN_ROUNDING_FLOAT)
            sn_cands_add(&v, s->arith[i]->name, &s->arith[i]->pos);
    sn_resolve_unknown(c->rs, u->pos, "arithmetic", u->name, NULL, &v);
}

static void
claim(Ctx *c)
{
    SnDefClaim *k = &c->r->claim;

    if (k->kind == SN_CLAIM_NONE && !c->r->optin) {
        sn_error(c->rs->d, c->r->pos, "SN205",
                 "rule '%s' has no claim about its result", c->r->name);
        sn_diag_help(c->rs->d,
                     "exact, within n lsb, refines, real E, lossy "
                     "\"what is lost\", or optin \"name\" for a rule that "
                     "only changes an interface");
        c->bad = true;
    }
    if (k->kind == SN_CLAIM_LOSSY && !c->r->optin) {
        sn_error(c->rs->d, k->pos, "SN205",
                 "rule '%s' is lossy and must be opt-in", c->r->name);
        sn_diag_help(c->rs->d, "optin \"name\"");
        c->bad = true;
    }
    if (k->kind == SN_CLAIM_WITHIN && k->bound && !sn_resolve_lsb(c->rs, k, 1))
        c->bad = true;
    reason(c, "trusted", c->r->trusted);
    reason(c, "lossy", k->kind == SN_CLAIM_LOSSY ? k->text : NULL);
    for (uint32_t i = 0; i < c->r->nunder; i++)
        under(c, &c->r->under[i], i);
    if (c->r->other.kind != SN_CLAIM_NONE)
        claim_under(c, &c->r->other, NULL);
}

static void
lets(Ctx *c, SnScope *sc)
{
    for (uint32_t i = 0; i < c->r->nlet; i++) {
        sc->var = c->r->var;
        sc->nvar = c->r->nvar;
        sn_resolve_term(sc, c->r->let[i]);
        const SnDefVar *v =
            bind(c, SN_V_LET, c->r->let_name[i], c->r->let_pos[i], NULL);
        if (v) {
            c->r->var[v->index]->let = c->r->let[i];
            c->r->var[v->index]->node = c->r->let[i]->node;
        }
    }
    sc->var = c->r->var;
    sc->nvar = c->r->nvar;
}

static void
results(Ctx *c)
{
    uint32_t n = c->r->nmore + 1;

    if (!c->r->nmore || !c->r->root || n <= c->r->root->nout)
        return;
    sn_error(c->rs->d, c->r->more[c->r->nmore - 1]->pos, "SN102",
             "the right side has %u results; %s has %u", n, c->r->root->name,
             c->r->root->nout);
    c->bad = true;
}

static void
kinds(Ctx *c, uint32_t n, const char **name, const SnPos *at)
{
    for (uint32_t i = 0; i < n; i++)
        if (!sn_resolve_node(c->rs, at[i], name[i]))
            c->bad = true;
}

static void
custom(Ctx *c)
{
    SnDefRule *r = c->r;
    const SnDefNode *on;

    if (!r->custom)
        return;
    kinds(c, r->nmakes, r->makes, r->makes_pos);
    kinds(c, r->nremoves, r->removes, r->removes_pos);
    on = sn_resolve_node(c->rs, r->on_pos, r->on);
    if (!on)
        c->bad = true;
    if (on && r->root && on != r->root) {
        sn_error(c->rs->d, r->pat->pos, "SN104",
                 "custom rule '%s' is on %s and matches %s", r->name, on->name,
                 r->root->name);
        c->bad = true;
    }
    if (!r->builder || !r->trusted) {
        sn_error(c->rs->d, r->pos, "SN205",
                 "custom rule '%s' needs a builder and trusted \"why\"",
                 r->name);
        c->bad = true;
    }
}

static void
left(Ctx *c, SnScope *sc)
{
    SnDefRule *r = c->r;

    if (r->pat->pk != SN_P_CALL && r->pat->pk != SN_P_FORMS &&
        r->pat->pk != SN_P_ANY) {
        sn_error(c->rs->d, r->pat->pos, "SN104", "rule '%s' must match a node",
                 r->name);
        c->bad = true;
        return;
    }
    pattern(c, r->pat, NULL);
    r->root = r->pat->node;
    sc->var = r->var;
    sc->nvar = r->nvar;
    sc->part = "on the left";
    pat_asgs(sc, r->pat);
}

void
sn_resolve_rule(SnResolver *rs, SnDefRule *r)
{
    Ctx c = {.rs = rs, .r = r};
    SnScope sc = {.rs = rs, .kind = SN_SC_RULE};

    if (!r->pat)
        return; /* a syntax error */
    left(&c, &sc);
    /* A left side with errors leaves names unbound: later uses of those
     * would only repeat the first message. */
    if (!c.bad) {
        sc.part = "on the right";
        lets(&c, &sc);
        if (r->rhs)
            sn_resolve_term(&sc, r->rhs);
        for (uint32_t i = 0; i < r->nmore; i++)
            sn_resolve_term(&sc, r->more[i]);
        sc.part = "in a condition";
        if (r->when)
            sn_resolve_cond(&sc, r->when, "a condition");
        sc.needs = true;
        if (r->requires)
            sn_resolve_cond(&sc, r->requires, "'requires'");
        results(&c);
    }
    custom(&c);
    claim(&c);
    if (!c.bad && !sc.bad && sn_resolve_right(rs, r))
        sn_resolve_rule_types(rs, r);
}
