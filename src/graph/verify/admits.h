// SPDX-License-Identifier: Apache-2.0
/* Whether an arithmetic admits a node on the types it has or would have: what
 * `codes`, `zero`, `scales`, `bias`, `accumulate`, `no row` and `outside
 * refuse` say (docs/language.md, "Arithmetic").  The verifier asks for every
 * node, absorb, merge and what regrids biases for the node they would make,
 * the quantizer for the one it plans. */
#ifndef SN_ADMITS_H
#define SN_ADMITS_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the arithmetic restrict types, pairs of types or kinds at all? */
static inline bool
sn_restricts(SnRounding by)
{
    return sn_arith_at(by)->pairs.some;
}

/* Why c->rounding does not admit the node c, or NULL.  Operands have their
 * types and shapes, and data where they are constants; results types and
 * shapes.  The text names operand or result, value, and what is expected; *at
 * is the operand's slot, or -1 less the result's number. */
const char *sn_admits_why(const SnCall *c, unsigned known, int *at);
/* What is known of it: */
enum {
    SN_KNOWN = 1,  /* the results follow from constants alone, whose types count
                      where they are read */
    SN_PENDING = 2 /* an operand does, and has not been computed yet: nothing is
                      said of its codes and of sums */
};

/* A ratio of scales outside of its window. */
typedef struct SnRatioFault {
    const SnArithRatio *ratio;
    SnRowGrids grids; /* of which it is made */
    double value;
    int slot[2];    /* operands of the row; the second may be -1 */
    uint32_t slice; /* of the second */
} SnRatioFault;
/* The first one of the node c, if there is one; and as text. */
bool sn_ratio_fault(const SnCall *c, SnRatioFault *f);
const char *sn_ratio_why(const SnCall *c, const SnRatioFault *f);

/* A sum of products that may leave the accumulator. */
typedef struct SnSumFault {
    double sum;      /* what it may reach */
    int slot;        /* of weights that are known; -1: there are none */
    int64_t channel; /* of them */
} SnSumFault;
bool sn_sum_fault(const SnCall *c, SnSumFault *f);

/* What says that it has no row for the kind on codes, or NULL; and as text. */
const SnArithNo *sn_no_row(SnRounding by, SnKind k);
const char *sn_no_row_why(SnRounding by, SnKind k, SnArena *a);

/* Has it a row for the kind only between values of one type? */
bool sn_needs_one_type(SnRounding by, SnKind k);

/* Why a value of the role may not have this type, or NULL; what: the value's
 * name in the text. */
const char *sn_role_why(SnRounding by, SnRole role, const SnType *t,
                        const char *what, SnArena *a);

#ifdef __cplusplus
}
#endif

#endif
