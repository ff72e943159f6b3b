// SPDX-License-Identifier: Apache-2.0
/* What sinter.h says of structures and settings that are wrong, or of another
 * version of sinter: the status, the place and the message, with no model. */
#include "sinter.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/file/file.h"
#include "quant/profile/profile.h"
#include "unit/api_parse.h"

static const char product[] =
    "sinter-graph 1\n"
    "graph \"p\" {\n"
    "  %x = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : "
    "f32[3,4]\n"
    "  %f = FullyConnected(%x, %w) : f32[1,3]\n"
    "  %y = Relu(%f) : f32[1,3]\n"
    "  Save(%y) {name = \"out\"}\n"
    "}\n";
/* The same with other names of values, and longer. */
static const char renamed[] =
    "sinter-graph 1\n"
    "graph \"other\" {\n"
    "  %a = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : "
    "f32[3,4]\n"
    "  %b = FullyConnected(%a, %w) : f32[1,3]\n"
    "  %c = Relu(%b) : f32[1,3]\n"
    "  %d = Tanh(%c) : f32[1,3]\n"
    "  %e = Sigmoid(%d) : f32[1,3]\n"
    "  Save(%e) {name = \"out\"}\n"
    "}\n";
static const char later[] =
    "its size is not set, or is that of a later version of sinter";

/* ---- versions ---- */

/* A call with options v, whose first member is their size. */
typedef SinterStatus Call(SinterModel *m, const void *v, SinterError *e);

static SinterStatus
with_config(SinterModel *m, const void *v, SinterError *e)
{
    SinterModel *n;
    SinterStatus st = sinter_model_parse(
        v, SINTER_FORMAT_SN, product, strlen(product), NULL, NULL, NULL, &n, e);

    (void)m;
    if (st == SINTER_OK)
        sinter_model_free(n);
    return st;
}

static SinterStatus
with_import(SinterModel *m, const void *v, SinterError *e)
{
    SinterModel *n = NULL;
    SinterStatus st = sinter_model_parse(NULL, SINTER_FORMAT_ONNX, product, 0,
                                         NULL, NULL, v, &n, e);

    (void)m;
    assert_null(n);
    /* Accepted options: the model itself is empty. */
    return st == SINTER_EINPUT ? SINTER_OK : st;
}

static SinterStatus
with_export(SinterModel *m, const void *v, SinterError *e)
{
    void *p = NULL;
    size_t n;
    SinterStatus st = sinter_model_pack(m, SINTER_FORMAT_ONNX, v, &p, &n, e);

    sinter_free(p);
    return st;
}

static SinterStatus
with_session(SinterModel *m, const void *v, SinterError *e)
{
    SinterSession *s;
    SinterStatus st = sinter_session_new(m, v, &s, e);

    if (st == SINTER_OK)
        sinter_session_free(s);
    else
        assert_null(s);
    return st;
}

static void
test_versions(void **state)
{
    static const struct {
        Call *call;
        size_t size;
        const char *name;
    } v[] = {
        {with_config, sizeof(SinterConfig), "SinterConfig"},
        {with_import, sizeof(SinterImport), "SinterImport"},
        {with_export, sizeof(SinterExport), "SinterExport"},
        {with_session, sizeof(SinterSessionConfig), "SinterSessionConfig"},
    };
    SinterModel *m = parse(NULL, product);
    SinterError e;

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        union {
            size_t size;
            char bytes[512];
        } u = {0};
        assert_int_equal(v[i].call(m, &u, &e), SINTER_EUSAGE);
        assert_string_equal(e.where, v[i].name);
        assert_string_equal(e.message, later);
        /* An earlier version knew the size alone; a later one has more, none
         * of it in use. */
        u.size = sizeof u.size;
        assert_int_equal(v[i].call(m, &u, &e), SINTER_OK);
        u.size = v[i].size;
        assert_int_equal(v[i].call(m, &u, &e), SINTER_OK);
        u.size = v[i].size + 16;
        assert_int_equal(v[i].call(m, &u, &e), SINTER_OK);
        u.bytes[v[i].size + 15] = 1;
        assert_int_equal(v[i].call(m, &u, NULL), SINTER_EUSAGE);
    }
    sinter_model_free(m);
}

/* ---- values ---- */

static void *
take(void *ctx, size_t n)
{
    (void)ctx;
    return malloc(n);
}

static void
test_values(void **state)
{
    SinterModel *m = parse(NULL, product);
    SinterConfig c = {.size = sizeof c, .alloc = take};
    SinterImport io = {.size = sizeof io, .batch = -1};
    SinterExport x = {.size = sizeof x, .form = (SinterForm)7};
    SinterSessionConfig s = {.size = sizeof s, .threads = 65};
    SinterError e;

    (void)state;
    assert_int_equal(with_config(m, &c, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "alloc and release must be given together");
    c = (SinterConfig){.size = sizeof c, .max_seconds = -1};
    assert_int_equal(with_config(m, &c, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "max_seconds is not 0 or more");
    c.max_seconds = (double)NAN;
    assert_int_equal(with_config(m, &c, &e), SINTER_EUSAGE);
    assert_int_equal(with_import(m, &io, &e), SINTER_EUSAGE);
    assert_string_equal(e.where, "SinterImport");
    assert_int_equal(with_export(m, &x, &e), SINTER_EUSAGE);
    assert_string_equal(e.message,
                        "form is neither SINTER_QDQ nor SINTER_QOPERATOR");
    x = (SinterExport){.size = sizeof x, .opset = 26};
    assert_int_equal(with_export(m, &x, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "opset is not from 13 to 25");
    x.opset = -1;
    assert_int_equal(with_export(m, &x, &e), SINTER_EUSAGE);
    x.opset = 25;
    assert_int_equal(with_export(m, &x, &e), SINTER_OK);
    assert_int_equal(with_session(m, &s, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "threads is more than 64");
    s = (SinterSessionConfig){.size = sizeof s, .pack_save = 1};
    assert_int_equal(with_session(m, &s, &e), SINTER_EUSAGE);
    assert_string_equal(e.message, "pack_save is set without pack");
    assert_null(sinter_model_input(m, 1));
    assert_null(sinter_model_output(m, 1));
    sinter_model_free(m);
}

/* ---- quantizing ---- */

typedef struct Data {
    int64_t n;
    float add; /* to each element */
} Data;

static int
fill(void *ctx, int64_t sample, void *const *input)
{
    const Data *t = ctx;
    float *x = input[0];

    for (int k = 0; k < 4; k++)
        x[k] = (float)((sample * 7 + k * 5) % 64) / 32 - 1 + t->add;
    return sample >= t->n;
}

typedef struct Log {
    char text[1024];
} Log;

static void
note(void *ctx, SinterSeverity s, const char *where, const char *text)
{
    Log *l = ctx;

    (void)s;
    (void)where;
    snprintf(l->text, sizeof l->text, "%s", text);
}

/* With these settings the call fails with this text. */
static void
refused(SinterModel *m, const SinterQuantize *q, SinterStatus want,
        const char *where, const char *text)
{
    SinterModel *z = m;
    SinterError e;

    assert_int_equal(sinter_model_quantize(m, q, &z, &e), want);
    assert_null(z);
    assert_string_equal(e.where, where);
    assert_string_equal(e.message, text);
}

static void
test_quantize(void **state)
{
    static const char *const each[] = {"*=moving-average", NULL};
    static const char *const all[] = {"moving-average", NULL};
    static const char *const wrong[] = {"int9", NULL};
    Data t = {.n = 5};
    Log l = {""};
    SinterConfig c = {.size = sizeof c, .log = note, .log_ctx = &l};
    SinterQuantize q = {.size = sizeof q, .fill = fill, .fill_ctx = &t};
    SinterModel *m, *z;

    (void)state;
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, product,
                                        strlen(product), NULL, NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    q.size = 1;
    refused(m, &q, SINTER_EUSAGE, "SinterQuantize", later);
    q.size = sizeof q;
    q.nsample = -1;
    refused(m, &q, SINTER_EUSAGE, "SinterQuantize", "nsample is negative");
    q.nsample = 0;
    q.precision = wrong;
    refused(m, &q, SINTER_EUSAGE, "precision",
            "no precision is named 'int9'; did you mean 'int8'?");
    q.precision = NULL;
    q.scheme = wrong;
    assert_int_equal(sinter_model_quantize(m, &q, &z, NULL), SINTER_EUSAGE);
    assert_null(z);
    q.scheme = NULL;
    t.add = INFINITY;
    refused(m, &q, SINTER_EINPUT, "x", "has no finite value in 5 samples");
    t = (Data){.n = 1};
    assert_int_equal(sinter_model_quantize(m, &q, &z, NULL), SINTER_OK);
    assert_string_equal(l.text,
                        "the ranges come from one sample, which others may "
                        "exceed; a few hundred samples are usual");
    sinter_model_free(z);
    /* Averages for every node, and for all: the same types, other than those
     * of the ends. */
    t.n = 9;
    q.per_tensor = 1;
    char *text[3];
    for (int k = 0; k < 3; k++) {
        size_t n;
        q.range = k == 0 ? NULL : k == 1 ? each : all;
        assert_int_equal(sinter_model_quantize(m, &q, &z, NULL), SINTER_OK);
        assert_int_equal(sinter_model_pack(z, SINTER_FORMAT_SN, NULL,
                                           (void **)&text[k], &n, NULL),
                         SINTER_OK);
        sinter_model_free(z);
    }
    assert_string_equal(text[1], text[2]);
    assert_string_not_equal(text[0], text[2]);
    for (int k = 0; k < 3; k++)
        sinter_free(text[k]);
    sinter_model_free(m);
}

/* Wishes that name no node or no setting. */
static const struct {
    const char *option, *text, *message;
} wishes[] = {
    {"precision", "half",
     "no precision is named 'half'; there are int8, int16 and float"},
    {"precision", "f=int4",
     "no precision is named 'int4'; did you mean 'int8'?"},
    {"precision", "g=int16", "no node matches 'g'; did you mean 'x'?"},
    {"precision", "@FullyConected=float",
     "no node matches '@FullyConected'; did you mean '@FullyConnected'?"},
    {"precision", "@Convolution=float",
     "no node matches '@Convolution'; the kinds after lowering and merging are "
     "@Placeholder, @FullyConnected"},
    {"precision", "@Fully=float",
     "no node matches '@Fully'; did you mean '@*Fully*'?"},
    {"precision", "weights=float",
     "no node matches 'weights'; 'sinter inspect --names' lists the names"},
    {"precision", "=float", "no node matches ''; did you mean 'x'?"},
    {"scheme", "symetric",
     "no scheme is named 'symetric'; did you mean 'symmetric'?"},
    {"scheme", "zzz",
     "no scheme is named 'zzz'; there are asymmetric, symmetric, "
     "symmetric-uint8 and power-of-two"},
    {"range",
     "percentile=", "'percentile=' requires a number above 50 and at most 100"},
    {"range", "percentile=0",
     "'percentile=0' requires a number above 50 and at most 100"},
    {"range", "percentile=101",
     "'percentile=101' requires a number above 50 and at most 100"},
    {"range", "percentile=99x",
     "'percentile=99x' requires a number above 50 and at most 100"},
    {"range", "f=percentile=200",
     "'percentile=200' requires a number above 50 and at most 100"},
    {"range", "mse=3",
     "'3' is not a range rule: there are minmax, percentile[=P], entropy, mse "
     "and moving-average"},
    {"range", "zzz",
     "'zzz' is not a range rule: there are minmax, percentile[=P], entropy, "
     "mse and moving-average"},
    {"keep_float", "@Tanh",
     "no node matches '@Tanh'; the kinds after lowering and merging are "
     "@Placeholder, @FullyConnected"},
    {"keep_float", "y*y",
     "no node matches 'y*y'; 'sinter inspect --names' lists the names"},
};

static void
test_wishes(void **state)
{
    Data t = {.n = 2};
    SinterModel *m = parse(NULL, product), *z;

    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        const char *const list[] = {wishes[i].text, NULL};
        SinterQuantize q = {.size = sizeof q, .fill = fill, .fill_ctx = &t};
        const char *o = wishes[i].option;
        SinterError e;
        q.precision = strcmp(o, "precision") == 0 ? list : NULL;
        q.scheme = strcmp(o, "scheme") == 0 ? list : NULL;
        q.range = strcmp(o, "range") == 0 ? list : NULL;
        q.keep_float = strcmp(o, "keep_float") == 0 ? list : NULL;
        SinterStatus st = sinter_model_quantize(m, &q, &z, &e);
        assert_int_equal(st, SINTER_EUSAGE);
        assert_string_equal(e.where, o);
        assert_string_equal(e.message, wishes[i].message);
    }
    sinter_model_free(m);
}

/* Writes ranges of the values x, f and y of product. */
static void
write_profile(SnArena *a, const char *path, int64_t nshard)
{
    static const char *const name[] = {"x", "f", "y"};
    static const float ends[] = {-1, 2};
    SnProfile p = {.model = "p", .nsample = 2};

    for (int i = 0; i < 3; i++) {
        SnHist h;
        sn_hist_init(&h, a, name[i]);
        sn_hist_add(&h, ends, 2);
        SN_PUSH(a, p.hist, p.n, h);
    }
    sn_profile_shard(a, &p, 1, nshard);
    assert_int_equal(sn_profile_save(&p, path, NULL), SN_OK);
}

/* A file of ranges: of this model, of another one, of a part of the samples,
 * without averages, and one that is none. */
static void
test_profile(void **state)
{
    static const char *const moving[] = {"moving-average", NULL};
    SnArena *a = sn_arena_new();
    const char *path = in_dir(a, "p.json");
    SinterQuantize q = {.size = sizeof q, .profile = path};
    Log l = {""};
    SinterConfig c = {.size = sizeof c, .log = note, .log_ctx = &l};
    SinterModel *m, *z, *other = parse(NULL, renamed);
    SinterError e;

    (void)state;
    assert_int_equal(sinter_model_parse(&c, SINTER_FORMAT_SN, product,
                                        strlen(product), NULL, NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    write_profile(a, path, 0);
    assert_int_equal(sinter_model_quantize(m, &q, &z, NULL), SINTER_OK);
    assert_non_null(strstr(sinter_model_report(z), "\"samples\": 2"));
    assert_string_equal(l.text, "");
    sinter_model_free(z);
    q.range = moving;
    refused(m, &q, SINTER_EINPUT, path, "holds no moving averages");
    q.range = NULL;
    refused(other, &q, SINTER_EINPUT, path,
            "has no range for 'a', 'd', 'e' and 1 more: it was made from 'p'");
    write_profile(a, path, 9);
    assert_int_equal(sinter_model_quantize(m, &q, &z, NULL), SINTER_OK);
    assert_string_equal(l.text, sn_format(a,
                                          "%s: 1 of 9 shards; missing: 0, 2, "
                                          "3, 4, 5 and 3 more",
                                          path));
    sinter_model_free(z);
    assert_int_equal(sn_file_write(NULL, path, "{", 1), SN_OK);
    assert_int_equal(sinter_model_quantize(m, &q, &z, &e), SINTER_EINPUT);
    assert_string_equal(e.where, path);
    unlink(path);
    sinter_model_free(other);
    sinter_model_free(m);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions), cmocka_unit_test(test_values),
        cmocka_unit_test(test_quantize), cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_profile),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
