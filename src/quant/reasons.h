// SPDX-License-Identifier: Apache-2.0
/* Why a Rescale is still in the graph: the clean-up passes are asked once
 * more, and what each rule and family says about the Rescale, its producer and
 * its users is collected. */
#ifndef SN_REASONS_H
#define SN_REASONS_H

#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnReason {
    uint16_t rule;    /* sn_rule(rule) */
    const char *node; /* "conv1 (Conv2D)" */
    const char *text;
} SnReason;

typedef struct SnWhyRescale {
    const char *name, *from, *to; /* the Rescale and its two types */
    const char *producer;
    uint32_t nreason;
    SnReason *reason;
} SnWhyRescale;

typedef struct SnWhy {
    uint32_t nfire; /* rewrites that did apply before asking */
    uint32_t n;
    SnWhyRescale *rescale; /* in topological order */
} SnWhy;

/* Works on a copy of g; passes as for sn_rewrite.  node NULL: all Rescales,
 * else those that are, feed or read the value of that name. */
SnStatus sn_why_rescales(SnArena *a, const SnGraph *g, const SnRewriteOpts *o,
                         const char *passes, const char *node, SnDiag *d,
                         SnWhy *out);

/* Live Rescales in g. */
uint32_t sn_count_rescales(const SnGraph *g);

#ifdef __cplusplus
}
#endif

#endif
