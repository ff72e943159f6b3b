// SPDX-License-Identifier: Apache-2.0
/* Lines of a node's text as C, with marks replaced; and the lines that turn a
 * tile's sum into a result, as often as its loops need them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "aot/node/tile_help.h"
#include "kernel/eval/rows.h"

const SnAttrDesc *
sn_aot_attr(const SnAotNode *n, const char *name)
{
    return sn_attr_named(n->kd, name);
}

/* The type that "i0", "o0" or an attribute names. */
const SnType *
sn_aot_type_of(const SnAotNode *n, const char *ref)
{
    const SnAttrDesc *a = sn_aot_attr(n, ref);
    uint32_t first, count;

    if (a && a->kind == SN_A_TYPE)
        return *(const SnType *const *)sn_attr_at(n->call.attr, a);
    uint32_t port = (uint32_t)atoi(ref + 1);
    if (*ref == 'o')
        return n->call.out[port].type;
    sn_port_slots(n->kd, n->call.nin, port, &first, &count);
    return n->call.in[first].type;
}

SnRange
sn_aot_range_of(const SnAotNode *n, const char *ref)
{
    const SnAttrDesc *a = sn_aot_attr(n, ref);

    return a ? *(const SnRange *)sn_attr_at(n->call.attr, a) : sn_range_open();
}

/* ---- marks ---- */

/* Offset in the result. */
static const char *
out(SnAotNode *n)
{
    return n->tile ? sn_aot_tile_out(n) : sn_aot_out(n);
}

static const char *
beside(SnAotNode *n)
{
    return n->u.nbeside ? sn_aot_num(n, n->u.beside[0]) : "0";
}

/* The place along the axis of a per-axis type. */
static const char *
slice(SnAotNode *n)
{
    int axis = n->call.out[n->res].type->axis;
    SnBuf b;

    for (uint32_t i = 0; i < n->call.nin && axis < 0; i++)
        axis = n->call.in[i].type ? n->call.in[i].type->axis : -1;
    sn_buf_init(&b, n->a);
    for (uint32_t v = 0; v < n->u.nvar; v++)
        if (!n->u.var[v].tap && n->u.var[v].axis == axis)
            sn_putf(&b, "%s%s * i%u", b.n ? " + " : "",
                    sn_aot_int(n->a, n->u.var[v].step), v);
    return b.n ? sn_buf_str(&b) : "0";
}

/* The index of an operand outside the map: along the channels, or shaped like
 * the result. */
static const char *
beside_or_out(SnAotNode *n, uint32_t slot)
{
    const SnShape *s = n->call.in[slot].shape;

    return s && s->rank == 1 && n->call.out[n->res].shape->rank > 1 ? beside(n)
                                                                    : out(n);
}

static const char *
row_mark(SnAotNode *n, char mark, const SnMapRead *r)
{
    int last = r->box.rank - 1;
    int64_t cols = r->box.dim[last];

    if (mark == 'l')
        return sn_aot_int(n->a, cols);
    if (mark == 'j')
        return sn_aot_num(n, r->at[last]);
    SnMapNum row = sn_num(0);
    for (int i = 0; i < last; i++)
        row = r->at[i]; /* tables of rows have two axes */
    return sn_format(n->a, "%lld * (ptrdiff_t)%s", (long long)(cols + 8),
                     sn_aot_num(n, row));
}

static const char *
port_mark(SnAotNode *n, char mark, uint32_t port)
{
    uint32_t slot, count;

    sn_port_slots(n->kd, n->call.nin, port, &slot, &count);
    const SnMapRead *r = sn_aot_read_of(n, slot);
    if (mark == 'm')
        return sn_aot_num(n, n->u.centre.off);
    if (mark == 'v')
        return beside_or_out(n, slot);
    if (!r)
        return mark == 'i' ? beside_or_out(n, slot) : "0";
    return mark == 'i' ? sn_aot_num(n, r->off) : row_mark(n, mark, r);
}

static const char *
mark(SnAotNode *n, const char **s)
{
    char c = *(*s)++;

    if (strchr("imvrlj", c)) {
        char *end;
        uint32_t port = (uint32_t)strtoul(*s, &end, 10);
        *s = end;
        return port_mark(n, c, port);
    }
    switch (c) {
    case 'b':
    case 'c':
        return beside(n);
    case 'o':
        return out(n);
    case 's':
        return slice(n);
    case 'n':
        return sn_aot_num(n, n->u.number);
    case 'N':
        return sn_aot_count(n);
    case 'S':
        return sn_aot_mean_start(n);
    default:
        sn_bug("a text has the mark @%c", c);
    }
}

void
sn_aot_put_line(SnAotNode *n, const char *s)
{
    SnBuf b;

    sn_buf_init(&b, n->a);
    while (*s)
        if (*s == '@') {
            s++;
            sn_puts(&b, mark(n, &s));
        } else {
            sn_putc(&b, *s++);
        }
    size_t len = b.n;
    const char *line = sn_buf_str(&b);
    if (line[0] == '}')
        n->depth--;
    sn_aot_line(n, "%s", line);
    if (len && line[len - 1] == '{')
        n->depth++;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- lines of a tile ---- */

/* The element type of a table that the text declares, or of an operand; NULL:
 * neither. */
static const char *
type_of_table(const SnAotNode *n, const char *name)
{
    const char *const *text = n->tuple->text[n->res];
    char def[64], what[16];

    for (; *text; text++)
        if (sscanf(*text, "@def %63s %15s", def, what) == 2 &&
            !strcmp(def, name))
            return !strcmp(what, "mults") || !strcmp(what, "scales") ? "float"
                   : !strcmp(what, "rows")                           ? "int64_t"
                   : !strcmp(what, "zps")                            ? "int32_t"
                                                                     : NULL;
    for (uint32_t i = 0; i < n->call.nin; i++)
        if (n->call.in[i].data && !strcmp(sn_aot_operand(n, i), name))
            return sn_aot_elem(n->call.in[i].type->elem);
    return NULL;
}

/* The first NAME[@s], [@b] or [@c] of a line, which is the same for all pixels:
 * where it begins and ends. */
static const char *
find_element(const char *line, const char **end)
{
    for (const char *p = line; (p = strstr(p, "[@")) != NULL; p++) {
        const char *b = p;
        if (!strchr("sbc", p[2]) || p[3] != ']')
            continue;
        while (b > line && is_word(b[-1]))
            b--;
        *end = p + 4;
        if (b < p)
            return b;
    }
    return NULL;
}

static const char *
hoist_line(SnAotNode *n, const char *line, int *count)
{
    SnBuf b;
    const char *end, *at;

    sn_buf_init(&b, n->a);
    while ((at = find_element(line, &end)) != NULL) {
        const char *name = sn_format(n->a, "%.*s", (int)strcspn(at, "["), at);
        const char *type = type_of_table(n, name);
        sn_putf(&b, "%.*s", (int)(at - line), line);
        if (type) {
            const char *m = end - 2;
            sn_aot_line(n, "const %s th%d = %s[%s];", type, *count, name,
                        mark(n, &m));
            sn_putf(&b, "th%d", (*count)++);
        } else {
            sn_putf(&b, "%.*s", (int)(end - at), at);
        }
        line = end;
    }
    sn_puts(&b, line);
    return sn_buf_str(&b);
}

void
sn_aot_tile_hoist(SnAotNode *n)
{
    const char **was = n->line;
    int count = 0;

    n->line = SN_NEW_N(n->a, const char *, n->nline + 1);
    for (uint32_t i = 0; i < n->nline; i++)
        n->line[i] = hoist_line(n, was[i], &count);
}

void
sn_aot_tile_lines(SnAotNode *n)
{
    for (uint32_t i = 0; i < n->nline; i++)
        if (*n->line[i])
            sn_aot_put_line(n, n->line[i]);
}

/* The words after "@def NAME WHAT" in a text; false: the text has no such
 * line. */
static bool
find_def(const SnAotNode *n, const char *const *text, const char *name,
         const char *what, char word[3][64])
{
    char def[64], is[24];

    (void)n;
    for (; *text; text++) {
        word[0][0] = word[1][0] = word[2][0] = '\0';
        if (sscanf(*text, "@def %63s %23s %63s %63s %63s", def, is, word[0],
                   word[1], word[2]) >= 3 &&
            !strcmp(def, name) && !strcmp(is, what))
            return true;
    }
    return false;
}

/* The text's limit with this name. */
static bool
limit_of(const SnAotNode *n, const char *const *text, const char *name,
         SnLim *l)
{
    char word[3][64];

    if (!find_def(n, text, name, "lim", word))
        return false;
    *l = sn_lim(sn_aot_type_of(n, word[0]), sn_aot_range_of(n, word[1]));
    return true;
}

#define WORD "%63[A-Za-z0-9_]"

/* The lines of a result that is an optional bias, a product with a multiplier,
 * and saturation. */
static bool
read_plain(const SnAotNode *n, SnTilePlain *p)
{
    const char *line[2];
    char v[2][64], y[64], high[64], at[8];
    uint32_t k = 0;
    int end = 0, none = 0;

    for (uint32_t i = 0; i < n->nline; i++) {
        if (!*n->line[i])
            continue;
        if (k == 2)
            return false;
        line[k++] = n->line[i];
    }
    if (k != 2)
        return false;
    p->bias[0] = '\0';
    sscanf(line[0], "const int32_t " WORD " = (0);%n", v[0], &none);
    if (!(none && !line[0][none]) &&
        (sscanf(line[0], "const int32_t " WORD " = (" WORD "[@c]);%n", v[0],
                p->bias, &end) != 2 ||
         !end || line[0][end]))
        return false;
    end = 0;
    if (sscanf(line[1],
               WORD "[@o] = (int8_t)(sn_requant(sn_add32(acc, " WORD "), " WORD
                    "[%7[^]]], " WORD ", " WORD ".lo, " WORD ".hi));%n",
               y, v[1], p->mult, at, p->zero, p->limit, high, &end) != 7 ||
        !end || line[1][end] || strcmp(v[0], v[1]) || strcmp(p->limit, high))
        return false;
    p->each = !strcmp(at, "@b") || !strcmp(at, "@c");
    return p->each || !strcmp(at, "0");
}

bool
sn_aot_tile_plain(const SnAotNode *n, SnTilePlain *p)
{
    SnLim l;

    return read_plain(n, p) && *p->bias &&
           limit_of(n, n->tuple->text[n->res], p->limit, &l) && l.lo == -128 &&
           l.hi == 127;
}

/* The constant operand that has this name in C. */
static const void *
constant(const SnAotNode *n, const char *name)
{
    for (uint32_t i = 0; i < n->call.nin; i++)
        if (n->call.in[i].data && !strcmp(sn_aot_operand(n, i), name))
            return n->call.in[i].data;
    return NULL;
}

static bool
numbers(SnAotNode *n, const char *const *text, const SnTilePlain *p,
        SnConvNum *num)
{
    char word[3][64];
    SnLim l;

    num->bias = constant(n, p->bias);
    if ((*p->bias && !num->bias) || !limit_of(n, text, p->limit, &l) ||
        !find_def(n, text, p->zero, "zp", word))
        return false;
    num->lo = l.lo;
    num->hi = l.hi;
    num->yz = sn_zp_of(sn_aot_type_of(n, word[0]));
    if (!find_def(n, text, p->mult, "mults", word))
        return false;
    const SnType *w = sn_aot_type_of(n, word[1]);
    num->mul = sn_mults(n->a, sn_aot_type_of(n, word[0]), w,
                        sn_aot_type_of(n, word[2]));
    num->nmul = p->each ? w->nq : 1;
    return true;
}

bool
sn_aot_tile_numbers(SnAotNode *n, const char *const *text, const char **line,
                    uint32_t nline, SnConvNum *num)
{
    uint32_t i = 0, end;
    SnTilePlain p;

    while (i < nline && strcmp(line[i], "@each"))
        i++;
    for (end = i; end < nline && strcmp(line[end], "@end");)
        end++;
    if (end == nline)
        return false;
    n->line = line + i + 1;
    n->nline = end - i - 1;
    bool ok = read_plain(n, &p) && numbers(n, text, &p, num);
    n->line = NULL;
    n->nline = 0;
    return ok;
}

const char *
sn_aot_tile_beside(SnAotNode *n)
{
    return beside(n);
}
