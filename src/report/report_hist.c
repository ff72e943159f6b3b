// SPDX-License-Identifier: Apache-2.0
/* Ranges: the histogram of each value, the interval that its codes hold, and
 * how much of the data lies outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_priv.h"

/* Columns of a histogram in the report: neighbouring bins are added up. */
enum { COLUMNS = 96 };

/* The reals that codes of t hold, half a step more on each side: from and to
 * of all of its scales. */
static void
code_range(const SnType *t, double *from, double *to)
{
    double lo = (double)sn_elem_lo(t->elem), hi = (double)sn_elem_hi(t->elem);

    *from = INFINITY;
    *to = -INFINITY;
    for (uint32_t i = 0; i < t->nq; i++) {
        double s = (double)t->scale[i], z = t->zp[i];
        *from = fmin(*from, s * (lo - z - 0.5));
        *to = fmax(*to, s * (hi - z + 0.5));
    }
}

/* Bins are counted as a whole, by their middle. */
static void
put_cut(SnJson *j, const SnHist *h, const uint64_t *bin, const SnType *t)
{
    double from, to, step = ldexp(1, h->exp);
    uint64_t below = 0, above = 0;

    code_range(t, &from, &to);
    for (uint32_t i = 0; i < h->nbin; i++) {
        double mid = ((double)h->first + i + 0.5) * step;
        below += mid < from ? bin[i] : 0;
        above += mid > to ? bin[i] : 0;
    }
    sn_json_open(j, "codes", '{');
    sn_json_str(j, "elem", sn_elem_name(t->elem));
    sn_json_num(j, "from", from);
    sn_json_num(j, "to", to);
    sn_json_num(j, "below", h->count ? (double)below / (double)h->count : 0);
    sn_json_num(j, "above", h->count ? (double)above / (double)h->count : 0);
    sn_json_close(j, '}');
}

static void
put_hist(SnJson *j, const SnHist *h, const SnType *t)
{
    uint64_t room[SN_HIST_MAX], *bin = sn_hist_bins(h, room);
    uint32_t merge = 1;

    while ((h->nbin + merge - 1) / merge > COLUMNS)
        merge *= 2;
    sn_json_open(j, NULL, '{');
    sn_json_str(j, "value", h->name);
    sn_json_num(j, "min", (double)h->min);
    sn_json_num(j, "max", (double)h->max);
    sn_json_int(j, "count", (long long)h->count);
    sn_json_int(j, "nonfinite", (long long)h->nonfinite);
    sn_json_num(j, "start", ldexp((double)h->first, h->exp));
    sn_json_num(j, "step", ldexp(merge, h->exp));
    sn_json_open(j, "bins", '[');
    for (uint32_t i = 0; i < h->nbin; i += merge) {
        uint64_t n = 0;
        for (uint32_t k = i; k < i + merge && k < h->nbin; k++)
            n += bin[k];
        sn_json_int(j, NULL, (long long)n);
    }
    sn_json_close(j, ']');
    if (t && t->nq)
        put_cut(j, h, bin, t);
    sn_json_close(j, '}');
}

static int
by_name(const void *x, const void *y)
{
    const SnMade *const *a = x, *const *b = y;

    return strcmp((*a)->name, (*b)->name);
}

/* The type of the value of that name in the int8 graph, or NULL. */
static const SnType *
made_type(const SnMade *const *made, uint32_t n, const char *name)
{
    const SnMade key = {.name = name}, *k = &key;
    const SnMade *const *m =
        n ? bsearch(&k, made, n, sizeof *made, by_name) : NULL;

    return m ? (*m)->type : NULL;
}

void
sn_report_ranges(SnJson *j, const char *key, const SnReport *r)
{
    const SnComparison *c = r->comparison;
    const SnMade **made = SN_NEW_N(j->b->a, const SnMade *, c->nmade + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->nmade; i++)
        if (!c->made[i].constant)
            made[n++] = &c->made[i];
    if (n)
        qsort(made, n, sizeof *made, by_name);
    sn_json_open(j, key, '[');
    for (uint32_t i = 0; i < r->profile->n; i++) {
        const SnHist *h = &r->profile->hist[i];
        if (h->count)
            put_hist(j, h, made_type(made, n, h->name));
    }
    sn_json_close(j, ']');
}
