// SPDX-License-Identifier: Apache-2.0
/* What the files of the rewrite driver share. */
#ifndef SN_REWRITE_INTERNAL_H
#define SN_REWRITE_INTERNAL_H

#include "rewrite/rewrite.h"

typedef struct SnPair {
    SnRef old, new_;
} SnPair;

/* A fire whose nodes the graph's arithmetic does not admit: not again. */
typedef struct SnTakenBack {
    uint16_t rule;
    SnId root;
    const char *why;
} SnTakenBack;

struct SnRewriter {
    SnArena *arena;   /* sites, counts: as long as the rewriter */
    SnArena *scratch; /* one pass */
    SnRewriteOpts o;
    SnDiag *d;
    SnStatus status; /* set by a failed check; stops the run */

    /* Totals. */
    uint32_t *count; /* [sn_rule_end()] fires */
    uint32_t nfire, nchecked;
    SnSite *site;
    uint32_t nsite;
    bool record_declined;
    SnDeclined *declined;
    uint32_t ndeclined;
    uint32_t *last_declined; /* [nlast] by node */
    uint32_t nlast;
    uint32_t nsaid; /* calls of sn_declined */
    struct SnPassTime *time;
    uint32_t ntime;

    /* sn_order, kept from pass to pass. */
    SnArena *sorting; /* what it lies in */
    const SnId *order;
    uint32_t norder;
    uint64_t sorted; /* SnGraph.nedit then */

    /* The pass under way. */
    const SnPassDesc *pass;
    uint8_t *mark; /* per node id: QUEUED, SEEN */
    uint32_t nmark;
    SnId *stack; /* nodes to visit again, before the sweep goes on */
    uint32_t nstack;
    SnTakenBack *back;
    uint32_t nback;

    /* The fire under way. */
    bool firing;
    SnId fire_mark;      /* nodes from here on were made by it, */
    const uint32_t *age; /* or those of age `now`, where this is not NULL */
    uint32_t now;
    int nround; /* how often its sides are compared; 0: as --check-passes does
                 */
    SnId fire_root;
    SnClaim fire_claim;
    const char *refused; /* why it is taken back; or NULL */
    SnPair *pair;
    uint32_t npair;
    SnId *dead; /* nodes replaced, to be removed when they have no use */
    uint32_t ndead;
    SnId *moved; /* users of what was replaced */
    uint32_t nmoved;
    SnRef *late; /* to be folded in place once what it replaced is gone */
    uint32_t nlate;
};

typedef struct SnPassTime {
    const char *name;
    double seconds;
    uint32_t nfire, nvisit, nnode;
} SnPassTime;

/* Was node id made by the fire under way? */
static inline bool
sn_made_now(const SnRewriter *rw, SnId id)
{
    return rw->age ? rw->age[id] == rw->now : id >= rw->fire_mark;
}
/* Does the claim meet an allow line of pass p, or is it not asked to? */
bool sn_pass_allows(const SnPassDesc *p, SnClaim c);
/* Calls the watcher, if there is one. */
void sn_rewrite_watch(const SnRewriter *rw, const SnGraph *g, const char *pass);

/* Compares the old and new results of the fire under way on the same values
 * (check.c). */
SnStatus sn_check_fire(SnRewriter *rw, SnGraph *g);

/* v, a foldable result, in the memory of an operand that it alone reads, which
 * is removed; v's node becomes the Constant.  False: that cannot be done. */
bool sn_fold_inplace(SnGraph *g, SnRef v);
/* v, a foldable result, as a Constant that is v's node. */
void sn_fold_here(SnGraph *g, SnRef v);
/* Folds v to a late Constant: sets s->data, s->late and s->borrow, and charges
 * the folding.  False if no operand is late, a row of v needs more than that
 * row of the operand and small Constants, or no addresses are left. */
bool sn_fold_late(const SnGraph *g, SnRef v, SnSpec *s);
/* Could v be folded in place if nothing but v read this operand? */
bool sn_fold_waits(const SnGraph *g, SnRef v);

/* Nodes of g, which is being rewritten, in sn_topo's order; *n of them.  Valid
 * until the next call. */
const SnId *sn_order(SnRewriter *rw, const SnGraph *g, uint32_t *n);

/* The built-in passes. */
SnStatus sn_fold_pass(SnRewriter *rw, SnGraph *g);
/* Constants of one f32 element that only element-wise nodes read become Splats,
 * whose number patterns can name; or the other way round.  Names stay. */
void sn_numbers_pass(SnRewriter *rw, SnGraph *g, bool splats);
/* Functions of one 8-bit value become tables (tables.c). */
void sn_tables_pass(SnRewriter *rw, SnGraph *g);
/* Products of one value become one, and what is done alike to neighbouring
 * parts of a row (beside.c). */
SnStatus sn_beside_pass(SnRewriter *rw, SnGraph *g);
/* Transposes and Reshapes one after the other become one (chains.c). */
void sn_chains_pass(SnRewriter *rw, SnGraph *g);
/* One result, element by element, without scales along an axis (tables.c). */
bool sn_pointwise(const SnNode *n);
/* Whether b has a kernel for some tuple of the kind. */
bool sn_has_kernel(const SnBackendDesc *b, SnKind kind);
/* Removes id, if nothing reads it, and what only it read. */
void sn_remove_unused(SnGraph *g, SnId id);
SnStatus sn_cse_pass(SnRewriter *rw, SnGraph *g);

/* Queues a node for another visit in the pass under way. */
void sn_revisit(SnRewriter *rw, SnGraph *g, SnId id);

#endif
