// SPDX-License-Identifier: Apache-2.0
/* Rows of arithmetics in texts: which row a "@def NAME row" selects, its
 * constants as a table, and calls @>NAME(a, b) of its function. */
#include <stdlib.h>
#include <string.h>

#include "aot/node/aot_node.h"

/* The line "@def NAME WHAT .." of a text; NULL: none. */
static const char *
def_of(const char *const *text, const char *name, const char *what)
{
    char def[64] = "", is[24] = "";

    for (; *text; text++)
        if (sscanf(*text, "@def %63s %23s", def, is) == 2 &&
            !strcmp(def, name) && !strcmp(is, what))
            return *text;
    return NULL;
}

/* The value whose scale or zero point has this name. */
static const SnType *
type_named(const SnAotNode *n, const char *const *text, const char *name,
           const char *what)
{
    const char *line = def_of(text, name, what);
    char ref[64] = "";

    if (!line)
        sn_bug("no %s is named %s", what, name);
    sscanf(line, "@def %*s %*s %63s", ref);
    return sn_aot_type_of(n, ref);
}

/* Does an operand or a result have 16 bits? */
static bool
is_wide(const SnAotNode *n)
{
    bool wide = false;

    for (uint32_t i = 0; i < n->call.nin; i++)
        wide |= n->call.in[i].type && n->call.in[i].type->elem == SN_QI16;
    for (uint32_t i = 0; i < n->call.nout; i++)
        wide |= n->call.out[i].type && n->call.out[i].type->elem == SN_QI16;
    return wide;
}

static unsigned
flags(const SnAotNode *n, unsigned own)
{
    return own | (sn_aot_after(n) ? SN_WHEN_AFTER : 0u) |
           (n->u.whole ? SN_WHEN_WHOLE : 0u);
}

static int64_t
zp_shift(const SnAotNode *n)
{
    const SnAttrDesc *a = sn_attr_named(n->kd, "zp_shift");

    return a && a->kind == SN_A_INT
               ? *(const int64_t *)sn_attr_at(n->call.attr, a)
               : 0;
}

/* "@def NAME row FORM MAP OWN Ys Yz As Az Bs Bz" */
static void
find_row(SnAotNode *n, const char *const *text, const char *line, SnAotRow *r)
{
    char p[9][64];
    SnRowGrids g = {{0}, {0}, 1, zp_shift(n), {1, 1}};

    for (int i = 0; i < 9; i++)
        p[i][0] = '\0';
    sscanf(line, "@def %*s %*s %63s %63s %63s %63s %63s %63s %63s %63s %63s",
           p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
    for (int i = 0; i < 3; i++) {
        if (*p[3 + 2 * i] == '-')
            continue;
        g.scale[i] = sn_scale_of(type_named(n, text, p[3 + 2 * i], "scale"));
        g.zp[i] = sn_zp_of(type_named(n, text, p[4 + 2 * i], "zp"));
    }
    SnForm form = (SnForm)atoi(p[0]);
    bool mean = form == SN_FORM_MEAN;
    if (mean)
        g.n = n->u.divisor.t == SN_NUM_INT ? n->u.divisor.v : n->u.ntap;
    for (uint32_t i = 0; mean && i < 2; i++)
        g.kernel[i] = sn_row_arg(&n->call, n->res, "kernel", i);
    bool pair = form >= SN_FORM_SUM && form <= SN_FORM_PRODUCT;
    unsigned wide = (pair || mean) && is_wide(n) ? SN_WHEN_WIDE : 0;
    SnRowUse *use = sn_alloc(n->a, sizeof *use);
    r->n = 1;
    r->use = use;
    *use = sn_row_use(n->call.rounding, form, mean ? p[1] : NULL,
                      wide | (*p[2] == '1' ? flags(n, wide) : 0), g);
    r->uneven =
        mean && !use->real && !sn_aot_even(n) && n->u.divisor.t != SN_NUM_INT;
    if (!use->row)
        r->n = 0;
}

/* "@def NAME rows X W Y MAP WHEN" */
static void
find_rows(SnAotNode *n, const char *line, SnAotRow *r)
{
    char p[5][64] = {"", "", "", "", ""};
    SnCall c = n->call;

    sscanf(line, "@def %*s %*s %63s %63s %63s %63s %63s", p[0], p[1], p[2],
           p[3], p[4]);
    const SnType *w = sn_aot_type_of(n, p[1]);
    c.scratch = n->a;
    if (c.rounding == SN_ROUNDING_FLOAT) /* sn_requant, by its multipliers */
        return;
    r->use = sn_row_uses(&c, sn_aot_type_of(n, p[0]), w,
                         sn_aot_type_of(n, p[2]), p[3], (unsigned)atoi(p[4]));
    r->n = w->nq;
}

void
sn_aot_find_rows(SnAotNode *n, const char *const *text)
{
    char name[64], what[24];

    n->row = NULL;
    n->nrow = 0;
    for (const char *const *t = text; *t; t++) {
        SnAotRow r = {0};
        if (sscanf(*t, "@def %63s %23s", name, what) != 2)
            continue;
        if (!strcmp(what, "row"))
            find_row(n, text, *t, &r);
        else if (!strcmp(what, "rows"))
            find_rows(n, *t, &r);
        else
            continue;
        r.name = sn_strdup(n->a, name);
        SN_PUSH(n->a, n->row, n->nrow, r);
    }
}

const SnAotRow *
sn_aot_row(const SnAotNode *n, const char *name, size_t len)
{
    for (uint32_t i = 0; i < n->nrow; i++)
        if (strlen(n->row[i].name) == len &&
            !strncmp(n->row[i].name, name, len))
            return &n->row[i];
    sn_bug("a text has no row %.*s", (int)len, name);
}

const char *
sn_aot_row_call(const SnAotNode *n, const char *s, SnBuf *b)
{
    size_t len = strcspn(s, "([");
    const SnAotRow *r = sn_aot_row(n, s, len);

    if (!r->n) /* of a part that does not hold */
        return s + len;
    sn_putf(b, "%s(%.*s", r->use->row->name, (int)len, s);
    s += len;
    if (*s == '[') {
        size_t at = strcspn(s, "]");
        sn_putf(b, " + (%.*s) * %u", (int)at - 1, s + 1, r->use->row->nk);
        s += at + 1;
    }
    sn_puts(b, ", ");
    return s + 1;
}

static const char *
item(SnArena *a, const void *v, uint32_t i)
{
    return sn_aot_int(a, ((const int64_t *)v)[i]);
}

SnStatus
sn_aot_put_row(SnAotNode *n, const char *name)
{
    const SnAotRow *r = sn_aot_row(n, name, strlen(name));

    if (!r->n)
        return SN_OK;
    if (r->uneven)
        return sn_fail(n->d, SN_EUNSUPPORTED, sn_label(n->g, n->id, n->a),
                       "a mean by 'rounding %s' over sets of several sizes",
                       sn_arith_at(n->call.rounding)->name);
    for (uint32_t i = 0; i < r->n; i++) {
        const char *text = r->use[i].row->text;
        if (text && !strstr(sn_buf_str(n->rows), text))
            sn_puts(n->rows, text);
    }
    uint32_t nk = r->use->row->nk, count = r->n * nk;
    int64_t *k = SN_NEW_N(n->a, int64_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        k[i] = r->use[i / nk].k[i % nk];
    sn_aot_line(n, "const int64_t *const %s = %s;", name,
                sn_aot_table(n, "int64_t", count ? count : 1, item, k));
    return SN_OK;
}
