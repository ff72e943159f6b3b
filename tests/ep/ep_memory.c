// SPDX-License-Identifier: Apache-2.0
/* Each allocation of the provider fails once, from the library's first call to
 * its last, in a runtime of our own that holds one graph: whatever is called
 * then returns a status or does its work, and nothing stays held.  Called by
 * tests/long/ep.sh. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ep/ep_session.h"

/* ---- memory (the linker puts these in place of the calls) ---- */

static atomic_long fails_at, ncall, live;

static bool
fails(void)
{
    return atomic_fetch_add(&ncall, 1) + 1 == atomic_load(&fails_at);
}

static void *
count(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void *__real_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);
void *__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at);

void *
__wrap_malloc(size_t n)
{
    return fails() ? NULL : count(__real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : count(__real_calloc(n, size));
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
    return fails() ? NULL : count(__real_aligned_alloc(align, n));
}

void
__wrap_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    __real_free(p);
}

char *
__wrap_strdup(const char *s)
{
    char *p = __wrap_malloc(strlen(s) + 1);

    return p ? strcpy(p, s) : NULL;
}

void *
__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
    return fails() ? MAP_FAILED : __real_mmap(p, n, prot, flags, fd, at);
}

/* ---- the runtime: objects are what they hold ---- */

struct OrtValueInfo { /* also its type and the description of that */
    const char *name;
    int type;
    size_t rank;
    int64_t dim[4];
    const void *data; /* of a constant, which is also its value */
    size_t nbyte;
};
struct OrtNode {
    const char *op;
    size_t nin, nout;
    const OrtValueInfo *in[4], *out[2];
    const OrtValueInfo *attr; /* a tensor; NULL: there is none */
};
struct OrtGraph {
    size_t nnode, nout;
    const OrtNode *node[6];
    const OrtValueInfo *out[2];
};
struct OrtContext {
    OrtValueInfo in[2];
    float out[2][64];
};

static const float weight[8] = {1, -2, 3, 0.5F, -1, 2, 0.25F, 4};
static const OrtValueInfo x = {.name = "x", 1, 2, {-1, 4}, NULL, 0},
                          y = {.name = "y", 1, 2, {-1, 4}, NULL, 0},
                          w = {"w", 1, 2, {4, 2}, weight, sizeof weight},
                          a = {.name = "a", 1, 2, {-1, 4}, NULL, 0},
                          s = {.name = "s", 1, 2, {-1, 4}, NULL, 0},
                          p = {.name = "p", 1, 2, {-1, 2}, NULL, 0},
                          q = {.name = "q", 1, 2, {-1, 2}, NULL, 0};
/* What takes a block of memory of its own. */
static float many[1 << 18];
static const OrtValueInfo large = {"value", 1, 1, {1 << 18}, many, sizeof many};
static const OrtNode nodes[] = {
    {"Add", 2, 1, {&x, &y}, {&a}, NULL},
    {"Sin", 1, 1, {&y}, {&s}, &large}, /* is not taken */
    {"MatMul", 2, 1, {&a, &w}, {&p}, NULL},
    {"Relu", 1, 1, {&p}, {&q}, NULL},
};
static const OrtGraph whole = {
    4, 2, {&nodes[0], &nodes[1], &nodes[2], &nodes[3]}, {&q, &s}};
static const OrtGraph part = {3, 1, {&nodes[0], &nodes[2], &nodes[3]}, {&q}};
static const OrtNode fused = {"f", 2, 1, {&y, &x}, {&q}, NULL};

static long held; /* statuses and infos that are not released */
static const char *bits = "contract";
static const char *keep = "0"; /* ep.context_enable */
static size_t nfused;

static OrtStatus *
new_status(int code, const char *text)
{
    (void)code;
    char *t = __real_malloc(strlen(text) + 1);
    assert_non_null(t);
    held++;
    return (OrtStatus *)(void *)strcpy(t, text);
}

static const char *
status_text(const OrtStatus *st)
{
    return (const char *)st;
}

static void
release_status(void *st)
{
    held--;
    __real_free(st);
}

static void
release_info(void *v)
{
    (void)v;
    held--;
}

static OrtStatus *
config(const OrtOptions *o, const char *key, char *out, size_t *n)
{
    const char *value = strstr(key, ".bits")                ? bits
                        : strstr(key, "context_enable")     ? keep
                        : strstr(key, "context_embed_mode") ? keep
                                                            : NULL;

    (void)o;
    if (!value)
        return new_status(1, "no such entry");
    *n = strlen(value) + 1;
    memcpy(out, value, *n);
    return NULL;
}

static OrtStatus *
write_log(const OrtLogger *l, int severity, const char *text, const char *file,
          int line, const char *function)
{
    (void)l;
    (void)severity;
    (void)text;
    (void)file;
    (void)line;
    (void)function;
    return NULL;
}

static OrtStatus *
get_zero(const void *of, size_t *out)
{
    (void)of;
    *out = 0;
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
get_itself(const void *of, const void **out)
{
    *out = of;
    return NULL;
}

static OrtStatus *
get_info(const void *of, const void **out)
{
    held++;
    *out = of;
    return NULL;
}

static OrtStatus *
get_opsets(const OrtGraph *g, const char **domain, int64_t *version, size_t n)
{
    (void)g;
    if (n == 1) {
        domain[0] = "";
        version[0] = 17;
    }
    return NULL;
}

static OrtStatus *
get_one(const void *of, size_t *out)
{
    (void)of;
    *out = 1;
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
get_empty(const void *of, const void **out)
{
    (void)of;
    *out = "";
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
get_nattr(const void *of, size_t *out)
{
    *out = ((const OrtNode *)of)->attr != NULL;
    return NULL;
}

static OrtStatus *
get_attrs(const void *of, const void **out, size_t n)
{
    if (n)
        out[0] = ((const OrtNode *)of)->attr;
    return NULL;
}

static OrtStatus *
get_attr_type(const void *of, int *out)
{
    (void)of;
    *out = ORT_A_TENSOR;
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

/* Of an input, which is a description, or an output, which is its elements. */
static OrtStatus *
get_data(const void *of, const void **out)
{
    const OrtValueInfo *v = of;

    *out = v->type == 1 ? v->data : of;
    return NULL;
}

static OrtStatus *
get_input(const OrtContext *c, size_t i, const OrtValue **out)
{
    *out = (const OrtValue *)(const void *)&c->in[i];
    return NULL;
}

static OrtStatus *
get_output(OrtContext *c, size_t i, const int64_t *dim, size_t rank,
           OrtValue **out)
{
    assert_int_equal(rank, 2);
    assert_true(dim[0] * dim[1] < 60);
    *out = (OrtValue *)(void *)c->out[i];
    return NULL;
}

static OrtStatus *
fuse(OrtSupport *to, const OrtNode *const *node, size_t n,
     const OrtFuseOptions *o)
{
    (void)to;
    (void)node;
    assert_true(o->drop_constants);
    nfused += n;
    return NULL;
}

/* Attributes hold nothing, and a node is what is in them. */
static OrtStatus *
new_attr(const char *name, const void *data, int n, int type, OrtOpAttr **out)
{
    assert_true(n > 0 && (type == ORT_A_INT || type == ORT_A_STRING));
    assert_non_null(data);
    if (!strcmp(name, "source"))
        assert_memory_equal(data, "sinter", 6);
    if (fails())
        return new_status(1, "out of memory");
    *out = __real_malloc(1);
    held++;
    return NULL;
}

static void
release_attr(void *at)
{
    held--;
    __real_free(at);
}

static OrtStatus *
new_node(const char *op, const char *domain, const char *name,
         const char *const *in, size_t nin, const char *const *out, size_t nout,
         OrtOpAttr **attr, size_t nattr, OrtNode **node)
{
    assert_string_equal(op, "EPContext");
    assert_string_equal(domain, "com.microsoft");
    assert_string_equal(name, "");
    assert_int_equal(nin, 2);
    assert_int_equal(nout, 1);
    assert_string_equal(in[0], "y");
    assert_string_equal(out[0], "q");
    if (fails())
        return new_status(1, "out of memory");
    for (size_t i = 0; i < nattr; i++) {
        release_attr(attr[i]);
        attr[i] = NULL;
    }
    *node = __real_malloc(1);
    return NULL;
}

enum { NSLOT = 400 };
static union {
    OrtTable table;
    OrtFn *fn[NSLOT];
} runtime, providers, editor;

static const OrtTable *
editor_table(void)
{
    editor.fn[ORT_EDITOR_NEW_NODE] = (OrtFn *)new_node;
    return &editor.table;
}

#define SLOT(slot, f) runtime.fn[slot] = (OrtFn *)(f)

static const OrtTable *
ep_table(void)
{
    providers.fn[ORT_EP_FUSE] = (OrtFn *)fuse;
    return &providers.table;
}

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
    SLOT(ORT_RELEASE_INFO, release_info);
    SLOT(ORT_INPUT, get_input);
    SLOT(ORT_OUTPUT, get_output);
}

static const OrtTable *
get_api(uint32_t version)
{
    (void)version;
    SLOT(ORT_CREATE_STATUS, new_status);
    SLOT(ORT_ERROR_MESSAGE, status_text);
    SLOT(ORT_RELEASE_STATUS, release_status);
    SLOT(ORT_CONFIG_ENTRY, config);
    SLOT(ORT_LOG, write_log);
    SLOT(ORT_EP_API, ep_table);
    SLOT(ORT_EDITOR, editor_table);
    SLOT(ORT_NEW_ATTR, new_attr);
    SLOT(ORT_RELEASE_ATTR, release_attr);
    SLOT(ORT_GRAPH_PATH, get_empty);
    SLOT(ORT_GRAPH_PARENT, get_none);
    SLOT(ORT_GRAPH_NOPSET, get_one);
    SLOT(ORT_GRAPH_OPSETS, get_opsets);
    SLOT(ORT_GRAPH_NNODE, get_nnode);
    SLOT(ORT_GRAPH_NODES, get_nodes);
    SLOT(ORT_GRAPH_NOUTPUT, get_noutput);
    SLOT(ORT_GRAPH_OUTPUTS, get_outputs);
    SLOT(ORT_NODE_NSUBGRAPH, get_zero);
    SLOT(ORT_NODE_NAME, get_empty);
    SLOT(ORT_NODE_OPERATOR, get_operator);
    SLOT(ORT_NODE_DOMAIN, get_empty);
    SLOT(ORT_NODE_NINPUT, get_nread);
    SLOT(ORT_NODE_INPUTS, get_read);
    SLOT(ORT_NODE_NOUTPUT, get_nmade);
    SLOT(ORT_NODE_OUTPUTS, get_made);
    SLOT(ORT_NODE_NATTR, get_nattr);
    SLOT(ORT_NODE_ATTRS, get_attrs);
    SLOT(ORT_ATTR_NAME, get_name);
    SLOT(ORT_ATTR_TYPE, get_attr_type);
    SLOT(ORT_ATTR_TENSOR, get_info);
    SLOT(ORT_RELEASE_VALUE, release_info);
    set_values();
    return &runtime.table;
}

/* ---- everything that is called, until something fails ---- */

OrtStatus *CreateEpFactories(const char *name, const OrtBase *base,
                             const OrtLogger *l, OrtFactory **out, size_t most,
                             size_t *n);
OrtStatus *ReleaseEpFactory(OrtFactory *f);

/* Batches of n: (x + y) * w, cut at 0. */
static OrtStatus *
run(OrtCompute *c, void *state, int64_t n)
{
    static const float xs[12] = {1, 2, 3, 4, 0, 1, 0, -1, 2, 2, 2, 2};
    static const float ys[12] = {0, 1, 0, 1, -3, 0, 1, 0, 1, 1, 1, -8};
    static OrtContext k;

    k = (OrtContext){.in = {y, x}}; /* in the order of the fused node */
    k.in[0].dim[0] = k.in[1].dim[0] = n;
    k.in[0].data = ys;
    k.in[1].data = xs;
    OrtStatus *st = c->compute(c, state, &k);
    for (int64_t i = 0; i < n && !st; i++)
        for (int j = 0; j < 2; j++) {
            float sum = 0;
            for (int e = 0; e < 4; e++)
                sum += (xs[4 * i + e] + ys[4 * i + e]) * weight[2 * e + j];
            assert_true(k.out[0][2 * i + j] == (sum > 0 ? sum : 0));
        }
    return st;
}

static OrtStatus *
use_compute(OrtCompute *c)
{
    void *state;
    OrtStatus *st = c->start(c, NULL, &state);

    if (st)
        return st;
    for (int64_t n = 1; n <= 3 && !st; n++)
        st = run(c, state, n);
    if (!st)
        st = run(c, state, 2);
    c->end(c, state);
    return st;
}

static OrtStatus *
use_all(size_t *nclaimed)
{
    static const OrtBase base = {get_api, NULL};
    const OrtGraph *g = &part;
    const OrtNode *f = &fused;
    OrtFactory *factory;
    OrtCompute *c = NULL;
    OrtNode *context = NULL;
    OrtEp *ep;
    size_t n;

    nfused = 0;
    OrtStatus *st = CreateEpFactories("sinter", &base, NULL, &factory, 1, &n);
    if (st)
        return st;
    st = factory->create(factory, NULL, NULL, 0, NULL, NULL, &ep);
    if (!st) {
        st = ep->capability(ep, &whole, NULL);
        *nclaimed = nfused;
        if (!st)
            st = ep->compile(ep, &g, &f, 1, &c, &context);
        if (!st)
            assert_int_equal(context != NULL, *keep == '1');
        __real_free(context);
        if (!st)
            st = use_compute(c);
        if (c)
            ep->release_computes(ep, &c, 1);
        factory->release(factory, ep);
    }
    assert_null(ReleaseEpFactory(factory));
    return st;
}

static void
sweep(const char *what)
{
    long n = 0, nfail = 0, begin, calls;
    size_t nclaimed;

    assert_null(use_all(&nclaimed));
    assert_int_equal(nclaimed, 3);
    begin = atomic_load(&live);
    do {
        atomic_store(&ncall, 0);
        atomic_store(&fails_at, ++n);
        OrtStatus *st = use_all(&nclaimed);
        calls = atomic_load(&ncall);
        atomic_store(&fails_at, 0);
        if (st) {
            assert_non_null(strstr(status_text(st), "out of memory"));
            release_status(st);
            nfail++;
        } else {
            assert_int_equal(nclaimed, 3);
        }
        assert_int_equal(held, 0);
        assert_int_equal(atomic_load(&live), begin);
    } while (calls >= n);
    printf("%ld of %ld allocations end in a status%s\n", nfail, n - 1, what);
    assert_true(nfail > 100);
}

static void
test_memory(void **state)
{
    (void)state;
    sweep("");
}

static void
test_context(void **state)
{
    (void)state;
    keep = "1";
    sweep(", where contexts are made");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_context),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
