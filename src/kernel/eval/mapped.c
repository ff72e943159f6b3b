// SPDX-License-Identifier: Apache-2.0
/* Declared maps of calls. */
#include "kernel/eval/mapped.h"

#include "kernel/eval/map.h"

/* The slot of the first operand that parameter number i takes. */
static uint32_t
slot_of(const SnCall *c, const SnSem *s, unsigned i)
{
    uint32_t n, first, count;
    const SnArg *g = sn_map_param_args(s, i, &n);

    sn_port_slots(c->kind, c->nin, (uint32_t)g->v, &first, &count);
    return first;
}

const SnTensor *
sn_mapped_tensor(const SnCall *c, unsigned res, const SnMapped *m,
                 const SnMapRead *r)
{
    (void)m;
    return sn_opnd(c, slot_of(c, &c->kind->sem[res], (unsigned)r->param) +
                          r->which);
}

/* Elements that the map itself looks at. */
static void
add_data(const SnCall *c, const SnSem *s, SnMapped *m)
{
    for (unsigned i = 0; i < s->decl->nparam; i++) {
        const SnMapParam *p = &s->decl->param[i];
        if (p->kind != SN_MP_OPERAND || !m->args.arg[i].given)
            continue;
        const SnTensor *t = sn_opnd(c, slot_of(c, s, i));
        m->args.arg[i].low = sn_elem_lo(t->type->elem);
        if (!p->data)
            continue;
        m->args.arg[i].data = t->data;
        m->args.arg[i].width = (int)sn_elem_size(t->type->elem);
    }
}

bool
sn_mapped_known(const SnCall *c, const SnSem *s)
{
    for (unsigned i = 0; i < s->decl->nparam; i++) {
        uint32_t n;
        const SnMapParam *p = &s->decl->param[i];
        if (p->kind == SN_MP_OPERAND && p->data &&
            sn_map_param_args(s, i, &n) && n > 0 &&
            !sn_opnd(c, slot_of(c, s, i))->data)
            return false;
    }
    return true;
}

SnStatus
sn_mapped_open(const SnCall *c, unsigned res, SnMapped **out)
{
    const SnSem *s = &c->kind->sem[res];
    const SnShape **in = SN_NEW_N(c->scratch, const SnShape *, c->nin + 1);
    SnMapped *m = sn_alloc(c->scratch, sizeof *m);

    for (uint32_t i = 0; i < c->nin; i++)
        in[i] = c->in[i].shape;
    sn_map_args(&m->args, c->scratch, c->kind, s, c->attr, c->nin, in);
    add_data(c, s, m);
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
