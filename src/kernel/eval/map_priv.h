// SPDX-License-Identifier: Apache-2.0
/* Between map.c and the files with one family of maps each.  open fills the
 * geometry and allocates seg and c; segs fills the runs of one group. */
#ifndef SN_MAP_PRIV_H
#define SN_MAP_PRIV_H

#include "kernel/eval/map.h"

typedef SnStatus SnMapOpen(SnMap *m, const SnCall *c, const SnSem *s,
                           unsigned res);
typedef void SnMapSegs(SnMap *m, int64_t group);

SnMapOpen sn_open_conv, sn_open_matmul, sn_open_pool, sn_open_row,
    sn_open_reduce, sn_open_window_channel, sn_open_bag;
SnMapSegs sn_segs_conv, sn_segs_deconv, sn_segs_matmul, sn_segs_pool,
    sn_segs_row, sn_segs_reduce, sn_segs_window_channel, sn_segs_bag;

#endif
