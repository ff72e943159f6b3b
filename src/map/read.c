// SPDX-License-Identifier: Apache-2.0
/* What a result reads: places as variables, indices as terms over them. */
#include <string.h>

#include "map/mapping_priv.h"

/* ---- variables ---- */

static SnMapNum
add_var(SnMapping *u, bool tap, unsigned axis, int64_t step, SnMapNum bound)
{
    unsigned v = u->nvar;

    if (sn_num_is(bound, 1) || sn_num_is(bound, 0))
        return sn_num(0);
    if (v == SN_MAP_EACH)
        return sn_num_undefined();
    u->var[u->nvar++] = (SnMapVar){tap, (uint8_t)axis, step, bound};
    return sn_term_var(&u->T, v,
                       bound.t == SN_NUM_INT ? bound.v - 1 : SN_MAP_FAR);
}

/* A place below bound, in the parts that splits name: the slowest first. */
static SnMapNum
add_place(SnMapping *u, bool tap, unsigned axis, SnMapNum bound)
{
    int64_t cut[SN_MAP_NVAR], n = 0, top = bound.v;
    SnMapNum r = sn_num(0);

    for (uint32_t i = 0; i < u->nsplit && bound.t == SN_NUM_INT; i++)
        if (u->split[i].tap == tap && u->split[i].axis == axis &&
            n < SN_MAP_NVAR - 1)
            cut[n++] = u->split[i].by; /* descending, each divides the last */
    cut[n++] = 1;
    for (int64_t i = 0; i < n; i++) {
        SnMapNum b = n == 1 ? bound : sn_num(top / cut[i]);
        SnMapNum x = add_var(u, tap, axis, cut[i], b);
        r = sn_term_apply(&u->T, SN_MO_ADD, r,
                          sn_term_apply(&u->T, SN_MO_MUL, x, sn_num(cut[i])));
        top = cut[i];
    }
    return r;
}

static void
bind_result(SnMapping *u, const SnMapStmt *s)
{
    unsigned axis = 0;

    for (unsigned k = 0; k < s->n; k++) {
        const SnMapBound *b = &s->bound[k];
        SnMapVal e = sn_mapping_eval(u, b->e), x;
        SnMapVal c =
            b->when < 0 ? sn_val(sn_num(1)) : sn_mapping_eval(u, b->when);
        int64_t n = e.n >= 0 ? e.n : c.n;
        x = n < 0 ? sn_val(sn_num(0)) : sn_val_list(u, n);
        for (int64_t i = 0; i < (n < 0 ? 1 : n); i++) {
            SnMapNum *at = n < 0 ? &x.one : &x.v[i];
            bool keep = sn_val_at(c, i).v != 0;
            *at = keep ? add_place(u, false, axis, sn_val_at(e, i)) : sn_num(0);
            axis += keep;
        }
        u->slot[b->slot] = x;
    }
}

static bool
bind_taps(SnMapping *u, const SnMapStmt *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        const SnMapBound *b = &s->bound[k];
        SnMapVal e = sn_mapping_eval(u, b->e);
        SnMapVal x = e.n < 0 ? sn_val(sn_num(0)) : sn_val_list(u, e.n);
        for (int64_t i = 0; i < (e.n < 0 ? 1 : e.n); i++) {
            SnMapNum n = sn_val_at(e, i);
            if (u->ntapdim == SN_MAP_RANK || n.t < SN_NUM_INT ||
                (n.t == SN_NUM_INT && n.v < 0))
                return sn_mapping_fail(u, "a set of elements is too large");
            *(e.n < 0 ? &x.one : &x.v[i]) = add_place(u, true, u->ntapdim++, n);
        }
        u->slot[b->slot] = x;
    }
    return true;
}

/* ---- places in operands ---- */

/* Of a run: its last rank axes, at 0 where the operand has 1. */
static void
place_joined(const SnMapBox *box, SnMapVal x, int first, int len, SnMapNum *at)
{
    for (int i = 0; i < len; i++)
        at[first + i] =
            box->dim[first + i] == 1 ? sn_num(0) : x.v[x.n - len + i];
}

bool
sn_mapping_place(SnMapping *u, const SnMapParam *p, const SnMapBox *box,
                 const SnMapVal *index, SnMapNum *at)
{
    int8_t len[SN_MAP_RANK];
    int first = 0;

    if (!sn_mapping_lengths(u, p, box->rank, len))
        return false;
    for (int i = 0; i < p->nitem; i++) {
        bool list =
            p->item[i].kind >= SN_MI_RUN && p->item[i].kind <= SN_MI_JOIN;
        if (list && index[i].n < len[i])
            return false;
        if (p->item[i].kind == SN_MI_JOIN)
            place_joined(box, index[i], first, len[i], at);
        else
            for (int k = 0; k < len[i]; k++)
                at[first + k] = sn_val_at(index[i], k);
        first += len[i] > 0 ? len[i] : 0;
    }
    return true;
}

SnMapNum
sn_mapping_offset(SnMapping *u, const SnMapBox *box, const SnMapNum *at)
{
    SnMapNum r = sn_num(0);

    for (int i = 0; i < box->rank; i++)
        r = sn_term_apply(
            &u->T, SN_MO_ADD,
            sn_term_apply(&u->T, SN_MO_MUL, r, sn_num(box->dim[i])), at[i]);
    return r;
}

static void
add_whens(SnMapping *u, const SnMapStmt *s, SnMapRead *r)
{
    SnMapVal w = sn_mapping_eval(u, s->when);

    for (int64_t i = 0; i < (w.n < 0 ? 1 : w.n); i++)
        if (!sn_num_is(sn_val_at(w, i), 1))
            r->when[r->nwhen++] = sn_val_at(w, i);
}

static bool
read_one(SnMapping *u, const SnMapStmt *s, uint32_t which, SnMapRead *r)
{
    const SnMapParam *p = &u->decl->param[s->param];
    SnMapVal index[SN_MAP_RANK];

    *r = (SnMapRead){.param = s->param,
                     .which = which,
                     .one_of = s->which >= 0,
                     .els = (SnMapElse)s->els,
                     .box = u->arg[s->param].box[which]};
    if (s->when >= 0)
        add_whens(u, s, r);
    for (unsigned k = 0; k < s->n && k < SN_MAP_RANK; k++)
        index[k] = sn_mapping_eval(u, s->index[k]);
    if (!sn_mapping_place(u, p, &r->box, index, r->at))
        return sn_mapping_fail(u,
                               "operand '%s' has another rank than its index",
                               u->arg[s->param].name);
    for (int i = 0; i < r->box.rank; i++) {
        int64_t lo, hi;
        bool sure = r->at[i].t == SN_NUM_INT ||
                    (r->at[i].t >= 0 && !u->T.v[r->at[i].t].partial);
        sn_num_range(&u->T, r->at[i], &lo, &hi);
        r->inside[i] = sure && lo >= 0 && hi < r->box.dim[i];
    }
    r->off = sn_mapping_offset(u, &r->box, r->at);
    return true;
}

/* The tap that says which operand of several is read. */
static SnMapNum *
which_slot(SnMapping *u, const SnMapStmt *s)
{
    const SnMapExpr *e = &u->decl->expr[s->which];

    return e->op == SN_MO_NAME ? &u->slot[e->v].one : NULL;
}

static bool
reads(SnMapping *u, const SnMapStmt *s, uint32_t *room)
{
    uint32_t n = u->arg[s->param].n;
    SnMapNum *k = s->which >= 0 ? which_slot(u, s) : NULL;
    SnMapNum was = k ? *k : sn_num(0);

    if (u->nread + n > *room) {
        SnMapRead *v = SN_NEW_N(u->a, SnMapRead, u->nread + n + 2);
        if (u->nread)
            memcpy(v, u->read, u->nread * sizeof *v);
        u->read = v;
        *room = u->nread + n + 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (k)
            *k = sn_num(i);
        if (!read_one(u, s, i, &u->read[u->nread]))
            return false;
        u->nread++;
    }
    if (k)
        *k = was;
    return true;
}

/* ---- statements ---- */

/* A condition on elements of operands, checked for each. */
static bool
require_late(SnMapping *u, const SnMapStmt *s)
{
    u->asks = true;
    SnMapNum c = sn_mapping_eval(u, s->e).one;
    u->asks = false;
    int64_t x[SN_MAP_NVAR] = {0}, n = 1;

    if (c.t < 0)
        return sn_num_is(c, 1) || sn_mapping_refuse(u, s, 0);
    if (u->open) {
        if (u->nlate == sizeof u->late / sizeof *u->late)
            return sn_mapping_fail(u, "too many conditions on elements");
        u->late[u->nlate++] = c;
        return true;
    }
    const SnMapTerm *t = &u->T.v[c.t];
    for (uint32_t i = 0; i < u->T.n; i++) /* the operand whose elements */
        if (u->T.v[i].op == SN_TM_DATA && (u->T.v[i].vars & t->vars))
            n = u->T.v[i].n;
    int64_t *val = SN_NEW_N(u->a, int64_t, u->T.n);
    sn_terms_run(&u->T, 0, x, val);
    for (int64_t i = 0; i < n; i++) {
        x[SN_MAP_EACH] = i;
        sn_terms_run(&u->T, t->vars, x, val);
        if (val[c.t] == 0 || val[c.t] == SN_MAP_UNDEFINED)
            return sn_mapping_refuse(u, s, i);
    }
    return true;
}

static void
beside(SnMapping *u, const SnMapStmt *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        SnMapVal v = sn_mapping_eval(u, s->index[k]);
        for (int64_t i = 0; i < (v.n < 0 ? 1 : v.n); i++)
            if (u->nbeside < SN_MAP_RANK)
                u->beside[u->nbeside++] = sn_val_at(v, i);
    }
}

static void
maybe(SnMapping *u, const SnMapStmt *s, SnMapNum *x)
{
    if (s->when < 0 || sn_num_is(sn_mapping_eval(u, s->when).one, 1))
        *x = sn_mapping_eval(u, s->e).one;
}

static bool
late(SnMapping *u, const SnMapStmt *s, uint32_t *room)
{
    switch (s->kind) {
    case SN_MS_LET:
        if (s->late)
            u->slot[s->slot] = sn_mapping_eval(u, s->e);
        return true;
    case SN_MS_REQUIRE:
        return !s->late || require_late(u, s);
    case SN_MS_RESULT:
        bind_result(u, s);
        return true;
    case SN_MS_TAPS:
        return bind_taps(u, s);
    case SN_MS_READ:
        return reads(u, s, room);
    case SN_MS_CENTRE:
        return read_one(u, s, 0, &u->centre);
    case SN_MS_BESIDE:
        beside(u, s);
        return true;
    case SN_MS_DIVISOR:
        maybe(u, s, &u->divisor);
        return true;
    case SN_MS_NUMBER:
        maybe(u, s, &u->number);
        return true;
    case SN_MS_PARTS:
        maybe(u, s, &u->parts);
        return true;
    case SN_MS_PRIMITIVE:
        u->primitive = true;
        return true;
    default:
        return true;
    }
}

bool
sn_mapping_reads(SnMapping *u, uint32_t nsplit, const SnMapSplit *split)
{
    const SnMapDecl *d = u->decl;
    uint32_t room = 0;

    u->nsplit = nsplit;
    u->split = split;
    u->nvar = u->nread = u->ntapdim = u->nbeside = u->nlate = 0;
    u->T = sn_terms(u->a);
    u->read = NULL;
    u->centre.param = -1;
    u->divisor = u->number = u->parts = sn_num_undefined();
    for (unsigned i = 0; i < d->nstmt; i++)
        if (!late(u, &d->stmt[i], &room))
            return false;
    return true;
}

/* ---- splits ---- */

static uint32_t
add_split(SnMapSplit *v, uint32_t n, const SnMapVar *var, int64_t by)
{
    uint32_t i = 0;

    if (var->bound.t != SN_NUM_INT || var->bound.v % by || by >= var->bound.v)
        return n;
    for (uint32_t k = 0; k < n; k++) {
        bool same = v[k].tap == var->tap && v[k].axis == var->axis;
        int64_t big = v[k].by > by ? v[k].by : by;
        if (same && (v[k].by == by || big % (v[k].by + by - big)))
            return n;
    }
    while (i < n && v[i].by > by)
        i++;
    memmove(&v[i + 1], &v[i], (n - i) * sizeof *v);
    v[i] = (SnMapSplit){var->tap, var->axis, by};
    return n + 1;
}

uint32_t
sn_mapping_splits(const SnMapping *u, SnMapSplit **split)
{
    SnMapSplit *v = SN_NEW_N(u->a, SnMapSplit, 2 * u->T.n + 1);
    uint32_t n = 0;

    for (uint32_t i = 0; i < u->T.n; i++) {
        const SnMapTerm *t = &u->T.v[i];
        bool part = t->op == SN_TM_DIV || t->op == SN_TM_MOD;
        if (!part || t->kid[0].t < 0 || t->kid[1].t != SN_NUM_INT)
            continue;
        const SnMapTerm *x = &u->T.v[t->kid[0].t];
        if (x->op != SN_TM_VAR || x->v >= u->nvar || t->kid[1].v < 2)
            continue;
        n = add_split(v, n, &u->var[x->v], t->kid[1].v);
    }
    *split = v;
    return n;
}

/* ---- reading ---- */

int64_t
sn_read_offset(const SnMapRead *r, const int64_t *val)
{
    int64_t out = r->els == SN_ME_NONE ? -2 : -1;

    for (uint32_t i = 0; i < r->nwhen; i++)
        if (sn_num_value(r->when[i], val) != 1)
            return out;
    for (int i = 0; i < r->box.rank; i++) {
        if (r->inside[i])
            continue;
        int64_t k = sn_num_value(r->at[i], val);
        if (k < 0 || k >= r->box.dim[i])
            return out;
    }
    return sn_num_value(r->off, val);
}
