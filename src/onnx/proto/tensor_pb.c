// SPDX-License-Identifier: Apache-2.0
#include "onnx/proto/tensor_pb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/budget.h"
#include "base/file/file.h"

enum { UINT4 = 21, INT4 = 22 }; /* newer than the packaged schema */

/* TensorProto.DataType, by number. */
static const struct {
    const char *name;
    SnDtype dtype;
} dtypes[] = {
    {"UNDEFINED", SN_D_NONE},
    {"FLOAT", SN_D_F32},
    {"UINT8", SN_D_U8},
    {"INT8", SN_D_I8},
    {"UINT16", SN_D_U16},
    {"INT16", SN_D_I16},
    {"INT32", SN_D_I32},
    {"INT64", SN_D_I64},
    {"STRING", SN_D_NONE},
    {"BOOL", SN_D_BOOL},
    {"FLOAT16", SN_D_F16},
    {"DOUBLE", SN_D_F64},
    {"UINT32", SN_D_U32},
    {"UINT64", SN_D_U64},
    {"COMPLEX64", SN_D_NONE},
    {"COMPLEX128", SN_D_NONE},
    {"BFLOAT16", SN_D_NONE},
    {"FLOAT8E4M3FN", SN_D_NONE},
    {"FLOAT8E4M3FNUZ", SN_D_NONE},
    {"FLOAT8E5M2", SN_D_NONE},
    {"FLOAT8E5M2FNUZ", SN_D_NONE},
    {"UINT4", SN_D_NONE},
    {"INT4", SN_D_NONE},
    {"FLOAT4E2M1", SN_D_NONE},
};

SnDtype
sn_onnx_dtype(int64_t number, const char **name)
{
    const int64_t n = (int64_t)(sizeof dtypes / sizeof dtypes[0]);

    if (number < 0 || number >= n) {
        *name = "of an unknown number";
        return SN_D_NONE;
    }
    *name = dtypes[number].name;
    return dtypes[number].dtype;
}

/* Types that are unpacked into wider elements: 4-bit integers, two to a byte
 * with the first in the lower half, and the upper half of an f32. */
static unsigned
packed_bits(int64_t number)
{
    return number == ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16 ? 16
           : number == UINT4 || number == INT4               ? 4
                                                             : 0;
}

SnDtype
sn_onnx_unpacked(int64_t number)
{
    const char *name;

    return number == ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16 ? SN_D_F32
           : number == UINT4                                 ? SN_D_U8
           : number == INT4                                  ? SN_D_I8
                            : sn_onnx_dtype(number, &name);
}

/* ---- typed fields ---- */

static bool
narrow(const SnData *t, int64_t i, int64_t v)
{
    static const struct {
        int64_t lo, hi;
    } range[SN_NDTYPE] = {
        [SN_D_U8] = {0, UINT8_MAX},          [SN_D_I8] = {INT8_MIN, INT8_MAX},
        [SN_D_U16] = {0, UINT16_MAX},        [SN_D_F16] = {0, UINT16_MAX},
        [SN_D_I16] = {INT16_MIN, INT16_MAX}, [SN_D_BOOL] = {0, 1},
        [SN_D_I32] = {INT32_MIN, INT32_MAX}, [SN_D_U32] = {0, UINT32_MAX},
    };
    void *p = (void *)(uintptr_t)t->data;

    if (v < range[t->dtype].lo || v > range[t->dtype].hi)
        return false;
    switch (sn_dtype_size(t->dtype)) {
    case 1:
        ((uint8_t *)p)[i] = (uint8_t)v;
        break;
    case 2:
        ((uint16_t *)p)[i] = (uint16_t)v;
        break;
    default:
        ((uint32_t *)p)[i] = (uint32_t)v;
        break;
    }
    return true;
}

/* The field that holds elements of this type; *n how many there are. */
static const void *
typed_field(const Onnx__TensorProto *t, SnDtype dt, size_t *n)
{
    switch (dt) {
    case SN_D_F32:
        *n = t->n_float_data;
        return t->float_data;
    case SN_D_F64:
        *n = t->n_double_data;
        return t->double_data;
    case SN_D_I64:
        *n = t->n_int64_data;
        return t->int64_data;
    case SN_D_U32:
    case SN_D_U64:
        *n = t->n_uint64_data;
        return t->uint64_data;
    default:
        *n = t->n_int32_data;
        return t->int32_data;
    }
}

static SnStatus
from_fields(SnArena *a, const Onnx__TensorProto *t, const char *where,
            SnDiag *d, SnData *out)
{
    size_t n, count = (size_t)sn_data_count(out);
    const void *p = typed_field(t, out->dtype, &n);

    if (n != count)
        return sn_fail(d, SN_EINPUT, where, "%zu elements, the shape has %zu",
                       n, count);
    out->data = p;
    if (p == NULL)
        out->data = sn_alloc(a, 0);
    if (p == NULL || p == t->float_data || p == t->double_data ||
        p == t->int64_data || (p == t->uint64_data && out->dtype == SN_D_U64) ||
        (p == t->int32_data && out->dtype == SN_D_I32))
        return SN_OK;
    out->data = sn_alloc_n(a, count, sn_dtype_size(out->dtype));
    for (size_t i = 0; i < count; i++) {
        bool wide = p == t->uint64_data &&
                    ((const uint64_t *)p)[i] > (uint64_t)UINT32_MAX;
        int64_t v = p == t->uint64_data ? (int64_t)((const uint64_t *)p)[i]
                                        : ((const int32_t *)p)[i];
        if (wide || !narrow(out, (int64_t)i, v))
            return sn_fail(d, SN_EINPUT, where, "element %zu is not within %s",
                           i, sn_dtype_name(out->dtype));
    }
    return SN_OK;
}

/* ---- external files ---- */

typedef struct Ext {
    const char *location;
    int64_t offset, length; /* length -1: to the end */
} Ext;

static bool
decimal(const char *s, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(s, &end, 10);
    return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0;
}

static SnStatus
ext_entries(const Onnx__TensorProto *t, const char *where, SnDiag *d, Ext *e)
{
    *e = (Ext){.length = -1};
    for (size_t i = 0; i < t->n_external_data; i++) {
        const char *k = t->external_data[i]->key;
        const char *v = t->external_data[i]->value;
        bool ok = k != NULL && v != NULL;

        if (ok && strcmp(k, "location") == 0)
            e->location = v;
        else if (ok && strcmp(k, "offset") == 0)
            ok = decimal(v, &e->offset);
        else if (ok && strcmp(k, "length") == 0)
            ok = decimal(v, &e->length);
        if (!ok)
            return sn_fail(
                d, SN_EINPUT, where, "external data: '%s' is '%s', expected %s",
                k != NULL ? k : "", v != NULL ? v : "",
                k != NULL && v != NULL ? "a number of bytes below 2^63"
                                       : "a name and a value");
    }
    if (e->location == NULL || e->location[0] == '\0')
        return sn_fail(d, SN_EINPUT, where, "external data has no location");
    return SN_OK;
}

/* The real path of location below dir; refuses everything that leads out. */
static SnStatus
ext_path(SnArena *a, const char *dir, const char *location, const char *where,
         SnDiag *d, const char **out)
{
    char *top, *real;
    size_t n;
    bool inside;

    if (dir == NULL || location[0] == '/' || strcmp(location, "..") == 0 ||
        strncmp(location, "../", 3) == 0 || strstr(location, "/../") != NULL)
        return sn_fail(d, SN_EINPUT, where,
                       "external data '%s' is not inside the model's directory",
                       location);
    top = realpath(dir, NULL);
    real = realpath(sn_path_join(a, dir, location), NULL);
    if (top == NULL || real == NULL) {
        const char *why = strerror(errno);
        free(top);
        free(real);
        return sn_fail(d, SN_EINPUT, where, "external data '%s': %s", location,
                       why);
    }
    n = strlen(top);
    inside = strncmp(real, top, n) == 0 && (real[n] == '/' || n == 1);
    *out = sn_strdup(a, real);
    free(top);
    free(real);
    if (!inside)
        return sn_fail(d, SN_EINPUT, where,
                       "external data '%s' is a link out of the model's "
                       "directory",
                       location);
    return SN_OK;
}

static bool
read_at(int fd, char *p, size_t n, int64_t offset)
{
    while (n > 0) {
        ssize_t k = pread(fd, p, n, (off_t)offset);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
        offset += k;
    }
    return true;
}

/* `need` bytes of external data into out->data. */
static SnStatus
from_file(SnArena *a, const Onnx__TensorProto *t, const char *dir,
          const char *where, SnDiag *d, size_t need, SnData *out)
{
    Ext e;
    const char *path = NULL;
    struct stat st;
    int fd;
    char *p;
    bool ok;

    SN_TRY(ext_entries(t, where, d, &e));
    SN_TRY(ext_path(a, dir, e.location, where, d, &path));
    if (e.length >= 0 && (uint64_t)e.length != need)
        return sn_fail(d, SN_EINPUT, where,
                       "external data of %" PRId64 " bytes, the shape has %zu",
                       e.length, need);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return sn_fail(d, SN_EINPUT, where, "external data '%s': %s",
                       e.location, strerror(errno));
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return sn_fail(d, SN_EINPUT, where,
                       "external data '%s' is not a regular file", e.location);
    }
    if (e.offset > st.st_size || (uint64_t)(st.st_size - e.offset) < need) {
        close(fd);
        return sn_fail(d, SN_EINPUT, where,
                       "external data '%s' has no %zu bytes at %" PRId64,
                       e.location, need, e.offset);
    }
    p = sn_alloc(a, need);
    sn_budget_beside(need);
    ok = read_at(fd, p, need, e.offset);
    close(fd);
    if (!ok)
        return sn_fail(d, SN_EINPUT, where, "external data '%s': %s",
                       e.location, strerror(errno));
    out->data = p;
    return SN_OK;
}

/* ---- a tensor ---- */

static SnStatus
header(const Onnx__TensorProto *t, const char *where, SnDiag *d, SnData *out)
{
    const char *name;

    *out = (SnData){0};
    sn_onnx_dtype(t->has_data_type ? t->data_type : 0, &name);
    out->dtype = sn_onnx_unpacked(t->has_data_type ? t->data_type : 0);
    if (out->dtype == SN_D_NONE)
        return sn_fail(d, SN_EUNSUPPORTED, where,
                       "elements %s are not supported", name);
    if (t->n_dims > SN_DATA_MAXRANK)
        return sn_fail(d, SN_EUNSUPPORTED, where,
                       "%zu dimensions; at most %d are supported", t->n_dims,
                       SN_DATA_MAXRANK);
    if (t->segment != NULL)
        return sn_fail(d, SN_EUNSUPPORTED, where,
                       "tensors in segments are not supported");
    out->rank = (int)t->n_dims;
    for (int i = 0; i < out->rank; i++) {
        out->dim[i] = t->dims[i];
        if (out->dim[i] < 0)
            return sn_fail(d, SN_EINPUT, where, "dimension %d is %" PRId64, i,
                           out->dim[i]);
    }
    if (sn_data_count(out) < 0)
        return sn_fail(d, SN_EINPUT, where, "the shape is too large");
    return SN_OK;
}

static bool
is_external(const Onnx__TensorProto *t)
{
    return t->has_data_location &&
           t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

/* Numbers of the int32 field: a byte of two elements, or 16 bits, each. */
static SnStatus
packed_fields(SnArena *a, const Onnx__TensorProto *t, unsigned bits,
              size_t need, const char *where, SnDiag *d, const uint8_t **out)
{
    size_t each = bits == 4 ? 1 : 2;
    uint8_t *p;

    if (t->n_int32_data != need / each)
        return sn_fail(d, SN_EINPUT, where,
                       "%zu packed elements, the shape has %zu",
                       t->n_int32_data, need / each);
    p = sn_alloc(a, need);
    for (size_t i = 0; i < t->n_int32_data; i++) {
        uint32_t v = (uint32_t)t->int32_data[i];
        if (v >= 1u << 8 * each)
            return sn_fail(d, SN_EINPUT, where,
                           "packed element %zu is not within %zu bits", i,
                           8 * each);
        p[i * each] = (uint8_t)v;
        if (each == 2)
            p[i * each + 1] = (uint8_t)(v >> 8);
    }
    *out = p;
    return SN_OK;
}

static void
unpack(SnArena *a, int64_t number, const uint8_t *from, SnData *out)
{
    size_t n = (size_t)sn_data_count(out);
    uint8_t *p = sn_alloc(a, sn_data_nbyte(out));

    for (size_t i = 0; i < n; i++) {
        uint8_t v = 0;
        if (number == UINT4 || number == INT4)
            v = (uint8_t)(from[i / 2] >> (i % 2 * 4) & 15);
        uint32_t u = 0;
        if (number == UINT4) {
            p[i] = v;
        } else if (number == INT4) {
            p[i] = (uint8_t)((v ^ 8) - 8);
        } else {
            u = (uint32_t)from[2 * i] << 16 | (uint32_t)from[2 * i + 1] << 24;
            memcpy(p + 4 * i, &u, sizeof u);
        }
    }
    out->data = p;
    out->bits = number == UINT4 || number == INT4 ? 4 : 0;
}

/* Elements that take `bits` bits each in the file. */
static SnStatus
from_packed(SnArena *a, const Onnx__TensorProto *t, unsigned bits,
            const char *dir, const char *where, SnDiag *d, SnData *out)
{
    size_t n = (size_t)sn_data_count(out);
    size_t need = bits == 4 ? n / 2 + n % 2 : 2 * n;
    const uint8_t *p = NULL;

    if (is_external(t)) {
        SN_TRY(from_file(a, t, dir, where, d, need, out));
        p = out->data;
    } else if (t->has_raw_data) {
        if (t->raw_data.len != need)
            return sn_fail(d, SN_EINPUT, where,
                           "%zu bytes of elements, the shape has %zu",
                           t->raw_data.len, need);
        p = t->raw_data.data;
    } else {
        SN_TRY(packed_fields(a, t, bits, need, where, d, &p));
    }
    unpack(a, t->data_type, p, out);
    return SN_OK;
}

SnStatus
sn_tensor_pb(SnArena *a, const Onnx__TensorProto *t, const char *dir,
             const char *where, SnDiag *d, SnData *out)
{
    size_t need;

    SN_TRY(header(t, where, d, out));
    need = sn_data_nbyte(out);
    if (packed_bits(t->data_type) != 0)
        return from_packed(a, t, packed_bits(t->data_type), dir, where, d, out);
    if (is_external(t)) {
        SN_TRY(from_file(a, t, dir, where, d, need, out));
    } else if (t->has_raw_data) {
        if (t->raw_data.len != need)
            return sn_fail(d, SN_EINPUT, where,
                           "%zu bytes of elements, the shape has %zu",
                           t->raw_data.len, need);
        out->data = need > 0 ? t->raw_data.data : sn_alloc(a, 0);
        if (out->dtype != SN_D_F32 &&
            (uintptr_t)out->data % sn_dtype_size(out->dtype) != 0)
            out->data = sn_memdup(a, out->data, need);
    } else {
        SN_TRY(from_fields(a, t, where, d, out));
    }
    if (out->dtype == SN_D_BOOL)
        for (size_t i = 0; i < need; i++)
            if (((const uint8_t *)out->data)[i] > 1)
                return sn_fail(d, SN_EINPUT, where,
                               "element %zu is neither false nor true", i);
    return SN_OK;
}

SnStatus
sn_pb_read(SnArena *a, const char *path, SnDiag *d, SnData *out)
{
    ProtobufCMessage *m = NULL;

    SN_TRY(sn_pb_load(a, &onnx__tensor_proto__descriptor, path, d, &m));
    return sn_tensor_pb(a, (Onnx__TensorProto *)m, NULL, path, d, out);
}
