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
/* The text that a .def file would have. */
void sn_put_expr(SnBuf *b, const SnExpr *e);
const char *sn_expr_str(SnArena *a, const SnExpr *e);

#endif
