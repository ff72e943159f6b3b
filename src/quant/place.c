#include "quant/place.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "kernel/eval.h"
#include "sn_kinds.h"

/* One run of the step.  Types are decided for the whole graph, in topological
 * order, before anything is inserted. */
typedef struct Placing {
    SnGraph *g;
    SnRewriter *rw;
    SnPlace *p;
    SnArena *a; /* scratch */
    uint32_t nnode;          /* nodes there were at the start */
    const SnType **type;     /* [ref] T(v) where it is decided, else NULL */
    const SnTuple **tuple;   /* [id] the quantized tuple, NULL: stays float */
    const SnKindDesc **form; /* [id] the kind or form that has it */
} Placing;

/* ---- what descriptors say ---- */

/* A value known at compile time: a Constant, or one number everywhere. */
static bool
is_constant(const Placing *pl, SnRef r)
{
    const SnNode *n = sn_def(pl->g, r);
    const SnKindDesc *d = sn_desc(n->kind);

    return n->data != NULL || (n->nin == 0 && !d->effect);
}

static const SnPortDesc *
port_of(const SnKindDesc *d, uint32_t nin, uint32_t slot, uint32_t *port)
{
    *port = sn_port_of_slot(d, nin, slot);
    return &d->in[*port];
}

/* Is a constant in this port quantized to the type of the result when its
 * node is integerized?  So it is for selections, which choose one operand's
 * code element by element, and in `same` ports. */
static bool
takes_result_type(const SnKindDesc *d, const SnPortDesc *p)
{
    return p->fact == SN_SAME
        || (d->sem[0].cls == SN_C_POINT && d->sem[0].monotone);
}

/* Results that keep the codes of one operand: its slot, or -1. */
static int
kept_slot(const SnKindDesc *d, const SnNode *n, unsigned res)
{
    const SnSem *s = &d->sem[res];
    int slot = -1;

    if (d->out[res].fact != SN_SAME)
        return -1;
    if (s->cls != SN_C_MOVE && !(s->monotone && !s->mean))
        return -1;
    for (uint32_t i = 0; i < n->nin; i++) {
        uint32_t port;
        if (port_of(d, n->nin, i, &port)->fact != SN_SAME || !n->in[i].ref)
            continue;
        if (slot >= 0)
            return -1;
        slot = (int)i;
    }
    return slot;
}

/* ---- ranges ---- */

static bool
finite_range(const float *v, int64_t n, int64_t inner, int64_t stride,
             int64_t outer, double *lo, double *hi)
{
    *lo = *hi = 0;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            float x = v[o * stride + i];
            if (!(fabsf(x) <= FLT_MAX))
                return false;
            if ((double)x < *lo)
                *lo = (double)x;
            if ((double)x > *hi)
                *hi = (double)x;
        }
    return n >= 0;
}

static bool
constant_is_finite(const Placing *pl, SnRef r)
{
    const float *v = sn_eval_const(pl->g, r, pl->a);
    int64_t n = sn_shape_count(sn_shape_of(pl->g, r));
    double lo, hi;

    return v && finite_range(v, n, n, n, 1, &lo, &hi);
}

static const SnType *
type_from_profile(Placing *pl, SnRef r)
{
    const SnHist *h = sn_profile_find(pl->p->profile, sn_name(pl->g, r));

    if (!h || h->count == 0)
        return NULL;
    SnParam q = sn_choose(pl->p->schema, SN_QI8, (double)h->min,
                          (double)h->max, 0);
    return sn_type_quant(pl->g->pool, SN_QI8, q.scale, q.zp);
}

/* T(v) of a value that is no constant: decided with its producer, or, where
 * that stays float, from the profile when a quantized port asks. */
static const SnType *
value_type(Placing *pl, SnRef r)
{
    if (sn_type(pl->g, r)->elem != SN_F32)
        return NULL;
    if (!pl->type[r])
        pl->type[r] = type_from_profile(pl, r);
    return pl->type[r];
}

/* ---- which nodes are quantized ---- */

static bool
axis_asked(const Placing *pl, const SnKindDesc *d)
{
    SnMapId m = d->sem[0].map;

    if (d->sem[0].cls != SN_C_CONTRACT)
        return false;
    if (m == SN_MAP_CONV || m == SN_MAP_CONV_TRANSPOSE)
        return pl->p->channelwise;
    return m == SN_MAP_MATMUL && pl->p->rowwise;
}

/* Why operand `slot` cannot be what the tuple wants, or NULL. */
static const char *
operand_why(Placing *pl, SnId id, const SnKindDesc *f, const SnTuple *t,
            uint32_t slot)
{
    const SnGraph *g = pl->g;
    const SnNode *n = sn_node(g, id);
    SnRef r = n->in[slot].ref;
    uint32_t port;
    const SnPortDesc *p = port_of(f, n->nin, slot, &port);
    SnTypePat pat = t->in[port];

    if (!r)
        return NULL;
    if (pat.elem < 0)
        return sn_format(pl->a, "operand '%s' must be absent", p->name);
    const SnType *ty = sn_type(g, r);
    if (!sn_elem_quant((SnElem)pat.elem))
        return ty->elem == (SnElem)pat.elem ? NULL
            : sn_format(pl->a, "operand '%s' is %s", p->name,
                        sn_elem_name(ty->elem));
    if (ty->elem != SN_F32)
        return sn_format(pl->a, "operand '%s' is %s, not f32", p->name,
                         sn_elem_name(ty->elem));
    bool constant = is_constant(pl, r);
    if (constant && !constant_is_finite(pl, r))
        return sn_format(pl->a, "constant '%s' is not finite",
                         sn_name(g, r));
    if (p->fact == SN_PIN)
        return constant ? NULL
            : sn_format(pl->a, "operand '%s' is not a constant", p->name);
    if (pat.elem != SN_QI8)
        return "it has no int8 form";
    if (pat.axis >= 0)
        return constant && axis_asked(pl, f)
                && pat.axis < sn_shape_of(g, r)->rank ? NULL
            : sn_format(pl->a, "operand '%s' has no scale per slice",
                        p->name);
    if (constant || value_type(pl, r))
        return NULL;
    return sn_format(pl->a, "the profile has no range for '%s'",
                     sn_name(g, r));
}

/* A fixed type suits any model only as long as its values fill it: the
 * probabilities of a thousand classes all round to zero on steps of 1/256. */
enum { FIXED_STEPS = 8 };

static const char *
fixed_why(Placing *pl, SnRef r, const SnPortDesc *p)
{
    const SnHist *h = sn_profile_find(pl->p->profile, sn_name(pl->g, r));

    if (!h || h->min > h->max)
        return NULL;
    double m = fmax(fabs((double)h->min), fabs((double)h->max));
    if (m >= FIXED_STEPS * (double)p->fixed_scale)
        return NULL;
    return sn_format(pl->a, "its values stay within %.3g, less than %d steps "
                     "of its fixed type", m, FIXED_STEPS);
}

static const char *
result_why(Placing *pl, SnId id, const SnKindDesc *f, const SnTuple *t,
           unsigned res)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnType *ty = n->res[res].type;
    SnTypePat pat = t->out[res];

    if (pat.elem < 0)
        return n->res[res].nuse ? sn_format(pl->a, "result '%s' is used",
                                            f->out[res].name) : NULL;
    if (!sn_elem_quant((SnElem)pat.elem))
        return ty->elem == (SnElem)pat.elem ? NULL : "its result is another "
                                                     "kind";
    if (pat.elem != SN_QI8 || pat.axis >= 0 || ty->elem != SN_F32)
        return "it has no int8 form";
    if (f->out[res].fact == SN_FIXED)
        return fixed_why(pl, SN_REF(id, res), &f->out[res]);
    if (kept_slot(f, n, res) >= 0)
        return NULL;
    if (!value_type(pl, SN_REF(id, res)))
        return sn_format(pl->a, "the profile has no range for '%s'",
                         sn_name(pl->g, SN_REF(id, res)));
    return NULL;
}

static const char *
tuple_why(Placing *pl, SnId id, const SnKindDesc *f, const SnTuple *t)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnBackendDesc *b = sn_opts(pl->rw)->backend;
    const char *why;

    if (n->nres > f->nout)
        return "it has no int8 form";
    for (uint32_t i = 0; i < n->nin; i++)
        if ((why = operand_why(pl, id, f, t, i)))
            return why;
    for (unsigned r = 0; r < n->nres; r++)
        if ((why = result_why(pl, id, f, t, r)))
            return why;
    if (b && b->supports && !b->supports((SnKind)(f - sn_kinds), t))
        return sn_format(pl->a, "backend %s does not run the int8 form",
                         b->name);
    return NULL;
}

/* Does the tuple hold a value with one scale per slice? */
static bool
has_axis(const SnKindDesc *f, const SnTuple *t)
{
    for (uint8_t i = 0; i < f->nin; i++)
        if (f->in[i].fact != SN_PIN && t->in[i].axis >= 0)
            return true;
    return false;
}

/* Finds the quantized tuple of node id among its kind and the forms of it;
 * per-axis ones, which fit only when asked for, come first.  Only core kinds
 * and those of the backend in use have tuples that fit. */
static const char *
choose_tuple(Placing *pl, SnId id)
{
    SnKind kind = sn_node(pl->g, id)->kind;
    const SnBackendDesc *b = sn_opts(pl->rw)->backend;
    const char *why = NULL;

    for (int axis = 1; axis >= 0; axis--)
        for (SnKind k = 1; k < sn_nkind; k++) {
            const SnKindDesc *f = sn_desc(k);
            if (k != kind && f->form_of != (int32_t)kind)
                continue;
            if (f->backend && (!b || strcmp(f->backend, b->name) != 0))
                continue;
            for (uint16_t i = 0; i < f->ntuple; i++) {
                const SnTuple *t = &f->tuple[i];
                if (!t->quant || has_axis(f, t) != (axis == 1))
                    continue;
                const char *w = tuple_why(pl, id, f, t);
                if (!w) {
                    pl->form[id] = f;
                    pl->tuple[id] = t;
                    return NULL;
                }
                if (axis == 0 && (!why || strcmp(w, "it has no int8 form")))
                    why = w;
            }
        }
    return why ? why : "it has no int8 form";
}

static void
decide_results(Placing *pl, SnId id)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *f = pl->form[id];

    for (unsigned r = 0; r < n->nres; r++) {
        SnRef ref = SN_REF(id, r);
        const SnPortDesc *p = &f->out[r];
        if (!sn_elem_quant((SnElem)pl->tuple[id]->out[r].elem))
            continue;
        int kept = kept_slot(f, n, r);
        if (p->fact == SN_FIXED)
            pl->type[ref] = sn_type_quant(pl->g->pool, SN_QI8,
                                          p->fixed_scale, p->fixed_zp);
        else if (kept >= 0 && !is_constant(pl, n->in[kept].ref))
            pl->type[ref] = value_type(pl, n->in[kept].ref);
        else
            pl->type[ref] = value_type(pl, ref);
    }
}

/* Nodes that compute something from f32 operands to f32 results. */
static bool
is_candidate(const Placing *pl, SnId id)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    if (n->nin == 0 || n->nres == 0 || d->effect
        || d->sem[0].cls == SN_C_CONVERT || d->sem[0].cls == SN_C_SOURCE)
        return false;
    for (unsigned r = 0; r < n->nres; r++)
        if (n->res[r].type->elem == SN_F32)
            return true;
    return false;
}

static void
decide(Placing *pl, SnId id)
{
    if (!is_candidate(pl, id))
        return;
    const char *why = choose_tuple(pl, id);
    if (why) {
        SnFloatNode f = {id, sn_label(pl->g, id, pl->p->arena),
                         sn_strdup(pl->p->arena, why)};
        SN_PUSH(pl->p->arena, pl->p->left_float, pl->p->nfloat, f);
        return;
    }
    decide_results(pl, id);
    for (unsigned r = 0; r < sn_node(pl->g, id)->nres; r++) {
        SnTypePat pat = pl->tuple[id]->out[r];
        if (sn_elem_quant((SnElem)pat.elem) && !pl->type[SN_REF(id, r)])
            pl->tuple[id] = NULL;
        if (!pl->tuple[id])
            return;
    }
}

/* ---- constants ---- */

/* The bias that is pinned to the scale of operand `slot`, and the product of
 * the other scales in its pin; 0 when there is none. */
static SnRef
bias_on(Placing *pl, SnId id, uint32_t slot, double *others, double *xmax)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *f = pl->form[id];
    uint32_t port;

    port_of(f, n->nin, slot, &port);
    for (uint8_t b = 0; b < f->nin; b++) {
        uint32_t first, count;
        bool mine = false;
        if (f->in[b].fact != SN_PIN)
            continue;
        *others = *xmax = 1;
        for (uint8_t i = 0; i < f->in[b].npin; i++) {
            sn_port_slots(f, n->nin, f->in[b].pin[i], &first, &count);
            if (f->in[b].pin[i] == port) {
                mine = true;
                continue;
            }
            SnRef x = count ? n->in[first].ref : 0;
            const SnType *t = SN_NODE(x) < pl->nnode ? pl->type[x] : NULL;
            if (!t || !t->nq)
                return 0;
            *others *= (double)t->scale[0];
            *xmax *= fmax(127.0 - t->zp[0], t->zp[0] + 128.0);
        }
        sn_port_slots(f, n->nin, b, &first, &count);
        if (mine && count && n->in[first].ref)
            return n->in[first].ref;
    }
    return 0;
}

/* The least scale of weights w[0..n) with which the bias of largest magnitude
 * `bias` and the accumulator fit int32 (numerics.md, "Accumulators"). */
static double
floor_for_bias(const float *w, int64_t n, double scale, double bias,
               double others, double xmax)
{
    const double room = 2147483647.0 * 0.999;
    double sum = 0;

    if (!(bias > 0))
        return 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs((double)w[i]);
    double acc = (sum / scale + 0.5 * (double)n) * xmax;
    return acc < room / 2 ? bias / (others * (room - acc))
                          : bias / (others * (room / 2));
}

typedef struct Slices { /* a constant, cut along an axis or whole */
    const float *v;
    int64_t n, nslice, inner;
} Slices;

static Slices
cut(Placing *pl, SnRef c, int axis)
{
    const SnShape *s = sn_shape_of(pl->g, c);
    Slices k = {sn_eval_const(pl->g, c, pl->a), sn_shape_count(s), 1, 1};

    k.inner = k.n;
    if (axis < 0)
        return k;
    k.nslice = s->dim[axis];
    k.inner = 1;
    for (int i = axis + 1; i < s->rank; i++)
        k.inner *= s->dim[i];
    return k;
}

static double
largest_bias(const float *b, int64_t n, int64_t slice, int64_t nslice)
{
    double top = 0;

    for (int64_t i = 0; i < n; i++)
        if ((nslice == 1 || i == slice) && fabs((double)b[i]) > top)
            top = fabs((double)b[i]);
    return top;
}

/* Parameters of one slice; the floor needs the slice in one piece, which it
 * is wherever there is a bias (weights are [out, ...]). */
static SnParam
slice_param(Placing *pl, const Slices *k, int64_t i, SnSchema schema,
            const float *bias, int64_t nbias, double others, double xmax,
            bool *raised)
{
    int64_t stride = k->inner * k->nslice;
    int64_t outer = stride ? k->n / stride : 0;
    double lo, hi;

    finite_range(k->v + i * k->inner, k->n, k->inner, stride, outer, &lo,
                 &hi);
    SnParam q = sn_choose(schema, SN_QI8, lo, hi, 0);
    *raised = false;
    if (!bias || outer != 1)
        return q;
    double top = largest_bias(bias, nbias, i, k->nslice);
    double least = floor_for_bias(k->v + i * k->inner, k->inner,
                                  (double)q.scale, top, others, xmax);
    if (least > (double)q.scale) {
        *raised = true;
        q = sn_choose(schema, SN_QI8, lo, hi, least);
    }
    (void)pl;
    return q;
}

/* The type of constant c in operand `slot` of id: its own range; one scale
 * per slice, then symmetric, where the tuple says so. */
static const SnType *
constant_type(Placing *pl, SnId id, uint32_t slot)
{
    const SnNode *n = sn_node(pl->g, id);
    SnRef c = n->in[slot].ref;
    uint32_t port, nraised = 0;
    double others = 1, xmax = 1;

    port_of(pl->form[id], n->nin, slot, &port);
    int axis = pl->tuple[id]->in[port].axis;
    Slices k = cut(pl, c, axis);
    SnSchema schema = axis < 0 ? pl->p->schema : SN_SYMMETRIC;
    SnRef b = bias_on(pl, id, slot, &others, &xmax);
    const float *bias = b ? sn_eval_const(pl->g, b, pl->a) : NULL;
    int64_t nbias = b ? sn_shape_count(sn_shape_of(pl->g, b)) : 0;
    float *scale = SN_NEW_N(pl->a, float, k.nslice);
    int32_t *zp = SN_NEW_N(pl->a, int32_t, k.nslice);
    for (int64_t i = 0; i < k.nslice; i++) {
        bool raised;
        SnParam q = slice_param(pl, &k, i, schema, bias, nbias, others, xmax,
                                &raised);
        scale[i] = q.scale;
        zp[i] = q.zp;
        nraised += raised;
    }
    if (nraised) {
        SnRaised r = {sn_strdup(pl->p->arena, sn_name(pl->g, c)),
                      sn_label(pl->g, id, pl->p->arena), nraised,
                      (uint32_t)k.nslice};
        SN_PUSH(pl->p->arena, pl->p->raised, pl->p->nraised, r);
    }
    if (axis < 0)
        return sn_type_quant(pl->g->pool, SN_QI8, scale[0], zp[0]);
    return sn_type_axis(pl->g->pool, SN_QI8, axis, (uint32_t)k.nslice, scale,
                        zp);
}

/* ---- inserting ---- */

/* Dequantize(Quantize(v)), named v.q and v.dq. */
static SnRef
add_pair(Placing *pl, SnRef v, const SnType *t)
{
    SnGraph *g = pl->g;
    const char *name = sn_name(g, v);
    const SnType *f32 = sn_type_plain(g->pool, SN_F32);
    SnSpec q = {.kind = SN_K_QUANTIZE, .nin = 1, .in = &v, .type = &t,
                .name = sn_format(pl->a, "%s.q", name), .calibrated = true,
                .origin = "place"};
    SnRef qr = SN_REF(sn_add(g, &q, NULL), 0);
    SnSpec dq = {.kind = SN_K_DEQUANTIZE, .nin = 1, .in = &qr, .type = &f32,
                 .name = sn_format(pl->a, "%s.dq", name), .origin = "place"};

    return SN_REF(sn_add(g, &dq, NULL), 0);
}

/* Does operand `slot` of id read a pair, given what reads there?  Pinned and
 * plain ports do not. */
static bool
port_is_quantized(const Placing *pl, SnId id, uint32_t slot, bool constant)
{
    const SnNode *n = sn_node(pl->g, id);
    uint32_t port;

    if (id >= pl->nnode || !pl->tuple[id])
        return false;
    const SnPortDesc *p = port_of(pl->form[id], n->nin, slot, &port);
    if (constant && takes_result_type(pl->form[id], p))
        return false;
    return p->fact != SN_PIN
        && sn_elem_quant((SnElem)pl->tuple[id]->in[port].elem);
}

typedef struct Site {
    SnId user;
    uint32_t slot;
} Site;

/* The uses of v as they are now, oldest first. */
static Site *
uses_of(Placing *pl, SnRef v, uint32_t *n)
{
    uint32_t total = sn_nuse(pl->g, v), i = total;
    Site *s = SN_NEW_N(pl->a, Site, total + 1);

    for (const SnUse *u = sn_res(pl->g, v)->uses; u && i > 0; u = u->next)
        s[--i] = (Site){u->user, u->slot};
    *n = total;
    return s;
}

static void
place_value(Placing *pl, SnRef v, bool everywhere)
{
    uint32_t n;
    Site *s = uses_of(pl, v, &n);
    SnRef dq = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!everywhere
            && !port_is_quantized(pl, s[i].user, s[i].slot, false))
            continue;
        if (!dq) {
            dq = add_pair(pl, v, pl->type[v]);
            pl->p->nvalue++;
        }
        sn_set_in(pl->g, s[i].user, s[i].slot, dq);
    }
}

/* A constant read with different types gets one pair for each. */
static void
place_constant(Placing *pl, SnRef c)
{
    uint32_t n, nmade = 0;
    Site *s = uses_of(pl, c, &n);
    const SnType **type = SN_NEW_N(pl->a, const SnType *, n + 1);
    SnRef *dq = SN_NEW_N(pl->a, SnRef, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        if (!port_is_quantized(pl, s[i].user, s[i].slot, true))
            continue;
        const SnType *t = constant_type(pl, s[i].user, s[i].slot);
        uint32_t k = 0;
        while (k < nmade && type[k] != t)
            k++;
        if (k == nmade) {
            type[k] = t;
            dq[k] = add_pair(pl, c, t);
            nmade++;
            pl->p->nconst++;
        }
        sn_set_in(pl->g, s[i].user, s[i].slot, dq[k]);
    }
}

/* Constants come first: the types of their neighbours are looked up by
 * operand, and pairs around values change operands. */
static void
insert(Placing *pl, const SnId *topo, uint32_t n, bool constants)
{
    for (uint32_t i = 0; i < n; i++) {
        unsigned nres = sn_node(pl->g, topo[i])->nres;
        for (unsigned r = 0; r < nres; r++) {
            SnRef v = SN_REF(topo[i], r);
            if (sn_type(pl->g, v)->elem != SN_F32
                || is_constant(pl, v) != constants)
                continue;
            if (constants)
                place_constant(pl, v);
            else if (pl->type[v])
                place_value(pl, v, pl->tuple[topo[i]] != NULL);
        }
    }
}

SnStatus
sn_place(SnGraph *g, SnRewriter *rw, void *ctx)
{
    Placing pl = {.g = g, .rw = rw, .p = ctx, .a = sn_scratch(rw)};
    uint32_t n;
    SnId *topo = sn_topo(g, pl.a, &n);
    SnDiag *d = sn_rw_diag(rw);

    pl.nnode = g->nnode;
    pl.type = SN_NEW_N(pl.a, const SnType *, (size_t)g->nnode << SN_RESBITS);
    pl.tuple = SN_NEW_N(pl.a, const SnTuple *, g->nnode);
    pl.form = SN_NEW_N(pl.a, const SnKindDesc *, g->nnode);
    for (uint32_t i = 0; i < n; i++)
        decide(&pl, topo[i]);
    insert(&pl, topo, n, true);
    insert(&pl, topo, n, false);
    for (uint32_t i = 0; i < pl.p->nraised; i++) {
        const SnRaised *r = &pl.p->raised[i];
        sn_note(d, (SnPos){0}, NULL, "%s: %u of %u weight scales of '%s' "
                "raised so that the bias fits 32 bits", r->node, r->nslice,
                r->nof, r->constant);
    }
    return SN_OK;
}
