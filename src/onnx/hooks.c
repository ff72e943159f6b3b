/* The hooks that nodes.def may name. */
#include "onnx/hooks_all.h"

#include <string.h>

static const struct {
    const char *name;
    SnOxHook *fn;
} hooks[] = {
    {"sn_onnx_argmax", sn_onnx_argmax},
    {"sn_onnx_auto_pad", sn_onnx_auto_pad},
    {"sn_onnx_clip", sn_onnx_clip},
    {"sn_onnx_dequantize", sn_onnx_dequantize},
    {"sn_onnx_flatten", sn_onnx_flatten},
    {"sn_onnx_gather", sn_onnx_gather},
    {"sn_onnx_gemm", sn_onnx_gemm},
    {"sn_onnx_global_pool", sn_onnx_global_pool},
    {"sn_onnx_nary", sn_onnx_nary},
    {"sn_onnx_pad", sn_onnx_pad},
    {"sn_onnx_quantize", sn_onnx_quantize},
    {"sn_onnx_reshape", sn_onnx_reshape},
    {"sn_onnx_resize", sn_onnx_resize},
    {"sn_onnx_slice", sn_onnx_slice},
    {"sn_onnx_softmax_flat", sn_onnx_softmax_flat},
    {"sn_onnx_split", sn_onnx_split},
    {"sn_onnx_squeeze", sn_onnx_squeeze},
    {"sn_onnx_topk", sn_onnx_topk},
    {"sn_onnx_transpose", sn_onnx_transpose},
    {"sn_onnx_unsqueeze", sn_onnx_unsqueeze},
    {"sn_onnx_upsample", sn_onnx_upsample},
};

SnOxHook *
sn_ox_hook_named(const char *name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].fn;
    return NULL;
}

bool
sn_onnx_hook_known(const char *name)
{
    return sn_ox_hook_named(name) != NULL;
}
