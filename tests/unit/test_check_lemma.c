// SPDX-License-Identifier: Apache-2.0
/* The checker of the calculus' certificates: each rule where it holds and where
 * what it needs is missing; and of certificates that the calculus wrote, each
 * one with a step that was changed. */
#include <stdlib.h>

#include "check_lines.h"

/* ---- by hand ---- */

/* Atoms x, T, @T, f32, c, lo, reach x; terms x, d:T(x), q:T(d:T(x)), d:f32(x),
 * the constant c, q:T(c). */
#define NAMES \
    "a x\na T\na @T\na f32\na c\na lo\na reach x\na f\na move\na @f32\n"
#define TERMS                                                                  \
    "t v 0 0 -1 0 0\nt d 0 -1 1 1 0 0\nt q 0 -1 1 1 1 0\nt d 0 -1 3 1 0 0\nt " \
    "c 0 4 -1 0 0\nt q 0 -1 1 1 4 0\n"
#define CODES "k 1 0\nk 3 3\n"
#define EXACT "C e\n" NAMES
/* f(move(d:T(x)), move(y)) = move(f(d:T(x), y)), where y is atom 10. */
#define TWO(move)                                                    \
    "t v 0 10 -1 0 0\nt " move " 0 8 -1 1 1 0\nt " move              \
    " 0 8 -1 1 6 0\nt f 0 7 -1 2 7 8 0\nt f 0 7 -1 2 1 6 0\nt " move \
    " 0 8 -1 1 10 0\n~ 9 11 e\nE 9 11\n"

static const SnTestLine lines[] = {
    /* L0: of codes that binary32 holds, where no saturation does anything */
    {EXACT CODES TERMS "~ 2 0 0\nE 2 0\n", NULL},
    {EXACT "k 1 16\n" TERMS "~ 2 0 0\n", "rule '0' does not give that"},
    {EXACT TERMS "~ 2 0 0\n", "rule '0' does not give that"},
    {EXACT CODES TERMS "~ 2 1 0\n", "rule '0' does not give that"},
    {EXACT CODES TERMS "t q 0 -1 3 1 1 0\n~ 6 0 0\n",
     "rule '0' does not give that"},
    {EXACT CODES TERMS "t q 0 -1 1 1 1 1 5\n~ 6 0 0\n",
     "rule '0' does not give that"},
    {EXACT CODES "V 5 6\n" TERMS "t q 0 -1 1 1 1 1 5\n~ 6 0 0\nE 6 0\n", NULL},
    {EXACT CODES "V 5 2\n" TERMS
                 "t q 0 -1 1 1 1 1 5\n~ 6 2 d\n~ 2 0 0\nE 6 0\n",
     NULL},
    {EXACT CODES "V 5 2\n" TERMS /* the reach of atom 7 has no name */
                 "t v 0 7 -1 0 0\nt d 0 -1 1 1 6 0\nt q 0 -1 1 1 7 1 5\n"
                 "~ 8 6 0\n",
     "rule '0' does not give that"},
    {EXACT CODES "V 5 6\n" TERMS "t q 0 -1 1 1 1 1 5\n~ 6 2 d\n",
     "rule 'd' does not give that"},
    /* reals are not rounded */
    {EXACT CODES TERMS "~ 3 0 r\nE 3 0\n", NULL},
    {EXACT CODES TERMS "~ 1 0 r\n", "rule 'r' does not give that"},
    {EXACT "k 3 2\n" TERMS "~ 3 0 r\n", "rule 'r' does not give that"},
    {EXACT "k 1 8\nk 3 3\n" TERMS "t q 0 -1 3 1 1 0\n~ 6 1 r\n",
     "rule 'r' does not give that"},
    /* L3 is the guard's */
    {EXACT CODES "K\n" TERMS "t d 0 -1 1 1 5 0\nt q 0 -1 1 1 6 0\n~ 7 5 k\n",
     "it ends, and the last path is not closed"},
    {EXACT CODES TERMS "t d 0 -1 1 1 5 0\nt q 0 -1 1 1 6 0\n~ 7 5 k\n",
     "rule 'k' does not give that"},
    /* two roundings to one type; a clamp by bounds */
    {EXACT CODES TERMS
     "t q 0 -1 1 1 0 1 5\nt d 0 -1 1 1 6 0\nt q 0 -1 1 1 7 0\n~ 8 6 1\nE 8 6\n",
     NULL},
    {EXACT "k 1 16\n" TERMS
           "t q 0 -1 1 1 0 1 5\nt d 0 -1 1 1 6 0\nt q 0 -1 1 1 7 0\n~ 8 6 1\n",
     "rule '1' does not give that"},
    {EXACT CODES
     "B 5 1 4 -1\n" TERMS
     "t q 0 -1 1 1 0 1 5\nt q 0 -1 1 1 0 0\nt x 0 -1 -1 2 7 5 0\n~ 6 8 b\n"
     "E 6 8\n",
     NULL},
    {EXACT CODES
     "B 5 1 -1 4\n" TERMS
     "t q 0 -1 1 1 0 1 5\nt q 0 -1 1 1 0 0\nt x 0 -1 -1 2 7 5 0\n~ 6 8 b\n",
     "rule 'b' does not give that"},
    {EXACT
     "k 1 32\nB 5 1 4 -1\n" TERMS
     "t q 0 -1 1 1 0 1 5\nt q 0 -1 1 1 0 0\nt x 0 -1 -1 2 7 5 0\n~ 6 8 b\n",
     "rule 'b' does not give that"},
    /* q goes inside of max where all are numbers: x is none known */
    {EXACT CODES TERMS "t x 0 -1 -1 2 1 4 0\nt q 0 -1 1 1 6 0\n"
                       "t x 0 -1 -1 2 2 5 0\n~ 7 8 p\nE 7 8\n",
     NULL},
    {EXACT "k 1 2\n" TERMS "t x 0 -1 -1 2 1 4 0\nt q 0 -1 1 1 6 0\n"
           "t x 0 -1 -1 2 2 5 0\n~ 7 8 p\n",
     "rule 'p' does not give that"},
    {EXACT "k 1 4\n" TERMS "t x 0 -1 -1 2 1 4 0\nt q 0 -1 1 1 6 0\n"
           "t x 0 -1 -1 2 2 5 0\n~ 7 8 p\n",
     "rule 'p' does not give that"},
    {EXACT CODES TERMS "t x 0 -1 -1 2 0 4 0\nt q 0 -1 1 1 6 0\n"
                       "t q 0 -1 1 1 0 0\nt x 0 -1 -1 2 8 5 0\n~ 7 9 p\n",
     "rule 'p' does not give that"},
    {EXACT CODES TERMS "t + 0 7 -1 2 1 4 0\nt q 0 -1 1 1 6 0\n"
                       "t + 0 7 -1 2 2 5 0\n~ 7 8 p\n",
     "rule 'p' does not give that"},
    /* a move comes out of functions of elements, not of those over sets */
    {EXACT CODES TERMS "t p 0 8 -1 1 1 0\nt f 0 7 -1 2 6 4 0\n"
                       "t f 0 7 -1 2 1 4 0\nt p 0 8 -1 1 8 0\n~ 7 9 e\nE 7 9\n",
     NULL},
    {EXACT CODES TERMS "t p 0 8 -1 1 1 0\nt f 0 7 -1 2 6 1 0\n"
                       "t f 0 7 -1 2 1 1 0\nt p 0 8 -1 1 8 0\n~ 7 9 e\n",
     "rule 'e' does not give that"},
    {EXACT CODES TERMS "t p 0 8 -1 1 1 0\nt o 0 7 -1 1 6 0\n"
                       "t o 0 7 -1 1 1 0\nt p 0 8 -1 1 8 0\n~ 7 9 e\n",
     "rule 'e' does not give that"},
    /* of two operands: of one shape, or a permutation of axes */
    {EXACT "a y\na s\n" CODES "H 0 11\nH 10 11\n" TERMS TWO("p"), NULL},
    {EXACT "a y\na s\n" CODES "H 0 11\nH 10 6\n" TERMS TWO("p"),
     "rule 'e' does not give that"},
    {EXACT "a y\na s\n" CODES "H 0 11\n" TERMS TWO("p"),
     "rule 'e' does not give that"},
    {EXACT "a y\na s\n" CODES TERMS TWO("P"), NULL},
    /* the order of max counts where there are two zeros */
    {EXACT CODES TERMS "t x 0 -1 -1 2 1 5 0\nt x 0 -1 -1 2 5 1 0\nE 6 7\n",
     NULL},
    {EXACT "k 1 2\n" TERMS "t x 0 -1 -1 2 1 5 0\nt x 0 -1 -1 2 5 1 0\nE 6 7\n",
     "both sides are not seen to be equal"},
    {EXACT CODES TERMS "t + 0 7 -1 2 1 5 0\nt + 0 7 -1 2 5 1 0\nE 6 7\n", NULL},
    {EXACT CODES TERMS "t - 0 7 -1 2 1 5 0\nt - 0 7 -1 2 5 1 0\nE 6 7\n",
     "both sides are not seen to be equal"},
    {EXACT CODES TERMS "t x 0 -1 -1 2 1 5 0\nt x 0 -1 -1 2 6 5 0\n~ 7 6 x\n"
                       "E 7 6\n",
     NULL},
    {EXACT CODES TERMS "t x 0 -1 -1 2 1 5 0\nt m 0 -1 -1 2 6 5 0\n~ 7 6 x\n",
     "rule 'x' does not give that"},
    {EXACT CODES "V 5 6\nB 5 1 4 -1\n" TERMS "t x 0 -1 -1 2 0 5 0\n~ 6 0 x\n"
                 "E 6 0\n",
     NULL},
    {EXACT CODES "V 5 6\nB 5 1 4 -1\n" TERMS "t m 0 -1 -1 2 0 5 0\n~ 6 0 x\n",
     "rule 'x' does not give that"},
    {EXACT CODES "W 5 4\n" TERMS "t c 0 5 -1 0 0\nt x 0 -1 -1 2 6 4 0\n"
                 "~ 7 6 x\nE 7 6\n",
     NULL},
    {EXACT CODES "W 4 5\n" TERMS "t c 0 5 -1 0 0\nt x 0 -1 -1 2 6 4 0\n"
                 "~ 7 6 x\n",
     "rule 'x' does not give that"},
    /* real functions: what is no worse, and saturations that do nothing */
    {"C r\n" NAMES CODES TERMS "E 2 0\n", NULL},
    {"C r\n" NAMES CODES TERMS "t q 0 -1 1 1 1 1 5\nE 6 0\n",
     "both sides are not seen to be equal"},
    {"C r\n" NAMES CODES "V 5 6\n" TERMS "t q 0 -1 1 1 1 1 5\nE 6 0\n", NULL},
    {"C r\n" NAMES CODES "V 5 2\n" TERMS "t q 0 -1 1 1 1 1 5\nE 6 0\n",
     "both sides are not seen to be equal"},
    /* a rounding on the way: on the left alone it may be */
    {"C r\n" NAMES CODES TERMS "t d 0 -1 1 1 2 0\nt n 0 -1 -1 1 7 0\n",
     "7 is not in [0, 7)"},
    {"C r\n" NAMES CODES TERMS "t d 0 -1 1 1 2 0\nt n 0 -1 -1 1 6 0\n"
     "t n 0 -1 -1 1 1 0\nE 7 8\n",
     NULL},
    {"C r\n" NAMES CODES TERMS "t d 0 -1 1 1 2 0\nt n 0 -1 -1 1 6 0\n"
     "t n 0 -1 -1 1 1 0\nE 8 7\n",
     "both sides are not seen to be equal"},
    {"C w\n" NAMES CODES TERMS "t d 0 -1 1 1 2 0\nt n 0 -1 -1 1 6 0\n"
     "t n 0 -1 -1 1 1 0\nE 7 8\n",
     "both sides are not seen to be equal"},
    {"C r\n" NAMES "k 1 4\nk 3 3\n" TERMS "E 2 0\n",
     "integers that a conversion cuts"},
    {"C r\n" NAMES CODES TERMS "~ 2 0 0\n", "rule '0' does not give that"},
    /* what is no certificate */
    {"C z\n", "a claim in the middle, or none: 'z'"},
    {"C e\nC e\n", "a claim in the middle, or none: 'e'"},
    {"a x\n? 1.0\nC e\n", "a claim in the middle, or none: 'e'"},
    {"m shape\nm same\n. through\nC e\n",
     "a claim in the middle, or none: 'e'"},
    /* why the right side is legal comes first */
    {"a x\n> -1+1.0\ny -1+2.0 1 2f0\nC e\nt v 0 0 -1 0 0\nE 0 0\n", NULL},
    {"a x\n> -1+1.0\ny -3+2.0 1 2f0\nC e\nt v 0 0 -1 0 0\nE 0 0\n",
     "the sum of facts leaves -1 of -3 + 2*x"},
    {"t v 0 0 -1 0 0\n", "a term outside of a claim"},
    {EXACT TERMS, "it ends, and the last path is not closed"},
    {EXACT TERMS "> 1.0\n", "a line that begins with '>' among terms"},
    {EXACT TERMS "E 2 9\n", "9 is not in [0, 6)"},
    {EXACT "t v 0 10 -1 0 0\n", "10 is not in [-1, 10)"},
    {EXACT "t z 0 0 -1 0 0\n", "a term that begins with 'z'"},
    {EXACT "t v 0 0 -1 0 0\nt q 0 -1 -1 1 0 0\n", "a term 'q' of 1 others"},
    {EXACT "V 12 3\n", "12 is not in [-1, 10)"},
    {EXACT TERMS "E 2 2\nC r\n" TERMS "E 0 0\n", NULL},
};

static void
by_hand(void **state)
{
    (void)state;
    sn_test_lines(lines, sizeof lines / sizeof *lines);
}

/* ---- those of the calculus, falsified ---- */

typedef struct Rule {
    const char *text;
    char shown;
} Rule;

static const Rule rules[] = {
    {"Relu(Add(a, b) @n :1) @o => copy n {clamp = meet(bounds(o.type, 0, _), "
     "n.clamp)} : o.type when n.type == o.type and n.type in [q8, q16] exact",
     'e'},
    {"Relu(Transpose(x) @t) @o => Transpose(Relu(x) : o.type) like t : o.type "
     "when t.type == o.type exact",
     'e'},
    {"Quantize(Dequantize(x)) @q => x when x.type == q.type and x.type in "
     "[q8, q16] and covers(q.clamp, reach(x)) exact",
     'e'},
    {"Rescale(Conv2D(x, w, b) @n :1) @r => Conv2D(x, w, b) like n {clamp = "
     "meet(r.clamp, image(n.clamp, n, r))} : r.type refines",
     'r'},
    {"Conv2D(Rescale(x) @r, w, b) @n => Conv2D(x, w, regrid(b)) like n : "
     "n.type when covers(reach(r), reach(x)) refines",
     'r'},
};

static const char *
certificate(SnArena *a, const char *rule)
{
    const char *text = sn_format(a,
                                 "version 2;\ninclude \"nodes.def\";\n"
                                 "pass p {\n  allow exact;\n  allow refines;\n"
                                 "  rule r: %s;\n}\n",
                                 rule);
    SnProver pv;
    SnInstance *v = sn_test_spell(a, text, &pv);

    return sn_calculus_lemma(&pv, v).certificate;
}

/* Is the line at p in the text twice?  One of them is enough. */
static bool
is_twice(SnArena *a, const char *all, const char *p)
{
    const char *line = sn_strndup(a, p, (size_t)(strchr(p, '\n') + 1 - p));
    const char *first = strstr(all, line);

    return first != p || strstr(p + 1, line);
}

/* The line at p, changed so that nothing else can be meant. */
typedef enum Change {
    LETTER, /* the rule of a step, one that it is no instance of */
    STEP,   /* a step of a rule is left out */
    ENDS,   /* the other side of what is shown, the first term */
    CLAIM,  /* more is claimed */
    NCHANGE
} Change;

static const char *
changed(SnArena *a, const char *all, const char *p, Change how, char letter)
{
    const char *end = strchr(p, '\n') + 1;
    char last = end[-2];
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putn(&b, all, (size_t)(p - all));
    bool too = (last == '0' && letter == '1') || (last == 'p' && letter == 'e');
    if (how == LETTER && *p == '~' && last != 'c' && last != letter && !too) {
        sn_putn(&b, p, (size_t)(end - p) - 2);
        sn_putf(&b, "%c\n", letter);
    } else if (how == ENDS && *p == 'E') {
        char *rest;
        long i = strtol(p + 2, &rest, 10), j = strtol(rest, NULL, 10);
        if (i == j || !j)
            return NULL;
        sn_putf(&b, "E %ld 0\n", i);
    } else if (how == CLAIM && *p == 'C' && last != 'e') {
        sn_puts(&b, "C e\n");
    } else if (how != STEP || *p != '~' || last == 'c' || is_twice(a, all, p)) {
        return NULL;
    }
    sn_puts(&b, end);
    return sn_buf_str(&b);
}

static void
falsified(void **state)
{
    static const char letters[] = "dr012kbpex";
    uint32_t n[NCHANGE] = {0};
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        SnArena *a = sn_arena_new();
        const char *text = certificate(a, rules[i].text);
        SnCheck k = {0};

        if (!text)
            fail_msg("not proved: %s", rules[i].text);
        assert_true(sn_check_certificate(a, text, &k));
        assert_int_equal(k.shown, rules[i].shown);
        for (const char *p = text; *p; p = strchr(p, '\n') + 1)
            for (int how = 0; how < NCHANGE; how++)
                for (const char *c = letters; *c; c++) {
                    SnArena *one = sn_arena_new();
                    const char *s = changed(one, text, p, (Change)how, *c);
                    n[how] += s != NULL;
                    k = (SnCheck){0};
                    if (s && sn_check_certificate(one, s, &k)) {
                        print_message("rule %zu, change %d %c: %.20s\n", i, how,
                                      *c, p);
                        bad++;
                    }
                    sn_arena_free(one);
                    if (how != LETTER)
                        break;
                }
        sn_arena_free(a);
    }
    for (int how = 0; how < NCHANGE; how++)
        assert_true(n[how] > 0);
    assert_int_equal(bad, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(falsified)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
