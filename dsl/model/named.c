// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/named.h"

#include <string.h>

/* Lists are searched from end to end: few names begin alike. */
static bool
same(const char *a, const char *b)
{
    return *a == *b && !strcmp(a, b);
}

uint32_t
sn_name_at(const char *const *v, uint32_t n, const char *s)
{
    uint32_t i = 0;

    while (i < n && !same(v[i], s))
        i++;
    return i;
}

uint32_t
sn_named_at(const void *v, uint32_t n, const char *name)
{
    const char *const *const *p = v;
    uint32_t i = 0;

    while (i < n && !same(*p[i], name))
        i++;
    return i;
}

void *
sn_named(const void *v, uint32_t n, const char *name)
{
    void *const *p = v;
    uint32_t i = name ? sn_named_at(v, n, name) : n;

    return i < n ? p[i] : NULL;
}

uint32_t
sn_entry_at(const void *v, uint32_t n, size_t size, const char *name)
{
    const char *p = v;
    uint32_t i = 0;

    while (i < n &&
           !same(*(const char *const *)(const void *)(p + i * size), name))
        i++;
    return i;
}

bool
sn_name_same(const char *a, const char *b)
{
    return a == b || (a && b && same(a, b));
}

bool
sn_names_equal(const char *const *a, const char *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (sn_name_at(&a[i], 1, b[i]))
            return false;
    return true;
}
