// SPDX-License-Identifier: Apache-2.0
#include "cli/verb/run_c.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aot/aot.h"

extern char **environ;

typedef struct Work {
    SnCli *c;
    SnResults *r;
    const char *dir;
    const SnAot *program;
    int pipe;               /* closed: the directory goes */
    pid_t sweeper;          /* the process that removes it */
    char **input, **output; /* paths of files */
} Work;

/* Starts argv with file `in` as its standard input (-1: ours). */
static int
start(char *const *argv, int in, pid_t *pid)
{
    posix_spawn_file_actions_t fa;

    posix_spawn_file_actions_init(&fa);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&fa, in, 0);
    int err = posix_spawnp(pid, argv[0], &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    return err;
}

/* The exit code; above 255 what was no exit. */
static int
finish(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
}

/* ---- the directory ---- */

/* A process that outlives this one, however that ends, and then removes the
 * directory. */
static SnStatus
start_sweeper(Work *w)
{
    char sh[] = "sh", flag[] = "-c";
    char script[] = "trap '' INT TERM HUP; cat >/dev/null; rm -rf -- \"$0\"";
    char *argv[] = {sh, flag, script,
                    sn_memdup(w->c->a, w->dir, strlen(w->dir) + 1), NULL};
    int ends[2];

    if (pipe(ends) != 0)
        return sn_fail(w->c->d, SN_ENOMEM, w->dir, "%s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int err = start(argv, ends[0], &w->sweeper);
    close(ends[0]);
    if (err) {
        close(ends[1]);
        rmdir(w->dir);
        if (err == ENOENT)
            return sn_fail(w->c->d, SN_EUNSUPPORTED, "--backend c",
                           "requires a shell, but 'sh' is not in PATH");
        return sn_fail(w->c->d, SN_ENOMEM, "sh", "cannot start: %s",
                       strerror(err));
    }
    w->pipe = ends[1];
    return SN_OK;
}

static SnStatus
open_dir(Work *w)
{
    const char *tmp = getenv("TMPDIR");
    char *dir =
        sn_format(w->c->a, "%s/sinter-XXXXXX", tmp && *tmp ? tmp : "/tmp");

    if (!mkdtemp(dir))
        return sn_fail(w->c->d, SN_EOUTPUT, dir, "%s", strerror(errno));
    w->dir = dir;
    return start_sweeper(w);
}

static void
close_dir(Work *w)
{
    close(w->pipe);
    finish(w->sweeper);
}

/* ---- the program ---- */

static SnStatus
write_program(Work *w)
{
    SnAotOpts o = {.name = "net",
                   .target = w->c->args.as_c,
                   .samples = w->r->samples->n ? w->r->samples : NULL};

    SN_TRY(sn_aot(w->c->a, w->r->x, &o, w->c->d, &w->program));
    return sn_aot_write(w->program, w->dir, w->c->d);
}

/* Words of the environment's CC, then `cc`. */
static char **
compiler(Work *w, uint32_t *n)
{
    const char *cc = getenv("CC");
    char **v = NULL;

    for (const char *s = cc ? cc : ""; *s;) {
        size_t len = strcspn(s, " ");
        if (len)
            SN_PUSH(w->c->a, v, *n, sn_strndup(w->c->a, s, len));
        s += len + (s[len] == ' ');
    }
    if (*n == 0)
        SN_PUSH(w->c->a, v, *n, sn_strndup(w->c->a, "cc", 2));
    return v;
}

static SnStatus
build(Work *w)
{
    static const char *const flags[] = {"-O2", "-ffp-contract=off", "-o"};
    uint32_t n = 0;
    char **argv = compiler(w, &n);
    const char *cc = argv[0];
    pid_t pid;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        SN_PUSH(w->c->a, argv, n, sn_strndup(w->c->a, flags[i], 32));
    SN_PUSH(w->c->a, argv, n, sn_format(w->c->a, "%s/net_test", w->dir));
    for (uint32_t i = 0; i < w->program->nfile; i++) {
        const char *file = w->program->file[i];
        size_t len = strlen(file);
        if (len > 2 && !strcmp(file + len - 2, ".c"))
            SN_PUSH(w->c->a, argv, n,
                    sn_format(w->c->a, "%s/%s", w->dir, file));
    }
    SN_PUSH(w->c->a, argv, n, NULL);
    int err = start(argv, -1, &pid);
    int rc = err ? 0 : finish(pid);
    if (err == ENOENT || rc == 127) {
        SnStatus s =
            sn_fail(w->c->d, SN_EUNSUPPORTED, "--backend c",
                    "requires a C compiler, but '%s' is not installed", cc);
        sn_diag_help(w->c->d, "install one, or name it: CC=gcc sinter run ..");
        return s;
    }
    if (err)
        return sn_fail(w->c->d, SN_ENOMEM, cc, "cannot start: %s",
                       strerror(err));
    return rc == 0 ? SN_OK
                   : sn_fail(w->c->d, SN_EUNSUPPORTED, "--backend c",
                             "'%s' does not compile the program", cc);
}

/* ---- samples ---- */

static SnStatus
write_inputs(Work *w, SnRun *run)
{
    const SnExec *x = w->r->x;
    FILE **f = SN_NEW_N(w->c->a, FILE *, x->ninput + 1);
    SnStatus s = SN_OK;
    bool ok = true;

    for (uint32_t i = 0; i < x->ninput; i++)
        ok = (f[i] = fopen(w->input[i], "wb")) != NULL && ok;
    for (int64_t k = 0; ok && s == SN_OK && k < w->r->samples->n; k++) {
        s = sn_samples_fill(w->r->samples, k, run);
        if (s == SN_OK && w->r->seen)
            w->r->seen(w->r->seen_ctx, k, run);
        for (uint32_t i = 0; s == SN_OK && i < x->ninput; i++) {
            size_t n = sn_tensor_nbyte(x->input[i].type, x->input[i].shape);
            ok = ok && fwrite(sn_run_input(run, i), 1, n, f[i]) == n;
        }
    }
    for (uint32_t i = 0; i < x->ninput; i++)
        ok = (!f[i] || fclose(f[i]) == 0) && ok;
    if (s == SN_OK && !ok)
        s = sn_fail(w->c->d, SN_EOUTPUT, w->dir, "%s", strerror(errno));
    return s;
}

static SnStatus
run_program(Work *w)
{
    const SnExec *x = w->r->x;
    char **argv = NULL;
    uint32_t n = 0;
    pid_t pid;

    SN_PUSH(w->c->a, argv, n, sn_format(w->c->a, "%s/net_test", w->dir));
    for (uint32_t i = 0; i < x->ninput; i++)
        SN_PUSH(w->c->a, argv, n, w->input[i]);
    for (uint32_t i = 0; i < x->noutput; i++)
        SN_PUSH(w->c->a, argv, n, w->output[i]);
    SN_PUSH(w->c->a, argv, n, NULL);
    int err = start(argv, -1, &pid);
    if (err)
        return sn_fail(w->c->d, SN_EOUTPUT, w->dir,
                       "the program cannot start there: %s", strerror(err));
    int rc = finish(pid);
    if (rc == 1)
        return sn_fail(w->c->d, SN_EINPUT, "--input",
                       "the network fails: an index is out of range");
    return rc == 0 ? SN_OK
                   : sn_fail(w->c->d, SN_EOUTPUT, w->dir,
                             "the program ended with exit code %d", rc);
}

static SnStatus
read_output(Work *w, uint32_t k)
{
    const SnPort *p = &w->r->x->output[k];
    size_t n = sn_tensor_nbyte(p->type, p->shape);
    uint8_t *one = SN_NEW_N(w->c->a, uint8_t, n + 1);
    FILE *f = fopen(w->output[k], "rb");
    bool ok = f != NULL;

    for (int64_t i = 0; ok && i < w->r->samples->n; i++) {
        float *v = w->r->value[k] + i * w->r->count[k];
        ok = fread(one, 1, n, f) == n;
        sn_to_real(p->type, p->shape, one, v);
        for (int64_t e = 0; p->u8 && e < w->r->count[k]; e++)
            v[e] += 128;
    }
    if (f)
        fclose(f);
    return ok ? SN_OK
              : sn_fail(w->c->d, SN_EOUTPUT, w->output[k],
                        "holds fewer than %lld samples",
                        (long long)w->r->samples->n);
}

/* ---- */

static SnStatus
run_all(Work *w)
{
    const SnExec *x = w->r->x;
    SnArena *t = sn_arena_new();

    w->input = SN_NEW_N(w->c->a, char *, x->ninput + 1);
    w->output = SN_NEW_N(w->c->a, char *, x->noutput + 1);
    for (uint32_t i = 0; i < x->ninput; i++)
        w->input[i] = sn_format(w->c->a, "%s/in%u", w->dir, i);
    for (uint32_t i = 0; i < x->noutput; i++)
        w->output[i] = sn_format(w->c->a, "%s/out%u", w->dir, i);
    SnRun *run = sn_run_new(t, x);
    SnStatus s = write_inputs(w, run);
    sn_run_free(run);
    sn_arena_free(t);
    if (s == SN_OK)
        s = run_program(w);
    for (uint32_t k = 0; k < x->noutput && s == SN_OK; k++)
        s = read_output(w, k);
    return s;
}

SnStatus
sn_run_c(SnCli *c, SnResults *r)
{
    Work w = {.c = c, .r = r};
    uint32_t nout = r->x->noutput;

    r->count = SN_NEW_N(c->a, int64_t, nout + 1);
    r->value = SN_NEW_N(c->a, float *, nout + 1);
    for (uint32_t i = 0; i < nout; i++) {
        r->count[i] = sn_shape_count(r->x->output[i].shape);
        r->value[i] = SN_NEW_N(c->a, float, r->samples->n * r->count[i] + 1);
    }
    SN_TRY(open_dir(&w));
    SnStatus s = write_program(&w);
    if (s == SN_OK)
        s = build(&w);
    if (s == SN_OK)
        s = run_all(&w);
    close_dir(&w);
    return s;
}
