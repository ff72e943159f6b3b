// SPDX-License-Identifier: Apache-2.0
/* How the sets of a declared map are walked: opened by map_sets.c, walked by
 * set_walk.c. */
#ifndef SN_MAP_SETS_H
#define SN_MAP_SETS_H

#include "kernel/eval/map.h"
#include "kernel/eval/mapped.h"

/* An axis, or a condition: of dim elements, step apart, index
 * cr * place + ct * tap + c0 of one place and one tap; or a table of these two;
 * or, if neither is possible, a term that is run at each tap. */
typedef struct SnSetPart {
    enum { SN_PART_SUM, SN_PART_TABLE, SN_PART_TERM } how;
    uint32_t vars; /* all that it depends on */
    int rv, tv;    /* the place, the tap that is walked last; -1: none */
    int64_t nr, nt;
    int64_t cr, ct, c0, dim, step;
    int64_t *tab; /* [nr][nt] offsets, -1 outside */
    SnMapNum at;  /* the index, or a condition that has to be 1 */
    bool when;
} SnSetPart;

typedef struct SnSetRead {
    int64_t coef[SN_MAP_NVAR], base;
    int npart;
    SnSetPart *part; /* one for each axis and condition, at most */
} SnSetRead;

typedef enum SnVarUse { SN_VAR_GROUP, SN_VAR_LANE, SN_VAR_SHARED } SnVarUse;

/* A variable of the groups: its places, and what one more adds; and sums of
 * these. */
typedef struct SnSetStep {
    int v;
    int64_t n, a, b, y, chan, centre;
} SnSetStep;

/* Valid taps of one variable: `len` from each of these numbers on, and what
 * the first adds to the offset. */
typedef struct SnSetTap {
    int64_t t, off;
} SnSetTap;
typedef struct SnSetRow {
    int64_t n, len;
    SnSetTap *tap;
} SnSetRow;

/* A variable of taps that is walked: its valid taps for each place rv (-1: for
 * all); without these, they depend on more, and are found as they are walked.
 */
typedef struct SnSetLevel {
    int v, rv;
    bool range;
    SnSetRow *row, now;
} SnSetLevel;

#define SN_SET_NEW INT64_MIN

typedef struct SnSets {
    const SnMapping *u;
    SnSetRead a, b;  /* first and second operand */
    SnMapNum weight; /* place of what belongs to a tap; undefined: nothing */
    bool has_centre;
    int64_t centre[SN_MAP_NVAR], centre0, chan[SN_MAP_NVAR];
    SnVarUse use[SN_MAP_NVAR];
    int nlanevar, shared; /* -1: none */
    int ngroup;
    SnSetStep group[SN_MAP_NVAR], sum; /* the slowest first */
    SnSetStep *last;                   /* of group; NULL: none */
    int64_t g;                         /* the current group */
    int64_t next; /* the one after, where only last's place differs; else -1 */
    /* taps: those walked one by one, then one whose valid ones are a range,
     * then whole ones, run elements of one step */
    int nlevel, parts_v; /* parts_v -1: not in parts of one variable */
    SnSetLevel level[SN_MAP_NVAR];
    bool in_parts;
    int64_t run, number[SN_MAP_NVAR];
    bool single;      /* one level, with a range for each place, describes
                         everything */
    bool by_elements; /* some bound of taps depends on elements */
    /* What a place of the last group variable adds to the offsets of the set of
     * the place before, or SN_SET_NEW where it is another; NULL: always */
    int64_t *slide;
    /* the current group: places, taps, and the values of terms there */
    int64_t at[SN_MAP_NVAR], *val;
    int64_t late;   /* places of the last variable that are not in sum yet */
    int64_t slid;   /* by which it differs from the group before */
    int64_t filled; /* the group that single taps are of */
} SnSets;

/* Fills m, except a and b, for a result that has elements; arrays live in
 * c->scratch. */
SnStatus sn_open_sets(SnMap *m, const SnCall *c, const SnSem *sem,
                      unsigned res);

/* ---- the current group (set_walk.c) ---- */

/* Places of variable v; 1 if v is -1 (none). */
static inline int64_t
sn_sets_bound(const SnMapping *u, int v)
{
    return v < 0 ? 1 : u->var[v].bound.v;
}

/* Does a part depend on variable v? */
static inline bool
sn_sets_in_part(const SnSetRead *s, int v)
{
    for (int i = 0; i < s->npart; i++)
        if (s->part[i].vars >> v & 1)
            return true;
    return false;
}

/* What the part adds if the terms have these values; -1: outside. */
int64_t sn_sets_value(const SnSetPart *p, const int64_t *val);
/* What the part adds at tap t of its last one, the group's places and the other
 * taps being in s->at; -1: outside. */
int64_t sn_sets_part(const SnSets *s, const SnSetPart *p, int64_t r, int64_t t);
/* Moves m and s to group g: sets its place in the result and the second
 * operand, and returns that in the first. */
int64_t sn_sets_place(SnMap *m, SnSets *s, int64_t g);
/* How many places tap v has in the current group. */
int64_t sn_sets_bound_now(const SnSets *s, int v);
/* The valid taps of l for the group's places and the taps before. */
void sn_sets_row(SnSets *s, const SnSetLevel *l, SnSetRow *r);

#endif
