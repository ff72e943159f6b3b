// SPDX-License-Identifier: Apache-2.0
/* The index calculus: polynomials, what follows from facts, and rules that are
 * right and wrong about which elements are read. */
#include "dsl/prove/check/check.h"
#include "dsl/prove/index/facts.h"
#include "dsl/prove/index/index.h"
#include "index_rules.h"

/* ---- polynomials ---- */

static SnPoly
name(SnPolys *P, const char *s)
{
    return sn_poly_name(P, s);
}

static void
arithmetic(void **state)
{
    SnPolys P = {.a = sn_arena_new()};
    SnPoly x = name(&P, "x"), y = name(&P, "y");
    SnPoly s = sn_poly_add(&P, x, y), d = sn_poly_sub(&P, x, y);
    int64_t v;

    (void)state;
    assert_string_equal(sn_poly_text(&P, sn_poly_mul(&P, s, d)), "x*x - y*y");
    assert_string_equal(sn_poly_text(&P, sn_poly_plus(&P, d, -3)),
                        "-3 + x - y");
    assert_string_equal(sn_poly_text(&P, sn_poly_sub(&P, s, s)), "0");
    assert_true(sn_poly_same(sn_poly_mul(&P, x, y), sn_poly_mul(&P, y, x)));
    assert_string_equal(
        sn_poly_text(&P,
                     sn_poly_replace(&P, sn_poly_mul(&P, s, s), y.m[0].atom[0],
                                     sn_poly_plus(&P, x, 1))),
        "1 + 4*x + 4*x*x");
    assert_true(sn_poly_is_int(sn_poly_int(&P, -7), &v) && v == -7);
    assert_false(P.over);
    SnPoly big = sn_poly_int(&P, INT64_MAX);
    sn_poly_add(&P, big, big);
    assert_true(P.over);
    P.over = false;
    for (int i = 0; i < 3; i++)
        s = sn_poly_mul(&P, s, s);
    assert_true(P.over);
    sn_arena_free(P.a);
}

/* ---- facts ---- */

static void
quotients(void **state)
{
    SnPolys P = {.a = sn_arena_new()};
    SnFacts f = {.P = &P};
    SnPoly i = name(&P, "i"), d = name(&P, "d"), b = name(&P, "b");
    SnPoly db = sn_poly_mul(&P, d, b);

    (void)state;
    sn_facts_at_least(&f, i);
    sn_facts_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, d, i), -1));
    sn_facts_at_least(&f, sn_poly_plus(&P, b, -1));
    /* i < d: i div d = 0, (b * d + i) div d = b, (i - d) div d = -1 */
    assert_string_equal(sn_poly_text(&P, sn_facts_div(&f, i, d)), "0");
    assert_string_equal(
        sn_poly_text(&P, sn_facts_div(&f, sn_poly_add(&P, db, i), d)), "b");
    assert_string_equal(
        sn_poly_text(&P, sn_facts_div(&f, sn_poly_sub(&P, i, d), d)), "-1");
    /* x = q * (x div q) + x mod q */
    SnPoly q = sn_facts_div(&f, i, b), r = sn_facts_mod(&f, i, b);
    assert_string_equal(sn_poly_text(&P, q), "(i div b)");
    assert_true(sn_facts_is_zero(
        &f, sn_poly_sub(&P, i, sn_poly_add(&P, sn_poly_mul(&P, b, q), r))));
    assert_true(sn_facts_is_at_least(&f, r));
    assert_true(
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, b, r), -1)));
    assert_false(sn_facts_is_at_least(&f, sn_poly_sub(&P, i, b)));
    /* (i div b) div d = i div (b * d) */
    assert_true(sn_poly_same(sn_facts_div(&f, q, d), sn_facts_div(&f, i, db)));
    assert_string_equal(sn_poly_text(&P, sn_facts_div(&f, sn_poly_int(&P, -7),
                                                      sn_poly_int(&P, 2))),
                        "-4");
    sn_arena_free(P.a);
}

/* A divisor that is above 0 by two facts together: the certificate shows it
 * before it names the remainder. */
static void
divisor_by_facts(void **state)
{
    SnPolys P = {.a = sn_arena_new()};
    SnTrace t = {.a = P.a, .P = &P};
    SnFacts f = {.P = &P, .trace = &t};
    SnPoly x = name(&P, "x"), y = name(&P, "y"), z = name(&P, "z");
    SnPoly q = sn_poly_sub(&P, x, z);

    (void)state;
    sn_trace_begin(&t);
    sn_facts_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, x, y), -1));
    sn_facts_at_least(&f, sn_poly_sub(&P, y, z));
    SnPoly r = sn_facts_mod(&f, y, q);
    assert_true(sn_facts_is_at_least(&f, r));
    assert_true(sn_trace_knows(&t, sn_poly_plus(&P, q, -1)));
    sn_arena_free(P.a);
}

static void
consequences(void **state)
{
    SnPolys P = {.a = sn_arena_new()};
    SnFacts f = {.P = &P};
    SnPoly x = name(&P, "x"), y = name(&P, "y"), z = name(&P, "z");

    (void)state;
    sn_facts_at_least(&f, sn_poly_sub(&P, y, x));
    sn_facts_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, z, y), -2));
    assert_true(
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, z, x), -2)));
    assert_false(
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, z, x), -3)));
    assert_false(sn_facts_is_at_least(&f, x));
    assert_false(sn_facts_absurd(&f));
    /* products: x >= 1 and y >= 1 give x * y >= 1 */
    sn_facts_at_least(&f, sn_poly_plus(&P, y, -1));
    sn_facts_at_least(&f, sn_poly_plus(&P, x, -1));
    assert_true(
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_mul(&P, x, y), -1)));
    /* an equation goes into what is there already */
    sn_facts_zero(&f, sn_poly_sub(&P, z, sn_poly_plus(&P, x, 5)));
    assert_string_equal(sn_poly_text(&P, sn_facts_norm(&f, z)), "5 + x");
    assert_true(
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, x, y), 3)));
    sn_facts_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, y, x), -4));
    assert_true(sn_facts_absurd(&f));
    sn_arena_free(P.a);
}

/* x >= y + 1 and y >= z, after `before` other names and facts: is x - z - k >=
 * 0?  The certificate's line of a "yes" into *yes. */
static bool
ordered(SnMemoForms *forms, int before, int k, char **yes)
{
    SnPolys P = {.a = sn_arena_new()};
    SnTrace t = {.P = &P, .a = P.a};
    SnMemo memo = {.a = P.a};
    SnFacts f = {.P = &P, .memo = &memo, .forms = forms, .trace = &t};

    sn_trace_begin(&t);
    for (int i = 0; i < before; i++)
        sn_facts_at_least(
            &f, sn_poly_plus(&P, name(&P, sn_format(P.a, "o%d", i)), -1));
    SnPoly x = name(&P, "x"), y = name(&P, "y"), z = name(&P, "z");
    sn_facts_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, x, y), -1));
    sn_facts_at_least(&f, sn_poly_sub(&P, y, z));
    bool is =
        sn_facts_is_at_least(&f, sn_poly_plus(&P, sn_poly_sub(&P, x, z), -k));
    const char *at = is ? strstr(sn_buf_str(&t.out), "\ny ") : NULL;
    *yes = at ? sn_strdup(forms->a, at + 1) : NULL;
    sn_arena_free(P.a);
    return is;
}

/* An answer is found once for all proofs, and is then about their facts. */
static void
shared_answers(void **state)
{
    SnArena *a = sn_arena_new();
    SnMemoForms *forms = sn_memo_forms(a);
    char *yes;

    (void)state;
    assert_true(ordered(forms, 0, 1, &yes));
    assert_string_equal(yes, "y -1+1.0-1.2 1 1f0 1f1\n");
    assert_int_equal(forms->n, 1);
    assert_true(ordered(forms, 3, 1, &yes));
    assert_string_equal(yes, "y -1+1.3-1.5 1 1f3 1f4\n");
    assert_int_equal(forms->n, 1);
    assert_false(ordered(forms, 0, 2, &yes));
    assert_int_equal(forms->n, 2);
    assert_false(ordered(forms, 1, 2, &yes));
    assert_int_equal(forms->n, 2);
    sn_arena_free(a);
}

/* That a number was too large on the way is a part of the answer. */
static void
shared_overflow(void **state)
{
    SnArena *a = sn_arena_new();
    SnMemoForms *forms = sn_memo_forms(a);

    (void)state;
    for (int i = 0; i < 2; i++) {
        SnPolys P = {.a = a};
        SnFacts f = {.P = &P, .forms = forms};
        SnPoly x = name(&P, "x"), y = name(&P, "y");
        SnPoly big = sn_poly_scale(&P, x, INT64_C(1) << 40);
        sn_facts_at_least(&f, sn_poly_sub(&P, big, y));
        assert_false(sn_facts_is_at_least(
            &f, sn_poly_scale(&P, sn_poly_mul(&P, y, y), -1)));
        assert_true(P.over);
        assert_int_equal(forms->n, 1);
    }
    sn_arena_free(a);
}

/* Below n, from a sequence of its own. */
static int64_t
below(uint64_t *r, unsigned n)
{
    *r = *r * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*r >> 33) % n);
}

/* Every "yes" adds up: den * p = rest + the sum of the facts by their factors,
 * for random questions. */
static void
factors(void **state)
{
    SnPolys P = {.a = sn_arena_new()};
    uint64_t r = 7;
    const char *const v[] = {"a", "b", "c", "d"};
    uint32_t yes = 0;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        SnPoly fact[5], p = {0};
        SnFactor *out;
        uint32_t n;
        for (int i = 0; i < 6; i++) {
            SnPoly s = sn_poly_int(&P, below(&r, 7) - 3);
            for (int j = 0; j < 4; j++)
                s = sn_poly_add(
                    &P, s, sn_poly_scale(&P, name(&P, v[j]), below(&r, 5) - 2));
            *(i < 5 ? &fact[i] : &p) = s;
        }
        if (!sn_farkas(P.a, p, 5, fact, &n, &out))
            continue;
        yes++;
        int64_t den = 1, rest;
        for (uint32_t i = 0; i < n; i++)
            den *= out[i].den;
        SnPoly sum = sn_poly_scale(&P, p, den);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(out[i].num > 0 && out[i].den > 0);
            sum = sn_poly_sub(&P, sum,
                              sn_poly_scale(&P, fact[out[i].fact],
                                            out[i].num * (den / out[i].den)));
        }
        assert_true(sn_poly_is_int(sum, &rest) && rest >= 0);
    }
    assert_false(P.over);
    assert_in_range(yes, 200, 1800);
    sn_arena_free(P.a);
}

/* ---- rules ---- */

static SnIndexVerdict
verdict(SnArena *a, const char *rule)
{
    const char *text =
        sn_format(a,
                  "version 2;\ninclude \"nodes.def\";\n%s"
                  "pass p {\n  allow exact;\n  rule r: %s exact;\n}\n",
                  index_own, rule);

    SnProver pv;
    SnInstance *v = sn_test_spell(a, text, &pv);
    return sn_index_prove(&pv, v);
}

static void
right_and_wrong(void **state)
{
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof index_rules / sizeof *index_rules; i++) {
        SnArena *a = sn_arena_new();
        SnIndexVerdict v = verdict(a, index_rules[i].text);
        SnCheck k = {0};
        if (v.proved && !sn_check_certificate(a, v.certificate, &k)) {
            print_message("%s\n  line %u of its certificate: %s\n",
                          index_rules[i].text, k.line, k.error);
            bad++;
        }
        if (v.proved != index_rules[i].proved ||
            (index_rules[i].why && strcmp(v.why, index_rules[i].why))) {
            print_message("%s\n  %s: %s\n", index_rules[i].text,
                          v.proved ? "proved" : "not proved", v.why);
            bad++;
        }
        sn_arena_free(a);
    }
    assert_int_equal(bad, 0);
}

/* ---- reads ---- */

/* Slice, Tile, Flip, Transpose, ResizeNearest and what is element by element
 * read inside their operands, for every legal size and attribute. */
static void
reads_inside(void **state)
{
    static const char *const name[] = {"Slice",         "Tile", "Flip",
                                       "Transpose",     "Relu", "Codes",
                                       "ResizeNearest", "Not"};
    static const char *const dirs[] = {"."};
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);
    SnProver pv = {.defs = s, .d = d, .a = a};
    int bad = 0;

    (void)state;
    sn_def_parse(s, d, "nodes.def", dirs, 1);
    sn_def_resolve(s, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        SnIndexVerdict v = sn_index_reads(&pv, sn_def_node(s, name[i]));
        if (!v.proved)
            print_message("%s: %s\n", name[i], v.why);
        bad += !v.proved;
    }
    assert_int_equal(bad, 0);
    sn_arena_free(a);
}

/* A map's read, over a node of its own. */
static SnIndexVerdict
read_of(SnArena *a, const char *map)
{
    const char *text =
        sn_format(a,
                  "version 2;\ninclude \"nodes.def\";\n"
                  "map m(x[d...], n : int[d]) { %s }\n"
                  "node N { in x; out y; kinds (x) -> y { (i32) -> i32; } "
                  "attr n : int[]; sem move y = x over m(x, n); }\n",
                  map);
    SnProver pv;

    sn_test_defs(a, text, &pv);
    return sn_index_reads(&pv, sn_def_node(pv.defs, "N"));
}

static void
reads_outside(void **state)
{
    SnArena *a = sn_arena_new();
    static const char *const in[] = {
        "result [i < d]; read x[(i + n) % d];",
        ("require 0 <= n and n <= d else \"n\"; result [i < d - n]; "
         "read x[i + n];"),
        "result [i < d]; read x[max(min(i + n, d - 1), 0)];",
        "require n > 0 else \"n\"; result [i < d * n]; read x[i / n];"};
    static const char *const off[] = {
        "result [i < d]; read x[i + n];",
        "require 0 <= n else \"n\"; result [i < d]; read x[i + n];",
        ("require 0 <= n and n <= d else \"n\"; result [i < d - n + 1]; "
         "read x[i + n];"),
        "result [i < d]; read x[min(i + n, d - 1)];",
        "require n > 0 else \"n\"; result [i < d * n]; read x[i];"};

    (void)state;
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (!read_of(a, in[i]).proved)
            fail_msg("%s: %s", in[i], read_of(a, in[i]).why);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        SnIndexVerdict v = read_of(a, off[i]);
        if (v.proved || strcmp(v.why, "an element outside '#0.x'"))
            fail_msg("%s: %s", off[i], v.proved ? "proved" : v.why);
    }
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(arithmetic),       cmocka_unit_test(quotients),
        cmocka_unit_test(divisor_by_facts), cmocka_unit_test(consequences),
        cmocka_unit_test(factors),          cmocka_unit_test(shared_answers),
        cmocka_unit_test(shared_overflow),  cmocka_unit_test(right_and_wrong),
        cmocka_unit_test(reads_inside),     cmocka_unit_test(reads_outside)};

    return cmocka_run_group_tests(t, NULL, NULL);
}
