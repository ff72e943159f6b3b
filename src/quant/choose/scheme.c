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

/* Scale and zero point from the range itself. */
static SnParam
asymmetric(const SnCodeLimits *l, double lo, double hi, double floor)
{
    double exact = (hi - lo) / (l->qhi - l->qlo);
    SnParam p = {scale_of(exact, floor), 0};
    /* From the range itself where that is the scale: [-3, 3] then gives 0,
     * whatever the rounding of the scale. */
    double zp = rint(p.scale == (float)exact
                         ? l->qlo - lo * (l->qhi - l->qlo) / (hi - lo)
                         : l->qlo - lo / (double)p.scale);
    double least = fmax(l->qlo, l->zlo), most = fmin(l->qhi, l->zhi);

    p.zp = (int32_t)fmin(fmax(zp, l->qlo), l->qhi);
    if ((double)p.zp >= least && (double)p.zp <= most && !l->power)
        return p;
    /* another zero point: what lies on the narrower side decides */
    p.zp = (int32_t)fmin(fmax(zp, least), most);
    double up = hi > 0 ? hi / (l->qhi - p.zp) : 0;
    double down = lo < 0 ? lo / (l->qlo - p.zp) : 0;
    p.scale = scale_of(fmax(up, down), floor);
    if (l->power)
        p.scale = scale_of(power_above((double)p.scale), 0);
    return p;
}

SnCodeLimits
sn_code_limits(SnRounding by, SnRole role, SnElem e)
{
    const SnArith *a = sn_arith_at(by);
    const SnArithType *t = &a->pairs.type[role];
    SnCodeLimits l = {(double)sn_elem_lo(e), (double)sn_elem_hi(e),
                      (int32_t)sn_elem_lo(e), (int32_t)sn_elem_hi(e), false};

    if (!a->pairs.some)
        return l;
    l.qlo = fmax(l.qlo, t->lo);
    l.qhi = fmin(l.qhi, t->hi);
    l.zlo = t->zlo > l.zlo ? t->zlo : l.zlo;
    l.zhi = t->zhi < l.zhi ? t->zhi : l.zhi;
    l.power = t->power;
    return l;
}

SnParam
sn_choose_within(SnSchema s, const SnCodeLimits *l, double lo, double hi,
                 double floor)
{
    bool only0 = l->zlo == 0 && l->zhi == 0, has0 = l->zlo <= 0 && l->zhi >= 0;

    if (!(lo < 0))
        lo = 0;
    if (!(hi > 0))
        hi = 0;
    if (has0 && l->power)
        s = SN_POWER_OF_TWO;
    else if (only0 && s != SN_POWER_OF_TWO)
        s = SN_SYMMETRIC;
    if (has0 && (s == SN_SYMMETRIC || s == SN_POWER_OF_TWO ||
                 (s == SN_SYMMETRIC_UINT8 && lo < 0)))
        return symmetric(s, l->qlo, l->qhi, lo, hi, floor);
    return asymmetric(l, lo, hi, floor);
}

SnParam
sn_choose(SnSchema s, SnElem e, double lo, double hi, double floor)
{
    SnCodeLimits l = sn_code_limits(SN_ROUNDING_FLOAT, SN_ROLE_X, e);

    return sn_choose_within(s, &l, lo, hi, floor);
}
