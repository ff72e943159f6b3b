// SPDX-License-Identifier: Apache-2.0
/* Float operators, on floats or between DequantizeLinear and QuantizeLinear. */
#include "gen.h"

#include <math.h>
#include <string.h>

int
gen_real(Gen *g, int v)
{
    const DmVal *p = &g->m->val[v];
    uint8_t zp = (uint8_t)p->zp;
    DmNode *n;
    int out;

    if (g->form == GEN_FLOAT)
        return v;
    n = dm_node(g->m, "", "DequantizeLinear");
    out = n->out;
    dm_in(n, v);
    dm_in(n, dm_f32(g->m, p->scale));
    dm_in(n, gen_const(g, p->data.dtype, 0, NULL, &zp));
    return gen_done(g) ? out : -1;
}

/* Behind other operators, the finest grid for what this node gives: a quarter
 * of those it reads.  Merging two Rescales keeps what the first would have
 * rounded away, which on a much finer grid shows as noise. */
static float
finest(const Gen *g, const DmNode *n)
{
    float least = 0;

    for (uint32_t i = 0; g->nop > 0 && i < g->m->nnode; i++) {
        const DmNode *d = &g->m->node[i];
        const DmVal *q = &g->m->val[d->in[0]];
        for (uint32_t k = 0; k < n->nin; k++)
            if (d->out == n->in[k] && q->from == DM_MADE)
                least = fmaxf(least, q->scale / 4);
    }
    return least;
}

bool
gen_result(Gen *g, DmNode *n)
{
    SnDtype t = g->u8 != gen_chance(g, 8) ? SN_D_U8 : SN_D_I8;
    int v = n->out, lo = t == SN_D_U8 ? 0 : -128;
    float least = g->form == GEN_QDQ ? finest(g, n) : 0;
    double min = 0, max = 0;
    uint8_t zp;
    DmVal *q;

    if (!gen_done(g))
        return false;
    if (g->form == GEN_FLOAT) {
        gen_keep(g, v);
        return true;
    }
    for (int64_t i = 0; i < sn_data_count(&g->m->val[v].data); i++) {
        double x = sn_data_real(&g->m->val[v].data, i);
        min = fmin(min, x);
        max = fmax(max, x);
    }
    n = dm_node(g->m, "", "QuantizeLinear");
    q = &g->m->val[n->out];
    q->scale = fmaxf(gen_scale(g, (float)(max - min) / 255), least);
    q->zp = (int)fmin(fmax(lo - rint(min / (double)q->scale), lo), lo + 255);
    if (gen_chance(g, 3))
        q->zp = gen_zp(g, t);
    zp = (uint8_t)q->zp;
    v = n->out;
    dm_in(n, n->out - 1);
    n->in[0] = g->m->node[g->m->nnode - 2].out;
    dm_in(n, dm_f32(g->m, q->scale));
    dm_in(n, gen_const(g, t, 0, NULL, &zp));
    if (!gen_done(g))
        return false;
    gen_keep(g, v);
    return true;
}

int
gen_weights(Gen *g, int rank, const int64_t *dim, int axis, float *scale)
{
    int64_t n = sn_dims_count(rank, dim), ns = axis >= 0 ? dim[axis] : 1;
    bool per_axis = axis >= 0 && gen_chance(g, 2);
    bool u8 = gen_chance(g, 4);
    float *p = SN_NEW_N(g->m->a, float, n > ns ? n : ns);
    uint8_t *zp = SN_NEW_N(g->m->a, uint8_t, ns);
    int64_t nq = per_axis ? ns : 1;
    DmNode *d;
    int out, v;

    if (g->form == GEN_FLOAT) {
        for (int64_t i = 0; i < n; i++)
            p[i] = gen_uniform(g, -1, 1);
        return gen_const(g, SN_D_F32, rank, dim, p);
    }
    for (int64_t i = 0; i < ns; i++) {
        p[i] = i > 0 && !per_axis ? p[0]
                                  : gen_scale(g, gen_uniform(g, 0.001F, 0.02F));
        zp[i] = u8 ? (uint8_t)(per_axis ? 128 : gen_in(g, 120, 136)) : 0;
        if (scale != NULL)
            scale[i] = p[i];
    }
    v = gen_const(g, u8 ? SN_D_U8 : SN_D_I8, rank, dim,
                  gen_codes_data(g, u8 ? SN_D_U8 : SN_D_I8, 8, n));
    d = dm_node(g->m, "", "DequantizeLinear");
    out = d->out;
    dm_in(d, v);
    dm_in(d, gen_const(g, SN_D_F32, per_axis ? 1 : 0, &nq, p));
    dm_in(d, gen_const(g, u8 ? SN_D_U8 : SN_D_I8, per_axis ? 1 : 0, &nq, zp));
    if (per_axis)
        dm_int(d, "axis", axis);
    return gen_done(g) ? out : -1;
}

/* n biases on the grid x * w (QDQ), or floats; -1: none. */
static int
bias(Gen *g, int64_t n, float xs, const float *ws)
{
    float *p = SN_NEW_N(g->m->a, float, n);
    int32_t *q = SN_NEW_N(g->m->a, int32_t, n);
    DmNode *d;
    int v, out;

    if (gen_chance(g, 3))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        q[i] = (int32_t)gen_in(g, -8000, 8000);
        p[i] = g->form == GEN_FLOAT ? gen_uniform(g, -2, 2)
                                    : (float)q[i] * (xs * ws[i]);
    }
    if (g->form == GEN_FLOAT || gen_chance(g, 4))
        return gen_const(g, SN_D_F32, 1, &n, p);
    for (int64_t i = 0; i < n; i++)
        p[i] = xs * ws[i];
    v = gen_const(g, SN_D_I32, 1, &n, q);
    d = dm_node(g->m, "", "DequantizeLinear");
    out = d->out;
    dm_in(d, v);
    dm_in(d, gen_const(g, SN_D_F32, 1, &n, p));
    dm_int(d, "axis", 0);
    return gen_done(g) ? out : -1;
}

/* ---- sums of products ---- */

static bool
conv(Gen *g, const char *op)
{
    int v = gen_pick(g, 4), x = gen_real(g, v), w, b;
    const int64_t *d = g->m->val[v].data.dim;
    int64_t group = 1, out = gen_in(g, 1, 9), dim[4];
    float ws[64];
    DmNode win = {0}, *n;

    if (x < 0)
        return false;
    if (gen_chance(g, 3)) {
        group = d[1] % 2 == 0 && gen_chance(g, 2) ? d[1] / 2 : d[1];
        out = group * gen_in(g, 1, 2);
    }
    dim[0] = out;
    dim[1] = d[1] / group;
    gen_window(g, &win, d, dim + 2, false);
    w = gen_weights(g, 4, dim, 0, ws);
    b = bias(g, out, g->m->val[v].scale, ws);
    n = dm_node(g->m, "", op);
    memcpy(n->attr, win.attr, sizeof win.attr);
    n->nattr = win.nattr;
    if (group > 1)
        dm_int(n, "group", group);
    dm_in(n, x);
    dm_in(n, w);
    if (b >= 0)
        dm_in(n, b);
    if (gen_chance(g, 3)) { /* a Relu before the result is quantized */
        int y = n->out;
        if (!gen_done(g))
            return false;
        n = dm_node(g->m, "", "Relu");
        dm_in(n, y);
    }
    return gen_result(g, n);
}

static bool
gemm(Gen *g, const char *op)
{
    int v = gen_pick(g, 2), x = gen_real(g, v), w, b;
    bool trans_b = gen_chance(g, 2);
    int64_t k = g->m->val[v].data.dim[1], out = gen_in(g, 1, 20);
    int64_t dim[2] = {trans_b ? out : k, trans_b ? k : out};
    float ws[64];
    DmNode *n;

    if (x < 0)
        return false;
    w = gen_weights(g, 2, dim, trans_b ? 0 : 1, ws);
    b = bias(g, out, g->m->val[v].scale, ws);
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, w);
    if (b >= 0)
        dm_in(n, b);
    dm_int(n, "transB", trans_b);
    return gen_result(g, n);
}

static bool
matmul(Gen *g, const char *op)
{
    int v = gen_pick(g, gen_chance(g, 3) ? 4 : 2), x = gen_real(g, v), w;
    const SnData *t = &g->m->val[v].data;
    int64_t dim[SN_DATA_MAXRANK];
    DmNode *n;

    if (x < 0)
        return false;
    memcpy(dim, t->dim, sizeof dim);
    dim[t->rank - 2] = t->dim[t->rank - 1];
    dim[t->rank - 1] = gen_in(g, 1, 20);
    if (gen_chance(g, 2)) /* both operands computed */
        w = gen_real(g, gen_input(g, t->rank, dim));
    else
        w = gen_weights(g, 2, dim + t->rank - 2, t->rank == 2 ? 1 : -1, NULL);
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, w);
    return gen_result(g, n);
}

/* ---- element by element ---- */

static bool
binary(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = gen_real(g, v), y, other = -1;
    const SnData *t = &g->m->val[v].data;
    int64_t dim[SN_DATA_MAXRANK];
    DmNode *n;

    for (uint32_t i = 0; i < g->npool && other < 0; i++) {
        const SnData *o = &g->m->val[g->pool[i]].data;
        if (g->pool[i] != v && o->rank == t->rank &&
            memcmp(o->dim, t->dim, (size_t)o->rank * sizeof *o->dim) == 0)
            other = g->pool[i];
    }
    memcpy(dim, t->dim, sizeof dim);
    if (gen_chance(g, 3))
        for (int i = 0; i < t->rank; i++)
            dim[i] = gen_chance(g, 2) ? 1 : dim[i];
    if (other < 0 || gen_chance(g, 2))
        other = gen_chance(g, 3) ? -1 : gen_input(g, t->rank, dim);
    y = other >= 0 ? gen_real(g, other)
                   : gen_weights(g, t->rank, dim, -1, NULL);
    if (x < 0 || y < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, y);
    return gen_result(g, n);
}

static bool
unary(Gen *g, const char *op)
{
    int x = gen_real(g, gen_pick(g, 0));
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (strcmp(op, "LeakyRelu") == 0 || strcmp(op, "Elu") == 0)
        dm_real(n, "alpha", gen_uniform(g, 0.01F, 0.8F));
    return gen_result(g, n);
}

static bool
clip(Gen *g, const char *op)
{
    int x = gen_real(g, gen_pick(g, 0));
    float lo = gen_uniform(g, -2, 0.5F);
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, gen_chance(g, 4) ? -1 : dm_f32(g->m, lo));
    if (!gen_chance(g, 4))
        dm_in(n, dm_f32(g->m, lo + gen_uniform(g, 0.5F, 3)));
    return gen_result(g, n);
}

static bool
softmax(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = gen_real(g, v);
    int rank = g->m->val[v].data.rank;
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_int(n, "axis",
           (int64_t)gen_below(g, (uint32_t)rank) -
               (gen_chance(g, 2) ? rank : 0));
    return gen_result(g, n);
}

/* ---- pools, normalization, reductions ---- */

static bool
pool(Gen *g, const char *op)
{
    int v = gen_pick(g, 4), x = gen_real(g, v);
    int64_t kernel[2];
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (strncmp(op, "Global", 6) != 0)
        gen_window(g, n, g->m->val[v].data.dim, kernel, true);
    if (strcmp(op, "AveragePool") == 0 && gen_chance(g, 3))
        dm_int(n, "count_include_pad", 1);
    return gen_result(g, n);
}

static bool
lrn(Gen *g, const char *op)
{
    int x = gen_real(g, gen_pick(g, 4));
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_int(n, "size", 1 + 2 * gen_in(g, 0, 3));
    dm_real(n, "alpha", gen_uniform(g, 0.0001F, 0.1F));
    dm_real(n, "beta", 0.75F);
    dm_real(n, "bias", gen_uniform(g, 1, 2));
    return gen_result(g, n);
}

static bool
batch_norm(Gen *g, const char *op)
{
    int v = gen_pick(g, 4), x = gen_real(g, v);
    int64_t c = g->m->val[v].data.dim[1];
    float *p = SN_NEW_N(g->m->a, float, c);
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    for (int k = 0; k < 4; k++) {
        for (int64_t i = 0; i < c; i++)
            p[i] = gen_uniform(g, k == 3 ? 0.1F : -1, 2);
        dm_in(n, gen_const(g, SN_D_F32, 1, &c, p));
    }
    return gen_result(g, n);
}

static bool
reduce(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = gen_real(g, v);
    int rank = g->m->val[v].data.rank;
    int64_t axis[2] = {rank - 1, rank - 2};
    size_t count = rank > 1 ? 1 + gen_below(g, 2) : 1;
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (strcmp(op, "ReduceSum") == 0)
        dm_in(n, dm_i64s(g->m, (int)count, axis));
    else
        dm_ints(n, "axes", count, axis);
    if (gen_chance(g, 2))
        dm_int(n, "keepdims", 0);
    return gen_result(g, n);
}

/* ---- moves ---- */

static bool
concat(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), part[3];
    const SnData *t = &g->m->val[v].data;
    int axis = (int)gen_below(g, (uint32_t)t->rank);
    int count = 2 + (int)gen_below(g, 2);
    int64_t dim[SN_DATA_MAXRANK];
    DmNode *n;

    memcpy(dim, t->dim, sizeof dim);
    part[0] = gen_real(g, v);
    for (int i = 1; i < count; i++) {
        dim[axis] = gen_in(g, 1, 5);
        part[i] = gen_real(g, gen_input(g, t->rank, dim));
    }
    n = dm_node(g->m, "", op);
    for (int i = 0; i < count; i++)
        dm_in(n, part[i]);
    dm_int(n, "axis", axis);
    return gen_result(g, n);
}

static bool
move(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = gen_real(g, v);
    const SnData *t = &g->m->val[v].data;
    int64_t flat[2] = {t->dim[0], -1}, perm[SN_DATA_MAXRANK];
    int64_t pads[2 * SN_DATA_MAXRANK], start[1], end[1], axis[1];
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    for (int i = 0; i < t->rank; i++) {
        perm[i] = t->rank - 1 - i;
        pads[i] = i > 1 ? gen_in(g, 0, 2) : 0;
        pads[t->rank + i] = gen_in(g, 0, 1);
    }
    if (strcmp(op, "Transpose") == 0)
        dm_ints(n, "perm", (size_t)t->rank, perm);
    if (strcmp(op, "Reshape") == 0)
        dm_in(n, dm_i64s(g->m, 2, flat));
    if (strcmp(op, "Pad") == 0) {
        dm_in(n, dm_i64s(g->m, 2 * t->rank, pads));
        if (gen_chance(g, 2))
            dm_in(n, dm_f32(g->m, gen_uniform(g, -1, 1)));
    }
    if (strcmp(op, "Slice") == 0) {
        axis[0] = t->rank - 1;
        start[0] = gen_in(g, 0, t->dim[axis[0]] - 1);
        end[0] = gen_in(g, start[0] + 1, t->dim[axis[0]]);
        dm_in(n, dm_i64s(g->m, 1, start));
        dm_in(n, dm_i64s(g->m, 1, end));
        dm_in(n, dm_i64s(g->m, 1, axis));
    }
    return gen_result(g, n);
}

const GenOp gen_reals[] = {
    {"Conv", conv, 0},
    {"Gemm", gemm, 0},
    {"MatMul", matmul, 0},
    {"Add", binary, 0},
    {"Sub", binary, 0},
    {"Mul", binary, 0},
    {"Max", binary, 0},
    {"Min", binary, 0},
    {"Relu", unary, 0},
    {"LeakyRelu", unary, 0},
    {"Sigmoid", unary, 0},
    {"Tanh", unary, 0},
    {"HardSwish", unary, 0},
    {"HardSigmoid", unary, 0},
    {"Elu", unary, 0},
    {"Abs", unary, 0},
    {"Neg", unary, 0},
    {"Erf", unary, 0},
    {"Clip", clip, 0},
    {"Softmax", softmax, 0},
    {"AveragePool", pool, 0},
    {"GlobalAveragePool", pool, 0},
    {"MaxPool", pool, 0},
    {"GlobalMaxPool", pool, 0},
    {"LRN", lrn, 0},
    {"BatchNormalization", batch_norm, 0},
    {"ReduceMean", reduce, 0},
    {"ReduceSum", reduce, 0},
    {"Concat", concat, 0},
    {"Transpose", move, 0},
    {"Reshape", move, 0},
    {"Pad", move, 0},
    {"Slice", move, 0},
    {"ReduceMax", reduce, 0},
    {"ReduceMin", reduce, 0},
    {"ReduceL1", reduce, 0},
    {"ReduceL2", reduce, 0},
    {"ReduceLogSumExp", reduce, 0},
    {"ReduceSumSquare", reduce, 0},
    {"ReduceProd", reduce, GEN_FIRST | GEN_REAL},
    {"Sum", gen_sum, 0},
    {"Mean", gen_sum, 0},
    {"Div", gen_divide, GEN_FIRST},
    {"Pow", gen_divide, GEN_FIRST},
    {"Exp", gen_function, GEN_FIRST},
    {"Log", gen_function, GEN_FIRST},
    {"Sqrt", gen_function, GEN_FIRST},
    {"Reciprocal", gen_function, GEN_FIRST},
    {"Ceil", gen_function, GEN_FIRST},
    {"Floor", gen_function, GEN_FIRST},
    {"Round", gen_function, GEN_FIRST},
    {"Sign", gen_function, GEN_FIRST},
    {"Softplus", gen_function, 0},
    {"Selu", gen_function, 0},
    {"Celu", gen_function, 0},
    {"ThresholdedRelu", gen_function, GEN_FIRST},
    {"Gelu", gen_function, 0},
    {"FastGelu", gen_function, 0},
    {"QuickGelu", gen_function, 0},
    {"PRelu", gen_prelu, 0},
    {"Where", gen_where, GEN_FIRST},
    {"ConvTranspose", gen_deconv, 0},
    {"LayerNormalization", gen_norm, GEN_FIRST},
    {"InstanceNormalization", gen_norm, GEN_FIRST},
    {"LogSoftmax", gen_norm, 0},
    {"LSTM", gen_recurrent, 0},
    {"GRU", gen_recurrent, 0},
    {"RNN", gen_recurrent, 0},
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
    {"CumSum", gen_cumulate, 0},
    {"Trilu", gen_cumulate, 0},
    {"ArgMax", gen_order, GEN_FIRST | GEN_REAL},
    {"ArgMin", gen_order, GEN_FIRST | GEN_REAL},
    {"TopK", gen_order, GEN_FIRST | GEN_REAL},
    {"DynamicQuantizeLinear", gen_dynamic, GEN_FIRST | GEN_REAL},
    {"DynamicQuantizeMatMul", gen_dynamic, GEN_FIRST | GEN_REAL},
    {"FusedConv", gen_fused, GEN_REAL},
};
const uint32_t gen_nreals = sizeof gen_reals / sizeof *gen_reals;
