// SPDX-License-Identifier: Apache-2.0
/* refine: facts of a node that one backend narrows.  The node itself stays as
 * declared; the narrowed node is resolved as if it were a form (sn_def_view
 * puts it in the node's place while a backend is checked). */
#include <string.h>
#include "dsl/resolve/resolver.h"

/* ---- views ---- */

static void
swap_bit(uint64_t *m, uint32_t kind, uint64_t *joins, uint32_t i)
{
    uint64_t was = m[kind / 64] >> kind % 64 & 1;
    uint64_t is = joins[i / 64] >> i % 64 & 1;

    if (was != is) {
        m[kind / 64] ^= UINT64_C(1) << kind % 64;
        joins[i / 64] ^= UINT64_C(1) << i % 64;
    }
}

void
sn_def_view(SnDefs *defs, const SnDefBackend *b)
{
    for (uint32_t i = 0; i < defs->nrefined; i++) {
        SnDefRefined *r = defs->refined[i];
        if (r->shown == (b && r->backend == b))
            continue;
        SnDefNode n = *r->node;
        *r->node = *r->as;
        *r->as = n;
        r->shown = !r->shown;
        for (uint32_t k = 0; r->joins && k < defs->nderive + defs->nclass; k++)
            swap_bit(k < defs->nderive ? defs->derive[k]->member
                                       : defs->cls[k - defs->nderive]->member,
                     n.kind, r->joins, k);
    }
}

/* ---- narrowing ---- */

static const SnDefPort *
port_at(const SnDefNode *n, uint32_t i)
{
    return i < n->nin ? n->in[i] : n->out[i - n->nin];
}

static bool
same_fixed(const SnDefPort *p, const SnDefPort *q)
{
    return p->fact == SN_FIXED && q->fact == SN_FIXED &&
           p->fixed_scale == q->fixed_scale && p->fixed_zp == q->fixed_zp;
}

/* Ports that agreed still agree: all are `same`, or all have the same fixed
 * type. */
static bool
group_kept(const SnDefNode *n, const SnDefNode *as, const SnDefPort *q)
{
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *o = port_at(as, i);
        if (port_at(n, i)->fact == SN_SAME &&
            !(q->fact == SN_SAME && o->fact == SN_SAME) && !same_fixed(q, o))
            return false;
    }
    return true;
}

/* Does every type that q admits fit p too? */
static bool
narrows(const SnDefNode *n, const SnDefNode *as, const SnDefPort *p,
        const SnDefPort *q)
{
    switch (p->fact) {
    case SN_FACT_NONE:
    case SN_FREE:
        return true;
    case SN_SAME:
        return group_kept(n, as, q);
    case SN_FIXED:
        return same_fixed(p, q);
    case SN_PIN:
        return q->fact == SN_PIN && p->npin == q->npin &&
               !memcmp(p->pin, q->pin, sizeof p->pin);
    case SN_GIVEN:
        return q->fact == SN_GIVEN || q->fact == SN_FIXED;
    }
    return false;
}

static const char *
fact_str(SnResolver *rs, const SnDefNode *n, const SnDefPort *p)
{
    SnBuf b;

    sn_buf_init(&b, rs->a);
    sn_putf(&b, "%s %s", sn_fact_words[p->fact].word, p->name);
    for (uint32_t i = 0; p->fact == SN_SAME && i < n->nin + n->nout; i++)
        if (port_at(n, i) != p && port_at(n, i)->fact == SN_SAME)
            sn_putf(&b, ", %s", port_at(n, i)->name);
    if (p->fact == SN_FIXED || p->fact == SN_PIN)
        sn_putf(&b, " (%s, %s)", sn_expr_str(rs->a, p->scale),
                sn_expr_str(rs->a, p->zp));
    return sn_buf_str(&b);
}

/* One message for a refinement, about the first port that it widens. */
static bool
check_narrow(SnResolver *rs, const SnDefNode *n, const SnDefNode *as)
{
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *p = port_at(n, i), *q = port_at(as, i);
        if (narrows(n, as, p, q))
            continue;
        const char *was = fact_str(rs, n, p);
        sn_error(rs->d, q->fact_pos, "SN603",
                 "refine %s widens its facts: '%s', where the declaration "
                 "says '%s'",
                 n->name, fact_str(rs, as, q), was);
        sn_diag_span(rs->d, p->fact_pos,
                     "declared here; the core's rules rely on it");
        sn_diag_help(rs->d, "a backend may only narrow: %s;", was);
        return false;
    }
    return true;
}

/* ---- resolving ---- */

/* Only facts, of a node of the core. */
static const SnDefNode *
refined_node(SnResolver *rs, const SnDefNode *r)
{
    const SnDefNode *n = sn_resolve_node(rs, r->pos, r->name);

    if (!n)
        return NULL;
    if (r->nport || r->nattr || r->ntuple_src || r->nsem || r->ninv ||
        r->nkernel || r->nonnx || r->ncommutes || r->neffect) {
        sn_error(rs->d, r->pos, "SN126", "refine %s may only give facts",
                 n->name);
        sn_diag_help(rs->d, "free, same, fixed, pin or given");
        return NULL;
    }
    if (!r->backend || n->backend) {
        sn_error(rs->d, r->pos, "SN126",
                 r->backend ? "refine %s: it is a node of backend %s"
                            : "refine %s: only a file with a backend may",
                 n->name, n->backend ? n->backend->name : "");
        sn_diag_help(rs->d, n->backend
                                ? "give its facts where it is declared"
                                : "backend NAME { ... } in the same file");
        return NULL;
    }
    for (uint32_t i = 0; i < rs->defs->nrefined; i++)
        if (rs->defs->refined[i]->node == n &&
            rs->defs->refined[i]->backend == r->backend) {
            sn_resolve_twice(rs, r->pos, "refine", r->name,
                             rs->defs->refined[i]->pos);
            return NULL;
        }
    return sn_resolve_bad(rs, n) ? NULL : n;
}

void
sn_resolve_refines(SnResolver *rs)
{
    SnDefs *defs = rs->defs;

    for (uint32_t i = 0; i < defs->nrefine; i++) {
        SnDefNode *v = defs->refine[i];
        const SnDefBackend *own = v->backend;
        const SnDefNode *n = refined_node(rs, v);
        if (!n)
            continue;
        v->kind = defs->nnode + 1 + i; /* it reports its own errors */
        v->form_of = n->name;
        v->form_pos = v->pos;
        sn_resolve_as_form(rs, v);
        if (rs->bad_node[v->kind] || !check_narrow(rs, n, v))
            continue;
        v->doc = n->doc;
        v->kind = n->kind;
        v->base = n->base;
        v->backend = n->backend;
        v->nonnx = n->nonnx;
        v->onnx = n->onnx;
        v->nkernel = n->nkernel;
        v->kernel = n->kernel;
        SnDefRefined *r = SN_NEW(rs->a, SnDefRefined);
        r->node = defs->node[n->kind - 1];
        r->as = v;
        r->backend = own;
        r->pos = v->pos;
        SN_PUSH(rs->a, defs->refined, defs->nrefined, r);
    }
}

/* Sets the bit of n in m to `in`, and keeps the old value as bit i of joins. */
static void
set_bit(uint64_t *m, const SnDefNode *n, bool in, uint64_t *joins, uint32_t i)
{
    uint64_t bit = UINT64_C(1) << n->kind % 64;

    if (m[n->kind / 64] & bit)
        joins[i / 64] |= UINT64_C(1) << i % 64;
    m[n->kind / 64] = in ? m[n->kind / 64] | bit : m[n->kind / 64] & ~bit;
}

/* Classes first: derive lines, and later classes, name them. */
void
sn_resolve_refines_join(SnResolver *rs)
{
    SnDefs *defs = rs->defs;

    for (uint32_t i = 0; i < defs->nrefined; i++) {
        SnDefRefined *r = defs->refined[i];
        uint64_t *m =
            SN_NEW_N(rs->a, uint64_t, (defs->nderive + defs->nclass) / 64 + 1);
        sn_def_view(defs, r->backend);
        for (uint32_t k = 0; k < defs->nclass; k++)
            set_bit(defs->cls[k]->member, r->node,
                    sn_resolve_satisfies(rs, defs->cls[k]->e, r->node), m,
                    defs->nderive + k);
        for (uint32_t k = 0; k < defs->nderive; k++)
            set_bit(defs->derive[k]->member, r->node,
                    sn_resolve_derives(rs, defs->derive[k], r->node), m, k);
        r->joins = m; /* the state not shown now, as sn_def_view requires */
        sn_def_view(defs, NULL);
    }
}
