// SPDX-License-Identifier: Apache-2.0
/* Texts, from which `sinter compile` makes C, for every node and tuple with a
 * formula.  They are written like the evaluators, but values that depend on a
 * node's types, attributes and shapes are left open.
 *
 * A text is a list of lines of C with marks.  Lines:
 *
 *     @def NAME WHAT ..  a constant (src/aot/form.c has what there is)
 *     @sets              loops over the sets; without it each result has one
 *     @each              loops over the results of a set
 *     @taps              loops over the taps of a set
 *     @parts, @rest      the same: the slowest tap of a mean, the others
 *     @end               closes the last of these
 *     @dot X W           the lines to the next @end make acc, int32_t, the sum
 *                        of products of ports X and W less their zero points,
 *                        modulo 2^32
 *     @if C, @else, @fi  lines where C holds
 *     @fill              a move, for which `fill` is declared
 *
 * Operand x is the pointer x_in, result y is y_out.  In lines: @iP index of
 * operand port P for a result or tap, @mP of its centre, @vP of one that lies
 * beside the map, @b of what lies beside a set,
 * @c channel, @o place in the result, @s slice of a per-axis type, @n number of
 * a tap, @N elements that a mean divides by, @S what its sum starts from,
 * @rP, @lP, @jP row, length and column of a table of rows, @?C{ a @| b @} a
 * where C holds, else b; has_NAME: there is the row that a "@def NAME row"
 * means, real_NAME: it is one for any point, and @>NAME(a, b) computes it. */
#include <stdarg.h>
#include <string.h>

#include "gen/node/formula.h"
#include "gen/node/part.h"

void
sn_text_def(SnFormula *f, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    sn_puts(&f->pre, "@def ");
    sn_vputf(&f->pre, fmt, ap);
    va_end(ap);
    sn_putc(&f->pre, '\n');
}

const char *
sn_text_alt(SnFormula *f, const char *cond, const char *yes, const char *no)
{
    return sn_format(f->a, f->text ? "(@?%s{%s@|%s@})" : "(%s ? %s : %s)", cond,
                     yes, no);
}

const char *
sn_text_at(const SnFormula *f, char mark, const SnDefPort *p, const char *c)
{
    return f->text ? sn_format(f->a, "@%c%u", mark, p->index) : c;
}

const char *
sn_text_taps(const SnFormula *f)
{
    return f->text ? "@taps" : "for (int64_t k = 0; k < m.ntap; k++) {";
}

const char *
sn_text_end(const SnFormula *f)
{
    return f->text ? "@end" : "}";
}

/* ---- results ---- */

/* The sum of products, `acc`: a chain of fused products on reals, modulo 2^32
 * on 8 bits. */
const char *
sn_text_dot(SnFormula *f)
{
    const SnDefPort *x = f->n->in[f->dot_x], *w = f->n->in[f->dot_w];
    SnDefConc cx = f->t->in[x->index], cw = f->t->in[w->index];
    const char *xv = sn_formula_ptr(f, x), *wv = sn_formula_ptr(f, w);

    if (cx.elem == SN_F32) {
        const char *from = "0";
        if (f->dot_bias)
            from = sn_text_alt(
                f, sn_format(f->a, "in%u", f->dot_bias->index),
                sn_format(f->a, "%s[@c]", sn_formula_ptr(f, f->dot_bias)), "0");
        return sn_format(f->a,
                         "float acc = %s;\n@taps\n"
                         "acc = fmaf(%s[@i%u], %s[@i%u], acc);\n@end\n",
                         from, xv, x->index, wv, w->index);
    }
    bool wide = cx.elem == SN_QI16 || cw.elem == SN_QI16;
    SnBuf slice, *elem = f->elem;
    sn_buf_init(&slice, f->a);
    f->elem = &slice;
    const char *xz = sn_formula_zp(f, x), *wz = sn_formula_zp(f, w);
    f->elem = elem;
    const char *factors = sn_format(f->a, "(%s[@i%u] - %s) * (%s[@i%u] - %s)",
                                    xv, x->index, xz, wv, w->index, wz);
    if (wide)
        sn_putf(&slice, "int64_t acc = 0;\n@taps\nacc += (int64_t)%s;\n@end\n",
                factors);
    else
        sn_putf(&slice,
                "@dot %u %u\nint32_t acc = 0;\n@taps\n"
                "acc = sn_add32(acc, %s);\n@end\n",
                x->index, w->index, factors);
    return sn_buf_str(&slice);
}

/* As in kernel/eval/rows.c: integers, and a table of exponentials. */
static void
softmax_text(SnFormula *f, SnBuf *b)
{
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *y = f->n->out[f->res];
    const char *xv = sn_formula_ptr(f, x), *yv = sn_formula_ptr(f, y);
    const char *lim = sn_formula_lim(f), *yz = sn_formula_zp(f, y);

    sn_text_def(f, "power softmax_table i%u", x->index);
    sn_text_def(f, "one softmax_one o%u", f->res);
    sn_putf(b,
            "@sets\nint top = -128;\n@taps\nif (%s[@i%u] > top)\n"
            "top = %s[@i%u];\n@end\nuint64_t sum = 0;\n@taps\n"
            "sum += power[top - %s[@i%u]];\n@end\n@each\n",
            xv, x->index, xv, x->index, xv, x->index);
    sn_putf(b,
            "const int64_t q = (int64_t)sn_div_rne(power[top - %s[@m%u]] * "
            "one, sum) + %s;\n"
            "%s[@o] = (int8_t)sn_clamp64(q, %s.lo, %s.hi);\n@end\n@end\n",
            xv, x->index, yz, yv, lim, lim);
}

static void
result_text(SnFormula *f, SnBuf *b)
{
    SnLoop loop = sn_formula_loop(f);

    if (loop == SN_LOOP_FILL)
        sn_formula_fill(f, b);
    else if (loop == SN_LOOP_SOFTMAX)
        softmax_text(f, b);
    else if (loop != SN_LOOP_MOVE && loop != SN_LOOP_NONE)
        sn_formula_loops(f, b, loop);
}

/* ---- tables ---- */

const char *
sn_text_name(SnArena *a, const SnDefNode *n, uint32_t t)
{
    return sn_eval_by(n) == SN_EVAL_OWN
               ? sn_format(a, "sn_text_%s_%u", sn_lower(a, n->name), t)
               : NULL;
}

void
sn_emit_text(SnBuf *b, const SnDefs *s, const SnDefNode *n, uint32_t t)
{
    SnArena *a = s->arena;
    const char *lo = sn_lower(a, n->name);
    SnBuf all;

    sn_buf_init(&all, a);
    sn_putc(b, '\n');
    for (uint32_t r = 0; r < n->nout; r++) {
        SnFormula f = {.text = true};
        SnBuf body, whole;
        sn_formula_open(&f, s, n, &n->tuple[t], r);
        sn_buf_init(&body, a);
        if (n->tuple[t].out[r].elem >= 0)
            result_text(&f, &body);
        const char *name = sn_format(a, "%s_%u_%s_text", lo, t, //
                                     n->out[r]->name);
        bool none = f.failed || body.n == 0;
        sn_putf(&all, "%s%s", r ? ", " : "", none ? "NULL" : name);
        if (none)
            continue;
        sn_buf_init(&whole, a);
        sn_puts(&whole, sn_buf_str(&f.pre));
        sn_puts(&whole, sn_buf_str(&body));
        sn_emit_array(b, name, sn_buf_str(&whole));
    }
    sn_putf(b, "const char *const *const %s[] = { %s };\n",
            sn_text_name(a, n, t), sn_buf_str(&all));
}
