// SPDX-License-Identifier: Apache-2.0
/* Inside the checker: the terms of the calculus, and the facts read about
 * them. */
#ifndef SN_TERMS_H
#define SN_TERMS_H

#include "dsl/prove/check/step.h"

/* SN_TERM_NO_ATOM: a number that no fact has. */
enum { SN_TERM_NKID = 4, SN_TERM_NO_ATOM = -2 };

/* Possible values of a type: bits of a line `k`.  IS_F32: nothing else. */
enum {
    SN_TYPE_IS_F32 = 1,
    SN_TYPE_F32 = 2,
    SN_TYPE_WRAPS = 4, /* plain integers, which wrap around */
    SN_TYPE_WIDE = 8,  /* integers that binary32 may not hold */
    SN_TYPE_QI32 = 16, /* codes that binary32 may not hold */
    SN_TYPE_ALONG = 32 /* along an axis */
};

typedef struct SnCheckTerm {
    char kind;          /* check.h */
    bool own;           /* q: of a node that does not make codes from reals */
    int32_t name, type; /* atoms, -1: none */
    uint32_t nkid, kid[SN_TERM_NKID];
    uint32_t nsat;
    const int32_t *sat; /* atoms, the last saturation first */
    uint32_t up;        /* towards the representative of all equal terms */
} SnCheckTerm;

typedef struct SnCheckFact {
    char kind;
    int32_t v[SN_TERM_NKID];
} SnCheckFact;

struct SnCheckTerms {
    uint32_t n, nread, nfact;
    SnCheckTerm *v;
    uint32_t *read; /* the number in v of those that were read */
    SnCheckFact *fact;
    char claim; /* 0: no calculus */
};

/* t with these kids; its number. */
uint32_t sn_check_term_with(SnCheckSteps *s, SnCheckTerm t, uint32_t n,
                            const uint32_t *kid);
/* Are i and j one function: known to be equal, or alike down to equal terms? */
bool sn_check_term_alike(SnCheckSteps *s, uint32_t i, uint32_t j);
bool sn_check_term_commutes(SnCheckSteps *s, const SnCheckTerm *t);
/* Is there a fact of this kind with these numbers?  -1: any. */
const SnCheckFact *sn_check_term_fact(SnCheckSteps *s, char kind, int32_t a,
                                      int32_t b, int32_t c, int32_t d);
uint32_t sn_check_term_may(SnCheckSteps *s, int32_t type);
/* Was it read that saturation a does nothing to values in `prefix NAME`? */
bool sn_check_term_idle(SnCheckSteps *s, int32_t a, const char *prefix,
                        int32_t name);
/* Do saturations a and b have a common point, so that they can be exchanged? */
bool sn_check_term_meet(SnCheckSteps *s, int32_t a, int32_t b);
/* The atom whose name is that of `of` behind the prefix: "@T" is the range of
 * type T; or SN_TERM_NO_ATOM. */
int32_t sn_check_term_named(SnCheckSteps *s, const char *prefix, int32_t of);
/* Does i = j follow by this rule? */
bool sn_check_term_follows(SnCheckSteps *s, char rule, uint32_t i, uint32_t j);
/* Are i and j one function of the reals, where j rounds nowhere that i does
 * not; and i nowhere that j does not? */
bool sn_check_term_refines(SnCheckSteps *s, uint32_t i, uint32_t j, bool both);

#endif
