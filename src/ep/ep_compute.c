// SPDX-License-Identifier: Apache-2.0
/* Fused nodes: graphs compiled to sessions, and their runs. */
#include "ep/ep_compute.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ep/ep_context.h"

enum {
    NPORT = 64,  /* inputs, and outputs, that are run without an allocation */
    MAXRANK = 64 /* of what a session is made for */
};

/* A session for inputs of certain shapes. */
typedef struct Shaped {
    SinterSession *s;
    uint32_t nuser; /* runs under way */
    struct Shaped *next;
} Shaped;

typedef struct Compute {
    OrtCompute base;
    SnEp *ep;
    void *p; /* the model, where it is dynamic */
    size_t n;
    bool dynamic, codes;
    bool checked; /* not dynamic, but shapes are looked at in each call */
    uint32_t nin, nout;
    char **in_name;       /* [nin] inputs of the session in their order, */
    uint32_t *in, *out;   /* and where they are among those of the node */
    pthread_mutex_t lock; /* guards what follows, where it is dynamic */
    Shaped *shaped;       /* the one that was used last comes first */
} Compute;

/* ---- sessions by shapes ---- */

typedef struct Pick {
    Compute *c;
    const OrtContext *k;
    Shaped *l; /* NULL: there is none */
} Pick;

/* The shape of input i of the node, if its rank is not above most. */
static OrtStatus *
input_shape(const Compute *c, const OrtContext *k, uint32_t i, int64_t *dim,
            size_t most, size_t *rank)
{
    const OrtTable *api = c->ep->factory->api;
    const OrtValue *v;
    const void *info;
    OrtStatus *s = ORT_AT(api, ORT_INPUT, OrtGetInput)(k, c->in[i], &v);

    if (!s)
        s = ORT_AT(api, ORT_VALUE_INFO, OrtGet)(v, &info);
    if (s)
        return s;
    s = ORT_AT(api, ORT_RANK, OrtGetSize)(info, rank);
    if (!s && *rank <= most)
        s = ORT_AT(api, ORT_DIMS, OrtGetDims)(info, dim, *rank);
    ORT_AT(api, ORT_RELEASE_INFO, OrtRelease)((void *)(uintptr_t)info);
    return s;
}

/* Whether s is for the shapes of this call. */
static OrtStatus *
is_shaped(const Compute *c, const OrtContext *k, const SinterSession *s,
          bool *same)
{
    int64_t dim[SINTER_MAXRANK];
    OrtStatus *st = NULL;
    size_t rank;

    *same = true;
    for (uint32_t i = 0; i < c->nin && *same && !st; i++) {
        const SinterPort *x = sinter_session_input(s, i);
        st = input_shape(c, k, i, dim, SINTER_MAXRANK, &rank);
        *same = !st && (size_t)x->rank == rank &&
                !memcmp(x->dim, dim, rank * sizeof *dim);
    }
    return st;
}

static void
put_first(Compute *c, Shaped *l)
{
    l->next = c->shaped;
    c->shaped = l;
}

/* The session that has been made for these shapes, if there is one. */
static OrtStatus *
find(Pick *x)
{
    OrtStatus *st = NULL;
    bool same = false;

    for (Shaped **at = &x->c->shaped; *at && !st; at = &(*at)->next) {
        st = is_shaped(x->c, x->k, (*at)->s, &same);
        if (st || !same)
            continue;
        x->l = *at;
        *at = x->l->next;
        put_first(x->c, x->l);
        break;
    }
    return st;
}

static OrtStatus *
make_shaped(SnArena *a, void *ctx)
{
    Pick *x = ctx;
    Compute *c = x->c;
    SnEpPort *p = SN_NEW_N(a, SnEpPort, c->nin + 1);
    OrtStatus *s = NULL;
    SinterError e;

    for (uint32_t i = 0; i < c->nin && !s; i++) {
        p[i].name = c->in_name[i];
        p[i].dim = SN_NEW_N(a, int64_t, MAXRANK);
        s = input_shape(c, x->k, i, p[i].dim, MAXRANK, &p[i].rank);
        if (!s && p[i].rank > MAXRANK)
            s = sn_ep_failed(c->ep->factory->api,
                             "sinter: an input has more than 64 dimensions");
    }
    if (s)
        return s;
    const char **shapes = sn_ep_shapes(a, c->nin, p); /* may jump */
    Shaped *l = calloc(1, sizeof *l);
    if (!l)
        return sn_ep_no_memory(c->ep->factory->api);
    SnEpSource src = {.p = c->p, .n = c->n, .codes = c->codes, .shape = shapes};
    l->s = sn_ep_open(c->ep, &src, (SnEpLog){NULL, NULL}, &e);
    if (!l->s) {
        free(l);
        return sn_ep_failed_by(c->ep->factory->api, &e);
    }
    put_first(c, l);
    x->l = l;
    return NULL;
}

/* Takes out those that were not used for longest, beyond as many as are kept;
 * one that runs stays until it is put back. */
static Shaped *
take_oldest(Compute *c)
{
    Shaped **at = &c->shaped, *out = NULL;

    for (uint32_t n = 0; *at;) {
        Shaped *l = *at;
        if (n < c->ep->nshaped || l->nuser) {
            n++;
            at = &l->next;
            continue;
        }
        *at = l->next;
        l->next = out;
        out = l;
    }
    return out;
}

static void
free_shaped(Shaped *l)
{
    for (Shaped *next; l; l = next) {
        next = l->next;
        sinter_session_free(l->s);
        free(l);
    }
}

static OrtStatus *
pick(Pick *x)
{
    Compute *c = x->c;

    pthread_mutex_lock(&c->lock);
    OrtStatus *st = find(x);
    if (!st && !x->l)
        st = sn_ep_guarded(c->ep->factory->api, make_shaped, x);
    if (x->l)
        x->l->nuser++;
    Shaped *old = take_oldest(c);
    pthread_mutex_unlock(&c->lock);
    free_shaped(old);
    return st;
}

static void
put_back(Pick *x)
{
    Compute *c = x->c;

    pthread_mutex_lock(&c->lock);
    x->l->nuser--;
    Shaped *old = take_oldest(c);
    pthread_mutex_unlock(&c->lock);
    free_shaped(old);
}

/* ---- running ---- */

/* ONNX Runtime's threads, for one call. */
typedef struct Lent {
    const OrtTable *api;
    OrtContext *k;
    OrtStatus *failed;
} Lent;

static int
lend(void *ctx, size_t n, SinterPartFn *part, void *arg)
{
    Lent *l = ctx;

    l->failed =
        ORT_AT(l->api, ORT_PARALLEL_FOR, OrtParallelFor)(l->k, part, n, 0, arg);
    return l->failed != NULL;
}

/* On ONNX Runtime's threads or on sinter's. */
static OrtStatus *
run_session(const Compute *c, SinterSession *s, OrtContext *k, const void **in,
            void **out)
{
    Lent l = {c->ep->factory->api, k, NULL};
    const SinterPool pool = {sizeof pool, lend, &l};
    SinterError e;
    SinterStatus st = c->ep->lent ? sinter_session_run_on(s, &pool, in, out, &e)
                                  : sinter_session_run(s, in, out, &e);

    if (l.failed || st == SINTER_OK)
        return l.failed;
    return sn_ep_failed_by(l.api, &e);
}

/* Where output i of the node is to go, in the shape that s gives it. */
static OrtStatus *
place_output(const Compute *c, const SinterSession *s, OrtContext *k,
             uint32_t i, void **out)
{
    const OrtTable *api = c->ep->factory->api;
    const SinterPort *p = sinter_session_output(s, i);
    const void *data;
    OrtValue *v;
    OrtStatus *st = ORT_AT(api, ORT_OUTPUT, OrtGetOutput)(k, c->out[i], p->dim,
                                                          (size_t)p->rank, &v);

    if (!st)
        st = ORT_AT(api, ORT_TENSOR_DATA, OrtGet)(v, &data);
    if (!st)
        *out = (void *)(uintptr_t)data;
    return st;
}

static OrtStatus *
run_with(const Compute *c, SinterSession *s, OrtContext *k, const void **in,
         void **out)
{
    const OrtTable *api = c->ep->factory->api;
    OrtGetInput *input = ORT_AT(api, ORT_INPUT, OrtGetInput);
    OrtGet *data = ORT_AT(api, ORT_TENSOR_DATA, OrtGet);
    const OrtValue *v;
    OrtStatus *st = NULL;

    for (uint32_t i = 0; i < c->nin && !st; i++) {
        st = input(k, c->in[i], &v);
        if (!st)
            st = data(v, &in[i]);
    }
    for (uint32_t i = 0; i < c->nout && !st; i++)
        st = place_output(c, s, k, i, &out[i]);
    return st ? st : run_session(c, s, k, in, out);
}

static OrtStatus *
run(const Compute *c, SinterSession *s, OrtContext *k)
{
    const void *in[NPORT];
    void *out[NPORT];
    const void **all_in = in;
    void **all_out = out;
    OrtStatus *st;

    if (c->nin > NPORT)
        all_in = calloc(c->nin, sizeof *all_in);
    if (c->nout > NPORT)
        all_out = calloc(c->nout, sizeof *all_out);
    st = all_in && all_out ? run_with(c, s, k, all_in, all_out)
                           : sn_ep_no_memory(c->ep->factory->api);
    if (all_in != in)
        free(all_in);
    if (all_out != out)
        free(all_out);
    return st;
}

/* Of a context, whose model may have been changed since. */
static OrtStatus *
check_shapes(const Compute *c, const OrtContext *k)
{
    bool same;
    OrtStatus *st = is_shaped(c, k, c->shaped->s, &same);

    if (st || same)
        return st;
    return sn_ep_failed(c->ep->factory->api,
                        "sinter: context: an input has another shape than the "
                        "part was compiled for");
}

static OrtStatus *
compute(OrtCompute *base, void *state, OrtContext *k)
{
    Compute *c = (Compute *)base;
    Pick x = {c, k, NULL};
    OrtStatus *st;

    (void)state;
    if (!c->dynamic) {
        st = c->checked ? check_shapes(c, k) : NULL;
        return st ? st : run(c, c->shaped->s, k);
    }
    st = pick(&x);
    if (st)
        return st;
    st = run(c, x.l->s, k);
    put_back(&x);
    return st;
}

static OrtStatus *
start(OrtCompute *c, void *context, void **state)
{
    (void)context;
    *state = c;
    return NULL;
}

static void
end(OrtCompute *c, void *state)
{
    (void)c;
    (void)state;
}

/* ---- compiling ---- */

static void
free_compute(Compute *c)
{
    if (!c)
        return;
    free_shaped(c->shaped);
    for (uint32_t i = 0; c->in_name && i < c->nin; i++)
        free(c->in_name[i]);
    free(c->in_name);
    free(c->in);
    free(c->out);
    free(c->p);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

typedef struct Compile {
    SnEp *ep;
    const OrtGraph *g;
    const OrtNode *fused;
    OrtNode **context;
    Compute *c;
    SnEpWhole w;
    SnEpKept kept;
    SinterModel *model; /* under way, where memory may run out */
} Compile;

/* Where the operand or result of that name is among those of the fused node. */
static OrtStatus *
index_of(const OrtTable *api, SnArena *a, const OrtNode *node, bool input,
         const char *name, uint32_t *out)
{
    OrtGetSize *count =
        ORT_AT(api, input ? ORT_NODE_NINPUT : ORT_NODE_NOUTPUT, OrtGetSize);
    OrtGetList *list =
        ORT_AT(api, input ? ORT_NODE_INPUTS : ORT_NODE_OUTPUTS, OrtGetList);
    OrtStatus *s;
    size_t n;

    if ((s = count(node, &n)))
        return s;
    const void **v = SN_NEW_N(a, const void *, n + 1);
    if (n && (s = list(node, v, n)))
        return s;
    for (size_t i = 0; i < n; i++) {
        const void *at = "";
        if (v[i] && (s = ORT_AT(api, ORT_NAME, OrtGet)(v[i], &at)))
            return s;
        if (!strcmp(at, name)) {
            *out = (uint32_t)i;
            return NULL;
        }
    }
    return sn_ep_failed(api,
                        "sinter: the fused node has not all inputs and outputs "
                        "of its graph");
}

/* Where the session's inputs and outputs are at the fused node. */
static OrtStatus *
connect(SnArena *a, const Compile *x, const SinterSession *s)
{
    const OrtTable *api = x->ep->factory->api;
    Compute *c = x->c;
    OrtStatus *st = NULL;

    c->in_name = calloc(c->nin + 1u, sizeof *c->in_name);
    c->in = calloc(c->nin + 1u, sizeof *c->in);
    c->out = calloc(c->nout + 1u, sizeof *c->out);
    if (!c->in_name || !c->in || !c->out)
        return sn_ep_no_memory(api);
    for (uint32_t i = 0; i < c->nin && !st; i++) {
        c->in_name[i] = strdup(sinter_session_input(s, i)->name);
        st = c->in_name[i]
                 ? index_of(api, a, x->fused, true, c->in_name[i], &c->in[i])
                 : sn_ep_no_memory(api);
    }
    for (uint32_t i = 0; i < c->nout && !st; i++)
        st = index_of(api, a, x->fused, false,
                      sinter_session_output(s, i)->name, &c->out[i]);
    return st;
}

/* The session of g; its context is kept on request. */
static OrtStatus *
open_part(SnArena *a, Compile *x, SnEpGraph *g)
{
    SnEp *ep = x->ep;
    SnEpSource src = sn_ep_source(a, g);
    const SnEpLog log = {NULL, NULL};
    OrtStatus *st = NULL;
    SinterError e;

    if (!ep->keep) {
        x->c->shaped->s = sn_ep_open(ep, &src, log, &e);
        return x->c->shaped->s ? NULL : sn_ep_failed_by(ep->factory->api, &e);
    }
    st = sn_ep_place(a, ep, x->g, g->dynamic, g->codes, &x->kept);
    if (st)
        return st;
    src.pack = x->kept.pack;
    src.pack_save = x->kept.pack != NULL;
    x->model = sn_ep_model(ep, &src, !g->dynamic, log, &e);
    if (!x->model)
        return sn_ep_failed_by(ep->factory->api, &e);
    if (g->dynamic)
        sn_ep_bytes(a, g);
    st = sn_ep_keep(a, ep, &x->kept, x->model, g->p, g->n);
    if (st)
        return st;
    SinterModel *m = x->model;
    x->model = NULL;
    x->c->shaped->s = sn_ep_session(ep, &src, m, &e);
    if (!x->c->shaped->s)
        return sn_ep_failed_by(ep->factory->api, &e);
    return sn_ep_context_node(a, ep, &x->kept, x->fused, g->codes, x->context);
}

/* What the session is made of; of a dynamic part that stays, for others. */
static OrtStatus *
fill_compute(SnArena *a, Compile *x, SnEpGraph *g)
{
    const OrtTable *api = x->ep->factory->api;
    SnEpWhole *w = &x->w;
    Compute *c = x->c;
    OrtStatus *st;

    c->shaped = calloc(1, sizeof *c->shaped);
    if (!c->shaped)
        return sn_ep_no_memory(api);
    c->checked = w->nnode == 1 && sn_ep_is_context(&w->node[0]);
    if (c->checked) {
        st = sn_ep_load(a, x->ep, x->g, w, g, &c->shaped->s);
    } else if (!sn_ep_translate(w, x->ep->fixed, g)) {
        st = sn_ep_failed(api, sn_format(a, "sinter: %s", w->why));
    } else {
        st = open_part(a, x, g);
    }
    c->dynamic = g->dynamic;
    c->codes = g->codes;
    if (st || !g->dynamic)
        return st;
    if (!g->p) /* constants are ONNX Runtime's, which may drop them */
        sn_ep_bytes(a, g);
    c->p = malloc(g->n + 1);
    if (!c->p)
        return sn_ep_no_memory(api);
    memcpy(c->p, g->p, g->n);
    c->n = g->n;
    return NULL;
}

static OrtStatus *
compile_one(SnArena *a, void *ctx)
{
    Compile *x = ctx;
    const OrtTable *api = x->ep->factory->api;
    Compute *c = x->c;
    SnEpGraph g = {0};

    if (!sn_ep_read(&x->w, a, api, x->g))
        return sn_ep_failed(api, sn_format(a, "sinter: %s", x->w.why));
    OrtStatus *st = fill_compute(a, x, &g);
    if (st)
        return st;
    if (sn_ep_misfit(c->shaped->s, &g))
        return sn_ep_failed(api,
                            "sinter: the graph that is compiled has other "
                            "inputs and outputs than the one that was claimed");
    c->nin = (uint32_t)g.ninput;
    c->nout = (uint32_t)g.noutput;
    return connect(a, x, c->shaped->s);
}

OrtStatus *
sn_ep_compile(OrtEp *base, const OrtGraph **g, const OrtNode **fused, size_t n,
              OrtCompute **out, OrtNode **context)
{
    SnEp *ep = (SnEp *)base;
    OrtStatus *s = NULL;
    size_t i;

    for (i = 0; i < n && !s; i++) {
        Compute *c = calloc(1, sizeof *c);
        if (!c || pthread_mutex_init(&c->lock, NULL) != 0) {
            free(c);
            s = sn_ep_no_memory(ep->factory->api);
            break;
        }
        c->base = (OrtCompute){
            .version = ORT_API, .start = start, .compute = compute, .end = end};
        c->ep = ep;
        Compile x = {.ep = ep,
                     .g = g[i],
                     .fused = fused[i],
                     .context = context ? &context[i] : NULL,
                     .c = c};
        out[i] = &c->base;
        s = sn_ep_guarded(ep->factory->api, compile_one, &x);
        sn_ep_drop(&x.w);
        sinter_model_free(x.model);
        sinter_free(x.kept.own);
    }
    while (s && i-- > 0) {
        free_compute((Compute *)out[i]);
        out[i] = NULL;
    }
    return s;
}

void
sn_ep_release_computes(OrtEp *ep, OrtCompute **c, size_t n)
{
    (void)ep;
    for (size_t i = 0; i < n; i++)
        free_compute((Compute *)c[i]);
}
