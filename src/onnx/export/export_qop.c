// SPDX-License-Identifier: Apache-2.0
/* Operators on codes, used where ONNX Runtime computes the node's row of
 * docs/numerics.md.  A node with another rounding keeps its float operator
 * between DequantizeLinear and QuantizeLinear. */
#include "onnx/export/export_priv.h"

#include <string.h>
#include "graph/axes.h"

static const char ms[] = "com.microsoft";

typedef struct Args {
    const char **in;
    uint32_t n;
} Args;

static const SnType *
type_in(const SnExport *x, uint32_t slot)
{
    return sn_type(x->g, sn_in(x->g, x->id, slot));
}

/* Scale and zero point of a value written as codes. */
static void
push_params(SnExport *x, Args *a, SnRef r, SnExportAs as)
{
    const SnType *t = sn_type(x->g, r);
    const char *base = sn_name(x->g, r);

    a->in[a->n++] = sn_export_scale(x, t, base);
    a->in[a->n++] = sn_export_zp(x, t, as, base);
}

static void
push(SnExport *x, Args *a, SnRef r, int rank, const int *perm, SnExportAs as)
{
    a->in[a->n++] = sn_export_get(x, r, rank, perm, as);
    push_params(x, a, r, as);
}

static void
push_y(SnExport *x, Args *a)
{
    push_params(x, a, SN_REF(x->id, 0), x->as);
}

static Onnx__NodeProto *
put(SnExport *x, const char *domain, const char *op, const Args *a,
    const int *perm)
{
    const char *out = sn_export_open(x, 0, perm);
    Onnx__NodeProto *n = sn_export_node(x, domain, op, a->n, a->in, out);

    sn_export_close(x, 0, perm, out);
    return n;
}

/* Weights are int8 in every model; other operands as the model's codes are. */
static SnExportAs
weight_as(const SnExport *x, SnRef w)
{
    return sn_export_constant(x, w) ? SN_EXPORT_CODE : x->as;
}

/* The kind, or the kind that it is a form of. */
static SnKind
kind_of(const SnExport *x)
{
    return x->kd->form_of >= 0 ? (SnKind)x->kd->form_of : x->n->kind;
}

/* The inputs of one port of an operator on codes. */
static void
push_port(SnExport *x, Args *a, const SnOnnxCode *c, bool laid, const int *perm)
{
    bool product = x->kd->sem[0].cls == SN_C_CONTRACT;
    uint32_t first, n;
    int p[SN_MAXRANK];

    sn_port_slots(x->kd, x->n->nin, (uint32_t)c->port, &first, &n);
    for (uint32_t s = first; s < first + n; s++) {
        SnRef r = sn_in(x->g, x->id, s);
        if (r == 0) {
            a->in[a->n++] = NULL;
        } else if (c->ninput == 1) { /* a bias */
            a->in[a->n++] = sn_export_plain(x, r, SN_EXPORT_CODE);
        } else if (laid || product) {
            int rank = sn_shape_of(x->g, r)->rank;
            sn_export_layout(x, x->kd->in[c->port].name, rank, p);
            push(x, a, r, rank, p,
                 product && c->port > 0 ? weight_as(x, r) : x->as);
        } else {
            a->in[a->n++] = sn_export_operand(x, s, perm, x->as);
            push_params(x, a, r, x->as);
        }
    }
}

/* The first line of the kind that is on codes, in the opset written: what
 * later ones say is a special case of it (a pool over the whole picture). */
static const SnOnnxDesc *
line_on_codes(const SnExport *x)
{
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        const SnOnnxDesc *e = sn_onnx_at(i);
        if (e->kind == kind_of(x) && e->ncode > 0 && sn_export_has_line(x, e))
            return e;
    }
    sn_bug("export: no line of %s is on codes", x->kd->name);
}

/* By that line, read the other way round; attributes by the line, too, or by
 * the one on reals where it has a hook. */
static SnStatus
by_line(SnExport *x, Onnx__NodeProto **node)
{
    const SnOnnxDesc *e = line_on_codes(x);
    Args a = {SN_NEW_N(x->a, const char *, 3u * x->n->nin + 2u), 0};
    int perm[SN_MAXRANK];
    bool laid;

    if (e->hook == NULL)
        x->e = e;
    laid =
        sn_export_layout(x, x->kd->out[0].name, x->n->res[0].shape->rank, perm);
    if (!laid && sn_axes_free(x->kd))
        sn_export_choose(x, perm);
    for (uint32_t k = 0; k < e->ncode; k++)
        if (e->code[k].port < 0)
            push_y(x, &a);
        else
            push_port(x, &a, &e->code[k], laid, perm);
    while (a.in[a.n - 1] == NULL)
        a.n--;
    *node = put(x, e->op.domain, e->op.name, &a, perm);
    return sn_export_attrs(x, *node);
}

static SnStatus
line(SnExport *x, bool *done)
{
    Onnx__NodeProto *n;

    *done = true;
    return by_line(x, &n);
}

static SnStatus
connected(SnExport *x, bool *done)
{
    Onnx__NodeProto *n;

    *done = sn_shape_of(x->g, sn_in(x->g, x->id, 0))->rank == 2;
    if (!*done)
        return SN_OK;
    SN_TRY(by_line(x, &n));
    sn_export_attr_int(x, n, "transB", 1);
    return SN_OK;
}

static SnStatus
matmul(SnExport *x, bool *done)
{
    const char *in[8];
    Args a = {in, 0};
    int perm[SN_MAXRANK];

    *done = true;
    for (uint32_t s = 0; s < 2; s++) {
        SnRef r = sn_in(x->g, x->id, s);
        int rank = sn_export_factor(x, s, perm);
        push(x, &a, r, rank, perm, s == 0 ? x->as : weight_as(x, r));
    }
    push_y(x, &a);
    put(x, "", "QLinearMatMul", &a, sn_export_identity);
    return SN_OK;
}

/* Codes as the node's rounding sees them; false where the zero point is added
 * after rounding, which these operators do not do. */
static bool
shifted(SnExport *x)
{
    if (!sn_export_rounds_after(x))
        return false;
    x->as = *(const int64_t *)sn_export_attr(x, "zp_shift", SN_A_INT) != 0
                ? SN_EXPORT_U8
                : SN_EXPORT_CODE;
    return true;
}

/* Is a value of this shape the same along the innermost axis of y that has
 * more than one element? */
static bool
runs_flat(const SnShape *s, const SnShape *y)
{
    int i = y->rank - 1;

    while (i >= 0 && y->dim[i] == 1)
        i--;
    int k = i - (y->rank - s->rank);
    return i < 0 || k < 0 || s->dim[k] == 1;
}

/* The first operand of a QLinearAdd, spread out to the shape of the result
 * where ONNX Runtime would otherwise exchange the two (numerics.md). */
static const char *
first_summand(SnExport *x, SnRef r, const int *perm)
{
    const SnShape *y = sn_shape_of(x->g, SN_REF(x->id, 0));
    const SnShape *s = sn_shape_of(x->g, r);
    const char *in[2];

    if (s->rank == y->rank)
        in[0] = sn_export_get(x, r, s->rank, perm, x->as);
    else
        in[0] = sn_export_plain(x, r, x->as);
    if (!runs_flat(s, y) || sn_shape_count(y) == 1)
        return in[0];
    in[1] = sn_export_ints(x, "shape", (SnInts){(uint32_t)y->rank, y->dim});
    const char *out = sn_export_part(x, "spread");
    sn_export_node(x, "", "Expand", 2, in, out);
    return out;
}

static SnStatus
binary(SnExport *x, const char *op, bool ordered, bool *done)
{
    const char *in[8];
    Args a = {in, 0};
    int perm[SN_MAXRANK];
    const SnShape *y = sn_shape_of(x->g, SN_REF(x->id, 0));
    uint32_t other = ordered && sn_shape_count(y) == 1; /* is exchanged */

    if (!shifted(x))
        return SN_OK;
    *done = true;
    memcpy(perm, sn_export_identity, sizeof perm);
    if (sn_shape_of(x->g, sn_in(x->g, x->id, 0)) ==
        sn_shape_of(x->g, sn_in(x->g, x->id, 1)))
        sn_export_choose(x, perm);
    for (uint32_t s = 0; s < 2; s++) {
        SnRef r = sn_in(x->g, x->id, s ^ other);
        in[a.n++] = ordered && s == 0
                        ? first_summand(x, r, perm)
                        : sn_export_operand(x, s ^ other, perm, x->as);
        push_params(x, &a, r, x->as);
    }
    push_y(x, &a);
    put(x, ms, op, &a, perm);
    return SN_OK;
}

static SnStatus
add(SnExport *x, bool *done)
{
    return binary(x, "QLinearAdd", true, done);
}

static SnStatus
mul(SnExport *x, bool *done)
{
    return binary(x, "QLinearMul", false, done);
}

static SnStatus
average(SnExport *x, bool *done)
{
    *done = sn_export_is_default(x, "dilate") && shifted(x);
    return *done ? line(x, done) : SN_OK;
}

static SnStatus
softmax(SnExport *x, bool *done)
{
    Onnx__NodeProto *n;

    *done = true;
    SN_TRY(by_line(x, &n));
    sn_export_attr_int(x, n, "opset", x->opset);
    return SN_OK;
}

/* By the kind, or the kind it is a form of. */
static const struct {
    const char *kind;
    SnExportCodes *fn;
} hooks[] = {
    {"Add", add},
    {"AvgPool", average},
    {"Concat", line},
    {"Conv2D", line},
    {"FullyConnected", connected},
    {"LeakyRelu", line},
    {"MatMul", matmul},
    {"Mul", mul},
    {"Sigmoid", line},
    {"Softmax", softmax},
};

/* All operands and results that have scales are 8-bit codes (a bias: 32). */
static bool
fits(const SnExport *x)
{
    if (x->n->res[0].type->elem != SN_QI8)
        return false;
    for (uint32_t s = 0; s < x->n->nin; s++)
        if (sn_in(x->g, x->id, s) != 0 && type_in(x, s)->elem != SN_QI8 &&
            type_in(x, s)->elem != SN_QI32)
            return false;
    return true;
}

SnExportCodes *
sn_export_codes_hook(const SnExport *x)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].kind, sn_desc(kind_of(x))->name) == 0)
            return fits(x) ? hooks[i].fn : NULL;
    return NULL;
}
