// SPDX-License-Identifier: Apache-2.0
#include "cli/check/beside.h"

#include <string.h>

typedef struct Beside {
    void **want; /* [nnode << SN_RESBITS] results of the first run */
    SnBesideFn *compare;
    void *ctx;
    int64_t sample;
} Beside;

static void
store(void *ctx, SnRef ref, const SnTensor *t)
{
    const Beside *k = ctx;

    if (k->want[ref])
        memcpy(k->want[ref], t->data, sn_tensor_nbyte(t->type, t->shape));
}

static void
hold(void *ctx, SnRef ref, const SnTensor *t)
{
    const Beside *k = ctx;

    if (!k->want[ref])
        return;
    k->compare(k->ctx, k->sample, ref, t, k->want[ref]);
    memcpy(t->data, k->want[ref], sn_tensor_nbyte(t->type, t->shape));
}

static void **
room(SnArena *a, const SnExec *x)
{
    const SnGraph *g = x->g;
    void **want = SN_NEW_N(a, void *, (size_t)g->nnode << SN_RESBITS);

    for (uint32_t i = 0; i < x->nstep; i++) {
        SnId id = x->step[i].node;
        const SnNode *n = sn_node(g, id);
        for (unsigned r = 0; r < n->nres; r++) {
            size_t size = sn_tensor_nbyte(n->res[r].type, n->res[r].shape);
            if (size)
                want[SN_REF(id, r)] = sn_alloc(a, size);
        }
    }
    return want;
}

static SnStatus
one(SnCli *c, SnSamples *s, int64_t i, SnRun *r)
{
    r->where = NULL;
    SnStatus st = sn_samples_fill(s, i, r);
    if (st == SN_OK)
        st = sn_run(r);
    if (st != SN_OK)
        return sn_fail(c->d, st, r->where ? r->where : "input",
                       "sample %lld: %s", (long long)i, r->why);
    return SN_OK;
}

SnStatus
sn_cli_beside(SnCli *c, SnSamples *s, const SnExec *x, SnRun *first,
              SnRun *second, SnBesideFn *compare, void *ctx)
{
    Beside k = {.want = room(c->a, x), .compare = compare, .ctx = ctx};
    SnStatus st = SN_OK;

    first->hook = store;
    second->hook = hold;
    first->hook_ctx = second->hook_ctx = &k;
    for (int64_t i = 0; i < s->n && st == SN_OK; i++) {
        k.sample = i;
        st = one(c, s, i, first);
        if (st == SN_OK)
            st = one(c, s, i, second);
    }
    sn_run_free(second);
    sn_run_free(first);
    return st;
}
