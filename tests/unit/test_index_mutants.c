// SPDX-License-Identifier: Apache-2.0
/* Rules that are right, with one operand of the right side read elsewhere: one
 * further, at 2 or 7 at most, backwards, in exchanged pairs, along the first
 * axis or the last.  The rules are those of index_rules.h and real_rules.h, and
 * the shipped ones and derived instances that are proved by elements; the
 * calculi alone are asked.  What they prove has to be the rule, where that axis
 * has at most one element: graphs that go further than any of a proof do not
 * refute it, and there are few.  One in 24 is asked, all with SINTER_MUTANTS=1.
 */
#include "index_rules.h"
#include "real_rules.h"

#include <stdlib.h>

enum { NWAY = 5, NAXIS = 2 };

static const char *const way_word[NWAY] = {"Next", "Two", "Seven", "Back",
                                           "Pairs"};
static const char *const way_read[NWAY] = {"min(p + 1, d - 1)", "min(p, 2)",
                                           "min(p, 7)", "d - 1 - p",
                                           "min(p + 1 - 2 * (p % 2), d - 1)"};

typedef struct Mutant {
    SnArena *a;
    uint32_t at, left; /* which operand; how many are still before it */
    const char *node;
    bool done;
} Mutant;

/* ---- where operands are ---- */

static void
elsewhere(Mutant *m, SnTerm **t)
{
    if ((*t)->tk == SN_T_VAR && !m->done && m->left-- == 0) {
        SnTerm *n = SN_NEW(m->a, SnTerm);
        *n = (SnTerm){.tk = SN_T_CALL,
                      .pos = (*t)->pos,
                      .name = m->node,
                      .narg = 1,
                      .arg = sn_memdup(m->a, t, sizeof *t)};
        *t = n;
        m->done = true;
        return;
    }
    for (uint32_t i = 0; i < (*t)->narg && !m->done; i++)
        if ((*t)->tk != SN_T_FUNC)
            elsewhere(m, &(*t)->arg[i]);
}

static void
mutate(void *arg, SnDefRule *r)
{
    Mutant *m = arg;

    m->left = m->at;
    m->done = false;
    for (uint32_t i = 0; i < r->nlet && !m->done; i++)
        elsewhere(m, &r->let[i]);
    if (r->rhs && !m->done)
        elsewhere(m, &r->rhs);
}

/* ---- declarations ---- */

static void
put_nodes(SnBuf *b)
{
    for (int w = 0; w < NWAY; w++) {
        sn_putf(b,
                "map mutant_%d(x[a..., d @ axis, b...], axis : axis(x)) {\n"
                "  result [i < a, p < d, j < b];\n  read x[i, %s, j];\n}\n",
                w, way_read[w]);
        for (int k = 0; k < NAXIS; k++)
            sn_putf(b,
                    "node %s%d { in x; out y; kinds (x) -> y { (T) -> T for T "
                    "in act; (i8) -> i8; (i32) -> i32; (i64) -> i64; (bool) -> "
                    "bool; (q32) -> q32; }\n"
                    "  attr axis : int = %d; same x, y;\n"
                    "  sem move y = x over mutant_%d(x, axis); }\n",
                    way_word[w], k, -k, w);
    }
}

static SnDefs *
declared(SnArena *a, SnDiag *d)
{
    static const char *const dirs[] = {"."};
    SnDefs *s = sn_defs_new(a);
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "version 2;\ninclude \"passes.def\";\n");
    sn_puts(&b, index_own);
    sn_puts(&b, real_own);
    put_nodes(&b);
    sn_puts(&b, "pass litmus {\n  allow exact; allow real;\n");
    for (size_t i = 0; i < sizeof index_rules / sizeof *index_rules; i++)
        if (index_rules[i].proved)
            sn_putf(&b, "  rule index_%zu: %s exact;\n", i,
                    index_rules[i].text);
    for (size_t i = 0; i < sizeof real_rules / sizeof *real_rules; i++)
        if (real_rules[i].proved)
            sn_putf(&b, "  rule real_%zu: %s;\n", i, real_rules[i].text);
    sn_puts(&b, "}\n");
    sn_def_parse_text(s, d, "litmus.def", sn_buf_str(&b), b.n, dirs, 1);
    sn_def_resolve(s, d);
    if (sn_diag_nerror(d))
        fail_msg("%s", sn_diag_text(d, a));
    return s;
}

/* ---- all of them ---- */

typedef struct Count {
    uint32_t every, at, nrule, made, equal, wrong;
} Count;

/* The mutant of subject i: refused by the calculi, or equal. */
static void
mutant(SnSubjects *s, uint32_t i, SnArena *a, Mutant m, Count *n)
{
    SnDiag *d = sn_diag_new(a);
    bool elems;

    SnDefRule *r = sn_subject_mutate(s, i, d, mutate, &m);
    if (!r) /* no rule: an operand of another type */
        return;
    n->made++;
    if (!sn_subject_proved(s, i, r, UINT32_MAX, &elems))
        return;
    n->equal++;
    print_message("equal: %s, operand %u, %s\n", sn_subject(s, i).name, m.at,
                  m.node);
    sn_subject_prove(s, i, r, UINT32_MAX, 2, d);
    if (sn_diag_nerror(d)) {
        n->wrong++;
        print_message("%s\n", sn_diag_text(d, a));
    }
}

static void
of_subject(SnSubjects *s, uint32_t i, SnArena *a, Count *n)
{
    SnDiag *d = sn_diag_new(a);
    Mutant none = {.a = a, .at = UINT32_MAX};
    SnDefRule *r = sn_subject_mutate(s, i, d, mutate, &none);
    uint32_t noperand = UINT32_MAX - none.left;
    bool elems;

    if (!r || !r->rhs || !sn_subject_proved(s, i, r, UINT32_MAX, &elems) ||
        !elems)
        return;
    n->nrule++;
    for (uint32_t k = 0; k < noperand * NWAY * NAXIS; k++) {
        uint32_t w = k % (NWAY * NAXIS);
        Mutant m = {.a = a,
                    .at = k / (NWAY * NAXIS),
                    .node =
                        sn_format(a, "%s%u", way_word[w / NAXIS], w % NAXIS)};
        if (n->at++ % n->every == 0)
            mutant(s, i, a, m, n);
    }
}

static void
each_is_refused(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnSubjects *s = sn_subjects(declared(a, d), d);
    Count n = {.every = getenv("SINTER_MUTANTS") ? 1 : 24};

    (void)state;
    for (uint32_t i = 0; i < sn_subjects_count(s); i++) {
        SnSubject u = sn_subject(s, i);
        if (u.rule->pat && !u.rule->trusted && u.rule->rhs)
            of_subject(s, i, a, &n);
    }
    print_message("%u rules, one mutant in %u: %u made, %u refused, %u equal, "
                  "%u wrong\n",
                  n.nrule, n.every, n.made, n.made - n.equal, n.equal, n.wrong);
    assert_int_equal(n.wrong, 0);
    assert_true(n.nrule >= 100 && n.made * n.every >= 248);
    assert_true(n.equal * 10 < n.made);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
