// SPDX-License-Identifier: Apache-2.0
/* Where the time goes from a model's file to its first result, stage by stage,
 * beside what this machine needs at least for the file: each of N threads
 * copies its part of it once, from the mapped file to new memory.
 *
 *   load MODEL.onnx THREADS [ROUNDS]
 *
 * Weights are late (graph/late/late.h) in one row and copied at import in the
 * other.  Each round is a process of its own.  Milliseconds are medians; in
 * brackets the least, and the least that all threads took of processors. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/team/spread.h"
#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

enum { IMPORT, PASSES, PREPARE, RUN, WHOLE, NSTAGE };
enum { LATE, EARLY, FLOOR, NROW };
static const char *const stage_name[NSTAGE] = {"import", "passes", "prepare",
                                               "run", "in all"};
static const char *const row_name[NROW] = {"late", "copied", "floor"};

typedef struct Round {
    double ms[NSTAGE], cpu[NSTAGE];
    long kib, faults;
} Round;

static double
cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* When a stage ended. */
typedef struct Ends {
    double wall[NSTAGE], cpu[NSTAGE];
} Ends;

static void
end(Ends *e, int stage)
{
    e->wall[stage] = sn_now();
    e->cpu[stage] = cpu_now();
}

static SnStatus
stages(SnArena *a, SnDiag *d, const char *path, unsigned n, bool late, Ends *e)
{
    SnOnnxOpts opts = {.late = late ? 1 << 16 : 0};
    SnRewriteOpts o = sn_rewrite_defaults;
    const SnExec *x;
    SnGraph *g;

    SN_TRY(sn_onnx_import(a, path, &opts, d, &g));
    end(e, IMPORT);
    SN_TRY(sn_rewrite(sn_rewriter_new(a, &o, d), g, "profile"));
    o.backend = sn_backend_named("CPU");
    SN_TRY(sn_launch(&o, a, g, d));
    end(e, PASSES);
    SN_TRY(sn_exec_prepare_only(a, g, o.backend, NULL, NULL, d, &x));
    end(e, PREPARE);
    SnRun *r = sn_run_team(a, x, n);
    SN_TRY(sn_run(r));
    end(e, RUN);
    return SN_OK;
}

static SnStatus
load(const char *path, unsigned n, bool late, Round *out)
{
    Ends e;
    double from = sn_now(), cpu = cpu_now();
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);

    sn_spread_use(sn_spread_new(a, n));
    SnStatus s = stages(a, d, path, n, late, &e);
    sn_diag_print(d, stderr);
    for (int i = 0; i < WHOLE; i++) {
        out->ms[i] = (e.wall[i] - (i ? e.wall[i - 1] : from)) * 1e3;
        out->cpu[i] = (e.cpu[i] - (i ? e.cpu[i - 1] : cpu)) * 1e3;
    }
    out->ms[WHOLE] = (e.wall[RUN] - from) * 1e3;
    out->cpu[WHOLE] = (e.cpu[RUN] - cpu) * 1e3;
    return s;
}

/* ---- the floor ---- */

typedef struct Part {
    char *to;
    const char *from;
    size_t n;
    pthread_t thread;
} Part;

static void *
copy(void *ctx)
{
    const Part *p = ctx;

    memcpy(p->to, p->from, p->n);
    return NULL;
}

static bool
copy_file(const char *path, unsigned n, Round *out)
{
    enum { HUGE = 2 << 20 };
    struct stat st;
    Part part[64];
    double from = sn_now(), cpu = cpu_now();
    int fd = open(path, O_RDONLY);

    if (fd < 0 || fstat(fd, &st) < 0)
        return false;
    size_t size = (size_t)st.st_size;
    const char *f = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    char *to = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED || to == MAP_FAILED)
        return false;
#ifdef MADV_HUGEPAGE
    (void)madvise(to, size + HUGE, MADV_HUGEPAGE);
#endif
    for (unsigned i = 0; i < n; i++) {
        size_t b = size / n * i, e = i + 1 < n ? size / n * (i + 1) : size;
        part[i] = (Part){to + b, f + b, e - b, 0};
        if (pthread_create(&part[i].thread, NULL, copy, &part[i]))
            return false;
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(part[i].thread, NULL);
    out->ms[WHOLE] = (sn_now() - from) * 1e3;
    out->cpu[WHOLE] = (cpu_now() - cpu) * 1e3;
    return true;
}

/* ---- rounds ---- */

static bool
measure(const char *path, unsigned n, int row, Round *out)
{
    int fd[2], status;
    struct rusage u;
    Round r = {0};

    if (pipe(fd) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        bool ok = row == FLOOR ? copy_file(path, n, &r)
                               : load(path, n, row == LATE, &r) == SN_OK;
        ok = ok && write(fd[1], &r, sizeof r) == sizeof r;
        _exit(!ok);
    }
    close(fd[1]);
    bool ok = pid > 0 && read(fd[0], out, sizeof *out) == sizeof *out;
    close(fd[0]);
    ok = pid > 0 && wait4(pid, &status, 0, &u) == pid && status == 0 && ok;
    out->kib = u.ru_maxrss;
    out->faults = u.ru_minflt;
    return ok;
}

static int
by_size(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;

    return (a > b) - (a < b);
}

static void
show(const Round *r, unsigned n, int row)
{
    double *v = malloc(n * sizeof *v);

    printf("| %-6s", row_name[row]);
    for (int i = 0; v && i < NSTAGE; i++) {
        double cpu = r[row].cpu[i];
        for (unsigned k = 0; k < n; k++)
            cpu = fmin(cpu, r[k * NROW + (unsigned)row].cpu[i]);
        for (unsigned k = 0; k < n; k++)
            v[k] = r[k * NROW + (unsigned)row].ms[i];
        qsort(v, n, sizeof *v, by_size);
        if (row == FLOOR && i < WHOLE)
            printf(" | %19s", "");
        else
            printf(" | %6.1f [%4.1f %5.1f]", v[n / 2], v[0], cpu);
    }
    printf(" | %7ld | %6ld |\n", r[row].kib, r[row].faults);
    free(v);
}

int
main(int argc, char **argv)
{
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 11;
    Round *r = calloc((size_t)rounds * NROW, sizeof *r);

    if (n < 1 || n > 64 || rounds < 1 || !r) {
        fprintf(stderr, "load MODEL.onnx THREADS [ROUNDS]\n");
        return 2;
    }
    for (unsigned k = 0; k < rounds * NROW; k++)
        if (!measure(argv[1], n, (int)(k % NROW), &r[k]))
            return 1;
    printf("| %u thr.", n);
    for (int i = 0; i < NSTAGE; i++)
        printf(" | %19s", stage_name[i]);
    printf(" | %7s | %6s |\n", "KiB", "faults");
    for (int i = 0; i < NROW; i++)
        show(r, rounds, i);
    free(r);
    return 0;
}
