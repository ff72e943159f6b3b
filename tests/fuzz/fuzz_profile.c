// SPDX-License-Identifier: Apache-2.0
/* The reader of profiles: what it takes is written back the same. */
#include "fuzz.h"

#include "base/buf.h"
#include "quant/profile/profile.h"

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    int fd;
    const char *path = fuzz_file(a, p, n, &fd);
    SnProfile *profile;
    SnBuf b;

    if (path != NULL) {
        if (sn_profile_load(a, path, d, &profile) == SN_OK) {
            sn_buf_init(&b, a);
            sn_profile_put(profile, &b);
        } else if (sn_diag_text(d, a)[0] == '\0') {
            sn_bug("refused without a message");
        }
    }
    close(fd);
    sn_arena_free(a);
}
