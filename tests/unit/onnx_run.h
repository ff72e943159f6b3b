// SPDX-License-Identifier: Apache-2.0
/* Runs an ONNX model directory (model.onnx, test_data_set_0) and compares with
 * the outputs stored beside it.  For test programs; needs no test library. */
#ifndef SN_TEST_ONNX_RUN_H
#define SN_TEST_ONNX_RUN_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/file/file.h"
#include "graph/desc.h"
#include "kernel/eval/eval.h"
#include "onnx/import.h"
#include "onnx/proto/tensor_pb.h"
#include "rewrite/rewrite.h"
#include "sn_kinds.h"

enum { OR_MAXIO = 64 };

typedef struct OrIo {
    uint32_t n;
    const char *name[OR_MAXIO];
    SnData data[OR_MAXIO];
} OrIo;

/* What came of a model. */
typedef struct OrResult {
    SnStatus status;  /* of import and run */
    bool fixed;       /* its inputs after the first were made constant */
    const char *why;  /* the first message, when status is not SN_OK */
    double worst;     /* largest difference over the largest magnitude */
    int64_t ndiff, n; /* elements that differ at all, elements compared */
    uint32_t nout;    /* outputs compared */
    double by;        /* largest difference */
    double step;      /* largest difference of integer outputs */
    SnGraph *graph;   /* what was run */
    bool close;       /* every element within 1e-3 relative + 1e-6, integers
                         equal, shapes and types as stored */
} OrResult;

static inline bool
or_is_u8(const SnNode *p)
{
    const SnKindDesc *kd = sn_desc(p->kind);

    return *(int32_t *)sn_attr_at(p->attr, sn_attr_named(kd, "boundary")) ==
           SN_SAVE_BOUNDARY_U8;
}

/* Element i of what a Save reads. */
static inline double
or_element(const SnTensor *t, bool u8, int64_t i)
{
    switch (t->type->elem) {
    case SN_F32:
        return (double)((const float *)t->data)[i];
    case SN_I64:
        return (double)((const int64_t *)t->data)[i];
    case SN_I32:
    case SN_QI32:
        return ((const int32_t *)t->data)[i];
    case SN_QI16:
        return ((const int16_t *)t->data)[i];
    case SN_QI8:
    case SN_I8:
        return ((const int8_t *)t->data)[i] + (u8 ? 128 : 0);
    case SN_BOOL:
        return ((const uint8_t *)t->data)[i];
    default:
        return (double)NAN;
    }
}

static inline void
or_compare(const SnTensor *y, bool u8, const SnData *want, OrResult *r)
{
    double worst = 0, top = 0;
    bool real = want->dtype == SN_D_F32 || want->dtype == SN_D_F64 ||
                want->dtype == SN_D_F16;
    bool alike =
        want->rank == y->shape->rank && real == (y->type->elem == SN_F32);

    for (int i = 0; alike && i < want->rank; i++)
        alike = want->dim[i] == y->shape->dim[i];
    if (!alike) {
        r->close = false;
        r->worst = (double)INFINITY;
        return;
    }
    for (int64_t i = 0; i < sn_data_count(want); i++) {
        double e = sn_data_real(want, i), v = or_element(y, u8, i);
        double by = fabs(v - e);
        r->n++;
        if ((isnan(e) && isnan(v)) || v == e)
            by = 0;
        else if (!isfinite(v) || !isfinite(e))
            by = (double)INFINITY;
        r->ndiff += by != 0;
        if (real ? by > 1e-3 * fabs(e) + 1e-6 : by != 0)
            r->close = false;
        if (!real && by > r->step)
            r->step = by;
        worst = fmax(worst, by);
        r->by = fmax(r->by, by);
        if (isfinite(e))
            top = fmax(top, fabs(e));
    }
    worst = top > 0 ? worst / top : worst;
    r->worst = fmax(r->worst, worst);
}

static inline SnStatus
or_feed(SnArena *mem, const SnNode *p, const OrIo *in, void **out)
{
    size_t n = sn_tensor_nbyte(p->res[0].type, p->res[0].shape);
    uint8_t *to = *out = sn_alloc(mem, n);

    for (uint32_t i = 0; i < in->n; i++)
        if (strcmp(in->name[i], p->res[0].name) == 0) {
            const SnData *t = &in->data[i];
            if (p->res[0].type->elem == SN_F32 &&
                (t->dtype == SN_D_F16 || t->dtype == SN_D_F64)) {
                if ((size_t)sn_data_count(t) * sizeof(float) != n)
                    return SN_EINPUT;
                for (int64_t k = 0; k < sn_data_count(t); k++)
                    ((float *)(void *)to)[k] = (float)sn_data_real(t, k);
                return SN_OK;
            }
            if (sn_data_nbyte(&in->data[i]) != n)
                return SN_EINPUT;
            if (n > 0)
                memcpy(to, in->data[i].data, n);
            for (size_t k = 0; or_is_u8(p) && k < n; k++)
                to[k] ^= 0x80;
            return SN_OK;
        }
    return SN_EINPUT;
}

static inline void
or_output(const SnNode *p, const SnTensor *from, const OrIo *want, OrResult *r)
{
    const char *name = *(const char **)sn_attr_at(
        p->attr, sn_attr_named(sn_desc(p->kind), "name"));

    for (uint32_t k = 0; k < want->n; k++)
        if (strcmp(want->name[k], name) == 0) {
            r->nout++;
            or_compare(from, or_is_u8(p), &want->data[k], r);
        }
}

/* Runs the graph on the inputs by name; compares outputs by name. */
static inline SnStatus
or_run(SnArena *mem, SnGraph *g, const OrIo *in, const OrIo *want, SnDiag *d,
       OrResult *r)
{
    uint32_t n;
    SnId *ids = sn_topo(g, mem, &n);
    SnTensor **res = SN_NEW_N(mem, SnTensor *, g->nnode);

    r->close = true;
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *p = sn_node(g, ids[i]);
        SnTensor *from = SN_NEW_N(mem, SnTensor, p->nin);
        SnTensor *to = SN_NEW_N(mem, SnTensor, p->nres);
        res[ids[i]] = to;
        for (uint32_t k = 0; k < p->nin; k++)
            if (p->in[k].ref != 0)
                from[k] = res[SN_NODE(p->in[k].ref)][SN_RES(p->in[k].ref)];
        for (uint32_t k = 0; k < p->nres; k++) {
            to[k] = (SnTensor){p->res[k].type, p->res[k].shape, NULL};
            if (p->res[k].nuse > 0)
                to[k].data =
                    sn_alloc(mem, sn_tensor_nbyte(to[k].type, to[k].shape));
        }
        if (p->nres == 0) {
            or_output(p, &from[0], want, r);
        } else if (p->data != NULL) {
            to[0].data = (void *)(uintptr_t)p->data;
        } else if (sn_desc(p->kind)->effect) {
            SN_TRY(or_feed(mem, p, in, &to[0].data));
        } else {
            SnArena *scratch = sn_arena_new();
            SnStatus s = sn_eval_node(g, ids[i], from, to, scratch, d);
            sn_arena_free(scratch);
            SN_TRY(s);
        }
    }
    return SN_OK;
}

/* ---- a model directory: model.onnx and test_data_set_0 ---- */

static inline bool
or_is_initializer(const Onnx__GraphProto *g, const char *name)
{
    for (size_t i = 0; i < g->n_initializer; i++)
        if (strcmp(g->initializer[i]->name, name) == 0)
            return true;
    return false;
}

static inline void
or_read_set(SnArena *mem, const char *dir, const char *what,
            const Onnx__GraphProto *g, OrIo *io)
{
    bool ins = strcmp(what, "input") == 0;
    size_t n = ins ? g->n_input : g->n_output, at = 0;
    Onnx__ValueInfoProto **v = ins ? g->input : g->output;

    io->n = 0;
    for (size_t i = 0; i < n && io->n < OR_MAXIO; i++) {
        const char *path;
        if (ins && or_is_initializer(g, v[i]->name))
            continue;
        path = sn_format(mem, "%s/test_data_set_0/%s_%zu.pb", dir, what, at++);
        if (!sn_file_exists(path) ||
            sn_pb_read(mem, path, sn_diag_new(mem), &io->data[io->n]) != SN_OK)
            continue;
        io->name[io->n++] = v[i]->name;
    }
}

/* Inputs from number `first` on become initializers: what is constant in real
 * models is an input in these. */
static inline void
or_fix_inputs(SnArena *mem, const char *dir, Onnx__GraphProto *g, size_t first)
{
    Onnx__TensorProto **init =
        SN_NEW_N(mem, Onnx__TensorProto *, g->n_initializer + g->n_input);

    for (size_t i = 0; i < g->n_initializer; i++)
        init[i] = g->initializer[i];
    g->initializer = init;
    for (size_t i = first; i < g->n_input; i++) {
        ProtobufCMessage *m;
        const char *path =
            sn_format(mem, "%s/test_data_set_0/input_%zu.pb", dir, i);
        if (or_is_initializer(g, g->input[i]->name) || !sn_file_exists(path) ||
            sn_pb_load(mem, &onnx__tensor_proto__descriptor, path,
                       sn_diag_new(mem), &m) != SN_OK)
            continue;
        init[g->n_initializer] = (Onnx__TensorProto *)m;
        init[g->n_initializer++]->name = g->input[i]->name;
    }
}

static inline SnStatus
or_import(SnArena *mem, Onnx__ModelProto *m, const char *dir,
          const SnOnnxOpts *o, SnDiag **d, SnGraph **g)
{
    size_t n = onnx__model_proto__get_packed_size(m);
    uint8_t *p = sn_alloc(mem, n);

    onnx__model_proto__pack(m, p);
    *d = sn_diag_new(mem);
    return sn_onnx_parse(mem, "model.onnx", dir, p, n, o, *d, g);
}

/* The shapes of the data, for inputs with open dimensions. */
static inline const char *const *
or_shapes(SnArena *mem, const Onnx__GraphProto *g, const OrIo *in)
{
    const char **v = SN_NEW_N(mem, const char *, OR_MAXIO + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        const SnData *t = &in->data[i];
        const char *s = sn_format(mem, "%s=", in->name[i]);
        if (t->rank == 0 || sn_data_count(t) == 0 ||
            or_is_initializer(g, in->name[i]))
            continue;
        for (int k = 0; k < t->rank; k++)
            s = sn_format(mem, k > 0 ? "%sx%lld" : "%s%lld", s,
                          (long long)t->dim[k]);
        v[n++] = s;
    }
    return v;
}

/* fix: an unsupported model is tried again with constant inputs.  input:
 * data for the first input, or NULL.  passes: run on the graph before it runs,
 * or NULL. */
static inline OrResult
or_model_after(SnArena *mem, const char *dir, const char *input, bool fix,
               const char *passes)
{
    OrResult r = {.close = false};
    ProtobufCMessage *m;
    SnDiag *d = sn_diag_new(mem);
    OrIo in, want;
    SnOnnxOpts o = {0};
    SnGraph *g = NULL;

    r.status = sn_pb_load(mem, &onnx__model_proto__descriptor,
                          sn_path_join(mem, dir, "model.onnx"), d, &m);
    if (r.status != SN_OK) {
        r.why = sn_diag_text(d, mem);
        return r;
    }
    Onnx__ModelProto *model = (Onnx__ModelProto *)m;
    or_read_set(mem, dir, "input", model->graph, &in);
    or_read_set(mem, dir, "output", model->graph, &want);
    if (input != NULL && sn_pb_read(mem, input, d, &in.data[0]) == SN_OK) {
        in.name[0] = model->graph->input[0]->name;
        in.n = 1;
    }
    o.shapes = or_shapes(mem, model->graph, &in);
    r.status = or_import(mem, model, dir, &o, &d, &g);
    r.why = sn_diag_text(d, mem);
    for (size_t from = 2; r.status == SN_EUNSUPPORTED && fix && from-- > 0;) {
        or_fix_inputs(mem, dir, model->graph, from);
        o.shapes = or_shapes(mem, model->graph, &in);
        SnStatus again = or_import(mem, model, dir, &o, &d, &g);
        if (again == SN_OK || again == SN_EUNSUPPORTED) {
            r.status = again;
            r.fixed = again == SN_OK;
            if (strstr(r.why, "must be constant") != NULL)
                r.why = sn_diag_text(d, mem);
        }
    }
    if (r.status == SN_OK && passes != NULL) {
        SnRewriteOpts ro = sn_rewrite_defaults;
        r.status = sn_rewrite(sn_rewriter_new(mem, &ro, d), g, passes);
        r.why = sn_diag_text(d, mem);
    }
    r.graph = g;
    if (r.status == SN_OK) {
        d = sn_diag_new(mem);
        r.status = or_run(mem, g, &in, &want, d, &r);
        r.why = sn_diag_text(d, mem);
    }
    return r;
}

static inline OrResult
or_model(SnArena *mem, const char *dir, const char *input, bool fix)
{
    return or_model_after(mem, dir, input, fix, NULL);
}

#endif
