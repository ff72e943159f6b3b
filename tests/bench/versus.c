/* Times a model against ONNX Runtime, in one process and in turn:
 *
 *     versus [-t THREADS] [-r ROUNDS] [-s SECONDS] GRAPH.sn MODEL.onnx LIB.so
 *
 * MODEL.onnx is the same network; LIB.so is libonnxruntime.  Each round runs
 * GRAPH.sn on the CPU backend for SECONDS, then the other for as long; a
 * round's figure is the median run, the result the median over rounds, so
 * that a slow spell of the machine falls on both.  Both read the same seeded
 * inputs.  Before that, each runs once in a process of its own that reports
 * by how much its peak memory grew.  Prints one line of JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "bench/ort.h"
#include "graph/text.h"
#include "kernel/isa.h"
#include "run/exec.h"

enum { MOST_RUNS = 4000, MOST_ROUNDS = 101, LEAST_RUNS = 3 };

typedef struct Args {
    int nthread, nround;
    double seconds;
    const char *graph, *model, *lib;
} Args;

typedef struct Ours {
    SnArena *a;
    SnGraph *g;
    const SnExec *x;
    SnRun *r;
    OrtInput in[ORT_MAXPORT]; /* copies: a run may write over its inputs */
    size_t nin;
} Ours;

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int
ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Prints its own message. */
static bool
open_ours(Ours *o, const Args *g)
{
    SnDiag *d;

    o->a = sn_arena_new();
    d = sn_diag_new(o->a);
    if (sn_text_load(o->a, g->graph, d, &o->g) != SN_OK ||
        sn_exec_prepare_fast(o->a, o->g, sn_backend_named("CPU"), d, &o->x) != SN_OK)
        return false;
    o->r = sn_run_team(o->a, o->x, (unsigned)g->nthread);
    return true;
}

static int
ort_type(SnElem e)
{
    return e == SN_F32   ? ORT_F32
           : e == SN_QI8 ? ORT_I8
           : e == SN_I8  ? ORT_I8
           : e == SN_I32 ? ORT_I32
           : e == SN_I64 ? ORT_I64
                         : 0;
}

/* Seeded inputs in [0, 1), or codes, for both. */
static void
make_inputs(Ours *o)
{
    OrtInput *in = o->in;
    uint32_t seed = 7;

    for (uint32_t i = 0; i < o->x->ninput && i < ORT_MAXPORT; i++) {
        const SnPort *p = &o->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        void *v = sn_run_input(o->r, i);
        in[i] = (OrtInput){.type = ort_type(p->type->elem),
                           .rank = (size_t)p->shape->rank,
                           .nbyte = n};
        for (int k = 0; k < p->shape->rank; k++)
            in[i].dim[k] = p->shape->dim[k];
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525u + 1013904223u;
            if (p->type->elem == SN_QI8)
                ((uint8_t *)v)[k] = (uint8_t)(seed >> 24);
            else if (p->type->elem == SN_F32 && k < n / 4)
                ((float *)v)[k] = (float)(seed >> 8) * 0x1p-24f;
        }
        in[i].data = sn_memdup(o->a, v, n);
    }
    o->nin = o->x->ninput;
}

static bool
run_ours(Ours *o, double *ms)
{
    for (uint32_t i = 0; i < o->nin; i++)
        memcpy(sn_run_input(o->r, i), o->in[i].data, o->in[i].nbyte);
    double t0 = now();
    SnStatus st = sn_run(o->r);
    *ms = (now() - t0) * 1e3;
    return st == SN_OK;
}

/* ---- memory ---- */

/* A line of /proc/self/status, in KiB. */
static long
status_kib(const char *what)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long v = -1;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, what, strlen(what)))
            v = atol(line + strlen(what));
    if (f)
        fclose(f);
    return v;
}

static bool
run_once(const Args *g, bool ort)
{
    Ours o;
    double ms;

    if (!open_ours(&o, g))
        return false;
    make_inputs(&o);
    if (!ort)
        return run_ours(&o, &ms);
    /* shapes and types of the inputs come from the graph, whose memory does
     * not count: it is there before */
    long before = status_kib("VmRSS:");
    Ort *t = sn_ort_open(g->lib, g->model, g->nthread, o.nin, o.in);
    if (!t || !sn_ort_run(t))
        return false;
    printf("%ld\n", status_kib("VmRSS:") - before);
    return true;
}

/* KiB by which the memory in use grew in a process that loads and runs. */
static long
memory_of(const Args *g, bool ort)
{
    int fd[2];
    char text[64] = "";

    fflush(stdout);
    if (pipe(fd))
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], 1);
        close(fd[0]);
        long before = status_kib("VmRSS:");
        bool ok = run_once(g, ort);
        if (ok && !ort)
            printf("%ld\n", status_kib("VmHWM:") - before);
        fflush(stdout);
        _exit(!ok);
    }
    close(fd[1]);
    ssize_t n = pid > 0 ? read(fd[0], text, sizeof text - 1) : 0;
    close(fd[0]);
    waitpid(pid, NULL, 0);
    return n > 0 ? atol(text) : -1;
}

/* ---- time ---- */

/* Median milliseconds of runs for the given time. */
static double
median_run(Ours *o, Ort *t, double seconds)
{
    static double v[MOST_RUNS];
    int n = 0;

    for (double first = now(); n < MOST_RUNS && (n < LEAST_RUNS ||
                                                 now() - first < seconds);
         n++) {
        double t0 = now();
        bool ok = t ? sn_ort_run(t) : run_ours(o, &v[n]);
        if (t)
            v[n] = (now() - t0) * 1e3;
        if (!ok)
            exit(1);
    }
    qsort(v, (size_t)n, sizeof *v, ascending);
    return v[n / 2];
}

/* Largest difference of the first results, relative to the largest value. */
static double
difference(const Ours *o, const Ort *t)
{
    const SnPort *p = &o->x->output[0];
    const float *a = sn_run_output(o->r, 0), *b = sn_ort_output(t, 0);
    double most = 0, size = 0;

    if (p->type->elem != SN_F32 || !b)
        return NAN;
    for (int64_t i = 0; i < sn_shape_count(p->shape); i++) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)b[i]));
    }
    return size > 0 ? most / size : most;
}

static size_t
weight_bytes(const SnGraph *g)
{
    size_t n = 0;

    for (SnId i = 1; i < g->nnode; i++)
        if (!sn_node(g, i)->dead && sn_node(g, i)->data)
            n += sn_tensor_nbyte(sn_type(g, SN_REF(i, 0)),
                                 sn_shape_of(g, SN_REF(i, 0)));
    return n;
}

static void
compare(const Args *g)
{
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS];
    long m0 = memory_of(g, false), m1 = memory_of(g, true);
    Ours o;

    double t0 = now();
    if (!open_ours(&o, g))
        exit(1);
    double load = now() - t0;
    make_inputs(&o);
    t0 = now();
    Ort *t = sn_ort_open(g->lib, g->model, g->nthread, o.nin, o.in);
    if (!t)
        exit(1);
    double session = now() - t0;
    median_run(&o, NULL, 0);
    median_run(NULL, t, 0);
    double diff = difference(&o, t);
    for (int i = 0; i < g->nround; i++) {
        ours[i] = median_run(&o, NULL, g->seconds);
        theirs[i] = median_run(NULL, t, g->seconds);
    }
    qsort(ours, (size_t)g->nround, sizeof *ours, ascending);
    qsort(theirs, (size_t)g->nround, sizeof *theirs, ascending);
    int mid = g->nround / 2, last = g->nround - 1;
    printf("{\"graph\": \"%s\", \"model\": \"%s\", \"cpu\": \"%s\", "
           "\"threads\": %d, \"ms\": %.4f, \"ort_ms\": %.4f, "
           "\"ratio\": %.3f, \"ms_least\": %.4f, \"ms_most\": %.4f, "
           "\"ort_ms_least\": %.4f, \"ort_ms_most\": %.4f, "
           "\"difference\": %.3g, \"load_ms\": %.2f, \"ort_load_ms\": %.2f, "
           "\"memory_kib\": %ld, \"ort_memory_kib\": %ld, "
           "\"weights\": %zu, \"plan\": %zu, \"fallback\": %u, "
           "\"peer\": \"ONNX Runtime %s\"}\n",
           g->graph, g->model, sn_isa_name(sn_isa()), g->nthread, ours[mid],
           theirs[mid], theirs[mid] / ours[mid], ours[0], ours[last],
           theirs[0], theirs[last], isnan(diff) ? -1 : diff, load * 1e3,
           session * 1e3, m0, m1, weight_bytes(o.g),
           o.x->plan->arena + o.x->nwork, o.x->nfallback, sn_ort_version(t));
}

int
main(int argc, char **argv)
{
    Args g = {.nthread = 1, .nround = 7, .seconds = 0.3};

    for (int c; (c = getopt(argc, argv, "t:r:s:")) != -1;) {
        if (c == 't')
            g.nthread = atoi(optarg);
        else if (c == 'r')
            g.nround = atoi(optarg);
        else if (c == 's')
            g.seconds = atof(optarg);
    }
    if (argc - optind != 3 || g.nthread < 1 || g.nround < 1 ||
        g.nround > MOST_ROUNDS) {
        fputs("usage: versus [-t THREADS] [-r ROUNDS] [-s SECONDS] GRAPH.sn "
              "MODEL.onnx LIB.so\n", stderr);
        return 2;
    }
    g.graph = argv[optind];
    g.model = argv[optind + 1];
    g.lib = argv[optind + 2];
    compare(&g);
    fflush(stdout);
    _exit(0); /* the library's threads need not be wound up */
}
