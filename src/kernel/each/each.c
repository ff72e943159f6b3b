// SPDX-License-Identifier: Apache-2.0
/* Element by element functions of plain numbers: the portable variant, and the
 * choice of one. */
#include "kernel/each/each.h"

#include <math.h>

#include "kernel/eval/rows.h"

/* ---- portable ---- */

static float
apply(SnEachOp op, float a, float b)
{
    switch (op) {
    case SN_EACH_ADD:
        return a + b;
    case SN_EACH_SUB:
        return a - b;
    case SN_EACH_MUL:
        return a * b;
    case SN_EACH_DIV:
        return a / b;
    case SN_EACH_MAX:
        return sn_maxf(a, b);
    case SN_EACH_MIN:
        return sn_minf(a, b);
    }
    return 0;
}

static void
f32(const SnEachF32 *p, const float *a, int64_t sa, const float *b, int64_t sb,
    int64_t n, float *y)
{
    SnLimF lim = {p->lo, p->hi};

    for (int64_t i = 0; i < n; i++)
        y[i] = sn_clampf(apply(p->op, a[i * sa], b[i * sb]), lim);
}

static void
difference(const int8_t *a, int64_t sa, const int8_t *b, int64_t sb, int64_t n,
           int32_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i * sa] - b[i * sb];
}

static void
lines(const SnEachLines *p, const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        if (p->op == SN_EACH_LEAKY)
            y[i] = v < 0 ? v * p->alpha : v;
        else if (p->op == SN_EACH_HARD_SIGMOID)
            y[i] = sn_minf(sn_maxf(p->alpha * v + p->beta, 0), 1);
        else
            y[i] = v * sn_minf(sn_maxf(v / 6 + 0.5F, 0), 1);
    }
}

static void
real(const int32_t *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)x[i];
}

static void
nearest(const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = rintf(x[i]);
}

static void
code(const int32_t *x, int64_t n, int32_t zp, int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (int8_t)(x[i] + zp);
}

static void
bounds(const int32_t *x, int64_t n, int32_t *lo, int32_t *hi)
{
    for (int64_t i = 0; i < n; i++) {
        *lo = x[i] < *lo ? x[i] : *lo;
        *hi = x[i] > *hi ? x[i] : *hi;
    }
}

static float
extreme(bool largest, const float *x, int64_t n, bool *nan)
{
    float r = x[0];

    *nan = false;
    for (int64_t i = 0; i < n; i++) {
        *nan |= x[i] != x[i];
        if (largest ? x[i] > r : x[i] < r)
            r = x[i];
    }
    return r;
}

const SnEach sn_each_ref = {f32,     difference, lines,  real,
                            nearest, code,       bounds, extreme};

/* ---- choice ---- */

SnVariants sn_each_variants;

static const SnEach *
variant(SnIsa isa)
{
    return sn_variant(&sn_each_variants, isa);
}

void
sn_each_f32(SnIsa isa, const SnEachF32 *p, const float *a, int64_t sa,
            const float *b, int64_t sb, int64_t n, float *y)
{
    variant(isa)->f32(p, a, sa, b, sb, n, y);
}

void
sn_each_difference(SnIsa isa, const int8_t *a, int64_t sa, const int8_t *b,
                   int64_t sb, int64_t n, int32_t *y)
{
    variant(isa)->difference(a, sa, b, sb, n, y);
}

void
sn_each_lines(SnIsa isa, const SnEachLines *p, const float *x, int64_t n,
              float *y)
{
    variant(isa)->lines(p, x, n, y);
}

void
sn_each_real(SnIsa isa, const int32_t *x, int64_t n, float *y)
{
    variant(isa)->real(x, n, y);
}

void
sn_each_round(SnIsa isa, const float *x, int64_t n, float *y)
{
    variant(isa)->round(x, n, y);
}

void
sn_each_code(SnIsa isa, const int32_t *x, int64_t n, int32_t zp, int8_t *y)
{
    variant(isa)->code(x, n, zp, y);
}

void
sn_each_bounds(SnIsa isa, const int32_t *x, int64_t n, int32_t *lo, int32_t *hi)
{
    variant(isa)->bounds(x, n, lo, hi);
}

/* The bits of 0 and of NaN depend on the order, which is the elements' own. */
float
sn_each_extreme(SnIsa isa, bool largest, const float *x, int64_t n)
{
    bool nan;
    float r = variant(isa)->extreme(largest, x, n, &nan);

    if (!nan && r != 0)
        return r;
    for (int64_t i = 0; i < n; i++)
        if (nan ? x[i] != x[i] : x[i] == 0)
            return x[i];
    return r;
}

void sn_register_each_portable(void);
void
sn_register_each_portable(void)
{
    sn_variant_add(&sn_each_variants, SN_ISA_PORTABLE, &sn_each_ref);
}
