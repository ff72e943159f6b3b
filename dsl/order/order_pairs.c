// SPDX-License-Identifier: Apache-2.0
/* Critical pairs: where two rules overlap, both ways are rewritten as far as
 * they go and compared. */
#include <string.h>
#include "dsl/order/order_term.h"

typedef enum Join {
    JOINED, /* the same nodes, types and attributes */
    NEARLY, /* the same nodes and types: what differs is within the claims */
    IF,     /* the same where the conditions of later steps hold */
    APART
} Join;

typedef struct Pair {
    const SnOr *x, *y; /* y's root is above, x matches inside */
    Join join;
    uint32_t n;
    uint32_t score; /* of the example */
    const char *peak, *left, *right;
} Pair;

typedef struct Pairs {
    SnOc *c;
    const SnDefPass *p;
    SnOr **v;
    uint32_t n;
    uint32_t npair;
    Pair *pair;
    uint32_t total[4];
} Pairs;

/* ---- normal forms ---- */

enum { MAXSTEP = 40 };

static SnOt *
once(Pairs *s, SnOt *t, const SnLit *k, uint32_t nk)
{
    t = sn_ot_get(t);
    if (t->var)
        return NULL;
    for (uint32_t i = 0; i < t->narg && !t->open; i++) {
        SnOt *u = once(s, t->arg[i], k, nk);
        if (!u)
            continue;
        SnOt *w = sn_memdup(s->c->a, t, sizeof *t);
        w->arg = SN_NEW_N(s->c->a, SnOt *, t->narg + 1);
        memcpy(w->arg, t->arg, t->narg * sizeof *t->arg);
        w->arg[i] = u;
        return w;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        SnOr *r = s->v[i];
        if (r->rule && r->rule->optin)
            continue;
        SnOt *u =
            sn_ot_may(s->c, r->lhs, t) ? sn_or_apply(s->c, r, t, k, nk) : NULL;
        if (u)
            return u;
    }
    return NULL;
}

static SnOt *
normal(Pairs *s, SnOt *t, const SnLit *k, uint32_t nk)
{
    for (int i = 0; i < MAXSTEP; i++) {
        SnOt *u = once(s, t, k, nk);
        if (!u)
            break;
        t = u;
    }
    return t;
}

/* ---- peaks ---- */

/* Convolution -> Rescale -> Convolution, in the order data flows. */
static void
put_chain(const SnOc *c, SnBuf *b, SnOt *t, const SnOt *end)
{
    t = sn_ot_get(t);
    for (uint32_t i = 0; i < t->narg && !t->var && !t->open && t != end; i++) {
        SnOt *o = sn_ot_get(t->arg[i]);
        if (o->var)
            continue;
        put_chain(c, b, o, end);
        sn_puts(b, " -> ");
        break;
    }
    const char *s = sn_ot_str(c, t);
    sn_putn(b, s, strcspn(s, "("));
}

static Pair *
pair_of(Pairs *s, const SnOr *x, const SnOr *y)
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

static SnOt *
replace(SnOc *c, SnOt *t, const SnOt *at, SnOt *by)
{
    t = sn_ot_get(t);
    if (t == at)
        return by;
    if (t->var || t->open)
        return t;
    SnOt *w = sn_memdup(c->a, t, sizeof *t);
    w->arg = SN_NEW_N(c->a, SnOt *, t->narg + 1);
    for (uint32_t i = 0; i < t->narg; i++)
        w->arg[i] = replace(c, t->arg[i], at, by);
    return w;
}

/* Sums of products make the better example. */
static uint32_t
weight(SnOt *t)
{
    t = sn_ot_get(t);
    if (t->var || t->open)
        return 0;
    uint32_t n = t->node && t->node->rsem[0]->cls == SN_DC_CONTRACT;
    for (uint32_t i = 0; i < t->narg; i++)
        n += weight(t->arg[i]);
    return n;
}

/* x at term `at` inside y's left side (both copies, not yet unified). */
static void
peak(Pairs *s, const SnOr *x0, const SnOr *y0, SnOr *x, SnOr *y, SnOt *at)
{
    SnOc *c = s->c;
    SnLit *k = NULL, *l;
    uint32_t nk = 0;
    bool root = at == y->lhs;

    if (!sn_ot_unify(c, x->lhs, at) || !sn_or_assume(c, x) ||
        !sn_or_assume(c, y))
        return;
    uint32_t nx = sn_or_lits(c, x, &k), ny = sn_or_lits(c, y, &l);
    if (sn_lits_disjoint(k, nx, l, ny))
        return;
    nk = nx;
    for (uint32_t i = 0; i < ny; i++)
        SN_PUSH(c->a, k, nk, l[i]);
    SnOt *inner = sn_or_build(c, x), *t2 = sn_or_build(c, y);
    if (!inner || !t2)
        return;
    const SnOt *spot = sn_ot_get(at);
    SnOt *t1 = root ? inner : replace(c, y->lhs, spot, inner);
    const char *flow = NULL;
    SnBuf b;
    sn_buf_init(&b, c->a);
    put_chain(c, &b, y->lhs, NULL);
    flow = sn_buf_str(&b);
    SnLit none = {0};
    SnOt *n1 = normal(s, t1, nk ? k : &none, nk);
    SnOt *n2 = normal(s, t2, nk ? k : &none, nk);
    Join j = sn_ot_equal(n1, n2, true)    ? JOINED
             : sn_ot_equal(n1, n2, false) ? NEARLY
                                          : APART;
    if (j == APART &&
        sn_ot_equal(normal(s, t1, NULL, 0), normal(s, t2, NULL, 0), false))
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
        p->left = sn_ot_str(c, n1);
        p->right = sn_ot_str(c, n2);
    }
}

/* The k-th node of t, the root is 0. */
static SnOt *
nth(SnOt *t, uint32_t *k)
{
    if (t->var)
        return NULL;
    if (*k == 0)
        return t;
    --*k;
    for (uint32_t i = 0; i < t->narg && !t->open; i++) {
        SnOt *u = nth(t->arg[i], k);
        if (u)
            return u;
    }
    return NULL;
}

static void
overlaps(Pairs *s, SnOr *x, SnOr *y, bool first)
{
    for (uint32_t at = 0; at < 16; at++) {
        uint32_t k = at;
        SnOt *t = nth(y->lhs, &k);
        if (!t)
            return;
        if (at == 0 && !first)
            continue; /* roots: once for each pair */
        if (!sn_ot_may(s->c, x->lhs, t))
            continue;
        SnOr *a = sn_or_copy(s->c, x), *b = sn_or_copy(s->c, y);
        k = at;
        peak(s, x, y, a, b, nth(b->lhs, &k));
    }
}

/* ---- what is said ---- */

static const char *
decided(Pairs *s, const Pair *p)
{
    const SnDefPrefer *by;
    bool xfirst;
    const char *x = p->x->name, *y = p->y->name;

    switch (sn_or_decided(s->c->a, s->p, x, y, &by, &xfirst)) {
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
sn_order_pairs(SnOc *c, const SnDefPass *p, SnOr **v, uint32_t n, SnBuf *b)
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
