// SPDX-License-Identifier: Apache-2.0
#include "run/shelf.h"

/* Blocks, the one that ends highest first: a heap. */
typedef struct Tall {
    uint32_t n;
    SnBlock **v;
} Tall;

/* All trees are over steps: node v has children 2v and 2v + 1, leaf t is node
 * nleaf + t.
 *
 * A block hangs in cover[] at the few nodes that make up its life, so that
 * those alive at one step hang on the path to the root; and in start[] at its
 * first step, reach[] being the highest end below a node.
 *
 * full[] is the highest offset below a node up to which everything is taken at
 * one step.  A block placed on top of that raises it at every step where it was
 * reached: lift[v] means that entries below v with the value from[v] now have
 * the value lift[v] (0: none).  Only the highest below a node are ever raised,
 * so two successive raises combine into one. */
struct SnShelf {
    SnArena *a;
    uint32_t nleaf;
    Tall *cover, *start;
    size_t *reach, *full, *from, *lift;
};

/* Steps lo .. hi below a node, and the requested ones. */
typedef struct Span {
    uint32_t v, lo, hi, first, last;
} Span;

static bool
apart(const Span *p)
{
    return p->hi < p->first || p->lo > p->last;
}

static bool
inside(const Span *p)
{
    return p->lo >= p->first && p->hi <= p->last;
}

static Span
child(const Span *p, uint32_t i)
{
    uint32_t mid = p->lo + (p->hi - p->lo) / 2;

    return (Span){2 * p->v + i, i ? mid + 1 : p->lo, i ? p->hi : mid, p->first,
                  p->last};
}

static Span
all(const SnShelf *s, uint32_t first, uint32_t last)
{
    return (Span){1, 0, s->nleaf - 1, first, last};
}

SnShelf *
sn_shelf_new(SnArena *a, uint32_t last)
{
    SnShelf *s = SN_NEW(a, SnShelf);

    s->a = a;
    for (s->nleaf = 1; s->nleaf <= last;)
        s->nleaf *= 2;
    size_t n = 2 * (size_t)s->nleaf;
    s->cover = SN_NEW_N(a, Tall, n);
    s->start = SN_NEW_N(a, Tall, s->nleaf);
    s->reach = SN_NEW_N(a, size_t, n);
    s->full = SN_NEW_N(a, size_t, n);
    s->from = SN_NEW_N(a, size_t, n);
    s->lift = SN_NEW_N(a, size_t, n);
    return s;
}

/* ---- heaps ---- */

static void
heap_push(SnShelf *s, Tall *h, SnBlock *b)
{
    uint32_t i = h->n;

    SN_PUSH(s->a, h->v, h->n, b);
    for (; i > 0 && h->v[(i - 1) / 2]->end < b->end; i = (i - 1) / 2)
        h->v[i] = h->v[(i - 1) / 2];
    h->v[i] = b;
}

static uint32_t
above(const Tall *h, uint32_t i, size_t floor, SnBlock **near, uint32_t n)
{
    if (i >= h->n || h->v[i]->end <= floor)
        return n;
    near[n++] = h->v[i];
    n = above(h, 2 * i + 1, floor, near, n);
    return above(h, 2 * i + 2, floor, near, n);
}

/* Those that start within the span. */
static uint32_t
starting(SnShelf *s, Span p, size_t floor, SnBlock **near, uint32_t n)
{
    if (apart(&p) || s->reach[p.v] <= floor)
        return n;
    if (p.v >= s->nleaf)
        return above(&s->start[p.v - s->nleaf], 0, floor, near, n);
    n = starting(s, child(&p, 0), floor, near, n);
    return starting(s, child(&p, 1), floor, near, n);
}

/* ---- by offset ---- */

static bool
is_lower(const SnBlock *a, const SnBlock *b)
{
    return a->offset != b->offset ? a->offset < b->offset : a < b;
}

/* Puts x into the heap, from place i, which is free, downwards. */
static void
sift(SnNear *q, uint32_t i, SnBlock *x)
{
    for (uint32_t k; (k = 2 * i + 1) < q->nheap; i = k) {
        k += k + 1 < q->nheap && is_lower(q->v[k + 1], q->v[k]);
        if (is_lower(x, q->v[k]))
            break;
        q->v[i] = q->v[k];
    }
    q->v[i] = x;
}

const SnBlock *
sn_near_at(SnNear *q, uint32_t i)
{
    if (i >= q->n)
        return NULL;
    while (q->n - q->nheap <= i) {
        SnBlock *least = q->v[0], *last = q->v[--q->nheap];
        if (q->nheap)
            sift(q, 0, last);
        q->v[q->nheap] = least;
    }
    return q->v[q->n - 1 - i];
}

SnNear
sn_shelf_near(SnShelf *s, const SnBlock *b, size_t floor, SnBlock **room)
{
    uint32_t n = 0;

    for (uint32_t v = b->first + s->nleaf; v; v /= 2)
        n = above(&s->cover[v], 0, floor, room, n);
    if (b->last > b->first)
        n = starting(s, all(s, b->first + 1, b->last), floor, room, n);
    SnNear q = {n, n, room};
    for (uint32_t i = n / 2; i-- > 0;)
        sift(&q, i, q.v[i]);
    return q;
}

/* ---- taken memory ---- */

static void
raise(SnShelf *s, uint32_t v, size_t from, size_t to)
{
    if (!s->lift[v])
        s->from[v] = from;
    s->full[v] = s->lift[v] = to;
}

static void
push_down(SnShelf *s, uint32_t v)
{
    for (uint32_t c = 2 * v; s->lift[v] && c <= 2 * v + 1; c++)
        if (s->full[c] == s->from[v])
            raise(s, c, s->from[v], s->lift[v]);
    s->lift[v] = 0;
}

static void
pull_up(SnShelf *s, uint32_t v)
{
    size_t a = s->full[2 * v], b = s->full[2 * v + 1];

    s->full[v] = a > b ? a : b;
}

/* Raises `from` to `to` at the steps of the span where `from` is reached;
 * entries below a node where more is reached at some step are unchanged. */
static void
raise_span(SnShelf *s, Span p, size_t from, size_t to)
{
    if (apart(&p) || s->full[p.v] < from)
        return;
    if (inside(&p)) {
        if (s->full[p.v] == from)
            raise(s, p.v, from, to);
        return;
    }
    push_down(s, p.v);
    raise_span(s, child(&p, 0), from, to);
    raise_span(s, child(&p, 1), from, to);
    pull_up(s, p.v);
}

static void
set_step(SnShelf *s, uint32_t step, size_t full)
{
    Span p = all(s, step, step);

    while (p.v < s->nleaf) {
        push_down(s, p.v);
        Span left = child(&p, 0);
        p = apart(&left) ? child(&p, 1) : left;
    }
    s->full[s->nleaf + step] = full;
    for (uint32_t v = (s->nleaf + step) / 2; v; v /= 2)
        pull_up(s, v);
}

static void
highest(SnShelf *s, Span p, size_t *full, uint32_t *step)
{
    if (apart(&p) || s->full[p.v] <= *full)
        return;
    if (!inside(&p)) {
        push_down(s, p.v);
        highest(s, child(&p, 0), full, step);
        highest(s, child(&p, 1), full, step);
        return;
    }
    *full = s->full[p.v];
    while (p.v < s->nleaf) {
        push_down(s, p.v);
        p.v = 2 * p.v + (s->full[2 * p.v] != *full);
    }
    *step = p.v - s->nleaf;
}

size_t
sn_shelf_floor(SnShelf *s, const SnBlock *b, uint32_t *step)
{
    size_t full = 0;

    *step = b->first;
    highest(s, all(s, b->first, b->last), &full, step);
    return full;
}

/* ---- putting ---- */

/* If many blocks are near, the floor below is raised at only one step: this
 * costs less than it may save. */
enum { TOLD = 16 };

/* x is there while b is: all is taken up to its end where it was up to its
 * offset; and at `step`, where *full is known. */
static void
grow(SnShelf *s, const SnBlock *b, const SnBlock *x, bool told, uint32_t step,
     size_t *full)
{
    uint32_t first = x->first > b->first ? x->first : b->first;
    uint32_t last = x->last < b->last ? x->last : b->last;

    if (told && x->end > x->offset)
        raise_span(s, all(s, first, last), x->offset, x->end);
    if (first <= step && step <= last && x->offset <= *full && x->end > *full)
        *full = x->end;
}

void
sn_shelf_put(SnShelf *s, SnBlock *b, uint32_t step, SnNear *near)
{
    const SnBlock *x;
    uint32_t l = b->first + s->nleaf, r = b->last + s->nleaf + 1, i = 0;
    size_t full = s->full[s->nleaf + step];

    for (; l < r; l /= 2, r /= 2) {
        if (l & 1)
            heap_push(s, &s->cover[l++], b);
        if (r & 1)
            heap_push(s, &s->cover[--r], b);
    }
    heap_push(s, &s->start[b->first], b);
    for (uint32_t v = b->first + s->nleaf; v; v /= 2)
        if (s->reach[v] < b->end)
            s->reach[v] = b->end;
    /* Upwards: what lies between the floor and b, b, and what lies on b. */
    for (; (x = sn_near_at(near, i)) && x->offset < b->offset; i++)
        grow(s, b, x, i < TOLD, step, &full);
    grow(s, b, b, true, step, &full);
    for (; (x = sn_near_at(near, i)) && (i < TOLD || x->offset <= full); i++)
        grow(s, b, x, i < TOLD, step, &full);
    set_step(s, step, full);
}
