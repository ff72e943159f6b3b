// SPDX-License-Identifier: Apache-2.0
/* Which instruction set the kernels use.  Chosen once by querying the
 * processor; the environment variable SINTER_CPU (portable, avx2, avxvnni,
 * vnni256, vnni, neon) selects a lower one, as tests do: the best that the
 * processor has up to that.  Every choice gives the same bits. */
#ifndef SN_ISA_H
#define SN_ISA_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnIsa {
    SN_ISA_PORTABLE,
    SN_ISA_AVX2,    /* with FMA */
    SN_ISA_AVXVNNI, /* the same and AVX-VNNI: only int8 products differ */
    SN_ISA_VNNI256, /* the same instructions as AVX-512 encodes them */
    SN_ISA_VNNI,    /* AVX-512 F, BW, DQ, VL and VNNI */
    SN_ISA_NEON,    /* with the dot product; only int8 products */
    SN_NISA
} SnIsa;

SnIsa sn_isa(void);
/* The best that the processor has, whatever SINTER_CPU says. */
SnIsa sn_isa_best(void);
/* Kernels prepared from now on use `isa`; false when this processor does not
 * have it. */
bool sn_isa_set(SnIsa isa);
bool sn_isa_have(SnIsa isa);
const char *sn_isa_name(SnIsa isa);
/* False when none has that name. */
bool sn_isa_named(const char *name, SnIsa *out);

#ifdef __cplusplus
}
#endif

#endif
