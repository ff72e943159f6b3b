// SPDX-License-Identifier: Apache-2.0
/* Shared by the files about arithmetics: resolve_arith.c handles blocks and the
 * nodes their rows are for, resolve_row.c the formulas of rows, resolve_pairs.c
 * types and pairs of types. */
#ifndef SN_RESOLVE_ARITH_H
#define SN_RESOLVE_ARITH_H

#include <string.h>
#include "dsl/model/arith.h"
#include "dsl/resolve/resolver.h"

typedef struct SnRowVar {
    const char *name;
    SnX *x;
} SnRowVar;

typedef struct SnRowScope {
    SnResolver *rs;
    const SnDefArith *arith;
    const SnDefRowOf *of;
    bool wide;      /* sums may have 64 bits */
    bool in_scale;  /* only var has values */
    int64_t step;   /* a function's: SnArithRow.step; 0: no lut yet */
    uint32_t nport; /* operands, with their names in the row */
    const char *port[2], *result;
    uint32_t nvar;
    SnRowVar *var; /* lets; in a scale its value, q and s */
    bool bad;      /* an error was reported */
} SnRowScope;

/* e without names, NULL if an error was reported. */
SnX *sn_row_x(SnRowScope *sc, const SnExpr *e);
/* Types and pairs: own lines, then those of a->base. */
void sn_resolve_pairs(SnResolver *rs, SnDefArith *a);
/* Reads a condition of a row of of->form into its mask. */
bool sn_row_condition(SnResolver *rs, const SnExpr *e, SnDefRowOf *of);
/* Is there a wrap in x that depends on its operands? */
bool sn_row_wraps(const SnX *x);
/* A wrap in x that may wrap even if nothing wraps at the least and the largest
 * operands, or NULL. */
const SnX *sn_row_bent_wrap(const SnX *x);
/* The largest error of the roundings of x, in units of x. */
double sn_row_error(const SnX *x);

#endif
