// SPDX-License-Identifier: Apache-2.0
#include "run/exec.h"

SnStatus
sn_launch(const SnRewriteOpts *opts, SnArena *a, SnGraph *g, SnDiag *d)
{
    const char **optin;
    SnRewriteOpts o = *opts;
    uint32_t n = 0;

    while (o.optin && o.optin[n])
        n++;
    optin = SN_NEW_N(a, const char *, n + 2);
    for (uint32_t i = 0; i < n; i++)
        optin[i] = o.optin[i];
    optin[n] = "fuse";
    o.optin = optin;
    return sn_rewrite(sn_rewriter_new(a, &o, d), g, "launch");
}
