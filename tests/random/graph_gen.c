// SPDX-License-Identifier: Apache-2.0
/* A node is made by drawing a kind, one of its tuples, operands that fit the
 * tuple and attributes, and asking the graph whether it may be added; most
 * draws are guided by the map of the kind's meaning, the rest by retrying. */
#include "random/gen_priv.h"

#include <string.h>

#include "rewrite/rewrite.h"
#include "sn_kinds.h"

/* ---- adding ---- */

static SnRef
keep(SnGen *p, SnRef v)
{
    if (v && p->nvalue < MAXVALUE)
        p->value[p->nvalue++] = v;
    return v;
}

static SnRef
source(SnGen *p, const SnType *t, const SnShape *s, bool constant)
{
    SnSpec sp = {.kind = constant ? SN_K_CONSTANT : SN_K_PLACEHOLDER,
                 .name = constant ? "c" : "x",
                 .type = &t,
                 .shape = s};
    const char *why;

    if (!t || !s)
        return 0;
    void *data = sn_alloc(p->a, sn_tensor_nbyte(t, s) + 1);
    sn_gen_data(p, t, s, data);
    sp.data = data;
    SnId id = sn_try_add(p->g, &sp, &why);
    return id ? SN_REF(id, 0) : 0;
}

/* Up to six axes, all short. */
static const SnShape *
any_rank(SnGen *p)
{
    int64_t d[6];
    int rank = (int)sn_gen_pick(p, 0, 6);

    for (int i = 0; i < rank; i++)
        d[i] = sn_gen_pick(p, sn_gen_chance(p, 5) ? 0 : 1, 4);
    return sn_shape(p->g->pool, rank, d);
}

static const SnShape *
image(SnGen *p)
{
    static const int order[][4] = {{4, 0, 1, 2}, {2, 0, 2, 0}, {1, 2, 0, 0}};
    int64_t d[4] = {p->img[0], p->img[1], p->img[2], p->img[3]};

    if (p->o->map && sn_gen_chance(p, 30))
        return any_rank(p);
    if (sn_gen_chance(p, 70))
        return sn_shape(p->g->pool, 4, d);
    if (sn_gen_chance(p, 15))
        return sn_gen_narrow(p, sn_shape(p->g->pool, 4, d));
    const int *o = order[sn_gen_pick(p, 1, 2)];
    int64_t e[2] = {p->img[o[1] + 1], p->img[3]};
    return sn_shape(p->g->pool, o[0], e);
}

static bool
flag(SnGen *p)
{
    return p->calibrated == 2 || (p->calibrated == 1 && sn_gen_chance(p, 50));
}

static bool
fact_of(const SnKindDesc *d, SnFact f)
{
    for (uint32_t i = 0; i < d->nin; i++)
        if (d->in[i].fact == f)
            return true;
    return false;
}

/* A conversion of v (class `convert`) to a type that fits, or 0. */
static SnRef
convert(SnGen *p, SnRef v, SnTypePat want, const SnType *to)
{
    const SnType *from = sn_type(p->g, v);

    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc(k);
        if (!d->sem || d->sem[0].cls != SN_C_CONVERT)
            continue;
        for (uint16_t i = 0; i < d->ntuple; i++) {
            const SnTuple *t = &d->tuple[i];
            if (!sn_gen_fits(from, t->in[0]) || t->out[0].elem != want.elem ||
                t->out[0].axis != want.axis)
                continue;
            const SnType *ty =
                to ? to : sn_gen_type(p, want, sn_shape_of(p->g, v));
            void *attr = d->nattr ? sn_attr_new(p->a, d) : NULL;
            if (d->clamp >= 0)
                *(SnRange *)sn_attr_at(attr, &d->attr[d->clamp]) =
                    sn_gen_clamp(p, ty);
            SnSpec s = {.kind = k,
                        .nin = 1,
                        .in = &v,
                        .attr = attr,
                        .type = &ty,
                        .calibrated = flag(p)};
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
existing(SnGen *p, SnTypePat pat, int rank, const SnShape *like,
         const SnType *type)
{
    for (int i = 0; i < 3 * NTRY && p->nvalue; i++) {
        int64_t n = p->nvalue, back = sn_gen_pick(p, 0, n - 1);
        if (sn_gen_chance(p, 60))
            back = sn_gen_pick(p, 0, back);
        SnRef v = p->value[n - 1 - back];
        if (!sn_gen_fits(sn_type(p->g, v), pat) ||
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
operand(SnGen *p, SnTypePat pat, int rank, const SnShape *like,
        const SnType *type)
{
    static const SnTypePat from[] = {{SN_QI8, -1}, {SN_QI16, -1}, {SN_F32, -1}};
    int fresh = p->o->flavour == SN_RANDOM_CODES ? 45 : 75;
    SnTypePat f32 = {SN_F32, -1};
    bool able = pat.elem == SN_QI8 || pat.elem == SN_QI16 ||
                (pat.elem == SN_F32 && p->o->flavour == SN_RANDOM_QDQ);
    SnRef v = 0;

    if (!able || pat.axis >= 0 || !sn_gen_chance(p, fresh))
        v = existing(p, pat, rank, like, type);
    if (v)
        return v;
    if (able && pat.axis < 0) {
        bool first = pat.elem == SN_F32 || sn_gen_chance(p, 90);
        SnTypePat src = from[!first];
        if (p->o->flavour == SN_RANDOM_QDQ && pat.elem != SN_F32 &&
            sn_gen_chance(p, 60))
            src = f32;
        v = existing(p, src, rank, like, NULL);
        if (v && (!type || sn_type(p->g, v) != type))
            v = convert(p, v, pat, type);
        if (v && sn_gen_fits(sn_type(p->g, v), pat))
            return v;
    }
    const SnShape *s = like ? like : image(p);
    if (rank >= 0 && s->rank != rank) {
        int64_t d[4] = {p->img[0], p->img[1], p->img[2], p->img[3]};
        s = sn_shape(p->g->pool, rank, rank <= 4 ? d + 4 - rank : d);
    }
    if (!s)
        return 0;
    bool constant = p->o->map || sn_gen_chance(p, 15);
    return keep(p,
                source(p, type ? type : sn_gen_type(p, pat, s), s, constant));
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
shape_of2(SnGen *p, int64_t d0, int64_t d1)
{
    int64_t d[2] = {d0, d1};

    return sn_shape(p->g->pool, 2, d);
}

/* Beside x in a broadcast. */
static const SnShape *
beside_shape(SnGen *p, const SnShape *x, int64_t last, bool *fresh)
{
    int64_t d[1];

    if (sn_gen_chance(p, 45)) {
        *fresh = sn_gen_chance(p, 20);
        return x;
    }
    if (sn_gen_chance(p, 60))
        return sn_gen_narrow(p, x);
    d[0] = sn_gen_chance(p, 60) ? last : 1;
    return sn_shape(p->g->pool, 1, d);
}

/* The shape that argument `arg` > 0 of a map wants beside operand x; NULL:
 * any, *fresh: better a source of its own. */
static const SnShape *
side_shape(SnGen *p, const SnSem *s, const SnShape *x, bool *fresh)
{
    int64_t last = x->rank ? x->dim[x->rank - 1] : 1;
    int64_t d[SN_MAXRANK] = {1, 1, 1, 1, 1, 1, 1, 1};

    const SnMapDecl *m = s->decl;

    *fresh = true;
    if (m == &sn_map_decl_conv || m == &sn_map_decl_conv_transpose) {
        d[0] = sn_gen_chance(p, 15) ? last : sn_gen_size(p);
        d[1] = sn_gen_pick(p, 1, 3);
        d[2] = sn_gen_pick(p, 1, 3);
        d[3] = sn_gen_chance(p, 70)   ? last
               : sn_gen_chance(p, 50) ? 1
                                      : (last + 1) / 2;
        return sn_shape(p->g->pool, 4, d);
    }
    if (m == &sn_map_decl_matmul) {
        d[0] = p->img[0] == 0 && sn_gen_chance(p, 20) ? 0 : sn_gen_size(p);
        return sn_gen_chance(p, 50) ? shape_of2(p, d[0], last)
                                    : shape_of2(p, last, d[0]);
    }
    if (m == &sn_map_decl_broadcast)
        return beside_shape(p, x, last, fresh);
    if (m == &sn_map_decl_table || m == &sn_map_decl_gather) {
        d[0] = m == &sn_map_decl_table ? 256 : sn_gen_pick(p, 1, 3);
        return sn_shape(p->g->pool, 1, d);
    }
    if (p->o->map && (m == &sn_map_decl_bag || m == &sn_map_decl_bag_at)) {
        d[0] = sn_gen_pick(p, 1, 6);
        d[1] = sn_gen_pick(p, 0, 4);
        return sn_shape(p->g->pool, m == &sn_map_decl_bag ? 2 : 1, d);
    }
    *fresh = m == &sn_map_decl_concat && sn_gen_chance(p, 10);
    return m == &sn_map_decl_concat ? x : NULL;
}

/* The rank of a map's first operand, where its pattern or a list of fixed
 * length says it; of a product that of most. */
static int
rank_wanted(const SnKindDesc *d, const SnSem *s)
{
    const SnMapParam *x = s->decl->param;
    int rank = x->nitem, along = -1;

    if (s->decl == &sn_map_decl_matmul)
        return 2;
    if (x->kind != SN_MP_OPERAND)
        return -1;
    for (int i = 0; i < x->nitem; i++)
        if (x->item[i].kind != SN_MI_DIM) {
            if (x->item[i].kind != SN_MI_RUN || along >= 0)
                return -1;
            along = x->item[i].slot;
        }
    for (unsigned i = 0; i < s->narg && along >= 0; i++)
        if (s->arg[i].kind == SN_ARG_ATTR && i < s->decl->nparam &&
            s->decl->param[i].length == SN_ML_RUN &&
            s->decl->param[i].along == along && d->attr[s->arg[i].v].fixed)
            return rank - 1 + d->attr[s->arg[i].v].fixed;
    return along < 0 ? rank : -1;
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
pinned_operand(SnGen *p, Draft *f, const SnPortDesc *pd, SnTypePat pat,
               const SnShape *w)
{
    for (uint8_t i = 0; i < pd->npin; i++)
        if (!f->by_port[pd->pin[i]] || !w->rank)
            return 0;
    const SnType *t =
        sn_elem_quant((SnElem)pat.elem)
            ? (f->by_port[pd->pin[0]]->nq ? sn_pinned_type(p->g, pd, f->by_port)
                                          : NULL)
            : sn_type_plain(p->g->pool, (SnElem)pat.elem);
    const SnShape *s = sn_shape(p->g->pool, 1, w->dim);
    SnRef old = t && sn_gen_chance(p, 40) ? existing(p, pat, 1, s, t) : 0;
    return old ? old
               : keep(p, source(p, t, s, p->o->map || !sn_gen_chance(p, 8)));
}

static SnRef
draw_operand(SnGen *p, Draft *f, uint32_t port, const SnShape **x,
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

    if (pd->optional && sn_gen_chance(p, 40))
        return 0;
    if (pd->fact == SN_PIN)
        return *w ? pinned_operand(p, f, pd, pat, *w) : 0;
    if (pd->fact == SN_FIXED && sn_elem_quant((SnElem)pat.elem))
        type = sn_type_quant(p->g->pool, (SnElem)pat.elem, pd->fixed_scale,
                             pd->fixed_zp);
    if (!*x) {
        v = operand(p, pat, rank_wanted(d, s), NULL, type);
        *x = v ? sn_shape_of(p->g, v) : NULL;
        return v;
    }
    const SnShape *sh = arg ? side_shape(p, s, *x, &fresh) : NULL;
    if (arg < 0)
        sh = sn_shape(p->g->pool, 1, &(*x)->dim[(*x)->rank - 1]);
    if (sh && (fresh || pat.axis >= 0)) {
        if (!type)
            type = sn_gen_type(p, pat, sh);
        v = sn_gen_chance(p, 40) ? existing(p, pat, -1, sh, type) : 0;
        if (!v)
            v = keep(p, source(p, type, sh, p->o->map || sn_gen_chance(p, 80)));
        if (v && pat.elem == SN_QI8 && pat.axis < 0 && pd->fact == SN_FREE &&
            sn_gen_chance(p, 40))
            v = convert(p, v, pat, NULL);
        if (v && pat.elem == SN_F32 && p->o->flavour == SN_RANDOM_QDQ &&
            sn_gen_chance(p, 50)) {
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
draw_operands(SnGen *p, Draft *f, const SnShape **x)
{
    const SnShape *w = NULL;

    for (uint32_t i = 0; i < f->d->nin; i++) {
        const SnPortDesc *pd = &f->d->in[i];
        if (f->t->in[i].elem < 0) {
            f->in[f->nin++] = 0;
            continue;
        }
        int64_t n = pd->variadic ? sn_gen_pick(p, 1, 3) : 1;
        for (int64_t k = 0; k < n; k++) {
            SnRef v = k && sn_gen_chance(p, 15) ? f->in[f->nin - 1]
                                                : draw_operand(p, f, i, x, &w);
            if (!v && !pd->optional)
                return false;
            if (v && !sn_gen_fits(sn_type(p->g, v), f->t->in[i]))
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
result_type(SnGen *p, const Draft *f, uint32_t k)
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
    if (pat.axis < 0 && f->nin && f->in[0] && sn_gen_chance(p, 20)) {
        const SnType *x = sn_type(p->g, f->in[0]);
        if (x->nq == 1 && (int8_t)x->elem == pat.elem)
            return sn_gen_beside(p, x);
    }
    return sn_gen_type(p, pat, image(p));
}

/* Tries to add one node of that kind and tuple; 0 when the draw is illegal. */
static SnId
draw_node(SnGen *p, SnKind kind, const SnTuple *t)
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
            sn_gen_attr(p, f.d, &f.d->attr[k], attr, x);
        if (f.d->clamp >= 0)
            *(SnRange *)sn_attr_at(attr, &f.d->attr[f.d->clamp]) =
                sn_gen_clamp(p, out[0]);
        SnSpec s = {.kind = kind,
                    .nin = f.nin,
                    .in = f.in,
                    .attr = attr,
                    .type = out,
                    .calibrated = fact_of(f.d, SN_FACT_NONE) ? false : flag(p)};
        SnId id = sn_try_add(p->g, &s, &why);
        if (!id)
            continue;
        if (sn_verify(p->g, sn_diag_new(p->a)) == SN_OK &&
            sn_shape_count(sn_node(p->g, id)->res[0].shape) <= p->most)
            return id;
        sn_remove(p->g, id);
    }
    return 0;
}

static bool
wanted_tuple(SnGen *p, const SnTuple *t)
{
    if (!t->eval)
        return false;
    if (p->o->flavour == SN_RANDOM_CODES)
        return t->quant || sn_gen_chance(p, 6);
    return !t->quant || sn_gen_chance(p, 4);
}

/* A value of a kind that has no quantized tuple at all keeps float passes
 * busy, but would cut a graph of codes into pieces. */
static void
draw_step(SnGen *p)
{
    SnKind k = p->kind[sn_gen_pick(p, 0, p->nkind - 1)];
    const SnKindDesc *d = sn_desc(k);
    const SnTuple *t = &d->tuple[sn_gen_pick(p, 0, d->ntuple - 1)];

    if (!wanted_tuple(p, t) ||
        (p->most > MAXELEM && d->sem[0].cls != SN_C_POINT &&
         d->sem[0].cls != SN_C_MOVE))
        return; /* sums over large values take evaluators long */
    SnId id = draw_node(p, k, t);
    if (!id)
        return;
    SnRef y = keep(p, SN_REF(id, 0));
    if (sn_node(p->g, id)->nres > 1 && sn_gen_chance(p, 15))
        keep(p, SN_REF(id, 1));
    if (p->o->flavour != SN_RANDOM_QDQ || sn_type(p->g, y)->elem != SN_F32)
        return;
    /* What a quantizer places below, sometimes twice. */
    const SnPortDesc *o = &d->out[0];
    const SnType *to = NULL;
    if (o->fact == SN_FIXED && sn_gen_chance(p, 85))
        to = sn_type_quant(p->g->pool, SN_QI8, o->fixed_scale, o->fixed_zp);
    SnTypePat q8 = {sn_gen_chance(p, 88) || to ? SN_QI8 : SN_QI16, -1};
    if (sn_gen_chance(p, 80))
        convert(p, y, q8, to);
    if (sn_gen_chance(p, 12))
        convert(p, y, q8, NULL);
}

static void
draw_conversion(SnGen *p)
{
    static const int8_t to[] = {SN_QI8, SN_QI8,  SN_QI8, SN_QI8,
                                SN_QI8, SN_QI16, SN_F32};
    SnTypePat want = {to[sn_gen_pick(p, 0, 6)], -1};
    int64_t n = p->nvalue;

    if (n == 0)
        return;
    SnRef v = p->value[n - 1 - sn_gen_pick(p, 0, sn_gen_pick(p, 0, n - 1))];
    convert(p, v, want, NULL);
}

/* ---- graphs ---- */

static bool
usable(const SnKindDesc *d, const char *backend, const SnMapDecl *map)
{
    if (d->effect || !d->sem || d->sem[0].cls == SN_C_OPAQUE ||
        d->sem[0].cls == SN_C_SOURCE || d->sem[0].cls == SN_C_CONVERT ||
        d->nout == 0 || d->ntuple == 0)
        return false;
    if (d->backend && (!backend || strcmp(d->backend, backend)))
        return false;
    if (map && d->sem[0].decl != map)
        return false;
    for (uint16_t i = 0; i < d->ntuple; i++)
        if (d->tuple[i].eval)
            return true;
    return false;
}

static void
add_outputs(SnGen *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->nvalue; i++) {
        SnRef v = p->value[i];
        SnNode *m = sn_def(p->g, v);
        if (!sn_type(p->g, v) || m->data || sn_desc(m->kind)->effect ||
            (sn_nuse(p->g, v) && !sn_gen_chance(p, 6)))
            continue;
        SnSaveAttr at = {.name = sn_format(p->a, "out%u", n++)};
        sn_save_new(p->g, NULL, v, &at);
    }
    for (uint32_t i = 0; n == 0 && i < p->nvalue; i++) {
        SnSaveAttr at = {.name = "out0"};
        const SnType *t = sn_type(p->g, p->value[i]);
        if (!sn_tuple_find(sn_desc(SN_K_SAVE), 1, &t, 0, NULL))
            continue; /* a table of rows */
        sn_save_new(p->g, NULL, p->value[i], &at);
        n++;
    }
}

/* One dimension, sometimes two, may be about as wide as a vector; of every
 * twelfth graph one is 0; every 50th is so large that kernels cut what they do
 * element by element. */
static void
draw_image(SnGen *p)
{
    p->img[0] = sn_gen_chance(p, 15) ? 2 : 1;
    for (int i = 1; i < 4; i++)
        p->img[i] = sn_gen_pick(p, 1, 4);
    p->wide = sn_gen_chance(p, 45);
    if (p->wide && sn_gen_chance(p, 80))
        p->img[3] = sn_gen_size(p);
    else if (p->wide) {
        int64_t k = sn_gen_pick(p, 1, 2); /* drawn in this order */
        p->img[k] = sn_gen_size(p);
    }
    p->most = MAXELEM;
    if (!p->o->from && sn_gen_chance(p, 2)) {
        int64_t n = sn_gen_pick(p, UNIT, UNIT + UNIT / 2);
        p->img[2] = n / p->img[1] / p->img[3] + 1;
        p->most = 2 * UNIT + 600;
    }
    if (sn_gen_chance(p, 8))
        p->img[sn_gen_pick(p, 0, 3)] = 0;
}

SnGraph *
sn_random_graph(SnArena *a, const SnRandomOpts *o)
{
    SnGen *p = SN_NEW(a, SnGen);
    uint32_t made = 0, most;

    p->a = a;
    p->g = sn_graph_new(a, "random");
    p->d = sn_diag_new(a);
    p->r = o->seed * 0x2545f4914f6cdd1du + (uint64_t)o->flavour;
    p->o = o;
    for (SnKind k = 1; k < sn_kind_end(); k++)
        if (usable(sn_desc(k), o->backend, o->map))
            SN_PUSH(a, p->kind, p->nkind, k);
    for (int i = 0; i < NTYPE; i++)
        p->q8[i] = sn_gen_quant(p, SN_QI8);
    for (int i = 0; i < 2; i++)
        p->q16[i] = sn_gen_quant(p, SN_QI16);
    draw_image(p);
    p->calibrated = (int)sn_gen_pick(p, 0, 2);
    if (o->from)
        sn_gen_graft(p, o->from);
    most = p->most > MAXELEM && o->nnode > 3 ? 3 : o->nnode;
    for (uint32_t i = 0; made < most && i < 12 * most; i++) {
        uint32_t before = p->nvalue;
        if (o->flavour == SN_RANDOM_CODES && sn_gen_chance(p, 20))
            draw_conversion(p);
        else
            draw_step(p);
        made += p->nvalue > before;
    }
    add_outputs(p);
    sn_dce(p->g);
    return p->g;
}
