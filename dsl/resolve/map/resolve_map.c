// SPDX-License-Identifier: Apache-2.0
/* Maps: their names, and the data made from each. */
#include "dsl/resolve/map/map_scope.h"

#include <stdarg.h>
#include <string.h>

void
sn_resolve_map_fault(SnMapScope *ms, SnPos at, const char *code,
                     const char *fmt, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = sn_vformat(ms->rs->a, fmt, ap);
    va_end(ap);
    sn_error(ms->rs->d, at, code, "%s", text);
    ms->bad = true;
}

int
sn_resolve_map_find(const SnMapScope *ms, const char *name)
{
    uint32_t i = sn_entry_at(ms->var, ms->nvar, sizeof *ms->var, name);

    return i < ms->nvar ? (int)i : -1;
}

int
sn_resolve_map_bind(SnMapScope *ms, const char *name, SnPos at, SnMapKind k,
                    SnMapLevel level)
{
    int i = sn_resolve_map_find(ms, name);
    SnMapName x = {.name = name, .pos = at, .kind = k, .level = level};

    if (i >= 0) {
        sn_resolve_twice(ms->rs, at, "name", name, ms->var[i].pos);
        ms->bad = true;
        return -1;
    }
    if (ms->nvar == INT16_MAX) {
        if (!ms->bad)
            sn_resolve_map_fault(ms, at, "SN180", "map %s is too large",
                                 ms->m->name);
        return -1;
    }
    SN_PUSH(ms->rs->a, ms->var, ms->nvar, x);
    return (int)ms->nvar - 1;
}

int
sn_resolve_map_operand(const SnMapScope *ms, const SnExpr *e)
{
    int i = e->ek == SN_E_NAME ? sn_resolve_map_find(ms, e->s) : -1;

    return i >= 0 && ms->var[i].kind.ty == SN_TY_VALUE ? i : -1;
}

static const SnMapDecl *
declaration(SnMapScope *ms)
{
    SnMapDecl *d = SN_NEW(ms->rs->a, SnMapDecl);
    SnMapSlot *slot = SN_NEW_N(ms->rs->a, SnMapSlot, ms->nvar);

    for (uint32_t i = 0; i < ms->nvar; i++)
        slot[i] =
            (SnMapSlot){ms->var[i].name, ms->var[i].kind.span != SN_MK_ONE};
    *d = (SnMapDecl){.name = ms->m->name,
                     .doc = ms->m->doc,
                     .where = sn_resolve_at(ms->rs, ms->m->pos),
                     .nparam = (uint16_t)ms->m->nparam,
                     .nstmt = (uint16_t)ms->nstmt,
                     .nexpr = (uint16_t)ms->nexpr,
                     .nslot = (uint16_t)ms->nvar,
                     .param = ms->param,
                     .stmt = ms->stmt,
                     .expr = ms->expr,
                     .slot = slot};
    return d;
}

static void
resolve(SnResolver *rs, SnDefMap *m)
{
    const SnDefMap *first = sn_def_map(rs->defs, m->name);
    SnMapScope ms = {.rs = rs, .m = m, .hidden = UINT32_MAX};

    if (first != m) {
        sn_resolve_twice(rs, m->pos, "map", m->name, first->pos);
        return;
    }
    if (m->nparam > INT16_MAX || m->nstmt > INT16_MAX) {
        sn_resolve_map_fault(&ms, m->pos, "SN180", "map %s is too large",
                             m->name);
        return;
    }
    sn_resolve_map_params(&ms);
    if (!ms.bad)
        sn_resolve_map_stmts(&ms);
    if (!ms.bad)
        m->decl = declaration(&ms);
    if (m->decl)
        sn_resolve_map_tests(rs, m);
}

void
sn_resolve_maps(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nmap; i++)
        resolve(rs, rs->defs->map[i]);
}
