// SPDX-License-Identifier: Apache-2.0
/* Operators on element types that their nodes do not take, or would take for
 * something else: 8-bit integers, with a scale or without one, are numbers to
 * the operators of ai.onnx and go through int32 or f32; so do powers of
 * integers. */
#include "onnx/hooks/hooks_all.h"

#include <string.h>

static bool
is_one_of(const SnImport *x, const char *const *op)
{
    for (; *op != NULL; op++)
        if (sn_import_is(x, *op))
            return true;
    return false;
}

static bool
is_arithmetic(const SnImport *x)
{
    static const char *const op[] = {"Add", "Div", "Max", "Min",
                                     "Mul", "Sub", NULL};

    return is_one_of(x, op);
}

/* 8 bits without a scale. */
static bool
plain_bytes(SnImport *x, const SnImportVal *v)
{
    if (v == NULL || v->q != NULL || v->waits)
        return false;
    if (v->data != NULL)
        return v->data->dtype == SN_D_U8 || v->data->dtype == SN_D_I8;
    return sn_type(x->g, v->form->ref)->elem == SN_I8;
}

/* 8 bits, with a scale or without one. */
static bool
bytes(SnImport *x, const SnImportVal *v)
{
    return plain_bytes(x, v) ||
           (v != NULL && v->q == NULL && !v->waits && v->form != NULL &&
            sn_type(x->g, v->form->ref)->elem == SN_QI8);
}

/* Whether all operands are codes of one type, which have the order of their
 * reals. */
static bool
codes_alike(SnImport *x)
{
    const SnType *type = NULL;

    for (uint32_t i = 0; i < x->n->n_input; i++) {
        const SnImportVal *v = sn_import_in(x, i);
        if (!bytes(x, v) || plain_bytes(x, v))
            return false;
        if (type != NULL && type != sn_type(x->g, v->form->ref))
            return false;
        type = sn_type(x->g, v->form->ref);
    }
    return type != NULL;
}

static SnStatus
wide(SnImport *x, SnImportVal *v, SnRef *out)
{
    SN_TRY(sn_import_plain_codes(x, v, out));
    return sn_import_code_numbers(x, sn_format(x->a, "%s.wide", v->name), *out,
                                  v->u8, SN_I32, out);
}

SnStatus
sn_import_put_narrow(SnImport *x, SnRef y, bool u8)
{
    SnRef half;

    if (u8) {
        SN_TRY(sn_import_int_const(x, sn_import_part(x, "128"), SN_I32, 128,
                                   &half));
        SN_TRY(sn_import_binary(x, "Sub", sn_import_part(x, "signed"), y, half,
                                &y));
    }
    x->sign = u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    SN_TRY(sn_import_cast(x, sn_import_name(x, 0), y, SN_I8, &y));
    return sn_import_put(x, 0, y);
}

static SnStatus
arithmetic(SnImport *x, const char *kind)
{
    SnImportVal *v;
    SnRef y, r;
    bool u8;

    SN_TRY(sn_import_need(x, 0, &v));
    SN_TRY(wide(x, v, &y));
    u8 = v->u8;
    for (uint32_t i = 1; i < x->n->n_input; i++) {
        SN_TRY(sn_import_need(x, i, &v));
        SN_TRY(wide(x, v, &r));
        SN_TRY(sn_import_binary(
            x, kind, sn_import_part(x, sn_format(x->a, "%u", i)), y, r, &y));
    }
    return sn_import_put_narrow(x, y, u8);
}

/* By a declaration for int32. */
static SnStatus
term(SnImport *x, const SnOnnxDesc *e)
{
    SnRef *in = SN_NEW_N(x->a, SnRef, x->n->n_input), y;
    SnImportVal *v;

    for (uint32_t i = 0; i < x->n->n_input; i++) {
        v = sn_import_in(x, i);
        if (v != NULL && (i >= e->term->nin || !e->term->in[i].value))
            SN_TRY(wide(x, v, &in[i]));
    }
    SN_TRY(sn_import_term_of(x, e, in, sn_import_part(x, "wide"), &y));
    SN_TRY(sn_import_need(x, 0, &v));
    return sn_import_put_narrow(x, y, v->u8);
}

/* Relu, Abs, Neg and Sign of numbers of 8 bits. */
static SnStatus
unary(SnImport *x, const char *kind, SnImportVal *v)
{
    SnRef y, zero;

    if (sn_import_is(x, "Relu")) {
        SN_TRY(wide(x, v, &y));
        SN_TRY(
            sn_import_int_const(x, sn_import_part(x, "0"), SN_I32, 0, &zero));
        SN_TRY(
            sn_import_binary(x, "Max", sn_import_part(x, "max"), y, zero, &y));
        return sn_import_put_narrow(x, y, v->u8);
    }
    SN_TRY(sn_import_plain_codes(x, v, &y));
    SN_TRY(sn_import_code_numbers(x, sn_format(x->a, "%s.f32", v->name), y,
                                  v->u8, SN_F32, &y));
    SN_TRY(sn_import_unary(x, kind, sn_import_part(x, "f32"), y, &y));
    SN_TRY(sn_import_cast(x, sn_import_part(x, "i32"), y, SN_I32, &y));
    return sn_import_put_narrow(x, y, v->u8);
}

/* May the node itself take the codes?  It takes them for reals, so where they
 * are in the same order. */
static bool
stays(SnImport *x, const SnImportVal *v)
{
    if (plain_bytes(x, v))
        return false;
    if (sn_import_is(x, "Relu"))
        return !v->u8 && sn_type(x->g, v->form->ref)->zp[0] == 0;
    return (sn_import_is(x, "Max") || sn_import_is(x, "Min")) && codes_alike(x);
}

static SnStatus
in_order(SnImport *x, const char *kind)
{
    SnRef in[2] = {0}, y = 0;

    for (uint32_t i = 0; i < x->n->n_input; i++) {
        SnImportVal *v;
        bool last = i + 1 == x->n->n_input, relu = sn_import_is(x, "Relu");
        const char *name = last ? sn_import_name(x, 0)
                                : sn_import_part(x, sn_format(x->a, "%u", i));
        SN_TRY(sn_import_need(x, i, &v));
        SN_TRY(sn_import_plain(x, v, &in[i > 0]));
        if (i > 0 || relu)
            SN_TRY(sn_import_node(x, kind, name, relu ? 1 : 2, in, NULL,
                                  sn_type(x->g, in[0]), &y));
        else
            y = in[0];
        in[0] = y;
    }
    return sn_import_put(x, 0, y);
}

/* Codes of unlike types, or some without one, are joined as they are. */
static SnStatus
joined(SnImport *x, const SnOnnxDesc *e)
{
    uint32_t n = (uint32_t)x->n->n_input;
    SnRef *in = SN_NEW_N(x->a, SnRef, n), y;
    bool u8 = false;
    void *attr;

    for (uint32_t i = 0; i < n; i++) {
        SnImportVal *v;
        SN_TRY(sn_import_need(x, i, &v));
        SN_TRY(sn_import_plain_codes(x, v, &in[i]));
        u8 |= v->u8;
    }
    SN_TRY(sn_import_entry_attrs(x, e, e->kind, n, in, &attr));
    x->sign = u8 ? SN_IMPORT_U8 : SN_IMPORT_I8;
    SN_TRY(sn_import_node(x, sn_desc(e->kind)->name, sn_import_name(x, 0), n,
                          in, attr, NULL, &y));
    return sn_import_put(x, 0, y);
}

static bool
unlike_codes(SnImport *x)
{
    bool typed = false;

    for (uint32_t i = 0; i < x->n->n_input; i++) {
        const SnImportVal *v = sn_import_in(x, i);
        if (!bytes(x, v))
            return false;
        typed |= !plain_bytes(x, v);
    }
    return typed && !codes_alike(x);
}

/* Bounds that are worked out, or of integers. */
static SnStatus
clip(SnImport *x, SnImportVal *v, bool is_bytes)
{
    SnRef y, r;

    if (is_bytes)
        SN_TRY(wide(x, v, &y));
    else
        SN_TRY(sn_import_plain(x, v, &y));
    for (uint32_t i = 1; i < 3; i++) {
        SnImportVal *bound = sn_import_in(x, i);
        if (bound == NULL)
            continue;
        SN_TRY(sn_import_need(x, i, &bound));
        if (is_bytes)
            SN_TRY(wide(x, bound, &r));
        else
            SN_TRY(sn_import_plain(x, bound, &r));
        SN_TRY(sn_import_binary(x, i == 1 ? "Max" : "Min",
                                sn_import_part(x, i == 1 ? "low" : "high"), y,
                                r, &y));
    }
    if (is_bytes)
        return sn_import_put_narrow(x, y, v->u8);
    return sn_import_put(x, 0, y);
}

/* Are the bounds of a Clip other than constant f32? */
static bool
other_bounds(SnImport *x)
{
    for (uint32_t i = 1; i < 3; i++) {
        SnImportVal *v = x->version >= 11 ? sn_import_in(x, i) : NULL;
        const SnData *t = v != NULL && !v->waits ? sn_import_const(x, v) : NULL;
        if (v != NULL && (t == NULL || t->dtype != SN_D_F32))
            return true;
    }
    return false;
}

/* Codes with a scale have bounds that are codes: the hook reads them. */
static bool
has_scale(SnImport *x, const SnImportVal *v)
{
    return v->form != NULL && sn_elem_quant(sn_type(x->g, v->form->ref)->elem);
}

static SnStatus
power(SnImport *x, SnRef a, SnRef b)
{
    SnElem e = sn_type(x->g, a)->elem;
    SnRef y;

    SN_TRY(sn_import_cast(x, sn_import_part(x, "base"), a, SN_F32, &a));
    SN_TRY(sn_import_cast(x, sn_import_part(x, "exponent"), b, SN_F32, &b));
    SN_TRY(sn_import_binary(
        x, "Pow", e == SN_F32 ? sn_import_name(x, 0) : sn_import_part(x, "f32"),
        a, b, &y));
    SN_TRY(sn_import_cast(x, sn_import_name(x, 0), y, e, &y));
    return sn_import_put(x, 0, y);
}

/* ---- which of these ---- */

SnStatus
sn_import_other_types(SnImport *x, const SnOnnxDesc *e, bool *done)
{
    static const char *const signs[] = {"Abs", "Neg", "Relu", "Sign", NULL};
    SnImportVal *v = sn_import_in(x, 0), *w = sn_import_in(x, 1);
    const char *kind = sn_desc(e->kind)->name;
    SnRef a, b;

    *done = true;
    if (v == NULL || v->waits)
        goto no;
    if (bytes(x, v) && (is_arithmetic(x) || is_one_of(x, signs)))
        return stays(x, v)        ? in_order(x, kind)
               : is_arithmetic(x) ? arithmetic(x, kind)
                                  : unary(x, kind, v);
    if (bytes(x, v) && e->term != NULL && sn_import_term_takes(e, SN_I32) &&
        !sn_import_term_takes(e, SN_I8))
        return term(x, e);
    if (sn_import_is(x, "Concat") && unlike_codes(x))
        return joined(x, e);
    if (sn_import_is(x, "Clip") &&
        (plain_bytes(x, v) || (other_bounds(x) && !has_scale(x, v))))
        return clip(x, v, plain_bytes(x, v));
    if (sn_import_is(x, "Pow") && w != NULL && !w->waits) {
        SN_TRY(sn_import_plain(x, v, &a));
        SN_TRY(sn_import_plain(x, w, &b));
        if (sn_type(x->g, a)->elem != SN_F32 ||
            sn_type(x->g, b)->elem != SN_F32)
            return power(x, a, b);
    }
no:
    *done = false;
    return SN_OK;
}
