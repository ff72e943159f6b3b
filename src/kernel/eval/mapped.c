// SPDX-License-Identifier: Apache-2.0
/* Declared maps of calls. */
#include "kernel/eval/mapped.h"

#include "kernel/eval/map.h"

const SnTensor *
sn_mapped_tensor(const SnCall *c, unsigned res, const SnMapRead *r)
{
    return sn_opnd(
        c, sn_map_param_slot(c, &c->kind->sem[res], (unsigned)r->param) +
               r->which);
}

SnStatus
sn_mapped_open(const SnCall *c, unsigned res, SnMapped **out)
{
    const SnSem *s = &c->kind->sem[res];
    SnMapped *m = sn_alloc(c->scratch, sizeof *m);

    sn_map_call_args(&m->args, c, s);
    *out = m;
    return sn_mapping_open(&m->u, s->decl, m->args.arg, c->scratch, c->why)
               ? SN_OK
               : SN_EINPUT;
}

SnStatus
sn_mapped(const SnCall *c, unsigned res, SnMapped **out)
{
    SnMapSplit *split;

    SN_TRY(sn_mapped_open(c, res, out));
    SnMapping *u = &(*out)->u;
    if (!sn_mapping_reads(u, 0, NULL))
        return SN_EINPUT;
    uint32_t n = sn_mapping_splits(u, &split);
    if (n && !sn_mapping_reads(u, n, split))
        return SN_EINPUT;
    return SN_OK;
}
