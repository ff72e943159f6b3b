// SPDX-License-Identifier: Apache-2.0
/* What the files of graph/ share: roles of kinds, the name set, checked
 * adding of nodes, and forced types.  Not for other folders. */
#ifndef SN_GRAPH_PRIV_H
#define SN_GRAPH_PRIV_H

#include "graph/desc.h"

/* ---- structural roles, read off the descriptor ---- */

static inline bool
sn_is_source(const SnKindDesc *d) /* Constant or Placeholder */
{
    return d->nout == 1 && d->sem[0].cls == SN_C_SOURCE;
}
static inline bool
sn_holds_data(const SnKindDesc *d) /* Constant */
{
    return sn_is_source(d) && !d->effect;
}
static inline bool
sn_is_input(const SnKindDesc *d) /* Placeholder */
{
    return sn_is_source(d) && d->effect;
}
static inline bool
sn_is_output(const SnKindDesc *d) /* Save */
{
    return d->nout == 0;
}

/* ---- names ---- */

typedef struct SnNameSlot {
    const char *name; /* NULL: free slot */
    uint64_t hash;
    SnRef ref;     /* 0: the name is free again */
    uint32_t next; /* every suffix .1 to .next-1 is taken, or in back */
    uint32_t nback, capback;
    uint32_t *back; /* suffixes given back; a heap, the least first */
} SnNameSlot;

typedef struct SnNames {
    SnArena *a;
    SnNameSlot *slot;
    size_t n, cap;
    SnId *work; /* scratch of sn_dce */
    size_t nwork;
    uint64_t cleaned; /* SnGraph.nedit when sn_dce last ended */
} SnNames;

SnNames *sn_names_new(SnArena *a);
/* What has this name; 0 for none. */
SnRef sn_names_find(const SnNames *m, const char *name);
/* Gives a free name to ref; returns the set's own copy of it. */
const char *sn_names_put(SnNames *m, const char *name, SnRef ref);
void sn_names_drop(SnNames *m, const char *name);
/* base, or base with the first free suffix; not taken yet. */
const char *sn_names_unique(SnNames *m, const char *base);

/* ---- checks ---- */

/* Makes u, which reads nothing, a reader of ref (0: of nothing). */
void sn_use_link(SnGraph *g, SnUse *u, SnRef ref);

/* What lives as long as the pool. */
SnArena *sn_pool_arena(const SnPool *p);
/* The same type in pool p. */
const SnType *sn_type_import(SnPool *p, const SnType *t);
/* Moves the types in a kind's attributes to pool p. */
void sn_attrs_import(SnPool *p, const SnKindDesc *d, void *attr);

/* Fills NULL entries of out that the facts force. */
void sn_force_types(SnPool *p, SnArena *scratch, const SnKindDesc *d,
                    uint32_t nin, const SnType *const *in, const SnType **out);

/* What is wrong with attributes (counts, words, ranges, constraints), or
 * NULL. */
const char *sn_attrs_why(SnArena *a, const SnKindDesc *d, const void *attr,
                         uint32_t nin, const SnType *const *in,
                         const SnType *const *out);
/* What is wrong with a type on a shape, or NULL. */
const char *sn_layout_why(SnArena *a, const SnType *t, const SnShape *s);

/* Types "(a, b) -> c" for messages. */
void sn_put_signature(SnBuf *b, uint32_t nin, const SnType *const *in,
                      uint32_t nout, const SnType *const *out);
/* The kind's tuples, "(qi8, qi8, qi32) -> qi8", at most `max` of them. */
void sn_put_tuples(SnBuf *b, const SnKindDesc *d, unsigned max);

/* A real; every NaN but the standard one as its bits in hex. */
void sn_put_real(SnBuf *b, float v);
/* A binary16 in the low bits, and back (rounding to nearest even). */
float sn_half_to_f32(uint16_t h);
uint16_t sn_half_from_f32(float v);

/* [nnode] of nodes in topological order, each of all that it computes from the
 * graph's inputs. */
uint64_t *sn_node_hashes(const SnGraph *g, const SnId *order, uint32_t n,
                         SnArena *a, bool with_names);

/* Operand types of a node by slot, in a. */
const SnType **sn_in_types(const SnGraph *g, SnId id, SnArena *a);

/* Sums of constants written as one splat stay below this in a file, so that a
 * small file cannot ask for much work; larger ones are written out.  The reader
 * takes memory for none of the large ones. */
enum { SN_SPLAT_MAX = 1 << 30 };

#endif
