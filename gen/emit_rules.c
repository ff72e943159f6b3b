/* sn_rules.h, sn_rules.c: written rules as functions, and the tables of
 * rules, passes, pipelines and backends. */
#include "gen/rule_gen.h"

#include <string.h>

/* ---- sn_rules.h ---- */

/* Each function that a declaration names, once. */
static void
put_prototype(SnBuf *b, const char ***seen, uint32_t *n, const char *fn,
              const char *fmt)
{
    for (uint32_t i = 0; i < *n; i++)
        if (!strcmp((*seen)[i], fn))
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
        if (defs->rule[i]->builder) {
            if (n == 0)
                sn_puts(b, "\n/* Written by hand: they call sn_fire "
                           "themselves, before any change. */\n"
                           "typedef bool SnBuildFn(SnGraph *g, SnRewriter "
                           "*rw, SnId root);\n");
            put_prototype(b, &seen, &n, defs->rule[i]->builder, "SnBuildFn ");
        }
    seen = NULL;
    n = 0;
    for (uint32_t i = 0; i < defs->nbackend; i++)
        for (uint32_t k = 0; k < defs->backend[i]->nhook; k++) {
            if (n == 0)
                sn_puts(b, "\n/* Hooks of backends. */\ntypedef int "
                           "SnLowerFn(const SnGraph *g, SnId id);\n");
            put_prototype(b, &seen, &n, defs->backend[i]->hook_fn[k],
                          "SnLowerFn ");
        }
}

static void
emit_header(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    uint32_t id = 0;
    SnBuf b;

    sn_buf_init(&b, defs->arena);
    sn_emit_head(&b, "Numbers of the rules in sn_rules[].");
    sn_puts(&b, "#ifndef SN_RULES_H\n#define SN_RULES_H\n\n"
                "#include \"rewrite/rewrite.h\"\n\nenum {\n");
    for (uint32_t i = 0; i < defs->nrule; i++)
        sn_putf(&b, "    %s = %u, /* %s */\n",
                sn_rg_rule_enum(defs, defs->rule[i]), id++,
                sn_where(defs->arena, defs->rule[i]->pos));
    for (uint32_t i = 0; i < defs->nderive; i++)
        sn_putf(&b, "    %s = %u, /* %s */\n",
                sn_rg_derive_enum(defs, defs->derive[i]), id++,
                sn_where(defs->arena, defs->derive[i]->pos));
    sn_putf(&b, "    SN_RULE_END = %u\n};\n", id);
    put_builders(defs, &b);
    sn_puts(&b, "\n#endif\n");
    sn_emit_file(&b, outdir, "sn_rules.h", d);
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

/* The classes that rules ask for below their root: their numbers among the
 * joins of a kind, with the names of those that the rows say are in it. */
static void
put_classes(const SnDefs *defs, SnBuf *b)
{
    for (uint32_t i = 0; i < defs->nclass; i++) {
        const SnDefClass *c = defs->cls[i];
        bool used = false;
        for (uint32_t r = 0; r < defs->nrule && !used; r++) {
            const SnPat *p = defs->rule[r]->pat;
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
        sn_rg_quote(b, " *   ", t.n ? sn_buf_str(&t) : "empty");
        sn_putf(b, " */\nenum { CLASS_%s = %u };\n",
                sn_upper(b->a, c->name), sn_rg_join(defs, c));
    }
}

void
sn_emit_rules(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    SnBuf b, rules;

    emit_header(defs, outdir, d);
    sn_buf_init(&rules, defs->arena);
    for (uint32_t i = 0; i < defs->nrule; i++)
        sn_rg_rule(defs, d, defs->rule[i], &rules);
    sn_buf_init(&b, defs->arena);
    sn_emit_head(&b, "Written rules, and the tables of rules, passes, "
                     "pipelines and backends.");
    sn_puts(&b, "#include \"sn_rules.h\"\n\n");
    if (strstr(sn_buf_str(&rules), "sqrtf(") ||
        strstr(sn_buf_str(&rules), "fminf(") ||
        strstr(sn_buf_str(&rules), "fmaxf(") ||
        strstr(sn_buf_str(&rules), "fabsf("))
        sn_puts(&b, "#include <math.h>\n");
    if (strstr(sn_buf_str(&rules), "strcmp("))
        sn_puts(&b, "#include <string.h>\n");
    sn_puts(&b, "#include \"rewrite/rule.h\"\n#include \"sn_kinds.h\"\n");
    for (uint32_t i = 0; i < defs->nbackend; i++) {
        const SnDefBackend *k = defs->backend[i];
        bool any = k->nkernels > 0;
        for (uint32_t n = 0; n < defs->nnode; n++)
            any |= defs->node[n]->backend == k && defs->node[n]->nkernel;
        if (any)
            sn_putf(&b, "#include \"%s\"\n",
                    k->kernels_h ? k->kernels_h
                                 : sn_format(b.a, "%s_kernels.h",
                                             sn_lower(b.a, k->name)));
    }
    put_classes(defs, &b);
    sn_puts(&b, sn_buf_str(&rules));
    sn_putf(&b, "\nconst uint64_t sn_core_hash = UINT64_C(0x%016llx);\n",
            (unsigned long long)sn_defs_hash(defs));
    sn_puts(&b, "\n/* ---- passes ---- */\n");
    sn_emit_passes(defs, d, &b);
    sn_emit_backends(defs, d, &b, outdir);
    sn_emit_file(&b, outdir, "sn_rules.c", d);
    sn_emit_tests(defs, outdir, d);
}
