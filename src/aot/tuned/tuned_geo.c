// SPDX-License-Identifier: Apache-2.0
/* The convolution that indices describe: which variables are rows and columns
 * of results and of windows, which are channels. */
#include <string.h>

#include "aot/tuned/tuned.h"

/* A spatial axis: place * step + tap * gap + base. */
typedef struct Axis {
    int place, tap; /* variables, -1: none */
    int64_t step, gap, base;
} Axis;

/* Variables with only one value do not matter. */
static bool
counts(const SnTunedMap *m, const SnTunedIndex *i, uint32_t v)
{
    return i->k[v] != 0 && m->bound[v] > 1;
}

static bool
read_axis(const SnTunedMap *m, const SnTunedIndex *i, Axis *a)
{
    *a = (Axis){-1, -1, 1, 1, i->base};
    for (uint32_t v = 0; v < m->nvar; v++) {
        if (!counts(m, i, v))
            continue;
        if (m->role[v] == SN_TUNED_PIXEL && a->place < 0) {
            a->place = (int)v;
            a->step = i->k[v];
        } else if (m->role[v] == SN_TUNED_TAP && a->tap < 0) {
            a->tap = (int)v;
            a->gap = i->k[v];
        } else {
            return false;
        }
    }
    return a->step > 0 && a->gap > 0 && a->base <= 0;
}

static int64_t
bound(const SnTunedMap *m, int v)
{
    return v < 0 ? 1 : m->bound[v];
}

/* Does a place number all elements of the axis? */
static bool
is_whole(const SnTunedMap *m, const Axis *a, int64_t dim)
{
    return a->tap < 0 && a->base == 0 && a->step == 1 &&
           bound(m, a->place) == dim;
}

/* Channels of a group, along the last axis. */
static bool
read_channels(const SnTunedMap *m, SnConvGeo *o, int64_t *each)
{
    const SnTunedIndex *i = &m->at[m->rank - 1];
    int64_t group = 0;

    *each = 1;
    o->group = 1;
    for (uint32_t v = 0; v < m->nvar; v++) {
        if (m->role[v] == SN_TUNED_GROUP)
            o->group *= m->bound[v];
        if (!counts(m, i, v))
            continue;
        if (m->role[v] == SN_TUNED_TAP && *each == 1 && i->k[v] == 1)
            *each = m->bound[v];
        else if (m->role[v] == SN_TUNED_GROUP && group == 0)
            group = i->k[v];
        else
            return false;
    }
    o->c = m->dim[m->rank - 1];
    return i->base == 0 && o->group * *each == o->c &&
           (o->group == 1 || group == *each);
}

/* Is each variable of these roles that matters on only one axis? */
static bool
are_apart(const SnTunedMap *m)
{
    for (uint32_t v = 0; v < m->nvar; v++) {
        int n = 0;
        for (int d = 0; d < m->rank; d++)
            n += counts(m, &m->at[d], v);
        if (m->bound[v] > 1 && n != (m->role[v] != SN_TUNED_FILTER))
            return false;
    }
    return true;
}

/* Does the variable have this step in the result? */
static bool
steps_by(const SnTunedMap *m, int v, int64_t step)
{
    return v < 0 || m->bound[v] == 1 || m->step[v] == step;
}

/* Results: channels side by side, and numbered in this order. */
static bool
read_filters(const SnTunedMap *m, SnConvGeo *o)
{
    int64_t per = 1;
    int ngroup = 0;

    for (uint32_t v = 0; v < m->nvar; v++)
        if (m->role[v] == SN_TUNED_FILTER)
            per *= m->bound[v];
    for (uint32_t v = 0; v < m->nvar; v++) {
        int64_t is = m->role[v] == SN_TUNED_FILTER  ? 1
                     : m->role[v] == SN_TUNED_GROUP ? per
                                                    : 0;
        if (m->bound[v] == 1)
            continue;
        ngroup += m->role[v] == SN_TUNED_GROUP;
        if (m->channel.k[v] != is || (is && m->step[v] != is))
            return false;
    }
    o->oc = per * o->group;
    return m->channel.base == 0 && ngroup <= 1;
}

/* Windows over rows and columns of images. */
static bool
read_images(const SnTunedMap *m, SnConvGeo *o)
{
    Axis n, h, w;

    if (m->rank != 4 || !read_axis(m, &m->at[0], &n) ||
        !read_axis(m, &m->at[1], &h) || !read_axis(m, &m->at[2], &w) ||
        !is_whole(m, &n, m->dim[0]))
        return false;
    o->n = m->dim[0];
    o->h = m->dim[1];
    o->w = m->dim[2];
    o->oh = bound(m, h.place);
    o->ow = bound(m, w.place);
    o->kh = bound(m, h.tap);
    o->kw = bound(m, w.tap);
    o->sh = h.step;
    o->sw = w.step;
    o->dh = h.gap;
    o->dw = w.gap;
    o->pt = -h.base;
    o->pl = -w.base;
    return steps_by(m, w.place, o->oc) && steps_by(m, h.place, o->oc * o->ow) &&
           steps_by(m, n.place, o->oc * o->ow * o->oh);
}

/* Rows of a matrix. */
static bool
read_rows(const SnTunedMap *m, SnConvGeo *o)
{
    int64_t rows = 1;

    for (int d = m->rank - 2; d >= 0; d--) {
        Axis a;
        if (!read_axis(m, &m->at[d], &a) || !is_whole(m, &a, m->dim[d]) ||
            !steps_by(m, a.place, o->oc * rows))
            return false;
        rows *= m->dim[d];
    }
    o->n = o->w = o->ow = o->kh = o->kw = o->sh = o->sw = o->dh = o->dw = 1;
    o->h = o->oh = rows;
    o->pt = o->pl = 0;
    return true;
}

bool
sn_tuned_geo(const SnTunedMap *m, SnConvGeo *geo)
{
    int64_t each;

    memset(geo, 0, sizeof *geo);
    return m->rank >= 1 && read_channels(m, geo, &each) && are_apart(m) &&
           read_filters(m, geo) && (read_images(m, geo) || read_rows(m, geo)) &&
           sn_conv_q8_holds(geo) && !is_empty(geo);
}

/* The variable of a role along axis d; -1: none. */
static int
variable(const SnTunedMap *m, SnTunedRole role, int d)
{
    for (uint32_t v = 0; v < m->nvar; v++)
        if (m->role[v] == role && m->bound[v] > 1 &&
            (d < 0 || counts(m, &m->at[d], v)))
            return (int)v;
    return -1;
}

static int64_t
part(const SnTunedMap *m, int v, int64_t i)
{
    return v < 0 ? 0 : m->w.k[v] * i;
}

const int8_t *
sn_tuned_filter(SnArena *a, const SnTunedMap *m, const SnConvGeo *o,
                const int8_t *w)
{
    int64_t cig = o->c / o->group, per = o->oc / o->group;
    bool images = o->kh * o->kw > 1;
    int row = images ? variable(m, SN_TUNED_TAP, 1) : -1;
    int column = images ? variable(m, SN_TUNED_TAP, 2) : -1;
    int c = variable(m, SN_TUNED_TAP, m->rank - 1);
    int filter = variable(m, SN_TUNED_FILTER, -1);
    int group = variable(m, SN_TUNED_GROUP, -1);
    int8_t *all = SN_NEW_N(a, int8_t, (size_t)(o->oc * o->kh * o->kw * cig)),
           *p = all;

    for (int64_t f = 0; f < o->oc; f++)
        for (int64_t i = 0; i < o->kh; i++)
            for (int64_t j = 0; j < o->kw; j++)
                for (int64_t e = 0; e < cig; e++)
                    *p++ = w[m->w.base + part(m, filter, f % per) +
                             part(m, group, f / per) + part(m, row, i) +
                             part(m, column, j) + part(m, c, e)];
    return all;
}
