// SPDX-License-Identifier: Apache-2.0
/* Tiles for AVX-VNNI: 256-bit vpdpbusd in VEX encoding, for processors that
 * have it without AVX-512. */
#include "kernel/conv/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,avxvnni")))
#define DPBUSD(s, u, w) _mm256_dpbusd_avx_epi32(s, u, w)
#define GEMM_TILES sn_tiles_avxvnni
#include "kernel/conv/conv_lanes256.inc"

#else
typedef int sn_no_avxvnni_t;
#endif
