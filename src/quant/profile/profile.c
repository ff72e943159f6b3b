// SPDX-License-Identifier: Apache-2.0
#include "quant/profile/profile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/batch.h"

/* floor(v / 2^e), exactly. */
static int64_t
bin_of(float v, int e)
{
    double x = ldexp((double)v, -e);

    return (int64_t)floor(x);
}

/* The smallest e for which [lo, hi] fits; depends on nothing else, so the
 * order in which values arrive leaves no trace. */
static int
exp_for(float lo, float hi)
{
    float top = fabsf(lo) > fabsf(hi) ? fabsf(lo) : fabsf(hi);
    int e = -149;

    if (top > 0) {
        int least = ilogb((double)top) - 30;
        if (least > e)
            e = least;
    }
    double span = (double)hi - (double)lo;
    if (span > 0) {
        int near = ilogb(span) - 12;
        if (near > e)
            e = near;
    }
    while (bin_of(hi, e) - bin_of(lo, e) + 1 > SN_HIST_MAX)
        e++;
    return e;
}

/* Occupied bins that are listed; with more, all have their counts. */
enum { FEW = 512 };

void
sn_hist_init(SnHist *h, SnArena *a, const char *name)
{
    memset(h, 0, sizeof *h);
    h->name = name;
    h->min = INFINITY;
    h->max = -INFINITY;
    h->arena = a;
}

uint64_t *
sn_hist_bins(const SnHist *h, uint64_t room[SN_HIST_MAX])
{
    if (h->bin)
        return h->bin;
    memset(room, 0, SN_HIST_MAX * sizeof *room);
    for (uint32_t i = 0; i < h->nfew; i++)
        room[h->few[i].at] = h->few[i].n;
    return room;
}

static void
list_no_more(SnHist *h)
{
    h->bin = sn_hist_bins(h, SN_NEW_N(h->arena, uint64_t, SN_HIST_MAX));
    h->few = NULL;
    h->nfew = 0;
}

/* Adds to the list, where it can say the sum. */
static bool
put_few(SnHist *h, uint32_t at, uint64_t n)
{
    uint32_t lo = 0, hi = h->nfew;

    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (h->few[mid].at < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool have = lo < h->nfew && h->few[lo].at == at;
    if (n > UINT32_MAX - (have ? h->few[lo].n : 0))
        return false;
    if (have) {
        h->few[lo].n += (uint32_t)n;
        return true;
    }
    if (h->nfew == FEW)
        return false;
    h->few = sn_grow(h->arena, h->few, h->nfew, sizeof *h->few);
    memmove(h->few + lo + 1, h->few + lo, (h->nfew - lo) * sizeof *h->few);
    h->few[lo] = (SnBin){at, (uint32_t)n};
    h->nfew++;
    return true;
}

static inline void
put(SnHist *h, uint32_t at, uint64_t n)
{
    if (!h->bin && put_few(h, at, n))
        return;
    if (!h->bin)
        list_no_more(h);
    h->bin[at] += n;
}

void
sn_hist_put(SnHist *h, uint32_t at, uint64_t n)
{
    put(h, at, n);
}

/* A count that was in bin `at` of o, in the bin of h that covers it. */
static void
put_from(SnHist *h, const SnHist *o, uint32_t at, uint64_t n)
{
    int shift = h->exp - o->exp;
    int64_t k = o->first + (int64_t)at;

    /* floor(k / 2^shift), also for negative k */
    k = shift >= 62 ? (k < 0 ? -1 : 0)
        : k >= 0    ? k >> shift
                    : -((-k - 1) >> shift) - 1;
    put(h, (uint32_t)(k - h->first), n);
}

/* The counts of o in the bins of h, which cover o's; h->exp >= o->exp. */
static void
pour(SnHist *h, const SnHist *o)
{
    for (uint32_t i = 0; o->bin && i < o->nbin; i++)
        if (o->bin[i])
            put_from(h, o, i, o->bin[i]);
    for (uint32_t i = 0; i < o->nfew; i++)
        put_from(h, o, o->few[i].at, o->few[i].n);
}

/* Moves the counts to the bins of (e, first), which cover them; e >= h->exp. */
static void
rebin(SnHist *h, int e, int64_t first)
{
    SnHist was = *h;
    uint64_t bin[SN_HIST_MAX];
    SnBin few[FEW];

    if (h->bin) {
        was.bin = memcpy(bin, h->bin, sizeof bin);
        memset(h->bin, 0, sizeof bin);
    } else if (h->nfew) {
        was.few = memcpy(few, h->few, h->nfew * sizeof *few);
        h->nfew = 0;
    }
    h->exp = e;
    h->first = first;
    pour(h, &was);
}

static void
widen(SnHist *h, float lo, float hi)
{
    bool empty = h->count == 0;

    if (lo > h->min)
        lo = h->min;
    if (hi < h->max)
        hi = h->max;
    if (!empty && lo == h->min && hi == h->max)
        return;
    h->min = lo;
    h->max = hi;
    int e = exp_for(lo, hi);
    int64_t first = bin_of(lo, e);
    if (empty) {
        h->exp = e;
        h->first = first;
    } else if (e != h->exp || first != h->first) {
        rebin(h, e, first);
    }
    h->nbin = (uint32_t)(bin_of(hi, e) - first + 1);
}

void
sn_hist_add(SnHist *h, const float *v, int64_t n)
{
    float lo = INFINITY, hi = -INFINITY;
    int64_t nfinite = 0;

    for (int64_t i = 0; i < n; i++) {
        if (!(fabsf(v[i]) <= FLT_MAX))
            continue;
        nfinite++;
        if (v[i] < lo)
            lo = v[i];
        if (v[i] > hi)
            hi = v[i];
    }
    h->nonfinite += (uint64_t)(n - nfinite);
    if (nfinite == 0)
        return;
    /* 0 and -0 compare equal: keep the sign out of the profile. */
    widen(h, lo + 0.0f, hi + 0.0f);
    if (!h->bin && n > FEW)
        list_no_more(h);
    double scale = ldexp(1.0, -h->exp);
    for (int64_t i = 0; i < n; i++) {
        if (!(fabsf(v[i]) <= FLT_MAX))
            continue;
        double x = (double)v[i] * scale;
        int64_t k = (int64_t)x;
        k -= x < (double)k;
        put(h, (uint32_t)(k - h->first), 1);
    }
    h->count += (uint64_t)nfinite;
}

void
sn_hist_average(SnHist *h, const float *v, int64_t n, double c)
{
    float lo = INFINITY, hi = -INFINITY;

    for (int64_t i = 0; i < n; i++) {
        if (!(fabsf(v[i]) <= FLT_MAX))
            continue;
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    if (lo > hi)
        return;
    if (!h->averaged) {
        h->avg_min = lo + 0.0f;
        h->avg_max = hi + 0.0f;
    } else {
        double l = (double)h->avg_min, u = (double)h->avg_max;
        h->avg_min = (float)(l + c * ((double)lo - l));
        h->avg_max = (float)(u + c * ((double)hi - u));
    }
    h->averaged = true;
}

void
sn_hist_merge(SnHist *h, const SnHist *o)
{
    h->nonfinite += o->nonfinite;
    if (o->count == 0)
        return;
    if (!h->averaged) { /* there is one part at most that has them */
        h->averaged = o->averaged;
        h->avg_min = o->avg_min;
        h->avg_max = o->avg_max;
    }
    widen(h, o->min, o->max);
    pour(h, o);
    h->count += o->count;
}

static bool
is_profiled(const SnNode *n, unsigned r)
{
    return !n->data && n->res[r].type->elem == SN_F32 && n->res[r].name;
}

SnProfile *
sn_profile_new(SnArena *a, const SnGraph *g, uint64_t hash)
{
    SnProfile *p = SN_NEW(a, SnProfile);
    uint32_t n;
    SnId *topo = sn_topo(g, a, &n);

    p->model = sn_strdup(a, g->name ? g->name : "");
    p->hash = hash;
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        for (unsigned r = 0; r < node->nres; r++) {
            if (!is_profiled(node, r))
                continue;
            SnHist h;
            sn_hist_init(&h, a, sn_strdup(a, node->res[r].name));
            SN_PUSH(a, p->hist, p->n, h);
        }
    }
    sn_profile_index(a, p);
    return p;
}

static int
by_name(const void *x, const void *y)
{
    const SnHist *a = *(const SnHist *const *)x;
    const SnHist *b = *(const SnHist *const *)y;

    return strcmp(a->name, b->name);
}

const char *
sn_profile_index(SnArena *a, SnProfile *p)
{
    p->by_name = SN_NEW_N(a, const SnHist *, p->n + 1);
    for (uint32_t i = 0; i < p->n; i++)
        p->by_name[i] = &p->hist[i];
    qsort(p->by_name, p->n, sizeof *p->by_name, by_name);
    for (uint32_t i = 1; i < p->n; i++)
        if (strcmp(p->by_name[i - 1]->name, p->by_name[i]->name) == 0)
            return p->by_name[i]->name;
    return NULL;
}

const SnHist *
sn_profile_find(const SnProfile *p, const char *name)
{
    SnHist key = {.name = name};
    const SnHist *k = &key;
    const SnHist *const *at =
        bsearch(&k, p->by_name, p->n, sizeof *p->by_name, by_name);

    return at ? *at : NULL;
}

void
sn_profile_merge(SnProfile *p, const SnProfile *o)
{
    p->nsample += o->nsample;
    for (uint32_t i = 0; i < p->n && i < o->n; i++)
        sn_hist_merge(&p->hist[i], &o->hist[i]);
}

/* ---- running ---- */

typedef struct Part { /* one worker's share */
    SnArena *arena;
    SnProfile *profile;
} Part;

typedef struct Profiling {
    const SnExec *x;
    uint64_t hash;
    double average;
    Part part[SN_MAXJOB];
    uint32_t *index;               /* [ref] entry + 1, 0: not profiled */
    bool (*more)(void *, int64_t); /* NULL: the number is known */
    SnStatus (*fill)(void *, int64_t, SnRun *);
    void *ctx;
} Profiling;

typedef struct HookCtx {
    const uint32_t *index;
    SnProfile *profile;
    double average;
} HookCtx;

static void
see_value(void *ctx, SnRef ref, const SnTensor *t)
{
    HookCtx *h = ctx;
    uint32_t i = h->index[ref];

    if (!i)
        return;
    sn_hist_add(&h->profile->hist[i - 1], t->data, sn_shape_count(t->shape));
    if (h->average > 0)
        sn_hist_average(&h->profile->hist[i - 1], t->data,
                        sn_shape_count(t->shape), h->average);
}

static bool
more_samples(void *ctx, int64_t sample)
{
    Profiling *p = ctx;

    return p->more(p->ctx, sample);
}

static SnStatus
fill_sample(void *ctx, int64_t sample, SnRun *r)
{
    Profiling *p = ctx;

    return p->fill(p->ctx, sample, r);
}

static void
start_worker(void *ctx, unsigned worker, SnRun *r)
{
    Profiling *p = ctx;
    Part *part = &p->part[worker];
    HookCtx *h = SN_NEW(part->arena, HookCtx);

    h->index = p->index;
    h->profile = part->profile;
    h->average = p->average;
    r->hook = see_value;
    r->hook_ctx = h;
}

static void
count_sample(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    Profiling *p = ctx;

    (void)sample;
    (void)r;
    p->part[worker].profile->nsample++;
}

static void
index_values(SnArena *a, Profiling *p)
{
    const SnGraph *g = p->x->g;
    uint32_t n, entry = 0;
    SnId *topo = sn_topo(g, a, &n);

    p->index = SN_NEW_N(a, uint32_t, (size_t)g->nnode << SN_RESBITS);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned r = 0; r < sn_node(g, topo[i])->nres; r++)
            if (is_profiled(sn_node(g, topo[i]), r))
                p->index[SN_REF(topo[i], r)] = ++entry;
}

static SnStatus
run(SnArena *a, Profiling *pr, int64_t nsample, unsigned njob, SnDiag *d,
    SnProfile **out)
{
    Profiling p = *pr;
    const SnExec *x = p.x;
    uint64_t hash = p.hash;
    SnBatch b = {.x = x,
                 .nsample = nsample,
                 .fill = fill_sample,
                 .done = count_sample,
                 .start = start_worker,
                 .ctx = &p};
    unsigned n = sn_batch_njob(njob, 1, nsample);

    b.njob = n;
    b.more = p.more ? more_samples : NULL;
    b.progress = !p.more && isatty(2);
    index_values(a, &p);
    for (unsigned i = 0; i < n; i++) {
        p.part[i].arena = sn_arena_new();
        p.part[i].profile = sn_profile_new(p.part[i].arena, x->g, hash);
    }
    SnStatus st = sn_batch_run(&b, d);
    SnProfile *sum = sn_profile_new(a, x->g, hash);
    for (unsigned i = 0; i < n; i++) {
        sn_profile_merge(sum, p.part[i].profile);
        sn_arena_free(p.part[i].arena);
    }
    sum->average = p.average;
    *out = sum;
    return st;
}

SnStatus
sn_profile_run(SnArena *a, const SnExec *x, int64_t nsample, unsigned njob,
               SnStatus (*fill)(void *, int64_t, SnRun *), void *ctx,
               uint64_t hash, SnDiag *d, SnProfile **out)
{
    Profiling p = {.x = x, .hash = hash, .fill = fill, .ctx = ctx};

    return run(a, &p, nsample, njob, d, out);
}

SnStatus
sn_profile_run_stream(SnArena *a, const SnExec *x, double average,
                      bool (*more)(void *, int64_t),
                      SnStatus (*fill)(void *, int64_t, SnRun *), void *ctx,
                      uint64_t hash, SnDiag *d, SnProfile **out)
{
    Profiling p = {.x = x,
                   .hash = hash,
                   .fill = fill,
                   .more = more,
                   .ctx = ctx,
                   .average = average};

    return run(a, &p, INT64_MAX, 1, d, out);
}

SnStatus
sn_profile_run_averaged(SnArena *a, const SnExec *x, int64_t nsample, double c,
                        SnStatus (*fill)(void *, int64_t, SnRun *), void *ctx,
                        uint64_t hash, SnDiag *d, SnProfile **out)
{
    Profiling p = {
        .x = x, .hash = hash, .fill = fill, .ctx = ctx, .average = c};

    return run(a, &p, nsample, 1, d, out);
}
