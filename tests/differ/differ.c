// SPDX-License-Identifier: Apache-2.0
/* Random models through ONNX Runtime and sinter.
 *
 *   differ --ort LIB [--n N] [--seed S] [--form F] [--op NAME] [--out DIR]
 *   differ --ort LIB --store DIR     write vectors: models, inputs, outputs
 *   differ --replay DIR              sinter against those, without the peer
 *
 * Model i of N has seed S + i.  Prints "ok" and "not ok" lines and tables;
 * what does not agree is made small, printed, and written to DIR. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/file.h"
#include "check.h"
#include "onnx/proto/tensor_pb.h"
#include "shrink.h"

enum { MAXOP = 128, MAXWHY = 64, SHOWN = 20 };

static const char *const form_name[GEN_NFORM] = {"float", "qdq", "qop"};

typedef struct Row { /* what came of the models of one operator */
    int64_t nmodel, n, ndiff, nbad, nisland;
    double most;
} Row;

typedef struct Whole { /* and of those of several */
    int64_t nmodel, n, ndiff, nbad;
    double worst;      /* dB */
    uint32_t nband[5]; /* SQNR: equal, from 40, from 30, from 20, below */
} Whole;

typedef struct Tally {
    Row row[GEN_NFORM][MAXOP];
    Whole whole[GEN_NFORM];
    int64_t nrun, nrefused, nexcluded, nbad, nunsupported;
    uint32_t nwhy;
    struct {
        const char *why;
        int64_t n;
    } why[MAXWHY];
} Tally;

typedef struct Args {
    const char *lib, *form, *op, *out, *store, *replay;
    uint64_t n, seed;
} Args;

/* One more of a kind of message. */
static void
count_why(SnArena *a, Tally *t, const char *why)
{
    const char *p = strstr(why, "): ");

    p = p != NULL ? p + 3 : why;
    why = sn_strndup(a, p, strcspn(p, "\n"));
    for (uint32_t i = 0; i < t->nwhy; i++)
        if (strcmp(t->why[i].why, why) == 0) {
            t->why[i].n++;
            return;
        }
    if (t->nwhy < MAXWHY) {
        t->why[t->nwhy].why = why;
        t->why[t->nwhy++].n = 1;
    }
}

static void
add_whole(Whole *w, const CkDiff *d, bool good)
{
    static const double from[] = {1e9, 40, 30, 20};
    int band = 0;

    if (w->nmodel++ == 0 || d->sqnr < w->worst)
        w->worst = d->sqnr;
    w->n += d->n;
    w->ndiff += d->ndiff;
    w->nbad += !good;
    while (band < 4 && !(d->sqnr >= from[band]))
        band++;
    w->nband[band]++;
}

static void
add_row(Row *r, const CkRun *run, bool good)
{
    r->nmodel++;
    r->n += run->diff.n;
    r->ndiff += run->diff.ndiff;
    r->most = fmax(r->most, run->diff.most);
    r->nbad += !good;
    r->nisland += run->nfloat > 0;
}

/* ---- one model ---- */

static void
report(Gen *g, const Args *args, uint64_t seed, CkRule rule, CkWay way,
       const char *why, int64_t nbad)
{
    const char *dir = sn_format(g->m->a, "%s/%s_%llu", args->out,
                                form_name[g->form], (unsigned long long)seed);

    printf("not ok differ: %s model, seed %llu, %s%s%s\n", form_name[g->form],
           (unsigned long long)seed, ck_way_name(way), *why ? ": " : "", why);
    if (nbad <= SHOWN)
        shrink(g, rule, way, dir);
    fflush(stdout);
}

static void
one(Gen *g, SnArena *keep, const Args *args, Tally *t, uint64_t seed,
    uint32_t first)
{
    SnArena *a = g->m->a;
    OrtIo in[DM_MAXVAL], out = {.name = g->m->val[g->m->out].name};
    uint32_t nin = dm_inputs(g->m, in);
    const char *why = "";
    void *p;
    size_t n;

    dm_pack(g->m, a, &p, &n);
    if (!ort_run(g->ort, a, p, n, nin, in, 1, &out, &why)) {
        t->nrefused++;
        return;
    }
    t->nrun++;
    for (CkWay way = CK_EVAL; way < CK_NWAY; way++) {
        CkRule rule = ck_rule(g->form, g->nop, g->op, way);
        CkRun r;
        bool good;
        if (!ck_applies(g->form, way))
            continue;
        r = ck_run(a, g->form, g->nop > 1, way, p, n, nin, in, out.name,
                   &out.data);
        if (r.status == SN_EUNSUPPORTED) {
            t->nunsupported++;
            count_why(keep, t, r.why);
            return;
        }
        good = r.status == SN_OK &&
               ck_agrees(rule, gen_steps(g), &out.data, &r.diff);
        t->nbad += !good;
        if (way == CK_NWAY - 1 && g->nop > 1)
            add_whole(&t->whole[g->form], &r.diff, good);
        else if (way == CK_NWAY - 1)
            add_row(&t->row[g->form][first], &r, good);
        if (!good) {
            report(g, args, seed, rule, way, r.status == SN_OK ? "" : r.why,
                   t->nbad);
            return;
        }
    }
}

/* The form, length and first operator of model `seed`: half are of one. */
static bool
plan(const Args *args, Gen *g, uint64_t seed, uint32_t *first, uint32_t *nop)
{
    uint64_t i = seed / GEN_NFORM;

    g->form = (GenForm)(seed % GEN_NFORM);
    for (int f = 0; args->form != NULL && f < GEN_NFORM; f++)
        if (strcmp(args->form, form_name[f]) == 0)
            g->form = (GenForm)f;
    *first = (uint32_t)(i / 2 % gen_nop(g->form));
    *nop = i % 2 == 0 ? 1 : 2 + gen_below(g, 7);
    for (uint32_t k = 0; args->op != NULL && k < gen_nop(g->form); k++)
        if (strcmp(args->op, gen_op_name(g->form, k)) == 0) {
            *first = k;
            *nop = 1;
        }
    return true;
}

static void
run_seed(SnArena *keep, Ort *ort, const Args *args, Tally *t, uint64_t seed)
{
    SnArena *a = sn_arena_new();
    Gen *g = SN_NEW(a, Gen);
    uint32_t first, nop;

    g->m = SN_NEW(a, Dm);
    g->m->a = a;
    g->m->name = sn_format(a, "seed%llu", (unsigned long long)seed);
    g->ort = ort;
    g->state = seed * 0x2545f491 + 1;
    plan(args, g, seed, &first, &nop);
    if (!gen_model(g, first, nop)) {
        t->nrefused++;
        count_why(keep, t,
                  sn_format(a, "refused by ONNX Runtime: %.90s",
                            g->why ? g->why : "no operands"));
    } else if (gen_excluded(g) != NULL) {
        t->nexcluded++;
        count_why(keep, t, sn_format(a, "excluded: %s", gen_excluded(g)));
    } else {
        one(g, keep, args, t, seed, first);
    }
    sn_arena_free(a);
}

/* ---- tables ---- */

static void
table(const Tally *t)
{
    printf("| %-6s %-26s %6s %9s %8s %5s %7s\n", "form", "one operator",
           "models", "elements", "differ", "most", "float");
    for (int f = 0; f < GEN_NFORM; f++)
        for (uint32_t i = 0; i < gen_nop((GenForm)f); i++) {
            const Row *r = &t->row[f][i];
            if (r->nmodel > 0)
                printf("| %-6s %-26s %6lld %9lld %8lld %5.3g %7lld\n",
                       form_name[f], gen_op_name((GenForm)f, i),
                       (long long)r->nmodel, (long long)r->n,
                       (long long)r->ndiff, r->most, (long long)r->nisland);
        }
    printf("| %-6s %-16s %6s %9s %8s %8s   %s\n", "form", "several operators",
           "models", "elements", "differ", "worst dB",
           "models: equal, 40 dB, 30 dB, 20 dB, below");
    for (int f = 0; f < GEN_NFORM; f++) {
        const Whole *w = &t->whole[f];
        if (w->nmodel > 0)
            printf("| %-6s %-17s %6lld %9lld %8lld %8.1f   %u, %u, %u, %u, "
                   "%u\n",
                   form_name[f], "", (long long)w->nmodel, (long long)w->n,
                   (long long)w->ndiff, w->worst, w->nband[0], w->nband[1],
                   w->nband[2], w->nband[3], w->nband[4]);
    }
    for (uint32_t i = 0; i < t->nwhy; i++)
        printf("| %lld: %s\n", (long long)t->why[i].n, t->why[i].why);
}

static int
compare(SnArena *a, Ort *ort, const Args *args)
{
    Tally *t = SN_NEW(a, Tally);

    for (uint64_t i = 0; i < args->n; i++)
        run_seed(a, ort, args, t, args->seed + i);
    table(t);
    printf("| %lld models run, %lld beyond sinter, %lld refused by ONNX "
           "Runtime %s, %lld excluded\n",
           (long long)t->nrun, (long long)t->nunsupported,
           (long long)t->nrefused, ort_version(ort), (long long)t->nexcluded);
    /* A generator that the peer mostly refuses would test nothing. */
    if (t->nrun < (int64_t)(args->n * 9 / 10)) {
        printf("not ok differ: only %lld of %llu models were run\n",
               (long long)t->nrun, (unsigned long long)args->n);
        return 1;
    }
    if (t->nbad == 0)
        printf("ok differ: %lld models\n", (long long)t->nrun);
    return t->nbad > 0;
}

/* ---- the command line ---- */

static bool
parse(int argc, char **argv, Args *args)
{
    struct {
        const char *name, **text;
        uint64_t *number;
    } o[] = {
        {"--ort", &args->lib, NULL},     {"--n", NULL, &args->n},
        {"--seed", NULL, &args->seed},   {"--form", &args->form, NULL},
        {"--op", &args->op, NULL},       {"--out", &args->out, NULL},
        {"--store", &args->store, NULL}, {"--replay", &args->replay, NULL},
    };

    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;
        while (k < sizeof o / sizeof *o && strcmp(o[k].name, argv[i]) != 0)
            k++;
        if (k == sizeof o / sizeof *o || i + 1 == argc)
            return false;
        if (o[k].text != NULL)
            *o[k].text = argv[i + 1];
        else
            *o[k].number = strtoull(argv[i + 1], NULL, 10);
    }
    return args->replay != NULL || args->lib != NULL;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    Args args = {.n = 300, .out = "."};
    const char *why = "";
    Ort *ort;
    int rc;

    if (!parse(argc, argv, &args)) {
        fprintf(stderr, "differ --ort LIB [--n N] [--seed S] [--form F] "
                        "[--op NAME] [--out DIR] [--store DIR]\n"
                        "differ --replay DIR\n");
        return 2;
    }
    if (args.replay != NULL)
        return vectors_replay(a, args.replay);
    ort = ort_open(a, args.lib, NULL, &why);
    if (ort == NULL) {
        printf("not ok differ: %s: %s\n", args.lib, why);
        return 1;
    }
    rc = args.store != NULL ? vectors_store(a, ort, args.store)
                            : compare(a, ort, &args);
    sn_arena_free(a);
    return rc;
}
