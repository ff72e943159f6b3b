// SPDX-License-Identifier: Apache-2.0
#include "quant/place/place.h"

#include "graph/verify/admits.h"
#include "quant/place/place_priv.h"
#include "quant/choose/row8.h"
#include "sn_kind_constant.h"
#include "sn_kind_dequantize.h"
#include "sn_kind_quantize.h"

/* Dequantize(Quantize(v)); named base.q and base.dq. */
static SnRef
add_pair(SnPlacing *pl, SnRef v, const SnType *t, const char *base)
{
    SnGraph *g = pl->g;
    const SnType *f32 = sn_type_plain(g->pool, SN_F32);
    SnCodeLimits l = sn_code_limits(g->rounding, SN_ROLE_X, t->elem);
    SnQuantizeAttr attr = {.clamp = {l.qlo, l.qhi,
                                     l.qlo > (double)sn_elem_lo(t->elem),
                                     l.qhi < (double)sn_elem_hi(t->elem)}};
    SnSpec q = {.kind = SN_K_QUANTIZE,
                .attr = &attr,
                .nin = 1,
                .in = &v,
                .type = &t,
                .name = sn_format(pl->a, "%s.q", base),
                .calibrated = true,
                .origin = "place"};
    SnRef qr = SN_REF(sn_add(g, &q, NULL), 0);
    SnSpec dq = {.kind = SN_K_DEQUANTIZE,
                 .nin = 1,
                 .in = &qr,
                 .type = &f32,
                 .name = sn_format(pl->a, "%s.dq", base),
                 .origin = "place"};

    return SN_REF(sn_add(g, &dq, NULL), 0);
}

bool
sn_place_takes_result_type(const SnKindDesc *d, const SnPortDesc *p)
{
    return p->fact == SN_SAME ||
           (d->sem[0].cls == SN_C_POINT && d->sem[0].monotone);
}

/* The codes that operand `slot` of id reads through a pair, or SN_F32: pinned
 * and plain ports and nodes that stay float do not. */
static SnElem
port_elem(const SnPlacing *pl, SnId id, uint32_t slot, bool constant)
{
    const SnNode *n = sn_node(pl->g, id);
    uint32_t port;

    if (id >= pl->nnode || !pl->tuple[id])
        return SN_F32;
    const SnPortDesc *p = sn_place_port(pl->form[id], n->nin, slot, &port);
    SnElem e = (SnElem)pl->tuple[id]->in[port].elem;
    if (constant && sn_place_takes_result_type(pl->form[id], p))
        return SN_F32;
    return p->fact != SN_PIN && sn_elem_quant(e) ? e : SN_F32;
}

typedef struct Site {
    SnId user;
    uint32_t slot;
} Site;

/* The uses of v as they are now, oldest first. */
static Site *
uses_of(SnPlacing *pl, SnRef v, uint32_t *n)
{
    uint32_t total = sn_nuse(pl->g, v), i = total;
    Site *s = SN_NEW_N(pl->a, Site, total + 1);

    for (const SnUse *u = sn_res(pl->g, v)->uses; u && i > 0; u = u->next)
        s[--i] = (Site){u->user, u->slot};
    *n = total;
    return s;
}

/* Every use of a quantized node's result reads the codes that it writes; a use
 * that needs another type converts them. A float node's result is converted
 * where a port requires it. */
static void
place_value(SnPlacing *pl, SnRef v, bool everywhere)
{
    uint32_t n;
    Site *s = uses_of(pl, v, &n);
    SnElem own = everywhere ? sn_place_elem(pl, SN_NODE(v)) : SN_F32;
    SnRef dq[SN_NELEM] = {0};
    const char *name = sn_name(pl->g, v);

    if (everywhere && n) {
        dq[own] = add_pair(pl, v, sn_place_type(pl, v, own), name);
        pl->p->nvalue++;
    }
    for (uint32_t i = 0; i < n; i++) {
        SnElem e = port_elem(pl, s[i].user, s[i].slot, false);
        if (e == SN_F32 && !everywhere)
            continue;
        if (e == SN_F32)
            e = own;
        if (!dq[e]) {
            dq[e] = add_pair(pl, everywhere ? dq[own] : v,
                             sn_place_type(pl, v, e), name);
            pl->p->nvalue++;
        }
        sn_set_in(pl->g, s[i].user, s[i].slot, dq[e]);
    }
}

/* A constant read with different types gets one pair for each. */
static void
place_constant(SnPlacing *pl, SnRef c)
{
    uint32_t n, nmade = 0;
    Site *s = uses_of(pl, c, &n);
    const SnType **type = SN_NEW_N(pl->a, const SnType *, n + 1);
    SnRef *dq = SN_NEW_N(pl->a, SnRef, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        if (port_elem(pl, s[i].user, s[i].slot, true) == SN_F32)
            continue;
        const SnType *t = sn_place_const_type(pl, s[i].user, s[i].slot);
        uint32_t k = 0;
        while (k < nmade && type[k] != t)
            k++;
        if (k == nmade) {
            type[k] = t;
            dq[k] = add_pair(pl, c, t, sn_name(pl->g, c));
            nmade++;
            pl->p->nconst++;
        }
        sn_set_in(pl->g, s[i].user, s[i].slot, dq[k]);
    }
}

/* The table c with its rows fused, for the operands that read such. */
static void
place_table(SnPlacing *pl, SnRef c)
{
    uint32_t n;
    Site *s = uses_of(pl, c, &n);
    const SnShape *shape = sn_shape_of(pl->g, c);
    SnRef fused = 0;

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(pl->g, s[i].user);
        uint32_t port;
        if (s[i].user >= pl->nnode || !pl->tuple[s[i].user])
            continue;
        sn_place_port(pl->form[s[i].user], node->nin, s[i].slot, &port);
        if (pl->tuple[s[i].user]->in[port].elem != SN_ROW8)
            continue;
        if (!fused) {
            const SnType *t = sn_type_plain(pl->g->pool, SN_ROW8);
            SnSpec k = {.kind = SN_K_CONSTANT,
                        .type = &t,
                        .shape = shape,
                        .name = sn_format(pl->a, "%s.q", sn_name(pl->g, c)),
                        .origin = "place"};
            uint8_t *data = sn_alloc(pl->a, sn_tensor_nbyte(t, shape));
            sn_row8_pack(sn_place_elements(pl, c), shape->dim[0], shape->dim[1],
                         data);
            k.data = data;
            fused = SN_REF(sn_add(pl->g, &k, NULL), 0);
            pl->p->nconst++;
        }
        sn_set_in(pl->g, s[i].user, s[i].slot, fused);
    }
}

/* Constants come first: the types of their neighbours are looked up by
 * operand, and pairs around values change operands. */
static void
insert(SnPlacing *pl, const SnId *topo, uint32_t n, bool constants)
{
    for (uint32_t i = 0; i < n; i++) {
        unsigned nres = sn_node(pl->g, topo[i])->nres;
        for (unsigned r = 0; r < nres; r++) {
            SnRef v = SN_REF(topo[i], r);
            const SnTuple *t = pl->tuple[topo[i]];
            if (sn_type(pl->g, v)->elem != SN_F32 ||
                sn_place_constant(pl, v) != constants)
                continue;
            if (constants) {
                place_table(pl, v);
                place_constant(pl, v);
            } else {
                place_value(pl, v, t && sn_elem_quant((SnElem)t->out[r].elem));
            }
        }
    }
}

static void
report(const SnPlacing *pl)
{
    SnDiag *d = sn_rw_diag(pl->rw);

    for (uint32_t i = 0; i < pl->p->nraised; i++) {
        const SnRaised *r = &pl->p->raised[i];
        sn_note(d, (SnPos){0}, NULL,
                "%s: %u of %u weight scales of '%s' "
                "raised so that %s",
                r->node, r->nslice, r->nof, r->constant,
                sn_restricts(pl->g->rounding)
                    ? "bias, sums and ratios fit the arithmetic"
                    : "the bias fits 32 bits");
    }
}

SnStatus
sn_place(SnGraph *g, SnRewriter *rw, void *ctx)
{
    SnPlacing pl = {.g = g, .rw = rw, .p = ctx, .a = sn_scratch(rw)};
    size_t nref = (size_t)g->nnode << SN_RESBITS;
    uint32_t n;
    SnId *topo = sn_topo(g, pl.a, &n);

    SN_TRY(sn_control_check(&pl.p->control, g, pl.a, sn_rw_diag(rw)));
    pl.nnode = g->nnode;
    pl.type8 = SN_NEW_N(pl.a, const SnType *, nref);
    pl.type16 = SN_NEW_N(pl.a, const SnType *, nref);
    pl.tuple = SN_NEW_N(pl.a, const SnTuple *, g->nnode);
    pl.form = SN_NEW_N(pl.a, const SnKindDesc *, g->nnode);
    pl.want = SN_NEW_N(pl.a, SnSettings, g->nnode);
    for (uint32_t i = 0; i < n; i++)
        pl.want[topo[i]] = sn_settings_of(&pl.p->control, g, topo[i], NULL);
    sn_place_decide(&pl, topo, n);
    if (pl.p->unify)
        sn_place_unify(&pl, topo, n);
    SN_TRY(sn_place_admit(&pl, topo, n));
    insert(&pl, topo, n, true);
    insert(&pl, topo, n, false);
    report(&pl);
    return SN_OK;
}
