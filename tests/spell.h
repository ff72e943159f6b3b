// SPDX-License-Identifier: Apache-2.0
/* What tests of one calculus ask: the only instance of the first rule of a
 * text, and a table of rules each of which is proved or not. */
#ifndef SN_TEST_SPELL_H
#define SN_TEST_SPELL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dsl/prove/prover.h"
#include "dsl/resolve/resolver.h"
#include "dsl/syntax/parse.h"

/* Reads the text of a .def file into *pv; what it says is an error. */
static inline void
sn_test_defs(SnArena *a, const char *text, SnProver *pv)
{
    static const char *const dirs[] = {"."};
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);

    sn_def_parse_text(s, d, "r.def", text, strlen(text), dirs, 1);
    sn_def_resolve(s, d);
    if (sn_diag_nerror(d))
        fail_msg("%s", sn_diag_text(d, a));
    *pv = (SnProver){.defs = s, .d = d, .a = a};
}

/* The only instance of its first rule. */
static inline SnInstance *
sn_test_spell(SnArena *a, const char *text, SnProver *pv)
{
    SnInstance *v = NULL;

    sn_test_defs(a, text, pv);
    assert_int_equal(sn_prove_spell(pv, pv->defs->rule[0], &v), 1);
    return v;
}

typedef struct SnTestRule {
    bool proved;
    const char *text;
} SnTestRule;

/* Each of rules[0..n) is proved where the table says so, and only there. */
static inline void
sn_test_proved(const SnTestRule *rule, size_t n,
               bool (*proved)(SnArena *a, const char *text))
{
    int bad = 0;

    for (size_t i = 0; i < n; i++) {
        SnArena *a = sn_arena_new();
        bool is = proved(a, rule[i].text);
        if (is != rule[i].proved) {
            print_message("%s: %s\n", is ? "proved" : "not proved",
                          rule[i].text);
            bad++;
        }
        sn_arena_free(a);
    }
    assert_int_equal(bad, 0);
}

#endif
