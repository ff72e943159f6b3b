// SPDX-License-Identifier: Apache-2.0
/* Passes: rules, derived families, preferences and the order they give. */
#include <string.h>

#include "dsl/model/reads.h"
#include "dsl/resolve/resolver.h"

/* ---- names in a pass ---- */

typedef struct Item {
    const char *name;
    SnPos pos;
    const SnDefRule *rule;
    const SnDefDerive *derive;
    uint32_t rank; /* by `order` */
} Item;

static int
before(const Item *a, const Item *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->pos.line != b->pos.line)
        return a->pos.line < b->pos.line ? -1 : 1;
    return a->pos.col < b->pos.col ? -1 : 1;
}

static uint32_t
items(SnResolver *rs, const SnDefPass *p, Item **v)
{
    uint32_t n = 0;

    *v = NULL;
    for (uint32_t i = 0; i < p->nrule; i++) {
        Item it = {p->rule[i]->name, p->rule[i]->pos, p->rule[i], NULL, 0};
        SN_PUSH(rs->a, *v, n, it);
    }
    for (uint32_t i = 0; i < p->nderive; i++) {
        const SnDefDerive *d = p->derive[i];
        Item it = {d->family, d->pos, NULL, d, 0};
        SN_PUSH(rs->a, *v, n, it);
    }
    for (uint32_t i = 0; i < n; i++) {
        Item *it = &(*v)[i];
        it->rank = sn_name_at(p->order, p->norder, it->name);
    }
    for (uint32_t i = 1; i < n; i++) /* few, and mostly sorted */
        for (uint32_t j = i; j && before(&(*v)[j], &(*v)[j - 1]) < 0; j--) {
            Item t = (*v)[j];
            (*v)[j] = (*v)[j - 1];
            (*v)[j - 1] = t;
        }
    return n;
}

static void
twice(SnResolver *rs, const SnDefPass *p)
{
    Item *v;
    uint32_t n = items(rs, p, &v);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = sn_entry_at(v, i, sizeof *v, v[i].name);
        if (j < i && !(v[i].derive && v[j].derive))
            sn_resolve_twice(rs, v[i].pos, "rule", v[i].name, v[j].pos);
    }
}

static bool
known(SnResolver *rs, const SnDefPass *p, const Item *v, uint32_t n,
      const char *name, SnPos at)
{
    SnCands c = sn_cands(rs);

    if (sn_entry_at(v, n, sizeof *v, name) < n)
        return true;
    for (uint32_t i = 0; i < n; i++)
        sn_cands_add(&c, v[i].name, &v[i].pos);
    sn_resolve_unknown(rs, at, "rule", name,
                       sn_format(rs->a, "pass %s", p->name), &c);
    return false;
}

/* ---- preferences ---- */

typedef struct Graph {
    uint32_t n;
    bool *edge; /* [n * n]: i is tried before j */
    SnPos *at;  /* the preference for it */
} Graph;

static void
prefer(SnResolver *rs, const SnDefPass *p, const SnDefPrefer *f, const Item *v,
       Graph *g)
{
    bool ok = true;

    for (uint32_t i = 0; i < f->na; i++)
        ok &= known(rs, p, v, g->n, f->a[i], f->a_pos[i]);
    for (uint32_t i = 0; i < f->nb; i++)
        ok &= known(rs, p, v, g->n, f->b[i], f->b_pos[i]);
    for (uint32_t x = 0; ok && x < g->n; x++)
        for (uint32_t y = 0; y < g->n; y++)
            if (sn_name_among(f->a, f->na, v[x].name) &&
                sn_name_among(f->b, f->nb, v[y].name) &&
                !g->edge[x * g->n + y]) {
                g->edge[x * g->n + y] = true;
                g->at[x * g->n + y] = f->pos;
            }
}

/* Every remaining step waits for another: follow them until one repeats. */
static void
cycle(SnResolver *rs, const Item *v, const Graph *g, const bool *done)
{
    uint32_t *path = SN_NEW_N(rs->a, uint32_t, g->n + 1), len = 0, x = 0;
    SnBuf b;

    while (done[x])
        x++;
    for (;;) {
        for (uint32_t i = 0; i < len; i++)
            if (path[i] == x) {
                sn_buf_init(&b, rs->a);
                sn_puts(&b, v[x].name); /* the path runs against the edges */
                for (uint32_t j = len; j-- > i;)
                    sn_putf(&b, " > %s", v[path[j]].name);
                sn_error(rs->d,
                         g->at[path[len - 1] + g->n * x].src
                             ? g->at[path[len - 1] + g->n * x]
                             : g->at[x + g->n * path[len - 1]],
                         "SN503", "prefer cycle: %s", sn_buf_str(&b));
                return;
            }
        path[len++] = x;
        uint32_t y = 0;
        while (y < g->n && (done[y] || !g->edge[y * g->n + x]))
            y++;
        if (y == g->n)
            sn_bug("no cycle among the preferences");
        x = y;
    }
}

static void
steps(SnResolver *rs, SnDefPass *p)
{
    Item *v;
    Graph g = {.n = items(rs, p, &v)};
    bool *done = SN_NEW_N(rs->a, bool, g.n);

    g.edge = SN_NEW_N(rs->a, bool, (size_t)g.n *g.n);
    g.at = SN_NEW_N(rs->a, SnPos, (size_t)g.n * g.n);
    for (uint32_t i = 0; i < p->norder; i++)
        known(rs, p, v, g.n, p->order[i], p->order_pos[i]);
    for (uint32_t i = 0; i < p->nprefer; i++)
        prefer(rs, p, p->prefer[i], v, &g);
    p->step = SN_NEW_N(rs->a, SnDefStep, g.n);
    for (p->nstep = 0; p->nstep < g.n; p->nstep++) {
        uint32_t x = 0;
        for (; x < g.n; x++) {
            bool free = !done[x];
            for (uint32_t y = 0; y < g.n && free; y++)
                free = done[y] || !g.edge[y * g.n + x];
            if (free)
                break;
        }
        if (x == g.n) {
            cycle(rs, v, &g, done);
            return;
        }
        done[x] = true;
        p->step[p->nstep] = (SnDefStep){v[x].rule, v[x].derive};
    }
}

/* ---- derive ---- */

/* Conversions that sink: codes become reals below, not above. */
static bool
to_reals(const SnDefNode *what)
{
    return what->rsem[0]->cls == SN_C_CONVERT &&
           what->tuple[0].out[0].elem == SN_F32;
}

/* Reals of equal codes compare as the codes do; a constant of the meaning and
 * a saturation are stated in reals. */
static bool
selects_reals(const SnDefNode *n)
{
    bool reals = false;

    for (uint32_t i = 0; i < n->ntuple; i++)
        reals |= n->nout && n->tuple[i].out[0].elem == SN_F32;
    return reals && n->family.sink && !n->family.sink_bounded &&
           !n->family.sink_const && !n->clamp;
}

/* Does the node process its elements one by one, or along one axis, so that a
 * Reshape may move below it (src/rewrite/regroup.c)?  Three operands of one
 * shape, all reshaped, are not worth a proof. */
static bool
regroups(const SnDefNode *n)
{
    SnMapWord m = n->rsem[0]->over;

    return (m == SN_MW_EACH || m == SN_MW_BROADCAST || sn_node_regroups(n)) &&
           n->nout == 1 && n->nin > 0 && n->nin < 3;
}

static bool
reshapes(const SnDefNode *what)
{
    return what->rsem[0]->over == SN_MW_RESHAPE;
}

/* Kinds the family would take, before `into` or `through` narrows them. */
static bool
takes(const SnResolver *rs, SnFamilyId fam, const SnDefNode *what,
      const SnDefNode *n)
{
    SnClass cls;
    bool fl = false, qu = false;

    if (sn_resolve_bad(rs, n))
        return false;
    cls = n->rsem[0]->cls;
    if (fam == SN_FAM_ABSORB)
        return n->family.absorb != 0;
    if (fam == SN_FAM_MERGE)
        return n->family.merge;
    if (fam == SN_FAM_SINK && to_reals(what))
        return selects_reals(n);
    if (fam == SN_FAM_SINK && what->rsem[0]->cls == SN_C_CONVERT)
        return n->family.sink;
    if (fam == SN_FAM_SINK)
        return n != what && cls != SN_C_OPAQUE && cls != SN_C_SOURCE &&
               (!reshapes(what) || regroups(n));
    if (cls == SN_C_SOURCE || cls == SN_C_OPAQUE || cls == SN_C_CONVERT)
        return false;
    for (uint32_t i = 0; i < n->ntuple; i++)
        fl |= !n->tuple[i].quant;
    for (uint32_t k = 0; k < rs->defs->nnode; k++) {
        const SnDefNode *f = rs->defs->node[k];
        if (f != n && (f->base != n || sn_resolve_bad(rs, f)))
            continue;
        for (uint32_t i = 0; i < f->ntuple; i++)
            qu |= f->tuple[i].quant;
    }
    return fl && qu;
}

static void
members(SnResolver *rs, SnDefDerive *v, const SnDefNode *what)
{
    bool bad = false;
    uint64_t *m = v->over ? sn_resolve_member(rs, v->over, &bad) : NULL;
    uint64_t any = 0;

    v->member = SN_NEW_N(rs->a, uint64_t, rs->defs->nnode / 64 + 1);
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        uint32_t k = rs->defs->node[i]->kind;
        uint64_t bit = UINT64_C(1) << k % 64;
        if ((m && !(m[k / 64] & bit)) ||
            !takes(rs, v->fam, what, rs->defs->node[i]))
            continue;
        v->member[k / 64] |= bit;
        any |= bit;
    }
    if (!any && !bad)
        sn_warn(rs->d, v->pos, "SN209", "'derive %s' applies to no node",
                v->family);
}

bool
sn_resolve_derives(SnResolver *rs, const SnDefDerive *v, const SnDefNode *n)
{
    return (!v->over || sn_resolve_satisfies(rs, v->over, n)) &&
           takes(rs, v->fam, v->what ? sn_def_node(rs->defs, v->what) : NULL,
                 n);
}

static void
derive(SnResolver *rs, SnDefDerive *v)
{
    SnCands c = sn_cands(rs);
    const SnDefNode *what = NULL;
    bool alone = v->fam == SN_FAM_INTEGERIZE;

    if (v->fam == SN_FAM_WRITTEN) {
        for (size_t i = 0; i < SN_NFAM; i++)
            if (*sn_family_words[i].word)
                sn_cands_add(&c, sn_family_words[i].word, NULL);
        sn_resolve_unknown(rs, v->pos, "family", v->family, NULL, &c);
        return;
    }
    if (alone != !v->what) {
        sn_error(rs->d, v->pos, "SN102",
                 alone ? "'derive %s' names no conversion"
                       : "'derive %s' needs the conversion it moves",
                 v->family);
        sn_diag_help(rs->d, alone ? "derive %s;" : "derive %s Rescale ...;",
                     v->family);
        return;
    }
    if (v->what) {
        what = sn_resolve_node(rs, v->pos, v->what);
        if (sn_resolve_bad(rs, what))
            return;
        SnClass cls = what->rsem[0]->cls;
        if (what->nin != 1 || what->nout != 1 ||
            (cls != SN_C_CONVERT &&
             !(cls == SN_C_MOVE && v->fam == SN_FAM_SINK))) {
            sn_error(rs->d, v->pos, "SN104",
                     "'derive %s' moves conversions; %s is not one", v->family,
                     v->what);
            return;
        }
        v->kind = what->kind;
    }
    members(rs, v, what);
}

/* ---- passes ---- */

static void
allow(SnResolver *rs, SnDefPass *p)
{
    for (uint32_t i = 0; i < p->nallow; i++) {
        SnDefClaim *k = &p->allow[i];
        if (k->kind == SN_CLAIM_WITHIN && k->bound)
            sn_resolve_lsb(rs, k, 0);
    }
    if (p->nallow || (!p->nrule && !p->nderive))
        return;
    bool some = p->nderive > 0;
    for (uint32_t i = 0; i < p->nrule; i++)
        some |= !p->rule[i]->optin;
    if (!some || p->lowering)
        return;
    sn_error(rs->d, p->pos, "SN205", "pass %s allows nothing", p->name);
    sn_diag_help(rs->d, "allow exact; allow n lsb; allow refines; or allow "
                        "real;");
}

static bool
same_owner(const SnDefPass *a, const SnDefPass *b)
{
    return a->backend == b->backend;
}

static const char *const builtin[] = {
    "fold",   "place",     "keep_lower", "dce",    "cse",   "backend",
    "splats", "constants", "tables",     "beside", "chains"};
enum { NBUILTIN = sizeof builtin / sizeof *builtin };

static void
pass_name(SnResolver *rs, uint32_t i)
{
    const SnDefPass *p = rs->defs->pass[i];

    if (!p->backend && sn_name_among(builtin, NBUILTIN, p->name))
        sn_error(rs->d, p->pos, "SN103", "'%s' is the name of a built-in step",
                 p->name);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(p->name, rs->defs->pass[j]->name) &&
            same_owner(p, rs->defs->pass[j])) {
            sn_resolve_twice(rs, p->pos, "pass", p->name,
                             rs->defs->pass[j]->pos);
            return;
        }
}

static void
place(SnResolver *rs, const SnDefPass *p)
{
    if (!p->place)
        return;
    sn_resolve_node(rs, p->place_pos, p->place);
    if (sn_word_named(p->place_min) != SN_W_ELEMENTS)
        sn_error(rs->d, p->place_pos, "SN101",
                 "unknown cost '%s'; 'place' minimizes elements", p->place_min);
    else
        sn_warn(rs->d, p->place_pos, "SN131",
                "'place' in a pass has no "
                "effect: the built-in pass 'place' of a pipeline does it");
}

static void
tests(SnResolver *rs, SnDefTest *const *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(t[i]->name, t[j]->name) &&
                t[i]->backend == t[j]->backend) {
                sn_resolve_twice(rs, t[i]->pos, "test", t[i]->name, t[j]->pos);
                break;
            }
        sn_resolve_test(rs, t[i]);
    }
}

void
sn_resolve_passes(SnResolver *rs)
{
    SnDefs *f = rs->defs;

    for (uint32_t i = 0; i < f->nrule; i++)
        f->rule[i]->id = i;
    for (uint32_t i = 0; i < f->nderive; i++)
        f->derive[i]->id = f->nrule + i;
    for (uint32_t i = 0; i < f->nrule; i++)
        sn_resolve_rule(rs, f->rule[i]);
    for (uint32_t i = 0; i < f->nderive; i++)
        derive(rs, f->derive[i]);
    for (uint32_t i = 0; i < f->npass; i++) {
        pass_name(rs, i);
        allow(rs, f->pass[i]);
        twice(rs, f->pass[i]);
        steps(rs, f->pass[i]);
        place(rs, f->pass[i]);
        tests(rs, f->pass[i]->test, f->pass[i]->ntest);
    }
    tests(rs, f->test, f->ntest);
}

static bool
in_pipeline(const SnDefs *f, const char *pass)
{
    for (uint32_t i = 0; i < f->npipeline; i++)
        if (sn_name_among(f->pipeline[i]->pass, f->pipeline[i]->npass, pass))
            return true;
    return false;
}

/* A pass with a rule that fires without opt-in. */
static bool
runs_by_default(const SnDefPass *p)
{
    for (uint32_t i = 0; i < p->nrule; i++)
        if (!p->rule[i]->optin)
            return true;
    return p->nderive > 0 || p->nrule == 0;
}

/* If there are pipelines, a pass outside all of them runs only when it is
 * named. */
static void
unreached(SnResolver *rs)
{
    const SnDefs *f = rs->defs;
    bool keeps = in_pipeline(f, "keep_lower");

    for (uint32_t i = 0; i < f->npass && f->npipeline; i++) {
        const SnDefPass *p = f->pass[i];
        const char *name = p->backend ? "backend" : p->name;
        if (in_pipeline(f, name) || (p->lowering && keeps) ||
            !runs_by_default(p))
            continue;
        sn_warn(rs->d, p->pos, "SN211",
                "pass '%s' is in no pipeline: its rules fire only where the "
                "pass is run by name",
                name);
        sn_diag_help(rs->d, "pipeline %s = ..., %s;", f->pipeline[0]->name,
                     name);
    }
}

void
sn_resolve_pipelines(SnResolver *rs)
{
    SnDefs *f = rs->defs;
    SnCands c = sn_cands(rs);

    for (size_t i = 0; i < NBUILTIN; i++)
        sn_cands_add(&c, builtin[i], NULL);
    for (uint32_t i = 0; i < f->npass; i++)
        if (!f->pass[i]->backend)
            sn_cands_add(&c, f->pass[i]->name, &f->pass[i]->pos);
    for (uint32_t i = 0; i < f->npipeline; i++) {
        const SnDefPipeline *p = f->pipeline[i];
        uint32_t was = sn_named_at(f->pipeline, i, p->name);
        if (was < i)
            sn_resolve_twice(rs, p->pos, "pipeline", p->name,
                             f->pipeline[was]->pos);
        for (uint32_t j = 0; j < p->npass; j++) {
            if (!sn_name_among(c.s, (uint32_t)c.n, p->pass[j]))
                sn_resolve_unknown(rs, p->pass_pos[j], "pass", p->pass[j], NULL,
                                   &c);
        }
    }
    unreached(rs);
}
