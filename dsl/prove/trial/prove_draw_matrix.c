// SPDX-License-Identifier: Apache-2.0
/* Shapes of the operands of products of matrices. */
#include "dsl/prove/trial/case.h"

#include <string.h>

/* Matrices, vectors, stacks of matrices. */
static int
matmul_rank(SnProofCase *c)
{
    return sn_case_chance(c, 80) ? 2 : sn_case_chance(c, 30) ? 1 : 3;
}

/* A stack of matrices that is multiplied by the stack y, with m rows: their
 * columns are y's rows, or the other way round if they are transposed. */
static void
stack_beside(SnCaseValue *x, const SnCaseValue *y, int64_t m, bool tx, bool ty)
{
    int64_t d[SN_CASE_RANK];
    int r = y->rank;

    memcpy(d, y->dim, sizeof d);
    d[r - 2] = tx ? y->dim[r - (ty ? 1 : 2)] : m;
    d[r - 1] = tx ? m : y->dim[r - (ty ? 1 : 2)];
    sn_case_set_shape(x, r, d);
}

void
sn_case_draw_matmul(SnProofCase *c, SnCaseNode *n)
{
    SnCaseValue *a = sn_case_map_port(n, 0), *b = sn_case_map_port(n, 1);
    bool ta = sn_case_map_num(n, 2, 0) != 0, tb = sn_case_map_num(n, 3, 0) != 0;
    int64_t m = 1 + sn_case_below(c, 3), k = 3, o = 1 + sn_case_below(c, 3);

    if (c->wide)
        k = 1 + sn_case_about(c, 4);
    int ra = matmul_rank(c), rb = matmul_rank(c);

    if (a && b && a->rank < 0 && b->rank > 3) {
        stack_beside(a, b, m, ta, tb);
    } else if (a && a->rank < 0) {
        int64_t d[3] = {2, ta ? k : m, ta ? m : k};
        d[2] = ra == 1 ? k : d[2];
        sn_case_set_shape(a, ra, d + 3 - ra);
    }
    if (a && a->rank > 0)
        k = a->rank == 1 ? a->dim[0] : a->dim[a->rank - (ta ? 2 : 1)];
    if (a && b && b->rank < 0 && a->rank > 3) {
        stack_beside(b, a, o, !tb, !ta);
    } else if (b && b->rank < 0) {
        int64_t d[3] = {1 + sn_case_below(c, 2), tb ? o : k, tb ? k : o};
        d[2] = rb == 1 ? k : d[2];
        sn_case_set_shape(b, rb, d + 3 - rb);
    }
}
