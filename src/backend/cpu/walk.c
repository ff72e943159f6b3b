// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/walk.h"

#include <string.h>

#include "backend/cpu/units.h"

enum { UNIT = SN_CPU_UNIT };

/* The walk through operands that have no data yet. */
static void
open_walk(const SnCall *c, SnBcast *m)
{
    SnTensor in[2] = {c->in[0], c->in[1]};
    SnCall call = *c;

    for (int i = 0; i < 2; i++)
        in[i].data = in; /* not looked at */
    call.in = in;
    call.nin = 2;
    sn_bcast_open(m, &call);
}

/* Results of fewer elements are no part of a stream (run/stream.h). */
enum { MANY = 1 << 16 };

/* Elements of a unit of s, a multiple of `step` of about `most`: so many that
 * the last two axes, or more where those are small, are whole units, if there
 * is such a number; then steps that are cut by heads or rows can share a
 * stream with this one. */
static int64_t
unit_of(const SnShape *s, int64_t step, int64_t most)
{
    int64_t inner = 1;

    for (int i = s->rank - 1; i >= 0; i--)
        if (i >= s->rank - 2 || inner < most)
            inner *= s->dim[i];
    if (sn_shape_count(s) < MANY || most >= inner || inner > UINT32_MAX)
        return most;
    for (int64_t u = most; u >= most / 4 && u > 0; u -= step)
        if ((uint32_t)inner % (uint32_t)u == 0)
            return u;
    return most;
}

bool
sn_cpu_walk_open(SnPrep *p, SnCpuWalk *w, int64_t ns)
{
    const SnCall *c = p->call;
    int64_t n = sn_shape_count(c->out[0].shape);

    open_walk(c, &w->m);
    if (n == 0)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (sn_shape_count(c->in[i].shape) == n)
            p->inplace |= 1u << i;
    w->count = n;
    for (int i = 0; i < 2; i++) {
        w->step[i] = w->m.step[i];
        if (w->m.run == 1) /* one number, or columns: the last axis has 1 */
            w->step[i] = w->m.rank == 1;
    }
    w->nrow = n / w->m.run;
    w->per = w->nrow;
    w->rep = 1;
    w->unit = unit_of(c->out[0].shape, 1, UNIT);
    sn_cpu_units(p, n, ns);
    p->nunit = (n + w->unit - 1) / w->unit;
    if (w->nrow > 1) {
        bool row = w->m.rank == 2 && w->step[0] && w->step[1] &&
                   w->m.stride[0][0] == w->m.run && w->m.stride[0][1] == 0;
        if (row && w->m.run < UNIT / 16)
            w->rep = UNIT / 8 / w->m.run;
        if (w->rep > w->nrow / 2)
            w->rep = 1;
        w->per = (UNIT + w->m.run - 1) / w->m.run;
        w->per = (w->per + w->rep - 1) / w->rep * w->rep;
        w->unit =
            unit_of(c->out[0].shape, w->rep * w->m.run, w->per * w->m.run);
        w->per = w->unit / w->m.run;
        p->nunit = (w->nrow + w->per - 1) / w->per;
        p->nwork =
            (size_t)(w->rep * w->m.run) * sn_elem_size(c->in[1].type->elem);
    }
    if (sn_shape_count(c->in[0].shape) == n)
        p->reads = p->writes = w->unit;
    return true;
}

int64_t
sn_cpu_walk_part(const SnCpuWalk *w, const SnCall *c, int64_t *n)
{
    int64_t from = c->u0 * w->unit, to = c->u1 * w->unit;

    *n = (to < w->count ? to : w->count) - from;
    return from;
}

bool
sn_cpu_walk_plain(const SnCpuWalk *w)
{
    return w->nrow == 1 && w->step[0] == 1 && w->step[1] == 1;
}

/* What a run needs of the call: elements of each tensor by number. */
typedef struct Run {
    const SnCpuWalk *w;
    const SnCall *c;
    SnCpuWalkFn *fn;
    const void *k;
    size_t size[3];
} Run;

/* n elements from these places on. */
static void
run(const Run *r, int64_t a, const void *b, int64_t ib, int64_t n, int64_t y)
{
    const int64_t *step = r->w->step;

    r->fn(r->k, (const char *)r->c->in[0].data + (size_t)a * r->size[0],
          step[0], (const char *)b + (size_t)ib * r->size[1], step[1], n,
          (char *)r->c->out[0].data + (size_t)y * r->size[2]);
}

/* Rows [r0, r1), any broadcasting. */
static void
run_rows(const Run *u, int64_t r0, int64_t r1)
{
    SnBcast m = u->w->m;

    for (int64_t i = m.rank - 2, r = r0; i >= 0; r /= m.dim[i--]) {
        m.idx[i] = r % m.dim[i];
        for (int j = 0; j < 2; j++)
            m.off[j] += m.idx[i] * m.stride[i][j];
    }
    for (int64_t r = r0; r < r1; r++, sn_bcast_run(&m))
        run(u, m.off[0], u->c->in[1].data, m.off[1], m.run, r * m.run);
}

/* The same where b is a short row: many of it at a time. */
static void
run_repeated(const Run *u, int64_t r0, int64_t r1)
{
    int64_t row = u->w->m.run, rep = u->w->rep;
    size_t size = (size_t)row * u->size[1];

    for (int64_t i = 0; i < rep; i++)
        memcpy((char *)u->c->work + (size_t)i * size, u->c->in[1].data, size);
    for (int64_t r = r0; r < r1; r += rep) {
        int64_t n = r1 - r < rep ? r1 - r : rep;
        run(u, r * row, u->c->work, 0, n * row, r * row);
    }
}

void
sn_cpu_walk(const SnCpuWalk *w, const SnCall *c, SnCpuWalkFn *fn, const void *k)
{
    Run u = {w, c, fn, k, {0}};

    u.size[0] = sn_elem_size(c->in[0].type->elem);
    u.size[1] = sn_elem_size(c->in[1].type->elem);
    u.size[2] = sn_elem_size(c->out[0].type->elem);
    if (w->nrow == 1) {
        int64_t n, from = sn_cpu_walk_part(w, c, &n);
        run(&u, from * w->step[0], c->in[1].data, from * w->step[1], n, from);
        return;
    }
    int64_t r0 = c->u0 * w->per, r1 = c->u1 * w->per;
    r1 = r1 < w->nrow ? r1 : w->nrow;
    if (w->rep > 1)
        run_repeated(&u, r0, r1);
    else
        run_rows(&u, r0, r1);
}
