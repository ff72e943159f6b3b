// SPDX-License-Identifier: Apache-2.0
/* Messages as JSON and as SARIF, read back by a JSON reader. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include "base/diag_format.h"
#include "base/json.h"

static SnArena *A;
static SnDiag *D;
/* The error stands after two characters of two bytes. */
static const char text[] = "first line\n\xc3\xa4\xc3\xb6 wrong \"word\"\n";
static SnSrc src;

static int
setup(void **state)
{
    (void)state;
    A = sn_arena_new();
    D = sn_diag_new(A);
    src = (SnSrc){"a dir/x.def", text, sizeof text - 1, 0};
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(A);
    return 0;
}

static const char *
title(const char *code)
{
    return strcmp(code, "SN101") ? NULL : "unknown name";
}

static void
fill(void)
{
    SnPos at = {&src, 2, 6, 5}, first = {&src, 1, 1, 5};

    sn_error(D, at, "SN101", "unknown \"%s\"", "wrong\n");
    sn_diag_span(D, first, "declared here");
    sn_diag_line(D, "as it is");
    sn_diag_help(D, "write right");
    sn_warn(D, first, NULL, "odd");
    sn_fail(D, SN_EINPUT, "m.onnx: node 'c'", "bad shape");
}

static json_t *
read_back(const char *s)
{
    json_error_t e;
    json_t *j = json_loads(s, 0, &e);

    if (!j)
        fail_msg("line %d: %s\n%s", e.line, e.text, s);
    return j;
}

static const char *
str(const json_t *j, const char *key)
{
    return json_string_value(json_object_get(j, key));
}

static long long
num(const json_t *j, const char *key)
{
    return (long long)json_integer_value(json_object_get(j, key));
}

static void
as_json(void **state)
{
    (void)state;
    fill();
    json_t *j = read_back(sn_diag_json(D, A));
    const json_t *v = json_object_get(j, "messages");
    assert_int_equal(json_array_size(v), 3);
    assert_int_equal(num(j, "errors"), 2);
    assert_int_equal(num(j, "warnings"), 1);
    const json_t *m = json_array_get(v, 0); /* by position */
    assert_string_equal(str(m, "severity"), "warning");
    assert_null(json_object_get(m, "code"));
    m = json_array_get(v, 1);
    assert_string_equal(str(m, "severity"), "error");
    assert_string_equal(str(m, "code"), "SN101");
    assert_string_equal(str(m, "file"), "a dir/x.def");
    assert_int_equal(num(m, "line"), 2);
    assert_int_equal(num(m, "column"), 6);
    assert_int_equal(num(m, "length"), 5);
    assert_string_equal(str(m, "message"), "unknown \"wrong\n\"");
    const json_t *more = json_object_get(m, "more");
    assert_int_equal(json_array_size(more), 3);
    assert_string_equal(str(json_array_get(more, 0), "kind"), "span");
    assert_int_equal(num(json_array_get(more, 0), "line"), 1);
    assert_string_equal(str(json_array_get(more, 1), "text"), "as it is");
    assert_string_equal(str(json_array_get(more, 2), "kind"), "help");
    m = json_array_get(v, 2);
    assert_string_equal(str(m, "where"), "m.onnx: node 'c'");
    assert_null(json_object_get(m, "file"));
    json_decref(j);
}

static void
as_sarif(void **state)
{
    (void)state;
    fill();
    json_t *j = read_back(sn_diag_sarif(D, A, "sinter-gen", title));
    assert_string_equal(str(j, "version"), "2.1.0");
    const json_t *run = json_array_get(json_object_get(j, "runs"), 0);
    const json_t *tool =
        json_object_get(json_object_get(run, "tool"), "driver");
    assert_string_equal(str(tool, "name"), "sinter-gen");
    const json_t *rules = json_object_get(tool, "rules");
    assert_int_equal(json_array_size(rules), 1);
    const json_t *rule = json_array_get(rules, 0);
    assert_string_equal(str(rule, "id"), "SN101");
    assert_string_equal(str(json_object_get(rule, "shortDescription"), "text"),
                        "unknown name");
    const json_t *v = json_object_get(run, "results");
    assert_int_equal(json_array_size(v), 3);
    const json_t *m = json_array_get(v, 1);
    assert_string_equal(str(m, "ruleId"), "SN101");
    assert_string_equal(str(m, "level"), "error");
    assert_string_equal(str(json_object_get(m, "message"), "text"),
                        "unknown \"wrong\n\"\nas it is\nhelp: write right");
    const json_t *place = json_object_get(
        json_array_get(json_object_get(m, "locations"), 0), "physicalLocation");
    assert_string_equal(str(json_object_get(place, "artifactLocation"), "uri"),
                        "a%20dir/x.def");
    const json_t *region = json_object_get(place, "region");
    assert_int_equal(num(region, "startLine"), 2);
    assert_int_equal(num(region, "startColumn"), 4); /* characters */
    assert_int_equal(num(region, "endColumn"), 9);
    const json_t *rel =
        json_array_get(json_object_get(m, "relatedLocations"), 0);
    assert_string_equal(str(json_object_get(rel, "message"), "text"),
                        "declared here");
    m = json_array_get(v, 2);
    assert_string_equal(str(json_object_get(m, "message"), "text"),
                        "m.onnx: node 'c': bad shape");
    assert_null(json_object_get(m, "locations"));
    json_decref(j);
}

static void
nothing(void **state)
{
    (void)state;
    json_t *j = read_back(sn_diag_json(D, A));
    assert_int_equal(json_array_size(json_object_get(j, "messages")), 0);
    json_decref(j);
    j = read_back(sn_diag_sarif(D, A, "sinter-gen", NULL));
    const json_t *run = json_array_get(json_object_get(j, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(run, "results")), 0);
    json_decref(j);
}

/* Strings are UTF-8 in the text, whatever bytes are given: what is not well
 * formed (RFC 3629) becomes U+FFFD, byte by byte. */
static void
strings(void **state)
{
    static const struct {
        const char *s, *json;
    } v[] = {
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\t\x7f", "\"\\u0009\\u007f\""},
        {"\xc2\x80\xdf\xbf", "\"\xc2\x80\xdf\xbf\""},
        {"\xe0\xa0\x80\xed\x9f\xbf", "\"\xe0\xa0\x80\xed\x9f\xbf\""},
        {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
         "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""},
        {"\x80", "\"\\ufffd\""},
        {"\xc1\x81", "\"\\ufffd\\ufffd\""},
        {"\xc2", "\"\\ufffd\""},
        {"\xc2x", "\"\\ufffdx\""},
        {"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xe1\x80", "\"\\ufffd\\ufffd\""},
        {"\xf0\x8f\xbf\xbf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf5\x80", "\"\\ufffd\\ufffd\""},
    };
    SnJson j;
    SnBuf b;

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        sn_buf_init(&b, A);
        sn_put_json(&b, v[i].s);
        assert_string_equal(sn_buf_str(&b), v[i].json);
        json_t *t = json_loads(b.s, JSON_DECODE_ANY, NULL);
        assert_non_null(t);
        json_decref(t);
    }
    sn_buf_init(&b, A);
    j = (SnJson){.b = &b};
    sn_json_open(&j, NULL, '[');
    sn_json_str(&j, NULL, NULL);
    sn_json_num(&j, NULL, 0.1);
    sn_json_num(&j, NULL, INFINITY);
    sn_json_f32(&j, NULL, 0.1f);
    sn_json_f32(&j, NULL, NAN);
    sn_json_open(&j, NULL, '{');
    sn_json_bool(&j, "a", true);
    sn_json_int(&j, "b", -3);
    sn_json_close(&j, '}');
    sn_json_bool(&j, NULL, false);
    sn_json_close(&j, ']');
    assert_string_equal(sn_buf_str(&b),
                        "[null,0.1,null,0.1,null,{\"a\":true,\"b\":-3},false]");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_json, setup, teardown),
        cmocka_unit_test_setup_teardown(as_sarif, setup, teardown),
        cmocka_unit_test_setup_teardown(strings, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
