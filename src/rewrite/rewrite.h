// SPDX-License-Identifier: Apache-2.0
/* The rewrite driver: passes over a graph, one `sn_fire` before every change.
 * Passes, rules and pipelines come from passes.def as tables; derived families
 * (derive.h) are generic routines over descriptors; written rules are
 * generated functions. */
#ifndef SN_REWRITE_H
#define SN_REWRITE_H

#include "graph/desc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnRewriter SnRewriter;

/* ---- generated tables ---- */

typedef struct SnClaim {
    SnClaimKind kind;
    double bound; /* lsb or E */
} SnClaim;

typedef struct SnUnder {
    SnRounding by;
    SnClaim claim;
} SnUnder;

/* A rule that no proof carries under an arithmetic. */
enum { SN_RULE_EXCHANGE = UINT16_MAX }; /* the node commutes */
typedef struct SnRuleOff {
    uint16_t rule;
    SnKind kind; /* of the node of a derived one; 0: whatever it is */
    SnRounding by;
} SnRuleOff;

typedef struct SnRuleDesc {
    const char *pass, *name; /* "quant_cleanup", "fuse" */
    SnFamilyId family;
    SnClaim claim;
    SnClaim other; /* under other arithmetics than float; NONE: the same */
    uint32_t nunder;
    const struct SnUnder *under; /* under some of them, before `other` */
    const char *optin;           /* the name that switches it on, or NULL */
    const char *backend;         /* NULL: core */
    const char *where;           /* "passes.def:41" */
    const char *text;            /* the rule as written */
    bool (*supported)(const SnRewriter *rw); /* `requires`, or NULL */
} SnRuleDesc;

/* Tries the written rules of a pass at a node; true when one fired. */
typedef bool SnVisitFn(SnGraph *g, SnRewriter *rw, SnId id);

/* What a pass does at each node, in `prefer` order: families and the groups
 * of written rules between them. */
typedef struct SnStep {
    SnFamilyId family;
    uint16_t rule;    /* derived families: the rule id they fire under */
    SnVisitFn *visit; /* SN_FAM_WRITTEN, LOWER, CUSTOM */
    uint16_t join;    /* derived: its number among SnKindDesc.joins */
} SnStep;

typedef struct SnPassDesc {
    const char *name, *doc;
    const char *backend; /* NULL: core; the pass "backend" is per backend */
    bool lowering;       /* honours the backend's keep list */
    uint16_t nallow;
    const SnClaim *allow;
    uint16_t nstep;
    const SnStep *step;
    bool worklist; /* no linear-time certificate */
} SnPassDesc;

typedef struct SnPipelineDesc {
    const char *name;
    const char *const *pass; /* NULL-terminated; "place", "fold" built in */
} SnPipelineDesc;

/* Backends, from their .def files. */
typedef struct SnKeep {
    SnKind kind;
    bool (*when)(const SnGraph *g, SnId id); /* NULL: always */
} SnKeep;
typedef struct SnBackendDesc {
    const char *name;
    SnRounding rounding; /* what its kernels compute */
    bool fallback_reference;
    bool fallback_kernels; /* by the CPU's, where they compute its arithmetic */
    const char *const *optin; /* opt-in rules that are on, NULL-terminated;
                                 NULL: none */
    uint16_t nkeep;
    const SnKeep *keep;
    /* may this kind run with this tuple? */
    bool (*supports)(SnKind k, const SnTuple *t);
    uint16_t nrefine;
    const SnRefineDesc *refine;
    uint16_t nkernel;
    const struct SnKernelDesc *kernel;
    const struct SnBackendHooks *hooks; /* NULL members: defaults */
    const char *where;
} SnBackendDesc;
typedef struct SnKernelDesc {
    SnKind kind;
    uint16_t tuple; /* index in the kind's tuples */
    const char *name;
    SnEvalFn *fn;
    SnPrepareFn *prepare; /* or NULL */
    bool late;            /* prepare looks at SnPrep.late */
} SnKernelDesc;
/* A builder, written by hand: it calls sn_fire itself, before any change. */
typedef bool SnBuildFn(SnGraph *g, SnRewriter *rw, SnId root);
/* The hook `lower`: 1 or 0, should this node be lowered; -1: decide by the
 * keep list. */
typedef int SnLowerFn(const SnGraph *g, SnId id);

typedef struct SnBackendHooks {
    SnLowerFn *lower;
} SnBackendHooks;

extern const SnRuleDesc sn_core_rules[];
extern const uint32_t sn_core_nrule;
extern const SnRuleOff sn_core_off[];
extern const uint32_t sn_core_noff;
extern const SnPassDesc sn_core_passes[];
extern const uint32_t sn_core_npass;
extern const SnPipelineDesc sn_pipelines[];
extern const uint32_t sn_npipeline;
/* NULL: no pipeline has the name. */
const SnPipelineDesc *sn_pipeline_named(const char *name);
extern const SnBackendDesc sn_core_backends[];
extern const uint32_t sn_core_nbackend;
/* Of the declarations that all these tables were generated from. */
extern const uint64_t sn_core_hash;

/* What a plugin added (backend/plugin.h); all zero without one.  Its rules
 * are numbered after the program's own. */
typedef struct SnMoreRules {
    uint32_t nrule, npass, nbackend;
    const SnRuleDesc *rule;
    const SnPassDesc *pass;
    const SnBackendDesc *backend;
    uint32_t noff;
    const SnRuleOff *off; /* of all rules, under its arithmetics */
} SnMoreRules;
extern SnMoreRules sn_more_rules;

/* The tables with what a plugin added: i < sn_rule_end() and so on. */
static inline uint32_t
sn_rule_end(void)
{
    return sn_core_nrule + sn_more_rules.nrule;
}
static inline const SnRuleDesc *
sn_rule(uint32_t i)
{
    return i < sn_core_nrule ? &sn_core_rules[i]
                             : &sn_more_rules.rule[i - sn_core_nrule];
}
/* What a rule claims on a graph of this rounding. */
static inline SnClaim
sn_rule_claim(uint32_t i, SnRounding by)
{
    const SnRuleDesc *r = sn_rule(i);

    for (uint32_t k = 0; by != SN_ROUNDING_FLOAT && k < r->nunder; k++)
        if (r->under[k].by == by)
            return r->under[k].claim;
    return by != SN_ROUNDING_FLOAT && r->other.kind != SN_CLAIM_NONE ? r->other
                                                                     : r->claim;
}
static inline uint32_t
sn_pass_end(void)
{
    return sn_core_npass + sn_more_rules.npass;
}
static inline const SnPassDesc *
sn_pass_at(uint32_t i)
{
    return i < sn_core_npass ? &sn_core_passes[i]
                             : &sn_more_rules.pass[i - sn_core_npass];
}
static inline uint32_t
sn_backend_end(void)
{
    return sn_core_nbackend + sn_more_rules.nbackend;
}
static inline const SnBackendDesc *
sn_backend_at(uint32_t i)
{
    return i < sn_core_nbackend ? &sn_core_backends[i]
                                : &sn_more_rules.backend[i - sn_core_nbackend];
}
/* Upper and lower case are alike; NULL when unknown. */
const SnBackendDesc *sn_backend_named(const char *name);
/* Makes g a graph for backend b (NULL: for any): the facts that b refines are
 * those that its passes and its verifier go by. */
void sn_graph_target(SnGraph *g, const SnBackendDesc *b);

/* ---- a run ---- */

typedef struct SnSite { /* one fire */
    uint16_t rule;
    const char *node;   /* name of the root at the time */
    const char *detail; /* types and waived saturation; may be NULL */
    bool waived;        /* fired under `assume calibrated` */
} SnSite;

/* Called between changes of g: before a run of a pass, before each fire, and
 * after a pass, whose name comes along (NULL before one).  What changed since
 * the call before is the last site's, where there is a new one, else the
 * pass's. */
typedef void SnWatchFn(void *ctx, const SnRewriter *rw, const SnGraph *g,
                       const char *pass);

typedef struct SnRewriteOpts {
    const SnBackendDesc *backend; /* never NULL; default "interp" */
    bool strict_saturation;       /* no `assume calibrated` */
    bool exact;                   /* only fires that claim to be */
    bool verify;                  /* sn_verify after every pass */
    bool check_passes;            /* evaluate every fire before and after */
    bool trace;                   /* one line per fire on stderr */
    bool time_passes;
    long opt_limit;             /* fires allowed; -1: no limit */
    bool worklist;              /* all passes by list, certified or not */
    const char *const *disable; /* "pass", "pass.rule", "*.rule"; */
    const char *const *optin;   /* names of opt-in rules; NULL ends both */
    const char *print_after;    /* pass name, "all" or NULL; to stderr */
    bool elide;                 /* there without the data of constants */
    uint64_t seed;              /* of check_passes */
    /* The built-in step `place`, supplied by the quantizer. */
    SnStatus (*place)(SnGraph *g, SnRewriter *rw, void *ctx);
    void *place_ctx;
    SnWatchFn *watch; /* NULL: nobody watches */
    void *watch_ctx;
} SnRewriteOpts;
extern const SnRewriteOpts sn_rewrite_defaults;

SnRewriter *sn_rewriter_new(SnArena *a, const SnRewriteOpts *o, SnDiag *d);

/* Runs one pass, built-in step or pipeline by name ("a,b" runs a list).
 * Unknown names are reported with the closest known one. */
SnStatus sn_rewrite(SnRewriter *rw, SnGraph *g, const char *names);

const SnSite *sn_sites(const SnRewriter *rw, uint32_t *n);
uint32_t sn_rule_count(const SnRewriter *rw, uint16_t rule); /* fires */
/* Fires of one family (all rules). */
uint32_t sn_family_count(const SnRewriter *rw, SnFamilyId f);
/* "checked 11 of 12 fires": how many --check-passes could compare; the others
 * claim nothing, or nothing runs their nodes. */
void sn_rewrite_checked(const SnRewriter *rw, FILE *out);
void sn_rewrite_stats(const SnRewriter *rw, FILE *out);
void sn_rewrite_times(const SnRewriter *rw, FILE *out);

/* ---- for rules, generated or hand-written ---- */

/* May this rule change the graph at root?  Asked once, after all guards and
 * before any change.  Counts, traces, bisects. */
bool sn_fire(SnRewriter *rw, uint16_t rule, SnGraph *g, SnId root);
/* Does node id not commute under the graph's arithmetic, though its kind does?
 */
bool sn_swap_off(const SnGraph *g, SnId id);
/* As sn_fire, for a fire whose claim depends on types: it replaces that of the
 * rule. */
bool sn_fire_claim(SnRewriter *rw, uint16_t rule, SnClaim claim, SnGraph *g,
                   SnId root);
/* Says that result `old` is now `new_` and replaces its uses (new nodes take
 * the name of what they replace).  Enqueues what may match again. */
void sn_fired(SnRewriter *rw, SnGraph *g, SnRef old, SnRef new_);
/* Ends the fire begun by sn_fire: dead nodes go, --check-passes runs.  False:
 * the graph's arithmetic does not admit a node that it made, and all is as it
 * was. */
bool sn_fire_end(SnRewriter *rw, SnGraph *g);
/* Adds a detail (types, waived range) to the fire under way. */
void sn_fire_detail(SnRewriter *rw, bool waived, const char *detail);
SnArena *sn_scratch(SnRewriter *rw); /* lives until the pass ends */
const SnRewriteOpts *sn_opts(const SnRewriter *rw);
SnDiag *sn_rw_diag(const SnRewriter *rw);
/* Why a family or rule did not apply, recorded for `why` when asked. */
void sn_declined(SnRewriter *rw, uint16_t rule, const SnGraph *g, SnId node,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void sn_record_declined(SnRewriter *rw, bool want);
bool sn_records_declined(const SnRewriter *rw);
typedef struct SnDeclined {
    uint16_t rule;
    SnId node;
    const char *text;
    uint32_t before; /* of the same node, the one before: its number; 0: none */
} SnDeclined;
/* All of them, numbered from 1 in the order in which they were said; [0] is
 * unused. */
const SnDeclined *sn_declines(const SnRewriter *rw);
/* The number of the last one of a node; 0: none. */
uint32_t sn_declines_of(const SnRewriter *rw, SnId node);
/* The last reason that a node was not made one of codes, or NULL. */
const char *sn_declined_float(const SnRewriter *rw, SnId node);

/* Says that node `old` without results (a Save) is now `new_`. */
void sn_fired_node(SnRewriter *rw, SnGraph *g, SnId old, SnId new_);

/* ---- functions of the expression language (expr.c, base/saturate.h) ---- */

/* Storage range met with the producer's clamp, as real bounds. */
SnReach sn_reach(const SnGraph *g, SnRef v);
/* Bounds of a clamp in type t, as reals. */
SnReach sn_clamp_reach(const SnType *t, SnRange r);
/* sn_grid_image between types: the clamp r of a value of type `from`, seen in
 * type `to` by a Rescale of rounding `by`. */
SnRange sn_image(SnRounding by, SnRange r, const SnType *from, const SnType *to,
                 bool calibrated);
/* sn_grid_alike between types. */
bool sn_alike(SnRounding by, double v, const SnType *a, const SnType *b);
/* Real bounds lo, hi (either may be absent) as a clamp in t. */
SnRange sn_bounds(const SnType *t, bool has_lo, double lo, bool has_hi,
                  double hi);
bool sn_is_const(const SnGraph *g, SnRef v);
/* The folded value of v as a Constant named like v; 0 when not constant. */
SnRef sn_fold(SnGraph *g, SnRef v);
/* Why the pinned bias b of `consumer` cannot move to the grid of (new_x, w)
 * (docs/language.md), or NULL when it can.  b 0 (absent) always can. */
const char *sn_regrid_why(const SnGraph *g, SnRef b, SnId consumer,
                          const SnType *new_x);
/* The regridded Constant; a shared one is copied as "name.consumer".  Only
 * after sn_regrid_why said NULL; b 0 gives 0. */
SnRef sn_regrid(SnGraph *g, SnRef b, SnId consumer, const SnType *new_x);
/* The bias type pinned by these operand types. */
const SnType *sn_pinned_type(SnGraph *g, const SnPortDesc *p,
                             const SnType *const *in_type);
/* The f32 Constant v as codes of the pinned type t, in the units that g's
 * arithmetic has biases in; NULL: *why says why not.  step: of the result. */
int32_t *sn_bias_codes(const SnGraph *g, SnRef v, const SnType *t, double step,
                       const char **why);
/* A stated bias on the grid that its node pins. */
typedef struct SnBiasMove {
    int32_t *code; /* [n] */
    int64_t n;
    int64_t nmoved;  /* channels whose scale is not within 2^-20 of the grid's:
                        their codes are regridded, the others' are kept */
    double ratio;    /* stated scale to pinned one, the farthest from 1, */
    int64_t channel; /* and where */
} SnBiasMove;
/* Moves the codes of Constant b, of any quantized type, to `to`.  Returns why
 * that cannot be, or NULL; step: the error in reals that is too large. */
const char *sn_bias_move(const SnGraph *g, SnRef b, const SnType *to,
                         double step, SnArena *a, SnBiasMove *out);
/* Notes that the bias of node id was not what the node computes with. */
void sn_bias_moved(SnRewriter *rw, const SnGraph *g, SnId id,
                   const SnBiasMove *m);
/* Why the accumulators of contract node `id` might not fit int32 if its data
 * operand had type x_type and its bias these codes in absolute value (NULL:
 * none), or NULL when they fit.  numerics.md, "Accumulators". */
const char *sn_acc_why(const SnGraph *g, SnId id, const SnType *x_type,
                       const double *bias_abs, SnArena *a);
/* What contract node `id` adds up where its data operand has type x_type and
 * its result y_type, by channels.  A binary32 holds each of its partial sums,
 * whatever their order, where (most + |bias|) * odd <= SN_EXACT_MOST. */
typedef struct SnExactSum {
    int64_t n;
    double *step; /* [n] x.scale * w.scale; 0: that, or its ratio to y.scale, is
                     no binary32 */
    double *odd;  /* [n] step without factors of two */
    double *most; /* [n] steps that the products come to */
} SnExactSum;
#define SN_EXACT_MOST 0x1p24
/* false: it has no weights that are known codes of 8 bits. */
bool sn_exact_sum(const SnGraph *g, SnId id, const SnType *x_type,
                  const SnType *y_type, SnArena *a, SnExactSum *out);
/* Code c of the Constant b times its scale; NaN where that code has more than
 * 24 bits. */
double sn_stated_bias(const SnGraph *g, SnRef b, int64_t c);
bool sn_supports(const SnRewriter *rw, SnKind k, SnElem e);
SnInts sn_dims(SnArena *a, const SnShape *s);
/* Whether a result is unused (absent results are). */
bool sn_unused(const SnGraph *g, SnId id, unsigned res);

#ifdef __cplusplus
}
#endif

#endif
