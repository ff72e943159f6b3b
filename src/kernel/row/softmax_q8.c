// SPDX-License-Identifier: Apache-2.0
/* Softmax of codes.  The result of a code depends on how far it is below the
 * largest one and on the row's sum: results are computed for the codes that
 * have one above 0, and the row is looked up in this table. */
#include "kernel/row/softmax_q8.h"

#include <string.h>

#include "kernel/point/point_q8.h"

SnVariants sn_softmax_q8_variants;

/* Several sums, so that they do not wait for one another. */
static uint64_t
sum_of(const SnSoftmax *s, int top, const int8_t *x, int64_t n)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    int64_t i = 0;

    for (; i + 4 <= n; i += 4) {
        a += s->t[top - x[i]];
        b += s->t[top - x[i + 1]];
        c += s->t[top - x[i + 2]];
        d += s->t[top - x[i + 3]];
    }
    for (; i < n; i++)
        a += s->t[top - x[i]];
    return a + b + c + d;
}

/* Eight codes in the opposite order. */
static uint64_t
turned(uint64_t v)
{
    v = (v & 0x00ff00ff00ff00ff) << 8 | (v >> 8 & 0x00ff00ff00ff00ff);
    v = (v & 0x0000ffff0000ffff) << 16 | (v >> 16 & 0x0000ffff0000ffff);
    return v << 32 | v >> 32;
}

void
sn_softmax8_run(SnIsa isa, const SnSoftmax *s, const int8_t *x, int64_t n,
                int8_t *y)
{
    const SnSoftmax8 *k = sn_variant(&sn_softmax_q8_variants, isa);
    SnTable8 t;

    if (k->row && k->row(s, x, n, y))
        return;
    int top = k->top(x, n);
    uint64_t sum = sum_of(s, top, x, n);
    int count = top + 129, b = 0;
    int8_t share[256], *at = t.t + (top + 128);

    /* No code of the row lies below -128, and s->t decreases. */
    count = k->share(s, sum, count, share);
    memset(t.t, count < 256 ? sn_softmax_code(s, count, sum) : 0, sizeof t.t);
    for (; b + 8 <= count; b += 8) {
        uint64_t v;
        memcpy(&v, share + b, sizeof v);
        v = turned(v);
        memcpy(at - b - 7, &v, sizeof v);
    }
    for (; b < count; b++)
        at[-b] = share[b];
    t.clamp = false;
    sn_table8_run(isa, &t, x, n, y);
}

/* ---- portable ---- */

static int
top_ref(const int8_t *x, int64_t n)
{
    int top = -128;

    for (int64_t i = 0; i < n; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

static int
share_ref(const SnSoftmax *s, uint64_t sum, int n, int8_t *y)
{
    int b = 0;

    /* Less than half of sum rounds to 0. */
    for (; b < n && s->t[b] * s->one > (sum - 1) / 2; b++)
        y[b] = sn_softmax_code(s, b, sum);
    return b;
}

static const SnSoftmax8 softmax8 = {top_ref, share_ref, NULL};

void sn_register_softmax_q8_portable(void);
void
sn_register_softmax_q8_portable(void)
{
    sn_variant_add(&sn_softmax_q8_variants, SN_ISA_PORTABLE, &softmax8);
}
