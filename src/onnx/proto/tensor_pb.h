// SPDX-License-Identifier: Apache-2.0
/* TensorProto to plain data: raw bytes, typed fields and external files. */
#ifndef SN_TENSOR_PB_H
#define SN_TENSOR_PB_H

#include "base/data.h"
#include "onnx/proto/onnx_read.h"
#include "onnx.pb-c.h"

/* The elements of t.  The data may be borrowed from t, so out lives as long as
 * t; reals of a message that was borrowed too (sn_pb_borrow) may lie at any
 * address.  dir is where external files may lie (NULL: refused); where is for
 * messages. */
SnStatus sn_tensor_pb(SnArena *a, const Onnx__TensorProto *t, const char *dir,
                      const char *where, SnDiag *d, SnData *out);
/* The type that sn_tensor_pb gives for this number of TensorProto.DataType:
 * INT4 and UINT4 become 8 bits wide, BFLOAT16 becomes f32. */
SnDtype sn_onnx_unpacked(int64_t number);
/* The element type with this number of TensorProto.DataType, or SN_D_NONE;
 * *name is ONNX's name for it. */
SnDtype sn_onnx_dtype(int64_t number, const char **name);

/* Reads a file that holds one TensorProto (.pb). */
SnStatus sn_pb_read(SnArena *a, const char *path, SnDiag *d, SnData *out);

#endif
