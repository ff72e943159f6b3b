// SPDX-License-Identifier: Apache-2.0
/* The graph: nodes in an arena, addressed by 32-bit ids, with use lists per
 * result.  A graph output (Save) is a node with a use.  Names are unique and
 * survive rewriting.  Nothing here knows a node by name: what a kind is comes
 * from its descriptor (desc.h). */
#ifndef SN_GRAPH_H
#define SN_GRAPH_H

#include "base/diag.h"
#include "base/saturate.h"
#include "graph/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t SnId;  /* a node; 0 is none */
typedef uint32_t SnRef; /* one result of a node; 0 is none */
typedef uint32_t SnKind;
typedef struct SnLate SnLate; /* graph/late/late.h */

enum { SN_RESBITS = 3, SN_MAXRES = 1 << SN_RESBITS };
#define SN_REF(node, res) (((SnRef)(node) << SN_RESBITS) | (SnRef)(res))
#define SN_NODE(ref) ((SnId)((ref) >> SN_RESBITS))
#define SN_RES(ref) ((unsigned)((ref) & (SN_MAXRES - 1)))

typedef struct SnInts {
    uint32_t n;
    const int64_t *v;
} SnInts;
typedef struct SnReals {
    uint32_t n;
    const float *v;
} SnReals;

/* An operand slot; a member of the use list of the result it reads. */
typedef struct SnUse {
    SnRef ref; /* 0: a missing optional operand */
    SnId user;
    uint32_t slot;
    struct SnUse *next, **pprev;
} SnUse;

typedef struct SnResult {
    const SnType *type;
    const SnShape *shape;
    const char *name; /* unique; NULL for an unnamed result after the first */
    SnUse *uses;      /* most recent first */
    uint32_t nuse;
} SnResult;

typedef struct SnNode {
    SnKind kind;
    uint32_t nin;
    uint8_t nres;
    bool dead;        /* removed; ids are never reused */
    bool calibrated;  /* saturation on an open side is an artefact */
    bool stays_float; /* the quantizer decided so; binds integerize, is no
                         part of the graph's meaning */
    SnId order;       /* among inputs, among outputs: the smallest is first */
    SnUse *in;        /* [nin] in port order; a variadic port is a run */
    SnResult *res;    /* [nres] */
    void *attr; /* the kind's attribute struct; never NULL if it has any */
    const void *data;   /* Constant: sn_tensor_nbyte bytes, never written, but
                           by a kernel that keeps them (SnPrep.taken) */
    SnLate *late;       /* how data, which nobody may be able to read before, is
                           made (late/late.h), or NULL */
    bool own;           /* data is memory of the graph that nothing else refers
                           to: free without the node */
    uint64_t hash;      /* XXH64 of data where the text gave it, else 0 */
    bool unread;        /* data has not been compared with it */
    const char *origin; /* where it came from: file or rule; may be NULL */
    const char *source; /* the ONNX node it was imported for; may be NULL */
} SnNode;

typedef struct SnGraph {
    SnArena *arena;
    SnPool *pool;
    const char *name;
    SnRounding rounding; /* of integers times ratios of scales (numerics.md):
                            what evaluators compute and claims are about */
    SnNode **node;       /* [nnode]; node[0] is NULL; entries may be dead */
    uint32_t nnode;
    uint32_t nlive;
    uint64_t nedit; /* nodes and operands added, changed or removed: where
                       it is the same, so is all that these decide */
    struct SnNames *names; /* the set of names in use */
    uint32_t nrefine;      /* desc.h: facts that its backend narrows, */
    const struct SnRefineDesc *refine;
    struct SnKindDesc *refined; /* and the kinds with them */
} SnGraph;

SnGraph *sn_graph_new(SnArena *a, const char *name);

typedef struct SnSpec {
    SnKind kind;
    const char *name; /* wanted name of result 0; made unique; NULL: a fresh
                         one from the kind's name */
    uint32_t nin;
    const SnRef *in;           /* [nin], 0 for a missing operand */
    const void *attr;          /* the kind's struct, copied deeply; NULL:
                                  defaults */
    const SnType *const *type; /* [nout] result types */
    const SnShape *shape;      /* Constant and Placeholder only */
    const void *data;          /* Constant only; copied unless borrow */
    bool borrow;               /* data outlives the graph */
    bool own;                  /* SnNode.own, with borrow */
    SnLate *late;              /* SnNode.late, with borrow */
    bool calibrated;
    const char *origin, *source;
} SnSpec;

/* Adds a node; result shapes are inferred.  Errors (arity, operand kinds,
 * shapes, attribute constraints) are reported through d under the node's name
 * and give 0.  d may be NULL when the caller knows that it fits; then an error
 * is sn_bug. */
SnId sn_add(SnGraph *g, const SnSpec *s, SnDiag *d);
/* As sn_add, but an error is returned in *why (in g's arena) and reported
 * nowhere: for callers with a better name for the node. */
SnId sn_try_add(SnGraph *g, const SnSpec *s, const char **why);

/* Replaces every use of `old` by `new_` (types' element and shape must fit
 * the users; result names stay). */
void sn_replace_uses(SnGraph *g, SnRef old, SnRef new_);
/* The replacement step of a rewrite: as sn_replace_uses, and new_ takes old's
 * name when new_'s node has id >= mark (it was made by this rewrite). */
void sn_replace(SnGraph *g, SnRef old, SnRef new_, SnId mark);
void sn_set_in(SnGraph *g, SnId user, uint32_t slot, SnRef ref);
void sn_rename(SnGraph *g, SnRef r, const char *name); /* made unique */
/* Node id of one result becomes a Constant: s says its kind and borrowed data.
 * What it read loses that use. */
void sn_become(SnGraph *g, SnId id, const SnSpec *s);
/* Removes a node without uses. */
void sn_remove(SnGraph *g, SnId id);
/* Removes what reaches no effect (Placeholders stay); returns how many. */
uint32_t sn_dce(SnGraph *g);

static inline SnNode *
sn_node(const SnGraph *g, SnId id)
{
    return g->node[id];
}
static inline SnNode *
sn_def(const SnGraph *g, SnRef r)
{
    return g->node[SN_NODE(r)];
}
/* The data of a Constant, for whoever reads its elements: made now if they are
 * late.  NULL for another node. */
const void *sn_node_data(const SnGraph *g, SnId id);
static inline SnResult *
sn_res(const SnGraph *g, SnRef r)
{
    return &g->node[SN_NODE(r)]->res[SN_RES(r)];
}
static inline SnKind
sn_kind(const SnGraph *g, SnRef r) /* kind of the node that makes r */
{
    return g->node[SN_NODE(r)]->kind;
}
static inline const SnType *
sn_type(const SnGraph *g, SnRef r)
{
    return sn_res(g, r)->type;
}
static inline const SnShape *
sn_shape_of(const SnGraph *g, SnRef r)
{
    return sn_res(g, r)->shape;
}
static inline uint32_t
sn_nuse(const SnGraph *g, SnRef r)
{
    return sn_res(g, r)->nuse;
}
static inline SnRef
sn_in(const SnGraph *g, SnId id, uint32_t slot) /* 0 past the end too */
{
    const SnNode *n = g->node[id];
    return slot < n->nin ? n->in[slot].ref : 0;
}
const char *sn_name(const SnGraph *g, SnRef r); /* "conv1", "pool:1" */
/* For messages: "conv1 (Conv2D)"; a Save is named by its output name. */
const char *sn_label(const SnGraph *g, SnId id, SnArena *a);
SnRef sn_find(const SnGraph *g, const char *name); /* 0 when unknown */
/* base, or base with the first free suffix ".1", ".2", ... */
const char *sn_unique_name(SnGraph *g, const char *base);

/* Live nodes in topological order, ties by id; *n of them, in a. */
SnId *sn_topo(const SnGraph *g, SnArena *a, uint32_t *n);
/* A deep copy with ids renumbered in topological order. */
SnGraph *sn_graph_clone(const SnGraph *g, SnArena *a);
/* Same nodes, operands, attributes, types, names, flags, data; *why says what
 * differs first. */
bool sn_graph_equal(const SnGraph *x, const SnGraph *y, SnArena *a,
                    const char **why);
/* A hash of everything sn_graph_equal compares; does not depend on ids. */
uint64_t sn_graph_hash(const SnGraph *g, bool with_names);

/* Every fact of the declarations holds: tuples, scale facts, pins, invariants,
 * where constraints, shapes, use lists, names, acyclicity. */
SnStatus sn_verify(const SnGraph *g, SnDiag *d);

#ifdef __cplusplus
}
#endif

#endif
