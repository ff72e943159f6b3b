/* Backends: what they can do, keep, and hook. */
#include <string.h>
#include "dsl/resolve.h"

static const char *
word_of(SnRs *rs, const SnDefCap *c, const char *const *word, size_t n)
{
    SnCands v = sn_cands(rs);

    for (size_t i = 0; i < n; i++) {
        sn_cands_add(&v, word[i], NULL);
        if (c->e->ek == SN_E_NAME && !strcmp(c->e->s, word[i]))
            return word[i];
    }
    sn_rs_unknown(rs, c->e->pos, c->name, sn_expr_str(rs->a, c->e), NULL, &v);
    return NULL;
}

/* supports all(q8, f32) */
static void
supports(SnRs *rs, SnDefBackend *b, const SnDefCap *c)
{
    if (c->e->ek != SN_E_CALL || strcmp(c->e->s, "all") || !c->e->nkid) {
        sn_error(rs->d, c->e->pos, "SN104",
                 "'%s' does not say which types %s supports",
                 sn_expr_str(rs->a, c->e), b->name);
        sn_diag_help(rs->d, "supports all(q8, f32);");
        return;
    }
    for (uint32_t i = 0; i < c->e->nkid; i++) {
        const SnExpr *e = c->e->kid[i];
        const SnDefType *t =
            e->ek == SN_E_NAME ? sn_rs_type(rs, e->pos, e->s) : NULL;
        if (e->ek != SN_E_NAME)
            sn_error(rs->d, e->pos, "SN104", "'%s' is not a type",
                     sn_expr_str(rs->a, e));
        for (uint32_t j = 0; t && j < t->nconc; j++)
            SN_PUSH(rs->a, b->support, b->nsupport, t->conc[j]);
    }
}

static void
cap(SnRs *rs, SnDefBackend *b, const SnDefCap *c)
{
    static const char *const name[] = {"supports", "rounding", "kernels",
                                       "fallback"};
    static const char *const rounding[] = {"float", "double", "single"};
    static const char *const fallback[] = {"reference"};
    SnCands v = sn_cands(rs);

    if (!strcmp(c->name, "supports")) {
        supports(rs, b, c);
    } else if (!strcmp(c->name, "rounding")) {
        b->rounding = word_of(rs, c, rounding, 3);
    } else if (!strcmp(c->name, "fallback")) {
        b->fallback_reference = word_of(rs, c, fallback, 1) != NULL;
    } else if (!strcmp(c->name, "kernels")) {
        if (c->e->ek == SN_E_STR)
            b->kernels_h = c->e->s;
        else
            sn_error(rs->d, c->e->pos, "SN104",
                     "kernels takes the name of a header, a string");
    } else {
        for (size_t i = 0; i < 4; i++)
            sn_cands_add(&v, name[i], NULL);
        sn_rs_unknown(rs, c->pos, "capability", c->name, b->name, &v);
    }
}

static void
keeps(SnRs *rs, SnDefBackend *b)
{
    for (uint32_t i = 0; i < b->nkeep; i++) {
        const SnDefNode *n = sn_rs_node(rs, b->keep_pos[i], b->keep[i]);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(b->keep[i], b->keep[j]))
                sn_rs_twice(rs, b->keep_pos[i], "keep", b->keep[i],
                            b->keep_pos[j]);
        if (!b->keep_when[i] || sn_rs_bad(rs, n))
            continue;
        SnScope sc = {.rs = rs, .kind = SN_SC_ATTR, .node = n};
        sn_rs_cond(&sc, b->keep_when[i], "a condition");
    }
}

static void
hooks(SnRs *rs, SnDefBackend *b)
{
    SnCands v = sn_cands(rs);

    sn_cands_add(&v, "lower", NULL);
    for (uint32_t i = 0; i < b->nhook; i++)
        if (strcmp(b->hook[i], "lower"))
            sn_rs_unknown(rs, b->pos, "hook", b->hook[i], b->name, &v);
}

/* A node's kernels of one backend are in one place. */
static void
kernels(SnRs *rs, SnDefBackend *b)
{
    for (uint32_t i = 0; i < b->nkernels; i++) {
        SnDefKernelsOf *o = b->kernels[i];
        const SnDefNode *n = sn_rs_node(rs, o->pos, o->name);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(o->name, b->kernels[j]->name)) {
                sn_rs_twice(rs, o->pos, "kernels of", o->name,
                            b->kernels[j]->pos);
                n = NULL;
                break;
            }
        if (n && n->backend == b && n->nkernel) {
            sn_rs_twice(rs, o->pos, "kernels of", o->name, n->kernel[0]->pos);
            n = NULL;
        }
        if (sn_rs_bad(rs, n))
            continue;
        o->node = n;
        sn_rs_kernels(rs, n, o->kernel, o->nkernel);
    }
}

void
sn_rs_backends(SnRs *rs)
{
    for (uint32_t i = 0; i < rs->defs->nbackend; i++) {
        SnDefBackend *b = rs->defs->backend[i];
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(b->name, rs->defs->backend[j]->name))
                sn_rs_twice(rs, b->pos, "backend", b->name,
                            rs->defs->backend[j]->pos);
        for (uint32_t j = 0; j < b->ncap; j++) {
            for (uint32_t k = 0; k < j; k++)
                if (!strcmp(b->cap[j].name, b->cap[k].name)) {
                    sn_rs_twice(rs, b->cap[j].pos, "capability", b->cap[j].name,
                                b->cap[k].pos);
                    break;
                }
            cap(rs, b, &b->cap[j]);
        }
        keeps(rs, b);
        hooks(rs, b);
        kernels(rs, b);
    }
}
