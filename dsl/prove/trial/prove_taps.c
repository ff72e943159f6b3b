// SPDX-License-Identifier: Apache-2.0
/* Index maps on small shapes, written apart from src/kernel: for each result
 * element the operand elements it reads. */
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include <string.h>

/* ---- taps ---- */

static int64_t
offset(const SnCaseValue *t, const int64_t *ix)
{
    int64_t o = 0;

    for (int i = 0; i < t->rank; i++)
        o = o * t->dim[i] + ix[i];
    return o;
}

static void
unravel(const SnCaseValue *t, int64_t o, int64_t *ix)
{
    for (int i = t->rank - 1; i >= 0; i--) {
        ix[i] = o % t->dim[i];
        o /= t->dim[i];
    }
}

/* The taps of an operand; NULL, and no case, where they are too many. */
static int32_t *
table(SnProofCase *c, SnCaseTaps *t, uint32_t slot)
{
    if (t->no > 0 && t->nk > SN_CASE_TAPS / t->no) {
        c->large = true;
        sn_case_no(c, "more elements than are run");
        return NULL;
    }
    t->ix[slot] = SN_NEW_N(c->a, int32_t, t->no * t->nk + 1);
    return t->ix[slot];
}

/* The evaluators find it out when they run, too: nothing comes of the node. */
static bool
stops(SnProofCase *c, const char *why)
{
    if (!c->fail)
        c->stops = true;
    return sn_case_no(c, why);
}

/* Is x seen through the shape of y, last axes aligned? */
static bool
seen_through(const SnCaseValue *x, const SnCaseValue *y)
{
    bool is = x->rank <= y->rank;

    for (int j = 0; is && j < x->rank; j++)
        is = x->dim[j] == 1 || x->dim[j] == y->dim[y->rank - x->rank + j];
    return is;
}

static bool
taps_broadcast(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    SnCaseValue *y = n->out[0];
    int64_t i[SN_CASE_RANK], k[SN_CASE_RANK];

    for (uint32_t s = 0; s < n->nin; s++) {
        SnCaseValue *x = n->in[s];
        if (!x)
            continue;
        if (!seen_through(x, y))
            return sn_case_no(c, "an operand of another shape");
        int32_t *ix = table(c, t, s);
        if (!ix)
            return false;
        for (int64_t o = 0; o < t->no; o++) {
            unravel(y, o, i);
            for (int j = 0; j < x->rank; j++)
                k[j] = x->dim[j] == 1 ? 0 : i[y->rank - x->rank + j];
            ix[o] = (int32_t)offset(x, k);
        }
    }
    return true;
}

/* Strides, first pads and dilations of a window, looked up once. */
typedef struct Window {
    int64_t st[2], p[2], dl[2];
} Window;

static Window
window_of(const SnCaseNode *n)
{
    Window w;

    for (uint32_t j = 0; j < 2; j++) {
        w.st[j] = sn_case_at(sn_case_map_list(n, 2), j);
        w.p[j] = sn_case_at(sn_case_map_list(n, 3), j);
        w.dl[j] = sn_case_at(sn_case_map_list(n, 4), j);
    }
    return w;
}

/* The x that tap (kh, kw) of result ix reads in a convolution: rows and columns
 * in k, false in padding. */
typedef bool ReadsX(const Window *w, const SnCaseValue *x, const int64_t *ix,
                    const int64_t *tap, int64_t *k);

static bool
reads_conv(const Window *w, const SnCaseValue *x, const int64_t *ix,
           const int64_t *tap, int64_t *k)
{
    bool in = true;

    for (uint32_t j = 0; j < 2; j++) {
        k[j] = ix[j] * w->st[j] - w->p[j] + tap[j] * w->dl[j];
        in &= k[j] >= 0 && k[j] < x->dim[1 + j];
    }
    return in;
}

/* Transposed: the x whose stride lands there. */
static bool
reads_back(const Window *w, const SnCaseValue *x, const int64_t *ix,
           const int64_t *tap, int64_t *k)
{
    bool in = true;

    for (uint32_t j = 0; j < 2; j++) {
        int64_t at = ix[j] + w->p[j] - tap[j] * w->dl[j];
        k[j] = at / w->st[j];
        in &= at >= 0 && at % w->st[j] == 0 && k[j] < x->dim[1 + j];
    }
    return in;
}

/* Taps (kh, kw, ci) of each result. */
static bool
taps_conv(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx,
          uint32_t sw, ReadsX *reads)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx], *w = n->in[sw];
    int64_t i[SN_CASE_RANK], k[SN_CASE_RANK], group = w->dim[0];
    Window win = window_of(n);

    if (group > 0) /* output channels of a group */
        group /= (int64_t)sn_case_map_num(n, 5, 1);
    t->nk = w->dim[1] * w->dim[2] * w->dim[3];
    int32_t *a = table(c, t, sx), *b = table(c, t, sw);
    if (!a || !b)
        return false;
    for (int64_t o = 0; o < t->no; o++) {
        unravel(y, o, i);
        for (int64_t m = 0; m < t->nk; m++) {
            int64_t tap[] = {m / (w->dim[2] * w->dim[3]),
                             m / w->dim[3] % w->dim[2]};
            bool in = reads(&win, x, i + 1, tap, k + 1);
            k[0] = i[0];
            k[3] = i[3] / group * w->dim[3] + m % w->dim[3];
            a[o * t->nk + m] = in ? (int32_t)offset(x, k) : -1;
            b[o * t->nk + m] = in ? (int32_t)(i[3] * t->nk + m) : -1;
        }
    }
    return true;
}

/* Elements of each set in the order of x. */
static bool
taps_reduce(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx];
    bool keep = sn_case_map_num(n, 2, 1) != 0;
    int64_t q[SN_CASE_RANK], i[SN_CASE_RANK] = {0};

    t->nk = y->n ? x->n / y->n : 0;
    int32_t *a = table(c, t, sx);
    int64_t *have = SN_NEW_N(c->a, int64_t, y->n + 1);
    if (!a)
        return false;
    for (int64_t e = 0; e < x->n; e++) {
        int j = 0;
        unravel(x, e, q);
        for (int m = 0; m < x->rank; m++) {
            bool red = sn_case_reduced(n, x, m);
            if (!red || keep)
                i[j++] = red ? 0 : q[m];
        }
        int64_t o = offset(y, i);
        a[o * t->nk + have[o]++] = (int32_t)e;
    }
    return true;
}

static bool
taps_matmul(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sa,
            uint32_t sb)
{
    SnCaseValue *y = n->out[0], *a = n->in[sa], *b = n->in[sb];
    bool ta = sn_case_map_num(n, 2, 0) != 0, tb = sn_case_map_num(n, 3, 0) != 0;

    int lead = y->rank - (a->rank > 1) - (b->rank > 1);
    int64_t i[SN_CASE_RANK], p[SN_CASE_RANK] = {0}, q[SN_CASE_RANK] = {0};

    t->nk = a->dim[a->rank > 1 && ta ? a->rank - 2 : a->rank - 1];
    int32_t *ia = table(c, t, sa), *ib = table(c, t, sb);
    if (!ia || !ib)
        return false;
    for (int64_t o = 0; o < t->no; o++)
        for (int64_t k = 0; k < t->nk; k++) {
            unravel(y, o, i);
            for (int j = 0; j < a->rank - 2; j++)
                p[j] = a->dim[j] == 1 ? 0 : i[lead - (a->rank - 2) + j];
            for (int j = 0; j < b->rank - 2; j++)
                q[j] = b->dim[j] == 1 ? 0 : i[lead - (b->rank - 2) + j];
            if (a->rank > 1) {
                p[a->rank - 2] = ta ? k : i[lead];
                p[a->rank - 1] = ta ? i[lead] : k;
            } else {
                p[0] = k;
            }
            if (b->rank > 1) {
                q[b->rank - 2] = tb ? i[y->rank - 1] : k;
                q[b->rank - 1] = tb ? k : i[y->rank - 1];
            } else {
                q[0] = k;
            }
            ia[o * t->nk + k] = (int32_t)offset(a, p);
            ib[o * t->nk + k] = (int32_t)offset(b, q);
        }
    return true;
}

static bool
taps_pool(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx];
    int64_t i[SN_CASE_RANK], k[SN_CASE_RANK],
        kw = sn_case_at(sn_case_map_list(n, 1), 1);
    bool pads = sn_case_map_num(n, 6, 0) != 0;
    Window w = window_of(n);
    int32_t sh;

    t->nk = sn_case_at(sn_case_map_list(n, 1), 0) * kw;
    if (w.st[1] <= 2 && (!y->type.nq || !sn_case_after(n, &sh)))
        t->ncol = kw;
    int32_t *a = table(c, t, sx);
    if (!a)
        return false;
    int32_t *div = pads ? SN_NEW_N(c->a, int32_t, t->no + 1) : NULL;
    for (int64_t o = 0; o < t->no; o++) {
        int64_t valid = 0;
        unravel(y, o, i);
        for (int64_t m = 0; m < t->nk; m++) {
            k[0] = i[0];
            int64_t tap[] = {m / kw, m % kw};
            bool in = reads_conv(&w, x, i + 1, tap, k + 1);
            k[3] = i[3];
            a[o * t->nk + m] = in ? (int32_t)offset(x, k) : -1;
            valid += in;
        }
        if (div)
            div[o] = (int32_t)t->nk;
        if (!valid)
            return stops(c, "a window without a valid element");
    }
    t->div = div;
    return true;
}

/* Sets along one axis: rows, the order statistics of topk, channel windows. */
static bool
taps_row(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx];
    bool chan = sn_case_map_is(n, "window_channel");
    double axis = sn_case_map_is(n, "topk") ? sn_case_map_num(n, 2, -1)
                                            : sn_case_map_num(n, 1, -1);
    int ax = chan ? x->rank - 1 : sn_case_axis(x, axis);
    int64_t size = chan ? (int64_t)sn_case_map_num(n, 1, 1) : x->dim[ax];
    int64_t i[SN_CASE_RANK];

    t->nk = size;
    int32_t *a = table(c, t, sx);
    if (!a)
        return false;
    for (int64_t o = 0; o < t->no; o++) {
        unravel(y, o, i);
        int64_t at0 = chan ? i[ax] - (size - 1) / 2 : 0;
        for (int64_t k = 0; k < size; k++) {
            i[ax] = at0 + k;
            a[o * size + k] =
                i[ax] >= 0 && i[ax] < x->dim[ax] ? (int32_t)offset(x, i) : -1;
        }
    }
    return true;
}

/* ONNX Resize, in binary32 as the evaluators. */
static int64_t
nearest_index(const SnCaseNode *n, const SnCaseValue *x, uint32_t ax, int64_t i)
{
    const SnCaseValue *y = n->out[0];
    const SnExprValue *list = sn_case_map_list(n, 2);
    float nx = (float)x->dim[ax], ny = (float)y->dim[ax], at = (float)i;
    float sc = list->n ? (float)list->list[ax] : ny / nx, f;
    const char *co = sn_case_map_word(n, 3), *ne = sn_case_map_word(n, 4);

    if (!strcmp(co, "asymmetric"))
        f = at / sc;
    else if (!strcmp(co, "align_corners"))
        f = ny == 1 ? 0 : at * (nx - 1) / (ny - 1);
    else if (!strcmp(co, "pytorch_half_pixel") && ny == 1)
        f = 0;
    else
        f = (at + 0.5f) / sc - 0.5f;
    double v = (double)f; /* what follows is exact */
    if (!strcmp(ne, "floor"))
        v = floor(v);
    else if (!strcmp(ne, "ceil"))
        v = ceil(v);
    else if (!strcmp(ne, "round_prefer_ceil"))
        v = floor(v + 0.5);
    else
        v = ceil(v - 0.5);
    return (int64_t)fmax(0, fmin(v, (double)(x->dim[ax] - 1)));
}

/* Element q of a padded axis of d elements: which of x's, or -1, the fill. */
static int64_t
pad_index(const char *mode, int64_t q, int64_t d)
{
    if (!strcmp(mode, "edge"))
        return q < 0 ? 0 : q >= d ? d - 1 : q;
    if (!strcmp(mode, "reflect"))
        return d == 1 ? 0 : q < 0 ? -q : q >= d ? 2 * (d - 1) - q : q;
    return q < 0 || q >= d ? -1 : q;
}

/* Where coordinate j of result element i of a move along axes lies in x. */
typedef int64_t ReadsAxis(const SnCaseNode *n, const SnCaseValue *x, uint32_t j,
                          int64_t i);

static int64_t
slice_axis(const SnCaseNode *n, const SnCaseValue *x, uint32_t j, int64_t i)
{
    (void)x;
    return sn_case_at(sn_case_map_list(n, 1), j) +
           i * sn_case_at(sn_case_map_list(n, 3), j);
}

static int64_t
tile_axis(const SnCaseNode *n, const SnCaseValue *x, uint32_t j, int64_t i)
{
    (void)n;
    return i % x->dim[j];
}

static int64_t
pad_axis(const SnCaseNode *n, const SnCaseValue *x, uint32_t j, int64_t i)
{
    return pad_index(sn_case_map_word(n, 2),
                     i - sn_case_at(sn_case_map_list(n, 1), j), x->dim[j]);
}

static int64_t
flip_axis(const SnCaseNode *n, const SnCaseValue *x, uint32_t j, int64_t i)
{
    const SnExprValue *v = sn_case_map_list(n, 1);

    for (uint32_t k = 0; k < v->n; k++)
        if (sn_case_axis(x, v->list[k]) == (int)j)
            return x->dim[j] - 1 - i;
    return i;
}

static ReadsAxis *
along_axes(const SnCaseNode *n)
{
    static const struct {
        const char *map;
        ReadsAxis *reads;
    } v[] = {{"slice", slice_axis},
             {"tile", tile_axis},
             {"pad", pad_axis},
             {"flip", flip_axis},
             {"nearest", nearest_index}};

    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (sn_case_map_is(n, v[i].map))
            return v[i].reads;
    return NULL;
}

/* Moves that treat each axis by itself: at[j][i] is where coordinate i
 * of axis j lies, -1: the fill. */
static bool
taps_axes(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx,
          ReadsAxis *reads)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx];
    int64_t *at[SN_CASE_RANK] = {0}, i[SN_CASE_RANK], k[SN_CASE_RANK];
    int32_t *ix = table(c, t, sx);

    for (int j = 0; j < x->rank && y->n > 0; j++) {
        at[j] = SN_NEW_N(c->a, int64_t, y->dim[j] + 1);
        for (int64_t m = 0; m < y->dim[j]; m++) {
            at[j][m] = reads(n, x, (uint32_t)j, m);
            if (at[j][m] < -1 || at[j][m] >= x->dim[j] ||
                (at[j][m] < 0 && reads != pad_axis))
                return sn_case_no(c, "an index out of range");
        }
    }
    for (int64_t o = 0; ix && o < t->no; o++) {
        bool in = true;
        unravel(y, o, i);
        for (int j = 0; j < x->rank; j++) {
            k[j] = at[j][i[j]];
            in &= k[j] >= 0;
        }
        ix[o] = in ? (int32_t)offset(x, k) : -1;
    }
    return ix != NULL;
}

static void
block_source(const SnCaseNode *n, const SnCaseValue *x, const int64_t *i,
             int64_t *k)
{
    int64_t b = (int64_t)sn_case_map_num(n, 1, 1), q = i[3] / x->dim[3];

    k[0] = i[0];
    if (sn_case_map_num(n, 2, 0) != 0) { /* depth to space */
        k[1] = i[1] / b;
        k[2] = i[2] / b;
        k[3] = (i[1] % b * b + i[2] % b) * n->out[0]->dim[3] + i[3];
        return;
    }
    k[1] = i[1] * b + q / b;
    k[2] = i[2] * b + q % b;
    k[3] = i[3] % x->dim[3];
}

/* Element `at` of n; below 0 it counts from the end.  False past either. */
static bool
element(SnProofCase *c, double at, int64_t n, int64_t *i)
{
    if (at < 0)
        at += (double)n;
    if (!(at >= 0 && at < (double)n))
        return stops(c, "an index out of range");
    *i = (int64_t)at;
    return true;
}

static bool
gather_source(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x,
              const SnCaseValue *g, const int64_t *i, int64_t *k)
{
    int ax = sn_case_axis(x, sn_case_map_num(n, 2, 0));

    for (int j = 0; j < x->rank; j++)
        if (j != ax)
            k[j] = i[j < ax ? j : j + g->rank - 1];
    return element(c, g->v[offset(g, i + ax)], x->dim[ax], &k[ax]);
}

/* Bags that are the rows of the indices. */
static bool
taps_bag(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx], *g = sn_case_map_port(n, 1);
    int64_t i[SN_CASE_RANK];

    if (!sn_case_eval(c, g))
        return false;
    t->nk = g->dim[1];
    int32_t *a = table(c, t, sx);
    if (!a)
        return false;
    for (int64_t o = 0; o < t->no; o++) {
        unravel(y, o, i);
        for (int64_t k = 0; k < t->nk; k++) {
            int64_t row = 0;
            if (!element(c, g->v[i[0] * t->nk + k], x->dim[0], &row))
                return false;
            a[o * t->nk + k] = (int32_t)(row * x->dim[1] + i[1]);
        }
    }
    return true;
}

/* y[i] = table[code of x - lowest code]. */
static bool
taps_table(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    SnCaseValue *x = sn_case_map_port(n, 0), *tb = sn_case_map_port(n, 1);
    uint32_t sx = (uint32_t)sn_case_map_slot(n, sn_case_sem(n)->arg[0]);
    uint32_t st = (uint32_t)sn_case_map_slot(n, sn_case_sem(n)->arg[1]);
    int32_t *ix = table(c, t, sx), *it = table(c, t, st);

    if (!ix || !it || !sn_case_eval(c, x))
        return false;
    for (int64_t o = 0; o < t->no; o++) {
        double at = x->v[o] - sn_case_code_lo(x->type.elem);
        if (!(at >= 0 && at < (double)tb->n))
            return stops(c, "a code past the end of the table");
        it[o] = (int32_t)at;
        ix[o] = (int32_t)o;
    }
    return true;
}

static bool
taps_gather(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *x = n->in[sx], *g = sn_case_map_port(n, 1);
    int64_t i[SN_CASE_RANK], k[SN_CASE_RANK] = {0};
    int32_t *ix = table(c, t, sx);

    if (!ix || !sn_case_eval(c, g))
        return false;
    for (int64_t o = 0; o < t->no; o++) {
        unravel(n->out[0], o, i);
        if (!gather_source(c, n, x, g, i, k))
            return false;
        ix[o] = (int32_t)offset(x, k);
    }
    return true;
}

static bool
taps_move(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], *x = n->in[sx];
    int64_t i[SN_CASE_RANK], k[SN_CASE_RANK];
    bool block = sn_case_map_is(n, "block"),
         perm = sn_case_map_is(n, "permute");
    const SnExprValue *p = sn_case_map_list(n, 1);

    if (along_axes(n))
        return taps_axes(c, n, t, sx, along_axes(n));
    if (!block && !perm && !sn_case_map_is(n, "reshape"))
        return sn_case_no(c, "a map the enumerator doesn't run");
    int32_t *ix = table(c, t, sx);
    for (int64_t o = 0; ix && o < t->no; o++) {
        ix[o] = (int32_t)o;
        unravel(y, o, i);
        for (uint32_t j = 0; perm && j < p->n; j++)
            k[sn_case_at(p, j)] = i[j];
        if (block)
            block_source(n, x, i, k);
        if (block || perm)
            ix[o] = (int32_t)offset(x, k);
    }
    return ix != NULL;
}

/* t->slot counts from the first operand of the list. */
static bool
taps_concat(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t, uint32_t sx)
{
    SnCaseValue *y = n->out[0], **x = n->in + sx;
    int ax = sn_case_axis(y, sn_case_map_num(n, 1, 0));
    int64_t i[SN_CASE_RANK];
    int32_t *ix = table(c, t, sx);

    if (!ix)
        return false;
    t->slot = SN_NEW_N(c->a, int32_t, t->no + 1);
    for (int64_t o = 0; o < t->no; o++) {
        uint32_t s = 0;
        unravel(y, o, i);
        while (sx + s + 1 < n->nin && i[ax] >= x[s]->dim[ax])
            i[ax] -= x[s++]->dim[ax];
        t->slot[o] = (int32_t)s;
        ix[o] = (int32_t)offset(x[s], i);
    }
    return true;
}

static bool
taps_of(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    int s0 = sn_case_map_slot(n, sn_case_sem(n)->arg[0]);
    int s1 = sn_case_sem(n)->narg > 1
                 ? sn_case_map_slot(n, sn_case_sem(n)->arg[1])
                 : -1;
    if (sn_case_map_is(n, "each") || sn_case_map_is(n, "broadcast"))
        return taps_broadcast(c, n, t);
    if (s0 < 0)
        return sn_case_no(c, "a map of no operand");
    if (sn_case_map_is(n, "conv"))
        return taps_conv(c, n, t, (uint32_t)s0, (uint32_t)s1, reads_conv);
    if (sn_case_map_is(n, "conv_transpose"))
        return taps_conv(c, n, t, (uint32_t)s0, (uint32_t)s1, reads_back);
    if (sn_case_map_is(n, "reduce"))
        return taps_reduce(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "matmul"))
        return taps_matmul(c, n, t, (uint32_t)s0, (uint32_t)s1);
    if (sn_case_map_is(n, "pool"))
        return taps_pool(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "row") || sn_case_map_is(n, "topk") ||
        sn_case_map_is(n, "window_channel"))
        return taps_row(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "concat"))
        return taps_concat(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "bag"))
        return taps_bag(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "gather"))
        return taps_gather(c, n, t, (uint32_t)s0);
    if (sn_case_map_is(n, "table"))
        return taps_table(c, n, t);
    return taps_move(c, n, t, (uint32_t)s0);
}

/* A tap is none when it is none of any operand. */
static const bool *
holes(SnProofCase *c, const SnCaseNode *n, const SnCaseTaps *t)
{
    int64_t len = t->no * t->nk;
    bool *hole = NULL;

    for (uint32_t s = 0; s < n->nin; s++)
        for (int64_t i = 0; t->ix[s] && i < len; i++)
            if (t->ix[s][i] < 0) {
                if (!hole)
                    hole = SN_NEW_N(c->a, bool, len + 1);
                hole[i] = true;
            }
    return hole;
}

bool
sn_case_taps(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    t->no = n->out[0]->n;
    t->nk = 1;
    t->ncol = 0;
    t->ix = SN_NEW_N(c->a, int32_t *, n->nin + 1);
    if (n->n->nin == 0)
        return true;
    if (!taps_of(c, n, t))
        return false;
    t->hole = holes(c, n, t);
    return true;
}
