// SPDX-License-Identifier: Apache-2.0
#include "base/file/file.h"
#include "cli/page.h"
#include "cli/score.h"

#include <string.h>
#include <strings.h>
#include "graph/text/text.h"
#include "onnx/export/export.h"
#include "quant/quantize.h"
#include "quant/report.h"
#include "sn_kind_placeholder.h"

/* The first few names, for a message. */
static const char *
some(SnArena *a, const char *const *name, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < n && i < 5; i++)
        sn_putf(&b, "%s'%s'", i ? ", " : "", name[i]);
    if (n > 5)
        sn_putf(&b, " and %u more", n - 5);
    return sn_buf_str(&b);
}

/* A profile of another graph hash still serves when every value is found by
 * name: another batch size, other folding. */
static SnStatus
check_profile(SnCli *c, const SnGraph *g, const SnProfile *p)
{
    uint64_t hash = sn_graph_hash(g, true);
    const char *path = c->args.load_profile;
    SnGraph *placed, *lowered;

    SN_TRY(sn_cli_placed(c, g, &placed));
    SN_TRY(sn_cli_lowered(c, g, true, &lowered));
    SnProfileFit fit = sn_profile_fit(c->a, p, placed, lowered);
    const char *which = sn_format(
        c->a,
        "it was made from '%s' with graph hash %016llx, this model has "
        "%016llx",
        p->model, (unsigned long long)p->hash, (unsigned long long)hash);
    if (p->hash == hash && fit.nmissing)
        return sn_fail(c->d, SN_EINPUT, path,
                       "was made from this model, but "
                       "with other passes: it has no range for %s",
                       some(c->a, fit.missing, fit.nmissing));
    if (p->hash == hash)
        return SN_OK;
    if (fit.nmissing)
        return sn_fail(c->d, SN_EINPUT, path,
                       "was made from another model: "
                       "it has no range for %s%s%s; %s",
                       some(c->a, fit.missing, fit.nmissing),
                       fit.nstale ? ", and the model does not have " : "",
                       fit.nstale ? some(c->a, fit.stale, fit.nstale) : "",
                       which);
    sn_warn(c->d, (SnPos){0}, NULL,
            "%s has another graph hash, but has every value by name; %s.  "
            "The hash covers shapes, weights and names: another batch size is "
            "harmless, other weights are not",
            path, which);
    if (fit.nstale)
        sn_warn(c->d, (SnPos){0}, NULL,
                "%s also has values that the model "
                "does not: %s",
                path, some(c->a, fit.stale, fit.nstale));
    return SN_OK;
}

static bool
has_input(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++)
        if (!sn_node(g, id)->dead && sn_node(g, id)->kind == SN_K_PLACEHOLDER)
            return true;
    return false;
}

/* The profile of g: from the file, or made from --calib. */
static SnStatus
get_profile(SnCli *c, const SnGraph *g, SnProfile **out)
{
    const SnArgs *a = &c->args;

    if (a->load_profile && a->calib.n)
        return sn_fail(c->d, SN_EUSAGE, "--load-profile",
                       "cannot be combined with --calib");
    if (a->load_profile && a->dump_profile)
        return sn_fail(c->d, SN_EUSAGE, "--dump-profile",
                       "cannot be combined with --load-profile");
    if (!a->load_profile) {
        if (!a->calib.n && has_input(g))
            return sn_fail(c->d, SN_EUSAGE, "quantize",
                           "requires --calib FILE or --load-profile FILE");
        SnStrs files = sn_cli_files(c, &a->calib);
        SN_TRY(sn_cli_profile(c, g, &files, true, out));
        return a->dump_profile ? sn_profile_save(*out, a->dump_profile, c->d)
                               : SN_OK;
    }
    SN_TRY(sn_profile_load(c->a, a->load_profile, c->d, out));
    sn_profile_warn_parts(c->a, *out, a->load_profile, c->d);
    for (uint32_t i = 0; i < a->range.n && !((*out)->average > 0); i++) {
        const char *r = a->range.v[i], *eq = strchr(r, '=');
        if (!strcmp(eq ? eq + 1 : r, "moving-average"))
            return sn_fail(c->d, SN_EINPUT, a->load_profile,
                           "holds no moving "
                           "averages, which '%s' asks for: profile with "
                           "--moving-average C",
                           r);
    }
    return check_profile(c, g, *out);
}

static void
put_left(SnBuf *b, const SnWhyRescale *w)
{
    sn_putf(b, "  %s, after %s:", sn_shown(b->a, w->name),
            sn_shown(b->a, w->producer));
    for (uint32_t k = 0; k < w->nreason; k++) {
        sn_puts(b, "\n    ");
        sn_put_reason(b, &w->reason[k]);
    }
    sn_puts(b, w->nreason ? "\n" : " no rule or family applies to it\n");
}

/* Which channels lose resolution to their bias, the first few in text. */
static void
put_raised(SnBuf *b, const SnRaised *r)
{
    sn_putf(b, "  %s: %u of %u scales of '%s' raised for its bias:", r->node,
            r->nslice, r->nof, r->constant);
    for (uint32_t i = 0; i < r->nslice && i < 8; i++)
        sn_putf(b, "%s [%u] %.3g to %.3g", i ? "," : "", r->slice[i],
                (double)r->from[i], (double)r->to[i]);
    if (r->nslice > 8)
        sn_putf(b, ", and %u more", r->nslice - 8);
    sn_puts(b, "\n");
}

static void
put_settings(SnBuf *b, const SnPlace *p)
{
    const SnSettings *s = &p->control.all;

    sn_putf(b, "settings: %s, %s, range %s, weights per %s\n",
            sn_precision_names()[s->precision], sn_schema_name(s->schema),
            sn_range_str(b->a, s->range),
            p->channelwise && p->rowwise ? "channel and row"
            : p->channelwise             ? "channel"
            : p->rowwise                 ? "row"
                                         : "tensor");
    for (uint32_t i = 0; i < p->control.n; i++) {
        const SnWish *w = &p->control.wish[i];
        sn_putf(b, "  %s: %s\n", w->glob,
                w->ask == SN_ASK_PRECISION
                    ? sn_precision_names()[w->to.precision]
                : w->ask == SN_ASK_SCHEMA ? sn_schema_name(w->to.schema)
                                          : sn_range_str(b->a, w->to.range));
    }
}

static void
put_text(SnBuf *b, const SnQuantReport *r, const SnPlan *plan,
         const SnProfile *p)
{
    put_settings(b, &r->place);
    sn_putf(b, "profile: %llu samples, %u values\n",
            (unsigned long long)p->nsample, p->n);
    sn_putf(b,
            "placed: %u Quantize/Dequantize pairs around values, %u "
            "around constants\n",
            r->place.nvalue, r->place.nconst);
    sn_putf(b, "nodes: %u int8, ", r->nquant - r->nquant16);
    if (r->nquant16)
        sn_putf(b, "%u int16, ", r->nquant16);
    sn_putf(b, "%u float\n", r->nfloat);
    for (uint32_t i = 0; i < r->nfloat; i++)
        sn_putf(b, "  %s stays float: %s\n",
                sn_shown(b->a, r->left_float[i].name), r->left_float[i].why);
    for (uint32_t i = 0; i < r->place.nnarrow; i++)
        sn_putf(b, "  %s is int8: %s\n", r->place.narrow[i].name,
                r->place.narrow[i].why);
    for (uint32_t i = 0; i < r->place.ncoarse; i++)
        sn_putf(b, "  %s has one scale for its weights: %s\n",
                sn_shown(b->a, r->place.coarse[i].name),
                r->place.coarse[i].why);
    if (r->place.nunified)
        sn_putf(b, "unified: %u values\n", r->place.nunified);
    for (uint32_t i = 0; i < r->place.nunified; i++)
        sn_putf(b, "  %s, for %s\n", r->place.unified[i].name,
                r->place.unified[i].with);
    for (uint32_t i = 0; i < r->place.nraised; i++)
        put_raised(b, &r->place.raised[i]);
    if (r->bias8.n)
        sn_putf(b, "biases: %u of 8 bits, shifted by %d to %d\n", r->bias8.n,
                r->bias8.least, r->bias8.most);
    sn_putf(b,
            "rescales: %u inserted, %u sunk, %u absorbed, %u merged, "
            "%u left",
            r->inserted, r->sunk, r->absorbed, r->merged, r->left);
    if (r->other)
        sn_putf(b, " (%u folded or dropped by written rules)", r->other);
    sn_puts(b, "\n");
    for (uint32_t i = 0; i < r->why.n; i++)
        put_left(b, &r->why.rescale[i]);
    uint32_t nw = sn_quant_waived(r);
    if (nw)
        sn_putf(b,
                "calibrated saturations dropped: %u (they cut off only what "
                "calibration never saw;\n  --strict-saturation keeps them)\n",
                nw);
    for (uint32_t i = 0; i < r->nsite; i++)
        if (r->site[i].waived)
            sn_putf(b, "  %s at %s%s%s\n", sn_rule(r->site[i].rule)->name,
                    r->site[i].node, r->site[i].detail ? ": " : "",
                    r->site[i].detail ? r->site[i].detail : "");
    sn_putf(b,
            "memory: arena %zu bytes (peak %zu in use), constants %zu "
            "bytes\n",
            plan->arena, plan->peak, plan->constants);
}

static SnStatus
check_output(SnCli *c)
{
    static const char *const suffix[] = {".sn", ".onnx", NULL};
    const char *o = c->args.output;
    SnOnnxExport e;

    if (!o)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "is missing: expected the .sn "
                       "or .onnx file to write");
    bool onnx = sn_is_onnx(o);
    const char *dump = c->args.dump_profile;
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){"-o", o, suffix, "an int8 model", .text = !onnx}));
    SN_TRY(sn_cli_writable(c, &(SnOutput){"--dump-profile", dump, NULL,
                                          "a profile", .text = true}));
    if (dump && !strcmp(dump, o))
        return sn_fail(c->d, SN_EUSAGE, "--dump-profile",
                       "'%s' is the name "
                       "of the int8 model, too",
                       dump);
    return onnx ? sn_cli_export_opts(c, &e) : sn_cli_no_export_opts(c, o);
}

/* --report, before any work. */
static SnStatus
check_page(SnCli *c)
{
    static const char *const suffix[] = {".html", NULL};
    const SnArgs *a = &c->args;

    if (!a->page)
        return a->untimed ? sn_fail(c->d, SN_EUSAGE, "--untimed",
                                    "requires --report FILE")
                          : SN_OK;
    if (!strcmp(a->page, "-"))
        return sn_fail(c->d, SN_EUSAGE, "--report",
                       "expected a file: standard output has the text");
    if (!a->eval.n && !a->calib.n)
        return sn_fail(c->d, SN_EUSAGE, "--report",
                       "requires --eval FILE or --calib FILE: data to run both "
                       "models on");
    return sn_cli_writable(
        c, &(SnOutput){"--report", a->page, suffix, "a report", .text = true});
}

/* flt: the float graph as types were chosen for it. */
static SnStatus
make_page(SnCli *c, const SnGraph *flt, const SnGraph *g, const SnProfile *p,
          const SnQuantReport *q, const SnEval *eval, SnBuf *page)
{
    const SnArgs *a = &c->args;
    SnStrs calib = sn_cli_files(c, &a->calib);
    SnWindow w =
        eval ? (SnWindow){&a->eval, "--eval", "--eval-skip", a->eval_n,
                          a->eval_skip}
             : (SnWindow){&calib, "--calib", "--skip", a->nsample, a->skip};
    SnReport r = {.float_path = a->pos.v[0],
                  .int8_path = a->output,
                  .profile = p,
                  .fired = true,
                  .nsite = q->nsite,
                  .site = q->site};
    SnTwoModels pair = {0};
    SnBuf settings;

    sn_buf_init(&settings, c->a);
    put_settings(&settings, &q->place);
    r.settings = sn_buf_str(&settings);
    if (eval)
        r.score = (SnReportScore){eval->flt_score.right,
                                  eval->quant_score.right, eval->flt_score.n};
    SN_TRY(sn_cli_pair_prepare(c, flt, g, &pair));
    SN_TRY(sn_cli_pair_run(c, &pair, &w));
    SN_TRY(sn_cli_report_fill(c, &pair, &r));
    sn_report_html(&r, page);
    return SN_OK;
}

static SnStatus
get_bias(SnCli *c, bool *bias8)
{
    const char *s = c->args.bias;

    *bias8 = s && !strcasecmp(s, "int8");
    if (s && !*bias8 && strcasecmp(s, "int32") != 0)
        return sn_fail(c->d, SN_EUSAGE, "--bias",
                       "'%s' is neither int32 nor "
                       "int8",
                       s);
    return SN_OK;
}

/* --require-int8: every float node and why, then failure. */
static SnStatus
check_int8(SnCli *c, const SnQuantReport *r)
{
    if (!c->args.require_int8 || !r->nfloat)
        return SN_OK;
    for (uint32_t i = 0; i < r->nfloat; i++)
        sn_fail(c->d, SN_ECHECK, r->left_float[i].name, "stays float: %s",
                r->left_float[i].why);
    return sn_fail(c->d, SN_ECHECK, "--require-int8",
                   "%u node%s would stay "
                   "float; nothing was written",
                   r->nfloat, r->nfloat == 1 ? "" : "s");
}

/* Codes would be taken for floats in between, and weights for no weights. */
static SnStatus
check_float(SnCli *c, const SnGraph *g, const char *path)
{
    if (!sn_cli_quantized(c, g))
        return SN_OK;
    sn_fail(c->d, SN_EINPUT, path,
            "is quantized already: expected a float "
            "model");
    sn_diag_help(c->d, "'sinter run', 'compare' and 'bench' take it as it is; "
                       "'sinter opt' and 'export' write it in other forms");
    return SN_EINPUT;
}

/* int16 nodes that no kernel runs are slower than float ones. */
static SnStatus
note_slow16(SnCli *c, const SnGraph *g, const SnQuantReport *r)
{
    const SnBackendDesc *b;
    const SnExec *x;
    uint32_t n = 0;

    SN_TRY(sn_cli_engine(c, &b));
    if (r->nquant16 == 0 || b->nkernel == 0 || !b->fallback_reference)
        return SN_OK;
    SN_TRY(sn_exec_prepare(c->a, g, b, c->d, &x));
    for (uint32_t i = 0; i < x->nstep; i++)
        n += !x->step[i].kernel &&
             sn_node(g, x->step[i].node)->res[0].type->elem == SN_QI16;
    if (n)
        sn_note(c->d, (SnPos){0}, NULL,
                "backend %s has no kernels for %u "
                "nodes with int16 results: the reference evaluators run "
                "them, far slower than float ones",
                b->name, n);
    return SN_OK;
}

/* Writes the model, then prints the report. */
static SnStatus
write_results(SnCli *c, SnGraph *g, const SnBuf *rep, const SnBuf *page)
{
    const char *path = c->args.output;

    sn_putn(&c->out, rep->s, rep->n);
    sn_cli_aside(c);
    if (strcmp(path, "-") == 0) {
        sn_print(g, &c->out, NULL, NULL);
    } else {
        SN_TRY(sn_is_onnx(path) ? sn_cli_export(c, g, path)
                                : sn_text_save(g, path, c->d));
    }
    return page->n ? sn_file_write_text(c->d, c->args.page, page->s, page->n)
                   : SN_OK;
}

SnStatus
sn_verb_quantize(SnCli *c)
{
    const char *path;
    SnQuantOpts o = {0};
    SnQuantReport r;
    SnProfile *p;
    SnRewriter *rw = NULL;
    SnEval *eval;
    SnGraph *g, *flt = NULL;
    SnBuf page;

    sn_buf_init(&page, c->a);
    /* Files after --calib FILE are calibration data too. */
    SN_TRY(sn_cli_model(c, c->args.calib.n ? UINT32_MAX : 1, &path));
    SN_TRY(check_output(c));
    SN_TRY(check_page(c));
    SN_TRY(sn_cli_control(c, &o.control));
    SN_TRY(sn_cli_rewrite_opts(c, &o.rewrite));
    o.channelwise = !c->args.per_tensor || c->args.channelwise;
    o.rowwise = !c->args.per_tensor || c->args.rowwise;
    o.unify = c->args.unify;
    SN_TRY(get_bias(c, &o.bias8));
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(check_float(c, g, path));
    SN_TRY(sn_cli_resolve(c, g, &o.control));
    SN_TRY(sn_cli_eval_open(c, g, &eval));
    SN_TRY(get_profile(c, g, &p));
    if (c->args.page)
        SN_TRY(sn_cli_placed(c, g, &flt));
    if (p->nsample == 1 && has_input(g))
        sn_warn(c->d, (SnPos){0}, NULL,
                "the ranges come from one sample, which others may exceed; a "
                "few hundred samples are usual");
    SnStatus st = sn_quantize_graph(c->a, g, p, &o, &rw, c->d, &r);
    if (rw)
        sn_cli_rewrite_report(c, rw, c->args.stats);
    if (st != SN_OK)
        return st;
    SN_TRY(check_int8(c, &r));
    SN_TRY(sn_cli_keep_steps(c, g));
    SN_TRY(sn_verify(g, c->d));
    SN_TRY(note_slow16(c, g, &r));
    if (eval)
        SN_TRY(sn_cli_eval_run(c, eval, g, p));
    if (c->args.page)
        SN_TRY(make_page(c, flt, g, p, &r, eval, &page));
    const SnPlan *plan = sn_plan(c->a, g);
    SnBuf rep;
    sn_buf_init(&rep, c->a);
    if (c->args.json) {
        SnBuf more;
        sn_buf_init(&more, c->a);
        if (eval) {
            sn_puts(&more, ",\n \"eval\": ");
            sn_cli_eval_json(eval, &more);
        }
        sn_put_quant_json(&rep, &r, plan, p, sn_buf_str(&more));
    } else {
        put_text(&rep, &r, plan, p);
        if (eval)
            sn_cli_eval_text(eval, &rep);
    }
    return write_results(c, g, &rep, &page);
}
