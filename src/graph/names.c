// SPDX-License-Identifier: Apache-2.0
/* The set of names of a graph.  A slot once filled stays, so that the suffix
 * counter of a name survives its node. */
#include "graph/graph_priv.h"

#include <string.h>
#include <xxhash.h>

SnNames *
sn_names_new(SnArena *a)
{
    SnNames *m = SN_NEW(a, SnNames);

    m->a = a;
    m->cap = 64;
    m->slot = SN_NEW_N(a, SnNameSlot, m->cap);
    return m;
}

static SnNameSlot *
slot_of(const SnNames *m, const char *name, size_t n, uint64_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);

    for (; m->slot[i].name; i = (i + 1) & (m->cap - 1))
        if (m->slot[i].hash == hash && !strncmp(m->slot[i].name, name, n) &&
            m->slot[i].name[n] == '\0')
            break;
    return &m->slot[i];
}

static SnNameSlot *
lookup(const SnNames *m, const char *name, size_t n)
{
    return slot_of(m, name, n, XXH64(name, n, 0));
}

static void
grow(SnNames *m)
{
    SnNameSlot *old = m->slot;
    size_t cap = m->cap;

    m->cap *= 2;
    m->slot = SN_NEW_N(m->a, SnNameSlot, m->cap);
    for (size_t i = 0; i < cap; i++)
        if (old[i].name)
            *slot_of(m, old[i].name, strlen(old[i].name), old[i].hash) = old[i];
}

SnRef
sn_names_find(const SnNames *m, const char *name)
{
    return lookup(m, name, strlen(name))->ref;
}

const char *
sn_names_put(SnNames *m, const char *name, SnRef ref)
{
    size_t n = strlen(name);

    if (2 * (m->n + 1) > m->cap)
        grow(m);
    SnNameSlot *s = lookup(m, name, n);
    if (!s->name) {
        s->hash = XXH64(name, n, 0);
        s->name = sn_strdup(m->a, name);
        s->next = 1;
        m->n++;
    }
    s->ref = ref;
    return s->name;
}

/* The number k of a name that ends in ".k", as sn_names_unique writes it, and
 * the length of what stands before; 0 for other names. */
static uint32_t
suffix(const char *name, size_t *base)
{
    size_t n = strlen(name), i = n;
    uint32_t k = 0;

    while (i > 0 && name[i - 1] >= '0' && name[i - 1] <= '9')
        i--;
    if (i == n || n - i > 9 || i < 2 || name[i - 1] != '.' || name[i] == '0')
        return 0;
    *base = i - 1;
    for (; i < n; i++)
        k = 10 * k + (uint32_t)(name[i] - '0');
    return k;
}

/* ---- suffixes given back: the least is taken first ---- */

static void
swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;

    *a = *b;
    *b = t;
}

static void
give_back(SnNames *m, SnNameSlot *s, uint32_t k)
{
    if (s->nback == s->capback) {
        uint32_t cap = s->capback ? 2 * s->capback : 8;
        uint32_t *v = SN_NEW_N(m->a, uint32_t, cap);
        if (s->nback)
            memcpy(v, s->back, s->nback * sizeof *v);
        s->back = v;
        s->capback = cap;
    }
    uint32_t i = s->nback++;
    s->back[i] = k;
    for (; i > 0 && s->back[i] < s->back[(i - 1) / 2]; i = (i - 1) / 2)
        swap(&s->back[i], &s->back[(i - 1) / 2]);
}

static void
drop_least(SnNameSlot *s)
{
    uint32_t *v = s->back, i = 0;

    v[0] = v[--s->nback];
    for (;;) {
        uint32_t least = i, kid = 2 * i + 1;
        for (uint32_t k = kid; k < kid + 2 && k < s->nback; k++)
            least = v[k] < v[least] ? k : least;
        if (least == i)
            return;
        swap(&v[i], &v[least]);
        i = least;
    }
}

void
sn_names_drop(SnNames *m, const char *name)
{
    size_t n = 0;
    uint32_t k = suffix(name, &n);

    lookup(m, name, strlen(name))->ref = 0;
    if (k) {
        SnNameSlot *s = lookup(m, name, n);
        if (s->name && k < s->next)
            give_back(m, s, k);
    }
}

const char *
sn_names_unique(SnNames *m, const char *base)
{
    SnNameSlot *s = lookup(m, base, strlen(base));
    SnBuf b;

    if (s->ref == 0)
        return base;
    sn_buf_init(&b, m->a);
    for (; s->nback; drop_least(s)) {
        b.n = 0;
        sn_putf(&b, "%s.%u", base, (unsigned)s->back[0]);
        if (!sn_names_find(m, b.s))
            return b.s;
    }
    for (;; s->next++) {
        b.n = 0;
        sn_putf(&b, "%s.%u", base, (unsigned)s->next);
        if (!sn_names_find(m, b.s))
            return b.s;
    }
}
