// SPDX-License-Identifier: Apache-2.0
/* Inside the soundness engine: what is proved, and what each layer answers.  A
 * written rule or a derived instance is an instance of this file; trial/case.h
 * has the concrete graphs on which instances are tried. */
#ifndef SN_PROVER_H
#define SN_PROVER_H

#include "base/saturate.h"
#include "dsl/prove/prove.h"

/* A rule to be proved, with what the language can't say about derived ones. */
typedef struct PvRule {
    const SnDefRule *r;
    const SnDefDerive *derive;
    const SnDefNode *any;        /* what `any CLASS` and `forms` stand for */
    const SnDefNode *node;       /* derived: the node */
    const SnDefBackend *backend; /* whose facts node has; NULL: as declared */
    const SnDefRule *binds; /* the rule without a claim that this one is of */
    const SnDefNode *comm;  /* the rule exchanges its operands: `commutes` */
    const SnDefConc *to;    /* the type of the root that alone is rewritten, or
                               NULL */
    const char *name;
    bool commutes;    /* guard: constants inside the node survive the Rescale */
    bool swap;        /* guard: the value itself rounds alike both ways */
    bool renumber;    /* axis attributes follow a Transpose */
    bool given_bias;  /* biases are drawn on the grid they are pinned to */
    bool alike;       /* guard: the nodes above all operands are alike */
    bool bounded;     /* claim: ceil(1.5 + s_in / (2 s_out)) lsb */
    bool forced;      /* the node leaves no choice: nothing is claimed */
    bool along;       /* cases prefer types along an axis */
    uint32_t wide;    /* least PvCase.wide of its cases */
    SnRounding round; /* whose arithmetic the cases have */
    const char *guard; /* as reports show it, NULL: the rule's own */
} PvRule;

typedef struct Pv {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    const SnProveOpts *o;
    SnProofs *out;
} Pv;

/* ---- derived instances (prove_instance.c) ---- */

/* The derived instances of the nodes that backend b refines, and why a written
 * rule no longer resolves (or NULL): both while sn_def_view shows b. */
uint32_t sn_pv_refined(Pv *pv, const SnDefBackend *b, PvRule **out);
const char *sn_pv_why_not(Pv *pv, const SnDefRule *r);
uint32_t sn_pv_instances(Pv *pv, PvRule **out);
/* What each `commutes` says, as a rule. */
uint32_t sn_pv_commutes(Pv *pv, PvRule **out);
/* A rule from text, changed by hurt (or NULL) before it is resolved; NULL,
 * with errors in d. */
SnDefRule *sn_pv_reparse(Pv *pv, SnDiag *d, const char *text,
                         void (*hurt)(void *arg, SnDefRule *r), void *arg);
/* Rules of a pass as sn_pv_prove's instances: one, or one for each kind. */
uint32_t sn_pv_spell(Pv *pv, const SnDefRule *r, PvRule **out);
void sn_pv_prove(Pv *pv, const PvRule *pr);
/* A condition in the scope of r, resolved; NULL when it makes no sense. */
const SnExpr *sn_pv_parse_cond(Pv *pv, const SnDefRule *r, const char *text);

/* ---- rules without a claim (prove_bind.c) ---- */

/* The exact rule that says that r, which claims nothing, changes no value;
 * SN314 and false where there is none. */
bool sn_pv_bind(Pv *pv, const SnDefRule *r, SnDefRule **says);
/* The node that makes reals of codes, or NULL (prove_instance.c). */
const SnDefNode *sn_pv_dequantize(const Pv *pv);

/* ---- the calculus (prove_lemma.c) ---- */

typedef struct PvLemma {
    bool exact, refines; /* proved */
    bool within1;        /* the same roundings: binary32 may move a tie, L6 */
    bool none;           /* out of the calculus' reach */
    uint32_t used;       /* bit per lemma number */
    const char *why;     /* what it stumbled on */
} PvLemma;
PvLemma sn_pv_lemma(Pv *pv, const PvRule *pr);
/* Is the quantized row another thing than its formula's steps? */
bool sn_pv_own_row(const SnDefSem *s);
bool sn_pv_proved(const PvRule *pr, const PvLemma *l);

/* ---- flags (prove_flag.c) ---- */

/* SN313 where the right side waives a saturation that the left one doesn't;
 * false then. */
bool sn_pv_flags(Pv *pv, const PvRule *pr, uint32_t ndraw, uint64_t seed);

/* ---- guards (prove_guard_help.c), reports (prove_report.c) ---- */

void sn_pv_report(const Pv *pv, SnBuf *b);
const char *sn_pv_guard_text(const Pv *pv, const SnProof *p, const PvRule *pr);
const char *sn_pv_hash(const Pv *pv);
bool sn_pv_cached(Pv *pv, const char *hash);
void sn_pv_store(Pv *pv, const char *hash);
void sn_pv_smt2(Pv *pv, const PvRule *pr, const SnProof *p);

#endif
