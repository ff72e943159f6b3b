// SPDX-License-Identifier: Apache-2.0
/* The functions of the language of index maps. */
#include "map/decl.h"

const SnMapFn sn_map_fns[] = {
    {"select", SN_MO_SELECT, 3, 255,
     "select(c, a, c2, a2, ..., b): a where c holds, else a2 where c2 holds, "
     "..., else b"},
    {"axis", SN_MO_AXIS, 1, 1,
     "axis(d): 0, 1, ... along d; in a map of sizes axis(n): 0, 1, ..., n - 1"},
    {"count", SN_MO_COUNT, 1, 1, "count(d): how many elements d has"},
    {"product", SN_MO_PRODUCT, 1, 1, "product(d) of all elements"},
    {"sum", SN_MO_SUM, 1, 1, "sum(d) of all elements"},
    {"last", SN_MO_LAST, 1, 1, "last(d): the last element"},
    {"before", SN_MO_BEFORE, 1, 1,
     "before(d): for each element the sum of those before it"},
    {"flat", SN_MO_FLAT, 1, 2,
     "flat(i, d): the row-major number of place i in the box d; flat(x): the "
     "tap's offset in x"},
    {"unflat", SN_MO_UNFLAT, 2, 2, "unflat(n, d): place number n of the box d"},
    {"inverse", SN_MO_INVERSE, 1, 1,
     "inverse(p) of a permutation; of any other list undefined"},
    {"defined", SN_MO_DEFINED, 1, 1, "defined(e): has e a value?"},
    {"ascends", SN_MO_ASCENDS, 1, 1,
     "ascends(x): does no element of operand x lie below the one before it?"},
    {"rank", SN_MO_RANK, 1, 1, "rank(x): how many dimensions operand x has"},
    {"low", SN_MO_LOW, 1, 1, "low(x): the lowest code of operand x's type"},
    {"floor", SN_MO_FLOOR, 1, 1, "floor(r): the next integer below a real"},
    {"ceil", SN_MO_CEIL, 1, 1, "ceil(r): the next integer above a real"},
    {"real", SN_MO_TOREAL, 1, 1, "real(n): n as a real"},
    {"abs", SN_MO_ABS, 1, 1, "abs(n): n without its sign"},
    {"min", SN_MO_MIN, 2, 2, "min(a, b): the smaller one"},
    {"max", SN_MO_MAX, 2, 2, "max(a, b): the larger one"},
};
const unsigned sn_map_nfn = sizeof sn_map_fns / sizeof *sn_map_fns;
