// SPDX-License-Identifier: Apache-2.0
/* Transcendental functions that give the same bits everywhere: binary64
 * + - * / sqrt and integer operations in a fixed order, no libm.  Needs IEEE
 * arithmetic in round-to-nearest, -ffp-contract=off, FLT_EVAL_METHOD 0.
 *
 * The double functions are off by less than 2 ulp (subnormal results: by less
 * than 2 of the smallest unit); special values are those of C11 annex F, and
 * every NaN result is the quiet NaN 0x7ff8000000000000.  errno and the
 * exception flags mean nothing afterwards. */
#ifndef SN_FMATH_H
#define SN_FMATH_H

#ifdef __cplusplus
extern "C" {
#endif

double sn_exp(double x);
double sn_log(double x); /* natural; of a negative number: NaN */
double sn_tanh(double x);
double sn_erf(double x);
double sn_pow(double x, double y);

/* The double function rounded once to binary32: correctly rounded but for
 * about one argument in 2^28. */
float sn_expf(float x);
float sn_logf(float x);
float sn_tanhf(float x);
float sn_erff(float x);
float sn_powf(float x, float y);
float sn_sqrtf(float x); /* correctly rounded always */

#ifdef __cplusplus
}
#endif

#endif
