// SPDX-License-Identifier: Apache-2.0
/* The resolver's driver, lookups, messages about names, and types. */
#include "dsl/resolve/resolve.h"

#include <string.h>

/* ---- lookups ---- */

#define PLAIN(n, e)                                  \
    {                                                \
        .name = n, .nconc = 1, .conc = (SnDefConc[]) \
        {                                            \
            {                                        \
                e, -1                                \
            }                                        \
        }                                            \
    }

/* Types that need no declaration. */
static const SnDefType builtin[] = {
    PLAIN("f32", SN_DE_F32), PLAIN("f16", SN_DE_F16), PLAIN("i8", SN_DE_I8),
    PLAIN("i32", SN_DE_I32), PLAIN("i64", SN_DE_I64), PLAIN("bool", SN_DE_BOOL),
};
enum { NBUILTIN = sizeof builtin / sizeof *builtin };

const SnDefNode *
sn_def_node(const SnDefs *defs, const char *name)
{
    for (uint32_t i = 0; name && i < defs->nnode; i++)
        if (!strcmp(defs->node[i]->name, name))
            return defs->node[i];
    return NULL;
}

const SnDefType *
sn_def_type(const SnDefs *defs, const char *name)
{
    for (uint32_t i = 0; name && i < NBUILTIN; i++)
        if (!strcmp(builtin[i].name, name))
            return &builtin[i];
    for (uint32_t i = 0; name && i < defs->ntype; i++)
        if (!strcmp(defs->type[i]->name, name))
            return defs->type[i];
    return NULL;
}

const SnDefAttr *
sn_def_attr(const SnDefNode *n, const char *name)
{
    for (uint32_t i = 0; name && i < n->nall; i++)
        if (!strcmp(n->all[i]->name, name))
            return n->all[i];
    return NULL;
}

const SnDefPort *
sn_def_port(const SnDefNode *n, const char *name)
{
    for (uint32_t i = 0; name && i < n->nin; i++)
        if (!strcmp(n->in[i]->name, name))
            return n->in[i];
    for (uint32_t i = 0; name && i < n->nout; i++)
        if (!strcmp(n->out[i]->name, name))
            return n->out[i];
    return NULL;
}

const SnDefClass *
sn_rs_class(const SnDefs *defs, const char *name)
{
    for (uint32_t i = 0; name && i < defs->nclass; i++)
        if (!strcmp(defs->cls[i]->name, name))
            return defs->cls[i];
    return NULL;
}

/* ---- messages about names ---- */

SnCands
sn_cands(SnRs *rs)
{
    return (SnCands){.a = rs->a};
}

void
sn_cands_add(SnCands *v, const char *s, const SnPos *at)
{
    SN_PUSH(v->a, v->s, v->n, s);
    SN_PUSH(v->a, v->at, v->nat, at);
}

const char *
sn_rs_at(SnRs *rs, SnPos at)
{
    const char *name = at.src ? at.src->name : "";
    const char *slash = strrchr(name, '/');

    return sn_format(rs->a, "%s:%u", slash ? slash + 1 : name, at.line);
}

void
sn_rs_unknown(SnRs *rs, SnPos at, const char *what, const char *name,
              const char *of, const SnCands *v)
{
    const char *best = v->n ? sn_closest(name, v->s, v->n) : NULL;

    sn_error(rs->d, at, "SN101", "unknown %s '%s'%s%s", what, name,
             of ? " of " : "", of ? of : "");
    if (!best)
        return;
    for (size_t i = 0; i < v->n; i++)
        if (!strcmp(v->s[i], best)) {
            if (v->at[i] && v->at[i]->src)
                sn_diag_help(rs->d, "did you mean '%s' (%s)?", best,
                             sn_rs_at(rs, *v->at[i]));
            else
                sn_diag_help(rs->d, "did you mean '%s'?", best);
            return;
        }
}

const SnDefNode *
sn_rs_node(SnRs *rs, SnPos at, const char *name)
{
    const SnDefNode *n = sn_def_node(rs->defs, name);
    SnCands v = sn_cands(rs);

    if (n)
        return n;
    for (uint32_t i = 0; i < rs->defs->nnode; i++)
        sn_cands_add(&v, rs->defs->node[i]->name, &rs->defs->node[i]->pos);
    sn_rs_unknown(rs, at, "node", name, NULL, &v);
    return NULL;
}

const SnDefType *
sn_rs_type(SnRs *rs, SnPos at, const char *name)
{
    const SnDefType *t = sn_def_type(rs->defs, name);
    SnCands v = sn_cands(rs);

    if (t)
        return t;
    for (uint32_t i = 0; i < rs->defs->ntype; i++)
        sn_cands_add(&v, rs->defs->type[i]->name, &rs->defs->type[i]->pos);
    for (uint32_t i = 0; i < NBUILTIN; i++)
        sn_cands_add(&v, builtin[i].name, NULL);
    sn_rs_unknown(rs, at, "type", name, NULL, &v);
    return NULL;
}

void
sn_rs_twice(SnRs *rs, SnPos at, const char *what, const char *name, SnPos first)
{
    sn_error(rs->d, at, "SN103", "%s '%s' is declared twice", what, name);
    if (first.src)
        sn_diag_span(rs->d, first, "first here");
}

const char *
sn_conc_str(const SnRs *rs, SnDefConc c)
{
    static const char *const word[] = {
        "f32",       "f16", "quant(i8)", "quant(i16)", "quant(i32)",
        "fused(u8)", "i8",  "i32",       "i64",        "bool"};

    if (c.elem == SN_DE_ABSENT)
        return "_";
    for (uint32_t i = 0; i < rs->defs->ntype; i++) {
        const SnDefType *t = rs->defs->type[i];
        if (t->nconc == 1 && sn_conc_equal(t->conc[0], c))
            return t->name;
    }
    return word[c.elem];
}

/* ---- types ---- */

static SnDefElem
quant_elem(const char *s)
{
    static const struct {
        const char *s;
        SnDefElem e;
    } v[] = {{"i8", SN_DE_QI8}, {"i16", SN_DE_QI16}, {"i32", SN_DE_QI32}};

    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (!strcmp(v[i].s, s))
            return v[i].e;
    return SN_DE_ABSENT;
}

/* quant(i8 [, axis = n]) or fused(u8). */
static bool
type_call(SnRs *rs, const SnExpr *e, SnDefConc *c)
{
    const SnExpr *k = e->nkid ? e->kid[0] : NULL;

    *c = (SnDefConc){SN_DE_ABSENT, -1};
    if (k && k->ek == SN_E_NAME && !strcmp(e->s, "quant"))
        c->elem = (int8_t)quant_elem(k->s);
    if (k && k->ek == SN_E_NAME && !strcmp(e->s, "fused") && e->nkid == 1 &&
        !strcmp(k->s, "u8"))
        c->elem = SN_DE_ROW8;
    if (e->nkid == 2) {
        const SnExpr *x = e->kid[1];
        if (x->ek == SN_E_ARG && !strcmp(x->s, "axis") &&
            x->kid[0]->ek == SN_E_INT && x->kid[0]->i < 8)
            c->axis = (int8_t)x->kid[0]->i;
        else
            c->elem = SN_DE_ABSENT;
    }
    if (c->elem != SN_DE_ABSENT && e->nkid <= 2)
        return true;
    sn_error(rs->d, e->pos, "SN104", "'%s' is not a type",
             sn_expr_str(rs->a, e));
    sn_diag_help(rs->d, "quant(i8|i16|i32 [, axis = n]), fused(u8), f32, "
                        "f16, i8, i32, i64 or bool");
    return false;
}

static void
type_add(SnRs *rs, SnDefType *t, SnDefConc c)
{
    for (uint32_t i = 0; i < t->nconc; i++)
        if (sn_conc_equal(t->conc[i], c))
            return;
    SN_PUSH(rs->a, t->conc, t->nconc, c);
}

/* state of each type: 0 new, 1 under way, 2 flat. */
static void
type_flatten(SnRs *rs, uint32_t at, uint8_t *state)
{
    SnDefType *t = rs->defs->type[at];

    state[at] = 1;
    for (uint32_t i = 0; i < t->nalt; i++) {
        const SnExpr *e = t->alt[i];
        SnDefConc c;
        if (e->ek == SN_E_CALL) {
            if (type_call(rs, e, &c))
                type_add(rs, t, c);
            continue;
        }
        const SnDefType *u = sn_rs_type(rs, e->pos, e->s);
        for (uint32_t j = 0; u && j < rs->defs->ntype; j++) {
            if (rs->defs->type[j] != u)
                continue;
            if (state[j] == 1)
                sn_error(rs->d, e->pos, "SN104", "type '%s' contains itself",
                         u->name);
            if (state[j] == 0)
                type_flatten(rs, j, state);
        }
        for (uint32_t j = 0; u && j < u->nconc; j++)
            type_add(rs, t, u->conc[j]);
    }
    state[at] = 2;
}

static void
types(SnRs *rs)
{
    SnDefs *p = rs->defs;

    for (uint32_t i = 0; i < p->ntype; i++) {
        const SnDefType *t = sn_def_type(p, p->type[i]->name);
        if (t != p->type[i])
            sn_rs_twice(rs, p->type[i]->pos, "type", p->type[i]->name, t->pos);
    }
    uint8_t *state = SN_NEW_N(rs->a, uint8_t, p->ntype);
    for (uint32_t i = 0; i < p->ntype; i++)
        if (state[i] == 0)
            type_flatten(rs, i, state);
}

/* ---- driver ---- */

static void
number_nodes(SnRs *rs)
{
    SnDefs *p = rs->defs;

    for (uint32_t i = 0; i < p->nnode; i++) {
        SnDefNode *n = p->node[i];
        n->kind = i + 1;
        const SnDefNode *first = sn_def_node(p, n->name);
        if (first != n) {
            sn_rs_twice(rs, n->pos, "node", n->name, first->pos);
            rs->bad_node[n->kind] = true;
        }
    }
}

void
sn_def_resolve(SnDefs *defs, SnDiag *d)
{
    SnRs rs = {.defs = defs, .d = d, .a = defs->arena};
    uint32_t n = defs->nnode + defs->nrefine + 1;

    rs.bad_node = SN_NEW_N(rs.a, bool, n);
    rs.visit = SN_NEW_N(rs.a, uint8_t, n);
    number_nodes(&rs);
    types(&rs);
    sn_rs_nodes(&rs);
    sn_rs_classes(&rs);
    sn_rs_backends(&rs);
    sn_rs_passes(&rs);
    sn_rs_pipelines(&rs);
    sn_rs_backends_made(&rs);
    sn_rs_plugin(&rs);
    if (!sn_diag_nerror(d))
        sn_rs_refines_join(&rs);
}
