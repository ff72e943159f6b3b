// SPDX-License-Identifier: Apache-2.0
/* Where late Constants (graph/late/late.h) are while the only node that reads
 * them is prepared: in memory that the next ones use again.  What its kernel
 * has no copy of stays. */
#ifndef SN_STAGE_H
#define SN_STAGE_H

#include "graph/desc.h"
#include "graph/graph.h"

typedef struct SnStages SnStages;

/* For preparing g; they end with a.  once: nobody reads a Constant again that a
 * kernel has a copy of.  Constants that have to be in memory anyway are made
 * now.  NULL: none is late then. */
SnStages *sn_stages_new(SnArena *a, const SnGraph *g, bool once);

/* Puts the late ones of n's operands into in[]; others are there. */
void sn_stages_set(SnStages *s, const SnNode *n, SnTensor *in);

/* After a kernel of n took them: bit i of `copied` says that it does not look
 * at in[i] again. */
void sn_stages_keep(SnStages *s, const SnNode *n, const SnTensor *in,
                    uint32_t copied);

/* Makes the Constants that are read when the graph runs: ncopied[id] counts
 * uses that are not. */
void sn_stages_end(SnStages *s, const uint32_t *ncopied);

#endif
