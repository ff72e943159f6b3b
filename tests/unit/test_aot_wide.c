// SPDX-License-Identifier: Apache-2.0
/* Programs for values of 2 GiB and more: indices and counters whose products
 * exceed an int are wider.  Such programs are written, not run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "aot/node/aot_node.h"
#include "aot/band/band.h"
#include "aot/program.h"
#include "unit/parse.h"

static SnProgram p;
static SnAotOpts opts;

/* The functions of all nodes of the graph, none in a chain. */
static const char *
functions(const char *body)
{
    const SnExec *x;

    if (sn_exec_prepare(
            a,
            parse(sn_format(a, "sinter-graph 1\ngraph \"t\" {\n%s}\n", body)),
            NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    opts = (SnAotOpts){.name = "net", .target = sn_aot_target(NULL)};
    p = (SnProgram){
        .a = a, .d = d, .x = x, .g = x->g, .o = &opts, .name = "net"};
    p.band = SN_NEW_N(a, SnBand, x->nstep + 1);
    sn_buf_init(&p.nodes, a);
    sn_buf_init(&p.calls, a);
    sn_buf_init(&p.rows, a);
    assert_int_equal(sn_aot_tiles(&p), SN_OK);
    sn_aot_place(&p);
    for (uint32_t s = 0; s < x->nstep; s++)
        if (sn_aot_node(&p, s) != SN_OK)
            fail_msg("%s", sn_diag_text(d, a));
    return sn_buf_str(&p.nodes);
}

static void
assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

/* No variable but an argument is an int. */
static void
assert_no_int(const char *text)
{
    const char *s = strstr(text, " int ");

    s = s ? s : strstr(text, "(int ");
    if (s)
        fail_msg("an int in:\n%s", s);
}

/* 3e9 elements; no axis and no step between rows exceeds an int. */
static void
choices(void **state)
{
    (void)state;
    const char *t =
        functions("  %x = Placeholder() : qi8<0.04, 3>[3000,1000000]\n"
                  "  %y, %i = TopK(%x) {k = 2, axis = 0} : "
                  "(qi8<0.04, 3>[2,1000000], i64[2,1000000])\n"
                  "  Save(%y) {name = \"y\"}\n  Save(%i) {name = \"i\"}\n");
    assert_has(t, "int64_t last = -1;");
    assert_no_int(t);
}

/* An axis of 2^31 - 1, and windows that begin before it: where one ends is not
 * an int. */
static void
dimensions(void **state)
{
    (void)state;
    const char *t =
        functions("  %x = Placeholder() : qi8<0.04, 3>[1,2147483647,1,1]\n"
                  "  %y, %i = MaxPool(%x) {kernel = [3,1], stride = [2,1], "
                  "pads = [1,0,1,0]} : (qi8<0.04, 3>[1,1073741824,1,1], "
                  "i64[1,1073741824,1,1])\n  Save(%y) {name = \"y\"}\n");
    assert_has(t, "2147483647 - ");
    assert_no_int(t);
    t = functions(
        "  %x = Placeholder() : qi8<0.04, 3>[1,1000,1,1]\n"
        "  %y, %i = MaxPool(%x) {kernel = [3,1], stride = [2,1], "
        "pads = [1,0,1,0]} : (qi8<0.04, 3>[1,500,1,1], i64[1,500,1,1])\n"
        "  Save(%y) {name = \"y\"}\n");
    assert_has(t, "const int hi");
}

/* Indices are checked one by one. */
static void
checks(void **state)
{
    (void)state;
    const char *t =
        functions("  %x = Placeholder() : i8[4,1]\n"
                  "  %i = Placeholder() : i64[2147483648]\n"
                  "  %y = Gather(%x, %i) {axis = 0} : i8[2147483648,1]\n"
                  "  Save(%y) {name = \"y\"}\n");
    assert_has(t, "return 1;");
    assert_no_int(t);
}

/* Two rows of 10^9, of which a buffer holds three. */
static void
bands(void **state)
{
    (void)state;
    functions("  %x = Placeholder() : qi8<0.04, 3>[1,2,1000000000,1]\n"
              "  %w = Constant() {data = [1, 2, 3]} : qi8<0.02, 0>[1,3,1,1]\n"
              "  %b = Constant() {data = [7]} : qi32<0.0008, 0>[1]\n"
              "  %t = Sigmoid(%x) : qi8<0.00390625, -128>[1,2,1000000000,1]\n"
              "  %y = Conv2D(%t, %w, %b) {kernel = [3,1], pads = [1,0,1,0]} : "
              "qi8<0.05, -7>[1,2,1000000000,1]\n  Save(%y) {name = \"y\"}\n");
    assert_int_equal(p.x->nstep, 2);
    p.band[0] = (SnBand){.nrow = 2,
                         .width = 1000000000,
                         .shift = 1000000000,
                         .call = "sigmoid()"};
    p.band[1] = (SnBand){.nrow = 2,
                         .width = 1000000000,
                         .shift = 1000000000,
                         .xnrow = 2,
                         .xwidth = 1000000000,
                         .xsize = 1,
                         .step = 1,
                         .taps = 3,
                         .pad = 1,
                         .call = "conv()"};
    for (uint32_t s = 0; s < 2; s++) {
        p.band[s].on = true;
        p.band[s].last = 1;
        sn_band_rows(&p.band[s], 1, s);
    }
    assert_int_equal(p.band[1].held, 3);
    sn_buf_init(&p.calls, a);
    sn_aot_band_put(&p, 1);
    const char *t = sn_buf_str(&p.calls);
    assert_has(t, "1000000000 * h1");
    assert_has(t, "size_t h1 = 1;");
    assert_no_int(t);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test_setup_teardown(choices, setup, teardown),
        cmocka_unit_test_setup_teardown(dimensions, setup, teardown),
        cmocka_unit_test_setup_teardown(checks, setup, teardown),
        cmocka_unit_test_setup_teardown(bands, setup, teardown),
    };

    return cmocka_run_group_tests(t, NULL, NULL);
}
