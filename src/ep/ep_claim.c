// SPDX-License-Identifier: Apache-2.0
/* Claiming: which nodes of a graph sinter takes, as parts of it.  What cannot
 * be taken is found by trying: each part is made a model and a session, and
 * what sinter refuses is taken out until nothing is. */
#include "ep/ep_claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ep/ep_context.h"
#include "ep/ep_same.h"

typedef struct Claim {
    SnEp *ep;
    const OrtGraph *g;
    OrtSupport *support;
    SnArena *a;
    SnEpWhole w;
    SnEpDag dag;
    bool *can;        /* [nnode] */
    const char **why; /* [nnode] not: the reason */
    uint32_t *part;   /* [nnode] from 1 on; 0: none */
    uint32_t *member; /* of the part under way, */
    size_t nmember;   /* in the graph's order */
    uint64_t *good;   /* parts that have been tried, by a sum of theirs */
    size_t ngood;
    uint32_t *stack;   /* [nnode] of a walk, */
    uint32_t *mark;    /* [nnode] and what it has met: now */
    uint32_t now;      /* walks so far */
    bool blamed;       /* somebody, in the try under way */
    char (*text)[256]; /* room for reasons, as sinter's messages come where */
    size_t ntext;      /* memory must not run out */
} Claim;

enum { NTEXT = 64 };

/* Room for NTEXT reasons. */
static void
make_room(Claim *c)
{
    if (c->text && c->ntext == NTEXT)
        return;
    c->text = sn_alloc_n(c->a, NTEXT, sizeof *c->text);
    c->ntext = NTEXT;
}

static const char *
copy_text(Claim *c, const char *text)
{
    if (c->ntext == 0)
        return "sinter refuses it";
    char *to = c->text[--c->ntext];
    size_t n = strnlen(text, sizeof *c->text - 1);
    memcpy(to, text, n);
    to[n] = '\0';
    return to;
}

/* why must stay. */
static void
blame(Claim *c, uint32_t node, const char *why)
{
    if (!c->can[node])
        return;
    c->can[node] = false;
    c->why[node] = why;
    c->blamed = true;
}

/* ---- before anything is tried ---- */

/* Is the node among what option `leave` names? */
static bool
is_left(const SnEp *ep, const SnEpNode *n, uint32_t number)
{
    for (const char *s = ep->leave; *s; s += *s == ',') {
        size_t len = strcspn(s, ",");
        char *end;
        if (*s == '#' && strtoul(s + 1, &end, 10) == number && end == s + len)
            return true;
        if (strlen(n->p->op_type) == len && !strncmp(s, n->p->op_type, len))
            return true;
        s += len;
    }
    return false;
}

static const char *
foreign(const SnEpWhole *w, const SnEpNode *n)
{
    for (size_t r = 0; r < n->nread; r++)
        if (n->read[r] != SN_EP_NONE && w->value[n->read[r]].foreign)
            return "it reads an initializer that is not constant, or a value "
                   "of a graph around this one";
    return NULL;
}

static const char *
first_reason(Claim *c, uint32_t i)
{
    const SnEpNode *n = &c->w.node[i];
    const char *why = n->why ? n->why : foreign(&c->w, n);

    if (!why && is_left(c->ep, n, i))
        why = "option leave names it";
    return why || c->ep->contract ? why : sn_ep_differs(&c->w, i);
}

void
sn_ep_forget(SnEp *ep)
{
    for (char **s = ep->fixed; s && *s; s++)
        free(*s);
    free(ep->fixed);
    ep->fixed = NULL;
}

/* ONNX Runtime checks the shapes of what a caller hands over, and no others:
 * those that it works out for pools with ceil_mode, for one, are not always
 * those of its results. */
static OrtStatus *
keep_inputs(Claim *c)
{
    size_t n = 0;

    sn_ep_forget(c->ep);
    c->ep->fixed = calloc(c->w.nvalue + 1, sizeof *c->ep->fixed);
    for (size_t i = 0; c->ep->fixed && i < c->w.nvalue; i++) {
        SnEpValue *v = &c->w.value[i];
        v->port.loose = v->maker != 0;
        if (v->maker || v->constant || v->foreign)
            continue;
        if (!(c->ep->fixed[n++] = strdup(v->name)))
            return sn_ep_no_memory(c->ep->factory->api);
    }
    return c->ep->fixed ? NULL : sn_ep_no_memory(c->ep->factory->api);
}

/* What each node reads of others, also for graphs inside it. */
static void
connect(Claim *c)
{
    SnEpWhole *w = &c->w;

    c->dag.n = (uint32_t)w->nnode;
    c->dag.nbefore = SN_NEW_N(c->a, uint32_t, w->nnode + 1);
    c->dag.before = SN_NEW_N(c->a, uint32_t *, w->nnode + 1);
    for (size_t i = 0; i < w->nnode; i++) {
        const SnEpNode *n = &w->node[i];
        for (size_t r = 0; r < n->nread + n->nhidden; r++) {
            uint32_t v = r < n->nread ? n->read[r] : n->hidden[r - n->nread];
            if (v != SN_EP_NONE && w->value[v].maker)
                SN_PUSH(c->a, c->dag.before[i], c->dag.nbefore[i],
                        w->value[v].maker - 1);
        }
    }
}

/* ---- trying a part ---- */

/* Nodes of the part that read the value, or else the one that makes it. */
static void
blame_value(Claim *c, uint32_t v, const char *why)
{
    bool found = false;

    for (size_t m = 0; m < c->nmember; m++) {
        const SnEpNode *n = &c->w.node[c->member[m]];
        for (size_t r = 0; r < n->nread; r++)
            if (n->read[r] == v) {
                blame(c, c->member[m], why);
                found = true;
            }
    }
    if (!found && c->w.value[v].maker)
        blame(c, c->w.value[v].maker - 1, why);
}

static void
blame_node(Claim *c, uint32_t i, const char *why)
{
    const Onnx__NodeProto *p = c->w.node[i].p;

    blame(c, i, why);
    if (strncmp(why, "operator ", 9) != 0)
        return;
    for (size_t m = 0; m < c->nmember; m++) { /* said once of all */
        const Onnx__NodeProto *q = c->w.node[c->member[m]].p;
        if (!strcmp(p->op_type, q->op_type) && !strcmp(p->domain, q->domain))
            blame(c, c->member[m], why);
    }
}

/* Nodes of the part that add up, above node i or it itself, as far as there is
 * none between; false: there are none.  Allocates nothing. */
static bool
blame_sums(Claim *c, uint32_t i, const char *why)
{
    const uint32_t mine = c->part[c->member[0]];
    bool found = false;
    size_t n = 0;

    c->now++;
    c->stack[n++] = i;
    c->mark[i] = c->now;
    while (n) {
        i = c->stack[--n];
        if (c->part[i] != mine)
            continue;
        if (sn_ep_adds_up(&c->w, i)) {
            blame(c, i, why);
            found = true;
            continue;
        }
        for (uint32_t k = 0; k < c->dag.nbefore[i]; k++) {
            uint32_t b = c->dag.before[i][k];
            if (c->mark[b] != c->now)
                c->stack[n++] = b;
            c->mark[b] = c->now;
        }
    }
    return found;
}

/* A sum that sinter left as one of reals, which makes that value. */
static void
hear_sum(Claim *c, const char *name)
{
    static const char why[] = "bits: ONNX Runtime rounds its sums of reals";
    uint32_t v = sn_ep_value(&c->w, name);
    uint32_t maker = v == SN_EP_NONE ? 0 : c->w.value[v].maker;

    if (maker && blame_sums(c, maker - 1, why))
        return;
    for (size_t m = 0; m < c->nmember; m++)
        if (sn_ep_adds_up(&c->w, c->member[m]))
            blame(c, c->member[m], why);
}

/* Errors name what they are about: "graph: node 'n12' (Conv)", "graph: input
 * 'x'"; a note, "sum 'y'". */
static void
listen(void *ctx, SinterSeverity severity, const char *where, const char *text)
{
    Claim *c = ctx;
    const char *from = strchr(where, '\''), *to = strrchr(where, '\'');
    const char *node = strstr(where, "node 'n");
    char name[256];
    uint32_t v;

    if (!from || from == to)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(to - from - 1), from + 1);
    if (severity == SINTER_LOG_NOTE && !strncmp(where, "sum ", 4))
        hear_sum(c, name);
    if (severity != SINTER_LOG_ERROR)
        return;
    text = copy_text(c, text);
    if (node) {
        unsigned long i = strtoul(node + 7, NULL, 10);
        if (i < c->w.nnode && c->part[i] == c->part[c->member[0]])
            blame_node(c, (uint32_t)i, text);
        return;
    }
    v = sn_ep_value(&c->w, name);
    if (v != SN_EP_NONE)
        blame_value(c, v, text);
}

static void
blame_all(Claim *c, const char *why)
{
    for (size_t m = 0; m < c->nmember; m++)
        blame(c, c->member[m], why);
}

/* Inputs that a session cannot be made for. */
static void
check_inputs(Claim *c, const SnEpGraph *g)
{
    for (size_t i = 0; i < g->ninput; i++)
        if (g->input[i].type == 0 || g->input[i].rank == 0)
            blame_value(c, sn_ep_value(&c->w, g->input[i].name),
                        g->input[i].type
                            ? "it reads a value whose rank is 0, "
                              "or not known"
                            : "it reads a value that is not a tensor");
}

/* A profile that was asked for, and does not serve, is worth a warning. */
static bool
is_about_profile(const Claim *c, const SinterError *e)
{
    const char *path = c->ep->quantize;

    return *path && !strncmp(e->where, path, strlen(path));
}

/* Whether a session can be made of the part; else nodes were taken out. */
static OrtStatus *
try_part(Claim *c)
{
    SnEpGraph g;
    SinterError e;
    const char *port;

    if (!sn_ep_pack(&c->w, c->member, c->nmember, true, &g)) {
        blame_all(c, c->w.why);
        return NULL;
    }
    check_inputs(c, &g);
    if (c->ep->keep && g.ninput == 0) /* ONNX Runtime 1.23 asks for one */
        blame_all(c, "a context must have an input");
    if (c->blamed)
        return NULL;
    make_room(c);
    SnEpSource src = sn_ep_source(c->a, &g);
    SinterSession *s = sn_ep_open(c->ep, &src, (SnEpLog){listen, c}, &e);
    if (!s && !strcmp(e.message, "out of memory"))
        return sn_ep_failed_by(c->ep->factory->api, &e);
    if (!s && is_about_profile(c, &e))
        sn_ep_say(c->ep, ORT_LOG_WARNING, e.where, e.message);
    if (!s && !c->blamed)
        blame_all(c, copy_text(c, e.message));
    port = s ? sn_ep_misfit(s, &g) : NULL;
    if (port) {
        uint32_t v = sn_ep_value(&c->w, port);
        if (v != SN_EP_NONE)
            blame_value(c, v,
                        "sinter gives a value that it reads or makes another "
                        "type or shape");
        if (!c->blamed)
            blame_all(c, "sinter gives it other inputs and outputs");
    }
    sinter_session_free(s);
    return NULL;
}

static void
collect(Claim *c, uint32_t part)
{
    c->nmember = 0;
    for (size_t i = 0; i < c->w.nnode; i++)
        if (c->part[i] == part)
            c->member[c->nmember++] = (uint32_t)i;
}

static uint64_t
sum_of_members(const Claim *c)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t m = 0; m < c->nmember; m++)
        h = (h ^ c->member[m]) * UINT64_C(1099511628211);
    return h ^ c->nmember;
}

static bool
is_good(const Claim *c, uint64_t sum)
{
    for (size_t i = 0; i < c->ngood; i++)
        if (c->good[i] == sum)
            return true;
    return false;
}

/* Under `bits = same`, parts that only move and convert values are left: what
 * is around them is ONNX Runtime's, which joins them to it. */
static bool
is_worth_it(const Claim *c)
{
    for (size_t m = 0; m < c->nmember; m++)
        if (c->ep->contract || c->ep->small || sn_ep_works(&c->w, c->member[m]))
            return true;
    return false;
}

/* Parts all of which can be made sessions; *n is how many there are. */
static OrtStatus *
find_parts(Claim *c, uint32_t *n)
{
    bool again = true;

    while (again) {
        again = false;
        *n = sn_ep_parts(c->a, &c->dag, c->can, c->part);
        for (uint32_t p = 1; p <= *n; p++) {
            collect(c, p);
            uint64_t sum = sum_of_members(c);
            if (is_good(c, sum))
                continue;
            c->blamed = false;
            if (!is_worth_it(c))
                blame_all(c, "no node of its part is worth a call");
            OrtStatus *st = c->blamed ? NULL : try_part(c);
            if (st)
                return st;
            if (c->blamed)
                again = true;
            else
                SN_PUSH(c->a, c->good, c->ngood, sum);
        }
    }
    return NULL;
}

/* ---- what becomes of it ---- */

static OrtStatus *
fuse(Claim *c)
{
    const OrtFuseOptions o = {ORT_API, true};
    const OrtNode **node = SN_NEW_N(c->a, const OrtNode *, c->nmember);

    for (size_t m = 0; m < c->nmember; m++)
        node[m] = c->w.node[c->member[m]].ort;
    return ORT_AT(c->ep->factory->ep_api, ORT_EP_FUSE,
                  OrtFuse)(c->support, node, c->nmember, &o);
}

static void
report(Claim *c, uint32_t npart)
{
    size_t n = 0;

    for (size_t i = 0; i < c->w.nnode; i++) {
        const Onnx__NodeProto *p = c->w.node[i].p;
        n += c->can[i];
        if (!c->can[i])
            sn_ep_say(c->ep, ORT_LOG_INFO,
                      sn_format(c->a, "node #%zu '%s' (%s) is not claimed", i,
                                p->name, p->op_type),
                      c->why[i]);
    }
    sn_ep_say(c->ep, ORT_LOG_INFO, "",
              sn_format(c->a, "claims %zu of %zu nodes in %u part%s", n,
                        c->w.nnode, (unsigned)npart, npart == 1 ? "" : "s"));
}

/* Each a part of its own; *n is how many there are.  What is beside them was
 * left when they were made. */
static OrtStatus *
claim_contexts(Claim *c, uint32_t *n)
{
    OrtStatus *st = NULL;

    *n = 0;
    for (uint32_t i = 0; i < c->w.nnode && !st; i++) {
        c->can[i] = sn_ep_is_context(&c->w.node[i]);
        if (!c->can[i])
            c->why[i] = "the model holds contexts, and this node is not one";
        c->member[0] = i;
        c->nmember = 1;
        *n += c->can[i];
        st = c->can[i] ? fuse(c) : NULL;
    }
    return st;
}

static bool
holds_contexts(const Claim *c)
{
    for (size_t i = 0; i < c->w.nnode; i++)
        if (sn_ep_is_context(&c->w.node[i]))
            return true;
    return false;
}

static OrtStatus *
claim(SnArena *a, void *ctx)
{
    Claim *c = ctx;
    const void *parent = NULL;
    const OrtTable *api = c->ep->factory->api;
    uint32_t n = 0;

    OrtStatus *st = ORT_AT(api, ORT_GRAPH_PARENT, OrtGet)(c->g, &parent);
    if (st || parent)
        return st;
    c->a = a;
    if (!sn_ep_read(&c->w, a, api, c->g)) {
        sn_ep_say(c->ep, ORT_LOG_INFO, "not claimed", c->w.why);
        return NULL;
    }
    c->can = SN_NEW_N(a, bool, c->w.nnode + 1);
    c->why = SN_NEW_N(a, const char *, c->w.nnode + 1);
    c->part = SN_NEW_N(a, uint32_t, c->w.nnode + 1);
    c->member = SN_NEW_N(a, uint32_t, c->w.nnode + 1);
    c->stack = SN_NEW_N(a, uint32_t, c->w.nnode + 1);
    c->mark = SN_NEW_N(a, uint32_t, c->w.nnode + 1);
    if (holds_contexts(c)) {
        st = claim_contexts(c, &n);
        if (!st)
            report(c, n);
        return st;
    }
    for (uint32_t i = 0; i < c->w.nnode; i++) {
        c->why[i] = first_reason(c, i);
        c->can[i] = !c->why[i];
    }
    connect(c);
    st = keep_inputs(c);
    if (!st)
        st = find_parts(c, &n);
    for (uint32_t p = 1; p <= n && !st; p++) {
        collect(c, p);
        st = fuse(c);
    }
    if (!st) /* memory may run out in it */
        report(c, n);
    return st;
}

OrtStatus *
sn_ep_capability(OrtEp *base, const OrtGraph *g, OrtSupport *s)
{
    SnEp *ep = (SnEp *)base;
    Claim c = {.ep = ep, .g = g, .support = s};

    OrtStatus *st = sn_ep_guarded(ep->factory->api, claim, &c);
    sn_ep_drop(&c.w);
    return st;
}
