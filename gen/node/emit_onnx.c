// SPDX-License-Identifier: Apache-2.0
/* The ONNX operators that kinds are imported from, as tables of sn_kinds.c. */
#include "gen/text/emit.h"

#include <string.h>

void
sn_emit_onnx_maps(SnBuf *b, const SnDefNode *n)
{
    static const char *const entry[] = {"SN_IMPORT_ATTR", "SN_IMPORT_INPUT",
                                        "SN_IMPORT_HOOK", "SN_IMPORT_LAYOUT"};

    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        if (o->nent == 0)
            continue;
        sn_putf(b, "static const SnOnnxMap %s_onnx_%u[] = {\n",
                sn_lower(b->a, n->name), i);
        for (uint32_t e = 0; e < o->nent; e++) {
            const SnDefOnnxEnt *x = &o->ent[e];
            sn_putf(b, "    { %s, ", entry[x->kind]);
            sn_emit_str(b, x->name);
            sn_puts(b, ", ");
            sn_emit_str(b, x->value);
            sn_putf(b, ", %d },\n",
                    x->kind == SN_OE_INPUT ? (int)x->input : -1);
        }
        sn_puts(b, "};\n");
    }
}

static uint32_t
put_onnx_rows(SnBuf *b, const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        const char *colon = strchr(o->op, ':');
        sn_puts(b, "    { ");
        sn_emit_str(b, colon ? sn_strndup(b->a, o->op, (size_t)(colon - o->op))
                             : "");
        sn_puts(b, ", ");
        sn_emit_str(b, colon ? colon + 1 : o->op);
        sn_putf(b, ", %d, %d, ", (int)o->since, (int)o->until);
        sn_emit_str(b, o->hook);
        if (o->nent)
            sn_putf(b, ", %u, %s_onnx_%u", o->nent, sn_lower(b->a, n->name), i);
        else
            sn_puts(b, ", 0, NULL");
        sn_putf(b, ", SN_K_%s },\n", sn_upper(b->a, n->name));
    }
    return n->nonnx;
}

void
sn_emit_onnx(SnBuf *b, const SnDefs *s)
{
    uint32_t n = 0;

    sn_putf(b,
            "\n/* domain, op, since, until, hook, entries */\n"
            "const SnOnnxDesc %s[] = {\n",
            s->is_plugin ? sn_emit_name(s, "plugin_onnx") : "sn_core_onnx");
    for (uint32_t i = 0; i < s->nnode; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            n += put_onnx_rows(b, s->node[i]);
    if (n == 0)
        sn_puts(b, "    { .domain = \"\", .op = \"\" }\n");
    sn_putf(b, "};\nconst uint32_t %s = %u;\n",
            s->is_plugin ? sn_emit_name(s, "plugin_nonnx") : "sn_core_nonnx",
            n);
}
