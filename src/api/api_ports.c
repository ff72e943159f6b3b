// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs of a graph as the interface describes them. */
#include "api/api.h"

/* Codes and plain integers have one element type; 0: sinter.h has none for
 * it. */
static SinterElem
elem_of(const SnPort *p)
{
    switch (p->type->elem) {
    case SN_F32:
        return SINTER_FLOAT32;
    case SN_F16:
        return SINTER_FLOAT16;
    case SN_QI8:
    case SN_I8:
        return p->u8 || p->u8_codes ? SINTER_UINT8 : SINTER_INT8;
    case SN_QI16:
        return SINTER_INT16;
    case SN_QI32:
    case SN_I32:
        return SINTER_INT32;
    case SN_I64:
        return SINTER_INT64;
    case SN_BOOL:
        return SINTER_BOOL;
    default:
        return (SinterElem)0;
    }
}

static SnStatus
describe(SnArena *a, const SnPort *p, SnDiag *d, SinterPort *out)
{
    const SnType *t = p->type;

    *out = (SinterPort){
        .name = sn_strdup(a, p->name),
        .elem = elem_of(p),
        .rank = p->shape->rank,
        .nbyte = sn_tensor_nbyte(t, p->shape),
        .axis = t->axis,
        .nscale = t->nq,
        .scale = sn_memdup(a, t->scale, t->nq * sizeof *t->scale),
    };
    for (int i = 0; i < p->shape->rank; i++)
        out->dim[i] = p->shape->dim[i];
    int32_t *zero = sn_memdup(a, t->zp, t->nq * sizeof *t->zp);
    for (uint32_t i = 0; i < t->nq; i++)
        zero[i] += p->u8_codes ? 128 : 0;
    out->zero = zero;
    if (!out->elem)
        return sn_fail(
            d, SN_EUNSUPPORTED, p->name,
            "is an input or output of type %s, which sinter.h does not support",
            sn_elem_name(t->elem));
    return SN_OK;
}

static SnStatus
describe_all(SnArena *a, const SnPort *p, uint32_t n, SnDiag *d,
             SinterPort **out, bool **u8)
{
    *out = SN_NEW_N(a, SinterPort, n);
    *u8 = SN_NEW_N(a, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        SN_TRY(describe(a, &p[i], d, &(*out)[i]));
        (*u8)[i] = p[i].u8 || p[i].u8_codes;
    }
    return SN_OK;
}

SnStatus
sn_api_ports(SnArena *a, const SnGraph *g, SnDiag *d, SnApiPorts *out)
{
    SnPorts p = sn_ports(a, g);

    out->ninput = p.ninput;
    out->noutput = p.noutput;
    SN_TRY(describe_all(a, p.input, p.ninput, d, &out->input, &out->u8_in));
    return describe_all(a, p.output, p.noutput, d, &out->output, &out->u8_out);
}
