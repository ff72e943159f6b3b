// SPDX-License-Identifier: Apache-2.0
/* Shared by the files of the order checks.  Nothing outside dsl/ includes
 * this.
 *
 * A rule is taken as a rewrite of terms.  A term represents one value: a
 * variable, or a node over its operands.  A right side points into its left
 * side where it uses an old value, and has `fresh` nodes where it makes one;
 * terms shared by pointer are one node.  A variadic port has one operand that
 * represents all of them. */
#ifndef SN_ORDER_TERM_H
#define SN_ORDER_TERM_H

#include "dsl/model/model.h"
#include "dsl/resolve/resolver.h"

/* The type of a value as an unknown: two types are the same if their chains of
 * `same` have the same end. */
typedef struct SnOrderType {
    struct SnOrderType *same;
    uint64_t hash; /* of a type that was written out; else 0 */
} SnOrderType;

typedef struct SnOrderTerm {
    bool var;              /* any value */
    bool fresh;            /* made by a right side */
    bool open;             /* a class: operands unread */
    bool once;             /* :1 */
    bool copy;             /* fresh: `copy like` */
    bool is_const;         /* the condition says const(..); fresh: has only such
                              operands and is folded to data */
    const SnDefNode *node; /* the only kind, or NULL */
    const uint64_t *kinds; /* of a node */
    uint32_t narg;
    struct SnOrderTerm **arg;
    uint32_t elems; /* possible types, sn_order_term_bit */
    SnOrderType *type;
    uint64_t attr;                     /* hash of the attributes */
    const char *name;                  /* of the variable or capture */
    const struct SnOrderTerm *like;    /* fresh: attributes come from here */
    const struct SnOrderTerm *type_of; /* fresh: the type is this one's */
    const SnExpr *type_expr;           /* fresh: or this */
    uint32_t nasg;
    const SnAsg *asg;          /* fresh: given attributes; left: required
                                  ones */
    struct SnOrderTerm *bind;  /* unified with */
    struct SnOrderTerm *match; /* matched by */
} SnOrderTerm;

/* One rule: written (in one order of commuting operands), or one instance of
 * a derived family. */
typedef struct SnOrderRule {
    const SnDefPass *pass;
    const SnDefRule *rule; /* or */
    const SnDefDerive *derive;
    const SnDefNode *node; /* derived: at this kind */
    uint32_t port;         /* derived: at this operand */
    uint32_t step;         /* in pass->step */
    bool first;            /* of the variants of a written rule */
    const char *name;      /* "fuse", "sink" */
    const char *label;     /* "fuse", "sink MaxPool.x" */
    SnPos pos;
    SnOrderTerm *lhs;
    uint32_t nrhs; /* 0: a builder */
    SnOrderTerm **rhs;
    SnOrderTerm **var; /* [rule->nvar]; lets NULL */
    uint32_t nguard;
    const SnExpr **guard; /* conjuncts of the condition */
    bool floats;          /* integerize: consumes a float node */
} SnOrderRule;

typedef struct SnOrder {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    uint32_t nword; /* of a set of kinds */
    const SnDefNode *constant, *rescale;
    bool lenient; /* matching: possible types count as fitting */
} SnOrder;

enum {
    SN_ORDER_TERM_ABSENT = 1 << 30,
    SN_ORDER_TERM_ALL = (1 << 30) | ((1 << 20) - 1)
};

/* ---- terms (order_term.c) ---- */

uint32_t sn_order_term_bit(SnDefConc c);
static inline bool
sn_order_term_has(const SnOrderTerm *t, const SnDefNode *n)
{
    return !t->var && (t->kinds[n->kind / 64] >> n->kind % 64 & 1);
}
/* Do all possible kinds of t satisfy f? */
bool sn_order_term_every(const SnOrder *c, const SnOrderTerm *t,
                         bool (*f)(const SnDefNode *));
bool
sn_order_term_convert(const SnDefNode *n); /* Quantize, Dequantize, Rescale */
/* The rules of a pass, in the order they are tried. */
uint32_t sn_order_rule_all(SnOrder *c, const SnDefPass *p, SnOrderRule ***v);
/* "Rescale(MaxPool(x))", variables by name. */
void sn_order_term_put(const SnOrder *c, SnBuf *b, const SnOrderTerm *t);
const char *sn_order_term_str(const SnOrder *c, const SnOrderTerm *t);
static inline SnOrderTerm *
sn_order_term_get(SnOrderTerm *t)
{
    while (t->bind || t->match)
        t = t->bind ? t->bind : t->match;
    return t;
}

/* ---- unification and rewriting (order_unify.c) ---- */

/* A copy of r whose terms may be bound. */
SnOrderRule *sn_order_rule_copy(SnOrder *c, const SnOrderRule *r);
/* Makes a and b one term; false leaves them in an unusable state. */
bool sn_order_term_unify(SnOrder *c, SnOrderTerm *a, SnOrderTerm *b);
/* Could a and b be one term?  Looks at kinds and types only. */
bool sn_order_term_may(const SnOrder *c, const SnOrderTerm *a,
                       const SnOrderTerm *b);
/* pattern p matches t; sets match fields of p. */
bool sn_order_term_match(const SnOrder *c, SnOrderTerm *p, SnOrderTerm *t);
void sn_order_term_unmatch(SnOrderTerm *p);
bool sn_order_term_equal(SnOrderTerm *a, SnOrderTerm *b, bool attrs);
/* The term of e, a variable of r, or NULL. */
SnOrderTerm *sn_order_rule_var_term(const SnOrderRule *r, const SnExpr *e);
/* Equal hashes are the same expression. */
uint64_t sn_order_rule_hash(const SnOrderRule *r, const SnExpr *e);
uint64_t sn_order_rule_mix(uint64_t h, uint64_t v);
uint64_t sn_order_rule_hash_str(const char *s);
/* A condition as a literal: equal hashes are the same statement. */
typedef struct SnLit {
    uint64_t hash;
    bool neg;
    uint64_t value;        /* of `e == constant`: hash is e's; else 0 */
    uint64_t of;           /* of a term compared with a number: the term ... */
    double lo, hi;         /* ... lies in [lo, hi], its ends in it ... */
    bool lo_open, hi_open; /* ... or not; of: 0 for no such literal */
    const SnExpr *e;       /* NULL: an attribute required by a pattern */
} SnLit;
uint32_t sn_order_rule_lits(SnOrder *c, const SnOrderRule *r, SnLit **v);
SnLit sn_order_rule_lit(const SnOrderRule *r, const SnExpr *e);
bool sn_lits_disjoint(const SnLit *a, uint32_t na, const SnLit *b, uint32_t nb);
bool sn_lits_imply(const SnLit *a, uint32_t na, SnLit b);
/* Conditions that two types are equal: joins them; false if that is
 * impossible. */
bool sn_order_rule_assume(SnOrder *c, const SnOrderRule *r);
/* The value by which r replaces t; NULL if r does not apply.  Conditions on
 * types are tested, known[] and covers() are taken as true, anything else as
 * false, or as true if known is NULL. */
SnOrderTerm *sn_order_rule_apply(SnOrder *c, SnOrderRule *r, SnOrderTerm *t,
                                 const SnLit *known, uint32_t nknown);
/* r's right side for the terms its left side is now bound to. */
SnOrderTerm *sn_order_rule_build(SnOrder *c, const SnOrderRule *r);

/* ---- preferences (order_overlap.c) ---- */

/* What decides between two steps of a pass: the preference, an `order`, or
 * NULL.  *who is true when a comes first. */
typedef enum SnDecided { SN_UNDECIDED, SN_BY_PREFER, SN_BY_ORDER } SnDecided;
SnDecided sn_order_rule_decided(SnArena *a, const SnDefPass *p, const char *x,
                                const char *y, const SnDefPrefer **by,
                                bool *xfirst);

/* ---- the checks ---- */

typedef struct SnMeasures { /* why each rule terminates */
    const char **by;        /* [n] */
} SnMeasures;
/* order_end.c: SN401, SN402, SN403 */
void sn_order_end(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n,
                  SnMeasures *m);
void sn_order_copies(SnOrder *c, SnOrderRule *const *v, uint32_t n);
void sn_order_overlap(SnOrder *c, const SnDefPass *p, SnOrderRule **v,
                      uint32_t n);
/* order_pairs.c: critical pairs; b may be NULL */
void sn_order_pairs(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n,
                    SnBuf *b);
/* order_sweep.c: true when one sweep is enough */
bool sn_order_sweep(SnOrder *c, const SnDefPass *p, SnOrderRule **v,
                    uint32_t n);

/* order_measure.c: how r changes one number that is counted. */
typedef enum SnFall { SN_RISES, SN_LEVEL, SN_FALLS } SnFall;
typedef enum SnMeasureKind {
    SN_M_COUNT,  /* nodes of the kinds in the set, each once */
    SN_M_PATHS,  /* the same, once for each path to an output */
    SN_M_HEIGHT, /* the multiset of heights of these conversions */
    SN_M_FLOATS  /* float nodes that are not conversions */
} SnMeasureKind;
typedef struct SnMeasure {
    SnMeasureKind mk;
    const uint64_t *kinds;
    const char *what; /* "Max", "conversions" */
} SnMeasure;
SnFall sn_order_fall(SnOrder *c, const SnMeasure *m, const SnOrderRule *r);
/* Nodes of the set in a term, each once. */
uint32_t sn_order_count(const SnOrder *c, const uint64_t *kinds,
                        const SnOrderTerm *t);
/* Nodes that a fire certainly removes, and nodes that it makes. */
typedef struct SnOrderTake {
    uint32_t removed, kept, made;
} SnOrderTake;
SnOrderTake sn_order_take(SnOrder *c, const uint64_t *kinds,
                          const SnOrderRule *r);
uint64_t *sn_order_set(SnOrder *c, const SnDefNode *n); /* {n}, or empty */
bool sn_order_subset(const SnOrder *c, const uint64_t *a, const uint64_t *b);
bool sn_order_meets(const SnOrder *c, const uint64_t *a, const uint64_t *b);

#endif
