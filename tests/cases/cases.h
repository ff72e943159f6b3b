// SPDX-License-Identifier: Apache-2.0
/* Graphs made from the declarations (build/gen/sn_cases.c): for each rule
 * instance one on which the rule must fire, and near misses, on which it must
 * not. */
#ifndef SN_CASES_H
#define SN_CASES_H

#include <stddef.h>
#include <stdint.h>

/* A graph that fails one conjunct of the guard and no other. */
typedef struct SnCaseMiss {
    const char *guard;        /* the conjunct, as written */
    const char *const *graph; /* lines of text, NULL-ended; or NULL: */
    const char *why;          /* there is none, because */
} SnCaseMiss;

typedef struct SnCase {
    const char *pass, *rule;  /* as in sn_rules[] */
    const char *instance;     /* "absorb Conv2D.x" */
    const char *where;        /* "passes.def:116" */
    const char *backend;      /* or NULL: any */
    const char *const *graph; /* lines of text, NULL-ended; or NULL: */
    const char *const *apart; /* one whose sides differ, as far as seen; or
                                 NULL */
    const char *why;          /* there is none, because */
    const char *once;         /* names of values that may have one reader,
                                 with blanks between; or NULL */
    uint32_t nmiss;
    const SnCaseMiss *miss;
} SnCase;

extern const SnCase sn_cases[];
extern const uint32_t sn_ncase;

#endif
