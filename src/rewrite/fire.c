// SPDX-License-Identifier: Apache-2.0
/* Every change of a graph goes through here: may it happen, what did it
 * replace, what has to be looked at again. */
#include <string.h>
#include "rewrite/internal.h"
#include "base/buf.h"
#include "graph/verify/admits.h"
#include "graph/verify/weights.h"

enum { QUEUED = 1, SEEN = 2 };

static bool
listed(const char *const *list, const char *word)
{
    if (!list)
        return false;
    for (; *list; list++)
        if (!strcmp(*list, word))
            return true;
    return false;
}

/* "pass", "pass.rule" and "*.rule" name a rule. */
static bool
disabled(const SnRewriter *rw, const SnRuleDesc *r)
{
    const char *const *p = rw->o.disable;

    if (!p)
        return false;
    for (; *p; p++) {
        const char *dot = strchr(*p, '.');
        if (!dot) {
            if (!strcmp(*p, r->pass))
                return true;
            continue;
        }
        size_t n = (size_t)(dot - *p);
        bool any = n == 1 && (*p)[0] == '*';
        if (strcmp(dot + 1, r->name))
            continue;
        if (any || (strlen(r->pass) == n && !memcmp(*p, r->pass, n)))
            return true;
    }
    return false;
}

/* Does the claim meet one of the pass's allow lines?  Exact meets every line:
 * equal codes are within any bound, and no worse. */
bool
sn_pass_allows(const SnPassDesc *p, SnClaim c)
{
    if (c.kind == SN_CLAIM_LOSSY || c.kind == SN_CLAIM_NONE)
        return true; /* reached only when opted in */
    if (p->lowering)
        return true; /* has no allow lines: a lowering says what it costs */
    for (uint16_t i = 0; i < p->nallow; i++) {
        SnClaim a = p->allow[i];
        if (c.kind == SN_CLAIM_EXACT || c.kind == a.kind) {
            if (a.kind != SN_CLAIM_WITHIN || c.kind == SN_CLAIM_EXACT ||
                c.bound <= a.bound)
                return true;
        }
    }
    return false;
}

void
sn_rewrite_watch(const SnRewriter *rw, const SnGraph *g, const char *pass)
{
    if (rw->o.watch)
        rw->o.watch(rw->o.watch_ctx, rw, g, pass);
}

/* Is a node of this kind root, or one beside it?  A family's root is its node
 * or the Rescale at it. */
static bool
is_near(const SnGraph *g, SnId root, SnKind kind)
{
    const SnNode *n = sn_node(g, root);

    if (n->kind == kind)
        return true;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && sn_kind(g, n->in[s].ref) == kind)
            return true;
    for (unsigned k = 0; k < n->nres; k++)
        for (const SnUse *u = n->res[k].uses; u; u = u->next)
            if (sn_node(g, u->user)->kind == kind)
                return true;
    return false;
}

/* near: the entry's node may also be one beside root. */
static bool
is_off(uint16_t rule, const SnGraph *g, SnId root, bool near)
{
    if (g->rounding == SN_ROUNDING_FLOAT)
        return false;
    for (uint32_t i = 0; i < sn_core_noff + sn_more_rules.noff; i++) {
        const SnRuleOff *o = i < sn_core_noff
                                 ? &sn_core_off[i]
                                 : &sn_more_rules.off[i - sn_core_noff];
        if (o->rule == rule && o->by == g->rounding &&
            (!o->kind || sn_node(g, root)->kind == o->kind ||
             (near && is_near(g, root, o->kind))))
            return true;
    }
    return false;
}

static const char *
taken_back(const SnRewriter *rw, uint16_t rule, SnId root)
{
    for (uint32_t i = 0; i < rw->nback; i++)
        if (rw->back[i].rule == rule && rw->back[i].root == root)
            return rw->back[i].why;
    return NULL;
}

bool
sn_swap_off(const SnGraph *g, SnId id)
{
    return is_off(SN_RULE_EXCHANGE, g, id, false);
}

bool
sn_fire(SnRewriter *rw, uint16_t rule, SnGraph *g, SnId root)
{
    return sn_fire_claim(rw, rule, sn_rule_claim(rule, g->rounding), g, root);
}

bool
sn_fire_claim(SnRewriter *rw, uint16_t rule, SnClaim claim, SnGraph *g,
              SnId root)
{
    const SnRuleDesc *r = sn_rule(rule);

    if (rw->status != SN_OK)
        return false;
    if (rw->firing)
        sn_bug("rule %s.%s fires inside another fire", r->pass, r->name);
    if (r->optin && !listed(rw->o.optin, r->optin) &&
        !(rw->o.backend && listed(rw->o.backend->optin, r->optin))) {
        sn_declined(rw, rule, g, root, "%s.%s runs only with --enable %s",
                    r->pass, r->name, r->optin);
        return false;
    }
    if (disabled(rw, r)) {
        sn_declined(rw, rule, g, root, "--disable excludes %s.%s", r->pass,
                    r->name);
        return false;
    }
    if (is_off(rule, g, root, true)) {
        sn_declined(rw, rule, g, root,
                    "%s.%s is not proved under arithmetic %s", r->pass, r->name,
                    sn_arith_at(g->rounding)->name);
        return false;
    }
    if (r->supported && !r->supported(rw)) {
        sn_declined(rw, rule, g, root, "backend %s does not support it",
                    rw->o.backend->name);
        return false;
    }
    const char *back = taken_back(rw, rule, root);
    if (back) {
        sn_declined(rw, rule, g, root, "%s", back);
        return false;
    }
    if (rw->pass && !sn_pass_allows(rw->pass, claim)) {
        sn_declined(rw, rule, g, root, "pass %s does not allow its claim",
                    rw->pass->name);
        return false;
    }
    if (rw->o.exact && claim.kind != SN_CLAIM_EXACT) {
        sn_declined(rw, rule, g, root, "it does not claim to be exact");
        return false;
    }
    if (rw->o.opt_limit >= 0 && rw->nfire >= (uint64_t)rw->o.opt_limit) {
        sn_declined(rw, rule, g, root, "--opt-limit is reached");
        return false;
    }
    sn_rewrite_watch(rw, g, NULL);
    rw->nfire++;
    rw->count[rule]++;
    rw->firing = true;
    rw->fire_mark = g->nnode;
    rw->fire_root = root;
    rw->fire_claim = claim;
    rw->npair = 0;
    rw->ndead = 0;
    rw->nmoved = 0;
    rw->nlate = 0;
    rw->refused = NULL;
    SnSite s = {.rule = rule, .node = sn_label(g, root, rw->arena)};
    SN_PUSH(rw->arena, rw->site, rw->nsite, s);
    if (rw->o.trace)
        fprintf(stderr, "fire %u %s.%s at %s\n", rw->nfire, r->pass, r->name,
                sn_shown(rw->arena, s.node));
    return true;
}

void
sn_fire_detail(SnRewriter *rw, bool waived, const char *detail)
{
    SnSite *s = &rw->site[rw->nsite - 1];

    s->waived = waived;
    s->detail = sn_strdup(rw->arena, detail);
    if (rw->o.trace)
        fprintf(stderr, "     %s\n", detail);
}

void
sn_revisit(SnRewriter *rw, SnGraph *g, SnId id)
{
    if (!id || sn_node(g, id)->dead)
        return;
    if (id >= rw->nmark) {
        uint32_t n = rw->nmark ? rw->nmark : 64;
        while (n <= id)
            n *= 2;
        uint8_t *m = sn_alloc(rw->scratch, n);
        if (rw->nmark)
            memcpy(m, rw->mark, rw->nmark);
        rw->mark = m;
        rw->nmark = n;
    }
    /* What the sweep has not reached yet is visited anyway. */
    bool fresh = id >= rw->fire_mark && rw->firing;
    if (!fresh && !(rw->mark[id] & SEEN))
        return;
    if (rw->mark[id] & QUEUED)
        return;
    rw->mark[id] |= QUEUED;
    SN_PUSH(rw->scratch, rw->stack, rw->nstack, id);
}

/* A replacement has the shape of the replaced value, and its type unless the
 * rule changes the interface. */
static bool
fits(SnRewriter *rw, const SnGraph *g, SnRef old, SnRef new_)
{
    const SnRuleDesc *r = sn_rule(rw->site[rw->nsite - 1].rule);
    SnBuf x, y;

    if (sn_shape_of(g, old) == sn_shape_of(g, new_) &&
        (sn_type(g, old) == sn_type(g, new_) || r->claim.kind == SN_CLAIM_NONE))
        return true;
    sn_buf_init(&x, rw->arena);
    sn_buf_init(&y, rw->arena);
    sn_put_type(&x, sn_type(g, old));
    sn_put_shape(&x, sn_shape_of(g, old));
    sn_put_type(&y, sn_type(g, new_));
    sn_put_shape(&y, sn_shape_of(g, new_));
    rw->status = sn_fail(rw->d, SN_EINTERNAL, rw->site[rw->nsite - 1].node,
                         "rule %s.%s (%s) replaces %s by %s", r->pass, r->name,
                         r->where, sn_buf_str(&x), sn_buf_str(&y));
    return false;
}

/* ---- fires that are taken back ---- */

/* SN_KNOWN, SN_PENDING of node id. */
static unsigned
known_of(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    unsigned known = sn_desc(n->kind)->effect ? 0 : SN_KNOWN;

    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef r = n->in[s].ref;
        bool is = !r || sn_is_const(g, r);
        if (!is)
            known &= ~(unsigned)SN_KNOWN;
        else if (r && !sn_def(g, r)->data)
            known |= SN_PENDING;
    }
    return known;
}

/* Families ask before they fire.  What written rules make is asked about once
 * it is made, and before anything reads it. */
static const char *
refused_why(SnRewriter *rw, const SnGraph *g)
{
    const char *why = NULL;
    int at;

    if (!sn_restricts(g->rounding))
        return NULL;
    for (SnId id = rw->fire_mark; id < g->nnode && !why; id++) {
        if (sn_node(g, id)->dead)
            continue;
        SnCall c = sn_node_call(g, id, rw->scratch);
        why = sn_admits_why(&c, known_of(g, id), &at);
    }
    return why ? sn_strdup(rw->arena, why) : NULL;
}

/* What took this name had another one's, a bias on a new grid. */
static void
give_back(SnRewriter *rw, SnGraph *g, const char *name)
{
    static const char *const suffix[] = {"old", "f32"};

    for (int i = 0; i < 2; i++) {
        SnRef old =
            sn_find(g, sn_format(rw->scratch, "%s.%s", name, suffix[i]));
        if (old && SN_NODE(old) < rw->fire_mark && sn_def(g, old)->data)
            sn_rename(g, old, name);
    }
}

/* The nodes that the fire made go, and it has not been. */
static void
take_back(SnRewriter *rw, SnGraph *g)
{
    uint16_t rule = rw->site[rw->nsite - 1].rule;
    SnTakenBack b = {rule, rw->fire_root, rw->refused};

    for (SnId id = g->nnode; id-- > rw->fire_mark;) {
        const SnNode *n = sn_node(g, id);
        bool used = n->dead;
        for (unsigned k = 0; k < n->nres; k++)
            used |= n->res[k].nuse != 0;
        if (used)
            continue;
        const char *name = n->nres ? n->res[0].name : NULL;
        sn_remove(g, id);
        if (name)
            give_back(rw, g, name);
    }
    rw->nfire--;
    rw->count[rule]--;
    rw->nsite--;
    rw->firing = false;
    SN_PUSH(rw->scratch, rw->back, rw->nback, b);
    sn_declined(rw, rule, g, rw->fire_root, "%s", rw->refused);
}

void
sn_fired(SnRewriter *rw, SnGraph *g, SnRef old, SnRef new_)
{
    SnPair p = {old, new_};

    if (!fits(rw, g, old, new_))
        return;
    if (rw->npair == 0 && !rw->refused)
        rw->refused = refused_why(rw, g);
    if (rw->refused)
        return;
    SN_PUSH(rw->scratch, rw->pair, rw->npair, p);
    for (const SnUse *u = sn_res(g, old)->uses; u; u = u->next)
        if (u->user < rw->fire_mark)
            SN_PUSH(rw->scratch, rw->moved, rw->nmoved, u->user);
    sn_replace(g, old, new_, rw->fire_mark);
    SN_PUSH(rw->scratch, rw->dead, rw->ndead, SN_NODE(old));
}

void
sn_fired_node(SnRewriter *rw, SnGraph *g, SnId old, SnId new_)
{
    if (rw->npair == 0 && !rw->refused)
        rw->refused = refused_why(rw, g);
    if (rw->refused)
        return;
    sn_node(g, new_)->order = sn_node(g, old)->order;
    sn_remove(g, old);
}

/* Is v read by one node only, perhaps several times? */
static bool
one_user(const SnGraph *g, SnRef v)
{
    const SnUse *first = sn_res(g, v)->uses;

    for (const SnUse *u = first; u; u = u->next)
        if (u->user != first->user)
            return false;
    return first != NULL;
}

/* Removes id if nothing reads it, then what only it read.  Whoever keeps the
 * last use of something gains from another visit. */
static void
remove_dead(SnRewriter *rw, SnGraph *g, SnId id)
{
    SnNode *n = sn_node(g, id);

    if (n->dead || sn_desc(n->kind)->effect)
        return;
    for (unsigned i = 0; i < n->nres; i++)
        if (n->res[i].nuse)
            return;
    uint32_t nin = n->nin;
    SnRef *in = SN_NEW_N(rw->scratch, SnRef, nin ? nin : 1);
    for (uint32_t i = 0; i < nin; i++)
        in[i] = n->in[i].ref;
    sn_remove(g, id);
    for (uint32_t i = 0; i < nin; i++) {
        if (!in[i])
            continue;
        remove_dead(rw, g, SN_NODE(in[i]));
        if (!sn_def(g, in[i])->dead && one_user(g, in[i])) {
            sn_revisit(rw, g, sn_res(g, in[i])->uses->user);
            sn_revisit(rw, g, SN_NODE(in[i]));
        }
    }
}

bool
sn_fire_end(SnRewriter *rw, SnGraph *g)
{
    if (rw->refused) {
        take_back(rw, g);
        return false;
    }
    if (rw->o.check_passes && rw->status == SN_OK)
        rw->status = sn_check_fire(rw, g);
    for (uint32_t i = 0; i < rw->ndead; i++)
        remove_dead(rw, g, rw->dead[i]);
    for (uint32_t i = 0; i < rw->nlate; i++)
        if (!sn_def(g, rw->late[i])->dead)
            sn_fold_here(g, rw->late[i]);
    /* Users whose operand changed, the new nodes and their producers; pushed
     * in this order, so that producers are looked at first.  Other users of
     * a value that was there before see no change. */
    for (uint32_t i = 0; i < rw->nmoved; i++)
        sn_revisit(rw, g, rw->moved[i]);
    for (uint32_t i = 0; i < rw->npair; i++)
        if (!sn_def(g, rw->pair[i].new_)->dead)
            sn_revisit(rw, g, SN_NODE(rw->pair[i].new_));
    for (SnId id = g->nnode; id-- > rw->fire_mark;) {
        SnNode *n = sn_node(g, id);
        if (n->dead)
            continue;
        sn_revisit(rw, g, id);
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].ref)
                sn_revisit(rw, g, SN_NODE(n->in[i].ref));
    }
    rw->firing = false;
    return true;
}

enum { SAID_AGAIN = 64 };

static void
grow_last(SnRewriter *rw, SnId node)
{
    uint32_t n = rw->nlast ? rw->nlast : 64;

    while (n <= node)
        n *= 2;
    uint32_t *v = SN_NEW_N(rw->arena, uint32_t, n);
    if (rw->nlast)
        memcpy(v, rw->last_declined, rw->nlast * sizeof *v);
    rw->last_declined = v;
    rw->nlast = n;
}

void
sn_declined(SnRewriter *rw, uint16_t rule, const SnGraph *g, SnId node,
            const char *fmt, ...)
{
    rw->nsaid++;
    if (!rw->record_declined)
        return;
    (void)g;
    va_list ap;
    va_start(ap, fmt);
    const char *text = sn_vformat(rw->arena, fmt, ap);
    va_end(ap);
    if (node >= rw->nlast)
        grow_last(rw, node);
    /* What is said twice is said soon again: the node is revisited. */
    uint32_t *last = &rw->last_declined[node], seen = 0;
    for (uint32_t i = *last; i && seen < SAID_AGAIN; seen++) {
        const SnDeclined *e = &rw->declined[i];
        if (e->rule == rule && !strcmp(e->text, text))
            return;
        i = e->before;
    }
    SnDeclined e = {rule, node, text, *last};
    if (rw->ndeclined == 0)
        SN_PUSH(rw->arena, rw->declined, rw->ndeclined, (SnDeclined){0});
    *last = rw->ndeclined;
    SN_PUSH(rw->arena, rw->declined, rw->ndeclined, e);
}

void
sn_record_declined(SnRewriter *rw, bool want)
{
    rw->record_declined = want;
}

bool
sn_records_declined(const SnRewriter *rw)
{
    return rw->record_declined;
}

const SnDeclined *
sn_declines(const SnRewriter *rw)
{
    return rw->declined;
}

uint32_t
sn_declines_of(const SnRewriter *rw, SnId node)
{
    return node < rw->nlast ? rw->last_declined[node] : 0;
}

const char *
sn_declined_float(const SnRewriter *rw, SnId node)
{
    for (uint32_t i = sn_declines_of(rw, node); i; i = rw->declined[i].before)
        if (sn_rule(rw->declined[i].rule)->family == SN_FAM_INTEGERIZE)
            return rw->declined[i].text;
    return NULL;
}

SnArena *
sn_scratch(SnRewriter *rw)
{
    return rw->scratch;
}

const SnRewriteOpts *
sn_opts(const SnRewriter *rw)
{
    return &rw->o;
}

SnDiag *
sn_rw_diag(const SnRewriter *rw)
{
    return rw->d;
}

/* ---- the order in which passes see the nodes ---- */

const SnId *
sn_order(SnRewriter *rw, const SnGraph *g, uint32_t *n)
{
    if (!rw->order || rw->sorted != g->nedit) {
        sn_arena_clear(rw->sorting);
        rw->order = sn_topo(g, rw->sorting, &rw->norder);
        rw->sorted = g->nedit;
    }
    *n = rw->norder;
    return rw->order;
}
