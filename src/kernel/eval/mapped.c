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
sn_mapped(const SnCall *c, unsigned res, const SnMapped **out)
{
    SnMapSplit *split;
    SnMapped *m;

    if (c->mapped && c->mapped[res]) {
        *out = c->mapped[res];
        return SN_OK;
    }
    SN_TRY(sn_mapped_open(c, res, &m));
    SnMapping *u = &m->u;
    *out = m;
    if (!sn_mapping_reads(u, 0, NULL))
        return SN_EINPUT;
    uint32_t n = sn_mapping_splits(u, &split);
    if (n && !sn_mapping_reads(u, n, split))
        return SN_EINPUT;
    return SN_OK;
}

/* Does an evaluator ask for the map, whose sets only shapes decide? */
static bool
is_lasting(const SnCall *c, unsigned res)
{
    const SnSem *s = &c->kind->sem[res];

    if ((s->cls != SN_C_CONTRACT && s->cls != SN_C_WINDOW &&
         s->cls != SN_C_MOVE) ||
        !s->decl || sn_map_stmt(s->decl, SN_MS_PRIMITIVE) ||
        sn_shape_count(c->out[res].shape) == 0)
        return false;
    for (unsigned i = 0; i < s->decl->nparam; i++)
        if (s->decl->param[i].data)
            return false;
    return true;
}

const SnMapped *const *
sn_mapped_all(const SnCall *c)
{
    const SnMapped **m = NULL;

    for (unsigned r = 0; r < c->nout; r++) {
        if (!is_lasting(c, r))
            continue;
        if (!m)
            m = SN_NEW_N(c->scratch, const SnMapped *, c->nout);
        if (sn_mapped(c, r, &m[r]) != SN_OK)
            m[r] = NULL; /* the run says why */
    }
    return m;
}
