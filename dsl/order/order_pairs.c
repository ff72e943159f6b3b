// SPDX-License-Identifier: Apache-2.0
/* Critical pairs: where two rules overlap, both results are rewritten as far as
 * possible and compared. */
#include <string.h>
#include "dsl/order/order_term.h"

typedef enum Join {
    JOINED, /* the same nodes, types and attributes */
    NEARLY, /* the same nodes and types: differences are within the claims */
    IF,     /* the same if the conditions of later steps hold */
    APART
} Join;

typedef struct Pair {
    const SnOrderRule *x, *y; /* y's root is above, x matches inside */
    Join join;
    uint32_t n;
    uint32_t score; /* of the example */
    const char *peak, *left, *right;
} Pair;

typedef struct Pairs {
    SnOrder *c;
    const SnDefPass *p;
    SnOrderRule **v;
    uint32_t n;
    uint32_t npair;
    Pair *pair;
    uint32_t total[4];
} Pairs;

/* ---- normal forms ---- */

enum { MAXSTEP = 40 };

static SnOrderTerm *
once(Pairs *s, SnOrderTerm *t, const SnLit *k, uint32_t nk)
{
    t = sn_order_term_get(t);
    if (t->var)
        return NULL;
    for (uint32_t i = 0; i < t->narg && !t->open; i++) {
        SnOrderTerm *u = once(s, t->arg[i], k, nk);
        if (!u)
            continue;
        SnOrderTerm *w = sn_memdup(s->c->a, t, sizeof *t);
        w->arg = SN_NEW_N(s->c->a, SnOrderTerm *, t->narg + 1);
        memcpy(w->arg, t->arg, t->narg * sizeof *t->arg);
        w->arg[i] = u;
        return w;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        SnOrderRule *r = s->v[i];
        if (r->rule && r->rule->optin)
            continue;
        SnOrderTerm *u = sn_order_term_may(s->c, r->lhs, t)
                             ? sn_order_rule_apply(s->c, r, t, k, nk)
                             : NULL;
        if (u)
            return u;
    }
    return NULL;
}

static SnOrderTerm *
normal(Pairs *s, SnOrderTerm *t, const SnLit *k, uint32_t nk)
{
    for (int i = 0; i < MAXSTEP; i++) {
        SnOrderTerm *u = once(s, t, k, nk);
        if (!u)
            break;
        t = u;
    }
    return t;
}

/* ---- peaks ---- */

/* Convolution -> Rescale -> Convolution, in the order data flows. */
static void
put_chain(const SnOrder *c, SnBuf *b, SnOrderTerm *t, const SnOrderTerm *end)
{
    t = sn_order_term_get(t);
    for (uint32_t i = 0; i < t->narg && !t->var && !t->open && t != end; i++) {
        SnOrderTerm *o = sn_order_term_get(t->arg[i]);
        if (o->var)
            continue;
        put_chain(c, b, o, end);
        sn_puts(b, " -> ");
        break;
    }
    const char *s = sn_order_term_str(c, t);
    sn_putn(b, s, strcspn(s, "("));
}

static Pair *
pair_of(Pairs *s, const SnOrderRule *x, const SnOrderRule *y)
{
    for (uint32_t i = 0; i < s->npair; i++) {
        Pair *p = &s->pair[i];
        if ((p->x->step == x->step && p->y->step == y->step) ||
            (p->x->step == y->step && p->y->step == x->step))
            return p;
    }
    Pair q = {.x = x, .y = y, .join = JOINED};
    SN_PUSH(s->c->a, s->pair, s->npair, q);
    return &s->pair[s->npair - 1];
}

static SnOrderTerm *
replace(SnOrder *c, SnOrderTerm *t, const SnOrderTerm *at, SnOrderTerm *by)
{
    t = sn_order_term_get(t);
    if (t == at)
        return by;
    if (t->var || t->open)
        return t;
    SnOrderTerm *w = sn_memdup(c->a, t, sizeof *t);
    w->arg = SN_NEW_N(c->a, SnOrderTerm *, t->narg + 1);
    for (uint32_t i = 0; i < t->narg; i++)
        w->arg[i] = replace(c, t->arg[i], at, by);
    return w;
}

/* Sums of products make the better example. */
static uint32_t
weight(SnOrderTerm *t)
{
    t = sn_order_term_get(t);
    if (t->var || t->open)
        return 0;
    uint32_t n = t->node && t->node->rsem[0]->cls == SN_C_CONTRACT;
    for (uint32_t i = 0; i < t->narg; i++)
        n += weight(t->arg[i]);
    return n;
}

/* x at term `at` inside y's left side (both copies, not yet unified). */
static void
peak(Pairs *s, const SnOrderRule *x0, const SnOrderRule *y0, SnOrderRule *x,
     SnOrderRule *y, SnOrderTerm *at)
{
    SnOrder *c = s->c;
    SnLit *k = NULL, *l;
    uint32_t nk = 0;
    bool root = at == y->lhs;

    if (!sn_order_term_unify(c, x->lhs, at) || !sn_order_rule_assume(c, x) ||
        !sn_order_rule_assume(c, y))
        return;
    uint32_t nx = sn_order_rule_lits(c, x, &k),
             ny = sn_order_rule_lits(c, y, &l);
    if (sn_lits_disjoint(k, nx, l, ny))
        return;
    nk = nx;
    for (uint32_t i = 0; i < ny; i++)
        SN_PUSH(c->a, k, nk, l[i]);
    SnOrderTerm *inner = sn_order_rule_build(c, x),
                *t2 = sn_order_rule_build(c, y);
    if (!inner || !t2)
        return;
    const SnOrderTerm *spot = sn_order_term_get(at);
    SnOrderTerm *t1 = root ? inner : replace(c, y->lhs, spot, inner);
    const char *flow = NULL;
    SnBuf b;
    sn_buf_init(&b, c->a);
    put_chain(c, &b, y->lhs, NULL);
    flow = sn_buf_str(&b);
    SnLit none = {0};
    SnOrderTerm *n1 = normal(s, t1, nk ? k : &none, nk);
    SnOrderTerm *n2 = normal(s, t2, nk ? k : &none, nk);
    Join j = sn_order_term_equal(n1, n2, true)    ? JOINED
             : sn_order_term_equal(n1, n2, false) ? NEARLY
                                                  : APART;
    if (j == APART && sn_order_term_equal(normal(s, t1, NULL, 0),
                                          normal(s, t2, NULL, 0), false))
        j = IF;
    Pair *p = pair_of(s, x0, y0);
    uint32_t score = weight(y->lhs);
    s->total[j]++;
    if (!p->n++ || j > p->join || (j == p->join && score > p->score)) {
        p->join = j;
        p->score = score;
        p->x = x0;
        p->y = y0;
        p->peak = flow;
        p->left = sn_order_term_str(c, n1);
        p->right = sn_order_term_str(c, n2);
    }
}

/* The k-th node of t, the root is 0. */
static SnOrderTerm *
nth(SnOrderTerm *t, uint32_t *k)
{
    if (t->var)
        return NULL;
    if (*k == 0)
        return t;
    --*k;
    for (uint32_t i = 0; i < t->narg && !t->open; i++) {
        SnOrderTerm *u = nth(t->arg[i], k);
        if (u)
            return u;
    }
    return NULL;
}

static void
overlaps(Pairs *s, SnOrderRule *x, SnOrderRule *y, bool first)
{
    for (uint32_t at = 0; at < 16; at++) {
        uint32_t k = at;
        SnOrderTerm *t = nth(y->lhs, &k);
        if (!t)
            return;
        if (at == 0 && !first)
            continue; /* roots: once for each pair */
        if (!sn_order_term_may(s->c, x->lhs, t))
            continue;
        SnOrderRule *a = sn_order_rule_copy(s->c, x),
                    *b = sn_order_rule_copy(s->c, y);
        k = at;
        peak(s, x, y, a, b, nth(b->lhs, &k));
    }
}

/* ---- messages ---- */

static const char *
decided(Pairs *s, const Pair *p)
{
    const SnDefPrefer *by;
    bool xfirst;
    const char *x = p->x->name, *y = p->y->name;

    switch (sn_order_rule_decided(s->c->a, s->p, x, y, &by, &xfirst)) {
    case SN_BY_PREFER:
        return sn_format(s->c->a, "resolved by 'prefer %s over %s' (line %u)",
                         xfirst ? x : y, xfirst ? y : x, by->pos.line);
    case SN_BY_ORDER:
        return "resolved by 'order'";
    case SN_UNDECIDED:
        break;
    }
    return "resolved by the direction of the sweep";
}

static void
put_pair(Pairs *s, SnBuf *b, const Pair *p)
{
    static const char *const word[] = {"joined", "joined up to fidelity",
                                       "joined where conditions hold",
                                       "not joined"};

    sn_putf(b, "    %s, %s: %s (%u overlap%s)", p->x->name, p->y->name,
            word[p->join], p->n, p->n == 1 ? "" : "s");
    if (p->join == APART)
        sn_putf(b, ", %s\n      %s: %s or %s", decided(s, p), p->peak, p->left,
                p->right);
    sn_putc(b, '\n');
}

static void
say(Pairs *s, const Pair *p)
{
    sn_note(s->c->d, p->x->pos, "SN504", "%s and %s do not join on %s; %s",
            p->x->name, p->y->name, p->peak, decided(s, p));
}

void
sn_order_pairs(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n,
               SnBuf *b)
{
    Pairs s = {.c = c, .p = p, .v = v, .n = n};

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (v[i]->nrhs && v[j]->nrhs)
                overlaps(&s, v[i], v[j], i < j);
    if (b && s.npair)
        sn_putf(b,
                "  critical pairs: %u joined, %u joined up to fidelity, %u "
                "joined where conditions hold, %u not joined\n",
                s.total[JOINED], s.total[NEARLY], s.total[IF], s.total[APART]);
    for (uint32_t i = 0; i < s.npair; i++) {
        if (b)
            put_pair(&s, b, &s.pair[i]);
        if (s.pair[i].join == APART)
            say(&s, &s.pair[i]);
    }
}
