// SPDX-License-Identifier: Apache-2.0
/* Lines, names and comments of generated rule functions. */
#include "gen/rule/rule_gen.h"

#include <ctype.h>
#include <string.h>

void
sn_rule_init(SnRuleGen *cx, const SnDefs *defs, SnDiag *d)
{
    *cx = (SnRuleGen){.a = defs->arena,
                      .defs = defs,
                      .d = d,
                      .indent = 4,
                      .values = "v->",
                      .suffix = ""};
    cx->w = sn_rule_writer(cx);
}

void
sn_rule_line(SnRuleGen *cx, const char *decl, const char *fmt, ...)
{
    va_list ap;
    SnRuleLine l = {.indent = cx->indent, .decl = decl};

    va_start(ap, fmt);
    l.text = sn_vformat(cx->a, fmt, ap);
    va_end(ap);
    SN_PUSH(cx->a, cx->line, cx->nline, l);
}

void
sn_rule_fail_if(SnRuleGen *cx, const char *text)
{
    sn_rule_line(cx, NULL, "if (%s)", text);
    cx->indent += 4;
    sn_rule_line(cx, NULL, "return false;");
    cx->indent -= 4;
}

/* ---- names ---- */

static bool
taken(const SnRuleGen *cx, const char *s)
{
    return sn_name_among(cx->name, cx->nname, s);
}

const char *
sn_rule_local(SnRuleGen *cx, const char *name)
{
    /* Names that generated functions use themselves. */
    static const char *const own[] = {"g", "rw", "i",   "swap",
                                      "t", "v",  "why", "fits"};
    const char *s = sn_field(cx->a, name);

    return sn_name_among(own, sizeof own / sizeof *own, s)
               ? sn_format(cx->a, "%s_", s)
               : s;
}

const char *
sn_rule_of(SnRuleGen *cx, const SnDefVar *v)
{
    const char *s = sn_rule_local(cx, v->name);

    return v->each && !cx->in_run ? sn_format(cx->a, "%s_0", s) : s;
}

const char *
sn_rule_fresh(SnRuleGen *cx, const char *base)
{
    const char *s = sn_rule_local(cx, base);

    if (cx->rule && sn_rule_var(cx, s))
        s = sn_format(cx->a, "%s_", s);
    const char *t = s;
    for (uint32_t i = 2; taken(cx, t); i++)
        t = sn_format(cx->a, "%s%u", s, i);
    SN_PUSH(cx->a, cx->name, cx->nname, t);
    return t;
}

const char *
sn_rule_kind(const SnRuleGen *cx, const SnDefNode *n)
{
    return sn_format(cx->a, "SN_K_%s", sn_upper(cx->a, n->name));
}

const char *
sn_rule_lower(const SnRuleGen *cx, const SnDefNode *n)
{
    return sn_lower(cx->a, n->name);
}

/* pass_rule; two backends may use one name, which then gets the backend's. */
static const char *
rule_name(const SnDefs *defs, const SnDefRule *r)
{
    const char *s = sn_format(defs->arena, "%s_%s", r->pass->name, r->name);

    for (uint32_t i = 0; i < defs->nrule; i++) {
        const SnDefRule *o = defs->rule[i];
        if (o != r && !strcmp(o->name, r->name) &&
            !strcmp(o->pass->name, r->pass->name) && r->backend)
            return sn_format(defs->arena, "%s_%s", s, r->backend->name);
    }
    return s;
}

const char *
sn_rule_enum(const SnDefs *defs, const SnDefRule *r)
{
    return sn_format(defs->arena, "SN_RULE_%s",
                     sn_upper(defs->arena, rule_name(defs, r)));
}

const char *
sn_rule_fn(const SnDefs *defs, const SnDefRule *r)
{
    return sn_lower(defs->arena, rule_name(defs, r));
}

const SnDefPass *
sn_rule_derive_pass(const SnDefs *defs, const SnDefDerive *v)
{
    for (uint32_t i = 0; i < defs->npass; i++)
        for (uint32_t k = 0; k < defs->pass[i]->nderive; k++)
            if (defs->pass[i]->derive[k] == v)
                return defs->pass[i];
    sn_bug("derive %s belongs to no pass", v->family);
}

/* If a pass has several lines of one family, all but the first include what
 * they are about. */
const char *
sn_rule_derive_name(const SnDefs *defs, const SnDefDerive *v)
{
    const SnDefPass *p = sn_rule_derive_pass(defs, v);

    for (uint32_t i = 0; i < p->nderive && p->derive[i] != v; i++)
        if (p->derive[i]->fam == v->fam)
            return sn_format(defs->arena, "%s_%s", v->family,
                             sn_lower(defs->arena, v->what));
    return v->family;
}

const char *
sn_rule_derive_enum(const SnDefs *defs, const SnDefDerive *v)
{
    return sn_format(defs->arena, "SN_RULE_%s_%s",
                     sn_upper(defs->arena, sn_rule_derive_pass(defs, v)->name),
                     sn_upper(defs->arena, sn_rule_derive_name(defs, v)));
}

/* From its place in the source up to the ';'. */
const char *
sn_rule_derive_text(SnArena *a, const SnDefDerive *v)
{
    const char *s = v->pos.src ? v->pos.src->text : "", *e;

    for (uint32_t line = 1; line < v->pos.line && s; line++) {
        s = strchr(s, '\n');
        s = s ? s + 1 : NULL;
    }
    while (s && isspace((unsigned char)*s))
        s++;
    e = s ? strchr(s, ';') : NULL;
    return e ? sn_strndup(a, s, (size_t)(e - s) + 1) : "";
}

bool
sn_rule_form_of(const SnDefNode *n, const SnDefNode *base)
{
    for (; n; n = n->base)
        if (n == base)
            return true;
    return false;
}

/* ---- writing lines ---- */

static bool
word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does text read the local `name`?  Members and strings do not count. */
static bool
reads(const char *text, const char *name)
{
    size_t n = strlen(name);
    bool str = false;

    for (const char *p = text; *p; p++) {
        if (*p == '\\' && str && p[1])
            p++;
        else if (*p == '"')
            str = !str;
        if (str || strncmp(p, name, n) || word_char(p[n]))
            continue;
        if (p > text && (word_char(p[-1]) || p[-1] == '.'))
            continue;
        if (p > text + 1 && p[-1] == '>' && p[-2] == '-')
            continue;
        return true;
    }
    return false;
}

static bool
needed(const SnRuleGen *cx, uint32_t k, const bool *dead)
{
    const char *name = cx->line[k].decl;

    for (uint32_t i = k + 1; i < cx->nline; i++) {
        const SnRuleLine *l = &cx->line[i];
        if (dead[i])
            continue;
        if (l->decl && !strcmp(l->decl, name)) {
            const char *eq = strchr(l->text, '=');
            return eq && reads(eq, name);
        }
        if (reads(l->text, name))
            return true;
    }
    return false;
}

static bool
opens(const char *s)
{
    size_t n = strlen(s);

    return n > 0 && s[n - 1] == '{';
}

/* The next line that is kept, or nline. */
static uint32_t
after(const SnRuleGen *cx, const bool *dead, uint32_t i)
{
    for (i++; i < cx->nline && dead[i]; i++)
        ;
    return i;
}

static void
prune(const SnRuleGen *cx, bool *dead)
{
    for (uint32_t i = cx->nline; i-- > 0;) {
        if (cx->line[i].decl && !needed(cx, i, dead))
            dead[i] = true;
        if (!dead[i] && opens(cx->line[i].text)) {
            uint32_t k = after(cx, dead, i);
            if (k < cx->nline && !strcmp(cx->line[k].text, "}"))
                dead[i] = dead[k] = true;
        }
    }
}

void
sn_rule_flush(SnRuleGen *cx, SnBuf *b)
{
    bool *dead = SN_NEW_N(cx->a, bool, cx->nline + 1);
    bool blank = true;

    prune(cx, dead);
    for (uint32_t i = 0; i < cx->nline; i++) {
        const SnRuleLine *l = &cx->line[i];
        if (dead[i] || (blank && !*l->text))
            continue;
        blank = !*l->text;
        if (!blank)
            sn_put_spaces(b, (size_t)l->indent);
        sn_putf(b, "%s\n", l->text);
    }
    cx->nline = 0;
}

/* ---- tables ---- */

void
sn_rule_table(SnBuf *b, const SnDefs *defs, const char *type, const char *name)
{
    sn_putf(b, "\n%sconst %s %s_%s[] = {\n", defs->is_plugin ? "static " : "",
            type, defs->is_plugin ? "plugin" : "sn_core", name);
}

void
sn_rule_table_end(SnBuf *b, const SnDefs *defs, const char *item, uint32_t n)
{
    if (!defs->is_plugin)
        sn_putf(b, "%s};\nconst uint32_t sn_core_n%s = %u;\n",
                n ? "" : "    { 0 },\n", item, n);
    else
        sn_puts(b, "};\n");
}

/* ---- comments ---- */

/* s with runs of space and line comments made one space. */
static const char *
joined(SnArena *a, const char *s)
{
    SnBuf b;
    bool str = false;

    sn_buf_init(&b, a);
    for (; *s; s++) {
        str ^= *s == '"';
        if (str && *s == '\\' && s[1])
            sn_putc(&b, *s++);
        if (!str && s[0] == '/' && s[1] == '/') {
            while (s[1] && s[1] != '\n')
                s++;
        } else if (!isspace((unsigned char)*s)) {
            sn_putc(&b, *s);
        } else if (b.n && b.s[b.n - 1] != ' ') {
            sn_putc(&b, ' ');
        }
    }
    return sn_buf_str(&b);
}

void
sn_rule_quote(SnBuf *b, const char *lead, const char *text)
{
    size_t width = 76 - strlen(lead);
    const char *more = "";

    text = joined(b->a, text);
    while (*text) {
        size_t n = strlen(text), room = width - strlen(more);
        if (n > room) {
            for (n = room; n > 0 && text[n] != ' '; n--)
                ;
            if (n == 0)
                n = strcspn(text, " ");
        }
        sn_emit_quote(b, sn_format(b->a, "%s%s", lead, more),
                      sn_strndup(b->a, text, n));
        text += n;
        while (*text == ' ')
            text++;
        more = "    ";
    }
}
