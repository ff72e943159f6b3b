// SPDX-License-Identifier: Apache-2.0
/* Backends: what they can do, keep, and hook. */
#include <string.h>
#include "dsl/model/arith.h"
#include "dsl/resolve/resolver.h"

static const char *
word_of(SnResolver *rs, const SnDefCap *c, const char *const *word, uint32_t n)
{
    SnCands v = sn_cands(rs);

    uint32_t at = c->e->ek == SN_E_NAME ? sn_name_at(word, n, c->e->s) : n;

    if (at < n)
        return word[at];
    for (uint32_t i = 0; i < n; i++)
        sn_cands_add(&v, word[i], NULL);
    sn_resolve_unknown(rs, c->e->pos, c->name, sn_expr_str(rs->a, c->e), NULL,
                       &v);
    return NULL;
}

/* supports all(q8, f32) */
static void
supports(SnResolver *rs, SnDefBackend *b, const SnDefCap *c)
{
    if (c->e->ek != SN_E_CALL || c->e->fn != SN_FN_ALL || !c->e->nkid) {
        sn_error(rs->d, c->e->pos, "SN104",
                 "'%s' does not say which types %s supports",
                 sn_expr_str(rs->a, c->e), b->name);
        sn_diag_help(rs->d, "supports all(q8, f32);");
        return;
    }
    for (uint32_t i = 0; i < c->e->nkid; i++) {
        const SnExpr *e = c->e->kid[i];
        const SnDefType *t =
            e->ek == SN_E_NAME ? sn_resolve_type(rs, e->pos, e->s) : NULL;
        if (e->ek != SN_E_NAME)
            sn_error(rs->d, e->pos, "SN104", "'%s' is not a type",
                     sn_expr_str(rs->a, e));
        for (uint32_t j = 0; t && j < t->nconc; j++)
            SN_PUSH(rs->a, b->support, b->nsupport, t->conc[j]);
    }
}

static void
enable_one(SnResolver *rs, SnDefBackend *b, const SnExpr *e)
{
    const char **cand = NULL;
    uint32_t n = 0;

    if (e->ek != SN_E_STR) {
        sn_error(rs->d, e->pos, "SN104",
                 "enable takes the names of opt-in rules, strings");
        sn_diag_help(rs->d, "enable \"quantized-io\";");
        return;
    }
    for (uint32_t p = 0; p < rs->defs->npass; p++)
        for (uint32_t i = 0; i < rs->defs->pass[p]->nrule; i++) {
            const char *name = rs->defs->pass[p]->rule[i]->optin;
            if (!name)
                continue;
            if (!strcmp(name, e->s)) {
                SN_PUSH(rs->a, b->enable, b->nenable, name);
                return;
            }
            SN_PUSH(rs->a, cand, n, name);
        }
    const char *near = n ? sn_closest(e->s, cand, n) : NULL;
    sn_error(rs->d, e->pos, "SN602",
             near ? "no rule has optin \"%s\"; did you mean \"%s\"?"
                  : "no rule has optin \"%s\"",
             e->s, near);
}

static void
enable(SnResolver *rs, SnDefBackend *b, const SnExpr *e)
{
    if (e->ek != SN_E_LIST) {
        enable_one(rs, b, e);
        return;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        enable_one(rs, b, e->kid[i]);
}

/* arithmetic NAME: a block. */
static void
arithmetic(SnResolver *rs, SnDefBackend *b, const SnDefCap *c)
{
    SnDefs *s = rs->defs;
    const char *name = c->e->ek == SN_E_NAME ? c->e->s : "";
    uint32_t at = sn_named_at(s->arith, s->narith, name);
    SnCands v = sn_cands(rs);

    if (at < s->narith) {
        b->rounding = s->arith[at]->number;
        return;
    }
    if (sn_name_same(name, "float")) /* even if nothing declares it */
        return;
    if (s->narith == 0)
        sn_cands_add(&v, "float", NULL);
    for (uint32_t i = 0; i < s->narith; i++)
        sn_cands_add(&v, s->arith[i]->name, &s->arith[i]->pos);
    sn_resolve_unknown(rs, c->e->pos, c->name, sn_expr_str(rs->a, c->e), NULL,
                       &v);
}

static void
cap(SnResolver *rs, SnDefBackend *b, const SnDefCap *c)
{
    enum { SUPPORTS, ROUNDING, ARITHMETIC, KERNELS, FALLBACK, ENABLE, NCAP };
    static const char *const name[] = {"supports", "rounding", "arithmetic",
                                       "kernels",  "fallback", "enable"};
    static const char *const fallback[] = {"reference", "kernels"};
    const char *word;
    SnCands v = sn_cands(rs);

    switch (sn_name_at(name, NCAP, c->name)) {
    case SUPPORTS:
        supports(rs, b, c);
        return;
    case ROUNDING:
    case ARITHMETIC:
        arithmetic(rs, b, c);
        return;
    case FALLBACK:
        word = word_of(rs, c, fallback, 2);
        b->fallback_reference = word != NULL;
        b->fallback_kernels = word && sn_name_same(word, fallback[1]);
        return;
    case KERNELS:
        if (c->e->ek == SN_E_STR)
            b->kernels_h = c->e->s;
        else
            sn_error(rs->d, c->e->pos, "SN104",
                     "kernels takes the name of a header, a string");
        return;
    case ENABLE:
        enable(rs, b, c->e);
        return;
    default:
        for (size_t i = 0; i < NCAP; i++)
            sn_cands_add(&v, name[i], NULL);
        sn_resolve_unknown(rs, c->pos, "capability", c->name, b->name, &v);
    }
}

static void
keeps(SnResolver *rs, SnDefBackend *b)
{
    for (uint32_t i = 0; i < b->nkeep; i++) {
        const SnDefNode *n = sn_resolve_node(rs, b->keep_pos[i], b->keep[i]);
        uint32_t was = sn_name_at(b->keep, i, b->keep[i]);
        if (was < i)
            sn_resolve_twice(rs, b->keep_pos[i], "keep", b->keep[i],
                             b->keep_pos[was]);
        if (!b->keep_when[i] || sn_resolve_bad(rs, n))
            continue;
        SnScope sc = {.rs = rs, .kind = SN_SC_ATTR, .node = n};
        sn_resolve_cond(&sc, b->keep_when[i], "a condition");
    }
}

static void
hooks(SnResolver *rs, SnDefBackend *b)
{
    SnCands v = sn_cands(rs);

    sn_cands_add(&v, sn_words[SN_W_LOWER], NULL);
    for (uint32_t i = 0; i < b->nhook; i++)
        if (sn_word_named(b->hook[i]) != SN_W_LOWER)
            sn_resolve_unknown(rs, b->pos, "hook", b->hook[i], b->name, &v);
}

/* A node's kernels of one backend are in one place. */
static void
kernels(SnResolver *rs, SnDefBackend *b)
{
    for (uint32_t i = 0; i < b->nkernels; i++) {
        SnDefKernelsOf *o = b->kernels[i];
        const SnDefNode *n = sn_resolve_node(rs, o->pos, o->name);
        uint32_t was = sn_named_at(b->kernels, i, o->name);
        if (was < i) {
            sn_resolve_twice(rs, o->pos, "kernels of", o->name,
                             b->kernels[was]->pos);
            n = NULL;
        }
        if (n && n->backend == b && n->nkernel) {
            sn_resolve_twice(rs, o->pos, "kernels of", o->name,
                             n->kernel[0]->pos);
            n = NULL;
        }
        if (sn_resolve_bad(rs, n))
            continue;
        o->node = n;
        sn_resolve_kernels(rs, n, o->kernel, o->nkernel);
    }
}

/* ---- nodes that rules of a backend may make (SN601), notes (SN702) ---- */

static bool
supported(const SnDefBackend *b, SnDefConc c)
{
    bool ok = !sn_conc_quant(c) && c.elem != SN_F32 && c.elem != SN_F16;

    for (uint32_t i = 0; i < b->nsupport && !ok; i++)
        ok = b->support[i].elem == c.elem &&
             (c.axis < 0 || b->support[i].axis >= 0);
    return ok || c.elem == SN_ABSENT;
}

/* Is there a tuple of n with result 0 of type want (NULL: any) that b runs?
 * Pinned operands follow those that pin them. */
static bool
runs(const SnDefBackend *b, const SnDefNode *n, const SnDefType *want)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        const SnDefTuple *t = &n->tuple[i];
        bool ok = n->nout == 0 || !want;
        for (uint32_t k = 0; want && n->nout && k < want->nconc; k++)
            ok |= sn_conc_equal(want->conc[k], t->out[0]);
        for (uint32_t k = 0; k < n->nin; k++)
            ok &= n->in[k]->fact == SN_PIN || supported(b, t->in[k]);
        for (uint32_t k = 0; k < n->nout; k++)
            ok &= supported(b, t->out[k]);
        if (ok)
            return true;
    }
    return n->ntuple == 0 || n->rsem[0]->cls == SN_C_CONVERT;
}

/* The first node of t that b cannot run, or NULL.  Conversions between floats
 * and codes are at a backend's border, and its caller does them. */
static const SnTerm *
not_run(const SnDefBackend *b, const SnTerm *t, const SnDefType **type)
{
    *type = t->type && t->type->rk == SN_R_TYPE ? t->type->ref : NULL;
    if (t->tk == SN_T_CALL && t->node && !runs(b, t->node, *type))
        return t;
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnTerm *bad = not_run(b, t->arg[i], type);
        if (bad)
            return bad;
    }
    return NULL;
}

static void
makes_supported(SnResolver *rs, const SnDefRule *r)
{
    const SnDefType *type = NULL;
    const SnTerm *t = r->rhs ? not_run(r->backend, r->rhs, &type) : NULL;

    if (t)
        sn_error(rs->d, t->pos, "SN601",
                 "rule '%s' produces %s%s%s, which backend %s does not support",
                 r->name, t->node->name, type ? " on " : "",
                 type ? type->name : "", r->backend->name);
    for (uint32_t i = 0; i < r->nmakes; i++) {
        const SnDefNode *n = sn_def_node(rs->defs, r->makes[i]);
        if (!sn_resolve_bad(rs, n) && !runs(r->backend, n, NULL))
            sn_error(rs->d, r->makes_pos[i], "SN601",
                     "rule '%s' produces %s, which backend %s does not "
                     "support",
                     r->name, n->name, r->backend->name);
    }
}

static void
not_in_plugin(SnResolver *rs, SnPos at, const char *what, const char *name)
{
    sn_error(rs->d, at, "SN704", "a plugin cannot declare %s '%s'", what, name);
    sn_diag_help(rs->d, "rules at top level form the backend's own pass");
}

/* A plugin adds one backend and its parts. */
void
sn_resolve_plugin(SnResolver *rs)
{
    SnDefs *f = rs->defs;

    if (!f->is_plugin)
        return;
    for (uint32_t i = f->core_npass; i < f->npass; i++)
        if (!f->pass[i]->backend)
            not_in_plugin(rs, f->pass[i]->pos, "pass", f->pass[i]->name);
    for (uint32_t i = f->core_npipeline; i < f->npipeline; i++)
        not_in_plugin(rs, f->pipeline[i]->pos, "pipeline",
                      f->pipeline[i]->name);
    for (uint32_t i = f->core_nclass; i < f->nclass; i++)
        not_in_plugin(rs, f->cls[i]->pos, "class", f->cls[i]->name);
    for (uint32_t i = 0; i < f->npass; i++)
        for (uint32_t k = 0; i >= f->core_npass && k < f->pass[i]->ntest; k++)
            not_in_plugin(rs, f->pass[i]->test[k]->pos, "test",
                          f->pass[i]->test[k]->name);
    for (uint32_t i = f->core_ntest; i < f->ntest; i++)
        not_in_plugin(rs, f->test[i]->pos, "test", f->test[i]->name);
    if (f->nbackend == f->core_nbackend + 1) {
        f->plugin = f->backend[f->nbackend - 1];
        return;
    }
    SnPos at =
        f->nsrc ? (SnPos){f->src[f->nsrc - 1], 1, 1, 1} : (SnPos){.src = NULL};
    sn_error(rs->d,
             f->nbackend > f->core_nbackend ? f->backend[f->nbackend - 1]->pos
                                            : at,
             "SN705", "a plugin declares one backend, not %u",
             f->nbackend - f->core_nbackend);
}

void
sn_resolve_backends_made(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nrule; i++) {
        const SnDefRule *r = rs->defs->rule[i];
        if (r->backend && r->backend->nsupport)
            makes_supported(rs, r);
    }
    for (uint32_t i = 0; i < rs->defs->nnode; i++) {
        const SnDefNode *n = rs->defs->node[i];
        if (n->backend && !sn_resolve_bad(rs, n) && n->nout &&
            n->rsem[0]->cls == SN_C_OPAQUE)
            sn_note(rs->d, n->pos, "SN702",
                    "node %s joins no derived family (opaque): Rescales will "
                    "stop here",
                    n->name);
    }
}

void
sn_resolve_backends(SnResolver *rs)
{
    for (uint32_t i = 0; i < rs->defs->nbackend; i++) {
        SnDefBackend *b = rs->defs->backend[i];
        uint32_t was = sn_named_at(rs->defs->backend, i, b->name);
        if (was < i)
            sn_resolve_twice(rs, b->pos, "backend", b->name,
                             rs->defs->backend[was]->pos);
        for (uint32_t j = 0; j < b->ncap; j++) {
            was = sn_entry_at(b->cap, j, sizeof *b->cap, b->cap[j].name);
            if (was < j)
                sn_resolve_twice(rs, b->cap[j].pos, "capability",
                                 b->cap[j].name, b->cap[was].pos);
            cap(rs, b, &b->cap[j]);
        }
        keeps(rs, b);
        hooks(rs, b);
        kernels(rs, b);
    }
}
