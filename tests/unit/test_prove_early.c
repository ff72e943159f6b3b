// SPDX-License-Identifier: Apache-2.0
/* What draws of a trial share, and conditions on types that are tested before
 * shapes are drawn, change no case and lose none: each instance of the tree is
 * drawn both ways from the same random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dsl/prove/trial/case.h"
#include "dsl/resolve/resolver.h"
#include "dsl/syntax/parse.h"

enum { NDRAW = 40 };

/* Does the next case meet the condition? */
static bool
drawn(SnProofCase *c, SnProver *pv, const SnInstance *pr, uint64_t rng,
      SnArena *a, SnCaseShared *shared)
{
    sn_case_start(c, pv, pr, &rng, a);
    c->shared = shared;
    if (!sn_case_draw(c))
        return false;
    if (pr->given_bias) {
        sn_case_fill(c);
        sn_case_bias_on_grid(c);
    }
    return sn_case_guard(c);
}

static void
same_cases(void **state)
{
    static const char *const dirs[] = {"."};
    static const char text[] = "version 2;\ninclude \"passes.def\";\n";
    SnArena *a = sn_arena_new(), *mine = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);
    SnProver pv = {.defs = s, .d = d, .a = a};
    uint32_t nmet = 0, nunmet = 0, nlate = 0;
    SnInstance *v = NULL;

    (void)state;
    sn_def_parse_text(s, d, "r.def", text, strlen(text), dirs, 1);
    sn_def_resolve(s, d);
    assert_int_equal(sn_diag_nerror(d), 0);
    pv.out = SN_NEW(a, SnProofs);
    uint32_t n = sn_prove_instances(&pv, &v);
    for (uint32_t i = 0; i < n; i++) {
        SnProofCase seeded, x, y;
        SnCaseShared shared = {.seed = &seeded};
        sn_case_early_find(&shared, v[i].r->need);
        for (uint64_t k = 0; k < NDRAW; k++) {
            bool alone = drawn(&x, &pv, &v[i], k, mine, NULL);
            bool early = drawn(&y, &pv, &v[i], k, mine, &shared);
            if (alone != early || (alone && x.rng != y.rng))
                fail_msg("%s, draw %u: %s, with what is shared %s",
                         v[i].derive ? v[i].name : v[i].r->name, (unsigned)k,
                         alone ? "a case" : "none", early ? "a case" : "none");
            nmet += early;
            nunmet += y.unmet;
            nlate += !early && !y.fail;
            sn_arena_clear(mine);
        }
    }
    assert_true(nmet > 1000);
    /* most conditions that fail need no shapes */
    if (nunmet < nlate)
        fail_msg("%u conditions tested early do not hold, %u later", nunmet,
                 nlate);
    sn_arena_free(mine);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest t[] = {cmocka_unit_test(same_cases)};

    return cmocka_run_group_tests(t, NULL, NULL);
}
