// SPDX-License-Identifier: Apache-2.0
#include "kernel/conv_geo.h"

bool
sn_conv_same_pick(const SnConvPick *p, const SnConvPick *q)
{
    return p->rows == q->rows && p->npanel == q->npanel && p->clip == q->clip &&
           p->by_block == q->by_block && p->tiles == q->tiles;
}

int64_t
sn_conv_width(const SnConvGeo *o, int npanel)
{
    int64_t lanes = ceil_div(o->oc / o->group, SN_LANE);

    return ceil_div(lanes, ceil_div(lanes, npanel)) * SN_LANE;
}
