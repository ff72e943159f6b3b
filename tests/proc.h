// SPDX-License-Identifier: Apache-2.0
/* What the system says of this process. */
#ifndef SN_TEST_PROC_H
#define SN_TEST_PROC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of /proc/self/status that starts with `what` ("VmRSS:"), in KiB; -1
 * where there is none. */
static inline long
status_kib(const char *what)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long v = -1;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, what, strlen(what)))
            v = atol(line + strlen(what));
    if (f)
        fclose(f);
    return v;
}

#endif
