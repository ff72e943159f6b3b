// SPDX-License-Identifier: Apache-2.0
/* .npy files: every element type, both orders, and broken headers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file/file.h"
#include "run/npy.h"
#include "unit/arena.h"
#include "unit/scratch.h"

/* A file image: version, header text, elements. */
static SnBuf
image(int version, const char *head, const void *data, size_t n)
{
    SnBuf b;
    size_t len = strlen(head);

    sn_buf_init(&b, a);
    sn_putn(&b, "\x93NUMPY", 6);
    sn_putc(&b, (char)version);
    sn_putc(&b, 0);
    sn_putc(&b, (char)(len & 255));
    sn_putc(&b, (char)(len >> 8));
    if (version > 1)
        sn_putn(&b, "\0", 2);
    sn_puts(&b, head);
    sn_putn(&b, data, n);
    return b;
}

static void
refused(const SnBuf *b, SnStatus want, const char *text)
{
    SnData t;

    d = sn_diag_new(a);
    assert_int_equal(sn_npy_parse(a, "x.npy", b->s, b->n, d, &t), want);
    assert_string_equal(sn_diag_text(d, a), text);
}

static void
reads_types(void **state)
{
    static const struct {
        const char *descr;
        SnDtype dtype;
    } v[] = {
        {"|u1", SN_D_U8},  {"|i1", SN_D_I8},  {"<u1", SN_D_U8},
        {"<i2", SN_D_I16}, {"<i4", SN_D_I32}, {"<i8", SN_D_I64},
        {"<f4", SN_D_F32}, {"<f8", SN_D_F64}, {"|b1", SN_D_BOOL},
        {"=f4", SN_D_F32}, {"<u2", SN_D_U16}, {"<u4", SN_D_U32},
        {"<u8", SN_D_U64}, {"<f2", SN_D_F16},
    };
    static const unsigned char bytes[16] = {0, 1, 0, 0, 0, 0, 0, 0,
                                            0, 1, 0, 0, 0, 0, 0, 0};

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
        for (int version = 1; version <= 3; version++) {
            char head[128];
            SnData t;
            size_t n = 2 * sn_dtype_size(v[i].dtype);
            snprintf(head, sizeof head,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (2,), "
                     "}   \n",
                     v[i].descr);
            SnBuf b = image(version, head, bytes, n);
            assert_int_equal(sn_npy_parse(a, "x", b.s, b.n, d, &t), SN_OK);
            assert_int_equal(t.dtype, v[i].dtype);
            assert_int_equal(t.rank, 1);
            assert_int_equal(t.dim[0], 2);
            assert_memory_equal(t.data, bytes, n);
        }
}

static void
reads_fortran_order(void **state)
{
    static const int32_t f[6] = {1, 4, 2, 5, 3, 6};
    SnBuf b = image(1,
                    "{'shape': (2, 3), 'descr': '<i4', "
                    "'fortran_order': True}\n",
                    f, sizeof f);
    SnData t;

    (void)state;
    assert_int_equal(sn_npy_parse(a, "x", b.s, b.n, d, &t), SN_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(sn_data_int(&t, i), i + 1);
}

static void
reads_scalar_and_empty(void **state)
{
    static const float one = 1;
    SnBuf b = image(1,
                    "{'descr': '<f4', 'fortran_order': False, "
                    "'shape': (), }\n",
                    &one, sizeof one);
    SnData t;

    (void)state;
    assert_int_equal(sn_npy_parse(a, "x", b.s, b.n, d, &t), SN_OK);
    assert_int_equal(t.rank, 0);
    assert_true(sn_data_real(&t, 0) == 1);
    b = image(1,
              "{'descr': '<f4', 'fortran_order': False, "
              "'shape': (3, 0), }\n",
              "", 0);
    assert_int_equal(sn_npy_parse(a, "x", b.s, b.n, d, &t), SN_OK);
    assert_int_equal(sn_data_count(&t), 0);
}

static void
refuses_broken_files(void **state)
{
    static const char head[] = "{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (2,), }\n";
    static const char shape[] =
        "x.npy: the header is not {'descr': ..., 'fortran_order': ..., "
        "'shape': (...)} of at most 8 dimensions\n";
    static const float v[2] = {1, 2};
    SnBuf b = image(1, head, v, sizeof v);

    (void)state;
    b.n -= 3;
    refused(&b, SN_EINPUT,
            "x.npy: holds 5 bytes of elements, but its header announces 8\n");
    b.n = 40;
    refused(&b, SN_EINPUT, "x.npy: the header is cut off\n");
    b.n = 4;
    refused(&b, SN_EINPUT, "x.npy: not a .npy file\n");
    b = image(4, head, v, sizeof v);
    refused(&b, SN_EUNSUPPORTED,
            "x.npy: .npy version 4.0 is not supported: expected 1, 2 or 3\n");
    b = image(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", v,
              sizeof v);
    refused(&b, SN_EINPUT, shape);
    b = image(1, "{'descr': '<f4', 'fortran_order': False}", v, sizeof v);
    refused(&b, SN_EINPUT, shape);
    b = image(1, "{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", v,
              sizeof v);
    refused(&b, SN_EINPUT, shape);
    b = image(1,
              "{'descr': '<f4', 'fortran_order': False, 'shape': "
              "(1,1,1,1,1,1,1,1,1), }",
              v, sizeof v);
    refused(&b, SN_EINPUT, shape);
    b = image(1,
              "{'descr': '<f4', 'fortran_order': False, 'shape': "
              "(4294967296, 4294967296), }",
              v, sizeof v);
    refused(&b, SN_EINPUT, "x.npy: the shape is too large\n");
    b = image(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }",
              "\1\2", 2);
    refused(&b, SN_EINPUT,
            "x.npy: a bool element is 2, neither 0 nor "
            "1\n");
}

/* Headers of other forms, all with the elements 1 and 2 of float32. */
static void
reads_headers(void **state)
{
    static const char *const right[] = {
        "{'descr':'<f4','fortran_order':False,'shape':(2,)}",
        "{\"descr\" : '<f4' , 'fortran_order' : True, 'shape' :(2 ,) , }",
        "{'shape': (1, 2), 'fortran_order': False, 'descr': '<f4'}\n \n",
        "{'shape': (1, 2,), 'fortran_order': False, 'descr': '<f4'}",
        "{'shape': (2, 1), 'fortran_order': True, 'descr': '=f4'}",
    };
    static const char *const wrong[] = {
        "",
        "[]",
        "{",
        "{'descr'",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': False 'shape': (2,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': <f4, 'fortran_order': False, 'shape': (2,)}",
        "{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': Fals",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<f4', 'fortran_order': False, "
        "'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'form': (2,)}",
        "{'descr': '<f4444444444444444', 'fortran_order': False, "
        "'shape': (2,)}",
        "{'a key that is longer than all of them': 1}",
    };
    static const float v[2] = {1, 2};
    SnData t;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        SnBuf b = image(1, right[i], v, sizeof v);
        assert_int_equal(sn_npy_parse(a, "x.npy", b.s, b.n, d, &t), SN_OK);
        assert_int_equal(sn_data_count(&t), 2);
        assert_true(sn_data_real(&t, 0) == 1 && sn_data_real(&t, 1) == 2);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        SnBuf b = image(1, wrong[i], v, sizeof v);
        refused(&b, SN_EINPUT,
                "x.npy: the header is not {'descr': ..., 'fortran_order': "
                "..., 'shape': (...)} of at most 8 dimensions\n");
    }
    SnBuf b = image(0, right[0], v, sizeof v);
    refused(&b, SN_EUNSUPPORTED,
            "x.npy: .npy version 0.0 is not supported: expected 1, 2 or 3\n");
    b = image(2, "", v, 0);
    b.n = 11;
    refused(&b, SN_EINPUT, "x.npy: the header is cut off\n");
}

static void
refuses_other_types(void **state)
{
    static const char *const descr[] = {">f4", "<c8", "|S3", "<f3",
                                        ">u4", "",    "<",   "|f"};

    (void)state;
    for (size_t i = 0; i < sizeof descr / sizeof descr[0]; i++) {
        SnBuf b = image(1,
                        sn_format(a,
                                  "{'descr': '%s', 'fortran_order': "
                                  "False, 'shape': (), }",
                                  descr[i]),
                        "", 0);
        refused(&b, SN_EUNSUPPORTED,
                sn_format(a,
                          "x.npy: elements of type '%s' are not supported\n   "
                          "help: supported are integers of 8 to 64 bits, "
                          "float16, float32, float64 and bool, little-endian\n",
                          descr[i]));
    }
}

static void
cannot_be_crashed_by_cutting(void **state)
{
    static const float v[6] = {1, 2, 3, 4, 5, 6};
    SnBuf b = image(1,
                    "{'descr': '<f4', 'fortran_order': True, 'shape': "
                    "(2, 3), }\n",
                    v, sizeof v);
    SnData t;

    (void)state;
    for (size_t n = 0; n < b.n; n++) {
        char *p = malloc(n + 1); /* its own block, for the sanitizers */
        assert_non_null(p);
        memcpy(p, b.s, n);
        assert_int_not_equal(sn_npy_parse(a, "x", p, n, d, &t), SN_OK);
        free(p);
    }
}

static void
reads_what_it_writes(void **state)
{
    static const int64_t v[6] = {1, -2, 3, -4, 5, INT64_MAX};
    SnData t = {.rank = 3, .dim = {1, 3, 2}, .data = v}, u;
    const char *path = new_file(a);
    char *text;
    size_t n;

    (void)state;
    for (int k = SN_D_F32; k < SN_NDTYPE; k++) {
        t.dtype = (SnDtype)k;
        t.data = k == SN_D_BOOL ? (const void *)"\0\1\0\1\1\1" : v;
        assert_int_equal(sn_npy_write(a, d, path, &t), SN_OK);
        assert_int_equal(sn_npy_read(a, path, d, &u), SN_OK);
        assert_int_equal(u.dtype, k);
        assert_int_equal(u.rank, 3);
        assert_int_equal(u.dim[1], 3);
        assert_memory_equal(u.data, t.data, sn_data_nbyte(&t));
        assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
        assert_int_equal((n - sn_data_nbyte(&t)) % 64, 0);
    }
    t.dtype = SN_D_NONE;
    assert_int_equal(sn_npy_write(a, d, path, &t), SN_EUNSUPPORTED);
    unlink(path);
}

static void
refuses_in_parts(void **state)
{
    static const uint8_t v[3] = {0, 1, 2};
    SnNpy f;
    const char *path = new_file(a);
    SnData t = {SN_D_BOOL, 1, {3}, v, 0};

    (void)state;
    assert_int_equal(sn_npy_write(a, d, path, &t), SN_OK);
    d = sn_diag_new(a);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "a bool element is 2"));
    assert_int_equal(truncate(path, 130), 0);
    d = sn_diag_new(a);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_EINPUT);
    assert_non_null(
        strstr(sn_diag_text(d, a),
               "holds 2 bytes of elements, but its header announces 3"));
    unlink(path);
    d = sn_diag_new(a);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(d, a), "cannot open"));
}

typedef struct Gather {
    int64_t next, count;
    double sum; /* of value times position */
    unsigned nparts;
} Gather;

static void
gather(void *ctx, const SnData *part, int64_t i, int64_t n)
{
    Gather *g = ctx;

    assert_int_equal(i, g->next);
    assert_true((size_t)n * sn_dtype_size(part->dtype) <= 1 << 15 ||
                g->count == 0);
    g->next += n;
    g->nparts++;
    for (int64_t k = 0; k < n; k++)
        g->sum += sn_data_real(part, k) * (double)(i + k + 1);
}

/* 60 000 bytes of a type go out in parts of at most 32 KiB, in order. */
static void
reads_parts(void **state)
{
    enum { N = 60000 };
    const char *path = new_file(a);
    int16_t *v = sn_alloc_n(a, N, sizeof *v);
    SnData t = {SN_D_I16, 2, {N / 100, 100}, v, 0};
    Gather g = {.count = 1};
    double want = 0;
    SnNpy f;

    (void)state;
    for (int i = 0; i < N; i++)
        v[i] = (int16_t)(i * 37 % 1000 - 500);
    for (int i = 0; i < 50000; i++)
        want += (double)v[i + 7000] * (i + 1);
    assert_int_equal(sn_npy_write(a, d, path, &t), SN_OK);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_OK);
    assert_null(f.data.data); /* nothing is held */
    assert_int_equal(f.data.dim[0], N / 100);
    assert_true(sn_npy_part(&f, 7000, 50000, gather, &g));
    assert_true(g.next == 50000 && g.sum == want && g.nparts == 4);
    assert_int_equal(truncate(path, 100000), 0);
    g = (Gather){.count = 1};
    assert_false(sn_npy_part(&f, 7000, 50000, gather, &g));
    assert_int_equal(errno, 0);
    unlink(path);
    assert_false(sn_npy_part(&f, 0, 1, gather, &g));
    assert_int_equal(errno, ENOENT);
}

/* A pipe is read whole, by the one open there is. */
static void
reads_pipe(void **state)
{
    static const uint8_t v[3] = {7, 8, 9};
    SnBuf b = image(1,
                    "{'shape': (3,), 'descr': '|u1', "
                    "'fortran_order': False}\n",
                    v, sizeof v);
    int fd[2];
    SnNpy f;

    (void)state;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], b.s, b.n), (ssize_t)b.n);
    close(fd[1]);
    const char *path = sn_format(a, "/dev/fd/%d", fd[0]);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_OK);
    close(fd[0]);
    assert_non_null(f.data.data);
    assert_int_equal(sn_data_int(&f.data, 2), 9);
}

/* Elements in Fortran order cannot be read in place. */
static void
reads_fortran_whole(void **state)
{
    static const int32_t v[6] = {1, 4, 2, 5, 3, 6};
    SnBuf b = image(1,
                    "{'shape': (2, 3), 'descr': '<i4', "
                    "'fortran_order': True}\n",
                    v, sizeof v);
    const char *path = new_file(a);
    Gather g = {0};
    SnNpy f;

    (void)state;
    assert_int_equal(sn_file_write(d, path, b.s, b.n), SN_OK);
    assert_int_equal(sn_npy_open(a, path, d, &f), SN_OK);
    unlink(path);
    assert_non_null(f.data.data);
    assert_true(sn_npy_part(&f, 1, 5, gather, &g));
    assert_true(g.sum == 2 + 2 * 3 + 3 * 4 + 4 * 5 + 5 * 6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_types),
        cmocka_unit_test(reads_fortran_order),
        cmocka_unit_test(reads_scalar_and_empty),
        cmocka_unit_test(reads_headers),
        cmocka_unit_test(refuses_broken_files),
        cmocka_unit_test(refuses_other_types),
        cmocka_unit_test(cannot_be_crashed_by_cutting),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(refuses_in_parts),
        cmocka_unit_test(reads_parts),
        cmocka_unit_test(reads_pipe),
        cmocka_unit_test(reads_fortran_whole),
    };

    return cmocka_run_group_tests_name("npy", tests, setup, teardown);
}
