// SPDX-License-Identifier: Apache-2.0
/* Right sides: builds the replacement, after sn_fire. */
#include "gen/rule/rule_gen.h"

#include <string.h>

static const char *build(SnRuleGen *cx, const SnTerm *t, const char *name);

/* ---- attributes ---- */

/* The last of its assignments to name, or NULL. */
static const SnAsg *
assigned(const SnTerm *t, const char *name)
{
    const SnAsg *a = NULL;

    for (uint32_t i = 0; i < t->nasg; i++)
        if (!strcmp(t->asg[i].name, name))
            a = &t->asg[i];
    return a;
}

const SnAsg *
sn_rule_asg_word(const SnTerm *t, SnWord word)
{
    const SnAsg *a = NULL;

    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].word == word)
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
               ? v->pat->node
               : NULL;
}

/* All attributes are written: one initializer. */
static const char *
attrs_literal(SnRuleGen *cx, const SnTerm *t, const char *base)
{
    const SnDefNode *n = t->node;
    const char *at = sn_rule_fresh(cx, sn_format(cx->a, "%s_attr", base));
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "Sn%sAttr %s = {", n->name, at);
    const char *head = sn_strdup(cx->a, sn_buf_str(&b));
    const char **field = SN_NEW_N(cx->a, const char *, n->nall);
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *a = n->all[i];
        field[i] = sn_format(cx->a, ".%s = %s", sn_field(cx->a, a->name),
                             sn_rule_value(cx, n, a, assigned(t, a->name)->e));
        sn_putf(&b, "%s %s", i ? "," : "", field[i]);
    }
    sn_puts(&b, " };");
    if (b.n + (size_t)cx->indent < 80) {
        sn_rule_line(cx, NULL, "%s", sn_buf_str(&b));
    } else {
        sn_rule_line(cx, NULL, "%s", head);
        cx->indent += 4;
        for (uint32_t i = 0; i < n->nall; i++)
            sn_rule_line(cx, NULL, "%s,", field[i]);
        cx->indent -= 4;
        sn_rule_line(cx, NULL, "};");
    }
    return sn_format(cx->a, "&%s", at);
}

static bool
all_written(const SnTerm *t)
{
    for (uint32_t i = 0; i < t->node->nall; i++)
        if (!assigned(t, t->node->all[i]->name))
            return false;
    return true;
}

const char *
sn_rule_attrs(SnRuleGen *cx, const SnTerm *t, const char *base)
{
    const SnDefNode *n = t->node, *from = var_kind(t->like_var);
    const char *lo = sn_rule_lower(cx, n);
    const char *like = t->like_var && t->like_var->vk == SN_V_NODE
                           ? sn_rule_of(cx, t->like_var)
                           : NULL;

    if (cx->test && t->like)
        like = sn_format(cx->a, "SN_NODE(%s%s)", cx->values,
                         sn_field(cx->a, t->like));
    if (all_written(t))
        return attrs_literal(cx, t, base);
    if (!like && !attr_asgs(t))
        return "NULL";
    if (from == n && !attr_asgs(t))
        return sn_format(cx->a, "sn_%s_attr(g, %s)", lo, like);
    const char *at = sn_rule_fresh(cx, sn_format(cx->a, "%s_attr", base));
    const char *st = sn_format(cx->a, "Sn%sAttr", n->name);
    if (from == n)
        sn_rule_line(cx, at, "%s %s = *sn_%s_attr(g, %s);", st, at, lo, like);
    else
        sn_rule_line(cx, at, "%s %s = *(const %s *)sn_desc(%s)->defaults;", st,
                     at, st, sn_rule_kind(cx, n));
    if (like && from != n && (!from || from->nall))
        sn_rule_line(cx, NULL, "sn_attrs_from(g, %s, &%s, %s);",
                     sn_rule_kind(cx, n), at, like);
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].attr)
            sn_rule_line(cx, NULL, "%s.%s = %s;", at,
                         sn_field(cx->a, t->asg[i].name),
                         sn_rule_value(cx, n, t->asg[i].attr, t->asg[i].e));
    return sn_format(cx->a, "&%s", at);
}

/* The calibrated flag is about the clamp, so it is set with it. */
static const char *
calibrated(SnRuleGen *cx, const SnTerm *t, const SnDefVar *like)
{
    const SnAsg *a = sn_rule_asg_word(t, SN_W_CALIBRATED);

    if (a)
        return sn_rule_cond(cx, a->e, false);
    if (!like || like->vk != SN_V_NODE || sn_rule_asg_word(t, SN_W_CLAMP))
        return NULL;
    const SnDefNode *from = like->pat->node;
    if (from && !from->clamp)
        return NULL;
    return sn_format(cx->a, "sn_node(g, %s)->calibrated", sn_rule_of(cx, like));
}

/* ---- operands ---- */

/* The run whose variables the term reads. */
static const SnRuleRun *
run_of(const SnRuleGen *cx, const SnTerm *t)
{
    if ((t->tk == SN_T_VAR || t->tk == SN_T_COPY) && t->var && t->var->each)
        return sn_rule_run_of(cx, t->var);
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnRuleRun *r = run_of(cx, t->arg[i]);
        if (r)
            return r;
    }
    return NULL;
}

/* "n, v" for a variadic port filled by `each TERM`. */
static const char *
build_each(SnRuleGen *cx, const SnTerm *t)
{
    const SnRuleRun *r = run_of(cx, t);

    if (!r) {
        sn_error(cx->d, t->pos, "SN104",
                 "'each' on the right needs a variable bound under 'each'");
        return "0, NULL";
    }
    const char *v = sn_rule_fresh(cx, "in");
    sn_rule_line(cx, v, "SnRef *%s = SN_NEW_N(sn_scratch(rw), SnRef, %s);", v,
                 r->count);
    sn_rule_loop(cx, r);
    sn_rule_line(cx, NULL, "%s[i] = %s;", v, build(cx, t->arg[0], NULL));
    sn_rule_loop_end(cx);
    return sn_format(cx->a, "%s, %s", r->count, v);
}

static bool
is_list(const SnTerm *t)
{
    return t->tk == SN_T_VAR && t->var && t->var->vk == SN_V_LIST;
}

static const char *
build_list(SnRuleGen *cx, const SnDefVar *v)
{
    const SnRuleRun *r = &cx->bind[v->index].run;
    const char *name = sn_rule_local(cx, v->name);

    sn_rule_line(cx, name, "const SnRef *%s = sn_operands(rw, g, %s, %u, %s);",
                 name, r->id, r->first, r->count);
    return sn_format(cx->a, "%s, %s", r->count, name);
}

/* "n, v" for the operands of a variadic port. */
static const char *
build_run(SnRuleGen *cx, const SnTerm *t)
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
 * result 0, which is in the same group. */
static const char *
result_type(SnRuleGen *cx, const SnTerm *t, uint32_t r)
{
    const SnDefNode *n = t->node, *from = var_kind(t->like_var);

    if (r == 0 || (n->out[r]->fact == SN_SAME && n->out[0]->fact == SN_SAME))
        return sn_rule_term_type(cx, t);
    if (from == n)
        return sn_format(cx->a, "sn_type(g, SN_REF(%s, %u))",
                         sn_rule_of(cx, t->like_var), r);
    int8_t e = SN_ABSENT;
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (n->tuple[i].out[r].elem != SN_ABSENT)
            e = n->tuple[i].out[r].elem;
    if (e == SN_ABSENT)
        return "NULL";
    if (e >= SN_QI8 && e <= SN_QI32)
        return sn_rule_term_type(cx, t);
    return sn_format(cx->a, "sn_type_plain(g->pool, %s)", sn_elem_enum(e));
}

static const char *
component(SnRuleGen *cx, const SnTerm *t)
{
    return t->as ? sn_format(cx->a, "sn_component(rw, g, %s, \"%s\")", cx->root,
                             t->as)
                 : "NULL";
}

/* Lines that run once the replaced nodes are gone. */
static void
at_last(SnRuleGen *cx, const char *text)
{
    SN_PUSH(cx->a, cx->last, cx->nlast, text);
}

/* The value of new node id.  A node with its own name (from a let variable, or
 * kept from another value) is folded after all its readers are built, if its
 * leaves are constant. */
static const char *
value(SnRuleGen *cx, const SnTerm *t, const char *id, const char *name)
{
    if (!name && !t->named)
        return sn_format(cx->a, "SN_REF(%s, 0)", id);
    const char *from = t->named ? sn_rule_local(cx, t->named) : NULL;
    if (!name)
        name = sn_rule_fresh(cx, sn_format(cx->a, "new_%s", from));
    sn_rule_line(cx, name, "SnRef %s = SN_REF(%s, 0);", name, id);
    if (!from) {
        SN_PUSH(cx->a, cx->fold, cx->nfold,
                sn_format(cx->a, "sn_fold_let(rw, g, %s);", name));
        return name;
    }
    const char *s = sn_rule_fresh(cx, sn_format(cx->a, "name_%s", from));
    sn_rule_line(cx, s, "const char *%s = sn_name(g, %s);", s, from);
    SN_PUSH(cx->a, cx->fold, cx->nfold,
            sn_format(cx->a, "%s = sn_fold_let(rw, g, %s);", name, name));
    at_last(cx, sn_format(cx->a, "sn_rename(g, %s, %s);", name, s));
    return name;
}

/* The new node's id. */
static const char *
build_call(SnRuleGen *cx, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    const char *lo = sn_rule_lower(cx, n), *flag;
    SnBuf b;

    sn_buf_init(&b, cx->a);
    sn_putf(&b, "sn_%s_new(g, %s", lo, component(cx, t));
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTerm *k = t->by_port[i];
        if (n->in[i]->variadic)
            sn_putf(&b, ", %s", build_run(cx, t));
        else if (k && k->tk == SN_T_FUNC && k->fn == SN_FN_REGRID) {
            SnRuleRegrid r = sn_rule_regrid(cx, t, i, k);
            const char *v = sn_rule_fresh(cx, "grid");
            sn_rule_line(cx, v, "SnRef %s = sn_regrid(g, %s, %s, %s);", v, r.b,
                         r.consumer, r.new_x);
            sn_putf(&b, ", %s", v);
        } else
            sn_putf(&b, ", %s", k ? build(cx, k, NULL) : "0");
    }
    const char *id = sn_rule_fresh(cx, lo);
    if (sn_def_source(n)) {
        const char *like = t->like ? sn_rule_local(cx, t->like) : cx->root;
        sn_putf(&b, ", sn_shape_of(g, SN_REF(%s, 0)), sn_node(g, %s)->data",
                like, like);
        if (n->has_effect)
            at_last(cx, sn_format(cx->a, "sn_supersede(g, %s, %s);", like, id));
    }
    if (n->nall)
        sn_putf(&b, ", %s", sn_rule_attrs(cx, t, lo));
    for (uint32_t i = 0; i < n->nout; i++)
        sn_putf(&b, ", %s", result_type(cx, t, i));
    sn_rule_line(cx, NULL, "SnId %s = %s);", id, sn_buf_str(&b));
    flag = n->clamp ? calibrated(cx, t, t->like_var) : NULL;
    if (flag)
        sn_rule_line(cx, NULL, "sn_node(g, %s)->calibrated = %s;", id, flag);
    return id;
}

/* n.type, which a copy of n has anyway. */
static bool
own_type(const SnExpr *e, const SnDefVar *n)
{
    return e->ek == SN_E_MEMBER && e->word == SN_W_TYPE &&
           e->kid[0]->ek == SN_E_NAME && !strcmp(e->kid[0]->s, n->name);
}

/* copy n {a = e} : T */
static const char *
build_copy(SnRuleGen *cx, const SnTerm *t)
{
    const SnDefVar *v = t->var;
    const SnDefNode *one = var_kind(v);
    const char *src = sn_rule_of(cx, v), *flag;
    const char *e = sn_rule_fresh(cx, "edit"), *id = sn_rule_fresh(cx, "copy");
    const SnExpr *type = t->type ? t->type : t->forced;

    sn_rule_line(cx, NULL, "SnEdit %s = sn_edit(g, %s);", e, src);
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnDefAttr *at = t->asg[i].attr;
        if (!at)
            continue;
        const char *x = sn_rule_value(cx, one ? one : t->node, at, t->asg[i].e);
        if (at->says == SN_W_CLAMP)
            sn_rule_line(cx, NULL, "sn_edit_clamp(&%s, %s);", e, x);
        else if (one)
            sn_rule_line(cx, NULL, "((Sn%sAttr *)%s.attr)->%s = %s;", one->name,
                         e, sn_field(cx->a, at->name), x);
        else
            sn_rule_line(cx, NULL, "*(%s*)sn_edit_attr(&%s, \"%s\") = %s;",
                         sn_attr_kind_words[at->ty].c, e, at->name, x);
    }
    if (type && !own_type(type, v))
        sn_rule_line(cx, NULL, "%s.type[0] = %s;", e, sn_rule_type(cx, type));
    if (t->as)
        sn_rule_line(cx, NULL, "%s.name = %s;", e, component(cx, t));
    flag = calibrated(cx, t, NULL);
    if (flag || sn_rule_asg_word(t, SN_W_CLAMP))
        sn_rule_line(cx, NULL, "%s.calibrated = %s;", e, flag ? flag : "false");
    sn_rule_line(cx, NULL, "SnId %s = sn_edit_add(g, &%s);", id, e);
    return id;
}

/* Builds t; the C text of its value.  With a name the value gets a local of
 * that name and is folded if its leaves are constant. */
static const char *
build(SnRuleGen *cx, const SnTerm *t, const char *name)
{
    SnExpr n = {.ek = SN_E_NAME, .s = t->name, .pos = t->pos};
    const SnDefVar *v;

    switch (t->tk) {
    case SN_T_NONE:
        return "0";
    case SN_T_VAR:
        v = sn_rule_var(cx, t->name);
        if (v && v->vk == SN_V_LIST) /* its first element */
            return sn_format(cx->a, "sn_in(g, %s, %u)",
                             cx->bind[v->index].run.id,
                             cx->bind[v->index].run.first);
        if (v && v->vk == SN_V_NODE)
            return sn_format(cx->a, "SN_REF(%s, 0)", sn_rule_of(cx, v));
        return v ? sn_rule_of(cx, v) : sn_rule_local(cx, n.s);
    case SN_T_CALL:
        return value(cx, t, build_call(cx, t), name);
    case SN_T_COPY:
        return value(cx, t, build_copy(cx, t), name);
    case SN_T_FUNC: {
        if (t->fn != SN_FN_FOLD)
            break;
        const char *x = build(cx, t->arg[0], NULL);
        const char *f = name ? name : sn_rule_fresh(cx, "folded");
        sn_rule_line(cx, f, "SnRef %s = sn_try_fold(g, %s);", f, x);
        return f;
    }
    case SN_T_EACH:
        break;
    }
    sn_error(cx->d, t->pos, "SN104", "'%s' is not allowed here",
             t->tk == SN_T_EACH ? "each" : t->name);
    return "0";
}

/* ---- the replacement ---- */

/* Replaces every result of the root by the same of node id. */
static void
fired_all(SnRuleGen *cx, const char *id, uint32_t nout)
{
    for (uint32_t i = 0; i < nout; i++)
        sn_rule_line(cx, NULL,
                     "sn_fired(rw, g, SN_REF(%s, %u), SN_REF(%s, "
                     "%u));",
                     cx->root, i, id, i);
}

static void
replace_root(SnRuleGen *cx)
{
    const SnDefRule *r = cx->rule;
    const SnDefNode *n = r->pat->node;
    const SnTerm *t = r->rhs;
    bool node = t->tk == SN_T_CALL || t->tk == SN_T_COPY;

    if (n && n->nout == 0) { /* an effect: the node itself is replaced */
        if (!node) {
            sn_error(cx->d, t->pos, "SN104",
                     "%s has no result that can be replaced", n->name);
            return;
        }
        const char *id =
            t->tk == SN_T_CALL ? build_call(cx, t) : build_copy(cx, t);
        sn_rule_line(cx, NULL, "sn_fired_node(rw, g, %s, %s);", cx->root, id);
        return;
    }
    if (node && n && n->nout > 1 && r->nmore == 0 && t->node &&
        t->node->nout == n->nout) {
        fired_all(cx,
                  t->tk == SN_T_CALL ? build_call(cx, t) : build_copy(cx, t),
                  n->nout);
        return;
    }
    const char **v = SN_NEW_N(cx->a, const char *, r->nmore + 1);
    v[0] = build(cx, t, NULL);
    for (uint32_t i = 0; i < r->nmore; i++)
        v[i + 1] = build(cx, r->more[i], NULL);
    for (uint32_t i = 0; i <= r->nmore; i++)
        sn_rule_line(cx, NULL, "sn_fired(rw, g, SN_REF(%s, %u), %s);", cx->root,
                     i, v[i]);
}

void
sn_rule_replace(SnRuleGen *cx)
{
    const SnDefRule *r = cx->rule;

    cx->nfold = cx->nlast = 0;
    for (uint32_t i = 0; i < r->nlet; i++) {
        const char *name = sn_rule_local(cx, r->let_name[i]);
        const char *v = build(cx, r->let[i], name);
        if (strcmp(v, name))
            sn_rule_line(cx, name, "SnRef %s = %s;", name, v);
    }
    replace_root(cx);
    for (uint32_t i = 0; i < cx->nfold; i++)
        sn_rule_line(cx, NULL, "%s", cx->fold[i]);
    sn_rule_line(cx, NULL, "sn_fire_end(rw, g);");
    for (uint32_t i = 0; i < cx->nlast; i++)
        sn_rule_line(cx, NULL, "%s", cx->last[i]);
    sn_rule_line(cx, NULL, "return true;");
}
