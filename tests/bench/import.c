// SPDX-License-Identifier: Apache-2.0
/* Times reading a model once and shows the process's peak resident memory.
 *
 *   import sinter MODEL      import as `sinter inspect` does
 *   import ort LIB MODEL     a session of ONNX Runtime, optimizations off
 *
 * Prints "MILLISECONDS KIB". */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "base/clock.h"
#include "onnx/import.h"
#include "tests/differ/peer.h"

static int
report(double s)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    printf("%.1f %ld\n", s * 1e3, u.ru_maxrss);
    return 0;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    const char *why = "";
    double start;

    if (argc == 3 && strcmp(argv[1], "sinter") == 0) {
        SnDiag *d = sn_diag_new(a);
        SnGraph *g;
        start = sn_now();
        SnStatus st = sn_onnx_import(a, argv[2], NULL, d, &g);
        start = sn_now() - start;
        sn_diag_print(d, stderr);
        return st != SN_OK ? (int)st : report(start);
    }
    if (argc == 4 && strcmp(argv[1], "ort") == 0) {
        Ort *o = ort_open(a, argv[2], NULL, &why);
        start = sn_now();
        if (o != NULL && ort_load(o, a, argv[3], &why))
            return report(sn_now() - start);
    }
    fprintf(stderr, "import sinter MODEL | import ort LIB MODEL %s\n", why);
    return 2;
}
