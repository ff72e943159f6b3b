// SPDX-License-Identifier: Apache-2.0
/* The proof of the calculus as a certificate: the terms of both sides, the
 * facts read about their types and saturations, and each step of the normal
 * form. dsl/prove/check reads it back; its header has the format. */
#include "dsl/prove/calculus/prove_numbers.h"

#include <string.h>
#include "dsl/resolve/resolver.h"

struct SnWritten {
    SnBuf out;
    SnTexts texts;
    uint32_t natom, nterm, ntype;
    const char **atom, **term, **type; /* those that are written */
};

SnWritten *
sn_calculus_written(SnArena *a)
{
    SnWritten *w = SN_NEW(a, SnWritten);

    sn_buf_init(&w->out, a);
    w->texts.a = a;
    return w;
}

const char *
sn_calculus_certificate(SnWritten *w)
{
    return w->out.n ? sn_buf_str(&w->out) : NULL;
}

SnWrittenMark
sn_calculus_mark(const SnWritten *w)
{
    return (SnWrittenMark){w->out.n, w->natom};
}

void
sn_calculus_unwrite(SnWritten *w, SnWrittenMark m)
{
    if (w->out.s)
        w->out.s[m.nout] = '\0';
    w->out.n = m.nout;
    w->natom = m.natom;
}

/* The number of s in a list, to which it is written if it is new. */
static uint32_t
number(SnCalculus *l, const char ***v, uint32_t *n, char kind, const char *s)
{
    uint32_t i = 0;

    s = sn_texts_one(&l->w->texts, s);
    while (i < *n && (*v)[i] != s)
        i++;
    if (i == *n) {
        SN_PUSH(l->a, *v, *n, s);
        sn_putf(&l->w->out, "%c %s\n", kind, s);
    }
    return i;
}

static int
atom(SnCalculus *l, const char *s)
{
    if (!s)
        return -1;
    s = *s == '@' ? sn_format(l->a, "@%s", sn_calculus_rep(l, s + 1))
                  : sn_calculus_rep(l, s);
    return (int)number(l, &l->w->atom, &l->w->natom, 'a', s);
}

/* The bits of a line `k`. */
static unsigned
may(SnCalculus *l, const char *type)
{
    SnTypeMay m = sn_calculus_may(l, type);
    const uint32_t wide = 1u << SN_I32 | 1u << SN_I64;
    const uint32_t whole = wide | 1u << SN_I8 | 1u << SN_BOOL;

    return (sn_calculus_is_real(l, type) ? 1u : 0) |
           (m.elems >> SN_F32 & 1 ? 2u : 0) | (m.elems & whole ? 4u : 0) |
           (m.elems & wide ? 8u : 0) | (m.elems >> SN_QI32 & 1 ? 16u : 0) |
           (m.axis ? 32u : 0);
}

static int
type_of(SnCalculus *l, const char *type)
{
    SnWritten *w = l->w;

    if (!type)
        return -1;
    int at = atom(l, type);
    for (uint32_t i = 0; i < w->ntype; i++)
        if (w->type[i] == sn_calculus_rep(l, type))
            return at;
    SN_PUSH(l->a, w->type, w->ntype, sn_calculus_rep(l, type));
    (void)atom(l, sn_format(l->a, "@%s", type));
    sn_putf(&w->out, "k %d %u\n", at, may(l, type));
    return at;
}

static char
kind_of(const SnTree *t)
{
    bool max = t->fn == SN_FN_MAX, swaps = t->bin == SN_OP_ADD;

    switch (t->kind) {
    case SN_TR_NAME:
        return t->var ? 'v' : 'c';
    case SN_TR_FN:
        return sn_calculus_is_q(t)                ? 'q'
               : sn_calculus_is_d(t)              ? 'd'
               : !sn_calculus_is_minmax(t, false) ? 'f'
               : t->placed                        ? (max ? 'X' : 'M')
                                                  : (max ? 'x' : 'm');
    case SN_TR_OVER:
        return sn_calculus_is_minmax(t, true) ? (max ? 'X' : 'M')
               : t->fn == SN_FN_MEAN          ? 'e'
                                              : 'o';
    case SN_TR_BIN:
        if (swaps || t->bin == SN_OP_SUB)
            return swaps && !t->placed ? '+' : '-';
        swaps = t->bin == SN_OP_MUL || t->bin == SN_OP_EQ ||
                t->bin == SN_OP_NE || t->bin == SN_OP_AND || t->bin == SN_OP_OR;
        return swaps && !t->placed ? '*' : 'b';
    case SN_TR_NEG:
        return 'n';
    case SN_TR_MOVE:
        return t->ranked ? 'P' : 'p';
    case SN_TR_ROW:
        return 'r';
    default:
        return 'y';
    }
}

static uint32_t
term(SnCalculus *l, const SnTree *t)
{
    char kind = kind_of(t);
    SnBuf b;
    uint32_t kid[4];

    for (uint32_t i = 0; i < t->nkid; i++)
        kid[i] = term(l, t->kid[i]);
    int name = strchr("qdxmny", kind) ? -1 : atom(l, t->op);
    sn_buf_init(&b, l->a);
    sn_putf(&b, "%c %d %d %d %u", kind, t->own, name, type_of(l, t->type),
            t->nkid);
    for (uint32_t i = 0; i < t->nkid; i++)
        sn_putf(&b, " %u", kid[i]);
    sn_putf(&b, " %u", t->nsat);
    for (uint32_t i = 0; i < t->nsat; i++)
        sn_putf(&b, " %d", atom(l, t->sat[i]));
    return number(l, &l->w->term, &l->w->nterm, 't', sn_buf_str(&b));
}

/* ---- functions that the calculus calls ---- */

static void
put_bounds(SnCalculus *l, const char *name, const char *type, const char *lo,
           const char *hi)
{
    int v[] = {atom(l, name), type_of(l, type), atom(l, lo), atom(l, hi)};

    sn_putf(&l->w->out, "B %d %d %d %d\n", v[0], v[1], v[2], v[3]);
}

static const char *
side(SnCalculus *l, const SnExpr *e)
{
    return e->ek == SN_E_WILD ? NULL : sn_expr_str(l->a, e);
}

static void
put_pair(SnCalculus *l, char kind, const char *x, const char *y)
{
    int v[] = {atom(l, x), kind == 'O' ? type_of(l, y) : atom(l, y)};

    sn_putf(&l->w->out, "%c %d %d\n", kind, v[0], v[1]);
}

void
sn_calculus_write_legal(SnCalculus *l)
{
    SnWritten *w = l->w;
    uint32_t was = w->natom;

    if (l->numbers)
        sn_numbers_steps(l->numbers, &w->out, &w->natom, &w->atom);
    for (uint32_t i = was; i < w->natom; i++) /* NULL: a quotient */
        w->atom[i] = w->atom[i] ? sn_texts_one(&w->texts, w->atom[i]) : NULL;
}

void
sn_calculus_claim(SnCalculus *l, char claim)
{
    SnWritten *w = l->w;

    w->nterm = w->ntype = 0;
    sn_putf(&w->out, "C %c\n", claim);
    for (uint32_t i = 0; i < l->ncov; i++) {
        const SnCover *c = &l->cov[i][0];
        put_pair(l, 'V', c->name, l->cov[i][1].name);
        if (c->type)
            put_bounds(l, c->name, c->type, c->side[0], c->side[1]);
    }
    for (uint32_t i = 0; i < l->nbound; i++) {
        const SnExpr *e = l->bound[i].e;
        const char *type = sn_calculus_type_expr(l, e->kid[0]);
        if (type)
            put_bounds(l, l->bound[i].name, type, side(l, e->kid[1]),
                       side(l, e->kid[2]));
    }
    for (uint32_t i = 0; i < l->nclamp; i++)
        put_pair(l, 'O', l->clamp[i][0], l->clamp[i][1]);
    for (uint32_t i = 0; i < l->nleast; i++)
        put_pair(l, 'W', l->least[i][0], l->least[i][1]);
    for (uint32_t i = 0; i < l->pr->r->nvar; i++) {
        const char *v = l->pr->r->var[i]->name;
        put_pair(l, 'H', v, sn_format(l->a, "shape(%s)", v));
    }
    if (l->pr->commutes || l->pr->swap)
        sn_puts(&w->out, "K\n");
}

void
sn_calculus_step(SnCalculus *l, const SnTree *t, const SnTree *u, char rule)
{
    if (!l->w || !t || !u)
        return;
    uint32_t i = term(l, t), j = term(l, u);
    if (i != j)
        sn_putf(&l->w->out, "~ %u %u %c\n", i, j, rule);
}

void
sn_calculus_shown(SnCalculus *l, const SnTree *a, const SnTree *b)
{
    uint32_t i = term(l, a), j = term(l, b);

    sn_putf(&l->w->out, "E %u %u\n", i, j);
}
