// SPDX-License-Identifier: Apache-2.0
/* --check-twin: the codes of a graph under its arithmetic against those of the
 * rows of float on equal operands, node by node, and the bounds that an export
 * as qdq-twin states for them. */
#include "cli/check/beside.h"

#include "base/json.h"
#include "graph/verify/twin.h"
#include "graph/verify/weights.h"

typedef struct Seen {
    bool any; /* the node has codes, and bound says what is known */
    SnTwinBound bound;
    int64_t lo, hi;      /* the graph's codes less those of float */
    int64_t nelem, nbad; /* outside of the bound */
} Seen;

typedef struct Check {
    const SnExec *x, *reals; /* the graph, and the same by rows of float */
    Seen *seen;              /* [nnode] */
} Check;

static int64_t
code_at(const SnTensor *t, const void *data, int64_t i)
{
    return t->type->elem == SN_QI8 ? ((const int8_t *)data)[i]
                                   : ((const int16_t *)data)[i];
}

/* t: by rows of float; want: the graph's. */
static void
compare(void *ctx, int64_t sample, SnRef ref, const SnTensor *t,
        const void *want)
{
    const Check *k = ctx;
    Seen *s = &k->seen[SN_NODE(ref)];
    int64_t n = sn_shape_count(t->shape);

    (void)sample;
    if (!s->any || ref != SN_REF(SN_NODE(ref), 0))
        return;
    s->nelem += n;
    for (int64_t i = 0; i < n; i++) {
        int64_t d = code_at(t, want, i) - code_at(t, t->data, i);
        s->lo = d < s->lo ? d : s->lo;
        s->hi = d > s->hi ? d : s->hi;
        s->nbad +=
            !s->bound.by.why && (d < s->bound.by.lo || d > s->bound.by.hi);
    }
}

static void
prepare(SnCli *c, Check *k)
{
    const SnGraph *g = k->x->g;

    k->seen = SN_NEW_N(c->a, Seen, g->nnode);
    for (uint32_t i = 0; i < k->x->nstep; i++) {
        SnId id = k->x->step[i].node;
        SnCall call = sn_node_call(g, id, c->a);
        k->seen[id].any = sn_twin_bound(&call, &k->seen[id].bound);
    }
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
    if (n == 0)
        sn_warn(c->d, (SnPos){0}, NULL,
                "--check-twin: nothing is compared: no node computes codes");
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
    SN_TRY(sn_cli_beside(c, s, k.x, sn_run_new(c->a, k.x),
                         sn_run_new(c->a, k.reals), compare, &k));
    return report(c, &k);
}
