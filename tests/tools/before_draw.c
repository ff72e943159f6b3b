// SPDX-License-Identifier: Apache-2.0
/* Draws nodes over one map, a few to a graph, on Constants, and writes the
 * graphs to stdout for before_run (tests/long/before.sh).  Usage:
 *
 *   before_draw                     prints KIND MAP for each kind
 *   before_draw MAP FIRST N         the graphs of seeds FIRST to FIRST + N - 1
 *
 * A graph begins with "; SEED n" and ends with "; END". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/text/text.h"
#include "random/graph_gen.h"
#include "sn_maps.h"

static int
list_kinds(void)
{
    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc(k);
        if (d->sem && d->sem[0].decl)
            printf("%s %s\n", d->name, d->sem[0].decl->name);
    }
    return 0;
}

static const SnMapDecl *
map_named(const char *name)
{
    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc(k);
        if (d->sem && d->sem[0].decl && !strcmp(d->sem[0].decl->name, name))
            return d->sem[0].decl;
    }
    return NULL;
}

static void
draw_one(SnArena *a, const SnMapDecl *map, uint64_t seed)
{
    SnRandomOpts o = {.seed = seed,
                      .flavour = (SnRandomFlavour)(seed % SN_NRANDOM),
                      .nnode = 1 + (uint32_t)(seed / SN_NRANDOM % 4),
                      .edges = true,
                      .map = map};
    SnBuf text;

    sn_buf_init(&text, a);
    sn_print(sn_random_graph(a, &o), &text, NULL, NULL);
    printf("; SEED %" PRIu64 "\n", seed);
    fwrite(text.s, 1, text.n, stdout);
    fputs("; END\n", stdout);
}

int
main(int argc, char **argv)
{
    const SnMapDecl *map = argc == 4 ? map_named(argv[1]) : NULL;

    if (argc == 1)
        return list_kinds();
    if (!map) {
        fprintf(stderr, "usage: before_draw [MAP FIRST N]\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10),
             n = strtoull(argv[3], NULL, 10);
    SnArena *a = sn_arena_new();
    for (uint64_t seed = first; seed < first + n; seed++) {
        draw_one(a, map, seed);
        sn_arena_clear(a);
    }
    sn_arena_free(a);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 5;
}
