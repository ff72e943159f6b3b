// SPDX-License-Identifier: Apache-2.0
/* Models: read, changed, written. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "api/api_message.h"
#include "base/file/file.h"
#include "graph/text/text.h"
#include "onnx/export/export.h"
#include "onnx/import.h"

/* ---- reading ---- */

typedef struct Load {
    SinterModel *m;
    SnOnnxOpts import;
    const SinterImport *io; /* NULL: not given */
    bool onnx;
    const char *path; /* NULL: from p, n */
    const void *p;
    size_t n;
    const Onnx__ModelProto *message; /* or NULL */
    const char *name, *dir;
} Load;

static bool
ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);

    return n > k && strcmp(path + n - k, suffix) == 0;
}

static SnStatus
parse_text(const Load *l, SnDiag *d, SnGraph **out)
{
    SnSrc *src = SN_NEW(l->m->a, SnSrc);

    src->name = sn_strdup(l->m->a, l->name);
    src->text = sn_strndup(l->m->a, l->p, l->n);
    src->nbyte = strlen(src->text);
    if (src->nbyte != l->n)
        return sn_fail(d, SN_EINPUT, l->name,
                       "is not text: it holds a NUL byte");
    sn_budget_model(l->n);
    return sn_parse(l->m->a, src, l->dir, d, out);
}

static SnStatus
read_graph(const Load *l, SnDiag *d, SnGraph **out)
{
    SnArena *a = l->m->a;

    if (l->message)
        return sn_onnx_message(a, l->name, l->message, &l->import, d, out);
    if (l->onnx && l->path)
        return sn_onnx_import(a, l->path, &l->import, d, out);
    if (l->onnx)
        return sn_onnx_parse(a, l->name, l->dir, l->p, l->n, &l->import, d,
                             out);
    if (l->io)
        return sn_fail(d, SN_EUSAGE, "SinterImport",
                       "is for ONNX models; the shapes of %s are fixed",
                       l->name);
    return l->path ? sn_text_load(a, l->path, d, out) : parse_text(l, d, out);
}

static SnStatus
load(SnArena *a, SnDiag *d, void *ctx)
{
    Load *l = ctx;
    SnGraph *g;

    (void)a;
    l->m->a = sn_arena_new();
    SN_TRY(read_graph(l, d, &g));
    SN_TRY(sn_verify(g, d));
    SN_TRY(sn_file_mapped_check(d));
    l->m->g = g;
    l->m->imported = l->onnx;
    l->m->report = "";
    return sn_api_ports(l->m->a, g, d, &l->m->ports);
}

static SinterStatus
check_path(const char *path, SinterError *err)
{
    return path ? SINTER_OK
                : sn_api_error(err, SINTER_EUSAGE, "path", "is NULL");
}

static SinterStatus
check_format(SinterFormat f, SinterError *err)
{
    if (f == SINTER_FORMAT_ONNX || f == SINTER_FORMAT_SN)
        return SINTER_OK;
    return sn_api_error(err, SINTER_EUSAGE, "f",
                        "is neither SINTER_FORMAT_ONNX nor SINTER_FORMAT_SN");
}

static SinterStatus
open_model(const SinterConfig *c, Load *l, SinterModel **out, SinterError *err)
{
    SinterImport io;

    *out = NULL;
    if (l->io && !sn_api_options(&io, sizeof io, l->io))
        return sn_api_error(
            err, SINTER_EUSAGE, "SinterImport",
            "its size is not set, or is that of a later version of sinter");
    if (l->io)
        l->import = (SnOnnxOpts){
            .dims = io.dims, .shapes = io.shapes, .batch = io.batch};
    if (l->import.batch < 0)
        return sn_api_error(err, SINTER_EUSAGE, "SinterImport",
                            "batch is negative");
    SinterModel *m = calloc(1, sizeof *m);
    if (!m)
        return sn_api_error(err, SINTER_ENOMEM, "sinter", "out of memory");
    l->m = m;
    SinterStatus st = sn_api_host(c, &m->host, err);
    if (st == SINTER_OK)
        st = sn_api_call(&m->host, load, l, err);
    if (st != SINTER_OK) {
        sinter_model_free(m);
        return st;
    }
    *out = m;
    return SINTER_OK;
}

SinterStatus
sinter_model_load(const SinterConfig *c, const char *path,
                  const SinterImport *io, SinterModel **out, SinterError *err)
{
    Load l = {.io = io, .path = path, .name = path};
    SinterStatus st = check_path(path, err);

    *out = NULL;
    if (st != SINTER_OK)
        return st;
    if (!strcmp(path, "-"))
        return sn_api_error(
            err, SINTER_EUSAGE, "path",
            "'-' is not a file; sinter_model_parse reads memory");
    l.onnx = ends_in(path, ".onnx");
    return open_model(c, &l, out, err);
}

SinterStatus
sinter_model_parse(const SinterConfig *c, SinterFormat f, const void *p,
                   size_t n, const char *name, const char *dir,
                   const SinterImport *io, SinterModel **out, SinterError *err)
{
    Load l = {.io = io,
              .onnx = f == SINTER_FORMAT_ONNX,
              .p = p,
              .n = n,
              .name = name ? name : "memory",
              .dir = dir};
    SinterStatus st = check_format(f, err);

    *out = NULL;
    if (st != SINTER_OK)
        return st;
    if (n && !p)
        return sn_api_error(err, SINTER_EUSAGE, "p", "is NULL, and n is not 0");
    return open_model(c, &l, out, err);
}

SinterStatus
sn_api_message(const SinterConfig *c, const Onnx__ModelProto *p,
               const char *name, const SinterImport *io, SinterModel **out,
               SinterError *err)
{
    Load l = {.io = io, .onnx = true, .message = p, .name = name};

    return open_model(c, &l, out, err);
}

void
sinter_model_free(SinterModel *m)
{
    if (!m)
        return;
    sn_api_host_end(&m->host);
    free(m);
}

/* ---- looking ---- */

uint32_t
sinter_model_ninput(const SinterModel *m)
{
    return m->ports.ninput;
}

uint32_t
sinter_model_noutput(const SinterModel *m)
{
    return m->ports.noutput;
}

const SinterPort *
sinter_model_input(const SinterModel *m, uint32_t i)
{
    return i < m->ports.ninput ? &m->ports.input[i] : NULL;
}

const SinterPort *
sinter_model_output(const SinterModel *m, uint32_t i)
{
    return i < m->ports.noutput ? &m->ports.output[i] : NULL;
}

const char *
sinter_model_report(const SinterModel *m)
{
    return m->report ? m->report : "";
}

/* ---- changing ---- */

static SinterStatus
check_whole(const SinterModel *m, SinterError *err)
{
    return m->g ? SINTER_OK
                : sn_api_error(err, SINTER_EUSAGE, "model",
                               "an earlier change of it failed: free it");
}

typedef struct Optimize {
    SinterModel *m;
    const char *passes; /* NULL: the usual ones */
    bool exact;
} Optimize;

/* Sums of reals that are left: their bits depend on an order. */
static void
note_sums(SnArena *a, const SnGraph *g, SnDiag *d)
{
    uint32_t n;
    const SnId *topo = sn_topo(g, a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *v = sn_node(g, topo[i]);
        const SnKindDesc *k = sn_desc_in(g, v->kind);
        if (!k->sem || k->sem[0].cls != SN_C_CONTRACT || !v->nres ||
            v->res[0].type->elem != SN_F32)
            continue;
        SnSrc *src = SN_NEW(a, SnSrc);
        src->name = sn_format(a, "sum '%s'", sn_name(g, SN_REF(topo[i], 0)));
        sn_note(d, (SnPos){.src = src}, NULL,
                "adds up reals in an order of its own");
    }
}

/* What the passes leave behind goes with the old arena. */
static SnStatus
optimize(SnArena *a, SnDiag *d, void *ctx)
{
    const Optimize *o = ctx;
    SinterModel *m = o->m;
    SnGraph *g = m->g;
    SnArena *was = m->a;

    SnRewriteOpts opts = sn_rewrite_defaults;

    m->g = NULL;
    opts.exact = o->exact;
    SnRewriter *rw = sn_rewriter_new(a, &opts, d);
    SN_TRY(sn_rewrite(rw, g, o->passes ? o->passes : "optimize"));
    SN_TRY(sn_verify(g, d));
    if (o->exact)
        note_sums(a, g, d);
    SnArena *now = sn_arena_new();
    g = sn_graph_clone(g, now);
    SN_TRY(sn_api_ports(now, g, d, &m->ports));
    m->report = sn_strdup(now, m->report);
    m->a = now;
    m->g = g;
    m->imported = m->imported && o->passes;
    sn_arena_free(was);
    return SN_OK;
}

SinterStatus
sinter_model_optimize(SinterModel *m, const char *passes, SinterError *err)
{
    Optimize o = {m, passes, false};
    SinterStatus st = check_whole(m, err);

    return st == SINTER_OK ? sn_api_call(&m->host, optimize, &o, err) : st;
}

SinterStatus
sinter_model_optimize_exact(SinterModel *m, SinterError *err)
{
    Optimize o = {m, NULL, true};
    SinterStatus st = check_whole(m, err);

    return st == SINTER_OK ? sn_api_call(&m->host, optimize, &o, err) : st;
}

static SnStatus
verify(SnArena *a, SnDiag *d, void *ctx)
{
    (void)a;
    return sn_verify(ctx, d);
}

SinterStatus
sinter_model_verify(SinterModel *m, SinterError *err)
{
    SinterStatus st = check_whole(m, err);

    return st == SINTER_OK ? sn_api_call(&m->host, verify, m->g, err) : st;
}

/* ---- writing ---- */

typedef struct Save {
    SinterModel *m;
    SnOnnxExport e;
    bool onnx;
    const char *path; /* NULL: to p, n */
    void *p;
    size_t n;
} Save;

/* A copy that writing may use up.  As it was imported, a graph has its
 * quantized nodes spelled out: they are made first. */
static SnStatus
written(SnArena *a, const Save *s, SnDiag *d, SnGraph **out)
{
    SnGraph *g = sn_graph_clone(s->m->g, a);

    *out = g;
    if (!s->onnx || !s->m->imported)
        return SN_OK;
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);
    SN_TRY(sn_rewrite(rw, g, "simplify,fold,integerize"));
    return sn_verify(g, d);
}

/* A copy of p[0..n) and a NUL that the caller frees. */
static SnStatus
hand_over(Save *s, const void *p, size_t n, SnDiag *d)
{
    s->p = malloc(n + 1);
    if (!s->p)
        return sn_fail(d, SN_ENOMEM, "sinter", "out of memory");
    if (n)
        memcpy(s->p, p, n);
    ((char *)s->p)[n] = '\0';
    s->n = n;
    return SN_OK;
}

static SnStatus
save(SnArena *a, SnDiag *d, void *ctx)
{
    Save *s = ctx;
    SnGraph *g;
    SnBuf b;
    void *p;
    size_t n;

    SN_TRY(written(a, s, d, &g));
    SN_TRY(sn_file_mapped_check(d));
    if (s->path)
        return s->onnx ? sn_onnx_save(a, g, &s->e, s->path, d)
                       : sn_text_save(g, s->path, d);
    if (s->onnx) {
        SN_TRY(sn_onnx_pack(a, g, &s->e, "memory", d, &p, &n));
        return hand_over(s, p, n, d);
    }
    sn_buf_init(&b, a);
    sn_print(g, &b, NULL, NULL);
    return hand_over(s, sn_buf_str(&b), b.n, d);
}

static SinterStatus
check_export(const SinterExport *e, Save *s, SinterError *err)
{
    SinterExport v = {.size = sizeof v};

    if (e && !s->onnx)
        return sn_api_error(err, SINTER_EUSAGE, "SinterExport",
                            "applies to ONNX models");
    if (e && !sn_api_options(&v, sizeof v, e))
        return sn_api_error(
            err, SINTER_EUSAGE, "SinterExport",
            "its size is not set, or is that of a later version of sinter");
    if (v.form != SINTER_QDQ && v.form != SINTER_QOPERATOR)
        return sn_api_error(err, SINTER_EUSAGE, "SinterExport",
                            "form is neither SINTER_QDQ nor SINTER_QOPERATOR");
    if (v.opset && (v.opset < SN_ONNX_OPSET_MIN || v.opset > SN_ONNX_OPSET_MAX))
        return sn_api_error(err, SINTER_EUSAGE, "SinterExport",
                            "opset is not from 13 to 25");
    s->e = (SnOnnxExport){.form = v.form == SINTER_QDQ ? SN_ONNX_QDQ
                                                       : SN_ONNX_QOPERATOR,
                          .opset = v.opset,
                          .u8 = v.uint8 != 0};
    return check_whole(s->m, err);
}

SinterStatus
sinter_model_save(SinterModel *m, const char *path, const SinterExport *e,
                  SinterError *err)
{
    Save s = {.m = m, .path = path};
    SinterStatus st = check_path(path, err);

    if (st != SINTER_OK)
        return st;
    s.onnx = ends_in(path, ".onnx");
    st = check_export(e, &s, err);
    return st == SINTER_OK ? sn_api_call(&m->host, save, &s, err) : st;
}

SinterStatus
sinter_model_pack(SinterModel *m, SinterFormat f, const SinterExport *e,
                  void **p, size_t *n, SinterError *err)
{
    Save s = {.m = m, .onnx = f == SINTER_FORMAT_ONNX};
    SinterStatus st = check_format(f, err);

    *p = NULL;
    *n = 0;
    if (st == SINTER_OK)
        st = check_export(e, &s, err);
    if (st == SINTER_OK)
        st = sn_api_call(&m->host, save, &s, err);
    if (st != SINTER_OK) {
        free(s.p);
        return st;
    }
    *p = s.p;
    *n = s.n;
    return SINTER_OK;
}

void
sinter_free(void *p)
{
    free(p);
}
