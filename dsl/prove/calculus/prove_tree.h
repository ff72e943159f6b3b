// SPDX-License-Identifier: Apache-2.0
/* The calculus' trees: a side of a rule with each node replaced by its formula,
 * each result by q:T(..), each d(x) by d:T(..).  Types, clamps and attributes
 * are names; a rule's condition makes some of them equal. */
#ifndef SN_PROVE_TREE_H
#define SN_PROVE_TREE_H

#include "dsl/prove/prover.h"

typedef struct SnTree {
    const char *op;   /* "x", "+", "max", "redmax[..]", "move[..]", "q", .. */
    const char *type; /* q, d: a name for the type */
    uint32_t nkid;
    struct SnTree **kid;
    uint32_t nsat; /* q: saturations, as names */
    const char **sat;
    bool elem; /* per element */
    bool var;  /* a value of the graph */
} SnTree;

typedef struct SnCalculus {
    SnProver *pv;
    SnArena *a;
    const SnInstance *pr;
    uint32_t used;
    bool bits;       /* every bit counts: the sign of a zero, too */
    const char *why; /* out of reach */
    uint32_t neq;    /* names that the guard makes equal: a means b */
    const char *eq[16][2];
    uint32_t ncov; /* covers(A, B): A need not be applied to B */
    const char *cov[16][2];
    uint32_t nbound; /* clamps bounds(T, lo, hi) */
    struct {
        const char *name;
        const SnExpr *e;
    } bound[4];
    SnTree *bind[64]; /* variables */
    const char *type[64];
    uint32_t fresh;
} SnCalculus;

/* Notes why the calculus can't go on; NULL. */
SnTree *sn_calculus_out(SnCalculus *l, const char *why);
SnTree *sn_calculus_tree(SnCalculus *l, const char *op, uint32_t n,
                         SnTree *const *kid);
/* The name that stands for s and all that equal it. */
const char *sn_calculus_rep(const SnCalculus *l, const char *s);
/* Trees are equal when their texts are. */
const char *sn_calculus_text(const SnCalculus *l, const SnTree *t);
bool sn_calculus_is_real(const SnCalculus *l, const char *type);
bool sn_calculus_is_q(const SnTree *t);
bool sn_calculus_is_row(const SnTree *t);
void sn_calculus_add_sat(SnCalculus *l, uint32_t *n, const char ***v,
                         const char *s);
/* The two sides.  *type: the type wanted by the reader, then the one given. */
SnTree *sn_calculus_build_pat(SnCalculus *l, const SnPat *p, const char **type);
SnTree *sn_calculus_build_term(SnCalculus *l, const SnTerm *t,
                               const char **type);
/* Takes in what the condition says: early, before the left side is built,
 * equal attributes and missing operands; later, equal types and covers. */
void sn_calculus_assume(SnCalculus *l, const SnExpr *e, bool early);
/* Both sides of a rule; false (l->why) when it is out of reach. */
bool sn_calculus_sides(SnProver *pv, const SnInstance *pr, SnCalculus *l,
                       SnTree **a, SnTree **b);

#endif
