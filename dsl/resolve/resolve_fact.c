// SPDX-License-Identifier: Apache-2.0
/* Scale facts: written per line, stored per port, exactly one for each port
 * that some tuple quantizes. */
#include <math.h>
#include <string.h>
#include "dsl/resolve/resolver.h"

static SnDefPort *
find_port(SnResolver *rs, SnDefNode *n, const char *name, SnPos at)
{
    SnCands v = sn_cands(rs);

    SnDefPort *in = sn_named(n->in, n->nin, name);
    SnDefPort *out = sn_named(n->out, n->nout, name);
    if (in || out)
        return in ? in : out;
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
        sn_cands_add(&v, p->name, &p->pos);
    }
    sn_resolve_unknown(rs, at, "port", name, n->name, &v);
    sn_resolve_spoil(rs, n);
    return NULL;
}

/* ---- values of fixed and pin ---- */

static bool
fixed_value(SnResolver *rs, const SnDefNode *n, SnDefPort *p)
{
    int64_t lo = INT16_MIN, hi = INT16_MAX;
    double s, z;

    if (!sn_resolve_const(rs, p->scale, &s) || !sn_resolve_const(rs, p->zp, &z))
        return false;
    p->fixed_scale = s;
    p->fixed_zp = fabs(z) <= INT16_MAX + 1.0 ? (int64_t)z : hi + 1;
    if (!(s >= 0x1p-100 && s <= 0x1p100)) {
        sn_error(rs->d, p->scale->pos, "SN108",
                 "a scale lies in [2^-100, 2^100], not %g", s);
        return false;
    }
    for (uint32_t i = 0; i < n->ntuple; i++) {
        SnDefConc c = (p->out ? n->tuple[i].out : n->tuple[i].in)[p->index];
        int64_t a, b;
        sn_conc_zp(c, &a, &b);
        if (!sn_conc_quant(c))
            continue;
        lo = a > lo ? a : lo;
        hi = b < hi ? b : hi;
    }
    if (z != (double)p->fixed_zp || p->fixed_zp < lo || p->fixed_zp > hi) {
        sn_error(rs->d, p->zp->pos, "SN108",
                 "%g is not a zero point of '%s': an integer in [%lld, %lld]",
                 z, p->name, (long long)lo, (long long)hi);
        return false;
    }
    p->scale->ty = SN_TY_REAL;
    p->zp->ty = SN_TY_INT;
    return true;
}

/* x.scale * w.scale: the operands' indices. */
static bool
pin_factors(SnResolver *rs, SnDefNode *n, SnDefPort *p, SnExpr *e)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_MUL) {
        e->ty = SN_TY_REAL;
        return pin_factors(rs, n, p, e->kid[0]) &&
               pin_factors(rs, n, p, e->kid[1]);
    }
    if (e->ek != SN_E_MEMBER || e->word != SN_W_SCALE ||
        e->kid[0]->ek != SN_E_NAME || p->npin == 3) {
        sn_error(rs->d, e->pos, "SN109",
                 "the scale of pinned '%s' is a product of up to three "
                 "operands' scales",
                 p->name);
        sn_diag_help(rs->d, "pin %s (x.scale * w.scale, 0)", p->name);
        return false;
    }
    SnDefPort *x = find_port(rs, n, e->kid[0]->s, e->kid[0]->pos);
    if (!x)
        return false;
    if (x->out || x == p || x->variadic) {
        sn_error(rs->d, e->kid[0]->pos, "SN109", "'%s' cannot pin '%s'",
                 x->name, p->name);
        return false;
    }
    e->ty = SN_TY_REAL;
    e->kid[0]->rk = SN_R_PORT;
    e->kid[0]->ref = x;
    e->kid[0]->ty = SN_TY_VALUE;
    p->pin[p->npin++] = x->index;
    return true;
}

static bool
pin_value(SnResolver *rs, SnDefNode *n, SnDefPort *p)
{
    double z;

    p->npin = 0;
    if (p->out || p->variadic) {
        sn_error(rs->d, p->fact_pos, "SN109",
                 "'%s' of %s cannot be pinned: "
                 "only a single operand can",
                 p->name, n->name);
        return false;
    }
    if (!pin_factors(rs, n, p, p->scale) || !sn_resolve_const(rs, p->zp, &z))
        return false;
    if (z != 0) {
        sn_error(rs->d, p->zp->pos, "SN109",
                 "the zero point of pinned '%s' is 0", p->name);
        return false;
    }
    p->zp->ty = SN_TY_INT;
    return true;
}

/* ---- lines to ports ---- */

static void
put_fact(SnResolver *rs, SnDefNode *n, SnDefPort *p, const SnDefFactSrc *f,
         uint32_t i)
{
    p->fact = f->fact;
    p->fact_pos = f->name_pos[i];
    p->scale = sn_expr_clone(rs->a, f->scale);
    p->zp = sn_expr_clone(rs->a, f->zp);
    p->because = f->text;
    p->npin = 0;
    if (f->fact == SN_FIXED && !fixed_value(rs, n, p))
        sn_resolve_spoil(rs, n);
    if (f->fact == SN_PIN && !pin_value(rs, n, p))
        sn_resolve_spoil(rs, n);
}

static void
fact_line(SnResolver *rs, SnDefNode *n, const SnDefFactSrc *f, SnDefPort **seen,
          uint32_t *nseen)
{
    for (uint32_t i = 0; i < f->nname; i++) {
        SnDefPort *p = find_port(rs, n, f->name[i], f->name_pos[i]);
        bool twice = false;
        if (!p)
            continue;
        for (uint32_t j = 0; j < *nseen; j++)
            twice |= seen[j] == p;
        if (twice) {
            sn_error(rs->d, f->name_pos[i], "SN106",
                     "port '%s' of %s has two facts", p->name, n->name);
            sn_diag_span(rs->d, p->fact_pos, "'%s' here",
                         sn_fact_words[p->fact].word);
            sn_resolve_spoil(rs, n);
            continue;
        }
        seen[(*nseen)++] = p;
        put_fact(rs, n, p, f, i);
    }
}

static void
fact_lines(SnResolver *rs, SnDefNode *n, const SnDefFactSrc *const *f,
           uint32_t nf)
{
    SnDefPort **seen = SN_NEW_N(rs->a, SnDefPort *, n->nin + n->nout);
    uint32_t nseen = 0;
    const SnDefFactSrc *same = NULL;

    for (uint32_t i = 0; i < nf; i++) {
        if (f[i]->fact == SN_SAME && same) {
            sn_error(rs->d, f[i]->pos, "SN108",
                     "%s has a second 'same' group; it may have one", n->name);
            sn_diag_span(rs->d, same->pos, "the first");
            sn_resolve_spoil(rs, n);
        }
        if (f[i]->fact == SN_SAME)
            same = f[i];
        fact_line(rs, n, f[i], seen, &nseen);
    }
}

/* ---- each port has what it needs ---- */

static bool
exempt(const SnDefNode *n)
{
    const SnDefSem *s = n->rsem[0];

    return s->cls == SN_C_SOURCE || (s->cls == SN_C_OPAQUE && n->has_effect);
}

static void
port_fact(SnResolver *rs, SnDefNode *n, SnDefPort *p, bool own)
{
    bool quant = sn_port_quant(n, p);

    if (quant && p->fact == SN_FACT_NONE && !exempt(n)) {
        sn_error(rs->d, p->pos, "SN105",
                 "port '%s' of %s is quantized and has no scale fact", p->name,
                 n->name);
        sn_diag_help(rs->d,
                     "free %s, same %s with another port, fixed %s "
                     "(scale, zp), pin %s (..) or given %s",
                     p->name, p->name, p->name, p->name, p->name);
        sn_resolve_spoil(rs, n);
    }
    if (quant || p->fact == SN_FACT_NONE)
        return;
    if (!own) { /* a form without the quantized types of its base */
        p->fact = SN_FACT_NONE;
        return;
    }
    for (uint32_t i = 0; i < (n->nout ? n->nout : 1); i++)
        if (n->rsem[i]->trusted && *n->rsem[i]->trusted)
            return;
    sn_error(rs->d, p->fact_pos, "SN107",
             "'%s %s' of %s, which no tuple quantizes",
             sn_fact_words[p->fact].word, p->name, n->name);
    sn_diag_help(rs->d, "remove the fact, or write sem ... trusted \"why\"");
    sn_resolve_spoil(rs, n);
}

static void
same_group(SnResolver *rs, SnDefNode *n)
{
    const SnDefPort *one = NULL;
    uint32_t k = 0;

    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
        if (p->fact != SN_SAME)
            continue;
        one = p;
        k += p->variadic ? 2 : 1;
    }
    if (k != 1)
        return;
    sn_error(rs->d, one->fact_pos, "SN108",
             "'same %s' of %s names one port; expected two or more", one->name,
             n->name);
    sn_resolve_spoil(rs, n);
}

static void
same_types(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t t = 0; t < n->ntuple; t++) {
        const SnDefPort *first = NULL;
        SnDefConc c = {0, 0};
        for (uint32_t i = 0; i < n->nin + n->nout; i++) {
            const SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
            SnDefConc k =
                p->out ? n->tuple[t].out[p->index] : n->tuple[t].in[p->index];
            if (p->fact != SN_SAME || k.elem == SN_ABSENT)
                continue;
            if (first && !sn_conc_equal(c, k)) {
                sn_error(rs->d, n->tuple[t].pos, "SN108",
                         "'%s' and '%s' of %s are same, but this tuple "
                         "makes them %s and %s",
                         first->name, p->name, n->name, sn_conc_str(rs, c),
                         sn_conc_str(rs, k));
                sn_resolve_spoil(rs, n);
                return;
            }
            first = p;
            c = k;
        }
    }
}

void
sn_resolve_facts(SnResolver *rs, SnDefNode *n)
{
    fact_lines(rs, n, (const SnDefFactSrc *const *)n->fact_src, n->nfact_src);
    if (rs->bad_node[n->kind])
        return;
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
        port_fact(rs, n, p, !n->base || sn_def_fact_line(n, p->name));
    }
    if (rs->bad_node[n->kind])
        return;
    same_group(rs, n);
    same_types(rs, n);
}
