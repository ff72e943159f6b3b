// SPDX-License-Identifier: Apache-2.0
/* A node as C, shared by the files that write it: its map with shapes filled
 * in, the open loops, the lines so far. */
#ifndef SN_AOT_NODE_H
#define SN_AOT_NODE_H

#include "graph/map_args.h"
#include "kernel/eval/map.h"
#include "kernel/eval/rows.h"

/* A loop variable's bounds where indices leave an operand: [lo, hi) in C. */
typedef struct SnAotBound {
    const char *lo, *hi; /* NULL: 0, and the variable's bound */
    bool made;
} SnAotBound;

/* A row of the graph's arithmetic that a text names. */
typedef struct SnAotRow {
    const char *name;
    uint32_t n; /* number of uses: 1, or one per slice of a contract; 0: no
                   row */
    const SnRowUse *use;
    bool uneven; /* of a mean over sets of several sizes */
} SnAotRow;

/* Terms that are used, each after those it is made of. */
typedef struct SnAotNeed {
    bool *is; /* [u.T.n] */
    uint32_t n;
    int32_t *term;
} SnAotNeed;

/* An index that may be outside, or a `when`. */
typedef struct SnAotCond {
    SnMapNum at;
    int64_t dim; /* -1: a truth value */
} SnAotCond;

typedef struct SnAotNode {
    SnArena *a;
    SnDiag *d;
    const SnGraph *g;
    SnId id;
    const char *prefix; /* of every name in the file */
    const SnKindDesc *kd;
    const SnTuple *tuple;
    SnCall call;
    unsigned res;
    const SnSem *sem;
    const struct SnAotTile *tile; /* of result 0, or NULL */
    const struct SnBand *band;    /* a call makes some rows, or NULL */
    const char **line;            /* [nline] of a tile: lines that make a result
                                     from acc */
    uint32_t nline;
    bool wide; /* indices take 64 bits */
    /* the map (sn_aot_map) */
    SnMapArgs args;
    SnMapping u;
    const SnTensor **source; /* [u.nread] the operand of each read */
    SnAotNeed need;
    uint32_t open;   /* bit per variable whose loop is open */
    uint32_t shared; /* variables of the result that no read depends
                        on */
    uint32_t ncond;
    SnAotCond *cond; /* of all reads */
    SnAotBound bound[SN_MAP_NVAR];
    int depth;        /* open loops and blocks */
    int stack[16];    /* loops of each open @sets, @each, @taps */
    uint32_t was[16]; /* variables that were open before */
    int nstack;
    SnBuf *out; /* the function's body */
    SnBuf data; /* tables that the body reads, written before it */
    uint32_t ntable;
    size_t tables; /* bytes of them */
    uint32_t nrow;
    SnAotRow *row;
    SnBuf *rows; /* SnProgram.rows */
    bool unroll; /* the innermost loop of each @sets, @each */
    bool fails;  /* it returns 1 where an index is out of range */
} SnAotNode;

/* ---- text_c.c, text_row.c ---- */

/* Has the node round = after? */
bool sn_aot_after(const SnAotNode *n);
/* Sets n->row; looks for one of them. */
void sn_aot_find_rows(SnAotNode *n, const char *const *text);
const SnAotRow *sn_aot_row(const SnAotNode *n, const char *name, size_t len);
/* The call whose text, NAME(args) or NAME[index](args), begins at s: written up
 * to its arguments; returns where the text continues. */
const char *sn_aot_row_call(const SnAotNode *n, const char *s, SnBuf *b);
/* Declares its constants. */
SnStatus sn_aot_put_row(SnAotNode *n, const char *name);

/* ---- map_c.c ---- */

/* Opens the map of result res; false: reported. */
SnStatus sn_aot_map(SnAotNode *n, unsigned res);
/* A number as C. */
const char *sn_aot_num(SnAotNode *n, SnMapNum x);
/* The conditions of its reads, as they are now. */
void sn_aot_conditions(SnAotNode *n);
/* Adds the terms of x to n->need; those of a read's offset and its conditions;
 * those of conditions on elements at places. */
void sn_aot_need(SnAotNode *n, SnMapNum x);
void sn_aot_need_read(SnAotNode *n, const SnMapRead *r);
void sn_aot_need_late(SnAotNode *n);
/* Removes all. */
void sn_aot_need_none(SnAotNode *n);
/* Writes terms that can be computed now that the variables `now` are known. */
void sn_aot_terms(SnAotNode *n, uint32_t now);
/* Name in C of the parameter of operand slot. */
const char *sn_aot_operand(const SnAotNode *n, uint32_t slot);
const char *sn_aot_result(const SnAotNode *n, unsigned res);
/* Conditions on elements of operands, as a loop before all others. */
void sn_aot_checks(SnAotNode *n);
/* Is c about places of the result, not about each element? */
bool sn_aot_at_places(const SnAotNode *n, SnMapNum c);
const char *sn_aot_float(SnArena *a, float v);
const char *sn_aot_int(SnArena *a, int64_t v);
const char *sn_aot_elem(SnElem e);   /* its type in C */
const char *sn_aot_index(int64_t n); /* the type of an index below n */
/* A table of n numbers of the C type with this name. */
const char *sn_aot_table(SnAotNode *n, const char *type, uint32_t count,
                         const char *(*item)(SnArena *a, const void *v,
                                             uint32_t i),
                         const void *v);

/* ---- loop_c.c ---- */

void sn_aot_line(SnAotNode *n, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What all loops of a result need, once per function. */
void sn_aot_start(SnAotNode *n);
/* @sets: the variables of the result that a set depends on. */
void sn_aot_sets(SnAotNode *n);
/* @each: the rest of the result. */
void sn_aot_each(SnAotNode *n);
/* @taps (part -1), @parts (1), @rest (0). */
void sn_aot_taps(SnAotNode *n, int part);
/* @end */
void sn_aot_end(SnAotNode *n);
/* Opens the loop of a variable; declares the bounds of the loops of taps, once
 * the variables of the result are open. */
void sn_aot_loop(SnAotNode *n, uint32_t v);
void sn_aot_bounds(SnAotNode *n);
/* Distance from one value of a variable of the result to the next, in
 * elements. */
int64_t sn_aot_step(const SnAotNode *n, uint32_t v);
/* Offset in the result; index of a slot's read, NULL: none. */
const char *sn_aot_out(SnAotNode *n);
const SnMapRead *sn_aot_read_of(SnAotNode *n, uint32_t slot);
/* How many taps a set has: a number or an expression. */
const char *sn_aot_count(SnAotNode *n);
/* Where a mean's sum starts: numerics.md, AvgPool. */
const char *sn_aot_mean_start(SnAotNode *n);
/* Has the mean of this node parts? */
bool sn_aot_parts(const SnAotNode *n);
/* Is a set the same for all results, with no tap outside? */
bool sn_aot_even(const SnAotNode *n);

/* ---- text_c.c, move_c.c ---- */

/* line_c.c: one line, its marks replaced. */
void sn_aot_put_line(SnAotNode *n, const char *s);
/* An attribute; the type that "i0", "o0" or an attribute names; a range that an
 * attribute has. */
const SnAttrDesc *sn_aot_attr(const SnAotNode *n, const char *name);
const SnType *sn_aot_type_of(const SnAotNode *n, const char *ref);
SnRange sn_aot_range_of(const SnAotNode *n, const char *ref);
SnStatus sn_aot_text(SnAotNode *n, const char *const *text);
/* fill: a variable's name, or NULL: the zero point. */
SnStatus sn_aot_move(SnAotNode *n, const char *fill);
/* Does it fill any place? */
bool sn_aot_fills(SnAotNode *n);

#endif
