// SPDX-License-Identifier: Apache-2.0
/* Shapes of graph inputs: the file, options for symbolic dimensions, for the
 * batch and for whole shapes. */
#ifndef SN_IMPORT_SHAPE_H
#define SN_IMPORT_SHAPE_H

#include "onnx/import/import_priv.h"

typedef struct SnImportDims SnImportDims;

/* Reads the options; what they say wrong is SN_EUSAGE. */
SnStatus sn_import_dims_open(SnImport *x);
/* The shape of input vi into v. */
SnStatus sn_import_input_shape(SnImport *x, const Onnx__ValueInfoProto *vi,
                               SnImportVal *v);
/* Refuses options that named nothing in the model. */
SnStatus sn_import_dims_done(SnImport *x);

#endif
