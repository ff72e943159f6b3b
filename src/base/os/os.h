// SPDX-License-Identifier: Apache-2.0
/* Calls that one system has and others lack, each with what replaces it there:
 * nothing else in src, dsl and gen includes headers of one system (make lint).
 * SN_OS_PLAIN compiles the replacements everywhere, for tests. */
#ifndef SN_OS_H
#define SN_OS_H

#ifdef __cplusplus
extern "C" {
#else
#include <stdatomic.h>

/* Sleeps while *at is `value`, until sn_os_wake; may return at any time before.
 * Linux: a futex. */
void sn_os_wait(atomic_uint *at, unsigned value);
/* Wakes all that sleep on *at, which has another value by now. */
void sn_os_wake(atomic_uint *at);
#endif

/* An empty file without a name, in memory: a descriptor that is closed by exec,
 * or -1. */
int sn_os_memory_file(void);

#ifdef __cplusplus
}
#endif

#endif
