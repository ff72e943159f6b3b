// SPDX-License-Identifier: Apache-2.0
/* One path of a proof: known facts, and decisions.
 *
 * Conditions that the facts of the path leave open are decided both ways, by
 * running the proof again: each run repeats the choices of the previous one up
 * to the last open one, and makes that one the other way. */
#ifndef SN_PATH_H
#define SN_PATH_H

#include "dsl/prove/index/facts.h"
#include "dsl/prove/prover.h"

enum { SN_PATH_NCHOICE = 96, SN_PATH_NPATH = 4096 };

typedef enum SnPathStop {
    SN_PATH_ON,
    SN_PATH_DEAD, /* the path contradicts itself, or is finished */
    SN_PATH_FAIL, /* why it does not hold, or is not shown */
    SN_PATH_OUT   /* why it is out of reach */
} SnPathStop;

typedef struct SnPath {
    SnArena *a;
    SnPolys P;
    SnFacts F;
    SnMemo memo;
    SnMemoForms *forms;
    SnTrace trace;
    SnPathStop stop;
    const char *why;
    uint32_t nchoice, atchoice;
    bool choice[SN_PATH_NCHOICE];
    uint32_t nseen;
    const char **seen;
} SnPath;

static inline bool
sn_path_stopped(const SnPath *w)
{
    return w->stop != SN_PATH_ON;
}
/* Ends the path; the first reason stays. */
void sn_path_stop(SnPath *w, SnPathStop stop, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A proof in arena a, which is all 0. */
void sn_path_init(SnPath *w, SnProver *pv, SnArena *a);
/* A new path: nothing is known, choices are made as before. */
void sn_path_begin(SnPath *w);
/* Is there another path?  The last open question is answered the other way. */
bool sn_path_next(SnPath *w);
/* The certificate of all paths, in arena a; NULL: it was not kept. */
const char *sn_path_certificate(SnPath *w, SnArena *a);

/* Is p >= 0, p = 0?  Open questions are decided, both ways one after the
 * other. */
bool sn_path_decide(SnPath *w, SnPoly p);
bool sn_path_decide_zero(SnPath *w, SnPoly p);
/* Two things must be shown, one on this path, the other on the next. */
bool sn_path_each(SnPath *w, const char *what);
/* Notes what was shown, in words of the certificate. */
void sn_path_seen(SnPath *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The path is finished: nothing is left to be shown on it. */
void sn_path_through(SnPath *w);
/* A map's message for a failed condition, with its values as "..". */
const char *sn_path_condition(SnArena *a, const char *text);
/* A condition that is known only by a name. */
bool sn_path_decide_name(SnPath *w, const char *name);
void sn_path_assume(SnPath *w, SnPoly p);
void sn_path_assume_zero(SnPath *w, SnPoly p);
/* The first time on this path? */
bool sn_path_first(SnPath *w, const char *key);

#endif
