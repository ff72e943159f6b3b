// SPDX-License-Identifier: Apache-2.0
/* Memory of late Constants (graph/late/late.h) while the only node that reads
 * them is prepared.  It is reused for the next node, unless the kernel goes on
 * reading it. */
#ifndef SN_STAGE_H
#define SN_STAGE_H

#include "graph/desc.h"
#include "graph/graph.h"

typedef struct SnStages SnStages;

/* For preparing the nodes of g; freed with a.  once: a Constant that a kernel
 * has copied is not read again.  Otherwise, and where several nodes read one,
 * late Constants are made now.  NULL if none is left. */
SnStages *sn_stages_new(SnArena *a, const SnGraph *g, bool once);

/* Makes the late operands of n and sets their data in in[n->nin]; the other
 * operands are set already. */
void sn_stages_set(SnStages *s, const SnNode *n, SnTensor *in);

/* After n's kernel was prepared: bit i of copied is set if it never reads in[i]
 * again.  The others keep their memory until the graph is freed. */
void sn_stages_keep(SnStages *s, const SnNode *n, const SnTensor *in,
                    uint32_t copied);

/* Makes the late Constants that are read when the graph runs: those with more
 * uses than ncopied[id], the number of uses whose kernel has a copy. */
void sn_stages_end(SnStages *s, const uint32_t *ncopied);

#endif
