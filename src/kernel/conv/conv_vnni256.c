// SPDX-License-Identifier: Apache-2.0
/* The tiles of conv_avxvnni.c in EVEX encoding (AVX-512 VNNI with VL): tests
 * run them on processors with AVX-512 but without AVX-VNNI. */
#include "kernel/conv/conv_q8.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,avx512f,avx512vl,avx512vnni")))
#define DPBUSD(s, u, w) _mm256_dpbusd_epi32(s, u, w)
#define GEMM_TILES sn_tiles_vnni256
#include "kernel/conv/conv_lanes256.inc"

#else
typedef int sn_no_vnni256_t;
#endif
