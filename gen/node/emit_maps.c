// SPDX-License-Identifier: Apache-2.0
/* sn_maps.c: index maps as constant data (map/decl.h); a plugin's are in its
 * table of kinds. */
#include "gen/text/emit.h"

#define OP(ID) "SN_MO_" #ID,
#define ITEM(ID) "SN_MI_" #ID,
#define PARAM(ID) "SN_MP_" #ID,
#define LENGTH(ID) "SN_ML_" #ID,
#define STMT(ID) "SN_MS_" #ID,
#define ELSE(ID) "SN_ME_" #ID,
static const char *const op_enum[] = {SN_MAP_OPS(OP)};
static const char *const item_enum[] = {SN_MAP_ITEMS(ITEM)};
static const char *const param_enum[] = {SN_MAP_PARAMS(PARAM)};
static const char *const length_enum[] = {SN_MAP_LENGTHS(LENGTH)};
static const char *const stmt_enum[] = {SN_MAP_STMTS(STMT)};
static const char *const else_enum[] = {SN_MAP_ELSES(ELSE)};

const char *
sn_emit_map_symbol(const SnDefs *s, const SnDefMap *m)
{
    uint32_t i = 0;

    while (s->map[i] != m)
        i++;
    if (!s->is_plugin || i < s->core_nmap)
        return sn_format(s->arena, "sn_map_decl_%s", m->name);
    return sn_format(s->arena, "%s_map_decl_%s",
                     sn_lower(s->arena, s->plugin->name), m->name);
}

/* ---- parameters ---- */

static void
put_param_parts(SnBuf *b, const SnMapDecl *d, const SnMapParam *p)
{
    if (p->nitem)
        sn_putf(b, "static const SnMapItem map_%s_%s_item[] = {\n", d->name,
                p->name);
    for (uint32_t i = 0; i < p->nitem; i++)
        sn_putf(b, "    { %s, %s, %d, %d },\n", item_enum[p->item[i].kind],
                p->item[i].vary ? "true" : "false", p->item[i].slot,
                p->item[i].along);
    if (p->nitem)
        sn_puts(b, "};\n");
    if (!p->word)
        return;
    sn_putf(b, "static const char *const map_%s_%s_word[] = {\n    ", d->name,
            p->name);
    for (uint32_t i = 0; p->word[i]; i++)
        sn_putf(b, "%s, ", sn_lit_str(b->a, p->word[i]));
    sn_puts(b, "NULL\n};\n");
}

static void
put_param(SnBuf *b, const SnMapDecl *d, const SnMapParam *p)
{
    sn_putf(b, "    { .name = %s, .kind = %s, .length = %s",
            sn_lit_str(b->a, p->name), param_enum[p->kind],
            length_enum[p->length]);
    if (p->variadic)
        sn_puts(b, ", .variadic = true");
    if (p->data)
        sn_putf(b, ", .data = '%c'", p->data);
    sn_putf(b, ",\n      .slot = %d, .along = %d, .dflt = %d", p->slot,
            p->along, (int)p->dflt);
    if (p->nitem)
        sn_putf(b, ", .nitem = %u, .item = map_%s_%s_item", p->nitem, d->name,
                p->name);
    if (p->word)
        sn_putf(b, ", .word = map_%s_%s_word", d->name, p->name);
    sn_puts(b, " },\n");
}

static void
put_params(SnBuf *b, const SnMapDecl *d)
{
    for (uint32_t i = 0; i < d->nparam; i++)
        put_param_parts(b, d, &d->param[i]);
    if (d->nparam)
        sn_putf(b, "static const SnMapParam map_%s_param[] = {\n", d->name);
    for (uint32_t i = 0; i < d->nparam; i++)
        put_param(b, d, &d->param[i]);
    if (d->nparam)
        sn_puts(b, "};\n");
}

/* ---- statements ---- */

static void
put_ints(SnBuf *b, const SnMapDecl *d, uint32_t i, const char *what, uint32_t n,
         const int32_t *v)
{
    if (n == 0)
        return;
    sn_putf(b, "static const int32_t map_%s_%s_%u[] = { ", d->name, what, i);
    for (uint32_t k = 0; k < n; k++)
        sn_putf(b, "%s%d", k ? ", " : "", (int)v[k]);
    sn_puts(b, " };\n");
}

static bool
is_box(const SnMapStmt *s)
{
    return s->kind == SN_MS_RESULT || s->kind == SN_MS_TAPS;
}

static void
put_stmt_parts(SnBuf *b, const SnMapDecl *d, uint32_t i)
{
    const SnMapStmt *s = &d->stmt[i];

    put_ints(b, d, i, "hole", s->nhole, s->hole);
    if (!is_box(s)) {
        put_ints(b, d, i, "index", s->n, s->index);
        return;
    }
    if (s->n)
        sn_putf(b, "static const SnMapBound map_%s_bound_%u[] = {\n", d->name,
                i);
    for (uint32_t k = 0; k < s->n; k++)
        sn_putf(b, "    { %d, %d, %d },\n", s->bound[k].slot,
                (int)s->bound[k].e, (int)s->bound[k].when);
    if (s->n)
        sn_puts(b, "};\n");
}

static void
put_stmt(SnBuf *b, const SnMapDecl *d, uint32_t i)
{
    const SnMapStmt *s = &d->stmt[i];

    sn_putf(b, "    { .kind = %s", stmt_enum[s->kind]);
    if (s->els)
        sn_putf(b, ", .els = %s", else_enum[s->els]);
    if (s->late)
        sn_puts(b, ", .late = true");
    if (s->n)
        sn_putf(b, ", .n = %u", s->n);
    sn_putf(
        b, ",\n      .slot = %d, .param = %d, .e = %d, .when = %d, .which = %d",
        s->slot, s->param, (int)s->e, (int)s->when, (int)s->which);
    if (s->n)
        sn_putf(b, ",\n      .%s = map_%s_%s_%u", is_box(s) ? "bound" : "index",
                d->name, is_box(s) ? "bound" : "index", i);
    if (s->text)
        sn_putf(b, ",\n      .text = %s", sn_lit_str(b->a, s->text));
    if (s->nhole)
        sn_putf(b, ",\n      .nhole = %u, .hole = map_%s_hole_%u", s->nhole,
                d->name, i);
    sn_puts(b, " },\n");
}

/* ---- maps ---- */

static void
put_exprs(SnBuf *b, const SnMapDecl *d)
{
    if (!d->nexpr)
        return;
    sn_putf(b, "static const SnMapExpr map_%s_expr[] = {\n", d->name);
    for (uint32_t i = 0; i < d->nexpr; i++) {
        const SnMapExpr *e = &d->expr[i];
        sn_putf(b, "    { %s, %u, %u, %s, %s },\n", op_enum[e->op], e->nkid,
                e->kid, sn_lit_f32(b->a, (double)e->r), sn_lit_i64(b->a, e->v));
    }
    sn_puts(b, "};\n");
}

static void
put_map(SnBuf *b, const SnDefs *s, const SnDefMap *m)
{
    const SnMapDecl *d = m->decl;

    sn_putf(b, "\n/* ---- map %s: %s ---- */\n\n", d->name,
            sn_where(b->a, m->pos));
    put_params(b, d);
    put_exprs(b, d);
    for (uint32_t i = 0; i < d->nstmt; i++)
        put_stmt_parts(b, d, i);
    sn_putf(b, "static const SnMapStmt map_%s_stmt[] = {\n", d->name);
    for (uint32_t i = 0; i < d->nstmt; i++)
        put_stmt(b, d, i);
    sn_puts(b, "};\n");
    if (d->nslot)
        sn_putf(b, "static const SnMapSlot map_%s_slot[] = {\n", d->name);
    for (uint32_t i = 0; i < d->nslot; i++)
        sn_putf(b, "    { \"%s\", %s },\n", d->slot[i].name,
                d->slot[i].list ? "true" : "false");
    sn_putf(
        b,
        "%sconst SnMapDecl %s = {\n    .name = \"%s\", .doc = %s,\n    .where "
        "= %s,\n    .nparam = %u, .nstmt = %u, .nexpr = %u, .nslot = %u",
        d->nslot ? "};\n" : "", sn_emit_map_symbol(s, m), d->name,
        sn_lit_str(b->a, d->doc), sn_lit_str(b->a, sn_where(b->a, m->pos)),
        d->nparam, d->nstmt, d->nexpr, d->nslot);
    if (d->nparam)
        sn_putf(b, ",\n    .param = map_%s_param", d->name);
    sn_putf(b, ",\n    .stmt = map_%s_stmt", d->name);
    if (d->nexpr)
        sn_putf(b, ",\n    .expr = map_%s_expr", d->name);
    if (d->nslot)
        sn_putf(b, ",\n    .slot = map_%s_slot", d->name);
    sn_puts(b, "\n};\n");
}

void
sn_emit_plugin_maps(SnBuf *b, const SnDefs *s)
{
    for (uint32_t i = s->core_nmap; s->is_plugin && i < s->nmap; i++)
        put_map(b, s, s->map[i]);
}

void
sn_emit_map_names(SnBuf *b, const SnDefs *s)
{
    uint32_t from = s->is_plugin ? s->core_nmap : 0;

    for (uint32_t i = from; i < s->nmap; i++)
        sn_putf(b, "extern const SnMapDecl %s;\n",
                sn_emit_map_symbol(s, s->map[i]));
}

void
sn_emit_maps(const SnDefs *s, const char *outdir, SnDiag *d)
{
    SnBuf b;

    if (s->is_plugin)
        return;
    sn_emit_header(&b, s->arena, "Index maps.", "SN_MAPS_H",
                   "#include \"graph/desc.h\"\n");
    sn_emit_map_names(&b, s);
    sn_emit_close(&b);
    sn_emit_file(&b, outdir, "sn_maps.h", d);
    sn_buf_init(&b, s->arena);
    sn_emit_head(&b, "Index maps as data.");
    sn_puts(&b, "#include \"sn_maps.h\"\n");
    for (uint32_t i = 0; i < s->nmap; i++)
        put_map(&b, s, s->map[i]);
    sn_emit_file(&b, outdir, "sn_maps.c", d);
}
