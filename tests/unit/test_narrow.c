// SPDX-License-Identifier: Apache-2.0
/* What integers of formulas are narrowed to: num.h where a table of values has
 * no room, and the prover's draws against that table.  (The evaluators are in
 * tests/gen/eval_made.c, programs in tests/sh/maps.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"
#include "dsl/prove/trial/case.h"
#include "dsl/resolve/resolver.h"
#include "dsl/syntax/parse.h"
#include "unit/narrow.h"

/* ---- num.h ---- */

/* Quotients of small numbers by their definitions. */
static void
quotients(void **state)
{
    (void)state;
    for (int a = -40; a <= 40; a++)
        for (int b = -9; b <= 9; b++) {
            if (b == 0)
                continue;
            SnQuot q = sn_quot_div(a, b);
            double v = (double)a / b;
            assert_true(sn_quot_floor(q) == (int64_t)floor(v));
            assert_true(sn_quot_zero(q) == (int64_t)trunc(v));
            assert_true(sn_quot_half_up(q) == (int64_t)floor(v + 0.5));
            assert_true(sn_quot_half_away(q) == (int64_t)round(v));
            assert_true(sn_quot_half_even(q) == (int64_t)rint(v));
        }
}

static void
shifts_are_quotients(void **state)
{
    static const int64_t near[] = {INT64_MIN, INT64_MIN / 2, 0, INT64_MAX / 2,
                                   INT64_MAX};

    (void)state;
    for (size_t k = 0; k < sizeof near / sizeof *near; k++)
        for (int d = -70; d <= 70; d++)
            for (int n = 0; n < 63; n++) {
                int64_t v = sn_int_add(near[k], d);
                SnQuot s = sn_quot_shr(v, n);
                SnQuot q = sn_quot_div(v, INT64_C(1) << n);
                assert_true(s.q == q.q && s.r == q.r && s.rest == q.rest &&
                            (s.neg == q.neg || v == 0));
                assert_true(sn_int_shl(v, -n) == sn_quot_floor(q));
            }
}

static void
widths(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 64; bits++) {
        int64_t hi = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
        assert_true(sn_int_sat(INT64_MAX, bits) == hi);
        assert_true(sn_int_sat(INT64_MIN, bits) == -hi - 1);
        assert_true(sn_int_wrap(hi, bits) == hi);
        assert_true(sn_int_wrap(sn_int_add(hi, 1), bits) == -hi - 1);
        assert_true(sn_int_wrap(-hi - 1, bits) == -hi - 1);
    }
    assert_true(sn_int_rne(NAN) == INT64_MIN); /* the lowest code */
    assert_true(sn_int_rne(INFINITY) == INT64_MAX);
    assert_true(sn_int_rne(-INFINITY) == INT64_MIN);
}

/* ---- the prover ---- */

static SnArena *arena;
static SnDefs *defs;

static int8_t
elem_of(const char *type)
{
    return type[0] == 'f'   ? SN_F32
           : type[1] == '8' ? SN_I8
           : type[1] == '3' ? SN_I32
                            : SN_I64;
}

/* An operand of one element; 64 bits where a double has not all of them. */
static SnCaseValue *
leaf(SnProofCase *c, const char *type, const char *text)
{
    SnCaseType t = {.elem = elem_of(type), .axis = -1};
    SnCaseValue *x = sn_case_value(c, &t);

    sn_case_set_shape(x, 1, (const int64_t[]){1});
    x->v = SN_NEW_N(arena, double, 2);
    x->id = SN_NEW_N(arena, double, 2);
    x->er = SN_NEW_N(arena, double, 2);
    x->v[0] =
        t.elem == SN_F32 ? (double)narrow_real(text) : (double)narrow_int(text);
    if (t.elem == SN_I64) {
        x->w = SN_NEW_N(arena, int64_t, 2);
        x->w[0] = narrow_int(text);
    }
    x->id[0] = x->v[0];
    x->done = true;
    return x;
}

static void
drawn(const NarrowLine *l)
{
    SnProofCase c = {.a = arena};
    const SnDefNode *n = sn_def_node(defs, l->node);
    SnCaseType t = {.elem = elem_of(l->out), .axis = -1};
    uint32_t port[] = {0, 1};
    SnCaseValue *in[] = {leaf(&c, l->in, l->a), NULL}, *y;

    assert_non_null(n);
    if (l->pair)
        in[1] = leaf(&c, l->in, l->b);
    SnCaseNode k = {.n = n, .nin = l->pair ? 2 : 1, .in = in, .port = port};
    y = k.out[0] = sn_case_value(&c, &t);
    y->def = &k;
    for (int ideal = 0; ideal < 2; ideal++) {
        y->done = false;
        c.ideal = ideal;
        if (!sn_case_shape(&c, &k) || !sn_case_eval(&c, y))
            fail_msg("%s: %s", l->node, c.fail);
        double want = t.elem == SN_F32 ? (double)narrow_real(l->want)
                                       : (double)narrow_int(l->want);
        if (t.elem == SN_I64)
            assert_non_null(y->w);
        if (y->v[0] != want ||
            (t.elem == SN_I64 && y->w[0] != narrow_int(l->want)))
            fail_msg("%s %s %s: %.0f, expected %s", l->node, l->a, l->b,
                     y->v[0], l->want);
    }
}

static void
draws(void **state)
{
    static const char *const dirs[] = {"."};
    static const char text[] = "include \"tests/gen/eval.def\";";

    (void)state;
    arena = sn_arena_new();
    SnDiag *d = sn_diag_new(arena);
    defs = sn_defs_new(arena);
    const char *whole = sn_format(arena, "version 2;\n%s\n", text);
    sn_def_parse_text(defs, d, "n.def", whole, strlen(whole), dirs, 1);
    sn_def_resolve(defs, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    assert_int_equal(narrow_each(drawn), 451);
    sn_arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(quotients), cmocka_unit_test(shifts_are_quotients),
        cmocka_unit_test(widths), cmocka_unit_test(draws)};

    return cmocka_run_group_tests(t, NULL, NULL);
}
