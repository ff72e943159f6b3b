// SPDX-License-Identifier: Apache-2.0
/* Tests of maps: compares handwritten tables with the declaration.  Both sides
 * are compared as text: "4", "_", "{0, 1}". */
#include "dsl/resolve/map/map_scope.h"

#include <stdarg.h>
#include <string.h>

#include "map/mapping.h"

/* More than the length of any list in a test. */
enum { MAXTAP = 1 << 16 };

typedef struct Tester {
    SnResolver *rs;
    const SnDefMap *m;
    const SnDefMapTest *t;
    bool bad;
} Tester;

static void fault(Tester *x, SnPos at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void
fault(Tester *x, SnPos at, const char *fmt, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = sn_vformat(x->rs->a, fmt, ap);
    va_end(ap);
    sn_error(x->rs->d, at, "SN185", "map %s: %s", x->m->name, text);
    x->bad = true;
}

/* ---- arguments of tests ---- */

/* The number in e: an integer, a truth value, or for a parameter of reals a
 * real.  *neg: it follows a minus. */
static const SnExpr *
literal(Tester *x, const SnExpr *e, const SnMapParam *p, bool *neg)
{
    *neg = e->ek == SN_E_NEG;
    const SnExpr *k = *neg ? e->kid[0] : e;
    bool real = k->ek == SN_E_REAL && p && p->kind == SN_MP_REAL;

    if (k->ek == SN_E_INT || k->ek == SN_E_BOOL || real)
        return k;
    fault(x, e->pos, "'%s' is not %s", sn_expr_str(x->rs->a, e),
          p && p->kind == SN_MP_ENUM ? "one of the parameter's words"
                                     : "a number");
    return NULL;
}

static int64_t
number(Tester *x, const SnExpr *e, const SnMapParam *p)
{
    bool neg;

    if (e->ek == SN_E_NAME && p && p->kind == SN_MP_ENUM)
        for (int i = 0; p->word[i]; i++)
            if (!strcmp(p->word[i], e->s))
                return i;
    e = literal(x, e, p, &neg);
    return !e ? 0 : neg ? -e->i : e->i;
}

static uint32_t
kids(const SnExpr *e)
{
    return e->ek == SN_E_LIST ? e->nkid : 1;
}

static const SnExpr *
kid(const SnExpr *e, uint32_t i)
{
    return e->ek == SN_E_LIST ? e->kid[i] : e;
}

static int64_t *
numbers(Tester *x, const SnExpr *e, const SnMapParam *p)
{
    uint32_t n = kids(e);
    int64_t *v = SN_NEW_N(x->rs->a, int64_t, n + 1);

    for (uint32_t i = 0; i < n; i++)
        v[i] = number(x, kid(e, i), p);
    return v;
}

static float *
reals(Tester *x, const SnExpr *e, const SnMapParam *p)
{
    uint32_t n = kids(e);
    float *v = SN_NEW_N(x->rs->a, float, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        bool neg;
        const SnExpr *k = literal(x, kid(e, i), p, &neg);
        if (k)
            v[i] = (float)(k->ek == SN_E_REAL ? k->r : (double)k->i);
        if (neg)
            v[i] = -v[i];
    }
    return v;
}

static void
box(Tester *x, const SnExpr *e, SnMapBox *to)
{
    if (e->ek != SN_E_LIST || e->nkid > SN_MAP_RANK)
        fault(x, e->pos, "'%s' is not a list of at most %d dimensions",
              sn_expr_str(x->rs->a, e), SN_MAP_RANK);
    else
        *to = (SnMapBox){(int)e->nkid, numbers(x, e, NULL)};
}

/* INT64_MAX for more elements than a list can hold. */
static int64_t
box_count(int rank, const int64_t *dim)
{
    int64_t n = 1;

    for (int i = 0; i < rank; i++) {
        if (dim[i] <= 0)
            return 0;
        n = n > INT64_MAX / dim[i] ? INT64_MAX : n * dim[i];
    }
    return n;
}

static void
operand(Tester *x, const SnMapParam *p, const SnDefMapTestArg *g, SnMapArg *to)
{
    uint32_t n = p->variadic ? kids(g->e) : 1;
    SnMapBox *v = SN_NEW_N(x->rs->a, SnMapBox, n + 1);

    for (uint32_t i = 0; i < n; i++)
        box(x, p->variadic ? kid(g->e, i) : g->e, &v[i]);
    to->n = n;
    to->box = v;
    to->low = -128;
    if (x->bad)
        return;
    if ((p->data != 0) != (g->data != NULL))
        fault(x, g->e->pos, "the map %s the elements of '%s'",
              p->data ? "looks at" : "does not look at", p->name);
    else if (g->data && kids(g->data) != box_count(v->rank, v->dim))
        fault(x, g->data->pos, "%u elements of '%s', which has %lld",
              kids(g->data), p->name, (long long)box_count(v->rank, v->dim));
    else if (g->data) {
        to->data = numbers(x, g->data, NULL);
        to->width = 8;
    }
}

/* The test's arguments in the order of the parameters. */
static SnMapArg *
arguments(Tester *x)
{
    const SnMapDecl *d = x->m->decl;
    SnMapArg *arg = SN_NEW_N(x->rs->a, SnMapArg, d->nparam + 1u);

    if (x->t->narg > d->nparam) {
        fault(x, x->t->pos, "the test has %u arguments, the map %u parameters",
              x->t->narg, d->nparam);
        return arg;
    }
    for (uint32_t i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        const SnDefMapTestArg *g = &x->t->arg[i];
        arg[i].name = p->name;
        if (i >= x->t->narg)
            continue;
        arg[i].given = true;
        if (p->kind == SN_MP_OPERAND) {
            operand(x, p, g, &arg[i]);
            continue;
        }
        arg[i].n = kids(g->e);
        if (p->kind == SN_MP_REAL)
            arg[i].reals = reals(x, g->e, p);
        else
            arg[i].ints = numbers(x, g->e, p);
    }
    return arg;
}

/* ---- reads ---- */

/* One list of the test, of a mapping whose places are being run through. */
typedef struct Walk {
    const SnMapping *u;
    const SnDefMapTestList *l;
    const SnMapRead *read; /* of READ, CENTRE */
    bool sets;             /* a list for each element of the result */
    int64_t at[SN_MAP_NVAR], *val;
} Walk;

static bool
is_done(const Walk *w)
{
    for (uint32_t i = 0; i < w->u->nvar; i++)
        if (w->at[i] >= sn_num_value(w->u->var[i].bound, w->val))
            return true;
    return false;
}

static bool
next_place(Walk *w, bool tap)
{
    for (uint32_t i = w->u->nvar; i-- > 0;) {
        if (w->u->var[i].tap != tap)
            continue;
        if (++w->at[i] < sn_num_value(w->u->var[i].bound, w->val))
            return true;
        w->at[i] = 0;
    }
    return false;
}

/* Is the tap left out of the set? */
static bool
is_skipped(const Walk *w)
{
    for (uint32_t i = 0; i < w->u->nread; i++) {
        const SnMapRead *r = &w->u->read[i];
        if (!r->one_of && r->els == SN_ME_SKIP && sn_read_offset(r, w->val) < 0)
            return true;
    }
    return false;
}

static void
put_value(SnBuf *b, int64_t v, bool none)
{
    if (none)
        sn_putc(b, '_');
    else
        sn_putf(b, "%lld", (long long)v);
}

static void
put_read(const Walk *w, SnBuf *b)
{
    int64_t v = sn_read_offset(w->read, w->val);

    if (v == -2)
        sn_puts(b, "outside");
    else
        put_value(b, v, v < 0);
}

static void
put_tap(const Walk *w, SnBuf *b, int64_t k)
{
    SnMapNum x = w->l->kind == SN_MS_PARTS    ? w->u->parts
                 : w->l->kind == SN_MS_BESIDE ? w->u->beside[0]
                                              : w->u->number;
    int64_t v = sn_num_value(x, w->val);

    if (w->l->kind == SN_MS_READ)
        put_read(w, b);
    else if (v == SN_MAP_UNDEFINED && w->l->kind == SN_MS_NUMBER)
        put_value(b, k, false);
    else
        put_value(b, v, v == SN_MAP_UNDEFINED);
}

/* The list's element for one element of the result. */
static const char *
one_result(Walk *w, SnArena *a)
{
    int64_t k = 0, ntap = 0, div;
    SnBuf b, one;

    sn_buf_init(&b, a);
    sn_buf_init(&one, a);
    sn_terms_run(&w->u->T, UINT32_MAX, w->at, w->val);
    if (w->l->kind == SN_MS_CENTRE || (w->read && w->read->one_of))
        put_read(w, &one);
    if (one.n > 0)
        return sn_buf_str(&one);
    div = sn_num_value(w->u->divisor, w->val);
    for (bool more = !is_done(w); more && k < MAXTAP;
         more = next_place(w, true), k++) {
        sn_terms_run(&w->u->T, UINT32_MAX, w->at, w->val);
        if (is_skipped(w))
            continue;
        sn_puts(&b, ntap++ ? ", " : "");
        put_tap(w, &b, k);
    }
    if (w->l->kind == SN_MS_DIVISOR)
        return sn_format(a, "%lld",
                         (long long)(div == SN_MAP_UNDEFINED ? ntap : div));
    return w->sets ? sn_format(a, "{%s}", sn_buf_str(&b)) : sn_buf_str(&b);
}

/* ---- against the test ---- */

static const char *
expected(Tester *x, const SnExpr *e)
{
    SnBuf b;

    sn_buf_init(&b, x->rs->a);
    if (e->ek == SN_E_WILD) {
        sn_putc(&b, '_');
    } else if (e->ek != SN_E_LIST) {
        sn_putf(&b, "%lld", (long long)number(x, e, NULL));
    } else {
        sn_putc(&b, '{');
        for (uint32_t i = 0; i < e->nkid; i++)
            sn_putf(&b, "%s%s", i ? ", " : "", expected(x, e->kid[i]));
        sn_putc(&b, '}');
    }
    return sn_buf_str(&b);
}

static const char *
place(SnArena *a, const SnMapping *u, int64_t o)
{
    int64_t at[SN_MAP_RANK];
    SnBuf b;

    for (int i = u->rank; i-- > 0; o /= u->dim[i])
        at[i] = o % u->dim[i];
    sn_buf_init(&b, a);
    for (int i = 0; i < u->rank; i++)
        sn_putf(&b, "%s%lld", i ? "," : "", (long long)at[i]);
    return sn_buf_str(&b);
}

/* The read that x or x[k] names; NULL: none. */
static const SnMapRead *
named_read(const SnMapping *u, const SnExpr *e)
{
    bool of = e->ek == SN_E_INDEX && e->nkid == 2 && e->kid[1]->ek == SN_E_INT;
    const SnExpr *name = of ? e->kid[0] : e;

    for (uint32_t i = 0; i < u->nread && name->ek == SN_E_NAME; i++)
        if (!strcmp(u->decl->param[u->read[i].param].name, name->s) &&
            u->read[i].which == (of ? e->kid[1]->i : 0))
            return &u->read[i];
    return NULL;
}

/* Does the map have the part that the list describes? */
static bool
fits(Tester *x, const SnMapping *u, const SnDefMapTestList *l)
{
    int64_t n = box_count(u->rank, u->dim);

    if (l->kind == SN_MS_BESIDE && u->nbeside != 1) {
        fault(x, l->e->pos, "'beside' has %u indices, not one", u->nbeside);
        return false;
    }
    if (l->e->ek == SN_E_LIST && l->e->nkid == n)
        return true;
    fault(x, l->e->pos, "%u elements; the result has %lld", kids(l->e),
          (long long)n);
    return false;
}

static void
check_list(Tester *x, const SnMapping *u, const SnDefMapTestList *l)
{
    Walk w = {.u = u, .l = l};
    int64_t n = box_count(u->rank, u->dim);

    if (l->kind == SN_MS_WHOLE) {
        if ((number(x, l->e, NULL) != 0) != u->whole)
            fault(x, l->e->pos, "'whole' is %s", u->whole ? "true" : "false");
        return;
    }
    w.read = l->kind == SN_MS_READ     ? named_read(u, l->what)
             : l->kind == SN_MS_CENTRE ? &u->centre
                                       : NULL;
    if (l->kind == SN_MS_READ && !w.read) {
        fault(x, l->what->pos, "'%s' is not an operand that is read",
              sn_expr_str(x->rs->a, l->what));
        return;
    }
    if (!fits(x, u, l))
        return;
    w.sets = sn_map_stmt(u->decl, SN_MS_TAPS) && !(w.read && w.read->one_of);
    w.val = SN_NEW_N(x->rs->a, int64_t, u->T.n + 1);
    sn_terms_run(&u->T, 0, w.at, w.val);
    for (int64_t o = 0; o < n && !x->bad; o++) {
        const char *is = one_result(&w, x->rs->a);
        const char *want = expected(x, l->e->kid[o]);
        if (!x->bad && strcmp(is, want) != 0)
            fault(x, l->e->kid[o]->pos,
                  "the declaration has %s for element [%s], the test %s", is,
                  place(x->rs->a, u, o), want);
        next_place(&w, false);
    }
}

static void
check_shape(Tester *x, const SnMapping *u)
{
    SnMapBox b = {0};

    box(x, x->t->shape, &b);
    bool same = b.rank == u->rank;
    SnBuf is;
    sn_buf_init(&is, x->rs->a);
    for (int i = 0; i < u->rank; i++) {
        same = same && b.dim[i] == u->dim[i];
        sn_putf(&is, "%s%lld", i ? ", " : "", (long long)u->dim[i]);
    }
    if (!x->bad && !same)
        fault(x, x->t->shape->pos, "the result has the dimensions [%s]",
              sn_buf_str(&is));
}

static void
run(SnResolver *rs, const SnDefMap *m, const SnDefMapTest *t)
{
    Tester x = {.rs = rs, .m = m, .t = t};
    SnMapArg *arg = arguments(&x);
    char *why = sn_alloc(rs->a, SN_MAP_WHY);
    SnMapping *u = SN_NEW(rs->a, SnMapping);

    if (x.bad)
        return;
    bool ok = sn_mapping_open(u, m->decl, arg, rs->a, why) &&
              sn_mapping_reads(u, 0, NULL);
    if (ok == (t->text != NULL) || (t->text && !strstr(why, t->text))) {
        if (ok)
            fault(&x, t->pos, "the declaration takes what the test refuses");
        else
            fault(&x, t->pos, "the declaration refuses it: %s", why);
    }
    if (x.bad || !ok)
        return;
    check_shape(&x, u);
    for (uint32_t i = 0; i < t->nlist && !x.bad; i++)
        check_list(&x, u, &t->list[i]);
}

void
sn_resolve_map_tests(SnResolver *rs, const SnDefMap *m)
{
    for (uint32_t i = 0; i < m->ntest; i++)
        run(rs, m, m->test[i]);
}
