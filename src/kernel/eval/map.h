// SPDX-License-Identifier: Apache-2.0
/* Index maps: which operand elements make each result element.  Generated
 * evaluators loop over a map; moves are carried out by one routine.
 *
 * A map splits the result into groups.  All results of a group read one set of
 * taps; `lane`s shift the set (channels of a pool, output channels of a
 * convolution); `nout` results share one set without shift (the elements of a
 * softmax row).  Element order inside a set is the order numerics.md fixes:
 * ascending (kh, kw, ci), k, or channel; a mean over a window may go down the
 * columns instead, and then sums each before they are added. */
#ifndef SN_MAP_H
#define SN_MAP_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run of taps: n taps from offset a on (step SnMap.step_a) in the first
 * operand; tap numbers k .. k + n - 1 of the whole set, so that padding leaves
 * gaps.  Tap number t is at b0 + t * step_b in the second operand. */
typedef struct SnSeg {
    int64_t a, k, n;
} SnSeg;

typedef struct SnMap {
    int64_t ngroup, nlane, nout;
    /* The current set, filled by sn_map_set: offsets of tap k in the first
     * (a) and second (b) mapped operand. */
    int64_t ntap, maxtap;
    int64_t part;   /* taps that a mean sums before it adds them to the rest:
                       the valid ones of a column, or 1; divides ntap */
    float start;    /* of a pool's mean: sn_pool_start */
    int64_t nall;   /* elements a mean divides by: valid taps, or the whole
                       window where pads count */
    int64_t *a, *b; /* [maxtap] */
    int64_t *b_of;  /* [maxtap] offset of each tap number from b0 in the second
                       operand, or NULL: a multiple of step_b */
    bool two;       /* there is a second operand: b is filled */
    int64_t lane_a, lane_b, lane_y; /* offset per lane */
    int64_t y0;     /* result offset of (lane 0, out 0) in this group */
    int64_t *y;     /* [nout] offsets relative to y0 (maps with nout > 1), or
                       NULL: all 0 */
    int64_t *c;     /* [nout] absolute offsets of the centre in a, or NULL
                       when the map has none */
    int64_t chan0;  /* channel (slice of a per-axis operand) of lane 0 */
    int64_t chan_e; /* from one of nout to the next */
    bool whole;     /* the set is a whole image, without pads */
    /* The current set as runs, filled by sn_map_segs. */
    uint32_t nseg;
    SnSeg *seg;
    int64_t step_a, step_b, b0;
    struct SnSets *sets; /* private */
} SnMap;

/* Prepares the map of result `res` of the call.  Fails (SN_EINPUT, c->why) for
 * a window without a valid element and an index out of range, unless the result
 * has no element: then there are no groups.  Arrays live in c->scratch. */
SnStatus sn_map_open(SnMap *m, const SnCall *c, unsigned res);
/* Approximate number of taps of a set of result `res`; operands may have no
 * data, as shapes decide what a call does. */
double sn_map_taps(const SnCall *c, unsigned res);
/* The runs of a group; ntap, nall, b0, y0, c and chan0 as well. */
void sn_map_segs(SnMap *m, int64_t group);
/* sn_map_segs, and the single taps. */
void sn_map_set(SnMap *m, int64_t group);

/* Point maps: the operand offset for each result element.  Operand i's stride
 * along each (merged) axis; sn_bcast_run goes on by a whole run of the
 * innermost one. */
typedef struct SnBcast {
    int64_t count;
    int nop, rank;
    int64_t dim[SN_MAXRANK], idx[SN_MAXRANK];
    int64_t stride[SN_MAXRANK][8];
    int64_t off[8];
    int64_t run;     /* elements along the innermost merged axis */
    int64_t step[8]; /* each operand's stride along it */
    int64_t slice;   /* of a per-axis type, while walking runs */
    int64_t nslice;
} SnBcast;
void sn_bcast_open(SnBcast *b, const SnCall *c);
void sn_bcast_run(SnBcast *b);

/* A move: copies codes of size `size` by the map; fill is the code (of that
 * size) for padding, NULL for the zero point.  Index out of range: SN_EINPUT.
 * topk: res 0 are the values, others the indices. */
SnStatus sn_move(const SnCall *c, unsigned res, const void *fill);
/* The same as a table, for a call whose operands may have no data; false if it
 * needs more than one read, elements without data, or rows that depend on more
 * than places.  The table is in c->scratch. */
struct SnCopyTable;
bool sn_move_table(const SnCall *c, struct SnCopyTable *t);
/* Evaluates kinds whose results are all moves without a fill. */
SnEvalFn sn_eval_move;

/* ---- arguments of a map (for the files of this folder) ---- */

/* The operand in slot i; one without data when it is missing. */
const SnTensor *sn_opnd(const SnCall *c, uint32_t slot);
const SnTensor *sn_map_port(const SnCall *c, const SnSem *s, unsigned arg);
/* Argument arg as a number (int, bool, enum index), or els when it is not
 * given. */
int64_t sn_map_int(const SnCall *c, const SnSem *s, unsigned arg, int64_t els);
SnInts sn_map_ints(const SnCall *c, const SnSem *s, unsigned arg);
/* Does a mean first add up the parts of its map, then their sums (numerics.md,
 * AvgPool)? */
bool sn_mean_in_parts(const SnCall *c);
/* The same for a pool with this horizontal stride. */
static inline bool
sn_pool_columns(const SnCall *c, int64_t stride)
{
    return stride <= 2 && sn_mean_in_parts(c);
}
/* What that mean's sum is added to: -0, which adds nothing, where it adds up
 * columns, all of which lie in a part of the image; else +0. */
static inline float
sn_pool_start(bool columns, bool whole, bool inside)
{
    return columns && !whole && inside ? -0.0f : 0.0f;
}
/* Axis `axis` counted from the front, or -1 when out of range. */
int sn_axis(const SnShape *s, int64_t axis);
/* Puts a message into c->why; returns SN_EINPUT. */
SnStatus sn_call_fail(const SnCall *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
