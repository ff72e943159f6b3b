// SPDX-License-Identifier: Apache-2.0
/* A plan, made here for the processor of a program, as C. */
#include <string.h>

#include "aot/tuned/tuned.h"

/* ---- filters, all blocks in one piece ---- */

static size_t
filter_bytes(const SnConvQ8 *q, const SnConvBlock *b)
{
    int64_t n = q->nrun * q->nstep * b->npanel * SN_LANE * q->g->kstep;

    if (q->depthwise)
        n = q->ntap * q->g->dwblock;
    else if (q->wino)
        n = 16 * (q->geo.c / q->geo.group) * SN_LANE;
    return (size_t)(n * q->t->esize);
}

const SnTuned *
sn_tuned_open(SnArena *a, SnIsa isa, const SnConvGeo *geo, const SnConvNum *num,
              const int8_t *filter)
{
    SnTuned *p = SN_NEW(a, SnTuned);
    SnConvNum mine = *num;

    mine.program = true;
    p->isa = isa;
    p->q = sn_conv_q8_plan(a, isa, geo, &mine, filter);
    p->at = SN_NEW_N(a, size_t, p->q->nblock + 1);
    for (uint32_t i = 0; i < p->q->nblock; i++) {
        p->at[i] = p->npack;
        p->npack += filter_bytes(p->q, &p->q->block[i]);
    }
    int8_t *all = SN_NEW_N(a, int8_t, p->npack + 1);
    for (uint32_t i = 0; i < p->q->nblock; i++)
        memcpy(all + p->at[i], p->q->block[i].w,
               filter_bytes(p->q, &p->q->block[i]));
    p->pack = all;
    return p;
}

/* ---- tables ---- */

typedef struct Put {
    SnArena *a;
    const SnTuned *p;
    const SnConvQ8 *q;
    const SnTunedNames *n;
    SnBuf *data, *out;
    size_t nbyte;
    uint32_t ntable;
} Put;

typedef void ItemFn(SnBuf *b, const void *v, int64_t i);

static void
int_item(SnBuf *b, const void *v, int64_t i)
{
    int32_t x = ((const int32_t *)v)[i];

    if (x == INT32_MIN)
        sn_puts(b, "-2147483647 - 1");
    else
        sn_putf(b, "%d", (int)x);
}

static void
float_item(SnBuf *b, const void *v, int64_t i)
{
    sn_putf(b, "%af", (double)((const float *)v)[i]);
}

static void
run_item(SnBuf *b, const void *v, int64_t i)
{
    const SnConvRun *r = (const SnConvRun *)v + i;

    sn_putf(b, "{%lld, %lld}", (long long)r->x, (long long)r->w);
}

static void
long_item(SnBuf *b, const void *v, int64_t i)
{
    sn_putf(b, "%lld", (long long)((const int64_t *)v)[i]);
}

/* Its name; NULL: there is none. */
static const char *
table(Put *t, const char *type, size_t size, int64_t n, ItemFn *item,
      const void *v)
{
    const char *name;
    size_t line;

    if (!v || n == 0)
        return "0";
    name = sn_format(t->a, "%s_p%u", t->n->prefix, t->ntable++);
    sn_putf(t->data, "static const %s %s[%lld] = {\n   ", type, name,
            (long long)n);
    line = t->data->n;
    for (int64_t i = 0; i < n; i++) {
        if (t->data->n - line > 60) {
            sn_puts(t->data, "\n   ");
            line = t->data->n;
        }
        sn_putc(t->data, ' ');
        item(t->data, v, i);
        sn_putc(t->data, ',');
    }
    sn_puts(t->data, "\n};\n");
    t->nbyte += (size_t)n * size;
    return name;
}

static int64_t
lanes(const SnConvQ8 *q, const SnConvBlock *b)
{
    return q->depthwise ? q->g->dwblock : b->npanel * SN_LANE;
}

static const char *
bias_table(Put *t, const SnConvBlock *b, const int32_t *v)
{
    return table(t, "int32_t", sizeof *v, lanes(t->q, b), int_item, v);
}

/* The biases of a block's classes, some of which may be equal. */
static const char *
biases(Put *t, const SnConvBlock *b)
{
    SnBuf all;
    const char *last = NULL;

    if (t->q->depthwise)
        return "0";
    sn_buf_init(&all, t->a);
    for (uint32_t i = 0; i < t->q->nclass; i++) {
        if (i == 0 || b->bias[i] != b->bias[i - 1])
            last = bias_table(t, b, b->bias[i]);
        sn_putf(&all, "%s%s", i ? ", " : "", last);
    }
    const char *name = sn_format(t->a, "%s_p%u", t->n->prefix, t->ntable++);
    sn_putf(t->data, "static const int32_t *const %s[] = {%s};\n", name,
            sn_buf_str(&all));
    return name;
}

/* ---- the function ---- */

static const char *
yes(bool v)
{
    return v ? "true" : "false";
}

static void
put_blocks(Put *t)
{
    SnBuf rows;

    sn_buf_init(&rows, t->a);
    for (uint32_t i = 0; i < t->q->nblock; i++) {
        const SnConvBlock *b = &t->q->block[i];
        const SnEnd *e = &b->end;
        const char *bias = t->q->depthwise ? bias_table(t, b, e->bias) : "0";
        const char *mul = table(t, "float", sizeof(float), lanes(t->q, b),
                                float_item, e->mul);
        const char *wz = e->wz ? table(t, "int32_t", sizeof(int32_t),
                                       lanes(t->q, b), int_item, e->wz)
                               : "0";
        const char *all = biases(t, b);
        sn_putf(&rows,
                "        {%lld, %lld, %d, %d, %s + %lu,\n"
                "         {%s, %s, %s, %af, %af, %s, %s, %d, %d, %d}, %s},\n",
                (long long)b->c0, (long long)b->x0, b->npanel, b->ncol, t->n->w,
                (unsigned long)t->p->at[i], bias, mul, wz, (double)e->lo,
                (double)e->hi, yes(e->small), yes(e->sums), (int)e->zp, e->low,
                e->high, all);
    }
    sn_putf(t->out, "    const SnConvBlock block[%u] = {\n%s    };\n",
            t->q->nblock, sn_buf_str(&rows));
}

static const char *
classes(Put *t)
{
    SnBuf rows;

    if (t->q->nclass == 0)
        return "0";
    sn_buf_init(&rows, t->a);
    for (uint32_t i = 0; i < t->q->nclass; i++) {
        const SnConvClass *c = &t->q->classes[i];
        const char *run =
            table(t, "SnConvRun", sizeof *c->run, c->nrun, run_item, c->run);
        sn_putf(&rows,
                "    {{%lld, %lld, %lld, %lld}, {%lld, %lld, %lld, %lld},\n"
                "     %lld, %lld, %lld, %lld, %s},\n",
                (long long)c->r.o0, (long long)c->r.no, (long long)c->r.t0,
                (long long)c->r.nt, (long long)c->c.o0, (long long)c->c.no,
                (long long)c->c.t0, (long long)c->c.nt, (long long)c->x0,
                (long long)c->nrun, (long long)c->nstep, (long long)c->len,
                run);
    }
    const char *name = sn_format(t->a, "%s_p%u", t->n->prefix, t->ntable++);
    sn_putf(t->data, "static const SnConvClass %s[%u] = {\n%s};\n", name,
            t->q->nclass, sn_buf_str(&rows));
    return name;
}

static void
set(Put *t, const char *field, int64_t v)
{
    if (v)
        sn_putf(t->out, "    p.%s = %lld;\n", field, (long long)v);
}

static void
set_bool(Put *t, const char *field, bool v)
{
    if (v)
        sn_putf(t->out, "    p.%s = true;\n", field);
}

static void
put_geo(Put *t)
{
    const SnConvGeo *o = &t->q->geo;
    const struct Field {
        const char *name;
        int64_t v;
    } f[] = {
        {"geo.n", o->n},         {"geo.h", o->h},   {"geo.w", o->w},
        {"geo.c", o->c},         {"geo.oh", o->oh}, {"geo.ow", o->ow},
        {"geo.oc", o->oc},       {"geo.kh", o->kh}, {"geo.kw", o->kw},
        {"geo.sh", o->sh},       {"geo.sw", o->sw}, {"geo.dh", o->dh},
        {"geo.dw", o->dw},       {"geo.pt", o->pt}, {"geo.pl", o->pl},
        {"geo.group", o->group},
    };

    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        set(t, f[i].name, f[i].v);
}

/* Fields that are 0 or false are not written. */
static void
put_fields(Put *t)
{
    const SnConvQ8 *q = t->q;

    sn_puts(t->out, "    SnConvQ8 p;\n    memset(&p, 0, sizeof p);\n"
                    "    p.t = &sn_tiles;\n");
    put_geo(t);
    set(t, "xz", q->xz);
    set_bool(t, "depthwise", q->depthwise);
    set_bool(t, "columns", q->columns);
    set(t, "npad", (int64_t)q->npad);
    set_bool(t, "raw", q->raw);
    set(t, "rep", q->rep);
    set(t, "wp", q->wp);
    set(t, "bsh", q->bsh);
    set(t, "bsw", q->bsw);
    set(t, "colstep", q->colstep);
    set(t, "rows", q->rows);
    set(t, "brows", q->brows);
    set(t, "buf", (int64_t)q->buf);
    set(t, "nwork", (int64_t)q->nwork);
    set(t, "xpitch", q->xpitch);
    set(t, "nrun", q->nrun);
    set(t, "nstep", q->nstep);
    set(t, "len", q->len);
    set(t, "nclass", q->nclass);
    sn_putf(t->out, "    p.classes = %s;\n", classes(t));
    set(t, "ntap", q->ntap);
    sn_putf(t->out, "    p.tap = %s;\n",
            table(t, "int64_t", sizeof *q->tap, q->ntap, long_item, q->tap));
    set(t, "nblock", q->nblock);
    sn_puts(t->out, "    p.block = block;\n");
    set_bool(t, "rowsum", q->rowsum);
    set_bool(t, "by_block", q->by_block);
    set_bool(t, "direct", q->direct);
    set_bool(t, "alone", q->alone);
    set_bool(t, "far", q->far);
    set_bool(t, "wino", q->wino);
}

void
sn_tuned_put(SnArena *a, const SnTuned *p, const SnTunedNames *n, SnBuf *data,
             size_t *nbyte, SnBuf *out)
{
    Put t = {.a = a, .p = p, .q = p->q, .n = n, .data = data, .out = out};

    put_blocks(&t);
    put_fields(&t);
    sn_putf(out, "    sn_conv_q8_run(&p, %s, %s, %lld, %s, 0, %lld);\n", n->x,
            n->y, (long long)p->q->geo.oc, n->work,
            (long long)sn_conv_q8_units(p->q));
    *nbyte += t.nbyte;
}
