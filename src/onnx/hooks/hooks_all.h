// SPDX-License-Identifier: Apache-2.0
/* Every hook (sn_hooks.h, generated of the lines that name them), and what else
 * the import asks of this room. */
#ifndef SN_HOOKS_ALL_H
#define SN_HOOKS_ALL_H

#include "onnx/import/import_priv.h"
#include "sn_hooks.h"

/* ---- steps of the import ---- */

/* A one-dimensional picture is seen as one of height 1 (hooks_lift.c);
 * *done says whether the node was one. */
SnStatus sn_import_lift(SnImport *x, const SnOnnxDesc *e, bool *done);
/* Element types that a node does not take, by casts (hooks_int.c). */
SnStatus sn_import_other_types(SnImport *x, const SnOnnxDesc *e, bool *done);
/* int32 modulo 256, as result 0 of 8 bits. */
SnStatus sn_import_put_narrow(SnImport *x, SnRef y, bool u8);

/* ---- for several hooks ---- */

/* The attribute `name` from a word of the file; what is its attribute there
 * (hooks_move.c). */
SnStatus sn_import_set_word(SnImport *x, SnKind k, void *attr, const char *name,
                            const char *what, const char *word);
/* rne(v / scale) + zp, saturated to 8 bits, as plain codes
 * (hooks_quant.c). */
SnStatus sn_import_quantized_by(SnImport *x, const char *name, SnRef v,
                                SnRef scale, SnRef zp, bool u8, SnRef *out);

/* hooks_block.c: the same with `size` elements along axis to a scale */
SnStatus sn_import_quantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                                   int64_t size, SnDtype codes);
SnStatus sn_import_dequantize_blocks(SnImport *x, SnImportVal *v, int64_t axis,
                                     int64_t size, SnDtype codes);

/* hooks_qop.c: operators on codes */
/* Constant codes [k, n] with a scale for each of n columns? */
bool sn_import_by_column(const SnImportVal *v);
/* A product with such codes as input 1, as a FullyConnected. */
SnStatus sn_import_times_columns(SnImport *x);

/* hooks_integer.c: plain integers, and reals from them */
/* QGemm without a scale for its result: alpha * a_scale * b_scale times the
 * sums of products and C. */
SnStatus sn_import_qgemm_real(SnImport *x, bool trans_a, bool trans_b,
                              float alpha);

#endif
