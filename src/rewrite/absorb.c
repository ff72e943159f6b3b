// SPDX-License-Identifier: Apache-2.0
/* absorb: a node that reads a Rescale through a `free` port reads what is
 * above the Rescale instead; merge: a producer with a `free` result writes the
 * Rescale's type itself.
 *
 * Saturation is meaning.  A producer carries it as its clamp, so merging needs
 * no guard where there is one.  A consumer cannot, so absorbing needs
 * covers(r, reach(x)), or that what the Rescale cuts off makes no difference
 * to the consumer, or the waiver for calibrated Rescales. */
#include <math.h>
#include <string.h>
#include "kernel/eval/eval.h"
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "rewrite/rule.h"
#include "sn_kind_rescale.h"
#include "sn_maps.h"

/* ---- saturation that a consumer swallows ---- */

/* Runs a one-operand elementwise node over all codes of an 8-bit type. */
static bool
run256(SnGraph *g, SnId id, const int8_t *x, const SnType *xt, int8_t *y,
       SnArena *a)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    int64_t dim = 256;
    const SnShape *sh = sn_shape(g->pool, 1, &dim);
    SnTensor in = {xt, sh, (void *)(uintptr_t)x};
    SnTensor out = {n->res[0].type, sh, y};
    const SnTuple *t = sn_tuple_find(d, 1, &xt, 1, &n->res[0].type);
    char why[SN_WHY];
    SnCall c = {.kind = d,
                .attr = n->attr,
                .nin = 1,
                .nout = 1,
                .in = &in,
                .out = &out,
                .scratch = a,
                .why = why,
                .rounding = g->rounding};

    return t && t->eval && t->eval(&c) == SN_OK;
}

static bool
unary_point(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    return n->nin == 1 && n->nres == 1 && d->sem &&
           d->sem[0].decl == &sn_map_decl_each &&
           sn_elem_quant(n->res[0].type->elem);
}

/* Does node id give the same for every code of x that r saturates, whether
 * it reads it before or after the saturation? */
static bool
absorbs_saturation(SnGraph *g, SnId id, SnId r)
{
    SnRef x = sn_in(g, r, 0);
    const SnType *xt = sn_type(g, x), *rt = sn_type(g, SN_REF(r, 0));

    if (!unary_point(g, id) || xt->elem != SN_QI8 || rt->elem != SN_QI8 ||
        sn_type(g, SN_REF(id, 0))->elem != SN_QI8)
        return false;
    SnArena *a = sn_arena_new();
    int8_t *code = sn_alloc(a, 256), *mid = sn_alloc(a, 256);
    int8_t *before = sn_alloc(a, 256), *after = sn_alloc(a, 256);
    for (int i = 0; i < 256; i++)
        code[i] = (int8_t)(i - 128);
    bool ok = run256(g, r, code, xt, mid, a) &&
              run256(g, id, mid, rt, before, a) &&
              run256(g, id, code, xt, after, a);
    SnReach in = sn_reach(g, x);
    SnReach cut = sn_clamp_reach(rt, sn_clamp_of(g, r));
    for (int i = 0; ok && i < 256; i++) {
        double v = (double)xt->scale[0] * (code[i] - xt->zp[0]);
        bool reached = v >= in.lo && v <= in.hi;
        bool cut_off = v < cut.lo || v > cut.hi;
        ok = !reached || !cut_off || before[i] == after[i];
    }
    sn_arena_free(a);
    return ok;
}

/* ---- absorb ---- */

/* May the saturation of r be dropped in front of node id?  *waived is set
 * when only the calibrated flag allows it. */
static bool
may_drop(SnGraph *g, SnRewriter *rw, SnId id, SnId r, bool *waived)
{
    SnRef x = sn_in(g, r, 0);
    const SnType *rt = sn_type(g, SN_REF(r, 0));
    SnRange cl = sn_clamp_of(g, r);
    SnReach in = sn_reach(g, x), cut = sn_clamp_reach(rt, cl);

    *waived = false;
    if (sn_covers(cut, in) || absorbs_saturation(g, id, r))
        return true;
    if (!sn_node(g, r)->calibrated || sn_opts(rw)->strict_saturation)
        return false;
    if ((cl.has_lo && cut.lo > in.lo) || (cl.has_hi && cut.hi < in.hi))
        return false;
    if (cut.lo > in.hi || cut.hi < in.lo)
        return false; /* every value saturates: no artefact of a profile */
    *waived = true;
    return true;
}

static const char *
reach_text(SnGraph *g, SnRewriter *rw, SnId r)
{
    SnReach in = sn_reach(g, sn_in(g, r, 0));
    SnReach cut = sn_clamp_reach(sn_type(g, SN_REF(r, 0)), sn_clamp_of(g, r));

    return sn_format(sn_scratch(rw),
                     "x reaches [%.6g, %.6g], %s saturates at "
                     "[%.6g, %.6g]",
                     in.lo, in.hi, sn_name(g, SN_REF(r, 0)), cut.lo, cut.hi);
}

/* The bias slot pinned to port `port`, or nin. */
static uint32_t
pinned_slot(const SnKindDesc *d, const SnNode *n, uint32_t port)
{
    for (uint32_t s = 0; s < n->nin; s++) {
        const SnPortDesc *p = &d->in[sn_port_of_slot(d, n->nin, s)];
        if (p->fact != SN_PIN || !n->in[s].ref)
            continue;
        for (uint8_t i = 0; i < p->npin; i++)
            if (p->pin[i] == port)
                return s;
    }
    return n->nin;
}

/* Slot s, if it reads x through a Rescale that may be absorbed there: its
 * Rescale, else 0. */
static SnId
rescale_of(const SnGraph *g, SnId id, uint32_t s, SnRef x)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnRef v = n->in[s].ref;
    uint32_t port = sn_port_of_slot(d, n->nin, s);

    if (!v || !(d->family.absorb >> port & 1) || sn_kind(g, v) != SN_K_RESCALE)
        return 0;
    return !x || sn_in(g, SN_NODE(v), 0) == x ? SN_NODE(v) : 0;
}

/* Would values of type xt be more than 2^22 steps of the result, so that the
 * binary32 arithmetic of a row (numerics.md) errs by a step or more? */
static bool
too_coarse(const SnGraph *g, SnId id, const SnType *xt)
{
    const SnType *yt = sn_node(g, id)->res[0].type;
    SnReach r = sn_clamp_reach(xt, (SnRange){0});
    double zero = (double)xt->scale[0] * fabs((double)xt->zp[0]);
    double most = fmax(fmax(-r.lo, r.hi), zero);

    return yt->nq == 1 && most > (double)yt->scale[0] * 0x1p22;
}

/* Why the Rescale in slot s may not go, or NULL.  e has the operands as they
 * will be; *bslot is set to a bias that must move, *waived to whether only the
 * calibrated flag lets it go. */
static const char *
absorb_why(SnGraph *g, SnRewriter *rw, SnId id, uint32_t slot, const SnEdit *e,
           uint32_t *bslot, bool *waived)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    uint32_t port = sn_port_of_slot(d, n->nin, slot);
    bool data = d->sem[0].arg[0].v == (int32_t)port, w = false;
    SnId r = SN_NODE(n->in[slot].ref);
    const SnType *xt = sn_type(g, e->in[slot]);

    if (!sn_edit_tuple(g, e))
        return sn_format(sn_scratch(rw), "there is no tuple for %s",
                         sn_type_str(sn_scratch(rw), xt));
    if (too_coarse(g, id, xt))
        return sn_format(sn_scratch(rw),
                         "the step of %s is too large for the "
                         "result's",
                         sn_type_str(sn_scratch(rw), xt));
    if (!may_drop(g, rw, id, r, &w))
        return sn_format(sn_scratch(rw), "covers(%s, reach(x)) is false: %s",
                         sn_name(g, SN_REF(r, 0)), reach_text(g, rw, r));
    *waived |= w;
    uint32_t b = pinned_slot(d, n, port);
    if (b == n->nin) {
        const char *why =
            data ? sn_acc_why(g, id, xt, NULL, sn_scratch(rw)) : NULL;
        return why ? why : sn_edit_admits_why(g, id, e);
    }
    if (!data)
        return "the bias is regridded for a new data type only";
    *bslot = b;
    return sn_regrid_why(g, n->in[b].ref, id, xt);
}

/* Slots that read one value through Rescales go together: their roundings
 * depend on each other, and may cancel only as long as all are there. */
static bool
absorb_at(SnGraph *g, SnRewriter *rw, SnId id, uint32_t slot, uint16_t rule)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnId r = SN_NODE(n->in[slot].ref);
    SnRef x = sn_in(g, r, 0);
    uint32_t bslot = n->nin, bfor = slot;
    bool waived = false;
    SnEdit e = sn_edit(g, id);

    for (uint32_t s = slot; s < n->nin; s++)
        if (rescale_of(g, id, s, x))
            e.in[s] = x;
    for (uint32_t s = slot; s < n->nin; s++) {
        if (e.in[s] == n->in[s].ref)
            continue;
        uint32_t b = n->nin;
        const char *why = absorb_why(g, rw, id, s, &e, &b, &waived);
        if (why) {
            sn_declined(rw, rule, g, SN_NODE(n->in[s].ref),
                        "absorb into %s.%s: %s",
                        sn_label(g, id, sn_scratch(rw)),
                        d->in[sn_port_of_slot(d, n->nin, s)].name, why);
            return false;
        }
        if (b < n->nin) {
            bslot = b;
            bfor = s;
        }
    }
    if (!sn_fire(rw, rule, g, id))
        return false;
    if (waived)
        sn_fire_detail(rw, true,
                       sn_format(sn_scratch(rw),
                                 "waived the "
                                 "saturation of %s: %s",
                                 sn_name(g, SN_REF(r, 0)),
                                 reach_text(g, rw, r)));
    if (bslot < n->nin)
        e.in[bslot] =
            sn_regrid(g, n->in[bslot].ref, id, sn_type(g, e.in[bfor]));
    SnId m = sn_edit_add(g, &e);
    for (unsigned i = 0; i < n->nres; i++)
        sn_fired(rw, g, SN_REF(id, i), SN_REF(m, i));
    sn_fire_end(rw, g);
    return true;
}

/* What keeps a Rescale above a port that absorbs none. */
static void
not_absorbed(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, bool joins)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    for (uint32_t s = 0; s < n->nin; s++) {
        uint32_t port = sn_port_of_slot(d, n->nin, s);
        SnRef v = n->in[s].ref;
        if (!v || sn_kind(g, v) != SN_K_RESCALE ||
            (joins && d->family.absorb >> port & 1))
            continue;
        const char *why = d->family.why_absorb ? d->family.why_absorb
                                               : "the port is not free";
        if (d->effect)
            why = "callers see the type of an output";
        sn_declined(rw, rule, g, SN_NODE(v), "absorb into %s.%s: %s",
                    sn_label(g, id, sn_scratch(rw)), d->in[port].name, why);
    }
}

bool
sn_absorb(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    bool joins = d->family.absorb && sn_joins(d, join);

    if (n->kind == SN_K_RESCALE)
        return false;
    if (sn_records_declined(rw))
        not_absorbed(g, rw, id, rule, joins);
    if (!joins)
        return false;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnId r = rescale_of(g, id, s, 0);
        bool first = r != 0;
        for (uint32_t k = 0; first && k < s; k++)
            first = !rescale_of(g, id, k, sn_in(g, r, 0));
        if (first && absorb_at(g, rw, id, s, rule))
            return true;
    }
    return false;
}

/* ---- merge ---- */

/* Is what producer p computes at r's type the same as r over p?  For a node
 * without operands (Splat): one comparison. */
static bool
same_splat(SnGraph *g, SnId p, SnId r)
{
    const SnNode *n = sn_node(g, p);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *rt = sn_type(g, SN_REF(r, 0));
    int64_t one = 256;
    const SnShape *sh = sn_shape(g->pool, 1, &one);
    char why[SN_WHY];
    SnArena *a = sn_arena_new();
    int8_t *mid = sn_alloc(a, 256), *y = sn_alloc(a, 256);
    int8_t *direct = sn_alloc(a, 256);
    SnTensor o1 = {n->res[0].type, sh, mid}, o2 = {rt, sh, direct};
    const SnTuple *t1 = sn_tuple_find(d, 0, NULL, 1, &n->res[0].type);
    const SnTuple *t2 = sn_tuple_find(d, 0, NULL, 1, &rt);
    SnCall c1 = {.kind = d,
                 .attr = n->attr,
                 .nout = 1,
                 .out = &o1,
                 .scratch = a,
                 .why = why,
                 .rounding = g->rounding};
    SnCall c2 = c1;
    c2.out = &o2;
    bool ok = t1 && t2 && t1->eval && t2->eval &&
              n->res[0].type->elem == SN_QI8 && rt->elem == SN_QI8 &&
              t1->eval(&c1) == SN_OK && t2->eval(&c2) == SN_OK &&
              run256(g, r, mid, n->res[0].type, y, a) && y[0] == direct[0];

    sn_arena_free(a);
    return ok;
}

/* What p clamps to when Rescale id is part of it: set in e.  *waived: a
 * saturation between them goes.  NULL, or why not. */
static const char *
merged_clamp(SnGraph *g, SnRewriter *rw, SnId p, SnId id, SnEdit *e,
             bool *waived)
{
    const SnNode *n = sn_node(g, p);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *rt = sn_type(g, SN_REF(id, 0)), *mid = n->res[0].type;
    SnRange rc = sn_clamp_of(g, id), pc = sn_clamp_of(g, p);

    if (n->nin == 0)
        return same_splat(g, p, id) ? NULL
                                    : "the value rounds differently in two "
                                      "steps";
    if (d->clamp < 0) {
        if (sn_range_full(rc) && sn_covers(sn_clamp_reach(mid, rc),
                                           sn_clamp_reach(rt, (SnRange){0})))
            return NULL;
        return sn_format(sn_scratch(rw),
                         "%s has no clamp and %s does not "
                         "cover %s",
                         d->name, sn_type_str(sn_scratch(rw), mid),
                         sn_type_str(sn_scratch(rw), rt));
    }
    bool waive = n->calibrated && !sn_opts(rw)->strict_saturation;
    SnRange kept = sn_meet(rc, sn_image(g->rounding, pc, mid, rt, waive));
    *waived = waive &&
              !sn_range_equal(
                  kept, sn_meet(rc, sn_image(g->rounding, pc, mid, rt, false)));
    sn_edit_clamp(e, kept);
    e->calibrated = n->calibrated && sn_node(g, id)->calibrated;
    return NULL;
}

bool
sn_merge(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    if (sn_node(g, id)->kind != SN_K_RESCALE)
        return false;
    SnRef v = sn_in(g, id, 0);
    SnId p = SN_NODE(v);
    SnNode *n = sn_node(g, p);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *rt = sn_type(g, SN_REF(id, 0)), *mid = sn_type(g, v);

    if (n->kind == SN_K_RESCALE || SN_RES(v) != 0) {
        sn_declined(rw, rule, g, id, "merge: %s",
                    SN_RES(v) ? "only a first result takes another type"
                              : "two Rescales in a row are for written rules");
        return false;
    }
    if (!d->family.merge || !sn_joins(d, join)) {
        sn_declined(rw, rule, g, id, "merge: %s",
                    d->family.why_merge ? d->family.why_merge
                                        : "the producer's type is not free");
        return false;
    }
    if (sn_nuse(g, v) != 1) {
        sn_declined(rw, rule, g, id, "merge: %s has %u uses, not one",
                    sn_label(g, p, sn_scratch(rw)), sn_nuse(g, v));
        return false;
    }
    SnEdit e = sn_edit(g, p);
    e.type[0] = rt;
    if (!sn_edit_tuple(g, &e)) {
        sn_declined(rw, rule, g, id, "merge: %s has no tuple that writes %s",
                    d->name, sn_type_str(sn_scratch(rw), rt));
        return false;
    }
    bool waived = false;
    const char *why = merged_clamp(g, rw, p, id, &e, &waived);
    if (!why)
        why = sn_edit_admits_why(g, p, &e);
    if (why) {
        sn_declined(rw, rule, g, id, "merge: %s", why);
        return false;
    }
    if (!sn_fire(rw, rule, g, id))
        return false;
    if (waived)
        sn_fire_detail(rw, true,
                       sn_format(sn_scratch(rw),
                                 "waived the saturation of "
                                 "%s %s",
                                 sn_label(g, p, sn_scratch(rw)),
                                 sn_type_str(sn_scratch(rw), mid)));
    SnId m = sn_edit_add(g, &e);
    sn_fired(rw, g, SN_REF(id, 0), SN_REF(m, 0));
    for (unsigned i = 1; i < n->nres; i++)
        sn_fired(rw, g, SN_REF(p, i), SN_REF(m, i));
    sn_fire_end(rw, g);
    return true;
}
