// SPDX-License-Identifier: Apache-2.0
/* Between the files that make, simplify and run terms. */
#ifndef SN_MAP_TERM_PRIV_H
#define SN_MAP_TERM_PRIV_H

#include "map/term.h"

/* t, or the one that is there already, or a number where its range has one. */
SnMapNum sn_term_add(SnMapTerms *T, SnMapTerm t);
SnMapNum sn_term_new(SnMapTerms *T, SnTermOp op, SnMapNum a, SnMapNum b,
                     int64_t lo, int64_t hi);
/* a + k * b of numbers. */
static inline SnMapNum
sn_num_sum(int64_t a, int64_t b, int64_t k)
{
    bool over = __builtin_mul_overflow(b, k, &b) ||
                __builtin_add_overflow(a, b, &a) || a >= SN_MAP_FAR ||
                a <= -SN_MAP_FAR;

    return over ? sn_num_undefined() : sn_num(a);
}
/* What sn_term_apply makes of two numbers, as all are while shapes are found;
 * false: op is none of these. */
static inline bool
sn_num_apply(SnMapOp op, int64_t a, int64_t b, SnMapNum *r)
{
    if (op >= SN_MO_EQ && op <= SN_MO_GE) { /* by the difference, too */
        *r = op == SN_MO_GT || op == SN_MO_GE ? sn_num_sum(b, a, -1)
                                              : sn_num_sum(a, b, -1);
        if (r->t == SN_NUM_UNDEFINED)
            return true;
    }
    switch (op) {
    case SN_MO_ADD:
        *r = sn_num_sum(a, b, 1);
        return true;
    case SN_MO_SUB:
        *r = sn_num_sum(a, b, -1);
        return true;
    case SN_MO_MUL:
        *r = sn_num_sum(0, a, b);
        return true;
    case SN_MO_MIN:
        *r = sn_num(a < b ? a : b);
        return true;
    case SN_MO_MAX:
        *r = sn_num(a > b ? a : b);
        return true;
    case SN_MO_EQ:
        r->v = r->v == 0;
        return true;
    case SN_MO_NE:
        r->v = r->v != 0;
        return true;
    case SN_MO_LT:
    case SN_MO_GT:
        r->v = r->v < 0;
        return true;
    case SN_MO_LE:
    case SN_MO_GE:
        r->v = r->v <= 0;
        return true;
    default:
        return false;
    }
}

/* a + k * b, a * b, a / b (floor) or what that leaves, of integers. */
SnMapNum sn_term_linear(SnMapTerms *T, SnMapNum a, SnMapNum b, int64_t k);
SnMapNum sn_term_product(SnMapTerms *T, SnMapNum a, SnMapNum b);
SnMapNum sn_term_divide(SnMapTerms *T, SnMapNum a, SnMapNum b, bool mod);
/* Element i of a SN_TM_DATA. */
int64_t sn_term_element(const SnMapTerm *t, int64_t i);
/* What op makes of values. */
int64_t sn_term_compute(SnTermOp op, int64_t a, int64_t b, int64_t c);

#endif
