// SPDX-License-Identifier: Apache-2.0
/* Graphs to ONNX models.  Pictures are written with channels first: a Transpose
 * is written only where the model needs one.  Quantized nodes become float
 * operators between DequantizeLinear and QuantizeLinear (QDQ), or operators on
 * codes where one computes the same row of docs/numerics.md (QOperator).
 * docs/export.md is the contract. */
#ifndef SN_EXPORT_H
#define SN_EXPORT_H

#include "graph/graph.h"
#include "graph/verify/twin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TWIN: QDQ, also of a graph whose arithmetic ONNX has no operators for, with a
 * bound for each node (graph/verify/twin.h) in the model's metadata. */
typedef enum SnOnnxForm {
    SN_ONNX_QDQ,
    SN_ONNX_QOPERATOR,
    SN_ONNX_TWIN
} SnOnnxForm;

#define SN_ONNX_TWIN_KEY "sinter.twin" /* of metadata_props */

typedef struct SnOnnxTwin {
    SnId id;
    const char *tensor; /* of its codes in the model */
    SnTwinBound bound;
} SnOnnxTwin;
typedef struct SnOnnxTwins {
    uint32_t n;
    SnOnnxTwin *v;
} SnOnnxTwins;

enum { SN_ONNX_OPSET = 17, SN_ONNX_OPSET_MIN = 13, SN_ONNX_OPSET_MAX = 25 };

typedef struct SnOnnxExport {
    SnOnnxForm form;
    int opset; /* 0: SN_ONNX_OPSET */
    bool u8;   /* 8-bit codes of values, not of constants, as uint8 (+ 128)
                  in any case */
    SnOnnxTwins *twins; /* out, of TWIN: the bounds; NULL: not requested */
} SnOnnxExport;

/* The names of the forms in order, NULL-ended. */
const char *const *sn_onnx_forms(void);

/* Can nodes of this kind be written at this opset?  Attributes and types may
 * still prevent it for a single node. */
bool sn_onnx_writes(SnKind k, int opset);

/* The bounds as JSON, as in the model's metadata. */
void sn_onnx_twins_json(SnBuf *b, const SnGraph *g, const SnOnnxTwins *t);

/* The bytes of the model of g, in a; they depend only on g and o.  file is
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
