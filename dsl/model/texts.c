// SPDX-License-Identifier: Apache-2.0
/* A hash table of texts (FNV-1a, linear probing). */
#include "dsl/model/texts.h"

#include <string.h>

static uint32_t
place_of(const SnTexts *t, const char *s)
{
    uint32_t h = 2166136261u;

    for (const char *p = s; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    h &= t->cap - 1;
    while (t->v[h] && strcmp(t->v[h], s))
        h = (h + 1) & (t->cap - 1);
    return h;
}

static void
widen(SnTexts *t)
{
    const char **was = t->v;
    uint32_t n = t->cap;

    t->cap = n ? 2 * n : 64;
    t->v = SN_NEW_N(t->a, const char *, t->cap);
    for (uint32_t i = 0; i < n; i++)
        if (was[i])
            t->v[place_of(t, was[i])] = was[i];
}

const char *
sn_texts_one(SnTexts *t, const char *s)
{
    const char **at;

    if (!s)
        return NULL;
    if (2 * (t->n + 1) > t->cap)
        widen(t);
    at = &t->v[place_of(t, s)];
    if (!*at) {
        *at = s;
        t->n++;
    }
    return *at;
}
