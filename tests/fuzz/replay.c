// SPDX-License-Identifier: Apache-2.0
/* Runs a fuzz target on files: replay NAME FILE...  Prints one line for each;
 * a crash ends the program and so fails the test. */
#include "fuzz.h"

#include <string.h>
#include "base/file/file.h"

int
main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        SnArena *a = sn_arena_new();
        char *p;
        size_t n;
        if (sn_file_read(a, sn_diag_new(a), argv[i], 0, &p, &n) != SN_OK) {
            printf("not ok fuzz %s: %s cannot be read\n", argv[1], argv[i]);
            return 1;
        }
        fflush(stdout);
        LLVMFuzzerTestOneInput((const uint8_t *)p, n);
        printf("ok fuzz %s: %s\n", argv[1], sn_path_base(argv[i]));
        sn_arena_free(a);
    }
    return 0;
}
