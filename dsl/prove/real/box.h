// SPDX-License-Identifier: Apache-2.0
/* Both sides of a rule with known ranks of all values: one path of a proof
 * takes one rank for each operand, and distinguishes the other open cases
 * (dsl/prove/index/path.h).  Dimensions, attributes and places are polynomials,
 * elements are expressions over the reals (ring.h).
 *
 * If the whole rule is element by element, ranks do not matter: each
 * operand is one atom, read wherever the result is (`point`). */
#ifndef SN_BOX_H
#define SN_BOX_H

#include "dsl/prove/index/path.h"
#include "dsl/prove/prover.h"
#include "dsl/prove/real/ring.h"
#include "map/decl.h"

enum { SN_BOX_RANK = 8, SN_BOX_NBINDER = 32 };

typedef struct SnBoxNode SnBoxNode;

/* A value: an operand of the pattern, or a node's result. */
typedef struct SnBox {
    const char *name; /* unique */
    SnBoxNode *def;   /* NULL: an operand */
    int rank;         /* -1: not determined yet */
    int want;         /* the only rank that its reader takes, or -1 */
    uint32_t elems;   /* bit per element type that it may have */
    bool busy;
    SnPoly dim[SN_BOX_RANK];
} SnBox;

typedef uint8_t SnBoxLens[8];

/* Numbers: one, or a list. */
typedef struct SnNums {
    bool list;
    uint32_t n;
    SnPoly *v;
} SnNums;

typedef struct SnBoxAttr {
    const char *name; /* "o.axes": of the left side, unchanged; or NULL */
    const SnDefAttr *attr;
    const SnExpr *e; /* as given, or NULL */
    bool known;      /* a list: its length is */
    SnNums i;        /* int, bool, enum, lists of int */
    SnRing r;        /* real */
    bool full;       /* a clamp without effect; else */
    bool has[2];
    SnRing side[2]; /* its lower and upper bound, where it has one */
} SnBoxAttr;

struct SnBoxNode {
    const SnDefNode *n;
    const SnDefSem *sem;
    const SnMapDecl *map;
    const char *name;
    bool left;
    SnBox **in; /* by port; NULL: missing; of a list the first */
    uint32_t nlist;
    SnBox **list; /* all operands of the port that takes several, or NULL */
    SnBoxAttr **attr;
    SnBox *out;
    SnNums *slot;   /* by slot of the map; NULL: not determined yet */
    SnBoxLens *len; /* by parameter: how many axes each item takes */
};

/* A place in a box: a value whose dimensions are 1 or those is read there. */
typedef struct SnBoxPlace {
    int rank;
    const SnPoly *at, *dim;
} SnBoxPlace;

/* "[p >= 0]", where that depends on a place in a sum. */
typedef struct SnBoxFlag {
    const char *name;
    SnPoly p;
} SnBoxFlag;

/* A place in a sum, and its bound; an element of integers, and its place. */
typedef struct SnBoxNamed {
    SnPoly p, of;
} SnBoxNamed;

/* The places of a sum, and the bound of each. */
typedef struct SnBoxSum {
    uint32_t n;
    const SnPoly *bound;
} SnBoxSum;

typedef struct SnRealProof {
    SnProver *pv;
    const SnInstance *pr;
    SnArena *a;
    SnPath path;
    SnRings R;
    bool point;
    const SnBoxNode *codes[2]; /* the only sum of products of each side, if its
                                  codes are compared; right, left */
    bool all_real;             /* types */
    bool retypes;              /* a node's result has another type */
    bool computes;             /* more than moves elements */
    bool negates;              /* changes signs */
    bool zeros;                /* meets the number 0, whose sign is not known */
    SnBox **bind;              /* by variable */
    SnBoxNode **bound;         /* by variable */
    uint32_t nnode;
    SnBoxNode **node;
    uint32_t nfact;
    const SnExpr *fact[64]; /* the facts of the condition, on this path */
    uint32_t nbinder;
    SnPoly binder[SN_BOX_NBINDER]; /* at least 0 in the sums that are open */
    uint32_t nplace, nelem;
    SnBoxNamed *place, *elem; /* all of this path, as they come */
    uint32_t nflag;
    SnBoxFlag *flag;
    uint32_t nsum;
    SnBoxSum *sum; /* those of several places, as they come */
    bool building_left;
    bool reading;               /* what makes a node of the left side legal */
    uint32_t ndiv[2], ngrow[2]; /* by side: right, left */
    SnRing *div[2];             /* divisors */
    SnRing *grow[2];            /* the arguments of exp and similar functions */
    uint32_t nordered, ntaken[2];
    SnRing *ordered;  /* numbers whose order the path knows */
    SnRing *taken[2]; /* by side: the operands that max and min chose from */
} SnRealProof;

static inline bool
sn_real_stopped(const SnRealProof *cx)
{
    return sn_path_stopped(&cx->path);
}
void sn_real_out(SnRealProof *cx, const char *why);

/* ---- the two sides (sides.c) ---- */

/* Builds them for this path; *l, *r: their results. */
bool sn_real_sides(SnRealProof *cx, SnBox **l, SnBox **r);
/* Is each node's result made element by element, from operands that are
 * broadcast? */
bool sn_real_is_point(const SnMapDecl *d);
SnBoxAttr *sn_real_attr(const SnBoxNode *n, const SnDefAttr *a);

/* The k-th operand at that port; NULL: there is none. */
static inline SnBox *
sn_real_nth(const SnBoxNode *n, uint32_t port, uint32_t k)
{
    if (n->list && n->n->in[port]->variadic)
        return k < n->nlist ? n->list[k] : NULL;
    return k ? NULL : n->in[port];
}

/* ---- types (types.c) ---- */

/* All are reals; of an exact rule: both results have one type. */
void sn_real_types(SnRealProof *cx, SnBox *l, SnBox *r);
/* Is the whole rule element by element? */
bool sn_real_all_point(const SnDefRule *r);
/* Both results of such a rule have one shape. */
void sn_real_point_shapes(SnRealProof *cx, const SnBox *l, const SnBox *r);

/* ---- expressions of rules and nodes (expr.c) ---- */

/* Does it look at more than attributes? */
bool sn_real_has_call(const SnExpr *e);
/* Numbers; ports and attributes are those of n, or NULL. */
SnNums sn_real_nums(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e);
SnRing sn_real_number(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e);
/* Adds the facts of a condition; parts that are not understood are not used. */
void sn_real_assume(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e);
/* Is it known to hold? */
bool sn_real_holds(SnRealProof *cx, const SnBoxNode *n, const SnExpr *e);
/* Adds what the rule's condition says about attributes, or all of it. */
void sn_real_facts(SnRealProof *cx, bool all);
/* The condition of the rule, split up; before shapes are known. */
void sn_real_split(SnRealProof *cx, const SnExpr *e);
/* Values that an expression shape(a) == shape(b) names, or false. */
bool sn_real_same_shape(SnRealProof *cx, const SnExpr *e, SnBox **a, SnBox **b);

/* ---- shapes (shape.c) ---- */

/* Ranks and dimensions of v; of the right side's nodes, that they are legal. */
void sn_real_shape(SnRealProof *cx, SnBox *v);
void sn_real_fits(SnRealProof *cx, const SnBoxNode *n);
/* The same of one node, and its dimensions and parameters by slot. */
void sn_real_open(SnRealProof *cx, SnBoxNode *n);
/* Are the right side's nodes legal where values have no ranks? */
void sn_real_point_fits(SnRealProof *cx);
/* The map's number expression e, its places where they are in slot[]. */
SnNums sn_real_map(SnRealProof *cx, const SnBoxNode *n, const SnNums *slot,
                   int32_t e);
/* Adds a condition of the left side; false: not completely, it must be
 * decided. */
bool sn_real_claim(SnRealProof *cx, const SnBoxNode *n, int32_t e);
/* The same of a condition: 0 or 1, or open where it depends on a place in a
 * sum. */
SnPoly sn_real_truth(SnRealProof *cx, const SnBoxNode *n, const SnNums *slot,
                     int32_t e);
/* 0 or 1: is p >= 0?  Open conditions on places of sums stay open. */
SnPoly sn_real_is(SnRealProof *cx, SnPoly p);
bool sn_real_knows(SnRealProof *cx, SnPoly p);
bool sn_real_knows_zero(SnRealProof *cx, SnPoly p);
SnPoly sn_real_norm(SnRealProof *cx, SnPoly p);
/* As sn_real_knows; the certificate keeps it. */
bool sn_real_implies(SnRealProof *cx, SnPoly p);
SnNums sn_real_one(SnRealProof *cx, SnPoly p);
SnNums sn_real_list(SnRealProof *cx, uint32_t n);
int sn_real_param_of(const SnBoxNode *n, const SnDefPort *p);
SnBox *sn_real_operand(const SnBoxNode *n, unsigned param);

/* Is x one of v[0..n)? */
bool sn_real_among(const SnRealProof *cx, const SnRing *v, uint32_t n,
                   SnRing x);

/* ---- max and min where every bit counts (orders.c) ---- */

/* One of a and b, by an order that the path decides. */
SnRing sn_real_choice(SnRealProof *cx, bool left, SnFn fn, SnRing a, SnRing b);
/* x >= y (x > y) from here on. */
void sn_real_at_least(SnRealProof *cx, SnRing x, SnRing y, bool strictly);
/* Is NaN in both sides' results, l and r, for the same reasons?  Else the path
 * fails. */
void sn_real_same_choices(SnRealProof *cx, SnRing l, SnRing r);

/* ---- sums (sum.c) ---- */

/* The places that a sum runs over. */
typedef struct SnBoxSet {
    uint32_t n;
    const char *name[16];
    SnPoly bound[16];
    SnRing there; /* 1 where a tap is in the set, else 0 */
} SnBoxSet;

SnRing sn_real_ring(SnRealProof *cx, SnPoly p);
/* Each product of `body` as a separate sum, after the factors without a
 * place. */
SnRing sn_real_sum(SnRealProof *cx, const SnBoxSet *s, SnRing body);

/* ---- expressions in certificates (made.c) ---- */

/* x and y have one normal form: how they are made. */
void sn_real_write(SnRealProof *cx, SnRing x, SnRing y);

/* ---- elements (element.c) ---- */

/* Does every bit count? */
static inline bool
sn_real_exact(const SnRealProof *cx)
{
    return cx->pr->r->claim.kind == SN_CLAIM_EXACT;
}
/* The larger or the smaller of two, on that side. */
SnRing sn_real_extreme(SnRealProof *cx, bool left, SnFn fn, SnRing a, SnRing b);

SnRing sn_real_element(SnRealProof *cx, SnBox *v, SnBoxPlace at);

#endif
