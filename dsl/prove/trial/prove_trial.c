// SPDX-License-Identifier: Apache-2.0
/* Trials: many drawn cases of one rule, both sides compared. */
#include "dsl/model/arith.h"
#include "dsl/prove/trial/case.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- showing a case ---- */

/* R, Q, DQ for conversions, the kind's name otherwise. */
static const char *
short_kind(const SnDefNode *n)
{
    if (!n->nout || n->rsem[0]->cls != SN_C_CONVERT || !n->ntuple)
        return n->name;
    bool in = n->tuple[0].in[0].elem != SN_F32;
    bool out = n->tuple[0].out[0].elem != SN_F32;
    return in && out ? "R" : out ? "Q" : "DQ";
}

static void
put_side(SnBuf *b, const SnCaseValue *v, int depth)
{
    if (!v) {
        sn_puts(b, "_");
    } else if (!v->def || v->leaf || depth > 6) {
        sn_puts(b, v->name ? v->name : v->def ? v->def->n->name : "v");
    } else {
        const SnCaseNode *n = v->def;
        sn_putf(b, "%s(", short_kind(n->n));
        for (uint32_t s = 0; s < n->nin; s++) {
            sn_puts(b, s ? ", " : "");
            put_side(b, n->in[s], depth + 1);
        }
        sn_putc(b, ')');
        if (v->res)
            sn_putf(b, ".%s", n->n->out[v->res]->name);
    }
}

const char *
sn_case_side_str(SnArena *a, SnCaseValue *v)
{
    SnBuf b;

    sn_buf_init(&b, a);
    put_side(&b, v, 0);
    return sn_buf_str(&b);
}

static void
put_num(SnBuf *b, const SnCaseValue *t, double v)
{
    if (t->type.elem == SN_F32)
        sn_put_f32(b, (float)v);
    else
        sn_putf(b, "%.0f", v);
}

static void
put_leaf(SnBuf *b, SnProofCase *c, const SnCaseValue *t, const SnCaseValue *y,
         int64_t at)
{
    bool flat = c->flat && t->n == y->n;

    sn_putf(b, "%s:%s", t->name ? t->name : "v",
            sn_case_type_str(c->a, &t->type));
    if (!flat && t->n > 1 && t->rank > 1)
        sn_case_put_dims(b, t);
    sn_putc(b, '=');
    if (flat) {
        put_num(b, t, t->v[at]);
        return;
    }
    if (t->n == 1) {
        put_num(b, t, t->v[0]);
        return;
    }
    sn_putc(b, '[');
    for (int64_t i = 0; i < t->n && i < 12; i++) {
        sn_puts(b, i ? "," : "");
        put_num(b, t, t->v[i]);
    }
    sn_puts(b, t->n > 12 ? ",..]" : "]");
}

static void
put_clamp(SnBuf *b, SnRange r)
{
    sn_puts(b, " within [");
    if (r.has_lo)
        sn_case_put_bound(b, r.lo);
    else
        sn_putc(b, '_');
    sn_puts(b, ", ");
    if (r.has_hi)
        sn_case_put_bound(b, r.hi);
    else
        sn_putc(b, '_');
    sn_putc(b, ']');
}

/* Nodes of the left side below `v`, the root last. */
static void
left_nodes(const SnCaseValue *v, SnCaseNode **out, uint32_t *n)
{
    if (!v || !v->def || v->leaf || *n >= 16)
        return;
    for (uint32_t s = 0; s < v->def->nin; s++)
        left_nodes(v->def->in[s], out, n);
    for (uint32_t i = 0; i < *n; i++)
        if (out[i] == v->def)
            return;
    out[(*n)++] = v->def;
}

static void
put_types(SnBuf *b, SnProofCase *c)
{
    SnCaseNode *v[16];
    uint32_t n = 0;

    left_nodes(c->lhs[0], v, &n);
    for (uint32_t i = 0; i < n; i++) {
        SnRange r = sn_case_clamp_of(v[i]);
        sn_putf(b, "%s%s:%s", i ? ", " : "with ",
                v[i]->name ? v[i]->name : v[i]->n->name,
                sn_case_type_str(c->a, &v[i]->out[0]->type));
        if (r.has_lo || r.has_hi)
            put_clamp(b, r);
        sn_case_put_attrs(b, c, v[i]);
    }
}

/* Where the left side saturates on its way to element at. */
static void
put_saturation(SnBuf *b, SnProofCase *c, int64_t at)
{
    SnCaseNode *v[16];
    uint32_t n = 0;

    left_nodes(c->lhs[0], v, &n);
    for (uint32_t i = 0; i + 1 < n && c->flat; i++) {
        const SnCaseValue *y = v[i]->out[0];
        int32_t lo, hi;
        if (!y->type.nq || y->n != c->lhs[0]->n || !y->done)
            continue;
        sn_case_limits(&y->type, sn_case_clamp_of(v[i]), &lo, &hi);
        if (y->v[at] != lo && y->v[at] != hi)
            continue;
        sn_putf(b, "     (%s:%s saturates at %.0f, i.e. %.6g)",
                v[i]->name ? v[i]->name : short_kind(v[i]->n),
                sn_case_type_str(c->a, &y->type), y->v[at],
                sn_case_real(&y->type, y->v[at], 0));
        return;
    }
}

static const SnCounter *
counter(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, int64_t at)
{
    SnProver *pv = c->pv;
    SnCounter *k = SN_NEW(pv->a, SnCounter);
    SnBuf b;
    bool first = true;

    sn_buf_init(&b, pv->a);
    for (uint32_t i = 0; i < c->nleaf; i++) {
        if (!c->leaf[i]->v)
            continue;
        sn_puts(&b, first ? "" : ", ");
        put_leaf(&b, c, c->leaf[i], l, at);
        first = false;
    }
    sn_puts(&b, "  ->  left: ");
    put_side(&b, l, 0);
    sn_puts(&b, " = ");
    put_num(&b, l, l->v[at]);
    sn_puts(&b, ",  right: ");
    put_side(&b, r, 0);
    sn_puts(&b, " = ");
    put_num(&b, r, r->v[at]);
    if (!c->flat && l->n > 1)
        sn_putf(&b, " at element %lld", (long long)at);
    put_saturation(&b, c, at);
    k->line = sn_buf_str(&b);
    k->row = c->row;
    sn_buf_init(&b, pv->a);
    put_types(&b, c);
    k->with = sn_buf_str(&b);
    k->graph = sn_strdup(pv->a, sn_case_graph_text(c, l, r));
    k->at = at;
    k->codes = l->type.elem != SN_F32;
    k->left = l->v[at];
    k->right = r->v[at];
    return k;
}

/* ---- comparing ---- */

/* The element that is a number on one side only, or -1; where every bit counts
 * (c->unreal), or a different infinity.  *any: some are not numbers on both
 * sides; the order of operations decides which infinity, or nan. */
static int64_t
no_number(const SnProofCase *c, const SnCaseValue *l, const SnCaseValue *r,
          bool *any)
{
    *any = false;
    for (int64_t i = 0; i < l->n; i++) {
        double x = l->v[i], y = r->v[i];
        if (isfinite(x) != isfinite(y) ||
            (c->unreal && !isfinite(x) && !(x == y || (isnan(x) && isnan(y)))))
            return i;
        *any |= !isfinite(x) && !c->unreal;
    }
    return -1;
}

static uint32_t
nclamp(SnProofCase *c)
{
    SnCaseNode *v[16];
    uint32_t n = 0, k = 0;

    left_nodes(c->lhs[0], v, &n);
    for (uint32_t i = 0; i < n; i++) {
        SnRange r = sn_case_clamp_of(v[i]);
        k += r.has_lo + r.has_hi;
    }
    return k;
}

/* Does it have types of more than 8 bits?  They make poorer examples. */
static bool
wide(SnProofCase *c)
{
    SnCaseNode *v[16];
    uint32_t n = 0;
    bool w = false;

    left_nodes(c->lhs[0], v, &n);
    for (uint32_t i = 0; i < n; i++)
        w |= v[i]->out[0]->type.elem == SN_QI16 ||
             v[i]->out[0]->type.elem == SN_QI32;
    for (uint32_t i = 0; i < c->nleaf; i++)
        w |= c->leaf[i]->type.elem == SN_QI16;
    return w;
}

/* Does a node of the left side have a result along an axis? */
static bool
along(SnProofCase *c)
{
    SnCaseNode *v[16];
    uint32_t n = 0;
    bool is = false;

    left_nodes(c->lhs[0] ? c->lhs[0] : c->root->in[0], v, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < v[i]->n->nout && k < SN_CASE_MAXRES; k++)
            is |= v[i]->out[k]->type.axis >= 0;
    return is;
}

/* Did the worst-case error of this case grow?  The right side's real error is
 * compared with the largest possible error by roundings of the left side. */
static bool
worse(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, double *by, int64_t *at)
{
    double el = 0, er = 0, big = 0;
    bool q = l->type.nq > 0;

    c->ideal = true;
    if (!sn_case_eval(c, l) || !l->id)
        return false;
    for (int64_t i = 0; i < l->n; i++) { /* in steps of the element's slice */
        uint32_t s = sn_case_slice(l, i);
        double step = q ? (double)l->type.scale[s] : 1;
        double e = fabs(sn_case_real(&l->type, r->v[i], s) - l->id[i]) / step;
        if (e > er && r->v[i] != l->v[i]) {
            er = e;
            *at = i;
        }
        el = fmax(el, l->er[i] / step);
        big = fmax(big, fabs(l->id[i]) / step);
    }
    *by = er - el;
    return er > el + 3e-6 * fmax(big, el) + (q ? 2e-5 : 1e-30);
}

/* The first element that is 0 on both sides, of another sign; or -1. */
static int64_t
other_zero(const SnCaseValue *l, const SnCaseValue *r)
{
    for (int64_t i = 0; l->type.elem == SN_F32 && i < l->n; i++)
        if (l->v[i] == 0 && r->v[i] == 0 &&
            !signbit(l->v[i]) != !signbit(r->v[i]))
            return i;
    return -1;
}

/* Relative to the largest value; if the left side is all 0, anything else is
 * far. */
static double
ratio(double d, double big)
{
    return d == 0 ? 0 : big > 0 ? d / big : 1;
}

/* The largest value that the left side reads: if its terms cancel, the result's
 * own size says nothing about the rounding (as src/rewrite/check.c). */
static double
largest_read(const SnProofCase *c)
{
    double big = 0;

    for (uint32_t k = 0; k < c->nleaf; k++) {
        const SnCaseValue *x = c->leaf[k];
        for (int64_t i = 0; x->v && x->type.elem == SN_F32 && i < x->n; i++)
            if (isfinite(x->v[i]))
                big = fmax(big, fabs(x->v[i]));
    }
    return big;
}

/* How much of the bound by the roundings of both sides was used. */
static void
tally_roundings(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, const double *x,
                const double *y, SnTrial *t)
{
    c->ideal = c->counts = true;
    bool ran = sn_case_eval(c, l) && sn_case_eval(c, r) && l->id && r->id;
    for (int64_t i = 0; ran && i < l->n; i++) {
        double most = l->er[i] + r->er[i] + fabs(l->id[i] - r->id[i]);
        double d = fabs(x[i] - y[i]);
        if (isfinite(most) && d > 0)
            t->used = fmax(t->used, most > 0 ? d / most : INFINITY);
    }
    c->counts = false;
}

static void
tally_real(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, SnTrial *t)
{
    double big = largest_read(c), d = 0, bigr = big, dr = 0;
    int64_t at = 0;

    int64_t zero = other_zero(l, r);
    if (zero >= 0) { /* not the same bits */
        t->f32_differ = t->zero = true;
        t->counter = t->counter ? t->counter : counter(c, l, r, zero);
    }
    c->ideal = true;
    if (!sn_case_eval(c, l) || !sn_case_eval(c, r) || !l->id || !r->id)
        return;
    for (int64_t i = 0; i < l->n; i++) {
        big = fmax(big, fabs(l->v[i]));
        bigr = fmax(bigr, fabs(l->id[i]));
        if (fabs(l->v[i] - r->v[i]) > d) {
            d = fabs(l->v[i] - r->v[i]);
            at = i;
        }
        dr = fmax(dr, fabs(l->id[i] - r->id[i]));
    }
    if (d > 0)
        t->f32_differ = true;
    if (d > 0 && ratio(d, big) > t->rel) {
        t->rel = ratio(d, big);
        if (!t->counter || t->rel > 1e-6)
            t->counter = counter(c, l, r, at);
    }
    t->real = fmax(t->real, ratio(dr, bigr));
}

static void
tally_claim(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, SnTrial *t,
            bool want)
{
    double diff = 0, by = 0;
    int64_t at = 0;
    bool q = l->type.nq > 0 || l->type.elem != SN_F32;

    for (int64_t i = 0; i < l->n; i++)
        if (fabs(l->v[i] - r->v[i]) > diff) {
            diff = fabs(l->v[i] - r->v[i]);
            at = i;
        }
    t->nvalue += (uint64_t)l->n;
    if (q)
        t->diff = fmax(t->diff, diff);
    else
        tally_real(c, l, r, t);
    if (diff == 0)
        return;
    int64_t at2 = at;
    bool grew = worse(c, l, r, &by, &at2);
    if (!l->type.nq && q) /* plain integers: nothing is rounded */
        grew = true;
    t->worse |= grew;
    t->worse_by = fmax(t->worse_by, by);
    if (q && c->pr->bounded) {
        /* sink: below a Rescale from one grid to the other; forced: from the
         * grid it reads to that of the Quantize */
        const SnCaseValue *m = c->pr->forced ? l : c->root->in[0];
        const SnCaseValue *x = c->pr->forced ? c->leaf[0] : m->def->in[0];
        double s = (double)x->type.scale[0];
        double err = sn_arith_error(c->pv->defs, c->pr->round);
        t->over |=
            diff > ceil(0.5 + 2 * err + s / (2 * (double)m->type.scale[0]));
    }
    if (!want || t->bad_res || (!q && !grew))
        return;
    double score =
        fmin(q ? diff * 2 : diff * 100, 400) + (c->corner ? 150 : 0) -
        150 * (double)nclamp(c) + (grew ? 400 : 0) -
        2 * (double)fmin((double)l->n, 20) * !c->flat - (wide(c) ? 600 : 0) -
        (c->vector && !c->flat ? 300 : 0) - (c->small ? 200 : 0) -
        (c->wide ? 500 : 0) - (c->unreal ? 500 : 0);
    if (!t->counter || score > t->score) {
        t->counter = counter(c, l, r, at);
        t->score = score;
    }
}

/* Roundings come last: they are counted by values of their own. */
static void
tally(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, SnTrial *t, bool want)
{
    const double *x = l->v, *y = r->v; /* as rows compute them */
    bool f32 = l->type.nq == 0 && l->type.elem == SN_F32;

    tally_claim(c, l, r, t, want);
    if (f32 && c->pr->r->claim.kind == SN_CLAIM_REAL &&
        memcmp(x, y, (size_t)l->n * sizeof *x))
        tally_roundings(c, l, r, x, y, t);
}

static bool
rounds(const SnCaseValue *t)
{
    return t->type.nq > 0 || t->type.elem == SN_F32;
}

/* The claim is about every result; only for a plain one, which does not round,
 * each element must be the same.  False if result i of both sides is far
 * apart. */
static bool
later_holds(SnProofCase *c, SnTrial *t, SnCaseValue *l, SnCaseValue *r,
            int64_t *at)
{
    SnTrial u = {.ndraw = 0};

    for (*at = 0; *at < l->n && l->v[*at] == r->v[*at];)
        ++*at;
    if (*at == l->n && other_zero(l, r) < 0)
        return true;
    if (!rounds(l))
        return false;
    if (*at == l->n)
        *at = other_zero(l, r);
    tally(c, l, r, &u, false);
    t->diff = fmax(t->diff, u.diff);
    t->rel = fmax(t->rel, u.rel);
    t->real = fmax(t->real, u.real);
    t->worse |= u.worse;
    t->worse_by = fmax(t->worse_by, u.worse_by);
    t->over |= u.over;
    t->f32_differ |= u.f32_differ;
    t->zero |= u.zero;
    return sn_case_claim_ok(c->pr, &u);
}

/* A later result on both sides: the first element that differs is noted. */
static bool
later(SnProofCase *c, SnTrial *t, bool want, SnCaseValue *l, SnCaseValue *r,
      uint32_t i)
{
    int64_t k;

    if (!sn_case_eval(c, l) || !sn_case_eval(c, r) || l->n != r->n)
        return false;
    t->later |= rounds(l);
    if (!later_holds(c, t, l, r, &k)) {
        double sc = (wide(c) ? 0 : 100) + (c->corner ? 20 : 0) -
                    30 * (double)nclamp(c) - (double)l->n;
        if (want && (!t->bad_res || sc > t->score)) {
            t->score = sc;
            t->counter = counter(c, l, r, k);
        }
        t->bad_res = (int)i;
    }
    return true;
}

/* The node of kind n, or of a form of it, that gives r. */
static SnCaseNode *
made_of(SnCaseValue *r, const SnDefNode *n)
{
    SnCaseNode *m = NULL;

    if (!r || !r->def || r->leaf)
        return NULL;
    if (r->def->n == n || r->def->n->base == n)
        return r->def;
    for (uint32_t s = 0; s < r->def->nin && !m; s++)
        m = made_of(r->def->in[s], n);
    return m;
}

/* integerize includes the node below the Quantize, whose later results others
 * may read. */
static bool
inner(SnProofCase *c, SnTrial *t, bool want)
{
    SnCaseValue *x = c->root->nin ? c->root->in[0] : NULL;
    SnCaseNode *n = c->pr->derive && x && !x->leaf ? x->def : NULL;
    SnCaseNode *m = n && n->n->nout > 1 ? made_of(c->rhs[0], n->n) : NULL;

    for (uint32_t i = 1; m && i < n->n->nout && i < SN_CASE_MAXRES; i++)
        if (n->used[i] && !later(c, t, want, n->out[i], m->out[i], i))
            return false;
    return true;
}

/* Results after the first, if anything reads them. */
static bool
rest(SnProofCase *c, SnTrial *t, bool want)
{
    for (uint32_t i = 1; i < c->root->n->nout && i < SN_CASE_MAXRES; i++) {
        SnCaseValue *r = NULL;
        if (!c->root->used[i])
            continue;
        if (i < c->nrhs)
            r = c->rhs[i];
        else if (c->made && c->made->n == c->root->n)
            r = c->made->out[i];
        if (!r) {
            t->no_res = true;
            t->bad_res = (int)i;
            continue;
        }
        if (!later(c, t, want, c->lhs[i], r, i))
            return false;
    }
    return inner(c, t, want);
}

void
sn_case_bias_on_grid(SnProofCase *c)
{
    const SnCaseValue *x = NULL, *w = NULL;

    for (uint32_t i = 0; i < c->nleaf; i++) {
        SnCaseValue *t = c->leaf[i];
        if (t->type.elem != SN_QI32) {
            w = x ? w ? w : t : NULL;
            x = x ? x : t;
            continue;
        }
        if (!x || !w || !w->type.nq || !x->type.nq)
            continue;
        t->type.nq = w->type.nq;
        t->type.axis = w->type.nq > 1 ? 0 : w->type.axis;
        for (uint32_t k = 0; k < t->type.nq; k++)
            t->type.scale[k] = x->type.scale[0] * w->type.scale[k];
        for (int64_t k = 0; k < t->n; k++)
            t->id[k] = sn_case_real(&t->type, t->v[k],
                                    t->type.nq > 1 ? (uint32_t)k : 0);
    }
}

static bool
same_shape(const SnCaseValue *a, const SnCaseValue *b)
{
    return a->rank == b->rank &&
           (a->rank <= 0 ||
            !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim));
}

static void
put_typed(SnBuf *b, SnProofCase *c, const SnCaseValue *t, const char *sep)
{
    sn_putf(b, "%s%s[", sep, sn_case_type_str(c->a, &t->type));
    for (int i = 0; i < t->rank; i++)
        sn_putf(b, "%s%lld", i ? "," : "", (long long)t->dim[i]);
    sn_putc(b, ']');
}

static const char *
other_value(SnProofCase *c, const SnCaseValue *l, const SnCaseValue *r)
{
    SnBuf b;

    sn_buf_init(&b, c->pv->a);
    put_typed(&b, c, r, "it gives ");
    put_typed(&b, c, l, " instead of ");
    return sn_buf_str(&b);
}

/* "it gives nan instead of 1.5 at element 3". */
static const char *
odd_number(SnProofCase *c, const SnCaseValue *l, const SnCaseValue *r,
           int64_t at)
{
    SnBuf b;

    sn_buf_init(&b, c->pv->a);
    sn_puts(&b, "it gives ");
    sn_put_f32(&b, (float)r->v[at]);
    sn_puts(&b, " instead of ");
    sn_put_f32(&b, (float)l->v[at]);
    sn_putf(&b, " at element %" PRId64, at);
    return sn_buf_str(&b);
}

/* Lists among the left side's attributes. */
static void
put_lists(SnBuf *b, SnProofCase *c)
{
    SnCaseNode *v[16];
    uint32_t n = 0;

    left_nodes(c->lhs[0] ? c->lhs[0] : c->root->in[0], v, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < v[i]->n->nall; k++) {
            const SnExprValue *a = &v[i]->attr[k];
            if (!a->list)
                continue;
            sn_putf(b, ", %s.%s=[", v[i]->name ? v[i]->name : v[i]->n->name,
                    v[i]->n->all[k]->name);
            for (uint32_t j = 0; j < a->n; j++)
                sn_putf(b, "%s%.0f", j ? "," : "", a->list[j]);
            sn_putc(b, ']');
        }
}

/* The guard held and the right side is not a legal replacement; the simplest
 * case, with the fewest leaves, is kept. */
static bool
wrong(SnProofCase *c, SnTrial *t, const char *why)
{
    uint32_t size = c->nleaf + (c->wide ? 100 : 0) + (c->unreal ? 100 : 0);
    SnBuf b;

    if (t->wrong && size >= t->wrong_size)
        return sn_case_no(c, why);
    t->wrong = why;
    t->wrong_size = size;
    sn_buf_init(&b, c->pv->a);
    for (uint32_t i = 0; i < c->nleaf; i++)
        put_typed(&b, c, c->leaf[i],
                  sn_format(c->a, "%s%s:", i ? ", " : "with ",
                            c->leaf[i]->name ? c->leaf[i]->name : "v"));
    put_lists(&b, c);
    t->wrong_with = sn_buf_str(&b);
    return sn_case_no(c, why);
}

void
sn_case_start(SnProofCase *c, SnProver *pv, const SnInstance *pr, uint64_t *rng,
              SnArena *a)
{
    *c = (SnProofCase){.pv = pv,
                       .pr = pr,
                       .r = pr->r,
                       .when = pr->r->need,
                       .a = a,
                       .wide = pr->wide};
    *rng += 0x9E3779B97F4A7C15u;
    uint64_t z = (*rng ^ (*rng >> 30)) * 0xBF58476D1CE4E5B9u;
    c->rng = (z ^ (z >> 27)) | 1;
    c->zeros = z >> 60 == 0; /* of bits that no single draw determines */
}

static bool
one(SnProofCase *c, SnTrial *t, bool want)
{
    if (!sn_case_draw(c))
        return false;
    if (c->pr->given_bias) {
        sn_case_fill(c);
        sn_case_bias_on_grid(c);
    }
    if (!sn_case_guard(c))
        return false;
    sn_case_fill(c);
    if (!sn_case_right(c))
        return c->wrong ? wrong(c, t, c->fail) : false;
    SnCaseValue *l = c->lhs[0], *r = c->rhs[0];
    if (!l) { /* a Save: the values it writes */
        l = c->root->in[0];
        r = c->made ? c->made->in[0] : r;
        if (c->pr->binds && l->type.elem == SN_F32)
            r = sn_prove_as_real(c, r);
    }
    if (!same_shape(l, r) || !sn_case_same_type(&l->type, &r->type))
        return wrong(c, t, other_value(c, l, r));
    if (!sn_case_eval(c, l))
        return false;
    if (!sn_case_eval(c, r))
        return c->stops ? wrong(c, t,
                                sn_format(c->pv->a,
                                          "it stops with an error where the "
                                          "left side does not: %s",
                                          c->fail))
                        : false;
    bool any;
    int64_t odd = no_number(c, l, r, &any);
    if (odd >= 0 && want && !t->counter)
        t->counter = counter(c, l, r, odd);
    if (odd >= 0)
        return wrong(c, t, odd_number(c, l, r, odd));
    if (any)
        return sn_case_no(c, "no number");
    if (!rest(c, t, want))
        return false;
    tally(c, l, r, t, want);
    t->ratio |= c->ratio;
    t->axis |= along(c);
    t->ndraw++;
    t->nquant += l->type.nq > 0;
    return true;
}

/* Such a claim is also about infinities and NaN; the others are about reals. */
static bool
every_bit(const SnInstance *pr)
{
    const SnDefClaim *k = sn_def_claim(pr->r, pr->round);

    return k->kind == SN_CLAIM_EXACT || k->kind == SN_CLAIM_WITHIN;
}

/* Case number i of a trial. */
static void
start(SnProofCase *c, SnProver *pv, const SnInstance *pr, const SnExpr *when,
      uint32_t i, uint64_t *rng, SnArena *a)
{
    sn_case_start(c, pv, pr, rng, a);
    c->when = when;
    c->wide = i % 4 == 3 && !c->wide ? 1 : c->wide;
    c->unreal = c->wide && i % 8 == 3 && every_bit(pr);
}

/* Why case number i failed: it is drawn again, as the reason is needed for few
 * failed draws. */
static const char *
why_not(SnProver *pv, const SnInstance *pr, const SnExpr *when, uint32_t i,
        uint64_t rng)
{
    SnTrial t = {.ndraw = 0};
    SnProofCase c;

    start(&c, pv, pr, when, i, &rng, pv->a);
    c.asked = true;
    one(&c, &t, false);
    return c.fail;
}

SnTrial
sn_case_try(SnProver *pv, const SnInstance *pr, const SnExpr *when,
            uint32_t ndraw, uint64_t seed, bool want)
{
    SnTrial t = {0};
    uint64_t rng = seed * 0x9E3779B97F4A7C15u + 0x1234567;
    /* so that a condition that one graph in hundreds meets is met as often */
    uint32_t most = (want ? 1000 : 40) * ndraw + 400;
    SnArena *a = sn_prove_scratch(pv);
    SnProofCase seeded;
    SnCaseShared shared = {.seed = &seeded};
    uint64_t failed = 0;
    uint32_t which = UINT32_MAX; /* the last failed draw with a reason */

    sn_case_early_find(&shared, when);
    for (uint32_t i = 0; i < most && t.ndraw < ndraw; i++) {
        SnProofCase c;
        uint64_t from = rng;
        if (i > 2000 && !t.ndraw)
            break;
        t.ntry++;
        start(&c, pv, pr, when, i, &rng, a);
        c.shared = &shared;
        if (!one(&c, &t, want) && c.fail && !c.unmet) {
            which = i;
            failed = from;
        }
        sn_case_say_outside(&c);
        sn_arena_clear(a);
    }
    sn_prove_scratch_back(pv);
    if (!t.ndraw && which != UINT32_MAX)
        t.fail = why_not(pv, pr, when, which, failed);
    return t;
}
