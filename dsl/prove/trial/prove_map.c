// SPDX-License-Identifier: Apache-2.0
/* Maps on small shapes: their arguments, and the shapes of results. */
#include "dsl/prove/trial/case.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

const SnDefSem *
sn_case_sem(const SnCaseNode *n)
{
    return n->n->nout ? n->n->rsem[0] : NULL;
}

bool
sn_case_map_is(const SnCaseNode *n, const char *s)
{
    const SnDefSem *m = sn_case_sem(n);

    return m && m->map && !strcmp(m->map, s);
}

int
sn_case_map_slot(const SnCaseNode *n, const SnExpr *e)
{
    if (e->rk != SN_R_PORT)
        return -1;
    const SnDefPort *p = e->ref;
    for (uint32_t s = 0; s < n->nin; s++)
        if (!strcmp(n->n->in[n->port[s]]->name, p->name))
            return (int)s;
    return -1;
}

SnCaseValue *
sn_case_map_port(const SnCaseNode *n, unsigned arg)
{
    int s = arg < sn_case_sem(n)->narg
                ? sn_case_map_slot(n, sn_case_sem(n)->arg[arg])
                : -1;

    return s < 0 ? NULL : n->in[s];
}

SnExprValue *
sn_case_map_attr(const SnCaseNode *n, unsigned arg)
{
    if (arg >= sn_case_sem(n)->narg)
        return NULL;
    const SnExpr *e = sn_case_sem(n)->arg[arg];
    return e->ek == SN_E_NAME && e->rk == SN_R_ATTR ? sn_case_attr(n, e->s)
                                                    : NULL;
}

double
sn_case_map_num(const SnCaseNode *n, unsigned arg, double els)
{
    const SnExprValue *v = sn_case_map_attr(n, arg);

    if (v)
        return v->r;
    if (arg >= sn_case_sem(n)->narg)
        return els;
    const SnExpr *e = sn_case_sem(n)->arg[arg];
    return e->ek == SN_E_INT || e->ek == SN_E_BOOL ? (double)e->i : els;
}

const SnExprValue *
sn_case_map_list(const SnCaseNode *n, unsigned arg)
{
    static const SnExprValue none = {.ty = SN_TY_INTS};
    const SnExprValue *v = sn_case_map_attr(n, arg);

    return v ? v : &none;
}

/* The word of an enum argument. */
const char *
sn_case_map_word(const SnCaseNode *n, unsigned arg)
{
    const SnExprValue *v = sn_case_map_attr(n, arg);
    const SnDefAttr *a =
        v ? sn_def_attr(n->n, sn_case_sem(n)->arg[arg]->s) : NULL;

    return a && v->r >= 0 && v->r < a->nword ? a->word[(int)v->r] : "";
}

int
sn_case_axis(const SnCaseValue *x, double axis)
{
    double k = axis < 0 ? axis + x->rank : axis;

    return k >= 0 && k < x->rank && k == floor(k) ? (int)k : -1;
}

/* Dimensions, strides and pads above this are not run. */
#define MOST ((int64_t)1 << 20)

static bool
whole(double v, int64_t lo, int64_t hi)
{
    return v >= (double)lo && v <= (double)hi && v == floor(v);
}

/* Is argument arg a list of n (n < 0: any number of) integers in [lo, hi]? */
static bool
ints_in(SnProofCase *c, const SnCaseNode *n, unsigned arg, int count,
        int64_t lo, int64_t hi)
{
    const SnExprValue *v = sn_case_map_list(n, arg);

    if (count >= 0 && v->n != (uint32_t)count)
        return sn_case_no(c, "a list of another length");
    for (uint32_t i = 0; i < v->n; i++)
        if (!whole(v->list[i], lo, hi))
            return sn_case_no(c, "a number out of range");
    return true;
}

/* Is argument arg an integer in [lo, hi]? */
static bool
int_in(SnProofCase *c, const SnCaseNode *n, unsigned arg, double els,
       int64_t lo, int64_t hi, int64_t *v)
{
    double r = sn_case_map_num(n, arg, els);

    if (!whole(r, lo, hi))
        return sn_case_no(c, "a number out of range");
    *v = (int64_t)r;
    return true;
}

/* Is argument arg a list of axes of x, none twice? */
static bool
axes_in(SnProofCase *c, const SnCaseNode *n, unsigned arg, const SnCaseValue *x)
{
    const SnExprValue *v = sn_case_map_list(n, arg);
    unsigned seen = 0;

    for (uint32_t i = 0; i < v->n; i++) {
        int k = sn_case_axis(x, v->list[i]);
        if (k < 0)
            return sn_case_no(c, "no such axis");
        if (seen >> k & 1)
            return sn_case_no(c, "an axis that is named twice");
        seen |= 1u << k;
    }
    return true;
}

void
sn_case_set_shape(SnCaseValue *t, int rank, const int64_t *dim)
{
    t->rank = rank;
    t->n = 1;
    for (int i = 0; i < rank; i++) {
        t->dim[i] = dim[i];
        t->n *= dim[i];
    }
}

/* ---- shapes of results ---- */

/* Strides, pads and dilations: arguments 2, 3 and 4 of a window. */
static bool
window_args(SnProofCase *c, const SnCaseNode *n)
{
    return ints_in(c, n, 2, 2, 1, MOST) && ints_in(c, n, 3, 4, 0, MOST) &&
           ints_in(c, n, 4, 2, 1, MOST);
}

/* Windows along dimension i: of k elements, in `in`. */
static bool
windows(SnProofCase *c, const SnCaseNode *n, uint32_t i, int64_t in, int64_t k,
        bool ceil_mode, int64_t *o)
{
    const SnExprValue *p = sn_case_map_list(n, 3);
    int64_t st = sn_case_at(sn_case_map_list(n, 2), i), p0 = sn_case_at(p, i);
    int64_t dil = sn_case_at(sn_case_map_list(n, 4), i);
    int64_t v = in + p0 + sn_case_at(p, 2 + i) - ((k - 1) * dil + 1);

    *o = v < 0 ? 0 : (ceil_mode ? v + st - 1 : v) / st + 1;
    if (ceil_mode && *o > 0 && (*o - 1) * st >= in + p0)
        --*o; /* it would start beyond the input */
    return *o > 0 || sn_case_no(c, "an empty window");
}

/* The shapes and channels of a convolution's operands. */
static bool
conv_args(SnProofCase *c, const SnCaseNode *n)
{
    const SnCaseValue *x = sn_case_map_port(n, 0), *w = sn_case_map_port(n, 1);
    int64_t g = 1;

    if (!window_args(c, n) || !int_in(c, n, 5, 1, 1, MOST, &g))
        return false;
    if (!w || x->rank != 4 || w->rank != 4 || w->dim[3] * g != x->dim[3] ||
        w->dim[0] % g || w->dim[1] < 1 || w->dim[2] < 1)
        return sn_case_no(c, "shapes of a convolution");
    return true;
}

static bool
shape_conv(SnProofCase *c, SnCaseNode *n, int64_t *d)
{
    SnCaseValue *x = sn_case_map_port(n, 0), *w = sn_case_map_port(n, 1);

    if (!conv_args(c, n))
        return false;
    d[0] = x->dim[0];
    d[3] = w->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        if (!windows(c, n, i, x->dim[1 + i], w->dim[1 + i], false, &d[1 + i]))
            return false;
    return true;
}

static bool
shape_pool(SnProofCase *c, SnCaseNode *n, int64_t *d)
{
    SnCaseValue *x = sn_case_map_port(n, 0);
    const SnExprValue *k = sn_case_map_list(n, 1);
    bool ceil_mode = sn_case_map_num(n, 5, 0) != 0;

    if (x->rank != 4)
        return sn_case_no(c, "shapes of a pool");
    if (!ints_in(c, n, 1, 2, 1, MOST) || !window_args(c, n))
        return false;
    d[0] = x->dim[0];
    d[3] = x->dim[3];
    for (uint32_t i = 0; i < 2; i++)
        if (!windows(c, n, i, x->dim[1 + i], sn_case_at(k, i), ceil_mode,
                     &d[1 + i]))
            return false;
    return true;
}

/* Vectors are rows on the left and columns on the right; what stands before
 * the last two dimensions is broadcast. */
static bool
shape_matmul(SnProofCase *c, SnCaseNode *n, int64_t *d, int *rank)
{
    SnCaseValue *a = sn_case_map_port(n, 0), *b = sn_case_map_port(n, 1);
    bool ta = sn_case_map_num(n, 2, 0) != 0, tb = sn_case_map_num(n, 3, 0) != 0;
    int ra = a->rank, rb = b ? b->rank : 0, most = ra > rb ? ra : rb;

    if (!b || ra < 1 || rb < 1 ||
        a->dim[ra > 1 && ta ? ra - 2 : ra - 1] !=
            b->dim[rb > 1 && !tb ? rb - 2 : rb - 1])
        return sn_case_no(c, "shapes of a product");
    *rank = most > 2 ? most - 2 : 0;
    for (int i = 0; i < *rank; i++) {
        int ia = i - (*rank - (ra - 2)), ib = i - (*rank - (rb - 2));
        int64_t p = ra > 2 && ia >= 0 ? a->dim[ia] : 1;
        int64_t q = rb > 2 && ib >= 0 ? b->dim[ib] : 1;
        if (p != q && p != 1 && q != 1)
            return sn_case_no(c, "shapes of a product");
        d[i] = p == 1 ? q : p;
    }
    if (ra > 1)
        d[(*rank)++] = a->dim[ta ? ra - 1 : ra - 2];
    if (rb > 1)
        d[(*rank)++] = b->dim[tb ? rb - 2 : rb - 1];
    return true;
}

static bool
shape_broadcast(SnProofCase *c, SnCaseNode *n, int64_t *d, int *rank)
{
    *rank = 0;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank > *rank)
            *rank = n->in[s]->rank;
    for (int i = 0; i < *rank; i++)
        d[i] = 1;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnCaseValue *x = n->in[s];
        for (int i = 0; x && i < x->rank; i++) {
            int64_t *k = &d[*rank - x->rank + i];
            if (*k != 1 && x->dim[i] != 1 && *k != x->dim[i])
                return sn_case_no(c, "shapes of a broadcast");
            if (x->dim[i] != 1)
                *k = x->dim[i];
        }
    }
    return true;
}

/* 0 keeps x's dimension at that place; -1, once, is what remains. */
static bool
shape_reshape(SnProofCase *c, SnCaseNode *n, int64_t *d, int *rank)
{
    SnCaseValue *x = sn_case_map_port(n, 0);
    const SnExprValue *v = sn_case_map_list(n, 1);
    int64_t all = 1;
    int open = -1;

    if (v->n > SN_CASE_RANK)
        return sn_case_no(c, "a rank above 8");
    if (!ints_in(c, n, 1, -1, -1, MOST))
        return false;
    *rank = (int)v->n;
    for (int i = 0; i < *rank; i++) {
        d[i] = sn_case_at(v, (uint32_t)i);
        if (d[i] == 0 && i >= x->rank)
            return sn_case_no(c, "a dimension that x does not have is kept");
        if (d[i] < 0 && open >= 0)
            return sn_case_no(c, "more than one -1");
        if (d[i] == 0)
            d[i] = x->dim[i];
        if (d[i] < 0)
            open = i;
        else if (all > MOST)
            return sn_case_no(c, "dims of another size");
        else
            all *= d[i];
    }
    if (open >= 0 ? all == 0 || x->n % all : all != x->n)
        return sn_case_no(c, "dims of another size");
    if (open >= 0)
        d[open] = x->n / all;
    return true;
}

static bool
shape_permute(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnExprValue *v = sn_case_map_list(n, 1);

    /* Axes of a permutation are not counted from the end. */
    if (!ints_in(c, n, 1, x->rank, 0, x->rank - 1) || !axes_in(c, n, 1, x))
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        d[i] = x->dim[sn_case_at(v, i)];
    return true;
}

/* Every element of the slice lies in x. */
static bool
shape_slice(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnExprValue *at = sn_case_map_list(n, 1),
                      *size = sn_case_map_list(n, 2);
    const SnExprValue *step = sn_case_map_list(n, 3);

    if (!ints_in(c, n, 1, x->rank, 0, MOST) ||
        !ints_in(c, n, 2, x->rank, 0, MOST) ||
        !ints_in(c, n, 3, x->rank, -MOST, MOST))
        return false;
    for (uint32_t i = 0; i < (uint32_t)x->rank; i++) {
        int64_t k = sn_case_at(size, i), first = sn_case_at(at, i);
        int64_t by = sn_case_at(step, i), last = first + (k - 1) * by;
        if (by == 0)
            return sn_case_no(c, "a step of 0");
        if (k > 0 && (first >= x->dim[i] || last < 0 || last >= x->dim[i]))
            return sn_case_no(c, "a slice beyond its operand");
        d[i] = k;
    }
    return true;
}

static bool
shape_tile(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnExprValue *v = sn_case_map_list(n, 1);

    if (!ints_in(c, n, 1, x->rank, 0, MOST))
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        d[i] = x->dim[i] * sn_case_at(v, i);
    return true;
}

/* Negative pads crop; a mirror needs one element beyond what it shows, an edge
 * an element at all. */
static bool
shape_pad(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnExprValue *v = sn_case_map_list(n, 1);
    bool edge = !strcmp(sn_case_map_word(n, 2), "edge");
    bool mirror = !strcmp(sn_case_map_word(n, 2), "reflect");

    if (!ints_in(c, n, 1, 2 * x->rank, -MOST, MOST))
        return false;
    for (uint32_t i = 0; i < (uint32_t)x->rank; i++) {
        int64_t k = x->dim[i], b = sn_case_at(v, i);
        int64_t a = sn_case_at(v, i + (uint32_t)x->rank);
        int64_t most = !edge && !mirror ? MOST
                       : k == 0         ? 0
                       : edge           ? MOST
                                        : k - 1;
        if (b < -k || a < -k || k + b + a < 0)
            return sn_case_no(c, "more is cropped than there is");
        if (b > most || a > most)
            return sn_case_no(c, "too few elements to pad by");
        d[i] = k + b + a;
    }
    return true;
}

/* No scales: the ratio of the dimensions. */
static bool
shape_nearest(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnExprValue *v = sn_case_map_list(n, 1), *sc = sn_case_map_list(n, 2);

    if (!ints_in(c, n, 1, x->rank, 0, MOST))
        return false;
    if (sc->n > 0 && sc->n != v->n)
        return sn_case_no(c, "a list of another length");
    for (uint32_t i = 0; i < v->n; i++) {
        if (sc->n > 0 &&
            (!((float)sc->list[i] > 0) || !isfinite((float)sc->list[i])))
            return sn_case_no(c, "a scale that is not positive and finite");
        d[i] = sn_case_at(v, i);
        if (x->dim[i] == 0 && d[i] > 0)
            return sn_case_no(c, "an empty axis");
    }
    return true;
}

static bool
shape_block(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    bool back = sn_case_map_num(n, 2, 0) != 0;
    int64_t b = 1;

    if (!int_in(c, n, 1, 1, 1, 1 << 15, &b))
        return false;
    if (x->rank != 4 || (back ? x->dim[3] % (b * b) != 0
                              : x->dim[1] % b != 0 || x->dim[2] % b != 0))
        return sn_case_no(c, "shapes of a block move");
    d[1] = back ? d[1] * b : d[1] / b;
    d[2] = back ? d[2] * b : d[2] / b;
    d[3] = back ? d[3] / (b * b) : d[3] * b * b;
    return true;
}

bool
sn_case_reduced(const SnCaseNode *n, const SnCaseValue *x, int axis)
{
    const SnExprValue *v = sn_case_map_list(n, 1);

    for (uint32_t i = 0; i < v->n; i++)
        if (sn_case_axis(x, v->list[i]) == axis)
            return true;
    return v->n == 0;
}

/* Has the formula no value for an empty set? */
static bool
wants_some(const SnDefSem *s)
{
    static const char *const v[] = {"max", "min", "mean", "argmax", "argmin"};
    const SnExpr *f = s->formula;

    if (f && f->ek == SN_E_CALL && !strcmp(f->s, "q") && f->nkid == 1)
        f = f->kid[0];
    for (size_t i = 0; f && i < sizeof v / sizeof *v; i++)
        if (f->ek == SN_E_CALL && f->nkid == 1 && !strcmp(f->s, v[i]))
            return true;
    return false;
}

/* Nothing has no largest element and no mean; where there is no result none is
 * asked for. */
static bool
shape_reduce(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x,
             int64_t *d, int *rank)
{
    bool keep = sn_case_map_num(n, 2, 1) != 0, none = false;
    bool wanted = wants_some(sn_case_sem(n));

    if (!axes_in(c, n, 1, x))
        return false;
    *rank = 0;
    for (int i = 0; i < x->rank; i++) {
        bool red = sn_case_reduced(n, x, i);
        none |= red && x->dim[i] == 0;
        wanted &= red || x->dim[i] > 0;
        if (!red || keep)
            d[(*rank)++] = red ? 1 : x->dim[i];
    }
    return !(none && wanted) ||
           sn_case_no(c, "an axis without an element to reduce");
}

/* The dimensions of the indices in place of the axis. */
static bool
shape_gather(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x,
             int64_t *d, int *rank)
{
    int k = sn_case_axis(x, sn_case_map_num(n, 2, 0));
    const SnCaseValue *ix = sn_case_map_port(n, 1);

    if (k < 0 || !ix || x->rank - 1 + ix->rank > SN_CASE_RANK)
        return sn_case_no(c, "shapes of a gather");
    *rank = x->rank - 1 + ix->rank;
    for (int i = 0; i < *rank; i++)
        d[i] = i < k              ? x->dim[i]
               : i < k + ix->rank ? ix->dim[i - k]
                                  : x->dim[i - ix->rank + 1];
    return true;
}

static bool
shape_back(SnProofCase *c, SnCaseNode *n, int64_t *d)
{
    SnCaseValue *x = sn_case_map_port(n, 0), *w = sn_case_map_port(n, 1);
    const SnExprValue *st = sn_case_map_list(n, 2), *p = sn_case_map_list(n, 3);
    const SnExprValue *dl = sn_case_map_list(n, 4),
                      *more = sn_case_map_list(n, 6);

    if (!conv_args(c, n) || !ints_in(c, n, 6, 2, 0, MOST))
        return false;
    d[0] = x->dim[0];
    for (uint32_t i = 0; i < 2; i++)
        d[1 + i] = (x->dim[1 + i] - 1) * sn_case_at(st, i) +
                   (w->dim[1 + i] - 1) * sn_case_at(dl, i) + 1 -
                   sn_case_at(p, i) - sn_case_at(p, 2 + i) +
                   sn_case_at(more, i);
    d[3] = w->dim[0];
    return x->dim[1] > 0 && x->dim[2] > 0 && d[1] > 0 && d[2] > 0
               ? true
               : sn_case_no(c, "an empty result");
}

static bool
same_dims(const SnCaseValue *t, int rank, const int64_t *d)
{
    return t->rank == rank && memcmp(t->dim, d, (size_t)rank * sizeof *d) == 0;
}

static bool
shape_concat(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x,
             int64_t *d)
{
    int k = sn_case_axis(x, sn_case_map_num(n, 1, 0));

    if (k < 0)
        return sn_case_no(c, "no such axis");
    uint32_t first = (uint32_t)sn_case_map_slot(n, sn_case_sem(n)->arg[0]);
    for (uint32_t s = first + 1; s < n->nin; s++) {
        const SnCaseValue *y = n->in[s];
        if (n->port[s] != n->port[first])
            break;
        if (!y || y->rank != x->rank)
            return sn_case_no(c, "shapes of a concat");
        for (int i = 0; i < x->rank; i++)
            if (i != k && y->dim[i] != x->dim[i])
                return sn_case_no(c, "shapes of a concat");
        d[k] += y->dim[k];
    }
    return true;
}

static bool
shape_topk(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x,
           int64_t *d)
{
    int k = sn_case_axis(x, sn_case_map_num(n, 2, -1));

    if (k < 0)
        return sn_case_no(c, "no such axis");
    return int_in(c, n, 1, 1, 0, x->dim[k], &d[k]);
}

static bool
shape_channels(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x)
{
    int64_t size = 1;

    return (x->rank >= 1 || sn_case_no(c, "no channels")) &&
           int_in(c, n, 1, 0, 1, MOST, &size);
}

static bool
shape_table(SnProofCase *c, const SnCaseNode *n)
{
    const SnCaseValue *t = sn_case_map_port(n, 1);

    return (t && t->rank == 1) || sn_case_no(c, "shape of a table");
}

static bool
shape_bag(SnProofCase *c, const SnCaseNode *n, const SnCaseValue *x, int64_t *d)
{
    const SnCaseValue *ix = sn_case_map_port(n, 1);

    if (sn_case_sem(n)->narg > 2)
        return sn_case_no(c, "a map the enumerator doesn't run");
    if (!ix || x->rank != 2 || ix->rank != 2)
        return sn_case_no(c, "shapes of a bag");
    d[0] = ix->dim[0];
    return true;
}

/* The shape of the results by n's map, of which x is the first operand: d and
 * rank are x's before. */
static bool
shape_by_map(SnProofCase *c, SnCaseNode *n, const SnCaseValue *x, int64_t *d,
             int *rank)
{
    if (sn_case_map_is(n, "conv"))
        return shape_conv(c, n, d);
    if (sn_case_map_is(n, "conv_transpose"))
        return shape_back(c, n, d);
    if (sn_case_map_is(n, "pool"))
        return shape_pool(c, n, d);
    if (sn_case_map_is(n, "matmul"))
        return shape_matmul(c, n, d, rank);
    if (sn_case_map_is(n, "broadcast"))
        return shape_broadcast(c, n, d, rank);
    if (sn_case_map_is(n, "reshape"))
        return shape_reshape(c, n, d, rank);
    if (sn_case_map_is(n, "concat"))
        return shape_concat(c, n, x, d);
    if (sn_case_map_is(n, "gather"))
        return shape_gather(c, n, x, d, rank);
    if (sn_case_map_is(n, "topk"))
        return shape_topk(c, n, x, d);
    if (sn_case_map_is(n, "row"))
        return sn_case_axis(x, sn_case_map_num(n, 1, -1)) >= 0 ||
               sn_case_no(c, "no such axis");
    if (sn_case_map_is(n, "flip"))
        return axes_in(c, n, 1, x);
    if (sn_case_map_is(n, "reduce"))
        return shape_reduce(c, n, x, d, rank);
    if (sn_case_map_is(n, "bag"))
        return shape_bag(c, n, x, d);
    if (sn_case_map_is(n, "window_channel"))
        return shape_channels(c, n, x);
    if (sn_case_map_is(n, "table"))
        return shape_table(c, n);
    if (sn_case_map_is(n, "permute"))
        return shape_permute(c, n, x, d);
    if (sn_case_map_is(n, "slice"))
        return shape_slice(c, n, x, d);
    if (sn_case_map_is(n, "tile"))
        return shape_tile(c, n, x, d);
    if (sn_case_map_is(n, "pad"))
        return shape_pad(c, n, x, d);
    if (sn_case_map_is(n, "nearest"))
        return shape_nearest(c, n, x, d);
    if (sn_case_map_is(n, "block"))
        return shape_block(c, n, x, d);
    return sn_case_map_is(n, "each") ||
           sn_case_no(c, "a map the enumerator doesn't run");
}

/* Operands beside the map: biases, one element per channel, or one for each
 * result. */
static bool
beside_map_fit(const SnCaseNode *n, const int64_t *d, int rank)
{
    if (!sn_case_map_is(n, "conv") && !sn_case_map_is(n, "matmul") &&
        !sn_case_map_is(n, "conv_transpose"))
        return true;
    for (uint32_t s = 0; s < n->nin; s++) {
        const SnCaseValue *b = n->in[s];
        bool pin = n->n->in[n->port[s]]->fact == SN_DF_PIN;
        if (!b || b == sn_case_map_port(n, 0) || b == sn_case_map_port(n, 1))
            continue;
        if ((b->rank != 1 || rank < 1 || b->n != d[rank - 1]) &&
            (pin || !same_dims(b, rank, d)))
            return false;
    }
    return true;
}

/* Otherwise the enumerator does not run it, which says nothing of the rule. */
static bool
small_enough(SnProofCase *c, int rank, const int64_t *d)
{
    int64_t n = 1;

    for (int i = 0; i < rank; i++) {
        if (d[i] > MOST || (n *= d[i]) > SN_CASE_COUNT) {
            c->large = true;
            return sn_case_no(c, "more elements than are run");
        }
    }
    return true;
}

/* A Splat: the list `dims`. */
static bool
shape_source(SnProofCase *c, SnCaseNode *n)
{
    const SnExprValue *v = sn_case_attr(n, "dims");
    int64_t d[SN_CASE_RANK] = {0};

    if (!v || n->out[0]->rank >= 0 || !v->n)
        return true;
    if (v->n > SN_CASE_RANK)
        return sn_case_no(c, "a rank above 8");
    for (uint32_t i = 0; i < v->n; i++) {
        if (!whole(v->list[i], 0, INT64_C(1) << 40))
            return sn_case_no(c, "a dimension below 0");
        d[i] = sn_case_at(v, i);
    }
    if (!small_enough(c, (int)v->n, d))
        return false;
    sn_case_set_shape(n->out[0], (int)v->n, d);
    return true;
}

bool
sn_case_shape(SnProofCase *c, SnCaseNode *n)
{
    int64_t d[SN_CASE_RANK] = {0};

    if (!n->n->nout)
        return true;
    if (n->n->nin == 0)
        return shape_source(c, n);
    if (!sn_case_sem(n)->map)
        return sn_case_no(c, "a node without a map");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0)
            return sn_case_no(c, "an operand without a shape");
    const SnCaseValue *x =
        sn_case_map_is(n, "broadcast") ? n->in[0] : sn_case_map_port(n, 0);
    if (!x)
        return sn_case_no(c, "a missing operand");
    int rank = x->rank;
    memcpy(d, x->dim, sizeof d);
    if (!shape_by_map(c, n, x, d, &rank))
        return false;
    if (!beside_map_fit(n, d, rank))
        return sn_case_no(c, "a bias of another length");
    if (!small_enough(c, rank, d))
        return false;
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++)
        sn_case_set_shape(n->out[i], rank, d);
    return true;
}
