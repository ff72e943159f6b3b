// SPDX-License-Identifier: Apache-2.0
/* Hash tables of facts and of answers. */
#include "dsl/prove/index/memo.h"

static uint64_t
mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t
hash(uint32_t state, uint8_t kind, SnPoly p)
{
    uint64_t h = mix(mix(1, state), kind);

    for (uint32_t i = 0; i < p.n; i++) {
        h = mix(h, (uint64_t)p.m[i].c);
        for (unsigned k = 0; k < p.m[i].n; k++)
            h = mix(h, p.m[i].atom[k]);
    }
    return h;
}

static void
grow(SnMemo *m, SnMemoTable *t)
{
    uint32_t cap = t->cap ? 2 * t->cap : 256;

    t->at = SN_NEW_N(m->a, uint32_t, cap);
    t->cap = cap;
    for (uint32_t i = 0; i < t->n; i++) {
        const SnMemoLine *e = &t->v[i];
        uint64_t h = hash(e->state, e->kind, e->p);
        while (t->at[h & (cap - 1)])
            h++;
        t->at[h & (cap - 1)] = i + 1;
    }
}

/* The number of the line, which is new if *known is false. */
static uint32_t
line(SnMemo *m, SnMemoTable *t, SnMemoLine e, bool *known)
{
    uint64_t h = hash(e.state, e.kind, e.p);

    if (2 * t->n >= t->cap)
        grow(m, t);
    for (; t->at[h & (t->cap - 1)]; h++) {
        uint32_t i = t->at[h & (t->cap - 1)] - 1;
        const SnMemoLine *o = &t->v[i];
        if (o->state == e.state && o->kind == e.kind &&
            sn_poly_same(o->p, e.p)) {
            *known = true;
            return i;
        }
    }
    *known = false;
    SN_PUSH(m->a, t->v, t->n, e);
    t->at[h & (t->cap - 1)] = t->n;
    return t->n - 1;
}

uint32_t
sn_memo_next(SnMemo *m, uint32_t state, uint8_t kind, SnPoly p)
{
    bool known;

    return line(m, &m->fact, (SnMemoLine){state, kind, false, p, NULL},
                &known) +
           1;
}

SnMemoLine *
sn_memo_question(SnMemo *m, uint32_t state, uint8_t depth, SnPoly p,
                 bool *known)
{
    uint32_t i =
        line(m, &m->answer, (SnMemoLine){state, depth, false, p, NULL}, known);

    return &m->answer.v[i];
}
