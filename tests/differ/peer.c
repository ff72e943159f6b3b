// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum {
    API_VERSION = 16,
    API_PROVIDERS = 23,
    MAXIO = 128,
    LOG_INFO = 1,
    LOG_FATAL = 4
};

/* Places in the table of version 16. */
enum {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_ENV_WITH_LOGGER = 4,
    CREATE_SESSION = 7,
    CREATE_SESSION_FROM_ARRAY = 8,
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
    GET_ELEMENT_TYPE = 60,
    GET_DIMENSIONS_COUNT = 61,
    GET_DIMENSIONS = 62,
    GET_TENSOR_TYPE_AND_SHAPE = 65,
    CREATE_CPU_MEMORY_INFO = 69,
    DEFAULT_ALLOCATOR = 78,
    RELEASE_STATUS = 93,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_TENSOR_INFO = 99,
    ADD_CONFIG = 130,
    REGISTER_PROVIDER = 301,
    GET_DEVICES = 303,
    APPEND_PROVIDER = 304,
    DEVICE_NAME = 312
};

typedef struct Base {
    const void *(*get_api)(uint32_t version);
    const char *(*version)(void);
} Base;

typedef void Free(void *p);
typedef void *New(void **out);

struct Ort {
    const Base *base;
    void *const *table;
    void *env, *options, *memory;
};

/* The function at a place, as FN. */
#define AT(o, i, fn) memcpy(&(fn), &(o)->table[i], sizeof(fn))

/* false when st is an error, whose text goes to *why. */
static bool
good(const Ort *o, SnArena *a, void *st, const char **why)
{
    const char *(*text)(const void *);
    Free *drop;

    if (st == NULL)
        return true;
    AT(o, GET_ERROR_MESSAGE, text);
    AT(o, RELEASE_STATUS, drop);
    *why = sn_strdup(a, text(st));
    drop(st);
    return false;
}

static void
drop(const Ort *o, int place, void *p)
{
    Free *f;

    AT(o, place, f);
    if (p != NULL)
        f(p);
}

/* Once in a process, which has one environment. */
static bool
register_provider(Ort *o, SnArena *a, const OrtOpts *opts, const char **why)
{
    static bool done;
    void *(*add)(void *, const char *, const char *);

    AT(o, REGISTER_PROVIDER, add);
    if (!done && !good(o, a, add(o->env, "sinter", opts->provider), why))
        return false;
    return done = true;
}

/* Has the first device of the provider do what it claims. */
static bool
use_provider(Ort *o, SnArena *a, const OrtOpts *opts, const char **why)
{
    void *(*add)(void *, const char *, const char *);
    void *(*devices)(const void *, const void *const **, size_t *);
    const char *(*name)(const void *);
    void *(*append)(void *, void *, const void *const *, size_t,
                    const char *const *, const char *const *, size_t);
    const void *const *d;
    size_t n, i = 0;

    AT(o, GET_DEVICES, devices);
    AT(o, DEVICE_NAME, name);
    AT(o, APPEND_PROVIDER, append);
    if (!register_provider(o, a, opts, why) ||
        !good(o, a, devices(o->env, &d, &n), why))
        return false;
    while (i < n && strcmp(name(d[i]), "sinter") != 0)
        i++;
    *why = "the provider has no device";
    if (i == n || !good(o, a,
                        append(o->options, o->env, &d[i], 1, opts->key,
                               opts->value, opts->nkey),
                        why))
        return false;
    AT(o, ADD_CONFIG, add);
    return !opts->whole ||
           good(o, a, add(o->options, "session.disable_cpu_ep_fallback", "1"),
                why);
}

typedef struct Listener {
    void (*log)(void *ctx, const char *text);
    void *ctx;
} Listener;

static void
pass_on(void *to, int severity, const char *category, const char *id,
        const char *where, const char *text)
{
    const Listener *l = to;

    (void)severity;
    (void)category;
    (void)id;
    (void)where;
    l->log(l->ctx, text);
}

static bool
make_env(Ort *o, SnArena *a, const OrtOpts *opts, const char **why)
{
    typedef void Sink(void *, int, const char *, const char *, const char *,
                      const char *);
    void *(*plain)(int, const char *, void **);
    void *(*logged)(Sink *, void *, int, const char *, void **);
    Listener *l = SN_NEW(a, Listener);

    AT(o, CREATE_ENV, plain);
    AT(o, CREATE_ENV_WITH_LOGGER, logged);
    if (!opts->log)
        return good(o, a, plain(LOG_FATAL, "sinter", &o->env), why);
    *l = (Listener){opts->log, opts->log_ctx};
    return good(o, a, logged(pass_on, l, LOG_INFO, "sinter", &o->env), why);
}

static bool
add_entries(Ort *o, SnArena *a, const OrtOpts *opts, const char **why)
{
    void *(*add)(void *, const char *, const char *);
    bool ok = true;

    AT(o, ADD_CONFIG, add);
    for (uint32_t i = 0; ok && i < opts->nentry; i++)
        ok = good(o, a, add(o->options, opts->entry[i], opts->entry_value[i]),
                  why);
    return ok;
}

static bool
set_up(Ort *o, SnArena *a, const OrtOpts *opts, const char **why)
{
    void *(*memory)(int, int, void **);
    void *(*set)(void *, int);
    New *options;

    AT(o, CREATE_CPU_MEMORY_INFO, memory);
    AT(o, CREATE_SESSION_OPTIONS, options);
    if (!make_env(o, a, opts, why) ||
        !good(o, a, memory(1, 0, &o->memory), why) ||
        !good(o, a, options(&o->options), why))
        return false;
    AT(o, SET_OPTIMIZATION_LEVEL, set);
    if (!good(o, a, set(o->options, opts->level), why))
        return false;
    AT(o, SET_INTRA_OP_THREADS, set);
    if (!good(o, a, set(o->options, opts->nthread), why))
        return false;
    AT(o, SET_INTER_OP_THREADS, set);
    if (!good(o, a, set(o->options, 1), why) || !add_entries(o, a, opts, why))
        return false;
    return !opts->provider || use_provider(o, a, opts, why);
}

Ort *
ort_open(SnArena *a, const char *path, const OrtOpts *opts, const char **why)
{
    static const OrtOpts plain = {.level = 0, .nthread = 1};
    Ort *o = SN_NEW(a, Ort);
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL), *sym;
    const Base *(*base)(void);

    sym = lib != NULL ? dlsym(lib, "OrtGetApiBase") : NULL;
    if (sym == NULL) {
        *why = sn_strdup(a, dlerror());
        return NULL;
    }
    memcpy(&base, &sym, sizeof base);
    o->base = base();
    o->table = o->base->get_api(
        opts != NULL && opts->provider != NULL ? API_PROVIDERS : API_VERSION);
    if (o->table == NULL) {
        *why = "is too old";
        return NULL;
    }
    return set_up(o, a, opts != NULL ? opts : &plain, why) ? o : NULL;
}

const char *
ort_version(const Ort *o)
{
    return o->base->version();
}

/* ---- tensors ---- */

static const struct {
    int ort;
    SnDtype dtype;
} types[] = {
    {1, SN_D_F32}, {2, SN_D_U8},  {3, SN_D_I8},   {4, SN_D_U16},  {5, SN_D_I16},
    {6, SN_D_I32}, {7, SN_D_I64}, {9, SN_D_BOOL}, {11, SN_D_F64},
};

static int
number_of(SnDtype t)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == t)
            return types[i].ort;
    return 0;
}

static bool
to_value(Ort *o, SnArena *a, const SnData *t, void **v, const char **why)
{
    void *(*make)(const void *, void *, size_t, const int64_t *, size_t, int,
                  void **);

    AT(o, CREATE_TENSOR_WITH_DATA, make);
    return good(o, a,
                make(o->memory, (void *)(uintptr_t)t->data, sn_data_nbyte(t),
                     t->dim, (size_t)t->rank, number_of(t->dtype), v),
                why);
}

static bool
shape_of(Ort *o, SnArena *a, void *info, SnData *t, const char **why)
{
    void *(*type)(const void *, int *), *(*count)(const void *, size_t *);
    void *(*dims)(const void *, int64_t *, size_t);
    size_t rank;
    int number;

    AT(o, GET_ELEMENT_TYPE, type);
    AT(o, GET_DIMENSIONS_COUNT, count);
    AT(o, GET_DIMENSIONS, dims);
    if (!good(o, a, type(info, &number), why) ||
        !good(o, a, count(info, &rank), why))
        return false;
    t->dtype = SN_D_NONE;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].ort == number)
            t->dtype = types[i].dtype;
    if (rank > SN_DATA_MAXRANK || t->dtype == SN_D_NONE) {
        *why = "an output of an unexpected type";
        return false;
    }
    t->rank = (int)rank;
    return good(o, a, dims(info, t->dim, rank), why);
}

static bool
from_value(Ort *o, SnArena *a, void *v, SnData *t, const char **why)
{
    void *(*get)(void *, void **), *(*about)(const void *, void **);
    void *p, *info;
    bool ok;

    AT(o, GET_TENSOR_DATA, get);
    AT(o, GET_TENSOR_TYPE_AND_SHAPE, about);
    if (!good(o, a, about(v, &info), why))
        return false;
    ok = shape_of(o, a, info, t, why) && good(o, a, get(v, &p), why);
    drop(o, RELEASE_TENSOR_INFO, info);
    if (ok)
        t->data = sn_memdup(a, p, sn_data_nbyte(t));
    return ok;
}

/* ---- models ---- */

static bool
run_session(Ort *o, SnArena *a, void *session, uint32_t nin, const OrtIo *in,
            uint32_t nout, OrtIo *out, const char **why)
{
    void *(*run)(void *, const void *, const char *const *, void *const *,
                 size_t, const char *const *, size_t, void **);
    void *iv[MAXIO] = {NULL}, *ov[MAXIO] = {NULL};
    const char *in_name[MAXIO], *out_name[MAXIO];
    bool ok = nin <= MAXIO && nout <= MAXIO;

    for (uint32_t i = 0; ok && i < nin; i++) {
        in_name[i] = in[i].name;
        ok = to_value(o, a, &in[i].data, &iv[i], why);
    }
    for (uint32_t i = 0; ok && i < nout; i++)
        out_name[i] = out[i].name;
    AT(o, RUN, run);
    ok = ok &&
         good(o, a, run(session, NULL, in_name, iv, nin, out_name, nout, ov),
              why);
    for (uint32_t i = 0; ok && i < nout; i++)
        ok = from_value(o, a, ov[i], &out[i].data, why);
    for (uint32_t i = 0; i < MAXIO; i++) {
        drop(o, RELEASE_VALUE, iv[i]);
        drop(o, RELEASE_VALUE, ov[i]);
    }
    return ok;
}

bool
ort_run(Ort *o, SnArena *a, const void *p, size_t n, uint32_t nin,
        const OrtIo *in, uint32_t nout, OrtIo *out, const char **why)
{
    void *(*make)(void *, const void *, size_t, const void *, void **);
    void *session = NULL;
    bool ok;

    AT(o, CREATE_SESSION_FROM_ARRAY, make);
    ok = good(o, a, make(o->env, p, n, o->options, &session), why) &&
         run_session(o, a, session, nin, in, nout, out, why);
    drop(o, RELEASE_SESSION, session);
    return ok;
}

bool
ort_load(Ort *o, SnArena *a, const char *path, const char **why)
{
    void *(*make)(void *, const char *, const void *, void **);
    void *session = NULL;
    bool ok;

    AT(o, CREATE_SESSION, make);
    ok = good(o, a, make(o->env, path, o->options, &session), why);
    drop(o, RELEASE_SESSION, session);
    return ok;
}

/* ---- sessions that stay ---- */

struct OrtHeld {
    Ort *o;
    SnArena *a;
    void *session, *in[MAXIO], *out[MAXIO];
    const char *in_name[MAXIO], *out_name[MAXIO];
    size_t nin, nout;
};

/* The names of the inputs or outputs; false: too many, or *why. */
static bool
names(OrtHeld *h, int count_at, int name_at, size_t *n, const char **name,
      const char **why)
{
    void *(*count)(const void *, size_t *), *(*get)(void **);
    void *(*text)(const void *, size_t, void *, char **), *allocator;

    AT(h->o, count_at, count);
    AT(h->o, name_at, text);
    AT(h->o, DEFAULT_ALLOCATOR, get);
    if (!good(h->o, h->a, get(&allocator), why) ||
        !good(h->o, h->a, count(h->session, n), why))
        return false;
    for (size_t i = 0; i < *n && i < MAXIO; i++) {
        char *s;
        if (!good(h->o, h->a, text(h->session, i, allocator, &s), why))
            return false;
        name[i] = s; /* as long as the session */
    }
    *why = "too many inputs or outputs";
    return *n <= MAXIO;
}

OrtHeld *
ort_hold(Ort *o, SnArena *a, const char *path, uint32_t nin, const SnData *in,
         const char **why)
{
    void *(*make)(void *, const char *, const void *, void **);
    OrtHeld *h = SN_NEW(a, OrtHeld);

    h->o = o;
    h->a = a;
    AT(o, CREATE_SESSION, make);
    if (!good(o, a, make(o->env, path, o->options, &h->session), why) ||
        !names(h, INPUT_COUNT, INPUT_NAME, &h->nin, h->in_name, why) ||
        !names(h, OUTPUT_COUNT, OUTPUT_NAME, &h->nout, h->out_name, why))
        return NULL;
    if (h->nin != nin) {
        *why = sn_format(a, "the model has %zu inputs, not %u", h->nin, nin);
        return NULL;
    }
    for (uint32_t i = 0; i < nin; i++)
        if (!to_value(o, a, &in[i], &h->in[i], why))
            return NULL;
    return h;
}

bool
ort_again(OrtHeld *h, const char **why)
{
    void *(*run)(void *, const void *, const char *const *, void *const *,
                 size_t, const char *const *, size_t, void **);

    for (size_t i = 0; i < h->nout; i++) {
        drop(h->o, RELEASE_VALUE, h->out[i]);
        h->out[i] = NULL;
    }
    AT(h->o, RUN, run);
    return good(h->o, h->a,
                run(h->session, NULL, h->in_name, h->in, h->nin, h->out_name,
                    h->nout, h->out),
                why);
}

void
ort_drop(OrtHeld *h)
{
    if (h == NULL)
        return;
    for (size_t i = 0; i < MAXIO; i++) {
        drop(h->o, RELEASE_VALUE, h->in[i]);
        drop(h->o, RELEASE_VALUE, h->out[i]);
    }
    drop(h->o, RELEASE_SESSION, h->session);
}

const void *
ort_result(OrtHeld *h, uint32_t i)
{
    void *(*get)(void *, void **), *p;
    const char *why;

    AT(h->o, GET_TENSOR_DATA, get);
    if (i >= h->nout || h->out[i] == NULL ||
        !good(h->o, h->a, get(h->out[i], &p), &why))
        return NULL;
    return p;
}
