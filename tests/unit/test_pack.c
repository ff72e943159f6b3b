// SPDX-License-Identifier: Apache-2.0
/* Packed weights in a file: what is read is what was written, or packed anew;
 * never a result of other weights, whatever happens to the files. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "kernel/pack.h"
#include "kernel/conv/conv_q8.h"
#include "kernel/eval/rows.h"
#include "kernel/tune/tune.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include "unit/arena.h"
#include "unit/scratch.h"

static const char *pack_path, *sn_path;

static int
fresh(void **state)
{
    setup(state);
    pack_path = in_dir(a, "p");
    sn_path = in_dir(a, "m.sn");
    return 0;
}

static int
clean(void **state)
{
    unlink(pack_path);
    remove_sn("m");
    return teardown(state);
}

/* ---- the store ---- */

/* Asks a store for two items of two pieces and fills what is not ready with
 * bytes that depend on seed; returns how many pieces were ready. */
static int
use(SnPack *p, const char *key, int seed)
{
    static const size_t size[] = {100, 64};
    int nready = 0;

    for (int i = 0; i < 2; i++) {
        char k[16];
        snprintf(k, sizeof k, "%s%d", key, i);
        SnPackItem *it = sn_pack_item(p, k, strlen(k));
        int before = nready;
        for (int j = 0; j < 2; j++) {
            bool ready;
            uint8_t *v = sn_pack_piece(it, a, size[j], &ready);
            assert_int_equal((uintptr_t)v % 64, 0);
            nready += ready;
            for (size_t n = 0; n < size[j]; n++) {
                uint8_t want = (uint8_t)(seed + 50 * i + 20 * j + (int)n);
                if (!ready)
                    v[n] = want;
                assert_int_equal(v[n], want);
            }
        }
        assert_int_equal(sn_pack_ready(it), nready == before + 2);
    }
    return nready;
}

static void
store(void **state)
{
    const char *why;
    bool written;

    (void)state;
    SnPack *p = sn_pack_open(a, pack_path, &why);
    assert_string_equal(why, "cannot be read");
    assert_int_equal(use(p, "k", 1), 0);
    assert_int_equal(sn_pack_save(p, d, &written), SN_OK);
    assert_true(written);
    p = sn_pack_open(a, pack_path, &why);
    assert_null(why);
    assert_int_equal(use(p, "k", 1), 4);
    assert_int_equal(sn_pack_save(p, d, &written), SN_OK);
    assert_false(written);
    /* another key: the old items go */
    p = sn_pack_open(a, pack_path, &why);
    assert_int_equal(use(p, "other", 9), 0);
    assert_int_equal(sn_pack_save(p, d, &written), SN_OK);
    assert_true(written);
    p = sn_pack_open(a, pack_path, &why);
    assert_int_equal(use(p, "k", 1), 0);
    assert_null(sn_pack_item(NULL, "k", 1));
    bool ready = true;
    assert_non_null(sn_pack_piece(NULL, a, 10, &ready));
    assert_false(ready);
    assert_false(sn_pack_ready(NULL));
}

/* An item that is asked for more, or less, than it holds is no ready one. */
static void
other_sizes(void **state)
{
    bool ready;

    (void)state;
    SnPack *p = sn_pack_open(a, pack_path, NULL);
    memset(sn_pack_piece(sn_pack_item(p, "k", 1), a, 64, &ready), 7, 64);
    assert_int_equal(sn_pack_save(p, d, NULL), SN_OK);
    p = sn_pack_open(a, pack_path, NULL);
    SnPackItem *it = sn_pack_item(p, "k", 1);
    uint8_t *v = sn_pack_piece(it, a, 65, &ready);
    assert_false(ready);
    assert_int_equal(v[0], 0);
    p = sn_pack_open(a, pack_path, NULL);
    it = sn_pack_item(p, "k", 1);
    sn_pack_piece(it, a, 64, &ready);
    assert_true(ready && sn_pack_ready(it));
    sn_pack_piece(it, a, 1, &ready);
    assert_false(ready || sn_pack_ready(it));
    p = sn_pack_open(a, pack_path, NULL);
    assert_false(sn_pack_ready(sn_pack_item(p, "k", 1))); /* nothing used */
}

/* A key's items are numbered in the order in which they are asked for. */
static void
before(void **state)
{
    (void)state;
    SnPack *p = sn_pack_new(a);

    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(sn_pack_before(sn_pack_item(p, "k", 1)), i);
        assert_int_equal(sn_pack_before(sn_pack_item(p, "other", 5)), i);
    }
    assert_int_equal(sn_pack_before(NULL), 0);
}

/* A key that was asked for before, in a store with a file and without. */
static void
again(void **state)
{
    SnPack *p[2] = {sn_pack_new(a), sn_pack_open(a, pack_path, NULL)};
    uint32_t nitem, nready;
    bool ready;

    (void)state;
    assert_false(sn_pack_kept(p[0]));
    assert_true(sn_pack_kept(p[1]));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(use(p[i], "k", 1), 0);
        assert_int_equal(use(p[i], "k", 1), 4);
        SnPackItem *it = sn_pack_item(p[i], "k0", 2);
        assert_false(sn_pack_ready(it)); /* not all taken yet */
        uint8_t *v = sn_pack_piece(it, a, 100, &ready);
        assert_true(ready);
        assert_int_equal(v[0], 1);
        assert_true(v ==
                    sn_pack_piece(sn_pack_item(p[i], "k0", 2), a, 100, &ready));
        sn_pack_piece(it, a, 63, &ready); /* it had 64 */
        assert_false(ready || sn_pack_ready(it));
        it = sn_pack_item(p[i], "k0", 2);
        sn_pack_piece(it, a, 100, &ready);
        sn_pack_piece(it, a, 64, &ready);
        assert_true(sn_pack_ready(it));
        sn_pack_piece(it, a, 64, &ready); /* more than it had */
        assert_false(ready || sn_pack_ready(it));
        sn_pack_count(p[i], &nitem, &nready);
        assert_int_equal(nitem, 2);
        assert_int_equal(nready, 0);
    }
    assert_int_equal(sn_pack_save(p[1], d, NULL), SN_OK);
    SnPack *q = sn_pack_open(a, pack_path, NULL);
    assert_int_equal(use(q, "k", 1), 4);
    assert_int_equal(use(q, "k", 1), 4);
    sn_pack_count(q, &nitem, &nready);
    assert_int_equal(nitem, 2);
    assert_int_equal(nready, 2);
}

static size_t
read_file(const char *path, uint8_t *v, size_t most)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(v, 1, most, f);
    fclose(f);
    return n;
}

static void
write_file(const char *path, const void *v, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(v, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Every byte changed and every length: what is ready is right (use compares),
 * and something is not ready unless the byte is padding. */
static void
damage(void **state)
{
    static uint8_t whole[4096], bad[4096];
    size_t npad = 0;

    (void)state;
    SnPack *p = sn_pack_open(a, pack_path, NULL);
    use(p, "k", 3);
    assert_int_equal(sn_pack_save(p, d, NULL), SN_OK);
    size_t n = read_file(pack_path, whole, sizeof whole);
    assert_int_equal(n, 128 + 2 * 64 + 2 * 192);
    for (size_t i = 0; i < n; i++) {
        memcpy(bad, whole, n);
        bad[i] ^= 0x10;
        write_file(pack_path, bad, n);
        npad += use(sn_pack_open(a, pack_path, NULL), "k", 3) == 4;
    }
    assert_true(npad <= 56 + 16); /* the header's unused bytes */
    for (size_t i = 0; i < n; i++) {
        write_file(pack_path, whole, i);
        assert_int_equal(use(sn_pack_open(a, pack_path, NULL), "k", 3), 0);
    }
    unlink(pack_path);
    assert_int_equal(mkdir(pack_path, 0700), 0); /* not a file at all */
    assert_int_equal(use(sn_pack_open(a, pack_path, NULL), "k", 3), 0);
    assert_int_equal(rmdir(pack_path), 0);
    assert_int_equal(symlink("/dev/zero", pack_path), 0);
    assert_int_equal(use(sn_pack_open(a, pack_path, NULL), "k", 3), 0);
}

/* ---- models ---- */

enum { C = 32, OC = 80, PX = 9 };

/* Writes a model of one convolution whose weights depend on seed. */
static void
save_model(int seed)
{
    static const int64_t one[2] = {1, 1};
    SnGraph *g = sn_graph_new(a, "t");
    const SnType *t = sn_type_quant(g->pool, SN_QI8, 0.05f, 3);
    const SnType *wt = sn_type_quant(g->pool, SN_QI8, 0.01f, 0);
    const SnType *bt = sn_type_quant(g->pool, SN_QI32, 0.05f * 0.01f, 0);
    int8_t *w = sn_alloc(a, OC * C);
    int32_t *b = SN_NEW_N(a, int32_t, OC);
    SnPlaceholderAttr pa = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};
    SnSaveAttr sa = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    SnConv2DAttr ca = {{2, one}, {2, one}, {4, (int64_t[4]){0}},
                       {2, one}, 1,        sn_range_open()};

    for (int i = 0; i < OC * C; i++)
        w[i] = (int8_t)(i * 37 + seed * 11);
    for (int i = 0; i < OC; i++)
        b[i] = i * 91 - seed * 1000;
    SnRef x =
        SN_REF(sn_placeholder_new(
                   g, NULL, sn_shape(g->pool, 4, (int64_t[4]){1, 1, PX, C}),
                   NULL, &pa, t),
               0);
    SnRef wr = SN_REF(
        sn_constant_new(g, NULL,
                        sn_shape(g->pool, 4, (int64_t[4]){OC, 1, 1, C}), w, wt),
        0);
    SnRef br = SN_REF(
        sn_constant_new(g, NULL, sn_shape(g->pool, 1, (int64_t[1]){OC}), b, bt),
        0);
    SnRef y = SN_REF(sn_conv2d_new(g, NULL, x, wr, br, &ca, t), 0);
    sn_save_new(g, "y", y, &sa);
    assert_int_equal(sn_text_save(g, sn_path, d), SN_OK);
}

static SnTune *tune; /* picks to run with, or NULL */

/* Runs the model; with a cache *nready items of 2 came from it, panels and
 * biases. */
static SnStatus
run_model(bool cache, int8_t *y, uint32_t *nready)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnPack *p = cache ? sn_pack_open(a, pack_path, NULL) : NULL;
    const SnExec *x;
    SnGraph *g;
    uint32_t n;

    SN_TRY(cache ? sn_text_load_lazy(a, sn_path, d, &g)
                 : sn_text_load(a, sn_path, d, &g));
    SN_TRY(sn_exec_prepare_tune(a, g, cpu, p, tune, d, &x));
    assert_int_equal(x->nfallback, 0);
    SnRun *r = sn_run_new(a, x);
    int8_t *in = sn_run_input(r, 0);
    for (int i = 0; i < PX * C; i++)
        in[i] = (int8_t)(i * 29);
    SN_TRY(sn_run(r));
    memcpy(y, sn_run_output(r, 0), PX * OC);
    sn_run_free(r);
    if (!cache)
        return SN_OK;
    sn_pack_count(p, &n, nready);
    assert_int_equal(n, 2);
    return sn_pack_save(p, d, NULL);
}

static void
expect(int ready)
{
    static int8_t want[PX * OC], got[PX * OC];
    uint32_t nready;

    assert_int_equal(run_model(false, want, NULL), SN_OK);
    assert_int_equal(run_model(true, got, &nready), SN_OK);
    assert_int_equal(nready, ready);
    assert_memory_equal(want, got, sizeof want);
}

static void
models(void **state)
{
    static uint8_t file[8192];

    (void)state;
    save_model(1);
    expect(0);
    expect(2);
    save_model(2); /* other weights under the same names */
    expect(0);
    expect(2);
    save_model(1);
    expect(0);
    expect(2);
    size_t n = read_file(pack_path, file, sizeof file);
    assert_true(n > OC * C && n < sizeof file);
    for (size_t i = 128 + 2 * 64; i < n; i += 97) { /* a byte of an item */
        file[i] ^= 1;
        write_file(pack_path, file, n);
        file[i] ^= 1;
        expect(1);
    }
    expect(2);
}

/* Panels of other widths are other packed weights. */
static void
picks(void **state)
{
    (void)state;
    bool one = sn_gemm(sn_isa())->ntile == 1; /* nothing to choose among */

    save_model(1);
    expect(0);
    expect(2);
    tune = sn_tune_new(a, sn_isa(), 1);
    expect(2); /* those of the rules */
    assert_int_equal(tune->nlayer, 1);
    if (!one) {
        tune->layer[0].pick.npanel = 1;
        expect(0);
        expect(2);
    }
    tune = NULL;
    expect(one ? 2 : 0);
}

/* Weights that do not fit their hash are refused when they are read; when the
 * right ones are in the cache they are not. */
static void
other_weights(void **state)
{
    static uint8_t file[8192];
    static int8_t want[PX * OC], got[PX * OC];
    uint32_t nready;

    (void)state;
    save_model(1);
    assert_int_equal(run_model(true, want, &nready), SN_OK);
    const char *snw_path = side_of(a, "m");
    size_t n = read_file(snw_path, file, sizeof file);
    file[100] ^= 1;
    write_file(snw_path, file, n);
    assert_int_equal(run_model(false, got, NULL), SN_EINPUT);
    assert_int_equal(run_model(true, got, &nready), SN_OK);
    assert_int_equal(nready, 2);
    assert_memory_equal(want, got, sizeof want);
    unlink(pack_path);
    assert_int_equal(run_model(true, got, &nready), SN_EINPUT);
    assert_int_equal(access(pack_path, F_OK), -1);
}

/* One filter, three readers, two biases; $ # @ & stand for the filter's type,
 * the biases' type, what is read and the results' type. */
static const char pair[] =
    "sinter-graph 1\n"
    "graph \"g\" {\n"
    "  %x = Placeholder() : f32[1,4,4,3]\n"
    "  %v = Quantize(%x) : qi8<0.5, 3>[1,4,4,3]\n"
    "  %w = Constant() {data = [1,2,3,4,5,6,-7,-8,-9]} : $[3,1,1,3]\n"
    "  %b = Constant() {data = [10,20,30]} : #[3]\n"
    "  %c = Constant() {data = [-40,0,50]} : #[3]\n"
    "  %p = Conv2D(@, %w, %b) {kernel = [1,1]} : &[1,4,4,3]\n"
    "  %q = Conv2D(@, %w, %c) {kernel = [1,1]} : &[1,4,4,3]\n"
    "  %s = Conv2D(@, %w, %b) {kernel = [1,1]} : &[1,4,4,3]\n"
    "  Save(%p) {name = \"p\"}\n"
    "  Save(%q) {name = \"q\"}\n"
    "  Save(%s) {name = \"s\"}\n"
    "}\n";
static const char *const pair_words[2][4] = {
    {"f32", "f32", "%x", "f32"},
    {"qi8<0.25, 0>", "qi32<0.125, 0>", "%v", "qi8<2, -1>"},
};

/* A text with words for its marks. */
static SnGraph *
filled(const char *text, const char *const word[4])
{
    SnGraph *g;
    SnBuf b;

    sn_buf_init(&b, a);
    for (const char *c = text; *c; c++) {
        const char *at = strchr("$#@&", *c);
        if (at)
            sn_puts(&b, word[at - "$#@&"]);
        else
            sn_putc(&b, *c);
    }
    SnSrc src = {"text", b.s, b.n, 0};
    assert_int_equal(sn_parse(a, &src, NULL, d, &g), SN_OK);
    return g;
}

static SnRun *
run_graph(const SnGraph *g, const SnBackendDesc *backend, SnPack *p)
{
    const SnExec *x;

    assert_int_equal(sn_exec_prepare_packed(a, g, backend, p, d, &x), SN_OK);
    SnRun *r = sn_run_new(a, x);
    float *in = sn_run_input(r, 0);
    for (int i = 0; i < 48; i++) /* elements of both graphs' x */
        in[i] = (float)(i % 11) - 3.5f;
    assert_int_equal(sn_run(r), SN_OK);
    return r;
}

/* Panels once; biases, which of codes are packed too, once for each content. */
static void
nodes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const SnGraph *g = filled(pair, pair_words[k]);
        SnPack *p = sn_pack_new(a);
        SnRun *want = run_graph(g, NULL, NULL);
        SnRun *got = run_graph(g, sn_backend_named("CPU"), p);
        uint32_t nitem, nready;
        sn_pack_count(p, &nitem, &nready);
        assert_int_equal(nitem, k ? 3 : 1);
        for (uint32_t i = 0; i < 3; i++)
            assert_memory_equal(sn_run_output(got, i), sn_run_output(want, i),
                                48 * (k ? 1 : sizeof(float)));
        assert_memory_equal(sn_run_output(got, 0), sn_run_output(got, 2), 48);
        assert_memory_not_equal(sn_run_output(got, 0), sn_run_output(got, 1),
                                48);
        sn_run_free(want);
        sn_run_free(got);
    }
}

static const char product[] = "sinter-graph 1\n"
                              "graph \"g\" {\n"
                              "  %x = Placeholder() : f32[4,12]\n"
                              "  %v = Quantize(%x) : qi8<0.5, 3>[4,12]\n"
                              "  %w = Constant() {splat = 3} : $[12,#]\n"
                              "  %y = MatMul(@, %w) : &[4,#]\n"
                              "  Save(%y) {name = \"y\"}\n"
                              "}\n";

/* Where everything is ready, weights are not looked at: there may be none, not
 * even codes [in, out], which are turned round to be packed. */
static void
unread(void **state)
{
    static const char *const text[2][4] = {
        {"f32", "20", "%x", "f32"},
        {"qi8<0.25, 0>", "20", "%v", "qi8<2, -1>"},
    };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *none =
        mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(none != MAP_FAILED);
    for (int k = 0; k < 2; k++) {
        SnGraph *g = filled(product, text[k]);
        SnRun *want = run_graph(g, NULL, NULL);
        for (SnId i = 1; i < g->nnode; i++)
            if (sn_node(g, i)->data)
                sn_node(g, i)->hash = 77;
        for (uint32_t ready = 0; ready < 2; ready++) {
            SnPack *p = sn_pack_open(a, pack_path, NULL);
            uint32_t nitem, nready;
            for (SnId i = 1; i < g->nnode && ready; i++)
                if (sn_node(g, i)->data)
                    sn_node(g, i)->data = none;
            SnRun *got = run_graph(g, sn_backend_named("CPU"), p);
            sn_pack_count(p, &nitem, &nready);
            assert_int_equal(nitem, k ? 2 : 1);
            assert_int_equal(nready, ready ? nitem : 0);
            assert_memory_equal(sn_run_output(got, 0), sn_run_output(want, 0),
                                80 * (k ? 1 : sizeof(float)));
            assert_int_equal(sn_pack_save(p, d, NULL), SN_OK);
            sn_run_free(got);
        }
        sn_run_free(want);
    }
    munmap(none, page);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(store, fresh, clean),
        cmocka_unit_test_setup_teardown(other_sizes, fresh, clean),
        cmocka_unit_test_setup_teardown(before, fresh, clean),
        cmocka_unit_test_setup_teardown(again, fresh, clean),
        cmocka_unit_test_setup_teardown(damage, fresh, clean),
        cmocka_unit_test_setup_teardown(models, fresh, clean),
        cmocka_unit_test_setup_teardown(picks, fresh, clean),
        cmocka_unit_test_setup_teardown(other_weights, fresh, clean),
        cmocka_unit_test_setup_teardown(nodes, fresh, clean),
        cmocka_unit_test_setup_teardown(unread, fresh, clean),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
