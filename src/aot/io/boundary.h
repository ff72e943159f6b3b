// SPDX-License-Identifier: Apache-2.0
/* Whether inputs and outputs of a program are codes or reals. */
#ifndef SN_BOUNDARY_H
#define SN_BOUNDARY_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes inputs and outputs of g codes where they have a conversion of one
 * scale, which is removed. */
SnStatus sn_aot_codes(SnGraph *g, SnDiag *d);
/* Makes inputs and outputs of g that are codes of one scale reals. */
SnStatus sn_aot_reals(SnGraph *g, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
