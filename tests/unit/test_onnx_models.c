// SPDX-License-Identifier: Apache-2.0
/* ONNX models of others, under $SHARED/data: import, and outputs compared with
 * the reference outputs beside them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "quant/island.h"
#include "unit/onnx_run.h"
#include "unit/arena.h"

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

/* The worst difference of a model's outputs, over their largest element. */
static double
difference(const char *dir, const char *input)
{
    SnArena *mem = sn_arena_new();
    OrResult r = or_model(mem, dir, input, false);

    if (r.status != SN_OK)
        print_error("%s: %s", dir, r.why);
    assert_int_equal(r.status, SN_OK);
    assert_true(r.nout > 0);
    sn_arena_free(mem);
    return r.worst;
}

/* References sum in another order and with wider steps, so last bits
 * differ. */
static void
light_models_give_the_reference_outputs(void **state)
{
    static const char *const light[] = {
        "bvlc_alexnet_div16_random", "densenet121_div8_random",
        "inception_v1_div8_random",  "resnet50_div8_random",
        "squeezenet_div8_random",    "vgg19_div16_random",
        "zfnet512_div16_random",
    };
    const char *dir = data_dir(), *top;

    (void)state;
    if (dir == NULL)
        skip();
    top = sn_path_join(a, dir, "light");
    for (size_t i = 0; i < sizeof light / sizeof light[0]; i++) {
        const char *m = sn_path_join(a, top, light[i]);
        double e =
            difference(m, sn_path_join(a, top, "input_picture_1x3x224x224.pb"));
        print_message("%-28s %.2e\n", light[i], e);
        assert_true(e >= 0 && e < 1e-5);
    }
}

static void
trained_models_give_the_reference_outputs(void **state)
{
    static const char *const trained[] = {
        "lenet_mnist",
        "alexnet_lrn_cifar10",
        "inception_lrn_cifar10",
        "mobilenetv2_cifar10",
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof trained / sizeof trained[0]; i++) {
        const char *m =
            sn_path_join(a, sn_path_join(a, dir, "trained"), trained[i]);
        double e = difference(m, NULL);
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
        {"quantized/micro_kws_m_qoperator_add_shape", 0},
        {"quantized/micro_kws_m_qoperator_softmax", 0},
        {"quantized/micro_kws_m_static_qoperator", 0},
        {"quantized/migraphx_qlinearconv_pad_1_test", 0},
        {"quantized/migraphx_qlinearconv_perchannel_weightbias_test", 0},
        {"quantized/migraphx_qlinearconv_test", 0},
        {"quantized/migraphx_qlinearmatmul_2D_test", 0},
        {"quantized/migraphx_qlinearmatmul_3D_test", 0},
        {"quantized/mlp_shark_qdq", 0},
        {"quantized/mlperf_dscnn_kws_qlinear", 0},
        {"quantized/mlperf_mobilenetv1_vww_qdq", 0},
        {"quantized/mlperf_mobilenetv1_vww_qlinear", 0},
        {"quantized/mlperf_resnet8_qlinear", 0},
        {"quantized/mnist_connxr", 0},
        {"quantized/ort_constant_folding_qdq_node_unit", 0},
        {"quantized/ort_qdq_conv", 0},
        {"quantized/ort_qdq_convs", 0},
        {"quantized/ort_conv_qdq_s8s8", 0},
        {"quantized/ort_constant_folding_dequantizelinear", 1e-6},
        {"quantized/ort_qdq_with_multi_consumer_q_dq_axis", 1e-6},
        {"quantized/mlperf_dscnn_kws_qdq", 0},
        {"quantized/mlperf_resnet8_qdq", 0},
        {"quantized/person_detect_qdq", 0},
        {"quantized/ort_conv_qdq_s8s8_perchannel", 0},
        {"quantized/ort_conv_qdq_u8u8", 0},
        {"quantized/ort_qdq_minimal_model", 1e-6},
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        double e = difference(sn_path_join(a, dir, other[i].name), NULL);
        print_message("%-38s %.2e\n", other[i].name, e);
        assert_true(e >= 0 && e <= other[i].within);
    }
}

/* Models of Quantize and Dequantize pairs as integer graphs: what differs from
 * the stored outputs, and which nodes stay float.  step: of the output's last
 * Quantize. */
static void
quantized_models_run_on_integers(void **state)
{
    static const struct {
        const char *name;
        double step;
        int nstep;     /* outputs are as near as that */
        int64_t ndiff; /* outputs that differ */
        uint32_t nfloat;
    } qdq[] = {
        {"micro_kws_m_qdq", 1, 0, 0, 0},
        {"mobilenet_v2_torch_qdq", 0.15309934, 1, 45, 0},
        {"ort_constant_folding_qdq_node_unit", 1, 0, 0, 1},
        {"mlp_shark_qdq", 1, 0, 0, 0},
        {"mlperf_autoencoder_ad_qdq", 1, 0, 0, 0},
        {"mlperf_dscnn_kws_qdq", 1, 0, 0, 0},
        {"mlperf_dscnn_kws_qlinear", 1, 0, 0, 0},
        {"mlperf_mobilenetv1_vww_qdq", 1, 0, 0, 0},
        {"mlperf_mobilenetv1_vww_qlinear", 1, 0, 0, 0},
        {"mlperf_resnet8_qdq", 1, 0, 0, 0},
        {"mlperf_resnet8_qlinear", 1, 0, 0, 0},
        {"ort_conv_int4_weights_qdq", 1, 0, 0, 0},
        {"ort_conv_qdq_s8s8", 1, 0, 0, 0},
        {"ort_conv_qdq_s8s8_perchannel", 1, 0, 0, 0},
        {"ort_conv_qdq_u8u8", 1, 0, 0, 0},
        {"ort_qdq_conv", 1, 0, 0, 0},
        {"ort_qdq_convs", 1, 0, 0, 0},
        {"person_detect_qdq", 1, 0, 0, 0},
    };
    const char *dir = data_dir();

    (void)state;
    if (dir == NULL)
        skip();
    for (size_t i = 0; i < sizeof qdq / sizeof qdq[0]; i++) {
        SnArena *own_arena = sn_arena_new();
        OrResult r = or_model_after(
            own_arena, sn_format(a, "%s/quantized/%s", dir, qdq[i].name), NULL,
            false, "optimize");
        SnRewriteOpts o = sn_rewrite_defaults;
        SnIslands f = {0};
        assert_int_equal(r.status, SN_OK);
        assert_int_equal(
            sn_why_floats(own_arena, r.graph, &o, "integerize", NULL, d, &f),
            SN_OK);
        print_message("%-40s step %g: %.2f steps, %lld of %lld differ, %u "
                      "float\n",
                      qdq[i].name, qdq[i].step, r.by / qdq[i].step,
                      (long long)r.ndiff, (long long)r.n, f.n);
        /* outputs are reals: two of these differ by a step and rounding */
        assert_true(r.by <= qdq[i].nstep * qdq[i].step * 1.0001);
        assert_int_equal(r.ndiff, qdq[i].ndiff);
        assert_int_equal(f.n, qdq[i].nfloat);
        sn_arena_free(own_arena);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_models_import),
        cmocka_unit_test(light_models_give_the_reference_outputs),
        cmocka_unit_test(trained_models_give_the_reference_outputs),
        cmocka_unit_test(other_models_give_the_reference_outputs),
        cmocka_unit_test(quantized_models_run_on_integers),
    };

    return cmocka_run_group_tests_name("onnx_models", tests, setup, teardown);
}
