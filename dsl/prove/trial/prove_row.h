// SPDX-License-Identifier: Apache-2.0
/* Shared by the enumerator's formulas (prove_eval.c, prove_reduce.c) and rows
 * (prove_row.c). */
#ifndef SN_PROVE_ROW_H
#define SN_PROVE_ROW_H

#include "dsl/prove/trial/case.h"

typedef struct SnCaseVec {
    double *v, *id, *er;
    bool code;  /* codes of type ct; else reals or plain numbers */
    bool whole; /* plain integers: nothing rounds them; these are */
    int64_t *w; /* in w, v is the nearest double, or NaN: no element */
    const SnCaseType *ct;
    const SnCaseValue *src; /* a port read directly: for scales along an axis */
    const int32_t *ix;
    int32_t *slot;
} SnCaseVec;

typedef struct SnCaseEval {
    SnProofCase *c;
    SnCaseNode *n;
    const SnDefSem *sem;
    SnCaseTaps t;
    bool set; /* inside a reduction */
    uint32_t res;
    const SnCaseType *only; /* sn_case_const_code: the type q(..) would have */
} SnCaseEval;

/* The operand's elements: one for each result, or for each tap in a set. */
SnCaseVec sn_case_port(SnCaseEval *e, const SnDefPort *p);
/* Is the node's zero point added before its rounding?  *shift: zp_shift. */
bool sn_case_after(const SnCaseNode *n, int32_t *shift);
/* q(x) to type t within cl by its own row; own: the node's own result: fills
 * r->v.  *err: the largest error of its rounding, in steps. */
bool sn_case_row(SnCaseEval *e, const SnExpr *x, const SnCaseType *t,
                 SnRange cl, bool own, SnCaseVec *r, double *err);
/* The same by the row for any point, of the reals v. */
bool sn_case_point(SnCaseEval *e, const SnCaseType *t, SnRange cl,
                   const SnCaseVec *v, SnCaseVec *r);
/* A real within a clamp. */
double sn_case_clamped(double v, SnRange r);
/* The value of an expression of the formula. */
SnCaseVec sn_case_vec(SnCaseEval *e, const SnExpr *x);
/* The bound er, increased by n roundings to binary32 of the value that is id
 * over the reals. */
double sn_case_rounded(const SnProofCase *c, double id, double er, unsigned n);
/* Elements of a value at the formula's place: one for each result, or for
 * each tap of its set; and such a value, all 0. */
size_t sn_case_len(const SnCaseEval *e);
SnCaseVec sn_case_make(SnCaseEval *e);

/* ---- plain integers (prove_whole.c) ---- */

/* v, truncated to an integer and saturated; NaN: 0. */
int64_t sn_case_whole64(double v);
/* As sn_case_make, for integers; element i becomes w. */
SnCaseVec sn_case_make_whole(SnCaseEval *e);
void sn_case_put_whole(SnCaseVec *r, size_t i, int64_t w);
/* Element i among reals: an integer as binary32. */
double sn_case_as_real(const SnCaseVec *r, size_t i);
/* +, -, *, / modulo 2^64. */
int64_t sn_case_whole_op(SnOp op, int64_t a, int64_t b);
/* The value that a result of a plain type stores for element i. */
double sn_case_stored(const SnCaseVec *r, size_t i, int8_t elem);
/* A call of SN_WHOLE_FNS. */
SnCaseVec sn_case_whole(SnCaseEval *e, const SnExpr *x);

/* ---- reductions (prove_reduce.c) ---- */

/* sum, mean, max, min, argmax or argmin of x->kid[0] over the set, once for
 * each result. */
SnCaseVec sn_case_reduce(SnCaseEval *e, const SnExpr *x);

#endif
