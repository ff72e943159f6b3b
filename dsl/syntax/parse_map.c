// SPDX-License-Identifier: Apache-2.0
/* Builds index maps for the parser. */
#include "dsl/syntax/parse.h"

#include <string.h>
#include "base/buf.h"

void
sn_parse_map(SnParser *P, SnTok name, SnMapParams l, SnTok doc)
{
    SnDefMap *m = SN_NEW(P->a, SnDefMap);

    m->name = sn_parse_name(P, name);
    m->pos = name.pos;
    m->doc = doc.str;
    m->nparam = l.n;
    m->param = l.v;
    P->map = m;
    SN_PUSH(P->a, P->defs->map, P->defs->nmap, m);
}

void
sn_parse_map_end(SnParser *P, SnTok from, SnTok to)
{
    P->map->text = sn_parse_text(P, from, to);
    P->map = NULL;
}

/* ---- parameters ---- */

SnDefMapParam *
sn_parse_map_operand(SnParser *P, SnTok name, SnMapItems l, SnTok data)
{
    SnDefMapParam *p = SN_NEW(P->a, SnDefMapParam);

    p->name = sn_parse_name(P, name);
    p->pos = name.pos;
    p->nitem = l.n;
    p->item = l.v;
    if (data.raw) {
        p->type = sn_parse_name(P, data);
        p->type_pos = data.pos;
    }
    return p;
}

SnDefMapParam *
sn_parse_map_type(SnParser *P, SnTypeForm f, SnTok ty)
{
    SnDefMapParam *p = SN_NEW(P->a, SnDefMapParam);

    p->type = sn_parse_name(P, ty);
    p->type_pos = ty.pos;
    p->listed = f == SN_TF_LIST;
    return p;
}

SnDefMapItem
sn_parse_map_item(SnParser *P, SnMapItemKind k, SnTok name, SnTok arg)
{
    SnDefMapItem x = {
        .kind = k, .name = sn_parse_name(P, name), .pos = name.pos};

    if (k == SN_MI_JOIN && arg.v.i != 1) {
        sn_error(P->d, arg.pos, "SN181", "'%.*s|%s...': only 1 is repeated",
                 (int)arg.pos.len, arg.raw, x.name);
        sn_diag_help(P->d, "1|%s...", x.name);
    } else if (k != SN_MI_JOIN && arg.raw) {
        x.along = sn_parse_name(P, arg);
        x.along_pos = arg.pos;
    }
    return x;
}

/* ---- statements ---- */

SnDefMapStmt *
sn_parse_map_stmt(SnParser *P, SnMapStmtKind k, SnTok kw, SnExpr *e,
                  SnExpr *when)
{
    SnDefMapStmt *s = SN_NEW(P->a, SnDefMapStmt);

    s->kind = k;
    s->pos = kw.pos;
    s->e = e;
    s->when = when;
    SN_PUSH(P->a, P->map->stmt, P->map->nstmt, s);
    return s;
}

void
sn_parse_map_let(SnParser *P, SnTok kw, SnTok name, SnExpr *e)
{
    SnDefMapStmt *s = sn_parse_map_stmt(P, SN_MS_LET, kw, e, NULL);

    s->name = sn_parse_name(P, name);
    s->name_pos = name.pos;
}

void
sn_parse_map_box(SnParser *P, SnMapStmtKind k, SnTok kw, SnMapBounds l)
{
    SnDefMapStmt *s = sn_parse_map_stmt(P, k, kw, NULL, NULL);

    s->nbound = l.n;
    s->bound = l.v;
}

void
sn_parse_map_read(SnParser *P, SnTok kw, SnExpr *e, SnExpr *when, SnMapElse els)
{
    sn_parse_map_stmt(P, SN_MS_READ, kw, e, when)->els = els;
}

void
sn_parse_map_beside(SnParser *P, SnTok kw, SnExprs l)
{
    SnDefMapStmt *s = sn_parse_map_stmt(P, SN_MS_BESIDE, kw, NULL, NULL);

    s->nindex = l.n;
    s->index = l.v;
}

SnDefMapTest *
sn_parse_map_test(SnParser *P, SnTok kw, SnMapTestArgs l)
{
    SnDefMapTest *t = SN_NEW(P->a, SnDefMapTest);

    t->pos = kw.pos;
    t->narg = l.n;
    t->arg = l.v;
    SN_PUSH(P->a, P->map->test, P->map->ntest, t);
    return t;
}

SnDefMapTestList
sn_parse_map_list(SnMapStmtKind k)
{
    return (SnDefMapTestList){.kind = k};
}

/* ---- texts with holes ---- */

/* The number of source bytes for the next byte of a string. */
static uint32_t
source_bytes(const char *raw)
{
    if (*raw != '\\')
        return 1;
    return raw[1] == 'x' ? 4 : 2;
}

static void
text_fault(SnParser *P, SnPos at, const char *what)
{
    at.len = 1;
    sn_error(P->d, at, "SN184", "%s", what);
    sn_diag_help(P->d, "\"'k' is {k}, but the axis has {d} elements\"");
}

/* Reads the hole whose '{' is s[0] at place `at`; returns its number of bytes
 * in s, 0 if it is not closed. */
static size_t
hole(SnParser *P, SnDefMapStmt *st, SnBuf *b, const char *s, SnPos at)
{
    const char *end = strchr(s, '}');
    SnExpr *e;

    if (!end) {
        text_fault(P, at, "'{' is not closed in this text");
        return 0;
    }
    at.col++;
    at.len = (uint32_t)(end - s - 1);
    e = sn_parse_hole(P, at, s + 1, at.len);
    if (e) {
        sn_putf(b, "{%u}", st->nhole);
        SN_PUSH(P->a, st->hole, st->nhole, e);
    }
    return (size_t)(end - s) + 1;
}

void
sn_parse_map_require(SnParser *P, SnTok kw, SnExpr *e, SnTok text)
{
    SnDefMapStmt *st = sn_parse_map_stmt(P, SN_MS_REQUIRE, kw, e, NULL);
    const char *s = text.str, *raw = text.raw ? text.raw + 1 : NULL;
    SnBuf b;

    sn_buf_init(&b, P->a);
    while (s && *s) {
        SnPos at = text.pos;
        size_t n = 1;

        at.col += (uint32_t)(raw - text.raw);
        if (*s == '{') {
            n = hole(P, st, &b, s, at);
            if (!n)
                break;
        } else if (*s == '}') {
            text_fault(P, at, "'}' without a '{' before it in this text");
            break;
        } else {
            sn_putc(&b, *s);
        }
        for (; n > 0; n--, s++)
            raw += source_bytes(raw);
    }
    if (s)
        st->text = sn_buf_str(&b);
}
