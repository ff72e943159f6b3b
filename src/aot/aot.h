// SPDX-License-Identifier: Apache-2.0
/* Ahead of time: a graph as a program in C99 that needs no sinter, no library
 * and no memory but what its caller hands it (docs/compile.md). */
#ifndef SN_AOT_H
#define SN_AOT_H

#include "kernel/isa.h"
#include "run/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_AOT_REGIONS = 8 };

/* What a program is for. */
typedef struct SnAotTarget {
    const char *name, *what;
    bool dsp;  /* sums of products by ARM's DSP instructions, */
    bool mve;  /* and by its vectors */
    bool wide; /* two products by one of 64 bits */
    SnIsa isa; /* by plans of kernel/conv for this one, if not portable */
} SnAotTarget;

/* NULL: there is none of this name.  A name of NULL is the first, `native` the
 * best that this processor runs. */
const SnAotTarget *sn_aot_target(const char *name);
/* The processor that estimates are of; NULL: there are none for this target. */
const char *sn_aot_processor(const SnAotTarget *t);
/* All of them, for a message. */
const char *sn_aot_targets(SnArena *a);

typedef struct SnAotOpts {
    const char *name; /* of files and of everything with a name in them: a word
                         of C */
    const SnAotTarget *target;
    bool binary;      /* constants are a file that the caller passes */
    uint32_t nregion; /* memories that the arena is cut into; 0: one */
    size_t region[SN_AOT_REGIONS]; /* bytes of each, the fastest first */
    /* Nodes take slower forms where the arena, or constants and tables, would
       be larger; 0: no limit.  The program may still be. */
    size_t max_ram, max_flash;
    struct SnSamples *samples; /* the first is that of the self-test; NULL: it
                                  is drawn */
} SnAotOpts;

/* What a node takes. */
typedef struct SnAotCost {
    SnId node;
    const char *label, *form; /* `form`: how its loops go (docs/compile.md) */
    int64_t rows;             /* of the result by a call, in a chain; 0: all */
    size_t flash; /* bytes of its constants and tables; of constants that
                     several nodes read, with each */
    size_t live;  /* bytes of the arena that are in use while it runs */
    double ops;   /* products and sums */
    double macs;  /* of them, products that are summed */
    double instructions, cycles; /* on sn_aot_processor: estimates, or 0 */
} SnAotCost;

typedef struct SnAot {
    const char *name;
    const SnExec *x;
    uint32_t nfile;
    const char **file, **text; /* names, and what is in them */
    size_t *size;              /* bytes of each */
    size_t arena, bound;       /* bytes; the least any plan of this order has */
    uint32_t nregion;
    size_t region[SN_AOT_REGIONS]; /* bytes of the arena in each memory */
    size_t weights, tables; /* bytes of constants, of tables of functions */
    uint32_t nslower;       /* nodes in a slower form, for a limit */
    uint32_t nband;         /* nodes that make some rows a call: */
    size_t whole;           /* bytes of the arena if they did not, */
    double band_cost;       /* and instructions that they take more */
    uint32_t ncost;
    SnAotCost *cost;             /* in order of steps */
    double instructions, cycles; /* sums of theirs */
} SnAot;

/* The program of x's graph, which must outlive it; x is prepared by evaluators,
 * whose bits it has.  Fails (SN_EUNSUPPORTED) for a node without a text, by
 * name. */
SnStatus sn_aot(SnArena *a, const SnExec *x, const SnAotOpts *o, SnDiag *d,
                const SnAot **out);
/* Writes the files into directory dir, which is made where it is not there. */
SnStatus sn_aot_write(const SnAot *p, const char *dir, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
