// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>
#include "quant/island.h"
#include "quant/reasons.h"
#include "quant/report.h"

/* Texts of the derived families open with the family's name, and most name
 * the node; what is missing is added. */
void
sn_put_reason(SnBuf *b, const SnReason *r)
{
    const char *rule = sn_rule(r->rule)->name;
    size_t n = strlen(rule), m = strcspn(r->node, " ");

    if (strncmp(r->text, rule, n) != 0)
        sn_putf(b, "%s: ", rule);
    sn_puts(b, r->text);
    if (strncmp(r->text, rule, n) != 0 &&
        !strstr(r->text, sn_strndup(b->a, r->node, m)))
        sn_putf(b, " (at %s)", r->node);
}

static void
put_text(SnBuf *b, const SnWhy *w)
{
    if (w->nfire)
        sn_putf(b,
                "%u rewrite%s still appl%s to this graph; what follows is "
                "about the graph after %s.\n",
                w->nfire, w->nfire == 1 ? "" : "s", w->nfire == 1 ? "ies" : "y",
                w->nfire == 1 ? "it" : "them");
    if (!w->n)
        sn_puts(b, "No Rescale is left.\n");
    for (uint32_t i = 0; i < w->n; i++) {
        const SnWhyRescale *r = &w->rescale[i];
        sn_putf(b, "%s: Rescale of %s from %s to %s\n", sn_shown(b->a, r->name),
                sn_shown(b->a, r->producer), r->from, r->to);
        for (uint32_t k = 0; k < r->nreason; k++) {
            sn_puts(b, "  ");
            sn_put_reason(b, &r->reason[k]);
            sn_putc(b, '\n');
        }
        if (!r->nreason)
            sn_puts(b, "  no rule or family applies to it\n");
    }
}

static void
put_floats(SnBuf *b, const SnIslands *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const SnIslandNode *n = &w->node[i];
        sn_putf(b, "%s is float", n->node);
        if (n->from != NULL)
            sn_putf(b, ", after %s", n->from);
        if (n->to != NULL)
            sn_putf(b, ", before %s", n->to);
        sn_putf(b, "\n  %s\n", n->why);
    }
}

SnStatus
sn_verb_why(SnCli *c)
{
    const char *path;
    SnRewriteOpts o;
    SnGraph *g;
    SnWhy w;
    SnIslands f;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(sn_why_rescales(c->a, g, &o,
                           c->args.passes ? c->args.passes : "quant_cleanup",
                           c->args.node, c->d, &w));
    SN_TRY(sn_why_floats(c->a, g, &o,
                         c->args.passes ? c->args.passes : "optimize",
                         c->args.node, c->d, &f));
    if (c->args.json) {
        sn_putf(&c->out, "{\"rewrites_left\": %u, \"rescales\": ", w.nfire);
        sn_put_why_json(&c->out, &w);
        sn_puts(&c->out, ", ");
        sn_put_floats_json(&c->out, &f);
        sn_puts(&c->out, "}\n");
        return SN_OK;
    }
    put_text(&c->out, &w);
    put_floats(&c->out, &f);
    return SN_OK;
}
