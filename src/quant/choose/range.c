// SPDX-License-Identifier: Apache-2.0
#include "quant/choose/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmath.h"

static const char *const names[] = {
    [SN_MINMAX] = "minmax",          [SN_PERCENTILE] = "percentile",
    [SN_ENTROPY] = "entropy",        [SN_MSE] = "mse",
    [SN_AVERAGE] = "moving-average", [SN_NRANGE] = NULL,
};

const char *
sn_range_parse(const char *text, SnRangeRule *out)
{
    size_t n = strcspn(text, "=");

    for (unsigned i = 0; i < SN_NRANGE; i++) {
        if (strlen(names[i]) != n || strncmp(names[i], text, n) != 0)
            continue;
        *out = (SnRangeRule){(SnRangeKind)i, SN_PERCENTILE_DEFAULT};
        if (!text[n])
            return NULL;
        if (i != SN_PERCENTILE)
            return "takes no number";
        char *end;
        out->p = strtod(text + n + 1, &end);
        if (end == text + n + 1 || *end || !(out->p > 50 && out->p <= 100))
            return "requires a number above 50 and at most 100";
        return NULL;
    }
    return "is not a range rule: there are minmax, percentile[=P], entropy, "
           "mse and moving-average";
}

const char *
sn_range_str(SnArena *a, SnRangeRule r)
{
    if (r.kind == SN_PERCENTILE)
        return sn_format(a, "percentile=%.10g", r.p);
    return names[r.kind];
}

/* The real at the lower edge of bin i. */
static double
edge(const SnHist *h, int64_t i)
{
    return ldexp((double)(h->first + i), h->exp);
}

static void
clip_to_seen(const SnHist *h, double *lo, double *hi)
{
    if (*lo < (double)h->min)
        *lo = (double)h->min;
    if (*hi > (double)h->max)
        *hi = (double)h->max;
}

/* ---- percentile ---- */

static void
percentile(const SnHist *h, double p, double *lo, double *hi)
{
    double most = (double)h->count * ((100 - p) / 200);
    uint64_t out = 0;
    int64_t i = 0, k = (int64_t)h->nbin;

    while (i < k && (double)(out + h->bin[i]) <= most)
        out += h->bin[i++];
    out = 0;
    while (k > i + 1 && (double)(out + h->bin[k - 1]) <= most)
        out += h->bin[--k];
    *lo = edge(h, i);
    *hi = edge(h, k);
    clip_to_seen(h, lo, hi);
}

/* ---- mse ---- */

/* The integral of the squared error over [0, x], for codes at the multiples
 * n * s with lo <= n <= hi: past both ends it goes on as a cubic. */
static double
error_to(double x, double s, double lo, double hi)
{
    double n = rint(x / s);

    n = n < lo ? lo : n > hi ? hi : n;
    double r = x - n * s;
    return n * (s * s * s / 12) + r * r * r / 3;
}

double
sn_range_mse(const SnHist *h, SnParam q, SnElem e)
{
    double s = (double)q.scale, w = ldexp(1.0, h->exp), sum = 0;
    double lo = (double)(sn_elem_lo(e) - q.zp);
    double hi = (double)(sn_elem_hi(e) - q.zp);
    uint64_t room[SN_HIST_MAX];
    const uint64_t *bin = sn_hist_bins(h, room);

    for (uint32_t i = 0; i < h->nbin; i++) {
        if (!bin[i])
            continue;
        double x = edge(h, i);
        sum += (double)bin[i] *
               (error_to(x + w, s, lo, hi) - error_to(x, s, lo, hi));
    }
    return sum / (w * (double)h->count);
}

/* ---- entropy ---- */

typedef struct Entropy { /* per code: values, and bins that have any */
    uint64_t *count;
    uint32_t *nbin;
} Entropy;

static int64_t
code_of(double x, SnParam q, int64_t lo, int64_t hi)
{
    double v = rint(x / (double)q.scale) + (double)q.zp;

    return v < (double)lo ? lo : v > (double)hi ? hi : (int64_t)v;
}

/* The divergence of the histogram from what its quantization keeps of it.
 * In the reference, values outside [lo, hi] stand at its ends, where they
 * saturate to; in the quantized form they are lost.  A code's values are
 * spread evenly over the occupied bins it covers.  Where nothing need be
 * merged, with fewer bins than codes or most of them empty, the measure says
 * nothing, and only the whole range is considered. */
static double
divergence(const SnHist *h, SnParam q, SnElem e, double lo, double hi,
           const Entropy *en)
{
    int64_t qlo = sn_elem_lo(e), qhi = sn_elem_hi(e), zero = -h->first;
    size_t ncode = (size_t)(qhi - qlo + 1);
    double w = ldexp(1.0, h->exp), all = 0, inside = 0, sum = 0;
    int64_t a = -1, b = -1;
    int64_t noccupied = 0;

    memset(en->count, 0, ncode * sizeof *en->count);
    memset(en->nbin, 0, ncode * sizeof *en->nbin);
    for (int64_t i = 0; i < (int64_t)h->nbin; i++) {
        double x = edge(h, i) + w / 2;
        if (i == zero || !h->bin[i])
            continue;
        all += (double)h->bin[i];
        if (x < lo || x > hi)
            continue;
        a = a < 0 ? i : a;
        b = i;
        inside += (double)h->bin[i];
        noccupied++;
        int64_t c = code_of(x, q, qlo, qhi) - qlo;
        en->count[c] += h->bin[i];
        en->nbin[c]++;
    }
    if (a < 0)
        return INFINITY;
    bool whole = lo <= (double)h->min && hi >= (double)h->max;
    if (!whole && (hi - lo < w * (double)ncode || noccupied < (b - a + 1) / 4))
        return INFINITY;
    double below = 0, above = 0;
    for (int64_t i = 0; i < (int64_t)h->nbin; i++) {
        if (i == zero)
            continue;
        if (i < a)
            below += (double)h->bin[i];
        if (i > b)
            above += (double)h->bin[i];
    }
    for (int64_t i = a; i <= b; i++) {
        if (i == zero || !h->bin[i])
            continue;
        int64_t c = code_of(edge(h, i) + w / 2, q, qlo, qhi) - qlo;
        double p =
            (double)h->bin[i] + (i == a ? below : 0) + (i == b ? above : 0);
        double k = (double)en->count[c] / (double)en->nbin[c];
        sum += p * sn_log((p / all) / (k / inside));
    }
    return sum / all;
}

/* ---- the search ---- */

typedef struct Search {
    const SnHist *h;
    SnRangeKind kind;
    SnSchema s;
    SnElem e;
    Entropy en;
} Search;

static double
cost_of(const Search *z, double lo, double hi)
{
    SnParam q = sn_choose(z->s, z->e, lo, hi, 0);

    if (z->kind == SN_MSE)
        return sn_range_mse(z->h, q, z->e);
    return divergence(z->h, q, z->e, lo, hi, &z->en);
}

/* Both ends at once, then each alone, until neither moves. */
static void
search(const Search *z, double *lo, double *hi)
{
    double top = *hi, bottom = *lo, best = cost_of(z, bottom, top);
    int kl = SN_RANGE_STEPS, kh = SN_RANGE_STEPS;
    double step = 1.0 / SN_RANGE_STEPS;

    for (int k = SN_RANGE_STEPS - 1; k > 0; k--) {
        double c = cost_of(z, bottom * (k * step), top * (k * step));
        if (c < best) {
            best = c;
            kl = kh = k;
        }
    }
    for (int round = 0; round < 3 && bottom < 0 && top > 0; round++) {
        int was_l = kl, was_h = kh;
        for (int k = SN_RANGE_STEPS; k > 0; k--) {
            double c = cost_of(z, bottom * (kl * step), top * (k * step));
            if (c < best) {
                best = c;
                kh = k;
            }
        }
        for (int k = SN_RANGE_STEPS; k > 0; k--) {
            double c = cost_of(z, bottom * (k * step), top * (kh * step));
            if (c < best) {
                best = c;
                kl = k;
            }
        }
        if (kl == was_l && kh == was_h)
            break;
    }
    *lo = bottom * (kl * step);
    *hi = top * (kh * step);
}

void
sn_range_choose(SnRangeRule r, const SnHist *h, SnSchema s, SnElem e,
                double *lo, double *hi)
{
    *lo = (double)h->min;
    *hi = (double)h->max;
    if (r.kind == SN_MINMAX || !(h->min < h->max))
        return;
    if (r.kind == SN_AVERAGE) {
        *lo = h->averaged ? (double)h->avg_min : *lo;
        *hi = h->averaged ? (double)h->avg_max : *hi;
        return;
    }
    uint64_t room[SN_HIST_MAX];
    SnHist all = *h;
    all.bin = sn_hist_bins(h, room);
    if (r.kind == SN_PERCENTILE) {
        percentile(&all, r.p, lo, hi);
        return;
    }
    Search z = {.h = &all, .kind = r.kind, .s = s, .e = e};
    if (r.kind == SN_ENTROPY && e != SN_QI8)
        return; /* every bin has codes of its own */
    /* An end on the far side of 0 is unused: 0 is in every range. */
    if (*lo > 0)
        *lo = 0;
    if (*hi < 0)
        *hi = 0;
    SnArena *a = sn_arena_new();
    if (r.kind == SN_ENTROPY) {
        size_t n = (size_t)(sn_elem_hi(e) - sn_elem_lo(e) + 1);
        z.en.count = SN_NEW_N(a, uint64_t, n);
        z.en.nbin = SN_NEW_N(a, uint32_t, n);
    }
    search(&z, lo, hi);
    sn_arena_free(a);
    clip_to_seen(h, lo, hi);
}
