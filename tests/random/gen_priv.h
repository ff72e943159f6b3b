// SPDX-License-Identifier: Apache-2.0
/* Inside the maker of random graphs. */
#ifndef SN_GEN_PRIV_H
#define SN_GEN_PRIV_H

#include "random/graph_gen.h"

enum {
    NTYPE = 5,
    NTRY = 24,
    MAXVALUE = 400,
    MAXELEM = 2600,
    UNIT = 4096 /* SN_CPU_UNIT */
};

typedef struct SnGen {
    SnArena *a;
    SnGraph *g;
    SnDiag *d;
    uint64_t r;
    size_t at; /* bytes of the options that were used */
    const SnRandomOpts *o;
    SnKind *kind;
    uint32_t nkind;
    SnRef value[MAXVALUE];
    uint32_t nvalue;
    const SnType *q8[NTYPE], *q16[2];
    int64_t img[4]; /* the shape that most values share */
    bool tame;      /* what is grafted is hardly changed */
    bool ties;      /* ... or so that sums have ties, in each way of rounding */
    bool wide;      /* sizes about the width of a vector come up */
    int64_t most;   /* elements of a value */
    int calibrated; /* 0: no node, 1: some, 2: every one */
} SnGen;

/* ---- gen_draw.c ---- */

/* Both ends included; lo when empty. */
int64_t sn_gen_pick(SnGen *p, int64_t lo, int64_t hi);
bool sn_gen_chance(SnGen *p, int percent);
/* A size: small, or where sizes are wide about a vector's width. */
int64_t sn_gen_size(SnGen *p);
/* As a calibrator makes them, with corners: exact powers of two (ties), odd
 * and extreme zero points, scales far from the others. */
const SnType *sn_gen_quant(SnGen *p, SnElem e);
/* A type whose scale is that of t or twice, half of it: sums have ties. */
const SnType *sn_gen_beside(SnGen *p, const SnType *t);
/* A type that fits the pattern for a value of shape s; NULL: none does. */
const SnType *sn_gen_type(SnGen *p, SnTypePat pat, const SnShape *s);
/* A clamp in type t, open more often than not. */
SnRange sn_gen_clamp(SnGen *p, const SnType *t);
/* Fills attribute at of attr for an operand of shape x. */
void sn_gen_attr(SnGen *p, const SnKindDesc *d, const SnAttrDesc *at,
                 void *attr, const SnShape *x);
/* The data of a Constant. */
void sn_gen_data(SnGen *p, const SnType *t, const SnShape *s, void *data);
/* A broadcast form of s: some dimensions 1, leading ones left out. */
const SnShape *sn_gen_narrow(SnGen *p, const SnShape *s);
static inline bool
sn_gen_fits(const SnType *t, SnTypePat pat)
{
    return t && pat.elem == (int8_t)t->elem && pat.axis == t->axis;
}

/* ---- gen_graft.c ---- */

/* Adds the nodes of `from`, with sizes, attributes and types changed here and
 * there as far as the graph takes it; its values are there to build on. */
void sn_gen_graft(SnGen *p, const SnGraph *from);

#endif
