// SPDX-License-Identifier: Apache-2.0
/* Consequences of a map's declaration for the nodes over it. */
#include "dsl/resolve/resolver.h"

/* ---- arguments ---- */

static char
letter(const SnMapParam *p)
{
    switch ((SnMapParamKind)p->kind) {
    case SN_MP_OPERAND:
        return p->variadic ? 'V' : p->data == 'i' ? 'X' : 'P';
    case SN_MP_BOOL:
        return 'b';
    case SN_MP_ENUM:
        return 'e';
    case SN_MP_REAL:
        return p->length == SN_ML_ONE ? 'r' : 'R';
    case SN_MP_INT:
    case SN_MP_AXIS:
    case SN_MP_AXES:
        break;
    }
    return p->length == SN_ML_ONE ? 'i' : 'L';
}

/* Arguments may be omitted at the end. */
static const char *
letters(SnResolver *rs, const SnMapDecl *d)
{
    uint16_t must = d->nparam;
    SnBuf b;

    while (must > 0 && d->param[must - 1].dflt >= 0)
        must--;
    sn_buf_init(&b, rs->a);
    for (uint16_t i = 0; i < d->nparam; i++) {
        sn_putc(&b, letter(&d->param[i]));
        if (i >= must)
            sn_putc(&b, '?');
    }
    return sn_buf_str(&b);
}

/* ---- classes ---- */

static const SnMapStmt *
only(const SnMapDecl *d, SnMapStmtKind k)
{
    for (uint16_t i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == k)
            return &d->stmt[i];
    return NULL;
}

/* Is each element read at the result's own place? */
static bool
in_place(const SnMapDecl *d, const SnMapStmt *read)
{
    const SnMapStmt *r = only(d, SN_MS_RESULT);

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
    bool window = only(d, SN_MS_CENTRE) || only(d, SN_MS_DIVISOR) ||
                  only(d, SN_MS_NUMBER) || only(d, SN_MS_PARTS);
    unsigned nread = 0;

    if (only(d, SN_MS_PRIMITIVE))
        return 1U << SN_C_WINDOW | 1U << SN_C_MOVE;
    for (uint16_t i = 0; i < d->nstmt; i++) {
        if (d->stmt[i].kind == SN_MS_READ && d->stmt[i].which >= 0)
            return 1U << SN_C_MOVE; /* one tap is left */
        nread += d->stmt[i].kind == SN_MS_READ;
    }
    if (window)
        return nread == 1 ? 1U << SN_C_WINDOW : 0;
    return 1U << SN_C_CONTRACT |
           (nread == 1 && !only(d, SN_MS_BESIDE) ? 1U << SN_C_WINDOW : 0);
}

SnMapUse
sn_resolve_map_use(SnResolver *rs, const SnMapDecl *d)
{
    SnMapUse u = {d->name, letters(rs, d), 0, d};

    u.cls = only(d, SN_MS_TAPS) ? classes_of_set(d) : classes_of_one(d);
    return u;
}

bool
sn_resolve_map_fills(const SnMapDecl *d)
{
    for (uint16_t i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == SN_MS_READ && d->stmt[i].els == SN_ME_FILL)
            return true;
    return false;
}
