// SPDX-License-Identifier: Apache-2.0
/* Which Constants own their data (SnNode.own).  Weights of a model are copied
 * into the arena of the graph where they are brought into another order; most
 * are read by one node, in one order.  What folding makes of such a copy takes
 * its place.  A late Constant reads a copy, too, and owns none. */
#include <stdlib.h>

#include "onnx/import/import_priv.h"

/* A smaller one may as well stay. */
enum { OWN_LEAST = 1 << 16 };

void
sn_import_copied(SnImport *x, const void *p, size_t n)
{
    if (n >= OWN_LEAST)
        SN_PUSH(x->a, x->copied, x->ncopied, p);
}

static int
by_address(const void *p, const void *q)
{
    uintptr_t a = (uintptr_t) * (const void *const *)p;
    uintptr_t b = (uintptr_t) * (const void *const *)q;

    return (a > b) - (a < b);
}

/* Where data stands in the list, or NULL. */
static const void **
find(const SnImport *x, const void *data)
{
    return bsearch(&data, x->copied, x->ncopied, sizeof *x->copied, by_address);
}

void
sn_import_own(SnImport *x)
{
    if (x->ncopied == 0)
        return;
    qsort(x->copied, x->ncopied, sizeof *x->copied, by_address);
    SnId *user = SN_NEW_N(x->a, SnId, x->ncopied);
    for (SnId id = 1; id < x->g->nnode; id++) {
        const SnNode *n = sn_node(x->g, id);
        const void *data = n->late ? sn_import_late_from(n->late) : n->data;
        const void **at = data ? find(x, data) : NULL;
        if (!at)
            continue;
        SnId *first = &user[at - x->copied];
        SnNode *before = *first ? sn_node(x->g, *first) : NULL;
        sn_node(x->g, id)->own = before == NULL && !sn_is_late(n);
        if (before)
            before->own = false;
        *first = id;
    }
}
