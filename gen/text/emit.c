// SPDX-License-Identifier: Apache-2.0
/* Helpers shared by all emitters. */
#include "gen/text/emit.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* MaxPool to max_pool, CPUConvAdd to cpu_conv_add, Conv2D to conv2d: a word
 * begins at a capital after a small letter and before one. */
static const char *
snake(SnArena *a, const char *s, int (*letter)(int))
{
    char *r = sn_alloc(a, 2 * strlen(s) + 1), *p = r;

    for (size_t i = 0; s[i]; i++) {
        bool up = isupper((unsigned char)s[i]);
        unsigned char last = i > 0 ? (unsigned char)s[i - 1] : '_';
        if (up && last != '_' &&
            (islower(last) || islower((unsigned char)s[i + 1])))
            *p++ = '_';
        *p++ = (char)letter((unsigned char)s[i]);
    }
    *p = '\0';
    return r;
}

const char *
sn_lower(SnArena *a, const char *s)
{
    return snake(a, s, tolower);
}

const char *
sn_upper(SnArena *a, const char *s)
{
    return snake(a, s, toupper);
}

const char *
sn_field(SnArena *a, const char *s)
{
    static const char *const word[] = {
        "auto",     "bool",    "break",  "case",     "char",     "const",
        "continue", "default", "do",     "double",   "else",     "enum",
        "extern",   "false",   "float",  "for",      "goto",     "if",
        "inline",   "int",     "long",   "register", "restrict", "return",
        "short",    "signed",  "sizeof", "static",   "struct",   "switch",
        "true",     "typedef", "union",  "unsigned", "void",     "volatile",
        "while"};

    return sn_name_among(word, sizeof word / sizeof *word, s)
               ? sn_format(a, "%s_", s)
               : s;
}

const char *
sn_local(SnArena *a, const char *s)
{
    /* Locals of emitted functions. */
    static const char *const word[] = {
        "after", "at",   "attr", "c",  "ch", "code", "d", "dot",  "e",
        "g",     "hi",   "i",    "id", "in", "k",    "l", "lo",   "m",
        "n",     "name", "nin",  "o",  "s",  "sh",   "t", "type", "v"};

    return sn_name_among(word, sizeof word / sizeof *word, s)
               ? sn_format(a, "%s_", s)
               : sn_field(a, s);
}

const char *
sn_where(SnArena *a, SnPos at)
{
    if (at.src == NULL)
        return "";
    const char *name = at.src->name;
    if (name[0] == '/')
        name = sn_path_base(name);
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return sn_format(a, "%s:%u", name, at.line);
}

const char *
sn_emit_name(const SnDefs *s, const char *what)
{
    return sn_format(s->arena, "%s_%s",
                     s->is_plugin ? sn_lower(s->arena, s->plugin->name) : "sn",
                     what);
}

const char *
sn_emit_guard(const SnDefs *s, const char *what)
{
    char *p = sn_strdup(s->arena, sn_upper(s->arena, sn_emit_name(s, what)));

    for (char *q = p; *q; q++)
        if (*q == '.')
            *q = '_';
    return p;
}

void
sn_emit_head(SnBuf *b, const char *what)
{
    sn_putf(b,
            "/* %s\n * Written by sinter-gen from the declarations; edit "
            "those instead. */\n",
            what);
}

void
sn_emit_header(SnBuf *b, SnArena *a, const char *what, const char *guard,
               const char *lines)
{
    sn_buf_init(b, a);
    sn_emit_head(b, what);
    sn_putf(b,
            "#ifndef %s\n#define %s\n\n%s\n"
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
            guard, guard, lines);
}

const char *
sn_emit_core(const SnDefs *s, const char *lines)
{
    return s->is_plugin ? "#include <sinter_plugin.h>\n" : lines;
}

void
sn_emit_close(SnBuf *b)
{
    sn_puts(b, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

const char *
sn_lit_str(SnArena *a, const char *s)
{
    SnBuf t, *b = &t;

    if (s == NULL)
        return "NULL";
    sn_buf_init(b, a);
    sn_putc(b, '"');
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch == '\n')
            sn_puts(b, "\\n");
        else if (ch == '"' || ch == '\\')
            sn_putf(b, "\\%c", ch);
        else if (ch == '?' && s[1] == '?')
            sn_puts(b, "\\?");
        else if (ch < 32 || ch == 127)
            sn_putf(b, "\\%03o", ch);
        else
            sn_putc(b, (char)ch);
    }
    sn_putc(b, '"');
    return sn_buf_str(b);
}

const char *
sn_lit_lines(SnArena *a, const char *s, const char *between)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (size_t n; *s; s += n) {
        n = strcspn(s, "\n");
        n += s[n] == '\n';
        sn_putf(&b, "%s%s", b.n ? between : "",
                sn_lit_str(a, sn_strndup(a, s, n)));
    }
    return b.n ? sn_buf_str(&b) : "\"\"";
}

static const char *
real(SnArena *a, double v, bool f32)
{
    SnBuf b;

    if (isnan(v))
        return "NAN";
    if (isinf(v))
        return v < 0 ? "-INFINITY" : "INFINITY";
    sn_buf_init(&b, a);
    if (f32)
        sn_put_f32(&b, (float)v);
    else
        sn_put_f64(&b, v);
    return sn_format(a, "%s%s%s", sn_buf_str(&b),
                     strpbrk(sn_buf_str(&b), ".eE") ? "" : ".0",
                     f32 ? "f" : "");
}

const char *
sn_lit_f32(SnArena *a, double v)
{
    return real(a, v, true);
}

const char *
sn_lit_f64(SnArena *a, double v)
{
    return real(a, v, false);
}

const char *
sn_lit_i64(SnArena *a, int64_t v)
{
    if (v == INT64_MIN)
        return "INT64_MIN";
    return sn_format(
        a, v >= INT32_MIN && v <= INT32_MAX ? "%lld" : "INT64_C(%lld)",
        (long long)v);
}

const char *
sn_lit_list(SnArena *a, SnExpr *const *e, uint32_t n, const char *ty)
{
    const char *s = n ? "" : " 0";
    double v = 0;

    for (uint32_t i = 0; i < n; i++) {
        sn_const_num(e[i], &v);
        s = sn_format(a, "%s%s %s", s, i ? "," : "",
                      *ty == 'i'   ? sn_lit_int(a, e[i])
                      : *ty == 'f' ? sn_lit_f32(a, v)
                                   : sn_lit_f64(a, v));
    }
    return sn_format(a, "(const %s[]){%s }", ty, s);
}

void
sn_emit_quote(SnBuf *b, const char *lead, const char *s)
{
    sn_puts(b, lead);
    for (; *s; s++) {
        if (*s == '*' && s[1] == '/') { /* must not end the comment */
            sn_puts(b, "* /");
            s++;
        } else if (*s == '/' && s[1] == '*') {
            sn_puts(b, "/ *");
            s++;
        } else if (*s == '\n') {
            if (s[1])
                sn_putf(b, "\n%s", lead);
        } else {
            sn_putc(b, *s);
        }
    }
    sn_putc(b, '\n');
}

/* Where to break a line of n > room bytes: after a comma or before an
 * operator, outside strings, in as few parentheses as there are, then as far
 * right as fits; 0 if nothing fits. */
static size_t
break_at(const char *s, size_t n, size_t room)
{
    size_t best = 0;
    int depth = 0, least = 1000;
    bool str = false;

    for (size_t i = 0; i < n && i <= room; i++) {
        str ^= s[i] == '"';
        if (str) {
            i += s[i] == '\\';
            continue;
        }
        depth += s[i] == '(' || s[i] == '{' || s[i] == '[';
        depth -= s[i] == ')' || s[i] == '}' || s[i] == ']';
        if (s[i] != ' ' || i < 8)
            continue;
        bool after = strchr(",;={", s[i - 1]) != NULL;
        bool logic =
            !strncmp(s + i + 1, "&& ", 3) || !strncmp(s + i + 1, "|| ", 3);
        bool op =
            i + 2 < n && ((s[i + 2] == ' ' && strchr("+-*/?:", s[i + 1])) ||
                          logic || s[i + 1] == '"');
        int d = depth + (after || logic ? 0 : 1) + (i < room / 2 ? 10 : 0);
        if ((after || op) && d <= least) {
            best = i;
            least = d;
        }
    }
    return best;
}

/* The lines of text, broken after commas and before operators if they exceed
 * width columns. */
static void
put_lines(SnBuf *b, int width, const char *text)
{
    while (*text) {
        const char *nl = strchr(text, '\n');
        size_t n = nl ? (size_t)(nl - text) : strlen(text);
        const char *next = text + n + (nl != NULL);
        int in = 0;

        if (n == 0)
            sn_putc(b, '\n');
        for (; n && *text == ' '; text++, n--)
            in++;
        for (int first = 1; n; first = 0) {
            int pad = in + (first ? 0 : 4);
            size_t room = pad < width - 20 ? (size_t)(width - pad) : 20;
            size_t k = n > room ? break_at(text, n, room) : 0;
            if (k == 0)
                k = n;
            sn_put_spaces(b, (size_t)pad);
            sn_putn(b, text, k);
            sn_putc(b, '\n');
            for (text += k, n -= k; n && *text == ' '; text++)
                n--;
        }
        text = next;
    }
}

void
sn_emit_array(SnBuf *b, const char *name, const char *text)
{
    sn_putf(b, "static const char *const %s[] = {\n", name);
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        sn_putf(b, "    %s,\n", sn_lit_str(b->a, sn_strndup(b->a, text, n)));
    }
    sn_puts(b, "    NULL\n};\n");
}

void
sn_emit_comment(SnBuf *b, const char *text)
{
    SnBuf lines, quoted;

    sn_buf_init(&lines, b->a);
    sn_buf_init(&quoted, b->a);
    put_lines(&lines, 77, text);
    sn_emit_quote(&quoted, " * ", sn_buf_str(&lines));
    const char *s = sn_buf_str(&quoted) + 2; /* the comment opens the first */
    bool one = strchr(s, '\n') == s + strlen(s) - 1;
    sn_putf(b, "\n/*%.*s */\n", (int)strlen(s) - one, s);
}

const char *
sn_elem_enum(int elem)
{
    return elem < 0 ? "-1" : sn_elem_words[elem].id;
}

const char *
sn_elem_ctype(int elem)
{
    return elem < 0 ? "void" : sn_elem_words[elem].c;
}

bool
sn_const_num(const SnExpr *e, double *v)
{
    if (e->ek != SN_E_BOOL)
        return sn_expr_number(e, v);
    *v = (double)e->i;
    return true;
}

const char *
sn_lit_int(SnArena *a, const SnExpr *e)
{
    int64_t v = e->i;

    if (e->ek != SN_E_BOOL && !sn_expr_int(e, &v))
        sn_bug("'%s' was accepted as an int", sn_expr_str(a, e));
    return sn_lit_i64(a, v);
}

/* The files of this run that differ from what is there. */
typedef struct Made {
    const char *path;
    SnPiece text;
} Made;
static Made *made;
static size_t nmade;

void
sn_emit_file(SnBuf *b, const char *outdir, const char *name, SnDiag *d)
{
    const char *dot = strrchr(name, '.');
    SnBuf t;

    if (outdir == NULL || sn_diag_nerror(d))
        return;
    sn_buf_init(&t, b->a);
    if (dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h")))
        put_lines(&t, 80, sn_buf_str(b));
    else
        t = *b;
    Made m = {sn_path_join(b->a, outdir, name), {sn_buf_str(&t), t.n}};
    if (!sn_file_holds(m.path, m.text.p, m.text.n))
        SN_PUSH(b->a, made, nmade, m);
}

void
sn_emit_write(SnArena *a, SnDiag *d)
{
    const char **path = SN_NEW_N(a, const char *, nmade + 1);
    SnPiece *text = SN_NEW_N(a, SnPiece, nmade + 1);

    for (size_t i = 0; i < nmade; i++) {
        path[i] = made[i].path;
        text[i] = made[i].text;
    }
    if (sn_diag_nerror(d) == 0)
        sn_file_write_all(a, d, path, text, nmade);
}
