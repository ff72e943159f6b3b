/* A node is made by drawing a kind, one of its tuples, operands that fit the
 * tuple and attributes, and asking the graph whether it may be added; most
 * draws are guided by the map of the kind's meaning, the rest by retrying. */
#include "random/graph_gen.h"

#include <math.h>
#include <string.h>

#include "rewrite/rewrite.h"
#include "sn_kinds.h"

enum { NTYPE = 5, NTRY = 24, MAXVALUE = 400 };

typedef struct Gen {
    SnArena *a;
    SnGraph *g;
    SnDiag *d;
    uint64_t r;
    const SnRandomOpts *o;
    SnKind *kind;
    uint32_t nkind;
    SnRef value[MAXVALUE];
    uint32_t nvalue;
    const SnType *q8[NTYPE], *q16[2];
    int64_t img[4]; /* the shape that most values share */
    int calibrated; /* 0: no node, 1: some, 2: every one */
} Gen;

uint64_t
sn_random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t
pick(Gen *p, int64_t lo, int64_t hi) /* both included; lo when empty */
{
    if (hi < lo)
        return lo;
    uint64_t n = (uint64_t)(hi - lo) + 1;

    return lo + (int64_t)(sn_random_next(&p->r) % n);
}

static bool
chance(Gen *p, int percent)
{
    return pick(p, 0, 99) < percent;
}

static double
uniform(Gen *p, double lo, double hi)
{
    double u = (double)(sn_random_next(&p->r) >> 11) / 9007199254740992.0;

    return lo + u * (hi - lo);
}

/* ---- data ---- */

static int64_t
draw_code(uint64_t *r, int64_t lo, int64_t hi)
{
    uint64_t n = sn_random_next(r);

    if (n % 16 == 0)
        return lo;
    if (n % 16 == 1)
        return hi;
    return lo + (int64_t)((n >> 8) % (uint64_t)(hi - lo + 1));
}

void
sn_random_data(uint64_t *r, const SnType *t, const SnShape *s, void *data)
{
    int64_t n = sn_shape_count(s);
    bool all = n >= 256 && (t->elem == SN_QI8 || t->elem == SN_I8);
    uint64_t odd = all ? sn_random_next(r) | 1 : 0, off = odd >> 32;

    for (int64_t i = 0; i < 256 && all; i++) /* every code */
        ((int8_t *)data)[i] = (int8_t)((uint64_t)i * odd + off);
    for (int64_t i = all ? 256 : 0; i < n; i++)
        switch (t->elem) {
        case SN_QI8:
        case SN_I8:
            ((int8_t *)data)[i] = (int8_t)draw_code(r, -128, 127);
            break;
        case SN_QI16:
            ((int16_t *)data)[i] = (int16_t)draw_code(r, -32768, 32767);
            break;
        case SN_QI32:
            ((int32_t *)data)[i] = (int32_t)draw_code(r, -3000, 3000);
            break;
        case SN_I32:
            ((int32_t *)data)[i] = (int32_t)draw_code(r, -9, 9);
            break;
        case SN_I64:
            ((int64_t *)data)[i] = draw_code(r, 0, 1);
            break;
        case SN_BOOL:
            ((bool *)data)[i] = sn_random_next(r) & 1;
            break;
        default:
            ((float *)data)[i] = (float)draw_code(r, -4000, 4000) / 1000.0f;
        }
}

/* ---- types ---- */

/* As a calibrator makes them, with corners: exact powers of two (ties), odd
 * and extreme zero points, scales far from the others. */
static const SnType *
draw_quant(Gen *p, SnElem e)
{
    double range = exp(uniform(p, log(0.05), log(30)));
    double lo = chance(p, 30) ? 0 : -range * uniform(p, 0, 1);
    int64_t steps = sn_elem_hi(e) - sn_elem_lo(e);
    float scale = (float)(range / (double)steps);
    int64_t zp = sn_elem_lo(e) + (int64_t)rint(-lo / (double)scale);

    if (chance(p, 25))
        scale = (float)exp2((double)pick(p, -8, 2));
    if (chance(p, 20))
        zp = chance(p, 50) ? pick(p, -9, 9)
                           : (chance(p, 50) ? sn_elem_lo(e) : sn_elem_hi(e));
    if (chance(p, 3))
        scale = (float)exp2((double)pick(p, -20, 20));
    if (e == SN_QI32)
        zp = 0;
    zp = zp < sn_elem_lo(e) ? sn_elem_lo(e) : zp;
    zp = zp > sn_elem_hi(e) ? sn_elem_hi(e) : zp;
    return sn_type_quant(p->g->pool, e, scale, (int32_t)zp);
}

static const SnType *
quant_type(Gen *p, SnElem e)
{
    if (e == SN_QI8 && chance(p, 85))
        return p->q8[pick(p, 0, NTYPE - 1)];
    if (e == SN_QI16 && chance(p, 85))
        return p->q16[pick(p, 0, 1)];
    return draw_quant(p, e);
}

/* A type that fits the pattern for a value of shape s; NULL: none does. */
static const SnType *
fitting_type(Gen *p, SnTypePat pat, const SnShape *s)
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
        const SnType *t = draw_quant(p, e);
        scale[i] = t->scale[0];
        zp[i] = chance(p, 70) ? 0 : t->zp[0];
    }
    return sn_type_axis(p->g->pool, e, pat.axis, n, scale, zp);
}

static bool
fits(const SnType *t, SnTypePat pat)
{
    return t && pat.elem == (int8_t)t->elem && pat.axis == t->axis;
}

/* ---- adding ---- */

static SnRef
keep(Gen *p, SnRef v)
{
    if (v && p->nvalue < MAXVALUE)
        p->value[p->nvalue++] = v;
    return v;
}

static SnRef
source(Gen *p, const SnType *t, const SnShape *s, bool constant)
{
    SnSpec sp = {.kind = constant ? SN_K_CONSTANT : SN_K_PLACEHOLDER,
                 .name = constant ? "c" : "x",
                 .type = &t,
                 .shape = s};
    const char *why;

    if (!t || !s)
        return 0;
    void *data = sn_alloc(p->a, sn_tensor_nbyte(t, s) + 1);
    sn_random_data(&p->r, t, s, data);
    sp.data = data;
    SnId id = sn_try_add(p->g, &sp, &why);
    return id ? SN_REF(id, 0) : 0;
}

static const SnShape *
image(Gen *p)
{
    static const int order[][4] = {{4, 0, 1, 2}, {2, 0, 2, 0}, {1, 2, 0, 0}};
    int64_t d[4] = {1, p->img[1], p->img[2], p->img[3]};

    if (chance(p, 70))
        return sn_shape(p->g->pool, 4, d);
    const int *o = order[pick(p, 1, 2)];
    int64_t e[2] = {p->img[o[1] + 1], p->img[3]};
    return sn_shape(p->g->pool, o[0], e);
}

static bool
flag(Gen *p)
{
    return p->calibrated == 2 || (p->calibrated == 1 && chance(p, 50));
}

static bool
fact_of(const SnKindDesc *d, SnFact f)
{
    for (uint32_t i = 0; i < d->nin; i++)
        if (d->in[i].fact == f)
            return true;
    return false;
}

static SnRange
draw_clamp(Gen *p, const SnType *t)
{
    SnRange r = {0};

    if (!t || chance(p, 55))
        return r;
    double lo = t->nq ? (double)sn_elem_lo(t->elem) : -3;
    double hi = t->nq ? (double)sn_elem_hi(t->elem) : 3;
    double x = rint(uniform(p, lo, hi)), y = rint(uniform(p, lo, hi));
    r.has_lo = chance(p, 60);
    r.has_hi = chance(p, 60);
    if (r.has_lo)
        r.lo = chance(p, 15) ? lo : r.has_hi ? fmin(x, y) : x;
    if (r.has_hi)
        r.hi = chance(p, 15) ? hi : r.has_lo ? fmax(x, y) : y;
    return r;
}

/* A conversion of v (class `convert`) to a type that fits, or 0. */
static SnRef
convert(Gen *p, SnRef v, SnTypePat want, const SnType *to)
{
    const SnType *from = sn_type(p->g, v);

    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc(k);
        if (!d->sem || d->sem[0].cls != SN_C_CONVERT)
            continue;
        for (uint16_t i = 0; i < d->ntuple; i++) {
            const SnTuple *t = &d->tuple[i];
            if (!fits(from, t->in[0]) || t->out[0].elem != want.elem ||
                t->out[0].axis != want.axis)
                continue;
            const SnType *ty =
                to ? to : fitting_type(p, want, sn_shape_of(p->g, v));
            void *attr = d->nattr ? sn_attr_new(p->a, d) : NULL;
            if (d->clamp >= 0)
                *(SnRange *)sn_attr_at(attr, &d->attr[d->clamp]) =
                    draw_clamp(p, ty);
            SnSpec s = {.kind = k, .nin = 1, .in = &v, .attr = attr,
                        .type = &ty, .calibrated = flag(p)};
            const char *why;
            SnId id = ty ? sn_try_add(p->g, &s, &why) : 0;
            return id ? keep(p, SN_REF(id, 0)) : 0;
        }
    }
    return 0;
}

/* ---- operands ---- */

/* A value of that pattern, if any, preferring recent ones and one of shape
 * like. */
static SnRef
existing(Gen *p, SnTypePat pat, int rank, const SnShape *like,
         const SnType *type)
{
    for (int i = 0; i < 3 * NTRY && p->nvalue; i++) {
        int64_t n = p->nvalue, back = pick(p, 0, n - 1);
        if (chance(p, 60))
            back = pick(p, 0, back);
        SnRef v = p->value[n - 1 - back];
        if (!fits(sn_type(p->g, v), pat) ||
            (type && sn_type(p->g, v) != type) ||
            (rank >= 0 && sn_shape_of(p->g, v)->rank != rank) ||
            (like && sn_shape_of(p->g, v) != like))
            continue;
        return v;
    }
    return 0;
}

/* A value of that pattern: one that is there, one converted to it, an input.
 * NULL type: any. */
static SnRef
operand(Gen *p, SnTypePat pat, int rank, const SnShape *like,
        const SnType *type)
{
    static const SnTypePat from[] = {{SN_QI8, -1}, {SN_QI16, -1}, {SN_F32, -1}};
    int fresh = p->o->flavour == SN_RANDOM_CODES ? 45 : 75;
    SnTypePat f32 = {SN_F32, -1};
    bool able = pat.elem == SN_QI8 || pat.elem == SN_QI16 ||
                (pat.elem == SN_F32 && p->o->flavour == SN_RANDOM_QDQ);
    SnRef v = 0;

    if (!able || pat.axis >= 0 || !chance(p, fresh))
        v = existing(p, pat, rank, like, type);
    if (v)
        return v;
    if (able && pat.axis < 0) {
        SnTypePat src = from[pat.elem == SN_F32 ? 0 : chance(p, 90) ? 0 : 1];
        if (p->o->flavour == SN_RANDOM_QDQ && pat.elem != SN_F32 &&
            chance(p, 60))
            src = f32;
        v = existing(p, src, rank, like, NULL);
        if (v && (!type || sn_type(p->g, v) != type))
            v = convert(p, v, pat, type);
        if (v && fits(sn_type(p->g, v), pat))
            return v;
    }
    const SnShape *s = like ? like : image(p);
    if (rank >= 0 && s->rank != rank) {
        int64_t d[4] = {1, p->img[1], p->img[2], p->img[3]};
        s = sn_shape(p->g->pool, rank, rank <= 4 ? d + 4 - rank : d);
    }
    if (!s)
        return 0;
    bool constant = chance(p, 15);
    return keep(p, source(p, type ? type : fitting_type(p, pat, s), s,
                          constant));
}

/* The position of a port among its map's arguments, or -1. */
static int
arg_of(const SnSem *s, uint32_t port)
{
    for (uint8_t i = 0; i < s->narg; i++)
        if (s->arg[i].kind == SN_ARG_PORT && (uint32_t)s->arg[i].v == port)
            return i;
    return -1;
}

static const SnShape *
shape_of2(Gen *p, int64_t d0, int64_t d1)
{
    int64_t d[2] = {d0, d1};

    return sn_shape(p->g->pool, 2, d);
}

/* The shape that argument `arg` > 0 of a map wants beside operand x; NULL:
 * any, *fresh: better a source of its own. */
static const SnShape *
side_shape(Gen *p, const SnSem *s, const SnShape *x, bool *fresh)
{
    int64_t last = x->rank ? x->dim[x->rank - 1] : 1;
    int64_t d[SN_MAXRANK] = {1, 1, 1, 1, 1, 1, 1, 1};

    *fresh = true;
    switch (s->map) {
    case SN_MAP_CONV:
    case SN_MAP_CONV_TRANSPOSE:
        d[0] = pick(p, 1, 4);
        d[1] = pick(p, 1, 2);
        d[2] = pick(p, 1, 2);
        d[3] = chance(p, 75) ? last : (last + 1) / 2;
        return sn_shape(p->g->pool, 4, d);
    case SN_MAP_MATMUL:
        return chance(p, 50) ? shape_of2(p, pick(p, 1, 4), last)
                             : shape_of2(p, last, pick(p, 1, 4));
    case SN_MAP_BROADCAST:
        if (chance(p, 55)) {
            *fresh = chance(p, 20);
            return x;
        }
        d[0] = chance(p, 60) ? last : 1;
        return sn_shape(p->g->pool, 1, d);
    case SN_MAP_TABLE:
        d[0] = 256;
        return sn_shape(p->g->pool, 1, d);
    case SN_MAP_GATHER:
        d[0] = pick(p, 1, 3);
        return sn_shape(p->g->pool, 1, d);
    case SN_MAP_CONCAT:
        *fresh = chance(p, 10);
        return x;
    default:
        *fresh = false;
        return NULL;
    }
}

static int
rank_wanted(const SnSem *s)
{
    switch (s->map) {
    case SN_MAP_CONV:
    case SN_MAP_CONV_TRANSPOSE:
    case SN_MAP_POOL:
    case SN_MAP_BLOCK:
        return 4;
    case SN_MAP_MATMUL:
        return 2;
    default:
        return -1;
    }
}

/* ---- attributes ---- */

static int64_t *
numbers(Gen *p, SnInts *v, uint32_t n)
{
    int64_t *w = SN_NEW_N(p->a, int64_t, n + 1);

    *v = (SnInts){n, w};
    return w;
}

static void
draw_perm(Gen *p, SnInts *v, int rank)
{
    int64_t *w = numbers(p, v, (uint32_t)rank);

    for (int i = 0; i < rank; i++)
        w[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int64_t k = pick(p, 0, i), t = w[i];
        w[i] = w[k];
        w[k] = t;
    }
}

static void
draw_dims(Gen *p, SnInts *v, const SnShape *x)
{
    int64_t n = sn_shape_count(x), last = x->rank ? x->dim[x->rank - 1] : 1;
    int64_t *w;

    switch (pick(p, 0, 3)) {
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

/* A list that argument `arg` of map m wants for an operand of shape x. */
static void
draw_ints(Gen *p, const SnSem *s, int arg, const SnShape *x, SnInts *v)
{
    uint32_t rank = (uint32_t)x->rank;
    int64_t *w;

    switch (s->map) {
    case SN_MAP_PERMUTE:
        draw_perm(p, v, x->rank);
        return;
    case SN_MAP_RESHAPE:
        draw_dims(p, v, x);
        return;
    case SN_MAP_FLIP:
    case SN_MAP_REDUCE:
        w = numbers(p, v, rank ? 1 : 0);
        if (rank)
            w[0] = pick(p, 0, (int64_t)rank - 1);
        return;
    case SN_MAP_PAD:
        w = numbers(p, v, 2 * rank);
        for (uint32_t i = 0; i < 2 * rank; i++)
            w[i] = chance(p, 65) ? 0 : pick(p, -1, 2);
        return;
    default:
        break;
    }
    w = numbers(p, v, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t d = x->dim[i];
        if (s->map == SN_MAP_SLICE)
            w[i] = arg == 1 ? (chance(p, 60) ? 0 : pick(p, 0, d - 1))
                   : arg == 2 ? (chance(p, 50) ? d : pick(p, 1, d))
                              : (chance(p, 85) ? 1 : 2);
        else if (s->map == SN_MAP_TILE)
            w[i] = chance(p, 70) ? 1 : 2;
        else if (s->map == SN_MAP_NEAREST)
            w[i] = i == 0 || i == 3 || chance(p, 40) ? d : 2 * d;
        else
            w[i] = d;
    }
}

static void
draw_fixed(Gen *p, SnInts *v, uint32_t n)
{
    int64_t *w = numbers(p, v, n);
    bool plain = chance(p, 60);

    for (uint32_t i = 0; i < n; i++)
        w[i] = n == 4 ? (plain ? 0 : pick(p, 0, 1))
                      : (plain ? 1 : pick(p, 1, 2));
}

static void
draw_attr(Gen *p, const SnKindDesc *d, const SnAttrDesc *at, void *attr,
          const SnShape *x)
{
    const SnSem *s = &d->sem[0];
    int arg = -1;
    void *v = sn_attr_at(attr, at);

    for (uint8_t i = 0; i < s->narg; i++)
        if (s->arg[i].kind == SN_ARG_ATTR && &d->attr[s->arg[i].v] == at)
            arg = i;
    bool defaulted = at->has_default && chance(p, 60);
    switch (at->kind) {
    case SN_A_INT:
        if (!defaulted)
            *(int64_t *)v = arg >= 0 ? pick(p, -1, 4) : 0;
        break;
    case SN_A_REAL:
        /* Not far from a default, and of its sign: constants of a formula. */
        if (!defaulted && at->has_default && *(float *)v != 0)
            *(float *)v *= (float)exp2((double)pick(p, -2, 2));
        else if (!defaulted)
            *(float *)v = (float)(rint(uniform(p, -24, 24)) / 8);
        break;
    case SN_A_BOOL:
        *(bool *)v = chance(p, 35);
        break;
    case SN_A_ENUM:
        while (!defaulted && at->words[*(int32_t *)v + 1] && chance(p, 50))
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
            w[i] = i == 0 || i == 3 ? 1 : chance(p, 50) ? 1 : 2;
        *(SnReals *)v = (SnReals){n, w};
        break;
    }
    default:
        break; /* strings and ranges keep theirs here */
    }
}

/* ---- nodes ---- */

typedef struct Draft {
    const SnKindDesc *d;
    const SnTuple *t;
    SnRef in[64];
    uint32_t nin;
    const SnType *group; /* of the `same` ports */
    const SnType *by_port[32];
} Draft;

static SnRef
pinned_operand(Gen *p, Draft *f, const SnPortDesc *pd, SnTypePat pat,
               const SnShape *w)
{
    for (uint8_t i = 0; i < pd->npin; i++)
        if (!f->by_port[pd->pin[i]] || !w->rank)
            return 0;
    const SnType *t =
        sn_elem_quant((SnElem)pat.elem)
            ? (f->by_port[pd->pin[0]]->nq
                   ? sn_pinned_type(p->g, pd, f->by_port)
                   : NULL)
            : sn_type_plain(p->g->pool, (SnElem)pat.elem);
    const SnShape *s = sn_shape(p->g->pool, 1, w->dim);
    SnRef old = t && chance(p, 40) ? existing(p, pat, 1, s, t) : 0;
    return old ? old : keep(p, source(p, t, s, !chance(p, 8)));
}

static SnRef
draw_operand(Gen *p, Draft *f, uint32_t port, const SnShape **x,
             const SnShape **w)
{
    const SnKindDesc *d = f->d;
    const SnPortDesc *pd = &d->in[port];
    const SnSem *s = &d->sem[0];
    SnTypePat pat = f->t->in[port];
    int arg = arg_of(s, port);
    const SnType *type = pd->fact == SN_SAME ? f->group : NULL;
    bool fresh = false;
    SnRef v;

    if (pd->optional && chance(p, 40))
        return 0;
    if (pd->fact == SN_PIN)
        return *w ? pinned_operand(p, f, pd, pat, *w) : 0;
    if (pd->fact == SN_FIXED && sn_elem_quant((SnElem)pat.elem))
        type = sn_type_quant(p->g->pool, (SnElem)pat.elem, pd->fixed_scale,
                             pd->fixed_zp);
    if (!*x) {
        v = operand(p, pat, rank_wanted(s), NULL, type);
        *x = v ? sn_shape_of(p->g, v) : NULL;
        return v;
    }
    const SnShape *sh = arg ? side_shape(p, s, *x, &fresh) : NULL;
    if (arg < 0)
        sh = sn_shape(p->g->pool, 1, &(*x)->dim[(*x)->rank - 1]);
    if (sh && (fresh || pat.axis >= 0)) {
        if (!type)
            type = fitting_type(p, pat, sh);
        v = chance(p, 40) ? existing(p, pat, -1, sh, type) : 0;
        if (!v)
            v = keep(p, source(p, type, sh, chance(p, 80)));
        if (v && pat.elem == SN_QI8 && pat.axis < 0 && pd->fact == SN_FREE &&
            chance(p, 40))
            v = convert(p, v, pat, NULL);
        if (v && pat.elem == SN_F32 && p->o->flavour == SN_RANDOM_QDQ &&
            chance(p, 50)) {
            SnRef q = convert(p, v, (SnTypePat){SN_QI8, -1}, NULL);
            v = q ? convert(p, q, pat, NULL) : v;
        }
    } else {
        v = operand(p, pat, -1, sh, type);
    }
    if (v && !*w)
        *w = sn_shape_of(p->g, v);
    return v;
}

static bool
draw_operands(Gen *p, Draft *f, const SnShape **x)
{
    const SnShape *w = NULL;

    for (uint32_t i = 0; i < f->d->nin; i++) {
        const SnPortDesc *pd = &f->d->in[i];
        if (f->t->in[i].elem < 0) {
            f->in[f->nin++] = 0;
            continue;
        }
        int64_t n = pd->variadic ? pick(p, 1, 3) : 1;
        for (int64_t k = 0; k < n; k++) {
            SnRef v = k && chance(p, 15) ? f->in[f->nin - 1]
                                         : draw_operand(p, f, i, x, &w);
            if (!v && !pd->optional)
                return false;
            if (v && !fits(sn_type(p->g, v), f->t->in[i]))
                return false;
            if (v && i < 32)
                f->by_port[i] = sn_type(p->g, v);
            if (v && pd->fact == SN_SAME && !f->group)
                f->group = sn_type(p->g, v);
            f->in[f->nin++] = v;
        }
    }
    return true;
}

static const SnType *
result_type(Gen *p, const Draft *f, uint32_t k)
{
    const SnPortDesc *pd = &f->d->out[k];
    SnTypePat pat = f->t->out[k];

    if (pat.elem < 0)
        return NULL;
    if (pd->fact == SN_SAME && f->group)
        return f->group;
    if (pd->fact == SN_FIXED && sn_elem_quant((SnElem)pat.elem))
        return sn_type_quant(p->g->pool, (SnElem)pat.elem, pd->fixed_scale,
                             pd->fixed_zp);
    return fitting_type(p, pat, image(p));
}

/* Tries to add one node of that kind and tuple; 0 when the draw is illegal. */
static SnId
draw_node(Gen *p, SnKind kind, const SnTuple *t)
{
    Draft f = {.d = sn_desc(kind), .t = t};
    const SnShape *x = NULL;
    const SnType *out[SN_MAXRES] = {0};
    const char *why;

    if (!draw_operands(p, &f, &x))
        return 0;
    for (uint32_t k = 0; k < f.d->nout; k++)
        out[k] = result_type(p, &f, k);
    if (!x)
        x = image(p);
    for (int i = 0; i < NTRY; i++) {
        void *attr = f.d->nattr ? sn_attr_new(p->a, f.d) : NULL;
        for (uint16_t k = 0; k < f.d->nattr; k++)
            draw_attr(p, f.d, &f.d->attr[k], attr, x);
        if (f.d->clamp >= 0)
            *(SnRange *)sn_attr_at(attr, &f.d->attr[f.d->clamp]) =
                draw_clamp(p, out[0]);
        SnSpec s = {.kind = kind, .nin = f.nin, .in = f.in, .attr = attr,
                    .type = out,
                    .calibrated = fact_of(f.d, SN_FACT_NONE) ? false
                                                             : flag(p)};
        SnId id = sn_try_add(p->g, &s, &why);
        if (!id)
            continue;
        if (sn_verify(p->g, sn_diag_new(p->a)) == SN_OK &&
            sn_shape_count(sn_node(p->g, id)->res[0].shape) <= 600)
            return id;
        sn_remove(p->g, id);
    }
    return 0;
}

static bool
wanted_tuple(Gen *p, const SnTuple *t)
{
    if (!t->eval)
        return false;
    if (p->o->flavour == SN_RANDOM_CODES)
        return t->quant || chance(p, 6);
    return !t->quant || chance(p, 4);
}

/* A value of a kind that has no quantized tuple at all keeps float passes
 * busy, but would cut a graph of codes into pieces. */
static void
draw_step(Gen *p)
{
    SnKind k = p->kind[pick(p, 0, p->nkind - 1)];
    const SnKindDesc *d = sn_desc(k);
    const SnTuple *t = &d->tuple[pick(p, 0, d->ntuple - 1)];

    if (!wanted_tuple(p, t))
        return;
    SnId id = draw_node(p, k, t);
    if (!id)
        return;
    SnRef y = keep(p, SN_REF(id, 0));
    if (sn_node(p->g, id)->nres > 1 && chance(p, 15))
        keep(p, SN_REF(id, 1));
    if (p->o->flavour != SN_RANDOM_QDQ || sn_type(p->g, y)->elem != SN_F32)
        return;
    /* What a quantizer places below, sometimes twice. */
    const SnPortDesc *o = &d->out[0];
    const SnType *to = NULL;
    if (o->fact == SN_FIXED && chance(p, 85))
        to = sn_type_quant(p->g->pool, SN_QI8, o->fixed_scale, o->fixed_zp);
    SnTypePat q8 = {chance(p, 88) || to ? SN_QI8 : SN_QI16, -1};
    if (chance(p, 80))
        convert(p, y, q8, to);
    if (chance(p, 12))
        convert(p, y, q8, NULL);
}

static void
draw_conversion(Gen *p)
{
    static const int8_t to[] = {SN_QI8, SN_QI8, SN_QI8, SN_QI8, SN_QI8,
                                SN_QI16, SN_F32};
    SnTypePat want = {to[pick(p, 0, 6)], -1};
    int64_t n = p->nvalue;

    if (n == 0)
        return;
    SnRef v = p->value[n - 1 - pick(p, 0, pick(p, 0, n - 1))];
    convert(p, v, want, NULL);
}

/* ---- graphs ---- */

static bool
usable(const SnKindDesc *d, const char *backend)
{
    if (d->effect || !d->sem || d->sem[0].cls == SN_C_OPAQUE ||
        d->sem[0].cls == SN_C_SOURCE || d->sem[0].cls == SN_C_CONVERT ||
        d->nout == 0 || d->ntuple == 0)
        return false;
    if (d->backend && (!backend || strcmp(d->backend, backend)))
        return false;
    for (uint16_t i = 0; i < d->ntuple; i++)
        if (d->tuple[i].eval)
            return true;
    return false;
}

static void
add_outputs(Gen *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->nvalue; i++) {
        SnRef v = p->value[i];
        SnNode *m = sn_def(p->g, v);
        if (!sn_type(p->g, v) || m->data || sn_desc(m->kind)->effect ||
            (sn_nuse(p->g, v) && !chance(p, 6)))
            continue;
        SnSaveAttr at = {.name = sn_format(p->a, "out%u", n++)};
        sn_save_new(p->g, NULL, v, &at);
    }
    if (n == 0 && p->nvalue) {
        SnSaveAttr at = {.name = "out0"};
        sn_save_new(p->g, NULL, p->value[0], &at);
    }
}

SnGraph *
sn_random_graph(SnArena *a, const SnRandomOpts *o)
{
    Gen *p = SN_NEW(a, Gen);
    uint32_t made = 0;

    p->a = a;
    p->g = sn_graph_new(a, "random");
    p->d = sn_diag_new(a);
    p->r = o->seed * 0x2545f4914f6cdd1du + (uint64_t)o->flavour;
    p->o = o;
    for (SnKind k = 1; k < sn_kind_end(); k++)
        if (usable(sn_desc(k), o->backend))
            SN_PUSH(a, p->kind, p->nkind, k);
    for (int i = 0; i < NTYPE; i++)
        p->q8[i] = draw_quant(p, SN_QI8);
    for (int i = 0; i < 2; i++)
        p->q16[i] = draw_quant(p, SN_QI16);
    for (int i = 1; i < 4; i++)
        p->img[i] = pick(p, 1, 4);
    p->calibrated = (int)pick(p, 0, 2);
    for (uint32_t i = 0; made < o->nnode && i < 12 * o->nnode; i++) {
        uint32_t before = p->nvalue;
        if (o->flavour == SN_RANDOM_CODES && chance(p, 20))
            draw_conversion(p);
        else
            draw_step(p);
        made += p->nvalue > before;
    }
    add_outputs(p);
    sn_dce(p->g);
    return p->g;
}
