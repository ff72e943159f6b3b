// SPDX-License-Identifier: Apache-2.0
/* Arithmetics of machines as tables of functions: what `arithmetic` blocks of
 * .def files become (docs/language.md, "Arithmetic").  A row says how a form of
 * meaning is computed on codes; where an arithmetic has none, the result is
 * the meaning's own steps (docs/numerics.md).  sinter-gen writes the tables;
 * evaluators look rows up, once a call. */
#ifndef SN_ARITHMETIC_H
#define SN_ARITHMETIC_H

#include "base/lang/lang.h"
#include "base/lang/linear.h"
#include "base/num.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forms of meaning that may have rows: X(ID, word, operands, meaning). */
#define SN_FORMS(X)                                            \
    X(CONVERT, "convert", 1, "q(d(x)), from codes to codes")   \
    X(CONTRACT, "contract", 2, "sums of products, and a bias") \
    X(MEAN, "mean", 1, "q(mean(d(x)))")                        \
    X(SUM, "sum", 2, "q(d(a) + d(b))")                         \
    X(DIFFERENCE, "difference", 2, "q(d(a) - d(b))")           \
    X(PRODUCT, "product", 2, "q(d(a) * d(b))")                 \
    X(POINT, "point", 0, "q of any real")                      \
    X(FUNCTION, "function", 1, "q(f(d(x))), of one operand of 8 bits")
#define SN_FORM_ID(ID, ...) SN_FORM_##ID,
typedef enum SnForm { SN_FORMS(SN_FORM_ID) SN_NFORM } SnForm;
#undef SN_FORM_ID
extern const SnLangWord sn_form_words[SN_NFORM];

/* Where a row applies: X(ID, word).
 *   after      the node has round = after
 *   wide       an operand of a contract has 16 bits, and its sum 64; of others
 *              an operand or the result has 16
 *   whole      the set of a mean is all of an image, without pads
 *   depthwise  groups of a contract are several, of one channel each
 *   same_type  a mean, sum, difference or product between values of one scale
 *              and zero point */
#define SN_WHENS(X)           \
    X(AFTER, "after")         \
    X(WIDE, "wide")           \
    X(WHOLE, "whole")         \
    X(DEPTHWISE, "depthwise") \
    X(SAME, "same_type")
enum {
    SN_WHEN_AFTER = 1,
    SN_WHEN_WIDE = 2,
    SN_WHEN_WHOLE = 4,
    SN_WHEN_DEPTHWISE = 8,
    SN_WHEN_SAME = 16
};

/* Roles of values, for which types are declared: ROLE(ID, word, meaning). */
#define SN_ROLES(ROLE)            \
    ROLE(X, "x", "an activation") \
    ROLE(W, "w", "a constant that a contract reads second")
#define SN_ROLE_ID(ID, ...) SN_ROLE_##ID,
typedef enum SnRole { SN_ROLES(SN_ROLE_ID) SN_NROLE } SnRole;
#undef SN_ROLE_ID

/* What types of a role a machine has. */
typedef struct SnArithType {
    int32_t lo, hi;   /* codes */
    int32_t zlo, zhi; /* zero points */
    bool tensor;      /* one scale, none per slice of an axis */
    bool power;       /* scales are powers of two */
} SnArithType;

/* no row KIND [when COND] "why" */
typedef struct SnArithNo {
    const char *kind, *why;
    unsigned mask, is; /* SN_WHEN_: where the flags in mask are these */
} SnArithNo;

/* What values and nodes have to be like besides what nodes.def says. */
typedef struct SnArithPairs {
    bool some; /* is anything declared? */
    SnArithType type[SN_NROLE];
    int32_t bias_bits; /* width of a bias in units of bias_step * x.scale *
                          w.scale; 0: any */
    int32_t bias_step;
    int32_t acc_bits;  /* width of sums of products; 0: any */
    bool acc_saturate; /* they saturate, else they wrap, */
    int32_t acc_each;  /* after so many products; 0: at their end */
    uint32_t nno;
    const SnArithNo *no; /* kinds without tuples of codes */
} SnArithPairs;

enum { SN_ROW_NK = 12 }; /* constants of a row, at most */

/* What constants of a row follow from: [0] is the result's grid, the others
 * are the operands'. */
typedef struct SnRowGrids {
    float scale[3];
    int32_t zp[3];
    int64_t n;         /* elements that a mean divides by */
    int64_t zp_shift;  /* of a node with round = after */
    int64_t kernel[2]; /* rows and columns of a pool's window */
} SnRowGrids;

/* A ratio of a row for which `outside refuse` is said. */
typedef struct SnArithRatio {
    const char *text;
    double (*of)(const SnRowGrids *g);
    int bits, lo, hi; /* of q, and the shifts */
} SnArithRatio;

/* A row: open fills k, reals as their bits; fn computes a code, not clamped
 * yet, from a and b: the codes, the sum (a), or the bits of a real (a). */
typedef struct SnArithRow {
    const char *name; /* of fn */
    uint32_t nk;      /* constants */
    SnForm form;
    const char *map;   /* of nodes over this map alone, a function's: of this
                          kind; NULL: any */
    unsigned mask, is; /* SN_WHEN_: where the flags in mask are these */
    void (*open)(const SnRowGrids *g, int64_t k[SN_ROW_NK]);
    int64_t (*fn)(const int64_t *k, int64_t a, int64_t b);
    uint32_t nratio;
    const SnArithRatio *ratio;
    /* Of a contract: n codes in [lo, hi] of sums, with biases or NULL; from one
     * to the next constants are `step` further on.  NULL: of others, and where
     * sums have 64 bits. */
    void (*all)(const int64_t *k, int64_t step, const int32_t *acc,
                const int32_t *bias, int64_t n, int32_t lo, int32_t hi,
                int8_t *y);
    /* fn in C, for programs of `sinter compile`; NULL: of sinter's own rows, of
     * which it has the text itself. */
    const char *text;
    /* Does nothing wrap that the formula says wrap(v, bits) of?  For all
     * operands between those for which nothing does.  NULL: it says no wrap. */
    bool (*fits)(const int64_t *k, int64_t a, int64_t b);
    /* fn over linear forms: what its result is, and how far its roundings move
     * it. */
    SnLin (*lin)(const int64_t *k, SnLin a, SnLin b);
    /* Of a function: codes from an entry of its table to the next.  fn is given
     * the entry at or below a code, and what the next one is more by, times how
     * many codes the code is above.  0: of others. */
    int64_t step;
} SnArithRow;

typedef struct SnArith {
    const char *name;
    uint64_t hash; /* of its lines, which graphs carry besides the name; 0: of
                      the language's own, the name says it */
    double error;  /* of one rounding, at most, in steps, but for what a
                      multiplier is off by */
    uint32_t nrow;
    const SnArithRow *row; /* the first that applies counts */
    SnArithPairs pairs;
} SnArith;

/* SN_WHEN_SAME where it is so. */
static inline unsigned
sn_row_same(SnForm f, const SnRowGrids *g)
{
    bool two = f >= SN_FORM_SUM && f <= SN_FORM_PRODUCT;

    if (!two && f != SN_FORM_MEAN)
        return 0;
    for (int i = 1; i < (two ? 3 : 2); i++)
        if (g->scale[i] < g->scale[0] || g->scale[i] > g->scale[0] ||
            g->zp[i] != g->zp[0])
            return 0;
    return SN_WHEN_SAME;
}

/* The row for a node over a map, NULL: none. */
static inline const SnArithRow *
sn_arith_row(const SnArith *a, SnForm form, const char *map, unsigned when)
{
    for (uint32_t i = 0; i < a->nrow; i++) {
        const SnArithRow *r = &a->row[i];
        if (r->form == form && (when & r->mask) == r->is &&
            (!r->map || (map && !strcmp(r->map, map))))
            return r;
    }
    return NULL;
}

/* Opens the row of a conversion from (sx, zx) to (sy, zy). */
static inline void
sn_row_open(const SnArithRow *r, float sx, int32_t zx, float sy, int32_t zy,
            int64_t *k)
{
    SnRowGrids g = {{sy, sx, 0}, {zy, zx, 0}, 1, 0, {1, 1}};

    r->open(&g, k);
}

static inline int32_t
sn_row_code(const SnArithRow *r, const int64_t *k, int64_t a, int64_t b,
            int32_t lo, int32_t hi)
{
    int64_t v = r->fn(k, a, b);

    return v < lo ? lo : v > hi ? hi : (int32_t)v;
}

/* m > 0 as *q * 2^-*s, q of so many bits, rounded to nearest, and lo <= *s <=
 * hi: 0 below, and the largest multiplier above.  What the split of a `ratio`
 * line gives. */
static inline void
sn_ratio_split(double m, int bits, int lo, int hi, int64_t *q, int64_t *s)
{
    const int64_t one = INT64_C(1) << bits;
    int e;
    double f = frexp(m, &e);

    *q = (int64_t)(f * (double)one + 0.5);
    if (*q == one) {
        *q /= 2;
        e++;
    }
    *s = bits - e;
    if (*s > hi) {
        *q = 0;
        *s = bits < lo ? lo : bits > hi ? hi : bits;
    } else if (*s < lo) {
        *q = one - 1;
        *s = lo;
    }
}

#ifdef __cplusplus
}
#endif

#endif
