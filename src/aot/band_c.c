// SPDX-License-Identifier: Apache-2.0
/* Loops of chains of steps as C: the last step requests the rows that it
 * reads, the step before makes them, and so on.  Names: yS rows made by step S,
 * hS rows in the buffer of its operand, rS rows copied there: of type size_t,
 * as an offset is a product of one. */
#include "aot/node/aot_node.h"
#include "aot/band/band.h"
#include "aot/program.h"

/* ---- what calls pass ---- */

static SnRef
operand(const SnProgram *p, uint32_t s)
{
    return sn_node(p->g, p->x->step[s].node)->in[p->band[s].x].ref;
}

/* The buffer of its operand, or the operand. */
static const char *
source(const SnProgram *p, uint32_t s)
{
    return p->band[s].copied ? sn_format(p->a, "c%u", s)
                             : sn_aot_arg(p, operand(p, s));
}

void
sn_aot_band_pass(SnProgram *p, uint32_t s)
{
    SnBand *b = &p->band[s];
    const char *x = source(p, s);
    const char *y = sn_aot_arg(p, SN_REF(p->x->step[s].node, 0));

    if (b->held == 0)
        b->in = sn_format(p->a, "%s + %lld * y%u", x, (long long)b->shift, s);
    else if (b->pad)
        b->in =
            sn_format(p->a, "%s + %lld", x, (long long)(b->pad * b->xwidth));
    else
        b->in = x;
    b->out =
        s == b->last
            ? sn_format(p->a, "%s + %lld * y%u", y, (long long)b->width, s)
            : sn_format(p->a, "%s + %lld * h%u", y, (long long)b->width, s + 1);
}

/* ---- loops ---- */

typedef struct Writer {
    SnProgram *p;
    int depth;
} Writer;

static void
line(const Writer *w, const char *s)
{
    for (int i = 0; i < w->depth; i++)
        sn_puts(&w->p->calls, "    ");
    sn_puts(&w->p->calls, s);
    sn_putc(&w->p->calls, '\n');
}

/* Does the step read rows after the operand's last? */
static bool
ends_outside(const SnBand *b)
{
    return (b->nrow - 1) * b->step - b->pad + b->taps > b->xnrow;
}

/* Is the number of rows that step s has made read?  s is not the last step. */
static bool
counts(const SnProgram *p, uint32_t s)
{
    const SnBand *b = &p->band[s];

    return s < b->last && (b->held == 0 || ends_outside(&p->band[s + 1]));
}

static void put_call(Writer *w, uint32_t s);

static void
put_outside(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const char *x = source(p, s);

    line(w, sn_format(p->a, "memset(%s + %lld * h%u, %d, %lld * (%lld - h%u));",
                      x, (long long)b->xwidth, s, b->fill, (long long)b->xwidth,
                      (long long)b->need, s));
    line(w, sn_format(p->a, "h%u = %lld;", s, (long long)b->need));
}

/* The next rows of a value. */
static void
put_copy(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const char *x = sn_aot_arg(p, operand(p, s));
    long long width = (long long)b->xwidth;

    line(w,
         sn_format(p->a, "size_t n%u = %lld - h%u;", s, (long long)b->need, s));
    line(w,
         sn_format(p->a, "if (n%u > %lld - r%u)", s, (long long)b->xnrow, s));
    line(w,
         sn_format(p->a, "    n%u = %lld - r%u;", s, (long long)b->xnrow, s));
    line(w, sn_format(p->a,
                      "memcpy(c%u + %lld * h%u, %s + %lld * r%u, "
                      "%lld * n%u * sizeof *c%u);",
                      s, width, s, x, width, s, width, s, s));
    line(w, sn_format(p->a, "r%u += n%u;", s, s));
    line(w, sn_format(p->a, "h%u += n%u;", s, s));
    if (!ends_outside(b))
        return;
    line(w, sn_format(p->a, "if (h%u < %lld) {", s, (long long)b->need));
    w->depth++;
    put_outside(w, s);
    w->depth--;
    line(w, "}");
}

/* The rows that a call of step s reads. */
static void
put_rows(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s], *from = &p->band[s - 1];

    line(w, sn_format(p->a, "while (h%u < %lld) {", s, (long long)b->need));
    w->depth++;
    if (ends_outside(b)) {
        line(w,
             sn_format(p->a, "if (y%u == %lld) {", s - 1, (long long)b->xnrow));
        w->depth++;
        put_outside(w, s);
        line(w, "break;");
        w->depth--;
        line(w, "}");
    }
    put_call(w, s - 1);
    if (counts(p, s - 1))
        line(w, sn_format(p->a, "y%u += %lld;", s - 1, (long long)from->count));
    line(w, sn_format(p->a, "h%u += %lld;", s, (long long)from->count));
    w->depth--;
    line(w, "}");
}

/* Step s once, with what it needs. */
static void
put_call(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    int64_t done = b->count * b->step;
    const char *x = source(p, s);

    if (b->copied)
        put_copy(w, s);
    else if (b->held)
        put_rows(w, s);
    line(w, sn_format(p->a, "%s;", b->call));
    if (b->held == 0)
        return;
    line(w, sn_format(p->a, "h%u -= %lld;", s, (long long)done));
    if (b->held > done)
        line(w,
             sn_format(p->a, "memmove(%s, %s + %lld, %lld * h%u * sizeof *%s);",
                       x, x, (long long)(done * b->xwidth),
                       (long long)b->xwidth, s, x));
}

/* The counters of step s, and rows before the operand's first. */
static void
put_start(Writer *w, uint32_t s)
{
    const SnProgram *p = w->p;
    const SnBand *b = &p->band[s];
    const char *type = sn_aot_elem(sn_type(p->g, operand(p, s))->elem);

    if (counts(p, s))
        line(w, sn_format(p->a, "size_t y%u = 0;", s));
    if (b->held == 0)
        return;
    line(w, sn_format(p->a, "size_t h%u = %lld;", s, (long long)b->pad));
    if (b->copied) {
        line(w, sn_format(p->a, "size_t r%u = 0;", s));
        line(w, sn_format(p->a, "%s *const c%u = (%s *)(void *)(%s + %lu);",
                          type, s, type, sn_aot_base(p, p->region[b->block]),
                          (unsigned long)p->block[b->block].offset));
    }
    if (b->pad)
        line(w, sn_format(p->a, "memset(%s, %d, %lld);", source(p, s), b->fill,
                          (long long)(b->pad * b->xwidth)));
}

void
sn_aot_band_put(SnProgram *p, uint32_t s)
{
    const SnBand *b = &p->band[s];
    Writer w = {p, 1};

    line(&w, "{");
    w.depth++;
    for (uint32_t i = b->first; i <= s; i++)
        put_start(&w, i);
    line(&w, sn_format(p->a, "for (size_t y%u = 0; y%u < %lld; y%u += %lld) {",
                       s, s, (long long)b->nrow, s, (long long)b->count));
    w.depth++;
    put_call(&w, s);
    w.depth--;
    line(&w, "}");
    w.depth--;
    line(&w, "}");
}
