// SPDX-License-Identifier: Apache-2.0
/* The arena of unit/arena.h, and graphs read from their text. */
#ifndef SN_TEST_PARSE_H
#define SN_TEST_PARSE_H

#include <string.h>

#include "graph/text/text.h"
#include "unit/arena.h"

static inline SnGraph *
parse(const char *text)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g = NULL;

    *src = (SnSrc){"test", text, strlen(text), 0};
    if (sn_parse(a, src, NULL, d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

#endif
