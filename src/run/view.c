// SPDX-License-Identifier: Apache-2.0
#include "run/view.h"

#include "graph/moved.h"
#include "sn_maps.h"

typedef struct Choose {
    SnExec *x;
    const SnGraph *g;
    SnView *view;
    uint32_t *step; /* [nnode] step + 1 */
    bool *parts;    /* [nnode << SN_RESBITS] a Concat without a step */
    bool *shared;   /* [nnode << SN_RESBITS] lies in a value that others read */
} Choose;

static SnExecStep *
step_of(const Choose *c, SnRef ref)
{
    uint32_t i = c->step[SN_NODE(ref)];

    return i ? &c->x->step[i - 1] : NULL;
}

/* ---- Concat ---- */

/* Elements before axis k, from it on, and the last axis. */
static int64_t
product(const SnShape *s, int from, int to)
{
    int64_t n = 1;

    for (int i = from; i < to; i++)
        n *= s->dim[i];
    return n;
}

static bool
is_concat(const SnKindDesc *kd)
{
    return kd->nout == 1 && kd->sem[0].cls == SN_C_MOVE &&
           kd->sem[0].decl == &sn_map_decl_concat && kd->clamp < 0;
}

static int
axis_of(const SnNode *n, const SnKindDesc *kd)
{
    const SnSem *s = &kd->sem[0];
    SnArg arg = s->arg[s->narg - 1];
    int64_t k = arg.kind == SN_ARG_INT
                    ? arg.v
                    : *(const int64_t *)sn_attr_at(n->attr, &kd->attr[arg.v]);

    return (int)k;
}

static bool
read_only_by(const SnGraph *g, SnRef ref, SnId node)
{
    for (const SnUse *u = sn_res(g, ref)->uses; u; u = u->next)
        if (u->user != node)
            return false;
    return true;
}

static bool
is_empty(const Choose *c, SnRef ref)
{
    return ref &&
           sn_tensor_nbyte(sn_type(c->g, ref), sn_shape_of(c->g, ref)) == 0;
}

/* Whether operand ref can lie in the result of Concat id.  Operands without
 * elements keep their own places. */
static bool
fits(const Choose *c, SnId id, SnRef ref, bool apart)
{
    const SnNode *n = sn_node(c->g, id);
    const SnExecStep *s = ref ? step_of(c, ref) : NULL;

    return s && SN_RES(ref) == 0 && sn_res(c->g, ref)->nuse == 1 &&
           !c->parts[ref] && sn_type(c->g, ref) == n->res[0].type &&
           (!apart || s->pitched);
}

static void
try_concat(Choose *c, uint32_t at)
{
    SnExecStep *s = &c->x->step[at];
    const SnNode *n = sn_node(c->g, s->node);
    const SnKindDesc *kd = sn_desc(n->kind);
    const SnShape *y = n->res[0].shape;
    size_t size = sn_elem_size(n->res[0].type->elem), offset = 0;

    if (!is_concat(kd) || n->res[0].type->axis >= 0 ||
        is_empty(c, SN_REF(s->node, 0)))
        return;
    int k = axis_of(n, kd);
    if (k < 0 || k >= y->rank || (k + 1 < y->rank && product(y, 0, k) != 1))
        return;
    bool apart = product(y, 0, k) != 1;
    for (uint32_t i = 0; i < n->nin; i++)
        if (!is_empty(c, n->in[i].ref) &&
            !fits(c, s->node, n->in[i].ref, apart))
            return;
    for (uint32_t i = 0; i < n->nin; i++) {
        SnRef ref = n->in[i].ref;
        if (is_empty(c, ref))
            continue;
        c->view[ref] = (SnView){SN_REF(s->node, 0), offset};
        if (apart)
            step_of(c, ref)->ypitch = y->dim[k];
        offset += (size_t)product(sn_shape_of(c->g, ref), k, y->rank) * size;
    }
    c->parts[SN_REF(s->node, 0)] = true;
    c->step[s->node] = 0;
}

/* ---- parts that stay where they are ---- */

static size_t
nbyte(const Choose *c, SnRef ref)
{
    return sn_tensor_nbyte(sn_type(c->g, ref), sn_shape_of(c->g, ref));
}

/* A view keeps all of x in memory for as long as one part of it is read: that
 * is worth it where parts take half of x or more. */
static bool
mostly_parts(const Choose *c, SnRef x)
{
    size_t n = 0;

    for (const SnUse *u = sn_res(c->g, x)->uses; u; u = u->next) {
        const SnExecStep *s = step_of(c, SN_REF(u->user, 0));
        if ((s && s->part >= 0) || c->shared[SN_REF(u->user, 0)])
            n += nbyte(c, SN_REF(u->user, 0));
    }
    return n >= nbyte(c, x) / 2;
}

/* May a view lie in the memory of x?  Not in a caller's input, nor in rows that
 * lie at a distance in a Concat's result. */
static bool
can_hold(const Choose *c, SnRef x)
{
    const SnNode *n = sn_def(c->g, x);
    const SnExecStep *s = step_of(c, x);

    return !n->data && !sn_desc(n->kind)->effect && !(s && s->ypitch);
}

/* A value that is only copied stays where it is, and is then read-only. */
static void
try_part(Choose *c, const SnExecStep *s)
{
    const SnNode *n = sn_node(c->g, s->node);
    SnRef y = SN_REF(s->node, 0);

    if (s->part < 0 || c->view[y].base || nbyte(c, y) == 0 ||
        !can_hold(c, n->in[0].ref) || !mostly_parts(c, n->in[0].ref))
        return;
    c->view[y] = (SnView){n->in[0].ref, (size_t)s->part};
    c->shared[y] = true;
    c->step[s->node] = 0;
}

/* ---- in place ---- */

static bool
try_in_place(Choose *c, const SnExecStep *s)
{
    const SnNode *n = sn_node(c->g, s->node);
    bool nothing = sn_moved(c->g, s->node) == SN_MOVED_IN_ORDER;
    unsigned may = nothing ? 1 : s->inplace;
    SnRef y = SN_REF(s->node, 0);
    size_t size = sn_tensor_nbyte(n->res[0].type, n->res[0].shape);

    if (c->view[y].base || size == 0)
        return true;
    for (uint32_t i = 0; i < n->nin && may; i++, may >>= 1) {
        SnRef x = n->in[i].ref;
        const SnExecStep *from = x ? step_of(c, x) : NULL;
        if (!(may & 1) || !from || from->ypitch || SN_RES(x) != 0 ||
            c->shared[x] || !read_only_by(c->g, x, s->node) ||
            sn_tensor_nbyte(sn_type(c->g, x), sn_shape_of(c->g, x)) != size)
            continue;
        c->view[y] = (SnView){x, 0};
        if (nothing)
            c->step[s->node] = 0;
        return true;
    }
    return false;
}

/* A view of a view names its base directly: chains may be as long as the
 * graph. */
static void
flatten(const SnGraph *g, SnView *view)
{
    for (SnRef r = 0; r < (SnRef)g->nnode << SN_RESBITS; r++) {
        size_t offset;
        SnRef root = sn_view_root(view, r, &offset);
        for (SnRef v = r; v != root;) {
            SnView was = view[v];
            view[v] = (SnView){root, offset};
            offset -= was.offset;
            v = was.base;
        }
    }
}

SnView *
sn_choose_views(SnArena *a, SnExec *x)
{
    size_t nref = (size_t)x->g->nnode << SN_RESBITS;
    Choose c = {.x = x, .g = x->g};
    uint32_t n = 0;

    c.view = SN_NEW_N(a, SnView, nref);
    c.parts = SN_NEW_N(a, bool, nref);
    c.shared = SN_NEW_N(a, bool, nref);
    c.step = SN_NEW_N(a, uint32_t, x->g->nnode);
    for (uint32_t i = 0; i < x->nstep; i++)
        c.step[x->step[i].node] = i + 1;
    for (uint32_t i = 0; i < x->nstep; i++)
        try_concat(&c, i);
    for (uint32_t i = 0; i < x->nstep; i++)
        if (c.step[x->step[i].node] && !try_in_place(&c, &x->step[i]))
            try_part(&c, &x->step[i]);
    for (uint32_t i = 0; i < x->nstep; i++)
        if (c.step[x->step[i].node])
            x->step[n++] = x->step[i];
        else
            x->nfallback -= x->step[i].kernel == NULL;
    x->nstep = n;
    flatten(x->g, c.view);
    return c.view;
}
