// SPDX-License-Identifier: Apache-2.0
/* Names: lookup of declarations, and messages about names that are unknown or
 * declared twice. */
#include "dsl/resolve/resolver.h"

#include <string.h>
#include "dsl/model/onnx.h"

/* ---- lookups ---- */

#define ELEM(ID, n, w, ...) \
    [SN_##ID] = {.name = w, .nconc = 1, .conc = (SnDefConc[]){{SN_##ID, -1}}},
/* Types that need no declaration; those of codes are declared by them. */
static const SnDefType builtin[SN_NELEM] = {SN_ELEMS(ELEM)};

const SnDefNode *
sn_def_node(const SnDefs *defs, const char *name)
{
    return sn_named(defs->node, defs->nnode, name);
}

const SnDefType *
sn_def_type(const SnDefs *defs, const char *name)
{
    int elem = name ? sn_elem_declared(name) : SN_ABSENT;

    return elem != SN_ABSENT ? &builtin[elem]
                             : sn_named(defs->type, defs->ntype, name);
}

const SnDefMap *
sn_def_map(const SnDefs *defs, const char *name)
{
    return sn_named(defs->map, defs->nmap, name);
}

const SnDefAttr *
sn_def_attr(const SnDefNode *n, const char *name)
{
    return sn_named(n->all, n->nall, name);
}

const SnDefPort *
sn_def_operand(const SnDefNode *n, const char *name)
{
    return sn_named(n->in, n->nin, name);
}

const SnDefPort *
sn_def_port(const SnDefNode *n, const char *name)
{
    const SnDefPort *p = sn_def_operand(n, name);

    return p ? p : sn_named(n->out, n->nout, name);
}

const SnDefFactSrc *
sn_def_fact_line(const SnDefNode *n, const char *port)
{
    for (uint32_t i = 0; i < n->nfact_src; i++)
        if (sn_name_among(n->fact_src[i]->name, n->fact_src[i]->nname, port))
            return n->fact_src[i];
    return NULL;
}

const SnDefClass *
sn_resolve_class(const SnDefs *defs, const char *name)
{
    return sn_named(defs->cls, defs->nclass, name);
}

/* ---- messages about names ---- */

SnCands
sn_cands(SnResolver *rs)
{
    return (SnCands){.a = rs->a};
}

static void
add(SnCands *v, const char *s, const SnPos *at, const char *is)
{
    SN_PUSH(v->a, v->s, v->n, s);
    SN_PUSH(v->a, v->at, v->nat, at);
    SN_PUSH(v->a, v->is, v->nis, is);
}

void
sn_cands_add(SnCands *v, const char *s, const SnPos *at)
{
    add(v, s, at, NULL);
}

const char *
sn_resolve_at(SnResolver *rs, SnPos at)
{
    const char *name = at.src ? at.src->name : "";
    const char *slash = strrchr(name, '/');

    return sn_format(rs->a, "%s:%u", slash ? slash + 1 : name, at.line);
}

void
sn_resolve_unknown(SnResolver *rs, SnPos at, const char *what, const char *name,
                   const char *of, const SnCands *v)
{
    const char *best = v->n ? sn_closest(name, v->s, v->n) : NULL;

    sn_error(rs->d, at, "SN101", "unknown %s '%s'%s%s", what, name,
             of ? " of " : "", of ? of : "");
    for (size_t i = 0; best && i < v->n; i++) {
        if (v->s[i] != best)
            continue;
        const char *is = v->is[i];
        const char *where =
            v->at[i] && v->at[i]->src
                ? sn_format(rs->a, " (%s)", sn_resolve_at(rs, *v->at[i]))
                : "";
        sn_diag_help(rs->d, "did you mean '%s'%s%s%s?", is ? is : best, where,
                     is ? ", which imports ONNX's " : "", is ? best : "");
        return;
    }
}

/* Operators of ONNX by the node that each becomes: by a line of the node, or by
 * a term of only this node. */
static void
add_operators(SnResolver *rs, SnCands *v)
{
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        const SnDefNode *n = rs->defs->node[i];
        for (uint32_t k = 0; k < n->nonnx; k++) {
            const char *colon = strrchr(n->onnx[k]->op, ':');
            add(v, colon ? colon + 1 : n->onnx[k]->op, &n->pos, n->name);
        }
    }
    for (uint32_t i = 0; i < rs->defs->nop; i++) {
        const SnDefOp *o = rs->defs->op[i];
        const SnTerm *t = o->nresult == 1 ? o->result[0] : NULL;
        const SnDefNode *n =
            t && t->tk == SN_T_CALL ? sn_def_node(rs->defs, t->name) : NULL;
        for (uint32_t k = 0; n && k < t->narg; k++)
            if (t->arg[k]->tk != SN_T_VAR)
                n = NULL;
        if (n)
            add(v, o->op, &n->pos, n->name);
    }
}

void
sn_cands_nodes(SnResolver *rs, SnCands *v)
{
    for (uint32_t i = 0; i < rs->defs->nnode; i++)
        sn_cands_add(v, rs->defs->node[i]->name, &rs->defs->node[i]->pos);
    add_operators(rs, v);
}

const SnDefNode *
sn_resolve_node(SnResolver *rs, SnPos at, const char *name)
{
    const SnDefNode *n = sn_def_node(rs->defs, name);
    SnCands v = sn_cands(rs);

    if (n)
        return n;
    sn_cands_nodes(rs, &v);
    sn_resolve_unknown(rs, at, "node", name, NULL, &v);
    return NULL;
}

const SnDefType *
sn_resolve_type(SnResolver *rs, SnPos at, const char *name)
{
    const SnDefType *t = sn_def_type(rs->defs, name);
    SnCands v = sn_cands(rs);

    if (t)
        return t;
    for (uint32_t i = 0; i < rs->defs->ntype; i++)
        sn_cands_add(&v, rs->defs->type[i]->name, &rs->defs->type[i]->pos);
    for (uint32_t i = 0; i < SN_NELEM; i++)
        if (!sn_conc_quant(builtin[i].conc[0]))
            sn_cands_add(&v, builtin[i].name, NULL);
    sn_resolve_unknown(rs, at, "type", name, NULL, &v);
    return NULL;
}

void
sn_resolve_twice(SnResolver *rs, SnPos at, const char *what, const char *name,
                 SnPos first)
{
    sn_error(rs->d, at, "SN103", "%s '%s' is declared twice", what, name);
    if (first.src)
        sn_diag_span(rs->d, first, "first here");
}

const char *
sn_conc_str(const SnResolver *rs, SnDefConc c)
{
    if (c.elem == SN_ABSENT)
        return "_";
    for (uint32_t i = 0; i < rs->defs->ntype; i++) {
        const SnDefType *t = rs->defs->type[i];
        if (t->nconc == 1 && sn_conc_equal(t->conc[0], c))
            return t->name;
    }
    return sn_elem_words[c.elem].word;
}

const char *
sn_resolve_ports(SnResolver *rs, SnDefPort *const *p, uint32_t n, bool optional)
{
    SnBuf b;

    sn_buf_init(&b, rs->a);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(&b, "%s%s%s", i ? ", " : "", p[i]->name,
                p[i]->variadic               ? "..."
                : optional && p[i]->optional ? "?"
                                             : "");
    return sn_buf_str(&b);
}
