// SPDX-License-Identifier: Apache-2.0
/* Expressions of rules as C text: shared by the files that emit them. */
#ifndef SN_RULE_EXPR_H
#define SN_RULE_EXPR_H

#include "gen/rule/rule_gen.h"

/* Binding strength of C operators. */
enum { P_ANY, P_OR, P_AND, P_EQ, P_REL, P_ADD, P_MUL, P_UNARY, P_PRIM };

/* The C text of an expression. */
typedef struct SnRuleExpr {
    const char *s;
    int prec;
    SnTy ty;
    const SnDefConc *conc; /* ETYPE by name: a set of types, s is NULL */
    uint32_t nconc;
    bool wide;       /* REAL: a double */
    const char *dom; /* RANGE: the type whose domain it is in */
} SnRuleExpr;

SnRuleExpr sn_rule_expr(SnRuleGen *cx, const SnExpr *e);
static inline SnRuleExpr
sn_rule_expr_prim(SnTy ty, const char *s)
{
    return (SnRuleExpr){.s = s, .prec = P_PRIM, .ty = ty};
}
/* Reports that e has no value where it stands. */
SnRuleExpr sn_rule_expr_none(SnRuleGen *cx, const SnExpr *e);
/* x in brackets where it binds less than min. */
const char *sn_rule_expr_paren(SnRuleGen *cx, SnRuleExpr x, int min);
static inline bool
sn_rule_expr_real(SnRuleExpr x)
{
    return x.ty == SN_TY_REAL;
}
const char *sn_rule_expr_f32(SnRuleGen *cx, double v);
/* The elements of a list, or the number itself; *n of them. */
const char *sn_rule_expr_elements(SnRuleGen *cx, const SnExpr *e, bool real,
                                  uint32_t *n);

/* ---- emit_rule_name.c ---- */

/* The value an expression names, as an SnRef; NULL when it names none. */
const char *sn_rule_expr_ref(SnRuleGen *cx, const SnExpr *e);
SnRuleExpr sn_rule_expr_name(SnRuleGen *cx, const SnExpr *e);
SnRuleExpr sn_rule_expr_member(SnRuleGen *cx, const SnExpr *e);

/* ---- emit_rule_call.c ---- */

SnRuleExpr sn_rule_expr_call(SnRuleGen *cx, const SnExpr *e);
/* A clamp: a list [lo, hi] or an expression; the list alone. */
const char *sn_rule_expr_range(SnRuleGen *cx, const SnExpr *e);
const char *sn_rule_expr_range_list(SnRuleGen *cx, const SnExpr *e);
/* q8(scale, zp) */
SnRuleExpr sn_rule_expr_type_call(SnRuleGen *cx, const SnExpr *e);

#endif
