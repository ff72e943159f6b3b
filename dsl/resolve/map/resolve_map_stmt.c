// SPDX-License-Identifier: Apache-2.0
/* Statements of maps, in order: each sees the names before it. */
#include "dsl/resolve/map/map_scope.h"

#include <string.h>

static const char *const word[] = {"let",    "require", "result", "taps",
                                   "read",   "centre",  "beside", "divisor",
                                   "number", "parts",   "whole",  "primitive"};

/* The first statement of a kind, or NULL. */
static const SnDefMapStmt *
first_of(const SnMapScope *ms, SnMapStmtKind k)
{
    for (uint32_t i = 0; i < ms->m->nstmt; i++)
        if (ms->m->stmt[i]->kind == k)
            return ms->m->stmt[i];
    return NULL;
}

static bool
seen(const SnMapScope *ms, SnMapStmtKind k)
{
    for (uint32_t i = 0; i < ms->nstmt; i++)
        if (ms->stmt[i].kind == k)
            return true;
    return false;
}

/* Checks that names in an expression are known at `most`. */
static void
in_time(SnMapScope *ms, SnPos at, const char *what, SnMapLevel most)
{
    if (ms->level <= most || ms->bad)
        return;
    sn_resolve_map_fault(
        ms, at, "SN180", "%s cannot depend on %s", what,
        ms->level == SN_MK_TAP ? "a tap" : "elements or a place in the result");
}

static int32_t
when(SnMapScope *ms, SnExpr *e, bool number, SnMapKind *k)
{
    int32_t at;

    if (!e)
        return -1;
    at = sn_resolve_map_cond(ms, e, "the condition", k);
    if (number && k->ty != SN_TY_NONE && k->span != SN_MK_ONE)
        sn_resolve_map_fault(ms, e->pos, "SN182",
                             "the condition '%s' is %s, expected true or false",
                             sn_expr_str(ms->rs->a, e),
                             sn_resolve_map_kind_str(ms, *k));
    return at;
}

/* ---- names and conditions ---- */

static void
let(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    SnMapKind k;

    out->e = sn_resolve_map_expr(ms, s->e, &k);
    if (k.ty == SN_TY_NONE)
        return;
    out->slot =
        (int16_t)sn_resolve_map_bind(ms, s->name, s->name_pos, k, ms->level);
}

static void
require(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    int32_t *hole = SN_NEW_N(ms->rs->a, int32_t, s->nhole);
    SnMapKind c, k, both;

    ms->elements = true;
    out->e = sn_resolve_map_cond(ms, s->e, "the condition", &c);
    for (uint32_t i = 0; i < s->nhole; i++) {
        hole[i] = sn_resolve_map_expr(ms, s->hole[i], &k);
        if (c.ty == SN_TY_NONE || k.ty == SN_TY_NONE ||
            (k.ty != SN_TY_ENUM && k.ty != SN_TY_BOOL &&
             sn_resolve_map_meet(c, k, &both) &&
             (k.span == SN_MK_ONE || k.span == c.span)))
            continue;
        sn_resolve_map_fault(
            ms, s->hole[i]->pos, "SN184",
            "the text says '%s', which is %s; the condition is %s",
            sn_expr_str(ms->rs->a, s->hole[i]), sn_resolve_map_kind_str(ms, k),
            sn_resolve_map_kind_str(ms, c));
    }
    ms->elements = false;
    out->text = s->text ? s->text
                        : sn_format(ms->rs->a, "%s does not hold",
                                    sn_expr_str(ms->rs->a, s->e));
    if (s->nhole > UINT8_MAX)
        sn_resolve_map_fault(ms, s->pos, "SN180", "map %s is too large",
                             ms->m->name);
    out->nhole = (uint8_t)s->nhole;
    out->hole = hole;
}

/* ---- the result and its sets ---- */

static SnMapKind
bound(SnMapScope *ms, const SnDefMapStmt *s, const SnDefMapBound *b,
      SnMapBound *out)
{
    bool result = s->kind == SN_MS_RESULT;
    SnMapKind k, c = {.ty = SN_TY_BOOL};

    out->e = sn_resolve_map_int(ms, b->e, "the bound", &k);
    out->when = when(ms, b->when, k.span == SN_MK_ONE, &c);
    if (b->when && !result)
        sn_resolve_map_fault(ms, b->when->pos, "SN180",
                             "only axes of the result can be left out");
    else if (!ms->bad && c.span != SN_MK_ONE &&
             (c.span != k.span || c.of != k.of))
        sn_resolve_map_fault(ms, b->when->pos, "SN182",
                             "'%s' is %s, but its condition is %s", b->name,
                             sn_resolve_map_kind_str(ms, k),
                             sn_resolve_map_kind_str(ms, c));
    in_time(ms, b->e->pos, sn_format(ms->rs->a, "the bound of '%s'", b->name),
            result ? SN_MK_SHAPE : SN_MK_PLACE);
    return k;
}

/* The names are bound after all bounds: no bound sees one. */
static void
box(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    SnMapBound *v = SN_NEW_N(ms->rs->a, SnMapBound, s->nbound);
    SnMapKind *k = SN_NEW_N(ms->rs->a, SnMapKind, s->nbound);

    if (s->nbound > UINT8_MAX) {
        sn_resolve_map_fault(ms, s->pos, "SN180", "map %s is too large",
                             ms->m->name);
        return;
    }
    for (uint32_t i = 0; i < s->nbound; i++)
        k[i] = bound(ms, s, &s->bound[i], &v[i]);
    for (uint32_t i = 0; i < s->nbound && !ms->bad; i++)
        v[i].slot = (int16_t)sn_resolve_map_bind(
            ms, s->bound[i].name, s->bound[i].pos, k[i],
            s->kind == SN_MS_RESULT ? SN_MK_PLACE : SN_MK_TAP);
    out->n = (uint8_t)s->nbound;
    out->bound = v;
}

/* ---- reads ---- */

/* x[..], or x[k][..] with k in *which: the number of x, -1 if it is faulty. */
static int
read_operand(SnMapScope *ms, const SnDefMapStmt *s, SnExpr **which)
{
    SnExpr *e = s->e, *base = e->ek == SN_E_INDEX ? e->kid[0] : NULL;
    bool two = base && base->ek == SN_E_INDEX && base->nkid == 2;
    int p = -1;

    *which = two ? base->kid[1] : NULL;
    base = two ? base->kid[0] : base;
    if (base)
        p = sn_resolve_map_operand(ms, base);
    if (p < 0) {
        sn_resolve_map_fault(ms, e->pos, "SN180",
                             "'%s' needs a place in an operand, not '%s'",
                             word[s->kind], sn_expr_str(ms->rs->a, e));
        return -1;
    }
    if (two && !ms->m->param[p]->variadic) {
        sn_resolve_map_fault(ms, e->pos, "SN180",
                             "'%s' is one operand, not several",
                             ms->m->param[p]->name);
        return -1;
    }
    for (uint32_t i = 0; i < ms->nstmt; i++)
        if (ms->stmt[i].kind == s->kind && ms->stmt[i].param == p) {
            sn_resolve_map_fault(ms, e->pos, "SN180", "a second '%s' of '%s'",
                                 word[s->kind], ms->m->param[p]->name);
            return -1;
        }
    return p;
}

static void
read(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    SnExpr *which;
    SnMapKind k;
    int p = read_operand(ms, s, &which);
    int32_t *index;

    if (p < 0)
        return;
    index = SN_NEW_N(ms->rs->a, int32_t, s->e->nkid);
    out->param = (int16_t)p;
    sn_resolve_map_places(ms, s->e->pos, p, s->e->nkid - 1, s->e->kid + 1, 0,
                          index);
    if (which) {
        out->which =
            sn_resolve_map_int(ms, which, "the number of the operand", &k);
        if (k.ty != SN_TY_NONE && k.span != SN_MK_ONE)
            sn_resolve_map_fault(
                ms, which->pos, "SN182", "'%s' is %s, expected a number",
                sn_expr_str(ms->rs->a, which), sn_resolve_map_kind_str(ms, k));
    }
    out->when = when(ms, s->when, false, &k);
    out->els = (uint8_t)s->els;
    out->n = ms->param[p].nitem;
    out->index = index;
    if (s->kind == SN_MS_CENTRE)
        in_time(ms, s->e->pos, "the centre", SN_MK_PLACE);
}

static void
beside(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    int32_t *index = SN_NEW_N(ms->rs->a, int32_t, s->nindex);
    SnMapKind k;

    if (s->nindex > UINT8_MAX) {
        sn_resolve_map_fault(ms, s->pos, "SN180", "map %s is too large",
                             ms->m->name);
        return;
    }
    for (uint32_t i = 0; i < s->nindex; i++)
        index[i] = sn_resolve_map_int(ms, s->index[i], "the place", &k);
    out->n = (uint8_t)s->nindex;
    out->index = index;
}

/* divisor, number, parts */
static void
of_set(SnMapScope *ms, const SnDefMapStmt *s, SnMapStmt *out)
{
    SnMapKind k;

    ms->offsets = s->kind != SN_MS_DIVISOR;
    out->e = sn_resolve_map_int(
        ms, s->e, sn_format(ms->rs->a, "'%s'", word[s->kind]), &k);
    if (k.ty != SN_TY_NONE && k.span != SN_MK_ONE)
        sn_resolve_map_fault(
            ms, s->e->pos, "SN182", "'%s' is %s, expected a number",
            sn_expr_str(ms->rs->a, s->e), sn_resolve_map_kind_str(ms, k));
    out->when = when(ms, s->when, true, &k);
    ms->offsets = false;
    if (s->kind == SN_MS_DIVISOR)
        in_time(ms, s->e->pos, "the divisor", SN_MK_PLACE);
}

/* ---- order ---- */

static bool
in_order(SnMapScope *ms, const SnDefMapStmt *s)
{
    bool many = s->kind == SN_MS_LET || s->kind == SN_MS_REQUIRE ||
                s->kind == SN_MS_READ || s->kind == SN_MS_CENTRE;
    bool set = s->kind == SN_MS_CENTRE || s->kind >= SN_MS_DIVISOR;
    const SnDefMapStmt *first = first_of(ms, s->kind);

    if (!many && first != s) {
        sn_resolve_map_fault(ms, s->pos, "SN180", "map %s has a second '%s'",
                             ms->m->name, word[s->kind]);
        sn_diag_span(ms->rs->d, first->pos, "the first");
    } else if (s->kind > SN_MS_RESULT && !seen(ms, SN_MS_RESULT)) {
        sn_resolve_map_fault(ms, s->pos, "SN180",
                             "'%s' needs a 'result' before it", word[s->kind]);
    } else if (s->kind == SN_MS_TAPS && seen(ms, SN_MS_READ)) {
        sn_resolve_map_fault(ms, s->pos, "SN180",
                             "'taps' stands before each 'read'");
    } else if (set && !seen(ms, SN_MS_TAPS)) {
        sn_resolve_map_fault(ms, s->pos, "SN180",
                             "'%s' needs a 'taps' before it", word[s->kind]);
    } else {
        return true;
    }
    return false;
}

static void
stmt(SnMapScope *ms, const SnDefMapStmt *s)
{
    SnMapStmt out = {.kind = (uint8_t)s->kind,
                     .slot = -1,
                     .param = -1,
                     .e = -1,
                     .when = -1,
                     .which = -1};

    if (!in_order(ms, s))
        return;
    ms->level = SN_MK_SHAPE;
    switch (s->kind) {
    case SN_MS_LET:
        let(ms, s, &out);
        break;
    case SN_MS_REQUIRE:
    case SN_MS_WHOLE:
        require(ms, s, &out);
        break;
    case SN_MS_RESULT:
    case SN_MS_TAPS:
        box(ms, s, &out);
        break;
    case SN_MS_READ:
    case SN_MS_CENTRE:
        read(ms, s, &out);
        break;
    case SN_MS_BESIDE:
        beside(ms, s, &out);
        break;
    case SN_MS_DIVISOR:
    case SN_MS_NUMBER:
    case SN_MS_PARTS:
        of_set(ms, s, &out);
        break;
    case SN_MS_PRIMITIVE:
        break;
    }
    out.late = ms->level > SN_MK_SHAPE;
    SN_PUSH(ms->rs->a, ms->stmt, ms->nstmt, out);
}

void
sn_resolve_map_stmts(SnMapScope *ms)
{
    const SnDefMap *m = ms->m;

    for (uint32_t i = 0; i < m->nstmt && !ms->bad; i++)
        stmt(ms, m->stmt[i]);
    if (ms->bad)
        return;
    if (!seen(ms, SN_MS_RESULT)) {
        sn_resolve_map_fault(ms, m->pos, "SN180", "map %s has no 'result'",
                             m->name);
        sn_diag_help(ms->rs->d, "result [i < d];");
    }
    /* A map that reads nothing gives sizes, for operators of ONNX. */
    if (!seen(ms, SN_MS_READ))
        return;
    if (ms->numbers)
        sn_resolve_map_fault(ms, ms->numbers->pos, "SN182",
                             "'%s' is of maps that read nothing",
                             sn_expr_str(ms->rs->a, ms->numbers));
    for (uint32_t p = 0; p < m->nparam; p++) {
        bool found = ms->param[p].kind != SN_MP_OPERAND || ms->param[p].data;
        for (uint32_t i = 0; i < ms->nstmt && !found; i++)
            found =
                ms->stmt[i].kind == SN_MS_READ && ms->stmt[i].param == (int)p;
        if (!found)
            sn_resolve_map_fault(ms, m->param[p]->pos, "SN180",
                                 "map %s reads nothing of operand '%s'",
                                 m->name, m->param[p]->name);
    }
}
