// SPDX-License-Identifier: Apache-2.0
/* One-node graphs over constants, for tests of evaluators. */
#ifndef SN_EVAL_GRAPH_H
#define SN_EVAL_GRAPH_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "kernel/eval/eval.h"
#include "kernel/eval/dot.h"
#include "sn_kinds.h"

static SnArena *arena;
static SnGraph *g;

static inline int
setup(void **state)
{
    (void)state;
    arena = sn_arena_new();
    g = sn_graph_new(arena, "t");
    return 0;
}

static inline int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

#define SHAPE(...)                                                 \
    sn_shape(g->pool, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), \
             (int64_t[]){__VA_ARGS__})
#define INTS(...)                                               \
    (SnInts)                                                    \
    {                                                           \
        sizeof((int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]) \
        {                                                       \
            __VA_ARGS__                                         \
        }                                                       \
    }

static inline const SnType *
q8(float scale, int32_t zp)
{
    const SnType *t = sn_type_quant(g->pool, SN_QI8, scale, zp);

    assert_non_null(t);
    return t;
}

static inline const SnType *
plain(SnElem e)
{
    return sn_type_plain(g->pool, e);
}

static inline SnRef
con(const SnType *t, const SnShape *s, const void *data)
{
    return SN_REF(sn_constant_new(g, NULL, s, data, t), 0);
}

/* Deterministic pseudo-random 32 bits. */
static uint32_t seed = 12345;
static inline uint32_t
rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static inline int8_t *
rnd8(int64_t n)
{
    int8_t *v = SN_NEW_N(arena, int8_t, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = (int8_t)(rnd() >> 24);
    return v;
}

static inline float *
rndf(int64_t n)
{
    float *v = SN_NEW_N(arena, float, n);

    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(int32_t)rnd() / 1e9f;
    return v;
}

static inline const void *
eval(SnId id, unsigned res)
{
    const void *p = sn_eval_const(g, SN_REF(id, res), arena);

    assert_non_null(p);
    return p;
}

static inline int64_t
count(SnId id)
{
    return sn_shape_count(sn_shape_of(g, SN_REF(id, 0)));
}

#endif
