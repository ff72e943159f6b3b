// SPDX-License-Identifier: Apache-2.0
/* Small concrete graphs of one rule.  A case is the left side of a rule with
 * types, shapes, attributes and values drawn at random, and the right side
 * built over the same leaves. */
#ifndef SN_CASE_H
#define SN_CASE_H

#include "dsl/prove/prover.h"

enum { PV_RANK = 8, PV_NQ = 8, PV_MAXRES = 3 }; /* SN_MAXRANK dimensions */
/* Elements of a tensor that is run, and taps of all its elements. */
enum { PV_COUNT = 1 << 18, PV_TAPS = 1 << 22 };
enum { PV_NEACH = 2 }; /* operands that `each` stands for */

typedef struct PvType {
    int8_t elem, axis; /* SnDefElem; -1 */
    uint32_t nq;       /* 0: plain */
    float scale[PV_NQ];
    int32_t zp[PV_NQ];
} PvType;

typedef struct PvNode PvNode;

/* One value: a leaf, or a node's result. */
typedef struct PvT {
    PvType type;
    int rank; /* -1: not yet known */
    int64_t dim[PV_RANK], n;
    double *v;  /* codes, or values of a plain type */
    double *id; /* what the reals would give, with every saturation */
    double *er; /* bound of |d(v) - id| from the roundings so far */
    bool done, busy, konst, leaf;
    bool index; /* counts positions along a dimension */
    bool bias;  /* on the grid of an accumulator, which holds more of them */
    PvNode *def;
    unsigned res;
    const char *name;
} PvT;

/* A value of the expression language. */
/* How far apart, relative to the largest value, two sides may be that are
 * equal over the reals but for their constants, which are floats: a few
 * roundings of 2^-24. */
#define PV_REAL_EQUAL 0x1p-22

typedef struct PvVal {
    SnTy ty;
    double r;             /* numbers, words, bools */
    SnRange rg;           /* clamps */
    PvType t;             /* types; of clamps the type they are in */
    bool typed;           /* a clamp with a known type */
    bool full;            /* the word `full` */
    bool given;           /* an attribute that the pattern sets */
    const SnDefType *set; /* a type's name: any of its types */
    uint32_t n;
    const double *list;
    double lo, hi; /* reach */
    PvT *v;
    PvNode *node;
} PvVal;

struct PvNode {
    const SnDefNode *n;
    PvVal *attr; /* [n->nall] */
    uint32_t nin;
    PvT **in;       /* by slot; NULL: missing */
    uint32_t *port; /* of each slot */
    PvT *out[PV_MAXRES];
    bool calibrated, used[PV_MAXRES];
    const char *name;
};

typedef struct PvBind {
    PvT *v;
    PvNode *node;
    uint32_t n; /* under each, and lists */
    PvT **list;
    PvNode **nodes;
} PvBind;

typedef struct PvCase {
    SnArena *a;
    Pv *pv;
    const PvRule *pr;
    const SnDefRule *r;
    uint64_t rng;
    PvBind *bind;
    PvNode *root;
    PvT *lhs[PV_MAXRES], *rhs[PV_MAXRES];
    uint32_t nrhs;
    PvNode *made; /* the right side's node of the root's kind, or NULL */
    PvType pool[12];
    PvType odd[6]; /* of 32 bits or along an axis, and then not yet cut */
    uint32_t npool, nodd, nleaf, each;
    bool vector; /* every map is element by element: 256 codes, mostly (flat) */
    bool small;  /* codes near the zero point, so that sums do not saturate */
    bool in_each, flat, corner, positive, ideal;
    bool zeros; /* reals are zeros of either sign, mostly */
    bool ties;  /* of nodes with `round`: `after`, and sums that tie */
    uint32_t half, nhalf; /* which operands are on halves of a step */
    bool waive;           /* ideal: without the saturations that flags waive */
    uint32_t wide; /* how far sizes and attributes go: 0 ordinary cases, 1 some
                      of a proof's, 2 those that judge mutants */
    bool unreal;   /* infinities and NaN among the reals */
    bool shaped;   /* the condition is about dimensions or ranks */
    const char *map; /* the first map of the left side that needs a rank */
    const PvT *twin; /* the last operand drawn for a permutation */
    const double *perm;
    PvT *leaf[16];
    const SnExpr *when; /* the guard under trial; NULL: none */
    const PvNode *self; /* whose constraints are evaluated */
    PvType each_type;   /* what operand 0 of a list drew, for `alike` */
    SnRange each_clamp;
    const char *fail;  /* why the draw is no case */
    bool wrong;        /* ... because the right side is no graph */
    bool large;        /* ... because there is too much to run */
    bool stops;        /* ... because a node stops when it is run */
    bool ratio;        /* some row depends on the rounding */
    double number[12]; /* what the rule itself names */
    uint32_t nnumber;
    double mag; /* of reals where no type says; 0: not chosen yet */
} PvCase;

/* ---- random numbers ---- */

static inline uint64_t
sn_pv_next(PvCase *c)
{
    c->rng ^= c->rng << 13;
    c->rng ^= c->rng >> 7;
    c->rng ^= c->rng << 17;
    return c->rng;
}
static inline uint32_t
sn_pv_below(PvCase *c, uint32_t n)
{
    return n ? (uint32_t)((sn_pv_next(c) >> 33) % n) : 0; /* no axis: 0 */
}
static inline bool
sn_pv_chance(PvCase *c, uint32_t percent)
{
    return sn_pv_below(c, 100) < percent;
}
/* A number below n, in a wide case also a little above. */
static inline uint32_t
sn_pv_about(PvCase *c, uint32_t n)
{
    return sn_pv_below(c, n + 2 * c->wide);
}
static inline double
sn_pv_unit(PvCase *c)
{
    return (double)(sn_pv_next(c) >> 11) * 0x1p-53;
}

/* ---- types (prove_case.c) ---- */

bool sn_pv_quant(const PvType *t);
bool sn_pv_same_type(const PvType *a, const PvType *b);
double sn_pv_code_lo(int8_t elem);
double sn_pv_code_hi(int8_t elem);
double sn_pv_real(const PvType *t, double code, uint32_t slice);
/* The slice of its type that element i of t lies in; 0 without an axis. */
uint32_t sn_pv_slice(const PvT *t, int64_t i);
/* What t is in one slice: a type of one scale. */
PvType sn_pv_slice_type(const PvType *t, uint32_t slice);
const char *sn_pv_type_str(SnArena *a, const PvType *t);
/* t as base/saturate.h has it; lives as long as *t. */
SnGrid sn_pv_grid(const PvType *t);
/* The reals that a clamp in type t lets through. */
SnReach sn_pv_reach(const PvType *t, SnRange r);
/* Storage range of a quantized type met with r, as codes. */
void sn_pv_limits(const PvType *t, SnRange r, int32_t *lo, int32_t *hi);
PvVal *sn_pv_attr(const PvNode *n, const char *name);
/* May attribute a hold v: whole numbers, as many as it asks for, a word that it
 * has, a clamp with numbers for bounds? */
bool sn_pv_attr_ok(const SnDefAttr *a, const PvVal *v);
SnRange sn_pv_clamp_of(const PvNode *n);
PvT *sn_pv_value(PvCase *c, const PvType *t);
const SnDefTuple *sn_pv_fit(const PvNode *n);
bool sn_pv_no(PvCase *c, const char *why);

/* Draws the left side; false (c->fail) when the draw came to nothing. */
bool sn_pv_draw(PvCase *c);
/* Draws what the map of a left node needs: attributes, shapes of leaves. */
bool sn_pv_draw_map(PvCase *c, PvNode *n);
void sn_pv_leaf_data(PvCase *c, PvT *t);
/* Types along an axis among n's and the nodes' above it get as many scales as
 * the axis is long; false when one cannot. */
bool sn_pv_cut(PvCase *c, const PvNode *n);
/* A type of that kind: corners, types drawn before, scales that tie. */
PvType sn_pv_draw_type(PvCase *c, SnDefConc k);
/* A real near the codes of the types drawn so far. */
double sn_pv_draw_real(PvCase *c);
/* Draws the leaves' values, where they have none: once the guard has held. */
void sn_pv_fill(PvCase *c);

/* ---- maps (prove_map.c, prove_draw.c, prove_taps.c) ---- */

/* For each result element o and tap k, the operand element ix[slot][o * nk +
 * k], or -1 for padding; NULL for operands that the map doesn't index. */
typedef struct PvTaps {
    int64_t no, nk;
    int32_t **ix;
    int32_t *slot;      /* concat: which operand */
    int64_t ncol;       /* columns that a mean adds up first; 0: none */
    const bool *hole;   /* taps without an element, or NULL: none is */
    const int32_t *div; /* elements a mean divides by, or NULL: valid taps */
} PvTaps;
/* Result 0's (and all results') shape from operands and attributes. */
bool sn_pv_shape(PvCase *c, PvNode *n);
bool sn_pv_taps(PvCase *c, PvNode *n, PvTaps *t);
const SnDefSem *sn_pv_sem(const PvNode *n);
bool sn_pv_map_is(const PvNode *n, const char *map);
int sn_pv_map_slot(const PvNode *n, const SnExpr *port); /* or -1 */
bool sn_pv_reduced(const PvNode *n, const PvT *x, int axis);
static inline int64_t
sn_pv_at(const PvVal *v, uint32_t i)
{
    return i < v->n ? (int64_t)v->list[i] : 0;
}
/* Argument arg of the node's map: a port's slot, a number, a list. */
PvT *sn_pv_map_port(const PvNode *n, unsigned arg);
double sn_pv_map_num(const PvNode *n, unsigned arg, double els);
const PvVal *sn_pv_map_list(const PvNode *n, unsigned arg);
const char *sn_pv_map_word(const PvNode *n, unsigned arg);
PvVal *sn_pv_map_attr(const PvNode *n, unsigned arg);
int sn_pv_axis(const PvT *x, double axis);
void sn_pv_set_shape(PvT *t, int rank, const int64_t *dim);

/* ---- evaluation (prove_eval.c) ---- */

bool sn_pv_eval(PvCase *c, PvT *t);
/* Runs a constant subexpression of a formula as a code of type t. */
bool sn_pv_const_code(PvCase *c, const PvNode *n, const SnExpr *e,
                      const PvType *t, double *code);

/* ---- expressions (prove_expr.c) ---- */

PvVal sn_pv_expr(PvCase *c, const SnExpr *e);
bool sn_pv_cond(PvCase *c, const SnExpr *e);
/* Do n's attributes meet their constraints, its types its facts, and n its
 * invariants? */
bool sn_pv_holds(PvCase *c, const PvNode *n);
/* The type that port p of n pins its operand b to; b's where nothing does. */
PvType sn_pv_pinned(const PvNode *n, const SnDefPort *p, const PvT *b);
bool sn_pv_guard(PvCase *c); /* all conditions of the rule */

/* ---- the right side (prove_term.c) ---- */

bool sn_pv_right(PvCase *c);

/* An empty case, which lives in a, and the next random numbers. */
void sn_pv_start(PvCase *c, Pv *pv, const PvRule *pr, uint64_t *rng,
                 SnArena *a);

/* ---- trials (prove_trial.c) ---- */

typedef struct PvTry {
    uint32_t ndraw, nquant; /* cases that met the guard; quantized ones */
    uint32_t ntry;          /* cases drawn */
    uint64_t nvalue;
    double diff;     /* largest difference in codes */
    double rel;      /* largest relative difference, f32 results */
    double real;     /* the same in double: over the reals */
    bool over;       /* the bound of a bounded instance broke */
    bool worse;      /* some case's worst error grew */
    double worse_by; /* in steps of the result */
    bool f32_differ;
    bool zero;      /* zeros of another sign */
    int bad_res;    /* a later result (argmax) that changed, or 0 */
    bool no_res;    /* ... that the right side doesn't give */
    bool all_codes; /* every 8-bit case saw all 256 codes */
    uint32_t nall;  /* such cases */
    bool quant16, quant32, floats;
    bool ratio;               /* the rounding mattered in some case */
    bool axis;                /* some case rounds to a type along an axis */
    bool later;               /* later results that round were compared */
    const SnCounter *counter; /* the worst */
    double score;
    const char *fail;  /* the last reason why draws failed */
    const char *wrong; /* the guard held and the right side was no graph,
                          or one of another shape or type */
    const char *wrong_with;
    uint32_t wrong_size;
} PvTry;
/* Runs up to ndraw cases; with stop, ends at the first that breaks k. */
PvTry sn_pv_try(Pv *pv, const PvRule *pr, const SnExpr *when, uint32_t ndraw,
                uint64_t seed, bool counter);
/* Moves the bias of a float node onto the grid that its neighbours pin. */
void sn_pv_bias_on_grid(PvCase *c);
bool sn_pv_claim_ok(const PvRule *pr, const PvTry *t);
const char *sn_pv_claim_str(SnArena *a, const SnDefClaim *k);
const char *sn_pv_best(SnArena *a, const PvTry *t);
const char *sn_pv_side_str(SnArena *a, PvT *v);
/* A clamp's bound: all digits of a code. */
void sn_pv_put_bound(SnBuf *b, double v);

/* ---- cases as text (prove_graph.c) ---- */

/* Constants, and both sides saved as "left" and "right". */
const char *sn_pv_case_graph(PvCase *c, PvT *l, PvT *r);
/* The left side alone, its result saved as "out"; leaves that are not constant
 * are Placeholders.  *once gets the names of the values that the pattern marks
 * ":1", with blanks between. */
const char *sn_pv_case_left(PvCase *c, const char **once);

/* ---- guards (prove_guard_help.c) ---- */

void sn_pv_help(Pv *pv, const PvRule *pr, const PvTry *t);

/* ---- rules without a claim (prove_bind.c) ---- */

/* The reals that x stands for. */
PvT *sn_pv_as_real(PvCase *c, PvT *x);

#endif
