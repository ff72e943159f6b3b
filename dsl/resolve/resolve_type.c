// SPDX-License-Identifier: Apache-2.0
/* Type declarations: alternatives flattened to concrete types. */
#include "dsl/resolve/resolver.h"

#include <string.h>

/* quant(i8 [, axis = n]) or fused(u8). */
static bool
type_call(SnResolver *rs, const SnExpr *e, SnDefConc *c)
{
    const SnExpr *k = e->nkid ? e->kid[0] : NULL;

    *c = (SnDefConc){SN_ABSENT, -1};
    if (k && k->ek == SN_E_NAME &&
        (e->fn == SN_FN_QUANT || (e->fn == SN_FN_FUSED && e->nkid == 1)))
        c->elem = (int8_t)sn_elem_declared(
            sn_format(rs->a, "%s(%s)", sn_fns[e->fn].word, k->s));
    if (e->nkid == 2) {
        const SnExpr *x = e->kid[1];
        if (x->ek == SN_E_ARG && x->word == SN_W_AXIS &&
            x->kid[0]->ek == SN_E_INT && x->kid[0]->i < 8)
            c->axis = (int8_t)x->kid[0]->i;
        else
            c->elem = SN_ABSENT;
    }
    if (c->elem != SN_ABSENT && e->nkid <= 2)
        return true;
    sn_error(rs->d, e->pos, "SN104", "'%s' is not a type",
             sn_expr_str(rs->a, e));
    sn_diag_help(rs->d, "quant(i8|i16|i32 [, axis = n]), fused(u8), f32, "
                        "f16, i8, i32, i64 or bool");
    return false;
}

static void
type_add(SnResolver *rs, SnDefType *t, SnDefConc c)
{
    for (uint32_t i = 0; i < t->nconc; i++)
        if (sn_conc_equal(t->conc[i], c))
            return;
    SN_PUSH(rs->a, t->conc, t->nconc, c);
}

/* state of each type: 0 new, 1 in progress, 2 flat. */
static void
type_flatten(SnResolver *rs, uint32_t at, uint8_t *state)
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
        const SnDefType *u = sn_resolve_type(rs, e->pos, e->s);
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

void
sn_resolve_types(SnResolver *rs)
{
    SnDefs *p = rs->defs;

    for (uint32_t i = 0; i < p->ntype; i++) {
        const SnDefType *t = sn_def_type(p, p->type[i]->name);
        if (t != p->type[i])
            sn_resolve_twice(rs, p->type[i]->pos, "type", p->type[i]->name,
                             t->pos);
    }
    uint8_t *state = SN_NEW_N(rs->a, uint8_t, p->ntype);
    for (uint32_t i = 0; i < p->ntype; i++)
        if (state[i] == 0)
            type_flatten(rs, i, state);
}
