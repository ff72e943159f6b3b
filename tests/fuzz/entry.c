// SPDX-License-Identifier: Apache-2.0
/* What libFuzzer and replay.c call: the target under a budget, so that an input
 * that asks for too much ends as it does in sinter. */
#include "fuzz.h"

#include <stdlib.h>

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static const SnLimits limits = {.memory = 0};
    SnBudget *b = sn_budget_new(&limits);
    SnGuard gu;

    if (!b)
        abort();
    SnBudget *was = sn_budget_use(b);
    if (!setjmp(gu.env)) {
        sn_guard_push(&gu);
        fuzz_one(p, n);
        sn_guard_pop(&gu);
    }
    sn_budget_use(was);
    sn_budget_free(b);
    return 0;
}
