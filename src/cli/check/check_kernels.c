// SPDX-License-Identifier: Apache-2.0
/* --check-kernels: a backend's kernels against the reference evaluators, value
 * by value, bit for bit. */
#include "cli/check/beside.h"

#include <math.h>
#include <string.h>
#include "base/json.h"
#include "graph/text/text.h"

typedef struct Fault {      /* of one step of the backend */
    int64_t nelem, ndiffer; /* over all samples */
    double most;            /* largest difference, as reals */
    int64_t sample, at;     /* the first that differs: its place, */
    SnRef ref;              /* of which result, */
    const char *got, *want; /* as text: a code, or a value */
} Fault;

typedef struct Check {
    SnArena *a;
    const SnExec *x, *ref;
    uint32_t *step; /* [nnode] of x, + 1 */
    Fault *fault;   /* [x->nstep] */
    int64_t sample;
    float *got_real, *want_real; /* room for the largest value */
} Check;

static size_t
nbyte(const SnTensor *t)
{
    return sn_tensor_nbyte(t->type, t->shape);
}

static int64_t
ncount(const SnTensor *t)
{
    return t->type->elem == SN_ROW8 ? (int64_t)nbyte(t)
                                    : sn_shape_count(t->shape);
}

static const char *
elem_str(SnArena *a, SnElem e, const void *p)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_elem(&b, e, p);
    return sn_buf_str(&b);
}

/* Which NaN a result is, numerics.md leaves open. */
static void
measure(Check *k, Fault *f, SnRef ref, const SnTensor *t, const void *want)
{
    SnElem e = t->type->elem;
    bool real = e != SN_F16 && e != SN_ROW8;
    int64_t n = ncount(t);
    size_t size = nbyte(t) / (size_t)n;
    const char *a = t->data, *b = want;

    if (real) {
        sn_to_real(t->type, t->shape, a, k->got_real);
        sn_to_real(t->type, t->shape, b, k->want_real);
    }
    for (int64_t i = 0; i < n; i++) {
        if (!memcmp(a + (size_t)i * size, b + (size_t)i * size, size) ||
            (real && isnan(k->got_real[i]) && isnan(k->want_real[i])))
            continue;
        if (!f->ndiffer++) {
            f->sample = k->sample;
            f->at = i;
            f->ref = ref;
            f->got = elem_str(k->a, e, a + (size_t)i * size);
            f->want = elem_str(k->a, e, b + (size_t)i * size);
        }
        double d =
            real ? fabs((double)k->got_real[i] - (double)k->want_real[i]) : NAN;
        if (!(d <= f->most))
            f->most = d;
    }
}

/* t: a kernel's; want: the reference's. */
static void
compare(void *ctx, int64_t sample, SnRef ref, const SnTensor *t,
        const void *want)
{
    Check *k = ctx;
    Fault *f = &k->fault[k->step[SN_NODE(ref)] - 1];

    k->sample = sample;
    f->nelem += ncount(t);
    if (memcmp(t->data, want, nbyte(t)) != 0)
        measure(k, f, ref, t, want);
}

static void
prepare(SnCli *c, Check *k)
{
    const SnGraph *g = k->x->g;
    int64_t most = 1;

    k->step = SN_NEW_N(c->a, uint32_t, g->nnode);
    k->fault = SN_NEW_N(c->a, Fault, k->x->nstep + 1);
    for (uint32_t i = 0; i < k->x->nstep; i++) {
        SnId id = k->x->step[i].node;
        const SnNode *n = sn_node(g, id);
        k->step[id] = i + 1;
        for (unsigned r = 0; r < n->nres; r++) {
            int64_t count = sn_shape_count(n->res[r].shape);
            most = count > most ? count : most;
        }
    }
    k->got_real = SN_NEW_N(c->a, float, most);
    k->want_real = SN_NEW_N(c->a, float, most);
}

/* The place of element i: along each axis; of rows with their scales: the byte.
 */
static const char *
place(const Check *k, SnRef ref, int64_t i)
{
    const SnShape *s = sn_shape_of(k->x->g, ref);
    int64_t at[SN_MAXRANK];
    SnBuf b;

    sn_buf_init(&b, k->a);
    if (sn_type(k->x->g, ref)->elem == SN_ROW8) {
        sn_putf(&b, "[%lld]", (long long)i);
        return sn_buf_str(&b);
    }
    for (int d = s->rank - 1; d >= 0; d--) {
        at[d] = i % s->dim[d];
        i /= s->dim[d];
    }
    sn_putc(&b, '[');
    for (int d = 0; d < s->rank; d++)
        sn_putf(&b, "%s%lld", d ? "," : "", (long long)at[d]);
    sn_putc(&b, ']');
    return sn_buf_str(&b);
}

/* A number as it is; what JSON has no number for as a string. */
static void
put_json_elem(SnBuf *b, const char *key, const char *s)
{
    sn_putf(b, ", \"%s\": ", key);
    if (s[strspn(s, "+-.0123456789eE")] == '\0')
        sn_puts(b, s);
    else
        sn_put_json(b, s);
}

static void
put_first(SnBuf *b, const Check *k, const Fault *f)
{
    sn_putf(
        b, ", \"first\": {\"sample\": %lld, \"value\": ", (long long)f->sample);
    sn_put_json(b, sn_name(k->x->g, f->ref));
    sn_putf(b, ", \"index\": %s", place(k, f->ref, f->at));
    put_json_elem(b, "got", f->got);
    put_json_elem(b, "expected", f->want);
    sn_puts(b, "}");
}

static void
put_fault(SnCli *c, const Check *k, uint32_t i)
{
    const SnExecStep *s = &k->x->step[i];
    const Fault *f = &k->fault[i];
    const char *kind = sn_desc(sn_node(k->x->g, s->node)->kind)->name;
    const char *kernel = s->kernel ? s->kernel : "evaluator";

    if (c->args.json) {
        sn_puts(&c->out, "  {\"node\": ");
        sn_put_json(&c->out, sn_name(k->x->g, SN_REF(s->node, 0)));
        sn_putf(&c->out,
                ", \"kind\": \"%s\", \"kernel\": \"%s\", "
                "\"values\": %lld, \"differ\": %lld, \"most\": ",
                kind, kernel, (long long)f->nelem, (long long)f->ndiffer);
        sn_put_json_f64(&c->out, f->most);
        if (f->ndiffer)
            put_first(&c->out, k, f);
        sn_putf(&c->out, "}%s\n", i + 1 < k->x->nstep ? "," : "");
    } else if (f->ndiffer) {
        sn_putf(&c->out,
                "%s by %s: %lld of %lld values differ, by at most "
                "%g, first in sample %lld: %s%s is %s, expected %s\n",
                sn_label(k->x->g, s->node, c->a), kernel, (long long)f->ndiffer,
                (long long)f->nelem, f->most, (long long)f->sample,
                sn_shown(c->a, sn_name(k->x->g, f->ref)),
                place(k, f->ref, f->at), f->got, f->want);
    }
}

static SnStatus
report(SnCli *c, const Check *k, int64_t nsample)
{
    uint32_t nbad = 0, nkernel = 0;
    long long nelem = 0;

    if (c->args.json)
        sn_putf(&c->out, "{\"samples\": %lld, \"nodes\": [\n",
                (long long)nsample);
    for (uint32_t i = 0; i < k->x->nstep; i++) {
        nbad += k->fault[i].ndiffer > 0;
        nkernel += k->x->step[i].kernel != NULL;
        nelem += k->fault[i].nelem;
        put_fault(c, k, i);
    }
    if (c->args.json)
        sn_puts(&c->out, " ]}\n");
    else
        sn_putf(&c->out,
                "%u nodes, %u by kernels of %s, %lld samples: %lld "
                "values compared, %u node%s\n",
                k->x->nstep, nkernel, k->x->backend->name, (long long)nsample,
                nelem, nbad, nbad == 1 ? " differs" : "s differ");
    if (nbad)
        return sn_fail(c->d, SN_ECHECK, "--check-kernels",
                       "%u of %u nodes "
                       "differ%s from the reference evaluators",
                       nbad, k->x->nstep, nbad == 1 ? "s" : "");
    return SN_OK;
}

SnStatus
sn_cli_check_kernels(SnCli *c, const char *path)
{
    SnRewriteOpts o;
    SnSamples *s;
    SnGraph *g;
    unsigned nthread;
    Check k = {.a = c->a};

    if (!c->args.backend)
        return sn_fail(c->d, SN_EUSAGE, "--check-kernels",
                       "requires --backend NAME");
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(sn_exec_prepare(c->a, g, o.backend, c->d, &k.x));
    SN_TRY(sn_exec_prepare(c->a, g, NULL, c->d, &k.ref));
    SN_TRY(sn_cli_samples(c, k.x, &c->args.input, "--input", &s));
    prepare(c, &k);
    SN_TRY(sn_cli_threads(c, &nthread));
    SN_TRY(sn_cli_beside(c, s, k.x, sn_run_new(c->a, k.ref),
                         sn_run_team(c->a, k.x, nthread), compare, &k));
    return report(c, &k, s->n);
}
