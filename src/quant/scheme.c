#include "quant/scheme.h"

#include <math.h>
#include <stddef.h>

static const char *const schema_names[] = {
    [SN_ASYMMETRIC] = "asymmetric",
    [SN_SYMMETRIC] = "symmetric",
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

SnParam
sn_choose(SnSchema s, SnElem e, double lo, double hi, double floor)
{
    double qlo = (double)sn_elem_lo(e), qhi = (double)sn_elem_hi(e);
    SnParam p = {0};

    if (!(lo < 0))
        lo = 0;
    if (!(hi > 0))
        hi = 0;
    if (s == SN_SYMMETRIC) {
        double up = hi / qhi, down = lo / qlo;
        p.scale = scale_of(up > down ? up : down, floor);
        return p;
    }
    double exact = (hi - lo) / (qhi - qlo);
    p.scale = scale_of(exact, floor);
    /* From the range itself where that is the scale: [-3, 3] then gives 0,
     * whatever the rounding of the scale. */
    double zp = rint(p.scale == (float)exact
                     ? qlo - lo * (qhi - qlo) / (hi - lo)
                     : qlo - lo / (double)p.scale);
    p.zp = (int32_t)(zp < qlo ? qlo : zp > qhi ? qhi : zp);
    return p;
}
