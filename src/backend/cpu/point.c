// SPDX-License-Identifier: Apache-2.0
/* Point nodes, pools and LRN on 8-bit codes. */
#include <math.h>
#include <string.h>

#include "backend/cpu/contract.h"
#include "backend/cpu/geo.h"
#include "backend/cpu/units.h"
#include "backend/cpu/walk.h"
#include "cpu_kernels.h"
#include "kernel/point/point_q8.h"
#include "kernel/eval/rows.h"

static bool
is_q8(const SnTensor *t)
{
    return t->type && t->type->elem == SN_QI8 && t->type->nq == 1;
}

static SnLim
limits(const SnCall *c)
{
    return sn_lim(c->out[0].type, sn_cpu_clamp(c));
}

/* ---- by table: what the evaluator gives for each code ---- */

typedef struct Table {
    SnTable8 t;
    SnIsa isa;
    int64_t n;
} Table;

/* The evaluator's results for n codes in operands a and b (NULL: the node's
 * own), in tmp, or NULL. */
static const int8_t *
evaluate(const SnPrep *p, SnArena *tmp, int64_t n, int8_t *a, int8_t *b)
{
    SnCall c = *p->call;
    SnShape *s = SN_NEW(tmp, SnShape);
    SnTensor *in = SN_NEW_N(tmp, SnTensor, c.nin + 1u);
    SnTensor out = c.out[0];
    int8_t *y = SN_NEW_N(tmp, int8_t, n);

    c.scratch = tmp;
    s->rank = 1;
    s->dim[0] = n;
    memcpy(in, c.in, c.nin * sizeof *in);
    in[0].data = a;
    in[0].shape = out.shape = s;
    if (b) {
        in[1].data = b;
        in[1].shape = s;
    }
    out.data = y;
    c.in = in;
    c.out = &out;
    c.nout = 1;
    return p->tuple->eval && p->tuple->eval(&c) == SN_OK ? y : NULL;
}

bool
sn_cpu_table_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    int8_t code[256];

    if (!is_q8(&c->in[0]) || !is_q8(&c->out[0]))
        return false;
    for (uint32_t i = 1; i < c->nin; i++)
        if (!c->in[i].data)
            return false;
    sn_codes8(code);
    SnArena *tmp = sn_arena_new();
    const int8_t *t = evaluate(p, tmp, 256, code, NULL);
    Table *k = SN_NEW(c->scratch, Table);
    k->isa = sn_isa();
    k->n = sn_shape_count(c->out[0].shape);
    if (t)
        sn_table8_open(&k->t, t);
    sn_arena_free(tmp);
    if (!t)
        return false;
    p->prep = k;
    p->any = true;
    sn_cpu_units_alike(p, k->n, 100);
    p->inplace = 1;
    return true;
}

SnStatus
sn_cpu_table_q8(const SnCall *c)
{
    const Table *k = c->prep;
    const int8_t *x = c->in[0].data;
    int8_t *y = c->out[0].data;

    sn_table8_run(k->isa, &k->t, x + sn_cpu_first(c), sn_cpu_count(c, k->n),
                  y + sn_cpu_first(c));
    return SN_OK;
}

/* ---- two operands ---- */

typedef struct Pair {
    SnIsa isa;
    bool direct; /* by arithmetic, else by a table of 65536 entries */
    bool sum;    /* by the sum that was seen to agree */
    bool plain;  /* neither operand repeats */
    SnSum8 s;
    SnPair8 p;
    const int8_t *table;
    SnCpuWalk w;
} Pair;

static bool
open_pair(SnPrep *p, Pair *k)
{
    const SnCall *c = p->call;

    if (c->nin != 2 || !is_q8(&c->in[0]) || !is_q8(&c->in[1]) ||
        !is_q8(&c->out[0]))
        return false;
    k->isa = sn_isa();
    p->prep = k;
    if (!sn_cpu_walk_open(p, &k->w, 600))
        return false;
    k->plain = sn_cpu_walk_plain(&k->w);
    return true;
}

/* What SN_CPU_UNIT results take. */
static void
take(SnPrep *p, int64_t ns)
{
    p->cost = p->cost / 600 * ns;
}

/* Codes of the first operand with all of the second that are evaluated at a
 * time. */
enum { SOME = 16 };

/* What the evaluator gives for each pair of codes, [a][b], in tmp; or NULL. */
static const int8_t *
all_pairs(const SnPrep *p, SnArena *tmp)
{
    int8_t *t = sn_alloc(tmp, 65536), a[SOME * 256], b[SOME * 256];
    const int8_t *y = t;

    for (int i = 0; i < SOME; i++)
        sn_codes8(b + 256 * i);
    for (int i = 0; i < 256 && y; i += SOME) {
        SnArena *part = sn_arena_new();
        for (int j = 0; j < SOME; j++)
            memset(a + 256 * j, i + j - 128, 256);
        y = evaluate(p, part, SOME * 256, a, b);
        if (y)
            memcpy(t + 256 * i, y, SOME * 256);
        sn_arena_free(part);
    }
    return y ? t : NULL;
}

/* Tries to replace the table, or without one the division of k->p, by a plain
 * sum; with one the zero point is added before rounding. */
static void
by_sum(SnPrep *p, Pair *k, const int8_t *table)
{
    const SnCall *c = p->call;
    const SnType *a = c->in[0].type, *b = c->in[1].type, *y = c->out[0].type;
    SnLim lim = limits(c);
    float ra = a->scale[0] / y->scale[0], rb = b->scale[0] / y->scale[0];
    float az = (float)a->zp[0], bz = (float)b->zp[0], yz = (float)y->zp[0];

    k->s = (SnSum8){.ra = ra,
                    .rb = rb,
                    .f = (table ? yz : 0) - fmaf(ra, az, rb * bz),
                    .z = table ? 0 : y->zp[0],
                    .lo = (int8_t)lim.lo,
                    .hi = (int8_t)lim.hi};
    k->sum = sn_sum8_fit(k->isa, &k->s, table, &k->p);
    if (k->sum)
        take(p, 200);
}

/* A table, or, where sums may do without, a sum. */
static bool
by_table(SnPrep *p, Pair *k, bool sum)
{
    SnArena *tmp = sn_arena_new();
    const int8_t *t = all_pairs(p, tmp);

    take(p, 3000);
    p->any = true;
    if (t && sum)
        by_sum(p, k, t);
    if (t && !k->sum)
        k->table = sn_memdup(p->call->scratch, t, 65536);
    sn_arena_free(tmp);
    return t != NULL;
}

bool
sn_cpu_pair_q8_prepare(SnPrep *p)
{
    Pair *k = SN_NEW(p->call->scratch, Pair);

    return open_pair(p, k) && by_table(p, k, false);
}

/* Sums and products rounded before the zero point is added need no table. */
static bool
prepare_direct(SnPrep *p, bool mul)
{
    const SnCall *c = p->call;
    const SnAttrDesc *round = sn_attr_named(c->kind, "round");
    Pair *k = SN_NEW(c->scratch, Pair);

    if (!open_pair(p, k))
        return false;
    if (c->rounding != SN_ROUNDING_FLOAT)
        return by_table(p, k, false);
    if (round && *(const int32_t *)sn_attr_at(c->attr, round) != 0)
        return by_table(p, k, !mul);
    const SnType *a = c->in[0].type, *b = c->in[1].type, *y = c->out[0].type;
    SnLim lim = limits(c);
    k->direct = true;
    k->p = (SnPair8){.mul = mul,
                     .as = a->scale[0],
                     .bs = b->scale[0],
                     .ys = y->scale[0],
                     .lo = (float)(lim.lo - y->zp[0]),
                     .hi = (float)(lim.hi - y->zp[0]),
                     .az = a->zp[0],
                     .bz = b->zp[0],
                     .yz = y->zp[0]};
    if (!mul)
        by_sum(p, k, NULL);
    return true;
}

bool
sn_cpu_add_q8_prepare(SnPrep *p)
{
    return prepare_direct(p, false);
}

bool
sn_cpu_mul_q8_prepare(SnPrep *p)
{
    return prepare_direct(p, true);
}

void
sn_cpu_pair_codes(const void *pair, const int8_t *a, const int8_t *b, int64_t n,
                  int8_t *y)
{
    const Pair *k = pair;

    if (k->sum)
        sn_sum8_run(k->isa, &k->s, a, b, n, y);
    else if (k->direct)
        sn_pair8_run(k->isa, &k->p, a, b, n, y);
    else
        sn_table16_run(k->table, a, b, n, y);
}

/* Where an operand stands its code is laid out, a part at a time. */
static void
codes(const void *pair, const void *a, int64_t step_a, const void *b,
      int64_t step_b, int64_t n, void *y)
{
    enum { PART = 1024 };
    int8_t same[PART];
    int64_t part = step_a && step_b ? n : PART;
    const int8_t *x = a, *z = b;

    if (!step_a || !step_b)
        memset(same, step_a ? *z : *x, (size_t)(n < PART ? n : PART));
    for (int64_t i = 0; i < n; i += part) {
        int64_t m = n - i < part ? n - i : part;
        sn_cpu_pair_codes(pair, step_a ? x + i : same, step_b ? z + i : same, m,
                          (int8_t *)y + i);
    }
}

SnStatus
sn_cpu_pair_q8(const SnCall *c)
{
    const Pair *k = c->prep;
    int64_t n, from = sn_cpu_walk_part(&k->w, c, &n);

    if (k->plain)
        sn_cpu_pair_codes(k, (const int8_t *)c->in[0].data + from,
                          (const int8_t *)c->in[1].data + from, n,
                          (int8_t *)c->out[0].data + from);
    else
        sn_cpu_walk(&k->w, c, codes, k);
    return SN_OK;
}

/* ---- conversions at the boundary ---- */

typedef struct Quant {
    SnIsa isa;
    SnQuant8 q;
} Quant;

static bool
prepare_quant(SnPrep *p, const SnTensor *q, SnLim lim)
{
    Quant *k = SN_NEW(p->call->scratch, Quant);

    if (!is_q8(q))
        return false;
    int32_t zp = q->type->zp[0];
    k->isa = sn_isa();
    k->q = (SnQuant8){.scale = q->type->scale[0],
                      .lo = (float)(lim.lo - zp),
                      .hi = (float)(lim.hi - zp),
                      .zp = zp};
    p->prep = k;
    p->any = true; /* of reals and codes no arithmetic has another row */
    sn_cpu_units_alike(p, sn_shape_count(q->shape), 600);
    return true;
}

bool
sn_cpu_quantize_q8_prepare(SnPrep *p)
{
    return prepare_quant(p, &p->call->out[0], limits(p->call));
}

SnStatus
sn_cpu_quantize_q8(const SnCall *c)
{
    const Quant *k = c->prep;
    const float *x = c->in[0].data;
    int8_t *y = c->out[0].data;

    sn_quant8_run(k->isa, &k->q, x + sn_cpu_first(c),
                  sn_cpu_count(c, sn_shape_count(c->out[0].shape)),
                  y + sn_cpu_first(c));
    return SN_OK;
}

bool
sn_cpu_dequantize_q8_prepare(SnPrep *p)
{
    return prepare_quant(p, &p->call->in[0], (SnLim){0, 0});
}

SnStatus
sn_cpu_dequantize_q8(const SnCall *c)
{
    const Quant *k = c->prep;
    const int8_t *x = c->in[0].data;
    float *y = c->out[0].data;

    sn_dequant8_run(k->isa, &k->q, x + sn_cpu_first(c),
                    sn_cpu_count(c, sn_shape_count(c->out[0].shape)),
                    y + sn_cpu_first(c));
    return SN_OK;
}

/* ---- pools ---- */

typedef struct Pool {
    SnIsa isa;
    SnPool8 p;
    const SnCpuPoolRow *row; /* of a mean, or NULL: float's */
} Pool;

/* The geometry of a pool, each window with a valid element; NULL when it is
 * another. */
static Pool *
open_pool(SnPrep *p)
{
    const SnCall *c = p->call;
    int64_t ntap;

    if (!is_q8(&c->in[0]) || !is_q8(&c->out[0]))
        return NULL;
    Pool *k = SN_NEW(c->scratch, Pool);
    k->isa = sn_isa();
    if (!sn_cpu_pool_geo(c, &k->p.geo, &k->p.whole, &ntap))
        return NULL;
    p->prep = k;
    p->nwork = sn_pool8_work(&k->p);
    p->pitched = true;
    p->nunit = k->p.geo.n * k->p.geo.oh;
    p->cost = sn_shape_count(c->out[0].shape) * ntap / 32;
    return k;
}

/* From one pixel of the result to the next. */
static int64_t
pixels(const SnCall *c)
{
    return c->ypitch ? c->ypitch : c->out[0].shape->dim[3];
}

bool
sn_cpu_maxpool_q8_prepare(SnPrep *p)
{
    p->any = true;
    return p->wanted == 1 && open_pool(p) != NULL;
}

SnStatus
sn_cpu_maxpool_q8(const SnCall *c)
{
    const Pool *k = c->prep;

    sn_maxpool8_run(k->isa, &k->p, c->in[0].data, c->out[0].data, pixels(c),
                    c->work, c->u0, c->u1);
    return SN_OK;
}

bool
sn_cpu_avgpool_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnAttrDesc *round = sn_attr_named(c->kind, "round");
    const SnAttrDesc *shift = sn_attr_named(c->kind, "zp_shift");
    bool after = round && *(const int32_t *)sn_attr_at(c->attr, round) != 0;
    int32_t sh =
        shift ? (int32_t) * (const int64_t *)sn_attr_at(c->attr, shift) : 0;
    Pool *k = open_pool(p);

    if (!k)
        return false;
    const SnType *x = c->in[0].type, *y = c->out[0].type;
    SnLim lim = limits(c);
    SnRowUse use;
    unsigned when =
        (after ? SN_WHEN_AFTER : 0) | (k->p.whole ? SN_WHEN_WHOLE : 0);
    bool sum = sn_cpu_mean_row(c, when, sh, &use);
    k->p.count_pad = sn_map_int(c, &c->kind->sem[0], 6, 0) != 0;
    k->p.columns = sn_pool_columns(c, k->p.geo.sw);
    k->p.xs = x->scale[0];
    k->p.ys = y->scale[0];
    k->p.xz = x->zp[0];
    k->p.whole = k->p.whole && after;
    k->p.yz = y->zp[0];
    k->p.lo = (float)(lim.lo - y->zp[0]);
    k->p.hi = (float)(lim.hi - y->zp[0]);
    if (after && !k->p.whole) {
        k->p.off = (float)(y->zp[0] + sh);
        k->p.lo = (float)(lim.lo + sh);
        k->p.hi = (float)(lim.hi + sh);
        k->p.yz = -sh;
    }
    p->any =
        sn_row_as_float(&use, SN_FORM_MEAN, c->kind->sem[0].decl->name, when);
    if (!p->any && sum)
        k->row = sn_cpu_pool_row(p, &k->p, lim, &use);
    return p->any;
}

SnStatus
sn_cpu_avgpool_q8(const SnCall *c)
{
    const Pool *k = c->prep;

    if (k->row)
        sn_cpu_pool_row_run(k->row, c, pixels(c));
    else
        sn_avgpool8_run(k->isa, &k->p, c->in[0].data, c->out[0].data, pixels(c),
                        c->work, c->u0, c->u1);
    return SN_OK;
}

/* ---- LRN ---- */

typedef struct Lrn {
    SnIsa isa;
    SnLrn8 p;
} Lrn;

static float
real(const SnCall *c, const char *name)
{
    return *(const float *)sn_attr_at(c->attr, sn_attr_named(c->kind, name));
}

bool
sn_cpu_lrn_q8_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnType *x = c->in[0].type, *y = c->out[0].type;
    const SnShape *s = c->in[0].shape;
    int64_t size = sn_map_int(c, &c->kind->sem[0], 1, 1);

    if (!is_q8(&c->in[0]) || !is_q8(&c->out[0]) || s->rank < 1 ||
        real(c, "beta") != 0.75f || size < 1 || size > 64)
        return false;
    SnLim lim = limits(c);
    Lrn *k = SN_NEW(c->scratch, Lrn);
    k->isa = sn_isa();
    k->p.c = s->dim[s->rank - 1];
    k->p.npx = k->p.c ? sn_shape_count(s) / k->p.c : 0;
    k->p.before = (size - 1) / 2;
    k->p.after = size / 2;
    k->p.coef = (real(c, "alpha") / (float)size) * (x->scale[0] * x->scale[0]);
    k->p.k = real(c, "k");
    k->p.xs = x->scale[0];
    k->p.ys = y->scale[0];
    k->p.xz = x->zp[0];
    k->p.yz = y->zp[0];
    k->p.lo = (float)(lim.lo - y->zp[0]);
    k->p.hi = (float)(lim.hi - y->zp[0]);
    p->prep = k;
    p->any = true;
    p->inplace = 1;
    p->nwork = sn_lrn8_work(&k->p);
    p->nunit = k->p.npx;
    p->cost = sn_shape_count(s) / 2;
    return true;
}

SnStatus
sn_cpu_lrn_q8(const SnCall *c)
{
    const Lrn *k = c->prep;

    sn_lrn8_run(k->isa, &k->p, c->in[0].data, c->out[0].data, c->work, c->u0,
                c->u1);
    return SN_OK;
}
