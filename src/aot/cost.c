// SPDX-License-Identifier: Apache-2.0
/* What each step of a program costs, and the memory map, NAME.json. */
#include <string.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "base/json.h"
#include "kernel/eval/eval.h"

static void
put_json_port(SnBuf *b, const SnProgram *p, const SnPort *x, bool last)
{
    sn_puts(b, "    {\"name\": ");
    sn_put_json(b, x->name);
    sn_puts(b, ", \"type\": ");
    sn_put_json(b, sn_type_str(p->a, x->type));
    sn_puts(b, ", \"shape\": [");
    for (int i = 0; i < x->shape->rank; i++)
        sn_putf(b, "%s%lld", i ? ", " : "", (long long)x->shape->dim[i]);
    sn_putf(b, "], \"bytes\": %lu}%s\n",
            (unsigned long)sn_tensor_nbyte(x->type, x->shape), last ? "" : ",");
}

static void
put_json_values(SnBuf *b, const SnProgram *p)
{
    bool any = false;

    sn_puts(b, "  ],\n  \"values\": [\n");
    for (SnRef r = 0; r < (SnRef)p->g->nnode << SN_RESBITS; r++) {
        const SnAotValue *v = &p->value[r];
        if (v->home != SN_HOME_ARENA || v->alias)
            continue;
        const SnBlock *k = &p->block[v->i];
        sn_puts(b, any ? ",\n    {\"name\": " : "    {\"name\": ");
        sn_put_json(b, sn_name(p->g, r));
        sn_putf(b,
                ", \"arena\": %u, \"offset\": %lu, \"bytes\": %lu, "
                "\"first\": %u, \"last\": %u}",
                p->region[v->i], (unsigned long)k->offset,
                (unsigned long)k->nbyte, k->first, k->last);
        any = true;
    }
    sn_puts(b, any ? "\n" : "");
}

/* Each has a section with its name, or an offset in the binary. */
static void
put_json_constants(SnBuf *b, const SnProgram *p)
{
    sn_puts(b, "  ],\n  \"constants\": [\n");
    for (uint32_t i = 0; i < p->nconst; i++) {
        const SnAotConst *c = &p->constant[i];
        sn_puts(b, "    {\"name\": ");
        sn_put_json(b, c->label);
        if (p->o->binary)
            sn_putf(b, ", \"offset\": %lu", (unsigned long)c->offset);
        else
            sn_putf(b, ", \"section\": \".rodata.%s\"", c->name);
        sn_putf(b, ", \"bytes\": %lu}%s\n", (unsigned long)c->nbyte,
                i + 1 == p->nconst ? "" : ",");
    }
}

size_t
sn_aot_scratch(const SnProgram *p)
{
    size_t most = 0;

    for (uint32_t s = 0; s < p->x->nstep; s++)
        if (p->tile[s] && p->tile[s]->scratch > most)
            most = p->tile[s]->scratch;
    return most;
}

/* The arena, inputs and outputs. */
static size_t
ram(const SnProgram *p, const SnAot *o)
{
    size_t n = o->arena;

    for (uint32_t i = 0; i < p->x->ninput; i++)
        n += sn_tensor_nbyte(p->x->input[i].type, p->x->input[i].shape);
    for (uint32_t i = 0; i < p->x->noutput; i++)
        n += sn_tensor_nbyte(p->x->output[i].type, p->x->output[i].shape);
    return n;
}

const char *
sn_aot_json(const SnProgram *p, const SnAot *o)
{
    const char *processor = sn_aot_processor(p->o->target);
    SnBuf b;

    sn_buf_init(&b, p->a);
    sn_puts(&b, "{\n  \"name\": ");
    sn_put_json(&b, p->name);
    sn_putf(
        &b,
        ",\n  \"target\": \"%s\",\n  \"arena\": %lu,\n"
        "  \"arena_bound\": %lu,\n  \"scratch\": %lu,\n  \"alignment\": %d,\n"
        "  \"weights\": %lu,\n  \"tables\": %lu,\n  \"flash\": %lu,\n"
        "  \"ram\": %lu,\n",
        p->o->target->name, (unsigned long)o->arena, (unsigned long)o->bound,
        (unsigned long)sn_aot_scratch(p), SN_AOT_ALIGN,
        (unsigned long)o->weights, (unsigned long)o->tables,
        (unsigned long)(o->weights + o->tables), (unsigned long)ram(p, o));
    if (processor)
        sn_putf(&b,
                "  \"estimate\": {\"processor\": \"%s\", \"instructions\": "
                "%.0f, \"cycles\": %.0f},\n",
                processor, o->instructions, o->cycles);
    if (o->nband)
        sn_putf(&b, "  \"bands\": {\"nodes\": %u, \"arena_without\": %lu%s},\n",
                o->nband, (unsigned long)o->whole,
                processor
                    ? sn_format(p->a, ", \"estimated_instructions\": %.0f",
                                o->band_cost)
                    : "");
    sn_puts(&b, "  \"inputs\": [\n");
    for (uint32_t i = 0; i < p->x->ninput; i++)
        put_json_port(&b, p, &p->x->input[i], i + 1 == p->x->ninput);
    sn_puts(&b, "  ],\n  \"outputs\": [\n");
    for (uint32_t i = 0; i < p->x->noutput; i++)
        put_json_port(&b, p, &p->x->output[i], i + 1 == p->x->noutput);
    sn_puts(&b, "  ],\n  \"nodes\": [\n");
    for (uint32_t i = 0; i < o->ncost; i++) {
        sn_puts(&b, "    {\"name\": ");
        sn_put_json(&b, o->cost[i].label);
        sn_putf(&b,
                ", \"form\": \"%s\", \"flash\": %lu, \"ram\": %lu, "
                "\"operations\": %.0f, \"macs\": %.0f",
                o->cost[i].form, (unsigned long)o->cost[i].flash,
                (unsigned long)o->cost[i].live, o->cost[i].ops,
                o->cost[i].macs);
        if (o->cost[i].rows)
            sn_putf(&b, ", \"rows\": %lld", (long long)o->cost[i].rows);
        if (processor)
            sn_putf(&b,
                    ", \"estimated_instructions\": %.0f, "
                    "\"estimated_cycles\": %.0f",
                    o->cost[i].instructions, o->cost[i].cycles);
        sn_puts(&b, i + 1 == o->ncost ? "}\n" : "},\n");
    }
    put_json_values(&b, p);
    put_json_constants(&b, p);
    sn_puts(&b, "  ]\n}\n");
    return sn_buf_str(&b);
}

/* How the loops of step s run. */
static const char *
form_of(const SnProgram *p, uint32_t s)
{
    static const char *const name[] = {[SN_TILE_WINDOWS] = "windows",
                                       [SN_TILE_ROWS] = "rows",
                                       [SN_TILE_PLANE] = "plane",
                                       [SN_TILE_PLAN] = "plan"};

    if (p->skipped[s])
        return "none";
    return p->tile[s] ? name[p->tile[s]->form] : "loops";
}

void
sn_aot_costs(const SnProgram *p, SnAot *o)
{
    for (uint32_t s = 0; s < p->x->nstep; s++) {
        SnId id = p->x->step[s].node;
        const SnNode *n = sn_node(p->g, id);
        SnAotCost c = {.node = id,
                       .label = sn_label(p->g, id, p->a),
                       .form = form_of(p, s),
                       .rows = p->band[s].on ? p->band[s].count : 0,
                       .flash = p->tables[s]};
        o->tables += p->tables[s];
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].ref && p->tile[s] && p->tile[s]->w == i &&
                p->tile[s]->pack)
                c.flash += p->tile[s]->npack;
            else if (n->in[i].ref && sn_def(p->g, n->in[i].ref)->data)
                c.flash += sn_tensor_nbyte(sn_type(p->g, n->in[i].ref),
                                           sn_shape_of(p->g, n->in[i].ref));
        c.live = p->live[s];
        c.ops = p->skipped[s] ? 0 : sn_node_ops(p->g, id);
        c.macs = sn_desc(n->kind)->sem[0].cls == SN_C_CONTRACT ? c.ops / 2 : 0;
        c.instructions = sn_aot_instructions(p, s);
        c.cycles = c.instructions * sn_aot_cycles(p->o->target);
        o->nslower += p->at[s] > 0;
        o->nband += p->band[s].on;
        o->instructions += c.instructions;
        o->cycles += c.cycles;
        SN_PUSH(p->a, o->cost, o->ncost, c);
    }
}
