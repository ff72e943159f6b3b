// SPDX-License-Identifier: Apache-2.0
/* Loops of a node as C.  A variable of a map is a loop; where an index may
 * leave its operand, the loop of the only tap that it depends on gets narrower
 * bounds, or a condition skips the tap. */
#include <stdarg.h>
#include <string.h>

#include "aot/node/aot_node.h"

void
sn_aot_line(SnAotNode *n, const char *fmt, ...)
{
    va_list ap;

    for (int i = 0; i < n->depth; i++)
        sn_puts(n->out, "    ");
    va_start(ap, fmt);
    sn_vputf(n->out, fmt, ap);
    va_end(ap);
    sn_putc(n->out, '\n');
}

static const char *
index_type(const SnAotNode *n)
{
    return n->wide ? "int64_t" : "int";
}

/* ---- conditions ---- */

static uint32_t
taps_of(const SnAotNode *n, uint32_t vars)
{
    uint32_t r = 0;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (vars >> v & 1 && n->u.var[v].tap)
            r |= UINT32_C(1) << v;
    return r;
}

/* The tap whose loop the condition bounds, its factor and the rest; -1:
 * none. */
static int
cuts(const SnAotNode *n, const SnAotCond *c, int64_t *coef, int64_t *base)
{
    uint32_t t = taps_of(n, sn_num_vars(&n->u.T, c->at));

    if (c->dim < 0 || !t || (t & (t - 1)) ||
        !sn_term_affine(&n->u.T, c->at, coef, base))
        return -1;
    int v = __builtin_ctz(t);
    return n->u.var[v].bound.t == SN_NUM_INT && coef[v] ? v : -1;
}

/* The sum of all variables except v, and its range. */
static const char *
rest_of(SnAotNode *n, const int64_t *coef, int64_t base, int v, int64_t *lo,
        int64_t *hi)
{
    SnBuf b;

    sn_buf_init(&b, n->a);
    *lo = *hi = base;
    for (int i = 0; i < (int)n->u.nvar; i++) {
        if (i == v || !coef[i])
            continue;
        int64_t top = (n->u.var[i].bound.v - 1) * coef[i];
        *lo += top < 0 ? top : 0;
        *hi += top > 0 ? top : 0;
        int64_t k = coef[i] < 0 ? -coef[i] : coef[i];
        const char *sign = coef[i] < 0 ? (b.n ? " - " : "-") : b.n ? " + " : "";
        if (k == 1)
            sn_putf(&b, "%si%d", sign, i);
        else
            sn_putf(&b, "%s%s * i%d", sign, sn_aot_int(n->a, k), i);
    }
    if (base || !b.n)
        sn_putf(&b, b.n ? (base < 0 ? " - %s" : " + %s") : "%s",
                sn_aot_int(n->a, b.n && base < 0 ? -base : base));
    return sn_buf_str(&b);
}

static const char *
of_two(SnAotNode *n, const char *fn, const char *a, const char *b)
{
    return sn_format(n->a, "sn_soft_%s%s(%s, %s)", fn, n->wide ? "64" : "", a,
                     b);
}

/* 0 <= base + g * t < dim, for t in [lo, hi). */
static void
cut(SnAotNode *n, int v, const SnAotCond *c, const int64_t *coef, int64_t base)
{
    int64_t g = coef[v], count = n->u.var[v].bound.v, least, most;
    const char *b = rest_of(n, coef, base, v, &least, &most);
    SnAotBound *k = &n->bound[v];
    int64_t m = g < 0 ? -g : g, low, high;
    const char *name = sn_format(n->a, "b%d", v), *lo, *hi;

    low = g > 0 ? least : least - m * (count - 1);
    high = g > 0 ? most + m * (count - 1) : most;
    if (low >= 0 && high < c->dim)
        return;
    if (sn_num_vars(&n->u.T, c->at) & ~(UINT32_C(1) << v)) {
        if (k->lo)
            name = sn_format(n->a, "c%d", v);
        sn_aot_line(n, "const %s %s = %s;", index_type(n), name, b);
    } else {
        name = sn_format(n->a, "(%s)", b);
    }
    if (m == 1 && g > 0) {
        lo = of_two(n, "max", "0", sn_format(n->a, "-%s", name));
        hi = sn_format(n->a, "%lld - %s", (long long)c->dim, name);
    } else if (g > 0) {
        lo = sn_format(n->a, "%s >= 0 ? 0 : (%lld - %s) / %lld", name,
                       (long long)(m - 1), name, (long long)m);
        hi = sn_format(n->a, "%s >= %lld ? 0 : (%lld - %s) / %lld", name,
                       (long long)c->dim, (long long)(c->dim - 1 + m), name,
                       (long long)m);
    } else {
        lo = sn_format(n->a, "%s < %lld ? 0 : (%s - %lld) / %lld", name,
                       (long long)c->dim, name, (long long)(c->dim - m),
                       (long long)m);
        hi = sn_format(n->a, "%s < 0 ? 0 : (%s + %lld) / %lld", name, name,
                       (long long)m, (long long)m);
    }
    if (low < 0 || g < 0)
        k->lo = k->lo ? of_two(n, "max", k->lo, sn_format(n->a, "%s", lo)) : lo;
    k->hi = of_two(n, "min", k->hi ? k->hi : sn_aot_int(n->a, count), hi);
}

/* Writes the bounds of loops over taps, once the places they depend on are
 * known. */
void
sn_aot_bounds(SnAotNode *n)
{
    int64_t coef[SN_MAP_NVAR], base;
    uint32_t now = 0;

    if (n->sem->cls == SN_C_MOVE) /* which has no loops over taps */
        return;
    for (uint32_t i = 0; i < n->ncond; i++) {
        const SnAotCond *c = &n->cond[i];
        int v = cuts(n, c, coef, &base);
        uint32_t vars = sn_num_vars(&n->u.T, c->at);
        if (v >= 0 && !(vars & ~n->open & ~(UINT32_C(1) << v)) &&
            !n->bound[v].made) {
            cut(n, v, c, coef, base);
            now |= UINT32_C(1) << v;
        }
    }
    for (int v = 0; v < SN_MAP_NVAR; v++) {
        SnAotBound *b = &n->bound[v];
        if (!(now >> v & 1))
            continue;
        b->made = true;
        if (b->lo) {
            sn_aot_line(n, "const %s lo%d = %s;", index_type(n), v, b->lo);
            b->lo = sn_format(n->a, "lo%d", v);
        }
        if (b->hi) {
            sn_aot_line(n, "const %s hi%d = %s;", index_type(n), v, b->hi);
            b->hi = sn_format(n->a, "hi%d", v);
        }
    }
}

static const char *
condition(SnAotNode *n, const SnAotCond *c)
{
    const char *s = sn_aot_num(n, c->at);

    if (c->dim < 0)
        return s;
    return sn_format(n->a, "%s >= 0 && %s < %lld", s, s, (long long)c->dim);
}

/* Skips a tap that is outside: conditions that bound no loop, as soon as they
 * are known. */
static void
put_skips(SnAotNode *n, uint32_t now)
{
    int64_t coef[SN_MAP_NVAR], base;

    for (uint32_t i = 0; i < n->ncond; i++) {
        const SnAotCond *c = &n->cond[i];
        uint32_t vars = sn_num_vars(&n->u.T, c->at);
        uint32_t taps = taps_of(n, vars);
        if (cuts(n, c, coef, &base) >= 0 || (vars & ~n->open))
            continue;
        if (now ? !(taps & now) : taps)
            continue;
        sn_aot_line(n, "if (!(%s))", condition(n, c));
        sn_aot_line(n, "    continue;");
    }
}

/* ---- loops ---- */

void
sn_aot_loop(SnAotNode *n, uint32_t v)
{
    const SnMapVar *x = &n->u.var[v];
    const SnAotBound *b = &n->bound[v];
    uint32_t bit = UINT32_C(1) << v;

    sn_aot_line(n, "for (%s i%u = %s; i%u < %s; i%u++) {", index_type(n), v,
                b->lo ? b->lo : "0", v, b->hi ? b->hi : sn_aot_num(n, x->bound),
                v);
    n->depth++;
    n->open |= bit;
    sn_aot_terms(n, bit);
}

static void
push(SnAotNode *n, int nloop, uint32_t was)
{
    n->stack[n->nstack] = nloop;
    n->was[n->nstack++] = was;
}

/* Conditions on elements at the places that are known now. */
static void
put_requires(SnAotNode *n, uint32_t was)
{
    for (uint32_t i = 0; i < n->u.nlate; i++) {
        SnMapNum c = n->u.late[i];
        uint32_t vars = sn_num_vars(&n->u.T, c);
        if (!sn_aot_at_places(n, c) || (vars & ~n->open) || !(vars & ~was))
            continue;
        sn_aot_line(n, "if (!%s)", sn_aot_num(n, c));
        sn_aot_line(n, "    return 1;");
        n->fails = true;
    }
}

/* Loops of vars; a block if there are none. */
static void
open_loops(SnAotNode *n, uint32_t vars)
{
    uint32_t was = n->open;
    int k = 0;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (vars >> v & 1) {
            if (n->unroll && !(vars >> v >> 1))
                sn_aot_line(n, "SN_UNROLL");
            sn_aot_loop(n, v);
            k++;
        }
    if (k == 0) {
        sn_aot_line(n, "{");
        n->depth++;
        k = 1;
    }
    push(n, k, was);
    put_requires(n, was);
}

static uint32_t
places(const SnAotNode *n)
{
    uint32_t all = 0;

    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (!n->u.var[v].tap)
            all |= UINT32_C(1) << v;
    return all;
}

void
sn_aot_start(SnAotNode *n)
{
    const SnMapping *u = &n->u;

    for (uint32_t i = 0; i < u->nread; i++) {
        const SnMapRead *r = &u->read[i];
        sn_aot_need_read(n, r);
        if (n->source[i]->type->elem == SN_ROW8)
            for (int d = 0; d < r->box.rank; d++)
                sn_aot_need(n, r->at[d]);
    }
    for (uint32_t v = 0; v < u->nvar; v++)
        sn_aot_need(n, u->var[v].bound);
    if (u->centre.param >= 0)
        sn_aot_need(n, u->centre.off);
    if (u->nbeside)
        sn_aot_need(n, u->beside[0]);
    sn_aot_need(n, u->number);
    sn_aot_need_late(n);
    sn_aot_checks(n);
    sn_aot_terms(n, 0);
}

void
sn_aot_sets(SnAotNode *n)
{
    open_loops(n, places(n) & ~n->shared);
    sn_aot_bounds(n);
}

void
sn_aot_each(SnAotNode *n)
{
    open_loops(n, places(n) & ~n->open);
    sn_aot_bounds(n);
}

static int
parts_var(const SnAotNode *n)
{
    int64_t coef[SN_MAP_NVAR], base;
    int v = -1;

    if (sn_term_affine(&n->u.T, n->u.parts, coef, &base))
        for (int i = 0; i < (int)n->u.nvar; i++)
            if (coef[i])
                v = i;
    return v;
}

void
sn_aot_taps(SnAotNode *n, int part)
{
    uint32_t first = part < 0 ? 0 : UINT32_C(1) << (parts_var(n) & 31);
    uint32_t vars = 0, was = n->open;
    bool none = n->u.ntap == 0;
    int k = 0;

    if (part >= 0 && parts_var(n) < 0)
        first = 0;
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (n->u.var[v].tap)
            vars |= UINT32_C(1) << v;
    vars = part < 0 ? vars : part ? first : vars & ~first;
    /* The loops of a sum of no taps stand in one that never runs: an axis
     * without elements has no variable of its own. */
    if (none) {
        sn_aot_line(n, "for (int none = 0; none < 0; none++) {");
        n->depth++;
    }
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (vars >> v & 1) {
            sn_aot_loop(n, v);
            if (k++ == 0 && part != 0)
                put_skips(n, 0);
            put_skips(n, UINT32_C(1) << v);
        }
    if (k == 0 && !none) {
        sn_aot_line(n, "do {");
        n->depth++;
    }
    if (k == 0 && part != 0)
        put_skips(n, 0);
    push(n, none ? k + 1 : k ? k : -1, was);
}

void
sn_aot_end(SnAotNode *n)
{
    int k = n->stack[--n->nstack];

    for (int i = 0; i < (k < 0 ? 1 : k); i++) {
        n->depth--;
        sn_aot_line(n, k < 0 ? "} while (0);" : "}");
    }
    n->open = n->was[n->nstack];
}

/* ---- what a line requests ---- */

int64_t
sn_aot_step(const SnAotNode *n, uint32_t v)
{
    int64_t step = n->u.var[v].step;

    for (int i = n->u.var[v].axis + 1; i < n->u.rank; i++)
        step *= n->u.dim[i];
    return step;
}

const char *
sn_aot_out(SnAotNode *n)
{
    const SnMapping *u = &n->u;
    SnBuf b;

    sn_buf_init(&b, n->a);
    for (uint32_t v = 0; v < u->nvar; v++) {
        int64_t step = sn_aot_step(n, v);
        if (u->var[v].tap)
            continue;
        if (step == 1)
            sn_putf(&b, "%si%u", b.n ? " + " : "", v);
        else
            sn_putf(&b, "%s%s * i%u", b.n ? " + " : "", sn_aot_int(n->a, step),
                    v);
    }
    return b.n ? sn_buf_str(&b) : "0";
}

const SnMapRead *
sn_aot_read_of(SnAotNode *n, uint32_t slot)
{
    for (uint32_t i = 0; i < n->u.nread; i++)
        if (n->source[i] == &n->call.in[slot])
            return &n->u.read[i];
    return NULL;
}

bool
sn_aot_even(const SnAotNode *n)
{
    return n->u.ntap >= 0 && n->ncond == 0;
}

/* Is the number of taps a product of bounds? */
static bool
is_product(const SnAotNode *n)
{
    int64_t coef[SN_MAP_NVAR], base;

    for (uint32_t i = 0; i < n->ncond; i++)
        if (cuts(n, &n->cond[i], coef, &base) < 0)
            return false;
    return n->u.ntap >= 0;
}

const char *
sn_aot_count(SnAotNode *n)
{
    SnBuf b;

    if (n->u.divisor.t == SN_NUM_INT)
        return sn_aot_int(n->a, n->u.divisor.v);
    if (sn_aot_even(n))
        return sn_aot_int(n->a, n->u.ntap);
    sn_buf_init(&b, n->a);
    if (is_product(n) && n->u.ntap > 0) {
        for (uint32_t v = 0; v < n->u.nvar; v++) {
            const SnAotBound *k = &n->bound[v];
            if (!n->u.var[v].tap)
                continue;
            sn_puts(&b, b.n ? " * " : "");
            if (!k->lo && !k->hi)
                sn_puts(&b, sn_aot_num(n, n->u.var[v].bound));
            else
                sn_puts(&b, of_two(n, "max", "0",
                                   sn_format(
                                       n->a, "%s - %s",
                                       k->hi ? k->hi
                                             : sn_aot_num(n, n->u.var[v].bound),
                                       k->lo ? k->lo : "0")));
        }
        return sn_format(n->a, "(%s)", b.n ? sn_buf_str(&b) : "1");
    }
    const char *name = sn_format(n->a, "all%u", n->ntable++);
    sn_aot_line(n, "%s %s = 0;", index_type(n), name);
    sn_aot_taps(n, -1);
    sn_aot_line(n, "%s++;", name);
    sn_aot_end(n);
    return name;
}

bool
sn_aot_parts(const SnAotNode *n)
{
    return n->sem->mean && sn_mean_in_parts(&n->call) &&
           n->u.parts.t != SN_NUM_UNDEFINED;
}

const char *
sn_aot_mean_start(SnAotNode *n)
{
    int v = parts_var(n);

    if (n->u.whole)
        return "0.0f";
    if (v < 0 || (!n->bound[v].lo && !n->bound[v].hi))
        return "-0.0f";
    return sn_format(n->a, "%s - %s == %s ? -0.0f : 0.0f",
                     n->bound[v].hi ? n->bound[v].hi
                                    : sn_aot_num(n, n->u.var[v].bound),
                     n->bound[v].lo ? n->bound[v].lo : "0",
                     sn_aot_num(n, n->u.var[v].bound));
}
