// SPDX-License-Identifier: Apache-2.0
/* The guard of a rule: one test for each conjunct of its condition, the
 * cheapest first. */
#include "gen/rule/rule_gen.h"

#include <string.h>

/* The cost of an expression: pointers, then attributes, then searches. */
static int
cost(const SnExpr *e)
{
    int c = e->ek == SN_E_BIN || e->ek == SN_E_IN ? 1 : 0;

    if (e->ek == SN_E_CALL)
        c = sn_fns[e->fn].cost;
    if (e->ek == SN_E_MEMBER)
        c = e->word != SN_W_TYPE ? 2 : 1;
    for (uint32_t i = 0; i < e->nkid; i++) {
        int k = cost(e->kid[i]);
        c = k > c ? k : c;
    }
    return c;
}

bool
sn_rule_mentions(const SnExpr *e, const SnDefVar *v)
{
    if (e->fn == SN_FN_PRESENT)
        return false;
    if (e->rk == SN_R_VAR && e->ref == v)
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (sn_rule_mentions(e->kid[i], v))
            return true;
    return false;
}

bool
sn_rule_asks_present(const SnExpr *e, const SnDefVar *v)
{
    if (e->fn == SN_FN_PRESENT)
        return e->kid[0]->rk == SN_R_VAR && e->kid[0]->ref == v;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (sn_rule_asks_present(e->kid[i], v))
            return true;
    return false;
}

/* The run whose elements the expression uses, or NULL. */
static const SnRuleRun *
run_of(const SnRuleGen *cx, const SnExpr *e)
{
    for (uint32_t i = 0; i < cx->rule->nvar; i++) {
        const SnDefVar *v = cx->rule->var[i];
        if (v->each && cx->neach && sn_rule_mentions(e, v))
            return &cx->each[0];
    }
    return NULL;
}

static void
conjuncts(SnRuleGen *cx, const SnExpr *e, const SnExpr ***v, uint32_t *n)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        conjuncts(cx, e->kid[0], v, n);
        conjuncts(cx, e->kid[1], v, n);
        return;
    }
    SN_PUSH(cx->a, *v, *n, e);
}

/* "1, (const SnNamed[]){ { "x", x } }": the values that e uses. */
static const char *
named(SnRuleGen *cx, const SnExpr *e)
{
    uint32_t n = 0;
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < cx->rule->nvar; i++) {
        const SnDefVar *v = cx->rule->var[i];
        bool node = v->vk == SN_V_NODE;
        if ((!node && v->vk != SN_V_VALUE) || !sn_rule_mentions(e, v))
            continue;
        const char *c = sn_rule_of(cx, v);
        sn_putf(&b, "%s{ \"%s\", ", n++ ? ", " : "", v->name);
        sn_putf(&b, node ? "SN_REF(%s, 0) }" : "%s }", c);
    }
    return n ? sn_format(cx->a, "%u, (const SnNamed[]){ %s }", n,
                         sn_buf_str(&b))
             : "0, NULL";
}

/* if (cond) return false; and record on request that e, in C as text, is
 * why. */
static void
fail_if(SnRuleGen *cx, const char *cond, const SnExpr *e, const char *text)
{
    sn_rule_line(cx, NULL, "if (%s)", cond);
    cx->indent += 4;
    sn_rule_line(cx, NULL, "return sn_guard_fails(rw, %s, g, %s, %s, %s);",
                 sn_rule_enum(cx->defs, cx->rule), cx->root, text,
                 named(cx, e));
    cx->indent -= 4;
}

/* e, calculated in 64 bits */
static const char *
in_64_bits(SnRuleGen *cx, const SnExpr *e)
{
    return sn_lit_str(cx->a,
                      sn_format(cx->a, "%s in 64 bits", sn_expr_str(cx->a, e)));
}

static void
fail_unless(SnRuleGen *cx, const SnExpr *e)
{
    const char *cond = sn_rule_cond(cx, e, true);
    const char *text = sn_lit_str(cx->a, sn_expr_str(cx->a, e));

    if (cx->w.calculates)
        text = sn_format(cx->a, "fits ? %s : %s", text, in_64_bits(cx, e));
    fail_if(cx, cond, e, text);
}

static void
guard_line(SnRuleGen *cx, const SnExpr *e)
{
    const SnRuleRun *r = run_of(cx, e);

    if (!r) {
        fail_unless(cx, e);
        return;
    }
    sn_rule_loop(cx, r);
    sn_rule_fail_if(cx, sn_rule_cond(cx, e, true));
    sn_rule_loop_end(cx);
}

void
sn_rule_fits_line(SnRuleGen *cx)
{
    sn_rule_line(cx, "fits", "bool fits = true;");
}

/* Does e itself calculate an integer, whatever its operands do? */
static bool
calculates(const SnExpr *e)
{
    if (e->ty != SN_TY_INT || sn_cw_bits(e) < 64)
        return false;
    return (e->ek == SN_E_BIN && e->op <= SN_OP_DIV) || e->ek == SN_E_NEG ||
           (e->ek == SN_E_CALL && e->fn == SN_FN_ABS);
}

bool
sn_rule_calculates(const SnExpr *e)
{
    bool any = calculates(e);

    for (uint32_t i = 0; i < e->nkid && !any; i++)
        any = sn_rule_calculates(e->kid[i]);
    return any;
}

static void
calculate(SnRuleGen *cx, const SnExpr *e)
{
    if (calculates(e)) {
        sn_rule_line(cx, NULL, "(void)%s;", sn_cw(&cx->w, e).s);
        return;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        calculate(cx, e->kid[i]);
}

void
sn_rule_fits(SnRuleGen *cx, const SnExpr *e)
{
    const SnRuleRun *r = run_of(cx, e);

    if (r)
        sn_rule_loop(cx, r);
    calculate(cx, e);
    if (r) {
        sn_rule_fail_if(cx, "!fits");
        sn_rule_loop_end(cx);
    } else {
        fail_if(cx, "!fits", e, in_64_bits(cx, e));
    }
}

void
sn_rule_guard(SnRuleGen *cx, const SnExpr *e)
{
    const SnExpr **v = NULL;
    uint32_t n = 0;
    int max = 0;

    conjuncts(cx, e, &v, &n);
    for (uint32_t i = 0; i < n; i++)
        max = cost(v[i]) > max ? cost(v[i]) : max;
    for (int c = 0; c <= max; c++)
        for (uint32_t i = 0; i < n; i++)
            if (cost(v[i]) == c)
                guard_line(cx, v[i]);
}
