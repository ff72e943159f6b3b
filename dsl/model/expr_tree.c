// SPDX-License-Identifier: Apache-2.0
/* Expression trees: copies, comparison, value, text. */
#include <string.h>
#include "dsl/model/expr_tree.h"

void
sn_expr_say(SnExpr *e, const char *s)
{
    e->s = s;
    if (e->ek == SN_E_CALL)
        e->fn = sn_fn_named(s);
    else
        e->word = sn_word_named(s);
}

SnExpr *
sn_expr_new(SnArena *a, SnEk ek, SnPos at, const char *s)
{
    SnExpr *e = SN_NEW(a, SnExpr);

    e->ek = ek;
    e->pos = at;
    if (s)
        sn_expr_say(e, s);
    return e;
}

SnExpr *
sn_expr_clone(SnArena *a, const SnExpr *e)
{
    if (!e)
        return NULL;
    SnExpr *c = sn_memdup(a, e, sizeof *e);
    c->kid = SN_NEW_N(a, SnExpr *, e->nkid);
    for (uint32_t i = 0; i < e->nkid; i++)
        c->kid[i] = sn_expr_clone(a, e->kid[i]);
    c->ty = SN_TY_NONE;
    c->rk = SN_R_NONE;
    c->ref = NULL;
    return c;
}

bool
sn_expr_equal(const SnExpr *a, const SnExpr *b)
{
    if (a->ek != b->ek || a->nkid != b->nkid)
        return false;
    if (a->ek == SN_E_BIN && a->op != b->op)
        return false;
    if (!sn_name_same(a->s, b->s))
        return false;
    if ((a->ek == SN_E_INT || a->ek == SN_E_BOOL) && a->i != b->i)
        return false;
    for (uint32_t i = 0; i < a->nkid; i++)
        if (!sn_expr_equal(a->kid[i], b->kid[i]))
            return false;
    return true;
}

SnTy
sn_attr_ty(const SnDefAttr *a)
{
    static const SnTy is[] = {
        [SN_A_INT] = SN_TY_INT,     [SN_A_REAL] = SN_TY_REAL,
        [SN_A_BOOL] = SN_TY_BOOL,   [SN_A_STR] = SN_TY_STR,
        [SN_A_ENUM] = SN_TY_ENUM,   [SN_A_INTS] = SN_TY_INTS,
        [SN_A_REALS] = SN_TY_REALS, [SN_A_TYPE] = SN_TY_ETYPE,
        [SN_A_RANGE] = SN_TY_RANGE};

    return is[a->ty];
}

static const char *const op_text[] = {
    [SN_OP_ADD] = "+", [SN_OP_SUB] = "-",    [SN_OP_MUL] = "*",
    [SN_OP_DIV] = "/", [SN_OP_EQ] = "==",    [SN_OP_NE] = "!=",
    [SN_OP_LT] = "<",  [SN_OP_LE] = "<=",    [SN_OP_GT] = ">",
    [SN_OP_GE] = ">=", [SN_OP_AND] = "and",  [SN_OP_OR] = "or",
    [SN_OP_MOD] = "%", [SN_OP_AMONG] = "in",
};

double
sn_op_apply(SnOp op, double a, double b)
{
    switch (op) {
    case SN_OP_ADD:
        return a + b;
    case SN_OP_SUB:
        return a - b;
    case SN_OP_MUL:
        return a * b;
    case SN_OP_DIV:
        return a / b;
    case SN_OP_EQ:
        return a == b;
    case SN_OP_NE:
        return a != b;
    case SN_OP_LT:
        return a < b;
    case SN_OP_LE:
        return a <= b;
    case SN_OP_GT:
        return a > b;
    case SN_OP_GE:
        return a >= b;
    case SN_OP_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

bool
sn_op_holds(SnOp op, int64_t a, int64_t b)
{
    return op >= SN_OP_AND ? sn_op_apply(op, a != 0, b != 0) != 0
                           : sn_op_apply(op, (a > b) - (a < b), 0) != 0;
}

SnOp
sn_op_opposite(SnOp op)
{
    static const SnOp is[] = {
        [SN_OP_EQ] = SN_OP_NE, [SN_OP_NE] = SN_OP_EQ, [SN_OP_LT] = SN_OP_GE,
        [SN_OP_LE] = SN_OP_GT, [SN_OP_GT] = SN_OP_LE, [SN_OP_GE] = SN_OP_LT};

    return is[op];
}

const char *
sn_op_c(SnOp op)
{
    return op == SN_OP_AND ? "&&" : op == SN_OP_OR ? "||" : op_text[op];
}

static bool
bin_number(const SnExpr *e, double *v)
{
    double a, b;

    if (e->op > SN_OP_DIV || !sn_expr_number(e->kid[0], &a) ||
        !sn_expr_number(e->kid[1], &b) || (e->op == SN_OP_DIV && b == 0))
        return false;
    *v = sn_op_apply(e->op, a, b);
    return true;
}

bool
sn_expr_number(const SnExpr *e, double *v)
{
    switch (e->ek) {
    case SN_E_INT:
        *v = (double)e->i;
        return true;
    case SN_E_REAL:
        *v = e->r;
        return true;
    case SN_E_NEG:
        if (!sn_expr_number(e->kid[0], v))
            return false;
        *v = -*v;
        return true;
    case SN_E_BIN:
        return bin_number(e, v);
    default:
        return false;
    }
}

bool
sn_expr_int(const SnExpr *e, int64_t *v)
{
    int64_t a, b;

    if (e->ek == SN_E_INT) {
        *v = e->i;
        return true;
    }
    if (e->ek == SN_E_NEG)
        return sn_expr_int(e->kid[0], &a) && !__builtin_sub_overflow(0, a, v);
    if (e->ek != SN_E_BIN || !sn_expr_int(e->kid[0], &a) ||
        !sn_expr_int(e->kid[1], &b))
        return false;
    switch (e->op) {
    case SN_OP_ADD:
        return !__builtin_add_overflow(a, b, v);
    case SN_OP_SUB:
        return !__builtin_sub_overflow(a, b, v);
    case SN_OP_MUL:
        return !__builtin_mul_overflow(a, b, v);
    case SN_OP_DIV:
        if (b == 0 || b == -1 || a % b)
            return b == -1 && !__builtin_sub_overflow(0, a, v);
        *v = a / b;
        return true;
    default:
        return false;
    }
}

static const int op_level[] = {
    [SN_OP_OR] = 1,  [SN_OP_AND] = 2,   [SN_OP_EQ] = 4,  [SN_OP_NE] = 4,
    [SN_OP_LT] = 4,  [SN_OP_LE] = 4,    [SN_OP_GT] = 4,  [SN_OP_GE] = 4,
    [SN_OP_ADD] = 6, [SN_OP_SUB] = 6,   [SN_OP_MUL] = 7, [SN_OP_DIV] = 7,
    [SN_OP_MOD] = 7, [SN_OP_AMONG] = 4,
};
enum { LEVEL_SHL = 5 };

static void put(SnBuf *b, const SnExpr *e, int level);

static void
put_kids(SnBuf *b, const SnExpr *e, uint32_t from, const char *close)
{
    for (uint32_t i = from; i < e->nkid; i++) {
        if (i > from)
            sn_puts(b, ", ");
        put(b, e->kid[i], 0);
    }
    sn_puts(b, close);
}

static void
put_infix(SnBuf *b, const SnExpr *e, int level, int own, const char *op)
{
    if (own < level)
        sn_putc(b, '(');
    put(b, e->kid[0], own);
    sn_putf(b, " %s ", op);
    put(b, e->kid[1], own + 1);
    if (own < level)
        sn_putc(b, ')');
}

static void
put(SnBuf *b, const SnExpr *e, int level)
{
    switch (e->ek) {
    case SN_E_INT:
        sn_putf(b, "%lld", (long long)e->i);
        break;
    case SN_E_REAL:
        if (e->s)
            sn_puts(b, e->s);
        else
            sn_put_f64(b, e->r);
        break;
    case SN_E_STR:
        sn_put_quoted(b, e->s);
        break;
    case SN_E_BOOL:
        sn_puts(b, e->i ? "true" : "false");
        break;
    case SN_E_WILD:
        sn_putc(b, '_');
        break;
    case SN_E_NAME:
        sn_puts(b, e->s);
        break;
    case SN_E_LIST:
        sn_putc(b, '[');
        put_kids(b, e, 0, "]");
        break;
    case SN_E_MEMBER:
        put(b, e->kid[0], 9);
        sn_putf(b, ".%s", e->s);
        break;
    case SN_E_INDEX:
        put(b, e->kid[0], 9);
        sn_putc(b, '[');
        put_kids(b, e, 1, "]");
        break;
    case SN_E_CALL:
        if (e->fn == SN_FN_SHL) {
            put_infix(b, e, level, LEVEL_SHL, e->s);
            break;
        }
        sn_putf(b, "%s(", e->s);
        put_kids(b, e, 0, ")");
        break;
    case SN_E_ARG:
        sn_putf(b, "%s = ", e->s);
        put(b, e->kid[0], 0);
        break;
    case SN_E_RATIO:
        put(b, e->kid[0], 0);
        sn_puts(b, " : ");
        put(b, e->kid[1], 0);
        break;
    case SN_E_NEG:
        sn_putc(b, '-');
        put(b, e->kid[0], 8);
        break;
    case SN_E_NOT:
        sn_puts(b, "not ");
        put(b, e->kid[0], 3);
        break;
    case SN_E_BIN:
        put_infix(b, e, level, op_level[e->op], op_text[e->op]);
        break;
    case SN_E_IN:
        put(b, e->kid[0], 5);
        sn_puts(b, " in [");
        put_kids(b, e, 1, "]");
        break;
    }
}

void
sn_put_expr(SnBuf *b, const SnExpr *e)
{
    put(b, e, 0);
}

const char *
sn_expr_str(SnArena *a, const SnExpr *e)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_expr(&b, e);
    return sn_buf_str(&b);
}
