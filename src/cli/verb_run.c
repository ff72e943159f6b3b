#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/json.h"
#include "run/batch.h"
#include "run/npy.h"

/* Every output of every sample, as reals. */
typedef struct Results {
    const SnExec *x;
    SnSamples *samples;
    int64_t *count;  /* [noutput] elements of one sample */
    float **value;   /* [noutput][nsample * count] */
} Results;

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    Results *res = ctx;

    return sn_samples_fill(res->samples, sample, r);
}

static void
keep(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    Results *res = ctx;

    (void)worker;
    for (uint32_t i = 0; i < res->x->noutput; i++) {
        const SnPort *p = &res->x->output[i];
        float *v = res->value[i] + sample * res->count[i];
        sn_to_real(p->type, p->shape, sn_run_output(r, i), v);
        for (int64_t k = 0; p->u8 && k < res->count[i]; k++)
            v[k] += 128;
    }
}

/* Results are shown as reals; a backend's missing kernels are always said. */
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
    if (x->backend && x->backend->nkernel && x->nfallback)
        sn_note(c->d, (SnPos){0}, NULL, "backend %s: %u of %u nodes run on "
                "the reference evaluator", x->backend->name, x->nfallback,
                x->nstep);
    return SN_OK;
}

static SnStatus
run_model(SnCli *c, const char *path, Results *res)
{
    SnRewriteOpts o;
    SnGraph *g;
    unsigned nthread;

    SN_TRY(sn_cli_threads(c, &nthread));
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    if (sn_is_onnx(path)) {
        /* As imported, convolutions stand between Transposes. */
        SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
        SN_TRY(sn_rewrite(rw, g, "profile"));
    }
    /* The evaluators are the reference: nothing shares memory there. */
    if (c->args.backend)
        SN_TRY(sn_exec_prepare_fast(c->a, g, o.backend, c->d, &res->x));
    else
        SN_TRY(sn_exec_prepare(c->a, g, NULL, c->d, &res->x));
    SN_TRY(check_exec(c, res->x));
    SN_TRY(sn_cli_samples(c, res->x, &c->args.input, "--input",
                          &res->samples));
    uint32_t nout = res->x->noutput;
    int64_t n = res->samples->n;
    res->count = SN_NEW_N(c->a, int64_t, nout + 1);
    res->value = SN_NEW_N(c->a, float *, nout + 1);
    for (uint32_t i = 0; i < nout; i++) {
        res->count[i] = sn_shape_count(res->x->output[i].shape);
        res->value[i] = SN_NEW_N(c->a, float, n * res->count[i] + 1);
    }
    SnBatch b = {.x = res->x, .nsample = n,
                 .njob = (unsigned)c->args.njob,
                 .nthread = nthread, .fill = fill,
                 .done = keep, .ctx = res, .progress = isatty(2)};
    return sn_batch_run(&b, c->d);
}

static int64_t
argmax(const float *v, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if (v[i] > v[best])
            best = i;
    return best;
}

/* Rows of output k in a sample: the model's batch, where the output has it. */
static int64_t
rows_of(const Results *r, uint32_t k)
{
    const SnShape *s = r->x->output[k].shape;
    int64_t rows = r->x->ninput ? r->samples->feed[0].file[0].rows : 1;

    return s->rank > 0 && s->dim[0] == rows ? rows : 1;
}

static SnStatus
score(SnCli *c, const Results *r)
{
    SnData labels;
    int64_t n = r->samples->n, skip = r->samples->skip, right = 0;

    SN_TRY(sn_npy_read(c->a, c->args.labels, c->d, &labels));
    if (labels.dtype == SN_D_F32 || labels.dtype == SN_D_F64)
        return sn_fail(c->d, SN_EINPUT, c->args.labels,
                       "holds %s, expected integer class numbers",
                       sn_dtype_name(labels.dtype));
    if (r->x->noutput == 0 || r->count[0] == 0)
        return sn_fail(c->d, SN_EINPUT, "--labels",
                       "the model has no output to score");
    int64_t rows = rows_of(r, 0), m = r->count[0] / rows;
    n *= rows;
    skip *= rows;
    if (sn_data_count(&labels) < skip + n)
        return sn_fail(c->d, SN_EINPUT, c->args.labels, "has %lld labels for "
                       "%lld samples", (long long)sn_data_count(&labels),
                       (long long)(skip + n));
    for (int64_t i = 0; i < n; i++) {
        int64_t k = sn_data_int(&labels, skip + i);
        if (k < 0 || k >= m)
            return sn_fail(c->d, SN_EINPUT, c->args.labels, "label %lld of "
                           "sample %lld: the output has %lld classes, from 0",
                           (long long)k, (long long)(skip + i),
                           (long long)m);
    }
    for (int64_t i = 0; i < n; i++)
        right += argmax(r->value[0] + i * m, m)
            == sn_data_int(&labels, skip + i);
    double top1 = n ? (double)right / (double)n : 0;
    if (c->args.json)
        sn_putf(&c->out, "{\"top1\": %.6f, \"right\": %lld, \"samples\": "
                "%lld}\n", top1, (long long)right, (long long)n);
    else
        sn_putf(&c->out, "top-1 %.4f (%lld of %lld)\n", top1,
                (long long)right, (long long)n);
    return SN_OK;
}

/* 10 log10 of signal over error, over all samples; ref is the signal. */
static double
sqnr(const float *ref, const float *v, int64_t n)
{
    double signal = 0, noise = 0;

    for (int64_t i = 0; i < n; i++) {
        double e = (double)v[i] - (double)ref[i];
        signal += (double)ref[i] * (double)ref[i];
        noise += e * e;
    }
    if (noise == 0)
        return INFINITY;
    return signal > 0 ? 10 * log10(signal / noise) : -INFINITY;
}

static SnStatus
compare(SnCli *c, const Results *r)
{
    Results f = {0};

    SN_TRY(run_model(c, c->args.compare, &f));
    if (f.x->noutput != r->x->noutput)
        return sn_fail(c->d, SN_EINPUT, c->args.compare, "has %u outputs, "
                       "the model %u", f.x->noutput, r->x->noutput);
    for (uint32_t i = 0; i < r->x->noutput; i++) {
        if (f.count[i] != r->count[i])
            return sn_fail(c->d, SN_EINPUT, c->args.compare, "output '%s' "
                           "has another size", f.x->output[i].name);
        int64_t n = r->samples->n * rows_of(r, i), agree = 0;
        int64_t m = r->count[i] / rows_of(r, i);
        double db = sqnr(f.value[i], r->value[i], n * m);
        for (int64_t k = 0; k < n; k++)
            agree += argmax(f.value[i] + k * m, m)
                == argmax(r->value[i] + k * m, m);
        if (c->args.json) {
            sn_puts(&c->out, "{\"output\": ");
            sn_put_json(&c->out, r->x->output[i].name);
            sn_puts(&c->out, ", \"sqnr_db\": ");
            sn_put_json_f64(&c->out, db);
            sn_putf(&c->out, ", \"same_argmax\": %lld, \"samples\": %lld}\n",
                    (long long)agree, (long long)n);
        } else {
            sn_putf(&c->out, "%s: SQNR %.2f dB, same argmax %lld of %lld\n",
                    r->x->output[i].name, db, (long long)agree,
                    (long long)n);
        }
    }
    return SN_OK;
}

static SnStatus
dump(SnCli *c, const Results *r)
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
put_values_json(SnCli *c, const Results *r)
{
    int64_t n = r->samples->n;

    for (int64_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r->x->noutput; k++) {
            const float *v = r->value[k] + i * r->count[k];
            sn_putf(&c->out, "{\"sample\": %lld, \"output\": ",
                    (long long)(r->samples->skip + i));
            sn_put_json(&c->out, r->x->output[k].name);
            sn_putf(&c->out, ", \"argmax\": %lld",
                    (long long)argmax(v, r->count[k]));
            for (int64_t e = 0; n == 1 && e < r->count[k]; e++) {
                sn_puts(&c->out, e ? ", " : ", \"values\": [");
                sn_put_json_f64(&c->out, (double)v[e]);
            }
            sn_puts(&c->out, n == 1 && r->count[k] ? "]}\n" : "}\n");
        }
}

static void
put_values(SnCli *c, const Results *r)
{
    int64_t n = r->samples->n;

    for (int64_t i = 0; n > 1 && i < n; i++)
        for (uint32_t k = 0; k < r->x->noutput; k++)
            sn_putf(&c->out, "%lld %s argmax %lld\n", (long long)i,
                    r->x->output[k].name,
                    (long long)argmax(r->value[k] + i * r->count[k],
                                      r->count[k]));
    for (uint32_t k = 0; n == 1 && k < r->x->noutput; k++) {
        sn_putf(&c->out, "%s argmax %lld:", r->x->output[k].name,
                (long long)argmax(r->value[k], r->count[k]));
        for (int64_t i = 0; i < r->count[k]; i++) {
            sn_puts(&c->out, i % 10 ? " " : "\n ");
            sn_put_f32(&c->out, r->value[k][i]);
        }
        sn_puts(&c->out, "\n");
    }
}

SnStatus
sn_verb_run(SnCli *c)
{
    const char *path;
    Results r = {0};

    SN_TRY(sn_cli_model(c, 1, &path));
    if (c->args.check_kernels)
        return sn_cli_check_kernels(c, path);
    SN_TRY(run_model(c, path, &r));
    if (c->args.labels)
        SN_TRY(score(c, &r));
    if (c->args.compare)
        SN_TRY(compare(c, &r));
    if (c->args.dump)
        SN_TRY(dump(c, &r));
    if (!c->args.labels && !c->args.compare && !c->args.dump) {
        if (c->args.json)
            put_values_json(c, &r);
        else
            put_values(c, &r);
    }
    return SN_OK;
}
