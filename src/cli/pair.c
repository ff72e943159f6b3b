// SPDX-License-Identifier: Apache-2.0
#include "cli/pair.h"

#include <string.h>

SnWindow
sn_cli_input_window(SnCli *c)
{
    const SnArgs *a = &c->args;

    return (SnWindow){&a->input, "--input", "--skip", a->nsample, a->skip};
}

/* Graphs as they are run: the float one with the nodes that have types of their
 * own, an int8 one from ONNX optimized. */
static SnStatus
load(SnCli *c, const char *path, bool flt, const SnGraph **model, SnGraph **out)
{
    SnRewriteOpts o;

    SN_TRY(sn_cli_rewrite_opts(c, &o));
    SN_TRY(sn_cli_load(c, path, out));
    if (model)
        *model = *out;
    if (flt)
        return sn_cli_placed(c, *out, out);
    if (sn_is_onnx(path))
        return sn_rewrite(sn_rewriter_new(c->a, &o, c->d), *out, "optimize");
    return SN_OK;
}

/* The models in their order, with inputs of the same shapes: what else would
 * be seen as two models that share nothing. */
static SnStatus
check_pair(SnCli *c, const SnExec *f, const SnExec *q)
{
    const char *const *path = c->args.pos.v;

    if (sn_cli_quantized(c, f->g) && !sn_cli_quantized(c, q->g))
        return sn_fail(c->d, SN_EUSAGE, path[0],
                       "is quantized and %s is not: "
                       "expected the float model first",
                       path[1]);
    for (uint32_t i = 0; i < f->ninput && i < q->ninput; i++) {
        const SnShape *a = f->input[i].shape, *b = q->input[i].shape;
        if (sn_shape_equal(a, b))
            continue;
        return sn_fail(c->d, SN_EINPUT, path[1],
                       "input '%s' is %s, but that "
                       "of %s is %s: --batch, --dim and --shape give an ONNX "
                       "model the shape that the other was quantized with",
                       q->input[i].name, sn_dims_str(c->a, b->rank, b->dim),
                       path[0], sn_dims_str(c->a, a->rank, a->dim));
    }
    return SN_OK;
}

SnStatus
sn_cli_pair_prepare(SnCli *c, const SnGraph *flt, const SnGraph *quant,
                    SnTwoModels *p)
{
    const SnBackendDesc *b;

    SN_TRY(sn_cli_threads(c, &p->o.nthread));
    SN_TRY(sn_cli_engine(c, &b));
    SN_TRY(sn_exec_prepare(c->a, flt, b, c->d, &p->o.flt));
    SN_TRY(sn_exec_prepare(c->a, quant, b, c->d, &p->o.quant));
    p->o.njob = (unsigned)c->args.njob;
    p->o.fill_flt = sn_samples_fill;
    p->o.fill_quant = sn_inputs_fill;
    return SN_OK;
}

SnStatus
sn_cli_pair_load(SnCli *c, SnTwoModels *p)
{
    SnGraph *f, *q;

    if (c->args.pos.n != 2)
        return sn_fail(c->d, SN_EUSAGE, "MODEL",
                       "expected two models, the float one and the quantized "
                       "one; got %u",
                       c->args.pos.n);
    SN_TRY(load(c, c->args.pos.v[0], true, &p->model, &f));
    SN_TRY(load(c, c->args.pos.v[1], false, NULL, &q));
    sn_cli_share_steps(c, q, f);
    sn_cli_share_steps(c, f, q);
    SN_TRY(sn_cli_pair_prepare(c, f, q, p));
    return check_pair(c, p->o.flt, p->o.quant);
}

SnStatus
sn_cli_pair_run(SnCli *c, SnTwoModels *p, const SnWindow *w)
{
    SN_TRY(sn_cli_window(c, p->o.flt, w->files, w->option, w->n, w->skip_option,
                         w->skip, &p->flt));
    SN_TRY(sn_cli_window(c, p->o.quant, w->files, w->option, w->n,
                         w->skip_option, w->skip, &p->quant));
    if (p->flt->n != p->quant->n)
        return sn_fail(c->d, SN_EINPUT, w->option,
                       "gives %lld samples to "
                       "one model and %lld to the other",
                       (long long)p->flt->n, (long long)p->quant->n);
    p->in = sn_inputs_new(c->a, p->o.quant, p->quant);
    p->o.ctx_flt = p->flt;
    p->o.ctx_quant = p->in;
    p->o.nsample = p->flt->n;
    SN_TRY(sn_compare(c->a, &p->o, c->d, &p->k));
    sn_inputs_warn_finite(c, p->in, w->option);
    sn_inputs_warn_range(c, p->in, w->option);
    return SN_OK;
}
