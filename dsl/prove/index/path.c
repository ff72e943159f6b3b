// SPDX-License-Identifier: Apache-2.0
/* One path of a proof: what has been decided on it, and the axes on it. */
#include "dsl/prove/index/side.h"

#include <string.h>

void
sn_index_stop(SnIndex *cx, SnIndexStop stop, const char *fmt, ...)
{
    va_list ap;

    if (sn_index_stopped(cx))
        return;
    if (stop != SN_INDEX_DEAD && sn_facts_absurd(&cx->F))
        stop = SN_INDEX_DEAD;
    va_start(ap, fmt);
    cx->stop = stop;
    cx->why = sn_vformat(cx->a, fmt, ap);
    va_end(ap);
}

/* ---- decisions ---- */

static void
alive(SnIndex *cx)
{
    if (!sn_index_stopped(cx) && sn_facts_absurd(&cx->F))
        sn_index_stop(cx, SN_INDEX_DEAD, "a contradiction");
}

void
sn_index_assume(SnIndex *cx, SnPoly p)
{
    sn_facts_at_least(&cx->F, p);
}

void
sn_index_assume_zero(SnIndex *cx, SnPoly p)
{
    sn_facts_zero(&cx->F, p);
}

bool
sn_index_choose(SnIndex *cx)
{
    if (cx->atchoice == SN_INDEX_NCHOICE) {
        sn_index_stop(cx, SN_INDEX_OUT, "too many open conditions");
        return true;
    }
    if (cx->atchoice == cx->nchoice)
        cx->choice[cx->nchoice++] = true;
    return cx->choice[cx->atchoice++];
}

static SnPoly
below_zero(SnIndex *cx, SnPoly p)
{
    return sn_poly_plus(&cx->P, sn_poly_scale(&cx->P, p, -1), -1);
}

bool
sn_index_decide(SnIndex *cx, SnPoly p)
{
    if (sn_index_stopped(cx))
        return true;
    SnPoly no = below_zero(cx, p);
    if (sn_facts_is_at_least(&cx->F, p))
        return true;
    if (sn_facts_is_at_least(&cx->F, no))
        return false;
    bool yes = sn_index_choose(cx);
    sn_index_assume(cx, yes ? p : no);
    alive(cx);
    return yes;
}

bool
sn_index_decide_zero(SnIndex *cx, SnPoly p)
{
    if (sn_index_stopped(cx) || sn_facts_is_zero(&cx->F, p))
        return true;
    SnPoly up = sn_poly_plus(&cx->P, p, -1), down = below_zero(cx, p);
    if (sn_facts_is_at_least(&cx->F, up) || sn_facts_is_at_least(&cx->F, down))
        return false;
    if (sn_index_choose(cx)) {
        sn_index_assume_zero(cx, p);
        alive(cx);
        return true;
    }
    if (sn_facts_is_at_least(&cx->F, p))
        sn_index_assume(cx, up);
    else if (sn_facts_is_at_least(&cx->F, sn_poly_scale(&cx->P, p, -1)))
        sn_index_assume(cx, down);
    else
        sn_index_assume(cx, sn_index_choose(cx) ? up : down);
    alive(cx);
    return false;
}

bool
sn_index_decide_name(SnIndex *cx, const char *name)
{
    SnPoly b = sn_poly_name(&cx->P, name);

    if (sn_index_first(cx, name)) {
        sn_index_assume(cx, b);
        sn_index_assume(cx, below_zero(cx, sn_poly_plus(&cx->P, b, -2)));
    }
    return !sn_index_decide_zero(cx, b);
}

bool
sn_index_first(SnIndex *cx, const char *key)
{
    key = sn_poly_word(&cx->P, key);
    for (uint32_t i = 0; i < cx->ntouched; i++)
        if (cx->touched[i] == key)
            return false;
    SN_PUSH(cx->a, cx->touched, cx->ntouched, key);
    return true;
}

/* ---- axes ---- */

SnAxis
sn_axis_apply(SnIndex *cx, SnAxis t, int g)
{
    unsigned number = (unsigned)(g < 0 ? -g : g) - 1;
    int rep = cx->same_gen[number % SN_INDEX_NGEN] + 1;
    int8_t w = (int8_t)(g < 0 ? -rep : rep);

    for (uint32_t i = 0; i < cx->ngen; i++)
        if (cx->same_gen[i] == rep - 1 && cx->identity[i])
            return t;
    if (t.n && t.word[0] == -w) {
        memmove(t.word, t.word + 1, --t.n);
        return t;
    }
    if (t.n == SN_AXIS_WORD) {
        sn_index_stop(cx, SN_INDEX_OUT, "too many permutations");
        return t;
    }
    memmove(t.word + 1, t.word, t.n++);
    t.word[0] = w;
    return t;
}

bool
sn_axis_same(SnAxis a, SnAxis b)
{
    return a.base == b.base && a.n == b.n && !memcmp(a.word, b.word, a.n);
}

const char *
sn_axis_text(const SnIndex *cx, SnAxis t)
{
    SnBuf b;

    sn_buf_init(&b, cx->a);
    for (unsigned i = 0; i < t.n; i++)
        sn_putf(&b, "%s%s ",
                cx->gen[(t.word[i] < 0 ? -t.word[i] : t.word[i]) - 1],
                t.word[i] < 0 ? "^-1" : "");
    sn_puts(&b, t.base ? cx->base[t.base - 1] : "any");
    return sn_buf_str(&b);
}

/* w(a) = b as a = w^-1(b), so that one axis has one name: words go to the side
 * of the attribute. */
bool
sn_axis_decide(SnIndex *cx, SnAxis a, SnAxis b)
{
    if (sn_axis_same(a, b))
        return true;
    if (b.base == 0 && a.base != 0) {
        SnAxis t = a;
        a = b;
        b = t;
    }
    for (unsigned i = 0; i < a.n && !sn_index_stopped(cx); i++)
        b = sn_axis_apply(cx, b, -a.word[i]);
    a.n = 0;
    if (sn_axis_same(a, b))
        return true;
    return sn_index_decide_name(cx, sn_format(cx->a, "{%s is %s}",
                                              sn_axis_text(cx, a),
                                              sn_axis_text(cx, b)));
}
