// SPDX-License-Identifier: Apache-2.0
/* Where results go: what verbs refuse before they start. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "cli/cli.h"

static SnStatus
check_name(SnCli *c, const SnOutput *o)
{
    SnBuf b;
    bool fits = !o->suffix;

    sn_buf_init(&b, c->a);
    for (uint32_t i = 0; o->suffix && o->suffix[i] && !fits; i++) {
        size_t n = strlen(o->path), m = strlen(o->suffix[i]);
        fits = n > m && !strcmp(o->path + n - m, o->suffix[i]);
        sn_putf(&b, "%s%s", i ? " or " : "", o->suffix[i]);
    }
    if (!fits)
        return sn_fail(c->d, SN_EUSAGE, o->option, "'%s' does not end in %s",
                       o->path, sn_buf_str(&b));
    if (o->suffix || !sn_is_onnx(o->path))
        return SN_OK;
    sn_fail(c->d, SN_EUSAGE, o->option,
            "'%s' is the name of an ONNX model; "
            "this writes %s",
            o->path, o->what);
    sn_diag_help(c->d, "'sinter export' writes ONNX models");
    return SN_EUSAGE;
}

static SnStatus
check_place(SnCli *c, const SnOutput *o)
{
    const char *dir = sn_path_dir(c->a, o->path);
    struct stat st;

    if (stat(dir, &st) != 0)
        return sn_fail(c->d, SN_EOUTPUT, o->option, "'%s': no directory '%s'",
                       o->path, dir);
    if (stat(o->path, &st) == 0 && S_ISDIR(st.st_mode))
        return sn_fail(c->d, SN_EOUTPUT, o->option, "'%s' is a directory",
                       o->path);
    if (!sn_file_in_place(o->path) && access(dir, W_OK) != 0)
        return sn_fail(c->d, SN_EOUTPUT, o->option,
                       "'%s': cannot write in "
                       "'%s': %s",
                       o->path, dir, strerror(errno));
    return SN_OK;
}

static bool
same_file(const struct stat *st, const char *path)
{
    struct stat other;

    return path && stat(path, &other) == 0 && other.st_dev == st->st_dev &&
           other.st_ino == st->st_ino;
}

/* The first of the paths that is the file; NAME=PATH is looked for by both. */
static const char *
same_of(const struct stat *st, const SnStrs *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const char *eq = strchr(l->v[i], '=');
        if (same_file(st, l->v[i]) || (eq && same_file(st, eq + 1)))
            return l->v[i];
    }
    return NULL;
}

/* The argument that names the file, by whatever path, as something to read. */
static const char *
read_as(const SnArgs *a, const struct stat *st, bool in_place)
{
    const SnStrs *list[] = {&a->calib, &a->input, &a->eval};
    const char *one[] = {a->labels, a->compare, a->load_profile, a->tune_file,
                         a->plugin};
    const char *found = in_place ? NULL : same_of(st, &a->pos);

    for (size_t i = 0; !found && i < sizeof list / sizeof list[0]; i++)
        found = same_of(st, list[i]);
    for (size_t i = 0; !found && i < sizeof one / sizeof one[0]; i++)
        if (same_file(st, one[i]))
            found = one[i];
    return found;
}

SnStatus
sn_cli_writable(SnCli *c, const SnOutput *o)
{
    struct stat st;

    if (!o->path)
        return SN_OK;
    if (!strcmp(o->path, "-")) {
        if (c->printed)
            return sn_fail(c->d, SN_EUSAGE, o->option,
                           "cannot be combined with %s: both go to standard "
                           "output",
                           c->printed);
        c->printed = o->option;
        return SN_OK;
    }
    SN_TRY(check_name(c, o));
    SN_TRY(check_place(c, o));
    if (stat(o->path, &st) != 0 || !S_ISREG(st.st_mode))
        return SN_OK;
    const char *in = read_as(&c->args, &st, o->in_place);
    if (in)
        return sn_fail(c->d, SN_EUSAGE, o->option,
                       "'%s' would be replaced by "
                       "%s, and is read as '%s': expected another file",
                       o->path, o->what, in);
    return o->text ? sn_file_text_check(c->d, o->option, o->path) : SN_OK;
}

/* ---- standard output ---- */

bool
sn_cli_put(const SnCli *c, FILE *f)
{
    SnBuf b;
    size_t n;

    sn_buf_init(&b, c->a);
    for (size_t i = 0; i < c->out.n; i += n) {
        n = strcspn(c->out.s + i, "\n\t");
        sn_put_escaped(&b, c->out.s + i, n);
        if (i + n < c->out.n)
            sn_putc(&b, c->out.s[i + n++]);
    }
    return b.n == 0 || fwrite(b.s, 1, b.n, f) == b.n;
}

void
sn_cli_aside(SnCli *c)
{
    if (!c->printed)
        return;
    sn_cli_put(c, stderr);
    sn_buf_init(&c->out, c->a);
}
