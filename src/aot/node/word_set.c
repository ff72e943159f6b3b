// SPDX-License-Identifier: Apache-2.0
#include "aot/node/word_set.h"

#include <ctype.h>
#include <string.h>
#include <xxhash.h>

static bool
is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
find(SnAotWords *w, const char *s, size_t n, uint64_t hash)
{
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&w->known, hash, &probe)) != SN_HASHES_END)
        if (w->v[i].n == n && !memcmp(w->v[i].s, s, n))
            return true;
    return false;
}

SnAotWords
sn_aot_words(SnArena *a, const char *code)
{
    SnAotWords w = {.known = {.a = a}};

    for (const char *s = code; *s;) {
        size_t n = 0;
        while (is_letter(s[n]))
            n++;
        uint64_t hash = XXH64(s, n, 0);
        if (n && (s == code || s[-1] != '.') && !find(&w, s, n, hash)) {
            sn_hashes_add(&w.known, hash, w.n);
            SN_PUSH(a, w.v, w.n, ((SnAotWord){s, n}));
        }
        s += n ? n : 1;
    }
    return w;
}

bool
sn_aot_has_word(SnAotWords *w, const char *word)
{
    size_t n = strlen(word);

    return find(w, word, n, XXH64(word, n, 0));
}
