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

/* Runs the graph on one input; the data of its only Save. */
static SnTensor
run(SnGraph *g, SnArena *mem, const SnData *x)
{
    uint32_t n;
    SnId *ids = sn_topo(g, mem, &n);
    SnTensor **res = SN_NEW_N(mem, SnTensor *, g->nnode);
    SnArena *scratch = sn_arena_new();
    SnTensor y = {0};

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *p = sn_node(g, ids[i]);
        const SnKindDesc *kd = sn_desc(p->kind);
        SnTensor *in = SN_NEW_N(mem, SnTensor, p->nin);
        SnTensor *out = SN_NEW_N(mem, SnTensor, p->nres);
        for (uint32_t k = 0; k < p->nin; k++)
            if (p->in[k].ref != 0)
                in[k] = res[SN_NODE(p->in[k].ref)][SN_RES(p->in[k].ref)];
        res[ids[i]] = out;
        if (kd->nout == 0) {
            y = in[0];
            continue;
        }
        for (uint32_t k = 0; k < p->nres; k++) {
            out[k].type = p->res[k].type;
            out[k].shape = p->res[k].shape;
            if (p->res[k].nuse > 0)
                out[k].data = sn_alloc(mem, sn_tensor_nbyte(out[k].type,
                                                            out[k].shape));
        }
        if (p->data != NULL) {
            out[0].data = (void *)(uintptr_t)p->data;
        } else if (kd->effect) {
            assert_int_equal(sn_data_nbyte(x),
                             sn_tensor_nbyte(out[0].type, out[0].shape));
            out[0].data = (void *)(uintptr_t)x->data;
        } else {
            assert_int_equal(sn_eval_node(g, ids[i], in, out, scratch, d),
                             SN_OK);
        }
    }
    sn_arena_free(scratch);
    return y;
}

/* The largest difference over the largest expected magnitude.  The reference
 * sums in another order and with wider steps, so the last bits differ. */
static double
difference(const char *model, const char *input, const char *output)
{
    SnArena *mem = sn_arena_new();
    SnGraph *g;
    SnData x, want;
    double worst = 0, top = 0;

    d = sn_diag_new(mem);
    assert_int_equal(sn_pb_read(mem, input, d, &x), SN_OK);
    assert_int_equal(sn_pb_read(mem, output, d, &want), SN_OK);
    SnOnnxOpts o = {.batch = x.dim[0]};
    assert_int_equal(sn_onnx_import(mem, model, &o, d, &g), SN_OK);
    SnTensor y = run(g, mem, &x);
    assert_int_equal(sn_data_count(&want), sn_shape_count(y.shape));
    for (int64_t i = 0; i < sn_data_count(&want); i++) {
        double e = sn_data_real(&want, i);
        double v = (double)((const float *)y.data)[i];
        assert_true(v == v);
        worst = fmax(worst, fabs(v - e));
        top = fmax(top, fabs(e));
    }
    sn_arena_free(mem);
    d = sn_diag_new(a);
    return worst / top;
}

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
            sn_path_join(a, m, "model.onnx"),
            sn_path_join(a, top, "input_picture_1x3x224x224.pb"),
            sn_path_join(a, m, "test_data_set_0/output_0.pb"));
        print_message("%-28s %.2e\n", light[i], e);
        assert_true(e < 2e-4);
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
        double e = difference(
            sn_path_join(a, m, "model.onnx"),
            sn_path_join(a, m, "test_data_set_0/input_0.pb"),
            sn_path_join(a, m, "test_data_set_0/output_0.pb"));
        print_message("%-28s %.2e\n", trained[i], e);
        assert_true(e < 1e-5);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_models_import),
        cmocka_unit_test(light_models_give_the_reference_outputs),
        cmocka_unit_test(trained_models_give_the_reference_outputs),
    };

    return cmocka_run_group_tests_name("onnx_models", tests, setup, teardown);
}
