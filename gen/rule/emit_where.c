// SPDX-License-Identifier: Apache-2.0
/* Where kinds, rules and backends are declared.  The strings have a separate
 * file, so that an added line in a declaration recompiles only them.  Rows have
 * one width: their addresses are constants, which tables may hold. */
#include <string.h>

#include "gen/rule/rule_gen.h"

static void
put_row(SnBuf *b, const SnDefs *defs, const char *at, SnPos pos, size_t *most)
{
    const char *s = sn_where(defs->arena, pos);

    sn_putf(b, "    [%s] = \"%s\",\n", at, s);
    if (strlen(s) > *most)
        *most = strlen(s);
}

static void
put_table(SnBuf *b, const char *name, SnBuf *rows, size_t width)
{
    if (rows->n)
        sn_putf(b, "\nconst char %s[][%zu] = {\n%s};\n", name, width,
                sn_buf_str(rows));
}

void
sn_emit_where(const SnDefs *defs, const char *outdir, SnDiag *d)
{
    SnArena *a = defs->arena;
    SnBuf b, kinds, rules, backends;
    size_t most = 0, width;

    sn_buf_init(&kinds, a);
    sn_buf_init(&rules, a);
    sn_buf_init(&backends, a);
    for (uint32_t i = 0; i < defs->nnode; i++)
        put_row(&kinds, defs,
                sn_format(a, "SN_K_%s", sn_upper(a, defs->node[i]->name)),
                defs->node[i]->pos, &most);
    for (uint32_t i = 0; i < defs->nrule; i++)
        put_row(&rules, defs, sn_rule_enum(defs, defs->rule[i]),
                defs->rule[i]->pos, &most);
    for (uint32_t i = 0; i < defs->nderive; i++)
        put_row(&rules, defs, sn_rule_derive_enum(defs, defs->derive[i]),
                defs->derive[i]->pos, &most);
    for (uint32_t i = 0; i < defs->nbackend; i++)
        put_row(&backends, defs, sn_format(a, "%u", i),
                sn_rule_backend_at(defs->backend[i]), &most);
    width = (most + 32) / 32 * 32; /* the header stays when a line is added */

    sn_buf_init(&b, a);
    sn_emit_head(&b,
                 "Where kinds, rules and backends are declared, by number.");
    sn_putf(&b,
            "#ifndef SN_WHERE_H\n#define SN_WHERE_H\n\n"
            "extern const char sn_kind_where[][%zu];\n"
            "extern const char sn_rule_where[][%zu];\n"
            "extern const char sn_backend_where[][%zu];\n\n#endif\n",
            width, width, width);
    sn_emit_file(&b, outdir, "sn_where.h", d);

    sn_buf_init(&b, a);
    sn_emit_head(&b,
                 "Where kinds, rules and backends are declared, by number.");
    sn_puts(&b, "#include \"sn_where.h\"\n\n#include \"sn_kinds.h\"\n"
                "#include \"sn_rules.h\"\n");
    put_table(&b, "sn_kind_where", &kinds, width);
    put_table(&b, "sn_rule_where", &rules, width);
    put_table(&b, "sn_backend_where", &backends, width);
    sn_emit_file(&b, outdir, "sn_where.c", d);
}
