// SPDX-License-Identifier: Apache-2.0
/* What random graphs are made of: numbers, data, types and attributes. */
#include "random/gen_priv.h"
#include "sn_kinds.h"

#include <math.h>
#include <string.h>

/* splitmix64 */
static uint64_t
next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t
sn_gen_pick(SnGen *p, int64_t lo, int64_t hi)
{
    if (hi < lo)
        return lo;
    uint64_t n = (uint64_t)(hi - lo) + 1, u = 0;

    if (p->at >= p->o->nbyte)
        return lo + (int64_t)(next(&p->r) % n);
    for (int i = 0; i < (n <= 256 ? 1 : 3) && p->at < p->o->nbyte; i++)
        u = u << 8 | p->o->bytes[p->at++];
    return lo + (int64_t)(u % n);
}

bool
sn_gen_chance(SnGen *p, int percent)
{
    return sn_gen_pick(p, 0, 99) < percent;
}

static double
uniform(SnGen *p, double lo, double hi)
{
    double u = (double)(next(&p->r) >> 11) / 9007199254740992.0;

    return lo + u * (hi - lo);
}

/* A size: small, or where sizes are wide about a vector's width. */
int64_t
sn_gen_size(SnGen *p)
{
    if (!p->wide || sn_gen_chance(p, 40))
        return sn_gen_pick(p, 1, 5);
    int64_t width = 8 << sn_gen_pick(p, 0, 3); /* drawn in this order */
    return width + sn_gen_pick(p, -1, 1);
}

const SnShape *
sn_gen_narrow(SnGen *p, const SnShape *s)
{
    int64_t d[SN_MAXRANK];
    int cut = sn_gen_chance(p, 30) ? (int)sn_gen_pick(p, 0, s->rank) : 0;

    for (int i = cut; i < s->rank; i++)
        d[i - cut] = sn_gen_chance(p, 50) ? 1 : s->dim[i];
    return sn_shape(p->g->pool, s->rank - cut, d);
}

/* ---- data ---- */

static int64_t
draw_code(uint64_t *r, int64_t lo, int64_t hi)
{
    uint64_t n = next(r);

    if (n % 16 == 0)
        return lo;
    if (n % 16 == 1)
        return hi;
    return lo + (int64_t)((n >> 8) % (uint64_t)(hi - lo + 1));
}

/* One code in eight represents 0: what it adds must not matter. */
static int64_t
draw_quant(uint64_t *r, const SnType *t, int64_t lo, int64_t hi)
{
    if (t->nq == 1 && next(r) % 8 == 0)
        return t->zp[0];
    return draw_code(r, lo, hi);
}

/* Reals that each formula, minimum and conversion has to say something of. */
static const float edges[] = {
    NAN,
    -NAN,
    INFINITY,
    -INFINITY,
    -0.0f,
    0.0f,
    0.5f,
    -1.5f,
    2.5f,
    1e-40f,
    -1.17549435e-38f,
    3.40282347e38f,
    -3e38f,
    2147483648.0f,
    -8388609.0f,
};
enum { NEDGE = sizeof edges / sizeof *edges };

/* Every eighth tensor has some of them, every fourth zeros of both signs. */
static float
draw_real(uint64_t *r, uint64_t sort)
{
    uint64_t n = next(r);

    if (sort % 8 == 0 && n % 4 == 0)
        return edges[(n >> 8) % NEDGE];
    if (sort % 4 == 1 && n % 2 == 0)
        return n & 4 ? 0.0f : -0.0f;
    return (float)draw_code(r, -4000, 4000) / 1000.0f;
}

void
sn_random_data(uint64_t *r, const SnType *t, const SnShape *s, void *data)
{
    int64_t n = sn_shape_count(s);
    bool all = n >= 256 && (t->elem == SN_QI8 || t->elem == SN_I8);
    uint64_t odd = all ? next(r) | 1 : 0, off = odd >> 32;
    uint64_t sort = t->elem == SN_F32 || t->elem == SN_I64 ? next(r) >> 8 : 0;

    for (int64_t i = 0; i < 256 && all; i++) /* every code */
        ((int8_t *)data)[i] = (int8_t)((uint64_t)i * odd + off);
    for (int64_t i = all ? 256 : 0; i < n; i++)
        switch (t->elem) {
        case SN_QI8:
        case SN_I8:
            ((int8_t *)data)[i] = (int8_t)draw_quant(r, t, -128, 127);
            break;
        case SN_QI16:
            ((int16_t *)data)[i] = (int16_t)draw_quant(r, t, -32768, 32767);
            break;
        case SN_QI32:
            ((int32_t *)data)[i] = (int32_t)draw_code(r, -3000, 3000);
            break;
        case SN_I32:
            ((int32_t *)data)[i] = (int32_t)draw_code(r, -9, 9);
            break;
        case SN_I64:
            ((int64_t *)data)[i] = draw_code(r, sort % 4 ? 0 : -2, 1);
            break;
        case SN_BOOL:
            ((bool *)data)[i] = next(r) & 1;
            break;
        case SN_F32:
            ((float *)data)[i] = draw_real(r, sort);
            break;
        case SN_F16: /* of either sign, from 0.5 to below 4 */
            ((uint16_t *)data)[i] = (uint16_t)(draw_code(r, 0x3800, 0x43ff) |
                                               draw_code(r, 0, 1) << 15);
            break;
        default: /* rows of codes with their scale (draw_rows): all zero */
            memset(data, 0, sn_tensor_nbyte(t, s));
            return;
        }
}

/* ---- types ---- */

/* As a calibrator makes them, with corners: exact powers of two (ties), odd
 * and extreme zero points, scales far from the others. */
const SnType *
sn_gen_quant(SnGen *p, SnElem e)
{
    double range = exp(uniform(p, log(0.05), log(30)));
    double lo = sn_gen_chance(p, 30) ? 0 : -range * uniform(p, 0, 1);
    int64_t steps = sn_elem_hi(e) - sn_elem_lo(e);
    float scale = (float)(range / (double)steps);
    int64_t zp = sn_elem_lo(e) + (int64_t)rint(-lo / (double)scale);

    if (sn_gen_chance(p, 25))
        scale = (float)exp2((double)sn_gen_pick(p, -8, 2));
    if (sn_gen_chance(p, 20))
        zp = sn_gen_chance(p, 50)
                 ? sn_gen_pick(p, -9, 9)
                 : (sn_gen_chance(p, 50) ? sn_elem_lo(e) : sn_elem_hi(e));
    if (sn_gen_chance(p, 3))
        scale = (float)exp2((double)sn_gen_pick(p, -20, 20));
    if (e == SN_QI32)
        zp = 0;
    zp = zp < sn_elem_lo(e) ? sn_elem_lo(e) : zp;
    zp = zp > sn_elem_hi(e) ? sn_elem_hi(e) : zp;
    return sn_type_quant(p->g->pool, e, scale, (int32_t)zp);
}

const SnType *
sn_gen_beside(SnGen *p, const SnType *t)
{
    bool twice = sn_gen_chance(p, p->ties ? 80 : 50);
    int64_t e = twice ? 1 : sn_gen_pick(p, -1, 0);
    float scale = t->scale[0] * (float)exp2((double)e);
    const SnType *z = sn_gen_quant(p, t->elem);
    const SnType *y = sn_type_quant(p->g->pool, t->elem, scale, z->zp[0]);

    return y ? y : z;
}

static const SnType *
quant_type(SnGen *p, SnElem e)
{
    if (e == SN_QI8 && sn_gen_chance(p, 85))
        return p->q8[sn_gen_pick(p, 0, NTYPE - 1)];
    if (e == SN_QI16 && sn_gen_chance(p, 85))
        return p->q16[sn_gen_pick(p, 0, 1)];
    return sn_gen_quant(p, e);
}

/* A type that fits the pattern for a value of shape s; NULL: none does. */
const SnType *
sn_gen_type(SnGen *p, SnTypePat pat, const SnShape *s)
{
    SnElem e = (SnElem)pat.elem;

    if (!sn_elem_quant(e))
        return sn_type_plain(p->g->pool, e);
    if (pat.axis < 0)
        return quant_type(p, e);
    if (pat.axis >= s->rank)
        return NULL;
    uint32_t n = (uint32_t)s->dim[pat.axis];
    float *scale = SN_NEW_N(p->a, float, n + 1);
    int32_t *zp = SN_NEW_N(p->a, int32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const SnType *t = sn_gen_quant(p, e);
        scale[i] = t->scale[0];
        zp[i] = sn_gen_chance(p, 70) ? 0 : t->zp[0];
    }
    return sn_type_axis(p->g->pool, e, pat.axis, n, scale, zp);
}

SnRange
sn_gen_clamp(SnGen *p, const SnType *t)
{
    SnRange r = {0};

    if (!t || (!t->nq && t->elem != SN_F32) || sn_gen_chance(p, 55))
        return r;
    double lo = t->nq ? (double)sn_elem_lo(t->elem) : -3;
    double hi = t->nq ? (double)sn_elem_hi(t->elem) : 3;
    double x = rint(uniform(p, lo, hi)), y = rint(uniform(p, lo, hi));
    bool crossed = sn_gen_chance(p, 8);
    r.has_lo = crossed || sn_gen_chance(p, 60);
    r.has_hi = crossed || sn_gen_chance(p, 60);
    if (r.has_lo)
        r.lo = crossed                ? fmax(x, y)
               : sn_gen_chance(p, 15) ? lo
               : r.has_hi             ? fmin(x, y)
                                      : x;
    if (r.has_hi)
        r.hi = crossed                ? fmin(x, y)
               : sn_gen_chance(p, 15) ? hi
               : r.has_lo             ? fmax(x, y)
                                      : y;
    return r;
}

/* ---- attributes ---- */

static int64_t *
numbers(SnGen *p, SnInts *v, uint32_t n)
{
    int64_t *w = SN_NEW_N(p->a, int64_t, n + 1);

    *v = (SnInts){n, w};
    return w;
}

static void
draw_perm(SnGen *p, SnInts *v, int rank)
{
    int64_t *w = numbers(p, v, (uint32_t)rank);

    for (int i = 0; i < rank; i++)
        w[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int64_t k = sn_gen_pick(p, 0, i), t = w[i];
        w[i] = w[k];
        w[k] = t;
    }
}

static void
draw_dims(SnGen *p, SnInts *v, const SnShape *x)
{
    int64_t n = sn_shape_count(x), last = x->rank ? x->dim[x->rank - 1] : 1;
    int64_t *w;

    switch (sn_gen_pick(p, 0, 3)) {
    case 0:
        w = numbers(p, v, (uint32_t)x->rank);
        for (int i = 0; i < x->rank; i++)
            w[i] = x->dim[i];
        break;
    case 1:
        w = numbers(p, v, 2);
        w[0] = last ? n / last : 0;
        w[1] = last;
        break;
    case 2:
        w = numbers(p, v, 1);
        w[0] = n;
        break;
    default:
        w = numbers(p, v, 4);
        w[0] = w[1] = 1;
        w[2] = last ? n / last : 0;
        w[3] = last;
    }
}

/* Up to three axes, some counted from the end. */
static void
draw_axes(SnGen *p, SnInts *v, int rank)
{
    int n = rank ? (int)sn_gen_pick(p, 0, rank < 3 ? rank : 3) : 0;
    int64_t at = sn_gen_pick(p, 0, rank - 1), *w = numbers(p, v, (uint32_t)n);

    if (n > 1 && sn_gen_chance(p, 50))
        n = (int)(v->n = 1);
    for (int i = 0; i < n; i++) {
        w[i] = (at + i) % rank;
        if (sn_gen_chance(p, 30))
            w[i] -= rank;
    }
}

/* One number for each axis of x. */
static void
draw_run(SnGen *p, const SnSem *s, int arg, const SnShape *x, int64_t *w)
{
    for (int i = 0; i < x->rank; i++) {
        int64_t d = x->dim[i];
        if (s->decl == &sn_map_decl_slice)
            w[i] =
                arg == 1 ? (sn_gen_chance(p, 60) ? 0 : sn_gen_pick(p, 0, d - 1))
                : arg == 2 ? (sn_gen_chance(p, 50) ? d : sn_gen_pick(p, 1, d))
                           : (sn_gen_chance(p, 85) ? 1 : 2);
        else if (s->decl == &sn_map_decl_nearest)
            w[i] = i == 0 || i == 3 || sn_gen_chance(p, 40) ? d : 2 * d;
        else
            w[i] = sn_gen_chance(p, 70) ? 1 : 2;
    }
}

/* A list that argument `arg` of map m wants for an operand of shape x. */
static void
draw_ints(SnGen *p, const SnSem *s, int arg, const SnShape *x, SnInts *v)
{
    const SnMapParam *m = &s->decl->param[arg];
    uint32_t rank = (uint32_t)x->rank;
    int64_t *w;

    if (s->decl == &sn_map_decl_permute) {
        draw_perm(p, v, x->rank);
    } else if (m->kind == SN_MP_AXES) {
        draw_axes(p, v, x->rank);
    } else if (m->length == SN_ML_OWN) {
        draw_dims(p, v, x);
    } else if (m->length == SN_ML_PAIR) {
        w = numbers(p, v, 2 * rank);
        for (uint32_t i = 0; i < 2 * rank; i++)
            w[i] = sn_gen_chance(p, 65) ? 0 : sn_gen_pick(p, -1, 2);
    } else {
        draw_run(p, s, arg, x, numbers(p, v, rank));
    }
}

static void
draw_fixed(SnGen *p, SnInts *v, uint32_t n)
{
    int64_t *w = numbers(p, v, n);
    bool plain = sn_gen_chance(p, 60);

    for (uint32_t i = 0; i < n; i++)
        w[i] = n == 4 ? (plain ? 0 : sn_gen_pick(p, 0, 2))
                      : (plain ? 1 : sn_gen_pick(p, 1, 3));
}

void
sn_gen_attr(SnGen *p, const SnKindDesc *d, const SnAttrDesc *at, void *attr,
            const SnShape *x)
{
    const SnSem *s = &d->sem[0];
    int arg = -1;
    void *v = sn_attr_at(attr, at);

    for (uint8_t i = 0; i < s->narg; i++)
        if (s->arg[i].kind == SN_ARG_ATTR && &d->attr[s->arg[i].v] == at)
            arg = i;
    bool defaulted = at->has_default && sn_gen_chance(p, 60);
    switch (at->kind) {
    case SN_A_INT:
        /* Groups as many as channels; a shift of zero points. */
        if (!defaulted)
            *(int64_t *)v = arg < 0 ? (sn_gen_chance(p, 50) ? 128 : 0)
                            : x->rank && sn_gen_chance(p, 20)
                                ? x->dim[x->rank - 1]
                                : sn_gen_pick(p, -1, 4);
        break;
    case SN_A_REAL:
        /* Not far from a default, and of its sign: constants of a formula. */
        if (!defaulted && at->has_default && *(float *)v != 0)
            *(float *)v *= (float)exp2((double)sn_gen_pick(p, -2, 2));
        else if (!defaulted)
            *(float *)v = (float)(rint(uniform(p, -24, 24)) / 8);
        break;
    case SN_A_BOOL:
        *(bool *)v = sn_gen_chance(p, 35);
        break;
    case SN_A_ENUM:
        defaulted = at->has_default && sn_gen_chance(p, 35);
        while (!defaulted && at->words[*(int32_t *)v + 1] &&
               sn_gen_chance(p, 50))
            ++*(int32_t *)v;
        break;
    case SN_A_INTS:
        if (at->fixed) {
            if (!defaulted)
                draw_fixed(p, v, at->fixed);
        } else {
            draw_ints(p, s, arg, x, v);
        }
        break;
    case SN_A_REALS: {
        uint32_t n = at->fixed ? at->fixed : (uint32_t)x->rank;
        float *w = SN_NEW_N(p->a, float, n + 1);
        for (uint32_t i = 0; i < n; i++)
            w[i] = i == 0 || i == 3 ? 1 : sn_gen_chance(p, 50) ? 1 : 2;
        *(SnReals *)v = (SnReals){n, w};
        break;
    }
    default:
        break; /* strings and ranges keep theirs here */
    }
}

void
sn_random_finite(uint64_t *r, const SnType *t, const SnShape *s, void *data)
{
    float *v = data;

    sn_random_data(r, t, s, data);
    for (int64_t i = 0; t->elem == SN_F32 && i < sn_shape_count(s); i++)
        if (!(fabsf(v[i]) <= 4))
            v[i] = signbit(v[i]) ? -4 : 4;
}

/* Codes, then the scale and what is added, row by row. */
static void
draw_rows(uint64_t *r, const SnShape *s, uint8_t *data)
{
    int64_t cols = s->dim[s->rank - 1];

    for (int64_t i = 0; i < s->dim[0]; i++) {
        for (int64_t k = 0; k < cols; k++)
            *data++ = (uint8_t)draw_code(r, 0, 255);
        float pair[2] = {(float)draw_code(r, 1, 999) / 4096.0f,
                         (float)draw_code(r, -4000, 4000) / 1000.0f};
        memcpy(data, pair, sizeof pair);
        data += sizeof pair;
    }
}

/* Ascending from 0: draws of single numbers are hardly ever offsets. */
static void
draw_offsets(uint64_t *r, int64_t n, int64_t *data)
{
    int64_t at = 0;

    for (int64_t i = 0; i < n; i++) {
        data[i] = at;
        at += draw_code(r, 0, i % 3 == 0 ? 2 : 0);
    }
}

void
sn_gen_data(SnGen *p, const SnType *t, const SnShape *s, void *data)
{
    bool row8 = t->elem == SN_ROW8 && s->rank == 2;

    if (p->o->map && row8)
        draw_rows(&p->r, s, data);
    else if (p->o->map && t->elem == SN_I64 && sn_gen_chance(p, 60))
        draw_offsets(&p->r, sn_shape_count(s), data);
    else if (p->o->edges)
        sn_random_data(&p->r, t, s, data);
    else
        sn_random_finite(&p->r, t, s, data);
}
