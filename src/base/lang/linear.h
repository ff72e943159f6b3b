// SPDX-License-Identifier: Apache-2.0
/* Linear forms with an error: c0 + c1 a + c2 b + c3 a b for operands a and b in
 * a box, and an interval that holds what a formula computes less that.  Rows of
 * arithmetics are evaluated in them (SnArithRow.lin) to bound how far they are
 * from other formulas (row_bound.h).  Every interval is rounded outward. */
#ifndef SN_LINEAR_H
#define SN_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the operands lie. */
typedef struct SnLinBox {
    double lo[2], hi[2];
} SnLinBox;

/* In which operands a value does not fall, or does not rise. */
enum {
    SN_LIN_UP_A = 1,
    SN_LIN_UP_B = 2,
    SN_LIN_DOWN_A = 4,
    SN_LIN_DOWN_B = 8,
    SN_LIN_ALL_WAYS = 15
};

typedef struct SnLin {
    const SnLinBox *box; /* NULL: a constant */
    double c[4];
    double lo, hi; /* the error */
    unsigned way;  /* SN_LIN_ flags */
    const char
        *why; /* why nothing is known; NULL: it is.  way is known always */
} SnLin;

/* How shifts and quotients round. */
typedef enum SnLinMode {
    SN_LIN_FLOOR,
    SN_LIN_ZERO,
    SN_LIN_HALF_UP,
    SN_LIN_HALF_AWAY,
    SN_LIN_HALF_EVEN
} SnLinMode;

SnLin sn_lin_int(int64_t v);
SnLin sn_lin_real(double v);
/* Operand 0 or 1 itself. */
SnLin sn_lin_in(const SnLinBox *box, int i);
SnLin sn_lin_none(const char *why);
/* What x may be. */
void sn_lin_range(const SnLin *x, double *lo, double *hi);

SnLin sn_lin_add(SnLin x, SnLin y);
SnLin sn_lin_sub(SnLin x, SnLin y);
SnLin sn_lin_mul(SnLin x, SnLin y);
SnLin sn_lin_neg(SnLin x);
/* One of both; x or y is the larger, or the smaller, everywhere. */
SnLin sn_lin_min(SnLin x, SnLin y);
SnLin sn_lin_max(SnLin x, SnLin y);
/* One of both, chosen by something else. */
SnLin sn_lin_select(SnLin x, SnLin y);

/* Integers, as sn_quot_ and sn_int_ of base/num.h. */
SnLin sn_lin_shr(SnLin x, SnLin n, SnLinMode m);
SnLin sn_lin_shl(SnLin x, SnLin n);
SnLin sn_lin_div(SnLin x, SnLin d, SnLinMode m);
SnLin sn_lin_mulshr(SnLin x, SnLin y, SnLin n, SnLinMode m);
SnLin sn_lin_sat(SnLin x, int bits);
SnLin sn_lin_wrap(SnLin x, int bits);

/* Reals: an exact result rounded to binary32, an integer so rounded, an exact
 * quotient, x * y + z rounded once, x * 2^n, and a real rounded to an integer.
 * Nothing is known of an exponent. */
SnLin sn_lin_round(SnLin x);
SnLin sn_lin_f32(SnLin x);
SnLin sn_lin_over(SnLin x, SnLin y);
SnLin sn_lin_fmaf(SnLin x, SnLin y, SnLin z);
SnLin sn_lin_exponent(SnLin x);
SnLin sn_lin_ldexp(SnLin x, SnLin n);
SnLin sn_lin_rne(SnLin x);

#ifdef __cplusplus
}
#endif

#endif
