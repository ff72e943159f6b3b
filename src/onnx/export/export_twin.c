// SPDX-License-Identifier: Apache-2.0
/* The twin of a graph: bounds, in the model's metadata, on how far each node's
 * codes may be from those of the real operators that are written for it. */
#include "onnx/export/export_priv.h"

#include <inttypes.h>
#include <string.h>
#include "base/json.h"
#include "graph/verify/weights.h"

/* The tensor of a value's codes; NULL: none is written. */
static const char *
codes_of(const SnExport *x, SnRef r)
{
    for (const SnExportForm *f = x->value[r]; f != NULL; f = f->next)
        if (f->as != SN_EXPORT_REAL)
            return f->name;
    return NULL;
}

void
sn_export_twin(SnExport *x, SnId id)
{
    SnOnnxTwin t = {.id = id};
    SnCall c = sn_node_call(x->g, id, x->a);

    /* a Transpose is written where its readers need one, if at all */
    t.tensor = codes_of(x, SN_REF(id, 0));
    if (t.tensor == NULL || !sn_twin_bound(&c, &t.bound))
        return;
    SN_PUSH(x->a, x->twins.v, x->twins.n, t);
}

static void
put_twin(SnJson *j, const SnGraph *g, const SnOnnxTwin *t)
{
    const SnRowBound *b = &t->bound.by;

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "node", sn_name(g, SN_REF(t->id, 0)));
    sn_json_str(j, "kind", sn_desc(sn_kind(g, SN_REF(t->id, 0)))->name);
    sn_json_str(j, "tensor", t->tensor);
    if (b->why != NULL) {
        sn_json_str(j, "why", b->why);
    } else {
        sn_json_int(j, "low", b->lo);
        sn_json_int(j, "high", b->hi);
        sn_json_bool(j, "exact", b->exact);
        sn_json_str(j, "row", t->bound.row);
    }
    sn_json_close(j, '}');
}

void
sn_onnx_twins_json(SnBuf *b, const SnGraph *g, const SnOnnxTwins *t)
{
    const SnArith *a = sn_arith_at(g->rounding);
    SnJson j = {.b = b};

    sn_json_open(&j, NULL, '{');
    sn_json_str(&j, "arithmetic", a->name);
    sn_json_str(&j, "hash",
                a->hash ? sn_format(b->a, "%016" PRIx64, a->hash) : NULL);
    sn_json_open(&j, "nodes", '[');
    for (uint32_t i = 0; i < t->n; i++)
        put_twin(&j, g, &t->v[i]);
    sn_json_close(&j, ']');
    sn_json_close(&j, '}');
}

void
sn_export_metadata(SnExport *x, Onnx__ModelProto *m)
{
    Onnx__StringStringEntryProto *e =
        SN_NEW(x->a, Onnx__StringStringEntryProto);
    SnBuf b;

    sn_buf_init(&b, x->a);
    sn_onnx_twins_json(&b, x->g, &x->twins);
    onnx__string_string_entry_proto__init(e);
    e->key = sn_strdup(x->a, SN_ONNX_TWIN_KEY);
    e->value = sn_strdup(x->a, sn_buf_str(&b));
    m->n_metadata_props = 1;
    m->metadata_props = SN_NEW_N(x->a, Onnx__StringStringEntryProto *, 1);
    m->metadata_props[0] = e;
}
