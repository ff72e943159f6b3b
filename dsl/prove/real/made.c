// SPDX-License-Identifier: Apache-2.0
/* How both sides' elements are made, line by line of a certificate
 * (dsl/prove/check/check.h): its checker makes the normal form again. */
#include "dsl/prove/real/box.h"

static void
put_line(SnRealProof *cx, char kind, SnBuf *b)
{
    sn_trace_line(&cx->path.trace, kind, sn_buf_str(b));
}

/* "ATOM P": a place and its bound, or a flag and its condition. */
static void
put_atom(SnRealProof *cx, char kind, SnPoly atom, SnPoly p)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "%u ", atom.m[0].atom[0]);
    sn_trace_put(&b, p);
    put_line(cx, kind, &b);
}

/* Each once. */
static void
places_and_flags(SnRealProof *cx)
{
    SnPolys *P = &cx->path.P;

    for (uint32_t i = 0; i < cx->nplace; i++) {
        uint32_t k = 0;
        while (!sn_poly_same(cx->place[k].p, cx->place[i].p))
            k++;
        if (k == i)
            put_atom(cx, 'b', cx->place[i].p, cx->place[i].of);
    }
    for (uint32_t i = 0; i < cx->nelem; i++) {
        uint32_t k = 0;
        while (!sn_poly_same(cx->elem[k].p, cx->elem[i].p) ||
               !sn_poly_same(cx->elem[k].of, cx->elem[i].of))
            k++;
        if (k == i)
            put_atom(cx, 'h', cx->elem[i].p, cx->elem[i].of);
    }
    for (uint32_t i = 0; i < cx->nflag; i++) {
        uint32_t k = 0;
        while (cx->flag[k].name != cx->flag[i].name)
            k++;
        if (k == i)
            put_atom(cx, 'f', sn_poly_name(P, cx->flag[i].name), cx->flag[i].p);
    }
}

/* The line of an expression, after those of its parts. */
static uint32_t
line_of(SnRealProof *cx, uint32_t made, uint32_t *n)
{
    SnRingMade zero = {.kind = '#'};
    SnRingMade *m = made ? &cx->R.made[made - 1] : &zero;
    uint32_t *kid = SN_NEW_N(cx->a, uint32_t, m->n + 1);
    SnBuf b;

    if (m->line)
        return m->line - 1;
    for (uint32_t i = 0; i < m->n; i++)
        kid[i] = line_of(cx, m->kid[i], n);
    sn_buf_init(&b, cx->a);
    sn_putc(&b, m->kind);
    if (m->kind == '#')
        sn_putf(&b, " %.17g", m->v);
    if (m->kind == 'l' || m->kind == 's')
        sn_putf(&b, " %u", m->npoly);
    if (m->kind == 'f')
        sn_putf(&b, " %u", m->n);
    for (uint32_t i = 0; i < m->npoly; i++) {
        sn_putc(&b, ' ');
        sn_trace_put(&b, m->poly[i]);
    }
    for (uint32_t i = 0; i < m->n; i++)
        sn_putf(&b, " %u", kid[i]);
    if (m->name)
        sn_putf(&b, " %s", m->name);
    put_line(cx, 'r', &b);
    m->line = ++*n;
    return *n - 1;
}

void
sn_real_write(SnRealProof *cx, SnRing x, SnRing y)
{
    uint32_t n = 0;
    SnBuf b;

    sn_trace_line(&cx->path.trace, 'R', cx->R.strict ? "exactly" : "real");
    places_and_flags(cx);
    uint32_t l = line_of(cx, x.made, &n), r = line_of(cx, y.made, &n);
    sn_buf_init(&b, cx->a);
    sn_putf(&b, "%u %u", l, r);
    put_line(cx, 'l', &b);
}
