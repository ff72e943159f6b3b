// SPDX-License-Identifier: Apache-2.0
/* Functions of one operand of 8 bits where the arithmetic has a row for them:
 * some entries of a table, and codes between them by the row. */
#include "kernel/eval/rows.h"

const SnArithRow *
sn_lut_row(const SnCall *c)
{
    return sn_arith_row(sn_arith_at(c->rounding), SN_FORM_FUNCTION,
                        c->kind->name, 0);
}

/* The entry after the greatest code: that code with a zero point one less.
 */
static int8_t
last_entry(const SnCall *c, SnCodesFn *fn)
{
    const int8_t code = 127;
    SnType type = *c->in[0].type;
    int32_t zp = type.zp[0] - 1;
    SnTensor in = c->in[0];
    SnCall call = *c;
    int8_t y;

    type.zp = &zp;
    in.type = &type;
    call.in = &in;
    fn(&call, &code, 1, &y);
    return y;
}

static SnLim
limits(const SnCall *c)
{
    const SnKindDesc *d = c->kind;
    SnRange r = sn_range_open();

    if (d->clamp >= 0)
        memcpy(&r, (const char *)c->attr + d->attr[d->clamp].offset, sizeof r);
    return sn_lim(c->out[0].type, r);
}

void
sn_lut_run(const SnCall *c, const SnArithRow *row, SnCodesFn *fn,
           const int8_t *x, int64_t n, int8_t *y)
{
    const SnType *tx = c->in[0].type, *ty = c->out[0].type;
    const int64_t count = 256 / row->step;
    const SnRowGrids g = {{ty->scale[0], tx->scale[0], 0},
                          {ty->zp[0], tx->zp[0], 0},
                          1,
                          0,
                          {1, 1}};
    SnLim lim = limits(c);
    int8_t at[256], entry[257], code[256];
    int64_t k[SN_ROW_NK];

    for (int64_t i = 0; i < count; i++)
        at[i] = (int8_t)(i * row->step - 128);
    fn(c, at, count, entry);
    entry[count] = last_entry(c, fn);
    row->open(&g, k);
    for (int i = 0; i < 256; i++) {
        const int8_t *e = &entry[i / row->step];
        code[i] = (int8_t)sn_row_code(
            row, k, e[0], (e[1] - e[0]) * (i % row->step), lim.lo, lim.hi);
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = code[x[i] + 128];
}
