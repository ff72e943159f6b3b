// SPDX-License-Identifier: Apache-2.0
/* What several verbs do: reading models, options of passes, data. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/budget.h"
#include "base/file/file.h"
#include "cli/inputs.h"
#include "graph/text/text.h"
#include "onnx/import.h"
#include "quant/profile/profile.h"
#include "quant/quantize.h"

bool
sn_is_onnx(const char *path)
{
    size_t n = strlen(path);

    return n > 5 && strcmp(path + n - 5, ".onnx") == 0;
}

bool
sn_cli_quantized(SnCli *c, const SnGraph *g)
{
    uint32_t n;
    const SnId *topo = sn_topo(g, c->a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *v = sn_node(g, topo[i]);
        for (unsigned k = 0; !v->data && k < v->nres; k++)
            if (v->res[k].type && v->res[k].type->nq)
                return true;
    }
    return false;
}

SnStrs
sn_cli_files(SnCli *c, const SnStrs *option)
{
    SnStrs all = {0};

    for (uint32_t k = 0; k < option->n; k++)
        SN_PUSH(c->a, all.v, all.n, option->v[k]);
    for (uint32_t i = 1; i < c->args.pos.n; i++)
        SN_PUSH(c->a, all.v, all.n, c->args.pos.v[i]);
    return all;
}

SnStatus
sn_cli_model(SnCli *c, uint32_t most, const char **path)
{
    if (c->args.pos.n == 0)
        return sn_fail(c->d, SN_EUSAGE, "MODEL",
                       "is missing: expected a "
                       ".onnx or .sn file");
    if (c->args.pos.n > most)
        return sn_fail(c->d, SN_EUSAGE, c->args.pos.v[most],
                       "is one argument too many");
    *path = c->args.pos.v[0];
    return SN_OK;
}

static SnStatus
load_text(SnCli *c, const char *path, SnGraph **out)
{
    SnSrc *src;
    char *text;

    if (strcmp(path, "-") != 0 && c->args.pack_cache)
        return sn_text_load_lazy(c->a, path, c->d, out);
    if (strcmp(path, "-") != 0)
        return sn_text_load(c->a, path, c->d, out);
    src = SN_NEW(c->a, SnSrc);
    src->name = "<stdin>";
    SN_TRY(sn_file_read(c->a, c->d, path, 0, &text, &src->nbyte));
    src->text = text;
    sn_budget_model(src->nbyte);
    return sn_parse(c->a, src, ".", c->d, out);
}

/* The options that give an ONNX model its shapes say nothing to a .sn.  Where a
 * verb reads an ONNX model beside it, they are that one's. */
static SnStatus
check_shapeless(SnCli *c, const char *path)
{
    const SnArgs *a = &c->args;
    const char *option = a->shape.n      ? "--shape"
                         : a->dim.n      ? "--dim"
                         : a->batch >= 0 ? "--batch"
                                         : NULL;
    bool onnx = a->compare && sn_is_onnx(a->compare);

    for (uint32_t i = 0; i < a->pos.n; i++)
        onnx = onnx || sn_is_onnx(a->pos.v[i]);
    if (!option || onnx)
        return SN_OK;
    return sn_fail(c->d, SN_EUSAGE, option,
                   "is for ONNX models; the shapes "
                   "of %s are fixed: import or quantize the ONNX model with "
                   "it",
                   path);
}

/* --backend; *out is left alone without it. */
static SnStatus
find_backend(SnCli *c, const SnBackendDesc **out)
{
    SnBuf b;

    if (!c->args.backend)
        return SN_OK;
    *out = sn_backend_named(c->args.backend);
    if (*out)
        return SN_OK;
    sn_buf_init(&b, c->a);
    for (uint32_t i = 0; i < sn_backend_end(); i++)
        sn_putf(&b, "%s%s", i ? ", " : "", sn_backend_at(i)->name);
    sn_fail(c->d, SN_EUSAGE, c->args.target ? "--target" : "--backend",
            "no backend is named '%s' (there are: %s)", c->args.backend,
            sn_buf_str(&b));
    if (!c->args.plugin)
        sn_diag_help(c->d, "if a plugin declares it, load the plugin: "
                           "--backend-plugin FILE");
    return SN_EUSAGE;
}

/* Smaller weights are copied at once. */
enum { LATE_NBYTE = 1 << 16 };

SnStatus
sn_cli_load(SnCli *c, const char *path, SnGraph **out)
{
    const SnBackendDesc *b = NULL;

    SN_TRY(find_backend(c, &b));
    if (sn_is_onnx(path)) {
        SnOnnxOpts o = {.dims = c->args.dim.n ? c->args.dim.v : NULL,
                        .shapes = c->args.shape.n ? c->args.shape.v : NULL,
                        .batch = c->args.batch > 0 ? c->args.batch : 0,
                        .late = c->late ? LATE_NBYTE : 0};
        if (c->args.batch == 0)
            return sn_fail(c->d, SN_EUSAGE, "--batch",
                           "is 0, expected 1 or more");
        SN_TRY(sn_onnx_import(c->a, path, &o, c->d, out));
    } else {
        SN_TRY(check_shapeless(c, path));
        SN_TRY(load_text(c, path, out));
    }
    sn_graph_target(*out, b);
    return sn_verify(*out, c->d);
}

SnStatus
sn_cli_engine(SnCli *c, const SnBackendDesc **out)
{
    *out = sn_backend_named("CPU");
    return find_backend(c, out);
}

SnStatus
sn_cli_rewrite_opts(SnCli *c, SnRewriteOpts *o)
{
    const SnArgs *a = &c->args;

    *o = sn_rewrite_defaults;
    SN_TRY(find_backend(c, &o->backend));
    o->strict_saturation = a->strict;
    o->verify = a->verify;
    o->check_passes = a->check_passes;
    o->trace = a->trace;
    o->time_passes = a->time_passes;
    o->opt_limit = a->opt_limit;
    o->print_after = a->print_after;
    o->elide = a->elide;
    if (a->disable.n)
        o->disable = a->disable.v;
    if (a->enable.n)
        o->optin = a->enable.v;
    if (a->seed)
        o->seed = (uint64_t)a->seed;
    return SN_OK;
}

void
sn_cli_rewrite_report(SnCli *c, const SnRewriter *rw, bool stats)
{
    if (stats)
        sn_rewrite_stats(rw, stderr);
    if (c->args.time_passes)
        sn_rewrite_times(rw, stderr);
    if (c->args.check_passes)
        sn_rewrite_checked(rw, stderr);
}

SnStatus
sn_cli_layout(SnCli *c, int *out)
{
    const char *s = c->args.layout;

    if (!s || !strcmp(s, "auto"))
        *out = SN_LAYOUT_AUTO;
    else if (!strcmp(s, "nhwc"))
        *out = SN_LAYOUT_NHWC;
    else if (!strcmp(s, "nchw"))
        *out = SN_LAYOUT_NCHW;
    else
        return sn_fail(c->d, SN_EUSAGE, "--layout",
                       "'%s' is neither nhwc nor nchw", s);
    return SN_OK;
}

static SnStatus
pixels(SnCli *c, SnPixels *px)
{
    const SnArgs *a = &c->args;

    *px = (SnPixels){
        .nmul = a->mul.n, .mul = a->mul.v, .nadd = a->add.n, .add = a->add.v};
    sn_cli_pictures(c, px);
    int layout;
    SN_TRY(sn_cli_layout(c, &layout));
    px->layout = (SnLayout)layout;
    return SN_OK;
}

SnStatus
sn_cli_window(SnCli *c, const SnExec *x, const SnStrs *files,
              const char *option, long n, const char *skip_option, long skip,
              SnSamples **out)
{
    SnPixels px;

    if (files->n == 0 && x->ninput > 0)
        return sn_fail(c->d, SN_EUSAGE, option,
                       "is missing: expected a "
                       ".npy or .pb file, a picture or a folder of them");
    SN_TRY(pixels(c, &px));
    if (n > 0 && skip > LONG_MAX - n)
        n = -1;
    SN_TRY(sn_samples_open(c->a, x->ninput, x->input, files->n, files->v, &px,
                           n > 0 ? n + skip : n, c->d, out));
    SN_TRY(sn_cli_check_pictured(c, *out, option));
    if (skip >= (*out)->n)
        return sn_fail(c->d, SN_EUSAGE, skip_option,
                       "leaves none of %lld "
                       "samples",
                       (long long)(*out)->n);
    (*out)->skip = skip;
    (*out)->n -= skip;
    if (n > (*out)->n)
        sn_warn(c->d, (SnPos){0}, NULL,
                "%s: holds %lld sample%s%s, fewer than "
                "the %ld asked for",
                option, (long long)(*out)->n, (*out)->n == 1 ? "" : "s",
                skip ? " after those left out" : "", n);
    return SN_OK;
}

SnStatus
sn_cli_samples(SnCli *c, const SnExec *x, const SnStrs *files,
               const char *option, SnSamples **out)
{
    return sn_cli_window(c, x, files, option, c->args.nsample, "--skip",
                         c->args.skip, out);
}

SnStatus
sn_cli_lowered(SnCli *c, const SnGraph *g, bool quiet, SnGraph **out)
{
    SnRewriteOpts o;

    *out = sn_graph_clone(g, c->a);
    SN_TRY(sn_cli_rewrite_opts(c, &o));
    if (quiet) {
        o.trace = o.time_passes = false;
        o.print_after = NULL;
    }
    SnRewriter *rw = sn_rewriter_new(c->a, &o, c->d);
    SnStatus st = sn_rewrite(rw, *out, "profile");
    if (!quiet)
        sn_cli_rewrite_report(c, rw, c->args.stats);
    return st;
}

SnStatus
sn_cli_placed(SnCli *c, const SnGraph *g, SnGraph **out)
{
    SnRewriteOpts o;

    SN_TRY(sn_cli_rewrite_opts(c, &o));
    return sn_quant_placed(c->a, g, &o, c->d, out);
}

typedef struct Part { /* of the samples: one shard */
    SnSamples *s;
    SnInputs *in;
    int64_t first;
} Part;

static SnStatus
fill_part(void *ctx, int64_t sample, SnRun *r)
{
    const Part *p = ctx;

    return sn_inputs_fill(p->in, p->first + sample, r);
}

/* Unscaled integers: pixels from 0 to 255, where most models expect other
 * numbers. */
static void
note_unscaled(SnCli *c, const SnInputs *in)
{
    for (uint32_t i = 0; i < in->x->ninput; i++) {
        const SnInputSeen *e = &in->seen[i];
        const SnFileData *f = in->s->feed[i].file;
        if (f->pictures || sn_dtype_real(f->file.data.dtype) || c->args.mul.n ||
            c->args.add.n || !(e->hi - e->lo > 2))
            continue;
        sn_note(c->d, (SnPos){0}, NULL,
                "input '%s' gets the integers of %s, %g to %g, unscaled; --mul "
                "and --add scale them (--mul 1 confirms that this is intended)",
                in->x->input[i].name, f->file.path, (double)e->lo,
                (double)e->hi);
    }
}

/* NaN and infinities spread to later values: only the first one is reported. */
static void
warn_nonfinite(SnCli *c, const SnProfile *p, const SnInputs *in)
{
    const SnHist *first = NULL;
    int64_t sample = -1;
    uint32_t n = 0;
    SnBuf b;

    sn_buf_init(&b, c->a);
    for (uint32_t i = 0; i < in->x->ninput; i++)
        if (in->seen[i].nonfinite && (sample < 0 || in->seen[i].first < sample))
            sample = in->seen[i].first;
    if (sample >= 0)
        sn_putf(&b, ", first in sample %lld", (long long)sample);

    for (uint32_t i = 0; i < p->n; i++)
        if (p->hist[i].nonfinite && n++ == 0)
            first = &p->hist[i];
    if (n)
        sn_warn(c->d, (SnPos){0}, NULL,
                "'%s' had %llu non-finite element%s%s; ranges ignore them%s",
                first->name, (unsigned long long)first->nonfinite,
                first->nonfinite == 1 ? "" : "s", sn_buf_str(&b),
                n > 1 ? sn_format(c->a, ", also those of %u more value%s",
                                  n - 1, n == 2 ? "" : "s")
                      : "");
}

/* Of f32 and not finite: a constant to blame for what is made of it. */
static const char *
bad_constant(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (n->dead || !n->data || n->res[0].type->elem != SN_F32)
            continue;
        const float *v = sn_node_data(g, id);
        for (int64_t i = 0; i < sn_shape_count(n->res[0].shape); i++)
            if (!(v[i] - v[i] == 0))
                return n->res[0].name;
    }
    return NULL;
}

/* A range cannot be taken from data without a finite number. */
static SnStatus
check_inputs(SnCli *c, const SnExec *x, const SnProfile *p)
{
    for (uint32_t i = 0; i < x->ninput; i++) {
        const SnHist *h = sn_profile_find(p, x->input[i].name);
        if (h && h->count == 0 && h->nonfinite)
            return sn_fail(c->d, SN_EINPUT, "--calib",
                           "gives input '%s' no "
                           "finite value in %llu samples",
                           h->name, (unsigned long long)p->nsample);
    }
    for (uint32_t i = 0; i < x->noutput; i++) {
        const SnHist *h = sn_profile_find(p, sn_name(x->g, x->output[i].ref));
        if (!h || h->count || !h->nonfinite)
            continue;
        sn_fail(c->d, SN_EINPUT, "--calib",
                "makes no finite value of output "
                "'%s' in %llu samples",
                h->name, (unsigned long long)p->nsample);
        const char *name = bad_constant(x->g);
        if (name)
            sn_diag_help(c->d, "constant '%s' of the model is not finite",
                         name);
        return SN_EINPUT;
    }
    return SN_OK;
}

/* The weight of a sample in moving averages; 0: none are asked for. */
static SnStatus
get_average(SnCli *c, double *out)
{
    const char *s = c->args.average;
    char *end;

    *out = 0;
    for (uint32_t i = 0; i < c->args.range.n && !s; i++) {
        const char *r = c->args.range.v[i], *eq = strchr(r, '=');
        if (!strcmp(eq ? eq + 1 : r, "moving-average"))
            s = "0.01";
    }
    if (!s)
        return SN_OK;
    *out = strtod(s, &end);
    if (end == s || *end || !(*out > 0 && *out <= 1))
        return sn_fail(c->d, SN_EUSAGE, "--moving-average",
                       "'%s' is not a number above 0 and at most 1", s);
    *out = (double)(float)*out;
    if (c->args.shard)
        return sn_fail(c->d, SN_EUSAGE, "--moving-average",
                       "cannot be combined "
                       "with --shard: it depends on the order of all "
                       "samples");
    return SN_OK;
}

SnStatus
sn_cli_profile(SnCli *c, const SnGraph *g, const SnStrs *files, bool quiet,
               SnProfile **out)
{
    SnGraph *f;
    const SnExec *x;
    SnShard sh;
    Part p;

    double average;

    SN_TRY(get_average(c, &average));
    SN_TRY(sn_cli_shard(c, &sh));
    SN_TRY(sn_cli_lowered(c, g, quiet, &f));
    /* Every backend gives the same bits; this one is the fastest. */
    SN_TRY(sn_exec_prepare(c->a, f, sn_backend_named("CPU"), c->d, &x));
    SN_TRY(sn_cli_samples(c, x, files, "--calib", &p.s));
    p.in = sn_inputs_new(c->a, x, p.s);
    p.first = p.s->n * sh.index / sh.count;
    int64_t end = p.s->n * (sh.index + 1) / sh.count;
    if (average > 0)
        SN_TRY(sn_profile_run_averaged(c->a, x, end - p.first, average,
                                       fill_part, &p, sn_graph_hash(g, true),
                                       c->d, out));
    else
        SN_TRY(sn_profile_run(c->a, x, end - p.first, (unsigned)c->args.njob,
                              fill_part, &p, sn_graph_hash(g, true), c->d,
                              out));
    SN_TRY(check_inputs(c, x, *out));
    warn_nonfinite(c, *out, p.in);
    note_unscaled(c, p.in);
    return SN_OK;
}

const char *
sn_cli_fallback(SnCli *c, const SnExec *x)
{
    enum { SHOWN = 4 };
    uint32_t n = 0;
    SnBuf b;

    sn_buf_init(&b, c->a);
    for (uint32_t i = 0; i < x->nstep; i++) {
        if (x->step[i].kernel || x->step[i].nunit == 0)
            continue;
        if (n++ < SHOWN)
            sn_putf(&b, "%s%s", n > 1 ? ", " : "",
                    sn_label(x->g, x->step[i].node, c->a));
    }
    if (n > SHOWN)
        sn_putf(&b, " and %u more", n - SHOWN);
    return sn_buf_str(&b);
}

const char *
sn_bytes_str(SnArena *a, size_t n)
{
    if (n >= 1 << 20)
        return sn_format(a, "%.2f MiB", (double)n / (1 << 20));
    if (n >= 1 << 10)
        return sn_format(a, "%.1f KiB", (double)n / (1 << 10));
    return sn_format(a, "%zu B", n);
}
