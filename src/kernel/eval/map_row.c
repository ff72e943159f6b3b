// SPDX-License-Identifier: Apache-2.0
/* Maps along axes: matmul, row, reduce, window_channel, bag. */
#include "kernel/eval/map_priv.h"

#include <string.h>

/* ---- matmul: groups are rows of the result, lanes its columns ---- */

enum { P_M, P_BATCH, P_STEP_M, P_NB, P_TAB = 8 };

/* A vector as a matrix: a row on the left, a column on the right. */
static SnShape
matrix(const SnShape *s, bool left)
{
    SnShape m = *s;

    if (s->rank == 1) {
        m.rank = 2;
        m.dim[0] = left ? 1 : s->dim[0];
        m.dim[1] = left ? s->dim[0] : 1;
    }
    return m;
}

/* Offset of matrix `batch` of shape s (all but the last two axes), seen
 * through the nbatch leading axes of y. */
static int64_t
batch_offset(const SnShape *s, const SnShape *y, int nbatch, int64_t batch)
{
    int64_t off = 0, step = 1;

    for (int i = s->rank - 2; i < s->rank; i++)
        step *= s->dim[i];
    for (int i = nbatch - 1, j = s->rank - 3; i >= 0; i--, j--) {
        int64_t k = batch % y->dim[i];
        batch /= y->dim[i];
        if (j >= 0) {
            if (s->dim[j] != 1)
                off += k * step;
            step *= s->dim[j];
        }
    }
    return off;
}

SnStatus
sn_open_matmul(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *as = sn_map_port(c, s, 0)->shape;
    const SnShape *bs = sn_map_port(c, s, 1)->shape;
    const SnShape *y = c->out[res].shape;
    /* swapping means nothing for a vector */
    bool ta = as->rank > 1 && sn_map_int(c, s, 2, 0) != 0;
    bool tb = bs->rank > 1 && sn_map_int(c, s, 3, 0) != 0;

    if (as->rank < 1 || bs->rank < 1)
        return sn_call_fail(c, "operands of rank %d and %d; 1 at least",
                            as->rank, bs->rank);
    const SnShape am = matrix(as, true), bm = matrix(bs, false);
    const SnShape *a = &am, *b = &bm;
    int nbatch = y->rank - (as->rank > 1) - (bs->rank > 1);
    int64_t k = a->dim[a->rank - (ta ? 2 : 1)];
    int64_t n = b->dim[b->rank - (tb ? 2 : 1)];
    int64_t rows = a->dim[a->rank - (ta ? 1 : 2)], nb = 1;
    if (b->dim[b->rank - (tb ? 1 : 2)] != k)
        return sn_call_fail(c, "inner dimensions %lld and %lld differ",
                            (long long)k,
                            (long long)b->dim[b->rank - (tb ? 1 : 2)]);
    for (int i = 0; i < nbatch; i++)
        nb *= y->dim[i];
    m->p[P_M] = rows;
    m->p[P_NB] = nb;
    m->p[P_STEP_M] = ta ? 1 : k;
    m->ngroup = nb * rows;
    m->nlane = n;
    m->step_a = ta ? rows : 1;
    m->step_b = tb ? 1 : n;
    m->lane_b = tb ? k : 1;
    m->lane_y = 1;
    m->ntap = m->nall = m->maxtap = k;
    m->nseg = 1;
    m->seg = SN_NEW_N(c->scratch, SnSeg, 1);
    m->seg->n = k;
    int64_t *off = SN_NEW_N(c->scratch, int64_t, nb * 2);
    for (int64_t i = 0; i < nb; i++) {
        off[2 * i] = batch_offset(a, y, nbatch, i);
        off[2 * i + 1] = batch_offset(b, y, nbatch, i);
    }
    m->v[0] = off;
    return SN_OK;
}

void
sn_segs_matmul(SnMap *m, int64_t g)
{
    int64_t nb = g / m->p[P_M], row = g % m->p[P_M];

    m->seg->a = m->v[0][2 * nb] + row * m->p[P_STEP_M];
    m->b0 = m->v[0][2 * nb + 1];
    m->y0 = g * m->nlane;
}

/* ---- row: all results along an axis share one set ---- */

enum { P_INNER, P_LEN };

SnStatus
sn_open_row(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    int axis = sn_axis(x, sn_map_int(c, s, 1, -1));
    int64_t inner = 1;

    if (axis < 0)
        return sn_call_fail(c, "no axis %lld in rank %d",
                            (long long)sn_map_int(c, s, 1, -1), x->rank);
    for (int i = axis + 1; i < x->rank; i++)
        inner *= x->dim[i];
    int64_t len = x->dim[axis];
    m->p[P_INNER] = inner;
    m->p[P_LEN] = len;
    m->ngroup = len ? sn_shape_count(c->out[res].shape) / len : 0;
    m->ntap = m->nall = m->maxtap = m->nout = len;
    m->step_a = inner;
    m->nseg = 1;
    m->seg = SN_NEW_N(c->scratch, SnSeg, 1);
    m->seg->n = len;
    m->y = SN_NEW_N(c->scratch, int64_t, len);
    m->c = SN_NEW_N(c->scratch, int64_t, len);
    for (int64_t i = 0; i < len; i++)
        m->y[i] = i * inner;
    return SN_OK;
}

void
sn_segs_row(SnMap *m, int64_t g)
{
    int64_t inner = m->p[P_INNER], len = m->p[P_LEN];

    m->y0 = m->seg->a = g / inner * inner * len + g % inner;
    for (int64_t i = 0; i < len; i++)
        m->c[i] = m->y0 + i * inner;
}

/* ---- reduce: a group is one result; trailing kept axes are lanes ---- */

enum { R_NG, R_NR, R_G = 2, R_R = 18 }; /* (dim, stride) pairs follow */

SnStatus
sn_open_reduce(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    SnInts axes = sn_map_ints(c, s, 1);
    bool red[SN_MAXRANK] = {false};
    int64_t step = 1, *p = m->p;

    (void)res;
    for (uint32_t i = 0; i < axes.n; i++) {
        int k = sn_axis(x, axes.v[i]);
        if (k < 0)
            return sn_call_fail(c, "no axis %lld in rank %d",
                                (long long)axes.v[i], x->rank);
        red[k] = true;
    }
    for (int i = 0; axes.n == 0 && i < x->rank; i++)
        red[i] = true;
    m->lane_a = m->lane_y = 1;
    m->maxtap = 1;
    bool tail = true;
    for (int i = x->rank - 1; i >= 0; i--) { /* innermost pairs first */
        tail = tail && !red[i];
        if (tail) {
            m->nlane *= x->dim[i];
        } else if (red[i]) {
            p[R_R + 2 * p[R_NR]] = x->dim[i];
            p[R_R + 2 * p[R_NR]++ + 1] = step;
            m->maxtap *= x->dim[i];
        } else {
            p[R_G + 2 * p[R_NG]] = x->dim[i];
            p[R_G + 2 * p[R_NG]++ + 1] = step;
            m->ngroup *= x->dim[i];
        }
        step *= x->dim[i];
    }
    int64_t run = p[R_NR] ? p[R_R] : 1;
    m->step_a = p[R_NR] ? p[R_R + 1] : 1;
    m->ntap = m->nall = m->maxtap;
    m->seg = SN_NEW_N(c->scratch, SnSeg, run ? m->maxtap / run + 1 : 1);
    return SN_OK;
}

void
sn_segs_reduce(SnMap *m, int64_t g)
{
    const int64_t *p = m->p;
    int64_t base = 0, run = p[R_NR] ? p[R_R] : 1;

    m->y0 = g * m->nlane;
    for (int64_t i = 0; i < p[R_NG]; i++) {
        base += g % p[R_G + 2 * i] * p[R_G + 2 * i + 1];
        g /= p[R_G + 2 * i];
    }
    m->nseg = 0;
    for (int64_t k = 0; k < m->maxtap; k += run) {
        int64_t off = base, rest = k / run;
        for (int64_t i = 1; i < p[R_NR]; i++) {
            off += rest % p[R_R + 2 * i] * p[R_R + 2 * i + 1];
            rest /= p[R_R + 2 * i];
        }
        m->seg[m->nseg++] = (SnSeg){off, k, run};
    }
}

/* ---- window_channel: a window along the last axis, cut at its ends ---- */

enum { W_C, W_BEFORE, W_AFTER };

SnStatus
sn_open_window_channel(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnShape *x = sn_map_port(c, s, 0)->shape;
    int64_t size = sn_map_int(c, s, 1, 1);

    (void)res;
    if (x->rank < 1 || size < 1)
        return sn_call_fail(c, "a channel window needs a channel axis and a "
                               "size of 1 at least");
    m->p[W_C] = x->dim[x->rank - 1];
    m->p[W_BEFORE] = (size - 1) / 2;
    m->p[W_AFTER] = size / 2;
    m->ngroup = sn_shape_count(x);
    m->maxtap = size < m->p[W_C] ? size : m->p[W_C];
    m->seg = SN_NEW_N(c->scratch, SnSeg, 1);
    m->nseg = 1;
    m->c = SN_NEW_N(c->scratch, int64_t, 1);
    return SN_OK;
}

void
sn_segs_window_channel(SnMap *m, int64_t g)
{
    int64_t ch = g % m->p[W_C];
    int64_t lo = ch < m->p[W_BEFORE] ? 0 : ch - m->p[W_BEFORE];
    int64_t hi =
        ch + m->p[W_AFTER] >= m->p[W_C] ? m->p[W_C] - 1 : ch + m->p[W_AFTER];

    m->y0 = m->c[0] = g;
    m->chan0 = ch;
    *m->seg = (SnSeg){g - ch + lo, 0, hi - lo + 1};
    m->ntap = m->nall = hi - lo + 1;
}

/* ---- bag: table rows index[offset[i]] .. , or row i of index; lanes are
 * columns ---- */

enum { B_SIZE, B_PITCH, B_COLS, B_ROWS };

static SnStatus
check_offsets(const SnCall *c, const int64_t *off, int64_t nbag, int64_t nidx)
{
    for (int64_t i = 0; i <= nbag; i++)
        if (off[i] < 0 || off[i] > nidx || (i && off[i] < off[i - 1]))
            return sn_call_fail(c, "offset %lld leaves 0..%lld or descends",
                                (long long)off[i], (long long)nidx);
    return SN_OK;
}

SnStatus
sn_open_bag(SnMap *m, const SnCall *c, const SnSem *s, unsigned res)
{
    const SnTensor *t = sn_map_port(c, s, 0), *ix = sn_map_port(c, s, 1);
    const SnTensor *of = s->narg > 2 ? sn_map_port(c, s, 2) : NULL;

    (void)res;
    if (t->shape->rank != 2 || ix->shape->rank != (of ? 1 : 2) ||
        (of && of->shape->rank != 1))
        return sn_call_fail(c, "a bag needs table [rows, cols], and index and "
                               "offset of rank 1 or index of rank 2");
    int64_t rows = t->shape->dim[0], cols = t->shape->dim[1];
    int64_t nidx = sn_shape_count(ix->shape);
    int64_t nbag = of ? of->shape->dim[0] - 1 : ix->shape->dim[0];
    const int64_t *idx = ix->data;
    for (int64_t i = 0; i < nidx; i++)
        if (idx[i] < -rows || idx[i] >= rows)
            return sn_call_fail(c,
                                "index %lld is outside the table of %lld "
                                "rows",
                                (long long)idx[i], (long long)rows);
    if (of)
        SN_TRY(check_offsets(c, of->data, nbag, nidx));
    m->p[B_SIZE] = of ? 0 : ix->shape->dim[1];
    m->p[B_PITCH] = t->type->elem == SN_ROW8 ? cols + 8 : cols;
    m->p[B_COLS] = cols;
    m->p[B_ROWS] = rows;
    m->v[0] = idx;
    m->v[1] = of ? of->data : NULL;
    m->ngroup = nbag > 0 ? nbag : 0;
    m->nlane = cols;
    m->lane_a = m->lane_y = 1;
    m->maxtap = nidx;
    m->seg = SN_NEW_N(c->scratch, SnSeg, nidx);
    return SN_OK;
}

void
sn_segs_bag(SnMap *m, int64_t g)
{
    int64_t n = m->v[1] ? m->v[1][g + 1] - m->v[1][g] : m->p[B_SIZE];
    int64_t first = m->v[1] ? m->v[1][g] : g * n;

    for (int64_t i = 0; i < n; i++) {
        int64_t row = m->v[0][first + i]; /* from the end where below 0 */
        row += row < 0 ? m->p[B_ROWS] : 0;
        m->seg[i] = (SnSeg){row * m->p[B_PITCH], first + i, 1};
    }
    m->nseg = (uint32_t)n;
    m->ntap = m->nall = n;
    m->y0 = g * m->p[B_COLS];
}
