// SPDX-License-Identifier: Apache-2.0
/* A runtime of our own in place of ONNX Runtime, which does what that does not
 * do at will: options that are wrong, attributes that cannot be read, memory
 * and threads that fail.  Its objects are what they hold. */
#ifndef SN_TEST_FAKE_H
#define SN_TEST_FAKE_H

#include <stdatomic.h>

#include "ep/ort.h"

enum { FAKE_NNODE = 6 };

struct OrtValueInfo { /* also its type, the description of that, a value */
    const char *name;
    int type;
    size_t rank;
    int64_t dim[4];
    const void *data; /* of a constant, or of a value at a run */
    size_t nbyte;
};
struct OrtOpAttr {
    const char *name;
    int type;                   /* ORT_A_INT and so on; 0: asking fails */
    const OrtValueInfo *tensor; /* or: */
    const void *data;           /* what is read, n bytes */
    size_t n;
};
struct OrtNode {
    const char *op;
    size_t nin, nout;
    const OrtValueInfo *in[8], *out[8];
    const OrtOpAttr *attr; /* NULL: there is none */
    size_t nattr;          /* behind that one; 0: one */
    const char *domain;    /* NULL: "" */
};
struct OrtGraph {
    size_t nnode, nout;
    const OrtNode *node[FAKE_NNODE];
    const OrtValueInfo *out[8];
};
struct OrtDevice {
    int type; /* 0: a CPU */
};
struct OrtContext {
    OrtValueInfo in[8], out[8]; /* room of out: nbyte; data NULL: made */
};

typedef enum FakePool {
    FAKE_RUNS,  /* on two threads, the last part first */
    FAKE_FAILS, /* with a status */
    FAKE_DROPS  /* a part, and says nothing */
} FakePool;

typedef struct FakeOption {
    const char *key, *value; /* "sinter.bits" */
} FakeOption;

typedef struct Fake {
    FakeOption option[16]; /* key NULL ends them */
    FakePool pool;
    bool old;            /* it is older than the interface of the provider, */
    bool without;        /* or was built without providers */
    const char *path;    /* of the model; NULL: it is from memory */
    bool (*fails)(void); /* its own memory runs out; NULL: never */
    void *(*room)(size_t n); /* of an output that has none */
    void *(*take)(size_t n);
    void (*give)(void *p);
    /* What is seen. */
    atomic_long held; /* statuses, values, infos that are not released */
    size_t nfused;    /* nodes that were claimed, */
    size_t npart;     /* in so many parts */
    const OrtNode *part[FAKE_NNODE][FAKE_NNODE];
    size_t of_part[FAKE_NNODE]; /* nodes of each */
    size_t nlent;               /* parts of steps that its threads were given */
    char logged[256];           /* the last line about what is not claimed */
} Fake;
extern Fake fake;

/* The value of an option from now on; NULL: none. */
void fake_option(const char *key, const char *value);
const char *fake_text(const OrtStatus *s);
void fake_release(OrtStatus *s);
/* Of the provider, which is linked in; a status that it gives goes to *s. */
OrtFactory *fake_factory(OrtStatus **s);

OrtStatus *CreateEpFactories(const char *name, const OrtBase *base,
                             const OrtLogger *l, OrtFactory **out, size_t most,
                             size_t *n);
OrtStatus *ReleaseEpFactory(OrtFactory *f);

#endif
