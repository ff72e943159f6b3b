// SPDX-License-Identifier: Apache-2.0
/* The provider in a runtime of our own that answers as it is told, for what
 * ONNX Runtime does not do at will: options that are wrong, attributes that
 * cannot be read.  Called by tests/long/ep.sh. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ep/ep_session.h"

/* ---- the runtime ---- */

struct OrtGraph {
    size_t nnode;
};

static const char *entry; /* of every option; NULL: none */
static long held;         /* values and statuses that are not released */
static char logged[256];

static OrtStatus *
new_status(int code, const char *text)
{
    (void)code;
    held++;
    char *s = strdup(text);
    assert_non_null(s);
    return (OrtStatus *)(void *)s;
}

static const char *
status_text(const OrtStatus *s)
{
    return (const char *)s;
}

static void
release_status(void *s)
{
    held--;
    free(s);
}

static void
release_value(void *v)
{
    (void)v;
    held--;
}

static void
release_nothing(void *v)
{
    (void)v;
}

static OrtStatus *
config(const OrtOptions *o, const char *key, char *out, size_t *n)
{
    size_t room = *n;

    (void)o;
    if (!entry || !strstr(key, ".bits"))
        return new_status(1, "no such entry");
    *n = strlen(entry) + 1;
    if (*n > room)
        return new_status(1, "too small");
    memcpy(out, entry, *n);
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
        snprintf(logged, sizeof logged, "%s", text);
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
get_one(const void *of, size_t *out)
{
    (void)of;
    *out = 1;
    return NULL;
}

static OrtStatus *
get_nnode(const void *g, size_t *out)
{
    *out = ((const OrtGraph *)g)->nnode;
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
get_name(const void *of, const void **out)
{
    (void)of;
    *out = "x";
    return NULL;
}

/* Members of lists, and what they are made of, are the list's owner. */
static OrtStatus *
get_itself(const void *of, const void **out)
{
    *out = of;
    return NULL;
}

static OrtStatus *
get_value(const void *of, const void **out)
{
    held++;
    *out = of;
    return NULL;
}

static OrtStatus *
get_list(const void *of, const void **out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = of;
    return NULL;
}

static OrtStatus *
get_opsets(const OrtGraph *g, const char **domain, int64_t *version, size_t n)
{
    (void)g;
    (void)domain;
    (void)version;
    return n ? new_status(1, "none") : NULL;
}

static OrtStatus *
get_dims(const void *of, int64_t *out, size_t n)
{
    (void)of;
    (void)out;
    return n ? new_status(1, "none") : NULL;
}

static int element, attribute;

static OrtStatus *
get_element(const void *of, int *out)
{
    (void)of;
    *out = element;
    return NULL;
}

static OrtStatus *
get_attribute(const void *of, int *out)
{
    (void)of;
    *out = attribute;
    return NULL;
}

static OrtStatus *
read_nothing(const OrtOpAttr *a, int type, void *out, size_t n, size_t *need)
{
    (void)a;
    (void)type;
    (void)out;
    (void)n;
    *need = 0;
    return NULL;
}

enum { NSLOT = 400 };
static union {
    OrtTable table;
    OrtFn *fn[NSLOT];
} runtime;

#define SLOT(slot, f) runtime.fn[slot] = (OrtFn *)(f)

static const OrtTable *
ep_table(void)
{
    return &runtime.table;
}

static const OrtTable *
get_api(uint32_t version)
{
    (void)version;
    SLOT(ORT_CREATE_STATUS, new_status);
    SLOT(ORT_ERROR_MESSAGE, status_text);
    SLOT(ORT_RELEASE_STATUS, release_status);
    SLOT(ORT_RELEASE_VALUE, release_value);
    SLOT(ORT_RELEASE_INFO, release_nothing);
    SLOT(ORT_CONFIG_ENTRY, config);
    SLOT(ORT_LOG, write_log);
    SLOT(ORT_EP_API, ep_table);
    SLOT(ORT_GRAPH_PARENT, get_none);
    SLOT(ORT_GRAPH_NOPSET, get_zero);
    SLOT(ORT_GRAPH_OPSETS, get_opsets);
    SLOT(ORT_GRAPH_NNODE, get_nnode);
    SLOT(ORT_GRAPH_NODES, get_list);
    SLOT(ORT_GRAPH_NOUTPUT, get_zero);
    SLOT(ORT_NODE_NSUBGRAPH, get_zero);
    SLOT(ORT_NODE_NAME, get_name);
    SLOT(ORT_NODE_OPERATOR, get_name);
    SLOT(ORT_NODE_DOMAIN, get_name);
    SLOT(ORT_NODE_NINPUT, get_zero);
    SLOT(ORT_NODE_NOUTPUT, get_zero);
    SLOT(ORT_NODE_NATTR, get_one);
    SLOT(ORT_NODE_ATTRS, get_list);
    SLOT(ORT_ATTR_NAME, get_name);
    SLOT(ORT_ATTR_TYPE, get_attribute);
    SLOT(ORT_ATTR_TENSOR, get_value);
    SLOT(ORT_READ_ATTR, read_nothing);
    SLOT(ORT_NAME, get_name);
    SLOT(ORT_TYPE, get_itself);
    SLOT(ORT_VALUE_INFO, get_itself);
    SLOT(ORT_TENSOR_INFO_OF, get_itself);
    SLOT(ORT_ELEMENT_TYPE, get_element);
    SLOT(ORT_RANK, get_zero);
    SLOT(ORT_DIMS, get_dims);
    return &runtime.table;
}

OrtStatus *CreateEpFactories(const char *name, const OrtBase *base,
                             const OrtLogger *l, OrtFactory **out, size_t most,
                             size_t *n);
OrtStatus *ReleaseEpFactory(OrtFactory *f);

static OrtFactory *
factory(void)
{
    static const OrtBase base = {get_api, NULL};
    OrtFactory *f;
    size_t n;

    assert_null(CreateEpFactories("sinter", &base, NULL, &f, 1, &n));
    assert_int_equal(n, 1);
    return f;
}

/* ---- options ---- */

/* What is said of this value of `bits`; "": it is taken. */
static const char *
said(OrtFactory *f, const char *bits)
{
    static char text[256];
    OrtEp *ep;

    entry = bits;
    OrtStatus *s = f->create(f, NULL, NULL, 0, NULL, NULL, &ep);
    snprintf(text, sizeof text, "%s", s ? status_text(s) : "");
    if (s)
        release_status(s);
    else
        f->release(f, ep);
    assert_int_equal(held, 0);
    return text;
}

static void
test_options(void **state)
{
    OrtFactory *f = factory();

    (void)state;
    assert_string_equal(said(f, NULL), "");
    assert_string_equal(said(f, "contract"), "");
    assert_non_null(strstr(said(f, "contrast"), "option bits"));
    /* Longer than any value that is known. */
    assert_non_null(strstr(said(f, "contract, and more"), "option bits"));
    assert_null(ReleaseEpFactory(f));
}

/* ---- graphs ---- */

/* Why a graph is not claimed. */
static const char *
why_not(size_t nnode)
{
    OrtGraph g = {nnode};
    OrtFactory *f = factory();
    OrtEp *ep;

    entry = "contract";
    logged[0] = '\0';
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &g, NULL));
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(held, 0);
    return logged;
}

static void
test_graphs(void **state)
{
    (void)state;
    attribute = ORT_A_TENSOR;
    element = 8; /* strings */
    assert_string_equal(why_not(1), "sinter: node #0 'x' (x) is not "
                                    "claimed: a constant of strings");
    attribute = ORT_A_INT;
    assert_string_equal(why_not(1), "sinter: node #0 'x' (x) is not claimed: "
                                    "an attribute without its value");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_graphs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
