// SPDX-License-Identifier: Apache-2.0
/* What holds of a rule under arithmetics other than float. */
#include <string.h>

#include "dsl/prove/judge/prove_judge.h"
#include "dsl/prove/trial/case.h"
#include "dsl/prove/trial/prove_arith.h"

/* SN307: a claim that holds for floats fails for a fixed-point rounding. */
static void
bad_rounding(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    const SnDefClaim *k = sn_def_claim(pr->r, pr->round);
    const char *by = sn_arith_name(pv->defs, pr->round),
               *best = sn_case_best(pv->a, t);
    const char *claim = pr->bounded ? "its bound" : sn_case_claim_str(pv->a, k);

    if (best == sn_claim_words[SN_CLAIM_NONE].word || pr->bounded)
        sn_error(pv->d, pr->r->pos, "SN307",
                 "rule '%s'%s is unsound under rounding %s: claimed %s, %s",
                 sn_judge_name(pr), sn_judge_whose(pv, pr), by, claim,
                 sn_judge_how_much(pv, t));
    else
        sn_error(pv->d, k->pos.src ? k->pos : pr->r->pos, "SN307",
                 "rule '%s'%s claims '%s' under rounding %s; only '%s' is not "
                 "refuted",
                 sn_judge_name(pr), sn_judge_whose(pv, pr), claim, by, best);
    sn_judge_show(pv, t);
    if (best != sn_claim_words[SN_CLAIM_NONE].word && !pr->bounded)
        sn_diag_help(pv->d, "under %s %s", by, best);
}

/* Must the claim hold under arithmetic `by`?  Yes if it names this arithmetic,
 * has an `else`, or is a rule of a backend with this arithmetic.  A rule of the
 * core cannot know every machine: if it is not proved it is switched off, and
 * so is its `else` for a plugin's arithmetic. */
static bool
must_hold(const SnProver *pv, const SnInstance *pr, SnRounding by)
{
    const SnDefRule *r = pr->r;
    const SnDefArith *a = sn_def_arith(pv->defs, by);

    if (r->backend && r->backend->rounding == by)
        return true;
    return sn_def_claim(r, by) != &r->claim && (r->backend || !a || !a->plugin);
}

/* A written rule can state what holds there, and its `else` stated
 * something. */
static void
note_off(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    const SnDefClaim *k = sn_def_claim(pr->r, pr->round);
    const char *best = sn_case_best(pv->a, t);
    const char *by = sn_arith_name(pv->defs, pr->round);

    if ((pr->derive && k == &pr->r->claim) || !t->ndraw)
        return;
    sn_note(pv->d, pr->r->pos, "SN307",
            "rule '%s'%s is off under arithmetic %s, where '%s' does not hold: "
            "%s",
            sn_judge_name(pr), sn_judge_whose(pv, pr), by,
            sn_case_claim_str(pv->a, k), sn_judge_how_much(pv, t));
    sn_judge_show(pv, t);
    if (!pr->derive && best != sn_claim_words[SN_CLAIM_NONE].word &&
        !t->bad_res)
        sn_diag_help(pv->d, "under %s %s", by, best);
}

/* A row of conversions: two properties that are run, once for all rules. */
typedef struct SnConversion {
    const SnDefRowOf *r;
    bool ran[2];
    SnRowProperty is[2];
} SnConversion;

static SnRowProperty
property(SnProver *pv, const SnDefRowOf *r, int i,
         SnRowProperty (*run)(SnArena *a, const SnDefRowOf *r))
{
    uint32_t k = 0;

    while (k < pv->nconversion && pv->conversion[k].r != r)
        k++;
    if (k == pv->nconversion)
        SN_PUSH(pv->a, pv->conversion, pv->nconversion,
                ((SnConversion){.r = r}));
    SnConversion *c = &pv->conversion[k];
    if (!c->ran[i])
        c->is[i] = run(pv->a, r);
    c->ran[i] = true;
    return c->is[i];
}

/* The property of a Rescale that the lemmas proving p need and the arithmetic's
 * row lacks: NULL, or why, with codes that show it in *counter. */
static const char *
lacks(SnProver *pv, const SnInstance *pr, SnRounding by, const SnProof *p,
      const char **counter)
{
    const SnDefRowOf *r =
        sn_def_row(sn_def_arith(pv->defs, by), SN_FORM_CONVERT, NULL, 0);
    const bool order = strstr(p->lemmas, "L2") != NULL;
    const bool same = strstr(p->lemmas, "L0") != NULL;
    SnRowProperty q = {SN_ROW_OPEN, ""};

    if (!r || pr->comm) /* both orders convert each operand in the same way */
        return NULL;
    if (order)
        q = property(pv, r, 0, sn_row_monotone);
    *counter = q.counter;
    if (q.truth == SN_ROW_REFUTED)
        return "L2 is for a Rescale that keeps the order of codes";
    if (same)
        q = property(pv, r, 1, sn_row_identity);
    *counter = q.counter;
    return q.truth == SN_ROW_REFUTED
               ? "L0 is for a Rescale to its own type that changes no code"
               : NULL;
}

/* SN307: no case refutes the claim, but nothing proves it there. */
static void
no_lemma(SnProver *pv, const SnInstance *pr, bool must, const char *why,
         const char *counter)
{
    const char *by = sn_arith_name(pv->defs, pr->round);

    if (must)
        sn_error(pv->d, pr->r->pos, "SN307",
                 "rule '%s'%s is not proved under arithmetic %s: %s",
                 sn_judge_name(pr), sn_judge_whose(pv, pr), by, why);
    else if (!pr->derive)
        sn_note(pv->d, pr->r->pos, "SN307",
                "rule '%s'%s is off under arithmetic %s: %s", sn_judge_name(pr),
                sn_judge_whose(pv, pr), by, why);
    if (must || !pr->derive)
        sn_diag_line(pv->d, "%s", counter);
}

void
sn_judge_arithmetics(SnProver *pv, const SnInstance *pr, uint64_t seed,
                     SnProof *p)
{
    const SnDefs *s = pv->defs;
    const char *last = NULL;
    SnBuf b;

    sn_buf_init(&b, pv->a);
    for (uint32_t i = 0; i < s->narith; i++) {
        SnRounding by = s->arith[i]->number;
        SnInstance q = *pr;
        if (by == SN_ROUNDING_FLOAT)
            continue;
        q.round = by;
        SnTrial t =
            sn_case_try(pv, &q, pr->r->need, sn_judge_ndraw(pv, pr) / 3 + 1,
                        seed + (uint64_t)by, true);
        p->ndraw += t.ndraw;
        p->nvalue += t.nvalue;
        bool holds = t.ndraw && sn_case_claim_ok(&q, &t) && !t.bad_res;
        if (!t.ndraw && must_hold(pv, pr, by)) {
            p->layer = SN_LAYER_REFUSED;
            sn_judge_unseen(pv, &q, &t);
            return;
        }
        if (!holds && must_hold(pv, pr, by)) {
            p->layer = SN_LAYER_REFUSED;
            p->counter = t.counter;
            bad_rounding(pv, &q, &t);
            return;
        }
        const char *codes, *why = holds ? lacks(pv, pr, by, p, &codes) : NULL;
        if (why && must_hold(pv, pr, by)) {
            p->layer = SN_LAYER_REFUSED;
            no_lemma(pv, &q, true, why, codes);
            return;
        }
        if (!holds || why) {
            p->off |= UINT64_C(1) << by;
            p->off_by = t.counter;
        }
        if (!holds)
            note_off(pv, &q, &t);
        else if (why)
            no_lemma(pv, &q, false, why, codes);
        const char *best = why           ? "off, no lemma"
                           : !t.ndraw    ? "off, not run"
                           : !holds      ? "off, not proved"
                           : pr->bounded ? "within its bound"
                                         : sn_case_best(pv->a, &t);
        if (last && strcmp(last, best))
            sn_putf(&b, ": %s", last);
        sn_putf(&b, "%s%s", b.n ? ", " : "", s->arith[i]->name);
        last = best;
    }
    if (last)
        sn_putf(&b, ": %s", last);
    p->under = sn_buf_str(&b);
}
