// SPDX-License-Identifier: Apache-2.0
/* Vectors of rows (base/lang/vectors.h): those of an arithmetic, written for a
 * machine's simulator, and a machine's own, compared with the rows. */
#include <math.h>

#include "base/file/file.h"
#include "base/lang/vectors.h"
#include "dsl/prove/trial/prove_arith.h"
#include "dsl/prove/vectors.h"

typedef struct Draw {
    const SnDefArith *a;
    uint64_t state;
} Draw;

static uint64_t
next(Draw *w)
{
    w->state ^= w->state >> 12;
    w->state ^= w->state << 25;
    w->state ^= w->state >> 27;
    return w->state * UINT64_C(2685821657736338717);
}

/* From lo to hi. */
static int64_t
between(Draw *w, int64_t lo, int64_t hi)
{
    return lo + (int64_t)((next(w) >> 11) % (uint64_t)(hi - lo + 1));
}

/* A power of two, or any number from 1 to 2 times one. */
static float
scale(Draw *w, SnRole role)
{
    bool power = w->a->pairs.some && w->a->pairs.type[role].power;
    double u =
        power || next(w) % 3 == 0 ? 1 : 1 + (double)(next(w) >> 12) * 0x1p-52;

    return (float)ldexp(u, (int)between(w, -9, 0));
}

static int32_t
zero_point(Draw *w, int64_t top)
{
    const SnArithPairs *p = &w->a->pairs;
    int64_t lo = -top - 1, hi = top;

    if (p->some) {
        lo = sn_int_max(lo, p->type[SN_ROLE_X].zlo);
        hi = sn_int_min(hi, p->type[SN_ROLE_X].zhi);
    }
    if (lo > hi || (lo <= 0 && hi >= 0 && next(w) % 4 == 0))
        return 0;
    return (int32_t)between(w, lo, hi);
}

/* A number that m maps near a code, or halfway between two: ties. */
static int64_t
about(Draw *w, double m, int64_t top, int64_t most)
{
    double half = (double)(next(w) % 2) / 2;
    double v = rint(((double)between(w, -top - 9, top + 9) + half) / m);

    v += (double)between(w, -1, 1) * (double)(next(w) % 4 == 0);
    return (int64_t)fmin(fmax(v, -(double)most), (double)most);
}

/* The window of a mean, and a sum of its elements. */
static void
draw_mean(Draw *w, const SnVectorRow *r, SnVector *v, int64_t top)
{
    bool window = r->map && sn_known_map(r->map) == SN_MW_POOL;

    for (int i = 0; window && i < 2; i++)
        v->g.kernel[i] = between(w, 1, 8);
    v->g.n = window ? v->g.kernel[0] * v->g.kernel[1] : between(w, 1, 2000);
    if (window && next(w) % 4 == 0) /* pads do not count */
        v->g.n = between(w, 1, v->g.n);
    v->in[0] = between(w, -top - 1 - v->g.zp[1], top - v->g.zp[1]) * v->g.n +
               between(w, -v->g.n / 2, v->g.n / 2);
}

static void
draw(Draw *w, const SnVectorRow *r, int64_t step, SnVector *v)
{
    const int64_t top = sn_vectors_hi(r);
    bool wide = r->when & SN_WHEN_WIDE;

    *v = (SnVector){.g = {{1, 1, 1}, {0}, 1, 0, {1, 1}}};
    for (int i = 0; i < 3; i++) {
        bool weight = i == 2 && r->form == SN_FORM_CONTRACT;
        v->g.scale[i] = scale(w, weight ? SN_ROLE_W : SN_ROLE_X);
        v->g.zp[i] = zero_point(w, top);
        if (r->when & SN_WHEN_SAME) {
            v->g.scale[i] = v->g.scale[0];
            v->g.zp[i] = v->g.zp[0];
        }
    }
    if (r->when & SN_WHEN_AFTER)
        v->g.zp_shift = next(w) % 2 ? 128 : 0;
    if (r->form == SN_FORM_CONTRACT) {
        double m = (double)v->g.scale[1] * (double)v->g.scale[2] /
                   (double)v->g.scale[0];
        v->in[0] = next(w) % 8 ? about(w, m, top, INT32_MAX)
                               : (int32_t)(next(w) >> 32);
        v->in[0] *= wide ? between(w, 1, 64) : 1;
    } else if (r->form == SN_FORM_MEAN) {
        draw_mean(w, r, v, top);
    } else if (r->form == SN_FORM_FUNCTION) {
        v->in[0] = between(w, -top - 1, top);
        v->g.kernel[0] = between(w, -top - 1, top);
        v->g.kernel[1] = between(w, 0, step - 1);
    } else if (r->form == SN_FORM_POINT) {
        v->real =
            (float)((double)about(w, 0.5, top, INT32_MAX) / 4) * v->g.scale[0];
    } else {
        v->in[0] = between(w, -top - 1, top);
        v->in[1] = between(w, -top - 1, top);
    }
}

static int64_t
value(const SnDefRowOf *row, const SnVectorRow *r, const SnVector *v)
{
    const SnRowAt at = {v->g, {v->in[0], sn_vectors_second(r, v)}, v->real};
    int64_t hi = sn_vectors_hi(r);

    return sn_clamp64(sn_row_value(row->x, &at), -hi - 1, hi);
}

/* Does a have the row from `float`?  Then it states nothing about a's
 * machine. */
static bool
is_floats(const SnDefArith *a, const SnDefRowOf *of, const SnDefArith *f)
{
    for (uint32_t i = 0; f && f != a && i < f->nrow; i++)
        if (f->row[i] == of->row)
            return true;
    return false;
}

void
sn_prove_vectors(const SnDefs *s, const SnDefArith *a, uint32_t n, SnBuf *b)
{
    const SnDefArith *f = sn_def_arith(s, SN_ROUNDING_FLOAT);

    sn_vectors_put_head(b, a->name);
    for (uint32_t i = 0; i < a->nof; i++) {
        const SnDefRowOf *of = &a->of[i];
        const SnVectorRow r = {of->form, of->map, of->is};
        Draw w = {a, 1 + (uint64_t)i};
        if (is_floats(a, of, f) || sn_def_row(a, r.form, r.map, r.when) != of)
            continue; /* another row is before it */
        sn_vectors_put_row(b, &r);
        for (uint32_t k = 0; k < n; k++) {
            SnVector v;
            draw(&w, &r, of->step, &v);
            v.want = value(of, &r, &v);
            sn_vectors_put(b, &r, &v);
        }
    }
}

/* The table's vectors and their number; false: reported. */
static bool
agrees(const SnDefArith *a, const SnVectors *file, const SnVectorTable *t,
       SnDiag *d, SnArena *arena, uint32_t *n)
{
    const char *name = sn_vectors_row_name(arena, &t->row);
    const SnDefRowOf *of = sn_def_row(a, t->row.form, t->row.map, t->row.when);

    if (!of) {
        sn_error(d, a->vectors_pos, "SN193",
                 "%s:%u: arithmetic %s has no row for %s", file->path,
                 (unsigned)t->line, a->name, name);
        return false;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t got = value(of, &t->row, &t->v[i]);
        ++*n;
        if (got == t->v[i].want)
            continue;
        sn_error(d, of->row->pos, "SN193",
                 "this row is not the machine's: %s:%u has %lld, it gives %lld",
                 file->path, (unsigned)t->v[i].line, (long long)t->v[i].want,
                 (long long)got);
        sn_diag_span(d, a->vectors_pos, "its vectors");
        return false;
    }
    return true;
}

/* Compares with the file that a names; n: number of vectors.  False:
 * reported. */
static bool
checked(const SnDefArith *a, SnDiag *d, SnArena *arena, SnVectors *v,
        uint32_t *n)
{
    const char *dir = sn_path_dir(arena, a->vectors_pos.src->name);
    const char *path = sn_path_join(arena, dir, a->vectors);

    if (sn_vectors_read(arena, d, path, v) != SN_OK)
        return false;
    if (!sn_name_same(v->arith, a->name)) {
        sn_error(d, a->vectors_pos, "SN193",
                 "'%s' has vectors of arithmetic %s", path, v->arith);
        return false;
    }
    for (uint32_t k = 0; k < v->n; k++)
        if (!agrees(a, v, &v->table[k], d, arena, n))
            return false;
    return true;
}

/* Rows of a without vectors. */
static void
put_unchecked(const SnDefArith *a, const SnDefArith *f, const SnVectors *v,
              SnBuf *b)
{
    const char *by = "; none for ";

    for (uint32_t i = 0; i < a->nof; i++) {
        const SnDefRowOf *of = &a->of[i];
        bool seen = is_floats(a, of, f);
        for (uint32_t k = 0; k < v->n && !seen; k++) {
            const SnVectorRow *r = &v->table[k].row;
            seen =
                v->table[k].n && sn_def_row(a, r->form, r->map, r->when) == of;
        }
        if (seen)
            continue;
        sn_putf(b, "%s%s", by,
                sn_vectors_row_name(b->a,
                                    &(SnVectorRow){of->form, of->map, of->is}));
        by = ", ";
    }
    sn_puts(b, "\n");
}

/* Forms that a computes as float does: it has no own row for them. */
static void
put_inherited(const SnDefArith *a, const SnDefArith *f, SnBuf *b)
{
    const char *by = "  as float: ";

    for (int k = 0; k < SN_NFORM; k++) {
        bool own = false;
        for (uint32_t i = 0; i < a->nof; i++)
            own |= a->of[i].form == (SnForm)k && !is_floats(a, &a->of[i], f);
        if (own)
            continue;
        sn_putf(b, "%s%s", by,
                sn_vectors_row_name(b->a, &(SnVectorRow){(SnForm)k, NULL, 0}));
        by = ", ";
    }
    if (*by == ',')
        sn_puts(b, "\n");
}

void
sn_prove_check_vectors(const SnDefs *s, SnDiag *d, SnBuf *b)
{
    const SnDefArith *f = sn_def_arith(s, SN_ROUNDING_FLOAT);

    for (uint32_t i = 0; i < s->narith; i++) {
        const SnDefArith *a = s->arith[i];
        uint32_t n = 0;
        SnVectors v;
        if (a->bad || a->plugin != s->is_plugin)
            continue;
        sn_putf(b, "arithmetic %s: ", a->name);
        if (!a->vectors) {
            sn_puts(b, "unchecked against the machine\n");
        } else if (checked(a, d, b->a, &v, &n)) {
            sn_putf(b, "%u vectors of %s agree", n, sn_path_base(v.path));
            put_unchecked(a, f, &v, b);
        }
        if (a != f)
            put_inherited(a, f, b);
    }
}
