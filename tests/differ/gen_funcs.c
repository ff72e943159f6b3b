// SPDX-License-Identifier: Apache-2.0
/* Further operators on floats: functions, quotients, norms, recurrences. */
#include "gen.h"

#include <string.h>

/* Constant floats in [lo, hi). */
static int
floats(Gen *g, int rank, const int64_t *dim, float lo, float hi)
{
    int64_t n = sn_dims_count(rank, dim);
    float *p = SN_NEW_N(g->m->a, float, n);

    for (int64_t i = 0; i < n; i++)
        p[i] = gen_uniform(g, lo, hi);
    return gen_const(g, SN_D_F32, rank, dim, p);
}

static bool
is(const char *op, const char *name)
{
    return strcmp(op, name) == 0;
}

/* |x| + 1/4, for what is not defined below; -1: refused. */
static int
positive(Gen *g, int x)
{
    DmNode *n = dm_node(g->m, "", "Abs");
    int y = n->out;

    dm_in(n, x);
    if (x < 0 || !gen_done(g))
        return -1;
    n = dm_node(g->m, "", "Add");
    dm_in(n, y);
    dm_in(n, dm_f32(g->m, 0.25F));
    y = n->out;
    return gen_done(g) ? y : -1;
}

/* ---- element by element ---- */

bool
gen_function(Gen *g, const char *op)
{
    bool ours = is(op, "FastGelu") || is(op, "QuickGelu");
    int x = gen_real(g, gen_pick(g, 0));
    DmNode *n;

    if (is(op, "Log") || is(op, "Sqrt") || is(op, "Reciprocal"))
        x = positive(g, x);
    if (x < 0)
        return false;
    n = dm_node(g->m, ours || is(op, "Gelu") ? "com.microsoft" : "", op);
    dm_in(n, x);
    if (is(op, "Celu") || is(op, "ThresholdedRelu") || is(op, "QuickGelu"))
        dm_real(n, "alpha", gen_uniform(g, 0.2F, 1.8F));
    if (is(op, "Selu")) {
        dm_real(n, "alpha", gen_uniform(g, 0.5F, 2));
        dm_real(n, "gamma", gen_uniform(g, 0.5F, 2));
    }
    return gen_result(g, n);
}

/* Div by, and Pow of, positive values. */
bool
gen_divide(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), x = gen_real(g, v), y;
    const SnData *t = &g->m->val[v].data;
    int64_t dim[SN_DATA_MAXRANK];
    DmNode *n;

    for (int i = 0; i < t->rank; i++)
        dim[i] = gen_chance(g, 3) ? 1 : t->dim[i];
    y = gen_real(g, gen_input(g, t->rank, dim));
    if (is(op, "Pow"))
        x = positive(g, x);
    else
        y = positive(g, y);
    if (x < 0 || y < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, y);
    return gen_result(g, n);
}

bool
gen_prelu(Gen *g, const char *op)
{
    int v = gen_pick(g, 4), x = gen_real(g, v);
    const int64_t *d = g->m->val[v].data.dim;
    int64_t dim[3] = {d[1], 1, 1};
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, floats(g, 3, dim, -0.5F, 1));
    return gen_result(g, n);
}

/* Where, by a comparison of the operands. */
bool
gen_where(Gen *g, const char *op)
{
    static const char *const how[] = {"Less", "Greater", "Equal", "LessOrEqual",
                                      "GreaterOrEqual"};
    int v = gen_pick(g, 0), x = gen_real(g, v), y, c;
    const SnData *t = &g->m->val[v].data;
    int64_t dim[SN_DATA_MAXRANK];
    DmNode *n;

    for (int i = 0; i < t->rank; i++)
        dim[i] = gen_chance(g, 3) ? 1 : t->dim[i];
    y = gen_real(g, gen_input(g, t->rank, dim));
    if (x < 0 || y < 0)
        return false;
    n = dm_node(g->m, "", how[gen_below(g, 5)]);
    dm_in(n, x);
    dm_in(n, y);
    c = n->out;
    if (!gen_done(g))
        return false;
    if (gen_chance(g, 2)) {
        n = dm_node(g->m, "", "Not");
        dm_in(n, c);
        c = n->out;
        if (!gen_done(g))
            return false;
    }
    n = dm_node(g->m, "", op);
    dm_in(n, c);
    dm_in(n, x);
    dm_in(n, y);
    return gen_result(g, n);
}

/* Sum and Mean of one to three. */
bool
gen_sum(Gen *g, const char *op)
{
    int v = gen_pick(g, 0), part[3] = {gen_real(g, v)};
    const SnData *t = &g->m->val[v].data;
    int count = 1 + (int)gen_below(g, 3);
    DmNode *n;

    for (int i = 1; i < count; i++)
        part[i] = gen_real(g, gen_input(g, t->rank, t->dim));
    n = dm_node(g->m, "", op);
    for (int i = 0; i < count; i++) {
        if (part[i] < 0)
            return false;
        dm_in(n, part[i]);
    }
    return gen_result(g, n);
}

/* ---- windows, norms ---- */

bool
gen_deconv(Gen *g, const char *op)
{
    int v = gen_pick(g, 4), x = gen_real(g, v), w;
    const int64_t *d = g->m->val[v].data.dim;
    int64_t group = 1, out = gen_in(g, 1, 5), dim[4] = {d[1]}, stride[2];
    int64_t pads[4], more[2];
    DmNode *n;

    if (x < 0)
        return false;
    if (gen_chance(g, 3))
        group = d[1] % 2 == 0 && gen_chance(g, 2) ? d[1] / 2 : d[1];
    dim[1] = out;
    for (int i = 0; i < 2; i++) {
        dim[2 + i] = gen_in(g, 1, 4);
        stride[i] = gen_in(g, 1, 3);
        more[i] = gen_in(g, 0, stride[i] - 1);
        for (int k = 0; k < 2; k++)
            pads[2 * k + i] = gen_in(g, 0, (dim[2 + i] - 1) / 2);
    }
    w = gen_weights(g, 4, dim, group == 1 ? 1 : -1, NULL);
    if (w < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, w);
    dim[1] = out * group;
    if (gen_chance(g, 2))
        dm_in(n, floats(g, 1, dim + 1, -2, 2));
    dm_ints(n, "kernel_shape", 2, dim + 2);
    dm_ints(n, "strides", 2, stride);
    dm_ints(n, "pads", 4, pads);
    dm_ints(n, "output_padding", 2, more);
    if (group > 1)
        dm_int(n, "group", group);
    return gen_result(g, n);
}

/* LayerNormalization, InstanceNormalization, LogSoftmax. */
bool
gen_norm(Gen *g, const char *op)
{
    bool log = is(op, "LogSoftmax"), layer = is(op, "LayerNormalization");
    int v = gen_pick(g, layer || log ? 0 : 4), x = gen_real(g, v);
    const SnData *t = &g->m->val[v].data;
    int64_t c = t->dim[layer ? t->rank - 1 : 1];
    DmNode *n;

    if (x < 0 || (!log && !layer && t->dim[2] * t->dim[3] < 2))
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    if (!log) {
        dm_in(n, floats(g, 1, &c, -1, 2));
        if (!layer || gen_chance(g, 2))
            dm_in(n, floats(g, 1, &c, -1, 1));
        dm_real(n, "epsilon", 0.01F);
    }
    if (!is(op, "InstanceNormalization"))
        dm_int(n, "axis", -1);
    return gen_result(g, n);
}

/* ---- recurrences: one of one to five steps ---- */

bool
gen_recurrent(Gen *g, const char *op)
{
    static const char *const way[] = {"forward", "reverse", "bidirectional"};
    int64_t steps = gen_in(g, 1, 5), batch = gen_in(g, 1, 3);
    int64_t in = gen_in(g, 1, 6), hidden = gen_in(g, 1, 5);
    int64_t gates = is(op, "LSTM") ? 4 : is(op, "GRU") ? 3 : 1;
    uint32_t dir = gen_below(g, 3);
    int64_t nd = dir == 2 ? 2 : 1;
    int x = gen_real(g, gen_input(g, 3, (int64_t[]){steps, batch, in}));
    DmNode *n;

    if (x < 0)
        return false;
    n = dm_node(g->m, "", op);
    dm_in(n, x);
    dm_in(n, floats(g, 3, (int64_t[]){nd, gates * hidden, in}, -1, 1));
    dm_in(n, floats(g, 3, (int64_t[]){nd, gates * hidden, hidden}, -1, 1));
    dm_in(n, gen_chance(g, 3)
                 ? -1
                 : floats(g, 2, (int64_t[]){nd, 2 * gates * hidden}, -1, 1));
    dm_in(n, -1);
    if (gen_chance(g, 2))
        dm_in(n, floats(g, 3, (int64_t[]){nd, batch, hidden}, -1, 1));
    dm_int(n, "hidden_size", hidden);
    dm_text(n, "direction", way[dir]);
    if (is(op, "GRU"))
        dm_int(n, "linear_before_reset", gen_chance(g, 2));
    return gen_result(g, n);
}

/* ---- codes made at run time ---- */

/* The codes of DynamicQuantizeLinear, its scale, or what they mean; a product
 * with them. */
bool
gen_dynamic(Gen *g, const char *op)
{
    int v = gen_pick(g, is(op, "DynamicQuantizeLinear") ? 0 : 2), s, z, y;
    int64_t dim[2] = {g->m->val[v].data.dim[1], gen_in(g, 1, 9)};
    DmNode *n;

    if (is(op, "DynamicQuantizeMatMul")) {
        int8_t zp = (int8_t)(gen_chance(g, 2) ? 0 : gen_in(g, -9, 9));
        n = dm_node(g->m, "com.microsoft", op);
        dm_in(n, v);
        dm_in(n, gen_const(g, SN_D_I8, 2, dim,
                           gen_codes_data(g, SN_D_I8, 7, dim[0] * dim[1])));
        dm_in(n, dm_f32(g->m, gen_uniform(g, 0.001F, 0.02F)));
        dm_in(n, gen_const(g, SN_D_I8, 0, NULL, &zp));
        if (gen_chance(g, 2))
            dm_in(n, floats(g, 1, dim + 1, -1, 1));
        return gen_result(g, n);
    }
    n = dm_node(g->m, "", op);
    dm_in(n, v);
    y = n->out;
    s = dm_more(g->m, n);
    z = dm_more(g->m, n);
    if (!gen_done(g))
        return false;
    if (gen_chance(g, 3)) {
        g->m->out = gen_chance(g, 3) ? s : y;
        return true;
    }
    n = dm_node(g->m, "", "DequantizeLinear");
    dm_in(n, y);
    dm_in(n, s);
    dm_in(n, z);
    return gen_result(g, n);
}

/* A convolution with its activation. */
bool
gen_fused(Gen *g, const char *op)
{
    static const char *const act[] = {"Relu", "Tanh", "Sigmoid"};
    int x = gen_pick(g, 4);
    const int64_t *d = g->m->val[x].data.dim;
    int64_t dim[4] = {gen_in(g, 1, 9), d[1]};
    DmNode *n = dm_node(g->m, "com.microsoft", op);

    gen_window(g, n, d, dim + 2, false);
    dm_text(n, "activation", act[gen_below(g, 3)]);
    dm_in(n, x);
    dm_in(n, floats(g, 4, dim, -1, 1));
    if (gen_chance(g, 2))
        dm_in(n, floats(g, 1, dim, -1, 1));
    return gen_result(g, n);
}
