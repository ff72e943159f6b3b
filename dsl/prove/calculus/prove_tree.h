// SPDX-License-Identifier: Apache-2.0
/* The calculus' trees: a side of a rule with each node replaced by its formula,
 * each result by q:T(..), each d(x) by d:T(..).  Types, clamps and attributes
 * are names; a rule's condition makes some of them equal. */
#ifndef SN_PROVE_TREE_H
#define SN_PROVE_TREE_H

#include "dsl/model/texts.h"
#include "dsl/prove/prover.h"

typedef enum SnTreeKind {
    SN_TR_NAME, /* a value of the graph, a number, an attribute */
    SN_TR_FN,   /* fn of the kids: q, d, or per element */
    SN_TR_OVER, /* fn over the sets of a map */
    SN_TR_BIN,  /* bin of two kids */
    SN_TR_NEG,
    SN_TR_MOVE, /* kid 0 in other places; of holes kid 1 */
    SN_TR_ROW,  /* kid 0 as a row of arithmetic computes it */
    SN_TR_TYPE,
    SN_TR_SAT /* kid 0 saturated */
} SnTreeKind;

typedef struct SnTree {
    SnTreeKind kind;
    SnFn fn;          /* FN, OVER */
    SnOp bin;         /* BIN */
    const char *op;   /* as text: "x", "+", "max", "maxover[..]", "move[..]" */
    const char *type; /* q, d: a name for the type */
    uint32_t nkid;
    struct SnTree **kid;
    uint32_t nsat; /* q: saturations, as names */
    const char **sat;
    bool elem; /* per element */
    bool var;  /* a value of the graph */
} SnTree;

/* A bound of covers(..): a saturation's name; of reach(v), v as well. */
typedef struct SnCover {
    const char *name;
    const SnDefVar *reach;
} SnCover;

/* What a type may be: elements as bits, and along an axis. */
typedef struct SnTypeMay {
    uint32_t elems;
    bool axis;
} SnTypeMay;

typedef struct SnTypeNote {
    const char *name;
    SnTypeMay is;
} SnTypeNote;

typedef struct SnCalculus {
    SnProver *pv;
    SnArena *a;
    const SnInstance *pr;
    uint32_t used;
    bool bits;       /* every bit counts: the sign of a zero, too */
    bool ordered;    /* texts keep the order of sums */
    bool wide;       /* L0 was used of codes that may be int32 */
    bool along;      /* of a type that may lie along an axis, more was used than
                        that it equals another one */
    const char *why; /* out of reach */
    uint32_t neq;    /* names that the guard makes equal: a means b */
    const char *eq[16][2];
    uint32_t ncov; /* covers(A, B): A need not be applied to B */
    SnCover cov[16][2];
    uint32_t ninside; /* variables, and the range of their type */
    const char *inside[64][2];
    uint32_t nbound; /* clamps bounds(T, lo, hi) */
    struct {
        const char *name;
        const SnExpr *e;
    } bound[4];
    SnTree *bind[64]; /* variables */
    const char *type[64];
    uint32_t fresh;
    SnTexts names;
    uint32_t nnote; /* by name; several of one are all true */
    SnTypeNote *note;
    const char *f32, *full, *none;
} SnCalculus;

/* One node while its formula is substituted. */
typedef struct SnTreeNode {
    const SnDefNode *n;
    const SnDefSem *sem;
    SnTree **in;      /* by port */
    const char **tin; /* their types */
    const char *tout;
    uint32_t nsat; /* of the clamp */
    const char **sat;
    const char **attr; /* their names, by n->all */
} SnTreeNode;

/* Notes why the calculus can't go on; NULL. */
SnTree *sn_calculus_out(SnCalculus *l, const char *why);
SnTree *sn_calculus_tree(SnCalculus *l, SnTreeKind kind, const char *op,
                         uint32_t n, SnTree *const *kid);
SnTree *sn_calculus_fn(SnCalculus *l, SnFn fn, uint32_t n, SnTree *const *kid);
/* What t does, to other kids. */
SnTree *sn_calculus_like(SnCalculus *l, const SnTree *t, uint32_t n,
                         SnTree *const *kid);
/* The one pointer for the name s. */
const char *sn_calculus_name(SnCalculus *l, const char *s);
/* The name that stands for s and all that equal it. */
const char *sn_calculus_rep(SnCalculus *l, const char *s);
/* The text of a tree, a name: trees are equal when these are. */
const char *sn_calculus_text(SnCalculus *l, const SnTree *t);
bool sn_calculus_is_real(SnCalculus *l, const char *type);
static inline bool
sn_calculus_is_q(const SnTree *t)
{
    return t->kind == SN_TR_FN && t->fn == SN_FN_Q;
}
static inline bool
sn_calculus_is_d(const SnTree *t)
{
    return t->kind == SN_TR_FN && t->fn == SN_FN_D;
}
/* max or min: of two operands, or with over of sets. */
static inline bool
sn_calculus_is_minmax(const SnTree *t, bool over)
{
    return (t->fn == SN_FN_MAX || t->fn == SN_FN_MIN) &&
           (over ? t->kind == SN_TR_OVER : t->kind == SN_TR_FN && t->nkid == 2);
}
void sn_calculus_add_sat(SnCalculus *l, uint32_t *n, const char ***v,
                         const char *s);
/* The two sides.  *type: the type wanted by the reader, then the one given. */
SnTree *sn_calculus_build_pat(SnCalculus *l, const SnPat *p, const char **type);
SnTree *sn_calculus_build_term(SnCalculus *l, const SnTerm *t,
                               const char **type);
/* Takes in what the condition says: early, before the left side is built,
 * equal attributes and missing operands; later, equal types and covers. */
void sn_calculus_assume(SnCalculus *l, const SnExpr *e, bool early);
/* The name of what that attribute of k's is. */
const char *sn_calculus_attr(SnCalculus *l, const SnTreeNode *k,
                             const SnDefAttr *a);

/* ---- rows (prove_row_tree.c) ---- */

/* Does it sum over a set, not counting what it rounds on the way? */
bool sn_calculus_sums(const SnExpr *e);
/* e as k's row of arithmetic computes it, to that type. */
SnTree *sn_calculus_own(SnCalculus *l, SnTreeNode *k, SnTree *e,
                        const char *to);
/* t, k's whole formula, as the row computes it. */
SnTree *sn_calculus_row(SnCalculus *l, SnTreeNode *k, SnTree *t);

/* ---- what types may be (prove_may.c) ---- */

void sn_calculus_note(SnCalculus *l, const char *type, SnTypeMay is);
SnTypeMay sn_calculus_may(SnCalculus *l, const char *type);
void sn_calculus_note_node(SnCalculus *l, const SnDefNode *n, const char **in,
                           const char *out);
void sn_calculus_note_guard(SnCalculus *l, const SnExpr *e);

/* Both sides of a rule; false (l->why) when it is out of reach. */
bool sn_calculus_sides(SnProver *pv, const SnInstance *pr, SnCalculus *l,
                       SnTree **a, SnTree **b);

#endif
