// SPDX-License-Identifier: Apache-2.0
/* What inputs and outputs of a program are. */
#ifndef SN_BOUNDARY_H
#define SN_BOUNDARY_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs and outputs of g become codes where a conversion of one scale stands
 * there, which is removed. */
SnStatus sn_aot_codes(SnGraph *g, SnDiag *d);
/* Inputs and outputs of g that are codes of one scale become reals. */
SnStatus sn_aot_reals(SnGraph *g, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
