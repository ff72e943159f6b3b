// SPDX-License-Identifier: Apache-2.0
/* Patterns as C: one test after the other, each failure returns at once.
 * Operands of a node that commutes are tried in both orders: the function
 * then takes `swap`, one bit for each such node. */
#include "gen/rule/rule_gen.h"

#include <string.h>

static void match_node(SnRuleGen *cx, const SnPat *p, const char *id);

/* ---- commuting operands ---- */

static bool
is_matched(const SnPat *p)
{
    return p && p->pk != SN_P_WILD;
}

static uint32_t
count_var(const SnPat *p, const SnDefVar *v)
{
    uint32_t n = p->pk == SN_P_VAR && p->var == v;

    for (uint32_t i = 0; i < p->narg; i++)
        n += count_var(p->arg[i], v);
    return n;
}

/* A variable that only its replacement depends on. */
static bool
any_value(const SnDefRule *r, const SnPat *p)
{
    if (!is_matched(p))
        return true;
    return p->pk == SN_P_VAR && !p->nconc && !p->nuse &&
           count_var(r->pat, p->var) == 1 &&
           !(r->when && sn_rule_mentions(r->when, p->var));
}

/* Can trying both orders make a difference? */
static bool
commutes(const SnDefRule *r, const SnPat *p)
{
    const SnDefNode *n = p->node;

    if ((p->pk != SN_P_CALL && p->pk != SN_P_FORMS) || n->comm[0] < 0)
        return false;
    const SnPat *a = p->by_port[n->comm[0]], *b = p->by_port[n->comm[1]];
    if (a && b && a->pk == SN_P_VAR && b->pk == SN_P_VAR && a->var == b->var)
        return false;
    return !any_value(r, p->by_port[n->comm[0]]) ||
           !any_value(r, p->by_port[n->comm[1]]);
}

static uint32_t
count_swaps(const SnDefRule *r, const SnPat *p)
{
    uint32_t n = commutes(r, p);

    if (p->pk == SN_P_EACH)
        return 0; /* elements are matched in the given order */
    for (uint32_t i = 0; i < p->narg; i++)
        n += count_swaps(r, p->arg[i]);
    return n;
}

/* The bit of swap that the next commuting node reads. */
static const char *
next_swap(SnRuleGen *cx)
{
    uint32_t bit = cx->swap_at++;

    if (cx->nswap == 1)
        return "swap";
    if (bit == 0)
        return "(swap & 1)";
    return sn_format(cx->a, "(swap >> %u & 1)", bit);
}

/* ---- operands ---- */

static const SnDefPort *
variadic(const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i]->variadic)
            return n->in[i];
    return NULL;
}

/* The operand in port `port` of node id. */
static const char *
operand(SnRuleGen *cx, const SnPat *p, const char *id, uint32_t port,
        const char *swap)
{
    const SnDefNode *n = p->node;
    const SnDefPort *v = variadic(n);

    if (v && port > v->index)
        return sn_format(cx->a, "sn_in(g, %s, sn_node(g, %s)->nin - %u)", id,
                         id, n->nin - port);
    for (int k = 0; swap && k < 2; k++)
        if (n->comm[k] == (int)port)
            return sn_format(cx->a, "sn_in(g, %s, %s ? %d : %u)", id, swap,
                             n->comm[!k], port);
    return sn_format(cx->a, "sn_in(g, %s, %u)", id, port);
}

static const char *
run_count(SnRuleGen *cx, const SnDefNode *n, const char *id)
{
    if (n->nin == 1)
        return sn_format(cx->a, "sn_node(g, %s)->nin", id);
    return sn_format(cx->a, "sn_node(g, %s)->nin - %u", id, n->nin - 1);
}

/* ---- tests on one operand ---- */

static void
type_test(SnRuleGen *cx, const SnPat *p, const char *ref)
{
    if (!p->nconc)
        return;
    const char *t = sn_format(cx->a, "sn_type(g, %s)", ref);
    const char *s = sn_cw_in_set(&cx->w, t, p->conc, p->nconc);
    sn_rule_fail_if(cx, sn_format(cx->a, p->nconc > 1 ? "!(%s)" : "!%s", s));
}

static void
bind_var(SnRuleGen *cx, const SnPat *p, const char *from, const SnPat *of,
         const char *id, uint32_t port)
{
    const SnDefVar *v = p->var;
    SnRuleBind *b = &cx->bind[v->index];
    const char *name =
        sn_format(cx->a, "%s%s", sn_rule_local(cx, v->name), cx->suffix);
    bool optional = of->node->in[port]->optional;

    if (b->bound && !cx->rebind) { /* the same value again */
        sn_rule_fail_if(cx, sn_format(cx->a, "%s != %s", from, name));
        return;
    }
    *b = (SnRuleBind){.bound = true,
                      .missing = optional,
                      .id = id,
                      .node = of->node,
                      .port = port};
    sn_rule_line(cx, name, "SnRef %s = %s;", name, from);
    if (cx->rebind)
        return;
    if (optional && (p->nconc || p->nuse)) {
        sn_rule_fail_if(cx, sn_format(cx->a, "!%s", name));
        b->missing = false;
    }
    type_test(cx, p, name);
    if (p->nuse)
        sn_rule_fail_if(cx, sn_format(cx->a, "sn_nuse(g, %s) != %lld", name,
                                      (long long)p->nuse));
}

/* May the nodes a pattern matches have several results? */
static bool
many_results(const SnRuleGen *cx, const SnPat *p)
{
    if (p->pk == SN_P_CALL)
        return p->node->nout > 1;
    for (uint32_t i = 0; i < cx->defs->nnode; i++) {
        const SnDefNode *n = cx->defs->node[i];
        bool in = p->pk == SN_P_FORMS
                      ? sn_rule_form_of(n, p->node)
                      : p->cls->member[n->kind / 64] >> n->kind % 64 & 1;
        if (in && n->nout > 1)
            return true;
    }
    return false;
}

static const char *
kind_test(SnRuleGen *cx, const SnPat *p, const char *id)
{
    if (p->pk == SN_P_CALL)
        return sn_format(cx->a, "sn_node(g, %s)->kind != %s", id,
                         sn_rule_kind(cx, p->node));
    if (p->pk == SN_P_FORMS)
        return sn_format(cx->a, "!sn_is_form(sn_node(g, %s)->kind, %s)", id,
                         sn_rule_kind(cx, p->node));
    return sn_format(cx->a,
                     "!sn_joins(sn_desc_in(g, sn_node(g, %s)->kind), "
                     "CLASS_%s)",
                     id, sn_upper(cx->a, p->cls->name));
}

/* The node that makes operand `from`, if its kind fits; gives its C name. */
static const char *
head(SnRuleGen *cx, const SnPat *p, const char *from, bool optional, bool seen)
{
    const char *base = p->pk == SN_P_ANY ? "node" : sn_rule_lower(cx, p->node);
    const char *id =
        p->cap ? sn_format(cx->a, "%s%s", sn_rule_local(cx, p->cap->name),
                           cx->suffix)
               : sn_rule_fresh(cx, base);
    bool many = many_results(cx, p);

    sn_rule_line(cx, id, "SnId %s = SN_NODE(%s);", id, from);
    if (p->cap)
        cx->bind[p->cap->index].bound = true;
    if (cx->rebind)
        return id;
    if (optional)
        sn_rule_fail_if(cx, sn_format(cx->a, "!%s", id));
    if (many)
        sn_rule_fail_if(cx, sn_format(cx->a, "SN_RES(%s) != 0", from));
    if (!seen)
        sn_rule_fail_if(cx, kind_test(cx, p, id));
    if (p->nuse == 1 && many)
        sn_rule_fail_if(cx, sn_format(cx->a, "!sn_used_once(g, %s)", id));
    else if (p->nuse)
        sn_rule_fail_if(cx,
                        sn_format(cx->a, "sn_nuse(g, SN_REF(%s, 0)) != %lld",
                                  id, (long long)p->nuse));
    type_test(cx, p, sn_format(cx->a, "SN_REF(%s, 0)", id));
    return id;
}

/* ---- runs ---- */

/* Matches or binds element `at` ("i", "0") of the run. */
static void
element(SnRuleGen *cx, const SnRuleRun *r, const char *at)
{
    const char *slot = *at == '0' ? sn_format(cx->a, "%u", r->first)
                       : r->first ? sn_format(cx->a, "i + %u", r->first)
                                  : at;
    const char *from = sn_format(cx->a, "sn_in(g, %s, %s)", r->id, slot);
    const SnPat *p = r->pat->arg[0];
    SnDefPort port = {.variadic = true}, *in[] = {&port};
    SnDefNode node = {.nin = 1, .in = in};
    SnPat of = {.pk = SN_P_CALL, .node = &node};

    if (p->pk == SN_P_VAR)
        bind_var(cx, p, from, &of, r->id, 0);
    else if (p->pk != SN_P_WILD && p->pk != SN_P_LIST)
        match_node(cx, p, head(cx, p, from, false, false));
}

static void
open_loop(SnRuleGen *cx, const SnRuleRun *r)
{
    sn_rule_line(cx, NULL, "for (uint32_t i = 0; i < %s; i++) {", r->count);
    cx->indent += 4;
    cx->in_run = true;
}

void
sn_rule_loop(SnRuleGen *cx, const SnRuleRun *r)
{
    open_loop(cx, r);
    cx->rebind = true;
    element(cx, r, "i");
    cx->rebind = false;
}

void
sn_rule_loop_end(SnRuleGen *cx)
{
    cx->in_run = false;
    cx->indent -= 4;
    sn_rule_line(cx, NULL, "}");
}

static void
match_run(SnRuleGen *cx, const SnPat *p, const SnPat *of, const char *id,
          uint32_t port)
{
    SnRuleRun r = {.pat = p,
                   .id = id,
                   .first = port,
                   .count = run_count(cx, of->node, id)};
    const char *n =
        p->pk == SN_P_LIST
            ? sn_format(cx->a, "%s_n", sn_rule_local(cx, p->var->name))
            : sn_rule_fresh(cx, "n");

    sn_rule_line(cx, n, "uint32_t %s = %s;", n, r.count);
    r.count = n;
    if (p->pk == SN_P_LIST) {
        SnRuleBind *b = &cx->bind[p->var->index];
        *b = (SnRuleBind){
            .bound = true, .id = id, .node = of->node, .port = port, .run = r};
        return;
    }
    SN_PUSH(cx->a, cx->each, cx->neach, r);
    open_loop(cx, &r);
    element(cx, &r, "i");
    sn_rule_loop_end(cx);
    cx->rebind = true;
    cx->suffix = "_0";
    element(cx, &r, "0");
    cx->suffix = "";
    cx->rebind = false;
}

/* ---- nodes ---- */

/* The condition, or its negation, where node id, which pattern p matches, is a
 * variable called id, too. */
static const char *
cond_at(SnRuleGen *cx, const SnPat *p, const char *id, const SnExpr *e,
        bool negate)
{
    SnDefVar var = {.name = id, .vk = SN_V_NODE, .pat = p};
    const SnDefRule *rule = cx->rule;
    SnDefRule with = *rule;

    with.var = SN_NEW_N(cx->a, SnDefVar *, rule->nvar + 1);
    memcpy(with.var, rule->var, rule->nvar * sizeof *with.var);
    with.var[with.nvar++] = &var;
    cx->rule = &with;
    const char *s = sn_rule_cond(cx, e, negate);
    cx->rule = rule;
    return s;
}

static void
attr_tests(SnRuleGen *cx, const SnPat *p, const char *id)
{
    for (uint32_t i = 0; i < p->nasg; i++) {
        const SnAsg *g = &p->asg[i];
        SnExpr name = {.ek = SN_E_NAME, .s = id, .pos = g->pos};
        SnExpr *kid[] = {&name};
        SnExpr member = {.ek = SN_E_MEMBER,
                         .s = g->name,
                         .word = g->word,
                         .pos = g->pos,
                         .nkid = 1,
                         .kid = kid};
        SnExpr *pair[] = {&member, g->e};
        SnExpr eq = {.ek = SN_E_BIN,
                     .op = SN_OP_EQ,
                     .nkid = 2,
                     .kid = pair,
                     .pos = g->pos};
        bool flag =
            g->attr && g->attr->ty == SN_A_BOOL && g->e->ek == SN_E_BOOL;
        sn_rule_fail_if(cx, cond_at(cx, p, id, flag ? &member : &eq,
                                    !flag || g->e->i != 0));
    }
}

/* A resolved condition about the variable called `name` instead. */
static SnExpr *
renamed(SnArena *a, const SnExpr *e, const char *name)
{
    SnExpr *c = sn_memdup(a, e, sizeof *e);

    if (e->ek == SN_E_NAME && e->rk == SN_R_VAR)
        c->s = name;
    c->kid = SN_NEW_N(a, SnExpr *, e->nkid);
    for (uint32_t i = 0; i < e->nkid; i++)
        c->kid[i] = renamed(a, e->kid[i], name);
    return c;
}

/* Operands that commute under a condition are exchanged where it holds, and
 * operands of codes where the graph's arithmetic allows it. */
static void
swap_test(SnRuleGen *cx, const SnPat *p, const char *id, const char *swap)
{
    bool codes = false;

    for (uint32_t i = 0; i < p->node->ntuple; i++)
        codes |= sn_conc_quant(p->node->tuple[i].out[0]);
    if (codes)
        sn_rule_fail_if(cx,
                        sn_format(cx->a, "%s && sn_swap_off(g, %s)", swap, id));
    if (!p->node->comm_when)
        return;
    const char *no =
        cond_at(cx, p, id, renamed(cx->a, p->node->comm_when, id), true);
    sn_rule_fail_if(cx, sn_format(cx->a,
                                  strpbrk(no, " ") ? "%s && (%s)" : "%s && %s",
                                  swap, no));
}

static void
match_node(SnRuleGen *cx, const SnPat *p, const char *id)
{
    if (!cx->rebind)
        attr_tests(cx, p, id);
    if (p->pk == SN_P_ANY)
        return;
    const SnDefNode *n = p->node;
    bool swaps =
        cx->nswap && !cx->rebind && !cx->in_run && commutes(cx->rule, p);
    const char *swap = swaps ? next_swap(cx) : NULL;
    if (swaps)
        swap_test(cx, p, id, swap);
    const char **kid = SN_NEW_N(cx->a, const char *, n->nin + 1);
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnPat *k = p->by_port[i];
        if (!is_matched(k))
            continue;
        if (n->in[i]->variadic) {
            match_run(cx, k, p, id, i);
            continue;
        }
        const char *from = operand(cx, p, id, i, swap);
        bool seen = i == 0 && cx->root_seen && p == cx->rule->pat;
        if (k->pk == SN_P_VAR)
            bind_var(cx, k, from, p, id, i);
        else
            kid[i] = head(cx, k, from, n->in[i]->optional && !seen, seen);
    }
    for (uint32_t i = 0; i < n->nin; i++)
        if (kid[i])
            match_node(cx, p->by_port[i], kid[i]);
}

/* Result 0 is not always f32, but lowering takes only f32. */
static bool
quantizes(const SnDefNode *n)
{
    for (uint32_t i = 0; n->nout && i < n->ntuple; i++)
        if (n->tuple[i].out[0].elem != SN_F32)
            return true;
    return false;
}

/* Lines that match the rule's pattern and bind its variables. */
static void
match(SnRuleGen *cx)
{
    const SnPat *p = cx->rule->pat;

    if (p->nuse)
        sn_rule_fail_if(cx,
                        sn_format(cx->a, "sn_nuse(g, SN_REF(%s, 0)) != %lld",
                                  cx->root, (long long)p->nuse));
    type_test(cx, p, sn_format(cx->a, "SN_REF(%s, 0)", cx->root));
    if (cx->rule->lower && p->node && quantizes(p->node))
        sn_rule_fail_if(cx, sn_format(cx->a,
                                      "!sn_type_is(sn_type(g, SN_REF("
                                      "%s, 0)), SN_F32, -1)",
                                      cx->root));
    if (p->cap)
        cx->bind[p->cap->index].bound = true;
    cx->swap_at = 0;
    match_node(cx, p, cx->root);
}

/* ---- roots ---- */

bool
sn_rule_root_has(const SnDefRule *r, const SnDefNode *n)
{
    const SnPat *p = r->pat;

    if (p->pk == SN_P_CALL)
        return n == p->node;
    if (p->pk == SN_P_FORMS)
        return sn_rule_form_of(n, p->node);
    return p->cls && (p->cls->member[n->kind / 64] >> n->kind % 64 & 1);
}

const SnDefNode *
sn_rule_operand0(const SnDefRule *r)
{
    const SnPat *p = r->pat;

    if (p->pk != SN_P_CALL && p->pk != SN_P_FORMS)
        return NULL;
    if (p->node->nin == 0 || p->node->in[0]->variadic || commutes(r, p))
        return NULL;
    const SnPat *k = p->by_port[0];
    return k && k->pk == SN_P_CALL ? k->node : NULL;
}

/* The function of one rule, with its text above it. */
static void
head_comment(SnRuleGen *cx, SnBuf *b)
{
    const SnDefRule *r = cx->rule;

    sn_putf(b, "\n/* %s: %s.%s\n *\n", sn_where(cx->a, r->pos), r->pass->name,
            r->name);
    sn_rule_quote(b, " *   ", r->text);
    if (cx->root_seen)
        sn_putf(b, " *\n * The caller has seen that operand 0 is a %s.\n",
                sn_rule_operand0(r)->name);
    sn_puts(b, " */\n");
}

/* Both orders of one commuting node, or all 2^n of several. */
static void
put_orders(SnRuleGen *cx, SnBuf *b, const char *fn)
{
    sn_putf(b,
            "\nstatic SN_OWN_CODE bool\n"
            "%s(SnGraph *g, SnRewriter *rw, SnId %s)\n{\n",
            fn, cx->root);
    if (cx->nswap == 1) {
        sn_putf(b,
                "    return %s_order(g, rw, %s, false)"
                " || %s_order(g, rw, %s, true);\n",
                fn, cx->root, fn, cx->root);
    } else {
        sn_putf(b,
                "    for (unsigned swap = 0; swap < %u; swap++)\n"
                "        if (%s_order(g, rw, %s, swap))\n"
                "            return true;\n    return false;\n",
                1u << cx->nswap, fn, cx->root);
    }
    sn_puts(b, "}\n");
}

static void
put_supported(SnRuleGen *cx, SnBuf *b, const char *fn)
{
    sn_putf(b,
            "\nstatic bool\n%s_supported(const SnRewriter *rw)\n{\n"
            "    return %s;\n}\n",
            fn, sn_rule_cond(cx, cx->rule->requires, false));
}

/* The body of the function; false when no line reads `swap` after all. */
static bool
put_body(SnRuleGen *cx, SnBuf *b, uint32_t nswap)
{
    const SnDefRule *r = cx->rule;
    SnBuf body;

    sn_buf_init(&body, cx->a);
    cx->bind = SN_NEW_N(cx->a, SnRuleBind, r->nvar + 1);
    cx->nname = cx->neach = 0;
    cx->nswap = nswap;
    cx->w.modular = false;
    sn_rule_fits_line(cx);
    match(cx);
    sn_rule_before(cx);
    cx->w.modular = true;
    if (r->builder) {
        sn_rule_line(cx, NULL, "return %s(g, rw, %s);", r->builder, cx->root);
    } else {
        sn_rule_line(cx, NULL, "%s", "");
        sn_rule_fail_if(cx, sn_format(cx->a, "!sn_fire(rw, %s, g, %s)",
                                      sn_rule_enum(cx->defs, r), cx->root));
        sn_rule_replace(cx);
    }
    sn_rule_flush(cx, &body);
    if (nswap && !strstr(sn_buf_str(&body), "swap"))
        return false;
    sn_puts(b, sn_buf_str(&body));
    return true;
}

void
sn_emit_rule(const SnDefs *defs, SnDiag *d, const SnDefRule *r, SnBuf *b)
{
    const char *fn = sn_rule_fn(defs, r);
    SnBuf body;
    SnRuleGen cx;

    sn_rule_init(&cx, defs, d);
    sn_buf_init(&body, cx.a);
    cx.rule = r;
    cx.root = sn_rule_local(&cx, r->pat->cap ? r->pat->cap->name : "root");
    cx.root_seen = sn_rule_dispatched(defs, r);
    if (!put_body(&cx, &body, count_swaps(r, r->pat)))
        put_body(&cx, &body, 0);
    head_comment(&cx, b);
    sn_putf(b,
            "static SN_OWN_CODE bool\n%s%s(SnGraph *g, SnRewriter *rw, SnId %s",
            fn, cx.nswap ? "_order" : "", cx.root);
    if (cx.nswap)
        sn_puts(b, cx.nswap == 1 ? ", bool swap" : ", unsigned swap");
    sn_putf(b, ")\n{\n%s}\n", sn_buf_str(&body));
    if (cx.nswap)
        put_orders(&cx, b, fn);
    if (r->requires)
        put_supported(&cx, b, fn);
}
