// SPDX-License-Identifier: Apache-2.0
/* Facts against meaning: what a port may be read as follows from its fact. */
#include <string.h>
#include "dsl/model/reads.h"
#include "dsl/resolve/resolver.h"

static void
bad(SnResolver *rs, SnDefNode *n)
{
    rs->bad_node[n->kind] = true;
}

static SnReads
node_reads(const SnDefNode *n, const SnDefPort *p)
{
    SnReads all = {0, 0, NULL};

    for (uint32_t i = 0; i < n->nout; i++) {
        SnReads r = sn_formula_reads(n->rsem[i]->formula, p);
        all.raw += r.raw;
        all.deq += r.deq;
        if (!all.at)
            all.at = r.at;
    }
    return all;
}

/* ---- properties of one meaning ---- */

static bool
reads_any(const SnExpr *e)
{
    bool r = e->ek == SN_E_NAME && e->rk == SN_R_PORT;

    for (uint32_t i = 0; i < e->nkid; i++)
        r |= reads_any(e->kid[i]);
    return r;
}

/* A selection: operands, d, q, max and min, and anything without operands. */
static bool
selects(const SnExpr *e)
{
    if (!reads_any(e))
        return true;
    if (e->ek == SN_E_NAME)
        return true;
    if ((e->fn == SN_FN_D && e->nkid == 1) ||
        (e->fn == SN_FN_Q && e->nkid == 1) ||
        (e->fn == SN_FN_MAX && e->nkid == 1) ||
        (e->fn == SN_FN_MIN && e->nkid == 1))
        return selects(e->kid[0]);
    if ((e->fn == SN_FN_MAX && e->nkid == 2) ||
        (e->fn == SN_FN_MIN && e->nkid == 2))
        return selects(e->kid[0]) && selects(e->kid[1]);
    return false;
}

static void
properties(const SnDefNode *n, SnDefSem *s)
{
    const SnExpr *f = s->formula;

    s->monotone = s->cls == SN_C_MOVE || selects(f);
    for (uint32_t i = 0; i < n->nin; i++)
        if (sn_port_quant(n, n->in[i]))
            s->raw |= sn_formula_reads(f, n->in[i]).raw > 0;
    if ((f->fn == SN_FN_Q && f->nkid == 1))
        f = f->kid[0];
    s->mean = (f->fn == SN_FN_MEAN && f->nkid == 1);
    s->nonempty = f->nkid == 1 && f->fn != SN_FN_SUM && sn_fn_reduces(f->fn);
}

/* ---- messages ---- */

static const char *
group_str(SnResolver *rs, const SnDefNode *n, const SnDefPort *p)
{
    SnBuf b;
    uint32_t k = 0;

    sn_buf_init(&b, rs->a);
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *x = i < n->nin ? n->in[i] : n->out[i - n->nin];
        if (x->fact == p->fact)
            sn_putf(&b, "%s%s", k++ ? ", " : "", x->name);
    }
    return sn_buf_str(&b);
}

/* The ports read raw, and the results that get such codes. */
static const char *
raw_group(SnResolver *rs, const SnDefNode *n)
{
    SnBuf b;
    uint32_t k = 0;

    sn_buf_init(&b, rs->a);
    for (uint32_t i = 0; i < n->nin; i++)
        if (node_reads(n, n->in[i]).raw && sn_port_quant(n, n->in[i]))
            sn_putf(&b, "%s%s", k++ ? ", " : "", n->in[i]->name);
    for (uint32_t i = 0; i < n->nout; i++)
        if (n->rsem[i]->raw && sn_port_quant(n, n->out[i]))
            sn_putf(&b, "%s%s", k++ ? ", " : "", n->out[i]->name);
    return sn_buf_str(&b);
}

static void
free_raw(SnResolver *rs, SnDefNode *n, const SnDefPort *p, SnReads r)
{
    sn_error(rs->d, p->fact_pos, "SN110",
             "%s declares 'free %s', but its meaning reads %s as a raw "
             "integer",
             n->name, p->name, p->name);
    sn_diag_span(rs->d, r.at->pos,
                 "raw read; a free port may only be read as d(%s)", p->name);
    sn_diag_help(rs->d, "same %s;", raw_group(rs, n));
    bad(rs, n);
}

static SnPos
line_pos(const SnDefNode *n, const SnDefPort *p)
{
    const SnDefFactSrc *f = sn_def_fact_line(n, p->name);

    return f ? f->pos : p->fact_pos;
}

static void
same_real(SnResolver *rs, const SnDefNode *n, const SnDefPort *p)
{
    const char *group = group_str(rs, n, p);
    uint32_t more = 0;

    for (uint32_t i = 0; i < n->nin; i++)
        more += n->in[i]->fact == SN_SAME;
    for (uint32_t i = 0; i < n->nout; i++)
        more += n->out[i]->fact == SN_SAME;
    sn_warn(rs->d, line_pos(n, p), "SN111",
            "%s declares 'same %s' but reads only d(%s); 'free %s' would "
            "let %u more rewrites apply (or say why: same %s because "
            "\"...\")",
            n->name, group, p->name, group, more, group);
}

/* ---- one port ---- */

static bool
own_fact(const SnDefNode *n, const SnDefPort *p)
{
    return !n->base || sn_def_fact_line(n, p->name);
}

static void
operand(SnResolver *rs, SnDefNode *n, const SnDefPort *p, bool *warned)
{
    SnReads r = node_reads(n, p);

    if (p->fact == SN_FREE && r.raw) {
        free_raw(rs, n, p, r);
    } else if ((p->fact == SN_PIN || p->fact == SN_FIXED) && r.raw) {
        sn_error(rs->d, p->fact_pos, "SN112",
                 "%s declares '%s %s', but its meaning reads %s as a raw "
                 "integer",
                 n->name, p->fact == SN_PIN ? "pin" : "fixed", p->name,
                 p->name);
        sn_diag_span(rs->d, r.at->pos, "raw read");
        bad(rs, n);
    } else if (p->fact == SN_SAME && !r.raw && r.deq && !p->because &&
               !*warned) {
        same_real(rs, n, p);
        *warned = true;
    }
}

static void
result(SnResolver *rs, SnDefNode *n, const SnDefPort *p)
{
    const SnDefSem *s = n->rsem[p->index];
    const SnExpr *f = s->formula;

    if (f->ty != SN_TY_CODE || (f->fn == SN_FN_Q && f->nkid == 1))
        return;
    if (p->fact != SN_FREE && p->fact != SN_FIXED)
        return;
    sn_error(rs->d, p->fact_pos, "SN112",
             "%s declares '%s %s', but its meaning passes a raw code on",
             n->name, p->fact == SN_FREE ? "free" : "fixed", p->name);
    sn_diag_span(rs->d, f->pos, "not rounded to the type of %s", p->name);
    sn_diag_help(rs->d, "same %s;", raw_group(rs, n));
    bad(rs, n);
}

/* ---- types and arithmetic ---- */

/* The widest declared alternation without scales along an axis that p's
 * types include. */
static const SnDefType *
narrower(const SnResolver *rs, const SnDefNode *n, const SnDefPort *p)
{
    const SnDefType *best = NULL;

    for (uint32_t i = 0; i < rs->defs->ntype; i++) {
        const SnDefType *t = rs->defs->type[i];
        uint32_t ok = 0;
        for (uint32_t j = 0; j < t->nconc; j++) {
            bool hit = false;
            for (uint32_t k = 0; k < n->ntuple; k++)
                hit |= sn_conc_equal(n->tuple[k].in[p->index], t->conc[j]);
            ok += hit && t->conc[j].axis < 0 && t->conc[j].elem != SN_ROW8;
        }
        if (ok == t->nconc && ok > 1 && (!best || ok > best->nconc))
            best = t;
    }
    return best;
}

/* A move (or window) shifts elements along axes; scales along one would have
 * to go with them. */
static void
axis_moves(SnResolver *rs, SnDefNode *n, const SnDefSem *s)
{
    if ((s->cls != SN_C_MOVE && s->cls != SN_C_WINDOW) || sn_sem_each(s))
        return;
    for (uint32_t i = 0; i < n->ntuple; i++)
        for (uint32_t j = 0; j < n->nin; j++) {
            SnDefConc c = n->tuple[i].in[j];
            const SnDefPort *p = n->in[j];
            if (c.elem == SN_ABSENT || (c.axis < 0 && c.elem != SN_ROW8))
                continue;
            if (c.axis >= 0)
                sn_error(rs->d, n->tuple[i].pos, "SN120",
                         "type %s (scales along axis %d) reaches %s.%s, "
                         "which moves axes",
                         sn_conc_str(rs, c), c.axis, n->name, p->name);
            else
                sn_error(rs->d, n->tuple[i].pos, "SN120",
                         "type %s (scales inside each row) reaches %s.%s, "
                         "which moves elements",
                         sn_conc_str(rs, c), n->name, p->name);
            const SnDefType *t = narrower(rs, n, p);
            if (t)
                sn_diag_help(rs->d, "restrict %s to '%s'", p->name, t->name);
            bad(rs, n);
            return;
        }
}

/* Window arithmetic has no row of its own: selection and mean do. */
static void
arithmetic(SnResolver *rs, SnDefNode *n, const SnDefSem *s)
{
    if (s->cls != SN_C_WINDOW || s->by || s->monotone || s->mean ||
        !sn_port_quant(n, s->out))
        return;
    sn_error(rs->d, s->formula->pos, "SN114",
             "%s has a quantized tuple, and its window formula is neither "
             "a selection nor a mean",
             n->name);
    sn_diag_help(rs->d, "name the row of arithmetic (by lrn, by softmax), or "
                        "drop the quantized tuple");
    bad(rs, n);
}

static void
opaque(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (n->tuple[i].quant) {
            sn_error(rs->d, n->tuple[i].pos, "SN128",
                     "%s is opaque and runs only lowered, as floats; it "
                     "cannot have a quantized tuple",
                     n->name);
            bad(rs, n);
            return;
        }
}

void
sn_resolve_meaning(SnResolver *rs, SnDefNode *n)
{
    bool warned = false;

    if (n->rsem[0]->cls == SN_C_SOURCE)
        return;
    for (uint32_t i = 0; i < (n->nout ? n->nout : 1); i++)
        if (n->rsem[i]->cls == SN_C_OPAQUE) {
            if (!n->has_effect)
                opaque(rs, n);
            return;
        }
    for (uint32_t i = 0; i < n->nout; i++)
        properties(n, n->rsem[i]);
    for (uint32_t i = 0; i < n->nin; i++)
        if (own_fact(n, n->in[i]))
            operand(rs, n, n->in[i], &warned);
    for (uint32_t i = 0; i < n->nout && !rs->bad_node[n->kind]; i++)
        if (own_fact(n, n->out[i]))
            result(rs, n, n->out[i]);
    for (uint32_t i = 0; i < n->nout && !rs->bad_node[n->kind]; i++) {
        axis_moves(rs, n, n->rsem[i]);
        arithmetic(rs, n, n->rsem[i]);
    }
}
