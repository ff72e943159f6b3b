// SPDX-License-Identifier: Apache-2.0
/* Writes the random graphs of seeds FIRST to FIRST + N - 1 into DIR: SEED.sn,
 * inputs as SEED_NAME.npy, and in SEED.args the options with which `sinter run
 * SEED.sn` reads them from DIR.  Usage: random_graphs DIR FIRST N */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "random/graph_gen.h"
#include "random/graph_shrink.h"

#define BACKEND "CPU"

/* As test_random_kernels draws them, the flavours in turn. */
static SnGraph *
graph_of(SnArena *a, uint64_t seed)
{
    SnRandomOpts o = {.seed = seed,
                      .flavour = (SnRandomFlavour)(seed % SN_NRANDOM),
                      .backend = BACKEND,
                      .edges = true,
                      .nnode = 2 + (uint32_t)(seed % 9)};

    if (seed / SN_NRANDOM % 3 == 0)
        o.from =
            sn_random_case(a, seed * 2654435761u >> 8, BACKEND, seed % 2 == 0);
    if (o.from)
        o.nnode = (uint32_t)(seed / 3) % 4;
    return sn_random_graph(a, &o);
}

static bool
write_one(uint64_t seed)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnGivens in = {.a = a, .seed = seed * 7 + 1};
    const char *args, *prefix = sn_format(a, "%" PRIu64, seed);
    bool ok =
        sn_graph_keep(a, graph_of(a, seed), &in, prefix, d, &args) == SN_OK;

    if (ok) {
        FILE *f = fopen(sn_format(a, "%s.args", prefix), "w");
        ok = f && fputs(args, f) >= 0 && fputc('\n', f) >= 0;
        ok = f && fclose(f) == 0 && ok;
    } else {
        fputs(sn_diag_text(d, a), stderr);
    }
    sn_arena_free(a);
    return ok;
}

int
main(int argc, char **argv)
{
    if (argc != 4 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: random_graphs DIR FIRST N\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10),
             n = strtoull(argv[3], NULL, 10);
    for (uint64_t s = first; s < first + n; s++)
        if (!write_one(s)) {
            fprintf(stderr, "random_graphs: seed %" PRIu64 " not written\n", s);
            return 1;
        }
    return 0;
}
