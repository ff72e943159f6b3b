#include "cli/cli.h"

#include <string.h>
#include "base/json.h"
#include "graph/text.h"

static SnStatus
find_schema(SnCli *c, SnSchema *out)
{
    const char *const *names = sn_schema_names();
    size_t n = 0;

    *out = SN_ASYMMETRIC;
    if (!c->args.schema)
        return SN_OK;
    for (; names[n]; n++)
        if (!strcmp(names[n], c->args.schema)) {
            *out = (SnSchema)n;
            return SN_OK;
        }
    const char *near = sn_closest(c->args.schema, names, n);
    return sn_fail(c->d, SN_EUSAGE, "--schema",
                   "no schema is named '%s'; %s%s%s", c->args.schema,
                   near ? "did you mean '" : "there are asymmetric and "
                   "symmetric", near ? near : "", near ? "'?" : "");
}

/* The profile of g: from the file, or made from --calib. */
static SnStatus
get_profile(SnCli *c, const SnGraph *g, SnProfile **out)
{
    const SnArgs *a = &c->args;

    if (a->load_profile && a->calib.n)
        return sn_fail(c->d, SN_EUSAGE, "--load-profile",
                       "cannot stand beside --calib");
    if (a->load_profile && a->dump_profile)
        return sn_fail(c->d, SN_EUSAGE, "--dump-profile",
                       "cannot stand beside --load-profile");
    if (!a->load_profile) {
        if (!a->calib.n)
            return sn_fail(c->d, SN_EUSAGE, "quantize", "wants --calib FILE "
                           "or --load-profile FILE");
        SN_TRY(sn_cli_profile(c, g, &a->calib, true, out));
        return a->dump_profile
            ? sn_profile_save(*out, a->dump_profile, c->d) : SN_OK;
    }
    SN_TRY(sn_profile_load(c->a, a->load_profile, c->d, out));
    if ((*out)->hash != sn_graph_hash(g, true))
        return sn_fail(c->d, SN_EINPUT, a->load_profile, "was made from "
                       "another model ('%s'): the graph differs",
                       (*out)->model);
    return SN_OK;
}

static uint32_t
count_waived(const SnQuantReport *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->nsite; i++)
        n += r->site[i].waived;
    return n;
}

static void
put_left(SnBuf *b, const SnWhyRescale *w)
{
    sn_putf(b, "  %s, after %s:", w->name, w->producer);
    for (uint32_t k = 0; k < w->nreason; k++) {
        sn_puts(b, "\n    ");
        sn_put_reason(b, &w->reason[k]);
    }
    sn_puts(b, w->nreason ? "\n" : " no rule or family looks at it\n");
}

static void
put_text(SnBuf *b, const SnQuantReport *r, const SnPlan *plan,
         const SnProfile *p)
{
    sn_putf(b, "profile: %llu samples, %u values\n",
            (unsigned long long)p->nsample, p->n);
    sn_putf(b, "placed: %u Quantize/Dequantize pairs around values, %u "
            "around constants\n", r->place.nvalue, r->place.nconst);
    sn_putf(b, "nodes: %u int8, %u float\n", r->nquant, r->nfloat);
    for (uint32_t i = 0; i < r->nfloat; i++)
        sn_putf(b, "  %s stays float: %s\n", r->left_float[i].name,
                r->left_float[i].why);
    sn_putf(b, "rescales: %u inserted, %u sunk, %u absorbed, %u merged, "
            "%u left", r->inserted, r->sunk, r->absorbed, r->merged,
            r->left);
    if (r->other)
        sn_putf(b, " (%u folded or dropped by written rules)", r->other);
    sn_puts(b, "\n");
    for (uint32_t i = 0; i < r->why.n; i++)
        put_left(b, &r->why.rescale[i]);
    uint32_t nw = count_waived(r);
    if (nw)
        sn_putf(b, "calibrated saturations dropped: %u\n", nw);
    for (uint32_t i = 0; i < r->nsite; i++)
        if (r->site[i].waived)
            sn_putf(b, "  %s at %s%s%s\n", sn_rules[r->site[i].rule].name,
                    r->site[i].node, r->site[i].detail ? ": " : "",
                    r->site[i].detail ? r->site[i].detail : "");
    sn_putf(b, "memory: arena %zu bytes (peak %zu in use), constants %zu "
            "bytes\n", plan->arena, plan->peak, plan->constants);
}

static void
put_json(SnBuf *b, const SnQuantReport *r, const SnPlan *plan,
         const SnProfile *p)
{
    sn_putf(b, "{\"samples\": %llu, \"values\": %u, \"pairs\": %u, "
            "\"constant_pairs\": %u,\n \"int8_nodes\": %u, "
            "\"float_nodes\": [", (unsigned long long)p->nsample, p->n,
            r->place.nvalue, r->place.nconst, r->nquant);
    for (uint32_t i = 0; i < r->nfloat; i++) {
        sn_puts(b, i ? ", {\"node\": " : "{\"node\": ");
        sn_put_json(b, r->left_float[i].name);
        sn_puts(b, ", \"why\": ");
        sn_put_json(b, r->left_float[i].why);
        sn_puts(b, "}");
    }
    sn_putf(b, "],\n \"rescales\": {\"inserted\": %u, \"sunk\": %u, "
            "\"absorbed\": %u, \"merged\": %u, \"other\": %u, \"left\": %u},"
            "\n \"waived\": %u, \"arena_bytes\": %zu, \"peak_bytes\": %zu, "
            "\"constant_bytes\": %zu,\n \"why\": ", r->inserted, r->sunk,
            r->absorbed, r->merged, r->other, r->left, count_waived(r),
            plan->arena, plan->peak, plan->constants);
    sn_put_why_json(b, &r->why);
    sn_puts(b, "}\n");
}

static SnStatus
check_output(SnCli *c)
{
    const char *o = c->args.output;
    SnOnnxExport e;

    if (!o)
        return sn_fail(c->d, SN_EUSAGE, "-o", "is missing: expected the .sn "
                       "or .onnx file to write");
    return sn_is_onnx(o) ? sn_cli_export_opts(c, &e) : SN_OK;
}

SnStatus
sn_verb_quantize(SnCli *c)
{
    const char *path;
    SnQuantOpts o = {0};
    SnQuantReport r;
    SnProfile *p;
    SnRewriter *rw = NULL;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(check_output(c));
    SN_TRY(find_schema(c, &o.schema));
    SN_TRY(sn_cli_rewrite_opts(c, &o.rewrite));
    o.channelwise = c->args.channelwise;
    o.rowwise = c->args.rowwise;
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(get_profile(c, g, &p));
    SnStatus st = sn_quantize_graph(c->a, g, p, &o, &rw, c->d, &r);
    if (rw)
        sn_cli_rewrite_report(c, rw);
    if (st != SN_OK)
        return st;
    SN_TRY(sn_verify(g, c->d));
    const SnPlan *plan = sn_plan(c->a, g);
    SnBuf rep;
    sn_buf_init(&rep, c->a);
    if (c->args.json)
        put_json(&rep, &r, plan, p);
    else
        put_text(&rep, &r, plan, p);
    if (strcmp(c->args.output, "-") == 0) {
        fputs(sn_buf_str(&rep), stderr);
        sn_print(g, &c->out, NULL, NULL);
        return SN_OK;
    }
    sn_puts(&c->out, sn_buf_str(&rep));
    if (sn_is_onnx(c->args.output))
        return sn_cli_export(c, g, c->args.output);
    return sn_text_save(g, c->args.output, c->d);
}
