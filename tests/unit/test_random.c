/* Passes on random graphs.  SINTER_RANDOM=N graphs of each flavour instead of
 * the few of a quick run, SINTER_SEED=S the first seed; SINTER_COVER=FILE
 * gets "pass.rule FIRES" for every rule. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "graph/text.h"
#include "random/graph_check.h"
#include "random/graph_gen.h"

enum { QUICK = 60 };

static uint32_t *fires;
static uint64_t ngraph, nnode, nfire;

static uint64_t
env(const char *name, uint64_t dflt)
{
    const char *s = getenv(name);

    return s && *s ? strtoull(s, NULL, 0) : dflt;
}

typedef struct Plan {
    const char *passes;
    const char *backend;
    SnRounding rounding;
    bool strict, measure, again;
    const char *const *optin;
} Plan;

static const char *const every_optin[] = {"quantized-io", "float-reshape",
                                          "fold-roundtrip", NULL};

static void
tell(SnArena *a, const SnRandomOpts *ro, const SnGraph *g,
     const SnCheckOpts *o, const char *why)
{
    const char *last = why;
    SnGraph *m = sn_graph_shrink(a, g, o, &last);

    /* cmocka cuts long messages off. */
    fprintf(stderr, "seed %" PRIu64 ", flavour %d, %s%s%s: %s\nsmallest graph "
            "(%s):\n%s", ro->seed, (int)ro->flavour, o->passes,
            o->strict ? " strict " : " ", o->backend ? o->backend : "interp",
            why, last, sn_graph_str(a, m));
    fail_msg("seed %" PRIu64 ": %s", ro->seed, last);
}

static void
one(SnRandomFlavour f, uint64_t seed, const Plan *p, uint32_t nplan)
{
    SnArena *a = sn_arena_new();
    SnRandomOpts ro = {.seed = seed, .flavour = f,
                       .nnode = 4 + (uint32_t)(seed % 13)};
    const SnGraph *g = sn_random_graph(a, &ro);
    SnDiag *d = sn_diag_new(a);

    if (sn_verify(g, d) != SN_OK)
        fail_msg("seed %" PRIu64 ": the generator's graph is wrong: %s", seed,
                 sn_diag_text(d, a));
    ngraph++;
    nnode += g->nlive;
    for (uint32_t i = 0; i < nplan; i++) {
        SnCheckOpts o = {.passes = p[i].passes, .backend = p[i].backend,
                         .strict = p[i].strict, .optin = p[i].optin,
                         .measure = p[i].measure, .again = p[i].again,
                         .every_fire = true,
                         .seed = seed * 7 + 1, .count = fires};
        SnArena *b = sn_arena_new();
        SnGraph *h = sn_graph_clone(g, b);
        h->rounding = p[i].rounding;
        const char *why = sn_graph_check(b, h, &o);
        if (why)
            tell(b, &ro, h, &o, why);
        sn_arena_free(b);
    }
    sn_arena_free(a);
}

static void
many(SnRandomFlavour f, const Plan *p, uint32_t nplan)
{
    uint64_t n = env("SINTER_RANDOM", QUICK), s = env("SINTER_SEED", 1);

    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", s, s + n - 1);
    for (uint64_t i = 0; i < n; i++)
        one(f, s + i, p, nplan);
}

static void
graphs_of_codes(void **state)
{
    static const Plan p[] = {
        {.passes = "quant_cleanup", .strict = true, .measure = true,
         .again = true},
        {.passes = "quant_cleanup", .measure = true, .again = true},
        {.passes = "backend", .backend = "cpu", .again = true},
        {.passes = "optimize"},
        {.passes = "optimize", .backend = "cpu", .strict = true},
        {.passes = "quant_cleanup", .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "optimize", .rounding = SN_ROUNDING_SINGLE,
         .strict = true},
        {.passes = "optimize", .backend = "interp_double", .strict = true,
         .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "optimize", .backend = "cpu",
         .rounding = SN_ROUNDING_DOUBLE, .strict = true},
        {.passes = "layout_motion", .again = true},
        {.passes = "simplify,integerize,quant_cleanup,layout_motion",
         .optin = every_optin},
    };

    (void)state;
    many(SN_RANDOM_CODES, p, sizeof p / sizeof *p);
}

static void
graphs_between_conversions(void **state)
{
    static const Plan p[] = {
        {.passes = "integerize", .again = true},
        {.passes = "integerize", .strict = true, .again = true},
        {.passes = "optimize"},
        {.passes = "optimize", .backend = "cpu", .strict = true},
        {.passes = "optimize", .backend = "interp_double", .strict = true,
         .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "quant_cleanup", .measure = true, .again = true},
        {.passes = "layout_motion", .again = true},
    };

    (void)state;
    many(SN_RANDOM_QDQ, p, sizeof p / sizeof *p);
}

static void
graphs_of_floats(void **state)
{
    static const Plan p[] = {
        {.passes = "simplify", .again = true},
        {.passes = "raise", .again = true},
        {.passes = "lower_nodes", .again = true},
        {.passes = "keep_lower", .again = true},
        {.passes = "fold,cse", .again = true},
        {.passes = "profile"},
        {.passes = "optimize", .backend = "cpu"},
    };

    (void)state;
    many(SN_RANDOM_FLOAT, p, sizeof p / sizeof *p);
}

static void
cover(void)
{
    const char *path = getenv("SINTER_COVER");
    FILE *f = path && *path ? fopen(path, "w") : NULL;

    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        nfire += fires[i];
        if (f)
            fprintf(f, "%s.%s %u\n", sn_rule(i)->pass, sn_rule(i)->name,
                    fires[i]);
    }
    if (f)
        fclose(f);
    printf("%" PRIu64 " graphs, %" PRIu64 " nodes, %" PRIu64 " fires\n",
           ngraph, nnode, nfire);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(graphs_of_codes),
        cmocka_unit_test(graphs_between_conversions),
        cmocka_unit_test(graphs_of_floats),
    };

    fires = calloc(sn_rule_end(), sizeof *fires);
    if (!fires)
        return 1;
    int rc = cmocka_run_group_tests(t, NULL, NULL);
    cover();
    free(fires);
    return rc;
}
