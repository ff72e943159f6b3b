// SPDX-License-Identifier: Apache-2.0
#include "graph/verify/elements.h"

#include "graph/graph_priv.h"
#include "graph/map_args.h"
#include "graph/verify/weights.h"

static bool
looks_at_elements(const SnMapDecl *d)
{
    bool looks = false;

    for (unsigned i = 0; d && i < d->nparam; i++)
        looks |= d->param[i].data;
    return looks;
}

const char *
sn_elements_why(const SnGraph *g, SnId id, SnArena *a)
{
    const SnKindDesc *k = sn_desc_in(g, sn_node(g, id)->kind);
    const char *said = NULL;
    char why[SN_MAP_WHY];
    SnArena *scratch;
    SnMapArgs args;

    if (sn_is_source(k) || k->nout == 0 || !looks_at_elements(k->sem->decl))
        return NULL;
    scratch = sn_arena_new();
    SnCall c = sn_node_call(g, id, scratch);
    SnMapping *u = SN_NEW(scratch, SnMapping);
    if (sn_map_known(&c, k->sem)) {
        sn_map_call_args(&args, &c, k->sem);
        if (sn_mapping_open(u, k->sem->decl, args.arg, scratch, why) &&
            !sn_mapping_reads(u, 0, NULL))
            said = sn_strdup(a, why);
    }
    sn_arena_free(scratch);
    return said;
}
