// SPDX-License-Identifier: Apache-2.0
/* erf of many reals at a time: an approximation in binary32 of known error
 * (erf_near.inc).  Where all values within its error round alike, so does
 * sn_erf, which is one of them; elsewhere one in binary64 is asked in the same
 * way, and where that does not tell, about once in 2^16, sn_erff itself.  So
 * the variants need not have the same intermediate results. */
#include "kernel/each/erf_f32.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/fmath.h"

/* erf(x)/x = 2/sqrt(pi) * sum (-1)^n x^2n / (n! (2n + 1)), expanded about the
 * middles with 90 decimal digits, and rounded.  The truncated terms are less
 * than 2^-44 of the whole. */
const double sn_erf_terms[SN_ERF_TERMS][SN_ERF_INTERVALS] = {
    {0x1.1f5e1a35c3b89p+0, 0x1.13e08c7a16a26p+0, 0x1.fe8f1614e4ebbp-1,
     0x1.cacbc181f7fbdp-1, 0x1.9450bb1ec6057p-1, 0x1.611065fc93172p-1,
     0x1.3448f8704c35dp-1, 0x1.0ee12190b194ap-1, 0x1.e09a79ee7db91p-2,
     0x1.aed200cd67bebp-2, 0x1.8603df090937fp-2, 0x1.64282886fef72p-2,
     0x1.47ad3ff3018a1p-2, 0x1.2f6827c1b08c7p-2, 0x1.1a7b909ae7a4ap-2,
     0x1.08420fc7a4912p-2},
    {-0x1.7d900b9e8e99dp-4, -0x1.09ac3c1b2b12ep-2, -0x1.7edef5d89a39p-2,
     -0x1.b293239599bcep-2, -0x1.ad1533f367888p-2, -0x1.82ad1810b6ca1p-2,
     -0x1.48b7c44d5257ep-2, -0x1.0e9e17d6132b9p-2, -0x1.b87061646fb5ep-3,
     -0x1.675759c9fb4b1p-3, -0x1.284241dbd5d39p-3, -0x1.ef1beecc9bf68p-4,
     -0x1.a35763ed2ef1bp-4, -0x1.6793ed0a040bcp-4, -0x1.37b3d82995263p-4,
     -0x1.10c83ad00a3f2p-4},
    {-0x1.766bd13cfd39fp-2, -0x1.276ba5c062301p-2, -0x1.5275c582e5642p-3,
     -0x1.4574d9b084d42p-5, 0x1.bbf4930fce5c5p-5, 0x1.ab151a79685fp-4,
     0x1.df8987f77664fp-4, 0x1.b7e9ea2ad6b21p-4, 0x1.6bfb99623df53p-4,
     0x1.1e314dd8ef1efp-4, 0x1.ba09e2a359a41p-5, 0x1.560bd27a00b08p-5,
     0x1.0bd914bd58695p-5, 0x1.a9f5181df9bf6p-6, 0x1.57e94aec0277dp-6,
     0x1.199374fd5811dp-6},
    {0x1.c5a8e00e81a1fp-5, 0x1.24d6bbb463bb7p-3, 0x1.671c4f2a788dcp-3,
     0x1.367b5cb82fdebp-3, 0x1.8a284b28503d9p-4, 0x1.3fc0da03d32b6p-5,
     -0x1.685f0e5ab0786p-10, -0x1.5d2c619010572p-6, -0x1.ae6bfd18b4b7p-6,
     -0x1.8349c312caaa4p-6, -0x1.3244824951e7ap-6, -0x1.cac3dca96ce8p-7,
     -0x1.52a6a0f70f6a3p-7, -0x1.f70a65d7c8956p-8, -0x1.7b2696397c885p-8,
     -0x1.229a7defb9p-8},
    {0x1.b4c1668cf8711p-4, 0x1.01ba55d898eabp-4, 0x1.d2c7941d7c4ecp-10,
     -0x1.6f0e9906a23d2p-5, -0x1.f10767cbe6962p-5, -0x1.9e43d4cd672d8p-5,
     -0x1.e76d97559f915p-6, -0x1.6e17e72399779p-7, -0x1.6324980f486f7p-15,
     0x1.21e01ef799cc8p-8, 0x1.4b850d128a56bp-8, 0x1.143ef76df49b8p-8,
     0x1.9a16385abb32dp-9, 0x1.2496775d6414ap-9, 0x1.a01e86c673ec9p-10,
     0x1.2b9392934e22ep-10},
    {-0x1.40e089dcc6392p-6, -0x1.7d1fdd6e0047bp-5, -0x1.7ea6ec34a9aa8p-5,
     -0x1.a399dc43bdf64p-6, -0x1.2f7c086ca8ba4p-11, 0x1.dbc14cd466c92p-7,
     0x1.166e31febde5dp-6, 0x1.8b92ad96ba825p-7, 0x1.82ac17a790644p-8,
     0x1.b23f6f0bd777ep-10, -0x1.4fd3da63d8d19p-12, -0x1.c8407f1746cf5p-11,
     -0x1.ac1cef18df26ep-11, -0x1.41544bb9eacc3p-11, -0x1.bfb6a751cc3d1p-12,
     -0x1.3304d6622f9d6p-12},
    {-0x1.9370e5fc901d8p-6, -0x1.390f03faf4454p-7, 0x1.1950242749aadp-7,
     0x1.1d69638728899p-6, 0x1.d5674415f910bp-7, 0x1.6c40e51d83ccp-8,
     -0x1.a015dea13714bp-10, -0x1.167532813925bp-8, -0x1.dc45f3ee009fdp-9,
     -0x1.0747f2075666fp-9, -0x1.80ca49da92aacp-11, -0x1.89abc4c750b8cp-14,
     0x1.e8e1d6df3fd82p-14, 0x1.21dc0104b1681p-13, 0x1.c04aa2881ea72p-14,
     0x1.3328860d0be83p-14},
    {0x1.496af07f795f4p-8, 0x1.65d150987ef34p-7, 0x1.172f26556278fp-7,
     0x1.60322573efb17p-10, -0x1.12da4dea845bap-8, -0x1.4c8c39d9e4776p-8,
     -0x1.72cb5a3798e84p-9, -0x1.7bfc014e0be6p-12, 0x1.b352fce8dfdafp-11,
     0x1.d6a2001fbccc2p-11, 0x1.1a935fd390eabp-11, 0x1.c606dfe657369p-13,
     0x1.9271ed3e37441p-15, -0x1.6635219893728p-17, -0x1.5cd01d8c3332ap-16,
     -0x1.1a4949a0b1528p-16},
    {0x1.2fe95c63b8b01p-8, 0x1.cc3b94e0a791cp-11, -0x1.80966d7a69623p-9,
     -0x1.ddcd1f63bcd88p-9, -0x1.ac21a4bb0e386p-10, 0x1.3616f7b3964f3p-11,
     0x1.6b5b87f9d4818p-10, 0x1.f5539142f6a02p-11, 0x1.10e440814cfc7p-12,
     -0x1.0c09a6a3b6204p-13, -0x1.92e9d06d2f3f6p-13, -0x1.00d7427d56106p-13,
     -0x1.ab7416828ab8cp-15, -0x1.b72626500c7c3p-17, 0x1.9fb52d061670cp-23,
     0x1.7c316971bf0a6p-19},
    {-0x1.0ac4e7e50e646p-10, -0x1.0777450442abdp-9, -0x1.2542b80ab8e9cp-10,
     0x1.d1889e34c30fbp-12, 0x1.28a164db8a223p-10, 0x1.782369c331499p-11,
     0x1.fbac6aef3795cp-17, -0x1.4c28e2bbf864ep-12, -0x1.0f6925cba7108p-12,
     -0x1.725daaa9a1651p-14, 0x1.f9375ac50cd21p-17, 0x1.3640eea8a9618p-15,
     0x1.9a3517c025763p-16, 0x1.5589a37ffd59ep-17, 0x1.6d21a7a7ba523p-19,
     0x1.63c9c01c9039p-23},
    {-0x1.80e28d499f51ap-11, 0x1.5d2ad8efab89fp-19, 0x1.424e37528c415p-11,
     0x1.1024915d51fd2p-11, 0x1.43cafc0a1f921p-16, -0x1.2c56d6b4ce9e2p-12,
     -0x1.deefcbabd9e7ap-13, -0x1.4852191e91141p-15, 0x1.0c90b60bb5e7fp-14,
     0x1.f91c64f96fc06p-15, 0x1.787226504e912p-16, -0x1.4fdaa7a01aabap-20,
     -0x1.b9e1bc508cb99p-18, -0x1.25ee1053bda5bp-18, -0x1.dcd18bd3df4fp-20,
     -0x1.f7f4626a8adeep-22},
};

SnVariants sn_erf_f32_variants;

static const SnErfF32 *
variant(SnIsa isa)
{
    return sn_variant(&sn_erf_f32_variants, isa);
}

static void
erf_each(const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = sn_erff(x[i]);
}

void
sn_erff_run(SnIsa isa, const float *x, int64_t n, float *y)
{
    const SnErfF32 *v = variant(isa);

    (v ? v->erf : erf_each)(x, n, y);
}

static void
gelu(const SnGeluF32 *p, const float *x, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++) {
        float a = p->divides ? x[i] / SN_GELU_ROOT : x[i] * SN_GELU_FACTOR;
        float e = 1 + sn_erff(a);
        y[i] = p->early ? x[i] * 0.5f * e : x[i] * e * 0.5f;
    }
}

void
sn_geluf_run(SnIsa isa, const SnGeluF32 *p, const float *x, int64_t n, float *y)
{
    const SnErfF32 *v = variant(isa);

    (v ? v->gelu : gelu)(p, x, n, y);
}

/* ---- rows to variance 1 ---- */

static void
moments(bool centred, const float *x, int64_t n, float *mean, float *var)
{
    float s = 0, q = 0;

    for (int64_t i = 0; centred && i < n; i++)
        s += x[i];
    s /= (float)n;
    for (int64_t i = 0; i < n; i++)
        q += (x[i] - s) * (x[i] - s);
    *mean = s;
    *var = q / (float)n;
}

void
sn_standardf_run(SnIsa isa, bool centred, float eps, const float *x,
                 int64_t nrow, int64_t n, float *y)
{
    const SnErfF32 *v = variant(isa);

    while (nrow > 0) {
        float mean[SN_STANDARD_ROWS], var[SN_STANDARD_ROWS];
        bool many = v && nrow >= SN_STANDARD_ROWS && n <= SN_STANDARD_LONGEST;
        int64_t m = many ? SN_STANDARD_ROWS : 1;
        if (many)
            v->moments(centred, x, n, mean, var);
        else
            moments(centred, x, n, mean, var);
        for (int64_t r = 0; r < m; r++, x += n, y += n) {
            float dev = sn_sqrtf(var[r] + eps);
            for (int64_t i = 0; v == NULL && i < n; i++)
                y[i] = (x[i] - mean[r]) / dev;
            if (v)
                v->scale(x, n, mean[r], dev, y);
        }
        nrow -= m;
    }
}
