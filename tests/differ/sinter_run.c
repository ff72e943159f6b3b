// SPDX-License-Identifier: Apache-2.0
#include "sinter_run.h"

#include <string.h>
#include "graph/desc.h"
#include "onnx/import.h"
#include "run/exec.h"
#include "sn_kinds.h"

static bool
named(const char *a, const char *b)
{
    return a != NULL && strcmp(a, b) == 0;
}

/* Is the Placeholder or Save at this end one of uint8? */
static bool
is_u8(const SnNode *p)
{
    const SnAttrDesc *t = sn_attr_named(sn_desc(p->kind), "boundary");

    return *(const int32_t *)sn_attr_at(p->attr, t) == SN_SAVE_BOUNDARY_U8;
}

static void
copy(void *to, const void *from, size_t n, bool u8)
{
    uint8_t *p = to;

    if (n > 0)
        memcpy(to, from, n);
    for (size_t i = 0; u8 && i < n; i++)
        p[i] ^= 0x80;
}

static SnStatus
feed(SnRun *r, const SnGraph *g, uint32_t nin, const OrtIo *in, SnDiag *d)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        const OrtIo *from = NULL;
        for (uint32_t k = 0; k < nin; k++)
            if (named(p->name, in[k].name))
                from = &in[k];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        if (from == NULL || sn_data_nbyte(&from->data) != n)
            return sn_fail(d, SN_EINPUT, p->name, "has no data of its size");
        copy(sn_run_input(r, i), from->data.data, n,
             is_u8(sn_node(g, SN_NODE(p->ref))));
    }
    return SN_OK;
}

static SnDtype
dtype_of(const SnType *t, bool u8)
{
    switch (t->elem) {
    case SN_F32:
        return SN_D_F32;
    case SN_QI8:
    case SN_I8:
        return u8 ? SN_D_U8 : SN_D_I8;
    case SN_QI32:
    case SN_I32:
        return SN_D_I32;
    case SN_I64:
        return SN_D_I64;
    case SN_BOOL:
        return SN_D_BOOL;
    default:
        return SN_D_NONE;
    }
}

/* The Save that gives an output its name. */
static const SnNode *
save_of(const SnGraph *g, const char *name)
{
    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *p = sn_node(g, i);
        if (p == NULL || p->dead || p->kind != SN_K_SAVE)
            continue;
        if (named(*(const char *const *)sn_attr_at(
                      p->attr, sn_attr_named(sn_desc(p->kind), "name")),
                  name))
            return p;
    }
    return NULL;
}

static SnStatus
take(SnArena *a, const SnRun *r, const SnGraph *g, uint32_t nout, OrtIo *out,
     SnDiag *d)
{
    for (uint32_t k = 0; k < nout; k++) {
        const SnPort *p = NULL;
        const SnNode *save = save_of(g, out[k].name);
        uint32_t at = 0;
        for (uint32_t i = 0; i < r->x->noutput; i++)
            if (named(r->x->output[i].name, out[k].name))
                p = &r->x->output[at = i];
        if (p == NULL || save == NULL)
            return sn_fail(d, SN_EINPUT, out[k].name, "is no output");
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        void *to = sn_alloc(a, n);
        copy(to, sn_run_output(r, at), n, is_u8(save));
        out[k].data.dtype = dtype_of(p->type, is_u8(save));
        out[k].data.rank = p->shape->rank;
        memcpy(out[k].data.dim, p->shape->dim,
               (size_t)p->shape->rank * sizeof *p->shape->dim);
        out[k].data.data = to;
    }
    return SN_OK;
}

static uint32_t
count_float(const SnGraph *g)
{
    uint32_t n = 0;

    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *p = sn_node(g, i);
        if (p == NULL || p->dead || p->nin == 0 || p->nres == 0 ||
            p->in[0].ref == 0)
            continue;
        n += sn_type(g, p->in[0].ref)->elem == SN_F32 &&
             p->res[0].type->elem == SN_F32;
    }
    return n;
}

/* The scale of the codes that moves and a Dequantize make r of, else 0. */
static float
step_of(const SnGraph *g, SnRef r)
{
    for (;;) {
        const SnNode *p = sn_node(g, SN_NODE(r));
        const SnType *t;
        if (p->nin == 0 || p->in[0].ref == 0)
            return 0;
        t = sn_type(g, p->in[0].ref);
        if (p->kind == SN_K_DEQUANTIZE)
            return t->axis < 0 ? t->scale[0] : 0;
        if (p->kind != SN_K_TRANSPOSE && p->kind != SN_K_RESHAPE)
            return 0;
        r = p->in[0].ref;
    }
}

static SnStatus
load(SnArena *a, SrJob *j, const SnBackendDesc *be, SnDiag *d, SnGraph **out)
{
    SnRewriteOpts o = sn_rewrite_defaults;
    /* Borrowed from an odd address, as parts of a mapped file are. */
    char *odd = (char *)sn_alloc(a, j->n + 1) + 1;
    SnGraph *g;

    memcpy(odd, j->p, j->n);
    SN_TRY(sn_onnx_borrow(a, "model.onnx", NULL, odd, j->n, j->opts, d, out));
    g = *out;
    for (uint32_t k = 0; j->step != NULL && k < j->nout; k++) {
        const SnNode *save = save_of(g, j->out[k].name);
        j->step[k] = save != NULL ? step_of(g, save->in[0].ref) : 0;
    }
    if (be != NULL)
        o.backend = be;
    o.verify = true;
    if (j->passes != NULL)
        SN_TRY(sn_rewrite(sn_rewriter_new(a, &o, d), g, j->passes));
    j->nfloat = count_float(g);
    return SN_OK;
}

SnStatus
sr_run(SnArena *a, SrJob *j, SnDiag *d)
{
    const SnBackendDesc *be =
        j->backend != NULL ? sn_backend_named(j->backend) : NULL;
    const SnExec *x;
    SnGraph *g = NULL;
    SnRun *r;
    SnStatus st;

    SN_TRY(load(a, j, be, d, &g));
    SN_TRY(sn_exec_prepare(a, g, be, d, &x));
    r = sn_run_new(a, x);
    st = feed(r, g, j->nin, j->in, d);
    if (st == SN_OK && sn_run(r) != SN_OK)
        st = sn_fail(d, SN_EINPUT, r->where, "%s", r->why);
    if (st == SN_OK)
        st = take(a, r, g, j->nout, j->out, d);
    sn_run_free(r);
    return st;
}
