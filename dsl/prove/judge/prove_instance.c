// SPDX-License-Identifier: Apache-2.0
/* The instances to prove: the written rules, one for each kind of a class or
 * form, and every derived instance, written out as the equivalent rule. */
#include "dsl/prove/judge/prove_instance.h"

#include <string.h>
#include "dsl/syntax/parse.h"
#include "dsl/resolve/resolver.h"

/* ---- rules from text ---- */

static SnResolver
resolver(SnProver *pv, SnDiag *d)
{
    SnResolver rs = {.defs = pv->defs, .d = d, .a = pv->a};

    rs.bad_node = SN_NEW_N(pv->a, bool, pv->defs->nnode + 2);
    return rs;
}

static SnDefRule *
parse_rule(SnProver *pv, SnDiag *d, const char *text)
{
    SnDefs *tmp = sn_defs_new(pv->a);
    const char *s = sn_format(pv->a,
                              "version 2;\npass derived {\n  allow "
                              "exact;\n  rule %s;\n}\n",
                              text);

    tmp->parser = pv->defs->parser;
    sn_def_parse_text(tmp, d, "derived", s, strlen(s), NULL, 0);
    pv->defs->parser = tmp->parser;
    return sn_diag_nerror(d) || !tmp->npass || !tmp->pass[0]->nrule
               ? NULL
               : tmp->pass[0]->rule[0];
}

SnDefRule *
sn_prove_reparse(SnProver *pv, SnDiag *d, const char *text,
                 void (*mutate)(void *arg, SnDefRule *r), void *arg)
{
    SnDefRule *r = parse_rule(pv, d, text);

    if (r) {
        SnResolver rs = resolver(pv, d);
        if (mutate)
            mutate(arg, r);
        sn_resolve_rule(&rs, r);
    }
    return sn_diag_nerror(d) ? NULL : r;
}

static SnDefRule *
rule_of(SnProver *pv, const char *text, const char **why)
{
    SnDiag *d = sn_diag_new(pv->a);
    SnDefRule *r = sn_prove_reparse(pv, d, text, NULL, NULL);

    if (!r)
        *why = sn_diag_text(d, pv->a);
    return r;
}

const SnExpr *
sn_prove_parse_cond(SnProver *pv, const SnDefRule *r, const char *text)
{
    SnDiag *d = sn_diag_new(pv->a);
    const char *s = sn_format(pv->a, "r: Any(x) => x when %s exact", text);
    SnDefRule *t = parse_rule(pv, d, s);

    if (!t || !t->when)
        return NULL;
    SnResolver rs = resolver(pv, d);
    SnScope sc = {.rs = &rs,
                  .kind = SN_SC_RULE,
                  .nvar = r->nvar,
                  .var = r->var,
                  .part = "in a guard"};
    sn_resolve_cond(&sc, t->when, "a condition");
    return sn_diag_nerror(d) || sc.bad ? NULL : t->when;
}

/* ---- texts ---- */

/* An instance that no rule states: the node takes part in the family by its
 * facts, proved or not. */
static void
unwritten(SnProveGen *g, const char *name, const char *why, int n)
{
    sn_error(g->pv->d, g->derive->pos, "SN305",
             "derived instance '%s' would be wrong: %.*s", name, n, why);
    if (g->backend)
        sn_diag_help(g->pv->d,
                     "only nodes that move or select codes may have operands "
                     "of one scale; declare a node of %s's own, "
                     "and a rule that makes it",
                     g->backend->name);
}

void
sn_prove_add(SnProveGen *g, SnInstance r, const char *text)
{
    const char *why = NULL;

    r.derive = g->derive;
    r.backend = g->backend;
    if (g->backend)
        r.name = sn_format(g->pv->a, "%s on %s", r.name, g->backend->name);
    SnDefRule *rule = rule_of(g->pv, text, &why);
    if (!rule) {
        size_t n = strcspn(why, "\n");
        const char *msg = strstr(why, "]: "); /* after a place without a file */
        if (msg && msg < why + n) {
            n -= (size_t)(msg + 3 - why);
            why = msg + 3;
        }
        unwritten(g, r.name, why, (int)n);
        return;
    }
    rule->pos = g->derive->pos;
    rule->text = text;
    r.r = rule;
    SN_PUSH(g->pv->a, g->v, g->n, r);
}

/* The operands of n on one side; port `at` (-1: none) reads `what`. */
static const char *
args(SnProveGen *g, const SnDefNode *n, bool left, int at, const char *what,
     int gone)
{
    SnBuf b;

    sn_buf_init(&b, g->pv->a);
    for (uint32_t i = 0; i < n->nin; i++) {
        sn_puts(&b, i ? ", " : "");
        if ((int)i == at)
            sn_puts(&b, what);
        else if ((int)i == gone)
            sn_puts(&b, "_");
        else
            sn_putf(&b, "%s%s", n->in[i]->name,
                    left && n->in[i]->variadic ? "..." : "");
    }
    return sn_buf_str(&b);
}

static int
pinned_to(const SnDefNode *n, uint32_t port)
{
    for (uint32_t i = 0; i < n->nin; i++)
        for (uint32_t k = 0; n->in[i]->fact == SN_PIN && k < n->in[i]->npin;
             k++)
            if (n->in[i]->pin[k] == port)
                return (int)i;
    return -1;
}

static bool
data_port(const SnDefNode *n, uint32_t port)
{
    const SnDefSem *s = n->rsem[0];

    return s->narg && s->arg[0]->rk == SN_R_PORT &&
           s->arg[0]->ref == n->in[port];
}

static void
absorb(SnProveGen *g, const SnDefNode *n)
{
    SnArena *a = g->pv->a;
    const char *R = g->rescale->name;

    for (uint32_t i = 0; i < n->nin; i++) {
        const char *x = n->in[i]->name;
        int pin = pinned_to(n, i);
        bool data = data_port(n, i);
        const char *each = n->in[i]->variadic ? "each " : "";
        if (!(n->family.absorb >> i & 1))
            continue;
        const char *l =
            args(g, n, true, (int)i, sn_format(a, "%s%s(%s) @r", each, R, x),
                 pin >= 0 && !data ? pin : -1);
        const char *r =
            pin >= 0 && data
                ? args(g, n, false, pin,
                       sn_format(a, "regrid(%s)", n->in[pin]->name), -1)
            : *each ? args(g, n, false, (int)i, sn_format(a, "each %s", x), pin)
                    : args(g, n, false, -1, NULL, pin);
        sn_prove_add(
            g,
            (SnInstance){.node = n,
                         .name = sn_format(a, "absorb %s.%s", n->name, x)},
            sn_format(a,
                      "absorb: %s(%s) @n => %s(%s) like n : n.type "
                      "when covers(reach(r), reach(%s))%s refines",
                      n->name, l, n->name, r, x,
                      pin >= 0 && !data ? sn_format(a, " and not present(n.%s)",
                                                    n->in[pin]->name)
                                        : ""));
    }
}

/* A declared type that means exactly this. */
static const char *
type_name(const SnProveGen *g, SnDefConc k)
{
    for (uint32_t i = 0; i < g->pv->defs->ntype; i++) {
        const SnDefType *t = g->pv->defs->type[i];
        if (t->nconc == 1 && t->conc[0].elem == k.elem &&
            t->conc[0].axis == k.axis)
            return t->name;
    }
    return NULL;
}

static void
merge(SnProveGen *g, const SnDefNode *n)
{
    SnArena *a = g->pv->a;
    const char *R = g->rescale->name, *x = args(g, n, true, -1, NULL, -1);
    const char *y = args(g, n, false, -1, NULL, -1);
    const char *carry = "", *when = "when r.clamp == full and covers(n.type, "
                                    "r.type) refines";
    SnInstance p = {.node = n, .name = sn_format(a, "merge %s", n->name)};

    if (n->nin == 0) {
        p.swap = true;
        p.guard = "R(Q(value)) == Q(value), and single use";
        const char *q8 = type_name(g, (SnDefConc){SN_QI8, -1});
        when = !q8 ? "exact" /* the comparison is over 256 codes */
                   : sn_format(a,
                               "worth n.type in [%s] and r.type in [%s] "
                               "exact",
                               q8, q8);
    } else if (n->clamp) {
        carry = sn_format(a,
                          " {%s = meet(r.clamp, image(n.%s, n, r)), "
                          "calibrated = r.calibrated and n.calibrated}",
                          n->clamp->name, n->clamp->name);
        when = "refines";
    }
    sn_prove_add(g, p,
                 sn_format(a,
                           "merge: %s(%s(%s) @n :1) @r => %s(%s) like n%s : "
                           "r.type %s",
                           R, n->name, x, n->name, y, carry, when));
}

const char *
sn_prove_unused(SnProveGen *g, const SnDefNode *n)
{
    SnBuf b;

    sn_buf_init(&b, g->pv->a);
    for (uint32_t i = 1; i < n->nout; i++)
        sn_putf(&b, "%sunused(n.%s)", b.n ? " and " : "", n->out[i]->name);
    return sn_buf_str(&b);
}

/* The nodes above and below a node whose Rescales sink: equal ones above every
 * operand of the `same` group. */
typedef struct Above {
    const char *l, *r, *when; /* operands on both sides, "" or conditions */
    const char *x;            /* the first operand of the group */
} Above;

static Above
above(SnProveGen *g, const SnDefNode *n)
{
    SnArena *a = g->pv->a;
    const char *R = g->rescale->name;
    Above v = {.x = NULL};
    SnBuf l, r, w;

    sn_buf_init(&l, a);
    sn_buf_init(&r, a);
    sn_buf_init(&w, a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *x = n->in[i]->name, *sep = i ? ", " : "";
        bool same = n->in[i]->fact == SN_SAME, run = n->in[i]->variadic;
        const char *c = v.x ? sn_format(a, "r%u", i) : "r";
        if (!same) {
            sn_putf(&l, "%s%s%s", sep, x, run ? "..." : "");
            sn_putf(&r, "%s%s%s", sep, x, run ? "..." : "");
            continue;
        }
        sn_putf(&l, "%s%s%s(%s) @%s", sep, run ? "each " : "", R, x, c);
        sn_putf(&r, "%s%s%s", sep, run ? "each " : "", x);
        if (v.x)
            sn_putf(&w,
                    "%s%s.type == %s.type and %s.clamp == r.clamp and "
                    "%s.calibrated == r.calibrated",
                    w.n ? " and " : "", x, v.x, c, c);
        v.x = v.x ? v.x : x;
    }
    v.l = sn_buf_str(&l);
    v.r = sn_buf_str(&r);
    v.when = sn_buf_str(&w);
    return v;
}

static void
sink(SnProveGen *g, const SnDefNode *n)
{
    SnArena *a = g->pv->a;
    const char *R = g->rescale->name, *no = sn_prove_unused(g, n);
    Above v = above(g, n);
    SnInstance p = {.node = n, .name = sn_format(a, "sink %s", n->name)};

    for (uint32_t i = 0; i < n->nin; i++)
        p.alike |= n->in[i]->fact == SN_SAME && n->in[i]->variadic;
    if (p.alike)
        p.guard = "every input is a Rescale between one pair of types "
                  "with one clamp";
    p.bounded = n->family.sink_bounded;
    p.commutes = n->family.sink_const && !p.bounded;
    if (p.commutes)
        p.guard = "R(Q(v)) == Q(v) for each constant v of the meaning";
    const char *low = "", *below = "", *covers = "";
    if (n->clamp) { /* the node's saturation moves with it */
        low = sn_format(a, " {%s = full}", n->clamp->name);
        below = sn_format(a, " {clamp = meet(n.%s, r.clamp)}", n->clamp->name);
    }
    if (p.bounded)
        covers = sn_format(a, "covers(reach(r), reach(%s))", v.x);
    const char *and1 = *covers && *v.when ? " and " : "";
    const char *and2 = (*covers || *v.when) && *no ? " and " : "";
    const char *when =
        sn_format(a, "%s%s%s%s%s", covers, and1, v.when, and2, no);
    sn_prove_add(
        g, p,
        sn_format(a,
                  "sink: %s(%s) @n => %s(%s(%s) like n%s : %s.type) like r"
                  "%s : n.type%s%s %s",
                  n->name, v.l, R, n->name, v.r, low, v.x, below,
                  *when ? " when " : "", when,
                  p.bounded ? "within 3 lsb" : "exact"));
}

/* ---- integerize ---- */

static const SnDefTuple *
float_tuple(const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        bool f = n->nout && n->tuple[i].out[0].elem == SN_F32;
        for (uint32_t k = 0; k < n->nin; k++)
            f &=
                n->tuple[i].in[k].elem == SN_F32 || !sn_port_quant(n, n->in[k]);
        if (f)
            return &n->tuple[i];
    }
    return NULL;
}

static const char *
integer_left(SnProveGen *g, const SnDefNode *n, const SnDefTuple *t)
{
    SnBuf b;

    sn_buf_init(&b, g->pv->a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *x = n->in[i]->name, *ty = type_name(g, t->in[i]);
        bool quant = sn_conc_quant(t->in[i]);
        if (quant && !ty)
            return NULL;
        sn_puts(&b, i ? ", " : "");
        if (quant)
            sn_putf(&b, "%s%s(%s:{%s})", n->in[i]->variadic ? "each " : "",
                    g->dq->name, x, ty);
        else
            sn_putf(&b, "%s%s", x, n->in[i]->variadic ? "..." : "");
    }
    return sn_buf_str(&b);
}

static const char *
integer_right(SnProveGen *g, const SnDefNode *n, bool hoist)
{
    SnBuf b;

    sn_buf_init(&b, g->pv->a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnDefPort *p = n->in[i];
        bool each = p->variadic && sn_port_quant(n, p);
        sn_putf(&b, "%s%s", i ? ", " : "", each ? "each " : "");
        if (p->fact == SN_PIN)
            sn_putf(&b, "regrid(%s)", p->name);
        else if (hoist && p->fact == SN_SAME)
            sn_putf(&b, "%s(%s) {clamp = q.clamp} : q.type", g->rescale->name,
                    p->name);
        else
            sn_putf(&b, "%s%s", p->name, p->variadic && !each ? "..." : "");
    }
    return sn_buf_str(&b);
}

/* f32 is not rounded: the integer node's rounding is that of q. */
static const char *
rounds_before(SnArena *a, const SnDefNode *n)
{
    const char *s = "";

    if (sn_def_attr(n, "round"))
        s = "round = before";
    if (sn_def_attr(n, "zp_shift"))
        s = sn_format(a, "%s%szp_shift = 0", s, *s ? ", " : "");
    return s;
}

static void
integerize_tuple(SnProveGen *g, const SnDefNode *n, const SnDefNode *f,
                 const SnDefTuple *t)
{
    SnArena *a = g->pv->a;
    const SnDefSem *s = f->rsem[0];
    bool same = f->out[0]->fact == SN_SAME, pin = false;
    bool moves = s->cls == SN_C_MOVE || s->monotone;
    const char *to = type_name(g, t->out[0]);
    const char *l = integer_left(g, f, t);
    const char *x = same && f->nin ? f->in[0]->name : "";

    for (uint32_t i = 0; i < f->nin; i++)
        pin |= f->in[i]->fact == SN_PIN;
    if (!l || !to)
        return;
    SnInstance p = {.node = f,
                    .given_bias = pin,
                    .to = &t->out[0],
                    .name = sn_format(a, "integerize %s -> %s", f->name, to)};
    const char *q = g->q->name, *no = sn_prove_unused(g, f);
    const char *round = rounds_before(a, f);
    const char *clamp =
        f->clamp ? sn_format(a, " {%s = meet(q.clamp, image(n.%s, n, q))%s%s}",
                             f->clamp->name, f->clamp->name, *round ? ", " : "",
                             round)
                 : "";
    const char *fixed =
        f->out[0]->fact == SN_FIXED
            ? sn_format(a, " and q.type == %s(%.9g, %lld)", to,
                        f->out[0]->fixed_scale, (long long)f->out[0]->fixed_zp)
            : "";
    if (same && !moves) {
        p.forced = p.bounded = true;
        sn_prove_add(
            g, p,
            sn_format(a,
                      "integerize: %s(%s(%s) @n) @q => %s(%s(%s) like n%s "
                      ": %s.type) {clamp = q.clamp} : q.type when "
                      "covers(%s.type, q.type) within 3 lsb",
                      q, n->name, l, g->rescale->name, f->name,
                      integer_right(g, f, false),
                      f->clamp ? sn_format(a, " {%s = image(n.%s, n, %s.type)}",
                                           f->clamp->name, f->clamp->name, x)
                               : "",
                      x, x));
        return;
    }
    bool any = t->out[0].elem == SN_QI8 || t->out[0].elem == SN_QI16;
    if (same && !any) /* these are not rescaled: only equal types */
        fixed = sn_format(a, " and q.type == %s.type", x);
    if (same && any && *no) /* equal values appear on another grid */
        fixed = sn_format(a,
                          "%s and (q.type == %s.type and q.clamp == full or "
                          "%s)",
                          fixed, x, no);
    bool open = same && any && !f->family.sink_const;
    const char *guard = f->clamp || open ? "" : " and q.clamp == full";
    const char *number = /* which q makes a code, but a clamp of reals does
                            not */
        f->clamp && s->nan ? sn_format(a, " and n.%s == full", f->clamp->name)
                           : "";
    guard = sn_format(a, "%s%s%s", guard, number, fixed);
    sn_prove_add(
        g, p,
        sn_format(a,
                  "integerize: %s(%s(%s) @n) @q => %s(%s) like n%s : "
                  "q.type%s%s %s",
                  q, n->name, l, f->name, integer_right(g, f, same && any),
                  clamp, *guard ? " when" : "", *guard ? guard + 4 : "",
                  t->out[0].elem == SN_QI32 ? "refines"
                  : sn_calculus_own_row(s)  ? "within 1 lsb"
                                            : "exact else within 1 lsb"));
}

/* One Quantize changes the type of one result: the others are unchanged. */
static bool
keeps_rest(const SnDefNode *n, const SnDefTuple *t)
{
    const SnDefTuple *f = float_tuple(n);

    for (uint32_t i = 1; i < n->nout; i++)
        if (!sn_conc_equal(t->out[i], f->out[i]))
            return false;
    return true;
}

static void
integerize(SnProveGen *g, const SnDefNode *n)
{
    SnClass c = n->rsem[0]->cls;

    if (c == SN_C_SOURCE || c == SN_C_OPAQUE || c == SN_C_CONVERT || !n->nin ||
        !n->nout || !float_tuple(n))
        return;
    for (uint32_t k = 0; k < g->pv->defs->nnode; k++) {
        const SnDefNode *f = g->pv->defs->node[k];
        if (f != n && (f->base != n || f->backend))
            continue;
        for (uint32_t i = 0; i < f->ntuple; i++)
            if (f->tuple[i].quant && keeps_rest(n, &f->tuple[i]))
                integerize_tuple(g, n, f, &f->tuple[i]);
    }
}

/* ---- all of them ---- */

static bool
member(const uint64_t *m, const SnDefNode *n)
{
    return !m || (m[n->kind / 64] >> n->kind % 64 & 1);
}

static bool
converts(const SnDefNode *n, bool in, bool out)
{
    return n->nin == 1 && n->nout == 1 && n->ntuple && n->rsem[0]->formula &&
           n->rsem[0]->cls == SN_C_CONVERT &&
           (n->tuple[0].in[0].elem != SN_F32) == in &&
           (n->tuple[0].out[0].elem != SN_F32) == out;
}

const SnDefNode *
sn_prove_dequantize(const SnProver *pv)
{
    for (uint32_t i = 0; i < pv->defs->nnode; i++)
        if (converts(pv->defs->node[i], true, false))
            return pv->defs->node[i];
    return NULL;
}

static void
derived_at(SnProveGen *g, const SnDefDerive *d, const SnDefNode *n)
{
    g->derive = d;
    if (!member(d->member, n) || !g->rescale || n == g->rescale)
        return;
    if (d->fam == SN_FAM_INTEGERIZE)
        integerize(g, n);
    else if (d->fam == SN_FAM_ABSORB && n->family.absorb)
        absorb(g, n);
    else if (d->fam == SN_FAM_MERGE && n->family.merge)
        merge(g, n);
    else if (d->fam == SN_FAM_SINK && d->kind != g->rescale->kind)
        sn_prove_sink(g, n, d->what);
    else if (d->fam == SN_FAM_SINK && n->family.sink)
        sink(g, n);
}

/* `any CLASS` and `forms K` in a pattern; one such place is instantiated. */
static const SnPat *
open_pat(const SnPat *p)
{
    if (p->pk == SN_P_ANY || (p->pk == SN_P_FORMS && p->node))
        return p;
    for (uint32_t i = 0; i < p->narg; i++) {
        const SnPat *q = open_pat(p->arg[i]);
        if (q)
            return q;
    }
    return NULL;
}

static void
written(SnProveGen *g, const SnDefRule *r)
{
    const SnPat *p = r->pat ? open_pat(r->pat) : NULL;
    SnArena *a = g->pv->a;

    if (!r->pat)
        return;
    if (!p) {
        SnInstance w = {.r = r, .name = r->name};
        SN_PUSH(a, g->v, g->n, w);
        return;
    }
    for (uint32_t i = 0; i < g->pv->defs->nnode; i++) {
        const SnDefNode *n = g->pv->defs->node[i];
        if (p->pk == SN_P_ANY
                ? !p->cls || !p->cls->member || !member(p->cls->member, n)
                : n != p->node && n->base != p->node)
            continue;
        SnInstance w = {
            .r = r, .any = n, .name = sn_format(a, "%s %s", r->name, n->name)};
        SN_PUSH(a, g->v, g->n, w);
    }
}

static void
find_conversions(SnProveGen *g)
{
    for (uint32_t i = 0; i < g->pv->defs->nnode; i++) {
        const SnDefNode *n = g->pv->defs->node[i];
        if (!g->rescale && converts(n, true, true))
            g->rescale = n;
        if (!g->q && converts(n, false, true))
            g->q = n;
        if (!g->dq && converts(n, true, false))
            g->dq = n;
    }
}

uint32_t
sn_prove_spell(SnProver *pv, const SnDefRule *r, SnInstance **out)
{
    SnProveGen g = {.pv = pv};

    written(&g, r);
    *out = g.v;
    return g.n;
}

uint32_t
sn_prove_instances(SnProver *pv, SnInstance **out)
{
    SnProveGen g = {.pv = pv};
    SnDefs *s = pv->defs;

    find_conversions(&g);
    for (uint32_t i = 0; i < s->nrule; i++)
        written(&g, s->rule[i]);
    for (uint32_t i = 0; i < s->nderive && g.q && g.dq; i++)
        for (uint32_t k = 0; k < s->nnode; k++)
            derived_at(&g, s->derive[i], s->node[k]);
    *out = g.v;
    return g.n;
}

/* n with exchanged operands equals n. */
static void
exchanged(SnProveGen *g, const SnDefNode *n)
{
    SnArena *a = g->pv->a;
    const char *y = n->out[0]->name, *why = NULL;
    SnBuf l, r;

    sn_buf_init(&l, a);
    sn_buf_init(&r, a);
    for (uint32_t i = 0; i < n->nin; i++) {
        uint32_t k = (int)i == n->comm[0]   ? (uint32_t)n->comm[1]
                     : (int)i == n->comm[1] ? (uint32_t)n->comm[0]
                                            : i;
        sn_putf(&l, "%s%s", i ? ", " : "", n->in[i]->name);
        sn_putf(&r, "%s%s", i ? ", " : "", n->in[k]->name);
    }
    SnDefRule *rule =
        rule_of(g->pv,
                sn_format(a,
                          "exchange: %s(%s) @%s => %s(%s) like %s : %s.type "
                          "%s%s exact",
                          n->name, sn_buf_str(&l), y, n->name, sn_buf_str(&r),
                          y, y, n->comm_when ? "when " : "",
                          n->comm_when ? sn_expr_str(a, n->comm_when) : ""),
                &why);
    if (!rule) {
        sn_error(g->pv->d, n->comm_pos, "SN118",
                 "'commutes' of %s cannot be checked: %.*s", n->name,
                 (int)strcspn(why, "\n"), why);
        return;
    }
    rule->pos = n->comm_pos;
    rule->id = UINT32_MAX; /* in no pass */
    SnInstance v = {
        .r = rule, .comm = n, .name = sn_format(a, "commutes %s", n->name)};
    SN_PUSH(a, g->v, g->n, v);
}

uint32_t
sn_prove_commutes(SnProver *pv, SnInstance **out)
{
    SnProveGen g = {.pv = pv};

    for (uint32_t k = 0; k < pv->defs->nnode; k++)
        if (pv->defs->node[k]->comm[0] >= 0)
            exchanged(&g, pv->defs->node[k]);
    *out = g.v;
    return g.n;
}

uint32_t
sn_prove_refined(SnProver *pv, const SnDefBackend *b, SnInstance **out)
{
    SnProveGen g = {.pv = pv, .backend = b};
    SnDefs *s = pv->defs;

    find_conversions(&g);
    for (uint32_t i = 0; i < s->nderive && g.q && g.dq; i++)
        for (uint32_t k = 0; k < s->nrefined; k++)
            if (s->refined[k]->backend == b)
                derived_at(&g, s->derive[i], s->refined[k]->node);
    *out = g.v;
    return g.n;
}

const char *
sn_prove_why_not(SnProver *pv, const SnDefRule *r)
{
    const char *text = r->text, *why = NULL;
    size_t n = text ? strlen(text) : 0;

    if (n < 6 || strncmp(text, "rule", 4) || r->custom)
        return NULL; /* a lowering is for floats, which have no facts */
    text = sn_strndup(pv->a, text + 4, n - 4 - (text[n - 1] == ';'));
    return rule_of(pv, text, &why) ? NULL : why;
}

static bool
says_unused(const SnExpr *e, const char *out)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return says_unused(e->kid[0], out) || says_unused(e->kid[1], out);
    return e->ek == SN_E_CALL && e->fn == SN_FN_UNUSED &&
           e->kid[0]->ek == SN_E_MEMBER && sn_name_same(e->kid[0]->s, out);
}

bool
sn_prove_others_unused(const SnInstance *pr)
{
    const SnDefNode *n = pr->r->root ? pr->r->root : pr->any;

    for (uint32_t i = 1; n && i < n->nout; i++)
        if (!pr->r->need || !says_unused(pr->r->need, n->out[i]->name))
            return false;
    return n != NULL;
}
