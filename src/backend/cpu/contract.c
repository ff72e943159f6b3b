/* Convolutions and matrix products on 8-bit codes, for filters that are
 * constants: packed once, run by kernel/conv_q8.h. */
#include "cpu_kernels.h"
#include "kernel/conv_q8.h"
#include "kernel/rows.h"

static SnRange
clamp_of(const SnCall *c)
{
    SnRange open = sn_range_open();

    return c->kind->clamp < 0 ? open
                              : *(const SnRange *)sn_attr_at(
                                    c->attr, &c->kind->attr[c->kind->clamp]);
}

static bool
is_q8(const SnTensor *t)
{
    return t->type && t->type->elem == SN_QI8;
}

/* x, w and y as q8, w constant, b constant or absent: fills num. */
static bool
numbers(const SnCall *c, const SnTensor *x, const SnTensor *w, SnConvNum *num)
{
    const SnTensor *b = sn_opnd(c, 2), *y = &c->out[0];

    if (!is_q8(x) || !is_q8(w) || !is_q8(y) || !w->data || x->type->nq != 1 ||
        y->type->nq != 1 || (b->type && !b->data))
        return false;
    SnLim lim = sn_lim(y->type, clamp_of(c));
    *num = (SnConvNum){
        .xz = x->type->zp[0],
        .yz = y->type->zp[0],
        .lo = lim.lo,
        .hi = lim.hi,
        .mul = sn_mults(c->scratch, x->type, w->type, y->type),
        .nmul = w->type->nq,
        .wz = w->type->zp,
        .nwz = w->type->nq,
        .bias = b->data,
    };
    return true;
}

static bool
finish(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num, const int8_t *w)
{
    const SnConvQ8 *plan =
        sn_conv_q8_plan(p->call->scratch, sn_isa(), geo, num, w);

    p->prep = plan;
    p->nwork = sn_conv_q8_work(plan);
    return true;
}

static int64_t
at(SnInts v, uint32_t i, int64_t els)
{
    return i < v.n ? v.v[i] : els;
}

bool
sn_cpu_conv_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *x = sn_map_port(c, s, 0), *w = sn_map_port(c, s, 1);
    const SnTensor *y = &c->out[0];
    SnInts stride = sn_map_ints(c, s, 2), pads = sn_map_ints(c, s, 3);
    SnInts dilate = sn_map_ints(c, s, 4);
    int64_t group = sn_map_int(c, s, 5, 1);
    SnConvNum num;

    if (!numbers(c, x, w, &num) || x->shape->rank != 4 || w->shape->rank != 4 ||
        y->shape->rank != 4 || group < 1 ||
        x->shape->dim[3] != w->shape->dim[3] * group ||
        w->shape->dim[0] % group || y->shape->dim[3] != w->shape->dim[0])
        return false;
    SnConvGeo geo = {
        .n = x->shape->dim[0],
        .h = x->shape->dim[1],
        .w = x->shape->dim[2],
        .c = x->shape->dim[3],
        .oh = y->shape->dim[1],
        .ow = y->shape->dim[2],
        .oc = y->shape->dim[3],
        .kh = w->shape->dim[1],
        .kw = w->shape->dim[2],
        .sh = at(stride, 0, 1),
        .sw = at(stride, 1, 1),
        .dh = at(dilate, 0, 1),
        .dw = at(dilate, 1, 1),
        .pt = at(pads, 0, 0),
        .pl = at(pads, 1, 0),
        .group = group,
    };
    return finish(p, &geo, &num, w->data);
}

/* [rows, cols] turned round. */
static const int8_t *
transposed(SnArena *a, const int8_t *w, int64_t rows, int64_t cols)
{
    int8_t *t = sn_alloc_n(a, (size_t)rows, (size_t)cols);

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            t[j * rows + i] = w[i * cols + j];
    return t;
}

/* A product with a constant matrix is a convolution of one tap over a picture
 * of one column. */
bool
sn_cpu_matmul_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *x = sn_map_port(c, s, 0), *w = sn_map_port(c, s, 1);
    const SnShape *y = c->out[0].shape;
    bool turned = sn_map_int(c, s, 3, 0) != 0; /* w is [n, k] */
    SnConvNum num;

    if (!numbers(c, x, w, &num) || w->shape->rank != 2 || x->shape->rank < 2 ||
        sn_map_int(c, s, 2, 0) != 0)
        return false;
    int64_t k = x->shape->dim[x->shape->rank - 1];
    int64_t n = w->shape->dim[turned ? 0 : 1];
    if (k == 0 || w->shape->dim[turned ? 1 : 0] != k ||
        y->dim[y->rank - 1] != n)
        return false;
    int64_t m = sn_shape_count(x->shape) / k;
    SnConvGeo geo = {.n = 1,
                     .h = m,
                     .w = 1,
                     .c = k,
                     .oh = m,
                     .ow = 1,
                     .oc = n,
                     .kh = 1,
                     .kw = 1,
                     .sh = 1,
                     .sw = 1,
                     .dh = 1,
                     .dw = 1,
                     .group = 1};
    const int8_t *rows = w->data;
    if (!turned)
        rows = transposed(c->scratch, rows, k, n);
    return finish(p, &geo, &num, rows);
}

SnStatus
sn_cpu_contract_q8(const SnCall *c)
{
    sn_conv_q8_run(c->prep, c->in[0].data, c->out[0].data, c->work);
    return SN_OK;
}
