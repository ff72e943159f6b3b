// SPDX-License-Identifier: Apache-2.0
#include "quant/compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "run/batch.h"

/* A value of the quantized graph that the float graph has too. */
typedef struct Pair {
    SnRef q, f;
    uint32_t step; /* in the quantized graph, of the node that makes q */
    bool local;    /* every operand has a float counterpart or is constant */
} Pair;

typedef struct Comparing {
    const SnCompareOpts *o;
    SnArena *a;
    SnRef *twin; /* [ref of the quantized graph] in the float one, or 0 */
    uint32_t npair;
    Pair *pair;
    uint32_t *of;  /* [ref of the quantized graph] pair + 1 */
    SnErrors *sum; /* [nsample][npair][2]: cumulative, local */
} Comparing;

/* One thread's state. */
typedef struct Worker {
    Comparing *c;
    SnArena *a;
    SnRun *flt;
    float **value;     /* [ref of the float graph] a copy, where asked for */
    float *real;       /* one value of the quantized graph as reals */
    uint8_t **operand; /* room for the operands of one node */
    uint8_t *result[SN_MAXRES];
    SnTensor *in;
    int64_t sample;
    SnArena *scratch;
} Worker;

double
sn_sqnr(const SnErrors *e)
{
    if (e->noise == 0)
        return INFINITY;
    return e->signal > 0 ? 10 * log10(e->signal / e->noise) : -INFINITY;
}

double
sn_cosine(const SnErrors *e)
{
    double n = sqrt(e->signal) * sqrt(e->other);

    if (n > 0)
        return e->dot / n;
    return e->signal == e->other ? 1 : 0;
}

static void
add_errors(SnErrors *e, const float *x, const float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double a = (double)x[i], b = (double)y[i], r = b - a;
        if (!(fabs(a) <= (double)FLT_MAX))
            continue;
        e->signal += a * a;
        e->noise += r * r;
        e->dot += a * b;
        e->other += b * b;
        if (fabs(r) > e->worst)
            e->worst = fabs(r);
        e->n++;
    }
}

static void
sum_errors(SnErrors *to, const SnErrors *e)
{
    to->signal += e->signal;
    to->noise += e->noise;
    to->dot += e->dot;
    to->other += e->other;
    to->n += e->n;
    if (e->worst > to->worst)
        to->worst = e->worst;
}

/* ---- matching ---- */

/* What the quantizer (q, dq, r) and the export (f, what a QDQ model computes
 * before its pair) add to the names of values. */
static bool
is_suffix(const char *s)
{
    static const char *const known[] = {".q", ".dq", ".r", ".f"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(s, known[i]))
            return true;
    return false;
}

/* The node of the float graph that moves the counterpart of node id's operand
 * in the same way: an import gives Transposes of its layout other names. */
static SnRef
same_move(const Comparing *c, SnId id)
{
    const SnGraph *q = c->o->quant->g, *f = c->o->flt->g;
    const SnNode *n = sn_node(q, id);
    const SnKindDesc *d = sn_desc(n->kind);
    SnRef from = n->nin == 1 ? c->twin[n->in[0].ref] : 0;

    if (!from || d->sem[0].cls != SN_C_MOVE || n->nres != 1)
        return 0;
    for (const SnUse *u = sn_res(f, from)->uses; u; u = u->next)
        if (sn_node(f, u->user)->kind == n->kind &&
            sn_attrs_equal(d, sn_node(f, u->user)->attr, n->attr))
            return SN_REF(u->user, 0);
    return 0;
}

/* The float value that v represents: the one of the same name, of the name
 * before a known suffix, or that of the value it converts or moves. */
static SnRef
twin_of(const Comparing *c, SnRef v)
{
    const SnGraph *q = c->o->quant->g, *f = c->o->flt->g;
    const char *name = sn_name(q, v), *dot = strrchr(name, '.');
    SnRef r = sn_find(f, name);

    if (!r && dot && is_suffix(dot))
        r = sn_find(f, sn_strndup(c->a, name, (size_t)(dot - name)));
    if (!r)
        r = same_move(c, SN_NODE(v));
    if (!r && sn_desc(sn_kind(q, v))->sem[0].cls == SN_C_CONVERT)
        r = c->twin[sn_in(q, SN_NODE(v), 0)];
    if (!r || sn_type(f, r)->elem != SN_F32 ||
        sn_shape_count(sn_shape_of(f, r)) != sn_shape_count(sn_shape_of(q, v)))
        return 0;
    return r;
}

static bool
readable(const SnType *t)
{
    return t->elem == SN_F32 || sn_elem_quant(t->elem);
}

/* Is node id the Quantize of a float value? */
static bool
quantizes(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    return sn_desc(n->kind)->sem[0].cls == SN_C_CONVERT && n->nin == 1 &&
           sn_type(g, n->in[0].ref)->elem == SN_F32 &&
           sn_elem_quant(n->res[0].type->elem);
}

static bool
has_local(const Comparing *c, SnId id)
{
    const SnGraph *g = c->o->quant->g;
    const SnNode *n = sn_node(g, id);

    if (sn_desc(n->kind)->sem[0].cls == SN_C_CONVERT)
        return quantizes(g, id) && c->twin[n->in[0].ref];
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef r = n->in[s].ref;
        if (r && !sn_def(g, r)->data &&
            (!c->twin[r] || !readable(sn_type(g, r))))
            return false;
    }
    return true;
}

/* Returns how many quantized values have no float one. */
static uint32_t
match(Comparing *c)
{
    const SnExec *x = c->o->quant;
    const SnGraph *g = x->g;
    size_t nref = (size_t)g->nnode << SN_RESBITS;
    uint32_t n, unmatched = 0;
    SnId *topo = sn_topo(g, c->a, &n);

    c->twin = SN_NEW_N(c->a, SnRef, nref);
    c->of = SN_NEW_N(c->a, uint32_t, nref);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned r = 0; r < sn_node(g, topo[i])->nres; r++)
            if (sn_node(g, topo[i])->res[r].name &&
                readable(sn_type(g, SN_REF(topo[i], r))))
                c->twin[SN_REF(topo[i], r)] = twin_of(c, SN_REF(topo[i], r));
    for (uint32_t i = 0; i < x->nstep; i++) {
        SnId id = x->step[i].node;
        SnRef v = SN_REF(id, 0);
        if (!readable(sn_type(g, v)))
            continue;
        if (!c->twin[v]) {
            unmatched++;
            continue;
        }
        Pair p = {v, c->twin[v], i, has_local(c, id)};
        SN_PUSH(c->a, c->pair, c->npair, p);
        c->of[v] = c->npair;
    }
    return unmatched;
}

/* ---- running ---- */

static void
keep_float(void *ctx, SnRef ref, const SnTensor *t)
{
    Worker *w = ctx;

    if (t->type->elem != SN_F32)
        return;
    if (!w->value[ref])
        w->value[ref] = SN_NEW_N(w->a, float, sn_shape_count(t->shape) + 1);
    memcpy(w->value[ref], t->data,
           (size_t)sn_shape_count(t->shape) * sizeof(float));
}

static const float *
float_value(const Worker *w, SnRef f)
{
    const SnNode *n = sn_def(w->c->o->flt->g, f);

    return n->data ? n->data : w->value[f];
}

/* Reals as codes of t, which has one scale. */
static void
to_codes(const SnType *t, const float *x, int64_t n, void *out)
{
    int32_t lo = (int32_t)sn_elem_lo(t->elem);
    int32_t hi = (int32_t)sn_elem_hi(t->elem);

    for (int64_t i = 0; i < n; i++) {
        if (t->elem == SN_F32)
            ((float *)out)[i] = x[i];
        else if (t->elem == SN_QI8)
            ((int8_t *)out)[i] =
                (int8_t)sn_quant(x[i], t->scale[0], t->zp[0], lo, hi);
        else if (t->elem == SN_QI16)
            ((int16_t *)out)[i] =
                (int16_t)sn_quant(x[i], t->scale[0], t->zp[0], lo, hi);
        else
            ((int32_t *)out)[i] = sn_quant32(x[i], t->scale[0], lo, hi);
    }
}

/* The node of pair p on the float graph's values. */
static bool
run_alone(Worker *w, const Pair *p, const SnRun *r)
{
    const SnExec *x = w->c->o->quant;
    const SnExecStep *s = &x->step[p->step];
    const SnNode *n = sn_node(x->g, s->node);
    SnTensor out[SN_MAXRES] = {{0}};
    char why[SN_WHY];

    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef v = n->in[i].ref;
        w->in[i] = r->in[s->in + i];
        if (!v || sn_def(x->g, v)->data)
            continue;
        const float *f = float_value(w, w->c->twin[v]);
        if (!f || sn_type(x->g, v)->nq > 1)
            return false;
        w->operand[i] = sn_alloc(
            w->scratch, sn_tensor_nbyte(w->in[i].type, w->in[i].shape) + 1);
        to_codes(w->in[i].type, f, sn_shape_count(w->in[i].shape),
                 w->operand[i]);
        w->in[i].data = w->operand[i];
    }
    for (unsigned k = 0; k < n->nres; k++) {
        out[k] = r->out[s->out + k];
        out[k].data = sn_alloc(w->scratch,
                               sn_tensor_nbyte(out[k].type, out[k].shape) + 1);
    }
    void *work = sn_alloc(w->scratch, s->nwork + SN_PLAN_ALIGN);
    SnCall call = {.kind = sn_desc(n->kind),
                   .attr = n->attr,
                   .nin = n->nin,
                   .nout = sn_desc(n->kind)->nout,
                   .in = w->in,
                   .out = out,
                   .scratch = w->scratch,
                   .why = why,
                   .rounding = r->x->g->rounding,
                   .prep = s->prep,
                   .work = work,
                   .u1 = s->nunit};
    if (s->fn(&call) != SN_OK)
        return false;
    sn_to_real(out[0].type, out[0].shape, out[0].data, w->real);
    return true;
}

static void
see_quantized(void *ctx, SnRef ref, const SnTensor *t)
{
    Worker *w = ctx;
    uint32_t i = w->c->of[ref];

    if (!i || SN_RES(ref) != 0)
        return;
    const Pair *p = &w->c->pair[i - 1];
    const float *f = float_value(w, p->f);
    int64_t n = sn_shape_count(t->shape);
    SnErrors *e = w->c->sum + (w->sample * w->c->npair + (i - 1)) * 2;
    if (!f)
        return;
    sn_to_real(t->type, t->shape, t->data, w->real);
    add_errors(&e[0], f, w->real, n);
}

static void
start(void *ctx, unsigned worker, SnRun *r)
{
    Comparing *c = ctx;
    SnArena *a = sn_arena_new();
    Worker *w = SN_NEW(a, Worker);
    int64_t most = 1;
    uint32_t nin = 1;

    (void)worker;
    w->a = a;
    w->c = c;
    w->scratch = sn_arena_new();
    w->flt = sn_run_team(a, c->o->flt, c->o->nthread);
    w->flt->hook = keep_float;
    w->flt->hook_ctx = w;
    w->value = SN_NEW_N(a, float *, (size_t)c->o->flt->g->nnode << SN_RESBITS);
    for (uint32_t i = 0; i < c->npair; i++) {
        const SnGraph *g = c->o->quant->g;
        int64_t n = sn_shape_count(sn_shape_of(g, c->pair[i].q));
        most = n > most ? n : most;
        if (sn_def(g, c->pair[i].q)->nin > nin)
            nin = sn_def(g, c->pair[i].q)->nin;
    }
    w->real = SN_NEW_N(a, float, most);
    w->in = SN_NEW_N(a, SnTensor, nin);
    w->operand = SN_NEW_N(a, uint8_t *, nin);
    r->hook = see_quantized;
    r->hook_ctx = w;
}

static void
stop(void *ctx, unsigned worker, SnRun *r)
{
    Worker *w = r->hook_ctx;

    (void)ctx;
    (void)worker;
    sn_run_free(w->flt);
    sn_arena_free(w->scratch);
    sn_arena_free(w->a);
}

/* The float graph runs first, so that its values are there. */
static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    Comparing *c = ctx;
    Worker *w = r->hook_ctx;

    w->sample = sample;
    SN_TRY(c->o->fill_flt(c->o->ctx_flt, sample, w->flt));
    SnStatus st = sn_run(w->flt);
    if (st != SN_OK) {
        memcpy(r->why, w->flt->why, sizeof r->why);
        r->where = w->flt->where;
        return st;
    }
    return c->o->fill_quant(c->o->ctx_quant, sample, r);
}

static void
done(void *ctx, unsigned worker, int64_t sample, const SnRun *r)
{
    Comparing *c = ctx;
    Worker *w = r->hook_ctx;

    (void)worker;
    for (uint32_t i = 0; i < c->npair; i++) {
        const Pair *p = &c->pair[i];
        SnErrors *e = c->sum + (sample * c->npair + i) * 2;
        if (!p->local)
            continue;
        if (run_alone(w, p, r))
            add_errors(&e[1], float_value(w, p->f), w->real,
                       sn_shape_count(sn_shape_of(c->o->quant->g, p->q)));
        if (sn_arena_nbyte(w->scratch) > 1 << 24) {
            sn_arena_free(w->scratch);
            w->scratch = sn_arena_new();
        }
    }
}

/* ---- results ---- */

static bool
is_output(const SnExec *x, SnRef v)
{
    for (const SnUse *u = sn_res(x->g, v)->uses; u; u = u->next) {
        const SnKindDesc *d = sn_desc(sn_node(x->g, u->user)->kind);
        if (d->effect)
            return true;
    }
    return false;
}

static bool
moves_codes(const SnGraph *g, SnId id)
{
    const SnKindDesc *d = sn_desc(sn_node(g, id)->kind);

    return d->out[0].fact == SN_SAME &&
           (d->sem[0].cls == SN_C_MOVE ||
            (d->sem[0].monotone && !d->sem[0].mean));
}

bool
sn_compare_is_source(const SnCompared *v)
{
    return v->has_local && !v->constant && !v->moves && !v->converts &&
           v->local.signal > 0 && v->local.noise > 0;
}

static bool
computes_reals(const SnNode *n)
{
    SnClass c = sn_desc(n->kind)->sem[0].cls;

    return n->nin > 0 && c != SN_C_CONVERT && n->res[0].type->elem == SN_F32;
}

/* The types of the values, as SnComparison.made has them. */
static void
add_made(Comparing *c, SnComparison *out)
{
    const SnGraph *g = c->o->quant->g, *f = c->o->flt->g;
    size_t nref = (size_t)f->nnode << SN_RESBITS;
    uint32_t *at = SN_NEW_N(c->a, uint32_t, nref), n;
    SnId *topo = sn_topo(g, c->a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *q = sn_node(g, topo[i]);
        for (unsigned r = 0; r < q->nres; r++) {
            SnRef t = c->twin[SN_REF(topo[i], r)];
            if (!t || !q->data != !sn_def(f, t)->data)
                continue;
            SnMade m = {.name = sn_name(f, t),
                        .type = q->res[r].type,
                        .rank = q->res[r].shape->rank,
                        .constant = q->data,
                        .fixed =
                            sn_desc_in(g, q->kind)->out[r].fact == SN_FIXED,
                        .stays_float = computes_reals(q)};
            if (!at[t]) {
                SN_PUSH(c->a, out->made, out->nmade, m);
                at[t] = out->nmade;
            } else if (out->made[at[t] - 1].type->elem == SN_F32) {
                m.stays_float = out->made[at[t] - 1].stays_float;
                out->made[at[t] - 1] = m;
            }
        }
    }
}

static void
add_constants(Comparing *c, SnComparison *out)
{
    const SnGraph *g = c->o->quant->g, *f = c->o->flt->g;

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        SnRef v = SN_REF(id, 0), t;
        if (n->dead || !n->data || !(t = c->twin[v]) || !sn_def(f, t)->data ||
            n->res[0].type->elem == SN_F32)
            continue;
        int64_t count = sn_shape_count(n->res[0].shape);
        float *real = SN_NEW_N(c->a, float, count + 1);
        SnCompared k = {.name = sn_name(f, t),
                        .node = sn_label(g, id, c->a),
                        .type = sn_elem_name(n->res[0].type->elem),
                        .constant = true,
                        .has_local = true};
        sn_to_real(n->res[0].type, n->res[0].shape, n->data, real);
        add_errors(&k.local, sn_def(f, t)->data, real, count);
        SN_PUSH(c->a, out->value, out->n, k);
    }
}

static int
worse(const void *x, const void *y)
{
    const SnCompared *a = x, *b = y;

    if (a->has_local != b->has_local)
        return a->has_local ? -1 : 1;
    double p = sn_sqnr(a->has_local ? &a->local : &a->cumulative);
    double q = sn_sqnr(b->has_local ? &b->local : &b->cumulative);
    if (p != q)
        return p < q ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void
collect(Comparing *c, SnComparison *out)
{
    const SnExec *x = c->o->quant;

    out->worst_output = INFINITY;
    for (uint32_t i = 0; i < c->npair; i++) {
        const Pair *p = &c->pair[i];
        SnCompared v = {.name = sn_name(c->o->flt->g, p->f),
                        .node = sn_label(x->g, SN_NODE(p->q), c->a),
                        .type = sn_elem_name(sn_type(x->g, p->q)->elem),
                        .output = is_output(x, p->q),
                        .moves = moves_codes(x->g, SN_NODE(p->q)),
                        .converts = quantizes(x->g, SN_NODE(p->q))};
        for (int64_t s = 0; s < c->o->nsample; s++) {
            const SnErrors *e = c->sum + (s * c->npair + i) * 2;
            sum_errors(&v.cumulative, &e[0]);
            sum_errors(&v.local, &e[1]);
        }
        v.has_local = p->local && v.local.n > 0;
        if (v.output && sn_sqnr(&v.cumulative) < out->worst_output)
            out->worst_output = sn_sqnr(&v.cumulative);
        SN_PUSH(c->a, out->value, out->n, v);
    }
    add_constants(c, out);
    add_made(c, out);
    qsort(out->value, out->n, sizeof *out->value, worse);
}

SnStatus
sn_compare(SnArena *a, const SnCompareOpts *o, SnDiag *d, SnComparison *out)
{
    Comparing c = {.o = o, .a = a};
    SnBatch b = {.x = o->quant,
                 .nsample = o->nsample,
                 .njob = o->njob,
                 .nthread = o->nthread,
                 .fill = fill,
                 .done = done,
                 .start = start,
                 .stop = stop,
                 .ctx = &c,
                 .progress = isatty(2)};

    memset(out, 0, sizeof *out);
    out->nsample = o->nsample;
    out->nunmatched = match(&c);
    if (o->quant->nstep == 0)
        return sn_fail(d, SN_EINPUT, o->quant->g->name,
                       "has no node to "
                       "compare: its outputs are constants or inputs");
    if (c.npair == 0)
        return sn_fail(d, SN_EINPUT, o->quant->g->name,
                       "shares no value "
                       "with the float model: names differ");
    c.sum = SN_NEW_N(a, SnErrors, o->nsample * c.npair * 2 + 1);
    SN_TRY(sn_batch_run(&b, d));
    collect(&c, out);
    return SN_OK;
}
