/* Matrix products on reals: with a constant matrix as contract_f32.c does them,
 * with one that is computed, or one for each of several products, packed anew
 * at each run. */
#include "backend/cpu/geo.h"
#include "cpu_kernels.h"
#include "kernel/conv_f32.h"
#include "kernel/map.h"
#include "kernel/rows.h"

typedef struct Product {
    const SnConvF32 *plan;
    bool constant;  /* the plan has the filter */
    SnFilterF32 f;  /* where a matrix lies from its first element on */
    int rank;       /* leading dimensions of y, */
    int64_t dim[SN_MAXRANK], step[2][SN_MAXRANK]; /* elements from one matrix
                                                     of a, b to the next */
    int64_t nmatrix, size[2], ysize; /* elements of a matrix */
} Product;

/* The leading dimensions, along which matrices of a and b repeat. */
static void
open_leading(Product *k, const SnCall *c)
{
    const SnShape *y = c->out[0].shape;

    k->rank = y->rank - 2;
    k->nmatrix = 1;
    for (int i = 0; i < k->rank; i++) {
        k->dim[i] = y->dim[i];
        k->nmatrix *= y->dim[i];
    }
    for (int j = 0; j < 2; j++) {
        const SnShape *s = c->in[j].shape;
        int64_t step = k->size[j];
        for (int i = s->rank - 3; i >= 0; i--) {
            k->step[j][i + y->rank - s->rank] = s->dim[i] == 1 ? 0 : step;
            step *= s->dim[i];
        }
    }
}

static bool
prepare_pairs(SnPrep *p, Product *k)
{
    const SnCall *c = p->call;
    const SnSem *s = &c->kind->sem[0];
    const SnShape *a = c->in[0].shape, *b = c->in[1].shape;
    const SnShape *y = c->out[0].shape;
    bool turned = sn_map_int(c, s, 3, 0) != 0;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));

    if (a->rank < 2 || b->rank < 2 || y->rank < 2 ||
        sn_map_int(c, s, 2, 0) != 0 || sn_shape_count(y) == 0)
        return false;
    int64_t m = a->dim[a->rank - 2], taps = a->dim[a->rank - 1];
    int64_t n = y->dim[y->rank - 1];
    if (taps == 0)
        return false;
    SnConvGeo geo = {.n = 1, .h = m, .w = 1, .c = taps,
                     .oh = m, .ow = 1, .oc = n,
                     .kh = 1, .kw = 1, .sh = 1, .sw = 1,
                     .dh = 1, .dw = 1, .group = 1};
    k->f = (SnFilterF32){.step_c = turned ? taps : 1,
                         .step_k = turned ? 1 : n,
                         .lo = lim.lo,
                         .hi = lim.hi};
    k->size[0] = m * taps;
    k->size[1] = taps * n;
    k->ysize = m * n;
    open_leading(k, c);
    k->plan = sn_conv_f32_plan(c->scratch, sn_isa(), &geo, &k->f);
    p->prep = k;
    p->nwork = (size_t)sn_conv_f32_packed(k->plan) * sizeof(float);
    p->nunit = k->nmatrix;
    p->cost = k->nmatrix * (sn_conv_f32_cost(k->plan) + k->size[1] / 8);
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
    int64_t at[2] = {0, 0};

    for (int64_t d = k->rank - 1, r = i; d >= 0; r /= k->dim[d--])
        for (int j = 0; j < 2; j++)
            at[j] += r % k->dim[d] * k->step[j][d];
    f.w = (const float *)c->in[1].data + at[1];
    sn_conv_f32_pack(k->plan, &f, c->work);
    sn_conv_f32_run_with(k->plan, c->work,
                         (const float *)c->in[0].data + at[0],
                         (float *)c->out[0].data + i * k->ysize, 0,
                         sn_conv_f32_units(k->plan));
}

SnStatus
sn_cpu_product_f32(const SnCall *c)
{
    const Product *k = c->prep;

    if (k->constant)
        sn_conv_f32_run(k->plan, c->in[0].data, c->out[0].data, c->u0, c->u1);
    for (int64_t i = c->u0; !k->constant && i < c->u1; i++)
        run_matrix(k, c, i);
    return SN_OK;
}
