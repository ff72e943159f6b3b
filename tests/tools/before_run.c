// SPDX-License-Identifier: Apache-2.0
/* Runs the graphs that before_draw writes, from stdin, only by evaluators, and
 * prints what each node computed: "SEED NAME KIND HASH" in the order of the
 * text, where a NaN counts as one whatever its sign and payload are.  A graph
 * that is refused, or whose run ends in an error, prints one line "SEED refused
 * TEXT" or "SEED failed LABEL: TEXT" instead.
 *
 * tests/long/before.sh compiles this file against two states of the tree: it
 * uses only what both have. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "graph/desc.h"
#include "graph/text/text.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

typedef struct Seen {
    SnArena *a;
    uint64_t *hash; /* by SnRef */
    bool *have;
    uint32_t n;
} Seen;

static void
see(void *ctx, SnRef ref, const SnTensor *t)
{
    Seen *s = ctx;
    size_t nbyte = sn_tensor_nbyte(t->type, t->shape);
    float *v = sn_memdup(s->a, t->data, nbyte + 1);

    if (ref >= s->n)
        return;
    for (size_t i = 0; t->type->elem == SN_F32 && i < nbyte / sizeof *v; i++)
        if (isnan(v[i]))
            v[i] = NAN;
    s->have[ref] = true;
    s->hash[ref] = XXH64(v, nbyte, 0);
}

/* The first line of a message. */
static void
put_line(const char *seed, const char *what, const char *text)
{
    const char *end = strchr(text, '\n');

    printf("%s %s %.*s\n", seed, what,
           (int)(end ? (size_t)(end - text) : strlen(text)), text);
}

static void
put_values(const char *seed, const SnGraph *g, const Seen *s)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        for (unsigned k = 0; !n->dead && k < n->nres; k++) {
            SnRef ref = SN_REF(id, k);
            if (ref < s->n && s->have[ref])
                printf("%s %s %s %016llx\n", seed, sn_name(g, ref),
                       sn_desc(n->kind)->name,
                       (unsigned long long)s->hash[ref]);
        }
    }
}

static void
run_one(SnArena *a, const SnBackendDesc *b, const char *seed, const char *text,
        size_t nbyte)
{
    SnSrc src = {.name = "case", .text = text, .nbyte = nbyte};
    SnDiag *d = sn_diag_new(a);
    const SnExec *x;
    SnGraph *g;

    if (sn_parse(a, &src, NULL, d, &g) != SN_OK ||
        sn_exec_prepare(a, g, b, d, &x) != SN_OK) {
        put_line(seed, "refused", sn_diag_text(d, a));
        return;
    }
    Seen s = {.a = a, .n = g->nnode << SN_RESBITS};
    s.hash = SN_NEW_N(a, uint64_t, s.n + 1);
    s.have = SN_NEW_N(a, bool, s.n + 1);
    SnRun *r = sn_run_new(a, x);
    r->hook = see;
    r->hook_ctx = &s;
    if (sn_run(r) == SN_OK)
        put_values(seed, g, &s);
    else
        put_line(seed, "failed",
                 sn_format(a, "%s: %s", r->where ? r->where : "?", r->why));
    sn_run_free(r);
}

int
main(void)
{
    const SnBackendDesc *b = sn_backend_named("interp");
    size_t room = 0, n = 0, most = 1 << 16;
    char *line = NULL, *text = malloc(most), seed[32] = "?";
    SnArena *a = sn_arena_new();
    ssize_t len;

    while (text && (len = getline(&line, &room, stdin)) > 0) {
        if (!strcmp(line, "; END\n")) {
            run_one(a, b, seed, text, n);
            sn_arena_clear(a);
            n = 0;
            continue;
        }
        if (sscanf(line, "; SEED %31s", seed) == 1)
            continue;
        while (n + (size_t)len > most)
            text = realloc(text, most *= 2);
        memcpy(text + n, line, (size_t)len);
        n += (size_t)len;
    }
    sn_arena_free(a);
    free(line);
    free(text);
    return n == 0 && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 5;
}
