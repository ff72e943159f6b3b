/* integerize: Quantize(N(Dequantize(x), ...)) becomes the quantized tuple of N
 * (dsl.md 1.4).  Everything is decided by facts, meaning and tuples. */
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "kernel/eval.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kinds.h"

enum { MAXSLOT = 64 };

/* What will stand at each operand slot. */
typedef enum How {
    AS_IS,    /* plain operand or missing */
    UNWRAP,   /* Dequantize(x): x */
    CODES,    /* a Splat or Constant, quantized to a type */
    PINNED,   /* an f32 bias Constant, quantized to the pinned type */
    RESCALED, /* Dequantize(x): Rescale(x) to the group's type */
    QUANTIZED /* a float producer: Quantize to the group's type */
} How;

typedef struct Plan {
    SnGraph *g;
    SnRewriter *rw;
    uint16_t rule;
    SnId id;
    SnNode *n;
    const SnKindDesc *d;
    SnId q;              /* the Quantize below */
    const SnType *qt;    /* its type */
    How how[MAXSLOT];
    const SnType *type[MAXSLOT]; /* of each operand afterwards */
    SnKind kind;         /* the kind or form chosen */
    const SnType *yt;    /* result type of the integer node */
    bool after;          /* a Rescale from yt to qt follows */
    const char *why;
} Plan;

static bool
no(Plan *p, const char *why)
{
    p->why = why;
    sn_declined(p->rw, p->rule, p->g, p->id, "%s stays float: %s",
                sn_label(p->g, p->id, sn_scratch(p->rw)), why);
    return false;
}

static bool
quant_tuples(const SnKindDesc *d)
{
    for (uint16_t i = 0; i < d->ntuple; i++)
        if (d->tuple[i].quant)
            return true;
    return false;
}

/* Any of the kind and its forms. */
static bool
integerizable(SnKind kind)
{
    const SnKindDesc *d = sn_desc(kind);

    if (!d->sem || d->sem[0].cls == SN_C_CONVERT ||
        d->sem[0].cls == SN_C_SOURCE || d->sem[0].cls == SN_C_OPAQUE)
        return false;
    for (SnKind k = 1; k < sn_nkind; k++)
        if ((k == kind || sn_desc(k)->form_of == (int32_t)kind) &&
            quant_tuples(sn_desc(k)))
            return true;
    return false;
}

/* The Quantize that decides: every user of the result must be a Quantize;
 * among several types the widest when all are calibrated. */
static bool
find_quantize(Plan *p)
{
    SnResult *r = &p->n->res[0];
    double width = -1;

    if (!r->uses)
        return false;
    bool mixed = false, calibrated = true;
    for (SnUse *u = r->uses; u; u = u->next) {
        const SnNode *un = sn_node(p->g, u->user);
        if (un->kind != SN_K_QUANTIZE) {
            if (r->nuse > 1)
                return no(p, sn_format(sn_scratch(p->rw),
                                       "%s reads its float value",
                                       sn_label(p->g, u->user,
                                                sn_scratch(p->rw))));
            return false;
        }
        const SnType *t = un->res[0].type;
        if (t->nq != 1)
            return no(p, "its Quantize has scales along an axis");
        calibrated &= un->calibrated;
        double wd = (double)t->scale[0];
        if (p->q && t != p->qt)
            mixed = true;
        /* Ties by id, so that the choice does not depend on list order. */
        if (wd > width || (wd == width && u->user < p->q)) {
            width = wd;
            p->q = u->user;
            p->qt = t;
        }
    }
    if (mixed && !calibrated)
        return no(p, "it is quantized to several types that an imported "
                     "model fixes");
    return true;
}

static bool
selection(const SnKindDesc *d)
{
    return d->sem[0].cls == SN_C_POINT && d->sem[0].monotone;
}

static bool
is_f32_const(const SnGraph *g, SnRef v)
{
    return sn_type(g, v)->elem == SN_F32 &&
           (sn_def(g, v)->data || sn_kind(g, v) == SN_K_SPLAT);
}

/* First look at the operands: what they are, before any target type. */
static bool
operands(Plan *p)
{
    for (uint32_t s = 0; s < p->n->nin; s++) {
        SnRef v = p->n->in[s].ref;
        const SnPortDesc *pd = &p->d->in[sn_port_of_slot(p->d, p->n->nin, s)];
        p->how[s] = AS_IS;
        p->type[s] = v ? sn_type(p->g, v) : NULL;
        if (!v || sn_type(p->g, v)->elem != SN_F32)
            continue;
        if (sn_kind(p->g, v) == SN_K_DEQUANTIZE) {
            p->how[s] = UNWRAP;
            p->type[s] = sn_type(p->g, sn_in(p->g, SN_NODE(v), 0));
        } else if (pd->fact == SN_PIN) {
            if (!sn_def(p->g, v)->data)
                return no(p, sn_format(sn_scratch(p->rw), "%s is neither a "
                                       "Constant nor dequantized", pd->name));
            p->how[s] = PINNED;
        } else if (pd->fact == SN_SAME) {
            p->how[s] = is_f32_const(p->g, v) ? CODES : QUANTIZED;
        } else if (selection(p->d) && is_f32_const(p->g, v)) {
            p->how[s] = CODES;
            p->type[s] = p->qt;
        } else {
            return no(p, sn_format(sn_scratch(p->rw),
                                   "operand %s (%s) is float", pd->name,
                                   sn_name(p->g, v)));
        }
    }
    return true;
}

/* The types of a `same` group: move and monotone nodes take the Quantize's
 * type; arithmetic ones write on the grid they read and are rescaled after. */
static bool
group(Plan *p)
{
    const SnSem *s = &p->d->sem[0];
    bool moves = s->cls == SN_C_MOVE || s->monotone;
    const SnType *xt = NULL;
    bool equal = true;

    if (p->d->out[0].fact == SN_FIXED) {
        const SnPortDesc *o = &p->d->out[0];
        if (p->qt->scale[0] != o->fixed_scale || p->qt->zp[0] != o->fixed_zp)
            return no(p, sn_format(sn_scratch(p->rw),
                                   "its result type is fixed at <%.9g, %d>",
                                   (double)o->fixed_scale, o->fixed_zp));
    }
    if (p->d->out[0].fact != SN_SAME)
        return true;
    for (uint32_t i = 0; i < p->n->nin; i++) {
        uint32_t port = sn_port_of_slot(p->d, p->n->nin, i);
        if (p->d->in[port].fact != SN_SAME || p->how[i] == AS_IS)
            continue;
        if (p->how[i] != UNWRAP || p->type[i] != p->qt)
            equal = false;
        if (p->how[i] == UNWRAP && !xt)
            xt = p->type[i];
    }
    if (equal)
        return true;
    if (!moves) {
        if (!xt)
            return no(p, "its input is float");
        p->yt = xt;
        p->after = true;
        for (uint32_t i = 0; i < p->n->nin; i++)
            if (p->how[i] == QUANTIZED || p->how[i] == CODES)
                return no(p, "an input is float");
        if (!sn_node(p->g, p->q)->calibrated &&
            !sn_covers(sn_clamp_reach(xt, (SnRange){0}),
                       sn_clamp_reach(p->qt, (SnRange){0})))
            return no(p, "it writes on the grid it reads, which does not "
                         "cover the grid of its Quantize");
        return true;
    }
    for (uint32_t i = 0; i < p->n->nin; i++) {
        uint32_t port = sn_port_of_slot(p->d, p->n->nin, i);
        if (p->d->in[port].fact != SN_SAME || p->how[i] == AS_IS)
            continue;
        if (p->how[i] == UNWRAP && p->type[i] != p->qt)
            p->how[i] = RESCALED;
        SnRef v = p->n->in[i].ref;
        if (p->how[i] == QUANTIZED &&
            (sn_nuse(p->g, v) != 1 || !integerizable(sn_kind(p->g, v))))
            return no(p, sn_format(sn_scratch(p->rw), "input %s is float",
                                   sn_name(p->g, v)));
        p->type[i] = p->qt;
    }
    return true;
}

static bool
choose_kind(Plan *p)
{
    const SnType *in[MAXSLOT], *out[SN_MAXRES];
    SnKind base = p->n->kind;

    for (unsigned i = 0; i < p->n->nres; i++)
        out[i] = i ? p->n->res[i].type : p->yt;
    for (SnKind k = base; k < sn_nkind; k++) {
        const SnKindDesc *d = sn_desc(k);
        if (k != base && d->form_of != (int32_t)base)
            continue;
        if (d->backend && k != base)
            continue; /* a backend's own form is made by its own rules */
        const SnType *by_port[32] = {0};
        for (uint32_t s = 0; s < p->n->nin; s++) {
            uint32_t port = sn_port_of_slot(d, p->n->nin, s);
            in[s] = p->type[s];
            if (port < 32 && !by_port[port])
                by_port[port] = p->type[s];
        }
        for (uint32_t s = 0; s < p->n->nin; s++) {
            const SnPortDesc *pd =
                &d->in[sn_port_of_slot(d, p->n->nin, s)];
            if (p->how[s] != PINNED)
                continue;
            for (uint8_t i = 0; i < pd->npin; i++)
                if (!by_port[pd->pin[i]] || !by_port[pd->pin[i]]->nq)
                    return no(p, "an operand that fixes the bias grid is "
                                 "float");
            in[s] = sn_pinned_type(p->g, pd, by_port);
            if (!in[s])
                return no(p, "the bias scale is out of range");
        }
        const SnTuple *t = sn_tuple_find(d, p->n->nin, in, p->n->nres, out);
        if (!t || !t->quant)
            continue;
        p->kind = k;
        memcpy(p->type, in, sizeof *in * p->n->nin);
        return true;
    }
    SnBuf b;
    sn_buf_init(&b, sn_scratch(p->rw));
    for (uint32_t s = 0; s < p->n->nin; s++)
        sn_putf(&b, "%s%s", s ? ", " : "",
                p->type[s] ? sn_elem_name(p->type[s]->elem) : "_");
    return no(p, sn_format(sn_scratch(p->rw), "it has no tuple (%s) -> %s",
                           sn_buf_str(&b), sn_elem_name(p->yt->elem)));
}

/* The biases as codes: fit int32, with the accumulator. */
static int32_t *
bias_codes(Plan *p, uint32_t slot, double *mag, const char **why)
{
    SnRef v = p->n->in[slot].ref;
    const SnType *t = p->type[slot];
    const float *b = sn_def(p->g, v)->data;
    int64_t n = sn_shape_count(sn_shape_of(p->g, v));
    int32_t *q = SN_NEW_N(p->g->arena, int32_t, n + 1);

    for (int64_t c = 0; c < n; c++) {
        double r = rint((double)b[c] / (double)t->scale[t->nq > 1 ? c : 0]);
        mag[c] = fabs(r);
        if (!(fabs(r) <= 2147483647.0)) {
            *why = "its bias does not fit int32 on the accumulator grid";
            return NULL;
        }
        q[c] = sn_quant32(b[c], t->scale[t->nq > 1 ? c : 0], INT32_MIN,
                          INT32_MAX);
    }
    return q;
}

static SnRange
codes_clamp(const Plan *p)
{
    SnRange c = sn_clamp_of(p->g, p->id);
    SnRange r = sn_bounds(p->yt, c.has_lo, c.lo, c.has_hi, c.hi);

    return p->after ? r : sn_meet(r, sn_clamp_of(p->g, p->q));
}

/* A Splat or Constant as codes of type t. */
static SnRef
as_codes(Plan *p, SnRef v, const SnType *t)
{
    SnNode *n = sn_def(p->g, v);
    SnSpec s = {.name = sn_format(p->g->arena, "%s.q", sn_name(p->g, v)),
                .type = &t};

    if (!n->data) {
        s.kind = SN_K_SPLAT;
        s.attr = n->attr;
        return SN_REF(sn_add(p->g, &s, NULL), 0);
    }
    s.kind = SN_K_QUANTIZE;
    s.nin = 1;
    s.in = &v;
    SnId q = sn_add(p->g, &s, NULL);
    SnArena *a = sn_arena_new();
    const void *data = sn_eval_const(p->g, SN_REF(q, 0), a);
    SnSpec c = {.kind = SN_K_CONSTANT, .name = s.name, .type = &t,
                .shape = sn_shape_of(p->g, v), .data = data};
    SnRef r = SN_REF(sn_add(p->g, &c, NULL), 0);
    sn_arena_free(a);
    sn_remove(p->g, q);
    return r;
}

static SnRef
operand(Plan *p, uint32_t s, int32_t *bias)
{
    SnGraph *g = p->g;
    SnRef v = p->n->in[s].ref;

    switch (p->how[s]) {
    case AS_IS:
        return v;
    case UNWRAP:
        return sn_in(g, SN_NODE(v), 0);
    case CODES:
        return as_codes(p, v, p->type[s]);
    case PINNED: {
        const char *name = sn_name(g, v);
        if (sn_nuse(g, v) > 1)
            name = sn_format(g->arena, "%s.%s", name,
                             sn_name(g, SN_REF(p->id, 0)));
        else
            sn_rename(g, v, sn_format(g->arena, "%s.f32", name));
        SnSpec c = {.kind = SN_K_CONSTANT, .name = name,
                    .type = &p->type[s], .shape = sn_shape_of(g, v),
                    .data = bias, .borrow = true};
        return SN_REF(sn_add(g, &c, NULL), 0);
    }
    case RESCALED:
    case QUANTIZED: {
        bool deq = p->how[s] == RESCALED;
        SnRef x = deq ? sn_in(g, SN_NODE(v), 0) : v;
        SnSpec r = {.kind = deq ? SN_K_RESCALE : SN_K_QUANTIZE,
                    .name = sn_format(g->arena, "%s.%s", sn_name(g, x),
                                      deq ? "r" : "q"),
                    .nin = 1, .in = &x, .type = &p->type[s],
                    .calibrated = sn_node(g, p->q)->calibrated};
        SnId id = sn_add(g, &r, NULL);
        if (deq) { /* a hoisted Quantize keeps its saturation */
            const SnKindDesc *rd = sn_desc(SN_K_RESCALE);
            *(SnRange *)sn_attr_at(sn_node(g, id)->attr,
                                   &rd->attr[rd->clamp]) =
                sn_clamp_of(g, p->q);
        }
        return SN_REF(id, 0);
    }
    }
    sn_bug("integerize: operand kind %d", (int)p->how[s]);
}

static SnRef
rescale_to(Plan *p, SnRef x, SnId like, const char *name)
{
    SnGraph *g = p->g;
    const SnKindDesc *rd = sn_desc(SN_K_RESCALE);
    void *attr = sn_attr_new(g->arena, rd);

    *(SnRange *)sn_attr_at(attr, &rd->attr[rd->clamp]) =
        sn_clamp_of(g, like);
    SnSpec r = {.kind = SN_K_RESCALE, .name = name, .nin = 1, .in = &x,
                .attr = attr, .type = &sn_node(g, like)->res[0].type,
                .calibrated = sn_node(g, like)->calibrated};
    return SN_REF(sn_add(g, &r, NULL), 0);
}

static void
build(Plan *p, int32_t *bias)
{
    SnGraph *g = p->g;
    SnNode *n = p->n;
    const SnKindDesc *d = sn_desc(p->kind);
    const char *name = sn_name(g, SN_REF(p->id, 0));
    SnEdit e = {.kind = p->kind, .nin = n->nin, .nout = n->nres,
                .calibrated = d->clamp >= 0 && sn_node(g, p->q)->calibrated};
    SnUse *use[64] = {0};
    uint32_t nuse = 0;

    e.attr = d->nattr ? sn_attr_new(g->arena, d) : NULL;
    if (d->nattr)
        sn_attr_like(g->arena, d, e.attr, p->d, n->attr);
    if (d->clamp >= 0)
        sn_edit_clamp(&e, codes_clamp(p));
    e.in = SN_NEW_N(g->arena, SnRef, n->nin + 1);
    for (uint32_t s = 0; s < n->nin; s++)
        e.in[s] = operand(p, s, bias);
    e.type = SN_NEW_N(g->arena, const SnType *, n->nres + 1);
    for (unsigned i = 0; i < n->nres; i++)
        e.type[i] = i ? n->res[i].type : p->yt;
    SnId m = sn_edit_add(g, &e);
    for (SnUse *u = n->res[0].uses; u && nuse < 64; u = u->next)
        use[nuse++] = u;
    for (uint32_t i = nuse; i-- > 0;) {
        SnId q = use[i]->user;
        SnRef v = SN_REF(m, 0);
        if (sn_type(g, SN_REF(q, 0)) != p->yt)
            v = rescale_to(p, v, q, NULL);
        sn_fired(p->rw, g, SN_REF(q, 0), v);
    }
    for (unsigned i = 1; i < n->nres; i++)
        sn_fired(p->rw, g, SN_REF(p->id, i), SN_REF(m, i));
    sn_fire_end(p->rw, g);
    sn_rename(g, SN_REF(m, 0), name);
}

bool
sn_integerize(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule,
              const uint64_t *kinds)
{
    SnNode *n = sn_node(g, id);
    Plan p = {.g = g, .rw = rw, .rule = rule, .id = id, .n = n,
              .d = sn_desc(n->kind)};
    int32_t *bias = NULL;
    const char *why = NULL;

    if (n->nres == 0 || n->res[0].type->elem != SN_F32 || n->nin == 0 ||
        n->nin > MAXSLOT || n->res[0].nuse > 64 ||
        !sn_kind_in(kinds, n->kind) || !integerizable(n->kind))
        return false;
    if (!find_quantize(&p))
        return false;
    p.yt = p.qt;
    if (!operands(&p) || !group(&p) || !choose_kind(&p))
        return false;
    if (sn_desc(p.kind)->clamp < 0 && !p.after &&
        !sn_range_full(sn_clamp_of(g, p.q)))
        return no(&p, "its Quantize saturates explicitly and the node has "
                      "no clamp");
    for (uint32_t s = 0; s < n->nin; s++)
        if (p.how[s] == PINNED) {
            int64_t c = sn_shape_count(sn_shape_of(g, n->in[s].ref));
            double *mag = SN_NEW_N(sn_scratch(rw), double, c + 1);
            bias = bias_codes(&p, s, mag, &why);
            if (why)
                return no(&p, why);
        }
    if (!sn_fire(rw, rule, g, id))
        return false;
    build(&p, bias);
    return true;
}
