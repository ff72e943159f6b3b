// SPDX-License-Identifier: Apache-2.0
/* Does a pass end?
 *
 * Several things are counted, each a number (or a multiset) that no rule may
 * raise.  A rule that lowers one of them, while no rule left raises it, can
 * fire only finitely often between fires of the others, and is set aside; when
 * nothing is left, the pass ends.  docs/order.md has the argument. */
#include <string.h>
#include "dsl/order/order_term.h"

typedef struct End {
    SnOrder *c;
    const SnDefPass *pass;
    uint32_t n;
    SnOrderRule **v;
    uint32_t nm;
    SnMeasure *m;
    uint8_t *fall;   /* [n * nm] SnFall */
    const char **by; /* [n] */
} End;

/* ---- what is counted ---- */

static uint64_t *
kinds_where(SnOrder *c, bool (*f)(const SnDefNode *))
{
    uint64_t *s = sn_order_set(c, NULL);

    for (uint32_t i = 0; i < c->defs->nnode; i++) {
        uint32_t k = c->defs->node[i]->kind;
        if (f(c->defs->node[i]))
            s[k / 64] |= UINT64_C(1) << k % 64;
    }
    return s;
}

static bool
any(const SnDefNode *n)
{
    (void)n;
    return true;
}

static void
mention(const SnOrder *c, uint64_t *s, const SnOrderTerm *t)
{
    if (t->var)
        return;
    for (uint32_t i = 0; i < c->nword && !t->open; i++)
        s[i] |= t->kinds[i];
    for (uint32_t i = 0; i < t->narg; i++)
        mention(c, s, t->arg[i]);
}

static void
add(End *e, SnMeasureKind mk, const uint64_t *kinds, const char *what)
{
    SnMeasure m = {mk, kinds, what};

    SN_PUSH(e->c->a, e->m, e->nm, m);
}

/* Moves of data go down if the pass says so, or if it has no conversions, which
 * would have to go up. */
static bool
may_sink(const End *e, const SnDefNode *n, bool converts)
{
    for (uint32_t i = 0; i < e->pass->nderive; i++)
        if (e->pass->derive[i]->kind == n->kind)
            return true;
    return !converts && n->rsem[0]->cls == SN_C_MOVE;
}

static void
measures(End *e)
{
    SnOrder *c = e->c;
    uint64_t *s = sn_order_set(c, NULL);
    uint64_t *conv = kinds_where(c, sn_order_term_convert),
             *all = kinds_where(c, any);

    for (uint32_t i = 0; i < e->n; i++) {
        const SnDefRule *r = e->v[i]->rule;
        mention(c, s, e->v[i]->lhs);
        for (uint32_t k = 0; k < e->v[i]->nrhs; k++)
            mention(c, s, e->v[i]->rhs[k]);
        for (uint32_t k = 0; r && k < r->nremoves; k++) {
            const SnDefNode *n = sn_def_node(c->defs, r->removes[k]);
            if (n)
                s[n->kind / 64] |= UINT64_C(1) << n->kind % 64;
        }
    }
    add(e, SN_M_FLOATS, all, "float nodes");
    add(e, SN_M_HEIGHT, conv, "heights of conversions");
    for (uint32_t i = 0; i < c->defs->nnode; i++) {
        const SnDefNode *n = c->defs->node[i];
        if (!(s[n->kind / 64] >> n->kind % 64 & 1))
            continue;
        add(e, SN_M_COUNT, sn_order_set(c, n),
            sn_format(c->a, "number of %s", n->name));
    }
    for (uint32_t i = 0; i < c->defs->nnode; i++) {
        const SnDefNode *n = c->defs->node[i];
        if (!(s[n->kind / 64] >> n->kind % 64 & 1))
            continue;
        uint64_t *one = sn_order_set(c, n);
        if (n->nin == 1 && may_sink(e, n, sn_order_meets(c, s, conv)))
            add(e, SN_M_HEIGHT, one, sn_format(c->a, "heights of %s", n->name));
        add(e, SN_M_PATHS, one, sn_format(c->a, "%s along paths", n->name));
    }
    add(e, SN_M_COUNT, conv, "number of conversions");
    add(e, SN_M_COUNT, all, "number of nodes");
    add(e, SN_M_PATHS, all, "nodes along paths");
}

/* ---- the argument ---- */

static void
table(End *e)
{
    e->fall = SN_NEW_N(e->c->a, uint8_t, (size_t)e->n * e->nm + 1);
    e->by = SN_NEW_N(e->c->a, const char *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = 0; k < e->nm; k++)
            e->fall[i * e->nm + k] =
                (uint8_t)sn_order_fall(e->c, &e->m[k], e->v[i]);
}

/* Do the rules in `in` terminate together?  Fills by[] of those set aside. */
static bool
ends(End *e, const bool *in, const char **by)
{
    bool *left = sn_memdup(e->c->a, in, e->n + 1);
    bool again = true, some = true;

    while (again && some) {
        again = some = false;
        for (uint32_t k = 0; k < e->nm; k++) {
            bool ok = true;
            for (uint32_t i = 0; i < e->n && ok; i++)
                ok = !left[i] || e->fall[i * e->nm + k] != SN_RISES;
            for (uint32_t i = 0; i < e->n && ok; i++)
                if (left[i] && e->fall[i * e->nm + k] == SN_FALLS) {
                    left[i] = false;
                    again = true;
                    if (by)
                        by[i] = e->m[k].what;
                }
        }
        for (uint32_t i = 0; i < e->n; i++)
            some |= left[i];
    }
    return !some;
}

/* ---- loops, for the message ---- */

typedef struct Loop {
    End *e;
    const bool *in; /* rules taken so far, and the one in question */
    SnOrderRule *r;
    uint32_t n;
    SnOrderRule *step[4];
    SnOrderTerm *term[5]; /* term[i + 1] is term[i] after step[i] */
} Loop;

/* t with one rewrite by q, at the place-th node; NULL if there are fewer places
 * or q does not apply. */
static SnOrderTerm *
rewritten(Loop *l, SnOrderRule *q, SnOrderTerm *t, uint32_t *place, bool *past)
{
    t = sn_order_term_get(t);
    if (t->var)
        return NULL;
    if (*place == 0) {
        *past = true;
        return sn_order_rule_apply(l->e->c, q, t, NULL, 0); /* may hold */
    }
    --*place;
    for (uint32_t i = 0; i < t->narg && !t->open; i++) {
        SnOrderTerm *u = rewritten(l, q, t->arg[i], place, past);
        if (u) {
            SnOrderTerm *w = sn_memdup(l->e->c->a, t, sizeof *t);
            w->arg = SN_NEW_N(l->e->c->a, SnOrderTerm *, t->narg + 1);
            memcpy(w->arg, t->arg, t->narg * sizeof *t->arg);
            w->arg[i] = u;
            return w;
        }
        if (*past)
            return NULL;
    }
    return NULL;
}

/* Does r apply somewhere in t? */
static bool
again(Loop *l, SnOrderTerm *t)
{
    t = sn_order_term_get(t);
    if (t->var)
        return false;
    bool hit = sn_order_term_match(l->e->c, l->r->lhs, t);
    sn_order_term_unmatch(l->r->lhs);
    for (uint32_t i = 0; i < t->narg && !hit && !t->open; i++)
        hit = again(l, t->arg[i]);
    return hit;
}

static bool
search(Loop *l, uint32_t most)
{
    End *e = l->e;

    if (again(l, l->term[l->n]))
        return true;
    if (l->n == most)
        return false;
    for (uint32_t i = 0; i < e->n; i++) {
        if (!l->in[i] || e->v[i] == l->r)
            continue;
        for (uint32_t k = 0; k < 12; k++) {
            uint32_t place = k;
            bool past = false;
            SnOrderTerm *u =
                rewritten(l, e->v[i], l->term[l->n], &place, &past);
            if (!past)
                break;
            if (!u)
                continue;
            l->step[l->n] = e->v[i];
            l->term[++l->n] = u;
            if (search(l, most))
                return true;
            l->n--;
        }
    }
    return false;
}

/* A loop from r's left side back to it. */
static bool
loop(Loop *l)
{
    End *e = l->e;
    SnOrderRule *s = sn_order_rule_copy(e->c, l->r);

    l->term[0] = s->lhs;
    l->term[1] = sn_order_rule_build(e->c, s);
    l->step[0] = l->r;
    l->n = 1;
    if (!l->term[1])
        return false;
    for (uint32_t most = 1; most <= 3; most++) {
        l->n = 1;
        if (search(l, most))
            return true;
    }
    return false;
}

/* ---- messages ---- */

static const char *
called(const End *e, const SnOrderRule *r)
{
    SnArena *a = e->c->a;

    if (r->derive && r->port < r->node->nin)
        return sn_format(a, "'%s' (derived, %s.%s)", r->name, r->node->name,
                         r->node->in[r->port]->name);
    if (r->derive)
        return sn_format(a, "'%s' (derived, %s)", r->name, r->node->name);
    return sn_format(a, "'%s' (line %u)", r->name, r->pos.line);
}

/* The kinds of conversion and of another node that a hoist exchanges. */
static bool
is_hoist(const SnOrderRule *r, const SnDefNode **conv, const SnDefNode **node)
{
    const SnOrderTerm *l = r->lhs, *t = r->nrhs == 1 ? r->rhs[0] : NULL;

    if (!t || !l->node || !t->node || l->narg < 1 || l->arg[0]->var ||
        l->arg[0]->node != t->node || t == l->arg[0])
        return false;
    for (uint32_t i = 0; i < t->narg; i++)
        if (t->arg[i]->fresh && t->arg[i]->node == l->node) {
            *conv = l->node;
            *node = t->node;
            return true;
        }
    return false;
}

static void
measure_help(End *e)
{
    sn_diag_help(e->c->d,
                 "a rule must remove nodes, move conversions down, or "
                 "consume a kind that no rule of pass %s makes",
                 e->pass->name);
}

/* What to change: only what rules make counts here, not their conditions. */
static void
loop_help(End *e, const SnOrderRule *r, const SnOrderRule *with)
{
    if (with && !with->derive)
        sn_diag_help(e->c->d,
                     "keep one of '%s' and '%s' in pass %s, or move one to a "
                     "pass of its own",
                     r->name, with->name, e->pass->name);
    else if (with)
        measure_help(e);
    else
        sn_diag_help(e->c->d,
                     "make a right side in which the left side of '%s' does "
                     "not occur, such as one with fewer nodes or of other "
                     "kinds",
                     r->name);
}

static void
loop_message(End *e, const SnOrderRule *r, const Loop *l)
{
    SnOrder *c = e->c;
    SnBuf b;
    const SnDefNode *conv, *node;
    const SnOrderRule *with = NULL;

    for (uint32_t i = 1; i < l->n; i++)
        if (!with || l->step[i]->derive)
            with = l->step[i];
    if (with)
        sn_error(c->d, r->pos, "SN401",
                 "rule '%s' does not terminate together with %s", r->name,
                 called(e, with));
    else
        sn_error(c->d, r->pos, "SN401",
                 "rule '%s' does not terminate: it applies again to what it "
                 "makes",
                 r->name);
    sn_buf_init(&b, c->a);
    for (uint32_t i = 0; i <= l->n; i++) {
        sn_order_term_put(c, &b, l->term[i]);
        sn_puts(&b, " => ");
    }
    sn_puts(&b, "...");
    sn_diag_line(c->d, "%s", sn_buf_str(&b));
    if (with && is_hoist(r, &conv, &node)) {
        const char *moved = conv == c->rescale ? "conversion" : conv->name;
        sn_diag_line(c->d,
                     "'%s' adds a %s above %s and removes one below it; "
                     "every other rule moves %ss down",
                     r->name, moved, node->name, moved);
        if (!with->derive)
            measure_help(e);
        else
            sn_diag_help(c->d,
                         "remove '%s', or exclude %s from 'derive %s %s "
                         "through ...'",
                         r->name, node->name, with->name, with->derive->what);
        return;
    }
    loop_help(e, r, with);
}

static const char *
conversions(const SnOrder *c, uint32_t n)
{
    return sn_format(c->a, "%u conversion%s", n, n == 1 ? "" : "s");
}

static void
raise_message(End *e, const SnOrderRule *r)
{
    SnOrder *c = e->c;
    uint64_t *conv = kinds_where(c, sn_order_term_convert);
    uint32_t was = sn_order_count(c, conv, r->lhs), now = 0;
    const SnDefNode *cn, *nn;

    for (uint32_t i = 0; i < r->nrhs; i++)
        now += sn_order_count(c, conv, r->rhs[i]);
    if (now > was)
        sn_error(c->d, r->pos, "SN401",
                 "rule '%s' raises the termination measure: %s becomes %u",
                 r->name, conversions(c, was), now);
    else if (is_hoist(r, &cn, &nn))
        sn_error(c->d, r->pos, "SN401",
                 "rule '%s' raises the termination measure: a %s moves above "
                 "%s",
                 r->name, cn->name, nn->name);
    else if (!r->nrhs)
        sn_error(c->d, r->pos, "SN401",
                 "custom rule '%s' is not shown to terminate: some rule of the "
                 "pass makes every kind that its contract removes",
                 r->name);
    else
        sn_error(c->d, r->pos, "SN401",
                 "rule '%s' is not shown to terminate: other rules raise every "
                 "measure that it lowers",
                 r->name);
    const SnOrderTerm *in = r->lhs->narg ? r->lhs->arg[0] : NULL;
    if (now > was && in && in->node && in->node->family.merge &&
        r->lhs->node == c->rescale)
        sn_diag_help(c->d,
                     "%s.%s is free, so 'derive merge' already removes "
                     "this %s in one step",
                     in->node->name, in->node->out[0]->name,
                     r->lhs->node->name);
    else if (now <= was && is_hoist(r, &cn, &nn))
        sn_diag_help(c->d,
                     "exchange the sides: in a pass every %s moves from "
                     "operands to results",
                     cn->name);
    else
        measure_help(e);
}

/* Adds the rules in the order of the file, derived ones first, and names each
 * rule with which the rules so far no longer terminate. */
static void
blame(End *e)
{
    bool *in = SN_NEW_N(e->c->a, bool, e->n + 1);

    for (uint32_t i = 0; i < e->n; i++)
        in[i] = e->v[i]->derive != NULL;
    for (;;) {
        uint32_t best = e->n;
        for (uint32_t i = 0; i < e->n; i++)
            if (!in[i] && e->v[i]->rule && e->by[i] == NULL &&
                (best == e->n || e->v[i]->pos.line < e->v[best]->pos.line))
                best = i;
        if (best == e->n)
            return;
        SnOrderRule *r = e->v[best];
        for (uint32_t i = 0; i < e->n; i++)
            in[i] |= e->v[i]->rule == r->rule;
        if (ends(e, in, NULL))
            continue;
        Loop l = {.e = e, .in = in, .r = r};
        bool found = false;
        for (uint32_t i = 0; i < e->n && !found; i++)
            if (e->v[i]->rule == r->rule) {
                l.r = e->v[i];
                found = loop(&l);
            }
        if (found)
            loop_message(e, r, &l);
        else
            raise_message(e, r);
        for (uint32_t i = 0; i < e->n; i++)
            if (e->v[i]->rule == r->rule) {
                in[i] = false;
                e->by[i] = ""; /* reported */
            }
    }
}

/* ---- rules that give back their left side ---- */

static bool
asg_differs(const SnOrderRule *r, const SnOrderTerm *was,
            const SnOrderTerm *now)
{
    (void)r;
    for (uint32_t i = 0; i < was->nasg; i++)
        for (uint32_t k = 0; k < now->nasg; k++) {
            const SnExpr *a = was->asg[i].e, *b = now->asg[k].e;
            if (was->asg[i].attr == now->asg[k].attr &&
                (a->ek == SN_E_BOOL || a->ek == SN_E_INT) && a->ek == b->ek &&
                a->i != b->i)
                return true;
        }
    return false;
}

/* The right side t has the shape of the left side s, with the same values. */
static bool
same_shape(const SnOrderRule *r, const SnOrderTerm *s, const SnOrderTerm *t)
{
    if (s == t)
        return true;
    if (s->var || t->var || !(s->elems & t->elems) || asg_differs(r, s, t))
        return false;
    if (t->copy && t->like == s)
        return true;
    if (s->open || s->node != t->node || s->narg != t->narg)
        return false;
    const int8_t *m = s->node->comm;
    bool swapped = m[0] >= 0 && m[1] >= 0;
    for (uint32_t i = 0; i < s->narg; i++)
        if (!same_shape(r, s->arg[i], t->arg[i])) {
            uint32_t k = !swapped              ? i
                         : i == (uint32_t)m[0] ? (uint32_t)m[1]
                         : i == (uint32_t)m[1] ? (uint32_t)m[0]
                                               : i;
            if (k == i || !same_shape(r, s->arg[i], t->arg[k]))
                return false;
        }
    return true;
}

static bool
gives_back(End *e, const SnOrderRule *r)
{
    if (!r->rule || r->nrhs != 1 || !same_shape(r, r->lhs, r->rhs[0]))
        return false;
    sn_error(e->c->d, r->pos, "SN402",
             "rule '%s' can rewrite a node to an identical one", r->name);
    return true;
}

/* ---- copies ---- */

static bool
heavy(const SnDefNode *n)
{
    return n->rsem[0]->cls == SN_C_CONTRACT;
}

/* An inner left node with operands or an effect that may stay. */
static const SnOrderTerm *
stays(const SnOrder *c, const SnOrderTerm *t, bool root, bool mine,
      const SnOrderTerm *like)
{
    mine = root || (mine && t->once);
    if (t->var)
        return NULL;
    if (!mine && (like == t || (like->node && like->node == t->node)))
        return t;
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnOrderTerm *u = stays(c, t->arg[i], false, mine, like);
        if (u)
            return u;
    }
    return NULL;
}

static bool
is_leaf(const SnDefNode *n)
{
    return n->nin == 0 && !n->has_effect;
}

static const SnOrderTerm *
inner_heavy(const SnOrder *c, const SnOrderTerm *t, bool root, bool mine)
{
    mine = root || (mine && t->once);
    if (t->var)
        return NULL;
    if (!mine && !t->open && sn_order_term_every(c, t, heavy))
        return t;
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnOrderTerm *u = inner_heavy(c, t->arg[i], false, mine);
        if (u)
            return u;
    }
    return NULL;
}

static void
copy_message(SnOrder *c, const SnOrderRule *r, const SnOrderTerm *t, bool same)
{
    SnBuf b;
    const SnDefNode *n = t->node;

    sn_buf_init(&b, c->a);
    if (n)
        sn_puts(&b, n->name);
    else
        sn_puts(&b, "node");
    sn_error(c->d, r->pos, "SN403",
             same ? "rule '%s' would copy a %s when it has other users"
                  : "rule '%s' would compute a %s again when it has other "
                    "users",
             r->name, sn_buf_str(&b));
    sn_buf_init(&b, c->a);
    if (r->lhs->node)
        sn_putf(&b, "%s(", r->lhs->node->name);
    for (uint32_t i = 0; i < r->lhs->narg; i++) {
        const SnOrderTerm *o = r->lhs->arg[i];
        if (i)
            sn_puts(&b, ", ");
        if (o->var)
            sn_puts(&b, o->name ? o->name : "_");
        else if (o->open)
            sn_puts(&b, "any ..");
        else
            sn_putf(&b, "%s(...)", o->node ? o->node->name : "forms");
        if (!o->var && o->name)
            sn_putf(&b, " @%s", o->name);
        if (o == t || o->once)
            sn_puts(&b, " :1");
    }
    if (r->lhs->node)
        sn_putc(&b, ')');
    sn_diag_help(c->d, "%s", sn_buf_str(&b));
}

static void
made(const SnOrderTerm *t, const SnOrderTerm **v, uint32_t *n, uint32_t most)
{
    for (uint32_t i = 0; i < *n; i++)
        if (v[i] == t)
            return;
    if (!t->fresh || *n == most)
        return;
    v[(*n)++] = t;
    for (uint32_t i = 0; i < t->narg; i++)
        made(t->arg[i], v, n, most);
}

/* A conversion that moves down may be made for each user if the rule says why:
 * a choice of cost, as the pass ends either way. */
static bool
moves_down(SnOrder *c, const SnOrderRule *r, const SnOrderTerm *t)
{
    SnMeasure m = {SN_M_HEIGHT, kinds_where(c, sn_order_term_convert), NULL};

    return r->rule->note && sn_order_term_every(c, t, sn_order_term_convert) &&
           sn_order_fall(c, &m, r) == SN_FALLS;
}

/* A rule must not make a node of a kind, or a sum of products, in addition to
 * one that its left side read and that others may still use. */
static void
copies(SnOrder *c, const SnOrderRule *r)
{
    const SnOrderTerm *v[64];
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->nrhs; i++)
        made(r->rhs[i], v, &n, 64);
    for (uint32_t i = 0; i < n; i++) {
        if (v[i]->node && is_leaf(v[i]->node))
            continue;
        const SnOrderTerm *s =
            stays(c, r->lhs, true, true, v[i]->copy ? v[i]->like : v[i]);
        if (!s)
            continue;
        SnOrderTake k = sn_order_take(c, v[i]->kinds, r);
        if (v[i]->open || k.made > k.removed) {
            if (!moves_down(c, r, s))
                copy_message(c, r, s, true);
            return;
        }
    }
    const SnOrderTerm *s = inner_heavy(c, r->lhs, true, true);
    uint64_t *h = kinds_where(c, heavy);
    SnOrderTake k = sn_order_take(c, h, r);
    if (s && k.made > k.removed)
        copy_message(c, r, s, false);
}

void
sn_order_copies(SnOrder *c, SnOrderRule *const *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i]->rule && v[i]->first && v[i]->nrhs)
            copies(c, v[i]);
}

void
sn_order_end(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n,
             SnMeasures *m)
{
    End e = {.c = c, .pass = p, .n = n, .v = v};
    bool *in = SN_NEW_N(c->a, bool, n + 1);

    measures(&e);
    table(&e);
    m->by = e.by;
    for (uint32_t i = 0; i < n; i++)
        in[i] = !(v[i]->first && gives_back(&e, v[i]));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n && !in[i]; k++)
            if (v[k]->rule == v[i]->rule && v[i]->rule)
                in[k] = false;
    for (uint32_t i = 0; i < n; i++)
        if (!in[i])
            e.by[i] = ""; /* reported */
    if (!ends(&e, in, e.by))
        blame(&e);
}
