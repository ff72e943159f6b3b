// SPDX-License-Identifier: Apache-2.0
/* Shared by the files of the resolver: its state, scopes for names, and the
 * checks one file makes for another.  Nothing outside dsl/ includes this.
 *
 * A declaration with an error is marked (or left half filled), and everything
 * that depends on it reports nothing: an expression of type SN_TY_NONE, a node
 * in bad_node, a type without concrete types, a pattern or term without
 * node. */
#ifndef SN_RESOLVER_H
#define SN_RESOLVER_H

#include "base/buf.h"
#include "dsl/model/expr_tree.h"
#include "dsl/model/model.h"

typedef struct SnResolver {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    bool *bad_node; /* [kind number]: errors were reported */
    uint8_t *visit; /* [kind number]: 0 new, 1 in progress, 2 done */
} SnResolver;

/* ---- names (resolve_name.c) ---- */

/* Candidates for an unknown name; at may be NULL. */
typedef struct SnCands {
    SnArena *a;
    size_t n, nat, nis;
    const char **s;
    const SnPos **at;
    const char **is; /* the importer of an operator with this name; NULL:
                        none */
} SnCands;
SnCands sn_cands(SnResolver *rs);
void sn_cands_add(SnCands *v, const char *s, const SnPos *at);
/* All nodes, by their names and by those of the operators that they import. */
void sn_cands_nodes(SnResolver *rs, SnCands *v);
/* SN101: unknown WHAT 'name' [of OF], with the closest of v as help. */
void sn_resolve_unknown(SnResolver *rs, SnPos at, const char *what,
                        const char *name, const char *of, const SnCands *v);
/* The same for kinds and types. */
const SnDefNode *sn_resolve_node(SnResolver *rs, SnPos at, const char *name);
const SnDefType *sn_resolve_type(SnResolver *rs, SnPos at, const char *name);
const SnDefClass *sn_resolve_class(const SnDefs *defs, const char *name);
/* Ports as messages list them, "x, w, b?"; without `optional` no '?'. */
const char *sn_resolve_ports(SnResolver *rs, SnDefPort *const *p, uint32_t n,
                             bool optional);
/* SN103: WHAT 'name' is declared twice. */
void sn_resolve_twice(SnResolver *rs, SnPos at, const char *what,
                      const char *name, SnPos first);
/* "nodes.def:46" */
const char *sn_resolve_at(SnResolver *rs, SnPos at);
static inline bool
sn_resolve_bad(const SnResolver *rs, const SnDefNode *n)
{
    return !n || rs->bad_node[n->kind];
}
static inline void
sn_resolve_spoil(SnResolver *rs, const SnDefNode *n)
{
    rs->bad_node[n->kind] = true;
}
const char *sn_conc_str(const SnResolver *rs, SnDefConc c);
/* Zero points of a quantized type: [*lo, *hi]. */
static inline void
sn_conc_zp(SnDefConc c, int64_t *lo, int64_t *hi)
{
    *hi = c.elem == SN_QI8 ? INT8_MAX : c.elem == SN_QI16 ? INT16_MAX : 0;
    *lo = *hi ? -*hi - 1 : 0;
}
static inline bool
sn_conc_equal(SnDefConc a, SnDefConc b)
{
    return a.elem == b.elem && a.axis == b.axis;
}

/* ---- expressions (resolve_expr.c) ---- */

typedef struct SnScope {
    SnResolver *rs;
    SnScopeKind kind;
    const SnDefNode *node;
    uint32_t nvar;
    SnDefVar **var;
    const char *part;         /* "on the right", "in a condition", for SN202 */
    bool needs;               /* inside requires: supports(..) is allowed */
    const SnDefAttr *enum_of; /* words that are allowed alone here */
    bool each;                /* under `each` */
    bool bad;                 /* an error was reported in this scope */
} SnScope;

SnTy sn_resolve_expr(SnScope *sc, SnExpr *e);
/* The same for not, -, in and binary operators (resolve_operator.c). */
SnTy sn_resolve_operator(SnScope *sc, SnExpr *e);
static inline bool
sn_ty_is_num(SnTy t)
{
    return t == SN_TY_INT || t == SN_TY_REAL;
}
static inline bool
sn_ty_is_list(SnTy t)
{
    return t == SN_TY_INTS || t == SN_TY_REALS;
}
/* SN104 and SN_TY_NONE: what; e's type is not the required one. */
SnTy sn_resolve_fail(SnScope *sc, SnPos at, const char *what);
SnTy sn_resolve_mismatch(SnScope *sc, const SnExpr *e, const char *want);
/* q8(scale, zp), also q8c([scales], [zps]) (resolve_value.c). */
SnTy sn_resolve_type_with(SnScope *sc, SnExpr *e);
/* The same words, in the same order? */
static inline bool
sn_words_same(const SnDefAttr *a, const SnDefAttr *b)
{
    return a->nword == b->nword && sn_names_equal(a->word, b->word, a->nword);
}
/* e must be true or false. */
void sn_resolve_cond(SnScope *sc, SnExpr *e, const char *what);
/* e must be a value for attribute at (of node n, for messages). */
void sn_resolve_value(SnScope *sc, SnExpr *e, const SnDefNode *n,
                      const SnDefAttr *at);
/* e must be an element type: a member .type, a plain type, q8(scale, zp). */
void sn_resolve_etype(SnScope *sc, SnExpr *e);
SnDefVar *sn_resolve_var(const SnScope *sc, const char *name);
/* If e calls a map: the sizes of its result for operands and values of an
 * operator's declaration. */
void sn_resolve_op_sizes(SnScope *sc, SnExpr *e);
const char *sn_ty_name(SnTy t);
/* Numbers built from literals; false (and a message) otherwise. */
bool sn_resolve_const(SnResolver *rs, const SnExpr *e, double *v);
/* The attribute an expression n.a names when n is a node variable: for a
 * class, the one of its first member. */
const SnDefAttr *sn_var_attr(const SnResolver *rs, const SnDefVar *v,
                             const char *name);
const SnDefNode *sn_var_node(const SnDefVar *v); /* or NULL */

/* The type of a call of SN_WHOLE_FNS with as many arguments as it has. */
SnTy sn_resolve_whole(SnScope *sc, SnExpr *e);
/* The type of a call in a formula, for resolve_expr.c (resolve_sem.c). */
SnTy sn_resolve_formula_call(SnScope *sc, SnExpr *e);

/* ---- maps (map/resolve_map.c) ---- */

void sn_resolve_maps(SnResolver *rs);
/* The kind of attribute that gives a parameter its value; of an operand
 * SN_NATTRKIND. */
int sn_resolve_map_attr(const SnMapParam *p);
/* The classes of meanings over it, a bit for each SnClass. */
unsigned sn_resolve_map_classes(const SnMapDecl *d);
/* Does it read outside operands, where a meaning's `else` applies? */
bool sn_resolve_map_fills(const SnMapDecl *d);

/* Arithmetics (resolve_arith.c): after nodes. */
void sn_resolve_ariths(SnResolver *rs);

/* ---- nodes ---- */

void sn_resolve_types(SnResolver *rs); /* resolve_type.c */
void sn_resolve_nodes(SnResolver *rs); /* resolve_node.c */
void sn_resolve_as_form(SnResolver *rs, SnDefNode *n);
void sn_resolve_refines(SnResolver *rs); /* resolve_refine.c */
void sn_resolve_refines_join(SnResolver *rs);
void sn_resolve_facts(SnResolver *rs, SnDefNode *n);   /* resolve_fact.c */
void sn_resolve_members(SnResolver *rs, SnDefNode *n); /* resolve_attr.c */
void sn_resolve_attrs(SnResolver *rs, SnDefNode *n);
/* Defaults and conditions that cannot be satisfied (resolve_never.c). */
void sn_resolve_never(SnResolver *rs, SnDefNode *n);
/* ONNX lines: their entries; against those of the nodes before
 * (resolve_onnx.c).
 */
void sn_resolve_onnx(SnResolver *rs, SnDefNode *n);
void sn_resolve_onnx_alone(SnResolver *rs, SnDefNode *n);
/* Refuses a name that no operator of a model can have. */
bool sn_resolve_op_name(SnResolver *rs, const char *op, SnPos at);
void sn_resolve_ops(SnResolver *rs);                   /* onnx/resolve_op.c */
void sn_resolve_sems(SnResolver *rs, SnDefNode *n);    /* resolve_sem.c */
void sn_resolve_meaning(SnResolver *rs, SnDefNode *n); /* resolve_meaning.c */
/* No sum of codes takes them from slices of several scales (resolve_along.c).
 */
void sn_resolve_along(SnResolver *rs, SnDefNode *n, const SnDefSem *s);
void sn_resolve_tuples(SnResolver *rs, SnDefNode *n); /* resolve_tuple.c */
/* Which tuples of n each of these kernel lines covers. */
void sn_resolve_kernels(SnResolver *rs, const SnDefNode *n,
                        SnDefKernel *const *k, uint32_t nk);
void sn_resolve_family(SnResolver *rs, SnDefNode *n); /* resolve_family.c */
void sn_resolve_classes(SnResolver *rs);
uint64_t *sn_resolve_member(SnResolver *rs, SnExpr *e, bool *bad);
/* Is n, with its current facts, in a class or family that is already
 * resolved? */
bool sn_resolve_derives(SnResolver *rs, const SnDefDerive *v,
                        const SnDefNode *n);
bool sn_resolve_satisfies(const SnResolver *rs, const SnExpr *e,
                          const SnDefNode *n);
bool sn_port_quant(const SnDefNode *n, const SnDefPort *p);

/* ---- rules ---- */

void sn_resolve_passes(SnResolver *rs); /* resolve_pass.c */
void sn_resolve_pipelines(SnResolver *rs);
void sn_resolve_backends(SnResolver *rs);
void sn_resolve_plugin(SnResolver *rs);
void sn_resolve_backends_made(SnResolver *rs); /* after rules */
/* Pattern, condition, claim (rule/resolve_rule.c). */
void sn_resolve_rule(SnResolver *rs, SnDefRule *r);
/* The right side; false if an error was reported. */
bool sn_resolve_term(SnScope *sc, SnTerm *t); /* resolve_term.c */
/* Types of values: forced types (SN203), SN204, SN310
 * (rule/rule_types_fit.c). */
void sn_resolve_rule_types(SnResolver *rs, SnDefRule *r);
/* The bound of a `within`, at least `least`: an integer, and less than the
 * whole range of an 8-bit type; false (and a message) otherwise
 * (rule/resolve_rule.c). */
enum { SN_LSB_END = 255 };
bool sn_resolve_lsb(SnResolver *rs, SnDefClaim *k, int least);
/* SN212, SN213: sources and folds of r's right side; r has no other error
 * (rule/resolve_right.c). */
bool sn_resolve_right(SnResolver *rs, const SnDefRule *r);
void sn_resolve_test(SnResolver *rs, SnDefTest *t); /* resolve_test.c */

#endif
