// SPDX-License-Identifier: Apache-2.0
/* Consequences of a map's declaration for the nodes over it. */
#include "dsl/resolve/resolver.h"

/* ---- arguments ---- */

int
sn_resolve_map_attr(const SnMapParam *p)
{
    bool one = p->length == SN_ML_ONE;

    switch ((SnMapParamKind)p->kind) {
    case SN_MP_OPERAND:
        return SN_NATTRKIND;
    case SN_MP_BOOL:
        return SN_A_BOOL;
    case SN_MP_ENUM:
        return SN_A_ENUM;
    case SN_MP_REAL:
        return one ? SN_A_REAL : SN_A_REALS;
    case SN_MP_INT:
    case SN_MP_AXIS:
    case SN_MP_AXES:
        break;
    }
    return one ? SN_A_INT : SN_A_INTS;
}

/* ---- classes ---- */

/* Is each element read at the result's own place? */
static bool
in_place(const SnMapDecl *d, const SnMapStmt *read)
{
    const SnMapStmt *r = sn_map_stmt(d, SN_MS_RESULT);

    if (read->when >= 0 || read->n != r->n)
        return false;
    for (uint8_t i = 0; i < r->n; i++) {
        const SnMapExpr *e = &d->expr[read->index[i]];
        if (e->op != SN_MO_NAME || e->v != r->bound[i].slot)
            return false;
    }
    return true;
}

/* Without taps a result is made from one element of each operand. */
static unsigned
classes_of_one(const SnMapDecl *d)
{
    unsigned nread = 0, nmany = 0, nout = 0, nin = 0;

    for (uint16_t i = 0; i < d->nparam; i++)
        nin += d->param[i].kind == SN_MP_OPERAND;
    for (uint16_t i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_READ) {
            nread++;
            nmany += d->param[d->stmt[i].param].variadic;
            nout += !in_place(d, &d->stmt[i]);
        }
    if (nin && !nread) /* sizes only */
        return 0;
    return (nread ? 1U << SN_C_MOVE : 0) | (!nout ? 1U << SN_C_POINT : 0) |
           (nread == 1 && !nmany && !nout ? 1U << SN_C_CONVERT : 0);
}

static unsigned
classes_of_set(const SnMapDecl *d)
{
    bool window = sn_map_stmt(d, SN_MS_CENTRE) ||
                  sn_map_stmt(d, SN_MS_DIVISOR) ||
                  sn_map_stmt(d, SN_MS_NUMBER) || sn_map_stmt(d, SN_MS_PARTS);
    unsigned nread = 0;

    if (sn_map_stmt(d, SN_MS_PRIMITIVE))
        return 1U << SN_C_WINDOW | 1U << SN_C_MOVE;
    for (uint16_t i = 0; i < d->nstmt; i++) {
        if (d->stmt[i].kind == SN_MS_READ && d->stmt[i].which >= 0)
            return 1U << SN_C_MOVE; /* one tap is left */
        nread += d->stmt[i].kind == SN_MS_READ;
    }
    if (window)
        return nread == 1 ? 1U << SN_C_WINDOW : 0;
    return 1U << SN_C_CONTRACT |
           (nread == 1 && !sn_map_stmt(d, SN_MS_BESIDE) ? 1U << SN_C_WINDOW
                                                        : 0);
}

unsigned
sn_resolve_map_classes(const SnMapDecl *d)
{
    return sn_map_stmt(d, SN_MS_TAPS) ? classes_of_set(d) : classes_of_one(d);
}

bool
sn_resolve_map_fills(const SnMapDecl *d)
{
    for (uint16_t i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_READ && d->stmt[i].els == SN_ME_FILL)
            return true;
    return false;
}
