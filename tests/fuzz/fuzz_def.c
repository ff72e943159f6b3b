// SPDX-License-Identifier: Apache-2.0
/* The front end of .def files, from the lexer to the checks of order and the
 * proofs: every message about a refused file has its place in it. */
#include "fuzz.h"

#include <string.h>
#include "dsl/order/order.h"
#include "dsl/syntax/parse.h"
#include "dsl/prove/prove.h"

/* Proofs of more rules than this take too long for a fuzzer. */
enum { MAXRULE = 12, NDRAW = 2 };

static void
located(const SnDiag *d, SnArena *a)
{
    size_t n;
    const SnDiagMsg *m = sn_diag_messages(d, a, &n);

    for (size_t i = 0; i < n; i++) {
        SnPos at = m[i].at;
        if (m[i].severity != SN_ERROR)
            continue;
        if (!at.src || at.line == 0 || at.col == 0 || at.len == 0)
            sn_bug("an error without a place: %s", m[i].text);
        if (!m[i].text[0])
            sn_bug("%u:%u: an error without a text", at.line, at.col);
    }
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    SnProveOpts o = {.ndraw = NDRAW};
    SnArena *a = sn_arena_new();
    SnDiag *d = sn_diag_new(a);
    SnDefs *defs = sn_defs_new(a);
    char *text = sn_alloc(a, n + 1);

    if (n > 0)
        memcpy(text, p, n);
    text[n] = '\0';
    sn_def_parse_text(defs, d, "fuzz.def", text, n, NULL, 0);
    if (sn_diag_nerror(d) == 0)
        sn_def_resolve(defs, d);
    else
        sn_def_resolve_rest(defs, d);
    if (sn_diag_nerror(d) == 0)
        sn_def_order(defs, d);
    if (sn_diag_nerror(d) == 0 && defs->nrule + defs->nderive <= MAXRULE)
        sn_prove(defs, d, &o);
    located(d, a);
    sn_arena_free(a);
}
