// SPDX-License-Identifier: Apache-2.0
/* Look-ups in the descriptor tables. */
#include "graph/desc.h"

#include <string.h>

#include "base/num.h"
#include "graph/graph_priv.h"

SnMoreKinds sn_more_kinds;

SnRounding
sn_arith_named(const char *name)
{
    uint32_t r = 0;

    while (r < sn_arith_end() &&
           strcmp(sn_arith_at((SnRounding)r)->name, name) != 0)
        r++;
    return (SnRounding)r;
}

SnKind
sn_kind_named(const char *name)
{
    for (SnKind k = 1; k < sn_kind_end(); k++)
        if (!strcmp(sn_desc(k)->name, name))
            return k;
    return 0;
}

/* The kind that an operator becomes; 0: more than one node. */
static SnKind
imports_as(const SnOnnxDesc *o)
{
    const SnOnnxTerm *t = o->term;
    SnKind k = o->kind;

    for (uint32_t i = 0; t && t->one && !k && i < t->nstep; i++)
        k = t->step[i].kind;
    return k;
}

SnKind
sn_kind_closest(SnArena *a, const char *name, const char **op)
{
    uint32_t nkind = sn_kind_end() - 1, n = nkind;
    const char **cand = SN_NEW_N(a, const char *, nkind + sn_onnx_end());
    SnKind *is = SN_NEW_N(a, SnKind, nkind + sn_onnx_end());

    for (SnKind k = 1; k <= nkind; k++) {
        cand[k - 1] = sn_desc(k)->name;
        is[k - 1] = k;
    }
    for (uint32_t i = 0; i < sn_onnx_end(); i++) {
        is[n] = imports_as(sn_onnx_at(i));
        cand[n] = sn_onnx_at(i)->op.name;
        n += is[n] != 0;
    }
    const char *near = sn_closest(name, cand, n);
    uint32_t at = 0;
    while (near && cand[at] != near)
        at++;
    *op = near && at >= nkind ? near : NULL;
    return near ? is[at] : 0;
}

bool
sn_onnx_is(SnOnnxOp op, const char *full)
{
    const char *colon = strchr(full, ':');
    size_t n = colon != NULL ? (size_t)(colon - full) : 0;

    return strlen(op.domain) == n && memcmp(op.domain, full, n) == 0 &&
           strcmp(op.name, colon != NULL ? colon + 1 : full) == 0;
}

bool
sn_onnx_same(SnOnnxOp a, SnOnnxOp b)
{
    return a.name[0] == b.name[0] && strcmp(a.name, b.name) == 0 &&
           strcmp(a.domain, b.domain) == 0;
}

void
sn_graph_refine(SnGraph *g, uint32_t n, const SnRefineDesc *r)
{
    if (n == g->nrefine && r == g->refine)
        return;
    g->refined = SN_NEW_N(g->arena, SnKindDesc, n);
    for (uint32_t i = 0; i < n; i++) {
        SnKindDesc *d = &g->refined[i];
        *d = *sn_desc(r[i].kind);
        d->in = r[i].in;
        d->out = r[i].out;
        d->family = r[i].family;
        d->joins = r[i].joins;
    }
    g->nrefine = n;
    g->refine = r;
}

const SnAttrDesc *
sn_attr_named(const SnKindDesc *d, const char *name)
{
    for (uint32_t i = 0; i < d->nattr; i++)
        if (!strcmp(d->attr[i].name, name))
            return &d->attr[i];
    return NULL;
}

/* ---- slots and ports ---- */

/* The variadic port, or nin when there is none; *run is its slot count. */
static uint32_t
variadic(const SnKindDesc *d, uint32_t nin, uint32_t *run)
{
    uint32_t v = 0;

    while (v < d->nin && !d->in[v].variadic)
        v++;
    *run = v < d->nin && nin + 1 > d->nin ? nin + 1 - d->nin : 0;
    return v;
}

uint32_t
sn_port_of_slot(const SnKindDesc *d, uint32_t nin, uint32_t slot)
{
    uint32_t run, v = variadic(d, nin, &run);

    if (slot < v)
        return slot;
    return slot < v + run ? v : slot - run + 1;
}

void
sn_port_slots(const SnKindDesc *d, uint32_t nin, uint32_t port, uint32_t *first,
              uint32_t *count)
{
    uint32_t run, v = variadic(d, nin, &run);

    *first = port <= v ? port : port - 1 + run;
    *count = port == v ? run : 1;
    if (*first >= nin)
        *count = 0;
}

/* ---- tuples ---- */

static bool
fits(SnTypePat p, const SnType *t)
{
    return !t ||
           (p.elem >= 0 && t->elem == (SnElem)p.elem && t->axis == p.axis);
}

const SnTuple *
sn_tuple_find(const SnKindDesc *d, uint32_t nin, const SnType *const *in,
              uint32_t nout, const SnType *const *out)
{
    for (uint32_t i = 0; i < d->ntuple; i++) {
        const SnTuple *t = &d->tuple[i];
        uint32_t s = 0, k = 0;
        while (s < nin && fits(t->in[sn_port_of_slot(d, nin, s)], in[s]))
            s++;
        while (k < nout && fits(t->out[k], out[k]))
            k++;
        if (s == nin && k == nout)
            return t;
    }
    return NULL;
}

const SnType **
sn_in_types(const SnGraph *g, SnId id, SnArena *a)
{
    const SnNode *n = sn_node(g, id);
    const SnType **t = SN_NEW_N(a, const SnType *, n->nin + 1u);

    for (uint32_t s = 0; s < n->nin; s++)
        t[s] = n->in[s].ref ? sn_type(g, n->in[s].ref) : NULL;
    return t;
}

const SnTuple *
sn_node_tuple(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    for (uint32_t i = 0; i < d->ntuple; i++) {
        const SnTuple *t = &d->tuple[i];
        uint32_t s = 0, k = 0;
        for (; s < n->nin; s++) {
            SnRef r = n->in[s].ref;
            if (r && !fits(t->in[sn_port_of_slot(d, n->nin, s)], sn_type(g, r)))
                break;
        }
        while (k < n->nres && fits(t->out[k], n->res[k].type))
            k++;
        if (s == n->nin && k == n->nres)
            return t;
    }
    return NULL;
}

bool
sn_node_empty(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    for (unsigned i = 0; i < n->nres; i++)
        if (sn_tensor_nbyte(n->res[i].type, n->res[i].shape) > 0)
            return false;
    return n->nres > 0;
}

/* ---- types that facts force ---- */

/* The type of an input port: that of its first present slot. */
static const SnType *
port_type(const SnKindDesc *d, uint32_t nin, const SnType *const *in,
          uint32_t port)
{
    uint32_t first, count;

    sn_port_slots(d, nin, port, &first, &count);
    for (uint32_t s = first; s < first + count; s++)
        if (in[s])
            return in[s];
    return NULL;
}

const SnType *
sn_pin_type(SnPool *p, SnArena *scratch, const SnKindDesc *d,
            const SnPortDesc *port, const SnTypePat *pat, uint32_t nin,
            const SnType *const *in)
{
    const SnType *f[3] = {NULL, NULL, NULL}, *whole = NULL;

    for (uint32_t i = 0; i < port->npin; i++) {
        f[i] = port_type(d, nin, in, port->pin[i]);
        if (!f[i] || f[i]->nq == 0)
            return NULL;
        if (f[i]->axis >= 0 && whole && whole->nq != f[i]->nq)
            return NULL;
        if (f[i]->axis >= 0)
            whole = f[i];
    }
    uint32_t n = whole ? whole->nq : 1;
    if (port->npin == 0 || (pat->axis < 0) != !whole)
        return NULL;
    float *scale = SN_NEW_N(scratch, float, n);
    int32_t *zp = SN_NEW_N(scratch, int32_t, n);
    for (uint32_t k = 0; k < n; k++) {
        scale[k] = f[0]->scale[f[0]->nq > 1 ? k : 0];
        for (uint32_t i = 1; i < port->npin; i++)
            scale[k] =
                sn_pin_scale(scale[k], f[i]->scale[f[i]->nq > 1 ? k : 0]);
    }
    return sn_type_axis(p, (SnElem)pat->elem, pat->axis, n, scale, zp);
}

/* The type all `same` ports share, from the first that is known. */
static const SnType *
same_type(const SnKindDesc *d, uint32_t nin, const SnType *const *in,
          const SnType *const *out)
{
    for (uint32_t i = 0; i < d->nin; i++) {
        const SnType *t =
            d->in[i].fact == SN_SAME ? port_type(d, nin, in, i) : NULL;
        if (t)
            return t;
    }
    for (uint32_t k = 0; k < d->nout; k++)
        if (d->out[k].fact == SN_SAME && out[k])
            return out[k];
    return NULL;
}

void
sn_force_types(SnPool *p, SnArena *scratch, const SnKindDesc *d, uint32_t nin,
               const SnType *const *in, const SnType **out)
{
    const SnTuple *t = sn_tuple_find(d, nin, in, d->nout, out);

    for (uint32_t k = 0; t && k < d->nout; k++) {
        const SnTypePat *pat = &t->out[k];
        const SnPortDesc *port = &d->out[k];
        if (out[k] || pat->elem < 0)
            continue;
        if (!sn_elem_quant((SnElem)pat->elem))
            out[k] = sn_type_plain(p, (SnElem)pat->elem);
        else if (port->fact == SN_SAME)
            out[k] = same_type(d, nin, in, out);
        else if (port->fact == SN_PIN)
            out[k] = sn_pin_type(p, scratch, d, port, pat, nin, in);
        else if (port->fact == SN_FIXED && pat->axis < 0)
            out[k] = sn_type_quant(p, (SnElem)pat->elem, port->fixed_scale,
                                   port->fixed_zp);
    }
}

/* ---- signatures in messages ---- */

void
sn_put_signature(SnBuf *b, uint32_t nin, const SnType *const *in, uint32_t nout,
                 const SnType *const *out)
{
    sn_putc(b, '(');
    for (uint32_t s = 0; s < nin; s++) {
        sn_puts(b, s ? ", " : "");
        sn_put_type(b, in[s]);
    }
    sn_puts(b, ") -> ");
    if (nout != 1)
        sn_putc(b, '(');
    for (uint32_t k = 0; k < nout; k++) {
        sn_puts(b, k ? ", " : "");
        sn_put_type(b, out[k]);
    }
    if (nout != 1)
        sn_putc(b, ')');
}

static void
put_pats(SnBuf *b, uint32_t n, const SnPortDesc *port, const SnTypePat *p)
{
    for (uint32_t i = 0; i < n; i++) {
        sn_puts(b, i ? ", " : "");
        if (p[i].elem < 0) {
            sn_putc(b, '_');
            continue;
        }
        sn_puts(b, sn_elem_name((SnElem)p[i].elem));
        if (p[i].axis >= 0)
            sn_putf(b, "<axis=%d>", p[i].axis);
        sn_puts(b, port[i].variadic ? "..." : port[i].optional ? "?" : "");
    }
}

void
sn_put_tuples(SnBuf *b, const SnKindDesc *d, unsigned max)
{
    for (uint32_t i = 0; i < d->ntuple && i < max; i++) {
        sn_puts(b, i ? "; (" : "(");
        put_pats(b, d->nin, d->in, d->tuple[i].in);
        sn_puts(b, d->nout == 1 ? ") -> " : ") -> (");
        put_pats(b, d->nout, d->out, d->tuple[i].out);
        sn_puts(b, d->nout == 1 ? "" : ")");
    }
    if (d->ntuple > max)
        sn_putf(b, "; and %u more", d->ntuple - max);
}
