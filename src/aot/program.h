// SPDX-License-Identifier: Apache-2.0
/* A program that is being written, between node_c.c, place.c and write.c. */
#ifndef SN_PROGRAM_H
#define SN_PROGRAM_H

#include "aot/aot.h"

typedef enum SnHome {
    SN_HOME_NONE,
    SN_HOME_INPUT,
    SN_HOME_CONST,
    SN_HOME_ARENA,
    SN_HOME_OUTPUT
} SnHome;

/* Where a result lies. */
typedef struct SnAotValue {
    SnHome home;
    uint32_t i;  /* of the inputs, outputs, or blocks */
    SnRef alias; /* the result whose memory it is, or 0 */
} SnAotValue;

typedef struct SnProgram {
    SnArena *a;
    SnDiag *d;
    const SnExec *x;
    const SnGraph *g;
    const SnAotOpts *o;
    const char *name;  /* o->name */
    SnAotValue *value; /* [nnode << SN_RESBITS] */
    uint32_t nblock;
    SnBlock *block;
    bool *work; /* [nblock] working memory of a step, not a value */
    size_t arena, bound;
    bool *skipped;  /* [nstep] a move whose result is its operand */
    bool *fails;    /* [nstep] its function returns an int */
    size_t *tables; /* [nstep] bytes of its functions' tables */
    const struct SnAotTile **tile; /* [nstep] NULL: the loops of its text */
    uint32_t *scratch;             /* [nstep] block that a tile works in */
    SnBuf packed, extern_; /* filters of tiles, and what declares them */
    size_t npacked;        /* bytes of them */
    SnBuf nodes;           /* the functions of the nodes */
    SnBuf calls;           /* the body of the run function */
} SnProgram;

enum { SN_AOT_ALIGN = 16 };

/* place.c: homes of all values, and the arena. */
void sn_aot_place(SnProgram *p);
/* node_c.c: finds the tiles of all steps. */
SnStatus sn_aot_tiles(SnProgram *p);
/* node_c.c: appends the functions of step s, and calls of them. */
SnStatus sn_aot_node(SnProgram *p, uint32_t s);
/* The value as an argument: a pointer's name. */
const char *sn_aot_arg(const SnProgram *p, SnRef ref);
/* test_c.c: the text of the self-test, with a stored sample. */
SnStatus sn_aot_test(const SnProgram *p, const char **out);
/* write.c: a tensor's elements as an array of C. */
void sn_aot_array(SnBuf *b, const SnType *t, const SnShape *s,
                  const void *data);
/* Elements in memory: of rows of codes their bytes. */
int64_t sn_aot_count_of(const SnType *t, const SnShape *s);

#endif
