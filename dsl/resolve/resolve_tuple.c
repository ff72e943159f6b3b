// SPDX-License-Identifier: Apache-2.0
/* Tuples of types, and the kernels keyed by them. */
#include <string.h>
#include "dsl/resolve/resolver.h"

bool
sn_port_quant(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        const SnDefTuple *t = &n->tuple[i];
        if (sn_conc_quant((p->out ? t->out : t->in)[p->index]))
            return true;
    }
    return false;
}

/* ---- signature ---- */

static bool
sig_side(SnResolver *rs, SnDefNode *n, SnExpr *const *e, uint32_t ne,
         SnDefPort *const *p, uint32_t np)
{
    bool ok = ne == np;

    for (uint32_t i = 0; ok && i < np; i++)
        ok = e[i]->ek == SN_E_NAME && !strcmp(e[i]->s, p[i]->name);
    if (ok)
        return true;
    sn_error(rs->d, ne ? e[0]->pos : n->kinds_pos, "SN102",
             "kinds of %s must name its %s in order", n->name,
             p == n->in ? "operands" : "results");
    sn_diag_help(rs->d, "kinds (%s) -> (%s)",
                 sn_resolve_ports(rs, n->in, n->nin, false),
                 sn_resolve_ports(rs, n->out, n->nout, false));
    return false;
}

/* ---- one tuple ---- */

typedef struct Bind { /* T = c */
    const char *var;
    SnDefConc c;
} Bind;

/* The types element e may be; 0 after an error. */
static uint32_t
elem_types(SnResolver *rs, const SnExpr *e, const Bind *b, const SnDefPort *p,
           SnDefConc *one, const SnDefConc **all)
{
    *all = one;
    if (e->ek == SN_E_WILD) {
        *one = (SnDefConc){SN_ABSENT, -1};
        if (p->optional)
            return 1;
        sn_error(rs->d, e->pos, "SN123", "'%s' is not optional", p->name);
        sn_diag_help(rs->d, "%s?", p->name);
        return 0;
    }
    if (e->ek != SN_E_NAME) {
        sn_error(rs->d, e->pos, "SN123", "expected the name of a type");
        return 0;
    }
    if (p->variadic != (e->i == 1)) {
        sn_error(rs->d, e->pos, "SN123",
                 p->variadic ? "'%s' is variadic" : "'%s' is not variadic",
                 p->name);
        sn_diag_help(rs->d, p->variadic ? "%s..." : "%s", e->s);
        return 0;
    }
    if (b->var && !strcmp(e->s, b->var)) {
        *one = b->c;
        return 1;
    }
    const SnDefType *t = sn_resolve_type(rs, e->pos, e->s);
    if (!t)
        return 0;
    *all = t->conc;
    return t->nconc;
}

static bool
tuple_side(SnResolver *rs, SnExpr *const *e, uint32_t ne, SnDefPort *const *p,
           uint32_t np, const Bind *b, SnDefConc *out)
{
    bool ok = true;

    if (ne != np)
        return false;
    for (uint32_t i = 0; i < np; i++) {
        SnDefConc one;
        const SnDefConc *all;
        uint32_t k = elem_types(rs, e[i], b, p[i], &one, &all);
        if (k > 1) {
            sn_error(rs->d, e[i]->pos, "SN123",
                     "'%s' names %u types; a tuple takes one", e[i]->s, k);
            sn_diag_help(rs->d, "use a variable: T ... for T in %s", e[i]->s);
        }
        ok &= k == 1;
        if (k == 1)
            out[i] = all[0];
    }
    return ok;
}

static bool
count_ok(SnResolver *rs, const SnDefNode *n, const SnDefTupleSrc *s)
{
    if (s->nin == n->nin && s->nout == n->nout)
        return true;
    sn_error(rs->d, s->pos, "SN102",
             "tuple has %u operand%s and %u result%s; %s has %u and %u", s->nin,
             s->nin == 1 ? "" : "s", s->nout, s->nout == 1 ? "" : "s", n->name,
             n->nin, n->nout);
    return false;
}

static bool
same_tuple(const SnDefNode *n, const SnDefTuple *a, const SnDefTuple *b)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (!sn_conc_equal(a->in[i], b->in[i]))
            return false;
    for (uint32_t i = 0; i < n->nout; i++)
        if (!sn_conc_equal(a->out[i], b->out[i]))
            return false;
    return true;
}

static const char *
tuple_str(SnResolver *rs, const SnDefNode *n, const SnDefTuple *t)
{
    SnBuf b;

    sn_buf_init(&b, rs->a);
    sn_putc(&b, '(');
    for (uint32_t i = 0; i < n->nin; i++)
        sn_putf(&b, "%s%s%s", i ? ", " : "", sn_conc_str(rs, t->in[i]),
                n->in[i]->variadic ? "..." : "");
    sn_puts(&b, ") -> ");
    if (n->nout != 1)
        sn_putc(&b, '(');
    for (uint32_t i = 0; i < n->nout; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", sn_conc_str(rs, t->out[i]));
    if (n->nout != 1)
        sn_putc(&b, ')');
    return sn_buf_str(&b);
}

static bool
add_tuple(SnResolver *rs, SnDefNode *n, const SnDefTupleSrc *s, const Bind *b)
{
    SnDefTuple t = {.pos = s->pos};

    t.in = SN_NEW_N(rs->a, SnDefConc, n->nin);
    t.out = SN_NEW_N(rs->a, SnDefConc, n->nout);
    if (!tuple_side(rs, s->in, s->nin, n->in, n->nin, b, t.in) ||
        !tuple_side(rs, s->out, s->nout, n->out, n->nout, b, t.out))
        return false;
    for (uint32_t i = 0; i < n->nin; i++)
        t.quant |= sn_conc_quant(t.in[i]);
    for (uint32_t i = 0; i < n->nout; i++)
        t.quant |= sn_conc_quant(t.out[i]);
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (same_tuple(n, &t, &n->tuple[i])) {
            sn_resolve_twice(rs, s->pos, "tuple", tuple_str(rs, n, &t),
                             n->tuple[i].pos);
            return false;
        }
    SN_PUSH(rs->a, n->tuple, n->ntuple, t);
    return true;
}

static bool
expand(SnResolver *rs, SnDefNode *n, const SnDefTupleSrc *s)
{
    Bind b = {.var = s->var};

    if (!count_ok(rs, n, s))
        return false;
    if (!s->var)
        return add_tuple(rs, n, s, &b);
    const SnDefType *of = sn_resolve_type(rs, s->of_pos, s->of);
    if (!of || !of->nconc)
        return false;
    if (sn_def_type(rs->defs, s->var)) {
        sn_error(rs->d, s->pos, "SN103",
                 "'%s' is a type and cannot be the variable of a tuple",
                 s->var);
        return false;
    }
    for (uint32_t i = 0; i < of->nconc; i++) {
        b.c = of->conc[i];
        if (!add_tuple(rs, n, s, &b))
            return false;
    }
    return true;
}

void
sn_resolve_tuples(SnResolver *rs, SnDefNode *n)
{
    bool own = n->kinds_pos.src || n->ntuple_src;
    bool ok = true;

    if (!own && n->base) {
        n->ntuple = n->base->ntuple;
        n->tuple =
            sn_memdup(rs->a, n->base->tuple, n->ntuple * sizeof *n->tuple);
        return;
    }
    if (!own) {
        sn_error(rs->d, n->pos, "SN123", "%s lists no kinds", n->name);
        sn_diag_help(rs->d, "kinds (%s) -> (%s) { ... }",
                     sn_resolve_ports(rs, n->in, n->nin, false),
                     sn_resolve_ports(rs, n->out, n->nout, false));
        rs->bad_node[n->kind] = true;
        return;
    }
    ok = sig_side(rs, n, n->sig_in, n->nsig_in, n->in, n->nin) &&
         sig_side(rs, n, n->sig_out, n->nsig_out, n->out, n->nout);
    for (uint32_t i = 0; ok && i < n->ntuple_src; i++)
        if (!expand(rs, n, n->tuple_src[i]))
            rs->bad_node[n->kind] = true;
    if (ok && !n->ntuple && !rs->bad_node[n->kind]) {
        sn_error(rs->d, n->kinds_pos, "SN123", "kinds of %s is empty", n->name);
        ok = false;
    }
    if (!ok)
        rs->bad_node[n->kind] = true;
}

/* ---- kernels ---- */

static bool
covers_side(SnResolver *rs, SnExpr *const *e, SnDefPort *const *p, uint32_t np,
            const SnDefConc *c, bool *bad)
{
    Bind none = {.var = NULL};

    for (uint32_t i = 0; i < np; i++) {
        SnDefConc one;
        const SnDefConc *all;
        uint32_t k = elem_types(rs, e[i], &none, p[i], &one, &all);
        bool hit = false;
        *bad |= !k;
        if (*bad)
            return false;
        for (uint32_t j = 0; j < k; j++)
            hit |= sn_conc_equal(all[j], c[i]);
        if (!hit)
            return false;
    }
    return true;
}

static void
no_tuple(SnResolver *rs, const SnDefNode *n, const SnDefKernel *k)
{
    sn_error(rs->d, k->pos, "SN124", "kernel %s covers no tuple of %s", k->fn,
             n->name);
    for (uint32_t i = 0; i < n->ntuple; i++)
        sn_diag_line(rs->d, "%s", tuple_str(rs, n, &n->tuple[i]));
}

static void
kernel(SnResolver *rs, const SnDefNode *n, SnDefKernel *k,
       const SnDefKernel **taken)
{
    bool bad = false;

    if (!count_ok(rs, n, &k->sig))
        return;
    for (uint32_t i = 0; i < n->ntuple && !bad; i++) {
        const SnDefTuple *t = &n->tuple[i];
        if (!covers_side(rs, k->sig.in, n->in, n->nin, t->in, &bad) ||
            !covers_side(rs, k->sig.out, n->out, n->nout, t->out, &bad))
            continue;
        if (taken[i]) {
            sn_resolve_twice(rs, k->pos, "a kernel for", tuple_str(rs, n, t),
                             taken[i]->pos);
            return;
        }
        taken[i] = k;
        SN_PUSH(rs->a, k->tuple, k->ntuple, i);
    }
    if (!k->ntuple && !bad)
        no_tuple(rs, n, k);
}

void
sn_resolve_kernels(SnResolver *rs, const SnDefNode *n, SnDefKernel *const *k,
                   uint32_t nk)
{
    const SnDefKernel **taken = SN_NEW_N(rs->a, const SnDefKernel *, n->ntuple);

    for (uint32_t i = 0; i < nk; i++)
        kernel(rs, n, k[i], taken);
}
