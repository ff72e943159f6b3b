// SPDX-License-Identifier: Apache-2.0
/* sn_rules.h, sn_rules.c: written rules as functions, and the tables of
 * rules, passes, pipelines and backends. */
#include "gen/rule/rule_gen.h"
#include "dsl/model/arith.h"

#include <string.h>

/* ---- sn_rules.h ---- */

/* Each function that a declaration names, once. */
static void
put_prototype(SnBuf *b, const char ***seen, uint32_t *n, const char *fn,
              const char *fmt)
{
    if (sn_name_among(*seen, *n, fn))
        return;
    SN_PUSH(b->a, *seen, *n, fn);
    sn_putf(b, "%s%s;\n", fmt, fn);
}

static void
put_builders(const SnDefs *defs, SnBuf *b)
{
    const char **seen = NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < defs->nrule; i++)
        if (defs->rule[i]->builder &&
            sn_defs_mine(defs, defs->rule[i]->backend)) {
            if (n == 0)
                sn_puts(b, "\n/* Written by hand: they call sn_fire "
                           "themselves, before any change. */\n");
            put_prototype(b, &seen, &n, defs->rule[i]->builder, "SnBuildFn ");
        }
}

static void
emit_header(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    uint32_t id = 0;
    SnBuf b;

    bool plugin = defs->is_plugin;
    sn_emit_header(&b, defs->arena, "Numbers of rules (sn_rule).",
                   sn_emit_guard(defs, "rules.h"),
                   sn_format(defs->arena, "#include \"%s\"\n",
                             plugin ? sn_emit_name(defs, "kinds.h")
                                    : "rewrite/rewrite.h"));
    sn_puts(&b, "enum {\n");
    for (uint32_t i = 0; i < defs->nrule; i++)
        if (sn_defs_mine(defs, defs->rule[i]->backend))
            sn_putf(&b, "    %s = %s%u,\n", sn_rule_enum(defs, defs->rule[i]),
                    plugin ? "SN_RULE_END + " : "", id++);
    for (uint32_t i = 0; !plugin && i < defs->nderive; i++)
        sn_putf(&b, "    %s = %u,\n",
                sn_rule_derive_enum(defs, defs->derive[i]), id++);
    sn_putf(&b,
            plugin ? "    SN_RULE_%s_END = SN_RULE_END + %u\n};\n"
                   : "    SN_RULE%s_END = %u\n};\n",
            plugin ? sn_upper(defs->arena, defs->plugin->name) : "", id);
    if (plugin)
        sn_putf(&b,
                "\n/* %s */\nextern const SnKindDesc %s[];\n"
                "extern const SnOnnxDesc %s[];\n"
                "extern const uint32_t %s;\n",
                sn_emit_name(defs, "kinds.c"),
                sn_emit_name(defs, "plugin_kinds"),
                sn_emit_name(defs, "plugin_onnx"),
                sn_emit_name(defs, "plugin_nonnx"));
    else
        sn_putf(&b,
                "\n/* Of the declarations (sn_core_hash). */\n"
                "#define SN_CORE_HASH UINT64_C(0x%016llx)\n",
                (unsigned long long)defs->hash);
    put_builders(defs, &b);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_emit_name(defs, "rules.h"), d);
}

/* ---- sn_rules.c ---- */

static bool
reads_class(const SnPat *p, const SnDefClass *c)
{
    if (p->pk == SN_P_ANY && p->cls == c)
        return true;
    for (uint32_t i = 0; i < p->narg; i++)
        if (reads_class(p->arg[i], c))
            return true;
    return false;
}

/* The classes that rules require below their root: their numbers among the
 * joins of a kind, with the names of the kinds that are in it by their rows. */
static void
put_classes(const SnDefs *defs, SnBuf *b)
{
    for (uint32_t i = 0; i < defs->nclass; i++) {
        const SnDefClass *c = defs->cls[i];
        bool used = false;
        for (uint32_t r = 0; r < defs->nrule && !used; r++) {
            const SnPat *p = defs->rule[r]->pat;
            if (!sn_defs_mine(defs, defs->rule[r]->backend))
                continue;
            for (uint32_t k = 0; k < p->narg; k++)
                used |= reads_class(p->arg[k], c);
        }
        if (!used || !c->member)
            continue;
        SnBuf t;
        sn_buf_init(&t, defs->arena);
        for (uint32_t k = 0; k < defs->nnode; k++) {
            uint32_t kind = defs->node[k]->kind;
            if (c->member[kind / 64] >> kind % 64 & 1)
                sn_putf(&t, "%s%s", t.n ? " " : "", defs->node[k]->name);
        }
        sn_putf(b, "\n/* %s: class %s\n", sn_where(defs->arena, c->pos),
                c->name);
        sn_rule_quote(b, " *   ", t.n ? sn_buf_str(&t) : "empty");
        sn_putf(b, " */\nenum { CLASS_%s = %u };\n", sn_upper(b->a, c->name),
                sn_rule_join(defs, c));
    }
}

static uint32_t
count_onnx(const SnDefs *defs)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < defs->nnode; i++)
        if (defs->node[i]->backend == defs->plugin)
            n += defs->node[i]->nonnx;
    n += sn_emit_op_rows(NULL, defs);
    return n;
}

/* The exports of the shared object. */
static void
put_plugin(const SnDefs *defs, SnBuf *b)
{
    uint32_t nrule = 0, npass = 0, narith = 0;

    for (uint32_t i = 0; i < defs->narith; i++)
        narith += defs->arith[i]->plugin;
    for (uint32_t i = 0; i < defs->nrule; i++)
        nrule += defs->rule[i]->backend == defs->plugin;
    for (uint32_t i = 0; i < defs->npass; i++)
        npass += defs->pass[i]->backend == defs->plugin;
    sn_putf(b,
            "\n/* ---- the plugin ---- */\n\n"
            "_Static_assert(SN_CORE_HASH == UINT64_C(0x%016llx),\n"
            "               \"generated from other declarations than "
            "the installed headers\");\n\n",
            (unsigned long long)defs->core_hash);
    sn_putf(b,
            "const SnPluginDesc sn_plugin = {\n"
            "    .abi = SN_PLUGIN_ABI, .nkind_at = SN_K_END,\n"
            "    .core_hash = UINT64_C(0x%016llx), .name = \"%s\",\n",
            (unsigned long long)defs->core_hash, defs->plugin->name);
    sn_putf(b,
            "    .kinds = { .nkind = %u, .kind = %s,\n"
            "               .nonnx = %u, .onnx = %s",
            defs->nnode - defs->core_nnode, sn_emit_name(defs, "plugin_kinds"),
            count_onnx(defs), sn_emit_name(defs, "plugin_onnx"));
    if (narith)
        sn_putf(b, ",\n               .narith = %u, .arith = %s", narith,
                sn_emit_name(defs, "plugin_arith"));
    sn_puts(b, " },\n");
    sn_putf(b,
            "    .rules = { .nrule = %u, .rule = plugin_rules,\n"
            "               .npass = %u, .pass = plugin_passes,\n"
            "               .nbackend = 1, .backend = plugin_backends",
            nrule, npass);
    uint32_t noff = sn_emit_off(NULL, defs);
    if (noff)
        sn_putf(b, ",\n               .noff = %u, .off = plugin_off", noff);
    sn_puts(b, " },\n};\n");
}

void
sn_emit_rules(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    SnBuf b, rules;

    emit_header(defs, outdir, d);
    sn_buf_init(&rules, defs->arena);
    for (uint32_t i = 0; i < defs->nrule; i++)
        if (sn_defs_mine(defs, defs->rule[i]->backend))
            sn_emit_rule(defs, d, defs->rule[i], &rules);
    sn_buf_init(&b, defs->arena);
    sn_emit_head(&b, "Written rules, and the tables of rules, passes, "
                     "pipelines and backends.");
    sn_putf(&b, "#include \"%s\"\n\n", sn_emit_name(defs, "rules.h"));
    if (strstr(sn_buf_str(&rules), "sqrtf(") ||
        strstr(sn_buf_str(&rules), "fabsf("))
        sn_puts(&b, "#include <math.h>\n");
    if (strstr(sn_buf_str(&rules), "strcmp("))
        sn_puts(&b, "#include <string.h>\n");
    if (!defs->is_plugin)
        sn_puts(&b, "#include \"rewrite/rule.h\"\n#include \"sn_kinds.h\"\n"
                    "#include \"sn_where.h\"\n");
    for (uint32_t i = 0, once = 0; i < defs->narith; i++)
        if (defs->arith[i]->plugin && !once++)
            sn_putf(&b, "#include \"%s\"\n", sn_emit_name(defs, "arith.h"));
    for (uint32_t i = 0; i < defs->nbackend; i++) {
        const SnDefBackend *k = defs->backend[i];
        bool any = k->nkernels > 0 || k->nhook > 0;
        if (!sn_defs_mine(defs, k))
            continue;
        for (uint32_t n = 0; n < defs->nnode; n++)
            any |= defs->node[n]->backend == k && defs->node[n]->nkernel;
        if (any)
            sn_putf(&b, "#include \"%s\"\n", sn_emit_kernels_name(defs, k));
    }
    put_classes(defs, &b);
    sn_puts(&b, sn_buf_str(&rules));
    if (!defs->is_plugin)
        sn_puts(&b, "\nconst uint64_t sn_core_hash = SN_CORE_HASH;\n");
    sn_puts(&b, "\n/* ---- passes ---- */\n");
    sn_emit_passes(defs, &b);
    sn_emit_backends(defs, d, &b, outdir);
    if (defs->is_plugin)
        put_plugin(defs, &b);
    sn_emit_file(&b, outdir, sn_emit_name(defs, "rules.c"), d);
    if (!defs->is_plugin) {
        sn_emit_where(defs, outdir, d);
        sn_emit_tests(defs, outdir, d);
    }
}
