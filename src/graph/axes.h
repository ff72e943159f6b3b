// SPDX-License-Identifier: Apache-2.0
/* Axis arguments of a node's map under another order of axes. */
#ifndef SN_AXES_H
#define SN_AXES_H

#include "graph/desc.h"

/* Moves commute with the kind's map (lemma L1), once its axis arguments are
 * renumbered: from the order of a transposed value, whose axis i is axis
 * perm[i] of the original, to the original's order.  attr is changed; lists
 * are made anew in a.  False: an attribute is not of the form its map wants. */
bool sn_axes_free(const SnKindDesc *d);
/* Are operands repeated along axes where they have 1, or none? */
bool sn_axes_repeat(const SnKindDesc *d);
bool sn_axes_renumber(SnArena *a, const SnKindDesc *d, void *attr, SnInts perm);
/* Does a `where` limit which axes the attributes may name? */
bool sn_axes_constrained(const SnKindDesc *d);

#endif
