// SPDX-License-Identifier: Apache-2.0
/* A node's operands and attributes as arguments of its map. */
#include "graph/map_args.h"

/* Where the node leaves one out, the map's own name stands in messages. */
static const char *
name_of(const SnKindDesc *d, const SnArg *g, const SnMapParam *p)
{
    return g && g->kind == SN_ARG_PORT   ? d->in[g->v].name
           : g && g->kind == SN_ARG_ATTR ? d->attr[g->v].name
                                         : p->name;
}

/* Ports that give a variadic parameter its operands follow each other. */
static void
add_operands(SnMapArgs *m, SnArena *a, const SnKindDesc *d, const SnArg *g,
             uint32_t ng, uint32_t nin, const SnShape *const *in, SnMapArg *to)
{
    uint32_t first = 0, count = 0, last = 0;

    sn_port_slots(d, nin, (uint32_t)g[0].v, &first, &count);
    sn_port_slots(d, nin, (uint32_t)g[ng - 1].v, &last, &count);
    uint32_t n = last + count - first;
    SnMapBox *box = &m->box[m->nbox];
    if (n > SN_MAP_BOXES - m->nbox)
        box = SN_NEW_N(a, SnMapBox, n);
    else
        m->nbox += n;
    to->box = box;
    for (uint32_t s = first; s < first + n; s++)
        if (in[s])
            box[to->n++] = (SnMapBox){in[s]->rank, in[s]->dim};
    to->given = to->n > 0;
}

static void
add_attr(const SnAttrDesc *at, const void *v, int64_t *number, SnMapArg *to)
{
    to->n = 1;
    to->ints = number;
    to->fixed = at->fixed > 0;
    switch (at->kind) {
    case SN_A_INT:
        to->ints = v;
        break;
    case SN_A_BOOL:
        *number = *(const bool *)v;
        break;
    case SN_A_ENUM:
        *number = *(const int32_t *)v; /* the map has the same words */
        break;
    case SN_A_INTS:
        to->n = ((const SnInts *)v)->n;
        to->ints = ((const SnInts *)v)->v;
        break;
    case SN_A_REAL:
        to->reals = v;
        break;
    case SN_A_REALS:
        to->n = ((const SnReals *)v)->n;
        to->reals = ((const SnReals *)v)->v;
        break;
    default:
        to->given = false;
    }
}

const SnArg *
sn_map_param_args(const SnSem *s, unsigned i, uint32_t *n)
{
    uint32_t at = 0;

    for (unsigned k = 0; at < s->narg; k++, at += *n) {
        *n = 1;
        while (s->decl->param[k].variadic && at + *n < s->narg &&
               s->arg[at + *n].kind == SN_ARG_PORT)
            ++*n;
        if (k == i)
            return &s->arg[at];
    }
    *n = 0;
    return NULL;
}

void
sn_map_args(SnMapArgs *m, SnArena *a, const SnKindDesc *d, const SnSem *s,
            const void *attr, uint32_t nin, const SnShape *const *in)
{
    const SnMapDecl *map = s->decl;

    m->nbox = 0;
    for (unsigned i = 0; i < map->nparam; i++) {
        const SnMapParam *p = &map->param[i];
        uint32_t ng;
        const SnArg *g = sn_map_param_args(s, i, &ng);
        m->arg[i] = (SnMapArg){.name = name_of(d, g, p), .given = g != NULL};
        if (!g)
            continue;
        if (g->kind == SN_ARG_PORT) {
            add_operands(m, a, d, g, ng, nin, in, &m->arg[i]);
        } else if (g->kind == SN_ARG_ATTR) {
            const SnAttrDesc *ad = &d->attr[g->v];
            add_attr(ad, sn_attr_at(attr, ad), &m->number[i], &m->arg[i]);
        } else {
            m->number[i] = g->v;
            m->arg[i].n = 1;
            m->arg[i].ints = &m->number[i];
        }
    }
}

uint32_t
sn_map_param_slot(const SnCall *c, const SnSem *s, unsigned i)
{
    uint32_t n, first, count;
    const SnArg *g = sn_map_param_args(s, i, &n);

    sn_port_slots(c->kind, c->nin, (uint32_t)g->v, &first, &count);
    return first;
}

/* The tensor of an operand whose elements are numbers for the map; NULL: the
 * parameter is none, or left out. */
static const SnTensor *
looked_at(const SnCall *c, const SnSem *s, unsigned i)
{
    uint32_t n;
    const SnMapParam *p = &s->decl->param[i];

    if (p->kind != SN_MP_OPERAND || !p->data || !sn_map_param_args(s, i, &n) ||
        n == 0)
        return NULL;
    return &c->in[sn_map_param_slot(c, s, i)];
}

bool
sn_map_known(const SnCall *c, const SnSem *s)
{
    for (unsigned i = 0; i < s->decl->nparam; i++) {
        const SnTensor *t = looked_at(c, s, i);
        if (t && !t->data)
            return false;
    }
    return true;
}

void
sn_map_call_args(SnMapArgs *m, const SnCall *c, const SnSem *s)
{
    const SnShape **in = SN_NEW_N(c->scratch, const SnShape *, c->nin + 1u);

    for (uint32_t i = 0; i < c->nin; i++)
        in[i] = c->in[i].shape;
    sn_map_args(m, c->scratch, c->kind, s, c->attr, c->nin, in);
    for (unsigned i = 0; i < s->decl->nparam; i++) {
        const SnTensor *t = looked_at(c, s, i);
        if (!t)
            continue;
        m->arg[i].low = sn_elem_lo(t->type->elem);
        m->arg[i].data = t->data;
        m->arg[i].width = (int)sn_elem_size(t->type->elem);
    }
}

/* ---- what rows of arithmetics ask ---- */

int64_t
sn_row_arg(const SnCall *c, unsigned res, const char *name, uint32_t i)
{
    const SnSem *s = &c->kind->sem[res];
    uint32_t ng;

    for (unsigned p = 0; s->decl && p < s->decl->nparam; p++) {
        if (strcmp(s->decl->param[p].name, name) != 0)
            continue;
        const SnArg *g = sn_map_param_args(s, p, &ng);
        if (!g || g->kind != SN_ARG_ATTR)
            return 1;
        const SnAttrDesc *at = &c->kind->attr[g->v];
        const void *v = sn_attr_at(c->attr, at);
        if (at->kind == SN_A_INT)
            return *(const int64_t *)v;
        const SnInts *l = v;
        return at->kind == SN_A_INTS && i < l->n ? l->v[i] : 1;
    }
    return 1;
}

unsigned
sn_row_flags(const SnCall *c, unsigned res)
{
    int64_t group = sn_row_arg(c, res, "group", 0);
    uint32_t slot, n;

    if (group < 2) /* also of what is over no map with groups */
        return 0;
    sn_port_slots(c->kind, c->nin, (uint32_t)c->kind->sem[res].arg[0].v, &slot,
                  &n);
    const SnShape *x = c->in[slot].shape;
    return x && x->rank > 0 && x->dim[x->rank - 1] == group ? SN_WHEN_DEPTHWISE
                                                            : 0;
}
