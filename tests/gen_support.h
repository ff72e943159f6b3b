// SPDX-License-Identifier: Apache-2.0
/* What the generated tests of .def files (build/gen/sn_tests.c) call: one
 * test is begun, its graph built, the pass run, and what came out compared.
 * A failure is reported as the generator reports errors, with SN901. */
#ifndef SN_GEN_SUPPORT_H
#define SN_GEN_SUPPORT_H

#include "rewrite/rewrite.h"

typedef struct SnGt SnGt;

SnGt *sn_gt_begin(const char *where, const char *name);
/* The graph being built. */
SnGraph *sn_gt_graph(SnGt *t);

/* Builders give 0 after an error, which the test then fails with unless it
 * rejects it. */
SnRef sn_gt_input(SnGt *t, const char *name, const SnType *type, int rank,
                  const int64_t *dim);
/* n values, or one for all elements; codes where the type is quantized.  They
 * are k, or v where one of them is no integer. */
SnRef sn_gt_constant(SnGt *t, const char *name, const SnType *type, int rank,
                     const int64_t *dim, uint32_t n, const int64_t *k,
                     const double *v);
/* type NULL: what the operands force.  A node without results gives the
 * reference of its (missing) first one. */
SnRef sn_gt_node(SnGt *t, const char *name, SnKind kind, uint32_t nin,
                 const SnRef *in, const void *attr, const SnType *type,
                 bool calibrated);
/* Constant b moved to the scale that is the product of the operands'. */
SnRef sn_gt_regrid(SnGt *t, SnRef b, uint32_t n, const SnRef *of);
SnRef sn_gt_fold(SnGt *t, SnRef v);
void sn_gt_save(SnGt *t, const char *name, SnRef v);

/* Runs a pass; using: its only rules, NULL-ended, or NULL for all that are
 * not opt-in. */
void sn_gt_run(SnGt *t, const char *pass, const char *backend,
               const char *const *using, bool strict);
/* Something so far gave an error with this text. */
void sn_gt_reject(SnGt *t, const char *text);
/* The value of that name in the graph that ran: an output's, or a node's. */
SnRef sn_gt_value(SnGt *t, const char *name);
int64_t sn_gt_count(const SnGt *t, SnKind k);
void sn_gt_check(SnGt *t, bool holds, const char *what);
/* Starts a second graph, for what is expected. */
void sn_gt_want(SnGt *t);
/* Output `name` of the graph that was run equals `want` in the second one:
 * kinds, attributes, types, data and the names of inputs. */
void sn_gt_expect(SnGt *t, const char *name, SnRef want);
void sn_gt_end(SnGt *t);

#endif
