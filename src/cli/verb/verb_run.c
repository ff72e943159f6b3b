// SPDX-License-Identifier: Apache-2.0
#include "cli/score.h"

#include "aot/aot.h"
#include "base/json.h"
#include "cli/inputs.h"
#include "cli/verb/run_c.h"
#include "graph/desc.h"
#include "run/npy.h"

/* Results are shown as reals; what a backend that was asked for has no kernels
 * for is said. */
static SnStatus
check_exec(SnCli *c, const SnExec *x)
{
    for (uint32_t i = 0; i < x->noutput; i++) {
        SnElem e = x->output[i].type->elem;
        if (e == SN_F16 || e == SN_ROW8)
            return sn_fail(c->d, SN_EUNSUPPORTED, x->output[i].name,
                           "is an output of type %s, which cannot be shown",
                           sn_elem_name(e));
    }
    /* A backend without kernels is the evaluators. */
    if (c->args.backend && x->backend && x->backend->nkernel && x->nfallback)
        sn_note(c->d, (SnPos){0}, NULL,
                "backend %s: %u of %u nodes run on "
                "the reference evaluator: %s",
                x->backend->name, x->nfallback, x->nstep,
                sn_cli_fallback(c, x));
    return SN_OK;
}

/* Does a product read weights that a Dequantize makes?  (A float node between
 * int8 ones, an LRN of a QOperator model say, has its weights in float.) */
static bool
is_qdq(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (n->dead || n->nin < 2 ||
            sn_desc(n->kind)->sem[0].cls != SN_C_CONTRACT)
            continue;
        const SnNode *w = sn_node(g, SN_NODE(n->in[1].ref));
        if (w && w->nin && w->res[0].type->elem == SN_F32 &&
            sn_desc(w->kind)->sem[0].cls == SN_C_CONVERT)
            return true;
    }
    return false;
}

/* beside: the model that this one is compared with, or NULL. */
static SnStatus
run_model(SnCli *c, const char *path, const SnGraph *beside, SnResults *res)
{
    const SnBackendDesc *b;
    SnRewriteOpts o;
    SnGraph *g;

    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_engine(c, &b));
    SN_TRY(sn_cli_need_kernels(c, b));
    c->late = b->nkernel && !c->args.as_c;
    SN_TRY(sn_cli_load(c, path, &g));
    c->late = false;
    if (beside)
        sn_cli_share_steps(c, beside, g);
    if (sn_is_onnx(path) && is_qdq(g))
        sn_note(c->d, (SnPos){0}, NULL,
                "%s is a QDQ model and runs as it is "
                "written, in float between its Quantize and Dequantize nodes; "
                "'sinter opt %s -o m.sn' makes the int8 nodes that bench, "
                "compare, why and export work on",
                path, path);
    if (sn_is_onnx(path)) {
        /* As imported, convolutions stand between Transposes. */
        SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
        SN_TRY(sn_rewrite(rw, g, "profile"));
    }
    /* The evaluators are the reference: nothing shares memory there. */
    if (b->nkernel) {
        SnRewriteOpts launch = o;
        launch.backend = b;
        SN_TRY(sn_cli_prepare(c, path, &launch, g, &res->x));
    } else {
        SN_TRY(sn_exec_prepare(c->a, g, b, c->d, &res->x));
    }
    SN_TRY(check_exec(c, res->x));
    SN_TRY(sn_cli_samples(c, res->x, &c->args.input, "--input", &res->samples));
    SnInputs *in = sn_inputs_new(c->a, res->x, res->samples);
    res->seen = sn_inputs_see;
    res->seen_ctx = in;
    SN_TRY(c->args.as_c ? sn_run_c(c, res) : sn_results_run(c, res));
    sn_inputs_warn_finite(c, in, "--input");
    sn_inputs_warn_range(c, in, "--input");
    return SN_OK;
}

/* With fewer classes top-5 says little. */
enum { TOP5_CLASSES = 50 };

static SnStatus
score(SnCli *c, const SnResults *r)
{
    SnData labels;

    SN_TRY(sn_results_labels(c, r->x, r->samples, &labels));
    SnScore s = sn_results_score(r, &labels);
    double n = s.n ? (double)s.n : 1;
    double top1 = (double)s.right / n, top5 = (double)s.right5 / n;
    if (c->args.json)
        sn_putf(&c->out,
                "{\"top1\": %.6f, \"right\": %lld, \"top5\": %.6f, "
                "\"right5\": %lld, \"samples\": %lld}\n",
                top1, (long long)s.right, top5, (long long)s.right5,
                (long long)s.n);
    else
        sn_putf(&c->out, "top-1 %.4f (%lld of %lld)\n", top1,
                (long long)s.right, (long long)s.n);
    if (!c->args.json && s.nclass >= TOP5_CLASSES)
        sn_putf(&c->out, "top-5 %.4f (%lld of %lld)\n", top5,
                (long long)s.right5, (long long)s.n);
    return SN_OK;
}

static SnStatus
compare(SnCli *c, const SnResults *r)
{
    SnResults f = {0};

    SN_TRY(run_model(c, c->args.compare, r->x->g, &f));
    if (f.x->noutput != r->x->noutput)
        return sn_fail(c->d, SN_EINPUT, c->args.compare,
                       "has %u outputs, but the model has %u", f.x->noutput,
                       r->x->noutput);
    for (uint32_t i = 0; i < r->x->noutput; i++) {
        if (f.count[i] != r->count[i])
            return sn_fail(c->d, SN_EINPUT, c->args.compare,
                           "output '%s' "
                           "has another size",
                           f.x->output[i].name);
        int64_t n = r->samples->n * sn_results_rows(r, i);
        int64_t agree = sn_results_agree(&f, r, i);
        double db = sn_results_sqnr(&f, r, i);
        if (c->args.json) {
            sn_puts(&c->out, "{\"output\": ");
            sn_put_json(&c->out, r->x->output[i].name);
            sn_puts(&c->out, ", \"sqnr_db\": ");
            sn_put_json_f64(&c->out, db);
            sn_putf(&c->out, ", \"same_argmax\": %lld, \"samples\": %lld}\n",
                    (long long)agree, (long long)n);
        } else {
            sn_putf(&c->out, "%s: SQNR %.2f dB, same argmax %lld of %lld\n",
                    r->x->output[i].name, db, (long long)agree, (long long)n);
        }
    }
    return SN_OK;
}

static SnStatus
dump(SnCli *c, const SnResults *r)
{
    SnData t = {.dtype = SN_D_F32, .rank = 1};

    if (r->x->noutput == 0)
        return sn_fail(c->d, SN_EINPUT, "--dump", "the model has no output");
    const SnShape *s = r->x->output[0].shape;
    int from = s->rank > 0 && s->dim[0] == 1 ? 1 : 0;
    t.dim[0] = r->samples->n;
    for (int i = from; i < s->rank && t.rank < SN_DATA_MAXRANK; i++)
        t.dim[t.rank++] = s->dim[i];
    t.data = r->value[0];
    return sn_npy_write(c->a, c->d, c->args.dump, &t);
}

/* One object for each sample and output; values where there is one sample. */
static void
put_values_json(SnCli *c, const SnResults *r)
{
    int64_t n = r->samples->n;

    for (int64_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r->x->noutput; k++) {
            const float *v = r->value[k] + i * r->count[k];
            sn_putf(&c->out, "{\"sample\": %lld, \"output\": ",
                    (long long)(r->samples->skip + i));
            sn_put_json(&c->out, r->x->output[k].name);
            sn_putf(&c->out, ", \"argmax\": %lld",
                    (long long)sn_argmax(v, r->count[k]));
            for (int64_t e = 0; n == 1 && e < r->count[k]; e++) {
                sn_puts(&c->out, e ? ", " : ", \"values\": [");
                sn_put_json_f64(&c->out, (double)v[e]);
            }
            sn_puts(&c->out, n == 1 && r->count[k] ? "]}\n" : "}\n");
        }
}

static void
put_values(SnCli *c, const SnResults *r)
{
    int64_t n = r->samples->n;

    for (int64_t i = 0; n > 1 && i < n; i++)
        for (uint32_t k = 0; k < r->x->noutput; k++)
            sn_putf(&c->out, "%lld %s argmax %lld\n",
                    (long long)(r->samples->skip + i), r->x->output[k].name,
                    (long long)sn_argmax(r->value[k] + i * r->count[k],
                                         r->count[k]));
    for (uint32_t k = 0; n == 1 && k < r->x->noutput; k++) {
        sn_putf(&c->out, "%s argmax %lld:", r->x->output[k].name,
                (long long)sn_argmax(r->value[k], r->count[k]));
        for (int64_t i = 0; i < r->count[k]; i++) {
            sn_puts(&c->out, i % 10 ? " " : "\n ");
            sn_put_f32(&c->out, r->value[k][i]);
        }
        sn_puts(&c->out, "\n");
    }
}

/* --backend c, c:TARGET: what the evaluators would run is written as a program.
 */
static SnStatus
take_c(SnCli *c)
{
    const char *b = c->args.backend;

    if (!b || (*b != 'c' && *b != 'C') || (b[1] && b[1] != ':') ||
        sn_backend_named(b))
        return SN_OK;
    c->args.as_c = sn_aot_target(b[1] ? b + 2 : NULL);
    if (!c->args.as_c)
        return sn_fail(c->d, SN_EUSAGE, "--backend", "%s",
                       sn_aot_no_target(c->a, b + 2));
    c->args.backend = "interp";
    if (c->args.check_kernels || c->args.check_twin || c->args.tune_file ||
        c->args.pack_cache || c->args.nthread)
        return sn_fail(c->d, SN_EUSAGE, "--backend c",
                       "cannot be combined with --check-kernels, --check-twin, "
                       "--tuned, --pack-cache or --threads");
    return SN_OK;
}

/* `check` prints no outputs: options about them would be ignored. */
static SnStatus
check_alone(SnCli *c, const char *check)
{
    const SnArgs *a = &c->args;
    const char *option = a->labels    ? "--labels"
                         : a->classes ? "--classes"
                         : a->compare ? "--compare"
                         : a->dump    ? "--dump"
                                      : NULL;

    if (!option)
        return SN_OK;
    return sn_fail(c->d, SN_EUSAGE, option,
                   "cannot be combined with %s, which compares nodes and "
                   "prints no outputs: run twice",
                   check);
}

SnStatus
sn_verb_run(SnCli *c)
{
    const char *path;
    SnResults r = {0};

    if (c->args.check_vectors)
        return sn_cli_check_vectors(c);
    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(take_c(c));
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){.option = "--json", .path = c->args.json ? "-" : NULL}));
    SN_TRY(sn_cli_writable(c, &(SnOutput){"--dump", c->args.dump, NULL,
                                          "an .npy file", .text = false}));
    SN_TRY(sn_cli_pack_check(c, path));
    SN_TRY(sn_cli_tune_check(c, path));
    if (c->args.check_kernels) {
        SN_TRY(check_alone(c, "--check-kernels"));
        return sn_cli_check_kernels(c, path);
    }
    if (c->args.check_twin) {
        SN_TRY(check_alone(c, "--check-twin"));
        return sn_cli_check_twin(c, path);
    }
    SN_TRY(run_model(c, path, NULL, &r));
    bool labelled = sn_results_labelled(c, r.samples);
    if (labelled)
        SN_TRY(score(c, &r));
    if (c->args.compare)
        SN_TRY(compare(c, &r));
    if (!c->args.json)
        sn_cli_aside(c);
    if (c->args.dump)
        SN_TRY(dump(c, &r));
    if (labelled || c->args.compare || c->args.dump)
        return SN_OK;
    if (c->args.classes)
        return sn_results_classes(c, &r);
    if (c->args.json)
        put_values_json(c, &r);
    else
        put_values(c, &r);
    return SN_OK;
}
