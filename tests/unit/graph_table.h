// SPDX-License-Identifier: Apache-2.0
/* A small descriptor table for tests of src/graph: the shapes of declaration
 * that matter (variadic and optional ports, every fact, every attribute kind),
 * without the generated tables. */
#ifndef SN_GRAPH_TABLE_H
#define SN_GRAPH_TABLE_H

#include "graph/desc.h"
#include "sn_kinds.h"

enum {
    K_PLACEHOLDER = 1,
    K_CONSTANT,
    K_SAVE,
    K_RESCALE,
    K_CONV,
    K_MAXPOOL,
    K_CONCAT,
    K_SOFTMAX,
    K_ALL,  /* an attribute of every kind */
    K_CELL, /* optional results, one of a free quantized type */
    K_COUNT
};

typedef struct SaveAttr {
    const char *name;
} SaveAttr;
typedef struct RescaleAttr {
    SnRange clamp;
} RescaleAttr;
typedef struct ConvAttr {
    SnInts stride, pads, dilate;
    int64_t group;
    SnRange clamp;
} ConvAttr;
typedef struct PoolAttr {
    SnInts kernel, stride, pads, dilate;
    bool ceil_mode;
} PoolAttr;
typedef struct ConcatAttr {
    int64_t axis;
} ConcatAttr;
typedef struct AllAttr {
    int64_t i;
    float r;
    bool b;
    const char *s;
    int32_t e;
    SnInts v;
    SnReals w;
    const SnType *t;
    SnRange c;
} AllAttr;

#define Q8         \
    {              \
        SN_QI8, -1 \
    }
#define Q8C       \
    {             \
        SN_QI8, 0 \
    }
#define Q32         \
    {               \
        SN_QI32, -1 \
    }
#define Q32C       \
    {              \
        SN_QI32, 0 \
    }
#define F32        \
    {              \
        SN_F32, -1 \
    }
#define PATS(...)       \
    (const SnTypePat[]) \
    {                   \
        __VA_ARGS__     \
    }
#define TUPLES(...)   \
    (const SnTuple[]) \
    {                 \
        __VA_ARGS__   \
    }
#define NTUPLE(...) (uint16_t)(sizeof(TUPLES(__VA_ARGS__)) / sizeof(SnTuple))
#define ANY                                                                   \
    {.out = PATS(Q8)}, {.out = PATS(Q8C)}, {.out = PATS(Q32)},                \
        {.out = PATS(Q32C)}, {.out = PATS(F32)}, {.out = PATS({SN_F16, -1})}, \
        {.out = PATS({SN_ROW8, -1})}, {.out = PATS({SN_I64, -1})},            \
        {.out = PATS({SN_BOOL, -1})}, {.out = PATS({SN_QI16, -1})},           \
        {.out = PATS({SN_I8, -1})},                                           \
    {                                                                         \
        .out = PATS({SN_I32, -1})                                             \
    }
#define PORTS(...)       \
    (const SnPortDesc[]) \
    {                    \
        __VA_ARGS__      \
    }
#define FIELD(T, f, k, ...)                                          \
    {                                                                \
        .name = #f, .kind = k, .offset = offsetof(T, f), __VA_ARGS__ \
    }
#define ATTRS(...)                                                  \
    .nattr = (uint16_t)(sizeof((const SnAttrDesc[]){__VA_ARGS__}) / \
                        sizeof(SnAttrDesc)),                        \
    .attr = (const SnAttrDesc[])                                    \
    {                                                               \
        __VA_ARGS__                                                 \
    }
#define ARGS(n, ...) .narg = n, .arg = {__VA_ARGS__}
#define P(i)           \
    {                  \
        SN_ARG_PORT, i \
    }
#define A(i)           \
    {                  \
        SN_ARG_ATTR, i \
    }

static const int64_t t_ones[2] = {1, 1}, t_zeros[4] = {0, 0, 0, 0};
static const ConvAttr conv_dflt = {
    {2, t_ones}, {4, t_zeros}, {2, t_ones}, 1, {0, 0, false, false}};
static const PoolAttr pool_dflt = {
    {0, NULL}, {2, t_ones}, {4, t_zeros}, {2, t_ones}, false};
static const RescaleAttr rescale_dflt = {{0, 0, false, false}};
static const AllAttr all_dflt = {
    7, 0.5f, true, "hi", 1, {0, NULL}, {0, NULL}, NULL, {0, 0, false, false}};
static const char *const all_words[] = {"red", "green", "blue", NULL};

static bool
group_ok(const void *attr)
{
    return ((const ConvAttr *)attr)->group > 0;
}

static bool
filter_ok(const SnCall *c)
{
    return c->in[1].shape->dim[1] == c->in[1].shape->dim[2];
}

static const SnInvariant conv_inv[] = {{filter_ok, "dim(w, 1) == dim(w, 2)"}};

const SnKindDesc sn_core_kinds[] = {
    {.name = NULL},
    {.name = "Placeholder",
     .nout = 1,
     .out = PORTS({.name = "y"}),
     .clamp = -1,
     .effect = true,
     .ntuple = NTUPLE(ANY),
     .tuple = TUPLES(ANY),
     .sem = &(const SnSem){.cls = SN_C_SOURCE}},
    {.name = "Constant",
     .nout = 1,
     .out = PORTS({.name = "y"}),
     .clamp = -1,
     .ntuple = NTUPLE(ANY),
     .tuple = TUPLES(ANY),
     .sem = &(const SnSem){.cls = SN_C_SOURCE}},
    {.name = "Save",
     .nin = 1,
     .in = PORTS({.name = "x"}),
     .clamp = -1,
     .effect = true,
     .ntuple = 3,
     .tuple = TUPLES({.in = PATS(Q8)}, {.in = PATS(F32)},
                     {.in = PATS({SN_I64, -1})}),
     ATTRS(FIELD(SaveAttr, name, SN_A_STR, .has_default = false)),
     .attr_size = sizeof(SaveAttr),
     .sem = &(const SnSem){.cls = SN_C_OPAQUE}},
    {.name = "Rescale",
     .nin = 1,
     .nout = 1,
     .in = PORTS({.name = "x", .fact = SN_FREE}),
     .out = PORTS({.name = "y", .fact = SN_FREE}),
     .clamp = 0,
     .ntuple = 1,
     .tuple = TUPLES({.in = PATS(Q8), .out = PATS(Q8)}),
     ATTRS(FIELD(RescaleAttr, clamp, SN_A_RANGE, .range_of = SN_RANGE_OUT,
                 .has_default = true)),
     .attr_size = sizeof(RescaleAttr),
     .defaults = &rescale_dflt,
     .sem = &(const SnSem){.cls = SN_C_CONVERT,
                           .decl = &sn_map_decl_each,
                           ARGS(1, P(0))}},
    {.name = "Conv",
     .nin = 3,
     .nout = 1,
     .in = PORTS({.name = "x", .fact = SN_FREE}, {.name = "w", .fact = SN_FREE},
                 {.name = "b",
                  .fact = SN_PIN,
                  .optional = true,
                  .npin = 2,
                  .pin = {0, 1},
                  .because = "it sits on the accumulator"}),
     .out = PORTS({.name = "y", .fact = SN_FREE}),
     .clamp = 4,
     .ntuple = 3,
     .tuple = TUPLES({.in = PATS(Q8, Q8, Q32), .out = PATS(Q8)},
                     {.in = PATS(Q8, Q8C, Q32C), .out = PATS(Q8)},
                     {.in = PATS(F32, F32, F32), .out = PATS(F32)}),
     ATTRS(FIELD(ConvAttr, stride, SN_A_INTS, .fixed = 2, .has_default = true),
           FIELD(ConvAttr, pads, SN_A_INTS, .fixed = 4, .has_default = true),
           FIELD(ConvAttr, dilate, SN_A_INTS, .fixed = 2, .has_default = true),
           FIELD(ConvAttr, group, SN_A_INT, .where = "group > 0",
                 .check = group_ok, .has_default = true),
           FIELD(ConvAttr, clamp, SN_A_RANGE, .range_of = SN_RANGE_OUT,
                 .has_default = true)),
     .attr_size = sizeof(ConvAttr),
     .defaults = &conv_dflt,
     .ninv = 1,
     .inv = conv_inv,
     .sem = &(const SnSem){.cls = SN_C_CONTRACT,
                           .decl = &sn_map_decl_conv,
                           ARGS(6, P(0), P(1), A(0), A(1), A(2), A(3))}},
    {.name = "MaxPool",
     .nin = 1,
     .nout = 2,
     .in = PORTS({.name = "x", .fact = SN_SAME}),
     .out = PORTS({.name = "y", .fact = SN_SAME},
                  {.name = "idx", .optional = true}),
     .clamp = -1,
     .ntuple = 2,
     .tuple = TUPLES({.in = PATS(Q8), .out = PATS(Q8, {SN_I64, -1})},
                     {.in = PATS(F32), .out = PATS(F32, {SN_I64, -1})}),
     ATTRS(FIELD(PoolAttr, kernel, SN_A_INTS, .fixed = 2),
           FIELD(PoolAttr, stride, SN_A_INTS, .fixed = 2, .has_default = true),
           FIELD(PoolAttr, pads, SN_A_INTS, .fixed = 4, .has_default = true),
           FIELD(PoolAttr, dilate, SN_A_INTS, .fixed = 2, .has_default = true),
           FIELD(PoolAttr, ceil_mode, SN_A_BOOL, .has_default = true)),
     .attr_size = sizeof(PoolAttr),
     .defaults = &pool_dflt,
     .sem = (const SnSem[]){{.cls = SN_C_WINDOW,
                             .decl = &sn_map_decl_pool,
                             ARGS(6, P(0), A(0), A(1), A(2), A(3), A(4))},
                            {.cls = SN_C_WINDOW,
                             .decl = &sn_map_decl_pool,
                             ARGS(6, P(0), A(0), A(1), A(2), A(3), A(4))}}},
    {.name = "Concat",
     .nin = 1,
     .nout = 1,
     .in = PORTS({.name = "x", .fact = SN_SAME, .variadic = true}),
     .out =
         PORTS({.name = "y", .fact = SN_SAME, .because = "codes are copied"}),
     .clamp = -1,
     .ntuple = 2,
     .tuple = TUPLES({.in = PATS(Q8), .out = PATS(Q8)},
                     {.in = PATS(F32), .out = PATS(F32)}),
     ATTRS(FIELD(ConcatAttr, axis, SN_A_INT, .has_default = false)),
     .attr_size = sizeof(ConcatAttr),
     .sem = &(const SnSem){.cls = SN_C_MOVE,
                           .decl = &sn_map_decl_concat,
                           ARGS(2, P(0), A(0))}},
    {.name = "Softmax",
     .nin = 1,
     .nout = 1,
     .in = PORTS({.name = "x", .fact = SN_FREE}),
     .out = PORTS({.name = "y",
                   .fact = SN_FIXED,
                   .fixed_scale = 0.00390625f,
                   .fixed_zp = -128}),
     .clamp = -1,
     .ntuple = 2,
     .tuple = TUPLES({.in = PATS(Q8), .out = PATS(Q8)},
                     {.in = PATS(F32), .out = PATS(F32)}),
     .sem = &(const SnSem){.cls = SN_C_WINDOW,
                           .decl = &sn_map_decl_each,
                           ARGS(1, P(0))}},
    {.name = "All",
     .nin = 3,
     .nout = 1,
     .in = PORTS({.name = "a"}, {.name = "b", .optional = true},
                 {.name = "c", .optional = true}),
     .out = PORTS({.name = "y"}),
     .clamp = -1,
     .ntuple = 1,
     .tuple = TUPLES({.in = PATS(F32, F32, F32), .out = PATS(F32)}),
     ATTRS(
         FIELD(AllAttr, i, SN_A_INT, .has_default = true),
         FIELD(AllAttr, r, SN_A_REAL, .has_default = true),
         FIELD(AllAttr, b, SN_A_BOOL, .has_default = true),
         FIELD(AllAttr, s, SN_A_STR, .has_default = true),
         FIELD(AllAttr, e, SN_A_ENUM, .words = all_words, .has_default = true),
         FIELD(AllAttr, v, SN_A_INTS, .has_default = true),
         FIELD(AllAttr, w, SN_A_REALS, .has_default = true),
         FIELD(AllAttr, t, SN_A_TYPE, .has_default = false),
         FIELD(AllAttr, c, SN_A_RANGE, .range_of = SN_RANGE_ATTR,
               .range_port = 7, .has_default = true)),
     .attr_size = sizeof(AllAttr),
     .defaults = &all_dflt,
     .sem = &(const SnSem){.cls = SN_C_POINT,
                           .decl = &sn_map_decl_broadcast,
                           ARGS(3, P(0), P(1), P(2))}},
    {.name = "Cell",
     .nin = 1,
     .nout = 3,
     .in = PORTS({.name = "x"}),
     .out =
         PORTS({.name = "y"}, {.name = "h", .optional = true, .fact = SN_FREE},
               {.name = "c", .optional = true}),
     .clamp = -1,
     .ntuple = 1,
     .tuple = TUPLES({.in = PATS(F32), .out = PATS(F32, Q8, F32)}),
     .sem =
         (const SnSem[]){
             {.cls = SN_C_POINT, .decl = &sn_map_decl_each, ARGS(1, P(0))},
             {.cls = SN_C_POINT, .decl = &sn_map_decl_each, ARGS(1, P(0))},
             {.cls = SN_C_POINT, .decl = &sn_map_decl_each, ARGS(1, P(0))}}},
};
const uint32_t sn_core_nkind = K_COUNT;
const SnOnnxDesc sn_core_onnx[1] = {0}; /* none are imported */
const uint32_t sn_core_nonnx = 0;

#endif
