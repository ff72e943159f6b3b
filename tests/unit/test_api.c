// SPDX-License-Identifier: Apache-2.0
/* The interface for programs, include/sinter.h: values, errors, memory. */
#include "sinter.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "unit/api_parse.h"

/* y = relu(x + k) on codes of scale 0.5. */
static const char codes[] = "sinter-graph 1\n"
                            "graph \"m\" {\n"
                            "  %x = Placeholder() : f32[1,4]\n"
                            "  %k = Constant() {data = [1, 2, 3, 4]} : "
                            "f32[1,4]\n"
                            "  %s = Add(%x, %k) : f32[1,4]\n"
                            "  %q = Quantize(%s) : qi8<0.5, 0>[1,4]\n"
                            "  %r = Relu(%q) : qi8<0.5, 0>[1,4]\n"
                            "  %y = Dequantize(%r) : f32[1,4]\n"
                            "  Save(%y) {name = \"out\"}\n"
                            "}\n";
/* A float product with weights, and a second output. */
static const char product[] =
    "sinter-graph 1\n"
    "graph \"p\" {\n"
    "  %x = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : "
    "f32[3,4]\n"
    "  %f = FullyConnected(%x, %w) : f32[1,3]\n"
    "  %y = Relu(%f) : f32[1,3]\n"
    "  Save(%y) {name = \"out\"}\n"
    "  Save(%f) {name = \"raw\"}\n"
    "}\n";

static SinterSession *
open_session(SinterModel *m, uint32_t threads)
{
    SinterSessionConfig c = {.size = sizeof c, .threads = threads};
    SinterSession *s;

    assert_int_equal(sinter_session_new(m, &c, &s, NULL), SINTER_OK);
    return s;
}

static const float ramp[4] = {0, 1, -6, 3.25f};
static const float ramp_out[4] = {1, 3, 0, 7};

static void
run_ramp(SinterSession *s)
{
    const void *in[] = {ramp};
    float y[4] = {9, 9, 9, 9};
    void *out[] = {y};

    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    assert_memory_equal(y, ramp_out, sizeof y);
}

static void
test_run(void **state)
{
    SinterModel *m = parse(NULL, codes);

    (void)state;
    assert_string_equal(sinter_version(), SINTER_VERSION);
    assert_int_equal(sinter_model_ninput(m), 1);
    assert_int_equal(sinter_model_noutput(m), 1);
    const SinterPort *p = sinter_model_input(m, 0);
    assert_string_equal(p->name, "x");
    assert_int_equal(p->elem, SINTER_FLOAT32);
    assert_int_equal(p->rank, 2);
    assert_int_equal(p->dim[1], 4);
    assert_int_equal(p->nbyte, 16);
    assert_int_equal(p->nscale, 0);
    assert_string_equal(sinter_model_output(m, 0)->name, "out");
    assert_null(sinter_model_output(m, 1));
    SinterSession *one = open_session(m, 1), *two = open_session(m, 2);
    sinter_model_free(m);
    for (int i = 0; i < 3; i++) {
        run_ramp(one);
        run_ramp(two);
    }
    assert_string_equal(sinter_session_output(one, 0)->name, "out");
    assert_int_equal(sinter_session_ninput(two), 1);
    sinter_session_free(one);
    sinter_session_free(two);
}

/* The usual passes merge two Rescales, which drops the rounding between them;
 * the exact ones keep it. */
static void
test_exact(void **state)
{
    static const char twice[] = "sinter-graph 1\n"
                                "graph \"m\" {\n"
                                "  %x = Placeholder() : f32[1,4]\n"
                                "  %q = Quantize(%x) : qi8<0.5, 0>[1,4]\n"
                                "  %r = Rescale(%q) : qi8<3, 0>[1,4]\n"
                                "  %s = Rescale(%r) : qi8<0.5, 0>[1,4]\n"
                                "  %y = Dequantize(%s) : f32[1,4]\n"
                                "  Save(%y) {name = \"out\"}\n"
                                "}\n";
    static const float want[2][4] = {{0, 0, -6, 3}, {0, 1, -6, 3}};
    const void *in[] = {ramp};
    float y[4];
    void *out[] = {y};

    (void)state;
    for (int i = 0; i < 2; i++) {
        SinterModel *m = parse(NULL, twice);
        assert_int_equal(i ? sinter_model_optimize(m, NULL, NULL)
                           : sinter_model_optimize_exact(m, NULL),
                         SINTER_OK);
        SinterSession *s = open_session(m, 1);
        assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
        for (int k = 0; k < 4; k++)
            assert_true(y[k] == want[i][k]);
        sinter_session_free(s);
        sinter_model_free(m);
    }
}

/* Outputs that are not wanted are NULL; a batch gives what its samples give. */
static void
test_batch(void **state)
{
    enum { N = 37 };
    SinterModel *m = parse(NULL, product);
    SinterSession *s = open_session(m, 1);
    float x[N][4], one[N][3], all[N][3];
    const void *in[] = {x};
    void *out[] = {all, NULL};

    (void)state;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++)
            x[i][k] = (float)(i * (k - 2)) / 8;
    for (int i = 0; i < N; i++) {
        const void *xi[] = {x[i]};
        void *yi[] = {one[i], NULL};
        assert_int_equal(sinter_session_run(s, xi, yi, NULL), SINTER_OK);
        assert_true(one[i][0] == fmaxf(x[i][0], 0));
    }
    assert_int_equal(sinter_session_run_batch(s, N, 3, in, out, NULL),
                     SINTER_OK);
    assert_memory_equal(one, all, sizeof all);
    assert_int_equal(sinter_session_run_batch(s, -1, 3, in, out, NULL),
                     SINTER_EUSAGE);
    sinter_session_free(s);
    sinter_model_free(m);
}

/* ---- codes ---- */

static void
test_codes(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"c\" {\n"
                               "  %x = Placeholder() : qi8<0.5, -3>[2]\n"
                               "  %r = Relu(%x) : qi8<0.5, -3>[2]\n"
                               "  Save(%r) {name = \"y\"}\n"
                               "}\n";
    SinterModel *m = parse(NULL, text);
    const SinterPort *p = sinter_model_input(m, 0);
    SinterSession *s = open_session(m, 1);
    const int8_t x[] = {-100, 5}, want[] = {-3, 5};
    int8_t y[2];
    const void *in[] = {x};
    void *out[] = {y};

    (void)state;
    assert_int_equal(p->elem, SINTER_INT8);
    assert_int_equal(p->nscale, 1);
    assert_true(p->scale[0] == 0.5f);
    assert_int_equal(p->zero[0], -3);
    assert_int_equal(p->axis, -1);
    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    assert_memory_equal(y, want, sizeof y);
    sinter_session_free(s);
    sinter_model_free(m);
}

/* Codes that are uint8 in the model that they are from are so for callers. */
static void
test_uint8(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"c\" {\n"
        "  %x = Placeholder() {boundary = u8} : qi8<0.5, -3>[2]\n"
        "  %r = Relu(%x) : qi8<0.5, -3>[2]\n"
        "  Save(%r) {name = \"y\", boundary = u8}\n"
        "}\n";
    SinterModel *m = parse(NULL, text);
    const SinterPort *p = sinter_model_input(m, 0);
    SinterSession *s = open_session(m, 1);
    const uint8_t x[] = {28, 133}, want[] = {125, 133};
    uint8_t y[2];
    const void *in[] = {x};
    void *out[] = {y};

    (void)state;
    assert_int_equal(p->elem, SINTER_UINT8);
    assert_int_equal(p->zero[0], 125);
    assert_int_equal(sinter_model_output(m, 0)->elem, SINTER_UINT8);
    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    assert_memory_equal(y, want, sizeof y);
    sinter_session_free(s);
    sinter_model_free(m);
}

/* ---- quantizing ---- */

static int
fill(void *ctx, int64_t sample, void *const *input)
{
    const int64_t *n = ctx;
    float *x = input[0];

    if (sample >= *n)
        return *n < 0 ? 7 : 1;
    for (int k = 0; k < 4; k++)
        x[k] = (float)((sample * 7 + k * 5) % 64) / 32 - 1;
    return 0;
}

static void
test_quantize(void **state)
{
    static const char *const keep[] = {"f", NULL};
    int64_t n = 50;
    SinterQuantize q = {.size = sizeof q, .fill = fill, .fill_ctx = &n};
    SinterModel *m = parse(NULL, product), *z, *again;
    SinterError e;
    float x[4], y[3], raw[3], want[3];
    void *const input[] = {x};
    const void *in[] = {x};
    void *out[] = {y, raw}, *ref[] = {want, NULL};

    (void)state;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_OK);
    assert_string_equal(sinter_model_report(m), "");
    assert_non_null(strstr(sinter_model_report(z), "\"samples\": 50"));
    assert_non_null(strstr(sinter_model_report(z), "\"float_nodes\": []"));
    SinterSession *f = open_session(m, 1), *s = open_session(z, 1);
    for (int64_t i = 0; i < 20; i++) {
        assert_int_equal(fill(&n, i, input), 0);
        assert_int_equal(sinter_session_run(f, in, ref, NULL), SINTER_OK);
        assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
        for (int k = 0; k < 3; k++)
            assert_true(fabsf(y[k] - want[k]) < 0.05f);
    }
    sinter_session_free(f);
    sinter_session_free(s);
    /* An int8 model is refused, and so is data that is none. */
    assert_int_equal(sinter_model_quantize(z, &q, &again, &e), SINTER_EINPUT);
    assert_string_equal(e.message,
                        "is quantized already: expected a float model");
    sinter_model_free(z);
    q.keep_float = keep;
    q.require_int8 = 1;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_ECHECK);
    assert_null(z);
    assert_non_null(strstr(e.message, "stays float"));
    q.keep_float = NULL;
    n = 0;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_EINPUT);
    assert_string_equal(e.message, "gave no sample");
    n = -1;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_EINPUT);
    assert_string_equal(e.message, "failed at sample 0 with 7");
    n = 50;
    q.nsample = 9;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_OK);
    assert_non_null(strstr(sinter_model_report(z), "\"samples\": 9"));
    sinter_model_free(z);
    sinter_model_free(m);
}

static void
test_settings(void **state)
{
    static const char *const wrong[] = {"mimmax", NULL};
    static const char *const glob[] = {"ff", NULL};
    static const char *const moving[] = {"moving-average", NULL};
    int64_t n = 5;
    SinterQuantize q = {.size = sizeof q, .fill = fill, .fill_ctx = &n};
    SinterModel *m = parse(NULL, product), *z;
    SinterError e;

    (void)state;
    q.range = wrong;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "range");
    q.range = NULL;
    q.keep_float = glob;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "keep_float");
    assert_non_null(strstr(e.message, "'f'"));
    q.keep_float = NULL;
    q.range = moving;
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_OK);
    assert_non_null(
        strstr(sinter_model_report(z), "\"range\": \"moving-average\""));
    sinter_model_free(z);
    sinter_model_free(m);
}

/* ---- writing ---- */

static void
test_pack(void **state)
{
    SinterModel *m = parse(NULL, codes), *again;
    SinterExport x = {.size = sizeof x, .form = SINTER_QOPERATOR};
    SinterError e;
    char *text;
    void *p;
    size_t n;

    (void)state;
    assert_int_equal(
        sinter_model_pack(m, SINTER_FORMAT_SN, NULL, (void **)&text, &n, &e),
        SINTER_OK);
    assert_int_equal(strlen(text), n);
    again = parse(NULL, text);
    sinter_free(text);
    SinterSession *s = open_session(again, 1);
    run_ramp(s);
    sinter_session_free(s);
    sinter_model_free(again);
    assert_int_equal(sinter_model_pack(m, SINTER_FORMAT_SN, &x, &p, &n, &e),
                     SINTER_EUSAGE);
    for (int form = SINTER_QDQ; form <= SINTER_QOPERATOR; form++) {
        x.form = (SinterForm)form;
        assert_int_equal(
            sinter_model_pack(m, SINTER_FORMAT_ONNX, &x, &p, &n, &e),
            SINTER_OK);
        assert_int_equal(sinter_model_parse(NULL, SINTER_FORMAT_ONNX, p, n,
                                            NULL, NULL, NULL, &again, &e),
                         SINTER_OK);
        sinter_free(p);
        assert_int_equal(sinter_model_optimize(again, NULL, &e), SINTER_OK);
        assert_int_equal(sinter_model_verify(again, &e), SINTER_OK);
        s = open_session(again, 1);
        run_ramp(s);
        sinter_session_free(s);
        sinter_model_free(again);
    }
    x.opset = 12;
    assert_int_equal(sinter_model_pack(m, SINTER_FORMAT_ONNX, &x, &p, &n, &e),
                     SINTER_EUSAGE);
    sinter_model_free(m);
}

static void
test_save(void **state)
{
    SinterModel *m = parse(NULL, codes), *again;
    SinterError e;
    SnArena *a = sn_arena_new();
    const char *path = sn_format(a, "%s/m.sn", dir);

    (void)state;
    assert_int_equal(sinter_model_save(m, path, NULL, &e), SINTER_OK);
    assert_int_equal(sinter_model_load(NULL, path, NULL, &again, &e),
                     SINTER_OK);
    SinterSession *s = open_session(again, 1);
    run_ramp(s);
    sinter_session_free(s);
    sinter_model_free(again);
    unlink(path);
    path = sn_format(a, "%s/no/m.onnx", dir);
    assert_int_equal(sinter_model_save(m, path, NULL, &e), SINTER_EOUTPUT);
    assert_string_equal(e.where, path);
    sinter_model_free(m);
    sn_arena_free(a);
}

/* ---- errors ---- */

typedef struct Log {
    int n[3];
    char where[64], text[256];
} Log;

static void
note(void *ctx, SinterSeverity s, const char *where, const char *text)
{
    Log *l = ctx;

    l->n[s]++;
    snprintf(l->where, sizeof l->where, "%s", where);
    snprintf(l->text, sizeof l->text, "%s", text);
}

static void
test_errors(void **state)
{
    static const char bad[] = "sinter-graph 1\n"
                              "graph \"m\" {\n"
                              "  %x = Placeholder() : f32[1,4]\n"
                              "  %y = Rellu(%x) : f32[1,4]\n"
                              "}\n";
    Log l = {{0}, "", ""};
    SinterConfig c = {.size = sizeof c, .log = note, .log_ctx = &l};
    SinterImport io = {.size = sizeof io, .batch = 2};
    SinterModel *m;
    SinterError e;

    (void)state;
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, bad, strlen(bad),
                                        "bad.sn", NULL, NULL, &m, &e),
                     SINTER_EINPUT);
    assert_null(m);
    assert_int_equal(e.status, SINTER_EINPUT);
    assert_string_equal(e.where, "bad.sn");
    assert_int_equal(e.line, 4);
    assert_int_equal(e.column, 8);
    assert_non_null(strstr(e.message, "Rellu"));
    assert_int_equal(l.n[SINTER_LOG_ERROR], 1);
    assert_string_equal(l.where, "bad.sn");
    assert_string_equal(l.text, e.message);
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, codes, 30, NULL,
                                        NULL, &io, &m, &e),
                     SINTER_EUSAGE);
    assert_int_equal(sinter_model_load(NULL, "/no/such.onnx", NULL, &m, &e),
                     SINTER_EINPUT);
    assert_string_equal(e.where, "/no/such.onnx");
    assert_int_equal(sinter_model_load(NULL, "-", NULL, &m, NULL),
                     SINTER_EUSAGE);
    m = parse(NULL, codes);
    assert_int_equal(sinter_model_optimize(m, "optimise", &e), SINTER_EUSAGE);
    assert_non_null(strstr(e.message, "optimize"));
    assert_int_equal(sinter_model_verify(m, &e), SINTER_EUSAGE);
    sinter_model_free(m);
    c.size = 0;
    assert_int_equal(sinter_model_load(&c, "m.sn", NULL, &m, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.where, "SinterConfig");
}

/* Arguments that are not there, by name; nothing is read or written. */
static void
test_arguments(void **state)
{
    SinterModel *m = parse(NULL, product), *none = m;
    SinterSession *s = open_session(m, 1);
    SinterQuantize q = {.size = sizeof q};
    const void *in[] = {NULL};
    float y[3] = {9, 9, 9};
    void *out[] = {y, NULL}, *p = y;
    SinterError e;
    size_t n;

    (void)state;
    assert_int_equal(sinter_model_load(NULL, NULL, NULL, &none, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.where, "path");
    assert_null(none);
    assert_int_equal(sinter_model_parse(NULL, SINTER_FORMAT_SN, NULL, 3, NULL,
                                        NULL, NULL, &none, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.where, "p");
    assert_int_equal(sinter_model_parse(NULL, (SinterFormat)2, product, 9, NULL,
                                        NULL, NULL, &none, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.where, "f");
    assert_int_equal(sinter_model_pack(m, (SinterFormat)2, NULL, &p, &n, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.where, "f");
    assert_null(p);
    assert_int_equal(sinter_model_save(m, NULL, NULL, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "path");
    assert_int_equal(sinter_model_quantize(m, NULL, &none, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "SinterQuantize");
    assert_int_equal(sinter_model_quantize(m, &q, &none, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "fill is NULL");
    q.profile = "/none";
    assert_int_equal(sinter_model_quantize(m, &q, &none, &e), SINTER_EINPUT);
    assert_string_equal(e.where, "/none");
    q.fill = fill;
    assert_int_equal(sinter_model_quantize(m, &q, &none, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "has both fill and profile");
    q.profile = NULL;
    q.fill = NULL;
    assert_int_equal(sinter_session_run(s, in, out, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "x");
    assert_string_equal(e.message, "is NULL: expected 16 bytes");
    assert_int_equal(sinter_session_run_batch(s, 2, 1, in, out, &e),
                     SINTER_EUSAGE);
    assert_string_equal(e.message, "is NULL: expected 32 bytes");
    assert_int_equal(sinter_session_run_batch(s, 0, 1, in, out, &e), SINTER_OK);
    assert_true(y[0] == 9);
    sinter_session_free(s);
    sinter_model_free(m);
}

/* A run that fails is told to the log too. */
static void
test_run_log(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"g\" {\n"
                               "  %x = Placeholder() : i64[1]\n"
                               "  %d = Constant() {data = [1, 2]} : f32[2]\n"
                               "  %y = Gather(%d, %x) {axis = 0} : f32[1]\n"
                               "  Save(%y) {name = \"y\"}\n"
                               "}\n";
    Log l = {{0}, "", ""};
    SinterConfig c = {.size = sizeof c, .log = note, .log_ctx = &l};
    SinterModel *m = parse(&c, text);
    SinterSession *s = open_session(m, 1);
    const int64_t good = -1, bad = 2;
    const void *in[] = {&bad};
    float y;
    void *out[] = {&y};
    SinterError e;

    (void)state;
    assert_int_equal(sinter_session_run(s, in, out, &e), SINTER_EINPUT);
    assert_int_equal(l.n[SINTER_LOG_ERROR], 1);
    assert_string_equal(l.text, e.message);
    assert_string_equal(l.where, e.where);
    assert_non_null(strstr(e.message, "index 2 is outside"));
    assert_int_equal(sinter_session_run_batch(s, 1, 1, in, out, &e),
                     SINTER_EINPUT);
    assert_int_equal(l.n[SINTER_LOG_ERROR], 2);
    in[0] = &good;
    assert_int_equal(sinter_session_run(s, in, out, &e), SINTER_OK);
    assert_true(y == 2);
    assert_int_equal(l.n[SINTER_LOG_ERROR], 2);
    sinter_session_free(s);
    sinter_model_free(m);
}

static void
test_limits(void **state)
{
    Log l = {{0}, "", ""};
    SinterConfig c = {
        .size = sizeof c, .max_memory = 3000, .log = note, .log_ctx = &l};
    SinterModel *m;
    SinterError e;

    (void)state;
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, codes,
                                        strlen(codes), NULL, NULL, NULL, &m,
                                        &e),
                     SINTER_ENOMEM);
    assert_null(m);
    assert_non_null(strstr(e.message, "the limit is 3 kB"));
    assert_int_equal(l.n[SINTER_LOG_ERROR], 1);
    c.max_memory = 0;
    c.max_nodes = 3;
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, codes,
                                        strlen(codes), NULL, NULL, NULL, &m,
                                        &e),
                     SINTER_ENOMEM);
    assert_non_null(strstr(e.message, "nodes; the limit is 3"));
}

/* ---- memory ---- */

typedef struct Heap {
    atomic_size_t held, most;
    atomic_long fails_at; /* the request from now that fails; 0: none */
} Heap;

static void *
get(void *ctx, size_t n)
{
    Heap *h = ctx;

    if (atomic_load(&h->fails_at) && atomic_fetch_sub(&h->fails_at, 1) == 1)
        return NULL;
    size_t held = atomic_fetch_add(&h->held, n) + n;
    if (held > atomic_load(&h->most))
        atomic_store(&h->most, held);
    void *p = malloc(n);
    if (p)
        memset(p, 0xa5, n);
    return p;
}

static void
release(void *ctx, void *p, size_t n)
{
    Heap *h = ctx;

    atomic_fetch_sub(&h->held, n);
    free(p);
}

/* Everything the interface does, ending at the first error. */
static SinterStatus
use_all(const SinterConfig *c, SinterError *e)
{
    int64_t n = 4;
    SinterQuantize q = {.size = sizeof q, .fill = fill, .fill_ctx = &n};
    SinterModel *m = NULL, *z = NULL;
    SinterSession *s = NULL;
    const void *in[] = {ramp};
    float y[3], raw[3];
    void *out[] = {y, raw}, *p = NULL;
    size_t np;

    SinterStatus st = sinter_model_parse(
        c, SINTER_FORMAT_SN, product, strlen(product), NULL, NULL, NULL, &m, e);
    if (st == SINTER_OK)
        st = sinter_model_quantize(m, &q, &z, e);
    if (st == SINTER_OK)
        st = sinter_model_optimize(z, NULL, e);
    if (st == SINTER_OK)
        st = sinter_model_pack(z, SINTER_FORMAT_ONNX, NULL, &p, &np, e);
    if (st == SINTER_OK)
        st = sinter_session_new(z, NULL, &s, e);
    for (int i = 0; i < 2 && st == SINTER_OK; i++)
        st = sinter_session_run(s, in, out, e);
    if (st == SINTER_OK)
        st = sinter_session_run_batch(s, 1, 1, in, out, e);
    sinter_session_free(s);
    sinter_free(p);
    sinter_model_free(z);
    sinter_model_free(m);
    return st;
}

static void
test_memory(void **state)
{
    Heap h = {0};
    SinterConfig c = {
        .size = sizeof c, .alloc = get, .release = release, .alloc_ctx = &h};
    SinterError e;
    long n = 0;

    (void)state;
    assert_int_equal(use_all(&c, &e), SINTER_OK);
    assert_true(atomic_load(&h.most) > 10000);
    assert_int_equal(atomic_load(&h.held), 0);
    SinterStatus st = SINTER_ENOMEM;
    while (st == SINTER_ENOMEM) {
        memset(&e, 0, sizeof e);
        atomic_store(&h.fails_at, ++n);
        st = use_all(&c, &e);
        assert_int_equal(e.status, st);
        assert_int_equal(atomic_load(&h.held), 0);
        if (st == SINTER_ENOMEM)
            assert_string_equal(e.message, "out of memory");
    }
    assert_int_equal(st, SINTER_OK);
    assert_true(n > 100);
    c.release = NULL;
    assert_int_equal(use_all(&c, &e), SINTER_EUSAGE);
}

/* Where memory runs out in a save, the next one succeeds. */
static void
test_memory_save(void **state)
{
    Heap h = {0};
    SinterConfig c = {
        .size = sizeof c, .alloc = get, .release = release, .alloc_ctx = &h};
    SnArena *a = sn_arena_new();
    const char *path = sn_format(a, "%s/f.sn", dir);
    SinterModel *m = parse(&c, codes);
    SinterStatus st = SINTER_ENOMEM;
    long n = 0;

    (void)state;
    while (st == SINTER_ENOMEM) {
        atomic_store(&h.fails_at, ++n);
        st = sinter_model_save(m, path, NULL, NULL);
        atomic_store(&h.fails_at, 0);
        assert_int_equal(sinter_model_save(m, path, NULL, NULL), SINTER_OK);
    }
    assert_int_equal(st, SINTER_OK);
    assert_true(n > 2);
    unlink(path);
    sinter_model_free(m);
    sn_arena_free(a);
}

/* A lane that memory ran out in is no lane any more; others are. */
static void
test_run_again(void **state)
{
    Heap h = {0};
    SinterConfig c = {
        .size = sizeof c, .alloc = get, .release = release, .alloc_ctx = &h};
    SinterModel *m = parse(&c, codes);
    SinterSession *s = open_session(m, 2);
    const void *in[] = {ramp};
    float y[4];
    void *out[] = {y};
    SinterError e;

    (void)state;
    atomic_store(&h.fails_at, 2);
    assert_int_equal(sinter_session_run(s, in, out, &e), SINTER_ENOMEM);
    run_ramp(s);
    atomic_store(&h.fails_at, 1);
    SinterStatus st = sinter_session_run(s, in, out, &e);
    assert_true(st == SINTER_OK || st == SINTER_ENOMEM);
    atomic_store(&h.fails_at, 0);
    run_ramp(s);
    sinter_session_free(s);
    sinter_model_free(m);
    assert_int_equal(atomic_load(&h.held), 0);
}

/* ---- threads ---- */

static void *
run_often(void *ctx)
{
    SinterSession *const *s = ctx;
    const void *in[] = {ramp};
    float y[4];
    void *out[] = {y};
    SinterError e;

    for (int i = 0; i < 200; i++)
        if (sinter_session_run(s[i % 2], in, out, &e) != SINTER_OK ||
            memcmp(y, ramp_out, sizeof y) != 0)
            return ctx;
    return NULL;
}

static void
test_threads(void **state)
{
    enum { N = 8 };
    SinterModel *m = parse(NULL, codes);
    SinterSession *s[] = {open_session(m, 1), open_session(m, 2)};
    pthread_t t[N];

    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&t[i], NULL, run_often, s), 0);
    for (int i = 0; i < N; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    sinter_session_free(s[0]);
    sinter_session_free(s[1]);
    sinter_model_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),         cmocka_unit_test(test_exact),
        cmocka_unit_test(test_batch),       cmocka_unit_test(test_codes),
        cmocka_unit_test(test_uint8),       cmocka_unit_test(test_quantize),
        cmocka_unit_test(test_settings),    cmocka_unit_test(test_pack),
        cmocka_unit_test(test_save),        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_run_log),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_save), cmocka_unit_test(test_run_again),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
