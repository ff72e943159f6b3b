// SPDX-License-Identifier: Apache-2.0
#include "quant/choose/scheme.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const schema_names[] = {
    [SN_ASYMMETRIC] = "asymmetric",
    [SN_SYMMETRIC] = "symmetric",
    [SN_SYMMETRIC_UINT8] = "symmetric-uint8",
    [SN_POWER_OF_TWO] = "power-of-two",
    [SN_NSCHEMA] = NULL,
};

const char *
sn_schema_name(SnSchema s)
{
    return schema_names[s];
}

const char *const *
sn_schema_names(void)
{
    return schema_names;
}

bool
sn_schema_named(const char *name, SnSchema *out)
{
    static const struct {
        const char *name;
        SnSchema s;
    } alias[] = {
        {"symmetric_with_uint8", SN_SYMMETRIC_UINT8},
        {"symmetric_with_power2_scale", SN_POWER_OF_TWO},
    };

    for (unsigned i = 0; i < SN_NSCHEMA; i++)
        if (!strcmp(schema_names[i], name)) {
            *out = (SnSchema)i;
            return true;
        }
    for (unsigned i = 0; i < sizeof alias / sizeof *alias; i++)
        if (!strcmp(alias[i].name, name)) {
            *out = alias[i].s;
            return true;
        }
    return false;
}

SnSchema
sn_schema_of_slices(SnSchema s)
{
    return s == SN_POWER_OF_TWO ? s : SN_SYMMETRIC;
}

/* The least binary32 that is not below x, within the bounds of scales. */
static float
scale_of(double x, double floor)
{
    if (x < floor)
        x = floor;
    if (!(x > (double)SN_SCALE_LEAST))
        return SN_SCALE_LEAST;
    if (x > (double)SN_SCALE_MOST)
        return SN_SCALE_MOST;
    return (float)x;
}

/* 2^k >= x > 2^(k - 1). */
static double
power_above(double x)
{
    int k;
    double m = frexp(x, &k); /* x = m * 2^k, 0.5 <= m < 1 */

    return ldexp(1.0, m == 0.5 ? k - 1 : k);
}

static SnParam
symmetric(SnSchema s, double qlo, double qhi, double lo, double hi,
          double floor)
{
    double up = hi / qhi, down = lo / qlo;
    double x = up > down ? up : down;
    SnParam p = {scale_of(x, floor), 0};

    if (s == SN_POWER_OF_TWO)
        p.scale = scale_of(power_above((double)p.scale), 0);
    return p;
}

SnParam
sn_choose(SnSchema s, SnElem e, double lo, double hi, double floor)
{
    double qlo = (double)sn_elem_lo(e), qhi = (double)sn_elem_hi(e);
    SnParam p = {0};

    if (!(lo < 0))
        lo = 0;
    if (!(hi > 0))
        hi = 0;
    if (s == SN_SYMMETRIC || s == SN_POWER_OF_TWO ||
        (s == SN_SYMMETRIC_UINT8 && lo < 0))
        return symmetric(s, qlo, qhi, lo, hi, floor);
    double exact = (hi - lo) / (qhi - qlo);
    p.scale = scale_of(exact, floor);
    /* From the range itself where that is the scale: [-3, 3] then gives 0,
     * whatever the rounding of the scale. */
    double zp =
        rint(p.scale == (float)exact ? qlo - lo * (qhi - qlo) / (hi - lo)
                                     : qlo - lo / (double)p.scale);
    p.zp = (int32_t)(zp < qlo ? qlo : zp > qhi ? qhi : zp);
    return p;
}
