// SPDX-License-Identifier: Apache-2.0
/* What the fuzz targets share.  Each is one fuzz_one, linked with libFuzzer
 * (make fuzz) or with replay.c (make check). */
#ifndef SN_FUZZ_H
#define SN_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/budget.h"
#include "base/diag.h"

void fuzz_one(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* A file with these bytes, for readers that take a path; close *fd after. */
static inline const char *
fuzz_file(SnArena *a, const uint8_t *p, size_t n, int *fd)
{
    *fd = memfd_create("fuzz", 0);
    if (*fd < 0 || write(*fd, p, n) != (ssize_t)n ||
        lseek(*fd, 0, SEEK_SET) != 0)
        return NULL;
    return sn_format(a, "/proc/self/fd/%d", *fd);
}

#endif
