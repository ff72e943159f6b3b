// SPDX-License-Identifier: Apache-2.0
/* --check-vectors: what rows of an arithmetic give, as evaluators and kernels
 * compute them, against a file of a machine's vectors; and how far that is from
 * operators of reals, against bounds. */
#include <math.h>

#include "base/lang/row_bound.h"
#include "base/lang/vectors.h"
#include "cli/cli.h"
#include "graph/desc.h"

/* The code that the row gives, clamped. */
static int64_t
code_of(const SnVectorRow *r, const SnArithRow *row, const SnVector *v)
{
    int64_t k[SN_ROW_NK], a = v->in[0];
    int32_t hi = sn_vectors_hi(r);

    if (r->form == SN_FORM_POINT)
        a = v->real == v->real ? (int64_t)sn_bits_f32(v->real) : 0;
    if (v->real != v->real)
        return -hi - 1;
    row->open(&v->g, k);
    return sn_row_code(row, k, a, sn_vectors_second(r, v), -hi - 1, hi);
}

/* ---- bounds against operators of reals ---- */

/* Of a table: where row and operator were, and where they may be. */
typedef struct Apart {
    int64_t lo, hi, may_lo, may_hi;
    uint32_t nwhy; /* vectors without a bound, */
    const char *why;
} Apart;

/* A sum is taken for one term. */
static SnRowTask
task_of(const SnVectorRow *r, const SnArithRow *row, const SnVector *v)
{
    SnRowTask t = {.row = row, .form = r->form, .g = v->g};
    bool sum = r->form == SN_FORM_CONTRACT || r->form == SN_FORM_MEAN;
    double size = fabs((double)v->in[0]);

    t.code_hi = sn_vectors_hi(r);
    t.code_lo = -t.code_hi - 1;
    for (int i = 0; i < 2; i++) {
        t.lo[i] = r->form == SN_FORM_CONVERT ? -0x1p15 : t.code_lo;
        t.hi[i] = -t.lo[i] - 1;
    }
    if (sum) {
        t.lo[0] = -size;
        t.hi[0] = t.most = size;
        t.nterm = 1;
    }
    return t;
}

static SnStatus
check_apart(SnCli *c, const SnVectors *f, const SnVectorTable *t,
            const SnArithRow *row, const SnVector *v, Apart *a)
{
    SnRowTask task = task_of(&t->row, row, v);
    SnRowBound b = sn_row_bound(&task);

    if (b.why) {
        a->nwhy++;
        a->why = b.why;
        return SN_OK;
    }
    int64_t d = v->want - sn_row_operator(&task, v->in[0], v->in[1]);
    a->lo = d < a->lo ? d : a->lo;
    a->hi = d > a->hi ? d : a->hi;
    a->may_lo = b.lo < a->may_lo ? b.lo : a->may_lo;
    a->may_hi = b.hi > a->may_hi ? b.hi : a->may_hi;
    if (d >= b.lo && d <= b.hi)
        return SN_OK;
    return sn_fail(c->d, SN_ECHECK,
                   sn_format(c->a, "%s:%u", f->path, (unsigned)v->line),
                   "the row is %lld codes from its operator of reals, its "
                   "bound says %lld to %lld",
                   (long long)d, (long long)b.lo, (long long)b.hi);
}

static void
put_apart(SnCli *c, const char *name, uint32_t n, const Apart *a)
{
    sn_putf(&c->out, "  %s: ", name);
    if (a->nwhy < n)
        sn_putf(&c->out,
                "%lld to %lld codes from the operator of reals, bound %lld to "
                "%lld",
                (long long)a->lo, (long long)a->hi, (long long)a->may_lo,
                (long long)a->may_hi);
    if (a->nwhy)
        sn_putf(&c->out, "%s%u without a bound: %s", a->nwhy < n ? "; " : "",
                (unsigned)a->nwhy, a->why);
    sn_puts(&c->out, "\n");
}

/* ---- codes ---- */

static SnStatus
check_table(SnCli *c, const SnVectors *f, const SnArith *a,
            const SnVectorTable *t, uint64_t *n)
{
    const char *name = sn_vectors_row_name(c->a, &t->row);
    const SnArithRow *row =
        sn_arith_row(a, t->row.form, t->row.map, t->row.when);
    bool point = t->row.form == SN_FORM_POINT; /* of any operator */
    Apart apart = {0};

    if (!row)
        return sn_fail(c->d, SN_EUNSUPPORTED,
                       sn_format(c->a, "%s:%u", f->path, (unsigned)t->line),
                       "arithmetic %s has no row for %s", a->name, name);
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t got = code_of(&t->row, row, &t->v[i]);
        ++*n;
        if (got != t->v[i].want)
            return sn_fail(
                c->d, SN_ECHECK,
                sn_format(c->a, "%s:%u", f->path, (unsigned)t->v[i].line),
                "vector %u of row %s: expected %lld, got %lld", (unsigned)i,
                name, (long long)t->v[i].want, (long long)got);
        if (!point)
            SN_TRY(check_apart(c, f, t, row, &t->v[i], &apart));
    }
    if (!point)
        put_apart(c, name, t->n, &apart);
    return SN_OK;
}

SnStatus
sn_cli_check_vectors(SnCli *c)
{
    uint64_t n = 0;
    SnVectors f;

    if (c->args.pos.n)
        return sn_fail(c->d, SN_EUSAGE, "--check-vectors",
                       "cannot be combined with a model: it checks rows of an "
                       "arithmetic");
    SN_TRY(sn_vectors_read(c->a, c->d, c->args.check_vectors, &f));
    SnRounding by = sn_arith_named(f.arith);
    if (by == sn_arith_end())
        return sn_fail(c->d, SN_EINPUT, f.path,
                       "no arithmetic is named '%s'; one of a plugin requires "
                       "--backend-plugin FILE",
                       f.arith);
    for (uint32_t i = 0; i < f.n; i++)
        SN_TRY(check_table(c, &f, sn_arith_at(by), &f.table[i], &n));
    sn_putf(&c->out, "%s: %llu vectors of %u row%s agree\n", f.arith,
            (unsigned long long)n, (unsigned)f.n, f.n == 1 ? "" : "s");
    return SN_OK;
}
