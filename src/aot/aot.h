// SPDX-License-Identifier: Apache-2.0
/* Ahead of time: a graph as a program in C99 that needs neither sinter nor a
 * library, and no memory except what its caller passes (docs/compile.md). */
#ifndef SN_AOT_H
#define SN_AOT_H

#include "aot/node/target.h"
#include "run/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_AOT_REGIONS = 8 };

typedef struct SnAotOpts {
    const char *name; /* of file names and of every name in the files: a C
                         identifier */
    const SnAotTarget *target;
    bool binary;      /* constants are a file that the caller passes */
    uint32_t nregion; /* memories that the arena is split into; 0: one */
    size_t region[SN_AOT_REGIONS]; /* bytes of each, fastest first */
    /* Nodes take slower forms where the arena, or constants and tables, would
     * exceed this; 0: no limit.  The program may still exceed it. */
    size_t max_ram, max_flash;
    struct SnSamples *samples; /* the self-test uses the first; NULL: it is
                                  drawn */
} SnAotOpts;

/* What a node costs. */
typedef struct SnAotCost {
    SnId node;
    const char *label, *form; /* `form`: how its loops go (docs/compile.md) */
    int64_t rows;             /* of the result that a call makes, in a chain; 0:
                                 all */
    size_t flash; /* bytes of its constants and tables; constants that several
                     nodes read count for each */
    size_t live;  /* bytes of the arena that are in use while it runs */
    double ops;   /* products and sums */
    double macs;  /* of these, products that are summed */
    double instructions, cycles; /* on sn_aot_processor: estimates, or 0 */
} SnAotCost;

typedef struct SnAot {
    const char *name;
    const SnExec *x;
    uint32_t nfile;
    const char **file, **text; /* file names and contents */
    size_t *size;              /* bytes of each */
    size_t arena, bound;       /* bytes; the least that any plan of this order
                                  needs */
    uint32_t nregion;
    size_t region[SN_AOT_REGIONS]; /* bytes of the arena in each memory */
    size_t weights, tables; /* bytes of constants, of tables of functions */
    uint32_t nslower;       /* nodes in a slower form, for a limit */
    uint32_t nband;         /* nodes that make some rows a call: */
    size_t whole;           /* bytes of the arena if they did not */
    double band_cost;       /* extra instructions that they take */
    uint32_t ncost;
    SnAotCost *cost;             /* in order of steps */
    double instructions, cycles; /* their sums */
} SnAot;

/* The program of x's graph, which must outlive it; x is prepared by evaluators,
 * and the program has the same bits.  Fails (SN_EUNSUPPORTED) for a node
 * without a text, and names it. */
SnStatus sn_aot(SnArena *a, const SnExec *x, const SnAotOpts *o, SnDiag *d,
                const SnAot **out);
/* Writes the files into directory dir, which is created if it does not
 * exist. */
SnStatus sn_aot_write(const SnAot *p, const char *dir, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
