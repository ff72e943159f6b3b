// SPDX-License-Identifier: Apache-2.0
/* The ONNX operators from which kinds are imported, as tables of sn_kinds.c. */
#include "dsl/model/onnx.h"
#include "gen/text/emit.h"

#include <string.h>

/* { port, ninput }; port -1: the result */
static void
put_codes(SnBuf *b, const SnDefNode *n, uint32_t i)
{
    const SnDefOnnx *o = n->onnx[i];

    if (o->ncode == 0)
        return;
    sn_putf(b, "static const SnOnnxCode %s_codes_%u[] = {",
            sn_lower(b->a, n->name), i);
    for (uint32_t k = 0; k < o->ncode; k++)
        sn_putf(b, "%s { %d, %u }", k ? "," : "",
                o->code[k].port->out ? -1 : (int)o->code[k].port->index,
                o->code[k].ninput);
    sn_puts(b, " };\n");
}

void
sn_emit_onnx_maps(SnBuf *b, const SnDefNode *n)
{
    static const char *const entry[] = {"SN_IMPORT_ATTR", "SN_IMPORT_INPUT",
                                        "SN_IMPORT_HOOK", "SN_IMPORT_LAYOUT",
                                        "SN_IMPORT_ANY"};

    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        put_codes(b, n, i);
        if (o->nent == 0)
            continue;
        sn_putf(b, "static const SnOnnxMap %s_onnx_%u[] = {\n",
                sn_lower(b->a, n->name), i);
        for (uint32_t e = 0; e < o->nent; e++) {
            const SnDefOnnxEnt *x = &o->ent[e];
            bool hook = x->kind == SN_OE_HOOK;
            sn_putf(b, "    { %s, %s, %s, %d, %s, %s },\n", entry[x->kind],
                    sn_lit_str(b->a, x->name),
                    sn_lit_str(b->a, hook ? NULL : x->value),
                    x->kind == SN_OE_INPUT ? (int)x->input : -1,
                    hook ? x->value : "NULL", sn_lit_str(b->a, x->unless));
        }
        sn_puts(b, "};\n");
    }
}

void
sn_emit_operator(SnBuf *b, const char *op)
{
    const char *colon = strchr(op, ':');

    sn_putf(b, "    { { %s, %s }",
            sn_lit_str(b->a,
                       colon ? sn_strndup(b->a, op, (size_t)(colon - op)) : ""),
            sn_lit_str(b->a, colon ? colon + 1 : op));
}

static uint32_t
put_onnx_rows(SnBuf *b, const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        sn_emit_operator(b, o->op);
        sn_putf(b, ", %d, %d, %s, %s", (int)o->since, (int)o->until,
                o->hook ? o->hook : "NULL", sn_lit_str(b->a, o->note));
        if (o->nent)
            sn_putf(b, ", %u, %s_onnx_%u", o->nent, sn_lower(b->a, n->name), i);
        else
            sn_puts(b, ", 0, NULL");
        sn_putf(b, ", SN_K_%s, NULL, ", sn_upper(b->a, n->name));
        if (o->ncode)
            sn_putf(b, "%u, %s_codes_%u },\n", o->ncode,
                    sn_lower(b->a, n->name), i);
        else
            sn_puts(b, "0, NULL },\n");
    }
    return n->nonnx;
}

/* ---- hooks ---- */

typedef struct Hooks {
    SnArena *a;
    uint32_t n;
    const char **v; /* in alphabetical order */
} Hooks;

static void
add_hook(Hooks *h, const char *fn)
{
    uint32_t i = h->n;

    for (uint32_t k = 0; k < h->n; k++)
        if (!strcmp(h->v[k], fn))
            return;
    SN_PUSH(h->a, h->v, h->n, fn);
    for (; i > 0 && strcmp(h->v[i - 1], fn) > 0; i--)
        h->v[i] = h->v[i - 1];
    h->v[i] = fn;
}

void
sn_emit_hooks(const SnDefs *s, const char *outdir, SnDiag *d)
{
    Hooks h = {.a = s->arena};
    SnBuf b;

    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        for (uint32_t k = 0; k < n->nonnx && sn_defs_mine(s, n->backend); k++) {
            if (n->onnx[k]->hook)
                add_hook(&h, n->onnx[k]->hook);
            for (uint32_t e = 0; e < n->onnx[k]->nent; e++)
                if (n->onnx[k]->ent[e].kind == SN_OE_HOOK)
                    add_hook(&h, n->onnx[k]->ent[e].value);
        }
    }
    sn_emit_header(&b, s->arena, "Hooks of the import that `onnx` lines name.",
                   sn_emit_guard(s, "hooks.h"),
                   sn_emit_core(s, "#include \"graph/desc.h\"\n"));
    for (uint32_t i = 0; i < h.n; i++)
        sn_putf(&b, "SnOnnxHook %s;\n", h.v[i]);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_emit_name(s, "hooks.h"), d);
}

/* ---- tables ---- */

void
sn_emit_onnx(SnBuf *b, const SnDefs *s)
{
    uint32_t n = 0;

    sn_putf(b,
            "\n/* operator, since, until, hook, note, entries, term, codes */\n"
            "const SnOnnxDesc %s[] = {\n",
            s->is_plugin ? sn_emit_name(s, "plugin_onnx") : "sn_core_onnx");
    for (uint32_t i = 0; i < s->nnode; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            n += put_onnx_rows(b, s->node[i]);
    n += sn_emit_op_rows(b, s);
    if (n == 0)
        sn_puts(b, "    { .op = { \"\", \"\" } }\n");
    sn_putf(b, "};\nconst uint32_t %s = %u;\n",
            s->is_plugin ? sn_emit_name(s, "plugin_nonnx") : "sn_core_nonnx",
            n);
}
