// SPDX-License-Identifier: Apache-2.0
/* Declarations converted back to text, as they would be written: for the
 * comments above generated functions, for reference.md and for messages. */
#include "gen/text/emit.h"

#include <string.h>

static void
put_list(SnBuf *b, SnExpr *const *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            sn_puts(b, ", ");
        sn_put_expr(b, v[i]);
    }
}

static void
put_conc(SnBuf *b, const SnDefs *s, SnDefConc c)
{
    if (c.elem < 0) {
        sn_putc(b, '_');
        return;
    }
    for (uint32_t i = 0; i < s->ntype; i++) {
        const SnDefType *t = s->type[i];
        if (t->nconc == 1 && t->conc[0].elem == c.elem &&
            t->conc[0].axis == c.axis) {
            sn_puts(b, t->name);
            return;
        }
    }
    const char *word = sn_elem_words[c.elem].word;
    if (c.axis >= 0)
        sn_putf(b, "%.*s, axis = %d)", (int)strlen(word) - 1, word, c.axis);
    else
        sn_puts(b, word);
}

static void
put_side(SnBuf *b, const SnDefs *s, SnDefPort *const *port, const SnDefConc *c,
         uint32_t n, bool paren)
{
    if (paren)
        sn_putc(b, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            sn_puts(b, ", ");
        put_conc(b, s, c[i]);
        if (port[i]->variadic)
            sn_puts(b, "...");
    }
    if (paren)
        sn_putc(b, ')');
}

void
sn_put_tuple(SnBuf *b, const SnDefs *s, const SnDefNode *n, const SnDefTuple *t)
{
    put_side(b, s, n->in, t->in, n->nin, true);
    sn_puts(b, " -> ");
    put_side(b, s, n->out, t->out, n->nout, n->nout != 1);
}

void
sn_put_sem(SnBuf *b, const SnDefSem *m)
{
    sn_puts(b, m->out_name ? m->out_name : "");
    if (m->formula) {
        sn_puts(b, " = ");
        sn_put_expr(b, m->formula);
    }
    if (m->within)
        sn_putf(b, " within %s", m->within);
    if (m->map) {
        sn_putf(b, " over %s(", m->map);
        put_list(b, m->arg, m->narg);
        sn_putc(b, ')');
    }
    if (m->els) {
        sn_puts(b, " else ");
        sn_put_expr(b, m->els);
    }
    if (m->ties)
        sn_putf(b, " ties %s", m->ties);
    if (m->by)
        sn_putf(b, " by %s", m->by);
    if (m->trusted) {
        sn_puts(b, " trusted ");
        sn_put_quoted(b, m->trusted);
    }
}

void
sn_put_attr_decl(SnBuf *b, const SnDefAttr *at)
{
    sn_putf(b, "%s : %s", at->name, sn_attr_kind_words[at->ty].word);
    if (at->ty == SN_A_INTS || at->ty == SN_A_REALS) {
        sn_putc(b, '[');
        if (at->fixed)
            sn_putf(b, "%u", at->fixed);
        sn_putc(b, ']');
    }
    if (at->ty == SN_A_ENUM) {
        sn_puts(b, " { ");
        for (uint32_t i = 0; i < at->nword; i++)
            sn_putf(b, "%s%s", i ? ", " : "", at->word[i]);
        sn_puts(b, " }");
    }
    if (at->ty == SN_A_RANGE)
        sn_putf(b, "(%s)", at->range_of);
    if (at->def) {
        sn_puts(b, " = ");
        sn_put_expr(b, at->def);
    }
    if (at->where) {
        sn_puts(b, " where ");
        sn_put_expr(b, at->where);
    }
}
