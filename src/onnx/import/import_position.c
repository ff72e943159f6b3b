// SPDX-License-Identifier: Apache-2.0
/* Positions of elements: MaxPool and TopK count them in the order of the
 * model, channels first. */
#include "onnx/import/import_priv.h"

static SnStatus
int_step(SnImport *x, const char *kind, SnRef a, int64_t k, SnRef *out)
{
    SnRef c;

    SN_TRY(sn_import_int_const(x, NULL, SN_I64, k, &c));
    return sn_import_binary(x, kind, NULL, a, c, out);
}

/* p = row * w + column becomes column * h + row. */
static SnStatus
by_column(SnImport *x, const SnShape *s, SnRef *p)
{
    SnRef row, col, t;

    SN_TRY(int_step(x, "Div", *p, s->dim[2], &row));
    SN_TRY(int_step(x, "Mul", row, s->dim[2], &t));
    SN_TRY(sn_import_binary(x, "Sub", NULL, *p, t, &col));
    SN_TRY(int_step(x, "Mul", col, s->dim[1], &t));
    return sn_import_binary(x, "Add", NULL, t, row, p);
}

/* i = (n * hw + p) * c + k becomes (n * c + k) * hw + p, where p counts along
 * columns with storage_order 1. */
SnStatus
sn_import_nchw_positions(SnImport *x, uint32_t k, SnRef r, SnRef in)
{
    const SnShape *s = sn_shape_of(x->g, in);
    int64_t c = s->dim[3], hw = s->dim[1] * s->dim[2], order;
    SnRef q, n, t, ch, p;

    if (sn_import_out(x, k) == NULL)
        return SN_OK;
    SN_TRY(int_step(x, "Div", r, c, &q)); /* n * hw + p */
    SN_TRY(int_step(x, "Mul", q, c, &t));
    SN_TRY(sn_import_binary(x, "Sub", NULL, r, t, &ch));
    SN_TRY(int_step(x, "Div", q, hw, &n));
    SN_TRY(int_step(x, "Mul", n, hw, &t));
    SN_TRY(sn_import_binary(x, "Sub", NULL, q, t, &p));
    SN_TRY(sn_import_int(x, "storage_order", 0, &order));
    if (order != 0)
        SN_TRY(by_column(x, s, &p));
    SN_TRY(int_step(x, "Mul", n, c, &t));
    SN_TRY(sn_import_binary(x, "Add", NULL, t, ch, &t));
    SN_TRY(int_step(x, "Mul", t, hw, &t));
    SN_TRY(sn_import_binary(x, "Add", sn_import_name(x, k), t, p, &t));
    return sn_import_put_last(x, k, t);
}
