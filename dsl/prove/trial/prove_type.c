// SPDX-License-Identifier: Apache-2.0
/* Types and values of a case: their meaning, and how they are drawn. */
#include "dsl/prove/trial/case.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/model/arith.h"

/* ---- types ---- */

bool
sn_case_quant(const SnCaseType *t)
{
    return t->nq > 0;
}

bool
sn_case_same_type(const SnCaseType *a, const SnCaseType *b)
{
    if (a->elem != b->elem || a->axis != b->axis || a->nq != b->nq)
        return false;
    for (uint32_t i = 0; i < a->nq; i++)
        if (a->scale[i] != b->scale[i] || a->zp[i] != b->zp[i])
            return false;
    return true;
}

double
sn_case_code_lo(int8_t elem)
{
    return elem == SN_QI8 ? -128 : elem == SN_QI16 ? -32768 : -2147483648.0;
}

double
sn_case_code_hi(int8_t elem)
{
    return elem == SN_QI8 ? 127 : elem == SN_QI16 ? 32767 : 2147483647.0;
}

double
sn_case_real(const SnCaseType *t, double code, uint32_t slice)
{
    if (!t->nq)
        return code;
    if (t->nq == 1)
        slice = 0;
    return (double)t->scale[slice] * (code - t->zp[slice]);
}

uint32_t
sn_case_slice(const SnCaseValue *t, int64_t i)
{
    int64_t in = 1;

    if (t->type.nq <= 1)
        return 0;
    for (int k = t->type.axis + 1; k < t->rank; k++)
        in *= t->dim[k];
    return (uint32_t)(i / in % (int64_t)t->type.nq);
}

SnCaseType
sn_case_slice_type(const SnCaseType *t, uint32_t slice)
{
    SnCaseType one = {.elem = t->elem, .axis = -1, .nq = t->nq > 0};

    one.scale[0] = t->scale[t->nq > 1 ? slice : 0];
    one.zp[0] = t->zp[t->nq > 1 ? slice : 0];
    return one;
}

SnGrid
sn_case_grid(const SnCaseType *t)
{
    return (SnGrid){t->nq, t->scale, t->zp, sn_case_code_lo(t->elem),
                    sn_case_code_hi(t->elem)};
}

SnReach
sn_case_reach(const SnCaseType *t, SnRange r)
{
    SnGrid k = sn_case_grid(t);

    return sn_grid_reach(&k, r);
}

void
sn_case_limits(const SnCaseType *t, SnRange r, int32_t *lo, int32_t *hi)
{
    double l = sn_case_code_lo(t->elem), h = sn_case_code_hi(t->elem);

    if (r.has_lo)
        l = fmax(l, r.lo);
    if (r.has_hi)
        h = fmax(sn_case_code_lo(t->elem), fmin(h, r.hi));
    *lo = (int32_t)(l > h ? h : l); /* min(max(v, lo), hi) is hi then */
    *hi = (int32_t)h;
}

const char *
sn_case_type_str(SnArena *a, const SnCaseType *t)
{
    SnBuf b;

    if (!t->nq)
        return sn_elem_words[t->elem].brief;
    sn_buf_init(&b, a);
    sn_putf(&b, "%s%s(", sn_elem_words[t->elem].brief, t->axis >= 0 ? "c" : "");
    sn_put_f32(&b, t->scale[0]);
    sn_putf(&b, "%s,%d)", t->nq > 1 ? ".." : "", t->zp[0]);
    return sn_buf_str(&b);
}

static float
draw_scale(SnProofCase *c)
{
    static const float corner[] = {0.04f, 0.01f,      0.1f,   0.05f,
                                   0.02f, 0.0078125f, 0.5f,   0.03125f,
                                   1.0f,  0.0141f,    0.0127f};

    if (sn_case_chance(c, c->corner ? 100 : 35))
        return corner[sn_case_below(c, 11)];
    if (c->nnumber &&
        sn_case_chance(c, 12)) { /* named, or at the range's end */
        double v = fabs(c->number[sn_case_below(c, c->nnumber)]);
        v /= sn_case_chance(c, 50) ? 1 : 100;
        if (v > 1e-4 && v < 1e3)
            return (float)v;
    }
    if (sn_case_chance(c, 8))
        return (float)(0.03 * exp2(18 * sn_case_unit(c) - 9));
    return (float)(0.03 * exp2(5 * sn_case_unit(c) - 2.5));
}

/* A scale whose product with that of an earlier operand is half a step of the
 * result: sums of products tie.  0: none. */
static float
tying_scale(SnProofCase *c)
{
    if (c->npool < 2 || !sn_case_chance(c, 15))
        return 0;
    float a = c->pool[sn_case_chance(c, 70) ? 0 : c->npool / 2].scale[0];
    float v = a / (2 * c->pool[c->npool - 1].scale[0]);
    return v > 0x1p-20f && v < 4 ? v : 0;
}

/* Puts every other operand on an odd multiple of half a step of the result:
 * with its neighbour at its zero point sums tie, and the order of rounding
 * shows.  0: none. */
static float
half_scale(SnProofCase *c)
{
    if (!c->ties || !c->npool || c->nhalf++ % 2 == c->half)
        return 0;
    return c->pool[0].scale[0] * (0.5f + (float)sn_case_below(c, 3));
}

/* Fixed-point roundings differ from floats at ties, which are frequent with
 * ratios of powers of two.  0: none. */
static float
power_scale(SnProofCase *c)
{
    if (c->pr->round == SN_ROUNDING_FLOAT || !c->npool ||
        !sn_case_chance(c, 60))
        return 0;
    float a = c->pool[sn_case_below(c, c->npool)].scale[0];
    return ldexpf(a, (int)sn_case_below(c, 7) - 3);
}

/* Within the codes of the type, mostly those of 8 bits. */
static int32_t
draw_zp(SnProofCase *c, int8_t elem)
{
    static const int32_t corner[] = {0, 0, -128, 127, 3, -1, 50};

    if (c->ties && sn_case_chance(c, 80))
        return (int32_t)sn_case_below(c, 256) - 128;
    if (c->corner)
        return corner[sn_case_below(c, 3)];
    if (c->nnumber && sn_case_chance(c, 10)) {
        double v = c->number[sn_case_below(c, c->nnumber)];
        if (v == floor(v) && v >= sn_case_code_lo(elem) &&
            v <= sn_case_code_hi(elem))
            return (int32_t)v;
    }
    if (elem == SN_QI16 && sn_case_chance(c, 15))
        return (int32_t)sn_case_below(c, 65536) - 32768;
    if (sn_case_chance(c, 60))
        return corner[sn_case_below(c, 7)];
    return (int32_t)sn_case_below(c, 256) - 128;
}

/* A type of 32 bits or along an axis that was drawn before, or one that
 * functions of the language may confuse with it: one that is like it only in
 * its first slice (bounds, image), or over all slices together (covers). */
static bool
again(SnProofCase *c, SnCaseType *t)
{
    if (!c->nodd || !sn_case_chance(c, 60))
        return false;
    const SnCaseType *p = &c->odd[sn_case_below(c, c->nodd)];
    if (p->elem != t->elem || p->axis != t->axis)
        return false;
    uint32_t how = sn_case_below(c, 10);
    *t = *p;
    for (uint32_t i = 1; i < t->nq && how < 3; i++) {
        t->scale[i] = draw_scale(c) * (t->elem == SN_QI32 ? 0.01f : 1);
        t->zp[i] = t->elem == SN_QI32 ? 0 : draw_zp(c, t->elem);
    }
    for (uint32_t i = 0; i < 2 && t->nq > 1 && how >= 8; i++) { /* swapped */
        t->scale[i] = p->scale[!i];
        t->zp[i] = p->zp[!i];
    }
    return true;
}

/* Restricts types to those of the arithmetic of the cases: graphs under it have
 * no others, and passes do not create any. */
static void
admit(const SnProofCase *c, SnCaseType *t)
{
    const SnDefArith *a = sn_def_arith(c->pv->defs, c->pr->round);

    if (!a || !a->pairs.some || (t->elem != SN_QI8 && t->elem != SN_QI16))
        return;
    const SnArithType *w = &a->pairs.type[t->axis >= 0 ? SN_ROLE_W : SN_ROLE_X];
    for (uint32_t i = 0; i < t->nq; i++) {
        if (w->power)
            t->scale[i] = exp2f(rintf(log2f(t->scale[i])));
        t->zp[i] = t->zp[i] < w->zlo   ? w->zlo
                   : t->zp[i] > w->zhi ? w->zhi
                                       : t->zp[i];
    }
}

SnCaseType
sn_case_draw_type(SnProofCase *c, SnDefConc k)
{
    SnCaseType t = {.elem = k.elem, .axis = k.axis};

    if (c->pr->alike && c->in_each && c->each > 0 &&
        c->each_type.elem == k.elem && sn_case_chance(c, 80))
        return c->each_type;

    if (k.elem != SN_QI8 && k.elem != SN_QI16 && k.elem != SN_QI32)
        return t;
    if (c->npool && k.axis < 0 && sn_case_chance(c, c->ties ? 10 : 40)) {
        const SnCaseType *p = &c->pool[sn_case_below(c, c->npool)];
        if (c->in_each)
            c->each_type = *p;
        if (p->elem == k.elem)
            return *p;
    }
    t.nq = k.axis < 0 ? 1 : SN_CASE_NQ; /* cut to the axis later */
    bool odd = k.axis >= 0 || k.elem == SN_QI32;
    if (k.axis >= 0)
        c->flat = false; /* 256 slices are too many */
    if (odd && again(c, &t))
        return t;
    float tie = tying_scale(c), power = power_scale(c), half = half_scale(c);
    for (uint32_t i = 0; i < t.nq; i++) {
        t.scale[i] = draw_scale(c);
        if (k.elem == SN_QI16)
            t.scale[i] *= 1 / 256.0f;
        if (k.elem == SN_QI32)
            t.scale[i] *= 0.01f;
        if (tie > 0 && k.elem != SN_QI32)
            t.scale[i] = tie;
        if (half > 0 && k.elem != SN_QI32)
            t.scale[i] = half;
        if (power > 0 && k.elem != SN_QI32)
            t.scale[i] = power;
        t.zp[i] = k.elem == SN_QI32 ? 0 : draw_zp(c, k.elem);
    }
    admit(c, &t);
    if (k.axis < 0 && c->npool < 12 && k.elem != SN_QI32)
        c->pool[c->npool++] = t;
    if (odd && c->nodd < 6)
        c->odd[c->nodd++] = t;
    if (c->in_each)
        c->each_type = t;
    return t;
}

/* ---- values ---- */

SnCaseValue *
sn_case_value(SnProofCase *c, const SnCaseType *t)
{
    SnCaseValue *v = SN_NEW(c->a, SnCaseValue);

    v->type = *t;
    v->rank = -1;
    return v;
}

static double
leaf_code(SnProofCase *c, const SnCaseValue *t, int64_t i, double lo, double hi)
{
    uint32_t odd = 2 * (c->nleaf ? (uint32_t)(t->dim[0] & 3) : 0) + 1;

    if (t->n == 256 && hi - lo == 255) {
        static const uint32_t mul[] = {1, 37, 101, 211, 59};
        uint32_t k = 0;
        while (k < c->nleaf && c->leaf[k] != t)
            k++;
        return lo + (double)(((uint32_t)i * mul[k % 5] * odd + 91 * k) & 255);
    }
    if (c->small && t->type.nq)
        return fmin(hi,
                    fmax(lo, t->type.zp[0] - 4 + (double)sn_case_below(c, 9)));
    if (sn_case_chance(c, 12))
        return lo;
    if (sn_case_chance(c, 12))
        return hi;
    return floor(lo + (hi - lo + 1) * sn_case_unit(c));
}

/* Reals without a quantized type that gives their size: a few, halves of odd
 * integers, numbers that the rule names, and occasionally larger ones. */
static double
free_real(SnProofCase *c)
{
    static const double mag[] = {11, 11, 11, 11, 1, 60, 500, 9000};

    if (c->mag == 0)
        c->mag = mag[sn_case_below(c, 8)];
    if (sn_case_chance(c, 12))
        return (double)sn_case_below(c, 12) - 5.5;
    if (sn_case_chance(c, 6))
        return (double)sn_case_below(c, 5) - 2;
    if (c->nnumber && sn_case_chance(c, 10))
        return c->number[sn_case_below(c, c->nnumber)] +
               (double)sn_case_below(c, 3) - 1;
    return (sn_case_unit(c) - 0.5) * c->mag;
}

double
sn_case_draw_real(SnProofCase *c)
{
    double v;

    if (!c->npool) {
        v = free_real(c);
    } else {
        SnCaseType t = c->pool[sn_case_below(c, c->npool)];
        double k = t.elem == SN_QI16 ? 65536 : 256;
        if (sn_case_chance(c, 20)) /* a tie */
            v = (floor((sn_case_unit(c) - 0.5) * k * 1.2) + 0.5) *
                (double)t.scale[0];
        else
            v = (sn_case_unit(c) - 0.5) * k * 1.4 * (double)t.scale[0];
        v -= t.zp[0] * (double)t.scale[0];
    }
    if (c->positive)
        v = fabs(v) + 0.01;
    return (double)(float)v;
}

/* Zeros of one sign in a whole set show the initial value of a sum. */
static double
leaf_real(SnProofCase *c)
{
    double v = sn_case_draw_real(c);

    if (c->zeros && !sn_case_chance(c, 20))
        return sn_case_chance(c, 75) ? -0.0 : 0;
    return v;
}

/* The codes that a leaf holds.  Indices are of dimensions of at least 2; int64
 * stays in the range where doubles have all bits of a product. */
static void
leaf_limits(SnProofCase *c, const SnCaseValue *t, double *lo, double *hi)
{
    const SnCaseType *k = &t->type;

    *lo = t->index ? -2 : 0;
    *hi = 1;
    if (k->elem == SN_QI32) {
        uint32_t how = sn_case_below(c, 10);
        bool wide = !t->bias && !c->pr->given_bias;
        *hi = wide && how < 3 ? 2147483647.0 : how < 6 ? 3000 : 60;
        *lo = -*hi;
    } else if (k->nq) {
        *lo = sn_case_code_lo(k->elem);
        *hi = sn_case_code_hi(k->elem);
    } else if (!t->index && k->elem != SN_BOOL) {
        uint32_t how = sn_case_below(c, 10);
        *hi = how < 4             ? 9
              : k->elem == SN_I8  ? 127
              : how < 7           ? 4000
              : k->elem == SN_I32 ? 2147483647
              : how < 9           ? 0x1p26
                                  : 0x1p40;
        *lo = -*hi - (k->elem == SN_I8 || *hi == 2147483647);
    }
}

/* The non-numbers that processors compute with. */
static double
odd_real(SnProofCase *c)
{
    static const float v[] = {INFINITY, -INFINITY, NAN, 0, 3e38f, 1e-42f};

    return (double)v[sn_case_below(c, sizeof v / sizeof *v)];
}

/* Fills a leaf, once its shape is known. */
void
sn_case_leaf_data(SnProofCase *c, SnCaseValue *t)
{
    const SnCaseType *k = &t->type;
    double lo, hi;

    t->v = SN_NEW_N(c->a, double, t->n + 1);
    t->id = SN_NEW_N(c->a, double, t->n + 1);
    t->er = SN_NEW_N(c->a, double, t->n + 1);
    leaf_limits(c, t, &lo, &hi);
    bool zp = c->ties && k->nq && sn_case_chance(c, 40);
    for (int64_t i = 0; i < t->n; i++) {
        t->v[i] = k->elem == SN_F32 ? leaf_real(c) : leaf_code(c, t, i, lo, hi);
        if (zp)
            t->v[i] = k->zp[sn_case_slice(t, i)];
        if (c->unreal && k->elem == SN_F32 && sn_case_chance(c, 15))
            t->v[i] = odd_real(c);
        t->id[i] = sn_case_real(k, t->v[i], sn_case_slice(t, i));
    }
    t->done = true;
}

void
sn_case_put_bound(SnBuf *b, double v)
{
    if (v == floor(v) && fabs(v) >= 1e6)
        sn_putf(b, "%.0f", v);
    else
        sn_put_f32(b, (float)v);
}
