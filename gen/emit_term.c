/* Right sides: what must be known before sn_fire, and the building of the
 * replacement after it. */
#include "gen/rule_gen.h"

#include <string.h>

static const char *build(SnRg *cx, const SnTerm *t, const char *name);

/* ---- before sn_fire ---- */

static bool
asg_mentions(const SnTerm *t, const char *name)
{
    for (uint32_t i = 0; i < t->nasg; i++)
        if (sn_rg_mentions(t->asg[i].e, name))
            return true;
    return t->type && sn_rg_mentions(t->type, name);
}

/* Does the term need the value, not just pass it on where it may miss? */
static bool
term_needs(const SnTerm *t, const char *name)
{
    if (!t)
        return false;
    if (asg_mentions(t, name))
        return true;
    for (uint32_t i = 0; i < t->narg; i++)
        if (term_needs(t->arg[i], name))
            return true;
    for (uint32_t i = 0; t->by_port && t->node && i < t->node->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (k && k->tk == SN_T_VAR && !t->node->in[i]->optional &&
            !strcmp(k->name, name))
            return true;
    }
    return false;
}

/* A variable that may be missing and is read: the rule asks for it. */
static void
presence(SnRg *cx)
{
    const SnDefRule *r = cx->rule;

    for (uint32_t i = 0; i < r->nvar; i++) {
        const SnDefVar *v = r->var[i];
        if (!cx->bind[v->index].missing)
            continue;
        if (r->when && sn_rg_asks_present(r->when, v->name))
            continue;
        bool need = (r->when && sn_rg_mentions(r->when, v->name)) ||
                    term_needs(r->rhs, v->name) ||
                    (r->rhs && r->rhs->tk == SN_T_VAR &&
                     !strcmp(r->rhs->name, v->name));
        for (uint32_t k = 0; k < r->nlet; k++)
            need |= term_needs(r->let[k], v->name);
        for (uint32_t k = 0; k < r->nmore; k++)
            need |= term_needs(r->more[k], v->name);
        if (need)
            sn_rg_fail_if(cx, sn_format(cx->a, "!%s",
                                        sn_rg_local(cx, v->name)));
    }
}

/* How an expression speaks of variable `name`: not, by its type, otherwise. */
enum { NOT_AT_ALL, BY_TYPE, OTHERWISE };

static int
speaks_of(const SnExpr *e, const char *name)
{
    int most = NOT_AT_ALL;

    if (!e)
        return most;
    if (e->ek == SN_E_NAME && !strcmp(e->s, name))
        return OTHERWISE;
    if (e->ek == SN_E_MEMBER && !strcmp(e->s, "type"))
        return speaks_of(e->kid[0], name) ? BY_TYPE : NOT_AT_ALL;
    for (uint32_t i = 0; i < e->nkid; i++) {
        int k = speaks_of(e->kid[i], name);
        most = k > most ? k : most;
    }
    return most;
}

/* The same for a term, apart from what stands under `each`. */
static int
outside(const SnTerm *t, const char *name)
{
    int most, k;

    if (!t || t->tk == SN_T_EACH)
        return NOT_AT_ALL;
    if ((t->name && !strcmp(t->name, name)) ||
        (t->like && !strcmp(t->like, name)))
        return OTHERWISE;
    most = speaks_of(t->type ? t->type : t->forced, name);
    for (uint32_t i = 0; i < t->nasg; i++) {
        k = speaks_of(t->asg[i].e, name);
        most = k > most ? k : most;
    }
    for (uint32_t i = 0; i < t->narg; i++) {
        k = outside(t->arg[i], name);
        most = k > most ? k : most;
    }
    return most;
}

static bool
inside(const SnPat *p, const SnPat *x)
{
    if (p == x)
        return true;
    for (uint32_t i = 0; i < p->narg; i++)
        if (inside(p->arg[i], x))
            return true;
    return false;
}

/* The run under which v is bound. */
static const SnRgRun *
run_of_var(const SnRg *cx, const SnDefVar *v)
{
    for (uint32_t i = 0; i < cx->neach; i++)
        if (v->each && inside(cx->each[i].pat, v->pat))
            return &cx->each[i];
    return NULL;
}

/* A variable bound under `each` stands for several values.  Outside of `each`
 * only their type may be named, and then it is one type. */
static void
uniform(SnRg *cx)
{
    const SnDefRule *r = cx->rule;

    for (uint32_t i = 0; i < r->nvar && cx->neach; i++) {
        const SnDefVar *v = r->var[i];
        int how = v->each ? outside(r->rhs, v->name) : NOT_AT_ALL;
        if (how == OTHERWISE)
            sn_error(cx->d, r->rhs->pos, "SN104",
                     "'%s' stands for several values: outside of 'each' only "
                     "%s.type has a meaning", v->name, v->name);
        if (how != BY_TYPE)
            continue;
        SnExpr n = { .ek = SN_E_NAME, .s = v->name, .pos = v->pos };
        const char *first = sn_rg_type(cx, &n);
        sn_rg_loop(cx, run_of_var(cx, v));
        sn_rg_fail_if(cx, sn_format(cx->a, "%s != %s", sn_rg_type(cx, &n),
                                    first));
        sn_rg_loop_end(cx);
    }
}

/* The C type pointer that a term will have. */
static const char *
term_type(SnRg *cx, const SnTerm *t)
{
    const SnExpr *e = t->type ? t->type : t->forced;

    if (t->tk == SN_T_VAR) {
        SnExpr n = { .ek = SN_E_NAME, .s = t->name, .pos = t->pos };
        return sn_rg_type(cx, &n);
    }
    if (e)
        return sn_rg_type(cx, e);
    if (t->tk == SN_T_COPY && t->var)
        return sn_format(cx->a, "sn_type(g, SN_REF(%s, 0))",
                         sn_rg_of(cx, t->var));
    sn_error(cx->d, t->pos, "SN203", "no fact forces the type of %s",
             t->name);
    return "NULL";
}

typedef struct Regrid {
    const char *b, *consumer, *new_x;
} Regrid;

/* regrid(b) stands in port `port` of t: b as the rule bound it, the node that
 * reads it there, and the new type of that node's first pinned operand. */
static Regrid
regrid(SnRg *cx, const SnTerm *t, uint32_t port, const SnTerm *call)
{
    const SnTerm *k = call->arg[0];
    const SnDefVar *v = sn_rg_var(cx, k->name);
    const SnDefPort *p = t->node->in[port];
    Regrid r = { .b = "0", .consumer = cx->root, .new_x = "NULL" };

    if (!v || p->fact != SN_DF_PIN || !t->by_port[p->pin[0]]) {
        sn_error(cx->d, call->pos, "SN104",
                 "regrid takes an operand of the left side to a pinned port");
        return r;
    }
    r.b = sn_rg_local(cx, v->name);
    if (cx->bind[v->index].id)
        r.consumer = cx->bind[v->index].id;
    r.new_x = term_type(cx, t->by_port[p->pin[0]]);
    return r;
}

/* What may fail is asked before anything is built. */
static void
dry_run(SnRg *cx, const SnTerm *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->narg; i++)
        dry_run(cx, t->arg[i]);
    if (t->tk == SN_T_FUNC && !strcmp(t->name, "fold") &&
        t->arg[0]->tk == SN_T_VAR && t->arg[0]->var &&
        t->arg[0]->var->vk != SN_V_LET) {
        SnExpr n = { .ek = SN_E_NAME, .s = t->arg[0]->name, .pos = t->pos };
        SnExpr *kid[] = { &n };
        SnExpr is = { .ek = SN_E_CALL, .s = "const", .nkid = 1, .kid = kid,
                      .pos = t->pos };
        sn_rg_fail_if(cx, sn_rg_cond(cx, &is, true));
    }
    for (uint32_t i = 0; t->by_port && t->node && i < t->node->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (!k || k->tk != SN_T_FUNC || strcmp(k->name, "regrid"))
            continue;
        Regrid r = regrid(cx, t, i, k);
        sn_rg_line(cx, NULL, "const char *why = sn_regrid_why(g, %s, %s, "
                   "%s);", r.b, r.consumer, r.new_x);
        sn_rg_line(cx, NULL, "if (why) {");
        sn_rg_line(cx, NULL, "    sn_declined(rw, %s, g, %s, \"%%s\", why);",
                   sn_rg_rule_enum(cx->defs, cx->rule), r.consumer);
        sn_rg_line(cx, NULL, "    return false;");
        sn_rg_line(cx, NULL, "}");
    }
}

static bool
asks_unused(const SnExpr *e)
{
    if (e->ek == SN_E_CALL && !strcmp(e->s, "unused"))
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (asks_unused(e->kid[i]))
            return true;
    return false;
}

/* Does the right side give every result of the root, or the guard say that
 * the others have no user? */
static bool
whole_root(const SnDefRule *r)
{
    const SnDefNode *n = r->pat->node;

    if (!n || n->nout <= 1 || r->nmore + 1 >= n->nout ||
        (r->when && asks_unused(r->when)))
        return true;
    return (r->rhs->tk == SN_T_CALL || r->rhs->tk == SN_T_COPY) &&
           r->rhs->node && r->rhs->node->nout == n->nout;
}

void
sn_rg_before(SnRg *cx)
{
    const SnDefRule *r = cx->rule;

    presence(cx);
    if (r->when)
        sn_rg_guard(cx, r->when);
    if (!r->rhs)
        return;
    uniform(cx);
    if (!whole_root(r))
        sn_rg_fail_if(cx, sn_format(cx->a, "!sn_rest_unused(g, %s, %u)",
                                    cx->root, r->nmore + 1));
    for (uint32_t i = 0; i < r->nlet; i++)
        dry_run(cx, r->let[i]);
    dry_run(cx, r->rhs);
    for (uint32_t i = 0; i < r->nmore; i++)
        dry_run(cx, r->more[i]);
}

/* ---- attributes ---- */

const SnAsg *
sn_rg_asg(const SnTerm *t, const char *name)
{
    const SnAsg *a = NULL;

    for (uint32_t i = 0; i < t->nasg; i++)
        if (!strcmp(t->asg[i].name, name))
            a = &t->asg[i];
    return a;
}

static uint32_t
attr_asgs(const SnTerm *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->nasg; i++)
        n += t->asg[i].attr != NULL;
    return n;
}

/* The one kind a node variable has, or NULL. */
static const SnDefNode *
var_kind(const SnDefVar *v)
{
    return v && v->vk == SN_V_NODE && v->pat && v->pat->pk == SN_P_CALL
               ? v->pat->node : NULL;
}

/* All attributes are written: one initializer. */
static const char *
attrs_literal(SnRg *cx, const SnTerm *t, const char *base)
{
    const SnDefNode *n = t->node;
    const char *at = sn_rg_fresh(cx, sn_format(cx->a, "%s_attr", base));
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "Sn%sAttr %s = {", n->name, at);
    const char *head = sn_strdup(cx->a, sn_buf_str(&b));
    const char **field = SN_NEW_N(cx->a, const char *, n->nall);
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *a = n->all[i];
        field[i] = sn_format(cx->a, ".%s = %s", sn_field(cx->a, a->name),
                             sn_rg_value(cx, n, a,
                                         sn_rg_asg(t, a->name)->e));
        sn_putf(&b, "%s %s", i ? "," : "", field[i]);
    }
    sn_puts(&b, " };");
    if (b.n + (size_t)cx->indent < 80) {
        sn_rg_line(cx, NULL, "%s", sn_buf_str(&b));
    } else {
        sn_rg_line(cx, NULL, "%s", head);
        cx->indent += 4;
        for (uint32_t i = 0; i < n->nall; i++)
            sn_rg_line(cx, NULL, "%s,", field[i]);
        cx->indent -= 4;
        sn_rg_line(cx, NULL, "};");
    }
    return sn_format(cx->a, "&%s", at);
}

static bool
all_written(const SnTerm *t)
{
    for (uint32_t i = 0; i < t->node->nall; i++)
        if (!sn_rg_asg(t, t->node->all[i]->name))
            return false;
    return true;
}

const char *
sn_rg_attrs(SnRg *cx, const SnTerm *t, const char *base)
{
    const SnDefNode *n = t->node, *from = var_kind(t->like_var);
    const char *lo = sn_rg_lower(cx, n);
    const char *like = t->like_var && t->like_var->vk == SN_V_NODE
                           ? sn_rg_of(cx, t->like_var) : NULL;

    if (all_written(t))
        return attrs_literal(cx, t, base);
    if (!like && !attr_asgs(t))
        return "NULL";
    if (from == n && !attr_asgs(t))
        return sn_format(cx->a, "sn_%s_attr(g, %s)", lo, like);
    const char *at = sn_rg_fresh(cx, sn_format(cx->a, "%s_attr", base));
    const char *st = sn_format(cx->a, "Sn%sAttr", n->name);
    if (from == n)
        sn_rg_line(cx, at, "%s %s = *sn_%s_attr(g, %s);", st, at, lo, like);
    else
        sn_rg_line(cx, at, "%s %s = *(const %s *)sn_desc(%s)->defaults;", st,
                   at, st, sn_rg_kind(cx, n));
    if (like && from != n && (!from || from->nall))
        sn_rg_line(cx, NULL, "sn_attrs_from(g, %s, &%s, %s);",
                   sn_rg_kind(cx, n), at, like);
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].attr)
            sn_rg_line(cx, NULL, "%s.%s = %s;", at,
                       sn_field(cx->a, t->asg[i].name),
                       sn_rg_value(cx, n, t->asg[i].attr, t->asg[i].e));
    return sn_format(cx->a, "&%s", at);
}

/* The calibrated flag speaks about the clamp: it comes with it. */
static const char *
calibrated(SnRg *cx, const SnTerm *t, const SnDefVar *like)
{
    const SnAsg *a = sn_rg_asg(t, "calibrated");

    if (a)
        return sn_rg_cond(cx, a->e, false);
    if (!like || like->vk != SN_V_NODE || sn_rg_asg(t, "clamp"))
        return NULL;
    const SnDefNode *from = like->pat->node;
    if (from && !from->clamp)
        return NULL;
    return sn_format(cx->a, "sn_node(g, %s)->calibrated",
                     sn_rg_of(cx, like));
}

/* ---- operands ---- */

/* The run whose variables the term reads. */
static const SnRgRun *
run_of(const SnRg *cx, const SnTerm *t)
{
    if ((t->tk == SN_T_VAR || t->tk == SN_T_COPY) && t->var && t->var->each)
        return run_of_var(cx, t->var);
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnRgRun *r = run_of(cx, t->arg[i]);
        if (r)
            return r;
    }
    return NULL;
}

/* "n, v" for a variadic port filled by `each TERM`. */
static const char *
build_each(SnRg *cx, const SnTerm *t)
{
    const SnRgRun *r = run_of(cx, t);

    if (!r) {
        sn_error(cx->d, t->pos, "SN104",
                 "'each' on the right needs a variable bound under 'each'");
        return "0, NULL";
    }
    const char *v = sn_rg_fresh(cx, "in");
    sn_rg_line(cx, v, "SnRef *%s = SN_NEW_N(sn_scratch(rw), SnRef, %s);", v,
               r->count);
    sn_rg_loop(cx, r);
    sn_rg_line(cx, NULL, "%s[i] = %s;", v, build(cx, t->arg[0], NULL));
    sn_rg_loop_end(cx);
    return sn_format(cx->a, "%s, %s", r->count, v);
}

static bool
is_list(const SnTerm *t)
{
    return t->tk == SN_T_VAR && t->var && t->var->vk == SN_V_LIST;
}

static const char *
build_list(SnRg *cx, const SnDefVar *v)
{
    const SnRgRun *r = &cx->bind[v->index].run;
    const char *name = sn_rg_local(cx, v->name);

    sn_rg_line(cx, name, "const SnRef *%s = sn_operands(rw, g, %s, %u, %s);",
               name, r->id, r->first, r->count);
    return sn_format(cx->a, "%s, %s", r->count, name);
}

/* "n, v" for the operands of a variadic port. */
static const char *
build_run(SnRg *cx, const SnTerm *t)
{
    SnBuf b;

    if (t->nlist == 0)
        return "0, NULL";
    const SnTerm *k = t->list[0];
    if (t->nlist == 1 && k->tk == SN_T_EACH)
        return build_each(cx, k);
    if (t->nlist == 1 && is_list(k))
        return build_list(cx, k->var);
    sn_buf_init(&b, cx->a);
    for (uint32_t i = 0; i < t->nlist; i++)
        sn_putf(&b, "%s%s", i ? ", " : "", build(cx, t->list[i], NULL));
    return sn_format(cx->a, "%u, (const SnRef[]){ %s }", t->nlist,
                     sn_buf_str(&b));
}

/* ---- nodes ---- */

/* The type of result r: a plain one that every tuple gives it, else that of
 * result 0. */
static const char *
result_type(SnRg *cx, const SnTerm *t, uint32_t r)
{
    const SnDefNode *n = t->node, *from = var_kind(t->like_var);

    if (r == 0)
        return term_type(cx, t);
    if (from == n)
        return sn_format(cx->a, "sn_type(g, SN_REF(%s, %u))",
                         sn_rg_of(cx, t->like_var), r);
    int8_t e = SN_DE_ABSENT;
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (n->tuple[i].out[r].elem != SN_DE_ABSENT)
            e = n->tuple[i].out[r].elem;
    if (e == SN_DE_ABSENT)
        return "NULL";
    if (e >= SN_DE_QI8 && e <= SN_DE_QI32)
        return term_type(cx, t);
    return sn_format(cx->a, "sn_type_plain(g->pool, %s)", sn_elem_enum(e));
}

static const char *
component(SnRg *cx, const SnTerm *t)
{
    return t->as ? sn_format(cx->a, "sn_component(rw, g, %s, \"%s\")",
                             cx->root, t->as)
                 : "NULL";
}

/* What is done once the replaced nodes are gone. */
static void
at_last(SnRg *cx, const char *text)
{
    SN_PUSH(cx->a, cx->last, cx->nlast, text);
}

/* The value of new node id.  One with a name of its own (of a let variable,
 * or kept from another value) is folded once everything that reads it stands,
 * when its leaves are constant. */
static const char *
value(SnRg *cx, const SnTerm *t, const char *id, const char *name)
{
    if (!name && !t->named)
        return sn_format(cx->a, "SN_REF(%s, 0)", id);
    const char *from = t->named ? sn_rg_local(cx, t->named) : NULL;
    if (!name)
        name = sn_rg_fresh(cx, sn_format(cx->a, "new_%s", from));
    sn_rg_line(cx, name, "SnRef %s = SN_REF(%s, 0);", name, id);
    if (!from) {
        SN_PUSH(cx->a, cx->fold, cx->nfold,
                sn_format(cx->a, "sn_fold_let(g, %s);", name));
        return name;
    }
    const char *s = sn_rg_fresh(cx, sn_format(cx->a, "name_%s", from));
    sn_rg_line(cx, s, "const char *%s = sn_name(g, %s);", s, from);
    SN_PUSH(cx->a, cx->fold, cx->nfold,
            sn_format(cx->a, "%s = sn_fold_let(g, %s);", name, name));
    at_last(cx, sn_format(cx->a, "sn_rename(g, %s, %s);", name, s));
    return name;
}

static bool
is_source(const SnDefNode *n)
{
    return n->nin == 0 && n->nout > 0 && n->rsem[0]->cls == SN_DC_SOURCE;
}

/* The new node's id. */
static const char *
build_call(SnRg *cx, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    const char *lo = sn_rg_lower(cx, n), *flag;
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "sn_%s_new(g, %s", lo, component(cx, t));
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (n->in[i]->variadic)
            sn_putf(&b, ", %s", build_run(cx, t));
        else if (k && k->tk == SN_T_FUNC && !strcmp(k->name, "regrid")) {
            Regrid r = regrid(cx, t, i, k);
            const char *v = sn_rg_fresh(cx, "grid");
            sn_rg_line(cx, v, "SnRef %s = sn_regrid(g, %s, %s, %s);", v, r.b,
                       r.consumer, r.new_x);
            sn_putf(&b, ", %s", v);
        } else
            sn_putf(&b, ", %s", k ? build(cx, k, NULL) : "0");
    }
    const char *id = sn_rg_fresh(cx, lo);
    if (is_source(n)) {
        const char *like = t->like ? sn_rg_local(cx, t->like) : cx->root;
        sn_putf(&b, ", sn_shape_of(g, SN_REF(%s, 0)), sn_node(g, %s)->data",
                like, like);
        if (n->has_effect)
            at_last(cx, sn_format(cx->a, "sn_supersede(g, %s, %s);", like,
                                  id));
    }
    if (n->nall)
        sn_putf(&b, ", %s", sn_rg_attrs(cx, t, lo));
    for (uint32_t i = 0; i < n->nout; i++)
        sn_putf(&b, ", %s", result_type(cx, t, i));
    sn_rg_line(cx, NULL, "SnId %s = %s);", id, sn_buf_str(&b));
    flag = n->clamp ? calibrated(cx, t, t->like_var) : NULL;
    if (flag)
        sn_rg_line(cx, NULL, "sn_node(g, %s)->calibrated = %s;", id, flag);
    return id;
}

/* copy n {a = e} : T */
static const char *
build_copy(SnRg *cx, const SnTerm *t)
{
    const SnDefVar *v = t->var;
    const SnDefNode *one = var_kind(v);
    const char *src = sn_rg_of(cx, v), *flag;
    const char *e = sn_rg_fresh(cx, "edit"), *id = sn_rg_fresh(cx, "copy");
    const SnExpr *type = t->type ? t->type : t->forced;

    sn_rg_line(cx, NULL, "SnEdit %s = sn_edit(g, %s);", e, src);
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnDefAttr *at = t->asg[i].attr;
        if (!at)
            continue;
        const char *x = sn_rg_value(cx, one ? one : t->node, at,
                                    t->asg[i].e);
        if (!strcmp(at->name, "clamp"))
            sn_rg_line(cx, NULL, "sn_edit_clamp(&%s, %s);", e, x);
        else if (one)
            sn_rg_line(cx, NULL, "((Sn%sAttr *)%s.attr)->%s = %s;",
                       one->name, e, sn_field(cx->a, at->name), x);
        else
            sn_rg_line(cx, NULL, "*(%s*)sn_edit_attr(&%s, \"%s\") = %s;",
                       sn_attr_ctype(at), e, at->name, x);
    }
    if (type)
        sn_rg_line(cx, NULL, "%s.type[0] = %s;", e, sn_rg_type(cx, type));
    if (t->as)
        sn_rg_line(cx, NULL, "%s.name = %s;", e, component(cx, t));
    flag = calibrated(cx, t, NULL);
    if (flag || sn_rg_asg(t, "clamp"))
        sn_rg_line(cx, NULL, "%s.calibrated = %s;", e,
                   flag ? flag : "false");
    sn_rg_line(cx, NULL, "SnId %s = sn_edit_add(g, &%s);", id, e);
    return id;
}

/* Builds t; the C text of its value.  With a name the value gets a local of
 * that name and is folded when its leaves are constant. */
static const char *
build(SnRg *cx, const SnTerm *t, const char *name)
{
    SnExpr n = { .ek = SN_E_NAME, .s = t->name, .pos = t->pos };
    const SnDefVar *v;

    switch (t->tk) {
    case SN_T_NONE:
        return "0";
    case SN_T_VAR:
        v = sn_rg_var(cx, t->name);
        if (v && v->vk == SN_V_LIST) /* its first element */
            return sn_format(cx->a, "sn_in(g, %s, %u)",
                             cx->bind[v->index].run.id,
                             cx->bind[v->index].run.first);
        if (v && v->vk == SN_V_NODE)
            return sn_format(cx->a, "SN_REF(%s, 0)", sn_rg_of(cx, v));
        return v ? sn_rg_of(cx, v) : sn_rg_local(cx, n.s);
    case SN_T_CALL:
        return value(cx, t, build_call(cx, t), name);
    case SN_T_COPY:
        return value(cx, t, build_copy(cx, t), name);
    case SN_T_FUNC: {
        if (strcmp(t->name, "fold"))
            break;
        const char *x = build(cx, t->arg[0], NULL);
        const char *f = name ? name : sn_rg_fresh(cx, "folded");
        sn_rg_line(cx, f, "SnRef %s = sn_try_fold(g, %s);", f, x);
        return f;
    }
    case SN_T_EACH:
        break;
    }
    sn_error(cx->d, t->pos, "SN104", "'%s' has no place here",
             t->tk == SN_T_EACH ? "each" : t->name);
    return "0";
}

/* ---- the replacement ---- */

/* Replaces every result of the root by the same of node id. */
static void
fired_all(SnRg *cx, const char *id, uint32_t nout)
{
    for (uint32_t i = 0; i < nout; i++)
        sn_rg_line(cx, NULL, "sn_fired(rw, g, SN_REF(%s, %u), SN_REF(%s, "
                   "%u));", cx->root, i, id, i);
}

static void
replace_root(SnRg *cx)
{
    const SnDefRule *r = cx->rule;
    const SnDefNode *n = r->pat->node;
    const SnTerm *t = r->rhs;
    bool node = t->tk == SN_T_CALL || t->tk == SN_T_COPY;

    if (n && n->nout == 0) { /* an effect: the node itself is replaced */
        if (!node) {
            sn_error(cx->d, t->pos, "SN104",
                     "%s has no result that a value could replace", n->name);
            return;
        }
        const char *id = t->tk == SN_T_CALL ? build_call(cx, t)
                                            : build_copy(cx, t);
        sn_rg_line(cx, NULL, "sn_fired_node(rw, g, %s, %s);", cx->root, id);
        return;
    }
    if (node && n && n->nout > 1 && r->nmore == 0 && t->node &&
        t->node->nout == n->nout) {
        fired_all(cx, t->tk == SN_T_CALL ? build_call(cx, t)
                                         : build_copy(cx, t), n->nout);
        return;
    }
    const char **v = SN_NEW_N(cx->a, const char *, r->nmore + 1);
    v[0] = build(cx, t, NULL);
    for (uint32_t i = 0; i < r->nmore; i++)
        v[i + 1] = build(cx, r->more[i], NULL);
    for (uint32_t i = 0; i <= r->nmore; i++)
        sn_rg_line(cx, NULL, "sn_fired(rw, g, SN_REF(%s, %u), %s);",
                   cx->root, i, v[i]);
}

void
sn_rg_replace(SnRg *cx)
{
    const SnDefRule *r = cx->rule;

    cx->nfold = cx->nlast = 0;
    for (uint32_t i = 0; i < r->nlet; i++) {
        const char *name = sn_rg_local(cx, r->let_name[i]);
        const char *v = build(cx, r->let[i], name);
        if (strcmp(v, name))
            sn_rg_line(cx, name, "SnRef %s = %s;", name, v);
    }
    replace_root(cx);
    for (uint32_t i = 0; i < cx->nfold; i++)
        sn_rg_line(cx, NULL, "%s", cx->fold[i]);
    sn_rg_line(cx, NULL, "sn_fire_end(rw, g);");
    for (uint32_t i = 0; i < cx->nlast; i++)
        sn_rg_line(cx, NULL, "%s", cx->last[i]);
    sn_rg_line(cx, NULL, "return true;");
}
