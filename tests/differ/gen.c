// SPDX-License-Identifier: Apache-2.0
#include "gen.h"

#include <math.h>
#include <string.h>

uint32_t
gen_below(Gen *g, uint32_t n)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

int64_t
gen_in(Gen *g, int64_t lo, int64_t hi)
{
    return lo + gen_below(g, (uint32_t)(hi - lo + 1));
}

bool
gen_chance(Gen *g, uint32_t one_in)
{
    return gen_below(g, one_in) == 0;
}

float
gen_uniform(Gen *g, float lo, float hi)
{
    return lo + (hi - lo) * ((float)gen_below(g, 1 << 24) / (1 << 24));
}

float
gen_scale(Gen *g, float v)
{
    if (!(v > 1e-6F))
        v = 1e-6F;
    if (g->exact)
        return exp2f(rintf(log2f(v))) *
               (gen_chance(g, 8) ? (float)(3 + 2 * gen_below(g, 2)) / 4 : 1);
    switch (gen_below(g, 3)) {
    case 0:
        return exp2f(rintf(log2f(v)));
    case 1: {
        float unit = powf(10, floorf(log10f(v)) - 1);
        return rintf(v / unit) * unit;
    }
    default:
        return v * gen_uniform(g, 0.7F, 1.5F);
    }
}

int32_t
gen_zp(Gen *g, SnDtype t)
{
    int32_t lo = t == SN_D_U8 ? 0 : -128;

    switch (gen_below(g, 8)) {
    case 0:
        return lo;
    case 1:
        return lo + 255;
    case 2:
        return lo + 128;
    case 3:
        return lo + (int32_t)gen_below(g, 256);
    default:
        return lo + 91 + 2 * (int32_t)gen_below(g, 38); /* odd */
    }
}

void *
gen_codes_data(Gen *g, SnDtype t, int bits, int64_t n)
{
    uint8_t *p = sn_alloc(g->m->a, (size_t)n);
    uint32_t span = 1U << bits, style = gen_below(g, 6);
    int lo = t == SN_D_U8 ? 0 : -(int)(span / 2);

    for (int64_t i = 0; i < n; i++) {
        int v = lo + (int)gen_below(g, span);
        if (style == 0 || (style == 1 && gen_chance(g, 3)))
            v = gen_chance(g, 2) ? lo : lo + (int)span - 1;
        p[i] = (uint8_t)v;
    }
    return p;
}

double
gen_rms(const Gen *g, int value)
{
    const DmVal *v = &g->m->val[value];
    int64_t n = sn_data_count(&v->data);
    double s = 0;

    for (int64_t i = 0; i < n; i++) {
        double x = sn_data_real(&v->data, i);
        if (v->scale > 0)
            x = (double)v->scale * (x - v->zp);
        s += x * x;
    }
    return n > 0 ? sqrt(s / (double)n) : 0;
}

void
gen_keep(Gen *g, int value)
{
    g->pool[g->npool++] = value;
}

int
gen_const(Gen *g, SnDtype t, int rank, const int64_t *dim, const void *data)
{
    return dm_value(g->m, DM_CONST, t, rank, dim, data);
}

int
gen_input(Gen *g, int rank, const int64_t *dim)
{
    bool real = g->form == GEN_FLOAT;
    SnDtype t = real ? SN_D_F32
                : (g->form == GEN_QOP ? g->u8 : g->u8 != gen_chance(g, 6))
                    ? SN_D_U8
                    : SN_D_I8;
    int64_t n = sn_dims_count(rank, dim);
    float *p;
    int v;

    if (!real) {
        v = dm_value(g->m, DM_INPUT, t, rank, dim, gen_codes_data(g, t, 8, n));
        g->m->val[v].scale = gen_scale(g, gen_uniform(g, 0.002F, 0.05F));
        g->m->val[v].zp = gen_zp(g, t);
        gen_keep(g, v);
        return v;
    }
    p = SN_NEW_N(g->m->a, float, n);
    for (int64_t i = 0; i < n; i++)
        p[i] = gen_uniform(g, -3, 3);
    v = dm_value(g->m, DM_INPUT, t, rank, dim, p);
    gen_keep(g, v);
    return v;
}

int
gen_pick(Gen *g, int rank)
{
    int64_t dim[SN_DATA_MAXRANK];
    int fit[DM_MAXVAL];
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->npool; i++)
        if (rank == 0 || g->m->val[g->pool[i]].data.rank == rank)
            fit[n++] = g->pool[i];
    if (n > 0) /* the newest more often, so that models are deep */
        return gen_chance(g, 3) ? fit[gen_below(g, n)] : fit[n - 1];
    if (rank == 0)
        rank = gen_chance(g, 4) ? 2 : 4;
    for (int i = 0; i < rank; i++)
        dim[i] = rank == 4 && i == 0   ? 1 + gen_chance(g, 4)
                 : rank == 4 && i > 1  ? gen_in(g, 1, 11)
                 : rank == 2 && i == 0 ? gen_in(g, 1, 7)
                                       : gen_in(g, 1, 19);
    return gen_input(g, rank, dim);
}

bool
gen_done(Gen *g)
{
    DmNode *n = &g->m->node[g->m->nnode - 1];
    const char *why = "";

    if (dm_eval(g->m, g->ort, &why))
        return true;
    g->nref++;
    g->why = sn_format(g->m->a, "%s: %s", n->op, why);
    dm_undo(g->m);
    return false;
}

void
gen_window(Gen *g, DmNode *n, const int64_t *dim, int64_t *kernel, bool pool)
{
    int64_t stride[2], pads[4] = {0}, dil[2] = {1, 1};
    bool padded = gen_chance(g, 2);

    for (int i = 0; i < 2; i++) {
        int64_t most = dim[2 + i] < 5 ? dim[2 + i] : 5;
        kernel[i] = gen_in(g, 1, most);
        stride[i] = gen_in(g, 1, 3);
        if (!pool && kernel[i] > 1 && gen_chance(g, 6) &&
            2 * (kernel[i] - 1) < dim[2 + i])
            dil[i] = 2;
        for (int k = 0; padded && k < 2; k++)
            pads[2 * k + i] = gen_in(g, 0, kernel[i] - 1);
    }
    dm_ints(n, "kernel_shape", 2, kernel);
    dm_ints(n, "strides", 2, stride);
    if (padded)
        dm_ints(n, "pads", 4, pads);
    if (dil[0] + dil[1] > 2)
        dm_ints(n, "dilations", 2, dil);
    if (pool && gen_chance(g, 4))
        dm_int(n, "ceil_mode", 1);
}

/* ---- models ---- */

/* Choice i of a form, or NULL behind the last. */
static const GenOp *
choice(GenForm f, uint32_t i)
{
    const GenOp *o = f == GEN_QOP ? gen_codes : gen_reals;
    uint32_t n = f == GEN_QOP ? gen_ncodes : gen_nreals;

    for (uint32_t k = 0; k < n; k++)
        if ((f != GEN_QDQ || !(o[k].how & GEN_REAL)) && i-- == 0)
            return &o[k];
    return NULL;
}

uint32_t
gen_nop(GenForm f)
{
    uint32_t n = 0;

    while (choice(f, n) != NULL)
        n++;
    return n;
}

const char *
gen_op_name(GenForm f, uint32_t i)
{
    return choice(f, i)->name;
}

static bool
one_op(Gen *g, uint32_t which)
{
    const GenOp *o = choice(g->form, which);
    uint32_t nnode = g->m->nnode;
    int out = g->m->out;

    if (g->nop == DM_MAXNODE || g->m->nnode + 12 > DM_MAXNODE ||
        g->m->nval + 24 > DM_MAXVAL || (g->nop > 0 && o->how & GEN_FIRST))
        return false;
    if (!o->fn(g, o->name)) {
        g->m->nnode = nnode;
        g->m->out = out;
        return false;
    }
    g->op[g->nop++] = o->name;
    return true;
}

bool
gen_model(Gen *g, uint32_t first, uint32_t nop)
{
    g->u8 = gen_chance(g, 2);
    g->wide = gen_chance(g, 2);
    if (!one_op(g, first))
        return false;
    for (uint32_t i = 1; i < nop; i++)
        one_op(g, gen_below(g, gen_nop(g->form)));
    return true;
}

double
gen_steps(const Gen *g)
{
    const Dm *m = g->m;

    if (g->form == GEN_QDQ && g->nop == 1 && strcmp(g->op[0], "LRN") == 0)
        return 1 + ceil(0.5 * (double)m->val[m->node[0].in[0]].scale /
                        (double)m->val[m->out].scale);
    return 1;
}

/* QLinearSoftmax takes e^88.7 / (148 n) for the largest of n elements, times
 * floor(1 / y_scale): past the largest float the result is 0. */
static bool
overflows(const Dm *m, const DmNode *n)
{
    const SnData *t = &m->val[n->out].data;

    return strcmp(n->op, "QLinearSoftmax") == 0 &&
           floor(1 / sn_data_real(&m->val[n->in[3]].data, 0)) >=
               148 * (double)t->dim[t->rank - 1];
}

/* Also what is a defect of ONNX Runtime.  Without VNNI instructions ONNX
 * Runtime adds pairs of products of u8 and i8 in 16 bits, which saturate; its
 * QLinearAdd rounds its products and sums separately where there is no FMA. */
const char *
gen_excluded(const Gen *g)
{
    bool vnni = __builtin_cpu_supports("avx512vnni");
    bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

    if (g->form == GEN_QOP && g->wide && !vnni)
        return "int8 weights beyond 7 bits without VNNI";
    for (uint32_t i = 0; i < g->nop; i++)
        if (strcmp(g->op[i], "QLinearAdd") == 0 && !fma)
            return "QLinearAdd without AVX2 and FMA";
    for (uint32_t i = 0; i < g->m->nnode; i++)
        if (overflows(g->m, &g->m->node[i]))
            return "QLinearSoftmax that overflows to 0 in ONNX Runtime";
    return NULL;
}
