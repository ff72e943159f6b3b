// SPDX-License-Identifier: Apache-2.0
/* Which nodes are quantized, and the types of their values. */
#include "quant/place/place_priv.h"

#include <math.h>
#include <string.h>

#include "graph/verify/admits.h"
#include "map/facts.h"
#include "sn_maps.h"

/* ---- what descriptors say ---- */

bool
sn_place_constant(const SnPlacing *pl, SnRef r)
{
    const SnNode *n = sn_def(pl->g, r);
    const SnKindDesc *d = sn_desc_in(pl->g, n->kind);

    return n->data != NULL || (n->nin == 0 && !d->effect);
}

const SnPortDesc *
sn_place_port(const SnKindDesc *d, uint32_t nin, uint32_t slot, uint32_t *port)
{
    *port = sn_port_of_slot(d, nin, slot);
    return &d->in[*port];
}

int
sn_place_kept(const SnKindDesc *d, const SnNode *n, unsigned res)
{
    const SnSem *s = &d->sem[res];
    int slot = -1;

    if (d->out[res].fact != SN_SAME)
        return -1;
    if (s->cls != SN_C_MOVE && !(s->monotone && !s->mean))
        return -1;
    for (uint32_t i = 0; i < n->nin; i++) {
        uint32_t port;
        if (sn_place_port(d, n->nin, i, &port)->fact != SN_SAME ||
            !n->in[i].ref)
            continue;
        if (slot >= 0)
            return -1;
        slot = (int)i;
    }
    return slot;
}

/* ---- types of values ---- */

static const SnType *
type_from_profile(SnPlacing *pl, SnRef r, SnElem e)
{
    const SnHist *h = sn_profile_of(pl->p->profile, pl->g, r);
    const SnSettings *w = &pl->want[SN_NODE(r)];
    double lo, hi;

    if (!h || h->count == 0)
        return NULL;
    sn_range_choose(w->range, h, w->schema, e, &lo, &hi);
    SnParam q = sn_place_choose(pl, SN_ROLE_X, w->schema, e, lo, hi, 0);
    return sn_type_quant(pl->g->pool, e, q.scale, q.zp);
}

SnParam
sn_place_choose(const SnPlacing *pl, SnRole role, SnSchema s, SnElem e,
                double lo, double hi, double floor)
{
    SnCodeLimits l = sn_code_limits(pl->g->rounding, role, e);

    return sn_choose_within(s, &l, lo, hi, floor);
}

const SnType **
sn_place_slot(const SnPlacing *pl, SnRef r, SnElem e)
{
    return e == SN_QI16 ? &pl->type16[r] : &pl->type8[r];
}

const SnType *
sn_place_type(SnPlacing *pl, SnRef r, SnElem e)
{
    const SnType **t = sn_place_slot(pl, r, e);

    if (sn_type(pl->g, r)->elem != SN_F32)
        return NULL;
    if (!*t)
        *t = type_from_profile(pl, r, e);
    return *t;
}

SnElem
sn_place_elem(const SnPlacing *pl, SnId id)
{
    for (unsigned r = 0; r < sn_node(pl->g, id)->nres; r++)
        if (sn_elem_quant((SnElem)pl->tuple[id]->out[r].elem))
            return (SnElem)pl->tuple[id]->out[r].elem;
    return SN_QI8;
}

/* ---- which nodes are quantized ---- */

static bool
axis_asked(const SnPlacing *pl, const SnKindDesc *d)
{
    const SnMapDecl *m = d->sem[0].decl;

    if (d->sem[0].cls != SN_C_CONTRACT || !m)
        return false;
    if (sn_map_rows(m)) /* filters */
        return pl->p->channelwise;
    return m == &sn_map_decl_matmul && pl->p->rowwise;
}

static const char *
no_form(SnElem e)
{
    return e == SN_QI16 ? "it has no int16 form" : "it has no int8 form";
}

/* Why operand r cannot become a table of fused rows, or NULL. */
static const char *
table_why(SnPlacing *pl, SnRef r, const char *port)
{
    if (!pl->p->rowwise)
        return sn_format(pl->a,
                         "operand '%s' gets fused rows only where "
                         "weights have a scale per row",
                         port);
    if (!sn_place_constant(pl, r) || sn_type(pl->g, r)->elem != SN_F32 ||
        sn_shape_of(pl->g, r)->rank != 2)
        return sn_format(pl->a, "operand '%s' is not a constant table", port);
    return sn_place_const_why(pl, r);
}

/* Why operand `slot` cannot have the type of the tuple, or NULL. */
static const char *
operand_why(SnPlacing *pl, SnId id, const SnKindDesc *f, const SnTuple *t,
            uint32_t slot, SnElem e)
{
    const SnGraph *g = pl->g;
    const SnNode *n = sn_node(g, id);
    SnRef r = n->in[slot].ref;
    uint32_t port;
    const SnPortDesc *p = sn_place_port(f, n->nin, slot, &port);
    SnTypePat pat = t->in[port];

    if (!r)
        return NULL;
    if (pat.elem < 0)
        return sn_format(pl->a, "operand '%s' must be absent", p->name);
    const SnType *ty = sn_type(g, r);
    if (pat.elem == SN_ROW8 && ty->elem != SN_ROW8) {
        const char *why =
            sn_role_why(g->rounding, SN_ROLE_X, sn_type_plain(g->pool, SN_ROW8),
                        sn_format(pl->a, "operand '%s'", p->name), pl->a);
        return why ? why : table_why(pl, r, p->name);
    }
    if (!sn_elem_quant((SnElem)pat.elem))
        return ty->elem == (SnElem)pat.elem
                   ? NULL
                   : sn_format(pl->a, "operand '%s' is %s", p->name,
                               sn_elem_name(ty->elem));
    if (ty->elem != SN_F32)
        return sn_format(pl->a, "operand '%s' is %s, not f32", p->name,
                         sn_elem_name(ty->elem));
    bool constant = sn_place_constant(pl, r);
    const char *why = constant ? sn_place_const_why(pl, r) : NULL;
    if (why)
        return why;
    if (p->fact == SN_PIN)
        return constant ? NULL
                        : sn_format(pl->a, "operand '%s' is not a constant",
                                    p->name);
    if (pat.elem != (int)e && !(constant && pat.elem == SN_QI8))
        return no_form(e);
    if (pat.axis >= 0)
        return constant && axis_asked(pl, f) &&
                       pat.axis < sn_shape_of(g, r)->rank
                   ? NULL
                   : sn_format(pl->a, "operand '%s' has no scale per slice",
                               p->name);
    if (constant || sn_place_type(pl, r, e))
        return NULL;
    return sn_format(pl->a, "the profile has no range for '%s'", sn_name(g, r));
}

/* A fixed type suits any model only as long as its values fill it: the
 * probabilities of a thousand classes all round to zero on steps of 1/256. */
enum { FIXED_STEPS = 8 };

static const char *
fixed_why(SnPlacing *pl, SnRef r, const SnPortDesc *p)
{
    const SnHist *h = sn_profile_of(pl->p->profile, pl->g, r);

    if (!h || h->min > h->max)
        return NULL;
    double m = fmax(fabs((double)h->min), fabs((double)h->max));
    if (m >= FIXED_STEPS * (double)p->fixed_scale)
        return NULL;
    return sn_format(pl->a,
                     "its values stay within %.3g, less than %d steps "
                     "of its fixed type",
                     m, FIXED_STEPS);
}

static const char *
result_why(SnPlacing *pl, SnId id, const SnKindDesc *f, const SnTuple *t,
           unsigned res, SnElem e)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnType *ty = n->res[res].type;
    SnTypePat pat = t->out[res];

    if (pat.elem < 0)
        return n->res[res].nuse
                   ? sn_format(pl->a, "result '%s' is used", f->out[res].name)
                   : NULL;
    if (!sn_elem_quant((SnElem)pat.elem))
        return ty->elem == (SnElem)pat.elem ? NULL
                                            : "its result is another "
                                              "kind";
    if (pat.elem != (int)e || pat.axis >= 0 || ty->elem != SN_F32)
        return no_form(e);
    if (f->out[res].fact == SN_FIXED) {
        const SnPortDesc *p = &f->out[res];
        const SnType *fixed =
            sn_type_quant(pl->g->pool, e, p->fixed_scale, p->fixed_zp);
        const char *why = sn_role_why(pl->g->rounding, SN_ROLE_X, fixed,
                                      "its fixed type", pl->a);
        return why ? why : fixed_why(pl, SN_REF(id, res), p);
    }
    if (sn_place_kept(f, n, res) >= 0)
        return NULL;
    if (!sn_place_type(pl, SN_REF(id, res), e))
        return sn_format(pl->a, "the profile has no range for '%s'",
                         sn_name(pl->g, SN_REF(id, res)));
    return NULL;
}

/* Does the tuple hold a value with one scale per slice? */
static bool
has_axis(const SnKindDesc *f, const SnTuple *t)
{
    for (uint8_t i = 0; i < f->nin; i++)
        if (f->in[i].fact != SN_PIN && t->in[i].axis >= 0)
            return true;
    return false;
}

/* *backend: the backend alone stands against it. */
static const char *
tuple_why(SnPlacing *pl, SnId id, const SnKindDesc *f, const SnTuple *t,
          SnElem e, bool *backend)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnBackendDesc *b = sn_opts(pl->rw)->backend;
    const char *why;

    *backend = false;
    if (n->nres > f->nout)
        return no_form(e);
    if ((why = sn_no_row_why(pl->g->rounding, f->kind, pl->a)) != NULL)
        return why;
    for (uint32_t i = 0; i < n->nin; i++)
        if ((why = operand_why(pl, id, f, t, i, e)))
            return why;
    for (unsigned r = 0; r < n->nres; r++)
        if ((why = result_why(pl, id, f, t, r, e)))
            return why;
    *backend = has_axis(f, t) &&
               sn_arith_at(pl->g->rounding)->pairs.type[SN_ROLE_W].tensor;
    if (*backend)
        return sn_format(pl->a, "arithmetic %s has one scale for all weights",
                         sn_arith_at(pl->g->rounding)->name);
    *backend = b && b->supports && !b->supports(f->kind, t);
    if (*backend)
        return sn_format(pl->a, "backend %s does not run the %s form", b->name,
                         e == SN_QI16 ? "int16" : "int8");
    return NULL;
}

/* Finds the quantized tuple of node id among its kind and the forms of it;
 * per-axis ones, which fit only when asked for, come first.  *coarse is the
 * kind of one of these that only the backend does not run.  Only core kinds
 * and those of the backend in use have tuples that fit. */
static const char *
choose_tuple(SnPlacing *pl, SnId id, SnElem e, const SnKindDesc **coarse)
{
    SnKind kind = sn_node(pl->g, id)->kind;
    const SnBackendDesc *b = sn_opts(pl->rw)->backend;
    const char *why = NULL;
    bool backend;

    *coarse = NULL;
    for (int axis = 1; axis >= 0; axis--)
        for (SnKind k = 1; k < sn_kind_end(); k++) {
            const SnKindDesc *f = sn_desc_in(pl->g, k);
            if (k != kind && f->form_of != (int32_t)kind)
                continue;
            if (f->backend && (!b || strcmp(f->backend, b->name) != 0))
                continue;
            for (uint16_t i = 0; i < f->ntuple; i++) {
                const SnTuple *t = &f->tuple[i];
                if (!t->quant || has_axis(f, t) != (axis == 1))
                    continue;
                const char *w = tuple_why(pl, id, f, t, e, &backend);
                if (!w) {
                    pl->form[id] = f;
                    pl->tuple[id] = t;
                    return NULL;
                }
                if (axis == 1 && backend)
                    *coarse = f;
                if (axis == 0 && (!why || w != no_form(e)))
                    why = w;
            }
        }
    return why ? why : no_form(e);
}

static void
decide_results(SnPlacing *pl, SnId id)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *f = pl->form[id];
    SnElem e = sn_place_elem(pl, id);

    for (unsigned r = 0; r < n->nres; r++) {
        SnRef ref = SN_REF(id, r);
        const SnPortDesc *p = &f->out[r];
        if (!sn_elem_quant((SnElem)pl->tuple[id]->out[r].elem))
            continue;
        int kept = sn_place_kept(f, n, r);
        if (p->fact == SN_FIXED)
            *sn_place_slot(pl, ref, e) =
                sn_type_quant(pl->g->pool, e, p->fixed_scale, p->fixed_zp);
        else if (kept >= 0 && !sn_place_constant(pl, n->in[kept].ref))
            *sn_place_slot(pl, ref, e) = sn_place_type(pl, n->in[kept].ref, e);
        else
            sn_place_type(pl, ref, e);
    }
}

/* Nodes that compute something from f32 operands to f32 results. */
static bool
is_candidate(const SnPlacing *pl, SnId id)
{
    const SnNode *n = sn_node(pl->g, id);
    const SnKindDesc *d = sn_desc_in(pl->g, n->kind);

    if (n->nin == 0 || n->nres == 0 || d->effect ||
        d->sem[0].cls == SN_C_CONVERT || d->sem[0].cls == SN_C_SOURCE)
        return false;
    for (unsigned r = 0; r < n->nres; r++)
        if (n->res[r].type->elem == SN_F32)
            return true;
    return false;
}

static void
push_node(SnPlacing *pl, SnFloatNode **v, uint32_t *n, SnId id, const char *why)
{
    SnFloatNode f = {id, sn_label(pl->g, id, pl->p->arena),
                     sn_strdup(pl->p->arena, why)};

    SN_PUSH(pl->p->arena, *v, *n, f);
}

/* A node that got its tuple has one scale for its weights because the backend
 * does not run `kind`, the form with one per slice. */
static void
note_coarse(SnPlacing *pl, SnId id, const SnKindDesc *kind)
{
    if (kind && !has_axis(pl->form[id], pl->tuple[id]))
        push_node(pl, &pl->p->coarse, &pl->p->ncoarse, id,
                  sn_arith_at(pl->g->rounding)->pairs.type[SN_ROLE_W].tensor
                      ? sn_format(pl->a, "arithmetic %s has one scale for all",
                                  sn_arith_at(pl->g->rounding)->name)
                      : sn_format(pl->a, "backend %s does not run %s",
                                  sn_opts(pl->rw)->backend->name, kind->name));
}

/* Why node id stays float, or NULL when it has its tuple. */
static const char *
choose(SnPlacing *pl, SnId id)
{
    const char *option = NULL, *why = NULL;
    const SnKindDesc *coarse;

    if (pl->want[id].precision == SN_FLOAT) {
        sn_settings_of(&pl->p->control, pl->g, id, &option);
        return sn_format(pl->a, "%s asks for it",
                         option ? option : "--precision");
    }
    if (pl->want[id].precision == SN_INT16) {
        why = choose_tuple(pl, id, SN_QI16, &coarse);
        if (!why) {
            note_coarse(pl, id, coarse);
            return NULL;
        }
    }
    const char *why8 = choose_tuple(pl, id, SN_QI8, &coarse);
    if (!why8 && why)
        push_node(pl, &pl->p->narrow, &pl->p->nnarrow, id, why);
    if (!why8)
        note_coarse(pl, id, coarse);
    return why8;
}

static void
leave(SnPlacing *pl, SnId id, const char *why)
{
    pl->tuple[id] = NULL;
    push_node(pl, &pl->p->left_float, &pl->p->nfloat, id, why);
    sn_node(pl->g, id)->stays_float = true;
}

static void
decide(SnPlacing *pl, SnId id)
{
    if (!is_candidate(pl, id))
        return;
    const char *why = choose(pl, id);
    if (why) {
        leave(pl, id, why);
        return;
    }
    decide_results(pl, id);
    SnElem e = sn_place_elem(pl, id);
    for (unsigned r = 0; r < sn_node(pl->g, id)->nres; r++) {
        SnTypePat pat = pl->tuple[id]->out[r];
        if (!sn_elem_quant((SnElem)pat.elem) ||
            *sn_place_slot(pl, SN_REF(id, r), e))
            continue;
        leave(pl, id,
              sn_format(pl->a,
                        "there is no type of 8 or 16 bits for "
                        "its result '%s'",
                        sn_name(pl->g, SN_REF(id, r))));
        return;
    }
}

void
sn_place_decide(SnPlacing *pl, const SnId *topo, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        decide(pl, topo[i]);
}
