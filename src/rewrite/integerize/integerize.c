// SPDX-License-Identifier: Apache-2.0
/* integerize: Quantize(N(Dequantize(x), ...)) becomes the quantized tuple of N
 * (docs/language.md).  Everything is decided by facts, meaning and tuples. */
#include "rewrite/integerize/integerize.h"

#include <math.h>
#include <stdlib.h>
#include "graph/verify/admits.h"
#include "kernel/eval/eval.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "rewrite/rule.h"
#include "sn_kind_constant.h"
#include "sn_kind_dequantize.h"
#include "sn_kind_quantize.h"
#include "sn_kind_rescale.h"
#include "sn_kind_splat.h"

/* A Quantize below, and what it asks for. */
typedef struct Wanted {
    SnId q;
    const SnType *type;
} Wanted;

static bool
no(SnIntPlan *p, const char *why)
{
    sn_declined(p->rw, p->rule, p->g, p->id, "%s", why);
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
has_codes(SnKind kind)
{
    const SnKindDesc *d = sn_desc(kind);

    if (!d->sem || d->sem[0].cls == SN_C_CONVERT ||
        d->sem[0].cls == SN_C_SOURCE || d->sem[0].cls == SN_C_OPAQUE)
        return false;
    for (SnKind k = 1; k < sn_kind_end(); k++)
        if ((k == kind || sn_desc(k)->form_of == (int32_t)kind) &&
            quant_tuples(sn_desc(k)))
            return true;
    return false;
}

bool
sn_integerizable(const SnGraph *g, SnId id, uint32_t join)
{
    const SnNode *n = sn_node(g, id);

    return n->nres > 0 && n->nin > 0 && n->res[0].type->elem == SN_F32 &&
           sn_joins(sn_desc_in(g, n->kind), join) && has_codes(n->kind);
}

static bool
rescalable(const SnType *from, const SnType *to)
{
    return sn_tuple_find(sn_desc(SN_K_RESCALE), 1, &from, 1, &to) != NULL;
}

/* What the Quantizes served have in common. */
static void
common_quantizes(SnIntPlan *p)
{
    p->qt = sn_node(p->g, p->q)->res[0].type;
    p->uniform = p->calibrated = true;
    for (SnUse *u = p->n->res[0].uses; u; u = u->next) {
        if (!sn_integerize_serves(p, u->user))
            continue;
        p->calibrated &= sn_node(p->g, u->user)->calibrated;
        p->uniform &=
            sn_node(p->g, u->user)->res[0].type == p->qt &&
            sn_range_equal(sn_clamp_of(p->g, u->user), sn_clamp_of(p->g, p->q));
    }
}

/* By type, then by id: where types lie in memory decides nothing but which of
 * them comes first. */
static int
by_type(const void *x, const void *y)
{
    const Wanted *a = x, *b = y;

    if (a->type != b->type)
        return (uintptr_t)a->type < (uintptr_t)b->type ? -1 : 1;
    return (a->q > b->q) - (a->q < b->q);
}

static int
by_id(const void *x, const void *y)
{
    const Wanted *a = x, *b = y;

    return (a->q > b->q) - (a->q < b->q);
}

/* Every user of the result must be a Quantize.  One for each type, the first
 * by id, in that order, so that the choice does not depend on the order of use
 * lists.  NULL: not so. */
static Wanted *
find_quantizes(SnIntPlan *p, uint32_t *nq)
{
    SnResult *r = &p->n->res[0];
    Wanted *w = SN_NEW_N(sn_scratch(p->rw), Wanted, r->nuse + 1u);
    uint32_t n = 0;

    *nq = 0;
    for (SnUse *u = r->uses; u; u = u->next) {
        const SnNode *un = sn_node(p->g, u->user);
        if (un->kind != SN_K_QUANTIZE) {
            no(p, sn_format(sn_scratch(p->rw), "%s reads its float value",
                            sn_label(p->g, u->user, sn_scratch(p->rw))));
            return NULL;
        }
        if (!sn_type_per_tensor(un->res[0].type)) {
            no(p, "its Quantize has scales along an axis");
            return NULL;
        }
        w[n++] = (Wanted){u->user, un->res[0].type};
    }
    if (n == 0) {
        no(p, "nothing reads its first result");
        return NULL;
    }
    qsort(w, n, sizeof *w, by_type);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || w[i].type != w[*nq - 1].type)
            w[(*nq)++] = w[i];
    qsort(w, *nq, sizeof *w, by_id);
    return w;
}

/* Does what is quantized to a hold all that is quantized to b? */
static bool
wider(const SnType *a, const SnType *b)
{
    return sn_covers(sn_clamp_reach(a, (SnRange){0}),
                     sn_clamp_reach(b, (SnRange){0}));
}

static bool
all_rescalable(const Wanted *w, uint32_t n, uint32_t from)
{
    for (uint32_t i = 0; i < n; i++)
        if (i != from && !rescalable(w[from].type, w[i].type))
            return false;
    return true;
}

/* The first type whose range covers the others', as an index; n: none does.
 * What covers all cannot be passed over by the first round, and few types
 * have the same range. */
static uint32_t
widest(const Wanted *w, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (!wider(w[best].type, w[i].type))
            best = i;
    for (uint32_t i = 0; i < n; i++)
        if (!wider(w[best].type, w[i].type))
            return n;
    for (uint32_t i = best; i < n; i++)
        if (wider(w[i].type, w[best].type) && all_rescalable(w, n, i))
            return i;
    return n;
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
operands(SnIntPlan *p)
{
    p->how = SN_NEW_N(sn_scratch(p->rw), SnIntHow, p->n->nin);
    p->type = SN_NEW_N(sn_scratch(p->rw), const SnType *, p->n->nin);
    for (uint32_t s = 0; s < p->n->nin; s++) {
        SnRef v = p->n->in[s].ref;
        const SnPortDesc *pd = &p->d->in[sn_port_of_slot(p->d, p->n->nin, s)];
        p->how[s] = SN_INT_AS_IS;
        p->type[s] = v ? sn_type(p->g, v) : NULL;
        if (!v || sn_type(p->g, v)->elem != SN_F32)
            continue;
        if (sn_kind(p->g, v) == SN_K_DEQUANTIZE) {
            p->how[s] = SN_INT_UNWRAP;
            p->type[s] = sn_type(p->g, sn_in(p->g, SN_NODE(v), 0));
        } else if (pd->fact == SN_PIN) {
            if (!sn_def(p->g, v)->data)
                return no(p, sn_format(sn_scratch(p->rw),
                                       "%s is neither a "
                                       "Constant nor dequantized",
                                       pd->name));
            p->how[s] = SN_INT_PINNED;
        } else if (pd->fact == SN_SAME) {
            p->how[s] = is_f32_const(p->g, v) ? SN_INT_CODES : SN_INT_QUANTIZED;
        } else if (selection(p->d) && is_f32_const(p->g, v)) {
            p->how[s] = SN_INT_CODES;
            p->type[s] = p->qt;
        } else {
            return no(p,
                      sn_format(sn_scratch(p->rw), "operand %s (%s) is float",
                                pd->name, sn_name(p->g, v)));
        }
    }
    return true;
}

static bool
others_unused(SnIntPlan *p)
{
    for (unsigned i = 1; i < p->n->nres; i++)
        if (p->n->res[i].nuse)
            return no(p, sn_format(sn_scratch(p->rw),
                                   "result %s is used, and "
                                   "equal values appear when the inputs are "
                                   "quantized to its own type",
                                   p->d->out[i].name));
    return true;
}

/* Arithmetic nodes write on the grid they read, xt. */
static bool
keep_grid(SnIntPlan *p, const SnType *xt)
{
    if (!xt)
        return no(p, "its input is float");
    p->yt = xt;
    p->after = true;
    for (uint32_t i = 0; i < p->n->nin; i++)
        if (p->how[i] == SN_INT_QUANTIZED || p->how[i] == SN_INT_CODES)
            return no(p, "an input is float");
    for (SnUse *u = p->n->res[0].uses; u; u = u->next) {
        const SnNode *q = sn_node(p->g, u->user);
        if (!sn_integerize_serves(p, u->user) ||
            sn_covers(sn_clamp_reach(xt, (SnRange){0}),
                      sn_clamp_reach(q->res[0].type, (SnRange){0})))
            continue;
        if (!q->calibrated || sn_opts(p->rw)->strict_saturation)
            return no(p, "it writes on the grid it reads, which does not "
                         "cover the grid of its Quantize");
        p->waived = true;
    }
    return true;
}

/* Whether input i belongs to the `same` group. */
static bool
in_group(const SnIntPlan *p, uint32_t i)
{
    uint32_t port = sn_port_of_slot(p->d, p->n->nin, i);

    return p->d->in[port].fact == SN_SAME && p->how[i] != SN_INT_AS_IS;
}

/* Moves and monotone nodes take the Quantize's type. */
static bool
take_grid(SnIntPlan *p)
{
    for (uint32_t i = 0; i < p->n->nin; i++) {
        if (!in_group(p, i))
            continue;
        if (p->how[i] == SN_INT_UNWRAP && p->type[i] != p->qt) {
            if (!rescalable(p->type[i], p->qt))
                return no(p,
                          sn_format(sn_scratch(p->rw),
                                    "no Rescale leads from %s to %s",
                                    sn_type_str(sn_scratch(p->rw), p->type[i]),
                                    sn_type_str(sn_scratch(p->rw), p->qt)));
            p->how[i] = SN_INT_RESCALED;
        }
        SnRef v = p->n->in[i].ref;
        if (p->how[i] == SN_INT_QUANTIZED &&
            (p->only || sn_nuse(p->g, v) != 1 || !has_codes(sn_kind(p->g, v))))
            return no(p, sn_format(sn_scratch(p->rw), "input %s is float",
                                   sn_name(p->g, v)));
        p->type[i] = p->qt;
    }
    return true;
}

/* May the result be of type t?  A form of the node may write on any grid. */
static bool
on_grid(const SnPortDesc *o, const SnType *t)
{
    return o->fact != SN_FIXED ||
           (t->scale[0] == o->fixed_scale && t->zp[0] == o->fixed_zp);
}

/* The types of a `same` group: move and monotone nodes take the Quantize's
 * type; arithmetic ones write on the grid they read and are rescaled after. */
static bool
group(SnIntPlan *p)
{
    const SnSem *s = &p->d->sem[0];
    const SnPortDesc *o = &p->d->out[0];
    const SnType *xt = NULL;
    bool equal = true;

    if (o->fact != SN_SAME)
        return true;
    for (uint32_t i = 0; i < p->n->nin; i++) {
        if (!in_group(p, i))
            continue;
        equal &= p->how[i] == SN_INT_UNWRAP && p->type[i] == p->qt;
        if (p->how[i] == SN_INT_UNWRAP && !xt)
            xt = p->type[i];
    }
    if (equal)
        return true;
    if (!others_unused(p))
        return false;
    return s->cls == SN_C_MOVE || s->monotone ? take_grid(p) : keep_grid(p, xt);
}

/* The type of a bias: that of its codes is only stated. */
static bool
pin(SnIntPlan *p, uint32_t s, const SnPortDesc *pd,
    const SnType *const *by_port, const SnType **type)
{
    if (pd->fact != SN_PIN || p->how[s] == SN_INT_AS_IS)
        return true;
    for (uint8_t i = 0; i < pd->npin; i++)
        if (!by_port[pd->pin[i]] || !by_port[pd->pin[i]]->nq)
            return no(p, "an operand that fixes the bias grid is float");
    *type = sn_pinned_type(p->g, pd, by_port);
    if (!*type)
        return no(p, "the bias scale is out of range");
    if (p->how[s] != SN_INT_UNWRAP || *type == p->type[s])
        return true;
    SnRef codes = sn_in(p->g, SN_NODE(p->n->in[s].ref), 0);
    if (!sn_def(p->g, codes)->data)
        return no(p, sn_format(sn_scratch(p->rw),
                               "its bias '%s' is not on the "
                               "accumulator grid and not a Constant",
                               sn_name(p->g, codes)));
    p->how[s] = SN_INT_MOVED;
    return true;
}

static bool
choose_kind(SnIntPlan *p)
{
    const SnType **in = SN_NEW_N(sn_scratch(p->rw), const SnType *, p->n->nin);
    const SnType *out[SN_MAXRES];
    const SnPortDesc *fixed = NULL;
    SnKind base = p->n->kind;

    for (unsigned i = 0; i < p->n->nres; i++)
        out[i] = i ? p->n->res[i].type : p->yt;
    for (SnKind k = base; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc_in(p->g, k);
        if (k != base && d->form_of != (int32_t)base)
            continue;
        if (d->backend && k != base)
            continue; /* a backend's own form is made by its own rules */
        if (!on_grid(&d->out[0], p->yt)) {
            fixed = &d->out[0];
            continue;
        }
        const SnType *by_port[32] = {0};
        for (uint32_t s = 0; s < p->n->nin; s++) {
            uint32_t port = sn_port_of_slot(d, p->n->nin, s);
            in[s] = p->type[s];
            if (port < 32 && !by_port[port])
                by_port[port] = p->type[s];
        }
        for (uint32_t s = 0; s < p->n->nin; s++)
            if (!pin(p, s, &d->in[sn_port_of_slot(d, p->n->nin, s)], by_port,
                     &in[s]))
                return false;
        const SnTuple *t = sn_tuple_find(d, p->n->nin, in, p->n->nres, out);
        if (!t || !t->quant)
            continue;
        p->kind = k;
        p->type = in;
        return true;
    }
    if (fixed)
        return no(p, sn_format(sn_scratch(p->rw),
                               "its result type is fixed at <%.9g, %d>",
                               (double)fixed->fixed_scale, fixed->fixed_zp));
    SnBuf b;
    sn_buf_init(&b, sn_scratch(p->rw));
    for (uint32_t s = 0; s < p->n->nin; s++)
        sn_putf(&b, "%s%s", s ? ", " : "",
                p->type[s] ? sn_elem_name(p->type[s]->elem) : "_");
    return no(p, sn_format(sn_scratch(p->rw), "it has no tuple (%s) -> %s",
                           sn_buf_str(&b), sn_elem_name(p->yt->elem)));
}

static SnRange
codes_clamp(const SnIntPlan *p)
{
    SnRange c = sn_clamp_of(p->g, p->id);
    SnRange r = sn_bounds(p->yt, c.has_lo, c.lo, c.has_hi, c.hi);

    return p->uniform && !p->after ? sn_meet(sn_clamp_of(p->g, p->q), r) : r;
}

/* A Splat or Constant as codes of type t. */
static SnRef
as_codes(SnIntPlan *p, SnRef v, const SnType *t)
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
    SnSpec c = {.kind = SN_K_CONSTANT,
                .name = s.name,
                .type = &t,
                .shape = sn_shape_of(p->g, v),
                .data = data};
    SnRef r = SN_REF(sn_add(p->g, &c, NULL), 0);
    sn_arena_free(a);
    sn_remove(p->g, q);
    return r;
}

static SnRef
operand(SnIntPlan *p, uint32_t s, int32_t *bias)
{
    SnGraph *g = p->g;
    SnRef v = p->n->in[s].ref;

    switch (p->how[s]) {
    case SN_INT_AS_IS:
        return v;
    case SN_INT_UNWRAP:
        return sn_in(g, SN_NODE(v), 0);
    case SN_INT_CODES:
        return as_codes(p, v, p->type[s]);
    case SN_INT_PINNED:
    case SN_INT_MOVED: {
        if (p->bias)
            return p->bias;
        bool alone = sn_nuse(g, v) == 1;
        if (p->how[s] == SN_INT_MOVED) {
            v = sn_in(g, SN_NODE(v), 0);
            alone = alone && sn_nuse(g, v) == 1;
        }
        const char *name = sn_name(g, v);
        if (alone)
            sn_rename(g, v,
                      sn_format(g->arena, "%s.%s", name,
                                p->how[s] == SN_INT_MOVED ? "old" : "f32"));
        else
            name = sn_format(g->arena, "%s.%s", name,
                             sn_name(g, SN_REF(p->id, 0)));
        SnSpec c = {.kind = SN_K_CONSTANT,
                    .name = name,
                    .type = &p->type[s],
                    .shape = sn_shape_of(g, v),
                    .data = bias,
                    .borrow = true};
        p->bias = SN_REF(sn_add(g, &c, NULL), 0);
        return p->bias;
    }
    case SN_INT_RESCALED:
    case SN_INT_QUANTIZED: {
        bool deq = p->how[s] == SN_INT_RESCALED;
        SnRef x = deq ? sn_in(g, SN_NODE(v), 0) : v;
        SnSpec r = {.kind = deq ? SN_K_RESCALE : SN_K_QUANTIZE,
                    .name = sn_format(g->arena, "%s.%s", sn_name(g, x),
                                      deq ? "r" : "q"),
                    .nin = 1,
                    .in = &x,
                    .type = &p->type[s],
                    .calibrated = p->calibrated};
        return SN_REF(sn_add(g, &r, NULL), 0);
    }
    }
    sn_bug("integerize: operand kind %d", (int)p->how[s]);
}

static SnRef
rescale_to(SnIntPlan *p, SnRef x, SnId like, const char *name)
{
    SnGraph *g = p->g;
    const SnKindDesc *rd = sn_desc(SN_K_RESCALE);
    void *attr = sn_attr_new(g->arena, rd);

    *(SnRange *)sn_attr_at(attr, &rd->attr[rd->clamp]) = sn_clamp_of(g, like);
    SnSpec r = {.kind = SN_K_RESCALE,
                .name = name,
                .nin = 1,
                .in = &x,
                .attr = attr,
                .type = &sn_node(g, like)->res[0].type,
                .calibrated = sn_node(g, like)->calibrated};
    return SN_REF(sn_add(g, &r, NULL), 0);
}

/* Nothing rounds f32: whatever the float node says, the integer node is q of
 * its formula. */
static void
round_before(SnEdit *e, const SnKindDesc *d)
{
    static const char *const name[] = {"round", "zp_shift"};

    for (size_t i = 0; i < 2; i++) {
        const SnAttrDesc *a = sn_attr_named(d, name[i]);
        if (a && a->kind == SN_A_ENUM)
            *(int32_t *)sn_attr_at(e->attr, a) = 0;
        else if (a && a->kind == SN_A_INT)
            *(int64_t *)sn_attr_at(e->attr, a) = 0;
    }
}

/* The integer node but for its operands. */
static SnEdit
planned(const SnIntPlan *p)
{
    SnGraph *g = p->g;
    const SnNode *n = p->n;
    const SnKindDesc *d = sn_desc_in(p->g, p->kind);
    SnEdit e = {.kind = p->kind,
                .nin = n->nin,
                .nout = n->nres,
                .calibrated = d->clamp >= 0 && p->calibrated};

    e.attr = d->nattr ? sn_attr_new(g->arena, d) : NULL;
    if (d->nattr)
        sn_attr_like(g->arena, d, e.attr, p->d, n->attr);
    round_before(&e, d);
    if (d->clamp >= 0)
        sn_edit_clamp(&e, codes_clamp(p));
    e.in = SN_NEW_N(g->arena, SnRef, n->nin + 1);
    e.type = SN_NEW_N(g->arena, const SnType *, n->nres + 1);
    for (unsigned i = 0; i < n->nres; i++)
        e.type[i] = i ? n->res[i].type : p->yt;
    return e;
}

/* Why the arithmetic does not admit the integer node, or NULL. */
static const char *
admits_why(const SnIntPlan *p, int32_t *bias)
{
    const SnGraph *g = p->g;

    if (!sn_restricts(g->rounding))
        return NULL;
    SnEdit e = planned(p);
    SnTensor *t = SN_NEW_N(g->arena, SnTensor, e.nin + 1u);
    for (uint32_t s = 0; s < e.nin; s++) {
        SnRef v = p->n->in[s].ref;
        if (!v)
            continue;
        if (p->how[s] == SN_INT_UNWRAP)
            v = sn_in(g, SN_NODE(v), 0);
        const void *data = NULL; /* also of a Quantize of a Constant */
        if (p->how[s] == SN_INT_PINNED || p->how[s] == SN_INT_MOVED)
            data = bias;
        else if (p->how[s] <= SN_INT_UNWRAP && sn_is_const(g, v))
            data = sn_eval_const(g, v, sn_scratch(p->rw));
        t[s] = (SnTensor){p->type[s], sn_shape_of(g, v),
                          (void *)(uintptr_t)data}; /* never written */
    }
    return sn_call_admits_why(g, p->id, &e, t);
}

/* The integer node; the Quantizes that it serves, or the Rescales in their
 * place, read it. */
static SnId
build(SnIntPlan *p, int32_t *bias)
{
    SnGraph *g = p->g;
    SnNode *n = p->n;
    const SnKindDesc *d = sn_desc_in(p->g, p->kind);
    SnId *q = SN_NEW_N(sn_scratch(p->rw), SnId, n->res[0].nuse);
    SnEdit e = planned(p);
    uint32_t nq = 0;

    for (uint32_t s = 0; s < n->nin; s++)
        e.in[s] = operand(p, s, bias);
    SnId m = sn_edit_add(g, &e);
    for (SnUse *u = n->res[0].uses; u; u = u->next)
        if (sn_integerize_serves(p, u->user))
            q[nq++] = u->user;
    bool carried = p->uniform && !p->after && d->clamp >= 0;
    for (uint32_t i = nq; i-- > 0;) {
        SnRef v = SN_REF(m, 0);
        if (sn_type(g, SN_REF(q[i], 0)) != p->yt ||
            (!carried && !sn_range_full(sn_clamp_of(g, q[i]))))
            v = rescale_to(p, v, q[i], NULL);
        sn_fired(p->rw, g, SN_REF(q[i], 0), v);
    }
    return m;
}

/* Everything that can be said against p, before anything changes. */
static bool
possible(SnIntPlan *p, int32_t **bias)
{
    const char *why = NULL;

    common_quantizes(p);
    p->yt = p->qt;
    if (!operands(p) || !group(p) || !choose_kind(p))
        return false;
    for (SnUse *u = p->n->res[0].uses; u; u = u->next) {
        const SnType *t = sn_node(p->g, u->user)->res[0].type;
        bool clamped = !sn_range_full(sn_clamp_of(p->g, u->user));
        if (sn_integerize_serves(p, u->user) && (t != p->yt || clamped) &&
            !rescalable(p->yt, t))
            return no(p, "no Rescale leads to the type of its Quantize");
    }
    for (uint32_t s = 0; s < p->n->nin && !why; s++)
        if (p->how[s] == SN_INT_PINNED) {
            *bias = sn_bias_codes(p->g, p->n->in[s].ref, p->type[s],
                                  (double)p->yt->scale[0], &why);
        } else if (p->how[s] == SN_INT_MOVED) {
            why = sn_bias_move(p->g, sn_in(p->g, SN_NODE(p->n->in[s].ref), 0),
                               p->type[s], (double)p->yt->scale[0], p->g->arena,
                               &p->move);
            *bias = p->move.code;
        }
    if (!why)
        why = sn_integerize_acc_why(p, *bias);
    if (!why)
        why = admits_why(p, *bias);
    return why ? no(p, why) : true;
}

/* The family's claim is a step of codes; where only exact changes are made, a
 * fire says that it is one, or is declined. */
static bool
fire(SnIntPlan *p, uint32_t nplan, const int32_t *bias)
{
    SnClaim claim = sn_rule_claim(p->rule, p->g->rounding);

    for (uint32_t i = 0; sn_opts(p->rw)->exact && i < nplan; i++) {
        const char *why = sn_integerize_inexact(&p[i], bias);
        if (why)
            return no(&p[i], why);
        claim = (SnClaim){.kind = SN_CLAIM_EXACT};
    }
    return sn_fire_claim(p->rw, p->rule, claim, p->g, p->id);
}

bool
sn_integerize(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    SnNode *n = sn_node(g, id);
    SnIntPlan p[2] = {{.g = g,
                       .rw = rw,
                       .rule = rule,
                       .id = id,
                       .n = n,
                       .d = sn_desc_in(g, n->kind)}};
    SnId m[2];
    uint32_t nq, nplan = 1;
    int32_t *bias = NULL;

    if (!sn_integerizable(g, id, join))
        return false;
    if (n->stays_float)
        return no(&p[0], "the quantizer keeps it float");
    if (p[0].d->sem[0].nan && !sn_range_full(sn_clamp_of(g, id)))
        return no(&p[0], "NaN passes its clamp, but not that of codes");
    Wanted *w = find_quantizes(&p[0], &nq);
    if (!w)
        return false;
    p[0].q = w[0].q;
    common_quantizes(&p[0]);
    uint32_t wide = nq > 1 && p[0].calibrated ? widest(w, nq) : nq;
    if (wide < nq) {
        p[0].q = w[wide].q;
    } else if (nq == 2) {
        nplan = 2;
        p[0].only = true;
        p[1] = p[0];
        p[1].q = w[1].q;
    } else if (nq > 2) {
        return no(&p[0], p[0].calibrated
                             ? "it is quantized to more than two types, and "
                               "none covers the others"
                             : "it is quantized to more than two types, not "
                               "all of which are calibrated");
    }
    for (uint32_t i = 0; i < nplan; i++)
        if (!possible(&p[i], &bias))
            return false;
    if (!fire(p, nplan, bias))
        return false;
    sn_bias_moved(rw, g, id, &p[0].move);
    if (p[0].waived || p[1].waived)
        sn_fire_detail(rw, true,
                       sn_format(sn_scratch(rw),
                                 "waived the saturation of %s "
                                 "on the grid it reads",
                                 sn_label(g, id, sn_scratch(rw))));
    const char *name = sn_name(g, SN_REF(id, 0));
    for (uint32_t i = 0; i < nplan; i++) {
        p[i].bias = i ? p[0].bias : 0;
        m[i] = build(&p[i], bias);
    }
    for (unsigned i = 1; i < n->nres; i++)
        sn_fired(rw, g, SN_REF(id, i), SN_REF(m[0], i));
    if (!sn_fire_end(rw, g))
        return true; /* the next visit declines */
    sn_rename(g, SN_REF(m[0], 0), name);
    if (nplan > 1)
        sn_rename(g, SN_REF(m[1], 0), name);
    return true;
}
