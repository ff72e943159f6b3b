// SPDX-License-Identifier: Apache-2.0
/* Cases as text: shapes and attributes, and reads outside an operand. */
#include "dsl/prove/trial/case.h"

#include <inttypes.h>

void
sn_case_put_dims(SnBuf *b, const SnCaseValue *v)
{
    for (int k = 0; k < v->rank; k++)
        sn_putf(b, "%s%" PRId64, k ? "," : "[", v->dim[k]);
    sn_puts(b, v->rank > 0 ? "]" : "[]");
}

/* Is it a number, word or list to be written, and not the default? */
static bool
is_told(SnProofCase *c, const SnDefAttr *a, const SnExprValue *v)
{
    if (a->ty != SN_A_INT && a->ty != SN_A_REAL && a->ty != SN_A_BOOL &&
        a->ty != SN_A_ENUM && !v->list)
        return false;
    if (!a->def)
        return true;
    SnExprValue d = sn_case_expr(c, a->def);
    if (!v->list)
        return d.r != v->r;
    for (uint32_t j = 0; j < v->n && j < d.n; j++)
        if (d.list[j] != v->list[j])
            return true;
    return d.n != v->n;
}

void
sn_case_put_attrs(SnBuf *b, SnProofCase *c, const SnCaseNode *n)
{
    const char *open = " {";

    for (uint32_t k = 0; k < n->n->nall; k++) {
        const SnDefAttr *a = n->n->all[k];
        const SnExprValue *v = &n->attr[k];
        if (!is_told(c, a, v))
            continue;
        sn_putf(b, "%s%s = ", open, a->name);
        open = ", ";
        if (v->list) {
            sn_putc(b, '[');
            for (uint32_t j = 0; j < v->n; j++)
                sn_putf(b, "%s%.9g", j ? "," : "", v->list[j]);
            sn_putc(b, ']');
        } else if (a->ty == SN_A_ENUM && v->r >= 0 && v->r < a->nword) {
            sn_puts(b, a->word[(uint32_t)v->r]);
        } else if (a->ty == SN_A_BOOL) {
            sn_puts(b, v->r != 0 ? "true" : "false");
        } else {
            sn_putf(b, "%.9g", v->r);
        }
    }
    sn_puts(b, *open == ',' ? "}" : "");
}

void
sn_case_say_outside(SnProofCase *c)
{
    const SnCaseNode *n = c->outside.n;
    SnProver *pv = c->pv;
    SnDefs *s = pv->defs;
    uint32_t i = 0;
    SnBuf b;

    if (!n)
        return;
    const SnDefMap *m = sn_case_sem(n)->decl;
    while (i < s->nmap && s->map[i] != m)
        i++;
    if (!pv->outside)
        pv->outside = SN_NEW_N(pv->a, bool, s->nmap + 1);
    if (pv->outside[i])
        return;
    pv->outside[i] = true;
    sn_buf_init(&b, c->a);
    sn_case_put_dims(&b, c->outside.x);
    sn_case_put_attrs(&b, c, n);
    sn_error(pv->d, m->pos, "SN186",
             "map %s reads outside of %s, and no 'else' says what then: %s "
             "on %s",
             m->name, m->decl->param[c->outside.param].name, n->n->name,
             sn_buf_str(&b));
    sn_diag_help(pv->d, "require sizes that fit, or write 'else skip' or "
                        "'else fill' behind the read");
}
