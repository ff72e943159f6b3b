// SPDX-License-Identifier: Apache-2.0
/* Proofs, one path after the other. */
#include "dsl/prove/index/index.h"

#include "dsl/prove/index/side.h"

/* At the arbitrary axis, and at its places under permutations. */
static void
touch_all(SnIndex *cx, const SnIndexNode *n)
{
    bool fit = sn_index_one_class(cx) && n->in[0] && n->in[0]->each;
    SnAxis any = sn_axis_of(cx, n->out);

    for (unsigned i = 0; i < n->map->nparam; i++)
        fit |= sn_index_one_class(cx) && sn_index_joins(n, i);
    sn_index_touch(cx, n, any);
    if (sn_index_is_flat(n->map) && n->in[0])
        sn_index_touch(cx, n, sn_axis_of(cx, n->in[0]));
    for (uint32_t g = 0; g < cx->ngen && fit; g++) {
        sn_index_touch(cx, n, sn_axis_apply(cx, any, (int)g + 1));
        sn_index_touch(cx, n, sn_axis_apply(cx, any, -(int)g - 1));
    }
}

/* A new path, with the facts about the left side's numbers; returns the
 * considered place. */
static const SnIndexPlace *
begin(SnIndex *cx)
{
    SnIndexPlace *root = SN_NEW(cx->a, SnIndexPlace);

    sn_path_begin(&cx->path);
    cx->ntap = 0;
    root->of = cx->left;
    for (uint32_t i = 0; i < cx->nnode; i++)
        sn_index_touch_numbers(cx, cx->node[i]);
    return root;
}

static void
right_is_legal(SnIndex *cx, bool lists)
{
    for (uint32_t i = 0; i < cx->nnode && !sn_path_stopped(&cx->path); i++)
        if (!cx->node[i]->left)
            sn_index_legal(cx, cx->node[i], lists);
}

/* Conditions on numbers hold for no particular axis: a scalar has none. */
static void
rule(SnIndex *cx)
{
    const SnIndexPlace *root = begin(cx);

    right_is_legal(cx, false);
    for (uint32_t i = 0; i < cx->nnode; i++)
        touch_all(cx, cx->node[i]);
    right_is_legal(cx, true);
    for (uint32_t i = 0; i < cx->nnode && !sn_path_stopped(&cx->path); i++)
        if (!cx->node[i]->left)
            sn_index_fit(cx, cx->node[i]);
    if (!sn_path_stopped(&cx->path))
        sn_index_same_shape(cx);
    if (!sn_path_stopped(&cx->path))
        sn_index_same(cx, root);
}

/* Reads without a rule for places outside never have one. */
static void
reads(SnIndex *cx)
{
    const SnIndexPlace *root = begin(cx);
    const SnIndexNode *n = cx->left->def;

    touch_all(cx, n);
    if (sn_map_stmt(n->map, SN_MS_TAPS) || sn_index_is_flat(n->map))
        sn_path_stop(&cx->path, SN_PATH_OUT, "taps, or places by their number");
    for (unsigned i = 0; i < n->map->nstmt && !sn_path_stopped(&cx->path);
         i++) {
        const SnMapStmt *s = &n->map->stmt[i];
        if (s->kind != SN_MS_READ || s->els != SN_ME_NONE)
            continue;
        SnIndexPlace *p = sn_index_read(cx, n, s, 0, root, NULL);
        p->inside = false;
        if (!sn_path_stopped(&cx->path) &&
            !sn_index_inside(cx, p, sn_axis_of(cx, p->of)))
            sn_path_stop(&cx->path, SN_PATH_FAIL, "an element outside '%s'",
                         p->of->name);
    }
}

static SnIndexVerdict
every_path(SnIndex *cx, bool ready, void (*walk)(SnIndex *cx))
{
    SnIndexVerdict r = {.proved = ready};

    while (r.proved) {
        walk(cx);
        r.npath++;
        if (cx->path.P.over)
            sn_path_stop(&cx->path, SN_PATH_OUT, "numbers that are too large");
        if (cx->path.stop >= SN_PATH_FAIL || cx->path.P.over ||
            r.npath == SN_PATH_NPATH)
            r.proved = false;
        else if (!sn_path_next(&cx->path))
            break;
    }
    r.nfarkas = cx->path.F.nfarkas;
    if (r.proved)
        r.certificate = sn_path_certificate(&cx->path, cx->pv->a);
    r.reached = cx->path.stop == SN_PATH_FAIL;
    r.why = r.proved ? ""
                     : sn_strdup(cx->pv->a,
                                 cx->path.why ? cx->path.why : "too large");
    sn_prove_scratch_back(cx->pv);
    return r;
}

static SnIndex *
new_proof(SnProver *pv, const SnInstance *pr)
{
    SnArena *a = sn_prove_scratch(pv);
    SnIndex *cx = SN_NEW(a, SnIndex);

    cx->pv = pv;
    cx->pr = pr;
    cx->a = a;
    sn_path_init(&cx->path, pv, a);
    return cx;
}

SnIndexVerdict
sn_index_prove(SnProver *pv, const SnInstance *pr)
{
    if (sn_index_regroups(pr))
        return (SnIndexVerdict){.proved = true,
                                .why = "",
                                .npath = 1,
                                .certificate = ". lemma regroups\n"};
    SnIndex *cx = new_proof(pv, pr);

    return every_path(cx, sn_index_sides(cx), rule);
}

SnIndexVerdict
sn_index_reads(SnProver *pv, const SnDefNode *n)
{
    SnInstance none = {.node = n};
    SnIndex *cx = new_proof(pv, &none);

    return every_path(cx, sn_index_alone(cx, n), reads);
}
