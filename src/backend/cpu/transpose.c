// SPDX-License-Identifier: Apache-2.0
/* Transposes: those that exchange two runs of axes, as layout changes do, in
 * squares. */
#include <string.h>

#include "cpu_kernels.h"
#include "kernel/eval/copy.h"
#include "kernel/eval/map.h"
#include "kernel/point/point_q8.h"
#include "kernel/point/zip.h"

/* x [outer, a, b, inner] to y [outer, b, a, inner]; inner in bytes.  Units
 * are places of b, or of outer where there are more of those. */
typedef struct Swap {
    int64_t outer, a, b, inner;
    bool by_outer;
    SnIsa isa;
    const void *move; /* more than one exchange: as move.c does it; else NULL */
    bool small;       /* a matrix has 64 bytes at most: y[i] = x[index[i]] */
    uint8_t index[64];
} Swap;

/* Axes that stay side by side are one; axes of 1 are none.  False when more
 * than one exchange is left. */
static bool
exchange(const SnShape *s, SnInts perm, Swap *k)
{
    int64_t from[SN_MAXRANK] = {0}, dim[SN_MAXRANK] = {0}, rank[SN_MAXRANK];
    int n = 0, last = -2, skipped[SN_MAXRANK] = {0};

    for (int i = 0, seen = 0; i < s->rank; i++) {
        skipped[i] = seen;
        seen += s->dim[i] == 1;
    }
    for (uint32_t i = 0; i < perm.n; i++) {
        int ax = (int)perm.v[i], place = ax - skipped[ax];
        if (s->dim[ax] == 1)
            continue;
        if (n && place == last + 1) {
            dim[n - 1] *= s->dim[ax];
        } else {
            from[n] = place;
            dim[n++] = s->dim[ax];
        }
        last = place;
    }
    for (int i = 0; i < n; i++) { /* which of the joined axes of x it is */
        rank[i] = 0;
        for (int j = 0; j < n; j++)
            rank[i] += from[j] < from[i];
    }
    int i = 0;
    *k = (Swap){.outer = 1, .a = 1, .b = 1, .inner = 1, .isa = sn_isa()};
    if (n == 1) { /* nothing moves */
        k->inner = dim[0];
        return true;
    }
    if (i < n && rank[i] == i)
        k->outer = dim[i++];
    if (i + 1 < n && rank[i] == i + 1 && rank[i + 1] == i) {
        k->b = dim[i];
        k->a = dim[i + 1];
        i += 2;
    }
    if (i < n && rank[i] == i)
        k->inner = dim[i++];
    return i == n;
}

/* Many small matrices, as shuffles of a pixel's channels are. */
static void
set_index(Swap *k)
{
    int64_t n = k->a * k->b;

    k->small = k->by_outer && k->inner == 1 && n <= 64;
    for (int64_t i = 0; k->small && i < n; i++)
        k->index[i] = (uint8_t)(i % k->a * k->b + i / k->a);
}

bool
sn_cpu_transpose_prepare(SnPrep *p)
{
    const SnCall *c = p->call;
    const SnShape *s = c->in[0].shape;
    SnInts perm = sn_map_ints(c, &c->kind->sem[0], 1);
    Swap *k = SN_NEW(c->scratch, Swap);

    if (perm.n != (uint32_t)s->rank || sn_shape_count(s) == 0)
        return false;
    if (!exchange(s, perm, k)) {
        if (!sn_cpu_move_prepare(p))
            return false;
        k->move = p->prep;
        p->prep = k;
        return true;
    }
    k->inner *= (int64_t)sn_elem_size(c->in[0].type->elem);
    k->by_outer = k->outer > k->b;
    set_index(k);
    p->prep = k;
    p->nunit = k->by_outer ? k->outer : k->b;
    p->cost = k->outer * k->a * k->b * k->inner / 4;
    return true;
}

/* [a, b] to [b, a] of one element size, in squares that stay in the cache. */
#define SWAP(NAME, T)                                                        \
    static void NAME(const void *from, int64_t a, int64_t b, int64_t from_b, \
                     int64_t to_b, void *to)                                 \
    {                                                                        \
        const T *x = from;                                                   \
        T *y = to;                                                           \
        for (int64_t i0 = 0; i0 < a; i0 += 32)                               \
            for (int64_t j0 = from_b; j0 < to_b; j0 += 32) {                 \
                int64_t i1 = i0 + 32 < a ? i0 + 32 : a;                      \
                int64_t j1 = j0 + 32 < to_b ? j0 + 32 : to_b;                \
                for (int64_t j = j0; j < j1; j++)                            \
                    for (int64_t i = i0; i < i1; i++)                        \
                        y[j * a + i] = x[i * b + j];                         \
            }                                                                \
    }
/* What is moved in one call: columns [j0, j1) of each of `count` matrices, one
 * after the other, with n rows or columns; the other number is small. */
typedef struct Part {
    const void *x;
    void *y;
    int64_t count, n, j0, j1;
} Part;

/* Of R rows, of which y has one element each in turn.  They are named one by
 * one, so that they are stored as one; ZIP does the first ones. */
#define DEAL(NAME, T, R, ZIP, ...)                                     \
    static void NAME(const Part *p)                                    \
    {                                                                  \
        const T *x = p->x;                                             \
        T *y = p->y;                                                   \
        int64_t b = p->n, j1 = p->j1;                                  \
        for (int64_t i = 0; i < p->count; i++, x += (R)*b, y += (R)*b) \
            for (int64_t j = ZIP(x, b, p->j0, j1, y); j < j1; j++) {   \
                const T v[R] = {__VA_ARGS__};                          \
                memcpy(y + (R)*j, v, sizeof v);                        \
            }                                                          \
    }
DEAL(deal1_2, int8_t, 2, sn_zip2_int8_t, x[j], x[b + j])
DEAL(deal1_4, int8_t, 4, sn_zip4_int8_t, x[j], x[b + j], x[2 * b + j],
     x[3 * b + j])
DEAL(deal4_2, int32_t, 2, sn_zip2_int32_t, x[j], x[b + j])
DEAL(deal4_3, int32_t, 3, sn_zip3_int32_t, x[j], x[b + j], x[2 * b + j])
DEAL(deal4_4, int32_t, 4, sn_zip4_int32_t, x[j], x[b + j], x[2 * b + j],
     x[3 * b + j])

/* Of B columns, which are rows of y; APART does the first ones, if all columns
 * are wanted. */
#define GATHER(NAME, T, B, APART)                                            \
    static void NAME(const Part *p)                                          \
    {                                                                        \
        const T *x = p->x;                                                   \
        T *y = p->y;                                                         \
        int64_t a = p->n;                                                    \
        bool all = p->j0 == 0 && p->j1 == (B);                               \
        for (int64_t k = 0; k < p->count; k++, x += a * (B), y += a * (B)) { \
            int64_t done = all ? APART(x, a, y) : 0;                         \
            for (int64_t j = p->j0; j < p->j1; j++)                          \
                for (int64_t i = done; i < a; i++)                           \
                    y[j * a + i] = x[i * (B) + j];                           \
        }                                                                    \
    }
GATHER(gather1_2, int8_t, 2, sn_apart2_int8_t)
GATHER(gather1_3, int8_t, 3, sn_apart3_int8_t)
GATHER(gather1_4, int8_t, 4, sn_apart4_int8_t)
GATHER(gather4_2, int32_t, 2, sn_apart2_int32_t)
GATHER(gather4_3, int32_t, 3, sn_apart3_int32_t)
GATHER(gather4_4, int32_t, 4, sn_apart4_int32_t)

/* By element size (1, 4), rows and columns: NULL where there are many, and of
 * three rows of bytes, which are planes1's. */
typedef void Few(const Part *p);
static Few *
few(int64_t inner, int64_t a, int64_t b, int64_t *n)
{
    static Few *const deal[2][3] = {{deal1_2, NULL, deal1_4},
                                    {deal4_2, deal4_3, deal4_4}};
    static Few *const gather[2][3] = {{gather1_2, gather1_3, gather1_4},
                                      {gather4_2, gather4_3, gather4_4}};

    if (inner != 1 && inner != 4)
        return NULL;
    *n = a >= 2 && a <= 4 ? b : a;
    if (a >= 2 && a <= 4)
        return deal[inner == 4][a - 2];
    return b >= 2 && b <= 4 ? gather[inner == 4][b - 2] : NULL;
}

SWAP(swap_bytes, int8_t)
SWAP(swap2, int16_t)
SWAP(swap_words, int32_t)
SWAP(swap8, int64_t)

/* [a, b] to [b, a] of words: four by four in squares that stay in the cache,
 * and what is left beside them. */
static void
swap4(const void *from, int64_t a, int64_t b, int64_t from_b, int64_t to_b,
      void *to)
{
    const int32_t *x = from;
    int32_t *y = to;
    int64_t rows = a / 4 * 4, end = to_b - (to_b - from_b) % 4;

    for (int64_t i0 = 0; i0 < rows; i0 += 32)
        for (int64_t j = from_b; j < end; j += 4)
            for (int64_t i = i0; i < i0 + 32 && i < rows; i += 4)
                if (!sn_square4(x + i * b + j, b, y + j * a + i, a)) {
                    swap_words(x, a, b, from_b, to_b, y);
                    return;
                }
    swap_words(x, a, b, end, to_b, y);
    for (int64_t j = from_b; j < end; j++)
        for (int64_t i = rows; i < a; i++)
            y[j * a + i] = x[i * b + j];
}

static inline uint64_t
eight(const char *x)
{
    uint64_t v;

    memcpy(&v, x, sizeof v);
    return v;
}

/* Exchanges what m masks of b with what it masks of a >> n. */
#define TRADE(a, b, n, m)              \
    {                                  \
        uint64_t t = (a >> n ^ b) & m; \
        b ^= t;                        \
        a ^= t << n;                   \
    }
#define HALF 0x00000000ffffffff
#define QUARTER 0x0000ffff0000ffff
#define EIGHTH 0x00ff00ff00ff00ff

/* A square of eight by eight bytes: its halves, quarters and eighths change
 * sides.  The first byte is the lowest of eight.  Rows are named one by one, so
 * that they stay in registers. */
static inline void
square(const char *x, int64_t b, char *y, int64_t a)
{
    uint64_t r0 = eight(x), r1 = eight(x + b), r2 = eight(x + 2 * b);
    uint64_t r3 = eight(x + 3 * b), r4 = eight(x + 4 * b);
    uint64_t r5 = eight(x + 5 * b), r6 = eight(x + 6 * b);
    uint64_t r7 = eight(x + 7 * b);

    TRADE(r0, r4, 32, HALF)
    TRADE(r1, r5, 32, HALF)
    TRADE(r2, r6, 32, HALF)
    TRADE(r3, r7, 32, HALF)
    TRADE(r0, r2, 16, QUARTER)
    TRADE(r1, r3, 16, QUARTER)
    TRADE(r4, r6, 16, QUARTER)
    TRADE(r5, r7, 16, QUARTER)
    TRADE(r0, r1, 8, EIGHTH)
    TRADE(r2, r3, 8, EIGHTH)
    TRADE(r4, r5, 8, EIGHTH)
    TRADE(r6, r7, 8, EIGHTH)
    memcpy(y, &r0, 8);
    memcpy(y + a, &r1, 8);
    memcpy(y + 2 * a, &r2, 8);
    memcpy(y + 3 * a, &r3, 8);
    memcpy(y + 4 * a, &r4, 8);
    memcpy(y + 5 * a, &r5, 8);
    memcpy(y + 6 * a, &r6, 8);
    memcpy(y + 7 * a, &r7, 8);
}

static bool
low_first(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* [a, b] to [b, a] of bytes: squares, and what is left beside them. */
static void
swap1(const void *from, int64_t a, int64_t b, int64_t from_b, int64_t to_b,
      void *to)
{
    const char *x = from;
    char *y = to;
    int64_t rows = a / 8 * 8, j0 = from_b, end = to_b - (to_b - from_b) % 8;

    if (!low_first() || rows == 0) {
        swap_bytes(x, a, b, from_b, to_b, y);
        return;
    }
    for (; j0 < end; j0 += 8)
        for (int64_t i = 0; i < rows; i += 8)
            square(x + i * b + j0, b, y + j0 * a + i, a);
    swap_bytes(x, a, b, end, to_b, y);
    for (int64_t j = from_b; j < end; j++)
        for (int64_t i = rows; i < a; i++)
            y[j * a + i] = x[i * b + j];
}

/* Three planes to pixels: pictures. */
static void
planes1(const Swap *k, const void *from, int64_t j0, int64_t j1, void *to)
{
    const int8_t *x = from;

    sn_planes8_run(k->isa, x + j0, x + k->b + j0, x + 2 * k->b + j0, j1 - j0,
                   (int8_t *)to + 3 * j0);
}

static void
swap_runs(const char *x, int64_t a, int64_t b, int64_t n, int64_t j0,
          int64_t j1, char *y)
{
    for (int64_t j = j0; j < j1; j++)
        sn_copy_lines(x + j * n, (size_t)(b * n), y + j * a * n, (size_t)n,
                      (size_t)n, a);
}

/* Columns [j0, j1) of one matrix. */
static void
one(const Swap *k, const char *x, int64_t j0, int64_t j1, char *y)
{
    if (k->inner == 1)
        swap1(x, k->a, k->b, j0, j1, y);
    else if (k->inner == 2)
        swap2(x, k->a, k->b, j0, j1, y);
    else if (k->inner == 4)
        swap4(x, k->a, k->b, j0, j1, y);
    else if (k->inner == 8)
        swap8(x, k->a, k->b, j0, j1, y);
    else
        swap_runs(x, k->a, k->b, k->inner, j0, j1, y);
}

SnStatus
sn_cpu_transpose(const SnCall *c)
{
    const Swap *k = c->prep;
    int64_t nbyte = k->a * k->b * k->inner;
    int64_t first = k->by_outer ? c->u0 : 0;
    const char *x = (const char *)c->in[0].data + first * nbyte;
    char *y = (char *)c->out[0].data + first * nbyte;
    Part p = {.x = x, .y = y, .count = k->outer, .j0 = c->u0, .j1 = c->u1};

    if (k->move) {
        SnCall call = *c;
        call.prep = k->move;
        return sn_cpu_move(&call);
    }
    if (k->by_outer) {
        p.count = c->u1 - c->u0;
        p.j0 = 0;
        p.j1 = k->b;
    }
    if (k->small && sn_permute8_run(k->isa, k->index, nbyte, p.x, p.count, p.y))
        return SN_OK;
    Few *fn = few(k->inner, k->a, k->b, &p.n);
    if (fn) {
        fn(&p);
        return SN_OK;
    }
    for (int64_t i = 0; i < p.count; i++, x += nbyte, y += nbyte)
        if (k->a == 3 && k->inner == 1)
            planes1(k, x, p.j0, p.j1, y);
        else
            one(k, x, p.j0, p.j1, y);
    return SN_OK;
}
