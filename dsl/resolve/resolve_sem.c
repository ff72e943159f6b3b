// SPDX-License-Identifier: Apache-2.0
/* Meaning: each result has one, over a map, by a formula whose types fit. */
#include <string.h>
#include "dsl/resolve/resolver.h"

enum { MAXARG = 8 }; /* SN_MAXARG of graph/desc.h */

/* ---- formula functions ---- */

static SnTy
want(SnScope *sc, SnExpr *e, const char *what)
{
    SnResolver *rs = sc->rs;

    if (e->ty == SN_TY_NONE)
        return SN_TY_NONE;
    sc->bad = true;
    sn_error(rs->d, e->pos, "SN113", "'%s' is %s, expected %s",
             sn_expr_str(rs->a, e), sn_ty_name(e->ty), what);
    if (e->ty == SN_TY_CODE)
        sn_diag_help(rs->d, "d(%s)", sn_expr_str(rs->a, e));
    return SN_TY_NONE;
}

static SnTy
number(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e);

    return t == SN_TY_REAL || t == SN_TY_INT ? t : want(sc, e, "a number");
}

static SnTy
call_d(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e->kid[0]);

    if (t == SN_TY_CODE || e->kid[0]->rk == SN_R_PORT)
        return t == SN_TY_NONE ? t : SN_TY_REAL;
    return want(sc, e->kid[0], "an operand or a code");
}

static SnTy
call_q(SnScope *sc, SnExpr *e)
{
    SnTy t = number(sc, e->kid[0]);

    if (e->nkid > 1 && sn_resolve_expr(sc, e->kid[1]) != SN_TY_ETYPE)
        t = want(sc, e->kid[1], "a type attribute");
    if (e->nkid > 2 && sn_resolve_expr(sc, e->kid[2]) != SN_TY_RANGE)
        t = want(sc, e->kid[2], "a range attribute");
    return t == SN_TY_NONE ? t : SN_TY_CODE;
}

/* max, min: over the set with one argument, else of two values. */
static SnTy
call_minmax(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e->kid[0]);

    if (t != SN_TY_CODE && t != SN_TY_REAL && t != SN_TY_INT)
        return want(sc, e->kid[0], "a number or a code");
    if (e->nkid == 1)
        return t;
    SnTy u = sn_resolve_expr(sc, e->kid[1]);
    if (u == SN_TY_NONE)
        return u;
    if ((t == SN_TY_CODE) != (u == SN_TY_CODE)) {
        SnExpr *c = e->kid[t == SN_TY_CODE ? 0 : 1];
        SnExpr *r = e->kid[t == SN_TY_CODE ? 1 : 0];
        sc->bad = true;
        sn_error(sc->rs->d, e->pos, "SN113",
                 "%s compares the code '%s' with '%s', which is %s", e->s,
                 sn_expr_str(sc->rs->a, c), sn_expr_str(sc->rs->a, r),
                 sn_ty_name(r->ty));
        sn_diag_help(sc->rs->d, "d(%s) or q(%s)", sn_expr_str(sc->rs->a, c),
                     sn_expr_str(sc->rs->a, r));
        return SN_TY_NONE;
    }
    if (u != SN_TY_CODE && u != SN_TY_REAL && u != SN_TY_INT)
        return want(sc, e->kid[1], "a number or a code");
    return t == SN_TY_INT ? u : t;
}

static SnTy
call_select(SnScope *sc, SnExpr *e)
{
    SnTy c = sn_resolve_expr(sc, e->kid[0]);
    SnTy a = sn_resolve_expr(sc, e->kid[1]), b = sn_resolve_expr(sc, e->kid[2]);

    if (c != SN_TY_BOOL)
        return want(sc, e->kid[0], "true or false");
    if (a == SN_TY_NONE || b == SN_TY_NONE)
        return SN_TY_NONE;
    if ((a == SN_TY_CODE) != (b == SN_TY_CODE) ||
        (a == SN_TY_BOOL) != (b == SN_TY_BOOL))
        return want(sc, e->kid[2], sn_ty_name(a));
    return a == SN_TY_INT ? b : a;
}

static SnTy
call_real(SnScope *sc, SnExpr *e)
{
    SnTy t = SN_TY_REAL;

    for (uint32_t i = 0; i < e->nkid; i++)
        if (number(sc, e->kid[i]) == SN_TY_NONE)
            t = SN_TY_NONE;
    return t;
}

static SnTy
call_fn(SnScope *sc, SnExpr *e)
{
    switch (e->fn) {
    case SN_FN_D:
        return call_d(sc, e);
    case SN_FN_Q:
        return call_q(sc, e);
    case SN_FN_MAX:
    case SN_FN_MIN:
        return call_minmax(sc, e);
    case SN_FN_ARGMAX:
    case SN_FN_ARGMIN:
        return call_minmax(sc, e) == SN_TY_NONE ? SN_TY_NONE : SN_TY_INT;
    case SN_FN_SELECT:
        return call_select(sc, e);
    case SN_FN_SUM:
        return number(sc, e->kid[0]); /* integers are summed as such */
    case SN_FN_MEAN:
    case SN_FN_EXP:
    case SN_FN_LOG:
    case SN_FN_TANH:
    case SN_FN_ERF:
    case SN_FN_POW:
    case SN_FN_FLOOR:
    case SN_FN_CEIL:
    case SN_FN_ROUND:
    case SN_FN_ABS:
    case SN_FN_SQRT:
        return call_real(sc, e);
        SN_WHOLE_FNS(SN_FN_CASE)
        return sn_resolve_whole(sc, e);
    SN_CASE_NO_FORMULA:
        break;
    }
    return SN_TY_NONE;
}

SnTy
sn_resolve_formula_call(SnScope *sc, SnExpr *e)
{
    const SnFnWord *f = &sn_fns[e->fn];
    SnCands v = sn_cands(sc->rs);

    if (f->max && e->nkid >= f->min && e->nkid <= f->max) {
        e->rk = SN_R_FUNC;
        return call_fn(sc, e);
    }
    sc->bad = true;
    if (f->max) {
        sn_error(sc->rs->d, e->pos, "SN102", "%s takes %u argument%s, not %u",
                 f->word, f->max, f->max == 1 ? "" : "s", e->nkid);
        return SN_TY_NONE;
    }
    for (int i = SN_FN_NONE; i < SN_NFN; i++)
        if (sn_fns[i].max)
            sn_cands_add(&v, sn_fns[i].word, NULL);
    sn_resolve_unknown(sc->rs, e->pos, "function", e->s, NULL, &v);
    return SN_TY_NONE;
}

/* ---- map arguments ---- */

static bool
plain_int_port(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        int e = n->tuple[i].in[p->index].elem;
        if (e != SN_I8 && e != SN_I32 && e != SN_I64 && e != SN_ABSENT)
            return false;
    }
    return true;
}

static const char *
arg_expects(const SnMapParam *p)
{
    int ty = sn_resolve_map_attr(p);

    return ty == SN_A_BOOL                  ? "a bool"
           : ty == SN_A_ENUM                ? "an enum attribute"
           : ty == SN_A_REAL                ? "a real attribute"
           : ty == SN_A_REALS               ? "a real[] attribute"
           : ty == SN_A_INT                 ? "an int"
           : ty == SN_A_INTS                ? "an int[] attribute"
           : p->data == 'i' && !p->variadic ? "an operand of integers"
                                            : "an operand";
}

static bool
arg_fits(const SnDefNode *n, SnExpr *e, const SnMapParam *q)
{
    const SnDefPort *p = sn_def_port(n, e->s);
    const SnDefAttr *a = sn_def_attr(n, e->s);
    int ty = sn_resolve_map_attr(q);
    bool name = e->ek == SN_E_NAME;

    if (name && p && !p->out) {
        e->rk = SN_R_PORT;
        e->ref = p;
        e->ty = SN_TY_VALUE;
        return ty == SN_NATTRKIND &&
               (q->variadic ||
                (!p->variadic && (q->data != 'i' || plain_int_port(n, p))));
    }
    if (name && a) {
        e->rk = SN_R_ATTR;
        e->ref = a;
        e->ty = sn_attr_ty(a);
        return (int)a->ty == ty;
    }
    if (ty == SN_A_INT && e->ek == SN_E_NEG && e->kid[0]->ek == SN_E_INT) {
        e->i = -e->kid[0]->i;
        e->ek = SN_E_INT;
        e->nkid = 0;
    }
    e->ty = e->ek == SN_E_BOOL ? SN_TY_BOOL : SN_TY_INT;
    return (ty == SN_A_INT && e->ek == SN_E_INT && e->i == (int32_t)e->i) ||
           (ty == SN_A_BOOL && e->ek == SN_E_BOOL);
}

/* Arguments from this one on may be omitted. */
static uint16_t
required(const SnMapDecl *d)
{
    uint16_t must = d->nparam;

    while (must > 0 && d->param[must - 1].dflt >= 0)
        must--;
    return must;
}

static void
map_arity(SnResolver *rs, SnDefNode *n, const SnDefSem *s, const SnMapDecl *d)
{
    SnBuf b;

    sn_buf_init(&b, rs->a);
    for (uint16_t i = 0; i < d->nparam; i++) {
        bool opt = i >= required(d);
        sn_putf(&b, "%s%s%s%s", i ? ", " : "", opt ? "[" : "",
                arg_expects(&d->param[i]),
                d->param[i].variadic ? " or more"
                : opt                ? "]"
                                     : "");
    }
    sn_error(rs->d, s->map_pos, "SN102",
             "map %s of %s: wrong arguments (%u given)", d->name, n->name,
             s->narg);
    sn_diag_help(rs->d, "%s(%s)", d->name, sn_buf_str(&b));
    sn_resolve_spoil(rs, n);
}

/* The words of an attribute are those of the map, in its order: values are
 * numbers. */
static bool
words_fit(SnResolver *rs, SnDefNode *n, const SnExpr *e, const SnMapParam *p)
{
    const SnDefAttr *at = sn_def_attr(n, e->s);
    uint32_t i = 0;
    SnBuf b;

    while (i < at->nword && p->word[i] && !strcmp(at->word[i], p->word[i]))
        i++;
    if (i == at->nword && !p->word[i])
        return true;
    sn_buf_init(&b, rs->a);
    for (i = 0; p->word[i]; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", p->word[i]);
    sn_error(rs->d, e->pos, "SN116",
             "the words of enum '%s' differ from the map's", e->s);
    sn_diag_help(rs->d, "enum { %s }", sn_buf_str(&b));
    return false;
}

/* The order of the ports distinguishes operands of one parameter. */
static bool
in_order(SnResolver *rs, SnDefNode *n, const SnMapDecl *m, const SnExpr *before,
         const SnExpr *e)
{
    const SnDefPort *a = sn_def_port(n, before->s), *b = sn_def_port(n, e->s);

    if (!a || !b || a->index < b->index)
        return true;
    sn_error(rs->d, e->pos, "SN116",
             "map %s of %s: '%s' comes after '%s': expected operands in the "
             "order of the ports",
             m->name, n->name, b->name, a->name);
    return false;
}

/* A node that sinks below another renumbers its axes, which are attributes. */
static void
literal_axis(SnResolver *rs, SnDefNode *n, const SnMapDecl *m, const SnExpr *e,
             const SnMapParam *p)
{
    sn_error(rs->d, e->pos, "SN116",
             "map %s of %s: axis %lld is a literal, expected an attribute",
             m->name, n->name, (long long)e->i);
    sn_diag_help(
        rs->d, "attr %s : int = %lld where %s == %lld; and 'over %s(.., %s)'",
        p->name, (long long)e->i, p->name, (long long)e->i, m->name, p->name);
    sn_resolve_spoil(rs, n);
}

/* An argument that does not fit.  A list is an attribute, never written out. */
static void
unfit(SnResolver *rs, SnDefNode *n, const SnMapDecl *d, const SnExpr *e,
      const SnMapParam *p)
{
    int ty = sn_resolve_map_attr(p);
    bool large = ty == SN_A_INT && e->ek == SN_E_INT;
    bool list = (ty == SN_A_INTS || ty == SN_A_REALS) && e->ek == SN_E_LIST;

    sn_error(rs->d, e->pos, "SN116", "map %s of %s: '%s' is not %s%s", d->name,
             n->name, sn_expr_str(rs->a, e), arg_expects(p),
             large ? " of 32 bits" : "");
    if (large || list)
        sn_diag_help(rs->d, "attr %s : %s%s = %s; and '%s' in its place",
                     p->name, ty == SN_A_REALS ? "real" : "int",
                     list ? sn_format(rs->a, "[%u]", e->nkid) : "",
                     sn_expr_str(rs->a, e), p->name);
    sn_resolve_spoil(rs, n);
}

static void
map_args(SnResolver *rs, SnDefNode *n, SnDefSem *s, const SnMapDecl *d)
{
    const SnMapParam *p = d->param, *end = p + d->nparam;
    bool few = s->narg <= MAXARG;

    for (uint32_t i = 0; i < s->narg && few; i++) {
        SnExpr *e = s->arg[i];
        bool operand =
            e->ek == SN_E_NAME && sn_def_port(n, e->s) && !sn_def_attr(n, e->s);
        if (p < end && p->variadic && i) { /* it takes all that follow */
            if (!operand)
                p++;
            else if (!in_order(rs, n, d, s->arg[i - 1], e))
                sn_resolve_spoil(rs, n);
        }
        few = p < end;
        if (!few)
            break;
        if (!arg_fits(n, e, p))
            unfit(rs, n, d, e, p);
        else if (p->kind == SN_MP_ENUM && !words_fit(rs, n, e, p))
            sn_resolve_spoil(rs, n);
        else if (p->kind == SN_MP_AXIS && e->ek == SN_E_INT)
            literal_axis(rs, n, d, e, p);
        p += !p->variadic;
    }
    if (few && p < end && p->variadic && s->narg)
        p++;
    if (!few || p < d->param + required(d))
        map_arity(rs, n, s, d);
}

static void
over(SnResolver *rs, SnDefNode *n, SnDefSem *s, const SnMapDecl *d)
{
    unsigned cls = sn_resolve_map_classes(d);

    if (!(cls >> s->cls & 1)) {
        sn_error(rs->d, s->map_pos, "SN117", "%s of %s cannot be over %s",
                 s->cls_name, n->name, s->map);
        if (!cls)
            sn_diag_help(rs->d,
                         "map %s reads no operand: it can only give sizes",
                         s->map);
        sn_resolve_spoil(rs, n);
    }
    map_args(rs, n, s, d);
}

static void
map(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    SnCands v = sn_cands(rs);

    if (!s->map) {
        sn_error(rs->d, s->pos, "SN115", "the meaning of '%s' of %s has no map",
                 s->out_name, n->name);
        sn_diag_help(rs->d, "over each(x), broadcast(a, b), conv(..), ...");
        sn_resolve_spoil(rs, n);
        return;
    }
    for (uint32_t i = 0; i < rs->defs->nmap; i++)
        sn_cands_add(&v, rs->defs->map[i]->name, &rs->defs->map[i]->pos);
    s->decl = sn_def_map(rs->defs, s->map);
    if (s->decl && s->decl->decl) {
        over(rs, n, s, s->decl->decl);
        return;
    }
    sn_resolve_spoil(rs, n);
    if (s->decl)
        return;
    sn_resolve_unknown(rs, s->map_pos, "map", s->map, NULL, &v);
    if (!v.n)
        sn_diag_help(rs->d, "include \"maps.def\" declares those of the core");
}

/* ---- one meaning ---- */

static bool
sem_class(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    SnCands v = sn_cands(rs);
    size_t cls = s->cls_name
                     ? sn_lang_named(sn_class_words, SN_NCLASS, s->cls_name)
                     : s->cls;

    if (cls < SN_NCLASS) {
        s->cls = (SnClass)cls;
        return true;
    }
    for (size_t i = 0; i < SN_NCLASS; i++)
        sn_cands_add(&v, sn_class_words[i].word, NULL);
    sn_resolve_unknown(rs, s->pos, "class of meaning", s->cls_name, NULL, &v);
    sn_resolve_spoil(rs, n);
    return false;
}

static void
sem_within(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    const SnDefAttr *a = sn_def_attr(n, s->within);
    SnCands v = sn_cands(rs);

    for (uint32_t i = 0; i < n->nall; i++)
        if (n->all[i]->ty == SN_A_RANGE)
            sn_cands_add(&v, n->all[i]->name, &n->all[i]->pos);
    if (!a) {
        sn_resolve_unknown(rs, s->within_pos, "attribute", s->within, n->name,
                           &v);
        sn_resolve_spoil(rs, n);
    } else if (a->ty != SN_A_RANGE || a->range_port != s->out) {
        sn_error(rs->d, s->within_pos, "SN119",
                 "'within %s' of %s needs an attribute range(%s)", s->within,
                 n->name, s->out_name);
        sn_resolve_spoil(rs, n);
    } else if (s->formula && s->formula->fn != SN_FN_Q) {
        sn_error(rs->d, s->formula->pos, "SN119",
                 "'within %s' of %s clamps what q(..) rounds, and the "
                 "formula is not q(..)",
                 s->within, n->name);
        sn_resolve_spoil(rs, n);
    } else {
        s->clamp = a;
    }
}

static void
sem_words(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    SnWord ties = s->ties ? sn_word_named(s->ties) : SN_W_FIRST;
    SnCands v = sn_cands(rs);

    s->row = s->by ? sn_row_named(s->by) : SN_ROW_NONE;
    if (s->by && s->row == SN_ROW_NONE) {
        for (int r = SN_ROW_NONE + 1; r < SN_NROW; r++)
            sn_cands_add(&v, sn_row_words[r], NULL);
        sn_resolve_unknown(rs, s->pos, "row of arithmetic", s->by, NULL, &v);
        sn_resolve_spoil(rs, n);
    }
    s->last = ties == SN_W_LAST;
    if (ties != SN_W_FIRST && ties != SN_W_LAST) {
        sn_error(rs->d, s->pos, "SN104",
                 "ties are 'first' or 'last', not "
                 "'%s'",
                 s->ties);
        sn_resolve_spoil(rs, n);
    }
}

/* The type that the formula must have for the result's port. */
static bool
result_fits(const SnScope *sc, const SnDefPort *out, SnTy t,
            const char **wanted)
{
    const SnDefNode *n = sc->node;
    int e = n->tuple[0].out[out->index].elem;

    if (t == SN_TY_BOOL || e == SN_BOOL) {
        *wanted = "true or false";
        return t == SN_TY_BOOL && e == SN_BOOL;
    }
    if (sn_port_quant(n, out)) {
        *wanted = "a code: q(..)";
        return t == SN_TY_CODE;
    }
    *wanted = "a number";
    return t == SN_TY_REAL || t == SN_TY_INT || t == SN_TY_CODE;
}

static void
sem_formula(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    SnScope sc = {.rs = rs, .kind = SN_SC_FORMULA, .node = n};
    const char *wanted;
    SnExpr *f = s->formula;
    SnTy t = sn_resolve_expr(&sc, f);

    if (t != SN_TY_NONE && s->cls == SN_C_MOVE &&
        (f->ek != SN_E_NAME || f->rk != SN_R_PORT)) {
        sn_error(rs->d, f->pos, "SN117",
                 "a move copies an operand; '%s' computes",
                 sn_expr_str(rs->a, f));
        sc.bad = true;
    } else if (t != SN_TY_NONE && s->cls != SN_C_MOVE &&
               !result_fits(&sc, s->out, t, &wanted)) {
        sn_error(rs->d, f->pos, "SN113",
                 "the formula of '%s' of %s is %s, expected %s", s->out_name,
                 n->name, sn_ty_name(t), wanted);
        sc.bad = true;
    }
    if (!s->els && s->decl && s->decl->decl && !sc.bad &&
        sn_resolve_map_fills(s->decl->decl)) {
        sn_error(rs->d, s->map_pos, "SN117",
                 "map %s may read outside of its operand, and '%s' of %s has "
                 "no 'else' for that",
                 s->map, s->out_name, n->name);
        sn_diag_help(rs->d, "over %s(..) else q(0)", s->map);
        sc.bad = true;
    }
    if (s->els) {
        SnTy u = sn_resolve_expr(&sc, s->els);
        bool known = s->decl && s->decl->decl;
        if (known && !sn_resolve_map_fills(s->decl->decl) && !sc.bad) {
            sn_error(rs->d, s->els->pos, "SN117",
                     "'else' is for maps that read 'else fill'; %s does not",
                     s->map);
            sc.bad = true;
        } else if (u != SN_TY_NONE && u != SN_TY_CODE && !sc.bad) {
            sn_error(rs->d, s->els->pos, "SN113",
                     "the padding of %s is %s, expected a code: q(..)", n->name,
                     sn_ty_name(u));
            sc.bad = true;
        }
    }
    if (sc.bad)
        sn_resolve_spoil(rs, n);
}

static void
sem(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    if (!sem_class(rs, n, s))
        return;
    if (s->cls == SN_C_SOURCE || s->cls == SN_C_OPAQUE)
        return;
    if (!s->formula) {
        sn_error(rs->d, s->pos, "SN115",
                 "the meaning of '%s' of %s has no "
                 "formula",
                 s->out_name, n->name);
        sn_resolve_spoil(rs, n);
        return;
    }
    map(rs, n, s);
    if (s->within)
        sem_within(rs, n, s);
    sem_words(rs, n, s);
    sem_formula(rs, n, s);
}

static void
sem_to_port(SnResolver *rs, SnDefNode *n, SnDefSem *s)
{
    const SnDefPort *p = sn_def_port(n, s->out_name);
    SnCands v = sn_cands(rs);
    uint32_t slot = 0;

    for (uint32_t i = 0; i < n->nout; i++)
        sn_cands_add(&v, n->out[i]->name, &n->out[i]->pos);
    if (!p || (!p->out && n->nout)) {
        sn_resolve_unknown(rs, s->pos, "result", s->out_name, n->name, &v);
        sn_resolve_spoil(rs, n);
        return;
    }
    if (p->out)
        slot = p->index;
    s->out = p;
    if (n->rsem[slot]) {
        sn_error(rs->d, s->pos, "SN106", "'%s' of %s has two meanings",
                 s->out_name, n->name);
        sn_diag_span(rs->d, n->rsem[slot]->pos, "the first");
        sn_resolve_spoil(rs, n);
        return;
    }
    n->rsem[slot] = s;
}

static void
inherit(SnResolver *rs, SnDefNode *n)
{
    uint32_t k = n->nout ? n->nout : 1;

    for (uint32_t i = 0; i < k; i++) {
        SnDefSem *s = sn_memdup(rs->a, n->base->rsem[i], sizeof *s);
        SnExpr **arg = SN_NEW_N(rs->a, SnExpr *, s->narg);
        s->formula = sn_expr_clone(rs->a, s->formula);
        s->els = sn_expr_clone(rs->a, s->els);
        for (uint32_t j = 0; j < s->narg; j++)
            arg[j] = sn_expr_clone(rs->a, s->arg[j]);
        s->arg = arg;
        s->out = NULL;
        s->clamp = NULL;
        s->decl = NULL;
        sem_to_port(rs, n, s);
    }
}

void
sn_resolve_sems(SnResolver *rs, SnDefNode *n)
{
    uint32_t k = n->nout ? n->nout : 1;

    n->rsem = SN_NEW_N(rs->a, SnDefSem *, k);
    if (n->base)
        inherit(rs, n);
    for (uint32_t i = 0; i < n->nsem; i++)
        sem_to_port(rs, n, n->sem[i]);
    for (uint32_t i = 0; i < k && !rs->bad_node[n->kind]; i++)
        if (!n->rsem[i]) {
            sn_error(rs->d, n->nout ? n->out[i]->pos : n->pos, "SN115",
                     "%s gives no meaning for '%s'", n->name,
                     n->nout ? n->out[i]->name : "it");
            sn_diag_help(rs->d, "sem CLASS %s = FORMULA over MAP(..);",
                         n->nout ? n->out[i]->name : "y");
            sn_resolve_spoil(rs, n);
        }
    for (uint32_t i = 0; i < k && !rs->bad_node[n->kind]; i++)
        sem(rs, n, n->rsem[i]);
}
