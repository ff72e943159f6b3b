// SPDX-License-Identifier: Apache-2.0
#include "base/diag_format.h"

#include <string.h>

#include "base/json.h"

/* ---- JSON ---- */

static void
put_member(SnBuf *b, const char *key, const char *text)
{
    sn_putf(b, "\"%s\": ", key);
    sn_put_json(b, text);
}

static void
put_place(SnBuf *b, SnPos at)
{
    if (!at.src)
        return;
    sn_puts(b, ", ");
    put_member(b, "file", at.src->name);
    if (at.line)
        sn_putf(b, ", \"line\": %u, \"column\": %u, \"length\": %u", at.line,
                at.col, at.len);
}

static const char *
severity(SnSeverity s)
{
    static const char *const name[] = {"error", "warning", "note"};

    return name[s];
}

static void
put_json(SnBuf *b, const SnDiagMsg *m)
{
    static const char *const kind[] = {"span", "line", "help"};

    sn_puts(b, "    {");
    put_member(b, "severity", severity(m->severity));
    if (m->code) {
        sn_puts(b, ", ");
        put_member(b, "code", m->code);
    }
    put_place(b, m->at);
    if (m->where) {
        sn_puts(b, ", ");
        put_member(b, "where", m->where);
    }
    sn_puts(b, ",\n     ");
    put_member(b, "message", m->text);
    for (size_t i = 0; i < m->nextra; i++) {
        sn_puts(b, i ? ",\n       {" : ",\n     \"more\": [\n       {");
        put_member(b, "kind", kind[m->extra[i].kind]);
        put_place(b, m->extra[i].at);
        sn_puts(b, ", ");
        put_member(b, "text", m->extra[i].text);
        sn_putc(b, '}');
    }
    sn_puts(b, m->nextra ? "]}" : "}");
}

const char *
sn_diag_json(const SnDiag *d, SnArena *a)
{
    size_t n;
    const SnDiagMsg *m = sn_diag_messages(d, a, &n);
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "{\n  \"messages\": [");
    for (size_t i = 0; i < n; i++) {
        sn_puts(&b, i ? ",\n" : "\n");
        put_json(&b, &m[i]);
    }
    sn_putf(&b, "%s],\n  \"errors\": %u,\n  \"warnings\": %u\n}\n",
            n ? "\n  " : "", sn_diag_nerror(d), sn_diag_nwarning(d));
    return sn_buf_str(&b);
}

/* ---- SARIF ---- */

/* SARIF counts characters; a place counts bytes. */
static uint32_t
characters(SnPos at, uint32_t nbyte)
{
    const char *s = at.src->text, *end;
    uint32_t n = 0;

    if (!s)
        return nbyte;
    end = s + at.src->nbyte;
    for (uint32_t i = 1; i < at.line && s; i++) {
        s = memchr(s, '\n', (size_t)(end - s));
        s = s ? s + 1 : NULL;
    }
    if (!s)
        return nbyte;
    for (uint32_t i = 0; i < nbyte; i++) {
        bool inside = s + i < end;
        n += !inside || ((unsigned char)s[i] & 0xc0) != 0x80;
    }
    return n;
}

/* A path as a relative URI reference. */
static const char *
uri(SnArena *a, const char *s)
{
    static const char safe[] = "-._~/!$&'()*+,;=@";
    SnBuf b;

    sn_buf_init(&b, a);
    for (; *s; s++) {
        bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                     (*s >= '0' && *s <= '9') || strchr(safe, *s);
        if (plain)
            sn_putc(&b, *s);
        else
            sn_putf(&b, "%%%02X", (unsigned char)*s);
    }
    return sn_buf_str(&b);
}

static void
put_location(SnBuf *b, SnPos at, const char *text)
{
    sn_puts(b, "{\"physicalLocation\": {\"artifactLocation\": {");
    put_member(b, "uri", uri(b->a, at.src->name));
    sn_putc(b, '}');
    if (at.line) {
        uint32_t col = characters(at, at.col - 1) + 1;
        uint32_t end = characters(at, at.col - 1 + at.len) + 1;
        sn_putf(b,
                ", \"region\": {\"startLine\": %u, \"startColumn\": %u, "
                "\"endColumn\": %u}",
                at.line, col, end);
    }
    sn_putc(b, '}');
    if (text) {
        sn_puts(b, ", \"message\": {");
        put_member(b, "text", text);
        sn_putc(b, '}');
    }
    sn_putc(b, '}');
}

static void
put_result(SnBuf *b, const SnDiagMsg *m)
{
    SnBuf t;
    unsigned nspan = 0;

    sn_buf_init(&t, b->a);
    if (m->where)
        sn_putf(&t, "%s: ", m->where);
    sn_puts(&t, m->text);
    for (size_t i = 0; i < m->nextra; i++)
        if (m->extra[i].kind != SN_EXTRA_SPAN)
            sn_putf(&t, "\n%s%s",
                    m->extra[i].kind == SN_EXTRA_HELP ? "help: " : "",
                    m->extra[i].text);
    sn_puts(b, "        {");
    if (m->code) {
        put_member(b, "ruleId", m->code);
        sn_puts(b, ", ");
    }
    put_member(b, "level", severity(m->severity));
    sn_puts(b, ",\n         \"message\": {");
    put_member(b, "text", sn_buf_str(&t));
    sn_putc(b, '}');
    if (m->at.src) {
        sn_puts(b, ",\n         \"locations\": [");
        put_location(b, m->at, NULL);
        sn_putc(b, ']');
    }
    for (size_t i = 0; i < m->nextra; i++) {
        const SnDiagExtra *e = &m->extra[i];
        if (e->kind != SN_EXTRA_SPAN || !e->at.src)
            continue;
        sn_puts(b, nspan++ ? ", " : ",\n         \"relatedLocations\": [");
        put_location(b, e->at, e->text);
    }
    sn_puts(b, nspan ? "]}" : "}");
}

static void
put_rules(SnBuf *b, const SnDiagMsg *m, size_t n,
          const char *(*title)(const char *code))
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        bool seen = !m[i].code;
        for (size_t k = 0; k < i && !seen; k++)
            seen = m[k].code && !strcmp(m[k].code, m[i].code);
        if (seen)
            continue;
        const char *s = title ? title(m[i].code) : NULL;
        sn_puts(b, any ? ",\n          {" : "\n          {");
        put_member(b, "id", m[i].code);
        if (s) {
            sn_puts(b, ", \"shortDescription\": {");
            put_member(b, "text", s);
            sn_putc(b, '}');
        }
        sn_putc(b, '}');
        any = true;
    }
    if (any)
        sn_puts(b, "\n        ");
}

const char *
sn_diag_sarif(const SnDiag *d, SnArena *a, const char *tool,
              const char *(*title)(const char *code))
{
    size_t n;
    const SnDiagMsg *m = sn_diag_messages(d, a, &n);
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "{\n  \"version\": \"2.1.0\",\n  \"$schema\": "
                "\"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                "  \"runs\": [\n    {\n      \"tool\": {\"driver\": {");
    put_member(&b, "name", tool);
    sn_puts(&b, ", \"rules\": [");
    put_rules(&b, m, n, title);
    sn_puts(&b, "]}},\n      \"columnKind\": \"unicodeCodePoints\",\n"
                "      \"results\": [");
    for (size_t i = 0; i < n; i++) {
        sn_puts(&b, i ? ",\n" : "\n");
        put_result(&b, &m[i]);
    }
    sn_puts(&b, n ? "\n      ]\n    }\n  ]\n}\n" : "]\n    }\n  ]\n}\n");
    return sn_buf_str(&b);
}
