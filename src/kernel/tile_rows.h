// SPDX-License-Identifier: Apache-2.0
/* ROWSn(M): M(0) to M(n - 1), for the tiles of all instruction sets.  Their
 * rows are unrolled: sums in an array would not stay in registers. */
#ifndef SN_TILE_ROWS_H
#define SN_TILE_ROWS_H

#define ROWS1(M) M(0)
#define ROWS2(M) ROWS1(M) M(1)
#define ROWS3(M) ROWS2(M) M(2)
#define ROWS4(M) ROWS3(M) M(3)
#define ROWS5(M) ROWS4(M) M(4)
#define ROWS6(M) ROWS5(M) M(5)
#define ROWS7(M) ROWS6(M) M(6)
#define ROWS8(M) ROWS7(M) M(7)
#define ROWS16(M) ROWS8(M) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)

#endif
