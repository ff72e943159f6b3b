// SPDX-License-Identifier: Apache-2.0
/* Small ONNX models under construction: values, nodes, and their bytes.  A
 * value's data is known from the start (inputs, initializers) or once ONNX
 * Runtime worked it out, so that any part of a model can be run alone. */
#ifndef SN_TEST_DIFFER_MODEL_H
#define SN_TEST_DIFFER_MODEL_H

#include "peer.h"
#include "onnx.pb-c.h"

enum {
    DM_MAXVAL = 192,
    DM_MAXNODE = 64,
    DM_MAXIN = 16,
    DM_MAXATTR = 8,
    DM_MAXMORE = 3
};

typedef enum DmFrom { DM_INPUT, DM_CONST, DM_MADE } DmFrom;

typedef struct DmVal {
    const char *name;
    DmFrom from;
    SnData data;
    float scale; /* codes: what they mean, else 0 */
    int32_t zp;
} DmVal;

typedef struct DmAttr {
    const char *name;
    enum { DM_INT, DM_REAL, DM_INTS, DM_TEXT } kind;
    int64_t i, ints[8];
    size_t n; /* of ints */
    float f;
    const char *s;
} DmAttr;

typedef struct DmNode {
    const char *op, *domain;
    uint32_t nin, nattr;
    int in[DM_MAXIN]; /* a value, -1: left out */
    int out;
    uint32_t nmore;
    int more[DM_MAXMORE]; /* results after the first */
    DmAttr attr[DM_MAXATTR];
} DmNode;

typedef struct Dm {
    SnArena *a;
    const char *name;
    uint32_t nval, nnode;
    DmVal val[DM_MAXVAL];
    DmNode node[DM_MAXNODE];
    int out; /* the value the model gives */
} Dm;

/* A value; data is copied.  dim may be NULL for a scalar. */
int dm_value(Dm *m, DmFrom from, SnDtype t, int rank, const int64_t *dim,
             const void *data);
int dm_f32(Dm *m, float v);
int dm_i64s(Dm *m, int n, const int64_t *v);

/* Starts a node; its result has no data yet. */
DmNode *dm_node(Dm *m, const char *domain, const char *op);
void dm_in(DmNode *n, int value);
/* One more result. */
int dm_more(Dm *m, DmNode *n);
void dm_int(DmNode *n, const char *name, int64_t v);
void dm_real(DmNode *n, const char *name, float v);
void dm_ints(DmNode *n, const char *name, size_t count, const int64_t *v);
void dm_text(DmNode *n, const char *name, const char *v);
/* Takes the newest node back. */
void dm_undo(Dm *m);

/* The model that works out m->out from inputs and initializers. */
void dm_pack(const Dm *m, SnArena *a, void **p, size_t *n);
/* The inputs that takes. */
uint32_t dm_inputs(const Dm *m, OrtIo *io);
/* The same, as a TensorProto's bytes. */
void dm_pack_tensor(SnArena *a, const char *name, const SnData *t, void **p,
                    size_t *n);
/* What the newest node gives, by ONNX Runtime. */
bool dm_eval(Dm *m, Ort *o, const char **why);
/* Node i, with its attributes and small operands, as one line. */
const char *dm_show(const Dm *m, SnArena *a, uint32_t i);
/* Does the model's output need node i? */
bool dm_needs(const Dm *m, uint32_t i);

#endif
