// SPDX-License-Identifier: Apache-2.0
/* Limits of a file, and parts that may occur only once. */
#include "dsl/syntax/parse.h"

void
sn_parse_too_deep(SnParser *P, SnPos at)
{
    sn_error(P->d, at, "SN008", "nested too deeply");
    sn_diag_help(P->d, "brackets and operators nest at most %d deep",
                 SN_PARSE_DEPTH);
}

void
sn_parse_limit(SnParser *P, SnPos at)
{
    if (P->stop || sn_diag_nerror(P->d) - P->nerror0 < SN_PARSE_NERROR)
        return;
    sn_error(P->d, at, "SN016",
             "too many errors; the rest of the file is not read");
    P->stop = true;
}

void
sn_parse_once(SnParser *P, SnTok t, const void *was)
{
    if (!was)
        return;
    sn_error(P->d, t.pos, "SN012", "'%.*s' is given a second time",
             (int)t.pos.len, t.raw);
}
