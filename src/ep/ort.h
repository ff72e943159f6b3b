// SPDX-License-Identifier: Apache-2.0
/* What the execution provider uses of ONNX Runtime's C interface, version 23
 * (release 1.23) and later.  Its tables of functions only grow at their ends,
 * so that a function has its slot for good: functions are called by slot, with
 * the types below. */
#ifndef SN_ORT_H
#define SN_ORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORT_API = 23 }; /* the version that is asked for */

/* Objects that only ONNX Runtime looks into. */
typedef struct OrtStatus OrtStatus;
typedef struct OrtGraph OrtGraph;
typedef struct OrtNode OrtNode;
typedef struct OrtValueInfo OrtValueInfo;
typedef struct OrtValue OrtValue;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorInfo OrtTensorInfo;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtLogger OrtLogger;
typedef struct OrtDevice OrtDevice;     /* hardware */
typedef struct OrtEpDevice OrtEpDevice; /* hardware by a provider */
typedef struct OrtPairs OrtPairs;       /* keys and values */
typedef struct OrtOptions OrtOptions;   /* of a session */
typedef struct OrtSupport OrtSupport;   /* what a provider claims */
typedef struct OrtContext OrtContext;   /* of one call of a fused node */

typedef void OrtFn(void);
typedef struct OrtTable {
    OrtFn *fn[1]; /* as many as its version has */
} OrtTable;

/* The function in a slot. */
#define ORT_AT(table, slot, T) ((T *)(table)->fn[slot])

typedef struct OrtBase {
    const OrtTable *(*get_api)(uint32_t version);
    const char *(*version)(void);
} OrtBase;

/* Slots of the main table, with the type of what is there. */
enum {
    ORT_CREATE_STATUS = 0,    /* OrtNewStatus */
    ORT_ERROR_MESSAGE = 2,    /* OrtStatusText */
    ORT_TENSOR_DATA = 51,     /* OrtGet: of an OrtValue */
    ORT_TENSOR_INFO_OF = 55,  /* OrtGet: of an OrtTypeInfo; NULL: none */
    ORT_ELEMENT_TYPE = 60,    /* OrtGetInt: of an OrtTensorInfo */
    ORT_RANK = 61,            /* OrtGetSize, the same */
    ORT_DIMS = 62,            /* OrtGetDims, the same */
    ORT_VALUE_INFO = 65,      /* OrtGet: of an OrtValue; to be released */
    ORT_INPUT = 90,           /* OrtGetInput */
    ORT_OUTPUT = 91,          /* OrtGetOutput */
    ORT_RELEASE_STATUS = 93,  /* OrtRelease */
    ORT_RELEASE_INFO = 99,    /* OrtRelease: of an OrtTensorInfo */
    ORT_NEW_ATTR = 211,       /* OrtNewAttr */
    ORT_RELEASE_ATTR = 212,   /* OrtRelease: of an OrtOpAttr */
    ORT_CONFIG_ENTRY = 238,   /* OrtGetConfig */
    ORT_LOG = 247,            /* OrtLog */
    ORT_READ_ATTR = 272,      /* OrtReadAttr */
    ORT_PARALLEL_FOR = 274,   /* OrtParallelFor */
    ORT_NAME = 289,           /* OrtGet: of an OrtValueInfo */
    ORT_TYPE = 290,           /* OrtGet: the same */
    ORT_EDITOR = 291,         /* OrtGetTable: for making models; or NULL */
    ORT_DEVICE_TYPE = 307,    /* OrtDeviceType */
    ORT_EP_API = 317,         /* OrtGetTable */
    ORT_NBYTE = 318,          /* OrtGetSize: of an OrtValue */
    ORT_INITIALIZER = 326,    /* OrtGet: of an OrtValueInfo */
    ORT_IS_OPTIONAL = 329,    /* OrtGetBool: the same */
    ORT_IS_CONSTANT = 331,    /* OrtGetBool, the same */
    ORT_IS_OUTER = 332,       /* OrtGetBool, the same */
    ORT_GRAPH_PATH = 334,     /* OrtGet: of an OrtGraph; "": from memory */
    ORT_GRAPH_NOPSET = 336,   /* OrtGetSize, the same */
    ORT_GRAPH_OPSETS = 337,   /* OrtGetOpsets, the same */
    ORT_GRAPH_NOUTPUT = 340,  /* OrtGetSize, the same */
    ORT_GRAPH_OUTPUTS = 341,  /* OrtGetList, the same */
    ORT_GRAPH_NNODE = 344,    /* OrtGetSize, the same */
    ORT_GRAPH_NODES = 345,    /* OrtGetList, the same */
    ORT_GRAPH_PARENT = 346,   /* OrtGet, the same; NULL: a model's graph */
    ORT_NODE_NAME = 349,      /* OrtGet: of an OrtNode */
    ORT_NODE_OPERATOR = 350,  /* OrtGet, the same */
    ORT_NODE_DOMAIN = 351,    /* OrtGet, the same */
    ORT_NODE_NINPUT = 353,    /* OrtGetSize, the same */
    ORT_NODE_INPUTS = 354,    /* OrtGetList, the same; NULL: absent */
    ORT_NODE_NOUTPUT = 355,   /* OrtGetSize, the same */
    ORT_NODE_OUTPUTS = 356,   /* OrtGetList, the same; NULL: absent */
    ORT_NODE_NIMPLICIT = 357, /* OrtGetSize, the same */
    ORT_NODE_IMPLICIT = 358,  /* OrtGetList, the same */
    ORT_NODE_NATTR = 359,     /* OrtGetSize, the same */
    ORT_NODE_ATTRS = 360,     /* OrtGetList, the same */
    ORT_ATTR_TENSOR = 362,    /* OrtGet: of an OrtOpAttr; to be released */
    ORT_ATTR_TYPE = 363,      /* OrtGetInt, the same */
    ORT_ATTR_NAME = 364,      /* OrtGet, the same */
    ORT_NODE_NSUBGRAPH = 365, /* OrtGetSize: of an OrtNode */
    ORT_RELEASE_VALUE = 96    /* OrtRelease */
};
/* Slots of the table for providers. */
enum {
    ORT_EP_NEW_DEVICE = 0, /* OrtNewDevice */
    ORT_EP_FUSE = 2        /* OrtFuse */
};

/* Slots of the table for making models. */
enum {
    ORT_EDITOR_NEW_NODE = 6 /* OrtNewNode */
};

typedef OrtStatus *OrtNewStatus(int code, const char *text);
typedef const char *OrtStatusText(const OrtStatus *s);
typedef void OrtRelease(void *p);
typedef OrtStatus *OrtGet(const void *of, const void **out);
typedef OrtStatus *OrtGetInt(const void *of, int *out);
typedef OrtStatus *OrtGetSize(const void *of, size_t *out);
typedef OrtStatus *OrtGetBool(const void *of, bool *out);
typedef OrtStatus *OrtGetDims(const void *of, int64_t *out, size_t n);
typedef OrtStatus *OrtGetList(const void *of, const void **out, size_t n);
typedef OrtStatus *OrtGetOpsets(const OrtGraph *g, const char **domain,
                                int64_t *version, size_t n);
typedef OrtStatus *OrtGetInput(const OrtContext *c, size_t i,
                               const OrtValue **out);
typedef OrtStatus *OrtGetOutput(OrtContext *c, size_t i, const int64_t *dim,
                                size_t rank, OrtValue **out);
/* Calls fn(ctx, i) for each i below n on the threads of the session, and
 * returns when all are done; nbatch 0: any number at once. */
typedef OrtStatus *OrtParallelFor(const OrtContext *c,
                                  void (*fn)(void *ctx, size_t i), size_t n,
                                  size_t nbatch, void *ctx);
/* *n: bytes of out, then of the value with its NUL.  No such entry: failed. */
typedef OrtStatus *OrtGetConfig(const OrtOptions *o, const char *key, char *out,
                                size_t *n);
/* n bytes of room; *need is how many there are.  Too few: failed. */
typedef OrtStatus *OrtReadAttr(const OrtOpAttr *a, int type, void *out,
                               size_t n, size_t *need);
/* n: bytes of a string, or 1 number. */
typedef OrtStatus *OrtNewAttr(const char *name, const void *data, int n,
                              int type, OrtOpAttr **out);
/* Takes the attributes over, which are NULL afterwards. */
typedef OrtStatus *OrtNewNode(const char *op, const char *domain,
                              const char *name, const char *const *in,
                              size_t nin, const char *const *out, size_t nout,
                              OrtOpAttr **attr, size_t nattr, OrtNode **node);
typedef OrtStatus *OrtLog(const OrtLogger *l, int severity, const char *text,
                          const char *file, int line, const char *function);
typedef int OrtDeviceType(const OrtDevice *d); /* 0: a CPU */
typedef const OrtTable *OrtGetTable(void);

enum { ORT_FAIL = 1, ORT_EP_FAIL = 11 }; /* codes of a status */
enum { ORT_LOG_INFO = 1, ORT_LOG_WARNING, ORT_LOG_ERROR }; /* severities */
/* Types of attributes. */
enum {
    ORT_A_INT = 1,
    ORT_A_INTS,
    ORT_A_FLOAT,
    ORT_A_FLOATS,
    ORT_A_STRING,
    ORT_A_STRINGS,
    ORT_A_GRAPH,
    ORT_A_TENSOR
};

/* ---- what a provider is: tables that it fills ---- */

typedef struct OrtFactory OrtFactory;
typedef struct OrtEp OrtEp;
typedef struct OrtCompute OrtCompute;

typedef struct OrtFuseOptions {
    uint32_t version;
    bool drop_constants; /* are no inputs of the fused node */
} OrtFuseOptions;

typedef OrtStatus *OrtNewDevice(OrtFactory *f, const OrtDevice *d,
                                const OrtPairs *metadata,
                                const OrtPairs *options, OrtEpDevice **out);
typedef OrtStatus *OrtFuse(OrtSupport *s, const OrtNode *const *node, size_t n,
                           const OrtFuseOptions *o);

/* Members that are NULL are not there; those marked * must not be. */
struct OrtFactory {
    uint32_t version;
    const char *(*name)(const OrtFactory *f);   /* * */
    const char *(*vendor)(const OrtFactory *f); /* * */
    OrtStatus *(*devices)(OrtFactory *f, const OrtDevice *const *d, size_t n,
                          OrtEpDevice **out, size_t most, size_t *nout); /* * */
    OrtStatus *(*create)(OrtFactory *f, const OrtDevice *const *d,
                         const OrtPairs *const *metadata, size_t n,
                         const OrtOptions *o, const OrtLogger *l,
                         OrtEp **out);              /* * */
    void (*release)(OrtFactory *f, OrtEp *ep);      /* * */
    uint32_t (*vendor_id)(const OrtFactory *f);     /* * */
    const char *(*release_of)(const OrtFactory *f); /* * the version */
    OrtFn *validate;
    OrtStatus *(*allocator)(OrtFactory *f, const void *memory,
                            const OrtPairs *o, void **out); /* * */
    void (*release_allocator)(OrtFactory *f, void *a);      /* * */
    OrtStatus *(*transfer)(OrtFactory *f, void **out);      /* * */
    bool (*stream_aware)(const OrtFactory *f);              /* * */
    OrtFn *stream, *environment;
    OrtFn *later[16]; /* of versions after this one */
};

struct OrtEp {
    uint32_t version;
    const char *(*name)(const OrtEp *ep);
    OrtStatus *(*capability)(OrtEp *ep, const OrtGraph *g, OrtSupport *s);
    OrtStatus *(*compile)(OrtEp *ep, const OrtGraph **g, const OrtNode **fused,
                          size_t n, OrtCompute **out, OrtNode **context);
    void (*release_computes)(OrtEp *ep, OrtCompute **c, size_t n);
    OrtFn *layout, *convert, *set_options, *run_start, *run_end;
    OrtFn *allocator, *stream, *compatibility;
    OrtFn *later[24]; /* of versions after this one */
};

struct OrtCompute {
    uint32_t version;
    OrtStatus *(*start)(OrtCompute *c, void *context, void **state);
    OrtStatus *(*compute)(OrtCompute *c, void *state, OrtContext *k);
    void (*end)(OrtCompute *c, void *state);
    OrtFn *later[8];
};

#endif
