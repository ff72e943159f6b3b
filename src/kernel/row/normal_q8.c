// SPDX-License-Identifier: Apache-2.0
/* Rows of codes to variance 1: sums of integers, in any order, and a linear
 * function. */
#include "kernel/row/normal_q8.h"

SnVariants sn_normal_q8_variants;

void
sn_normal8_run(SnIsa isa, const SnNormal *k, const int8_t *x, int64_t nrow,
               int8_t *y)
{
    const SnNormal8 *v = sn_variant(&sn_normal_q8_variants, isa);

    for (int64_t r = 0; r < nrow; r++, x += k->n, y += k->n) {
        int64_t sum = 0, squares = 0;
        for (int64_t i = 0; i < k->n; i += SN_NORMAL_PART) {
            int64_t n = k->n - i;
            v->sums(x + i, n < SN_NORMAL_PART ? n : SN_NORMAL_PART, &sum,
                    &squares);
        }
        v->line(sn_normal_line(k, sum, squares), x, k->n, y);
    }
}

/* ---- portable ---- */

static void
sums_ref(const int8_t *x, int64_t n, int64_t *sum, int64_t *squares)
{
    for (int64_t i = 0; i < n; i++) {
        *sum += x[i];
        *squares += x[i] * x[i];
    }
}

static void
line_ref(SnLine l, const int8_t *x, int64_t n, int8_t *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (int8_t)sn_line_at(l, x[i]);
}

static const SnNormal8 normal8 = {sums_ref, line_ref};

void sn_register_normal_q8_portable(void);
void
sn_register_normal_q8_portable(void)
{
    sn_variant_add(&sn_normal_q8_variants, SN_ISA_PORTABLE, &normal8);
}
