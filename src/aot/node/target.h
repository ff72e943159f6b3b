// SPDX-License-Identifier: Apache-2.0
/* What programs can be for. */
#ifndef SN_AOT_TARGET_H
#define SN_AOT_TARGET_H

#include "base/arena.h"
#include "kernel/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a program is for. */
typedef struct SnAotTarget {
    const char *name, *what;
    bool dsp;  /* sums of products by ARM's DSP instructions, */
    bool mve;  /* and by its vectors */
    bool wide; /* two products by one of 64 bits */
    SnIsa isa; /* by plans of kernel/conv for this one, if not portable */
} SnAotTarget;

/* NULL: no target has this name.  A NULL name selects the first target,
 * `native` the best that this processor runs. */
const SnAotTarget *sn_aot_target(const char *name);
/* The processor that estimates are for; NULL: this target has no estimates. */
const char *sn_aot_processor(const SnAotTarget *t);
/* A message: no target has this name, but there is one like it, or these. */
const char *sn_aot_no_target(SnArena *a, const char *name);

#ifdef __cplusplus
}
#endif

#endif
