// SPDX-License-Identifier: Apache-2.0
/* Expressions of maps: their kinds, and the trees as data. */
#include "dsl/resolve/map/map_scope.h"

#include <math.h>
#include <string.h>

static const SnMapKind none = {.ty = SN_TY_NONE};

static SnMapKind put(SnMapScope *ms, SnExpr *e, uint32_t at);

/* ---- kinds ---- */

static SnMapKind
one(SnTy ty)
{
    return (SnMapKind){.ty = ty};
}

/* The same run with another type. */
static SnMapKind
typed(SnMapKind k, SnTy ty)
{
    k.ty = ty;
    return k;
}

static bool
is_list(SnMapKind k)
{
    return k.span == SN_MK_RUN || k.span == SN_MK_EACH;
}

const char *
sn_resolve_map_kind_str(const SnMapScope *ms, SnMapKind k)
{
    SnArena *a = ms->rs->a;

    if (k.ty == SN_TY_VALUE)
        return "an operand";
    switch (k.span) {
    case SN_MK_RUN:
        return sn_format(a, "a list%s along '%s'",
                         k.ty == SN_TY_BOOL   ? " of true or false"
                         : k.ty == SN_TY_REAL ? " of real numbers"
                                              : "",
                         ms->var[k.of].name);
    case SN_MK_PAIR:
        return sn_format(a, "two lists along '%s'", ms->var[k.of].name);
    case SN_MK_EACH:
        return sn_format(a, "a list, one for each operand of '%s'",
                         ms->var[k.of].name);
    case SN_MK_DATA:
        return sn_format(a, "the elements of '%s'", ms->var[k.of].name);
    case SN_MK_ONE:
        break;
    }
    return k.ty == SN_TY_BOOL   ? "true or false"
           : k.ty == SN_TY_ENUM ? "a word"
           : k.ty == SN_TY_REAL ? "a real number"
                                : "an integer";
}

bool
sn_resolve_map_meet(SnMapKind a, SnMapKind b, SnMapKind *out)
{
    *out = a.span == SN_MK_ONE ? b : a;
    if (a.span == SN_MK_PAIR || b.span == SN_MK_PAIR)
        return false;
    return a.span == SN_MK_ONE || b.span == SN_MK_ONE ||
           (a.span == b.span && a.of == b.of);
}

static const char *
str(const SnMapScope *ms, const SnExpr *e)
{
    return sn_expr_str(ms->rs->a, e);
}

static void
pair_help(SnMapScope *ms, const SnExpr *e, SnMapKind k)
{
    if (k.span == SN_MK_PAIR)
        sn_diag_help(ms->rs->d, "%s[0], %s[1]", str(ms, e), str(ms, e));
}

/* Reports that e, of kind k, does not fit. */
static SnMapKind
wrong(SnMapScope *ms, const SnExpr *e, SnMapKind k, const char *want)
{
    if (k.ty == SN_TY_NONE)
        return none;
    sn_resolve_map_fault(ms, e->pos, "SN182", "'%s' is %s, expected %s",
                         str(ms, e), sn_resolve_map_kind_str(ms, k), want);
    pair_help(ms, e, k);
    return none;
}

static SnMapKind
meet(SnMapScope *ms, const SnExpr *x, SnMapKind a, const SnExpr *y, SnMapKind b)
{
    SnMapKind k;

    if (a.ty == SN_TY_NONE || b.ty == SN_TY_NONE)
        return none;
    if (a.span == SN_MK_PAIR)
        return wrong(ms, x, a, "a number or one list");
    if (b.span == SN_MK_PAIR)
        return wrong(ms, y, b, "a number or one list");
    if (sn_resolve_map_meet(a, b, &k))
        return k;
    sn_resolve_map_fault(ms, y->pos, "SN182", "'%s' is %s, but '%s' is %s",
                         str(ms, x), sn_resolve_map_kind_str(ms, a), str(ms, y),
                         sn_resolve_map_kind_str(ms, b));
    sn_diag_help(ms->rs->d,
                 "operators combine lists along the same run of axes only");
    return none;
}

/* ---- trees as data ---- */

/* Allocates n consecutive nodes. */
static uint32_t
reserve(SnMapScope *ms, uint32_t n)
{
    uint32_t first = ms->nexpr;

    for (uint32_t i = 0; i < n; i++)
        SN_PUSH(ms->rs->a, ms->expr, ms->nexpr, (SnMapExpr){0});
    return first;
}

static uint32_t
node(SnMapScope *ms, SnPos pos, uint32_t at, SnMapOp op, uint32_t nkid)
{
    uint32_t kid = nkid ? reserve(ms, nkid) : 0;

    if (nkid > UINT8_MAX || ms->nexpr > UINT16_MAX) {
        if (!ms->bad)
            sn_resolve_map_fault(ms, pos, "SN180", "map %s is too large",
                                 ms->m->name);
        nkid = 0;
    }
    ms->expr[at].op = (uint8_t)op;
    ms->expr[at].nkid = (uint8_t)nkid;
    ms->expr[at].kid = (uint16_t)kid;
    return kid;
}

static SnMapKind
leaf(SnMapScope *ms, uint32_t at, SnMapOp op, int64_t v, SnMapKind k)
{
    ms->expr[at] = (SnMapExpr){.op = (uint8_t)op, .v = v};
    return k;
}

static void
known(SnMapScope *ms, SnMapLevel level)
{
    if (ms->level < level)
        ms->level = level;
}

/* ---- names ---- */

static int
word_of(const SnMapScope *ms, int p, const char *s)
{
    const SnIds *w = &ms->m->param[p]->word;

    uint32_t i = sn_name_at(w->s, w->n, s);

    return i < w->n ? (int)i : -1;
}

static SnMapKind
unknown(SnMapScope *ms, const SnExpr *e)
{
    SnCands v = sn_cands(ms->rs);

    for (uint32_t p = 0; p < ms->m->nparam; p++)
        if (word_of(ms, (int)p, e->s) >= 0) {
            sn_resolve_map_fault(ms, e->pos, "SN182",
                                 "the word '%s' can only be compared", e->s);
            sn_diag_help(ms->rs->d, "%s == %s", ms->m->param[p]->name, e->s);
            return none;
        }
    for (uint32_t i = 0; i < ms->nvar; i++)
        sn_cands_add(&v, ms->var[i].name, &ms->var[i].pos);
    sn_resolve_unknown(ms->rs, e->pos, "name", e->s, ms->m->name, &v);
    ms->bad = true;
    return none;
}

static SnMapKind
name(SnMapScope *ms, const SnExpr *e, uint32_t at)
{
    int i = sn_resolve_map_find(ms, e->s);

    if (i < 0 && e->word == SN_W_INF) {
        ms->expr[at].op = SN_MO_REAL;
        ms->expr[at].r = INFINITY;
        return one(SN_TY_REAL);
    }
    if (i < 0)
        return unknown(ms, e);
    if ((uint32_t)i >= ms->hidden && (uint32_t)i < ms->m->nparam) {
        sn_resolve_map_fault(
            ms, e->pos, "SN183",
            "a default can name what stands before its parameter; "
            "'%s' stands behind",
            e->s);
        return none;
    }
    const SnMapName *x = &ms->var[i];
    known(ms, x->level);
    if (x->kind.ty != SN_TY_VALUE)
        return leaf(ms, at, SN_MO_NAME, i, x->kind);
    if (ms->elements && ms->param[i].data == 'i') {
        known(ms, SN_MK_PLACE);
        return leaf(ms, at, SN_MO_NAME, i,
                    (SnMapKind){SN_TY_INT, SN_MK_DATA, (int16_t)i});
    }
    sn_resolve_map_fault(ms, e->pos, "SN182",
                         "'%s' is an operand and no number", e->s);
    if (ms->param[i].data)
        sn_diag_help(ms->rs->d, "one of its elements is %s[..]", e->s);
    return none;
}

/* ---- elements ---- */

void
sn_resolve_map_places(SnMapScope *ms, SnPos pos, int p, uint32_t n, SnExpr **e,
                      uint32_t at, int32_t *index)
{
    const SnDefMapParam *q = ms->m->param[p];
    const SnMapItem *item = ms->param[p].item;

    if (n != q->nitem) {
        sn_resolve_map_fault(ms, pos, "SN102", "'%s' has %u place%s, not %u",
                             q->name, q->nitem, q->nitem == 1 ? "" : "s", n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        SnMapKind want = ms->var[item[i].slot].kind, k;
        if (item[i].kind == SN_MI_AT)
            want = one(SN_TY_INT);
        if (index)
            index[i] = sn_resolve_map_expr(ms, e[i], &k);
        else
            k = put(ms, e[i], at + i);
        if (k.ty != SN_TY_NONE && (k.ty != SN_TY_INT || k.span != want.span ||
                                   (k.span != SN_MK_ONE && k.of != want.of)))
            wrong(ms, e[i], k, sn_resolve_map_kind_str(ms, want));
    }
}

static SnMapKind
data(SnMapScope *ms, SnExpr *e, int p, uint32_t at)
{
    const char *s = ms->m->param[p]->name;
    uint32_t n = e->nkid - 1, kid;

    known(ms, SN_MK_PLACE);
    if (!ms->param[p].data) {
        sn_resolve_map_fault(ms, e->pos, "SN182",
                             "the elements of '%s' are no numbers for the map",
                             s);
        sn_diag_help(ms->rs->d, "%s[..] : int", s);
        return none;
    }
    kid = node(ms, e->pos, at, SN_MO_DATA, n);
    ms->expr[at].v = p;
    sn_resolve_map_places(ms, e->pos, p, n, e->kid + 1, kid, NULL);
    return one(SN_TY_INT);
}

/* Reports that i numbers neither list of a pair. */
static SnMapKind
not_half(SnMapScope *ms, const SnExpr *pair, const SnExpr *i)
{
    sn_resolve_map_fault(ms, i->pos, "SN182",
                         "'%s' is two lists, %s[0] and %s[1]: expected 0 or 1, "
                         "not '%s'",
                         pair->s, pair->s, pair->s, str(ms, i));
    return none;
}

static SnMapKind
index_of(SnMapScope *ms, SnExpr *e, uint32_t at)
{
    SnExpr *base = e->kid[0], *i = e->nkid > 1 ? e->kid[1] : NULL;
    int p = sn_resolve_map_operand(ms, base), slot = -1;

    if (p >= 0)
        return data(ms, e, p, at);
    if (e->nkid != 2) {
        sn_resolve_map_fault(ms, e->pos, "SN102",
                             "a list takes one index, not %u", e->nkid - 1);
        return none;
    }
    if (base->ek == SN_E_NAME)
        slot = sn_resolve_map_find(ms, base->s);
    if (slot >= 0 && ms->var[slot].kind.span == SN_MK_PAIR) {
        uint32_t kid = node(ms, e->pos, at, SN_MO_HALF, 1);
        SnMapKind k = put(ms, base, kid);
        if (i->ek != SN_E_INT || i->i > 1)
            return not_half(ms, base, i);
        ms->expr[at].v = i->i;
        k.span = SN_MK_RUN;
        return k;
    }
    uint32_t kid = node(ms, e->pos, at, SN_MO_ELEM, 2);
    SnMapKind k = put(ms, base, kid), l = put(ms, i, kid + 1);
    if (k.ty != SN_TY_NONE && !is_list(k))
        return wrong(ms, base, k, "a list");
    if (l.ty != SN_TY_INT || l.span == SN_MK_PAIR)
        return wrong(ms, i, l, "an integer");
    return k.ty == SN_TY_NONE ? none : typed(l, k.ty);
}

/* ---- operators ---- */

/* Is e of that type, or for REAL any number?  Reports it if not. */
static bool
is(SnMapScope *ms, const SnExpr *e, SnMapKind k, SnTy ty)
{
    if (k.ty == ty || (ty == SN_TY_REAL && k.ty == SN_TY_INT))
        return true;
    wrong(ms, e, k,
          ty == SN_TY_REAL  ? "a number"
          : ty == SN_TY_INT ? "an integer"
                            : "true or false");
    return false;
}

static SnMapKind
arithmetic(SnMapScope *ms, const SnExpr *e, SnMapKind a, SnMapKind b)
{
    SnExpr *x = e->kid[0], *y = e->kid[1];
    SnTy ty = e->op == SN_OP_MOD ? SN_TY_INT : SN_TY_REAL;
    bool ok = is(ms, x, a, ty);

    if (!is(ms, y, b, ty) || !ok)
        return none;
    SnMapKind k = meet(ms, x, a, y, b);
    return k.ty == SN_TY_NONE ? k : typed(k, a.ty == SN_TY_REAL ? a.ty : b.ty);
}

/* The parameter whose words a side of a comparison is, or -1. */
static int
enum_side(const SnMapScope *ms, const SnExpr *e)
{
    int i = e->ek == SN_E_NAME ? sn_resolve_map_find(ms, e->s) : -1;

    return i >= 0 && ms->var[i].kind.ty == SN_TY_ENUM ? i : -1;
}

/* One side of a comparison with parameter p: a word, or another expression. */
static SnMapKind
side(SnMapScope *ms, SnExpr *e, uint32_t at, int p)
{
    int w = p >= 0 && e->ek == SN_E_NAME ? word_of(ms, p, e->s) : -1;

    if (w >= 0)
        return leaf(ms, at, SN_MO_INT, w,
                    (SnMapKind){SN_TY_ENUM, SN_MK_ONE, (int16_t)p});
    if (p >= 0 && e->ek == SN_E_NAME && enum_side(ms, e) < 0) {
        SnCands v = sn_cands(ms->rs);
        const SnIds *l = &ms->m->param[p]->word;
        for (uint32_t i = 0; i < l->n; i++)
            sn_cands_add(&v, l->s[i], &l->pos[i]);
        sn_resolve_unknown(ms->rs, e->pos, "word", e->s, ms->m->param[p]->name,
                           &v);
        ms->bad = true;
        return none;
    }
    return put(ms, e, at);
}

static SnMapKind
compare(SnMapScope *ms, SnExpr *e, uint32_t kid)
{
    SnExpr *x = e->kid[0], *y = e->kid[1];
    bool order = e->op != SN_OP_EQ && e->op != SN_OP_NE;
    SnMapKind a = side(ms, x, kid, enum_side(ms, y));
    SnMapKind b = side(ms, y, kid + 1, enum_side(ms, x));

    if (a.ty == SN_TY_NONE || b.ty == SN_TY_NONE)
        return none;
    if (!order && a.ty == SN_TY_ENUM && b.ty == SN_TY_ENUM && a.of == b.of)
        return one(SN_TY_BOOL);
    SnTy ty = !order && a.ty == SN_TY_BOOL ? SN_TY_BOOL : SN_TY_REAL;
    if (!is(ms, x, a, ty) || !is(ms, y, b, ty))
        return none;
    SnMapKind k = meet(ms, x, a, y, b);
    return k.ty == SN_TY_NONE ? k : typed(k, SN_TY_BOOL);
}

static SnMapKind
logic(SnMapScope *ms, const SnExpr *e, SnMapKind a, SnMapKind b)
{
    bool ok = is(ms, e->kid[0], a, SN_TY_BOOL);

    if (!is(ms, e->kid[1], b, SN_TY_BOOL) || !ok)
        return none;
    return meet(ms, e->kid[0], a, e->kid[1], b);
}

static SnMapKind
among(SnMapScope *ms, const SnExpr *e, SnMapKind a, SnMapKind b)
{
    if (!is(ms, e->kid[0], a, SN_TY_INT))
        return none;
    if (a.span == SN_MK_PAIR)
        return wrong(ms, e->kid[0], a, "a number or one list");
    if (b.ty != SN_TY_INT || !is_list(b))
        return wrong(ms, e->kid[1], b, "a list of integers");
    return typed(a, SN_TY_BOOL);
}

static SnMapKind
binary(SnMapScope *ms, SnExpr *e, uint32_t at)
{
    static const SnMapOp op[] = {
        [SN_OP_ADD] = SN_MO_ADD, [SN_OP_SUB] = SN_MO_SUB,
        [SN_OP_MUL] = SN_MO_MUL, [SN_OP_DIV] = SN_MO_DIV,
        [SN_OP_EQ] = SN_MO_EQ,   [SN_OP_NE] = SN_MO_NE,
        [SN_OP_LT] = SN_MO_LT,   [SN_OP_LE] = SN_MO_LE,
        [SN_OP_GT] = SN_MO_GT,   [SN_OP_GE] = SN_MO_GE,
        [SN_OP_AND] = SN_MO_AND, [SN_OP_OR] = SN_MO_OR,
        [SN_OP_MOD] = SN_MO_MOD, [SN_OP_AMONG] = SN_MO_IN,
    };
    uint32_t kid = node(ms, e->pos, at, op[e->op], 2);

    if (e->op >= SN_OP_EQ && e->op <= SN_OP_GE)
        return compare(ms, e, kid);
    SnMapKind a = put(ms, e->kid[0], kid), b = put(ms, e->kid[1], kid + 1);
    if (e->op == SN_OP_AND || e->op == SN_OP_OR)
        return logic(ms, e, a, b);
    return e->op == SN_OP_AMONG ? among(ms, e, a, b) : arithmetic(ms, e, a, b);
}

static SnExpr *
made(SnMapScope *ms, const SnExpr *at, SnOp op, SnExpr *x, SnExpr *y)
{
    SnExpr *e = sn_expr_new(ms->rs->a, SN_E_BIN, at->pos, NULL);

    e->op = op;
    e->nkid = 2;
    e->kid = SN_NEW_N(ms->rs->a, SnExpr *, 2);
    e->kid[0] = x;
    e->kid[1] = y;
    return e;
}

/* x in [a, b, ...] is x == a or x == b or ..., halved for its depth. */
static SnExpr *
any_of(SnMapScope *ms, const SnExpr *e, uint32_t from, uint32_t to)
{
    uint32_t mid = from + (to - from) / 2;

    if (to - from == 1)
        return made(ms, e, SN_OP_EQ, e->kid[0], e->kid[from]);
    return made(ms, e, SN_OP_OR, any_of(ms, e, from, mid),
                any_of(ms, e, mid, to));
}

static SnMapKind
in_list(SnMapScope *ms, const SnExpr *e, uint32_t at)
{
    if (e->nkid > 1)
        return put(ms, any_of(ms, e, 1, e->nkid), at);
    sn_resolve_map_fault(ms, e->pos, "SN182", "nothing is in an empty list");
    return none;
}

static SnMapKind
unary(SnMapScope *ms, SnExpr *e, uint32_t at)
{
    bool neg = e->ek == SN_E_NEG;
    uint32_t kid = node(ms, e->pos, at, neg ? SN_MO_NEG : SN_MO_NOT, 1);
    SnMapKind k = put(ms, e->kid[0], kid);

    if (k.span == SN_MK_PAIR)
        return wrong(ms, e->kid[0], k, "a number or one list");
    return is(ms, e->kid[0], k, neg ? SN_TY_REAL : SN_TY_BOOL) ? k : none;
}

/* ---- functions ---- */

static SnMapKind
select_of(SnMapScope *ms, SnExpr *e, uint32_t kid)
{
    SnMapKind all = one(SN_TY_INT);
    SnTy ty = SN_TY_INT;
    bool ok = true, first = true;

    for (uint32_t i = 0; i < e->nkid; i++) {
        SnMapKind k = put(ms, e->kid[i], kid + i);
        bool cond = i % 2 == 0 && i + 1 < e->nkid;
        bool truth = cond || (first ? k.ty == SN_TY_BOOL : ty == SN_TY_BOOL);
        ok &= is(ms, e->kid[i], k, truth ? SN_TY_BOOL : SN_TY_REAL);
        if (ok && !cond && (first || k.ty == SN_TY_REAL))
            ty = k.ty;
        first &= cond;
        if (ok)
            all = meet(ms, e, all, e->kid[i], k);
        ok &= all.ty != SN_TY_NONE;
    }
    return ok ? typed(all, ty) : none;
}

/* Functions of an operand. */
static SnMapKind
of_operand(SnMapScope *ms, const SnExpr *e, const SnMapFn *f, uint32_t at)
{
    int p = sn_resolve_map_operand(ms, e->kid[0]);
    const char *s;

    if (p < 0) {
        sn_resolve_map_fault(ms, e->kid[0]->pos, "SN182",
                             "%s takes an operand, not '%s'", f->name,
                             str(ms, e->kid[0]));
        return none;
    }
    s = ms->m->param[p]->name;
    leaf(ms, at, f->op, p, none);
    if (f->op == SN_MO_RANK)
        return one(SN_TY_INT);
    known(ms, f->op == SN_MO_FLAT ? SN_MK_TAP : SN_MK_PLACE);
    const char *why = NULL;
    if (f->op == SN_MO_ASCENDS && ms->param[p].data != 'i')
        why = sn_format(ms->rs->a,
                        "ascends takes an operand of integers: '%s[..] : int'",
                        s);
    if (f->op == SN_MO_LOW && ms->param[p].data != 'c')
        why = sn_format(ms->rs->a,
                        "low takes an operand of codes: '%s[..] : code'", s);
    if (f->op == SN_MO_FLAT && !ms->offsets)
        why = "the offset of a tap is known in 'number' and 'parts'";
    if (why) {
        sn_resolve_map_fault(ms, e->pos, "SN182", "%s", why);
        return none;
    }
    return one(f->op == SN_MO_ASCENDS ? SN_TY_BOOL : SN_TY_INT);
}

/* axis(n): a separate list, which only a map of sizes may have. */
static SnMapKind
numbers(SnMapScope *ms, const SnExpr *e)
{
    SnMapKind k = {.ty = SN_TY_INT, .span = SN_MK_RUN};
    SnMapName own = {.name = str(ms, e), .pos = e->pos};

    if (ms->nvar == INT16_MAX)
        return none;
    k.of = (int16_t)ms->nvar;
    own.kind = k;
    SN_PUSH(ms->rs->a, ms->var, ms->nvar, own);
    if (!ms->numbers)
        ms->numbers = e;
    return k;
}

/* Functions of a list, k, of integers. */
static SnMapKind
of_list(SnMapScope *ms, const SnExpr *e, const SnMapFn *f, SnMapKind k)
{
    if (k.ty == SN_TY_NONE)
        return none;
    if (f->op == SN_MO_AXIS && k.span == SN_MK_ONE && k.ty == SN_TY_INT)
        return numbers(ms, e);
    if (!is_list(k))
        return wrong(ms, e->kid[0], k, "a list");
    if (f->op == SN_MO_COUNT)
        return one(SN_TY_INT);
    if (f->op == SN_MO_AXIS)
        return typed(k, SN_TY_INT);
    if (f->op == SN_MO_LAST)
        return one(k.ty);
    if (!is(ms, e->kid[0], k, SN_TY_INT))
        return none;
    return f->op == SN_MO_BEFORE || f->op == SN_MO_INVERSE ? k : one(SN_TY_INT);
}

static SnMapKind
of_box(SnMapScope *ms, const SnExpr *e, const SnMapFn *f, SnMapKind a,
       SnMapKind b)
{
    bool back = f->op == SN_MO_UNFLAT;

    if (a.ty == SN_TY_NONE || b.ty == SN_TY_NONE)
        return none;
    if (a.ty != SN_TY_INT || (back ? a.span != SN_MK_ONE : !is_list(a)))
        return wrong(ms, e->kid[0], a,
                     back ? "a number" : "a list of integers");
    if (b.ty != SN_TY_INT || !is_list(b))
        return wrong(ms, e->kid[1], b, "a list of integers");
    if (back)
        return b;
    return meet(ms, e->kid[0], a, e->kid[1], b).ty == SN_TY_NONE
               ? none
               : one(SN_TY_INT);
}

/* Functions of numbers, element by element. */
static SnMapKind
of_numbers(SnMapScope *ms, const SnExpr *e, const SnMapFn *f, SnMapKind a,
           SnMapKind b)
{
    SnMapKind k = a;

    if (!is(ms, e->kid[0], a, SN_TY_REAL) ||
        (e->nkid > 1 && !is(ms, e->kid[1], b, SN_TY_REAL)))
        return none;
    k = meet(ms, e->kid[0], a, e->kid[e->nkid - 1], e->nkid > 1 ? b : a);
    if (k.ty == SN_TY_NONE)
        return none;
    if (f->op == SN_MO_FLOOR || f->op == SN_MO_CEIL)
        return typed(k, SN_TY_INT);
    if (f->op == SN_MO_TOREAL || (e->nkid > 1 && b.ty == SN_TY_REAL))
        return typed(k, SN_TY_REAL);
    return typed(k, a.ty);
}

static const SnMapFn *
function(SnMapScope *ms, const SnExpr *e)
{
    SnCands v = sn_cands(ms->rs);
    uint32_t at = sn_entry_at(sn_map_fns, sn_map_nfn, sizeof *sn_map_fns, e->s);
    const SnMapFn *f = &sn_map_fns[at];

    if (at == sn_map_nfn) {
        for (unsigned i = 0; i < sn_map_nfn; i++)
            sn_cands_add(&v, sn_map_fns[i].name, NULL);
        sn_resolve_unknown(ms->rs, e->pos, "function", e->s, NULL, &v);
        ms->bad = true;
        return NULL;
    }
    if (e->nkid >= f->min && e->nkid <= f->max &&
        (f->op != SN_MO_SELECT || e->nkid % 2))
        return f;
    sn_resolve_map_fault(ms, e->pos, "SN102", "%s does not take %u argument%s",
                         f->name, e->nkid, e->nkid == 1 ? "" : "s");
    sn_diag_help(ms->rs->d, "%s", f->doc);
    return NULL;
}

static SnMapKind
call(SnMapScope *ms, SnExpr *e, uint32_t at)
{
    const SnMapFn *f = function(ms, e);
    SnMapKind k[2] = {none, none};

    if (!f)
        return none;
    if (f->op == SN_MO_ASCENDS || f->op == SN_MO_RANK || f->op == SN_MO_LOW ||
        (f->op == SN_MO_FLAT && e->nkid == 1))
        return of_operand(ms, e, f, at);
    uint32_t kid = node(ms, e->pos, at, f->op, e->nkid);
    if (f->op == SN_MO_SELECT)
        return select_of(ms, e, kid);
    for (uint32_t i = 0; i < e->nkid; i++)
        k[i] = put(ms, e->kid[i], kid + i);
    switch (f->op) {
    case SN_MO_DEFINED:
        return k[0].ty == SN_TY_NONE ? none : one(SN_TY_BOOL);
    case SN_MO_FLAT:
    case SN_MO_UNFLAT:
        return of_box(ms, e, f, k[0], k[1]);
    case SN_MO_FLOOR:
    case SN_MO_CEIL:
    case SN_MO_TOREAL:
    case SN_MO_ABS:
    case SN_MO_MIN:
    case SN_MO_MAX:
        return of_numbers(ms, e, f, k[0], k[1]);
    default:
        return of_list(ms, e, f, k[0]);
    }
}

/* ---- trees ---- */

static SnMapKind
put(SnMapScope *ms, SnExpr *e, uint32_t at)
{
    switch (e->ek) {
    case SN_E_INT:
        return leaf(ms, at, SN_MO_INT, e->i, one(SN_TY_INT));
    case SN_E_BOOL:
        return leaf(ms, at, SN_MO_INT, e->i, one(SN_TY_BOOL));
    case SN_E_REAL:
        ms->expr[at].op = SN_MO_REAL;
        ms->expr[at].r = (float)e->r;
        return one(SN_TY_REAL);
    case SN_E_NAME:
        return name(ms, e, at);
    case SN_E_INDEX:
        return index_of(ms, e, at);
    case SN_E_CALL:
        return call(ms, e, at);
    case SN_E_NEG:
    case SN_E_NOT:
        return unary(ms, e, at);
    case SN_E_BIN:
        return binary(ms, e, at);
    case SN_E_IN:
        return in_list(ms, e, at);
    case SN_E_STR:
    case SN_E_WILD:
    case SN_E_LIST:
    case SN_E_MEMBER:
    case SN_E_ARG:
    case SN_E_RATIO:
        break;
    }
    sn_resolve_map_fault(ms, e->pos, "SN182", "'%s' is not allowed in a map",
                         str(ms, e));
    return none;
}

int32_t
sn_resolve_map_expr(SnMapScope *ms, SnExpr *e, SnMapKind *k)
{
    uint32_t at = reserve(ms, 1);

    *k = put(ms, e, at);
    return (int32_t)at;
}

static int32_t
wanted(SnMapScope *ms, SnExpr *e, const char *what, SnTy ty, SnMapKind *k)
{
    int32_t at = sn_resolve_map_expr(ms, e, k);

    if (k->ty == SN_TY_NONE || (k->ty == ty && k->span != SN_MK_PAIR))
        return at;
    sn_resolve_map_fault(ms, e->pos, "SN182", "%s '%s' is %s, expected %s",
                         what, str(ms, e), sn_resolve_map_kind_str(ms, *k),
                         ty == SN_TY_BOOL ? "true or false" : "an integer");
    pair_help(ms, e, *k);
    *k = none;
    return at;
}

int32_t
sn_resolve_map_cond(SnMapScope *ms, SnExpr *e, const char *what, SnMapKind *k)
{
    return wanted(ms, e, what, SN_TY_BOOL, k);
}

int32_t
sn_resolve_map_int(SnMapScope *ms, SnExpr *e, const char *what, SnMapKind *k)
{
    return wanted(ms, e, what, SN_TY_INT, k);
}
