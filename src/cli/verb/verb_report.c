// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/file/file.h"
#include "cli/page.h"
#include "cli/score.h"

/* The float model's values on the same data. */
static SnStatus
get_profile(SnCli *c, const SnTwoModels *p, const SnProfile **out)
{
    const char *path = c->args.load_profile;
    SnProfile *q;

    if (path)
        SN_TRY(sn_profile_load(c->a, path, c->d, &q));
    else
        SN_TRY(sn_profile_run(c->a, p->o.flt, p->o.nsample, p->o.njob,
                              sn_samples_fill, p->flt,
                              sn_graph_hash(p->model, true), c->d, &q));
    *out = q;
    return SN_OK;
}

/* Top-1 of both, where something says of which class each sample is. */
static SnStatus
get_score(SnCli *c, const SnTwoModels *p, SnReportScore *out)
{
    SnResults f = {.x = p->o.flt, .samples = p->flt};
    SnResults q = {.x = p->o.quant, .samples = p->quant};
    SnData labels;

    if (!sn_results_labelled(c, p->flt))
        return SN_OK;
    SN_TRY(sn_results_labels(c, f.x, f.samples, &labels));
    SN_TRY(sn_results_run(c, &f));
    SN_TRY(sn_results_run(c, &q));
    SnScore a = sn_results_score(&f, &labels);
    *out = (SnReportScore){a.right, sn_results_score(&q, &labels).right, a.n};
    return SN_OK;
}

SnStatus
sn_verb_report(SnCli *c)
{
    static const char *const suffix[] = {".html", NULL};
    SnWindow w = sn_cli_input_window(c);
    SnTwoModels p = {0};
    SnReport r = {0};

    if (!c->args.output && !c->args.json)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "is missing: expected the .html file to write, or "
                       "--json");
    if (c->args.output && c->args.json)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "cannot be combined with --json, which goes to standard "
                       "output");
    SN_TRY(sn_cli_writable(c, &(SnOutput){"-o", c->args.output, suffix,
                                          "a report", .text = true}));
    SN_TRY(sn_cli_pair_load(c, &p));
    SN_TRY(sn_cli_pair_run(c, &p, &w));
    r.float_path = c->args.pos.v[0];
    r.int8_path = c->args.pos.v[1];
    SN_TRY(get_profile(c, &p, &r.profile));
    SN_TRY(get_score(c, &p, &r.score));
    SN_TRY(sn_cli_report_fill(c, &p, &r));
    SnBuf page;
    sn_buf_init(&page, c->a);
    if (c->args.json)
        sn_report_json(&r, &c->out);
    else
        sn_report_html(&r, &page);
    return c->args.json
               ? SN_OK
               : sn_file_write_text(c->d, c->args.output, page.s, page.n);
}
