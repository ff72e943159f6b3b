// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

#include "aot/aot.h"
#include "aot/io/boundary.h"
#include "rewrite/rewrite.h"

static SnStatus
check_target(SnCli *c, const SnAotTarget **t)
{
    const char *name = c->args.compile_target;

    *t = sn_aot_target(name);
    return *t ? SN_OK
              : sn_fail(c->d, SN_EUSAGE, "--target", "%s",
                        sn_aot_no_target(c->a, name));
}

/* A word of C, as it begins the names of functions. */
static SnStatus
check_name(SnCli *c, const char *s)
{
    bool ok = isalpha((unsigned char)s[0]) != 0;

    for (size_t i = 0; s[i]; i++)
        ok = ok && (isalnum((unsigned char)s[i]) || s[i] == '_');
    return ok && strlen(s) <= 40
               ? SN_OK
               : sn_fail(c->d, SN_EUSAGE, "--name",
                         "'%s' is not a name in C: expected a letter, then "
                         "letters, digits and _, 40 at most",
                         s);
}

/* ---- options ---- */

/* What inputs and outputs become; NULL: what they are. */
typedef SnStatus Boundary(SnGraph *g, SnDiag *d);

static SnStatus
check_io(SnCli *c, Boundary **io)
{
    const char *s = c->args.io ? c->args.io : "model";

    *io = !strcmp(s, "int8")    ? sn_aot_codes
          : !strcmp(s, "float") ? sn_aot_reals
                                : NULL;
    return *io || !strcmp(s, "model")
               ? SN_OK
               : sn_fail(c->d, SN_EUSAGE, "--io",
                         "'%s'; expected model, int8 or float", s);
}

static SnStatus
check_weights(SnCli *c, SnAotOpts *o)
{
    const char *w = c->args.weights;

    o->binary = w && !strcmp(w, "binary");
    return !w || o->binary || !strcmp(w, "c")
               ? SN_OK
               : sn_fail(c->d, SN_EUSAGE, "--weights",
                         "'%s'; expected c or binary", w);
}

static SnStatus
check_arenas(SnCli *c, SnAotOpts *o)
{
    o->nregion = c->args.arenas.n;
    if (o->nregion > SN_AOT_REGIONS)
        return sn_fail(c->d, SN_EUSAGE, "--arenas",
                       "has %u sizes, expected at most %d", o->nregion,
                       SN_AOT_REGIONS);
    for (uint32_t i = 0; i < o->nregion; i++)
        o->region[i] = (size_t)c->args.arenas.v[i];
    return SN_OK;
}

/* ---- what it takes ---- */

/* How a step's loops go, and the rows of a call. */
static const char *
form_of(SnCli *c, const SnAotCost *x)
{
    return x->rows ? sn_format(c->a, "%s/%lld", x->form, (long long)x->rows)
                   : x->form;
}

/* A table of its steps. */
static void
put_report(SnCli *c, const SnAot *p, const SnAotTarget *target)
{
    const char *processor = sn_aot_processor(target);

    sn_putf(&c->out, "%10s %10s %12s %12s %-10s  node\n", "flash", "ram",
            "operations", "instructions", "form");
    for (uint32_t i = 0; i < p->ncost; i++) {
        const SnAotCost *x = &p->cost[i];
        sn_putf(&c->out, "%10lu %10lu %12.0f %12s %-10s  %s\n",
                (unsigned long)x->flash, (unsigned long)x->live, x->ops,
                processor ? sn_format(c->a, "%.0f", x->instructions) : "-",
                form_of(c, x), sn_shown(c->a, x->label));
    }
    if (processor)
        sn_putf(&c->out,
                "estimate for a %s: %.2f M instructions, %.2f M cycles\n",
                processor, p->instructions * 1e-6, p->cycles * 1e-6);
}

static size_t
takes(const SnAotCost *x, bool ram)
{
    return ram ? x->live : x->flash;
}

/* The three steps that take the most. */
static const char *
largest(SnCli *c, const SnAot *p, bool ram)
{
    bool *said = SN_NEW_N(c->a, bool, p->ncost + 1);
    SnBuf b;

    sn_buf_init(&b, c->a);
    for (int k = 0; k < 3; k++) {
        uint32_t most = p->ncost;
        for (uint32_t i = 0; i < p->ncost; i++)
            if (!said[i] &&
                (most == p->ncost ||
                 takes(&p->cost[i], ram) > takes(&p->cost[most], ram)))
                most = i;
        if (most == p->ncost || takes(&p->cost[most], ram) == 0)
            break;
        said[most] = true;
        sn_putf(&b, "%s%s: %lu", b.n ? ", " : "",
                sn_shown(c->a, p->cost[most].label),
                (unsigned long)takes(&p->cost[most], ram));
    }
    return sn_buf_str(&b);
}

/* ---- the program ---- */

/* Options that say how --input is read. */
static SnStatus
check_data(SnCli *c)
{
    const SnArgs *a = &c->args;
    const char *option = a->preset        ? "--preset"
                         : a->mean        ? "--mean"
                         : a->std         ? "--std"
                         : a->resize      ? "--resize"
                         : a->crop        ? "--crop"
                         : a->channels    ? "--channels"
                         : a->layout      ? "--layout"
                         : a->mul.n       ? "--mul"
                         : a->add.n       ? "--add"
                         : a->skip > 0    ? "--skip"
                         : a->nsample > 0 ? "-n"
                                          : NULL;

    if (a->input.n || !option)
        return SN_OK;
    return sn_fail(c->d, SN_EUSAGE, option, "has no effect without --input");
}

static SnStatus
program(SnCli *c, const char *path, Boundary *io, SnAotOpts *o, const SnAot **p)
{
    const SnExec *x;
    SnGraph *g;

    SN_TRY(sn_cli_load(c, path, &g));
    if (sn_is_onnx(path)) {
        SnRewriter *rw = sn_rewriter_new(c->a, &sn_rewrite_defaults, c->d);
        SN_TRY(sn_rewrite(rw, g, "optimize"));
        SN_TRY(sn_verify(g, c->d));
    }
    if (io) {
        SN_TRY(io(g, c->d));
        SN_TRY(sn_verify(g, c->d));
    }
    SN_TRY(sn_exec_prepare(c->a, g, NULL, c->d, &x));
    if (c->args.input.n && !o->samples)
        SN_TRY(sn_cli_samples(c, x, &c->args.input, "--input", &o->samples));
    return sn_aot(c->a, x, o, c->d, p);
}

/* ---- limits ---- */

static size_t
total(const SnAot *p, bool ram)
{
    return ram ? p->arena : p->weights + p->tables;
}

/* What the program would take with other options, where that is less. */
static void
put_other(SnCli *c, const char *path, const SnAot *p, const SnAotOpts *was,
          Boundary *io, bool ram, SnBuf *b)
{
    SnAotOpts o = {.name = was->name,
                   .target = was->target,
                   .binary = true,
                   .max_ram = was->max_ram,
                   .max_flash = was->max_flash};
    const SnAot *q;

    if (io != sn_aot_codes && program(c, path, sn_aot_codes, &o, &q) == SN_OK &&
        total(q, ram) < total(p, ram))
        sn_putf(b, "; --io int8 takes %lu", (unsigned long)total(q, ram));
    o.target = sn_aot_target(NULL);
    if (o.target != was->target && program(c, path, io, &o, &q) == SN_OK &&
        total(q, ram) < total(p, ram))
        sn_putf(b, "; --target portable takes %lu",
                (unsigned long)total(q, ram));
}

static const char *
help(SnCli *c, const char *path, const SnAot *p, const SnAotOpts *o,
     Boundary *io, bool ram, unsigned long most)
{
    SnBuf b;

    sn_buf_init(&b, c->a);
    if (ram && p->bound > most)
        sn_putf(&b,
                "this order of nodes requires %lu: use a smaller input, or "
                "fewer channels where pictures are large",
                (unsigned long)p->bound);
    else if (ram)
        sn_putf(&b, "no smaller memory plan was found; its lower bound is %lu",
                (unsigned long)p->bound);
    else
        sn_putf(&b,
                "one scale for all weights of a node (quantize --per-tensor) "
                "reduces the %lu bytes of tables, and so does a network with "
                "fewer channels",
                (unsigned long)p->tables);
    put_other(c, path, p, o, io, ram, &b);
    return sn_buf_str(&b);
}

static SnStatus
check_limit(SnCli *c, const char *path, const SnAot *p, const SnAotOpts *o,
            Boundary *io, bool ram)
{
    const char *option = ram ? "--max-ram" : "--max-flash";
    size_t have = total(p, ram);
    unsigned long most =
        (unsigned long)(ram ? c->args.max_ram : c->args.max_flash);

    if (most == 0 || have <= most)
        return SN_OK;
    const char *hint = help(c, path, p, o, io, ram, most);
    SnStatus s =
        sn_fail(c->d, SN_ECHECK, option,
                "%s take%s %lu bytes, more than %lu; the largest: %s",
                ram ? "the arena" : "constants and tables", ram ? "s" : "",
                (unsigned long)have, most, largest(c, p, ram));
    sn_diag_help(c->d, "%s", hint);
    return s;
}

/* The last memory takes what the others do not. */
static SnStatus
check_regions(SnCli *c, const SnAot *p, const SnAotOpts *o)
{
    uint32_t last = o->nregion ? o->nregion - 1 : 0;

    if (o->nregion == 0 || p->region[last] <= o->region[last])
        return SN_OK;
    SnStatus s = sn_fail(c->d, SN_ECHECK, "--arenas",
                         "memory %u takes %lu bytes, more than %lu; the "
                         "largest: %s",
                         last, (unsigned long)p->region[last],
                         (unsigned long)o->region[last], largest(c, p, true));
    sn_diag_help(
        c->d,
        "a value is not split over memories: give larger memories, or fewer");
    return s;
}

static void
put_regions(SnCli *c, const SnAot *p)
{
    for (uint32_t i = 0; i < p->nregion && p->nregion > 1; i++)
        sn_putf(&c->out, "arena %u: %lu bytes\n", i,
                (unsigned long)p->region[i]);
}

SnStatus
sn_verb_compile(SnCli *c)
{
    SnAotOpts o = {.name = c->args.name ? c->args.name : "net",
                   .max_ram = (size_t)c->args.max_ram,
                   .max_flash = (size_t)c->args.max_flash};
    const SnAot *p;
    const char *path;
    Boundary *io;

    SN_TRY(sn_cli_model(c, 1, &path));
    if (!c->args.output && !c->args.report)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "is missing: expected the directory to write into, or "
                       "--report");
    if (c->args.output && !strcmp(c->args.output, "-"))
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "'-' is standard output: expected a directory");
    SN_TRY(check_data(c));
    SN_TRY(check_name(c, o.name));
    SN_TRY(check_target(c, &o.target));
    SN_TRY(check_io(c, &io));
    SN_TRY(check_weights(c, &o));
    SN_TRY(check_arenas(c, &o));
    SN_TRY(program(c, path, io, &o, &p));
    if (c->args.report)
        put_report(c, p, o.target);
    SN_TRY(check_limit(c, path, p, &o, io, true));
    SN_TRY(check_limit(c, path, p, &o, io, false));
    SN_TRY(check_regions(c, p, &o));
    if (c->args.output)
        SN_TRY(sn_aot_write(p, c->args.output, c->d));
    put_regions(c, p);
    if (p->nband)
        sn_putf(
            &c->out,
            "%u nodes make some rows a call: the arena takes %lu bytes in "
            "place of %lu%s\n",
            p->nband, (unsigned long)p->arena, (unsigned long)p->whole,
            sn_aot_processor(o.target)
                ? sn_format(c->a, ", for about %.0f instructions", p->band_cost)
                : "");
    if (p->nslower)
        sn_putf(&c->out, "%u node%s slower, to keep the limits\n", p->nslower,
                p->nslower == 1 ? " is" : "s are");
    sn_putf(&c->out,
            "%s: arena %lu bytes (lower bound %lu), constants %lu, tables "
            "%lu\n",
            c->args.output ? c->args.output : path, (unsigned long)p->arena,
            (unsigned long)p->bound, (unsigned long)p->weights,
            (unsigned long)p->tables);
    return SN_OK;
}
