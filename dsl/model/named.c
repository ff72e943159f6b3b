// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/named.h"

#include <string.h>

uint32_t
sn_name_at(const char *const *v, uint32_t n, const char *s)
{
    uint32_t i = 0;

    while (i < n && strcmp(v[i], s))
        i++;
    return i;
}

uint32_t
sn_named_at(const void *v, uint32_t n, const char *name)
{
    const char *const *const *p = v;
    uint32_t i = 0;

    while (i < n && strcmp(*p[i], name))
        i++;
    return i;
}
