// SPDX-License-Identifier: Apache-2.0
/* Texts, each kept once: equal texts have the same pointer. */
#ifndef SN_TEXTS_H
#define SN_TEXTS_H

#include "base/arena.h"

#include <stdint.h>

typedef struct SnTexts {
    SnArena *a;
    uint32_t n, cap;
    const char **v; /* [cap], NULL: free */
} SnTexts;

/* The unique pointer for s, which must live as long as t if it is new; NULL for
 * NULL. */
const char *sn_texts_one(SnTexts *t, const char *s);

#endif
