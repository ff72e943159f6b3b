// SPDX-License-Identifier: Apache-2.0
/* Builds types, nodes and backends for the parser. */
#include "dsl/model/onnx.h"
#include "dsl/syntax/parse.h"

#include <string.h>
#include "gram.h"

void
sn_parse_version(SnParser *P, SnTok t)
{
    if (t.v.i == 1) {
        sn_error(P->d, t.pos, "SN003",
                 "version 1 is no longer read; this sinter-gen reads version "
                 "2");
        sn_diag_help(P->d, "include \"maps.def\" where maps are named, and "
                           "'version 2;' (sinter-gen explain SN003)");
    } else if (t.v.i != 2) {
        sn_error(P->d, t.pos, "SN003",
                 "version %.*s is not known; this sinter-gen reads version 2",
                 (int)t.pos.len, t.raw);
        sn_diag_help(P->d, "version 2;");
    }
    if (P->has_version)
        sn_error(P->d, t.pos, "SN012", "'version' is given a second time");
    P->has_version = true;
}

SnDefType *
sn_parse_type(SnParser *P, SnTok name, SnExprs alt)
{
    SnDefType *t = SN_NEW(P->a, SnDefType);

    t->name = sn_parse_name(P, name);
    t->pos = name.pos;
    t->nalt = alt.n;
    t->alt = alt.v;
    SN_PUSH(P->a, P->defs->type, P->defs->ntype, t);
    return t;
}

/* ---- nodes ---- */

static SnDefNode *
new_node(SnParser *P, SnTok name)
{
    SnDefNode *n = SN_NEW(P->a, SnDefNode);

    n->name = sn_parse_name(P, name);
    n->pos = name.pos;
    P->node = n;
    P->nport[false] = P->nport[true] = 0;
    return n;
}

void
sn_parse_node(SnParser *P, SnTok name, SnTok form, SnTok doc)
{
    SnDefNode *n = new_node(P, name);

    if (form.raw) {
        n->form_of = sn_parse_name(P, form);
        n->form_pos = form.pos;
    }
    n->doc = doc.str;
    SN_PUSH(P->a, P->defs->node, P->defs->nnode, n);
}

void
sn_parse_refine(SnParser *P, SnTok name)
{
    SnDefNode *n = new_node(P, name);

    SN_PUSH(P->a, P->defs->refine, P->defs->nrefine, n);
}

void
sn_parse_node_end(SnParser *P, SnTok from, SnTok to)
{
    P->node->text = sn_parse_text(P, from, to);
    P->node = NULL;
}

void
sn_parse_ports(SnParser *P, bool out, SnExprs names)
{
    SnDefNode *n = P->node;

    for (uint32_t i = 0; i < names.n; i++) {
        SnDefPort *p = SN_NEW(P->a, SnDefPort);

        p->name = names.v[i]->s;
        p->pos = names.v[i]->pos;
        p->out = out;
        p->variadic = names.v[i]->i == 1;
        p->optional = names.v[i]->i == 2;
        p->index = P->nport[out]++;
        SN_PUSH(P->a, n->port, n->nport, p);
    }
}

void
sn_parse_kinds(SnParser *P, SnTok kw, SnExprs in, SnExprs out)
{
    SnDefNode *n = P->node;

    sn_parse_once(P, kw, n->kinds_pos.src);
    n->kinds_pos = kw.pos;
    n->nsig_in = in.n;
    n->sig_in = in.v;
    n->nsig_out = out.n;
    n->sig_out = out.v;
}

SnDefTupleSrc
sn_parse_tuple(SnTok at, SnExprs in, SnExprs out)
{
    return (SnDefTupleSrc){
        .pos = at.pos, .nin = in.n, .in = in.v, .nout = out.n, .out = out.v};
}

void
sn_parse_add_tuple(SnParser *P, SnDefTupleSrc t, SnTok var, SnTok of)
{
    SnDefTupleSrc *p = sn_memdup(P->a, &t, sizeof t);

    if (var.raw) {
        p->var = sn_parse_name(P, var);
        p->of = sn_parse_name(P, of);
        p->of_pos = of.pos;
    }
    SN_PUSH(P->a, P->node->tuple_src, P->node->ntuple_src, p);
}

void
sn_parse_add_kernel(SnParser *P, SnDefTupleSrc t, SnTok fn, SnTok prepare,
                    bool late)
{
    SnDefKernel src = {
        .pos = t.pos, .sig = t, .fn = sn_parse_name(P, fn), .late = late};

    if (prepare.raw)
        src.prepare = sn_parse_name(P, prepare);
    if (!P->nkern) {
        SnDefKernel *k = sn_memdup(P->a, &src, sizeof src);
        SN_PUSH(P->a, P->node->kernel, P->node->nkernel, k);
        return;
    }
    for (uint32_t i = P->nkern; i > 0; i--) {
        SnDefKernelsOf *o = P->backend->kernels[P->backend->nkernels - i];
        SnDefKernel *k = sn_memdup(P->a, &src, sizeof src);
        SN_PUSH(P->a, o->kernel, o->nkernel, k);
    }
}

SnDefAttr *
sn_parse_attr_type(SnParser *P, SnTypeForm f, SnTok ty, SnTok of)
{
    SnDefAttr *a = SN_NEW(P->a, SnDefAttr);
    int kind = sn_attr_kind_declared(sn_parse_name(P, ty), f);

    if (kind < SN_NATTRKIND) {
        a->ty = (SnAttrKind)kind;
        if (f == SN_TF_OF)
            a->range_of = sn_parse_name(P, of);
        if (f == SN_TF_LIST && of.raw) {
            if (of.v.i < 1 || of.v.i > 16)
                sn_error(P->d, of.pos, "SN007",
                         "a list has 1 to 16 elements, not %.*s",
                         (int)of.pos.len, of.raw);
            else
                a->fixed = (uint32_t)of.v.i;
        }
        return a;
    }
    sn_error(P->d, ty.pos, "SN015", "no attribute has the type '%.*s%s'",
             (int)ty.pos.len, ty.raw,
             f == SN_TF_OF     ? "(..)"
             : f == SN_TF_LIST ? "[]"
                               : "");
    sn_diag_help(P->d, "int, real, bool, str, type, enum {a, b}, int[2], "
                       "int[], real[] or range(port)");
    return a;
}

SnDefAttr *
sn_parse_attr_enum(SnParser *P, SnIds words)
{
    SnDefAttr *a = SN_NEW(P->a, SnDefAttr);

    a->ty = SN_A_ENUM;
    a->nword = words.n;
    a->word = words.s;
    return a;
}

void
sn_parse_attr(SnParser *P, SnDefAttr *a, SnTok name, SnExpr *def, SnExpr *where)
{
    a->name = sn_parse_name(P, name);
    a->says = sn_word_named(a->name);
    a->pos = name.pos;
    a->def = def;
    a->where = where;
    a->index = P->node->nattr;
    SN_PUSH(P->a, P->node->attr, P->node->nattr, a);
}

void
sn_parse_fact(SnParser *P, SnFact f, SnTok kw, SnIds l, SnExprs pair,
              SnTok text)
{
    SnDefFactSrc *s = SN_NEW(P->a, SnDefFactSrc);

    s->pos = kw.pos;
    s->fact = f;
    s->nname = l.n;
    s->name = l.s;
    s->name_pos = l.pos;
    if (pair.n == 2) {
        s->scale = pair.v[0];
        s->zp = pair.v[1];
    }
    s->text = text.str;
    SN_PUSH(P->a, P->node->fact_src, P->node->nfact_src, s);
}

void
sn_parse_commutes(SnParser *P, SnTok kw, SnIds l, SnExpr *when)
{
    SnDefNode *n = P->node;

    sn_parse_once(P, kw, n->commutes);
    n->ncommutes = l.n;
    n->commutes = l.s;
    n->commutes_pos = l.pos;
    n->commutes_when = when;
}

void
sn_parse_invariant(SnParser *P, SnExpr *e, SnTok text)
{
    SnDefInv *v = SN_NEW(P->a, SnDefInv);

    v->pos = e->pos;
    v->expr = e;
    v->els = text.str;
    SN_PUSH(P->a, P->node->inv, P->node->ninv, v);
}

void
sn_parse_sem(SnParser *P, SnTok kw, SnTok cls, SnTok out, SnExpr *formula,
             SnDefSem mods)
{
    SnDefSem *s = sn_memdup(P->a, &mods, sizeof mods);

    s->pos = kw.pos;
    s->cls_name = sn_parse_name(P, cls);
    s->out_name = sn_parse_name(P, out);
    s->formula = formula;
    SN_PUSH(P->a, P->node->sem, P->node->nsem, s);
}

void
sn_parse_sem_bare(SnParser *P, SnTok cls, SnIds outs)
{
    for (uint32_t i = 0; i < outs.n; i++) {
        SnDefSem *s = SN_NEW(P->a, SnDefSem);

        s->pos = outs.pos[i];
        s->cls_name = sn_parse_name(P, cls);
        s->out_name = outs.s[i];
        SN_PUSH(P->a, P->node->sem, P->node->nsem, s);
    }
}

void
sn_parse_effect(SnParser *P, SnIds l)
{
    for (uint32_t i = 0; i < l.n; i++)
        SN_PUSH(P->a, P->node->effect, P->node->neffect, l.s[i]);
}

void
sn_parse_onnx(SnParser *P, SnTok op, SnTok since, SnTok until)
{
    SnDefOnnx *o = SN_NEW(P->a, SnDefOnnx);

    o->pos = op.pos;
    o->op = op.str;
    o->since = since.v.i;
    o->until = until.raw ? until.v.i : 0;
    P->onnx = o;
    SN_PUSH(P->a, P->node->onnx, P->node->nonnx, o);
}

void
sn_parse_onnx_hook(SnParser *P, SnTok hook, SnTok note)
{
    P->onnx->hook = sn_parse_name(P, hook);
    P->onnx->hook_pos = hook.pos;
    P->onnx->note = note.str;
    P->onnx->note_pos = note.pos;
}

void
sn_parse_onnx_codes(SnParser *P, SnTok kw, SnIds ports)
{
    P->onnx->codes_pos = kw.pos;
    for (uint32_t i = 0; i < ports.n; i++) {
        SnDefOnnxCode c = {.name = ports.s[i], .pos = ports.pos[i]};
        SN_PUSH(P->a, P->onnx->code, P->onnx->ncode, c);
    }
}

void
sn_parse_onnx_unless(SnParser *P, SnTok attr)
{
    P->onnx->ent[P->onnx->nent - 1].unless = sn_parse_name(P, attr);
}

void
sn_parse_onnx_ent(SnParser *P, int kind, SnTok name, SnTok value)
{
    SnDefOnnxEnt e = {.pos = name.pos, .name = sn_parse_name(P, name)};

    switch (kind) {
    case SN_OE_ATTR:
        e.kind = SN_OE_ATTR;
        break;
    case SN_OE_INPUT:
        e.kind = SN_OE_INPUT;
        e.input = value.v.i;
        break;
    case SN_OE_HOOK:
        e.kind = SN_OE_HOOK;
        break;
    case SN_OE_ANY: /* of several attributes */
        e.kind = SN_OE_ANY;
        e.name = sn_parse_name(P, value);
        break;
    default:
        e.kind = SN_OE_LAYOUT;
        break;
    }
    if (kind != SN_OE_INPUT)
        e.value = sn_parse_name(P, value);
    SN_PUSH(P->a, P->onnx->ent, P->onnx->nent, e);
}

/* ---- backends ---- */

void
sn_parse_backend(SnParser *P, SnTok name)
{
    SnDefBackend *b = SN_NEW(P->a, SnDefBackend);

    b->name = sn_parse_name(P, name);
    b->pos = name.pos;
    if (P->backend) {
        sn_error(P->d, name.pos, "SN014",
                 "a second backend in one file: '%s' comes first",
                 P->backend->name);
        sn_diag_span(P->d, P->backend->pos, "the first");
        sn_diag_help(P->d, "give each backend a file of its own");
    }
    P->backend = b;
    SN_PUSH(P->a, P->defs->backend, P->defs->nbackend, b);
}

void
sn_parse_cap(SnParser *P, SnTok name, SnExpr *e)
{
    SnDefCap c = {.name = sn_parse_name(P, name), .pos = name.pos, .e = e};

    SN_PUSH(P->a, P->backend->cap, P->backend->ncap, c);
}

void
sn_parse_keep(SnParser *P, SnTok name, SnExpr *when)
{
    SnDefBackend *b = P->backend;
    uint32_t n = b->nkeep, k = b->nkeep;

    SN_PUSH(P->a, b->keep, b->nkeep, sn_parse_name(P, name));
    SN_PUSH(P->a, b->keep_pos, n, name.pos);
    SN_PUSH(P->a, b->keep_when, k, when);
}

void
sn_parse_hook(SnParser *P, SnTok name, SnTok fn)
{
    SnDefBackend *b = P->backend;
    uint32_t n = b->nhook;

    SN_PUSH(P->a, b->hook, b->nhook, sn_parse_name(P, name));
    SN_PUSH(P->a, b->hook_fn, n, sn_parse_name(P, fn));
}

void
sn_parse_kernels_of(SnParser *P, SnIds nodes)
{
    SnDefBackend *b = P->backend;

    for (uint32_t i = 0; i < nodes.n; i++) {
        SnDefKernelsOf *o = SN_NEW(P->a, SnDefKernelsOf);
        o->name = nodes.s[i];
        o->pos = nodes.pos[i];
        SN_PUSH(P->a, b->kernels, b->nkernels, o);
    }
    P->nkern = nodes.n;
}
