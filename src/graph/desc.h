// SPDX-License-Identifier: Apache-2.0
/* Descriptors: what nodes.def says, as tables.  sinter-gen fills them; the
 * reader, writer, hash, equality, clone, verifier, shape driver, ONNX mapping
 * and the derived rewrite families are generic code over them. */
#ifndef SN_DESC_H
#define SN_DESC_H

#include "base/lang/arithmetic.h"
#include "graph/graph.h"
#include "map/decl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---- */

/* What a port may hold in one tuple. */
typedef struct SnTypePat {
    int8_t elem; /* SnElem; -1: the port is absent from the tuple (optional
                    result or operand that this tuple does not allow) */
    int8_t axis; /* -1 per tensor; else the axis of a per-axis type */
} SnTypePat;

/* ---- attributes ---- */

/* Where the domain of a range attribute comes from. */
typedef enum SnRangeOf { SN_RANGE_IN, SN_RANGE_OUT, SN_RANGE_ATTR } SnRangeOf;

typedef struct SnAttrDesc {
    const char *name;
    SnAttrKind kind;
    uint16_t offset; /* in the kind's attribute struct */
    uint16_t fixed;  /* SN_A_INTS, SN_A_REALS: required count, 0 = any */
    const char *const *words; /* SN_A_ENUM: NULL-terminated */
    SnRangeOf range_of;
    uint8_t range_port; /* port index among ins or outs, or attr index */
    bool has_default;   /* the default is in SnKindDesc.defaults */
    const char *where;  /* the constraint's text, or NULL */
    bool (*check)(const void *attr); /* the constraint, or NULL */
} SnAttrDesc;

/* ---- ports ---- */

typedef struct SnPortDesc {
    const char *name;
    SnFact fact;
    bool variadic, optional;
    float fixed_scale; /* SN_FIXED */
    int32_t fixed_zp;
    uint8_t npin;        /* SN_PIN: scale = product of these inputs' scales, */
    uint8_t pin[3];      /* left to right, elementwise for per-axis; zp = 0 */
    const char *because; /* the reason a fact gives, or NULL */
} SnPortDesc;

/* ---- meaning ---- */

typedef enum SnArgKind { SN_ARG_PORT, SN_ARG_ATTR, SN_ARG_INT } SnArgKind;
typedef struct SnArg {
    SnArgKind kind;
    int32_t v; /* input port index, attribute index, or the number */
} SnArg;

enum { SN_MAXARG = 8 };

/* Meaning of one result. */
typedef struct SnSem {
    SnClass cls;
    uint8_t narg;
    SnArg arg[SN_MAXARG];
    const SnMapDecl *decl; /* the map; NULL: none */
    bool monotone; /* non-decreasing in every operand of its same group */
    bool raw;      /* reads codes, not reals */
    bool mean;     /* window whose formula is a mean */
    bool nonempty; /* has no value for an empty set: an element of the set, the
                      place of one, or a mean */
    bool nan;      /* its formula may be NaN where it reads numbers */
    int16_t from;  /* of a move: the input port that it copies, else -1 */
    int16_t
        fill; /* attribute index of the value that a move fills with, or -1 */
    int8_t form;    /* SnForm of the rows that compute it on codes, or -1 */
    int8_t port[2]; /* input ports of such a row, in its order, or -1; of
                       conversions: -1, they go operand by operand */
} SnSem;

/* ---- evaluation ---- */

typedef struct SnTensor {
    const SnType *type;
    const SnShape *shape;
    void *data; /* NULL: absent operand or unwanted result */
} SnTensor;

/* One evaluation: operands in slot order, results in port order.  Results are
 * allocated by the caller and never overlap operands.  scratch may be used
 * and is reset by the caller. */
typedef struct SnCall {
    /* What kernels read lies together, in one line of a cache: to fetch the
     * calls of a thousand small nodes takes as long as to run them. */
    const SnTensor *in;
    const SnTensor *out;
    const void *prep;    /* what the kernel's prepare function made, or NULL */
    void *work;          /* SnPrep.nwork bytes of this thread, 64-aligned, with
                            contents left over from other calls */
    int64_t u0, u1;      /* the units to compute, of SnPrep.nunit */
    int64_t ypitch;      /* elements from one row of result 0 (its last axis) to
                            the next, 0: they touch; see SnPrep.pitched */
    SnRounding rounding; /* the graph's */
    uint32_t nin;
    const struct SnKindDesc *kind;
    const void *attr;
    SnArena *scratch;
    char *why; /* [SN_WHY] a run-time error's text (index out of range) */
    /* [nout] maps that were opened once for all runs (kernel/eval/mapped.h), or
     * NULL; of a result NULL: each call opens its own */
    const struct SnMapped *const *mapped;
    uint8_t nout;
} SnCall;
enum { SN_WHY = 200 };
typedef SnStatus SnEvalFn(const SnCall *c);

/* What is left of preparing a node: n pieces that any thread does later, in any
 * order, before the first run.  fn does pieces [i0, i1); work is memory of its
 * thread, of nwork bytes, 64-aligned.  It does not fail and takes no memory
 * from arenas. */
typedef void SnLaterFn(void *ctx, void *work, int64_t i0, int64_t i1);
typedef struct SnLater {
    SnLaterFn *fn; /* NULL: nothing is left */
    void *ctx;
    int64_t n;    /* more than 0 */
    size_t nbyte; /* about what they write, more than 0: threads share by it */
    size_t nwork;
} SnLater;

/* Preparing a kernel for one node, once for all runs: weights are packed,
 * tables computed.  Of the call's operands only Constants have data; results
 * have none.  Where `late` has an operand, its data is not read.  call->scratch
 * lives as long as what is prepared.
 *
 * A kernel whose result falls into units that may be computed apart, in any
 * order and on any thread, sets nunit and cost; each call then does units
 * [u0, u1) of them.  Such a kernel cannot fail and leaves the call's scratch
 * alone.  nunit comes as 1: one call, units [0, 1).  Where no result has an
 * element there are no units: nothing is prepared or called (sn_node_empty). */
typedef struct SnPrep {
    const SnCall *call;
    const struct SnTuple *tuple;
    uint32_t wanted; /* bit per result that is used */
    /* [nin] of a kernel declared `late`: what makes the elements of an operand
     * whose data cannot be read yet, or lies in a file that is faster to read
     * (graph/late/late.h); else NULL, as late is if no operand has any */
    const struct SnLate *const *late;
    struct SnPack *pack;  /* where packed weights are, or NULL */
    const uint64_t *hash; /* [nin], with pack: XXH64 of each Constant's bytes,
                             or another number for it; 0: none */
    struct SnTune *tune;  /* measured picks (kernel/tune/tune.h), or NULL */
    const SnArena *constants; /* where Constants are: a kernel that copies a
                                 large one may unload it part by part */
    const void *prep;         /* out: read-only, shared by threads */
    uint32_t packed;  /* out: bit per operand whose data came from pack and was
                         not looked at */
    uint32_t copied;  /* out: bit per operand that the kernel has a copy of and
                         does not look at when it runs */
    uint32_t last;    /* bit per operand whose Constant nothing looks at after a
                         kernel with a copy of it: its memory may be written */
    uint32_t taken;   /* out: bit per operand of `last` whose memory the kernel
                         keeps what it packs in */
    SnLater later;    /* out: reads `late` operands, and is done before a run */
    uint32_t layer;   /* out: of tune, the layer that was picked for, or 0 */
    size_t nwork;     /* out: bytes of working memory for a call */
    int64_t nunit;    /* out: parts that the node can be cut into */
    int64_t cost;     /* out: nanoseconds of the whole on one core, about */
    bool pitched;     /* out: can leave gaps between rows of result 0 */
    unsigned inplace; /* out: bit per operand whose memory result 0 may take:
                         each element is read before it is written, by the
                         unit that writes it */
    bool any;         /* out: what was prepared computes the graph's arithmetic,
                         whichever it is; without, only that of the kernel's
                         backend */
    int64_t part;     /* out: result 0 is bytes of operand 0 as they lie, from
                         this one on; comes as -1: it is not */
    int64_t reads;    /* out: elements of operand 0 that unit u reads, those */
    int64_t writes;   /* from u * reads on, and of result 0 that it writes; 0:
                         others, or not as many for each unit */
} SnPrep;
/* False: the kernel cannot do this node; its evaluator will. */
typedef bool SnPrepareFn(SnPrep *p);

typedef struct SnTuple {
    const SnTypePat *in;  /* [nin ports] */
    const SnTypePat *out; /* [nout ports] */
    bool quant;           /* some port is quantized */
    SnEvalFn *eval;       /* NULL for storage, Save and opaque nodes */
    /* [nout] what sinter compile makes C of (gen/node/emit_text.c), a list of
     * lines; NULL: none, or a move */
    const char *const *const *text;
} SnTuple;

/* ---- ONNX ---- */

/* Reads an operator, an attribute or a result by C code; of the import's
 * (src/onnx/import/import_priv.h). */
struct SnImport;
struct SnImportCall;
typedef SnStatus SnOnnxHook(struct SnImport *x, const struct SnImportCall *c);

typedef enum SnOnnxEntry {
    SN_IMPORT_ATTR,   /* sinter attribute = ONNX attribute */
    SN_IMPORT_INPUT,  /* sinter attribute = value of ONNX input index */
    SN_IMPORT_HOOK,   /* sinter attribute (or result) through a hook */
    SN_IMPORT_LAYOUT, /* port = nchw | oihw | ... */
    SN_IMPORT_ANY     /* an ONNX attribute that may have any value */
} SnOnnxEntry;
typedef struct SnOnnxMap {
    SnOnnxEntry entry;
    const char *name;  /* sinter attribute or port */
    const char *value; /* ONNX attribute or layout */
    int32_t input;
    SnOnnxHook *hook;
    const char *unless; /* of a layout: the ONNX attribute that is 0 then */
} SnOnnxMap;
/* Inputs of an operator on codes, in their order. */
typedef struct SnOnnxCode {
    int16_t port;   /* of an operand; -1: result 0 */
    uint8_t ninput; /* 3: codes, scale, zero point; 2: scale, zero point; 1 */
} SnOnnxCode;
/* ---- an operator that is a term over nodes ---- */

typedef enum SnOnnxOperand {
    SN_ONNX_ONE,
    SN_ONNX_MAYBE, /* may be missing */
    SN_ONNX_LIST   /* all from here on, at least one */
} SnOnnxOperand;
typedef struct SnOnnxIn {
    SnOnnxOperand what;
    int8_t elem; /* SnElem; -1: the element type that such operands share, */
    bool value;  /* or none: it is read as a number or a list */
    bool last;   /* with channels last; so is the first result then */
} SnOnnxIn;
typedef struct SnOnnxVal { /* what an attribute of its type has */
    int64_t i;
    double r;
    const char *s;
    uint32_t n;
    const int64_t *ints;
    const float *reals;
} SnOnnxVal;
typedef enum SnOnnxIs {
    SN_ONNX_GIVEN,
    SN_ONNX_ANY, /* or absent */
    SN_ONNX_IS_INT,
    SN_ONNX_IS_REAL,
    SN_ONNX_IS_STR
} SnOnnxIs;
typedef struct SnOnnxTest {
    const char *attr; /* of the operator */
    SnOnnxIs is;
    bool maybe; /* holds where the attribute is absent */
    SnOnnxVal val;
} SnOnnxTest;
/* A number, word or list of the operator's. */
typedef struct SnOnnxFrom {
    SnAttrKind kind;
    const char *name; /* of an attribute or operand; NULL: always val */
    int16_t in;       /* number of the operand; -1: an attribute */
    bool has_val;     /* val is a default or the value */
    SnOnnxVal val;
} SnOnnxFrom;
/* What a map is given. */
typedef struct SnOnnxArg {
    int16_t in; /* number of an operand whose shape it is; -1: from */
    SnOnnxFrom from;
} SnOnnxArg;
typedef struct SnOnnxSet {
    const char *attr; /* of the node */
    SnOnnxFrom from;
    const SnMapDecl *sizes; /* or the sizes of this map's result */
    const SnOnnxArg *arg;   /* [sizes->nparam], or fewer: */
    uint8_t narg;
} SnOnnxSet;
enum { SN_ONNX_NONE = INT32_MIN };
typedef struct SnOnnxStep {
    SnKind kind; /* 0: a number of the type that operands share */
    const char *name;
    bool chain;  /* of two operands, applied to a list from its left */
    int8_t elem; /* stated type of the result, or -1 */
    uint8_t narg;
    const int32_t *arg; /* a step before, ~operand, or SN_ONNX_NONE */
    uint8_t nset;
    const SnOnnxSet *set;
    /* of a number: */
    bool count; /* how many the list has */
    SnOnnxFrom num;
} SnOnnxStep;
typedef struct SnOnnxTerm {
    const char *text; /* the declaration up to what it gives */
    uint32_t elems;   /* a bit for each SnElem that operands may share; 0: what
                         the nodes take */
    bool one;         /* one node of the operands, */
    bool alone;       /* with its own defaults: written as it is read */
    uint8_t nin, ntest;
    const SnOnnxIn *in;
    const SnOnnxTest *test;
    uint16_t nstep;
    const SnOnnxStep *step;
    uint8_t nroot;
    const int32_t *root; /* [nroot] results, as SnOnnxStep.arg */
} SnOnnxTerm;

/* Operators of two domains may share a name. */
typedef struct SnOnnxOp {
    const char *domain; /* "": ONNX's own; "com.microsoft" */
    const char *name;
} SnOnnxOp;

typedef struct SnOnnxDesc {
    SnOnnxOp op;
    int32_t since, until; /* opset range, until 0 = open */
    SnOnnxHook *hook;     /* whole-node hook, or NULL: entries say it all */
    const char *note;     /* what the hook restricts, or NULL */
    uint16_t nmap;
    const SnOnnxMap *map;
    SnKind kind;            /* 0: an operand of the term */
    const SnOnnxTerm *term; /* or NULL; several lines of an operator and opset
                               are tried in order */
    uint16_t ncode;         /* 0: not an operator on codes */
    const SnOnnxCode *code;
} SnOnnxDesc;

/* ---- a kind ---- */

/* Why a derived family does or does not apply; filled by sinter-gen. */
typedef struct SnFamily {
    uint32_t absorb;       /* bit per input port: R may be absorbed there */
    bool merge;            /* R may be merged into result 0 */
    bool sink;             /* R may sink from the same inputs to result 0 */
    bool sink_unused_rest; /* ... only when results after 0 are unused */
    bool sink_bounded;     /* ... with a bound, not exact (mean) */
    bool sink_const;       /* ... when constants of the meaning survive it */
    const char *why_absorb, *why_merge, *why_sink; /* text for `why` */
} SnFamily;

typedef struct SnInvariant {
    bool (*holds)(const SnCall *shapes_only);
    const char *text; /* as written, for messages */
} SnInvariant;

typedef struct SnKindDesc {
    const char *name, *doc;
    SnKind kind;       /* its own number */
    uint8_t nin, nout; /* ports */
    const SnPortDesc *in, *out;
    uint16_t nattr;
    uint16_t attr_size;
    const SnAttrDesc *attr;
    const void *defaults; /* an attribute struct */
    uint16_t ntuple;
    const SnTuple *tuple;
    SnEvalFn *real;     /* f32 in the place of all codes, for kinds without
                           such a tuple; ranges are reals.  NULL: none */
    const SnSem *sem;   /* [nout]; Save: one entry, opaque */
    int32_t form_of;    /* kind, or -1 */
    int16_t clamp;      /* attribute index of the clamp of result 0, -1 */
    int8_t commutes[2]; /* input ports, -1 when none */
    bool effect;        /* Placeholder, Save */
    uint16_t ninv;
    const SnInvariant *inv;
    SnFamily family;
    const uint64_t *joins; /* bit set: `derive` lines and classes it is in */
    float cost;
    const char *backend; /* NULL: core */
    const char *where;   /* "nodes.def:46" */
} SnKindDesc;

/* The program's own kinds; [0] is unused. */
extern const SnKindDesc sn_core_kinds[];
extern const uint32_t sn_core_nkind; /* one past the last */
extern const SnOnnxDesc sn_core_onnx[];
extern const uint32_t sn_core_nonnx;

/* What a plugin added (backend/plugin.h); all zero without one.  Its kinds
 * are numbered after the program's own. */
typedef struct SnMoreKinds {
    uint32_t nkind, nonnx;
    const SnKindDesc *kind;
    const SnOnnxDesc *onnx;
    uint32_t narith;
    const SnArith *const *arith;
} SnMoreKinds;
extern SnMoreKinds sn_more_kinds;

/* Arithmetics, by their numbers (SnRounding): the core's, then the plugin's. */
extern const uint32_t sn_core_narith;
extern const SnArith *const sn_core_arith[];
static inline uint32_t
sn_arith_end(void)
{
    return sn_core_narith + sn_more_kinds.narith;
}
static inline const SnArith *
sn_arith_at(SnRounding r) /* r < sn_arith_end() */
{
    return (uint32_t)r < sn_core_narith
               ? sn_core_arith[r]
               : sn_more_kinds.arith[(uint32_t)r - sn_core_narith];
}
/* Its number; sn_arith_end() where none has that name. */
SnRounding sn_arith_named(const char *name);

static inline uint32_t
sn_kind_end(void) /* one past the last */
{
    return sn_core_nkind + sn_more_kinds.nkind;
}
static inline const SnKindDesc *
sn_desc(SnKind k)
{
    return k < sn_core_nkind ? &sn_core_kinds[k]
                             : &sn_more_kinds.kind[k - sn_core_nkind];
}
SnKind sn_kind_named(const char *name); /* 0 when unknown */
/* What an unknown name may mean: the closest kind, by its name or by that of an
 * ONNX operator that it imports, which is then in *op (else NULL).  0: none. */
SnKind sn_kind_closest(SnArena *a, const char *name, const char **op);
static inline uint32_t
sn_onnx_end(void)
{
    return sn_core_nonnx + sn_more_kinds.nonnx;
}
/* Is it the operator of this full name, "Conv" or "com.microsoft:QGemm"? */
bool sn_onnx_is(SnOnnxOp op, const char *full);
bool sn_onnx_same(SnOnnxOp a, SnOnnxOp b);
static inline const SnOnnxDesc *
sn_onnx_at(uint32_t i) /* i < sn_onnx_end() */
{
    return i < sn_core_nonnx ? &sn_core_onnx[i]
                             : &sn_more_kinds.onnx[i - sn_core_nonnx];
}
/* Is the kind in the derive line or class with this number? */
static inline bool
sn_joins(const SnKindDesc *d, uint32_t i)
{
    return d->joins[i / 64] >> i % 64 & 1;
}

/* ---- what rows of arithmetics ask ---- */

/* The int that the node gives a parameter of its map, element i of a list; 1:
 * it gives none. */
int64_t sn_row_arg(const SnCall *c, unsigned res, const char *name, uint32_t i);
/* SN_WHEN_ flags that follow from what result res is over. */
unsigned sn_row_flags(const SnCall *c, unsigned res);

/* ---- kinds as a backend narrows them ---- */

/* A `refine`: facts that replace those of a kind on one backend, and what
 * follows from them.  The set of graphs that verify only shrinks. */
typedef struct SnRefineDesc {
    SnKind kind;
    const SnPortDesc *in, *out; /* all ports of the kind */
    SnFamily family;
    const uint64_t *joins;
} SnRefineDesc;
/* From here on g is a graph for the backend that refines so; r lives as long
 * as g.  n 0: for any. */
void sn_graph_refine(SnGraph *g, uint32_t n, const SnRefineDesc *r);
/* The kind as g's backend has it. */
static inline const SnKindDesc *
sn_desc_in(const SnGraph *g, SnKind k)
{
    for (uint32_t i = 0; i < g->nrefine; i++)
        if (g->refine[i].kind == k)
            return &g->refined[i];
    return sn_desc(k);
}

/* Which input port an operand slot belongs to, and the slots of a port. */
uint32_t sn_port_of_slot(const SnKindDesc *d, uint32_t nin, uint32_t slot);
void sn_port_slots(const SnKindDesc *d, uint32_t nin, uint32_t port,
                   uint32_t *first, uint32_t *count);

/* The tuple that these types fit (absent operands and results fit any),
 * or NULL. */
const SnTuple *sn_tuple_find(const SnKindDesc *d, uint32_t nin,
                             const SnType *const *in, uint32_t nout,
                             const SnType *const *out);
/* The type a pinned port must have; NULL when operands are missing or their
 * slices disagree.  in: operand types by slot. */
const SnType *sn_pin_type(SnPool *p, SnArena *scratch, const SnKindDesc *d,
                          const SnPortDesc *port, const SnTypePat *pat,
                          uint32_t nin, const SnType *const *in);
const SnTuple *sn_node_tuple(const SnGraph *g, SnId id);
/* Whether the node has results and none takes a byte.  Such a node is not
 * computed: no operand is looked at, and neither a kernel nor an evaluator is
 * called. */
bool sn_node_empty(const SnGraph *g, SnId id);

/* ---- attributes, generically ---- */

static inline void *
sn_attr_at(const void *attr, const SnAttrDesc *a)
{
    return (char *)(uintptr_t)attr + a->offset;
}
const SnAttrDesc *sn_attr_named(const SnKindDesc *d, const char *name);
void *sn_attr_new(SnArena *a, const SnKindDesc *d); /* defaults */
void *sn_attr_copy(SnArena *a, const SnKindDesc *d, const void *attr);
bool sn_attr_equal(const SnAttrDesc *a, const void *x, const void *y);
bool sn_attrs_equal(const SnKindDesc *d, const void *x, const void *y);
/* Equal attributes have equal hashes. */
uint64_t sn_attrs_hash(const SnKindDesc *d, const void *attr, uint64_t seed);
void sn_put_attr(SnBuf *b, const SnAttrDesc *a, const void *attr);
/* Which attribute breaks its `where`, or NULL. */
const char *sn_attrs_where_why(SnArena *a, const SnKindDesc *d,
                               const void *attr);
/* Copies attributes of the same name and kind from one kind's struct to
 * another's (forms, `like`). */
void sn_attr_like(SnArena *a, const SnKindDesc *to, void *dst,
                  const SnKindDesc *from, const void *src);
/* The clamp of a node's result 0; full when the kind has none. */
SnRange sn_clamp_of(const SnGraph *g, SnId id);
static inline bool
sn_range_full(SnRange r)
{
    return !r.has_lo && !r.has_hi;
}

/* ---- shapes ---- */

/* Result shapes of a node from its operands' shapes and attributes; *nout
 * shapes in out.  On failure the reason is in why[SN_WHY].  Constant operands
 * are not needed: indices do not change shapes. */
bool sn_infer_shapes(SnPool *p, const SnKindDesc *d, const void *attr,
                     uint32_t nin, const SnShape *const *in,
                     const SnShape **out, char *why);

#ifdef __cplusplus
}
#endif

#endif
