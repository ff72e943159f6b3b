// SPDX-License-Identifier: Apache-2.0
/* Writes the table of options as --help and as manual pages (mdoc). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/args/option.h"

static const struct {
    SnStatus code;
    const char *what;
} exits[] = {
    {SN_OK, "ok"},
    {SN_ECHECK, "check failed"},
    {SN_EUSAGE, "usage"},
    {SN_EINPUT, "bad input"},
    {SN_EUNSUPPORTED, "unsupported"},
    {SN_EOUTPUT, "output"},
    {SN_ENOMEM, "resource limit"},
    {(SnStatus)70, "internal"},
};
enum { NEXIT = sizeof exits / sizeof exits[0] };

#define PURPOSE                                                        \
    "Makes int8 models from float models: import, profile, quantize, " \
    "optimize, "                                                       \
    "run."

static void
help_options(SnBuf *b, const SnVerb *v)
{
    sn_puts(b, "\nOptions:\n");
    for (const SnOption *o = sn_options; o->name; o++) {
        if (!(o->verbs & v->bit) || !o->help)
            continue;
        size_t from = b->n;
        sn_putf(b, "  %s%s%s", o->name, o->metavar ? " " : "",
                o->metavar ? o->metavar : "");
        size_t used = b->n - from;
        if (used > 26)
            sn_putf(b, "\n%28s", "");
        else
            sn_putf(b, "%*s", (int)(28 - used), "");
        sn_putf(b, "%s\n", o->help);
    }
}

void
sn_args_help(SnBuf *b, const SnVerb *v)
{
    if (v) {
        sn_putf(b, "Usage: sinter %s %s\n\n%s: %s.\n", v->name, v->usage,
                v->name, v->help);
        help_options(b, v);
        return;
    }
    sn_puts(b, "Usage: sinter VERB ...\n\n" PURPOSE "\n\nVerbs:\n");
    for (v = sn_verbs; v->name; v++)
        sn_putf(b, "  %-10s  %s\n", v->name, v->help);
    sn_puts(b, "\n'sinter VERB --help' lists the options of a verb.  Models "
               "are .onnx or .sn files.\nExit codes: ");
    for (int i = 0; i < NEXIT; i++)
        sn_putf(b, "%s%d %s",
                i == 0   ? ""
                : i == 6 ? ",\n"
                         : ", ",
                (int)exits[i].code, exits[i].what);
    sn_puts(b, ".\n");
}

/* ---- manual pages ---- */

/* Text in mdoc, in lines that are not long: a backslash, a dot at the start of
 * a line and the minus of options are written so that they stay what they
 * are. */
static void
put_mdoc(SnBuf *b, const char *s)
{
    size_t line = b->n;

    for (const char *p = s; *p; p++) {
        bool starts = p == s || strchr(" -([", p[-1]);
        if (*p == '\\')
            sn_puts(b, "\\e");
        else if (*p == '-' && starts)
            sn_puts(b, "\\-");
        else if (p == s && (*p == '.' || *p == '\''))
            sn_putf(b, "\\&%c", *p);
        else if (*p == ' ' && b->n - line > 60 && p[1] != '.' && p[1] != '\'')
            line = b->n, sn_putc(b, '\n');
        else
            sn_putc(b, *p);
    }
}

static void
put_head(SnBuf *b, const char *name, const char *what)
{
    sn_puts(b, ".Dd " SN_VERSION_DATE "\n.Dt ");
    for (const char *p = name; *p; p++)
        sn_putc(b, (char)toupper((unsigned char)*p));
    sn_putf(b, " 1\n.Os sinter %s\n.Sh NAME\n.Nm %s\n.Nd ", SN_VERSION, name);
    put_mdoc(b, what);
    sn_puts(b, "\n");
}

static void
put_exits(SnBuf *b)
{
    sn_puts(b, ".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n");
    for (int i = 0; i < NEXIT; i++)
        sn_putf(b, ".It %d\n%s\n", (int)exits[i].code, exits[i].what);
    sn_puts(b, ".El\n");
}

/* An option with the other names that it has, which come after it. */
static void
put_option(SnBuf *b, const SnOption *o, const SnVerb *v)
{
    sn_putf(b, ".It Fl %s", o->name + 1);
    for (const SnOption *k = o + 1; k->name && !k->help; k++)
        if (k->verbs & v->bit)
            sn_putf(b, " , Fl %s", k->name + 1);
    if (o->metavar) {
        sn_puts(b, " Ar ");
        put_mdoc(b, o->metavar);
    }
    sn_puts(b, "\n");
    put_mdoc(b, o->help);
    sn_puts(b, "\n");
}

static void
man_verb(SnBuf *b, const SnVerb *v)
{
    const char *name = sn_format(b->a, "sinter-%s", v->name);

    put_head(b, name, v->help);
    sn_putf(b, ".Sh SYNOPSIS\n.Nm sinter %s\n", v->name);
    if (*v->usage) {
        put_mdoc(b, v->usage);
        sn_puts(b, "\n");
    }
    sn_puts(b, ".Sh DESCRIPTION\nOptions may stand before and after "
               "arguments;\n.Fl -\nends them.\n.Bl -tag -width Ds\n");
    for (const SnOption *o = sn_options; o->name; o++)
        if ((o->verbs & v->bit) && o->help)
            put_option(b, o, v);
    sn_puts(b, ".El\n");
    put_exits(b);
    sn_puts(b, ".Sh SEE ALSO\n.Xr sinter 1\n");
}

static int
by_name(const void *x, const void *y)
{
    const char *const *a = x, *const *b = y;

    return strcmp(*a, *b);
}

static void
man_program(SnBuf *b)
{
    const char *page[SN_MOST_VERBS] = {"gen"};
    size_t n = 1;

    put_head(b, "sinter", "int8 models from float ones");
    sn_puts(b, ".Sh SYNOPSIS\n.Nm\n.Ar VERB\n.Op Ar OPTION ...\n"
               ".Op Ar FILE ...\n.Sh DESCRIPTION\n" PURPOSE "\nModels are "
               "ONNX models\n.Pq .onnx\nor sinter's own graphs\n.Pq .sn .\n"
               "The verbs are\n.Bl -tag -width Ds\n");
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        page[n++] = v->name;
        sn_putf(b, ".It Cm %s\n", v->name);
        put_mdoc(b, v->help);
        sn_puts(b, "\n");
    }
    sn_puts(b, ".El\n.Sh ENVIRONMENT\n.Bl -tag -width SINTER_CPU\n"
               ".It Ev SINTER_CPU\nthe instruction set to compute with; "
               "results do not depend on it\n.It Ev NO_COLOR\nmessages have "
               "no colours, whatever it holds\n.El\n");
    put_exits(b);
    sn_puts(b, ".Sh SEE ALSO\n");
    qsort(page, n, sizeof *page, by_name);
    for (size_t i = 0; i < n; i++)
        sn_putf(b, ".Xr sinter-%s 1%s\n", page[i], i + 1 < n ? " ," : "");
}

void
sn_args_man(SnBuf *b, const SnVerb *v)
{
    if (v)
        man_verb(b, v);
    else
        man_program(b);
}
