// SPDX-License-Identifier: Apache-2.0
/* Nodes: forms are merged in, then each part is resolved by its own file. */
#include <string.h>
#include "dsl/resolve/resolver.h"

static const char *const c_word[] = {
    "auto",     "break",    "case",     "char",   "const",      "continue",
    "default",  "do",       "double",   "else",   "enum",       "extern",
    "float",    "for",      "goto",     "if",     "inline",     "int",
    "long",     "register", "restrict", "return", "short",      "signed",
    "sizeof",   "static",   "struct",   "switch", "typedef",    "union",
    "unsigned", "void",     "volatile", "while",  "calibrated", "bool",
    "true",     "false",
};

static void
port_copy(SnResolver *rs, SnDefPort ***v, uint32_t *n, SnDefPort *const *from,
          uint32_t nfrom)
{
    *v = SN_NEW_N(rs->a, SnDefPort *, nfrom);
    *n = nfrom;
    for (uint32_t i = 0; i < nfrom; i++) {
        SnDefPort *p = sn_memdup(rs->a, from[i], sizeof *p);
        p->scale = sn_expr_clone(rs->a, p->scale);
        p->zp = sn_expr_clone(rs->a, p->zp);
        (*v)[i] = p;
    }
}

static void
split_ports(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nport; i++) {
        SnDefPort *p = n->port[i];
        p->index = p->out ? n->nout : n->nin;
        if (p->out && p->variadic) {
            sn_error(rs->d, p->pos, "SN121",
                     "result '%s' of %s cannot be variadic", p->name, n->name);
            rs->bad_node[n->kind] = true;
        }
        if (p->out)
            SN_PUSH(rs->a, n->out, n->nout, p);
        else
            SN_PUSH(rs->a, n->in, n->nin, p);
    }
    uint32_t nvar = 0;
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i]->variadic && ++nvar == 2) {
            sn_error(rs->d, n->in[i]->pos, "SN121",
                     "%s has a second variadic operand, '%s'", n->name,
                     n->in[i]->name);
            rs->bad_node[n->kind] = true;
        }
    if (n->nin > 32 || n->nout > 32) {
        sn_error(rs->d, n->pos, "SN121", "%s has more than 32 %s", n->name,
                 n->nin > 32 ? "operands" : "results");
        rs->bad_node[n->kind] = true;
    }
}

/* Ports and attributes share one space of names: both are written n.name. */
static void
check_names(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nport + n->nattr; i++) {
        bool is_port = i < n->nport;
        const char *name =
            is_port ? n->port[i]->name : n->attr[i - n->nport]->name;
        SnPos at = is_port ? n->port[i]->pos : n->attr[i - n->nport]->pos;
        const char *what = is_port ? "port" : "attribute";
        for (uint32_t j = 0; j < i; j++) {
            bool q = j < n->nport;
            if (strcmp(name,
                       q ? n->port[j]->name : n->attr[j - n->nport]->name))
                continue;
            sn_resolve_twice(rs, at, what, name,
                             q ? n->port[j]->pos : n->attr[j - n->nport]->pos);
            rs->bad_node[n->kind] = true;
            break;
        }
        if (sn_name_among(c_word, sizeof c_word / sizeof *c_word, name)) {
            sn_error(rs->d, at, "SN127", "%s '%s' of %s: that word is taken",
                     what, name, n->name);
            rs->bad_node[n->kind] = true;
        }
    }
}

static void
merge_attrs(SnResolver *rs, SnDefNode *n)
{
    uint32_t k = 0, nbase = n->base ? n->base->nall : 0;

    n->all = SN_NEW_N(rs->a, SnDefAttr *, nbase + n->nattr);
    for (uint32_t i = 0; i < nbase; i++) {
        SnDefAttr *a = sn_memdup(rs->a, n->base->all[i], sizeof *a);
        a->def = sn_expr_clone(rs->a, a->def);
        a->where = sn_expr_clone(rs->a, a->where);
        n->all[k++] = a;
    }
    n->nall = nbase;
    for (uint32_t i = 0; i < n->nattr; i++) {
        const SnDefAttr *was = sn_def_attr(n, n->attr[i]->name);
        const SnDefPort *port = sn_def_port(n, n->attr[i]->name);
        if (i < n->nattr && (was || (n->base && port))) {
            bool own = false; /* reported by check_names */
            for (uint32_t j = 0; j < i; j++)
                own |= was == n->attr[j];
            if (!own)
                sn_resolve_twice(rs, n->attr[i]->pos, "attribute",
                                 n->attr[i]->name, was ? was->pos : port->pos);
            rs->bad_node[n->kind] = true;
            continue;
        }
        n->attr[i]->index = k;
        n->all[k++] = n->attr[i];
        n->nall = k;
    }
    n->nall = k;
}

static void
merge_form(SnResolver *rs, SnDefNode *n)
{
    if (n->nport || n->nsem) {
        SnPos at = n->nport ? n->port[0]->pos : n->sem[0]->pos;
        sn_error(rs->d, at, "SN122", "%s is a form of %s and keeps its %s",
                 n->name, n->base->name, n->nport ? "ports" : "meaning");
        sn_diag_help(rs->d, "node %s { ... } declares a node of its own",
                     n->name);
        rs->bad_node[n->kind] = true;
    }
    port_copy(rs, &n->in, &n->nin, n->base->in, n->base->nin);
    port_copy(rs, &n->out, &n->nout, n->base->out, n->base->nout);
}

static void resolve_node(SnResolver *rs, SnDefNode *n);

/* False when n cannot be looked at further. */
static bool
find_base(SnResolver *rs, SnDefNode *n)
{
    if (!n->form_of)
        return true;
    const SnDefNode *b = sn_resolve_node(rs, n->form_pos, n->form_of);
    if (!b)
        return false;
    if (rs->visit[b->kind] == 1) {
        sn_error(rs->d, n->form_pos, "SN122", "%s is a form of itself",
                 n->name);
        return false;
    }
    resolve_node(rs, rs->defs->node[b->kind - 1]);
    n->base = b;
    return !sn_resolve_bad(rs, b);
}

static void
check_effect(SnResolver *rs, SnDefNode *n)
{
    if (n->base && n->base->has_effect)
        n->has_effect = true;
    for (uint32_t i = 0; i < n->neffect; i++) {
        n->has_effect = true;
        if (sn_word_named(n->effect[i]) == SN_W_IO)
            continue;
        sn_error(rs->d, n->pos, "SN101", "unknown effect '%s' of %s",
                 n->effect[i], n->name);
        sn_diag_help(rs->d, "effect io;");
    }
}

static void
resolve_node(SnResolver *rs, SnDefNode *n)
{
    if (rs->visit[n->kind])
        return;
    rs->visit[n->kind] = 1;
    n->comm[0] = n->comm[1] = -1;
    if (!find_base(rs, n))
        rs->bad_node[n->kind] = true;
    check_names(rs, n);
    if (n->base)
        merge_form(rs, n);
    else
        split_ports(rs, n);
    merge_attrs(rs, n);
    check_effect(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_tuples(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_attrs(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_sems(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_facts(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_members(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_meaning(rs, n);
    if (!rs->bad_node[n->kind]) {
        sn_resolve_kernels(rs, n, n->kernel, n->nkernel);
        sn_resolve_family(rs, n);
    }
    rs->visit[n->kind] = 2;
}

void
sn_resolve_as_form(SnResolver *rs, SnDefNode *n)
{
    resolve_node(rs, n);
}

void
sn_resolve_nodes(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        SnDefNode *n = rs->defs->node[i];
        resolve_node(rs, n);
        sn_resolve_onnx_alone(rs, n);
    }
}
