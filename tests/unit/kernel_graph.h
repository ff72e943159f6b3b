// SPDX-License-Identifier: Apache-2.0
/* Graphs of a node or a few, run by evaluators and by the kernels of the CPU
 * backend on every instruction set, whole and in parts.  A test that includes
 * this defines fill. */
#ifndef SN_KERNEL_GRAPH_H
#define SN_KERNEL_GRAPH_H

#include "unit/eval_graph.h"

#include "kernel/isa.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

enum { NPATTERN = 4 };

/* Writes the inputs' values, one of NPATTERN kinds, drawn with rnd(). */
static void fill(SnRun *r, int pattern);

static inline SnRef
input(const SnType *t, const SnShape *s)
{
    SnPlaceholderAttr at = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};

    return SN_REF(sn_placeholder_new(g, NULL, s, NULL, &at, t), 0);
}

/* Steps are cut into npart parts, however small.  b NULL: evaluators. */
static inline void *
result(const SnBackendDesc *b, unsigned npart, uint32_t seed0, int pattern,
       uint32_t *nfallback)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_exec_prepare(arena, g, b, d, &x), SN_OK);
    for (uint32_t i = 0; i < x->nstep; i++)
        x->step[i].cost = INT64_MAX;
    /* Threads are slow to make: each sixteenth time they are real. */
    static int ncut;
    SnRun *r = npart == 2 && ncut++ % 16 == 0 ? sn_run_team(arena, x, npart)
                                              : sn_run_parts(arena, x, npart);
    seed = seed0;
    fill(r, pattern);
    assert_int_equal(sn_run(r), SN_OK);
    const SnPort *o = &x->output[0];
    void *y = sn_memdup(arena, sn_run_output(r, 0),
                        sn_tensor_nbyte(o->type, o->shape));
    sn_run_free(r);
    *nfallback = x->nfallback;
    return y;
}

/* The same bits, or both NaN: which one, numerics.md leaves open. */
static inline bool
alike(SnElem e, const void *a, const void *b)
{
    float x, y;

    if (!memcmp(a, b, sn_elem_size(e)))
        return true;
    if (e != SN_F32)
        return false;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x != x && y != y;
}

static inline void
new_graph(void)
{
    sn_arena_free(arena);
    arena = sn_arena_new();
    g = sn_graph_new(arena, "t");
}

/* All variants of the graph that ends in y, of which nslow nodes have no
 * kernel. */
static inline void
compare(SnRef y, uint32_t nslow, const char *what)
{
    static const unsigned parts[] = {1, 2, 7};
    SnSaveAttr at = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnElem e = sn_type(g, y)->elem;
    size_t n = (size_t)sn_shape_count(sn_shape_of(g, y));
    size_t size = sn_elem_size(e);
    uint32_t nf, s0 = rnd();
    SnIsa best = sn_isa();

    sn_save_new(g, "y", y, &at);
    assert_non_null(cpu);
    for (int pattern = 0; pattern < NPATTERN; pattern++) {
        const char *want = result(NULL, 1, s0, pattern, &nf);
        for (int i = 0; i < 3 * SN_NISA; i++) {
            SnIsa isa = (SnIsa)(i / 3);
            if (!sn_isa_set(isa))
                continue;
            const char *got = result(cpu, parts[i % 3], s0, pattern, &nf);
            assert_int_equal(nf, nslow);
            for (size_t k = 0; k < n; k++)
                if (!alike(e, got + k * size, want + k * size))
                    fail_msg("%s, %s, pattern %d, parts %u: element %zu of "
                             "%zu differs",
                             what, sn_isa_name(isa), pattern, parts[i % 3], k,
                             n);
        }
        sn_isa_set(best);
    }
    new_graph();
}

/* Codes: drawn, the least, the greatest, both in turn. */
static inline void
fill_codes(SnRun *r, int pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        int8_t *v = sn_run_input(r, i);
        for (size_t k = 0; k < n; k++) {
            if (pattern == 0)
                v[k] = (int8_t)(rnd() >> 24);
            else
                v[k] = pattern == 1   ? -128
                       : pattern == 2 ? 127
                                      : (int8_t)(k % 2 ? 127 : -128);
        }
    }
}

static const int64_t ones[] = {1, 1};
static const SnRange open_range = {0, 0, false, false};

/* ---- convolutions ---- */

typedef struct Geo {
    int64_t n, h, w, c, oc, kh, kw, group;
    int64_t stride[2], pads[4], dilate[2];
} Geo;

/* Shapes for convolutions of every kind: channels around the unroll, first
 * layers, steps, borders, dilation, groups, depthwise. */
#define GEOS                                                         \
    {1, 5, 5, 1, 1, 1, 1, 1, {1, 1}, {0}, {1, 1}},                   \
        {1, 7, 7, 4, 16, 1, 1, 1, {1, 1}, {0}, {1, 1}},              \
        {1, 7, 7, 64, 64, 1, 1, 1, {1, 1}, {0}, {1, 1}},             \
        {2, 3, 5, 63, 65, 1, 1, 1, {1, 1}, {0}, {1, 1}},             \
        {1, 6, 6, 67, 47, 1, 1, 1, {2, 2}, {0}, {1, 1}},             \
        {1, 9, 4, 17, 33, 1, 1, 1, {1, 3}, {1, 2, 0, 1}, {1, 1}},    \
        {1, 14, 14, 30, 130, 1, 1, 1, {1, 1}, {0}, {1, 1}},          \
        {1, 17, 19, 3, 16, 7, 7, 1, {2, 2}, {3, 3, 3, 3}, {1, 1}},   \
        {1, 23, 23, 3, 96, 11, 11, 1, {4, 4}, {0}, {1, 1}},          \
        {1, 12, 12, 1, 8, 5, 5, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},    \
        {1, 30, 30, 3, 32, 3, 3, 1, {2, 2}, {0, 0, 1, 1}, {1, 1}},   \
        {1, 8, 8, 16, 24, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},    \
        {2, 9, 7, 13, 15, 3, 3, 1, {2, 1}, {1, 0, 2, 1}, {1, 1}},    \
        {1, 11, 11, 5, 70, 3, 3, 1, {2, 2}, {2, 2, 2, 2}, {2, 2}},   \
        {1, 8, 9, 6, 18, 3, 2, 1, {1, 1}, {0, 1, 1, 0}, {1, 3}},     \
        {1, 4, 4, 20, 9, 4, 4, 1, {1, 1}, {0}, {1, 1}},              \
        {1, 3, 3, 8, 8, 3, 3, 1, {1, 1}, {5, 5, 5, 5}, {1, 1}},      \
        {1, 5, 40, 32, 16, 1, 7, 1, {1, 1}, {0, 3, 0, 3}, {1, 1}},   \
        {1, 40, 5, 31, 20, 7, 1, 1, {1, 1}, {3, 0, 3, 0}, {1, 1}},   \
        {1, 8, 8, 12, 20, 3, 3, 4, {1, 1}, {1, 1, 1, 1}, {1, 1}},    \
        {2, 1, 60, 32, 48, 1, 3, 1, {1, 1}, {0, 4, 0, 4}, {1, 4}},   \
        {1, 1, 71, 20, 33, 1, 5, 1, {1, 2}, {0, 2, 0, 1}, {1, 1}},   \
        {1, 1, 45, 64, 32, 1, 3, 4, {1, 1}, {0, 1, 0, 1}, {1, 1}},   \
        {3, 1, 33, 16, 4, 1, 3, 1, {1, 1}, {0, 2, 0, 0}, {1, 1}},    \
        {2, 1, 50, 17, 20, 1, 3, 1, {1, 1}, {0, 1, 0, 1}, {1, 1}},   \
        {2, 41, 3, 16, 20, 3, 3, 1, {1, 1}, {1, 0, 1, 0}, {1, 1}},   \
        {1, 7, 7, 64, 128, 3, 3, 2, {2, 2}, {1, 1, 1, 1}, {1, 1}},   \
        {1, 6, 6, 6, 12, 3, 3, 6, {1, 1}, {1, 1, 1, 1}, {1, 2}},     \
        {1, 6, 6, 10, 4, 1, 1, 2, {1, 1}, {0}, {1, 1}},              \
        {1, 7, 9, 5, 5, 3, 3, 5, {1, 2}, {1, 1, 1, 1}, {1, 1}},      \
        {1, 10, 10, 64, 64, 3, 3, 64, {1, 1}, {1, 1, 1, 1}, {1, 1}}, \
        {2, 6, 8, 67, 67, 3, 3, 67, {2, 2}, {0, 0, 1, 1}, {1, 1}},   \
        {1, 9, 9, 96, 96, 5, 5, 96, {1, 1}, {2, 2, 2, 2}, {1, 1}},   \
    {                                                                \
        1, 6, 6, 16, 16, 2, 3, 16, {1, 1}, {0, 1, 0, 1},             \
        {                                                            \
            1, 2                                                     \
        }                                                            \
    }

#endif
