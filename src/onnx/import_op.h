// SPDX-License-Identifier: Apache-2.0
/* ONNX operators that are handled without an onnx line in nodes.def. */
#ifndef SN_IMPORT_OP_H
#define SN_IMPORT_OP_H

#include "onnx/import/import_priv.h"

typedef SnStatus SnImportOp(SnImport *x);
/* NULL when op is not one. */
SnImportOp *sn_import_structural(SnOnnxOp op);

#endif
