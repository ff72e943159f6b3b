// SPDX-License-Identifier: Apache-2.0
/* Small concrete graphs for one rule.  A case is the left side of a rule with
 * randomly drawn types, shapes, attributes and values, and the right side built
 * over the same leaves. */
#ifndef SN_CASE_H
#define SN_CASE_H

#include "dsl/prove/prover.h"

enum {
    SN_CASE_RANK = 8,
    SN_CASE_NQ = 8,
    SN_CASE_MAXRES = 3
}; /* SN_MAXRANK dimensions */
/* Elements of a tensor that is run, and taps of all its elements. */
enum { SN_CASE_COUNT = 1 << 18, SN_CASE_TAPS = 1 << 19 };
enum { SN_CASE_NEACH = 2 }; /* operands that `each` expands to */

typedef struct SnCaseType {
    int8_t elem, axis; /* SnElem; -1 */
    uint32_t nq;       /* 0: plain */
    float scale[SN_CASE_NQ];
    int32_t zp[SN_CASE_NQ];
} SnCaseType;

typedef struct SnCaseNode SnCaseNode;

/* One value: a leaf, or a node's result. */
typedef struct SnCaseValue {
    SnCaseType type;
    int rank; /* -1: not yet known */
    int64_t dim[SN_CASE_RANK], n;
    double *v;  /* codes, or values of a plain type */
    int64_t *w; /* of int64, the same; NULL: v has all bits */
    double *id; /* the result over the reals, with every saturation */
    double *er; /* bound of |d(v) - id| from the roundings so far */
    bool done, busy, is_const, leaf;
    bool counted; /* er also has the roundings of binary32 (c->counts) */
    bool index;   /* counts positions along a dimension */
    bool bias;    /* on the grid of an accumulator, which holds more of them */
    SnCaseNode *def;
    unsigned res;
    const char *name;
} SnCaseValue;

/* A value of the expression language. */
/* How far apart, relative to the largest value, two sides may be that are equal
 * over the reals except for their constants, which are floats: a few roundings
 * of 2^-24. */
#define SN_CASE_REAL_EQUAL 0x1p-22

/* Roundings of 2^-24 that a function of reals counts as: those of a whole
 * binary32 function are within 2 units of 2^-23 (src/base/num.h). */
static inline unsigned
sn_case_fn_rounds(SnFn fn)
{
    switch (fn) {
    case SN_FN_SQRT:
        return 1;
    case SN_FN_EXP:
    case SN_FN_LOG:
    case SN_FN_TANH:
    case SN_FN_ERF:
    case SN_FN_POW:
        return 4;
    default:
        return 0;
    }
}

typedef struct SnExprValue {
    SnTy ty;
    double r;             /* numbers, words, bools */
    bool wide;            /* of a rule, a real that its C has as a double */
    SnRange rg;           /* clamps */
    SnCaseType t;         /* types; for clamps the type they are in */
    bool typed;           /* a clamp with a known type */
    bool full;            /* the word `full` */
    bool given;           /* an attribute that the pattern sets */
    const SnDefType *set; /* a type's name: any of its types */
    uint32_t n;
    const double *list;
    double lo, hi; /* reach */
    SnCaseValue *v;
    SnCaseNode *node;
} SnExprValue;

struct SnCaseNode {
    const SnDefNode *n;
    SnExprValue *attr; /* [n->nall] */
    uint32_t nin;
    SnCaseValue **in; /* by slot; NULL: missing */
    uint32_t *port;   /* of each slot */
    SnCaseValue *out[SN_CASE_MAXRES];
    bool calibrated, used[SN_CASE_MAXRES];
    const char *name;
    struct SnCaseTaps *taps;    /* NULL: it has not run yet */
    const struct SnMapArg *arg; /* of its map, when taps are from it */
    SnCaseNode *next;           /* in c->mapped */
};

typedef struct SnCaseBind {
    SnCaseValue *v;
    SnCaseNode *node;
    uint32_t n; /* under each, and lists */
    SnCaseValue **list;
    SnCaseNode **nodes;
} SnCaseBind;

enum { SN_CASE_NEARLY = 16 };
/* What all draws of one trial share. */
typedef struct SnCaseShared {
    /* conjuncts of the condition that are tested before shapes are drawn, and
     * the variables whose types and attributes each reads, by index */
    uint32_t nearly;
    const SnExpr *early[SN_CASE_NEARLY];
    uint64_t types[SN_CASE_NEARLY], attrs[SN_CASE_NEARLY];
    /* a case before anything is drawn, once there is one */
    bool seeded;
    struct SnProofCase *seed;
} SnCaseShared;

typedef struct SnProofCase {
    SnArena *a;
    SnProver *pv;
    const SnInstance *pr;
    const SnDefRule *r;
    uint64_t rng;
    SnCaseBind *bind;
    SnCaseNode *root;
    SnCaseValue *lhs[SN_CASE_MAXRES], *rhs[SN_CASE_MAXRES];
    uint32_t nrhs;
    SnCaseNode *made;   /* the right side's node of the root's kind, or NULL */
    SnCaseNode *mapped; /* nodes whose taps are from their maps, a list */
    SnCaseType pool[12];
    SnCaseType odd[6]; /* of 32 bits or along an axis, and then not yet cut to
                          it */
    uint32_t npool, nodd, nleaf, each;
    bool vector; /* every map is element by element: 256 codes, mostly (flat) */
    bool rounds; /* a node of the left side may round before its zero point */
    bool small;  /* codes near the zero point, so that sums do not saturate */
    bool in_each, flat, corner, positive, ideal;
    bool zeros; /* reals are zeros of either sign, mostly */
    bool ties;  /* of nodes with `round`: `after`, and sums that tie */
    uint32_t half, nhalf; /* operands on halves of a step */
    bool waive;           /* ideal: without the saturations that flags waive */
    bool counts;          /* ideal: each operation rounds to binary32 */
    uint32_t wide; /* the range of sizes and attributes: 0 ordinary cases, 1
                      some of a proof's, 2 those that judge mutants */
    bool unreal;   /* infinities and NaN among the reals */
    bool shaped;   /* the condition is about dimensions or ranks */
    SnMapWord map; /* the first map of the left side that needs a rank */
    const SnCaseValue *twin; /* the last operand drawn for a permutation */
    const double *perm;
    const SnCaseValue *regrouped; /* the last leaf drawn for a Reshape */
    const SnExprValue *dims;
    const SnCaseValue *first; /* the first leaf shaped under `each` */
    const SnDefTuple *tuple;  /* of the first node under `each` */
    SnCaseValue *leaf[16];
    const SnExpr *when;     /* the guard under trial; NULL: none */
    SnCaseShared *shared;   /* NULL: nothing is */
    uint64_t typed, set;    /* variables whose type, attributes are drawn */
    uint32_t tested;        /* conjuncts of shared->early */
    const SnCaseNode *self; /* whose constraints are evaluated */
    SnCaseType each_type;   /* what operand 0 of a list drew, for `alike` */
    SnRange each_clamp;
    struct {
        const SnCaseNode *n; /* NULL: none */
        const SnCaseValue *x;
        int param;
    } outside;        /* a read outside its operand, without `else` */
    const char *fail; /* why the draw is not a case; in full only if */
    bool asked;       /* requested, or for the right side: */
    bool right;       /* which is being built, or both sides run */
    bool wrong;       /* ... because the right side is not a graph */
    bool large;       /* ... because it is too large to run */
    bool stops;       /* ... because a node fails when it is run */
    bool unmet;       /* ... because the guard, tested early, does not hold */
    bool ratio;       /* some row depends on the rounding */
    const struct SnDefRow *row; /* the row that float declares, and that was
                                   run */
    double number[12];          /* types and numbers that the rule itself
                                   names */
    uint32_t nnumber;
    double mag; /* scale of reals without a type; 0: not chosen yet */
} SnProofCase;

/* ---- random numbers ---- */

static inline uint64_t
sn_case_next(SnProofCase *c)
{
    c->rng ^= c->rng << 13;
    c->rng ^= c->rng >> 7;
    c->rng ^= c->rng << 17;
    return c->rng;
}
static inline uint32_t
sn_case_below(SnProofCase *c, uint32_t n)
{
    return n ? (uint32_t)((sn_case_next(c) >> 33) % n) : 0; /* no axis: 0 */
}
static inline bool
sn_case_chance(SnProofCase *c, uint32_t percent)
{
    return sn_case_below(c, 100) < percent;
}
/* A number below n; in a wide case also slightly above. */
static inline uint32_t
sn_case_about(SnProofCase *c, uint32_t n)
{
    return sn_case_below(c, n + 2 * c->wide);
}
static inline double
sn_case_unit(SnProofCase *c)
{
    return (double)(sn_case_next(c) >> 11) * 0x1p-53;
}

/* ---- types (prove_case.c) ---- */

bool sn_case_quant(const SnCaseType *t);
bool sn_case_same_type(const SnCaseType *a, const SnCaseType *b);
double sn_case_code_lo(int8_t elem);
double sn_case_code_hi(int8_t elem);
double sn_case_real(const SnCaseType *t, double code, uint32_t slice);
/* The slice of its type that element i of t lies in; 0 without an axis. */
uint32_t sn_case_slice(const SnCaseValue *t, int64_t i);
/* The type of t in one slice: a type with one scale. */
SnCaseType sn_case_slice_type(const SnCaseType *t, uint32_t slice);
const char *sn_case_type_str(SnArena *a, const SnCaseType *t);
/* t in the form of base/saturate.h; lives as long as *t. */
SnGrid sn_case_grid(const SnCaseType *t);
/* The reals that a clamp in type t passes. */
SnReach sn_case_reach(const SnCaseType *t, SnRange r);
/* Storage range of a quantized type met with r, as codes. */
void sn_case_limits(const SnCaseType *t, SnRange r, int32_t *lo, int32_t *hi);
SnExprValue *sn_case_attr(const SnCaseNode *n, const char *name);
/* The same for an attribute of n's declaration, or of its base's. */
SnExprValue *sn_case_its(const SnCaseNode *n, const SnDefAttr *a);
/* May attribute a hold v: integers, as many as it requires, a word that it has,
 * a clamp with numbers as bounds? */
bool sn_case_attr_ok(const SnDefAttr *a, const SnExprValue *v);
SnRange sn_case_clamp_of(const SnCaseNode *n);
SnCaseValue *sn_case_value(SnProofCase *c, const SnCaseType *t);
const SnDefTuple *sn_case_fit(const SnCaseNode *n);
bool sn_case_no(SnProofCase *c, const char *why);

/* Draws the left side; false (c->fail) if the draw failed. */
bool sn_case_draw(SnProofCase *c);
/* Draws the attributes and shapes of leaves that the map of a left node
 * needs. */
bool sn_case_draw_map(SnProofCase *c, SnCaseNode *n);
void sn_case_leaf_data(SnProofCase *c, SnCaseValue *t);
/* Types along an axis among n's and the nodes' above it get as many scales as
 * the axis is long; false when one cannot. */
bool sn_case_cut(SnProofCase *c, const SnCaseNode *n);
/* A type of that kind: corners, types drawn before, scales that tie. */
SnCaseType sn_case_draw_type(SnProofCase *c, SnDefConc k);
/* A real near the codes of the types drawn so far. */
double sn_case_draw_real(SnProofCase *c);
/* Draws values of leaves without one, after the guard was satisfied. */
void sn_case_fill(SnProofCase *c);
/* Shapes of n's operands that have none; n multiplies matrices. */
void sn_case_draw_matmul(SnProofCase *c, SnCaseNode *n);

/* ---- maps (prove_map.c, prove_draw.c, prove_mapping.c) ---- */

/* For each result element o and tap k, the operand element ix[slot][o * nk +
 * k], or -1 for padding; NULL for operands that the map doesn't index. */
typedef struct SnCaseTaps {
    int64_t no, nk;
    int32_t **ix;
    int32_t *slot;      /* concat: which operand */
    int64_t ncol;       /* parts that a mean adds up first; 0: none */
    int64_t parts;      /* the same, if the node adds them up first */
    bool whole;         /* each set is the whole image (SN_MS_WHOLE) */
    const bool *hole;   /* taps without an element, or NULL: none is */
    const int32_t *div; /* elements a mean divides by, or NULL: valid taps */
} SnCaseTaps;
/* Result 0's (and all results') shape from operands and attributes. */
bool sn_case_shape(SnProofCase *c, SnCaseNode *n);
bool sn_case_taps(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t);
const SnDefSem *sn_case_sem(const SnCaseNode *n);
void sn_case_put_dims(SnBuf *b, const SnCaseValue *v);
/* " {a = 1, b = [2,3]}": attributes, without types and clamps, that differ from
 * their defaults. */
void sn_case_put_attrs(SnBuf *b, SnProofCase *c, const SnCaseNode *n);
/* SN186, once for a map whatever the rule of c, if c->outside is set. */
void sn_case_say_outside(SnProofCase *c);
bool sn_case_map_is(const SnCaseNode *n, SnMapWord map);
int sn_case_map_slot(const SnCaseNode *n, const SnExpr *port); /* or -1 */
static inline int64_t
sn_case_at(const SnExprValue *v, uint32_t i)
{
    return i < v->n ? (int64_t)v->list[i] : 0;
}
/* Argument arg of the node's map: a port's slot, a number, a list. */
SnCaseValue *sn_case_map_port(const SnCaseNode *n, unsigned arg);
double sn_case_map_num(const SnCaseNode *n, unsigned arg, double els);
const SnExprValue *sn_case_map_list(const SnCaseNode *n, unsigned arg);
const char *sn_case_map_word(const SnCaseNode *n, unsigned arg);
SnExprValue *sn_case_map_attr(const SnCaseNode *n, unsigned arg);
int sn_case_axis(const SnCaseValue *x, double axis);
void sn_case_set_shape(SnCaseValue *t, int rank, const int64_t *dim);

/* ---- evaluation (prove_eval.c) ---- */

bool sn_case_eval(SnProofCase *c, SnCaseValue *t);
/* Runs a constant subexpression of a formula as a code of type t. */
bool sn_case_const_code(SnProofCase *c, const SnCaseNode *n, const SnExpr *e,
                        const SnCaseType *t, double *code);

/* ---- expressions (prove_expr.c) ---- */

SnExprValue sn_case_expr(SnProofCase *c, const SnExpr *e);
bool sn_case_cond(SnProofCase *c, const SnExpr *e);
/* Do n's attributes meet their constraints, its types its facts, and n its
 * invariants? */
bool sn_case_holds(SnProofCase *c, const SnCaseNode *n);
/* Which of them does not hold; asked only where one does not. */
const char *sn_case_broken(SnProofCase *c, const SnCaseNode *n);
/* The type that port p of n pins its operand b to; b's type if nothing does. */
SnCaseType sn_case_pinned(const SnCaseNode *n, const SnDefPort *p,
                          const SnCaseValue *b);
bool sn_case_guard(SnProofCase *c); /* all conditions of the rule */

/* ---- conditions on types (prove_early.c) ---- */

/* Finds what a case has before anything is drawn; the same, from a case that
 * has it. */
void sn_case_seed(SnProofCase *c);
void sn_case_seed_from(SnProofCase *c, const SnProofCase *x);
/* Adds the conjuncts of `when` that may be tested early. */
void sn_case_early_find(SnCaseShared *y, const SnExpr *when);
/* v has its type t, its attributes: tests what can be tested now. */
bool sn_case_early_type(SnProofCase *c, const SnDefVar *v, const SnCaseType *t);
bool sn_case_early_attrs(SnProofCase *c, const SnDefVar *v);

/* ---- the right side (prove_term.c) ---- */

bool sn_case_right(SnProofCase *c);

/* An empty case, which lives in a, with the next random numbers. */
void sn_case_start(SnProofCase *c, SnProver *pv, const SnInstance *pr,
                   uint64_t *rng, SnArena *a);

/* ---- trials (prove_trial.c) ---- */

typedef struct SnTrial {
    uint32_t ndraw, nquant; /* cases that met the guard; quantized ones */
    uint32_t ntry;          /* cases drawn */
    uint64_t nvalue;
    double diff;     /* largest difference in codes */
    double rel;      /* largest relative difference, f32 results */
    double real;     /* the same in double: over the reals */
    double used;     /* the largest difference of results over the bound from
                        the roundings of both sides */
    bool over;       /* the bound of a bounded instance broke */
    bool worse;      /* some case's worst error grew */
    double worse_by; /* in steps of the result */
    bool f32_differ;
    bool zero;                /* zeros of another sign */
    int bad_res;              /* a later result (argmax) that changed, or 0 */
    bool no_res;              /* ... that the right side doesn't give */
    bool ratio;               /* the rounding mattered in some case */
    bool axis;                /* some case rounds to a type along an axis */
    bool later;               /* later results that round were compared */
    const SnCounter *counter; /* the worst */
    double score;
    const char *fail;  /* why the last draw failed, if all did; or NULL */
    const char *wrong; /* the guard held and the right side was not a graph, or
                          had another shape or type */
    const char *wrong_with;
    uint32_t wrong_size;
} SnTrial;
/* Runs up to ndraw cases; with stop, ends at the first that breaks k. */
SnTrial sn_case_try(SnProver *pv, const SnInstance *pr, const SnExpr *when,
                    uint32_t ndraw, uint64_t seed, bool counter);
/* Moves the bias of a float node to the grid that its neighbours pin. */
void sn_case_bias_on_grid(SnProofCase *c);
bool sn_case_claim_ok(const SnInstance *pr, const SnTrial *t);
const char *sn_case_claim_str(SnArena *a, const SnDefClaim *k);
const char *sn_case_best(SnArena *a, const SnTrial *t);
const char *sn_case_side_str(SnArena *a, SnCaseValue *v);
/* A clamp's bound: all digits of a code. */
void sn_case_put_bound(SnBuf *b, double v);

/* ---- cases as text (prove_graph.c) ---- */

/* Constants, and both sides saved as "left" and "right". */
const char *sn_case_graph_text(SnProofCase *c, SnCaseValue *l, SnCaseValue *r);
/* Only the left side, its result saved as "out"; leaves that are not constant
 * are Placeholders.  *once gets the names of the values that the pattern marks
 * ":1", with blanks between. */
const char *sn_case_left_text(SnProofCase *c, const char **once);

/* ---- guards (prove_guard_help.c) ---- */

void sn_prove_help(SnProver *pv, const SnInstance *pr, const SnTrial *t);
/* The same if no drawn case refutes the rule; false: none is found. */
bool sn_prove_help_open(SnProver *pv, const SnInstance *pr);

/* ---- rules without a claim (prove_bind.c) ---- */

/* The reals that x represents. */
SnCaseValue *sn_prove_as_real(SnProofCase *c, SnCaseValue *x);

#endif
