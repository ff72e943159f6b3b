// SPDX-License-Identifier: Apache-2.0
/* The calculus' trees: a side of a rule with each node replaced by its formula,
 * each result by q:T(..), each d(x) by d:T(..).  Types, clamps and attributes
 * are names; a rule's condition makes some of them equal. */
#ifndef SN_PROVE_TREE_H
#define SN_PROVE_TREE_H

#include "dsl/model/texts.h"
#include "dsl/prove/prover.h"

/* A missing operand.  No name of a rule has a blank or a '#'. */
#define SN_CALCULUS_NONE "no operand"

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
    uint32_t nsat; /* q: saturations, as names; the last one first */
    const char **sat;
    bool elem;   /* per element */
    bool own;    /* q: of a node that does not make codes from reals */
    bool var;    /* a value of the graph */
    bool ranked; /* MOVE: permutes as many axes as its list has elements */
    bool placed; /* its operands are read by different parameters of a map, and
                    cannot be exchanged */
} SnTree;

/* A bound of covers(..): a saturation's name; of reach(v), v as well; of
 * bounds(type, lo, hi), these. */
typedef struct SnCover {
    const char *name;
    const SnDefVar *reach;
    const char *type, *side[2]; /* names; NULL: an open side */
} SnCover;

/* Possible values of a type: elements as bits, and along an axis. */
typedef struct SnTypeMay {
    uint32_t elems;
    bool axis;
} SnTypeMay;

typedef struct SnTypeNote {
    const char *name;
    SnTypeMay is;
} SnTypeNote;

typedef struct SnWritten SnWritten;
typedef struct SnNumbers SnNumbers; /* prove_numbers.h */

typedef struct SnCalculus {
    SnProver *pv;
    SnWritten *w;       /* the certificate, or NULL */
    SnNumbers *numbers; /* NULL: the right side is legal without arithmetic */
    SnArena *a;
    const SnInstance *pr;
    uint32_t used;
    bool bits;       /* every bit counts: the sign of a zero, too */
    bool ordered;    /* texts keep the order of sums */
    bool wide;       /* L0 was used for codes that may be int32 */
    bool rough;      /* integers of 32 or 64 bits became binary32 */
    bool right;      /* its side is built */
    bool fills[2];   /* by side: a constant that has its own shape */
    bool several;    /* a node of several operands, which may be broadcast */
    bool along;      /* for a type that may lie along an axis, more was used
                        than its equality with another one */
    bool apart;      /* a clamp that the right side makes from reals may be made
                        of two without a common point, and be -0 where they give
                        0 */
    bool illegal;    /* why: a node of the right side may be so */
    const char *why; /* out of reach */
    uint32_t neq;    /* names that the guard makes equal: a means b */
    const char *eq[64][2];
    uint32_t ncov; /* covers(A, B): A need not be applied to B */
    SnCover cov[16][2];
    uint32_t nleast; /* reals, by name: the first is at least the second */
    const char *least[8][2];
    uint32_t ninside; /* variables, and the range of their type */
    const char *inside[64][2];
    uint32_t nclamp; /* clamps of the left side, and the type of their codes */
    const char *clamp[64][2];
    uint32_t nbound; /* clamps bounds(T, lo, hi) */
    struct {
        const char *name;
        const SnExpr *e;
    } bound[4];
    uint32_t res; /* the compared result, of the node that has it */
    const SnDefNode *later_of;
    const SnDefVar *later_cap;
    const char *later_type;
    SnTree *later[2]; /* right, left */
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
    bool inside;       /* of a function over sets */
} SnTreeNode;

/* Notes why the calculus can't go on; NULL. */
SnTree *sn_calculus_out(SnCalculus *l, const char *why);
SnTree *sn_calculus_tree(SnCalculus *l, SnTreeKind kind, const char *op,
                         uint32_t n, SnTree *const *kid);
SnTree *sn_calculus_fn(SnCalculus *l, SnFn fn, uint32_t n, SnTree *const *kid);
/* The function of t, applied to other kids. */
SnTree *sn_calculus_like(SnCalculus *l, const SnTree *t, uint32_t n,
                         SnTree *const *kid);
/* The one pointer for the name s. */
const char *sn_calculus_name(SnCalculus *l, const char *s);
/* The representative name of s and all names equal to it. */
const char *sn_calculus_rep(SnCalculus *l, const char *s);
/* x and y are one from here on. */
void sn_calculus_equate(SnCalculus *l, const char *x, const char *y);
/* The name of the type that an expression of the rule denotes, or NULL. */
const char *sn_calculus_type_expr(SnCalculus *l, const SnExpr *e);
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
/* max or min: of two operands, or with `over` of sets. */
static inline bool
sn_calculus_is_minmax(const SnTree *t, bool over)
{
    return (t->fn == SN_FN_MAX || t->fn == SN_FN_MIN) &&
           (over ? t->kind == SN_TR_OVER : t->kind == SN_TR_FN && t->nkid == 2);
}
void sn_calculus_add_sat(SnCalculus *l, uint32_t *n, const char ***v,
                         const char *s);
/* The two sides.  *type: the type that the reader requires, then the one
 * given. */
SnTree *sn_calculus_build_pat(SnCalculus *l, const SnPat *p, const char **type);
SnTree *sn_calculus_build_term(SnCalculus *l, const SnTerm *t,
                               const char **type);
/* (prove_guard.c) Adds the facts of the condition: early, before the left side
 * is built, equal attributes and missing operands; later, equal types and
 * covers. */
void sn_calculus_assume(SnCalculus *l, const SnExpr *e, bool early);
/* Then: equal clamps of equal types, as clamps are codes. */
void sn_calculus_assume_clamps(SnCalculus *l, const SnExpr *e);
/* Have clamps a and b of codes of type `to` a common point, where these may be
 * reals? */
bool sn_calculus_meets(SnCalculus *l, const SnExpr *a, const SnExpr *b,
                       const char *to);
/* The name of the value of k's attribute. */
const char *sn_calculus_attr(SnCalculus *l, const SnTreeNode *k,
                             const SnDefAttr *a);

/* (prove_legal.c) Do the left side and the condition say, both sides built,
 * what the right side's nodes need: their invariants, and the constraints of
 * their attributes?  Else l->why. */
bool sn_calculus_legal(SnCalculus *l);

/* The order in which exchangeable operands are written. */
bool sn_calculus_before(const char *a, const char *b);

/* ---- saturations (prove_sat.c) ---- */

/* Adds clamp s of codes of type `of`, used as codes of type `to`. */
void sn_calculus_add_clamp(SnCalculus *l, uint32_t *n, const char ***v,
                           const char *s, const char *of, const char *to);
/* Adds the saturations of a clamp expression, the last one first; it is of
 * codes of type `to`.  False: out of reach. */
bool sn_calculus_clamp(SnCalculus *l, const SnExpr *e, const char *to,
                       uint32_t *n, const char ***v);
/* Those of t as text: equal ones are the same function. */
void sn_calculus_put_sats(SnCalculus *l, SnBuf *b, const SnTree *t);
/* t without the saturations that have no effect. */
SnTree *sn_calculus_drop(SnCalculus *l, SnTree *t);
/* The name of reach(t), for a variable t. */
const char *sn_calculus_reach(SnCalculus *l, const SnTree *t);

/* ---- rows (prove_row_tree.c) ---- */

/* Does it sum over a set, ignoring intermediate roundings? */
bool sn_calculus_sums(const SnExpr *e);
/* e as k's row of arithmetic computes it, to that type. */
SnTree *sn_calculus_own(SnCalculus *l, SnTreeNode *k, SnTree *e,
                        const char *to);
/* t, k's whole formula, as the row computes it. */
SnTree *sn_calculus_row(SnCalculus *l, SnTreeNode *k, SnTree *t);

/* ---- lists of operands, and saved values (prove_list.c) ---- */

/* Can each operand of a list be considered separately: does the right side name
 * the nodes above it only under `each`?  (A condition is tested for each.) */
bool sn_calculus_one_by_one(const SnDefRule *r);
/* Both sides of a rule whose root is a Save: the reals that are written. */
bool sn_calculus_saves(const SnDefRule *r);
bool sn_calculus_saved(SnCalculus *l, SnTree **a, SnTree **b);

/* ---- certificates (prove_write.c) ---- */

typedef struct SnWrittenMark {
    size_t nout;
    uint32_t natom;
} SnWrittenMark;

SnWritten *sn_calculus_written(SnArena *a);
/* NULL: nothing was written. */
const char *sn_calculus_certificate(SnWritten *w);
SnWrittenMark sn_calculus_mark(const SnWritten *w);
/* Removes everything written since then. */
void sn_calculus_unwrite(SnWritten *w, SnWrittenMark m);
/* Before any claim: why the right side is legal, where that takes arithmetic.
 */
void sn_calculus_write_legal(SnCalculus *l);
/* The claim about two terms (check.h), with the facts that were read. */
void sn_calculus_claim(SnCalculus *l, char claim);
/* t = u by that rule. */
void sn_calculus_step(SnCalculus *l, const SnTree *t, const SnTree *u,
                      char rule);
void sn_calculus_shown(SnCalculus *l, const SnTree *a, const SnTree *b);

/* ---- possible types (prove_may.c) ---- */

void sn_calculus_note(SnCalculus *l, const char *type, SnTypeMay is);
SnTypeMay sn_calculus_may(SnCalculus *l, const char *type);
void sn_calculus_note_node(SnCalculus *l, const SnDefNode *n, const char **in,
                           const char *out);
void sn_calculus_note_guard(SnCalculus *l, const SnExpr *e);

/* Both sides of a rule, its result number res; false (l->why) if it is out of
 * reach. */
bool sn_calculus_sides(SnProver *pv, const SnInstance *pr, uint32_t res,
                       SnCalculus *l, SnTree **a, SnTree **b);

#endif
