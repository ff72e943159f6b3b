// SPDX-License-Identifier: Apache-2.0
/* Nodes that run by kernels of the CPU backend, on a host: sums of two
 * operands, pools, LRN, quantization.  The node's text and map decide. */
#include <math.h>
#include <string.h>

#include "aot/program.h"
#include "aot/node/tile.h"
#include "map/facts.h"

/* ---- sums of two operands of 8 bits, element by element ---- */

static bool
is_sum(const SnProgram *p, const SnAotNode *n)
{
    const SnTensor *y = &n->call.out[0];
    const SnSem *s = &n->kd->sem[0];
    bool ok = p->o->target->isa != SN_ISA_PORTABLE && n->call.nin == 2 &&
              n->call.nout == 1 && n->tuple->eval && s->decl &&
              s->cls == SN_C_POINT && sn_map_in_place(s->decl) &&
              y->type->elem == SN_QI8 && sn_type_per_tensor(y->type);

    for (int i = 0; i < 2 && ok; i++) {
        const SnTensor *x = &n->call.in[i];
        ok = x->type && x->type->elem == SN_QI8 &&
             sn_type_per_tensor(x->type) && sn_shape_equal(x->shape, y->shape);
    }
    return ok;
}

/* The evaluator's results for all pairs, [a][b]; NULL: it has none. */
static const int8_t *
all_pairs(const SnAotNode *n, SnArena *tmp)
{
    int8_t *a = sn_alloc(tmp, 65536), *b = sn_alloc(tmp, 65536);
    SnShape shape = {1, {65536}};
    SnTensor in[2] = {n->call.in[0], n->call.in[1]}, out = n->call.out[0];
    SnCall c = n->call;

    for (int i = 0; i < 65536; i++) {
        a[i] = (int8_t)(i / 256 - 128);
        b[i] = (int8_t)(i % 256 - 128);
    }
    in[0].shape = in[1].shape = out.shape = &shape;
    in[0].data = a;
    in[1].data = b;
    out.data = sn_alloc(tmp, 65536);
    c.in = in;
    c.out = &out;
    c.scratch = tmp;
    return n->tuple->eval(&c) == SN_OK ? out.data : NULL;
}

/* With the sign of b; all pairs decide whether the zero point is added before
 * or after rounding, and what the sum is. */
static bool
fits(const SnAotNode *n, const int8_t *t, int sign, SnSum8 *s)
{
    const SnType *a = n->call.in[0].type, *b = n->call.in[1].type;
    const SnType *y = n->call.out[0].type;
    float ra = a->scale[0] / y->scale[0];
    float rb = (float)sign * (b->scale[0] / y->scale[0]);
    float f = -fmaf(ra, (float)a->zp[0], rb * (float)b->zp[0]);
    int8_t lo = t[0], hi = t[0];

    for (int i = 0; i < 65536; i++) {
        lo = t[i] < lo ? t[i] : lo;
        hi = t[i] > hi ? t[i] : hi;
    }
    *s = (SnSum8){ra, rb, f, y->zp[0], lo, hi, false};
    if (sn_tuned_sum(s, t))
        return true;
    *s = (SnSum8){ra, rb, f + (float)y->zp[0], 0, lo, hi, false};
    return sn_tuned_sum(s, t);
}

bool
sn_aot_host_sum(SnProgram *p, SnAotNode *n)
{
    SnSum8 s;

    if (!is_sum(p, n))
        return false;
    SnArena *tmp = sn_arena_new();
    const int8_t *t = all_pairs(n, tmp);
    bool ok = t && (fits(n, t, 1, &s) || fits(n, t, -1, &s));
    sn_arena_free(tmp);
    if (!ok)
        return false;
    p->use.part[SN_TUNED_SUM] = true;
    sn_aot_line(n, "const SnSum8 sum = {%s, %s, %s, %d, %d, %d, %s};",
                sn_aot_float(n->a, s.ra), sn_aot_float(n->a, s.rb),
                sn_aot_float(n->a, s.f), (int)s.z, s.lo, s.hi,
                s.swap ? "true" : "false");
    sn_aot_line(n, "sn_sum8_by(%s, &sum, %s, %s, %lld, %s);",
                sn_tuned_name(n->a, p->o->target->isa, SN_TUNED_SUM),
                sn_aot_operand(n, 0), sn_aot_operand(n, 1),
                (long long)sn_shape_count(n->call.out[0].shape),
                sn_aot_result(n, 0));
    return true;
}

/* ---- pools and LRN ----
 * By the lines of a text that hold, and where its map reads. */

static const char *const max_lines[] = {
    "@sets",
    "int64_t r0 = 0;",
    "int64_t r0_k = 0;",
    "@taps",
    "const int8_t v_x = x_in[@i0];",
    "const int64_t v = v_x;",
    "r0 = r0_k == 0 ? v : sn_int_max(r0, v);",
    "r0_k++;",
    "@end",
    "@each",
    "y_out[@o] = (int8_t)r0;",
    "@end",
    "@end",
    NULL,
};

static const char *const avg_lines[] = {
    "@def y_z zp o0",
    "@def y_lim lim o0 clamp",
    "@def y_s scale o0",
    "@def x_s scale i0",
    "@def x_z zp i0",
    "@sets",
    "float r0 = 0;",
    "@taps",
    "const int8_t v_x = x_in[@i0];",
    "const float d_x = sn_dequant(v_x, x_s, x_z);",
    "r0 = r0 + d_x;",
    "@end",
    "const float r0_mean = r0 / (float)@N;",
    "@each",
    "const int32_t q0 = (sn_quant(r0_mean, y_s, y_z, y_lim.lo, y_lim.hi));",
    "y_out[@o] = (int8_t)q0;",
    "@end",
    "@end",
    NULL,
};

static const char *const part_lines[] = {
    "@def y_z zp o0",
    "@def y_lim lim o0 clamp",
    "@def y_s scale o0",
    "@def x_s scale i0",
    "@def x_z zp i0",
    "@sets",
    "float r0 = @S;",
    "@parts",
    "float part = -0.0f;",
    "@rest",
    "const int8_t v_x = x_in[@i0];",
    "const float d_x = sn_dequant(v_x, x_s, x_z);",
    "part = part + d_x;",
    "@end",
    "r0 = r0 + part;",
    "@end",
    "const float r0_mean = r0 / (float)@N;",
    "@each",
    "const int32_t q0 = (sn_quant(r0_mean, y_s, y_z, y_lim.lo, y_lim.hi));",
    "y_out[@o] = (int8_t)q0;",
    "@end",
    "@end",
    NULL,
};

static const char *const lrn_lines[] = {
    "@def x_s scale i0",
    "@def x_z zp i0",
    "@def y_lim lim o0 -",
    "@def y_s scale o0",
    "@def y_z zp o0",
    "@def at_size attr size",
    "@def at_alpha attr alpha",
    "@def at_beta attr beta",
    "@def at_k attr k",
    "@sets",
    "int32_t sum = 0;",
    "@taps",
    "const int32_t v = x_in[@i0] - x_z;",
    "sum += v * v;",
    "@end",
    "const float t = sn_lrn_t(sum, at_alpha, (int32_t)at_size, x_s, at_k);",
    "@each",
    "const float d_x = sn_dequant(x_in[@m0], x_s, x_z);",
    "y_out[@o] = (int8_t)sn_quant(sn_lrn_y(d_x, t, at_beta), y_s, y_z, "
    "y_lim.lo, y_lim.hi);",
    "@end",
    "@end",
    NULL,
};

static bool
same_lines(const char **line, uint32_t n, const char *const *as)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!*line[i])
            continue;
        if (!*as || strcmp(line[i], *as))
            return false;
        as++;
    }
    return *as == NULL;
}

/* A map that reads one operand of codes of one scale, at the result's places
 * except for taps. */
static const SnMapRead *
one_read(SnAotNode *n)
{
    const SnMapRead *r = n->u.nread == 1 ? sn_aot_read_of(n, 0) : NULL;
    const SnType *x = n->call.in[0].type, *y = n->call.out[n->res].type;

    return r && n->call.nin == 1 && !n->wide && !n->u.nlate && !r->nwhen &&
                   x->elem == SN_QI8 && sn_type_per_tensor(x) &&
                   y->elem == SN_QI8 && sn_type_per_tensor(y) &&
                   n->u.nvar <= SN_TUNED_VARS && r->box.rank >= 1 &&
                   r->box.rank <= SN_TUNED_RANK
               ? r
               : NULL;
}

/* The map as that of a convolution with a filter for each channel; false: an
 * index is not a sum. */
static bool
read_map(SnAotNode *n, const SnMapRead *r, SnTunedMap *m)
{
    memset(m, 0, sizeof *m);
    m->nvar = n->u.nvar;
    m->rank = r->box.rank;
    for (int d = 0; d < m->rank; d++) {
        int64_t k[SN_MAP_NVAR];
        m->dim[d] = r->box.dim[d];
        if (!sn_term_affine(&n->u.T, r->at[d], k, &m->at[d].base) ||
            (!r->inside[d] && r->els != SN_ME_SKIP))
            return false;
        memcpy(m->at[d].k, k, m->nvar * sizeof *k);
    }
    for (uint32_t v = 0; v < m->nvar; v++) {
        const SnMapVar *w = &n->u.var[v];
        if (w->bound.t != SN_NUM_INT || w->bound.v <= 0)
            return false;
        m->bound[v] = w->bound.v;
        m->step[v] = w->tap ? 0 : sn_aot_step(n, v);
        m->role[v] = w->tap                         ? SN_TUNED_TAP
                     : m->at[m->rank - 1].k[v] != 0 ? SN_TUNED_GROUP
                                                    : SN_TUNED_PIXEL;
        m->channel.k[v] = m->role[v] == SN_TUNED_GROUP;
    }
    return true;
}

/* Does each window along an axis have a tap inside? */
static bool
has_taps(int64_t n, int64_t step, int64_t pad, int64_t k, int64_t gap,
         int64_t dim)
{
    for (int64_t i = 0; i < n; i++) {
        bool any = false;
        for (int64_t j = 0; j < k && !any; j++)
            any =
                i * step - pad + j * gap >= 0 && i * step - pad + j * gap < dim;
        if (!any)
            return false;
    }
    return true;
}

enum { MOST_POOL_TAPS = 1024, MOST_LRN_WORK = 1 << 16 };

static bool
pool_of(SnAotNode *n, const SnMapRead *r, SnPool8 *p)
{
    const SnConvGeo *o = &p->geo;
    SnTunedMap m;

    memset(p, 0, sizeof *p);
    return r->box.rank == 4 && read_map(n, r, &m) &&
           sn_tuned_geo(&m, &p->geo) && o->group == o->c && o->oc == o->c &&
           o->kh * o->kw <= MOST_POOL_TAPS &&
           has_taps(o->oh, o->sh, o->pt, o->kh, o->dh, o->h) &&
           has_taps(o->ow, o->sw, o->pl, o->kw, o->dw, o->w);
}

/* Numbers of a mean that is rounded before its zero point is added. */
static bool
mean_of(const SnAotNode *n, SnPool8 *p)
{
    const SnType *x = n->call.in[0].type, *y = n->call.out[0].type;
    SnLim l = sn_lim(y, sn_aot_range_of(n, "clamp"));
    bool fixed = n->u.divisor.t == SN_NUM_INT;

    p->count_pad = fixed;
    p->columns = sn_aot_parts(n);
    p->xs = x->scale[0];
    p->xz = x->zp[0];
    p->ys = y->scale[0];
    p->yz = y->zp[0];
    p->lo = (float)(l.lo - p->yz);
    p->hi = (float)(l.hi - p->yz);
    return !fixed || n->u.divisor.v == p->geo.kh * p->geo.kw;
}

static const char *
number(SnAotNode *n, float v)
{
    return sn_aot_float(n->a, v);
}

static void
put_pool(SnProgram *p, SnAotNode *n, const SnPool8 *k, SnTunedPart part)
{
    const SnConvGeo *o = &k->geo;
    const char *fn = sn_tuned_name(n->a, p->o->target->isa, part);
    bool max = part == SN_TUNED_MAX;

    p->use.part[part] = true;
    sn_aot_line(
        n,
        "const SnPool8 pool = {{%lld, %lld, %lld, %lld, %lld, %lld, "
        "%lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld}, "
        "%s, %s, %s, %s, 0, false, %d, %d, %s, %s};",
        (long long)o->n, (long long)o->h, (long long)o->w, (long long)o->c,
        (long long)o->oh, (long long)o->ow, (long long)o->oc, (long long)o->kh,
        (long long)o->kw, (long long)o->sh, (long long)o->sw, (long long)o->dh,
        (long long)o->dw, (long long)o->pt, (long long)o->pl,
        (long long)o->group, k->count_pad ? "true" : "false",
        k->columns ? "true" : "false", number(n, k->xs), number(n, k->ys),
        (int)k->xz, (int)k->yz, number(n, k->lo), number(n, k->hi));
    sn_aot_line(n, "int64_t tap[%lld];", (long long)(o->kh * o->kw));
    sn_aot_line(n, "sn_pool8_by(%s, %s, &pool, %s, %s, %lld, tap, 0, %lld);",
                max ? fn : "0", max ? "0" : fn, sn_aot_operand(n, 0),
                sn_aot_result(n, n->res), (long long)o->c,
                (long long)(o->n * o->oh));
}

/* Windows along the last axis, one for each place. */
static bool
lrn_of(SnAotNode *n, const SnMapRead *r, SnLrn8 *k)
{
    const SnType *x = n->call.in[0].type, *y = n->call.out[0].type;
    int last = r->box.rank - 1;
    SnLim l = sn_lim(y, sn_range_open());
    int64_t size = 0, places = 1;
    SnTunedMap m;

    if (!read_map(n, r, &m) ||
        !sn_shape_equal(n->call.in[0].shape, n->call.out[0].shape))
        return false;
    for (uint32_t v = 0; v < m.nvar; v++) {
        if (m.role[v] == SN_TUNED_TAP)
            size = m.bound[v];
        else
            places *= m.bound[v];
        if (m.bound[v] > 1 && m.role[v] != SN_TUNED_PIXEL &&
            m.at[last].k[v] != 1)
            return false;
    }
    const SnAttrDesc *a = sn_aot_attr(n, "alpha"), *b = sn_aot_attr(n, "beta");
    const SnAttrDesc *kk = sn_aot_attr(n, "k"), *sz = sn_aot_attr(n, "size");
    if (!a || !b || !kk || !sz ||
        *(const int64_t *)sn_attr_at(n->call.attr, sz) != size || size < 1 ||
        size > 64 || *(const float *)sn_attr_at(n->call.attr, b) != 0.75f ||
        places != sn_shape_count(n->call.in[0].shape))
        return false;
    memset(k, 0, sizeof *k);
    k->c = m.dim[last];
    k->npx = places / k->c;
    k->before = -m.at[last].base;
    k->after = size - 1 - k->before;
    k->coef = (*(const float *)sn_attr_at(n->call.attr, a) / (float)size) *
              (x->scale[0] * x->scale[0]);
    k->k = *(const float *)sn_attr_at(n->call.attr, kk);
    k->xs = x->scale[0];
    k->xz = x->zp[0];
    k->ys = y->scale[0];
    k->yz = y->zp[0];
    k->lo = (float)(l.lo - k->yz);
    k->hi = (float)(l.hi - k->yz);
    return k->before >= 0 && k->after >= 0 && sn_lrn8_work(k) <= MOST_LRN_WORK;
}

static void
put_lrn(SnProgram *p, SnAotNode *n, const SnLrn8 *k)
{
    p->use.part[SN_TUNED_LRN] = true;
    sn_aot_line(n,
                "const SnLrn8 lrn = {%lld, %lld, %lld, %lld, %s, %s, %s, %s, "
                "%s, %s, %d, %d};",
                (long long)k->npx, (long long)k->c, (long long)k->before,
                (long long)k->after, number(n, k->coef), number(n, k->k),
                number(n, k->xs), number(n, k->ys), number(n, k->lo),
                number(n, k->hi), (int)k->xz, (int)k->yz);
    sn_aot_line(n, "int32_t sums[%lu];",
                (unsigned long)(sn_lrn8_work(k) / sizeof(int32_t)));
    sn_aot_line(n, "sn_lrn8_by(%s, &lrn, %s, %s, sums, 0, %lld);",
                sn_tuned_name(n->a, p->o->target->isa, SN_TUNED_LRN),
                sn_aot_operand(n, 0), sn_aot_result(n, n->res),
                (long long)k->npx);
}

bool
sn_aot_is_max(SnAotNode *n)
{
    const char *const *text = n->tuple->text ? n->tuple->text[0] : NULL;
    const char **line;

    if (!text || !one_read(n))
        return false;
    uint32_t k = sn_aot_lines(n, text, &line);
    return same_lines(line, k, max_lines);
}

/* False: it is none of these. */
static bool
put_windows(SnProgram *p, SnAotNode *n, const char *const *text)
{
    const SnMapRead *r = one_read(n);
    const char **line;
    SnPool8 pool;
    SnLrn8 lrn;

    if (p->o->target->isa == SN_ISA_PORTABLE || !r)
        return false;
    uint32_t k = sn_aot_lines(n, text, &line);
    bool max = same_lines(line, k, max_lines);
    bool mean = same_lines(line, k, avg_lines) ||
                (sn_aot_parts(n) && same_lines(line, k, part_lines));
    if (max && pool_of(n, r, &pool))
        put_pool(p, n, &pool, SN_TUNED_MAX);
    else if (mean && pool_of(n, r, &pool) && mean_of(n, &pool))
        put_pool(p, n, &pool, SN_TUNED_AVG);
    else if (same_lines(line, k, lrn_lines) && lrn_of(n, r, &lrn))
        put_lrn(p, n, &lrn);
    else
        return false;
    return true;
}

/* ---- reals to codes of one scale ---- */

static const char *const quant_lines[] = {
    "@def y_lim lim o0 clamp",
    "@def y_s scale o0",
    "@def y_z zp o0",
    "@each",
    "const float v_x = x_in[@i0];",
    "y_out[@o] = (int8_t)sn_quant(v_x, y_s, y_z, y_lim.lo, y_lim.hi);",
    "@end",
    NULL,
};

/* False: it is none. */
static bool
put_quant(SnProgram *p, SnAotNode *n, const char *const *text)
{
    const SnType *y = n->call.out[0].type;
    const char **line;
    SnLim l;

    if (p->o->target->isa == SN_ISA_PORTABLE ||
        n->kd->sem[0].cls != SN_C_CONVERT || n->call.nin != 1 ||
        n->call.nout != 1 || n->call.in[0].type->elem != SN_F32 ||
        !sn_type_per_tensor(y) || !sn_map_in_place(n->kd->sem[0].decl) ||
        !sn_shape_count(n->call.out[0].shape))
        return false;
    uint32_t k = sn_aot_lines(n, text, &line);
    if (!same_lines(line, k, quant_lines))
        return false;
    l = sn_lim(y, sn_aot_range_of(n, "clamp"));
    p->use.part[SN_TUNED_QUANT] = true;
    sn_aot_line(n, "const SnQuant8 quant = {%s, %s, %s, %d};",
                number(n, y->scale[0]), number(n, (float)(l.lo - y->zp[0])),
                number(n, (float)(l.hi - y->zp[0])), (int)y->zp[0]);
    sn_aot_line(n, "%s(&quant, %s, %lld, %s);",
                sn_tuned_name(n->a, p->o->target->isa, SN_TUNED_QUANT),
                sn_aot_operand(n, 0),
                (long long)sn_shape_count(n->call.out[0].shape),
                sn_aot_result(n, 0));
    return true;
}

bool
sn_aot_host(SnProgram *p, SnAotNode *n, const char *const *text)
{
    return put_windows(p, n, text) || put_quant(p, n, text);
}
