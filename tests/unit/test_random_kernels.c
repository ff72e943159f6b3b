// SPDX-License-Identifier: Apache-2.0
/* Random graphs by the kernels of the CPU backend, against its evaluators, as
 * random/graph_run.h says.  SINTER_RANDOM=N graphs of each flavour instead of
 * the few of a quick run, SINTER_SEED=S the first seed, SINTER_JOBS=N
 * processes, SINTER_ONLY=NAME one test, SINTER_KEEP=DIR to have the smallest
 * graph of each failure there as files, SINTER_GO_ON=N failures before it ends.
 *
 * Graphs run in processes of their own: one that crashes, or does not end, is
 * told by its seed and made smaller like any other. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/clock.h"
#include "run/shadow.h"
#include "graph/text/text.h"
#include "kernel/isa.h"
#include "random/graph_check.h"
#include "random/graph_gen.h"
#include "random/graph_shrink.h"

/* Processor seconds that one graph may take: only an endless loop does. */
enum { QUICK = 100, EVERY = 8, CPU_SECONDS = 10, MAXJOB = 16, MAXKERNEL = 512 };
/* Every kernel comes up in one of RAREST graphs on average, or more often.  A
 * run of SURE times as many misses none: one that is so rare stays out with
 * probability exp(-SURE) = 5e-5. */
enum { RAREST = 10000, SURE = 10 };
#define BACKEND "CPU"

typedef struct Job { /* seen by both processes */
    uint64_t seed;   /* of the graph under way */
    bool fault;      /* it differs; else, when the job ends early, a crash */
    SnRunStats stats;
    double slowest; /* processor seconds of a graph, and its seed */
    uint64_t slowest_seed;
    uint64_t kernel[MAXKERNEL]; /* steps prepared */
    uint64_t graphs[MAXKERNEL]; /* graphs with such a step */
} Job;

static Job *job; /* [MAXJOB] */
static const SnBackendDesc *cpu;
static SnRunStats total;
static double slowest;
static uint64_t reached[MAXKERNEL], slowest_seed, ntold;

static uint64_t
env(const char *name, uint64_t dflt)
{
    const char *s = getenv(name);

    return s && *s ? strtoull(s, NULL, 0) : dflt;
}

/* ---- one graph ---- */

static const SnGraph *
graph_of(SnArena *a, SnRandomFlavour f, uint64_t seed)
{
    SnRandomOpts o = {.seed = seed,
                      .flavour = f,
                      .backend = BACKEND,
                      .edges = true,
                      .nnode = 2 + (uint32_t)(seed % 9)};

    /* Every third one begins where a rule fires, every sixth where one of
     * the backend's own does. */
    if (seed % 3 == 0)
        o.from =
            sn_random_case(a, seed * 2654435761u >> 8, BACKEND, seed % 2 == 0);
    if (o.from)
        o.nnode = (uint32_t)(seed / 3) % 4;
    return sn_random_graph(a, &o);
}

static SnGivens
values_of(SnArena *a, uint64_t seed)
{
    return (SnGivens){.a = a, .seed = seed * 7 + 1};
}

/* A SnFaultFn. */
static const char *
fault(void *ctx, SnArena *a, const SnGraph *g)
{
    SnRunStats ignored = {0};
    SnRunner *r = sn_runner_new(cpu, EVERY, &ignored);
    const char *why = sn_runner_check(r, a, g, ctx);

    sn_runner_free(r);
    return why;
}

/* ---- many ---- */

static void
limit_cpu(void)
{
    struct itimerval t = {.it_value = {CPU_SECONDS, 0}};

    setitimer(ITIMER_PROF, &t, NULL); /* its signal ends the process */
}

static void
keep_slowest(Job *j, clock_t began)
{
    double s = (double)(clock() - began) / CLOCKS_PER_SEC;

    if (s <= j->slowest)
        return;
    j->slowest = s;
    j->slowest_seed = j->seed;
}

/* Steps were `before` as many before the last graph. */
static void
count_graph(Job *j, const uint64_t *before)
{
    for (uint16_t k = 0; k < cpu->nkernel; k++)
        j->graphs[k] += j->kernel[k] > before[k];
}

/* Seeds from `from` to `to`, every step-th. */
static void
work(SnRandomFlavour f, Job *j, uint64_t from, uint64_t to, uint64_t step)
{
    SnRunner *r = sn_runner_new(cpu, EVERY, &j->stats);
    const char *why = NULL;

    for (j->seed = from; j->seed <= to && !why; j->seed += step) {
        SnArena *a = sn_arena_new();
        clock_t began = clock();
        uint64_t before[MAXKERNEL];
        memcpy(before, j->kernel, sizeof before);
        limit_cpu();
        const SnGraph *g = graph_of(a, f, j->seed);
        SnGivens in = values_of(a, j->seed);
        why = sn_runner_check(r, a, g, &in);
        if (why) {
            j->fault = true;
            break;
        }
        keep_slowest(j, began);
        count_graph(j, before);
        sn_arena_free(a);
    }
    sn_runner_free(r);
}

static void
start(SnRandomFlavour f, Job *j, pid_t *pid, uint64_t from, uint64_t to,
      uint64_t step)
{
    j->fault = false;
    fflush(NULL);
    *pid = fork();
    if (*pid == 0) {
        for (int s = 1; s < 32; s++)
            signal(s, SIG_DFL); /* not cmocka's */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(f, j, from, to, step);
        fflush(NULL);
        _exit(j->fault);
    }
    assert_true(*pid > 0);
}

/* How a process ended that had not found a difference. */
static const char *
end_of(SnArena *a, int st)
{
    if (!WIFSIGNALED(st))
        return sn_format(a, "its process ended with exit code %d",
                         WEXITSTATUS(st));
    return sn_format(a, "its process was ended by signal %d (%s)", WTERMSIG(st),
                     WTERMSIG(st) == SIGPROF ? "out of processor time"
                                             : strsignal(WTERMSIG(st)));
}

/* The graph of a job differs, or its process has ended otherwise, as `st`
 * says. */
static void
tell(SnRandomFlavour f, uint64_t seed, int st, bool differs)
{
    SnArena *a = sn_arena_new();
    const SnGraph *g = graph_of(a, f, seed);
    SnGivens in = values_of(a, seed);
    SnFault ft = {.fn = fault, .ctx = &in, .in = &in, .apart = true};
    const char *why = sn_graph_fault(&ft, a, g), *dir = getenv("SINTER_KEEP");
    const char *args = "", *first = why;

    ntold++;
    if (!why)
        why = first = sn_format(a, "%s, but not when it runs alone",
                                differs ? "differs" : end_of(a, st));
    else
        g = sn_graph_shrink(a, g, &ft, &why);
    /* cmocka cuts long messages off. */
    fprintf(stderr,
            "seed %" PRIu64 ", flavour %d: %s\nsmallest graph (%s):\n"
            "%s",
            seed, (int)f, first, why, sn_graph_str(a, g));
    if (dir && *dir) {
        SnDiag *d = sn_diag_new(a);
        const char *to = sn_format(a, "%s/f%d_%" PRIu64, dir, (int)f, seed);
        if (sn_graph_keep(a, g, &in, to, d, &args) == SN_OK)
            fprintf(stderr,
                    "sinter run %s.sn --backend " BACKEND
                    " --check-kernels%s\n",
                    to, args);
        else
            fprintf(stderr, "%s", sn_diag_text(d, a));
    }
    sn_arena_free(a);
}

/* All graphs of a flavour; a job that ends early goes on behind its graph. */
static void
many(SnRandomFlavour f)
{
    uint64_t n = env("SINTER_RANDOM", QUICK), s = env("SINTER_SEED", 1);
    uint64_t most = env("SINTER_GO_ON", 1), end = s + n - 1;
    long have = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t njob = env("SINTER_JOBS", have > 0 ? (uint64_t)have : 1);
    uint64_t bad = 0, live = 0;
    pid_t pid[MAXJOB];
    int st;

    njob = njob > MAXJOB ? MAXJOB : njob < 1 ? 1 : njob;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", s, end);
    for (; live < njob; live++)
        start(f, &job[live], &pid[live], s + live, end, njob);
    while (live > 0) {
        pid_t p = wait(&st);
        uint64_t i = 0;
        while (i < njob && pid[i] != p)
            i++;
        assert_true(p > 0 && i < njob);
        if (st == 0) {
            live--;
            continue;
        }
        tell(f, job[i].seed, st, job[i].fault);
        if (++bad < most)
            start(f, &job[i], &pid[i], job[i].seed + njob, end, njob);
        else
            live--;
    }
    if (bad)
        fail_msg("%" PRIu64 " graphs fail", bad);
}

static void
graphs_of_codes(void **state)
{
    (void)state;
    many(SN_RANDOM_CODES);
}

static void
graphs_between_conversions(void **state)
{
    (void)state;
    many(SN_RANDOM_QDQ);
}

static void
graphs_of_floats(void **state)
{
    (void)state;
    many(SN_RANDOM_FLOAT);
}

/* ---- what would be noticed ---- */

/* Damages the kernel of Relu on codes, last. */
static SnEvalFn *sound;
static void (*damage)(const SnCall *c);

static SnStatus
damaged(const SnCall *c)
{
    SnStatus st = sound(c);

    damage(c);
    return st;
}

static void
wrong_last(const SnCall *c)
{
    size_t n = sn_tensor_nbyte(c->out[0].type, c->out[0].shape);

    if (n)
        ((int8_t *)c->out[0].data)[n - 1] ^= 1;
}

static void
wrong_in_parts(const SnCall *c)
{
    if (c->u0 > 0)
        wrong_last(c);
}

SN_UNCHECKED static void
past_end(const SnCall *c)
{
    size_t n = sn_tensor_nbyte(c->out[0].type, c->out[0].shape);

    ((int8_t *)c->out[0].data)[n] = 1;
}

static void
crash(const SnCall *c)
{
    (void)c;
    raise(SIGKILL); /* unlike a real crash, nobody comments on it */
}

static SnGraph *
three_nodes(SnArena *a)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"g\" {\n"
        "  %x = Placeholder() : qi8<0.1, -5>[3,3000]\n"
        "  %a = Clip(%x) {low = -6, high = 6} : qi8<0.1, -5>[3,3000]\n"
        "  %b = Relu(%a) : qi8<0.1, -5>[3,3000]\n"
        "  %c = Neg(%b) : qi8<0.1, -5>[3,3000]\n"
        "  Save(%c) {name = \"out\"}\n"
        "}\n";
    SnSrc src = {"g.sn", text, sizeof text - 1, 0};
    SnGraph *g = NULL;

    assert_int_equal(sn_parse(a, &src, NULL, sn_diag_new(a), &g), SN_OK);
    return g;
}

/* The fault is told so, and three nodes shrink to the one. */
static void
notice(void (*how)(const SnCall *c), const char *told, bool apart)
{
    SnArena *a = sn_arena_new();
    SnBackendDesc bad = *cpu;
    const SnBackendDesc *good = cpu;
    SnKernelDesc *k = sn_memdup(a, bad.kernel, bad.nkernel * sizeof *k);
    SnGivens in = values_of(a, 1);
    SnFault f = {.fn = fault, .ctx = &in, .in = &in, .apart = apart};
    SnGraph *g = three_nodes(a);

    assert_null(sn_graph_fault(&f, a, g));
    damage = how;
    for (uint16_t i = 0; i < bad.nkernel; i++)
        if (k[i].kind == sn_kind_named("Relu") &&
            sn_desc(k[i].kind)->tuple[k[i].tuple].quant) {
            sound = k[i].fn;
            k[i].fn = damaged;
        }
    bad.kernel = k;
    cpu = &bad;
    const char *why = sn_graph_fault(&f, a, g);
    if (why)
        g = sn_graph_shrink(a, g, &f, &why);
    cpu = good;
    if (!why || !strstr(why, told))
        fail_msg("\"%s\" is not told by \"%s\"", told, why ? why : "");
    assert_non_null(strstr(sn_graph_str(a, g), "Relu"));
    assert_int_equal(g->nlive, 3);
    sn_arena_free(a);
}

static void
faults_are_noticed(void **state)
{
    (void)state;
    notice(wrong_last, "element 8999 of 9000", false);
    notice(wrong_in_parts, "2 parts", false);
    notice(past_end, "byte 1 behind b", false);
    notice(crash, "signal 9", true);
}

/* ---- what there was ---- */

static void
add_up(void)
{
    for (int i = 0; i < MAXJOB; i++) {
        const SnRunStats *s = &job[i].stats;
        total.ngraph += s->ngraph;
        total.nnode += s->nnode;
        total.nrun += s->nrun;
        total.nteam += s->nteam;
        total.nfail += s->nfail;
        total.nlaunch += s->nlaunch;
        if (job[i].slowest > slowest) {
            slowest = job[i].slowest;
            slowest_seed = job[i].slowest_seed;
        }
        for (uint16_t k = 0; k < cpu->nkernel; k++)
            reached[k] += job[i].graphs[k];
    }
}

static uint16_t
rarest_kernel(void)
{
    uint16_t least = 0;

    for (uint16_t k = 1; k < cpu->nkernel; k++)
        if (reached[k] < reached[least])
            least = k;
    return least;
}

/* In a long run of all flavours every kernel of the backend's declaration comes
 * up. */
static void
every_kernel(void **state)
{
    const char *only = getenv("SINTER_ONLY");
    uint32_t n = 0;

    (void)state;
    add_up();
    for (uint16_t k = 0; k < cpu->nkernel; k++) {
        n += reached[k] > 0;
        if (!reached[k])
            print_message("not reached: %s of %s, tuple %u\n",
                          cpu->kernel[k].name,
                          sn_desc(cpu->kernel[k].kind)->name,
                          (unsigned)cpu->kernel[k].tuple);
    }
    uint16_t r = rarest_kernel();
    print_message("%u of %u kernels reached, the rarest (%s of %s, tuple %u) "
                  "in %" PRIu64 " of %" PRIu64 " graphs\n",
                  n, (unsigned)cpu->nkernel, cpu->kernel[r].name,
                  sn_desc(cpu->kernel[r].kind)->name,
                  (unsigned)cpu->kernel[r].tuple, reached[r], total.ngraph);
    if (total.ngraph >= (uint64_t)RAREST * SURE && !(only && *only))
        assert_int_equal(n, cpu->nkernel);
}

int
main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(faults_are_noticed),
        cmocka_unit_test(graphs_of_codes),
        cmocka_unit_test(graphs_between_conversions),
        cmocka_unit_test(graphs_of_floats),
        cmocka_unit_test(every_kernel),
    };
    int64_t began = sn_now_ns();

    cmocka_set_test_filter(getenv("SINTER_ONLY")); /* NULL: all */
    cpu = sn_backend_named(BACKEND);
    job = mmap(NULL, MAXJOB * sizeof *job, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!cpu || cpu->nkernel > MAXKERNEL || job == MAP_FAILED)
        return 1;
    for (int i = 0; i < MAXJOB; i++)
        job[i].stats.kernel = job[i].kernel;
    int rc = cmocka_run_group_tests(t, NULL, NULL);
    printf("%" PRIu64 " graphs, %" PRIu64 " nodes, %" PRIu64 " launched "
           "otherwise, %" PRIu64 " end in an error; %" PRIu64
           " runs and %" PRIu64 " by threads, best instruction set %s; %" PRIu64
           " differ; %.0f s, the slowest (seed %" PRIu64
           ") %.2f s of processor time, %d at most\n",
           total.ngraph, total.nnode, total.nlaunch, total.nfail, total.nrun,
           total.nteam, sn_isa_name(sn_isa()), ntold,
           (double)(sn_now_ns() - began) / 1e9, slowest_seed, slowest,
           CPU_SECONDS);
    return rc;
}
