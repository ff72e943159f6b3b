// SPDX-License-Identifier: Apache-2.0
/* What a node gives its map: operands' shapes, attributes and numbers, as
 * map/mapping.h takes them. */
#ifndef SN_MAP_ARGS_H
#define SN_MAP_ARGS_H

#include "graph/desc.h"
#include "map/mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_MAP_BOXES = 16 };

typedef struct SnMapArgs {
    SnMapArg arg[SN_MAXARG];
    SnMapBox box[SN_MAP_BOXES];
    int64_t number[SN_MAXARG];
    uint32_t nbox;
} SnMapArgs;

/* Arguments that parameter number i of the declared map takes, from *n on: one,
 * or of a variadic one all ports; NULL: the node leaves it out. */
const SnArg *sn_map_param_args(const SnSem *s, unsigned i, uint32_t *n);
/* Arguments of the map that s (with a declaration) names; in: shapes by slot,
 * NULL for a missing operand.  Lists of operands that are too long for m lie in
 * a. */
void sn_map_args(SnMapArgs *m, SnArena *a, const SnKindDesc *d, const SnSem *s,
                 const void *attr, uint32_t nin, const SnShape *const *in);
/* The same of a call's node, with the elements that are there of operands that
 * the map itself looks at. */
void sn_map_call_args(SnMapArgs *m, const SnCall *c, const SnSem *s);
/* Are all such elements there? */
bool sn_map_known(const SnCall *c, const SnSem *s);
/* The slot of the first operand that parameter number i takes. */
uint32_t sn_map_param_slot(const SnCall *c, const SnSem *s, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
