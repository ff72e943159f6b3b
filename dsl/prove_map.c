/* Index maps on small shapes, written apart from src/kernel: for each result
 * element the operand elements it reads. */
#include "dsl/prove_priv.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

static const SnDefSem *
sem(const PvNode *n)
{
    return n->n->nout ? n->n->rsem[0] : NULL;
}

static bool
map_is(const PvNode *n, const char *s)
{
    const SnDefSem *m = sem(n);

    return m && m->map && !strcmp(m->map, s);
}

static int
slot_of(const PvNode *n, const SnExpr *e)
{
    if (e->rk != SN_R_PORT)
        return -1;
    const SnDefPort *p = e->ref;
    for (uint32_t s = 0; s < n->nin; s++)
        if (!strcmp(n->n->in[n->port[s]]->name, p->name))
            return (int)s;
    return -1;
}

PvT *
pv_map_port(const PvNode *n, unsigned arg)
{
    int s = arg < sem(n)->narg ? slot_of(n, sem(n)->arg[arg]) : -1;

    return s < 0 ? NULL : n->in[s];
}

PvVal *
pv_map_attr(const PvNode *n, unsigned arg)
{
    if (arg >= sem(n)->narg)
        return NULL;
    const SnExpr *e = sem(n)->arg[arg];
    return e->ek == SN_E_NAME && e->rk == SN_R_ATTR ? pv_attr(n, e->s) : NULL;
}

double
pv_map_num(const PvNode *n, unsigned arg, double els)
{
    const PvVal *v = pv_map_attr(n, arg);

    if (v)
        return v->r;
    if (arg >= sem(n)->narg)
        return els;
    const SnExpr *e = sem(n)->arg[arg];
    return e->ek == SN_E_INT || e->ek == SN_E_BOOL ? (double)e->i : els;
}

const PvVal *
pv_map_list(const PvNode *n, unsigned arg)
{
    static const PvVal none = {.ty = SN_TY_INTS};
    const PvVal *v = pv_map_attr(n, arg);

    return v ? v : &none;
}

/* The word of an enum argument. */
const char *
pv_map_word(const PvNode *n, unsigned arg)
{
    const PvVal *v = pv_map_attr(n, arg);
    const SnDefAttr *a =
        v ? sn_def_attr(n->n, sem(n)->arg[arg]->s) : NULL;

    return a && v->r >= 0 && v->r < a->nword ? a->word[(int)v->r] : "";
}

int
pv_axis(const PvT *x, double axis)
{
    double k = axis < 0 ? axis + x->rank : axis;

    return k >= 0 && k < x->rank ? (int)k : -1;
}

void
pv_set_shape(PvT *t, int rank, const int64_t *dim)
{
    t->rank = rank;
    t->n = 1;
    for (int i = 0; i < rank; i++) {
        t->dim[i] = dim[i];
        t->n *= dim[i];
    }
}

static int64_t
at(const PvVal *v, uint32_t i)
{
    return i < v->n ? (int64_t)v->list[i] : 0;
}

static PvVal
ints(PvCase *c, uint32_t n, const int64_t *x)
{
    double *v = SN_NEW_N(c->a, double, n + 1);

    for (uint32_t i = 0; i < n; i++)
        v[i] = (double)x[i];
    return (PvVal){.ty = SN_TY_INTS, .n = n, .list = v};
}

static void
set_ints(PvCase *c, PvNode *n, unsigned arg, uint32_t k, const int64_t *x)
{
    PvVal *v = pv_map_attr(n, arg);

    if (v)
        *v = ints(c, k, x);
}

/* ---- shapes of results ---- */

static int64_t
window(int64_t in, int64_t k, int64_t st, int64_t p0, int64_t p1, int64_t dil,
       bool ceil_mode)
{
    int64_t v = in + p0 + p1 - ((k - 1) * dil + 1), o;

    if (v < 0)
        return 0;
    o = v / st + 1;
    if (ceil_mode && v % st && o * st < in + p0)
        o++;
    return o;
}

static bool
shape_conv(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = pv_map_port(n, 0), *w = pv_map_port(n, 1);
    const PvVal *st = pv_map_list(n, 2), *p = pv_map_list(n, 3);
    const PvVal *dl = pv_map_list(n, 4);

    if (x->rank != 4 || w->rank != 4 || pv_map_num(n, 5, 1) != 1 ||
        w->dim[3] != x->dim[3])
        return pv_no(c, "shapes of a convolution");
    d[0] = x->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = window(x->dim[1 + i], w->dim[1 + i], at(st, i), at(p, i),
                          at(p, 2 + i), at(dl, i), false);
    d[3] = w->dim[0];
    return d[1] > 0 && d[2] > 0 ? true : pv_no(c, "an empty window");
}

static bool
shape_pool(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = pv_map_port(n, 0);
    const PvVal *k = pv_map_list(n, 1), *st = pv_map_list(n, 2);
    const PvVal *p = pv_map_list(n, 3), *dl = pv_map_list(n, 4);

    if (x->rank != 4)
        return pv_no(c, "shapes of a pool");
    d[0] = x->dim[0];
    d[3] = x->dim[3];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = window(x->dim[1 + i], at(k, i), at(st, i), at(p, i),
                          at(p, 2 + i), at(dl, i), pv_map_num(n, 5, 0) != 0);
    return d[1] > 0 && d[2] > 0 ? true : pv_no(c, "an empty window");
}

static bool
shape_matmul(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *a = pv_map_port(n, 0), *b = pv_map_port(n, 1);
    bool ta = pv_map_num(n, 2, 0) != 0, tb = pv_map_num(n, 3, 0) != 0;

    if (a->rank != 2 || b->rank != 2 || a->dim[!ta] != b->dim[tb])
        return pv_no(c, "shapes of a product");
    d[0] = a->dim[ta];
    d[1] = b->dim[!tb];
    return true;
}

static bool
shape_broadcast(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    *rank = 0;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank > *rank)
            *rank = n->in[s]->rank;
    for (int i = 0; i < *rank; i++)
        d[i] = 1;
    for (uint32_t s = 0; s < n->nin; s++) {
        PvT *x = n->in[s];
        for (int i = 0; x && i < x->rank; i++) {
            int64_t *k = &d[*rank - x->rank + i];
            if (*k != 1 && x->dim[i] != 1 && *k != x->dim[i])
                return pv_no(c, "shapes of a broadcast");
            if (x->dim[i] != 1)
                *k = x->dim[i];
        }
    }
    return true;
}

static bool
shape_reshape(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    PvT *x = pv_map_port(n, 0);
    const PvVal *v = pv_map_list(n, 1);
    int64_t rest = x->n;
    int open = -1;

    if (v->n > PV_RANK)
        return pv_no(c, "a rank above 6");
    *rank = (int)v->n;
    for (int i = 0; i < *rank; i++) {
        d[i] = at(v, (uint32_t)i);
        if (d[i] == 0 && i < x->rank)
            d[i] = x->dim[i];
        if (d[i] < 0)
            open = i;
        else if (d[i] == 0 || rest % d[i])
            return pv_no(c, "dims of another size");
        else
            rest /= d[i];
    }
    if (open >= 0)
        d[open] = rest;
    return open >= 0 || rest == 1 ? true : pv_no(c, "dims of another size");
}

static bool
shape_move(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    PvT *x = pv_map_port(n, 0);
    const PvVal *v = pv_map_list(n, 1);

    *rank = x->rank;
    if (map_is(n, "permute")) {
        if (v->n != (uint32_t)x->rank)
            return pv_no(c, "a permutation of another rank");
        for (uint32_t i = 0; i < v->n; i++) {
            if (at(v, i) < 0 || at(v, i) >= x->rank)
                return pv_no(c, "no such axis");
            d[i] = x->dim[at(v, i)];
        }
        return true;
    }
    if (map_is(n, "slice") || map_is(n, "tile") || map_is(n, "pad")) {
        uint32_t want = (uint32_t)x->rank * (map_is(n, "pad") ? 2 : 1);
        if (v->n != want)
            return pv_no(c, "a list of another rank");
        for (uint32_t i = 0; i < (uint32_t)x->rank; i++)
            d[i] = map_is(n, "slice") ? at(pv_map_list(n, 2), i)
                   : map_is(n, "tile")
                       ? x->dim[i] * at(v, i)
                       : x->dim[i] + at(v, i) + at(v, i + (uint32_t)x->rank);
        return true;
    }
    if (map_is(n, "nearest")) {
        *rank = (int)v->n;
        for (uint32_t i = 0; i < v->n; i++)
            d[i] = at(v, i);
        return v->n == (uint32_t)x->rank ? true : pv_no(c, "another rank");
    }
    if (map_is(n, "block")) {
        int64_t b = (int64_t)pv_map_num(n, 1, 1);
        if (x->rank != 4 || b < 1 || x->dim[1] % b || x->dim[2] % b)
            return pv_no(c, "shapes of a block move");
        d[1] /= b;
        d[2] /= b;
        d[3] *= b * b;
    }
    return true;
}

bool
pv_shape(PvCase *c, PvNode *n)
{
    PvT *x = NULL;
    int64_t d[PV_RANK] = {0};
    int rank;

    if (!n->n->nout)
        return true;
    if (n->n->nin == 0) {
        const PvVal *v = pv_attr(n, "dims");
        for (uint32_t i = 0; v && i < v->n && i < PV_RANK; i++)
            d[i] = at(v, i);
        if (v && n->out[0]->rank < 0 && v->n)
            pv_set_shape(n->out[0], (int)v->n, d);
        return true;
    }
    if (!sem(n)->map)
        return pv_no(c, "a node without a map");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0)
            return pv_no(c, "an operand without a shape");
    x = map_is(n, "broadcast") ? n->in[0] : pv_map_port(n, 0);
    if (!x)
        return pv_no(c, "a missing operand");
    rank = x->rank;
    memcpy(d, x->dim, sizeof d);
    bool ok = true;
    if (map_is(n, "conv")) {
        ok = shape_conv(c, n, d);
    } else if (map_is(n, "pool")) {
        ok = shape_pool(c, n, d);
    } else if (map_is(n, "matmul")) {
        ok = shape_matmul(c, n, d);
    } else if (map_is(n, "broadcast")) {
        ok = shape_broadcast(c, n, d, &rank);
    } else if (map_is(n, "reshape")) {
        ok = shape_reshape(c, n, d, &rank);
    } else if (map_is(n, "concat")) {
        int k = pv_axis(x, pv_map_num(n, 1, 0));
        for (uint32_t s = 1; s < n->nin && k >= 0; s++) {
            if (n->in[s]->rank != x->rank)
                return pv_no(c, "shapes of a concat");
            d[k] += n->in[s]->dim[k];
        }
        ok = k >= 0 ? true : pv_no(c, "no such axis");
    } else if (map_is(n, "gather")) {
        int k = pv_axis(x, pv_map_num(n, 2, 0));
        if (k < 0 || pv_map_port(n, 1)->rank != 1)
            return pv_no(c, "shapes of a gather");
        d[k] = pv_map_port(n, 1)->n;
    } else if (map_is(n, "topk")) {
        int k = pv_axis(x, pv_map_num(n, 2, -1));
        if (k < 0)
            return pv_no(c, "no such axis");
        d[k] = (int64_t)pv_map_num(n, 1, 1);
        ok = d[k] >= 1 && d[k] <= x->dim[k] ? true : pv_no(c, "k");
    } else if (map_is(n, "reduce") || map_is(n, "bag") ||
               map_is(n, "conv_transpose")) {
        return pv_no(c, "a map the enumerator doesn't run");
    } else if (!map_is(n, "each") && !map_is(n, "row") &&
               !map_is(n, "window_channel") && !map_is(n, "flip") &&
               !map_is(n, "table")) {
        ok = shape_move(c, n, d, &rank);
    }
    for (uint32_t i = 0; ok && i < n->n->nout && i < PV_MAXRES; i++)
        pv_set_shape(n->out[i], rank, d);
    return ok;
}

/* ---- drawing what a map needs ---- */

static void
some_shape(PvCase *c, int rank, int64_t *d)
{
    for (int i = 0; i < rank; i++)
        d[i] = 1 + pv_below(c, 3);
}

static void
base_shape(PvCase *c, PvT *t)
{
    int64_t d[PV_RANK] = {256};
    int rank = 1;

    if (!c->flat && c->twin && pv_chance(c, 60)) {
        pv_set_shape(t, c->twin->rank, c->twin->dim);
        return;
    }
    if (!c->flat) {
        rank = pv_chance(c, 60) ? 4 : 1 + (int)pv_below(c, 3);
        some_shape(c, rank, d);
        if (rank == 4)
            d[0] = 1;
    }
    pv_set_shape(t, rank, d);
}

static void
draw_broadcast(PvCase *c, PvNode *n)
{
    PvT *base = NULL;
    uint32_t how = pv_below(c, 4);

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank >= 0 &&
            (!base || n->in[s]->n > base->n))
            base = n->in[s];
    for (uint32_t s = 0; s < n->nin; s++) {
        PvT *x = n->in[s];
        if (!x || x->rank >= 0)
            continue;
        if (!base) {
            base_shape(c, x);
            base = x;
            continue;
        }
        uint32_t k = n->nin > 2 ? how & 1 : how;
        if (k < 2 && base->rank > 0 && (k || n->nin > 2) && !c->flat)
            pv_set_shape(x, 1, &base->dim[base->rank - 1]);
        else
            pv_set_shape(x, base->rank, base->dim);
    }
}

static void
draw_conv(PvCase *c, PvNode *n)
{
    PvT *x = pv_map_port(n, 0), *w = pv_map_port(n, 1);
    int64_t xd[4] = {1, 2 + pv_below(c, 2), 2 + pv_below(c, 2),
                     1 + pv_below(c, 3)};
    int64_t k[2] = {1 + pv_below(c, 2), 1 + pv_below(c, 2)};
    PvVal *ka = pv_attr(n, "kernel");

    if (x && x->rank < 0)
        pv_set_shape(x, 4, xd);
    if (w && w->rank < 0 && x && x->rank == 4) {
        int64_t wd[4] = {1 + pv_below(c, 3), k[0], k[1], x->dim[3]};
        pv_set_shape(w, 4, wd);
    }
    if (ka && w && w->rank == 4)
        *ka = ints(c, 2, &w->dim[1]);
    if (pv_chance(c, 30)) {
        int64_t p[4] = {1, 0, 0, 1};
        set_ints(c, n, 3, 4, p);
    }
}

static void
draw_matmul(PvCase *c, PvNode *n)
{
    PvT *a = pv_map_port(n, 0), *b = pv_map_port(n, 1);
    bool ta = pv_map_num(n, 2, 0) != 0, tb = pv_map_num(n, 3, 0) != 0;
    int64_t m = 2, k = 3, o = 2 + pv_below(c, 2);

    if (a && a->rank < 0) {
        int64_t d[2] = {ta ? k : m, ta ? m : k};
        pv_set_shape(a, 2, d);
    }
    if (a && a->rank == 2)
        k = a->dim[!ta];
    if (b && b->rank < 0) {
        int64_t d[2] = {tb ? o : k, tb ? k : o};
        pv_set_shape(b, 2, d);
    }
}

static void
draw_pool(PvCase *c, PvNode *n, PvT *x)
{
    int64_t k[2], st[2], p[4] = {0, 0, 0, 0};

    if (x->rank < 0) {
        int64_t d[4] = {1, 2 + pv_below(c, 3), 2 + pv_below(c, 3),
                        1 + pv_below(c, 2)};
        pv_set_shape(x, 4, d);
    }
    for (int i = 0; i < 2; i++) {
        k[i] = 1 + pv_below(c, 2);
        st[i] = 1 + pv_below(c, 2);
        p[i] = k[i] > 1 && pv_chance(c, 30);
    }
    if (pv_chance(c, 35))
        k[0] = k[1] = st[0] = st[1] = 1, p[0] = p[1] = 0;
    set_ints(c, n, 1, 2, k);
    set_ints(c, n, 2, 2, st);
    set_ints(c, n, 3, 4, p);
}

static const PvVal *
perm_above(const PvT *x)
{
    return x->def && x->def->n->nin == 1 &&
                   x->def->n->rsem[0]->map &&
                   !strcmp(x->def->n->rsem[0]->map, "permute")
               ? pv_map_list(x->def, 1)
               : NULL;
}

static void
draw_permute(PvCase *c, PvNode *n, PvT *x)
{
    int64_t p[PV_RANK];
    const PvVal *up = perm_above(x);

    for (int i = 0; i < x->rank; i++)
        p[i] = i;
    if (c->twin && c->twin->rank == x->rank && pv_chance(c, 70)) {
        for (int i = 0; i < x->rank; i++)
            p[i] = (int64_t)c->perm[i];
    } else if (up && pv_chance(c, 30)) {
        for (uint32_t i = 0; i < up->n; i++)
            p[at(up, i)] = i;
    } else if (!pv_chance(c, 25)) {
        for (int i = x->rank - 1; i > 0; i--) {
            int j = (int)pv_below(c, (uint32_t)i + 1);
            int64_t t = p[i];
            p[i] = p[j];
            p[j] = t;
        }
    }
    set_ints(c, n, 1, (uint32_t)x->rank, p);
    c->twin = x;
    c->perm = pv_map_list(n, 1)->list;
}

static void
draw_lists(PvCase *c, PvNode *n, PvT *x)
{
    int64_t v[2 * PV_RANK] = {0}, w[PV_RANK], st[PV_RANK];
    uint32_t r = (uint32_t)x->rank;
    bool noop = pv_chance(c, 35);

    for (uint32_t i = 0; i < r; i++) {
        w[i] = x->dim[i];
        st[i] = 1;
    }
    if (map_is(n, "slice")) {
        for (uint32_t i = 0; i < r && !noop; i++) {
            v[i] = pv_below(c, (uint32_t)x->dim[i]);
            w[i] = 1 + pv_below(c, (uint32_t)(x->dim[i] - v[i]));
            if (w[i] > 1 && v[i] + 2 * (w[i] - 1) < x->dim[i])
                st[i] = 2;
        }
        set_ints(c, n, 1, r, v);
        set_ints(c, n, 2, r, w);
        set_ints(c, n, 3, r, st);
    } else if (map_is(n, "tile")) {
        for (uint32_t i = 0; i < r && !noop; i++)
            st[i] = 1 + pv_below(c, 2);
        set_ints(c, n, 1, r, st);
    } else if (map_is(n, "flip")) {
        uint32_t k = 0;
        for (uint32_t i = 0; i < r && !noop; i++)
            if (pv_chance(c, 50))
                v[k++] = i;
        set_ints(c, n, 1, k, v);
    } else if (map_is(n, "pad")) {
        bool reflect = !strcmp(pv_map_word(n, 2), "reflect");
        for (uint32_t i = 0; i < 2 * r && !noop; i++)
            v[i] = reflect && x->dim[i % r] < 2 ? 0 : pv_below(c, 2);
        set_ints(c, n, 1, 2 * r, v);
    } else if (map_is(n, "nearest")) {
        for (uint32_t i = 0; i < r; i++)
            w[i] *= 1 + (i > 0 && pv_chance(c, 50));
        set_ints(c, n, 1, r, w);
        for (uint32_t i = 0; i < r; i++)
            st[i] = w[i] / x->dim[i];
        set_ints(c, n, 2, r, st);
    }
}

static void
draw_reshape(PvCase *c, PvNode *n, PvT *x)
{
    int64_t flat[1] = {-1}, two[2] = {x->rank ? x->dim[0] : 1, -1};

    if (pv_chance(c, 35))
        set_ints(c, n, 1, (uint32_t)x->rank, x->dim);
    else if (pv_chance(c, 50))
        set_ints(c, n, 1, 1, flat);
    else
        set_ints(c, n, 1, 2, two);
}

static void
draw_concat(PvCase *c, PvNode *n)
{
    PvT *base = NULL;

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank >= 0)
            base = n->in[s];
    for (uint32_t s = 0; s < n->nin; s++) {
        if (n->in[s]->rank >= 0)
            continue;
        if (base)
            pv_set_shape(n->in[s], base->rank, base->dim);
        else
            base_shape(c, n->in[s]);
        base = n->in[s];
    }
    PvVal *ax = pv_map_attr(n, 1);
    if (ax && base)
        ax->r = pv_below(c, (uint32_t)base->rank);
}

/* The rest: operands the map doesn't index (biases), one per channel. */
static void
draw_vectors(PvNode *n)
{
    PvT *y = n->out[0];

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0 && y->rank > 0)
            pv_set_shape(n->in[s], 1, &y->dim[y->rank - 1]);
}

static void
shape_leaf_above(PvT *x)
{
    /* An unshaped Splat takes the shape it was given by its reader. */
    if (x && x->def && x->def->n->nin == 0 && x->rank >= 0) {
        PvVal *v = pv_attr(x->def, "dims");
        if (v)
            v->n = 0;
    }
}

bool
pv_draw_map(PvCase *c, PvNode *n)
{
    PvT *x = n->nin ? n->in[0] : NULL;
    int64_t d[PV_RANK];

    if (!sem(n) || !sem(n)->map) {
        if (x && x->rank < 0) /* a Save */
            base_shape(c, x);
        return true;
    }
    if (map_is(n, "broadcast")) {
        draw_broadcast(c, n);
    } else if (map_is(n, "conv")) {
        draw_conv(c, n);
    } else if (map_is(n, "matmul")) {
        draw_matmul(c, n);
    } else if (map_is(n, "pool")) {
        draw_pool(c, n, x);
    } else if (map_is(n, "concat")) {
        draw_concat(c, n);
    } else if (map_is(n, "table")) {
        PvT *t = pv_map_port(n, 1);
        d[0] = 256;
        if (x->rank < 0)
            pv_set_shape(x, 1, d);
        if (t && t->rank < 0)
            pv_set_shape(t, 1, d);
    } else {
        x = pv_map_port(n, 0);
        if (!x)
            return pv_no(c, "a missing operand");
        if (x->rank < 0 && map_is(n, "block")) {
            int64_t b[4] = {1, 2, 4, 2};
            pv_set_shape(x, 4, b);
        }
        if (x->rank < 0)
            base_shape(c, x);
        if (map_is(n, "permute"))
            draw_permute(c, n, x);
        else if (map_is(n, "reshape"))
            draw_reshape(c, n, x);
        else if (map_is(n, "block") && pv_map_attr(n, 1))
            pv_map_attr(n, 1)->r = 2;
        else if (map_is(n, "row") && pv_map_attr(n, 1))
            pv_map_attr(n, 1)->r = pv_below(c, (uint32_t)x->rank);
        else if (map_is(n, "window_channel") && pv_map_attr(n, 1))
            pv_map_attr(n, 1)->r = 1 + pv_below(c, 4);
        else if (map_is(n, "gather")) {
            uint32_t ax = pv_below(c, (uint32_t)x->rank);
            PvT *ix = pv_map_port(n, 1);
            d[0] = 2;
            if (ix && ix->rank < 0)
                pv_set_shape(ix, 1, d);
            if (x->dim[ax] < 2)
                return pv_no(c, "an axis too short to gather from");
            if (pv_map_attr(n, 2))
                pv_map_attr(n, 2)->r = ax;
        } else if (map_is(n, "topk")) {
            uint32_t ax = pv_below(c, (uint32_t)x->rank);
            if (pv_map_attr(n, 2))
                pv_map_attr(n, 2)->r = ax;
            if (pv_map_attr(n, 1))
                pv_map_attr(n, 1)->r = 1 + pv_below(c, (uint32_t)x->dim[ax]);
        } else
            draw_lists(c, n, x);
    }
    for (uint32_t s = 0; s < n->nin; s++)
        shape_leaf_above(n->in[s]);
    /* vectors come after the result's shape, which does not need them */
    PvT *save[8] = {NULL};
    for (uint32_t s = 0; s < n->nin && s < 8; s++)
        if (n->in[s] && n->in[s]->rank < 0) {
            save[s] = n->in[s];
            n->in[s] = NULL;
        }
    bool ok = pv_shape(c, n);
    for (uint32_t s = 0; s < n->nin && s < 8; s++)
        if (save[s])
            n->in[s] = save[s];
    if (ok)
        draw_vectors(n);
    return ok;
}

/* ---- taps ---- */

static int64_t
offset(const PvT *t, const int64_t *ix)
{
    int64_t o = 0;

    for (int i = 0; i < t->rank; i++)
        o = o * t->dim[i] + ix[i];
    return o;
}

static void
unravel(const PvT *t, int64_t o, int64_t *ix)
{
    for (int i = t->rank - 1; i >= 0; i--) {
        ix[i] = o % t->dim[i];
        o /= t->dim[i];
    }
}

static int32_t *
table(PvCase *c, PvTaps *t, uint32_t slot)
{
    t->ix[slot] = SN_NEW_N(c->a, int32_t, t->no * t->nk + 1);
    return t->ix[slot];
}

static void
taps_broadcast(PvCase *c, PvNode *n, PvTaps *t)
{
    PvT *y = n->out[0];
    int64_t i[PV_RANK], k[PV_RANK];

    for (uint32_t s = 0; s < n->nin; s++) {
        PvT *x = n->in[s];
        if (!x)
            continue;
        int32_t *ix = table(c, t, s);
        for (int64_t o = 0; o < t->no; o++) {
            unravel(y, o, i);
            for (int j = 0; j < x->rank; j++)
                k[j] = x->dim[j] == 1 ? 0 : i[y->rank - x->rank + j];
            ix[o] = (int32_t)offset(x, k);
        }
    }
}

static void
taps_conv(PvCase *c, PvNode *n, PvTaps *t, uint32_t sx, uint32_t sw)
{
    PvT *y = n->out[0], *x = n->in[sx], *w = n->in[sw];
    const PvVal *st = pv_map_list(n, 2), *p = pv_map_list(n, 3);
    const PvVal *dl = pv_map_list(n, 4);
    int64_t i[PV_RANK], k[PV_RANK];

    t->nk = w->dim[1] * w->dim[2] * w->dim[3];
    int32_t *a = table(c, t, sx), *b = table(c, t, sw);
    for (int64_t o = 0; o < t->no; o++) {
        unravel(y, o, i);
        for (int64_t m = 0; m < t->nk; m++) {
            int64_t kh = m / (w->dim[2] * w->dim[3]);
            int64_t kw = m / w->dim[3] % w->dim[2], ci = m % w->dim[3];
            k[0] = i[0];
            k[1] = i[1] * at(st, 0) - at(p, 0) + kh * at(dl, 0);
            k[2] = i[2] * at(st, 1) - at(p, 1) + kw * at(dl, 1);
            k[3] = ci;
            bool in = k[1] >= 0 && k[1] < x->dim[1] && k[2] >= 0 &&
                      k[2] < x->dim[2];
            a[o * t->nk + m] = in ? (int32_t)offset(x, k) : -1;
            b[o * t->nk + m] = in ? (int32_t)(i[3] * t->nk + m) : -1;
        }
    }
}

static void
taps_matmul(PvCase *c, PvNode *n, PvTaps *t, uint32_t sa, uint32_t sb)
{
    PvT *y = n->out[0], *a = n->in[sa], *b = n->in[sb];
    bool ta = pv_map_num(n, 2, 0) != 0, tb = pv_map_num(n, 3, 0) != 0;

    t->nk = a->dim[!ta];
    int32_t *ia = table(c, t, sa), *ib = table(c, t, sb);
    for (int64_t o = 0; o < t->no; o++)
        for (int64_t k = 0; k < t->nk; k++) {
            int64_t r = o / y->dim[1], q = o % y->dim[1];
            ia[o * t->nk + k] =
                (int32_t)(ta ? k * a->dim[1] + r : r * a->dim[1] + k);
            ib[o * t->nk + k] =
                (int32_t)(tb ? q * b->dim[1] + k : k * b->dim[1] + q);
        }
}

static bool
taps_pool(PvCase *c, PvNode *n, PvTaps *t, uint32_t sx)
{
    PvT *y = n->out[0], *x = n->in[sx];
    const PvVal *kn = pv_map_list(n, 1), *st = pv_map_list(n, 2);
    const PvVal *p = pv_map_list(n, 3), *dl = pv_map_list(n, 4);
    int64_t i[PV_RANK], k[PV_RANK];
    bool pads = pv_map_num(n, 6, 0) != 0;

    t->nk = at(kn, 0) * at(kn, 1);
    int32_t *a = table(c, t, sx);
    int32_t *div = pads ? SN_NEW_N(c->a, int32_t, t->no + 1) : NULL;
    for (int64_t o = 0; o < t->no; o++) {
        int64_t valid = 0;
        unravel(y, o, i);
        for (int64_t m = 0; m < t->nk; m++) {
            k[0] = i[0];
            k[1] = i[1] * at(st, 0) - at(p, 0) + m / at(kn, 1) * at(dl, 0);
            k[2] = i[2] * at(st, 1) - at(p, 1) + m % at(kn, 1) * at(dl, 1);
            k[3] = i[3];
            bool in = k[1] >= 0 && k[1] < x->dim[1] && k[2] >= 0 &&
                      k[2] < x->dim[2];
            a[o * t->nk + m] = in ? (int32_t)offset(x, k) : -1;
            valid += in;
        }
        if (div)
            div[o] = (int32_t)t->nk;
        if (!valid)
            return pv_no(c, "a window without a valid element");
    }
    t->div = div;
    return true;
}

/* Sets along one axis: rows, the order statistics of topk, channel windows. */
static void
taps_row(PvCase *c, PvNode *n, PvTaps *t, uint32_t sx)
{
    PvT *y = n->out[0], *x = n->in[sx];
    bool chan = map_is(n, "window_channel");
    double axis = map_is(n, "topk") ? pv_map_num(n, 2, -1)
                                    : pv_map_num(n, 1, -1);
    int ax = chan ? x->rank - 1 : pv_axis(x, axis);
    int64_t size = chan ? (int64_t)pv_map_num(n, 1, 1) : x->dim[ax];
    int64_t i[PV_RANK];

    t->nk = size;
    int32_t *a = table(c, t, sx);
    for (int64_t o = 0; o < t->no; o++) {
        unravel(y, o, i);
        int64_t at0 = chan ? i[ax] - (size - 1) / 2 : 0;
        for (int64_t k = 0; k < size; k++) {
            i[ax] = at0 + k;
            a[o * size + k] = i[ax] >= 0 && i[ax] < x->dim[ax]
                                  ? (int32_t)offset(x, i)
                                  : -1;
        }
    }
}

static int64_t
nearest_index(const PvNode *n, int64_t i, uint32_t ax)
{
    const PvT *x = n->in[0], *y = n->out[0];
    double sc = pv_map_list(n, 2)->list[ax], v;
    const char *co = pv_map_word(n, 3), *ne = pv_map_word(n, 4);

    if (!strcmp(co, "asymmetric"))
        v = (double)i / sc;
    else if (!strcmp(co, "align_corners"))
        v = y->dim[ax] > 1 ? (double)(i * (x->dim[ax] - 1)) /
                                 (double)(y->dim[ax] - 1)
                           : 0;
    else
        v = ((double)i + 0.5) / sc - 0.5;
    if (!strcmp(ne, "floor"))
        v = floor(v);
    else if (!strcmp(ne, "ceil"))
        v = ceil(v);
    else if (!strcmp(ne, "round_prefer_ceil"))
        v = floor(v + 0.5);
    else
        v = ceil(v - 0.5);
    v = fmax(0, fmin(v, (double)(x->dim[ax] - 1)));
    return (int64_t)v;
}

/* Where element i of a one-operand move comes from; -1: the fill. */
static int64_t
source(PvCase *c, PvNode *n, const PvT *x, int64_t *i)
{
    int64_t k[PV_RANK] = {0};
    const PvVal *v = pv_map_list(n, 1);
    uint32_t r = (uint32_t)x->rank;

    for (uint32_t j = 0; j < r; j++) {
        k[j] = i[j];
        if (map_is(n, "slice"))
            k[j] = at(v, j) + i[j] * at(pv_map_list(n, 3), j);
        else if (map_is(n, "tile"))
            k[j] = i[j] % x->dim[j];
        else if (map_is(n, "nearest"))
            k[j] = nearest_index(n, i[j], j);
        else if (map_is(n, "pad")) {
            int64_t d = x->dim[j], q = i[j] - at(v, j);
            const char *mode = pv_map_word(n, 2);
            if (!strcmp(mode, "edge"))
                q = q < 0 ? 0 : q >= d ? d - 1 : q;
            else if (!strcmp(mode, "reflect"))
                q = q < 0 ? -q : q >= d ? 2 * (d - 1) - q : q;
            else if (q < 0 || q >= d)
                return -1;
            k[j] = q < 0 ? 0 : q >= d ? d - 1 : q;
        }
        if (k[j] < 0 || k[j] >= x->dim[j]) {
            pv_no(c, "an index out of range");
            return 0;
        }
    }
    if (map_is(n, "permute"))
        for (uint32_t j = 0; j < r; j++)
            k[at(v, j)] = i[j];
    for (uint32_t j = 0; map_is(n, "flip") && j < v->n; j++)
        k[at(v, j) % r] = x->dim[at(v, j) % r] - 1 - i[at(v, j) % r];
    return offset(x, k);
}

static void
block_source(const PvNode *n, const PvT *x, const int64_t *i, int64_t *k)
{
    int64_t b = (int64_t)pv_map_num(n, 1, 1), q = i[3] / x->dim[3];

    k[0] = i[0];
    k[1] = i[1] * b + q / b;
    k[2] = i[2] * b + q % b;
    k[3] = i[3] % x->dim[3];
}

static bool
taps_move(PvCase *c, PvNode *n, PvTaps *t)
{
    PvT *y = n->out[0], *x = pv_map_port(n, 0);
    uint32_t sx = (uint32_t)slot_of(n, sem(n)->arg[0]);
    int64_t i[PV_RANK], k[PV_RANK];
    int32_t *ix = table(c, t, sx);

    for (int64_t o = 0; o < t->no && !c->fail; o++) {
        unravel(y, o, i);
        if (map_is(n, "reshape")) {
            ix[o] = (int32_t)o;
        } else if (map_is(n, "block")) {
            block_source(n, x, i, k);
            ix[o] = (int32_t)offset(x, k);
        } else if (map_is(n, "gather")) {
            int ax = pv_axis(x, pv_map_num(n, 2, 0));
            PvT *g = pv_map_port(n, 1);
            if (!pv_eval(c, g))
                return false;
            i[ax] = (int64_t)g->v[i[ax]];
            ix[o] = (int32_t)offset(x, i);
        } else if (map_is(n, "table")) {
            PvT *tb = pv_map_port(n, 1);
            uint32_t st = (uint32_t)slot_of(n, sem(n)->arg[1]);
            if (!pv_eval(c, x) || !tb)
                return false;
            if (!t->ix[st])
                table(c, t, st);
            t->ix[st][o] =
                (int32_t)(x->v[o] - pv_code_lo(x->type.elem));
            ix[o] = (int32_t)o;
        } else {
            ix[o] = (int32_t)source(c, n, x, i);
        }
    }
    return !c->fail;
}

static void
taps_concat(PvCase *c, PvNode *n, PvTaps *t)
{
    PvT *y = n->out[0];
    int ax = pv_axis(y, pv_map_num(n, 1, 0));
    int64_t i[PV_RANK];
    int32_t *ix = table(c, t, 0);

    t->slot = SN_NEW_N(c->a, int32_t, t->no + 1);
    for (int64_t o = 0; o < t->no; o++) {
        uint32_t s = 0;
        unravel(y, o, i);
        while (s + 1 < n->nin && i[ax] >= n->in[s]->dim[ax])
            i[ax] -= n->in[s++]->dim[ax];
        t->slot[o] = (int32_t)s;
        ix[o] = (int32_t)offset(n->in[s], i);
    }
}

bool
pv_taps(PvCase *c, PvNode *n, PvTaps *t)
{
    t->no = n->out[0]->n;
    t->nk = 1;
    t->ix = SN_NEW_N(c->a, int32_t *, n->nin + 1);
    if (n->n->nin == 0)
        return true;
    int s0 = slot_of(n, sem(n)->arg[0]);
    int s1 = sem(n)->narg > 1 ? slot_of(n, sem(n)->arg[1]) : -1;
    if (map_is(n, "each") || map_is(n, "broadcast"))
        taps_broadcast(c, n, t);
    else if (map_is(n, "conv"))
        taps_conv(c, n, t, (uint32_t)s0, (uint32_t)s1);
    else if (map_is(n, "matmul"))
        taps_matmul(c, n, t, (uint32_t)s0, (uint32_t)s1);
    else if (map_is(n, "pool"))
        return taps_pool(c, n, t, (uint32_t)s0);
    else if (map_is(n, "row") || map_is(n, "topk") ||
             map_is(n, "window_channel"))
        taps_row(c, n, t, (uint32_t)s0);
    else if (map_is(n, "concat"))
        taps_concat(c, n, t);
    else
        return taps_move(c, n, t);
    return true;
}
