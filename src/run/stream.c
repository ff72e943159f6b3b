// SPDX-License-Identifier: Apache-2.0
#include "run/stream.h"

#include "base/num.h"

/* Values below LEAST stay in a core's second cache level from step to step;
 * blocks of less than BLOCK take a call for little. */
enum { LEAST = 1 << 18, BLOCK = 1 << 14 };

typedef struct Stream {
    const SnExec *x;
    uint32_t first, n;
    int64_t units; /* the greatest common divisor of the steps' */
    size_t most;   /* bytes of the largest value between two */
} Stream;

static const SnResult *
result_of(const SnExec *x, const SnExecStep *s)
{
    return &sn_node(x->g, s->node)->res[0];
}

/* Does each unit write its own part of the result, and all of it? */
static bool
writes_parts(const SnExec *x, const SnExecStep *s)
{
    return s->kernel && !s->ypitch && s->writes > 0 && s->nunit > 1 &&
           sn_desc(sn_node(x->g, s->node)->kind)->nout == 1 &&
           s->nunit * s->writes == sn_shape_count(result_of(x, s)->shape);
}

/* Where v lies: two values neither of which is a part of the other are in
 * different blocks. */
static SnRef
root_of(const SnExec *x, SnRef v)
{
    size_t offset;

    return v ? sn_view_root(x->view, v, &offset) : 0;
}

static bool
same_place(const SnExec *x, SnRef a, SnRef b)
{
    size_t at, bt;

    return a &&
           sn_view_root(x->view, a, &at) == sn_view_root(x->view, b, &bt) &&
           at == bt &&
           sn_tensor_nbyte(sn_type(x->g, a), sn_shape_of(x->g, a)) ==
               sn_tensor_nbyte(sn_type(x->g, b), sn_shape_of(x->g, b));
}

/* Does step t read, through its first operand, what the last step wrote, unit
 * by unit, and nothing else that the stream writes? */
static bool
follows(const Stream *s, const SnExecStep *t)
{
    const SnExec *x = s->x;
    const SnExecStep *last = &x->step[s->first + s->n - 1];
    const SnNode *n = sn_node(x->g, t->node);
    SnRef y = SN_REF(last->node, 0);

    if (!writes_parts(x, t) || n->nin == 0 || !same_place(x, n->in[0].ref, y) ||
        t->nunit * t->reads != sn_shape_count(sn_shape_of(x->g, y)))
        return false;
    for (uint32_t k = 1; k < n->nin; k++)
        for (uint32_t i = 0; i < s->n; i++)
            if (root_of(x, n->in[k].ref) ==
                root_of(x, SN_REF(x->step[s->first + i].node, 0)))
                return false;
    return true;
}

/* The most blocks of BLOCK bytes or more that all steps can be cut into. */
static int64_t
blocks(const Stream *s)
{
    int64_t n = (int64_t)(s->most / BLOCK);

    n = n < s->units ? n : s->units;
    while (n > 1 && s->units % n)
        n--;
    return n;
}

static Stream
longest(const SnExec *x, uint32_t first)
{
    Stream s = {.x = x, .first = first, .n = 1, .units = x->step[first].nunit};

    while (first + s.n < x->nstep && follows(&s, &x->step[first + s.n])) {
        const SnResult *r = result_of(x, &x->step[first + s.n - 1]);
        size_t size = sn_tensor_nbyte(r->type, r->shape);
        int64_t units = sn_gcd(s.units, x->step[first + s.n].nunit);
        if (units < 2)
            break;
        s.most = size > s.most ? size : s.most;
        s.units = units;
        s.n++;
    }
    return s;
}

const SnPlanRun *
sn_find_streams(SnArena *a, SnExec *x)
{
    SnPlanRun *all = NULL;

    for (uint32_t i = 0; i < x->nstep;) {
        Stream s = {.n = 1};
        if (writes_parts(x, &x->step[i]))
            s = longest(x, i);
        int64_t n = s.n > 1 && s.most >= LEAST ? blocks(&s) : 1;
        if (n > 1) {
            SnPlanRun *run = SN_NEW(a, SnPlanRun);
            SnId *node = SN_NEW_N(a, SnId, s.n);
            for (uint32_t k = 0; k < s.n; k++)
                node[k] = x->step[i + k].node;
            *run = (SnPlanRun){node, s.n, all};
            all = run;
            x->step[i].nstream = s.n;
            x->step[i].nblock = n;
        }
        i += s.n;
    }
    return all;
}
