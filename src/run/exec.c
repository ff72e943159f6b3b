// SPDX-License-Identifier: Apache-2.0
#include "run/exec.h"
#include "run/view.h"

#include <string.h>
#include <xxhash.h>

#include "base/budget.h"
#include "graph/late/late.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "kernel/eval/mapped.h"
#include "kernel/pack.h"
#include "kernel/tune/tune.h"
#include "run/fence.h"
#include "run/later.h"
#include "run/shadow.h"
#include "run/stage.h"
#include "run/stream.h"
#include "base/team/team.h"
#include "sn_kind_save.h"

SnStatus
sn_launch(const SnRewriteOpts *opts, SnArena *a, SnGraph *g, SnDiag *d)
{
    const char **optin;
    SnRewriteOpts o = *opts;
    uint32_t n = 0;

    while (o.optin && o.optin[n])
        n++;
    optin = SN_NEW_N(a, const char *, n + 2);
    for (uint32_t i = 0; i < n; i++)
        optin[i] = o.optin[i];
    optin[n] = "fuse";
    o.optin = optin;
    return sn_rewrite(sn_rewriter_new(a, &o, d), g, "launch");
}

static const SnKernelDesc *
kernel_of(const SnBackendDesc *b, SnKind kind, const SnTuple *t)
{
    uint32_t tuple = (uint32_t)(t - sn_desc(kind)->tuple);

    for (uint16_t i = 0; i < b->nkernel; i++)
        if (b->kernel[i].kind == kind && b->kernel[i].tuple == tuple)
            return &b->kernel[i];
    return NULL;
}

/* Kernels compute the bits of their backend's arithmetic: a graph with another
 * arithmetic runs on evaluators. */
static const SnKernelDesc *
kernel_for(const SnGraph *g, const SnBackendDesc *b, SnKind kind,
           const SnTuple *t)
{
    return b && b->rounding == g->rounding ? kernel_of(b, kind, t) : NULL;
}

/* `fallback kernels`: the CPU's. */
static const SnKernelDesc *
cpu_kernel_for(const SnBackendDesc *b, SnKind kind, const SnTuple *t)
{
    const SnBackendDesc *cpu =
        b && b->fallback_kernels ? sn_backend_named("CPU") : NULL;

    return cpu && cpu != b ? kernel_of(cpu, kind, t) : NULL;
}

/* Was this Placeholder or Save uint8 in the original model? */
static bool
of_u8(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnAttrDesc *at = sn_attr_named(sn_desc(n->kind), "boundary");

    return at != NULL && at->kind == SN_A_ENUM &&
           *(const int32_t *)sn_attr_at(n->attr, at) == SN_SAVE_BOUNDARY_U8;
}

/* The Placeholder's steps from a picture. */
static const char *
pixels_of(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnAttrDesc *at = sn_attr_named(sn_desc(n->kind), "pixels");

    return at && at->kind == SN_A_STR
               ? *(const char *const *)sn_attr_at(n->attr, at)
               : NULL;
}

static void
add_port(SnArena *a, SnPort **v, uint32_t *n, const SnGraph *g, SnRef ref,
         const char *name, SnId id)
{
    const SnType *t = sn_type(g, ref);
    bool u8 = of_u8(g, id);
    SnPort p = {name,
                ref,
                t,
                sn_shape_of(g, ref),
                u8 && t->elem == SN_I8,
                u8 && t->elem == SN_QI8,
                pixels_of(g, id)};

    SN_PUSH(a, *v, *n, p);
}

/* The name of an output: the Save's string attribute, else its operand's. */
static const char *
output_name(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    const SnAttrDesc *at = sn_attr_named(d, "name");

    if (at && at->kind == SN_A_STR) {
        const char *const *s = sn_attr_at(n->attr, at);
        if (*s && **s)
            return *s;
    }
    return sn_name(g, n->in[0].ref);
}

/* Adds the input or output that node id, an effect, is. */
static void
add_effect(SnArena *a, const SnGraph *g, SnId id, SnPorts *p)
{
    if (sn_node(g, id)->nin == 0)
        add_port(a, &p->input, &p->ninput, g, SN_REF(id, 0),
                 sn_name(g, SN_REF(id, 0)), id);
    else
        add_port(a, &p->output, &p->noutput, g, sn_in(g, id, 0),
                 output_name(g, id), id);
}

SnPorts
sn_ports(SnArena *a, const SnGraph *g)
{
    SnPorts p = {0};
    uint32_t n;
    const SnId *topo = sn_topo(g, a, &n);

    for (uint32_t i = 0; i < n; i++)
        if (!sn_node(g, topo[i])->data &&
            sn_desc(sn_node(g, topo[i])->kind)->effect)
            add_effect(a, g, topo[i], &p);
    return p;
}

static SnTensor
tensor_at(const SnGraph *g, SnRef ref)
{
    SnTensor t = {NULL, NULL, NULL};

    if (ref) {
        t.type = sn_type(g, ref);
        t.shape = sn_shape_of(g, ref);
        t.data = (void *)(uintptr_t)sn_def(g, ref)->data;
    }
    return t;
}

typedef struct Prepare {
    SnArena *a;
    SnExec *x;
    struct SnPack *pack;
    SnTune *tune;
    SnDiag *d;
    uint32_t *npacked; /* [nnode] of a Constant: uses that did not read it */
    uint32_t *ncopied; /* [nnode] uses that do not read it again, or NULL */
    size_t nread;      /* bytes of Constants since side files were unmapped */
    size_t nmapped;    /* bytes of maps that were opened for all runs */
    SnStages *stages;  /* of late Constants, or NULL: there are none */
    SnLater *later;    /* [nlater] what is left to do before a run */
    uint32_t nlater;
} Prepare;

/* Bytes of side files that may be in memory in addition to the weights packed
 * from them. */
enum { READ_MOST = 1 << 18 };

/* Bytes of opened maps; of steps beyond, each call opens its own. */
enum { MAPPED_MOST = 16 << 20 };

/* Hashes of the Constants among the operands; a lazy graph has them in its
 * text.  If nothing is kept, the reference of the Constant serves as its
 * hash. */
static const uint64_t *
hashes(const Prepare *pr, const SnNode *n)
{
    uint64_t *h = SN_NEW_N(pr->a, uint64_t, n->nin + 1u);

    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTensor t = tensor_at(pr->x->g, n->in[i].ref);
        if (!t.data)
            continue;
        if (!sn_pack_kept(pr->pack)) {
            h[i] = n->in[i].ref;
            continue;
        }
        h[i] = sn_def(pr->x->g, n->in[i].ref)->hash;
        if (!h[i])
            h[i] = XXH64(t.data, sn_tensor_nbyte(t.type, t.shape), 0);
    }
    return h;
}

/* A bit for each operand of n that is a Constant of the graph's own memory, of
 * which all other readers have copies. */
static uint32_t
last_read(const Prepare *pr, const SnNode *n)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < n->nin && i < 32; i++) {
        SnRef w = n->in[i].ref;
        const SnNode *c = w ? sn_def(pr->x->g, w) : NULL;
        if (c && c->own && pr->ncopied[SN_NODE(w)] + 1 == c->res[0].nuse)
            last |= 1u << i;
    }
    return last;
}

/* Frees Constants that are read only by kernels with a copy of them.  A kernel
 * may keep its copy in the memory of the Constant. */
static void
drop_copied(const Prepare *pr, const SnNode *n, const SnPrep *p)
{
    const SnGraph *g = pr->x->g;

    for (uint32_t i = 0; i < n->nin && i < 32; i++) {
        SnRef w = p->copied >> i & 1 ? n->in[i].ref : 0;
        const SnNode *c = w ? sn_def(g, w) : NULL;
        if (c && (c->own || sn_is_late(c)) &&
            ++pr->ncopied[SN_NODE(w)] == c->res[0].nuse && c->own &&
            !(p->taken >> i & 1))
            sn_arena_drop(g->arena, c->data,
                          sn_tensor_nbyte(sn_type(g, w), sn_shape_of(g, w)));
    }
}

/* A node as the call that is prepared: types and shapes, and data of Constants.
 */
typedef struct Called {
    SnTensor *in, out[SN_MAXRES];
    char why[SN_WHY];
    SnCall call;
} Called;

static void
call_of(const Prepare *pr, const SnNode *n, Called *c)
{
    const SnKindDesc *kd = sn_desc(n->kind);

    *c = (Called){.in = SN_NEW_N(pr->a, SnTensor, n->nin + 1u)};
    for (uint32_t i = 0; i < n->nin; i++)
        c->in[i] = tensor_at(pr->x->g, n->in[i].ref);
    for (unsigned i = 0; i < n->nres; i++)
        c->out[i] = (SnTensor){n->res[i].type, n->res[i].shape, NULL};
    c->call = (SnCall){.kind = kd,
                       .attr = n->attr,
                       .nin = n->nin,
                       .nout = kd->nout,
                       .in = c->in,
                       .out = c->out,
                       .scratch = pr->a,
                       .why = c->why,
                       .rounding = pr->x->g->rounding};
}

/* SnPrep.late of a node whose kernel asks for it. */
static const SnLate *const *
late_operands(const Prepare *pr, const SnNode *n)
{
    const SnLate **v = NULL;

    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef r = n->in[i].ref;
        const SnNode *c = r ? sn_def(pr->x->g, r) : NULL;
        if (!c || !c->late ||
            !(sn_is_late(c) || (c->late->file && c->res[0].nuse == 1)))
            continue; /* readers share what is packed of their data */
        if (!v)
            v = SN_NEW_N(pr->a, const SnLate *, n->nin);
        v[i] = c->late;
    }
    return v;
}

/* Whether kernel k takes the node; what it prepares is in s.  other: it belongs
 * to a backend with another arithmetic, which does not affect moves and
 * reals. */
static bool
prepare(Prepare *pr, const SnNode *n, const SnKernelDesc *k, bool other,
        SnExecStep *s)
{
    SnExec *x = pr->x;
    Called c;
    SnPrep p = {.call = &c.call,
                .tuple = s->tuple,
                .constants = x->g->arena,
                .nunit = 1,
                .part = -1};

    bool sees =
        other && s->tuple->quant && sn_desc(n->kind)->sem[0].cls != SN_C_MOVE;
    if (!k->prepare)
        return !sees;
    call_of(pr, n, &c);
    p.tune = pr->tune;
    if (pr->ncopied)
        p.last = last_read(pr, n);
    if (k->late)
        p.late = late_operands(pr, n);
    else if (pr->stages)
        sn_stages_set(pr->stages, n, c.in);
    if (pr->pack) {
        p.pack = pr->pack;
        p.hash = hashes(pr, n);
    }
    for (unsigned i = 0; i < n->nres; i++)
        p.wanted |= (uint32_t)(i == 0 || n->res[i].nuse > 0) << i;
    bool ok = k->prepare(&p);
    for (uint32_t i = 0; i < n->nin; i++)
        if (c.in[i].data && !(p.late && p.late[i]))
            pr->nread += sn_tensor_nbyte(c.in[i].type, c.in[i].shape);
    if (pr->nread >= READ_MOST) {
        sn_arena_unload_all(x->g->arena);
        pr->nread = 0;
    }
    if (!ok || (sees && !p.any))
        return false;
    if (p.nunit < 1)
        sn_bug("kernel %s has no unit for a result with elements", k->name);
    if (p.later.fn && (p.later.n < 1 || p.later.nbyte == 0))
        sn_bug("kernel %s leaves work of no piece or byte for later", k->name);
    for (uint32_t i = 0; i < n->nin && i < 32; i++)
        if (p.packed >> i & 1 && n->in[i].ref)
            pr->npacked[SN_NODE(n->in[i].ref)]++;
    if (pr->stages)
        sn_stages_keep(pr->stages, n, c.in, p.copied);
    if (pr->ncopied)
        drop_copied(pr, n, &p);
    if (p.later.fn)
        SN_PUSH(pr->a, pr->later, pr->nlater, p.later);
    s->prep = p.prep;
    s->nunit = p.nunit;
    s->cost = p.cost;
    s->pitched = p.pitched;
    s->inplace = p.inplace;
    s->part = p.part;
    s->layer = p.layer;
    s->reads = p.reads;
    s->writes = p.writes;
    s->nwork = p.nwork;
    if (p.nwork > x->nwork)
        x->nwork = p.nwork;
    return true;
}

/* The maps that the evaluator of the node asks for. */
static const struct SnMapped *const *
open_maps(Prepare *pr, const SnNode *n)
{
    size_t was = sn_arena_nbyte(pr->a);
    Called c;

    if (pr->nmapped >= MAPPED_MOST)
        return NULL;
    call_of(pr, n, &c);
    const struct SnMapped *const *m = sn_mapped_all(&c.call);
    pr->nmapped += sn_arena_nbyte(pr->a) - was;
    return m;
}

static SnStatus
add_step(Prepare *pr, SnId id)
{
    SnArena *a = pr->a;
    SnDiag *d = pr->d;
    SnExec *x = pr->x;
    const SnGraph *g = x->g;
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *kd = sn_desc(n->kind);
    bool empty = sn_node_empty(g, id);
    SnExecStep s = {.node = id,
                    .in = x->ntensor_in,
                    .out = x->ntensor_out,
                    .nunit = !empty,
                    .part = -1};

    s.tuple = sn_node_tuple(g, id);
    if (!s.tuple)
        return sn_fail(d, SN_EUNSUPPORTED, sn_label(g, id, a),
                       "no tuple of %s fits the types of its operands",
                       kd->name);
    const SnKernelDesc *k =
        empty ? NULL : kernel_for(g, x->backend, n->kind, s.tuple);
    if (k && !prepare(pr, n, k, false, &s))
        k = NULL;
    const SnKernelDesc *cpu =
        k || empty ? NULL : cpu_kernel_for(x->backend, n->kind, s.tuple);
    if (cpu && prepare(pr, n, cpu, g->rounding != SN_ROUNDING_FLOAT, &s))
        k = cpu;
    s.fn = k ? k->fn : s.tuple->eval;
    s.kernel = k ? k->name : NULL;
    if (!s.fn && !empty)
        return sn_fail(d, SN_EUNSUPPORTED, sn_label(g, id, a),
                       "%s has no evaluator: it runs only lowered", kd->name);
    if (!k && !empty && x->backend && !x->backend->fallback_reference &&
        x->backend->nkernel > 0)
        return sn_fail(d, SN_EUNSUPPORTED, sn_label(g, id, a),
                       "backend %s has no kernel for it and declares no "
                       "'fallback reference'",
                       x->backend->name);
    if (!k && !empty) {
        x->nfallback++;
        s.mapped = open_maps(pr, n);
    }
    x->ntensor_in += n->nin;
    x->ntensor_out += kd->nout;
    SN_PUSH(a, x->step, x->nstep, s);
    return SN_OK;
}

/* Where each value is: its own block, or the one it lies in. */
static void
index_blocks(SnArena *a, SnExec *x)
{
    size_t nref = (size_t)x->g->nnode << SN_RESBITS, offset;

    x->block = SN_NEW_N(a, uint32_t, nref);
    for (uint32_t i = 0; i < x->plan->nblock; i++)
        x->block[x->plan->owner[i]] = i + 1;
    for (SnRef r = 0; x->view && r < nref; r++)
        if (x->view[r].base)
            x->block[r] = x->block[sn_view_root(x->view, r, &offset)];
}

/* Constants that were read or will be. */
static SnStatus
check_read(const Prepare *pr)
{
    const SnGraph *g = pr->x->g;

    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *n = sn_node(g, i);
        if (n->dead || !n->unread || pr->npacked[i] == n->res[0].nuse)
            continue;
        SN_TRY(sn_text_check(g, i, pr->d));
        sn_arena_unload(g->arena, n->data,
                        sn_tensor_nbyte(n->res[0].type, n->res[0].shape));
    }
    return SN_OK;
}

enum { RESERVE_LEAST = 1 << 20 };

/* Packed data takes as much as the weights, and a little more for channels that
 * fill panels: in one piece it has large pages. */
static void
reserve(SnPack *pack, const SnExec *x)
{
    size_t n = x->plan->constants;

    if (n > RESERVE_LEAST)
        sn_pack_reserve(pack, n, n / 16);
}

static SnStatus
prepare_all(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
            struct SnPack *pack, SnTune *tune, bool only, SnDiag *d,
            SnExec **out)
{
    SnExec *x = SN_NEW(a, SnExec);
    Prepare pr = {.a = a,
                  .x = x,
                  .pack = pack,
                  .tune = tune,
                  .d = d,
                  .npacked = SN_NEW_N(a, uint32_t, g->nnode)};

    if (only)
        pr.ncopied = SN_NEW_N(a, uint32_t, g->nnode);
    if (!pack)
        pr.pack = sn_pack_new(a);
    x->g = g;
    pr.stages = sn_stages_new(a, g, only && !sn_pack_kept(pr.pack));
    x->backend = backend;
    sn_graph_charge(g);
    sn_budget_at("planning", g->name);
    x->plan = sn_plan(a, g);
    if (!pack && backend && backend->nkernel > 0)
        reserve(pr.pack, x);
    for (uint32_t i = 0; i < x->plan->nstep; i++) {
        SnId id = x->plan->step[i].node;
        const SnNode *n = sn_node(g, id);
        if (!n->data && !sn_desc(n->kind)->effect)
            SN_TRY(add_step(&pr, id));
    }
    SnPorts p = sn_ports(a, g);
    x->ninput = p.ninput;
    x->input = p.input;
    x->noutput = p.noutput;
    x->output = p.output;
    SN_TRY(check_read(&pr));
    if (pr.stages)
        sn_stages_end(pr.stages, pr.ncopied);
    sn_later_do(pr.later, pr.nlater, g->arena);
    sn_arena_unload_all(g->arena); /* evaluators fetch theirs again */
    *out = x;
    return SN_OK;
}

static SnStatus
prepare_fast(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
             struct SnPack *pack, SnTune *tune, bool only, SnDiag *d,
             const SnExec **out)
{
    SnExec *x;

    SN_TRY(prepare_all(a, g, backend, pack, tune, only, d, &x));
    x->view = sn_choose_views(a, x);
    x->plan = sn_plan_runs(a, g, x->view, sn_find_streams(a, x));
    index_blocks(a, x);
    *out = x;
    return SN_OK;
}

SnStatus
sn_exec_prepare(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
                SnDiag *d, const SnExec **out)
{
    SnExec *x;

    SN_TRY(prepare_all(a, g, backend, NULL, NULL, false, d, &x));
    index_blocks(a, x);
    *out = x;
    return SN_OK;
}

SnStatus
sn_exec_prepare_fast(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
                     SnDiag *d, const SnExec **out)
{
    return sn_exec_prepare_packed(a, g, backend, NULL, d, out);
}

SnStatus
sn_exec_prepare_packed(SnArena *a, const SnGraph *g,
                       const SnBackendDesc *backend, struct SnPack *pack,
                       SnDiag *d, const SnExec **out)
{
    return sn_exec_prepare_tune(a, g, backend, pack, NULL, d, out);
}

SnStatus
sn_exec_prepare_tune(SnArena *a, const SnGraph *g, const SnBackendDesc *backend,
                     struct SnPack *pack, struct SnTune *tune, SnDiag *d,
                     const SnExec **out)
{
    return prepare_fast(a, g, backend, pack, tune, false, d, out);
}

SnStatus
sn_exec_prepare_only(SnArena *a, SnGraph *g, const SnBackendDesc *backend,
                     struct SnPack *pack, struct SnTune *tune, SnDiag *d,
                     const SnExec **out)
{
    return prepare_fast(a, g, backend, pack, tune, true, d, out);
}

const SnExec *
sn_exec_retune(SnArena *a, const SnExec *x, const SnTune *was, SnTune *tune)
{
    SnExec *y = sn_memdup(a, x, sizeof *x);
    Prepare pr = {.a = a,
                  .x = y,
                  .tune = tune,
                  .npacked = SN_NEW_N(a, uint32_t, x->g->nnode)};

    if (x->plan->constants > RESERVE_LEAST)
        sn_arena_reserve(a, x->plan->constants, x->plan->constants / 16);
    y->step = sn_memdup(a, x->step, x->nstep * sizeof *x->step);
    for (uint32_t i = 0; i < y->nstep; i++) {
        SnExecStep *s = &y->step[i];
        const SnNode *n = sn_node(x->g, s->node);
        if (!s->layer || sn_conv_same_pick(&was->layer[s->layer - 1].pick,
                                           &tune->layer[s->layer - 1].pick))
            continue;
        const SnKernelDesc *k = kernel_for(x->g, x->backend, n->kind, s->tuple);
        bool other = !k && x->g->rounding != SN_ROUNDING_FLOAT;
        if (!k)
            k = cpu_kernel_for(x->backend, n->kind, s->tuple);
        if (!prepare(&pr, n, k, other, s))
            sn_bug("kernel %s takes a node under one pick only", s->kernel);
    }
    sn_later_do(pr.later, pr.nlater, x->g->arena);
    sn_arena_unload_all(x->g->arena);
    return y;
}

uint8_t *
sn_run_block(const SnRun *r, uint32_t b)
{
    return r->arena +
           (r->fence ? sn_fence_at(r->fence, b) : r->x->plan->block[b].offset);
}

static void *
value_at(const SnRun *r, SnRef ref)
{
    const SnNode *n = sn_def(r->x->g, ref);

    if (n->data && r->fence &&
        sn_tensor_nbyte(n->res[0].type, n->res[0].shape) == 0)
        return sn_fence_nowhere(r->fence);
    if (n->data)
        return (void *)(uintptr_t)n->data;
    uint32_t b = r->x->block[ref];
    size_t offset = 0;
    if (!b)
        return NULL;
    sn_view_root(r->x->view, ref, &offset);
    return r->at[b - 1] + offset;
}

SnTensor
sn_run_value(const SnRun *r, SnRef ref)
{
    const SnResult *res = sn_res(r->x->g, ref);
    SnTensor t = {res->type, res->shape, value_at(r, ref)};

    return t;
}

/* After a jump to a guard nobody else resets it. */
static void
end_run(void *ctx)
{
    sn_run_free(ctx);
}

SnRun *
sn_run_new(SnArena *a, const SnExec *x)
{
    return sn_run_team(a, x, 1);
}

/* Without a step of two parts a team would only wait. */
static bool
worth_a_team(const SnRun *r)
{
    for (uint32_t i = 0; i < r->x->nstep; i++)
        if (sn_step_parts(&r->x->step[i], r->nthread) > 1)
            return true;
    return false;
}

SnRun *
sn_run_team(SnArena *a, const SnExec *x, unsigned n)
{
    SnRun *r = sn_run_parts(a, x, n);

    if (worth_a_team(r))
        r->team = sn_team_new(r->nthread);
    return r;
}

/* Working memory for what r runs, unless it has enough. */
static void
get_work(SnRun *r, SnArena *a)
{
    size_t n = r->x->nwork + (r->fence ? SN_FENCE_GAP : 0);
    size_t pitch = (n + SN_PLAN_ALIGN) / SN_PLAN_ALIGN * SN_PLAN_ALIGN;

    if (!r->x->nwork || (r->work && pitch <= r->pitch))
        return;
    r->pitch = pitch;
    r->work = sn_alloc_n(a, r->nthread, pitch);
    if (r->fence)
        sn_fence_work(r, a);
}

SnRun *
sn_run_parts(SnArena *a, const SnExec *x, unsigned n)
{
    SnRun *r = SN_NEW(a, SnRun);

    sn_arena_at_free(a, end_run, r);
    if (x->plan->nstep > 0)
        sn_budget_at("running",
                     sn_label(x->g, x->plan->step[x->plan->peak_step].node, a));
    r->x = x;
    r->nthread = n < 1 ? 1 : n > SN_MAXTHREAD ? SN_MAXTHREAD : n;
    if (sn_fence_on())
        r->fence = sn_fence_new(a, x, &r->arena);
    else
        r->arena = sn_alloc(a, x->plan->arena + SN_PLAN_ALIGN);
    get_work(r, a);
    r->at = SN_NEW_N(a, uint8_t *, x->plan->nblock + 1);
    for (uint32_t b = 0; b < x->plan->nblock; b++)
        r->at[b] = sn_run_block(r, b);
    r->in = SN_NEW_N(a, SnTensor, x->ntensor_in + 1);
    r->out = SN_NEW_N(a, SnTensor, x->ntensor_out + 1);
    r->step = SN_NEW_N(a, SnRunStep, x->nstep + 1);
    r->scratch = sn_arena_new();
    for (uint32_t i = 0; i < x->nstep; i++) {
        const SnExecStep *s = &x->step[i];
        const SnNode *node = sn_node(x->g, s->node);
        for (uint32_t k = 0; k < node->nin; k++)
            if (node->in[k].ref)
                r->in[s->in + k] = sn_run_value(r, node->in[k].ref);
        for (unsigned k = 0; k < node->nres; k++)
            r->out[s->out + k] = sn_run_value(r, SN_REF(s->node, k));
    }
    sn_run_calls(r);
    return r;
}

void
sn_run_switch(SnRun *r, SnArena *a, const SnExec *x)
{
    r->x = x;
    get_work(r, a);
    sn_run_calls(r);
}

void
sn_run_free(SnRun *r)
{
    sn_arena_free(r->scratch);
    r->scratch = NULL;
    sn_team_free(r->team);
    r->team = NULL;
}

void *
sn_run_input(SnRun *r, uint32_t i)
{
    const SnPort *p = &r->x->input[i];
    void *v = value_at(r, p->ref);

    if (r->fence) /* in case a run was left by a jump */
        sn_shadow_open(v, sn_tensor_nbyte(p->type, p->shape));
    return v;
}

const void *
sn_run_output(const SnRun *r, uint32_t i)
{
    return value_at(r, r->x->output[i].ref);
}

/* Code i of a tensor as a signed 64-bit integer. */
static int64_t
code_at(SnElem e, const void *p, int64_t i)
{
    switch (e) {
    case SN_QI8:
    case SN_I8:
        return ((const int8_t *)p)[i];
    case SN_QI16:
        return ((const int16_t *)p)[i];
    case SN_QI32:
    case SN_I32:
        return ((const int32_t *)p)[i];
    case SN_I64:
        return ((const int64_t *)p)[i];
    case SN_BOOL:
        return ((const uint8_t *)p)[i] != 0;
    default:
        return 0;
    }
}

void
sn_to_real(const SnType *t, const SnShape *s, const void *data, float *out)
{
    int64_t n = sn_shape_count(s), inner = 1;

    if (t->elem == SN_F32) {
        memcpy(out, data, (size_t)n * sizeof *out);
        return;
    }
    for (int k = t->axis + 1; t->axis >= 0 && k < s->rank; k++)
        inner *= s->dim[k];
    for (int64_t i = 0; i < n; i++) {
        int64_t q = code_at(t->elem, data, i);
        if (t->nq == 0) {
            out[i] = (float)q;
            continue;
        }
        int64_t c = t->axis < 0 ? 0 : i / inner % s->dim[t->axis];
        out[i] = (float)(q - t->zp[c]) * t->scale[c];
    }
}
