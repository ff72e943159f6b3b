// SPDX-License-Identifier: Apache-2.0
/* Rules over the reals and rules of numbered ranks: those that are proved, and
 * the same with a premise less or a term changed. */
#include "dsl/prove/check/check.h"
#include "dsl/prove/real/real.h"
#include "real_rules.h"

static bool
proved(SnArena *a, const char *rule)
{
    const char *text = sn_format(a,
                                 "version 2;\ninclude \"nodes.def\";\n%s"
                                 "pass p {\n  allow exact;\n  allow real;\n"
                                 "  rule r: %s;\n}\n",
                                 real_own, rule);

    SnProver pv;
    SnInstance *v = sn_test_spell(a, text, &pv);
    SnRealVerdict r = sn_real_prove(&pv, v);
    if (r.proved != (*r.why == 0))
        fail_msg("%s: without a reason", rule);
    SnCheck k = {0};
    if (r.proved && !sn_check_certificate(a, r.certificate, &k))
        fail_msg("%s: line %u of its certificate: %s", rule, k.line, k.error);
    return r.proved;
}

static void
right_and_wrong(void **state)
{
    (void)state;
    sn_test_proved(real_rules, sizeof real_rules / sizeof *real_rules, proved);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_and_wrong)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
