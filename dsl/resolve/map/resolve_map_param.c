// SPDX-License-Identifier: Apache-2.0
/* Parameters of maps: patterns of operands, types of the others, defaults. */
#include "dsl/resolve/map/map_scope.h"

#include <string.h>

/* ---- patterns ---- */

static SnMapKind
item_kind(const SnMapScope *ms, int p, const SnDefMapItem *x, int run)
{
    SnMapKind k = {.ty = SN_TY_INT};

    if (x->each) {
        k.span = SN_MK_EACH;
        k.of = (int16_t)p;
    } else if (x->kind == SN_MI_ALONG) {
        k = ms->var[run].kind;
    } else if (x->kind == SN_MI_RUN || x->kind == SN_MI_JOIN) {
        k.span = SN_MK_RUN;
        k.of = (int16_t)ms->nvar; /* itself */
    }
    return k;
}

/* The slot of a name of a pattern; names of equal spelling are equal. */
static int
item_slot(SnMapScope *ms, const SnDefMapItem *x, SnMapKind k)
{
    int i = sn_resolve_map_find(ms, x->name);
    bool axes =
        x->kind == SN_MI_RUN || x->kind == SN_MI_JOIN || x->kind == SN_MI_ALONG;

    if (i < 0 || (uint32_t)i < ms->m->nparam || x->each) {
        i = sn_resolve_map_bind(ms, x->name, x->pos, k, SN_MK_SHAPE);
        if (i >= 0)
            ms->var[i].axes = axes;
        return i;
    }
    const SnMapName *was = &ms->var[i];
    bool same = x->kind == SN_MI_RUN || x->kind == SN_MI_JOIN
                    ? was->axes
                    : was->kind.span == k.span && was->kind.of == k.of;
    if (same)
        return i;
    sn_resolve_map_fault(
        ms, x->pos, "SN181", "'%s' is %s here", x->name,
        x->kind == SN_MI_ALONG
            ? sn_format(ms->rs->a, "a run along '%s'", x->along)
        : axes ? "a run of axes"
               : "one dimension");
    sn_diag_span(ms->rs->d, was->pos, "here it is %s",
                 sn_resolve_map_kind_str(ms, was->kind));
    return -1;
}

/* The expression in brackets or after '@'; -1 if it is faulty. */
static int
item_along(SnMapScope *ms, int p, const SnDefMapItem *x)
{
    int i = x->along ? sn_resolve_map_find(ms, x->along) : -1;

    if (x->kind == SN_MI_AT && i >= 0 && (uint32_t)i < ms->m->nparam &&
        ms->param[i].kind == SN_MP_AXIS && ms->param[i].along == p)
        return i;
    if (x->kind == SN_MI_ALONG && i >= 0 && ms->var[i].axes)
        return i;
    if (x->kind == SN_MI_AT) {
        sn_resolve_map_fault(ms, x->along_pos, "SN181",
                             "'%s' is no parameter that gives an axis of '%s'",
                             x->along, ms->m->param[p]->name);
        sn_diag_help(ms->rs->d, "%s : axis(%s)", x->along,
                     ms->m->param[p]->name);
    } else {
        sn_resolve_map_fault(ms, x->along_pos, "SN181",
                             "'%s' is no run of axes that stands before '%s'",
                             x->along, x->name);
    }
    return -1;
}

static void
item(SnMapScope *ms, int p, const SnDefMapItem *x, SnMapItem *out)
{
    const SnDefMapParam *q = ms->m->param[p];
    int along = -1;

    *out = (SnMapItem){.kind = (uint8_t)x->kind,
                       .vary = x->each != NULL,
                       .slot = -1,
                       .along = -1};
    if (x->kind == SN_MI_ALONG || x->kind == SN_MI_AT) {
        along = item_along(ms, p, x);
        if (along < 0)
            return;
    }
    if (x->each && (strcmp(x->each, q->name) || !q->variadic)) {
        sn_resolve_map_fault(
            ms, x->each_pos, "SN181",
            "'%s[%s]' says that dimensions of the operands '%s...' "
            "differ; this operand is '%s%s'",
            x->name, x->each, x->each, q->name, q->variadic ? "..." : "");
        return;
    }
    out->along = (int16_t)along;
    out->slot = (int16_t)item_slot(ms, x, item_kind(ms, p, x, along));
}

/* Runs whose lengths are not known from elsewhere: one, or one on each side
 * of an '@'. */
static void
unknown_runs(SnMapScope *ms, int p, const uint32_t *nvar)
{
    const SnDefMapParam *q = ms->m->param[p];
    uint32_t nat = 0, nrun = 0, nmaybe = 0;

    for (uint32_t i = 0; i < q->nitem; i++)
        nat += q->item[i].kind == SN_MI_AT;
    for (uint32_t i = 0; i < q->nitem && !ms->bad; i++) {
        const SnDefMapItem *x = &q->item[i];
        if (x->kind == SN_MI_AT && nat > 1) {
            sn_resolve_map_fault(
                ms, x->pos, "SN181",
                "'%s' has two dimensions at an axis, at most one is "
                "found",
                q->name);
        } else if (x->kind == SN_MI_AT) {
            nrun = 0;
        } else if (x->kind == SN_MI_MAYBE && nmaybe++) {
            sn_resolve_map_fault(ms, x->pos, "SN181",
                                 "only one dimension of '%s' may be absent",
                                 q->name);
        } else if ((x->kind == SN_MI_RUN || x->kind == SN_MI_JOIN) &&
                   (nat || (uint32_t)ms->param[p].item[i].slot >= nvar[p]) &&
                   nrun++) {
            sn_resolve_map_fault(ms, x->pos, "SN181",
                                 "how many axes of '%s' belong to '%s'?",
                                 q->name, x->name);
            sn_diag_help(ms->rs->d,
                         "an operand has one run of unknown length, or one on "
                         "each side of an '@'");
        }
    }
}

static void
patterns(SnMapScope *ms)
{
    uint32_t *nvar = SN_NEW_N(ms->rs->a, uint32_t, ms->m->nparam + 1);
    const SnDefMapParam *many = NULL;

    for (uint32_t p = 0; p < ms->m->nparam; p++) {
        const SnDefMapParam *q = ms->m->param[p];
        if (ms->param[p].kind != SN_MP_OPERAND)
            continue;
        if (q->variadic && many)
            sn_resolve_map_fault(ms, q->pos, "SN181",
                                 "'%s...' and '%s...': one operand "
                                 "of a map may be several",
                                 many->name, q->name);
        many = q->variadic ? q : many;
        if (q->nitem > UINT8_MAX) {
            sn_resolve_map_fault(ms, q->pos, "SN180", "map %s is too large",
                                 ms->m->name);
            return;
        }
        SnMapItem *it = SN_NEW_N(ms->rs->a, SnMapItem, q->nitem);
        nvar[p] = ms->nvar;
        for (uint32_t i = 0; i < q->nitem; i++)
            item(ms, (int)p, &q->item[i], &it[i]);
        ms->param[p].nitem = (uint8_t)q->nitem;
        ms->param[p].item = it;
        if (!ms->bad)
            unknown_runs(ms, (int)p, nvar);
    }
}

/* ---- types ---- */

static void
operand(SnMapScope *ms, uint32_t p)
{
    const SnDefMapParam *q = ms->m->param[p];
    SnMapParam *out = &ms->param[p];

    out->kind = SN_MP_OPERAND;
    out->variadic = q->variadic;
    ms->var[p].kind = (SnMapKind){.ty = SN_TY_VALUE, .of = (int16_t)p};
    SnMapType type = q->type ? sn_map_type_named(q->type) : SN_MT_NONE;
    if (q->type && type != SN_MT_INT && type != SN_MT_CODE) {
        sn_resolve_map_fault(ms, q->type_pos, "SN183",
                             "the map reads elements as int or code, not '%s'",
                             q->type);
    } else if (q->type) {
        out->data = type == SN_MT_INT ? 'i' : 'c';
    }
}

static void
words(SnMapScope *ms, uint32_t p)
{
    const SnDefMapParam *q = ms->m->param[p];
    const char **w = SN_NEW_N(ms->rs->a, const char *, q->word.n + 1);

    for (uint32_t i = 0; i < q->word.n; i++) {
        w[i] = q->word.s[i];
        uint32_t k = sn_name_at(w, i, w[i]);
        if (k < i) {
            sn_resolve_twice(ms->rs, q->word.pos[i], "word", w[i],
                             q->word.pos[k]);
            ms->bad = true;
        }
    }
    ms->param[p].word = w;
}

/* The operand that axis(x) names, or -1. */
static int
axis_of(SnMapScope *ms, const SnDefMapParam *q)
{
    int i = sn_resolve_map_find(ms, q->of);

    if (i >= 0 && (uint32_t)i < ms->m->nparam && ms->m->param[i]->nitem)
        return i;
    sn_resolve_map_fault(ms, q->of_pos, "SN183", "'%s' is no operand of map %s",
                         q->of, ms->m->name);
    return -1;
}

static void
bad_type(SnMapScope *ms, const SnDefMapParam *q)
{
    sn_resolve_map_fault(ms, q->type_pos, "SN183",
                         "'%s' is not a type of a parameter",
                         sn_format(ms->rs->a, "%s%s", q->type,
                                   q->of       ? "(..)"
                                   : q->listed ? "[..]"
                                               : ""));
    sn_diag_help(ms->rs->d, "int, bool, real, enum {..}, int[], int[s], "
                            "int[2, s], real[s], axis(x), axes(x)");
}

static void
type(SnMapScope *ms, uint32_t p)
{
    static const SnMapParamKind kind[SN_NMAPTYPE] = {
        [SN_MT_INT] = SN_MP_INT,   [SN_MT_BOOL] = SN_MP_BOOL,
        [SN_MT_REAL] = SN_MP_REAL, [SN_MT_ENUM] = SN_MP_ENUM,
        [SN_MT_AXIS] = SN_MP_AXIS, [SN_MT_AXES] = SN_MP_AXES};
    const SnDefMapParam *q = ms->m->param[p];
    SnMapParam *out = &ms->param[p];
    SnMapType id = sn_map_type_named(q->type);
    const SnMapTypeWord *t = &sn_map_types[id];

    if (kind[id] == SN_MP_OPERAND || t->of != (q->of != NULL) ||
        (q->listed && !t->list) || (id == SN_MT_ENUM && !q->word.n)) {
        bad_type(ms, q);
        return;
    }
    out->kind = (uint8_t)kind[id];
    ms->var[p].kind = (SnMapKind){.ty = t->ty, .of = (int16_t)p};
    if (id == SN_MT_AXES) {
        ms->var[p].kind.span = SN_MK_RUN;
        out->length = SN_ML_OWN;
    }
    if (q->of)
        out->along = (int16_t)axis_of(ms, q);
    if (q->word.n)
        words(ms, p);
}

/* int[], int[s], int[2, s] */
static void
length(SnMapScope *ms, uint32_t p)
{
    const SnDefMapParam *q = ms->m->param[p];
    const SnExpr *run = q->nlen ? q->len[q->nlen - 1] : NULL;
    SnMapKind *k = &ms->var[p].kind;
    int i = run && run->ek == SN_E_NAME ? sn_resolve_map_find(ms, run->s) : -1;

    if (!run) {
        ms->param[p].length = SN_ML_OWN;
        k->span = SN_MK_RUN;
        return;
    }
    if (i < 0 || !ms->var[i].axes) {
        sn_resolve_map_fault(ms, run->pos, "SN183", "'%s' is no run of axes",
                             sn_expr_str(ms->rs->a, run));
        return;
    }
    if (q->nlen > 2 ||
        (q->nlen == 2 && (q->len[0]->ek != SN_E_INT || q->len[0]->i != 2))) {
        bad_type(ms, q);
        return;
    }
    ms->param[p].length = q->nlen == 2 ? SN_ML_PAIR : SN_ML_RUN;
    ms->param[p].along = (int16_t)i;
    k->span = q->nlen == 2 ? SN_MK_PAIR : SN_MK_RUN;
    k->of = ms->var[i].kind.of;
}

/* ---- defaults ---- */

static int32_t
default_word(SnMapScope *ms, uint32_t p)
{
    const SnDefMapParam *q = ms->m->param[p];
    SnExpr at = *q->def;
    SnMapKind k;

    at.ek = SN_E_INT;
    uint32_t i = q->def->ek == SN_E_NAME
                     ? sn_name_at(q->word.s, q->word.n, q->def->s)
                     : q->word.n;
    if (i < q->word.n) {
        at.i = i;
        return sn_resolve_map_expr(ms, &at, &k);
    }
    sn_resolve_map_fault(ms, q->def->pos, "SN183", "'%s' is no word of '%s'",
                         sn_expr_str(ms->rs->a, q->def), q->name);
    return -1;
}

static int32_t
default_of(SnMapScope *ms, uint32_t p)
{
    const SnDefMapParam *q = ms->m->param[p];
    SnMapKind want = ms->var[p].kind, k, both;

    if (!q->def)
        return -1;
    if (ms->param[p].length == SN_ML_OWN) {
        sn_resolve_map_fault(
            ms, q->def->pos, "SN183",
            "'%s' is a list of any length and can have no default", q->name);
        return -1;
    }
    if (want.ty == SN_TY_ENUM)
        return default_word(ms, p);
    ms->hidden = p;
    int32_t e = sn_resolve_map_expr(ms, q->def, &k);
    ms->hidden = UINT32_MAX;
    if (want.span == SN_MK_PAIR) /* one number for all */
        want.span = SN_MK_ONE;
    if (k.ty == SN_TY_NONE ||
        (k.ty == want.ty && sn_resolve_map_meet(want, k, &both) &&
         (k.span == SN_MK_ONE || k.span == want.span)))
        return e;
    sn_resolve_map_fault(ms, q->def->pos, "SN183",
                         "the default of '%s' is %s, expected %s", q->name,
                         sn_resolve_map_kind_str(ms, k),
                         sn_resolve_map_kind_str(ms, want));
    return -1;
}

void
sn_resolve_map_params(SnMapScope *ms)
{
    uint32_t n = ms->m->nparam;
    const SnMapKind none = {.ty = SN_TY_NONE};

    ms->param = SN_NEW_N(ms->rs->a, SnMapParam, n);
    for (uint32_t p = 0; p < n && !ms->bad; p++) {
        const SnDefMapParam *q = ms->m->param[p];
        ms->param[p] = (SnMapParam){
            .name = q->name, .slot = (int16_t)p, .along = -1, .dflt = -1};
        sn_resolve_map_bind(ms, q->name, q->pos, none, SN_MK_SHAPE);
    }
    for (uint32_t p = 0; p < n && !ms->bad; p++)
        if (ms->m->param[p]->nitem)
            operand(ms, p);
        else
            type(ms, p);
    if (!ms->bad)
        patterns(ms);
    for (uint32_t p = 0; p < n && !ms->bad; p++)
        if (ms->m->param[p]->listed)
            length(ms, p);
    for (uint32_t p = 0; p < n && !ms->bad; p++)
        ms->param[p].dflt = default_of(ms, p);
}
