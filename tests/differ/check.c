// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <math.h>
#include <string.h>

CkDiff
ck_compare(const SnData *want, const SnData *got)
{
    CkDiff d = {.at = -1};
    double signal = 0, noise = 0;

    d.shape = want->dtype != got->dtype || want->rank != got->rank ||
              memcmp(want->dim, got->dim,
                     (size_t)want->rank * sizeof *want->dim) != 0;
    if (d.shape)
        return d;
    d.n = sn_data_count(want);
    for (int64_t i = 0; i < d.n; i++) {
        double w = sn_data_real(want, i), v = sn_data_real(got, i);
        double by = fabs(w - v);
        if (w == v || (isnan(w) && isnan(v)))
            by = 0;
        else if (!isfinite(by))
            by = (double)INFINITY;
        if (by != 0 && d.at < 0)
            d.at = i;
        d.ndiff += by != 0;
        d.most = fmax(d.most, by);
        signal += w * w;
        noise += by * by;
    }
    /* An all-zero output with a difference: one step of noise per element. */
    d.sqnr = noise > 0 ? 10 * log10(fmax(signal, (double)d.n) / noise)
                       : (double)INFINITY;
    return d;
}

bool
ck_agrees(CkRule r, double steps, const SnData *want, const CkDiff *d)
{
    double top = 0;

    if (d->shape)
        return false;
    switch (r) {
    case CK_EXACT:
        return d->ndiff == 0;
    case CK_STEP:
        return d->most <= steps;
    case CK_WHOLE: /* one step of a small output is much noise */
        return d->sqnr >= CK_SQNR || d->most <= 1;
    case CK_FLOAT:
        break;
    }
    for (int64_t i = 0; i < d->n; i++) {
        double w = fabs(sn_data_real(want, i));
        top = isfinite(w) ? fmax(top, w) : top;
    }
    return d->most <= CK_REAL * top + 1e-6;
}

/* Functions for which numerics.md has a formula of its own. */
static bool
own_formula(const char *op)
{
    return strcmp(op, "QLinearSigmoid") == 0 ||
           strcmp(op, "QLinearSoftmax") == 0;
}

bool
ck_applies(GenForm f, CkWay way)
{
    return way != CK_CPU || f == GEN_QOP;
}

CkRule
ck_rule(GenForm f, uint32_t nop, const char *const *op, CkWay way)
{
    bool own = false;

    if (f == GEN_FLOAT)
        return CK_FLOAT;
    for (uint32_t i = 0; i < nop; i++)
        own |= own_formula(op[i]);
    /* Merging two Rescales keeps what the first would have rounded away. */
    if (f == GEN_QOP && !own && (way != CK_OPT || nop == 1))
        return CK_EXACT;
    return nop == 1 ? CK_STEP : CK_WHOLE;
}

CkRun
ck_run(SnArena *a, GenForm f, bool whole, CkWay way, const void *p, size_t n,
       uint32_t nin, const OrtIo *in, const char *name, const SnData *want)
{
    SnDiag *d = sn_diag_new(a);
    OrtIo out = {.name = name};
    SrJob j = {.p = p,
               .n = n,
               .nin = nin,
               .in = in,
               .nout = 1,
               .out = &out,
               .backend = way == CK_EVAL ? NULL : "CPU"};
    CkRun r = {0};

    if (way == CK_OPT)
        j.passes =
            f == GEN_QDQ && !whole ? "simplify,fold,integerize" : "optimize";
    r.status = sr_run(a, &j, d);
    r.why = sn_diag_text(d, a);
    r.nfloat = j.nfloat;
    r.out = out.data;
    if (r.status == SN_OK)
        r.diff = ck_compare(want, &out.data);
    return r;
}

const char *
ck_way_name(CkWay way)
{
    static const char *const name[] = {"as imported", "on CPU", "optimized"};

    return name[way];
}
