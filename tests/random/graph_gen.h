// SPDX-License-Identifier: Apache-2.0
/* Random graphs for tests, from descriptors alone: every kind that has an
 * evaluator takes part, with random attributes, types and operands that its
 * declaration permits.  The same options give the same graph. */
#ifndef SN_GRAPH_GEN_H
#define SN_GRAPH_GEN_H

#include "graph/desc.h"

typedef enum SnRandomFlavour {
    SN_RANDOM_CODES, /* quantized nodes, dense in conversions */
    SN_RANDOM_QDQ,   /* float nodes between Dequantize and Quantize */
    SN_RANDOM_FLOAT, /* float nodes */
    SN_NRANDOM
} SnRandomFlavour;

typedef struct SnRandomOpts {
    uint64_t seed;
    SnRandomFlavour flavour;
    uint32_t nnode;       /* nodes wanted beside inputs and Constants */
    const char *backend;  /* whose own nodes may appear too, or NULL */
    bool edges;           /* NaN and infinities in Constants, too */
    const SnGraph *from;  /* to begin with, changed here and there; or NULL */
    const SnMapDecl *map; /* nodes over this map only, of any rank that it
                             takes, on Constants; or NULL */
    const uint8_t *bytes; /* decide instead of the seed as far as they go: */
    size_t nbyte;         /* for fuzzing */
} SnRandomOpts;

/* Verified; every node reaches one of its outputs. */
SnGraph *sn_random_graph(SnArena *a, const SnRandomOpts *o);

/* A graph on which some rule fires (cases/cases.h), to begin with: n chooses
 * the rule and its instance, among those for any backend and for this one, or
 * among its own. */
SnGraph *sn_random_case(SnArena *a, uint64_t n, const char *backend, bool own);

struct SnCase;
SnGraph *sn_case_graph(SnArena *a, const struct SnCase *k);

/* Fills a tensor: all 256 codes first where 8 bits have room for them, then
 * codes with the extremes over-represented; reals in [-4, 4], in some tensors
 * NaN, infinities, zeros of both signs and the like; indices from -2 to 1. */
void sn_random_data(uint64_t *state, const SnType *t, const SnShape *s,
                    void *data);
/* The same without what is not finite. */
void sn_random_finite(uint64_t *state, const SnType *t, const SnShape *s,
                      void *data);

#endif
