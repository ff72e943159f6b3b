// SPDX-License-Identifier: Apache-2.0
/* The reader of measured picks: the bytes as they are, and behind a first line
 * that it accepts.  What it takes must be what convolutions can follow. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/tune/tune.h"

static void
read_text(SnArena *a, const char *s, size_t n)
{
    SnDiag *d = sn_diag_new(a);
    SnTune *t;
    int fd;
    const char *path = fuzz_file(a, (const uint8_t *)s, n, &fd);

    if (path && sn_tune_read(a, path, SN_ISA_VNNI256, 2, d, &t) == SN_OK)
        for (uint32_t i = 0; i < t->nlayer; i++) {
            const SnTuneLayer *l = &t->layer[i];
            if (!sn_tune_fits(t->isa, &l->geo, l->kind, &l->pick))
                abort();
            sn_tune_name(a, &l->geo, l->kind);
        }
    close(fd);
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    SnBuf b;

    sn_buf_init(&b, a);
    sn_tune_put(sn_tune_new(a, SN_ISA_VNNI256, 2), &b);
    b.n = (size_t)(strchr(b.s, '\n') + 1 - b.s);
    sn_putn(&b, (const char *)p, n);
    read_text(a, b.s, b.n);
    read_text(a, (const char *)p, n);
    sn_arena_free(a);
}
