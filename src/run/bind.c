// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs of a run in memory of its caller, without a copy.  No
 * step writes into the block of an input (run/view.c); one of an output holds
 * it alone, or in parts that steps write in place. */
#include <string.h>

#include "run/exec.h"

/* Code prepared for one caller's buffer works for any: malloc guarantees this
 * alignment. */
enum { ALIGN = 16 };

typedef struct Place {
    SnTensor *t;
    size_t offset; /* in the block */
} Place;

typedef struct SnBound {
    uint32_t block; /* + 1; 0: it stays in the arena */
    uint32_t n;
    Place *place; /* the tensors of steps that are in the block */
} SnBound;

static size_t
nbyte(const SnGraph *g, SnRef ref)
{
    return sn_tensor_nbyte(sn_type(g, ref), sn_shape_of(g, ref));
}

/* The block of a value that fills it and that no caller has. */
static uint32_t
own_block(const SnExec *x, SnRef ref)
{
    const SnNode *n = sn_def(x->g, ref);
    size_t offset = 0;
    SnRef root;

    if (n->data || sn_desc(n->kind)->effect || !nbyte(x->g, ref))
        return 0;
    root = sn_view_root(x->view, ref, &offset);
    return offset || nbyte(x->g, root) != nbyte(x->g, ref) ? 0 : x->block[ref];
}

static void
add_place(SnArena *a, SnRun *r, SnBound *const *of, SnRef ref, SnTensor *t)
{
    uint32_t block = ref ? r->x->block[ref] : 0;
    size_t offset = 0;

    if (!block || !of[block - 1] || sn_def(r->x->g, ref)->data)
        return;
    SnBound *b = of[block - 1];
    sn_view_root(r->x->view, ref, &offset);
    Place p = {t, offset};
    SN_PUSH(a, b->place, b->n, p);
}

void
sn_run_bindable(SnArena *a, SnRun *r)
{
    const SnExec *x = r->x;
    SnBound **of = SN_NEW_N(a, SnBound *, x->plan->nblock + 1);

    if (r->fence)
        return;
    SnBound *in = SN_NEW_N(a, SnBound, x->ninput + 1);
    SnBound *out = SN_NEW_N(a, SnBound, x->noutput + 1);
    for (uint32_t i = 0; i < x->ninput; i++)
        if (nbyte(x->g, x->input[i].ref) > 0 &&
            (in[i].block = x->block[x->input[i].ref]))
            of[in[i].block - 1] = &in[i];
    for (uint32_t i = 0; i < x->noutput; i++) {
        uint32_t block = own_block(x, x->output[i].ref);
        if (!block || of[block - 1]) /* twice: the second is a copy */
            continue;
        out[i].block = block;
        of[block - 1] = &out[i];
    }
    for (uint32_t i = 0; i < x->nstep; i++) {
        const SnExecStep *s = &x->step[i];
        const SnNode *n = sn_node(x->g, s->node);
        for (uint32_t k = 0; k < n->nin; k++)
            add_place(a, r, of, n->in[k].ref, &r->in[s->in + k]);
        for (unsigned k = 0; k < n->nres; k++)
            add_place(a, r, of, SN_REF(s->node, k), &r->out[s->out + k]);
    }
    r->bound_in = in;
    r->bound_out = out;
}

static bool
bind(SnRun *r, const SnBound *b, void *p)
{
    bool fits = b->block && p && (uintptr_t)p % ALIGN == 0;

    if (!b->block)
        return false;
    uint8_t *at = fits ? p : sn_run_block(r, b->block - 1);
    r->at[b->block - 1] = at;
    for (uint32_t i = 0; i < b->n; i++)
        b->place[i].t->data = at + b->place[i].offset;
    return fits;
}

bool
sn_run_bind_input(SnRun *r, uint32_t i, const void *p)
{
    return r->bound_in && bind(r, &r->bound_in[i], (void *)(uintptr_t)p);
}

bool
sn_run_bind_output(SnRun *r, uint32_t i, void *p)
{
    return r->bound_out && bind(r, &r->bound_out[i], p);
}
