// SPDX-License-Identifier: Apache-2.0
/* The reader of .sn: what it takes prints and reads back the same. */
#include "fuzz.h"

#include <string.h>
#include "graph/text/text.h"

static SnStatus
parse(SnArena *a, const char *p, size_t n, SnGraph **g)
{
    SnDiag *d = sn_diag_new(a);
    SnSrc src = {.name = "f.sn", .text = p, .nbyte = n};
    SnStatus s = sn_parse(a, &src, NULL, d, g);

    if (s != SN_OK && sn_diag_text(d, a)[0] == '\0')
        sn_bug("refused without a message");
    return s;
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    char *text = sn_alloc(a, n + 1);
    SnGraph *g, *again;
    SnBuf one, two;

    if (n > 0)
        memcpy(text, p, n);
    text[n] = '\0';
    if (parse(a, text, n, &g) == SN_OK) {
        sn_buf_init(&one, a);
        sn_buf_init(&two, a);
        sn_print(g, &one, NULL, NULL);
        if (parse(a, sn_buf_str(&one), one.n, &again) != SN_OK)
            sn_bug("does not read what it printed");
        sn_print(again, &two, NULL, NULL);
        if (strcmp(sn_buf_str(&one), sn_buf_str(&two)) != 0)
            sn_bug("prints another text the second time");
    }
    sn_arena_free(a);
}
