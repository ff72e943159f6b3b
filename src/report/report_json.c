// SPDX-License-Identifier: Apache-2.0
/* The report as one JSON object; docs/report.schema.json says what is in it. */
#include <math.h>

#include "base/version.h"
#include "report/report_priv.h"

static void
put_db(SnJson *j, const char *key, double db)
{
    if (isinf(db) && db > 0)
        sn_json_str(j, key, "exact");
    else
        sn_json_num(j, key, db);
}

/* ---- what was done ---- */

static void
count_bits(SnJson *j, const SnGraph *g)
{
    uint32_t n, codes = 0, reals = 0, plain = 0, rescales = 0;
    SnId *topo = sn_topo(g, j->b->a, &n);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        if (node->data || sn_desc(node->kind)->effect || !node->nres)
            continue;
        SnElem e = node->res[0].type->elem;
        codes += sn_elem_quant(e);
        reals += e == SN_F32 || e == SN_F16;
        plain += !sn_elem_quant(e) && e != SN_F32 && e != SN_F16;
    }
    rescales = sn_count_rescales(g);
    sn_json_int(j, "nodes_on_codes", codes);
    sn_json_int(j, "nodes_on_reals", reals);
    sn_json_int(j, "nodes_on_integers", plain);
    sn_json_int(j, "rescales", rescales);
}

static size_t
constant_bytes(const SnGraph *g)
{
    size_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        if (!sn_node(g, id)->dead && sn_node(g, id)->data)
            n += sn_tensor_nbyte(sn_node(g, id)->res[0].type,
                                 sn_node(g, id)->res[0].shape);
    return n;
}

static void
put_model(SnJson *j, const SnReport *r)
{
    sn_json_open(j, "model", '{');
    sn_json_str(j, "name", r->quant->name ? r->quant->name : "");
    sn_json_str(j, "float", r->float_path);
    sn_json_str(j, "int8", r->int8_path);
    sn_json_str(j, "settings", r->settings);
    count_bits(j, r->quant);
    sn_json_int(j, "float_constant_bytes", (long long)constant_bytes(r->flt));
    sn_json_int(j, "constant_bytes", (long long)constant_bytes(r->quant));
    sn_json_close(j, '}');
}

/* ---- what it lost ---- */

static void
put_errors(SnJson *j, const char *key, const SnErrors *e)
{
    sn_json_open(j, key, '{');
    put_db(j, "sqnr_db", sn_sqnr(e));
    sn_json_num(j, "cosine", sn_cosine(e));
    sn_json_num(j, "max_error", e->worst);
    sn_json_close(j, '}');
}

static void
put_accuracy(SnJson *j, const SnReport *r)
{
    const SnComparison *c = r->comparison;

    sn_json_open(j, "accuracy", '{');
    sn_json_int(j, "samples", c->nsample);
    put_db(j, "worst_output_db", c->worst_output);
    sn_json_int(j, "unmatched", c->nunmatched);
    if (r->score.n) {
        double n = (double)r->score.n;
        sn_json_int(j, "labels", r->score.n);
        sn_json_num(j, "top1_float", (double)r->score.right_float / n);
        sn_json_num(j, "top1_int8", (double)r->score.right_int8 / n);
    }
    sn_json_open(j, "values", '[');
    for (uint32_t i = 0; i < c->n; i++) {
        const SnCompared *v = &c->value[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "name", v->name);
        sn_json_str(j, "node", v->node);
        sn_json_str(j, "elem", v->type);
        sn_json_bool(j, "weights", v->constant);
        sn_json_bool(j, "output", v->output);
        if (v->has_local)
            put_errors(j, "local", &v->local);
        if (!v->constant)
            put_errors(j, "cumulative", &v->cumulative);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

/* ---- memory ---- */

/* Constants take steps of the plan and no time: they are left out. */
static void
put_memory(SnJson *j, const SnReport *r)
{
    const SnPlan *p = sn_plan(j->b->a, r->quant);
    uint32_t *at = SN_NEW_N(j->b->a, uint32_t, p->nstep + 1);

    for (uint32_t i = 0; i < p->nstep; i++)
        at[i + 1] = at[i] + !sn_node(r->quant, p->step[i].node)->data;
    sn_json_open(j, "memory", '{');
    sn_json_int(j, "arena", (long long)p->arena);
    sn_json_int(j, "peak", (long long)p->peak);
    sn_json_int(j, "peak_step", p->nstep ? at[p->peak_step] : 0);
    sn_json_open(j, "steps", '[');
    for (uint32_t i = 0; i < p->nstep; i++) {
        if (at[i] == at[i + 1])
            continue;
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "node", sn_label(r->quant, p->step[i].node, j->b->a));
        sn_json_int(j, "live", (long long)p->step[i].live);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_open(j, "blocks", '[');
    for (uint32_t i = 0; i < p->nblock; i++) {
        const SnBlock *b = &p->block[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "value", sn_name(r->quant, p->owner[i]));
        sn_json_int(j, "offset", (long long)b->offset);
        sn_json_int(j, "bytes", (long long)b->nbyte);
        sn_json_int(j, "first", at[b->first]);
        sn_json_int(j, "last", at[b->last]);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

/* ---- time ---- */

static void
put_time(SnJson *j, const SnBench *b)
{
    sn_json_open(j, "time", '{');
    sn_json_str(j, "cpu", sn_isa_name(sn_isa()));
    sn_json_str(j, "backend", b->x->backend ? b->x->backend->name : "interp");
    sn_json_int(j, "threads", b->nthread);
    sn_json_int(j, "runs", b->nrun);
    sn_json_num(j, "median_ms", b->median * 1e3);
    sn_json_num(j, "ops", b->ops);
    sn_json_num(j, "bytes", b->bytes);
    sn_json_num(j, "peak_int8", b->peak.ops8);
    sn_json_num(j, "peak_f32", b->peak.ops32);
    sn_json_num(j, "peak_read", b->peak.read);
    sn_json_open(j, "nodes", '[');
    for (uint32_t i = 0; i < b->nnode; i++) {
        const SnNodeTime *n = &b->node[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "node", sn_label(b->x->g, n->node, j->b->a));
        sn_json_str(j, "kernel", n->kernel);
        sn_json_num(j, "us", n->s * 1e6);
        sn_json_num(j, "floor_us", sn_bench_floor(b, n) * 1e6);
        sn_json_num(j, "ops", n->ops);
        sn_json_num(j, "bytes", n->bytes);
        sn_json_bool(j, "int8", n->codes);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

/* ---- rewrites ---- */

static const char *
rule_name(SnArena *a, uint16_t rule)
{
    const SnRuleDesc *d = sn_rule(rule);

    return sn_format(a, "%s.%s", d->pass, d->name);
}

static void
put_fires(SnJson *j, const SnReport *r)
{
    sn_json_open(j, "fires", '[');
    for (uint32_t i = 0; i < r->nsite; i++) {
        const SnSite *s = &r->site[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "rule", rule_name(j->b->a, s->rule));
        sn_json_str(j, "node", s->node);
        if (s->detail)
            sn_json_str(j, "detail", s->detail);
        if (s->waived)
            sn_json_bool(j, "waived", true);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
}

static void
put_why(SnJson *j, const SnReport *r)
{
    sn_json_open(j, "rescales", '[');
    for (uint32_t i = 0; i < r->why->n; i++) {
        const SnWhyRescale *w = &r->why->rescale[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "name", w->name);
        sn_json_str(j, "producer", w->producer);
        sn_json_str(j, "from", w->from);
        sn_json_str(j, "to", w->to);
        sn_json_open(j, "reasons", '[');
        for (uint32_t k = 0; k < w->nreason; k++) {
            sn_json_open(j, NULL, '{');
            sn_json_str(j, "rule", rule_name(j->b->a, w->reason[k].rule));
            sn_json_str(j, "node", w->reason[k].node);
            sn_json_str(j, "text", w->reason[k].text);
            sn_json_close(j, '}');
        }
        sn_json_close(j, ']');
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
}

static void
put_floats(SnJson *j, const SnIslands *f)
{
    sn_json_open(j, "stays_float", '[');
    for (uint32_t i = 0; i < f->n; i++) {
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "node", f->node[i].node);
        sn_json_str(j, "why", f->node[i].why);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
}

void
sn_report_json(const SnReport *r, SnBuf *out)
{
    SnJson j = {.b = out};

    sn_json_open(&j, NULL, '{');
    sn_json_int(&j, "version", 1);
    sn_json_str(&j, "sinter", SN_VERSION);
    put_model(&j, r);
    put_accuracy(&j, r);
    sn_report_ranges(&j, "ranges", r);
    put_memory(&j, r);
    if (r->bench)
        put_time(&j, r->bench);
    if (r->fired)
        put_fires(&j, r);
    put_why(&j, r);
    put_floats(&j, r->floats);
    sn_report_graph(&j, "float_graph", r->flt);
    sn_report_graph(&j, "int8_graph", r->quant);
    sn_json_close(&j, '}');
    sn_puts(out, "\n");
}
