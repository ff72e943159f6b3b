// SPDX-License-Identifier: Apache-2.0
/* Properties of rows, derived from their trees; if that fails, conversions are
 * run, so that a property that does not hold has a counterexample. */
#include "dsl/prove/trial/prove_arith.h"

#include "base/file/file.h"

/* ---- signs ---- */

/* Never below 0?  Scales and counts are above. */
static bool
positive(const SnX *x)
{
    bool all = x->nkid > 0;

    if (x->ty == SN_TY_INT && x->lo >= 0)
        return true;
    for (uint32_t i = 0; i < x->nkid; i++)
        all = all && positive(x->kid[i]);
    switch (x->xk) {
    case SN_X_SCALE:
        return true;
    case SN_X_REAL:
        return x->r >= 0;
    case SN_X_OP:
        return all && x->op != SN_OP_SUB;
    case SN_X_FN:
        switch (x->fn) {
        case SN_FN_LDEXP:
        case SN_FN_SHR:
        case SN_FN_SHL:
        case SN_FN_SAT:
            return positive(x->kid[0]);
        case SN_FN_SELECT:
            return positive(x->kid[1]) && positive(x->kid[2]);
        case SN_FN_RNE:
        case SN_FN_F32:
        case SN_FN_FMA:
        case SN_FN_MIN:
        case SN_FN_MAX:
        case SN_FN_DIV:
        case SN_FN_MULSHR:
            return all;
        default:
            return false;
        }
    default:
        return false;
    }
}

/* ---- order ---- */

/* When an operand grows, x: */
typedef enum Way {
    STAYS,
    GROWS,   /* or stays */
    SHRINKS, /* or stays */
    ANY_WAY
} Way;

static Way
turned(Way w)
{
    return w == GROWS ? SHRINKS : w == SHRINKS ? GROWS : w;
}

static Way
both(Way a, Way b)
{
    return a == STAYS || a == b ? b : b == STAYS ? a : ANY_WAY;
}

/* Times a factor that stays. */
static Way
scaled(Way w, const SnX *by)
{
    if (w == STAYS || positive(by))
        return w;
    return by->ty == SN_TY_INT && by->hi <= 0 ? turned(w) : ANY_WAY;
}

static Way way(const SnX *x, int64_t in);

static Way
factors(const SnX *a, const SnX *b, int64_t in)
{
    Way u = way(a, in), v = way(b, in);

    return v == STAYS ? scaled(u, b) : u == STAYS ? scaled(v, a) : ANY_WAY;
}

static Way
way_of_op(const SnX *x, int64_t in)
{
    Way a = way(x->kid[0], in), b = way(x->kid[1], in);

    switch (x->op) {
    case SN_OP_ADD:
        return both(a, b);
    case SN_OP_SUB:
        return both(a, turned(b));
    case SN_OP_MUL:
        return factors(x->kid[0], x->kid[1], in);
    case SN_OP_DIV:
        return b == STAYS ? scaled(a, x->kid[1]) : ANY_WAY;
    default:
        return a == STAYS && b == STAYS ? STAYS : ANY_WAY;
    }
}

static bool
is_int(const SnX *x, int64_t i)
{
    return x->xk == SN_X_INT && x->i == i;
}

/* select(v >= 0, c, d) where c is not below d: a step that grows with v, by
 * which ties are rounded to either side. */
static Way
step(const SnX *x, int64_t in)
{
    const SnX *c = x->kid[0], *hi = x->kid[1], *lo = x->kid[2];
    bool up = c->xk == SN_X_OP && (c->op == SN_OP_GE || c->op == SN_OP_GT);
    bool down = c->xk == SN_X_OP && (c->op == SN_OP_LT || c->op == SN_OP_LE);

    if (!up && !down)
        return ANY_WAY;
    if (!is_int(c->kid[1], 0) || hi->ty != SN_TY_INT || way(hi, in) != STAYS ||
        way(lo, in) != STAYS)
        return ANY_WAY;
    Way v = way(c->kid[0], in);
    if (hi->lo >= lo->hi)
        return up ? v : turned(v);
    if (hi->hi <= lo->lo)
        return up ? turned(v) : v;
    return ANY_WAY;
}

static Way
way_of_fn(const SnX *x, int64_t in)
{
    Way k[3] = {STAYS, STAYS, STAYS};

    for (uint32_t i = 0; i < x->nkid; i++)
        k[i] = way(x->kid[i], in);
    switch (x->fn) {
    case SN_FN_SHR:
    case SN_FN_SHL:
    case SN_FN_LDEXP:
        return k[1] == STAYS ? k[0] : ANY_WAY;
    case SN_FN_DIV:
        return k[1] == STAYS ? scaled(k[0], x->kid[1]) : ANY_WAY;
    case SN_FN_MULSHR:
        return k[2] == STAYS ? factors(x->kid[0], x->kid[1], in) : ANY_WAY;
    case SN_FN_FMA:
        return both(factors(x->kid[0], x->kid[1], in), k[2]);
    case SN_FN_SAT: /* a wrap never wraps (SnArithRow.fits) */
    case SN_FN_WRAP:
    case SN_FN_RNE:
    case SN_FN_F32:
        return k[0];
    case SN_FN_MIN:
    case SN_FN_MAX:
        return both(k[0], k[1]);
    case SN_FN_SELECT:
        return k[0] == STAYS ? both(k[1], k[2]) : step(x, in);
    default:
        return ANY_WAY;
    }
}

/* x where operand `in` grows. */
static Way
way(const SnX *x, int64_t in)
{
    if (x->fixed)
        return STAYS;
    switch (x->xk) {
    case SN_X_IN:
        return x->i == in ? GROWS : STAYS;
    case SN_X_NEG:
        return turned(way(x->kid[0], in));
    case SN_X_OP:
        return way_of_op(x, in);
    case SN_X_FN:
        return way_of_fn(x, in);
    case SN_X_NOT:
        return way(x->kid[0], in) == STAYS ? STAYS : ANY_WAY;
    default:
        return STAYS;
    }
}

/* ---- signs of opposite operands, zero points 0 ---- */

typedef enum Parity { IS_ZERO, EVEN, ODD, NEITHER } Parity;

static Parity parity(const SnX *x);

static Parity
parity_of_op(const SnX *x)
{
    Parity a = parity(x->kid[0]), b = parity(x->kid[1]);
    bool none = a == NEITHER || b == NEITHER;

    switch (x->op) {
    case SN_OP_ADD:
    case SN_OP_SUB:
        return a == IS_ZERO ? b : b == IS_ZERO || a == b ? a : NEITHER;
    case SN_OP_MUL:
        return a == IS_ZERO || b == IS_ZERO ? IS_ZERO
               : none                       ? NEITHER
               : a == b                     ? EVEN
                                            : ODD;
    case SN_OP_DIV:
        return a == IS_ZERO || b == EVEN ? a : NEITHER;
    default:
        return (a == EVEN || a == IS_ZERO) && (b == EVEN || b == IS_ZERO)
                   ? EVEN
                   : NEITHER;
    }
}

static Parity
parity_of_fn(const SnX *x)
{
    bool round = x->mode == SN_MODE_FLOOR || x->mode == SN_MODE_HALF_UP;
    Parity k[3] = {EVEN, EVEN, EVEN}, p;
    bool even = true;

    for (uint32_t i = 0; i < x->nkid; i++) {
        k[i] = parity(x->kid[i]);
        even = even && (k[i] == EVEN || k[i] == IS_ZERO);
    }
    if (even)
        return EVEN;
    switch (x->fn) {
    case SN_FN_SHR:
    case SN_FN_DIV:
        return round || k[1] != EVEN ? NEITHER : k[0];
    case SN_FN_MULSHR:
        p = k[0] == NEITHER || k[1] == NEITHER ? NEITHER
            : k[0] == k[1]                     ? EVEN
                                               : ODD;
        return (round && p == ODD) || k[2] != EVEN ? NEITHER : p;
    case SN_FN_SHL:
    case SN_FN_LDEXP:
        return k[1] == EVEN || k[1] == IS_ZERO ? k[0] : NEITHER;
    case SN_FN_FMA:
        p = k[0] == NEITHER || k[1] == NEITHER ? NEITHER
            : k[0] == k[1]                     ? EVEN
                                               : ODD;
        return p == k[2] || k[2] == IS_ZERO ? p : NEITHER;
    case SN_FN_SAT:
    case SN_FN_WRAP:
    case SN_FN_RNE:
    case SN_FN_F32:
        return k[0];
    case SN_FN_SELECT:
        return k[0] == EVEN && k[1] == k[2] ? k[1] : NEITHER;
    default:
        return NEITHER;
    }
}

static Parity
parity(const SnX *x)
{
    switch (x->xk) {
    case SN_X_IN:
        return ODD;
    case SN_X_ZP:
        return IS_ZERO;
    case SN_X_INT:
        return x->i ? EVEN : IS_ZERO;
    case SN_X_NEG:
    case SN_X_NOT:
        return parity(x->kid[0]);
    case SN_X_OP:
        return parity_of_op(x);
    case SN_X_FN:
        return parity_of_fn(x);
    default:
        return EVEN;
    }
}

/* ---- exchange ---- */

static int64_t
other(const SnX *x, bool swap)
{
    if (!swap)
        return x->i;
    if (x->xk == SN_X_IN)
        return 1 - x->i;
    return (x->xk == SN_X_SCALE || x->xk == SN_X_ZP) && x->i ? 3 - x->i : x->i;
}

/* Is a equal to b, with swap: with exchanged operands? */
static bool
alike(const SnX *a, const SnX *b, bool swap)
{
    bool turn = a->xk == SN_X_OP ? a->op == SN_OP_ADD || a->op == SN_OP_MUL
                                 : a->xk == SN_X_FN && (a->fn == SN_FN_MIN ||
                                                        a->fn == SN_FN_MAX);
    bool same = true, crossed = turn;

    if (a->xk != b->xk || a->ty != b->ty || a->nkid != b->nkid ||
        a->i != other(b, swap) || a->fn != b->fn || a->op != b->op ||
        a->mode != b->mode || a->by != b->by || a->r < b->r || a->r > b->r)
        return false;
    for (uint32_t i = 0; i < a->nkid; i++) {
        same = same && alike(a->kid[i], b->kid[i], swap);
        crossed = crossed && alike(a->kid[i], b->kid[1 - i], swap);
    }
    return same || crossed;
}

/* ---- running ---- */

typedef struct Grid {
    float x, y;
    int32_t zx, zy;
} Grid;

enum { NSCALE = 12, NZERO = 4 };

/* Grids of a conversion: i of all. */
static bool
grid(uint32_t i, Grid *g)
{
    static const float scale[NSCALE] = {1,      0.5f,  2,     0.25f,
                                        0.375f, 0.1f,  0.99f, 1.01f,
                                        0.017f, 0.75f, 3.3f,  0.007f};
    static const int32_t zero[NZERO] = {0, 5, -128, 127};

    if (i >= NSCALE * NZERO)
        return false;
    *g = (Grid){0.04f * scale[i / NZERO], 0.04f, zero[i % NZERO],
                zero[(i + i / NZERO) % NZERO]};
    return true;
}

static SnRowAt
on_grid(const Grid *g)
{
    return (SnRowAt){.g = {{g->y, g->x, 0}, {g->zy, g->zx, 0}, 1, 0, {1, 1}}};
}

/* Does what is the same for all operands fit? */
static bool
fixed_fits(const SnX *x, const SnRowAt *at)
{
    bool all = !x->fixed || sn_row_fits(x, at);

    for (uint32_t i = 0; i < x->nkid && all && !x->fixed; i++)
        all = fixed_fits(x->kid[i], at);
    return all;
}

/* x on the grid, for convert; NULL if the machine does not have it there. */
static const SnX *
on(SnArena *a, const SnX *x, const Grid *g)
{
    SnRowAt at = on_grid(g);

    return sn_row_outside(x, &at) || !fixed_fits(x, &at)
               ? NULL
               : sn_row_on(a, x, &at.g);
}

/* The code for code c, in *v; false if the machine has none. */
static bool
convert(const SnX *x, const Grid *g, int32_t c, int64_t *v)
{
    SnRowAt at = on_grid(g);

    at.in[0] = c;
    if (!x || !sn_row_fits(x, &at))
        return false;
    *v = sn_clamp64(sn_row_value(x, &at), -128, 127);
    return true;
}

static const char *
counter(SnArena *a, const Grid *g, int32_t c, int64_t v, int32_t d, int64_t w)
{
    const char *s = sn_format(a, "x:q8(%.9g,%d)=%d -> %d", (double)g->x,
                              (int)g->zx, (int)c, (int)v);

    if (d != c)
        s = sn_format(a, "%s, %d -> %d", s, (int)d, (int)w);
    return sn_format(a, "%s, on q8(%.9g,%d)", s, (double)g->y, (int)g->zy);
}

/* Conversions of all codes that do not keep their order. */
static SnRowProperty
run_monotone(SnArena *a, const SnX *x)
{
    SnRowProperty p = {SN_ROW_OPEN, ""};
    int64_t v, w;
    Grid g;

    for (uint32_t i = 0; grid(i, &g); i++) {
        const SnX *y = on(a, x, &g);
        for (int32_t c = -128; c < 127; c++)
            if (convert(y, &g, c, &v) && convert(y, &g, c + 1, &w) && w < v)
                return (SnRowProperty){SN_ROW_REFUTED,
                                       counter(a, &g, c, v, c + 1, w)};
    }
    return p;
}

SnRowProperty
sn_row_monotone(SnArena *a, const SnDefRowOf *r)
{
    bool two = r->form >= SN_FORM_SUM && r->form <= SN_FORM_PRODUCT;
    Way x = way(r->x, 0), y = two ? way(r->x, 1) : STAYS;
    Way want = r->form == SN_FORM_DIFFERENCE ? SHRINKS : GROWS;

    if ((x == GROWS || x == STAYS) && (y == want || y == STAYS))
        return (SnRowProperty){SN_ROW_DERIVED, ""};
    return r->form == SN_FORM_CONVERT ? run_monotone(a, r->x)
                                      : (SnRowProperty){SN_ROW_OPEN, ""};
}

SnRowProperty
sn_row_identity(SnArena *a, const SnDefRowOf *r)
{
    bool any = false;
    int64_t v;
    Grid g;

    for (uint32_t i = 0; grid(i, &g); i++) {
        g.y = g.x;
        g.zy = g.zx;
        const SnX *x = on(a, r->x, &g);
        for (int32_t c = -128; c <= 127; c++) {
            if (!convert(x, &g, c, &v))
                continue;
            any = true;
            if (v != c)
                return (SnRowProperty){SN_ROW_REFUTED,
                                       counter(a, &g, c, v, c, v)};
        }
    }
    return (SnRowProperty){any ? SN_ROW_RUN : SN_ROW_OPEN, ""};
}

/* Conversions of opposite codes to codes that are not opposite. */
static SnRowProperty
run_odd(SnArena *a, const SnX *x)
{
    SnRowProperty p = {SN_ROW_OPEN, ""};
    int64_t v, w;
    Grid g;

    for (uint32_t i = 0; grid(i, &g); i += NZERO) {
        g.zx = g.zy = 0;
        const SnX *y = on(a, x, &g);
        for (int32_t c = 1; c < 128; c++)
            if (convert(y, &g, c, &v) && convert(y, &g, -c, &w) && v < 127 &&
                w != -v)
                return (SnRowProperty){SN_ROW_REFUTED,
                                       counter(a, &g, c, v, -c, w)};
    }
    return p;
}

SnRowProperty
sn_row_odd(SnArena *a, const SnDefRowOf *r)
{
    Parity p = parity(r->x);

    if (p == ODD || p == IS_ZERO)
        return (SnRowProperty){SN_ROW_DERIVED, ""};
    return r->form == SN_FORM_CONVERT ? run_odd(a, r->x)
                                      : (SnRowProperty){SN_ROW_OPEN, ""};
}

SnRowProperty
sn_row_commutes(const SnDefRowOf *r)
{
    return (SnRowProperty){
        alike(r->x, r->x, true) ? SN_ROW_DERIVED : SN_ROW_OPEN, ""};
}

/* ---- the report ---- */

static void
put(SnBuf *b, const char *name, SnRowProperty p)
{
    static const char *const word[] = {"not derived", "derived", "run", "no"};

    sn_putf(b, "; %s: %s%s%s", name, word[p.truth], *p.counter ? ", " : "",
            p.counter);
}

static void
put_row(SnArena *a, const SnDefArith *by, const SnDefRowOf *r, SnBuf *b)
{
    bool two = r->form == SN_FORM_SUM || r->form == SN_FORM_PRODUCT;

    sn_putf(b, "%-38s %s:%u", sn_format(a, "%s %s", by->name, r->name),
            sn_path_base(r->row->pos.src->name), r->row->pos.line);
    if (r->form == SN_FORM_FUNCTION) {
        sn_putf(b, "; %d entries\n", (int)(256 / r->step + 1));
        return;
    }
    if (r->form != SN_FORM_PRODUCT)
        put(b, "monotone", sn_row_monotone(a, r));
    if (r->form == SN_FORM_CONVERT)
        put(b, "identity", sn_row_identity(a, r));
    if (r->form != SN_FORM_PRODUCT)
        put(b, "odd", sn_row_odd(a, r));
    if (two)
        put(b, "commutes", sn_row_commutes(r));
    sn_putc(b, '\n');
}

void
sn_row_properties(SnArena *a, const SnDefs *defs, SnBuf *b)
{
    for (uint32_t i = 0; i < defs->narith; i++) {
        const SnDefArith *by = defs->arith[i];
        for (uint32_t k = 0; k < by->nof; k++)
            for (uint32_t j = 0; j < by->nrow; j++)
                if (by->row[j] == by->of[k].row)
                    put_row(a, by, &by->of[k], b);
    }
}
