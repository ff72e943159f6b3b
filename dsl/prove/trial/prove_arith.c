// SPDX-License-Identifier: Apache-2.0
#include "dsl/prove/trial/prove_arith.h"

#include <math.h>

#include "dsl/model/expr_tree.h"

/* An intermediate number: an int or a truth value in i. */
typedef struct Num {
    int64_t i;
    float r;
} Num;

/* A ratio in binary64. */
static double
wide(const SnX *x, const SnRowAt *at)
{
    double a = x->nkid > 0 ? wide(x->kid[0], at) : 0;
    double b = x->nkid > 1 ? wide(x->kid[1], at) : 0;

    switch (x->xk) {
    case SN_X_INT:
        return (double)x->i;
    case SN_X_REAL:
        return x->r;
    case SN_X_SCALE:
        return (double)at->g.scale[x->i];
    case SN_X_ZP:
        return at->g.zp[x->i];
    case SN_X_N:
        return (double)at->g.n;
    case SN_X_SHIFT:
        return (double)at->g.zp_shift;
    case SN_X_KERNEL:
        return (double)at->g.kernel[x->i];
    case SN_X_NEG:
        return -a;
    case SN_X_OP:
        return x->op == SN_OP_ADD   ? a + b
               : x->op == SN_OP_SUB ? a - b
               : x->op == SN_OP_MUL ? a * b
                                    : a / b;
    case SN_X_FN:
        return x->fn == SN_FN_MIN   ? sn_min(a, b)
               : x->fn == SN_FN_MAX ? sn_max(a, b)
                                    : a; /* f32 of a wider value */
    default:
        sn_bug("a ratio of %d", (int)x->xk);
    }
}

static Num value(const SnX *x, const SnRowAt *at);

static int64_t
split(const SnX *x, const SnRowAt *at)
{
    const SnX *r = x->kid[0];
    bool f32 = x->by->f32;
    int64_t q, s;

    sn_ratio_split(f32 ? (double)value(r, at).r : wide(r, at), (int)x->by->bits,
                   (int)x->by->s_lo, (int)x->by->s_hi, &q, &s);
    return x->xk == SN_X_Q ? q : s;
}

int64_t
sn_row_rounded(SnMode m, SnQuot q)
{
#define MODE(ID, word, text) \
    case SN_MODE_##ID:       \
        return sn_quot_##word(q);
    switch (m) {
        SN_MODES(MODE)
    case SN_MODE_NONE:
        break;
    }
#undef MODE
    sn_bug("rounding %d", (int)m);
}

static Num
function(const SnX *x, const Num *v)
{
    bool real = x->ty == SN_TY_REAL;

    switch (x->fn) {
    case SN_FN_SHR:
        return (Num){.i = sn_row_rounded(x->mode, sn_quot_shr(v[0].i, v[1].i))};
    case SN_FN_DIV:
        return (Num){.i = sn_row_rounded(x->mode, sn_quot_div(v[0].i, v[1].i))};
    case SN_FN_MULSHR:
        return (Num){.i = sn_row_rounded(
                         x->mode, sn_quot_mulshr(v[0].i, v[1].i, v[2].i))};
    case SN_FN_SHL:
        return (Num){.i = sn_int_shl(v[0].i, v[1].i)};
    case SN_FN_SAT:
        return (Num){.i = sn_int_sat(v[0].i, (int)v[1].i)};
    case SN_FN_WRAP:
        return (Num){.i = sn_int_wrap(v[0].i, (int)v[1].i)};
    case SN_FN_RNE:
        return (Num){.i = sn_int_rne(v[0].r)};
    case SN_FN_F32:
        return (Num){.r = (float)v[0].i};
    case SN_FN_EXPONENT:
        return (Num){.i = sn_exponent(v[0].r)};
    case SN_FN_LDEXP:
        return (Num){.r = sn_ldexp(v[0].r, v[1].i)};
    case SN_FN_FMA:
        return (Num){.r = fmaf(v[0].r, v[1].r, v[2].r)};
    case SN_FN_MIN:
        if (real)
            return (Num){.r = sn_minf(v[0].r, v[1].r)};
        return (Num){.i = sn_int_min(v[0].i, v[1].i)};
    case SN_FN_MAX:
        if (real)
            return (Num){.r = sn_maxf(v[0].r, v[1].r)};
        return (Num){.i = sn_int_max(v[0].i, v[1].i)};
    case SN_FN_SELECT:
        return v[0].i ? v[1] : v[2];
    default:
        sn_bug("%s in a row", sn_fns[x->fn].word);
    }
}

static Num
operator(const SnX *x, Num a, Num b)
{
    if (x->ty == SN_TY_BOOL)
        return (Num){.i =
                         x->kid[0]->ty == SN_TY_REAL
                             ? sn_op_apply(x->op, (double)a.r, (double)b.r) != 0
                             : sn_op_holds(x->op, a.i, b.i)};
    if (x->ty == SN_TY_REAL)
        return (Num){.r = x->op == SN_OP_ADD   ? a.r + b.r
                          : x->op == SN_OP_SUB ? a.r - b.r
                          : x->op == SN_OP_MUL ? a.r * b.r
                                               : a.r / b.r};
    return (Num){.i = x->op == SN_OP_ADD   ? sn_int_add(a.i, b.i)
                      : x->op == SN_OP_SUB ? sn_int_sub(a.i, b.i)
                                           : sn_int_mul(a.i, b.i)};
}

static Num
value(const SnX *x, const SnRowAt *at)
{
    Num v[3] = {{0}};

    if (x->xk == SN_X_Q || x->xk == SN_X_S)
        return (Num){.i = split(x, at)};
    for (uint32_t i = 0; i < x->nkid; i++)
        v[i] = value(x->kid[i], at);
    switch (x->xk) {
    case SN_X_INT:
        return (Num){.i = x->i};
    case SN_X_REAL:
        return (Num){.r = (float)x->r};
    case SN_X_IN:
        return (Num){.i = at->in[x->i], .r = at->real};
    case SN_X_SCALE:
        return (Num){.r = at->g.scale[x->i]};
    case SN_X_ZP:
        return (Num){.i = at->g.zp[x->i]};
    case SN_X_N:
        return (Num){.i = at->g.n};
    case SN_X_SHIFT:
        return (Num){.i = at->g.zp_shift};
    case SN_X_KERNEL:
        return (Num){.i = at->g.kernel[x->i]};
    case SN_X_NEG:
        return (Num){.i = sn_int_sub(0, v[0].i), .r = -v[0].r};
    case SN_X_NOT:
        return (Num){.i = !v[0].i};
    case SN_X_FN:
        return function(x, v);
    default:
        return operator(x, v[0], v[1]);
    }
}

int64_t
sn_row_value(const SnX *x, const SnRowAt *at)
{
    return value(x, at).i;
}

const SnX *
sn_row_on(SnArena *a, const SnX *x, const SnRowGrids *g)
{
    SnX *r = sn_memdup(a, x, sizeof *x);

    if (x->fixed) {
        SnRowAt at = {.g = *g};
        Num v = value(x, &at);
        r->xk = x->ty == SN_TY_REAL ? SN_X_REAL : SN_X_INT;
        r->i = v.i;
        r->r = (double)v.r;
        r->nkid = 0;
    }
    for (uint32_t i = 0; i < r->nkid; i++)
        r->kid[i] = (SnX *)(uintptr_t)sn_row_on(a, x->kid[i], g);
    return r;
}

bool
sn_row_outside(const SnX *x, const SnRowAt *at)
{
    bool any = false;

    if (x->xk == SN_X_Q && x->by->refuse) {
        const SnX *r = x->kid[0];
        double m = x->by->f32 ? (double)value(r, at).r : wide(r, at);
        int64_t q, s;
        sn_ratio_split(m, (int)x->by->bits, -1074, 2000, &q, &s);
        any = s < x->by->s_lo || s > x->by->s_hi;
    }
    for (uint32_t i = 0; i < x->nkid && !any; i++)
        any = sn_row_outside(x->kid[i], at);
    return any;
}

bool
sn_row_fits(const SnX *x, const SnRowAt *at)
{
    bool wrap = x->xk == SN_X_FN && x->fn == SN_FN_WRAP;
    bool all = !wrap || sn_int_fits(value(x->kid[0], at).i, (int)x->kid[1]->i);

    for (uint32_t i = 0; i < x->nkid && all; i++)
        all = sn_row_fits(x->kid[i], at);
    return all;
}

static int64_t
rescaled(const SnRescaler *r, int32_t q, float sx, int32_t zx, float sy,
         int32_t zy)
{
    SnRowAt at = {.g = {{sy, sx, 0}, {zy, zx, 0}, 1, 0, {1, 1}}, .in = {q, 0}};

    return sn_row_value(((const SnDefRowOf *)r->of)->x, &at);
}

SnRescaler
sn_row_rescaler(const SnDefs *defs, SnRounding by)
{
    const SnDefRowOf *r =
        sn_def_row(sn_def_arith(defs, by), SN_FORM_CONVERT, NULL, 0);

    return (SnRescaler){r ? rescaled : NULL, r};
}
