// SPDX-License-Identifier: Apache-2.0
/* The ONNX importer: any bytes are a graph that verifies, or refused. */
#include "fuzz.h"

#include "graph/graph.h"
#include "onnx/import.h"

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnGraph *g = NULL;

    if (sn_onnx_borrow(a, "m.onnx", NULL, p, n, NULL, d, &g) == SN_OK) {
        if (sn_verify(g, d) != SN_OK)
            sn_bug("imported a graph that does not verify: %s",
                   sn_diag_text(d, a));
    } else if (sn_diag_text(d, a)[0] == '\0') {
        sn_bug("refused without a message");
    }
    sn_arena_free(a);
}
