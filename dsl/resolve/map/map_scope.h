// SPDX-License-Identifier: Apache-2.0
/* Shared by the files that resolve maps: the names of one map, the kind of
 * object each refers to, and the data made from it.
 *
 * Kinds are static: a name or expression is a number or a list along one run
 * of axes, whatever the shapes are. */
#ifndef SN_MAP_SCOPE_H
#define SN_MAP_SCOPE_H

#include "dsl/resolve/resolver.h"

typedef enum SnMapSpan {
    SN_MK_ONE,  /* a number, truth value or word */
    SN_MK_RUN,  /* a list along the run in slot `of` */
    SN_MK_PAIR, /* two such lists, one after the other */
    SN_MK_EACH, /* a list with one element for each operand of parameter `of` */
    SN_MK_DATA  /* all elements of operand `of` */
} SnMapSpan;

typedef struct SnMapKind {
    SnTy ty; /* INT, REAL, BOOL; ENUM: a word of parameter `of`; VALUE: the
                operand `of`; NONE: an error was reported */
    SnMapSpan span;
    int16_t of;
} SnMapKind;

/* The time at which a value is known. */
typedef enum SnMapLevel {
    SN_MK_SHAPE, /* once shapes are known */
    SN_MK_PLACE, /* at a place in the result, or with an operand's elements */
    SN_MK_TAP    /* at a tap */
} SnMapLevel;

typedef struct SnMapName {
    const char *name;
    SnPos pos;
    SnMapKind kind;
    SnMapLevel level;
    bool axes; /* a run of axes: d... */
} SnMapName;

typedef struct SnMapScope {
    SnResolver *rs;
    const SnDefMap *m;
    bool bad;      /* an error was reported */
    uint32_t nvar; /* by slot: the parameters, then bound names */
    SnMapName *var;
    uint32_t nexpr;
    SnMapExpr *expr;
    uint32_t nstmt;
    SnMapStmt *stmt;
    SnMapParam *param;
    /* the statement being resolved */
    uint32_t hidden;       /* parameters from here on are not known yet */
    bool elements;         /* the name of an operand of integers means its
                              elements */
    bool offsets;          /* flat(x) is known */
    SnMapLevel level;      /* the latest time of what it names */
    const SnExpr *numbers; /* the first axis(n) */
} SnMapScope;

/* Reports SN18x or another code, once for each fault; sets `bad`. */
void sn_resolve_map_fault(SnMapScope *ms, SnPos at, const char *code,
                          const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The slot of a name, -1 if there is none. */
int sn_resolve_map_find(const SnMapScope *ms, const char *name);
/* A new slot, -1 (and SN103) if the name is taken. */
int sn_resolve_map_bind(SnMapScope *ms, const char *name, SnPos at, SnMapKind k,
                        SnMapLevel level);
/* The number of the operand that an expression names, or -1. */
int sn_resolve_map_operand(const SnMapScope *ms, const SnExpr *e);

/* ---- expressions (resolve_map_expr.c) ---- */

/* The tree as data; returns its number in expr. */
int32_t sn_resolve_map_expr(SnMapScope *ms, SnExpr *e, SnMapKind *k);
/* The same for a truth value, a number, an integer; *k: along which run.  what:
 * the name of this place, for messages. */
int32_t sn_resolve_map_cond(SnMapScope *ms, SnExpr *e, const char *what,
                            SnMapKind *k);
int32_t sn_resolve_map_int(SnMapScope *ms, SnExpr *e, const char *what,
                           SnMapKind *k);
/* n places in operand p, one for each item of its pattern, into expr from
 * `at` on, or (at 0) anywhere with their numbers in index. */
void sn_resolve_map_places(SnMapScope *ms, SnPos pos, int p, uint32_t n,
                           SnExpr **e, uint32_t at, int32_t *index);
/* "a number", "a list along 's'" */
const char *sn_resolve_map_kind_str(const SnMapScope *ms, SnMapKind k);
/* Can values of the two kinds be combined element by element?  *out: the
 * result's kind, without its type. */
bool sn_resolve_map_meet(SnMapKind a, SnMapKind b, SnMapKind *out);

/* ---- parts (resolve_map_param.c, resolve_map_stmt.c) ---- */

void sn_resolve_map_params(SnMapScope *ms);
void sn_resolve_map_stmts(SnMapScope *ms);

/* Runs the tests of a resolved map (resolve_map_test.c). */
void sn_resolve_map_tests(SnResolver *rs, const SnDefMap *m);

#endif
