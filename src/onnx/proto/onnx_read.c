// SPDX-License-Identifier: Apache-2.0
#include "onnx/proto/onnx_read.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/file/file.h"
#include "onnx/proto/pb_cut.h"

typedef struct Scan {
    SnPbCut *cut; /* NULL: all is copied */
    const uint8_t *start;
    uint32_t nfield;
    const uint8_t *at; /* where it went wrong */
    const char *why;
    const char *what; /* the field or message at fault, or NULL */
} Scan;

static bool
bad(Scan *s, const uint8_t *at, const char *what, const char *why)
{
    s->at = at;
    s->what = what;
    s->why = why;
    return false;
}

static bool
varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*p == end)
            return false;
        uint8_t b = *(*p)++;
        if (shift < 64)
            v |= (uint64_t)(b & 127) << shift;
        if (b < 128) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* The wire type a field must have; packed arrays come as type 2 as well. */
static unsigned
wire_of(const ProtobufCFieldDescriptor *f)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 1;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return 2;
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return 5;
    default:
        return 0;
    }
}

static bool scan_message(Scan *s, const ProtobufCMessageDescriptor *md,
                         const uint8_t *p, const uint8_t *end, int depth);

/* A field of wire type 2: p[0..len). */
static bool
scan_bytes(Scan *s, const ProtobufCFieldDescriptor *f, const uint8_t *p,
           size_t len, int depth)
{
    if (f == NULL)
        return true;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        return scan_message(s, f->descriptor, p, p + len, depth + 1);
    if (f->type == PROTOBUF_C_TYPE_BYTES && s->cut != NULL && len >= SN_PB_FAR)
        sn_pb_far(s->cut, f, p, len);
    if (f->type == PROTOBUF_C_TYPE_STRING && len > 0 &&
        memchr(p, 0, len) != NULL)
        return bad(s, p, f->name, "a string with a NUL byte");
    if (wire_of(f) == 2)
        return true;
    if (f->label != PROTOBUF_C_LABEL_REPEATED)
        return bad(s, p, f->name, "bytes where a number belongs");
    if ((wire_of(f) == 1 && len % 8 != 0) || (wire_of(f) == 5 && len % 4 != 0))
        return bad(s, p, f->name, "a packed array of a broken length");
    return true;
}

/* One field; *seen has a bit per field that must not repeat. */
static bool
scan_field(Scan *s, const ProtobufCMessageDescriptor *md, const uint8_t **p,
           const uint8_t *end, int depth, uint64_t *seen)
{
    const uint8_t *at = *p;
    uint64_t key, v;
    const ProtobufCFieldDescriptor *f;

    if (++s->nfield > SN_PB_MAXFIELD)
        return bad(s, at, NULL, "too many fields");
    if (!varint(p, end, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return bad(s, at, md->short_name, "a broken field number");
    f = protobuf_c_message_descriptor_get_field(md, (unsigned)(key >> 3));
    if (key >> 3 == SN_PB_CUT_TAG && s->cut != NULL)
        s->cut->off = true; /* that number marks what was cut */
    if (f != NULL && (key & 7) != wire_of(f) && (key & 7) != 2)
        return bad(s, at, f->name, "the wrong wire type");
    if (f != NULL && f->label != PROTOBUF_C_LABEL_REPEATED) {
        uint64_t bit = UINT64_C(1) << ((unsigned)(f - md->fields) & 63);
        if (f->type == PROTOBUF_C_TYPE_MESSAGE && (*seen & bit))
            return bad(s, at, f->name, "given twice");
        if (f->type == PROTOBUF_C_TYPE_BYTES && (*seen & bit) && s->cut != NULL)
            s->cut->off = true; /* the last one counts, long or not */
        *seen |= bit;
    }
    switch (key & 7) {
    case 0:
        return varint(p, end, &v) ||
               bad(s, at, md->short_name, "a number is cut off");
    case 1:
    case 5:
        v = (key & 7) == 1 ? 8 : 4;
        if ((uint64_t)(end - *p) < v)
            return bad(s, at, md->short_name, "a number is cut off");
        break;
    case 2:
        if (!varint(p, end, &v) || v > (uint64_t)(end - *p))
            return bad(s, at, f != NULL ? f->name : md->short_name,
                       "longer than what is left");
        if (!scan_bytes(s, f, *p, (size_t)v, depth))
            return false;
        break;
    default:
        return bad(s, at, md->short_name, "an unknown wire type");
    }
    *p += v;
    return true;
}

static bool
scan_message(Scan *s, const ProtobufCMessageDescriptor *md, const uint8_t *p,
             const uint8_t *end, int depth)
{
    uint64_t seen = 0;

    if (depth > SN_PB_MAXDEPTH)
        return bad(s, p, md->short_name,
                   "messages are nested too deeply, more than 64");
    while (p < end)
        if (!scan_field(s, md, &p, end, depth, &seen))
            return false;
    return true;
}

static void *
pb_alloc(void *ctx, size_t n)
{
    return sn_alloc(ctx, n);
}

static void
pb_free(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

static SnStatus
scan(Scan *s, const ProtobufCMessageDescriptor *md, const char *name, size_t n,
     SnDiag *d)
{
    if (n == 0)
        return sn_fail(d, SN_EINPUT, name, "the file is empty");
    if (scan_message(s, md, s->start, s->start + n, 0))
        return SN_OK;
    if (s->what == NULL)
        return sn_fail(d, SN_EINPUT, name, "not a %s: %s (at byte %zu)",
                       md->short_name, s->why, (size_t)(s->at - s->start));
    return sn_fail(d, SN_EINPUT, name, "not a %s: %s: %s (at byte %zu)",
                   md->short_name, s->what, s->why, (size_t)(s->at - s->start));
}

static SnStatus
unpack(SnArena *a, const ProtobufCMessageDescriptor *md, const char *name,
       const void *p, size_t n, SnDiag *d, ProtobufCMessage **out)
{
    ProtobufCAllocator al = {pb_alloc, pb_free, a};

    *out = protobuf_c_message_unpack(md, &al, n, p);
    if (*out == NULL)
        return sn_fail(d, SN_EINPUT, name, "not a %s", md->short_name);
    return SN_OK;
}

SnStatus
sn_pb_parse(SnArena *a, const ProtobufCMessageDescriptor *md, const char *name,
            const void *p, size_t n, SnDiag *d, ProtobufCMessage **out)
{
    Scan s = {.start = p};

    SN_TRY(scan(&s, md, name, n, d));
    return unpack(a, md, name, p, n, d, out);
}

SnStatus
sn_pb_borrow(SnArena *a, const ProtobufCMessageDescriptor *md, const char *name,
             const void *p, size_t n, SnDiag *d, ProtobufCMessage **out)
{
    SnPbCut cut = {.a = a};
    Scan s = {.start = p, .cut = &cut};

    SN_TRY(scan(&s, md, name, n, d));
    if (cut.off || cut.n == 0)
        return unpack(a, md, name, p, n, d, out);
    p = sn_pb_cut(&cut, md, p, &n);
    SN_TRY(unpack(a, md, name, p, n, d, out));
    sn_pb_attach(&cut, *out);
    return SN_OK;
}

SnStatus
sn_pb_load(SnArena *a, const ProtobufCMessageDescriptor *md, const char *path,
           SnDiag *d, ProtobufCMessage **out)
{
    char *text;
    size_t n;

    SN_TRY(sn_file_read(a, d, path, 0, &text, &n));
    return sn_pb_parse(a, md, path, text, n, d, out);
}
