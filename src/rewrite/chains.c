// SPDX-License-Identifier: Apache-2.0
/* The built-in pass `chains`: Transposes and Reshapes one after the other are
 * one Transpose between two Reshapes, which cost nothing.  Channels that are
 * shuffled in a layout of pictures move three times otherwise. */
#include <string.h>

#include "rewrite/internal.h"
#include "sn_kind_reshape.h"
#include "sn_kind_transpose.h"

/* Dimensions of the value above the chain, split where a Reshape splits them.
 * A part has a size, and the number of the part after it in that value. */
enum { NPART = 64, END = NPART };
typedef struct Chain {
    int64_t size[NPART];
    int next[NPART]; /* in the value above: END after the last */
    int first, npart;
    int at[NPART]; /* parts in the order of the value below */
    int n;
    int end[SN_MAXRANK]; /* of each of its dimensions: one past its last */
    int rank;
} Chain;

static void
open_chain(Chain *c, const SnShape *s)
{
    *c = (Chain){.first = END, .rank = s->rank};
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] != 1) {
            c->size[c->n] = s->dim[i];
            c->next[c->n] = END;
            if (c->n > 0)
                c->next[c->n - 1] = c->n;
            c->at[c->n] = c->n;
            c->n++;
        }
        c->end[i] = c->n;
    }
    c->npart = c->n;
    if (c->n > 0)
        c->first = 0;
}

static void
transpose(Chain *c, SnInts perm)
{
    Chain was = *c;

    c->n = 0;
    for (uint32_t i = 0; i < perm.n; i++) {
        int64_t k = perm.v[i];
        for (int j = k > 0 ? was.end[k - 1] : 0; j < was.end[k]; j++)
            c->at[c->n++] = was.at[j];
        c->end[i] = c->n;
    }
}

/* The part at place j becomes one of `size` and, after it, the rest. */
static bool
split(Chain *c, int j, int64_t size)
{
    int a = c->at[j], b = c->npart;

    if (c->size[a] % size != 0 || c->npart == NPART || c->n == NPART)
        return false;
    c->npart++;
    c->size[b] = c->size[a] / size;
    c->size[a] = size;
    c->next[b] = c->next[a];
    c->next[a] = b;
    memmove(c->at + j + 2, c->at + j + 1,
            (size_t)(c->n - j - 1) * sizeof *c->at);
    c->at[j + 1] = b;
    c->n++;
    return true;
}

/* False where dimensions do not divide one another. */
static bool
reshape(Chain *c, const SnShape *s)
{
    int j = 0;

    c->rank = s->rank;
    for (int i = 0; i < s->rank; i++) {
        for (int64_t need = s->dim[i]; need > 1; j++) {
            int64_t size = c->size[c->at[j]];
            if (size > need && !split(c, j, need))
                return false;
            size = c->size[c->at[j]];
            if (need % size != 0)
                return false;
            need /= size;
        }
        c->end[i] = j;
    }
    return true;
}

/* Parts that stay neighbours are one; they are numbered as in the value
 * above. */
static void
merge(Chain *c)
{
    int number[NPART] = {0}, n = 0, m = 0;

    for (int j = 0; j < c->n; j++) {
        int a = c->at[j], b;
        while (j + 1 < c->n && (b = c->next[a]) == c->at[j + 1]) {
            c->size[a] *= c->size[b];
            c->next[a] = c->next[b];
            j++;
        }
        c->at[m++] = a;
    }
    c->n = m;
    Chain was = *c;
    for (int a = c->first; a != END; a = was.next[a]) {
        number[a] = n;
        c->size[n] = was.size[a];
        n++;
    }
    for (int j = 0; j < c->n; j++)
        c->at[j] = number[was.at[j]];
}

static bool
is_move(const SnGraph *g, SnRef v)
{
    SnKind k = sn_kind(g, v);

    return (k == SN_K_TRANSPOSE || k == SN_K_RESHAPE) &&
           sn_type(g, v)->axis < 0;
}

/* A Transpose or Reshape that no other one alone reads. */
static bool
ends(const SnGraph *g, SnId id)
{
    const SnResult *r = sn_res(g, SN_REF(id, 0));

    return is_move(g, SN_REF(id, 0)) && r->nuse > 0 &&
           !(r->nuse == 1 && is_move(g, SN_REF(r->uses->user, 0)));
}

/* What the moves [0, n) do, the last one first; false: it cannot be said. */
static bool
follow(const SnGraph *g, const SnId *move, uint32_t n, Chain *c)
{
    open_chain(c, sn_shape_of(g, sn_in(g, move[n - 1], 0)));
    while (n-- > 0)
        if (sn_node(g, move[n])->kind == SN_K_TRANSPOSE)
            transpose(c, sn_transpose_attr(g, move[n])->perm);
        else if (!reshape(c, sn_shape_of(g, SN_REF(move[n], 0))))
            return false;
    merge(c);
    return c->n <= SN_MAXRANK;
}

static SnRef
reshaped(SnGraph *g, SnRef x, uint32_t rank, const int64_t *dim)
{
    SnReshapeAttr at = {{rank, dim}};
    const SnShape *s = sn_shape_of(g, x);

    if ((uint32_t)s->rank == rank && !memcmp(s->dim, dim, rank * sizeof *dim))
        return x;
    return SN_REF(sn_reshape_new(g, NULL, x, &at, sn_type(g, x)), 0);
}

static SnRef
build(SnGraph *g, SnRef x, const SnShape *to, const Chain *c)
{
    int64_t perm[SN_MAXRANK];
    bool moves = false;

    for (int i = 0; i < c->n; i++) {
        perm[i] = c->at[i];
        moves = moves || c->at[i] != i;
    }
    if (moves) {
        SnTransposeAttr at = {{(uint32_t)c->n, perm}};
        x = reshaped(g, x, (uint32_t)c->n, c->size);
        x = SN_REF(sn_transpose_new(g, NULL, x, &at, sn_type(g, x)), 0);
    }
    return reshaped(g, x, (uint32_t)to->rank, to->dim);
}

static void
shorten(SnRewriter *rw, SnGraph *g, SnId id)
{
    SnId *move = NULL, mark = g->nnode;
    uint32_t n = 0, nmove = 0;
    const SnShape *to = sn_shape_of(g, SN_REF(id, 0));
    Chain c;

    for (SnId k = id;; k = SN_NODE(sn_in(g, k, 0))) {
        SnRef x = sn_in(g, k, 0);
        SN_PUSH(rw->scratch, move, n, k);
        nmove += sn_node(g, k)->kind == SN_K_TRANSPOSE;
        if (!is_move(g, x) || sn_res(g, x)->nuse != 1)
            break;
    }
    if (nmove < 2 || sn_shape_count(to) == 0 || !follow(g, move, n, &c))
        return;
    SnRef y = build(g, sn_in(g, move[n - 1], 0), to, &c);
    sn_replace(g, SN_REF(id, 0), y, mark);
    sn_remove_unused(g, id);
}

void
sn_chains_pass(SnRewriter *rw, SnGraph *g)
{
    uint32_t n;
    const SnId *topo = sn_order(rw, g, &n);

    for (uint32_t i = 0; i < n; i++)
        if (!sn_node(g, topo[i])->dead && ends(g, topo[i]))
            shorten(rw, g, topo[i]);
}
