// SPDX-License-Identifier: Apache-2.0
/* Formulas of arithmetics' rows: names, types and ranges, and the tree without
 * names (SnX).  Scales and lets are substituted where they are named. */
#include <assert.h>
#include <math.h>
#include "dsl/resolve/arith/resolve_arith.h"

static SnX *
fault(SnRowScope *sc)
{
    sc->bad = true;
    return NULL;
}

static const char *
str(const SnRowScope *sc, const SnExpr *e)
{
    return sn_expr_str(sc->rs->a, e);
}

static SnX *
new_x(SnRowScope *sc, SnXk xk, SnTy ty, SnPos pos, bool fixed)
{
    SnX *x = SN_NEW(sc->rs->a, SnX);

    x->xk = xk;
    x->ty = ty;
    x->pos = pos;
    x->fixed = fixed;
    return x;
}

static SnX *
ranged(SnX *x, double lo, double hi)
{
    x->lo = lo;
    x->hi = hi;
    return x;
}

/* ---- names ---- */

/* How many codes lie below 0: for 8 bits if the row sees no more. */
static double
codes(const SnRowScope *sc)
{
    SnForm f = sc->of->form;
    bool narrow =
        (f >= SN_FORM_SUM && f <= SN_FORM_PRODUCT) || f == SN_FORM_MEAN;

    return narrow && !sc->wide ? 128 : 32768;
}

static SnX *
named(SnRowScope *sc, const SnExpr *e)
{
    const double wide = 0x1p62, code = codes(sc);
    SnForm form = sc->of->form;

    for (uint32_t i = 0; i < sc->nvar; i++)
        if (sn_name_same(sc->var[i].name, e->s))
            return sc->var[i].x;
    if (sc->in_scale)
        return NULL;
    if (form == SN_FORM_CONTRACT && sn_name_same(e->s, "acc"))
        return ranged(new_x(sc, SN_X_IN, SN_TY_INT, e->pos, false),
                      sc->wide ? -wide : -0x1p31, sc->wide ? wide : 0x1p31 - 1);
    if (form == SN_FORM_MEAN && sn_name_same(e->s, sn_fns[SN_FN_SUM].word))
        return ranged(new_x(sc, SN_X_IN, SN_TY_INT, e->pos, false),
                      sc->wide ? -wide : -0x1p48, sc->wide ? wide : 0x1p48);
    if (form == SN_FORM_MEAN && sn_name_same(e->s, "n"))
        return ranged(new_x(sc, SN_X_N, SN_TY_INT, e->pos, true), 1, 0x1p40);
    if (form == SN_FORM_POINT && sn_name_same(e->s, "value"))
        return new_x(sc, SN_X_IN, SN_TY_REAL, e->pos, false);
    if (sc->of->is & SN_WHEN_AFTER && e->word == SN_W_ZP_SHIFT)
        return ranged(new_x(sc, SN_X_SHIFT, SN_TY_INT, e->pos, true), 0, 128);
    if (form == SN_FORM_CONTRACT || form == SN_FORM_MEAN ||
        form == SN_FORM_FUNCTION)
        return NULL;
    for (uint32_t i = 0; i < sc->nport; i++)
        if (sn_name_same(sc->port[i], e->s)) {
            SnX *x = ranged(new_x(sc, SN_X_IN, SN_TY_INT, e->pos, false), -code,
                            code - 1);
            x->i = i;
            return x;
        }
    return NULL;
}

/* x.scale, y.zp */
static SnX *
member(SnRowScope *sc, const SnExpr *e)
{
    const SnExpr *k = e->kid[0];
    bool scale = e->word == SN_W_SCALE;
    uint32_t at = 0;

    if (k->ek != SN_E_NAME || (!scale && e->word != SN_W_ZP) || sc->in_scale)
        return NULL;
    if (!sn_name_same(k->s, sc->result))
        for (at = 1; at <= sc->nport && !sn_name_same(k->s, sc->port[at - 1]);
             at++)
            ;
    /* sums of products use codes without their zero points */
    if (at > sc->nport || (!scale && at && sc->of->form == SN_FORM_CONTRACT))
        return NULL;
    SnX *x = new_x(sc, scale ? SN_X_SCALE : SN_X_ZP,
                   scale ? SN_TY_REAL : SN_TY_INT, e->pos, true);
    x->i = at;
    return ranged(x, -codes(sc), codes(sc) - 1);
}

/* May the row name kernel[i]?  It is for a map with a window. */
static bool
has_window(const SnRowScope *sc)
{
    return sc->of->form == SN_FORM_MEAN && sc->of->map &&
           sn_known_map(sc->of->map) == SN_MW_POOL && !sc->in_scale;
}

/* kernel[0], kernel[1] */
static SnX *
element(SnRowScope *sc, const SnExpr *e)
{
    const SnExpr *k = e->kid[0], *i = e->kid[1];

    if (!has_window(sc) || k->ek != SN_E_NAME || e->nkid != 2 ||
        !sn_name_same(k->s, "kernel") || i->ek != SN_E_INT || i->i < 0 ||
        i->i > 1)
        return NULL;
    SnX *x = new_x(sc, SN_X_KERNEL, SN_TY_INT, e->pos, true);
    x->i = i->i;
    return ranged(x, 1, 0x1p31);
}

static SnX *
unknown(SnRowScope *sc, const SnExpr *e)
{
    static const char *const own[] = {[SN_FORM_CONTRACT] = "acc",
                                      [SN_FORM_MEAN] = "sum, n",
                                      [SN_FORM_POINT] = "value",
                                      [SN_FORM_FUNCTION] =
                                          "lut(N, linear, MODE)",
                                      [SN_NFORM] = NULL};
    SnBuf b;

    sn_error(sc->rs->d, e->pos, "SN191", "'%s' has no value in this %s",
             str(sc, e), sc->in_scale ? "scale" : "row");
    sn_buf_init(&b, sc->rs->a);
    for (uint32_t i = 0; i < sc->nvar; i++)
        sn_putf(&b, "%s, ", sc->var[i].name);
    if (!sc->in_scale) {
        const char *mine = own[sc->of->form];
        bool zps = sc->of->form != SN_FORM_CONTRACT;
        if (mine)
            sn_putf(&b, "%s, ", mine);
        for (uint32_t i = 0; i < sc->nport; i++) {
            if (!mine)
                sn_putf(&b, "%s, ", sc->port[i]);
            sn_putf(&b, zps ? "%s.scale, %s.zp, " : "%s.scale, ", sc->port[i],
                    sc->port[i]);
        }
        if (has_window(sc))
            sn_puts(&b, "kernel[0], kernel[1], ");
        sn_putf(&b, "%s.scale, %s.zp", sc->result, sc->result);
        if (sc->of->is & SN_WHEN_AFTER)
            sn_putf(&b, ", %s", sn_words[SN_W_ZP_SHIFT]);
    }
    const char *s = sn_buf_str(&b);
    size_t n = b.n;
    if (n > 2 && s[n - 2] == ',')
        n -= 2;
    sn_diag_help(sc->rs->d, "allowed here: %.*s", (int)n, s);
    return fault(sc);
}

/* ---- operators ---- */

/* Integers never have more than 64 bits: exactly what a row states is
 * computed. */
static SnX *
fits(SnRowScope *sc, const SnExpr *e, SnX *x)
{
    if (x->lo >= -0x1p63 && x->hi < 0x1p63)
        return x;
    if (x->lo >= -0x1p63 && x->hi == 0x1p63) /* a bound that is not exact */
        return ranged(x, x->lo, 0x1p63 - 1024);
    sn_error(sc->rs->d, e->pos, "SN192", "'%s' may leave 64 bits: up to 2^%d",
             str(sc, e), (int)ceil(log2(fmax(-x->lo, x->hi))));
    sn_diag_help(sc->rs->d, "mulshr(a, b, n, mode) has an exact product; "
                            "sat(v, bits) and wrap(v, bits) bound what they "
                            "are given");
    return fault(sc);
}

static SnX *
as_real(SnRowScope *sc, SnX *x)
{
    if (x->ty == SN_TY_REAL)
        return x;
    SnX *r = new_x(sc, SN_X_FN, SN_TY_REAL, x->pos, x->fixed);
    r->fn = SN_FN_F32;
    r->nkid = 1;
    r->kid[0] = x;
    return r;
}

static void
span4(SnX *r, double a, double b, double c, double d)
{
    ranged(r, fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static SnX *
wanted(SnRowScope *sc, const SnExpr *e, SnX *x, const char *what)
{
    if (x)
        sn_error(sc->rs->d, e->pos, "SN191", "'%s' is %s, expected %s",
                 str(sc, e), sn_ty_name(x->ty), what);
    return fault(sc);
}

static bool
is_num(const SnX *x)
{
    return x->ty == SN_TY_INT || x->ty == SN_TY_REAL;
}

static SnX *
binary(SnRowScope *sc, const SnExpr *e)
{
    SnX *a = sn_row_x(sc, e->kid[0]), *b = sn_row_x(sc, e->kid[1]);
    bool logic = e->op == SN_OP_AND || e->op == SN_OP_OR;

    if (!a || !b)
        return NULL;
    for (int i = 0; i < 2; i++) {
        SnX *x = i ? b : a;
        if (logic ? x->ty != SN_TY_BOOL : !is_num(x))
            return wanted(sc, e->kid[i], x,
                          logic ? "true or false" : "a number");
    }
    bool real = a->ty == SN_TY_REAL || b->ty == SN_TY_REAL;
    if (e->op == SN_OP_DIV && !real) {
        sn_error(sc->rs->d, e->pos, "SN191",
                 "'%s' divides integers, and does not say how it rounds",
                 str(sc, e));
        sn_diag_help(sc->rs->d, "%s(%s, %s, %s)", sn_fns[SN_FN_DIV].word,
                     str(sc, e->kid[0]), str(sc, e->kid[1]),
                     sn_mode_words[SN_MODE_HALF_AWAY]);
        return fault(sc);
    }
    if (e->op > SN_OP_OR) {
        sn_error(sc->rs->d, e->pos, "SN191", "'%s' is not allowed in a row",
                 str(sc, e));
        return fault(sc);
    }
    SnX *r = new_x(sc, SN_X_OP,
                   e->op >= SN_OP_EQ ? SN_TY_BOOL
                   : real            ? SN_TY_REAL
                                     : SN_TY_INT,
                   e->pos, a->fixed && b->fixed);
    r->op = e->op;
    r->nkid = 2;
    r->kid[0] = real ? as_real(sc, a) : a;
    r->kid[1] = real ? as_real(sc, b) : b;
    if (r->ty != SN_TY_INT)
        return r;
    if (e->op == SN_OP_ADD)
        ranged(r, a->lo + b->lo, a->hi + b->hi);
    else if (e->op == SN_OP_SUB)
        ranged(r, a->lo - b->hi, a->hi - b->lo);
    else
        span4(r, a->lo * b->lo, a->lo * b->hi, a->hi * b->lo, a->hi * b->hi);
    return fits(sc, e, r);
}

static SnX *
unary(SnRowScope *sc, const SnExpr *e)
{
    SnX *a = sn_row_x(sc, e->kid[0]);
    bool not_ = e->ek == SN_E_NOT;

    if (!a || (not_ ? a->ty != SN_TY_BOOL : !is_num(a)))
        return wanted(sc, e->kid[0], a, not_ ? "true or false" : "a number");
    SnX *r = new_x(sc, not_ ? SN_X_NOT : SN_X_NEG, a->ty, e->pos, a->fixed);
    r->nkid = 1;
    r->kid[0] = a;
    ranged(r, -a->hi, -a->lo);
    return r->ty == SN_TY_INT ? fits(sc, e, r) : r;
}

/* ---- functions ---- */

/* The range of v / 2^n, rounded: at most one more than the quotient. */
static void
shifted(SnX *r, double lo, double hi, const SnX *n)
{
    double a = exp2(-fmin(n->lo, 1000)), b = exp2(-fmin(n->hi, 1000));

    span4(r, lo * a, lo * b, hi * a, hi * b);
    if (n->hi > 0)
        ranged(r, floor(r->lo), ceil(r->hi));
}

static void
range_of(SnX *r)
{
    SnX *const *k = r->kid;

    switch (r->fn) {
    case SN_FN_SHR:
        shifted(r, k[0]->lo, k[0]->hi, k[1]);
        break;
    case SN_FN_SHL: {
        SnX n = {.lo = -k[1]->hi, .hi = -k[1]->lo};
        shifted(r, k[0]->lo, k[0]->hi, &n);
        break;
    }
    case SN_FN_MULSHR: {
        SnX p = {0};
        span4(&p, k[0]->lo * k[1]->lo, k[0]->lo * k[1]->hi, k[0]->hi * k[1]->lo,
              k[0]->hi * k[1]->hi);
        shifted(r, p.lo, p.hi, k[2]);
        ranged(r, fmax(r->lo, -0x1p63), fmin(r->hi, 0x1p63 - 1024));
        break;
    }
    case SN_FN_DIV: {
        double m = fmax(fabs(k[0]->lo), fabs(k[0]->hi));
        ranged(r, k[0]->lo >= 0 && k[1]->lo >= 0 ? 0 : -m, m);
        break;
    }
    case SN_FN_SAT:
    case SN_FN_WRAP: {
        double top = exp2((double)k[1]->i - 1);
        bool in = k[0]->lo >= -top && k[0]->hi < top;
        ranged(r, in ? k[0]->lo : -top, in ? k[0]->hi : top - 1);
        if (r->fn == SN_FN_SAT && !in)
            ranged(r, fmax(k[0]->lo, -top), fmin(k[0]->hi, top - 1));
        break;
    }
    case SN_FN_RNE:
        ranged(r, -0x1p63, 0x1p63 - 1024);
        break;
    case SN_FN_EXPONENT:
        ranged(r, -127, 128);
        break;
    case SN_FN_MIN:
        ranged(r, fmin(k[0]->lo, k[1]->lo), fmin(k[0]->hi, k[1]->hi));
        break;
    case SN_FN_MAX:
        ranged(r, fmax(k[0]->lo, k[1]->lo), fmax(k[0]->hi, k[1]->hi));
        break;
    case SN_FN_SELECT:
        ranged(r, fmin(k[1]->lo, k[2]->lo), fmax(k[1]->hi, k[2]->hi));
        break;
    default:
        break;
    }
}

static bool
mode(SnRowScope *sc, const SnExpr *call, const SnExpr *e, SnX *r)
{
    SnBuf b;

    r->mode = e->ek == SN_E_NAME ? sn_mode_named(e->s) : SN_MODE_NONE;
    if (r->mode != SN_MODE_NONE)
        return true;
    sn_buf_init(&b, sc->rs->a);
    for (int i = SN_MODE_NONE + 1; i < SN_NMODE; i++)
        sn_putf(&b, "%s%s", b.n ? ", " : "", sn_mode_words[i]);
    sn_error(sc->rs->d, e->pos, "SN191",
             "'%s' is not a rounding of %s: expected one of %s", str(sc, e),
             call->s, sn_buf_str(&b));
    return fault(sc) != NULL;
}

/* One argument: I an int, R a real, N a number, W a width, M a mode, B a
 * truth value. */
static bool
argument(SnRowScope *sc, const SnExpr *call, uint32_t i, char want, SnX *r)
{
    const SnExpr *e = call->kid[i];

    if (want == 'M')
        return mode(sc, call, e, r);
    if (want == 'W' && (e->ek != SN_E_INT || e->i < 1 || e->i > 64)) {
        sn_error(sc->rs->d, e->pos, "SN191",
                 "'%s' is not a width of %s: expected a number from 1 to 64",
                 str(sc, e), call->s);
        return fault(sc) != NULL;
    }
    SnX *x = sn_row_x(sc, e);
    if (!x)
        return false;
    bool ok = want == 'B'   ? x->ty == SN_TY_BOOL
              : want == 'R' ? is_num(x)
              : want == 'N' ? is_num(x)
                            : x->ty == SN_TY_INT;
    if (!ok) {
        wanted(sc, e, x,
               want == 'B'                  ? "true or false"
               : want == 'R' || want == 'N' ? "a number"
                                            : "an int");
        if (want == 'I' && x->ty == SN_TY_REAL)
            sn_diag_help(sc->rs->d, "%s(%s)", sn_fns[SN_FN_RNE].word,
                         str(sc, e));
        return false;
    }
    r->kid[r->nkid++] = want == 'R' ? as_real(sc, x) : x;
    r->fixed = r->fixed && x->fixed;
    return true;
}

/* Does it have only parts that a ratio, which may be formed in binary64, may
 * have? */
static bool
plain_ratio(const SnX *x)
{
    bool ok = x->xk == SN_X_FN ? x->fn == SN_FN_F32 || x->fn == SN_FN_MIN ||
                                     x->fn == SN_FN_MAX
                               : x->xk != SN_X_OP || x->op <= SN_OP_DIV;

    /* a ratio is a number, outside of any scale */
    assert(x->xk != SN_X_NOT && x->xk != SN_X_Q && x->xk != SN_X_S);
    for (uint32_t i = 0; i < x->nkid; i++)
        ok = ok && plain_ratio(x->kid[i]);
    return ok;
}

/* v : ratio of a scale of this arithmetic, or of one that it inherits from. */
static SnX *
scaled(SnRowScope *sc, const SnExpr *e, SnDefScale *s, const SnDefArith *a)
{
    const SnDefRatio *by = s->own.pos.src ? &s->own : &a->ratio;
    const SnExpr *k = e->nkid == 1 ? e->kid[0] : NULL;

    if (!k || k->ek != SN_E_RATIO || sc->in_scale) {
        sn_error(sc->rs->d, e->pos, "SN191", "'%s' %s", str(sc, e),
                 sc->in_scale ? "is a scale inside another one"
                              : "takes a value and a ratio");
        if (!sc->in_scale)
            sn_diag_help(sc->rs->d, "%s(acc : x.scale * w.scale / y.scale)",
                         s->name);
        return fault(sc);
    }
    SnX *v = sn_row_x(sc, k->kid[0]), *m = sn_row_x(sc, k->kid[1]);
    if (!v || !m)
        return NULL;
    if (v->ty != SN_TY_INT)
        return wanted(sc, k->kid[0], v, "an int");
    if (m->ty != SN_TY_REAL || !m->fixed) {
        sn_error(sc->rs->d, k->kid[1]->pos, "SN191",
                 "'%s' is not a ratio of scales", str(sc, k->kid[1]));
        return fault(sc);
    }
    if (!plain_ratio(m)) {
        sn_error(sc->rs->d, k->kid[1]->pos, "SN191",
                 "'%s' is not a ratio: expected scales and numbers with + - * "
                 "/, min and max",
                 str(sc, k->kid[1]));
        return fault(sc);
    }
    SnX *q = new_x(sc, SN_X_Q, SN_TY_INT, e->pos, true), *sh;
    q->nkid = 1;
    q->kid[0] = m;
    q->by = by;
    q->s = str(sc, k->kid[1]);
    ranged(q, 0, exp2((double)by->bits) - 1);
    sh = sn_memdup(sc->rs->a, q, sizeof *q);
    sh->xk = SN_X_S;
    ranged(sh, (double)by->s_lo, (double)by->s_hi);
    SnRowScope in = *sc;
    SnRowVar var[] = {{s->v, v}, {sn_fns[SN_FN_Q].word, q}, {"s", sh}};
    in.in_scale = true;
    in.nvar = 3;
    in.var = var;
    SnX *r = s->bad ? fault(sc) : sn_row_x(&in, s->e);
    s->bad = !r;
    sc->bad |= in.bad;
    return r && r->ty != SN_TY_INT ? wanted(sc, s->e, r, "an int") : r;
}

/* An entry for each step-th code of 8 bits, and one for the code after them.
 */
static int64_t
entries(SnRowScope *sc, const SnExpr *e)
{
    for (int64_t n = 2; e->ek == SN_E_INT && n <= 256; n *= 2)
        if (e->i == n + 1)
            return 256 / n;
    sn_error(sc->rs->d, e->pos, "SN191",
             "'%s' is no number of entries of a lut: expected 2^n + 1, from 3 "
             "to 257",
             str(sc, e));
    return 0;
}

/* lut(N, linear, MODE): below + rounded(more * above / step). */
static SnX *
table(SnRowScope *sc, const SnExpr *e)
{
    const SnExpr *way = e->kid[1];
    SnX *x[2], *n, *shift, *sum;

    if (sc->of->form != SN_FORM_FUNCTION || sc->in_scale || sc->step)
        return unknown(sc, e);
    if (!(sc->step = entries(sc, e->kid[0])))
        return fault(sc);
    if (way->ek != SN_E_NAME || strcmp(way->s, "linear") != 0) {
        sn_error(sc->rs->d, way->pos, "SN191",
                 "'%s' is no way between two entries of a lut: expected linear",
                 str(sc, way));
        return fault(sc);
    }
    for (int i = 0; i < 2; i++) {
        double most = i ? 255.0 * (double)(sc->step - 1) : 128;
        x[i] =
            ranged(new_x(sc, SN_X_IN, SN_TY_INT, e->pos, false), -most, most);
        x[i]->i = i;
    }
    n = new_x(sc, SN_X_INT, SN_TY_INT, e->pos, true);
    while (INT64_C(1) << n->i < sc->step)
        n->i++;
    ranged(n, (double)n->i, (double)n->i);
    shift = new_x(sc, SN_X_FN, SN_TY_INT, e->pos, false);
    shift->fn = SN_FN_SHR;
    if (!mode(sc, e, e->kid[2], shift))
        return NULL;
    shift->nkid = 2;
    shift->kid[0] = x[1];
    shift->kid[1] = n;
    range_of(shift);
    sum = new_x(sc, SN_X_OP, SN_TY_INT, e->pos, false);
    sum->op = SN_OP_ADD;
    sum->nkid = 2;
    sum->kid[0] = x[0];
    sum->kid[1] = shift;
    return ranged(sum, x[0]->lo + shift->lo, x[0]->hi + shift->hi);
}

static SnX *
call(SnRowScope *sc, const SnExpr *e)
{
    const SnFnWord *f = &sn_fns[e->fn];
    const char *args = e->fn == SN_FN_SELECT                      ? "BNN"
                       : e->fn == SN_FN_MIN || e->fn == SN_FN_MAX ? "NN"
                       : f->whole                                 ? f->whole
                                                                  : f->row;

    for (const SnDefArith *a = sc->arith; a; a = a->base)
        for (uint32_t i = 0; i < a->nscale; i++)
            if (sn_name_same(a->scale[i]->name, e->s))
                return scaled(sc, e, a->scale[i], a);
    if (!args) {
        SnCands v = sn_cands(sc->rs);
        for (int i = SN_FN_NONE + 1; i < SN_NFN; i++)
            if (sn_fns[i].whole || sn_fns[i].row || i == SN_FN_SELECT ||
                i == SN_FN_MIN || i == SN_FN_MAX)
                sn_cands_add(&v, sn_fns[i].word, NULL);
        for (const SnDefArith *a = sc->arith; a; a = a->base)
            for (uint32_t i = 0; i < a->nscale; i++)
                sn_cands_add(&v, a->scale[i]->name, &a->scale[i]->pos);
        sn_resolve_unknown(sc->rs, e->pos, "function", e->s, NULL, &v);
        return fault(sc);
    }
    if (e->nkid != strlen(args)) {
        sn_error(sc->rs->d, e->pos, "SN102", "%s takes %zu argument%s, not %u",
                 f->word, strlen(args), args[1] ? "s" : "", e->nkid);
        return fault(sc);
    }
    if (e->fn == SN_FN_LUT)
        return table(sc, e);
    SnX *r = new_x(sc, SN_X_FN, f->ty, e->pos, true);
    r->fn = e->fn;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (!argument(sc, e, i, args[i], r))
            return NULL;
    if (args[0] == 'N' || args[0] == 'B') {
        uint32_t at = args[0] == 'B';
        if (e->fn == SN_FN_F32)
            return r->kid[0]->ty == SN_TY_REAL ? r->kid[0] : r;
        bool real =
            r->kid[at]->ty == SN_TY_REAL || r->kid[at + 1]->ty == SN_TY_REAL;
        r->ty = real ? SN_TY_REAL : SN_TY_INT;
        for (uint32_t i = at; real && i < r->nkid; i++)
            r->kid[i] = as_real(sc, r->kid[i]);
    }
    range_of(r);
    return r->ty == SN_TY_INT ? fits(sc, e, r) : r;
}

static SnX *
number(SnRowScope *sc, const SnExpr *e)
{
    SnX *x = new_x(sc, e->ek == SN_E_INT ? SN_X_INT : SN_X_REAL,
                   e->ek == SN_E_INT ? SN_TY_INT : SN_TY_REAL, e->pos, true);

    x->i = e->i;
    x->r = e->r;
    return ranged(x, (double)e->i, (double)e->i);
}

SnX *
sn_row_x(SnRowScope *sc, const SnExpr *e)
{
    SnX *x = NULL;

    switch (e->ek) {
    case SN_E_INT:
    case SN_E_REAL:
        return number(sc, e);
    case SN_E_NAME:
        x = named(sc, e);
        return x ? x : unknown(sc, e);
    case SN_E_MEMBER:
        x = member(sc, e);
        return x ? x : unknown(sc, e);
    case SN_E_INDEX:
        x = element(sc, e);
        return x ? x : unknown(sc, e);
    case SN_E_CALL:
        return call(sc, e);
    case SN_E_BIN:
        return binary(sc, e);
    case SN_E_NEG:
    case SN_E_NOT:
        return unary(sc, e);
    default:
        sn_error(sc->rs->d, e->pos, "SN191", "'%s' is not allowed in a row",
                 str(sc, e));
        return fault(sc);
    }
}

/* ---- what wraps ---- */

static uint32_t
count_in(const SnX *x, int64_t in)
{
    uint32_t n = x->xk == SN_X_IN && x->i == in;

    for (uint32_t i = 0; i < x->nkid; i++)
        n += count_in(x->kid[i], in);
    return n;
}

/* Is x monotonic in each of its operands while the others are fixed? */
static bool
one_way(const SnX *x)
{
    bool ok = true;

    if (x->fixed)
        return true;
    if (x->ty == SN_TY_BOOL || (x->xk == SN_X_FN && x->fn == SN_FN_SELECT) ||
        (((x->xk == SN_X_FN && x->fn == SN_FN_DIV) ||
          (x->xk == SN_X_OP && x->op == SN_OP_DIV)) &&
         !x->kid[1]->fixed))
        return false;
    for (uint32_t i = 0; i < x->nkid && ok; i++)
        ok = one_way(x->kid[i]);
    return ok;
}

static bool
is_wrap(const SnX *x)
{
    return x->xk == SN_X_FN && x->fn == SN_FN_WRAP && !x->fixed;
}

bool
sn_row_wraps(const SnX *x)
{
    bool any = is_wrap(x);

    for (uint32_t i = 0; i < x->nkid && !any; i++)
        any = sn_row_wraps(x->kid[i]);
    return any;
}

const SnX *
sn_row_bent_wrap(const SnX *x)
{
    const SnX *bent = NULL;

    if (is_wrap(x) &&
        (!one_way(x->kid[0]) || count_in(x, 0) > 1 || count_in(x, 1) > 1))
        return x;
    for (uint32_t i = 0; i < x->nkid && !bent; i++)
        bent = sn_row_bent_wrap(x->kid[i]);
    return bent;
}

/* ---- errors of roundings ---- */

/* The error of a shift by n of something with error err: that error, scaled,
 * plus its own rounding if it cuts bits off. */
static double
shift_error(const SnX *n, SnMode m, double err)
{
    double own = m == SN_MODE_FLOOR || m == SN_MODE_ZERO ? 1 : 0.5;
    double least = n->lo < 1 ? 1 : n->lo, e = err * exp2(-least) + own;

    if (n->lo <= 0)
        e = fmax(n->hi > 0 ? e : 0, err * exp2(-n->lo));
    return e;
}

double
sn_row_error(const SnX *x)
{
    double e[3] = {0};

    for (uint32_t i = 0; i < x->nkid; i++)
        e[i] = sn_row_error(x->kid[i]);
    if (x->fixed || x->ty != SN_TY_INT)
        return 0;
    if (x->xk == SN_X_OP && x->op == SN_OP_MUL)
        return e[0] * fmax(fabs(x->kid[1]->lo), fabs(x->kid[1]->hi)) +
               e[1] * fmax(fabs(x->kid[0]->lo), fabs(x->kid[0]->hi));
    if (x->xk != SN_X_FN)
        return e[0] + e[1];
    switch (x->fn) {
    case SN_FN_SHR:
        return shift_error(x->kid[1], x->mode, e[0]);
    case SN_FN_MULSHR:
        return shift_error(x->kid[2], x->mode, 0);
    case SN_FN_DIV:
        return e[0] +
               (x->mode == SN_MODE_FLOOR || x->mode == SN_MODE_ZERO ? 1 : 0.5);
    case SN_FN_SHL:
        return e[0] * exp2(fmax(x->kid[1]->hi, 0)) + (x->kid[1]->lo < 0);
    case SN_FN_RNE:
        return 0.5;
    case SN_FN_SELECT:
        return fmax(e[1], e[2]);
    default: /* sat, a wrap that does not wrap, max, min */
        return fmax(e[0], e[1]);
    }
}
