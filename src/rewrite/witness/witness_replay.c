// SPDX-License-Identifier: Apache-2.0
/* Doing the steps of a log over again, and asking of each whether it may be.
 * All nodes of the log are in one graph from the start; what a step adds is
 * read by nothing before it. */
#include <math.h>
#include <string.h>
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "rewrite/internal.h"
#include "rewrite/witness/witness_form.h"
#include "rewrite/witness/witness_priv.h"

typedef struct Replay {
    SnArena *a;
    SnGraph *g;
    SnRewriter *rw; /* holds the fire that is looked at, and nothing more */
    const SnRewriteOpts *o;
    SnDiag *d;
    const char *path;
    SnSteps steps;
    uint32_t *age; /* [g->nnode] the step that adds it, from 1; 0: was there */
    uint32_t now;  /* the step under way, from 1 */
    SnPair *pair;  /* what it replaces */
    uint32_t npair;
    SnRef *like; /* [nnode << SN_RESBITS] of a built-in pass; NULL: not yet */
    SnVerdict *out;
} Replay;

static const SnWitnessStep *
step(const Replay *r)
{
    return &r->steps.v[r->now - 1];
}

/* The log holds what no log has. */
static SnStatus
broken(const Replay *r, const char *what)
{
    return sn_fail(r->d, SN_EINPUT, r->path, "step %u (%s): %s", r->now,
                   r->now ? step(r)->by : "none", what);
}

static SnStatus
refused(const Replay *r, const char *what, SnId at)
{
    return sn_fail(r->d, SN_ECHECK, r->path, "step %u (%s) %s at %s", r->now,
                   r->now ? step(r)->by : "none", what,
                   sn_label(r->g, at, r->a));
}

static bool
exists(const Replay *r, SnId id)
{
    return id > 0 && id < r->g->nnode && !sn_node(r->g, id)->dead &&
           r->age[id] <= r->now;
}

static bool
is_result(const Replay *r, SnRef v)
{
    return v && exists(r, SN_NODE(v)) && SN_RES(v) < sn_def(r->g, v)->nres &&
           sn_type(r->g, v);
}

/* ---- what the log begins with ---- */

static SnStatus
ages(Replay *r)
{
    r->age = SN_NEW_N(r->a, uint32_t, r->g->nnode);
    for (r->now = 1; r->now <= r->steps.n; r->now++)
        for (uint32_t i = 0; i < step(r)->nadd; i++) {
            SnId id = step(r)->add[i];
            if (!id || id >= r->g->nnode || r->age[id])
                return broken(r,
                              "adds a node that is invalid or exists already");
            if (sn_desc(sn_node(r->g, id)->kind)->effect)
                return sn_fail(r->d, SN_EUNSUPPORTED, r->path,
                               "step %u (%s) makes an input or output: such "
                               "steps cannot be verified",
                               r->now, step(r)->by);
            r->age[id] = r->now;
        }
    for (SnId id = 1; id < r->g->nnode; id++) {
        const SnNode *n = sn_node(r->g, id);
        r->now = r->age[id];
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->in[s].ref && r->age[SN_NODE(n->in[s].ref)] > r->now)
                return broken(r, "a node reads one that does not exist yet");
    }
    return SN_OK;
}

/* Without what the steps add, is the log's graph the one before? */
static SnStatus
same_start(Replay *r, const SnGraph *before)
{
    SnGraph *first;
    const char *why;
    SnArena *a = sn_arena_new();
    SnStatus st = sn_text_load(a, r->path, r->d, &first);

    for (SnId id = r->g->nnode; st == SN_OK && id-- > 1;)
        if (r->age[id])
            sn_remove(first, id);
    if (st == SN_OK && !sn_graph_equal(before, first, a, &why))
        st = sn_fail(r->d, SN_ECHECK, r->path,
                     "is the log of another model: %s", why);
    sn_arena_free(a);
    return st;
}

/* ---- one step ---- */

static bool
has_pair(const Replay *r, SnRef old, SnRef now)
{
    for (uint32_t i = 0; i < r->npair; i++)
        if (r->pair[i].old == old && r->pair[i].new_ == now)
            return true;
    return false;
}

/* Operands read other values of the same type and shape. */
static SnStatus
redirect(Replay *r)
{
    const SnWitnessStep *s = step(r);

    r->npair = 0;
    r->pair = NULL;
    for (uint32_t i = 0; i < s->nuse; i++) {
        const SnRedirect *u = &s->use[i];
        if (!exists(r, u->user) || !is_result(r, u->now))
            return broken(r, "a node that does not exist");
        SnRef old = sn_in(r->g, u->user, u->slot);
        SnPair p = {old, u->now};
        if (!old)
            return broken(r, "an operand that does not exist");
        if (sn_type(r->g, old) != sn_type(r->g, u->now) ||
            sn_shape_of(r->g, old) != sn_shape_of(r->g, u->now))
            return refused(r, "replaces a value by one of another type",
                           u->user);
        if (!has_pair(r, old, u->now))
            SN_PUSH(r->a, r->pair, r->npair, p);
        sn_set_in(r->g, u->user, u->slot, u->now);
    }
    if (s->nuse) {
        uint32_t n;
        SnArena *a = sn_arena_new();
        sn_topo(r->g, a, &n);
        sn_arena_free(a);
        if (n != r->g->nlive)
            return refused(r, "makes a cycle", s->use[0].user);
    }
    return SN_OK;
}

/* Nodes go that nothing reads, those first that read others. */
static SnStatus
drop(Replay *r)
{
    const SnWitnessStep *s = step(r);
    uint32_t left = s->ndrop, before;

    do {
        before = left;
        for (uint32_t i = 0; i < s->ndrop; i++) {
            SnId id = s->drop[i];
            if (id == 0 || id >= r->g->nnode || r->age[id] > r->now)
                return broken(r, "removes a node that does not exist");
            SnNode *n = sn_node(r->g, id);
            bool used = false;
            for (unsigned k = 0; !n->dead && k < n->nres; k++)
                used = used || n->res[k].nuse;
            if (n->dead || used)
                continue;
            if (sn_desc(n->kind)->effect)
                return sn_fail(r->d, SN_EUNSUPPORTED, r->path,
                               "step %u (%s) removes an input or output: such "
                               "steps cannot be verified",
                               r->now, s->by);
            sn_remove(r->g, id);
            left--;
        }
    } while (left && left < before);
    return left ? broken(r, "removes a node that is in use") : SN_OK;
}

/* ---- built-in passes ---- */

static bool
same_data(const Replay *r, SnRef x, SnRef y, SnArena *a)
{
    size_t n = sn_tensor_nbyte(sn_type(r->g, x), sn_shape_of(r->g, x));
    const void *v = sn_eval_const(r->g, x, a), *w = sn_eval_const(r->g, y, a);

    return v && w && (!n || !memcmp(v, w, n));
}

/* Values that a built-in pass holds for the same: sets whose members lead to
 * one of them by like[] (0: itself).  Each union is a pair that is still to be
 * looked at, so that a graph costs its size, whatever its depth, and not its
 * number of paths. */
typedef struct Union {
    SnRef x, y, lead; /* lead: whose like[] was set */
} Union;

typedef struct Unions {
    SnArena *a;
    Union *v;
    uint32_t n;
} Unions;

static SnRef
leader(const Replay *r, SnRef x)
{
    SnRef *like = r->like;

    for (; like[x]; x = like[x])
        if (like[like[x]])
            like[x] = like[like[x]];
    return x;
}

/* false: one of them is absent. */
static bool
unite(Replay *r, Unions *s, SnRef x, SnRef y)
{
    if (x == y)
        return true;
    if (!x || !y)
        return false;
    Union u = {x, y, leader(r, x)};
    SnRef to = leader(r, y);
    if (u.lead == to)
        return true;
    r->like[u.lead] = to;
    SN_PUSH(s->a, s->v, s->n, u);
    return true;
}

/* The same in all but their operands. */
static bool
alike(const SnNode *m, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(m->kind);

    if (m->kind != n->kind || m->nin != n->nin || d->effect || m->data ||
        n->data || m->calibrated != n->calibrated ||
        !sn_attrs_equal(d, m->attr, n->attr))
        return false;
    for (unsigned k = 0; k < m->nres; k++)
        if (m->res[k].type != n->res[k].type)
            return false;
    return true;
}

/* Are x and y the same if their operands are, or constants of the same data? */
static bool
same_node(Replay *r, Unions *s, SnRef x, SnRef y)
{
    const SnNode *m = sn_def(r->g, x), *n = sn_def(r->g, y);

    if (sn_type(r->g, x) != sn_type(r->g, y) ||
        sn_shape_of(r->g, x) != sn_shape_of(r->g, y))
        return false;
    if (SN_RES(x) != SN_RES(y) || !alike(m, n))
        return same_data(r, x, y, s->a);
    for (uint32_t i = 0; i < m->nin; i++)
        if (!unite(r, s, m->in[i].ref, n->in[i].ref))
            return false;
    return true;
}

/* Are x and y the same nodes over the same values?  What differs is constant
 * and has the same data. */
static bool
same_value(Replay *r, SnRef x, SnRef y, SnArena *a)
{
    Unions s = {.a = a};

    if (!r->like)
        r->like = SN_NEW_N(r->a, SnRef, (size_t)r->g->nnode << SN_RESBITS);
    bool same = unite(r, &s, x, y);
    for (uint32_t i = 0; same && i < s.n; i++)
        same = same_node(r, &s, s.v[i].x, s.v[i].y);
    for (uint32_t i = 0; i < s.n; i++)
        r->like[s.v[i].lead] = 0;
    return same;
}

/* fold, cse, splats, constants, dce, keep_lower and what passes of rules leave:
 * the same value in other nodes. */
static SnStatus
built_in(Replay *r)
{
    SnArena *a = sn_arena_new();
    SnStatus st = SN_OK;

    for (uint32_t i = 0; i < r->npair && st == SN_OK; i++)
        if (!same_value(r, r->pair[i].old, r->pair[i].new_, a))
            st = refused(r, "replaces a value by one that is not equal",
                         SN_NODE(r->pair[i].old));
    sn_arena_free(a);
    return st;
}

/* ---- fires ---- */

static uint32_t
rule_named(const char *by, const char *backend)
{
    const char *dot = strchr(by, '.');

    for (uint32_t i = 0; dot && i < sn_rule_end(); i++) {
        const SnRuleDesc *k = sn_rule(i);
        if (strlen(k->pass) == (size_t)(dot - by) &&
            !strncmp(k->pass, by, (size_t)(dot - by)) &&
            !strcmp(k->name, dot + 1) &&
            (!k->backend || !strcmp(k->backend, backend)))
            return i;
    }
    return sn_rule_end();
}

static bool
listed(const char *const *l, const char *word)
{
    for (; l && *l; l++)
        if (!strcmp(*l, word))
            return true;
    return false;
}

/* May the rule run at all: in a pass that allows its claim, and switched on
 * where it has to be? */
static SnStatus
permitted(const Replay *r, const SnRuleDesc *k, SnClaim c)
{
    const SnBackendDesc *b = r->rw->o.backend;
    const SnPassDesc *pass = NULL;

    for (uint32_t i = 0; i < sn_pass_end(); i++) {
        const SnPassDesc *p = sn_pass_at(i);
        if (!strcmp(p->name, k->pass) &&
            (!p->backend || !strcmp(p->backend, b->name)))
            pass = p;
    }
    if (k->optin && !listed(r->o->optin, k->optin) &&
        !listed(b->optin, k->optin))
        return sn_fail(r->d, SN_ECHECK, r->path,
                       "step %u (%s) is of a rule that runs only with "
                       "--enable %s",
                       r->now, step(r)->by, k->optin);
    if (!pass || !sn_pass_allows(pass, c))
        return sn_fail(r->d, SN_ECHECK, r->path,
                       "step %u (%s): no such pass allows its claim", r->now,
                       step(r)->by);
    return SN_OK;
}

/* What the rule claims of the value that is replaced.  A mean of values that
 * were rescaled sums one grid where it summed another (docs/proofs.md). */
static SnClaim
claimed(const Replay *r, uint32_t rule, SnRef old)
{
    SnClaim c = sn_rule_claim(rule, r->g->rounding);
    const SnNode *n = sn_def(r->g, old);
    const SnKindDesc *d = sn_desc_in(r->g, n->kind);

    if (sn_rule(rule)->family != SN_FAM_SINK || !d->family.sink_bounded ||
        !n->nin || !n->in[0].ref)
        return c;
    const SnNode *above = sn_def(r->g, n->in[0].ref);
    if (!above->nin || !above->in[0].ref)
        return c;
    const SnType *s = sn_type(r->g, above->in[0].ref), *t = n->res[0].type;
    if (s->nq == 1 && t->nq == 1)
        c = (SnClaim){SN_CLAIM_WITHIN,
                      ceil(0.5 + 2 * sn_arith_at(r->g->rounding)->error +
                           (double)s->scale[0] / (2 * (double)t->scale[0]))};
    return c;
}

/* A saturation is waived only where a calibrated node has one. */
static bool
may_waive(const Replay *r)
{
    bool any = false;

    for (uint32_t i = 0; i < r->npair; i++) {
        const SnNode *m = sn_def(r->g, r->pair[i].old);
        const SnNode *n = sn_def(r->g, r->pair[i].new_);
        any = any || m->calibrated || n->calibrated;
        for (uint32_t s = 0; s < m->nin; s++)
            any =
                any || (m->in[s].ref && sn_def(r->g, m->in[s].ref)->calibrated);
    }
    return any && !r->o->strict_saturation;
}

/* Small values are drawn more often: all codes should come up. */
static int
rounds(const Replay *r)
{
    int64_t n = sn_shape_count(sn_shape_of(r->g, r->pair[0].old));

    return n < 256 ? 24 : n < 4096 ? 8 : 2;
}

static SnStatus
fire(Replay *r, uint32_t rule)
{
    const SnRuleDesc *k = sn_rule(rule);
    SnRewriter *rw = r->rw;
    SnId root = r->npair ? SN_NODE(r->pair[0].old) : 0;
    uint32_t ran = rw->nchecked;

    if (!r->npair)
        return broken(r, "a rule that replaces nothing");
    SnSite s = {.rule = (uint16_t)rule,
                .node = sn_label(r->g, root, r->a),
                .waived = step(r)->waived};
    rw->fire_claim = claimed(r, rule, r->pair[0].old);
    SN_TRY(permitted(r, k, rw->fire_claim));
    if (s.waived && !may_waive(r))
        return refused(r, "waives a saturation that is not calibrated", root);
    for (uint32_t i = 0; i < r->npair; i++)
        if (!sn_witness_formed(r->g, k, r->pair[i].old, r->pair[i].new_))
            return refused(r, "is not of the rule's form",
                           SN_NODE(r->pair[i].old));
    SN_PUSH(rw->arena, rw->site, rw->nsite, s);
    rw->nfire++;
    rw->pair = r->pair;
    rw->npair = r->npair;
    rw->now = r->now;
    rw->nround = rounds(r);
    SN_TRY(sn_check_fire(rw, r->g));
    r->out->nfire++;
    r->out->nran += rw->nchecked > ran;
    return SN_OK;
}

static SnStatus
one(Replay *r)
{
    static const char *const known[] = {"fold",       "cse", "splats",
                                        "constants",  "dce", "backend",
                                        "keep_lower", NULL};
    const char *by = step(r)->by;
    uint32_t rule = rule_named(by, r->rw->o.backend->name);

    SN_TRY(redirect(r));
    if (strchr(by, '.') && rule == sn_rule_end())
        return sn_fail(r->d, SN_ECHECK, r->path,
                       "step %u is of rule '%s', which does not exist", r->now,
                       by);
    if (rule < sn_rule_end())
        SN_TRY(fire(r, rule));
    else if (r->npair && !listed(known, by))
        return sn_fail(r->d, SN_EUNSUPPORTED, r->path,
                       "step %u is of '%s': such steps cannot be verified",
                       r->now, by);
    else
        SN_TRY(built_in(r));
    r->out->nstep++;
    return drop(r);
}

/* ---- the end ---- */

/* Results have the names that the graph after gives them: inputs keep theirs,
 * and outputs have theirs as an attribute. */
static SnStatus
rename_all(Replay *r)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < r->steps.ncalled; i++) {
            const SnCalled *c = &r->steps.called[i];
            if (!is_result(r, c->ref))
                return broken(r, "names a value that does not exist");
            if (sn_desc(sn_def(r->g, c->ref)->kind)->effect)
                return refused(r, "renames an input", SN_NODE(c->ref));
            /* First out of the way of each other. */
            sn_rename(r->g, c->ref, round ? c->name : "called");
        }
    return SN_OK;
}

static SnStatus
replay(Replay *r, const SnGraph *after)
{
    const char *why;

    for (r->now = 1; r->now <= r->steps.n; r->now++)
        SN_TRY(one(r));
    r->now = r->steps.n;
    SN_TRY(rename_all(r));
    if (!sn_graph_equal(r->g, after, r->a, &why))
        return sn_fail(r->d, SN_ECHECK, r->path,
                       "its steps make another model: %s", why);
    return SN_OK;
}

SnStatus
sn_witness_verify(SnArena *a, const SnGraph *before, const SnGraph *after,
                  const char *path, const SnRewriteOpts *o, SnDiag *d,
                  SnVerdict *out)
{
    Replay r = {.a = a, .o = o, .d = d, .path = path, .out = out};

    *out = (SnVerdict){0};
    SN_TRY(sn_witness_read(a, path, d, &r.steps));
    SN_TRY(sn_text_load(a, path, d, &r.g));
    r.rw = sn_rewriter_new(a, o, d);
    sn_graph_target(r.g, r.rw->o.backend);
    SN_TRY(ages(&r));
    r.rw->age = r.age;
    SN_TRY(same_start(&r, before));
    return replay(&r, after);
}
