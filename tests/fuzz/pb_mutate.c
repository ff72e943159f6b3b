// SPDX-License-Identifier: Apache-2.0
/* A message is a tree of fields by the wire format alone: bytes that parse as
 * one or more fields are taken for a message. */
#include "pb_mutate.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

enum { MOST_DEPTH = 8, MOST_FIELDS = 20000 };
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

typedef struct Field {
    uint64_t number, value; /* of VARINT */
    int wire;
    const uint8_t *p; /* of the others, n bytes */
    size_t n;
    struct Field *child, *next;
} Field;

typedef struct Mutate {
    SnArena *a;
    uint64_t seed;
    uint32_t nfield;
    Field ***all; /* the pointers that lead to fields */
    uint32_t nall;
} Mutate;

static uint64_t
draw(Mutate *m, uint64_t n)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (m->seed >> 33) % n : 0;
}

/* ---- reading ---- */

static bool
varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t b = *(*p)++;
        *v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return true;
    }
    return false;
}

static bool
one(const uint8_t **p, const uint8_t *end, Field *f)
{
    uint64_t key, n;

    if (!varint(p, end, &key) || key >> 3 == 0)
        return false;
    f->number = key >> 3;
    f->wire = (int)(key & 7);
    if (f->wire == VARINT)
        return varint(p, end, &f->value);
    if (f->wire == BYTES) {
        if (!varint(p, end, &n))
            return false;
    } else if (f->wire == FIXED32 || f->wire == FIXED64) {
        n = f->wire == FIXED32 ? 4 : 8;
    } else {
        return false;
    }
    if (n > (uint64_t)(end - *p))
        return false;
    f->p = *p;
    f->n = (size_t)n;
    *p += n;
    return true;
}

/* The fields of p[0..n), or NULL: they are none. */
static Field *
parse(Mutate *m, const uint8_t *p, size_t n, int depth)
{
    const uint8_t *end = p + n;
    Field *first = NULL, **last = &first;

    while (p < end) {
        Field *f = SN_NEW(m->a, Field);
        if (m->nfield++ > MOST_FIELDS || !one(&p, end, f))
            return NULL;
        if (f->wire == BYTES && f->n > 1 && depth < MOST_DEPTH)
            f->child = parse(m, f->p, f->n, depth + 1);
        *last = f;
        last = &f->next;
    }
    return first;
}

static void
collect(Mutate *m, Field **at)
{
    for (; *at; at = &(*at)->next) {
        SN_PUSH(m->a, m->all, m->nall, at);
        collect(m, &(*at)->child);
    }
}

/* ---- writing ---- */

static void
put_varint(SnBuf *b, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        sn_putc(b, (char)(v & 0x7f) | (char)0x80);
    sn_putc(b, (char)v);
}

static void
put(Mutate *m, SnBuf *b, const Field *f)
{
    for (; f; f = f->next) {
        put_varint(b, f->number << 3 | (unsigned)f->wire);
        if (f->wire == VARINT) {
            put_varint(b, f->value);
        } else if (f->child) {
            SnBuf in;
            sn_buf_init(&in, m->a);
            put(m, &in, f->child);
            put_varint(b, in.n);
            sn_putn(b, in.s, in.n);
        } else {
            if (f->wire == BYTES)
                put_varint(b, f->n);
            sn_putn(b, (const char *)f->p, f->n);
        }
    }
}

/* ---- changes ---- */

static uint64_t
value(Mutate *m, uint64_t was)
{
    static const uint64_t edge[] = {
        0,         1,          2,          3,         4,
        7,         8,          16,         127,       255,
        INT32_MAX, UINT32_MAX, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN};

    switch (draw(m, 4)) {
    case 0:
        return was + 1;
    case 1:
        return was - 1;
    case 2:
        return was ^ (uint64_t)1 << draw(m, 64);
    default:
        return edge[draw(m, sizeof edge / sizeof edge[0])];
    }
}

/* Strings become others of the model, or get bytes of libFuzzer's. */
static void
other_bytes(Mutate *m, Field *f)
{
    const Field *g = *m->all[draw(m, m->nall)];
    size_t n = f->n + 8;
    uint8_t *p = sn_alloc(m->a, n + 1);

    if (draw(m, 2) && g->wire == f->wire && f->wire == BYTES) {
        f->p = g->p; /* as it was: no tree below itself */
        f->n = g->n;
        return;
    }
    if (f->n)
        memcpy(p, f->p, f->n);
    if (f->wire != BYTES)
        p[draw(m, f->n)] ^= (uint8_t)(1u << draw(m, 8));
    else if (LLVMFuzzerMutate)
        f->n = LLVMFuzzerMutate(p, f->n, n);
    f->p = p;
}

static void
change(Mutate *m)
{
    Field **at = m->all[draw(m, m->nall)], *f = *at, *copy;
    Field **to = m->all[draw(m, m->nall)];

    switch (draw(m, 8)) {
    case 0:
        *at = f->next;
        return;
    case 1: /* doubled */
        copy = sn_memdup(m->a, f, sizeof *f);
        f->next = copy;
        return;
    case 2: /* to another place: a copy, as it may be below itself */
        copy = sn_memdup(m->a, f, sizeof *f);
        copy->next = *to;
        if (!f->child)
            *to = copy;
        return;
    case 3: /* what another of this number has */
        for (int i = 0; i < 50; i++) {
            const Field *g = *m->all[draw(m, m->nall)];
            if (g == f || g->number != f->number || g->wire != f->wire)
                continue;
            f->value = g->value;
            f->p = g->p;
            f->n = g->n;
            f->child = NULL;
            return;
        }
        return;
    case 4:
        f->number = 1 + draw(m, 24);
        return;
    default:
        if (f->wire == VARINT)
            f->value = value(m, f->value);
        else if (!f->child)
            other_bytes(m, f);
        else
            f->child = f->child->next ? f->child->next : f->child;
        return;
    }
}

size_t
pb_mutate(uint8_t *p, size_t n, size_t most, unsigned seed)
{
    Mutate m = {.a = sn_arena_new(), .seed = seed};
    const uint8_t *kept = sn_memdup(m.a, p, n + (n == 0));
    Field *root = parse(&m, kept, n, 0);
    SnBuf b;

    if (!root) {
        sn_arena_free(m.a);
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(p, n, most) : n;
    }
    for (uint64_t i = 1 + draw(&m, 3); i > 0; i--) {
        m.nall = 0;
        collect(&m, &root);
        if (m.nall == 0)
            break;
        change(&m);
    }
    sn_buf_init(&b, m.a);
    put(&m, &b, root);
    n = b.n <= most ? b.n : n;
    if (b.n <= most && n)
        memcpy(p, b.s, n);
    sn_arena_free(m.a);
    return n;
}
