// SPDX-License-Identifier: Apache-2.0
/* Maps on small shapes: their arguments, and the shapes of results. */
#include "dsl/prove/trial/prove_mapping.h"

#include <math.h>
#include <string.h>

/* ---- arguments ---- */

const SnDefSem *
sn_case_sem(const SnCaseNode *n)
{
    return n->n->nout ? n->n->rsem[0] : NULL;
}

bool
sn_case_map_is(const SnCaseNode *n, SnMapWord map)
{
    const SnDefSem *m = sn_case_sem(n);

    return m && m->over == map;
}

int
sn_case_map_slot(const SnCaseNode *n, const SnExpr *e)
{
    if (e->rk != SN_R_PORT)
        return -1;
    const SnDefPort *p = e->ref;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->port[s] == p->index)
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
    return e->ek == SN_E_NAME && e->rk == SN_R_ATTR ? sn_case_its(n, e->ref)
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

/* Does the formula have no value for an empty set? */
bool
sn_case_requires_elements(const SnDefSem *s)
{
    const SnExpr *f = s->formula;

    if (f && f->fn == SN_FN_Q && f->nkid == 1)
        f = f->kid[0];
    return f && f->nkid == 1 && f->fn != SN_FN_SUM && sn_fn_reduces(f->fn);
}

static bool
same_dims(const SnCaseValue *t, int rank, const int64_t *d)
{
    return t->rank == rank && memcmp(t->dim, d, (size_t)rank * sizeof *d) == 0;
}

/* Operands outside a product: biases, one element per channel, or one for each
 * result. */
static bool
extra_operands_fit(const SnCaseNode *n, const int64_t *d, int rank)
{
    if (sn_map_count(sn_case_sem(n)->decl->decl, SN_MS_READ) != 2)
        return true;
    for (uint32_t s = 0; s < n->nin; s++) {
        const SnCaseValue *b = n->in[s];
        bool pin = n->n->in[n->port[s]]->fact == SN_PIN;
        if (!b || b == sn_case_map_port(n, 0) || b == sn_case_map_port(n, 1))
            continue;
        if ((b->rank != 1 || rank < 1 || b->n != d[rank - 1]) &&
            (pin || !same_dims(b, rank, d)))
            return false;
    }
    return true;
}

/* Otherwise the enumerator does not run it, which says nothing about the
 * rule. */
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

static bool
shape_declared(SnProofCase *c, SnCaseNode *n, int64_t *d, int *rank)
{
    const SnCaseValue *x = sn_case_one_shape(n);
    SnMapping u;

    if (x) {
        *rank = x->rank;
        memcpy(d, x->dim, sizeof x->dim);
        return true;
    }
    if (!sn_case_mapping(c, n, &u))
        return false;
    *rank = u.rank;
    memcpy(d, u.dim, sizeof u.dim);
    bool wanted = u.ntap == 0 && sn_case_requires_elements(sn_case_sem(n));
    for (int i = 0; i < u.rank; i++)
        wanted &= u.dim[i] > 0;
    return !wanted || sn_case_no(c, "a set without an element to reduce");
}

bool
sn_case_shape(SnProofCase *c, SnCaseNode *n)
{
    int64_t d[SN_CASE_RANK] = {0};

    if (!n->n->nout)
        return true;
    if (n->n->nin == 0)
        return shape_source(c, n);
    if (!sn_case_sem(n)->decl)
        return sn_case_no(c, "a node without a map");
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->rank < 0)
            return sn_case_no(c, "an operand without a shape");
    int rank = 0;
    if (!shape_declared(c, n, d, &rank))
        return false;
    if (!extra_operands_fit(n, d, rank))
        return sn_case_no(c, "a bias of another length");
    if (!small_enough(c, rank, d))
        return false;
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++)
        sn_case_set_shape(n->out[i], rank, d);
    return true;
}
