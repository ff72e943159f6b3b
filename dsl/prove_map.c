/* Maps on small shapes: their arguments, and the shapes of results. */
#include "dsl/prove_priv.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

const SnDefSem *
sn_pv_sem(const PvNode *n)
{
    return n->n->nout ? n->n->rsem[0] : NULL;
}

bool
sn_pv_map_is(const PvNode *n, const char *s)
{
    const SnDefSem *m = sn_pv_sem(n);

    return m && m->map && !strcmp(m->map, s);
}

int
sn_pv_map_slot(const PvNode *n, const SnExpr *e)
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
sn_pv_map_port(const PvNode *n, unsigned arg)
{
    int s = arg < sn_pv_sem(n)->narg ? sn_pv_map_slot(n, sn_pv_sem(n)->arg[arg])
                                     : -1;

    return s < 0 ? NULL : n->in[s];
}

PvVal *
sn_pv_map_attr(const PvNode *n, unsigned arg)
{
    if (arg >= sn_pv_sem(n)->narg)
        return NULL;
    const SnExpr *e = sn_pv_sem(n)->arg[arg];
    return e->ek == SN_E_NAME && e->rk == SN_R_ATTR ? sn_pv_attr(n, e->s)
                                                    : NULL;
}

double
sn_pv_map_num(const PvNode *n, unsigned arg, double els)
{
    const PvVal *v = sn_pv_map_attr(n, arg);

    if (v)
        return v->r;
    if (arg >= sn_pv_sem(n)->narg)
        return els;
    const SnExpr *e = sn_pv_sem(n)->arg[arg];
    return e->ek == SN_E_INT || e->ek == SN_E_BOOL ? (double)e->i : els;
}

const PvVal *
sn_pv_map_list(const PvNode *n, unsigned arg)
{
    static const PvVal none = {.ty = SN_TY_INTS};
    const PvVal *v = sn_pv_map_attr(n, arg);

    return v ? v : &none;
}

/* The word of an enum argument. */
const char *
sn_pv_map_word(const PvNode *n, unsigned arg)
{
    const PvVal *v = sn_pv_map_attr(n, arg);
    const SnDefAttr *a =
        v ? sn_def_attr(n->n, sn_pv_sem(n)->arg[arg]->s) : NULL;

    return a && v->r >= 0 && v->r < a->nword ? a->word[(int)v->r] : "";
}

int
sn_pv_axis(const PvT *x, double axis)
{
    double k = axis < 0 ? axis + x->rank : axis;

    return k >= 0 && k < x->rank ? (int)k : -1;
}

void
sn_pv_set_shape(PvT *t, int rank, const int64_t *dim)
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
    o = (ceil_mode ? v + st - 1 : v) / st + 1;
    if (ceil_mode && (o - 1) * st >= in + p0)
        o--; /* it would start beyond the input */
    return o;
}

static bool
shape_conv(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = sn_pv_map_port(n, 0), *w = sn_pv_map_port(n, 1);
    const PvVal *st = sn_pv_map_list(n, 2), *p = sn_pv_map_list(n, 3);
    const PvVal *dl = sn_pv_map_list(n, 4);

    int64_t g = (int64_t)sn_pv_map_num(n, 5, 1);

    if (x->rank != 4 || w->rank != 4 || w->dim[3] * g != x->dim[3] ||
        w->dim[0] % g)
        return sn_pv_no(c, "shapes of a convolution");
    d[0] = x->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] =
            window(x->dim[1 + i], w->dim[1 + i], sn_pv_at(st, i),
                   sn_pv_at(p, i), sn_pv_at(p, 2 + i), sn_pv_at(dl, i), false);
    d[3] = w->dim[0];
    return d[1] > 0 && d[2] > 0 ? true : sn_pv_no(c, "an empty window");
}

static bool
shape_pool(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = sn_pv_map_port(n, 0);
    const PvVal *k = sn_pv_map_list(n, 1), *st = sn_pv_map_list(n, 2);
    const PvVal *p = sn_pv_map_list(n, 3), *dl = sn_pv_map_list(n, 4);

    if (x->rank != 4)
        return sn_pv_no(c, "shapes of a pool");
    d[0] = x->dim[0];
    d[3] = x->dim[3];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = window(x->dim[1 + i], sn_pv_at(k, i), sn_pv_at(st, i),
                          sn_pv_at(p, i), sn_pv_at(p, 2 + i), sn_pv_at(dl, i),
                          sn_pv_map_num(n, 5, 0) != 0);
    return d[1] > 0 && d[2] > 0 ? true : sn_pv_no(c, "an empty window");
}

/* Vectors are rows on the left and columns on the right; what stands before
 * the last two dimensions is broadcast. */
static bool
shape_matmul(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    PvT *a = sn_pv_map_port(n, 0), *b = sn_pv_map_port(n, 1);
    bool ta = sn_pv_map_num(n, 2, 0) != 0, tb = sn_pv_map_num(n, 3, 0) != 0;
    int ra = a->rank, rb = b->rank, most = ra > rb ? ra : rb;

    if (ra < 1 || rb < 1 ||
        a->dim[ra > 1 && ta ? ra - 2 : ra - 1] !=
            b->dim[rb > 1 && !tb ? rb - 2 : rb - 1])
        return sn_pv_no(c, "shapes of a product");
    *rank = most > 2 ? most - 2 : 0;
    for (int i = 0; i < *rank; i++) {
        int ia = i - (*rank - (ra - 2)), ib = i - (*rank - (rb - 2));
        int64_t p = ra > 2 && ia >= 0 ? a->dim[ia] : 1;
        int64_t q = rb > 2 && ib >= 0 ? b->dim[ib] : 1;
        if (p != q && p != 1 && q != 1)
            return sn_pv_no(c, "shapes of a product");
        d[i] = p > q ? p : q;
    }
    if (ra > 1)
        d[(*rank)++] = a->dim[ta ? ra - 1 : ra - 2];
    if (rb > 1)
        d[(*rank)++] = b->dim[tb ? rb - 2 : rb - 1];
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
                return sn_pv_no(c, "shapes of a broadcast");
            if (x->dim[i] != 1)
                *k = x->dim[i];
        }
    }
    return true;
}

static bool
shape_reshape(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    PvT *x = sn_pv_map_port(n, 0);
    const PvVal *v = sn_pv_map_list(n, 1);
    int64_t rest = x->n;
    int open = -1;

    if (v->n > PV_RANK)
        return sn_pv_no(c, "a rank above 6");
    *rank = (int)v->n;
    for (int i = 0; i < *rank; i++) {
        d[i] = sn_pv_at(v, (uint32_t)i);
        if (d[i] == 0 && i < x->rank)
            d[i] = x->dim[i];
        if (d[i] < 0)
            open = i;
        else if (d[i] == 0 || rest % d[i])
            return sn_pv_no(c, "dims of another size");
        else
            rest /= d[i];
    }
    if (open >= 0)
        d[open] = rest;
    return open >= 0 || rest == 1 ? true : sn_pv_no(c, "dims of another size");
}

/* Does every element of the slice lie in x? */
static bool
in_range(const PvNode *n, const PvT *x)
{
    const PvVal *at = sn_pv_map_list(n, 1), *size = sn_pv_map_list(n, 2);
    const PvVal *step = sn_pv_map_list(n, 3);

    for (uint32_t i = 0; i < (uint32_t)x->rank; i++) {
        int64_t k = sn_pv_at(size, i), first = sn_pv_at(at, i);
        int64_t last = first + (k - 1) * sn_pv_at(step, i);
        if (k > 0 && (first < 0 || first >= x->dim[i] || last < 0 ||
                      last >= x->dim[i] || !sn_pv_at(step, i)))
            return false;
    }
    return true;
}

static bool
shape_move(PvCase *c, PvNode *n, int64_t *d, int *rank)
{
    PvT *x = sn_pv_map_port(n, 0);
    const PvVal *v = sn_pv_map_list(n, 1);

    *rank = x->rank;
    if (sn_pv_map_is(n, "permute")) {
        if (v->n != (uint32_t)x->rank)
            return sn_pv_no(c, "a permutation of another rank");
        for (uint32_t i = 0; i < v->n; i++) {
            if (sn_pv_at(v, i) < 0 || sn_pv_at(v, i) >= x->rank)
                return sn_pv_no(c, "no such axis");
            d[i] = x->dim[sn_pv_at(v, i)];
        }
        return true;
    }
    if (sn_pv_map_is(n, "slice") || sn_pv_map_is(n, "tile") ||
        sn_pv_map_is(n, "pad")) {
        uint32_t want = (uint32_t)x->rank * (sn_pv_map_is(n, "pad") ? 2 : 1);
        if (v->n != want)
            return sn_pv_no(c, "a list of another rank");
        if (sn_pv_map_is(n, "slice") && !in_range(n, x))
            return sn_pv_no(c, "a slice beyond its operand");
        for (uint32_t i = 0; i < (uint32_t)x->rank; i++)
            d[i] = sn_pv_map_is(n, "slice") ? sn_pv_at(sn_pv_map_list(n, 2), i)
                   : sn_pv_map_is(n, "tile")
                       ? x->dim[i] * sn_pv_at(v, i)
                       : x->dim[i] + sn_pv_at(v, i) +
                             sn_pv_at(v, i + (uint32_t)x->rank);
        return true;
    }
    if (sn_pv_map_is(n, "nearest")) {
        *rank = (int)v->n;
        for (uint32_t i = 0; i < v->n; i++)
            d[i] = sn_pv_at(v, i);
        return v->n == (uint32_t)x->rank ? true : sn_pv_no(c, "another rank");
    }
    if (sn_pv_map_is(n, "block")) {
        int64_t b = (int64_t)sn_pv_map_num(n, 1, 1);
        bool back = sn_pv_map_num(n, 2, 0) != 0;
        if (x->rank != 4 || b < 1 ||
            (back ? x->dim[3] % (b * b) != 0
                  : x->dim[1] % b != 0 || x->dim[2] % b != 0))
            return sn_pv_no(c, "shapes of a block move");
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
sn_pv_reduced(const PvNode *n, const PvT *x, int axis)
{
    const PvVal *v = sn_pv_map_list(n, 1);

    for (uint32_t i = 0; i < v->n; i++)
        if (sn_pv_axis(x, v->list[i]) == axis)
            return true;
    return v->n == 0;
}

static void
shape_reduce(const PvNode *n, const PvT *x, int64_t *d, int *rank)
{
    bool keep = sn_pv_map_num(n, 2, 1) != 0;

    *rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (sn_pv_reduced(n, x, i) && !keep)
            continue;
        d[(*rank)++] = sn_pv_reduced(n, x, i) ? 1 : x->dim[i];
    }
}

/* The dimensions of the indices in place of the axis. */
static bool
shape_gather(PvCase *c, const PvNode *n, const PvT *x, int64_t *d, int *rank)
{
    int k = sn_pv_axis(x, sn_pv_map_num(n, 2, 0));
    const PvT *ix = sn_pv_map_port(n, 1);

    if (k < 0 || ix->rank < 1 || x->rank - 1 + ix->rank > PV_RANK)
        return sn_pv_no(c, "shapes of a gather");
    *rank = x->rank - 1 + ix->rank;
    for (int i = 0; i < *rank; i++)
        d[i] = i < k ? x->dim[i]
            : i < k + ix->rank ? ix->dim[i - k] : x->dim[i - ix->rank + 1];
    return true;
}

static bool
shape_back(PvCase *c, PvNode *n, int64_t *d)
{
    PvT *x = sn_pv_map_port(n, 0), *w = sn_pv_map_port(n, 1);
    const PvVal *st = sn_pv_map_list(n, 2), *p = sn_pv_map_list(n, 3);
    const PvVal *dl = sn_pv_map_list(n, 4), *more = sn_pv_map_list(n, 6);

    int64_t g = (int64_t)sn_pv_map_num(n, 5, 1);

    if (x->rank != 4 || w->rank != 4 || w->dim[3] * g != x->dim[3] ||
        w->dim[0] % g)
        return sn_pv_no(c, "shapes of a convolution");
    d[0] = x->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = (x->dim[1 + i] - 1) * sn_pv_at(st, i) +
                   (w->dim[1 + i] - 1) * sn_pv_at(dl, i) + 1 - sn_pv_at(p, i) -
                   sn_pv_at(p, 2 + i) + sn_pv_at(more, i);
    d[3] = w->dim[0];
    return d[1] > 0 && d[2] > 0 ? true : sn_pv_no(c, "an empty result");
}

/* The axes that a map lists are axes of x? */
static bool
axes_exist(PvCase *c, const PvNode *n, const PvT *x)
{
    const PvVal *v = sn_pv_map_list(n, 1);

    for (uint32_t i = 0; i < v->n; i++)
        if (sn_pv_axis(x, v->list[i]) < 0)
            return sn_pv_no(c, "no such axis");
    return true;
}

static bool
same_dims(const PvT *t, int rank, const int64_t *d)
{
    return t->rank == rank &&
           memcmp(t->dim, d, (size_t)rank * sizeof *d) == 0;
}

static bool
shape_concat(PvCase *c, const PvNode *n, const PvT *x, int64_t *d)
{
    int k = sn_pv_axis(x, sn_pv_map_num(n, 1, 0));

    if (k < 0)
        return sn_pv_no(c, "no such axis");
    for (uint32_t s = 1; s < n->nin; s++) {
        const PvT *y = n->in[s];
        if (y->rank != x->rank)
            return sn_pv_no(c, "shapes of a concat");
        for (int i = 0; i < x->rank; i++)
            if (i != k && y->dim[i] != x->dim[i])
                return sn_pv_no(c, "shapes of a concat");
        d[k] += y->dim[k];
    }
    return true;
}

static bool
shape_topk(PvCase *c, const PvNode *n, const PvT *x, int64_t *d)
{
    int k = sn_pv_axis(x, sn_pv_map_num(n, 2, -1));

    if (k < 0)
        return sn_pv_no(c, "no such axis");
    d[k] = (int64_t)sn_pv_map_num(n, 1, 1);
    return (d[k] >= 1 && d[k] <= x->dim[k]) || sn_pv_no(c, "k");
}

static bool
shape_bag(PvCase *c, const PvNode *n, const PvT *x, int64_t *d)
{
    const PvT *ix = sn_pv_map_port(n, 1);

    if (sn_pv_sem(n)->narg > 2)
        return sn_pv_no(c, "a map the enumerator doesn't run");
    if (x->rank != 2 || ix->rank != 2)
        return sn_pv_no(c, "shapes of a bag");
    d[0] = ix->dim[0];
    return true;
}

/* The shape of the results by n's map, of which x is the first operand: d and
 * rank are x's before. */
static bool
shape_by_map(PvCase *c, PvNode *n, const PvT *x, int64_t *d, int *rank)
{
    if (sn_pv_map_is(n, "conv"))
        return shape_conv(c, n, d);
    if (sn_pv_map_is(n, "conv_transpose"))
        return shape_back(c, n, d);
    if (sn_pv_map_is(n, "pool"))
        return shape_pool(c, n, d);
    if (sn_pv_map_is(n, "matmul"))
        return shape_matmul(c, n, d, rank);
    if (sn_pv_map_is(n, "broadcast"))
        return shape_broadcast(c, n, d, rank);
    if (sn_pv_map_is(n, "reshape"))
        return shape_reshape(c, n, d, rank);
    if (sn_pv_map_is(n, "concat"))
        return shape_concat(c, n, x, d);
    if (sn_pv_map_is(n, "gather"))
        return shape_gather(c, n, x, d, rank);
    if (sn_pv_map_is(n, "topk"))
        return shape_topk(c, n, x, d);
    if (sn_pv_map_is(n, "row"))
        return sn_pv_axis(x, sn_pv_map_num(n, 1, -1)) >= 0 ||
               sn_pv_no(c, "no such axis");
    if (sn_pv_map_is(n, "flip"))
        return axes_exist(c, n, x);
    if (sn_pv_map_is(n, "reduce")) {
        bool ok = axes_exist(c, n, x);
        shape_reduce(n, x, d, rank);
        return ok;
    }
    if (sn_pv_map_is(n, "bag"))
        return shape_bag(c, n, x, d);
    return sn_pv_map_is(n, "each") || sn_pv_map_is(n, "window_channel") ||
           sn_pv_map_is(n, "table") || shape_move(c, n, d, rank);
}

/* Operands beside the map: biases, one element per channel, or one for each
 * result. */
static bool
beside_map_fit(const PvNode *n, const int64_t *d, int rank)
{
    if (!sn_pv_map_is(n, "conv") && !sn_pv_map_is(n, "matmul") &&
        !sn_pv_map_is(n, "conv_transpose"))
        return true;
    for (uint32_t s = 0; s < n->nin; s++) {
        const PvT *b = n->in[s];
        bool pin = n->n->in[n->port[s]]->fact == SN_DF_PIN;
        if (!b || b == sn_pv_map_port(n, 0) || b == sn_pv_map_port(n, 1))
            continue;
        if ((b->rank != 1 || rank < 1 || b->n != d[rank - 1]) &&
            (pin || !same_dims(b, rank, d)))
            return false;
    }
    return true;
}

bool
sn_pv_shape(PvCase *c, PvNode *n)
{
    int64_t d[PV_RANK] = {0};

    if (!n->n->nout)
        return true;
    if (n->n->nin == 0) {
        const PvVal *v = sn_pv_attr(n, "dims");
        for (uint32_t i = 0; v && i < v->n && i < PV_RANK; i++)
            d[i] = sn_pv_at(v, i);
        if (v && n->out[0]->rank < 0 && v->n)
            sn_pv_set_shape(n->out[0], (int)v->n, d);
        return true;
    }
    if (!sn_pv_sem(n)->map)
        return sn_pv_no(c, "a node without a map");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0)
            return sn_pv_no(c, "an operand without a shape");
    const PvT *x =
        sn_pv_map_is(n, "broadcast") ? n->in[0] : sn_pv_map_port(n, 0);
    if (!x)
        return sn_pv_no(c, "a missing operand");
    int rank = x->rank;
    memcpy(d, x->dim, sizeof d);
    if (!shape_by_map(c, n, x, d, &rank))
        return false;
    if (!beside_map_fit(n, d, rank))
        return sn_pv_no(c, "a bias of another length");
    for (uint32_t i = 0; i < n->n->nout && i < PV_MAXRES; i++)
        sn_pv_set_shape(n->out[i], rank, d);
    return true;
}

