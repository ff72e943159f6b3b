// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

#include "onnx/export/export.h"
#include "rewrite/rewrite.h"

SnStatus
sn_cli_export_opts(SnCli *c, SnOnnxExport *o)
{
    const char *const *names = sn_onnx_forms();
    const char *want = c->args.format;
    size_t n = 0;

    *o = (SnOnnxExport){.form = SN_ONNX_QDQ};
    if (c->args.opset > 0 && (c->args.opset < SN_ONNX_OPSET_MIN ||
                              c->args.opset > SN_ONNX_OPSET_MAX))
        return sn_fail(c->d, SN_EUSAGE, "--opset",
                       "%ld cannot be written: expected %d to %d",
                       c->args.opset, SN_ONNX_OPSET_MIN, SN_ONNX_OPSET_MAX);
    o->opset = (int)c->args.opset;
    const char *codes = c->args.codes ? c->args.codes : "int8";
    o->u8 = !strcmp(codes, "uint8");
    if (!o->u8 && strcmp(codes, "int8"))
        return sn_fail(c->d, SN_EUSAGE, "--codes",
                       "'%s'; expected int8 or "
                       "uint8",
                       codes);
    for (; names[n]; n++)
        if (!want || !strcmp(names[n], want)) {
            o->form = (SnOnnxForm)n;
            return SN_OK;
        }
    const char *near = sn_closest(want, names, n);
    return sn_fail(c->d, SN_EUSAGE, "--format",
                   "no form is named '%s'; "
                   "%s%s%s",
                   want,
                   near ? "did you mean '"
                        : "there are qdq, "
                          "qoperator and qdq-twin",
                   near ? near : "", near ? "'?" : "");
}

SnStatus
sn_cli_no_export_opts(SnCli *c, const char *path)
{
    const char *option = c->args.format      ? "--format"
                         : c->args.codes     ? "--codes"
                         : c->args.opset > 0 ? "--opset"
                                             : NULL;

    if (option)
        return sn_fail(c->d, SN_EUSAGE, option,
                       "applies to ONNX models; '%s' does not end in .onnx",
                       path);
    return SN_OK;
}

SnStatus
sn_cli_export(SnCli *c, const SnGraph *g, const char *path)
{
    SnOnnxExport o;

    SN_TRY(sn_cli_export_opts(c, &o));
    return sn_onnx_save(c->a, g, &o, path, c->d);
}

/* ---- what bounds a twin ---- */

static void
put_twin(SnCli *c, const SnGraph *g, const SnOnnxTwin *t)
{
    const SnRowBound *b = &t->bound.by;

    sn_putf(&c->out, "%s: ", sn_label(g, t->id, c->a));
    if (b->why)
        sn_putf(&c->out, "no bound: %s\n", b->why);
    else
        sn_putf(&c->out, "%lld to %lld codes%s%s%s\n", (long long)b->lo,
                (long long)b->hi, b->exact ? ", reached" : "",
                t->bound.row ? ", by " : "", t->bound.row ? t->bound.row : "");
}

static void
put_twins(SnCli *c, const SnGraph *g, const SnOnnxTwins *t)
{
    uint32_t nequal = 0, none = 0;
    int64_t most = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        const SnRowBound *b = &t->v[i].bound.by;
        put_twin(c, g, &t->v[i]);
        none += b->why != NULL;
        nequal += !b->why && !b->lo && !b->hi;
        most = !b->why && b->hi > most ? b->hi : most;
        most = !b->why && -b->lo > most ? -b->lo : most;
    }
    sn_putf(&c->out,
            "%u nodes on codes under arithmetic %s: %u as their operators of "
            "reals, %u at most %lld code%s away, %u without a bound\n",
            t->n, sn_arith_at(g->rounding)->name, nequal, t->n - none - nequal,
            (long long)most, most == 1 ? "" : "s", none);
}

static bool
any_quantized(const SnGraph *g)
{
    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *n = sn_node(g, i);
        for (unsigned k = 0; n && !n->dead && k < n->nres; k++)
            if (sn_elem_quant(n->res[k].type->elem))
                return true;
    }
    return false;
}

/* A .sn file is written as it stands.  An ONNX model, whose quantized nodes
 * are spelled out, becomes a graph of quantized nodes first. */
SnStatus
sn_verb_export(SnCli *c)
{
    const char *path;
    SnOnnxExport o;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, 1, &path));
    if (!c->args.format)
        return sn_fail(c->d, SN_EUSAGE, "--format",
                       "is missing: expected "
                       "qdq, qoperator or qdq-twin");
    SN_TRY(sn_cli_export_opts(c, &o));
    if (c->args.json && o.form != SN_ONNX_TWIN)
        return sn_fail(c->d, SN_EUSAGE, "--json",
                       "prints the bounds of a twin: expected --format "
                       "qdq-twin");
    if (!c->args.output)
        return sn_fail(c->d, SN_EUSAGE, "-o",
                       "is missing: expected the "
                       ".onnx file to write");
    static const char *const suffix[] = {".onnx", NULL};
    SN_TRY(sn_cli_writable(
        c, &(SnOutput){.option = "--json", .path = c->args.json ? "-" : NULL}));
    SN_TRY(sn_cli_writable(c, &(SnOutput){"-o", c->args.output, suffix,
                                          "an ONNX model", .text = false}));
    SN_TRY(sn_cli_load(c, path, &g));
    if (sn_is_onnx(path)) {
        SnRewriter *rw = sn_rewriter_new(c->a, &sn_rewrite_defaults, c->d);
        SN_TRY(sn_rewrite(rw, g, "simplify,fold,integerize"));
        SN_TRY(sn_verify(g, c->d));
    }
    if (!any_quantized(g))
        sn_warn(c->d, (SnPos){0}, NULL,
                "nothing in %s is quantized: the "
                "model is written with float operators (sinter quantize "
                "comes first)",
                path);
    SnOnnxTwins twins = {0};
    o.twins = &twins;
    SN_TRY(sn_onnx_save(c->a, g, &o, c->args.output, c->d));
    if (o.form != SN_ONNX_TWIN)
        return SN_OK;
    if (c->args.json) {
        sn_onnx_twins_json(&c->out, g, &twins);
        sn_puts(&c->out, "\n");
    } else {
        put_twins(c, g, &twins);
    }
    return SN_OK;
}
