// SPDX-License-Identifier: Apache-2.0
/* Random models in ONNX Runtime with the provider under `bits = same`, and
 * without: every output has the same bits (one NaN is another).  Some have
 * nodes that are left to ONNX Runtime, so that they run in parts.  Usage:
 * ep_differ ONNXRUNTIME PROVIDER N SEED [FORM [OPERATOR]]; FORM is float, qdq,
 * qop, or exact: qdq with scales that make sums exact.  Prints what of each
 * operator was claimed with -v, then one `ok` or `not ok` line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "differ/gen.h"

enum { MAXOP = 128, SHOWN = 20, NLEAVE = 8 };

static const char *const form_name[GEN_NFORM] = {"float", "qdq", "qop"};

typedef struct Row { /* models of one operator */
    uint32_t n, nclaimed, ndiffer;
} Row;

typedef struct Tally {
    Row row[GEN_NFORM][MAXOP];
    uint32_t nrun, nrefused, nexcluded, ndiffer, nwhole, nparts;
} Tally;

static unsigned nclaimed, nnode, npart;

static void
hear(void *ctx, const char *text)
{
    const char *s = strstr(text, "sinter: claims ");

    (void)ctx;
    if (getenv("EP_LOG") && strstr(text, "sinter: "))
        fprintf(stderr, "%s\n", text);
    if (s)
        sscanf(s, "sinter: claims %u of %u nodes in %u", &nclaimed, &nnode,
               &npart);
}

/* ---- comparing ---- */

static bool
same_reals(const SnData *x, const SnData *y)
{
    int64_t n = sn_data_count(x);

    for (int64_t i = 0; i < n; i++) {
        float a, b;
        memcpy(&a, (const char *)x->data + 4 * i, 4);
        memcpy(&b, (const char *)y->data + 4 * i, 4);
        if (memcmp(&a, &b, 4) != 0 && !(a != a && b != b))
            return false;
    }
    return true;
}

static bool
same(const SnData *x, const SnData *y)
{
    if (x->dtype != y->dtype || x->rank != y->rank ||
        memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim) != 0)
        return false;
    return x->dtype == SN_D_F32 ? same_reals(x, y)
                                : !memcmp(x->data, y->data, sn_data_nbyte(x));
}

/* ---- one model ---- */

static void
tell(const Gen *g, uint64_t seed, const char *why)
{
    printf("| %s, seed %llu: %s, %u of %u claimed in %u\n", form_name[g->form],
           (unsigned long long)seed, why, nclaimed, nnode, npart);
    for (uint32_t i = 0; i < g->m->nnode; i++)
        if (dm_needs(g->m, i))
            printf("|   %s\n", dm_show(g->m, g->m->a, i));
}

/* Reals that differ, theirs first. */
static void
show_reals(const SnData *x, const SnData *y)
{
    const float *a = x->data, *b = y->data;
    size_t n = sn_data_nbyte(x) / sizeof *a, shown = 0;

    for (size_t i = 0; b && i < n && shown < SHOWN; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) {
            printf("|   %zu: %a, but %a\n", i, (double)a[i], (double)b[i]);
            shown++;
        }
}

static void
compare(Gen *g, Ort *ours, Tally *t, uint64_t seed, uint32_t first)
{
    SnArena *a = g->m->a;
    OrtIo in[DM_MAXVAL], out = {.name = g->m->val[g->m->out].name};
    OrtIo mine = out;
    uint32_t nin = dm_inputs(g->m, in);
    const char *why = "differs";
    void *p;
    size_t n;

    dm_pack(g->m, a, &p, &n);
    if (!ort_run(g->ort, a, p, n, nin, in, 1, &out, &why)) {
        t->nrefused++;
        return;
    }
    nclaimed = nnode = npart = 0;
    bool ok = ort_run(ours, a, p, n, nin, in, 1, &mine, &why);
    ok = ok && same(&out.data, &mine.data);
    t->nrun++;
    t->nwhole += nclaimed == nnode;
    t->nparts += npart;
    t->ndiffer += !ok;
    if (g->nop == 1) {
        Row *r = &t->row[g->form][first];
        r->n++;
        r->nclaimed += nclaimed == nnode;
        r->ndiffer += !ok;
    }
    if (!ok && t->ndiffer <= SHOWN)
        tell(g, seed, why);
    if (!ok && t->ndiffer <= SHOWN && out.data.dtype == SN_D_F32)
        show_reals(&out.data, &mine.data);
}

typedef struct Args {
    const char *lib, *provider, *form, *op;
    uint64_t n, seed;
    bool verbose;
} Args;

static void
plan(const Args *x, Gen *g, uint64_t seed, uint32_t *first, uint32_t *nop)
{
    uint64_t i = seed / GEN_NFORM;

    g->form = (GenForm)(seed % GEN_NFORM);
    for (int f = 0; x->form && f < GEN_NFORM; f++)
        if (!strcmp(x->form, form_name[f]))
            g->form = (GenForm)f;
    g->exact = x->form && !strcmp(x->form, "exact");
    if (g->exact)
        g->form = GEN_QDQ;
    *first = (uint32_t)(i / 2 % gen_nop(g->form));
    *nop = i % 2 == 0 ? 1 : 2 + gen_below(g, 7);
    for (uint32_t k = 0; x->op && k < gen_nop(g->form); k++)
        if (!strcmp(x->op, gen_op_name(g->form, k))) {
            *first = k;
            *nop = 1;
        }
}

static void
run_seed(const Args *x, Ort *theirs, Ort **ours, Tally *t, uint64_t seed)
{
    SnArena *a = sn_arena_new();
    Gen *g = SN_NEW(a, Gen);
    uint32_t first, nop;

    g->m = SN_NEW(a, Dm);
    g->m->a = a;
    g->m->name = "m";
    g->ort = theirs;
    g->state = seed * 0x2545f491 + 1;
    plan(x, g, seed, &first, &nop);
    if (!gen_model(g, first, nop))
        t->nrefused++;
    else if (gen_excluded(g))
        t->nexcluded++;
    else
        compare(g, ours[nop == 1 ? 0 : seed / 7 % NLEAVE], t, seed, first);
    sn_arena_free(a);
}

/* ---- all ---- */

static void
table(const Tally *t)
{
    for (int f = 0; f < GEN_NFORM; f++)
        for (uint32_t i = 0; i < gen_nop((GenForm)f); i++) {
            const Row *r = &t->row[f][i];
            if (r->n)
                printf("| %-6s %-26s %5u models, %5u claimed whole, %5u "
                       "differ\n",
                       form_name[f], gen_op_name((GenForm)f, i), r->n,
                       r->nclaimed, r->ndiffer);
        }
}

/* Several, of which all but the first leave nodes to ONNX Runtime. */
static bool
open_all(SnArena *a, const Args *x, Ort **theirs, Ort **ours, const char **why)
{
    static const char *const leave[NLEAVE] = {
        "",         "#0",       "#1",          "#2",
        "#1,#4,#5", "#3,#6,#9", "#0,#2,#4,#6", "#5,#7,#8"};
    OrtOpts o = {.nthread = 1, .log = hear};

    *theirs = ort_open(a, x->lib, &o, why);
    o.provider = x->provider;
    for (int i = 0; *theirs && i < NLEAVE; i++) {
        o.nkey = i ? 2 : 1;
        o.key[0] = "small";
        o.value[0] = "1";
        o.key[1] = "leave";
        o.value[1] = leave[i];
        if (!(ours[i] = ort_open(a, x->lib, &o, why)))
            return false;
    }
    return *theirs != NULL;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    Tally *t = SN_NEW(a, Tally);
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    Ort *theirs, *ours[NLEAVE];
    const char *why = "";

    argc -= verbose;
    argv += verbose;
    if (argc < 5) {
        fprintf(stderr, "ep_differ [-v] ONNXRUNTIME PROVIDER N SEED [FORM "
                        "[OPERATOR]]\n");
        return 2;
    }
    Args x = {argv[1],
              argv[2],
              argc > 5 ? argv[5] : NULL,
              argc > 6 ? argv[6] : NULL,
              strtoull(argv[3], NULL, 10),
              strtoull(argv[4], NULL, 10),
              verbose};
    if (!open_all(a, &x, &theirs, ours, &why)) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    for (uint64_t i = 0; i < x.n; i++)
        run_seed(&x, theirs, ours, t, x.seed + i);
    if (x.verbose)
        table(t);
    printf("| %u models, %u refused by ONNX Runtime, %u excluded; %u claimed "
           "whole, %u parts in all\n",
           t->nrun, t->nrefused, t->nexcluded, t->nwhole, t->nparts);
    bool ok = t->ndiffer == 0 && t->nrun >= x.n * 9 / 10;
    printf("%s ep: %u random models, %u differ\n", ok ? "ok" : "not ok",
           t->nrun, t->ndiffer);
    sn_arena_free(a);
    return !ok;
}
