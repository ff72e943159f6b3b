// SPDX-License-Identifier: Apache-2.0
/* The resolver's driver: names, types and facts of all declarations, in the
 * order in which they need each other. */
#include "dsl/resolve/resolver.h"

static void
number_nodes(SnResolver *rs)
{
    SnDefs *p = rs->defs;

    for (uint32_t i = 0; i < p->nnode; i++) {
        SnDefNode *n = p->node[i];
        n->kind = i + 1;
        const SnDefNode *first = sn_def_node(p, n->name);
        if (first != n) {
            sn_resolve_twice(rs, n->pos, "node", n->name, first->pos);
            rs->bad_node[n->kind] = true;
        }
    }
}

void
sn_def_resolve(SnDefs *defs, SnDiag *d)
{
    SnResolver rs = {.defs = defs, .d = d, .a = defs->arena};
    uint32_t n = defs->nnode + defs->nrefine + 1;

    rs.bad_node = SN_NEW_N(rs.a, bool, n);
    rs.visit = SN_NEW_N(rs.a, uint8_t, n);
    number_nodes(&rs);
    sn_resolve_types(&rs);
    sn_resolve_maps(&rs);
    sn_resolve_nodes(&rs);
    sn_resolve_ops(&rs);
    sn_resolve_refines(&rs);
    sn_resolve_classes(&rs);
    sn_resolve_ariths(&rs);
    sn_resolve_backends(&rs);
    sn_resolve_passes(&rs);
    sn_resolve_pipelines(&rs);
    sn_resolve_backends_made(&rs);
    sn_resolve_plugin(&rs);
    if (!sn_diag_nerror(d))
        sn_resolve_refines_join(&rs);
}
