// SPDX-License-Identifier: Apache-2.0
/* What may stand in an attribute: counts, words, constraints, and ranges that
 * their value's type can hold. */
#include <math.h>

#include "graph/graph_priv.h"

static const char *
count_why(SnArena *a, const SnAttrDesc *at, uint32_t n)
{
    if (at->fixed == 0 || n == at->fixed)
        return NULL;
    return sn_format(a, "attribute '%s' needs %u numbers, not %u", at->name,
                     (unsigned)at->fixed, (unsigned)n);
}

static const char *
word_why(SnArena *a, const SnAttrDesc *at, int32_t w)
{
    int32_t n = 0;

    while (at->words[n])
        n++;
    if (w >= 0 && w < n)
        return NULL;
    return sn_format(a, "attribute '%s' has no value %d", at->name, (int)w);
}

/* The type whose domain a range lives in; NULL when it is absent. */
static const SnType *
range_type(const SnKindDesc *d, const SnAttrDesc *at, const void *attr,
           uint32_t nin, const SnType *const *in, const SnType *const *out)
{
    uint32_t first, count;

    switch (at->range_of) {
    case SN_RANGE_IN:
        sn_port_slots(d, nin, at->range_port, &first, &count);
        return count ? in[first] : NULL;
    case SN_RANGE_OUT:
        return at->range_port < d->nout ? out[at->range_port] : NULL;
    case SN_RANGE_ATTR:
        return *(const SnType *const *)sn_attr_at(attr,
                                                  &d->attr[at->range_port]);
    }
    return NULL;
}

static bool
code_ok(const SnType *t, bool has, double v)
{
    return !has || (v == floor(v) && v >= (double)sn_elem_lo(t->elem) &&
                    v <= (double)sn_elem_hi(t->elem));
}

static const char *
range_why(SnArena *a, const SnAttrDesc *at, const SnRange *r, const SnType *t)
{
    if ((r->has_lo && isnan(r->lo)) || (r->has_hi && isnan(r->hi)))
        return sn_format(a, "attribute '%s' has a bound that is not a number",
                         at->name);
    if (r->has_lo && r->has_hi && r->lo > r->hi)
        return sn_format(a, "attribute '%s' is empty: %g > %g", at->name, r->lo,
                         r->hi);
    if (!t || t->elem == SN_F32 || t->elem == SN_F16)
        return NULL;
    if (!sn_elem_quant(t->elem))
        return !r->has_lo && !r->has_hi
                   ? NULL
                   : sn_format(a,
                               "attribute '%s' has a bound, but %s does not "
                               "saturate: expected none",
                               at->name, sn_type_str(a, t));
    if (code_ok(t, r->has_lo, r->lo) && code_ok(t, r->has_hi, r->hi))
        return NULL;
    return sn_format(a,
                     "attribute '%s' must hold codes of %s, integers from "
                     "%lld to %lld",
                     at->name, sn_type_str(a, t),
                     (long long)sn_elem_lo(t->elem),
                     (long long)sn_elem_hi(t->elem));
}

static const char *
where_why(SnArena *a, const SnAttrDesc *at, const void *attr)
{
    SnBuf b;

    if (!at->check || at->check(attr))
        return NULL;
    sn_buf_init(&b, a);
    sn_putf(&b, "attribute '%s' is ", at->name);
    sn_put_attr(&b, at, attr);
    sn_putf(&b, "; required: %s", at->where ? at->where : "its constraint");
    return sn_buf_str(&b);
}

const char *
sn_attrs_why(SnArena *a, const SnKindDesc *d, const void *attr, uint32_t nin,
             const SnType *const *in, const SnType *const *out)
{
    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        const void *p = sn_attr_at(attr, at);
        const char *why = NULL;
        if (at->kind == SN_A_INTS)
            why = count_why(a, at, ((const SnInts *)p)->n);
        else if (at->kind == SN_A_REALS)
            why = count_why(a, at, ((const SnReals *)p)->n);
        else if (at->kind == SN_A_ENUM)
            why = word_why(a, at, *(const int32_t *)p);
        else if (at->kind == SN_A_TYPE && !*(const SnType *const *)p)
            why = sn_format(a, "attribute '%s' needs a type", at->name);
        if (why)
            return why;
    }
    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        const char *why = where_why(a, at, attr);
        if (!why && at->kind == SN_A_RANGE)
            why = range_why(a, at, sn_attr_at(attr, at),
                            range_type(d, at, attr, nin, in, out));
        if (why)
            return why;
    }
    return NULL;
}

const char *
sn_attrs_where_why(SnArena *a, const SnKindDesc *d, const void *attr)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < d->nattr && !why; i++)
        why = where_why(a, &d->attr[i], attr);
    return why;
}
