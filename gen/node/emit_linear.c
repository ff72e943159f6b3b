// SPDX-License-Identifier: Apache-2.0
/* Rows of arithmetics over linear forms: bounds on the distance of a row from
 * its result without rounding (base/lang/linear.h). */
#include "gen/node/arith_row.h"

#include <assert.h>
#include <string.h>
#include "gen/text/emit.h"

typedef struct Lines {
    SnRowOut w;
    SnBuf *b;
    uint32_t nvar;
} Lines;

static const char *put(Lines *l, const SnX *x);

/* A variable for the value of s. */
static const char *
let(Lines *l, const char *s)
{
    const char *v = sn_format(l->w.a, "v%u", l->nvar++);

    sn_putf(l->b, "    const SnLin %s = %s;\n", v, s);
    return v;
}

/* sn_lin_F(kid 0, ...); args as sn_fns has them, W: a number of bits. */
static const char *
call(Lines *l, const char *f, const SnX *x, const char *args)
{
    const char *s = "";

    for (uint32_t i = 0; i < x->nkid; i++)
        s = sn_format(l->w.a, "%s%s%s", s, i ? ", " : "",
                      args[i] == 'W' ? sn_arith_put(&l->w, x->kid[i])
                                     : put(l, x->kid[i]));
    if (x->mode != SN_MODE_NONE)
        s = sn_format(l->w.a, "%s, SN_LIN_%s", s,
                      sn_upper(l->w.a, sn_mode_words[x->mode]));
    return let(l, sn_format(l->w.a, "sn_lin_%s(%s)", f, s));
}

static const char *
chosen(Lines *l, const SnX *x)
{
    const char *a = put(l, x->kid[1]), *b = put(l, x->kid[2]);

    return let(l, x->kid[0]->fixed
                      ? sn_format(l->w.a, "%s ? %s : %s",
                                  sn_arith_put(&l->w, x->kid[0]), a, b)
                      : sn_format(l->w.a, "sn_lin_select(%s, %s)", a, b));
}

/* Functions over linear forms have the names of those on numbers, except for
 * the prefix: sn_lin_shr for sn_quot_shr. */
static const char *
function(Lines *l, const SnX *x)
{
    const SnFnWord *f = &sn_fns[x->fn];
    const char *c = f->row ? f->row_c : f->whole ? f->formula : NULL;
    const char *args = f->row ? f->row : f->whole ? f->whole : "NN", *last;

    if (x->fn == SN_FN_SELECT)
        return chosen(l, x);
    last = c ? strrchr(c, '_') : NULL;
    return call(l, last ? last + 1 : c ? c : f->word, x, args);
}

static const char *
operator(Lines *l, const SnX *x)
{
    static const char *const fn[] = {"add", "sub", "mul", "over"};

    assert(x->op <= SN_OP_DIV); /* conditions of select are not written */
    const char *v = call(l, fn[x->op], x, "NN");
    return x->ty == SN_TY_REAL
               ? let(l, sn_format(l->w.a, "sn_lin_round(%s)", v))
               : v;
}

static const char *
put(Lines *l, const SnX *x)
{
    if (x->fixed)
        return sn_format(l->w.a,
                         x->ty == SN_TY_REAL ? "sn_lin_real((double)%s)"
                                             : "sn_lin_int(%s)",
                         sn_arith_put(&l->w, x));
    switch (x->xk) {
    case SN_X_FN:
        return function(l, x);
    case SN_X_OP:
        return operator(l, x);
    case SN_X_NEG:
        return call(l, "neg", x, "N");
    case SN_X_IN:
        return x->i ? "b" : "a";
    default:
        sn_bug("a row has an expression %d that is no number", (int)x->xk);
    }
}

void
sn_emit_linear(SnBuf *b, const SnDefs *s, const SnDefArith *a,
               const SnDefRowOf *r)
{
    Lines l = {.b = b};

    sn_arith_prepare(&l.w, s, r);
    sn_putf(b,
            "\nstatic SnLin\n%s_lin(const int64_t *k, SnLin a, SnLin b)"
            "\n{\n    (void)k, (void)a, (void)b;\n",
            sn_arith_fn(s, a, r) + 3);
    const char *v = put(&l, r->x);
    sn_putf(b, "    return %s;\n}\n", v);
}
