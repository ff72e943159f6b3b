// SPDX-License-Identifier: Apache-2.0
/* Running graphs.  An SnExec is prepared once from a graph and a backend and
 * is then read-only; every thread runs it through an SnRun of its own, which
 * owns the planned arena.  Running a sample does not allocate tensor memory. */
#ifndef SN_EXEC_H
#define SN_EXEC_H

#include "graph/desc.h"
#include "rewrite/rewrite.h"
#include "run/plan.h"
#include "base/team/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnPort { /* a graph input or output */
    const char *name;
    SnRef ref; /* the Placeholder's result; what the Save reads */
    const SnType *type;
    const SnShape *shape;
    bool u8;            /* plain codes: callers' numbers are these + 128 */
    bool u8_codes;      /* quantized, and uint8 in the original model */
    const char *pixels; /* of an input: the steps that make it from a picture
                           (image/steps.h); "" or NULL: none are kept */
} SnPort;

typedef struct SnExecStep {
    SnId node;
    const SnTuple *tuple;
    SnEvalFn *fn;
    const char *kernel;                   /* NULL: the generated evaluator */
    const void *prep;                     /* what the kernel prepared */
    const struct SnMapped *const *mapped; /* SnCall.mapped, of an evaluator */
    int64_t nunit;         /* parts that it can be cut into; 0: not called */
    int64_t cost;          /* nanoseconds, about */
    int64_t ypitch;        /* SnCall.ypitch */
    bool pitched;          /* SnPrep.pitched */
    unsigned inplace;      /* SnPrep.inplace */
    int64_t part;          /* SnPrep.part */
    uint32_t layer;        /* SnPrep.layer */
    int64_t reads, writes; /* SnPrep.reads, SnPrep.writes */
    uint32_t nstream; /* of a stream's first step: its steps (run/stream.h) */
    int64_t nblock;   /* and the blocks that they are cut into */
    size_t nwork;     /* SnPrep.nwork */
    uint32_t in, out; /* first tensor in SnRun.in, SnRun.out */
} SnExecStep;

typedef struct SnExec {
    const SnGraph *g;
    const SnBackendDesc *backend;
    const SnPlan *plan;
    uint32_t nstep;
    SnExecStep *step;
    uint32_t ninput, noutput;
    SnPort *input, *output;
    uint32_t nfallback; /* steps without a kernel of the backend */
    uint32_t ntensor_in, ntensor_out;
    size_t nwork;       /* largest working memory of a kernel, bytes */
    uint32_t *block;    /* [nnode << SN_RESBITS] block index + 1, 0: none */
    const SnView *view; /* [nnode << SN_RESBITS], NULL: none are views */
} SnExec;

/* The last passes before g runs on o->backend: pipeline `launch`, with the
 * backend's rules under the name "fuse" on.  Outputs keep their bits; values
 * between them may disappear, and new nodes have no ONNX form: for graphs that
 * are run and not written. */
SnStatus sn_launch(const SnRewriteOpts *o, SnArena *a, SnGraph *g, SnDiag *d);

/* The inputs and outputs of g, in the order of an SnExec of it. */
typedef struct SnPorts {
    uint32_t ninput, noutput;
    SnPort *input, *output;
} SnPorts;
SnPorts sn_ports(SnArena *a, const SnGraph *g);

/* The graph must outlive the result and not change.  backend NULL: evaluators
 * only.  Fails (SN_EUNSUPPORTED) for a node that nothing can run, and names
 * it. */
SnStatus sn_exec_prepare(SnArena *a, const SnGraph *g,
                         const SnBackendDesc *backend, SnDiag *d,
                         const SnExec **out);
/* The same, for runs of which only the outputs are read: values
 * share memory where they can (run/view.h).  A hook does not see those that
 * lie in another, and must not read operands of a node that was run. */
SnStatus sn_exec_prepare_fast(SnArena *a, const SnGraph *g,
                              const SnBackendDesc *backend, SnDiag *d,
                              const SnExec **out);

/* The same for a graph that may have been loaded lazily (graph/text/text.h):
 * packed weights come from pack, or go there (NULL: nowhere), and other weights
 * are compared with their hashes. */
SnStatus sn_exec_prepare_packed(SnArena *a, const SnGraph *g,
                                const SnBackendDesc *backend,
                                struct SnPack *pack, SnDiag *d,
                                const SnExec **out);

/* The same with measured picks (kernel/tune/tune.h; NULL: the rules'): layers
 * that tune does not have yet are added to it. */
SnStatus sn_exec_prepare_tune(SnArena *a, const SnGraph *g,
                              const SnBackendDesc *backend, struct SnPack *pack,
                              struct SnTune *tune, SnDiag *d,
                              const SnExec **out);
/* The same for a graph that only this SnExec runs, and that is not read: frees
 * the memory of Constants that kernels have copies of (SnNode.own), or lets
 * them write there what they pack. */
SnStatus sn_exec_prepare_only(SnArena *a, SnGraph *g,
                              const SnBackendDesc *backend, struct SnPack *pack,
                              struct SnTune *tune, SnDiag *d,
                              const SnExec **out);
/* A copy of x, which was prepared with `was`, for its copy `tune`, some of
 * whose picks differ: steps with the same pick are shared. */
const SnExec *sn_exec_retune(SnArena *a, const SnExec *x,
                             const struct SnTune *was, struct SnTune *tune);

/* Sees each computed value (inputs too) right after it was written. */
typedef void SnValueHook(void *ctx, SnRef ref, const SnTensor *t);

/* Called after each step, on the thread of the caller. */
typedef void SnStepHook(void *ctx, SnId node);

/* What a run needs of a step, in two lines of a cache. */
typedef struct SnRunStep {
    SnCall call;   /* what its kernel is called with */
    SnEvalFn *fn;  /* NULL: there is nothing to compute */
    uint32_t part; /* parts it is cut into */
    bool evaluator;
    bool streams; /* a stream of two steps or more begins */
} SnRunStep;

typedef struct SnRun {
    const SnExec *x;
    uint8_t *arena;
    uint8_t **at; /* [x->plan->nblock] where each block is, in the arena or */
    struct SnBound *bound_in, *bound_out; /* not (run/bind.c); or NULL */
    unsigned nthread;
    struct SnTeam *team; /* NULL: all on the thread of the caller, or: */
    const SnLent *pool;  /* the caller's threads, for this run; or NULL */
    uint8_t *work; /* [nthread] of `pitch` bytes, for one kernel at a time */
    size_t pitch;
    SnTensor *in, *out;
    SnRunStep *step; /* [x->nstep] */
    SnArena *scratch;
    struct SnFence *fence; /* bounds inside the arena (run/fence.h), or NULL */
    SnValueHook *hook;
    void *hook_ctx;
    SnStepHook *step_hook;
    void *step_ctx;
    char why[SN_WHY];  /* after a failed run: what went wrong, */
    const char *where; /* and the node's label */
} SnRun;

SnRun *sn_run_new(SnArena *a, const SnExec *x);
/* The same on a team of n threads (the caller's is one), n up to
 * SN_MAXTHREAD.  Each step is cut into at most n runs of units at places that
 * depend only on the node and n, small steps into fewer; what is computed is
 * the same for every n. */
enum { SN_MAXTHREAD = SN_TEAM_MAX };
SnRun *sn_run_team(SnArena *a, const SnExec *x, unsigned n);
/* Cut like the run of a team of n, the parts one after the other on the
 * caller's thread. */
SnRun *sn_run_parts(SnArena *a, const SnExec *x, unsigned n);
/* From now on r runs x, a retuned copy of the SnExec that it ran, and keeps all
 * memory of values; working memory grows in a, which is as old as r, if x needs
 * more. */
void sn_run_switch(SnRun *r, SnArena *a, const SnExec *x);
void sn_run_free(SnRun *r); /* frees scratch memory, ends the team */

/* From now on inputs and outputs of r may be in the caller's memory; a is as
 * old as r.  With fences they stay in the arena. */
void sn_run_bindable(SnArena *a, SnRun *r);
/* Input i is read at p, output i written at p, until they are bound again; p
 * NULL: it is in the arena.  false: it is in the arena and has to be copied,
 * because p does not have the alignment of malloc, or the value is a constant,
 * an input, a part of another value or also another output. */
bool sn_run_bind_input(SnRun *r, uint32_t i, const void *p);
bool sn_run_bind_output(SnRun *r, uint32_t i, void *p);
/* Where block b of the plan is in r's own memory. */
uint8_t *sn_run_block(const SnRun *r, uint32_t b);

/* Fills r->step after everything else in r; again when r->nthread has
 * changed. */
void sn_run_calls(SnRun *r);
/* The address of a value in r, with its type and shape. */
SnTensor sn_run_value(const SnRun *r, SnRef ref);

/* How many parts step s is cut into by a team of n. */
unsigned sn_step_parts(const SnExecStep *s, unsigned n);

/* Where to write graph input i, and its bytes; a scalar may be read back. */
void *sn_run_input(SnRun *r, uint32_t i);
SnStatus sn_run(SnRun *r);
/* Output i of the last run. */
const void *sn_run_output(const SnRun *r, uint32_t i);

/* n elements of type t as reals (per-axis types need the shape). */
void sn_to_real(const SnType *t, const SnShape *s, const void *data,
                float *out);

#ifdef __cplusplus
}
#endif

#endif
