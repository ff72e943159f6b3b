// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/file.h"
#include "graph/text/text.h"

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
    sn_draw_dot(g, &dot);
    if (!o || !strcmp(o, "-")) {
        sn_putn(&c->out, dot.s, dot.n);
        return SN_OK;
    }
    if (!strcmp(format, "dot"))
        return sn_file_write_text(c->d, o, dot.s, dot.n);
    SN_TRY(picture(c, format, &dot, &img));
    return (text ? sn_file_write_text : sn_file_write)(c->d, o, img.s, img.n);
}
