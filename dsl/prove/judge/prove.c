// SPDX-License-Identifier: Apache-2.0
/* The soundness engine: every rule and derived instance, judged. */
#include "dsl/prove/trial/case.h"

#include <math.h>
#include <string.h>
#include "dsl/model/arith.h"
#include "dsl/model/named.h"
#include "dsl/prove/index/index.h"
#include "dsl/prove/judge/prove_instance.h"
#include "dsl/prove/judge/prove_judge.h"
#include "dsl/prove/judge/prove_rounds.h"
#include "dsl/prove/real/real.h"
#include "dsl/resolve/resolver.h"

/* Is the right side the value of the root itself? */
static bool
folds(const SnDefRule *r)
{
    const SnTerm *t = r->rhs;

    return t && t->tk == SN_T_FUNC && t->fn == SN_FN_FOLD &&
           t->arg[0]->tk == SN_T_VAR && r->pat->cap &&
           t->arg[0]->var == r->pat->cap;
}

/* ---- verdicts ---- */

bool
sn_prove_proved(const SnInstance *pr, const SnLemma *l)
{
    switch (pr->r->claim.kind) {
    case SN_CLAIM_EXACT:
        return l->exact;
    case SN_CLAIM_WITHIN:
        return l->exact || (l->within1 && pr->r->claim.n >= 1);
    case SN_CLAIM_REFINES:
        return l->refines || l->exact;
    default:
        return false;
    }
}

/* Every `within` that is not exact relies on L6. */
static uint32_t
lifted(const SnInstance *pr, const SnLemma *l)
{
    return pr->r->claim.kind == SN_CLAIM_WITHIN && !l->exact ? 1u << 6 : 0;
}

static const char *
lemma_names(SnArena *a, uint32_t used)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < 8; i++)
        if (used >> i & 1)
            sn_putf(&b, "%sL%u", b.n ? " " : "", i);
    return sn_buf_str(&b);
}

void
sn_judge_show(SnProver *pv, const SnTrial *t)
{
    if (!t->counter)
        return;
    sn_diag_line(pv->d, "%s", t->counter->line);
    if (*t->counter->with)
        sn_diag_line(pv->d, "%s", t->counter->with);
}

const char *
sn_judge_whose(SnProver *pv, const SnInstance *pr)
{
    if (pr->any)
        return sn_format(pv->a, " on %s", pr->any->name);
    return pr->derive ? " (derived)" : "";
}

const char *
sn_judge_name(const SnInstance *pr)
{
    return pr->derive ? pr->name : pr->r->name;
}

const char *
sn_judge_how_much(SnProver *pv, const SnTrial *t)
{
    const SnCounter *c = t->counter;

    if (c && c->codes && c->left != c->right)
        return sn_format(pv->a, "differs by %.0f", fabs(c->left - c->right));
    if (t->worse && c)
        return sn_format(pv->a, "differs by %.6g", fabs(c->left - c->right));
    if (t->zero && t->rel == 0)
        return "differs in the sign of zero";
    if (t->real > SN_CASE_REAL_EQUAL)
        return sn_format(pv->a,
                         "differs over the reals by %.3g of the "
                         "largest value",
                         t->real);
    return sn_format(pv->a, "differs by %.3g of the largest value", t->rel);
}

/* Why result t->bad_res of n changes: an index may move to a value that a
 * rounding made equal; other results differ by their distance. */
static const char *
why_later(SnProver *pv, const SnInstance *pr, const SnTrial *t,
          const SnDefNode *n)
{
    const SnExpr *e = n->rsem[t->bad_res]->formula;
    bool plain = n->ntuple > 0;

    for (uint32_t i = 0; i < n->ntuple; i++)
        plain &= !sn_conc_quant(n->tuple[i].out[t->bad_res]) &&
                 n->tuple[i].out[t->bad_res].elem != SN_F32;
    if (plain)
        return sn_format(pv->a, " (%s): equal values appear on the way",
                         e->s ? e->s : "another meaning");
    return sn_format(pv->a, ": claimed %s, %s",
                     sn_case_claim_str(pv->a, sn_def_claim(pr->r, pr->round)),
                     sn_judge_how_much(pv, t));
}

/* SN304: a later result changes. */
static void
bad_result(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    const SnDefNode *n = pr->r->root ? pr->r->root : pr->any;
    const SnPat *p = pr->r->pat;

    if ((uint32_t)t->bad_res >= n->nout) { /* of the node below */
        p = p->arg[0];
        n = p->node;
    }
    const char *y = n->out[t->bad_res]->name;
    const SnDefVar *o = p->cap;
    const char *cap = o ? o->name : "o";

    if (t->no_res && !t->counter)
        sn_error(pv->d, pr->r->pos, "SN304",
                 "rule '%s' leaves result '%s' of %s without a value",
                 sn_judge_name(pr), y, n->name);
    else
        sn_error(pv->d, pr->r->pos, "SN304",
                 "rule '%s' through %s is %s on %s but not on %s%s",
                 sn_judge_name(pr), n->name,
                 t->diff == 0 && !t->f32_differ ? "exact" : "sound",
                 n->out[0]->name, y, why_later(pv, pr, t, n));
    sn_judge_show(pv, t);
    sn_diag_help(pv->d, "%s unused(%s.%s)%s", pr->r->need ? "and" : "when", cap,
                 y, o ? "" : "     (capture the root as @o)");
}

static void
refuse(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    const char *best = sn_case_best(pv->a, t);
    const char *claim = sn_case_claim_str(pv->a, &pr->r->claim);

    if (pr->binds) {
        sn_error(pv->d, pr->r->pos, "SN314",
                 "rule '%s' has no claim, but changes values: %s", pr->r->name,
                 sn_judge_how_much(pv, t));
        sn_judge_show(pv, t);
        sn_prove_help(pv, pr, t);
        return;
    }
    if (pr->comm) {
        sn_error(pv->d, pr->r->pos, "SN118",
                 "'commutes' of %s does not hold for its values: %s",
                 pr->comm->name, sn_judge_how_much(pv, t));
        sn_judge_show(pv, t);
        sn_diag_help(pv->d, "restrict it: commutes .. when CONDITION, on "
                            "attributes and the result's type");
        return;
    }
    if (best != sn_claim_words[SN_CLAIM_NONE].word)
        sn_error(pv->d, pr->r->claim.pos.src ? pr->r->claim.pos : pr->r->pos,
                 "SN302", "rule '%s'%s claims '%s'; only '%s' is not refuted",
                 sn_judge_name(pr), sn_judge_whose(pv, pr), claim, best);
    else
        sn_error(pv->d, pr->r->pos, "SN301",
                 "rule '%s'%s is unsound: claimed %s, %s", sn_judge_name(pr),
                 sn_judge_whose(pv, pr), claim, sn_judge_how_much(pv, t));
    sn_judge_show(pv, t);
    sn_prove_help(pv, pr, t);
}

static const char *
no_case(const SnTrial *t)
{
    return t->fail ? t->fail : "no random graph meets its guard";
}

/* SN312: anything can be claimed of no graph; a condition that no drawn case
 * meets may contradict itself. */
void
sn_judge_unseen(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    if (pr->comm) {
        sn_error(pv->d, pr->r->pos, "SN118",
                 "no graph was found that tests 'commutes' of %s, so a proof "
                 "may be vacuous: %s",
                 pr->comm->name, no_case(t));
        sn_diag_help(
            pv->d, "use a condition and invariants that small graphs can meet");
        return;
    }
    sn_error(pv->d, pr->r->pos, "SN312",
             "no graph was found that tests rule '%s'%s, so a proof may be "
             "vacuous: %s",
             sn_judge_name(pr), sn_judge_whose(pv, pr), no_case(t));
    if (!pr->derive)
        sn_diag_help(pv->d, "use a condition that more graphs meet, or mark "
                            "the rule trusted \"why\"");
}

uint32_t
sn_judge_ndraw(const SnProver *pv, const SnInstance *pr)
{
    uint32_t n = pv->o && pv->o->ndraw ? pv->o->ndraw : SN_PROVE_NDRAW;

    return pr->derive && pr->r->nvar < 8 ? n * 2 / 3 : n;
}

static void
fill(SnProver *pv, const SnInstance *pr, SnProof *p)
{
    p->rule = pr->r;
    p->derive = pr->derive;
    p->node = pr->node ? pr->node : pr->any;
    p->backend = pr->backend;
    p->name = pr->name;
    p->pos = pr->derive ? pr->derive->pos : pr->r->pos;
    p->claim = pr->bounded ? "within ceil(1.5 + s_in / (2 s_out)) lsb"
                           : sn_case_claim_str(pv->a, &pr->r->claim);
    p->lemmas = "";
    p->best = "";
    p->under = "";
}

/* A case against a proof: of the rows of numerics.md that lemmas take as the
 * steps of the meaning, those that float declares are used as written. */
static void
disagree(SnProver *pv, const SnInstance *pr, const SnTrial *t, const SnProof *p)
{
    const SnDefRow *row = t->counter ? t->counter->row : NULL;
    const char *by = *p->lemmas ? p->lemmas : "the same elements";

    if (row) {
        sn_error(pv->d, row->pos, "SN190",
                 "a row of float is not its formula, rounded once: '%s' is "
                 "%s (%s) of formulas, and not of this row",
                 sn_judge_name(pr), p->claim, by);
        sn_judge_show(pv, t);
        return;
    }
    sn_error(pv->d, pr->r->pos, "SN399",
             "internal: the calculus proves '%s' %s (%s), and a case "
             "contradicts it",
             pr->name, p->claim, by);
    sn_judge_show(pv, t);
    sn_diag_defect(pv->d);
}

/* Refuses the rule if a case of t contradicts it. */
static bool
against(SnProver *pv, const SnInstance *pr, const SnTrial *t, bool by_lemma,
        SnProof *p)
{
    bool holds = !t->ndraw || sn_case_claim_ok(pr, t);

    if (!t->bad_res && !t->wrong && holds)
        return false;
    p->layer = SN_LAYER_REFUSED;
    p->counter = t->counter;
    if (t->bad_res) {
        bad_result(pv, pr, t);
    } else if (t->wrong && holds && pr->comm) {
        sn_error(pv->d, pr->r->pos, "SN118",
                 "'commutes' of %s makes an illegal graph of a legal one: %s",
                 pr->comm->name, t->wrong);
        sn_diag_line(pv->d, "%s", t->wrong_with);
    } else if (t->wrong && holds) {
        sn_error(
            pv->d, pr->r->pos, "SN306",
            "the right side of rule '%s'%s does not fit what it replaces: %s",
            sn_judge_name(pr), sn_judge_whose(pv, pr), t->wrong);
        sn_diag_line(pv->d, "%s", t->wrong_with);
        (void)sn_prove_help_open(pv, pr);
    } else if (by_lemma) {
        disagree(pv, pr, t, p);
    } else {
        refuse(pv, pr, t);
    }
    return true;
}

/* A different seed from those of arithmetics. */
enum { MORE_ALONG = 64 };

/* Half as many cases again, only with types along an axis: among the others
 * they are rare. */
static bool
more_along(SnProver *pv, const SnInstance *pr, uint64_t seed, SnProof *p)
{
    SnInstance q = *pr;

    q.along = true;
    SnTrial t = sn_case_try(pv, &q, pr->r->need, sn_judge_ndraw(pv, pr) / 2 + 1,
                            seed + MORE_ALONG, true);
    p->ndraw += t.ndraw;
    p->nvalue += t.nvalue;
    p->diff = fmax(p->diff, t.diff);
    return !against(pv, &q, &t, false, p);
}

/* The claims that equal elements prove. */
typedef enum Equal {
    NOT_SEEN,
    EQUAL_REALS, /* the claim `real` */
    EQUAL_BITS   /* all claims */
} Equal;

/* *why: the step that fails, or what is out of reach.  failed: it is already a
 * step. */
static Equal
by_elements(SnProver *pv, const SnInstance *pr, bool failed, const char **why,
            const char **certificate)
{
    SnClaimKind claim = pr->r->claim.kind;
    SnIndexVerdict v = sn_index_prove(pv, pr);
    SnRealVerdict r;

    *certificate = v.certificate;
    if (v.proved)
        return EQUAL_BITS;
    if (claim != SN_CLAIM_REAL && claim != SN_CLAIM_EXACT) {
        *why = (v.reached && !failed) || !*why ? v.why : *why;
        return NOT_SEEN;
    }
    r = sn_real_prove(pv, pr);
    *certificate = r.certificate;
    if (r.proved)
        return claim == SN_CLAIM_EXACT ? EQUAL_BITS : EQUAL_REALS;
    *why = failed                     ? *why
           : v.reached && !r.reached  ? v.why
           : r.reached || !pr->derive ? r.why
           : !*why                    ? v.why
                                      : *why;
    return NOT_SEEN;
}

/* What the author of a node can change, who may not own the line. */
static void
help_derived(SnProver *pv, const SnInstance *pr)
{
    const char *n = pr->node ? pr->node->name : "the node";

    if (pr->renumber)
        sn_diag_help(pv->d,
                     "leave %s out of the class of this line: 'and not %s'; "
                     "layout() also leaves out nodes with an invariant",
                     n, n);
    else if (pr->derive->fam == SN_FAM_INTEGERIZE)
        sn_diag_help(pv->d,
                     "change the formula of %s, or drop its tuples of codes "
                     "from 'kinds'",
                     n);
    else
        sn_diag_help(pv->d,
                     "make the port 'given' in %s, not '%s': no family changes "
                     "it then; or change the formula",
                     n, pr->derive->fam == SN_FAM_SINK ? "same" : "free");
    if (pr->node && pr->node->pos.src != pr->derive->pos.src)
        sn_diag_span(pv->d, pr->node->pos, "the node");
}

/* A rule about a class holds for each node of it, also those of plugins. */
static void
help_written(SnProver *pv, const SnInstance *pr)
{
    bool other = pr->any && pr->any->pos.src != pr->r->pos.src;

    if (!other) {
        sn_diag_help(pv->d, "add a condition under which this step holds, or "
                            "mark the rule trusted \"why\"");
        return;
    }
    sn_diag_help(pv->d,
                 "change the formula or the attributes of %s so that the rule "
                 "holds, or that its class leaves %s out",
                 pr->any->name, pr->any->name);
    sn_diag_span(pv->d, pr->any->pos, "the node");
}

/* SN315: no layer proves the rule, and the drawn cases do not refute it. */
static void
unproved(SnProver *pv, const SnInstance *pr, const SnTrial *t, const char *why)
{
    const char *drawn =
        sn_format(pv->a, "; %u random graphs do not refute it", t->ndraw);

    if (pr->comm) {
        sn_error(pv->d, pr->r->pos, "SN118",
                 "'commutes' of %s is not proved: %s%s", pr->comm->name, why,
                 drawn);
        return;
    }
    if (pr->binds) {
        sn_error(
            pv->d, pr->r->pos, "SN314",
            "rule '%s' has no claim, and is not proved to keep all values: "
            "%s%s",
            pr->r->name, why, drawn);
        return;
    }
    sn_error(pv->d, pr->r->pos, "SN315", "rule '%s'%s is not proved: %s%s",
             sn_judge_name(pr), sn_judge_whose(pv, pr), why, drawn);
    if (sn_prove_help_open(pv, pr))
        return;
    if (pr->derive)
        help_derived(pv, pr);
    else
        help_written(pv, pr);
}

static uint64_t
seed_of(const SnProver *pv)
{
    return pv->o && pv->o->seed ? pv->o->seed : 1;
}

/* A proof whose certificate the checker refuses does not count. */
static bool
is_taken(SnProver *pv, const SnInstance *pr, bool by_lemma,
         const char *certificate, const char **why, const char **roundings)
{
    const char *no =
        sn_certificate_why_not(pv, pr, by_lemma, certificate, roundings);

    *why = no ? no : *why;
    return !no;
}

bool
sn_prove_calculi(SnProver *pv, const SnInstance *pr, bool *by_elems)
{
    SnLemma l = sn_calculus_lemma(pv, pr);
    const char *why = l.why, *certificate, *rounds;

    *by_elems = false;
    if (!l.none && (!l.first || sn_prove_others_unused(pr)) &&
        sn_prove_proved(pr, &l) &&
        is_taken(pv, pr, true, l.certificate, &why, &rounds))
        return true;
    *by_elems = by_elements(pv, pr, false, &why, &certificate) != NOT_SEEN &&
                is_taken(pv, pr, false, certificate, &why, &rounds);
    return *by_elems;
}

static void
judge(SnProver *pv, const SnInstance *pr, SnProof *p)
{
    uint64_t seed = seed_of(pv);
    SnLemma l = sn_calculus_lemma(pv, pr);
    bool by_lemma = !l.none && sn_prove_proved(pr, &l);
    SnTrial t =
        sn_case_try(pv, pr, pr->r->need, sn_judge_ndraw(pv, pr), seed, true);

    if (l.first && (t.later || !sn_prove_others_unused(pr)))
        by_lemma = false;
    const char *why = l.why, *rounds = "roundings: ";
    by_lemma = by_lemma && is_taken(pv, pr, true, l.certificate, &why, &rounds);
    Equal equal = by_lemma
                      ? NOT_SEEN
                      : by_elements(pv, pr, l.failed, &why, &p->certificate);
    if (equal != NOT_SEEN &&
        !is_taken(pv, pr, false, p->certificate, &why, &rounds))
        equal = NOT_SEEN;
    if (by_lemma)
        p->certificate = l.certificate;
    bool proved = by_lemma || equal != NOT_SEEN;
    p->ndraw = t.ndraw;
    p->nvalue = t.nvalue;
    p->diff = t.diff;
    p->best =
        l.exact || equal == EQUAL_BITS ? "exact" : sn_case_best(pv->a, &t);
    p->counter = t.counter;
    p->lemmas = by_lemma ? lemma_names(pv->a, l.used | lifted(pr, &l)) : "";
    /* equality over the reals does not bound roundings */
    if (against(pv, pr, &t, by_lemma || equal == EQUAL_BITS, p))
        return;
    if (sn_prove_too_rough(pv, pr, &t)) {
        p->layer = SN_LAYER_REFUSED;
        return;
    }
    if (pr->r->claim.kind == SN_CLAIM_REAL)
        p->under =
            sn_format(pv->a, "%s%.2g of their bound used", rounds, t.used);
    if (pr->r->trusted) {
        p->layer = SN_LAYER_TRUSTED;
        p->why = pr->r->trusted;
        p->lemmas = "";
        return;
    }
    if (!t.ndraw || (!proved && !pr->bounded)) {
        p->layer = SN_LAYER_REFUSED;
        if (t.ndraw)
            unproved(pv, pr, &t, why);
        else
            sn_judge_unseen(pv, pr, &t);
        return;
    }
    if (t.axis && !more_along(pv, pr, seed, p))
        return;
    p->layer = by_lemma ? SN_LAYER_LEMMA
               : proved ? SN_LAYER_INDEX
                        : SN_LAYER_LOSSY;
    if (!proved)
        p->why = pr->forced ? "the node writes on the grid it reads: a bound, "
                              "held to by what was drawn; listed per site"
                            : "a bound, held to by what was drawn; listed per "
                              "site";
    if (t.ratio)
        sn_judge_arithmetics(pv, pr, seed, p);
    if (!pr->derive && by_lemma && l.exact && t.diff == 0 && !t.f32_differ &&
        (pr->r->claim.kind == SN_CLAIM_WITHIN ||
         pr->r->claim.kind == SN_CLAIM_REFINES))
        sn_note(pv->d, pr->r->claim.pos, "SN303",
                "rule '%s' claims '%s'; it is exact (%s). Strengthen the "
                "claim?",
                pr->r->name, p->claim, lemma_names(pv->a, l.used));
}

static bool
has_certificate(const SnProof *p)
{
    return p->layer == SN_LAYER_LEMMA || p->layer == SN_LAYER_INDEX;
}

/* The verdict of an earlier run, or a new one, stored for the next. */
static void
recall_or_judge(SnProver *pv, const SnInstance *pr, SnProof *p)
{
    const char *key = sn_prove_recall(pv, pr, p);

    if (p->recalled) {
        if (has_certificate(p) && !sn_certificate_check(pv, pr, p))
            p->layer = SN_LAYER_REFUSED;
        return;
    }
    unsigned said = sn_diag_nerror(pv->d) + sn_diag_nnote(pv->d);
    judge(pv, pr, p);
    if (!pr->binds && p->layer != SN_LAYER_REFUSED &&
        p->layer != SN_LAYER_TRUSTED &&
        !sn_prove_flags(pv, pr, sn_judge_ndraw(pv, pr), seed_of(pv)))
        p->layer = SN_LAYER_REFUSED;
    if (has_certificate(p) && !sn_certificate_check(pv, pr, p))
        p->layer = SN_LAYER_REFUSED;
    if (sn_diag_nerror(pv->d) + sn_diag_nnote(pv->d) == said)
        sn_prove_enter(pv, key, p);
}

/* A rule without a claim depends on the rule that states what it keeps. */
static void
bind(SnProver *pv, const SnInstance *pr, SnProof *p)
{
    SnDefRule *says;

    p->layer = SN_LAYER_REFUSED;
    if (!sn_prove_bind(pv, pr->r, &says))
        return;
    SnInstance q = *pr;
    q.r = says;
    q.binds = pr->r;
    recall_or_judge(pv, &q, p);
    p->best = "";
    p->why = pr->r->note ? pr->r->note : "claims nothing; opt-in";
}

/* Does it claim anything that a case can contradict? */
static bool
claims(const SnDefRule *r)
{
    return r->claim.kind != SN_CLAIM_NONE && r->claim.kind != SN_CLAIM_LOSSY;
}

/* A form of a node replaces it: the graph has the node. */
static void
switch_off(SnProver *pv, const SnInstance *pr, SnRounding by)
{
    const SnDefNode *n = pr->comm ? pr->comm : pr->node;
    const SnDefRule *r = pr->derive || pr->comm ? NULL : pr->r;

    do {
        SnDefOff off = {r, pr->derive, n, by};
        SN_PUSH(pv->defs->arena, pv->defs->off, pv->defs->noff, off);
        n = n ? n->base : NULL;
    } while (n);
}

void
sn_prove_judge(SnProver *pv, const SnInstance *pr)
{
    const SnDefRule *r = pr->r;
    SnProof p = {.layer = SN_LAYER_TRUSTED};
    const SnDefNode *opaque = r->pat ? sn_prove_opaque_pat(r->pat) : NULL;

    fill(pv, pr, &p);
    if (!opaque && r->rhs)
        opaque = sn_prove_opaque_term(r->rhs);
    if (pr->any && pr->any->rsem[0]->cls == SN_C_OPAQUE && pr->any->nout)
        opaque = pr->any;
    if (r->trusted && (opaque || !r->rhs || folds(r) || !claims(r))) {
        p.why = r->trusted;
    } else if (r->claim.kind == SN_CLAIM_NONE) {
        bind(pv, pr, &p);
    } else if (r->claim.kind == SN_CLAIM_LOSSY) {
        p.layer = SN_LAYER_LOSSY;
        p.why = r->claim.text;
    } else if (opaque || !r->rhs) {
        p.layer = SN_LAYER_REFUSED;
        sn_error(pv->d, r->pos, "SN311",
                 opaque ? "cannot prove '%s': %s has 'sem opaque'. Write its "
                          "formula, or mark the rule trusted \"why\""
                        : "cannot prove '%s': it has no right side. Mark it "
                          "trusted \"why\"",
                 r->name, opaque ? opaque->name : "");
    } else if (folds(r)) {
        p.layer = SN_LAYER_DEFINITION;
        p.why = "fold(o) is the value of o";
        p.best = "exact";
    } else {
        recall_or_judge(pv, pr, &p);
    }
    p.guard = sn_prove_guard_text(pv, &p, pr);
    SN_PUSH(pv->a, pv->out->v, pv->out->n, p);
    for (SnRounding by = 1; p.off >> by; by++)
        if (p.off >> by & 1)
            switch_off(pv, pr, by);
    if (pv->o && pv->o->smt2)
        sn_prove_smt2(pv, pr, &p);
}

/* If a backend narrows facts, the families give other instances, and a written
 * rule may make nodes that the narrower facts forbid. */
static void
prove_refined(SnProver *pv, const SnDefBackend *b)
{
    SnDefs *defs = pv->defs;
    const SnDefRefined *first = NULL;
    SnInstance *v = NULL;

    for (uint32_t i = 0; i < defs->nrefined && !first; i++)
        if (defs->refined[i]->backend == b)
            first = defs->refined[i];
    if (!first)
        return;
    sn_def_view(defs, b);
    uint32_t n = sn_prove_refined(pv, b, &v);
    for (uint32_t i = 0; i < n; i++)
        sn_prove_judge(pv, &v[i]);
    for (uint32_t i = 0; i < defs->nrule; i++) {
        const SnDefRule *r = defs->rule[i];
        const char *why =
            r->backend && r->backend != b ? NULL : sn_prove_why_not(pv, r);
        const char *nl = why ? strchr(why, '\n') : NULL;
        const char *msg = why ? strstr(why, "]: ") : NULL;
        if (!why)
            continue;
        msg = msg && (!nl || msg < nl) ? msg + 3 : why;
        sn_error(
            pv->d, first->pos, "SN604",
            "with the facts that %s refines, rule '%s' no longer holds: %.*s",
            b->name, r->name, (int)(nl ? nl - msg : (int)strlen(msg)), msg);
        sn_diag_span(pv->d, r->pos, "the rule");
    }
    sn_def_view(defs, NULL);
}

SnProofs *
sn_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o)
{
    SnProver pv = {.defs = defs, .d = d, .a = defs->arena, .o = o};
    SnInstance *v = NULL;
    SnBuf b;

    pv.out = SN_NEW(pv.a, SnProofs);
    if (o && o->cache && o->prover)
        pv.cache = sn_prove_cache(&pv);
    pv.certificates = sn_certificates(&pv);
    uint32_t n = sn_prove_instances(&pv, &v);
    bool *refused = SN_NEW_N(pv.a, bool, defs->nrule + 1);
    for (uint32_t i = 0; i < n; i++) {
        bool mine = !v[i].derive && v[i].r->id < defs->nrule;
        if (mine && refused[v[i].r->id])
            continue; /* one message a rule */
        sn_prove_judge(&pv, &v[i]);
        if (mine && pv.out->v[pv.out->n - 1].layer == SN_LAYER_REFUSED)
            refused[v[i].r->id] = true;
    }
    n = sn_prove_commutes(&pv, &v);
    for (uint32_t i = 0; i < n; i++)
        sn_prove_judge(&pv, &v[i]);
    for (uint32_t i = 0; i < defs->nbackend; i++)
        prove_refined(&pv, defs->backend[i]);
    sn_buf_init(&b, pv.a);
    sn_prove_report(&pv, &b);
    pv.out->report = sn_buf_str(&b);
    if (pv.cache)
        sn_prove_store(&pv);
    return pv.out;
}

void
sn_def_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o)
{
    sn_prove(defs, d, o);
}
