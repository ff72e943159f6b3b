// SPDX-License-Identifier: Apache-2.0
/* Sums of looked-up rows: Gather and ReduceSum; a fused table as its codes,
 * scales and offsets, decoded after the lookup. */
#include "onnx/export/export_priv.h"

#include <string.h>

typedef struct Rows { /* a fused table taken apart */
    int64_t n, cols;
    uint8_t *code;         /* [n, cols] */
    float *scale, *offset; /* [n, 1] */
} Rows;

static Rows
take_apart(SnExport *x, SnRef table)
{
    const SnShape *s = sn_shape_of(x->g, table);
    const uint8_t *row = sn_node(x->g, SN_NODE(table))->data;
    Rows r = {.n = s->dim[0], .cols = s->dim[1]};

    r.code = SN_NEW_N(x->a, uint8_t, (size_t)(r.n * r.cols) + 1);
    r.scale = SN_NEW_N(x->a, float, r.n + 1);
    r.offset = SN_NEW_N(x->a, float, r.n + 1);
    for (int64_t i = 0; i < r.n; i++, row += r.cols + 8) {
        memcpy(r.code + i * r.cols, row, (size_t)r.cols);
        memcpy(&r.scale[i], row + r.cols, sizeof *r.scale);
        memcpy(&r.offset[i], row + r.cols + 4, sizeof *r.offset);
    }
    return r;
}

static const char *
node(SnExport *x, const char *op, const char *a, const char *b,
     const char *part)
{
    const char *in[2] = {a, b}, *out = sn_export_part(x, part);

    sn_export_node(x, "", op, 2, in, out);
    return out;
}

/* Rows `index` of a tensor [n, width]. */
static const char *
look_up(SnExport *x, const char *name, int dtype, const Rows *r, int64_t width,
        const void *data, size_t nbyte, const char *index, const char *part)
{
    int64_t dim[2] = {r->n, width};

    return node(
        x, "Gather",
        sn_export_init(x, sn_export_part(x, name), dtype, 2, dim, data, nbyte),
        index, part);
}

static const char *
decoded(SnExport *x, SnRef table, const char *index)
{
    const int f32 = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    Rows r = take_apart(x, table);
    size_t nf = (size_t)r.n * sizeof(float);
    const char *code, *v, *real = sn_export_part(x, "code_reals");

    code = look_up(x, "codes", ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, &r, r.cols,
                   r.code, (size_t)(r.n * r.cols), index, "code_rows");
    sn_export_attr_int(x, sn_export_node(x, "", "Cast", 1, &code, real), "to",
                       f32);
    v = look_up(x, "scales", f32, &r, 1, r.scale, nf, index, "scale_rows");
    real = node(x, "Mul", real, v, "scaled");
    v = look_up(x, "offsets", f32, &r, 1, r.offset, nf, index, "offset_rows");
    return node(x, "Add", real, v, "rows");
}

SnStatus
sn_export_embedding_sum(SnExport *x)
{
    SnRef table = sn_in(x->g, x->id, 0);
    const char *index = sn_export_plain(x, sn_in(x->g, x->id, 1), x->as);
    const char *in[2] = {NULL}, *out;
    int64_t one = 1;
    Onnx__NodeProto *n;

    if (sn_type(x->g, table)->elem == SN_ROW8)
        in[0] = decoded(x, table, index);
    else
        in[0] =
            node(x, "Gather", sn_export_plain(x, table, x->as), index, "rows");
    in[1] = sn_export_ints(x, "axes", (SnInts){1, &one});
    out = sn_export_open(x, 0, sn_export_identity);
    n = sn_export_node(x, "", "ReduceSum", 2, in, out);
    sn_export_attr_int(x, n, "keepdims", 0);
    sn_export_close(x, 0, sn_export_identity, out);
    return SN_OK;
}
