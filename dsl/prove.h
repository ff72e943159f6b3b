/* The soundness engine: for every written rule and every derived instance, is
 * what the right side computes what the rule claims?
 *
 * Two layers work independently and check each other.  The calculus
 * (prove_lemma.c) normalises both sides to a real formula, a saturation set
 * and rounding terms with the lemmas L0 to L6 of docs/proofs.md: its verdicts
 * hold for all shapes and scales.  The enumerator (prove_case.c, prove_eval.c)
 * runs both sides, by the nodes' own formulas and the rows of docs/numerics.md,
 * over types drawn from a lattice of corners and over random ones; a rule of
 * one 8-bit input sees all 256 codes for every type.  What can't be stated is
 * `trusted`, and every report lists it. */
#ifndef SN_PROVE_H
#define SN_PROVE_H

#include "base/buf.h"
#include "dsl/model.h"

typedef enum SnLayer {
    SN_LAYER_LEMMA,      /* closed by the calculus, enumeration agrees */
    SN_LAYER_ENUMERATED, /* all codes over the types drawn */
    SN_LAYER_SAMPLED,    /* values drawn: several inputs, 16 bits, floats */
    SN_LAYER_DEFINITION, /* true by what fold() means */
    SN_LAYER_TRUSTED,    /* with the reason given in the source */
    SN_LAYER_INTERFACE,  /* changes what callers bind; claims nothing */
    SN_LAYER_REFUSED     /* an error was reported */
} SnLayer;

/* A counterexample, as text and as a graph for the evaluator: `graph` is a
 * text graph (docs/graph.md) of Constants and both sides, whose results are
 * saved as "left" and "right". */
typedef struct SnCounter {
    const char *line;  /* "x:q8(0.04,0)=127  ->  left: .. = 32, right: .." */
    const char *with;  /* "with m:q8(0.01,0), o:q8(0.04,0)" */
    const char *graph;
    int64_t at;        /* element of both results */
    double left, right;
    bool codes;        /* the results are codes, not reals */
} SnCounter;

typedef struct SnProof {
    const SnDefRule *rule; /* derived instances have a synthetic one */
    const SnDefDerive *derive; /* NULL: written */
    const SnDefNode *node; /* the node of an instance, or NULL */
    const char *name;      /* "absorb Conv2D.x", "fuse Rescale" */
    SnPos pos;
    const char *claim, *guard, *best; /* best: strongest claim that holds */
    const char *lemmas;    /* "L1 L5", or "" */
    SnLayer layer;
    const char *why;       /* trusted, interface: the reason; else a remark */
    uint32_t ndraw;        /* type draws that met the guard */
    uint64_t nvalue;       /* result elements compared */
    double diff;           /* largest difference seen, in codes */
    const SnCounter *counter;
} SnProof;

typedef struct SnProveOpts {
    uint32_t ndraw;        /* draws per rule; 0: the default */
    uint64_t seed;
    const char *cache;     /* proofs.txt to read and update, or NULL */
    const char *smt2;      /* directory for SMT-LIB obligations, or NULL */
    const SnDefBackend *only; /* reserved for one backend; NULL: all */
} SnProveOpts;

typedef struct SnProofs {
    uint32_t n;
    SnProof *v;
    bool cached;           /* the summary below comes from the cache */
    const char *report;    /* the text of --report */
} SnProofs;

/* Checks every rule and derived instance of resolved declarations without
 * errors.  Reports SN301 to SN311 to d.  o may be NULL.  With o->cache set, a
 * run on unchanged declarations is answered from that file when it holds
 * the same hash; only declarations without errors are cached. */
SnProofs *sn_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o);
void sn_def_prove(SnDefs *defs, SnDiag *d, const SnProveOpts *o);

#endif
