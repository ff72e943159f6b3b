// SPDX-License-Identifier: Apache-2.0
/* --check-twin: the codes of a graph under its arithmetic against those of the
 * rows of float on equal operands, node by node, and the bounds that an export
 * as qdq-twin states for them. */
#include "cli/cli.h"

#include <string.h>
#include "base/json.h"
#include "graph/verify/twin.h"
#include "graph/verify/weights.h"
#include "run/samples.h"

typedef struct Seen {
    bool any; /* the node has codes, and bound says what is known */
    SnTwinBound bound;
    int64_t lo, hi;      /* the graph's codes less those of float */
    int64_t nelem, nbad; /* outside of the bound */
} Seen;

typedef struct Check {
    const SnExec *x, *reals; /* the graph, and the same by rows of float */
    void **want;             /* [by SnRef] codes of the graph */
    Seen *seen;              /* [nnode] */
} Check;

static size_t
nbyte(const SnTensor *t)
{
    return sn_tensor_nbyte(t->type, t->shape);
}

static void
store(void *ctx, SnRef ref, const SnTensor *t)
{
    Check *k = ctx;

    if (k->want[ref])
        memcpy(k->want[ref], t->data, nbyte(t));
}

static int64_t
code_at(const SnTensor *t, const void *data, int64_t i)
{
    return t->type->elem == SN_QI8 ? ((const int8_t *)data)[i]
                                   : ((const int16_t *)data)[i];
}

static void
measure(Seen *s, const SnTensor *t, const void *want)
{
    int64_t n = sn_shape_count(t->shape);

    s->nelem += n;
    for (int64_t i = 0; i < n; i++) {
        int64_t d = code_at(t, want, i) - code_at(t, t->data, i);
        s->lo = d < s->lo ? d : s->lo;
        s->hi = d > s->hi ? d : s->hi;
        s->nbad +=
            !s->bound.by.why && (d < s->bound.by.lo || d > s->bound.by.hi);
    }
}

/* What reads the value is given the graph's. */
static void
hold(void *ctx, SnRef ref, const SnTensor *t)
{
    Check *k = ctx;
    Seen *s = &k->seen[SN_NODE(ref)];

    if (!k->want[ref])
        return;
    if (s->any && ref == SN_REF(SN_NODE(ref), 0))
        measure(s, t, k->want[ref]);
    memcpy(t->data, k->want[ref], nbyte(t));
}

static void
prepare(SnCli *c, Check *k)
{
    const SnGraph *g = k->x->g;

    k->want = SN_NEW_N(c->a, void *, (size_t)g->nnode << SN_RESBITS);
    k->seen = SN_NEW_N(c->a, Seen, g->nnode);
    for (uint32_t i = 0; i < k->x->nstep; i++) {
        SnId id = k->x->step[i].node;
        const SnNode *n = sn_node(g, id);
        SnCall call = sn_node_call(g, id, c->a);
        for (unsigned r = 0; r < n->nres; r++) {
            size_t size = sn_tensor_nbyte(n->res[r].type, n->res[r].shape);
            if (size)
                k->want[SN_REF(id, r)] = sn_alloc(c->a, size);
        }
        k->seen[id].any = sn_twin_bound(&call, &k->seen[id].bound);
    }
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

static SnStatus
run_both(SnCli *c, Check *k, SnSamples *s)
{
    SnRun *r = sn_run_new(c->a, k->x), *reals = sn_run_new(c->a, k->reals);
    SnStatus st = SN_OK;

    r->hook = store;
    reals->hook = hold;
    r->hook_ctx = reals->hook_ctx = k;
    for (int64_t i = 0; i < s->n && st == SN_OK; i++) {
        st = one(c, s, i, r);
        if (st == SN_OK)
            st = one(c, s, i, reals);
    }
    sn_run_free(reals);
    sn_run_free(r);
    return st;
}

static void
put_json(const Check *k, SnJson *j, SnId id)
{
    const SnGraph *g = k->x->g;
    const Seen *s = &k->seen[id];
    const SnRowBound *b = &s->bound.by;

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "node", sn_name(g, SN_REF(id, 0)));
    sn_json_str(j, "kind", sn_desc(sn_kind(g, SN_REF(id, 0)))->name);
    if (b->why) {
        sn_json_str(j, "why", b->why);
    } else {
        sn_json_int(j, "low", b->lo);
        sn_json_int(j, "high", b->hi);
    }
    sn_json_int(j, "seen_low", s->lo);
    sn_json_int(j, "seen_high", s->hi);
    sn_json_int(j, "values", s->nelem);
    sn_json_int(j, "outside", s->nbad);
    sn_json_close(j, '}');
}

static void
put_text(SnCli *c, const Check *k, SnId id)
{
    const Seen *s = &k->seen[id];
    const SnRowBound *b = &s->bound.by;

    sn_putf(&c->out, "%s: %lld to %lld codes in %lld values, ",
            sn_label(k->x->g, id, c->a), (long long)s->lo, (long long)s->hi,
            (long long)s->nelem);
    if (b->why)
        sn_putf(&c->out, "no bound: %s\n", b->why);
    else
        sn_putf(&c->out, "bound %lld to %lld%s\n", (long long)b->lo,
                (long long)b->hi, s->nbad ? ": BROKEN" : "");
}

static SnStatus
report(SnCli *c, const Check *k)
{
    SnJson j = {.b = &c->out};
    uint32_t nbad = 0, n = 0;

    if (c->args.json) {
        sn_json_open(&j, NULL, '{');
        sn_json_open(&j, "nodes", '[');
    }
    for (uint32_t i = 0; i < k->x->nstep; i++) {
        SnId id = k->x->step[i].node;
        if (!k->seen[id].any)
            continue;
        n++;
        nbad += k->seen[id].nbad > 0;
        if (c->args.json)
            put_json(k, &j, id);
        else
            put_text(c, k, id);
    }
    if (c->args.json) {
        sn_json_close(&j, ']');
        sn_json_close(&j, '}');
        sn_puts(&c->out, "\n");
    }
    if (nbad)
        return sn_fail(c->d, SN_ECHECK, "--check-twin",
                       "%u of %u nodes are further from the rows of float than "
                       "their bounds say",
                       nbad, n);
    return SN_OK;
}

SnStatus
sn_cli_check_twin(SnCli *c, const char *path)
{
    Check k = {0};
    SnSamples *s;
    SnGraph *g, *reals;

    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(sn_cli_load(c, path, &reals));
    reals->rounding = SN_ROUNDING_FLOAT;
    SN_TRY(sn_exec_prepare(c->a, g, NULL, c->d, &k.x));
    SN_TRY(sn_exec_prepare(c->a, reals, NULL, c->d, &k.reals));
    SN_TRY(sn_cli_samples(c, k.x, &c->args.input, "--input", &s));
    prepare(c, &k);
    SN_TRY(run_both(c, &k, s));
    return report(c, &k);
}
