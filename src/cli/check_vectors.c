// SPDX-License-Identifier: Apache-2.0
/* --check-vectors: what rows of an arithmetic give, as evaluators and kernels
 * compute them, against a file of a machine's vectors. */
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
    return sn_row_code(row, k, a, v->in[1], -hi - 1, hi);
}

static SnStatus
check_table(SnCli *c, const SnVectors *f, const SnArith *a,
            const SnVectorTable *t, uint64_t *n)
{
    const char *name = sn_vectors_row_name(c->a, &t->row);
    const SnArithRow *row =
        sn_arith_row(a, t->row.form, t->row.map, t->row.when);

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
    }
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
