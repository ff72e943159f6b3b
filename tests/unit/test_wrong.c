// SPDX-License-Identifier: Apache-2.0
/* Rules that are wrong, a line each (tests/corpus/wrong.txt: the rule, a tab,
 * why).  None is accepted, and each is refused for what it says of values or of
 * what is legal, not for its words.  Facts that are wrong (wrong_facts.txt: the
 * node, the code that refuses it, why).  One in sixteen is asked, all with
 * SINTER_WRONG=1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file/file.h"
#include "dsl/prove/prove.h"
#include "dsl/resolve/resolver.h"
#include "dsl/syntax/parse.h"

static const char *const dirs[] = {"."};

/* What is said of declarations, or NULL where they are accepted. */
static const char *
said_of(SnArena *a, const char *text)
{
    const SnProveOpts few = {.ndraw = 8};
    SnDiag *d = sn_diag_new(a);
    SnDefs *s = sn_defs_new(a);

    sn_def_parse_text(s, d, "wrong.def", text, strlen(text), dirs, 1);
    sn_def_resolve(s, d);
    if (sn_diag_nerror(d) == 0)
        (void)sn_prove(s, d, &few);
    return sn_diag_nerror(d) ? sn_diag_text(d, a) : NULL;
}

/* Refused as a rule, not for its words; nor by a case against a proof. */
static bool
rule_is_refused(SnArena *a, const char *rule, const char *why)
{
    const char *said = said_of(
        a, sn_format(a,
                     "version 2;\ninclude \"nodes.def\";\n"
                     "class clamped = has(clamp);\npass p {\n"
                     "  allow exact; allow real; allow refines; allow 10 lsb;\n"
                     "  rule a: %s;\n}\n",
                     rule));

    if (said && (strstr(said, "[SN3") || strstr(said, "[SN2")) &&
        !strstr(said, "[SN399]"))
        return true;
    print_message("%s: %s\n%s\n", said ? "refused for its words" : "accepted",
                  rule, said ? said : why);
    return false;
}

/* What the families need, so that a fact is used where it is one. */
static const char base[] =
    "version 2; include \"maps.def\"; include \"arith.def\";\n"
    "type q8 = quant(i8);\n"
    "type q8c = quant(i8, axis = 0); type q16 = quant(i16);\n"
    "type q32 = quant(i32); type q32c = quant(i32, axis = 0);\n"
    "type flat = q8 | q16 | f32 | i32 | i64 | i8 | bool;\n"
    "node Quantize { in x; out y; kinds (x) -> y { (f32) -> q8; (f32) -> q16; }"
    " attr clamp : range(y) = full; free y;\n"
    "  sem convert y = q(d(x)) within clamp over each(x); }\n"
    "node Dequantize { in x; out y; kinds (x) -> y { (q8) -> f32;\n"
    "  (q16) -> f32; } free x; sem convert y = d(x) over each(x); }\n"
    "node Rescale { in x; out y; kinds (x) -> y { (q8) -> q8; (q8) -> q16;\n"
    "  (q16) -> q8; (q16) -> q16; } attr clamp : range(y) = full;\n"
    "  free x, y; sem convert y = q(d(x)) within clamp over each(x); }\n"
    "node Transpose { in x; out y; kinds (x) -> y { (T) -> T for T in flat; }\n"
    "  attr perm : int[]; same x, y; sem move y = x over permute(x, perm); }\n"
    "pass p { allow exact; allow real; allow refines; allow 10 lsb;\n"
    "  derive absorb Rescale into free(inputs);\n"
    "  derive merge Rescale into free(output);\n"
    "  derive sink Rescale through same(inputs, output);\n"
    "  derive integerize; derive sink Dequantize through same(inputs, "
    "output);\n"
    "  derive sink Transpose through layout(inputs, output); }\n";

/* Refused with that code, and for nothing else before it. */
static bool
fact_is_refused(SnArena *a, const char *node, const char *rest)
{
    const char *said = said_of(a, sn_format(a, "%s%s\n", base, node));
    const char *first = said ? strstr(said, "error[") : NULL;

    if (first && !strncmp(first + 6, rest, strcspn(rest, "\t")))
        return true;
    print_message("expected %s: %s\n%s\n", rest, node,
                  said ? said : "accepted");
    return false;
}

/* Each line of the file: what is asked, a tab, the rest. */
static void
ask(const char *path, bool (*is_refused)(SnArena *, const char *, const char *),
    unsigned least)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    unsigned n = 0, bad = 0, every = getenv("SINTER_WRONG") ? 1 : 16;
    char *text, *next;
    size_t size;

    assert_int_equal(sn_file_read(a, d, path, 1 << 20, &text, &size), 0);
    for (char *line = text; line && *line; line = next) {
        SnArena *b = sn_arena_new();
        char *tab = strchr(line, '\t');
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        assert_non_null(tab);
        *tab = '\0';
        bad += n++ % every == 0 && !is_refused(b, line, tab + 1);
        sn_arena_free(b);
    }
    print_message("%s: %u lines, one in %u asked, %u of them not refused\n",
                  path, n, every, bad);
    assert_int_equal(bad, 0);
    assert_true(n >= least);
    sn_arena_free(a);
}

static void
each_is_refused(void **state)
{
    (void)state;
    ask("tests/corpus/wrong.txt", rule_is_refused, 200);
}

static void
each_fact_is_refused(void **state)
{
    (void)state;
    ask("tests/corpus/wrong_facts.txt", fact_is_refused, 60);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_refused),
                                       cmocka_unit_test(each_fact_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
