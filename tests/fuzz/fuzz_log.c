// SPDX-License-Identifier: Apache-2.0
/* Logs of rewritings: as a whole file, and as steps above a graph that is the
 * one before.  What is accepted must end at the graph it is said to end at:
 * the outputs of before and after are the same, whatever the steps were. */
#include "fuzz.h"

#include <string.h>

#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "rewrite/witness/witness.h"

static const char before[] = "sinter-graph 1\n"
                             "graph \"g\" {\n"
                             "  %x = Placeholder() : qi8<0.04, 0>[8]\n"
                             "  %m = Rescale(%x) : qi8<0.01, 0>[8]\n"
                             "  %y = Rescale(%m) : qi8<0.04, 0>[8]\n";
static const char added[] =
    "  %step1 = Rescale(%x) {clamp = [-32, 32]} : qi8<0.04, 0>[8]\n"
    "  %step2 = Rescale(%x) : qi8<0.04, 0>[8]\n";
static const char end[] = "  Save(%y) {name = \"out\"}\n}\n";

static SnGraph *
parsed(SnArena *a, const char *text)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g;

    src->name = "graph";
    src->text = text;
    src->nbyte = strlen(text);
    if (sn_parse(a, src, NULL, sn_diag_new(a), &g) != SN_OK)
        sn_bug("the graph is not read");
    return g;
}

/* All codes through the graph's one chain of Rescales. */
static void
run(SnArena *a, const SnGraph *g, int8_t *out)
{
    uint32_t n;
    SnId *order = sn_topo(g, a, &n);

    for (int i = 0; i < 256; i += 8) {
        SnTensor *v = SN_NEW_N(a, SnTensor, g->nnode);
        for (uint32_t k = 0; k < n; k++) {
            const SnNode *node = sn_node(g, order[k]);
            if (!node->nres) {
                memcpy(out + i, v[SN_NODE(node->in[0].ref)].data, 8);
                continue;
            }
            int8_t *to = sn_alloc(a, 8);
            v[order[k]] = (SnTensor){node->res[0].type, node->res[0].shape, to};
            for (int j = 0; !node->nin && j < 8; j++)
                to[j] = (int8_t)(i + j - 128);
            if (node->nin &&
                sn_eval_node(g, order[k], &v[SN_NODE(node->in[0].ref)],
                             &v[order[k]], a, sn_diag_new(a)) != SN_OK)
                sn_bug("a Rescale does not run");
        }
    }
}

/* After is one of these; a log that says so of the wrong one is refused. */
static void
verify(SnArena *a, const char *log, size_t n, const char *after, bool right)
{
    SnRewriteOpts o = sn_rewrite_defaults;
    SnVerdict v;
    SnDiag *d = sn_diag_new(a);
    SnGraph *b = parsed(a, sn_format(a, "%s%s", before, end));
    SnGraph *c = parsed(a, after);
    int fd;
    const char *path = fuzz_file(a, (const uint8_t *)log, n, &fd);
    int8_t x[256], y[256];

    if (path && sn_witness_verify(a, b, c, path, &o, d, &v) == SN_OK) {
        run(a, b, x);
        run(a, c, y);
        if (!right || memcmp(x, y, sizeof x) != 0)
            sn_bug("a log of another result is accepted");
    } else if (path && sn_diag_text(d, a)[0] == '\0') {
        sn_bug("refused without a message");
    }
    close(fd);
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    const char *good = sn_format(
        a, "%s  %%y = Rescale(%%x) {clamp = [-32, 32]} : qi8<0.04, 0>[8]\n%s",
        "sinter-graph 1\ngraph \"g\" {\n"
        "  %x = Placeholder() : qi8<0.04, 0>[8]\n",
        end);
    const char *bad =
        sn_format(a, "%s  %%y = Rescale(%%x) : qi8<0.04, 0>[8]\n%s",
                  "sinter-graph 1\ngraph \"g\" {\n"
                  "  %x = Placeholder() : qi8<0.04, 0>[8]\n",
                  end);
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putn(&b, (const char *)p, n);
    sn_putf(&b, "\n%s%s%s", before, added, end);
    verify(a, b.s, b.n, good, true);
    verify(a, b.s, b.n, bad, false);
    verify(a, (const char *)p, n, good, true);
    sn_arena_free(a);
}
