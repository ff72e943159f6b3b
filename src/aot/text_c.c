// SPDX-License-Identifier: Apache-2.0
/* A node's text (gen/node/emit_text.c) as C: constants of its types and
 * attributes are declared, marks replaced, loops opened. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aot/tile_c.h"
#include "kernel/eval/rows.h"

/* ---- conditions ---- */

static const SnAttrDesc *
attr_of(const SnAotNode *n, const char *name)
{
    return sn_attr_named(n->kd, name);
}

static bool
is_after(const SnAotNode *n)
{
    const SnAttrDesc *a = attr_of(n, "round");

    return a && a->kind == SN_A_ENUM &&
           !strcmp(a->words[*(const int32_t *)sn_attr_at(n->call.attr, a)],
                   "after");
}

static bool
holds(const SnAotNode *n, const char *cond, size_t len)
{
    char word[32] = "";

    memcpy(word, cond, len < sizeof word ? len : sizeof word - 1);
    if (!strcmp(word, "fixed"))
        return n->call.rounding != SN_ROUNDING_FLOAT;
    if (!strcmp(word, "after"))
        return is_after(n);
    if (!strcmp(word, "whole"))
        return n->u.whole;
    if (!strcmp(word, "parts"))
        return sn_aot_parts(n);
    if (!strncmp(word, "in", 2)) {
        uint32_t first, count;
        sn_port_slots(n->kd, n->call.nin, (uint32_t)atoi(word + 2), &first,
                      &count);
        return count && n->call.in[first].type != NULL;
    }
    sn_bug("a text asks for '%s'", word);
}

/* Copies what holds of @?C{ a @| b @}; s ends at the `end` mark or with the
 * text. */
static const char *
choose(const SnAotNode *n, const char *s, bool keep, SnBuf *b)
{
    while (*s && strncmp(s, "@|", 2) && strncmp(s, "@}", 2)) {
        if (strncmp(s, "@?", 2)) {
            if (keep)
                sn_putc(b, *s);
            s++;
            continue;
        }
        const char *name = s + 2, *open = strchr(name, '{');
        bool yes = holds(n, name, (size_t)(open - name));
        s = choose(n, open + 1, keep && yes, b);
        s = choose(n, s + 2, keep && !yes, b);
        s += 2;
    }
    return s;
}

/* Of a tile: the lines that make a sum are those of tile_c.c. */
static void
drop_sum(const char **line, uint32_t k)
{
    bool inside = false;

    for (uint32_t i = 0; i < k; i++) {
        bool last = inside && !strcmp(line[i], "@end");
        inside = inside || !strncmp(line[i], "@dot ", 5);
        if (inside)
            line[i] = "";
        inside = inside && !last;
    }
}

/* The lines that hold. */
static uint32_t
take_lines(SnAotNode *n, const char *const *text, const char ***out)
{
    const char **v = NULL;
    size_t k = 0;
    bool skip = false;

    for (; *text; text++) {
        SnBuf b;
        if (!strncmp(*text, "@if ", 4)) {
            skip = !holds(n, *text + 4, strlen(*text + 4));
        } else if (!strcmp(*text, "@else")) {
            skip = !skip;
        } else if (!strcmp(*text, "@fi")) {
            skip = false;
        } else if (!skip) {
            sn_buf_init(&b, n->a);
            choose(n, *text, true, &b);
            SN_PUSH(n->a, v, k, sn_buf_str(&b));
        }
    }
    *out = v;
    return (uint32_t)k;
}

/* ---- what nobody reads ---- */

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
names(const char *line, const char *word, size_t len)
{
    for (const char *p = line; (p = strstr(p, word)) != NULL; p++)
        if ((p == line || !is_word(p[-1])) && !is_word(p[len]))
            return true;
    return false;
}

/* The name that a line declares: "@def NAME ..", "const TYPE NAME = ..". */
static const char *
declared(SnArena *a, const char *line)
{
    const char *s = line;

    if (!strncmp(s, "@def ", 5))
        return sn_format(a, "%.*s", (int)strcspn(s + 5, " "), s + 5);
    if (strncmp(s, "const ", 6) || !strstr(s, " = "))
        return NULL;
    s += 6;
    s += strcspn(s, " ") + 1;
    return sn_format(a, "%.*s", (int)strcspn(s, " "), s);
}

/* The name of a variable that a line declares: "TYPE NAME = .." */
static const char *
variable(SnArena *a, const char *line)
{
    static const char *const type[] = {"int64_t ", "int32_t ", "float "};

    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        size_t k = strlen(type[i]);
        size_t len = strcspn(line, " ") == k - 1 ? strcspn(line + k, " ") : 0;
        if (!strncmp(line, type[i], k) && !strncmp(line + k + len, " = ", 3))
            return sn_format(a, "%.*s", (int)len, line + k);
    }
    return NULL;
}

/* "NAME = ..", "NAME += ..", "NAME++;" */
static bool
is_set(const char *line, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(line, name, n) && !is_word(line[n]);
}

/* Does a line below i read the name?  Those that set a variable do not. */
static bool
is_read(const char **line, uint32_t k, uint32_t i, const char *name, bool var)
{
    for (uint32_t j = i + 1; j < k; j++)
        if (*line[j] != '@' && names(line[j], name, strlen(name)) &&
            !(var && is_set(line[j], name)))
            return true;
    return false;
}

/* A loop without a line goes away. */
static bool
drop_empty(const char **line, uint32_t k)
{
    uint32_t last = k;
    bool any = false;

    for (uint32_t i = 0; i < k; i++) {
        if (last < k && !strcmp(line[i], "@end")) {
            line[last] = line[i] = "";
            any = true;
        }
        if (*line[i])
            last = !strcmp(line[i], "@taps") || !strcmp(line[i], "@rest") ||
                           !strcmp(line[i], "@parts")
                       ? i
                       : k;
    }
    return any;
}

/* A declaration that nothing below reads goes away, and what sets it. */
static void
drop_unread(SnAotNode *n, const char **line, uint32_t k)
{
    for (bool again = true; again;) {
        again = drop_empty(line, k);
        for (uint32_t i = k; i-- > 0;) {
            const char *name = declared(n->a, line[i]);
            const char *var = name ? NULL : variable(n->a, line[i]);
            bool fill = name && !strcmp(name, "fill") && sn_aot_fills(n);
            if (!(name || var) || fill ||
                is_read(line, k, i, name ? name : var, var != NULL))
                continue;
            line[i] = "";
            again = true;
            for (uint32_t j = i + 1; var && j < k; j++)
                if (is_set(line[j], var))
                    line[j] = "";
        }
    }
}

/* ---- constants ---- */

/* The type that "i0", "o0" or an attribute names. */
static const SnType *
type_of(const SnAotNode *n, const char *ref)
{
    const SnAttrDesc *a = attr_of(n, ref);
    uint32_t first, count;

    if (a && a->kind == SN_A_TYPE)
        return *(const SnType *const *)sn_attr_at(n->call.attr, a);
    uint32_t port = (uint32_t)atoi(ref + 1);
    if (*ref == 'o')
        return n->call.out[port].type;
    sn_port_slots(n->kd, n->call.nin, port, &first, &count);
    return n->call.in[first].type;
}

static SnRange
range_of(const SnAotNode *n, const char *ref)
{
    const SnAttrDesc *a = attr_of(n, ref);

    return a ? *(const SnRange *)sn_attr_at(n->call.attr, a) : sn_range_open();
}

static const char *
float_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_aot_float(a, ((const float *)v)[i]);
}

static const char *
int_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_aot_int(a, ((const int32_t *)v)[i]);
}

static const char *
power_item(SnArena *a, const void *v, uint32_t i)
{
    return sn_format(a, "%lu", (unsigned long)((const uint32_t *)v)[i]);
}

static const char *
fix_str(SnArena *a, SnFix f)
{
    return sn_format(a, "{%ld, %d, %d}", (long)f.q, f.shift, f.rounding);
}

static const char *
fix_item(SnArena *a, const void *v, uint32_t i)
{
    return fix_str(a, ((const SnFix *)v)[i]);
}

/* A scale that the text declares by name. */
static float
scale_named(const SnAotNode *n, const char *const *text, const char *name)
{
    char what[16], ref[64], def[64];

    for (; *text; text++)
        if (sscanf(*text, "@def %63s %15s %63s", def, what, ref) == 3 &&
            !strcmp(def, name) && !strcmp(what, "scale"))
            return sn_scale_of(type_of(n, ref));
    sn_bug("no scale is named %s", name);
}

static void
put_attr(SnAotNode *n, const char *name, const char *ref)
{
    const SnAttrDesc *a = attr_of(n, ref);
    const void *p = sn_attr_at(n->call.attr, a);

    if (a->kind == SN_A_REAL)
        sn_aot_line(n, "const float %s = %s;", name,
                    sn_aot_float(n->a, *(const float *)p));
    else if (a->kind == SN_A_BOOL)
        sn_aot_line(n, "const bool %s = %s;", name,
                    *(const bool *)p ? "true" : "false");
    else
        sn_aot_line(n, "const int64_t %s = %s;", name,
                    sn_aot_int(n->a, a->kind == SN_A_ENUM
                                         ? *(const int32_t *)p
                                         : *(const int64_t *)p));
}

static void
put_fixes(SnAotNode *n, const char *name, const char *x, const char *w,
          const char *y)
{
    SnCall c = n->call;
    const SnType *wt = type_of(n, w);

    c.scratch = n->a;
    const SnFix *f = sn_fixes(&c, type_of(n, x), wt, type_of(n, y));
    sn_aot_line(n, "const SnFix *const %s = %s;", name,
                sn_aot_table(n, "SnFix", wt->nq, fix_item, f));
}

static SnStatus
put_fixed_mean(SnAotNode *n, const char *name, float xs, float ys)
{
    if (!sn_aot_even(n) && n->u.divisor.t != SN_NUM_INT)
        return sn_fail(n->d, SN_EUNSUPPORTED, sn_label(n->g, n->id, n->a),
                       "a mean by 'rounding %s' over sets of several sizes",
                       sn_rounding_word(n->call.rounding));
    double all = n->u.divisor.t == SN_NUM_INT ? (double)n->u.divisor.v
                                              : (double)n->u.ntap;
    SnFix f = sn_fix(n->call.rounding, (double)xs / ((double)ys * all));
    sn_aot_line(n, "const SnFix %s = %s;", name, fix_str(n->a, f));
    return SN_OK;
}

static void
put_softmax(SnAotNode *n, const char *name, const char *what, const char *ref)
{
    SnSoftmax *s = sn_alloc(n->a, sizeof *s);
    const SnType *t = type_of(n, ref);
    bool table = !strcmp(what, "softmax_table");

    sn_softmax_open(s, table ? t : type_of(n, "i0"), t, (SnLim){-128, 127});
    if (table)
        sn_aot_line(n, "const uint32_t *const %s = %s;", name,
                    sn_aot_table(n, "uint32_t", 256, power_item, s->t));
    else
        sn_aot_line(n, "const uint64_t %s = UINT64_C(%llu);", name,
                    (unsigned long long)s->one);
}

static void
put_lim(SnAotNode *n, const char *name, const char *ref, const char *range)
{
    SnLim l = sn_lim(type_of(n, ref), range_of(n, range));

    sn_aot_line(n, "const SnLim %s = {%s, %s};", name, sn_aot_int(n->a, l.lo),
                sn_aot_int(n->a, l.hi));
}

static SnStatus
put_def(SnAotNode *n, const char *line, const char *const *text)
{
    char name[64] = "", what[24] = "", p[3][64] = {"", "", ""};

    sscanf(line, "@def %63s %23s %63s %63s %63s", name, what, p[0], p[1], p[2]);
    if (!strcmp(what, "scale"))
        sn_aot_line(n, "const float %s = %s;", name,
                    sn_aot_float(n->a, sn_scale_of(type_of(n, p[0]))));
    else if (!strcmp(what, "zp"))
        sn_aot_line(n, "const int32_t %s = %d;", name,
                    (int)sn_zp_of(type_of(n, p[0])));
    else if (!strcmp(what, "scales"))
        sn_aot_line(n, "const float *const %s = %s;", name,
                    sn_aot_table(n, "float", type_of(n, p[0])->nq, float_item,
                                 type_of(n, p[0])->scale));
    else if (!strcmp(what, "zps"))
        sn_aot_line(n, "const int32_t *const %s = %s;", name,
                    sn_aot_table(n, "int32_t", type_of(n, p[0])->nq, int_item,
                                 type_of(n, p[0])->zp));
    else if (!strcmp(what, "lim"))
        put_lim(n, name, p[0], p[1]);
    else if (!strcmp(what, "limf"))
        sn_aot_line(n, "const SnLimF %s = {%s, %s};", name,
                    sn_aot_float(n->a, sn_limf(range_of(n, p[0])).lo),
                    sn_aot_float(n->a, sn_limf(range_of(n, p[0])).hi));
    else if (!strcmp(what, "attr"))
        put_attr(n, name, p[0]);
    else if (!strcmp(what, "shift"))
        sn_aot_line(n, "const int32_t %s = %d;", name,
                    attr_of(n, p[0]) ? (int)*(const int64_t *)sn_attr_at(
                                           n->call.attr, attr_of(n, p[0]))
                                     : 0);
    else if (!strcmp(what, "mults"))
        sn_aot_line(n, "const float *const %s = %s;", name,
                    sn_aot_table(n, "float", type_of(n, p[1])->nq, float_item,
                                 sn_mults(n->a, type_of(n, p[0]),
                                          type_of(n, p[1]), type_of(n, p[2]))));
    else if (!strcmp(what, "fixes"))
        put_fixes(n, name, p[0], p[1], p[2]);
    else if (!strcmp(what, "fix"))
        sn_aot_line(
            n, "const SnFix %s = %s;", name,
            fix_str(n->a, sn_fix(n->call.rounding,
                                 (double)scale_named(n, text, p[0]) /
                                     (double)scale_named(n, text, p[1]))));
    else if (!strcmp(what, "fixed_mean"))
        return put_fixed_mean(n, name, scale_named(n, text, p[0]),
                              scale_named(n, text, p[1]));
    else if (!strncmp(what, "softmax_", 8))
        put_softmax(n, name, what, p[0]);
    else
        sn_bug("a text declares %s %s", name, what);
    return SN_OK;
}

/* ---- marks ---- */

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

/* The index of an operand that lies beside a map: along the channels, or
 * shaped like the result. */
static const char *
beside_or_out(SnAotNode *n, uint32_t slot)
{
    const SnShape *s = n->call.in[slot].shape;

    return s && s->rank == 1 && n->call.out[n->res].shape->rank > 1
               ? beside(n)
               : sn_aot_out(n);
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
        return sn_aot_out(n);
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

static void
put_line(SnAotNode *n, const char *s)
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

static SnStatus
put_mark_line(SnAotNode *n, const char *s, const char *const *text)
{
    if (!strncmp(s, "@def ", 5))
        return put_def(n, s, text);
    if (!strcmp(s, "@fill"))
        return sn_aot_move(n, "fill");
    if (!strncmp(s, "@dot ", 5))
        return SN_OK; /* the lines below it say the same */
    if (!strcmp(s, "@sets"))
        sn_aot_sets(n);
    else if (!strcmp(s, "@each"))
        sn_aot_each(n);
    else if (!strcmp(s, "@taps"))
        sn_aot_taps(n, -1);
    else if (!strcmp(s, "@parts"))
        sn_aot_taps(n, 1);
    else if (!strcmp(s, "@rest"))
        sn_aot_taps(n, 0);
    else if (!strcmp(s, "@end"))
        sn_aot_end(n);
    else
        return SN_EUSAGE; /* a line of C that begins with a mark */
    return SN_OK;
}

/* ---- lines of a tile ---- */

/* The type of the elements of a table that the text declares, or of an operand;
 * NULL: neither. */
static const char *
type_of_table(const SnAotNode *n, const char *name)
{
    const char *const *text = n->tuple->text[n->res];
    char def[64], what[16];

    for (; *text; text++)
        if (sscanf(*text, "@def %63s %15s", def, what) == 2 &&
            !strcmp(def, name))
            return !strcmp(what, "mults") || !strcmp(what, "scales") ? "float"
                   : !strcmp(what, "fixes")                          ? "SnFix"
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
            put_line(n, n->line[i]);
}

/* Does the text's limit of this name keep all codes of 8 bits? */
static bool
is_all(const SnAotNode *n, const char *name)
{
    const char *const *text = n->tuple->text[n->res];
    char def[64], ref[64], range[64];

    for (; *text; text++)
        if (sscanf(*text, "@def %63s lim %63s %63s", def, ref, range) == 3 &&
            !strcmp(def, name)) {
            SnLim l = sn_lim(type_of(n, ref), range_of(n, range));
            return l.lo == -128 && l.hi == 127;
        }
    return false;
}

#define WORD "%63[A-Za-z0-9_]"

bool
sn_aot_tile_plain(const SnAotNode *n, SnTilePlain *p)
{
    const char *line[2];
    char v[2][64], y[64], lim[2][64], at[8];
    uint32_t k = 0;
    int end = 0;

    for (uint32_t i = 0; i < n->nline; i++) {
        if (!*n->line[i])
            continue;
        if (k == 2)
            return false;
        line[k++] = n->line[i];
    }
    if (k != 2 ||
        sscanf(line[0], "const int32_t " WORD " = (" WORD "[@c]);%n", v[0],
               p->bias, &end) != 2 ||
        line[0][end] || !end)
        return false;
    end = 0;
    if (sscanf(line[1],
               WORD "[@o] = (int8_t)(sn_requant(sn_add32(acc, " WORD "), " WORD
                    "[%7[^]]], " WORD ", " WORD ".lo, " WORD ".hi));%n",
               y, v[1], p->mult, at, p->zero, lim[0], lim[1], &end) != 7 ||
        !end || line[1][end] || strcmp(v[0], v[1]) || strcmp(lim[0], lim[1]))
        return false;
    memcpy(p->limit, lim[0], sizeof p->limit);
    p->each = !strcmp(at, "@b") || !strcmp(at, "@c");
    return (p->each || !strcmp(at, "0")) && is_all(n, lim[0]);
}

const char *
sn_aot_tile_beside(SnAotNode *n)
{
    return beside(n);
}

/* The loops of a tile, for lines from @each on; the number of its @end. */
static uint32_t
put_tile(SnAotNode *n, const char **line, uint32_t i)
{
    uint32_t end = ++i;

    while (strcmp(line[end], "@end"))
        end++;
    n->line = line + i;
    n->nline = end - i;
    sn_aot_tile_put(n);
    return end;
}

SnStatus
sn_aot_text(SnAotNode *n, const char *const *text)
{
    const char **line;
    uint32_t k = take_lines(n, text, &line);
    bool started = false;

    if (n->tile)
        drop_sum(line, k);
    drop_unread(n, line, k);
    for (uint32_t i = 0; i < k; i++) {
        const char *s = line[i];
        if (!*s)
            continue;
        bool loop = *s == '@' && strncmp(s, "@def ", 5);
        if (loop && !started && !n->tile) {
            sn_aot_start(n);
            started = true;
        }
        if (n->tile && !strcmp(s, "@each"))
            i = put_tile(n, line, i);
        else if (*s == '@')
            SN_TRY(put_mark_line(n, s, text));
        else
            put_line(n, s);
    }
    return SN_OK;
}
