// SPDX-License-Identifier: Apache-2.0
/* Measuring time. */
#ifndef SN_CLOCK_H
#define SN_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* A clock that only goes forward, from some time on: nanoseconds, seconds. */
int64_t sn_now_ns(void);
double sn_now(void);

/* Sorts n numbers, none of them NaN, the least first: for medians. */
void sn_sort(double *v, size_t n);

#endif
