// SPDX-License-Identifier: Apache-2.0
/* Terms of maps: a reduced term gives, at every place, what the same
 * operators give of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "map/term.h"

enum { NVAR = 3, NNODE = 9 };

typedef struct Draw {
    uint64_t rng;
    int64_t bound[NVAR];
} Draw;

static uint32_t
below(Draw *d, uint32_t n)
{
    d->rng ^= d->rng << 13;
    d->rng ^= d->rng >> 7;
    d->rng ^= d->rng << 17;
    return (uint32_t)((d->rng >> 33) % n);
}

static const SnMapOp ops[] = {
    SN_MO_ADD, SN_MO_SUB, SN_MO_MUL, SN_MO_DIV, SN_MO_MOD, SN_MO_MIN, SN_MO_MAX,
    SN_MO_ABS, SN_MO_EQ,  SN_MO_LT,  SN_MO_LE,  SN_MO_AND, SN_MO_OR,  SN_MO_NOT,
    SN_MO_NEG, SN_MO_NE,  SN_MO_ADD, SN_MO_MUL, SN_MO_DIV, SN_MO_MOD};

/* One drawn expression: op of earlier ones, a constant, or a variable. */
typedef struct Node {
    int kind; /* 0 constant, 1 variable, 2 operator, 3 select, 4 list,
                 5 operator and constant, 6 defined */
    SnMapOp op;
    uint32_t a, b, c;
    int64_t v;
} Node;

static void
draw(Draw *d, Node *n)
{
    for (uint32_t i = 0; i < NNODE; i++) {
        uint32_t r = i < NVAR ? 1 : below(d, 13);
        n[i] = (Node){.kind = r == 0    ? 0
                              : r == 1  ? 1
                              : r < 10  ? 2
                              : r == 10 ? 3
                              : r == 11 ? 4
                                        : 6};
        n[i].v = n[i].kind == 1 ? (i < NVAR ? i : below(d, NVAR))
                                : (int64_t)below(d, 14) - 3;
        n[i].op = ops[below(d, sizeof ops / sizeof *ops)];
        n[i].a = below(d, i ? i : 1);
        n[i].b = below(d, i ? i : 1);
        n[i].c = below(d, i ? i : 1);
        if (n[i].kind == 2 && below(d, 2)) { /* a constant on the right */
            n[i].kind = 5;
            n[i].v = 1 + below(d, 6);
        }
    }
}

/* Of and, or: truth values. */
static SnMapNum
operator(SnMapTerms *T, SnMapOp op, SnMapNum a, SnMapNum b)
{
    if (op == SN_MO_AND || op == SN_MO_OR) {
        a = sn_term_apply(T, SN_MO_NE, a, sn_num(0));
        b = sn_term_apply(T, SN_MO_NE, b, sn_num(0));
    }
    return sn_term_apply(T, op, a, b);
}

static SnMapNum
make(SnMapTerms *T, const Node *n, const SnMapNum *var)
{
    static const int64_t list[] = {4, 0, 7, -2};
    SnMapNum x[NNODE], tab[4];

    for (int i = 0; i < 4; i++)
        tab[i] = sn_num(list[i]);
    for (int i = 0; i < NNODE; i++) {
        switch (n[i].kind) {
        case 0:
            x[i] = sn_num(n[i].v);
            break;
        case 1:
            x[i] = var[n[i].v];
            break;
        case 2:
            x[i] = operator(T, n[i].op, x[n[i].a], x[n[i].b]);
            break;
        case 3:
            x[i] = sn_term_select(
                T, sn_term_apply(T, SN_MO_NE, x[n[i].a], sn_num(0)), x[n[i].b],
                x[n[i].c]);
            break;
        case 4:
            if (x[n[i].a].t >= 0)
                x[i] = sn_term_list(T, tab, 4, x[n[i].a]);
            else if (x[n[i].a].t == SN_NUM_INT && x[n[i].a].v >= 0 &&
                     x[n[i].a].v < 4)
                x[i] = tab[x[n[i].a].v];
            else
                x[i] = sn_num_undefined();
            break;
        case 6:
            x[i] = sn_term_defined(T, x[n[i].a]);
            break;
        default:
            x[i] = operator(T, n[i].op, x[n[i].a], sn_num(n[i].v));
        }
    }
    return x[NNODE - 1];
}

static void
check(Draw *d, const Node *n, uint64_t seed)
{
    SnArena *a = sn_arena_new();
    SnMapTerms T = sn_terms(a), none = sn_terms(a);
    SnMapNum var[NVAR];
    int64_t x[SN_MAP_NVAR] = {0};

    for (unsigned i = 0; i < NVAR; i++)
        var[i] =
            d->bound[i] > 1 ? sn_term_var(&T, i, d->bound[i] - 1) : sn_num(0);
    SnMapNum y = make(&T, n, var);
    int64_t *val = SN_NEW_N(a, int64_t, T.n + 1);
    int64_t lo, hi;
    sn_num_range(&T, y, &lo, &hi);
    for (x[0] = 0; x[0] < d->bound[0]; x[0]++)
        for (x[1] = 0; x[1] < d->bound[1]; x[1]++)
            for (x[2] = 0; x[2] < d->bound[2]; x[2]++) {
                sn_terms_run(&T, 0, x, val);
                sn_terms_run(&T, UINT32_MAX, x, val);
                for (int i = 0; i < NVAR; i++)
                    var[i] = sn_num(x[i]);
                SnMapNum want = make(&none, n, var);
                int64_t got = sn_num_value(y, val);
                assert_int_equal(none.n, 0);
                if (want.t == SN_NUM_UNDEFINED) {
                    if (got != SN_MAP_UNDEFINED)
                        fail_msg("seed %llu: %lld is undefined",
                                 (unsigned long long)seed, (long long)got);
                    continue;
                }
                if (got != want.v || want.v < lo || want.v > hi)
                    fail_msg("seed %llu: %lld, not %lld, in [%lld, %lld]",
                             (unsigned long long)seed, (long long)got,
                             (long long)want.v, (long long)lo, (long long)hi);
            }
    sn_arena_free(a);
}

static void
drawn_terms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        Draw d = {.rng = seed * 0x9e3779b97f4a7c15u};
        Node n[NNODE];
        for (int i = 0; i < NVAR; i++)
            d.bound[i] = 1 + below(&d, 6);
        draw(&d, n);
        check(&d, n, seed);
    }
}

/* What an index is taken apart into and put together from is the index. */
static void
indices_are_sums_again(void **state)
{
    SnArena *a = sn_arena_new();
    SnMapTerms T = sn_terms(a);
    int64_t coef[SN_MAP_NVAR], c;

    (void)state;
    SnMapNum i = sn_term_var(&T, 0, 5), j = sn_term_var(&T, 1, 3);
    SnMapNum n = sn_term_apply(&T, SN_MO_ADD,
                               sn_term_apply(&T, SN_MO_MUL, i, sn_num(4)), j);
    SnMapNum q = sn_term_apply(&T, SN_MO_DIV, n, sn_num(4));
    assert_true(q.t == i.t && q.v == i.v);
    SnMapNum r = sn_term_apply(&T, SN_MO_MOD, n, sn_num(4));
    assert_true(r.t == j.t && r.v == j.v);
    /* 24 = 3 * 8, of which neither place knows: (n / 8) * 8 + n % 8 */
    SnMapNum q8 = sn_term_apply(&T, SN_MO_DIV, n, sn_num(8));
    SnMapNum r8 = sn_term_apply(&T, SN_MO_MOD, n, sn_num(8));
    SnMapNum back = sn_term_apply(
        &T, SN_MO_ADD, sn_term_apply(&T, SN_MO_MUL, q8, sn_num(8)), r8);
    assert_true(back.t == n.t && back.v == n.v);
    assert_true(sn_term_affine(&T, back, coef, &c));
    assert_int_equal(coef[0], 4);
    assert_int_equal(coef[1], 1);
    assert_int_equal(c, 0);
    sn_arena_free(a);
}

static SnMapNum
times(SnMapTerms *T, SnMapNum a, int64_t k, SnMapNum b)
{
    return sn_term_apply(T, SN_MO_ADD,
                         sn_term_apply(T, SN_MO_MUL, a, sn_num(k)), b);
}

static SnMapNum
digit(SnMapTerms *T, SnMapNum n, int64_t step, int64_t len)
{
    SnMapNum q = sn_term_apply(T, SN_MO_DIV, n, sn_num(step));

    return sn_term_apply(T, SN_MO_MOD, q, sn_num(len));
}

/* The place in a box of 8 x 6 as one of 2 x 6 x 4, and as a number again: no
 * dimension divides those of the other. */
static void
boxes_of_another_shape(void **state)
{
    SnArena *a = sn_arena_new();
    SnMapTerms T = sn_terms(a);
    int64_t coef[SN_MAP_NVAR], c;

    (void)state;
    SnMapNum i = sn_term_var(&T, 0, 7), j = sn_term_var(&T, 1, 5);
    SnMapNum n = times(&T, i, 6, j);
    SnMapNum back = times(&T, digit(&T, n, 24, 2), 6, digit(&T, n, 4, 6));
    back = times(&T, back, 4, digit(&T, n, 1, 4));
    assert_true(sn_term_affine(&T, back, coef, &c));
    assert_int_equal(coef[0], 6);
    assert_int_equal(coef[1], 1);
    assert_int_equal(c, 0);
    sn_arena_free(a);
}

/* Terms are found by a hash: slots looked at, not time, so that a slow machine
 * changes nothing. */
static void
many_terms_are_found_at_once(void **state)
{
    enum { N = 20000 };
    SnArena *a = sn_arena_new();
    SnMapTerms T = sn_terms(a);

    (void)state;
    SnMapNum i = sn_term_var(&T, 0, 2 * N);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < N; k++) {
            SnMapNum at = sn_term_apply(&T, SN_MO_SUB, i, sn_num(k));
            SnMapNum lt = sn_term_apply(&T, SN_MO_LT, at, sn_num(k + 1));
            assert_true(lt.t >= 0);
        }
    assert_true(T.n <= 3 * N + 1);
    assert_true(T.known.nprobe >= T.n && T.known.nprobe < 10 * (uint64_t)T.n);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_terms_agree),
        cmocka_unit_test(indices_are_sums_again),
        cmocka_unit_test(boxes_of_another_shape),
        cmocka_unit_test(many_terms_are_found_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
