// SPDX-License-Identifier: Apache-2.0
/* Every hook, and what else the import asks of this room; hooks.c has the table
 * of hooks' names. */
#ifndef SN_HOOKS_ALL_H
#define SN_HOOKS_ALL_H

#include "onnx/import/import_priv.h"

SnImportHook *sn_import_hook_named(const char *name); /* NULL when unknown */
/* What the hook restricts, or NULL. */
const char *sn_import_hook_note(const char *name);

/* ---- steps of the import ---- */

/* A one-dimensional picture is seen as one of height 1 (hooks_lift.c);
 * *done says whether the node was one. */
SnStatus sn_import_lift(SnImport *x, const SnOnnxDesc *e, bool *done);
/* Element types that a node does not take, by casts (hooks_int.c). */
SnStatus sn_import_other_types(SnImport *x, bool *done);
/* int32 modulo 256, as result 0 of 8 bits. */
SnStatus sn_import_put_narrow(SnImport *x, SnRef y, bool u8);
/* Makes the Placeholder of an 8-bit input that waits, when the scale that the
 * node under way gives it is known already (hooks_quant.c). */
SnStatus sn_import_code_input(SnImport *x, SnImportVal *v);

/* ---- codes (hooks_quant.c) ---- */
/* Is input i of the node codes whose scale and zero point are inputs too, and
 * which? */
bool sn_import_code_slot(const Onnx__NodeProto *n, uint32_t i, uint32_t *scale,
                         uint32_t *zp);
/* Input i with the type that its scale and zero point give it, with axes
 * permuted (NULL: ONNX's order).  More than one scale lies along axis, -1:
 * there may be one only. */
SnStatus sn_import_codes(SnImport *x, uint32_t i, int axis, const int *perm,
                         SnRef *out);
/* The type that inputs `scale` and `zp` give to result 0, and x->sign. */
SnStatus sn_import_code_type(SnImport *x, uint32_t scale, uint32_t zp,
                             const SnType **out);
/* A plain 8-bit operand that is not changed by what reads it. */
SnStatus sn_import_plain_codes(SnImport *x, SnImportVal *v, SnRef *out);
/* The numbers that plain codes stand for, as f32 or integers. */
SnStatus sn_import_code_numbers(SnImport *x, const char *name, SnRef in,
                                bool u8, SnElem to, SnRef *out);

/* ---- for several hooks ---- */

/* The attribute `name` from a word of the file; what is its attribute there
 * (hooks_move.c). */
SnStatus sn_import_set_word(SnImport *x, SnKind k, void *attr, const char *name,
                            const char *what, const char *word);

/* ---- hooks ---- */

/* hooks_nn.c: windows, sums of products, element by element */
SnImportHook sn_onnx_auto_pad; /* attribute pads, from auto_pad */
SnImportHook sn_onnx_ceil_pad; /* a mean that counts pads, under ceil_mode */
SnImportHook sn_onnx_argmax;   /* result: positions of maxima */
SnImportHook sn_onnx_global_pool;
SnImportHook sn_onnx_gemm;
SnImportHook sn_onnx_softmax_flat; /* before opset 13: two-dimensional */
SnImportHook sn_onnx_clip;
SnImportHook sn_onnx_nary; /* any number of operands, by nodes of two */
SnImportHook sn_onnx_topk;

/* hooks_shape.c: same elements, other shape or order */
SnImportHook sn_onnx_reshape;
SnImportHook sn_onnx_flatten;
SnImportHook sn_onnx_squeeze;
SnImportHook sn_onnx_unsqueeze;
SnImportHook sn_onnx_transpose;

/* hooks_move.c: some of the elements */
SnImportHook sn_onnx_slice;
SnImportHook sn_onnx_split;
SnImportHook sn_onnx_pad;
SnImportHook sn_onnx_gather;

/* hooks_index.c: indices, sums and masks written out */
SnImportHook sn_onnx_gather_elements;
SnImportHook sn_onnx_cumsum;
SnImportHook sn_onnx_trilu;

/* hooks_resize.c */
SnImportHook sn_onnx_resize;
SnImportHook sn_onnx_upsample;

/* hooks_fn.c: reductions, normalizations, what takes several nodes */
SnImportHook sn_onnx_reduce;
SnImportHook sn_onnx_reduce_prod;
SnImportHook sn_onnx_mod;
SnImportHook sn_onnx_arg;
SnImportHook sn_onnx_layer_norm;
SnImportHook sn_onnx_instance_norm;
SnImportHook sn_onnx_conv_transpose;
SnImportHook sn_onnx_gelu;
SnImportHook sn_onnx_depth_to_space;
SnImportHook sn_onnx_expand;
SnImportHook sn_onnx_mean;

SnImportHook sn_onnx_rnn;  /* hooks_rnn.c */
SnImportHook sn_onnx_aten; /* hooks_bag.c */

/* hooks_quant.c */
SnImportHook sn_onnx_quantize;
SnImportHook sn_onnx_dequantize;
/* rne(v / scale) + zp, saturated to 8 bits, as plain codes. */
SnStatus sn_import_quantized_by(SnImport *x, const char *name, SnRef v,
                                SnRef scale, SnRef zp, bool u8, SnRef *out);

/* A waiting 8-bit input without a scale. */
SnStatus sn_import_plain_input(SnImport *x, SnImportVal *v);

/* hooks_block.c: the same with `size` elements along axis to a scale */
SnStatus sn_import_quantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                                   int64_t size, SnDtype codes);
SnStatus sn_import_dequantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                                     int64_t size, SnDtype codes);

/* hooks_qop.c: operators on codes */
SnImportHook sn_onnx_matmul;
/* Constant codes [k, n] with a scale for each of n columns? */
bool sn_import_by_column(const SnImportVal *v);
SnImportHook sn_onnx_qlinear_conv;
SnImportHook sn_onnx_qlinear_matmul;
SnImportHook sn_onnx_qgemm;
SnImportHook sn_onnx_qlinear_binary;
SnImportHook sn_onnx_qlinear_pool;
SnImportHook sn_onnx_qlinear_mean;
SnImportHook sn_onnx_qlinear_where;
SnImportHook sn_onnx_qlinear_concat;
SnImportHook sn_onnx_qlinear_unary;
SnImportHook sn_onnx_qlinear_softmax;
/* a . b as matrices, where either may be a vector. */
SnStatus sn_import_product(SnImport *x, SnKind k, SnRef a, SnRef b,
                           const SnType *type, SnRef *out);

/* hooks_integer.c: plain integers, and reals from them */
SnImportHook sn_onnx_matmul_integer;
SnImportHook sn_onnx_conv_integer;
SnImportHook sn_onnx_dynamic_quantize;
SnImportHook sn_onnx_matmul_to_real;
SnImportHook sn_onnx_dynamic_matmul;
/* QGemm without a scale for its result: alpha * a_scale * b_scale times the
 * sums of products and C. */
SnStatus sn_import_qgemm_real(SnImport *x, bool trans_a, bool trans_b,
                              float alpha);

/* hooks_fused.c: a node and what is done to its result */
SnImportHook sn_onnx_fused_conv;

#endif
