// SPDX-License-Identifier: Apache-2.0
/* More operators that the lines of nodes.def do not spell out: reductions,
 * casts, plain codes, transposed convolutions. */
#include "onnx/export/export_priv.h"

#include <string.h>
#include "sn_maps.h"

static Onnx__NodeProto *
put_of(SnExport *x, SnOnnxOp op, uint32_t n, const char *const *in,
       const int *perm)
{
    const char *out = sn_export_open(x, 0, perm);
    Onnx__NodeProto *node = sn_export_node(x, op.domain, op.name, n, in, out);

    sn_export_close(x, 0, perm, out);
    return node;
}

static Onnx__NodeProto *
put(SnExport *x, const char *op, uint32_t n, const char *const *in,
    const int *perm)
{
    return put_of(x, (SnOnnxOp){"", op}, n, in, perm);
}

/* ---- plain values ---- */

static void
cast_to(SnExport *x, Onnx__NodeProto *n, const SnType *t)
{
    sn_export_attr_int(x, n, "to", sn_export_dtype(t, SN_EXPORT_CODE));
}

SnStatus
sn_export_cast(SnExport *x)
{
    int perm[SN_MAXRANK];
    const char *in;

    sn_export_choose(x, perm);
    in = sn_export_operand(x, 0, perm, x->as);
    cast_to(x, put(x, "Cast", 1, &in, perm), x->n->res[0].type);
    return SN_OK;
}

/* The codes of a value are already a tensor; so are codes with a scale. */
static SnStatus
alias(SnExport *x)
{
    int rank = x->n->res[0].shape->rank, perm[SN_MAXRANK];
    SnRef v = sn_in(x->g, x->id, 0);
    SnExportAs as =
        x->u8[x->id] || x->u8[SN_NODE(v)] ? SN_EXPORT_U8 : SN_EXPORT_CODE;

    sn_export_available_order(x, 0, perm);
    sn_export_add(x, SN_REF(x->id, 0), rank, perm,
                  sn_export_as(x->n->res[0].type, as),
                  sn_export_get(x, v, rank, perm, as));
    return SN_OK;
}

SnStatus
sn_export_codes(SnExport *x)
{
    return alias(x);
}

SnStatus
sn_export_label(SnExport *x)
{
    return alias(x);
}

/* ---- integers ---- */

static bool
made_by(const SnExport *x, SnRef r, SnExportHook *fn)
{
    return sn_export_hook(sn_desc(sn_kind(x->g, r))->name) == fn;
}

/* Sums of products take values and zero points separately. */
static bool
only_for_sums(const SnExport *x, SnRef r)
{
    for (const SnUse *u = sn_res(x->g, r)->uses; u != NULL; u = u->next) {
        const SnKindDesc *d = sn_desc(sn_node(x->g, u->user)->kind);
        SnExportHook *fn = sn_export_hook(d->name);
        if (d->sem[0].decl == &sn_map_decl_permute
                ? !only_for_sums(x, SN_REF(u->user, 0))
                : fn != sn_export_conv_integer &&
                      fn != sn_export_matmul_integer)
            return false;
    }
    return true;
}

SnStatus
sn_export_difference(SnExport *x)
{
    int perm[SN_MAXRANK];
    const char *in[2];

    if (only_for_sums(x, SN_REF(x->id, 0)))
        return SN_OK;
    sn_export_choose(x, perm);
    for (uint32_t s = 0; s < 2; s++) {
        const char *from = sn_export_operand(x, s, perm, x->as);
        in[s] = sn_export_part(x, s == 0 ? "wide" : "zp");
        cast_to(x, sn_export_node(x, "", "Cast", 1, &from, in[s]),
                x->n->res[0].type);
    }
    put(x, "Sub", 2, in, perm);
    return SN_OK;
}

/* Known differences as codes and one zero point that they all fit. */
static SnStatus
known_apart(SnExport *x, SnRef r, int rank, const int *perm, const char **value,
            const char **zp)
{
    int64_t dim[SN_MAXRANK], n = sn_shape_count(sn_shape_of(x->g, r));
    const int32_t *v = sn_export_elements(x, r, rank, perm, dim);
    int32_t lo = 0, hi = 0;
    int8_t *code = SN_NEW_N(x->a, int8_t, n), *z = SN_NEW(x->a, int8_t);
    const char *name = sn_name(x->g, r);

    for (int64_t i = 0; i < n; i++) {
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    if ((int64_t)hi - lo > 255)
        return sn_export_refuse(x, "'%s' spans more than 8 bits", name);
    *z = (int8_t)(lo < -128 ? -128 - lo : hi > 127 ? 127 - hi : 0);
    for (int64_t i = 0; i < n; i++)
        code[i] = (int8_t)(v[i] + *z);
    *value = sn_export_init(
        x, sn_export_fresh(x, sn_format(x->a, "%s.codes", name)),
        ONNX__TENSOR_PROTO__DATA_TYPE__INT8, rank, dim, code, (size_t)n);
    *zp = sn_export_init(x, sn_export_fresh(x, sn_format(x->a, "%s.zp", name)),
                         ONNX__TENSOR_PROTO__DATA_TYPE__INT8, 0, NULL, z, 1);
    return SN_OK;
}

/* Operand and zero point of a sum: both sides of a difference. */
static SnStatus
apart(SnExport *x, uint32_t slot, const int *perm, const char **value,
      const char **zp)
{
    SnRef r = sn_in(x->g, x->id, slot), z;
    SnExportAs as = x->as;
    int rank = sn_shape_of(x->g, r)->rank, p[SN_MAXRANK];

    memcpy(p, perm, (size_t)rank * sizeof *perm);
    r = sn_export_root(x, r, rank, p);
    if (sn_export_constant(x, r))
        return known_apart(x, r, rank, p, value, zp);
    if (!made_by(x, r, sn_export_difference))
        return sn_export_refuse(
            x, "operand '%s' is not a difference of codes and zero point",
            sn_name(x->g, r));
    z = sn_in(x->g, SN_NODE(r), 1);
    if (sn_shape_count(sn_shape_of(x->g, z)) != 1)
        return sn_export_refuse(x, "the zero point '%s' is not one code",
                                sn_name(x->g, z));
    r = sn_in(x->g, SN_NODE(r), 0);
    if (x->u8[SN_NODE(r)] && (sn_export_constant(x, z) || x->u8[SN_NODE(z)]))
        as = SN_EXPORT_U8;
    *value = sn_export_get(x, r, rank, p, as);
    *zp = sn_export_constant(x, z) ? sn_export_get(x, z, 0, p, as)
                                   : sn_export_plain(x, z, as);
    return SN_OK;
}

/* The weights w say how large the window is, [out, kh, kw, in]. */
static void
window(SnExport *x, Onnx__NodeProto *n, const SnShape *w)
{
    static const char *const name[][2] = {
        {"stride", "strides"},
        {"pads", "pads"},
        {"dilate", "dilations"},
    };

    sn_export_attr_ints(x, n, "kernel_shape", (SnInts){2, w->dim + 1});
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        sn_export_attr_ints(
            x, n, name[i][1],
            *(const SnInts *)sn_export_attr(x, name[i][0], SN_A_INTS));
    sn_export_attr_int(x, n, "group",
                       *(const int64_t *)sn_export_attr(x, "group", SN_A_INT));
}

static const int first[] = {0, 3, 1, 2}; /* channels after the batch */

SnStatus
sn_export_conv_integer(SnExport *x)
{
    const char *in[4];

    SN_TRY(apart(x, 0, first, &in[0], &in[2]));
    SN_TRY(apart(x, 1, first, &in[1], &in[3]));
    window(x, put(x, "ConvInteger", 4, in, first),
           sn_shape_of(x->g, sn_in(x->g, x->id, 1)));
    return SN_OK;
}

SnStatus
sn_export_matmul_integer(SnExport *x)
{
    const char *in[4];

    SN_TRY(apart(x, 0, sn_export_identity, &in[0], &in[2]));
    SN_TRY(apart(x, 1, sn_export_identity, &in[1], &in[3]));
    put(x, "MatMulInteger", 4, in, sn_export_identity);
    return SN_OK;
}

/* ---- pictures ---- */

/* w is [out, kh, kw, in / group]; ONNX has [in, out / group, kh, kw]. */
SnStatus
sn_export_conv_transpose(SnExport *x)
{
    static const int transposed[] = {3, 0, 1, 2};
    int64_t group = *(const int64_t *)sn_export_attr(x, "group", SN_A_INT);
    const SnInts *more = sn_export_attr(x, "more", SN_A_INTS);
    const SnInts *stride = sn_export_attr(x, "stride", SN_A_INTS);
    SnRef b = sn_in(x->g, x->id, 2);
    const char *in[3] = {NULL};
    Onnx__NodeProto *n;

    if (group != 1)
        return sn_export_refuse(x,
                                "ConvTranspose with groups cannot be written");
    for (uint32_t i = 0; i < more->n; i++)
        if (more->v[i] >= stride->v[i])
            return sn_export_refuse(x,
                                    "'more' is not below the stride, which "
                                    "ONNX Runtime requires of output_padding");
    in[0] = sn_export_get(x, sn_in(x->g, x->id, 0), 4, first, x->as);
    in[1] = sn_export_get(x, sn_in(x->g, x->id, 1), 4, transposed, x->as);
    if (b != 0)
        in[2] = sn_export_plain(x, b, x->as);
    n = put(x, "ConvTranspose", 3, in, first);
    window(x, n, sn_shape_of(x->g, sn_in(x->g, x->id, 1)));
    sn_export_attr_ints(x, n, "output_padding", *more);
    return SN_OK;
}

SnStatus
sn_export_depth_to_space(SnExport *x)
{
    const char *in = sn_export_get(x, sn_in(x->g, x->id, 0), 4, first, x->as);
    Onnx__NodeProto *n = put(x, "DepthToSpace", 1, &in, first);

    sn_export_attr_int(x, n, "blocksize",
                       *(const int64_t *)sn_export_attr(x, "block", SN_A_INT));
    sn_export_attr_str(x, n, "mode", "DCR");
    return SN_OK;
}

/* ---- over axes ---- */

typedef struct Over {
    int rank, perm[SN_MAXRANK], out[SN_MAXRANK];
    int64_t axes[SN_MAXRANK]; /* in the order of the tensor read */
    uint32_t n;
    bool keep;
} Over;

/* Reads the operand in an available order; the result's order follows from
 * it. */
static void
reduced(SnExport *x, Over *o)
{
    const SnInts *axes = sn_export_attr(x, "axes", SN_A_INTS);
    int left[SN_MAXRANK], n = 0;
    uint32_t set = 0;

    o->rank = sn_shape_of(x->g, sn_in(x->g, x->id, 0))->rank;
    o->keep = *(const bool *)sn_export_attr(x, "keepdims", SN_A_BOOL);
    sn_export_available_order(x, 0, o->perm);
    for (uint32_t i = 0; i < axes->n; i++)
        set |= 1u << (axes->v[i] < 0 ? axes->v[i] + o->rank : axes->v[i]);
    set = axes->n == 0 ? (1u << o->rank) - 1 : set;
    for (int i = 0; i < o->rank; i++)
        left[i] = set >> i & 1 ? -1 : n++;
    n = 0;
    o->n = 0;
    for (int i = 0; i < o->rank; i++) {
        if (set >> o->perm[i] & 1)
            o->axes[o->n++] = i;
        if (o->keep)
            o->out[i] = o->perm[i];
        else if (left[o->perm[i]] >= 0)
            o->out[n++] = left[o->perm[i]];
    }
}

/* Axes are an input from opset 13 (ReduceSum) or 18 on. */
SnStatus
sn_export_reduce(SnExport *x)
{
    int since = sn_onnx_is(x->e->op, "ReduceSum") ? 13 : 18;
    bool as_input = sn_export_version(x, x->e->op.domain) >= since;
    const char *in[2] = {NULL};
    Onnx__NodeProto *n;
    SnInts axes;
    Over o;

    reduced(x, &o);
    axes = (SnInts){o.n, o.axes};
    in[0] = sn_export_get(x, sn_in(x->g, x->id, 0), o.rank, o.perm, x->as);
    if (as_input)
        in[1] = sn_export_ints(x, "axes", axes);
    n = put_of(x, x->e->op, 2, in, o.out);
    if (!as_input)
        sn_export_attr_ints(x, n, "axes", axes);
    sn_export_attr_int(x, n, "keepdims", o.keep);
    return SN_OK;
}

SnStatus
sn_export_arg(SnExport *x)
{
    const char *in;
    Onnx__NodeProto *n;
    Over o;

    reduced(x, &o);
    if (o.n != 1)
        return sn_export_refuse(x, "%s goes over one axis, not %u",
                                x->e->op.name, (unsigned)o.n);
    in = sn_export_get(x, sn_in(x->g, x->id, 0), o.rank, o.perm, x->as);
    n = put_of(x, x->e->op, 1, &in, o.out);
    sn_export_attr_int(x, n, "axis", o.axes[0]);
    sn_export_attr_int(x, n, "keepdims", o.keep);
    return SN_OK;
}

/* Operators that normalize run over the last axes, and scale: by 1 here. */
typedef struct Rows {
    int perm[SN_MAXRANK], rank;
    int64_t n;
    const char *x, *one;
} Rows;

static Rows
rows_of(SnExport *x)
{
    const SnShape *s = x->n->res[0].shape;
    int64_t axis = *(const int64_t *)sn_export_attr(x, "axis", SN_A_INT);
    Rows r = {.rank = s->rank};
    int n = 0;

    axis += axis < 0 ? s->rank : 0;
    for (int i = 0; i < s->rank; i++)
        if (i != (int)axis)
            r.perm[n++] = i;
    r.perm[n] = (int)axis;
    r.n = s->dim[axis];
    r.x = sn_export_get(x, sn_in(x->g, x->id, 0), s->rank, r.perm, x->as);
    return r;
}

static void
put_normal(SnExport *x, const char *op, const Rows *r)
{
    const char *in[2] = {r->x};
    float *one = SN_NEW_N(x->a, float, r->n);
    Onnx__NodeProto *node;

    for (int64_t i = 0; i < r->n; i++)
        one[i] = 1;
    in[1] = sn_export_init(x, sn_export_part(x, "one"),
                           ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, &r->n, one,
                           (size_t)r->n * sizeof *one);
    node = put(x, op, 2, in, r->perm);
    sn_export_attr_int(x, node, "axis", -1);
    sn_export_attr_real(x, node, "epsilon",
                        *(const float *)sn_export_attr(x, "eps", SN_A_REAL));
}

SnStatus
sn_export_normalize(SnExport *x)
{
    if (x->opset < 17)
        return sn_export_refuse(x, "LayerNormalization is from opset 17");
    Rows r = rows_of(x);
    put_normal(x, "LayerNormalization", &r);
    return SN_OK;
}

/* RMSNormalization is from opset 23; before that its steps are written. */
SnStatus
sn_export_rms(SnExport *x)
{
    Rows r = rows_of(x);
    const char *in[2] = {r.x, r.x}, *v;
    int64_t last = -1;

    if (x->opset >= 23) {
        put_normal(x, "RMSNormalization", &r);
        return SN_OK;
    }
    v = sn_export_part(x, "squares");
    sn_export_node(x, "", "Mul", 2, in, v);
    bool as_input = x->opset >= 18;
    in[0] = v;
    in[1] = as_input ? sn_export_ints(x, "axes", (SnInts){1, &last}) : NULL;
    v = sn_export_part(x, "mean");
    Onnx__NodeProto *mean =
        sn_export_node(x, "", "ReduceMean", as_input ? 2 : 1, in, v);
    if (!as_input)
        sn_export_attr_ints(x, mean, "axes", (SnInts){1, &last});
    sn_export_attr_int(x, mean, "keepdims", 1);
    in[0] = v;
    in[1] = sn_export_init(x, sn_export_part(x, "eps"),
                           ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, NULL,
                           sn_export_attr(x, "eps", SN_A_REAL), sizeof(float));
    v = sn_export_part(x, "mean_eps");
    sn_export_node(x, "", "Add", 2, in, v);
    in[0] = v;
    v = sn_export_part(x, "deviation");
    sn_export_node(x, "", "Sqrt", 1, in, v);
    in[0] = r.x;
    in[1] = v;
    put(x, "Div", 2, in, r.perm);
    return SN_OK;
}
