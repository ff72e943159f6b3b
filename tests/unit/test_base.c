// SPDX-License-Identifier: Apache-2.0
/* Buffers, messages and files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/file/file.h"
#include "unit/scratch.h"

/* One format by sn_vprint, against snprintf, in every room that cuts it. */
static void __attribute__((format(printf, 1, 2)))
same_print(const char *fmt, ...)
{
    char want[128], got[128];
    va_list ap, ap2;

    va_start(ap, fmt);
    va_copy(ap2, ap);
    int n = vsnprintf(want, sizeof want, fmt, ap2);
    va_end(ap2);
    for (size_t room = 0; room <= (size_t)n + 2; room++) {
        va_copy(ap2, ap);
        memset(got, '#', sizeof got);
        assert_int_equal(sn_vprint(got, room, fmt, ap2), n);
        va_end(ap2);
        if (room > (size_t)n)
            assert_string_equal(got, want);
        else if (room > 0)
            assert_true(!memcmp(got, want, room - 1) && got[room - 1] == 0);
        assert_int_equal(got[room > (size_t)n ? (size_t)n + 1 : room], '#');
    }
    va_end(ap);
}

static void
test_print(void **state)
{
    (void)state;
    same_print("plain, 100%% %c%c", 'a', 'z');
    same_print("%d %d %d %d", 0, 10, INT_MAX, INT_MIN);
    same_print("%u|%u|%s|%s", 0u, UINT_MAX, "", "x%d");
    same_print("[%.*s][%.*s][%.*s]", 2, "abc", 0, "abc", 9, "abc");
    same_print("%.*s", -1, "no precision");
    same_print("%s, %d%% and %5.2f of %x", "begins plainly", 7, 2.5, 255);
    same_print("%5d %-4s %lld %g %zu %x", 7, "a", -1LL, 0.5, sizeof(int), 255u);
}

static void
test_buf(void **state)
{
    SnArena *a = sn_arena_new();
    SnBuf b;

    (void)state;
    sn_buf_init(&b, a);
    assert_string_equal(sn_buf_str(&b), "");
    sn_puts(&b, "");
    assert_non_null(b.s);
    sn_putc(&b, 'a');
    sn_putn(&b, "bcdef", 3);
    sn_putf(&b, "%300d", 7);
    assert_int_equal(b.n, 304);
    assert_int_equal(strlen(b.s), 304);
    sn_putf(&b, "%1000s|", "");
    assert_int_equal(strlen(b.s), 1305);
    assert_memory_equal(b.s, "abcd   ", 7);

    sn_buf_init(&b, a);
    sn_put_spaces(&b, 0);
    assert_string_equal(b.s, "");
    sn_put_spaces(&b, 40); /* more than it has room for at first */
    assert_int_equal(strspn(b.s, " "), 40);
    assert_int_equal(strlen(b.s), 40);

    sn_buf_init(&b, a);
    sn_put_quoted(&b, "a\"b\\c\n\t\x01\x7f\xff\xc3\xa9\xc2\x85\xe2\x80\xae");
    assert_string_equal(sn_buf_str(&b),
                        "\"a\\\"b\\\\c\\n\\t\\x01\\x7f\\xff\xc3\xa9"
                        "\\xc2\\x85\\xe2\\x80\\xae\"");
    assert_int_equal(sn_printable("\xf0\x9f\x98\x80", 4), 4);
    assert_int_equal(sn_printable("\xf0\x9f\x98\x80", 3), 0);
    assert_int_equal(sn_printable("\xed\xa0\x80", 3), 0);
    assert_int_equal(sn_printable("\xc0\x80", 2), 0);
    assert_int_equal(sn_printable("", 0), 0);
    sn_arena_free(a);
}

static const char *
f32_text(SnArena *a, float v)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_f32(&b, v);
    return sn_buf_str(&b);
}

static const char *
f64_text(SnArena *a, double v)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_f64(&b, v);
    return sn_buf_str(&b);
}

static void
test_float_text(void **state)
{
    SnArena *a = sn_arena_new();

    (void)state;
    assert_string_equal(f32_text(a, 0.1f), "0.1");
    assert_string_equal(f32_text(a, 1), "1");
    assert_string_equal(f32_text(a, 0), "0");
    assert_string_equal(f32_text(a, -0.0f), "-0");
    assert_string_equal(f32_text(a, -2.5f), "-2.5");
    assert_string_equal(f32_text(a, 100), "100");
    assert_string_equal(f32_text(a, 16777216), "16777216");
    assert_string_equal(f32_text(a, 1e9f), "1e9");
    assert_string_equal(f32_text(a, 1.5e10f), "1.5e10");
    assert_string_equal(f32_text(a, 0.00001f), "0.00001");
    assert_string_equal(f32_text(a, 1.25e-6f), "1.25e-6");
    assert_string_equal(f32_text(a, 0x1p-149f), "1e-45");
    assert_string_equal(f32_text(a, 3.4028235e38f), "3.4028235e38");
    assert_string_equal(f32_text(a, 1.0f / 3), "0.33333334");
    assert_string_equal(f32_text(a, INFINITY), "inf");
    assert_string_equal(f32_text(a, -INFINITY), "-inf");
    assert_string_equal(f32_text(a, NAN), "nan");
    assert_string_equal(f64_text(a, 0.1), "0.1");
    assert_string_equal(f64_text(a, 123456.789), "123456.789");
    assert_string_equal(f64_text(a, 5e-324), "5e-324");
    /* The nearest 16 digits (...801e-14) don't read back; their neighbour
     * does. */
    assert_string_equal(f64_text(a, 0x1p-44), "5.684341886080802e-14");
    sn_arena_free(a);
}

static void
test_float_round_trip(void **state)
{
    uint64_t u = 88172645463325252u;

    (void)state;
    for (int k = 0; k < 20; k++) {
        SnArena *a = sn_arena_new();
        for (int i = 0; i < 5000; i++) {
            u ^= u << 13, u ^= u >> 7, u ^= u << 17;
            float v;
            double w;
            uint32_t u32 = (uint32_t)u;
            memcpy(&v, &u32, sizeof v);
            memcpy(&w, &u, sizeof w);
            if (!isnan(v)) {
                float r = strtof(f32_text(a, v), NULL);
                assert_memory_equal(&r, &v, sizeof v);
            }
            if (!isnan(w)) {
                double r = strtod(f64_text(a, w), NULL);
                assert_memory_equal(&r, &w, sizeof w);
            }
        }
        sn_arena_free(a);
    }
}

static SnSrc
source(const char *name, const char *text, uint32_t order)
{
    return (SnSrc){name, text, strlen(text), order};
}

static void
test_diag_form(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnSrc nodes = source("nodes.def",
                         "node MaxPool {\n"
                         "  free x, y;\n"
                         "\tattr\tkernel;\r\n"
                         "  sem window y = max(x);\n"
                         "}",
                         0);
    SnSrc rules = source("passes.def", "rule r: Foo(x) => x;\n", 1);

    (void)state;
    sn_fail(d, SN_EINPUT, "m.onnx: node 'c\x1b[1m' (Conv)", "bad %s", "pads");
    sn_error(d, (SnPos){&rules, 1, 9, 6}, "SN310", "breaks %d", 1);
    sn_diag_span(d, (SnPos){&rules, 1, 19, 1}, "dropped");
    sn_diag_span(d, (SnPos){&nodes, 2, 8, 1}, "x, declared free");
    sn_diag_line(d, "y = %d", 3);
    sn_warn(d, (SnPos){&nodes, 3, 7, 6}, NULL, "unused");
    sn_error(d, (SnPos){&nodes, 2, 8, 1}, "SN110",
             "MaxPool declares 'free x', but its meaning reads x as a raw "
             "integer");
    sn_diag_span(d, (SnPos){&nodes, 4, 22, 1},
                 "raw read; a free port may only be read as d(x)");
    sn_diag_help(d, "same x, y;");
    sn_error(d, (SnPos){&nodes, 2, 8, 3}, "SN110",
             "MaxPool declares 'free x', but its meaning reads x as a raw "
             "integer");
    sn_diag_help(d, "belongs to a message given before: not shown");
    sn_note(d, (SnPos){&nodes, 5, 2, 1}, "SN9", "ends here");
    sn_error(d, (SnPos){&nodes, 99, 1, 1}, NULL, "no such line");
    sn_error(d, (SnPos){0}, NULL, "no place");

    const char *want =
        "nodes.def:2:8: error[SN110]: MaxPool declares 'free x', but its "
        "meaning reads x as a raw integer\n"
        "   2 |   free x, y;\n"
        "     |        ^\n"
        "   4 |   sem window y = max(x);\n"
        "     |                      ^ raw read; a free port may only be "
        "read as d(x)\n"
        "   help: same x, y;\n"
        "nodes.def:3:7: warning: unused\n"
        "   3 | \tattr\tkernel;\n"
        "     | \t    \t^~~~~~\n"
        "nodes.def:5:2: note[SN9]: ends here\n"
        "   5 | }\n"
        "     |  ^\n"
        "nodes.def:99:1: error: no such line\n"
        "passes.def:1:9: error[SN310]: breaks 1\n"
        "   1 | rule r: Foo(x) => x;\n"
        "     |         ^~~~~~\n"
        "     |                   ^ dropped\n"
        " nodes.def:2: x, declared free\n"
        "   2 |   free x, y;\n"
        "     |        ^\n"
        "     | y = 3\n"
        "m.onnx: node 'c\\x1b[1m' (Conv): bad pads\n"
        "error: no place\n";
    assert_string_equal(sn_diag_text(d, a), want);
    assert_int_equal(sn_diag_nerror(d), 5);
    assert_int_equal(sn_diag_nwarning(d), 1);

    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    sn_diag_print(d, out);
    sn_diag_print(d, out);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
    assert_string_equal(sn_diag_text(d, a), "");
    assert_int_equal(sn_diag_nerror(d), 5);
    sn_diag_help(d, "added to nothing");
    sn_arena_free(a);
}

static void
test_diag_hostile(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    char line[1001];
    SnSrc src = source("a\nb", "\x1bQ\xc3\xa9\xff = 1", 0);

    (void)state;
    sn_error(d, (SnPos){&src, 1, 9, 99}, NULL, "two\nlines");
    assert_string_equal(sn_diag_text(d, a), "a\\nb:1:9: error: two\\nlines\n"
                                            "   1 | \\x1bQ\xc3\xa9\\xff = 1\n"
                                            "     |              ^\n");
    d = sn_diag_new(a);

    memset(line, 'x', 1000);
    line[1000] = 0;
    src = source("l", line, 0);
    sn_error(d, (SnPos){&src, 1, 501, 2}, NULL, "long");
    const char *s = sn_diag_text(d, a);
    assert_true(strlen(s) < 400);
    const char *second = strchr(s, '\n') + 1, *third = strchr(second, '\n') + 1;
    assert_memory_equal(second, "   1 | ...xxx", 13);
    assert_int_equal(strchr(third, '^') - third, 7 + 3 + 80);
    assert_string_equal(strchr(third, '^'), "^~\n");

    /* Gutter wider than 4. */
    char *many = sn_alloc(a, 20001);
    memset(many, '\n', 20000);
    src = (SnSrc){"m", many, 20000, 0};
    d = sn_diag_new(a);
    sn_error(d, (SnPos){&src, 7, 1, 1}, NULL, "e");
    sn_diag_span(d, (SnPos){&src, 12345, 1, 1}, "here");
    assert_string_equal(sn_diag_text(d, a), "m:7:1: error: e\n"
                                            "    7 |\n"
                                            "      | ^\n"
                                            "12345 |\n"
                                            "      | ^ here\n");
    sn_arena_free(a);
}

static void
test_diag_many(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnSrc src = source("f", "", 0);

    (void)state;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < 1000; i++)
            sn_error(d, (SnPos){&src, i % 10, i, 1}, NULL, "e");
    assert_int_equal(sn_diag_nerror(d), 1000);
    assert_int_equal(sn_fail(d, SN_EUNSUPPORTED, "m", "x"), SN_EUNSUPPORTED);
    assert_int_equal(sn_fail(d, SN_EINPUT, "m", "x"), SN_EINPUT);
    assert_int_equal(sn_fail(d, SN_EINPUT, "n", "x"), SN_EINPUT);
    assert_int_equal(sn_diag_nerror(d), 1002);
    sn_arena_free(a);
}

static void
test_closest(void **state)
{
    static const char *const cand[] = {"Conv2D",  "CPUMaxSplat", "Relu",
                                       "MaxPool", "Rescale",     ""};
    size_t n = sizeof cand / sizeof *cand;

    (void)state;
    assert_string_equal(sn_closest("CPUMaxSplatt", cand, n), "CPUMaxSplat");
    assert_string_equal(sn_closest("Rleu", cand, n), "Relu");
    assert_string_equal(sn_closest("Relu", cand, n), "Relu");
    assert_string_equal(sn_closest("Rescael", cand, n), "Rescale");
    /* case costs nothing */
    assert_string_equal(sn_closest("ReLU", cand, n), "Relu");
    assert_string_equal(sn_closest("CONV2D", cand, n), "Conv2D");
    assert_string_equal(sn_closest("RELUX", cand, n), "Relu");
    assert_null(sn_closest("Relaxx", cand, n));
    assert_null(sn_closest("Softmax", cand, n));
    assert_null(sn_closest("Rela u", cand, 2));
    assert_string_equal(sn_closest("x", cand, n), "");
    assert_null(sn_closest("", cand, 5));
    assert_null(sn_closest("Conv", cand, 0));
}

static int
count_entries(const char *path)
{
    DIR *dp = opendir(path);
    int n = 0;

    assert_non_null(dp);
    while (readdir(dp))
        n++;
    closedir(dp);
    return n - 2;
}

static void
test_file_write(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const char *path = sn_path_join(a, dir, "out.c");
    struct stat st, st2;
    char *text;
    size_t n;

    (void)state;
    assert_false(sn_file_exists(path));
    assert_int_equal(sn_file_write(d, path, "one", 3), SN_OK);
    assert_int_equal(count_entries(dir), 1);
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(text, "one", 4);

    /* Written anew by rename: another inode, the same mode.  A reader of the
     * old file still sees all of it. */
    assert_int_equal(chmod(path, 0750), 0);
    assert_int_equal(stat(path, &st), 0);
    FILE *old = fopen(path, "r");
    assert_int_equal(sn_file_write(d, path, "second", 6), SN_OK);
    char seen[8] = "";
    assert_int_equal(fread(seen, 1, sizeof seen, old), 3);
    fclose(old);
    assert_memory_equal(seen, "one", 3);
    assert_int_equal(stat(path, &st2), 0);
    assert_true(st.st_ino != st2.st_ino);
    assert_int_equal(st2.st_mode & 0777, 0750);

    /* Update: identical bytes leave the file alone. */
    assert_int_equal(sn_file_update(d, path, "second", 6), SN_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_ino == st2.st_ino);
    assert_int_equal(sn_file_update(d, path, "secone", 6), SN_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_ino != st2.st_ino);
    assert_int_equal(sn_file_update(d, path, "", 0), SN_OK);
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    assert_int_equal(n, 0);
    assert_string_equal(text, "");

    /* A link's target is replaced, not the link. */
    const char *link = sn_path_join(a, dir, "link");
    assert_int_equal(symlink("out.c", link), 0);
    assert_int_equal(sn_file_write(d, link, "via", 3), SN_OK);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    assert_string_equal(text, "via");
    assert_int_equal(sn_file_write(d, "/dev/null", "x", 1), SN_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(sn_diag_nerror(d), 0);

    unlink(link);
    unlink(path);
    sn_arena_free(a);
}

static void
test_file_fail(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const char *path = sn_path_join(a, dir, "f");
    char *text;
    size_t n;

    (void)state;
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_EINPUT);
    assert_null(text);
    assert_int_equal(sn_file_read(a, d, dir, 0, &text, &n), SN_EINPUT);
    assert_int_equal(sn_file_write(d, dir, "x", 1), SN_EOUTPUT);
    assert_int_equal(sn_file_write(d, sn_path_join(a, dir, "no/such"), "x", 1),
                     SN_EOUTPUT);
    assert_int_equal(sn_file_write(d, "/dev/full", "x", 1), SN_EOUTPUT);
    assert_int_equal(count_entries(dir), 0);
    assert_int_equal(sn_diag_nerror(d), 5);
    d = sn_diag_new(a);
    sn_file_read(a, d, "/nonesuch", 0, &text, &n);
    assert_string_equal(sn_diag_text(d, a), "/nonesuch: cannot open: No such "
                                            "file or directory\n");

    assert_int_equal(sn_file_write(d, path, "12345", 5), SN_OK);
    assert_int_equal(sn_file_read(a, d, path, 5, &text, &n), SN_OK);
    assert_int_equal(sn_file_read(a, d, path, 4, &text, &n), SN_EINPUT);
    /* A file without a size of its own is read to the end, or the limit. */
    assert_int_equal(sn_file_read(a, d, "/proc/self/stat", 0, &text, &n),
                     SN_OK);
    assert_true(n > 10 && strlen(text) == n);
    assert_int_equal(sn_file_read(a, d, "/dev/zero", 300000, &text, &n),
                     SN_EINPUT);

    /* Out of memory while reading: a status, and the arena is usable. */
    char *large = calloc(1, 1 << 20);
    assert_int_equal(sn_file_write(d, path, large, 1 << 20), SN_OK);
    free(large);
    sn_alloc_fail_at(1);
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_ENOMEM);
    sn_alloc_fail_at(0);
    assert_int_equal(sn_file_read(a, d, path, 0, &text, &n), SN_OK);
    assert_int_equal(n, 1 << 20);
    unlink(path);
    sn_arena_free(a);
}

static void
test_paths(void **state)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);

    (void)state;
    assert_string_equal(sn_path_dir(a, "a/b/c.def"), "a/b");
    assert_string_equal(sn_path_dir(a, "c.def"), ".");
    assert_string_equal(sn_path_dir(a, "/c.def"), "/");
    assert_string_equal(sn_path_base("a/b/c.def"), "c.def");
    assert_string_equal(sn_path_base("c.def"), "c.def");
    assert_string_equal(sn_path_base("a/"), "");
    assert_string_equal(sn_path_join(a, "a", "b"), "a/b");
    assert_string_equal(sn_path_join(a, "a/", "b"), "a/b");
    assert_string_equal(sn_path_join(a, ".", "b"), "b");
    assert_string_equal(sn_path_join(a, "/", "b"), "/b");
    assert_string_equal(sn_path_join(a, "a", "/b"), "/b");

    const char *deep = sn_path_join(a, dir, "x//y/z/");
    assert_int_equal(sn_file_mkdirs(d, deep), SN_OK);
    assert_int_equal(sn_file_mkdirs(d, deep), SN_OK);
    assert_true(sn_file_exists(sn_path_join(a, dir, "x/y/z")));
    const char *file = sn_path_join(a, dir, "x/y/z/f");
    assert_int_equal(sn_file_write(d, file, "", 0), SN_OK);
    assert_int_equal(sn_file_mkdirs(d, file), SN_EOUTPUT);
    assert_int_equal(sn_file_mkdirs(d, ""), SN_EOUTPUT);
    unlink(file);
    rmdir(sn_path_join(a, dir, "x/y/z"));
    rmdir(sn_path_join(a, dir, "x/y"));
    rmdir(sn_path_join(a, dir, "x"));
    sn_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_buf),
        cmocka_unit_test(test_float_text),
        cmocka_unit_test(test_float_round_trip),
        cmocka_unit_test(test_diag_form),
        cmocka_unit_test(test_diag_hostile),
        cmocka_unit_test(test_diag_many),
        cmocka_unit_test(test_closest),
        cmocka_unit_test(test_file_write),
        cmocka_unit_test(test_file_fail),
        cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
