// SPDX-License-Identifier: Apache-2.0
/* The emission of written rules: shared by the emitters of patterns,
 * expressions, right sides, passes and tests.  A function's body is collected
 * as lines; declarations that no later line reads are dropped when it is
 * written. */
#ifndef SN_RULE_GEN_H
#define SN_RULE_GEN_H

#include "gen/expr/cw.h"
#include "gen/text/emit.h"

typedef struct SnRuleLine {
    int indent;
    const char *decl; /* the local it declares, or NULL */
    const char *text; /* without indentation; "" is an empty line */
} SnRuleLine;

/* The place of the operands of a variadic port. */
typedef struct SnRuleRun {
    const SnPat *pat;  /* P_LIST or P_EACH */
    const char *id;    /* the node */
    uint32_t first;    /* its first slot */
    const char *count; /* C text */
} SnRuleRun;

/* Where a variable is bound. */
typedef struct SnRuleBind {
    bool bound;
    bool missing;          /* may be a missing operand */
    const char *id;        /* the node that reads it */
    const SnDefNode *node; /* that node's kind (or the base of its forms) */
    uint32_t port;
    SnRuleRun run; /* lists */
} SnRuleBind;

typedef struct SnRuleGen {
    SnArena *a;
    const SnDefs *defs;
    SnDiag *d;
    SnCw w;                /* its expressions */
    const SnDefRule *rule; /* NULL in tests and keep lists */
    const SnDefNode *self; /* keep lists: bare names are its attributes */
    const SnDefTest *test; /* names are the test's values */
    const char *values;    /* tests: "v->" or "v." */
    bool ran;              /* tests: values of the graph that ran, by name */
    bool root_seen;        /* the caller has checked operand 0 */
    bool in_run;           /* inside the loop of an `each` */
    bool rebind;           /* binding the variables of an `each` again */
    const char *suffix;    /* of their locals: "_0" for the first element */
    int indent;
    uint32_t nline;
    SnRuleLine *line;
    uint32_t nname; /* locals in use */
    const char **name;
    SnRuleBind *bind; /* [rule->nvar] */
    uint32_t nswap, swap_at;
    uint32_t neach;
    SnRuleRun *each;
    uint32_t nfold; /* lines that fold let terms, before sn_fire_end */
    const char **fold;
    uint32_t nlast; /* lines for after sn_fire_end */
    const char **last;
    const char *root; /* the C name of the root node */
} SnRuleGen;

void sn_rule_init(SnRuleGen *cx, const SnDefs *defs, SnDiag *d);
/* Adds a line.  decl is the local it declares, or NULL. */
void sn_rule_line(SnRuleGen *cx, const char *decl, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* if (text) return false; */
void sn_rule_fail_if(SnRuleGen *cx, const char *text);
/* Writes the lines and forgets them. */
void sn_rule_flush(SnRuleGen *cx, SnBuf *b);
/* A local's C name; a fresh one made from base. */
const char *sn_rule_local(SnRuleGen *cx, const char *name);
/* The local of a variable: inside the loop of an `each` that of the element,
 * outside that of the first. */
const char *sn_rule_of(SnRuleGen *cx, const SnDefVar *v);
const char *sn_rule_fresh(SnRuleGen *cx, const char *base);
/* Text of a .def as a comment: joined, then broken at 76 columns. */
void sn_rule_quote(SnBuf *b, const char *lead, const char *text);
/* "SN_K_CONV2D", "conv2d" */
const char *sn_rule_kind(const SnRuleGen *cx, const SnDefNode *n);
const char *sn_rule_lower(const SnRuleGen *cx, const SnDefNode *n);
/* "SN_RULE_FOLD_FUSE", "fold_fuse" (rule), "FOLD_SINK" (derived). */
const char *sn_rule_enum(const SnDefs *defs, const SnDefRule *r);
const char *sn_rule_fn(const SnDefs *defs, const SnDefRule *r);
/* n is base or a form of it, at any distance. */
bool sn_rule_form_of(const SnDefNode *n, const SnDefNode *base);
/* The kinds a root pattern may match. */
bool sn_rule_root_has(const SnDefRule *r, const SnDefNode *n);
/* Operand 0's kind if the root pattern requires exactly one. */
const SnDefNode *sn_rule_operand0(const SnDefRule *r);
/* Is the rule only called where operand 0's kind is known? (emit_pass.c) */
bool sn_rule_dispatched(const SnDefs *defs, const SnDefRule *r);

/* ---- expressions (emit_rule_expr.c, emit_guard.c) ---- */

/* The writer of cx's expressions. */
SnCw sn_rule_writer(SnRuleGen *cx);

SnDefVar *sn_rule_var(const SnRuleGen *cx, const char *name);
/* For an `if`: the condition or its negation.  It does not hold where one of
 * its integers leaves 64 bits: then the text reads a local `fits`, and
 * cx->w.calculates is set. */
const char *sn_rule_cond(SnRuleGen *cx, const SnExpr *e, bool negate);
/* A pointer to a type. */
const char *sn_rule_type(SnRuleGen *cx, const SnExpr *e);
/* The value of attribute at of a node of kind n. */
const char *sn_rule_value(SnRuleGen *cx, const SnDefNode *n,
                          const SnDefAttr *at, const SnExpr *e);
/* Lines that return false unless e holds, cheapest conjunct first. */
void sn_rule_guard(SnRuleGen *cx, const SnExpr *e);
/* Lines that return false unless each integer that e calculates fits; does it
 * calculate one that may not? */
bool sn_rule_calculates(const SnExpr *e);
void sn_rule_fits(SnRuleGen *cx, const SnExpr *e);
/* The declaration of `fits`, which is dropped where no line reads it. */
void sn_rule_fits_line(SnRuleGen *cx);
bool sn_rule_mentions(const SnExpr *e, const SnDefVar *v);
bool sn_rule_asks_present(const SnExpr *e, const SnDefVar *v);

/* ---- patterns (emit_pattern.c) ---- */

/* Opens a loop over run r that binds the variables of each element again, and
 * closes it. */
void sn_rule_loop(SnRuleGen *cx, const SnRuleRun *r);
void sn_rule_loop_end(SnRuleGen *cx);

/* ---- right sides (emit_before.c, emit_term.c) ---- */

/* Tests that must come before sn_fire. */
void sn_rule_before(SnRuleGen *cx);
/* The C pointer to the type that a term will have. */
const char *sn_rule_term_type(SnRuleGen *cx, const SnTerm *t);
/* regrid(b) in port `port` of t: b as the rule bound it, the node that reads
 * it there, and the new type of that node's first pinned operand. */
typedef struct SnRuleRegrid {
    const char *b, *consumer, *new_x;
} SnRuleRegrid;
SnRuleRegrid sn_rule_regrid(SnRuleGen *cx, const SnTerm *t, uint32_t port,
                            const SnTerm *call);
/* The run under which v is bound, or NULL. */
const SnRuleRun *sn_rule_run_of(const SnRuleGen *cx, const SnDefVar *v);
/* Everything after sn_fire, up to `return true`. */
void sn_rule_replace(SnRuleGen *cx);
/* The attribute struct for a term of kind n, as an argument: "NULL" for the
 * defaults, "&add_attr" after lines that fill it. */
const char *sn_rule_attrs(SnRuleGen *cx, const SnTerm *t, const char *base);
/* The last of its assignments to the word, or NULL. */
const SnAsg *sn_rule_asg_word(const SnTerm *t, SnWord word);

/* ---- files ---- */

/* Around the rows of a table that a plugin has, too: its own is static and ends
 * nowhere, the core's, "sn_core_NAME", is counted as "sn_core_nITEM". */
void sn_rule_table(SnBuf *b, const SnDefs *defs, const char *type,
                   const char *name);
void sn_rule_table_end(SnBuf *b, const SnDefs *defs, const char *item,
                       uint32_t n);

void sn_emit_rule(const SnDefs *defs, SnDiag *d, const SnDefRule *r, SnBuf *b);
void sn_emit_passes(const SnDefs *defs, SnBuf *b);
/* Where the first line of a backend's block is. */
SnPos sn_rule_backend_at(const SnDefBackend *k);
/* sn_where.h and sn_where.c; not for a plugin, whose tables hold the
 * strings. */
void sn_emit_where(const SnDefs *defs, const char *outdir, SnDiag *d);
void sn_emit_backends(const SnDefs *defs, SnDiag *d, SnBuf *b,
                      const char *outdir);
void sn_emit_tests(const SnDefs *defs, const char *outdir, SnDiag *d);
const SnDefPass *sn_rule_derive_pass(const SnDefs *defs, const SnDefDerive *v);
const char *sn_rule_derive_name(const SnDefs *defs, const SnDefDerive *v);
const char *sn_rule_derive_enum(const SnDefs *defs, const SnDefDerive *v);
/* The number of a derive line or a class in SnKindDesc.joins. */
uint32_t sn_rule_join(const SnDefs *defs, const void *derive_or_class);
const char *sn_rule_derive_text(SnArena *a, const SnDefDerive *v);

#endif
