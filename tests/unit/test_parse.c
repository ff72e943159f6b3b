// SPDX-License-Identifier: Apache-2.0
/* The syntax half of the front end: every construct in its field of the
 * model, and the project's own files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "dsl/model/onnx.h"
#include "base/file/file.h"
#include "dsl/syntax/parse.h"

static const char *const dirs[] = {"."};

typedef struct Run {
    SnArena *a;
    SnDiag *d;
    SnDefs *f;
} Run;

static Run
start(void)
{
    Run r = {.a = sn_arena_new()};

    r.d = sn_diag_new(r.a);
    r.f = sn_defs_new(r.a);
    return r;
}

/* Parses text after the version line. */
static Run
parse(const char *text)
{
    Run r = start();
    const char *s = sn_format(r.a, "version 2;\n%s", text);

    sn_def_parse_text(r.f, r.d, "t.def", s, strlen(s), dirs, 1);
    return r;
}

static Run
parse_ok(const char *text)
{
    Run r = parse(text);

    assert_string_equal(sn_diag_text(r.d, r.a), "");
    return r;
}

static Run
parse_file(const char *path)
{
    Run r = start();

    sn_def_parse(r.f, r.d, path, dirs, 1);
    assert_string_equal(sn_diag_text(r.d, r.a), "");
    return r;
}

static const SnDefNode *
node(Run r, const char *name)
{
    for (uint32_t i = 0; i < r.f->nnode; i++)
        if (!strcmp(r.f->node[i]->name, name))
            return r.f->node[i];
    fail_msg("no node %s", name);
    return NULL;
}

static const SnDefPass *
pass(Run r, const char *name)
{
    for (uint32_t i = 0; i < r.f->npass; i++)
        if (!strcmp(r.f->pass[i]->name, name))
            return r.f->pass[i];
    fail_msg("no pass %s", name);
    return NULL;
}

static const SnDefRule *
rule(Run r, const char *name)
{
    for (uint32_t i = 0; i < r.f->nrule; i++)
        if (!strcmp(r.f->rule[i]->name, name))
            return r.f->rule[i];
    fail_msg("no rule %s", name);
    return NULL;
}

/* An expression as text with all its structure. */
static void
put(SnBuf *b, const SnExpr *e)
{
    static const char *const op[] = {
        "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
    static const char *const ek[] = {
        [SN_E_WILD] = "_",     [SN_E_LIST] = "list", [SN_E_MEMBER] = ".",
        [SN_E_INDEX] = "[]",   [SN_E_CALL] = "call", [SN_E_ARG] = "arg",
        [SN_E_NEG] = "neg",    [SN_E_NOT] = "not",   [SN_E_IN] = "in",
        [SN_E_RATIO] = "ratio"};

    switch (e->ek) {
    case SN_E_INT:
        sn_putf(b, "%lld", (long long)e->i);
        return;
    case SN_E_REAL:
        sn_putf(b, "%s~%g", e->s, e->r);
        return;
    case SN_E_STR:
        sn_put_quoted(b, e->s);
        return;
    case SN_E_BOOL:
        sn_puts(b, e->i ? "true" : "false");
        return;
    case SN_E_NAME:
        sn_puts(b, e->s);
        return;
    case SN_E_WILD:
        sn_putc(b, '_');
        return;
    default:
        break;
    }
    sn_putf(b, "(%s", e->ek == SN_E_BIN ? op[e->op] : ek[e->ek]);
    if (e->ek == SN_E_MEMBER || e->ek == SN_E_CALL || e->ek == SN_E_ARG)
        sn_putf(b, " %s", e->s);
    for (uint32_t i = 0; i < e->nkid; i++) {
        sn_putc(b, ' ');
        put(b, e->kid[i]);
    }
    sn_putc(b, ')');
}

static void
expect_expr(const SnExpr *e, const char *want)
{
    SnArena *a = sn_arena_new();
    SnBuf b;

    assert_non_null(e);
    sn_buf_init(&b, a);
    put(&b, e);
    assert_string_equal(sn_buf_str(&b), want);
    sn_arena_free(a);
}

static void
expect_pos(SnPos p, const char *file, uint32_t line, uint32_t col, uint32_t len)
{
    assert_string_equal(p.src->name, file);
    assert_int_equal(p.line, line);
    assert_int_equal(p.col, col);
    assert_int_equal(p.len, len);
}

/* ---- expressions ---- */

static void
test_expressions(void **state)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"1 + 2 * 3 - 4 / 5", "(- (+ 1 (* 2 3)) (/ 4 5))"},
        {"(1 + 2) * -x", "(* (+ 1 2) (neg x))"},
        {"- - 1", "(neg (neg 1))"},
        {"not a == b and c or d", "(or (and (not (== a b)) c) d)"},
        {"a or b and not c", "(or a (and b (not c)))"},
        {"a < 1 or a <= 2 or a > 3 or a >= 4 or a != 5",
         "(or (or (or (or (< a 1) (<= a 2)) (> a 3)) (>= a 4)) (!= a 5))"},
        {"x.type in [q8, q16] and y", "(and (in (. type x) q8 q16) y)"},
        {"a in []", "(in a)"},
        {"q8(0.5, -1)[1, n + 1]", "([] (call q8 0.5~0.5 (neg 1)) 1 (+ n 1))"},
        {"f(g(), k = 2, \"s\\n\")", "(call f (call g) (arg k 2) \"s\\n\")"},
        {"[0, _]", "(list 0 _)"},
        {"[]", "(list)"},
        {"a.b.c[0][1]", "([] ([] (. c (. b a)) 0) 1)"},
        {"same(inputs, output) or free(x) == sem(point)",
         "(or (call same inputs output) (== (call free x) "
         "(call sem point)))"},
        {"true == false", "(== true false)"},
        {"1e-5 + 1.5E+2", "(+ 1e-5~1e-05 1.5E+2~150)"},
        {"shape(c).type", "(. type (call shape c))"},
        {"9223372036854775807", "9223372036854775807"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        Run r = start();
        const char *s = sn_format(r.a, "version 2;class c = %s;", t[i].text);

        sn_def_parse_text(r.f, r.d, "t.def", s, strlen(s), dirs, 1);
        assert_string_equal(sn_diag_text(r.d, r.a), "");
        expect_expr(r.f->cls[0]->e, t[i].want);
        sn_arena_free(r.a);
    }
}

static void
test_positions(void **state)
{
    Run r = parse_ok("class c = aa.b + f(1) // x\n  == -zz;\n");
    const SnDefClass *c = r.f->cls[0];

    (void)state;
    expect_pos(c->pos, "t.def", 2, 7, 1);
    expect_pos(c->e->pos, "t.def", 2, 11, 8);
    assert_int_equal(c->e->depth, 4);
    const SnExpr *sum = c->e->kid[0], *neg = c->e->kid[1];
    expect_pos(sum->kid[0]->pos, "t.def", 2, 11, 4);
    expect_pos(sum->kid[1]->pos, "t.def", 2, 18, 1);
    expect_pos(neg->pos, "t.def", 3, 6, 3);
    expect_pos(neg->kid[0]->pos, "t.def", 3, 7, 2);
    sn_arena_free(r.a);
}

/* ---- nodes ---- */

static void
test_ports_and_kinds(void **state)
{
    Run r = parse_ok(
        "type a = q8 | quant(i8, axis = 0);\n"
        "node N \"doc\" { in x, v...; out y; in b?; out i?;\n"
        "  kinds (x, v..., b) -> (y, i) { (T, T..., _) -> (T, i64) for T "
        "in a; (q8, f...,  q32) -> (q8, _); }\n"
        "  kernel { (q8) -> q8 : f1; (_, T...) -> (a, b) : f2; } }\n"
        "node F form of N \"more\" { }\n"
        "node S { kinds () -> () { () -> (); } }\n");
    const SnDefNode *n = r.f->node[0];

    (void)state;
    assert_int_equal(r.f->type[0]->nalt, 2);
    expect_expr(r.f->type[0]->alt[0], "q8");
    expect_expr(r.f->type[0]->alt[1], "(call quant i8 (arg axis 0))");
    assert_string_equal(n->doc, "doc");
    assert_int_equal(n->nport, 5);
    assert_true(n->port[1]->variadic && !n->port[1]->out);
    assert_true(n->port[2]->out && n->port[2]->index == 0);
    assert_true(n->port[3]->optional && n->port[3]->index == 2);
    assert_true(n->port[4]->optional && n->port[4]->index == 1);
    assert_int_equal(n->nsig_in, 3);
    assert_int_equal(n->sig_in[1]->i, 1);
    assert_int_equal(n->nsig_out, 2);
    expect_pos(n->kinds_pos, "t.def", 4, 3, 5);
    assert_int_equal(n->ntuple_src, 2);
    assert_string_equal(n->tuple_src[0]->var, "T");
    assert_string_equal(n->tuple_src[0]->of, "a");
    assert_int_equal(n->tuple_src[0]->in[2]->ek, SN_E_WILD);
    assert_null(n->tuple_src[1]->var);
    assert_int_equal(n->tuple_src[1]->in[1]->i, 1);
    assert_int_equal(n->nkernel, 2);
    assert_string_equal(n->kernel[1]->fn, "f2");
    assert_int_equal(n->kernel[1]->sig.nout, 2);
    assert_string_equal(r.f->node[1]->form_of, "N");
    assert_string_equal(r.f->node[1]->doc, "more");
    assert_int_equal(r.f->node[2]->tuple_src[0]->nin, 0);
    sn_arena_free(r.a);
}

static void
test_attributes(void **state)
{
    static const SnAttrKind want[] = {
        SN_A_INT,  SN_A_REAL, SN_A_BOOL,  SN_A_STR,  SN_A_ENUM,
        SN_A_INTS, SN_A_INTS, SN_A_REALS, SN_A_TYPE, SN_A_RANGE};
    Run r = parse_ok(
        "node N { attr a : int = -1 where a > -2; attr b : real = 1e-5;\n"
        "attr c : bool = true; attr d : str = \"x\"; attr e : enum { p, q } "
        "= q;\nattr f : int[4] = [0, 0, 0, 0] where f >= 0; attr g : int[]; "
        "attr h : real[]; attr i : type; attr j : range(y) = full; }\n");
    const SnDefNode *n = r.f->node[0];

    (void)state;
    assert_int_equal(n->nattr, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(n->attr[i]->ty, want[i]);
        assert_int_equal(n->attr[i]->index, i);
    }
    expect_expr(n->attr[0]->def, "(neg 1)");
    expect_expr(n->attr[0]->where, "(> a (neg 2))");
    assert_int_equal(n->attr[4]->nword, 2);
    assert_string_equal(n->attr[4]->word[1], "q");
    expect_expr(n->attr[4]->def, "q");
    assert_int_equal(n->attr[5]->fixed, 4);
    assert_int_equal(n->attr[6]->fixed, 0);
    assert_null(n->attr[6]->def);
    assert_string_equal(n->attr[9]->range_of, "y");
    sn_arena_free(r.a);
}

static void
test_facts_and_meaning(void **state)
{
    Run r = parse_ok(
        "node N { free x, w; same a, b because \"why\"; given t; fixed y (1 "
        "/ 256, -128); pin b (x.scale * w.scale, 0) else \"grid\"; same c;\n"
        "commutes x, w; invariant dim(x, 3) == 4 else \"shape\"; shape y = "
        "x[0];\nsem contract y = q(d(x)) within c over conv(x, w, s = 1) else "
        "q(0) ties first by lrn trusted \"t\";\nsem opaque p, q; sem source "
        "r; cost 1 + 2; effect io, random; }\n");
    const SnDefNode *n = r.f->node[0];

    (void)state;
    assert_int_equal(n->nfact_src, 6);
    assert_int_equal(n->fact_src[0]->fact, SN_FREE);
    assert_string_equal(n->fact_src[0]->name[1], "w");
    expect_pos(n->fact_src[0]->name_pos[1], "t.def", 2, 18, 1);
    assert_int_equal(n->fact_src[1]->fact, SN_SAME);
    assert_string_equal(n->fact_src[1]->text, "why");
    assert_int_equal(n->fact_src[2]->fact, SN_GIVEN);
    assert_int_equal(n->fact_src[3]->fact, SN_FIXED);
    expect_expr(n->fact_src[3]->scale, "(/ 1 256)");
    expect_expr(n->fact_src[3]->zp, "(neg 128)");
    assert_int_equal(n->fact_src[4]->fact, SN_PIN);
    expect_expr(n->fact_src[4]->scale, "(* (. scale x) (. scale w))");
    assert_string_equal(n->fact_src[4]->text, "grid");
    assert_null(n->fact_src[5]->text);
    assert_int_equal(n->ncommutes, 2);
    assert_string_equal(n->inv[0]->els, "shape");
    assert_string_equal(n->shape_of, "y");
    expect_expr(n->shape, "([] x 0)");
    assert_int_equal(n->nsem, 4);
    const SnDefSem *s = n->sem[0];
    assert_string_equal(s->cls_name, "contract");
    assert_string_equal(s->out_name, "y");
    expect_expr(s->formula, "(call q (call d x))");
    assert_string_equal(s->within, "c");
    assert_string_equal(s->map, "conv");
    assert_int_equal(s->narg, 3);
    expect_expr(s->els, "(call q 0)");
    assert_string_equal(s->ties, "first");
    assert_string_equal(s->by, "lrn");
    assert_string_equal(s->trusted, "t");
    assert_string_equal(n->sem[2]->cls_name, "opaque");
    assert_string_equal(n->sem[2]->out_name, "q");
    assert_null(n->sem[2]->formula);
    assert_string_equal(n->sem[3]->cls_name, "source");
    expect_expr(n->cost, "(+ 1 2)");
    assert_string_equal(n->effect[1], "random");
    sn_arena_free(r.a);
}

static void
test_onnx(void **state)
{
    Run r = parse_ok("node N { onnx \"A\" 1..12 { layout x = nchw; i = axis; "
                     "l = input(2); m = hook f; } onnx \"c.m:B\" 7.. hook "
                     "g; onnx \"C\" 3.. { } }\n");
    const SnDefNode *n = r.f->node[0];

    (void)state;
    assert_int_equal(n->nonnx, 3);
    assert_int_equal(n->onnx[0]->until, 12);
    assert_int_equal(n->onnx[0]->nent, 4);
    const SnDefOnnxEnt *e = n->onnx[0]->ent;
    assert_true(e[0].kind == SN_OE_LAYOUT && !strcmp(e[0].value, "nchw"));
    assert_true(e[1].kind == SN_OE_ATTR && !strcmp(e[1].value, "axis"));
    assert_true(e[2].kind == SN_OE_INPUT && e[2].input == 2);
    assert_true(e[3].kind == SN_OE_HOOK && !strcmp(e[3].value, "f"));
    assert_string_equal(n->onnx[1]->op, "c.m:B");
    assert_int_equal(n->onnx[1]->since, 7);
    assert_int_equal(n->onnx[1]->until, 0);
    assert_string_equal(n->onnx[1]->hook, "g");
    assert_null(n->onnx[2]->hook);
    sn_arena_free(r.a);
}

/* ---- passes ---- */

static void
test_patterns(void **state)
{
    Run r = parse_ok(
        "pass p { rule a: A(x, _, each R(y) @r :1, b = S() {value = 1, k = "
        "[2]}, any c @n, zs..., forms F(w) :{q8, q16}, e = each y, g = _) "
        "@o => x; }\n");
    const SnPat *p = r.f->rule[0]->pat;

    (void)state;
    assert_int_equal(p->pk, SN_P_CALL);
    assert_string_equal(p->name, "A");
    assert_string_equal(p->capture, "o");
    assert_int_equal(p->narg, 9);
    assert_int_equal(p->arg[0]->pk, SN_P_VAR);
    assert_int_equal(p->arg[1]->pk, SN_P_WILD);
    assert_int_equal(p->arg[2]->pk, SN_P_EACH);
    assert_int_equal(p->arg[2]->arg[0]->nuse, 1);
    assert_string_equal(p->arg[2]->arg[0]->capture, "r");
    assert_string_equal(p->arg[3]->port, "b");
    assert_int_equal(p->arg[3]->nasg, 2);
    assert_string_equal(p->arg[3]->asg[1].name, "k");
    expect_expr(p->arg[3]->asg[1].e, "(list 2)");
    assert_int_equal(p->arg[4]->pk, SN_P_ANY);
    assert_string_equal(p->arg[4]->name, "c");
    assert_string_equal(p->arg[4]->capture, "n");
    assert_int_equal(p->arg[5]->pk, SN_P_LIST);
    assert_int_equal(p->arg[6]->pk, SN_P_FORMS);
    assert_int_equal(p->arg[6]->ntype, 2);
    assert_string_equal(p->arg[6]->type[1], "q16");
    assert_int_equal(p->arg[7]->pk, SN_P_EACH);
    assert_string_equal(p->arg[7]->port, "e");
    assert_int_equal(p->arg[8]->pk, SN_P_WILD);
    assert_string_equal(p->arg[8]->port, "g");
    sn_arena_free(r.a);
}

static void
test_templates(void **state)
{
    Run r = parse_ok(
        "pass p { rule a: A(x) let f = B(x), g = C() named w => A(x, _, each "
        "F(y), b = copy n {c = 1} : q8, d = _, fold(o), e = each z, "
        "regrid(b)) like o {e = q} : o.type as part; }\n");
    const SnDefRule *u = r.f->rule[0];
    const SnTerm *t = u->rhs;

    (void)state;
    assert_int_equal(u->nlet, 2);
    assert_string_equal(u->let_name[1], "g");
    assert_string_equal(u->let[1]->named, "w");
    assert_int_equal(t->tk, SN_T_CALL);
    assert_string_equal(t->like, "o");
    assert_int_equal(t->nasg, 1);
    expect_expr(t->type, "(. type o)");
    assert_string_equal(t->as, "part");
    assert_int_equal(t->narg, 8);
    assert_int_equal(t->arg[0]->tk, SN_T_VAR);
    assert_int_equal(t->arg[1]->tk, SN_T_NONE);
    assert_int_equal(t->arg[2]->tk, SN_T_EACH);
    assert_string_equal(t->arg[2]->arg[0]->name, "F");
    assert_int_equal(t->arg[3]->tk, SN_T_COPY);
    assert_string_equal(t->arg[3]->port, "b");
    assert_string_equal(t->arg[3]->name, "n");
    expect_expr(t->arg[3]->type, "q8");
    assert_int_equal(t->arg[3]->nasg, 1);
    assert_string_equal(t->arg[4]->port, "d");
    assert_int_equal(t->arg[5]->tk, SN_T_FUNC);
    assert_int_equal(t->arg[6]->tk, SN_T_EACH);
    assert_string_equal(t->arg[7]->name, "regrid");
    assert_int_equal(t->arg[7]->tk, SN_T_FUNC);
    sn_arena_free(r.a);
}

static void
test_rules(void **state)
{
    Run r = parse_ok(
        "pass p { rule a: A(x) => (x, B(x), o) when x and y within 2 + 1 lsb "
        "trusted \"t\" optin \"o\" requires s(A) note \"n\";\n"
        "  rule b: x => x real 1e-6; rule c: x => x lossy \"l\"; rule d: x "
        "=> x refines; rule e: x => x exact; rule f: x => x;\n"
        "  lower g: A(_) => builder h components i, j real 1e-5;\n"
        "  custom rule k on A \"doc\" contract { matches A(x) @o; when "
        "const(x); makes F, S; removes A; claim within 1 lsb; } builder f "
        "trusted \"why\"; }\n");
    const SnDefRule *u = r.f->rule[0];

    (void)state;
    assert_int_equal(r.f->nrule, 8);
    assert_int_equal(u->nmore, 2);
    assert_string_equal(u->more[1]->name, "o");
    expect_expr(u->when, "(and x y)");
    assert_int_equal(u->claim.kind, SN_CLAIM_WITHIN);
    expect_expr(u->claim.bound, "(+ 2 1)");
    assert_string_equal(u->trusted, "t");
    assert_string_equal(u->optin, "o");
    expect_expr(u->requires, "(call s A)");
    assert_string_equal(u->note, "n");
    assert_ptr_equal(u->pass, r.f->pass[0]);
    assert_int_equal(r.f->pass[0]->nrule, 8);
    assert_true(rule(r, "b")->claim.kind == SN_CLAIM_REAL);
    assert_true(rule(r, "b")->claim.real == 1e-6);
    assert_string_equal(rule(r, "b")->text, "rule b: x => x real 1e-6;");
    assert_string_equal(rule(r, "c")->claim.text, "l");
    assert_int_equal(rule(r, "d")->claim.kind, SN_CLAIM_REFINES);
    assert_int_equal(rule(r, "e")->claim.kind, SN_CLAIM_EXACT);
    assert_int_equal(rule(r, "f")->claim.kind, SN_CLAIM_NONE);
    u = rule(r, "g");
    assert_true(u->lower && !u->rhs && u->ncomponent == 2);
    assert_string_equal(u->builder, "h");
    assert_string_equal(u->component[1], "j");
    u = rule(r, "k");
    assert_true(u->custom && u->nmakes == 2 && u->nremoves == 1);
    assert_string_equal(u->on, "A");
    assert_string_equal(u->doc, "doc");
    assert_string_equal(u->makes[1], "S");
    assert_string_equal(u->pat->name, "A");
    assert_int_equal(u->claim.kind, SN_CLAIM_WITHIN);
    assert_string_equal(u->trusted, "why");
    assert_string_equal(u->builder, "f");
    assert_memory_equal(u->text, "custom rule k on", 16);
    assert_int_equal(u->text[strlen(u->text) - 1], ';');
    sn_arena_free(r.a);
}

static void
test_pass_lines(void **state)
{
    Run r = parse_ok(
        "pass p \"d\" { allow exact; allow refines; allow real; allow 2 lsb;\n"
        "  derive integerize; derive sink R through same(inputs); derive "
        "absorb R into free(inputs);\n"
        "  prefer a, b over c \"why\"; order a, b; order c; place R minimizing "
        "elements; class k = has(c); }\n"
        "lowering l { } class top = k; pipeline q = p, l, keep_lower;\n");
    const SnDefPass *p = r.f->pass[0];

    (void)state;
    assert_string_equal(p->doc, "d");
    assert_int_equal(p->nallow, 4);
    assert_int_equal(p->allow[2].kind, SN_CLAIM_REAL);
    expect_expr(p->allow[3].bound, "2");
    assert_int_equal(p->nderive, 3);
    assert_int_equal(r.f->nderive, 3);
    assert_null(p->derive[0]->what);
    assert_string_equal(p->derive[1]->family, "sink");
    assert_string_equal(p->derive[1]->what, "R");
    expect_expr(p->derive[2]->over, "(call free inputs)");
    assert_int_equal(p->prefer[0]->na, 2);
    assert_string_equal(p->prefer[0]->b[0], "c");
    assert_string_equal(p->prefer[0]->why, "why");
    assert_int_equal(p->norder, 3);
    assert_string_equal(p->order[2], "c");
    assert_string_equal(p->place, "R");
    assert_string_equal(p->place_min, "elements");
    assert_int_equal(r.f->nclass, 2);
    assert_true(r.f->pass[1]->lowering);
    assert_int_equal(r.f->pipeline[0]->npass, 3);
    assert_string_equal(r.f->pipeline[0]->pass[2], "keep_lower");
    sn_arena_free(r.a);
}

static void
test_test_blocks(void **state)
{
    Run r = parse_ok(
        "pass p { test t { assume calibrated; using a, b; x : q8(0.1, 0)[2]; "
        "y = A(x, _) {i = 1} : q8; expect y = B(x); expect y = x; expect "
        "count(A) == 1; reject \"why\"; } }\n");
    const SnDefTest *t = r.f->pass[0]->test[0];

    (void)state;
    assert_int_equal(t->nline, 8);
    assert_ptr_equal(t->pass, r.f->pass[0]);
    assert_int_equal(t->line[0]->kind, SN_TL_ASSUME);
    assert_string_equal(t->line[0]->name, "calibrated");
    assert_int_equal(t->line[1]->kind, SN_TL_USING);
    assert_string_equal(t->line[1]->names[1], "b");
    assert_int_equal(t->line[2]->kind, SN_TL_INPUT);
    expect_expr(t->line[2]->e, "([] (call q8 0.1~0.1 0) 2)");
    assert_int_equal(t->line[3]->kind, SN_TL_VALUE);
    assert_string_equal(t->line[3]->name, "y");
    assert_int_equal(t->line[3]->term->arg[1]->tk, SN_T_NONE);
    expect_expr(t->line[3]->term->type, "q8");
    assert_int_equal(t->line[4]->kind, SN_TL_EXPECT);
    assert_int_equal(t->line[5]->term->tk, SN_T_VAR);
    assert_int_equal(t->line[6]->kind, SN_TL_COND);
    expect_expr(t->line[6]->e, "(== (call count A) 1)");
    assert_int_equal(t->line[7]->kind, SN_TL_REJECT);
    assert_string_equal(t->line[7]->name, "why");
    sn_arena_free(r.a);
}

static void
test_backend(void **state)
{
    Run r = parse_ok(
        "rule a: A(x) => x exact; node N { in x; } refine A { same x; }\n"
        "backend B { supports all(q8, f32); rounding float; kernels \"k.h\"; "
        "keep A, F when g == 1; hook lower = f; hook x = y; }\n"
        "prefer a over b; test t { x : f32; }\n");
    const SnDefBackend *b = r.f->backend[0];

    (void)state;
    assert_int_equal(b->ncap, 3);
    assert_string_equal(b->cap[0].name, "supports");
    expect_expr(b->cap[0].e, "(call all q8 f32)");
    expect_expr(b->cap[2].e, "\"k.h\"");
    assert_int_equal(b->nkeep, 2);
    assert_null(b->keep_when[0]);
    expect_expr(b->keep_when[1], "(== g 1)");
    assert_int_equal(b->nhook, 2);
    assert_string_equal(b->hook[0], "lower");
    assert_string_equal(b->hook_fn[1], "y");
    const SnDefPass *p = pass(r, "backend");
    assert_ptr_equal(p->backend, b);
    assert_int_equal(p->nallow, 1);
    assert_int_equal(p->allow[0].kind, SN_CLAIM_EXACT);
    assert_int_equal(p->nrule, 1);
    assert_int_equal(p->nprefer, 1);
    assert_ptr_equal(p->rule[0]->backend, b);
    assert_ptr_equal(p->rule[0]->pass, p);
    assert_ptr_equal(r.f->node[0]->backend, b);
    assert_int_equal(r.f->nrefine, 1);
    assert_ptr_equal(r.f->refine[0]->backend, b);
    assert_string_equal(r.f->refine[0]->name, "A");
    assert_int_equal(r.f->refine[0]->nfact_src, 1);
    assert_int_equal(r.f->ntest, 1);
    assert_ptr_equal(r.f->test[0]->backend, b);
    assert_ptr_equal(r.f->test[0]->pass, p);
    sn_arena_free(r.a);
}

/* ---- the project's own files ---- */

/* How often a word begins a statement in a file: after white space, with a
 * space behind. */
static uint32_t
count_lines(Run r, const char *path, const char *word)
{
    SnDiag *d = sn_diag_new(r.a);
    char *text;
    size_t nbyte, n = strlen(word);
    uint32_t count = 0;

    assert_int_equal(sn_file_read(r.a, d, path, 0, &text, &nbyte), SN_OK);
    for (char *p = text; (p = strstr(p, word)); p += n) {
        char *q = p;

        while (q > text && (q[-1] == ' '))
            q--;
        count += p[n] == ' ' && (q == text || q[-1] == '\n');
    }
    return count;
}

static void
test_nodes_def(void **state)
{
    Run r = parse_file("nodes.def");
    const SnDefNode *n;

    (void)state;
    assert_int_equal(r.f->nnode, count_lines(r, "nodes.def", "node"));
    assert_int_equal(r.f->ntype, count_lines(r, "nodes.def", "type"));
    assert_true(r.f->nnode >= 40);
    n = node(r, "Conv2D");
    assert_true(n->port[2]->optional);
    assert_int_equal(n->nport, 4);
    assert_int_equal(n->attr[2]->fixed, 4);
    expect_expr(n->attr[2]->def, "(list 0 0 0 0)");
    expect_expr(n->attr[2]->where, "(>= pads 0)");
    assert_string_equal(n->sem[0]->map, "conv");
    assert_string_equal(n->sem[0]->within, "clamp");
    expect_expr(n->sem[0]->formula, "(call q (+ (call sum (* (call d x) "
                                    "(call d w))) (call d b)))");
    assert_null(n->backend);
    n = node(r, "ChannelwiseConv2D");
    assert_string_equal(n->form_of, "Conv2D");
    assert_string_equal(n->tuple_src[0]->in[1]->s, "q8c");
    n = node(r, "Concat");
    assert_true(n->port[0]->variadic);
    assert_int_equal(n->tuple_src[0]->in[0]->i, 1);
    n = node(r, "Pad");
    expect_expr(n->sem[0]->els, "(call q value)");
    n = node(r, "LRN");
    assert_string_equal(n->sem[0]->by, "lrn");
    n = node(r, "MaxPool");
    assert_string_equal(n->sem[1]->ties, "first");
    sn_arena_free(r.a);
}

static void
test_passes_def(void **state)
{
    Run r = parse_file("passes.def");
    const SnDefRule *u;
    uint32_t nrule = count_lines(r, "passes.def", "rule") +
                     count_lines(r, "passes.def", "lower");

    (void)state;
    assert_int_equal(r.f->nsrc, 4);
    assert_string_equal(r.f->src[1]->name, "nodes.def");
    assert_int_equal(r.f->nrule, nrule);
    assert_int_equal(r.f->npass, count_lines(r, "passes.def", "pass") +
                                     count_lines(r, "passes.def", "lowering"));
    assert_int_equal(r.f->nderive, count_lines(r, "passes.def", "derive"));
    u = rule(r, "bn_into_conv");
    assert_int_equal(u->nlet, 2);
    assert_string_equal(u->let[1]->named, "w");
    assert_string_equal(u->pat->arg[0]->capture, "c");
    assert_int_equal(u->pat->arg[0]->nuse, 1);
    assert_true(u->claim.real == 1e-5);
    u = rule(r, "roundtrip");
    assert_int_equal(u->claim.kind, SN_CLAIM_LOSSY);
    assert_string_equal(u->optin, "fold-roundtrip");
    u = rule(r, "identity");
    assert_string_equal(u->pass->name, "quant_cleanup");
    assert_null(u->backend);
    assert_true(pass(r, "quant_cleanup")->ntest >= 5);
    assert_true(pass(r, "lower_nodes")->lowering);
    sn_arena_free(r.a);
}

static void
test_cpu_def(void **state)
{
    Run r = parse_file("src/backend/cpu/cpu.def");
    const SnDefNode *n = node(r, "CPUMaxSplat");
    const SnDefRule *u = rule(r, "max_splat");

    (void)state;
    assert_int_equal(r.f->nsrc, 5);
    assert_string_equal(r.f->src[1]->name, "passes.def");
    assert_ptr_equal(n->backend, r.f->backend[0]);
    assert_null(node(r, "Conv2D")->backend);
    assert_int_equal(n->nkernel, 2);
    assert_string_equal(n->kernel[0]->fn, "sn_cpu_max_splat_i8");
    assert_string_equal(u->pass->name, "backend");
    assert_ptr_equal(u->backend, r.f->backend[0]);
    assert_string_equal(u->pat->arg[0]->type[0], "q8");
    assert_string_equal(u->pat->arg[1]->capture, "s");
    /* a second backend adds its own file only */
    sn_def_parse(r.f, r.d, "src/backend/interp/interp.def", dirs, 1);
    sn_def_parse(r.f, r.d, "./passes.def", dirs, 1);
    assert_string_equal(sn_diag_text(r.d, r.a), "");
    assert_int_equal(r.f->nsrc, 6);
    assert_int_equal(r.f->nbackend, 2);
    sn_arena_free(r.a);
}

/* A file is read as if it were the first one, wherever the one before it
 * ended. */
static void
test_next_file(void **state)
{
    static const char first[] =
        "version 2;\nbackend b { rounding float; }\n"
        "node A { in x; out y; kinds (x) -> y { (T) -> T for T in act; } }\n"
        "pass p { allow exact;\n  rule r: A(A(x) @i) => A(x) like i\n"
        "    when i.type in [q8(1, 0)] and (1 + 2) * 3 > 0 exact;\n}\n";
    static const char next[] =
        "version 2;\nnode B { in x; out y; }\npass q { rule s: B(x) => x; }\n";
    (void)state;

    for (size_t n = 0; n < sizeof first; n++) {
        Run r = start();
        SnDiag *d = sn_diag_new(r.a);
        sn_def_parse_text(r.f, r.d, "first.def", first, n, dirs, 1);
        uint32_t nnode = r.f->nnode, npass = r.f->npass;
        sn_def_parse_text(r.f, d, "next.def", next, sizeof next - 1, dirs, 1);
        assert_string_equal(sn_diag_text(d, r.a), "");
        assert_int_equal(r.f->nnode, nnode + 1);
        assert_int_equal(r.f->npass, npass + 1);
        assert_null(r.f->node[nnode]->backend);
        assert_int_equal(r.f->pass[npass]->nrule, 1);
        sn_arena_free(r.a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_ports_and_kinds),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_facts_and_meaning),
        cmocka_unit_test(test_onnx),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_pass_lines),
        cmocka_unit_test(test_test_blocks),
        cmocka_unit_test(test_backend),
        cmocka_unit_test(test_nodes_def),
        cmocka_unit_test(test_passes_def),
        cmocka_unit_test(test_cpu_def),
        cmocka_unit_test(test_next_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
