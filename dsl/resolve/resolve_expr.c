// SPDX-License-Identifier: Apache-2.0
/* Types of expressions: one closed set of functions and members, each allowed
 * in some scopes only.  Operators are in resolve_operator.c. */
#include <string.h>
#include "dsl/resolve/resolver.h"

const char *
sn_ty_name(SnTy t)
{
    static const char *const v[] = {
        [SN_TY_NONE] = "nothing",        [SN_TY_INT] = "an int",
        [SN_TY_REAL] = "a real",         [SN_TY_BOOL] = "true or false",
        [SN_TY_STR] = "a string",        [SN_TY_ENUM] = "a word",
        [SN_TY_INTS] = "a list of ints", [SN_TY_REALS] = "a list of reals",
        [SN_TY_ETYPE] = "a type",        [SN_TY_RANGE] = "a clamp",
        [SN_TY_REACH] = "a reach",       [SN_TY_SHAPE] = "a shape",
        [SN_TY_VALUE] = "a value",       [SN_TY_NODE] = "a node",
        [SN_TY_CODE] = "a code",
    };

    return v[t];
}

SnTy
sn_resolve_fail(SnScope *sc, SnPos at, const char *what)
{
    sn_error(sc->rs->d, at, "SN104", "%s", what);
    sc->bad = true;
    return SN_TY_NONE;
}

SnTy
sn_resolve_mismatch(SnScope *sc, const SnExpr *e, const char *want)
{
    if (e->ty == SN_TY_NONE)
        return SN_TY_NONE;
    sn_error(sc->rs->d, e->pos, "SN104", "'%s' is %s, expected %s",
             sn_expr_str(sc->rs->a, e), sn_ty_name(e->ty), want);
    sc->bad = true;
    return SN_TY_NONE;
}

static bool
is_value(SnTy t)
{
    return t == SN_TY_VALUE || t == SN_TY_NODE;
}

SnDefVar *
sn_resolve_var(const SnScope *sc, const char *name)
{
    return sn_named(sc->var, sc->nvar, name);
}

const SnDefNode *
sn_var_node(const SnDefVar *v)
{
    if (v->vk == SN_V_NODE && v->pat)
        return v->pat->node;
    if (v->vk == SN_V_LET && v->let)
        return v->let->node;
    return NULL;
}

const SnDefAttr *
sn_var_attr(const SnResolver *rs, const SnDefVar *v, const char *name)
{
    const SnDefNode *n = sn_var_node(v);
    const SnDefAttr *a = NULL;

    if (n)
        return sn_def_attr(n, name);
    if (v->vk != SN_V_NODE || !v->pat || !v->pat->cls || !v->pat->cls->member)
        return NULL;
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        uint32_t k = rs->defs->node[i]->kind;
        if (!(v->pat->cls->member[k / 64] >> k % 64 & 1))
            continue;
        const SnDefAttr *b = sn_def_attr(rs->defs->node[i], name);
        if (!b || (a && a->ty != b->ty))
            return NULL;
        if (!a)
            a = b;
    }
    return a;
}

/* ---- names ---- */

static bool
enum_word(const SnDefAttr *a, SnExpr *e)
{
    uint32_t i = a ? sn_name_at(a->word, a->nword, e->s) : 0;

    if (!a || i == a->nword)
        return false;
    e->rk = SN_R_WORD;
    e->ref = a;
    e->i = i;
    e->ty = SN_TY_ENUM;
    return true;
}

static bool
type_name(SnScope *sc, SnExpr *e)
{
    const SnDefType *t = sn_def_type(sc->rs->defs, e->s);

    if (!t)
        return false;
    e->rk = SN_R_TYPE;
    e->ref = t;
    e->ty = t->nconc ? SN_TY_ETYPE : SN_TY_NONE;
    return true;
}

static SnTy
port_ty(const SnScope *sc, const SnDefPort *p)
{
    const SnDefNode *n = sc->node;
    bool real = false, whole = false, logic = false;

    if (sc->kind != SN_SC_FORMULA)
        return SN_TY_VALUE;
    if (sn_port_quant(n, p))
        return SN_TY_CODE;
    for (uint32_t i = 0; i < n->ntuple; i++) {
        int e = (p->out ? n->tuple[i].out : n->tuple[i].in)[p->index].elem;
        real |= e == SN_F32 || e == SN_F16;
        whole |= e == SN_I8 || e == SN_I32 || e == SN_I64;
        logic |= e == SN_BOOL;
    }
    return real    ? SN_TY_REAL
           : whole ? SN_TY_INT
           : logic ? SN_TY_BOOL
                   : SN_TY_REAL;
}

static bool
node_name(SnScope *sc, SnExpr *e)
{
    const SnDefNode *n = sc->node;

    if (!n || sc->kind == SN_SC_RULE || sc->kind == SN_SC_TEST ||
        sc->kind == SN_SC_CONST)
        return false;
    const SnDefAttr *a = sn_def_attr(n, e->s);
    if (a) {
        e->rk = SN_R_ATTR;
        e->ref = a;
        e->ty = sn_attr_ty(a);
        return true;
    }
    if (sc->kind == SN_SC_ATTR)
        return false;
    const SnDefPort *p = sn_def_port(n, e->s);
    if (!p || (p->out && sc->kind == SN_SC_FORMULA))
        return false;
    e->rk = SN_R_PORT;
    e->ref = p;
    e->ty = port_ty(sc, p);
    return true;
}

static bool
var_name(SnScope *sc, SnExpr *e)
{
    const SnDefVar *v = sn_resolve_var(sc, e->s);

    if (!v)
        return false;
    e->rk = SN_R_VAR;
    e->ref = v;
    e->ty = v->vk == SN_V_NODE ? SN_TY_NODE : SN_TY_VALUE;
    return true;
}

static SnTy
name_unknown(SnScope *sc, SnExpr *e)
{
    SnResolver *rs = sc->rs;
    SnCands v = sn_cands(rs);

    sc->bad = true;
    if (sc->kind == SN_SC_RULE && !sc->enum_of) {
        sn_error(rs->d, e->pos, "SN202",
                 "'%s' is used %s but never bound on the left", e->s, sc->part);
        return SN_TY_NONE;
    }
    for (uint32_t i = 0; i < sc->nvar; i++)
        sn_cands_add(&v, sc->var[i]->name, &sc->var[i]->pos);
    for (uint32_t i = 0; sc->enum_of && i < sc->enum_of->nword; i++)
        sn_cands_add(&v, sc->enum_of->word[i], NULL);
    const SnDefNode *n =
        sc->kind == SN_SC_CONST || sc->enum_of ? NULL : sc->node;
    for (uint32_t i = 0; n && i < n->nall; i++)
        sn_cands_add(&v, n->all[i]->name, NULL);
    bool ports = sc->kind == SN_SC_SHAPE || sc->kind == SN_SC_FORMULA;
    for (uint32_t i = 0; n && ports && i < n->nin; i++)
        sn_cands_add(&v, n->in[i]->name, NULL);
    for (uint32_t i = 0; n && ports && i < n->nout; i++)
        if (sc->kind == SN_SC_SHAPE)
            sn_cands_add(&v, n->out[i]->name, NULL);
    sn_resolve_unknown(rs, e->pos, sc->enum_of ? "word" : "name", e->s,
                       n ? n->name : NULL, &v);
    return SN_TY_NONE;
}

static SnTy
expr_name(SnScope *sc, SnExpr *e)
{
    if (enum_word(sc->enum_of, e) || node_name(sc, e) || var_name(sc, e) ||
        type_name(sc, e))
        return e->ty;
    if (e->word == SN_W_FULL) {
        e->rk = SN_R_FUNC;
        return SN_TY_RANGE;
    }
    return name_unknown(sc, e);
}

/* ---- members ---- */

static SnTy
member_unknown(SnScope *sc, SnExpr *e, const SnDefVar *v)
{
    SnCands names = sn_cands(sc->rs);
    const SnDefNode *n = v ? sn_var_node(v) : NULL;
    bool clamp = e->word == SN_W_CLAMP || e->word == SN_W_CALIBRATED;

    sc->bad = true;
    sn_cands_add(&names, sn_words[SN_W_TYPE], NULL);
    sn_cands_add(&names, sn_words[SN_W_SCALE], NULL);
    sn_cands_add(&names, sn_words[SN_W_ZP], NULL);
    if (v && sn_var_attr(sc->rs, v, sn_words[SN_W_CLAMP])) {
        sn_cands_add(&names, sn_words[SN_W_CALIBRATED], NULL);
        if (!n)
            sn_cands_add(&names, sn_words[SN_W_CLAMP], NULL);
    }
    for (uint32_t i = 0; n && i < n->nall; i++)
        sn_cands_add(&names, n->all[i]->name, &n->all[i]->pos);
    for (uint32_t i = 0; n && i < n->nin; i++)
        sn_cands_add(&names, n->in[i]->name, &n->in[i]->pos);
    const char *of = n ? n->name : sn_expr_str(sc->rs->a, e->kid[0]);
    if (!n && v && v->pat && v->pat->cls)
        of = sn_format(sc->rs->a, "every node of class %s", v->pat->cls->name);
    sn_resolve_unknown(sc->rs, e->pos, "attribute", e->s, of, &names);
    if (clamp && n && !n->clamp)
        sn_diag_help(sc->rs->d,
                     "%s has no clamp of its own: what it gives "
                     "saturates as its type does, %s.type",
                     n->name, sn_expr_str(sc->rs->a, e->kid[0]));
    return SN_TY_NONE;
}

/* n.attr, n.port, n.calibrated of a matched node. */
static SnTy
node_member(SnScope *sc, SnExpr *e, const SnDefVar *v)
{
    const SnDefNode *n = sn_var_node(v);
    const SnDefAttr *a = sn_var_attr(sc->rs, v, e->s);

    if ((n && sn_resolve_bad(sc->rs, n)) ||
        (v->pat && !v->pat->node && !v->pat->cls))
        return SN_TY_NONE;
    if (a) {
        e->rk = SN_R_ATTR;
        e->ref = a;
        return sn_attr_ty(a);
    }
    if (e->word == SN_W_CALIBRATED &&
        sn_var_attr(sc->rs, v, sn_words[SN_W_CLAMP]))
        return SN_TY_BOOL;
    const SnDefPort *p = n ? sn_def_port(n, e->s) : NULL;
    if (!p)
        return member_unknown(sc, e, v);
    e->rk = SN_R_PORT;
    e->ref = p;
    return SN_TY_VALUE;
}

static SnTy
expr_member(SnScope *sc, SnExpr *e)
{
    SnExpr *k = e->kid[0];
    const SnDefAttr *words = sc->enum_of;

    sc->enum_of = NULL;
    SnTy t = sn_resolve_expr(sc, k);
    sc->enum_of = words;
    if (t == SN_TY_NONE)
        return t;
    if (t == SN_TY_NODE && k->rk == SN_R_VAR &&
        sn_var_attr(sc->rs, k->ref, e->s)) /* also one called scale or zp */
        return node_member(sc, e, k->ref);
    if (t == SN_TY_ETYPE || is_value(t)) {
        if (e->word == SN_W_TYPE && t != SN_TY_ETYPE)
            return SN_TY_ETYPE;
        if (e->word == SN_W_SCALE)
            return SN_TY_REAL;
        if (e->word == SN_W_ZP)
            return SN_TY_INT;
    }
    if (t == SN_TY_NODE && k->rk == SN_R_VAR)
        return node_member(sc, e, k->ref);
    if (is_value(t))
        return member_unknown(sc, e, k->rk == SN_R_VAR ? k->ref : NULL);
    sn_resolve_mismatch(sc, k,
                        sn_format(sc->rs->a, "something with a .%s", e->s));
    return SN_TY_NONE;
}

/* ---- lists, indices, types with scales ---- */

static SnTy
expr_list(SnScope *sc, SnExpr *e)
{
    bool wild = false, real = false, ok = true;

    for (uint32_t i = 0; i < e->nkid; i++) {
        SnExpr *k = e->kid[i];
        SnTy t = k->ek == SN_E_WILD ? SN_TY_NONE : sn_resolve_expr(sc, k);
        if (k->ek == SN_E_WILD)
            wild = true;
        else if (t == SN_TY_REAL)
            real = true;
        else if (t != SN_TY_INT) {
            ok = false;
            sn_resolve_mismatch(sc, k, "a number");
        }
    }
    if (!ok)
        return SN_TY_NONE;
    if (wild && e->nkid != 2)
        return sn_resolve_fail(sc, e->pos,
                               "'_' is a side of a clamp [low, high]");
    return wild ? SN_TY_RANGE : real ? SN_TY_REALS : SN_TY_INTS;
}

static SnTy
expr_index(SnScope *sc, SnExpr *e)
{
    SnTy t = sn_resolve_expr(sc, e->kid[0]);

    for (uint32_t i = 1; i < e->nkid; i++)
        if (sn_resolve_expr(sc, e->kid[i]) != SN_TY_INT)
            return sn_resolve_mismatch(sc, e->kid[i], "an int");
    if (t == SN_TY_ETYPE && sc->kind == SN_SC_TEST)
        return t;
    if (t == SN_TY_NONE)
        return t;
    if (!sn_ty_is_list(t))
        return sn_resolve_mismatch(sc, e->kid[0], "a list");
    if (e->nkid != 2)
        return sn_resolve_fail(sc, e->pos, "a list takes one index");
    const SnExpr *k = e->kid[0], *i = e->kid[1];
    const SnDefAttr *a = k->rk == SN_R_ATTR ? k->ref : NULL;
    if (a && a->fixed && i->ek == SN_E_INT && i->i >= (int64_t)a->fixed)
        return sn_resolve_fail(sc, e->pos,
                               sn_format(sc->rs->a,
                                         "'%s' has %u elements, counted "
                                         "from 0",
                                         a->name, a->fixed));
    return t == SN_TY_INTS ? SN_TY_INT : SN_TY_REAL;
}

/* ---- calls ---- */

static bool
arg_attr(SnScope *sc, SnExpr *e)
{
    if (e->ek != SN_E_NAME)
        return false;
    for (uint32_t i = 0; i < sc->rs->defs->nnode; i++) {
        const SnDefAttr *a = sn_def_attr(sc->rs->defs->node[i], e->s);
        if (a) {
            e->rk = SN_R_ATTR;
            e->ref = a;
            return true;
        }
    }
    return false;
}

/* Checks one argument; true also when an error was already reported. */
static bool
arg_ok(SnScope *sc, SnExpr *e, char want)
{
    const char *what;
    bool ok;
    SnTy t;

    if (want == 'O' && e->ek == SN_E_WILD)
        return true;
    if (want == 'A') {
        ok = arg_attr(sc, e);
        if (!ok)
            sn_resolve_fail(sc, e->pos, "expected the name of an attribute");
        return ok;
    }
    if (want == 'K') {
        if (e->ek != SN_E_NAME) {
            sn_resolve_fail(sc, e->pos, "expected the name of a node");
            return false;
        }
        e->rk = SN_R_NODE;
        e->ref = sn_resolve_node(sc->rs, e->pos, e->s);
        sc->bad |= !e->ref;
        return e->ref != NULL;
    }
    t = sn_resolve_expr(sc, e);
    if (t == SN_TY_NONE)
        return false;
    switch (want) {
    case 'V':
        ok = is_value(t);
        what = "a value";
        break;
    case 'I':
        ok = t == SN_TY_INT;
        what = "an int";
        break;
    case 'L':
        ok = t == SN_TY_INTS;
        what = "a list of ints";
        break;
    case 'R':
        ok = t == SN_TY_RANGE;
        what = "a clamp";
        break;
    case 'C':
        ok = t == SN_TY_RANGE || t == SN_TY_ETYPE || t == SN_TY_REACH;
        what = "a clamp, a type or reach(..)";
        break;
    case 'T':
        ok = t == SN_TY_ETYPE || is_value(t);
        what = "a type";
        break;
    case 'E':
        ok = t == SN_TY_ETYPE;
        what = "a type";
        break;
    default: /* N, O */
        ok = sn_ty_is_num(t);
        what = "a number";
        break;
    }
    if (!ok)
        sn_resolve_mismatch(sc, e, what);
    return ok;
}

static SnTy
call_fn(SnScope *sc, SnExpr *e)
{
    const SnFnWord *f = &sn_fns[e->fn];
    size_t n = strlen(f->args);

    e->rk = SN_R_FUNC;
    if (e->nkid != n) {
        sn_error(sc->rs->d, e->pos, "SN102", "%s takes %zu argument%s, not %u",
                 f->word, n, n == 1 ? "" : "s", e->nkid);
        sc->bad = true;
        return SN_TY_NONE;
    }
    bool ok = true, whole = true;
    for (uint32_t i = 0; i < e->nkid; i++) {
        ok &= arg_ok(sc, e->kid[i], f->args[i]);
        whole &= e->kid[i]->ty == SN_TY_INT;
    }
    if (e->fn == SN_FN_SUPPORTS && ok && !sc->needs)
        return sn_resolve_fail(sc, e->pos,
                               "'supports' stands in 'requires', not in a "
                               "condition");
    if (!ok)
        return SN_TY_NONE;
    /* an integer, for integers */
    return f->max && f->ty == SN_TY_INT && !whole ? SN_TY_REAL : f->ty;
}

/* A function of other places: names them, and lists the functions of this
 * place. */
static SnTy
elsewhere(SnScope *sc, const SnExpr *e)
{
    unsigned in = sn_fns[e->fn].in;
    SnBuf b;

    sn_error(sc->rs->d, e->pos, "SN101", "function '%s' is not allowed here",
             e->s);
    if (!in) {
        sn_diag_help(sc->rs->d, "use it in %s",
                     sn_fns[e->fn].row ? "rows of arithmetics"
                                       : "formulas of nodes");
        return SN_TY_NONE;
    }
    sn_buf_init(&b, sc->rs->a);
    for (uint32_t i = 0; sc->kind == SN_SC_ATTR && i < sc->node->nall; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", sc->node->all[i]->name);
    if (sc->kind == SN_SC_ATTR)
        sn_diag_help(
            sc->rs->d, "a condition about the attributes of %s alone%s%s",
            sc->node->name, b.n ? ": " : "; it has none", sn_buf_str(&b));
    else
        sn_diag_help(sc->rs->d, "use it in %s",
                     in == SN_IN_RULE   ? "rules"
                     : in & SN_IN_SHAPE ? "rules, invariants and shapes"
                                        : "rules and tests");
    return SN_TY_NONE;
}

static SnTy
expr_call(SnScope *sc, SnExpr *e)
{
    SnCands v = sn_cands(sc->rs);

    if (sc->kind == SN_SC_FORMULA)
        return sn_resolve_formula_call(sc, e);
    if (e->fn == SN_FN_COUNT && sc->kind == SN_SC_TEST)
        e->fn = SN_FN_COUNT_KIND;
    if (sn_fns[e->fn].in >> sc->kind & 1)
        return call_fn(sc, e);
    if (sn_def_type(sc->rs->defs, e->s))
        return sn_resolve_type_with(sc, e);
    sc->bad = true;
    if (sn_fns[e->fn].in || sn_fns[e->fn].max || sn_fns[e->fn].row)
        return elsewhere(sc, e);
    for (int f = SN_FN_NONE; f < SN_NFN; f++)
        if (sn_fns[f].in >> sc->kind & 1)
            sn_cands_add(&v, sn_fns[f].word, NULL);
    sn_resolve_unknown(sc->rs, e->pos, "function", e->s, NULL, &v);
    return SN_TY_NONE;
}

static SnTy
expr_type(SnScope *sc, SnExpr *e)
{
    switch (e->ek) {
    case SN_E_INT:
        return SN_TY_INT;
    case SN_E_REAL:
        return SN_TY_REAL;
    case SN_E_STR:
        return SN_TY_STR;
    case SN_E_BOOL:
        return SN_TY_BOOL;
    case SN_E_WILD:
        return sn_resolve_fail(sc, e->pos, "'_' has no value here");
    case SN_E_NAME:
        return expr_name(sc, e);
    case SN_E_LIST:
        return expr_list(sc, e);
    case SN_E_MEMBER:
        return expr_member(sc, e);
    case SN_E_INDEX:
        return expr_index(sc, e);
    case SN_E_CALL:
        return expr_call(sc, e);
    case SN_E_ARG:
        return sn_resolve_fail(sc, e->pos,
                               "a named argument has no place here");
    case SN_E_RATIO:
        return sn_resolve_fail(sc, e->pos,
                               "'v : ratio' is an argument of a scale, in a "
                               "row of an arithmetic");
    case SN_E_NOT:
    case SN_E_NEG:
    case SN_E_BIN:
    case SN_E_IN:
        return sn_resolve_operator(sc, e);
    }
    return SN_TY_NONE;
}

SnTy
sn_resolve_expr(SnScope *sc, SnExpr *e)
{
    SnTy t = expr_type(sc, e);
    e->ty = t;
    return t;
}
