// SPDX-License-Identifier: Apache-2.0
/* The arena and the diagnostics of a test program, new for each of its tests:
 * give arena_setup and arena_teardown to cmocka. */
#ifndef SN_TEST_ARENA_H
#define SN_TEST_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/diag.h"

static SnArena *a;
static SnDiag *d;

static inline int
setup(void **state)
{
    (void)state;
    a = sn_arena_new();
    d = sn_diag_new(a);
    return 0;
}

static inline int
teardown(void **state)
{
    (void)state;
    sn_arena_free(a);
    return 0;
}

#endif
