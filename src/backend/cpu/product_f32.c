// SPDX-License-Identifier: Apache-2.0
/* Matrix products on reals: with a constant matrix as contract_f32.c does them,
 * with one that is computed, or one for each of several products, packed anew
 * at each run. */
#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/conv_f32/conv_f32.h"
#include "kernel/eval/rows.h"

typedef struct Product {
    const SnConvF32 *plan;
    bool constant; /* the plan has the filter */
    SnFilterF32 f; /* where a matrix lies from its first element on */
    SnCpuMatrices m;
} Product;

static bool
prepare_pairs(SnPrep *p, Product *k)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));

    if (!sn_cpu_matrices(c, &k->m))
        return false;
    const SnConvGeo *o = &k->m.geo;
    k->f = (SnFilterF32){.step_c = k->m.transposed ? o->c : 1,
                         .step_k = k->m.transposed ? 1 : o->oc,
                         .lo = lim.lo,
                         .hi = lim.hi};
    k->plan = sn_conv_f32_plan(c->scratch, sn_isa(), o, &k->f);
    p->prep = k;
    p->nwork = (size_t)sn_conv_f32_packed(k->plan) * sizeof(float);
    sn_cpu_matrices_units(p, &k->m);
    p->cost = k->m.count * (sn_conv_f32_cost(k->plan) + o->c * o->oc / 8);
    return true;
}

bool
sn_cpu_product_f32_prepare(SnPrep *p)
{
    Product *k = SN_NEW(p->call->scratch, Product);

    if (!sn_cpu_matmul_f32_prepare(p))
        return prepare_pairs(p, k);
    k->constant = true;
    k->plan = p->prep;
    p->prep = k;
    return true;
}

static void
run_matrix(const Product *k, const SnCall *c, int64_t i)
{
    SnFilterF32 f = k->f;
    int64_t at[2], size = k->m.geo.h * k->m.geo.oc;

    sn_cpu_matrix_at(&k->m, i, at);
    f.w = (const float *)c->in[1].data + at[1];
    sn_conv_f32_pack(k->plan, &f, c->work);
    sn_conv_f32_run_with(k->plan, c->work, (const float *)c->in[0].data + at[0],
                         (float *)c->out[0].data + i * size, 0,
                         sn_conv_f32_units(k->plan));
}

SnStatus
sn_cpu_product_f32(const SnCall *c)
{
    const Product *k = c->prep;

    if (k->constant)
        sn_conv_f32_run_rows(k->plan, c->work, c->in[0].data, c->out[0].data,
                             c->u0, c->u1);
    for (int64_t i = c->u0; !k->constant && i < c->u1; i++)
        run_matrix(k, c, i);
    return SN_OK;
}
