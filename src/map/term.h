// SPDX-License-Identifier: Apache-2.0
/* Numbers of a map that is being applied: known ones, and terms over places in
 * the result and in the set of taps, which are not known yet.  Terms are
 * reduced as they are made, by what is known of their ranges, and lie in an
 * order in which each comes after what it is made of: run one by one they are a
 * program for an index. */
#ifndef SN_MAP_TERM_H
#define SN_MAP_TERM_H

#include "base/hashes.h"
#include "map/decl.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_MAP_NVAR = 32 };

/* A number: t >= 0 is a term. */
enum { SN_NUM_INT = -1, SN_NUM_REAL = -2, SN_NUM_UNDEFINED = -3 };
typedef struct SnMapNum {
    int64_t v; /* of SN_NUM_REAL the bits of a float */
    int32_t t;
} SnMapNum;

typedef enum SnTermOp {
    SN_TM_VAR, /* v: its number */
    SN_TM_LIN, /* v + the sum of k * t */
    SN_TM_MUL, /* of two terms */
    SN_TM_DIV, /* floor */
    SN_TM_MOD, /* what floor leaves */
    SN_TM_MIN,
    SN_TM_MAX,
    SN_TM_ABS,
    SN_TM_EQ,
    SN_TM_LT,
    SN_TM_LE,
    SN_TM_AND, /* kid 1 where kid 0 is true, else false */
    SN_TM_OR,
    SN_TM_NOT,
    SN_TM_SELECT, /* kid 0 ? kid 1 : kid 2 */
    SN_TM_DEFINED,
    SN_TM_LIST, /* element kid 0 of the n numbers of tab */
    SN_TM_DATA, /* element kid 0 of n integers of v bytes each */
    /* of reals, binary32 */
    SN_TM_RADD,
    SN_TM_RSUB,
    SN_TM_RMUL,
    SN_TM_RDIV,
    SN_TM_RMIN,
    SN_TM_RMAX,
    SN_TM_RABS,
    SN_TM_REQ,
    SN_TM_RLT,
    SN_TM_RLE,
    SN_TM_REAL, /* of an integer */
    SN_TM_FLOOR,
    SN_TM_CEIL
} SnTermOp;

typedef struct SnMapLin {
    int32_t t;
    int64_t k;
} SnMapLin;

typedef struct SnMapTerm {
    uint8_t op;     /* SnTermOp */
    bool real;      /* its value is the bits of a float */
    bool partial;   /* it may be undefined */
    bool data;      /* it depends on elements of operands */
    uint32_t vars;  /* bit per variable that it depends on */
    int64_t lo, hi; /* where it is defined and no real */
    SnMapNum kid[3];
    int64_t v, n;
    const SnMapLin *lin; /* LIN: n of them, t ascending */
    const void *tab;
} SnMapTerm;

/* The terms of one mapping; those that are equal are one. */
typedef struct SnMapTerms {
    SnArena *a;
    uint32_t n;
    SnMapTerm *v;
    SnHashes known;
} SnMapTerms;

/* Ranges above this are not known. */
#define SN_MAP_FAR (INT64_C(1) << 60)

static inline SnMapTerms
sn_terms(SnArena *a)
{
    return (SnMapTerms){.a = a, .known = {.a = a}};
}
static inline SnMapNum
sn_num(int64_t v)
{
    return (SnMapNum){v, SN_NUM_INT};
}
static inline SnMapNum
sn_num_undefined(void)
{
    return (SnMapNum){0, SN_NUM_UNDEFINED};
}
SnMapNum sn_num_real(float r);
float sn_num_float(SnMapNum x); /* of SN_NUM_INT, SN_NUM_REAL */
static inline bool
sn_num_is(SnMapNum x, int64_t v)
{
    return x.t == SN_NUM_INT && x.v == v;
}
/* Bounds of a number; +-SN_MAP_FAR where nothing is known. */
void sn_num_range(const SnMapTerms *T, SnMapNum x, int64_t *lo, int64_t *hi);
uint32_t sn_num_vars(const SnMapTerms *T, SnMapNum x);

/* Variable number v, from 0 to hi. */
SnMapNum sn_term_var(SnMapTerms *T, unsigned v, int64_t hi);
/* Operators of maps (SN_MO_NEG .. SN_MO_OR, SN_MO_FLOOR .. SN_MO_MAX) on
 * numbers; b is not looked at by those of one. */
SnMapNum sn_term_apply(SnMapTerms *T, SnMapOp op, SnMapNum a, SnMapNum b);
SnMapNum sn_term_select(SnMapTerms *T, SnMapNum c, SnMapNum a, SnMapNum b);
SnMapNum sn_term_defined(SnMapTerms *T, SnMapNum a);
/* Element i of n numbers, all SN_NUM_INT; of n integers of width bytes. */
SnMapNum sn_term_list(SnMapTerms *T, const SnMapNum *v, int64_t n, SnMapNum i);
SnMapNum sn_term_data(SnMapTerms *T, const void *data, int width, int64_t n,
                      SnMapNum i);

/* x as v + the sum of k * variable, if it is one; coef has SN_MAP_NVAR. */
bool sn_term_affine(const SnMapTerms *T, SnMapNum x, int64_t *coef, int64_t *v);

/* Computes the terms that depend on one of vars (0: those that depend on none),
 * in order, into val[T->n]; val[] of the others is there.  x holds the
 * variables.  An undefined value is SN_MAP_UNDEFINED. */
#define SN_MAP_UNDEFINED INT64_MIN
void sn_terms_run(const SnMapTerms *T, uint32_t vars, const int64_t *x,
                  int64_t *val);
static inline int64_t
sn_num_value(SnMapNum x, const int64_t *val)
{
    return x.t >= 0                  ? val[x.t]
           : x.t == SN_NUM_UNDEFINED ? SN_MAP_UNDEFINED
                                     : x.v;
}

#ifdef __cplusplus
}
#endif

#endif
