// SPDX-License-Identifier: Apache-2.0
/* Certificates written by hand: which the checker takes, and what it says of
 * the others. */
#ifndef SN_TEST_CHECK_LINES_H
#define SN_TEST_CHECK_LINES_H

#include "dsl/prove/check/check.h"
#include "spell.h"

typedef struct SnTestLine {
    const char *text;
    const char *error; /* NULL: it is taken */
} SnTestLine;

static inline void
sn_test_lines(const SnTestLine *line, size_t n)
{
    int bad = 0;

    for (size_t i = 0; i < n; i++) {
        SnArena *a = sn_arena_new();
        SnCheck k = {0};
        const char *want = line[i].error ? line[i].error : "", *is;
        is = sn_check_certificate(a, line[i].text, &k) ? "" : k.error;
        if (strcmp(is, want) != 0) {
            print_message("%s  gives '%s', not '%s'\n", line[i].text, is, want);
            bad++;
        }
        sn_arena_free(a);
    }
    assert_int_equal(bad, 0);
}

#endif
