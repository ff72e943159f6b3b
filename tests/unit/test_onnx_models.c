/* ONNX models of others, under $SHARED/data: import, and outputs compared with
 * the reference outputs beside them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "graph/desc.h"
#include "kernel/eval.h"
#include "onnx/import.h"
#include "onnx/tensor_pb.h"

static SnArena *a;
static SnDiag *d;

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    d = sn_diag_new(a);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

/* ---- real models ---- */

static const char *
data_dir(void)
{
    const char *s = getenv("SHARED");
    const char *dir = sn_format(a, "%s/data", s != NULL ? s : "../shared");

    return sn_file_exists(dir) ? dir : NULL;
}

static const char *const models[] = {
    "trained/lenet_mnist/model.onnx",
    "trained/lenet_mnist/model_b1_bnfolded.onnx",
    "trained/alexnet_lrn_cifar10/model.onnx",
    "trained/alexnet_lrn_cifar10/model_b1_bnfolded.onnx",
    "trained/inception_lrn_cifar10/model.onnx",
    "trained/inception_lrn_cifar10/model_b1_bnfolded.onnx",
    "trained/mobilenetv2_cifar10/model.onnx",
    "trained/mobilenetv2_cifar10/model_b1_bnfolded.onnx",
    "light/bvlc_alexnet_div16_random/model.onnx",
    "light/densenet121_div8_random/model.onnx",
    "light/inception_v1_div8_random/model.onnx",
    "light/resnet50_div8_random/model.onnx",
    "light/squeezenet_div8_random/model.onnx",
    "light/vgg19_div16_random/model.onnx",
    "light/zfnet512_div16_random/model.onnx",
    "light/light_densenet121/model.onnx",
    "light/light_inception_v1/model.onnx",
    "light/light_squeezenet/model.onnx",
    "demo/fashion_lrn.onnx",
};

static void
real_models_import(void **state)
{
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        SnArena *own_arena = sn_arena_new();
        SnDiag *own_diag = sn_diag_new(own_arena);
        SnGraph *g;
        SnStatus s = sn_onnx_import(own_arena, sn_path_join(a, dir, models[i]),
                                    NULL, own_diag, &g);
        if (s == SN_OK)
            s = sn_verify(g, own_diag);
        if (s != SN_OK)
            print_error("%s", sn_diag_text(own_diag, a));
        assert_int_equal(s, SN_OK);
        sn_arena_free(own_arena);
    }
}

/* ---- running ---- */

enum { MAXIO = 16 };

typedef struct Io {
    uint32_t n;
    const char *name[MAXIO];
    SnData data[MAXIO];
} Io;

static int64_t
enum_attr(const SnNode *p, const char *name)
{
    const SnKindDesc *kd = sn_desc(p->kind);

    return *(int32_t *)sn_attr_at(p->attr, sn_attr_named(kd, name));
}

/* The named data for a Placeholder, as the graph wants it. */
static void *
feed(SnArena *mem, const SnGraph *g, SnId id, const Io *in)
{
    const SnNode *p = sn_node(g, id);
    size_t n = sn_tensor_nbyte(p->res[0].type, p->res[0].shape);
    uint8_t *to = sn_alloc(mem, n);

    for (uint32_t i = 0; i < in->n; i++)
        if (strcmp(in->name[i], p->res[0].name) == 0) {
            assert_int_equal(sn_data_nbyte(&in->data[i]), n);
            memcpy(to, in->data[i].data, n);
            for (size_t k = 0; enum_attr(p, "boundary") != 0 && k < n; k++)
                to[k] ^= 0x80;
            return to;
        }
    fail_msg("no data for input '%s'", p->res[0].name);
    return NULL;
}

/* Element i of what a Save reads. */
static double
element(const SnTensor *t, bool u8, int64_t i)
{
    switch (t->type->elem) {
    case SN_F32:
        return (double)((const float *)t->data)[i];
    case SN_I64:
        return (double)((const int64_t *)t->data)[i];
    case SN_QI16:
        return ((const int16_t *)t->data)[i];
    case SN_QI8:
    case SN_I8:
        return ((const int8_t *)t->data)[i] + (u8 ? 128 : 0);
    case SN_BOOL:
        return ((const uint8_t *)t->data)[i];
    default:
        return NAN;
    }
}

/* The largest difference, over the largest magnitude that is expected. */
static double
difference_of(const SnTensor *y, bool u8, const SnData *want)
{
    double worst = 0, top = 0;

    if (want->rank != y->shape->rank)
        return INFINITY;
    for (int i = 0; i < want->rank; i++)
        if (want->dim[i] != y->shape->dim[i])
            return INFINITY;
    for (int64_t i = 0; i < sn_data_count(want); i++) {
        double e = sn_data_real(want, i), v = element(y, u8, i);
        if (isnan(v) != isnan(e) || isinf(v) != isinf(e))
            return INFINITY;
        if (isfinite(e)) {
            worst = fmax(worst, fabs(v - e));
            top = fmax(top, fabs(e));
        }
    }
    return top > 0 ? worst / top : worst;
}

/* Runs the graph; the worst difference of its outputs. */
static double
run(SnArena *mem, SnGraph *g, const Io *in, const Io *want)
{
    uint32_t n;
    SnId *ids = sn_topo(g, mem, &n);
    SnTensor **res = SN_NEW_N(mem, SnTensor *, g->nnode);
    double worst = 0;

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
                to[k].data = sn_alloc(mem, sn_tensor_nbyte(to[k].type,
                                                           to[k].shape));
        }
        if (p->nres == 0) {
            const char *name = *(const char **)sn_attr_at(
                p->attr, sn_attr_named(sn_desc(p->kind), "name"));
            for (uint32_t k = 0; k < want->n; k++)
                if (strcmp(want->name[k], name) == 0)
                    worst = fmax(worst, difference_of(
                                            &from[0],
                                            enum_attr(p, "boundary") != 0,
                                            &want->data[k]));
        } else if (p->data != NULL) {
            to[0].data = (void *)(uintptr_t)p->data;
        } else if (sn_desc(p->kind)->effect) {
            to[0].data = feed(mem, g, ids[i], in);
        } else {
            SnArena *scratch = sn_arena_new();
            assert_int_equal(sn_eval_node(g, ids[i], from, to, scratch, d),
                             SN_OK);
            sn_arena_free(scratch);
        }
    }
    return worst;
}

/* ---- a model directory: model.onnx and test_data_set_0 ---- */

static bool
is_initializer(const Onnx__GraphProto *g, const char *name)
{
    for (size_t i = 0; i < g->n_initializer; i++)
        if (strcmp(g->initializer[i]->name, name) == 0)
            return true;
    return false;
}

static void
read_set(SnArena *mem, const char *dir, const char *what,
         const Onnx__GraphProto *g, Io *io)
{
    bool ins = strcmp(what, "input") == 0;
    size_t n = ins ? g->n_input : g->n_output, at = 0;
    Onnx__ValueInfoProto **v = ins ? g->input : g->output;

    io->n = 0;
    for (size_t i = 0; i < n && io->n < MAXIO; i++) {
        const char *path;
        if (ins && is_initializer(g, v[i]->name))
            continue;
        path = sn_format(mem, "%s/test_data_set_0/%s_%zu.pb", dir, what, at++);
        if (!sn_file_exists(path) ||
            sn_pb_read(mem, path, sn_diag_new(mem), &io->data[io->n]) != SN_OK)
            continue;
        io->name[io->n++] = v[i]->name;
    }
}

/* Inputs after the first become initializers: what is constant in real models
 * is an input in these. */
static void
fix_inputs(SnArena *mem, const char *dir, Onnx__GraphProto *g)
{
    Onnx__TensorProto **init = SN_NEW_N(mem, Onnx__TensorProto *,
                                        g->n_initializer + g->n_input);

    for (size_t i = 0; i < g->n_initializer; i++)
        init[i] = g->initializer[i];
    g->initializer = init;
    for (size_t i = 1; i < g->n_input; i++) {
        ProtobufCMessage *m;
        const char *path = sn_format(mem, "%s/test_data_set_0/input_%zu.pb",
                                     dir, i);
        if (sn_pb_load(mem, &onnx__tensor_proto__descriptor, path,
                       sn_diag_new(mem), &m) != SN_OK)
            continue;
        init[g->n_initializer] = (Onnx__TensorProto *)m;
        init[g->n_initializer++]->name = g->input[i]->name;
    }
}

static SnStatus
import_bytes(SnArena *mem, Onnx__ModelProto *m, const char *dir,
             const SnOnnxOpts *o, SnGraph **g)
{
    size_t n = onnx__model_proto__get_packed_size(m);
    uint8_t *p = sn_alloc(mem, n);

    onnx__model_proto__pack(m, p);
    d = sn_diag_new(mem);
    return sn_onnx_parse(mem, dir, NULL, p, n, o, d, g);
}

/* The worst difference of a model's outputs; -1 when it is not supported. */
static double
difference(const char *dir, const char *input, bool fix)
{
    SnArena *mem = sn_arena_new();
    ProtobufCMessage *m;
    Io in, want;
    SnOnnxOpts o = {0};
    SnGraph *g;
    SnStatus s;
    double e = -1;

    d = sn_diag_new(mem);
    s = sn_pb_load(mem, &onnx__model_proto__descriptor,
                   sn_path_join(mem, dir, "model.onnx"), d, &m);
    assert_int_equal(s, SN_OK);
    Onnx__ModelProto *model = (Onnx__ModelProto *)m;
    read_set(mem, dir, "input", model->graph, &in);
    read_set(mem, dir, "output", model->graph, &want);
    if (input != NULL) {
        assert_int_equal(sn_pb_read(mem, input, d, &in.data[0]), SN_OK);
        in.name[0] = model->graph->input[0]->name;
        in.n = 1;
    }
    for (uint32_t i = 0; i < in.n; i++)
        if (sn_data_count(&in.data[i]) == 0) {
            sn_arena_free(mem); /* 0 is a free dimension here */
            d = sn_diag_new(a);
            return -1;
        }
    if (in.n > 0 && in.data[0].rank > 0)
        o.batch = in.data[0].dim[0];
    s = import_bytes(mem, model, dir, &o, &g);
    if (s == SN_EUNSUPPORTED && fix) {
        fix_inputs(mem, dir, model->graph);
        s = import_bytes(mem, model, dir, &o, &g);
    }
    if (s != SN_OK && s != SN_EUNSUPPORTED)
        fail_msg("%s", sn_diag_text(d, a));
    if (s == SN_OK)
        e = run(mem, g, &in, &want);
    sn_arena_free(mem);
    d = sn_diag_new(a);
    return e;
}

/* References sum in another order and with wider steps, so last bits
 * differ. */
static void
light_models_give_the_reference_outputs(void **state)
{
    static const char *const light[] = {
        "bvlc_alexnet_div16_random",  "densenet121_div8_random",
        "inception_v1_div8_random",   "resnet50_div8_random",
        "squeezenet_div8_random",     "vgg19_div16_random",
        "zfnet512_div16_random",
    };
    const char *dir = data_dir(), *top;

    (void)state;
    if (dir == NULL)
        skip();
    top = sn_path_join(a, dir, "light");
    for (size_t i = 0; i < sizeof light / sizeof light[0]; i++) {
        const char *m = sn_path_join(a, top, light[i]);
        double e = difference(
            m, sn_path_join(a, top, "input_picture_1x3x224x224.pb"), false);
        print_message("%-28s %.2e\n", light[i], e);
        assert_true(e >= 0 && e < 1e-5);
    }
}

static void
trained_models_give_the_reference_outputs(void **state)
{
    static const char *const trained[] = {
        "lenet_mnist", "alexnet_lrn_cifar10", "inception_lrn_cifar10",
        "mobilenetv2_cifar10",
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof trained / sizeof trained[0]; i++) {
        const char *m = sn_path_join(a, sn_path_join(a, dir, "trained"),
                                     trained[i]);
        double e = difference(m, NULL, false);
        print_message("%-28s %.2e\n", trained[i], e);
        assert_true(e >= 0 && e < 1e-6);
    }
}

/* Models of other exporters, and quantized ones, which agree bit for bit. */
static void
other_models_give_the_reference_outputs(void **state)
{
    static const struct {
        const char *name;
        double within;
    } other[] = {
        {"real/cifar10_winml", 1e-5},
        {"real/micro_kws_fp32", 1e-5},
        {"real/mlperf_autoencoder_ad_bn", 1e-5},
        {"real/mlperf_dscnn_kws", 1e-5},
        {"real/mlperf_resnet8_bn", 1e-5},
        {"real/mnist_8", 1e-5},
        {"real/mnist_12", 1e-5},
        {"real/squeezenet1.1_fp32", 1e-5},
        {"real/super_resolution", 1e-5},
        {"real/yunet_n_320", 1e-5},
        {"quantized/mlperf_autoencoder_ad_qdq", 0},
        {"quantized/mlperf_dscnn_kws_qdq", 0},
        {"quantized/mlperf_resnet8_qdq", 0},
        {"quantized/person_detect_qdq", 0},
        {"quantized/ort_conv_qdq_s8s8_perchannel", 0},
        {"quantized/ort_conv_qdq_u8u8", 0},
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        double e = difference(sn_path_join(a, dir, other[i].name), NULL,
                              false);
        print_message("%-38s %.2e\n", other[i].name, e);
        assert_true(e >= 0 && e <= other[i].within);
    }
}

/* The operators' own conformance tests: whatever imports must agree. */
static void
operators_conform(void **state)
{
    const char *dir = data_dir(), *top;
    int nrun = 0, nbad = 0, nrefused = 0;
    struct dirent **list;
    int n;

    (void)state;
    if (dir == NULL)
        skip();
    top = sn_path_join(a, dir, "node/opset24");
    n = scandir(top, &list, NULL, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        if (strncmp(list[i]->d_name, "test_", 5) == 0) {
            double e = difference(sn_path_join(a, top, list[i]->d_name), NULL,
                                  true);
            nrefused += e < 0;
            nrun += e >= 0;
            nbad += e > 2e-4; /* some references have four digits */
            if (e > 2e-4)
                print_error("%s: %g\n", list[i]->d_name, e);
        }
        free(list[i]);
    }
    free(list);
    print_message("%d agree, %d are refused\n", nrun - nbad, nrefused);
    assert_int_equal(nbad, 0);
    assert_true(nrun >= 150);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_models_import),
        cmocka_unit_test(light_models_give_the_reference_outputs),
        cmocka_unit_test(trained_models_give_the_reference_outputs),
        cmocka_unit_test(other_models_give_the_reference_outputs),
        cmocka_unit_test(operators_conform),
    };

    return cmocka_run_group_tests_name("onnx_models", tests, setup, teardown);
}
