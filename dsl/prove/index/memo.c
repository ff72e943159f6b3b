// SPDX-License-Identifier: Apache-2.0
/* Hash tables of facts and of answers. */
#include "dsl/prove/index/memo.h"

#include <string.h>

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

/* ---- forms ---- */

SnMemoForms *
sn_memo_forms(SnArena *a)
{
    SnMemoForms *m = SN_NEW(a, SnMemoForms);

    m->a = m->key.a = a;
    return m;
}

/* Seven bits a byte, the last one below 128. */
static void
put_number(SnBuf *b, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        sn_putc(b, (char)(128 | (v & 127)));
    sn_putc(b, (char)v);
}

static void
put_poly(SnBuf *b, SnPoly p, const uint16_t *rank)
{
    put_number(b, p.n);
    for (uint32_t i = 0; i < p.n; i++) {
        const SnMonomial *m = &p.m[i];
        put_number(b, (uint64_t)m->c << 1 ^ (m->c < 0 ? UINT64_MAX : 0));
        put_number(b, m->n);
        for (unsigned k = 0; k < m->n; k++)
            put_number(b, rank[m->atom[k]]);
    }
}

static void
grow_forms(SnMemoForms *m)
{
    uint32_t cap = m->cap ? 2 * m->cap : 1024;

    m->at = SN_NEW_N(m->a, uint32_t, cap);
    m->cap = cap;
    for (uint32_t i = 0; i < m->n; i++) {
        uint64_t h = m->v[i].hash;
        while (m->at[h & (cap - 1)])
            h++;
        m->at[h & (cap - 1)] = i + 1;
    }
}

SnMemoForm *
sn_memo_form(SnMemoForms *m, uint32_t natom, const bool *is_in, SnPoly p,
             uint32_t n, const SnPoly *fact, bool *known)
{
    uint16_t rank[SN_POLY_NATOM], next = 0;
    uint64_t h = 1;

    for (uint32_t i = 0; i < natom; i++)
        rank[i] = is_in[i] ? next++ : 0;
    m->key.n = 0;
    put_poly(&m->key, p, rank);
    for (uint32_t i = 0; i < n; i++)
        put_poly(&m->key, fact[i], rank);
    for (size_t i = 0; i < m->key.n; i++)
        h = mix(h, (unsigned char)m->key.s[i]);
    if (2 * m->n >= m->cap)
        grow_forms(m);
    for (uint64_t at = h;; at++) {
        uint32_t *i = &m->at[at & (m->cap - 1)];
        SnMemoForm *f = *i ? &m->v[*i - 1] : NULL;
        *known = f != NULL;
        if (f && f->hash == h && f->nkey == m->key.n &&
            !memcmp(f->key, m->key.s, f->nkey))
            return f;
        if (f)
            continue;
        SnMemoForm e = {.hash = h,
                        .nkey = m->key.n,
                        .key = sn_memdup(m->a, m->key.s, m->key.n)};
        SN_PUSH(m->a, m->v, m->n, e);
        *i = m->n;
        return &m->v[m->n - 1];
    }
}

void
sn_memo_answer(SnMemoForms *m, SnMemoForm *form, const SnTraceWhy *why,
               bool over)
{
    form->over = over;
    if (!why)
        return;
    SnTraceWhy *w = sn_memdup(m->a, why, sizeof *why);
    w->v = sn_memdup(m->a, why->v, why->n * sizeof *why->v);
    form->why = w;
}
