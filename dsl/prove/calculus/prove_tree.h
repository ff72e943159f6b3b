// SPDX-License-Identifier: Apache-2.0
/* The calculus' trees: a side of a rule with each node replaced by its formula,
 * each result by q:T(..), each d(x) by d:T(..).  Types, clamps and attributes
 * are names; a rule's condition makes some of them equal. */
#ifndef SN_PROVE_TREE_H
#define SN_PROVE_TREE_H

#include "dsl/prove/prover.h"

typedef struct PvTree {
    const char *op;   /* "x", "+", "max", "redmax[..]", "move[..]", "q", .. */
    const char *type; /* q, d: a name for the type */
    uint32_t nkid;
    struct PvTree **kid;
    uint32_t nsat; /* q: saturations, as names */
    const char **sat;
    bool elem; /* per element */
    bool var;  /* a value of the graph */
} PvTree;

typedef struct PvLm {
    Pv *pv;
    SnArena *a;
    const PvRule *pr;
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
    PvTree *bind[64]; /* variables */
    const char *type[64];
    uint32_t fresh;
} PvLm;

/* Notes why the calculus can't go on; NULL. */
PvTree *sn_pv_out(PvLm *l, const char *why);
PvTree *sn_pv_tree(PvLm *l, const char *op, uint32_t n, PvTree *const *kid);
/* The name that stands for s and all that equal it. */
const char *sn_pv_rep(const PvLm *l, const char *s);
/* Trees are equal when their texts are. */
const char *sn_pv_text(const PvLm *l, const PvTree *t);
bool sn_pv_is_real(const PvLm *l, const char *type);
bool sn_pv_is_q(const PvTree *t);
bool sn_pv_is_row(const PvTree *t);
void sn_pv_add_sat(PvLm *l, uint32_t *n, const char ***v, const char *s);
/* The two sides.  *type: the type wanted by the reader, then the one given. */
PvTree *sn_pv_build_pat(PvLm *l, const SnPat *p, const char **type);
PvTree *sn_pv_build_term(PvLm *l, const SnTerm *t, const char **type);
/* Takes in what the condition says: early, before the left side is built,
 * equal attributes and missing operands; later, equal types and covers. */
void sn_pv_assume(PvLm *l, const SnExpr *e, bool early);
/* Both sides of a rule; false (l->why) when it is out of reach. */
bool sn_pv_sides(Pv *pv, const PvRule *pr, PvLm *l, PvTree **a, PvTree **b);

#endif
