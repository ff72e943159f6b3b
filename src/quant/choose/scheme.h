// SPDX-License-Identifier: Apache-2.0
/* From a range of reals to the scale and zero point of a quantized type
 * (numerics.md, "Ranges").  The range is first widened to contain 0. */
#ifndef SN_SCHEME_H
#define SN_SCHEME_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnSchema {
    SN_ASYMMETRIC,      /* the range fills the codes; any zero point */
    SN_SYMMETRIC,       /* zero point 0; the wider side decides */
    SN_SYMMETRIC_UINT8, /* as symmetric, but a range without negative reals
                           gets the lowest code as zero point, so that all
                           codes serve it */
    SN_POWER_OF_TWO,    /* symmetric, the scale rounded up to 2^k */
    SN_NSCHEMA
} SnSchema;

const char *sn_schema_name(SnSchema s);
const char *const *sn_schema_names(void); /* NULL-terminated */
/* Also by the closest peer's names (symmetric_with_uint8,
 * symmetric_with_power2_scale); false for an unknown one. */
bool sn_schema_named(const char *name, SnSchema *out);
/* What scheme s means for weights with one scale per slice, which have zero
 * point 0. */
SnSchema sn_schema_of_slices(SnSchema s);

typedef struct SnParam {
    float scale;
    int32_t zp;
} SnParam;

/* Smallest and largest scale ever chosen.  Products of two, and ratios of
 * such a product with one, stay inside the bounds of types, [2^-100, 2^100]:
 * that is what a range of [0, 0], which any scale would fit, gets. */
#define SN_SCALE_LEAST 0x1p-50f
#define SN_SCALE_MOST 0x1p+50f

/* Parameters with which every real of [lo, hi] has a code; scale is at least
 * floor (0: no floor). */
SnParam sn_choose(SnSchema s, SnElem e, double lo, double hi, double floor);

/* What a machine's types are like. */
typedef struct SnCodeLimits {
    double qlo, qhi;  /* codes */
    int32_t zlo, zhi; /* zero points, some of which is a code */
    bool power;       /* scales are powers of two */
} SnCodeLimits;
/* Those of an arithmetic; of float, what storage holds. */
SnCodeLimits sn_code_limits(SnRounding by, SnRole role, SnElem e);
/* As sn_choose, within these limits, which go before the scheme. */
SnParam sn_choose_within(SnSchema s, const SnCodeLimits *l, double lo,
                         double hi, double floor);

#ifdef __cplusplus
}
#endif

#endif
