// SPDX-License-Identifier: Apache-2.0
/* The table tests/gen/narrow.txt, for tests of what calculates it. */
#ifndef SN_NARROW_H
#define SN_NARROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct NarrowLine {
    char node[32], in[8], out[8]; /* types: i8, i32, i64, f32 */
    char a[32], b[32], want[32];
    bool pair; /* has it b? */
} NarrowLine;

static const char *const narrow_modes[] = {"Floor", "Zero", "HalfUp",
                                           "HalfAway", "HalfEven"};

/* Calls check for each value of the table; how many there were. */
static inline unsigned
narrow_each(void (*check)(const NarrowLine *l))
{
    char text[512], node[24], want[5][32];
    FILE *f = fopen("tests/gen/narrow.txt", "r");
    unsigned n = 0;

    assert_non_null(f);
    while (fgets(text, sizeof text, f)) {
        NarrowLine l;
        int k = text[0] == '#'
                    ? 0
                    : sscanf(text,
                             "%23s %7s %7s %31s %31s %31s %31s %31s %31s %31s",
                             node, l.in, l.out, l.a, l.b, want[0], want[1],
                             want[2], want[3], want[4]);
        assert_true(k == 0 || k == 6 || k == 10);
        l.pair = strcmp(l.b, "_") != 0;
        for (int i = 0; i < k - 5; i++, n++) {
            (void)snprintf(l.node, sizeof l.node, "%s%s", node,
                           k == 10 ? narrow_modes[i] : "");
            memcpy(l.want, want[i], sizeof l.want);
            check(&l);
        }
    }
    (void)fclose(f);
    return n;
}

/* An integer or a real of a column. */
static inline int64_t
narrow_int(const char *s)
{
    return strtoll(s, NULL, 10);
}

static inline float
narrow_real(const char *s)
{
    return strtof(s, NULL);
}

#endif
