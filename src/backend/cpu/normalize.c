// SPDX-License-Identifier: Apache-2.0
/* Rows to variance 1, about their mean (Normalize) or about 0 (RMSNormalize),
 * along any axis. */
#include "backend/cpu/columns.h"
#include "cpu_kernels.h"
#include "kernel/each/erf_f32.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"
#include "kernel/row/normal_q8.h"

typedef struct Standard {
    SnIsa isa;
    bool centred;
    float eps;
    int64_t nrow, row;
    SnCpuColumns columns;
    SnNormal codes;
} Standard;

static Standard *
open_rows(SnPrep *p, bool centred)
{
    const SnCall *c = p->call;
    const SnShape *s = c->in[0].shape;
    int axis = sn_axis(s, sn_map_int(c, &c->kind->sem[0], 1, -1));
    Standard *k = SN_NEW(c->scratch, Standard);

    if (axis < 0 || sn_shape_count(s) == 0)
        return NULL;
    *k = (Standard){.isa = sn_isa(),
                    .centred = centred,
                    .eps = *(const float *)sn_attr_at(
                        c->attr, sn_attr_named(c->kind, "eps")),
                    .row = s->dim[axis],
                    .columns = sn_cpu_columns_open(s, axis)};
    k->nrow = sn_shape_count(s) / k->row;
    p->prep = k;
    return k;
}

/* ---- reals ---- */

static bool
prepare_f32(SnPrep *p, bool centred)
{
    Standard *k = open_rows(p, centred);

    if (!k)
        return false;
    p->nunit = (k->nrow + SN_STANDARD_ROWS - 1) / SN_STANDARD_ROWS;
    p->cost = k->nrow * k->row;
    if (k->columns.inner > 1) {
        p->nunit = sn_cpu_columns_units(&k->columns);
        p->nwork = sn_cpu_columns_work(&k->columns);
    }
    return true;
}

bool
sn_cpu_normalize_prepare(SnPrep *p)
{
    return prepare_f32(p, true);
}

bool
sn_cpu_rms_prepare(SnPrep *p)
{
    return prepare_f32(p, false);
}

static void
standard_rows(const void *standard, float *row, int64_t nrow, int64_t n)
{
    const Standard *k = standard;

    sn_standardf_run(k->isa, k->centred, k->eps, row, nrow, n, row);
}

SnStatus
sn_cpu_normalize(const SnCall *c)
{
    const Standard *k = c->prep;
    int64_t r0 = c->u0 * SN_STANDARD_ROWS, r1 = c->u1 * SN_STANDARD_ROWS;

    if (k->columns.inner > 1) {
        sn_cpu_columns(&k->columns, c, standard_rows, k);
        return SN_OK;
    }
    r1 = r1 < k->nrow ? r1 : k->nrow;
    sn_standardf_run(k->isa, k->centred, k->eps,
                     (const float *)c->in[0].data + r0 * k->row, r1 - r0,
                     k->row, (float *)c->out[0].data + r0 * k->row);
    return SN_OK;
}

/* ---- codes ---- */

static bool
prepare_q8(SnPrep *p, bool centred)
{
    const SnCall *c = p->call;
    Standard *k = open_rows(p, centred);

    /* An error is the evaluator's to report. */
    if (!k || k->row > SN_NORMAL_MOST ||
        sn_normal_open(&k->codes, c, k->row, k->eps, centred, c->in[0].type,
                       c->out[0].type) != SN_OK)
        return false;
    p->any = true; /* its row is one for all */
    p->nunit = k->nrow;
    p->cost = k->nrow * (30 + k->row / 8);
    p->inplace = 1;
    if (k->columns.inner > 1)
        p->nwork = (size_t)k->row;
    return true;
}

bool
sn_cpu_normalize_q8_prepare(SnPrep *p)
{
    return prepare_q8(p, true);
}

bool
sn_cpu_rms_q8_prepare(SnPrep *p)
{
    return prepare_q8(p, false);
}

SnStatus
sn_cpu_normalize_q8(const SnCall *c)
{
    const Standard *k = c->prep;
    int64_t step = k->columns.inner, u1 = c->u1 < k->nrow ? c->u1 : k->nrow;
    const int8_t *x = c->in[0].data;
    int8_t *y = c->out[0].data, *row = c->work;

    if (step == 1) {
        sn_normal8_run(k->isa, &k->codes, x + c->u0 * k->row, u1 - c->u0,
                       y + c->u0 * k->row);
        return SN_OK;
    }
    for (int64_t u = c->u0; u < u1; u++) {
        int64_t at = u / step * step * k->row + u % step;
        for (int64_t i = 0; i < k->row; i++)
            row[i] = x[at + i * step];
        sn_normal8_run(k->isa, &k->codes, row, 1, row);
        for (int64_t i = 0; i < k->row; i++)
            y[at + i * step] = row[i];
    }
    return SN_OK;
}
