// SPDX-License-Identifier: Apache-2.0
#include "ep/fake.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Fake fake;

static void *
take(size_t n)
{
    void *p = fake.take ? fake.take(n) : malloc(n);

    assert(p);
    return p;
}

static void
give(void *p)
{
    if (fake.give)
        fake.give(p);
    else
        free(p);
}

static bool
fails(void)
{
    return fake.fails && fake.fails();
}

void
fake_option(const char *key, const char *value)
{
    FakeOption *o = fake.option;

    while (o->key && strcmp(o->key, key) != 0)
        o++;
    assert(o < fake.option + sizeof fake.option / sizeof *o - 1);
    *o = (FakeOption){key, value};
}

/* ---- statuses, options, messages ---- */

static OrtStatus *
new_status(int code, const char *text)
{
    char *s = take(strlen(text) + 1);

    (void)code;
    fake.held++;
    return (OrtStatus *)(void *)strcpy(s, text);
}

const char *
fake_text(const OrtStatus *s)
{
    return (const char *)s;
}

static void
release_status(void *s)
{
    fake.held--;
    give(s);
}

void
fake_release(OrtStatus *s)
{
    release_status(s);
}

static void
release_object(void *v)
{
    (void)v;
    fake.held--;
}

static OrtStatus *
config(const OrtOptions *of, const char *key, char *out, size_t *n)
{
    const FakeOption *o = fake.option;
    size_t room = *n;

    (void)of;
    while (o->key && strcmp(key + strlen("ep."), o->key) != 0)
        o++;
    if (!o->key || !o->value)
        return new_status(1, "no such entry");
    *n = strlen(o->value) + 1;
    if (*n > room)
        return new_status(1, "too small");
    memcpy(out, o->value, *n);
    return NULL;
}

static OrtStatus *
write_log(const OrtLogger *l, int severity, const char *text, const char *file,
          int line, const char *function)
{
    (void)l;
    (void)severity;
    (void)file;
    (void)line;
    (void)function;
    if (strstr(text, "not claimed"))
        snprintf(fake.logged, sizeof fake.logged, "%s", text);
    return NULL;
}

/* ---- answers ---- */

static OrtStatus *
get_zero(const void *of, size_t *out)
{
    (void)of;
    *out = 0;
    return NULL;
}

static OrtStatus *
get_two(const void *of, size_t *out)
{
    (void)of;
    *out = 2;
    return NULL;
}

static OrtStatus *
get_no(const void *of, bool *out)
{
    (void)of;
    *out = false;
    return NULL;
}

static OrtStatus *
get_none(const void *of, const void **out)
{
    (void)of;
    *out = NULL;
    return NULL;
}

static OrtStatus *
get_empty(const void *of, const void **out)
{
    (void)of;
    *out = "";
    return NULL;
}

static OrtStatus *
get_itself(const void *of, const void **out)
{
    *out = of;
    return NULL;
}

static OrtStatus *
get_info(const void *of, const void **out)
{
    fake.held++;
    *out = of;
    return NULL;
}

/* ---- graphs and nodes ---- */

static OrtStatus *
get_opsets(const OrtGraph *g, const char **domain, int64_t *version, size_t n)
{
    (void)g;
    if (n == 2) {
        domain[0] = "";
        version[0] = 17;
        domain[1] = "com.microsoft";
        version[1] = 1;
    }
    return NULL;
}

static OrtStatus *
get_nnode(const void *of, size_t *out)
{
    *out = ((const OrtGraph *)of)->nnode;
    return NULL;
}

static OrtStatus *
get_nodes(const void *of, const void **out, size_t n)
{
    memcpy(out, ((const OrtGraph *)of)->node, n * sizeof *out);
    return NULL;
}

static OrtStatus *
get_noutput(const void *of, size_t *out)
{
    *out = ((const OrtGraph *)of)->nout;
    return NULL;
}

static OrtStatus *
get_outputs(const void *of, const void **out, size_t n)
{
    memcpy(out, ((const OrtGraph *)of)->out, n * sizeof *out);
    return NULL;
}

static OrtStatus *
get_operator(const void *of, const void **out)
{
    *out = ((const OrtNode *)of)->op;
    return NULL;
}

static OrtStatus *
get_domain(const void *of, const void **out)
{
    const OrtNode *n = of;

    *out = n->domain ? n->domain : "";
    return NULL;
}

static OrtStatus *
get_path(const void *of, const void **out)
{
    (void)of;
    *out = fake.path ? fake.path : "";
    return NULL;
}

static OrtStatus *
get_nread(const void *of, size_t *out)
{
    *out = ((const OrtNode *)of)->nin;
    return NULL;
}

static OrtStatus *
get_read(const void *of, const void **out, size_t n)
{
    memcpy(out, ((const OrtNode *)of)->in, n * sizeof *out);
    return NULL;
}

static OrtStatus *
get_nmade(const void *of, size_t *out)
{
    *out = ((const OrtNode *)of)->nout;
    return NULL;
}

static OrtStatus *
get_made(const void *of, const void **out, size_t n)
{
    memcpy(out, ((const OrtNode *)of)->out, n * sizeof *out);
    return NULL;
}

static OrtStatus *
get_nattr(const void *of, size_t *out)
{
    const OrtNode *n = of;

    *out = n->attr && n->nattr ? n->nattr : n->attr != NULL;
    return NULL;
}

static OrtStatus *
get_attrs(const void *of, const void **out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = &((const OrtNode *)of)->attr[i];
    return NULL;
}

static OrtStatus *
get_attr_name(const void *of, const void **out)
{
    *out = ((const OrtOpAttr *)of)->name;
    return NULL;
}

static OrtStatus *
get_attr_type(const void *of, int *out)
{
    static char text[1 << 15]; /* takes a block of memory of its own */

    *out = ((const OrtOpAttr *)of)->type;
    memset(text, 'x', sizeof text - 1);
    return *out ? NULL : new_status(1, text);
}

static OrtStatus *
get_attr_tensor(const void *of, const void **out)
{
    return get_info(((const OrtOpAttr *)of)->tensor, out);
}

static OrtStatus *
read_attr(const OrtOpAttr *a, int type, void *out, size_t n, size_t *need)
{
    (void)type;
    *need = a->n;
    if (n < a->n)
        return new_status(1, "too small");
    if (n)
        memcpy(out, a->data, a->n);
    return NULL;
}

/* ---- values ---- */

static OrtStatus *
get_name(const void *of, const void **out)
{
    *out = ((const OrtValueInfo *)of)->name;
    return NULL;
}

static OrtStatus *
is_constant(const void *of, bool *out)
{
    *out = ((const OrtValueInfo *)of)->data != NULL;
    return NULL;
}

static OrtStatus *
get_element(const void *of, int *out)
{
    *out = ((const OrtValueInfo *)of)->type;
    return NULL;
}

static OrtStatus *
get_rank(const void *of, size_t *out)
{
    *out = ((const OrtValueInfo *)of)->rank;
    return NULL;
}

static OrtStatus *
get_dims(const void *of, int64_t *out, size_t n)
{
    memcpy(out, ((const OrtValueInfo *)of)->dim, n * sizeof *out);
    return NULL;
}

static OrtStatus *
get_nbyte(const void *of, size_t *out)
{
    *out = ((const OrtValueInfo *)of)->nbyte;
    return NULL;
}

static OrtStatus *
get_data(const void *of, const void **out)
{
    *out = ((const OrtValueInfo *)of)->data;
    return NULL;
}

static OrtStatus *
get_input(const OrtContext *c, size_t i, const OrtValue **out)
{
    *out = (const OrtValue *)(const void *)&c->in[i];
    return NULL;
}

/* Of an element, by ONNX's number of its type. */
static size_t
size_of(int type)
{
    static const size_t size[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8};

    assert(type > 0 && type < (int)(sizeof size / sizeof *size));
    return size[type];
}

static OrtStatus *
get_output(OrtContext *c, size_t i, const int64_t *dim, size_t rank,
           OrtValue **out)
{
    OrtValueInfo *v = &c->out[i];
    size_t n = size_of(v->type);

    if (rank > sizeof v->dim / sizeof *v->dim)
        return new_status(1, "a rank above 4");
    for (size_t k = 0; k < rank; k++)
        n *= (size_t)dim[k];
    if (!v->data) {
        v->data = fake.room(n);
        v->nbyte = n;
    }
    assert(n <= v->nbyte);
    memcpy(v->dim, dim, rank * sizeof *dim);
    v->rank = rank;
    *out = (OrtValue *)(void *)v;
    return NULL;
}

/* ---- threads ---- */

typedef struct Half {
    void (*fn)(void *ctx, size_t i);
    void *ctx;
    size_t n;
} Half;

/* Odd parts, the last one first. */
static void *
run_half(void *of)
{
    const Half *h = of;

    for (size_t i = h->n; i-- > 0;)
        if (i % 2)
            h->fn(h->ctx, i);
    return NULL;
}

static OrtStatus *
parallel_for(const OrtContext *c, void (*fn)(void *ctx, size_t i), size_t n,
             size_t nbatch, void *ctx)
{
    Half h = {fn, ctx, n};
    pthread_t other;

    (void)c;
    assert(nbatch == 0);
    fake.nlent += n;
    if (fake.pool == FAKE_FAILS)
        return new_status(1, "no threads today");
    int failed = pthread_create(&other, NULL, run_half, &h);
    assert(!failed);
    for (size_t i = n; i-- > (fake.pool == FAKE_DROPS);)
        if (i % 2 == 0)
            fn(ctx, i);
    failed = pthread_join(other, NULL);
    assert(!failed);
    return NULL;
}

/* ---- claiming, contexts ---- */

static OrtStatus *
fuse(OrtSupport *to, const OrtNode *const *node, size_t n,
     const OrtFuseOptions *o)
{
    (void)to;
    assert(o->drop_constants);
    if (fake.npart < FAKE_NNODE && n <= FAKE_NNODE) {
        memcpy(fake.part[fake.npart], node, n * sizeof *node);
        fake.of_part[fake.npart] = n;
    }
    fake.npart++;
    fake.nfused += n;
    return NULL;
}

/* Attributes hold nothing, and a node is what is in them. */
static OrtStatus *
new_attr(const char *name, const void *data, int n, int type, OrtOpAttr **out)
{
    assert(n > 0 && (type == ORT_A_INT || type == ORT_A_STRING) && data);
    assert(strcmp(name, "source") != 0 || !memcmp(data, "sinter", 6));
    (void)name;
    if (fails())
        return new_status(1, "out of memory");
    *out = take(1);
    fake.held++;
    return NULL;
}

static void
release_attr(void *at)
{
    fake.held--;
    give(at);
}

/* The node is the caller's, to be given back. */
static OrtStatus *
new_node(const char *op, const char *domain, const char *name,
         const char *const *in, size_t nin, const char *const *out, size_t nout,
         OrtOpAttr **attr, size_t nattr, OrtNode **node)
{
    assert(!strcmp(op, "EPContext") && !strcmp(domain, "com.microsoft"));
    assert(nin && nout && *in[0] && *out[0]);
    (void)name;
    if (fails())
        return new_status(1, "out of memory");
    for (size_t i = 0; i < nattr; i++) {
        release_attr(attr[i]);
        attr[i] = NULL;
    }
    *node = take(1);
    return NULL;
}

/* ---- tables ---- */

enum { NSLOT = 400 };
typedef union Slots {
    OrtTable table;
    OrtFn *fn[NSLOT];
} Slots;
static Slots runtime, providers, editor;

static const OrtTable *
editor_table(void)
{
    editor.fn[ORT_EDITOR_NEW_NODE] = (OrtFn *)new_node;
    return &editor.table;
}

static int
device_type(const OrtDevice *d)
{
    return d->type;
}

/* The device itself. */
static OrtStatus *
new_device(OrtFactory *f, const OrtDevice *d, const OrtPairs *metadata,
           const OrtPairs *options, OrtEpDevice **out)
{
    (void)f;
    (void)metadata;
    (void)options;
    if (fails())
        return new_status(1, "out of memory");
    *out = (OrtEpDevice *)(uintptr_t)d;
    return NULL;
}

static const OrtTable *
ep_table(void)
{
    providers.fn[ORT_EP_FUSE] = (OrtFn *)fuse;
    providers.fn[ORT_EP_NEW_DEVICE] = (OrtFn *)new_device;
    return fake.without ? NULL : &providers.table;
}

#define SLOT(slot, f) runtime.fn[slot] = (OrtFn *)(f)

static void
set_values(void)
{
    SLOT(ORT_TENSOR_DATA, get_data);
    SLOT(ORT_TENSOR_INFO_OF, get_itself);
    SLOT(ORT_ELEMENT_TYPE, get_element);
    SLOT(ORT_RANK, get_rank);
    SLOT(ORT_DIMS, get_dims);
    SLOT(ORT_VALUE_INFO, get_info);
    SLOT(ORT_NBYTE, get_nbyte);
    SLOT(ORT_NAME, get_name);
    SLOT(ORT_TYPE, get_itself);
    SLOT(ORT_INITIALIZER, get_itself);
    SLOT(ORT_IS_OPTIONAL, get_no);
    SLOT(ORT_IS_CONSTANT, is_constant);
    SLOT(ORT_IS_OUTER, get_no);
    SLOT(ORT_RELEASE_INFO, release_object);
    SLOT(ORT_RELEASE_VALUE, release_object);
    SLOT(ORT_INPUT, get_input);
    SLOT(ORT_OUTPUT, get_output);
    SLOT(ORT_PARALLEL_FOR, parallel_for);
}

static void
set_nodes(void)
{
    SLOT(ORT_NODE_NSUBGRAPH, get_zero);
    SLOT(ORT_NODE_NAME, get_empty);
    SLOT(ORT_NODE_OPERATOR, get_operator);
    SLOT(ORT_NODE_DOMAIN, get_domain);
    SLOT(ORT_NODE_NINPUT, get_nread);
    SLOT(ORT_NODE_INPUTS, get_read);
    SLOT(ORT_NODE_NOUTPUT, get_nmade);
    SLOT(ORT_NODE_OUTPUTS, get_made);
    SLOT(ORT_NODE_NATTR, get_nattr);
    SLOT(ORT_NODE_ATTRS, get_attrs);
    SLOT(ORT_ATTR_NAME, get_attr_name);
    SLOT(ORT_ATTR_TYPE, get_attr_type);
    SLOT(ORT_ATTR_TENSOR, get_attr_tensor);
    SLOT(ORT_READ_ATTR, read_attr);
}

static const OrtTable *
get_api(uint32_t version)
{
    if (fake.old && version > 1)
        return NULL;
    SLOT(ORT_CREATE_STATUS, new_status);
    SLOT(ORT_ERROR_MESSAGE, fake_text);
    SLOT(ORT_RELEASE_STATUS, release_status);
    SLOT(ORT_CONFIG_ENTRY, config);
    SLOT(ORT_LOG, write_log);
    SLOT(ORT_DEVICE_TYPE, device_type);
    SLOT(ORT_EP_API, ep_table);
    SLOT(ORT_EDITOR, editor_table);
    SLOT(ORT_NEW_ATTR, new_attr);
    SLOT(ORT_RELEASE_ATTR, release_attr);
    SLOT(ORT_GRAPH_PATH, get_path);
    SLOT(ORT_GRAPH_PARENT, get_none);
    SLOT(ORT_GRAPH_NOPSET, get_two);
    SLOT(ORT_GRAPH_OPSETS, get_opsets);
    SLOT(ORT_GRAPH_NNODE, get_nnode);
    SLOT(ORT_GRAPH_NODES, get_nodes);
    SLOT(ORT_GRAPH_NOUTPUT, get_noutput);
    SLOT(ORT_GRAPH_OUTPUTS, get_outputs);
    set_nodes();
    set_values();
    return &runtime.table;
}

OrtFactory *
fake_factory(OrtStatus **s)
{
    static const OrtBase base = {get_api, NULL};
    OrtFactory *f = NULL;
    size_t n;

    *s = CreateEpFactories("sinter", &base, NULL, &f, 1, &n);
    assert(*s ? n == 0 : n == 1);
    return f;
}
