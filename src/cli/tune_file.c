// SPDX-License-Identifier: Apache-2.0
/* --tune and --tuned: measured picks in a file beside the model. */
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "kernel/isa.h"
#include "base/team/team.h"
#include "run/bench/tune_search.h"

SnStatus
sn_cli_tune_check(SnCli *c, const char *path)
{
    const SnArgs *a = &c->args;

    if (a->tune_file && a->check_kernels)
        return sn_fail(c->d, SN_EUSAGE, "--tuned",
                       "cannot be combined with "
                       "--check-kernels");
    if (!a->tune)
        return SN_OK;
    const char *beside = a->tune_file    ? "--tuned"
                         : a->pack_cache ? "--pack-cache"
                         : a->per_node   ? "--per-node"
                         : a->nrun       ? "--runs"
                         : a->output     ? "-o"
                                         : NULL;
    if (beside)
        return sn_fail(c->d, SN_EUSAGE, "--tune", "cannot be combined with %s",
                       beside);
    if (!strcmp(path, "-"))
        return sn_fail(
            c->d, SN_EUSAGE, "--tune",
            "requires a model that is a file, beside which it writes");
    return SN_OK;
}

SnStatus
sn_cli_tune_load(SnCli *c, SnTune **out)
{
    unsigned nthread;

    *out = NULL;
    if (!c->args.tune_file)
        return SN_OK;
    SN_TRY(sn_cli_threads(c, &nthread));
    return sn_tune_read(c->a, c->args.tune_file, sn_isa(), nthread, c->d, out);
}

SnStatus
sn_cli_tune_complete(SnCli *c, const SnTune *t)
{
    if (!t || !t->nmissed)
        return SN_OK;
    return sn_fail(
        c->d, SN_EINPUT, c->args.tune_file,
        "was measured for another "
        "model: it lacks layer %s%s; 'sinter bench MODEL --tune' "
        "writes such files",
        sn_tune_name(c->a, &t->missed, t->missed_kind),
        t->nmissed > 1 ? sn_format(c->a, " and %u more", t->nmissed - 1) : "");
}

/* ---- the report ---- */

static const double STEADY = 0.1; /* SnTuneReport.spread of a quiet machine */

/* How much longer a takes than b, in per cent; what would be shown as -0.0 is
 * 0. */
static double
loss(double a, double b)
{
    double v = b > 0 ? 100 * (a - b) / b : 0;

    return v < 0 && v > -0.05 ? 0 : v;
}

static const char *
layer_of(SnCli *c, const SnTuneRow *r)
{
    return sn_tune_name(c->a, &r->layer->geo, r->layer->kind);
}

static const char *
nodes_of(SnCli *c, const SnGraph *g, const SnTuneRow *r)
{
    const char *name = sn_label(g, r->node, c->a);

    return r->nnode == 1
               ? name
               : sn_format(c->a, "%s and %u more", name, r->nnode - 1);
}

/* Legend: time of the layer's nodes in a run as the rules choose, with the
 * best picks, how much longer the first is; the layer, what the rules chose,
 * and what was better. */
static void
put_text(SnCli *c, const SnGraph *g, const SnTuneReport *t, const char *file)
{
    sn_puts(&c->out, " rules us   best us   loss  layer, nodes: rules' pick; "
                     "best pick\n");
    for (uint32_t i = 0; i < t->nrow; i++) {
        const SnTuneRow *r = &t->row[i];
        const char *rules = sn_tune_text(c->a, &r->rules);
        const char *best = sn_tune_text(c->a, &r->layer->pick);
        sn_putf(&c->out, "%9.1f %9.1f %5.1f%%  %s, %s: %s%s%s\n",
                r->rules_s * 1e6, r->best_s * 1e6, loss(r->rules_s, r->best_s),
                layer_of(c, r), nodes_of(c, g, r), rules,
                strcmp(rules, best) != 0 ? "; " : "",
                strcmp(rules, best) != 0 ? best : "");
    }
    sn_putf(&c->out,
            "cost rules lose %.1f %% against the best measured pick: "
            "%.1f us against %.1f us in %u layers, %u thread%s, %s\n",
            loss(t->rules_s, t->best_s), t->rules_s * 1e6, t->best_s * 1e6,
            t->nrow, t->tune->nthread, t->tune->nthread == 1 ? "" : "s",
            sn_isa_name(t->tune->isa));
    if (t->roundtrip >= SN_NEAR_NS)
        sn_putf(&c->out,
                "FAR: a cache line takes %.0f ns from one processor "
                "to another and back, near ones %.0f at most\n",
                t->roundtrip, SN_NEAR_NS);
    if (t->spread > STEADY)
        sn_putf(&c->out,
                "UNSTEADY: half of the last runs differ by %.0f %%; "
                "other programs may have run\n",
                t->spread * 100);
    sn_putf(&c->out,
            "a run takes %.4f ms with the rules, %.4f ms with these "
            "picks (%u runs in all); kept in %s\n",
            t->rules_run_s * 1e3, t->best_run_s * 1e3, t->nrun, file);
}

static void
put_pick(SnCli *c, const char *name, const SnConvPick *k)
{
    sn_putf(&c->out,
            ", \"%s\": {\"rows\": %lld, \"panels\": %d, "
            "\"clip\": %s, \"by_panel\": %s, \"tiles\": %s}",
            name, (long long)k->rows, k->npanel, k->clip ? "true" : "false",
            k->by_block ? "true" : "false", k->tiles ? "true" : "false");
}

static void
put_json(SnCli *c, const SnGraph *g, const SnTuneReport *t, const char *path,
         const char *file)
{
    sn_puts(&c->out, "{\"model\": ");
    sn_put_json(&c->out, path);
    sn_puts(&c->out, ", \"file\": ");
    sn_put_json(&c->out, file);
    sn_putf(&c->out,
            ", \"cpu\": \"%s\", \"threads\": %u, \"rules_us\": "
            "%.3f, \"best_us\": %.3f, \"loss_percent\": %.2f, "
            "\"rules_run_ms\": %.5f, \"best_run_ms\": %.5f, \"runs\": %u, "
            "\"spread\": %.4f, \"roundtrip_ns\": %.0f, \"far\": %s, "
            "\"layers\": [",
            sn_isa_name(t->tune->isa), t->tune->nthread, t->rules_s * 1e6,
            t->best_s * 1e6, loss(t->rules_s, t->best_s), t->rules_run_s * 1e3,
            t->best_run_s * 1e3, t->nrun, t->spread, t->roundtrip,
            t->roundtrip < SN_NEAR_NS ? "false" : "true");
    for (uint32_t i = 0; i < t->nrow; i++) {
        const SnTuneRow *r = &t->row[i];
        sn_puts(&c->out, i ? ",\n  {\"layer\": " : "\n  {\"layer\": ");
        sn_put_json(&c->out, layer_of(c, r));
        sn_puts(&c->out, ", \"node\": ");
        sn_put_json(&c->out, sn_label(g, r->node, c->a));
        sn_putf(&c->out,
                ", \"nodes\": %u, \"tried\": %u, \"rules_us\": "
                "%.3f, \"best_us\": %.3f",
                r->nnode, r->ntried, r->rules_s * 1e6, r->best_s * 1e6);
        put_pick(c, "rules", &r->rules);
        put_pick(c, "best", &r->layer->pick);
        sn_puts(&c->out, "}");
    }
    sn_puts(&c->out, "]}\n");
}

SnStatus
sn_cli_tune(SnCli *c, const char *path, const SnRewriteOpts *o, SnGraph *g,
            unsigned nthread)
{
    const char *file =
        sn_format(c->a, "%s.tune-%s-%u", path, sn_isa_name(sn_isa()), nthread);
    SnTuneReport *t;

    SN_TRY(sn_cli_writable(
        c, &(SnOutput){"--tune", file, NULL, "picks", .text = true}));
    SN_TRY(sn_launch(o, c->a, g, c->d));
    SN_TRY(sn_tune_search(c->a, g, o->backend, nthread, c->d, &t));
    SN_TRY(sn_tune_write(t->tune, file, c->d));
    if (c->args.json)
        put_json(c, g, t, path, file);
    else
        put_text(c, g, t, file);
    return SN_OK;
}
