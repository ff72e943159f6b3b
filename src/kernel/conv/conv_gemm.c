// SPDX-License-Identifier: Apache-2.0
/* What plans know about each instruction set, including those of other
 * processors, for which `sinter compile` plans; their tiles are equivalents in
 * C. */
#include <string.h>

#include "kernel/conv/conv_q8.h"

static int
in_order(int i)
{
    return i;
}

/* ---- depthwise filters: w[tap][channel] of a block ---- */

static void
dwpack_portable(const int16_t *w, int64_t ntap, void *to)
{
    memcpy(to, w, (size_t)ntap * SN_LANE * sizeof *w);
}

/* Two taps interleaved. */
static void
dwpack_avx2(const int16_t *w, int64_t ntap, void *to)
{
    int16_t *p = to;

    for (int64_t t = 0; t < ntap; t++)
        for (int i = 0; i < 16; i++)
            p[(t / 2 * 16 + sn_place_avx2(i)) * 2 + t % 2] = w[t * 16 + i];
}

static void
dwpack_vnni(const int16_t *w, int64_t ntap, void *to)
{
    int8_t *p = to;

    for (int64_t t = 0; t < ntap; t++)
        for (int i = 0; i < 64; i++)
            p[(t / 4 * 64 + sn_place_vnni(i)) * 4 + t % 4] =
                (int8_t)w[t * 64 + i];
}

static void
dwpack_neon(const int16_t *w, int64_t ntap, void *to)
{
    int8_t *p = to;

    for (int64_t i = 0; i < ntap * 16; i++)
        p[i] = (int8_t)w[i];
}

/* ---- variants ---- */

static const SnGemm portable = {
    .isa = SN_ISA_PORTABLE,
    .tiles = &sn_tiles_portable,
    .kstep = 1,
    .ntile = 1,
    .rate = 2,
    .least = 1,
    .dwblock = SN_LANE,
    .dwplace = in_order,
    .dwpack = dwpack_portable,
};

static const SnGemm avx2 = {
    .isa = SN_ISA_AVX2,
    .tiles = &sn_tiles_avx2,
    .kstep = 2,
    .ntile = 1,
    .rate = 100,
    .least = 1,
    .dwblock = 16,
    .dwplace = sn_place_avx2,
    .place = sn_place_avx2,
    .dwpack = dwpack_avx2,
};

static const SnGemm neon = {
    .isa = SN_ISA_NEON,
    .tiles = &sn_tiles_neon,
    .kstep = 4,
    .ntile = 1,
    .rate = 100,
    .least = 1,
    .dwblock = 16,
    .dwplace = in_order,
    .dwpack = dwpack_neon,
};

static const SnGemm vnni = {
    .isa = SN_ISA_VNNI,
    .tiles = &sn_tiles_vnni,
#if defined(__x86_64__)
    .flipped = &sn_tiles_vnni_flip,
#endif
    .kstep = 4,
    .ntile = 4,
    .rate = 400,
    .least = 2,
    .dwblock = 64,
    .dwplace = sn_place_vnni,
    .place = sn_place_vnni,
#if defined(__x86_64__)
    .pack16 = sn_conv_pack16_x86,
#endif
    .dwpack = dwpack_vnni,
};

#if defined(__x86_64__)
/* Four taps interleaved. */
static void
dwpack_256(const int16_t *w, int64_t ntap, void *to)
{
    int8_t *p = to;

    for (int64_t t = 0; t < ntap; t++)
        for (int i = 0; i < 16; i++)
            p[(t / 4 * 16 + i) * 4 + t % 4] = (int8_t)w[t * 16 + i];
}

#define OF_256(name, set)             \
    static const SnGemm name = {      \
        .isa = set,                   \
        .tiles = &sn_tiles_##name,    \
        .kstep = 4,                   \
        .ntile = 1,                   \
        .rate = 200,                  \
        .least = 6,                   \
        .dwblock = 16,                \
        .dwplace = in_order,          \
        .pack16 = sn_conv_pack16_x86, \
        .dwpack = dwpack_256,         \
    };
OF_256(avxvnni, SN_ISA_AVXVNNI)
OF_256(vnni256, SN_ISA_VNNI256)
#endif

void sn_register_conv(void);
void
sn_register_conv(void)
{
    sn_variant_add(&sn_conv_variants, SN_ISA_PORTABLE, &portable);
    sn_variant_add(&sn_conv_variants, SN_ISA_AVX2, &avx2);
    sn_variant_add(&sn_conv_variants, SN_ISA_VNNI, &vnni);
    sn_variant_add(&sn_conv_variants, SN_ISA_NEON, &neon);
#if defined(__x86_64__)
    sn_variant_add(&sn_conv_variants, SN_ISA_AVXVNNI, &avxvnni);
    sn_variant_add(&sn_conv_variants, SN_ISA_VNNI256, &vnni256);
#endif
}
