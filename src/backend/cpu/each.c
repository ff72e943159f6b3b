// SPDX-License-Identifier: Apache-2.0
/* Element by element nodes of plain numbers whose operands may repeat (one
 * number, a row, a column), conversions of them, extremes of a whole tensor and
 * running sums. */
#include <string.h>
#include "backend/cpu/columns.h"
#include "backend/cpu/geo.h"
#include "backend/cpu/units.h"
#include "backend/cpu/walk.h"
#include "cpu_kernels.h"
#include "kernel/each/each.h"
#include "kernel/each/erf_f32.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

enum { UNIT = SN_CPU_UNIT };

/* ---- two operands ---- */

typedef struct Pair {
    SnIsa isa;
    bool plain; /* of reals, and neither operand repeats */
    SnEachF32 p;
    SnCpuWalk w;
} Pair;

static bool
prepare_f32(SnPrep *p, SnEachOp op)
{
    const SnCall *c = p->call;
    SnLimF lim = sn_limf(sn_cpu_clamp(c));
    Pair *k = SN_NEW(c->scratch, Pair);

    k->isa = sn_isa();
    k->p = (SnEachF32){op, lim.lo, lim.hi};
    p->prep = k;
    if (!sn_cpu_walk_open(p, &k->w, UNIT / 3))
        return false;
    k->plain = sn_cpu_walk_plain(&k->w);
    return true;
}

bool
sn_cpu_each_add_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_ADD);
}

bool
sn_cpu_each_sub_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_SUB);
}

bool
sn_cpu_each_mul_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MUL);
}

bool
sn_cpu_each_div_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_DIV);
}

bool
sn_cpu_each_max_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MAX);
}

bool
sn_cpu_each_min_prepare(SnPrep *p)
{
    return prepare_f32(p, SN_EACH_MIN);
}

bool
sn_cpu_difference_prepare(SnPrep *p)
{
    Pair *k = SN_NEW(p->call->scratch, Pair);
    bool ok = sn_cpu_walk_open(p, &k->w, UNIT / 3);

    k->isa = sn_isa();
    p->prep = k;
    p->inplace = 0; /* the results are larger */
    return ok;
}

static void
reals(const void *pair, const void *a, int64_t step_a, const void *b,
      int64_t step_b, int64_t n, void *y)
{
    const Pair *k = pair;

    sn_each_f32(k->isa, &k->p, a, step_a, b, step_b, n, y);
}

static void
differences(const void *pair, const void *a, int64_t step_a, const void *b,
            int64_t step_b, int64_t n, void *y)
{
    const Pair *k = pair;

    sn_each_difference(k->isa, a, step_a, b, step_b, n, y);
}

SnStatus
sn_cpu_each_pair(const SnCall *c)
{
    const Pair *k = c->prep;
    int64_t n, from = sn_cpu_walk_part(&k->w, c, &n);

    if (k->plain)
        sn_each_f32(k->isa, &k->p, (const float *)c->in[0].data + from, 1,
                    (const float *)c->in[1].data + from, 1, n,
                    (float *)c->out[0].data + from);
    else
        sn_cpu_walk(&k->w, c,
                    c->in[0].type->elem == SN_I8 ? differences : reals, k);
    return SN_OK;
}

/* ---- one operand ---- */

bool
sn_cpu_each_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    int64_t n = sn_shape_count(c->out[0].shape);
    SnIsa *isa = SN_NEW(c->scratch, SnIsa);

    *isa = sn_isa();
    p->prep = isa;
    sn_cpu_units_alike(p, n, UNIT / 4);
    p->inplace = 1;
    return true;
}

/* The elements of the call's units. */
static int64_t
part(const SnCall *c, int64_t *from)
{
    *from = sn_cpu_first(c);
    return sn_cpu_count(c, sn_shape_count(c->out[0].shape));
}

SnStatus
sn_cpu_each_real(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_real(*isa, (const int32_t *)c->in[0].data + from, n,
                     (float *)c->out[0].data + from);
    return SN_OK;
}

SnStatus
sn_cpu_each_round(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_round(*isa, (const float *)c->in[0].data + from, n,
                      (float *)c->out[0].data + from);
    return SN_OK;
}

typedef struct Lines {
    SnIsa isa;
    SnEachLines p;
} Lines;

static bool
prepare_lines(SnPrep *p, SnEachLine op)
{
    const SnCall *c = p->call;
    const SnAttrDesc *alpha = sn_attr_named(c->kind, "alpha");
    const SnAttrDesc *beta = sn_attr_named(c->kind, "beta");
    Lines *k = SN_NEW(c->scratch, Lines);

    if (!sn_cpu_each_prepare(p))
        return false;
    *k = (Lines){.isa = sn_isa(), .p = {.op = op}};
    if (alpha)
        k->p.alpha = *(const float *)sn_attr_at(c->attr, alpha);
    if (beta)
        k->p.beta = *(const float *)sn_attr_at(c->attr, beta);
    p->prep = k;
    return true;
}

bool
sn_cpu_leaky_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_LEAKY);
}

bool
sn_cpu_hard_sigmoid_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_HARD_SIGMOID);
}

bool
sn_cpu_hard_swish_prepare(SnPrep *p)
{
    return prepare_lines(p, SN_EACH_HARD_SWISH);
}

SnStatus
sn_cpu_each_lines(const SnCall *c)
{
    const Lines *k = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_each_lines(k->isa, &k->p, (const float *)c->in[0].data + from, n,
                      (float *)c->out[0].data + from);
    return SN_OK;
}

SnStatus
sn_cpu_each_erf(const SnCall *c)
{
    const SnIsa *isa = c->prep;
    int64_t from, n = part(c, &from);

    if (n > 0)
        sn_erff_run(*isa, (const float *)c->in[0].data + from, n,
                    (float *)c->out[0].data + from);
    return SN_OK;
}

/* ---- the extreme of all elements ---- */

typedef struct Extreme {
    SnIsa isa;
    bool largest;
} Extreme;

static bool
prepare_extreme(SnPrep *p, bool largest)
{
    const SnCall *c = p->call;
    Extreme *k = SN_NEW(c->scratch, Extreme);

    *k = (Extreme){sn_isa(), largest};
    p->prep = k;
    return sn_shape_count(c->out[0].shape) == 1 &&
           sn_shape_count(c->in[0].shape) > 0;
}

bool
sn_cpu_largest_prepare(SnPrep *p)
{
    return prepare_extreme(p, true);
}

bool
sn_cpu_least_prepare(SnPrep *p)
{
    return prepare_extreme(p, false);
}

SnStatus
sn_cpu_extreme(const SnCall *c)
{
    const Extreme *k = c->prep;
    float *y = c->out[0].data;

    *y = sn_each_extreme(k->isa, k->largest, c->in[0].data,
                         sn_shape_count(c->in[0].shape));
    return SN_OK;
}

/* ---- sums of the elements up to each ---- */

/* y = sum + x, n elements. */
typedef void AddRow(const void *sum, const void *x, int64_t n, void *y);

static void
add_f32(const void *sum, const void *x, int64_t n, void *y)
{
    for (int64_t i = 0; i < n; i++)
        ((float *)y)[i] = ((const float *)sum)[i] + ((const float *)x)[i];
}

static void
add_i32(const void *sum, const void *x, int64_t n, void *y)
{
    for (int64_t i = 0; i < n; i++)
        ((uint32_t *)y)[i] =
            ((const uint32_t *)sum)[i] + ((const uint32_t *)x)[i];
}

static void
add_i64(const void *sum, const void *x, int64_t n, void *y)
{
    for (int64_t i = 0; i < n; i++)
        ((uint64_t *)y)[i] =
            ((const uint64_t *)sum)[i] + ((const uint64_t *)x)[i];
}

typedef struct Running {
    SnCpuColumns o; /* n places of inner elements */
    size_t size;    /* bytes of a place */
    AddRow *add;
    bool reverse, exclusive;
} Running;

bool
sn_cpu_running_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnSem *sem = &c->kind->sem[0];
    const SnShape *s = c->in[0].shape;
    SnElem e = c->in[0].type->elem;
    int axis = sn_axis(s, sn_map_int(c, sem, 1, 0));
    Running *k = SN_NEW(c->scratch, Running);

    if (axis < 0)
        return false;
    k->o = sn_cpu_columns_open(s, axis);
    k->size = (size_t)k->o.inner * (e == SN_I64 ? 8 : 4);
    k->add = e == SN_F32 ? add_f32 : e == SN_I32 ? add_i32 : add_i64;
    k->reverse = sn_map_int(c, sem, 2, 0) != 0;
    k->exclusive = sn_map_int(c, sem, 3, 0) != 0;
    p->prep = k;
    p->any = true; /* its slice is one for all */
    p->nunit = k->o.outer;
    p->reads = p->writes = k->o.n * k->o.inner;
    p->cost = sn_shape_count(s);
    return true;
}

/* A slice: the sum of a place is that of the place before and one element more,
 * so that each is made in the order of the places. */
static void
run_up(const Running *k, const char *x, char *y)
{
    ptrdiff_t step = k->reverse ? -(ptrdiff_t)k->size : (ptrdiff_t)k->size;

    if (k->o.n == 0)
        return;
    if (k->reverse) {
        x += (size_t)(k->o.n - 1) * k->size;
        y += (size_t)(k->o.n - 1) * k->size;
    }
    memset(y, 0, k->size);
    if (!k->exclusive)
        k->add(y, x, k->o.inner, y);
    for (int64_t i = 1; i < k->o.n; i++, x += step, y += step)
        k->add(y, k->exclusive ? x : x + step, k->o.inner, y + step);
}

SnStatus
sn_cpu_running(const SnCall *c)
{
    const Running *k = c->prep;
    size_t slice = (size_t)k->o.n * k->size;
    int64_t end = c->u1 < k->o.outer ? c->u1 : k->o.outer;

    for (int64_t u = c->u0; u < end; u++)
        run_up(k, (const char *)c->in[0].data + (size_t)u * slice,
               (char *)c->out[0].data + (size_t)u * slice);
    return SN_OK;
}
