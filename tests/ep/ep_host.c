// SPDX-License-Identifier: Apache-2.0
/* Runs models in ONNX Runtime with the provider of sinter and without, on drawn
 * inputs and on the samples beside each, and compares all outputs bit by bit.
 *
 *   ep_host [OPTION]... ONNXRUNTIME PROVIDER THREADS NRUN MODEL...
 *
 *   -o KEY=VALUE  an option of the provider
 *   -p            nodes of ONNX Runtime's own are allowed
 *   -r N          again N times, with nodes drawn that are left to it
 *   -s N          N sessions at once, each on a thread of its own
 *   -t            and how many threads the process has more after the first run
 *                 of ours
 *   -b            and the least times of a run in microseconds: theirs, ours,
 *                 both with all optimizations, and that of sinter alone
 *
 * A MODEL may end in @INPUT=SHAPE.
 * With -o quantize=PROFILE they are compared with sinter's own of the same
 * profile, as ONNX Runtime has none.  Prints a line for each model: its name,
 * what was claimed, and `same`, `differs by N steps in M of K`, or what is
 * wrong. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "differ/peer.h"
#include "onnx/proto/tensor_pb.h"
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
    unsigned nsample, npart, nclaimed;
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
run_both(Job *j, OrtHeld *theirs, OrtHeld *ours, const char **why)
{
    if (!ort_again(theirs, why) || !ort_again(ours, why))
        return false;
    if (j->s && sinter_session_run(j->s, (const void *const *)j->buffer,
                                   j->mine, NULL) != SINTER_OK)
        return false;
    for (uint32_t i = 0; i < j->nout; i++)
        compare(j, i, j->s ? j->mine[i] : ort_result(theirs, i),
                ort_result(ours, i));
    return true;
}

/* Sample k beside the model into the inputs; false: there is none that fits. */
static bool
read_sample(Job *j, int k)
{
    const char *slash = strrchr(j->path, '/');
    int dir = slash ? (int)(slash - j->path) : 0;
    SnArena *a = sn_arena_new();
    bool ok = j->nin > 0;
    SnData d;

    for (uint32_t i = 0; ok && i < j->nin; i++) {
        size_t n = sinter_model_input(j->m, i)->nbyte;
        ok = sn_pb_read(a,
                        sn_format(a, "%.*s/test_data_set_%d/input_%u.pb", dir,
                                  j->path, k, i),
                        sn_diag_new(a), &d) == SN_OK &&
             d.dtype == j->in[i].dtype && sn_data_nbyte(&d) == n;
        if (ok)
            memcpy(j->buffer[i], d.data, n);
    }
    sn_arena_free(a);
    return ok;
}

static bool
run_all(Job *j, OrtHeld *theirs, OrtHeld *ours, int nrun, const char **why)
{
    bool ok = true;

    for (int r = 0; ok && r < nrun; r++) {
        fill(j);
        ok = run_both(j, theirs, ours, why);
    }
    for (int k = 0; ok && read_sample(j, k); k++) {
        j->nsample++;
        ok = run_both(j, theirs, ours, why);
    }
    return ok;
}

/* A session of the model by that profile. */
static bool
quantize(Job *j, const char *profile, const char **why)
{
    SinterQuantize q = {.size = sizeof q, .profile = profile};
    SinterError *e = SN_NEW(j->a, SinterError);
    SinterModel *z = NULL;

    bool ok = sinter_model_quantize(j->m, &q, &z, e) == SINTER_OK &&
              sinter_session_new(z, NULL, &j->s, e) == SINTER_OK;
    *why = e->message;
    sinter_model_free(z);
    return ok;
}

static bool
hold(Job *j, Ort *theirs, Ort *ours, OrtHeld **x, OrtHeld **y, const char **why)
{
    *x = ort_hold(theirs, j->a, j->path, j->nin, j->in, why);
    *y = *x ? ort_hold(ours, j->a, j->path, j->nin, j->in, why) : NULL;
    return *y != NULL;
}

/* ---- sessions at once ---- */

typedef struct Lane {
    OrtHeld *h;
    int nrun;
    bool ok;
    pthread_t thread;
} Lane;

static void *
run_lane(void *of)
{
    Lane *l = of;
    const char *why;

    l->ok = true;
    for (int r = 0; l->ok && r < l->nrun; r++)
        l->ok = ort_again(l->h, &why);
    return NULL;
}

static bool
run_at_once(Job *j, Ort *ours, OrtHeld *theirs, uint32_t n, int nrun,
            const char **why)
{
    Lane *l = SN_NEW_N(j->a, Lane, n);
    bool ok = true;

    fill(j);
    for (uint32_t i = 0; ok && i < n; i++) {
        l[i] = (Lane){.nrun = nrun};
        l[i].h = ort_hold(ours, j->a, j->path, j->nin, j->in, why);
        ok = l[i].h && ort_again(theirs, why);
    }
    *why = "a thread cannot be made";
    for (uint32_t i = 0; ok && i < n; i++)
        ok = pthread_create(&l[i].thread, NULL, run_lane, &l[i]) == 0;
    for (uint32_t i = 0; ok && i < n; i++)
        pthread_join(l[i].thread, NULL);
    *why = "a run fails";
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = l[i].ok;
        for (uint32_t k = 0; ok && k < j->nout; k++)
            compare(j, k, ort_result(theirs, k), ort_result(l[i].h, k));
    }
    for (uint32_t i = 0; i < n; i++)
        ort_drop(l[i].h);
    return ok;
}

/* ---- times ---- */

static double
least(OrtHeld *h, Job *j)
{
    const char *why;
    double best = 1e9;

    double begin = sn_now();
    for (int r = 0; r < 300 && (r < 30 || sn_now() - begin < 1); r++) {
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

    sinter_session_free(j->s);
    j->s = NULL;
    if (sinter_model_optimize(j->m, NULL, NULL) != SINTER_OK ||
        sinter_session_new(j->m, &c, &j->s, NULL) != SINTER_OK)
        return;
    printf(" %.1f %.1f %.1f", least(theirs, j), least(ours, j), least(NULL, j));
}

/* ---- what is claimed ---- */

static struct {
    unsigned nclaimed, nnode, npart;
} claimed;

static void
hear(void *ctx, const char *text)
{
    const char *s = strstr(text, "sinter: claims ");

    (void)ctx;
    if (getenv("EP_LOG") && strstr(text, "sinter: "))
        fprintf(stderr, "%s\n", text);
    if (s)
        sscanf(s, "sinter: claims %u of %u nodes in %u", &claimed.nclaimed,
               &claimed.nnode, &claimed.npart);
}

/* About one node in `of` of those that there are: "#3,#17". */
static const char *
draw_nodes(Job *j, unsigned n)
{
    const char *s = "";
    uint64_t of = 2 + draw(j) % 12;

    for (unsigned i = 0; i < n && strlen(s) < 2000; i++)
        if (draw(j) % of == 0)
            s = sn_format(j->a, "%s%s#%u", s, *s ? "," : "", i);
    return s;
}

/* Threads of the process. */
static int
count_threads(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    int n = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

typedef struct Args {
    OrtOpts with;
    const char *lib;
    int nrun, nrandom, nsession;
    uint32_t nthread;
    bool timed, counted;
} Args;

/* With parts of the graph left to ONNX Runtime. */
static bool
run_parts(Job *j, const Args *x, OrtHeld *theirs, const char **why)
{
    unsigned n = claimed.nnode;
    bool ok = true;

    for (int r = 0; ok && r < x->nrandom; r++) {
        OrtOpts o = x->with;
        o.whole = false;
        o.key[o.nkey] = "leave";
        o.value[o.nkey++] = draw_nodes(j, n);
        Ort *ours = ort_open(j->a, x->lib, &o, why);
        OrtHeld *y =
            ours ? ort_hold(ours, j->a, j->path, j->nin, j->in, why) : NULL;
        ok = y && run_all(j, theirs, y, 2, why);
        j->npart += claimed.npart;
        j->nclaimed += claimed.nclaimed;
        ort_drop(y);
    }
    return ok;
}

static bool
run_job(Job *j, const Args *x, Ort *theirs, Ort *ours, const char *path)
{
    OrtHeld *h = NULL, *y = NULL;
    const char *why = "";
    unsigned nnode, npart;
    bool ok = open_job(j, path, &why) && hold(j, theirs, ours, &h, &y, &why);

    for (uint32_t i = 0; ok && i < x->with.nkey; i++)
        ok = strcmp(x->with.key[i], "quantize") != 0 ||
             quantize(j, x->with.value[i], &why);
    nnode = claimed.nclaimed;
    npart = claimed.npart;
    int nthread = count_threads();
    ok = ok && ort_again(y, &why);
    nthread = count_threads() - nthread;
    ok = ok && run_all(j, h, y, x->nrun, &why) && run_parts(j, x, h, &why) &&
         (!x->nsession ||
          run_at_once(j, ours, h, (uint32_t)x->nsession, x->nrun, &why));
    printf("%s %u of %u nodes in %u, ", path, nnode, claimed.nnode, npart);
    if (x->nrandom)
        printf("%u in %u, ", j->nclaimed, j->npart);
    if (x->counted)
        printf("%d threads more, ", nthread);
    if (!ok)
        printf("fails: %s", why);
    else if (j->ndiffer)
        printf("differs by %g in %zu of %zu", j->worst, j->ndiffer, j->nall);
    else
        printf("same");
    if (ok && x->timed)
        bench(j, h, y, x->nthread);
    printf("\n");
    fflush(stdout);
    ort_drop(h);
    ort_drop(y);
    sinter_session_free(j->s);
    sinter_model_free(j->m);
    return ok && !j->ndiffer;
}

static bool
read_args(Args *x, SnArena *a, int *argc, char ***argv)
{
    int c;

    while ((c = getopt(*argc, *argv, "+o:pr:s:bt")) != -1) {
        char *eq = c == 'o' ? strchr(optarg, '=') : NULL;
        x->timed = x->timed || c == 'b';
        x->counted = x->counted || c == 't';
        x->with.whole = x->with.whole && c != 'p';
        x->nrandom = c == 'r' ? atoi(optarg) : x->nrandom;
        x->nsession = c == 's' ? atoi(optarg) : x->nsession;
        if (c == '?' || (c == 'o' && (!eq || x->with.nkey == 3)))
            return false;
        if (c == 'o') {
            x->with.key[x->with.nkey] =
                sn_strndup(a, optarg, (size_t)(eq - optarg));
            x->with.value[x->with.nkey++] = eq + 1;
        }
    }
    *argc -= optind;
    *argv += optind;
    if (*argc < 5)
        return false;
    x->lib = (*argv)[0];
    x->with.provider = (*argv)[1];
    x->nthread = (uint32_t)atoi((*argv)[2]);
    x->nrun = atoi((*argv)[3]);
    x->with.key[x->with.nkey] = "threads";
    x->with.value[x->with.nkey++] = (*argv)[2];
    return true;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    Args x = {.with = {.nthread = 1, .whole = true, .log = hear}};
    const char *why = "";
    int bad = 0;

    if (!read_args(&x, a, &argc, &argv)) {
        fprintf(stderr, "ep_host [-o KEY=VALUE] [-p] [-r N] [-s N] [-b] [-t] "
                        "ONNXRUNTIME PROVIDER THREADS NRUN MODEL...\n");
        return 2;
    }
    OrtOpts plain = {
        .level = x.timed ? 99 : 0, .nthread = (int)x.nthread, .log = hear};
    x.with.level = plain.level;
    Ort *theirs = ort_open(a, x.lib, &plain, &why);
    Ort *ours = theirs ? ort_open(a, x.lib, &x.with, &why) : NULL;
    if (!ours) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        Job j = {.a = a, .seed = 7};
        bad += !run_job(&j, &x, theirs, ours, argv[i]);
    }
    sn_arena_free(a);
    return bad != 0;
}
