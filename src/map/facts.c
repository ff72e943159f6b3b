// SPDX-License-Identifier: Apache-2.0
/* Facts of declarations.
 *
 * Whether axes may stand in another order follows by parametricity: a map that
 * has no name for a single axis cannot tell them apart.  There are two forms.
 * In the first, operands and result are one run of axes, and lists along it are
 * only worked on element by element, or as sets.  In the second one axis is
 * named by a parameter; the runs around it are carried, and nothing else looks
 * at them: which axes stand before the named one depends on the order. */
#include "map/facts.h"

#include <stddef.h>
#include <stdint.h>

/* ---- in place ---- */

static bool
reads_in_place(const SnMapDecl *d, const SnMapStmt *read, const SnMapStmt *res)
{
    const SnMapParam *p = &d->param[read->param];

    if (read->when >= 0 || read->els != SN_ME_NONE || read->which >= 0 ||
        p->nitem != res->n)
        return false;
    for (unsigned k = 0; k < res->n; k++) {
        const SnMapExpr *at = &d->expr[read->index[k]];
        const SnMapExpr *e = &d->expr[res->bound[k].e];
        if (at->op != SN_MO_NAME || at->v != res->bound[k].slot ||
            res->bound[k].when >= 0 || e->op != SN_MO_NAME ||
            e->v != p->item[k].slot)
            return false;
    }
    return true;
}

bool
sn_map_in_place(const SnMapDecl *d)
{
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);

    if (!res || sn_map_stmt(d, SN_MS_TAPS) || !sn_map_stmt(d, SN_MS_READ))
        return false;
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_READ &&
            !reads_in_place(d, &d->stmt[i], res))
            return false;
    return true;
}

bool
sn_map_repeats(const SnMapDecl *d)
{
    for (unsigned i = 0; i < d->nparam; i++)
        for (unsigned k = 0; k < d->param[i].nitem; k++)
            if (d->param[i].item[k].kind == SN_MI_JOIN)
                return true;
    return false;
}

/* ---- axes in another order ---- */

typedef struct Form {
    const SnMapDecl *d;
    int run;                 /* all axes; -1 in the second form: */
    int before, after;       /* the runs around the named axis */
    int before_at, after_at; /* places along them */
    int pieces;              /* its dimension, where operands differ; or -1 */
} Form;

/* What a list goes along. */
enum { NUMBER = -1 };

static const SnMapStmt *
let_of(const SnMapDecl *d, int slot)
{
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_LET && d->stmt[i].slot == slot)
            return &d->stmt[i];
    return NULL;
}

static const SnMapParam *
param_of(const SnMapDecl *d, int slot)
{
    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].kind != SN_MP_OPERAND && d->param[i].slot == slot)
            return &d->param[i];
    return NULL;
}

static int along(const SnMapDecl *d, int32_t at);

/* The slot of a run, of a dimension that differs between operands, or of a list
 * that has a length of its own. */
static int
along_slot(const SnMapDecl *d, int slot)
{
    const SnMapParam *p = param_of(d, slot);
    const SnMapStmt *s = let_of(d, slot);

    if (!d->slot[slot].list)
        return NUMBER;
    if (s)
        return along(d, s->e);
    if (p)
        return p->length == SN_ML_RUN ? along_slot(d, p->along) : slot;
    for (unsigned i = 0; i < d->nstmt; i++)
        for (unsigned k = 0; d->stmt[i].bound && k < d->stmt[i].n; k++)
            if (d->stmt[i].bound[k].slot == slot)
                return along(d, d->stmt[i].bound[k].e);
    for (unsigned i = 0; i < d->nparam; i++)
        for (unsigned k = 0; k < d->param[i].nitem; k++) {
            const SnMapItem *m = &d->param[i].item[k];
            if (m->slot == slot && m->kind == SN_MI_ALONG)
                return along_slot(d, m->along);
        }
    return slot;
}

static int
along_half(const SnMapDecl *d, const SnMapExpr *list)
{
    const SnMapParam *p =
        list->op == SN_MO_NAME ? param_of(d, (int)list->v) : NULL;

    return p && p->length == SN_ML_PAIR ? along_slot(d, p->along) : NUMBER;
}

/* What the list that an expression gives goes along, or NUMBER. */
static int
along(const SnMapDecl *d, int32_t at)
{
    const SnMapExpr *e = &d->expr[at];

    switch ((SnMapOp)e->op) {
    case SN_MO_NAME:
        return along_slot(d, (int)e->v);
    case SN_MO_ELEM:
        return along(d, e->kid + 1);
    case SN_MO_HALF:
        return along_half(d, &d->expr[e->kid]);
    case SN_MO_UNFLAT:
        return along(d, e->kid + 1);
    case SN_MO_IN:
    case SN_MO_AXIS:
    case SN_MO_BEFORE:
    case SN_MO_INVERSE:
        return along(d, e->kid);
    case SN_MO_DATA:
    case SN_MO_COUNT:
    case SN_MO_PRODUCT:
    case SN_MO_SUM:
    case SN_MO_LAST:
    case SN_MO_FLAT:
    case SN_MO_DEFINED:
        return NUMBER;
    default:
        break;
    }
    for (unsigned k = 0; k < e->nkid; k++) {
        int r = along(d, e->kid + (int32_t)k);
        if (r != NUMBER)
            return r;
    }
    return NUMBER;
}

static bool
is_axes(const Form *f, int32_t at)
{
    const SnMapExpr *e = &f->d->expr[at];
    const SnMapParam *p =
        e->op == SN_MO_NAME ? param_of(f->d, (int)e->v) : NULL;

    return p && p->kind == SN_MP_AXES;
}

/* A name by itself: no number of an axis, nothing of the runs around one. */
static bool
is_blind_name(const Form *f, int slot)
{
    const SnMapParam *p = param_of(f->d, slot);

    if (p && (p->kind == SN_MP_AXIS || p->kind == SN_MP_AXES))
        return false;
    return f->run >= 0 || (slot != f->before && slot != f->after &&
                           slot != f->before_at && slot != f->after_at);
}

static bool blind(const Form *f, int32_t at);

static bool
blind_in(const Form *f, const SnMapExpr *e)
{
    const SnMapExpr *x = &f->d->expr[e->kid];

    if (!is_axes(f, e->kid + 1))
        return blind(f, e->kid) && blind(f, e->kid + 1);
    return x->op == SN_MO_AXIS && f->run >= 0 && along(f->d, x->kid) == f->run;
}

/* Does the expression say the same whatever the order of axes?  If it is a list
 * along them: in that order. */
static bool
blind(const Form *f, int32_t at)
{
    const SnMapExpr *e = &f->d->expr[at];
    bool pieces =
        f->pieces >= 0 && e->nkid > 0 && along(f->d, e->kid) == f->pieces;

    switch ((SnMapOp)e->op) {
    case SN_MO_NAME:
        return is_blind_name(f, (int)e->v);
    case SN_MO_COUNT:
        return is_axes(f, e->kid) || blind(f, e->kid);
    case SN_MO_IN:
        return blind_in(f, e);
    case SN_MO_ELEM: /* of pieces: they are operands, not axes */
    case SN_MO_LAST:
    case SN_MO_BEFORE:
        if (!pieces)
            return false;
        break;
    case SN_MO_AXIS:
    case SN_MO_DATA:
    case SN_MO_FLAT:
    case SN_MO_UNFLAT:
    case SN_MO_INVERSE:
    case SN_MO_ASCENDS:
        return false;
    default:
        break;
    }
    for (unsigned k = 0; k < e->nkid; k++)
        if (!blind(f, e->kid + (int32_t)k))
            return false;
    return true;
}

/* ---- its statements ---- */

static bool
is_name(const SnMapDecl *d, int32_t at, int slot)
{
    return d->expr[at].op == SN_MO_NAME && d->expr[at].v == slot;
}

/* A place in an operand, item by item of its pattern. */
static bool
free_place(const Form *f, const SnMapStmt *s)
{
    if (f->run >= 0)
        return along(f->d, s->index[0]) == f->run && blind(f, s->index[0]);
    return is_name(f->d, s->index[0], f->before_at) && blind(f, s->index[1]) &&
           is_name(f->d, s->index[2], f->after_at);
}

/* Conditions and numbers. */
static bool
free_numbers(const Form *f, const SnMapStmt *s)
{
    return (s->e < 0 || blind(f, s->e)) && (s->when < 0 || blind(f, s->when));
}

static bool
free_stmt(const Form *f, const SnMapStmt *s)
{
    switch ((SnMapStmtKind)s->kind) {
    case SN_MS_RESULT: /* find_form */
    case SN_MS_PRIMITIVE:
        return true;
    case SN_MS_TAPS: /* a box along axes is gone through in their order, which
                        sums of reals and places of maxima show */
        for (unsigned k = 0; k < s->n; k++) {
            int by = along(f->d, s->bound[k].e);
            if ((by != NUMBER && by != f->pieces) || !blind(f, s->bound[k].e))
                return false;
        }
        return true;
    case SN_MS_READ:
        return free_place(f, s) && (s->when < 0 || blind(f, s->when)) &&
               (s->which < 0 || blind(f, s->which));
    case SN_MS_CENTRE:
        return free_place(f, s);
    case SN_MS_BESIDE: /* an axis each */
        for (unsigned k = 0; k < s->n; k++)
            if (along(f->d, s->index[k]) != NUMBER || !blind(f, s->index[k]))
                return false;
        return true;
    default:
        return free_numbers(f, s);
    }
}

/* ---- its operands and parameters ---- */

static bool
same_items(const SnMapParam *a, const SnMapParam *b)
{
    if (a->nitem != b->nitem)
        return false;
    for (unsigned k = 0; k < a->nitem; k++)
        if (a->item[k].slot != b->item[k].slot ||
            (a->item[k].kind == SN_MI_AT) != (b->item[k].kind == SN_MI_AT) ||
            a->item[k].along != b->item[k].along)
            return false;
    return true;
}

/* The form of the operands' patterns, all alike, and of the result, which is
 * along the same axes. */
static bool
find_form(const SnMapDecl *d, Form *f)
{
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);
    const SnMapParam *x = NULL;

    for (unsigned i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        if (p->kind != SN_MP_OPERAND)
            continue;
        if (p->data || (x && !same_items(x, p)))
            return false;
        x = p;
    }
    if (!x || !res || res->n != x->nitem)
        return false;
    for (unsigned k = 0; k < res->n; k++)
        if (res->bound[k].when >= 0)
            return false;
    const SnMapBound *b = res->bound;
    const SnMapItem *m = x->item;
    *f = (Form){d, -1, -1, -1, -1, -1, -1};
    if (x->nitem == 1 && (m->kind == SN_MI_RUN || m->kind == SN_MI_JOIN)) {
        f->run = m->slot;
        return along(d, b->e) == f->run && blind(f, b->e);
    }
    if (x->nitem != 3 || m[0].kind != SN_MI_RUN || m[1].kind != SN_MI_AT ||
        m[2].kind != SN_MI_RUN)
        return false;
    f->before = m[0].slot;
    f->after = m[2].slot;
    f->before_at = b[0].slot;
    f->after_at = b[2].slot;
    f->pieces = m[1].vary ? m[1].slot : -1;
    return is_name(d, b[0].e, f->before) && is_name(d, b[2].e, f->after) &&
           along(d, b[1].e) == NUMBER && blind(f, b[1].e);
}

static bool
free_param(const Form *f, const SnMapParam *p)
{
    if (p->kind == SN_MP_OPERAND || p->kind == SN_MP_AXIS ||
        p->kind == SN_MP_AXES)
        return true;
    if (p->dflt >= 0 && !blind(f, p->dflt))
        return false;
    return p->length == SN_ML_ONE || (p->length != SN_ML_OWN && f->run >= 0 &&
                                      along_slot(f->d, p->along) == f->run);
}

bool
sn_map_axes_free(const SnMapDecl *d)
{
    Form f;

    if (!find_form(d, &f))
        return false;
    for (unsigned i = 0; i < d->nparam; i++)
        if (!free_param(&f, &d->param[i]))
            return false;
    for (unsigned i = 0; i < d->nstmt; i++)
        if (!free_stmt(&f, &d->stmt[i]))
            return false;
    return true;
}

/* Is a place in the result part of the expression? */
static bool
reads_place(const SnMapDecl *d, int32_t at)
{
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);

    if (at < 0)
        return false;
    const SnMapExpr *e = &d->expr[at];
    for (unsigned k = 0; e->op == SN_MO_NAME && k < res->n; k++)
        if (res->bound[k].slot == e->v)
            return true;
    for (unsigned k = 0; k < e->nkid; k++)
        if (reads_place(d, e->kid + (int32_t)k))
            return true;
    const SnMapStmt *let = e->op == SN_MO_NAME ? let_of(d, (int)e->v) : NULL;
    return let && reads_place(d, let->e);
}

bool
sn_map_set_varies(const SnMapDecl *d)
{
    const SnMapStmt *taps = sn_map_stmt(d, SN_MS_TAPS);
    bool varies = false;

    for (unsigned i = 0; taps && i < d->nstmt; i++)
        varies |=
            d->stmt[i].kind == SN_MS_READ && reads_place(d, d->stmt[i].when);
    for (unsigned k = 0; taps && k < taps->n; k++)
        varies |= reads_place(d, taps->bound[k].e) ||
                  reads_place(d, taps->bound[k].when);
    return varies;
}

unsigned
sn_map_axis_param(const SnMapDecl *d)
{
    unsigned x = 0, i = 0;

    while (d->param[x].kind != SN_MP_OPERAND)
        x++;
    while (d->param[i].slot != d->param[x].item[1].along)
        i++;
    return i;
}

bool
sn_map_regroups(const SnMapDecl *d)
{
    Form f;

    if (!sn_map_axes_free(d) || !find_form(d, &f) || f.run >= 0)
        return false;
    for (unsigned i = 0; i < d->nexpr; i++)
        if (d->expr[i].op == SN_MO_RANK)
            return false;
    /* numbers of other axes are those of operands that are not regrouped */
    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].kind == SN_MP_AXES ||
            (d->param[i].kind == SN_MP_AXIS && i != sn_map_axis_param(d)))
            return false;
    return true;
}

SnMapAxisUse
sn_map_axis_use(const SnMapDecl *d, unsigned i)
{
    const SnMapParam *p = &d->param[i];

    if (p->kind == SN_MP_OPERAND)
        return SN_MX_NONE;
    return p->kind == SN_MP_AXIS     ? SN_MX_INDEX
           : p->kind == SN_MP_AXES   ? SN_MX_LIST
           : p->length == SN_ML_RUN  ? SN_MX_EACH
           : p->length == SN_ML_PAIR ? SN_MX_PAIRS
                                     : SN_MX_NONE;
}

/* ---- what lies beside ---- */

static bool
names_tap(const SnMapDecl *d, int32_t at, const SnMapStmt *taps)
{
    const SnMapExpr *e = &d->expr[at];
    const SnMapStmt *let = e->op == SN_MO_NAME ? let_of(d, (int)e->v) : NULL;

    for (unsigned k = 0; e->op == SN_MO_NAME && k < taps->n; k++)
        if (taps->bound[k].slot == e->v)
            return true;
    if (let && names_tap(d, let->e, taps))
        return true;
    for (unsigned k = 0; k < e->nkid; k++)
        if (names_tap(d, e->kid + (int32_t)k, taps))
            return true;
    return false;
}

bool
sn_map_beside_tap(const SnMapDecl *d)
{
    const SnMapStmt *taps = sn_map_stmt(d, SN_MS_TAPS);
    const SnMapStmt *s = sn_map_stmt(d, SN_MS_BESIDE);

    for (unsigned k = 0; taps && s && k < s->n; k++)
        if (names_tap(d, s->index[k], taps))
            return true;
    return false;
}

/* The place of a bare name among bounds; -1: none. */
static int
bound_at(const SnMapDecl *d, int32_t at, const SnMapStmt *of)
{
    const SnMapExpr *e = &d->expr[at];

    for (int k = 0; e->op == SN_MO_NAME && k < of->n; k++)
        if (of->bound[k].slot == e->v)
            return k;
    return -1;
}

bool
sn_map_rows(const SnMapDecl *d)
{
    const SnMapStmt *taps = sn_map_stmt(d, SN_MS_TAPS);
    const SnMapStmt *res = sn_map_stmt(d, SN_MS_RESULT);
    const SnMapStmt *beside = sn_map_stmt(d, SN_MS_BESIDE);
    const SnMapStmt *first = sn_map_stmt(d, SN_MS_READ), *w = NULL;
    uint64_t seen = 0;

    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_READ && &d->stmt[i] != first)
            w = &d->stmt[i];
    if (!taps || !res || !beside || beside->n != 1 || !w || w->n < 1 ||
        sn_map_count(d, SN_MS_READ) != 2 || first->param != 0 || w->param != 1)
        return false;
    int row = bound_at(d, w->index[0], res);
    if (row < 0 || row != bound_at(d, beside->index[0], res))
        return false;
    for (unsigned k = 1; k < w->n; k++) {
        int t = bound_at(d, w->index[k], taps);
        if (t < 0 || t > 63 || seen >> t & 1)
            return false;
        seen |= UINT64_C(1) << t;
    }
    return w->n == taps->n + 1;
}
