// SPDX-License-Identifier: Apache-2.0
/* The provider in a runtime of our own (fake.h), for what ONNX Runtime does not
 * do at will: options that are wrong, attributes that cannot be read, threads
 * that fail; and which graphs have the bits of ONNX Runtime. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ep/ep_same.h"
#include "ep/fake.h"
#include "ep/fake_line.h"
#include "sinter.h"

static OrtFactory *
factory(void)
{
    OrtStatus *s;
    OrtFactory *f = fake_factory(&s);

    assert_null(s);
    return f;
}

/* ---- factories ---- */

/* What is said instead of giving a factory. */
static void
assert_refused(const char *text)
{
    OrtStatus *s;

    assert_null(fake_factory(&s));
    assert_non_null(s);
    assert_string_equal(fake_text(s), text);
    fake_release(s);
    assert_int_equal(fake.held, 0);
}

static bool
no_memory(void)
{
    return true;
}

static void
test_factory(void **state)
{
    static const OrtDevice cpu = {0}, gpu = {1}, other = {0};
    const OrtDevice *const all[] = {&gpu, &cpu, &other};
    OrtFactory *f = factory();
    OrtEpDevice *out[3] = {NULL};
    void *made = &f;
    size_t n;
    OrtEp *ep;

    (void)state;
    assert_string_equal(f->name(f), "sinter");
    assert_string_equal(f->vendor(f), "sinter");
    assert_string_equal(f->release_of(f), sinter_version());
    assert_int_equal(f->vendor_id(f), 0);
    assert_false(f->stream_aware(f));
    /* CPUs alone, as many as there is room for. */
    assert_null(f->devices(f, all, 3, out, 3, &n));
    assert_int_equal(n, 2);
    assert_ptr_equal(out[0], &cpu);
    assert_ptr_equal(out[1], &other);
    assert_null(f->devices(f, all, 3, out, 1, &n));
    assert_int_equal(n, 1);
    fake.fails = no_memory;
    OrtStatus *s = f->devices(f, all, 3, out, 3, &n);
    fake.fails = NULL;
    assert_non_null(s);
    fake_release(s);
    assert_int_equal(n, 0);
    /* Memory and copies are the CPU provider's. */
    assert_null(f->allocator(f, NULL, NULL, &made));
    assert_null(made);
    f->release_allocator(f, made);
    made = &f;
    assert_null(f->transfer(f, &made));
    assert_null(made);
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_string_equal(ep->name(ep), "sinter");
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    /* Runtimes that it cannot serve. */
    fake.old = true;
    assert_refused("sinter: requires ONNX Runtime 1.23 or later");
    fake.old = false;
    fake.without = true;
    assert_refused("sinter: this build of ONNX Runtime does not support "
                   "providers");
    fake.without = false;
}

/* ---- options ---- */

/* What is said of this value of an option; "": it is taken. */
static const char *
said(const char *key, const char *value)
{
    static char text[256];
    OrtFactory *f = factory();
    OrtEp *ep;

    fake_option(key, value);
    OrtStatus *s = f->create(f, NULL, NULL, 0, NULL, NULL, &ep);
    snprintf(text, sizeof text, "%s", s ? fake_text(s) : "");
    if (s)
        fake_release(s);
    else
        f->release(f, ep);
    fake_option(key, NULL);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, 0);
    return text;
}

static void
test_options(void **state)
{
    static char longest[2100]; /* longer than any option */
    static const struct {
        const char *key, *good, *bad, *why;
    } tried[] = {
        {"sinter.bits", "contract", "contrast", "option bits is neither"},
        /* Longer than any value that is known. */
        {"sinter.bits", "same", "contract, and much more", "option bits is"},
        {"sinter.pool", "onnxruntime", "theirs", "option pool is neither"},
        {"sinter.pool", "sinter", "sinter ", "option pool is neither"},
        {"sinter.threads", "64", "65", "option threads is not a number"},
        {"sinter.threads", "1", "-1", "option threads is not a number"},
        {"sinter.threads", "2", "2x", "option threads is not a number"},
        {"sinter.shapes", "1024", "1025", "option shapes is not a number"},
        {"sinter.shapes", "1", "0", "option shapes is not a number"},
        {"sinter.small", "1", "yes", "option small is neither"},
        {"sinter.quantize", "", "/none", "option quantize is not the path"},
        {"context_enable", "0", "true", "ep.context_enable is neither"},
        {"context_node_name_prefix", "a_", "a/b", "or holds a '/'"},
        {"context_embed_mode", "0", "yes", "ep.context_embed_mode is neither"},
        {"sinter.leave", "Abs", longest, "option leave is longer"},
        {"sinter.quantize", "", longest, "option quantize is longer"},
        {"context_file_path", "a.onnx", longest, "context_file_path is longer"},
        {"context_node_name_prefix", "a", longest, "prefix is longer"},
        {"sinter.quantize", "", "/dev/null", "requires bits = contract"},
    };

    (void)state;
    memset(longest, 'a', sizeof longest - 1);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        assert_string_equal(said(tried[i].key, NULL), "");
        assert_string_equal(said(tried[i].key, tried[i].good), "");
        const char *text = said(tried[i].key, tried[i].bad);
        assert_non_null(strstr(text, tried[i].why));
        assert_int_equal(strncmp(text, "sinter: ", 8), 0);
    }
}

/* ---- graphs ---- */

/* Why a node with that attribute is not claimed. */
static const char *
why_not(const OrtOpAttr *attr)
{
    const OrtNode n = {.op = "x", .attr = attr};
    const OrtGraph g = {.nnode = 1, .node = {&n}};
    OrtFactory *f = factory();
    OrtEp *ep;

    fake_option("sinter.bits", "contract");
    fake.logged[0] = '\0';
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &g, NULL));
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, 0);
    return fake.logged;
}

static void
test_graphs(void **state)
{
    const OrtValueInfo strings = {.name = "s", .type = 8};
    const OrtOpAttr of_strings = {
        .name = "value", .type = ORT_A_TENSOR, .tensor = &strings};
    const OrtOpAttr of_nothing = {.name = "axis", .type = ORT_A_INT};

    (void)state;
    assert_string_equal(why_not(&of_strings), "sinter: node #0 '' (x) is not "
                                              "claimed: a constant of strings");
    assert_string_equal(why_not(&of_nothing),
                        "sinter: node #0 '' (x) is not claimed: an attribute "
                        "without its value");
}

/* ---- bits ---- */

/* Why no part of the graph, or not all of it, is claimed with the bits of ONNX
 * Runtime; "": all is. */
static const char *
why_others(const char *line, const char *small, const char *leave)
{
    static FakeLine l;
    OrtFactory *f = factory();
    const char *why;
    OrtEp *ep;

    fake_line(&l, line);
    fake_option("sinter.bits", "same");
    fake_option("sinter.small", small);
    fake_option("sinter.leave", leave);
    fake.logged[0] = '\0';
    fake.nfused = fake.npart = 0;
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &l.g, NULL));
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    fake_option("sinter.small", NULL);
    fake_option("sinter.leave", NULL);
    assert_int_equal(fake.held, 0);
    why = strstr(fake.logged, "is not claimed: ");
    return why ? why + strlen("is not claimed: ") : fake.logged;
}

static const char unknown[] = "bits: the operator is not known";
static const char types[] = "bits: with these types";
static const char plain[] = "bits: of reals that may be NaN or -0";
static const char windows[] = "bits: windows with dilations";
static const char sums[] = "bits: it sums reals";
static const char small[] = "bits: scales that are not constant, or so far";

static const struct {
    const char *line;
    const char *why; /* how it begins; "": claimed */
} graphs[] = {
#include "ep/fake_bits.inc"
};

static void
test_bits(void **state)
{
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const char *why = why_others(graphs[i].line, "1", NULL);
        size_t n = strlen(graphs[i].why);
        if (n ? !strncmp(why, graphs[i].why, n) : !*why && fake.nfused)
            continue;
        print_message("%s: %zu claimed: %s\n", graphs[i].line, fake.nfused,
                      why);
        nbad++;
    }
    assert_int_equal(nbad, 0);
    /* What only moves and converts is left, unless option small asks for it;
     * what option leave names, by operator or number, too. */
    static const char moves[] = "y:f32 = Abs x:f32";
    assert_string_equal(why_others(moves, "0", NULL),
                        "no node of its part is worth a call");
    assert_string_equal(why_others(moves, "1", "Neg,Ab,#1,#x"), "");
    assert_string_equal(why_others(moves, "1", "Neg,Abs"),
                        "option leave names it");
    assert_string_equal(why_others(moves, "1", "#1,#0"),
                        "option leave names it");
}

/* ---- contexts ---- */

static char dir[] = "/tmp/sinter-ep-XXXXXX";

static const char relu[] = "sinter-graph 1\n"
                           "graph \"r\" {\n"
                           "  %x = Placeholder() : f32[1,4]\n"
                           "  %y = Relu(%x) : f32[1,4]\n"
                           "  Save(%y) {name = \"y\"}\n"
                           "}\n";

static const char *
in_dir(const char *name)
{
    static char path[4][256];
    static unsigned k;
    char *to = path[k++ % 4];

    snprintf(to, sizeof *path, "%s/%s", dir, name);
    return to;
}

static void
write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* What is said of a session for this graph; "": none is, and y is right. */
static const char *
opened(const OrtGraph *g)
{
    static char text[512];
    static const float in[] = {-1, 2, -3, 4}, want[] = {0, 2, 0, 4};
    const OrtValueInfo *from = g->node[0]->in[0], *to = g->node[0]->out[0];
    const OrtNode part = {.op = "f", 1, 1, {from}, {to}};
    const OrtNode *node = &part;
    OrtContext k = {.in = {*from}, .out = {*to}};
    OrtFactory *f = factory();
    OrtNode *context = NULL;
    OrtCompute *c;
    OrtStatus *s;
    float y[4];
    OrtEp *ep;

    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, g, NULL));
    s = ep->compile(ep, &g, &node, 1, &c, &context);
    snprintf(text, sizeof text, "%s", s ? fake_text(s) : "");
    if (s) {
        fake_release(s);
    } else {
        k.in[0].data = in;
        k.in[0].dim[0] = 1;
        k.out[0].data = y;
        k.out[0].nbyte = sizeof y;
        assert_null(c->compute(c, NULL, &k));
        assert_memory_equal(y, want, sizeof y);
        ep->release_computes(ep, &c, 1);
    }
    free(context);
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, 0);
    return text;
}

/* A node with these attributes; NULL: it has none of that name. */
static const char *
loaded(const char *cache, int64_t embed, const char *notes, const char *cpu)
{
    static FakeLine l;
    OrtOpAttr at[5];
    size_t n = 0;

    fake_line(&l, "y:f32 = com.microsoft:EPContext x:f32");
    at[n++] = (OrtOpAttr){"source", ORT_A_STRING, NULL, "sinter", 6};
    at[n++] = (OrtOpAttr){"embed_mode", ORT_A_INT, NULL, &embed, sizeof embed};
    at[n++] = (OrtOpAttr){"notes", ORT_A_STRING, NULL, notes, strlen(notes)};
    if (cache)
        at[n++] = (OrtOpAttr){"ep_cache_context", ORT_A_STRING, NULL, cache,
                              strlen(cache)};
    if (cpu)
        at[n++] = (OrtOpAttr){"hardware_architecture", ORT_A_STRING, NULL, cpu,
                              strlen(cpu)};
    l.node[0].attr = at;
    l.node[0].nattr = n;
    return opened(&l.g);
}

static const char contract[] = "bits=contract";

/* The text with its head, less by so many bytes than that says. */
static const char *
wrapped(const char *kind, const char *text, size_t cut)
{
    static char to[1024];
    int n = snprintf(to, sizeof to, "sinter context 1 %s %zu\n%s\n", kind,
                     strlen(text), text);

    to[(size_t)n - cut] = '\0';
    return to;
}

static const char not_ours[] = "sinter: context: ep_cache_context is not one "
                               "that sinter wrote, or was cut short";

static void
test_embedded(void **state)
{
    (void)state;
    fake_option("sinter.bits", "contract");
    assert_string_equal(loaded(wrapped("sn", relu, 0), 1, contract, NULL), "");
    assert_string_equal(loaded(wrapped("sn", relu, 1), 1, contract, NULL), "");
    assert_string_equal(loaded(wrapped("sn", relu, 2), 1, contract, NULL),
                        not_ours);
    assert_string_equal(loaded(wrapped("sm", relu, 0), 1, contract, NULL),
                        not_ours);
    assert_string_equal(loaded(relu, 1, contract, NULL), not_ours);
    assert_string_equal(loaded("sinter context 1 sn 3", 1, contract, NULL),
                        not_ours);
    assert_string_equal(loaded(NULL, 1, contract, NULL), not_ours);
    assert_non_null(strstr(loaded(wrapped("sn", "hello", 0), 1, contract, NULL),
                           "sinter-graph 1"));
    assert_non_null(strstr(
        loaded(wrapped("onnx", "hello", 0), 1, contract, NULL), "ModelProto"));
    /* Made for other sessions. */
    assert_string_equal(loaded(wrapped("sn", relu, 0), 1, "bits=same", NULL),
                        "sinter: option bits: is 'contract', the model's "
                        "contexts are of 'bits=same'");
    assert_non_null(
        strstr(loaded(wrapped("sn", relu, 0), 1, "bits=contracts", NULL),
               "option bits"));
    fake_option("sinter.bits", "same");
    assert_string_equal(
        loaded(wrapped("sn", relu, 0), 1, "bits=same", sn_ep_processor()), "");
    assert_non_null(
        strstr(loaded(wrapped("sn", relu, 0), 1, "bits=same", "another"),
               "processor with 'another', this one has '"));
    fake_option("sinter.bits", "contract");
    fake_option("context_enable", "1");
    assert_string_equal(loaded(wrapped("sn", relu, 0), 1, contract, NULL),
                        "sinter: ep.context_enable: the model holds contexts "
                        "already");
    fake_option("context_enable", NULL);
    write_text(in_dir("p.json"), "{}");
    fake_option("sinter.quantize", in_dir("p.json"));
    assert_string_equal(loaded(wrapped("sn", relu, 0), 1, contract, NULL),
                        "sinter: option quantize: cannot be combined with a "
                        "model that holds contexts");
    fake_option("sinter.quantize", NULL);
    remove(in_dir("p.json"));
}

static void
test_files(void **state)
{
    static const char elsewhere[] =
        "sinter: context: ep_cache_context is not the name of a .sn or .onnx "
        "file beside the model";

    (void)state;
    fake_option("sinter.bits", "contract");
    write_text(in_dir("r.sn"), relu);
    assert_string_equal(loaded("/etc/r.sn", 0, contract, NULL), elsewhere);
    assert_string_equal(loaded("../r.sn", 0, contract, NULL), elsewhere);
    assert_string_equal(loaded("r.txt", 0, contract, NULL), elsewhere);
    assert_string_equal(loaded(".sn", 0, contract, NULL), elsewhere);
    assert_string_equal(loaded(NULL, 0, contract, NULL), elsewhere);
    assert_string_equal(loaded("r.sn", 0, contract, NULL),
                        "sinter: context: is in a file beside a model that "
                        "came from memory: expected ep.context_file_path");
    fake_option("context_file_path", in_dir("r_ctx.onnx"));
    assert_string_equal(loaded("r.sn", 0, contract, NULL), "");
    fake_option("context_file_path", NULL);
    fake.path = in_dir("model.onnx");
    assert_string_equal(loaded("r.sn", 0, contract, NULL), "");
    assert_non_null(
        strstr(loaded("none.sn", 0, contract, NULL), "No such file"));
    assert_non_null(
        strstr(loaded("none.onnx", 0, contract, NULL), "No such file"));
    fake.path = NULL;
    remove(in_dir("r.sn"));
}

/* Parts are kept beside the model, or where an option says. */
static void
test_kept(void **state)
{
    static FakeLine l;
    static const char one[] = "y:f32 = Relu x:f32";
    static const char any[] = "y:f32@-1x4 = Relu x:f32@-1x4";
    static const struct {
        const char *line, *model, *option, *file; /* which is made */
    } places[] = {
        {one, "model.onnx", NULL, "model_ctx_sinter_0.sn"},
        {one, "model", NULL, "model_ctx_sinter_0.sn"},
        {one, NULL, "kept.onnx", "kept_sinter_0.sn"},
        {one, "model.onnx", "kept", "kept_sinter_0.sn"},
        {any, "model.onnx", NULL, "model_ctx_sinter_0.onnx"},
    };

    (void)state;
    fake_option("sinter.bits", "contract");
    fake_option("context_enable", "1");
    fake_line(&l, one);
    assert_string_equal(opened(&l.g),
                        "sinter: ep.context_enable: a model from memory has no "
                        "place for files: expected ep.context_file_path, or "
                        "ep.context_embed_mode = 1");
    fake_option("context_embed_mode", "1");
    assert_string_equal(opened(&l.g), "");
    fake_line(&l, any);
    assert_string_equal(opened(&l.g), "");
    fake_option("context_embed_mode", NULL);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        fake_line(&l, places[i].line);
        fake.path = places[i].model ? in_dir(places[i].model) : NULL;
        fake_option("context_file_path",
                    places[i].option ? in_dir(places[i].option) : NULL);
        assert_string_equal(opened(&l.g), "");
        fake_option("context_enable", NULL);
        assert_string_equal(loaded(places[i].file, 0, contract, NULL), "");
        fake_option("context_enable", "1");
        assert_int_equal(remove(in_dir(places[i].file)), 0);
    }
    fake_option("context_file_path", in_dir("none/kept.onnx"));
    assert_non_null(strstr(opened(&l.g), "No such file"));
    fake_option("context_file_path", NULL);
    fake_option("context_enable", NULL);
    fake.path = NULL;
}

/* Beside contexts nothing is claimed, and others' contexts are none. */
static void
test_beside(void **state)
{
    (void)state;
    assert_string_equal(
        why_others("a:f32 = com.microsoft:EPContext x:f32 source='sinter;"
                   "y:f32 = Abs a",
                   "1", NULL),
        "the model holds contexts, and this node is not one");
    assert_int_equal(fake.nfused, 1);
    assert_string_equal(
        why_others("y:f32 = com.microsoft:EPContext x:f32 source='sinters", "1",
                   NULL),
        "bits: the operator is not known to have the same ones in ONNX "
        "Runtime");
    assert_int_equal(fake.nfused, 0);
    why_others("y:f32 = com.microsoft:EPContext x:f32 source=3", "1", NULL);
    assert_int_equal(fake.nfused, 0);
    why_others("y:f32 = EPContext x:f32 source='sinter", "1", NULL);
    assert_int_equal(fake.nfused, 0);
}

static int
make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int
remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

/* ---- threads of the runtime ---- */

enum { ROWS = 256, DEEP = 256, WIDE = 192 };
static float weight[DEEP * WIDE], pixel[ROWS * DEEP];
static const OrtValueInfo x = {.name = "x", 1, 2, {ROWS, DEEP}, NULL, 0},
                          w = {"w", 1, 2, {DEEP, WIDE}, weight, sizeof weight},
                          y = {.name = "y", 1, 2, {ROWS, WIDE}, NULL, 0};
static const OrtNode product = {.op = "MatMul", 2, 1, {&x, &w}, {&y}};
static const OrtNode fused = {.op = "f", 1, 1, {&x}, {&y}};
static const OrtGraph graph = {1, 1, {&product}, {&y}};

/* Runs it once more with those threads. */
static OrtStatus *
multiply(const char *pool, FakePool how, float *out)
{
    OrtFactory *f = factory();
    const OrtGraph *g = &graph;
    const OrtNode *node = &fused;
    OrtContext k = {.in = {x}, .out = {y}};
    OrtCompute *c;
    OrtEp *ep;

    fake_option("sinter.bits", "contract");
    fake_option("sinter.pool", pool);
    fake_option("sinter.threads", "5");
    fake.nlent = 0;
    fake.pool = how;
    k.in[0].data = pixel;
    k.out[0].data = out;
    k.out[0].nbyte = sizeof(float) * ROWS * WIDE;
    assert_null(f->create(f, NULL, NULL, 0, NULL, NULL, &ep));
    assert_null(ep->capability(ep, &graph, NULL));
    assert_null(ep->compile(ep, &g, &node, 1, &c, NULL));
    OrtStatus *s = c->compute(c, NULL, &k);
    for (int i = 0; i < 3 && !s; i++) /* memory is there now */
        s = c->compute(c, NULL, &k);
    ep->release_computes(ep, &c, 1);
    f->release(f, ep);
    assert_null(ReleaseEpFactory(f));
    assert_int_equal(fake.held, s != NULL);
    return s;
}

static void
assert_says(OrtStatus *s, const char *text)
{
    assert_non_null(s);
    assert_non_null(strstr(fake_text(s), text));
    fake_release(s);
}

static void
test_pool(void **state)
{
    static float own[ROWS * WIDE], lent[ROWS * WIDE];

    (void)state;
    for (int i = 0; i < DEEP * WIDE; i++)
        weight[i] = (float)(i * 31 % 97 - 48) * 0.37F;
    for (int i = 0; i < ROWS * DEEP; i++)
        pixel[i] = (float)(i * 17 % 89 - 44) * 0.11F;
    assert_null(multiply("sinter", FAKE_RUNS, own));
    assert_int_equal(fake.nlent, 0);
    assert_null(multiply("onnxruntime", FAKE_RUNS, lent));
    assert_int_equal(fake.nlent, 4 * 5);
    assert_memory_equal(own, lent, sizeof own);
    assert_says(multiply("onnxruntime", FAKE_FAILS, lent), "no threads today");
    assert_says(multiply("onnxruntime", FAKE_DROPS, lent),
                "pool: did not run each of 5 parts once before it returned");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factory),  cmocka_unit_test(test_options),
        cmocka_unit_test(test_graphs),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_embedded), cmocka_unit_test(test_files),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_beside),
        cmocka_unit_test(test_pool),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
