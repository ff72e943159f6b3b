// SPDX-License-Identifier: Apache-2.0
/* binary16, a storage format: exact to binary32, rounded to nearest even
 * back.  Payloads of NaNs are kept as far as they fit. */
#include "base/num.h"
#include "graph/graph_priv.h"

float
sn_half_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t e = h >> 10 & 31, m = h & 1023u, bits;

    if (e == 0) /* m * 2^-24, exact */
        bits = sn_bits_f32((float)m * 0x1p-24f);
    else
        bits = (e == 31 ? 255u << 23 : (e + 112) << 23) | m << 13;
    return sn_f32_of_bits(bits | sign);
}

uint16_t
sn_half_from_f32(float v)
{
    uint32_t bits = sn_bits_f32(v), sign, m;

    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) { /* NaN: at least one bit of payload */
        m = bits >> 13 & 1023;
        return (uint16_t)(sign | 0x7c00 | (m ? m : 512));
    }
    if (bits >= 0x477ff000) /* 65520 and more */
        return (uint16_t)(sign | 0x7c00);
    if (bits < 0x38800000) { /* below 2^-14: adding 2^-1 rounds at 2^-24 */
        bits = sn_bits_f32(sn_f32_of_bits(bits) + 0.5f);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | (bits - (112u << 23)) >> 13);
}
