// SPDX-License-Identifier: Apache-2.0
/* Passes on random graphs.  SINTER_RANDOM=N graphs of each flavour instead of
 * the few of a quick run, SINTER_SEED=S the first seed, SINTER_GO_ON=N failures
 * before it ends, SINTER_ONLY=NAME only tests of that name; SINTER_COVER=FILE
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
#include "cases/cases.h"
#include "graph/text/text.h"
#include "random/graph_check.h"
#include "random/graph_gen.h"
#include "random/graph_shrink.h"
#include "sn_arith.h"

enum { QUICK = 60 };

static uint32_t *fires;
static uint64_t ngraph, nnode, nfire, ntold; /* ntold: failures */

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
    bool at_once; /* do not look at each fire alone */
    const char *const *optin;
} Plan;

static const char *const fuse[] = {"fuse", NULL};
static const char *const every_optin[] = {"quantized-io", "float-reshape",
                                          "fold-roundtrip", NULL};

static void
tell(SnArena *a, const SnRandomOpts *ro, const SnGraph *g, const SnCheckOpts *o,
     const char *why)
{
    const char *last = why;
    SnCheckOpts opts = *o;
    SnFault f = {.fn = sn_graph_check_fault, .ctx = &opts};
    SnGraph *m = sn_graph_shrink(a, g, &f, &last);

    /* cmocka cuts long messages off. */
    fprintf(stderr,
            "seed %" PRIu64 ", flavour %d, %s%s%s: %s\nsmallest graph "
            "(%s):\n%s",
            ro->seed, (int)ro->flavour, o->passes, o->strict ? " strict " : " ",
            o->backend ? o->backend : "interp", why, last, sn_graph_str(a, m));
    if (++ntold >= env("SINTER_GO_ON", 1))
        fail_msg("seed %" PRIu64 ": %s", ro->seed, last);
}

static void
one(SnRandomFlavour f, uint64_t seed, const SnGraph *from, const Plan *p,
    uint32_t nplan)
{
    SnArena *a = sn_arena_new();
    SnRandomOpts ro = {
        .seed = seed, .flavour = f, .nnode = 4 + (uint32_t)(seed % 13)};
    ro.from = from;
    /* Every second one begins where a rule fires. */
    if (!from && seed % 2)
        ro.from =
            sn_random_case(a, seed * 2654435761u >> 8, "CPU", seed % 8 == 1);
    if (ro.from)
        ro.nnode = from ? (uint32_t)(seed % 2) : (uint32_t)(seed >> 1) % 5;
    const SnGraph *g = sn_random_graph(a, &ro);
    SnDiag *d = sn_diag_new(a);

    if (sn_verify(g, d) != SN_OK)
        fail_msg("seed %" PRIu64 ": the generator's graph is wrong: %s", seed,
                 sn_diag_text(d, a));
    ngraph++;
    nnode += g->nlive;
    for (uint32_t i = 0; i < nplan; i++) {
        SnCheckOpts o = {.passes = p[i].passes,
                         .backend = p[i].backend,
                         .strict = p[i].strict,
                         .optin = p[i].optin,
                         .measure = p[i].measure,
                         .again = p[i].again,
                         .every_fire = !p[i].at_once,
                         .seed = seed * 7 + 1,
                         .count = fires};
        SnArena *b = sn_arena_new();
        SnGraph *h = sn_graph_clone(g, b);
        h->rounding = p[i].rounding;
        const char *why = sn_graph_check(b, h, &o);
        if (why)
            tell(b, &ro, h, &o, why);
        sn_arena_free(b);
        if (why)
            break;
    }
    sn_arena_free(a);
}

static void
many(SnRandomFlavour f, const Plan *p, uint32_t nplan)
{
    uint64_t n = env("SINTER_RANDOM", QUICK), s = env("SINTER_SEED", 1);

    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", s, s + n - 1);
    ntold = 0;
    for (uint64_t i = 0; i < n; i++)
        one(f, s + i, NULL, p, nplan);
    if (ntold)
        fail_msg("%" PRIu64 " graphs fail", ntold);
}

static void
graphs_of_codes(void **state)
{
    static const Plan p[] = {
        {.passes = "quant_cleanup",
         .strict = true,
         .measure = true,
         .again = true},
        {.passes = "quant_cleanup", .measure = true, .again = true},
        {.passes = "backend", .backend = "cpu", .again = true},
        {.passes = "optimize"},
        {.passes = "optimize", .backend = "cpu", .strict = true},
        {.passes = "quant_cleanup", .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "optimize", .rounding = SN_ROUNDING_SINGLE, .strict = true},
        {.passes = "optimize",
         .backend = "interp_double",
         .strict = true,
         .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "optimize",
         .backend = "cpu",
         .rounding = SN_ROUNDING_DOUBLE,
         .strict = true},
        {.passes = "layout_motion", .again = true},
        {.passes = "launch", .backend = "cpu", .optin = fuse, .again = true},
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
        {.passes = "optimize",
         .backend = "interp_double",
         .strict = true,
         .rounding = SN_ROUNDING_DOUBLE},
        {.passes = "quant_cleanup", .measure = true, .again = true},
        {.passes = "layout_motion", .again = true},
        {.passes = "quant_cleanup", .optin = every_optin},
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

/* A rule of a backend's own; one whose nodes round in more ways than one. */
static bool
own_rule(const SnCase *k)
{
    return !strcmp(k->pass, "backend");
}

static bool
ways_of_rounding(const SnCase *k)
{
    for (const char *const *line = k->graph; line && *line; line++)
        if (strstr(*line, "round = "))
            return true;
    return false;
}

/* All cases in turn; in between those of which there are few, and in which
 * faults show in few values. */
static const SnCase *
case_of(uint64_t i)
{
    bool (*which)(const SnCase *k) = i % 4 == 3   ? own_rule
                                     : i % 4 == 2 ? ways_of_rounding
                                                  : NULL;
    uint64_t n = i / 4;
    uint32_t have = 0;

    for (uint32_t k = 0; which && k < sn_ncase; k++)
        have += which(&sn_cases[k]);
    if (!have)
        return &sn_cases[(n * 2 + i % 2) % sn_ncase];
    n %= have;
    for (uint32_t k = 0;; k++)
        if (which(&sn_cases[k]) && n-- == 0)
            return &sn_cases[k];
}

/* Each instance of a rule in its own pass, on what is made of its case. */
static void
graphs_of_rules(void **state)
{
    uint64_t n = env("SINTER_RANDOM", QUICK) * 60, s = env("SINTER_SEED", 1);

    (void)state;
    ntold = 0;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", s, s + n - 1);
    for (uint64_t i = s; i < s + n; i++) {
        const SnCase *k = case_of(i);
        const char *optin[] = {NULL, NULL};
        SnArena *a = sn_arena_new();
        for (uint32_t r = 0; r < sn_rule_end(); r++)
            if (!strcmp(sn_rule(r)->pass, k->pass) &&
                !strcmp(sn_rule(r)->name, k->rule) && sn_rule(r)->optin)
                optin[0] = sn_rule(r)->optin;
        Plan p = {.passes = k->pass,
                  .backend = k->backend,
                  .optin = optin[0] ? optin : NULL,
                  .strict = i / sn_ncase % 2,
                  .at_once = true};
        if (k->graph)
            one((SnRandomFlavour)(i % SN_NRANDOM), i, sn_case_graph(a, k), &p,
                1);
        sn_arena_free(a);
    }
    if (ntold)
        fail_msg("%" PRIu64 " graphs fail", ntold);
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
    printf("%" PRIu64 " graphs, %" PRIu64 " nodes, %" PRIu64 " fires\n", ngraph,
           nnode, nfire);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(graphs_of_codes),
        cmocka_unit_test(graphs_between_conversions),
        cmocka_unit_test(graphs_of_floats),
        cmocka_unit_test(graphs_of_rules),
    };

    cmocka_set_test_filter(getenv("SINTER_ONLY")); /* NULL: all */
    fires = calloc(sn_rule_end(), sizeof *fires);
    if (!fires)
        return 1;
    int rc = cmocka_run_group_tests(t, NULL, NULL);
    cover();
    free(fires);
    return rc;
}
