// SPDX-License-Identifier: Apache-2.0
/* Reading types, shapes and attribute values. */
#include <string.h>

#include "graph/text/text_priv.h"

/* ---- types ---- */

static bool
read_scale(SnReader *r, SnElem e, float *scale, int32_t *zp, SnPos *pos)
{
    int64_t v;

    *pos = r->m.t.pos;
    if (!sn_rd_real(r, scale) || !sn_rd_expect(r, ',', "after the scale") ||
        !sn_rd_int(r, INT32_MIN, INT32_MAX, &v))
        return false;
    *zp = (int32_t)v;
    const char *why = sn_type_why(e, *scale, *zp);
    return !why || sn_rd_fail(r, *pos, "%s", why);
}

/* Room for n scales and zero points, used for one type after the other. */
static void
slices(SnReader *r, size_t n)
{
    size_t cap = r->ncap ? 2 * r->ncap : 64;

    if (n <= r->ncap)
        return;
    float *scale = SN_NEW_N(r->tmp, float, cap);
    int32_t *zp = SN_NEW_N(r->tmp, int32_t, cap);
    if (r->ncap) {
        memcpy(scale, r->scale, r->ncap * sizeof *scale);
        memcpy(zp, r->zp, r->ncap * sizeof *zp);
    }
    r->scale = scale;
    r->zp = zp;
    r->ncap = cap;
}

static bool
read_slices(SnReader *r, size_t *nscale, size_t *nzp, SnPos *list)
{
    size_t n = 0;
    int64_t v;

    do {
        slices(r, n + 1);
        n += sn_rd_reals(r, &r->scale[n], r->ncap - n - 1);
        if (!sn_rd_real(r, &r->scale[n++]))
            return false;
    } while (sn_rd_take(r, ','));
    *nscale = n;
    *list = r->m.t.pos;
    if (!sn_rd_expect(r, ']', "after the scales") ||
        !sn_rd_expect(r, ',', "after the scales") ||
        !sn_rd_expect(r, '[', "before the zero points"))
        return false;
    n = 0;
    do {
        slices(r, n + 1);
        n += sn_rd_ints(r, &r->zp[n], r->ncap - n - 1);
        if (!sn_rd_int(r, INT32_MIN, INT32_MAX, &v))
            return false;
        r->zp[n++] = (int32_t)v;
    } while (sn_rd_take(r, ','));
    *nzp = n;
    return sn_rd_expect(r, ']', "after the zero points");
}

/* axis=0, [scales], [zero points] */
static bool
read_axis(SnReader *r, SnElem e, const SnType **t)
{
    SnPos pos = r->m.t.pos, list;
    size_t ns, nz;
    int64_t axis;

    sn_rd_next(r);
    if (!sn_rd_expect(r, '=', "after 'axis'") ||
        !sn_rd_int(r, 0, SN_MAXRANK - 1, &axis) ||
        !sn_rd_expect(r, ',', "after the axis") ||
        !sn_rd_expect(r, '[', "before the scales") ||
        !read_slices(r, &ns, &nz, &list))
        return false;
    if (ns != nz)
        return sn_rd_fail(r, list, "%zu scales, but %zu zero points", ns, nz);
    for (size_t i = 0; i < ns; i++) {
        const char *why = sn_type_why(e, r->scale[i], r->zp[i]);
        if (why)
            return sn_rd_fail(r, pos, "slice %zu: %s", i, why);
    }
    *t = sn_type_axis(r->g->pool, e, (int)axis, (uint32_t)ns, r->scale, r->zp);
    return *t || sn_rd_fail(r, pos, "these scales are not those of a type");
}

static bool
elem_named(const char *s, SnElem *e)
{
    for (int k = 0; k < SN_NELEM; k++)
        if (!strcmp(s, sn_elem_name((SnElem)k))) {
            *e = (SnElem)k;
            return true;
        }
    return false;
}

bool
sn_rd_type(SnReader *r, const SnType **t)
{
    SnElem e = SN_F32;
    SnPos pos;
    float scale;
    int32_t zp;

    if (r->m.t.kind != SN_TOK_IDENT || !elem_named(r->m.t.s, &e))
        return sn_rd_wanted(r, "a type (f32, f16, qi8, qi16, qi32, row8, i8, "
                               "i32, i64 or bool)");
    sn_rd_next(r);
    if (!sn_elem_quant(e)) {
        *t = sn_type_plain(r->g->pool, e);
        return !r->failed;
    }
    if (!sn_rd_expect(r, '<', "with scale and zero point"))
        return false;
    if (r->m.t.kind == SN_TOK_IDENT && !strcmp(r->m.t.s, "axis")) {
        if (!read_axis(r, e, t))
            return false;
    } else {
        if (!read_scale(r, e, &scale, &zp, &pos))
            return false;
        *t = sn_type_quant(r->g->pool, e, scale, zp);
    }
    return sn_rd_expect(r, '>', "after the zero point");
}

bool
sn_rd_shape(SnReader *r, const SnShape **s)
{
    int64_t dim[SN_MAXRANK];
    SnPos pos = r->m.t.pos;
    int rank = 0;

    if (!sn_rd_expect(r, '[', "before the dimensions"))
        return false;
    while (!sn_rd_is(r, ']')) {
        if (rank > 0 && !sn_rd_expect(r, ',', "or ']' after a dimension"))
            return false;
        if (rank == SN_MAXRANK)
            return sn_rd_fail(r, r->m.t.pos, "more than %d dimensions",
                              SN_MAXRANK);
        if (!sn_rd_int(r, 0, (INT64_C(1) << 40) - 1, &dim[rank++]))
            return false;
    }
    sn_rd_next(r);
    *s = sn_shape(r->g->pool, rank, dim);
    return *s || sn_rd_fail(r, pos, "a shape of 2^40 elements or more");
}

/* ---- attributes ---- */

static bool
read_bool(SnReader *r, bool *v)
{
    const char *s = r->m.t.kind == SN_TOK_IDENT ? r->m.t.s : "";

    if (strcmp(s, "true") != 0 && strcmp(s, "false") != 0)
        return sn_rd_wanted(r, "true or false");
    *v = *s == 't';
    sn_rd_next(r);
    return true;
}

static bool
read_word(SnReader *r, const SnAttrDesc *at, int32_t *v)
{
    const char *s = r->m.t.kind == SN_TOK_IDENT ? r->m.t.s : "";
    SnBuf b;

    for (int32_t k = 0; at->words[k]; k++)
        if (!strcmp(s, at->words[k])) {
            *v = k;
            sn_rd_next(r);
            return true;
        }
    sn_buf_init(&b, r->a);
    for (int32_t k = 0; at->words[k]; k++)
        sn_putf(&b, "%s%s",
                k == 0             ? ""
                : at->words[k + 1] ? ", "
                                   : " or ",
                at->words[k]);
    return sn_rd_wanted(r, sn_buf_str(&b));
}

static bool
list_end(SnReader *r, const SnAttrDesc *at, SnPos pos, size_t n)
{
    if (!sn_rd_expect(r, ']', "or ',' in a list"))
        return false;
    if (n > UINT32_MAX || (at->fixed && n != at->fixed))
        return sn_rd_fail(r, pos, "attribute '%s' needs %u numbers, not %zu",
                          at->name, (unsigned)at->fixed, n);
    return true;
}

static bool
read_ints(SnReader *r, const SnAttrDesc *at, SnInts *v)
{
    SnPos pos = r->m.t.pos;
    int64_t *list = NULL, x;
    size_t n = 0;

    if (!sn_rd_expect(r, '[', "before a list of integers"))
        return false;
    while (!sn_rd_is(r, ']')) {
        if (n > 0 && !sn_rd_expect(r, ',', "or ']' in a list"))
            return false;
        if (!sn_rd_int(r, INT64_MIN, INT64_MAX, &x))
            return false;
        SN_PUSH(r->tmp, list, n, x);
    }
    *v = (SnInts){(uint32_t)n, list};
    return list_end(r, at, pos, n);
}

static bool
read_reals(SnReader *r, const SnAttrDesc *at, SnReals *v)
{
    SnPos pos = r->m.t.pos;
    float *list = NULL, x;
    size_t n = 0;

    if (!sn_rd_expect(r, '[', "before a list of numbers"))
        return false;
    while (!sn_rd_is(r, ']')) {
        if (n > 0 && !sn_rd_expect(r, ',', "or ']' in a list"))
            return false;
        if (!sn_rd_real(r, &x))
            return false;
        SN_PUSH(r->tmp, list, n, x);
    }
    *v = (SnReals){(uint32_t)n, list};
    return list_end(r, at, pos, n);
}

static bool
read_bound(SnReader *r, bool *has, double *v)
{
    if (sn_rd_take(r, '_'))
        return true;
    *has = true;
    return sn_rd_double(r, v);
}

static bool
read_range(SnReader *r, SnRange *v)
{
    *v = (SnRange){0, 0, false, false};
    if (r->m.t.kind == SN_TOK_IDENT && !strcmp(r->m.t.s, "full")) {
        sn_rd_next(r);
        return !r->failed;
    }
    return sn_rd_expect(r, '[', "before a range") &&
           read_bound(r, &v->has_lo, &v->lo) &&
           sn_rd_expect(r, ',', "between the bounds of a range") &&
           read_bound(r, &v->has_hi, &v->hi) &&
           sn_rd_expect(r, ']', "after a range");
}

bool
sn_rd_attr(SnReader *r, const SnAttrDesc *at, void *attr)
{
    void *p = sn_attr_at(attr, at);

    switch (at->kind) {
    case SN_A_INT:
        return sn_rd_int(r, INT64_MIN, INT64_MAX, p);
    case SN_A_REAL:
        return sn_rd_real(r, p);
    case SN_A_BOOL:
        return read_bool(r, p);
    case SN_A_STR:
        if (r->m.t.kind != SN_TOK_STR)
            return sn_rd_wanted(r, "a string in double quotes");
        *(const char **)p = r->m.t.s;
        sn_rd_next(r);
        return !r->failed;
    case SN_A_ENUM:
        return read_word(r, at, p);
    case SN_A_INTS:
        return read_ints(r, at, p);
    case SN_A_REALS:
        return read_reals(r, at, p);
    case SN_A_TYPE:
        return sn_rd_type(r, p);
    case SN_A_RANGE:
        return read_range(r, p);
    }
    return false;
}
