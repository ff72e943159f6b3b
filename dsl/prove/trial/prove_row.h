// SPDX-License-Identifier: Apache-2.0
/* Shared by the enumerator's formulas (prove_eval.c, prove_reduce.c) and rows
 * (prove_row.c). */
#ifndef SN_PROVE_ROW_H
#define SN_PROVE_ROW_H

#include "dsl/prove/trial/case.h"

typedef struct PvVec {
    double *v, *id, *er;
    bool code;  /* codes of type ct; else reals or plain numbers */
    bool whole; /* plain integers: nothing rounds them */
    const PvType *ct;
    const PvT *src; /* a port read as it is: for scales along an axis */
    const int32_t *ix;
    int32_t *slot;
} PvVec;

typedef struct PvEv {
    PvCase *c;
    PvNode *n;
    const SnDefSem *sem;
    PvTaps t;
    bool set; /* inside a reduction */
    uint32_t res;
    const PvType *only; /* sn_pv_const_code: the type q(..) would have */
} PvEv;

/* The operand's elements: one for each result, or for each tap in a set. */
PvVec sn_pv_port(PvEv *e, const SnDefPort *p);
/* Is the node's zero point added before its rounding?  *shift: zp_shift. */
bool sn_pv_after(const PvNode *n, int32_t *shift);
/* Is a window of a pool the whole image, without pads? */
bool sn_pv_whole_image(const PvNode *n, const PvT *im);
/* q(x) to type t within cl by a row of its own: fills r->v.  *err: what its
 * rounding may be off by, in steps. */
bool sn_pv_row(PvEv *e, const SnExpr *x, const PvType *t, SnRange cl, PvVec *r,
               double *err);
/* Arithmetic on plain integers, which wraps around. */
double sn_pv_whole_op(const PvEv *e, SnOp op, double a, double b);
/* A real within a clamp. */
double sn_pv_clamped(double v, SnRange r);
/* The value of an expression of the formula. */
PvVec sn_pv_vec(PvEv *e, const SnExpr *x);
/* Elements of a value where the formula stands: one for each result, or for
 * each tap of its set; and such a value, all 0. */
size_t sn_pv_len(const PvEv *e);
PvVec sn_pv_make(PvEv *e);

/* ---- reductions (prove_reduce.c) ---- */

typedef enum PvRed {
    PV_R_MAX,
    PV_R_MIN,
    PV_R_SUM,
    PV_R_MEAN,
    PV_R_ARG,
    PV_R_ARGMIN
} PvRed;
/* x->kid[0] over the set, once for each result. */
PvVec sn_pv_reduce(PvEv *e, const SnExpr *x, PvRed how);

#endif
