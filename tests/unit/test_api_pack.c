// SPDX-License-Identifier: Apache-2.0
/* Packed weights of sessions in files: SinterSessionConfig.pack. */
#include "sinter.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "unit/scratch.h"

static const char product[] =
    "sinter-graph 1\n"
    "graph \"p\" {\n"
    "  %x = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : "
    "f32[3,4]\n"
    "  %f = FullyConnected(%x, %w) : f32[1,3]\n"
    "  Save(%f) {name = \"out\"}\n"
    "}\n";
/* Of the same shapes with other weights. */
static const char other[] =
    "sinter-graph 1\n"
    "graph \"p\" {\n"
    "  %x = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [2, 0, 0, 0, 0, 2, 0, 0, 2, 2, 2, 2]} : "
    "f32[3,4]\n"
    "  %f = FullyConnected(%x, %w) : f32[1,3]\n"
    "  Save(%f) {name = \"out\"}\n"
    "}\n";

static SinterStatus
open_with(const char *text, const char *pack, int save, SinterSession **s)
{
    SinterSessionConfig c = {.size = sizeof c, .pack = pack, .pack_save = save};
    SinterModel *m;

    assert_int_equal(sinter_model_parse(NULL, SINTER_FORMAT_SN, text,
                                        strlen(text), "t.sn", NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    SinterStatus st = sinter_session_new(m, &c, s, NULL);
    sinter_model_free(m);
    return st;
}

/* x * w is 1, 2, 10 by the weights of `product`. */
static void
expect(const char *text, const char *pack, int save, float times)
{
    const float x[4] = {1, 2, 3, 4};
    const void *in[] = {x};
    float y[3] = {0, 0, 0};
    void *out[] = {y};
    SinterSession *s;

    assert_int_equal(open_with(text, pack, save, &s), SINTER_OK);
    assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
    assert_true(y[0] == times && y[1] == 2 * times && y[2] == 10 * times);
    sinter_session_free(s);
}

/* The only file of packed weights of that name. */
static char *
pack_file(SnArena *a, const char *pack)
{
    glob_t g;

    assert_int_equal(glob(sn_format(a, "%s.pack-*", pack), 0, NULL, &g), 0);
    assert_int_equal(g.gl_pathc, 1);
    char *path = sn_strdup(a, g.gl_pathv[0]);
    globfree(&g);
    return path;
}

static void
flip(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");

    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int c = fgetc(f);
    assert_int_not_equal(c, EOF);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fputc(c ^ 0x55, f), c ^ 0x55);
    assert_int_equal(fclose(f), 0);
}

static long
size_of(const char *path)
{
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long n = ftell(f);
    fclose(f);
    return n;
}

static void
test_pack(void **state)
{
    SnArena *a = sn_arena_new();
    const char *pack = in_dir(a, "model.snw");

    (void)state;
    expect(product, pack, 0, 1); /* there is none, and none is written */
    glob_t g;
    assert_int_equal(glob(sn_format(a, "%s.pack-*", pack), 0, NULL, &g),
                     GLOB_NOMATCH);
    expect(product, pack, 1, 1);
    const char *file = pack_file(a, pack);
    long n = size_of(file);
    expect(product, pack, 0, 1);
    expect(other, pack, 0, 2); /* other weights: not used */
    for (long at = 0; at < n; at += n / 37 + 1) {
        flip(file, at);
        expect(product, pack, 0, 1);
        flip(file, at);
    }
    expect(other, pack, 1, 2); /* and replaced */
    expect(other, pack, 0, 2);
    expect(product, pack, 0, 1);
    unlink(file);
    sn_arena_free(a);
}

static void
test_errors(void **state)
{
    SnArena *a = sn_arena_new();
    SinterSession *s;

    (void)state;
    assert_int_equal(open_with(product, NULL, 1, &s), SINTER_EUSAGE);
    assert_null(s);
    const char *none = in_dir(a, "none/model.snw");
    expect(product, none, 0, 1);
    assert_int_equal(open_with(product, none, 1, &s), SINTER_EOUTPUT);
    assert_null(s);
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
