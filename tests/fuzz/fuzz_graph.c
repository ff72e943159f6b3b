// SPDX-License-Identifier: Apache-2.0
/* A graph that the bytes choose, by the kernels of the CPU backend: the first
 * says of which flavour, how large and with which rule it begins, the next two
 * what its inputs hold, all others are what random/graph_gen.h draws. */
#include "fuzz.h"

#include "random/graph_check.h"
#include "random/graph_gen.h"
#include "random/graph_run.h"

/* Bytes before those of the generator; real threads would only be slow. */
enum { HEAD = 4, NEVER = 1 << 20, MAXNODE = 16 };

void
fuzz_one(const uint8_t *p, size_t n)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnRunStats stats = {0};

    if (n <= HEAD || !cpu)
        return;
    SnArena *a = sn_arena_new();
    SnRandomOpts o = {.seed = 1,
                      .flavour = (SnRandomFlavour)(p[0] % SN_NRANDOM),
                      .nnode = p[0] / SN_NRANDOM % MAXNODE,
                      .backend = cpu->name,
                      .edges = true,
                      .bytes = p + HEAD,
                      .nbyte = n - HEAD};
    if (p[1] || p[2])
        o.from = sn_random_case(a, (uint64_t)p[1] << 8 | p[2], cpu->name,
                                p[0] / SN_NRANDOM / MAXNODE % 2);
    const SnGraph *g = sn_random_graph(a, &o);
    SnGivens in = {.a = a, .seed = p[3] * 7u + 1};
    SnRunner *r = sn_runner_new(cpu, NEVER, &stats);
    const char *why = sn_runner_check(r, a, g, &in);
    if (why)
        sn_bug("%s\n%s", why, sn_graph_str(a, g));
    sn_runner_free(r);
    sn_arena_free(a);
}
