// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

int64_t
sn_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double
sn_now(void)
{
    return (double)sn_now_ns() * 1e-9;
}

static int
ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

void
sn_sort(double *v, size_t n)
{
    if (n > 0)
        qsort(v, n, sizeof *v, ascending);
}
