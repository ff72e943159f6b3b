// SPDX-License-Identifier: Apache-2.0
/* A program that is being written, between node_c.c, place.c and write.c. */
#ifndef SN_PROGRAM_H
#define SN_PROGRAM_H

#include "aot/aot.h"
#include "aot/tuned/tuned.h"

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

/* A constant of the program: one of the graph, or filters in another order. */
typedef struct SnAotConst {
    const char *name, *label; /* in C; in the graph */
    const SnType *type;
    const SnShape *shape;
    const void *data;
    size_t nbyte, offset; /* bytes; where it is among all */
} SnAotConst;

/* A way to run a step. */
typedef struct SnAotForm {
    const struct SnAotTile *tile; /* NULL: the loops of its text */
    int64_t trail;                /* sn_aot_trail of a tile */
} SnAotForm;

enum { SN_AOT_FORMS = 3 };
typedef SnAotForm SnAotForms[SN_AOT_FORMS];

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
    bool *work;       /* [nblock] working memory of a step, not a value */
    uint32_t *region; /* [nblock] the arena that holds it */
    uint32_t nregion;
    size_t size[SN_AOT_REGIONS]; /* bytes of each, in all, at least */
    size_t arena, bound;
    bool *tied;          /* [nstep] its result lies over an operand, */
    uint32_t *under;     /* [nstep] that block */
    size_t *live;        /* [nstep] bytes of blocks in use while it runs */
    size_t *least;       /* [nstep + 1] the least that any plan needs */
    bool *skipped;       /* [nstep] a move whose result shares its operand's
                            memory */
    bool *fails;         /* [nstep] its function returns an int */
    size_t *tables;      /* [nstep] bytes of its functions' tables */
    SnAotForms *form;    /* [nstep] the fastest first */
    uint8_t *nform, *at; /* [nstep] how many; the chosen one: */
    const struct SnAotTile **tile;
    int64_t *trail;
    uint32_t *scratch;   /* [nstep] block that a tile works in */
    struct SnBand *band; /* [nstep] chains of steps by bands of rows */
    size_t whole;        /* bytes of the arena without them */
    double band_cost;    /* extra instructions that they take */
    uint32_t nconst;
    SnAotConst *constant;
    size_t weights, nbinary; /* bytes of them; as a binary */
    SnTunedUse use;          /* of tiles of plans */
    SnBuf nodes;             /* the functions of the nodes */
    SnBuf calls;             /* the body of the run function */
    SnBuf rows;              /* functions of rows that a plugin provides */
} SnProgram;

/* Alignment of values; the first bytes of a binary, before its constants; a
 * line of a host's cache. */
enum { SN_AOT_ALIGN = 16, SN_AOT_TAG = 8, SN_AOT_LINE = 64 };

/* home.c: homes of all values and the blocks of the arena; the value whose
 * memory a result has. */
void sn_aot_homes(SnProgram *p);
SnAotValue *sn_aot_value(const SnProgram *p, SnRef ref);
/* place.c: homes of all values, and the arena. */
void sn_aot_place(SnProgram *p);
/* node_c.c: finds the forms of all steps; each step starts with the first. */
SnStatus sn_aot_tiles(SnProgram *p);
/* band_find.c: puts steps into chains where this shrinks the arena at little
 * cost, or where the arena is larger than max_ram. */
SnStatus sn_aot_bands(SnProgram *p);
/* band_c.c: what the call of step s passes; the loops of the chain that ends
 * with it. */
void sn_aot_band_pass(SnProgram *p, uint32_t s);
void sn_aot_band_put(SnProgram *p, uint32_t s);
/* node_c.c: appends the functions of step s, and calls of them. */
SnStatus sn_aot_node(SnProgram *p, uint32_t s);
/* The node of step s, without its map; the tile that it has by bands. */
struct SnAotNode sn_aot_open(SnProgram *p, uint32_t s, unsigned res);
SnStatus sn_aot_band_tile(SnProgram *p, uint32_t s,
                          const struct SnAotTile **tile);
/* band_find.c: the open map as that of one call. */
void sn_aot_band_cut(struct SnAotNode *n, const struct SnBand *b);
/* host_c.c: writes the body of a node by kernels of the CPU backend; false:
 * they do not compute it, or the program is for no host.  A sum needs no map.
 */
bool sn_aot_host_sum(SnProgram *p, struct SnAotNode *n);
bool sn_aot_host(SnProgram *p, struct SnAotNode *n, const char *const *text);
/* Is its first result the largest of each window, by codes of one scale?  Its
 * map is open. */
bool sn_aot_is_max(struct SnAotNode *n);
/* const_c.c: adds a constant after the others. */
void sn_aot_constant(SnProgram *p, SnAotConst c);
/* cost.c: the largest working memory of a node. */
size_t sn_aot_scratch(const SnProgram *p);
/* home.c: the value as an argument: a pointer's name. */
const char *sn_aot_arg(const SnProgram *p, SnRef ref);
/* estimate.c: changes forms of steps until the arena is within max_ram or no
 * form helps; until constants take about `less` fewer bytes; false: no form
 * does. */
void sn_aot_use_form(SnProgram *p, uint32_t s, uint32_t form);
void sn_aot_fit_ram(SnProgram *p);
bool sn_aot_fit_flash(SnProgram *p, size_t less);
/* Approximate instructions of step s, and cycles per instruction. */
double sn_aot_cycles(const SnAotTarget *t);
double sn_aot_instructions(const SnProgram *p, uint32_t s);
/* The same with a tile; NULL: with the loops of its text. */
double sn_aot_form_instructions(const SnProgram *p, uint32_t s,
                                const struct SnAotTile *t);
/* cost.c: what each step takes; the memory map. */
void sn_aot_costs(const SnProgram *p, SnAot *o);
const char *sn_aot_json(const SnProgram *p, const SnAot *o);
/* A name of the model inside of a comment, which it does not end. */
const char *sn_aot_comment(SnArena *a, const char *name);
/* How the functions name the parameter and the address of region r. */
const char *sn_aot_arena(const SnProgram *p, uint32_t r);
const char *sn_aot_base(const SnProgram *p, uint32_t r);
/* test_c.c: the text of the self-test, with a stored sample. */
SnStatus sn_aot_test(const SnProgram *p, const char **out);
/* ---- const_c.c ---- */

/* Alignment of constants in a binary. */
int sn_aot_const_align(const SnProgram *p);
/* Adds the graph's constants that code names. */
void sn_aot_constants(SnProgram *p, const char *code);
/* Their declarations; their file (up: the name in capitals). */
void sn_aot_const_extern(const SnProgram *p, SnBuf *b);
void sn_aot_const_text(const SnProgram *p, const char *up, SnBuf *b);
/* All of them in one piece; the lines of the run function that name them, from
 * its parameter `weights`. */
const uint8_t *sn_aot_const_bytes(const SnProgram *p, size_t *nbyte);
void sn_aot_const_bind(const SnProgram *p, SnBuf *b);
/* A tensor's elements as an array of C. */
void sn_aot_array(SnBuf *b, const SnType *t, const SnShape *s,
                  const void *data);
/* Elements in memory: for rows of codes, their bytes. */
int64_t sn_aot_count_of(const SnType *t, const SnShape *s);

#endif
