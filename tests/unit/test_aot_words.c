// SPDX-License-Identifier: Apache-2.0
/* Which names a text of C has, and that asking takes no longer for a longer
 * text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "aot/node/word_set.h"
#include "base/buf.h"

static SnArena *a;

static void
words(void **state)
{
    (void)state;
    static const char code[] = "x1 = y_in[i0] + s.scale * 2.5f;\nx1 += _t;";
    static const char *const in[] = {"x1", "y_in", "i0", "s", "_t", "2"},
                             *const out[] = {"x",  "y",   "in", "scale",
                                             "5f", "x11", "t",  ""};
    SnAotWords w = sn_aot_words(a, code);

    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (!sn_aot_has_word(&w, in[i]))
            fail_msg("no '%s'", in[i]);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (sn_aot_has_word(&w, out[i]))
            fail_msg("'%s'", out[i]);
    w = sn_aot_words(a, "");
    assert_false(sn_aot_has_word(&w, "x"));
}

/* Slots looked at for n names in a text of n names. */
static uint64_t
probes(int n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (int i = 0; i < n; i++)
        sn_putf(&b, "y[%d] = x_in%d[0];\n", i, i);
    SnAotWords w = sn_aot_words(a, sn_buf_str(&b));
    for (int i = 0; i < n; i++)
        assert_true(sn_aot_has_word(&w, sn_format(a, "x_in%d", i)));
    return w.known.nprobe;
}

static void
linear(void **state)
{
    (void)state;
    uint64_t few = probes(1000), many = probes(8000);

    if (many > 10 * few)
        fail_msg("%llu slots for 1000 names, %llu for 8000",
                 (unsigned long long)few, (unsigned long long)many);
}

static int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words, setup, teardown),
        cmocka_unit_test_setup_teardown(linear, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
