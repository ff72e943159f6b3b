// SPDX-License-Identifier: Apache-2.0
/* Elements of operands that a node's map looks at, such as indices.  A graph
 * whose node refuses them is legal, and fails when it runs; the import asks
 * first. */
#ifndef SN_ELEMENTS_H
#define SN_ELEMENTS_H

#include "graph/graph.h"

/* Why the node's map refuses them, where they are constant (in a); NULL: it
 * does not, or they are not known. */
const char *sn_elements_why(const SnGraph *g, SnId id, SnArena *a);

#endif
