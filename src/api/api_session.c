// SPDX-License-Identifier: Apache-2.0
/* Sessions: a prepared graph, which is read-only, and lanes, which are runs of
 * it.  A thread that runs takes a lane that is free, or makes one. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/isa.h"
#include "kernel/pack.h"
#include "run/batch.h"

typedef struct Lane {
    SnRun *run;
    SnArena *a;
    struct Lane *next; /* free lanes */
} Lane;

struct SinterSession {
    SnApiHost host;
    SnArena *a;
    const SnExec *x;
    SnApiPorts ports;
    unsigned nthread;
    pthread_mutex_t lock; /* guards what follows */
    Lane *idle[2];        /* with threads of their own; with the caller's */
};

/* ---- making one ---- */

typedef struct Prepare {
    const SinterModel *m;
    SinterSession *s;
    const char *pack; /* NULL: no file */
    bool pack_save;
} Prepare;

/* The store of packed weights, which lives as long as the session. */
static SnPack *
open_pack(const Prepare *p)
{
    SnArena *a = p->s->a;

    if (!p->pack)
        return NULL;
    return sn_pack_open(
        a, sn_format(a, "%s.pack-%s", p->pack, sn_isa_name(sn_isa())), NULL);
}

static SnStatus
prepare(SnArena *a, SnDiag *d, void *ctx)
{
    const Prepare *p = ctx;
    SinterSession *s = p->s;
    SnRewriteOpts o = sn_rewrite_defaults;
    SnGraph *g = sn_graph_clone(p->m->g, a);

    if (p->m->imported) /* convolutions stand between Transposes */
        SN_TRY(sn_rewrite(sn_rewriter_new(a, &o, d), g, "profile"));
    o.backend = sn_backend_named("CPU");
    SN_TRY(sn_launch(&o, a, g, d));
    s->a = sn_arena_new();
    g = sn_graph_clone(g, s->a);
    SnPack *pack = open_pack(p);
    SN_TRY(sn_exec_prepare_packed(s->a, g, o.backend, pack, d, &s->x));
    if (pack && p->pack_save)
        SN_TRY(sn_pack_save(pack, d, NULL));
    return sn_api_ports(s->a, g, d, &s->ports);
}

SinterStatus
sinter_session_new(SinterModel *m, const SinterSessionConfig *c,
                   SinterSession **out, SinterError *err)
{
    SinterSessionConfig v = {.size = sizeof v};

    *out = NULL;
    if (c && !sn_api_options(&v, sizeof v, c))
        return sn_api_error(
            err, SINTER_EUSAGE, "SinterSessionConfig",
            "its size is not set, or is that of a later version of sinter");
    if (v.threads > SN_MAXTHREAD)
        return sn_api_error(err, SINTER_EUSAGE, "SinterSessionConfig",
                            "threads is more than 64");
    if (v.pack_save && !v.pack)
        return sn_api_error(err, SINTER_EUSAGE, "SinterSessionConfig",
                            "pack_save is set without pack");
    if (!m->g)
        return sn_api_error(err, SINTER_EUSAGE, "model",
                            "an earlier change of it failed: free it");
    SinterSession *s = calloc(1, sizeof *s);
    if (!s || pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return sn_api_error(err, SINTER_ENOMEM, "sinter", "out of memory");
    }
    s->nthread = v.threads ? v.threads : 1;
    SinterStatus st = sn_api_host_copy(&m->host, &s->host, err);
    Prepare p = {m, s, v.pack, v.pack_save != 0};
    if (st == SINTER_OK)
        st = sn_api_call(&s->host, prepare, &p, err);
    if (st != SINTER_OK) {
        sinter_session_free(s);
        return st;
    }
    s->host.limits.seconds = 0; /* was of calls about a model */
    sn_budget_limit(s->host.budget, &s->host.limits);
    *out = s;
    return SINTER_OK;
}

void
sinter_session_free(SinterSession *s)
{
    if (!s)
        return;
    sn_api_host_end(&s->host); /* lanes too, and their threads */
    pthread_mutex_destroy(&s->lock);
    free(s);
}

uint32_t
sinter_session_ninput(const SinterSession *s)
{
    return s->ports.ninput;
}

uint32_t
sinter_session_noutput(const SinterSession *s)
{
    return s->ports.noutput;
}

const SinterPort *
sinter_session_input(const SinterSession *s, uint32_t i)
{
    return i < s->ports.ninput ? &s->ports.input[i] : NULL;
}

const SinterPort *
sinter_session_output(const SinterSession *s, uint32_t i)
{
    return i < s->ports.noutput ? &s->ports.output[i] : NULL;
}

/* ---- lanes ---- */

static Lane *
take_idle(SinterSession *s, bool lent)
{
    pthread_mutex_lock(&s->lock);
    Lane *l = s->idle[lent];
    if (l)
        s->idle[lent] = l->next;
    pthread_mutex_unlock(&s->lock);
    return l;
}

static void
put_idle(SinterSession *s, Lane *l, bool lent)
{
    pthread_mutex_lock(&s->lock);
    l->next = s->idle[lent];
    s->idle[lent] = l;
    pthread_mutex_unlock(&s->lock);
}

/* Under a guard of the caller's, who frees a when memory runs out. */
static Lane *
new_lane(SinterSession *s, SnArena *a, bool lent)
{
    Lane *l = SN_NEW(a, Lane);

    l->a = a;
    l->run = lent ? sn_run_parts(a, s->x, s->nthread)
                  : sn_run_team(a, s->x, s->nthread);
    sn_run_bindable(a, l->run);
    return l;
}

/* ---- running ---- */

/* The other half of the codes: uint8 is the graph's int8 + 128. */
static void
copy_codes(void *to, const void *from, size_t n)
{
    const uint8_t *x = from;
    uint8_t *y = to;

    for (size_t i = 0; i < n; i++)
        y[i] = x[i] ^ 0x80;
}

/* Sample k of the caller's buffers: read there, or copied. */
static void
put_inputs(const SinterSession *s, SnRun *r, const void *const *in, int64_t k)
{
    const SnApiPorts *p = &s->ports;

    for (uint32_t i = 0; i < p->ninput; i++) {
        size_t n = p->input[i].nbyte;
        const char *from = (const char *)in[i] + (size_t)k * n;
        if (p->u8_in[i])
            copy_codes(sn_run_input(r, i), from, n);
        else if (n && !sn_run_bind_input(r, i, from))
            memcpy(sn_run_input(r, i), from, n);
    }
}

/* Outputs that the run can write into the caller's buffers. */
static void
place_outputs(const SinterSession *s, SnRun *r, void *const *out)
{
    for (uint32_t i = 0; i < s->ports.noutput; i++)
        sn_run_bind_output(r, i, s->ports.u8_out[i] ? NULL : out[i]);
}

static void
get_outputs(const SinterSession *s, const SnRun *r, void *const *out, int64_t k)
{
    const SnApiPorts *p = &s->ports;

    for (uint32_t i = 0; i < p->noutput; i++) {
        size_t n = p->output[i].nbyte;
        if (!out[i] || !n)
            continue;
        char *to = (char *)out[i] + (size_t)k * n;
        if (sn_run_output(r, i) == to)
            continue;
        if (p->u8_out[i])
            copy_codes(to, sn_run_output(r, i), n);
        else
            memcpy(to, sn_run_output(r, i), n);
    }
}

static SinterStatus
run_failed(const SinterSession *s, const SnRun *r, SnStatus st,
           SinterError *err)
{
    return sn_api_failed(&s->host, (SinterStatus)st,
                         r->where ? r->where : "input",
                         r->why[0] ? r->why : "failed", err);
}

/* n samples of each input are there; names the first that is not. */
static SinterStatus
check_inputs(const SinterSession *s, const void *const *in, int64_t n,
             SinterError *err)
{
    char text[64];

    for (uint32_t i = 0; i < s->ports.ninput; i++) {
        const SinterPort *p = &s->ports.input[i];
        if ((in && in[i]) || !p->nbyte || !n)
            continue;
        snprintf(text, sizeof text, "is NULL: expected %zu bytes",
                 p->nbyte * (size_t)n);
        return sn_api_failed(&s->host, SINTER_EUSAGE, p->name, text, err);
    }
    return SINTER_OK;
}

/* Not sn_api_call: a run that goes well allocates nothing.  pool NULL: on
 * threads of the session's. */
static SinterStatus
run_one(SinterSession *s, const SnLent *pool, const void *const *in,
        void *const *out, SinterError *err)
{
    SinterStatus given = check_inputs(s, in, 1, err);

    if (given != SINTER_OK)
        return given;
    SnBudget *was = sn_budget_use(s->host.budget);
    Lane *volatile l = take_idle(s, pool != NULL);
    SnArena *volatile a = l ? l->a : NULL;
    SnGuard gu;

    if (setjmp(gu.env)) {
        SinterStatus out_of = sn_api_tripped(&s->host, err);
        sn_arena_free(a); /* and the lane, which a jump has left anyhow */
        sn_budget_use(was);
        return out_of;
    }
    sn_guard_push(&gu);
    if (!a)
        a = sn_arena_new();
    if (!l)
        l = new_lane(s, a, pool != NULL);
    SnRun *r = l->run;
    r->pool = pool;
    r->where = NULL;
    r->why[0] = '\0';
    put_inputs(s, r, in, 0);
    place_outputs(s, r, out);
    SnStatus st = sn_run(r);
    if (st == SN_OK)
        get_outputs(s, r, out, 0);
    else
        run_failed(s, r, st, err);
    sn_guard_pop(&gu);
    r->pool = NULL; /* is the caller's */
    put_idle(s, l, pool != NULL);
    sn_budget_use(was);
    return (SinterStatus)st;
}

SinterStatus
sinter_session_run(SinterSession *s, const void *const *in, void *const *out,
                   SinterError *err)
{
    return run_one(s, NULL, in, out, err);
}

SinterStatus
sinter_session_run_on(SinterSession *s, const SinterPool *pool,
                      const void *const *in, void *const *out, SinterError *err)
{
    const char *why = NULL;
    SinterPool v;

    if (!pool)
        why = "is NULL";
    else if (!sn_api_options(&v, sizeof v, pool))
        why = "its size is not set, or is that of a later version of sinter";
    else if (!v.run)
        why = "run is NULL";
    if (why)
        return sn_api_failed(&s->host, SINTER_EUSAGE, "SinterPool", why, err);
    const SnLent lent = {v.run, v.ctx};
    return run_one(s, &lent, in, out, err);
}

typedef struct Batch {
    SinterSession *s;
    int64_t n;
    uint32_t jobs;
    const void *const *in;
    void *const *out;
} Batch;

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    const Batch *b = ctx;

    put_inputs(b->s, r, b->in, sample);
    return SN_OK;
}

static void
done(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    const Batch *b = ctx;

    (void)worker;
    get_outputs(b->s, r, b->out, sample);
}

static SnStatus
run_batch(SnArena *a, SnDiag *d, void *ctx)
{
    const Batch *b = ctx;
    SnBatch all = {.x = b->s->x,
                   .nsample = b->n,
                   .njob = b->jobs,
                   .nthread = b->s->nthread,
                   .fill = fill,
                   .done = done,
                   .ctx = ctx};

    (void)a;
    all.njob = sn_batch_njob(b->jobs, b->s->nthread, b->n);
    return sn_batch_run(&all, d);
}

SinterStatus
sinter_session_run_batch(SinterSession *s, int64_t n, uint32_t jobs,
                         const void *const *in, void *const *out,
                         SinterError *err)
{
    Batch b = {s, n, jobs, in, out};

    if (n < 0)
        return sn_api_error(err, SINTER_EUSAGE, "n", "is negative");
    SinterStatus given = check_inputs(s, in, n, err);
    if (given != SINTER_OK)
        return given;
    return sn_api_call(&s->host, run_batch, &b, err);
}
