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

bool sn_layout(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
               uint32_t join); /* id: what reads a Transpose */

/* Moves commute with the kind's map (lemma L1), once its axis arguments are
 * renumbered: from the order of a transposed value, whose axis i is axis
 * perm[i] of the original, to the original's order.  attr is changed; lists
 * are made anew in a.  False: an attribute is not of the form its map wants. */
bool sn_axes_free(const SnKindDesc *d);
bool sn_axes_renumber(SnArena *a, const SnKindDesc *d, void *attr, SnInts perm);

#endif
