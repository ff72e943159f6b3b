// SPDX-License-Identifier: Apache-2.0
/* The functions of a node: one for each result that is needed. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/tile.h"
#include "map/facts.h"

static const char *
fn_name(const SnProgram *p, SnId id, unsigned res)
{
    const SnNode *n = sn_node(p->g, id);
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_putf(&b, "%s_n%u_", p->name, id);
    for (const char *s = sn_desc(n->kind)->name; *s; s++)
        sn_putc(&b, (char)tolower((unsigned char)*s));
    if (n->nres > 1)
        sn_putf(&b, "_%u", res);
    return sn_buf_str(&b);
}

static bool
is_wanted(const SnProgram *p, const SnNode *n, SnId id, unsigned res)
{
    return sn_tensor_nbyte(n->res[res].type, n->res[res].shape) > 0 &&
           p->value[SN_REF(id, res)].home != SN_HOME_NONE;
}

static void
tensors(const SnProgram *p, SnAotNode *n)
{
    const SnNode *nd = sn_node(p->g, n->id);
    SnTensor *in = SN_NEW_N(p->a, SnTensor, nd->nin + 1u);
    SnTensor *out = SN_NEW_N(p->a, SnTensor, SN_MAXRES);

    for (uint32_t i = 0; i < nd->nin; i++) {
        SnRef r = nd->in[i].ref;
        if (r)
            in[i] = (SnTensor){sn_type(p->g, r), sn_shape_of(p->g, r),
                               (void *)(uintptr_t)sn_def(p->g, r)->data};
    }
    for (unsigned i = 0; i < nd->nres; i++)
        out[i] = (SnTensor){nd->res[i].type, nd->res[i].shape, NULL};
    n->call = (SnCall){.kind = n->kd,
                       .attr = nd->attr,
                       .nin = nd->nin,
                       .nout = nd->nres,
                       .in = in,
                       .out = out,
                       .scratch = p->a,
                       .why = SN_NEW_N(p->a, char, SN_WHY),
                       .rounding = p->g->rounding};
}

/* ---- functions of one operand of 8 bits: tables ---- */

static bool
is_table(const SnAotNode *n)
{
    const SnSem *s = &n->kd->sem[0];
    const SnType *x = n->call.in[0].type;

    return n->call.nin == 1 && n->call.nout == 1 && n->tuple->eval && x &&
           x->elem == SN_QI8 && x->axis < 0 && n->call.out[0].type->axis < 0 &&
           sn_elem_size(n->call.out[0].type->elem) == 1 && s->decl &&
           s->cls != SN_C_MOVE && sn_map_in_place(s->decl) &&
           !sn_map_repeats(s->decl);
}

static const char *
code_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_format(a, "%d", ((const int8_t *)v)[i]);
}

/* The evaluator's results for all codes. */
static SnStatus
put_table(const SnProgram *p, SnAotNode *n)
{
    int8_t code[256], y[256];
    SnShape shape = {1, {256}};
    SnTensor in = n->call.in[0], out = n->call.out[0];
    SnCall c = n->call;

    for (int i = 0; i < 256; i++)
        code[i] = (int8_t)(i - 128);
    in.shape = out.shape = &shape;
    in.data = code;
    out.data = y;
    c.in = &in;
    c.out = &out;
    SnStatus s = n->tuple->eval(&c);
    if (s != SN_OK)
        return sn_fail(p->d, s, sn_label(p->g, n->id, p->a), "%s", c.why);
    const char *t = sn_aot_table(n, sn_aot_elem(n->call.out[0].type->elem), 256,
                                 code_item, y);
    int64_t count = n->band ? n->band->count * n->band->width
                            : sn_shape_count(n->call.out[0].shape);
    sn_aot_line(n, "for (%s i = 0; i < %lld; i++)", sn_aot_index(count),
                (long long)count);
    sn_aot_line(n, "    %s[i] = %s[%s[i] + 128];", sn_aot_result(n, 0), t,
                sn_aot_operand(n, 0));
    return SN_OK;
}

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

/* False: it is none. */
static bool
put_sum(SnProgram *p, SnAotNode *n)
{
    SnArena *tmp = sn_arena_new();
    const int8_t *t = all_pairs(n, tmp);
    SnSum8 s;
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

/* ---- functions ---- */

/* Does the body read operand slot? */
static bool
reads(const SnAotNode *n, const char *body, uint32_t slot)
{
    return n->call.in[slot].type &&
           sn_aot_has_word(body, sn_aot_operand(n, slot));
}

static SnStatus
body(SnProgram *p, SnAotNode *n, unsigned res)
{
    const char *const *text = n->tuple->text ? n->tuple->text[res] : NULL;

    if (is_table(n))
        return put_table(p, n);
    if (is_sum(p, n) && put_sum(p, n))
        return SN_OK;
    SN_TRY(sn_aot_map(n, res));
    if (n->band)
        sn_aot_band_cut(n, n->band);
    if (text && (put_windows(p, n, text) || put_quant(p, n, text)))
        return SN_OK;
    if (text)
        return sn_aot_text(n, text);
    if (n->sem->cls == SN_C_MOVE || n->u.primitive)
        return sn_aot_move(n, NULL);
    return sn_fail(p->d, SN_EUNSUPPORTED, sn_label(p->g, n->id, p->a),
                   "has no form in C");
}

static const char *
arguments(const SnProgram *p, const SnAotNode *n, const char *text)
{
    SnBuf b;

    sn_buf_init(&b, p->a);
    for (uint32_t i = 0; i < n->call.nin; i++)
        if (reads(n, text, i)) /* nothing writes over constants */
            sn_putf(
                &b, "const %s *%s%s, ", sn_aot_elem(n->call.in[i].type->elem),
                n->call.in[i].data ? "sn_restrict " : "", sn_aot_operand(n, i));
    if (n->tile && sn_aot_has_word(text, "win"))
        sn_puts(&b, "int16_t *sn_restrict win, ");
    return sn_buf_str(&b);
}

/* The filters in the order of the tile's loops, in addition to the
 * constants. */
static const char *
put_pack(SnProgram *p, const SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    SnShape *shape = sn_alloc(p->a, sizeof *shape);
    *shape = (SnShape){1, {(int64_t)t->npack}};
    SnAotConst c = {.name = sn_format(p->a, "%s_n%u_w", p->name, n->id),
                    .label =
                        sn_format(p->a, "%s, filters in the order of its loops",
                                  sn_label(p->g, n->id, p->a)),
                    .type = n->call.in[t->w].type,
                    .shape = shape,
                    .data = t->pack};

    sn_aot_constant(p, c);
    return c.name;
}

static SnStatus
one_result(SnProgram *p, SnAotNode *n, unsigned res, uint32_t step)
{
    SnBuf out;

    sn_buf_init(&out, p->a);
    sn_buf_init(&n->data, p->a);
    n->out = &out;
    n->depth = 1;
    n->fails = false;
    SN_TRY(body(p, n, res));
    const char *text = sn_buf_str(&out);
    const SnType *y = n->call.out[res].type;
    sn_putf(&p->nodes, "\n/* %s */\n%s", sn_label(p->g, n->id, p->a),
            sn_buf_str(&n->data));
    const char *pack = n->tile && n->tile->pack ? put_pack(p, n) : NULL;
    const char *alone =
        (n->tile || n->band) && !p->tied[step] ? "sn_restrict " : "";
    sn_putf(&p->nodes, "%sstatic %s\n%s(%s%s *%s%s)\n{\n%s",
            n->tile || n->band ? "SN_APART\n" : "", n->fails ? "int" : "void",
            fn_name(p, n->id, res), arguments(p, n, text), sn_aot_elem(y->elem),
            alone, sn_aot_result(n, res), text);
    sn_puts(&p->nodes, n->fails ? "    return 0;\n}\n" : "}\n");
    p->fails[step] = p->fails[step] || n->fails;
    /* what the call passes */
    SnNode *nd = sn_node(p->g, n->id);
    SnBuf c;
    sn_buf_init(&c, p->a);
    if (n->band)
        sn_aot_band_pass(p, step);
    sn_putf(&c, "%s(", fn_name(p, n->id, res));
    for (uint32_t i = 0; i < nd->nin; i++)
        if (reads(n, text, i))
            sn_putf(&c, "%s, ",
                    pack && n->tile->w == i ? pack
                    : n->band && n->band->x == i
                        ? n->band->in
                        : sn_aot_arg(p, nd->in[i].ref));
    if (n->tile && sn_aot_has_word(text, "win"))
        sn_putf(&c, "(int16_t *)(void *)(%s + %lu), ",
                sn_aot_base(p, p->region[p->scratch[step]]),
                (unsigned long)p->block[p->scratch[step]].offset);
    sn_putf(&c, "%s)",
            n->band ? n->band->out : sn_aot_arg(p, SN_REF(n->id, res)));
    const char *call = sn_buf_str(&c);
    if (n->band)
        p->band[step].call = call;
    else if (n->fails)
        sn_putf(&p->calls, "    if (%s)\n        return 1;\n", call);
    else
        sn_putf(&p->calls, "    %s;\n", call);
    return SN_OK;
}

SnAotNode
sn_aot_open(SnProgram *p, uint32_t s, unsigned res)
{
    const SnExecStep *st = &p->x->step[s];
    SnAotNode n = {.a = p->a,
                   .d = p->d,
                   .g = p->g,
                   .id = st->node,
                   .prefix = p->name,
                   .kd = sn_desc(sn_node(p->g, st->node)->kind),
                   .tuple = st->tuple,
                   .rows = &p->rows};

    n.ntable = res * 100;
    tensors(p, &n);
    return n;
}

/* The forms of a sum of products, whose map is open. */
static void
find_forms(SnProgram *p, uint32_t s, SnAotNode *n)
{
    const char *const *text = n->tuple->text[0];
    const SnAotTile *tile[SN_TILES];
    SnConvNum num = {0};
    bool plain = false;

    if (p->o->target->isa != SN_ISA_PORTABLE) {
        const char **line;
        uint32_t k = sn_aot_lines(n, text, &line);
        plain = sn_aot_tile_numbers(n, text, line, k, &num);
    }
    uint32_t k = sn_aot_tiles_of(n, text, p->o->target, plain ? &num : NULL,
                                 p->o->max_ram || p->o->max_flash, tile);
    for (uint32_t i = 0; i < k; i++)
        p->form[s][i] = (SnAotForm){tile[i], sn_aot_trail(n, tile[i])};
    p->nform[s] = (uint8_t)(k + 1);
}

SnStatus
sn_aot_tiles(SnProgram *p)
{
    p->form = SN_NEW_N(p->a, SnAotForms, p->x->nstep + 1);
    p->nform = SN_NEW_N(p->a, uint8_t, p->x->nstep + 1);
    p->at = SN_NEW_N(p->a, uint8_t, p->x->nstep + 1);
    p->tile = SN_NEW_N(p->a, const SnAotTile *, p->x->nstep + 1);
    p->trail = SN_NEW_N(p->a, int64_t, p->x->nstep + 1);
    p->scratch = SN_NEW_N(p->a, uint32_t, p->x->nstep + 1);
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        SnAotNode n = sn_aot_open(p, s, 0);
        const SnNode *nd = sn_node(p->g, n.id);
        if (nd->nres != 1 || !n.tuple->text || !n.tuple->text[0] ||
            n.kd->sem[0].cls != SN_C_CONTRACT || is_table(&n) ||
            sn_tensor_nbyte(nd->res[0].type, nd->res[0].shape) == 0)
            continue;
        SN_TRY(sn_aot_map(&n, 0));
        find_forms(p, s, &n);
        sn_aot_use_form(p, s, 0);
    }
    return SN_OK;
}

SnStatus
sn_aot_band_tile(SnProgram *p, uint32_t s, const SnAotTile **tile)
{
    SnAotNode n = sn_aot_open(p, s, 0);
    const SnAotTile *all[SN_TILES];

    *tile = NULL;
    if (p->nform[s] == 0)
        return SN_OK;
    SN_TRY(sn_aot_map(&n, 0));
    sn_aot_band_cut(&n, &p->band[s]);
    if (sn_aot_tiles_of(&n, n.tuple->text[0], p->o->target, NULL, false, all))
        *tile = all[0];
    return SN_OK;
}

SnStatus
sn_aot_node(SnProgram *p, uint32_t s)
{
    const SnExecStep *st = &p->x->step[s];
    const SnNode *nd = sn_node(p->g, st->node);

    for (unsigned r = 0; r < nd->nres; r++) {
        if (p->skipped[s] || !is_wanted(p, nd, st->node, r))
            continue;
        SnAotNode n = sn_aot_open(p, s, r);
        n.tile = r == 0 ? p->tile[s] : NULL;
        n.band = p->band[s].on ? &p->band[s] : NULL;
        n.unroll = (p->o->target->dsp || p->o->target->isa) &&
                   n.kd->sem[r].cls == SN_C_MOVE;
        SN_TRY(one_result(p, &n, r, s));
        p->tables[s] += n.tables;
    }
    return SN_OK;
}
