/* The derived families: one routine each, driven by descriptors. */
#ifndef SN_DERIVE_H
#define SN_DERIVE_H

#include "rewrite/rewrite.h"

/* Each looks at node id and, if the family applies there, fires `rule` and
 * rewrites.  kinds restricts the nodes (not Rescales) that take part. */
bool sn_absorb(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
               const uint64_t *kinds); /* id: a node with free inputs */
bool sn_merge(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
              const uint64_t *kinds); /* id: the Rescale */
bool sn_sink(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
             const uint64_t *kinds); /* id: a node with same ports */
bool sn_integerize(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
                   const uint64_t *kinds); /* id: the float node */

bool sn_layout(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
               const uint64_t *kinds); /* id: what reads a Transpose */

static inline bool
sn_kind_in(const uint64_t *kinds, SnKind k)
{
    return !kinds || (kinds[k / 64] >> (k % 64) & 1);
}

#endif
