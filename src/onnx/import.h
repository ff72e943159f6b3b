// SPDX-License-Identifier: Apache-2.0
/* ONNX models to graphs.  The graph computes on pictures with channels last;
 * its Placeholders and Saves keep the shapes of the ONNX interface.  The node
 * that makes ONNX value "foo" is named "foo", a Transpose added for its layout
 * "foo.nchw" or "foo.nhwc". */
#ifndef SN_IMPORT_H
#define SN_IMPORT_H

#include "graph/graph.h"
#include "onnx.pb-c.h"
#include "onnx/import/import_opts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the model at path ("-" is standard input).  o may be NULL.  SN_EINPUT:
 * the file is malformed or contradicts itself; SN_EUNSUPPORTED: it is beyond
 * sinter; SN_EUSAGE: the options do not fit the model. */
SnStatus sn_onnx_import(SnArena *a, const char *path, const SnOnnxOpts *o,
                        SnDiag *d, SnGraph **out);
/* The same from memory.  name is for messages; external data is looked for in
 * dir (NULL: refused). */
SnStatus sn_onnx_parse(SnArena *a, const char *name, const char *dir,
                       const void *p, size_t n, const SnOnnxOpts *o, SnDiag *d,
                       SnGraph **out);

/* The same, but weights may stay at p, which must last as long as a. */
SnStatus sn_onnx_borrow(SnArena *a, const char *name, const char *dir,
                        const void *p, size_t n, const SnOnnxOpts *o, SnDiag *d,
                        SnGraph **out);

/* The same from a message in memory; what it points to may stay there, and must
 * last as long as a.  Whoever made it answers for its structure: no message or
 * string is missing that a file could not lack. */
SnStatus sn_onnx_message(SnArena *a, const char *name,
                         const Onnx__ModelProto *m, const SnOnnxOpts *o,
                         SnDiag *d, SnGraph **out);

/* The i-th operator that is handled without an onnx line in nodes.def, in
 * alphabetical order; NULL past the last. */
const char *sn_onnx_structural(size_t i);
/* What is restricted about it, or NULL. */
const char *sn_onnx_structural_note(size_t i);

#ifdef __cplusplus
}
#endif

#endif
