// SPDX-License-Identifier: Apache-2.0
/* What a move makes of the elements of its first operand. */
#ifndef SN_MOVED_H
#define SN_MOVED_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnMoved {
    SN_MOVED_ELSE,    /* something else, or it is not known */
    SN_MOVED_ONCE,    /* each stands in one place of the result */
    SN_MOVED_IN_ORDER /* ... and they are in the same order */
} SnMoved;

/* Of a node of class move that clamps nothing, by its map; of others
 * SN_MOVED_ELSE. */
SnMoved sn_moved(const SnGraph *g, SnId id);

#ifdef __cplusplus
}
#endif

#endif
