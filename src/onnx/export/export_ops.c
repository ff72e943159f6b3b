// SPDX-License-Identifier: Apache-2.0
/* Operators that the lines of nodes.def do not spell out: the reverse of the
 * import's hooks, and kinds that ONNX writes as something else. */
#include "onnx/export/export_priv.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "sn_hooks.h"

static const SnShape *
shape_in(const SnExport *x, uint32_t slot)
{
    return sn_shape_of(x->g, sn_in(x->g, x->id, slot));
}

/* An operator of one result whose inputs are ready. */
static Onnx__NodeProto *
put(SnExport *x, const char *op, uint32_t n, const char *const *in,
    const int *perm)
{
    const char *out = sn_export_open(x, 0, perm);
    Onnx__NodeProto *node = sn_export_node(x, "", op, n, in, out);

    sn_export_close(x, 0, perm, out);
    return node;
}

/* ---- sums of products ---- */

/* FullyConnected: x [n, in], w [out, in], b [out]. */
static SnStatus
gemm(SnExport *x)
{
    const char *in[3] = {NULL};

    if (shape_in(x, 0)->rank != 2)
        return sn_export_refuse(x, "Gemm takes matrices; x has %d dimensions",
                                shape_in(x, 0)->rank);
    for (uint32_t s = 0; s < x->n->nin; s++)
        if (sn_in(x->g, x->id, s) != 0)
            in[s] = sn_export_plain(x, sn_in(x->g, x->id, s), x->as);
    sn_export_attr_int(x, put(x, "Gemm", 3, in, sn_export_identity), "transB",
                       1);
    return SN_OK;
}

int
sn_export_factor(SnExport *x, uint32_t s, int *perm)
{
    static const char *const flag[] = {"trans_a", "trans_b"};
    int rank = sn_shape_of(x->g, sn_in(x->g, x->id, s))->rank;

    memcpy(perm, sn_export_identity, sizeof sn_export_identity);
    if (*(const bool *)sn_export_attr(x, flag[s], SN_A_BOOL) && rank > 1) {
        perm[rank - 2] = rank - 1;
        perm[rank - 1] = rank - 2;
    }
    return rank;
}

static SnStatus
matmul(SnExport *x)
{
    const char *in[2];
    int perm[SN_MAXRANK];

    for (uint32_t s = 0; s < 2; s++) {
        int rank = sn_export_factor(x, s, perm);
        in[s] = sn_export_get(x, sn_in(x->g, x->id, s), rank, perm, x->as);
    }
    put(x, "MatMul", 2, in, sn_export_identity);
    return SN_OK;
}

/* ---- element by element ---- */

static Onnx__NodeProto *
as_op_of(SnExport *x, SnOnnxOp op)
{
    int perm[SN_MAXRANK];
    const char **in = SN_NEW_N(x->a, const char *, x->n->nin + 1u), *out;
    Onnx__NodeProto *n;

    sn_export_choose(x, perm);
    for (uint32_t s = 0; s < x->n->nin; s++)
        in[s] = sn_export_operand(x, s, perm, x->as);
    out = sn_export_open(x, 0, perm);
    n = sn_export_node(x, op.domain, op.name, x->n->nin, in, out);
    sn_export_close(x, 0, perm, out);
    return n;
}

static SnStatus
as_op(SnExport *x, const char *op)
{
    (void)as_op_of(x, (SnOnnxOp){"", op});
    return SN_OK;
}

/* A line that is one node: the attributes it requires are its own. */
SnStatus
sn_export_term(SnExport *x)
{
    const SnOnnxTerm *t = x->e->term;
    Onnx__NodeProto *n = as_op_of(x, x->e->op);

    for (uint32_t i = 0; i < t->ntest; i++) {
        const SnOnnxTest *a = &t->test[i];
        if (a->maybe || a->is == SN_ONNX_ANY)
            continue;
        if (a->is == SN_ONNX_IS_INT)
            sn_export_attr_int(x, n, a->attr, a->val.i);
        else if (a->is == SN_ONNX_IS_REAL)
            sn_export_attr_real(x, n, a->attr, (float)a->val.r);
        else
            sn_export_attr_str(x, n, a->attr, a->val.s);
    }
    return SN_OK;
}

static SnStatus
gelu_tanh(SnExport *x)
{
    if (sn_onnx_is(x->e->op, "com.microsoft:FastGelu") &&
        x->n->res[0].shape->rank == 0)
        return sn_export_refuse(x, "FastGelu takes no scalar");
    return x->e->term != NULL ? sn_export_term(x) : sn_export_map(x);
}

/* Of a scalar there is nothing to cut off, turn, pad or resize. */
static bool
is_scalar(SnExport *x)
{
    if (x->n->res[0].shape->rank == 0)
        (void)as_op(x, "Identity");
    return x->n->res[0].shape->rank == 0;
}

static SnStatus
batched_add(SnExport *x)
{
    return as_op(x, "Add");
}

static SnStatus
clip(SnExport *x)
{
    float lo = *(const float *)sn_export_attr(x, "low", SN_A_REAL);
    float hi = *(const float *)sn_export_attr(x, "high", SN_A_REAL);
    const char *in[3] = {NULL};
    int perm[SN_MAXRANK];

    sn_export_choose(x, perm);
    in[0] = sn_export_operand(x, 0, perm, x->as);
    if (!isinf(lo))
        in[1] = sn_export_real(x, "min", lo);
    if (!isinf(hi))
        in[2] = sn_export_real(x, "max", hi);
    put(x, "Clip", 3, in, perm);
    return SN_OK;
}

/* ---- shapes ---- */

/* Do these orders of a value's axes give the same layout of its elements?  Axes
 * of one element do not count. */
static bool
alike(const SnShape *s, const int *p, const int *q)
{
    int i = 0, k = 0;

    for (;;) {
        while (i < s->rank && s->dim[p[i]] == 1)
            i++;
        while (k < s->rank && s->dim[q[k]] == 1)
            k++;
        if (i == s->rank || k == s->rank)
            return i == s->rank && k == s->rank;
        if (p[i++] != q[k++])
            return false;
    }
}

static const char *
in_order(SnExport *x, SnRef r)
{
    const SnShape *s;
    int perm[SN_MAXRANK];
    SnRef root;

    memcpy(perm, sn_export_identity, sizeof perm);
    root = sn_export_root(x, r, sn_shape_of(x->g, r)->rank, perm);
    s = sn_shape_of(x->g, root);
    for (const SnExportForm *f = x->value[root]; f != NULL; f = f->next)
        if (f->rank == s->rank && !sn_export_constant(x, root) &&
            alike(s, f->perm, perm))
            return sn_export_get(x, root, f->rank, f->perm, x->as);
    return sn_export_plain(x, r, x->as);
}

static SnStatus
reshape(SnExport *x)
{
    const SnShape *s = x->n->res[0].shape;
    const char *in[2] = {in_order(x, sn_in(x->g, x->id, 0))};

    in[1] = sn_export_ints(x, "shape", (SnInts){(uint32_t)s->rank, s->dim});
    put(x, "Reshape", 2, in, sn_export_identity);
    return SN_OK;
}

/* ---- some of the elements ---- */

static void
put_slice(SnExport *x, const int *perm, const char *from, uint32_t n,
          const int64_t *start, const int64_t *end, const int64_t *axes,
          const int64_t *step)
{
    const char *in[5] = {from};

    in[1] = sn_export_ints(x, "starts", (SnInts){n, start});
    in[2] = sn_export_ints(x, "ends", (SnInts){n, end});
    in[3] = sn_export_ints(x, "axes", (SnInts){n, axes});
    in[4] = sn_export_ints(x, "steps", (SnInts){n, step});
    put(x, "Slice", 5, in, perm);
}

/* Axes that are kept whole are left out. */
static SnStatus
slice(SnExport *x)
{
    int64_t start[SN_MAXRANK], end[SN_MAXRANK], axes[SN_MAXRANK];
    int64_t by[SN_MAXRANK];
    int perm[SN_MAXRANK];
    const SnShape *s = shape_in(x, 0);
    uint32_t n = 0;

    if (is_scalar(x))
        return SN_OK;
    sn_export_choose(x, perm);
    const SnInts *from = sn_export_attr(x, "start", SN_A_INTS);
    const SnInts *size = sn_export_attr(x, "size", SN_A_INTS);
    const SnInts *step = sn_export_attr(x, "step", SN_A_INTS);
    for (int i = 0; i < s->rank; i++) {
        if (from->v[i] == 0 && step->v[i] == 1 && size->v[i] == s->dim[perm[i]])
            continue;
        axes[n] = i;
        start[n] = from->v[i];
        by[n] = step->v[i];
        end[n] = from->v[i] + size->v[i] * step->v[i];
        if (step->v[i] < 0 && end[n] < 0)
            end[n] = INT64_MIN; /* -1 would be counted from the end */
        n++;
    }
    put_slice(x, perm, sn_export_operand(x, 0, perm, x->as), n, start, end,
              axes, by);
    return SN_OK;
}

static SnStatus
flip(SnExport *x)
{
    int64_t start[SN_MAXRANK], end[SN_MAXRANK], by[SN_MAXRANK];
    int perm[SN_MAXRANK];

    if (is_scalar(x))
        return SN_OK;
    sn_export_choose(x, perm);
    const SnInts *axes = sn_export_attr(x, "axes", SN_A_INTS);
    for (uint32_t i = 0; i < axes->n; i++) {
        start[i] = -1;
        end[i] = INT64_MIN;
        by[i] = -1;
    }
    put_slice(x, perm, sn_export_operand(x, 0, perm, x->as), axes->n, start,
              end, axes->v, by);
    return SN_OK;
}

static const char *
word(const SnExport *x, const char *attr)
{
    int32_t i = *(const int32_t *)sn_export_attr(x, attr, SN_A_ENUM);

    return sn_attr_named(x->kd, attr)->words[i];
}

/* Pads that repeat the edge need at least one element. */
static SnStatus
check_pads(SnExport *x)
{
    const SnInts *p = sn_export_attr(x, "pads", SN_A_INTS);
    const SnShape *y = x->n->res[0].shape;

    bool reflect = strcmp(word(x, "mode"), "reflect") == 0;

    if (strcmp(word(x, "mode"), "constant") == 0)
        return SN_OK;
    for (int i = 0; i < y->rank; i++) {
        int64_t before = p->v[i], after = p->v[i + y->rank];
        int64_t left =
            y->dim[i] - (before > 0 ? before : 0) - (after > 0 ? after : 0);
        if (left <= 0)
            return sn_export_refuse(x,
                                    "nothing is left of axis %d to be "
                                    "repeated",
                                    i);
        if (reflect && (before >= left || after >= left))
            return sn_export_refuse(x,
                                    "axis %d reflects elements that its other "
                                    "end cuts off; ONNX has only the %lld "
                                    "that are left",
                                    i, (long long)left);
    }
    return SN_OK;
}

static SnStatus
pad(SnExport *x)
{
    const SnType *t = x->n->res[0].type;
    const char *in[3] = {NULL};
    int perm[SN_MAXRANK];
    float value;

    if (is_scalar(x))
        return SN_OK;
    sn_export_choose(x, perm);
    value = *(const float *)sn_export_attr(x, "value", SN_A_REAL);
    SN_TRY(check_pads(x));
    in[0] = sn_export_operand(x, 0, perm, x->as);
    in[1] = sn_export_ints(
        x, "pads", *(const SnInts *)sn_export_attr(x, "pads", SN_A_INTS));
    if (sn_elem_quant(t->elem) && x->as != SN_EXPORT_REAL)
        in[2] = sn_export_one_code(x, "value", t, x->as,
                                   sn_quant(value, t->scale[0], t->zp[0],
                                            (int32_t)sn_elem_lo(t->elem),
                                            (int32_t)sn_elem_hi(t->elem)));
    else if (t->elem != SN_F32 && !sn_elem_quant(t->elem))
        in[2] = sn_export_one_code(x, "value", t, x->as, (int64_t)value);
    else if (value != 0)
        in[2] = sn_export_real(x, "value", value);
    sn_export_attr_str(x, put(x, "Pad", 3, in, perm), "mode", word(x, "mode"));
    return SN_OK;
}

/* Factors if they give the size (readers use them unchanged), else the sizes,
 * whose quotients must then be the factors. */
static SnStatus
resize(SnExport *x)
{
    const SnShape *s = shape_in(x, 0), *y = x->n->res[0].shape;
    const SnReals *f = sn_export_attr(x, "scale", SN_A_REALS);
    const char *in[4] = {NULL};
    bool by_factor = true, by_size = true;
    int64_t n = s->rank;
    Onnx__NodeProto *node;

    if (is_scalar(x))
        return SN_OK;
    for (int i = 0; i < s->rank; i++) {
        if (f->n == 0) { /* the quotients of the sizes */
            by_factor = false;
            break;
        }
        by_factor &=
            floor((double)((float)s->dim[i] * f->v[i])) == (double)y->dim[i];
        by_size &= (float)y->dim[i] / (float)s->dim[i] == f->v[i];
    }
    if (!by_factor && !by_size)
        return sn_export_refuse(x, "its factors do not give its size");
    in[0] = sn_export_plain(x, sn_in(x->g, x->id, 0), x->as);
    if (by_factor)
        in[2] = sn_export_init(x, sn_export_part(x, "scales"),
                               ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, &n,
                               f->v, (size_t)n * sizeof *f->v);
    else
        in[3] = sn_export_ints(x, "sizes", (SnInts){(uint32_t)n, y->dim});
    node = put(x, "Resize", 4, in, sn_export_identity);
    sn_export_attr_str(x, node, "mode", "nearest");
    sn_export_attr_str(x, node, "coordinate_transformation_mode",
                       word(x, "coord"));
    sn_export_attr_str(x, node, "nearest_mode", word(x, "near"));
    return SN_OK;
}

/* ---- tables ---- */

/* Kinds that ONNX writes as something else. */
static const struct {
    const char *kind;
    SnExportHook *fn;
} hooks[] = {
    {"BatchNormalization", sn_export_batch_norm},
    {"BatchedAdd", batched_add},
    {"Cast", sn_export_cast},
    {"CodeDifference", sn_export_difference},
    {"Codes", sn_export_codes},
    {"ConvTranspose2D", sn_export_conv_transpose},
    {"DepthToSpace", sn_export_depth_to_space},
    {"EmbeddingSum", sn_export_embedding_sum},
    {"Flip", flip},
    {"GeluTanh", gelu_tanh},
    {"IntegerConv2D", sn_export_conv_integer},
    {"IntegerMatMul", sn_export_matmul_integer},
    {"LRN", sn_export_lrn},
    {"Label", sn_export_label},
    {"MatMul", matmul},
    {"Normalize", sn_export_normalize},
    {"RMSNormalize", sn_export_rms},
    {"Reshape", reshape},
};

/* Operators that the import reads by a hook. */
static const struct {
    SnOnnxHook *read;
    SnExportHook *fn;
} readers[] = {
    {sn_onnx_arg, sn_export_arg},
    {sn_onnx_clip, clip},
    {sn_onnx_gemm, gemm},
    {sn_onnx_pad, pad},
    {sn_onnx_reduce, sn_export_reduce},
    {sn_onnx_resize, resize},
    {sn_onnx_slice, slice},
};

SnExportHook *
sn_export_hook(const char *kind)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].kind, kind) == 0)
            return hooks[i].fn;
    return NULL;
}

SnExportHook *
sn_export_read_by(SnOnnxHook *read)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i].read == read)
            return readers[i].fn;
    return NULL;
}

bool
sn_export_runs_codes(SnOnnxOp op)
{
    static const char *const able[] = {
        "Gather", "MaxPool", "Pad", "Reshape", "Resize", "Slice", "Tile",
    };

    for (size_t i = 0; i < sizeof able / sizeof able[0]; i++)
        if (sn_onnx_is(op, able[i]))
            return true;
    return false;
}
