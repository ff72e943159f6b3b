// SPDX-License-Identifier: Apache-2.0
/* Times a model against ONNX Runtime, in turn:
 *
 *     versus [-t THREADS | -c] [-r ROUNDS] [-s SECONDS] GRAPH.sn MODEL.onnx
 *            LIB.so
 *
 * MODEL.onnx is the same network; LIB.so is libonnxruntime.  Each side lives in
 * a process of its own, which is stopped while the other has its turn: threads
 * of either that spin for work would slow the other down.  In each round
 * GRAPH.sn runs on the CPU backend for SECONDS, then the other for as long; a
 * round's figure is the median run, the result the median over rounds, so
 * that a slow spell of the machine falls on both.  Both read the same seeded
 * inputs.  Prints one line of JSON.  -c: processor time of one thread, for a
 * machine that others use.
 *
 * Memory is by how much the resident set of a process grew from before it
 * loaded the model to its peak.  Ours is measured first, in a process that
 * holds nothing else of a model and ran a graph of a few small nodes before.
 * What that took, and pages of the program and its libraries, which a child
 * touches anew, are not in it but in `fixed`. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "differ/peer.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "kernel/pack.h"
#include "proc.h"
#include "run/exec.h"
#include "base/team/team.h"

enum { MOST_RUNS = 4000, MOST_ROUNDS = 101, LEAST_RUNS = 3, MAX_INPUT = 8 };

typedef struct Args {
    int nthread, nround;
    double seconds;
    const char *graph, *model, *lib;
} Args;

/* What runs are timed by. */
static double (*now)(void) = sn_now;

static double
processor_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Ours {
    SnArena *a;
    SnGraph *g;
    const SnExec *x;
    SnRun *r;
    SnData in[MAX_INPUT]; /* copies: a run may write over its inputs */
    uint32_t nin;
} Ours;

/* A little of what most models are made of. */
static const char least[] =
    "sinter-graph 1\n"
    "graph \"least\" {\n"
    "  %x = Placeholder() : f32[1,16,16,16]\n"
    "  %q = Quantize(%x) : qi8<1, 0>[1,16,16,16]\n"
    "  %w = Constant() {splat = 1} : qi8<1, 0>[16,3,3,16]\n"
    "  %v = Constant() {splat = 1} : qi8<1, 0>[16,3,3,1]\n"
    "  %y = Conv2D(%q, %w) {kernel = [3,3], pads = [1,1,1,1]} : qi8<1, "
    "0>[1,16,16,16]\n"
    "  %z = Conv2D(%y, %v) {kernel = [3,3], pads = [1,1,1,1], group = "
    "16} : qi8<1, 0>[1,16,16,16]\n"
    "  %a = Add(%y, %z) : qi8<2, 0>[1,16,16,16]\n"
    "  %m = MaxPool(%a) {kernel = [2,2], stride = [2,2]} : qi8<2, "
    "0>[1,8,8,16]\n"
    "  %r = Dequantize(%m) : f32[1,8,8,16]\n"
    "  Save(%r) {name = \"y\"}\n"
    "}\n";

static SnStatus
load(SnArena *a, const Args *g, SnDiag *d, SnGraph **out)
{
    SnSrc *src = SN_NEW(a, SnSrc);

    if (g->graph)
        return sn_text_load(a, g->graph, d, out);
    *src = (SnSrc){"least", least, sizeof least - 1, 0};
    return sn_parse(a, src, NULL, d, out);
}

/* g->graph NULL: the little one.  Prints its own message. */
static bool
open_ours(Ours *o, const Args *g)
{
    SnDiag *d;

    o->a = sn_arena_new();
    d = sn_diag_new(o->a);
    SnRewriteOpts r = sn_rewrite_defaults;

    r.backend = sn_backend_named("CPU");
    if (load(o->a, g, d, &o->g) != SN_OK ||
        sn_launch(&r, o->a, o->g, d) != SN_OK ||
        sn_exec_prepare_fast(o->a, o->g, r.backend, d, &o->x) != SN_OK)
        return false;
    if (o->x->ninput > MAX_INPUT) {
        fprintf(stderr, "%s: more than %d inputs\n", g->graph, MAX_INPUT);
        return false;
    }
    o->r = sn_run_team(o->a, o->x, (unsigned)g->nthread);
    return true;
}

static void
close_ours(const Ours *o)
{
    sn_run_free(o->r);
    sn_arena_free(o->a);
}

static SnDtype
data_type(SnElem e)
{
    return e == SN_F32   ? SN_D_F32
           : e == SN_QI8 ? SN_D_I8
           : e == SN_I8  ? SN_D_I8
           : e == SN_I32 ? SN_D_I32
           : e == SN_I64 ? SN_D_I64
                         : SN_D_NONE;
}

/* Seeded inputs in [0, 1), or codes, for both. */
static void
make_inputs(Ours *o)
{
    SnData *in = o->in;
    uint32_t seed = 7;

    for (uint32_t i = 0; i < o->x->ninput && i < MAX_INPUT; i++) {
        const SnPort *p = &o->x->input[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        void *v = sn_run_input(o->r, i);
        in[i] =
            (SnData){.dtype = data_type(p->type->elem), .rank = p->shape->rank};
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
        memcpy(sn_run_input(o->r, i), o->in[i].data, sn_data_nbyte(&o->in[i]));
    double t0 = now();
    SnStatus st = sn_run(o->r);
    *ms = (now() - t0) * 1e3;
    return st == SN_OK;
}

enum { MOST_OUT = 4096 };

/* What a side tells the parent, in shared memory. */
typedef struct Told {
    double load_ms, packed_ms, median_ms; /* packed: from a pack cache */
    long memory_kib, fixed_kib;
    size_t nout; /* reals of the first result, as many as fit */
    float out[MOST_OUT];
    size_t weights, plan;
    uint32_t nfallback, nnode;
    char version[32];
} Told;

/* ---- memory ---- */

/* What is resident of the program and its libraries, in KiB. */
static long
program_kib(void)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512], exe[256];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    bool program = false;
    long sum = 0, v;

    exe[n > 0 ? n : 0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        const char *file = strchr(line, '/');
        if (line[0] < 'A' || line[0] > 'Z') /* addresses ... file */
            program = file && (strstr(file, ".so") != NULL ||
                               (n > 0 && strncmp(file, exe, (size_t)n) == 0));
        else if (program && sscanf(line, "Rss: %ld", &v) == 1)
            sum += v;
    }
    if (f)
        fclose(f);
    return sum;
}

/* By how many KiB the peak exceeds what was resident before a graph was loaded
 * and run, without the program. */
static double
growth(const Args *g)
{
    long before = status_kib("VmRSS:") - program_kib();
    Ours o = {0};

    if (!open_ours(&o, g))
        _exit(1);
    for (uint32_t i = 0; i < o.x->ninput; i++) {
        const SnPort *p = &o.x->input[i];
        memset(sn_run_input(o.r, i), 0, sn_tensor_nbyte(p->type, p->shape));
    }
    if (sn_run(o.r) != SN_OK || sn_run(o.r) != SN_OK)
        _exit(1);
    double kib = (double)(status_kib("VmHWM:") - program_kib() - before);
    close_ours(&o);
    return kib;
}

/* Of the little graph and, after it, of the model, in one process. */
static void
grow(const Args *g, double kib[2])
{
    const size_t n = 2 * sizeof *kib;
    Args first = *g;
    int p[2];

    first.graph = NULL;
    if (pipe(p))
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        long program = program_kib();
        kib[0] = growth(&first);
        kib[1] = growth(g);
        kib[0] += (double)(program_kib() - program);
        _exit(write(p[1], kib, n) == (ssize_t)n ? 0 : 1);
    }
    close(p[1]);
    if (pid < 0 || read(p[0], kib, n) != (ssize_t)n)
        exit(1);
    close(p[0]);
    waitpid(pid, NULL, 0);
}

/* Medians: kernels count in steps of some ten pages for each processor. */
static void
measure_memory(const Args *g, Told *to)
{
    enum { N = 5 };
    double first[N], model[N];

    for (int i = 0; i < N; i++) {
        double kib[2];
        grow(g, kib);
        first[i] = kib[0];
        model[i] = kib[1];
    }
    sn_sort(first, N);
    sn_sort(model, N);
    to->fixed_kib = (long)first[N / 2];
    to->memory_kib = (long)model[N / 2];
}

/* ---- time ---- */

/* Median milliseconds of runs for the given time. */
static double
median_run(Ours *o, OrtHeld *t, double seconds)
{
    static double v[MOST_RUNS];
    const char *why = "";
    int n = 0;

    for (double first = now();
         n < MOST_RUNS && (n < LEAST_RUNS || now() - first < seconds); n++) {
        double t0 = now();
        bool ok = t ? ort_again(t, &why) : run_ours(o, &v[n]);
        if (t)
            v[n] = (now() - t0) * 1e3;
        if (!ok) {
            fprintf(stderr, "%s\n", why);
            exit(1);
        }
    }
    sn_sort(v, (size_t)n);
    return v[n / 2];
}

/* ---- the two sides ---- */

typedef struct Side {
    bool ort;
    Told *told;
    int cmd[2], answer[2];
    pid_t pid;
} Side;

/* The constants: codes, and a scale for each channel. */
static size_t
weight_bytes(const SnGraph *g)
{
    size_t n = 0;

    for (SnId i = 1; i < g->nnode; i++)
        if (!sn_node(g, i)->dead && sn_node(g, i)->data) {
            const SnType *t = sn_type(g, SN_REF(i, 0));
            n += sn_tensor_nbyte(t, sn_shape_of(g, SN_REF(i, 0)));
            n += t->nq * sizeof *t->scale;
        }
    return n;
}

/* Prints its own message. */
static OrtHeld *
open_ort(Told *d, const Args *g, const Ours *o)
{
    OrtOpts opts = {.level = 99, .nthread = g->nthread};
    const char *why = "";
    Ort *ort = ort_open(o->a, g->lib, &opts, &why);
    OrtHeld *t = NULL;

    if (ort != NULL) {
        snprintf(d->version, sizeof d->version, "%s", ort_version(ort));
        t = ort_hold(ort, o->a, g->model, o->nin, o->in, &why);
    }
    if (t == NULL)
        fprintf(stderr, "%s: ONNX Runtime: %s\n", g->model, why);
    return t;
}

/* Milliseconds to load with packed weights from a file beside the graph. */
static double
load_packed(const Args *g)
{
    double t0 = sn_now(), ms;
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    const SnExec *x;
    SnGraph *graph;

    SnRewriteOpts r = sn_rewrite_defaults;

    r.backend = sn_backend_named("CPU");
    if (sn_text_load_lazy(a, g->graph, d, &graph) != SN_OK ||
        sn_launch(&r, a, graph, d) != SN_OK)
        return 0;
    SnPack *p = sn_pack_open(a, sn_format(a, "%s.pack", g->graph), NULL);
    if (sn_exec_prepare_packed(a, graph, sn_backend_named("CPU"), p, d, &x) !=
        SN_OK)
        return 0;
    ms = (sn_now() - t0) * 1e3;
    bool ok = sn_pack_save(p, d, NULL) == SN_OK;
    sn_arena_free(a);
    return ok ? ms : 0;
}

/* Loads ours several times, with and without packed weights: medians, since
 * memory that the host has to find first can double one. */
static bool
load_ours(Told *d, const Args *g, Ours *o)
{
    enum { N = 5 };
    double ms[N], packed[N];

    if (load_packed(g) == 0) /* writes the file */
        return false;
    for (int i = 0; i < N; i++) {
        packed[i] = load_packed(g);
        double t0 = sn_now();
        if (!open_ours(o, g))
            return false;
        ms[i] = (sn_now() - t0) * 1e3;
        if (i < N - 1)
            close_ours(o);
    }
    sn_sort(ms, N);
    sn_sort(packed, N);
    d->load_ms = ms[N / 2];
    d->packed_ms = packed[N / 2];
    return true;
}

static bool
open_side(Side *s, const Args *g, Ours *o, OrtHeld **t)
{
    Told *d = s->told;
    long before = status_kib("VmRSS:");
    double t0 = sn_now();

    if (s->ort) { /* inputs are the parent's on both sides */
        *t = open_ort(d, g, o);
        if (!*t)
            return false;
        d->load_ms = (sn_now() - t0) * 1e3;
        median_run(o, *t, 0);
        d->memory_kib = status_kib("VmHWM:") - before;
        return true;
    }
    if (!load_ours(d, g, o))
        return false;
    d->weights = weight_bytes(o->g);
    d->plan = o->x->plan->arena + o->x->nwork * (size_t)g->nthread;
    d->nfallback = o->x->nfallback;
    d->nnode = o->g->nlive;
    median_run(o, NULL, 0);
    return true;
}

static void
tell_result(Side *s, const Ours *o, OrtHeld *t)
{
    const SnPort *p = &o->x->output[0];
    int64_t n = sn_shape_count(p->shape);
    const float *v = t ? ort_result(t, 0) : sn_run_output(o->r, 0);

    if (p->type->elem != SN_F32 || !v)
        return;
    s->told->nout = (size_t)(n < MOST_OUT ? n : MOST_OUT);
    memcpy(s->told->out, v, s->told->nout * sizeof *v);
}

/* A round for each byte that comes. */
static void
serve(Side *s, const Args *g, Ours *o)
{
    OrtHeld *t = NULL;
    char c = 0;

    if (!open_side(s, g, o, &t))
        _exit(1);
    tell_result(s, o, t);
    while (write(s->answer[1], &c, 1) == 1 && read(s->cmd[0], &c, 1) == 1)
        s->told->median_ms = median_run(o, t, g->seconds);
    _exit(0);
}

/* Starts the side and waits until it is ready. */
static void
start(Side *s, const Args *g, Ours *o)
{
    char c;

    s->told = mmap(NULL, sizeof *s->told, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->told == MAP_FAILED || pipe(s->cmd) || pipe(s->answer))
        exit(1);
    s->pid = fork();
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* when the other side fails */
        close(s->cmd[1]); /* so that the parent's end closes it */
        serve(s, g, o);
    }
    close(s->answer[1]);
    if (s->pid < 0 || read(s->answer[0], &c, 1) != 1)
        exit(1);
    kill(s->pid, SIGSTOP);
}

static double
turn(Side *s)
{
    char c = 0;

    kill(s->pid, SIGCONT);
    if (write(s->cmd[1], &c, 1) != 1 || read(s->answer[0], &c, 1) != 1)
        exit(1);
    kill(s->pid, SIGSTOP);
    return s->told->median_ms;
}

static void
end(Side *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}

/* Largest difference of the first results, relative to the largest value. */
static double
difference(const Told *a, const Told *b)
{
    double most = 0, size = 0;

    if (a->nout == 0 || a->nout != b->nout)
        return -1;
    for (size_t i = 0; i < a->nout; i++) {
        most = fmax(most, fabs((double)a->out[i] - (double)b->out[i]));
        size = fmax(size, fabs((double)b->out[i]));
    }
    return size > 0 ? most / size : most;
}

/* ---- rounds ---- */

/* On two threads a round counts when the processors are near each other
 * (base/team/team.h) before and after it.  Others are repeated, up to this many
 * times as many rounds; when fewer than half of those wanted were near, all
 * count, and the line is marked. */
enum { MOST_TIMES = 3 };

typedef struct Rounds {
    double v[2][MOST_ROUNDS * MOST_TIMES]; /* ours, theirs */
    int n, nfar;
    bool far;
    double roundtrip; /* of the last round */
} Rounds;

static void
run_rounds(Rounds *r, const Args *g, Side *s)
{
    bool is_far[MOST_ROUNDS * MOST_TIMES];
    bool team = g->nthread > 1;
    int all = 0, n = 0;

    while (all - r->nfar < g->nround && all < g->nround * MOST_TIMES) {
        r->roundtrip = team ? sn_team_roundtrip() : 0;
        for (int k = 0; k < 2; k++)
            r->v[k][all] = turn(&s[k]);
        if (team)
            r->roundtrip = fmax(r->roundtrip, sn_team_roundtrip());
        is_far[all] = r->roundtrip >= SN_NEAR_NS;
        if (is_far[all])
            usleep(300000);
        r->nfar += is_far[all++];
    }
    r->far = 2 * (all - r->nfar) < g->nround;
    for (int i = 0; i < all; i++)
        if (r->far || !is_far[i]) {
            r->v[0][n] = r->v[0][i];
            r->v[1][n++] = r->v[1][i];
        }
    r->n = n;
    for (int k = 0; k < 2; k++)
        sn_sort(r->v[k], (size_t)n);
}

static void
print_line(const Args *g, const Rounds *r, const Told *a, const Told *b)
{
    const double *u = r->v[0], *v = r->v[1];
    int mid = r->n / 2, last = r->n - 1;

    printf("{\"graph\": \"%s\", \"model\": \"%s\", \"cpu\": \"%s\", "
           "\"threads\": %d, \"ms\": %.4f, \"ort_ms\": %.4f, "
           "\"ratio\": %.3f, \"ms_least\": %.4f, \"ms_most\": %.4f, "
           "\"ort_ms_least\": %.4f, \"ort_ms_most\": %.4f, "
           "\"rounds\": %d, \"far_rounds\": %d, \"mode\": \"%s\", "
           "\"roundtrip_ns\": %.0f, "
           "\"difference\": %.3g, \"load_ms\": %.2f, "
           "\"load_packed_ms\": %.2f, \"ort_load_ms\": %.2f, "
           "\"memory_kib\": %ld, \"fixed_kib\": %ld, "
           "\"ort_memory_kib\": %ld, "
           "\"weights\": %zu, \"plan\": %zu, \"nodes\": %u, \"fallback\": %u, "
           "\"peer\": \"ONNX Runtime %s\"}\n",
           g->graph, g->model, sn_isa_name(sn_isa()), g->nthread, u[mid],
           v[mid], v[mid] / u[mid], u[0], u[last], v[0], v[last], r->n, r->nfar,
           g->nthread == 1 ? "one thread"
           : r->far        ? "far"
                           : "near",
           r->roundtrip, difference(a, b), a->load_ms, a->packed_ms, b->load_ms,
           a->memory_kib, a->fixed_kib, b->memory_kib, a->weights, a->plan,
           a->nnode, a->nfallback, b->version);
}

static void
compare(const Args *g)
{
    Side s[2] = {{.ort = false}, {.ort = true}};
    static Rounds r;
    Told memory = {0};
    Ours o;

    measure_memory(g, &memory);
    if (!open_ours(&o, g))
        exit(1);
    make_inputs(&o);
    for (int k = 0; k < 2; k++)
        start(&s[k], g, &o);
    s[0].told->fixed_kib = memory.fixed_kib;
    s[0].told->memory_kib = memory.memory_kib;
    run_rounds(&r, g, s);
    for (int k = 0; k < 2; k++)
        end(&s[k]);
    print_line(g, &r, s[0].told, s[1].told);
}

int
main(int argc, char **argv)
{
    Args g = {.nthread = 1, .nround = 7, .seconds = 0.3};

    for (int c; (c = getopt(argc, argv, "ct:r:s:")) != -1;) {
        if (c == 't')
            g.nthread = atoi(optarg);
        else if (c == 'c')
            now = processor_now;
        else if (c == 'r')
            g.nround = atoi(optarg);
        else if (c == 's')
            g.seconds = atof(optarg);
    }
    if (argc - optind != 3 || g.nthread < 1 || g.nround < 1 ||
        g.nround > MOST_ROUNDS || (now != sn_now && g.nthread > 1)) {
        fputs("usage: versus [-t THREADS | -c] [-r ROUNDS] [-s SECONDS] "
              "GRAPH.sn MODEL.onnx LIB.so\n",
              stderr);
        return 2;
    }
    g.graph = argv[optind];
    g.model = argv[optind + 1];
    g.lib = argv[optind + 2];
    compare(&g);
    return 0;
}
