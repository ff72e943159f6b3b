// SPDX-License-Identifier: Apache-2.0
#include "graph/late/late.h"

#include "base/team/spread.h"
#include "graph/type.h"

/* Rows that are made at a time stay in the second cache level. */
enum { NEAR_NBYTE = 1 << 17 };

bool
sn_late_init(SnLate *l, SnArena *a, SnLateRows *rows, const SnType *t,
             const SnShape *s, const void **data)
{
    size_t nbyte = sn_tensor_nbyte(t, s);
    void *p = nbyte > 0 && s->rank > 0 ? sn_arena_space(a, nbyte) : NULL;

    if (!p)
        return false;
    l->rows = rows;
    l->a = a;
    l->nrow = s->dim[0];
    l->nbyte = nbyte;
    *data = p;
    return true;
}

void
sn_late_from(SnLate *l, SnLateRows *rows, const SnType *t, const SnShape *s,
             const void *data)
{
    *l = (SnLate){.rows = rows,
                  .nrow = s->dim[0],
                  .nbyte = sn_tensor_nbyte(t, s),
                  .at = data};
}

typedef struct Fill {
    const SnLate *l;
    char *to;
    int64_t most; /* rows at a time */
    char *work;   /* of each part: */
    size_t pitch;
} Fill;

static void
fill_part(void *ctx, unsigned part, int64_t i0, int64_t i1)
{
    const Fill *f = ctx;
    size_t row = f->l->nbyte / (size_t)f->l->nrow;

    for (int64_t end; i0 < i1; i0 = end) {
        end = i1 - i0 < f->most ? i1 : i0 + f->most;
        f->l->rows(f->l, i0, end, f->to + (size_t)i0 * row,
                   f->work + part * f->pitch);
    }
}

void
sn_late_fill(const SnLate *l, void *to)
{
    size_t row = l->nbyte / (size_t)l->nrow;
    unsigned nparts = sn_spread_parts(l->nrow, l->nbyte);
    SnArena *tmp = sn_arena_new();
    Fill f = {.l = l, .to = to};

    f.most = row < NEAR_NBYTE ? (int64_t)(NEAR_NBYTE / row) : 1;
    f.pitch = ((size_t)f.most * row + 63) / 64 * 64;
    f.work = sn_alloc(tmp, nparts * f.pitch);
    sn_spread(l->nrow, nparts, fill_part, &f);
    sn_arena_free(tmp);
}

const void *
sn_node_data(const SnGraph *g, SnId id)
{
    SnNode *n = sn_node(g, id);

    if (sn_is_late(n)) {
        void *p = (void *)(uintptr_t)n->data;
        sn_arena_open(n->late->a, p, n->late->nbyte);
        sn_late_fill(n->late, p);
        n->late = NULL;
        n->own = true;
    }
    return n->data;
}
