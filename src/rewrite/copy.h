// SPDX-License-Identifier: Apache-2.0
/* Copies of a node with something changed: the building step of the derived
 * families. */
#ifndef SN_COPY_H
#define SN_COPY_H

#include "rewrite/rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnEdit {
    SnKind kind;      /* of the copy; the node's own to start with */
    const char *name; /* wanted name; NULL: one made from the node's */
    void *attr;       /* a fresh copy of the attributes, to be changed */
    uint32_t nin;
    SnRef *in; /* operands, to be changed */
    uint8_t nout;
    const SnType **type; /* result types, to be changed */
    bool calibrated;
} SnEdit;

/* Starts from node id; everything lives in the graph's arena. */
SnEdit sn_edit(SnGraph *g, SnId id);
/* Do the edit's types fit a tuple of its kind (of the kind or a form)? */
const SnTuple *sn_edit_tuple(const SnGraph *g, const SnEdit *e);
/* Why g's arithmetic does not admit the copy, or NULL; in: with operands that
 * are not made yet. */
const char *sn_edit_admits_why(const SnGraph *g, SnId id, const SnEdit *e);
const char *sn_call_admits_why(const SnGraph *g, SnId id, const SnEdit *e,
                               const SnTensor *in);
void sn_edit_clamp(SnEdit *e, SnRange r); /* the kind must have a clamp */
SnId sn_edit_add(SnGraph *g, const SnEdit *e);

#ifdef __cplusplus
}
#endif

#endif
