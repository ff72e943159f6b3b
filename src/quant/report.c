// SPDX-License-Identifier: Apache-2.0
#include "quant/report.h"

#include "base/json.h"

uint32_t
sn_quant_waived(const SnQuantReport *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->nsite; i++)
        n += r->site[i].waived;
    return n;
}

void
sn_put_why_json(SnBuf *b, const SnWhy *w)
{
    sn_putc(b, '[');
    for (uint32_t i = 0; i < w->n; i++) {
        const SnWhyRescale *r = &w->rescale[i];
        sn_puts(b, i ? ",\n {\"name\": " : "\n {\"name\": ");
        sn_put_json(b, r->name);
        sn_puts(b, ", \"producer\": ");
        sn_put_json(b, r->producer);
        sn_puts(b, ", \"from\": ");
        sn_put_json(b, r->from);
        sn_puts(b, ", \"to\": ");
        sn_put_json(b, r->to);
        sn_puts(b, ", \"reasons\": [");
        for (uint32_t k = 0; k < r->nreason; k++) {
            const SnRuleDesc *rule = sn_rule(r->reason[k].rule);
            sn_puts(b, k ? ",\n   {\"rule\": " : "\n   {\"rule\": ");
            sn_put_json(b, sn_format(b->a, "%s.%s", rule->pass, rule->name));
            sn_puts(b, ", \"node\": ");
            sn_put_json(b, r->reason[k].node);
            sn_puts(b, ", \"text\": ");
            sn_put_json(b, r->reason[k].text);
            sn_puts(b, "}");
        }
        sn_puts(b, "]}");
    }
    sn_putc(b, ']');
}

static void
put_raised_json(SnBuf *b, const SnRaised *r)
{
    sn_puts(b, "{\"node\": ");
    sn_put_json(b, r->node);
    sn_puts(b, ", \"weights\": ");
    sn_put_json(b, r->constant);
    sn_putf(b, ", \"of\": %u, \"slices\": [", r->nof);
    for (uint32_t i = 0; i < r->nslice; i++)
        sn_putf(b, "%s{\"slice\": %u, \"from\": %.9g, \"to\": %.9g}",
                i ? ", " : "", r->slice[i], (double)r->from[i],
                (double)r->to[i]);
    sn_puts(b, "]}");
}

static void
put_nodes_json(SnBuf *b, const SnFloatNode *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sn_puts(b, i ? ", {\"node\": " : "{\"node\": ");
        sn_put_json(b, v[i].name);
        sn_puts(b, ", \"why\": ");
        sn_put_json(b, v[i].why);
        sn_puts(b, "}");
    }
}

void
sn_put_quant_json(SnBuf *b, const SnQuantReport *r, const SnPlan *plan,
                  const SnProfile *p, const char *more)
{
    const SnSettings *all = &r->place.control.all;

    sn_putf(b,
            "{\"precision\": \"%s\", \"scheme\": \"%s\", \"range\": "
            "\"%s\", \"channelwise\": %s, \"rowwise\": %s,\n ",
            sn_precision_names()[all->precision], sn_schema_name(all->schema),
            sn_range_str(b->a, all->range),
            r->place.channelwise ? "true" : "false",
            r->place.rowwise ? "true" : "false");
    sn_putf(b,
            "\"samples\": %llu, \"values\": %u, \"pairs\": %u, "
            "\"constant_pairs\": %u, \"biases_int8\": %u,\n "
            "\"int8_nodes\": %u, \"int16_nodes\": %u, \"float_nodes\": [",
            (unsigned long long)p->nsample, p->n, r->place.nvalue,
            r->place.nconst, r->bias8.n, r->nquant - r->nquant16, r->nquant16);
    put_nodes_json(b, r->left_float, r->nfloat);
    sn_puts(b, "],\n \"per_tensor\": [");
    put_nodes_json(b, r->place.coarse, r->place.ncoarse);
    sn_puts(b, "],\n \"raised_scales\": [");
    for (uint32_t i = 0; i < r->place.nraised; i++) {
        sn_puts(b, i ? ", " : "");
        put_raised_json(b, &r->place.raised[i]);
    }
    sn_putf(b,
            "],\n \"rescales\": {\"inserted\": %u, \"sunk\": %u, "
            "\"absorbed\": %u, \"merged\": %u, \"other\": %u, \"left\": %u},"
            "\n \"waived\": %u, \"arena_bytes\": %zu, \"peak_bytes\": %zu, "
            "\"constant_bytes\": %zu,\n \"why\": ",
            r->inserted, r->sunk, r->absorbed, r->merged, r->other, r->left,
            sn_quant_waived(r), plan->arena, plan->peak, plan->constants);
    sn_put_why_json(b, &r->why);
    sn_puts(b, more);
    sn_puts(b, "}\n");
}
