// SPDX-License-Identifier: Apache-2.0
/* Declared maps of a case's nodes: shapes and taps as in map/mapping.h.
 */
#include "dsl/prove/trial/prove_mapping.h"

#include <math.h>
#include <string.h>

#include "dsl/model/reads.h"
#include "dsl/prove/trial/prove_row.h"
#include "map/facts.h"

/* ---- arguments ---- */

static int64_t *
whole_list(SnProofCase *c, uint32_t n, const double *v, bool *ok)
{
    int64_t *r = SN_NEW_N(c->a, int64_t, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        *ok &= fabs(v[i]) < (double)SN_MAP_FAR && v[i] == floor(v[i]);
        r[i] = *ok ? (int64_t)v[i] : 0;
    }
    return r;
}

static float *
real_list(SnProofCase *c, uint32_t n, const double *v)
{
    float *r = SN_NEW_N(c->a, float, n + 1);

    for (uint32_t i = 0; i < n; i++)
        r[i] = (float)v[i];
    return r;
}

/* Operands of the ports that ng arguments name. */
static void
add_operands(SnProofCase *c, const SnCaseNode *n, SnExpr *const *e, uint32_t ng,
             SnMapArg *to)
{
    SnMapBox *box = SN_NEW_N(c->a, SnMapBox, n->nin + 1);

    to->box = box;
    for (uint32_t g = 0; g < ng; g++) {
        const SnDefPort *p = e[g]->ref;
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->port[s] == p->index && n->in[s])
                box[to->n++] = (SnMapBox){n->in[s]->rank, n->in[s]->dim};
    }
    to->given = to->n > 0;
}

static bool
add_attr(SnProofCase *c, const SnCaseNode *n, const SnDefAttr *a, SnMapArg *to)
{
    const SnExprValue *v = sn_case_its(n, a);
    bool list = a->ty == SN_A_INTS || a->ty == SN_A_REALS, ok = v != NULL;

    if (!v)
        return sn_case_no(c, "a missing attribute");
    double one = v->r; /* for a word its place in the map's list */
    to->n = list ? v->n : 1;
    to->fixed = a->fixed > 0;
    if (a->ty == SN_A_REALS || a->ty == SN_A_REAL)
        to->reals = real_list(c, to->n, list ? v->list : &one);
    else
        to->ints = whole_list(c, to->n, list ? v->list : &one, &ok);
    return ok || sn_case_no(c, "a number out of range");
}

static bool
add_arg(SnProofCase *c, const SnCaseNode *n, SnExpr *const *e, uint32_t ng,
        SnMapArg *to)
{
    if (e[0]->rk == SN_R_PORT) {
        add_operands(c, n, e, ng, to);
        return true;
    }
    if (e[0]->rk == SN_R_ATTR)
        return add_attr(c, n, e[0]->ref, to);
    int64_t *v = SN_NEW(c->a, int64_t);
    *v = e[0]->i;
    to->n = 1;
    to->ints = v;
    return true;
}

const SnCaseValue *
sn_case_one_shape(const SnCaseNode *n)
{
    const SnCaseValue *x = NULL;

    if (!sn_map_in_place(sn_case_sem(n)->decl->decl))
        return NULL;
    for (uint32_t s = 0; s < n->nin; s++) {
        const SnCaseValue *v = n->in[s];
        if (v && x &&
            (v->rank != x->rank ||
             memcmp(v->dim, x->dim, (size_t)x->rank * sizeof *x->dim) != 0))
            return NULL;
        x = v ? v : x;
    }
    return x;
}

bool
sn_case_mapping(SnProofCase *c, SnCaseNode *n, SnMapping *u)
{
    const SnDefSem *s = sn_case_sem(n);
    const SnMapDecl *d = s->decl->decl;
    SnMapArg *arg = SN_NEW_N(c->a, SnMapArg, d->nparam);
    char *why = c->asked || c->right ? sn_alloc(c->a, SN_MAP_WHY) : NULL;

    for (unsigned i = 0; i < d->nparam; i++) {
        uint32_t ng, at = sn_sem_param_args(s, i, &ng);
        arg[i] = (SnMapArg){.name = d->param[i].name};
        if (!ng)
            continue;
        arg[i].name = s->arg[at]->s ? s->arg[at]->s : d->param[i].name;
        arg[i].given = true;
        if (!add_arg(c, n, s->arg + at, ng, &arg[i]))
            return false;
    }
    return sn_mapping_open(u, d, arg, c->a, why) ||
           sn_case_no(c, why ? why : "a shape that the map does not take");
}

/* ---- taps ---- */

/* The taps of an operand; NULL, and no case, if there are too many. */
static int32_t *
table(SnProofCase *c, SnCaseTaps *t, uint32_t slot)
{
    if (t->no > 0 && t->nk > SN_CASE_TAPS / t->no) {
        c->large = true;
        sn_case_no(c, "more elements than are run");
        return NULL;
    }
    t->ix[slot] = SN_NEW_N(c->a, int32_t, t->no * t->nk + 1);
    return t->ix[slot];
}

/* The evaluators also detect it when they run: the node has no result. */
static bool
stops(SnProofCase *c, const char *why)
{
    if (!c->fail)
        c->stops = true;
    return sn_case_no(c, why);
}

/* Slot of the first operand of parameter number i. */
static uint32_t
slot_of(const SnCaseNode *n, int param)
{
    const SnDefSem *s = sn_case_sem(n);
    uint32_t k, at = sn_sem_param_args(s, (unsigned)param, &k);
    int slot = k ? sn_case_map_slot(n, s->arg[at]) : 0;

    return slot < 0 ? 0 : (uint32_t)slot;
}

/* Operands whose elements the map looks at. */
static bool
add_data(SnProofCase *c, SnCaseNode *n, SnMapping *u)
{
    SnMapArg *arg = SN_NEW_N(c->a, SnMapArg, u->decl->nparam);

    memcpy(arg, u->arg, u->decl->nparam * sizeof *arg);
    for (int i = 0; i < u->decl->nparam; i++) {
        const SnMapParam *p = &u->decl->param[i];
        if (p->kind != SN_MP_OPERAND || !arg[i].n)
            continue;
        SnCaseValue *x = n->in[slot_of(n, i)];
        bool ok = true;
        if (x && sn_case_quant(&x->type))
            arg[i].low = (int64_t)sn_case_code_lo(x->type.elem);
        if (!p->data || !x)
            continue;
        if (!sn_case_eval(c, x))
            return false;
        arg[i].data = whole_list(c, (uint32_t)x->n, x->v, &ok);
        arg[i].width = 8;
        if (!ok)
            return sn_case_no(c, "an index that is no integer");
    }
    u->arg = arg;
    return true;
}

/* The variables, a bit for each, whose values differ at the next place. */
static uint32_t
next_place(const SnMapping *u, bool tap, int64_t *x)
{
    uint32_t other = 0;

    for (uint32_t i = u->nvar; i-- > 0;) {
        if (u->var[i].tap != tap)
            continue;
        other |= u->var[i].bound.v > 1 ? UINT32_C(1) << i : 0;
        if (++x[i] < u->var[i].bound.v)
            break;
        x[i] = 0;
    }
    return other;
}

/* A read without `else` is outside its operand: such a map is invalid. */
static bool
outside(SnProofCase *c, const SnCaseNode *n, const SnMapRead *r)
{
    c->outside.n = n;
    c->outside.x = n->in[slot_of(n, r->param) + r->which];
    c->outside.param = r->param;
    return sn_case_no(c, "an index out of range");
}

/* ---- linear reads ----
 *
 * The indices of most reads are linear in the places of the result and of the
 * tap: a number for each result plus one for each tap. */

typedef struct Index {
    const int64_t *result, *tap; /* what a place of each adds */
    int64_t below;               /* what it has to be below, from 0 on */
} Index;

/* The sum of coef * place at each of n places of the result or of the tap, the
 * last one fastest, and v. */
static const int64_t *
sums(const SnMapping *u, bool tap, int64_t n, const int64_t *coef, int64_t v)
{
    int64_t *r = SN_NEW_N(u->a, int64_t, n + 1), x[SN_MAP_NVAR] = {0};

    for (int64_t i = 0; i < n; i++) {
        r[i] = v;
        for (uint32_t k = u->nvar; k-- > 0;) {
            if (u->var[k].tap != tap)
                continue;
            v += coef[k];
            if (++x[k] < u->var[k].bound.v)
                break;
            v -= coef[k] * x[k];
            x[k] = 0;
        }
    }
    return r;
}

static bool
index_of(const SnMapping *u, const SnCaseTaps *t, SnMapNum x, Index *at)
{
    int64_t coef[SN_MAP_NVAR], v;

    if (!sn_term_affine(&u->T, x, coef, &v))
        return false;
    at->result = sums(u, false, t->no, coef, v);
    at->tap = sums(u, true, t->nk, coef, 0);
    return true;
}

static bool
is_inside(const Index *at, uint32_t n, int64_t o, int64_t k)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t x = at[i].result[o] + at[i].tap[k];
        if (x < 0 || x >= at[i].below)
            return false;
    }
    return true;
}

/* Fills ix with the offsets that r reads, -1 for places without an element.
 * False: its indices are not linear, it is one of several, or an element is
 * outside that must not be. */
static bool
linear(const SnMapping *u, const SnCaseTaps *t, const SnMapRead *r, int32_t *ix)
{
    Index off, at[SN_MAP_RANK]; /* of axes where it may be outside */
    uint32_t n = 0;

    if (r->nwhen || r->one_of || !index_of(u, t, r->off, &off))
        return false;
    for (int i = 0; i < r->box.rank; i++) {
        if (r->inside[i])
            continue;
        at[n].below = r->box.dim[i];
        if (!index_of(u, t, r->at[i], &at[n++]))
            return false;
    }
    for (int64_t o = 0; o < t->no; o++)
        for (int64_t k = 0; k < t->nk; k++) {
            bool in = is_inside(at, n, o, k);
            if (!in && r->els == SN_ME_NONE)
                return false;
            *ix++ = in ? (int32_t)(off.result[o] + off.tap[k]) : -1;
        }
    return true;
}

/* ---- all reads ---- */

/* The elements that read r of slot gives for all taps of all results; false: it
 * is outside where it must not be. */
typedef struct Fill {
    SnProofCase *c;
    const SnCaseNode *n;
    const SnMapping *u;
    SnCaseTaps *t;
    const uint32_t *slot; /* of each read */
    int64_t *val;
    bool moves; /* a read of several: which one it is */
} Fill;

static bool
fill_tap(const Fill *f, int64_t at)
{
    for (uint32_t i = 0; i < f->u->nread; i++) {
        const SnMapRead *r = &f->u->read[i];
        int64_t k = sn_read_offset(r, f->val);
        if (k == -2)
            return outside(f->c, f->n, r);
        if (!f->moves)
            f->t->ix[f->slot[i]][at] = (int32_t)k;
        else if (k >= 0) {
            f->t->ix[f->slot[0]][at] = (int32_t)k;
            f->t->slot[at] = (int32_t)r->which;
        }
    }
    return true;
}

static bool
all_linear(const Fill *f)
{
    bool are = true;

    for (uint32_t i = 0; i < f->u->nread && are; i++)
        are = linear(f->u, f->t, &f->u->read[i], f->t->ix[f->slot[i]]);
    return are;
}

static bool
fill_taps(const Fill *f)
{
    const SnMapping *u = f->u;
    int64_t x[SN_MAP_NVAR] = {0}, at = 0;
    uint32_t other = UINT32_MAX;

    if (all_linear(f))
        return true;
    sn_terms_run(&u->T, 0, x, f->val);
    for (int64_t o = 0; o < f->t->no; o++) {
        for (int64_t k = 0; k < f->t->nk; k++, at++) {
            if (other)
                sn_terms_run(&u->T, other, x, f->val);
            if (!fill_tap(f, at))
                return false;
            other = next_place(u, true, x);
        }
        other |= next_place(u, false, x);
    }
    return true;
}

static bool
has_some(SnProofCase *c, const SnCaseTaps *t, const int32_t *ix)
{
    for (int64_t o = 0; o < t->no; o++) {
        int64_t k = 0;
        while (k < t->nk && ix[o * t->nk + k] < 0)
            k++;
        if (k == t->nk)
            return stops(c, "a set without a valid element");
    }
    return true;
}

/* Divisors and parts of means. */
static void
add_mean(SnProofCase *c, const SnMapping *u, SnCaseTaps *t)
{
    uint32_t v = sn_num_vars(&u->T, u->parts);

    t->whole = u->whole;
    if (u->parts.t != SN_NUM_UNDEFINED)
        t->parts = v ? u->var[__builtin_ctz(v)].bound.v : 1;
    if (u->divisor.t != SN_NUM_INT)
        return;
    int32_t *div = SN_NEW_N(c->a, int32_t, t->no + 1);
    for (int64_t o = 0; o < t->no; o++)
        div[o] = (int32_t)u->divisor.v;
    t->div = div;
}

/* `round` says where a zero point is added: it does not apply to reals. */
static int64_t
parts_of(const SnCaseNode *n, const SnCaseTaps *t)
{
    int32_t sh;

    return n->out[0]->type.nq && sn_case_after(n, &sh) ? 0 : t->parts;
}

/* Each result is made from the elements in its own place. */
static bool
fill_in_place(SnProofCase *c, const SnCaseNode *n, SnCaseTaps *t)
{
    int32_t *ix = NULL;

    for (uint32_t s = 0; s < n->nin; s++) {
        if (!n->in[s])
            continue;
        if (!ix && !(ix = table(c, t, s)))
            return false;
        t->ix[s] = ix;
    }
    for (int64_t o = 0; ix && o < t->no; o++)
        ix[o] = (int32_t)o;
    return true;
}

/* A tap is missing if it is missing in any operand. */
static const bool *
holes(SnProofCase *c, const SnCaseNode *n, const SnCaseTaps *t)
{
    int64_t len = t->no * t->nk;
    bool *hole = NULL;

    for (uint32_t s = 0; s < n->nin; s++)
        for (int64_t i = 0; t->ix[s] && i < len; i++)
            if (t->ix[s][i] < 0) {
                if (!hole)
                    hole = SN_NEW_N(c->a, bool, len + 1);
                hole[i] = true;
            }
    return hole;
}

static bool
same_arg(const SnMapParam *p, const SnMapArg *a, const SnMapArg *b)
{
    size_t n = a->n;

    if (a->given != b->given || n != b->n || a->low != b->low ||
        !a->data != !b->data)
        return false;
    for (uint32_t i = 0; p->kind == SN_MP_OPERAND && i < n; i++)
        if (a->box[i].rank != b->box[i].rank ||
            memcmp(a->box[i].dim, b->box[i].dim,
                   (size_t)a->box[i].rank * sizeof *a->box[i].dim) != 0)
            return false;
    return (!a->ints || !memcmp(a->ints, b->ints, n * sizeof *a->ints)) &&
           (!a->reals || !memcmp(a->reals, b->reals, n * sizeof *a->reals));
}

/* A node of n's kind whose map reads the same places, or NULL: most rules have
 * a node on both sides. */
static const SnCaseNode *
mapped_alike(const SnProofCase *c, const SnCaseNode *n, const SnMapArg *arg)
{
    const SnMapDecl *d = sn_case_sem(n)->decl->decl;

    for (const SnCaseNode *m = c->mapped; m; m = m->next) {
        bool same = m->n == n->n && m->nin == n->nin &&
                    m->out[0]->n == n->out[0]->n &&
                    !memcmp(m->port, n->port, n->nin * sizeof *n->port);
        for (uint32_t s = 0; same && s < n->nin; s++)
            same = !m->in[s] == !n->in[s];
        for (unsigned i = 0; same && i < d->nparam; i++)
            same = same_arg(&d->param[i], &m->arg[i], &arg[i]) &&
                   (!arg[i].data ||
                    m->in[slot_of(m, (int)i)] == n->in[slot_of(n, (int)i)]);
        if (same)
            return m;
    }
    return NULL;
}

static bool
fill_from_map(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    SnMapping u;

    if (sn_case_one_shape(n))
        return fill_in_place(c, n, t);
    if (!sn_case_mapping(c, n, &u) || !add_data(c, n, &u))
        return false;
    const SnCaseNode *m = mapped_alike(c, n, u.arg);
    if (m) {
        *t = *m->taps;
        return true;
    }
    if (!sn_mapping_reads(&u, 0, NULL))
        return stops(c, u.why ? u.why : "the map takes no such element");
    uint32_t *slot = SN_NEW_N(c->a, uint32_t, u.nread + 1);
    Fill f = {c, n, &u, t, slot, SN_NEW_N(c->a, int64_t, u.T.n + 1), false};
    t->nk = u.ntap;
    for (uint32_t i = 0; i < u.nread; i++) {
        slot[i] = slot_of(n, u.read[i].param) + u.read[i].which;
        f.moves |= u.read[i].one_of;
    }
    if (f.moves)
        t->nk = 1;
    if (t->nk < 0)
        return sn_case_no(c, "a set whose size depends on elements");
    for (uint32_t i = 0; i < (f.moves ? 1 : u.nread); i++)
        if (!t->ix[slot[i]] && !table(c, t, slot[i]))
            return false;
    if (f.moves)
        t->slot = SN_NEW_N(c->a, int32_t, t->no + 1);
    add_mean(c, &u, t);
    if (!fill_taps(&f))
        return false;
    bool some = sn_case_requires_elements(sn_case_sem(n));
    if (some && u.nread && !has_some(c, t, t->ix[slot[0]]))
        return false;
    t->hole = holes(c, n, t);
    n->arg = u.arg;
    n->next = c->mapped;
    c->mapped = n;
    return true;
}

bool
sn_case_taps(SnProofCase *c, SnCaseNode *n, SnCaseTaps *t)
{
    if (n->taps) { /* run again, over the reals */
        *t = *n->taps;
        return true;
    }
    t->no = n->out[0]->n;
    t->nk = 1;
    t->ncol = 0;
    t->ix = SN_NEW_N(c->a, int32_t *, n->nin + 1);
    if (n->n->nin == 0)
        return true;
    if (!fill_from_map(c, n, t))
        return false;
    t->ncol = parts_of(n, t);
    n->taps = sn_memdup(c->a, t, sizeof *t);
    return true;
}
