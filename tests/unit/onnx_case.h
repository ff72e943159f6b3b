// SPDX-License-Identifier: Apache-2.0
/* Models of one operator whose values are known: built here, and run on an
 * input that is filled by a formula which tools/oracle/values.js knows too:
 * element i is p = (37 i + 11) mod 41 - 20, of reals p / 8, of uint8 p + 20. */
#ifndef SN_TEST_ONNX_CASE_H
#define SN_TEST_ONNX_CASE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/onnx_build.h"
#include "unit/onnx_run.h"
#include "sn_kinds.h"

enum {
    FLOAT = 1,
    UINT8 = 2,
    INT8 = 3,
    INT32 = 6,
    INT64 = 7,
    BOOL = 9,
    INT4 = 22
};

static SnArena *a;
static OnnxBuild *b;

typedef struct Case {
    const char *name;
    void (*build)(void);
    double tol; /* of the largest magnitude; 0: equal */
    uint32_t n;
    double want[48];
} Case;

/* ---- parts of models ---- */

static inline int
pattern(int64_t i)
{
    return (int)((37 * i + 11) % 41) - 20;
}

/* The elements of a value by the formula. */
static inline SnData
filled(int elem, int rank, const int64_t *dim)
{
    SnData t = {.rank = rank};
    int64_t n = sn_dims_count(rank, dim);
    const char *name;
    char *p;

    t.dtype = sn_onnx_dtype(elem, &name);
    memcpy(t.dim, dim, (size_t)rank * sizeof *dim);
    t.data = p = sn_alloc_n(a, (size_t)n, sn_dtype_size(t.dtype));
    for (int64_t i = 0; i < n; i++) {
        int v = pattern(i);
        if (elem == FLOAT)
            ((float *)(void *)p)[i] = (float)v / 8;
        else if (elem == INT32)
            ((int32_t *)(void *)p)[i] = v;
        else if (elem == INT64)
            ((int64_t *)(void *)p)[i] = v;
        else if (elem == BOOL)
            p[i] = (char)(v & 1);
        else
            p[i] = (char)(elem == UINT8 ? v + 20 : v);
    }
    return t;
}

static inline void
reals(const char *name, const char *dims, int n, const float *v)
{
    ob_init(b, name, FLOAT, dims, v, (size_t)n * sizeof *v);
}

static inline void
codes(const char *name, int elem, const char *dims)
{
    Onnx__TensorProto *t = ob_init(b, name, elem, dims, "", 0);
    SnData d = filled(elem, (int)t->n_dims, t->dims);

    t->raw_data.len = sn_data_nbyte(&d);
    t->raw_data.data = sn_memdup(a, d.data, t->raw_data.len);
}

static inline void
code(const char *name, int elem, int v)
{
    int8_t c = (int8_t)v;

    ob_init(b, name, elem, "", &c, 1);
}

/* x -> op -> y */
static inline Onnx__NodeProto *
model(int64_t opset, const char *op, const char *in, int elem,
      const char *xdims, int yelem)
{
    static Onnx__OperatorSetIdProto own, *both[2];
    const char *dot = strchr(op, ':');
    Onnx__NodeProto *n;

    b = ob_new(a, opset);
    ob_input_of(b, "x", elem, xdims);
    n = ob_node(b, dot != NULL ? dot + 1 : op, in, "y");
    ob_output_of(b, "y", yelem, NULL);
    if (dot == NULL)
        return n;
    n->domain = sn_strndup(a, op, (size_t)(dot - op));
    onnx__operator_set_id_proto__init(&own);
    own.domain = n->domain;
    own.has_version = 1;
    own.version = 1;
    both[0] = b->opsets[0];
    both[1] = &own;
    b->model.opset_import = both;
    b->model.n_opset_import = 2;
    return n;
}

/* As ob_int and the like, for a node made in the same expression: b is not
 * set before that. */
static inline void
set_int(Onnx__NodeProto *n, const char *name, int64_t v)
{
    ob_int(b, n, name, v);
}

static inline void
set_real(Onnx__NodeProto *n, const char *name, float v)
{
    ob_real(b, n, name, v);
}

static inline void
string(Onnx__NodeProto *n, const char *name, const char *s)
{
    ob_str(b, n, name, s);
}

static inline void
real_list(Onnx__NodeProto *n, const char *name, int count, const float *v)
{
    Onnx__AttributeProto *t = ob_attr(b, n, name, 6);

    t->n_floats = (size_t)count;
    t->floats = sn_memdup(a, v, (size_t)count * sizeof *v);
}

static inline void
numbers(const char *name, const char *dims, int n, const int64_t *v)
{
    ob_init(b, name, INT64, dims, v, (size_t)n * sizeof *v);
}

/* ---- running ---- */

static inline int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    return 0;
}

static inline int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

/* The wanted numbers in the shape and kind of element of output y. */
static inline SnData
wanted(const Case *c, SnGraph *g)
{
    SnData t = {.dtype = SN_D_F64, .data = c->want};
    uint32_t n;
    SnId *ids = sn_topo(g, a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *p = sn_node(g, ids[i]);
        if (p->kind != SN_K_SAVE)
            continue;
        const SnShape *s = sn_shape_of(g, p->in[0].ref);
        t.rank = s->rank;
        memcpy(t.dim, s->dim, (size_t)s->rank * sizeof *s->dim);
        if (sn_type(g, p->in[0].ref)->elem != SN_F32) {
            int64_t *v = sn_alloc_n(a, c->n, sizeof *v);
            for (uint32_t k = 0; k < c->n; k++)
                v[k] = (int64_t)c->want[k];
            t.dtype = SN_D_I64;
            t.data = v;
        }
    }
    return t;
}

static inline void
check(const Case *c)
{
    SnDiag *d = sn_diag_new(a);
    OrIo in = {.n = 1, .name = {"x"}}, want = {.n = 1, .name = {"y"}};
    OrResult r = {.close = false};
    SnGraph *g;
    size_t n;

    c->build();
    uint8_t *p = ob_pack(b, &n);
    SnStatus s = sn_onnx_parse(a, "m.onnx", NULL, p, n, NULL, d, &g);
    if (s == SN_OK) {
        const Onnx__TypeProto__Tensor *t = b->in[0]->type->tensor_type;
        int64_t dim[8];
        for (size_t i = 0; i < t->shape->n_dim; i++)
            dim[i] = t->shape->dim[i]->dim_value;
        in.data[0] = filled(t->elem_type, (int)t->shape->n_dim, dim);
        want.data[0] = wanted(c, g);
        s = or_run(a, g, &in, &want, d, &r);
    }
    if (s != SN_OK || !r.close || r.n != c->n || r.worst > c->tol)
        fail_msg("%s: status %d, worst %g, %lld of %lld: %s", c->name, (int)s,
                 r.worst, (long long)r.ndiff, (long long)r.n,
                 sn_diag_text(d, a));
    free(p);
}

static inline void
case_is_right(void **state)
{
    check(*state);
}

static inline int
dump(const char *dir, const Case *cases, size_t n)
{
    a = sn_arena_new();
    for (size_t i = 0; i < n; i++) {
        size_t nbyte;
        cases[i].build();
        uint8_t *p = ob_pack(b, &nbyte);
        if (sn_file_write(sn_diag_new(a),
                          sn_format(a, "%s/%s.onnx", dir, cases[i].name), p,
                          nbyte) != SN_OK)
            return 5;
        free(p);
    }
    sn_arena_free(a);
    return 0;
}

/* The main program of a test of these cases: with --dump DIR it writes their
 * models instead. */
static inline int
run_cases(const char *group, const Case *c, size_t n, int argc, char **argv)
{
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    int r = 6;

    for (size_t i = 0; tests != NULL && i < n; i++)
        tests[i] =
            (struct CMUnitTest){.name = c[i].name,
                                .test_func = case_is_right,
                                .initial_state = (void *)(uintptr_t)&c[i]};
    if (argc == 3 && strcmp(argv[1], "--dump") == 0)
        r = dump(argv[2], c, n);
    else if (tests != NULL)
        r = _cmocka_run_group_tests(group, tests, n, setup, teardown);
    free(tests);
    return r;
}

#endif
