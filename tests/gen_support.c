// SPDX-License-Identifier: Apache-2.0
/* Graphs of generated tests: building, running a pass, comparing. */
#include "gen_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sn_kinds.h"

struct SnGt {
    SnArena *a;
    SnDiag *d;
    const char *where, *name;
    SnGraph *g;   /* the one being built */
    SnGraph *got; /* the one that ran */
    bool rejects;
};

static void flunk(SnGt *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
flunk(SnGt *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *s = sn_vformat(t->a, fmt, ap);
    va_end(ap);
    fail_msg("%s: error[SN901]: test %s failed: %s", t->where, t->name, s);
}

SnGt *
sn_gt_begin(const char *where, const char *name)
{
    SnArena *a = sn_arena_new();
    SnGt *t = SN_NEW(a, SnGt);

    t->a = a;
    t->d = sn_diag_new(a);
    t->where = where;
    t->name = name;
    t->g = t->got = sn_graph_new(a, name);
    return t;
}

SnGraph *
sn_gt_graph(SnGt *t)
{
    return t->g;
}

/* ---- building ---- */

static bool
broken(const SnGt *t)
{
    return sn_diag_nerror(t->d) != 0;
}

static const SnShape *
shape(SnGt *t, const char *name, int rank, const int64_t *dim)
{
    static const int64_t none[1];
    const SnShape *s = sn_shape(t->g->pool, rank, dim ? dim : none);

    if (!s)
        sn_fail(t->d, SN_EINPUT, name, "the shape is out of range");
    return s;
}

static SnRef
add(SnGt *t, const SnSpec *s)
{
    SnId id = broken(t) ? 0 : sn_add(t->g, s, t->d);

    return id ? SN_REF(id, 0) : 0;
}

static bool
typed(SnGt *t, const char *name, const SnType *type)
{
    if (!type && !broken(t))
        sn_fail(t->d, SN_EINPUT, name ? name : "a node",
                "the type is missing, or its scale or zero point is out of "
                "range");
    return !broken(t);
}

SnRef
sn_gt_input(SnGt *t, const char *name, const SnType *type, int rank,
            const int64_t *dim)
{
    const SnShape *s = shape(t, name, rank, dim);

    if (!typed(t, name, type) || !s)
        return 0;
    return add(t, &(SnSpec){.kind = SN_K_PLACEHOLDER,
                            .name = name,
                            .type = &type,
                            .shape = s});
}

/* The integers that elements hold; none of reals. */
static bool
limits(SnElem e, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = 1;
    switch (e) {
    case SN_QI8:
    case SN_I8:
        *lo = INT8_MIN;
        *hi = INT8_MAX;
        return true;
    case SN_QI16:
        *lo = INT16_MIN;
        *hi = INT16_MAX;
        return true;
    case SN_QI32:
    case SN_I32:
        *lo = INT32_MIN;
        *hi = INT32_MAX;
        return true;
    case SN_I64:
        *lo = INT64_MIN;
        *hi = INT64_MAX;
        return true;
    case SN_BOOL:
        return true;
    default:
        return false;
    }
}

/* NULL, or why v is not an element of that type. */
static const char *
store(SnArena *a, void *p, SnElem e, int64_t i, int64_t v)
{
    int64_t lo, hi;

    if (!limits(e, &lo, &hi))
        sn_bug("a test's Constant of type %s", sn_elem_name(e));
    if (v < lo || v > hi)
        return sn_format(a, "%lld is not a value of %s, which has %lld to %lld",
                         (long long)v, sn_elem_name(e), (long long)lo,
                         (long long)hi);
    switch (sn_elem_size(e)) {
    case 1:
        ((int8_t *)p)[i] = (int8_t)v;
        break;
    case 2:
        ((int16_t *)p)[i] = (int16_t)v;
        break;
    case 4:
        ((int32_t *)p)[i] = (int32_t)v;
        break;
    default:
        ((int64_t *)p)[i] = v;
    }
    return NULL;
}

/* Stores `count` elements that are k[i], or v[i]; all are the first of them
 * where there is one alone. */
static const char *
store_all(SnArena *a, void *p, SnElem e, int64_t count, uint32_t n,
          const int64_t *k, const double *v)
{
    const char *why = NULL;

    if (e != SN_F32 && !k)
        return sn_format(a, "a real number as an element of %s",
                         sn_elem_name(e));
    for (int64_t i = 0; i < count && !why; i++) {
        int64_t at = n == 1 ? 0 : i;
        if (e == SN_F32)
            ((float *)p)[i] = k ? (float)k[at] : (float)v[at];
        else
            why = store(a, p, e, i, k[at]);
    }
    return why;
}

SnRef
sn_gt_constant(SnGt *t, const char *name, const SnType *type, int rank,
               const int64_t *dim, uint32_t n, const int64_t *k,
               const double *v)
{
    const SnShape *s = shape(t, "a Constant", rank, dim);
    const char *label = name ? name : "a Constant";

    if (!typed(t, name, type) || !s)
        return 0;
    int64_t count = sn_shape_count(s);
    if (n != 1 && (int64_t)n != count) {
        sn_fail(t->d, SN_EINPUT, label, "%u values for %lld elements", n,
                (long long)count);
        return 0;
    }
    void *p = sn_alloc(t->a, sn_tensor_nbyte(type, s));
    const char *why = store_all(t->a, p, type->elem, count, n, k, v);
    if (why) {
        sn_fail(t->d, SN_EINPUT, label, "%s", why);
        return 0;
    }
    return add(t, &(SnSpec){.kind = SN_K_CONSTANT,
                            .name = name,
                            .type = &type,
                            .shape = s,
                            .data = p,
                            .borrow = true});
}

/* The element kind that every tuple gives result r: plain, or absent. */
static const SnType *
plain_result(SnGt *t, const SnKindDesc *d, uint32_t r)
{
    for (uint16_t i = 0; i < d->ntuple; i++) {
        int e = d->tuple[i].out[r].elem;
        if (e >= 0 && !sn_elem_quant((SnElem)e))
            return sn_type_plain(t->g->pool, (SnElem)e);
    }
    return NULL;
}

/* What facts and operands force: a fixed scale, an operand's own type. */
static const SnType *
forced(SnGt *t, const SnKindDesc *d, uint32_t nin, const SnRef *in)
{
    const SnType *x = nin && in[0] ? sn_type(t->g, in[0]) : NULL;

    if (d->nout == 0)
        return NULL;
    if (x && x->nq && d->out[0].fact == SN_FIXED)
        return sn_type_quant(t->g->pool, x->elem, d->out[0].fixed_scale,
                             d->out[0].fixed_zp);
    if (x && (d->out[0].fact == SN_SAME || !x->nq))
        return x;
    return plain_result(t, d, 0);
}

/* A node without results is known by its attribute `name`. */
static const void *
named(SnGt *t, const SnKindDesc *d, const void *attr, const char *name)
{
    const SnAttrDesc *a = sn_attr_named(d, "name");

    if (d->nout || !a || a->kind != SN_A_STR || !name)
        return attr;
    void *p = attr ? sn_attr_copy(t->a, d, attr) : sn_attr_new(t->a, d);
    const char **s = sn_attr_at(p, a);
    if (!*s || !**s)
        *s = name;
    return p;
}

static bool
nearly(const SnType *x, const SnType *y)
{
    if (x->elem != y->elem || x->axis != y->axis || x->nq != y->nq)
        return false;
    for (uint32_t i = 0; i < x->nq; i++)
        if (fabs((double)x->scale[i] - (double)y->scale[i]) >
            (double)y->scale[i] * 0x1p-20)
            return false;
    return true;
}

/* A pinned Constant within 2^-20 of its grid is read as on it, as in .sn
 * files: a product of two scales has no short decimal. */
static void
snap_pins(SnGt *t, SnId id)
{
    const SnNode *n = sn_node(t->g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    const SnType *type[32] = {NULL};

    for (uint32_t s = 0; s < n->nin; s++) {
        uint32_t p = sn_port_of_slot(d, n->nin, s);
        if (p < 32 && n->in[s].ref)
            type[p] = sn_type(t->g, n->in[s].ref);
    }
    for (uint32_t i = 0; i < d->nin && i < 32; i++) {
        uint32_t s, count;
        sn_port_slots(d, n->nin, i, &s, &count);
        SnRef b = count ? n->in[s].ref : 0;
        if (d->in[i].fact != SN_PIN || !b || !type[i]->nq ||
            !sn_def(t->g, b)->data)
            continue;
        const SnType *want = sn_pinned_type(t->g, &d->in[i], type);
        if (want && nearly(type[i], want))
            sn_res(t->g, b)->type = want;
    }
}

SnRef
sn_gt_node(SnGt *t, const char *name, SnKind kind, uint32_t nin,
           const SnRef *in, const void *attr, const SnType *type,
           bool calibrated)
{
    const SnKindDesc *d = sn_desc(kind);
    const SnType *out[SN_MAXRES];

    if (broken(t))
        return 0;
    for (uint32_t i = 0; i < d->nout; i++)
        out[i] = plain_result(t, d, i);
    if (d->nout)
        out[0] = type ? type : forced(t, d, nin, in);
    if (d->nout && !typed(t, name, out[0]))
        return 0;
    SnRef v = add(t, &(SnSpec){.kind = kind,
                               .name = name,
                               .nin = nin,
                               .in = in,
                               .attr = named(t, d, attr, name),
                               .type = out,
                               .calibrated = calibrated});
    if (v)
        snap_pins(t, SN_NODE(v));
    return v;
}

SnRef
sn_gt_regrid(SnGt *t, SnRef b, uint32_t n, const SnRef *of)
{
    if (broken(t))
        return 0;
    const SnType *old = sn_type(t->g, b);
    const SnShape *s = sn_shape_of(t->g, b);
    const int32_t *q = sn_def(t->g, b)->data;
    uint32_t nq = 1;
    for (uint32_t i = 0; i < n; i++)
        if (sn_type(t->g, of[i])->nq > nq)
            nq = sn_type(t->g, of[i])->nq;
    float *scale = SN_NEW_N(t->a, float, nq);
    int32_t *zp = SN_NEW_N(t->a, int32_t, nq);
    for (uint32_t c = 0; c < nq; c++) {
        scale[c] = 1;
        for (uint32_t i = 0; i < n; i++) {
            const SnType *x = sn_type(t->g, of[i]);
            scale[c] *= x->scale[x->nq > 1 ? c : 0];
        }
    }
    const SnType *type =
        nq > 1 ? sn_type_axis(t->g->pool, SN_QI32, 0, nq, scale, zp)
               : sn_type_quant(t->g->pool, SN_QI32, scale[0], 0);
    if (!q || !typed(t, "regrid", type))
        return 0;
    int64_t count = sn_shape_count(s);
    int32_t *v = SN_NEW_N(t->a, int32_t, count);
    for (int64_t i = 0; i < count; i++)
        v[i] = (int32_t)rint((double)q[i] *
                             (double)old->scale[old->nq > 1 ? i : 0] /
                             (double)scale[nq > 1 ? i : 0]);
    return add(t, &(SnSpec){.kind = SN_K_CONSTANT,
                            .type = &type,
                            .shape = s,
                            .data = v,
                            .borrow = true});
}

SnRef
sn_gt_fold(SnGt *t, SnRef v)
{
    return broken(t) || !v ? 0 : sn_fold(t->g, v);
}

void
sn_gt_save(SnGt *t, const char *name, SnRef v)
{
    if (!broken(t))
        sn_gt_node(t, name, SN_K_SAVE, 1, &v, NULL, NULL, false);
}

/* ---- running ---- */

static bool
listed(const char *const *v, const char *s)
{
    for (; *v; v++)
        if (!strcmp(*v, s))
            return true;
    return false;
}

/* All rules of the pass but these are disabled; these are opted in to. */
static void
restrict_to(SnGt *t, const char *pass, const char *const *using,
            SnRewriteOpts *o)
{
    const char **off = NULL, **in = NULL;
    uint32_t noff = 0, nin = 0;

    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        const SnRuleDesc *r = sn_rule(i);
        if (strcmp(r->pass, pass))
            continue;
        if (!listed(using, r->name))
            SN_PUSH(t->a, off, noff,
                    sn_format(t->a, "%s.%s", r->pass, r->name));
        else if (r->optin)
            SN_PUSH(t->a, in, nin, r->optin);
    }
    SN_PUSH(t->a, off, noff, NULL);
    SN_PUSH(t->a, in, nin, NULL);
    o->disable = off;
    o->optin = in;
}

void
sn_gt_run(SnGt *t, const char *pass, const char *backend,
          const char *const *using, bool strict)
{
    SnRewriteOpts o = sn_rewrite_defaults;

    if (broken(t))
        return;
    o.strict_saturation = strict;
    o.verify = true;
    o.check_passes = true;
    if (backend)
        o.backend = sn_backend_named(backend);
    if (using)
        restrict_to(t, pass, using, &o);
    if (sn_verify(t->g, t->d) != SN_OK)
        return;
    SnRewriter *rw = sn_rewriter_new(t->a, &o, t->d);
    if (sn_rewrite(rw, t->g, pass) != SN_OK && !broken(t))
        sn_fail(t->d, SN_EINTERNAL, pass, "failed without a message");
}

static void
sound(SnGt *t)
{
    if (broken(t) && !t->rejects)
        flunk(t, "%s", sn_diag_text(t->d, t->a));
}

void
sn_gt_reject(SnGt *t, const char *text)
{
    const char *s = sn_diag_text(t->d, t->a);

    t->rejects = true;
    if (!broken(t))
        flunk(t, "nothing was wrong, expected \"%s\"", text);
    if (!strstr(s, text))
        flunk(t, "got %s, expected \"%s\"", s, text);
}

/* The node without results whose attribute `name` says so. */
static SnId
effect_named(const SnGraph *g, const char *name)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = g->node[id];
        const SnAttrDesc *a = sn_attr_named(sn_desc(n->kind), "name");
        if (!n->dead && !n->nres && a &&
            !strcmp(*(const char *const *)sn_attr_at(n->attr, a), name))
            return id;
    }
    return 0;
}

SnRef
sn_gt_value(SnGt *t, const char *name)
{
    SnId save = effect_named(t->got, name);
    SnRef v = save ? sn_in(t->got, save, 0) : sn_find(t->got, name);

    sound(t);
    if (!v)
        flunk(t, "%s is not there any more", name);
    return v;
}

int64_t
sn_gt_count(const SnGt *t, SnKind k)
{
    int64_t n = 0;

    for (SnId id = 1; id < t->got->nnode; id++)
        n += !t->got->node[id]->dead && t->got->node[id]->kind == k;
    return n;
}

/* ---- terms as text ---- */

static void
put_attrs(SnBuf *b, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(n->kind);
    bool any = false;

    for (uint16_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *a = &d->attr[i];
        if (a->has_default && sn_attr_equal(a, n->attr, d->defaults))
            continue;
        sn_putf(b, "%s%s = ", any ? ", " : " {", a->name);
        sn_put_attr(b, a, n->attr);
        any = true;
    }
    if (n->calibrated)
        sn_putf(b, "%scalibrated = true", any ? ", " : " {");
    sn_puts(b, any || n->calibrated ? "}" : "");
}

static void
put_term(SnBuf *b, const SnGraph *g, SnRef v, int depth)
{
    if (!v) {
        sn_puts(b, "_");
        return;
    }
    const SnNode *n = sn_def(g, v);
    if (n->kind == SN_K_PLACEHOLDER || depth == 0) {
        sn_puts(b, n->nres ? sn_name(g, SN_REF(SN_NODE(v), 0)) : "?");
    } else {
        sn_putf(b, "%s(", sn_desc(n->kind)->name);
        for (uint32_t i = 0; i < n->nin; i++) {
            sn_puts(b, i ? ", " : "");
            put_term(b, g, n->in[i].ref, depth - 1);
        }
        sn_putc(b, ')');
        put_attrs(b, n);
    }
    if (SN_RES(v))
        sn_putf(b, ":%u", SN_RES(v));
    if (n->nres) {
        sn_puts(b, " : ");
        sn_put_type(b, sn_type(g, v));
    }
}

static const char *
term(SnGt *t, const SnGraph *g, SnRef v)
{
    SnBuf b;

    sn_buf_init(&b, t->a);
    put_term(&b, g, v, 6);
    return sn_buf_str(&b);
}

static void
put_graph(SnGt *t, SnBuf *b)
{
    uint32_t n;
    SnId *v = sn_topo(t->got, t->a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *m = sn_node(t->got, v[i]);
        if (m->nres)
            sn_putf(b, "\n  %s = ", sn_name(t->got, SN_REF(v[i], 0)));
        else
            sn_puts(b, "\n  ");
        put_term(b, t->got, SN_REF(v[i], 0), m->kind == SN_K_CONSTANT ? 0 : 1);
    }
}

void
sn_gt_check(SnGt *t, bool holds, const char *what)
{
    SnBuf b;

    sound(t);
    if (holds)
        return;
    sn_buf_init(&b, t->a);
    put_graph(t, &b);
    flunk(t, "expected %s, got%s", what, sn_buf_str(&b));
}

/* ---- comparing ---- */

void
sn_gt_want(SnGt *t)
{
    sound(t);
    t->g = sn_graph_new(t->a, t->name);
}

static bool
same_type(const SnType *x, const SnType *y)
{
    if (x->elem != y->elem || x->axis != y->axis || x->nq != y->nq)
        return false;
    for (uint32_t i = 0; i < x->nq; i++)
        if (x->scale[i] != y->scale[i] || x->zp[i] != y->zp[i])
            return false;
    return true;
}

static bool
same_shape(const SnShape *x, const SnShape *y)
{
    return x->rank == y->rank &&
           !memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim);
}

static bool
same_data(const SnNode *x, const SnNode *y)
{
    if (!x->data || !y->data)
        return x->data == y->data;
    return !memcmp(x->data, y->data,
                   sn_tensor_nbyte(x->res[0].type, x->res[0].shape));
}

/* Do x of the graph that ran and y of the wanted one compute the same?  seen
 * says what each wanted node was met as, so that sharing is compared too. */
static bool
same(const SnGt *t, SnId x, SnId y, SnId *seen)
{
    const SnNode *m = sn_node(t->got, x), *n = sn_node(t->g, y);
    const SnKindDesc *d = sn_desc(m->kind);

    if (seen[y])
        return seen[y] == x || (m->data && n->data && m->kind == n->kind);
    seen[y] = x;
    if (m->kind != n->kind || m->nin != n->nin || m->nres != n->nres ||
        m->calibrated != n->calibrated || !sn_attrs_equal(d, m->attr, n->attr))
        return false;
    for (unsigned i = 0; i < m->nres; i++)
        if (!same_type(m->res[i].type, n->res[i].type) ||
            !same_shape(m->res[i].shape, n->res[i].shape))
            return false;
    if (!same_data(m, n))
        return false;
    if (m->kind == SN_K_PLACEHOLDER && sn_find(t->got, n->res[0].name) &&
        strcmp(m->res[0].name, n->res[0].name))
        return false;
    for (uint32_t i = 0; i < m->nin; i++) {
        SnRef a = m->in[i].ref, b = n->in[i].ref;
        if (!a != !b || (a && SN_RES(a) != SN_RES(b)))
            return false;
        if (a && !same(t, SN_NODE(a), SN_NODE(b), seen))
            return false;
    }
    return true;
}

void
sn_gt_expect(SnGt *t, const char *name, SnRef want)
{
    SnId save = effect_named(t->got, name);

    sound(t);
    if (!save)
        flunk(t, "%s is no output any more", name);
    bool effect = sn_def(t->g, want)->nres == 0;
    SnRef got = effect ? SN_REF(save, 0) : sn_in(t->got, save, 0);
    SnId *seen = SN_NEW_N(t->a, SnId, t->g->nnode);
    if (SN_RES(got) != SN_RES(want) ||
        !same(t, SN_NODE(got), SN_NODE(want), seen))
        flunk(t, "got %s, expected %s", term(t, t->got, got),
              term(t, t->g, want));
}

void
sn_gt_end(SnGt *t)
{
    sound(t);
    sn_arena_free(t->a);
}
