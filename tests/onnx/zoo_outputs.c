// SPDX-License-Identifier: Apache-2.0
/* Models against the outputs stored beside them.
 *
 *   zoo_outputs [--shapes] [--input FILE.pb] MODEL.onnx...
 *
 * Runs the model, optimized and on the CPU backend, on each test_data_set_K
 * of its folder and prints a line: elements, how many differ, the worst
 * difference.  A real output may be off by 1e-4 of its largest magnitude; one
 * that is the values of codes by one step of their scale; integers by one.
 * --shapes: the stored numbers mean nothing, only shapes and types count.
 * --input: data for the first input, where a folder has none.  Exit 1
 * when a model fails; so does one that is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/file.h"
#include "onnx/proto/tensor_pb.h"
#include "tests/differ/check.h"

enum { MAXIO = 64 };

typedef struct Model {
    const char *path;
    void *p;
    size_t n;
    uint32_t nin, nout;
    OrtIo in[MAXIO], want[MAXIO];
    bool open[MAXIO]; /* the shape of input i has an open dimension */
    int64_t batch;    /* its own leading dimension, 0: free */
} Model;

typedef struct Sum {
    int64_t n, ndiff;
    double worst; /* steps, or of the largest magnitude */
    bool steps, bad;
} Sum;

static bool
is_initializer(const Onnx__GraphProto *g, const char *name)
{
    for (size_t i = 0; i < g->n_initializer; i++)
        if (strcmp(g->initializer[i]->name, name) == 0)
            return true;
    return false;
}

static bool
read_tensor(SnArena *a, const char *path, SnData *out)
{
    return sn_file_exists(path) &&
           sn_pb_read(a, path, sn_diag_new(a), out) == SN_OK;
}

/* Does the file leave a dimension open? */
static bool
is_open(const Onnx__ValueInfoProto *v)
{
    const Onnx__TensorShapeProto *s = v->type->tensor_type->shape;

    for (size_t i = 0; s != NULL && i < s->n_dim; i++)
        if (s->dim[i]->value_case !=
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            return true;
    return s == NULL;
}

static int64_t
leading(const Onnx__ValueInfoProto *v)
{
    const Onnx__TensorShapeProto *s = v->type->tensor_type->shape;

    return s != NULL && s->n_dim > 0 ? s->dim[0]->dim_value : 0;
}

static bool
open_model(SnArena *a, const char *path, Model *m)
{
    SnDiag *d = sn_diag_new(a);
    ProtobufCMessage *pb;
    char *text;

    *m = (Model){.path = path};
    if (sn_file_read(a, d, path, 0, &text, &m->n) != SN_OK ||
        sn_pb_parse(a, &onnx__model_proto__descriptor, path, text, m->n, d,
                    &pb) != SN_OK)
        return false;
    m->p = text;
    const Onnx__GraphProto *g = ((Onnx__ModelProto *)pb)->graph;
    for (size_t i = 0; i < g->n_input && m->nin < MAXIO; i++)
        if (!is_initializer(g, g->input[i]->name)) {
            if (m->nin == 0)
                m->batch = leading(g->input[i]);
            m->open[m->nin] = is_open(g->input[i]);
            m->in[m->nin++].name = g->input[i]->name;
        }
    for (size_t i = 0; i < g->n_output && m->nout < MAXIO; i++)
        m->want[m->nout++].name = g->output[i]->name;
    return true;
}

/* Of a set of n samples the first, for a model of batch 1. */
static void
cut(SnData *t, int64_t n, int64_t batch)
{
    if (batch == 1 && n > 1 && t->rank > 0 && t->dim[0] == n)
        t->dim[0] = 1;
}

/* Set k: false when there is none. */
static bool
read_set(SnArena *a, Model *m, int k, const char *input)
{
    const char *dir =
        sn_format(a, "%s/test_data_set_%d", sn_path_dir(a, m->path), k);
    uint32_t nwant = 0;
    int64_t n = 1;

    for (uint32_t i = 0; i < m->nin; i++) {
        const char *path = sn_format(a, "%s/input_%u.pb", dir, i);
        if (i == 0 && input != NULL && k == 0)
            path = input;
        if (!read_tensor(a, path, &m->in[i].data))
            return false;
        if (i == 0)
            n = m->in[i].data.rank > 0 ? m->in[i].data.dim[0] : 1;
        cut(&m->in[i].data, n, m->batch);
    }
    for (uint32_t i = 0; i < m->nout; i++) {
        m->want[i].data = (SnData){0};
        if (!read_tensor(a, sn_format(a, "%s/output_%u.pb", dir, i),
                         &m->want[i].data))
            continue;
        cut(&m->want[i].data, n, m->batch);
        nwant++;
    }
    return nwant > 0;
}

/* "x=1x3x32x32" of the data there is, for what a model leaves open. */
static const char **
shapes(SnArena *a, const Model *m)
{
    const char **v = SN_NEW_N(a, const char *, m->nin + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->nin; i++) {
        const SnData *t = &m->in[i].data;
        if (!m->open[i])
            continue;
        const char *s = sn_format(a, "%s=", m->in[i].name);
        for (int k = 0; k < t->rank; k++)
            s = sn_format(a, "%s%s%lld", s, k > 0 ? "x" : "",
                          (long long)t->dim[k]);
        v[n++] = s;
    }
    return n > 0 ? v : NULL;
}

static void
add(Sum *s, const SnData *want, const SnData *got, float step)
{
    CkDiff d = ck_compare(want, got);
    bool real = want->dtype == SN_D_F32;
    double unit = real ? (double)step : 1, top = 0;

    if (d.shape) {
        s->bad = true;
        return;
    }
    for (int64_t i = 0; i < d.n; i++)
        top = fmax(top, fabs(sn_data_real(want, i)));
    if (unit == 0)
        unit = top > 0 ? top : 1;
    else
        s->steps = true;
    s->n += d.n;
    s->ndiff += d.ndiff;
    s->worst = fmax(s->worst, d.most / unit);
    /* values of codes: their products are rounded */
    s->bad |=
        d.most > (real && step == 0 ? 1e-4 * top + 1e-7 : unit * (1 + 1e-5));
}

static SnStatus
run_set(SnArena *a, const Model *m, SnDiag *d, Sum *s)
{
    OrtIo out[MAXIO];
    float step[MAXIO];
    SnOnnxOpts o = {.shapes = shapes(a, m)};
    SrJob j = {.p = m->p,
               .n = m->n,
               .passes = "optimize",
               .backend = "CPU",
               .opts = &o,
               .nin = m->nin,
               .in = m->in,
               .nout = m->nout,
               .out = out,
               .step = step};

    memcpy(out, m->want, sizeof out);
    SN_TRY(sr_run(a, &j, d));
    for (uint32_t i = 0; i < m->nout; i++)
        if (m->want[i].data.data != NULL)
            add(s, &m->want[i].data, &out[i].data, step[i]);
    return SN_OK;
}

/* Prints a line; false when the model fails. */
static bool
one(const char *path, const char *input, bool only_shapes)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const char *base = sn_path_base(path);
    const char *name = sn_path_base(sn_path_dir(a, path));
    SnStatus st = SN_OK;
    Model m;
    Sum s = {0};
    int k = 0;

    if (strcmp(base, "model.onnx") != 0)
        name = sn_format(a, "%s/%s", name, base);
    if (!open_model(a, path, &m)) {
        printf("| %-42s FAILS: cannot be read\n", name);
        sn_arena_free(a);
        return false;
    }
    for (; st == SN_OK && read_set(a, &m, k, input); k++)
        st = run_set(a, &m, d, &s);
    bool ok = st == SN_OK && k > 0 && (only_shapes ? s.n > 0 : !s.bad);
    if (st != SN_OK)
        printf("| %-42s FAILS: exit %d: %s", name, (int)st, sn_diag_text(d, a));
    else if (only_shapes)
        printf("| %-42s %3d %9lld  shapes and types%s\n", name, k,
               (long long)s.n, ok ? "" : "  FAILS");
    else
        printf("| %-42s %3d %9lld %8lld  %.3g%s%s\n", name, k, (long long)s.n,
               (long long)s.ndiff, s.worst, s.steps ? " steps" : "",
               ok ? "" : "  FAILS");
    fflush(stdout);
    sn_arena_free(a);
    return ok;
}

int
main(int argc, char **argv)
{
    const char *input = NULL;
    bool only_shapes = false;
    int i = 1, bad = 0;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
        if (strcmp(argv[i], "--shapes") == 0)
            only_shapes = true;
        else if (strcmp(argv[i], "--input") == 0 && i + 1 < argc)
            input = argv[++i];
        else
            return 2;
    for (; i < argc; i++)
        bad += !one(argv[i], input, only_shapes);
    return bad > 0;
}
