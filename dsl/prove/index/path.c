// SPDX-License-Identifier: Apache-2.0
/* One path of a proof. */
#include "dsl/prove/index/path.h"

void
sn_path_stop(SnPath *w, SnPathStop stop, const char *fmt, ...)
{
    va_list ap;

    if (sn_path_stopped(w))
        return;
    if (stop != SN_PATH_DEAD && sn_facts_absurd(&w->F))
        stop = SN_PATH_DEAD;
    va_start(ap, fmt);
    w->stop = stop;
    w->why = sn_vformat(w->a, fmt, ap);
    va_end(ap);
}

/* ---- decisions ---- */

static void
alive(SnPath *w)
{
    if (!sn_path_stopped(w) && sn_facts_absurd(&w->F))
        sn_path_stop(w, SN_PATH_DEAD, "a contradiction");
}

void
sn_path_assume(SnPath *w, SnPoly p)
{
    sn_facts_at_least(&w->F, p);
}

void
sn_path_assume_zero(SnPath *w, SnPoly p)
{
    sn_facts_zero(&w->F, p);
}

bool
sn_path_choose(SnPath *w)
{
    if (w->atchoice == SN_PATH_NCHOICE) {
        sn_path_stop(w, SN_PATH_OUT, "too many open conditions");
        return true;
    }
    if (w->atchoice == w->nchoice)
        w->choice[w->nchoice++] = true;
    return w->choice[w->atchoice++];
}

static SnPoly
below_zero(SnPath *w, SnPoly p)
{
    return sn_poly_plus(&w->P, sn_poly_scale(&w->P, p, -1), -1);
}

bool
sn_path_decide(SnPath *w, SnPoly p)
{
    if (sn_path_stopped(w))
        return true;
    SnPoly no = below_zero(w, p);
    if (sn_facts_is_at_least(&w->F, p))
        return true;
    if (sn_facts_is_at_least(&w->F, no))
        return false;
    bool yes = sn_path_choose(w);
    sn_path_assume(w, yes ? p : no);
    alive(w);
    return yes;
}

bool
sn_path_decide_zero(SnPath *w, SnPoly p)
{
    if (sn_path_stopped(w) || sn_facts_is_zero(&w->F, p))
        return true;
    SnPoly up = sn_poly_plus(&w->P, p, -1), down = below_zero(w, p);
    if (sn_facts_is_at_least(&w->F, up) || sn_facts_is_at_least(&w->F, down))
        return false;
    if (sn_path_choose(w)) {
        sn_path_assume_zero(w, p);
        alive(w);
        return true;
    }
    if (sn_facts_is_at_least(&w->F, p))
        sn_path_assume(w, up);
    else if (sn_facts_is_at_least(&w->F, sn_poly_scale(&w->P, p, -1)))
        sn_path_assume(w, down);
    else
        sn_path_assume(w, sn_path_choose(w) ? up : down);
    alive(w);
    return false;
}

bool
sn_path_decide_name(SnPath *w, const char *name)
{
    SnPoly b = sn_poly_name(&w->P, name);

    if (sn_path_first(w, name)) {
        sn_path_assume(w, b);
        sn_path_assume(w, below_zero(w, sn_poly_plus(&w->P, b, -2)));
    }
    return !sn_path_decide_zero(w, b);
}

bool
sn_path_first(SnPath *w, const char *key)
{
    key = sn_poly_word(&w->P, key);
    for (uint32_t i = 0; i < w->nseen; i++)
        if (w->seen[i] == key)
            return false;
    SN_PUSH(w->a, w->seen, w->nseen, key);
    return true;
}

/* ---- one path after the other ---- */

void
sn_path_begin(SnPath *w)
{
    w->memo.a = w->a;
    w->F = (SnFacts){.P = &w->P, .nfarkas = w->F.nfarkas, .memo = &w->memo};
    w->nseen = 0;
    w->seen = NULL;
    w->stop = SN_PATH_ON;
    w->atchoice = 0;
}

bool
sn_path_next(SnPath *w)
{
    w->nchoice = w->atchoice;
    while (w->nchoice && !w->choice[w->nchoice - 1])
        w->nchoice--;
    if (!w->nchoice)
        return false;
    w->choice[w->nchoice - 1] = false;
    return true;
}
