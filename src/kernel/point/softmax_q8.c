// SPDX-License-Identifier: Apache-2.0
/* Softmax of codes.  What a code's result is depends on how far it is below
 * the largest one and on the row's sum: results are worked out for the codes
 * that have one above 0, and the row is looked up in them. */
#include "kernel/point/softmax_q8.h"

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

/* How many codes from the largest one down have a result that does not round
 * to 0: less than half of sum have the others. */
static int
count_of(const SnSoftmax *s, uint64_t sum)
{
    int from = 0, to = 256;

    while (from < to) {
        int mid = (from + to) / 2;
        if (s->t[mid] * s->one > (sum - 1) / 2)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

void
sn_softmax8_run(SnIsa isa, const SnSoftmax *s, const int8_t *x, int64_t n,
                int8_t *y)
{
    const SnSoftmax8 *k = sn_variant(&sn_softmax_q8_variants, isa);
    int top = k->top(x, n);
    uint64_t sum = sum_of(s, top, x, n);
    int count = count_of(s, sum);
    int8_t share[256];
    SnTable8 t;

    if (count > top + 129)
        count = top + 129;
    k->share(s, sum, count, share);
    /* The last entry of s->t is the least, and it may have a result. */
    memset(t.t, count < 256 ? sn_softmax_code(s, count, sum) : 0, sizeof t.t);
    for (int b = 0; b < count; b++)
        t.t[top + 128 - b] = share[b];
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

static void
share_ref(const SnSoftmax *s, uint64_t sum, int n, int8_t *y)
{
    for (int b = 0; b < n; b++)
        y[b] = sn_softmax_code(s, b, sum);
}

static const SnSoftmax8 softmax8 = {top_ref, share_ref};

void sn_register_softmax_q8_portable(void);
void
sn_register_softmax_q8_portable(void)
{
    sn_variant_add(&sn_softmax_q8_variants, SN_ISA_PORTABLE, &softmax8);
}
