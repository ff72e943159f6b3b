// SPDX-License-Identifier: Apache-2.0
/* Normalizations.
 *
 * BatchNormalization: in the graph its parameters are spread over the value
 * like the operands of any sum; in ONNX they are lists, one number for each
 * index of the tensor's axis 1.  Once a Transpose has sunk below the node, its
 * channels lie along any axis, and the parameters are [1, c, 1, 1]. */
#include "onnx/export/export_priv.h"

#include <string.h>

enum { X, GAMMA, BETA, MEAN, VAR, NPORT };

/* The one axis of the result along which parameters differ, in *axis (-1: none
 * does); false if there are several, or if x itself is spread. */
static bool
channels(const SnExport *x, int *axis)
{
    const SnShape *y = x->n->res[0].shape;

    *axis = -1;
    if (sn_shape_of(x->g, sn_in(x->g, x->id, X)) != y)
        return false;
    for (uint32_t s = GAMMA; s < NPORT; s++) {
        const SnShape *p = sn_shape_of(x->g, sn_in(x->g, x->id, s));
        for (int i = 0; i < p->rank; i++) {
            int at = i + y->rank - p->rank;
            if (p->dim[i] == 1)
                continue;
            if (*axis >= 0 && *axis != at)
                return false;
            *axis = at;
        }
    }
    return true;
}

/* An available order of x if its channels are second, else the nearest to its
 * own with channels second. */
static void
second(SnExport *x, int rank, int axis, int *perm)
{
    int n = 0;

    sn_export_available_order(x, X, perm);
    if (perm[1] == axis)
        return;
    for (int i = 0; i < rank; i++) {
        if (n == 1)
            perm[n++] = axis;
        if (i != axis)
            perm[n++] = i;
    }
    perm[1] = axis;
}

static const char *
step(SnExport *x, const char *op, const char *a, const char *b,
     const char *part)
{
    const char *in[2] = {a, b};

    return sn_export_node(x, "", op, b ? 2 : 1, in, sn_export_part(x, part))
        ->output[0];
}

/* Parameter `slot` as a list of n numbers. */
static const char *
list(SnExport *x, uint32_t slot, int64_t n)
{
    static const char *const part[] = {"x", "scale", "bias", "mean", "var"};
    SnRef r = sn_in(x->g, x->id, slot);
    const SnShape *s = sn_shape_of(x->g, r);
    int64_t dim[SN_MAXRANK];

    if (s->rank == 1 && s->dim[0] == n)
        return sn_export_plain(x, r, x->as);
    if (!sn_export_constant(x, r)) {
        int64_t have = sn_shape_count(s);
        const char *v = sn_export_plain(x, r, x->as);
        v = step(x, "Reshape", v, sn_export_ints(x, "list", (SnInts){1, &have}),
                 part[slot]);
        return have == n ? v
                         : step(x, "Expand", v,
                                sn_export_ints(x, "list", (SnInts){1, &n}),
                                part[slot]);
    }
    const float *v = sn_export_elements(x, r, s->rank, sn_export_identity, dim);
    float *all = SN_NEW_N(x->a, float, n);
    for (int64_t i = 0; i < n; i++)
        all[i] = v[sn_shape_count(s) == 1 ? 0 : i];
    return sn_export_init(x, sn_export_part(x, part[slot]),
                          ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, &n, all,
                          (size_t)n * sizeof *all);
}

/* (x - mean) / sqrt(var + eps) * gamma + beta, for parameters that are spread
 * in ways the operator does not support. */
static SnStatus
in_steps(SnExport *x)
{
    const char *in[NPORT], *last[2], *out;
    float eps = *(const float *)sn_export_attr(x, "eps", SN_A_REAL);
    int perm[SN_MAXRANK];

    sn_export_choose(x, perm);
    for (uint32_t s = 0; s < NPORT; s++)
        in[s] = sn_export_operand(x, s, perm, x->as);
    const char *var =
        step(x, "Add", in[VAR], sn_export_real(x, "eps", eps), "e");
    const char *y = step(x, "Sub", in[X], in[MEAN], "centred");
    y = step(x, "Div", y, step(x, "Sqrt", var, NULL, "deviation"), "unit");
    last[0] = step(x, "Mul", y, in[GAMMA], "scaled");
    last[1] = in[BETA];
    out = sn_export_open(x, 0, perm);
    sn_export_node(x, "", "Add", 2, last, out);
    sn_export_close(x, 0, perm, out);
    return SN_OK;
}

SnStatus
sn_export_batch_norm(SnExport *x)
{
    const SnShape *y = x->n->res[0].shape;
    int axis, perm[SN_MAXRANK];
    const char *in[NPORT], *out;

    if (y->rank < 2 || !channels(x, &axis))
        return in_steps(x);
    if (axis >= 0) {
        second(x, y->rank, axis, perm);
    } else {
        sn_export_available_order(x, X, perm);
        axis = perm[1];
    }
    in[X] = sn_export_get(x, sn_in(x->g, x->id, X), y->rank, perm, x->as);
    for (uint32_t s = GAMMA; s < NPORT; s++)
        in[s] = list(x, s, y->dim[axis]);
    out = sn_export_open(x, 0, perm);
    Onnx__NodeProto *n =
        sn_export_node(x, "", "BatchNormalization", NPORT, in, out);
    sn_export_close(x, 0, perm, out);
    return sn_export_attrs(x, n);
}

/* ONNX Runtime requires [n, c, h, w]: other values are reshaped to n points of
 * c channels, and back. */
SnStatus
sn_export_lrn(SnExport *x)
{
    const SnShape *s = x->n->res[0].shape;
    int64_t c = s->rank > 0 ? s->dim[s->rank - 1] : 1;
    int64_t dim[4] = {c ? sn_shape_count(s) / c : 0, c, 1, 1};
    const char *in[2], *out;

    if (*(const int64_t *)sn_export_attr(x, "size", SN_A_INT) % 2 == 0)
        return sn_export_refuse(
            x, "ONNX Runtime requires an odd number of channels");
    if (s->rank == 4)
        return sn_export_map(x);
    if (s->rank == 0 || sn_shape_count(s) == 0)
        return sn_export_refuse(x, "LRN takes pictures");
    in[0] = sn_export_plain(x, sn_in(x->g, x->id, 0), x->as);
    in[1] = sn_export_ints(x, "points", (SnInts){4, dim});
    in[0] = step(x, "Reshape", in[0], in[1], "spread");
    Onnx__NodeProto *n =
        sn_export_node(x, "", "LRN", 1, in, sn_export_part(x, "normal"));
    SN_TRY(sn_export_attrs(x, n));
    in[0] = n->output[0];
    in[1] = sn_export_ints(x, "shape", (SnInts){(uint32_t)s->rank, s->dim});
    out = sn_export_open(x, 0, sn_export_identity);
    sn_export_node(x, "", "Reshape", 2, in, out);
    sn_export_close(x, 0, sn_export_identity, out);
    return SN_OK;
}
