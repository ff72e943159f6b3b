// SPDX-License-Identifier: Apache-2.0
/* ONNX operators, one to a line (unit/onnx_line.h): what contradicts itself is
 * refused with status 3, what is beyond sinter with 4, and one line that says
 * what was wrong; two ways to write one thing give one graph.
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

static void
test_same(void **state)
{
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < NPAIR; i++) {
        const Same *p = &pairs[i];
        b = ob_line(a, p->opset, p->line);
        const char *one = text_of(NULL);
        b = ob_line(a, p->opset, p->as);
        const char *other = text_of(NULL);
        if (strcmp(one, other) == 0 && strstr(one, "Save") != NULL)
            continue;
        print_message("%s\n%s\n%s\n%s\n", p->line, one, p->as, other);
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
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_same),
    };

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    return cmocka_run_group_tests_name("onnx_lines", tests, setup, teardown);
}
