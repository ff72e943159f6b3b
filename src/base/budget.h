// SPDX-License-Identifier: Apache-2.0
/* The governor: what a job may take of memory, operations, nodes and time.  A
 * budget belongs to the threads that use it; arenas that they make charge it,
 * and so does work whose amount a file decides.  Who asks for more than is left
 * ends as if memory had run out: control goes to the innermost SN_GUARD, and
 * sn_budget_trip says what asked.  A thread without a budget has no limits. */
#ifndef SN_BUDGET_H
#define SN_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: the default.  The defaults of folding (operations, bytes) and unrolling
 * (nodes) are in proportion to the files that were read; ops, memory and nodes
 * replace them where they are given. */
typedef struct SnLimits {
    uint64_t memory; /* bytes of arenas; default SN_MAX_MEMORY */
    uint64_t ops;    /* of folding, and of one sample; SN_MAX_OPS */
    uint64_t nodes;  /* of a graph; SN_MAX_NODES */
    double seconds;  /* default: any number */
} SnLimits;

#define SN_MAX_MEMORY UINT64_C(4000000000)
#define SN_MAX_OPS UINT64_C(4000000000000)
#define SN_MAX_NODES UINT64_C(1000000)

typedef enum SnCharge {
    SN_CHARGE_MEMORY,     /* bytes that arenas hold */
    SN_CHARGE_OPS,        /* operations of one sample */
    SN_CHARGE_NODES,      /* live nodes of one graph */
    SN_CHARGE_TIME,       /* since the limits were set */
    SN_CHARGE_FOLD_OPS,   /* of constants, all together */
    SN_CHARGE_FOLD_NBYTE, /* the same */
    SN_CHARGE_UNROLL      /* nodes, all together */
} SnCharge;
enum { SN_NCHARGE = SN_CHARGE_UNROLL + 1 };

typedef struct SnBudget SnBudget;

/* Where the arenas made under a budget lie, instead of the system's memory.
 * alloc gives n bytes aligned to 16, of any content, or NULL; release gets them
 * back with the same n.  They are called by all threads that use the budget. */
typedef struct SnMemory {
    void *(*alloc)(void *ctx, size_t n);
    void (*release)(void *ctx, void *p, size_t n);
    void *ctx;
} SnMemory;

SnBudget *sn_budget_new(const SnLimits *l); /* NULL: no memory */
/* From now on; before the first arena is made. */
void sn_budget_set_memory(SnBudget *b, const SnMemory *m);
/* NULL: the system's; also of b NULL. */
const SnMemory *sn_budget_memory(const SnBudget *b);
/* Also frees the arenas made under it that are left, the oldest first: what a
 * jump to a guard has passed over. */
void sn_budget_free(SnBudget *b);
/* Other limits from now on; the time starts again. */
void sn_budget_limit(SnBudget *b, const SnLimits *l);
/* b is what this thread uses from now on (NULL: none); returns what it used.
 * Threads that work for it do the same. */
SnBudget *sn_budget_use(SnBudget *b);
SnBudget *sn_budget_now(void);

/* What this thread does, for messages: `doing` is a literal ("folding"), what
 * is copied ("m.onnx: node 'c' (Conv)").  Looks at the time. */
void sn_budget_at(const char *doing, const char *what);
/* The literal of the last sn_budget_at of this thread: for signal handlers. */
const char *sn_budget_doing(void);
/* A model of n bytes was read, or a file beside one: folding and unrolling may
 * take more in proportion. */
void sn_budget_model(uint64_t n);
void sn_budget_beside(uint64_t n);
/* n more of what is counted all together; sn_charge_level: n in all. */
void sn_charge(SnCharge what, uint64_t n);
void sn_charge_level(SnCharge what, uint64_t n);
uint64_t sn_budget_limit_of(SnCharge what); /* UINT64_MAX without a budget */
/* What is left of what is counted all together. */
uint64_t sn_budget_left(SnCharge what);

/* For arenas.  take: false when nbyte are not left; noted as a trip. */
bool sn_budget_take(SnBudget *b, size_t nbyte);
void sn_budget_give(SnBudget *b, size_t nbyte);
bool sn_budget_has(SnBudget *b, size_t nbyte);
struct SnArenaList *sn_budget_arenas(SnBudget *b); /* of arena.c */

/* Why memory ran out in this thread, last.  option: what raises the limit, or
 * NULL: the system had no memory. */
typedef struct SnTrip {
    char where[200]; /* "sinter" when nothing was said */
    char text[240];
    const char *option;
} SnTrip;
const SnTrip *sn_budget_trip(void);
/* The system has no memory. */
void sn_out_of_memory(void) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
