// SPDX-License-Identifier: Apache-2.0
/* ONNX operators, one to a line (unit/onnx_line.h): what contradicts itself is
 * refused with status 3, what is beyond sinter with 4, and one line that says
 * what was wrong; two ways to write one thing give one graph; dimensions that
 * are open are bound by options.
 *
 *   test_onnx_lines --list        the lines of onnx_refused.inc as they are */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "unit/onnx_line.h"
/* Last: it names things at file scope. */
#include "unit/onnx_text.h"

typedef struct Refused {
    int64_t opset;
    const char *line;
    SnStatus status;
    const char *text; /* after "m.onnx: node 'y' (" */
} Refused;

typedef struct Same {
    int64_t opset;
    const char *line, *as;
} Same;

static const Refused cases[] = {
#include "unit/onnx_refused.inc"
};

static const Same pairs[] = {
#include "unit/onnx_same.inc"
};

enum {
    NCASE = sizeof cases / sizeof cases[0],
    NPAIR = sizeof pairs / sizeof pairs[0]
};

/* The first message, without what all have and its end. */
static const char *
said(const Refused *c, SnStatus *status)
{
    static const char frame[] = "m.onnx: ", node[] = "node 'y' (";
    SnGraph *g;
    char *s;

    b = ob_line(a, c->opset, c->line);
    *status = import_as(NULL, &g);
    s = sn_strdup(a, sn_diag_text(d, a));
    s[strcspn(s, "\n")] = '\0';
    if (strncmp(s, frame, sizeof frame - 1) == 0)
        s += sizeof frame - 1;
    if (strncmp(s, node, sizeof node - 1) == 0)
        s += sizeof node - 1;
    return s;
}

static void
test_refused(void **state)
{
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < NCASE; i++) {
        SnStatus status;
        const char *s = said(&cases[i], &status);
        if (status == cases[i].status && strcmp(s, cases[i].text) == 0)
            continue;
        print_message("%s\n  status %d, expected %d\n  %s\n  %s\n",
                      cases[i].line, (int)status, (int)cases[i].status, s,
                      cases[i].text);
        nbad++;
    }
    assert_int_equal(nbad, 0);
}

static SnGraph *
imported(int64_t opset, const char *line)
{
    SnGraph *g;

    b = ob_line(a, opset, line);
    if (import_as(NULL, &g) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s: %s", line, sn_diag_text(d, a));
    return g;
}

static void
test_same(void **state)
{
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < NPAIR; i++) {
        const Same *p = &pairs[i];
        const SnGraph *one = imported(p->opset, p->line);
        const char *why;
        if (sn_graph_equal(one, imported(p->opset, p->as), a, &why))
            continue;
        print_message("%s\n%s\n%s\n", p->line, p->as, why);
        nbad++;
    }
    assert_int_equal(nbad, 0);
}

/* In files older than their type, attributes say by the member that is set what
 * they are. */
static void
test_untyped(void **state)
{
    (void)state;
    for (size_t i = 0; i < NPAIR; i++) {
        b = ob_line(a, pairs[i].opset, pairs[i].line);
        const char *typed = text_of(NULL);
        for (size_t k = 0; k < b->graph.n_node; k++)
            for (size_t n = 0; n < b->node[k]->n_attribute; n++)
                b->node[k]->attribute[n]->has_type = 0;
        assert_string_equal(text_of(NULL), typed);
    }
}

/* Where a window of an average has pads alone, which count, they are a Pad; its
 * pads and the pool's attributes, NHWC. */
static const struct {
    const char *line, *pad, *pool;
} counted[] = {
    {"x f32 1x1x4x4;y = AveragePool x kernel_shape=2,2 pads=0,2,0,0 "
     "count_include_pad=1",
     "Pad(%x.nhwc) {pads = [0,0,2,0,0,0,0,0]} : f32[1,4,6,1]",
     "AvgPool(%y.padded) {kernel = [2,2]} : f32[1,3,5,1]"},
    {"x f32 1x1x3x2;y = AveragePool x kernel_shape=2,2 strides=2,2 "
     "pads=2,1,3,2 ceil_mode=1 count_include_pad=1",
     "Pad(%x.nhwc) {pads = [0,2,1,0,0,1,1,0]} : f32[1,6,4,1]",
     "AvgPool(%y.padded) {kernel = [2,2], stride = [2,2]} : f32[1,3,2,1]"},
    {"x f32 1x1x1x4;y = AveragePool x kernel_shape=2,1 dilations=4,1 "
     "auto_pad='SAME_UPPER count_include_pad=1",
     "Pad(%x.nhwc) {pads = [0,2,0,0,0,2,0,0]} : f32[1,5,4,1]",
     "AvgPool(%y.padded) {kernel = [2,1], dilate = [4,1]} : f32[1,1,4,1]"},
};

static void
test_counted_pads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        b = ob_line(a, 19, counted[i].line);
        const char *text = text_of(NULL);
        if (!strstr(text, counted[i].pad) || !strstr(text, counted[i].pool))
            fail_msg("%s\n%s", counted[i].line, text);
    }
}

/* ---- open dimensions ---- */

/* Options: "b:2" a batch, "d:N=4" a dimension, "s:x=1x3" a shape. */
static const struct {
    const char *opts, *line;
    SnStatus status;
    const char *text; /* the first line of the graph, or what is said */
} shapes[] = {
    {"", "x f32 Nx3", SN_OK, "  %x = Placeholder() : f32[1,3]"},
    {"", "x f32 ?x3", SN_OK, "  %x = Placeholder() : f32[1,3]"},
    {"b:4", "x f32 Nx3", SN_OK, "  %x = Placeholder() : f32[4,3]"},
    {"d:N=5", "x f32 Nx3", SN_OK, "  %x = Placeholder() : f32[5,3]"},
    {"d:N=5", "x f32 3xN", SN_OK, "  %x = Placeholder() : f32[3,5]"},
    {"b:2", "x f32 NxN", SN_OK, "  %x = Placeholder() : f32[2,2]"},
    {"s:2x3", "x f32 -", SN_OK, "  %x = Placeholder() : f32[2,3]"},
    {"s:x=2x3", "x f32 Nx?", SN_OK, "  %x = Placeholder() : f32[2,3]"},
    {"s:x=2,3", "x f32 -1x3", SN_OK, "  %x = Placeholder() : f32[2,3]"},
    {"s:x=7x3", "x f32 Nx3;z f32 Nx3", SN_OK,
     "  %x = Placeholder() : f32[7,3]"},
    {"", "x f32 3xN", SN_EINPUT,
     "m.onnx: input 'x': dimension 1 ('N') is open\n"
     "   help: --dim 'N=NUMBER', or --shape 'x=1x...'\n"},
    {"", "x f32 3x?", SN_EINPUT,
     "m.onnx: input 'x': dimension 1 is open\n   help: --shape 'x=1x...'\n"},
    {"", "x f32 3x-1", SN_EINPUT,
     "m.onnx: input 'x': dimension 1 is open\n   help: --shape 'x=1x...'\n"},
    {"d:M=2 d:K=3", "x f32 3xN", SN_EINPUT,
     "m.onnx: input 'x': dimension 1 ('N') is open\n"
     "   help: --dim 'N=NUMBER', or --shape 'x=1x...'\n"
     "   help: no input up to this one has a dimension 'M', 'K', which --dim "
     "gives\n"},
    {"", "x f32 -", SN_EINPUT,
     "m.onnx: input 'x': has no shape in the file\n"
     "   help: --shape 'x=1x...'\n"},
    {"b:-1", "x f32 Nx3", SN_EUSAGE, "m.onnx: batch -1\n"},
    {"b:1099511627776", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: batch 1099511627776\n"},
    {"b:2", "x f32 3x3", SN_EUSAGE,
     "m.onnx: no input has a leading dimension that is free for a batch of "
     "2\n"},
    {"d:N", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N' is not NAME=NUMBER, the number 1 to 2^40 - 1\n"},
    {"d:=3", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension '=3' is not NAME=NUMBER, the number 1 to 2^40 - 1\n"},
    {"d:N=0", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N=0' is not NAME=NUMBER, the number 1 to 2^40 - 1\n"},
    {"d:N=3x", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N=3x' is not NAME=NUMBER, the number 1 to 2^40 - "
     "1\n"},
    {"d:N=1099511627776", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N=1099511627776' is not NAME=NUMBER, the number 1 to "
     "2^40 - 1\n"},
    {"d:N=99999999999999999999", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N=99999999999999999999' is not NAME=NUMBER, the "
     "number 1 to 2^40 - 1\n"},
    {"d:N=3 d:N=3", "x f32 Nx3", SN_EUSAGE,
     "m.onnx: dimension 'N' is given twice\n"},
    {"d:batch=3", "x f32 batchsizex3", SN_EUSAGE,
     "m.onnx: no input has a dimension named 'batch'\n"
     "   help: there is 'batchsize'\n"},
    {"d:heigth=3", "x f32 height", SN_EUSAGE,
     "m.onnx: no input has a dimension named 'heigth'\n"
     "   help: did you mean 'height'?\n"},
    {"d:M=3", "x f32 2x3", SN_EUSAGE,
     "m.onnx: no input has a dimension named 'M'\n"
     "   help: no dimension of an input has a name\n"},
    {"d:M=3", "x f32 batch;z f32 batch", SN_EUSAGE,
     "m.onnx: no input has a dimension named 'M'\n"
     "   help: there is 'batch'\n"},
    {"s:=2x3", "x f32 -", SN_EUSAGE,
     "m.onnx: shape '=2x3' is not INPUT=1x3x32x32 with at most 8 "
     "dimensions\n"},
    {"s:x=", "x f32 -", SN_EUSAGE,
     "m.onnx: shape 'x=' is not INPUT=1x3x32x32 with at most 8 dimensions\n"},
    {"s:x=2-3", "x f32 -", SN_EUSAGE,
     "m.onnx: shape 'x=2-3' is not INPUT=1x3x32x32 with at most 8 "
     "dimensions\n"},
    {"s:x=1x1x1x1x1x1x1x1x1", "x f32 -", SN_EUSAGE,
     "m.onnx: shape 'x=1x1x1x1x1x1x1x1x1' is not INPUT=1x3x32x32 with at most "
     "8 dimensions\n"},
    {"s:x=1 s:x=2", "x f32 -", SN_EUSAGE,
     "m.onnx: the shape of input 'x' is given twice\n"},
    {"s:1 s:2", "x f32 -", SN_EUSAGE,
     "m.onnx: the shape of the only input is given twice\n"},
    {"s:1 s:x=2", "x f32 -", SN_EUSAGE,
     "m.onnx: the shape of input 'x' is given twice\n"},
    {"s:w=1", "x f32 2", SN_EUSAGE, "m.onnx: there is no input 'w'\n"},
    {"s:1", "x f32 1;z f32 1", SN_EUSAGE,
     "m.onnx: a shape without a name fits models with one input only\n"},
    {"s:x=2x3", "x f32 Nx4x?", SN_EUSAGE,
     "m.onnx: the shape given for input 'x' does not fit [N, 4, ?], which the "
     "file says\n"},
    {"s:x=2x3", "x f32 2x4", SN_EUSAGE,
     "m.onnx: the shape given for input 'x' does not fit [2, 4], which the "
     "file says\n"},
    {"s:x=2", "x f32 .", SN_EUSAGE,
     "m.onnx: the shape given for input 'x' does not fit [], which the file "
     "says\n"},
    {"s:x=2x3", "x f32 NxN", SN_EUSAGE,
     "m.onnx: dimension 'N' is 3 in the shape given for input 'x', and 2 "
     "elsewhere\n"},
    {"s:x=1048576x1048576", "x f32 -", SN_EINPUT,
     "m.onnx: input 'x': the shape is too large\n"},
};

static void
test_shapes(void **state)
{
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const char *dim[4] = {NULL}, *shape[4] = {NULL};
        SnOnnxOpts o = {.dims = dim, .shapes = shape};
        char *save, *opts = sn_strdup(a, shapes[i].opts);
        size_t nd = 0, ns = 0;
        SnGraph *g;

        for (char *p = strtok_r(opts, " ", &save); p;
             p = strtok_r(NULL, " ", &save))
            if (*p == 'b')
                o.batch = strtoll(p + 2, NULL, 10);
            else if (*p == 'd')
                dim[nd++] = p + 2;
            else
                shape[ns++] = p + 2;
        b = ob_line(a, 13, sn_format(a, "%s;y = Relu x", shapes[i].line));
        SnStatus st = import_as(&o, &g);
        char *got =
            sn_strdup(a, st == SN_OK ? text_of(&o) : sn_diag_text(d, a));
        if (st == SN_OK)
            got[strcspn(got, "\n")] = '\0';
        if (st == shapes[i].status && strcmp(got, shapes[i].text) == 0)
            continue;
        print_message("%s, %s: %d %s\n", shapes[i].opts, shapes[i].line,
                      (int)st, got);
        nbad++;
    }
    assert_int_equal(nbad, 0);
}

static int
list(void)
{
    setup(NULL);
    for (size_t i = 0; i < NCASE; i++) {
        SnStatus status;
        const char *s = said(&cases[i], &status);
        printf("{%d, \"%s\", %s,\n \"", (int)cases[i].opset, cases[i].line,
               status == SN_EINPUT         ? "SN_EINPUT"
               : status == SN_EUNSUPPORTED ? "SN_EUNSUPPORTED"
                                           : "SN_OK");
        for (; *s; s++)
            printf(*s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
        printf("\"},\n");
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_same),
        cmocka_unit_test(test_untyped), cmocka_unit_test(test_counted_pads),
        cmocka_unit_test(test_shapes),
    };

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    return cmocka_run_group_tests_name("onnx_lines", tests, setup, teardown);
}
