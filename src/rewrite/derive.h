// SPDX-License-Identifier: Apache-2.0
/* The derived families: one routine each, driven by descriptors. */
#ifndef SN_DERIVE_H
#define SN_DERIVE_H

#include "rewrite/rewrite.h"

/* Each looks at node id and, if the family applies there, fires `rule` and
 * rewrites.  The nodes (not Rescales) that take part are those that join the
 * derive line of that number. */
bool sn_absorb(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
               uint32_t join); /* id: a node with free inputs */
bool sn_merge(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
              uint32_t join); /* id: the Rescale */
bool sn_sink(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
             uint32_t join); /* id: a node with same ports */
bool sn_integerize(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
                   uint32_t join); /* id: the float node */

/* A float node of the derive line that has, or one of whose forms has, a tuple
 * of codes: integerize makes codes of it or says why it does not. */
bool sn_integerizable(const SnGraph *g, SnId id, uint32_t join);

/* Where a move of one kind may sink: below node id and all nodes that
 * `barred` has no reason against. */
typedef struct SnAbove {
    SnGraph *g;
    SnId id;
    SnKind kind;   /* of the move */
    uint32_t join; /* of the derive line */
    bool (*alike)(const SnGraph *g, SnId a, SnId b);
    bool permutes;      /* axes stand in another order above the moves */
    const char *differ; /* what is said of moves that are not alike */
} SnAbove;

/* The moves that id reads, all alike, and read by none but it and nodes below
 * which they will sink, too: one of them in *first, 0 when there is none.
 * Returns why they cannot sink, or NULL. */
const char *sn_above(const SnAbove *a, SnId *first);
/* Why node id and its kind let no such move sink below, or NULL. */
const char *sn_above_barred(const SnAbove *a, SnId id);
/* Says so of each of them; false. */
bool sn_above_declined(const SnAbove *a, SnRewriter *rw, uint16_t rule,
                       const char *why);

bool sn_regroup(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
                uint32_t join); /* id: what reads a Reshape */
bool sn_sink_dequant(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
                     uint32_t join); /* id: a node that reads Dequantizes */
bool sn_layout(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
               uint32_t join); /* id: what reads a Transpose */

#endif
