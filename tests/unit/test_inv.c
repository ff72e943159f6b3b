// SPDX-License-Identifier: Apache-2.0
/* Invariants of nodes whose numbers do not fit in 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/desc.h"
#include "sn_gen.h"
#include "sn_kinds.h"

/* 2^25 channels in 2^39 groups are 2^64, which is no 0. */
static void
products(void **state)
{
    SnConv2DAttr at = {.kernel = {2, (const int64_t[]){1, 1}},
                       .group = INT64_C(1) << 39};
    SnShape x = {.rank = 4, .dim = {1, 1, 1, 0}};
    SnShape w = {.rank = 4, .dim = {0, 1, 1, 1 << 25}};
    SnTensor in[] = {{.shape = &x}, {.shape = &w}};
    SnCall c = {.kind = sn_desc(SN_K_CONV2D), .attr = &at, .nin = 2, .in = in};

    (void)state;
    assert_false(sn_inv_conv2d_0(&c));
    at.group = 0;
    assert_true(sn_inv_conv2d_0(&c));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
