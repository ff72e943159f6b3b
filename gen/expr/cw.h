// SPDX-License-Identifier: Apache-2.0
/* Expressions as C: what rules, constraints and formulas share. */
#ifndef SN_CW_H
#define SN_CW_H

#include "gen/text/emit.h"

/* Binding strength of C operators. */
enum { P_ANY, P_OR, P_AND, P_EQ, P_REL, P_ADD, P_MUL, P_UNARY, P_PRIM };

/* The C text of an expression. */
typedef struct SnCVal {
    const char *s;
    int prec;
    SnTy ty;
    const SnDefConc *conc; /* ETYPE by name: a set of types, s is NULL */
    uint32_t nconc;
    bool wide;       /* REAL: a double */
    const char *dom; /* RANGE: the type whose domain it is in */
    /* of formulas: */
    bool fixed; /* the same for all elements of a call */
    bool lit;   /* a number: num */
    double num;
} SnCVal;

static inline SnCVal
sn_cval(SnTy ty, const char *s)
{
    return (SnCVal){.s = s, .prec = P_PRIM, .ty = ty};
}

typedef enum SnCPlace {
    SN_CP_RULE,       /* reals are binary32, brackets where C needs them */
    SN_CP_CONSTRAINT, /* reals are compared as doubles */
    SN_CP_FORMULA     /* numbers as evaluators compute them */
} SnCPlace;

typedef struct SnCw SnCw;
struct SnCw {
    SnArena *a;
    SnDiag *d;
    SnCPlace place;
    void *of; /* the emitter's functions, for these: */
    /* Names, members and functions without C in sn_fns; false: it is none of
     * these. */
    bool (*own)(SnCw *w, const SnExpr *e, SnCVal *v);
    /* The C of an argument V, and of T; NULL: none. */
    const char *(*ref)(SnCw *w, const SnExpr *e);
    const char *(*type)(SnCw *w, const SnExpr *e);
    /* Reports that e has no value at its place. */
    SnCVal (*none)(SnCw *w, const SnExpr *e);
    /* Called before n values are used together; may be NULL. */
    void (*hoist)(SnCw *w, SnCVal *v, uint32_t n);
    bool apart; /* products of reals are calls, which compilers do not
                   contract */
    /* Of rules and constraints: integers are modulo 2^64, as they have been
     * calculated before and fitted; else the C text clears a local `fits` where
     * one does not fit, and calculates is set. */
    bool modular, calculates;
};

SnCVal sn_cw(SnCw *w, const SnExpr *e);
/* not e */
SnCVal sn_cw_not(SnCw *w, const SnExpr *e);
/* A call of a function whose row in sn_fns has C text. */
SnCVal sn_cw_call(SnCw *w, const SnExpr *e);
/* v, in brackets if it binds less than min. */
const char *sn_cw_paren(const SnCw *w, SnCVal v, int min);
/* v as a float, as an operand of an operator that binds like min. */
const char *sn_cw_f32(const SnCw *w, SnCVal v, int min);
/* A number as a float, a list or a clamp as a value of C. */
const char *sn_cw_real(const SnCw *w, double v);
const char *sn_cw_ints(SnCw *w, const SnExpr *e);
const char *sn_cw_reals(SnCw *w, const SnExpr *e);
const char *sn_cw_range(SnCw *w, const SnExpr *e);
/* e as sn_int_FN(args) */
const char *sn_cw_int(SnCw *w, const SnExpr *e, const char *fn,
                      const char *args);
/* |e| < 2^bits by what it is made of, up to 63; 64: no such bound. */
int sn_cw_bits(const SnExpr *e);
/* The elements of a list, or the number itself; *n of them. */
const char *sn_cw_elements(SnCw *w, const SnExpr *e, bool real, uint32_t *n);
/* SN_CONV2D_ROUND_AFTER: word i of attribute at, which n has. */
const char *sn_cw_word(SnArena *a, const SnDefNode *n, const SnDefAttr *at,
                       const char *word);
/* sn_type_is(..) || ..: is the type t in the set? */
const char *sn_cw_in_set(const SnCw *w, const char *t, const SnDefConc *c,
                         uint32_t n);
static inline bool
sn_cw_is_real(SnCVal v)
{
    return v.ty == SN_TY_REAL;
}

#endif
