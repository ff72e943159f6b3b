// SPDX-License-Identifier: Apache-2.0
/* The checker's own normal form of expressions over the reals: which are one,
 * which are not, and what is not known.  Atoms: n, i, then those of a test. */
#include "check_lines.h"

#include "dsl/prove/trial/case.h"

#define HEAD "a n\na i\n> 1.0\nm shape\n"
#define END ". through\n"
/* Expressions 0 and 1: elements of x and y. */
#define XY "r l 0 x\nr l 0 y\n"
/* Atom 2 is a place below n; expression 0 the element of x there. */
#define SUM                                                                   \
    HEAD "a $0<n>\na rank(x)\n= -1+1.3 3\ny 1.0 1 1f0\nR real\nb 2 1.0\nr l " \
         "1 1.2 x\n"
/* Atoms 2 a place below n, 3 and 4 flags of that place. */
#define FLAGS HEAD "a $0<n>\na [u]\na [v]\na rank(x)\n= -1+1.5 5\ny 1.0 1 1f0\n"
#define SAID_OF(how) "R " how "\nb 2 1.0\nf 3 1.2+1.1\nf 4 2.2+2.1\n"
#define SAID SAID_OF("exactly")
#define PRODUCT "r l 1 1.2 x\nr p 1.3\nr p 1.4\nr * 0 1\nr * 3 2\nr s 1 1.2 4\n"
#define OTHER "r * 0 2\nr s 1 1.2 6\nl 5 7\n" END
#define DIFFERS "both sides have other normal forms"

static const SnTestLine lines[] = {
    /* as many places as dimensions */
    {HEAD "R real\nr l 1 1.1 x\n", "rank(x) is not shown to be 1"},
    {HEAD "a rank(x)\n= -2+1.2 2\nR real\nr l 1 1.1 x\n",
     "rank(x) is not shown to be 1"},
    {HEAD "a rank(x)\nR real\nr l 0 x\n", "rank(x) is not shown to be 0"},
    /* sums, products, quotients */
    {HEAD "R real\n" XY "r + 0 1\nr + 1 0\nl 2 3\n" END, NULL},
    {HEAD "R real\n" XY "l 0 1\n" END, DIFFERS},
    {HEAD
     "a rank(x)\n= -1+1.2 2\nR real\nr l 1 1.1 x\nr l 1 1.0 x\nl 0 1\n" END,
     DIFFERS},
    {HEAD "a rank(x)\n= -1+1.2 2\n= 1.0-1.1 1\nR real\nr l 1 1.1 x\nr l 1 1.0 "
          "x\nl 0 1\n" END,
     NULL},
    {HEAD "R real\n" XY /* (x + y) (x - y) = x x - y y */
          "r # -1\nr * 2 1\nr + 0 1\nr + 0 3\nr * 4 5\nr * 0 0\nr * 1 3\n"
          "r + 7 8\nl 6 9\n" END,
     NULL},
    {HEAD "R real\n" XY "r # -1\nr * 2 1\nr + 0 1\nr + 0 3\nr * 4 5\nr * 0 0\n"
          "r * 1 1\nr + 7 8\nl 6 9\n" END,
     DIFFERS},
    {HEAD "R real\n" XY "r / 0 1\nr * 2 1\nl 3 0\n" END, NULL},
    {HEAD "R real\n" XY /* x / (2 x + 2 y) = x / (x + y) / 2 */
          "r + 0 1\nr # 2\nr * 3 2\nr / 0 4\nr / 0 2\nr # 0.5\nr * 6 7\n"
          "l 5 8\n" END,
     NULL},
    {HEAD "R real\n" XY /* x - y = -(y - x), and not y - x */
          "r - 0 1\nr - 1 0\nr # -1\nr * 4 3\nl 2 5\n" END,
     NULL},
    {HEAD "R real\n" XY "r - 0 1\nr - 1 0\nl 2 3\n" END, DIFFERS},
    {HEAD "R real\n" XY /* x ^ 2 = x x; 2 ^ x, x ^ -1, x ^ 5 stay */
          "r # 2\nr f 2 0 2 pow\nr * 0 0\nl 3 4\n" END,
     NULL},
    {HEAD "R real\n" XY "r # 2\nr f 2 2 0 pow\nr * 0 0\nl 3 4\n" END, DIFFERS},
    {HEAD "R real\n" XY "r # -1\nr f 2 0 2 pow\nr # 1\nr / 4 0\nl 3 5\n" END,
     DIFFERS},
    {HEAD "R real\n" XY "r # 2.5\nr f 2 0 2 pow\nr * 0 0\nl 3 4\n" END,
     DIFFERS},
    {HEAD "R real\nr # 0\nr / 0 0\n", "a division by 0"},
    {HEAD "R real\nr p 2.0.1-1\nr p -1+2.0.1\nl 0 1\n" END, NULL},
    {HEAD "R real\nr # inf\n", "a number that is not finite"},
    /* numbers */
    {HEAD "R real\nr # 0.16666667\nr # 0.166666672\nl 0 1\n" END, NULL},
    {HEAD "R real\nr # 0.16666667\nr # 0.16667\nl 0 1\n" END, DIFFERS},
    {HEAD "R exactly\nr # 0.16666667\nr # 0.166666672\nl 0 1\n" END, DIFFERS},
    /* functions */
    {HEAD "R real\n" XY "r f 1 0 exp\nr f 1 1 exp\nl 2 3\n" END, DIFFERS},
    {HEAD "R real\n" XY "r f 2 0 1 select\nr f 2 1 0 select\nl 2 3\n" END,
     DIFFERS},
    {HEAD "R real\n" XY /* max(2 x, 2 y) = 2 max(x, y) */
          "r # 2\nr * 2 0\nr * 2 1\nr f 2 3 4 max\nr f 2 0 1 max\nr * 2 6\n"
          "l 5 7\n" END,
     NULL},
    {HEAD "R real\n" XY "r # -2\nr * 2 0\nr * 2 1\nr f 2 3 4 max\nr f 2 0 1 max"
          "\nr * 2 6\nl 5 7\n" END,
     DIFFERS},
    {HEAD "R real\nr l 0 x\nr # 3\nr f 2 0 1 min\nr f 2 1 0 min\nl 2 3\n" END,
     NULL},
    {HEAD "R real\nr # 2\nr # 3\nr f 2 0 1 min\nl 2 0\n" END, NULL},
    {HEAD "R real\nr # 2\nr # 3\nr f 2 0 1 min\nl 2 1\n" END, DIFFERS},
    /* one of two values, by their order: atoms 2 and 3 */
    {HEAD "a order x\na order y\n> 1.2-1.3\ny 1.2-1.3 1 1f1\nR exactly\n" XY
          "r c 1.2 1.3 0 1 max\nl 2 0\n" END,
     NULL},
    {HEAD
     "a order x\na order y\n> -1+1.3-1.2\ny -1+1.3-1.2 1 1f1\nR exactly\n" XY
     "r c 1.2 1.3 0 1 max\nl 2 1\n" END,
     NULL},
    {HEAD "a order x\na order y\n> 1.2-1.3\ny 1.2-1.3 1 1f1\nR exactly\n" XY
          "r c 1.2 1.3 0 1 max\nl 2 1\n" END,
     DIFFERS},
    {HEAD "a order x\na order y\n> 1.2-1.3\ny 1.2-1.3 1 1f1\nR exactly\n" XY
          "r c 1.2 1.3 0 1 min\n",
     "min of two values whose order is not known"},
    {HEAD "a order x\na order y\n> 1.2-1.3\ny 1.2-1.3 1 1f1\nR exactly\n" XY
          "r c 1.2 1.3 0 1 max\nr c 1.2 1.3 1 0 max\n",
     "an order of two values"},
    /* sums over a place */
    {SUM "r l 0 y\nr * 1 0\nr s 1 1.2 2\nr s 1 1.2 0\nr * 1 4\nl 3 5\n" END,
     NULL}, /* y leaves its sum */
    {SUM "r s 1 1.2 0\nl 1 0\n" END, DIFFERS},
    {SUM "l 0 0\n" END, "a place outside of its sum"},
    {SUM "r l 0 y\nr s 1 1.2 1\nr p 1.0\nr * 1 3\nl 2 4\n" END,
     NULL}, /* n times y */
    {SUM "r l 0 y\nr s 1 1.2 1\nl 2 1\n" END, DIFFERS},
    {HEAD "a $0<i>\nR real\nb 2 1.1\nr l 0 y\nr s 1 1.2 0\n",
     "a sum over i places, perhaps less than none"},
    {SUM "r s 1 1.1 0\n", "a sum along what is no place"},
    {SUM "r s 2 1.2 1.2 0\n", "a sum along what is no place"},
    {HEAD "a $0<n>\na $1<n>\na rank(x)\n= -2+1.4 4\ny 1.0 1 1f0\nR real\nb 2 "
          "1.3\nb 3 1.0\n"
          "r l 2 1.2 1.3 x\nr s 2 1.2 1.3 0\n",
     "a place whose bound depends on the sum"},
    {HEAD "a $0<n>\na rank(x)\n= -1+1.3 3\ny 1.0 1 1f0\n> 1.2-3\nR real\nb 2 "
          "1.0\nr l 1 1.2 x\n"
          "r s 1 1.2 0\nl 1 1\n" END,
     "something is assumed of a place"},
    {HEAD "a $0<n>\na [u]\na rank(x)\n= -1+1.4 4\ny 1.0 1 1f0\n/ -1+1.2\n"
          "i -1+1.2\nR exactly\nb 2 1.0\nf 3 -1+1.2\nr l 1 1.2 x\nr p 1.3\n"
          "r * 0 1\nr s 1 1.2 2\nr s 1 1.2 0\nl 3 4\n" END,
     "something is assumed of a place"},
    {HEAD "a k{$0<n>}\na rank(x)\n= -1+1.3 3\nR real\nr l 1 1.2 x\n",
     "what 'k{$0<n>}' depends on is not known"},
    {HEAD "a $0<n>\na k{$0<n>}\na rank(x)\n= -1+1.4 4\ny 1.0 1 1f0\nR real\nb "
          "2 1.0\nh 3 1.2\n"
          "r l 1 1.3 x\nl 0 0\n" END,
     "a place outside of its sum"},
    /* flags: their squares; those that others imply, or exclude */
    {FLAGS SAID "r p 1.3\nr * 0 0\nl 0 1\n" END, "a place outside of its sum"},
    {FLAGS SAID "r p 1.3\nr * 0 0\nr s 1 1.2 0\nr s 1 1.2 1\nl 2 3\n" END,
     NULL},
    {FLAGS SAID PRODUCT OTHER, DIFFERS},
    {FLAGS "+ 2.2+2.1\ny 1.2+1.1 2 1f1\ni 1.2+1.1\n- 1\n" SAID PRODUCT OTHER,
     NULL},
    {FLAGS
     "+ 1.2-1.1\n+ 2.1\ny 1.2+1.1 1 1f1 1f2\ni 1.2+1.1\n- 2\n" SAID PRODUCT
         OTHER,
     DIFFERS}, /* it was lent what is no flag */
    {FLAGS "+ 2.2+2.1\ni 1.2+1.1\n", "i + $0<n> >= 0 is not known"},
    {FLAGS "+ -2-2.2-2.1\ny -1-1.2-1.1 2 1f1\ni -1-1.2-1.1\n- 1\nR exactly\n"
           "b 2 1.0\nf 3 1.2+1.1\nf 4 -2-2.2-2.1\n" PRODUCT
           "r # 0\nl 5 6\n" END,
     NULL}, /* both cannot be 1 */
    {HEAD "a $0<i>\na $1<n>\na [u]\na rank(x)\n= -1+1.5 5\n> 1.1\n+ 1.3\n"
          "+ -1+1.0-1.3\ny -1+1.0 1 1f2 1f3\ni -1+1.0\n- 2\nR exactly\n"
          "b 2 1.1\nb 3 1.0\nf 4 -1+1.0\nr l 1 1.2 x\nr p 1.4\nr * 0 1\n"
          "r s 1 1.2 2\nr s 1 1.2 0\nl 3 4\n" END,
     DIFFERS}, /* another place is below n: there may be none */
    {HEAD "> 1.0-1.1\ny 1.0-1.1 1 1f1\nR exactly\n" XY
          "r c 1.0 1.1 0 1 max\nl 2 0\n" END,
     "an order of two values"}, /* sizes are none */
    /* what is no such line */
    {HEAD "r # 1\n", "an expression before the line R"},
    {HEAD "R about\n", "expected real or exactly"},
    {HEAD "R real\nr ! 1\n", "an expression that begins with '!'"},
    {HEAD "R real\nr # 1\nr + 0 1\n", "1 is not in [0, 1)"},
    {HEAD "R real\nb 7 1.0\n", "an atom of which more is known"},
    {HEAD "R real\nr # 1\nb 1 1.0\n", "an atom of which more is known"},
    {HEAD "? 1.1\nR real\nr # 1\nl 0 0\n" END "\\ 0\nl 0 0\n",
     "an expression before the line R"},
};

static void
by_hand(void **state)
{
    (void)state;
    sn_test_lines(lines, sizeof lines / sizeof *lines);
}

/* ---- roundings ---- */

/* On both sides: the roundings of an element, and those for each tap. */
static const struct {
    const char *text;
    SnCheckRounds is[2];
} counts[] = {
    {HEAD "R real\n" XY "r + 0 1\nr + 1 0\nl 2 3\n" END, {{1, 0}, {1, 0}}},
    /* of summands the worse one: x x + y, x x + y y */
    {HEAD "R real\n" XY "r * 0 0\nr + 2 1\nr - 3 1\nl 4 2\n" END,
     {{3, 0}, {1, 0}}},
    {HEAD "R real\n" XY "r * 0 0\nr * 1 1\nr + 2 3\nr + 3 2\nl 4 5\n" END,
     {{2, 0}, {2, 0}}},
    /* of factors and divisors both: (x x) (y y) / x, x y y */
    {HEAD "R real\n" XY "r * 0 0\nr * 1 1\nr * 2 3\nr / 4 0\nr * 0 3\n"
          "l 5 6\n" END,
     {{4, 0}, {2, 0}}},
    /* functions: four but for sqrt; max chooses; a power passes on both */
    {HEAD "R real\n" XY "r f 1 0 exp\nr f 1 2 sqrt\nl 3 3\n" END,
     {{5, 0}, {5, 0}}},
    {HEAD "R real\n" XY "r * 0 0\nr f 2 2 1 max\nl 3 3\n" END,
     {{1, 0}, {1, 0}}},
    {HEAD "R real\n" XY "r * 0 0\nr + 1 1\nr f 2 2 3 pow\nl 4 4\n" END,
     {{6, 0}, {6, 0}}},
    {HEAD "R real\n" XY "r # 2\nr f 2 0 2 pow\nr * 0 0\nl 3 4\n" END,
     {{4, 0}, {1, 0}}},
    /* a sign is exact, another factor is not */
    {HEAD "R real\n" XY "r # -1\nr * 2 0\nl 3 3\n" END, {{0, 0}, {0, 0}}},
    {HEAD "R real\n" XY "r # 3\nr * 2 0\nl 3 3\n" END, {{1, 0}, {1, 0}}},
    /* what is 1, but computed, is no sign: (x / x) y */
    {HEAD "R real\n" XY "r / 0 0\nr * 2 1\nl 3 1\n" END, {{2, 0}, {0, 0}}},
    /* one a tap; a mean, by a number of taps that is an integer */
    {SUM "r * 0 0\nr s 1 1.2 1\nl 2 2\n" END, {{1, 1}, {1, 1}}},
    {SUM "r # 1\nr s 1 1.2 1\nr s 1 1.2 0\nr / 3 2\nl 4 4\n" END,
     {{1, 1}, {1, 1}}},
    /* a tap that is there or not */
    {FLAGS SAID_OF("real") "r l 1 1.2 x\nr p 1.3\nr p 1.4\nr * 2 1\nr * 3 0\n"
                           "r s 1 1.2 4\nl 5 5\n" END,
     {{0, 1}, {0, 1}}},
    /* the most of all paths */
    {HEAD "? 1.1\nR real\n" XY "r + 0 1\nl 2 2\n" END "\\ 0\nR real\n" XY
          "r * 0 0\nr + 2 1\nr - 3 1\nl 2 4\n" END,
     {{1, 0}, {3, 0}}},
};

static void
roundings(void **state)
{
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        SnArena *a = sn_arena_new();
        SnCheck k = {0};
        bool ok = sn_check_certificate(a, counts[i].text, &k) && k.counted;
        if (!ok || memcmp(k.rounds, counts[i].is, sizeof k.rounds) != 0) {
            print_message("%s  gives %u + %u a tap, %u + %u a tap; %s\n",
                          counts[i].text, k.rounds[0].n, k.rounds[0].tap,
                          k.rounds[1].n, k.rounds[1].tap,
                          k.error ? k.error : "");
            bad++;
        }
        sn_arena_free(a);
    }
    assert_int_equal(bad, 0);
}

/* The checker, which shares nothing with the prover, has a table of its own of
 * how often functions round: it agrees for each function of reals. */
static void
functions(void **state)
{
    static const struct {
        const char *name;
        int narg;
        SnFn fn;
        bool real;
    } word[] = {
#define FORMULA(ID, name, least, most, c, meaning) \
    {name, most, SN_FN_##ID, (const char *)c != NULL},
#define NUMBER(ID, name, least, most, c, args, type, meaning) \
    {name, most, SN_FN_##ID, true},
        SN_FORMULA_FNS(FORMULA) SN_NUMBER_FNS(NUMBER)};
    int n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        SnCheck k = {0};
        if (!word[i].real)
            continue;
        SnArena *a = sn_arena_new();
        const char *text = sn_format(
            a, HEAD "R real\n" XY "r f %d 0%s %s\nl 2 2\n" END, word[i].narg,
            word[i].narg == 2 ? " 1" : "", word[i].name);
        if (!sn_check_certificate(a, text, &k) || !k.counted)
            fail_msg("%s: %s", text, k.error ? k.error : "nothing is counted");
        if (k.rounds[0].n != sn_case_fn_rounds(word[i].fn))
            fail_msg("%s rounds %u times, not %u", word[i].name, k.rounds[0].n,
                     sn_case_fn_rounds(word[i].fn));
        n++;
        sn_arena_free(a);
    }
    assert_true(n >= 12);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(roundings),
                                       cmocka_unit_test(functions)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
