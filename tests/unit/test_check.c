// SPDX-License-Identifier: Apache-2.0
/* The checker of certificates: what it takes, what it refuses and why; and of
 * certificates that the provers wrote, each one with a step that was changed.
 */
#include <stdlib.h>

#include "check_lines.h"
#include "dsl/prove/index/index.h"
#include "dsl/prove/real/real.h"

/* ---- by hand ---- */

/* Two paths: n >= 1, or n = 0, which i in [0, n) does not allow. */
#define HEAD "a n\na i\n> 1.0\n"
#define SPLIT "? -1+1.0\n"
#define LEFT                                                          \
    "s -1+1.0\n> 1.1\n> -1+1.0-1.1\ny 2.0 1 2f0\nz 1.0-1.0 0 1\ng 0 " \
    "shape\nm same: x\n"
#define RIGHT "\\ 0\ns -1.0\n> 1.1\n> -1+1.0-1.1\nx 1 1f1 1f2 1f3\n"

static const SnTestLine lines[] = {
    {HEAD SPLIT LEFT ". through\n" RIGHT, NULL},
    {HEAD SPLIT LEFT ". through\n", "a distinction has one side only"},
    {HEAD SPLIT LEFT, "it ends, and the last path is not closed"},
    {HEAD SPLIT LEFT RIGHT, "the path is not closed"},
    {HEAD LEFT ". through\n", "-1 + n >= 0 is not known"},
    {HEAD SPLIT LEFT ". through\n\\ 1\n", "distinction 0 lacks its other side"},
    {HEAD SPLIT LEFT ". through\n\\ 0\nx 1 1f0\n",
     "the sum of facts leaves -1 - n of -1"},
    {HEAD SPLIT LEFT ". through\n\\ 0\ns -1.0\nx 1 1f0 1f2\n",
     "2 is not in [0, 2)"},
    {HEAD "y -1.0 1 1f0\n", "the sum of facts leaves -2*n of -n"},
    {HEAD "y 3.0 2 6f0\n. through\n",
     "the path ends, and it has not been seen that shapes are equal"},
    {HEAD "y 3.0 2 -6f0\n", "expected a factor that is not negative"},
    {HEAD "y 3.0 -1 6f0\n", "expected a denominator"},
    {HEAD "g 0 shape\n. through\n",
     "the path ends, and it has not been seen that elements are equal"},
    {HEAD "g 1.0 shape\n", "n = 0 is not shown"},
    {HEAD "m shape\nn 2 Add, Add\n& a\nm same: a\n. through\n\\ 0\n. through\n",
     "1 operands have not been seen"},
    {HEAD "m shape\nn 1 Neg, Neg\n& a\nm same: a\n. through\n\\ 0\n. through\n",
     NULL},
    {HEAD "m shape\nn 1 Neg, Neg\n& a\n. through\n",
     "the path ends, and it has not been seen that elements are equal"},
    {HEAD "m shape\n& a\n", "an operand that no node has"},
    {HEAD "e 1.0 0\n", "n = 0 is not shown"},
    {HEAD "= 2.0 0\n", "2*n = 0 does not give atom 0 a value"},
    {HEAD "= 1.0-3 0\ng 1.0-3 shape\nm same\n. through\n", NULL},
    {HEAD SPLIT ". r\n\\ 0\ny 1.0 1 1f0\ne 1.0 0\ng 1.0 shape\nm same\n"
                ". through\n",
     NULL},
    {HEAD SPLIT ". r\n\\ 0\ne 1.0 0\n", "n = 0 is not shown"},
    {HEAD SPLIT "y 1.0 1 1f0\ne 1.0 0\n", "n = 0 is not shown"},
    {HEAD SPLIT ". r\n\\ 0\ny 1.0 1 1f0\ne 1.0 1\n",
     "n = 0 does not give atom 1 a value"},
    {HEAD SPLIT ". r\n\\ 0\ny 1.0 1 1f0\ne 1.0 9\n",
     "n = 0 does not give atom 9 a value"},
    {HEAD "! 1.0\n", "a line that begins with '!'"},
    {HEAD "+ 1.1\nx 1 1f1\n", "a path that ends while facts are lent"},
    {HEAD "+ 1.1\n? 1.0\n", "a distinction while facts are lent"},
    {HEAD "+ 1.1\ny 1.1 1 1f1\n- 2\n", "1 facts are lent, not 2"},
    {HEAD "+ 1.1\ny 1.1 1 1f1\n- 1\nz 1.1 1.1 1\n", "i = 0 is not shown"},
    /* products, least values, quotients */
    {HEAD "> 1.1\ny 1.0.1 1 1f0f1\n. r\n", NULL},
    {HEAD "> -2+1.1\ny -2+1.0.1+1.1 1 1f0f1 2f0 1f1\n. r\n", NULL},
    {HEAD "> -2+1.1\ny -3+1.0.1+1.1 1 1f0f1 2f0 1f1\n",
     "the sum of facts leaves -1 of -3 + i + n*i"},
    {HEAD "> -2+1.1\ny -2+1.0.1+1.1 0 f1 f0\n", "expected a denominator"},
    {HEAD "q 1.0 2\ny 1+2.2-1.0 1 1u2\n. r\n", NULL},
    {HEAD "q 1.0 2\ny 2.2-1.0 1 1u2\n", "the sum of facts leaves -1 of -n + 2*"
                                        "(n div 2)"},
    {HEAD "q 1.0 1.1\ny 1.0-1.1.2 1 1l2\n",
     "the divisor i is not shown to be above 0"},
    {HEAD "> -1+1.1\ny -1+1.1 1 1f1\nq 1.0 1.1\ny 1.0-1.1.2 1 1l2\n. r\n",
     NULL},
    {HEAD "> -1+1.1-1.0\ny 1.0 1 1f0\ny -1+1.1-1.0 1 1f1\nd 1.0 1.1 0\n. r\n",
     NULL},
    {HEAD "> 1.1-1.0\ny 1.0 1 1f0\nd 1.0 1.1 0\n",
     "(n) div (i) = 0 is not shown"},
    /* (n + i * i - i * (n div i)) div i = i: n div i is cancelled */
    {HEAD "q 1.0 1.1\nd 1.0+1.1.1-1.1.2 1.1 1.1\n. r\n", NULL},
    {HEAD "q 1.0 1.1\nd 1.0+1.1.1-1.1.2 1.1 1+1.1\n. r\n",
     "(n + i*i - i*(n div i)) div (i) = 1 + i is not shown"},
    {HEAD "z 1.0 1.0 1\n", "n = 0 is not shown"},
    /* what is no certificate */
    {"", "it ends, and the last path is not closed"},
    {". lemma regroups\n", NULL},
    {". through\n", "the path ends, and it has not been seen that shapes are "
                    "equal"},
    {"L regroups\n", "a line that begins with 'L'"},
    {HEAD "a n\n", "an atom twice, or too many"},
    {HEAD "> 1.2\n", "2 is not in [0, 2)"},
    {HEAD "> 1.-1\n", "-1 is not in [0, 2)"},
    {HEAD "> x\n", "expected a number at 'x'"},
    {HEAD "> 1.0;\n", "expected a polynomial, then a blank, at ';'"},
    {HEAD "> 9223372036854775807\n",
     "expected a number at '9223372036854775807'"},
    {HEAD "w 1.0\n", "a line that begins with 'w'"},
    {HEAD ". r\n> 1.0\n", "a step after the end of a path"},
    {HEAD "m shape\nm same\ng 1.0.0.0.0.0.0.0 1 1f0\n",
     "numbers that are too large"},
    {HEAD "> 1.0.0.0.0.0.0.0\n", "numbers that are too large"},
};

static void
by_hand(void **state)
{
    (void)state;
    sn_test_lines(lines, sizeof lines / sizeof *lines);
}

/* ---- those of proofs, falsified ---- */

static const char *const rules[] = {
    "Add(Transpose(a) @t, Transpose(b) @u) @n => Transpose(Add(a, b) like n : "
    "n.type) like t : n.type when u.perm == t.perm and rank(t) == rank(n) "
    "exact",
    "Conv2D(Pad(x) {mode = constant, value = 0} @p :1, w, b) @c => "
    "Conv2D(x, w, b) like c {pads = [c.pads[0] + p.pads[1], "
    "c.pads[1] + p.pads[2], c.pads[2] + p.pads[5], c.pads[3] + p.pads[6]]} : "
    "c.type when p.type == x.type and p.pads[0] == 0 and p.pads[3] == 0 and "
    "p.pads[4] == 0 and p.pads[7] == 0 and p.pads[1] >= 0 and "
    "p.pads[2] >= 0 and p.pads[5] >= 0 and p.pads[6] >= 0 and x.type in "
    "[q8, q16] exact",
    "Conv2D(x:{f32}, w, b) @o => Reshape(FullyConnected(Reshape(x) {dims "
    "= [dim(x, 0) * dim(x, 1) * dim(x, 2), dim(x, 3)]}, Reshape(w) {dims "
    "= [dim(w, 0), dim(w, 3)]}, b) {clamp = o.clamp}) {dims = dims(o)} : "
    "o.type when o.stride == [1, 1] and o.pads == [0, 0, 0, 0] and "
    "dims(x) > 0 and dims(o) > 0 and o.kernel == [1, 1] and o.group == 1 real "
    "1e-5"};

static const char *
certificate(SnArena *a, const char *rule)
{
    const char *text = sn_format(a,
                                 "version 2;\ninclude \"nodes.def\";\n"
                                 "pass p {\n  allow exact;\n  allow real;\n"
                                 "  rule r: %s;\n}\n",
                                 rule);
    SnProver pv;
    SnInstance *v = sn_test_spell(a, text, &pv);
    SnIndexVerdict r = sn_index_prove(&pv, v);
    return r.proved ? r.certificate : sn_real_prove(&pv, v).certificate;
}

/* The line at p .. end changed, or the lines from there up to another side. */
typedef enum Change {
    FACTOR,     /* the first factor of a sum, one more */
    POLYNOMIAL, /* what is shown, assumed by a split, or distinguished: + 1 */
    EXPRESSION, /* the first polynomial of one over the reals: + 1
                 */
    SIDE,       /* a side is left out */
    CLOSING,    /* the last line of a path is left out */
    NCHANGE
} Change;

static const char *
changed(SnArena *a, const char *all, const char *p, Change how)
{
    const char *end = strchr(p, '\n') + 1, *w = p + 2;
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putn(&b, all, (size_t)(p - all));
    if (how == FACTOR) {
        if (*p == 'y')
            w += strcspn(w, " ") + 1;
        if (!strchr("yx", *p) || *w == '0')
            return NULL;
        w += strcspn(w, " \n");
        if (*w++ != ' ')
            return NULL;
        char *rest;
        long n = strtol(w, &rest, 10);
        sn_putn(&b, p, (size_t)(w - p));
        sn_putf(&b, "%ld", n + 1);
        end = rest;
    } else if (how == POLYNOMIAL) {
        if (!strchr("ge?", *p))
            return NULL;
        w += strcspn(w, " \n");
        sn_putn(&b, p, (size_t)(w - p));
        sn_puts(&b, "+1");
        end = w;
    } else if (how == EXPRESSION) {
        static const char *const kind[] = {"r p ", "r l 1 ", "r l 2 ", "r l 3 ",
                                           "r l 4 "};
        size_t k = 0;
        while (k < 5 && strncmp(p, kind[k], strlen(kind[k])) != 0)
            k++;
        if (k == 5)
            return NULL;
        w = p + strlen(kind[k]);
        w += strcspn(w, " \n");
        sn_putf(&b, "%.*s+1", (int)(w - p), p);
        end = w;
    } else if (how == SIDE) {
        if (*p != '\\')
            return NULL;
        while (*end && *end != '\\')
            end = strchr(end, '\n') + 1;
    } else if (*p != '.' && *p != 'x') {
        return NULL;
    }
    sn_puts(&b, end);
    return sn_buf_str(&b);
}

/* A fact that is a number, or 0, may be taken as often as one likes; then the
 * step still holds.  That is so of no certificate here. */
static void
falsified(void **state)
{
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        SnArena *a = sn_arena_new();
        const char *text = certificate(a, rules[i]);
        uint32_t n[NCHANGE] = {0}, at = 0;
        SnCheck k = {0};

        assert_non_null(text);
        assert_true(sn_check_certificate(a, text, &k));
        for (const char *p = text; *p; p = strchr(p, '\n') + 1, at++) {
            SnArena *one = sn_arena_new();
            /* each of the first lines, each end of a path, one in seven */
            bool of = at < 200 || at % 7 == 0 || strchr("\\.x", *p);
            for (int how = 0; how < NCHANGE && of; how++) {
                const char *s = changed(one, text, p, (Change)how);
                if (!s)
                    continue;
                n[how]++;
                if (sn_check_certificate(one, s, &k)) {
                    print_message("rule %zu, change %d: %.60s\n", i, how, p);
                    bad++;
                }
            }
            sn_arena_free(one);
        }
        for (int how = 0; how < NCHANGE; how++)
            assert_true(n[how] > 0 || (how == EXPRESSION && i == 0));
        sn_arena_free(a);
    }
    assert_int_equal(bad, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(falsified)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
