// SPDX-License-Identifier: Apache-2.0
/* Derived instances of operations that sink below a node and change no scale:
 * moves of data, and the step from codes to reals. */
#include "dsl/prove/judge/prove_instance.h"

#include <string.h>

/* ---- Transpose ---- */

static void
layout(SnProveGen *g, const SnDefNode *n, const char *T)
{
    SnArena *a = g->pv->a;
    SnInstance p = {.node = n,
                    .renumber = true,
                    .name = sn_format(a, "sink %s below %s", T, n->name)};
    SnBuf l, r, w;
    bool each = n->in[0]->variadic;

    sn_buf_init(&l, a);
    sn_buf_init(&r, a);
    sn_buf_init(&w, a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *x = n->in[i]->name;
        const char *c = i ? sn_format(a, "t%u", i) : "t";
        sn_putf(&l, "%s%s%s(%s) @%s", i ? ", " : "", each ? "each " : "", T, x,
                c);
        sn_putf(&r, "%s%s%s", i ? ", " : "", each ? "each " : "", x);
        if (n->nin > 1)
            sn_putf(&w, "%s%s.perm == t.perm and rank(%s) == rank(n)",
                    w.n ? " and " : "when ", c, c);
    }
    p.alike = each;
    p.guard = n->nin > 1 || each ? "one permutation above every operand; "
                                   "Constants are transposed back"
                                 : NULL;
    sn_prove_add(
        g, p,
        sn_format(a,
                  "layout: %s(%s) @n => %s(%s(%s) like n : n.type) {perm = "
                  "t.perm} : n.type %s exact",
                  n->name, sn_buf_str(&l), T, n->name, sn_buf_str(&r),
                  sn_buf_str(&w)));
}

/* ---- Reshape ---- */

/* Below a node of one operand, or of operands of one shape each, the Reshape is
 * unchanged; concatenated operands have another shape. */
static void
regroup(SnProveGen *g, const SnDefNode *n, const char *R)
{
    SnArena *a = g->pv->a;
    bool each = n->in[0]->variadic;
    SnInstance p = {.node = n,
                    .renumber = true,
                    .alike = each,
                    .guard = each ? "one axis of the shapes above, with as "
                                    "many elements before and after it"
                             : n->nin > 1
                                 ? "Constants whose axes stay are as they are"
                                 : NULL,
                    .name = sn_format(a, "sink %s below %s", R, n->name)};
    SnBuf l, r, w;

    sn_buf_init(&l, a);
    sn_buf_init(&r, a);
    sn_buf_init(&w, a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *x = n->in[i]->name, *x0 = n->in[0]->name;
        const char *c = i ? sn_format(a, "t%u", i) : "t";
        sn_putf(&l, "%s%s%s(%s) @%s", i ? ", " : "", each ? "each " : "", R, x,
                c);
        sn_putf(&r, "%s%s%s", i ? ", " : "", each ? "each " : "", x);
        if (i)
            sn_putf(&w, "when %s.dims == t.dims and shape(%s) == shape(%s)", c,
                    x, x0);
    }
    if (each)
        sn_puts(&w, "when dims(n) > 0");
    sn_prove_add(
        g, p,
        sn_format(a,
                  "regroup: %s(%s) @n => %s(%s(%s) like n : n.type)%s : "
                  "n.type %s exact",
                  n->name, sn_buf_str(&l), R, n->name, sn_buf_str(&r),
                  each ? " {dims = dims(n)}" : " like t", sn_buf_str(&w)));
}

/* ---- Dequantize ---- */

static void
reals(SnProveGen *g, const SnDefNode *n, const char *D)
{
    SnArena *a = g->pv->a;
    SnInstance p = {.node = n,
                    .name = sn_format(a, "sink %s below %s", D, n->name)};
    const char *x = NULL, *no = sn_prove_unused(g, n);
    SnBuf l, r, w;

    sn_buf_init(&l, a);
    sn_buf_init(&r, a);
    sn_buf_init(&w, a);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *y = n->in[i]->name, *sep = i ? ", " : "";
        const char *run = n->in[i]->variadic ? "..." : "";
        if (n->in[i]->fact != SN_SAME) {
            sn_putf(&l, "%s%s%s", sep, y, run);
            sn_putf(&r, "%s%s%s", sep, y, run);
            continue;
        }
        const char *each = *run ? "each " : "";
        sn_putf(&l, "%s%s%s(%s)", sep, each, D, y);
        sn_putf(&r, "%s%s%s", sep, each, y);
        if (x)
            sn_putf(&w, " and %s.type == %s.type", y, x);
        p.alike |= *run != 0;
        x = x ? x : y;
    }
    p.guard = p.alike ? "every input is dequantized from one type" : NULL;
    sn_prove_add(
        g, p,
        sn_format(a,
                  "reals: %s(%s) @n => %s(%s(%s) like n : %s.type) : n.type "
                  "when n.type == f32%s%s%s exact",
                  n->name, sn_buf_str(&l), D, n->name, sn_buf_str(&r), x,
                  sn_buf_str(&w), *no ? " and " : "", no));
}

/* ---- choice ---- */

void
sn_prove_sink(SnProveGen *g, const SnDefNode *n, const char *what)
{
    const SnDefNode *m = sn_def_node(g->pv->defs, what);

    if (m == g->dq)
        reals(g, n, what);
    else if (m->rsem[0]->over == SN_MW_RESHAPE)
        regroup(g, n, what);
    else
        layout(g, n, what);
}
