// SPDX-License-Identifier: Apache-2.0
/* For libsinter_ep.so, in which the library is: models from messages that were
 * never bytes. */
#ifndef SN_API_MESSAGE_H
#define SN_API_MESSAGE_H

#include "onnx.pb-c.h"
#include "sinter.h"

/* sinter_model_parse of p, which was made by the caller (sn_onnx_message).
 * Values of its tensors are not copied: they and p must last until the model is
 * changed or freed. */
SinterStatus sn_api_message(const SinterConfig *c, const Onnx__ModelProto *p,
                            const char *name, const SinterImport *io,
                            SinterModel **out, SinterError *err);

#endif
