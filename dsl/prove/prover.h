// SPDX-License-Identifier: Apache-2.0
/* Inside the soundness engine: the instances to prove, and the answers of each
 * layer.  A written rule or a derived instance is an instance of this file;
 * trial/case.h has the concrete graphs on which instances are tried. */
#ifndef SN_PROVER_H
#define SN_PROVER_H

#include "base/saturate.h"
#include "dsl/prove/prove.h"

/* A rule to be proved, with what the language can't say about derived ones. */
typedef struct SnInstance {
    const SnDefRule *r;
    const SnDefDerive *derive;
    const SnDefNode *any;        /* what `any CLASS` and `forms` stand for */
    const SnDefNode *node;       /* derived: the node */
    const SnDefBackend *backend; /* whose facts node has; NULL: as declared */
    const SnDefRule *binds; /* the rule without a claim that this one belongs
                               to */
    const SnDefNode *comm;  /* the rule exchanges its operands: `commutes` */
    const SnDefConc *to;    /* the only type of the root that is rewritten, or
                               NULL */
    const char *name;
    bool commutes;    /* guard: constants inside the node survive the Rescale */
    bool swap;        /* guard: the value itself rounds the same both ways */
    bool renumber;    /* axis attributes follow a Transpose */
    bool given_bias;  /* biases are drawn on the grid they are pinned to */
    bool alike;       /* guard: the nodes above all operands are alike */
    bool bounded;     /* claim: ceil(1.5 + s_in / (2 s_out)) lsb */
    bool forced;      /* the node leaves no choice: nothing is claimed */
    bool along;       /* cases prefer types along an axis */
    uint32_t wide;    /* least SnProofCase.wide of its cases */
    SnRounding round; /* the arithmetic of the cases */
    const char *guard; /* as reports show it, NULL: the rule's own */
} SnInstance;

typedef struct SnProofCache SnProofCache;
typedef struct SnCertificates SnCertificates;

typedef struct SnProver {
    SnDefs *defs;
    SnDiag *d;
    SnArena *a;
    const SnProveOpts *o;
    SnProofs *out;
    SnProofCache *cache; /* or NULL */
    SnCertificates *certificates;
    /* NULL, or the function that has changed the judged rule before its names
     * were resolved: rules made from its text are changed in the same way */
    void (*mutate)(void *arg, SnDefRule *r);
    void *mutate_arg;
    bool *outside; /* NULL, or for each of defs->map: a case has read outside of
                    * an operand where the map does not allow it (SN186) */
    uint32_t nconversion; /* what was found out about rows (prove_under.c) */
    struct SnConversion *conversion;
    struct SnMemoForms *forms; /* answers of all proofs; NULL until requested */
    SnArena *scratch;          /* NULL until requested */
    bool scratch_taken;
} SnProver;

/* ---- memory of one proof (prove_scratch.c) ---- */

/* An empty arena until sn_prove_scratch_back, which clears it; one taker at a
 * time. */
SnArena *sn_prove_scratch(SnProver *pv);
void sn_prove_scratch_back(SnProver *pv);

/* ---- derived instances (prove_instance.c) ---- */

/* The derived instances of the nodes that backend b refines, and why a written
 * rule no longer resolves (or NULL): both while sn_def_view shows b. */
uint32_t sn_prove_refined(SnProver *pv, const SnDefBackend *b,
                          SnInstance **out);
const char *sn_prove_why_not(SnProver *pv, const SnDefRule *r);
uint32_t sn_prove_instances(SnProver *pv, SnInstance **out);
/* Each `commutes` as a rule. */
uint32_t sn_prove_commutes(SnProver *pv, SnInstance **out);
/* A rule from text, changed by mutate (or NULL) before it is resolved; NULL,
 * with errors in d. */
SnDefRule *sn_prove_reparse(SnProver *pv, SnDiag *d, const char *text,
                            void (*mutate)(void *arg, SnDefRule *r), void *arg);
/* Rules of a pass as sn_prove_judge's instances: one, or one for each kind. */
uint32_t sn_prove_spell(SnProver *pv, const SnDefRule *r, SnInstance **out);
void sn_prove_judge(SnProver *pv, const SnInstance *pr);
/* Do the calculi prove it without cases, with a certificate that the checker
 * takes? *by_elems: it is proved by elements, not by lemmas. */
bool sn_prove_calculi(SnProver *pv, const SnInstance *pr, bool *by_elems);
/* A node on either side that nothing runs, or NULL. */
const SnDefNode *sn_prove_opaque_pat(const SnPat *p);
const SnDefNode *sn_prove_opaque_term(const SnTerm *t);
/* A condition in the scope of r, resolved; NULL if it makes no sense. */
const SnExpr *sn_prove_parse_cond(SnProver *pv, const SnDefRule *r,
                                  const char *text);

/* ---- rules without a claim (prove_bind.c) ---- */

/* The exact rule that states that r, which claims nothing, changes no value;
 * SN314 and false if there is none. */
bool sn_prove_bind(SnProver *pv, const SnDefRule *r, SnDefRule **says);
/* The node that makes reals from codes, or NULL (prove_instance.c). */
const SnDefNode *sn_prove_dequantize(const SnProver *pv);

/* ---- the calculus (prove_lemma.c) ---- */

typedef struct SnLemma {
    bool exact, refines; /* proved */
    bool within1;        /* the same roundings: binary32 may move a tie, L6 */
    bool none;           /* out of the calculus' reach */
    bool first;          /* of several results this holds only for the first */
    uint32_t used;       /* bit per lemma number */
    bool failed;     /* why is a step that fails, not what is out of reach */
    const char *why; /* the reason for the failure */
    const char *certificate; /* of the proved claim, or NULL */
} SnLemma;
SnLemma sn_calculus_lemma(SnProver *pv, const SnInstance *pr);
/* Does the quantized row differ from its formula's steps? */
bool sn_calculus_own_row(const SnDefSem *s);
bool sn_prove_proved(const SnInstance *pr, const SnLemma *l);

/* ---- flags (prove_flag.c) ---- */

/* SN313 where the right side waives a saturation that the left one doesn't;
 * false then. */
bool sn_prove_flags(SnProver *pv, const SnInstance *pr, uint32_t ndraw,
                    uint64_t seed);

/* ---- guards (prove_guard_help.c), reports (prove_report.c) ---- */

void sn_prove_report(const SnProver *pv, SnBuf *b);
const char *sn_prove_guard_text(const SnProver *pv, const SnProof *p,
                                const SnInstance *pr);
const char *sn_prove_layer_word(SnLayer l);
void sn_prove_smt2(SnProver *pv, const SnInstance *pr, const SnProof *p);
/* The questions of a certificate that the checker takes, each once, as SMT-LIB
 * that a solver answers by `unsat`; *n: how many.  NULL: it is refused. */
const char *sn_prove_smt2_steps(SnArena *a, const char *text, uint32_t *n);
/* The name, with `_` for characters that file names must not have. */
const char *sn_prove_file_name(SnArena *a, const char *name);

/* ---- verdicts of earlier runs (prove_cache.c) ---- */

/* Reads pv->o->cache; while no backend's facts are in force (sn_def_view). */
SnProofCache *sn_prove_cache(SnProver *pv);
/* The key of pr, and in *p the verdict where there is one (p->recalled); NULL
 * without a cache. */
const char *sn_prove_recall(SnProver *pv, const SnInstance *pr, SnProof *p);
void sn_prove_enter(SnProver *pv, const char *key, const SnProof *p);
void sn_prove_store(SnProver *pv);

/* ---- certificates (prove_certificate.c) ---- */

/* Reads those of earlier runs. */
SnCertificates *sn_certificates(SnProver *pv);
const char *sn_certificate_of(SnCertificates *c, const char *key);
const char *sn_certificate_hash(SnProver *pv, const char *text);
void sn_certificate_keep(SnProver *pv, const char *key, const SnProof *p);
/* Refused: an error, and false. */
bool sn_certificate_check(SnProver *pv, const SnInstance *pr, const SnProof *p);
/* Why the checker does not take that certificate for pr's claim, or NULL;
 * *roundings: those that it counts, as reports have them. */
const char *sn_certificate_why_not(SnProver *pv, const SnInstance *pr,
                                   bool by_lemma, const char *text,
                                   const char **roundings);
void sn_certificates_store(SnProver *pv);
void sn_certificates_report(const SnProver *pv, SnBuf *b);

#endif
