/* The functions of the rule language: ranges, clamps, dimensions. */
#include "rewrite/rewrite.h"
#include <math.h>
#include "base/num.h"
#include "kernel/eval.h"

/* scale * (code - zp), exactly: 24 bits times at most 33. */
static double
real_of(const SnType *t, double code)
{
    return (double)t->scale[0] * (code - (double)t->zp[0]);
}

SnReach
sn_clamp_reach(const SnType *t, SnRange r)
{
    SnReach v = {-INFINITY, INFINITY};

    if (t->nq == 0) {
        if (r.has_lo)
            v.lo = r.lo;
        if (r.has_hi)
            v.hi = r.hi;
        return v;
    }
    double lo = (double)sn_elem_lo(t->elem), hi = (double)sn_elem_hi(t->elem);
    if (r.has_lo && r.lo > lo)
        lo = r.lo;
    if (r.has_hi && r.hi < hi)
        hi = r.hi;
    v.lo = real_of(t, lo);
    v.hi = real_of(t, hi);
    for (uint32_t i = 1; i < t->nq; i++) {
        double s = (double)t->scale[i], z = (double)t->zp[i];
        v.lo = fmin(v.lo, s * (lo - z));
        v.hi = fmax(v.hi, s * (hi - z));
    }
    return v;
}

SnReach
sn_reach(const SnGraph *g, SnRef v)
{
    SnRange full = {0};

    return sn_clamp_reach(sn_type(g, v),
                          SN_RES(v) == 0 ? sn_clamp_of(g, SN_NODE(v)) : full);
}

SnRange
sn_meet(SnRange a, SnRange b)
{
    SnRange r = a;

    if (b.has_lo && (!r.has_lo || b.lo > r.lo)) {
        r.has_lo = true;
        r.lo = b.lo;
    }
    if (b.has_hi && (!r.has_hi || b.hi < r.hi)) {
        r.has_hi = true;
        r.hi = b.hi;
    }
    /* Disjoint: everything ends on a's bound next to b. */
    if (r.has_lo && r.has_hi && r.lo > r.hi) {
        if (a.has_hi && r.hi == a.hi)
            r.lo = r.hi;
        else
            r.hi = r.lo;
    }
    return r;
}

static double
rescaled(double code, const SnType *from, const SnType *to)
{
    return (double)sn_rescale((int32_t)code, from->scale[0], from->zp[0],
                              to->scale[0], to->zp[0],
                              (int32_t)sn_elem_lo(to->elem),
                              (int32_t)sn_elem_hi(to->elem));
}

SnRange
sn_image(SnRange r, const SnType *from, const SnType *to, bool calibrated)
{
    double lo = (double)sn_elem_lo(from->elem);
    double hi = (double)sn_elem_hi(from->elem);
    SnRange v = {0};

    /* An open side is the storage bound, unless that bound is an artefact of
     * a profiled range; where it lands on `to`'s own bound it stays open. */
    if (r.has_lo || !calibrated) {
        v.lo = rescaled(r.has_lo && r.lo > lo ? r.lo : lo, from, to);
        v.has_lo = r.has_lo || v.lo > (double)sn_elem_lo(to->elem);
    }
    if (r.has_hi || !calibrated) {
        v.hi = rescaled(r.has_hi && r.hi < hi ? r.hi : hi, from, to);
        v.has_hi = r.has_hi || v.hi < (double)sn_elem_hi(to->elem);
    }
    if (!v.has_lo)
        v.lo = 0;
    if (!v.has_hi)
        v.hi = 0;
    return v;
}

/* A real bound as a code of t, saturated. */
static double
code_of(const SnType *t, double v)
{
    return (double)sn_quant((float)v, t->scale[0], t->zp[0],
                            (int32_t)sn_elem_lo(t->elem),
                            (int32_t)sn_elem_hi(t->elem));
}

SnRange
sn_bounds(const SnType *t, bool has_lo, double lo, bool has_hi, double hi)
{
    SnRange r = {0};

    r.has_lo = has_lo && lo > -INFINITY;
    r.has_hi = has_hi && hi < INFINITY;
    if (r.has_lo)
        r.lo = t->nq ? code_of(t, lo) : lo;
    if (r.has_hi)
        r.hi = t->nq ? code_of(t, hi) : hi;
    return r;
}

bool
sn_is_const(const SnGraph *g, SnRef v)
{
    const SnNode *n;

    if (!v)
        return false;
    n = sn_def(g, v);
    if (n->data)
        return true;
    const SnKindDesc *d = sn_desc(n->kind);
    if (d->effect || !d->sem || d->sem[0].cls == SN_C_SOURCE ||
        d->sem[0].cls == SN_C_OPAQUE || sn_eval_why_not(g, SN_NODE(v)))
        return false;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref && !sn_is_const(g, n->in[i].ref))
            return false;
    return true;
}

bool
sn_supports(const SnRewriter *rw, SnKind k, SnElem e)
{
    const SnBackendDesc *b = sn_opts(rw)->backend;
    const SnKindDesc *d = sn_desc(k);

    for (uint16_t i = 0; i < d->ntuple; i++) {
        const SnTuple *t = &d->tuple[i];
        if (d->nout && t->out[0].elem != (int8_t)e)
            continue;
        if (!b->supports || b->supports(k, t))
            return true;
    }
    return false;
}

SnInts
sn_compose(SnArena *a, SnInts p, SnInts q)
{
    int64_t *v = SN_NEW_N(a, int64_t, q.n + 1);

    for (uint32_t i = 0; i < q.n; i++)
        v[i] = p.v[q.v[i]];
    return (SnInts){q.n, v};
}

bool
sn_identity(SnInts perm)
{
    for (uint32_t i = 0; i < perm.n; i++)
        if (perm.v[i] != (int64_t)i)
            return false;
    return true;
}

bool
sn_ints_equal(SnInts a, SnInts b)
{
    if (a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.v[i] != b.v[i])
            return false;
    return true;
}

SnInts
sn_ints_fill(SnArena *a, int64_t n, int64_t v)
{
    int64_t *p = SN_NEW_N(a, int64_t, n + 1);

    for (int64_t i = 0; i < n; i++)
        p[i] = v;
    return (SnInts){(uint32_t)n, p};
}

SnInts
sn_dims(SnArena *a, const SnShape *s)
{
    int64_t *p = SN_NEW_N(a, int64_t, s->rank + 1);

    for (int i = 0; i < s->rank; i++)
        p[i] = s->dim[i];
    return (SnInts){(uint32_t)s->rank, p};
}

bool
sn_unused(const SnGraph *g, SnId id, unsigned res)
{
    const SnNode *n = sn_node(g, id);

    return res >= n->nres || n->res[res].nuse == 0;
}
