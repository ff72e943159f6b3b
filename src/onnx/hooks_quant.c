#include "onnx/hooks_all.h"

#include <inttypes.h>
#include <string.h>
#include "onnx/tensor_pb.h"
#include "sn_kinds.h"

/* Inputs 1 and 2, which must be constant: scale, and zero point or NULL. */
static SnStatus
scale_inputs(SnOx *x, const SnData **s, const SnData **z)
{
    SnOxVal *sv, *zv = sn_ox_in(x, 2);
    int64_t block;

    SN_TRY(sn_ox_int(x, "block_size", 0, &block));
    if (block != 0)
        return sn_ox_fail(x, SN_EUNSUPPORTED, "blocks are not supported");
    SN_TRY(sn_ox_need(x, 1, &sv));
    *s = sn_ox_const(x, sv);
    *z = zv != NULL ? sn_ox_const(x, zv) : NULL;
    if (*s == NULL || (zv != NULL && *z == NULL))
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "scale and zero point must be constant");
    if ((*s)->dtype != SN_D_F32)
        return sn_ox_fail(x, SN_EUNSUPPORTED, "scales %s, f32 is supported",
                          sn_dtype_name((*s)->dtype));
    if ((*s)->rank > 1 || sn_data_count(*s) < 1 ||
        (*z != NULL && sn_data_count(*z) != sn_data_count(*s)))
        return sn_ox_fail(x, SN_EINPUT,
                          "scale and zero point are not of one length");
    return SN_OK;
}

/* The axis of more than one scale. */
static SnStatus
scale_axis(SnOx *x, const SnOxVal *v, int64_t n, int *out)
{
    int64_t axis;

    SN_TRY(sn_ox_int(x, "axis", 1, &axis));
    *out = -1;
    if (n == 1)
        return SN_OK;
    axis += axis < 0 ? v->rank : 0;
    if (axis < 0 || axis >= v->rank || v->dim[axis] != n)
        return sn_ox_fail(x, SN_EINPUT,
                          "%" PRId64 " scales do not fit axis %" PRId64
                          " of '%s'",
                          n, axis, v->name);
    *out = (int)axis;
    return SN_OK;
}

/* Scales and zero points of one QuantizeLinear or DequantizeLinear.  codes is
 * the element type in the file; uint8 is moved to int8 by -128. */
static SnStatus
read_scales(SnOx *x, const SnOxVal *v, SnDtype codes, SnOxScales *q)
{
    const SnData *s = NULL, *z = NULL;
    const char *why;
    float *scale;
    int32_t *zp;

    SN_TRY(scale_inputs(x, &s, &z));
    q->n = (uint32_t)sn_data_count(s);
    SN_TRY(scale_axis(x, v, q->n, &q->axis));
    q->u8 = codes == SN_D_U8;
    q->elem = codes == SN_D_I16   ? SN_QI16
              : codes == SN_D_I32 ? SN_QI32
                                  : SN_QI8;
    q->scale = scale = SN_NEW_N(x->a, float, q->n);
    q->zp = zp = SN_NEW_N(x->a, int32_t, q->n);
    for (uint32_t i = 0; i < q->n; i++) {
        scale[i] = ((const float *)s->data)[i];
        zp[i] = z != NULL ? (int32_t)sn_data_int(z, i) : 0;
        zp[i] -= q->u8 ? 128 : 0;
        why = sn_type_why(q->elem, scale[i], zp[i]);
        if (why != NULL)
            return sn_ox_fail(x, SN_EINPUT, "%s", why);
    }
    return SN_OK;
}

static const SnType *
scales_type(SnOx *x, const SnOxScales *q)
{
    if (q->axis < 0)
        return sn_type_quant(x->g->pool, q->elem, q->scale[0], q->zp[0]);
    return sn_type_axis(x->g->pool, q->elem, q->axis, q->n, q->scale, q->zp);
}

/* The element type that a QuantizeLinear writes. */
static SnStatus
code_dtype(SnOx *x, SnDtype *out)
{
    SnOxVal *zv = sn_ox_in(x, 2);
    const SnData *z = zv != NULL ? sn_ox_const(x, zv) : NULL;
    const char *name = "UINT8";
    int64_t stated;

    SN_TRY(sn_ox_int(x, "output_dtype", 0, &stated));
    *out = SN_D_U8;
    if (stated != 0)
        *out = sn_onnx_dtype(stated, &name);
    if (z != NULL) {
        if (stated != 0 && *out != z->dtype)
            return sn_ox_fail(x, SN_EINPUT,
                              "writes %s, its zero point is %s", name,
                              sn_dtype_name(z->dtype));
        *out = z->dtype;
    }
    if (*out != SN_D_U8 && *out != SN_D_I8 && *out != SN_D_I16)
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "codes of type %s are not supported; uint8, int8 "
                          "and int16 are",
                          stated != 0 ? name : sn_dtype_name(*out));
    return SN_OK;
}

SnStatus
sn_onnx_quantize(SnOx *x, const SnOxCall *c)
{
    SnOxVal *v, *y = sn_ox_out(x, 0);
    SnOxScales q;
    SnDtype codes;
    const SnType *type;
    SnRef in, out;
    SnSpec s = {.kind = c->desc->kind, .nin = 1, .in = &in, .type = &type};

    sn_ox_ignore(x, "saturate"); /* for float8 only */
    SN_TRY(sn_ox_need(x, 0, &v));
    SN_TRY(code_dtype(x, &codes));
    SN_TRY(read_scales(x, v, codes, &q));
    type = scales_type(x, &q);
    if (type == NULL)
        return sn_ox_fail(x, SN_EINPUT, "scale or zero point out of range");
    SN_TRY(sn_ox_plain(x, v, &in));
    s.name = sn_ox_name(x, 0);
    SN_TRY(sn_ox_add(x, &s, &out));
    if (y != NULL)
        y->u8 = q.u8;
    return sn_ox_put(x, 0, out);
}

/* A graph input of 8-bit codes becomes a Placeholder now that its scale is
 * known. */
static SnStatus
make_input(SnOx *x, SnOxVal *v, const SnOxScales *q)
{
    SnPlaceholderAttr attr = {SN_PLACEHOLDER_BOUNDARY_NONE};
    const SnType *type = scales_type(x, q);
    SnSpec s = {
        .kind = SN_K_PLACEHOLDER,
        .name = v->name,
        .attr = &attr,
        .type = &type,
        .shape = sn_shape(x->g->pool, v->rank, v->dim),
    };
    SnOxForm *f = SN_NEW(x->a, SnOxForm);

    if (q->u8)
        attr.boundary = SN_PLACEHOLDER_BOUNDARY_U8;
    SN_TRY(sn_ox_add(x, &s, &f->ref));
    for (int i = 0; i < v->rank; i++)
        f->perm[i] = i;
    v->form = f;
    v->made = true;
    v->waits = false;
    v->u8 = q->u8;
    return SN_OK;
}

SnStatus
sn_ox_code_input(SnOx *x, SnOxVal *v)
{
    SnOxVal *s = sn_ox_in(x, 1), *z = sn_ox_in(x, 2);
    SnOxScales q;

    if (s == NULL || s->data == NULL || (z != NULL && z->data == NULL))
        return SN_OK;
    SN_TRY(read_scales(x, v, v->u8 ? SN_D_U8 : SN_D_I8, &q));
    return make_input(x, v, &q);
}

/* Codes that are known: a Constant where the value is wanted, in the layout
 * that is wanted. */
static SnStatus
known_codes(SnOx *x, SnOxVal *v, const SnOxScales *q)
{
    SnOxVal *y = sn_ox_out(x, 0);

    if (y == NULL)
        return SN_OK;
    y->made = true;
    y->rank = v->rank;
    memcpy(y->dim, v->dim, sizeof y->dim);
    y->data = v->data;
    y->data_name = v->name;
    y->q = sn_memdup(x->a, q, sizeof *q);
    return SN_OK;
}

/* The file's element type of codes to be dequantized. */
static SnStatus
codes_of(SnOx *x, const SnOxVal *v, SnDtype *out)
{
    SnElem e = SN_QI8;

    if (v->data != NULL) {
        *out = v->data->dtype;
    } else {
        if (!v->waits)
            e = sn_type(x->g, v->form->ref)->elem;
        *out = e == SN_QI16              ? SN_D_I16
               : e == SN_QI8 && v->u8    ? SN_D_U8
               : e == SN_QI8             ? SN_D_I8
                                         : SN_D_NONE;
    }
    if (*out == SN_D_NONE)
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "'%s' has no scale in the graph: it is neither an "
                          "8-bit input nor a result of QuantizeLinear",
                          v->name);
    if (v->q != NULL || (*out != SN_D_U8 && *out != SN_D_I8 &&
                         *out != SN_D_I16 && *out != SN_D_I32))
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "codes of type %s are not supported",
                          sn_dtype_name(v->q != NULL ? SN_D_F32 : *out));
    return SN_OK;
}

SnStatus
sn_onnx_dequantize(SnOx *x, const SnOxCall *c)
{
    SnOxVal *v = sn_ox_in(x, 0);
    SnOxScales q;
    SnDtype codes;
    SnRef in, y;
    SnSpec s = {.kind = c->desc->kind, .nin = 1, .in = &in};

    if (v == NULL)
        return sn_ox_fail(x, SN_EINPUT, "input 0 is missing");
    SN_TRY(codes_of(x, v, &codes));
    SN_TRY(read_scales(x, v, codes, &q));
    if (v->data != NULL)
        return known_codes(x, v, &q);
    if (v->waits)
        SN_TRY(make_input(x, v, &q));
    if (sn_type(x->g, v->form->ref) != scales_type(x, &q))
        return sn_ox_fail(x, SN_EUNSUPPORTED,
                          "reads '%s' with another scale or zero point than "
                          "it was written with",
                          v->name);
    SN_TRY(sn_ox_plain(x, v, &in));
    s.name = sn_ox_name(x, 0);
    SN_TRY(sn_ox_add(x, &s, &y));
    return sn_ox_put(x, 0, y);
}
