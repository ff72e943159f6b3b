// SPDX-License-Identifier: Apache-2.0
/* Two rules at one node: which applies?  The order of the file never decides;
 * `prefer` does, or conditions that exclude each other. */
#include <string.h>
#include "dsl/order/order_term.h"

/* ---- preferences ---- */

static uint32_t
rank(const SnDefPass *p, const char *s)
{
    return sn_name_at(p->order, p->norder, s);
}

/* Does y come after x in the preferences?  Gives the first step of the
 * chain. */
static const SnDefPrefer *
behind(SnArena *a, const SnDefPass *p, const char *x, const char *y)
{
    const SnDefPrefer **by = SN_NEW_N(a, const SnDefPrefer *, p->nstep + 1);
    const char **open = SN_NEW_N(a, const char *, p->nstep + 1);
    uint32_t n = 0;

    open[n++] = x;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < p->nprefer; k++) {
            const SnDefPrefer *f = p->prefer[k];
            if (!sn_name_among(f->a, f->na, open[i]))
                continue;
            for (uint32_t j = 0; j < f->nb; j++) {
                if (sn_name_among(open, n, f->b[j]) || n > p->nstep)
                    continue;
                by[n] = i ? by[i] : f;
                if (!strcmp(f->b[j], y))
                    return by[n];
                open[n++] = f->b[j];
            }
        }
    return NULL;
}

SnDecided
sn_order_rule_decided(SnArena *a, const SnDefPass *p, const char *x,
                      const char *y, const SnDefPrefer **by, bool *xfirst)
{
    uint32_t rx = rank(p, x), ry = rank(p, y);

    *xfirst = true;
    if ((*by = behind(a, p, x, y)))
        return SN_BY_PREFER;
    *xfirst = false;
    if ((*by = behind(a, p, y, x)))
        return SN_BY_PREFER;
    *xfirst = rx < ry;
    return rx == ry ? SN_UNDECIDED : SN_BY_ORDER;
}

/* ---- one left side inside another ---- */

/* Wherever p requires a single use, so does the term it matches. */
static bool
once_too(const SnOrderTerm *p)
{
    const SnOrderTerm *t = p->match;

    if (p->once && t && !t->once)
        return false;
    for (uint32_t i = 0; i < p->narg; i++)
        if (!once_too(p->arg[i]))
            return false;
    return true;
}

static bool
about_types(const SnExpr *e)
{
    return e && (e->ek == SN_E_IN ||
                 (e->ek == SN_E_BIN && e->op == SN_OP_EQ &&
                  (e->kid[0]->rk == SN_R_TYPE || e->kid[1]->rk == SN_R_TYPE)));
}

/* Does p apply wherever q does? */
static bool
takes_all(SnOrder *c, SnOrderRule *p, SnOrderRule *q)
{
    SnLit *pl, *ql;

    if (p->derive || q->derive || p->rule->optin || p->rule->requires)
        return false;
    bool ok = sn_order_term_match(c, p->lhs, q->lhs) && once_too(p->lhs);
    if (ok) {
        uint32_t np = sn_order_rule_lits(c, p, &pl),
                 nq = sn_order_rule_lits(c, q, &ql);
        for (uint32_t i = 0; i < np && ok; i++)
            ok = sn_lits_imply(ql, nq, pl[i]) || about_types(pl[i].e);
    }
    sn_order_term_unmatch(p->lhs);
    return ok;
}

/* ---- messages ---- */

static const char *
rule_name(const SnOrder *c, const SnOrderRule *r)
{
    if (!r->derive)
        return sn_format(c->a, "'%s'", r->name);
    if (r->port < r->node->nin)
        return sn_format(c->a, "'%s' (derived, %s.%s)", r->name, r->node->name,
                         r->node->in[r->port]->name);
    return sn_format(c->a, "'%s' (derived, %s)", r->name, r->node->name);
}

static const char *
a_type(const SnOrder *c, uint32_t elems)
{
    static const SnDefConc want[] = {{SN_QI8, -1},  {SN_F32, -1}, {SN_QI16, -1},
                                     {SN_QI32, -1}, {SN_QI8, 0},  {SN_QI32, 0},
                                     {SN_I64, -1},  {SN_I32, -1}, {SN_I8, -1},
                                     {SN_BOOL, -1}, {SN_F16, -1}};

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        if (!(elems & sn_order_term_bit(want[i])))
            continue;
        for (uint32_t k = 0; k < c->defs->ntype; k++) {
            const SnDefType *t = c->defs->type[k];
            if (t->nconc == 1 && sn_conc_equal(t->conc[0], want[i]))
                return sn_format(c->a, "%s%s", t->name,
                                 sn_conc_quant(want[i]) ? "(0.1,0)" : "");
        }
        return sn_conc_quant(want[i]) ? "i8" : sn_elem_words[want[i].elem].word;
    }
    return "_";
}

typedef struct Seen {
    const SnOrderTerm *t;
    const char *name;
} Seen;

static void
put_values(SnOrder *c, SnBuf *b, const SnOrderRule *r, bool captures,
           Seen *seen, uint32_t *n)
{
    for (uint32_t i = 0; r->rule && i < r->rule->nvar; i++) {
        const SnDefVar *v = r->rule->var[i];
        SnOrderTerm *t = r->var[i] ? sn_order_term_get(r->var[i]) : NULL;
        bool old = !t || (v->vk == SN_V_NODE) != captures || *n == 16;
        for (uint32_t k = 0; k < *n && !old; k++)
            old = seen[k].t == t || !strcmp(seen[k].name, v->name);
        if (old || t->elems == SN_ORDER_TERM_ABSENT)
            continue;
        seen[(*n)++] = (Seen){t, v->name};
        sn_putf(b, "%s%s:%s", b->n ? ", " : "", v->name, a_type(c, t->elems));
    }
}

static void
put_settings(SnOrder *c, SnBuf *b, const SnOrderRule *r)
{
    for (uint32_t i = 0; i < r->nguard; i++) {
        const SnExpr *e = r->guard[i];
        if (sn_order_rule_lit(r, e).value && e->kid[0]->ek == SN_E_MEMBER &&
            e->kid[0]->word != SN_W_TYPE)
            sn_putf(b, ", %s = %s", sn_expr_str(c->a, e->kid[0]),
                    sn_expr_str(c->a, e->kid[1]));
    }
}

static const char *
example(SnOrder *c, const SnOrderRule *a, const SnOrderRule *b)
{
    Seen seen[16];
    uint32_t n = 0;
    SnBuf s;

    sn_buf_init(&s, c->a);
    for (int k = 0; k < 2; k++) {
        put_values(c, &s, a, k, seen, &n);
        put_values(c, &s, b, k, seen, &n);
    }
    put_settings(c, &s, a);
    put_settings(c, &s, b);
    return s.n ? sn_buf_str(&s) : "any";
}

static bool
later(const SnOrderRule *a, const SnOrderRule *b)
{
    if (a->derive || b->derive)
        return b->derive != NULL;
    return a->pos.line > b->pos.line ||
           (a->pos.line == b->pos.line && a->pos.col > b->pos.col);
}

static uint32_t
makes(SnOrder *c, const SnOrderRule *r)
{
    uint64_t *all = sn_order_set(c, NULL);

    for (uint32_t i = 0; i < c->nword; i++)
        all[i] = UINT64_MAX;
    return r->nrhs ? sn_order_take(c, all, r).made : UINT32_MAX;
}

/* a, b: unified copies of p, q. */
static void
ambiguous(SnOrder *c, SnOrderRule *p, SnOrderRule *q, const SnOrderRule *a,
          const SnOrderRule *b)
{
    const SnOrderRule *last = later(p, q) ? p : q, *first = last == p ? q : p;
    uint32_t np = makes(c, p), nq = makes(c, q);
    /* The rule that makes less, or requires more, is the better one. */
    const SnOrderRule *best = p->derive ? q : q->derive ? p : first;

    if (p->nguard != q->nguard)
        best = p->nguard > q->nguard ? p : q;
    if (np != nq)
        best = np < nq ? p : q;
    sn_error(c->d, last->pos, "SN501", "rules %s and %s both match %s",
             rule_name(c, first), rule_name(c, last),
             sn_order_term_str(c, a->lhs));
    sn_diag_span(c->d, first->pos, "%s",
                 first->derive ? "derived here" : "the other rule");
    sn_diag_line(c->d, "overlap example: %s", example(c, a, b));
    sn_diag_help(c->d, "prefer %s over %s \"...\";", best->name,
                 best == p ? q->name : p->name);
}

static void
dead(SnOrder *c, const SnOrderRule *r, const SnOrderRule *by)
{
    sn_error(c->d, r->pos, "SN502",
             "rule '%s' can never fire: every match is taken by '%s' (line "
             "%u), whose guard is %s",
             r->name, by->name, by->pos.line,
             by->nguard < r->nguard ? "weaker" : "no stronger");
    sn_diag_span(c->d, by->pos, "the rule that is tried first");
}

static void
duplicate(SnOrder *c, const SnOrderRule *r, const SnOrderRule *of)
{
    sn_error(c->d, r->pos, "SN505",
             "rules '%s' and '%s' have the same left side and condition",
             of->name, r->name);
    sn_diag_span(c->d, of->pos, "the first");
    sn_diag_help(c->d, "remove one of them");
}

/* One of the two never fires: true if that was reported. */
static bool
hidden(SnOrder *c, const SnDefPass *p, SnOrderRule *x, SnOrderRule *y)
{
    const SnDefPrefer *by;
    bool xfirst, xall = takes_all(c, x, y), yall = takes_all(c, y, x);

    if (xall && yall) {
        duplicate(c, later(x, y) ? x : y, later(x, y) ? y : x);
        return true;
    }
    SnDecided how =
        sn_order_rule_decided(c->a, p, x->name, y->name, &by, &xfirst);
    if (how == SN_UNDECIDED || !(xfirst ? xall : yall))
        return false;
    dead(c, xfirst ? y : x, xfirst ? x : y);
    return true;
}

/* Both may match and nothing decides: true if that was reported. */
static bool
undecided(SnOrder *c, const SnDefPass *p, SnOrderRule *x, SnOrderRule *y)
{
    const SnDefPrefer *by;
    bool xfirst;
    SnLit *al, *bl;

    if (sn_order_rule_decided(c->a, p, x->name, y->name, &by, &xfirst) !=
        SN_UNDECIDED)
        return false;
    SnOrderRule *a = sn_order_rule_copy(c, x), *b = sn_order_rule_copy(c, y);
    if (!sn_order_term_unify(c, a->lhs, b->lhs) ||
        !sn_order_rule_assume(c, a) || !sn_order_rule_assume(c, b))
        return false;
    uint32_t na = sn_order_rule_lits(c, a, &al),
             nb = sn_order_rule_lits(c, b, &bl);
    if (sn_lits_disjoint(al, na, bl, nb))
        return false;
    ambiguous(c, x, y, a, b);
    return true;
}

void
sn_order_overlap(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n)
{
    bool *said = SN_NEW_N(c->a, bool, (size_t)p->nstep * p->nstep + 1);

    for (int phase = 0; phase < 2; phase++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++) {
                uint32_t at = v[i]->step * p->nstep + v[j]->step;
                if (v[i]->step == v[j]->step || said[at] ||
                    (v[i]->derive && v[j]->derive) ||
                    !sn_order_term_may(c, v[i]->lhs, v[j]->lhs))
                    continue;
                said[at] = phase == 0 ? hidden(c, p, v[i], v[j])
                                      : undecided(c, p, v[i], v[j]);
            }
}
