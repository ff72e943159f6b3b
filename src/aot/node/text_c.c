// SPDX-License-Identifier: Apache-2.0
/* A node's text (gen/node/emit_text.c) as C: constants of its types and
 * attributes are declared, marks replaced, loops opened. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aot/node/tile_help.h"
#include "kernel/eval/rows.h"

/* ---- conditions ---- */

bool
sn_aot_after(const SnAotNode *n)
{
    const SnAttrDesc *a = sn_aot_attr(n, "round");

    return a && a->kind == SN_A_ENUM &&
           !strcmp(a->words[*(const int32_t *)sn_attr_at(n->call.attr, a)],
                   "after");
}

static bool
holds(const SnAotNode *n, const char *cond, size_t len)
{
    char word[96] = "";

    memcpy(word, cond, len < sizeof word ? len : sizeof word - 1);
    if (!strncmp(word, "has_", 4))
        return sn_aot_row(n, word + 4, strlen(word + 4))->n > 0;
    if (!strncmp(word, "real_", 5))
        return sn_aot_row(n, word + 5, strlen(word + 5))->use->real;
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

/* Copies the part of @?C{ a @| b @} that holds; s ends at the `end` mark or
 * with the text. */
static const char *
choose(const SnAotNode *n, const char *s, bool keep, SnBuf *b)
{
    while (*s && strncmp(s, "@|", 2) && strncmp(s, "@}", 2)) {
        if (keep && !strncmp(s, "@>", 2)) {
            s = sn_aot_row_call(n, s + 2, b);
            continue;
        }
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

/* For a tile, tile_c.c writes the lines that make a sum. */
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

    sn_aot_find_rows(n, text);
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

/* ---- unused lines ---- */

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

/* Removes a loop without a line. */
static bool
drop_empty(const char **line, uint32_t k)
{
    uint32_t last = k;
    bool any = false;

    for (uint32_t i = 0; i < k; i++) {
        if (last < k && !strcmp(line[i], "@end")) {
            line[last] = line[i] = "";
            last = k; /* a loop around it is removed the next time */
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

/* Removes a declaration that nothing below reads, and the lines that set it. */
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

static void
put_attr(SnAotNode *n, const char *name, const char *ref)
{
    const SnAttrDesc *a = sn_aot_attr(n, ref);
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
put_softmax(SnAotNode *n, const char *name, const char *what, const char *ref)
{
    SnSoftmax *s = sn_alloc(n->a, sizeof *s);
    const SnType *t = sn_aot_type_of(n, ref);
    bool table = !strcmp(what, "softmax_table");

    sn_softmax_open(s, table ? t : sn_aot_type_of(n, "i0"), t,
                    (SnLim){-128, 127});
    if (table)
        sn_aot_line(n, "const uint32_t *const %s = %s;", name,
                    sn_aot_table(n, "uint32_t", 256, power_item, s->t));
    else
        sn_aot_line(n, "const uint64_t %s = UINT64_C(%llu);", name,
                    (unsigned long long)s->one);
}

/* Declarations shared by all normalized rows. */
static SnStatus
put_normal(SnAotNode *n, const char *name, const char *const ref[3])
{
    const SnCall *c = &n->call;
    const SnShape *s = c->in[0].shape;
    int axis = sn_axis(s, sn_map_int(c, n->sem, 1, -1));
    const float *eps = sn_attr_at(c->attr, sn_aot_attr(n, "eps"));
    SnNormal k;

    SN_TRY(sn_normal_open(&k, c, axis < 0 ? 1 : s->dim[axis], *eps,
                          !strcmp(ref[2], "mean"), sn_aot_type_of(n, ref[0]),
                          sn_aot_type_of(n, ref[1])));
    sn_aot_line(n,
                "const SnNormal %s = {%lld, %s, %d, %d, %d, UINT64_C(%llu), "
                "UINT64_C(%llu), %d};",
                name, (long long)k.n, k.centred ? "true" : "false", (int)k.zx,
                (int)k.zy, k.half, (unsigned long long)k.eps,
                (unsigned long long)k.f, k.fe);
    return SN_OK;
}

static void
put_lim(SnAotNode *n, const char *name, const char *ref, const char *range)
{
    SnLim l = sn_lim(sn_aot_type_of(n, ref), sn_aot_range_of(n, range));
    const char *lo = sn_aot_int(n->a, l.lo), *hi = sn_aot_int(n->a, l.hi);

    if (l.lo >= INT8_MIN && l.lo <= INT8_MAX)
        lo = sn_format(n->a, "sn_soft_any8(%s)", lo);
    sn_aot_line(n, "const SnLim %s = {%s, %s};", name, lo, hi);
}

static SnStatus
put_def(SnAotNode *n, const char *line)
{
    char name[64] = "", what[24] = "", p[3][64] = {"", "", ""};

    sscanf(line, "@def %63s %23s %63s %63s %63s", name, what, p[0], p[1], p[2]);
    if (!strcmp(what, "scale"))
        sn_aot_line(n, "const float %s = %s;", name,
                    sn_aot_float(n->a, sn_scale_of(sn_aot_type_of(n, p[0]))));
    else if (!strcmp(what, "zp"))
        sn_aot_line(n, "const int32_t %s = %d;", name,
                    (int)sn_zp_of(sn_aot_type_of(n, p[0])));
    else if (!strcmp(what, "scales"))
        sn_aot_line(n, "const float *const %s = %s;", name,
                    sn_aot_table(n, "float", sn_aot_type_of(n, p[0])->nq,
                                 float_item, sn_aot_type_of(n, p[0])->scale));
    else if (!strcmp(what, "zps"))
        sn_aot_line(n, "const int32_t *const %s = %s;", name,
                    sn_aot_table(n, "int32_t", sn_aot_type_of(n, p[0])->nq,
                                 int_item, sn_aot_type_of(n, p[0])->zp));
    else if (!strcmp(what, "lim"))
        put_lim(n, name, p[0], p[1]);
    else if (!strcmp(what, "limf"))
        sn_aot_line(n, "const SnLimF %s = {%s, %s};", name,
                    sn_aot_float(n->a, sn_limf(sn_aot_range_of(n, p[0])).lo),
                    sn_aot_float(n->a, sn_limf(sn_aot_range_of(n, p[0])).hi));
    else if (!strcmp(what, "attr"))
        put_attr(n, name, p[0]);
    else if (!strcmp(what, "mults"))
        sn_aot_line(n, "const float *const %s = %s;", name,
                    sn_aot_table(n, "float", sn_aot_type_of(n, p[1])->nq,
                                 float_item,
                                 sn_mults(n->a, sn_aot_type_of(n, p[0]),
                                          sn_aot_type_of(n, p[1]),
                                          sn_aot_type_of(n, p[2]))));
    else if (!strcmp(what, "row") || !strcmp(what, "rows"))
        return sn_aot_put_row(n, name);
    else if (!strcmp(what, "normal"))
        return put_normal(n, name, (const char *[]){p[0], p[1], p[2]});
    else if (!strncmp(what, "softmax_", 8))
        put_softmax(n, name, what, p[0]);
    else
        sn_bug("a text declares %s %s", name, what);
    return SN_OK;
}

static SnStatus
put_mark_line(SnAotNode *n, const char *s)
{
    if (!strncmp(s, "@def ", 5))
        return put_def(n, s);
    if (!strcmp(s, "@fill"))
        return sn_aot_move(n, "fill");
    if (!strncmp(s, "@dot ", 5))
        return SN_OK; /* the lines below say the same */
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
        return SN_EUSAGE; /* a C line that begins with a mark */
    return SN_OK;
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

uint32_t
sn_aot_lines(SnAotNode *n, const char *const *text, const char ***line)
{
    uint32_t k = take_lines(n, text, line);

    drop_sum(*line, k);
    drop_unread(n, *line, k);
    return k;
}

/* A function that runs a plan. */
static SnStatus
put_plan(SnAotNode *n)
{
    const SnAotTile *t = n->tile;
    const SnTunedNames names = {.prefix =
                                    sn_format(n->a, "%s_n%u", n->prefix, n->id),
                                .x = sn_aot_operand(n, t->x),
                                .w = sn_aot_operand(n, t->w),
                                .y = sn_aot_result(n, n->res),
                                .work = "win"};

    sn_tuned_put(n->a, t->plan, &names, &n->data, &n->tables, n->out);
    return SN_OK;
}

SnStatus
sn_aot_text(SnAotNode *n, const char *const *text)
{
    const char **line;
    bool started = false;

    if (n->tile && n->tile->plan)
        return put_plan(n);
    uint32_t k =
        n->tile ? sn_aot_lines(n, text, &line) : take_lines(n, text, &line);
    if (!n->tile)
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
            SN_TRY(put_mark_line(n, s));
        else
            sn_aot_put_line(n, s);
    }
    return SN_OK;
}
