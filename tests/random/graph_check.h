// SPDX-License-Identifier: Apache-2.0
/* What must hold of a pass on any graph, checked on one graph. */
#ifndef SN_GRAPH_CHECK_H
#define SN_GRAPH_CHECK_H

#include "rewrite/rewrite.h"

typedef struct SnCheckOpts {
    const char *passes; /* names for sn_rewrite */
    const char *backend;
    bool strict;     /* saturation always counts */
    bool every_fire; /* look at the graph after each single fire */
    bool measure;    /* the measure must fall at each fire */
    bool again;      /* a second run must do nothing */
    const char *const *optin;
    const char *const *disable; /* NULL-ended; or NULL */
    uint64_t seed;              /* of values */
    uint32_t *count; /* [sn_rule_end()] fires are added here, or NULL */
} SnCheckOpts;

/* NULL, or what went wrong (in a).  g is not changed.  A sn_bug below is
 * caught and told like any failure. */
const char *sn_graph_check(SnArena *a, const SnGraph *g, const SnCheckOpts *o);

/* The same as a fault (graph_shrink.h), o without counting. */
const char *sn_graph_check_fault(void *o, SnArena *a, const SnGraph *g);

/* g as text, everything inline. */
const char *sn_graph_str(SnArena *a, const SnGraph *g);

#endif
