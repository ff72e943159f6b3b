// SPDX-License-Identifier: Apache-2.0
/* Both sides of a rule, as the index calculus sees them, and one path of a
 * proof over them.
 *
 * Ranks are not known: a list along axes is a function of an axis, and
 * evaluated at one.  An axis is the arbitrary one, or one that an attribute
 * names, with permutations applied to it. */
#ifndef SN_SIDE_H
#define SN_SIDE_H

#include "dsl/prove/index/path.h"
#include "dsl/prove/prover.h"
#include "map/facts.h"

enum { SN_AXIS_WORD = 8, SN_INDEX_NGEN = 32 };

/* word[0] (word[1] (.. base)): permutation g > 0 is number g - 1, -g its
 * inverse.  base 0: the arbitrary axis; k: the axis that attribute k - 1
 * names. */
typedef struct SnAxis {
    uint16_t base;
    uint8_t n;
    int8_t word[SN_AXIS_WORD];
} SnAxis;

/* A number, or the number of an axis. */
typedef struct SnIndexNum {
    bool axis, real;
    SnPoly p; /* of reals: an atom for the whole expression */
    SnAxis at;
} SnIndexNum;

typedef struct SnIndexNode SnIndexNode;

/* A value: a leaf of the pattern, or a node's result. */
typedef struct SnIndexValue {
    const char *name; /* unique */
    const char *type;
    SnIndexNode *def; /* NULL: a leaf */
    int rank;         /* its class: equal ones have equal ranks */
    bool each;        /* one for each operand of a list */
} SnIndexValue;

/* The source of an attribute. */
typedef struct SnIndexAttr {
    const char *own;   /* "n.axes": as on the left side; or NULL: */
    const SnExpr *e;   /* an expression of the rule, or of the declaration */
    SnIndexNode *node; /* the node that has it */
    const SnDefAttr *attr;
    SnMapAxisUse use; /* the permutation that it follows: */
    int perm;         /* generator, or 0 */
} SnIndexAttr;

struct SnIndexNode {
    const SnDefNode *n;
    const SnDefSem *sem;
    const SnMapDecl *map;
    const char *name;
    bool left;
    SnIndexValue *out;
    SnIndexValue **in;  /* by port; NULL: missing */
    SnIndexAttr **attr; /* by n->all */
};

/* A place in a value's box, as a function of an axis. */
typedef struct SnIndexPlace {
    const SnIndexNode *node; /* NULL: the considered place in the result; else
                                what this one reads, */
    const SnMapStmt *read;
    const struct SnIndexPlace *at; /* for its own result's place */
    const SnPoly *tap;             /* by bound of `taps` */
    const SnIndexValue *of;
    bool inside; /* known to lie in its box */
} SnIndexPlace;

/* Where an expression of a map is evaluated. */
typedef struct SnIndexEnv {
    const SnIndexNode *node;
    const SnIndexPlace *at; /* NULL: no elements, only shapes */
    const SnPoly *tap;
    const SnPoly *which; /* the considered operand of a list, or NULL */
} SnIndexEnv;

/* A list equation of the guard: a == b along axes. */
typedef struct SnIndexAlike {
    const SnExpr *a, *b;
} SnIndexAlike;

typedef struct SnIndex {
    SnProver *pv;
    const SnInstance *pr;
    SnArena *a;
    SnPath path;
    /* sides */
    SnIndexValue *left, *right;
    SnIndexValue **bind; /* by variable of the rule */
    SnIndexNode **bound; /* nodes, by variable */
    uint32_t nnode, nvalue;
    SnIndexNode **node;
    SnIndexValue **value;
    uint32_t ngen; /* permutations, by the attribute that holds them */
    const char *gen[SN_INDEX_NGEN];
    bool identity[SN_INDEX_NGEN];
    uint8_t same_gen[SN_INDEX_NGEN];
    uint32_t nbase; /* attributes that name axes */
    const char *base[SN_INDEX_NGEN];
    int nrank;
    int same_rank[64];
    uint32_t ntype;
    const char *type[2][64]; /* equal ones */
    uint32_t nalike;
    SnIndexAlike alike[16];
    const SnExpr *guard[32];
    uint32_t nguard;
    uint32_t ntap; /* sets so far */
} SnIndex;

/* ---- the two sides (side.c) ---- */

/* Builds both; false: out of reach, why. */
bool sn_index_sides(SnIndex *cx);
/* The left side is one node, and there is no right one. */
bool sn_index_alone(SnIndex *cx, const SnDefNode *n);
/* The attribute that a rule's expression n.a names, or NULL. */
const SnIndexAttr *sn_index_member(const SnIndex *cx, const SnExpr *e);
const char *sn_index_type_rep(const SnIndex *cx, const char *type);
int sn_index_rank_rep(const SnIndex *cx, int rank);
/* Does the condition say that two texts are equal, that a list is above 0? */
bool sn_index_said_equal(SnIndex *cx, const char *a, const char *b);
bool sn_index_said_positive(SnIndex *cx, const char *a);
/* The rank of v's class. */
SnPoly sn_index_rank(SnIndex *cx, const SnIndexValue *v);
/* The number (> 0) of the permutation in this attribute; 0: too many. */
int sn_index_gen(SnIndex *cx, const char *attr);
uint16_t sn_index_base(SnIndex *cx, const char *attr);

/* ---- axes (axis.c) ---- */

/* Permutation g (< 0: its inverse) of an axis. */
SnAxis sn_axis_apply(SnIndex *cx, SnAxis t, int g);
bool sn_axis_same(SnAxis a, SnAxis b);
const char *sn_axis_text(const SnIndex *cx, SnAxis t);
/* The arbitrary axis. */
static inline SnAxis
sn_axis_any(void)
{
    return (SnAxis){0};
}
/* That of v's class of ranks: of the left side's result it is the one above. */
SnAxis sn_axis_of(SnIndex *cx, const SnIndexValue *v);
/* Are the two one axis?  Decided if it is open. */
bool sn_axis_decide(SnIndex *cx, SnAxis a, SnAxis b);

/* ---- expressions of maps (eval.c) ---- */

/* For a list: its element at axis t. */
SnIndexNum sn_index_eval(SnIndex *cx, const SnIndexEnv *v, int32_t e, SnAxis t);
bool sn_index_truth(SnIndex *cx, const SnIndexEnv *v, int32_t e, SnAxis t);
/* It holds from here on. */
void sn_index_claim(SnIndex *cx, const SnIndexEnv *v, int32_t e, SnAxis t);
bool sn_index_is_list(const SnMapDecl *d, int32_t e);
SnPoly sn_index_poly(SnIndex *cx, const SnIndexEnv *v, int32_t e, SnAxis t);
/* An atom for f of these, for any f. */
SnPoly sn_index_opaque(SnIndex *cx, const char *f, uint32_t n,
                       const SnIndexNum *v);

/* ---- shapes, places and attributes (place.c) ---- */

/* The dimension along axis t; for a list, of the operand `which`, or the
 * dimension that all share (NULL). */
SnPoly sn_index_dim(SnIndex *cx, const SnIndexValue *v, SnAxis t,
                    const SnPoly *which);
/* The index along axis t of the value's box. */
SnPoly sn_index_at(SnIndex *cx, const SnIndexPlace *p, SnAxis t);
SnIndexNum sn_index_slot(SnIndex *cx, const SnIndexEnv *v, int slot, SnAxis t);
SnIndexNum sn_index_param(SnIndex *cx, const SnIndexNode *n, unsigned param,
                          int half, SnAxis t);
/* Operand k of a map's parameter, or NULL. */
const SnIndexValue *sn_index_operand(const SnIndexNode *n, unsigned param,
                                     unsigned k);
/* Is it broadcast? */
bool sn_index_joins(const SnIndexNode *n, unsigned param);
/* Do all values have the same rank? */
bool sn_index_one_class(const SnIndex *cx);
/* How many ports the parameter has: a list takes the following ones. */
unsigned sn_index_noperand(const SnIndexNode *n, unsigned param);
/* The attribute that gives a map's parameter, or NULL: its default. */
const SnIndexAttr *sn_index_arg(const SnIndexNode *n, unsigned param);
/* An element of an integer list of the rule, or a number. */
SnIndexNum sn_index_rule_expr(SnIndex *cx, const SnExpr *e, int half, SnAxis t);
/* The item of the pattern, from `index` on, for axis t: its number. */
int sn_index_item(SnIndex *cx, const SnIndexNode *n, unsigned param, SnAxis t);
/* The k-th pair of dimensions along t that must be equal in n's operands;
 * false: there are no more. */
bool sn_index_fits(SnIndex *cx, const SnIndexNode *n, SnAxis t, uint32_t k,
                   SnPoly *x, SnPoly *y);
/* The left side's conditions on numbers, once; they hold for scalars, too. */
void sn_index_touch_numbers(SnIndex *cx, const SnIndexNode *n);
/* Its conditions on lists, at an axis of n's, once. */
void sn_index_touch(SnIndex *cx, const SnIndexNode *n, SnAxis t);

/* ---- maps that the calculus knows (form.c) ---- */

bool sn_index_in_reach(const SnMapDecl *d);

/* ---- maps that keep a place's number (flat.c) ---- */

bool sn_index_is_flat(const SnMapDecl *d);
/* Is it a node along a named axis below such maps, which go below it, while its
 * axis follows?  What it does to the elements before and after that axis is the
 * same however these are grouped. */
bool sn_index_regroups(const SnInstance *pr);
SnPoly sn_index_flat_dim(SnIndex *cx, const SnIndexNode *n, SnAxis t);
SnPoly sn_index_flat_at(SnIndex *cx, const SnIndexPlace *p, SnAxis t);

/* ---- what must be shown (equal.c) ---- */

/* What n reads of operand k of a parameter, for its result's place. */
SnIndexPlace *sn_index_read(SnIndex *cx, const SnIndexNode *n,
                            const SnMapStmt *read, unsigned k,
                            const SnIndexPlace *at, const SnPoly *tap);
/* Does the place lie in its box, along that axis?  Decided if it is open. */
bool sn_index_inside(SnIndex *cx, const SnIndexPlace *p, SnAxis t);
/* Each stops the path if it does not hold: the right side's node is legal;
 * both sides have one shape and type; the same element at that place. */
void sn_index_legal(SnIndex *cx, const SnIndexNode *n, bool lists);
void sn_index_fit(SnIndex *cx, const SnIndexNode *n);
void sn_index_same_shape(SnIndex *cx);
void sn_index_same(SnIndex *cx, const SnIndexPlace *root);

/* ---- one expression on both sides (congruent.c) ---- */

/* Has e the same value in both? */
bool sn_index_congruent(SnIndex *cx, const SnIndexEnv *a, SnAxis ta,
                        const SnIndexEnv *b, SnAxis tb, int32_t e);
/* Is the index of a along ta that of b along tb? */
bool sn_index_equal_at(SnIndex *cx, const SnIndexPlace *a, SnAxis ta,
                       const SnIndexPlace *b, SnAxis tb);

#endif
