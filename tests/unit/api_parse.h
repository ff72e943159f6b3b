// SPDX-License-Identifier: Apache-2.0
/* Models of sinter.h from text. */
#ifndef API_PARSE_H
#define API_PARSE_H

#include "sinter.h"
#include "unit/scratch.h"

#include <string.h>

/* Fails the test where the text is not a model. */
static inline SinterModel *
parse(const SinterConfig *c, const char *text)
{
    SinterError e;
    SinterModel *m;

    SinterStatus st = sinter_model_parse(
        c, SINTER_FORMAT_SN, text, strlen(text), "t.sn", NULL, NULL, &m, &e);
    if (st != SINTER_OK)
        fail_msg("%s: %s", e.where, e.message);
    return m;
}

#endif
