// SPDX-License-Identifier: Apache-2.0
/* The arena of unit/arena.h, and declarations read from their text. */
#ifndef SN_TEST_DEFS_H
#define SN_TEST_DEFS_H

#include <string.h>

#include "dsl/syntax/parse.h"
#include "unit/arena.h"

static SnDefs *defs;

static inline int
setup_defs(void **state)
{
    setup(state);
    defs = sn_defs_new(a);
    return 0;
}

static inline void
parse_defs(const char *file, const char *text)
{
    static const char *const dirs[] = {"tests/dsl/check", "."};

    sn_def_parse_text(defs, d, file, text, strlen(text), dirs, 2);
}

static inline void
resolve_defs(void)
{
    sn_def_resolve(defs, d);
    assert_string_equal(sn_diag_text(d, a), "");
}

/* The declarations of file `base` and of this text, without a message. */
static inline void
declare(const char *base, const char *text)
{
    parse_defs("t.def",
               sn_format(a, "version 2;\ninclude \"%s\";\n%s", base, text));
    resolve_defs();
}

#endif
