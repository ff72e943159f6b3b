// SPDX-License-Identifier: Apache-2.0
/* Matrix products on codes: with a constant matrix as contract.c does them,
 * with one that is computed, or one for each of several products, packed anew
 * at each run. */
#include "backend/cpu/contract.h"
#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/eval/map.h"

typedef struct Product {
    const void *constant; /* contract.c's; or NULL and */
    const SnConvQ8 *plan; /* whose filter is any */
    SnCpuMatrices m;      /* units are products */
    int32_t wz;
    size_t packed;
    SnCpuRows rows; /* under another arithmetic than float, or none */
    size_t sums;    /* bytes of a product's sums */
} Product;

static bool
prepare_pairs(SnPrep *p, Product *k, SnArena *tmp)
{
    const SnCall *c = p->call;
    const SnConvGeo *o = &k->m.geo;
    SnConvNum num;

    if (!sn_cpu_matrices(c, &k->m) ||
        !sn_cpu_conv_numbers(tmp, c, c->out[0].type, sn_cpu_clamp(c), &num) ||
        num.nwz != 1 || num.bias || !sn_conv_q8_holds(o))
        return false;
    k->wz = num.wz[0];
    if (c->rounding != SN_ROUNDING_FLOAT) {
        if (!sn_cpu_rows_find(c, &num, c->out[0].type, &k->rows))
            return false;
        num = sn_cpu_rows_sums(&num);
        k->sums = (size_t)(o->h * o->oc) * sizeof(int32_t);
        k->sums = (k->sums + 63) / 64 * 64;
    }
    const int8_t *any = sn_alloc_n(tmp, (size_t)o->oc, (size_t)o->c);
    k->plan = sn_conv_q8_plan(c->scratch, sn_isa(), o, &num, any);
    k->packed = sn_conv_q8_packed(k->plan);
    p->prep = k;
    p->any = true;
    p->nwork = k->packed + k->sums + sn_conv_q8_work(k->plan);
    sn_cpu_matrices_units(p, &k->m);
    p->cost = k->m.count * (sn_conv_q8_cost(k->plan) + o->c * o->oc / 4);
    return true;
}

bool
sn_cpu_product_q8_prepare(SnPrep *p)
{
    Product *k = SN_NEW(p->call->scratch, Product);

    if (sn_cpu_matmul_q8_prepare(p)) {
        k->constant = p->prep;
        p->prep = k;
        return true;
    }
    SnArena *tmp = sn_arena_new();
    bool ok = prepare_pairs(p, k, tmp);
    sn_arena_free(tmp);
    return ok;
}

/* One product. */
static void
run_pair(const Product *k, const SnConvQ8 *plan, const int8_t *x, int8_t *y,
         char *work)
{
    const SnConvGeo *o = &k->m.geo;
    int64_t n = sn_conv_q8_units(plan);
    int32_t *sums = (void *)work;

    if (!k->rows.row) {
        sn_conv_q8_run(plan, x, y, o->oc, work, 0, n);
        return;
    }
    sn_conv_q8_sums(plan, x, k->rows.xz, sums, o->oc, work + k->sums, 0, n);
    sn_cpu_rows_codes(&k->rows, sums, o->oc, o->h, 0, o->oc, y, o->oc);
}

static void
run_pairs(const Product *k, const SnCall *c)
{
    const SnConvGeo *o = &k->m.geo;
    const SnConvQ8 *plan = NULL;
    int64_t at[2], last = -1;

    for (int64_t i = c->u0; i < c->u1; i++) {
        sn_cpu_matrix_at(&k->m, i, at);
        if (at[1] != last)
            plan =
                sn_conv_q8_pack(k->plan, (const int8_t *)c->in[1].data + at[1],
                                k->m.transposed ? o->c : 1,
                                k->m.transposed ? 1 : o->oc, k->wz, c->work);
        last = at[1];
        run_pair(k, plan, (const int8_t *)c->in[0].data + at[0],
                 (int8_t *)c->out[0].data + i * o->h * o->oc,
                 (char *)c->work + k->packed);
    }
}

SnStatus
sn_cpu_product_q8(const SnCall *c)
{
    const Product *k = c->prep;
    SnCall call = *c;

    call.prep = k->constant;
    if (k->constant)
        return sn_cpu_contract_q8(&call);
    run_pairs(k, c);
    return SN_OK;
}
