// SPDX-License-Identifier: Apache-2.0
/* Graphs to ONNX models.  Pictures leave with channels first: a Transpose is
 * written only where the model needs one.  Quantized nodes leave as float
 * operators between DequantizeLinear and QuantizeLinear (QDQ), or as
 * operators on codes where one computes the same row of docs/numerics.md
 * (QOperator).  docs/export.md is the contract. */
#ifndef SN_EXPORT_H
#define SN_EXPORT_H

#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnOnnxForm { SN_ONNX_QDQ, SN_ONNX_QOPERATOR } SnOnnxForm;

enum { SN_ONNX_OPSET = 17, SN_ONNX_OPSET_MIN = 13, SN_ONNX_OPSET_MAX = 25 };

typedef struct SnOnnxExport {
    SnOnnxForm form;
    int opset; /* 0: SN_ONNX_OPSET */
    bool u8;   /* 8-bit codes of values, not of constants, as uint8 (+ 128)
                  in any case */
} SnOnnxExport;

/* The names of the forms in order, NULL-ended. */
const char *const *sn_onnx_forms(void);

/* Is there a way to write nodes of this kind at this opset?  Attributes and
 * types may still bar a single node. */
bool sn_onnx_writes(SnKind k, int opset);

/* The bytes of the model of g, in a; they depend on g and o alone.  file is
 * for messages.  SN_EUNSUPPORTED names the node that has no form in ONNX. */
SnStatus sn_onnx_pack(SnArena *a, const SnGraph *g, const SnOnnxExport *o,
                      const char *file, SnDiag *d, void **p, size_t *n);
/* Writes the model to path, at once or not at all ("-": standard output). */
SnStatus sn_onnx_save(SnArena *a, const SnGraph *g, const SnOnnxExport *o,
                      const char *path, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
