// SPDX-License-Identifier: Apache-2.0
/* Attributes, generically: the descriptor says where each lies and what it
 * is. */
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/num.h"
#include "graph/graph_priv.h"
#include "graph/match.h"

void *
sn_attr_new(SnArena *a, const SnKindDesc *d)
{
    if (d->attr_size == 0)
        return NULL;
    if (d->defaults)
        return sn_attr_copy(a, d, d->defaults);
    void *v = sn_alloc(a, d->attr_size);
    for (uint32_t i = 0; i < d->nattr; i++)
        if (d->attr[i].kind == SN_A_STR)
            *(const char **)sn_attr_at(v, &d->attr[i]) = "";
    return v;
}

/* Gives dst its own copy of what src's attribute points to. */
static void
deepen(SnArena *a, const SnAttrDesc *at, void *dst)
{
    if (at->kind == SN_A_STR) {
        const char **s = dst;
        *s = *s ? sn_strdup(a, *s) : "";
    } else if (at->kind == SN_A_INTS) {
        SnInts *v = dst;
        v->v = v->n ? sn_memdup(a, v->v, v->n * sizeof *v->v) : NULL;
    } else if (at->kind == SN_A_REALS) {
        SnReals *v = dst;
        v->v = v->n ? sn_memdup(a, v->v, v->n * sizeof *v->v) : NULL;
    }
}

void *
sn_attr_copy(SnArena *a, const SnKindDesc *d, const void *attr)
{
    if (d->attr_size == 0)
        return NULL;
    void *v = sn_memdup(a, attr, d->attr_size);
    for (uint32_t i = 0; i < d->nattr; i++)
        deepen(a, &d->attr[i], sn_attr_at(v, &d->attr[i]));
    return v;
}

void
sn_attrs_import(SnPool *p, const SnKindDesc *d, void *attr)
{
    for (uint32_t i = 0; i < d->nattr; i++) {
        if (d->attr[i].kind != SN_A_TYPE)
            continue;
        const SnType **t = sn_attr_at(attr, &d->attr[i]);
        *t = sn_type_import(p, *t);
    }
}

/* ---- equality ---- */

/* As bits: 0 and -0 differ, a NaN equals itself. */
static bool
same_f64(double x, double y)
{
    return !memcmp(&x, &y, sizeof x);
}

static bool
range_equal(const SnRange *x, const SnRange *y)
{
    return x->has_lo == y->has_lo && x->has_hi == y->has_hi &&
           (!x->has_lo || same_f64(x->lo, y->lo)) &&
           (!x->has_hi || same_f64(x->hi, y->hi));
}

bool
sn_attr_equal(const SnAttrDesc *a, const void *x, const void *y)
{
    const void *p = sn_attr_at(x, a), *q = sn_attr_at(y, a);

    switch (a->kind) {
    case SN_A_INT:
        return *(const int64_t *)p == *(const int64_t *)q;
    case SN_A_REAL:
        return !memcmp(p, q, sizeof(float));
    case SN_A_BOOL:
        return *(const bool *)p == *(const bool *)q;
    case SN_A_STR:
        return !strcmp(*(const char *const *)p, *(const char *const *)q);
    case SN_A_ENUM:
        return *(const int32_t *)p == *(const int32_t *)q;
    case SN_A_INTS: {
        const SnInts *v = p, *w = q;
        return v->n == w->n &&
               (v->n == 0 || !memcmp(v->v, w->v, v->n * sizeof *v->v));
    }
    case SN_A_REALS: {
        const SnReals *v = p, *w = q;
        return v->n == w->n &&
               (v->n == 0 || !memcmp(v->v, w->v, v->n * sizeof *v->v));
    }
    case SN_A_TYPE:
        return sn_type_equal(*(const SnType *const *)p,
                             *(const SnType *const *)q);
    case SN_A_RANGE:
        return range_equal(p, q);
    }
    return false;
}

bool
sn_attrs_equal(const SnKindDesc *d, const void *x, const void *y)
{
    for (uint32_t i = 0; i < d->nattr; i++)
        if (!sn_attr_equal(&d->attr[i], x, y))
            return false;
    return true;
}

/* ---- hash ---- */

static uint64_t
type_hash(const SnType *t, uint64_t h)
{
    if (!t)
        return h;
    int32_t head[3] = {(int32_t)t->elem, t->axis, (int32_t)t->nq};
    h = XXH64(head, sizeof head, h);
    h = XXH64(t->scale, t->nq * sizeof *t->scale, h);
    return XXH64(t->zp, t->nq * sizeof *t->zp, h);
}

static uint64_t
range_hash(const SnRange *r, uint64_t h)
{
    double v[2] = {r->has_lo ? r->lo : 0, r->has_hi ? r->hi : 0};

    return XXH64(v, sizeof v, h + 2 * r->has_lo + r->has_hi);
}

static uint64_t
attr_hash(const SnAttrDesc *a, const void *attr, uint64_t h)
{
    const void *p = sn_attr_at(attr, a);

    switch (a->kind) {
    case SN_A_INT:
        return XXH64(p, sizeof(int64_t), h);
    case SN_A_REAL:
        return XXH64(p, sizeof(float), h);
    case SN_A_BOOL:
        return XXH64(p, sizeof(bool), h);
    case SN_A_STR:
        return XXH64(*(const char *const *)p, strlen(*(const char *const *)p),
                     h);
    case SN_A_ENUM:
        return XXH64(p, sizeof(int32_t), h);
    case SN_A_INTS: {
        const SnInts *v = p;
        return XXH64(v->v, v->n * sizeof *v->v, h);
    }
    case SN_A_REALS: {
        const SnReals *v = p;
        return XXH64(v->v, v->n * sizeof *v->v, h);
    }
    case SN_A_TYPE:
        return type_hash(*(const SnType *const *)p, h);
    case SN_A_RANGE:
        return range_hash(p, h);
    }
    return h;
}

uint64_t
sn_attrs_hash(const SnKindDesc *d, const void *attr, uint64_t seed)
{
    for (uint32_t i = 0; i < d->nattr; i++)
        seed = attr_hash(&d->attr[i], attr, seed);
    return seed;
}

/* ---- printing ---- */

void
sn_put_real(SnBuf *b, float v)
{
    uint32_t bits = sn_bits_f32(v);

    if (isnan(v) && bits != 0x7fc00000)
        sn_putf(b, "0x%08x", (unsigned)bits);
    else
        sn_put_f32(b, v);
}

static void
put_bound(SnBuf *b, bool has, double v)
{
    if (has)
        sn_put_f64(b, v);
    else
        sn_putc(b, '_');
}

static void
put_range(SnBuf *b, const SnRange *r)
{
    sn_putc(b, '[');
    put_bound(b, r->has_lo, r->lo);
    sn_puts(b, ", ");
    put_bound(b, r->has_hi, r->hi);
    sn_putc(b, ']');
}

void
sn_put_attr(SnBuf *b, const SnAttrDesc *a, const void *attr)
{
    const void *p = sn_attr_at(attr, a);

    switch (a->kind) {
    case SN_A_INT:
        sn_putf(b, "%lld", (long long)*(const int64_t *)p);
        break;
    case SN_A_REAL:
        sn_put_real(b, *(const float *)p);
        break;
    case SN_A_BOOL:
        sn_puts(b, *(const bool *)p ? "true" : "false");
        break;
    case SN_A_STR:
        sn_put_quoted(b, *(const char *const *)p);
        break;
    case SN_A_ENUM:
        sn_puts(b, a->words[*(const int32_t *)p]);
        break;
    case SN_A_INTS: {
        const SnInts *v = p;
        sn_putc(b, '[');
        for (uint32_t i = 0; i < v->n; i++)
            sn_putf(b, "%s%lld", i ? "," : "", (long long)v->v[i]);
        sn_putc(b, ']');
        break;
    }
    case SN_A_REALS: {
        const SnReals *v = p;
        sn_putc(b, '[');
        for (uint32_t i = 0; i < v->n; i++) {
            sn_puts(b, i ? ", " : "");
            sn_put_real(b, v->v[i]);
        }
        sn_putc(b, ']');
        break;
    }
    case SN_A_TYPE:
        sn_put_type(b, *(const SnType *const *)p);
        break;
    case SN_A_RANGE:
        put_range(b, p);
        break;
    }
}

/* ---- like, clamp ---- */

/* The word of enum `to` that reads as word i of enum `from`; -1: none. */
static int32_t
word_like(const SnAttrDesc *to, const SnAttrDesc *from, int32_t i)
{
    for (int32_t k = 0; to->words[k]; k++)
        if (!strcmp(to->words[k], from->words[i]))
            return k;
    return -1;
}

static size_t
field_size(SnAttrKind k)
{
    static const size_t size[] = {
        [SN_A_INT] = sizeof(int64_t),   [SN_A_REAL] = sizeof(float),
        [SN_A_BOOL] = sizeof(bool),     [SN_A_STR] = sizeof(char *),
        [SN_A_ENUM] = sizeof(int32_t),  [SN_A_INTS] = sizeof(SnInts),
        [SN_A_REALS] = sizeof(SnReals), [SN_A_TYPE] = sizeof(SnType *),
        [SN_A_RANGE] = sizeof(SnRange),
    };

    return size[k];
}

static uint32_t
list_len(const SnAttrDesc *a, const void *attr)
{
    const void *p = sn_attr_at(attr, a);

    return a->kind == SN_A_INTS ? ((const SnInts *)p)->n
                                : ((const SnReals *)p)->n;
}

/* An attribute whose value the other kind cannot hold keeps what it has. */
void
sn_attr_like(SnArena *a, const SnKindDesc *to, void *dst,
             const SnKindDesc *from, const void *src)
{
    for (uint32_t i = 0; i < to->nattr; i++) {
        const SnAttrDesc *t = &to->attr[i];
        const SnAttrDesc *f = sn_attr_named(from, t->name);
        void *p = sn_attr_at(dst, t);
        if (!f || f->kind != t->kind)
            continue;
        if (t->kind == SN_A_ENUM) {
            int32_t w = word_like(t, f, *(const int32_t *)sn_attr_at(src, f));
            if (w >= 0)
                *(int32_t *)p = w;
            continue;
        }
        if ((t->kind == SN_A_INTS || t->kind == SN_A_REALS) && t->fixed &&
            t->fixed != list_len(f, src))
            continue;
        memcpy(p, sn_attr_at(src, f), field_size(t->kind));
        deepen(a, t, p);
    }
}

SnRange
sn_clamp_of(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    SnRange full = {0, 0, false, false};

    if (d->clamp < 0)
        return full;
    return *(const SnRange *)sn_attr_at(n->attr, &d->attr[d->clamp]);
}
