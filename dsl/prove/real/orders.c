// SPDX-License-Identifier: Apache-2.0
/* Max and min where every bit counts.  Each is one of its operands, so that a
 * rule made of them is compared in every order that the operands may have,
 * equal ones among them: of these the first is taken (docs/numerics.md), since
 * -0 equals +0.  An order of reals is one of integers, which the facts of a
 * path know.
 *
 * NaN passes through: if both sides are made of the same operands, they are NaN
 * together. */
#include "dsl/prove/real/box.h"

bool
sn_real_among(const SnRealProof *cx, const SnRing *v, uint32_t n, SnRing x)
{
    for (uint32_t i = 0; i < n; i++)
        if (sn_ring_same(&cx->R, v[i], x))
            return true;
    return false;
}

/* The place of x in the order. */
static SnPoly
rank_of(SnRealProof *cx, SnRing x)
{
    return sn_poly_name(
        &cx->path.P, sn_format(cx->a, "order of %s", sn_ring_text(&cx->R, x)));
}

/* x >= y, or x > y. */
static void
above(SnRealProof *cx, SnRing x, SnRing y, bool strictly)
{
    sn_path_assume(
        &cx->path,
        sn_poly_plus(&cx->path.P,
                     sn_poly_sub(&cx->path.P, rank_of(cx, x), rank_of(cx, y)),
                     strictly ? -1 : 0));
}

/* Numbers have one order. */
static void
place_number(SnRealProof *cx, SnRing x)
{
    double v, w;

    if (!sn_ring_is_num(x, &v) ||
        sn_real_among(cx, cx->ordered, cx->nordered, x))
        return;
    for (uint32_t i = 0; i < cx->nordered; i++) {
        (void)sn_ring_is_num(cx->ordered[i], &w);
        above(cx, v > w ? x : cx->ordered[i], v > w ? cx->ordered[i] : x, true);
    }
    SN_PUSH(cx->a, cx->ordered, cx->nordered, x);
}

void
sn_real_at_least(SnRealProof *cx, SnRing x, SnRing y, bool strictly)
{
    place_number(cx, x);
    place_number(cx, y);
    above(cx, x, y, strictly);
    if (sn_facts_absurd(&cx->path.F))
        sn_path_stop(&cx->path, SN_PATH_DEAD, "no such order");
}

static void
note(SnRealProof *cx, bool left, SnRing x)
{
    if (!sn_real_among(cx, cx->taken[left], cx->ntaken[left], x))
        SN_PUSH(cx->a, cx->taken[left], cx->ntaken[left], x);
}

SnRing
sn_real_choice(SnRealProof *cx, bool left, SnFn fn, SnRing a, SnRing b)
{
    SnPolys *P = &cx->path.P;
    SnPoly *of = SN_NEW_N(cx->a, SnPoly, 2);
    const SnRing two[] = {a, b};
    bool first = true;

    if (sn_real_stopped(cx))
        return a;
    note(cx, left, a);
    note(cx, left, b);
    of[0] = rank_of(cx, a);
    of[1] = rank_of(cx, b);
    if (!sn_ring_same(&cx->R, a, b)) {
        place_number(cx, a);
        place_number(cx, b);
        SnPoly d = sn_poly_sub(P, of[0], of[1]);
        first = sn_path_decide(&cx->path,
                               fn == SN_FN_MAX ? d : sn_poly_scale(P, d, -1));
    }
    return sn_ring_made(&cx->R, first ? a : b, 'c',
                        fn == SN_FN_MAX ? "max" : "min", 2, two, 2, of);
}

void
sn_real_same_choices(SnRealProof *cx, SnRing l, SnRing r)
{
    uint32_t n[2];

    if (sn_real_stopped(cx) || !(cx->ntaken[0] || cx->ntaken[1]))
        return;
    note(cx, true, l);
    note(cx, false, r);
    n[0] = cx->ntaken[0];
    n[1] = cx->ntaken[1];
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < n[side]; i++) {
            SnRing x = cx->taken[side][i];
            double v;
            if (!sn_ring_is_num(x, &v) &&
                !sn_real_among(cx, cx->taken[!side], n[!side], x))
                sn_path_stop(&cx->path, SN_PATH_FAIL,
                             "where %s is NaN only one side is",
                             sn_ring_text(&cx->R, x));
        }
}
