// SPDX-License-Identifier: Apache-2.0
#include "onnx/proto/pb_cut.h"

#include <string.h>
#include "base/status.h"

/* One field of a message that the scan let through. */
typedef struct Field {
    const uint8_t *start, *body, *end; /* body: behind key and length */
    const ProtobufCFieldDescriptor *f; /* NULL: unknown */
    uint64_t key;
} Field;

static uint64_t
varint(const uint8_t **p)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = *(*p)++;
        if (shift < 64)
            v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            return v;
    }
}

static size_t
varint_size(uint64_t v)
{
    size_t n = 1;

    for (; v >= 128; v >>= 7)
        n++;
    return n;
}

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        *p++ = (uint8_t)(v | 128);
    *p++ = (uint8_t)v;
    return p;
}

static Field
field_at(const ProtobufCMessageDescriptor *md, const uint8_t *p)
{
    Field r = {.start = p};
    uint64_t n;

    r.key = varint(&p);
    r.f = protobuf_c_message_descriptor_get_field(md, (unsigned)(r.key >> 3));
    switch (r.key & 7) {
    case 0:
        r.body = p;
        varint(&p);
        r.end = p;
        break;
    case 2:
        n = varint(&p);
        r.body = p;
        r.end = p + n;
        break;
    default:
        r.body = p;
        r.end = p + ((r.key & 7) == 1 ? 8 : 4);
        break;
    }
    return r;
}

/* The first noted field at or behind p. */
static uint32_t
first_from(const SnPbCut *c, const uint8_t *p)
{
    uint32_t lo = 0, hi = c->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (c->far[mid].p < p)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Does a field hold bytes to be cut, at some depth? */
static bool
has_far(const SnPbCut *c, const Field *x, uint32_t *i)
{
    if ((x->key & 7) != 2 || x->f == NULL)
        return false;
    *i = first_from(c, x->body);
    return *i < c->n && c->far[*i].p < x->end;
}

void
sn_pb_far(SnPbCut *c, const ProtobufCFieldDescriptor *f, const uint8_t *p,
          size_t n)
{
    SnPbFar far = {f, p, n};

    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return;
    c->far = sn_grow(c->a, c->far, c->n, sizeof *c->far);
    c->far[c->n++] = far;
}

static size_t
cut_size(const SnPbCut *c, const ProtobufCMessageDescriptor *md,
         const uint8_t *p, const uint8_t *end)
{
    size_t n = 0, inner;

    while (p < end) {
        Field x = field_at(md, p);
        uint32_t i;
        p = x.end;
        if (!has_far(c, &x, &i)) {
            n += (size_t)(x.end - x.start);
            continue;
        }
        n += varint_size(x.key);
        if (x.f->type == PROTOBUF_C_TYPE_MESSAGE) {
            inner = cut_size(c, x.f->descriptor, x.body, x.end);
            n += varint_size(inner) + inner;
        } else {
            n += 1 + varint_size((uint64_t)SN_PB_CUT_TAG << 3) + varint_size(i);
        }
    }
    return n;
}

static uint8_t *
cut_write(const SnPbCut *c, const ProtobufCMessageDescriptor *md,
          const uint8_t *p, const uint8_t *end, uint8_t *to)
{
    while (p < end) {
        Field x = field_at(md, p);
        uint32_t i;
        p = x.end;
        if (!has_far(c, &x, &i)) {
            memcpy(to, x.start, (size_t)(x.end - x.start));
            to += x.end - x.start;
            continue;
        }
        to = put_varint(to, x.key);
        if (x.f->type == PROTOBUF_C_TYPE_MESSAGE) {
            to = put_varint(to, cut_size(c, x.f->descriptor, x.body, x.end));
            to = cut_write(c, x.f->descriptor, x.body, x.end, to);
        } else {
            *to++ = 0;
            to = put_varint(to, (uint64_t)SN_PB_CUT_TAG << 3);
            to = put_varint(to, i);
        }
    }
    return to;
}

const void *
sn_pb_cut(const SnPbCut *c, const ProtobufCMessageDescriptor *md,
          const uint8_t *p, size_t *n)
{
    size_t size = cut_size(c, md, p, p + *n);
    uint8_t *to = sn_alloc(c->a, size);

    cut_write(c, md, p, p + *n, to);
    *n = size;
    return to;
}

/* ---- the unpacked message ---- */

static void
attach_own(const SnPbCut *c, ProtobufCMessage *m)
{
    for (unsigned i = m->n_unknown_fields; i-- > 0;) {
        const ProtobufCMessageUnknownField *u = &m->unknown_fields[i];
        const uint8_t *p = u->data;
        const SnPbFar *far;
        ProtobufCBinaryData *b;
        if (u->tag != SN_PB_CUT_TAG)
            continue;
        far = &c->far[varint(&p)];
        b = (ProtobufCBinaryData *)(void *)((char *)m + far->f->offset);
        b->data = (uint8_t *)(uintptr_t)far->p;
        b->len = far->n;
        m->n_unknown_fields--;
        memmove(&m->unknown_fields[i], &m->unknown_fields[i + 1],
                (m->n_unknown_fields - i) * sizeof *m->unknown_fields);
    }
}

void
sn_pb_attach(const SnPbCut *c, ProtobufCMessage *m)
{
    attach_own(c, m);
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        const char *at = (const char *)m + f->offset;
        const char *quantifier = (const char *)m + f->quantifier_offset;
        const void *sub = at;
        if (f->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t n = *(const size_t *)(const void *)quantifier;
            ProtobufCMessage **list = *(ProtobufCMessage * *const *)sub;
            for (size_t k = 0; k < n; k++)
                sn_pb_attach(c, list[k]);
        } else if (!(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
                   *(const uint32_t *)(const void *)quantifier == f->id) {
            ProtobufCMessage *one = *(ProtobufCMessage *const *)sub;
            if (one != NULL)
                sn_pb_attach(c, one);
        }
    }
}
