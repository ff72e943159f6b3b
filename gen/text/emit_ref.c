// SPDX-License-Identifier: Apache-2.0
/* reference.md: every node and every rule, for people. */
#include "dsl/model/onnx.h"
#include "gen/text/emit.h"

#include <ctype.h>
#include <string.h>

/* Text inside a table cell or between backquotes of a cell. */
static const char *
cell(SnArena *a, const char *s)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (; *s; s++) {
        if (*s == '|')
            sn_putc(&b, '\\');
        sn_putc(&b, *s == '\n' ? ' ' : *s);
    }
    return sn_buf_str(&b);
}

static const char *
code(SnArena *a, const char *s)
{
    return sn_format(a, "`%s`", cell(a, s));
}

static const char *
code_of(SnArena *a, const SnExpr *e)
{
    return e ? code(a, sn_expr_str(a, e)) : "";
}

static const char *
tuple(SnArena *a, const SnDefs *s, const SnDefNode *n, uint32_t t)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_put_tuple(&b, s, n, &n->tuple[t]);
    return code(a, sn_buf_str(&b));
}

/* A remark as a sentence. */
static void
put_sentence(SnBuf *b, const char *s)
{
    sn_putf(b, "%c%s%s", toupper((unsigned char)s[0]), s + 1,
            s[strlen(s) - 1] == '.' ? "" : ".");
}

/* ---- nodes ---- */

static void
put_fact(SnBuf *b, const SnDefNode *n, const SnDefPort *p)
{
    switch (p->fact) {
    case SN_FACT_NONE:
        sn_puts(b, "not quantized");
        break;
    case SN_FREE:
        sn_puts(b, "free: any scale");
        break;
    case SN_SAME:
        sn_puts(b, "same scale as the others marked so");
        break;
    case SN_FIXED:
        sn_puts(b, "fixed: scale ");
        sn_put_f32(b, (float)p->fixed_scale);
        sn_putf(b, ", zp %lld", (long long)p->fixed_zp);
        break;
    case SN_PIN:
        sn_puts(b, "pinned: scale ");
        for (uint32_t i = 0; i < p->npin; i++)
            sn_putf(b, "%s%s.scale", i ? " * " : "", n->in[p->pin[i]]->name);
        sn_puts(b, ", zp 0");
        break;
    case SN_GIVEN:
        sn_puts(b, "given: no rewrite changes its type");
        break;
    }
    if (p->because)
        sn_putf(b, " (%s)", cell(b->a, p->because));
}

static void
put_ports(SnBuf *b, const SnDefNode *n)
{
    sn_puts(b, "\n| port | | scale |\n|---|---|---|\n");
    for (uint32_t i = 0; i < n->nin + n->nout; i++) {
        const SnDefPort *p = i < n->nin ? n->in[i] : n->out[i - n->nin];
        sn_putf(b, "| `%s` | %s%s%s | ", p->name, p->out ? "result" : "operand",
                p->optional ? ", optional" : "",
                p->variadic ? ", any number" : "");
        put_fact(b, n, p);
        sn_puts(b, " |\n");
    }
}

static void
put_attrs(SnBuf *b, const SnDefNode *n)
{
    if (n->nall == 0)
        return;
    sn_puts(b, "\n| attribute | default | constraint |\n|---|---|---|\n");
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        SnDefAttr bare = *at;
        SnBuf t;
        bare.def = bare.where = NULL;
        sn_buf_init(&t, b->a);
        sn_put_attr_decl(&t, &bare);
        sn_putf(b, "| %s | %s | %s |\n", code(b->a, sn_buf_str(&t)),
                code_of(b->a, at->def), code_of(b->a, at->where));
    }
}

static void
put_meaning(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    uint32_t nsem = n->nout ? n->nout : 1;

    sn_puts(b, "\nTypes:\n\n");
    for (uint32_t i = 0; i < n->ntuple; i++)
        sn_putf(b, "* %s\n", tuple(b->a, s, n, i));
    sn_puts(b, "\nMeaning:\n\n");
    for (uint32_t i = 0; i < nsem; i++) {
        sn_putf(b, "    %s ", sn_class_words[n->rsem[i]->cls].word);
        sn_put_sem(b, n->rsem[i]);
        sn_putc(b, '\n');
    }
    for (uint32_t i = 0; i < n->nrinv; i++) {
        sn_putf(b, "%sAlways: %s", i ? "" : "\n",
                code_of(b->a, n->rinv[i]->expr));
        if (n->rinv[i]->els)
            sn_putf(b, " (%s)", n->rinv[i]->els);
        sn_puts(b, ".\n");
    }
    if (n->comm[0] < 0)
        return;
    sn_putf(b, "\n`%s` and `%s` may be exchanged", n->in[n->comm[0]]->name,
            n->in[n->comm[1]]->name);
    sn_putf(b, "%s%s.\n", n->comm_when ? " where " : "",
            code_of(b->a, n->comm_when));
}

static void
put_family(SnBuf *b, const SnDefNode *n)
{
    const SnDefFamily *f = &n->family;

    sn_puts(b, "\nConversions around it:\n\n* absorb: ");
    if (f->absorb == 0)
        sn_puts(b, "no");
    for (uint32_t i = 0, k = 0; i < n->nin; i++)
        if (f->absorb & (1u << i))
            sn_putf(b, "%s`%s`", k++ ? ", " : "", n->in[i]->name);
    if (f->why_absorb)
        sn_putf(b, ": %s", f->why_absorb);
    sn_putf(b, "\n* merge: %s%s%s\n", f->merge ? "yes" : "no",
            f->why_merge ? ": " : "", f->why_merge ? f->why_merge : "");
    sn_putf(b, "* sink: %s%s%s%s\n", f->sink ? "yes" : "no",
            f->sink_bounded       ? ", within a bound"
            : f->sink_unused_rest ? ", while later results are unused"
                                  : "",
            f->why_sink ? ": " : "", f->why_sink ? f->why_sink : "");
}

static void
put_onnx(SnBuf *b, const SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nonnx; i++) {
        const SnDefOnnx *o = n->onnx[i];
        sn_putf(b, "%sONNX `%s`, opset %lld ", i ? "" : "\n", o->op,
                (long long)o->since);
        if (o->until)
            sn_putf(b, "to %lld", (long long)o->until);
        else
            sn_puts(b, "on");
        for (uint32_t k = 0; k < o->ncode; k++)
            sn_putf(b, "%s%s", k ? ", " : ", codes of ", o->code[k].name);
        if (o->hook)
            sn_putf(b, ", by `%s`%s%s", o->hook, o->note ? ": " : "",
                    o->note ? o->note : "");
        for (uint32_t k = 0; k < o->nent; k++) {
            const SnDefOnnxEnt *e = &o->ent[k];
            sn_puts(b, k ? ", " : ": ");
            if (e->kind == SN_OE_INPUT)
                sn_putf(b, "`%s` = input %lld", e->name, (long long)e->input);
            else if (e->kind == SN_OE_HOOK)
                sn_putf(b, "`%s` by `%s`", e->name, e->value);
            else if (e->kind == SN_OE_LAYOUT)
                sn_putf(b, "`%s` is %s%s%s%s", e->name, e->value,
                        e->unless ? " unless `" : "",
                        e->unless ? e->unless : "", e->unless ? "`" : "");
            else
                sn_putf(b, "`%s` = `%s`", e->name, e->value);
        }
        sn_puts(b, ".  \n");
    }
}

static void
put_kernels(SnBuf *b, const SnDefs *s, const SnDefNode *n,
            const SnDefBackend *of, SnDefKernel *const *kernel, uint32_t nk)
{
    for (uint32_t i = 0; i < nk; i++) {
        const SnDefKernel *k = kernel[i];
        sn_putf(b, "%sKernel `%s`", i ? "" : "\n", k->fn);
        if (of)
            sn_putf(b, " of backend %s", of->name);
        sn_putc(b, ':');
        for (uint32_t t = 0; t < k->ntuple; t++)
            sn_putf(b, "%s%s", t ? ", " : " ", tuple(b->a, s, n, k->tuple[t]));
        sn_puts(b, ".  \n");
    }
}

static void
put_node(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    sn_putf(b, "\n### %s\n\n", n->name);
    if (n->doc && n->doc[0]) {
        put_sentence(b, n->doc);
        sn_putc(b, ' ');
    }
    sn_putf(b, "Declared at `%s`", sn_where(b->a, n->pos));
    if (n->base)
        sn_putf(b, ", a form of [%s](#%s)", n->base->name,
                sn_lower(b->a, n->base->name));
    if (n->backend)
        sn_putf(b, ", a node of backend %s", n->backend->name);
    sn_puts(b, ".\n");
    if (n->nin + n->nout)
        put_ports(b, n);
    put_attrs(b, n);
    put_meaning(b, s, n);
    put_family(b, n);
    put_onnx(b, n);
    put_kernels(b, s, n, NULL, n->kernel, n->nkernel);
    for (uint32_t i = 0; i < s->nbackend; i++)
        for (uint32_t k = 0; k < s->backend[i]->nkernels; k++) {
            const SnDefKernelsOf *o = s->backend[i]->kernels[k];
            if (o->node == n)
                put_kernels(b, s, n, s->backend[i], o->kernel, o->nkernel);
        }
}

/* ---- rules ---- */

static void
put_claim(SnBuf *b, const SnDefClaim *c)
{
    switch (c->kind) {
    case SN_CLAIM_NONE:
        sn_puts(b, "changes only an interface");
        break;
    case SN_CLAIM_EXACT:
        sn_puts(b, "exact");
        break;
    case SN_CLAIM_WITHIN:
        sn_putf(b, "within %s lsb",
                c->bound ? sn_expr_str(b->a, c->bound) : "");
        break;
    case SN_CLAIM_REFINES:
        sn_puts(b, "refines");
        break;
    case SN_CLAIM_REAL:
        sn_puts(b, "real");
        if (c->real > 0) {
            sn_putc(b, ' ');
            sn_put_f64(b, c->real);
        }
        break;
    case SN_CLAIM_LOSSY:
        sn_puts(b, "lossy");
        if (c->text)
            sn_putf(b, ": %s", c->text);
        break;
    }
}

static void
put_rule(SnBuf *b, const SnDefRule *r)
{
    sn_putf(b, "\n#### %s.%s\n\n`%s`; claim: ", r->pass ? r->pass->name : "",
            r->name, sn_where(b->a, r->pos));
    put_claim(b, &r->claim);
    for (uint32_t i = 0; i < r->nunder; i++) {
        sn_putf(b, ", under %s ", r->under[i].name);
        put_claim(b, &r->under[i].claim);
    }
    if (r->other.kind != SN_CLAIM_NONE) {
        sn_puts(b, ", else ");
        put_claim(b, &r->other);
    }
    if (r->when)
        sn_putf(b, "; guard: %s", code_of(b->a, r->when));
    if (r->optin)
        sn_putf(b, "; only on request: %s", r->optin);
    if (r->trusted)
        sn_putf(b, "; trusted: %s", r->trusted);
    sn_puts(b, ".\n");
    const char *const text[] = {r->note, r->doc};
    for (int i = 0; i < 2; i++)
        if (text[i] && text[i][0]) {
            sn_putc(b, '\n');
            put_sentence(b, text[i]);
            sn_putc(b, '\n');
        }
    if (r->text) {
        sn_puts(b, "\n");
        sn_emit_quote(b, "    ", r->text);
    }
}

static void
put_pass(SnBuf *b, const SnDefPass *p)
{
    sn_putf(b, "\n### %s\n\n", p->name);
    if (p->doc && p->doc[0]) {
        put_sentence(b, p->doc);
        sn_puts(b, "\n\n");
    }
    if (p->nallow)
        sn_puts(b, "Allows: ");
    for (uint32_t i = 0; i < p->nallow; i++) {
        sn_puts(b, i ? ", " : "");
        put_claim(b, &p->allow[i]);
    }
    sn_puts(b, p->nallow ? ".\n" : "");
    for (uint32_t i = 0; i < p->nderive; i++) {
        const SnDefDerive *e = p->derive[i];
        sn_putf(b, "\nDerives `%s%s%s", e->family, e->what ? " " : "",
                e->what ? e->what : "");
        if (e->over)
            sn_putf(b, " through %s", sn_expr_str(b->a, e->over));
        sn_puts(b, "` from the facts of the nodes.\n");
    }
    for (uint32_t i = 0; i < p->nrule; i++)
        put_rule(b, p->rule[i]);
}

static void
put_map_functions(SnBuf *b)
{
    sn_puts(b, "\n### Functions of maps\n\n");
    for (unsigned i = 0; i < sn_map_nfn; i++)
        sn_putf(b, "* `%s`: %s\n", sn_map_fns[i].name, sn_map_fns[i].doc);
}

static void
put_maps(SnBuf *b, const SnDefs *s)
{
    uint32_t from = s->is_plugin ? s->core_nmap : 0;

    if (from < s->nmap)
        sn_puts(b, "\n## Index maps\n");
    for (uint32_t i = from; i < s->nmap; i++) {
        const SnDefMap *m = s->map[i];
        sn_putf(b, "\n### map %s\n\n`%s`.", m->name, sn_where(b->a, m->pos));
        if (m->doc && m->doc[0]) {
            sn_putc(b, ' ');
            put_sentence(b, m->doc);
        }
        sn_puts(b, "\n\n");
        sn_emit_quote(b, "    ", m->text);
    }
    if (!s->is_plugin)
        put_map_functions(b);
}

static void
put_ops(SnBuf *b, const SnDefs *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->nop; i++) {
        const SnDefOp *o = s->op[i];
        if (!sn_defs_mine(s, o->backend))
            continue;
        if (n++ == 0)
            sn_puts(b, "\n## Operators of ONNX as terms\n");
        sn_putf(b, "\n`%s`, at `%s`:\n\n", o->op, sn_where(b->a, o->pos));
        sn_emit_quote(b, "    ", o->whole);
    }
}

void
sn_emit_ref(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnBuf b;

    sn_buf_init(&b, s->arena);
    sn_puts(&b, "# Reference\n\nWritten by sinter-gen from the declarations."
                "\n\n## Nodes\n\n");
    const char *sep = "";
    for (uint32_t i = 0; i < s->nnode; i++) {
        if (!sn_defs_mine(s, s->node[i]->backend))
            continue;
        sn_putf(&b, "%s[%s](#%s)", sep, s->node[i]->name,
                sn_lower(s->arena, s->node[i]->name));
        sep = ", ";
    }
    sn_puts(&b, "\n");
    for (uint32_t i = 0; i < s->nnode; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            put_node(&b, s, s->node[i]);
    put_ops(&b, s);
    put_maps(&b, s);
    sn_puts(&b, "\n## Passes and rules\n");
    for (uint32_t i = 0; i < s->npass; i++)
        if (sn_defs_mine(s, s->pass[i]->backend))
            put_pass(&b, s->pass[i]);
    for (uint32_t i = 0; !s->is_plugin && i < s->npipeline; i++) {
        const SnDefPipeline *p = s->pipeline[i];
        sn_putf(&b, "%sPipeline `%s`: ", i ? "" : "\n## Pipelines\n\n",
                p->name);
        for (uint32_t k = 0; k < p->npass; k++)
            sn_putf(&b, "%s%s", k ? ", " : "", p->pass[k]);
        sn_puts(&b, ".  \n");
    }
    sn_emit_file(
        &b, outdir,
        s->is_plugin ? sn_emit_name(s, "reference.md") : "reference.md", d);
}
