// SPDX-License-Identifier: Apache-2.0
/* What a file may not exceed, and parts that may stand once. */
#include "dsl/syntax/parse.h"

void
sn_ps_too_deep(SnPs *P, SnPos at)
{
    sn_error(P->d, at, "SN008", "nested too deeply");
    sn_diag_help(P->d, "brackets and operators nest at most %d deep",
                 SN_PS_DEPTH);
}

void
sn_ps_limit(SnPs *P, SnPos at)
{
    if (P->stop || sn_diag_nerror(P->d) - P->nerror0 < SN_PS_NERROR)
        return;
    sn_error(P->d, at, "SN016",
             "too many errors; the rest of the file is not read");
    P->stop = true;
}

void
sn_ps_once(SnPs *P, SnTok t, const void *was)
{
    if (!was)
        return;
    sn_error(P->d, t.pos, "SN012", "'%.*s' is given a second time",
             (int)t.pos.len, t.raw);
}
