// SPDX-License-Identifier: Apache-2.0
/* Expression trees: copies, comparison, value, text.  Trees live in the arena
 * that is passed; positions are those of the tree that was copied. */
#ifndef SN_EXPR_TREE_H
#define SN_EXPR_TREE_H

#include "base/buf.h"
#include "dsl/model/model.h"

/* A deep copy. */
SnExpr *sn_expr_clone(SnArena *a, const SnExpr *e);
/* A node without kids. */
SnExpr *sn_expr_new(SnArena *a, SnEk ek, SnPos at, const char *s);
/* Gives e, a name, member, call or argument, its text, and the number of that
 * where it is a word. */
void sn_expr_say(SnExpr *e, const char *s);
/* Equal but for positions and what resolving found. */
bool sn_expr_equal(const SnExpr *a, const SnExpr *b);
/* The type of an expression that is the attribute. */
SnTy sn_attr_ty(const SnDefAttr *a);
/* The value of an expression of numbers and - + * /; false where it has
 * anything else or divides by zero. */
bool sn_expr_number(const SnExpr *e, double *v);
/* As it would be written in a .def file. */
void sn_put_expr(SnBuf *b, const SnExpr *e);
const char *sn_expr_str(SnArena *a, const SnExpr *e);

#endif
