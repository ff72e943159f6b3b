// SPDX-License-Identifier: Apache-2.0
/* The tiles of conv_avxvnni.c in EVEX encoding (AVX-512 VNNI with VL): what
 * tests run where there is AVX-512 but no AVX-VNNI. */
#include "kernel/conv/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,avx512f,avx512vl,avx512vnni")))
#define DPBUSD(s, u, w) _mm256_dpbusd_epi32(s, u, w)
#define GEMM_ISA SN_ISA_VNNI256
#include "kernel/conv/conv_lanes256.inc"

void sn_register_conv_vnni256(void);
void
sn_register_conv_vnni256(void)
{
    sn_variant_add(&sn_conv_variants, SN_ISA_VNNI256, &table);
}

#else

void sn_register_conv_vnni256(void);
void
sn_register_conv_vnni256(void)
{
}

#endif
