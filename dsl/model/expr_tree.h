// SPDX-License-Identifier: Apache-2.0
/* Expression trees: copies, comparison, value, text.  Trees live in the passed
 * arena; positions are those of the copied tree. */
#ifndef SN_EXPR_TREE_H
#define SN_EXPR_TREE_H

#include "base/buf.h"
#include "dsl/model/model.h"

/* A deep copy. */
SnExpr *sn_expr_clone(SnArena *a, const SnExpr *e);
/* A node without kids. */
SnExpr *sn_expr_new(SnArena *a, SnEk ek, SnPos at, const char *s);
/* Sets the text of e, a name, member, call or argument, and its number if the
 * text is a word. */
void sn_expr_say(SnExpr *e, const char *s);
/* Equal except for positions and resolved fields. */
bool sn_expr_equal(const SnExpr *a, const SnExpr *b);
/* The type of an expression that is the attribute. */
SnTy sn_attr_ty(const SnDefAttr *a);
/* The value of an expression of numbers and - + * /; false if it has anything
 * else or divides by zero. */
bool sn_expr_number(const SnExpr *e, double *v);
/* The same of an int, exactly: literals, -, +, *, and / where it is whole;
 * false also where it leaves 64 bits. */
bool sn_expr_int(const SnExpr *e, int64_t *v);
/* a OP b: a number, or 1 where a comparison holds, else 0. */
double sn_op_apply(SnOp op, double a, double b);
/* Comparisons and logic of integers that doubles may not distinguish. */
bool sn_op_holds(SnOp op, int64_t a, int64_t b);
/* The comparison that holds where op does not, of numbers. */
SnOp sn_op_opposite(SnOp op);
/* "==", "&&": an operator of C. */
const char *sn_op_c(SnOp op);
/* The text that a .def file would have. */
void sn_put_expr(SnBuf *b, const SnExpr *e);
const char *sn_expr_str(SnArena *a, const SnExpr *e);

#endif
