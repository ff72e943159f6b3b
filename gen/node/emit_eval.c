// SPDX-License-Identifier: Apache-2.0
/* sn_eval_N.c: an evaluator for every node and tuple with a formula. */
#include <string.h>

#include "dsl/model/arith.h"
#include "dsl/model/reads.h"
#include "gen/node/formula.h"
#include "gen/node/part.h"

static bool
is_plain_move(const SnDefNode *n, uint32_t res)
{
    const SnDefSem *m = n->rsem[res];

    if (m->decl && sn_map_stmt(m->decl->decl, SN_MS_PRIMITIVE))
        return true;
    return m->cls == SN_C_MOVE && m->els == NULL;
}

SnEvalBy
sn_eval_by(const SnDefNode *n)
{
    bool move = true;

    if (n->nout == 0)
        return SN_EVAL_NONE;
    for (uint32_t i = 0; i < n->nout; i++) {
        if (n->rsem[i]->cls == SN_C_OPAQUE || n->rsem[i]->cls == SN_C_SOURCE)
            return SN_EVAL_NONE;
        move = move && is_plain_move(n, i);
    }
    return move ? SN_EVAL_MOVE : SN_EVAL_OWN;
}

const char *
sn_eval_name(SnArena *a, const SnDefNode *n, uint32_t t)
{
    SnEvalBy by = sn_eval_by(n);

    if (by != SN_EVAL_OWN)
        return by == SN_EVAL_MOVE ? "sn_eval_move" : NULL;
    return sn_format(a, "sn_eval_%s_%u", sn_lower(a, n->name), t);
}

/* ---- loops around a formula ---- */

/* The function with that head; the lines of a block are indented by its
 * depth. */
static void
put_fn(SnFormula *f, SnBuf *b, const char *head, const char *text)
{
    size_t depth = 1;

    sn_putf(b, "%s\n{\n", head);
    if (strstr(text, "at->"))
        sn_putf(b, "    const Sn%sAttr *at = c->attr;\n", f->n->name);
    else if (!strstr(text, "(c") && !strstr(text, "c->"))
        sn_puts(b, "    (void)c;\n");
    while (*text) {
        size_t n = strcspn(text, "\n");
        depth -= *text == '}';
        sn_put_spaces(b, n ? depth * 4 : 0);
        sn_putf(b, "%.*s\n", (int)n, text);
        depth += n && text[n - 1] == '{';
        text += n + (text[n] == '\n');
    }
    sn_puts(b, "}\n");
}

static const char *
eval_head(const SnFormula *f, const char *fn, const char *stat)
{
    return sn_format(f->a, "%sSnStatus\n%s(const SnCall *c)", stat, fn);
}

/* Variables of the map, and what opens them. */
static void
begin(SnFormula *f, SnBuf *body, const char *vars, const char *open)
{
    sn_putf(body, "%s%s\n\n%s\n%s", sn_buf_str(&f->pre), vars, open,
            sn_buf_str(&f->post));
}

static const char *
open_map(const SnFormula *f)
{
    return sn_format(f->a, "SN_TRY(sn_map_open(&m, c, %u));", f->res);
}

static void
put_store(SnFormula *f, SnBuf *b, const char *index, SnCVal v)
{
    sn_putf(b, "%s[%s] = %s;\n", sn_local(f->a, f->n->out[f->res]->name), index,
            sn_formula_store(f, v));
}

/* The result's value; over sets a row may say how. */
static SnCVal
value_of(SnFormula *f, SnLoop loop)
{
    bool rows =
        loop == SN_LOOP_SETS && f->t->quant && sn_conc_code(sn_formula_out(f));

    if (rows && f->sem->row == SN_ROW_LRN)
        return sn_row_lrn(f);
    if (rows && (f->sem->row == SN_ROW_NORMALIZE || f->sem->row == SN_ROW_RMS))
        return sn_row_normalize(f);
    return sn_formula_expr(f, f->sem->formula);
}

/* A function whose formula sees one element at a time; one operand of 8 bits
 * goes through a table of all codes when there are more elements. */
static void
point_each(SnFormula *f, SnBuf *b, const char *fn, const char *stat)
{
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *y = f->n->out[f->res];
    const char *xv = sn_local(f->a, x->name), *yv = sn_local(f->a, y->name);
    const char *xt = sn_elem_ctype(f->t->in[x->index].elem);
    const char *yt = sn_elem_ctype(sn_formula_out(f).elem);
    const char *run = strncmp(fn, "sn_eval_", 8) ? fn : fn + 8;
    bool table = f->t->in[x->index].elem == SN_QI8 && f->n->nin == 1;
    SnBuf elem;

    sn_formula_into(f, &elem, SN_IN_POINT);
    sn_formula_once(f, xv, 0);
    sn_formula_once(f, yv, 0);
    SnCVal v = value_of(f, SN_LOOP_EACH);
    SnBuf body;
    sn_buf_init(&body, f->a);
    sn_putf(&body, "%s%sfor (int64_t i = 0; i < n; i++) {\n%s",
            sn_buf_str(&f->pre), f->pre.n ? "\n" : "", sn_buf_str(&elem));
    put_store(f, &body, "i", v);
    sn_puts(&body, "}\n");
    put_fn(f, b,
           sn_format(f->a,
                     "static void\n%s_run(const SnCall *c, const %s *%s, "
                     "int64_t n, %s *%s)",
                     run, xt, xv, yt, yv),
           sn_buf_str(&body));
    sn_buf_init(&body, f->a);
    sn_putf(&body,
            "const int64_t n = sn_shape_count(c->out[%u].shape);\n"
            "const %s *%s = c->in[%u].data;\n%s *%s = c->out[%u].data;\n",
            f->res, xt, xv, x->index, yt, yv, f->res);
    bool lut = table && sn_is_function(f->n) &&
               sn_formula_out(f).elem == SN_QI8 && sn_formula_out(f).axis < 0 &&
               f->t->in[x->index].axis < 0;
    if (lut)
        sn_puts(&body, "const SnArithRow *lut = sn_lut_row(c);\n");
    if (table)
        sn_putf(&body, "int8_t code[256];\n%s table[256];\n", yt);
    sn_putc(&body, '\n');
    if (lut)
        sn_putf(&body,
                "if (lut) {\nsn_lut_run(c, lut, %s_run, %s, n, %s);\n"
                "return SN_OK;\n}\n",
                run, xv, yv);
    if (table)
        sn_putf(&body,
                "if (n > 256) {\nsn_codes8(code);\n"
                "%s_run(c, code, 256, table);\n"
                "for (int64_t i = 0; i < n; i++)\n"
                "    %s[i] = table[%s[i] + 128];\nreturn SN_OK;\n}\n",
                run, yv, xv);
    sn_putf(&body, "%s_run(c, %s, n, %s);\nreturn SN_OK;\n", run, xv, yv);
    sn_putc(b, '\n');
    put_fn(f, b, eval_head(f, fn, stat), sn_buf_str(&body));
}

/* The head of loops over results: broadcasting, filling and per-axis types;
 * sums by SnDot; windows and other sets. */
static const char *
head_of(SnFormula *f, SnLoop loop)
{
    bool row = sn_formula_map_has(f, SN_MS_CENTRE);
    const char *at = loop == SN_LOOP_CONTRACT ? "dot.l0 + i"
                     : row                    ? "e * m.chan_e"
                                              : "l";
    const char *ch =
        f->want_chan ? sn_format(f->a, "const int64_t ch = m.chan0 + %s;\n", at)
                     : "";

    if (loop == SN_LOOP_WALK)
        return sn_format(
            f->a,
            "for (int64_t o = 0; o < m.count; o += m.run, sn_bcast_run(&m)) "
            "{\n%sfor (int64_t i = 0, n = m.run; i < n; i++) {\n",
            sn_buf_str(&f->slice));
    if (loop == SN_LOOP_CONTRACT)
        return sn_format(
            f->a,
            "sn_dot_open(&dot, &m, c, sn_opnd(c, %u), sn_opnd(c, %u), %s);\n"
            "while (sn_dot_next(&dot)) {\n"
            "for (int64_t i = 0; i < dot.n; i++) {\n%s"
            "const int64_t o = m.y0 + (dot.l0 + i) * m.lane_y;\n",
            f->dot_x, f->dot_w,
            f->dot_bias
                ? sn_format(f->a, "sn_opnd(c, %u)->data", f->dot_bias->index)
                : "NULL",
            ch);
    return sn_format(
        f->a,
        "for (int64_t g = 0; g < m.ngroup; g++) {\nsn_map_set(&m, g);\n"
        "for (int64_t l = 0; l < m.nlane; l++) {\n%s%s%s%s",
        row ? "" : ch, sn_buf_str(&f->set),
        row ? "for (int64_t e = 0; e < m.nout; e++) {\n"
              "const int64_t o = m.y0 + m.y[e];\n"
            : "const int64_t o = m.y0 + l * m.lane_y;\n",
        row ? ch : "");
}

void
sn_formula_loops(SnFormula *f, SnBuf *b, SnLoop loop)
{
    bool point = loop == SN_LOOP_EACH || loop == SN_LOOP_WALK;
    bool sets = loop == SN_LOOP_SETS;
    SnBuf elem;

    sn_formula_into(f, &elem, point ? SN_IN_POINT : SN_IN_OUT);
    const char *dot = f->text && loop == SN_LOOP_CONTRACT ? sn_text_dot(f) : "";
    SnCVal v = value_of(f, loop);
    const char *y = sn_formula_ptr(f, f->n->out[f->res]);
    if (f->text) {
        sn_putf(b, "%s%s@each\n%s%s%s%s[@o] = %s;\n@end\n%s",
                sets ? "@sets\n" : "", sn_buf_str(&f->set), dot,
                sn_buf_str(&f->slice), sn_buf_str(&elem), y,
                sn_formula_store(f, v), sets ? "@end\n" : "");
        return;
    }
    begin(f, b,
          loop == SN_LOOP_WALK       ? "SnBcast m;"
          : loop == SN_LOOP_CONTRACT ? "SnMap m;\nSnDot dot;"
                                     : "SnMap m;",
          loop == SN_LOOP_WALK ? "sn_bcast_open(&m, c);" : open_map(f));
    sn_puts(b, head_of(f, loop));
    sn_puts(b, sn_buf_str(&elem));
    put_store(f, b, loop == SN_LOOP_WALK ? "o + i" : "o", v);
    sn_puts(b, sets && sn_formula_map_has(f, SN_MS_CENTRE) ? "}\n}\n}\n"
                                                           : "}\n}\n");
}

static void
softmax(SnFormula *f, SnBuf *body)
{
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *y = f->n->out[f->res];

    if (!sn_formula_map_has(f, SN_MS_CENTRE) ||
        f->t->in[x->index].elem != SN_QI8 || sn_formula_out(f).elem != SN_QI8) {
        sn_formula_refuse(
            f, "the row softmax is for quant(i8) over sets with a centre");
        return;
    }
    const char *xv = sn_formula_ptr(f, x), *yv = sn_formula_ptr(f, y);
    const char *lim = sn_formula_lim(f);
    begin(f, body, "SnSoftmax s;\nSnMap m;", open_map(f));
    sn_putf(body,
            "sn_softmax_open(&s, c->in[%u].type, c->out[%u].type, %s);\n"
            "for (int64_t g = 0; g < m.ngroup; g++) {\nsn_map_set(&m, g);\n"
            "sn_softmax_row(&s, &m, %s, %s);\n}\n",
            x->index, f->res, lim, xv, yv);
}

void
sn_formula_fill(SnFormula *f, SnBuf *body)
{
    SnBuf elem;

    sn_formula_into(f, &elem, SN_IN_POINT);
    SnCVal v = sn_formula_expr(f, f->sem->els);
    sn_putf(body, "%sconst %s fill = %s;\n%s",
            f->text ? "" : sn_buf_str(&f->pre),
            sn_elem_ctype(sn_formula_out(f).elem), sn_formula_store(f, v),
            f->text ? "@fill\n" : "\n");
}

/* ---- choosing ---- */

/* Finds the sum that SnDot makes and the bias that starts its chain. */
static bool
find_dot(SnFormula *f, const SnExpr *e, const SnDefPort **b)
{
    const SnDefPort *x, *w;

    if (sn_row_acc(f, e, b))
        return true;
    if (sn_row_sum(f, e, &x, &w))
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (find_dot(f, e->kid[i], b))
            return true;
    return false;
}

static bool
is_f32_tuple(const SnFormula *f, const SnDefPort *x, const SnDefPort *w)
{
    return f->t->in[x->index].elem == SN_F32 &&
           f->t->in[w->index].elem == SN_F32;
}

/* Finds the sum of products, and sets f->dot; false: there is none. */
static bool
open_dot(SnFormula *f)
{
    const SnDefPort *bias = NULL;

    if (!find_dot(f, f->sem->formula, &bias))
        return false;
    const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
    const SnDefPort *w = sn_formula_port(f, f->sem->arg[1]);
    f->dot_x = x->index;
    f->dot_w = w->index;
    f->dot = true;
    if (is_f32_tuple(f, x, w))
        f->dot_bias = bias;
    else if (!sn_conc_code(f->t->in[x->index]) ||
             !sn_conc_code(f->t->in[w->index]))
        sn_formula_refuse(f, "a contract takes f32 or codes on both sides");
    return true;
}

static SnLoop
refuse(SnFormula *f, const char *why)
{
    sn_formula_refuse(f, why);
    return SN_LOOP_NONE;
}

static SnLoop
loop_of_sum(SnFormula *f)
{
    if (open_dot(f))
        return SN_LOOP_CONTRACT;
    if (f->t->quant && sn_conc_code(sn_formula_out(f)))
        return refuse(f, "a quantized contract is q(sum(d(x) * d(w)) + d(b)) "
                         "over its map, with b pinned");
    return SN_LOOP_SETS;
}

SnLoop
sn_formula_loop(SnFormula *f)
{
    bool code = f->t->quant && sn_conc_code(sn_formula_out(f));

    if (is_plain_move(f->n, f->res))
        return SN_LOOP_MOVE;
    if (f->sem->cls == SN_C_MOVE)
        return SN_LOOP_FILL;
    if (sn_sem_each(f->sem)) {
        const SnDefPort *x = sn_formula_port(f, f->sem->arg[0]);
        return f->t->in[x->index].axis >= 0 || sn_formula_out(f).axis >= 0
                   ? SN_LOOP_WALK
                   : SN_LOOP_EACH;
    }
    if (sn_sem_each_repeats(f->sem) || f->sem->over == SN_MW_FILL)
        return f->n->nin > 8 ? refuse(f, "more than 8 operands") : SN_LOOP_WALK;
    if (f->sem->cls == SN_C_CONTRACT)
        return loop_of_sum(f);
    if (code && f->sem->row == SN_ROW_SOFTMAX)
        return SN_LOOP_SOFTMAX;
    if (code && !f->sem->by && !sn_row_window(f, f->sem->formula))
        return refuse(f, "a quantized window selects, takes a mean, or names "
                         "its row with `by`");
    return SN_LOOP_SETS;
}

static void
one_result(SnFormula *f, SnBuf *b, const char *fn, const char *stat)
{
    SnLoop loop = sn_formula_loop(f);
    SnBuf body;

    sn_buf_init(&body, f->a);
    switch (loop) {
    case SN_LOOP_FILL:
        sn_formula_fill(f, &body);
        break;
    case SN_LOOP_EACH:
        point_each(f, b, fn, stat);
        return;
    case SN_LOOP_SOFTMAX:
        softmax(f, &body);
        break;
    case SN_LOOP_WALK:
    case SN_LOOP_CONTRACT:
    case SN_LOOP_SETS:
        sn_formula_loops(f, &body, loop);
        break;
    case SN_LOOP_MOVE:
    case SN_LOOP_NONE:
        break;
    }
    bool move = loop == SN_LOOP_MOVE || loop == SN_LOOP_FILL;
    sn_puts(&body, move
                       ? sn_format(f->a, "return sn_move(c, %u, %s);\n", f->res,
                                   loop == SN_LOOP_FILL ? "&fill" : "NULL")
                       : "return SN_OK;\n");
    put_fn(f, b, eval_head(f, fn, stat), sn_buf_str(&body));
}

static void
put_comment(SnBuf *b, const SnDefs *s, const SnDefNode *n, const SnDefTuple *t,
            uint32_t res)
{
    SnBuf x;

    sn_buf_init(&x, b->a);
    sn_putf(&x, "%s: %s ", sn_where(b->a, n->rsem[res]->pos), n->name);
    sn_put_tuple(&x, s, n, t);
    sn_puts(&x, "\n    ");
    sn_put_sem(&x, n->rsem[res]);
    sn_emit_comment(b, sn_buf_str(&x));
}

/* One result of one tuple as function `name`; false if no row fits, which is an
 * error unless the real form is tried (d NULL). */
static bool
one_fn(SnBuf *b, const SnDefs *s, const SnDefNode *n, const SnDefTuple *t,
       uint32_t r, const char *name, const char *stat, SnDiag *d)
{
    SnArena *a = s->arena;
    SnFormula f = {.d = d};
    SnBuf out, q;

    sn_formula_open(&f, s, n, t, r);
    sn_buf_init(&out, a);
    one_result(&f, &out, name, stat);
    if (!f.failed) {
        put_comment(b, s, n, t, r);
        sn_puts(b, sn_buf_str(&out));
        return true;
    }
    if (!d)
        return false;
    sn_buf_init(&q, a);
    sn_put_tuple(&q, s, n, t);
    sn_error(d, f.sem->pos, "SN115", "%s %s: no arithmetic row fits result %s",
             n->name, sn_buf_str(&q), n->out[r]->name);
    sn_diag_help(d, "%s", f.why);
    return false;
}

static void
one_tuple(SnBuf *b, const SnDefs *s, const SnDefNode *n, uint32_t t, SnDiag *d)
{
    SnArena *a = s->arena;
    const char *fn = sn_eval_name(a, n, t);
    bool many = n->nout > 1;

    for (uint32_t r = 0; r < n->nout; r++) {
        if (n->tuple[t].out[r].elem < 0)
            continue;
        const char *name = many ? sn_format(a, "%s_%u_%s", sn_lower(a, n->name),
                                            t, n->out[r]->name)
                                : fn;
        one_fn(b, s, n, &n->tuple[t], r, name, many ? "static " : "", d);
    }
    sn_emit_text(b, s, n, t);
    if (!many)
        return;
    sn_putf(b, "\nSnStatus\n%s(const SnCall *c)\n{\n", fn);
    for (uint32_t r = 0; r < n->nout; r++) {
        if (n->tuple[t].out[r].elem < 0)
            continue;
        sn_putf(b,
                "    if (c->nout > %u && c->out[%u].data)\n"
                "        SN_TRY(%s_%u_%s(c));\n",
                r, r, sn_lower(a, n->name), t, n->out[r]->name);
    }
    sn_puts(b, "    return SN_OK;\n}\n");
}

/* ---- over the reals ---- */

/* Does the formula round inside to a type whose range it does not name?  Then
 * f32 would not saturate there. */
static bool
rounds_open(const SnExpr *e)
{
    if (e->fn == SN_FN_Q && e->nkid == 2)
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (rounds_open(e->kid[i]))
            return true;
    return false;
}

static bool
has_real(const SnDefNode *n)
{
    for (uint32_t t = 0; t < n->ntuple; t++) {
        bool f = n->tuple[t].out[0].elem == SN_F32;
        for (uint32_t i = 0; i < n->nin; i++)
            f = f && !sn_conc_quant(n->tuple[t].in[i]);
        if (f)
            return true;
    }
    return false;
}

/* n with f32 instead of the codes of its first quantized tuple; NULL if n has
 * such a tuple, or reads codes directly. */
static const SnDefTuple *
real_tuple(SnArena *a, const SnDefNode *n)
{
    const SnDefSem *sem = n->nout == 1 ? n->rsem[0] : NULL;

    if (!sem || !n->ntuple || has_real(n) || (n->base && has_real(n->base)) ||
        (sem->cls != SN_C_CONTRACT && sem->cls != SN_C_POINT &&
         sem->cls != SN_C_WINDOW) ||
        !sn_conc_quant(n->tuple[0].out[0]) || rounds_open(sem->formula))
        return NULL;
    SnDefTuple *r = sn_memdup(a, &n->tuple[0], sizeof *r);
    r->in = sn_memdup(a, r->in, n->nin * sizeof *r->in);
    r->out = sn_memdup(a, r->out, sizeof *r->out);
    r->out[0] = (SnDefConc){SN_F32, -1};
    r->quant = false;
    for (uint32_t i = 0; i < n->nin; i++) {
        if (!sn_conc_quant(r->in[i]))
            continue;
        if (sn_formula_reads(sem->formula, n->in[i]).raw)
            return NULL;
        r->in[i] = r->out[0];
    }
    return r;
}

static bool
emit_real(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    const SnDefTuple *t = real_tuple(s->arena, n);

    return t && one_fn(b, s, n, t, 0,
                       sn_format(s->arena, "sn_eval_%s_real",
                                 sn_lower(s->arena, n->name)),
                       "", NULL);
}

const char *
sn_real_name(const SnDefs *s, const SnDefNode *n)
{
    SnBuf b;

    sn_buf_init(&b, s->arena);
    return emit_real(&b, s, n) ? sn_format(s->arena, "sn_eval_%s_real",
                                           sn_lower(s->arena, n->name))
                               : NULL;
}

static void
put_node(SnBuf *b, const SnDefs *s, const SnDefNode *n, SnDiag *d)
{
    if (!sn_defs_mine(s, n->backend))
        return;
    for (uint32_t t = 0; t < n->ntuple && sn_eval_by(n) == SN_EVAL_OWN; t++)
        one_tuple(b, s, n, t, d);
    emit_real(b, s, n);
}

/* The evaluators of a part, or of a plugin. */
static void
emit_part(const SnDefs *s, unsigned part, const char *outdir, SnDiag *d)
{
    SnArena *a = s->arena;
    const char *name = s->is_plugin ? sn_emit_name(s, "eval.c")
                                    : sn_format(a, "sn_eval_%u.c", part);
    SnBuf b;

    sn_buf_init(&b, a);
    sn_emit_head(&b, "Reference evaluators, one per node and tuple.");
    sn_putf(&b, "#include \"%s\"\n\n#include <math.h>\n\n%s#include \"%s\"\n",
            s->is_plugin ? sn_emit_name(s, "gen.h")
                         : sn_format(a, "sn_eval_%u.h", part),
            s->is_plugin ? "" : "#include \"kernel/eval/rows.h\"\n",
            s->is_plugin ? sn_emit_name(s, "kinds.h")
                         : sn_format(a, "sn_attr_%u.h", part));
    for (uint32_t i = 0; i < s->nnode; i++)
        if (s->is_plugin || sn_part(s->node[i]) == part)
            put_node(&b, s, s->node[i], d);
    sn_emit_file(&b, outdir, name, d);
}

void
sn_emit_eval(const SnDefs *s, const char *outdir, SnDiag *d)
{
    for (unsigned part = 0; part < (s->is_plugin ? 1 : SN_NPART); part++)
        emit_part(s, part, outdir, d);
}
