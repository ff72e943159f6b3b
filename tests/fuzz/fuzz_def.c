/* The front end of .def files: a refused file has a message with its place. */
#include "fuzz.h"

#include <string.h>
#include "dsl/model.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *defs = sn_defs_new(a);
    int fd;
    const char *path = fuzz_file(a, p, n, &fd);

    if (path != NULL) {
        sn_def_parse(defs, d, path, NULL, 0);
        if (sn_diag_nerror(d) == 0)
            sn_def_resolve(defs, d);
        if (sn_diag_nerror(d) > 0 && strstr(sn_diag_text(d, a), ": ") == NULL)
            sn_bug("refused without a place");
    }
    close(fd);
    sn_arena_free(a);
    return 0;
}
