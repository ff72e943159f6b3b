// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>
#include "graph/text/text.h"

SnStatus
sn_verb_opt(SnCli *c)
{
    const char *path = "-", *passes = "optimize";
    SnRewriteOpts o;
    SnGraph *g;

    if (c->args.pos.n)
        SN_TRY(sn_cli_model(c, 1, &path));
    if (c->args.passes && c->args.pipeline)
        return sn_fail(c->d, SN_EUSAGE, "--pipeline",
                       "cannot stand beside --passes");
    if (c->args.passes)
        passes = c->args.passes;
    if (c->args.pipeline)
        passes = c->args.pipeline;
    SN_TRY(sn_cli_writable(c, &(SnOutput){"-o", c->args.output, NULL,
                                          "a graph as text", .text = true,
                                          .in_place = true}));
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
    SnStatus st = sn_rewrite(rw, g, passes);
    sn_cli_rewrite_report(c, rw);
    if (st != SN_OK)
        return st;
    SN_TRY(sn_verify(g, c->d));
    if (c->args.output && strcmp(c->args.output, "-") != 0)
        return sn_text_save(g, c->args.output, c->d);
    if (c->args.elide)
        sn_print_brief(g, &c->out);
    else
        sn_print(g, &c->out, NULL, NULL);
    return SN_OK;
}
