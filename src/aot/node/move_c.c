// SPDX-License-Identifier: Apache-2.0
/* Moves as C, and choices among a set. */
#include <string.h>

#include "aot/node/aot_node.h"

/* Where there are several operands, the formula names the one that is
 * copied. */
static bool
is_moved(const SnAotNode *n, const SnTensor *x)
{
    uint32_t first, count;

    if (n->sem->from < 0)
        return true;
    sn_port_slots(n->kd, n->call.nin, (uint32_t)n->sem->from, &first, &count);
    return x >= n->call.in + first && x < n->call.in + first + count;
}

/* Places along variable v where 0 <= base + g * v < dim. */
static void
cut_place(SnAotNode *n, uint32_t v, int64_t g, int64_t base, int64_t dim)
{
    int64_t lo = 0, hi = n->u.var[v].bound.v;

    while (lo < hi && (base + g * lo < 0 || base + g * lo >= dim))
        lo++;
    while (hi > lo && (base + g * (hi - 1) < 0 || base + g * (hi - 1) >= dim))
        hi--;
    n->bound[v].lo = sn_aot_int(n->a, lo);
    n->bound[v].hi = sn_aot_int(n->a, hi);
}

/* The condition for the read to be inside, without what bounds loops (cut); "":
 * always inside; NULL: never. */
static const char *
inside(SnAotNode *n, const SnMapRead *r, bool cut)
{
    int64_t coef[SN_MAP_NVAR], base;
    SnBuf b;

    sn_buf_init(&b, n->a);
    for (uint32_t i = 0; i < r->nwhen; i++)
        sn_putf(&b, "%s%s", b.n ? " && " : "", sn_aot_num(n, r->when[i]));
    for (int d = 0; d < r->box.rank; d++) {
        uint32_t vars = sn_num_vars(&n->u.T, r->at[d]);
        if (r->inside[d])
            continue;
        if (r->at[d].t == SN_NUM_INT) {
            if (r->at[d].v < 0 || r->at[d].v >= r->box.dim[d])
                return NULL;
            continue;
        }
        if (cut && vars && !(vars & (vars - 1)) &&
            sn_term_affine(&n->u.T, r->at[d], coef, &base)) {
            uint32_t v = (uint32_t)__builtin_ctz(vars);
            cut_place(n, v, coef[v], base, r->box.dim[d]);
            continue;
        }
        const char *s = sn_aot_num(n, r->at[d]);
        sn_putf(&b, "%s%s >= 0 && %s < %lld", b.n ? " && " : "", s, s,
                (long long)r->box.dim[d]);
    }
    return sn_buf_str(&b);
}

/* The zero point's code, or 0. */
static const char *
zero(const SnAotNode *n)
{
    const SnType *t = n->call.out[n->res].type;

    return sn_aot_int(n->a, t->nq == 1 ? t->zp[0] : 0);
}

static void
copy(SnAotNode *n, const SnMapRead *r, const char *x, const char *fill)
{
    bool part = r->els == SN_ME_SKIP;
    const char *y = sn_aot_result(n, n->res);
    const char *cond = inside(n, r, part);

    if (part && !cond)
        return;
    sn_aot_each(n);
    if (r->els == SN_ME_FILL && cond && *cond)
        sn_aot_line(n, "%s[%s] = %s ? %s[%s] : %s;", y, sn_aot_out(n), cond, x,
                    sn_aot_num(n, r->off), fill);
    else if (r->els == SN_ME_FILL && !cond)
        sn_aot_line(n, "%s[%s] = %s;", y, sn_aot_out(n), fill);
    else {
        if (part && *cond)
            sn_aot_line(n, "if (%s)", cond);
        sn_aot_line(n, "%s%s[%s] = %s[%s];", part && *cond ? "    " : "", y,
                    sn_aot_out(n), x, sn_aot_num(n, r->off));
    }
    sn_aot_end(n);
    memset(n->bound, 0, sizeof n->bound);
}

static void
copy_rows(SnAotNode *n, uint32_t slot)
{
    const SnTensor *x = &n->call.in[slot];
    int64_t count = (int64_t)sn_tensor_nbyte(x->type, x->shape);

    sn_aot_line(n, "for (%s i = 0; i < %lld; i++)", sn_aot_index(count),
                (long long)count);
    sn_aot_line(n, "    %s[i] = %s[i];", sn_aot_result(n, n->res),
                sn_aot_operand(n, slot));
}

/* Place p of the order, for each p: the first, in this order, of the taps that
 * come after the one at p - 1. */
static void
choice(SnAotNode *n)
{
    const SnTensor *x = sn_map_port(&n->call, n->sem, 0);
    int axis = sn_axis(x->shape, sn_map_int(&n->call, n->sem, 2, -1));
    int64_t k = sn_map_int(&n->call, n->sem, 1, 1), in = 1, out = 1;
    bool largest = sn_map_int(&n->call, n->sem, 3, 1) != 0;
    const char *xn = sn_aot_operand(n, (uint32_t)(x - n->call.in));
    const char *index = sn_aot_index(sn_shape_count(x->shape));
    const char *fn =
        x->type->elem == SN_F32 ? "sn_soft_before_f32" : "sn_soft_before";
    long long len = (long long)x->shape->dim[axis];

    for (int i = 0; i < axis; i++)
        out *= x->shape->dim[i];
    for (int i = axis + 1; i < x->shape->rank; i++)
        in *= x->shape->dim[i];
    const char *step = sn_aot_int(n->a, in);
    sn_aot_line(n, "for (%s o = 0; o < %lld; o++)", index, (long long)out);
    sn_aot_line(n, "    for (%s j = 0; j < %s; j++) {", index, step);
    n->depth += 2;
    sn_aot_line(n, "const %s *const row = %s + o * %lld + j;",
                sn_aot_elem(x->type->elem), xn, len * (long long)in);
    sn_aot_line(n, "%s last = -1;", index);
    sn_aot_line(n, "for (%s p = 0; p < %lld; p++) {", index, (long long)k);
    n->depth++;
    sn_aot_line(n, "%s best = -1;", index);
    sn_aot_line(n, "for (%s t = 0; t < %lld; t++) {", index, len);
    n->depth++;
    sn_aot_line(
        n, "if (last >= 0 && !%s(row[last * %s], row[t * %s], last < t, %d))",
        fn, step, step, largest);
    sn_aot_line(n, "    continue;");
    sn_aot_line(n,
                "if (best < 0 || %s(row[t * %s], row[best * %s], t < best, "
                "%d))",
                fn, step, step, largest);
    sn_aot_line(n, "    best = t;");
    n->depth--;
    sn_aot_line(n, "}");
    const char *to =
        sn_format(n->a, "%s[o * %lld + p * %s + j]", sn_aot_result(n, n->res),
                  (long long)(k * in), step);
    if (n->res)
        sn_aot_line(n, "%s = best;", to);
    else
        sn_aot_line(n, "%s = row[best * %s];", to, step);
    sn_aot_line(n, "last = best;");
    n->depth--;
    sn_aot_line(n, "}");
    n->depth -= 2;
    sn_aot_line(n, "    }");
}

bool
sn_aot_fills(SnAotNode *n)
{
    for (uint32_t i = 0; i < n->u.nread; i++) {
        const char *cond = inside(n, &n->u.read[i], false);
        if (n->u.read[i].els == SN_ME_FILL && (!cond || *cond))
            return true;
    }
    return false;
}

SnStatus
sn_aot_move(SnAotNode *n, const char *fill)
{
    if (n->u.primitive) {
        choice(n);
        return SN_OK;
    }
    if (!fill)
        sn_aot_start(n);
    for (uint32_t i = 0; i < n->u.nread; i++) {
        uint32_t slot = (uint32_t)(n->source[i] - n->call.in);
        if (!is_moved(n, n->source[i]))
            continue;
        if (n->source[i]->type->elem == SN_ROW8) {
            copy_rows(n, slot);
            continue;
        }
        sn_aot_need_none(n);
        sn_aot_need_late(n);
        sn_aot_need_read(n, &n->u.read[i]);
        copy(n, &n->u.read[i], sn_aot_operand(n, slot), fill ? fill : zero(n));
    }
    return SN_OK;
}
