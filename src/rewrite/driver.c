// SPDX-License-Identifier: Apache-2.0
/* Passes and pipelines.  A pass is one topological sweep with local repeats;
 * one without the generator's certificate (SN404) works off a list until
 * nothing fires. */
#include "rewrite/rewrite.h"
#include <inttypes.h>
#include <string.h>
#include "base/buf.h"
#include "base/clock.h"
#include "graph/text/text.h"
#include "rewrite/derive.h"
#include "rewrite/internal.h"
#include "sn_kind_dequantize.h"
#include "sn_kind_rescale.h"
#include "sn_kind_reshape.h"
#include "sn_kind_transpose.h"

enum { QUEUED = 1, SEEN = 2 };

const SnRewriteOpts sn_rewrite_defaults = {.opt_limit = -1, .seed = 1};

SnRewriter *
sn_rewriter_new(SnArena *a, const SnRewriteOpts *o, SnDiag *d)
{
    SnRewriter *rw = SN_NEW(a, SnRewriter);

    rw->arena = a;
    rw->o = *o;
    rw->d = d;
    if (!rw->o.backend)
        rw->o.backend = sn_backend_named("interp");
    rw->count = SN_NEW_N(a, uint32_t, sn_rule_end() + 1);
    return rw;
}

#ifndef NDEBUG
static bool
reads(const SnGraph *g, SnId id, SnKind kind)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && sn_kind(g, n->in[s].ref) == kind)
            return true;
    return false;
}

/* A derived family that was silent at node id had nothing to do there: where
 * it has, it fires or says why not (sn_declined). */
static void
check_declined(const SnRewriter *rw, const SnGraph *g, const SnStep *s, SnId id)
{
    bool rescale = sn_node(g, id)->kind == SN_K_RESCALE, here = false;

    if (!rw->record_declined || rw->status != SN_OK)
        return;
    if (s->family == SN_FAM_MERGE)
        here = rescale;
    else if (s->family == SN_FAM_LAYOUT)
        here = reads(g, id, SN_K_TRANSPOSE);
    else if (s->family == SN_FAM_REGROUP)
        here = reads(g, id, SN_K_RESHAPE);
    else if (s->family == SN_FAM_DEQUANT)
        here = reads(g, id, SN_K_DEQUANTIZE);
    else if (s->family == SN_FAM_INTEGERIZE)
        here = sn_integerizable(g, id, s->join);
    else
        here = !rescale && reads(g, id, SN_K_RESCALE);
    if (here)
        sn_bug("pass %s: %s leaves %s alone and does not say why",
               rw->pass->name, sn_rule(s->rule)->name,
               sn_label(g, id, rw->scratch));
}
#endif

static bool
derived_at(SnRewriter *rw, SnGraph *g, const SnStep *s, SnId id)
{
    switch (s->family) {
    case SN_FAM_ABSORB:
        return sn_absorb(g, rw, id, s->rule, s->join);
    case SN_FAM_MERGE:
        return sn_merge(g, rw, id, s->rule, s->join);
    case SN_FAM_SINK:
        return sn_sink(g, rw, id, s->rule, s->join);
    case SN_FAM_LAYOUT:
        return sn_layout(g, rw, id, s->rule, s->join);
    case SN_FAM_REGROUP:
        return sn_regroup(g, rw, id, s->rule, s->join);
    case SN_FAM_DEQUANT:
        return sn_sink_dequant(g, rw, id, s->rule, s->join);
    case SN_FAM_INTEGERIZE:
        return sn_integerize(g, rw, id, s->rule, s->join);
    case SN_FAM_WRITTEN:
    case SN_FAM_LOWER:
    case SN_FAM_CUSTOM:
        break;
    }
    sn_bug("pass %s: step of unknown family %d", rw->pass->name,
           (int)s->family);
}

/* One step of a pass at a node; true when something fired. */
static bool
step_at(SnRewriter *rw, SnGraph *g, const SnStep *s, SnId id)
{
    if (s->visit)
        return s->visit(g, rw, id);
    uint32_t said = rw->nsaid;
    bool fired = derived_at(rw, g, s, id);
#ifndef NDEBUG
    if (!fired && rw->nsaid == said)
        check_declined(rw, g, s, id);
#endif
    return fired;
}

/* Lowering leaves alone what the backend keeps. */
static bool
kept(const SnRewriter *rw, const SnGraph *g, SnId id)
{
    const SnBackendDesc *b = rw->o.backend;

    if (b->hooks && b->hooks->lower) {
        int v = b->hooks->lower(g, id);
        if (v >= 0)
            return v == 0;
    }
    for (uint16_t i = 0; i < b->nkeep; i++)
        if (b->keep[i].kind == sn_node(g, id)->kind &&
            (!b->keep[i].when || b->keep[i].when(g, id)))
            return true;
    return false;
}

static uint32_t
visit(SnRewriter *rw, SnGraph *g, SnId id, bool keep)
{
    uint32_t n = 1;

    if (keep && kept(rw, g, id))
        return n;
    for (uint16_t i = 0; i < rw->pass->nstep;) {
        if (sn_node(g, id)->dead)
            return n;
        if (step_at(rw, g, &rw->pass->step[i], id)) {
            n++;
            i = 0;
        } else {
            i++;
        }
    }
    return n;
}

/* A rule set that does not end is a defect of the declarations; the bound is
 * far above what the measure of docs/order.md permits. */
static void
check_progress(SnRewriter *rw, uint32_t start, uint32_t nnode)
{
    if (rw->status != SN_OK || rw->nfire - start <= 1000u + 64u * nnode)
        return;
    const SnRuleDesc *r = sn_rule(rw->site[rw->nsite - 1].rule);
    rw->status = sn_fail(rw->d, SN_EINTERNAL, rw->site[rw->nsite - 1].node,
                         "pass %s does not end: %u fires on %u nodes; the "
                         "last was %s.%s (%s)",
                         rw->pass->name, rw->nfire - start, nnode, r->pass,
                         r->name, r->where);
}

static uint32_t
sweep(SnRewriter *rw, SnGraph *g, bool keep)
{
    uint32_t n, nvisit = 0, start = rw->nfire;
    const SnId *topo = sn_order(rw, g, &n);

    rw->nstack = 0;
    rw->stack = NULL;
    rw->nmark = g->nnode + 64;
    rw->mark = sn_alloc(rw->scratch, rw->nmark);
    rw->fire_mark = g->nnode;
    for (uint32_t i = 0; i < n; i++) {
        SnId id = topo[i];
        rw->mark[id] |= SEEN;
        if (!sn_node(g, id)->dead)
            nvisit += visit(rw, g, id, keep);
        while (rw->nstack && rw->status == SN_OK) {
            id = rw->stack[--rw->nstack];
            rw->mark[id] = SEEN;
            if (!sn_node(g, id)->dead)
                nvisit += visit(rw, g, id, keep);
            check_progress(rw, start, n);
        }
    }
    return nvisit;
}

/* ---- passes without a certificate ---- */

/* What reads the users of the last fire's results: patterns may be that deep,
 * and what lies further is found by the closing round. */
static void
queue_below(SnRewriter *rw, SnGraph *g)
{
    for (uint32_t i = 0; i < rw->nmoved; i++) {
        const SnNode *d = sn_node(g, rw->moved[i]);
        for (unsigned k = 0; k < d->nres && !d->dead; k++)
            for (SnUse *u = d->res[k].uses; u; u = u->next)
                sn_revisit(rw, g, u->user);
    }
}

/* All nodes, in topological order, and what fires bring up; again until a
 * whole round fires nothing. */
static uint32_t
worklist(SnRewriter *rw, SnGraph *g, bool keep)
{
    uint32_t nvisit = 0, start = rw->nfire, before;

    do {
        uint32_t n;
        const SnId *topo = sn_order(rw, g, &n);
        before = rw->nfire;
        rw->nmark = g->nnode + 64;
        rw->mark = sn_alloc(rw->scratch, rw->nmark);
        memset(rw->mark, SEEN, rw->nmark);
        rw->fire_mark = g->nnode;
        rw->nstack = 0;
        rw->stack = NULL;
        for (uint32_t i = n; i-- > 0;)
            sn_revisit(rw, g, topo[i]);
        while (rw->nstack && rw->status == SN_OK) {
            SnId id = rw->stack[--rw->nstack];
            uint32_t nfire = rw->nfire;
            rw->mark[id] = SEEN;
            if (!sn_node(g, id)->dead)
                nvisit += visit(rw, g, id, keep);
            if (rw->nfire != nfire)
                queue_below(rw, g);
            check_progress(rw, start, n);
        }
    } while (rw->nfire != before && rw->status == SN_OK);
    return nvisit;
}

static uint32_t
run_pass(SnRewriter *rw, SnGraph *g, bool keep)
{
    if (rw->pass->worklist || rw->o.worklist)
        return worklist(rw, g, keep);
    return sweep(rw, g, keep);
}

static void
after_pass(SnRewriter *rw, SnGraph *g, const char *name)
{
    if (rw->o.print_after && (!strcmp(rw->o.print_after, "all") ||
                              !strcmp(rw->o.print_after, name))) {
        SnBuf b;
        sn_buf_init(&b, rw->scratch);
        if (rw->o.elide)
            sn_print_brief(g, &b);
        else
            sn_print(g, &b, NULL, NULL);
        fprintf(stderr, "; after %s\n%s", name, sn_buf_str(&b));
    }
    if (rw->o.verify && rw->status == SN_OK) {
        rw->status = sn_verify(g, rw->d);
        if (rw->status != SN_OK)
            sn_fail(rw->d, rw->status, g->name ? g->name : "graph",
                    "the graph is not valid after pass %s", name);
    }
}

static SnStatus
built_in(SnRewriter *rw, SnGraph *g, const char *name, bool *known)
{
    *known = true;
    if (!strcmp(name, "fold"))
        return sn_fold_pass(rw, g);
    if (!strcmp(name, "cse"))
        return sn_cse_pass(rw, g);
    if (!strcmp(name, "splats") || !strcmp(name, "constants")) {
        sn_numbers_pass(rw, g, name[0] == 's');
        return SN_OK;
    }
    if (!strcmp(name, "tables")) {
        sn_tables_pass(rw, g);
        return SN_OK;
    }
    if (!strcmp(name, "chains")) {
        sn_chains_pass(rw, g);
        return SN_OK;
    }
    if (!strcmp(name, "beside"))
        return sn_beside_pass(rw, g);
    if (!strcmp(name, "dce")) {
        sn_dce(g);
        return SN_OK;
    }
    if (!strcmp(name, "place")) {
        if (!rw->o.place)
            return sn_fail(rw->d, SN_EUSAGE, "place",
                           "needs a profile: use the quantize verb");
        return rw->o.place(g, rw, rw->o.place_ctx);
    }
    *known = false;
    return SN_OK;
}

static const SnPassDesc *
pass_named(const SnRewriter *rw, const char *name)
{
    for (uint32_t i = 0; i < sn_pass_end(); i++) {
        const SnPassDesc *p = sn_pass_at(i);
        if (strcmp(p->name, name))
            continue;
        if (!p->backend || !strcmp(p->backend, rw->o.backend->name))
            return p;
    }
    return NULL;
}

static SnStatus
run_one(SnRewriter *rw, SnGraph *g, const char *name)
{
    uint32_t fire0 = rw->nfire, nvisit = 0;
    double t0 = sn_now();
    bool known = true, keep = false;
    SnStatus s = SN_OK;

    rw->scratch = sn_arena_new();
    rw->nback = 0;
    rw->back = NULL;
    sn_rewrite_watch(rw, g, NULL);
    /* keep_lower is every lowering pass, less what the backend keeps. */
    if (!strcmp(name, "keep_lower")) {
        keep = true;
        for (uint32_t i = 0; i < sn_pass_end(); i++)
            if (sn_pass_at(i)->lowering) {
                rw->pass = sn_pass_at(i);
                nvisit += run_pass(rw, g, keep);
            }
    } else {
        rw->pass = pass_named(rw, name);
        if (rw->pass)
            nvisit = run_pass(rw, g, keep);
        else
            s = built_in(rw, g, name, &known);
    }
    rw->pass = NULL;
    if (!known && strcmp(name, "backend"))
        sn_bug("pass %s passed the name check but is unknown", name);
    if (s == SN_OK)
        s = rw->status;
    rw->status = s;
    sn_dce(g);
    sn_rewrite_watch(rw, g, name);
    SnPassTime pt = {sn_strdup(rw->arena, name), sn_now() - t0,
                     rw->nfire - fire0, nvisit, g->nlive};
    SN_PUSH(rw->arena, rw->time, rw->ntime, pt);
    after_pass(rw, g, name);
    sn_arena_free(rw->scratch);
    rw->scratch = NULL;
    return rw->status;
}

static const char *const built_in_names[] = {
    "fold",   "cse",       "dce",    "place",  "keep_lower", "backend",
    "splats", "constants", "tables", "beside", "chains"};
enum { NBUILTIN = sizeof built_in_names / sizeof *built_in_names };

const SnPipelineDesc *
sn_pipeline_named(const char *name)
{
    for (uint32_t i = 0; i < sn_npipeline; i++)
        if (!strcmp(sn_pipelines[i].name, name))
            return &sn_pipelines[i];
    return NULL;
}

static SnStatus
unknown_name(SnRewriter *rw, const char *name)
{
    const char **cand = SN_NEW_N(rw->arena, const char *,
                                 sn_pass_end() + sn_npipeline + NBUILTIN);
    size_t n = 0;

    for (uint32_t i = 0; i < sn_pass_end(); i++)
        cand[n++] = sn_pass_at(i)->name;
    for (uint32_t i = 0; i < sn_npipeline; i++)
        cand[n++] = sn_pipelines[i].name;
    for (int i = 0; i < NBUILTIN; i++)
        cand[n++] = built_in_names[i];
    const char *near = sn_closest(name, cand, n);
    if (near)
        return sn_fail(rw->d, SN_EUSAGE, "passes",
                       "no pass or pipeline is named '%s'; did you mean '%s'?",
                       name, near);
    return sn_fail(rw->d, SN_EUSAGE, "passes",
                   "no pass or pipeline is named '%s'", name);
}

static bool
is_pass_name(const SnRewriter *rw, const char *name)
{
    for (int i = 0; i < NBUILTIN; i++)
        if (!strcmp(built_in_names[i], name))
            return true;
    return pass_named(rw, name) != NULL;
}

/* ---- names given by the user ---- */

/* "pass", "pass.rule" or "*.rule". */
static bool
names_rule(const char *s)
{
    const char *dot = strchr(s, '.');

    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        size_t n = strlen(sn_rule(i)->pass);
        if (!dot && !strcmp(s, sn_rule(i)->pass))
            return true;
        if (dot && !strcmp(dot + 1, sn_rule(i)->name) &&
            ((dot - s == 1 && *s == '*') ||
             ((size_t)(dot - s) == n && !strncmp(s, sn_rule(i)->pass, n))))
            return true;
    }
    return false;
}

static SnStatus
no_such(SnRewriter *rw, const char *flag, const char *what, const char *name,
        const char *const *cand, size_t n)
{
    const char *near = sn_closest(name, cand, n);

    if (near)
        return sn_fail(rw->d, SN_EUSAGE, flag,
                       "no %s is named '%s'; did you "
                       "mean '%s'?",
                       what, name, near);
    return sn_fail(rw->d, SN_EUSAGE, flag, "no %s is named '%s'", what, name);
}

/* The names in --disable, --enable and --print-after are known ones. */
static SnStatus
check_names(SnRewriter *rw)
{
    const char **cand =
        SN_NEW_N(rw->arena, const char *, 3 * sn_rule_end() + 1);
    size_t n = 0;

    for (uint32_t i = 0; i < sn_rule_end(); i++) {
        const SnRuleDesc *r = sn_rule(i);
        cand[n++] = r->pass;
        cand[n++] = sn_format(rw->arena, "%s.%s", r->pass, r->name);
        cand[n++] = sn_format(rw->arena, "*.%s", r->name);
    }
    for (const char *const *p = rw->o.disable; p && *p; p++)
        if (!names_rule(*p))
            return no_such(rw, "--disable", "pass or rule", *p, cand, n);
    n = 0;
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (sn_rule(i)->optin)
            cand[n++] = sn_rule(i)->optin;
    for (const char *const *p = rw->o.optin; p && *p; p++) {
        size_t k = 0;
        while (k < n && strcmp(cand[k], *p))
            k++;
        if (k == n)
            return no_such(rw, "--enable", "opt-in rule", *p, cand, n);
    }
    const char *after = rw->o.print_after;
    if (!after || !strcmp(after, "all") || is_pass_name(rw, after))
        return SN_OK;
    n = 0;
    for (uint32_t i = 0; i < sn_pass_end(); i++)
        cand[n++] = sn_pass_at(i)->name;
    for (int i = 0; i < NBUILTIN; i++)
        cand[n++] = built_in_names[i];
    return no_such(rw, "--print-after", "pass", after, cand, n);
}

/* A graph that is rewritten for a backend computes by that backend's rounding
 * from then on; one that has a fixed-point rounding keeps it, and a backend of
 * floats runs it on the evaluators. */
static SnStatus
take_rounding(SnRewriter *rw, SnGraph *g)
{
    const SnBackendDesc *b = rw->o.backend;

    if (!b) /* declarations without any backend */
        return SN_OK;
    if (g->rounding == SN_ROUNDING_FLOAT)
        g->rounding = b->rounding;
    if (b->rounding == SN_ROUNDING_FLOAT || b->rounding == g->rounding)
        return SN_OK;
    return sn_fail(rw->d, SN_EINPUT, g->name,
                   "is a graph with rounding %s; backend %s computes rounding "
                   "%s",
                   sn_arith_at(g->rounding)->name, b->name,
                   sn_arith_at(b->rounding)->name);
}

static SnStatus
run_names(SnRewriter *rw, SnGraph *g, const char *names)
{
    while (*names) {
        size_t n = strcspn(names, ",");
        const char *name = sn_strndup(rw->arena, names, n);
        names += n + (names[n] == ',');
        const SnPipelineDesc *p = sn_pipeline_named(name);
        if (p) {
            for (const char *const *s = p->pass; *s; s++)
                SN_TRY(run_one(rw, g, *s));
        } else if (is_pass_name(rw, name)) {
            SN_TRY(run_one(rw, g, name));
        } else {
            return unknown_name(rw, name);
        }
    }
    return SN_OK;
}

SnStatus
sn_rewrite(SnRewriter *rw, SnGraph *g, const char *names)
{
    SN_TRY(check_names(rw));
    SN_TRY(take_rounding(rw, g));
    sn_graph_target(g, rw->o.backend);
    rw->sorting = sn_arena_new();
    SnStatus s = run_names(rw, g, names);
    sn_arena_free(rw->sorting);
    rw->sorting = NULL;
    rw->order = NULL;
    return s;
}

const SnSite *
sn_sites(const SnRewriter *rw, uint32_t *n)
{
    *n = rw->nsite;
    return rw->site;
}

uint32_t
sn_rule_count(const SnRewriter *rw, uint16_t rule)
{
    return rw->count[rule];
}

uint32_t
sn_family_count(const SnRewriter *rw, SnFamilyId f)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (sn_rule(i)->family == f)
            n += rw->count[i];
    return n;
}

void
sn_rewrite_stats(const SnRewriter *rw, FILE *out)
{
    fprintf(out, "%8s  rule\n", "fires");
    for (uint32_t i = 0; i < sn_rule_end(); i++)
        if (rw->count[i])
            fprintf(out, "%8u  %s.%s (%s)\n", rw->count[i], sn_rule(i)->pass,
                    sn_rule(i)->name, sn_rule(i)->where);
    fprintf(out, "%8u  in all\n", rw->nfire);
}

void
sn_rewrite_checked(const SnRewriter *rw, FILE *out)
{
    fprintf(out, "checked %u of %u fires%s\n", rw->nchecked, rw->nfire,
            rw->nchecked < rw->nfire
                ? "; the others claim nothing, nothing runs their nodes, or "
                  "they claim 'refines' of nodes without a float form"
                : "");
}

void
sn_rewrite_times(const SnRewriter *rw, FILE *out)
{
    SnPassTime sum = {.name = "all of them"};

    fprintf(out, "%10s %7s %7s %7s  pass\n", "ms", "fires", "visits", "nodes");
    for (uint32_t i = 0; i < rw->ntime; i++) {
        const SnPassTime *t = &rw->time[i];
        fprintf(out, "%10.3f %7u %7u %7u  %s\n", 1e3 * t->seconds, t->nfire,
                t->nvisit, t->nnode, t->name);
        sum.seconds += t->seconds;
        sum.nfire += t->nfire;
        sum.nvisit += t->nvisit;
    }
    fprintf(out, "%10.3f %7u %7u %7s  %s\n", 1e3 * sum.seconds, sum.nfire,
            sum.nvisit, "", sum.name);
}

void
sn_graph_target(SnGraph *g, const SnBackendDesc *b)
{
    sn_graph_refine(g, b ? b->nrefine : 0, b ? b->refine : NULL);
}

const SnBackendDesc *
sn_backend_named(const char *name)
{
    for (uint32_t i = 0; i < sn_backend_end(); i++) {
        const char *a = sn_backend_at(i)->name, *b = name;
        while (*a && (*a | 32) == (*b | 32))
            a++, b++;
        if (!*a && !*b)
            return sn_backend_at(i);
    }
    return NULL;
}
