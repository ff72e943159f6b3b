// SPDX-License-Identifier: Apache-2.0
/* The identifiers in a text of C: built once, then asked for any number of
 * names. */
#ifndef SN_AOT_WORD_SET_H
#define SN_AOT_WORD_SET_H

#include <stdbool.h>

#include "base/hashes.h"

typedef struct SnAotWord {
    const char *s; /* within the text */
    size_t n;
} SnAotWord;

typedef struct SnAotWords {
    SnHashes known;
    uint32_t n;
    SnAotWord *v; /* each once */
} SnAotWords;

/* code lives as long as they.  Members (`.x`) are none of them. */
SnAotWords sn_aot_words(SnArena *a, const char *code);
bool sn_aot_has_word(SnAotWords *w, const char *word);

#endif
