// SPDX-License-Identifier: Apache-2.0
#include "run/bench/tune_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/isa.h"
#include "run/bench/bench.h"
#include "base/team/team.h"

/* Seconds for a comparison of two, and the least turns of each; the last
 * comparisons, whose figures are reported, get more. */
static const double SECONDS = 0.06, LAST_SECONDS = 0.3;
enum { LEAST = 3, LAST_LEAST = 7, MOST = 60, MOST_CANDIDATES = 6 };
static const double GAIN = 0.99; /* of the previous time, to be worth a
                                    change */

typedef struct Search {
    SnArena *a, *wave; /* of all of it, and of one comparison */
    const SnExec *x;   /* by the rules, */
    const SnTune *rules;
    SnRun *r;
    SnDiag *d;
    uint32_t nlayer;
    const uint32_t *layer_of; /* [nnode] of the graph; 0: none */
    double last, *sum;        /* clock; seconds of each layer in this run */
    double run_s;             /* of a run by the rules */
    uint32_t nrun, *ntried;
} Search;

typedef struct Pair { /* medians of two in turns, indexed as Search.sum */
    double *a, *b;
    double spread; /* SnTuneReport.spread, of a */
} Pair;

static void
tick(void *ctx, SnId node)
{
    Search *k = ctx;
    double s = sn_now();

    k->sum[k->layer_of[node]] += s - k->last;
    k->last = sn_now();
}

/* sum[0]: time outside layers; sum[nlayer + 1]: the whole. */
static SnStatus
one_run(Search *k, const SnExec *x)
{
    sn_run_switch(k->r, k->a, x);
    sn_bench_fill(k->r);
    memset(k->sum, 0, (k->nlayer + 2) * sizeof *k->sum);
    double from = k->last = sn_now();
    SnStatus st = sn_run(k->r);
    if (st != SN_OK)
        return sn_fail(k->d, st, k->r->where, "%s", k->r->why);
    k->sum[k->nlayer + 1] = sn_now() - from;
    k->nrun++;
    return SN_OK;
}

/* Each turn is two runs.  The second counts: its weights are in the caches as a
 * run leaves them. */
static SnStatus
in_turns(Search *k, const SnExec *xa, const SnExec *xb, bool last, Pair *p)
{
    double turns = (last ? LAST_SECONDS : SECONDS) /
                   (4 * (k->run_s > 0 ? k->run_s : 1e-9));
    uint32_t least = last ? LAST_LEAST : LEAST;
    uint32_t n = turns < least ? least : turns > MOST ? MOST : (uint32_t)turns;
    uint32_t m = k->nlayer + 2;
    double *v = SN_NEW_N(k->wave, double, 2 * (size_t)m * n);

    for (uint32_t t = 0; t < n; t++)
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t which = side ^ (t & 1);
            SN_TRY(one_run(k, which ? xb : xa));
            SN_TRY(one_run(k, which ? xb : xa));
            for (uint32_t i = 0; i < m; i++)
                v[(which * m + i) * n + t] = k->sum[i];
        }
    for (uint32_t i = 0; i < 2 * m; i++) {
        sn_sort(v + (size_t)i * n, n);
        (i < m ? p->a : p->b)[i < m ? i : i - m] = v[(size_t)i * n + n / 2];
    }
    const double *run = v + (size_t)(m - 1) * n;
    p->spread = (run[n - 1 - n / 4] - run[n / 4]) / run[n / 2];
    return SN_OK;
}

static Pair
pair_new(const Search *k)
{
    return (Pair){SN_NEW_N(k->a, double, k->nlayer + 2),
                  SN_NEW_N(k->a, double, k->nlayer + 2), 0};
}

/* ---- candidates ---- */

typedef struct Candidates {
    uint32_t n;
    SnConvPick v[MOST_CANDIDATES];
} Candidates;

/* Keeps k if it fits and is new. */
static void
add(const SnTune *t, const SnTuneLayer *l, const SnConvPick *k, Candidates *c)
{
    bool known = sn_conv_same_pick(k, &l->pick);

    for (uint32_t i = 0; i < c->n; i++)
        known |= sn_conv_same_pick(k, &c->v[i]);
    if (!known && c->n < MOST_CANDIDATES &&
        sn_tune_fits(t->isa, &l->geo, l->kind, k))
        c->v[c->n++] = *k;
}

typedef void Axis(const SnTune *t, const SnTuneLayer *l, Candidates *c);

/* Only one of the picks that cut the channels into the same number of
 * panels. */
static void
panels(const SnTune *t, const SnTuneLayer *l, Candidates *c)
{
    int64_t lanes = (l->geo.oc / l->geo.group + SN_LANE - 1) / SN_LANE;
    int64_t was = l->pick.npanel ? (lanes - 1) / l->pick.npanel : 0;

    for (int n = SN_PANELS; n > 0 && l->pick.npanel; n--) {
        SnConvPick k = l->pick;
        k.npanel = n;
        if ((lanes - 1) / n != was &&
            sn_tune_fits(t->isa, &l->geo, l->kind, &k)) {
            was = (lanes - 1) / n;
            add(t, l, &k, c);
        }
    }
}

static void
padding(const SnTune *t, const SnTuneLayer *l, Candidates *c)
{
    SnConvPick k = l->pick;

    k.clip = !k.clip;
    k.tiles = false;
    add(t, l, &k, c);
    if (l->kind == SN_TUNE_TILES)
        k = sn_tune_rules(t->isa, &l->geo, SN_TUNE_CODES);
    add(t, l, &k, c);
    k = l->pick;
    k.tiles = true;
    k.clip = false;
    add(t, l, &k, c);
}

static void
rows(const SnTune *t, const SnTuneLayer *l, Candidates *c)
{
    static const int64_t quarters[] = {2, 8, 16, 1};
    int64_t oh = l->geo.oh, rows_now = l->pick.rows ? l->pick.rows : 1;
    int64_t n = (oh + rows_now - 1) / rows_now;
    SnConvPick k = l->pick;

    k.rows = n ? (oh + n - 1) / n : 0; /* chunks of equal sizes */
    add(t, l, &k, c);
    for (int i = 0; i < 4; i++) {
        k.rows = l->pick.rows * quarters[i] / 4;
        k.rows = k.rows > oh ? oh : k.rows;
        add(t, l, &k, c);
    }
    k.rows = oh;
    add(t, l, &k, c);
}

static void
shares(const SnTune *t, const SnTuneLayer *l, Candidates *c)
{
    SnConvPick k = l->pick;

    k.by_block = !k.by_block;
    if (t->nthread > 1)
        add(t, l, &k, c);
}

/* ---- the search ---- */

/* Candidate i of every layer that has one, against best; better ratios and
 * their picks go to ratio and found. */
static SnStatus
try_candidates(Search *k, const SnExec *x, const SnTune *best,
               const Candidates *c, uint32_t i, double *ratio,
               SnConvPick *found)
{
    SnTune *t = sn_tune_copy(k->wave, best);
    Pair p = pair_new(k);

    for (uint32_t j = 0; j < k->nlayer; j++)
        if (i < c[j].n)
            t->layer[j].pick = c[j].v[i];
    SN_TRY(in_turns(k, x, sn_exec_retune(k->wave, x, best, t), false, &p));
    for (uint32_t j = 0; j < k->nlayer; j++) {
        if (i >= c[j].n)
            continue;
        k->ntried[j]++;
        if (p.b[j + 1] < ratio[j] * p.a[j + 1]) {
            ratio[j] = p.b[j + 1] / p.a[j + 1];
            found[j] = c[j].v[i];
        }
    }
    return SN_OK;
}

static SnStatus
search_axis(Search *k, SnTune *best, Axis *axis, SnArena *tmp)
{
    const SnExec *x = sn_exec_retune(tmp, k->x, k->rules, best);
    Candidates *c = SN_NEW_N(tmp, Candidates, k->nlayer);
    SnConvPick *found = SN_NEW_N(tmp, SnConvPick, k->nlayer);
    double *ratio = SN_NEW_N(tmp, double, k->nlayer);
    uint32_t most = 0;
    SnStatus st = SN_OK;

    for (uint32_t j = 0; j < k->nlayer; j++) {
        axis(best, &best->layer[j], &c[j]);
        found[j] = best->layer[j].pick;
        ratio[j] = GAIN;
        most = c[j].n > most ? c[j].n : most;
    }
    for (uint32_t i = 0; i < most && st == SN_OK; i++) {
        k->wave = sn_arena_new();
        st = try_candidates(k, x, best, c, i, ratio, found);
        sn_arena_free(k->wave);
    }
    for (uint32_t j = 0; j < k->nlayer; j++)
        best->layer[j].pick = found[j];
    return st;
}

static SnStatus
search(Search *k, SnTune *best)
{
    static Axis *const axes[] = {padding, panels, rows, shares};
    SnStatus st = SN_OK;

    for (int i = 0; i < 4 && st == SN_OK; i++) {
        SnArena *tmp = sn_arena_new();
        st = search_axis(k, best, axes[i], tmp);
        sn_arena_free(tmp);
    }
    return st;
}

/* Compares the rules with the picks that were found. */
static SnStatus
against_rules(Search *k, SnTune *best, Pair *p)
{
    k->wave = sn_arena_new();
    SnStatus st = in_turns(
        k, k->x, sn_exec_retune(k->wave, k->x, k->rules, best), true, p);
    sn_arena_free(k->wave);
    return st;
}

static SnStatus
search_and_check(Search *k, SnTune *best, Pair *p)
{
    SN_TRY(one_run(k, k->x));
    SN_TRY(one_run(k, k->x));
    k->run_s = k->sum[k->nlayer + 1];
    SN_TRY(search(k, best));
    SN_TRY(against_rules(k, best, p));
    for (uint32_t j = 0; j < k->nlayer; j++)
        if (p->b[j + 1] > GAIN * p->a[j + 1])
            best->layer[j].pick = k->rules->layer[j].pick;
    return against_rules(k, best, p);
}

/* ---- the report ---- */

static int
slowest(const void *x, const void *y)
{
    const SnTuneRow *a = x, *b = y;

    if (a->rules_s != b->rules_s)
        return a->rules_s < b->rules_s ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static SnTuneReport *
report(const Search *k, SnArena *a, const SnTune *best, const Pair *p)
{
    SnTuneReport *t = SN_NEW(a, SnTuneReport);

    t->tune = sn_tune_copy(a, best);
    t->nrow = k->nlayer;
    t->row = SN_NEW_N(a, SnTuneRow, k->nlayer + 1);
    for (uint32_t j = 0; j < k->nlayer; j++) {
        SnTuneRow *r = &t->row[j];
        r->layer = &t->tune->layer[j];
        r->rules = k->rules->layer[j].pick;
        r->ntried = k->ntried[j] + 1;
        r->rules_s = p->a[j + 1];
        bool kept = sn_conv_same_pick(&r->rules, &r->layer->pick);
        r->best_s = kept ? r->rules_s : p->b[j + 1];
        t->rules_s += r->rules_s;
        t->best_s += r->best_s;
    }
    for (uint32_t i = k->x->nstep; i-- > 0;)
        if (k->x->step[i].layer) {
            SnTuneRow *r = &t->row[k->x->step[i].layer - 1];
            r->node = k->x->step[i].node;
            r->nnode++;
        }
    qsort(t->row, t->nrow, sizeof *t->row, slowest);
    t->rules_run_s = p->a[k->nlayer + 1];
    t->best_run_s = p->b[k->nlayer + 1];
    t->nrun = k->nrun;
    t->spread = p->spread;
    return t;
}

static SnStatus
tune(Search *k, SnArena *a, const SnBackendDesc *backend, const SnGraph *g,
     unsigned nthread, SnTuneReport **out)
{
    SnTune *rules = sn_tune_new(k->a, sn_isa(), nthread);

    SN_TRY(sn_exec_prepare_tune(k->a, g, backend, NULL, rules, k->d, &k->x));
    uint32_t *layer_of = SN_NEW_N(k->a, uint32_t, g->nnode);
    for (uint32_t i = 0; i < k->x->nstep; i++)
        layer_of[k->x->step[i].node] = k->x->step[i].layer;
    k->rules = rules;
    k->layer_of = layer_of;
    k->nlayer = rules->nlayer;
    k->sum = SN_NEW_N(k->a, double, k->nlayer + 2);
    k->ntried = SN_NEW_N(k->a, uint32_t, k->nlayer + 1);
    k->r = sn_run_team(k->a, k->x, nthread);
    k->r->step_hook = tick;
    k->r->step_ctx = k;
    SnTune *best = sn_tune_copy(k->a, rules);
    Pair p = pair_new(k);
    double far = k->r->team ? sn_team_roundtrip() : 0;
    SnStatus st = search_and_check(k, best, &p);
    if (st == SN_OK)
        *out = report(k, a, best, &p);
    if (st == SN_OK && k->r->team)
        (*out)->roundtrip = fmax(far, sn_team_roundtrip());
    sn_run_free(k->r);
    return st;
}

SnStatus
sn_tune_search(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
               unsigned nthread, SnDiag *d, SnTuneReport **out)
{
    Search k = {.a = sn_arena_new(), .d = d};
    SnStatus st = tune(&k, a, backend, g, nthread, out);

    sn_arena_free(k.a);
    return st;
}
