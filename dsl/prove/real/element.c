// SPDX-License-Identifier: Apache-2.0
/* Elements of both sides as expressions over elements of the operands. */
#include "dsl/model/named.h"
#include "dsl/prove/real/box.h"

#include <string.h>

/* A node at one place of its result; in a sum, at one tap. */
typedef struct At {
    SnRealProof *cx;
    SnBoxNode *n;
    SnBoxPlace place;
    SnNums *slot, *base; /* base: without taps */
    bool set;            /* in a sum over taps */
} At;

static SnRing formula(const At *v, const SnExpr *e);
static SnRing port(const At *v, const SnDefPort *p);

static SnRing
out(SnRealProof *cx, const char *why)
{
    sn_real_out(cx, why);
    return (SnRing){0};
}

static SnRing
num(const At *v, double x)
{
    v->cx->zeros |= x == 0;
    return sn_ring_num(&v->cx->R, x);
}

/* ---- divisors ---- */

static void
note(SnRealProof *cx, bool left, bool grow, SnRing x)
{
    double v;

    if (sn_ring_is_num(x, &v) && (grow || v != 0))
        return;
    if (grow)
        SN_PUSH(cx->a, cx->grow[left], cx->ngrow[left], x);
    else
        SN_PUSH(cx->a, cx->div[left], cx->ndiv[left], x);
}

static SnRing
divided(const At *v, SnRing a, SnRing b)
{
    note(v->cx, v->n->left, false, b);
    return sn_ring_div(&v->cx->R, a, b);
}

/* ---- max and min ---- */

/* Of a positive factor outside: max(k x, k y) = k max(x, y). */
SnRing
sn_real_extreme(SnRealProof *cx, bool left, SnFn fn, SnRing a, SnRing b)
{
    SnRings *R = &cx->R;
    SnRing k[2] = {a, b};
    const SnRing of[2] = {a, b};
    double x, y, c = 1;

    if (sn_real_exact(cx))
        return sn_real_choice(cx, left, fn, a, b);
    if (sn_ring_is_num(a, &x) && sn_ring_is_num(b, &y))
        return (x < y) == (fn == SN_FN_MIN) ? a : b;
    if (sn_ring_same(&cx->R, a, b))
        return a;
    if (sn_ring_is_num(a, &x)) { /* the number last */
        k[0] = b;
        k[1] = a;
    }
    c = k[0].t[0].c;
    c = c < 0 ? -c : c;
    for (int i = 0; i < 2; i++)
        k[i] = sn_ring_scale(R, k[i], 1 / c);
    const char *word = fn == SN_FN_MAX ? "max" : "min";
    return sn_ring_made(
        R, sn_ring_scale(R, sn_ring_atom(R, SN_RING_NAME, word, 2, k), c), 'f',
        word, 2, of, 0, NULL);
}

/* Is it the sum of products of codes that both sides have? */
static bool
of_codes(const At *v)
{
    return v->n == v->cx->codes[0] || v->n == v->cx->codes[1];
}

/* More than moves. */
static void
computes(const At *v)
{
    v->cx->computes |= !of_codes(v);
}

static SnRing
clamped(const At *v, SnRing x)
{
    const SnDefAttr *a = v->n->sem->clamp;
    const SnBoxAttr *c = a ? sn_real_attr(v->n, a) : NULL;

    if (!c || c->full)
        return x;
    computes(v);
    if (c->has[0])
        x = sn_real_extreme(v->cx, v->n->left, SN_FN_MAX, x, c->side[0]);
    if (c->has[1])
        x = sn_real_extreme(v->cx, v->n->left, SN_FN_MIN, x, c->side[1]);
    return x;
}

/* ---- reading operands ---- */

static SnRing
leaf(SnRealProof *cx, const SnBox *v, SnBoxPlace at)
{
    SnPoly *p = SN_NEW_N(cx->a, SnPoly, SN_BOX_RANK);
    uint32_t n = 0;
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "%s[", v->name);
    for (; (int)n < at.rank && !cx->point; n++) {
        sn_puts(&b, n ? ", " : "");
        p[n] = sn_real_norm(cx, at.at[n]);
        sn_poly_put(&cx->path.P, &b, p[n]);
    }
    sn_putc(&b, ']');
    return sn_ring_made(
        &cx->R, sn_ring_atom(&cx->R, SN_RING_NAME, sn_buf_str(&b), 0, NULL),
        'l', v->name, 0, NULL, n, p);
}

/* One value everywhere. */
static bool
is_fill(const SnBoxNode *n)
{
    return !sn_map_stmt(n->map, SN_MS_READ);
}

static SnRing
node_at(SnRealProof *cx, SnBoxNode *n, SnBoxPlace at)
{
    At v = {.cx = cx, .n = n, .place = at};

    return clamped(&v, formula(&v, n->sem->formula));
}

/* The place where v, which may have 1 instead of a dimension, is read for
 * `at`. */
static SnBoxPlace
within(SnRealProof *cx, SnBox *v, SnBoxPlace at)
{
    SnPoly *p = SN_NEW_N(cx->a, SnPoly, SN_BOX_RANK);
    SnPolys *P = &cx->path.P;

    sn_real_shape(cx, v);
    for (int i = 0; i < v->rank && !sn_real_stopped(cx); i++) {
        int k = i + at.rank - v->rank;
        SnPoly one = sn_poly_plus(P, v->dim[i], -1);
        if (k < 0) {
            sn_real_out(cx, "an operand of more dimensions than its result");
            break;
        }
        SnPoly d = sn_poly_sub(P, v->dim[i], at.dim[k]);
        p[i] = at.at[k];
        if (sn_real_knows_zero(cx, d))
            continue;
        if (sn_real_knows_zero(cx, one) || sn_path_decide_zero(&cx->path, one))
            p[i] = sn_poly_int(P, 0);
        else
            sn_path_assume_zero(&cx->path, d);
    }
    return (SnBoxPlace){v->rank, p, v->dim};
}

SnRing
sn_real_element(SnRealProof *cx, SnBox *v, SnBoxPlace at)
{
    SnBoxPlace in;

    if (sn_real_stopped(cx))
        return (SnRing){0};
    if (!v)
        return out(cx, "a missing operand");
    if (v->def && (is_fill(v->def) || sn_real_is_point(v->def->map)))
        return node_at(cx, v->def, at);
    if (cx->point)
        return leaf(cx, v, at);
    in = within(cx, v, at);
    if (sn_real_stopped(cx))
        return (SnRing){0};
    return v->def ? node_at(cx, v->def, in) : leaf(cx, v, in);
}

/* The slots of n's map with the places of its result and, in a set, its taps.
 */
static SnNums *
placed(const At *v)
{
    const SnMapStmt *r = sn_map_stmt(v->n->map, SN_MS_RESULT);
    SnNums *slot = SN_NEW_N(v->cx->a, SnNums, v->n->map->nslot + 1u);
    int axis = 0;

    sn_real_open(v->cx, v->n);
    if (sn_real_stopped(v->cx))
        return slot;
    memcpy(slot, v->n->slot, v->n->map->nslot * sizeof *slot);
    for (unsigned i = 0; i < r->n && !sn_real_stopped(v->cx); i++) {
        SnNums d = sn_real_map(v->cx, v->n, v->n->slot, r->bound[i].e), w = {0};
        if (r->bound[i].when >= 0)
            w = sn_real_map(v->cx, v->n, v->n->slot, r->bound[i].when);
        bool list = v->n->map->slot[r->bound[i].slot].list;
        SnNums p = sn_real_list(v->cx, d.list ? d.n : w.list ? w.n : 1);
        p.list = list;
        for (uint32_t k = 0; k < p.n; k++) {
            int64_t there = 1;
            if (w.v)
                (void)sn_poly_is_int(sn_real_norm(v->cx, w.v[w.list ? k : 0]),
                                     &there);
            if (there && axis < v->place.rank)
                p.v[k] = v->place.at[axis++];
        }
        slot[r->bound[i].slot] = p;
    }
    return slot;
}

/* The operand that the map's statement reads: for a list, which one. */
static SnBox *
read_of(const At *v, const SnMapStmt *s)
{
    SnRealProof *cx = v->cx;
    SnBox *x = sn_real_operand(v->n, (unsigned)s->param);
    int64_t k = 0;

    if (s->which < 0 || !v->n->list)
        return x;
    if (!sn_poly_is_int(
            sn_real_norm(cx, sn_real_map(cx, v->n, v->slot, s->which).v[0]),
            &k) ||
        k < 0 || k >= v->n->nlist) {
        sn_real_out(cx, "one operand of a list");
        return NULL;
    }
    return v->n->list[k];
}

/* Is dimension d of an operand, the k-th from the end of the run that it is
 * joined in, 1 and read for each place? */
static bool
is_repeated(const At *v, const SnNums *run, int k, SnPoly d)
{
    SnRealProof *cx = v->cx;
    SnPoly one = sn_poly_plus(&cx->path.P, d, -1);

    if ((int)run->n >= k &&
        sn_real_knows_zero(
            cx, sn_poly_sub(&cx->path.P, d, run->v[run->n - (unsigned)k])))
        return false;
    return sn_real_knows_zero(cx, one) || sn_path_decide_zero(&cx->path, one);
}

/* The element of the operand that the map's statement reads. */
static SnRing
read_at(const At *v, const SnMapStmt *s)
{
    SnRealProof *cx = v->cx;
    const SnMapParam *m = &v->n->map->param[s->param];
    SnBox *x = read_of(v, s);
    SnPoly *p = SN_NEW_N(cx->a, SnPoly, SN_BOX_RANK + 1);
    int rank = 0;

    for (unsigned i = 0; i < s->n && !sn_real_stopped(cx); i++) {
        int len = v->n->len[s->param][i];
        SnNums k = sn_real_map(cx, v->n, v->slot, s->index[i]);
        const SnNums *all = &v->n->slot[m->item[i].slot];
        if (sn_real_stopped(cx) || !x)
            break;
        /* broadcast operands are read by their last axes, at 0 for a 1 */
        for (int j = 0; j < len && rank < SN_BOX_RANK; j++, rank++) {
            int at = k.list ? (int)k.n - len + j : 0;
            p[rank] = at >= 0 ? k.v[at] : (SnPoly){0};
            int of = (int)all->n - len + j;
            if (m->item[i].kind == SN_MI_JOIN && at >= 0 && of >= 0 &&
                sn_real_knows_zero(
                    cx, sn_poly_sub(&cx->path.P, x->dim[rank], all->v[of])))
                continue; /* nothing is repeated */
            if (m->item[i].kind == SN_MI_JOIN &&
                is_repeated(v, &v->n->slot[m->item[i].slot], len - j,
                            x->dim[rank]))
                p[rank] = (SnPoly){0};
        }
    }
    if (sn_real_stopped(cx) || !x)
        return out(cx, "a missing operand");
    return sn_real_element(cx, x, (SnBoxPlace){x->rank, p, x->dim});
}

/* 1 if that is inside the operand and the condition holds; else 0. */
static SnPoly
is_read(const At *v, const SnMapStmt *s)
{
    SnRealProof *cx = v->cx;
    SnPolys *P = &cx->path.P;
    SnBox *x = read_of(v, s);
    SnPoly c = sn_poly_int(P, 1);
    int axis = 0;

    if (s->when >= 0)
        c = sn_real_truth(cx, v->n, v->slot, s->when);
    for (unsigned i = 0; i < s->n && !sn_real_stopped(cx) && x; i++) {
        SnNums k = sn_real_map(cx, v->n, v->slot, s->index[i]);
        for (int j = 0; j < v->n->len[s->param][i] && axis < x->rank;
             j++, axis++) {
            SnPoly at = k.v[k.list ? j : 0];
            SnPoly room = sn_poly_plus(P, sn_poly_sub(P, x->dim[axis], at), -1);
            c = sn_poly_mul(P, c, sn_real_is(cx, at));
            c = sn_poly_mul(P, c, sn_real_is(cx, room));
        }
    }
    return c;
}

/* ---- sets ---- */

/* A name for a place along a bound: the first that no place here has, so that
 * equal sums have equal names. */
static const char *
binder(const At *v, const SnBoxSet *s, SnPoly bound)
{
    SnRealProof *cx = v->cx;
    const char *text = sn_poly_text(&cx->path.P, bound);

    for (int k = 0;; k++) {
        const char *name = sn_format(cx->a, "$%d<%s>", k, text);
        bool used = false;
        for (int i = 0; i < v->place.rank; i++)
            used |= strstr(sn_poly_text(&cx->path.P,
                                        sn_real_norm(cx, v->place.at[i])),
                           name) != NULL;
        for (uint32_t i = 0; i < s->n; i++)
            used |= sn_name_same(s->name[i], name);
        if (!used)
            return name;
    }
}

static void
new_tap(const At *v, SnBoxSet *s, SnPoly *p, SnPoly bound)
{
    SnRealProof *cx = v->cx;
    SnPolys *P = &cx->path.P;

    if (s->n == 16 || cx->nbinder + 2 > SN_BOX_NBINDER) {
        sn_real_out(cx, "too many sums inside each other");
        return;
    }
    s->name[s->n] = binder(v, s, bound);
    s->bound[s->n] = bound;
    *p = sn_poly_name(P, s->name[s->n++]);
    SnBoxNamed of = {*p, bound};
    SN_PUSH(cx->a, cx->place, cx->nplace, of);
    (void)sn_real_knows(cx, bound);
    cx->binder[cx->nbinder++] = *p;
    cx->binder[cx->nbinder++] = sn_poly_plus(P, sn_poly_sub(P, bound, *p), -1);
}

/* A sum before this one that runs over several places, as many in all. */
static const SnBoxSum *
sum_as_long(SnRealProof *cx, SnPoly bound)
{
    SnPolys *P = &cx->path.P;

    for (uint32_t i = 0; i < cx->nsum; i++) {
        SnPoly all = sn_poly_int(P, 1);
        for (uint32_t k = 0; k < cx->sum[i].n; k++)
            all = sn_poly_mul(P, all, cx->sum[i].bound[k]);
        if (sn_real_knows_zero(cx, sn_poly_sub(P, all, bound)))
            return &cx->sum[i];
    }
    return NULL;
}

/* One place is row-major those of a sum as long: each is met once, and in the
 * same order. */
static void
open_tap(const At *v, SnBoxSet *s, SnPoly *p, SnPoly bound)
{
    SnRealProof *cx = v->cx;
    SnPolys *P = &cx->path.P;
    const SnBoxSum *as;
    SnPoly one;

    bound = sn_real_norm(cx, bound);
    *p = sn_poly_int(P, 0);
    if (sn_real_knows_zero(cx, sn_poly_plus(P, bound, -1)))
        return;
    if (!(as = sum_as_long(cx, bound))) {
        new_tap(v, s, p, bound);
        return;
    }
    for (uint32_t i = 0; i < as->n && !sn_real_stopped(cx); i++) {
        new_tap(v, s, &one, as->bound[i]);
        *p = sn_poly_add(P, sn_poly_mul(P, *p, as->bound[i]), one);
    }
}

/* 1 where all of the map's reads that may be skipped are inside, else 0. */
static SnRing
all_read(const At *v)
{
    SnRing all = num(v, 1);

    for (unsigned i = 0; i < v->n->map->nstmt && !sn_real_stopped(v->cx); i++) {
        const SnMapStmt *r = &v->n->map->stmt[i];
        if (r->kind == SN_MS_READ && r->els == SN_ME_SKIP)
            all =
                sn_ring_mul(&v->cx->R, all, sn_real_ring(v->cx, is_read(v, r)));
    }
    return all;
}

static bool
open_set(At *v, SnBoxSet *s)
{
    const SnMapStmt *t = sn_map_stmt(v->n->map, SN_MS_TAPS);
    const SnNums *shape = v->slot;

    *s = (SnBoxSet){.there = num(v, 1)};
    v->slot = SN_NEW_N(v->cx->a, SnNums, v->n->map->nslot + 1u);
    memcpy(v->slot, shape, v->n->map->nslot * sizeof *shape);
    for (unsigned i = 0; i < t->n && !sn_real_stopped(v->cx); i++) {
        if (t->bound[i].when >= 0)
            return out(v->cx, "taps under a condition"), false;
        SnNums b = sn_real_map(v->cx, v->n, shape, t->bound[i].e);
        SnNums p = sn_real_list(v->cx, b.n);
        p.list = b.list;
        for (uint32_t k = 0; k < b.n && !sn_real_stopped(v->cx); k++)
            open_tap(v, s, &p.v[k], b.v[k]);
        v->slot[t->bound[i].slot] = p;
    }
    if (s->n > 1) {
        SnBoxSum sum = {s->n, sn_memdup(v->cx->a, s->bound, sizeof s->bound)};
        SN_PUSH(v->cx->a, v->cx->sum, v->cx->nsum, sum);
    }
    v->set = true;
    s->there = all_read(v);
    return !sn_real_stopped(v->cx);
}

/* Of several operands, the one that contains the place. */
static SnRing
of_list(At *v, const SnDefPort *p)
{
    const SnMapStmt *t = sn_map_stmt(v->n->map, SN_MS_TAPS);
    SnNums *slot = SN_NEW_N(v->cx->a, SnNums, v->n->map->nslot + 1u);
    double is;

    memcpy(slot, v->slot, v->n->map->nslot * sizeof *slot);
    v->slot = slot;
    v->set = true;
    for (uint32_t k = 0; k < v->n->nlist && !sn_real_stopped(v->cx); k++) {
        slot[t->bound[0].slot] =
            sn_real_one(v->cx, sn_poly_int(&v->cx->path.P, k));
        if (!sn_ring_is_num(all_read(v), &is))
            break;
        if (is == 1)
            return port(v, p);
    }
    return out(v->cx, "an element out of several operands");
}

/* A move reads the one tap that is in its set. */
static SnRing
moved(const At *outer, const SnDefPort *p)
{
    At v = *outer;
    const SnMapStmt *t = sn_map_stmt(v.n->map, SN_MS_TAPS);
    uint32_t nbinder = v.cx->nbinder;
    SnRing r = {0};
    double one;
    SnBoxSet s;

    if (v.n->nlist > 1 && t && t->n == 1) {
        SnNums b = sn_real_map(v.cx, v.n, v.slot, t->bound[0].e);
        int64_t k;
        if (!b.list && sn_poly_is_int(b.v[0], &k) && k == v.n->nlist)
            return of_list(&v, p);
    }
    if (!open_set(&v, &s))
        return r;
    if (s.n || !sn_ring_is_num(s.there, &one) || one != 1)
        return out(v.cx, "an element out of several operands");
    r = port(&v, p);
    v.cx->nbinder = nbinder;
    return r;
}

static SnRing
port(const At *v, const SnDefPort *p)
{
    const SnMapDecl *d = v->n->map;
    int param = sn_real_param_of(v->n, p);
    SnBox *x = v->n->in[p->index];
    SnMapStmtKind want =
        v->set || !sn_map_stmt(d, SN_MS_TAPS) ? SN_MS_READ : SN_MS_CENTRE;

    if (sn_real_stopped(v->cx))
        return (SnRing){0};
    if (sn_real_is_point(d))
        return sn_real_element(v->cx, x, v->place);
    if (param < 0) { /* beside: a bias */
        const SnMapStmt *s = sn_map_stmt(d, SN_MS_BESIDE);
        if (!x && p->fact == SN_PIN)
            return (SnRing){0};
        if (!x || !s || s->n != 1)
            return out(v->cx, "an operand beside the map");
        sn_real_shape(v->cx, x);
        SnNums k = sn_real_map(v->cx, v->n, v->slot, s->index[0]);
        return sn_real_element(v->cx, x, (SnBoxPlace){x->rank, k.v, x->dim});
    }
    if (want == SN_MS_CENTRE && v->n->sem->cls == SN_C_MOVE)
        return moved(v, p);
    for (unsigned i = 0; i < d->nstmt; i++) {
        const SnMapStmt *s = &d->stmt[i];
        if (s->kind != want || s->param != param)
            continue;
        SnRing y = read_at(v, s);
        if (s->els == SN_ME_FILL && !sn_real_stopped(v->cx)) {
            SnRings *R = &v->cx->R;
            SnPolys *P = &v->cx->path.P;
            SnPoly c = is_read(v, s);
            SnPoly no = sn_poly_sub(P, sn_poly_int(P, 1), c);
            SnRing z = v->n->sem->els ? formula(v, v->n->sem->els) : num(v, 0);
            y = sn_ring_mul(R, sn_real_ring(v->cx, c), y);
            if (z.n)
                y = sn_ring_add(R, y,
                                sn_ring_mul(R, sn_real_ring(v->cx, no), z));
        }
        return y;
    }
    return out(v->cx, "an operand outside of the sum");
}

/* The divisor of a mean. */
static SnRing
divisor(const At *v, const SnBoxSet *s)
{
    const SnMapStmt *d = sn_map_stmt(v->n->map, SN_MS_DIVISOR);
    int64_t when = 1;

    if (d && d->when >= 0 &&
        !sn_poly_is_int(sn_real_truth(v->cx, v->n, v->slot, d->when), &when))
        return out(v->cx, "a divisor under an open condition");
    if (d && when)
        return sn_real_ring(v->cx,
                            sn_real_map(v->cx, v->n, v->slot, d->e).v[0]);
    return sn_real_sum(v->cx, s, s->there);
}

/* A sum that starts at +0 turns -0 into it: the mean of one tap is that tap
 * where it starts at the first one, and is divided by 1. */
static bool
of_one(const At *v)
{
    const SnMapStmt *w = sn_map_stmt(v->n->map, SN_MS_WHOLE);
    const SnMapStmt *d = sn_map_stmt(v->n->map, SN_MS_DIVISOR);
    int64_t is = 0;

    if (w &&
        (!sn_poly_is_int(sn_real_truth(v->cx, v->n, v->slot, w->e), &is) || is))
        return false;
    if (d &&
        (d->when < 0 ||
         !sn_poly_is_int(sn_real_truth(v->cx, v->n, v->slot, d->when), &is) ||
         is))
        return is == 1 &&
               sn_real_knows_zero(
                   v->cx,
                   sn_poly_plus(&v->cx->path.P,
                                sn_real_map(v->cx, v->n, v->slot, d->e).v[0],
                                -1));
    return true;
}

static SnRing
over_set(const At *outer, const SnExpr *e)
{
    At v = *outer;
    SnRealProof *cx = v.cx;
    SnRings *R = &cx->R;
    uint32_t nbinder = cx->nbinder;
    SnRing body, r = {0};
    SnBoxSet s;
    double one;

    v.slot = v.base; /* a set inside a set is the same set */
    v.set = false;
    if (!open_set(&v, &s))
        return r;
    body = formula(&v, e->kid[0]);
    if (s.n == 0 && sn_ring_is_num(s.there, &one) && one == 1 &&
        (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN ||
         (e->fn == SN_FN_MEAN && of_one(&v)))) {
        cx->nbinder = nbinder;
        return body; /* the largest of one, its mean */
    }
    computes(&v);
    if (e->fn == SN_FN_SUM || e->fn == SN_FN_MEAN) {
        r = sn_real_sum(cx, &s, sn_ring_mul(R, s.there, body));
        if (e->fn == SN_FN_MEAN && !sn_real_stopped(cx)) {
            SnRing n = divisor(&v, &s);
            if (n.n)
                r = divided(&v, r, n);
            else
                sn_real_out(cx, "a mean of nothing");
        }
    } else {
        sn_real_out(cx, "a choice out of a set");
    }
    cx->nbinder = nbinder;
    return r;
}

/* ---- formulas ---- */

static SnRing
function(const At *v, const SnExpr *e)
{
    SnRings *R = &v->cx->R;
    SnRing k[3] = {{0}};
    double x, y;

    if (e->nkid == 1 && sn_fn_reduces(e->fn))
        return over_set(v, e);
    if (e->fn == SN_FN_SELECT && e->kid[0]->ek != SN_E_BIN)
        return out(v->cx, "a choice");
    if (e->fn == SN_FN_SELECT) {
        SnRing c[4] = {formula(v, e->kid[0]->kid[0]),
                       formula(v, e->kid[0]->kid[1]), formula(v, e->kid[1]),
                       formula(v, e->kid[2])};
        return sn_ring_atom(R, SN_RING_NAME,
                            sn_format(v->cx->a, "select %d", e->kid[0]->op), 4,
                            c);
    }
    for (unsigned i = 0; i < e->nkid && i < 3; i++)
        k[i] = formula(v, e->kid[i]);
    if (sn_real_stopped(v->cx))
        return k[0];
    if (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN)
        return sn_real_extreme(v->cx, v->n->left, e->fn, k[0], k[1]);
    if (e->fn == SN_FN_POW && sn_ring_is_num(k[1], &y) && y >= 0 && y <= 4 &&
        y == (double)(int)y) {
        SnRing p = num(v, 1);
        for (int i = 0; i < (int)y; i++)
            p = sn_ring_mul(R, p, k[0]);
        return sn_ring_made(R, p, 'f', "pow", 2, k, 0, NULL);
    }
    if (e->fn == SN_FN_EXP || e->fn == SN_FN_POW)
        for (unsigned i = 0; i < e->nkid; i++)
            note(v->cx, v->n->left, true, k[i]);
    if (e->fn == SN_FN_SQRT && sn_ring_is_num(k[0], &x) && x == 1)
        return k[0];
    return sn_ring_atom(R,
                        e->fn == SN_FN_EXP || e->fn == SN_FN_SQRT
                            ? SN_RING_ABOVE
                            : SN_RING_NAME,
                        sn_fns[e->fn].word, e->nkid, k);
}

static SnRing
called(const At *v, const SnExpr *e)
{
    if (e->nkid == 1 &&
        (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN || e->fn == SN_FN_MEAN))
        return over_set(v, e);
    if (of_codes(v) && (e->fn == SN_FN_D || e->fn == SN_FN_Q))
        return formula(v, e->kid[0]);
    if ((e->fn == SN_FN_D || (e->fn == SN_FN_Q && e->nkid == 1)) &&
        v->cx->all_real)
        return formula(v, e->kid[0]);
    if (v->cx->codes[0] && e->fn == SN_FN_Q && e->nkid == 1) {
        SnRing fill = formula(v, e->kid[0]);
        if (fill.n == 0) /* the zero point, which every type has */
            return fill;
    }
    if (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN) /* one of its operands */
        return function(v, e);
    computes(v); /* codes become reals, or more */
    if (e->fn == SN_FN_D)
        return formula(v, e->kid[0]);
    if (e->fn == SN_FN_Q && e->nkid == 1)
        return formula(v, e->kid[0]);
    if (e->fn == SN_FN_Q)
        return out(v->cx, "a rounding on the way");
    return function(v, e);
}

static SnRing
attribute(const At *v, const SnDefAttr *a)
{
    const SnBoxAttr *r = sn_real_attr(v->n, a);

    v->cx->zeros |= a->ty != SN_A_REAL || r->r.n == 0;
    if (a->ty == SN_A_REAL)
        return r->r;
    if (a->ty == SN_A_INT || a->ty == SN_A_BOOL)
        return sn_real_ring(v->cx, r->i.v[0]);
    return out(v->cx, "an attribute in a formula");
}

static SnRing
arithmetic(const At *v, const SnExpr *e)
{
    SnRings *R = &v->cx->R;
    SnRing a = formula(v, e->kid[0]), b = formula(v, e->kid[1]);
    double k;

    if (e->op == SN_OP_MUL &&
        (sn_ring_is_num(a, &k) || sn_ring_is_num(b, &k)) && fabs(k) == 1)
        v->cx->negates |= k < 0; /* 1 and -1 round nothing */
    else
        computes(v);
    if (sn_real_stopped(v->cx))
        return a;
    switch (e->op) {
    case SN_OP_ADD:
        return sn_ring_add(R, a, b);
    case SN_OP_SUB:
        return sn_ring_sub(R, a, b);
    case SN_OP_MUL:
        return sn_ring_mul(R, a, b);
    case SN_OP_DIV:
        if (b.n == 0)
            return out(v->cx, "a division by 0");
        return divided(v, a, b);
    default:
        return out(v->cx, "a condition in a formula");
    }
}

static SnRing
formula(const At *outer, const SnExpr *e)
{
    At v = *outer;

    if (!v.slot && !v.cx->point && !sn_real_is_point(v.n->map) && !is_fill(v.n))
        v.slot = v.base = placed(&v);
    if (sn_real_stopped(v.cx))
        return (SnRing){0};
    switch (e->ek) {
    case SN_E_INT:
        return num(&v, (double)e->i);
    case SN_E_REAL:
        return num(&v, e->r);
    case SN_E_NEG:
        v.cx->negates = true;
        return sn_ring_mul(&v.cx->R, num(&v, -1), formula(&v, e->kid[0]));
    case SN_E_NOT: /* of a bool, which is 0 or 1 */
        return sn_ring_sub(&v.cx->R, num(&v, 1), formula(&v, e->kid[0]));
    case SN_E_BIN:
        return arithmetic(&v, e);
    case SN_E_CALL:
        return called(&v, e);
    case SN_E_NAME:
        if (e->rk == SN_R_PORT)
            return port(&v, e->ref);
        if (e->rk == SN_R_ATTR)
            return attribute(&v, sn_def_attr(v.n->n, e->s));
        break;
    default:
        break;
    }
    return out(v.cx, "an expression of a formula");
}
