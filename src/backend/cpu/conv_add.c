// SPDX-License-Identifier: Apache-2.0
/* A convolution and the sum of its results with another value: each chunk of
 * results is added to while it is in the caches.  The codes between the two
 * are the ones the separate nodes would give. */
#include "backend/cpu/contract.h"
#include "cpu_kernels.h"
#include "sn_kind_add.h"
#include "sn_kind_cpu_conv_add.h"

typedef struct ConvAdd {
    const SnConvQ8 *conv;
    const void *add; /* sn_cpu_add_q8_prepare's */
} ConvAdd;

/* Prepares the sum as the node Add would: mid + s = y. */
static const void *
open_add(const SnPrep *p, const SnCPUConvAddAttr *at)
{
    const SnCall *c = p->call;
    SnAddAttr attr = {.clamp = at->clamp,
                      .zp_shift = at->zp_shift,
                      .round = at->round == SN_CPU_CONV_ADD_ROUND_AFTER
                                   ? SN_ADD_ROUND_AFTER
                                   : SN_ADD_ROUND_BEFORE};
    SnTensor in[2] = {{at->mid, c->out[0].shape, NULL}, c->in[3]};
    const SnType *type[3] = {at->mid, c->in[3].type, c->out[0].type};
    SnCall call = *c;
    SnPrep q = {.call = &call, .wanted = 1};

    in[1].data = NULL;
    call.kind = sn_desc(SN_K_ADD);
    call.attr = &attr;
    call.in = in;
    call.nin = 2;
    q.tuple = sn_tuple_find(call.kind, 2, type, 1, type + 2);
    return q.tuple && sn_cpu_add_q8_prepare(&q) ? q.prep : NULL;
}

bool
sn_cpu_conv_add_q8_prepare(SnPrep *p)
{
    const SnCPUConvAddAttr *at = p->call->attr;
    ConvAdd *k = SN_NEW(p->call->scratch, ConvAdd);

    if (p->call->in[3].data || at->mid->elem != SN_QI8)
        return false;
    k->conv = sn_cpu_conv_open(p, at->mid, at->mid_clamp);
    k->add = k->conv ? open_add(p, at) : NULL;
    p->prep = k;
    return k->add != NULL;
}

/* Adds to the results of rows [r0, r1) of all images and channels [c0, c1). */
static void
add_part(const ConvAdd *k, const SnCall *c, int64_t pitch, SnConvPart part)
{
    const SnShape *s = c->out[0].shape;
    int64_t oc = s->dim[3], n = part.c1 - part.c0;
    int64_t npx = (part.r1 - part.r0) * part.w;
    const int8_t *b = c->in[3].data;
    int8_t *y = c->out[0].data;

    y += part.r0 * part.w * pitch + part.c0;
    b += part.r0 * part.w * oc + part.c0;
    if (n == oc && pitch == oc) {
        sn_cpu_pair_codes(k->add, y, b, npx * oc, y);
        return;
    }
    for (int64_t i = 0; i < npx; i++, y += pitch, b += oc)
        sn_cpu_pair_codes(k->add, y, b, n, y);
}

SnStatus
sn_cpu_conv_add_q8(const SnCall *c)
{
    const ConvAdd *k = c->prep;
    int64_t pitch = c->ypitch ? c->ypitch : c->out[0].shape->dim[3];
    int64_t step = sn_conv_q8_step(k->conv);

    for (int64_t u = c->u0; u < c->u1; u += step) {
        int64_t end = u + step < c->u1 ? u + step : c->u1;
        sn_conv_q8_run(k->conv, c->in[0].data, c->out[0].data, pitch, c->work,
                       u, end);
        add_part(k, c, pitch, sn_conv_q8_part(k->conv, u, end));
    }
    return SN_OK;
}
