// SPDX-License-Identifier: Apache-2.0
/* sn_cases.c: for each rule instance a graph on which it must fire, and for
 * each conjunct of its guard one that fails only this conjunct.
 *
 * Left sides are drawn as the soundness engine draws them
 * (dsl/prove/trial/prove_case.c) and the declared guard is evaluated, conjunct
 * by conjunct; neither the generated matcher nor the routines of the derived
 * families take part.  Of the suitable graphs, the one with the shortest text
 * is taken; of those on which the rule fires also the one whose two sides
 * differ most, which refutes a claim that is too strong. */
#include "gen/case/cases.h"

#include <math.h>
#include <string.h>

enum { NDRAW = 1500, MOREDRAW = 12000, ENOUGH = 6, APART = 60, MAXCONJ = 24 };

/* The best graph so far. */
typedef struct Best {
    const char *s;
    size_t cost;
} Best;

/* A conjunct; e is NULL for an implicit condition of the engine. */
typedef struct Conj {
    const SnExpr *e;
    bool f32;         /* lowering: floats only */
    const SnPat *pat; /* an attribute that the pattern gives ... */
    const SnAsg *asg;
    const char *text;
    uint32_t nmiss;         /* graphs that fail only this one */
    uint32_t nfail;         /* ... fail it at all */
    uint32_t with[MAXCONJ]; /* ... and that conjunct too */
    Best graph;
} Conj;

typedef struct Inst {
    SnProver *pv;
    SnInstance *pr;
    Conj conj[MAXCONJ];
    uint32_t nconj;
    uint32_t nfire, ndraw;
    uint32_t napart; /* graphs whose sides were compared */
    double apart;    /* the largest difference between them */
    Best graph;
    const char *once, *fail, *differs;
} Inst;

/* ---- guards, conjunct by conjunct ---- */

/* x == x, from a pattern that repeats a variable. */
static bool
always(SnArena *a, const SnExpr *e)
{
    return e->ek == SN_E_BIN && e->op == SN_OP_EQ &&
           !strcmp(sn_expr_str(a, e->kid[0]), sn_expr_str(a, e->kid[1]));
}

static void
conjuncts(Inst *in, const SnExpr *e)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        conjuncts(in, e->kid[0]);
        conjuncts(in, e->kid[1]);
        return;
    }
    if (in->nconj == MAXCONJ || always(in->pv->a, e))
        return;
    in->conj[in->nconj++] = (Conj){.e = e, .text = sn_expr_str(in->pv->a, e)};
}

/* {trans_b = true} in a pattern is a condition, too. */
static void
attributes(Inst *in, const SnPat *p)
{
    for (uint32_t i = 0; i < p->nasg && in->nconj < MAXCONJ; i++) {
        const SnAsg *g = &p->asg[i];
        const char *text =
            sn_format(in->pv->a, "%s {%s = %s}", p->name ? p->name : "any",
                      g->name, sn_expr_str(in->pv->a, g->e));
        in->conj[in->nconj++] = (Conj){.pat = p, .asg = g, .text = text};
    }
    for (uint32_t i = 0; i < p->narg; i++)
        if (p->arg[i]->pk != SN_P_EACH)
            attributes(in, p->arg[i]);
}

static void
guard(Inst *in)
{
    const SnInstance *pr = in->pr;

    attributes(in, pr->r->pat);

    if (pr->r->when)
        conjuncts(in, pr->r->when);
    if ((pr->commutes || pr->swap || pr->alike) && in->nconj < MAXCONJ)
        in->conj[in->nconj++] =
            (Conj){.text = pr->guard ? pr->guard : "operands alike"};
    if (pr->r->lower && in->nconj < MAXCONJ)
        in->conj[in->nconj++] =
            (Conj){.f32 = true, .text = "the result is f32 (lowering)"};
}

/* The node that pattern `want` matches, where p matches at node n. */
static const SnCaseNode *
node_of(const SnPat *p, const SnCaseNode *n, const SnPat *want)
{
    const SnCaseNode *m = NULL;

    if (p == want)
        return n;
    for (uint32_t s = 0; n && p->by_port && s < n->nin && !m; s++) {
        const SnPat *k = p->by_port[n->port[s]];
        if (k && k->pk != SN_P_EACH && n->in[s] && n->in[s]->def)
            m = node_of(k, n->in[s]->def, want);
    }
    return m;
}

static bool
has_attribute(SnProofCase *c, const Conj *k)
{
    const SnCaseNode *n = node_of(c->r->pat, c->root, k->pat);
    const SnExprValue *v = n ? sn_case_attr(n, k->asg->name) : NULL;
    SnExprValue w = sn_case_expr(c, k->asg->e);

    if (!v || c->fail)
        return false;
    if (v->list && w.list)
        return v->n == w.n && !memcmp(v->list, w.list, v->n * sizeof *w.list);
    if (v->ty == SN_TY_RANGE)
        return v->rg.has_lo == w.rg.has_lo && v->rg.has_hi == w.rg.has_hi &&
               v->rg.lo == w.rg.lo && v->rg.hi == w.rg.hi;
    return (float)v->r == (float)w.r;
}

static bool
holds(SnProofCase *c, const Conj *k)
{
    bool ok = k->asg   ? has_attribute(c, k)
              : k->f32 ? c->root->out[0]->type.elem == SN_F32
              : k->e   ? sn_case_cond(c, k->e)
                       : sn_case_guard(c);

    ok = ok && !c->fail;
    c->fail = NULL;
    return ok;
}

/* Bit per conjunct that does not hold. */
static uint32_t
failing(const Inst *in, SnProofCase *c)
{
    uint32_t m = 0;

    for (uint32_t i = 0; i < in->nconj; i++)
        if (!holds(c, &in->conj[i]))
            m |= 1u << i;
    return m;
}

/* ---- one draw ---- */

static bool
pinned(const SnProofCase *c, const SnCaseValue *t)
{
    const SnCaseNode *n = c->root;

    for (int up = 0; n && up < 2; up++) {
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->in[s] == t && n->n->in[n->port[s]]->fact == SN_PIN)
                return true;
        n = n->nin && n->in[0] ? n->in[0]->def : NULL;
    }
    return false;
}

/* Leaves need not be constant unless the guard requires it or a bias moves to
 * another grid. */
static void
vary_leaves(const Inst *in, SnProofCase *c, uint32_t mask)
{
    for (uint32_t i = 0; i < c->nleaf; i++) {
        SnCaseValue *t = c->leaf[i];
        if (t->def || !t->is_const || pinned(c, t))
            continue;
        t->is_const = false;
        if (failing(in, c) != mask)
            t->is_const = true;
    }
}

/* ---- the better graph ---- */

/* Numbers with which a node does less than it could. */
static uint32_t
zeros(const SnCaseNode *n)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < n->n->nall; i++)
        k += n->n->all[i]->ty == SN_A_REAL && n->attr[i].r == 0;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->def)
            k += zeros(n->in[s]->def);
    return k;
}

/* Keeps the graph that costs less; true if it is the new one. */
static bool
cheaper(const Inst *in, const SnProofCase *c, Best *old, const char *s)
{
    size_t cost = strlen(s) + 100 * zeros(c->root);

    if (old->s && old->cost <= cost)
        return false;
    *old = (Best){sn_strdup(in->pv->a, s), cost};
    return true;
}

/* Conditions on a left side for its right side to exist. */
static bool
rewritable(SnProofCase *c)
{
    bool ok =
        !c->r->rhs || c->r->claim.kind == SN_CLAIM_NONE || sn_case_right(c);

    c->fail = NULL;
    return ok;
}

/* The largest difference between both sides: in codes, or relative. */
static double
difference(SnProofCase *c)
{
    SnCaseValue *l = c->lhs[0], *r = c->rhs[0];
    double d = 0, big = 0;

    if (l && r && sn_case_eval(c, l) && sn_case_eval(c, r) && l->n == r->n)
        for (int64_t i = 0; i < l->n; i++) {
            double e = fabs(l->v[i] - r->v[i]);
            d = e > d ? e : d;
            big = fmax(big, fabs(l->v[i]));
        }
    c->fail = NULL;
    return l && l->type.nq ? d : big > 0 ? d / big : 0;
}

/* A right side of another shape: the test must detect it for any claim. */
static bool
other_shape(const SnProofCase *c)
{
    const SnCaseValue *l = c->lhs[0], *r = c->rhs[0];

    return l && r && l->rank >= 0 && r->rank >= 0 &&
           (l->rank != r->rank ||
            memcmp(l->dim, r->dim, (size_t)l->rank * sizeof *l->dim) != 0);
}

static void
take_apart(Inst *in, SnProofCase *c)
{
    const char *once;
    int claim = (int)c->r->claim.kind;

    if (other_shape(c) && isfinite(in->apart)) {
        in->apart = INFINITY;
        vary_leaves(in, c, 0);
        in->differs = sn_strdup(in->pv->a, sn_case_left_text(c, &once));
    }
    if (claim == SN_CLAIM_EXACT || claim == SN_CLAIM_NONE ||
        claim == SN_CLAIM_LOSSY || !c->r->rhs || in->napart++ >= APART)
        return;
    double d = difference(c);
    if (!(d > in->apart))
        return;
    in->apart = d;
    vary_leaves(in, c, 0);
    in->differs = sn_strdup(in->pv->a, sn_case_left_text(c, &once));
}

static void
take(Inst *in, SnProofCase *c, uint32_t mask)
{
    const char *once, *s;
    Conj *k = NULL;

    for (uint32_t i = 0; i < in->nconj; i++) {
        if (!(mask >> i & 1))
            continue;
        in->conj[i].nfail++;
        for (uint32_t j = 0; j < in->nconj; j++)
            in->conj[i].with[j] += mask >> j & 1;
        if (mask == 1u << i)
            k = &in->conj[i];
    }
    if (mask && !k)
        return;
    if (k && k->nmiss++ >= ENOUGH)
        return;
    if (!k && !rewritable(c))
        return;
    if (!k)
        take_apart(in, c);
    if (in->nfire >= ENOUGH && !k)
        return;
    vary_leaves(in, c, mask);
    s = sn_case_left_text(c, &once);
    if (k) {
        cheaper(in, c, &k->graph, s);
        return;
    }
    in->nfire++;
    if (cheaper(in, c, &in->graph, s))
        in->once = sn_strdup(in->pv->a, once);
}

static bool
complete(const Inst *in)
{
    for (uint32_t i = 0; i < in->nconj; i++)
        if (in->conj[i].nmiss < ENOUGH)
            return false;
    return in->nfire >= ENOUGH &&
           (in->napart >= APART || in->pr->r->claim.kind == SN_CLAIM_EXACT);
}

static bool
every_one(const Inst *in)
{
    for (uint32_t i = 0; i < in->nconj; i++)
        if (!in->conj[i].nmiss)
            return false;
    return in->nfire > 0;
}

static void
draw_all(Inst *in, uint64_t seed)
{
    uint64_t rng = seed * 0x9E3779B97F4A7C15u + 0x7654321;

    for (uint32_t i = 0; i < MOREDRAW && !complete(in); i++) {
        SnProofCase c = {
            .pv = in->pv, .pr = in->pr, .r = in->pr->r, .asked = true};
        if (i >= NDRAW && every_one(in))
            break;
        c.a = sn_arena_new();
        rng += 0x9E3779B97F4A7C15u;
        uint64_t z = (rng ^ (rng >> 30)) * 0xBF58476D1CE4E5B9u;
        c.rng = (z ^ (z >> 27)) | 1;
        if (sn_case_draw(&c) &&
            (i % 4 != 3 || !c.root->n->nout || sn_case_vary(&c)) &&
            sn_case_cut(&c, c.root)) {
            in->ndraw++;
            sn_case_fill(&c);
            if (in->pr->given_bias)
                sn_case_bias_on_grid(&c);
            take(in, &c, failing(in, &c));
        } else {
            in->fail = c.fail;
        }
        sn_arena_free(c.a);
    }
}

/* Why no graph fails only conjunct i. */
static const char *
why_not(const Inst *in, uint32_t i)
{
    const Conj *k = &in->conj[i];
    SnArena *a = in->pv->a;

    if (!k->nfail)
        return sn_format(a, "holds in each of %u graphs drawn", in->ndraw);
    for (uint32_t j = 0; j < in->nconj; j++)
        if (j != i && k->with[j] == k->nfail)
            return sn_format(a, "where it fails, so does: %s",
                             in->conj[j].text);
    return sn_format(a, "fails in %u of %u graphs drawn, never alone", k->nfail,
                     in->ndraw);
}

/* ---- the file ---- */

static const char *
pass_of(const Inst *in)
{
    const SnInstance *pr = in->pr;

    if (pr->derive)
        return sn_rule_derive_pass(in->pv->defs, pr->derive)->name;
    return pr->r->pass ? pr->r->pass->name : "backend";
}

static const char *
backend_of(const Inst *in)
{
    const SnDefNode *n = in->pr->node ? in->pr->node : in->pr->any;

    if (!in->pr->derive && in->pr->r->backend)
        return in->pr->r->backend->name;
    return n && n->backend ? n->backend->name : NULL;
}

static void
put_misses(SnBuf *b, const Inst *in, uint32_t id)
{
    for (uint32_t i = 0; i < in->nconj; i++)
        if (in->conj[i].graph.s)
            sn_emit_array(b, sn_format(b->a, "miss_%u_%u", id, i),
                          in->conj[i].graph.s);
    sn_putf(b, "static const SnCaseMiss misses_%u[] = {\n", id);
    for (uint32_t i = 0; i < in->nconj; i++) {
        const Conj *k = &in->conj[i];
        sn_putf(b, "    { %s,\n      ", sn_lit_str(b->a, k->text));
        if (k->graph.s)
            sn_putf(b, "miss_%u_%u, NULL },\n", id, i);
        else
            sn_putf(b, "NULL, %s },\n", sn_lit_str(b->a, why_not(in, i)));
    }
    sn_puts(b, "};\n");
}

static void
put_inst(SnBuf *b, SnBuf *table, const Inst *in, uint32_t id)
{
    const SnInstance *pr = in->pr;
    const char *rule = pr->derive
                           ? sn_rule_derive_name(in->pv->defs, pr->derive)
                           : pr->r->name;
    SnPos at = pr->derive ? pr->derive->pos : pr->r->pos;

    sn_putf(b, "\n/* %s: %s\n", sn_where(b->a, at), pr->name);
    sn_emit_quote(b, " *   ", pr->r->text);
    sn_puts(b, " */\n");
    if (in->graph.s)
        sn_emit_array(b, sn_format(b->a, "fires_%u", id), in->graph.s);
    if (in->differs)
        sn_emit_array(b, sn_format(b->a, "differs_%u", id), in->differs);
    if (in->nconj)
        put_misses(b, in, id);
    sn_putf(table, "    { \"%s\", \"%s\", \"%s\", \"%s\", %s", pass_of(in),
            rule, pr->name, sn_where(b->a, at),
            sn_lit_str(table->a, backend_of(in)));
    if (in->graph.s)
        sn_putf(table, ",\n      fires_%u, %s, NULL, ", id,
                in->differs ? sn_format(b->a, "differs_%u", id) : "NULL");
    else
        sn_putf(table, ",\n      NULL, NULL, \"%s\", ",
                in->ndraw == 0 && in->fail ? in->fail
                                           : "no graph drawn meets "
                                             "its guard");
    sn_puts(table,
            sn_lit_str(table->a, in->once && *in->once ? in->once : NULL));
    if (in->nconj)
        sn_putf(table, ", %u, misses_%u },\n", in->nconj, id);
    else
        sn_puts(table, ", 0, NULL },\n");
}

/* Conditions that the routines of derived families check but the rule's text
 * does not state: the number of Rescales never grows, and a node that stays
 * float for another reader is not made twice. */
static void
mark_single(const SnProver *pv, SnInstance *pr)
{
    SnPat *p = pr->r->pat;

    if (!pr->derive)
        return;
    bool sink = pr->derive->fam == SN_FAM_SINK && !pr->renumber &&
                pr->derive->kind != sn_prove_dequantize(pv)->kind;
    bool integerize = pr->derive->fam == SN_FAM_INTEGERIZE;
    for (uint32_t i = 0; (sink || integerize) && i < p->narg; i++) {
        SnPat *k = p->arg[i];
        if (k->pk == SN_P_EACH)
            k = k->arg[0];
        if (k->pk == SN_P_CALL && k->narg)
            k->nuse = 1;
    }
}

void
sn_emit_cases(SnDefs *defs, const char *outdir, SnDiag *d)
{
    SnProver pv = {.defs = defs, .d = d, .a = defs->arena};
    SnInstance *v = NULL;
    uint32_t n = sn_prove_instances(&pv, &v);
    SnBuf b, table;

    sn_buf_init(&b, pv.a);
    sn_buf_init(&table, pv.a);
    sn_emit_head(&b, "For each rule instance a graph on which it fires, and "
                     "near misses.");
    sn_puts(&b, "#include \"cases/cases.h\"\n");
    for (uint32_t i = 0; i < n; i++) {
        Inst *in = SN_NEW(pv.a, Inst);
        in->pv = &pv;
        in->pr = &v[i];
        mark_single(&pv, &v[i]);
        guard(in);
        draw_all(in, i + 1);
        put_inst(&b, &table, in, i);
    }
    sn_putf(&b,
            "\nconst SnCase sn_cases[] = {\n%s};\nconst uint32_t sn_ncase "
            "= %u;\n",
            sn_buf_str(&table), n);
    sn_emit_file(&b, outdir, "sn_cases.c", d);
}
