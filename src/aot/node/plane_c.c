// SPDX-License-Identifier: Apache-2.0
/* Tiles of one filter a channel as C: a channel is laid out as a plane with its
 * borders; then one result at a time, or two for DSP instructions. */
#include <string.h>

#include "aot/node/tile_help.h"

static int64_t
clip(int64_t x, int64_t hi)
{
    return x < 0 ? 0 : x > hi ? hi : x;
}

void
sn_tile_inside(const SnAotTile *t, uint32_t i, int64_t *lo, int64_t *hi)
{
    const SnTileAxis *a = &t->axis[i];

    *lo = clip(-a->first, a->n);
    *hi = clip(a->dim - a->first, a->n);
}

uint32_t
sn_tile_walked(const SnAotTile *t)
{
    uint32_t vars = 0;

    for (uint32_t i = 0; i < t->naxis; i++)
        vars |= t->axis[i].place < 0 ? 0 : UINT32_C(1) << t->axis[i].place;
    return vars;
}

/* Copies the channel into the middle of the plane, whose borders stay 0. */
static void
fill_plane(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnTileAxis *a = t->axis;
    int depth = n->depth;

    for (uint32_t i = 0; i < t->naxis; i++) {
        int64_t lo, hi;
        sn_tile_inside(t, i, &lo, &hi);
        if (t->twos && i + 1 == t->naxis)
            sn_aot_line(n, "SN_UNROLL");
        sn_aot_line(n, "for (int tj%u = %lld; tj%u < %lld; tj%u++) {", i,
                    (long long)lo, i, (long long)hi, i);
        n->depth++;
    }
    const char *to =
        t->naxis == 2 ? sn_format(n->a, "%lld * tj0 + tj1", (long long)t->pitch)
                      : "tj0";
    const char *from = sn_format(n->a, "%lld * tj0", (long long)a[0].stride);
    if (t->naxis == 2)
        from = sn_format(n->a, "%s + %lld * tj1", from, (long long)a[1].stride);
    sn_aot_line(n, "win[%s] = (int16_t)(%s[%s] - (%d));", to,
                sn_aot_operand(n, t->x),
                sn_tile_linear(n, from, t->off.k, t->off.base,
                               (t->groups | t->pixels) & ~sn_tile_walked(t)),
                (int)t->xz);
    sn_tile_close(n, depth);
}

int64_t
sn_tile_tap_at(const SnAotNode *n, int64_t k)
{
    const SnAotTile *t = n->tile;
    int64_t at = 0;

    for (int v = (int)n->u.nvar - 1; v >= 0; v--) {
        if (!(t->taps >> v & 1))
            continue;
        int64_t b = n->u.var[v].bound.v;
        for (uint32_t i = 0; i < t->naxis; i++)
            if (t->axis[i].tap == v)
                at += t->axis[i].gap * (k % b) *
                      (t->naxis == 2 && i == 0 ? t->pitch : 1);
        k /= b;
    }
    return at;
}

/* Are taps k and k + 1 adjacent, so that one word holds both? */
static bool
is_pair(const SnAotNode *n, const SnAotTile *t, int64_t k)
{
    return t->dsp && !t->mve && k + 1 < t->k &&
           sn_tile_tap_at(n, k + 1) == sn_tile_tap_at(n, k) + 1;
}

void
sn_tile_taps(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const char *z = sn_tile_zero(n, "0");
    const char *less = z ? sn_format(n->a, " - %s", z) : "";

    sn_aot_line(n, "const int8_t *const tw = %s + (%s) * %lld;",
                sn_tile_filters(n), sn_tile_number(n, t->groups),
                (long long)t->k);
    for (int64_t k = 0; k < t->k; k++) {
        long long i = (long long)k;
        if (is_pair(n, t, k)) {
            sn_aot_line(
                n, "const uint32_t tw%lld = sn_halves(tw[%lld]%s, tw[%lld]%s);",
                i, i, less, i + 1, less);
            k++;
        } else {
            sn_aot_line(n, "const int32_t tw%lld = tw[%lld]%s;", i, i, less);
        }
    }
}

static void
put_plane_sum(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    int64_t k[SN_MAP_NVAR] = {0};
    uint32_t vars = 0;

    for (uint32_t i = 0; i < t->naxis; i++) {
        const SnTileAxis *a = &t->axis[i];
        if (a->place < 0)
            continue;
        k[a->place] = a->step * (t->naxis == 2 && i == 0 ? t->pitch : 1);
        vars |= UINT32_C(1) << a->place;
    }
    sn_aot_line(n, "const int16_t *const tx = win + %s;",
                sn_tile_linear(n, NULL, k, 0, vars));
    sn_aot_line(n, "int32_t acc = 0;");
    for (int64_t i = 0; i < t->k; i++) {
        long long at = (long long)sn_tile_tap_at(n, i), w = (long long)i;
        if (is_pair(n, t, i)) {
            sn_aot_line(n, "acc = sn_smlad(sn_ld32(tx + %lld), tw%lld, acc);",
                        at, w);
            i++;
        } else {
            sn_aot_line(n, "acc += tx[%lld] * tw%lld;", at, w);
        }
    }
}

/* ---- two results at a time ---- */

/* Along the last axis of the plane a word holds two elements; results j and
 * j + 1 read words 0, 1, .. from the first element of j on.  Taps of a row are
 * words too: tA_B of taps B and B + 1 of row A, tA_last of the last tap alone.
 */
typedef struct Twos {
    SnAotNode *n;
    const SnAotTile *t;
    const SnTileAxis *in;
    int64_t taps, rows, gap; /* of a row; from one row to the next */
    int64_t step;
    int64_t nword;
} Twos;

static int64_t
bound_of(const SnAotNode *n, int v)
{
    return v < 0 ? 1 : n->u.var[v].bound.v;
}

/* The number of a tap among all taps. */
static int64_t
tap_number(const Twos *w, int64_t row, int64_t tap)
{
    int64_t k = 0, step = 1;

    for (int v = (int)w->n->u.nvar - 1; v >= 0; v--)
        if (w->t->taps >> v & 1) {
            k += step * (v == w->in->tap ? tap : row);
            step *= bound_of(w->n, v);
        }
    return k;
}

/* Are there words of taps that begin with an odd one? */
static bool
has_odd(const Twos *w)
{
    return w->step == 1 && w->taps >= 3;
}

static void
put_tap_words(const Twos *w)
{
    SnAotNode *n = w->n;
    const char *z = sn_tile_zero(n, "0");
    const char *less = z ? sn_format(n->a, " - %s", z) : "";

    sn_aot_line(n, "const int8_t *const tw = %s + (%s) * %lld;",
                sn_tile_filters(n), sn_tile_number(n, w->t->groups),
                (long long)w->t->k);
    for (int64_t r = 0; r < w->rows; r++)
        for (int64_t i = 0; i < w->taps; i += i + 1 < w->taps ? 1 : 2) {
            bool last = i + 1 == w->taps;
            if (last ? w->taps % 2 == 0 || has_odd(w) : i % 2 && !has_odd(w))
                continue;
            long long a = (long long)tap_number(w, r, i);
            const char *two =
                last ? "0"
                     : sn_format(n->a, "tw[%lld]%s",
                                 (long long)tap_number(w, r, i + 1), less);
            sn_aot_line(
                n, "const uint32_t t%lld_%lld = sn_halves(tw[%lld]%s, %s);",
                (long long)r, (long long)i, a, less, two);
        }
}

/* acc += word i of row r by taps `tap`, of the halves that `op` names; the
 * first product has no sum before it. */
static void
put_product(const Twos *w, const char *op, int64_t r, int64_t i, int64_t tap,
            const char *acc, bool first)
{
    bool both = !strcmp(op, "ad");

    if (first)
        sn_aot_line(w->n, "int32_t %s = sn_smu%s(x%lld_%lld, t%lld_%lld);", acc,
                    both ? op : sn_format(w->n->a, "l%s", op), (long long)r,
                    (long long)i, (long long)r, (long long)tap);
    else
        sn_aot_line(w->n, "%s = sn_smla%s(x%lld_%lld, t%lld_%lld, %s);", acc,
                    both ? "d" : op, (long long)r, (long long)i, (long long)r,
                    (long long)tap, acc);
}

/* acc += words from `first` on by row r, for a result that begins in the low
 * half of its word. */
static void
put_even(const Twos *w, int64_t r, int64_t first, const char *acc)
{
    int64_t i = 0;

    for (; i + 1 < w->taps; i += 2)
        put_product(w, "ad", r, first + i / 2, i, acc, r + i == 0);
    if (i == w->taps)
        return;
    if (has_odd(w)) /* the last tap is the high half of an odd word */
        put_product(w, "bt", r, first + i / 2, i - 1, acc, r + i == 0);
    else
        put_product(w, "ad", r, first + i / 2, i, acc, r + i == 0);
}

/* The same for one that begins in the high half of word 0. */
static void
put_odd(const Twos *w, int64_t r, const char *acc)
{
    int64_t i = 1;

    put_product(w, "tb", r, 0, 0, acc, r == 0);
    for (; i + 1 < w->taps; i += 2)
        put_product(w, "ad", r, (i + 1) / 2, i, acc, false);
    if (i < w->taps)
        put_product(w, "bt", r, (i + 1) / 2, i - 1, acc, false);
}

/* Words 0 .. count - 1 of row r. */
static void
put_words(const Twos *w, int64_t r, int64_t count)
{
    long long row = (long long)r;

    for (int64_t i = 0; i < count; i++) {
        long long at = (long long)(r * w->gap + 2 * i), k = (long long)i;
        if (i + 1 < count && at <= 510) {
            sn_aot_line(w->n, "uint32_t x%lld_%lld, x%lld_%lld;", row, k, row,
                        k + 1);
            sn_aot_line(w->n, "sn_ld_two(tx, %lld, &x%lld_%lld, &x%lld_%lld);",
                        at, row, k, row, k + 1);
            i++;
        } else {
            sn_aot_line(w->n, "const uint32_t x%lld_%lld = sn_ld32(tx + %lld);",
                        row, k, at);
        }
    }
}

static void
put_result(const Twos *w, const char *place, const char *acc)
{
    SnAotNode *n = w->n;

    sn_aot_line(n, "{");
    n->depth++;
    sn_aot_line(n, "const int i%d = %s;", w->in->place, place);
    sn_aot_line(n, "const int32_t acc = %s;", acc);
    n->open |= UINT32_C(1) << w->in->place;
    sn_aot_tile_lines(n);
    n->depth--;
    sn_aot_line(n, "}");
}

/* Words are read again for the next two: keeping them would take registers that
 * taps need. */
static void
put_row_of_results(const Twos *w)
{
    SnAotNode *n = w->n;
    int64_t count = bound_of(n, w->in->place);

    sn_aot_line(n, "for (int tj = 0; tj < %lld; tj += 2) {",
                (long long)(count & ~INT64_C(1)));
    n->depth++;
    for (int64_t r = 0; r < w->rows; r++) {
        put_words(w, r, w->nword);
        put_even(w, r, 0, "tacc0");
        if (w->step == 1)
            put_odd(w, r, "tacc1");
        else
            put_even(w, r, 1, "tacc1");
    }
    put_result(w, "tj", "tacc0");
    put_result(w, "tj + 1", "tacc1");
    sn_aot_line(n, "tx += %lld;", (long long)(2 * w->step));
    n->depth--;
    sn_aot_line(n, "}");
    if (count % 2 == 0)
        return;
    for (int64_t r = 0; r < w->rows; r++) {
        put_words(w, r, (w->taps + 1) / 2);
        put_even(w, r, 0, "tacc0");
    }
    put_result(w, sn_format(n->a, "%lld", (long long)(count - 1)), "tacc0");
}

static void
put_twos(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnTileAxis *out = t->naxis == 2 ? &t->axis[0] : NULL;
    Twos w = {.n = n, .t = t, .in = &t->axis[t->naxis - 1], .rows = 1};

    w.taps = bound_of(n, w.in->tap);
    w.step = w.in->step;
    w.nword = w.step == 1 ? w.taps / 2 + 1 : 1 + (w.taps + 1) / 2;
    if (out) {
        w.rows = bound_of(n, out->tap);
        w.gap = out->gap * t->pitch;
    }
    put_tap_words(&w);
    if (out && out->place >= 0)
        sn_tile_loops(n, UINT32_C(1) << out->place);
    const char *from =
        out && out->place >= 0
            ? sn_format(n->a, " + %lld * i%d",
                        (long long)(out->step * t->pitch), out->place)
            : "";
    sn_aot_line(n, "const int16_t *tx = win%s;", from);
    put_row_of_results(&w);
}

void
sn_tile_plane(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    uint32_t walked = sn_tile_walked(t);
    bool borders = false;

    for (uint32_t i = 0; i < t->naxis; i++) {
        const SnTileAxis *a = &t->axis[i];
        borders = borders || a->first < 0 || a->first + a->n > a->dim;
    }
    if (borders) /* for codes as they are, the zero point's byte */
        sn_aot_line(n, "memset(win, %d, %lu);", t->mve ? t->xz & 255 : 0,
                    (unsigned long)t->scratch);
    sn_tile_loops(n, t->groups | (t->pixels & ~walked));
    if (t->mve) {
        sn_tile_fill_lanes(n);
        sn_tile_lanes(n);
        return;
    }
    fill_plane(n);
    sn_aot_tile_hoist(n);
    if (t->twos) {
        put_twos(n);
        return;
    }
    sn_tile_taps(n);
    sn_tile_loops(n, walked);
    put_plane_sum(n);
    sn_aot_tile_lines(n);
}
