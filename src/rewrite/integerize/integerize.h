// SPDX-License-Identifier: Apache-2.0
/* What integerize means to do with one node, and what speaks against it. */
#ifndef SN_INTEGERIZE_H
#define SN_INTEGERIZE_H

#include "rewrite/rewrite.h"

/* The new operand of each slot. */
typedef enum SnIntHow {
    SN_INT_AS_IS,  /* plain operand or missing */
    SN_INT_UNWRAP, /* Dequantize(x): x */
    SN_INT_CODES,  /* a Splat or Constant, quantized to a type */
    SN_INT_PINNED, /* an f32 bias Constant, quantized to the pinned type */
    SN_INT_MOVED, /* Dequantize(Constant) of another type: its codes on the grid
              of the pinned one */
    SN_INT_RESCALED, /* Dequantize(x): Rescale(x) to the group's type */
    SN_INT_QUANTIZED /* a float producer: Quantize to the group's type */
} SnIntHow;

typedef struct SnIntPlan {
    SnGraph *g;
    SnRewriter *rw;
    uint16_t rule;
    SnId id;
    SnNode *n;
    const SnKindDesc *d;
    SnId q;              /* the Quantize below that decides */
    const SnType *qt;    /* its type */
    bool only;           /* other types have a copy of their own */
    bool uniform;        /* those served have one type and one clamp */
    bool calibrated;     /* all those served are */
    SnIntHow *how;       /* [nin] */
    const SnType **type; /* [nin] of each operand afterwards */
    SnKind kind;         /* the kind or form chosen */
    const SnType *yt;    /* result type of the integer node */
    bool after;          /* a Rescale from yt to qt follows */
    bool waived;         /* the grid it writes on may saturate */
    SnBiasMove move;     /* of a bias that is SN_INT_MOVED */
    SnRef bias;          /* the bias Constant once it is made */
} SnIntPlan;

/* Whether this plan makes the result of Quantize q. */
bool sn_integerize_serves(const SnIntPlan *p, SnId q);
/* Why sums might leave int32; NULL: they cannot.  bias: made codes, or NULL
 * where the operand is as it was. */
const char *sn_integerize_acc_why(const SnIntPlan *p, const int32_t *bias);
/* Why some bit of what the Quantizes hold might be another; NULL: none is, in
 * whatever order the float node adds up. */
const char *sn_integerize_inexact(const SnIntPlan *p, const int32_t *bias);

#endif
