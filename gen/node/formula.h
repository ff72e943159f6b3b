// SPDX-License-Identifier: Apache-2.0
/* Turning one formula into C for one tuple: shared by emit_formula.c
 * (expressions), emit_operand.c (variables), emit_row.c (rows of the
 * arithmetic contract that are more than a composition) and emit_eval.c
 * (loops around them). */
#ifndef SN_FORMULA_H
#define SN_FORMULA_H

#include "gen/expr/cw.h"

/* Where an operand's element comes from. */
typedef enum SnCtx {
    SN_IN_POINT, /* by the broadcast map, or element o + i */
    SN_IN_SET,   /* tap k of the set */
    SN_IN_OUT    /* at a result element: centre, channel or result offset */
} SnCtx;

typedef struct SnRed { /* a reduction that has a variable */
    const SnExpr *e;
    SnCVal v;
} SnRed;

typedef struct SnFormula {
    SnArena *a;
    SnDiag *d;
    SnCw w; /* its expressions */
    const SnDefs *defs;
    const SnDefNode *n;
    const SnDefTuple *t;
    const SnDefSem *sem;
    uint32_t res;
    bool failed;
    const char *why; /* the part without a row */
    bool text;       /* for `sinter compile` (emit_text.c): values that depend
                        on a node's types, shapes and attributes are names or
                        marks */
    /* Lines of the function, without indentation. */
    SnBuf pre;   /* once, before the map is opened */
    SnBuf post;  /* once, after it is opened */
    SnBuf slice; /* once per slice of a per-axis type */
    SnBuf set;   /* once per set (and lane) */
    SnBuf *elem; /* loads of the current element */
    SnCtx ctx;
    bool dot;                  /* sums come from SnDot */
    uint32_t dot_x, dot_w;     /* its operand ports */
    const SnDefPort *dot_bias; /* f32 bias inside the chain, or NULL */
    bool want_chan;
    uint32_t nhoist, nred;
    uint32_t nscope, fresh; /* the scope loads go to; the last one made */
    SnRed red[16];
    uint32_t nkept; /* kept roundings that have a variable */
    struct {
        const SnExpr *e;
        uint32_t scope;
        const char *name;
    } kept[4];
    uint32_t nname; /* names already declared: in pre, elem scopes */
    const char **name;
} SnFormula;

/* Begins the function of result r of tuple t.  f is zero except d and text. */
void sn_formula_open(SnFormula *f, const SnDefs *defs, const SnDefNode *n,
                     const SnDefTuple *t, uint32_t r);
/* From here on loads go to elem, which is empty at first. */
void sn_formula_into(SnFormula *f, SnBuf *elem, SnCtx ctx);
/* The value of e. */
SnCVal sn_formula_expr(SnFormula *f, const SnExpr *e);
/* v as a float. */
const char *sn_formula_f32(SnFormula *f, SnCVal v);
/* The statement's right side that stores v as the result's type. */
const char *sn_formula_store(SnFormula *f, SnCVal v);
/* Notes that this formula has no row, with the reason; returns a dummy
 * value. */
SnCVal sn_formula_refuse(SnFormula *f, const char *why);
/* True the first time `name` is requested in scope (0: the function). */
bool sn_formula_once(SnFormula *f, const char *name, uint32_t scope);

SnDefConc sn_formula_out(const SnFormula *f);
bool sn_conc_code(SnDefConc c); /* quantized, 8, 16 or 32 bits */
const SnDefPort *sn_formula_port(const SnFormula *f,
                                 const SnExpr *e); /* or NULL */
bool sn_formula_mapped(const SnFormula *f, const SnDefPort *p);

/* Does the map have a statement of this kind? */
bool sn_formula_map_has(const SnFormula *f, SnMapStmtKind kind);
/* Variables of a port, declared on first use. */
const char *sn_formula_ptr(SnFormula *f, const SnDefPort *p);
const char *sn_formula_scale(SnFormula *f, const SnDefPort *p);
const char *sn_formula_zp(SnFormula *f, const SnDefPort *p);
const char *sn_formula_code(SnFormula *f,
                            const SnDefPort *p); /* element as stored */
const char *sn_formula_lim(SnFormula *f);        /* the result's SnLim */
const char *sn_formula_limf(SnFormula *f,
                            const char *range); /* an attribute's SnLimF */
SnCVal sn_formula_raw(SnFormula *f, const SnDefPort *p); /* x */
SnCVal sn_formula_deq(SnFormula *f, const SnDefPort *p); /* d(x) */
/* Scale, zero point and limits of a type attribute. */
typedef struct SnMid {
    const char *scale, *zp, *lim;
} SnMid;
bool sn_formula_mid(SnFormula *f, const SnExpr *q, SnMid *m);
/* The variable that holds the code q(e, t, c). */
const char *sn_formula_kept(SnFormula *f, const SnExpr *q, SnMid *m);

/* ---- texts (emit_text.c) ---- */

/* How a result is computed: loops around its formula. */
typedef enum SnLoop {
    SN_LOOP_MOVE,     /* no formula */
    SN_LOOP_FILL,     /* a move that pads with its own value */
    SN_LOOP_EACH,     /* map each, per tensor */
    SN_LOOP_WALK,     /* broadcasting, filling, and per-axis types */
    SN_LOOP_CONTRACT, /* sums of products */
    SN_LOOP_SOFTMAX,  /* its row */
    SN_LOOP_SETS,     /* windows, other sums */
    SN_LOOP_NONE      /* refused */
} SnLoop;
SnLoop sn_formula_loop(SnFormula *f);
/* The loops, and the value of each result in them; of SN_LOOP_FILL the value
 * that pads.  In C after the lines of f->pre. */
void sn_formula_loops(SnFormula *f, SnBuf *b, SnLoop loop);
void sn_formula_fill(SnFormula *f, SnBuf *b);
/* Text: "@def NAME ...", what sinter compile knows about a node. */
void sn_text_def(SnFormula *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* yes where cond holds, else no; in a text, sinter compile chooses. */
const char *sn_text_alt(SnFormula *f, const char *cond, const char *yes,
                        const char *no);
/* An index of an operand: the mark of a text, "@iP", or its C. */
const char *sn_text_at(const SnFormula *f, char mark, const SnDefPort *p,
                       const char *c);
/* The loop over the set's taps, and its end. */
const char *sn_text_taps(const SnFormula *f);
const char *sn_text_end(const SnFormula *f);
/* A text's sum of products, `acc`. */
const char *sn_text_dot(SnFormula *f);
/* Writes the text of one tuple's results as a table, SN_TEXT. */
void sn_emit_text(SnBuf *b, const SnDefs *s, const SnDefNode *n, uint32_t t);

/* ---- rows (emit_row.c) ---- */

/* q(e) where a row is more than "quantize e": contracts, means, `round`.
 * False: no such row. */
bool sn_row_quant(SnFormula *f, const SnExpr *q, SnCVal *v);
/* q(sum.. [+ bias], t, c): rounded to type attribute m. */
bool sn_row_requant(SnFormula *f, const SnExpr *e, const char *zp,
                    const char *lim, const char *ytype, const char *mul,
                    SnCVal *v);
/* q(e, t, c) of two codes; m: t's grid. */
bool sn_row_mid(SnFormula *f, const SnExpr *e, const SnMid *m, SnCVal *v);
/* Whether e is sum(d(x) * d(w)) over the two mapped operands. */
bool sn_row_sum(SnFormula *f, const SnExpr *e, const SnDefPort **x,
                const SnDefPort **w);
/* Whether e is such a sum plus the pinned bias; *b is NULL without one. */
bool sn_row_acc(SnFormula *f, const SnExpr *e, const SnDefPort **b);
/* v = q(e), where e only selects among codes: each code is rescaled, by the
 * graph's rounding, to the grid mid, or to the result's (NULL). */
void sn_row_select(SnFormula *f, const SnExpr *e, const SnMid *mid, SnCVal *v);
/* The row `by lrn`. */
SnCVal sn_row_lrn(SnFormula *f);
/* The rows `by normalize` and `by rms`. */
SnCVal sn_row_normalize(SnFormula *f);
/* Whether a quantized window formula is made of selections and means only. */
bool sn_row_window(const SnFormula *f, const SnExpr *e);

#endif
