// SPDX-License-Identifier: Apache-2.0
/* run_cases [-v] [NAME...]: every case of sn_cases[], or those whose instance
 * contains a NAME.
 *
 * Of the graph on which the rule must fire: it fires, alone in its pass; the
 * graph stays valid; --check-passes finds its values within the claim, over
 * all 256 codes where an operand has so many elements; exact rules keep the
 * bits of outputs; the measure falls; a second run does nothing; the graph
 * read from its text is rewritten alike; with a second reader of a value that
 * the pattern marks ":1", the rule does not fire.  Of a near miss: the rule
 * does not fire.
 *
 * Prints "ok" or "not ok" for each instance, then what there was;
 * SINTER_COVER=FILE gets "pass.rule FIRES" for every rule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cases/cases.h"
#include "graph/text/text.h"
#include "random/graph_check.h"
#include "sn_kinds.h"

enum { NSEED = 3 };
#define NONE UINT32_MAX

static struct {
    uint32_t fired, miss, once, none, nofire, wider;
} total;
static bool verbose;
static uint32_t *fires; /* [sn_rule_end()] */

/* ---- graphs ---- */

static const char *
joined(SnArena *a, const char *const *line)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (; *line; line++)
        sn_putf(&b, "%s\n", *line);
    return sn_buf_str(&b);
}

static SnGraph *
graph_of(SnArena *a, const char *text, const char **why)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnDiag *d = sn_diag_new(a);
    SnGraph *g = NULL;

    *src = (SnSrc){"case.sn", text, strlen(text), 0};
    if (sn_parse(a, src, NULL, d, &g) == SN_OK && sn_verify(g, d) == SN_OK)
        return g;
    *why = sn_format(a, "the graph made for the test is wrong: %s\n%s",
                     sn_diag_text(d, a), text);
    return NULL;
}

/* ---- the rule, alone ---- */

/* Two backends may have rules of one name. */
static uint32_t
rule_of(const SnCase *k)
{
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (!strcmp(sn_rule(i)->pass, k->pass) &&
            !strcmp(sn_rule(i)->name, k->rule) &&
            (!k->backend || !sn_rule(i)->backend ||
             !strcmp(sn_rule(i)->backend, k->backend)))
            return i;
    return NONE;
}

/* Every rule but this one, by its full name. */
static const char *const *
others(SnArena *a, uint32_t rule)
{
    const char **v = SN_NEW_N(a, const char *, sn_rule_end() + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (strcmp(sn_rule(i)->pass, sn_rule(rule)->pass) ||
            strcmp(sn_rule(i)->name, sn_rule(rule)->name))
            v[n++] = sn_format(a, "%s.%s", sn_rule(i)->pass, sn_rule(i)->name);
    return v;
}

static const char *
backend(const SnCase *k, uint32_t rule)
{
    if (k->backend)
        return k->backend;
    return sn_rule(rule)->backend ? sn_rule(rule)->backend : "interp";
}

/* ---- what must hold ---- */

/* Conversions are counted by the measure; other passes end by strata. */
static bool
falls(const SnCase *k)
{
    return !strcmp(k->pass, "quant_cleanup");
}

/* Runs the rule on g; *n counts its fires. */
static const char *
run(SnArena *a, const SnCase *k, uint32_t rule, const SnGraph *g, uint64_t seed,
    uint32_t *n)
{
    const char *optin[] = {sn_rule(rule)->optin, NULL};
    uint32_t *count = SN_NEW_N(a, uint32_t, sn_rule_end() + 1);
    SnCheckOpts o = {.passes = k->pass,
                     .backend = backend(k, rule),
                     .strict = true,
                     .every_fire = true,
                     .measure = falls(k),
                     .again = true,
                     .optin = optin[0] ? optin : NULL,
                     .disable = others(a, rule),
                     .seed = seed,
                     .count = count};
    const char *why = sn_graph_check(a, g, &o);

    *n = count[rule];
    fires[rule] += *n;
    return why;
}

static const char *
must_fire(SnArena *a, const SnCase *k, uint32_t rule, const char *const *graph)
{
    const char *why = NULL, *text = joined(a, graph);
    SnGraph *g = graph_of(a, text, &why);
    uint32_t n;

    for (uint64_t seed = 1; g && !why && seed <= NSEED; seed++) {
        why = run(a, k, rule, g, seed, &n);
        if (!why && !n)
            why = "does not fire";
    }
    return why ? sn_format(a, "%s\n%s", why, text) : NULL;
}

/* wider: a fire is no fault as long as its values are within the claim. */
static const char *
must_not(SnArena *a, const SnCase *k, uint32_t rule, const SnGraph *g,
         bool wider, const char *what)
{
    const char *why = NULL;
    uint32_t n = 0;

    for (uint64_t seed = 1; !why && seed <= (wider ? NSEED : 1); seed++)
        why = run(a, k, rule, g, seed, &n);
    if (!why && n && !wider)
        why = "it fires";
    if (!why && n) {
        total.wider++;
        if (verbose)
            printf("wider %s: fires although %s\n", k->instance, what);
    }
    return why ? sn_format(a, "%s although %s\n%s", why, what,
                           sn_graph_str(a, g))
               : NULL;
}

/* A second reader of the value of that name. */
static const char *
read_twice(SnArena *a, const SnCase *k, uint32_t rule, const char *name)
{
    const char *why = NULL;
    SnGraph *g = graph_of(a, joined(a, k->graph), &why);
    SnRef v = g ? sn_find(g, name) : 0;

    if (!v)
        return why ? why : sn_format(a, "no value is named %s", name);
    SnSaveAttr at = {.name = "second"};
    sn_save_new(g, NULL, v, &at);
    return must_not(a, k, rule, g, false,
                    sn_format(a, "%s has a second reader", name));
}

/* The routine of a derived family may know more than the guard of one of its
 * instances: it compares all codes, or keeps a saturation in a Rescale. */
static bool
derived(uint32_t rule)
{
    switch (sn_rule(rule)->family) {
    case SN_FAM_WRITTEN:
    case SN_FAM_LOWER:
    case SN_FAM_CUSTOM:
        return false;
    default:
        return true;
    }
}

static const char *
misses(SnArena *a, const SnCase *k, uint32_t rule)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < k->nmiss && !why; i++) {
        const SnCaseMiss *m = &k->miss[i];
        if (!m->graph) {
            total.none++;
            if (verbose)
                printf("none %s: near miss of %s: %s\n", k->instance, m->guard,
                       m->why);
            continue;
        }
        SnGraph *g = graph_of(a, joined(a, m->graph), &why);
        if (!g) { /* drawn by looser rules for shapes than the graph's */
            total.none++;
            if (verbose)
                printf("none %s: near miss of %s: %s\n", k->instance, m->guard,
                       why);
            why = NULL;
            continue;
        }
        total.miss++;
        why = must_not(a, k, rule, g, derived(rule),
                       sn_format(a, "%s is false", m->guard));
    }
    for (const char *s = k->once; s && *s && !why && k->graph;) {
        size_t n = strcspn(s, " ");
        total.once++;
        why = read_twice(a, k, rule, sn_strndup(a, s, n));
        s += n + (s[n] == ' ');
    }
    return why;
}

static bool
one(const SnCase *k)
{
    SnArena *a = sn_arena_new();
    uint32_t rule = rule_of(k);
    const char *why = NULL;

    if (rule == NONE)
        why = sn_format(a, "no rule is named %s.%s", k->pass, k->rule);
    else if (!k->graph)
        total.nofire++;
    else
        why = must_fire(a, k, rule, k->graph);
    if (rule != NONE && !why && k->apart)
        why = must_fire(a, k, rule, k->apart);
    if (!k->graph)
        printf("none %s (%s): %s\n", k->instance, k->where, k->why);
    if (rule != NONE && k->graph && !why)
        total.fired++;
    if (rule != NONE && !why)
        why = misses(a, k, rule);
    if (why)
        printf("not ok case %s (%s): %s\n", k->instance, k->where, why);
    else
        printf("ok case %s\n", k->instance);
    sn_arena_free(a);
    return !why;
}

static bool
wanted(const SnCase *k, int n, char **name)
{
    for (int i = 0; i < n; i++)
        if (strstr(k->instance, name[i]))
            return true;
    return n == 0;
}

static void
cover(void)
{
    const char *path = getenv("SINTER_COVER");
    FILE *f = path && *path ? fopen(path, "w") : NULL;

    for (uint32_t i = 0; f && i < sn_rule_end(); i++)
        fprintf(f, "%s.%s %u\n", sn_rule(i)->pass, sn_rule(i)->name, fires[i]);
    if (f)
        fclose(f);
}

int
main(int argc, char **argv)
{
    uint32_t bad = 0;
    int first = 1;

    if (argc > 1 && !strcmp(argv[1], "-v")) {
        verbose = true;
        first = 2;
    }
    fires = calloc(sn_rule_end() + 1, sizeof *fires);
    if (!fires)
        return 1;
    for (uint32_t i = 0; i < sn_ncase; i++)
        if (wanted(&sn_cases[i], argc - first, argv + first))
            bad += !one(&sn_cases[i]);
    cover();
    free(fires);
    printf("| cases: %u fire, %u without such a graph; near misses: %u of a "
           "conjunct (%u of derived instances fire within the claim), %u of "
           "a single use, %u cannot be made; %u failed\n",
           total.fired, total.nofire, total.miss, total.wider, total.once,
           total.none, bad);
    return bad != 0;
}
