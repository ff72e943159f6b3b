// SPDX-License-Identifier: Apache-2.0
/* Unpacking without copying long bytes: the same messages, the bytes where they
 * were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/file/file.h"
#include "onnx/proto/onnx_read.h"
#include "onnx/proto/pb_cut.h"
#include "onnx.pb-c.h"

enum { LONG = 3000, SHORT = 40 };

static SnArena *a;

static int
open_arena(void **state)
{
    (void)state;
    a = sn_arena_new();
    return 0;
}

static int
close_arena(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

static Onnx__TensorProto *
tensor(char *name, size_t n, int seed)
{
    Onnx__TensorProto *t = SN_NEW(a, Onnx__TensorProto);

    onnx__tensor_proto__init(t);
    t->name = name;
    t->has_raw_data = 1;
    t->raw_data.len = n;
    t->raw_data.data = sn_alloc(a, n);
    for (size_t i = 0; i < n; i++)
        t->raw_data.data[i] = (uint8_t)(seed + (int)i * 7);
    return t;
}

/* Long and short bytes, at three depths, before and behind each other. */
static Onnx__ModelProto *
model(void)
{
    static char name[4][4] = {"a", "bb", "ccc", "d"};
    static Onnx__TensorProto *init[4];
    static Onnx__NodeProto *node[1];
    static Onnx__AttributeProto *attr[2];
    static Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    static Onnx__GraphProto inner = ONNX__GRAPH_PROTO__INIT;
    static Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;

    for (int i = 0; i < 4; i++)
        init[i] = tensor(name[i], i % 2 ? SHORT : LONG + (size_t)i, i);
    node[0] = SN_NEW(a, Onnx__NodeProto);
    onnx__node_proto__init(node[0]);
    for (int i = 0; i < 2; i++) {
        attr[i] = SN_NEW(a, Onnx__AttributeProto);
        onnx__attribute_proto__init(attr[i]);
    }
    attr[0]->t = tensor("t", LONG, 9);
    inner.n_initializer = 2;
    inner.initializer = init + 2;
    attr[1]->g = &inner;
    node[0]->n_attribute = 2;
    node[0]->attribute = attr;
    graph.n_node = 1;
    graph.node = node;
    graph.n_initializer = 2;
    graph.initializer = init;
    m.graph = &graph;
    return &m;
}

static Onnx__ModelProto *
borrow(const void *p, size_t n)
{
    SnDiag *d = sn_diag_new(a);
    ProtobufCMessage *m = NULL;

    if (sn_pb_borrow(a, &onnx__model_proto__descriptor, "m", p, n, d, &m) !=
        SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return (Onnx__ModelProto *)m;
}

static void
assert_packs_to(const Onnx__ModelProto *m, const void *p, size_t n)
{
    uint8_t *q = sn_alloc(a, n);

    assert_int_equal(onnx__model_proto__get_packed_size(m), n);
    onnx__model_proto__pack(m, q);
    assert_memory_equal(q, p, n);
}

static bool
inside(const void *p, size_t n, const Onnx__TensorProto *t)
{
    uintptr_t at = (uintptr_t)t->raw_data.data, from = (uintptr_t)p;

    return at >= from && at < from + n;
}

/* At any address of the file. */
static void
test_long_bytes_stay(void **state)
{
    Onnx__ModelProto *m = model();
    size_t n = onnx__model_proto__get_packed_size(m);

    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        uint8_t *p = (uint8_t *)sn_alloc(a, n + 4) + shift;
        onnx__model_proto__pack(m, p);
        Onnx__ModelProto *r = borrow(p, n);
        const Onnx__NodeProto *node = r->graph->node[0];
        assert_packs_to(r, p, n);
        assert_true(inside(p, n, r->graph->initializer[0]));
        assert_false(inside(p, n, r->graph->initializer[1]));
        assert_true(inside(p, n, node->attribute[0]->t));
        assert_true(inside(p, n, node->attribute[1]->g->initializer[0]));
        assert_int_equal(node->attribute[0]->t->base.n_unknown_fields, 0);
    }
}

/* The number that marks what was cut may be in the file: nothing is cut. */
static void
test_number_is_taken(void **state)
{
    Onnx__ModelProto *m = model();
    size_t n = onnx__model_proto__get_packed_size(m);
    uint8_t *p = sn_alloc(a, n + 6);
    static const uint8_t mark[] = {0xf8, 0xff, 0xff, 0xff, 0x0f, 0x00};

    (void)state;
    onnx__model_proto__pack(m, p);
    memcpy(p + n, mark, sizeof mark);
    Onnx__ModelProto *r = borrow(p, n + sizeof mark);
    assert_int_equal(r->base.n_unknown_fields, 1);
    assert_int_equal(r->base.unknown_fields[0].tag, SN_PB_CUT_TAG);
    assert_packs_to(r, p, n + sizeof mark);
    assert_false(inside(p, n, r->graph->initializer[0]));
}

/* Of a field given twice the last counts, also when it is the short one. */
static void
test_twice(void **state)
{
    enum { TENSOR = 3 + LONG + 4, GRAPH = 3 + TENSOR, MODEL = 3 + GRAPH };
    uint8_t *p = sn_alloc(a, MODEL), *q = p;

    (void)state;
    *q++ = 7 << 3 | 2; /* graph */
    *q++ = (GRAPH & 127) | 128;
    *q++ = GRAPH >> 7;
    *q++ = 5 << 3 | 2; /* initializer */
    *q++ = (TENSOR & 127) | 128;
    *q++ = TENSOR >> 7;
    *q++ = 9 << 3 | 2; /* raw_data */
    *q++ = (LONG & 127) | 128;
    *q++ = LONG >> 7;
    q += LONG;
    *q++ = 9 << 3 | 2;
    *q++ = 2;
    *q++ = 'o';
    *q++ = 'k';
    const Onnx__TensorProto *t = borrow(p, MODEL)->graph->initializer[0];
    assert_int_equal(t->raw_data.len, 2);
    assert_memory_equal(t->raw_data.data, "ok", 2);
}

/* ---- what it rests on ---- */

static int order[4], norder;

static void
note(void *ctx)
{
    order[norder++] = *(int *)ctx;
}

static void
test_at_free(void **state)
{
    SnArena *b = sn_arena_new();
    static int one = 1, two = 2;

    (void)state;
    norder = 0;
    sn_arena_at_free(b, note, &one);
    sn_arena_at_free(b, note, &two);
    sn_arena_free(b);
    assert_int_equal(norder, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
}

/* Reserved memory is zeroed, in one piece, and no limit. */
static void
test_reserve(void **state)
{
    enum { PART = 1 << 20 };
    SnArena *b = sn_arena_new();
    char *p, *q;

    (void)state;
    sn_arena_reserve(b, 3 * PART, 0);
    size_t n = sn_arena_nbyte(b);
    p = sn_alloc(b, PART);
    q = sn_alloc(b, PART);
    assert_int_equal(q - p, PART);
    assert_int_equal(p[0] | p[PART - 1], 0);
    assert_int_equal(sn_arena_nbyte(b), n);
    q = sn_alloc(b, 4 * PART);
    memset(q, 1, 4 * PART);
    assert_true(sn_arena_nbyte(b) > n);
    sn_arena_reserve(b, SIZE_MAX, 0); /* in vain */
    sn_arena_reserve(b, 0, SIZE_MAX);
    sn_arena_free(b);
}

/* Small files are read, large ones mapped; forgotten bytes come back. */
static void
test_map(void **state)
{
    enum { SIZE = 3 << 20 };
    char *p = sn_alloc(a, SIZE), path[] = "/tmp/sinter_mapXXXXXX";
    SnDiag *d = sn_diag_new(a);
    int fd = mkstemp(path);
    SnFileMap m;

    (void)state;
    close(fd);
    for (size_t i = 0; i < SIZE; i++)
        p[i] = (char)(i * 31 >> 3);
    assert_int_equal(sn_file_write(d, path, p, SIZE), SN_OK);
    assert_int_equal(sn_file_map(a, d, path, 0, &m), SN_OK);
    assert_true(m.mapped);
    assert_int_equal(m.n, SIZE);
    assert_memory_equal(m.p, p, SIZE);
    sn_file_forget(&m, m.p + 1, SIZE - 1);
    sn_file_forget(&m, p, SIZE); /* not of the map: left alone */
    assert_memory_equal(m.p, p, SIZE);
    assert_int_equal(sn_file_map(a, d, path, SIZE - 1, &m), SN_EINPUT);
    assert_int_equal(sn_file_write(d, path, p, 100), SN_OK);
    assert_int_equal(sn_file_map(a, d, path, 0, &m), SN_OK);
    assert_false(m.mapped);
    assert_int_equal(m.n, 100);
    assert_memory_equal(m.p, p, 100);
    unlink(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_bytes_stay),
        cmocka_unit_test(test_number_is_taken),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_at_free),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_map),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
