// SPDX-License-Identifier: Apache-2.0
/* Folding of late Constants: a result computed row by row from one is late. */
#include "base/budget.h"
#include "graph/late/late.h"
#include "kernel/each/each.h"
#include "kernel/eval/eval.h"
#include "kernel/eval/rows.h"
#include "rewrite/internal.h"
#include "sn_kind_mul.h"

/* A node whose operand `slot` is late. */
typedef struct LateNode {
    SnLate late;
    const SnLate *from;
    uint32_t slot;
    SnCall call;
    SnEvalFn *eval;
    const float *factor; /* a product with a number for each row, or NULL */
    SnEachF32 mul;
} LateNode;

/* Rows [i0, i1), at x, times a factor each: filters times the scales of a
 * normalization, the common case.  Same bits as the evaluator. */
static void
multiply_rows(const LateNode *k, int64_t i0, int64_t i1, const float *x,
              float *y)
{
    int64_t n = (int64_t)(k->late.nbyte / sizeof *y) / k->late.nrow;
    SnIsa isa = sn_isa();

    for (; i0 < i1; i0++, x += n, y += n)
        sn_each_f32(isa, &k->mul, x, 1, &k->factor[i0], 0, n, y);
}

static void
late_rows(const SnLate *l, int64_t i0, int64_t i1, void *to, void *work)
{
    const LateNode *k = (const LateNode *)l;
    const char *at = k->from->at;
    size_t row = l->nbyte / (size_t)l->nrow;

    if (at && k->factor && !k->from->file) {
        multiply_rows(k, i0, i1, (const void *)(at + (size_t)i0 * row), to);
        return;
    }
    k->from->rows(k->from, i0, i1, to, work);
    if (k->factor)
        multiply_rows(k, i0, i1, to, to);
    else
        sn_eval_rows(k->eval, &k->call, k->slot, to, i0, i1);
}

/* A number for each row of t, with axes of 1 behind it. */
static bool
is_column(const SnTensor *t, const SnShape *of)
{
    return t->shape->rank == of->rank && t->shape->dim[0] == of->dim[0] &&
           sn_shape_count(t->shape) == of->dim[0];
}

static void
set_factor(LateNode *k)
{
    const SnCall *c = &k->call;
    const SnTensor *t = &c->in[1 - k->slot];

    if (c->kind != sn_desc(SN_K_MUL) || !is_column(t, c->out[0].shape))
        return;
    SnLimF lim = sn_limf(((const SnMulAttr *)c->attr)->clamp);
    k->mul = (SnEachF32){SN_EACH_MUL, lim.lo, lim.hi};
    k->factor = t->data;
}

/* The operand of r's node that is late and has r's shape, or nin. */
static uint32_t
late_slot(const SnGraph *g, SnRef r)
{
    const SnNode *n = sn_def(g, r);
    uint32_t i = 0;

    while (i < n->nin && !(n->in[i].ref && sn_def(g, n->in[i].ref)->late &&
                           sn_eval_inplace(g, r, i)))
        i++;
    return i;
}

/* The other operands are computed now; they take at most 1 / BESIDE of the
 * result's bytes. */
enum { BESIDE = 8 };

/* The types and shapes of operands; the bytes of all but `slot`. */
static size_t
operands(const SnGraph *g, const SnNode *n, uint32_t slot, SnTensor *in)
{
    size_t nbyte = 0;

    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef v = n->in[i].ref;
        if (!v)
            continue;
        in[i] = (SnTensor){sn_type(g, v), sn_shape_of(g, v), NULL};
        if (i != slot)
            nbyte += sn_tensor_nbyte(in[i].type, in[i].shape);
    }
    return nbyte;
}

/* Computes all operands but `slot`. */
static bool
beside_late(const SnGraph *g, const SnNode *n, uint32_t slot, SnTensor *in)
{
    for (uint32_t i = 0; i < n->nin; i++) {
        if (i == slot || !in[i].type)
            continue;
        in[i].data =
            (void *)(uintptr_t)sn_eval_const(g, n->in[i].ref, g->arena);
        if (!in[i].data)
            return false;
    }
    return true;
}

/* Rows are computed from the operands later: their memory must be neither
 * written nor freed before that. */
static void
keep_operands(const SnGraph *g, const SnNode *n)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref)
            sn_def(g, n->in[i].ref)->own = false;
}

bool
sn_fold_late(const SnGraph *g, SnRef r, SnSpec *s)
{
    const SnNode *n = sn_def(g, r);
    const SnTuple *t = sn_node_tuple(g, SN_NODE(r));
    size_t nbyte = sn_tensor_nbyte(sn_type(g, r), sn_shape_of(g, r));
    uint32_t slot = late_slot(g, r);

    if (slot == n->nin || !t || !t->eval || nbyte > SN_EVAL_MOST)
        return false;
    LateNode *k = SN_NEW(g->arena, LateNode);
    SnTensor *in = SN_NEW_N(g->arena, SnTensor, n->nin);
    SnTensor *out = SN_NEW(g->arena, SnTensor);
    *out = (SnTensor){sn_type(g, r), sn_shape_of(g, r), NULL};
    *k = (LateNode){.from = sn_def(g, n->in[slot].ref)->late,
                    .slot = slot,
                    .eval = t->eval};
    k->call = (SnCall){.kind = sn_desc(n->kind),
                       .attr = n->attr,
                       .nin = n->nin,
                       .nout = n->nres,
                       .in = in,
                       .out = out,
                       .rounding = g->rounding};
    if (operands(g, n, slot, in) > nbyte / BESIDE ||
        !sn_eval_by_rows(&k->call) || !beside_late(g, n, slot, in) ||
        !sn_late_init(&k->late, g->arena, late_rows, out->type, out->shape,
                      &s->data))
        return false;
    keep_operands(g, n);
    set_factor(k);
    in[slot].data = out->data = (void *)(uintptr_t)s->data;
    sn_eval_charge(g, r, g->arena);
    s->late = &k->late;
    s->borrow = true;
    return true;
}
