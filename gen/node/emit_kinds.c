// SPDX-License-Identifier: Apache-2.0
/* sn_kind_NAME.h, sn_kinds.h, sn_kinds.c, sn_gen.h: every kind as a number, an
 * attribute struct, accessors and a constructor, and as one row of descriptor
 * tables. */
#include "gen/node/part.h"

#include "dsl/model/arith.h"

typedef struct Kd {           /* names of one kind */
    const char *lo, *up, *st; /* conv2d, CONV2D, SnConv2DAttr */
} Kd;

static Kd
kind_names(SnArena *a, const SnDefNode *n)
{
    return (Kd){sn_lower(a, n->name), sn_upper(a, n->name),
                sn_format(a, "Sn%sAttr", n->name)};
}

/* ---- sn_kind_NAME.h, sn_kinds.h ---- */

static void
put_new_head(SnBuf *b, const SnDefNode *n, Kd k, const char *before,
             const char *after)
{
    SnArena *a = b->a;

    sn_putf(b, "%ssn_%s_new(SnGraph *g, const char *name", before, k.lo);
    for (uint32_t i = 0; i < n->nin; i++) {
        const char *p = sn_local(a, n->in[i]->name);
        if (n->in[i]->variadic)
            sn_putf(b, ", uint32_t n%s, const SnRef *%s", p, p);
        else
            sn_putf(b, ", SnRef %s", p);
    }
    if (sn_def_source(n))
        sn_puts(b, ", const SnShape *shape, const void *data");
    if (n->nall)
        sn_putf(b, ", const %s *attr", k.st);
    for (uint32_t i = 0; i < n->nout; i++)
        sn_putf(b, ", const SnType *%s", sn_local(a, n->out[i]->name));
    sn_putf(b, ")%s\n", after);
}

static void
put_access(SnBuf *b, const SnDefNode *n, Kd k)
{
    if (n->nall)
        sn_putf(b,
                "static inline const %s *\n"
                "sn_%s_attr(const SnGraph *g, SnId id)\n"
                "{\n    return (const %s *)sn_node(g, id)->attr;\n}\n",
                k.st, k.lo, k.st);
    for (uint32_t i = 0; i < n->nin; i++) {
        if (n->in[i]->variadic)
            break; /* later ports have no fixed slot */
        sn_putf(b,
                "static inline SnRef\n"
                "sn_%s_%s(const SnGraph *g, SnId id)\n"
                "{\n    return sn_in(g, id, %u);\n}\n",
                k.lo, n->in[i]->name, i);
    }
    put_new_head(b, n, k, "SnId ", ";");
}

static void
put_kind(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    Kd k = kind_names(b->a, n);

    sn_emit_comment(b, sn_format(b->a, "%s%s%s", n->name, n->doc ? ": " : "",
                                 n->doc ? n->doc : ""));
    if (s->is_plugin)
        sn_emit_struct(b, n);
    else
        sn_putf(b, "enum { SN_K_%s = %u };\n", k.up, n->kind);
    put_access(b, n, k);
}

/* One kind per header: files that include it are not recompiled for another
 * kind, unless its number changes. */
static const char *
emit_kind_h(const SnDefs *s, const SnDefNode *n, const char *outdir, SnDiag *d)
{
    Kd k = kind_names(s->arena, n);
    const char *name = sn_format(s->arena, "sn_kind_%s.h", k.lo);
    SnBuf b;

    sn_emit_header(&b, s->arena,
                   "One kind of node: its number, attribute struct, accessors, "
                   "constructor.",
                   sn_format(s->arena, "SN_KIND_%s_H", k.up),
                   n->nall ? sn_format(s->arena,
                                       "#include \"graph/desc.h\"\n"
                                       "#include \"sn_attr_%u.h\"\n",
                                       sn_part(n))
                           : "#include \"graph/desc.h\"\n");
    put_kind(&b, s, n);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, name, d);
    return name;
}

static void
emit_kinds_h(const SnDefs *s, const char *outdir, SnDiag *d)
{
    bool plugin = s->is_plugin;
    SnBuf b, lines;

    sn_buf_init(&lines, s->arena);
    sn_puts(&lines, sn_emit_core(s, "#include \"graph/desc.h\"\n"));
    for (uint32_t i = 0; i < s->nnode && !plugin; i++)
        sn_putf(&lines, "#include \"%s\"\n",
                emit_kind_h(s, s->node[i], outdir, d));
    sn_puts(&lines, plugin ? "" : "#include \"sn_maps.h\"\n");
    sn_emit_header(&b, s->arena,
                   plugin ? "Node kinds: numbers, attribute structs, "
                            "accessors, constructors."
                          : "All kinds of nodes, and the index maps.",
                   sn_emit_guard(s, "kinds.h"), sn_buf_str(&lines));
    sn_puts(&b, "enum {\n");
    for (uint32_t i = 0; i < s->nnode && plugin; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            sn_putf(&b, "    SN_K_%s = %u,\n",
                    sn_upper(s->arena, s->node[i]->name), s->node[i]->kind);
    sn_putf(&b, "    %s_END = %u\n};\n",
            plugin ? sn_upper(s->arena, s->plugin->name) : "SN_K",
            s->nnode + 1);
    for (uint32_t i = 0; i < s->nnode && plugin; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            put_kind(&b, s, s->node[i]);
    if (plugin && s->core_nmap < s->nmap)
        sn_puts(&b, "\n/* index maps */\n");
    if (plugin)
        sn_emit_map_names(&b, s);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_emit_name(s, "kinds.h"), d);
}

/* ---- sn_gen.h ---- */

static void
emit_gen_h(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnArena *a = s->arena;
    SnBuf b, lines;

    sn_buf_init(&lines, a);
    sn_puts(&lines, sn_emit_core(s, "#include \"graph/desc.h\"\n"
                                    "#include \"kernel/eval/map.h\"\n"));
    for (unsigned part = 0; part < SN_NPART && !s->is_plugin; part++)
        sn_putf(&lines, "#include \"sn_eval_%u.h\"\n", part);
    sn_emit_header(&b, a, "Functions that the tables of sn_kinds.c point to.",
                   sn_emit_guard(s, "gen.h"), sn_buf_str(&lines));
    if (s->is_plugin)
        for (uint32_t i = 0; i < s->nnode; i++)
            sn_emit_eval_names(&b, s, s->node[i]);
    sn_putf(&b, "\n/* %s: where constraints, invariants */\n",
            sn_emit_name(s, "inv.c"));
    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        if (!sn_defs_mine(s, n->backend))
            continue;
        for (uint32_t k = 0; k < n->nall; k++)
            if (n->all[k]->where)
                sn_putf(&b, "bool sn_check_%s_%s(const void *attr);\n",
                        sn_lower(a, n->name), n->all[k]->name);
        for (uint32_t k = 0; k < n->nrinv; k++)
            sn_putf(&b, "bool sn_inv_%s_%u(const SnCall *c);\n",
                    sn_lower(a, n->name), k);
    }
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, sn_emit_name(s, "gen.h"), d);
}

/* ---- attribute defaults ---- */

/* ".lo = -1.0, .has_lo = true"; nothing for an open side. */
static const char *
side(SnArena *a, const SnExpr *e, const char *field)
{
    double v;

    return e->ek == SN_E_WILD || !sn_const_num(e, &v)
               ? ""
               : sn_format(a, ".%s = %s, .has_%s = true", field,
                           sn_lit_f64(a, v), field);
}

static const char *
default_of(SnArena *a, const SnDefAttr *at)
{
    const SnExpr *e = at->def;
    bool list = e && e->ek == SN_E_LIST;
    double v = 0;

    switch (at->ty) {
    case SN_A_INT:
        return sn_lit_int(a, e);
    case SN_A_REAL:
        sn_const_num(e, &v);
        return sn_lit_f32(a, v);
    case SN_A_BOOL:
        return e->i ? "true" : "false";
    case SN_A_STR:
        return sn_lit_str(a, e ? e->s : "");
    case SN_A_ENUM:
        return sn_format(a, "%u", sn_name_at(at->word, at->nword, e->s));
    case SN_A_INTS:
    case SN_A_REALS:
        return sn_format(
            a, "{ %u, %s }", list ? e->nkid : 0,
            sn_lit_list(a, e->kid, list ? e->nkid : 0,
                        at->ty == SN_A_INTS ? "int64_t" : "float"));
    case SN_A_TYPE:
        break;
    case SN_A_RANGE:
        if (!list || e->nkid != 2)
            return "{ .lo = 0 }";
        const char *lo = side(a, e->kid[0], "lo"),
                   *hi = side(a, e->kid[1], "hi");
        return sn_format(a, "{ %s%s%s }", lo, *lo && *hi ? ", " : "",
                         *lo || *hi ? hi : ".lo = 0");
    }
    return "NULL";
}

static void
put_defaults(SnBuf *b, const SnDefNode *n, Kd k)
{
    SnBuf t;

    if (n->nall == 0)
        return;
    sn_buf_init(&t, b->a);
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        if (at->def == NULL && at->ty != SN_A_STR)
            continue;
        sn_putf(&t, "    .%s = %s,\n", sn_field(b->a, at->name),
                default_of(b->a, at));
    }
    sn_putf(b, "static const %s %s_default = {%s%s};\n", k.st, k.lo,
            t.n ? "\n" : " 0 ", sn_buf_str(&t));
}

static void
put_attrs(SnBuf *b, const SnDefNode *n, Kd k)
{
    SnArena *a = b->a;

    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        if (at->ty != SN_A_ENUM)
            continue;
        sn_putf(b, "static const char *const %s_%s_words[] = {\n   ", k.lo,
                at->name);
        for (uint32_t w = 0; w < at->nword; w++)
            sn_putf(b, " %s,", sn_lit_str(a, at->word[w]));
        sn_puts(b, " NULL\n};\n");
    }
    if (n->nall == 0)
        return;
    sn_putf(b, "static const SnAttrDesc %s_attr[] = {\n", k.lo);
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *at = n->all[i];
        sn_putf(b,
                "    { .name = \"%s\", .kind = %s,\n"
                "      .offset = offsetof(%s, %s),\n",
                at->name, sn_attr_kind_words[at->ty].id, k.st,
                sn_field(a, at->name));
        if (at->fixed)
            sn_putf(b, "      .fixed = %u,\n", at->fixed);
        if (at->ty == SN_A_ENUM)
            sn_putf(b, "      .words = %s_%s_words,\n", k.lo, at->name);
        if (at->ty == SN_A_RANGE && at->range_port)
            sn_putf(b, "      .range_of = %s, .range_port = %u,\n",
                    at->range_port->out ? "SN_RANGE_OUT" : "SN_RANGE_IN",
                    at->range_port->index);
        else if (at->ty == SN_A_RANGE && at->range_attr)
            sn_putf(b, "      .range_of = SN_RANGE_ATTR, .range_port = %u,\n",
                    at->range_attr->index);
        if (at->where)
            sn_putf(b, "      .where = %s, .check = sn_check_%s_%s,\n",
                    sn_lit_str(a, sn_expr_str(a, at->where)), k.lo, at->name);
        sn_putf(b, "      .has_default = %s },\n", at->def ? "true" : "false");
    }
    sn_puts(b, "};\n");
}

/* ---- ports, tuples, meaning ---- */

void
sn_emit_ports(SnBuf *b, SnDefPort *const *port, uint32_t n, const char *lo,
              const char *side)
{
    if (n == 0)
        return;
    sn_putf(b, "static const SnPortDesc %s_%s[] = {\n", lo, side);
    for (uint32_t i = 0; i < n; i++) {
        const SnDefPort *p = port[i];
        sn_putf(b, "    { .name = \"%s\", .fact = %s", p->name,
                sn_fact_words[p->fact].id);
        if (p->variadic)
            sn_puts(b, ", .variadic = true");
        if (p->optional)
            sn_puts(b, ", .optional = true");
        if (p->fact == SN_FIXED)
            sn_putf(b, ", .fixed_scale = %s, .fixed_zp = %lld",
                    sn_lit_f32(b->a, p->fixed_scale), (long long)p->fixed_zp);
        if (p->fact == SN_PIN) {
            sn_putf(b, ",\n      .npin = %u, .pin = {", p->npin);
            for (uint32_t k = 0; k < p->npin; k++)
                sn_putf(b, "%s %u", k ? "," : "", p->pin[k]);
            sn_puts(b, " }");
        }
        if (p->because)
            sn_putf(b, ",\n      .because = %s", sn_lit_str(b->a, p->because));
        sn_puts(b, " },\n");
    }
    sn_puts(b, "};\n");
}

static void
put_pats(SnBuf *b, const SnDefConc *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sn_putf(b, "{ %s, %d }, ", sn_elem_enum(c[i].elem), c[i].axis);
}

static void
put_tuples(SnBuf *b, const SnDefs *s, const SnDefNode *n, Kd k)
{
    uint32_t w = n->nin + n->nout;

    if (n->ntuple == 0)
        return;
    sn_putf(b, "static const SnTypePat %s_pat[] = {\n", k.lo);
    for (uint32_t i = 0; i < n->ntuple; i++) {
        const SnDefTuple *t = &n->tuple[i];
        sn_puts(b, "    ");
        put_pats(b, t->in, n->nin);
        put_pats(b, t->out, n->nout);
        sn_puts(b, "/* ");
        sn_put_tuple(b, s, n, t);
        sn_puts(b, " */\n");
    }
    sn_putf(b, "};\nstatic const SnTuple %s_tuple[] = {\n", k.lo);
    for (uint32_t i = 0; i < n->ntuple; i++) {
        const char *fn = sn_eval_name(b->a, n, i);
        const char *text = sn_text_name(b->a, n, i);
        sn_putf(b, "    { %s_pat + %u, %s_pat + %u, %s, %s,\n      %s },\n",
                k.lo, i * w, k.lo, i * w + n->nin,
                n->tuple[i].quant ? "true" : "false", fn ? fn : "NULL",
                text ? text : "NULL");
    }
    sn_puts(b, "};\n");
}

static void
put_arg(SnBuf *b, const SnDefNode *n, const SnExpr *e)
{
    const SnDefPort *p = e->ek == SN_E_NAME ? sn_def_operand(n, e->s) : NULL;
    uint32_t i =
        e->ek == SN_E_NAME ? sn_named_at(n->all, n->nall, e->s) : n->nall;

    if (p) {
        sn_putf(b, "{ SN_ARG_PORT, %u }", p->index);
    } else if (i < n->nall) {
        sn_putf(b, "{ SN_ARG_ATTR, %u }", i);
    } else {
        sn_putf(b, "{ SN_ARG_INT, %s }", sn_lit_int(b->a, e));
    }
}

/* The attribute of `else q(NAME)`, or -1. */
static int
fill_attr(const SnDefNode *n, const SnExpr *e)
{
    if (e && e->ek == SN_E_CALL && e->nkid == 1)
        e = e->kid[0];
    uint32_t i =
        e && e->ek == SN_E_NAME ? sn_named_at(n->all, n->nall, e->s) : n->nall;
    return i < n->nall ? (int)i : -1;
}

/* The operand that a move copies, or -1. */
static int
moved_port(const SnDefNode *n, const SnDefSem *m)
{
    const SnExpr *f = m->formula;
    const SnDefPort *p = m->cls == SN_C_MOVE && f && f->ek == SN_E_NAME
                             ? sn_def_operand(n, f->s)
                             : NULL;

    return p ? (int)p->index : -1;
}

static void
put_sems(SnBuf *b, const SnDefs *s, const SnDefNode *n, Kd k)
{
    uint32_t nsem = n->nout ? n->nout : 1;

    sn_putf(b, "static const SnSem %s_sem[] = {\n", k.lo);
    for (uint32_t i = 0; i < nsem; i++) {
        const SnDefSem *m = n->rsem[i];
        sn_putf(b, "    { .cls = %s", sn_class_words[m->cls].id);
        if (m->decl) {
            sn_putf(b, ", .decl = &%s, .narg = %u,\n      .arg = { ",
                    sn_emit_map_symbol(s, m->decl), m->narg);
            for (uint32_t j = 0; j < m->narg; j++) {
                sn_puts(b, j ? ", " : "");
                put_arg(b, n, m->arg[j]);
            }
            sn_puts(b, m->narg ? " }" : "{ SN_ARG_INT, 0 } }");
        }
        if (m->monotone)
            sn_puts(b, ", .monotone = true");
        if (m->raw)
            sn_puts(b, ", .raw = true");
        if (m->mean)
            sn_puts(b, ", .mean = true");
        if (m->nonempty)
            sn_puts(b, ", .nonempty = true");
        if (m->nan)
            sn_puts(b, ", .nan = true");
        int port[2] = {-1, -1};
        int form = n->nout ? sn_form_of_result(n, i, port) : -1;
        sn_putf(b,
                ",\n      .from = %d, .fill = %d, .form = ", moved_port(n, m),
                fill_attr(n, m->els));
        if (form < 0)
            sn_puts(b, "-1 },\n");
        else
            sn_putf(b, "%s,\n      .port = { %d, %d } },\n",
                    sn_form_words[form].id, port[0], port[1]);
    }
    sn_puts(b, "};\n");
}

static void
put_invs(SnBuf *b, const SnDefNode *n, Kd k)
{
    if (n->nrinv == 0)
        return;
    sn_putf(b, "static const SnInvariant %s_inv[] = {\n", k.lo);
    for (uint32_t i = 0; i < n->nrinv; i++) {
        const char *e = sn_expr_str(b->a, n->rinv[i]->expr);
        if (n->rinv[i]->els)
            e = sn_format(b->a, "%s: %s", e, n->rinv[i]->els);
        sn_putf(b, "    { sn_inv_%s_%u,\n      %s },\n", k.lo, i,
                sn_lit_str(b->a, e));
    }
    sn_puts(b, "};\n");
}

/* ---- constructors ---- */

/* The operands as an array, copied where a variadic port makes the count known
 * only at run time; "in" and how many there are, as members of SnSpec. */
static const char *
put_new_operands(SnBuf *b, const SnDefNode *n)
{
    SnArena *a = b->a;
    const char *count = "", *all = "", *copy = "";
    bool many = false;

    for (uint32_t i = 0; i < n->nin; i++) {
        const char *p = sn_local(a, n->in[i]->name);
        bool var = n->in[i]->variadic;
        many |= var;
        count =
            sn_format(a, var ? "%s%sn%s" : "%s%s1", count, i ? " + " : "", p);
        all = sn_format(a, "%s%s%s", all, i ? ", " : "", p);
        copy = sn_format(a,
                         var ? "%s    for (uint32_t i = 0; i < n%s; i++)\n"
                               "        in[n++] = %s[i];\n"
                             : "%s    in[n++] = %s;\n",
                         copy, p, p);
    }
    if (many && n->nin == 1)
        return sn_format(a, ", .nin = %s, .in = %s", count, all);
    if (many)
        sn_putf(b,
                "    uint32_t n = 0, nin = %s;\n"
                "    SnRef *in = SN_NEW_N(g->arena, SnRef, nin);\n\n%s",
                count, copy);
    else if (n->nin)
        sn_putf(b, "    SnRef in[] = { %s };\n", all);
    return many     ? ", .nin = nin, .in = in"
           : n->nin ? sn_format(a, ", .nin = %u, .in = in", n->nin)
                    : "";
}

static void
put_new(SnBuf *b, const SnDefNode *n, Kd k)
{
    SnArena *a = b->a;

    sn_puts(b, "\nSnId\n");
    put_new_head(b, n, k, "", "");
    sn_puts(b, "{\n");
    const char *in = put_new_operands(b, n);
    for (uint32_t i = 0; i < n->nout; i++)
        sn_putf(b, "%s%s%s", i ? ", " : "    const SnType *const type[] = { ",
                sn_local(a, n->out[i]->name), i + 1 < n->nout ? "" : " };\n");
    sn_putf(b,
            "    SnSpec s = { .kind = SN_K_%s, .name = name%s%s%s%s };\n\n"
            "    return sn_add(g, &s, NULL);\n}\n",
            k.up, in, n->nall ? ",\n        .attr = attr" : "",
            n->nout ? ",\n        .type = type" : "",
            sn_def_source(n) ? ",\n        .shape = shape, .data = data" : "");
}

/* ---- the row of a kind ---- */

void
sn_emit_family(SnBuf *b, const SnDefFamily *f)
{
    sn_putf(b, "      .family = { .absorb = %u", f->absorb);
    if (f->merge)
        sn_puts(b, ", .merge = true");
    if (f->sink)
        sn_puts(b, ", .sink = true");
    if (f->sink_unused_rest)
        sn_puts(b, ", .sink_unused_rest = true");
    if (f->sink_bounded)
        sn_puts(b, ", .sink_bounded = true");
    if (f->sink && f->sink_const)
        sn_puts(b, ", .sink_const = true");
    static const SnFamilyId fam[] = {SN_FAM_ABSORB, SN_FAM_MERGE, SN_FAM_SINK};
    const char *const why[] = {f->why_absorb, f->why_merge, f->why_sink};
    for (int i = 0; i < 3; i++)
        if (why[i])
            sn_putf(b, ",\n        .why_%s = %s", sn_family_words[fam[i]].word,
                    sn_lit_str(b->a, why[i]));
    sn_puts(b, " },\n");
}

void
sn_emit_joins(SnBuf *b, uint32_t nbit, const uint64_t *bits)
{
    sn_puts(b, "      .joins = (const uint64_t[]){");
    for (uint32_t w = 0; w <= nbit / 64; w++)
        sn_putf(b, "%s 0x%llx", w ? "," : "", (unsigned long long)bits[w]);
    sn_puts(b, " },\n");
}

/* Bit i is the derive line or class that sn_rule_join numbers i. */
static void
put_joins(SnBuf *b, const SnDefs *s, const SnDefNode *n)
{
    uint32_t nbit = s->nderive + s->nclass;
    uint64_t *bits = SN_NEW_N(b->a, uint64_t, nbit / 64 + 1);

    for (uint32_t i = 0; i < nbit; i++) {
        const uint64_t *m = i < s->nderive ? s->derive[i]->member
                                           : s->cls[i - s->nderive]->member;
        if (m && (m[n->kind / 64] >> n->kind % 64 & 1))
            bits[i / 64] |= UINT64_C(1) << i % 64;
    }
    sn_emit_joins(b, nbit, bits);
}

static void
put_row(SnBuf *b, const SnDefs *s, const SnDefNode *n, Kd k)
{
    double cost = 0;
    uint32_t na = n->nall;

    if (n->cost)
        sn_const_num(n->cost, &cost);
    if (s->is_plugin)
        sn_putf(b, "    { .name = \"%s\", .doc = ", n->name);
    else
        sn_putf(b, "    [SN_K_%s] =\n    { .name = \"%s\", .doc = ", k.up,
                n->name);
    sn_putf(b, "%s,\n      .kind = SN_K_%s, .nin = %u, .nout = %u",
            sn_lit_str(b->a, n->doc ? n->doc : ""), k.up, n->nin, n->nout);
    if (n->nin)
        sn_putf(b, ", .in = %s_in", k.lo);
    if (n->nout)
        sn_putf(b, ", .out = %s_out", k.lo);
    if (na)
        sn_putf(b,
                ",\n      .nattr = %u, .attr_size = sizeof(%s),\n"
                "      .attr = %s_attr, .defaults = &%s_default",
                na, k.st, k.lo, k.lo);
    if (n->ntuple)
        sn_putf(b, ",\n      .ntuple = %u, .tuple = %s_tuple", n->ntuple, k.lo);
    if (sn_real_name(s, n))
        sn_putf(b, ", .real = %s", sn_real_name(s, n));
    sn_putf(b, ", .sem = %s_sem,\n      .form_of = ", k.lo);
    if (n->base)
        sn_putf(b, "SN_K_%s", sn_upper(b->a, n->base->name));
    else
        sn_puts(b, "-1");
    sn_putf(b, ", .clamp = %d, .commutes = { %d, %d }, .effect = %s,\n",
            n->clamp ? (int)n->clamp->index : -1, n->comm[0], n->comm[1],
            n->has_effect ? "true" : "false");
    if (n->nrinv)
        sn_putf(b, "      .ninv = %u, .inv = %s_inv,\n", n->nrinv, k.lo);
    sn_emit_family(b, &n->family);
    put_joins(b, s, n);
    sn_putf(b, "      .cost = %s, .backend = %s", sn_lit_f32(b->a, cost),
            sn_lit_str(b->a, n->backend ? n->backend->name : NULL));
    if (s->is_plugin)
        sn_putf(b, ", .where = \"%s\" },\n", sn_where(b->a, n->pos));
    else
        sn_putf(b, ", .where = sn_kind_where[SN_K_%s] },\n", k.up);
}

/* The table of kinds: the core's starts with row 0, which no kind has. */
static void
put_rows(SnBuf *b, const SnDefs *s)
{
    if (s->is_plugin)
        sn_putf(b, "\nconst SnKindDesc %s[] = {\n",
                sn_emit_name(s, "plugin_kinds"));
    else
        sn_puts(b, "\nconst SnKindDesc sn_core_kinds[] = {\n"
                   "    [0] = { .name = \"\", .doc = \"\", .form_of = -1, "
                   ".clamp = -1, .where = \"\" },\n");
    for (uint32_t i = 0; i < s->nnode; i++)
        if (sn_defs_mine(s, s->node[i]->backend))
            put_row(b, s, s->node[i], kind_names(s->arena, s->node[i]));
    if (s->is_plugin && s->nnode == s->core_nnode)
        sn_puts(b, "    { .name = \"\" }\n");
    sn_puts(b, s->is_plugin ? "};\n"
                            : "};\nconst uint32_t sn_core_nkind = SN_K_END;\n");
}

static void
emit_kinds_c(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnBuf b;

    sn_buf_init(&b, s->arena);
    sn_emit_head(&b, s->is_plugin
                         ? "Descriptor tables and constructors of a plugin."
                         : "Descriptor tables and constructors of all kinds.");
    sn_putf(&b,
            "#include \"%s\"\n\n#include <math.h>\n"
            "#include <stddef.h>\n\n#include \"%s\"\n",
            sn_emit_name(s, s->is_plugin ? "rules.h" : "kinds.h"),
            sn_emit_name(s, "gen.h"));
    sn_putf(&b, "#include \"%s\"\n", sn_emit_name(s, "hooks.h"));
    if (!s->is_plugin)
        sn_puts(&b, "#include \"sn_where.h\"\n");
    sn_emit_plugin_maps(&b, s);
    for (uint32_t i = 0; i < s->nnode; i++) {
        const SnDefNode *n = s->node[i];
        Kd k = kind_names(s->arena, n);
        if (!sn_defs_mine(s, n->backend))
            continue;
        sn_putf(&b, "\n/* ---- %s: %s ---- */\n\n", n->name,
                sn_where(s->arena, n->pos));
        put_defaults(&b, n, k);
        put_attrs(&b, n, k);
        sn_emit_ports(&b, n->in, n->nin, k.lo, "in");
        sn_emit_ports(&b, n->out, n->nout, k.lo, "out");
        put_tuples(&b, s, n, k);
        put_sems(&b, s, n, k);
        put_invs(&b, n, k);
        sn_emit_onnx_maps(&b, n);
        put_new(&b, n, k);
    }
    put_rows(&b, s);
    sn_emit_ops(&b, s);
    sn_emit_onnx(&b, s);
    sn_emit_file(&b, outdir, sn_emit_name(s, "kinds.c"), d);
}

void
sn_emit_kinds(const SnDefs *s, const char *outdir, SnDiag *d)
{
    emit_kinds_h(s, outdir, d);
    emit_gen_h(s, outdir, d);
    sn_emit_hooks(s, outdir, d);
    if (!s->is_plugin)
        sn_emit_parts(s, outdir, d);
    emit_kinds_c(s, outdir, d);
}
