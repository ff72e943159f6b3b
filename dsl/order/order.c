// SPDX-License-Identifier: Apache-2.0
#include "dsl/order/order.h"
#include "dsl/order/order_term.h"
#include <string.h>

static SnOrder
context(SnDefs *defs, SnDiag *d)
{
    SnOrder c = {.defs = defs,
                 .d = d,
                 .a = sn_arena_new(),
                 .nword = defs->nnode / 64 + 1};

    for (uint32_t i = 0; i < defs->nnode; i++) {
        const SnDefNode *n = defs->node[i];
        /* Data: no operand, no attribute, no effect. */
        if (n->nin == 0 && n->nall == 0 && n->nout == 1 && !n->has_effect &&
            !c.constant)
            c.constant = n;
    }
    for (uint32_t i = 0; i < defs->nderive; i++) {
        const char *w = defs->derive[i]->what;
        const SnDefNode *n = w ? sn_def_node(defs, w) : NULL;
        if (n && sn_order_term_convert(n) && !c.rescale)
            c.rescale = n;
    }
    return c;
}

static void
order_pass(SnOrder *c, SnDefPass *p)
{
    SnMeasures m;
    SnOrderRule **v;
    uint32_t n = sn_order_rule_all(c, p, &v);
    unsigned nerror = sn_diag_nerror(c->d);

    sn_order_copies(c, v, n);
    sn_order_end(c, p, v, n, &m);
    sn_order_overlap(c, p, v, n);
    if (sn_diag_nerror(c->d) == nerror)
        p->worklist |= !sn_order_sweep(c, p, v, n);
}

/* The same checks with the facts that r's backend narrows: a family may then
 * include further nodes. */
static void
order_on(SnDefs *defs, SnDiag *d, const SnDefRefined *r)
{
    SnDiag *own = sn_diag_new(defs->arena);

    sn_def_view(defs, r->backend);
    SnOrder c = context(defs, own);
    for (uint32_t i = 0; i < defs->npass; i++)
        if (!defs->pass[i]->backend || defs->pass[i]->backend == r->backend)
            order_pass(&c, defs->pass[i]);
    sn_def_view(defs, NULL);
    sn_arena_free(c.a);
    if (!sn_diag_nerror(own))
        return;
    const char *why = sn_diag_text(own, defs->arena);
    size_t n = strcspn(why, "\n");
    const char *msg = strstr(why, "]: ");
    msg = msg && msg < why + n ? msg + 3 : why;
    sn_error(d, r->pos, "SN604",
             "with the facts that %s refines, the passes may no longer end: "
             "%.*s",
             r->backend->name, (int)(why + n - msg), msg);
}

void
sn_def_order(SnDefs *defs, SnDiag *d)
{
    SnOrder c = context(defs, d);

    for (uint32_t i = 0; i < defs->npass; i++)
        order_pass(&c, defs->pass[i]);
    sn_arena_free(c.a);
    for (uint32_t i = 0; i < defs->nrefined && !sn_diag_nerror(d); i++)
        if (i == 0 ||
            defs->refined[i]->backend != defs->refined[i - 1]->backend)
            order_on(defs, d, defs->refined[i]);
}

/* ---- the report ---- */

/* Instances of a family that decrease the same measure share a line. */
static void
put_measures(SnBuf *b, SnOrderRule *const *v, uint32_t n, const SnMeasures *m)
{
    bool *done = SN_NEW_N(b->a, bool, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t k = i; k < n && !done[i]; k++)
            if (v[k]->step == v[i]->step && m->by[k] && m->by[i] &&
                !strcmp(m->by[k], m->by[i])) {
                done[k] |= k > i;
                count += v[k]->derive != NULL;
            }
        if (done[i])
            continue;
        sn_putf(b, "    %-24s %s", v[i]->name,
                m->by[i] && *m->by[i] ? m->by[i] : "not shown");
        if (count > 1)
            sn_putf(b, " (%u instances)", count);
        sn_putc(b, '\n');
    }
}

void
sn_order_report(SnDefs *defs, SnDiag *d, SnBuf *b)
{
    SnOrder c = context(defs, d);
    SnDiag *own = sn_diag_new(c.a); /* already reported by sn_def_order */

    for (uint32_t i = 0; i < defs->npass; i++) {
        const SnDefPass *p = defs->pass[i];
        SnMeasures m;
        SnOrderRule **v;
        uint32_t n = sn_order_rule_all(&c, p, &v);
        if (!n)
            continue;
        c.d = own;
        sn_order_end(&c, p, v, n, &m);
        sn_putf(b, "pass %s%s%s: %s\n  ends, because this falls:\n", p->name,
                p->backend ? " of " : "", p->backend ? p->backend->name : "",
                p->worklist ? "worklist" : "one sweep");
        put_measures(b, v, n, &m);
        c.d = d;
        sn_order_pairs(&c, p, v, n, b);
        sn_putc(b, '\n');
    }
    sn_arena_free(c.a);
}
