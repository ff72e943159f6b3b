// SPDX-License-Identifier: Apache-2.0
/* What follows from a node's facts: the derived families it joins, with the
 * reason if it does not; and the classes of nodes. */
#include <string.h>
#include "dsl/model/reads.h"
#include "dsl/resolve/resolver.h"
#include "map/facts.h"

/* ---- families ---- */

static const char *
fact_str(SnFact f)
{
    return f == SN_FACT_NONE ? "never quantized"
           : f == SN_PIN     ? "pinned"
                             : sn_fact_words[f].word;
}

/* Types a Rescale may give or take. */
static bool
rescaled(SnDefConc c)
{
    return (c.elem == SN_QI8 || c.elem == SN_QI16) && c.axis < 0;
}

static bool
port_rescaled(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (rescaled((p->out ? n->tuple[i].out : n->tuple[i].in)[p->index]))
            return true;
    return false;
}

/* From one scale to another: pairs of these are left to rules. */
static bool
is_rescale(const SnDefNode *n)
{
    return n->rsem[0]->cls == SN_C_CONVERT && n->nin == 1 && n->nout == 1 &&
           port_rescaled(n, n->in[0]) && port_rescaled(n, n->out[0]);
}

static bool
reads_real(const SnDefNode *n, const SnDefPort *p)
{
    bool deq = false;

    for (uint32_t i = 0; i < n->nout; i++) {
        SnReads r = sn_formula_reads(n->rsem[i]->formula, p);
        if (r.raw)
            return false;
        deq |= r.deq > 0;
    }
    return deq;
}

/* Does port i lead to a result of plain integers or bools?  One step of a
 * conversion may move an index anywhere, and no bound in steps says how far:
 * a rewrite that moves it would be lossy. */
static bool
indexes(const SnDefNode *n, uint32_t i)
{
    for (uint32_t k = 0; k < n->ntuple; k++)
        for (uint32_t j = 0; j < n->nout; j++)
            if (sn_conc_quant(n->tuple[k].in[i]) &&
                !sn_conc_quant(n->tuple[k].out[j]) &&
                n->tuple[k].out[j].elem != SN_F32)
                return true;
    return false;
}

static void
absorb(SnResolver *rs, SnDefNode *n)
{
    SnBuf b;
    bool quant = false;

    sn_buf_init(&b, rs->a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnDefPort *p = n->in[i];
        if (!port_rescaled(n, p))
            continue;
        if (p->fact == SN_FREE && indexes(n, i)) {
            sn_putf(&b, "%s%s leads to an index, which no rounding may move",
                    quant ? "; " : "", p->name);
            quant = true;
            continue;
        }
        if (p->fact == SN_FREE && reads_real(n, p)) {
            n->family.absorb |= UINT32_C(1) << i;
            quant = true;
            continue;
        }
        sn_putf(&b, "%s%s is %s, not free", quant ? "; " : "", p->name,
                fact_str(p->fact));
        quant = true;
    }
    n->family.why_absorb = !quant ? "no quantized operand" : b.n ? b.s : NULL;
}

static void
merge(SnResolver *rs, SnDefNode *n)
{
    const SnDefPort *y = n->nout ? n->out[0] : NULL;

    if (!y)
        n->family.why_merge = "no result";
    else if (!port_rescaled(n, y))
        n->family.why_merge =
            sn_format(rs->a, "%s is never quantized", y->name);
    else if (y->fact != SN_FREE)
        n->family.why_merge =
            sn_format(rs->a, "%s is %s, not free", y->name, fact_str(y->fact));
    else
        n->family.merge = true;
}

static bool
same_operand(const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i]->fact == SN_SAME)
            return true;
    return false;
}

/* A constant of the meaning: in q(value), or among reals (the 0 of a Relu). */
static bool
has_const(const SnExpr *e)
{
    if (!e)
        return false;
    if (e->ek == SN_E_INT || e->ek == SN_E_REAL || e->rk == SN_R_ATTR)
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (has_const(e->kid[i]))
            return true;
    return false;
}

/* Where a Rescale commutes with a constant of the meaning: src/rewrite/sink.c
 * runs nodes of one operand over all codes, element by element or padded. */
static bool
const_tested(const SnDefNode *n)
{
    return n->nin == 1 && (n->rsem[0]->cls == SN_C_POINT || n->rsem[0]->els);
}

static void
sink(SnResolver *rs, SnDefNode *n)
{
    const SnDefPort *y = n->nout ? n->out[0] : NULL;
    const SnDefSem *s = n->rsem[0];
    SnDefFamily *f = &n->family;

    f->sink_const = has_const(s->formula) || has_const(s->els);
    if (!y) {
        f->why_sink = "no result";
    } else if (!port_rescaled(n, y)) {
        f->why_sink = sn_format(rs->a, "%s is never quantized", y->name);
    } else if (y->fact != SN_SAME) {
        f->why_sink =
            sn_format(rs->a, "%s is %s, not same", y->name, fact_str(y->fact));
    } else if (!same_operand(n)) {
        f->why_sink = sn_format(rs->a, "no operand is same as %s", y->name);
    } else if (!s->monotone && !s->mean) {
        f->why_sink =
            sn_format(rs->a, "barrier: %s (same, arithmetic)", n->name);
    } else if (f->sink_const && s->monotone && !const_tested(n)) {
        f->why_sink = "a constant of the meaning may round differently, which "
                      "is tested for one operand, element by element or "
                      "padded";
    } else {
        f->sink = true;
        f->sink_bounded = !s->monotone;
        f->sink_unused_rest = n->nout > 1;
    }
}

void
sn_resolve_family(SnResolver *rs, SnDefNode *n)
{
    SnDefFamily *f = &n->family;
    SnClass c = n->rsem[0]->cls;

    if (c == SN_C_SOURCE || c == SN_C_OPAQUE || is_rescale(n)) {
        f->why_absorb = f->why_merge = f->why_sink =
            c == SN_C_SOURCE   ? "data, not computed"
            : c == SN_C_OPAQUE ? "opaque"
                               : "a conversion itself: rules fuse pairs";
        return;
    }
    absorb(rs, n);
    merge(rs, n);
    sink(rs, n);
}

/* ---- classes ---- */

static bool
has_fact(const SnDefNode *n, const SnExpr *e, SnFact f)
{
    for (uint32_t i = 0; i < e->nkid; i++) {
        bool hit = false;
        if (e->kid[i]->word == SN_W_OUTPUT)
            hit = n->nout && n->out[0]->fact == f;
        else
            for (uint32_t j = 0; j < n->nin; j++)
                hit |= n->in[j]->fact == f;
        if (!hit)
            return false;
    }
    return true;
}

/* May a Transpose move below the node (src/rewrite/layout.c)?  A `where` is
 * tested at each site; an invariant is not. */
static bool
moves_axes(const SnDefNode *n)
{
    const SnDefSem *s = n->rsem[0];

    return n->nout == 1 && n->nin > 0 && !n->nrinv && s->decl &&
           s->decl->decl && sn_map_axes_free(s->decl->decl) &&
           !sn_map_set_varies(s->decl->decl);
}

static bool
member(const SnResolver *rs, const SnExpr *e, const SnDefNode *n)
{
    switch (e->ek) {
    case SN_E_BIN:
        return e->op == SN_OP_AND
                   ? member(rs, e->kid[0], n) && member(rs, e->kid[1], n)
                   : member(rs, e->kid[0], n) || member(rs, e->kid[1], n);
    case SN_E_NOT:
        return !member(rs, e->kid[0], n);
    case SN_E_NAME:
        if (e->rk == SN_R_NODE)
            return e->ref == n;
        return ((const SnDefClass *)e->ref)->member[n->kind / 64] >>
                   n->kind % 64 &
               1;
    case SN_E_CALL:
        if (e->fn == SN_FN_HAS)
            return sn_def_attr(n, e->kid[0]->s) != NULL;
        if (e->fn == SN_FN_SEM)
            return n->rsem[0]->cls == (SnClass)e->kid[0]->i;
        if (e->fn == SN_FN_LAYOUT)
            return moves_axes(n);
        return has_fact(n, e, e->fn == SN_FN_SAME ? SN_SAME : SN_FREE);
    default:
        return false;
    }
}

bool
sn_resolve_satisfies(const SnResolver *rs, const SnExpr *e, const SnDefNode *n)
{
    return member(rs, e, n);
}

static bool
member_name(SnResolver *rs, SnExpr *e)
{
    const SnDefClass *c = sn_resolve_class(rs->defs, e->s);
    const SnDefNode *n = sn_def_node(rs->defs, e->s);
    SnCands v = sn_cands(rs);

    e->ty = SN_TY_BOOL;
    e->rk = n ? SN_R_NODE : SN_R_CLASS;
    e->ref = n ? (const void *)n : c;
    if (n || (c && c->member))
        return true;
    if (c) {
        sn_error(rs->d, e->pos, "SN104",
                 "class '%s' is used in its own definition or above it", e->s);
        return false;
    }
    for (uint32_t i = 0; i < rs->defs->nclass; i++)
        sn_cands_add(&v, rs->defs->cls[i]->name, &rs->defs->cls[i]->pos);
    sn_cands_nodes(rs, &v);
    sn_resolve_unknown(rs, e->pos, "class or node", e->s, NULL, &v);
    return false;
}

static bool
member_has(SnResolver *rs, const SnExpr *k)
{
    SnCands v = sn_cands(rs);

    for (uint32_t j = 0; k->ek == SN_E_NAME && j < rs->defs->nnode; j++) {
        const SnDefNode *n = rs->defs->node[j];
        if (sn_def_attr(n, k->s))
            return true;
        for (uint32_t m = 0; m < n->nall; m++)
            sn_cands_add(&v, n->all[m]->name, &n->all[m]->pos);
    }
    sn_resolve_unknown(rs, k->pos, k->ek == SN_E_NAME ? "attribute" : "side",
                       sn_expr_str(rs->a, k), NULL, &v);
    return false;
}

/* sem(CLASS): its number. */
static bool
member_sem(SnResolver *rs, SnExpr *k)
{
    SnCands v = sn_cands(rs);
    size_t cls = k->ek == SN_E_NAME
                     ? sn_lang_named(sn_class_words, SN_NCLASS, k->s)
                     : SN_NCLASS;

    k->i = (int64_t)cls;
    if (cls < SN_NCLASS)
        return true;
    for (size_t j = 0; j < SN_NCLASS; j++)
        sn_cands_add(&v, sn_class_words[j].word, NULL);
    sn_resolve_unknown(rs, k->pos, "class of meaning", sn_expr_str(rs->a, k),
                       NULL, &v);
    return false;
}

static bool
member_side(SnResolver *rs, const SnExpr *k)
{
    SnCands v = sn_cands(rs);

    if (k->ek == SN_E_NAME &&
        (k->word == SN_W_INPUTS || k->word == SN_W_OUTPUT))
        return true;
    sn_cands_add(&v, sn_words[SN_W_INPUTS], NULL);
    sn_cands_add(&v, sn_words[SN_W_OUTPUT], NULL);
    sn_resolve_unknown(rs, k->pos, "side", sn_expr_str(rs->a, k), NULL, &v);
    return false;
}

/* has, sem, same, free, layout: checks the call. */
static bool
member_call(SnResolver *rs, SnExpr *e)
{
    static const SnFn fn[] = {SN_FN_HAS, SN_FN_SEM, SN_FN_SAME, SN_FN_FREE,
                              SN_FN_LAYOUT};
    SnCands v = sn_cands(rs);
    bool known = false, ok = true;

    for (size_t i = 0; i < sizeof fn / sizeof *fn; i++) {
        sn_cands_add(&v, sn_fns[fn[i]].word, NULL);
        known |= fn[i] == e->fn;
    }
    if (!known) {
        sn_resolve_unknown(rs, e->pos, "function", e->s, NULL, &v);
        return false;
    }
    bool one = e->fn == SN_FN_HAS || e->fn == SN_FN_SEM;
    if (!e->nkid || (one && e->nkid != 1)) {
        sn_error(rs->d, e->pos, "SN102", "%s takes one argument", e->s);
        return false;
    }
    for (uint32_t j = 0; j < e->nkid; j++)
        ok &= e->fn == SN_FN_HAS   ? member_has(rs, e->kid[j])
              : e->fn == SN_FN_SEM ? member_sem(rs, e->kid[j])
                                   : member_side(rs, e->kid[j]);
    return ok;
}

static bool
member_check(SnResolver *rs, SnExpr *e)
{
    bool ok = true;

    e->ty = SN_TY_BOOL;
    if ((e->ek == SN_E_BIN && (e->op == SN_OP_AND || e->op == SN_OP_OR)) ||
        e->ek == SN_E_NOT) {
        for (uint32_t i = 0; i < e->nkid; i++)
            ok &= member_check(rs, e->kid[i]);
        return ok;
    }
    if (e->ek == SN_E_NAME)
        return member_name(rs, e);
    if (e->ek != SN_E_CALL) {
        sn_error(rs->d, e->pos, "SN104", "'%s' does not say which nodes",
                 sn_expr_str(rs->a, e));
        sn_diag_help(rs->d, "has(attribute), sem(class), same(inputs, "
                            "output), free(inputs), a class or a node");
        return false;
    }
    return member_call(rs, e);
}

uint64_t *
sn_resolve_member(SnResolver *rs, SnExpr *e, bool *bad)
{
    uint64_t *m = SN_NEW_N(rs->a, uint64_t, rs->defs->nnode / 64 + 1);

    if (!member_check(rs, e)) {
        *bad = true;
        return m;
    }
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        const SnDefNode *n = rs->defs->node[i];
        if (!sn_resolve_bad(rs, n) && member(rs, e, n))
            m[n->kind / 64] |= UINT64_C(1) << n->kind % 64;
    }
    return m;
}

void
sn_resolve_classes(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nclass; i++) {
        SnDefClass *c = rs->defs->cls[i];
        const SnDefClass *first = sn_resolve_class(rs->defs, c->name);
        bool bad = false;
        if (first != c)
            sn_resolve_twice(rs, c->pos, "class", c->name, first->pos);
        c->member = sn_resolve_member(rs, c->e, &bad);
    }
}
