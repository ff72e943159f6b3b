// SPDX-License-Identifier: Apache-2.0
#include "quant/quantize.h"

#include <stdlib.h>
#include <string.h>

/* A node that computes: not storage, not a conversion. */
static bool
computes(const SnNode *n)
{
    const SnKindDesc *d = sn_desc(n->kind);

    return !n->dead && n->nin > 0 && n->nres > 0 && !d->effect &&
           d->sem[0].cls != SN_C_CONVERT && d->sem[0].cls != SN_C_SOURCE;
}

/* Nodes that place left float, found by id and, as rewrites make a node anew
 * and hand on its name, by label. */
typedef struct Left {
    const SnPlace *p;
    const SnFloatNode **by_id;   /* [nnode] */
    const SnFloatNode **by_name; /* [p->nfloat], sorted */
} Left;

static int
by_label(const void *x, const void *y)
{
    return strcmp((*(const SnFloatNode *const *)x)->name,
                  (*(const SnFloatNode *const *)y)->name);
}

static Left
index_left(SnArena *a, const SnGraph *g, const SnPlace *p)
{
    Left l = {p, SN_NEW_N(a, const SnFloatNode *, g->nnode),
              SN_NEW_N(a, const SnFloatNode *, p->nfloat + 1u)};

    for (uint32_t i = 0; i < p->nfloat; i++) {
        l.by_id[p->left_float[i].id] = &p->left_float[i];
        l.by_name[i] = &p->left_float[i];
    }
    qsort(l.by_name, p->nfloat, sizeof *l.by_name, by_label);
    return l;
}

/* Does the kind or a form of it have a tuple of codes? */
static bool
has_codes(const SnGraph *g, SnKind kind)
{
    for (SnKind k = 1; k < sn_kind_end(); k++) {
        const SnKindDesc *d = sn_desc_in(g, k);
        for (uint16_t i = 0; i < d->ntuple; i++)
            if ((k == kind || d->form_of == (int32_t)kind) && d->tuple[i].quant)
                return true;
    }
    return false;
}

/* place and integerize both say why they leave a node; a node that neither
 * has seen was made later. */
static const char *
float_reason(SnArena *a, const SnGraph *g, const SnRewriter *rw, const Left *l,
             SnId id)
{
    SnFloatNode key = {.name = sn_label(g, id, a)};
    const SnFloatNode *k = &key, **at = NULL;
    const char *why = sn_declined_float(rw, id);

    if (l->by_id[id])
        return l->by_id[id]->why;
    if (l->p->nfloat)
        at =
            bsearch(&k, l->by_name, l->p->nfloat, sizeof *l->by_name, by_label);
    if (at)
        return (*at)->why;
    if (why)
        return sn_strdup(a, why);
    return has_codes(g, sn_node(g, id)->kind)
               ? "a rewrite made it as a float node, after quantization"
               : "it has no int8 form";
}

/* A sum over a fused table decodes what it reads: codes in, reals out. */
static bool
reads_rows(const SnGraph *g, const SnNode *n)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (n->in[i].ref && sn_type(g, n->in[i].ref)->elem == SN_ROW8)
            return true;
    return false;
}

static void
count_nodes(SnArena *a, const SnGraph *g, const SnRewriter *rw,
            SnQuantReport *r)
{
    uint32_t n;
    SnId *topo = sn_topo(g, a, &n);
    Left left = index_left(a, g, &r->place);

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        if (!computes(node))
            continue;
        bool rows = reads_rows(g, node);
        if (sn_elem_quant(node->res[0].type->elem) || rows)
            r->nquant++;
        r->nquant16 += node->res[0].type->elem == SN_QI16;
        if (node->res[0].type->elem != SN_F32 || rows)
            continue;
        SnFloatNode f = {topo[i], sn_label(g, topo[i], a),
                         float_reason(a, g, rw, &left, topo[i])};
        SN_PUSH(a, r->left_float, r->nfloat, f);
    }
}

/* Everything between the most Rescales ever accounted for and those left was
 * removed by something. */
static void
count_rescales(const SnGraph *g, const SnRewriter *rw, uint32_t created,
               SnQuantReport *r)
{
    r->left = sn_count_rescales(g);
    r->sunk = sn_family_count(rw, SN_FAM_SINK);
    r->absorbed = sn_family_count(rw, SN_FAM_ABSORB);
    r->merged = sn_family_count(rw, SN_FAM_MERGE);
    uint32_t seen = r->left + r->absorbed + r->merged;
    r->inserted = seen > created ? seen : created;
    r->other = r->inserted - seen;
}

static const SnPipelineDesc *
the_pipeline(void)
{
    const SnPipelineDesc *p = sn_pipeline_named("quantize");

    if (!p)
        sn_bug("passes.def declares no pipeline 'quantize'");
    return p;
}

SnStatus
sn_quant_placed(SnArena *a, const SnGraph *g, const SnRewriteOpts *o, SnDiag *d,
                SnGraph **out)
{
    SnGraph *f = sn_graph_clone(g, a);
    SnRewriteOpts quiet = *o;

    quiet.trace = quiet.time_passes = false;
    quiet.print_after = NULL;
    SnRewriter *rw = sn_rewriter_new(a, &quiet, d);
    const char *const *p = the_pipeline()->pass;
    for (; *p && strcmp(*p, "place") != 0; p++)
        SN_TRY(sn_rewrite(rw, f, *p));
    *out = f;
    return SN_OK;
}

SnStatus
sn_quantize_graph(SnArena *a, SnGraph *g, const SnProfile *p,
                  const SnQuantOpts *o, SnRewriter **rwp, SnDiag *d,
                  SnQuantReport *out)
{
    const SnPipelineDesc *pipe = the_pipeline();
    SnRewriteOpts ro = o->rewrite;
    uint32_t created = 0;

    memset(out, 0, sizeof *out);
    out->place.profile = p;
    out->place.control = o->control;
    out->place.unify = o->unify;
    out->place.channelwise = o->channelwise;
    out->place.rowwise = o->rowwise;
    out->place.arena = a;
    ro.place = sn_place;
    ro.place_ctx = &out->place;
    SnRewriter *rw = sn_rewriter_new(a, &ro, d);
    *rwp = rw;
    sn_record_declined(rw, true);
    for (const char *const *pass = pipe->pass; *pass; pass++) {
        uint32_t before = sn_count_rescales(g);
        uint32_t gone = sn_family_count(rw, SN_FAM_ABSORB) +
                        sn_family_count(rw, SN_FAM_MERGE);
        SN_TRY(sn_rewrite(rw, g, *pass));
        gone = sn_family_count(rw, SN_FAM_ABSORB) +
               sn_family_count(rw, SN_FAM_MERGE) - gone;
        uint32_t after = sn_count_rescales(g) + gone;
        if (after > before)
            created += after - before;
    }
    sn_record_declined(rw, false);
    /* Last: what moves a bias to another grid needs all of its bits. */
    if (o->bias8)
        out->bias8 = sn_bias8(g, a);
    count_rescales(g, rw, created, out);
    count_nodes(a, g, rw, out);
    out->site = sn_sites(rw, &out->nsite);
    SnRewriteOpts quiet = ro;
    quiet.trace = quiet.time_passes = quiet.check_passes = false;
    quiet.print_after = NULL;
    quiet.opt_limit = -1;
    if (out->left)
        SN_TRY(
            sn_why_rescales(a, g, &quiet, "quant_cleanup", NULL, d, &out->why));
    return SN_OK;
}
