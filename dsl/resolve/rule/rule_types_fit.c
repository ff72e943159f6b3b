// SPDX-License-Identifier: Apache-2.0
/* Checks the nodes that a rule's right side makes: every node has a type
 * (SN203) that one of its tuples gives (SN204), required operands are present
 * (SN210), the root keeps its type (SN206), and scales agree where facts demand
 * it (SN310). */
#include <string.h>
#include "dsl/resolve/rule/rule_type.h"

static int term_tv(SnRuleTv *c, SnTerm *t);

static void
fault(SnRuleTv *c)
{
    c->bad = true;
}

/* ---- values of the right side ---- */

static bool
is_regrid(const SnTerm *t)
{
    return t && t->tk == SN_T_FUNC && t->fn == SN_FN_REGRID;
}

/* A same result takes the type of a same operand. */
static int
same_result(const SnRuleTv *c, const SnDefNode *n, const int *arg)
{
    if (n->out[0]->fact != SN_SAME)
        return -1;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i]->fact == SN_SAME && arg[i] >= 0 &&
            c->expr[sn_tv_top(c, arg[i])])
            return arg[i];
    return -1;
}

static int
call_tv(SnRuleTv *c, SnTerm *t)
{
    SnNodeTv n = {.term = t, .node = t->node, .res = -1};

    n.arg = SN_NEW_N(c->rs->a, int, t->node->nin);
    for (uint32_t i = 0; i < t->node->nin; i++) {
        SnTerm *a = t->by_port[i];
        n.arg[i] = a ? term_tv(c, a) : sn_tv_new(c, SN_KS_ABSENT, NULL);
        if (is_regrid(a) && t->node->in[i]->fact != SN_PIN) {
            sn_error(c->rs->d, a->pos, "SN104",
                     "regrid(..) belongs at a pinned operand; '%s' of %s "
                     "is not pinned",
                     t->node->in[i]->name, t->node->name);
            fault(c);
        }
    }
    for (uint32_t i = 1; i < t->nlist; i++)
        term_tv(c, t->list[i]);
    if (t->type)
        n.res = sn_tv_expr(c, t->type);
    else if (t->node->nout)
        n.res = same_result(c, t->node, n.arg);
    if (n.res < 0 && t->node->nout)
        n.res = sn_tv_new(
            c, c->r->lower ? SN_KS_ALL & ~sn_ks_quant() : SN_KS_ALL, NULL);
    if (!t->type && t->node->nout && t->node->out[0]->fact == SN_FIXED)
        c->tv[n.res].fixed = t->node->out[0];
    SN_PUSH(c->rs->a, c->node, c->nnode, n);
    return n.res;
}

static int
term_tv(SnRuleTv *c, SnTerm *t)
{
    switch (t->tk) {
    case SN_T_VAR:
        return c->var[t->var->index];
    case SN_T_CALL:
        return call_tv(c, t);
    case SN_T_COPY:
        if (!t->type) {
            t->forced = c->expr[c->var[t->var->index]];
            return c->var[t->var->index];
        }
        return sn_tv_expr(c, t->type);
    case SN_T_FUNC: {
        int v = term_tv(c, t->arg[0]);
        if (!is_regrid(t) || v < 0)
            return v;
        return sn_tv_new(c, sn_tv_set(c, v), NULL);
    }
    case SN_T_EACH:
        return term_tv(c, t->arg[0]);
    case SN_T_NONE:
        return sn_tv_new(c, SN_KS_ABSENT, NULL);
    }
    return -1;
}

/* ---- types that follow ---- */

static SnExpr *
plain_expr(const SnRuleTv *c, SnKindSet s, SnPos at)
{
    for (uint32_t i = 0; i < 20; i += 2)
        if (s == UINT32_C(1) << i) {
            SnDefConc k = {(int8_t)(i / 2), -1};
            SnExpr *e =
                sn_expr_new(c->rs->a, SN_E_NAME, at, sn_conc_str(c->rs, k));
            e->ty = SN_TY_ETYPE;
            e->rk = SN_R_TYPE;
            e->ref = sn_def_type(c->rs->defs, e->s);
            return e->ref ? e : NULL;
        }
    return NULL;
}

/* q8(1 / 256, -128) from fixed y (1 / 256, -128). */
static SnExpr *
fixed_expr(const SnRuleTv *c, SnKindSet s, const SnDefPort *y, SnPos at)
{
    SnExpr *e = plain_expr(c, s, at);

    if (!e)
        return NULL;
    e->ek = SN_E_CALL;
    e->word = SN_W_NONE;
    e->nkid = 2;
    e->kid = SN_NEW_N(c->rs->a, SnExpr *, 2);
    e->kid[0] = y->scale;
    e->kid[1] = y->zp;
    return e;
}

static void
force(SnRuleTv *c, SnNodeTv *n)
{
    SnTerm *t = n->term;
    const SnDefPort *y = n->node->out[0];
    int top = sn_tv_top(c, n->res);
    SnKindSet s = c->tv[top].set & ~SN_KS_ABSENT;

    if (s && !(s & (s - 1)) && !(s & sn_ks_quant()))
        t->forced = plain_expr(c, s, t->pos);
    else if (c->expr[top])
        t->forced = c->expr[top];
    else if (s && !(s & (s - 1)) && y->fact == SN_FIXED)
        t->forced = fixed_expr(c, s, y, t->pos);
    if (t->forced) {
        if (!c->expr[top])
            c->expr[top] = t->forced;
        return;
    }
    sn_error(c->rs->d, t->pos, "SN203",
             "the type of %s is not known: nothing forces it", t->name);
    if (y->fact == SN_SAME)
        sn_diag_line(c->rs->d,
                     "'%s' is same, and no operand it goes with "
                     "has a known type",
                     y->name);
    else if (s)
        sn_diag_line(c->rs->d, "it may be %s", sn_ks_str(c, s));
    const SnDefVar *o = c->r->pat->cap;
    sn_diag_help(c->rs->d, "%s(..) : %s.type", t->name, o ? o->name : "o");
    fault(c);
}

/* An operand that may be missing is used where it must be present. */
static void
check_missing(SnRuleTv *c, const SnNodeTv *n)
{
    for (uint32_t i = 0; i < n->node->nin; i++) {
        const SnTerm *a = n->term->by_port[i];
        if (n->node->in[i]->optional || n->node->in[i]->variadic || !a ||
            a->tk != SN_T_VAR || !(sn_tv_set(c, n->arg[i]) & SN_KS_ABSENT) ||
            a->var->vk != SN_V_VALUE)
            continue;
        sn_error(c->rs->d, a->pos, "SN210",
                 "'%s' may be missing on the left, but operand '%s' of %s is "
                 "required",
                 a->name, n->node->in[i]->name, n->node->name);
        sn_diag_help(c->rs->d, "when present(%s)", a->name);
        fault(c);
        return;
    }
}

/* The conditions that the rule tests before it fires. */
static void
takes(SnRuleTv *c, const SnNodeTv *n, SnKindSet miss)
{
    SnTerm *t = n->term;

    t->ntakes = 0;
    for (int8_t i = 0; i < 20; i++) {
        SnDefConc k = {(int8_t)(i / 2), (int8_t)(i & 1 ? 0 : -1)};
        if (sn_tv_set(c, n->res) & ~miss & sn_ks(k))
            SN_PUSH(c->rs->a, t->takes, t->ntakes, k);
    }
}

static void
check_tuple(SnRuleTv *c, const SnNodeTv *n)
{
    SnKindSet miss;
    const SnTerm *t = n->term;

    if (!sn_tv_fits(c, n, &miss)) {
        if (n->res >= 0 && sn_tv_set(c, n->res))
            sn_error(c->rs->d, t->pos, "SN204",
                     "no tuple of %s takes these operands and gives %s",
                     t->name, sn_ks_str(c, sn_tv_set(c, n->res)));
        else
            sn_error(c->rs->d, t->pos, "SN204",
                     "no tuple of %s takes these operands", t->name);
        fault(c);
        return;
    }
    if (!miss || !t->type)
        return;
    takes(c, n, miss);
    sn_warn(c->rs->d, t->type->pos, "SN208",
            "'%s' may be %s, which no tuple of %s gives with these "
            "operands; the rule does not apply then",
            sn_expr_str(c->rs->a, t->type), sn_ks_str(c, miss), t->name);
    sn_diag_help(c->rs->d, "when %s in [%s]", sn_expr_str(c->rs->a, t->type),
                 sn_ks_str(c, sn_tv_set(c, n->res) & ~miss));
}

/* ---- SN310 ---- */

static const char *
own_type(const SnRuleTv *c, int v)
{
    const SnExpr *e = c->expr[sn_tv_top(c, v)];

    return e ? sn_expr_str(c->rs->a, e) : "a type of its own";
}

static const char *
same_names(const SnRuleTv *c, const SnDefNode *n)
{
    SnBuf b;

    sn_buf_init(&b, c->rs->a);
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
        if (p->fact == SN_SAME)
            sn_putf(&b, "%s%s", b.n ? ", " : "", p->name);
    }
    return sn_buf_str(&b);
}

static void
same_broken(SnRuleTv *c, const SnDefNode *n, const SnDefPort *p, int a,
            const SnDefPort *q, int b, SnPos at)
{
    const SnExpr *x = c->expr[sn_tv_top(c, a)];
    const SnExpr *y = c->expr[sn_tv_top(c, b)];

    sn_error(c->rs->d, c->r->pos, "SN310",
             "rule '%s' breaks 'same %s' of %s (%s): %s gets %s, %s keeps "
             "its own",
             c->r->name, same_names(c, n), n->name,
             sn_resolve_at(c->rs, p->fact_pos), p->name, own_type(c, a),
             q->name);
    sn_diag_span(c->rs->d, at, "%s is %s here", q->name, own_type(c, b));
    if (x && y && x->ek == SN_E_MEMBER && y->ek == SN_E_MEMBER)
        sn_diag_help(c->rs->d, "when %s == %s", sn_expr_str(c->rs->a, y),
                     sn_expr_str(c->rs->a, x));
    fault(c);
}

static void
check_same(SnRuleTv *c, const SnNodeTv *n)
{
    const SnDefPort *first = NULL;
    int v = -1;

    if (n->node->nout && n->node->out[0]->fact == SN_SAME) {
        first = n->node->out[0];
        v = n->res;
    }
    for (uint32_t i = 0; i < n->node->nin; i++) {
        const SnDefPort *p = n->node->in[i];
        if (p->fact != SN_SAME || n->arg[i] < 0)
            continue;
        if (v >= 0 && !sn_tv_equal(c, v, n->arg[i])) {
            same_broken(c, n->node, first, v, p, n->arg[i],
                        n->term->by_port[i]->pos);
            return;
        }
        if (v < 0) {
            first = p;
            v = n->arg[i];
        }
    }
}

/* The matched node whose pinned port binds variable b. */
static const SnNodeTv *
pinned_at(const SnRuleTv *c, const SnDefVar *b, const SnDefPort **port)
{
    for (uint32_t i = 0; i < c->nleft; i++) {
        const SnNodeTv *n = &c->node[i];
        for (uint32_t p = 0; n->node && p < n->node->nin; p++)
            if (n->node->in[p]->fact == SN_PIN && n->pat->by_port[p] &&
                n->pat->by_port[p]->var == b) {
                *port = n->node->in[p];
                return n;
            }
    }
    return NULL;
}

static const char *
regridded(const SnRuleTv *c, const SnTerm *t, uint32_t pin)
{
    SnBuf b;

    sn_buf_init(&b, c->rs->a);
    sn_putf(&b, "%s(", t->name);
    for (uint32_t i = 0; i < t->node->nin; i++) {
        const SnTerm *a = t->by_port[i];
        const char *s = !a || a->tk == SN_T_NONE ? "_"
                        : a->tk == SN_T_VAR      ? a->name
                                                 : "..";
        sn_putf(&b, i == pin ? "%sregrid(%s)" : "%s%s", i ? ", " : "", s);
    }
    sn_putc(&b, ')');
    return sn_buf_str(&b);
}

/* The operands that pin it have other types than where b was bound. */
static void
pin_broken(SnRuleTv *c, const SnNodeTv *n, const SnDefPort *p,
           const SnDefPort *was, const SnNodeTv *left)
{
    const SnTerm *t = n->term;

    sn_error(c->rs->d, c->r->pos, "SN310",
             "rule '%s' breaks an invariant of %s", c->r->name, n->node->name);
    sn_diag_span(c->rs->d, t->by_port[p->index]->pos, "%s is unchanged ...",
                 p->name);
    for (uint32_t i = 0; i < p->npin && left; i++) {
        const SnDefPort *x = n->node->in[p->pin[i]];
        int now = n->arg[p->pin[i]], old = left->arg[was->pin[i]];
        if (old < 0 || now < 0 || sn_tv_equal(c, old, now) ||
            !t->by_port[p->pin[i]])
            continue;
        const SnExpr *e = c->expr[sn_tv_top(c, old)];
        sn_diag_span(c->rs->d, t->by_port[p->pin[i]]->pos, "%s.scale was %s",
                     x->name,
                     e && e->ek == SN_E_MEMBER
                         ? sn_format(c->rs->a, "%s.scale",
                                     sn_expr_str(c->rs->a, e->kid[0]))
                         : "another");
    }
    sn_diag_line(c->rs->d, "%s: pin %s (%s, 0)%s%s%s",
                 sn_resolve_at(c->rs, p->fact_pos), p->name,
                 sn_expr_str(c->rs->a, p->scale), p->because ? "    \"" : "",
                 p->because ? p->because : "", p->because ? "\"" : "");
    sn_diag_help(c->rs->d,
                 "%s     (folds when %s is Constant; otherwise "
                 "the rule does not apply)",
                 regridded(c, t, p->index), t->by_port[p->index]->name);
    fault(c);
}

static void
check_pin(SnRuleTv *c, const SnNodeTv *n, const SnDefPort *p)
{
    const SnTerm *b = n->term->by_port[p->index];
    const SnDefPort *was = NULL;
    bool ok = true;

    if (!b || b->tk != SN_T_VAR || !b->var || b->var->vk != SN_V_VALUE)
        return; /* missing, regridded, or typed where it is created */
    if (!(sn_tv_set(c, n->arg[p->index]) & sn_ks_quant()))
        return;
    if (n->res >= 0 && !(sn_tv_set(c, n->res) & sn_ks_quant()))
        return;
    const SnNodeTv *left = pinned_at(c, b->var, &was);
    if (left && was->npin != p->npin)
        left = NULL;
    for (uint32_t i = 0; i < p->npin && left; i++) {
        int now = n->arg[p->pin[i]], old = left->arg[was->pin[i]];
        ok &= now >= 0 && old >= 0 && sn_tv_equal(c, now, old);
    }
    if (!left || !ok)
        pin_broken(c, n, p, was, left);
}

/* ---- copies, results, claims ---- */

static void
check_copy(SnRuleTv *c, const SnTerm *t)
{
    const SnPat *p = t->var->pat;
    int now, old = c->var[t->var->index];

    if (!t->type)
        return;
    now = sn_tv_expr(c, t->type);
    if (sn_tv_equal(c, now, old))
        return;
    for (uint32_t i = 0; i < c->rs->defs->nnode; i++) {
        const SnDefNode *n = c->rs->defs->node[i];
        bool in = p->cls ? p->cls->member[n->kind / 64] >> n->kind % 64 & 1
                         : n == p->node;
        if (!in || sn_resolve_bad(c->rs, n) || !n->nout ||
            (n->out[0]->fact != SN_SAME && n->out[0]->fact != SN_FIXED))
            continue;
        sn_error(c->rs->d, c->r->pos, "SN310",
                 "rule '%s' breaks '%s %s' of %s (%s): the copy gets %s",
                 c->r->name, n->out[0]->fact == SN_SAME ? "same" : "fixed",
                 n->out[0]->fact == SN_SAME ? same_names(c, n)
                                            : n->out[0]->name,
                 n->name, sn_resolve_at(c->rs, n->out[0]->fact_pos),
                 sn_expr_str(c->rs->a, t->type));
        sn_diag_help(c->rs->d, "when %s.type == %s", t->var->name,
                     sn_expr_str(c->rs->a, t->type));
        fault(c);
        return;
    }
}

static void
check_copies(SnRuleTv *c, const SnTerm *t)
{
    if (t->tk == SN_T_COPY)
        check_copy(c, t);
    for (uint32_t i = 0; i < t->narg; i++)
        check_copies(c, t->arg[i]);
}

static void
check_root(SnRuleTv *c, int v)
{
    int o = c->node[0].res;
    const SnTerm *t = c->r->rhs;
    const SnDefNode *root = c->node[0].node;

    if (v < 0 || (root && !root->nout) || sn_tv_equal(c, v, o))
        return;
    const SnExpr *x = c->expr[sn_tv_top(c, v)];
    const SnExpr *y = c->expr[sn_tv_top(c, o)];
    sn_error(c->rs->d, t->pos, "SN206",
             "rule '%s' replaces a value of %s by one of %s", c->r->name,
             y ? sn_expr_str(c->rs->a, y) : "the root's type",
             x ? sn_expr_str(c->rs->a, x) : "another type");
    if (x && y && x->ek == SN_E_MEMBER)
        sn_diag_help(c->rs->d, "when %s == %s", sn_expr_str(c->rs->a, x),
                     sn_expr_str(c->rs->a, y));
    fault(c);
}

static void
check_real(SnRuleTv *c)
{
    const SnDefVar *o = c->r->pat->cap;

    if (c->r->claim.kind != SN_CLAIM_REAL ||
        !(sn_tv_set(c, c->node[0].res) & sn_ks_quant()))
        return;
    sn_error(c->rs->d, c->r->claim.pos, "SN207",
             "rule '%s' claims equality over the reals, but may match "
             "quantized nodes",
             c->r->name);
    sn_diag_help(c->rs->d, "when %s.type == f32", o ? o->name : "o");
    fault(c);
}

void
sn_resolve_rule_types(SnResolver *rs, SnDefRule *r)
{
    SnRuleTv c = {.rs = rs, .r = r};
    int root = -1;

    sn_tv_left(&c);
    for (uint32_t i = 0; i < r->nlet; i++) {
        const SnDefVar *v = NULL;
        for (uint32_t j = 0; j < r->nvar; j++)
            if (r->var[j]->vk == SN_V_LET && r->var[j]->let == r->let[i])
                v = r->var[j];
        int t = term_tv(&c, r->let[i]);
        if (v)
            c.var[v->index] = t;
    }
    if (r->rhs)
        root = term_tv(&c, r->rhs);
    for (uint32_t i = 0; i < r->nmore; i++)
        term_tv(&c, r->more[i]);
    sn_tv_narrow(&c, c.nleft);
    for (uint32_t i = c.nleft; i < c.nnode; i++)
        if (c.node[i].res >= 0 && !c.node[i].term->type)
            force(&c, &c.node[i]);
    for (uint32_t i = c.nleft; i < c.nnode && !c.bad; i++) {
        const SnNodeTv *n = &c.node[i];
        check_same(&c, n);
        for (uint32_t p = 0; p < n->node->nin && !c.bad; p++)
            if (n->node->in[p]->fact == SN_PIN)
                check_pin(&c, n, n->node->in[p]);
        if (!c.bad)
            check_missing(&c, n);
        if (!c.bad)
            check_tuple(&c, n);
    }
    if (r->rhs && !c.bad)
        check_copies(&c, r->rhs);
    if (r->rhs && !c.bad)
        check_root(&c, root);
    check_real(&c);
}
