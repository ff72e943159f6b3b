// SPDX-License-Identifier: Apache-2.0
/* Checks facts against meaning: how a port may be read follows from its
 * fact. */
#include <string.h>
#include "dsl/model/reads.h"
#include "dsl/resolve/resolver.h"

/* The argument by which the map of s takes p's codes as places; NULL: none. */
static const SnExpr *
places_by(const SnDefSem *s, const SnDefPort *p)
{
    const SnMapDecl *d = s->decl ? s->decl->decl : NULL;

    for (uint32_t i = 0; d && i < d->nparam; i++) {
        uint32_t n, at = sn_sem_param_args(s, i, &n);
        if (n && d->param[i].data == 'c' &&
            sn_name_same(s->arg[at]->s, p->name))
            return s->arg[at];
    }
    return NULL;
}

static SnReads
node_reads(const SnDefNode *n, const SnDefPort *p)
{
    SnReads all = {0};

    for (uint32_t i = 0; i < n->nout; i++) {
        SnReads r = sn_formula_reads(n->rsem[i]->formula, p);
        const SnExpr *by = places_by(n->rsem[i], p);
        all.raw += r.raw + (by != NULL);
        all.deq += r.deq;
        all.places |= by != NULL;
        if (!all.at)
            all.at = r.at ? r.at : by;
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

/* Is it a number if everything it reads is?  Sums and products are, as the
 * reals that codes represent do not overflow (docs/proofs.md, A2). */
static bool
gives_numbers(const SnExpr *e)
{
    bool all = true;

    if (e->ek == SN_E_BIN && e->op != SN_OP_ADD && e->op != SN_OP_SUB &&
        e->op != SN_OP_MUL)
        return false;
    if (e->ek == SN_E_CALL && e->fn != SN_FN_D && e->fn != SN_FN_Q &&
        e->fn != SN_FN_MAX && e->fn != SN_FN_MIN && !sn_fn_reduces(e->fn))
        return false;
    for (uint32_t i = 0; i < e->nkid && all; i++)
        all = gives_numbers(e->kid[i]);
    return all;
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
    s->nan = !gives_numbers(f);
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
    if (r.places)
        sn_diag_help(rs->d, "given %s;", p->name);
    else
        sn_diag_help(rs->d, "same %s;", raw_group(rs, n));
    sn_resolve_spoil(rs, n);
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
        sn_resolve_spoil(rs, n);
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
    sn_resolve_spoil(rs, n);
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

/* A move (or window) shifts elements along axes; scales along one would have to
 * move with them. */
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
            sn_resolve_spoil(rs, n);
            return;
        }
}

/* Window arithmetic has no own row: selection and mean have one. */
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
    SnBuf b;
    sn_buf_init(&b, rs->a);
    for (int r = SN_ROW_NONE + 1; r < SN_NROW; r++)
        sn_putf(&b, "%sby %s", r == 1 ? "" : ", ", sn_row_words[r]);
    sn_diag_help(rs->d,
                 "name the row of arithmetic (%s), or drop the quantized tuple",
                 sn_buf_str(&b));
    sn_resolve_spoil(rs, n);
}

/* ---- meanings that must match their names ---- */

/* q(d(x)), d(x) or x: a code of another type. */
static bool
converts(const SnExpr *e)
{
    if (e->fn == SN_FN_Q && e->nkid == 1)
        e = e->kid[0];
    if (e->fn == SN_FN_D && e->nkid == 1)
        e = e->kid[0];
    return e->ek == SN_E_NAME && e->rk == SN_R_PORT;
}

static void
conversion(SnResolver *rs, SnDefNode *n, const SnDefSem *s)
{
    if (s->cls != SN_C_CONVERT || converts(s->formula))
        return;
    sn_error(rs->d, s->formula->pos, "SN117",
             "a conversion of %s is q(d(x)), d(x) or x, not '%s'", n->name,
             sn_expr_str(rs->a, s->formula));
    sn_diag_help(rs->d, "sem point %s = ..;", s->out->name);
    sn_resolve_spoil(rs, n);
}

/* e with x for the operand that it reads. */
static SnExpr *
of_x(SnArena *a, const SnExpr *e)
{
    SnExpr *c = sn_expr_clone(a, e);

    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT)
        c->s = "x";
    for (uint32_t i = 0; i < e->nkid; i++)
        c->kid[i] = of_x(a, e->kid[i]);
    return c;
}

/* The formulas that rows compute (numerics.md). */
static const struct {
    SnRow row;
    const char *formula;
} row_formulas[] = {
    {SN_ROW_SOFTMAX, "q(exp(d(x)) / sum(exp(d(x))))"},
    {SN_ROW_SOFTMAX, "q(exp(d(x) - max(d(x))) / sum(exp(d(x) - max(d(x)))))"},
    {SN_ROW_LRN, "q(d(x) / pow(k + alpha / size * sum(d(x) * d(x)), beta))"},
    {SN_ROW_NORMALIZE, "q((d(x) - mean(d(x))) / sqrt(mean((d(x) - mean(d(x))) "
                       "* (d(x) - mean(d(x)))) + eps))"},
    {SN_ROW_RMS, "q(d(x) / sqrt(mean(d(x) * d(x)) + eps))"},
};

static void
row(SnResolver *rs, SnDefNode *n, const SnDefSem *s)
{
    const char *want = NULL, *is;

    if (s->row == SN_ROW_NONE || !sn_port_quant(n, s->out))
        return;
    is = sn_expr_str(rs->a, of_x(rs->a, s->formula));
    for (size_t i = 0; i < sizeof row_formulas / sizeof *row_formulas; i++)
        if (row_formulas[i].row == s->row) {
            want = row_formulas[i].formula;
            if (sn_name_same(is, want))
                return;
        }
    if (!want)
        return;
    sn_error(rs->d, s->formula->pos, "SN114",
             "the row '%s' does not compute '%s'", s->by,
             sn_expr_str(rs->a, s->formula));
    sn_diag_help(rs->d, "%s", want);
    sn_resolve_spoil(rs, n);
}

/* ---- what is added to an accumulator ---- */

/* Parts of one sum and what is added to it. */
typedef struct Reads {
    uint32_t nin, nout, ninner;
    const SnDefPort *in[8], *out[8]; /* inside sums, and outside them */
    const SnExpr *inner[4];          /* q(..): intermediate roundings */
} Reads;

static void
sums(const SnExpr *e, bool in, Reads *r)
{
    in |= e->fn == SN_FN_SUM && e->nkid == 1;
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT) {
        if (in && r->nin < 8)
            r->in[r->nin++] = e->ref;
        else if (!in && r->nout < 8)
            r->out[r->nout++] = e->ref;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        if (e->kid[i]->fn != SN_FN_Q)
            sums(e->kid[i], in, r);
        else if (r->ninner < 4)
            r->inner[r->ninner++] = e->kid[i];
}

/* Is p's scale the product of the scales of the operands that the sums read? */
static bool
on_grid(const SnDefPort *p, const Reads *r)
{
    bool used[8] = {false};

    if (p->fact != SN_PIN || p->npin != r->nin)
        return false;
    for (uint32_t i = 0; i < p->npin; i++) {
        uint32_t k = 0;
        while (k < r->nin && (used[k] || r->in[k]->index != p->pin[i]))
            k++;
        if (k == r->nin)
            return false;
        used[k] = true;
    }
    return true;
}

/* Codes are added to the sum of products of codes: on its grid. */
static void
accumulator(SnResolver *rs, SnDefNode *n, const SnExpr *e)
{
    Reads r = {0};
    SnBuf b;

    sums(e, false, &r);
    for (uint32_t i = 0; i < r.ninner; i++)
        accumulator(rs, n, r.inner[i]);
    for (uint32_t i = 0; i < r.nout && r.nin; i++) {
        const SnDefPort *p = r.out[i];
        if (!sn_port_quant(n, p) || on_grid(p, &r))
            continue;
        sn_buf_init(&b, rs->a);
        for (uint32_t k = 0; k < r.nin; k++)
            sn_putf(&b, "%s%s.scale", k ? " * " : "", r.in[k]->name);
        sn_error(rs->d, p->fact_pos, "SN109",
                 "'%s' of %s is added to a sum whose scale is %s", p->name,
                 n->name, sn_buf_str(&b));
        sn_diag_help(rs->d, "pin %s (%s, 0);", p->name, sn_buf_str(&b));
        sn_resolve_spoil(rs, n);
    }
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
            sn_resolve_spoil(rs, n);
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
        conversion(rs, n, n->rsem[i]);
        row(rs, n, n->rsem[i]);
        if (n->rsem[i]->cls == SN_C_CONTRACT && sn_port_quant(n, n->out[i]))
            accumulator(rs, n, n->rsem[i]->formula);
        if (!rs->bad_node[n->kind])
            sn_resolve_along(rs, n, n->rsem[i]);
    }
}
