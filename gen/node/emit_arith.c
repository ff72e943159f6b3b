// SPDX-License-Identifier: Apache-2.0
/* sn_arith.h and sn_arith.c: rows of arithmetics as functions, and the tables
 * of them.  Values that are the same for all elements of a call are computed
 * once, by a row's open function; the other function, in the header, computes a
 * code. */
#include <string.h>

#include "dsl/model/arith.h"
#include "gen/node/arith_row.h"
#include "gen/text/emit.h"

/* ---- constants ---- */

static bool
literal(const SnX *x)
{
    return x->xk == SN_X_INT || x->xk == SN_X_REAL ||
           (x->xk == SN_X_FN && x->fn == SN_FN_F32 && literal(x->kid[0]));
}

static uint32_t
ratio_at(SnRowOut *w, const SnX *x)
{
    for (uint32_t i = 0; i < w->nratio; i++)
        if (w->ratio[i]->by == x->by &&
            sn_x_equal(w->ratio[i]->kid[0], x->kid[0]))
            return i;
    if (w->nratio == SN_ROW_NRATIO) {
        w->why = "more than 4 ratios";
        return 0;
    }
    w->ratio[w->nratio] = x;
    return w->nratio++;
}

/* The largest parts that do not change become constants. */
static void
find_constants(SnRowOut *w, const SnX *x)
{
    if (!x->fixed) {
        for (uint32_t i = 0; i < x->nkid; i++)
            find_constants(w, x->kid[i]);
        return;
    }
    if (literal(x))
        return;
    for (uint32_t i = 0; i < w->nk; i++)
        if (sn_x_equal(w->k[i], x))
            return;
    if (w->nk == SN_ROW_NK)
        w->why = sn_format(w->a, "more than %d constants", SN_ROW_NK);
    else
        w->k[w->nk++] = x;
}

static void
find_ratios(SnRowOut *w, const SnX *x)
{
    if (x->xk == SN_X_Q || x->xk == SN_X_S)
        ratio_at(w, x);
    for (uint32_t i = 0; i < x->nkid; i++)
        find_ratios(w, x->kid[i]);
}

/* The wraps in a row that depend on its operands. */
static void
find_wraps(SnRowOut *w, const SnX *x)
{
    if (x->xk == SN_X_FN && x->fn == SN_FN_WRAP && !x->fixed) {
        for (uint32_t i = 0; i < w->nwrap; i++)
            if (sn_x_equal(w->wrap[i], x))
                return;
        if (w->nwrap == SN_ROW_NWRAP)
            w->why = sn_format(w->a, "more than %d wraps", SN_ROW_NWRAP);
        else
            w->wrap[w->nwrap++] = x;
    }
    for (uint32_t i = 0; i < x->nkid; i++)
        find_wraps(w, x->kid[i]);
}

/* ---- expressions ---- */

static const char *
number(SnRowOut *w, const SnX *x)
{
    if (w->f64)
        return sn_lit_f64(w->a, x->xk == SN_X_INT ? (double)x->i : x->r);
    return x->xk == SN_X_INT ? sn_lit_i64(w->a, x->i) : sn_lit_f32(w->a, x->r);
}

/* Is it a shift that a sum and a right shift can compute? */
static bool
near_shift(const SnX *x)
{
    return x->fn == SN_FN_SHR && x->mode != SN_MODE_HALF_EVEN &&
           x->kid[0]->lo >= -0x1p62 && x->kid[0]->hi <= 0x1p62 &&
           x->kid[1]->lo >= 0 && x->kid[1]->hi <= 62;
}

static const char *
call(SnRowOut *w, const SnX *x)
{
    const SnFnWord *f = &sn_fns[x->fn];
    const char *s = f->row ? f->row_c : f->formula, *args = "";
    bool real = x->ty == SN_TY_REAL;

    if (x->fn == SN_FN_F32 && x->kid[0]->xk == SN_X_INT && !w->f64) {
        SnX r = {.xk = SN_X_REAL, .r = (double)x->kid[0]->i};
        return number(w, &r);
    }
    if (x->fn == SN_FN_F32)
        return w->f64
                   ? sn_arith_put(w, x->kid[0])
                   : sn_format(w->a, "(float)%s", sn_arith_put(w, x->kid[0]));
    if (x->fn == SN_FN_SELECT)
        return sn_format(w->a, "(%s ? %s : %s)", sn_arith_put(w, x->kid[0]),
                         sn_arith_put(w, x->kid[1]),
                         sn_arith_put(w, x->kid[2]));
    if (x->fn == SN_FN_MIN || x->fn == SN_FN_MAX)
        s = sn_format(w->a, "sn_%s%s%s", real ? "" : "int_", f->word,
                      real && !w->f64 ? "f" : "");
    for (uint32_t i = 0; i < x->nkid; i++)
        args = sn_format(w->a, "%s%s%s", args, i ? ", " : "",
                         sn_arith_put(w, x->kid[i]));
    if (near_shift(x))
        return sn_format(w->a, "sn_near_%s(%s)", sn_mode_words[x->mode], args);
    s = sn_format(w->a, "%s(%s)", s, args);
    return x->mode == SN_MODE_NONE
               ? s
               : sn_format(w->a, "sn_quot_%s(%s)", sn_mode_words[x->mode], s);
}

static const char *
operator(SnRowOut *w, const SnX *x)
{
    static const char *const fn[] = {"sn_int_add", "sn_int_sub", "sn_int_mul"};
    const char *a = sn_arith_put(w, x->kid[0]), *b = sn_arith_put(w, x->kid[1]);

    if (x->ty == SN_TY_INT && !w->f64)
        return sn_format(w->a, "%s(%s, %s)", fn[x->op], a, b);
    if (x->ty == SN_TY_REAL && x->op == SN_OP_MUL && !w->f64)
        return sn_format(w->a, "sn_mulf(%s, %s)", a, b);
    return sn_format(w->a, "(%s %s %s)", a, sn_op_c(x->op), b);
}

static const char *
leaf(SnRowOut *w, const SnX *x)
{
    const char *as = w->f64 ? "(double)" : "";

    switch (x->xk) {
    case SN_X_IN:
        return x->ty == SN_TY_REAL ? "sn_f32_of_bits((uint32_t)a)"
               : x->i              ? "b"
                                   : "a";
    case SN_X_SCALE:
        return sn_format(w->a, "%sg->scale[%d]", as, (int)x->i);
    case SN_X_ZP:
        return sn_format(w->a, "%sg->zp[%d]", as, (int)x->i);
    case SN_X_N:
        return sn_format(w->a, "%sg->n", as);
    case SN_X_SHIFT:
        return sn_format(w->a, "%sg->zp_shift", as);
    case SN_X_KERNEL:
        return sn_format(w->a, "%sg->kernel[%d]", as, (int)x->i);
    case SN_X_Q:
        return sn_format(w->a, "q%u", ratio_at(w, x));
    case SN_X_S:
        return sn_format(w->a, "s%u", ratio_at(w, x));
    default:
        return number(w, x);
    }
}

const char *
sn_arith_put(SnRowOut *w, const SnX *x)
{
    if (x->fixed && !literal(x) && !w->open)
        for (uint32_t i = 0; i < w->nk; i++)
            if (sn_x_equal(w->k[i], x))
                return sn_format(w->a,
                                 x->ty == SN_TY_REAL
                                     ? "sn_f32_of_bits((uint32_t)k[%u])"
                                     : "k[%u]",
                                 i);
    switch (x->xk) {
    case SN_X_FN:
        return call(w, x);
    case SN_X_OP:
        return operator(w, x);
    case SN_X_NEG:
        return x->ty == SN_TY_INT && !w->f64
                   ? sn_format(w->a, "sn_int_sub(0, %s)",
                               sn_arith_put(w, x->kid[0]))
                   : sn_format(w->a, "(-%s)", sn_arith_put(w, x->kid[0]));
    case SN_X_NOT:
        return sn_format(w->a, "!%s", sn_arith_put(w, x->kid[0]));
    default:
        return leaf(w, x);
    }
}

/* ---- functions ---- */

const char *
sn_arith_fn(const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    return sn_format(s->arena, "sn_%s_%s", sn_lower(s->arena, a->name),
                     r->name);
}

void
sn_arith_prepare(SnRowOut *w, const SnDefs *s, const SnDefRowOf *r)
{
    *w = (SnRowOut){.a = s->arena};
    find_constants(w, r->x);
    for (uint32_t i = 0; i < w->nk; i++)
        find_ratios(w, w->k[i]);
    for (uint32_t i = 0; i < w->nratio; i++)
        w->nrefuse += w->ratio[i]->by->refuse;
    find_wraps(w, r->x);
}

static void
put_comment(SnBuf *b, const SnDefRowOf *r)
{
    sn_emit_comment(b, sn_format(b->a, "%s:\n%s", sn_where(b->a, r->row->pos),
                                 r->row->text));
}

static void
put_fn(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    SnRowOut w;

    sn_arith_prepare(&w, s, r);
    put_comment(b, r);
    sn_putf(b,
            "static inline int64_t\n%s(const int64_t *k, int64_t a, int64_t b)"
            "\n{\n    (void)k, (void)a, (void)b;\n    return %s;\n}\n",
            sn_arith_fn(s, a, r), sn_arith_put(&w, r->x));
}

static void
put_open(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r,
         SnDiag *d)
{
    SnRowOut w;

    sn_arith_prepare(&w, s, r);
    w.open = true;
    put_comment(b, r);
    sn_putf(b,
            "static void\n%s_open(const SnRowGrids *g, int64_t *k)\n{\n"
            "    (void)g, (void)k;\n",
            sn_arith_fn(s, a, r) + 3);
    for (uint32_t i = 0; i < w.nratio; i++)
        sn_putf(b, "    int64_t q%u, s%u;\n", i, i);
    sn_puts(b, w.nratio ? "\n" : "");
    for (uint32_t i = 0; i < w.nratio; i++) {
        const SnDefRatio *by = w.ratio[i]->by;
        w.f64 = !by->f32;
        const char *m = sn_arith_put(&w, w.ratio[i]->kid[0]);
        w.f64 = false;
        sn_putf(b,
                "    sn_ratio_split(%s, %d, %d, %d, &q%u, &s%u);\n"
                "    (void)q%u, (void)s%u;\n",
                m, (int)by->bits, (int)by->s_lo, (int)by->s_hi, i, i, i, i);
    }
    for (uint32_t i = 0; i < w.nk; i++)
        sn_putf(b,
                w.k[i]->ty == SN_TY_REAL ? "    k[%u] = sn_bits_f32(%s);\n"
                                         : "    k[%u] = %s;\n",
                i, sn_arith_put(&w, w.k[i]));
    sn_puts(b, "}\n");
    if (w.why)
        sn_error(d, r->row->pos, "SN191", "the row has %s", w.why);
}

/* Ratios outside whose window a graph is refused. */
static void
put_ratios(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    const char *fn = sn_arith_fn(s, a, r) + 3;
    uint32_t n = 0;
    SnRowOut w;
    SnBuf rows;

    sn_arith_prepare(&w, s, r);
    if (!w.nrefuse)
        return;
    w.open = true;
    sn_buf_init(&rows, b->a);
    for (uint32_t i = 0; i < w.nratio; i++) {
        const SnX *x = w.ratio[i];
        if (!x->by->refuse)
            continue;
        w.f64 = !x->by->f32;
        sn_putf(b,
                "\nstatic double\n%s_ratio%u(const SnRowGrids *g)\n{\n"
                "    return %s;\n}\n",
                fn, n, sn_arith_put(&w, x->kid[0]));
        sn_putf(&rows, "    { %s, %s_ratio%u, %d, %d, %d },\n",
                sn_lit_str(b->a, x->s), fn, n++, (int)x->by->bits,
                (int)x->by->s_lo, (int)x->by->s_hi);
    }
    sn_putf(b, "static const SnArithRatio %s_ratio[] = {\n%s};\n", fn,
            sn_buf_str(&rows));
}

/* Sums of 32 bits at once, called by kernels. */
static bool
has_all(const SnDefRowOf *r)
{
    return r->form == SN_FORM_CONTRACT && !(r->is & SN_WHEN_WIDE);
}

static void
put_all(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    const char *fn = sn_arith_fn(s, a, r);

    sn_putf(b,
            "\nstatic void\n%s_all(const int64_t *k, int64_t step, "
            "const int32_t *acc,\n    const int32_t *bias, int64_t n, "
            "int32_t lo, int32_t hi, int8_t *y)\n{\n"
            "    for (int64_t i = 0; i < n; i++, k += step) {\n"
            "        int32_t v = bias ? sn_add32(acc[i], bias[i]) : acc[i];\n"
            "        y[i] = (int8_t)sn_clamp64(%s(k, v, 0), lo, hi);\n"
            "    }\n}\n",
            fn + 3, fn);
}

static void
put_fits(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    const char *all = "";
    SnRowOut w;

    sn_arith_prepare(&w, s, r);
    if (!w.nwrap)
        return;
    for (uint32_t i = 0; i < w.nwrap; i++) {
        const SnX *v = w.wrap[i]->kid[0];
        all = sn_format(w.a, "%s%ssn_int_fits(%s, %d)", all, i ? " && " : "",
                        sn_arith_put(&w, v), (int)w.wrap[i]->kid[1]->i);
    }
    sn_putf(b,
            "\nstatic bool\n%s_fits(const int64_t *k, int64_t a, int64_t b)"
            "\n{\n    (void)k, (void)a, (void)b;\n    return %s;\n}\n",
            sn_arith_fn(s, a, r) + 3, all);
}

/* The row's function as a text. */
static void
put_text(SnBuf *b, const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    SnBuf f;

    sn_buf_init(&f, s->arena);
    put_fn(&f, s, a, r);
    sn_putf(b, "\nstatic const char %s_text[] =\n    %s;\n",
            sn_arith_fn(s, a, r) + 3,
            sn_lit_lines(b->a, sn_buf_str(&f), "\n    "));
}

/* ---- tables ---- */

/* The arithmetic that has the row: a, or one that it inherits from. */
static const SnDefArith *
owner(const SnDefs *s, const SnDefArith *a, const SnDefRowOf *r)
{
    for (uint32_t i = 0; i < s->narith; i++)
        for (uint32_t k = 0; k < s->arith[i]->nrow; k++)
            if (s->arith[i]->row[k] == r->row)
                return s->arith[i];
    return a;
}

static const char *
limit(SnArena *a, int32_t v)
{
    return v == INT32_MIN   ? "INT32_MIN"
           : v == INT32_MAX ? "INT32_MAX"
                            : sn_format(a, "%d", (int)v);
}

static void
put_pairs(SnBuf *b, const SnDefArith *a, const char *lo)
{
    const SnArithPairs *p = &a->pairs;

    sn_puts(b, ",\n    .pairs = { .type = {");
    for (uint32_t i = 0; i < SN_NROLE; i++) {
        const SnArithType *t = &p->type[i];
        sn_putf(b, "%s\n        { %s, %s, %s, %s, %d, %d }", i ? "," : "",
                limit(b->a, t->lo), limit(b->a, t->hi), limit(b->a, t->zlo),
                limit(b->a, t->zhi), t->tensor, t->power);
    }
    sn_putf(b,
            " },\n        .some = %d, .bias_bits = %d, .bias_step = %d,\n"
            "        .acc_bits = %d, .acc_saturate = %d, .acc_each = %d",
            p->some, (int)p->bias_bits, (int)p->bias_step, (int)p->acc_bits,
            p->acc_saturate, (int)p->acc_each);
    if (a->nnone)
        sn_putf(b, ",\n        .nno = %u, .no = %s_no", a->nnone, lo);
    sn_puts(b, " }");
}

/* The function or table of that name, if the row has one. */
static void
put_maybe(SnBuf *b, bool has, const char *fn, const char *what)
{
    sn_putf(b, ", %s%s%s", has ? fn + 3 : "NULL", has ? "_" : "",
            has ? what : "");
}

static void
put_table(SnBuf *b, const SnDefs *s, const SnDefArith *a)
{
    const char *lo = sn_lower(s->arena, a->name);
    SnRowOut w;

    if (a->nof)
        sn_putf(b, "\nstatic const SnArithRow %s_row[] = {\n", lo);
    for (uint32_t i = 0; i < a->nof; i++) {
        const SnDefRowOf *r = &a->of[i];
        const SnDefArith *of = owner(s, a, r);
        const char *fn = sn_arith_fn(s, of, r);
        sn_arith_prepare(&w, s, r);
        sn_putf(b, "    { \"%s\", %u, %s, %s, %u, %u, %s_open, %s,\n        %u",
                fn, w.nk, sn_form_words[r->form].id, sn_lit_str(b->a, r->map),
                r->mask, r->is, fn + 3, fn, w.nrefuse);
        put_maybe(b, w.nrefuse, fn, "ratio");
        put_maybe(b, has_all(r), fn, "all");
        put_maybe(b, of->plugin, fn, "text");
        put_maybe(b, w.nwrap, fn, "fits");
        sn_putf(b, ", %s_lin, %lld },\n", fn + 3, (long long)r->step);
    }
    if (a->nof)
        sn_puts(b, "};\n");
    if (a->nnone)
        sn_putf(b, "static const SnArithNo %s_no[] = {\n", lo);
    for (uint32_t i = 0; i < a->nnone; i++)
        sn_putf(
            b, "    { %s, %s, %u, %u },\n", sn_lit_str(b->a, a->none[i].kind),
            sn_lit_str(b->a, a->none[i].why), a->none[i].mask, a->none[i].is);
    if (a->nnone)
        sn_puts(b, "};\n");
    sn_putf(b, "%sconst SnArith sn_arith_%s = {\n    .name = %s",
            a->plugin ? "static " : "", lo, sn_lit_str(b->a, a->name));
    if (!a->shipped)
        sn_putf(b, ", .hash = UINT64_C(0x%016llx)",
                (unsigned long long)a->hash);
    sn_putf(b, ", .error = %s", sn_lit_f64(b->a, a->error));
    if (a->nof)
        sn_putf(b, ", .nrow = %u, .row = %s_row", a->nof, lo);
    if (a->pairs.some)
        put_pairs(b, a, lo);
    sn_puts(b, "\n};\n");
}

/* Did an arithmetic before number i inherit the row, too? */
static bool
inherited_before(const SnDefs *s, uint32_t i, const SnDefRow *row)
{
    while (i-- > 0)
        for (uint32_t k = 0; s->arith[i]->plugin && k < s->arith[i]->nof; k++)
            if (s->arith[i]->of[k].row == row)
                return true;
    return false;
}

static void
put_open_all(SnBuf *b, const SnDefs *s, const SnDefArith *a,
             const SnDefRowOf *r, SnDiag *d)
{
    put_open(b, s, a, r, d);
    put_ratios(b, s, a, r);
    if (has_all(r))
        put_all(b, s, a, r);
    put_fits(b, s, a, r);
    sn_emit_linear(b, s, a, r);
    if (a->plugin)
        put_text(b, s, a, r);
}

/* A plugin's tables name core rows: their functions are in the core's header,
 * their open functions are not. */
static void
put_rows(SnBuf *b, const SnDefs *s, SnDiag *d, bool open)
{
    for (uint32_t i = 0; i < s->narith; i++) {
        const SnDefArith *a = s->arith[i];
        if (a->plugin != s->is_plugin)
            continue;
        for (uint32_t k = 0; k < a->nof; k++) {
            const SnDefArith *from = owner(s, a, &a->of[k]);
            bool core = s->is_plugin && !from->plugin;
            if (from != a && (!core || inherited_before(s, i, a->of[k].row)))
                continue;
            if (open)
                put_open_all(b, s, from, &a->of[k], d);
            else if (!core)
                put_fn(b, s, a, &a->of[k]);
        }
        if (open)
            put_table(b, s, a);
    }
}

/* Numbers by name, SnRounding. */
static void
put_numbers(SnBuf *b, const SnDefs *s)
{
    for (uint32_t i = 0; i < s->narith; i++)
        if (s->arith[i]->plugin == s->is_plugin && s->arith[i]->number)
            sn_putf(b, "#define SN_ROUNDING_%s ((SnRounding)%u)\n",
                    sn_upper(s->arena, s->arith[i]->name), s->arith[i]->number);
}

void
sn_emit_ariths(const SnDefs *s, const char *outdir, SnDiag *d)
{
    const char *h = sn_emit_name(s, "arith.h");
    const char *table =
        s->is_plugin ? sn_emit_name(s, "plugin_arith") : "sn_core_arith";
    bool any = !s->is_plugin;
    SnBuf b;

    for (uint32_t i = 0; i < s->narith; i++)
        any |= s->arith[i]->plugin;
    if (!any)
        return;
    sn_emit_header(&b, s->arena, "Rows of arithmetics.",
                   sn_emit_guard(s, "ARITH_H"),
                   sn_emit_core(s, "#include \"base/lang/arithmetic.h\"\n"));
    put_rows(&b, s, d, false);
    sn_puts(&b, "\n");
    for (uint32_t i = 0; i < s->narith && !s->is_plugin; i++)
        sn_putf(&b, "extern const SnArith sn_arith_%s;\n",
                sn_lower(s->arena, s->arith[i]->name));
    sn_putf(&b, "extern const SnArith *const %s[];\n", table);
    if (!s->is_plugin)
        sn_puts(&b, "extern const uint32_t sn_core_narith;\n");
    put_numbers(&b, s);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, h, d);
    sn_buf_init(&b, s->arena);
    sn_emit_head(&b, "Arithmetics: what is made once, and tables.");
    sn_putf(&b, "#include \"%s\"\n", h);
    put_rows(&b, s, d, true);
    sn_putf(&b, "\nconst SnArith *const %s[] = {\n", table);
    for (uint32_t i = 0; i < s->narith; i++)
        if (s->arith[i]->plugin == s->is_plugin)
            sn_putf(&b, "    %s&sn_arith_%s,\n",
                    s->is_plugin
                        ? ""
                        : sn_format(s->arena, "[%u] = ", s->arith[i]->number),
                    sn_lower(s->arena, s->arith[i]->name));
    sn_puts(&b, "    NULL\n};\n");
    if (!s->is_plugin)
        sn_putf(&b, "const uint32_t sn_core_narith = %u;\n", s->narith);
    sn_emit_file(&b, outdir, sn_emit_name(s, "arith.c"), d);
}
