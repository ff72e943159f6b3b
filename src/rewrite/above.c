// SPDX-License-Identifier: Apache-2.0
/* What a node must read for a move to sink below it: moves of one kind, all
 * alike, and no other reader that would keep a copy alive. */
#include "graph/axes.h"
#include "rewrite/derive.h"

/* Values looked at between a move and another reader of it. */
enum { LOOK_MOST = 32 };

const char *
sn_above_barred(const SnAbove *a, SnId id)
{
    const SnNode *n = sn_node(a->g, id);
    const SnKindDesc *d = sn_desc_in(a->g, n->kind);

    if (d->effect)
        return "nothing moves across an output";
    if (n->nres != 1)
        return "it has more than one result";
    if (!sn_joins(d, a->join))
        return "no derive line sinks it";
    if (a->permutes && !sn_axes_free(d))
        return "its map fixes the order of axes";
    if (n->res[0].type->nq > 1)
        return "its result has scales along an axis";
    return NULL;
}

/* Does v come from moves like t alone, by nodes that take moves as well? */
static bool
comes_from(const SnAbove *a, SnRef v, SnId t, int *left)
{
    SnId id = v ? SN_NODE(v) : 0;

    if (!v || --*left < 0)
        return false;
    if (id == t || (sn_kind(a->g, v) == a->kind && a->alike(a->g, t, id)))
        return true;
    const SnNode *n = sn_node(a->g, id);
    bool ok = n->nin > 0 && !n->data && !sn_above_barred(a, id);
    for (uint32_t s = 0; ok && s < n->nin; s++)
        ok = (n->in[s].ref && sn_def(a->g, n->in[s].ref)->data) ||
             comes_from(a, n->in[s].ref, t, left);
    return ok;
}

/* Will t sink below its reader u, too?  Not seen where a `where` decides. */
static bool
follows(const SnAbove *a, SnId u, SnId t)
{
    const SnNode *n = sn_node(a->g, u);
    int left = LOOK_MOST;
    bool ok = !sn_above_barred(a, u) &&
              !sn_axes_constrained(sn_desc_in(a->g, n->kind));

    for (uint32_t s = 0; ok && s < n->nin; s++)
        ok = (n->in[s].ref && sn_def(a->g, n->in[s].ref)->data) ||
             comes_from(a, n->in[s].ref, t, &left);
    return ok;
}

/* Of the slots that read one value, the list's first looks at it all. */
static bool
read_elsewhere(const SnAbove *a, const SnUse *mine, SnId t)
{
    const SnUse *u = sn_res(a->g, SN_REF(t, 0))->uses;

    if (u != mine && u->user == a->id)
        return false;
    for (; u; u = u->next)
        if (u->user != a->id && !follows(a, u->user, t))
            return true;
    return false;
}

const char *
sn_above(const SnAbove *a, SnId *first)
{
    const SnNode *n = sn_node(a->g, a->id);
    bool absent = false;

    *first = 0;
    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef v = n->in[s].ref;
        absent |= v == 0;
        if (!v || sn_kind(a->g, v) != a->kind)
            continue;
        if (*first && !a->alike(a->g, *first, SN_NODE(v)))
            return a->differ;
        *first = SN_NODE(v);
        if (read_elsewhere(a, &n->in[s], SN_NODE(v)))
            return sn_format(a->g->arena, "another node reads the %s",
                             sn_desc(a->kind)->name);
    }
    return *first && absent ? "an operand is missing" : NULL;
}

bool
sn_above_declined(const SnAbove *a, SnRewriter *rw, uint16_t rule,
                  const char *why)
{
    const SnNode *n = sn_node(a->g, a->id);

    for (uint32_t s = 0; s < n->nin && sn_records_declined(rw); s++)
        if (n->in[s].ref && sn_kind(a->g, n->in[s].ref) == a->kind)
            sn_declined(rw, rule, a->g, SN_NODE(n->in[s].ref),
                        "sink below %s: %s",
                        sn_label(a->g, a->id, sn_scratch(rw)), why);
    return false;
}
