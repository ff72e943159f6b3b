// SPDX-License-Identifier: Apache-2.0
/* Reading protobuf messages from untrusted files.  The bytes are scanned
 * against the schema before anything is unpacked: nesting, lengths, counts and
 * wire types; what the scan lets through needs memory in proportion to the
 * file.  The scan notes where long bytes lie, so that they can stay there. */
#ifndef SN_ONNX_READ_H
#define SN_ONNX_READ_H

#include <protobuf-c/protobuf-c.h>
#include "base/arena.h"
#include "base/diag.h"

enum {
    SN_PB_MAXDEPTH = 64,      /* messages inside messages */
    SN_PB_MAXFIELD = 1 << 24, /* fields in one file */
    SN_PB_FAR = 512           /* bytes worth not copying */
};

/* Unpacks n bytes as a message of type md into a.  name is for messages. */
SnStatus sn_pb_parse(SnArena *a, const ProtobufCMessageDescriptor *md,
                     const char *name, const void *p, size_t n, SnDiag *d,
                     ProtobufCMessage **out);
/* The same, but bytes of SN_PB_FAR and more are not copied: they stay in p,
 * which must last as long as a, and may lie at any address. */
SnStatus sn_pb_borrow(SnArena *a, const ProtobufCMessageDescriptor *md,
                      const char *name, const void *p, size_t n, SnDiag *d,
                      ProtobufCMessage **out);
/* sn_pb_parse from a file. */
SnStatus sn_pb_load(SnArena *a, const ProtobufCMessageDescriptor *md,
                    const char *path, SnDiag *d, ProtobufCMessage **out);

#endif
