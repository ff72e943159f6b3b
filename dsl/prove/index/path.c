// SPDX-License-Identifier: Apache-2.0
/* One path of a proof. */
#include "dsl/prove/index/path.h"

#include <string.h>

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
    if (stop == SN_PATH_DEAD && !sn_facts_end(&w->F))
        sn_trace_end(&w->trace, w->why);
}

void
sn_path_through(SnPath *w)
{
    if (sn_path_stopped(w))
        return;
    w->stop = SN_PATH_DEAD;
    w->why = "through";
    sn_trace_end(&w->trace, w->why);
}

void
sn_path_seen(SnPath *w, const char *fmt, ...)
{
    va_list ap;

    if (sn_path_stopped(w))
        return;
    va_start(ap, fmt);
    sn_trace_mark(&w->trace, sn_vformat(w->a, fmt, ap));
    va_end(ap);
}

/* ---- decisions ---- */

static void
alive(SnPath *w)
{
    if (!sn_path_stopped(w) && sn_facts_absurd(&w->F))
        sn_path_stop(w, SN_PATH_DEAD, "a contradiction");
}

const char *
sn_path_condition(SnArena *a, const char *text)
{
    SnBuf b;

    if (!text)
        return "a condition of its map";
    sn_buf_init(&b, a);
    while (*text) {
        size_t n = strcspn(text, "{"), to = strcspn(text + n, "}");
        sn_putn(&b, text, n);
        text += n;
        if (*text)
            sn_puts(&b, "..");
        text += text[to] ? to + 1 : to;
    }
    return sn_buf_str(&b);
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

static bool
choose(SnPath *w)
{
    if (w->atchoice == SN_PATH_NCHOICE) {
        sn_path_stop(w, SN_PATH_OUT, "too many open conditions");
        return true;
    }
    if (w->atchoice == w->nchoice)
        w->choice[w->nchoice++] = true;
    return w->choice[w->atchoice++];
}

bool
sn_path_each(SnPath *w, const char *what)
{
    if (sn_path_stopped(w))
        return true;
    sn_trace_each(&w->trace, what);
    return choose(w);
}

/* A side of a case distinction. */
static void
side(SnPath *w, SnPoly p, bool zero)
{
    w->F.by_split = true;
    if (zero)
        sn_path_assume_zero(w, p);
    else
        sn_path_assume(w, p);
    w->F.by_split = false;
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
    sn_trace_split(&w->trace, p);
    bool yes = choose(w);
    side(w, yes ? p : no, false);
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
    if (sn_path_decide(w, up) || !sn_path_decide(w, p) || sn_path_stopped(w))
        return sn_path_stopped(w);
    side(w, p, true);
    alive(w);
    return true;
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
sn_path_init(SnPath *w, SnProver *pv, SnArena *a)
{
    if (!pv->forms)
        pv->forms = sn_memo_forms(pv->a);
    w->a = w->P.a = a;
    w->forms = pv->forms;
}

void
sn_path_begin(SnPath *w)
{
    w->memo.a = w->a;
    w->trace.a = w->a;
    w->trace.P = &w->P;
    sn_trace_begin(&w->trace);
    w->F = (SnFacts){.P = &w->P,
                     .nfarkas = w->F.nfarkas,
                     .memo = &w->memo,
                     .forms = w->forms,
                     .trace = &w->trace};
    w->nseen = 0;
    w->seen = NULL;
    w->stop = SN_PATH_ON;
    w->atchoice = 0;
}

bool
sn_path_next(SnPath *w)
{
    sn_path_through(w);
    w->nchoice = w->atchoice;
    while (w->nchoice && !w->choice[w->nchoice - 1])
        w->nchoice--;
    if (!w->nchoice)
        return false;
    w->choice[w->nchoice - 1] = false;
    sn_trace_other(&w->trace, w->nchoice - 1);
    return true;
}

const char *
sn_path_certificate(SnPath *w, SnArena *a)
{
    return w->trace.broken ? NULL
                           : sn_strndup(a, w->trace.out.s, w->trace.out.n);
}
