// SPDX-License-Identifier: Apache-2.0
/* The tables of words.h.  Number 0 is no word. */
#include "dsl/model/words.h"

#include "dsl/model/named.h"

#define FORMULA(ID, w, least, most, c, text) \
    [SN_FN_##ID] = {.word = w,               \
                    .min = least,            \
                    .max = most,             \
                    .formula = c,            \
                    .cost = 3,               \
                    .doc = text},
#define NUMBER(ID, w, least, most, c, a, t, text) \
    [SN_FN_##ID] = {.word = w,                    \
                    .min = least,                 \
                    .max = most,                  \
                    .formula = c,                 \
                    .args = a,                    \
                    .in = SN_IN_ANY,              \
                    .ty = t,                      \
                    .cost = 3,                    \
                    .doc = text},
#define GUARD(ID, w, a, places, t, c, r, i, text) \
    [SN_FN_##ID] = {.word = w,                    \
                    .args = a,                    \
                    .in = places,                 \
                    .ty = t,                      \
                    .cost = c,                    \
                    .rule = r,                    \
                    .inv = i,                     \
                    .doc = text},
#define WHOLE(ID, w, a, c, t, text)      \
    [SN_FN_##ID] = {.word = w,           \
                    .min = sizeof a - 1, \
                    .max = sizeof a - 1, \
                    .formula = c,        \
                    .whole = a,          \
                    .ty = t,             \
                    .cost = 3,           \
                    .doc = text},
#define IN_ROW(ID, w, a, c, t, text) \
    [SN_FN_##ID] = {                 \
        .word = w, .row_c = c, .row = a, .ty = t, .cost = 3, .doc = text},
#define OTHER(ID, w, text) [SN_FN_##ID] = {.word = w, .cost = 3, .doc = text},

const SnFnWord sn_fns[SN_NFN] = {
    [SN_FN_NONE] = {.word = "", .cost = 3},
    SN_FORMULA_FNS(FORMULA) SN_GUARD_FNS(GUARD) SN_NUMBER_FNS(NUMBER)
        SN_OTHER_FNS(OTHER) SN_WHOLE_FNS(WHOLE) SN_ROW_FNS(IN_ROW)};

#define MODE(ID, w, text) [SN_MODE_##ID] = #w,
const char *const sn_mode_words[SN_NMODE] = {[SN_MODE_NONE] = "",
                                             SN_MODES(MODE)};

#define WORD(ID, w, text) [SN_W_##ID] = w,
const char *const sn_words[SN_NWORD] = {[SN_W_NONE] = "", SN_WORDS(WORD)};

#define ROW(ID, w, text) [SN_ROW_##ID] = w,
const char *const sn_row_words[SN_NROW] = {[SN_ROW_NONE] = "", SN_ROWS(ROW)};

#define MAP_TYPE(ID, w, t, l, o) [SN_MT_##ID] = {w, t, l, o},
const SnMapTypeWord sn_map_types[SN_NMAPTYPE] = {[SN_MT_NONE] = {.word = ""},
                                                 SN_MAP_TYPES(MAP_TYPE)};

#define MAP(ID, w) [SN_MW_##ID] = w,
static const char *const map_words[SN_NMAPWORD] = {[SN_MW_NONE] = "",
                                                   SN_KNOWN_MAPS(MAP)};

SnFn
sn_fn_named(const char *s)
{
    return (SnFn)(sn_entry_at(sn_fns, SN_NFN, sizeof *sn_fns, s) % SN_NFN);
}

/* The number of s among n words, 0 if it is none of them. */
static uint32_t
named(const char *const *v, uint32_t n, const char *s)
{
    return sn_name_at(v, n, s) % n;
}

SnWord
sn_word_named(const char *s)
{
    return (SnWord)named(sn_words, SN_NWORD, s);
}

SnMode
sn_mode_named(const char *s)
{
    return (SnMode)named(sn_mode_words, SN_NMODE, s);
}

SnRow
sn_row_named(const char *s)
{
    return (SnRow)named(sn_row_words, SN_NROW, s);
}

SnMapType
sn_map_type_named(const char *s)
{
    return (SnMapType)(sn_entry_at(sn_map_types, SN_NMAPTYPE,
                                   sizeof *sn_map_types, s) %
                       SN_NMAPTYPE);
}

SnMapWord
sn_known_map(const char *s)
{
    return (SnMapWord)named(map_words, SN_NMAPWORD, s);
}
