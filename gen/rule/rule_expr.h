// SPDX-License-Identifier: Apache-2.0
/* Expressions of rules as C text: shared by the files that emit them. */
#ifndef SN_REXPR_H
#define SN_REXPR_H

#include "gen/rule/rule_gen.h"

/* Binding strength of C operators. */
enum { P_ANY, P_OR, P_AND, P_EQ, P_REL, P_ADD, P_MUL, P_UNARY, P_PRIM };

/* The C text of an expression. */
typedef struct SnRx {
    const char *s;
    int prec;
    SnTy ty;
    const SnDefConc *conc; /* ETYPE by name: a set of types, s is NULL */
    uint32_t nconc;
    bool wide;       /* REAL: a double */
    const char *dom; /* RANGE: the type whose domain it is in */
} SnRx;

SnRx sn_rx(SnRg *cx, const SnExpr *e);
static inline SnRx
sn_rx_prim(SnTy ty, const char *s)
{
    return (SnRx){.s = s, .prec = P_PRIM, .ty = ty};
}
/* Reports that e has no value where it stands. */
SnRx sn_rx_none(SnRg *cx, const SnExpr *e);
/* x in brackets where it binds less than min. */
const char *sn_rx_paren(SnRg *cx, SnRx x, int min);
static inline bool
sn_rx_real(SnRx x)
{
    return x.ty == SN_TY_REAL;
}
const char *sn_rx_f32(SnRg *cx, double v);
/* The elements of a list, or the number itself; *n of them. */
const char *sn_rx_elements(SnRg *cx, const SnExpr *e, bool real, uint32_t *n);

/* ---- emit_rule_name.c ---- */

/* The value an expression names, as an SnRef; NULL when it names none. */
const char *sn_rx_ref(SnRg *cx, const SnExpr *e);
SnRx sn_rx_name(SnRg *cx, const SnExpr *e);
SnRx sn_rx_member(SnRg *cx, const SnExpr *e);

/* ---- emit_rule_call.c ---- */

SnRx sn_rx_call(SnRg *cx, const SnExpr *e);
/* A clamp: a list [lo, hi] or an expression; the list alone. */
const char *sn_rx_range(SnRg *cx, const SnExpr *e);
const char *sn_rx_range_list(SnRg *cx, const SnExpr *e);
/* q8(scale, zp) */
SnRx sn_rx_type_call(SnRg *cx, const SnExpr *e);

#endif
