// SPDX-License-Identifier: Apache-2.0
/* The syntax half of the front end under limits, damaged files and a lack
 * of memory: it never crashes, and rejected text has a message with a place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file/file.h"
#include "dsl/syntax/parse.h"
#include "unit/scratch.h"

static const char *const dirs[] = {"."};

typedef struct Run {
    SnArena *a;
    SnDiag *d;
    SnDefs *f;
} Run;

static Run
start(void)
{
    Run r = {.a = sn_arena_new()};

    r.d = sn_diag_new(r.a);
    r.f = sn_defs_new(r.a);
    return r;
}

/* Parses text after the version line. */
static Run
parse(const char *text)
{
    Run r = start();
    const char *s = sn_format(r.a, "version 2;\n%s", text);

    sn_def_parse_text(r.f, r.d, "t.def", s, strlen(s), dirs, 1);
    return r;
}

/* ---- limits ---- */

static void
expect_code(Run r, const char *code)
{
    assert_true(sn_diag_nerror(r.d) > 0);
    assert_non_null(strstr(sn_diag_text(r.d, r.a), code));
    sn_arena_free(r.a);
}

static const char *
repeat(SnArena *a, const char *s, size_t n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    while (n--)
        sn_puts(&b, s);
    return sn_buf_str(&b);
}

static void
test_depth(void **state)
{
    static const char *const unit[] = {"(",  "[",    "f(",  "x * not ",
                                       "- ", "not ", "x + "};
    SnArena *a = sn_arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        expect_code(
            parse(sn_format(a, "class c = %sx;", repeat(a, unit[i], 20000))),
            "SN008");
    expect_code(parse(sn_format(a, "pass p { rule r: %sx => x;",
                                repeat(a, "A(", 20000))),
                "SN008");
    expect_code(parse(sn_format(a, "pass p { rule r: x => %sx;",
                                repeat(a, "A(", 20000))),
                "SN008");
    expect_code(parse(sn_format(a, "class c = x%s;", repeat(a, ".y", 20000))),
                "SN008");
    expect_code(parse(sn_format(a, "class c = x%s;", repeat(a, "[1]", 20000))),
                "SN008");
    expect_code(parse(repeat(a, "{", 20000)), "SN008");
    sn_arena_free(a);
}

static void
test_too_many(void **state)
{
    SnArena *a = sn_arena_new();
    Run r = parse(repeat(a, "x;\n", 5000));

    (void)state;
    assert_int_equal(sn_diag_nerror(r.d), SN_PARSE_NERROR + 1);
    expect_code(r, "error[SN016]: too many errors; the rest of the file is "
                   "not read\n");
    expect_code(parse(repeat(a, "\x01", 5000)), "SN016");
    expect_code(parse(sn_format(a, "include \"%s\";", repeat(a, "\\x", 5000))),
                "SN016");
    expect_code(parse(repeat(a, "\" ", 5001)), "SN0");
    sn_arena_free(a);
}

static void
test_large_file(void **state)
{
    SnArena *a = sn_arena_new();
    const char *path = new_file(a);
    Run r = start();
    const char *s = sn_format(r.a, "include \"%s\";", path);

    (void)state;
    assert_int_equal(truncate(path, (16 << 20) + 1), 0);
    sn_def_parse(r.f, r.d, path, dirs, 1);
    assert_int_equal(sn_diag_status(r.d), SN_EINPUT);
    sn_arena_free(r.a);
    r = start();
    s = sn_format(r.a, "version 2; include \"%s\";", path);
    sn_def_parse_text(r.f, r.d, "t.def", s, strlen(s), dirs, 1);
    expect_code(r, "t.def:1:20: error[SN009]");
    unlink(path);
    r = start();
    sn_def_parse(r.f, r.d, "/nowhere/x.def", dirs, 1);
    assert_int_equal(sn_diag_nerror(r.d), 1);
    assert_int_equal(sn_diag_status(r.d), SN_EINPUT);
    sn_arena_free(r.a);
    r = start();
    sn_def_parse(r.f, r.d, "src", dirs, 1);
    assert_int_equal(sn_diag_status(r.d), SN_EINPUT);
    assert_non_null(strstr(sn_diag_text(r.d, a), "src: is a directory"));
    sn_arena_free(r.a);
    sn_arena_free(a);
}

static void
test_include_chain(void **state)
{
    Run r = start();

    assert_int_equal(make_dir(state), 0);
    for (int i = 0; i < 70; i++) {
        const char *s = sn_format(r.a, "version 2; include \"%d.def\";", i + 1);

        sn_file_write(r.d, sn_format(r.a, "%s/%d.def", dir, i), s, strlen(s));
    }
    sn_def_parse(r.f, r.d, sn_format(r.a, "%s/0.def", dir), NULL, 0);
    for (int i = 0; i < 70; i++)
        unlink(sn_format(r.a, "%s/%d.def", dir, i));
    assert_int_equal(remove_dir(state), 0);
    expect_code(r, "SN011");
}

/* ---- damage ---- */

static uint64_t seed = 20240917;

/* xorshift64*. */
static uint32_t
rnd(uint32_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * UINT64_C(2685821657736338717) >> 32) % n);
}

/* Every message names a place in a file: "file:line:col: error[SN0..]". */
static void
check_located(Run r, unsigned id)
{
    const char *s = sn_diag_text(r.d, r.a);

    for (const char *p = s; *p;) {
        const char *end = strchr(p, '\n');
        unsigned line, col;

        assert_non_null(end);
        bool source = *p == ' ' || strchr("123456789", *p); /* "1002 | " */
        if (!source && sscanf(p, "%*[^:]:%u:%u: error[SN0", &line, &col) != 2)
            fail_msg("case %u: no place in: %.*s", id, (int)(end - p), p);
        p = end + 1;
    }
    assert_true((*s != '\0') == (sn_diag_nerror(r.d) > 0));
}

static void
damage(char *s, size_t *n)
{
    static const char some[] = "{}()[];,:@=.\"\\\n\0_-a0\xff not in";

    switch (rnd(4)) {
    case 0: /* truncate */
        *n = rnd((uint32_t)*n + 1);
        return;
    case 1: /* flip bits */
        for (uint32_t k = 1 + rnd(8); k; k--)
            s[rnd((uint32_t)*n)] ^= (char)(1 << rnd(8));
        return;
    case 2: /* put in characters that matter */
        for (uint32_t k = 1 + rnd(20); k; k--)
            s[rnd((uint32_t)*n)] = some[rnd(sizeof some - 1)];
        return;
    default: { /* copy a piece to another place */
        uint32_t len = 1 + rnd(200), from, to;

        from = rnd((uint32_t)*n - len);
        to = rnd((uint32_t)*n - len);
        memmove(s + to, s + from, len);
        return;
    }
    }
}

static void
test_fuzz(void **state)
{
    static const char *const path[] = {"nodes.def", "passes.def", "maps.def"};
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    char *text[3];
    size_t nbyte[3];
    unsigned nbad = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(sn_file_read(a, d, path[i], 0, &text[i], &nbyte[i]),
                         SN_OK);
    for (unsigned i = 0; i < 2000; i++) {
        Run r = start();
        size_t n = nbyte[i % 3];
        char *s = sn_memdup(r.a, text[i % 3], n);

        damage(s, &n);
        sn_def_parse_text(r.f, r.d, path[i % 3], s, n, dirs, 1);
        check_located(r, i);
        nbad += sn_diag_nerror(r.d) > 0;
        sn_arena_free(r.a);
    }
    assert_true(nbad > 1000);
    sn_arena_free(a);
}

/* Nothing but noise, and noise of tokens. */
static void
test_noise(void **state)
{
    static const char *const tok[] = {
        "node ",    "pass ",   "in ",     "out ",   "{ ",          "} ",
        "( ",       ") ",      "; ",      ", ",     "x ",          "A ",
        "1 ",       "1.5 ",    "\"s\" ",  "= ",     ": ",          "=> ",
        "-> ",      "rule ",   "test ",   "kinds ", "attr ",       "sem ",
        "onnx ",    "kernel ", "custom ", "[ ",     "] ",          "@ ",
        "when ",    "exact ",  "not ",    "and ",   "- ",          "+ ",
        "backend ", "enum ",   "for ",    "like ",  "\nnode ",     "each ",
        "_ ",       "... ",    ".. ",     "over ",  "version 2; ", "class ",
        "let "};

    (void)state;
    for (unsigned i = 0; i < 1500; i++) {
        Run r = start();
        SnBuf b;

        sn_buf_init(&b, r.a);
        sn_puts(&b, "version 2;\n");
        for (uint32_t k = rnd(300); k; k--)
            if (i % 3 == 0)
                sn_putc(&b, (char)rnd(256));
            else
                sn_puts(&b, tok[rnd(sizeof tok / sizeof *tok)]);
        sn_def_parse_text(r.f, r.d, "t.def", b.s, b.n, dirs, 1);
        check_located(r, i);
        sn_arena_free(r.a);
    }
}

/* False when the allocation that was to fail did not come. */
static bool
parse_failing_at(Run r, unsigned long i)
{
    SnGuard gu;

    if (setjmp(gu.env)) {
        sn_alloc_fail_at(0);
        return true;
    }
    sn_guard_push(&gu);
    sn_alloc_fail_at(i);
    sn_def_parse(r.f, r.d, "passes.def", dirs, 1);
    sn_alloc_fail_at(0);
    sn_guard_pop(&gu);
    return sn_diag_nerror(r.d) > 0; /* reading a file reports it */
}

static void
test_no_memory(void **state)
{
    unsigned long i = 0;
    bool failed = true;

    (void)state;
    while (failed) {
        Run r = start();

        failed = parse_failing_at(r, ++i);
        sn_arena_free(r.a);
    }
    assert_true(i > 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_large_file), cmocka_unit_test(test_include_chain),
        cmocka_unit_test(test_fuzz),       cmocka_unit_test(test_noise),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
