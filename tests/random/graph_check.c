// SPDX-License-Identifier: Apache-2.0
/* Checks of passes on whole graphs. */
#include "random/graph_check.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "graph/text/text.h"
#include "random/graph_run.h"
#include "run/exec.h"
#include "sn_kinds.h"

typedef struct Check {
    SnArena *a;
    const SnCheckOpts *o;
    const SnGraph *g0;
    const SnGraph *end; /* g0 after all passes, or NULL */
} Check;

const char *
sn_graph_str(SnArena *a, const SnGraph *g)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_print(g, &b, NULL, NULL);
    return sn_buf_str(&b);
}

static SnGraph *
reparsed(Check *c, const SnGraph *g, const char **why)
{
    const char *s = sn_graph_str(c->a, g);
    SnSrc src = {"random.sn", s, strlen(s), 0};
    SnDiag *d = sn_diag_new(c->a);
    SnGraph *h = NULL;

    if (sn_parse(c->a, &src, NULL, d, &h) != SN_OK) {
        *why = sn_format(c->a, "the text form is not read back: %s",
                         sn_diag_text(d, c->a));
        return NULL;
    }
    return h;
}

/* ---- running passes ---- */

typedef struct Result {
    SnGraph *g;
    const SnSite *site;
    uint32_t nsite;
} Result;

static const char *
rewrite(Check *c, SnGraph *g, long limit, bool check, Result *r)
{
    SnDiag *d = sn_diag_new(c->a);
    SnRewriteOpts o = sn_rewrite_defaults;

    o.verify = check;
    o.check_passes = check;
    o.strict_saturation = c->o->strict;
    o.opt_limit = limit;
    o.optin = c->o->optin;
    o.disable = c->o->disable;
    o.seed = c->o->seed;
    o.backend = sn_backend_named(c->o->backend ? c->o->backend : "interp");
    SnRewriter *rw = sn_rewriter_new(c->a, &o, d);
    SnStatus s = sn_rewrite(rw, g, c->o->passes);
    r->g = g;
    r->site = sn_sites(rw, &r->nsite);
    for (uint32_t i = 0; c->o->count && check && i < sn_rule_end(); i++)
        c->o->count[i] += sn_rule_count(rw, (uint16_t)i);
    return s == SN_OK ? NULL : sn_diag_text(d, c->a);
}

static const char *
rule_name(Check *c, const SnSite *s)
{
    return sn_format(c->a, "%s.%s at %s", sn_rule(s->rule)->pass,
                     sn_rule(s->rule)->name, s->node);
}

/* ---- values ---- */

typedef struct Values {
    bool ran;
    uint32_t n;
    const char **name;
    const SnType **type;
    const SnShape **shape;
    const void **data;
} Values;

/* The values of input p: they depend on the seed and its name.  Where a rule
 * gives the input another type, reals are those of codes of that type. */
static void
fill(Check *c, const SnPort *p, void *data)
{
    SnGivens in = {.a = c->a, .seed = c->o->seed};
    SnRef v = c->end ? sn_find(c->end, p->name) : 0;
    const SnType *t = v ? sn_type(c->end, v) : p->type;

    if (!t->nq || p->type->elem != SN_F32) {
        sn_givens_fill(&in, p->name, p->type, p->shape, data);
        return;
    }
    void *codes = sn_alloc(c->a, sn_tensor_nbyte(t, p->shape) + 1);
    sn_givens_fill(&in, p->name, t, p->shape, codes);
    sn_to_real(t, p->shape, codes, data);
}

static const char *
run(Check *c, const SnGraph *g, Values *v)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(c->a);

    memset(v, 0, sizeof *v);
    if (sn_exec_prepare(c->a, g, NULL, d, &x) != SN_OK)
        return sn_diag_text(d, c->a);
    SnRun *r = sn_run_new(c->a, x);
    for (uint32_t i = 0; i < x->ninput; i++)
        fill(c, &x->input[i], sn_run_input(r, i));
    v->ran = sn_run(r) == SN_OK;
    v->n = x->noutput;
    v->name = SN_NEW_N(c->a, const char *, v->n + 1);
    v->type = SN_NEW_N(c->a, const SnType *, v->n + 1);
    v->shape = SN_NEW_N(c->a, const SnShape *, v->n + 1);
    v->data = SN_NEW_N(c->a, const void *, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        v->name[i] = x->output[i].name;
        v->type[i] = x->output[i].type;
        v->shape[i] = x->output[i].shape;
        if (v->ran)
            v->data[i] = sn_memdup(c->a, sn_run_output(r, i),
                                   sn_tensor_nbyte(v->type[i], v->shape[i]));
    }
    sn_run_free(r);
    return NULL;
}

/* Equal as reals where a rule changed the type. */
static bool
same_values(Check *c, const Values *x, const Values *y, uint32_t i)
{
    const SnShape *s = x->shape[i];
    size_t n = (size_t)sn_shape_count(s);
    const void *u = x->data[i], *v = y->data[i];

    if (x->type[i]->elem == y->type[i]->elem)
        return sn_first_apart(x->type[i], s, u, v) < 0;
    float *f = SN_NEW_N(c->a, float, 2 * n + 1);
    sn_to_real(x->type[i], s, u, f);
    sn_to_real(y->type[i], s, v, f + n);
    for (size_t k = 0; k < n; k++)
        if (!sn_same_value(SN_F32, f + k, f + n + k))
            return false;
    return true;
}

/* Outputs keep order, name and shape, and unless a rule was opted in to, type;
 * those for which `moved` does not hold keep their values.  moved NULL: all
 * do. */
static const char *
compare(Check *c, const Values *x, const Values *y, const bool *moved,
        const char *what)
{
    if (x->n != y->n)
        return sn_format(c->a, "%u outputs, %u after %s", x->n, y->n, what);
    for (uint32_t i = 0; i < x->n; i++) {
        if (strcmp(x->name[i], y->name[i]))
            return sn_format(c->a, "output %u is %s, %s after %s", i,
                             x->name[i], y->name[i], what);
        const char *s = sn_type_str(c->a, x->type[i]);
        const char *t = sn_type_str(c->a, y->type[i]);
        if (strcmp(s, t) && !c->o->optin)
            return sn_format(c->a, "output %s was %s, is %s after %s",
                             x->name[i], s, t, what);
        if (sn_shape_count(x->shape[i]) != sn_shape_count(y->shape[i]))
            return sn_format(c->a, "output %s changed its shape in %s",
                             x->name[i], what);
        if (x->ran && y->ran && !(moved && moved[i]) &&
            !same_values(c, x, y, i))
            return sn_format(c->a, "output %s changed its value in %s",
                             x->name[i], what);
    }
    if (x->ran && !y->ran)
        return sn_format(c->a, "the graph does not run after %s", what);
    return NULL;
}

static bool
keeps_bits(const Result *r, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        SnClaim c = sn_rule_claim(r->site[i].rule, r->g->rounding);
        /* Without a claim a rule changes what callers bind, no real value. */
        if ((c.kind != SN_CLAIM_EXACT && c.kind != SN_CLAIM_NONE) ||
            r->site[i].waived)
            return false;
    }
    return true;
}

/* ---- the measure (docs/order.md) ---- */

typedef struct Measure {
    uint32_t n[512]; /* conversions by height of the port they stand on */
    uint32_t nnode;  /* nodes that are no conversions */
    uint32_t nconv;
} Measure;

static bool
conversion(const SnGraph *g, SnId id)
{
    const SnKindDesc *d = sn_desc(sn_node(g, id)->kind);

    return d->sem && d->nout && d->sem[0].cls == SN_C_CONVERT;
}

static void
measure(SnArena *a, const SnGraph *g, Measure *m)
{
    uint32_t n;
    SnId *topo = sn_topo(g, a, &n);
    uint32_t *h = SN_NEW_N(a, uint32_t, g->nnode);

    memset(m, 0, sizeof *m);
    for (uint32_t i = n; i-- > 0;) {
        const SnNode *x = sn_node(g, topo[i]);
        bool conv = conversion(g, topo[i]);
        uint32_t high = 0;
        for (unsigned k = 0; k < x->nres; k++)
            for (SnUse *u = x->res[k].uses; u; u = u->next)
                high = h[u->user] > high ? h[u->user] : high;
        h[topo[i]] = high + !conv;
        m->nnode += !conv && !x->data;
        m->nconv += conv;
        for (uint32_t s = 0; s < x->nin && !conv; s++) {
            SnRef v = x->in[s].ref;
            while (v && conversion(g, SN_NODE(v))) {
                m->n[h[topo[i]] < 511 ? h[topo[i]] : 511]++;
                v = sn_in(g, SN_NODE(v), 0);
            }
        }
    }
}

static int
order(const Measure *x, const Measure *y)
{
    for (int i = 511; i >= 0; i--)
        if (x->n[i] != y->n[i])
            return x->n[i] < y->n[i] ? -1 : 1;
    return x->nnode < y->nnode ? -1 : x->nnode > y->nnode;
}

/* ---- after each fire ---- */

/* Outputs below the node of that label; all, where it is not there: built-in
 * passes have folded it. */
static bool *
below(Check *c, const SnGraph *g, const char *label)
{
    uint32_t n, nout = 0;
    SnId *topo = sn_topo(g, c->a, &n);
    bool *in = SN_NEW_N(c->a, bool, g->nnode);
    bool *out = SN_NEW_N(c->a, bool, n + 1);

    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *x = sn_node(g, topo[i]);
        in[topo[i]] = !strcmp(sn_label(g, topo[i], c->a), label);
        found = found || in[topo[i]];
        for (uint32_t s = 0; s < x->nin; s++)
            if (x->in[s].ref && in[SN_NODE(x->in[s].ref)])
                in[topo[i]] = true;
    }
    for (SnId id = 1; id < g->nnode; id++)
        if (!sn_node(g, id)->dead && sn_node(g, id)->kind == SN_K_SAVE)
            out[nout++] = in[id] || !found;
    return out;
}

static const char *
each_fire(Check *c, uint32_t nfire)
{
    Values x, y;
    Measure m, w;
    SnGraph *g = sn_graph_clone(c->g0, c->a);
    Result r = {.g = g};
    const char *why = rewrite(c, g, 0, false, &r);

    if (why || (why = run(c, g, &x)) != NULL)
        return why;
    measure(c->a, g, &m);
    for (uint32_t k = 1; k <= nfire; k++) {
        SnDiag *d = sn_diag_new(c->a);
        SnGraph *h = sn_graph_clone(c->g0, c->a);
        if ((why = rewrite(c, h, (long)k, false, &r)) != NULL)
            return why;
        if (r.nsite != k)
            return NULL; /* built-in passes undid what the limit cut off */
        const char *what = rule_name(c, &r.site[k - 1]);
        if (sn_verify(h, d) != SN_OK)
            return sn_format(c->a, "not valid after %s: %s", what,
                             sn_diag_text(d, c->a));
        measure(c->a, h, &w);
        if (c->o->measure && order(&w, &m) >= 0)
            return sn_format(c->a, "the measure does not fall in %s", what);
        if ((why = run(c, h, &y)) != NULL)
            return sn_format(c->a, "after %s: %s", what, why);
        bool *moved =
            keeps_bits(&r, k - 1, k) ? NULL : below(c, g, r.site[k - 1].node);
        if ((why = compare(c, &x, &y, moved, what)) != NULL)
            return why;
        x = y;
        m = w;
        g = h;
    }
    return NULL;
}

/* ---- the checks ---- */

static const char *
texts(Check *c, const SnGraph *g)
{
    const char *why = NULL;
    SnGraph *h = reparsed(c, g, &why);

    if (!h)
        return why;
    if (!sn_graph_equal(g, h, c->a, &why))
        return sn_format(c->a, "read back from its text it differs: %s", why);
    if (strcmp(sn_graph_str(c->a, g), sn_graph_str(c->a, h)))
        return "printed twice, the text differs";
    return NULL;
}

static const char *
checks(Check *c)
{
    const char *why;
    Result r, again, other;
    Values x, y;
    SnGraph *g = sn_graph_clone(c->g0, c->a);

    if ((why = texts(c, g)) != NULL)
        return why;
    if ((why = rewrite(c, g, -1, true, &r)) != NULL)
        return why;
    c->end = g;
    if ((why = texts(c, g)) != NULL || (why = run(c, c->g0, &x)) != NULL ||
        (why = run(c, g, &y)) != NULL)
        return why;
    bool *all = SN_NEW_N(c->a, bool, x.n + 1);
    memset(all, 1, sizeof *all * (x.n + 1));
    why = compare(c, &x, &y, keeps_bits(&r, 0, r.nsite) ? NULL : all,
                  c->o->passes);
    if (why)
        return why;
    SnGraph *h = reparsed(c, c->g0, &why);
    if (!h || (why = rewrite(c, h, -1, false, &other)) != NULL)
        return why;
    if (!sn_graph_equal(g, h, c->a, &why))
        return sn_format(c->a,
                         "from its text the graph is rewritten "
                         "differently: %s",
                         why);
    if (c->o->again) {
        if ((why = rewrite(c, h, -1, false, &again)) != NULL)
            return why;
        if (again.nsite)
            return sn_format(c->a,
                             "a second run of %s fires %u times, first "
                             "%s",
                             c->o->passes, again.nsite,
                             rule_name(c, &again.site[0]));
    }
    return c->o->every_fire ? each_fire(c, r.nsite) : NULL;
}

static sigjmp_buf out_of_bug;

static void
on_abort(int sig)
{
    (void)sig;
    siglongjmp(out_of_bug, 1);
}

const char *
sn_graph_check(SnArena *a, const SnGraph *g, const SnCheckOpts *o)
{
    Check c = {a, o, g, NULL};
    struct sigaction now = {.sa_handler = on_abort}, old;
    const char *why;

    sigaction(SIGABRT, &now, &old);
    if (sigsetjmp(out_of_bug, 1))
        why = "sinter stopped with an internal error (above)";
    else
        why = checks(&c);
    sigaction(SIGABRT, &old, NULL);
    return why;
}

const char *
sn_graph_check_fault(void *ctx, SnArena *a, const SnGraph *g)
{
    SnCheckOpts o = *(const SnCheckOpts *)ctx;

    o.count = NULL;
    return sn_graph_check(a, g, &o);
}
