// SPDX-License-Identifier: Apache-2.0
/* Operators on codes. */
#include "gen.h"

#include <math.h>
#include <string.h>

static const DmVal *
val(const Gen *g, int v)
{
    return &g->m->val[v];
}

static int
zp_of(Gen *g, SnDtype t, int32_t zp)
{
    uint8_t byte = (uint8_t)zp;

    return gen_const(g, t, 0, NULL, &byte);
}

/* x with its scale and zero point, as three operands. */
static void
with_type(Gen *g, DmNode *n, int x)
{
    dm_in(n, x);
    dm_in(n, dm_f32(g->m, val(g, x)->scale));
    dm_in(n, zp_of(g, val(g, x)->data.dtype, val(g, x)->zp));
}

/* The result's type: codes around a third of the range for values of this
 * size. */
static void
out_type(Gen *g, double rms, float *scale, int32_t *zp)
{
    *scale = gen_scale(g, (float)rms / gen_uniform(g, 20, 60));
    *zp = gen_zp(g, g->u8 ? SN_D_U8 : SN_D_I8);
}

static void
put_type(Gen *g, DmNode *n, float scale, int32_t zp)
{
    dm_in(n, dm_f32(g->m, scale));
    dm_in(n, zp_of(g, g->u8 ? SN_D_U8 : SN_D_I8, zp));
    g->m->val[n->out].scale = scale;
    g->m->val[n->out].zp = zp;
}

/* Behind other operators no grid is much finer than that of what is read: a
 * step of it would be many of the result's, and merging two Rescales, which
 * keeps that step's fraction, would show as noise. */
static float
not_finer(const Gen *g, float scale, int x)
{
    float least = val(g, x)->scale / 4;

    return g->nop > 0 && scale < least ? least : scale;
}

static bool
done(Gen *g, DmNode *n)
{
    int out = n->out;

    if (!gen_done(g))
        return false;
    gen_keep(g, out);
    return true;
}

/* ---- sums of products ---- */

typedef struct Weights {
    SnDtype type;
    int value, scale, zp; /* operands */
    double rms;           /* of what they mean */
    float s0;
    int64_t n; /* slices, 1: per tensor */
    float *s;
} Weights;

/* Weights of the shape; slices of one axis may have scales and zero points of
 * their own. */
static Weights
weights(Gen *g, int rank, const int64_t *dim, int axis)
{
    bool per_axis = axis >= 0 && gen_chance(g, 2);
    Weights w = {.type = g->u8 && gen_chance(g, 2) ? SN_D_U8 : SN_D_I8};
    int64_t n = sn_dims_count(rank, dim);
    int bits = w.type == SN_D_U8 || g->wide ? 8 : 7;
    uint8_t *zp, *data;

    w.n = per_axis ? dim[axis] : 1;
    w.s = SN_NEW_N(g->m->a, float, w.n);
    zp = SN_NEW_N(g->m->a, uint8_t, w.n);
    for (int64_t i = 0; i < w.n; i++) {
        w.s[i] = gen_scale(g, gen_uniform(g, 0.001F, 0.02F));
        zp[i] = (uint8_t)(w.type == SN_D_U8  ? gen_in(g, 120, 136)
                          : gen_chance(g, 2) ? 0
                                             : gen_in(g, -9, 9));
        if (per_axis && i > 0)
            zp[i] = zp[0];
    }
    data = gen_codes_data(g, w.type, bits, n);
    w.value = gen_const(g, w.type, rank, dim, data);
    w.scale = gen_const(g, SN_D_F32, per_axis ? 1 : 0, &w.n, w.s);
    w.zp = gen_const(g, w.type, per_axis ? 1 : 0, &w.n, zp);
    g->m->val[w.value].scale = w.s[0];
    g->m->val[w.value].zp = w.type == SN_D_U8 ? zp[0] : (int8_t)zp[0];
    w.rms = gen_rms(g, w.value);
    return w;
}

static int
bias(Gen *g, int64_t n)
{
    int32_t *p;

    if (gen_chance(g, 3))
        return -1;
    p = SN_NEW_N(g->m->a, int32_t, n);
    for (int64_t i = 0; i < n; i++)
        p[i] = (int32_t)gen_in(g, -20000, 20000);
    return gen_const(g, SN_D_I32, 1, &n, p);
}

/* QLinearConv, and that of com.microsoft with channels last. */
static bool
conv(Gen *g, const char *op)
{
    int x = gen_pick(g, 4);
    const int64_t *xd = val(g, x)->data.dim;
    bool last = strcmp(op, "QLinearConvLast") == 0;
    int64_t d[4] = {xd[0], xd[last ? 3 : 1], xd[last ? 1 : 2],
                    xd[last ? 2 : 3]};
    int64_t group = 1, out = gen_in(g, 1, 9), dim[4];
    DmNode *n;
    Weights w;
    float s;
    int32_t z;

    if (gen_chance(g, 3)) { /* depthwise, or groups of two */
        group = d[1] % 2 == 0 && gen_chance(g, 2) ? d[1] / 2 : d[1];
        out = group * gen_in(g, 1, 2);
    }
    n = dm_node(g->m, last ? "com.microsoft" : "", "QLinearConv");
    if (last)
        dm_int(n, "channels_last", 1);
    dim[0] = out;
    dim[1] = d[1] / group;
    gen_window(g, n, d, dim + 2, false);
    if (group > 1)
        dm_int(n, "group", group);
    w = weights(g, 4, dim, 0);
    with_type(g, n, x);
    dm_in(n, w.value);
    dm_in(n, w.scale);
    dm_in(n, w.zp);
    out_type(g,
             sqrt((double)(dim[1] * dim[2] * dim[3])) * gen_rms(g, x) * w.rms,
             &s, &z);
    put_type(g, n, s, z);
    int b = bias(g, out);
    if (b >= 0)
        dm_in(n, b);
    return done(g, n);
}

static bool
matmul(Gen *g, const char *op)
{
    int x = gen_pick(g, gen_chance(g, 5) ? 4 : 2);
    const SnData *t = &val(g, x)->data;
    int64_t dim[2] = {t->dim[t->rank - 1], gen_in(g, 1, 20)};
    DmNode *n = dm_node(g->m, "", op);
    Weights w = weights(g, 2, dim, t->rank == 2 ? 1 : -1);
    float s;
    int32_t z;

    with_type(g, n, x);
    dm_in(n, w.value);
    dm_in(n, w.scale);
    dm_in(n, w.zp);
    out_type(g, sqrt((double)dim[0]) * gen_rms(g, x) * w.rms, &s, &z);
    put_type(g, n, s, z);
    return done(g, n);
}

static bool
gemm(Gen *g, const char *op)
{
    int x = gen_pick(g, 2);
    bool trans_a = gen_chance(g, 5), trans_b = gen_chance(g, 2);
    int64_t k = val(g, x)->data.dim[trans_a ? 0 : 1], out = gen_in(g, 1, 20);
    int64_t dim[2] = {trans_b ? out : k, trans_b ? k : out};
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    float alpha = gen_chance(g, 2) ? 1 : gen_uniform(g, 0.25F, 2), s;
    Weights w = weights(g, 2, dim, trans_b ? 0 : 1);
    int32_t z;

    if (alpha != 1)
        dm_real(n, "alpha", alpha);
    dm_int(n, "transA", trans_a);
    dm_int(n, "transB", trans_b);
    with_type(g, n, x);
    dm_in(n, w.value);
    dm_in(n, w.scale);
    dm_in(n, w.zp);
    dm_in(n, bias(g, out));
    out_type(g, sqrt((double)k) * gen_rms(g, x) * w.rms * (double)alpha, &s,
             &z);
    put_type(g, n, s, z);
    return done(g, n);
}

/* ConvInteger, MatMulInteger: plain int32, which no other operator reads. */
static bool
integer(Gen *g, const char *op)
{
    bool conv_op = strcmp(op, "ConvInteger") == 0;
    int x = gen_pick(g, conv_op ? 4 : 2);
    const int64_t *d = val(g, x)->data.dim;
    int64_t dim[4] = {d[1], gen_in(g, 1, 9)};
    DmNode *n = dm_node(g->m, "", op);
    Weights w;

    if (conv_op) {
        dim[0] = gen_in(g, 1, 9);
        dim[1] = d[1];
        gen_window(g, n, d, dim + 2, false);
    }
    w = weights(g, conv_op ? 4 : 2, dim, -1);
    dm_in(n, x);
    dm_in(n, w.value);
    dm_in(n, zp_of(g, val(g, x)->data.dtype, val(g, x)->zp));
    dm_in(n, w.zp);
    return gen_done(g);
}

/* ---- element by element ---- */

/* A second operand of x's shape, a part of it that repeats, or a scalar. */
static int
partner(Gen *g, int x)
{
    const SnData *t = &val(g, x)->data;
    int64_t dim[SN_DATA_MAXRANK], n;
    SnDtype e = g->u8 ? SN_D_U8 : SN_D_I8;
    int rank = t->rank, v;

    for (uint32_t i = 0; i < g->npool && gen_chance(g, 2); i++) {
        const SnData *o = &val(g, g->pool[i])->data;
        if (o->rank == rank &&
            memcmp(o->dim, t->dim, (size_t)rank * sizeof *o->dim) == 0)
            return g->pool[i];
    }
    memcpy(dim, t->dim, sizeof dim);
    if (gen_chance(g, 3))
        for (int i = 0; i < rank; i++)
            dim[i] = gen_chance(g, 2) ? 1 : dim[i];
    if (gen_chance(g, 8))
        rank = 0;
    if (gen_chance(g, 2) && rank > 0)
        return gen_input(g, rank, dim);
    n = sn_dims_count(rank, dim);
    v = gen_const(g, e, rank, dim, gen_codes_data(g, e, 8, n));
    g->m->val[v].scale = gen_chance(g, 3)
                             ? val(g, x)->scale
                             : gen_scale(g, gen_uniform(g, 0.002F, 0.05F));
    g->m->val[v].zp = gen_zp(g, e);
    return v;
}

static bool
binary(Gen *g, const char *op)
{
    int a = gen_pick(g, 0), b = partner(g, a);
    double ra = gen_rms(g, a), rb = gen_rms(g, b);
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    bool swap = gen_chance(g, 3);
    float s;
    int32_t z;

    with_type(g, n, swap ? b : a);
    with_type(g, n, swap ? a : b);
    out_type(g,
             strcmp(op, "QLinearMul") == 0 ? ra * rb : sqrt(ra * ra + rb * rb),
             &s, &z);
    if (gen_chance(g, 4))
        s = val(g, a)->scale *
            (strcmp(op, "QLinearMul") == 0 ? val(g, b)->scale * 64 : 2);
    if (strcmp(op, "QLinearAdd") == 0)
        s = not_finer(g, not_finer(g, s, a), b);
    put_type(g, n, s, z);
    return done(g, n);
}

/* ---- pools, concatenation, functions ---- */

static bool
average(Gen *g, const char *op)
{
    int x = gen_pick(g, 4);
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    int64_t kernel[2];
    float s;
    int32_t z;

    if (strcmp(op, "QLinearAveragePool") == 0) {
        gen_window(g, n, val(g, x)->data.dim, kernel, true);
        if (gen_chance(g, 3))
            dm_int(n, "count_include_pad", 1);
    } else {
        dm_int(n, "channels_last", 0);
    }
    with_type(g, n, x);
    out_type(g, gen_rms(g, x), &s, &z);
    if (gen_chance(g, 3))
        s = val(g, x)->scale;
    s = not_finer(g, s, x);
    put_type(g, n, s, z);
    return done(g, n);
}

static bool
concat(Gen *g, const char *op)
{
    int x = gen_pick(g, 0), part[3] = {x};
    const SnData *t = &val(g, x)->data;
    int axis = (int)gen_below(g, (uint32_t)t->rank);
    int count = 1 + (int)gen_below(g, 3);
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    int64_t dim[SN_DATA_MAXRANK];
    float s = val(g, x)->scale;
    int32_t z = val(g, x)->zp;

    memcpy(dim, t->dim, sizeof dim);
    for (int i = 1; i < count; i++) {
        dim[axis] = gen_in(g, 1, 5);
        part[i] = gen_input(g, t->rank, dim);
    }
    if (!gen_chance(g, 3))
        out_type(g, gen_rms(g, x), &s, &z);
    for (int i = 0; i < count; i++)
        s = not_finer(g, s, part[i]);
    put_type(g, n, s, z);
    for (int i = 0; i < count; i++)
        with_type(g, n, part[i]);
    dm_int(n, "axis", axis);
    return done(g, n);
}

static bool
unary(Gen *g, const char *op)
{
    int x = gen_pick(g, 0);
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    float s;
    int32_t z;

    with_type(g, n, x);
    if (strcmp(op, "QLinearSigmoid") == 0) {
        s = gen_chance(g, 2) ? 0.00390625F : gen_scale(g, 0.004F);
        z = g->u8 ? 0 : -128;
    } else {
        out_type(g, gen_rms(g, x), &s, &z);
        if (gen_chance(g, 2))
            dm_real(n, "alpha", gen_uniform(g, 0.001F, 0.9F));
        s = not_finer(g, s, x);
    }
    put_type(g, n, s, z);
    return done(g, n);
}

static bool
softmax(Gen *g, const char *op)
{
    int x = gen_pick(g, 0);
    DmNode *n = dm_node(g->m, "com.microsoft", op);

    with_type(g, n, x);
    put_type(g, n, gen_chance(g, 2) ? 0.00390625F : gen_scale(g, 0.004F),
             g->u8 ? 0 : -128);
    dm_int(n, "axis", val(g, x)->data.rank - 1);
    dm_int(n, "opset", 13);
    return done(g, n);
}

/* ---- operators of ONNX that take codes as they are ---- */

static bool
move(Gen *g, const char *op)
{
    int x = gen_pick(g, 0);
    const SnData *t = &val(g, x)->data;
    DmNode *n = dm_node(g->m, "", op);
    int64_t flat[2] = {t->dim[0], -1}, perm[SN_DATA_MAXRANK];

    dm_in(n, x);
    if (strcmp(op, "Reshape") == 0) {
        dm_in(n, dm_i64s(g->m, 2, flat));
    } else {
        for (int i = 0; i < t->rank; i++)
            perm[i] = t->rank - 1 - i;
        dm_ints(n, "perm", (size_t)t->rank, perm);
    }
    g->m->val[n->out].scale = val(g, x)->scale;
    g->m->val[n->out].zp = val(g, x)->zp;
    return done(g, n);
}

static bool
max_pool(Gen *g, const char *op)
{
    int x = gen_pick(g, 4);
    DmNode *n = dm_node(g->m, "", op);
    int64_t kernel[2];

    gen_window(g, n, val(g, x)->data.dim, kernel, true);
    dm_in(n, x);
    g->m->val[n->out].scale = val(g, x)->scale;
    g->m->val[n->out].zp = val(g, x)->zp;
    return done(g, n);
}

/* Dequantize and Quantize to another type. */
static bool
requantize(Gen *g, const char *op)
{
    int x = gen_pick(g, 0), r;
    DmNode *n = dm_node(g->m, "", "DequantizeLinear");
    float s;
    int32_t z;

    (void)op;
    with_type(g, n, x);
    r = n->out;
    if (!gen_done(g))
        return false;
    n = dm_node(g->m, "", "QuantizeLinear");
    dm_in(n, r);
    out_type(g, gen_rms(g, x), &s, &z);
    s = not_finer(g, s, x);
    put_type(g, n, s, z);
    return done(g, n);
}

/* QLinearWhere by a constant condition. */
static bool
choose(Gen *g, const char *op)
{
    int x = gen_pick(g, 0), y = partner(g, x);
    const SnData *t = &val(g, x)->data;
    int64_t n = sn_data_count(t);
    uint8_t *c = sn_alloc(g->m->a, (size_t)n);
    DmNode *d = dm_node(g->m, "com.microsoft", op);
    float s;
    int32_t z;

    for (int64_t i = 0; i < n; i++)
        c[i] = gen_chance(g, 2);
    dm_in(d, gen_const(g, SN_D_BOOL, t->rank, t->dim, c));
    with_type(g, d, x);
    with_type(g, d, y);
    out_type(g, fmax(gen_rms(g, x), gen_rms(g, y)), &s, &z);
    put_type(g, d, not_finer(g, not_finer(g, s, x), y), z);
    return done(g, d);
}

/* Products of codes as floats, which no other operator reads. */
static bool
to_float(Gen *g, const char *op)
{
    int x = gen_pick(g, 2);
    int64_t dim[2] = {val(g, x)->data.dim[1], gen_in(g, 1, 20)};
    float *b = SN_NEW_N(g->m->a, float, dim[1]);
    DmNode *n = dm_node(g->m, "com.microsoft", op);
    Weights w = weights(g, 2, dim, 1);

    dm_in(n, x);
    dm_in(n, w.value);
    dm_in(n, dm_f32(g->m, val(g, x)->scale));
    dm_in(n, w.scale);
    dm_in(n, zp_of(g, val(g, x)->data.dtype, val(g, x)->zp));
    dm_in(n, w.zp);
    for (int64_t i = 0; i < dim[1]; i++)
        b[i] = gen_uniform(g, -1, 1);
    if (gen_chance(g, 2))
        dm_in(n, gen_const(g, SN_D_F32, 1, dim + 1, b));
    return gen_done(g);
}

/* Operators of ONNX that take codes for the numbers they are, and give such. */
static bool
piece(Gen *g, const char *op)
{
    int x = gen_pick(g, 0);
    const SnData *t = &val(g, x)->data;
    int axis = (int)gen_below(g, (uint32_t)t->rank);
    int64_t from = gen_in(g, 0, t->dim[axis] - 1), at = axis;
    int64_t to = gen_in(g, from + 1, t->dim[axis]), pads[16] = {0};
    DmNode *n;

    if (strcmp(op, "Relu") == 0 && t->dtype == SN_D_U8)
        op = "Sign"; /* there is no Relu of uint8 */
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (strcmp(op, "Slice") == 0) {
        dm_in(n, dm_i64s(g->m, 1, &from));
        dm_in(n, dm_i64s(g->m, 1, &to));
        dm_in(n, dm_i64s(g->m, 1, &at));
    } else if (strcmp(op, "Pad") == 0) {
        for (int i = 0; i < 2 * t->rank; i++)
            pads[i] = gen_in(g, 0, 2);
        dm_in(n, dm_i64s(g->m, 2 * t->rank, pads));
        dm_in(n, zp_of(g, t->dtype,
                       gen_chance(g, 2) ? val(g, x)->zp : gen_zp(g, t->dtype)));
        if (gen_chance(g, 3))
            n->nin--;
    } else if (strcmp(op, "Concat") == 0) {
        dm_in(n, gen_const(g, t->dtype, t->rank, t->dim,
                           gen_codes_data(g, t->dtype, 8, sn_data_count(t))));
        dm_int(n, "axis", axis);
    } else if (strncmp(op, "Reduce", 6) == 0) {
        dm_ints(n, "axes", 1, &at);
    } else if (strcmp(op, "Clip") == 0) {
        int32_t lo = t->dtype == SN_D_U8 ? 0 : -128;
        dm_in(n, zp_of(g, t->dtype, lo + (int32_t)gen_below(g, 100)));
        dm_in(n, zp_of(g, t->dtype, lo + 120 + (int32_t)gen_below(g, 100)));
    }
    g->m->val[n->out].scale = val(g, x)->scale;
    g->m->val[n->out].zp = val(g, x)->zp;
    return done(g, n);
}

const GenOp gen_codes[] = {
    {"QLinearConv", conv, 0},
    {"QLinearConvLast", conv, 0},
    {"QLinearMatMul", matmul, 0},
    {"QGemm", gemm, 0},
    {"ConvInteger", integer, 0},
    {"MatMulInteger", integer, 0},
    {"QLinearAdd", binary, 0},
    {"QLinearMul", binary, 0},
    {"QLinearAveragePool", average, 0},
    {"QLinearGlobalAveragePool", average, 0},
    {"QLinearConcat", concat, 0},
    {"QLinearLeakyRelu", unary, 0},
    {"QLinearSigmoid", unary, 0},
    {"QLinearSoftmax", softmax, 0},
    {"MaxPool", max_pool, 0},
    {"Reshape", move, 0},
    {"Transpose", move, 0},
    {"Requantize", requantize, 0},
    {"QLinearWhere", choose, 0},
    {"MatMulIntegerToFloat", to_float, 0},
    {"Concat", piece, 0},
    {"Slice", piece, 0},
    {"Pad", piece, 0},
    {"Clip", piece, 0},
    {"Relu", piece, 0},
    {"Abs", piece, 0},
    {"Sign", piece, 0},
    {"ReduceMax", piece, 0},
    {"ReduceMin", piece, 0},
    {"Resize", gen_resize, 0},
    {"DepthToSpace", gen_blocks, 0},
    {"SpaceToDepth", gen_blocks, 0},
    {"Gather", gen_gather, 0},
    {"GatherElements", gen_gather, 0},
    {"Flatten", gen_shuffle, 0},
    {"Squeeze", gen_shuffle, 0},
    {"Unsqueeze", gen_shuffle, 0},
    {"Identity", gen_shuffle, 0},
    {"Expand", gen_shuffle, 0},
    {"Tile", gen_shuffle, 0},
    {"Split", gen_split, 0},
    {"ArgMax", gen_order, 0},
    {"ArgMin", gen_order, 0},
};
const uint32_t gen_ncodes = sizeof gen_codes / sizeof *gen_codes;
