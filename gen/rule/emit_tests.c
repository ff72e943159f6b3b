// SPDX-License-Identifier: Apache-2.0
/* sn_tests.c: every `test` block as a cmocka test.  A function builds the
 * test's graph; it is built once to run the pass and once more, with the
 * expected terms added, to compare with. */
#include "gen/rule/rule_gen.h"

#include <string.h>

static const char *build(SnRuleGen *cx, const SnTerm *t, const char *name);

static bool
is_value(const SnDefTestLine *l)
{
    return l->kind == SN_TL_VALUE || l->kind == SN_TL_INPUT;
}

/* ---- types and shapes ---- */

/* The dimensions of T[2, 3]: "2, (const int64_t[]){ 2, 3 }". */
static const char *
dims(SnRuleGen *cx, const SnExpr *e)
{
    uint32_t n = e && e->ek == SN_E_INDEX ? e->nkid - 1 : 0;

    return n ? sn_format(cx->a, "%u, %s", n,
                         sn_lit_list(cx->a, e->kid + 1, n, "int64_t"))
             : "0, NULL";
}

/* NULL if the operands' facts determine it. */
static const char *
type(SnRuleGen *cx, const SnTerm *t)
{
    const SnExpr *e = t->type ? t->type : t->forced;

    return e ? sn_rule_type(cx, e) : "NULL";
}

/* ---- terms ---- */

/* The values as integers or, where one is none, as reals. */
static const char *
values(SnRuleGen *cx, SnExpr *const *e, uint32_t n)
{
    bool whole = true;
    int64_t v;

    for (uint32_t i = 0; i < n; i++)
        whole &= e[i]->ek == SN_E_BOOL || sn_expr_int(e[i], &v);
    return sn_format(cx->a, whole ? "%s, NULL" : "NULL, %s",
                     sn_lit_list(cx->a, e, n, whole ? "int64_t" : "double"));
}

/* Constant() {data = [..]} or {splat = n} */
static const char *
build_constant(SnRuleGen *cx, const SnTerm *t, const char *name)
{
    const SnAsg *data = sn_rule_asg_word(t, SN_W_DATA),
                *splat = sn_rule_asg_word(t, SN_W_SPLAT);
    SnExpr *e = data ? data->e : splat ? splat->e : NULL;
    bool list = e && e->ek == SN_E_LIST;
    uint32_t n = list ? e->nkid : e != NULL;

    return sn_format(cx->a, "sn_gt_constant(t, %s, %s, %s, %u, %s)",
                     sn_lit_str(cx->a, name), type(cx, t), dims(cx, t->type), n,
                     values(cx, list ? e->kid : &e, n));
}

/* regrid(b): b on the grid that the operands it is pinned to give. */
static const char *
build_regrid(SnRuleGen *cx, const SnTerm *t, const SnTerm *k, uint32_t port,
             const char *const *in)
{
    const SnDefPort *p = t->node->in[port];
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < p->npin; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", in[p->pin[i]]);
    const char *v = sn_rule_fresh(cx, "regrid");
    sn_rule_line(cx, v,
                 "SnRef %s = sn_gt_regrid(t, %s, %u, (const SnRef[]){ "
                 "%s });",
                 v, build(cx, k->arg[0], NULL), p->npin,
                 p->npin ? sn_buf_str(&b) : "0");
    return v;
}

/* "2, (const SnRef[]){ a, b }" in slot order. */
static const char *
operands(SnRuleGen *cx, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    const char **in = SN_NEW_N(cx->a, const char *, n->nin + 1);
    uint32_t count = 0;
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTerm *k = t->by_port[i];
        for (uint32_t j = 0; n->in[i]->variadic && j < t->nlist; j++)
            sn_putf(&b, "%s%s", count++ ? ", " : "",
                    build(cx, t->list[j], NULL));
        if (n->in[i]->variadic)
            continue;
        if (k && k->tk == SN_T_FUNC && k->fn == SN_FN_REGRID)
            in[i] = build_regrid(cx, t, k, i, in);
        else
            in[i] = k ? build(cx, k, NULL) : "0";
        sn_putf(&b, "%s%s", count++ ? ", " : "", in[i]);
    }
    if (!count)
        return "0, NULL";
    return sn_format(cx->a, "%u, (const SnRef[]){ %s }", count, sn_buf_str(&b));
}

static const char *
build_node(SnRuleGen *cx, const SnTerm *t, const char *name)
{
    const SnDefNode *n = t->node;
    const SnAsg *flag = sn_rule_asg_word(t, SN_W_CALIBRATED);
    bool source = sn_def_source(n);

    if (source && !n->has_effect)
        return build_constant(cx, t, name);
    if (source)
        return sn_format(cx->a, "sn_gt_input(t, %s, %s, %s)",
                         sn_lit_str(cx->a, name ? name : "input"), type(cx, t),
                         dims(cx, t->type));
    const char *in = operands(cx, t);
    const char *attr =
        n->nall ? sn_rule_attrs(cx, t, name ? name : sn_rule_lower(cx, n))
                : "NULL";
    return sn_format(cx->a, "sn_gt_node(t, %s, %s, %s, %s, %s, %s)",
                     sn_lit_str(cx->a, name), sn_rule_kind(cx, n), in, attr,
                     type(cx, t),
                     flag ? sn_rule_cond(cx, flag->e, false) : "false");
}

static const char *
build(SnRuleGen *cx, const SnTerm *t, const char *name)
{
    switch (t->tk) {
    case SN_T_NONE:
        return "0";
    case SN_T_VAR:
        return sn_format(cx->a, "%s%s", cx->values, sn_field(cx->a, t->name));
    case SN_T_FUNC:
        if (t->fn == SN_FN_FOLD)
            return sn_format(cx->a, "sn_gt_fold(t, %s)",
                             build(cx, t->arg[0], NULL));
        break;
    case SN_T_CALL: {
        if (name)
            return build_node(cx, t, name);
        const char *v = sn_rule_fresh(cx, sn_rule_lower(cx, t->node));
        sn_rule_line(cx, v, "SnRef %s = %s;", v, build_node(cx, t, NULL));
        return v;
    }
    case SN_T_COPY:
    case SN_T_EACH:
        break;
    }
    sn_error(cx->d, t->pos, "SN104", "'%s' is not allowed in a test", t->name);
    return "0";
}

/* ---- one test ---- */

static const char *
test_name(const SnDefs *defs, const SnDefTest *t)
{
    const char *pass = t->pass ? t->pass->name : "backend";

    if (t->backend)
        pass = sn_format(defs->arena, "%s_%s", pass,
                         sn_lower(defs->arena, t->backend->name));
    return sn_format(defs->arena, "%s_%s", pass, t->name);
}

static void
put_values(SnRuleGen *cx, SnBuf *b, const char *name)
{
    bool any = false;

    sn_putf(b, "struct %s { SnRef ", name);
    for (uint32_t i = 0; i < cx->test->nline; i++) {
        const SnDefTestLine *l = cx->test->line[i];
        if (!is_value(l))
            continue;
        sn_putf(b, "%s%s", any ? ", " : "", sn_field(cx->a, l->name));
        any = true;
    }
    sn_puts(b, any ? "; };\n" : "none; };\n");
}

static bool
needs_graph(const char *s)
{
    return strstr(s, "g->pool") || strstr(s, "(g, ");
}

/* Writes the lines so far; g is the graph being built when they start.  have:
 * is it declared? */
static void
put_part(SnRuleGen *cx, SnBuf *b, bool *have)
{
    SnBuf s;

    sn_buf_init(&s, cx->a);
    sn_rule_flush(cx, &s);
    if (needs_graph(sn_buf_str(&s))) {
        sn_putf(b, "    %sg = sn_gt_graph(t);\n", *have ? "" : "SnGraph *");
        *have = true;
    }
    sn_puts(b, sn_buf_str(&s));
}

static void
put_graph(SnRuleGen *cx, SnBuf *b, const char *name)
{
    bool have = false;

    sn_putf(b, "\nstatic void\ngraph_%s(SnGt *t, struct %s *v)\n{\n", name,
            name);
    for (uint32_t i = 0; i < cx->test->nline; i++) {
        const SnDefTestLine *l = cx->test->line[i];
        const char *field = sn_field(cx->a, l->name ? l->name : "");
        if (l->kind == SN_TL_INPUT)
            sn_rule_line(cx, NULL, "v->%s = sn_gt_input(t, %s, %s, %s);", field,
                         sn_lit_str(cx->a, l->name), sn_rule_type(cx, l->e),
                         dims(cx, l->e));
        else if (l->kind == SN_TL_VALUE)
            sn_rule_line(cx, NULL, "v->%s = %s;", field,
                         build(cx, l->term, l->name));
    }
    put_part(cx, b, &have);
    sn_puts(b, "}\n");
}

static bool
term_reads(const SnTerm *t, const char *name)
{
    if (t->tk == SN_T_VAR && !strcmp(t->name, name))
        return true;
    for (uint32_t i = 0; i < t->narg; i++)
        if (term_reads(t->arg[i], name))
            return true;
    return false;
}

/* Outputs are the values that no line reads, and those that are expected. */
static bool
is_output(const SnDefTest *t, const SnDefTestLine *v)
{
    bool read = false;

    if (v->kind != SN_TL_VALUE || (v->term->node && v->term->node->nout == 0))
        return false;
    for (uint32_t i = 0; i < t->nline; i++) {
        const SnDefTestLine *l = t->line[i];
        if (l->kind == SN_TL_EXPECT && !strcmp(l->name, v->name))
            return true;
        read |= l->kind == SN_TL_VALUE && term_reads(l->term, v->name);
    }
    return !read;
}

static const SnDefTestLine *
line_of(const SnDefTest *t, int kind)
{
    for (uint32_t i = 0; i < t->nline; i++)
        if ((int)t->line[i]->kind == kind)
            return t->line[i];
    return NULL;
}

static void
put_using(SnRuleGen *cx, SnBuf *b)
{
    const SnDefTest *t = cx->test;

    if (!line_of(t, SN_TL_USING))
        return;
    sn_puts(b, "    static const char *const using[] = { ");
    for (uint32_t i = 0; i < t->nline; i++)
        for (uint32_t k = 0;
             t->line[i]->kind == SN_TL_USING && k < t->line[i]->nname; k++)
            sn_putf(b, "\"%s\", ", t->line[i]->names[k]);
    sn_puts(b, "NULL };\n");
}

static void
run_lines(SnRuleGen *cx, const char *name)
{
    const SnDefTest *t = cx->test;
    const SnDefTestLine *assume = line_of(t, SN_TL_ASSUME);
    bool strict = assume && sn_word_named(assume->name) == SN_W_NOTHING;
    const SnDefTestLine *reject = line_of(t, SN_TL_REJECT);

    sn_rule_line(cx, NULL, "(void)state;");
    sn_rule_line(cx, NULL, "graph_%s(t, &v);", name);
    for (uint32_t i = 0; i < t->nline; i++)
        if (is_output(t, t->line[i]))
            sn_rule_line(cx, NULL, "sn_gt_save(t, %s, v.%s);",
                         sn_lit_str(cx->a, t->line[i]->name),
                         sn_field(cx->a, t->line[i]->name));
    sn_rule_line(cx, NULL, "sn_gt_run(t, \"%s\", %s, %s, %s);",
                 t->pass ? t->pass->name : "backend",
                 sn_lit_str(cx->a, t->backend ? t->backend->name : NULL),
                 line_of(t, SN_TL_USING) ? "using" : "NULL",
                 strict ? "true" : "false");
    if (reject)
        sn_rule_line(cx, NULL, "sn_gt_reject(t, %s);",
                     sn_lit_str(cx->a, reject->name));
}

/* Conditions are about the graph that ran: its values by their names. */
static void
condition_lines(SnRuleGen *cx)
{
    const SnDefTest *t = cx->test;

    cx->ran = true;
    cx->w.modular = false;
    sn_rule_fits_line(cx);
    for (uint32_t i = 0; i < t->nline; i++) {
        if (t->line[i]->kind != SN_TL_COND)
            continue;
        const SnExpr *e = t->line[i]->e;
        sn_rule_line(cx, NULL, "sn_gt_check(t, %s, %s);",
                     sn_rule_cond(cx, e, false),
                     sn_lit_str(cx->a, sn_expr_str(cx->a, e)));
    }
    cx->ran = false;
    cx->w.modular = true;
}

static void
expect_lines(SnRuleGen *cx, const char *name)
{
    const SnDefTest *t = cx->test;

    sn_rule_line(cx, NULL, "graph_%s(t, &v);", name);
    for (uint32_t i = 0; i < t->nline; i++) {
        const SnDefTestLine *l = t->line[i];
        if (l->kind != SN_TL_EXPECT)
            continue;
        const char *x = build(cx, l->term, NULL);
        sn_rule_line(cx, NULL, "sn_gt_expect(t, %s, %s);",
                     sn_lit_str(cx->a, l->name), x);
    }
}

static void
put_test(const SnDefs *defs, SnDiag *d, SnBuf *b, const SnDefTest *t)
{
    const char *name = test_name(defs, t);
    bool have_g = false;
    SnRuleGen cx;

    sn_rule_init(&cx, defs, d);
    cx.test = t;
    cx.w.modular = true; /* where graphs are built */
    sn_putf(b, "\n/* %s: test %s */\n", sn_where(cx.a, t->pos), t->name);
    put_values(&cx, b, name);
    put_graph(&cx, b, name);
    sn_putf(b, "\nstatic void\ntest_%s(void **state)\n{\n", name);
    put_using(&cx, b);
    sn_putf(b,
            "    SnGt *t = sn_gt_begin(\"%s:%u\", \"%s\");\n"
            "    struct %s v;\n\n",
            sn_where(cx.a, t->pos), t->pos.col, t->name, name);
    cx.values = "v.";
    cx.nname = 0;
    run_lines(&cx, name);
    sn_rule_flush(&cx, b);
    condition_lines(&cx);
    put_part(&cx, b, &have_g);
    if (line_of(t, SN_TL_EXPECT)) {
        sn_puts(b, "\n    sn_gt_want(t);\n");
        expect_lines(&cx, name);
        put_part(&cx, b, &have_g);
    }
    sn_puts(b, "    sn_gt_end(t);\n}\n");
}

/* ---- the file ---- */

static void
put_main(const SnDefs *defs, SnBuf *b, uint32_t n, const SnDefTest **v)
{
    sn_puts(b, "\nint\nmain(void)\n{\n");
    if (n == 0) {
        sn_puts(b, "    return 0;\n}\n");
        return;
    }
    sn_puts(b, "    const struct CMUnitTest tests[] = {\n");
    for (uint32_t i = 0; i < n; i++)
        sn_putf(b, "        cmocka_unit_test(test_%s),\n",
                test_name(defs, v[i]));
    sn_puts(b, "    };\n\n    return cmocka_run_group_tests_name(\"declared "
               "tests\", tests, NULL, NULL);\n}\n");
}

static void
add_test(const SnDefs *defs, const SnDefTest ***v, uint32_t *n,
         const SnDefTest *t)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*v)[i] == t)
            return;
    SN_PUSH(defs->arena, *v, *n, t);
}

void
sn_emit_tests(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    const SnDefTest **v = NULL;
    uint32_t n = 0;
    SnBuf b;

    for (uint32_t i = 0; i < defs->npass; i++)
        for (uint32_t k = 0; k < defs->pass[i]->ntest; k++)
            add_test(defs, &v, &n, defs->pass[i]->test[k]);
    for (uint32_t i = 0; i < defs->ntest; i++)
        add_test(defs, &v, &n, defs->test[i]);
    sn_buf_init(&b, defs->arena);
    sn_emit_head(&b, "The tests that stand in passes and backend files.");
    sn_puts(&b, "#include <setjmp.h>\n#include <stdarg.h>\n"
                "#include <stddef.h>\n#include <stdint.h>\n\n"
                "#include <cmocka.h>\n\n");
    if (n)
        sn_puts(&b, "#include \"gen_support.h\"\n#include \"rewrite/rule.h\""
                    "\n#include \"sn_kinds.h\"\n");
    for (uint32_t i = 0; i < n; i++)
        put_test(defs, d, &b, v[i]);
    put_main(defs, &b, n, v);
    sn_emit_file(&b, outdir, "sn_tests.c", d);
}
