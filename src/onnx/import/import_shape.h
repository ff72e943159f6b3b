// SPDX-License-Identifier: Apache-2.0
/* Shapes of graph inputs: the file, options for symbolic dimensions, for the
 * batch and for whole shapes. */
#ifndef SN_IMPORT_SHAPE_H
#define SN_IMPORT_SHAPE_H

#include "onnx/import/import_priv.h"

typedef struct SnOxDims SnOxDims;

/* Reads the options; what they say wrong is SN_EUSAGE. */
SnStatus sn_ox_dims_open(SnOx *x);
/* The shape of input vi into v. */
SnStatus sn_ox_input_shape(SnOx *x, const Onnx__ValueInfoProto *vi, SnOxVal *v);
/* Refuses options that named nothing in the model. */
SnStatus sn_ox_dims_done(SnOx *x);

#endif
