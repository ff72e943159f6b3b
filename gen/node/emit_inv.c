// SPDX-License-Identifier: Apache-2.0
/* sn_inv.c: `where` constraints of attributes and invariants of nodes. */
#include "gen/expr/cw.h"

#include <string.h>

static SnCVal
no_value(SnCw *w, const SnExpr *e)
{
    sn_error(w->d, e->pos, "SN104", "'%s' is not for constraints",
             sn_expr_str(w->a, e));
    return sn_cval(SN_TY_BOOL, "false");
}

/* An operand or result: its shape. */
static const char *
ref(SnCw *w, const SnExpr *e)
{
    const SnDefPort *p = e->ref;

    if (e->rk != SN_R_PORT)
        return NULL;
    return sn_format(w->a, p->out ? "sn_inv_out(c, %u)" : "sn_inv_shape(c, %u)",
                     p->index);
}

static SnCVal
attribute(const SnCw *w, const SnDefAttr *a)
{
    const char *at = sn_format(w->a, "at->%s", sn_field(w->a, a->name));
    SnCVal v = sn_cval(sn_attr_ty(a), at);

    if (a->range_attr)
        v.dom = sn_format(w->a, "at->%s", sn_field(w->a, a->range_attr->name));
    return v;
}

static bool
own(SnCw *w, const SnExpr *e, SnCVal *v)
{
    const SnDefNode *n = w->of;

    if (e->fn == SN_FN_COUNT && e->kid[0]->rk == SN_R_PORT) {
        const SnDefPort *p = e->kid[0]->ref;
        *v = sn_cval(SN_TY_INT,
                     sn_format(w->a, "sn_inv_count(c, %u)", p->index));
        return !p->out;
    }
    if (e->ek != SN_E_NAME)
        return false;
    if (e->rk == SN_R_ATTR)
        *v = attribute(w, e->ref);
    else if (e->rk == SN_R_WORD)
        *v = sn_cval(SN_TY_ENUM, sn_cw_word(w->a, n, e->ref, e->s));
    else if (e->rk == SN_R_TYPE)
        *v = (SnCVal){.prec = P_PRIM,
                      .ty = SN_TY_ETYPE,
                      .conc = ((const SnDefType *)e->ref)->conc,
                      .nconc = ((const SnDefType *)e->ref)->nconc};
    else if (e->word == SN_W_FULL)
        *v = sn_cval(SN_TY_RANGE, "(SnRange){ .has_lo = false }");
    else
        *v = no_value(w, e);
    return true;
}

/* The body of a function that returns e; breaks lines at `and`. */
static void
put_return(SnBuf *b, SnCw *w, const SnExpr *e, bool whole)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        put_return(b, w, e->kid[0], true);
        sn_puts(b, "\n        && ");
        e = e->kid[1];
        whole = false;
    }
    SnCVal v = sn_cw(w, e);
    sn_puts(b, whole ? v.s : sn_cw_paren(w, v, P_EQ));
}

static void
put_fn(SnBuf *b, SnCw *w, const char *head, SnPos at, const SnExpr *e,
       const char *subject)
{
    const SnDefNode *n = w->of;
    SnBuf t;

    sn_emit_comment(b, sn_format(w->a, "%s: %s %s", sn_where(w->a, at), subject,
                                 sn_expr_str(w->a, e)));
    sn_putf(b, "bool\n%s\n{\n", head);
    sn_buf_init(&t, w->a);
    w->calculates = false;
    put_return(&t, w, e, true);
    const char *body = sn_buf_str(&t);
    const char *fits = "";
    if (w->calculates) { /* false, too, where an integer leaves 64 bits */
        bool all = e->ek == SN_E_BIN && e->op == SN_OP_AND;
        body =
            sn_format(w->a, all ? "%s\n        && fits" : "(%s) && fits", body);
        fits = "    bool fits = true;\n";
    }
    bool attr = strstr(head, "void *attr") != NULL;
    bool made = strstr(body, "(scratch,") != NULL; /* lists */
    if (strstr(body, "at->"))
        sn_putf(b, "    const Sn%sAttr *at = %s;\n", n->name,
                attr ? "attr" : "c->attr");
    else if (attr || (!strstr(body, "(c,") && !strstr(body, "c->") && !made))
        sn_putf(b, "    (void)%s;\n", attr ? "attr" : "c");
    if (made)
        sn_putf(b, "    SnArena *scratch = %s;\n",
                attr ? "sn_arena_new()" : "c->scratch");
    sn_puts(b, fits);
    if (made || *fits || strstr(body, "at->"))
        sn_puts(b, "\n");
    if (made && attr)
        sn_putf(b,
                "    bool ok = %s;\n    sn_arena_free(scratch);\n"
                "    return ok;\n}\n",
                body);
    else
        sn_putf(b, "    return %s;\n}\n", body);
}

void
sn_emit_inv(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnBuf b;

    sn_buf_init(&b, s->arena);
    sn_emit_head(&b, "Constraints of attributes and invariants of nodes.");
    sn_putf(&b, "#include \"%s\"\n\n%s#include \"%s\"\n",
            sn_emit_name(s, "gen.h"),
            s->is_plugin ? ""
                         : "#include \"kernel/eval/inv.h\"\n"
                           "#include \"rewrite/rule.h\"\n",
            sn_emit_name(s, "kinds.h"));
    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        const char *lo = sn_lower(s->arena, n->name);
        SnCw w = {.a = s->arena,
                  .d = d,
                  .place = SN_CP_CONSTRAINT,
                  .of = s->node[i],
                  .own = own,
                  .ref = ref,
                  .none = no_value};
        if (!sn_defs_mine(s, n->backend))
            continue;
        for (uint32_t k = 0; k < n->nall; k++)
            if (n->all[k]->where)
                put_fn(&b, &w,
                       sn_format(s->arena, "sn_check_%s_%s(const void *attr)",
                                 lo, n->all[k]->name),
                       n->all[k]->pos, n->all[k]->where,
                       sn_format(s->arena, "attr %s where", n->all[k]->name));
        for (uint32_t k = 0; k < n->nrinv; k++)
            put_fn(&b, &w,
                   sn_format(s->arena, "sn_inv_%s_%u(const SnCall *c)", lo, k),
                   n->rinv[k]->pos, n->rinv[k]->expr, "invariant");
    }
    sn_emit_file(&b, outdir, sn_emit_name(s, "inv.c"), d);
}
