// SPDX-License-Identifier: Apache-2.0
/* What kernels leave for later when a graph is prepared (SnLater), mostly
 * weights to pack: done in one go, by all threads that share work
 * (base/team/spread.h). */
#ifndef SN_RUN_LATER_H
#define SN_RUN_LATER_H

#include "graph/desc.h"

/* Does all that v[0..n) leave.  Now and then what they read of files mapped in
 * `constants` is unloaded. */
void sn_later_do(const SnLater *v, uint32_t n, const SnArena *constants);

#endif
