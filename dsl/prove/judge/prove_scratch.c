// SPDX-License-Identifier: Apache-2.0
/* Memory of one proof, or of one case, reused by the next. */
#include "dsl/prove/prover.h"

#include <assert.h>

/* Address space; pages are allocated as they are used.  Proofs that need more
 * get it from the system each time. */
enum { SCRATCH = 256 << 20 };

static void
free_arena(void *a)
{
    sn_arena_free(a);
}

SnArena *
sn_prove_scratch(SnProver *pv)
{
    assert(!pv->scratch_taken);
    if (!pv->scratch) {
        pv->scratch = sn_arena_new();
        sn_arena_at_free(pv->a, free_arena, pv->scratch);
        sn_arena_reserve(pv->scratch, SCRATCH, 0);
    }
    pv->scratch_taken = true;
    return pv->scratch;
}

void
sn_prove_scratch_back(SnProver *pv)
{
    assert(pv->scratch_taken);
    pv->scratch_taken = false;
    sn_arena_clear(pv->scratch);
}
