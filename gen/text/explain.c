// SPDX-License-Identifier: Apache-2.0
/* --explain: for every node and rewrite family, the instance with its claim,
 * guard and proof, or the reason there is none. */
#include "gen/text/explain.h"

#include <string.h>

/* ---- proofs of instances ---- */

static const char *
layer(const SnProof *p)
{
    switch (p->layer) {
    case SN_LAYER_LEMMA:
        return *p->lemmas ? "by" : "by lemma";
    case SN_LAYER_INDEX:
        return "by the index calculus";
    case SN_LAYER_LOSSY:
        return "listed per site";
    case SN_LAYER_TRUSTED:
        return "trusted";
    default:
        return "not proved";
    }
}

/* The instances of a family at n: family "sink" of Rescale separately from the
 * others, by what is sunk. */
static void
put_proofs(SnBuf *b, const SnProofs *v, const SnDefNode *n, SnFamilyId fam,
           uint32_t kind)
{
    for (uint32_t i = 0; v && i < v->n; i++) {
        const SnProof *p = &v->v[i];
        if (!p->derive || p->node != n || p->derive->fam != fam ||
            (kind && p->derive->kind != kind))
            continue;
        sn_putf(b, "\n    %s: %s, %s", p->name, p->claim, layer(p));
        if (p->layer == SN_LAYER_LEMMA && *p->lemmas)
            sn_putf(b, " %s", p->lemmas);
        if (p->guard && *p->guard)
            sn_putf(b, "\n      when %s", p->guard);
    }
}

/* A family that only some nodes join, by its instances. */
static void
put_family(SnBuf *b, const SnProofs *v, const SnDefNode *n, const char *title,
           SnFamilyId fam, uint32_t kind)
{
    SnBuf p;

    sn_buf_init(&p, b->a);
    put_proofs(&p, v, n, fam, kind);
    if (p.n)
        sn_putf(b, "\n  %s%s", title, sn_buf_str(&p));
}

static void
put_absorb(SnBuf *b, const SnDefNode *n)
{
    const SnDefFamily *f = &n->family;
    bool any = false;

    for (uint32_t i = 0; i < n->nin; i++) {
        if (!(f->absorb & (1u << i)))
            continue;
        sn_putf(b, "%s%s.%s", any ? ", " : "", n->name, n->in[i]->name);
        any = true;
    }
    if (!any)
        sn_puts(b, "no");
    if (f->why_absorb)
        sn_putf(b, "%s%s", any ? "; " : ": ", f->why_absorb);
}

static void
put_yes(SnBuf *b, bool yes, const char *what, const char *why)
{
    sn_puts(b, yes ? what : "no");
    if (why)
        sn_putf(b, "%s%s", yes ? "; " : ": ", why);
}

/* Absorbed nodes sink in their own family; other lines move the rest. */
static bool
sinks(const SnDefDerive *d, uint32_t absorbed)
{
    return d->fam == SN_FAM_SINK && d->kind && d->kind != absorbed;
}

static uint32_t
absorbed(const SnDefs *s)
{
    uint32_t kind = 0;

    for (uint32_t i = 0; i < s->nderive; i++)
        if (s->derive[i]->fam == SN_FAM_ABSORB)
            kind = s->derive[i]->kind;
    return kind;
}

/* The proofs that hold on backend `of`; NULL: those of the declarations. */
static const SnProofs *
proofs_on(SnArena *a, const SnProofs *v, const SnDefBackend *of)
{
    SnProofs *p = SN_NEW(a, SnProofs);

    for (uint32_t i = 0; v && i < v->n; i++)
        if (v->v[i].backend == of)
            SN_PUSH(a, p->v, p->n, v->v[i]);
    return p;
}

/* The families of n, with the facts of `as`. */
static void
put_families(SnBuf *b, const SnDefs *s, const SnProofs *v, const SnDefNode *n,
             const SnDefNode *as)
{
    const SnDefFamily *f = &as->family;
    uint32_t r = absorbed(s);

    sn_puts(b, "  absorb  ");
    put_absorb(b, as);
    put_proofs(b, v, n, SN_FAM_ABSORB, 0);
    sn_puts(b, "\n  merge   ");
    put_yes(b, f->merge,
            as->clamp ? "yes, the producer's clamp carries the saturation"
                      : "yes, where the new type covers the old",
            f->why_merge);
    put_proofs(b, v, n, SN_FAM_MERGE, 0);
    sn_puts(b, "\n  sink    ");
    put_yes(b, f->sink,
            f->sink_bounded       ? "yes, within a bound"
            : f->sink_unused_rest ? "yes, exact, while later results are "
                                    "unused"
                                  : "yes, exact",
            f->why_sink);
    if (r)
        put_proofs(b, v, n, SN_FAM_SINK, r);
    put_family(b, v, n, "integerize", SN_FAM_INTEGERIZE, 0);
    for (uint32_t i = 0; i < s->nderive; i++)
        if (sinks(s->derive[i], r))
            put_family(b, v, n,
                       sn_format(b->a, "sink of %s", s->derive[i]->what),
                       SN_FAM_SINK, s->derive[i]->kind);
    sn_putc(b, '\n');
}

void
sn_explain(const SnDefs *s, const SnProofs *v, SnBuf *b)
{
    const SnProofs *core = proofs_on(b->a, v, NULL);

    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];

        sn_putf(b, "%s (%s)%s%s\n", n->name, sn_where(b->a, n->pos),
                n->base ? ", form of " : "", n->base ? n->base->name : "");
        put_families(b, s, core, n, n);
    }
    for (uint32_t i = 0; i < s->nrefined; i++) {
        const SnDefRefined *r = s->refined[i];

        sn_putf(b, "%s on backend %s (%s)\n", r->as->name, r->backend->name,
                sn_where(b->a, r->pos));
        put_families(b, s, proofs_on(b->a, v, r->backend), r->node, r->as);
    }
}
