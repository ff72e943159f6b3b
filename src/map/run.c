// SPDX-License-Identifier: Apache-2.0
/* Terms as a program. */
#include <math.h>

#include "base/num.h"
#include "map/term_priv.h"

static int64_t
of_float(float r)
{
    return (int32_t)sn_bits_f32(r);
}

static int64_t
of_whole(float r)
{
    return fabsf(r) < (float)SN_MAP_FAR ? (int64_t)r : SN_MAP_UNDEFINED;
}

static int64_t
compute_real(SnTermOp op, float a, float b)
{
    switch (op) {
    case SN_TM_RADD:
        return of_float(a + b);
    case SN_TM_RSUB:
        return of_float(a - b);
    case SN_TM_RMUL:
        return of_float(a * b);
    case SN_TM_RDIV:
        return of_float(a / b);
    case SN_TM_RMIN:
        return of_float(b < a ? b : a);
    case SN_TM_RMAX:
        return of_float(b > a ? b : a);
    case SN_TM_RABS:
        return of_float(fabsf(a));
    case SN_TM_REQ:
        return a == b;
    case SN_TM_RLT:
        return a < b;
    case SN_TM_RLE:
        return a <= b;
    case SN_TM_FLOOR:
        return of_whole(floorf(a));
    default:
        return of_whole(ceilf(a));
    }
}

static int64_t
divide(int64_t a, int64_t b, bool mod)
{
    if (b == 0 || b == -1)
        return b == 0 ? SN_MAP_UNDEFINED : mod ? 0 : -a;
    int64_t q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    return mod ? r : q;
}

static int64_t
multiply(int64_t a, int64_t b)
{
    int64_t p;

    return __builtin_mul_overflow(a, b, &p) ? SN_MAP_UNDEFINED : p;
}

int64_t
sn_term_compute(SnTermOp op, int64_t a, int64_t b, int64_t c)
{
    switch (op) {
    case SN_TM_MUL:
        return multiply(a, b);
    case SN_TM_DIV:
        return divide(a, b, false);
    case SN_TM_MOD:
        return divide(a, b, true);
    case SN_TM_MIN:
        return a < b ? a : b;
    case SN_TM_MAX:
        return a > b ? a : b;
    case SN_TM_ABS:
        return a < 0 ? -a : a;
    case SN_TM_EQ:
        return a == b;
    case SN_TM_LT:
        return a < b;
    case SN_TM_LE:
        return a <= b;
    case SN_TM_NOT:
        return !a;
    case SN_TM_SELECT:
        return a ? b : c;
    case SN_TM_REAL:
        return of_float((float)a);
    default:
        return compute_real(op, sn_f32_of_bits((uint32_t)a),
                            sn_f32_of_bits((uint32_t)b));
    }
}

static int64_t
linear(const SnMapTerm *t, const int64_t *val)
{
    int64_t s = t->v;

    for (int64_t i = 0; i < t->n; i++) {
        int64_t x = val[t->lin[i].t];
        if (x == SN_MAP_UNDEFINED)
            return x;
        s += t->lin[i].k * x;
    }
    return s;
}

int64_t
sn_term_element(const SnMapTerm *t, int64_t i)
{
    if (i < 0 || i >= t->n || !t->tab)
        return SN_MAP_UNDEFINED;
    switch (t->v) {
    case 1:
        return ((const int8_t *)t->tab)[i];
    case 2:
        return ((const int16_t *)t->tab)[i];
    case 4:
        return ((const int32_t *)t->tab)[i];
    default:
        return ((const int64_t *)t->tab)[i];
    }
}

/* Operators that an undefined argument goes through, but for those of a truth
 * value that does not look at it. */
static int64_t
run_one(const SnMapTerm *t, const int64_t *val)
{
    int64_t a = sn_num_value(t->kid[0], val);

    if (t->op == SN_TM_DEFINED)
        return a != SN_MAP_UNDEFINED;
    if (a == SN_MAP_UNDEFINED)
        return a;
    switch (t->op) {
    case SN_TM_AND:
        return a ? sn_num_value(t->kid[1], val) : 0;
    case SN_TM_OR:
        return a ? 1 : sn_num_value(t->kid[1], val);
    case SN_TM_SELECT:
        return sn_num_value(t->kid[a ? 1 : 2], val);
    case SN_TM_LIST:
        return a >= 0 && a < t->n ? ((const int64_t *)t->tab)[a]
                                  : SN_MAP_UNDEFINED;
    case SN_TM_DATA:
        return sn_term_element(t, a);
    default:
        break;
    }
    int64_t b = sn_num_value(t->kid[1], val);
    return b == SN_MAP_UNDEFINED ? b : sn_term_compute(t->op, a, b, 0);
}

void
sn_terms_run(const SnMapTerms *T, uint32_t vars, const int64_t *x, int64_t *val)
{
    for (uint32_t i = 0; i < T->n; i++) {
        const SnMapTerm *t = &T->v[i];
        if (vars ? !(t->vars & vars) : t->vars != 0)
            continue;
        if (t->op == SN_TM_VAR)
            val[i] = x[t->v];
        else if (t->op == SN_TM_LIN)
            val[i] = linear(t, val);
        else
            val[i] = run_one(t, val);
    }
}
