// SPDX-License-Identifier: Apache-2.0
/* The resolver's driver: names, types and facts of all declarations, in the
 * order in which they need each other. */
#include "dsl/resolve/resolver.h"

static void
number_nodes(SnRs *rs)
{
    SnDefs *p = rs->defs;

    for (uint32_t i = 0; i < p->nnode; i++) {
        SnDefNode *n = p->node[i];
        n->kind = i + 1;
        const SnDefNode *first = sn_def_node(p, n->name);
        if (first != n) {
            sn_rs_twice(rs, n->pos, "node", n->name, first->pos);
            rs->bad_node[n->kind] = true;
        }
    }
}

void
sn_def_resolve(SnDefs *defs, SnDiag *d)
{
    SnRs rs = {.defs = defs, .d = d, .a = defs->arena};
    uint32_t n = defs->nnode + defs->nrefine + 1;

    rs.bad_node = SN_NEW_N(rs.a, bool, n);
    rs.visit = SN_NEW_N(rs.a, uint8_t, n);
    number_nodes(&rs);
    sn_rs_types(&rs);
    sn_rs_nodes(&rs);
    sn_rs_refines(&rs);
    sn_rs_classes(&rs);
    sn_rs_backends(&rs);
    sn_rs_passes(&rs);
    sn_rs_pipelines(&rs);
    sn_rs_backends_made(&rs);
    sn_rs_plugin(&rs);
    if (!sn_diag_nerror(d))
        sn_rs_refines_join(&rs);
}
