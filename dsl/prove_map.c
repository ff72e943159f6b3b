/* Maps on small shapes: their arguments, and the shapes of results. */
#include "dsl/prove_priv.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

const SnDefSem *
pv_sem(const PvNode *n)
{
    return n->n->nout ? n->n->rsem[0] : NULL;
}

bool
pv_map_is(const PvNode *n, const char *s)
{
    const SnDefSem *m = pv_sem(n);

    return m && m->map && !strcmp(m->map, s);
}

int
pv_map_slot(const PvNode *n, const SnExpr *e)
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
    int s = arg < pv_sem(n)->narg ? pv_map_slot(n, pv_sem(n)->arg[arg]) : -1;

    return s < 0 ? NULL : n->in[s];
}

PvVal *
pv_map_attr(const PvNode *n, unsigned arg)
{
    if (arg >= pv_sem(n)->narg)
        return NULL;
    const SnExpr *e = pv_sem(n)->arg[arg];
    return e->ek == SN_E_NAME && e->rk == SN_R_ATTR ? pv_attr(n, e->s) : NULL;
}

double
pv_map_num(const PvNode *n, unsigned arg, double els)
{
    const PvVal *v = pv_map_attr(n, arg);

    if (v)
        return v->r;
    if (arg >= pv_sem(n)->narg)
        return els;
    const SnExpr *e = pv_sem(n)->arg[arg];
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
        v ? sn_def_attr(n->n, pv_sem(n)->arg[arg]->s) : NULL;

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
        d[1 + i] = window(x->dim[1 + i], w->dim[1 + i], pv_at(st, i), pv_at(p, i),
                          pv_at(p, 2 + i), pv_at(dl, i), false);
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
        d[1 + i] = window(x->dim[1 + i], pv_at(k, i), pv_at(st, i), pv_at(p, i),
                          pv_at(p, 2 + i), pv_at(dl, i), pv_map_num(n, 5, 0) != 0);
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
        d[i] = pv_at(v, (uint32_t)i);
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
    if (pv_map_is(n, "permute")) {
        if (v->n != (uint32_t)x->rank)
            return pv_no(c, "a permutation of another rank");
        for (uint32_t i = 0; i < v->n; i++) {
            if (pv_at(v, i) < 0 || pv_at(v, i) >= x->rank)
                return pv_no(c, "no such axis");
            d[i] = x->dim[pv_at(v, i)];
        }
        return true;
    }
    if (pv_map_is(n, "slice") || pv_map_is(n, "tile") || pv_map_is(n, "pad")) {
        uint32_t want = (uint32_t)x->rank * (pv_map_is(n, "pad") ? 2 : 1);
        if (v->n != want)
            return pv_no(c, "a list of another rank");
        for (uint32_t i = 0; i < (uint32_t)x->rank; i++)
            d[i] = pv_map_is(n, "slice") ? pv_at(pv_map_list(n, 2), i)
                   : pv_map_is(n, "tile")
                       ? x->dim[i] * pv_at(v, i)
                       : x->dim[i] + pv_at(v, i) + pv_at(v, i + (uint32_t)x->rank);
        return true;
    }
    if (pv_map_is(n, "nearest")) {
        *rank = (int)v->n;
        for (uint32_t i = 0; i < v->n; i++)
            d[i] = pv_at(v, i);
        return v->n == (uint32_t)x->rank ? true : pv_no(c, "another rank");
    }
    if (pv_map_is(n, "block")) {
        int64_t b = (int64_t)pv_map_num(n, 1, 1);
        bool back = pv_map_num(n, 2, 0) != 0;
        if (x->rank != 4 || b < 1 ||
            (back ? x->dim[3] % (b * b) != 0
                  : x->dim[1] % b != 0 || x->dim[2] % b != 0))
            return pv_no(c, "shapes of a block move");
        if (back) {
            d[1] *= b;
            d[2] *= b;
            d[3] /= b * b;
            return true;
        }
        d[1] /= b;
        d[2] /= b;
        d[3] *= b * b;
    }
    return true;
}

bool
pv_reduced(const PvNode *n, const PvT *x, int axis)
{
    const PvVal *v = pv_map_list(n, 1);

    for (uint32_t i = 0; i < v->n; i++)
        if (pv_axis(x, v->list[i]) == axis)
            return true;
    return v->n == 0;
}

static void
shape_reduce(const PvNode *n, const PvT *x, int64_t *d, int *rank)
{
    bool keep = pv_map_num(n, 2, 1) != 0;

    *rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (pv_reduced(n, x, i) && !keep)
            continue;
        d[(*rank)++] = pv_reduced(n, x, i) ? 1 : x->dim[i];
    }
}

static bool
shape_back(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = pv_map_port(n, 0), *w = pv_map_port(n, 1);
    const PvVal *st = pv_map_list(n, 2), *p = pv_map_list(n, 3);
    const PvVal *dl = pv_map_list(n, 4), *more = pv_map_list(n, 6);

    if (x->rank != 4 || w->rank != 4 || pv_map_num(n, 5, 1) != 1 ||
        w->dim[3] != x->dim[3])
        return pv_no(c, "shapes of a convolution");
    d[0] = x->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = (x->dim[1 + i] - 1) * pv_at(st, i) +
                   (w->dim[1 + i] - 1) * pv_at(dl, i) + 1 - pv_at(p, i) -
                   pv_at(p, 2 + i) + pv_at(more, i);
    d[3] = w->dim[0];
    return d[1] > 0 && d[2] > 0 ? true : pv_no(c, "an empty result");
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
            d[i] = pv_at(v, i);
        if (v && n->out[0]->rank < 0 && v->n)
            pv_set_shape(n->out[0], (int)v->n, d);
        return true;
    }
    if (!pv_sem(n)->map)
        return pv_no(c, "a node without a map");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0)
            return pv_no(c, "an operand without a shape");
    x = pv_map_is(n, "broadcast") ? n->in[0] : pv_map_port(n, 0);
    if (!x)
        return pv_no(c, "a missing operand");
    rank = x->rank;
    memcpy(d, x->dim, sizeof d);
    bool ok = true;
    if (pv_map_is(n, "conv")) {
        ok = shape_conv(c, n, d);
    } else if (pv_map_is(n, "pool")) {
        ok = shape_pool(c, n, d);
    } else if (pv_map_is(n, "matmul")) {
        ok = shape_matmul(c, n, d);
    } else if (pv_map_is(n, "broadcast")) {
        ok = shape_broadcast(c, n, d, &rank);
    } else if (pv_map_is(n, "reshape")) {
        ok = shape_reshape(c, n, d, &rank);
    } else if (pv_map_is(n, "concat")) {
        int k = pv_axis(x, pv_map_num(n, 1, 0));
        for (uint32_t s = 1; s < n->nin && k >= 0; s++) {
            if (n->in[s]->rank != x->rank)
                return pv_no(c, "shapes of a concat");
            for (int i = 0; i < x->rank; i++)
                if (i != k && n->in[s]->dim[i] != x->dim[i])
                    return pv_no(c, "shapes of a concat");
            d[k] += n->in[s]->dim[k];
        }
        ok = k >= 0 ? true : pv_no(c, "no such axis");
    } else if (pv_map_is(n, "gather")) {
        int k = pv_axis(x, pv_map_num(n, 2, 0));
        if (k < 0 || pv_map_port(n, 1)->rank != 1)
            return pv_no(c, "shapes of a gather");
        d[k] = pv_map_port(n, 1)->n;
    } else if (pv_map_is(n, "topk")) {
        int k = pv_axis(x, pv_map_num(n, 2, -1));
        if (k < 0)
            return pv_no(c, "no such axis");
        d[k] = (int64_t)pv_map_num(n, 1, 1);
        ok = d[k] >= 1 && d[k] <= x->dim[k] ? true : pv_no(c, "k");
    } else if (pv_map_is(n, "reduce")) {
        shape_reduce(n, x, d, &rank);
    } else if (pv_map_is(n, "conv_transpose")) {
        ok = shape_back(c, n, d);
    } else if (pv_map_is(n, "bag")) {
        return pv_no(c, "a map the enumerator doesn't run");
    } else if (!pv_map_is(n, "each") && !pv_map_is(n, "row") &&
               !pv_map_is(n, "window_channel") && !pv_map_is(n, "flip") &&
               !pv_map_is(n, "table")) {
        ok = shape_move(c, n, d, &rank);
    }
    /* operands beside the map (biases): one element per channel */
    bool dots = pv_map_is(n, "conv") || pv_map_is(n, "matmul") ||
                pv_map_is(n, "conv_transpose");
    for (uint32_t s = 0; ok && dots && s < n->nin; s++) {
        PvT *b = n->in[s];
        if (b && b != pv_map_port(n, 0) && b != pv_map_port(n, 1) &&
            (b->rank != 1 || b->n != d[rank - 1]))
            return pv_no(c, "a bias of another length");
    }
    for (uint32_t i = 0; ok && i < n->n->nout && i < PV_MAXRES; i++)
        pv_set_shape(n->out[i], rank, d);
    return ok;
}

