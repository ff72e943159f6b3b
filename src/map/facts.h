// SPDX-License-Identifier: Apache-2.0
/* What follows from a declaration of a map before any shape is known. */
#ifndef SN_MAP_FACTS_H
#define SN_MAP_FACTS_H

#include "map/decl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Is element i of the result made of the operands' elements i, i being the
 * whole place?  An operand that is repeated along axes where it has 1 counts:
 * see sn_map_repeats. */
bool sn_map_in_place(const SnMapDecl *d);
/* Is some operand repeated along axes where it has 1? */
bool sn_map_repeats(const SnMapDecl *d);

/* Does what lies beside the set belong to a tap, and not to the place alone?
 * By the declaration: where there is one tap, its number is a constant. */
bool sn_map_beside_tap(const SnMapDecl *d);

/* Of two operands that a set reads, does a result element read the second one
 * in the row that its place beside the set names, no element twice?  So a
 * filter lies that has one row for each output channel. */
bool sn_map_rows(const SnMapDecl *d);

/* ---- axes in another order ---- */

/* How a parameter depends on the order of axes. */
typedef enum SnMapAxisUse {
    SN_MX_NONE,  /* not at all; operands too */
    SN_MX_INDEX, /* an axis number */
    SN_MX_LIST,  /* a list of axis numbers */
    SN_MX_EACH,  /* one entry for each axis; or none, for the default */
    SN_MX_PAIRS  /* all befores, then all afters */
} SnMapAxisUse;

/* Does permuting the axes of all operands permute those of the result alike,
 * once parameters are renumbered, for every formula over the map? */
bool sn_map_axes_free(const SnMapDecl *d);
/* Does a place in the result decide which taps of its set are read?  No proof
 * covers such sets along axes in another order. */
bool sn_map_set_varies(const SnMapDecl *d);
/* Does it work along one axis, named by a parameter, and see of the axes before
 * and after it no more than that they are carried?  Then those may be
 * regrouped, into as many elements before the named axis and as many after it.
 */
bool sn_map_regroups(const SnMapDecl *d);
/* The parameter that names this axis, where sn_map_regroups. */
unsigned sn_map_axis_param(const SnMapDecl *d);
/* Of parameter i, where sn_map_axes_free. */
SnMapAxisUse sn_map_axis_use(const SnMapDecl *d, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
