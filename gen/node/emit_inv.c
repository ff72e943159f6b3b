// SPDX-License-Identifier: Apache-2.0
/* sn_inv.c: `where` constraints of attributes and invariants of nodes. */
#include "gen/text/emit.h"

#include <string.h>

typedef struct Iv {
    const char *s;
    SnTy ty;
    bool atom;
    const char *fill; /* ones(n), zeros(n): "n, 1" */
} Iv;

typedef struct Ix {
    SnArena *a;
    SnDiag *d;
    const SnDefNode *n;
} Ix;

static Iv value(Ix *x, const SnExpr *e);

static Iv
iv(SnTy ty, const char *s)
{
    return (Iv){.s = s, .ty = ty, .atom = true};
}

static Iv
no_value(Ix *x, const SnExpr *e)
{
    SnBuf b;

    sn_buf_init(&b, x->a);
    sn_put_expr(&b, e);
    sn_error(x->d, e->pos, "SN104", "'%s' cannot stand in a constraint",
             sn_buf_str(&b));
    return iv(SN_TY_BOOL, "false");
}

static const char *
paren(Ix *x, Iv v)
{
    return v.atom ? v.s : sn_format(x->a, "(%s)", v.s);
}

static const SnDefPort *
out_port(const SnDefNode *n, const char *s)
{
    for (uint32_t i = 0; i < n->nout; i++)
        if (!strcmp(n->out[i]->name, s))
            return n->out[i];
    return NULL;
}

static const SnDefPort *
in_port(const SnDefNode *n, const char *s)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (!strcmp(n->in[i]->name, s))
            return n->in[i];
    return NULL;
}

static Iv
name(Ix *x, const SnExpr *e)
{
    static const SnTy ty[] = {SN_TY_INT,   SN_TY_REAL,  SN_TY_BOOL,
                              SN_TY_STR,   SN_TY_ENUM,  SN_TY_INTS,
                              SN_TY_REALS, SN_TY_ETYPE, SN_TY_RANGE};
    const SnDefAttr *a = sn_def_attr(x->n, e->s);

    if (a)
        return iv(ty[a->ty],
                  sn_format(x->a, "at->%s", sn_field(x->a, a->name)));
    if (e->rk == SN_R_WORD && e->ref)
        return iv(SN_TY_ENUM,
                  sn_format(x->a, "SN_%s_%s_%s", sn_upper(x->a, x->n->name),
                            sn_upper(x->a, ((const SnDefAttr *)e->ref)->name),
                            sn_upper(x->a, e->s)));
    const SnDefPort *p = in_port(x->n, e->s);
    if (p)
        return iv(SN_TY_SHAPE,
                  sn_format(x->a, "sn_inv_shape(c, %u)", p->index));
    if ((p = out_port(x->n, e->s)))
        return iv(SN_TY_SHAPE, sn_format(x->a, "sn_inv_out(c, %u)", p->index));
    return no_value(x, e);
}

static Iv
list(Ix *x, const SnExpr *e)
{
    SnBuf b;
    double v;

    if (e->nkid == 0)
        return iv(SN_TY_INTS, "(SnInts){ 0, NULL }");
    sn_buf_init(&b, x->a);
    sn_putf(&b, "(SnInts){ %u, (const int64_t[]){ ", e->nkid);
    for (uint32_t i = 0; i < e->nkid; i++) {
        sn_puts(&b, i ? ", " : "");
        if (sn_const_num(e->kid[i], &v))
            sn_emit_i64(&b, (int64_t)v);
        else
            sn_puts(&b, value(x, e->kid[i]).s);
    }
    sn_puts(&b, " } }");
    return iv(SN_TY_INTS, sn_buf_str(&b));
}

static Iv
call(Ix *x, const SnExpr *e)
{
    const char *f = e->s;
    const SnDefPort *p;

    if (e->nkid == 0)
        return no_value(x, e);
    p = e->kid[0]->ek == SN_E_NAME ? in_port(x->n, e->kid[0]->s) : NULL;
    if (p && !strcmp(f, "present"))
        return iv(SN_TY_BOOL,
                  sn_format(x->a, "sn_inv_present(c, %u)", p->index));
    if (p && !strcmp(f, "count"))
        return iv(SN_TY_INT, sn_format(x->a, "sn_inv_count(c, %u)", p->index));
    Iv v = value(x, e->kid[0]);
    Iv w = e->nkid > 1 ? value(x, e->kid[1]) : v;
    if (!strcmp(f, "dim") && e->nkid == 2)
        return iv(SN_TY_INT, sn_format(x->a, "sn_inv_dim(%s, %s)", v.s, w.s));
    if (!strcmp(f, "rank"))
        return iv(SN_TY_INT, sn_format(x->a, "sn_inv_rank(%s)", v.s));
    if (!strcmp(f, "shape"))
        return v;
    if (!strcmp(f, "dims"))
        return iv(SN_TY_INTS, sn_format(x->a, "sn_inv_dims(%s)", v.s));
    if (!strcmp(f, "count"))
        return iv(SN_TY_INT, sn_format(x->a, "(int64_t)%s.n", paren(x, v)));
    if (!strcmp(f, "identity"))
        return iv(SN_TY_BOOL, sn_format(x->a, "sn_ints_identity(%s)", v.s));
    if (!strcmp(f, "ones") || !strcmp(f, "zeros")) {
        Iv r = iv(SN_TY_INTS, "(SnInts){ 0, NULL }");
        r.fill = sn_format(x->a, "%s, %d", v.s, f[0] == 'o');
        return r;
    }
    if ((!strcmp(f, "min") || !strcmp(f, "max")) && e->nkid == 2)
        return iv(SN_TY_REAL, sn_format(x->a, "f%s((double)%s, (double)%s)", f,
                                        paren(x, v), paren(x, w)));
    if (!strcmp(f, "abs") || !strcmp(f, "sqrt"))
        return iv(SN_TY_REAL,
                  sn_format(x->a, "%s((double)%s)",
                            f[0] == 'a' ? "fabs" : "sqrt", paren(x, v)));
    return no_value(x, e);
}

static bool
is_list(Iv v)
{
    return v.ty == SN_TY_INTS || v.ty == SN_TY_REALS;
}

/* Lists against numbers hold when every element does. */
static Iv
compare(Ix *x, const SnExpr *e, Iv a, Iv b)
{
    static const char *const op[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const cmp[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    static const int swap[] = {0, 1, 4, 5, 2, 3};
    int k = (int)e->op - SN_OP_EQ;
    const char *not = e->op == SN_OP_NE ? "!" : "";
    bool real;

    if (is_list(b) && !is_list(a) && a.ty != SN_TY_SHAPE) {
        Iv t = a;
        a = b;
        b = t;
        k = swap[k];
    }
    if (is_list(a) && !is_list(b) && b.ty != SN_TY_SHAPE) {
        bool ints = a.ty == SN_TY_INTS, exact = ints && b.ty == SN_TY_INT;
        return iv(SN_TY_BOOL, sn_format(x->a, "sn_%s(%s, SN_CMP_%s, %s%s)",
                                        exact  ? "ints_all"
                                        : ints ? "ints_all_real"
                                               : "reals_all",
                                        a.s, cmp[k], exact ? "" : "(double)",
                                        exact ? b.s : paren(x, b)));
    }
    if (a.fill && !b.fill) {
        Iv t = a;
        a = b;
        b = t;
    }
    if (is_list(a) && b.fill)
        return iv(SN_TY_BOOL,
                  sn_format(x->a, "%ssn_inv_filled(%s, %s)", not, a.s, b.fill));
    if (is_list(a) || is_list(b)) {
        if (a.ty == SN_TY_SHAPE)
            a.s = sn_format(x->a, "sn_inv_dims(%s)", a.s);
        if (b.ty == SN_TY_SHAPE)
            b.s = sn_format(x->a, "sn_inv_dims(%s)", b.s);
        return iv(SN_TY_BOOL,
                  sn_format(x->a, "%ssn_ints_equal(%s, %s)", not, a.s, b.s));
    }
    if (a.ty == SN_TY_SHAPE)
        return iv(SN_TY_BOOL,
                  sn_format(x->a, "%ssn_inv_same(%s, %s)", not, a.s, b.s));
    if (a.ty == SN_TY_STR)
        return iv(SN_TY_BOOL, sn_format(x->a, "%sstrcmp(%s, %s)",
                                        *not ? "!!" : "!", a.s, b.s));
    real = (a.ty == SN_TY_REAL) != (b.ty == SN_TY_REAL);
    return (Iv){.ty = SN_TY_BOOL,
                .s = sn_format(x->a, "%s%s %s %s%s", real ? "(double)" : "",
                               paren(x, a), op[k], real ? "(double)" : "",
                               paren(x, b))};
}

static Iv
binary(Ix *x, const SnExpr *e)
{
    static const char *const op[] = {"+", "-", "*", "/"};
    Iv a = value(x, e->kid[0]), b = value(x, e->kid[1]);
    Iv r = {.ty = SN_TY_BOOL};

    if (e->op == SN_OP_AND || e->op == SN_OP_OR) {
        r.s = sn_format(x->a, "%s %s %s", paren(x, a),
                        e->op == SN_OP_AND ? "&&" : "||", paren(x, b));
        return r;
    }
    if (e->op >= SN_OP_EQ)
        return compare(x, e, a, b);
    bool real = a.ty == SN_TY_REAL || b.ty == SN_TY_REAL ||
                e->op == SN_OP_DIV; /* a quotient is a real one */
    r.ty = real ? SN_TY_REAL : SN_TY_INT;
    r.s = sn_format(x->a, "%s%s %s %s%s", real ? "(double)" : "", paren(x, a),
                    op[e->op], real ? "(double)" : "", paren(x, b));
    return r;
}

static Iv
value(Ix *x, const SnExpr *e)
{
    SnBuf b;
    Iv v;

    sn_buf_init(&b, x->a);
    switch (e->ek) {
    case SN_E_INT:
        sn_emit_i64(&b, e->i);
        return iv(SN_TY_INT, sn_buf_str(&b));
    case SN_E_REAL:
        sn_emit_f64(&b, e->r);
        return iv(SN_TY_REAL, sn_buf_str(&b));
    case SN_E_BOOL:
        return iv(SN_TY_BOOL, e->i ? "true" : "false");
    case SN_E_STR:
        sn_emit_str(&b, e->s);
        return iv(SN_TY_STR, sn_buf_str(&b));
    case SN_E_NAME:
        return name(x, e);
    case SN_E_LIST:
        return list(x, e);
    case SN_E_INDEX:
        v = value(x, e->kid[0]);
        if (!is_list(v))
            return no_value(x, e);
        return iv(v.ty == SN_TY_INTS ? SN_TY_INT : SN_TY_REAL,
                  sn_format(x->a, "%s(%s, %s)",
                            v.ty == SN_TY_INTS ? "sn_ints_at" : "sn_reals_at",
                            v.s, value(x, e->kid[1]).s));
    case SN_E_CALL:
        return call(x, e);
    case SN_E_NEG:
        v = value(x, e->kid[0]);
        v.s = sn_format(x->a, "-%s", paren(x, v));
        v.atom = false;
        return v;
    case SN_E_NOT:
        v = value(x, e->kid[0]);
        v.s = sn_format(x->a, "!%s", paren(x, v));
        v.ty = SN_TY_BOOL;
        return v;
    case SN_E_BIN:
        return binary(x, e);
    case SN_E_IN:
        for (uint32_t i = 1; i < e->nkid; i++) {
            SnExpr eq = {.ek = SN_E_BIN, .op = SN_OP_EQ};
            v = compare(x, &eq, value(x, e->kid[0]), value(x, e->kid[i]));
            sn_putf(&b, "%s%s", i > 1 ? " || " : "", paren(x, v));
        }
        return (Iv){.ty = SN_TY_BOOL, .s = sn_buf_str(&b)};
    default:
        return no_value(x, e);
    }
}

/* The body of a function that returns e; breaks lines at `and`. */
static void
put_return(SnBuf *b, Ix *x, const SnExpr *e, const char *lead)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        put_return(b, x, e->kid[0], lead);
        sn_puts(b, "\n        && ");
        e = e->kid[1];
        Iv v = value(x, e);
        sn_puts(b, paren(x, v));
        return;
    }
    Iv v = value(x, e);
    sn_putf(b, "%s%s", lead, *lead ? paren(x, v) : v.s);
}

static void
put_fn(SnBuf *b, Ix *x, const char *head, SnPos at, const SnExpr *e,
       const char *subject)
{
    SnBuf t, q;

    sn_buf_init(&q, x->a);
    sn_putf(&q, "%s: %s ", sn_where(x->a, at), subject);
    sn_put_expr(&q, e);
    sn_puts(b, "\n/* ");
    SnBuf l;
    sn_buf_init(&l, x->a);
    sn_emit_quote(&l, "", sn_buf_str(&q));
    sn_putf(b, "%.*s */\nbool\n%s\n{\n", (int)(l.n - 1), sn_buf_str(&l), head);
    sn_buf_init(&t, x->a);
    put_return(&t, x, e, "");
    const char *body = sn_buf_str(&t);
    bool attr = strstr(head, "void *attr") != NULL;
    if (strstr(body, "at->"))
        sn_putf(b, "    const Sn%sAttr *at = %s;\n\n", x->n->name,
                attr ? "attr" : "c->attr");
    else if (attr || (!strstr(body, "(c,") && !strstr(body, "c->")))
        sn_putf(b, "    (void)%s;\n", attr ? "attr" : "c");
    sn_putf(b, "    return %s;\n}\n", body);
}

void
sn_emit_inv(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnBuf b;

    sn_buf_init(&b, s->arena);
    sn_emit_head(&b, "Constraints of attributes and invariants of nodes.");
    sn_putf(&b,
            "#include \"%s\"\n\n#include \"kernel/eval/inv.h\"\n"
            "#include \"%s\"\n",
            sn_emit_name(s, "gen.h"), sn_emit_name(s, "kinds.h"));
    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        const char *lo = sn_lower(s->arena, n->name);
        Ix x = {s->arena, d, n};
        if (!sn_defs_mine(s, n->backend))
            continue;
        for (uint32_t k = 0; k < n->nall; k++)
            if (n->all[k]->where)
                put_fn(&b, &x,
                       sn_format(s->arena, "sn_check_%s_%s(const void *attr)",
                                 lo, n->all[k]->name),
                       n->all[k]->pos, n->all[k]->where,
                       sn_format(s->arena, "attr %s where", n->all[k]->name));
        for (uint32_t k = 0; k < n->nrinv; k++)
            put_fn(&b, &x,
                   sn_format(s->arena, "sn_inv_%s_%u(const SnCall *c)", lo, k),
                   n->rinv[k]->pos, n->rinv[k]->expr, "invariant");
    }
    sn_emit_file(&b, outdir, sn_emit_name(s, "inv.c"), d);
}
