/* Operators on element types that their nodes do not take: 8-bit integers go
 * through int32, powers of integers through f32. */
#include "onnx/hooks_all.h"

#include <string.h>

static bool
is_arithmetic(const SnOx *x)
{
    static const char *const op[] = {"Add", "Div", "Max", "Min", "Mul", "Sub"};

    for (size_t i = 0; i < sizeof op / sizeof op[0]; i++)
        if (sn_ox_is(x, op[i]))
            return true;
    return false;
}

/* 8 bits without a scale. */
static bool
plain_bytes(SnOx *x, const SnOxVal *v)
{
    if (v == NULL || v->q != NULL || v->waits)
        return false;
    if (v->data != NULL)
        return v->data->dtype == SN_D_U8 || v->data->dtype == SN_D_I8;
    return sn_type(x->g, v->form->ref)->elem == SN_I8;
}

static SnStatus
wide(SnOx *x, SnOxVal *v, SnRef *out)
{
    SN_TRY(sn_ox_plain_codes(x, v, out));
    return sn_ox_code_numbers(x, sn_format(x->a, "%s.wide", v->name), *out,
                              v->u8, SN_I32, out);
}

SnStatus
sn_ox_put_narrow(SnOx *x, SnRef y, bool u8)
{
    SnRef half;

    if (u8) {
        SN_TRY(sn_ox_int_const(x, sn_ox_part(x, "128"), SN_I32, 128, &half));
        SN_TRY(sn_ox_binary(x, "Sub", sn_ox_part(x, "signed"), y, half, &y));
    }
    x->sign = u8 ? SN_OX_U8 : SN_OX_I8;
    SN_TRY(sn_ox_cast(x, sn_ox_name(x, 0), y, SN_I8, &y));
    return sn_ox_put(x, 0, y);
}

static SnStatus
arithmetic(SnOx *x)
{
    SnOxVal *v;
    SnRef y, r;
    bool u8;

    SN_TRY(sn_ox_need(x, 0, &v));
    SN_TRY(wide(x, v, &y));
    u8 = v->u8;
    for (uint32_t i = 1; i < x->n->n_input; i++) {
        SN_TRY(sn_ox_need(x, i, &v));
        SN_TRY(wide(x, v, &r));
        SN_TRY(sn_ox_binary(x, x->n->op_type,
                            sn_ox_part(x, sn_format(x->a, "%u", i)), y, r,
                            &y));
    }
    return sn_ox_put_narrow(x, y, u8);
}

/* Bounds that are worked out, or of integers. */
static SnStatus
clip(SnOx *x, SnOxVal *v, bool bytes)
{
    SnRef y, r;

    if (bytes)
        SN_TRY(wide(x, v, &y));
    else
        SN_TRY(sn_ox_plain(x, v, &y));
    for (uint32_t i = 1; i < 3; i++) {
        SnOxVal *bound = sn_ox_in(x, i);
        if (bound == NULL)
            continue;
        SN_TRY(sn_ox_need(x, i, &bound));
        if (bytes)
            SN_TRY(wide(x, bound, &r));
        else
            SN_TRY(sn_ox_plain(x, bound, &r));
        SN_TRY(sn_ox_binary(x, i == 1 ? "Max" : "Min",
                            sn_ox_part(x, i == 1 ? "low" : "high"), y, r,
                            &y));
    }
    if (bytes)
        return sn_ox_put_narrow(x, y, v->u8);
    return sn_ox_put(x, 0, y);
}

/* Are the bounds of a Clip other than constant f32? */
static bool
other_bounds(SnOx *x)
{
    for (uint32_t i = 1; i < 3; i++) {
        SnOxVal *v = x->version >= 11 ? sn_ox_in(x, i) : NULL;
        const SnData *t = v != NULL && !v->waits ? sn_ox_const(x, v) : NULL;
        if (v != NULL && (t == NULL || t->dtype != SN_D_F32))
            return true;
    }
    return false;
}

/* Codes with a scale have bounds that are codes: the hook reads them. */
static bool
has_scale(SnOx *x, const SnOxVal *v)
{
    return v->form != NULL && sn_elem_quant(sn_type(x->g, v->form->ref)->elem);
}

static SnStatus
power(SnOx *x, SnRef a, SnRef b)
{
    SnElem e = sn_type(x->g, a)->elem;
    SnRef y;

    SN_TRY(sn_ox_cast(x, sn_ox_part(x, "base"), a, SN_F32, &a));
    SN_TRY(sn_ox_cast(x, sn_ox_part(x, "exponent"), b, SN_F32, &b));
    SN_TRY(sn_ox_binary(x, "Pow", e == SN_F32 ? sn_ox_name(x, 0)
                                              : sn_ox_part(x, "f32"),
                        a, b, &y));
    SN_TRY(sn_ox_cast(x, sn_ox_name(x, 0), y, e, &y));
    return sn_ox_put(x, 0, y);
}

SnStatus
sn_ox_other_types(SnOx *x, bool *done)
{
    SnOxVal *v = sn_ox_in(x, 0), *w = sn_ox_in(x, 1);
    SnRef a, b;

    *done = true;
    if (v == NULL || v->waits)
        goto no;
    if (plain_bytes(x, v) && is_arithmetic(x))
        return arithmetic(x);
    if (sn_ox_is(x, "Clip") &&
        (plain_bytes(x, v) || (other_bounds(x) && !has_scale(x, v))))
        return clip(x, v, plain_bytes(x, v));
    if (sn_ox_is(x, "Pow") && w != NULL && !w->waits) {
        SN_TRY(sn_ox_plain(x, v, &a));
        SN_TRY(sn_ox_plain(x, w, &b));
        if (sn_type(x->g, a)->elem != SN_F32 ||
            sn_type(x->g, b)->elem != SN_F32)
            return power(x, a, b);
    }
no:
    *done = false;
    return SN_OK;
}
