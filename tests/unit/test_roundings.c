// SPDX-License-Identifier: Apache-2.0
/* The roundings that the report counts (docs/proofs.md, "Rules over the reals")
 * against formulas written here once more: in float, on random operands, both
 * sides of a rule differ by no more than count * 2^-24 of the sum of
 * magnitudes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { TAPS = 40, NDRAW = 20000 };

/* Both sides, and the largest value on the way. */
typedef struct Sides {
    float left, right;
    double most;
} Sides;

static uint64_t state = 1;

/* In [-4, 4), of few bits more often than not, so that sums cancel. */
static float
draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1;
    int32_t v = (int32_t)(state >> 40) - (1 << 23);

    return state >> 33 & 1 ? (float)(v >> 16) / 32 : (float)v / (1 << 21);
}

static float
sum(const float *x, const float *w, int n, float from)
{
    for (int i = 0; i < n; i++)
        from = fmaf(x[i], w[i], from);
    return from;
}

static double
magnitudes(const float *x, const float *w, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += fabs((double)x[i] * (double)w[i]);
    return s;
}

static void
draw_all(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = draw();
}

/* FullyConnected(x, w, b) => Add(MatMul(x, w), b) */
static Sides
fully_connected(int n)
{
    float x[TAPS], w[TAPS], b = draw();

    draw_all(x, n);
    draw_all(w, n);
    return (Sides){sum(x, w, n, b), sum(x, w, n, 0) + b,
                   magnitudes(x, w, n) + fabs((double)b)};
}

/* Add(MatMul(Add(Mul(x, g), h), w), b) => Add(MatMul(x, w * g), b + h w) */
static Sides
shift_into_product(int n)
{
    float x[TAPS], w[TAPS], g[TAPS], h[TAPS], t[TAPS], v[TAPS], b = draw();
    double most = fabs((double)b);

    draw_all(x, n);
    draw_all(w, n);
    draw_all(g, n);
    draw_all(h, n);
    for (int i = 0; i < n; i++) {
        t[i] = x[i] * g[i];
        t[i] = t[i] + h[i];
        v[i] = w[i] * g[i];
        most += (fabs((double)x[i] * (double)g[i]) + fabs((double)h[i])) *
                fabs((double)w[i]);
    }
    float moved = b + sum(h, w, n, 0);
    return (Sides){sum(t, w, n, 0) + b, sum(x, v, n, 0) + moved, most};
}

/* BatchNormalization: gamma (x - mean) / sqrt(var + eps) + beta, by a factor.
 */
static Sides
batch_norm(int n)
{
    float x = draw(), gamma = draw(), beta = draw(), mean = draw();
    float var = fabsf(draw()) + (float)n / 8, eps = 1e-5f;
    float dev = sqrtf(var + eps), f = gamma / dev;
    float centred = x - mean, left = centred * gamma;
    float scaled = x * f, shift = mean * f;
    double most = (fabs((double)x) + fabs((double)mean)) * fabs((double)f) +
                  fabs((double)beta);

    left = left / dev;
    left = left + beta;
    shift = beta - shift;
    return (Sides){left, scaled + shift, most};
}

/* x sigmoid(x) => x / (1 + exp(-x)) */
static Sides
raise_silu(int n)
{
    float x = draw() * (float)(n % 5), e = (float)sn_exp((double)(0 - x));
    float one = 1 + e, s = 1 / one, left = x * s, right = x / one;

    return (Sides){left, right, fabs((double)left) * (1 + fabs((double)x))};
}

static const struct {
    const char *name;
    Sides (*of)(int n);
} rules[] = {{"fully_connected", fully_connected},
             {"shift_into_product", shift_into_product},
             {"batch_norm", batch_norm},
             {"raise_silu", raise_silu}};

/* "A + B a tap on the left, C on the right" of a rule's line of the report. */
static double
counted(FILE *f, const char *name, double taps)
{
    char line[1024];
    double n = 0;
    size_t len = strlen(name);

    rewind(f);
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "roundings: ");
        if (strncmp(line, name, len) || line[len] != ' ' || !at)
            continue;
        at += strlen("roundings: ");
        for (int side = 0; side < 2; side++) {
            char *end;
            n += strtod(at, &end);
            if (!strncmp(end, " + ", 3)) {
                n += strtod(end + 3, &end) * taps;
                assert_int_equal(strncmp(end, " a tap", 6), 0);
            }
            at = strstr(end, ", ") + 2;
        }
        return n;
    }
    print_message("no line of '%s' in the report\n", name);
    return -1;
}

static void
within(void **st)
{
    const char *build = getenv("BUILD");
    char path[512];

    (void)st;
    snprintf(path, sizeof path, "%s/gen/proofs.txt", build ? build : "build");
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        double fixed = counted(f, rules[i].name, 0), used = 0;
        double tap = counted(f, rules[i].name, 1) - fixed;
        assert_true(fixed > 0);
        for (int k = 0; k < NDRAW; k++) {
            int n = 1 + k % TAPS;
            Sides s = rules[i].of(n);
            double d = fabs((double)s.left - (double)s.right);
            double most = (fixed + tap * n) * 0x1p-24 * s.most;
            used = fmax(used, d > 0 ? d / most : 0);
        }
        print_message("%s: %.2g of the bound used\n", rules[i].name, used);
        assert_true(used > 0.01 && used <= 1);
    }
    fclose(f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
