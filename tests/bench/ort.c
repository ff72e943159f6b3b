#include "bench/ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Fn)(void);
typedef struct Base {
    const Fn *(*api)(uint32_t version);
    const char *(*version)(void);
} Base;
typedef void Status;

/* Positions in the table. */
enum {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_OPTIMIZATION_LEVEL = 23,
    SET_INTRA_OP_THREADS = 24,
    SET_INTER_OP_THREADS = 25,
    INPUT_COUNT = 30,
    OUTPUT_COUNT = 31,
    INPUT_NAME = 36,
    OUTPUT_NAME = 37,
    CREATE_TENSOR_WITH_DATA = 49,
    GET_TENSOR_DATA = 51,
    CREATE_CPU_MEMORY_INFO = 69,
    DEFAULT_ALLOCATOR = 78,
    RELEASE_VALUE = 96
};

typedef const char *ErrorFn(const Status *);
typedef Status *EnvFn(int level, const char *id, void **env);
typedef Status *OptionsFn(void **options);
typedef Status *SetFn(void *options, int v);
typedef Status *SessionFn(void *env, const char *path, void *options,
                          void **session);
typedef Status *CountFn(void *session, size_t *n);
typedef Status *NameFn(void *session, size_t i, void *allocator, char **name);
typedef Status *AllocatorFn(void **allocator);
typedef Status *MemoryFn(int allocator, int kind, void **info);
typedef Status *TensorFn(void *info, void *p, size_t nbyte, const int64_t *dim,
                         size_t rank, int type, void **value);
typedef Status *DataFn(void *value, void **p);
typedef Status *RunFn(void *session, void *options, char *const *in,
                      void *const *value, size_t nin, char *const *out,
                      size_t nout, void **result);
typedef void ReleaseFn(void *);
typedef const Base *BaseFn(void);

struct Ort {
    const Fn *api;
    const char *version;
    void *env, *options, *session, *allocator, *memory;
    size_t nin, nout;
    char *in[ORT_MAXPORT], *out[ORT_MAXPORT];
    void *value[ORT_MAXPORT], *result[ORT_MAXPORT];
};

static bool
ok(const Ort *o, Status *s)
{
    if (s)
        fprintf(stderr, "ONNX Runtime: %s\n",
                ((ErrorFn *)o->api[GET_ERROR_MESSAGE])(s));
    return s == NULL;
}

static bool
open_library(Ort *o, const char *lib)
{
    void *h = dlopen(lib, RTLD_NOW | RTLD_LOCAL);
    void *p = h ? dlsym(h, "OrtGetApiBase") : NULL;
    BaseFn *get;

    if (!p) {
        fprintf(stderr, "%s: %s\n", lib, dlerror());
        return false;
    }
    memcpy(&get, &p, sizeof get);
    o->version = get()->version();
    o->api = get()->api(16);
    return o->api != NULL;
}

static bool
open_session(Ort *o, const char *model, int nthread)
{
    const Fn *f = o->api;

    return ok(o, ((EnvFn *)f[CREATE_ENV])(3, "bench", &o->env)) &&
           ok(o, ((OptionsFn *)f[CREATE_SESSION_OPTIONS])(&o->options)) &&
           ok(o, ((SetFn *)f[SET_OPTIMIZATION_LEVEL])(o->options, 99)) &&
           ok(o, ((SetFn *)f[SET_INTRA_OP_THREADS])(o->options, nthread)) &&
           ok(o, ((SetFn *)f[SET_INTER_OP_THREADS])(o->options, 1)) &&
           ok(o, ((SessionFn *)f[CREATE_SESSION])(o->env, model, o->options,
                                                  &o->session)) &&
           ok(o, ((AllocatorFn *)f[DEFAULT_ALLOCATOR])(&o->allocator)) &&
           ok(o, ((MemoryFn *)f[CREATE_CPU_MEMORY_INFO])(0, 0, &o->memory)) &&
           ok(o, ((CountFn *)f[INPUT_COUNT])(o->session, &o->nin)) &&
           ok(o, ((CountFn *)f[OUTPUT_COUNT])(o->session, &o->nout));
}

Ort *
sn_ort_open(const char *lib, const char *model, int nthread, size_t nin,
            const OrtInput *in)
{
    Ort *o = calloc(1, sizeof *o);
    NameFn *in_name, *out_name;

    if (!o || !open_library(o, lib) || !open_session(o, model, nthread))
        return NULL;
    if (o->nin != nin || o->nout > ORT_MAXPORT) {
        fprintf(stderr, "%s: %zu inputs, not %zu\n", model, o->nin, nin);
        return NULL;
    }
    in_name = (NameFn *)o->api[INPUT_NAME];
    out_name = (NameFn *)o->api[OUTPUT_NAME];
    for (size_t i = 0; i < nin; i++)
        if (!ok(o, in_name(o->session, i, o->allocator, &o->in[i])) ||
            !ok(o, ((TensorFn *)o->api[CREATE_TENSOR_WITH_DATA])(
                       o->memory, in[i].data, in[i].nbyte, in[i].dim,
                       in[i].rank, in[i].type, &o->value[i])))
            return NULL;
    for (size_t i = 0; i < o->nout; i++)
        if (!ok(o, out_name(o->session, i, o->allocator, &o->out[i])))
            return NULL;
    return o;
}

bool
sn_ort_run(Ort *o)
{
    for (size_t i = 0; i < o->nout; i++) {
        if (o->result[i])
            ((ReleaseFn *)o->api[RELEASE_VALUE])(o->result[i]);
        o->result[i] = NULL;
    }
    return ok(o, ((RunFn *)o->api[RUN])(o->session, NULL, o->in, o->value,
                                        o->nin, o->out, o->nout, o->result));
}

const void *
sn_ort_output(const Ort *o, size_t i)
{
    void *p = NULL;

    if (i >= o->nout ||
        !ok(o, ((DataFn *)o->api[GET_TENSOR_DATA])(o->result[i], &p)))
        return NULL;
    return p;
}

const char *
sn_ort_version(const Ort *o)
{
    return o->version;
}
