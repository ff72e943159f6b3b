// SPDX-License-Identifier: Apache-2.0
/* Checks a claim against the cases of a trial. */
#include "dsl/prove/trial/case.h"

bool
sn_case_claim_ok(const SnInstance *pr, const SnTrial *t)
{
    const SnDefClaim *k = sn_def_claim(pr->r, pr->round);

    if (pr->bounded)
        return !t->over;
    switch (k->kind) {
    case SN_CLAIM_EXACT:
        return t->diff == 0 && !t->f32_differ;
    case SN_CLAIM_WITHIN:
        return t->diff <= k->n && !t->f32_differ;
    case SN_CLAIM_REFINES:
        return !t->worse;
    case SN_CLAIM_REAL:
        return t->diff == 0 && t->rel <= k->real &&
               t->real <= SN_CASE_REAL_EQUAL;
    default:
        return true;
    }
}

const char *
sn_case_claim_str(SnArena *a, const SnDefClaim *k)
{
    const char *word = sn_claim_words[k->kind].word;

    if (k->kind == SN_CLAIM_WITHIN)
        return sn_format(a, "%s %g lsb", word, k->n);
    return k->kind == SN_CLAIM_REAL ? sn_format(a, "%s %g", word, k->real)
                                    : word;
}

/* The strongest claim that no case contradicts. */
const char *
sn_case_best(SnArena *a, const SnTrial *t)
{
    if (t->diff == 0 && !t->f32_differ)
        return sn_claim_words[SN_CLAIM_EXACT].word;
    if (!t->worse)
        return sn_claim_words[SN_CLAIM_REFINES].word;
    if (t->f32_differ)
        return t->real <= SN_CASE_REAL_EQUAL && t->rel < 1e-3
                   ? sn_format(a, "real %.1g", t->rel * 2)
                   : sn_claim_words[SN_CLAIM_NONE].word;
    return t->diff <= 3 ? sn_format(a, "within %.0f lsb", t->diff)
                        : sn_claim_words[SN_CLAIM_NONE].word;
}
