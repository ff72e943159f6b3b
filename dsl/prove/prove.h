// SPDX-License-Identifier: Apache-2.0
/* The soundness engine: for every written rule and every derived instance, does
 * the right side compute what the rule claims?
 *
 * Rules that are not proved are refused.  The calculus
 * (prove_lemma.c) normalises both sides to a real formula, a saturation set
 * and rounding terms with the lemmas L0 to L6 of docs/proofs.md; the index
 * calculus (index/index.h) compares the elements from which both sides are
 * made.  Their verdicts hold for all shapes and scales.  The enumerator
 * (prove_case.c, prove_eval.c) runs both sides, by the nodes' own formulas and
 * the rows of docs/numerics.md, over types drawn from a lattice of corners and
 * over random ones: it refutes, and accepts nothing.  Rules that cannot be
 * stated are `trusted`, and every report lists them. */
#ifndef SN_PROVE_H
#define SN_PROVE_H

#include "base/buf.h"
#include "dsl/model/model.h"

typedef enum SnLayer {
    SN_LAYER_LEMMA, /* closed by the calculus, no case contradicts it */
    SN_LAYER_INDEX, /* both sides are made from the same elements, likewise */
    SN_LAYER_DEFINITION, /* true by the meaning of fold() */
    SN_LAYER_TRUSTED,    /* with the reason given in the source */
    SN_LAYER_LOSSY,      /* claims no more than a bound, or nothing */
    SN_LAYER_REFUSED     /* an error was reported */
} SnLayer;

/* A counterexample, as text and as a graph for the evaluator: `graph` is a
 * text graph (docs/graph.md) of Constants and both sides, whose results are
 * saved as "left" and "right". */
typedef struct SnCounter {
    const char *line; /* "x:q8(0.04,0)=127  ->  left: .. = 32, right: .." */
    const char *with; /* "with m:q8(0.01,0), o:q8(0.04,0)" */
    const char *graph;
    int64_t at; /* element of both results */
    double left, right;
    bool codes;                 /* the results are codes, not reals */
    const struct SnDefRow *row; /* declared for float, and run; or NULL */
} SnCounter;

typedef struct SnProof {
    const SnDefRule *rule;       /* derived instances have a synthetic one */
    const SnDefDerive *derive;   /* NULL: written */
    const SnDefNode *node;       /* the node of an instance, or NULL */
    const SnDefBackend *backend; /* the backend whose narrower facts the
                                    instance has; NULL: as declared */
    const char *name;            /* "absorb Conv2D.x", "fuse Rescale" */
    SnPos pos;
    const char *claim, *guard, *best; /* best: strongest claim that holds */
    const char *lemmas;               /* "L1 L5", or "" */
    SnLayer layer;
    const char *why;   /* trusted, lossy: the reason; else a remark */
    uint32_t ndraw;    /* type draws that met the guard */
    uint64_t nvalue;   /* result elements compared */
    double diff;       /* largest difference seen, in codes */
    const char *under; /* what holds under arithmetics other than float that
                          have their own rows for it; or "" */
    uint64_t off;      /* bit per arithmetic: not proved, and switched off */
    const SnCounter *counter, *off_by; /* off_by: of the last one in `off` */
    const char *certificate;           /* what the checker reads, or NULL */
    const char *hash; /* recalled: of its certificate, or NULL */
    bool recalled;    /* the verdict is that of an earlier run */
} SnProof;

enum { SN_PROVE_NDRAW = 96 }; /* cases for each rule, by default */

typedef struct SnProveOpts {
    uint32_t ndraw; /* draws per rule; 0: the default */
    uint64_t seed;
    const char *cache;        /* proofs.txt to read and update, or NULL; with */
    const char *certificates; /* of these proofs, beside it, and */
    const char *prover;       /* verdicts of another prover are not used */
    const char *smt2;         /* directory for SMT-LIB obligations, or NULL */
    const SnDefBackend *only; /* reserved for one backend; NULL: all */
} SnProveOpts;

typedef struct SnProofs {
    uint32_t n;
    SnProof *v;
    const char *report; /* the text of --report */
} SnProofs;

/* Checks every rule and derived instance of resolved declarations without
 * errors.  Reports SN301 to SN311 to d.  o may be NULL.  With o->cache set, an
 * instance with a verdict in that file is not proved again while everything its
 * verdict depends on is unchanged (prove_cache.c). */
SnProofs *sn_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o);
void sn_def_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o);

/* ---- damaged rules: tools/mutants.c ---- */

/* A subject of proof, before `any` and `forms` are expanded: a written rule, or
 * a derived instance as the equivalent rule. */
typedef struct SnSubject {
    const char *name;      /* "pass.rule", "absorb Conv2D.x" */
    const SnDefRule *rule; /* resolved */
    const SnDefDerive *derive;
    uint32_t nimplicit;      /* implicit conditions: sn_subject_implicit */
    const char *fixed_claim; /* the claim is not the rule's own, or NULL */
} SnSubject;

typedef struct SnSubjects SnSubjects;

SnSubjects *sn_subjects(SnDefs *defs, SnDiag *d);
uint32_t sn_subjects_count(const SnSubjects *s);
SnSubject sn_subject(const SnSubjects *s, uint32_t i);
const char *sn_subject_implicit(const SnSubjects *s, uint32_t i, uint32_t k);

/* Subject i again from its text, changed by mutate(arg, rule) before names are
 * resolved; NULL, with the error in d, when it no longer resolves.  What the
 * next functions prove of it may be changed so again. */
SnDefRule *sn_subject_mutate(SnSubjects *s, uint32_t i, SnDiag *d,
                             void (*mutate)(void *arg, SnDefRule *r),
                             void *arg);
/* Proves r instead of subject i, with `more` times the cases that a build
 * draws: errors and notes go to d.  The implicit condition of that number is
 * dropped; UINT32_MAX: none. */
void sn_subject_prove(SnSubjects *s, uint32_t i, const SnDefRule *r,
                      uint32_t implicit, uint32_t more, SnDiag *d);

/* Do the calculi prove the claim of r without cases, for each kind it
 * represents, with certificates that the checker takes?  *by_elems: some are
 * proved by elements. */
bool sn_subject_proved(SnSubjects *s, uint32_t i, const SnDefRule *r,
                       uint32_t implicit, bool *by_elems);

/* Do all arithmetics compute both sides of subject i by the same rows? */
bool sn_subject_same_rows(SnSubjects *s, uint32_t i);

#endif
