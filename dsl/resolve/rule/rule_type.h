// SPDX-License-Identifier: Apache-2.0
/* Types of the values of one rule, symbolically: each value has a set of
 * storage kinds it may have, and values whose types are provably equal (scale
 * and zero point too) share one entry.  Private to dsl/. */
#ifndef SN_RULE_TYPE_H
#define SN_RULE_TYPE_H

#include "dsl/resolve/resolver.h"

typedef uint32_t SnKindSet; /* bit 2 * elem + per-axis; SN_KS_ABSENT */
#define SN_KS_ABSENT (UINT32_C(1) << 31)
#define SN_KS_ALL (SN_KS_ABSENT | ((UINT32_C(1) << 20) - 1))
SnKindSet sn_ks(SnDefConc c);
SnKindSet sn_ks_quant(void); /* all that have scales */

/* One value. */
typedef struct SnTv {
    SnKindSet set;
    int up;      /* union-find; -1 at the top */
    bool frozen; /* of the left side: the right side does not narrow it */
    const SnDefPort *fixed; /* of a result whose quantized types are fixed */
} SnTv;

/* One node, matched or made: the values at its ports, -1 where unread. */
typedef struct SnNodeTv {
    const SnPat *pat;
    SnTerm *term;
    const SnDefNode *node;
    const SnDefClass *cls; /* any CLASS */
    bool forms;
    int res;
    int *arg; /* [node->nin] */
} SnNodeTv;

typedef struct SnRuleTv {
    SnResolver *rs;
    SnDefRule *r;
    uint32_t ntv, nnode, nleft;
    SnTv *tv;
    SnNodeTv *node; /* [0, nleft) of the left side; [0] is the root */
    int *var;       /* [r->nvar], -1 */
    SnExpr **expr;  /* [ntv] an expression of that type, or NULL */
    uint32_t nexpr;
    bool bad;
} SnRuleTv;

int sn_tv_new(SnRuleTv *c, SnKindSet set, SnExpr *e);
int sn_tv_top(const SnRuleTv *c, int v);
SnKindSet sn_tv_set(const SnRuleTv *c, int v);
bool sn_tv_equal(const SnRuleTv *c, int a, int b);
/* The left side and its condition; then frozen. */
void sn_tv_left(SnRuleTv *c);
/* Narrows all sets by the tuples of the nodes from `from` on. */
void sn_tv_narrow(SnRuleTv *c, uint32_t from);
/* Can the node have any tuple?  *miss: kinds of its result that no
 * tuple gives. */
bool sn_tv_fits(const SnRuleTv *c, const SnNodeTv *n, SnKindSet *miss);
/* The set and, for x.type, the value a type expression names. */
int sn_tv_expr(SnRuleTv *c, SnExpr *e);
const char *sn_ks_str(const SnRuleTv *c, SnKindSet s);

#endif
