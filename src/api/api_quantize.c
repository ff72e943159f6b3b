// SPDX-License-Identifier: Apache-2.0
/* A float model and the caller's data to an int8 model. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "quant/quantize.h"
#include "quant/report.h"

typedef struct Quantize {
    SinterModel *from, *to;
    SinterQuantize q;
    const SnApiPorts *ports;
    void **input;   /* [ninput] of the run under way */
    int answer;     /* of the last call of fill */
    int64_t sample; /* that it was about */
    SnArena *a;
    SnDiag *d;
} Quantize;

/* ---- data ---- */

/* Asks the caller for a sample, into buffers of ours: the run's own are only
 * known when there is one. */
static bool
more(void *ctx, int64_t sample)
{
    Quantize *z = ctx;

    if (z->q.nsample > 0 && sample >= z->q.nsample)
        return false;
    z->sample = sample;
    z->answer = z->q.fill(z->q.fill_ctx, sample, z->input);
    return z->answer == 0;
}

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    Quantize *z = ctx;

    (void)sample;
    for (uint32_t i = 0; i < z->ports->ninput; i++) {
        uint8_t *to = sn_run_input(r, i);
        size_t n = z->ports->input[i].nbyte;
        memcpy(to, z->input[i], n);
        for (size_t k = 0; z->ports->u8_in[i] && k < n; k++)
            to[k] ^= 0x80;
    }
    return SN_OK;
}

static bool
is_quantized(const SnGraph *g, SnArena *a)
{
    uint32_t n;
    const SnId *topo = sn_topo(g, a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *v = sn_node(g, topo[i]);
        for (unsigned k = 0; !v->data && k < v->nres; k++)
            if (v->res[k].type && v->res[k].type->nq)
                return true;
    }
    return false;
}

/* A range cannot be taken from data without a finite number. */
static SnStatus
check_profile(const Quantize *z, const SnExec *x, const SnProfile *p)
{
    if (z->answer != 0 && z->answer != 1)
        return sn_fail(z->d, SN_EINPUT, "fill", "failed at sample %lld with %d",
                       (long long)z->sample, z->answer);
    if (p->nsample == 0 && x->ninput > 0)
        return sn_fail(z->d, SN_EINPUT, "fill", "gave no sample");
    for (uint32_t i = 0; i < x->ninput + x->noutput; i++) {
        bool in = i < x->ninput;
        const char *name =
            in ? x->input[i].name : sn_name(x->g, x->output[i - x->ninput].ref);
        const SnHist *h = sn_profile_find(p, name);
        if (h && h->count == 0 && h->nonfinite)
            return sn_fail(z->d, SN_EINPUT, name,
                           "has no finite value in %llu samples",
                           (unsigned long long)p->nsample);
    }
    if (p->nsample == 1)
        sn_warn(z->d, (SnPos){0}, NULL,
                "the ranges come from one sample, which others may exceed; a "
                "few hundred samples are usual");
    return SN_OK;
}

static bool
wants_average(const SinterQuantize *q)
{
    for (const char *const *r = q->range; r && *r; r++) {
        const char *eq = strchr(*r, '=');
        if (!strcmp(*r, "moving-average") ||
            (eq && !strcmp(eq + 1, "moving-average")))
            return true;
    }
    return false;
}

static SnStatus
profile(Quantize *z, SnProfile **out)
{
    SnGraph *f = sn_graph_clone(z->from->g, z->a);
    uint64_t hash = sn_graph_hash(z->from->g, true);
    const SnExec *x;

    SN_TRY(sn_rewrite(sn_rewriter_new(z->a, &sn_rewrite_defaults, z->d), f,
                      "profile"));
    SN_TRY(sn_exec_prepare(z->a, f, sn_backend_named("CPU"), z->d, &x));
    z->input = SN_NEW_N(z->a, void *, x->ninput);
    for (uint32_t i = 0; i < x->ninput; i++)
        z->input[i] = sn_alloc(z->a, z->ports->input[i].nbyte);
    SN_TRY(sn_profile_run_stream(z->a, x, wants_average(&z->q) ? 0.01 : 0, more,
                                 fill, z, hash, z->d, out));
    return check_profile(z, x, *out);
}

/* At most three of the names. */
static const char *
some(SnArena *a, const char *const *name, uint32_t n)
{
    const char *s = "";

    for (uint32_t i = 0; i < n && i < 3; i++)
        s = sn_format(a, "%s%s'%s'", s, i ? ", " : "", name[i]);
    return n > 3 ? sn_format(a, "%s and %u more", s, (unsigned)(n - 3)) : s;
}

/* The profile from its file, which must have a range for every value whose type
 * is to be chosen. */
static SnStatus
read_profile(Quantize *z, SnProfile **out)
{
    const char *path = z->q.profile;
    SnGraph *placed, *lowered = sn_graph_clone(z->from->g, z->a);

    SN_TRY(sn_profile_load(z->a, path, z->d, out));
    sn_profile_warn_parts(z->a, *out, path, z->d);
    if (wants_average(&z->q) && !((*out)->average > 0))
        return sn_fail(z->d, SN_EINPUT, path, "holds no moving averages");
    SN_TRY(
        sn_quant_placed(z->a, z->from->g, &sn_rewrite_defaults, z->d, &placed));
    SN_TRY(sn_rewrite(sn_rewriter_new(z->a, &sn_rewrite_defaults, z->d),
                      lowered, "profile"));
    SnProfileFit fit = sn_profile_fit(z->a, *out, placed, lowered);
    if (fit.nmissing)
        return sn_fail(z->d, SN_EINPUT, path,
                       "has no range for %s: it was made from '%s'",
                       some(z->a, fit.missing, fit.nmissing), (*out)->model);
    return SN_OK;
}

/* ---- settings ---- */

static SnStatus
add_all(Quantize *z, SnControl *c, const char *name, SnAsk ask,
        const char *const *text)
{
    for (; text && *text; text++)
        SN_TRY(sn_control_add(z->a, c, name, ask, *text, z->d));
    return SN_OK;
}

static SnStatus
settings(Quantize *z, SnQuantOpts *o)
{
    const SinterQuantize *q = &z->q;
    SnGraph *f;

    *o = (SnQuantOpts){.channelwise = !q->per_tensor,
                       .rowwise = !q->per_tensor,
                       .bias8 = q->bias8 != 0,
                       .rewrite = sn_rewrite_defaults};
    SnControl *c = &o->control;
    SN_TRY(add_all(z, c, "precision", SN_ASK_PRECISION, q->precision));
    SN_TRY(add_all(z, c, "scheme", SN_ASK_SCHEMA, q->scheme));
    SN_TRY(add_all(z, c, "range", SN_ASK_RANGE, q->range));
    for (const char *const *k = q->keep_float; k && *k; k++)
        sn_control_keep_float(z->a, c, "keep_float", *k);
    if (!c->n)
        return SN_OK;
    SN_TRY(sn_quant_placed(z->a, z->from->g, &sn_rewrite_defaults, z->d, &f));
    return sn_control_resolve(z->a, c, z->from->g, f, z->d);
}

static SnStatus
check_int8(const Quantize *z, const SnQuantReport *r)
{
    if (!z->q.require_int8 || !r->nfloat)
        return SN_OK;
    return sn_fail(z->d, SN_ECHECK, r->left_float[0].name, "stays float%s: %s",
                   r->nfloat > 1 ? ", and others do" : "",
                   r->left_float[0].why);
}

/* ---- the call ---- */

static SnStatus
quantize(SnArena *a, SnDiag *d, void *ctx)
{
    Quantize *z = ctx;
    SinterModel *to = z->to;
    SnRewriter *rw = NULL;
    SnQuantReport r;
    SnQuantOpts o;
    SnProfile *p;
    SnBuf b;

    z->a = a;
    z->d = d;
    if (is_quantized(z->from->g, a))
        return sn_fail(d, SN_EINPUT, "model",
                       "is quantized already: expected a float model");
    SN_TRY(settings(z, &o));
    SN_TRY(z->q.profile ? read_profile(z, &p) : profile(z, &p));
    SnGraph *g = sn_graph_clone(z->from->g, a);
    SN_TRY(sn_quantize_graph(a, g, p, &o, &rw, d, &r));
    SN_TRY(check_int8(z, &r));
    SN_TRY(sn_verify(g, d));
    sn_buf_init(&b, a);
    sn_put_quant_json(&b, &r, sn_plan(a, g), p, "");
    to->a = sn_arena_new();
    to->g = sn_graph_clone(g, to->a);
    to->report = sn_strdup(to->a, sn_buf_str(&b));
    return sn_api_ports(to->a, to->g, d, &to->ports);
}

SinterStatus
sinter_model_quantize(SinterModel *m, const SinterQuantize *q,
                      SinterModel **out, SinterError *err)
{
    Quantize z = {.from = m, .ports = &m->ports};

    *out = NULL;
    if (!q)
        return sn_api_error(err, SINTER_EUSAGE, "SinterQuantize", "is NULL");
    if (!sn_api_options(&z.q, sizeof z.q, q))
        return sn_api_error(
            err, SINTER_EUSAGE, "SinterQuantize",
            "its size is not set, or is that of a later version of sinter");
    if (z.q.profile && z.q.fill)
        return sn_api_error(err, SINTER_EUSAGE, "SinterQuantize",
                            "has both fill and profile");
    if ((!z.q.fill && !z.q.profile) || z.q.nsample < 0)
        return sn_api_error(err, SINTER_EUSAGE, "SinterQuantize",
                            z.q.fill || z.q.profile ? "nsample is negative"
                                                    : "fill is NULL");
    if (!m->g)
        return sn_api_error(err, SINTER_EUSAGE, "model",
                            "an earlier change of it failed: free it");
    SinterModel *to = calloc(1, sizeof *to);
    if (!to)
        return sn_api_error(err, SINTER_ENOMEM, "sinter", "out of memory");
    z.to = to;
    SinterStatus st = sn_api_host_copy(&m->host, &to->host, err);
    if (st == SINTER_OK)
        st = sn_api_call(&to->host, quantize, &z, err);
    if (st != SINTER_OK) {
        sinter_model_free(to);
        return st;
    }
    *out = to;
    return SINTER_OK;
}
