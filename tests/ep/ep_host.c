// SPDX-License-Identifier: Apache-2.0
/* Runs models in ONNX Runtime with the provider of sinter and without, on drawn
 * inputs, and compares all outputs bit by bit.  Usage: ep_host [-b] ONNXRUNTIME
 * PROVIDER THREADS NRUN MODEL[@INPUT=SHAPE]...; prints a line for each model:
 * its name, and `same`, `differs by N steps in M of K`, or what is wrong; -b:
 * and the least times of a run in microseconds, theirs, ours, and that of
 * sinter alone.  A session with a node of ONNX Runtime's own is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "differ/peer.h"
#include "sinter.h"

enum { MAXIO = 64 };

static const SnDtype dtypes[] = {
    [SINTER_FLOAT32] = SN_D_F32, [SINTER_FLOAT16] = SN_D_NONE,
    [SINTER_INT8] = SN_D_I8,     [SINTER_UINT8] = SN_D_U8,
    [SINTER_INT16] = SN_D_I16,   [SINTER_INT32] = SN_D_I32,
    [SINTER_INT64] = SN_D_I64,   [SINTER_BOOL] = SN_D_BOOL,
};

typedef struct Job {
    SnArena *a;
    const char *path;
    SinterModel *m;
    SinterSession *s;
    uint32_t nin, nout;
    SnData in[MAXIO];
    void *buffer[MAXIO], *mine[MAXIO];
    uint64_t seed;
    double worst;
    size_t ndiffer, nall;
} Job;

static uint64_t
draw(Job *j)
{
    j->seed = j->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return j->seed >> 33;
}

/* Reals of some width, small integers: sums of ONNX Runtime's kernels for
 * uint8 and int8 saturate on large ones where there is no VNNI. */
static void
fill(Job *j)
{
    for (uint32_t i = 0; i < j->nin; i++) {
        size_t n = sinter_model_input(j->m, i)->nbyte;
        float wide = (float)(1 << draw(j) % 4);
        if (j->in[i].dtype == SN_D_F32) {
            float *x = j->buffer[i];
            for (size_t k = 0; k < n / sizeof *x; k++)
                x[k] = ((float)(draw(j) % 2001) / 1000 - 1) * wide;
        } else {
            uint8_t *x = j->buffer[i];
            memset(x, 0, n);
            size_t step = sn_dtype_size(j->in[i].dtype);
            for (size_t k = 0; k < n; k += step)
                x[k] = (uint8_t)(draw(j) % (step == 1 ? 128 : 8));
        }
    }
}

static bool
open_job(Job *j, const char *path, const char **why)
{
    SinterError *e = SN_NEW(j->a, SinterError);

    const char *shape[] = {strchr(path, '@'), NULL};
    SinterImport io = {.size = sizeof io, .shapes = shape};

    *why = e->message;
    j->path = path;
    if (shape[0]) {
        j->path = sn_strndup(j->a, path, (size_t)(shape[0] - path));
        shape[0]++;
    }
    if (sinter_model_load(NULL, j->path, shape[0] ? &io : NULL, &j->m, e) !=
        SINTER_OK)
        return false;
    j->nin = sinter_model_ninput(j->m);
    j->nout = sinter_model_noutput(j->m);
    if (j->nin > MAXIO || j->nout > MAXIO)
        return false;
    for (uint32_t i = 0; i < j->nin; i++) {
        const SinterPort *p = sinter_model_input(j->m, i);
        SnData d = {.dtype = dtypes[p->elem], .rank = p->rank};
        memcpy(d.dim, p->dim, sizeof p->dim);
        j->buffer[i] = sn_alloc(j->a, p->nbyte);
        d.data = j->buffer[i];
        j->in[i] = d;
    }
    for (uint32_t i = 0; i < j->nout; i++)
        j->mine[i] = sn_alloc(j->a, sinter_model_output(j->m, i)->nbyte);
    return true;
}

/* The difference of two elements: of reals, of bytes as int8, or 1. */
static void
compare(Job *j, uint32_t i, const void *want, const void *got)
{
    const SinterPort *p = sinter_model_output(j->m, i);
    size_t size =
        p->elem == SINTER_FLOAT32 ? 4 : sn_dtype_size(dtypes[p->elem]);

    for (size_t k = 0; k < p->nbyte; k += size) {
        const char *x = (const char *)want + k, *y = (const char *)got + k;
        j->nall++;
        if (!memcmp(x, y, size))
            continue;
        double d = 1;
        float a = 0, b = 1;
        if (p->elem == SINTER_FLOAT32) {
            memcpy(&a, x, 4);
            memcpy(&b, y, 4);
            d = fabs((double)a - (double)b);
        } else if (size == 1) {
            d = abs((uint8_t)(*x ^ 0x80) - (uint8_t)(*y ^ 0x80));
        }
        if (!(d <= j->worst))
            j->worst = d;
        j->ndiffer += a != b;
    }
}

static bool
run_all(Job *j, OrtHeld *theirs, OrtHeld *ours, int nrun, const char **why)
{
    for (int r = 0; r < nrun; r++) {
        fill(j);
        if (!ort_again(theirs, why) || !ort_again(ours, why))
            return false;
        for (uint32_t i = 0; i < j->nout; i++)
            compare(j, i, ort_result(theirs, i), ort_result(ours, i));
    }
    return true;
}

static bool
hold(Job *j, Ort *theirs, Ort *ours, OrtHeld **x, OrtHeld **y, const char **why)
{
    *x = ort_hold(theirs, j->a, j->path, j->nin, j->in, why);
    *y = *x ? ort_hold(ours, j->a, j->path, j->nin, j->in, why) : NULL;
    return *y != NULL;
}

/* ---- times ---- */

static double
least(OrtHeld *h, Job *j)
{
    const char *why;
    double best = 1e9;

    for (int r = 0; r < 300; r++) {
        double t = sn_now();
        if (h)
            ort_again(h, &why);
        else
            sinter_session_run(j->s, (const void *const *)j->buffer, j->mine,
                               NULL);
        t = sn_now() - t;
        best = t < best ? t : best;
    }
    return best * 1e6;
}

static void
bench(Job *j, OrtHeld *theirs, OrtHeld *ours, uint32_t nthread)
{
    SinterSessionConfig c = {.size = sizeof c, .threads = nthread};

    if (sinter_model_optimize(j->m, NULL, NULL) != SINTER_OK ||
        sinter_session_new(j->m, &c, &j->s, NULL) != SINTER_OK)
        return;
    printf(" %.1f %.1f %.1f", least(theirs, j), least(ours, j), least(NULL, j));
    sinter_session_free(j->s);
}

int
main(int argc, char **argv)
{
    bool timed = argc > 1 && !strcmp(argv[1], "-b");
    SnArena *a = sn_arena_new();
    const char *why = "";
    int bad = 0;

    argv += timed;
    argc -= timed;
    if (argc < 6) {
        fprintf(stderr, "ep_host [-b] ONNXRUNTIME PROVIDER THREADS NRUN "
                        "MODEL...\n");
        return 2;
    }
    int nthread = atoi(argv[3]);
    OrtOpts plain = {.level = timed ? 99 : 0, .nthread = nthread};
    OrtOpts with = {.level = 0,
                    .nthread = 1,
                    .provider = argv[2],
                    .nkey = 2,
                    .key = {"bits", "threads"},
                    .value = {"contract", argv[3]},
                    .whole = true};
    Ort *theirs = ort_open(a, argv[1], &plain, &why);
    Ort *ours = theirs ? ort_open(a, argv[1], &with, &why) : NULL;
    if (!ours) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    for (int i = 5; i < argc; i++) {
        Job j = {.a = a, .seed = 7};
        OrtHeld *x = NULL, *y = NULL;
        int nrun = atoi(argv[4]);
        bool ok = open_job(&j, argv[i], &why) &&
                  hold(&j, theirs, ours, &x, &y, &why) &&
                  run_all(&j, x, y, nrun, &why);
        printf("%s ", argv[i]);
        if (!ok)
            printf("fails: %s", why);
        else if (j.ndiffer)
            printf("differs by %g in %zu of %zu", j.worst, j.ndiffer, j.nall);
        else
            printf("same");
        if (ok && timed)
            bench(&j, x, y, (uint32_t)nthread);
        printf("\n");
        fflush(stdout);
        bad += !ok || j.ndiffer;
        sinter_model_free(j.m);
    }
    sn_arena_free(a);
    return bad != 0;
}
