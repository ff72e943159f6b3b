// SPDX-License-Identifier: Apache-2.0
/* The hooks that nodes.def may name. */
#include "onnx/hooks/hooks_all.h"

#include <string.h>

static const struct {
    const char *name;
    SnImportHook *fn;
    const char *note; /* what is restricted, for `sinter ops`; or NULL */
} hooks[] = {
    {"sn_onnx_arg", sn_onnx_arg, NULL},
    {"sn_onnx_argmax", sn_onnx_argmax, NULL},
    {"sn_onnx_aten", sn_onnx_aten, "embedding_bag with mode 0, the sum"},
    {"sn_onnx_auto_pad", sn_onnx_auto_pad, NULL},
    {"sn_onnx_ceil_pad", sn_onnx_ceil_pad, NULL},
    {"sn_onnx_clip", sn_onnx_clip, "bounds must be constant"},
    {"sn_onnx_conv_integer", sn_onnx_conv_integer, "1 or 2 spatial dimensions"},
    {"sn_onnx_conv_transpose", sn_onnx_conv_transpose,
     "1 or 2 spatial dimensions"},
    {"sn_onnx_cumsum", sn_onnx_cumsum,
     "the axis constant; finite f32 and int32, at most 4096 in a sum"},
    {"sn_onnx_depth_to_space", sn_onnx_depth_to_space, NULL},
    {"sn_onnx_dequantize", sn_onnx_dequantize,
     "uint8, int8, uint16, int16, int32; constants of 4 bits"},
    {"sn_onnx_dynamic_matmul", sn_onnx_dynamic_matmul, NULL},
    {"sn_onnx_dynamic_quantize", sn_onnx_dynamic_quantize, NULL},
    {"sn_onnx_expand", sn_onnx_expand, "the shape must be constant"},
    {"sn_onnx_flatten", sn_onnx_flatten, NULL},
    {"sn_onnx_fused_conv", sn_onnx_fused_conv,
     "2 spatial dimensions; activations Relu, Tanh, Sigmoid, LeakyRelu, Clip, "
     "HardSigmoid, HardSwish"},
    {"sn_onnx_gather", sn_onnx_gather, NULL},
    {"sn_onnx_gather_elements", sn_onnx_gather_elements, NULL},
    {"sn_onnx_gelu", sn_onnx_gelu, NULL},
    {"sn_onnx_gemm", sn_onnx_gemm, NULL},
    {"sn_onnx_global_pool", sn_onnx_global_pool, "1 or 2 spatial dimensions"},
    {"sn_onnx_instance_norm", sn_onnx_instance_norm, NULL},
    {"sn_onnx_layer_norm", sn_onnx_layer_norm, NULL},
    {"sn_onnx_matmul", sn_onnx_matmul, NULL},
    {"sn_onnx_matmul_integer", sn_onnx_matmul_integer, NULL},
    {"sn_onnx_matmul_to_real", sn_onnx_matmul_to_real, NULL},
    {"sn_onnx_mean", sn_onnx_mean, NULL},
    {"sn_onnx_mod", sn_onnx_mod, "int32, int64, int8, uint8"},
    {"sn_onnx_nary", sn_onnx_nary, NULL},
    {"sn_onnx_pad", sn_onnx_pad, "widths must be constant"},
    {"sn_onnx_qgemm", sn_onnx_qgemm, "B constant where y_scale is given"},
    {"sn_onnx_qlinear_binary", sn_onnx_qlinear_binary, "scales constant"},
    {"sn_onnx_qlinear_concat", sn_onnx_qlinear_concat, "scales constant"},
    {"sn_onnx_qlinear_conv", sn_onnx_qlinear_conv,
     "2 spatial dimensions; scales and bias constant"},
    {"sn_onnx_qlinear_matmul", sn_onnx_qlinear_matmul,
     "scales constant; one for A"},
    {"sn_onnx_qlinear_mean", sn_onnx_qlinear_mean, "scales constant"},
    {"sn_onnx_qlinear_pool", sn_onnx_qlinear_pool,
     "2 spatial dimensions; scales constant"},
    {"sn_onnx_qlinear_softmax", sn_onnx_qlinear_softmax, "scales constant"},
    {"sn_onnx_qlinear_unary", sn_onnx_qlinear_unary, "scales constant"},
    {"sn_onnx_qlinear_where", sn_onnx_qlinear_where, "scales constant"},
    {"sn_onnx_quantize", sn_onnx_quantize, "uint8, int8, uint16, int16"},
    {"sn_onnx_reduce", sn_onnx_reduce,
     "axes must be constant; not over no elements"},
    {"sn_onnx_reduce_prod", sn_onnx_reduce_prod,
     "axes must be constant; not over no elements"},
    {"sn_onnx_reshape", sn_onnx_reshape, "the shape must be constant"},
    {"sn_onnx_resize", sn_onnx_resize, "factors and sizes must be constant"},
    {"sn_onnx_rnn", sn_onnx_rnn,
     "unrolled; activations Sigmoid, Tanh, Relu without parameters; sequence "
     "lengths constant"},
    {"sn_onnx_slice", sn_onnx_slice,
     "starts, ends, axes and steps must be constant"},
    {"sn_onnx_softmax_flat", sn_onnx_softmax_flat, NULL},
    {"sn_onnx_split", sn_onnx_split, "sizes must be constant"},
    {"sn_onnx_squeeze", sn_onnx_squeeze, "axes must be constant"},
    {"sn_onnx_topk", sn_onnx_topk, "the count must be constant"},
    {"sn_onnx_transpose", sn_onnx_transpose, NULL},
    {"sn_onnx_trilu", sn_onnx_trilu,
     "the diagonal constant; f32, int32, int64"},
    {"sn_onnx_unsqueeze", sn_onnx_unsqueeze, "axes must be constant"},
    {"sn_onnx_upsample", sn_onnx_upsample, "factors constant and 1 at least"},
};

SnImportHook *
sn_import_hook_named(const char *name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].fn;
    return NULL;
}

const char *
sn_import_hook_note(const char *name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].note;
    return NULL;
}
