// SPDX-License-Identifier: Apache-2.0
/* Roundings on the way to an element of either side, as the checker of
 * certificates counts them in the operations by which it is made.
 *
 * Each operation of binary32 moves its result by 2^-24 of it at most.  To first
 * order, an element that passes n roundings is off by n * 2^-24 of the largest
 * value on the way: of the same formula with magnitudes in the place of terms,
 * where differences are sums.  A sum over taps rounds once a tap. */
#include "dsl/prove/judge/prove_rounds.h"

static const char *
side(SnArena *a, SnCheckRounds r)
{
    return r.tap ? sn_format(a, "%u + %u a tap", r.n, r.tap)
                 : sn_format(a, "%u", r.n);
}

const char *
sn_prove_roundings(SnArena *a, const SnCheck *k)
{
    if (!k->counted) /* of the same elements by the same functions */
        return "roundings: ";
    return sn_format(a, "roundings: %s on the left, %s on the right, ",
                     side(a, k->rounds[0]), side(a, k->rounds[1]));
}

bool
sn_prove_too_rough(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    if (t->used <= 1)
        return false;
    sn_error(pv->d, pr->r->pos, "SN301",
             "rule '%s' is unsound: both sides differ by %.3g times what their "
             "roundings add up to",
             pr->r->name, t->used);
    return true;
}
