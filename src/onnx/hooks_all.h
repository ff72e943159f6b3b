/* Every hook; hooks.c has the table of their names. */
#ifndef SN_HOOKS_ALL_H
#define SN_HOOKS_ALL_H

#include "onnx/hooks.h"

/* hooks_nn.c: windows, sums of products, element by element */
SnOxHook sn_onnx_auto_pad; /* attribute pads, from auto_pad */
SnOxHook sn_onnx_argmax;   /* result: positions of maxima, refused when used */
SnOxHook sn_onnx_global_pool;
SnOxHook sn_onnx_gemm;
SnOxHook sn_onnx_softmax_flat; /* before opset 13: two-dimensional */
SnOxHook sn_onnx_clip;
SnOxHook sn_onnx_nary; /* any number of operands, by nodes of two */
SnOxHook sn_onnx_topk;

/* hooks_shape.c: same elements, other shape or order */
SnOxHook sn_onnx_reshape;
SnOxHook sn_onnx_flatten;
SnOxHook sn_onnx_squeeze;
SnOxHook sn_onnx_unsqueeze;
SnOxHook sn_onnx_transpose;

/* hooks_move.c: some of the elements */
SnOxHook sn_onnx_slice;
SnOxHook sn_onnx_split;
SnOxHook sn_onnx_pad;
SnOxHook sn_onnx_gather;
SnOxHook sn_onnx_resize;
SnOxHook sn_onnx_upsample;

/* hooks_quant.c */
SnOxHook sn_onnx_quantize;
SnOxHook sn_onnx_dequantize;

#endif
