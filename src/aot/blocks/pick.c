// SPDX-License-Identifier: Apache-2.0
/* Files are cut into definitions by their layout, which clang-format keeps: a
 * definition begins in the first column, the name of a function too, and the
 * last line begins with a brace or ends with a semicolon. */
#include "aot/blocks/pick.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Functions of libm, and those that must not be contracted. */
static const struct Soft {
    const char *name, *is;
    bool dsp; /* only for targets with DSP instructions */
} soft[] = {
    {"fmaf", "sn_soft_fmaf", false},    {"sqrtf", "sn_soft_sqrtf", false},
    {"fabsf", "sn_soft_fabsf", false},  {"floorf", "sn_soft_floorf", false},
    {"ceilf", "sn_soft_ceilf", false},  {"rintf", "sn_soft_rintf", false},
    {"sn_mulf", "sn_soft_mulf", false}, {"sn_requant", "sn_dsp_requant", true},
};

/* What replaces a name of n letters; NULL: the name is kept. */
static const char *
soft_name(const char *s, size_t n, bool dsp)
{
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++)
        if ((dsp || !soft[i].dsp) && strlen(soft[i].name) == n &&
            !strncmp(soft[i].name, s, n))
            return soft[i].is;
    return NULL;
}

typedef struct Item {
    const char *text; /* with the comment before it */
    bool used;
} Item;

typedef struct Name {
    const char *name;
    size_t item;
} Name;

typedef struct Pick {
    SnArena *a;
    Item *item;
    size_t nitem;
    Name *name;
    size_t nname;
    bool dsp;
    SnBuf out;
} Pick;

static bool
starts(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

static size_t
word_len(const char *s)
{
    size_t n = 0;

    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

static void
add_name(Pick *p, const char *s, size_t len)
{
    Name n = {sn_format(p->a, "%.*s", (int)len, s), p->nitem};

    if (len)
        SN_PUSH(p->a, p->name, p->nname, n);
}

/* The last word before `end`. */
static void
add_last(Pick *p, const char *s, const char *end)
{
    const char *e = end;

    while (e > s && !word_len(e - 1))
        e--;
    const char *b = e;
    while (b > s && word_len(b - 1))
        b--;
    add_name(p, b, (size_t)(e - b));
}

/* The names that a definition defines; false: it is not a definition. */
static bool
add_names(Pick *p, const char *s)
{
    size_t had = p->nname;

    if (starts(s, "#define ")) {
        add_name(p, s + 8, word_len(s + 8));
    } else if (starts(s, "typedef ")) {
        /* of a function: its name is before the operands, or after the `*` */
        const char *open = strchr(s, '{') ? NULL : strchr(s, '(');
        if (open && open[1] == '*')
            add_name(p, open + 2, word_len(open + 2));
        else
            add_last(p, s, open ? open : s + strlen(s) - 2);
        for (const char *l = starts(s, "typedef enum") ? s : NULL;
             l && (l = strstr(l, "\n    ")) != NULL; l += 5)
            add_name(p, l + 5, word_len(l + 5));
    } else if (starts(s, "static const ") && strstr(s, " = ")) {
        const char *end = strstr(s, " = "), *at = strstr(s, "] = ");
        while (at && at > s && *at != '[')
            at--;
        add_last(p, s, at && at < end ? at : end);
    } else if (strchr(s, '{')) {
        for (const char *l = s; (l = strchr(l, '\n')) != NULL; l++)
            if (word_len(l + 1) && l[1 + word_len(l + 1)] == '(') {
                add_name(p, l + 1, word_len(l + 1));
                break;
            }
    }
    return p->nname > had;
}

static void
add_item(Pick *p, const char *comment, const char *s)
{
    bool function = !starts(s, "static") && !starts(s, "typedef") && *s != '#';

    if (!add_names(p, s))
        return;
    Item it = {sn_format(p->a, "%s%s%s", comment, function ? "static " : "", s),
               false};
    SN_PUSH(p->a, p->item, p->nitem, it);
}

static int
braces(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += (*s == '{') - (*s == '}');
    return n;
}

static bool
ends(const char *s, char c)
{
    size_t n = strlen(s);

    return n && s[n - 1] == c;
}

/* What is read of a definition and of the comment before it. */
typedef struct Cut {
    SnBuf text, note;
    bool comment;
    int depth;
} Cut;

static void
cut_line(Pick *p, Cut *c, const char *s)
{
    bool outside = c->depth == 0 && c->text.n == 0;

    if (outside && (c->comment || starts(s, "/*"))) {
        if (!c->comment)
            sn_buf_init(&c->note, p->a);
        sn_putf(&c->note, "%s\n", s);
        c->comment = !strstr(s, "*/");
        return;
    }
    bool skip = *s == '\0' || *s == '}' || starts(s, "extern \"C\"") ||
                starts(s, "// SPDX") || (*s == '#' && s[1] != 'd');
    if (outside && skip) {
        sn_buf_init(&c->note, p->a);
        return;
    }
    sn_putf(&c->text, "%s\n", s);
    c->depth += braces(s);
    if (c->depth != 0 || (*s != '}' && !ends(s, ';') && *s != '#'))
        return;
    add_item(p, sn_buf_str(&c->note), sn_buf_str(&c->text));
    sn_buf_init(&c->text, p->a);
    sn_buf_init(&c->note, p->a);
}

static void
cut(Pick *p, const char *more)
{
    Cut c = {.comment = false};

    sn_buf_init(&c.text, p->a);
    sn_buf_init(&c.note, p->a);
    for (const char *const *l = sn_net_text; *l; l++)
        cut_line(p, &c, *l);
    while (more && *more) {
        size_t n = strcspn(more, "\n");
        cut_line(p, &c, sn_format(p->a, "%.*s", (int)n, more));
        more += n + (more[n] == '\n');
    }
}

/* The item with this name, or NULL. */
static Item *
find(const Pick *p, const char *s, size_t len)
{
    const char *is = soft_name(s, len, p->dsp);

    if (is)
        return find(p, is, strlen(is));
    for (size_t i = 0; i < p->nname; i++)
        if (strlen(p->name[i].name) == len && !strncmp(p->name[i].name, s, len))
            return &p->item[p->name[i].item];
    return NULL;
}

static const char *
skip_comment(const char *s)
{
    const char *e = starts(s, "/*") ? strstr(s, "*/") : NULL;

    return e ? e + 2 : s;
}

static void
take(Pick *p, const char *code)
{
    while (*code) {
        const char *after = skip_comment(code);
        size_t n = word_len(code);
        if (after != code) {
            code = after;
            continue;
        }
        Item *it = n ? find(p, code, n) : NULL;
        if (it && !it->used) {
            it->used = true;
            take(p, it->text);
            sn_putf(&p->out, "%s\n", it->text);
        }
        code += n ? n : 1;
    }
}

const char *
sn_pick(SnArena *a, const char *code, const char *more, bool dsp)
{
    Pick p = {.a = a, .dsp = dsp};

    sn_buf_init(&p.out, a);
    cut(&p, more);
    take(&p, code);
    return sn_buf_str(&p.out);
}

const char *
sn_pick_rename(SnArena *a, const char *code, const char *prefix, bool dsp)
{
    SnBuf b;

    sn_buf_init(&b, a);
    while (*code) {
        size_t n = word_len(code);
        const char *s = code;
        size_t len = n;
        if (n == 0) {
            sn_putc(&b, *code++);
            continue;
        }
        const char *is = soft_name(code, n, dsp);
        if (is) {
            s = is;
            len = strlen(s);
        }
        if (starts(s, "sn_") && len > 3)
            sn_putf(&b, "%s_%.*s", prefix, (int)(len - 3), s + 3);
        else if (starts(s, "Sn") && len > 2 && isupper((unsigned char)s[2]))
            sn_putf(&b, "%s_%.*s", prefix, (int)(len - 2), s + 2);
        else if (starts(s, "SN_") && len > 3)
            sn_putf(&b, "%s_%.*s", prefix, (int)len, s);
        else
            sn_putf(&b, "%.*s", (int)len, s);
        code += n;
    }
    return sn_buf_str(&b);
}
