// SPDX-License-Identifier: Apache-2.0
#include "quant/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/batch.h"

/* The model made again must measure as the one given does, in dB. */
#define AGREE 0.5
/* What a list must have to spare, in dB: values that stand on a grid that is
 * not of their own range (an LRN's result) may get another in float. */
#define SPARE 0.1

enum {
    PROFILED = 16,  /* samples for ranges that no type tells */
    ALONE = 24,     /* nodes tried alone */
    ROOM = 64 << 20 /* numbers of outputs kept */
};

/* One graph's outputs beside those of the float graph. */
typedef struct Outputs {
    const SnExec *x;
    SnFillFn *fill;
    void *ctx;
    int64_t *count; /* [noutput] elements of a sample */
    float **want;   /* [noutput][nsample * count], the float graph's */
    float **real;   /* [njob] one output; NULL: want is written */
    double *sum;    /* [nsample][noutput][2]: signal, noise */
} Outputs;

typedef struct Advising {
    const SnAdviseOpts *o;
    SnArena *a;
    SnDiag *d;
    SnAdvice *out;
    SnProfile *profile;
    SnQuantOpts q; /* that give the model itself */
    Outputs flt;
    int64_t nsample;
} Advising;

/* ---- running ---- */

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    Outputs *t = ctx;

    return t->fill(t->ctx, sample, r);
}

static void
done(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    Outputs *t = ctx;

    for (uint32_t i = 0; i < t->x->noutput; i++) {
        const SnPort *p = &t->x->output[i];
        float *want = t->want[i] + sample * t->count[i];
        float *real = t->real ? t->real[worker] : want;
        double *e;
        sn_to_real(p->type, p->shape, sn_run_output(r, i), real);
        if (!t->real)
            continue;
        e = t->sum + (sample * t->x->noutput + i) * 2;
        for (int64_t k = 0; k < t->count[i]; k++) {
            double x = (double)want[k], y = (double)real[k] - x;
            e[0] += x * x;
            e[1] += y * y;
        }
    }
}

/* The worst output's SQNR; t has x, fill, ctx. */
static SnStatus
run(Advising *v, SnArena *m, Outputs *t, double *db)
{
    SnBatch b = {.x = t->x,
                 .nsample = v->nsample,
                 .njob = v->o->njob,
                 .nthread = v->o->nthread,
                 .fill = fill,
                 .done = done,
                 .ctx = t};
    unsigned njob = sn_batch_njob(b.njob, b.nthread, b.nsample);
    uint32_t nout = t->x->noutput;
    int64_t most = 1;

    t->count = v->flt.count;
    t->want = v->flt.want;
    for (uint32_t i = 0; i < nout; i++)
        most = t->count[i] > most ? t->count[i] : most;
    t->real = SN_NEW_N(m, float *, njob);
    for (unsigned i = 0; i < njob; i++)
        t->real[i] = SN_NEW_N(m, float, most);
    t->sum = SN_NEW_N(m, double, v->nsample *nout * 2 + 1);
    SN_TRY(sn_batch_run(&b, v->d));
    *db = INFINITY;
    for (uint32_t i = 0; i < nout; i++) {
        SnErrors e = {0};
        for (int64_t s = 0; s < v->nsample; s++) {
            e.signal += t->sum[(s * nout + i) * 2];
            e.noise += t->sum[(s * nout + i) * 2 + 1];
        }
        *db = fmin(*db, sn_sqnr(&e));
    }
    return SN_OK;
}

static SnStatus
prepare(SnArena *m, const SnGraph *g, SnDiag *d, const SnExec **x)
{
    /* Every backend gives the same bits; this one is the fastest. */
    return sn_exec_prepare(m, g, sn_backend_named("CPU"), d, x);
}

/* The float graph's outputs, as many samples as there is room for. */
static SnStatus
run_float(Advising *v)
{
    Outputs *t = &v->flt;
    int64_t all = 1;

    *t = (Outputs){.fill = v->o->fill, .ctx = v->o->ctx};
    SN_TRY(prepare(v->a, v->o->flt, v->d, &t->x));
    t->count = SN_NEW_N(v->a, int64_t, t->x->noutput + 1);
    t->want = SN_NEW_N(v->a, float *, t->x->noutput + 1);
    for (uint32_t i = 0; i < t->x->noutput; i++) {
        t->count[i] = sn_shape_count(t->x->output[i].shape);
        all += t->count[i];
    }
    v->nsample = v->o->nsample;
    if (v->nsample > SN_ADVISE_SAMPLES)
        v->nsample = SN_ADVISE_SAMPLES;
    if (v->nsample > ROOM / all)
        v->nsample = ROOM / all > 0 ? ROOM / all : 1;
    for (uint32_t i = 0; i < t->x->noutput; i++)
        t->want[i] = SN_NEW_N(v->a, float, v->nsample * t->count[i] + 1);
    SnBatch b = {.x = t->x,
                 .nsample = v->nsample,
                 .njob = v->o->njob,
                 .nthread = v->o->nthread,
                 .fill = fill,
                 .done = done,
                 .ctx = t};
    return sn_batch_run(&b, v->d);
}

/* ---- the settings that give the model ---- */

static bool
is_power(float s)
{
    int e;

    return frexpf(s, &e) == 0.5f;
}

/* The scheme that all parameters chosen freely could come from. */
static SnSchema
scheme_of(const SnComparison *c)
{
    bool power = true, zero = true, lowest = true;

    for (uint32_t i = 0; i < c->nmade; i++) {
        const SnMade *k = &c->made[i];
        const SnType *t = k->type;
        if (k->fixed || !sn_elem_quant(t->elem) || t->elem == SN_QI32)
            continue;
        for (uint32_t s = 0; s < t->nq; s++) {
            power = power && is_power(t->scale[s]);
            zero = zero && t->zp[s] == 0;
            lowest =
                lowest && (t->zp[s] == 0 ||
                           (!k->constant && t->zp[s] == sn_elem_lo(t->elem)));
        }
    }
    return zero && power ? SN_POWER_OF_TWO
           : zero        ? SN_SYMMETRIC
           : lowest      ? SN_SYMMETRIC_UINT8
                         : SN_ASYMMETRIC;
}

/* Biases that --bias int8 changed have names of their own (bias.h). */
static bool
has_bias8(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (n->dead || !n->data || n->res[0].type->elem != SN_QI32)
            continue;
        const char *dot = strrchr(n->res[0].name, '.');
        if (dot && !strcmp(dot, ".b8"))
            return true;
    }
    return false;
}

static void
add_wish(Advising *v, SnPrecision p, uint32_t n, const char **name)
{
    SnWish w = {.option = "",
                .glob = "",
                .ask = SN_ASK_PRECISION,
                .to = {.precision = p},
                .nname = n,
                .name = name};
    SnControl *c = &v->q.control;

    if (n)
        SN_PUSH(v->a, c->wish, c->n, w);
}

static void
read_settings(Advising *v)
{
    const SnComparison *c = v->o->c;
    const char **flt = NULL, **wide = NULL;
    uint32_t nflt = 0, nwide = 0;

    v->q.rewrite = v->o->rewrite;
    v->q.bias8 = has_bias8(v->o->quant);
    v->q.control.all.schema = scheme_of(c);
    for (uint32_t i = 0; i < c->nmade; i++) {
        const SnMade *k = &c->made[i];
        if (k->constant) {
            v->q.channelwise |= k->rank > 2 && k->type->nq > 1;
            v->q.rowwise |= k->rank == 2 && k->type->nq > 1;
        } else if (k->stays_float) {
            SN_PUSH(v->a, flt, nflt, k->name);
        } else if (k->type->elem == SN_QI16) {
            SN_PUSH(v->a, wide, nwide, k->name);
        }
    }
    add_wish(v, SN_FLOAT, nflt, flt);
    add_wish(v, SN_INT16, nwide, wide);
}

/* The range of a value is what its type holds; where no type tells, what it
 * was on the samples. */
static SnStatus
read_ranges(Advising *v)
{
    const SnComparison *c = v->o->c;
    int64_t n = v->nsample < PROFILED ? v->nsample : PROFILED;
    SnProfile *p;

    SN_TRY(sn_profile_run(v->a, v->flt.x, n, v->o->njob, fill, &v->flt, 0, v->d,
                          &p));
    for (uint32_t i = 0; i < c->nmade; i++) {
        const SnType *t = c->made[i].type;
        SnHist *h = NULL;
        for (uint32_t k = 0; k < p->n && !h; k++)
            if (!strcmp(p->hist[k].name, c->made[i].name))
                h = &p->hist[k];
        if (!h || c->made[i].constant || t->elem == SN_F32 || t->nq != 1)
            continue;
        double lo = (double)sn_elem_lo(t->elem) - t->zp[0];
        double hi = (double)sn_elem_hi(t->elem) - t->zp[0];
        h->min = (float)(lo * (double)t->scale[0]);
        h->max = (float)(hi * (double)t->scale[0]);
        h->count += !h->count;
    }
    v->profile = p;
    return SN_OK;
}

/* ---- trying ---- */

/* The worst output with these settings; NaN when they give no model. */
static SnStatus
try(Advising *v, const SnQuantOpts *q, double *db)
{
    SnArena *m = sn_arena_new();
    SnDiag *quiet = sn_diag_new(m);
    SnGraph *g = sn_graph_clone(v->o->model, m);
    Outputs t = {.fill = v->o->fill, .ctx = v->o->ctx};
    SnRewriter *rw = NULL;
    SnQuantReport r;
    SnStatus st = SN_OK;

    *db = NAN;
    v->out->nmodel++;
    if (sn_quantize_graph(m, g, v->profile, q, &rw, quiet, &r) == SN_OK &&
        prepare(m, g, quiet, &t.x) == SN_OK)
        st = run(v, m, &t, db);
    sn_arena_free(m);
    return st;
}

static SnStatus
try_keep(Advising *v, uint32_t n, const char **name, double *db)
{
    SnQuantOpts q = v->q;
    SnWish keep = {.option = "",
                   .glob = "",
                   .ask = SN_ASK_PRECISION,
                   .to = {.precision = SN_FLOAT},
                   .nname = n,
                   .name = name};

    q.control.wish = SN_NEW_N(v->a, SnWish, q.control.n + 1);
    if (q.control.n)
        memcpy(q.control.wish, v->q.control.wish, q.control.n * sizeof keep);
    q.control.wish[q.control.n++] = keep;
    return try(v, &q, db);
}

static bool
weights_whole(const SnComparison *c)
{
    for (uint32_t i = 0; i < c->nmade; i++)
        if (c->made[i].constant && c->made[i].rank > 1 &&
            c->made[i].type->nq == 1)
            return true;
    return false;
}

static SnStatus
try_settings(Advising *v)
{
    SnQuantOpts sliced = v->q, wide = v->q;

    sliced.channelwise = sliced.rowwise = true;
    if (weights_whole(v->o->c))
        SN_TRY(try(v, &sliced, &v->out->sliced));
    wide.control.all.precision = SN_INT16;
    return try(v, &wide, &v->out->int16);
}

/* ---- nodes ---- */

typedef struct Suspect {
    const char *name;
    double alone; /* dB with it in float */
    uint32_t rank;
} Suspect;

static int
better(const void *x, const void *y)
{
    const Suspect *a = x, *b = y;

    if (a->alone != b->alone)
        return a->alone > b->alone ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Leaves out what is not needed, the last added first. */
static SnStatus
leave_out(Advising *v)
{
    SnAdvice *out = v->out;

    for (uint32_t i = out->nkeep;
         i-- > 0 && out->nkeep > 1 && out->nmodel < SN_ADVISE_MODELS;) {
        const char **rest = SN_NEW_N(v->a, const char *, out->nkeep);
        uint32_t n = 0;
        double db;
        for (uint32_t k = 0; k < out->nkeep; k++)
            if (k != i)
                rest[n++] = out->keep[k];
        SN_TRY(try_keep(v, n, rest, &db));
        if (!(db >= v->o->db + SPARE))
            continue;
        out->keep = rest;
        out->nkeep = n;
        out->kept = db;
    }
    return SN_OK;
}

static SnStatus
try_nodes(Advising *v)
{
    const SnComparison *c = v->o->c;
    SnAdvice *out = v->out;
    Suspect s[ALONE] = {{0}};
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n && n < ALONE; i++) {
        bool again = false;
        for (uint32_t k = 0; k < n; k++)
            again |= !strcmp(s[k].name, c->value[i].name);
        if (again || !sn_compare_is_source(&c->value[i]))
            continue;
        s[n] = (Suspect){.name = c->value[i].name, .rank = n};
        SN_TRY(try_keep(v, 1, &s[n].name, &s[n].alone));
        if (!isnan(s[n].alone))
            n++;
    }
    qsort(s, n, sizeof *s, better);
    for (uint32_t i = 0; i < n && out->nmodel < SN_ADVISE_MODELS; i++) {
        SN_PUSH(v->a, out->keep, out->nkeep, s[i].name);
        if (i == 0)
            out->kept = s[0].alone;
        else
            SN_TRY(try_keep(v, out->nkeep, out->keep, &out->kept));
        if (out->kept >= v->o->db + SPARE)
            return leave_out(v);
    }
    return SN_OK;
}

SnStatus
sn_advise(SnArena *a, const SnAdviseOpts *o, SnDiag *d, SnAdvice *out)
{
    Advising v = {.o = o, .a = a, .d = d, .out = out};
    Outputs given = {.fill = o->fill_quant, .ctx = o->ctx_quant};

    *out = (SnAdvice){
        .sliced = NAN, .int16 = NAN, .kept = NAN, .given = NAN, .again = NAN};
    SN_TRY(run_float(&v));
    out->nsample = v.nsample;
    SN_TRY(prepare(a, o->quant, d, &given.x));
    if (given.x->noutput != v.flt.x->noutput)
        return SN_OK;
    SN_TRY(run(&v, a, &given, &out->given));
    read_settings(&v);
    SN_TRY(read_ranges(&v));
    SN_TRY(try(&v, &v.q, &out->again));
    out->same = fabs(out->again - out->given) <= AGREE;
    if (!out->same || out->given >= o->db)
        return SN_OK;
    SN_TRY(try_settings(&v));
    return try_nodes(&v);
}
