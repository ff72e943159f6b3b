// SPDX-License-Identifier: Apache-2.0
/* What `arithmetic` blocks say: how a machine computes on codes.  The parser
 * fills the first half of each struct, dsl/resolve/arith/resolve_arith.c the
 * second. */
#ifndef SN_MODEL_ARITH_H
#define SN_MODEL_ARITH_H

#include "base/lang/arithmetic.h"
#include "dsl/model/model.h"

/* ---- rows, resolved: trees without names ---- */

typedef enum SnXk {
    SN_X_INT,   /* i */
    SN_X_REAL,  /* r */
    SN_X_IN,    /* operand i of the row: a code, a sum, a real */
    SN_X_SCALE, /* of the result (i 0) or of operand i - 1 */
    SN_X_ZP,
    SN_X_N,      /* elements that a mean divides by */
    SN_X_SHIFT,  /* zp_shift */
    SN_X_KERNEL, /* kernel[i] of a pool */
    SN_X_Q,      /* the multiplier of the ratio kid[0], */
    SN_X_S,      /* and its shift */
    SN_X_FN,     /* fn, mode */
    SN_X_OP,     /* op */
    SN_X_NEG,
    SN_X_NOT
} SnXk;

typedef struct SnX {
    SnXk xk;
    SnTy ty; /* INT, REAL or BOOL */
    SnPos pos;
    int64_t i;
    double r;
    SnFn fn;
    SnOp op;
    SnMode mode;
    uint32_t nkid;
    struct SnX *kid[3];
    const struct SnDefRatio *by; /* Q, S: of this ratio line, */
    const char *s;               /* and the ratio as written */
    bool fixed;                  /* the same for all elements of a call */
    double lo, hi;               /* INT: its possible values */
} SnX;

/* ---- as written ---- */

typedef struct SnDefLet {
    const char *name;
    SnPos pos;
    SnExpr *e;
} SnDefLet;

/* ratio q 31 bits, s 1..62, formed f64, outside refuse; */
typedef struct SnDefRatio {
    SnPos pos; /* src NULL: there is none */
    int64_t bits, s_lo, s_hi;
    const char *formed;  /* f64, f32; NULL: f64 */
    const char *outside; /* zero, refuse; NULL: zero */
    SnPos formed_pos, outside_pos;
    /* resolved */
    bool f32;    /* formed f32 */
    bool refuse; /* outside refuse */
} SnDefRatio;

/* scale(v) [, s LO..HI] = e: v an int, and q and s of a ratio. */
typedef struct SnDefScale {
    const char *name, *v;
    SnPos pos;
    SnExpr *e;
    SnDefRatio
        own; /* its shifts alone, pos.src NULL: as the arithmetic has it */
    /* resolved: `own` also has the rest of the arithmetic's line */
    bool bad; /* errors were reported */
} SnDefScale;

typedef struct SnDefRow {
    SnPos pos;
    bool any;         /* of.s[0] is the word of a form */
    SnIds of;         /* else kinds */
    const char *over; /* a map, or NULL */
    SnPos over_pos;
    SnExpr *when;
    uint32_t nlet;
    SnDefLet *let;
    SnExpr *e;
    const char *text; /* source, from `row` to `;` */
} SnDefRow;

/* A row for one form and map. */
typedef struct SnDefRowOf {
    const SnDefRow *row;
    const char *name; /* in C, without the arithmetic's name */
    SnForm form;
    const char *map; /* the kind, for a function; NULL: any */
    unsigned mask, is;
    const SnX *x;
    int64_t step; /* SnArithRow.step */
    double error; /* error of its roundings, in steps, without the error of a
                     multiplier */
} SnDefRowOf;

/* codes, zero and scales of a role. */
typedef struct SnDefArithType {
    SnPos codes, zero, scales; /* src NULL: not written */
    int64_t lo, hi, zlo, zhi;
    const char *per; /* tensor, axis */
    bool power;      /* powers of two */
} SnDefArithType;

/* no row KIND [when COND] "why": the kind has no tuples of codes. */
typedef struct SnDefNoRow {
    const char *kind;
    SnPos pos;
    SnExpr *when; /* or NULL */
    const char *why;
    /* resolved */
    unsigned mask, is;
} SnDefNoRow;

typedef struct SnDefArith {
    const char *name, *doc, *from;
    SnPos pos, from_pos;
    const char *text;
    bool plugin; /* a plugin's */
    SnDefRatio ratio;
    SnDefArithType type[SN_NROLE];
    SnPos bias; /* src NULL: not written; also acc */
    const char *bias_width;
    SnExpr *bias_grid;
    SnPos acc, acc_mode_pos, acc_each_pos;
    const char *acc_width, *acc_mode;
    int64_t acc_each;
    uint32_t nno;
    SnDefNoRow *no;
    const char *vectors; /* a file, NULL: none */
    SnPos vectors_pos;
    uint32_t nscale;
    SnDefScale **scale;
    uint32_t nrow;
    SnDefRow **row;
    /* resolved */
    SnRounding number;
    const struct SnDefArith *base; /* from */
    SnArithPairs pairs; /* own lines, then those of base; pairs.no is NULL */
    uint32_t nnone;     /* no row: own, then those of base */
    SnDefNoRow *none;
    uint8_t visit; /* 0 new, 1 in progress, 2 done */
    bool bad;      /* errors were reported */
    uint32_t nof;  /* own rows, then those of base */
    SnDefRowOf *of;
    double error;  /* the largest of its rows (SnArith) */
    uint64_t hash; /* of its rows and lines, and those it inherits */
    bool shipped;  /* declared with float */
} SnDefArith;

/* Equal trees? */
bool sn_x_equal(const SnX *a, const SnX *b);
/* The row for a node over a map, NULL: none. */
const SnDefRowOf *sn_def_row(const SnDefArith *a, SnForm form, const char *map,
                             unsigned when);
/* The arithmetic with this number, NULL: none is declared. */
const SnDefArith *sn_def_arith(const SnDefs *defs, SnRounding number);
/* Its name, and the error of its roundings; of float if none is declared.
 */
const char *sn_arith_name(const SnDefs *defs, SnRounding number);
double sn_arith_error(const SnDefs *defs, SnRounding number);
/* Does an operand or a result have 16 bits?  SN_WHEN_WIDE of rows for codes. */
bool sn_tuple_wide(const SnDefTuple *t, const SnDefNode *n);
/* The form of q(e), whose operands are those of e, in this order: values with a
 * grid.  POINT if no other form matches. */
SnForm sn_form_of(const SnDefSem *sem, const SnExpr *e);
/* Is n a function of one operand, element by element, whose formula is neither
 * a selection nor states when it rounds?  FUNCTION rows are for those. */
bool sn_is_function(const SnDefNode *n);
/* The form of rows that compute result `res` of n on codes, and the input ports
 * of such a row, -1 for none; for a selection CONVERT and no ports, as each
 * operand is converted.  -1: no row does. */
int sn_form_of_result(const SnDefNode *n, uint32_t res, int port[2]);

#endif
