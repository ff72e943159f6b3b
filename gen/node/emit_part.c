// SPDX-License-Identifier: Apache-2.0
#include "gen/node/part.h"

#include <string.h>

/* FNV-1a. */
unsigned
sn_part(const SnDefNode *n)
{
    uint32_t h = 2166136261u;

    for (const char *s = n->name; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h % SN_NPART;
}

void
sn_emit_struct(SnBuf *b, const SnDefNode *n)
{
    SnArena *a = b->a;
    const char *up = sn_upper(a, n->name);

    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        if (at->ty != SN_A_ENUM)
            continue;
        sn_puts(b, "enum {");
        for (uint32_t w = 0; w < at->nword; w++)
            sn_putf(b, "%s\n    SN_%s_%s_%s = %u", w ? "," : "", up,
                    sn_upper(a, at->name), sn_upper(a, at->word[w]), w);
        sn_puts(b, "\n};\n");
    }
    if (n->nall == 0)
        return;
    sn_putf(b, "typedef struct Sn%sAttr {\n", n->name);
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        sn_putf(b, "    %s%s;", sn_attr_kind_words[at->ty].c,
                sn_field(a, at->name));
        if (at->fixed)
            sn_putf(b, " /* %u */", at->fixed);
        if (at->ty == SN_A_RANGE)
            sn_putf(b, " /* range(%s) */", at->range_of);
        sn_putc(b, '\n');
    }
    sn_putf(b, "} Sn%sAttr;\n", n->name);
}

void
sn_emit_eval_names(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    if (!sn_defs_mine(s, n->backend))
        return;
    for (uint32_t t = 0; t < n->ntuple && sn_eval_by(n) == SN_EVAL_OWN; t++)
        sn_putf(b, "SnEvalFn %s;\nextern const char *const *const %s[];\n",
                sn_eval_name(b->a, n, t), sn_text_name(b->a, n, t));
    const char *real = sn_real_name(s, n);
    if (real)
        sn_putf(b, "SnEvalFn %s;\n", real);
}

static void
emit_header(SnBuf *body, const char *kind, unsigned part, const char *what,
            const char *outdir, SnDiag *d)
{
    SnArena *a = body->a;
    SnBuf b;

    sn_emit_header(&b, a, what,
                   sn_format(a, "SN_%s_%u_H", sn_upper(a, kind), part),
                   "#include \"graph/desc.h\"\n");
    sn_puts(&b, sn_buf_str(body));
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_format(a, "sn_%s_%u.h", kind, part), d);
}

void
sn_emit_parts(const SnDefs *s, const char *outdir, SnDiag *d)
{
    for (unsigned part = 0; part < SN_NPART; part++) {
        SnBuf attrs, evals;
        sn_buf_init(&attrs, s->arena);
        sn_buf_init(&evals, s->arena);
        for (uint32_t i = 0; i < s->nnode; i++)
            if (sn_part(s->node[i]) == part) {
                sn_emit_struct(&attrs, s->node[i]);
                sn_emit_eval_names(&evals, s, s->node[i]);
            }
        emit_header(&attrs, "attr", part,
                    "Attributes of some kinds, for sn_kind_NAME.h.", outdir, d);
        emit_header(&evals, "eval", part,
                    "Evaluators of some kinds, by tuple; sn_gen.h has all.",
                    outdir, d);
    }
}
