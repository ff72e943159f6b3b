// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

SnStatus
sn_verb_help(SnCli *c)
{
    const char *shell = c->args.completion;
    const SnVerb *v = NULL;

    if (c->args.pos.n > 1)
        return sn_fail(c->d, SN_EUSAGE, c->args.pos.v[1],
                       "is one argument too many: expected a verb");
    if (c->args.pos.n && !(v = sn_verb_named(c->args.pos.v[0])))
        return sn_unknown_verb(c, c->args.pos.v[0]);
    if (shell && (v || c->args.man))
        return sn_fail(c->d, SN_EUSAGE, "--completion",
                       "cannot be combined with %s", v ? "a verb" : "--man");
    if (shell && !sn_args_complete(&c->out, shell))
        return sn_fail(
            c->d, SN_EUSAGE, "--completion",
            "there is no completion for '%s': expected bash, zsh or fish",
            shell);
    if (c->args.man)
        sn_args_man(&c->out, v);
    else if (!shell)
        sn_args_help(&c->out, v);
    return SN_OK;
}
