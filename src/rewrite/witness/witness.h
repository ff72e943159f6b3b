// SPDX-License-Identifier: Apache-2.0
/* The log of a rewriting, and its verification (docs/proofs.md, "Checking a
 * run").  A log is a .sn file that holds every node of the graph before and
 * every node that was added, with the steps in comments above it: what was
 * added, which operand reads another value now, what was removed. */
#ifndef SN_WITNESS_H
#define SN_WITNESS_H

#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnWitness SnWitness;

/* A log that is empty; it lives in a.  Rewriters with these options write into
 * it: all of one graph. */
SnWitness *sn_witness_new(SnArena *a, SnRewriteOpts *o);
/* Writes the log of what made g: path, and a sidecar file where constants are
 * large.  g is the graph as it will be saved. */
SnStatus sn_witness_save(SnWitness *w, const SnGraph *g, const char *path,
                         SnDiag *d);

/* What a log was found to hold. */
typedef struct SnVerdict {
    uint32_t nstep, nfire; /* steps, and those that are fires of rules */
    uint32_t nran;         /* fires whose both sides were run */
} SnVerdict;

/* Is `after` what the steps of the log at path make of `before`, and is each
 * step one that its rule permits?  No matcher, family, driver or built-in pass
 * is called: steps are applied by the graph's own functions, both sides of each
 * are run by the evaluators and held against the claim that the tables have.
 * SN_ECHECK names the step that is refused, SN_EINPUT a log that is none,
 * SN_EUNSUPPORTED a step of a kind that this does not know. */
SnStatus sn_witness_verify(SnArena *a, const SnGraph *before,
                           const SnGraph *after, const char *path,
                           const SnRewriteOpts *o, SnDiag *d, SnVerdict *out);

#ifdef __cplusplus
}
#endif

#endif
