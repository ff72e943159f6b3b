// SPDX-License-Identifier: Apache-2.0
/* sink: a Rescale above every input of a `same` group moves below the node.
 *
 * Exact for moves (lemma L1) and monotone selections (L2): both commute with
 * a non-decreasing function of each code.  A constant inside the node (the
 * fill of a Pad, the operand of a CPUMaxSplat) must commute too: checked by
 * running the node on every code. */
#include <math.h>
#include <string.h>
#include "rewrite/copy.h"
#include "rewrite/derive.h"
#include "sn_kind_rescale.h"

/* A node beside id that reads what id reads at this slot of the group, or 0.
 * Of the slots that read one value, one looks at its whole list. */
static SnId
reader_beside(const SnGraph *g, SnId id, uint32_t slot)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnUse *u = sn_res(g, n->in[slot].ref)->uses;

    if (u->user == id && u->slot != slot &&
        d->in[sn_port_of_slot(d, n->nin, u->slot)].fact == SN_SAME)
        return 0;
    for (; u; u = u->next)
        if (u->user != id)
            return u->user;
    return 0;
}

/* The inputs of the group, all Rescales alike; the first in *first. */
static const char *
group_alike(SnGraph *g, SnRewriter *rw, SnId id, SnId *first)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnId r0 = 0;
    bool other = false;

    for (uint32_t s = 0; s < n->nin; s++) {
        if (d->in[sn_port_of_slot(d, n->nin, s)].fact != SN_SAME)
            continue;
        SnRef v = n->in[s].ref;
        if (!v || sn_kind(g, v) != SN_K_RESCALE) {
            other = true;
            continue;
        }
        SnId r = SN_NODE(v);
        if (!r0)
            r0 = r;
        SnRange a = sn_clamp_of(g, r0), b = sn_clamp_of(g, r);
        if (sn_type(g, sn_in(g, r, 0)) != sn_type(g, sn_in(g, r0, 0)))
            return "the Rescales come from different types";
        if (a.has_lo != b.has_lo || a.has_hi != b.has_hi || a.lo != b.lo ||
            a.hi != b.hi ||
            sn_node(g, r)->calibrated != sn_node(g, r0)->calibrated)
            return "the Rescales saturate differently";
        /* All users sink in this fire, or none does: no new conversions. */
        SnId other_user = reader_beside(g, id, s);
        if (other_user)
            return sn_format(sn_scratch(rw), "%s is also read by %s",
                             sn_name(g, v),
                             sn_label(g, other_user, sn_scratch(rw)));
    }
    *first = r0;
    if (!r0)
        return "";
    return other ? "not every input is a Rescale" : NULL;
}

/* Codes that go through all there are, or are spread over 16 bits. */
static SnTensor
codes(SnArena *a, const SnType *t, const SnShape *s)
{
    size_t n = (size_t)sn_shape_count(s);
    SnTensor x = {t, s, sn_alloc(a, sn_tensor_nbyte(t, s) + 1)};

    for (size_t i = 0; i < n; i++)
        if (t->elem == SN_QI8)
            ((int8_t *)x.data)[i] = (int8_t)((int)(i & 255) - 128);
        else
            ((int16_t *)x.data)[i] =
                (int16_t)((int)(n > 65535 ? i & 65535 : i * 257 & 65535) -
                          32768);
    return x;
}

/* Each code moves to the nearest whose real lies in r. */
static void
within(SnTensor *x, SnReach r)
{
    double s = (double)x->type->scale[0], z = (double)x->type->zp[0];
    double lo = fmax(ceil(r.lo / s + z), (double)sn_elem_lo(x->type->elem));
    double hi = fmin(floor(r.hi / s + z), (double)sn_elem_hi(x->type->elem));

    for (int64_t i = 0; i < sn_shape_count(x->shape); i++)
        if (x->type->elem == SN_QI8) {
            int8_t *v = (int8_t *)x->data + i;
            *v = (int8_t)fmin(fmax(*v, lo), fmax(lo, hi));
        } else {
            int16_t *v = (int16_t *)x->data + i;
            *v = (int16_t)fmin(fmax(*v, lo), fmax(lo, hi));
        }
}

/* Is a code more than half a step beyond the reals of r? */
static bool
any_beyond(const SnTensor *x, SnReach r)
{
    double s = (double)x->type->scale[0], z = (double)x->type->zp[0];

    for (int64_t i = 0; i < sn_shape_count(x->shape); i++) {
        double c = x->type->elem == SN_QI8 ? ((const int8_t *)x->data)[i]
                                           : ((const int16_t *)x->data)[i];
        if (s * (c - z) < r.lo - s / 2 || s * (c - z) > r.hi + s / 2)
            return true;
    }
    return false;
}

/* `of` for a node of one operand and one result. */
static SnCall
call_of(const SnCall *of, const SnKindDesc *d, const void *attr,
        const SnTensor *x, const SnTensor *y)
{
    SnCall c = *of;

    c.kind = d;
    c.attr = attr;
    c.in = x;
    c.out = y;
    return c;
}

/* Elements that are run to see it: five tensors of so many codes. */
enum { RUN_MOST = 1 << 26 };

/* Does a constant inside the node survive?  Runs x -> R(N(x)) and
 * x -> N(R(x)) over all codes (an elementwise node), or over the padded
 * shape (Pad); the generator lets no others come here.  Where the flag of R
 * waives its saturation, which calibration says of x only, N may give nothing
 * beyond what R lets through of x.  NULL, or why not. */
static const char *
constant_commutes(SnGraph *g, const SnEdit *low, SnId id, SnId r)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    const SnType *st = low->type[0], *tt = n->res[0].type;
    bool point = d->sem[0].cls == SN_C_POINT;

    if (!d->family.sink_const || d->family.sink_bounded)
        return NULL;
    if (st->elem != SN_QI8 && st->elem != SN_QI16)
        return "its codes are too many to be run one by one";
    const SnShape *xs = sn_shape_of(g, sn_in(g, id, 0));
    const SnShape *ys = sn_shape_of(g, SN_REF(id, 0));
    int64_t dim = st->elem == SN_QI8 ? 256 : 65536;
    if (point)
        xs = ys = sn_shape(g->pool, 1, &dim);
    if (sn_shape_count(xs) > RUN_MOST || sn_shape_count(ys) > RUN_MOST)
        return "its tensors are too large to be run over all codes";
    SnArena *a = sn_arena_new();
    char why[SN_WHY];
    const SnKindDesc *rd = sn_desc(SN_K_RESCALE);
    const SnTuple *rtup = sn_tuple_find(rd, 1, &st, 1, &tt);
    const SnTuple *hi = sn_tuple_find(d, 1, &tt, 1, &tt);
    const SnTuple *lo = sn_tuple_find(d, 1, &st, 1, &st);
    SnTensor tx = codes(a, st, xs), trx = codes(a, tt, xs);
    SnTensor tk = codes(a, tt, ys), tn = codes(a, st, ys);
    SnTensor ts = codes(a, tt, ys);
    SnCall of = {
        .nin = 1, .nout = 1, .scratch = a, .why = why, .rounding = g->rounding};
    SnCall c1 = call_of(&of, rd, sn_node(g, r)->attr, &tx, &trx);
    SnCall c2 = call_of(&of, d, n->attr, &trx, &tk);
    SnCall c3 = call_of(&of, d, n->attr, &tx, &tn);
    SnCall c4 = call_of(&of, rd, sn_node(g, r)->attr, &tn, &ts);
    bool ok = rtup && hi && lo && hi->eval && lo->eval && rtup->eval &&
              rtup->eval(&c1) == SN_OK && hi->eval(&c2) == SN_OK &&
              lo->eval(&c3) == SN_OK && rtup->eval(&c4) == SN_OK &&
              !memcmp(tk.data, ts.data, sn_tensor_nbyte(tt, ys));
    const char *no = ok ? NULL
                        : "its constant rounds differently on the other "
                          "side";
    if (ok && sn_node(g, r)->calibrated) {
        SnReach lim = sn_clamp_reach(tt, sn_clamp_of(g, r));
        within(&tx, lim);
        if (lo->eval(&c3) != SN_OK || any_beyond(&tn, lim))
            no = "its constant is beyond the calibrated range";
    }
    sn_arena_free(a);
    return no;
}

/* The bound of a sink past a mean (docs/proofs.md). */
static const char *
mean_bound(SnGraph *g, const SnEdit *low, SnId r, double *k)
{
    const SnType *st = low->type[0], *tt = sn_type(g, SN_REF(r, 0));

    *k = ceil(0.5 + 2 * sn_arith_at(g->rounding)->error +
              (double)st->scale[0] / (2 * (double)tt->scale[0]));
    if (!sn_covers(sn_clamp_reach(tt, sn_clamp_of(g, r)),
                   sn_reach(g, sn_in(g, r, 0))))
        return "the Rescale saturates inside the mean";
    return NULL;
}

static void
decline(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, const char *why)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin && sn_records_declined(rw); s++)
        if (n->in[s].ref && sn_kind(g, n->in[s].ref) == SN_K_RESCALE)
            sn_declined(rw, rule, g, SN_NODE(n->in[s].ref), "sink below %s: %s",
                        sn_label(g, id, sn_scratch(rw)), why);
}

/* What the node and its types do not allow, or NULL; r: a Rescale above it. */
static const char *
barred(const SnGraph *g, SnRewriter *rw, SnId id, SnId r)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    for (unsigned i = 1; d->family.sink_unused_rest && i < n->nres; i++)
        if (n->res[i].nuse)
            return sn_format(sn_scratch(rw),
                             "result %s is used, and equal "
                             "values appear after a Rescale",
                             d->out[i].name);
    if (!sn_type_per_tensor(n->res[0].type) ||
        !sn_type_per_tensor(sn_type(g, sn_in(g, r, 0))))
        return "a type has scales along an axis";
    return NULL;
}

/* The node as it is above the Rescale: low.  Returns why it cannot be. */
static const char *
lower(SnGraph *g, SnId id, SnId r, SnEdit *low)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);

    for (uint32_t s = 0; s < n->nin; s++)
        if (d->in[sn_port_of_slot(d, n->nin, s)].fact == SN_SAME)
            low->in[s] = sn_in(g, SN_NODE(n->in[s].ref), 0);
    for (unsigned i = 0; i < n->nres; i++)
        if (d->out[i].fact == SN_SAME)
            low->type[i] = sn_type(g, sn_in(g, r, 0));
    low->name = sn_format(g->arena, "%s.q", sn_name(g, SN_REF(id, 0)));
    if (!sn_edit_tuple(g, low))
        return "the node has no tuple for the Rescale's own input";
    return constant_commutes(g, low, id, r);
}

bool
sn_sink(SnGraph *g, SnRewriter *rw, SnId id, uint16_t rule, uint32_t join)
{
    SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc_in(g, n->kind);
    SnClaim claim = sn_rule_claim(rule, g->rounding);
    SnId r = 0;

    if (!d->family.sink || !sn_joins(d, join) || n->nres == 0 ||
        !sn_elem_quant(n->res[0].type->elem)) {
        decline(g, rw, id, rule,
                d->effect            ? "nothing moves across an output"
                : d->family.why_sink ? d->family.why_sink
                                     : "no derive line sinks it");
        return false;
    }
    const char *why = group_alike(g, rw, id, &r);
    if (why && !*why)
        why = "no input of the group is a Rescale";
    SnEdit low = sn_edit(g, id);
    if (!why)
        why = barred(g, rw, id, r);
    if (!why)
        why = lower(g, id, r, &low);
    if (!why && d->family.sink_bounded) {
        claim.kind = SN_CLAIM_WITHIN;
        why = mean_bound(g, &low, r, &claim.bound);
    }
    if (why) {
        decline(g, rw, id, rule, why);
        return false;
    }
    if (!sn_fire_claim(rw, rule, claim, g, id))
        return false;
    SnEdit below = sn_edit(g, r);
    if (d->clamp >= 0) { /* the node's saturation goes along */
        sn_edit_clamp(&below, sn_meet(sn_clamp_of(g, id), sn_clamp_of(g, r)));
        below.calibrated = below.calibrated && n->calibrated;
        sn_edit_clamp(&low, (SnRange){.has_lo = false});
    }
    below.in[0] = SN_REF(sn_edit_add(g, &low), 0);
    SnId moved = sn_edit_add(g, &below);
    sn_fired(rw, g, SN_REF(id, 0), SN_REF(moved, 0));
    sn_fire_end(rw, g);
    return true;
}
