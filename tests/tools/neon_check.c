// SPDX-License-Identifier: Apache-2.0
/* The NEON tiles against the portable ones, bit for bit, over geometries and
 * values that are drawn: convolutions, depthwise and grouped ones, products.
 * Built for aarch64 and run by tests/long/neon.sh.  Usage: neon_check COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/conv/conv_q8.h"

static uint32_t seed = 1;

static uint32_t
rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static int64_t
from(int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rnd() % (uint32_t)(hi - lo + 1));
}

/* Codes, the extremes more often. */
static int8_t *
codes(SnArena *a, int64_t n)
{
    int8_t *v = SN_NEW_N(a, int8_t, n + 1);

    for (int64_t i = 0; i < n; i++) {
        uint32_t r = rnd();
        v[i] = r % 8 == 0 ? -128 : r % 8 == 1 ? 127 : (int8_t)(r >> 8);
    }
    return v;
}

static SnConvGeo
draw_geo(int i)
{
    SnConvGeo o = {.n = from(1, 2),
                   .h = from(1, 12),
                   .w = from(1, 12),
                   .kh = from(1, 5),
                   .kw = from(1, 5),
                   .sh = from(1, 3),
                   .sw = from(1, 3),
                   .dh = from(1, 2),
                   .dw = from(1, 2),
                   .pt = from(0, 3),
                   .pl = from(0, 3)};

    o.group = i % 3 == 0 ? 1 : from(1, 40);
    int64_t each = from(1, o.group == 1 ? 70 : 3);
    o.c = o.group * each;
    o.oc = i % 3 == 1 ? o.c : o.group * from(1, o.group == 1 ? 70 : 20);
    if (i % 3 == 1) { /* depthwise */
        o.c = o.oc = o.group;
    }
    if (i % 9 == 0)
        o.kh = o.kw = 1;
    o.oh = (o.h + 2 * o.pt - (o.kh - 1) * o.dh - 1) / o.sh + 1;
    o.ow = (o.w + 2 * o.pl - (o.kw - 1) * o.dw - 1) / o.sw + 1;
    return o;
}

static SnConvNum
draw_num(SnArena *a, const SnConvGeo *o)
{
    int32_t *bias = SN_NEW_N(a, int32_t, o->oc), *wz;
    float *mul = SN_NEW_N(a, float, o->oc);
    SnConvNum n = {.xz = (int32_t)from(-128, 127),
                   .yz = (int32_t)from(-128, 127),
                   .lo = -128,
                   .hi = 127,
                   .mul = mul,
                   .nmul = (uint32_t)o->oc,
                   .nwz = (uint32_t)o->oc,
                   .bias = bias};

    wz = SN_NEW_N(a, int32_t, o->oc);
    for (int64_t i = 0; i < o->oc; i++) {
        bias[i] = (int32_t)rnd() >> 18;
        mul[i] = (float)from(1, 1000) * 0x1p-18f;
        wz[i] = rnd() % 2 ? 0 : (int32_t)from(-128, 127);
    }
    if (rnd() % 2)
        memset(wz, 0, (size_t)o->oc * sizeof *wz);
    if (rnd() % 3 == 0)
        n.lo = n.yz;
    n.wz = wz;
    return n;
}

/* Plain sums, x.zp of the run. */
static bool
same_sums(SnArena *a, const SnConvGeo *o, SnConvNum num, const int8_t *x,
          const int8_t *w)
{
    int64_t ny = o->n * o->oh * o->ow * o->oc;
    int32_t *y[2];

    num.sums = true;
    num.bias = NULL;
    for (int k = 0; k < 2; k++) {
        const SnConvQ8 *p =
            sn_conv_q8_plan(a, k ? SN_ISA_NEON : SN_ISA_PORTABLE, o, &num, w);
        y[k] = SN_NEW_N(a, int32_t, ny);
        sn_conv_q8_sums(p, x, num.xz, y[k], o->oc,
                        sn_alloc(a, sn_conv_q8_work(p) + 64), 0,
                        sn_conv_q8_units(p));
    }
    return !memcmp(y[0], y[1], (size_t)ny * sizeof *y[0]);
}

static bool
same(int i)
{
    SnArena *a = sn_arena_new();
    SnConvGeo o = draw_geo(i);
    bool ok = true;

    if (o.oh > 0 && o.ow > 0) {
        SnConvNum num = draw_num(a, &o);
        int64_t nx = o.n * o.h * o.w * o.c, ny = o.n * o.oh * o.ow * o.oc;
        const int8_t *x = codes(a, nx);
        const int8_t *w = codes(a, o.oc * o.kh * o.kw * o.c / o.group);
        int8_t *y[2];
        for (int k = 0; k < 2; k++) {
            const SnConvQ8 *p = sn_conv_q8_plan(
                a, k ? SN_ISA_NEON : SN_ISA_PORTABLE, &o, &num, w);
            y[k] = SN_NEW_N(a, int8_t, ny);
            sn_conv_q8_run(p, x, y[k], o.oc,
                           sn_alloc(a, sn_conv_q8_work(p) + 64), 0,
                           sn_conv_q8_units(p));
        }
        ok = !memcmp(y[0], y[1], (size_t)ny) && same_sums(a, &o, num, x, w);
    }
    sn_arena_free(a);
    return ok;
}

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, bad = 0;

    if (!sn_isa_have(SN_ISA_NEON)) {
        fputs("this processor has no NEON dot product\n", stderr);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        uint32_t s = seed;
        if (same(i))
            continue;
        printf("not ok neon %d (seed %u)\n", i, s);
        bad++;
    }
    printf("%d passed, %d failed\n", n - bad, bad);
    return bad > 0;
}
