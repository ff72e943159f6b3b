// SPDX-License-Identifier: Apache-2.0
/* Formulas of rows as C: emit_arith.c writes functions that compute codes,
 * emit_linear.c the same formulas over linear forms. */
#ifndef SN_ARITH_ROW_H
#define SN_ARITH_ROW_H

#include "dsl/model/arith.h"
#include "gen/text/emit.h"

enum { SN_ROW_NRATIO = 4, SN_ROW_NWRAP = 8 };

/* A row being written. */
typedef struct SnRowOut {
    SnArena *a;
    const SnX *ratio[SN_ROW_NRATIO]; /* Q or S of each */
    uint32_t nratio, nrefuse; /* outside whose window a graph is refused */
    const SnX *k[SN_ROW_NK];
    uint32_t nk;
    const SnX *wrap[SN_ROW_NWRAP];
    uint32_t nwrap;
    bool open; /* writing the open function */
    bool f64;  /* inside a ratio that is formed in binary64 */
    const char *why;
} SnRowOut;

/* Finds the constants, ratios and wraps of r. */
void sn_arith_prepare(SnRowOut *w, const SnDefs *s, const SnDefRowOf *r);
/* x as an expression; for a part that does not change, its constant. */
const char *sn_arith_put(SnRowOut *w, const SnX *x);
/* The name of the function that computes a code. */
const char *sn_arith_fn(const SnDefs *s, const SnDefArith *a,
                        const SnDefRowOf *r);
/* The row's function over linear forms (SnArithRow.lin). */
void sn_emit_linear(SnBuf *b, const SnDefs *s, const SnDefArith *a,
                    const SnDefRowOf *r);

#endif
