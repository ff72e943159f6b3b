// SPDX-License-Identifier: Apache-2.0
/* ONNX models that are well formed as messages: the fuzzer changes fields of
 * real models, not bytes.  A model that is imported is lowered, printed, read
 * again and run by the kernels of the CPU backend, against the evaluators. */
#include "fuzz.h"

#include <string.h>

#include "graph/text/text.h"
#include "onnx/import.h"
#include "pb_mutate.h"
#include "random/graph_check.h"
#include "random/graph_run.h"
#include "sn_kinds.h"

/* Operations of a sample, nodes, and bytes of inputs, which are drawn, of
 * models that are run. */
enum {
    MOST_OPS = 200000,
    MOST_NODES = 200,
    MOST_BYTES = 1 << 20,
    NEVER = 1 << 20
};

static SnGraph *
again(SnArena *a, const SnGraph *g)
{
    SnDiag *d = sn_diag_new(a);
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *h = NULL;
    const char *text = sn_graph_str(a, g);

    *src = (SnSrc){.name = "m.sn", .text = text, .nbyte = strlen(text)};
    if (sn_parse(a, src, NULL, d, &h) != SN_OK)
        sn_bug("does not read what it printed: %s", sn_diag_text(d, a));
    if (strcmp(text, sn_graph_str(a, h)) != 0)
        sn_bug("prints another text the second time");
    return h;
}

/* Also an input that nothing reads takes its bytes. */
static bool
small(const SnGraph *g)
{
    size_t n = 0;

    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *nd = sn_node(g, id);
        if (!nd->dead && nd->kind == SN_K_PLACEHOLDER)
            n += sn_tensor_nbyte(nd->res[0].type, nd->res[0].shape);
    }
    return n <= MOST_BYTES && g->nlive <= MOST_NODES;
}

static void
run(SnArena *a, const SnGraph *g)
{
    const SnBackendDesc *cpu = sn_backend_named("CPU");
    SnRunStats stats = {0};
    SnRunner *r = sn_runner_new(cpu, NEVER, &stats);
    SnGivens in = {.a = a, .seed = 1};
    const char *why = sn_runner_check(r, a, g, &in);

    if (why)
        sn_bug("%s\n%s", why, sn_graph_str(a, g));
    sn_runner_free(r);
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    static const SnLimits limits = {.ops = MOST_OPS, .nodes = 100000};
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnRewriteOpts o = sn_rewrite_defaults;
    SnGraph *g = NULL;

    sn_budget_limit(sn_budget_now(), &limits);
    o.verify = true;
    if (sn_onnx_borrow(a, "m.onnx", NULL, p, n, NULL, d, &g) == SN_OK &&
        sn_rewrite(sn_rewriter_new(a, &o, d), g, "profile") == SN_OK) {
        if (sn_verify(g, d) != SN_OK)
            sn_bug("lowered to what does not verify: %s", sn_diag_text(d, a));
        g = again(a, g);
        if (small(g))
            run(a, g);
    } else if (sn_diag_text(d, a)[0] == '\0') {
        sn_bug("refused without a message");
    }
    sn_arena_free(a);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t most, unsigned seed)
{
    return pb_mutate(p, n, most, seed);
}
