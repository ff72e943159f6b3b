// SPDX-License-Identifier: Apache-2.0
/* Elements of a TensorProto in its typed fields, as packed numbers and in a
 * file beside the model: the values that are read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/file/file.h"
#include "onnx/proto/tensor_pb.h"
#include "unit/scratch.h"

enum {
    FLOAT = 1,
    UINT8,
    INT8,
    UINT16,
    INT16,
    INT32,
    INT64,
    STRING,
    BOOL,
    FLOAT16,
    DOUBLE,
    UINT32,
    UINT64,
    BFLOAT16 = 16,
    UINT4 = 21,
    INT4 = 22
};

static SnArena *a;
static Onnx__TensorProto *t;
static SnData out;

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

/* n elements of a type, and none of the fields that hold them. */
static void
tensor(int type, int64_t n)
{
    int64_t *dim = SN_NEW(a, int64_t);

    t = SN_NEW(a, Onnx__TensorProto);
    onnx__tensor_proto__init(t);
    t->has_data_type = true;
    t->data_type = type;
    t->n_dims = 1;
    t->dims = dim;
    *dim = n;
}

static void
int32s(int type, int64_t n, const int32_t *v)
{
    tensor(type, n);
    t->n_int32_data = (size_t)n;
    t->int32_data = sn_memdup(a, v, (size_t)n * sizeof *v);
}

static void
uint64s(int type, int64_t n, const uint64_t *v)
{
    tensor(type, n);
    t->n_uint64_data = (size_t)n;
    t->uint64_data = sn_memdup(a, v, (size_t)n * sizeof *v);
}

static void
raw(int type, int64_t n, const void *v, size_t nbyte)
{
    tensor(type, n);
    t->has_raw_data = true;
    t->raw_data.len = nbyte;
    t->raw_data.data = sn_memdup(a, v, nbyte);
}

static void
reads(const void *want, size_t nbyte)
{
    SnDiag *d = sn_diag_new(a);

    if (sn_tensor_pb(a, t, NULL, "t", d, &out) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_int_equal(sn_data_nbyte(&out), nbyte);
    assert_memory_equal(out.data, want, nbyte);
}

static void
refused_in(const char *from, SnStatus st, const char *why)
{
    SnDiag *d = sn_diag_new(a);

    assert_int_equal(sn_tensor_pb(a, t, from, "t", d, &out), st);
    const char *text = sn_diag_text(d, a);
    if (!strstr(text, why))
        fail_msg("'%s' is not in: %s", why, text);
}

static void
refused(SnStatus st, const char *why)
{
    refused_in(NULL, st, why);
}

/* ---- typed fields ---- */

/* The least and the largest value of a type, from 32 bits, and the first beyond
 * both. */
static void
narrowed(int type, int32_t lo, int32_t hi, const void *want, size_t nbyte,
         const char *name)
{
    const int32_t ok[] = {lo, hi}, low[] = {lo, lo - 1}, high[] = {hi + 1, hi};

    int32s(type, 2, ok);
    reads(want, nbyte);
    int32s(type, 2, low);
    refused(SN_EINPUT, sn_format(a, "element 1 is not within %s", name));
    int32s(type, 2, high);
    refused(SN_EINPUT, sn_format(a, "element 0 is not within %s", name));
}

static void
fields_of_32_bits(void **state)
{
    (void)state;
    narrowed(UINT8, 0, 255, (uint8_t[]){0, 255}, 2, "u8");
    narrowed(INT8, -128, 127, (int8_t[]){-128, 127}, 2, "i8");
    narrowed(UINT16, 0, 65535, (uint16_t[]){0, 65535}, 4, "u16");
    narrowed(INT16, -32768, 32767, (int16_t[]){-32768, 32767}, 4, "i16");
    narrowed(FLOAT16, 0, 65535, (uint16_t[]){0, 65535}, 4, "f16");
    narrowed(BOOL, 0, 1, (uint8_t[]){0, 1}, 2, "bool");
    int32s(INT32, 2, (int32_t[]){INT32_MIN, INT32_MAX});
    reads((int32_t[]){INT32_MIN, INT32_MAX}, 8);
}

static void
fields_of_64_bits(void **state)
{
    (void)state;
    uint64s(UINT32, 2, (uint64_t[]){0, UINT32_MAX});
    reads((uint32_t[]){0, UINT32_MAX}, 8);
    uint64s(UINT32, 2, (uint64_t[]){1, (uint64_t)UINT32_MAX + 1});
    refused(SN_EINPUT, "element 1 is not within u32");
    /* Its low half alone would do. */
    uint64s(UINT32, 1, (uint64_t[]){UINT64_MAX});
    refused(SN_EINPUT, "element 0 is not within u32");
    uint64s(UINT64, 2, (uint64_t[]){0, UINT64_MAX});
    reads((uint64_t[]){0, UINT64_MAX}, 16);
    tensor(INT64, 1);
    t->n_int64_data = 1;
    t->int64_data = (int64_t[]){INT64_MIN};
    reads((int64_t[]){INT64_MIN}, 8);
    tensor(DOUBLE, 1);
    t->n_double_data = 1;
    t->double_data = (double[]){-0x1p-1074};
    reads((double[]){-0x1p-1074}, 8);
    tensor(FLOAT, 1);
    t->n_float_data = 1;
    t->float_data = (float[]){-0x1p-149F};
    reads((float[]){-0x1p-149F}, 4);
}

static void
fields_of_another_length(void **state)
{
    (void)state;
    tensor(FLOAT, 0);
    reads("", 0);
    assert_non_null(out.data);
    tensor(FLOAT, 2);
    refused(SN_EINPUT, "0 elements, the shape has 2");
    int32s(INT8, 3, (int32_t[]){1, 2, 3});
    *t->dims = 2;
    refused(SN_EINPUT, "3 elements, the shape has 2");
    /* 64 bits are in a field of their own. */
    int32s(INT64, 1, (int32_t[]){1});
    refused(SN_EINPUT, "0 elements, the shape has 1");
    raw(INT16, 2, "abc", 3);
    refused(SN_EINPUT, "3 bytes of elements, the shape has 4");
    raw(BOOL, 3, "\1\0\2", 3);
    refused(SN_EINPUT, "element 2 is neither false nor true");
}

/* ---- packed ---- */

static void
packed(void **state)
{
    (void)state;
    /* The first of two is in the lower half; the last byte holds one. */
    raw(UINT4, 3, "\xf1\x08", 2);
    reads((uint8_t[]){1, 15, 8}, 3);
    assert_int_equal(out.bits, 4);
    raw(INT4, 3, "\xf1\x08", 2);
    reads((int8_t[]){1, -1, -8}, 3);
    int32s(INT4, 2, (int32_t[]){0x87, 0x0f});
    *t->dims = 4;
    reads((int8_t[]){7, -8, -1, 0}, 4);
    int32s(BFLOAT16, 2, (int32_t[]){0x3f80, 0xc040});
    reads((float[]){1, -3}, 8);
    assert_int_equal(out.dtype, SN_D_F32);
    assert_int_equal(out.bits, 0);
    raw(BFLOAT16, 1, "\x80\x3f", 2);
    reads((float[]){1}, 4);
}

static void
packed_refused(void **state)
{
    (void)state;
    raw(UINT4, 3, "\xf1\x08\x00", 3);
    refused(SN_EINPUT, "3 bytes of elements, the shape has 2");
    raw(BFLOAT16, 2, "\x80\x3f", 2);
    refused(SN_EINPUT, "2 bytes of elements, the shape has 4");
    int32s(UINT4, 2, (int32_t[]){0, 256});
    *t->dims = 4;
    refused(SN_EINPUT, "packed element 1 is not within 8 bits");
    int32s(UINT4, 2, (int32_t[]){-1, 0});
    *t->dims = 4;
    refused(SN_EINPUT, "packed element 0 is not within 8 bits");
    int32s(BFLOAT16, 1, (int32_t[]){65536});
    refused(SN_EINPUT, "packed element 0 is not within 16 bits");
    int32s(UINT4, 2, (int32_t[]){0, 1});
    *t->dims = 5;
    refused(SN_EINPUT, "2 packed elements, the shape has 3");
}

/* ---- what is no tensor of ours ---- */

static void
headers(void **state)
{
    static const struct {
        int type;
        const char *why;
    } types[] = {
        {0, "elements UNDEFINED are not supported"},
        {STRING, "elements STRING are not supported"},
        {15, "elements COMPLEX128 are not supported"},
        {23, "elements FLOAT4E2M1 are not supported"},
        {24, "elements of an unknown number are not supported"},
        {-1, "elements of an unknown number are not supported"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tensor(types[i].type, 1);
        refused(SN_EUNSUPPORTED, types[i].why);
    }
    tensor(FLOAT, 1);
    t->has_data_type = false;
    refused(SN_EUNSUPPORTED, "elements UNDEFINED are not supported");
    tensor(FLOAT, -1);
    refused(SN_EINPUT, "dimension 0 is -1");
    tensor(FLOAT, INT64_MAX);
    t->n_dims = 2;
    t->dims = (int64_t[]){INT64_MAX, 2};
    refused(SN_EINPUT, "the shape is too large");
    tensor(FLOAT, 1);
    t->n_dims = SN_DATA_MAXRANK + 1;
    refused(SN_EUNSUPPORTED,
            sn_format(a, "%d dimensions; at most", SN_DATA_MAXRANK + 1));
    Onnx__TensorProto__Segment part = ONNX__TENSOR_PROTO__SEGMENT__INIT;
    tensor(FLOAT, 1);
    t->segment = &part;
    refused(SN_EUNSUPPORTED, "tensors in segments are not supported");
}

/* ---- a file beside the model ---- */

static void
entry(size_t i, const char *key, const char *value)
{
    Onnx__StringStringEntryProto *e = SN_NEW(a, Onnx__StringStringEntryProto);

    onnx__string_string_entry_proto__init(e);
    e->key = key ? sn_strdup(a, key) : NULL;
    e->value = value ? sn_strdup(a, value) : NULL;
    t->external_data[i] = e;
}

/* In w.bin, with one more entry. */
static void
beside(int type, int64_t n, const char *key, const char *value)
{
    tensor(type, n);
    t->has_data_location = true;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->n_external_data = 2;
    t->external_data = SN_NEW_N(a, Onnx__StringStringEntryProto *, 2);
    entry(0, "location", "w.bin");
    entry(1, key, value);
}

static void
files(void **state)
{
    static const char *const bad[] = {"-1",
                                      "",
                                      "0x1",
                                      "1 ",
                                      "+1",
                                      "1e1",
                                      "9223372036854775808",
                                      "99999999999999999999"};
    SnDiag *d = sn_diag_new(a);

    (void)state;
    assert_int_equal(
        sn_file_write(d, in_dir(a, "w.bin"), "\x21\x43\x80\x3f", 4), SN_OK);
    beside(UINT4, 4, "length", "2");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_OK);
    assert_memory_equal(out.data, ((uint8_t[]){1, 2, 3, 4}), 4);
    beside(BFLOAT16, 1, "offset", "2");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_OK);
    assert_memory_equal(out.data, (float[]){1}, 4);
    /* A key that is not known says nothing about the place. */
    beside(INT8, 4, "checksum", "?");
    assert_int_equal(sn_tensor_pb(a, t, dir, "t", d, &out), SN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        beside(INT8, 1, i % 2 ? "offset" : "length", bad[i]);
        refused_in(dir, SN_EINPUT,
                   sn_format(a,
                             "external data: '%s' is '%s', expected a number "
                             "of bytes below 2^63",
                             i % 2 ? "offset" : "length", bad[i]));
    }
    beside(INT8, 1, NULL, "3");
    refused_in(dir, SN_EINPUT, "'' is '3', expected a name and a value");
    beside(INT8, 1, "offset", NULL);
    refused_in(dir, SN_EINPUT, "'offset' is '', expected a name and a value");
    beside(INT8, 4, "offset", "1");
    refused_in(dir, SN_EINPUT, "external data 'w.bin' has no 4 bytes at 1");
    beside(INT8, 4, "offset", "9223372036854775807");
    refused_in(dir, SN_EINPUT, "has no 4 bytes at 9223372036854775807");
    beside(INT8, 4, "length", "3");
    refused_in(dir, SN_EINPUT, "external data of 3 bytes, the shape has 4");
    beside(INT8, 4, "location", "");
    refused_in(dir, SN_EINPUT, "external data has no location");
    assert_int_equal(unlink(in_dir(a, "w.bin")), 0);
}

int
main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(fields_of_32_bits),
        T(fields_of_64_bits),
        T(fields_of_another_length),
        T(packed),
        T(packed_refused),
        T(headers),
        T(files),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
