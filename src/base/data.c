// SPDX-License-Identifier: Apache-2.0
#include "base/data.h"

#include <math.h>

/* One line per element type, in the order of SnDtype. */
static const struct {
    const char *name;
    size_t size;
} dtypes[SN_NDTYPE] = {
    {"none", 1}, {"f32", 4}, {"f64", 8},  {"f16", 2}, {"u8", 1},
    {"i8", 1},   {"u16", 2}, {"i16", 2},  {"u32", 4}, {"i32", 4},
    {"u64", 8},  {"i64", 8}, {"bool", 1},
};

size_t
sn_dtype_size(SnDtype t)
{
    return dtypes[t].size;
}

const char *
sn_dtype_name(SnDtype t)
{
    return dtypes[t].name;
}

bool
sn_dtype_real(SnDtype t)
{
    return t == SN_D_F16 || t == SN_D_F32 || t == SN_D_F64;
}

int64_t
sn_dims_count(int rank, const int64_t *dim)
{
    const int64_t limit = INT64_C(1) << 40;
    int64_t n = 1;

    for (int i = 0; i < rank; i++)
        if (dim[i] < 0)
            return -1;
    for (int i = 0; i < rank; i++)
        if (dim[i] == 0)
            return 0;
    for (int i = 0; i < rank; i++) {
        if (dim[i] > (limit - 1) / n)
            return -1;
        n *= dim[i];
    }
    return n;
}

int64_t
sn_data_count(const SnData *t)
{
    return sn_dims_count(t->rank, t->dim);
}

size_t
sn_data_nbyte(const SnData *t)
{
    return (size_t)sn_data_count(t) * dtypes[t->dtype].size;
}

static double
f16_real(uint16_t h)
{
    int e = (h >> 10) & 31;
    double m = h & 1023;
    double v;

    if (e == 31)
        v = m > 0 ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        v = ldexp(m, -24);
    else
        v = ldexp(m + 1024, e - 25);
    return h & 0x8000 ? -v : v;
}

double
sn_data_real(const SnData *t, int64_t i)
{
    const void *p = t->data;

    switch (t->dtype) {
    case SN_D_F32:
        return (double)((const float *)p)[i];
    case SN_D_F64:
        return ((const double *)p)[i];
    case SN_D_F16:
        return f16_real(((const uint16_t *)p)[i]);
    case SN_D_U64:
        return (double)((const uint64_t *)p)[i];
    default:
        return (double)sn_data_int(t, i);
    }
}

static int64_t
truncated(double v)
{
    if (isnan(v))
        return 0;
    if (v >= 9223372036854775807.0)
        return INT64_MAX;
    if (v <= -9223372036854775808.0)
        return INT64_MIN;
    return (int64_t)v;
}

int64_t
sn_data_int(const SnData *t, int64_t i)
{
    const void *p = t->data;

    switch (t->dtype) {
    case SN_D_U8:
    case SN_D_BOOL:
        return ((const uint8_t *)p)[i];
    case SN_D_I8:
        return ((const int8_t *)p)[i];
    case SN_D_U16:
        return ((const uint16_t *)p)[i];
    case SN_D_I16:
        return ((const int16_t *)p)[i];
    case SN_D_U32:
        return ((const uint32_t *)p)[i];
    case SN_D_I32:
        return ((const int32_t *)p)[i];
    case SN_D_I64:
        return ((const int64_t *)p)[i];
    case SN_D_U64: {
        uint64_t u = ((const uint64_t *)p)[i];
        return u > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)u;
    }
    default:
        return truncated(sn_data_real(t, i));
    }
}
