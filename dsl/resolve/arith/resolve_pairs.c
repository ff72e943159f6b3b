// SPDX-License-Identifier: Apache-2.0
/* What an arithmetic says about types and pairs of types: codes, zero points,
 * scales, biases, accumulators, and kinds without rows. */
#include <stdlib.h>
#include "dsl/resolve/arith/resolve_arith.h"

enum { MOST = 1 << 16 }; /* of a unit of biases, and of products at once */

static const SnArithPairs any = {
    .type = {{INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false},
             {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, false, false}}};

static bool
restricts(const SnArithType *t)
{
    return t->lo != INT32_MIN || t->hi != INT32_MAX || t->zlo != INT32_MIN ||
           t->zhi != INT32_MAX || t->tensor || t->power;
}

static void
fault(SnDefArith *a)
{
    a->bad = true;
}

/* ---- types ---- */

static void
range(SnResolver *rs, SnDefArith *a, SnPos at, const char *what, int64_t lo,
      int64_t hi)
{
    if (lo <= hi && lo >= -32768 && hi <= 32767)
        return;
    sn_error(
        rs->d, at, "SN190",
        "%lld..%lld is not a range of %s: expected one within -32768..32767",
        (long long)lo, (long long)hi, what);
    fault(a);
}

static void
type(SnResolver *rs, SnDefArith *a, const SnDefArithType *t, SnArithType *to)
{
    static const char *const per[] = {"tensor", "axis"};

    if (t->codes.src) {
        range(rs, a, t->codes, "codes", t->lo, t->hi);
        to->lo = (int32_t)t->lo;
        to->hi = (int32_t)t->hi;
    }
    if (t->zero.src) {
        if (t->zlo != INT32_MIN)
            range(rs, a, t->zero, "zero points", t->zlo, t->zhi);
        to->zlo = (int32_t)t->zlo;
        to->zhi = (int32_t)t->zhi;
    }
    if (t->scales.src) {
        uint32_t at = sn_name_at(per, 2, t->per);
        to->tensor = at == 0;
        to->power = t->power;
        if (at == 2) {
            sn_error(rs->d, t->scales, "SN190",
                     "scales are per tensor or per axis, not per %s", t->per);
            fault(a);
        }
    }
    /* 0 has a code: padding and Relu rely on it */
    if (!a->bad && (to->zlo > to->hi || to->zhi < to->lo)) {
        sn_error(rs->d, t->zero.src ? t->zero : t->codes, "SN190",
                 "none of the zero points %d..%d is one of the codes %d..%d",
                 (int)to->zlo, (int)to->zhi, (int)to->lo, (int)to->hi);
        fault(a);
    }
}

/* ---- pairs ---- */

/* i32: 32; 0 if there is no such width. */
static int32_t
width(SnResolver *rs, SnDefArith *a, SnPos at, const char *s, int32_t most)
{
    char *end = NULL;
    long n =
        s[0] == 'i' && s[1] >= '1' && s[1] <= '9' ? strtol(s + 1, &end, 10) : 0;

    if (end && !*end && n >= 2 && n <= most)
        return (int32_t)n;
    sn_error(rs->d, at, "SN190", "'%s' is not a width: expected i2 to i%d", s,
             (int)most);
    fault(a);
    return 0;
}

static bool
is_scale(const SnExpr *e, const char *of)
{
    return e->ek == SN_E_MEMBER && e->word == SN_W_SCALE &&
           e->kid[0]->ek == SN_E_NAME && sn_name_same(e->kid[0]->s, of);
}

/* x.scale * w.scale, or a multiple of it. */
static void
bias(SnResolver *rs, SnDefArith *a, SnArithPairs *p)
{
    const SnExpr *e = a->bias_grid, *x;
    bool is =
        e->ek == SN_E_BIN && e->op == SN_OP_MUL && is_scale(e->kid[1], "w");

    p->bias_bits = width(rs, a, a->bias, a->bias_width, 32);
    p->bias_step = 1;
    x = is ? e->kid[0] : e;
    if (is && x->ek == SN_E_BIN && x->op == SN_OP_MUL &&
        x->kid[0]->ek == SN_E_INT) {
        int64_t n = x->kid[0]->i;
        if (n < 1 || n > MOST) {
            sn_error(rs->d, x->kid[0]->pos, "SN190",
                     "a bias counts 1 to %d products of scales, not %lld",
                     (int)MOST, (long long)n);
            fault(a);
            return;
        }
        p->bias_step = (int32_t)n;
        x = x->kid[1];
    }
    if (is && is_scale(x, "x"))
        return;
    sn_error(rs->d, e->pos, "SN190", "'%s' is not a grid of a bias",
             sn_expr_str(rs->a, e));
    sn_diag_help(rs->d, "x.scale * w.scale, or 128 * x.scale * w.scale");
    fault(a);
}

static void
accumulate(SnResolver *rs, SnDefArith *a, SnArithPairs *p)
{
    static const char *const mode[] = {"wrap", "saturate"};
    uint32_t at = sn_name_at(mode, 2, a->acc_mode);

    p->acc_bits = width(rs, a, a->acc, a->acc_width, 64);
    p->acc_saturate = at == 1;
    p->acc_each = (int32_t)a->acc_each;
    if (at == 2) {
        sn_error(rs->d, a->acc_mode_pos, "SN190",
                 "sums wrap or saturate, they do not '%s'", a->acc_mode);
        fault(a);
    } else if (a->acc_each_pos.src && at == 0) {
        sn_error(rs->d, a->acc_each_pos, "SN190",
                 "'each' has no effect on sums that wrap");
        sn_diag_help(rs->d, "accumulate %s wrap;", a->acc_width);
        fault(a);
    } else if (a->acc_each_pos.src && (a->acc_each < 1 || a->acc_each > MOST)) {
        sn_error(rs->d, a->acc_each_pos, "SN190",
                 "sums saturate after 1 to %d products, not %lld", (int)MOST,
                 (long long)a->acc_each);
        fault(a);
    }
}

/* ---- kinds without rows ---- */

static bool
has_codes(const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        for (uint32_t k = 0; k < n->nin + n->nout; k++)
            if (sn_conc_quant(k < n->nin ? n->tuple[i].in[k]
                                         : n->tuple[i].out[k - n->nin]))
                return true;
    return false;
}

/* The line for a kind by name, NULL: none. */
static const SnPos *
own_row(const SnDefArith *a, const char *kind)
{
    for (uint32_t i = 0; i < a->nrow; i++) {
        const SnDefRow *r = a->row[i];
        uint32_t at = r->any ? 0 : sn_name_at(r->of.s, r->of.n, kind);
        if (!r->any && at < r->of.n)
            return &r->of.pos[at];
    }
    return NULL;
}

static uint32_t
none_at(const SnDefNoRow *l, uint32_t n, const char *kind)
{
    uint32_t i = 0;

    while (i < n && !sn_name_same(l[i].kind, kind))
        i++;
    return i;
}

static bool
no_row_when(SnResolver *rs, const SnDefNode *n, SnDefNoRow *no)
{
    SnDefRowOf of = {0};
    int port[2], form = n->nout ? sn_form_of_result(n, 0, port) : -1;

    if (form < 0) {
        sn_error(rs->d, no->when->pos, "SN191",
                 "no form has rows for %s: 'when' is not allowed", n->name);
        return false;
    }
    of.form = (SnForm)form;
    if (!sn_row_condition(rs, no->when, &of))
        return false;
    no->mask = of.mask;
    no->is = of.is;
    return true;
}

static void
no_row(SnResolver *rs, SnDefArith *a, uint32_t i)
{
    const SnDefNoRow *no = &a->no[i];
    const SnDefNode *n = sn_resolve_node(rs, no->pos, no->kind);
    uint32_t was = none_at(a->no, i, no->kind);
    const SnPos *row = own_row(a, no->kind);

    if (sn_resolve_bad(rs, n)) {
        fault(a);
    } else if (was < i) {
        sn_resolve_twice(rs, no->pos, "no row for", no->kind, a->no[was].pos);
        fault(a);
    } else if (row && !no->when) {
        sn_error(rs->d, no->pos, "SN191", "%s has a row in the same block",
                 no->kind);
        sn_diag_span(rs->d, *row, "this one");
        fault(a);
    } else if (!has_codes(n)) {
        sn_error(rs->d, no->pos, "SN191",
                 "%s never runs on codes: 'no row' has no effect", no->kind);
        fault(a);
    } else {
        SnDefNoRow to = *no;
        if (no->when && !no_row_when(rs, n, &to))
            fault(a);
        else
            SN_PUSH(rs->a, a->none, a->nnone, to);
    }
}

void
sn_resolve_pairs(SnResolver *rs, SnDefArith *a)
{
    const SnDefArith *from = a->base;

    a->pairs = from ? from->pairs : any;
    for (uint32_t i = 0; i < SN_NROLE; i++)
        type(rs, a, &a->type[i], &a->pairs.type[i]);
    if (a->bias.src)
        bias(rs, a, &a->pairs);
    if (a->acc.src)
        accumulate(rs, a, &a->pairs);
    for (uint32_t i = 0; i < a->nno; i++)
        no_row(rs, a, i);
    for (uint32_t i = 0; from && i < from->nnone; i++) {
        const SnDefNoRow *no = &from->none[i];
        if (!own_row(a, no->kind) &&
            none_at(a->none, a->nnone, no->kind) == a->nnone)
            SN_PUSH(rs->a, a->none, a->nnone, *no);
    }
    a->pairs.nno = a->nnone;
    for (uint32_t i = 0; i < SN_NROLE; i++)
        a->pairs.some |= restricts(&a->pairs.type[i]);
    a->pairs.some |=
        a->ratio.refuse || a->pairs.bias_bits || a->pairs.acc_bits || a->nnone;
}
