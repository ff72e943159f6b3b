// SPDX-License-Identifier: Apache-2.0
/* Operators whose inputs are known are evaluated at import. */
#include "onnx/import/import_priv.h"

#include <string.h>
#include "base/budget.h"
#include "kernel/eval/eval.h"
#include "onnx/proto/tensor_pb.h"

/* Is the operator one node that computes or copies elements one by one? */
static bool
folds(const SnOnnxDesc *e)
{
    if (e == NULL || e->term != NULL || e->hook != NULL || e->ncode > 0)
        return false;
    SnClass cls = sn_desc(e->kind)->sem->cls;
    return cls == SN_C_POINT || cls == SN_C_MOVE;
}

/* Are all inputs known, and elements as a graph has them? */
static bool
all_known(SnImport *x)
{
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        const SnImportVal *v = sn_import_in(x, i);
        if (v == NULL || v->data == NULL || v->q != NULL ||
            sn_import_plain_type(x, v->data->dtype) == NULL)
            return false;
    }
    return x->n->n_input > 0;
}

/* An integer divided by 0 is 0 in a node; ONNX leaves it open. */
static SnStatus
check_divisor(SnImport *x)
{
    const SnData *t =
        sn_import_in(x, 1) != NULL ? sn_import_in(x, 1)->data : NULL;

    if (!sn_import_is(x, "Div") || t == NULL ||
        (t->dtype != SN_D_I32 && t->dtype != SN_D_I64))
        return SN_OK;
    for (int64_t i = 0, n = sn_data_count(t); i < n; i++)
        if (sn_data_int(t, i) == 0)
            return sn_import_fail(x, SN_EINPUT,
                                  "division of an integer by zero");
    return SN_OK;
}

/* Bytes of all that is computed in g. */
static size_t
computed_nbyte(const SnGraph *g)
{
    size_t sum = 0;

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (!n->dead && !n->data && n->nres > 0)
            sum += sn_tensor_nbyte(n->res[0].type, n->res[0].shape);
    }
    return sum;
}

/* Is y, in a graph of its own, more than is computed here?  Or a copy that is
 * larger than what it copies (Tile), and that folding may not take, once where
 * it is computed and once among the known values? */
static bool
too_large(SnImport *x, const SnOnnxDesc *e, const SnImportVal *y)
{
    SnDtype t = sn_import_dtype_of(sn_type(x->g, y->form->ref));
    SnData r = {.dtype = t, .rank = y->rank};
    size_t from = 0, nbyte;

    if (computed_nbyte(x->g) > SN_EVAL_MOST)
        return true;
    if (sn_desc(e->kind)->sem->cls != SN_C_MOVE)
        return false;
    memcpy(r.dim, y->dim, (size_t)y->rank * sizeof *y->dim);
    nbyte = sn_data_nbyte(&r);
    for (uint32_t i = 0; i < x->n->n_input; i++)
        from += sn_data_nbyte(sn_import_in(x, i)->data);
    return nbyte > from && nbyte > sn_budget_left(SN_CHARGE_FOLD_NBYTE) / 2;
}

/* The operator in a graph of its own, evaluated; *out stays NULL where its
 * node is left to the run. */
static SnStatus
evaluated(SnImport *x, const SnOnnxDesc *e, SnImportMake *make, SnData **out)
{
    SnImportVal *y = sn_import_out(x, 0);
    const SnData *t;
    SnRef plain;

    SN_TRY(make(x, e));
    if (y == NULL)
        return SN_OK;
    SN_TRY(sn_import_plain(x, y, &plain)); /* the node may have it NHWC */
    if (too_large(x, e, y))
        return SN_OK;
    SN_TRY(sn_import_new_data(
        x, y->u8 ? SN_D_U8 : sn_import_dtype_of(sn_type(x->g, y->form->ref)),
        y->rank, y->dim, out));
    t = sn_import_const(x, y);
    if (t == NULL)
        return sn_import_fail(x, SN_EINPUT, "cannot be computed");
    memcpy((void *)(uintptr_t)(*out)->data, t->data, sn_data_nbyte(t));
    return SN_OK;
}

SnStatus
sn_import_fold(SnImport *x, SnImportMake *make, bool *done)
{
    const SnOnnxDesc *other, *e = sn_import_desc(x->op, x->version, &other);
    SnImportVal *y = sn_import_out(x, 0);
    SnGraph *g = x->g;
    SnData *r = NULL;
    SnStatus s;

    *done = folds(e) && all_known(x);
    if (!*done)
        return SN_OK;
    SN_TRY(check_divisor(x));
    SnImportForm **was = SN_NEW_N(x->a, SnImportForm *, x->n->n_input);
    for (uint32_t i = 0; i < x->n->n_input; i++) {
        was[i] = sn_import_in(x, i)->form;
        sn_import_in(x, i)->form = NULL;
    }
    x->g = sn_graph_new(x->a, "known");
    s = evaluated(x, e, make, &r);
    x->g = g;
    for (size_t i = x->n->n_input; i-- > 0;) /* one may be given twice */
        sn_import_in(x, (uint32_t)i)->form = was[i];
    if (s != SN_OK || y == NULL)
        return s;
    y->form = NULL;
    y->known = NULL;
    y->looked = y->u8 = false;
    y->made &= r != NULL;
    *done = r != NULL;
    if (!*done)
        return SN_OK;
    return sn_import_put_data(x, 0, r);
}
