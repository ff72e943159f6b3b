// SPDX-License-Identifier: Apache-2.0
/* sinter: reads the verb, runs it, prints. */
#include "cli/cli.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backend/plugin.h"
#include "base/file/file.h"
#include "base/version.h"
#include "kernel/isa.h"

const SnVerb *
sn_verb_named(const char *name)
{
    for (const SnVerb *v = sn_verbs; v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

SnStatus
sn_unknown_verb(SnCli *c, const char *name)
{
    const char *cand[SN_MOST_VERBS];
    size_t n = 0;

    for (const SnVerb *v = sn_verbs; v->name; v++)
        cand[n++] = v->name;
    const char *near = sn_closest(name, cand, n);
    if (near)
        return sn_fail(c->d, SN_EUSAGE, name,
                       "is not a verb of sinter; did you mean '%s'?", near);
    return sn_fail(c->d, SN_EUSAGE, name,
                   "is not a verb of sinter; see 'sinter --help'");
}

/* An unknown name of an instruction set would otherwise select the best one. */
static SnStatus
check_cpu(SnCli *c)
{
    const char *want = getenv("SINTER_CPU");
    SnIsa isa;
    SnBuf b;

    if (!want || !*want || sn_isa_named(want, &isa))
        return SN_OK;
    sn_buf_init(&b, c->a);
    for (int i = 0; i < SN_NISA; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", sn_isa_name((SnIsa)i));
    return sn_fail(c->d, SN_EUSAGE, "SINTER_CPU",
                   "no instruction set is "
                   "named '%s' (there are: %s)",
                   want, sn_buf_str(&b));
}

static SnStatus
run(SnCli *c, int argc, char **argv)
{
    if (argc < 2) {
        SnBuf b;
        sn_buf_init(&b, c->a);
        sn_args_help(&b, NULL);
        fputs(sn_buf_str(&b), stderr);
        return SN_EUSAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        sn_args_help(&c->out, NULL);
        return SN_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        sn_puts(&c->out, "sinter " SN_VERSION "\n");
        return SN_OK;
    }
    int at = 1 + sn_args_verb(argc - 1, argv + 1);
    if (at >= argc)
        return sn_unknown_verb(c, argv[1]);
    const SnVerb *v = sn_verb_named(argv[at]);
    if (!v)
        return sn_unknown_verb(c, argv[at]);
    for (int i = at; i > 1; i--) /* what stood before the verb, behind it */
        argv[i] = argv[i - 1];
    SN_TRY(sn_args_parse(c, v, argc - 2, argv + 2));
    if (c->args.help) {
        sn_args_help(&c->out, v);
        return SN_OK;
    }
    sn_budget_limit(c->budget, &c->args.limits);
    sn_cli_alarm(c->args.limits.seconds);
    sn_cli_spread(c);
    SN_TRY(check_cpu(c));
    if (c->args.plugin)
        SN_TRY(sn_plugin_load(c->d, c->args.plugin));
    return v->run(c);
}

/* Runs the command and prints what it said. */
static SnStatus
command(SnCli *c, int argc, char **argv)
{
    c->a = sn_arena_new();
    c->d = sn_diag_new(c->a);
    sn_buf_init(&c->out, c->a);
    SnStatus st = run(c, argc, argv);
    if (sn_file_mapped_check(c->d) != SN_OK) /* whatever it led to */
        st = SN_EINPUT;
    if (!sn_cli_put(c, stdout) || fflush(stdout) != 0) {
        SnStatus full = sn_fail(c->d, SN_EOUTPUT, "standard output",
                                "cannot write: %s", strerror(errno));
        st = st == SN_OK ? full : st;
    }
    sn_diag_print(c->d, stderr);
    return st;
}

/* A limit was met, or memory ran out: c->d is there or not, and may be past
 * using. */
static SnStatus
stopped(SnCli *c)
{
    const SnTrip t = *sn_budget_trip();
    SnGuard gu;

    sn_file_drop_temporaries();
    if (c->d && !setjmp(gu.env)) {
        sn_guard_push(&gu);
        sn_fail_trip(c->d, &t);
        sn_diag_print(c->d, stderr);
        sn_guard_pop(&gu);
    } else {
        fprintf(stderr, "%s: %s\n", t.where, t.text);
    }
    return SN_ENOMEM;
}

/* For the reader of JSON, which forgets characters of a word where memory runs
 * out in it, and then reads past the word's end. */
static void *
json_memory(size_t n)
{
    void *p = malloc(n);

    if (!p)
        sn_out_of_memory();
    return p;
}

int
main(int argc, char **argv)
{
    static const SnLimits defaults;
    static SnCli c; /* outlives a jump */
    SnStatus st;
    SnGuard gu;

    sn_cli_signals();
    json_set_alloc_funcs(json_memory, free);
    c.budget = sn_budget_new(&defaults);
    sn_budget_use(c.budget);
    if (setjmp(gu.env)) {
        st = stopped(&c);
    } else {
        sn_guard_push(&gu);
        if (!c.budget)
            sn_out_of_memory();
        st = command(&c, argc, argv);
        sn_guard_pop(&gu);
    }
    sn_budget_free(c.budget);
    return (int)st;
}
