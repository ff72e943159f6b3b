// SPDX-License-Identifier: Apache-2.0
/* Which steps run band by band: the cheapest chains, and rows of their calls,
 * that keep the bytes of the arena in use at every step within a limit; and
 * which limit pays. */
#include "aot/band/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 14, MOST_COUNTS = 7, MOST_CLIMBED = 12 };

/* 1 % more instructions must save 10 % of the arena; all chains together may
 * not cost more than this fraction of the instructions. */
static const double most_cost = .008, bytes_for_cost = 10, least_saved = .03;

typedef struct SnBandChain {
    uint32_t first, last;
    int64_t count[MOST_STEPS]; /* rows a call of each step */
    size_t use;                /* bytes in use while it runs */
    double cost;               /* instructions beyond those without the chain */
    double score;              /* the least is best */
} Chain;
typedef SnBandSearch Search;

static SnStatus
way_of(Search *q, uint32_t s, int64_t count, const SnBandWay **out)
{
    SnBandWay w = {.count = count};

    for (uint32_t i = 0; i < q->nway[s]; i++)
        if (q->known[s][i].count == count) {
            *out = &q->known[s][i];
            return SN_OK;
        }
    SN_TRY(q->way(q->of, s, &w));
    SN_PUSH(q->a, q->known[s], q->nway[s], w);
    *out = &q->known[s][q->nway[s] - 1];
    return SN_OK;
}

/* ---- chains ---- */

/* Can step s + 1 follow it in a chain? */
static bool
is_link(const Search *q, uint32_t s)
{
    return q->band[s].link && !q->band[s].on && !q->band[s + 1].on;
}

static int64_t
divisor(int64_t n, int64_t most)
{
    while (n % most)
        most--;
    return most;
}

/* How step s runs in the chain. */
static SnBand
band_of(const Search *q, const Chain *c, uint32_t s)
{
    const int64_t *count = &c->count[s - c->first];
    SnBand b = q->band[s];

    b.on = true;
    b.first = c->first;
    b.last = c->last;
    b.copied = s == c->first && !b.plain;
    sn_band_rows(&b, *count, b.copied ? -1 : s == c->first ? 0 : count[-1]);
    return b;
}

static SnStatus
enter(Search *q, const Chain *c)
{
    for (uint32_t s = c->first; s <= c->last; s++) {
        const SnBandWay *w;
        SN_TRY(way_of(q, s, c->count[s - c->first], &w));
        q->band[s] = band_of(q, c, s);
        q->band[s].tile = w->tile;
        q->live[s] = c->use;
    }
    return SN_OK;
}

/* Memory is laid out in units of this many bytes. */
enum { ALIGN = 16 };

static size_t
up(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes above the limit count more than any cost. */
static const double above = 1e15;

/* Sets the score; good: the choice is possible. */
static SnStatus
try_chain(Search *q, Chain *c, bool *good)
{
    size_t scratch = 0;

    *good = true;
    c->use = q->stay;
    c->cost = 0;
    for (uint32_t s = c->first; s <= c->last; s++) {
        const SnBandWay *w;
        SN_TRY(way_of(q, s, c->count[s - c->first], &w));
        *good = w->ok;
        if (!w->ok)
            return SN_OK;
        SnBand b = band_of(q, c, s);
        scratch = w->scratch > scratch ? w->scratch : scratch;
        c->use += up(sn_band_bytes(&b));
        c->cost += w->cost + sn_band_copying(&b);
    }
    c->use += up(scratch);
    c->score = c->use > q->most ? above + (double)c->use : c->cost;
    return SN_OK;
}

/* Rows a call: those that one call of the next step newly reads, or half of
 * these. */
static void
set_counts(const Search *q, Chain *c, int64_t count, int parts)
{
    for (uint32_t s = c->last;; s--) {
        const SnBand *b = &q->band[s];
        c->count[s - c->first] = count;
        if (s == c->first)
            return;
        count = (count * b->step + parts - 1) / parts;
        count = divisor(b->xnrow, count < b->xnrow ? count : b->xnrow);
    }
}

static SnStatus
try_counts(Search *q, uint32_t first, uint32_t last)
{
    int64_t n = q->band[last].nrow;
    int tried = 0;

    q->stay = q->fixed(q->of, first, last);
    for (int64_t count = 1; count <= n / 2 && tried < MOST_COUNTS; count++) {
        if (n % count)
            continue;
        tried++;
        for (int parts = 1; parts <= 2; parts++) {
            Chain c = {.first = first, .last = last};
            bool good;
            set_counts(q, &c, count, parts);
            SN_TRY(try_chain(q, &c, &good));
            if (good)
                SN_PUSH(q->a, q->chain, q->nchain, c);
        }
    }
    return SN_OK;
}

/* The next divisor of n, up or down; 0: none. */
static int64_t
next_divisor(int64_t n, int64_t count, int by)
{
    for (count += by; count > 0 && count <= n; count += by)
        if (n % count == 0)
            return count;
    return 0;
}

/* Looks for better counts, changing one or two at a time. */
typedef struct Climb {
    Search *q;
    Chain at, best; /* of all choices seen */
    double weight;  /* of instructions, against bytes */
    bool better;
} Climb;

static double
height(const Climb *w, const Chain *c)
{
    return (double)c->use / (double)w->q->most +
           w->weight * c->cost / w->q->all;
}

/* Other counts of steps i and i + 1. */
static SnStatus
change(Climb *w, uint32_t i, int by, int by2)
{
    const SnBand *b = &w->q->band[w->at.first + i];
    Chain d = w->at;
    bool good = true;

    if (by)
        d.count[i] = next_divisor(b[0].nrow, d.count[i], by);
    if (by2)
        d.count[i + 1] = next_divisor(b[1].nrow, d.count[i + 1], by2);
    if (!d.count[i] || (by2 && !d.count[i + 1]))
        return SN_OK;
    SN_TRY(try_chain(w->q, &d, &good));
    if (good && d.score < w->best.score)
        w->best = d;
    if (!good || height(w, &d) >= height(w, &w->at))
        return SN_OK;
    w->at = d;
    w->better = true;
    return SN_OK;
}

/* Moves to the least of bytes and instructions together, and keeps the best
 * choice on the way. */
static SnStatus
climb(Search *q, Chain *c, double weight)
{
    Climb w = {.q = q, .at = *c, .best = *c, .weight = weight, .better = true};

    q->stay = q->fixed(q->of, c->first, c->last);
    while (w.better) {
        w.better = false;
        for (uint32_t i = 0; i <= c->last - c->first; i++)
            for (int by = -1; by <= 1; by++)
                for (int by2 = -1; by2 <= 1; by2++)
                    if ((by || by2) && (!by2 || c->first + i < c->last))
                        SN_TRY(change(&w, i, by, by2));
    }
    *c = w.best;
    return SN_OK;
}

static int
better(const void *x, const void *y)
{
    const Chain *a = x, *b = y;

    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->last != b->last)
        return a->last < b->last ? -1 : 1;
    return a->count[0] < b->count[0] ? -1 : a->count[0] > b->count[0];
}

/* Chains with the step; cover: chains that also have every step above the limit
 * that can be in a chain with it. */
static SnStatus
find_chains(Search *q, uint32_t peak, bool cover)
{
    uint32_t lo = peak, hi = peak, from = peak, to = peak;

    while (lo > 0 && peak - lo + 1 < MOST_STEPS && is_link(q, lo - 1))
        lo--;
    while (hi + 1 < q->nstep && hi - peak + 1 < MOST_STEPS && is_link(q, hi))
        hi++;
    for (uint32_t s = lo; s <= hi && cover; s++)
        if (q->live[s] > q->most) {
            from = s < from ? s : from;
            to = s > to ? s : to;
        }
    q->nchain = 0;
    q->chain = NULL;
    for (uint32_t first = lo; first <= from; first++)
        for (uint32_t last = to; last <= hi; last++)
            if (last > first && last - first < MOST_STEPS)
                SN_TRY(try_counts(q, first, last));
    if (q->nchain)
        qsort(q->chain, q->nchain, sizeof *q->chain, better);
    for (uint32_t i = 0; i < q->nchain && i < MOST_CLIMBED; i++)
        for (double weight = 3; weight < 100; weight *= 4)
            SN_TRY(climb(q, &q->chain[i], weight));
    if (q->nchain)
        qsort(q->chain, q->nchain, sizeof *q->chain, better);
    return SN_OK;
}

/* ---- limits ---- */

void
sn_band_leave(SnBandSearch *q)
{
    for (uint32_t s = 0; s < q->nstep; s++)
        q->band[s].on = q->band[s].copied = false;
    memcpy(q->live, q->least, q->nstep * sizeof *q->live);
}

static uint32_t
peak_of(const Search *q)
{
    uint32_t peak = 0;

    for (uint32_t s = 0; s < q->nstep; s++)
        peak = q->live[s] > q->live[peak] ? s : peak;
    return peak;
}

double
sn_band_cost(const SnBandSearch *q)
{
    double sum = 0;

    for (uint32_t s = 0; s < q->nstep; s++) {
        const SnBand *b = &q->band[s];
        if (!b->on)
            continue;
        sum += sn_band_copying(b);
        for (uint32_t i = 0; i < q->nway[s]; i++)
            if (q->known[s][i].count == b->count)
                sum += q->known[s][i].cost;
    }
    return sum;
}

/* Chains that keep the bytes in use at every step to `most`; ok false: there
 * are none, and those that come closest are kept. */
static SnStatus
reach_by(Search *q, size_t most, bool cover, bool *ok)
{
    q->most = most;
    sn_band_leave(q);
    for (;;) {
        uint32_t peak = peak_of(q);
        *ok = q->live[peak] <= most;
        if (*ok || q->band[peak].on)
            return SN_OK;
        SN_TRY(find_chains(q, peak, cover));
        Chain c = q->nchain ? q->chain[0] : (Chain){.use = SIZE_MAX};
        if (c.use >= q->live[peak])
            return SN_OK;
        SN_TRY(enter(q, &c));
    }
}

/* The cheaper of few long chains and many short ones. */
static SnStatus
reach(Search *q, size_t most, bool *ok)
{
    bool ok2;

    SN_TRY(reach_by(q, most, true, ok));
    double cost = sn_band_cost(q);
    size_t use = q->live[peak_of(q)];
    SN_TRY(reach_by(q, most, false, &ok2));
    if (*ok != ok2 ? ok2
        : ok2      ? sn_band_cost(q) < cost
                   : q->live[peak_of(q)] < use) {
        *ok = ok2;
        return SN_OK;
    }
    return reach_by(q, most, true, ok);
}

SnStatus
sn_band_reach(SnBandSearch *q, size_t most)
{
    bool ok;

    return reach(q, most, &ok);
}

/* In twentieths of the arena. */
SnStatus
sn_band_limit(SnBandSearch *q, size_t arena, size_t *best)
{
    double least = 1 - least_saved;

    *best = arena;
    for (size_t k = 19; k > 0; k--) {
        bool ok;
        SN_TRY(reach(q, arena / 20 * k, &ok));
        double cost = sn_band_cost(q) / q->all;
        if (!ok || cost > most_cost)
            return SN_OK;
        double score =
            (double)q->live[peak_of(q)] / (double)arena + bytes_for_cost * cost;
        if (score <= least) {
            least = score;
            *best = arena / 20 * k;
        }
    }
    return SN_OK;
}

void
sn_band_open(SnBandSearch *q)
{
    q->nway = SN_NEW_N(q->a, uint32_t, q->nstep + 1);
    q->known = SN_NEW_N(q->a, SnBandWay *, q->nstep + 1);
    q->live = SN_NEW_N(q->a, size_t, q->nstep + 1);
    sn_band_leave(q);
}
