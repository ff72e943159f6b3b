// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/file.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "run/bench/bench.h"

extern char **environ;

static const char *
suffix_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

/* Runs `dot -T<format>` from file in to file out. */
static SnStatus
run_dot(SnCli *c, const char *format, FILE *in, FILE *out)
{
    char *flag = sn_format(c->a, "-T%s", format);
    char name[] = "dot";
    char *argv[] = {name, flag, NULL};
    posix_spawn_file_actions_t fa;
    pid_t pid;
    int status = 0;

    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&fa, fileno(out), 1);
    int err = posix_spawnp(&pid, "dot", &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    if (err == ENOENT)
        return sn_fail(c->d, SN_EUNSUPPORTED, "dot",
                       "Graphviz is not "
                       "installed; write a .dot file instead");
    if (err)
        return sn_fail(c->d, SN_ENOMEM, "dot", "cannot start: %s",
                       strerror(err));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return sn_fail(c->d, SN_EUNSUPPORTED, "dot",
                       "Graphviz is not "
                       "installed; write a .dot file instead");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return sn_fail(c->d, SN_EOUTPUT, "dot", "failed to draw the graph");
    return SN_OK;
}

static SnStatus
picture(SnCli *c, const char *format, const SnBuf *dot, SnBuf *img)
{
    FILE *in = tmpfile(), *out = tmpfile();
    SnStatus st = SN_OK;
    char block[1 << 14];
    size_t n;

    if (!in || !out || fwrite(dot->s, 1, dot->n, in) != dot->n ||
        fflush(in) != 0)
        st = sn_fail(c->d, SN_EOUTPUT, "temporary file", "cannot write: %s",
                     strerror(errno));
    if (st == SN_OK) {
        rewind(in);
        st = run_dot(c, format, in, out);
    }
    if (st == SN_OK) {
        rewind(out);
        while ((n = fread(block, 1, sizeof block, out)) > 0)
            sn_putn(img, block, n);
    }
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    return st;
}

/* ---- heat ---- */

/* Bytes of constants by the nodes that read them; one that several read is
 * counted at the first. */
static double *
weights(SnCli *c, const SnGraph *g)
{
    double *v = SN_NEW_N(c->a, double, g->nnode);
    bool *seen = SN_NEW_N(c->a, bool, g->nnode);
    uint32_t n;
    const SnId *topo = sn_topo(g, c->a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *d = sn_node(g, topo[i]);
        for (uint32_t s = 0; s < d->nin; s++) {
            SnRef r = d->in[s].ref;
            if (!r || !sn_def(g, r)->data || seen[SN_NODE(r)])
                continue;
            seen[SN_NODE(r)] = true;
            v[topo[i]] +=
                (double)sn_tensor_nbyte(sn_type(g, r), sn_shape_of(g, r));
        }
    }
    return v;
}

static double *
operations(SnCli *c, const SnGraph *g)
{
    double *v = SN_NEW_N(c->a, double, g->nnode);

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (!n->dead && !n->data && !sn_desc(n->kind)->effect &&
            !sn_node_empty(g, id))
            v[id] = sn_node_ops(g, id);
    }
    return v;
}

/* Seconds of a run, measured on this machine. */
static SnStatus
times(SnCli *c, const SnGraph *g, const double **out)
{
    double *v = SN_NEW_N(c->a, double, g->nnode);
    const SnBackendDesc *backend;
    const SnExec *x;
    SnBench *b;

    SN_TRY(sn_cli_engine(c, &backend));
    SN_TRY(sn_exec_prepare(c->a, g, backend, c->d, &x));
    SN_TRY(sn_bench(c->a, x, 1, 0, c->d, &b));
    for (uint32_t i = 0; i < b->nnode; i++)
        v[b->node[i].node] = b->node[i].s;
    *out = v;
    return SN_OK;
}

static SnStatus
get_heat(SnCli *c, const SnGraph *g, SnDrawOpts *o)
{
    o->heat_of = c->args.heat;
    if (!o->heat_of)
        return SN_OK;
    if (!strcmp(o->heat_of, "weights")) {
        o->heat = weights(c, g);
        return SN_OK;
    }
    if (!strcmp(o->heat_of, "operations")) {
        o->heat = operations(c, g);
        return SN_OK;
    }
    if (strcmp(o->heat_of, "time") != 0)
        return sn_fail(c->d, SN_EUSAGE, "--heat",
                       "'%s' is not known: expected time, operations or "
                       "weights",
                       o->heat_of);
    return times(c, g, &o->heat);
}

/* ---- the verb ---- */

SnStatus
sn_verb_draw(SnCli *c)
{
    const char *path, *o = c->args.output;
    const char *format = o ? suffix_of(o) : "dot";
    SnGraph *g;
    SnBuf dot, img;

    SN_TRY(sn_cli_model(c, 1, &path));
    if (o && !strcmp(o, "-"))
        format = "dot";
    if (strcmp(format, "dot") && strcmp(format, "svg") &&
        strcmp(format, "png") && strcmp(format, "pdf"))
        return sn_fail(c->d, SN_EUSAGE, o,
                       "must end in .dot, .svg, .png or "
                       ".pdf");
    bool text = !strcmp(format, "dot") || !strcmp(format, "svg");
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){"-o", o, NULL, "a picture", .text = text}));
    SN_TRY(sn_cli_load(c, path, &g));
    sn_buf_init(&dot, c->a);
    sn_buf_init(&img, c->a);
    SnDrawOpts how = {.title = c->args.title, .page = c->args.link};
    SN_TRY(get_heat(c, g, &how));
    (c->args.overview ? sn_draw_blocks : sn_draw_dot)(g, &how, &dot);
    if (!o || !strcmp(o, "-")) {
        sn_putn(&c->out, dot.s, dot.n);
        return SN_OK;
    }
    if (!strcmp(format, "dot"))
        return sn_file_write_text(c->d, o, dot.s, dot.n);
    SN_TRY(picture(c, format, &dot, &img));
    return (text ? sn_file_write_text : sn_file_write)(c->d, o, img.s, img.n);
}
