// SPDX-License-Identifier: Apache-2.0
/* Unpacking a protobuf message without copying its long bytes fields: they are
 * cut out of the bytes that are unpacked, each leaving an empty field and a
 * number behind, and attached to the result by those numbers. */
#ifndef SN_PB_CUT_H
#define SN_PB_CUT_H

#include <stdbool.h>
#include <stdint.h>
#include <protobuf-c/protobuf-c.h>
#include "base/arena.h"

/* The field number of the number left behind: the largest there is. */
enum { SN_PB_CUT_TAG = 0x1fffffff };

typedef struct SnPbFar {
    const ProtobufCFieldDescriptor *f;
    const uint8_t *p;
    size_t n;
} SnPbFar;

typedef struct SnPbCut {
    SnArena *a;
    bool off; /* something forbids cutting */
    uint32_t n;
    SnPbFar *far; /* in the order of the bytes */
} SnPbCut;

/* Notes a bytes field of the message being scanned, from front to back. */
void sn_pb_far(SnPbCut *c, const ProtobufCFieldDescriptor *f, const uint8_t *p,
               size_t n);
/* The bytes p[0..*n), which were scanned, without what was noted. */
const void *sn_pb_cut(const SnPbCut *c, const ProtobufCMessageDescriptor *md,
                      const uint8_t *p, size_t *n);
/* Makes the fields of an unpacked message point to what was noted. */
void sn_pb_attach(const SnPbCut *c, ProtobufCMessage *m);

#endif
