// SPDX-License-Identifier: Apache-2.0
/* Maps as C: terms over loop variables.  A term that is more than a sum gets
 * its own constant, as far out as its variables allow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aot/node/aot_node.h"
#include "base/num.h"

/* ---- numbers ---- */

const char *
sn_aot_float(SnArena *a, float v)
{
    if (v != v)
        return "NAN";
    if (isinf(v))
        return v < 0 ? "-INFINITY" : "INFINITY";
    if (v == 0)
        return signbit(v) ? "-0.0f" : "0.0f";
    return sn_format(a, "%af", (double)v);
}

const char *
sn_aot_int(SnArena *a, int64_t v)
{
    if (v == INT64_MIN)
        return "(-INT64_C(9223372036854775807) - 1)";
    if (v == INT32_MIN)
        return "(-2147483647 - 1)";
    if (v > INT32_MAX || v < INT32_MIN)
        return sn_format(a, "INT64_C(%lld)", (long long)v);
    return sn_format(a, "%lld", (long long)v);
}

const char *
sn_aot_index(int64_t n)
{
    return n > INT32_MAX ? "int64_t" : "int";
}

const char *
sn_aot_elem(SnElem e)
{
    switch (e) {
    case SN_F32:
        return "float";
    case SN_QI16:
        return "int16_t";
    case SN_QI32:
    case SN_I32:
        return "int32_t";
    case SN_I64:
        return "int64_t";
    case SN_BOOL:
        return "bool";
    case SN_ROW8:
        return "uint8_t";
    default:
        return "int8_t";
    }
}

static size_t
width_of(const char *type)
{
    return strstr(type, "int8_t") || !strcmp(type, "bool") ? 1
           : !strcmp(type, "int64_t")                      ? 8
                                                           : 4;
}

const char *
sn_aot_table(SnAotNode *n, const char *type, uint32_t count,
             const char *(*item)(SnArena *a, const void *v, uint32_t i),
             const void *v)
{
    const char *name =
        sn_format(n->a, "%s_n%u_t%u", n->prefix, n->id, n->ntable++);
    size_t col = 80;

    n->tables += count * width_of(type);
    sn_putf(&n->data, "static const %s %s[%u] = {", type, name, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *s = item(n->a, v, i);
        if (col + strlen(s) + 2 > 78) {
            sn_puts(&n->data, "\n   ");
            col = 3;
        }
        sn_putf(&n->data, " %s,", s);
        col += strlen(s) + 2;
    }
    sn_puts(&n->data, "\n};\n");
    return name;
}

/* ---- operands ---- */

const char *
sn_aot_operand(const SnAotNode *n, uint32_t slot)
{
    uint32_t first, count;
    uint32_t p = sn_port_of_slot(n->kd, n->call.nin, slot);

    sn_port_slots(n->kd, n->call.nin, p, &first, &count);
    const char *name = sn_format(n->a, "%s_in", n->kd->in[p].name);
    return n->kd->in[p].variadic ? sn_format(n->a, "%s%u", name, slot - first)
                                 : name;
}

const char *
sn_aot_result(const SnAotNode *n, unsigned res)
{
    return sn_format(n->a, "%s_out", n->kd->out[res].name);
}

/* The operand whose elements a term reads. */
static uint32_t
slot_of_data(const SnAotNode *n, const void *tab)
{
    for (uint32_t i = 0; i < n->sem->decl->nparam; i++)
        if (n->args.arg[i].data == tab) {
            uint32_t k, first, count;
            const SnArg *g = sn_map_param_args(n->sem, i, &k);
            sn_port_slots(n->kd, n->call.nin, (uint32_t)g->v, &first, &count);
            return first;
        }
    return 0;
}

/* ---- opening ---- */

static uint32_t
slot_of_param(const SnAotNode *n, unsigned i)
{
    uint32_t k, first, count;
    const SnArg *g = sn_map_param_args(n->sem, i, &k);

    sn_port_slots(n->kd, n->call.nin, (uint32_t)g->v, &first, &count);
    return first;
}

/* Elements that the map looks at: those of a Constant are known; others are
 * known only to the program, and are identified by the operand's tensor. */
static bool
add_data(SnAotNode *n)
{
    const SnMapDecl *decl = n->sem->decl;
    bool open = false;

    for (unsigned i = 0; i < decl->nparam; i++) {
        const SnMapParam *p = &decl->param[i];
        SnMapArg *a = &n->args.arg[i];
        if (p->kind != SN_MP_OPERAND || !a->given)
            continue;
        const SnTensor *t = &n->call.in[slot_of_param(n, i)];
        a->low = sn_elem_lo(t->type->elem);
        if (!p->data)
            continue;
        a->data = t->data ? t->data : (const void *)t;
        a->width = (int)sn_elem_size(t->type->elem);
        open = open || !t->data;
    }
    return open;
}

static bool
fits(const SnMapTerms *T)
{
    for (uint32_t i = 0; i < T->n; i++) {
        const SnMapTerm *t = &T->v[i];
        if (!t->real && !t->data && t->op != SN_TM_VAR &&
            (t->lo < INT32_MIN || t->hi > INT32_MAX) && !t->partial)
            return false;
    }
    return true;
}

/* Is a sum of an index and a dimension no int?  Bounds of loops have some. */
static bool
is_long(const SnMapping *u)
{
    const int64_t most = INT32_MAX / 2;

    for (uint32_t i = 0; i < u->nread; i++)
        for (int d = 0; d < u->read[i].box.rank; d++) {
            int64_t lo, hi;
            sn_num_range(&u->T, u->read[i].at[d], &lo, &hi);
            if (u->read[i].box.dim[d] > most || lo < -most || hi > most)
                return true;
        }
    return false;
}

static void
find_shared(SnAotNode *n)
{
    const SnMapping *u = &n->u;
    uint32_t used = 0;

    n->shared = 0;
    if (u->centre.param < 0)
        return;
    for (uint32_t i = 0; i < u->nread; i++)
        used |= sn_num_vars(&u->T, u->read[i].off);
    for (uint32_t v = 0; v < u->nvar; v++)
        if (!u->var[v].tap && !(used >> v & 1))
            n->shared |= UINT32_C(1) << v;
}

/* The operand of each read; for an index that may be outside, it is found by
 * its axes. */
static void
take_reads(SnAotNode *n)
{
    const SnMapping *u = &n->u;

    n->source = SN_NEW_N(n->a, const SnTensor *, u->nread + 1);
    for (uint32_t i = 0; i < u->nread; i++)
        n->source[i] =
            &n->call.in[slot_of_param(n, (unsigned)u->read[i].param) +
                        u->read[i].which];
}

void
sn_aot_conditions(SnAotNode *n)
{
    n->ncond = 0;
    for (uint32_t i = 0; i < n->u.nread; i++) {
        const SnMapRead *r = &n->u.read[i];
        if (r->els == SN_ME_NONE)
            continue;
        for (uint32_t w = 0; w < r->nwhen; w++)
            SN_PUSH(n->a, n->cond, n->ncond, ((SnAotCond){r->when[w], -1}));
        for (int d = 0; d < r->box.rank; d++)
            if (!r->inside[d])
                SN_PUSH(n->a, n->cond, n->ncond,
                        ((SnAotCond){r->at[d], r->box.dim[d]}));
    }
}

SnStatus
sn_aot_map(SnAotNode *n, unsigned res)
{
    const SnShape **in = SN_NEW_N(n->a, const SnShape *, n->call.nin + 1);
    const char *label = sn_label(n->g, n->id, n->a);
    char *why = n->call.why;
    SnMapSplit *split;

    n->res = res;
    n->sem = &n->kd->sem[res];
    for (uint32_t i = 0; i < n->call.nin; i++)
        in[i] = n->call.in[i].shape;
    sn_map_args(&n->args, n->a, n->kd, n->sem, n->call.attr, n->call.nin, in);
    bool open = add_data(n);
    SnMapping *u = &n->u;
    bool ok = sn_mapping_open(u, n->sem->decl, n->args.arg, n->a, why);
    u->open = open;
    if (!ok || !sn_mapping_reads(u, 0, NULL))
        return sn_fail(n->d, SN_EINPUT, label, "%s", why);
    uint32_t k = sn_mapping_splits(u, &split);
    if (k && !sn_mapping_reads(u, k, split))
        return sn_fail(n->d, SN_EINPUT, label, "%s", why);
    n->need = (SnAotNeed){.is = SN_NEW_N(n->a, bool, u->T.n + 1)};
    n->wide = !fits(&u->T) || is_long(u) ||
              sn_shape_count(n->call.out[res].shape) > INT32_MAX;
    n->open = 0;
    n->nstack = 0;
    memset(n->bound, 0, sizeof n->bound);
    take_reads(n);
    sn_aot_conditions(n);
    find_shared(n);
    return SN_OK;
}

/* ---- terms ---- */

static bool
is_inline(const SnMapTerm *t)
{
    return t->op == SN_TM_VAR || t->op == SN_TM_LIN;
}

static const char *
put_lin(SnAotNode *n, const SnMapTerm *t)
{
    SnBuf b;
    bool any = false;

    sn_buf_init(&b, n->a);
    for (int pass = 0; pass < 2; pass++) /* sums first, then differences */
        for (int64_t i = 0; i < t->n; i++) {
            int64_t k = t->lin[i].k;
            SnMapNum x = {0, t->lin[i].t};
            if ((k < 0) != (pass == 1))
                continue;
            const char *s = sn_aot_num(n, x);
            const char *sign = k < 0 ? (any ? " - " : "-") : any ? " + " : "";
            int64_t m = k < 0 ? -k : k;
            if (m == 1)
                sn_putf(&b, "%s%s", sign, s);
            else
                sn_putf(&b, "%s%s * %s", sign, sn_aot_int(n->a, m), s);
            any = true;
        }
    if (t->v)
        sn_putf(&b, t->v < 0 ? " - %s" : " + %s",
                sn_aot_int(n->a, t->v < 0 ? -t->v : t->v));
    return sn_buf_str(&b);
}

const char *
sn_aot_num(SnAotNode *n, SnMapNum x)
{
    if (x.t == SN_NUM_REAL)
        return sn_aot_float(n->a, sn_num_float(x));
    if (x.t < 0)
        return sn_aot_int(n->a, x.v);
    const SnMapTerm *t = &n->u.T.v[x.t];
    if (t->op == SN_TM_VAR)
        return sn_format(n->a, "i%lld", (long long)t->v);
    if (t->op == SN_TM_LIN)
        return sn_format(n->a, "(%s)", put_lin(n, t));
    return sn_format(n->a, "t%d", x.t);
}

void
sn_aot_need(SnAotNode *n, SnMapNum x)
{
    if (x.t < 0 || n->need.is[x.t])
        return;
    const SnMapTerm *t = &n->u.T.v[x.t];
    n->need.is[x.t] = true;
    for (int64_t i = 0; t->op == SN_TM_LIN && i < t->n; i++)
        sn_aot_need(n, (SnMapNum){0, t->lin[i].t});
    for (int i = 0; t->op != SN_TM_LIN && t->op != SN_TM_VAR && i < 3; i++)
        sn_aot_need(n, t->kid[i]);
    SN_PUSH(n->a, n->need.term, n->need.n, x.t);
}

void
sn_aot_need_read(SnAotNode *n, const SnMapRead *r)
{
    sn_aot_need(n, r->off);
    for (uint32_t w = 0; w < r->nwhen; w++)
        sn_aot_need(n, r->when[w]);
    for (int d = 0; d < r->box.rank; d++)
        if (!r->inside[d])
            sn_aot_need(n, r->at[d]);
}

void
sn_aot_need_late(SnAotNode *n)
{
    for (uint32_t i = 0; i < n->u.nlate; i++)
        if (sn_aot_at_places(n, n->u.late[i]))
            sn_aot_need(n, n->u.late[i]);
}

void
sn_aot_need_none(SnAotNode *n)
{
    for (uint32_t i = 0; i < n->need.n; i++)
        n->need.is[n->need.term[i]] = false;
    n->need.n = 0;
}

static const char *
number_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_aot_int(a, ((const int64_t *)v)[i]);
}

static const char *
binary(SnAotNode *n, const char *op, const char *a, const char *b)
{
    return sn_format(n->a, "%s %s %s", a, op, b);
}

static const char *
call(SnAotNode *n, const char *fn, const char *a, const char *b)
{
    return b ? sn_format(n->a, "%s%s(%s, %s)", fn, n->wide ? "64" : "", a, b)
             : sn_format(n->a, "%s%s(%s)", fn, n->wide ? "64" : "", a);
}

/* Floor division by a constant: C's division if the dividend is never
 * negative. */
static const char *
quotient(SnAotNode *n, const SnMapTerm *t, const char *a, const char *b)
{
    int64_t lo, hi;
    bool mod = t->op == SN_TM_MOD;

    sn_num_range(&n->u.T, t->kid[0], &lo, &hi);
    if (lo >= 0 && t->kid[1].t == SN_NUM_INT && t->kid[1].v > 0)
        return binary(n, mod ? "%" : "/", a, b);
    return call(n, mod ? "sn_soft_mod" : "sn_soft_div", a, b);
}

static const char *
compute(SnAotNode *n, const SnMapTerm *t)
{
    const char *a = sn_aot_num(n, t->kid[0]), *b = sn_aot_num(n, t->kid[1]);

    switch ((SnTermOp)t->op) {
    case SN_TM_MUL:
    case SN_TM_RMUL:
        return t->real ? sn_format(n->a, "sn_mulf(%s, %s)", a, b)
                       : binary(n, "*", a, b);
    case SN_TM_DIV:
    case SN_TM_MOD:
        return quotient(n, t, a, b);
    case SN_TM_MIN:
        return call(n, "sn_soft_min", a, b);
    case SN_TM_MAX:
        return call(n, "sn_soft_max", a, b);
    case SN_TM_ABS:
        return call(n, "sn_soft_abs", a, NULL);
    case SN_TM_EQ:
    case SN_TM_REQ:
        return binary(n, "==", a, b);
    case SN_TM_LT:
    case SN_TM_RLT:
        return binary(n, "<", a, b);
    case SN_TM_LE:
    case SN_TM_RLE:
        return binary(n, "<=", a, b);
    case SN_TM_AND:
        return binary(n, "&&", a, b);
    case SN_TM_OR:
        return binary(n, "||", a, b);
    case SN_TM_NOT:
        return sn_format(n->a, "!%s", a);
    case SN_TM_SELECT:
        return sn_format(n->a, "%s ? %s : %s", a, b, sn_aot_num(n, t->kid[2]));
    case SN_TM_DEFINED:
        return "1";
    case SN_TM_LIST:
        return sn_format(n->a, "%s[%s]",
                         sn_aot_table(n, n->wide ? "int64_t" : "int32_t",
                                      (uint32_t)t->n, number_item, t->tab),
                         a);
    case SN_TM_DATA:
        return sn_format(n->a, "(%s)%s[%s]", n->wide ? "int64_t" : "int",
                         sn_aot_operand(n, slot_of_data(n, t->tab)), a);
    case SN_TM_RADD:
        return binary(n, "+", a, b);
    case SN_TM_RSUB:
        return binary(n, "-", a, b);
    case SN_TM_RDIV:
        return binary(n, "/", a, b);
    case SN_TM_RMIN:
        return sn_format(n->a, "%s < %s ? %s : %s", b, a, b, a);
    case SN_TM_RMAX:
        return sn_format(n->a, "%s > %s ? %s : %s", b, a, b, a);
    case SN_TM_RABS:
        return sn_format(n->a, "fabsf(%s)", a);
    case SN_TM_REAL:
        return sn_format(n->a, "(float)%s", a);
    case SN_TM_FLOOR:
        return sn_format(n->a, "(%s)floorf(%s)", n->wide ? "int64_t" : "int",
                         a);
    case SN_TM_CEIL:
        return sn_format(n->a, "(%s)ceilf(%s)", n->wide ? "int64_t" : "int", a);
    case SN_TM_VAR:
    case SN_TM_LIN:
        break;
    }
    return "0";
}

static void
put_term(SnAotNode *n, int32_t i)
{
    const SnMapTerm *t = &n->u.T.v[i];

    sn_aot_line(n, "const %s t%d = %s;",
                t->real   ? "float"
                : n->wide ? "int64_t"
                          : "int",
                i, compute(n, t));
}

void
sn_aot_terms(SnAotNode *n, uint32_t now)
{
    for (uint32_t i = 0; i < n->need.n; i++) {
        const SnMapTerm *t = &n->u.T.v[n->need.term[i]];
        bool here = now ? (t->vars & now) != 0 : t->vars == 0;
        if (!is_inline(t) && here && !(t->vars & ~n->open))
            put_term(n, n->need.term[i]);
    }
}

/* ---- conditions on elements ---- */

static int64_t
elements(const SnAotNode *n, const SnMapTerm *c)
{
    int64_t k = 1;

    for (uint32_t i = 0; i < n->u.T.n; i++)
        if (n->u.T.v[i].op == SN_TM_DATA && (n->u.T.v[i].vars & c->vars))
            k = n->u.T.v[i].n;
    return k;
}

/* Does it hold, whatever the elements are? */
static bool
is_sure(const SnAotNode *n, SnMapNum c)
{
    const SnMapTerm *t = &n->u.T.v[c.t];
    int64_t alo, ahi, blo, bhi;

    if (t->op == SN_TM_AND)
        return t->kid[0].t >= 0 && t->kid[1].t >= 0 && is_sure(n, t->kid[0]) &&
               is_sure(n, t->kid[1]);
    if (t->op != SN_TM_LT && t->op != SN_TM_LE)
        return false;
    sn_num_range(&n->u.T, t->kid[0], &alo, &ahi);
    sn_num_range(&n->u.T, t->kid[1], &blo, &bhi);
    return t->op == SN_TM_LT ? ahi < blo : ahi <= blo;
}

bool
sn_aot_at_places(const SnAotNode *n, SnMapNum c)
{
    uint32_t each = UINT32_C(1) << SN_MAP_EACH_VAR;

    return c.t >= 0 && (n->u.T.v[c.t].vars & ~each) && !is_sure(n, c);
}

void
sn_aot_checks(SnAotNode *n)
{
    const SnMapping *u = &n->u;
    bool wide = n->wide;
    SnAotNeed need = n->need;

    for (uint32_t i = 0; i < u->nlate; i++) {
        SnMapNum c = u->late[i];
        uint32_t vars = sn_num_vars(&u->T, c);
        if (c.t < 0 || (vars & (vars - 1)) || is_sure(n, c) ||
            sn_aot_at_places(n, c))
            continue;
        n->wide = true;
        n->need = (SnAotNeed){.is = SN_NEW_N(n->a, bool, u->T.n + 1)};
        sn_aot_need(n, c);
        int64_t count = elements(n, &u->T.v[c.t]);
        sn_aot_line(n, "for (%s i%u = 0; i%u < %lld; i%u++) {",
                    sn_aot_index(count), SN_MAP_EACH_VAR, SN_MAP_EACH_VAR,
                    (long long)count, SN_MAP_EACH_VAR);
        n->depth++;
        for (uint32_t k = 0; k < n->need.n; k++)
            if (!is_inline(&u->T.v[n->need.term[k]]))
                put_term(n, n->need.term[k]);
        sn_aot_line(n, "if (!%s)", sn_aot_num(n, c));
        sn_aot_line(n, "    return 1;");
        n->depth--;
        sn_aot_line(n, "}");
        n->fails = true;
    }
    n->wide = wide;
    n->need = need;
}
