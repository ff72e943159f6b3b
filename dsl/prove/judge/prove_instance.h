// SPDX-License-Identifier: Apache-2.0
/* Shared by the files that write derived instances as rules. */
#ifndef SN_PROVE_INSTANCE_H
#define SN_PROVE_INSTANCE_H

#include "dsl/prove/trial/case.h"

typedef struct SnProveGen {
    SnProver *pv;
    SnInstance *v;
    uint32_t n;
    const SnDefDerive *derive;
    const SnDefBackend *backend; /* whose facts these are; NULL: as declared */
    const SnDefNode *q, *dq, *rescale; /* the conversions, by role */
} SnProveGen;

/* Adds the instance r, whose rule is the text. */
void sn_prove_add(SnProveGen *g, SnInstance r, const char *text);
/* "unused(n.y) and ..." of all results but the first. */
const char *sn_prove_unused(SnProveGen *g, const SnDefNode *n);
/* Does the condition require the root's other results to be unused? */
bool sn_prove_others_unused(const SnInstance *pr);
/* `derive sink WHAT` at n, for anything except conversions to other scales. */
void sn_prove_sink(SnProveGen *g, const SnDefNode *n, const char *what);

#endif
