// SPDX-License-Identifier: Apache-2.0
/* Tells the address sanitizer which memory must not be touched until it is
 * opened again; does nothing in a build without it. */
#ifndef SN_SHADOW_H
#define SN_SHADOW_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SN_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SN_SHADOW 1
#endif
#endif

#ifdef SN_SHADOW
#include <sanitizer/asan_interface.h>
/* A function that may touch such memory; it calls no checked function. */
#define SN_UNCHECKED __attribute__((no_sanitize_address, noinline))
#else
#define SN_UNCHECKED
#endif

static inline void
sn_shadow_close(const void *p, size_t n)
{
#ifdef SN_SHADOW
    __asan_poison_memory_region(p, n);
#else
    (void)p;
    (void)n;
#endif
}

static inline void
sn_shadow_open(const void *p, size_t n)
{
#ifdef SN_SHADOW
    __asan_unpoison_memory_region(p, n);
#else
    (void)p;
    (void)n;
#endif
}

#endif
