// SPDX-License-Identifier: Apache-2.0
/* Every hook; hooks.c has the table of their names. */
#ifndef SN_HOOKS_ALL_H
#define SN_HOOKS_ALL_H

#include "onnx/import/import_priv.h"

/* hooks_nn.c: windows, sums of products, element by element */
SnOxHook sn_onnx_auto_pad; /* attribute pads, from auto_pad */
SnOxHook sn_onnx_ceil_pad; /* a mean that counts pads, under ceil_mode */
SnOxHook sn_onnx_argmax;   /* result: positions of maxima */
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

/* hooks_index.c: indices, sums and masks written out */
SnOxHook sn_onnx_gather_elements;
SnOxHook sn_onnx_cumsum;
SnOxHook sn_onnx_trilu;

/* hooks_resize.c */
SnOxHook sn_onnx_resize;
SnOxHook sn_onnx_upsample;

/* hooks_fn.c: reductions, normalizations, what takes several nodes */
SnOxHook sn_onnx_reduce;
SnOxHook sn_onnx_reduce_prod;
SnOxHook sn_onnx_mod;
SnOxHook sn_onnx_arg;
SnOxHook sn_onnx_layer_norm;
SnOxHook sn_onnx_instance_norm;
SnOxHook sn_onnx_conv_transpose;
SnOxHook sn_onnx_gelu;
SnOxHook sn_onnx_depth_to_space;
SnOxHook sn_onnx_expand;
SnOxHook sn_onnx_mean;

SnOxHook sn_onnx_rnn;  /* hooks_rnn.c */
SnOxHook sn_onnx_aten; /* hooks_bag.c */

/* hooks_quant.c */
SnOxHook sn_onnx_quantize;
SnOxHook sn_onnx_dequantize;
/* rne(v / scale) + zp, saturated to 8 bits, as plain codes. */
SnStatus sn_ox_quantized_by(SnOx *x, const char *name, SnRef v, SnRef scale,
                            SnRef zp, bool u8, SnRef *out);

/* A waiting 8-bit input without a scale. */
SnStatus sn_ox_plain_input(SnOx *x, SnOxVal *v);

/* hooks_block.c: the same with `size` elements along axis to a scale */
SnStatus sn_ox_quantize_blocks(SnOx *x, SnOxVal *v, int64_t axis, int64_t size,
                               SnDtype codes);
SnStatus sn_ox_dequantize_blocks(SnOx *x, SnOxVal *v, int64_t axis,
                                 int64_t size, SnDtype codes);

/* hooks_qop.c: operators on codes */
SnOxHook sn_onnx_matmul;
/* Constant codes [k, n] with a scale for each of n columns? */
bool sn_ox_by_column(const SnOxVal *v);
SnOxHook sn_onnx_qlinear_conv;
SnOxHook sn_onnx_qlinear_matmul;
SnOxHook sn_onnx_qgemm;
SnOxHook sn_onnx_qlinear_binary;
SnOxHook sn_onnx_qlinear_pool;
SnOxHook sn_onnx_qlinear_mean;
SnOxHook sn_onnx_qlinear_where;
SnOxHook sn_onnx_qlinear_concat;
SnOxHook sn_onnx_qlinear_unary;
SnOxHook sn_onnx_qlinear_softmax;
/* a . b as matrices, where either may be a vector. */
SnStatus sn_ox_product(SnOx *x, SnKind k, SnRef a, SnRef b, const SnType *type,
                       SnRef *out);

/* hooks_integer.c: plain integers, and reals from them */
SnOxHook sn_onnx_matmul_integer;
SnOxHook sn_onnx_conv_integer;
SnOxHook sn_onnx_dynamic_quantize;
SnOxHook sn_onnx_matmul_to_real;
SnOxHook sn_onnx_dynamic_matmul;
/* QGemm without a scale for its result: alpha * a_scale * b_scale times the
 * sums of products and C. */
SnStatus sn_ox_qgemm_real(SnOx *x, bool trans_a, bool trans_b, float alpha);

/* hooks_fused.c: a node and what is done to its result */
SnOxHook sn_onnx_fused_conv;

#endif
