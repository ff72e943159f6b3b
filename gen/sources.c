// SPDX-License-Identifier: Apache-2.0
/* --sources: the prototypes of the functions that declarations name.  A C
 * compiler detects a wrong one only where the generated header is included, and
 * a linker never; here it is an error at the declaration.  Reads C as tokens:
 * "TYPE NAME(PARAMETERS) {" at the top level, before a body. */
#include "gen/text/emit.h"

#include <ctype.h>
#include <string.h>

typedef struct Tok {
    const char *s;
    size_t n;
    uint32_t line, col;
} Tok;

typedef struct Def { /* of a function */
    const SnSrc *src;
    Tok name;
    uint32_t ntok; /* from the type to the ')' */
    Tok *tok;
} Def;

typedef struct Cx {
    SnArena *a;
    SnDiag *d;
    uint32_t ndef;
    Def *def;
} Cx;

/* ---- tokens ---- */

typedef struct Lex {
    const char *p, *end, *line;
    uint32_t nline;
    bool fresh; /* only blanks so far on this line */
} Lex;

static void
newline(Lex *l)
{
    l->nline++;
    l->line = l->p;
    l->fresh = true;
}

/* Past a comment, a string or a directive, up to `stop`. */
static void
skip_to(Lex *l, const char *stop)
{
    size_t n = strlen(stop);

    while (l->p < l->end && strncmp(l->p, stop, n)) {
        if (*l->p == '\\' && l->p + 1 < l->end)
            l->p++;
        if (*l->p++ == '\n')
            newline(l);
    }
    l->p += l->p < l->end ? n : 0;
}

static bool
next(Lex *l, Tok *t)
{
    while (l->p < l->end) {
        char c = *l->p;
        if (c == '\n') {
            l->p++;
            newline(l);
        } else if (isspace((unsigned char)c)) {
            l->p++;
        } else if (!strncmp(l->p, "//", 2) || (c == '#' && l->fresh)) {
            skip_to(l, "\n");
            newline(l);
        } else if (!strncmp(l->p, "/*", 2)) {
            l->p += 2;
            skip_to(l, "*/");
        } else {
            break;
        }
    }
    if (l->p >= l->end)
        return false;
    l->fresh = false;
    *t = (Tok){l->p, 1, l->nline, (uint32_t)(l->p - l->line) + 1};
    if (*l->p == '"' || *l->p == '\'') {
        char q[2] = {*l->p++, 0};
        skip_to(l, q);
    } else if (isalnum((unsigned char)*l->p) || *l->p == '_') {
        while (l->p < l->end && (isalnum((unsigned char)*l->p) || *l->p == '_'))
            l->p++;
    } else {
        l->p++;
    }
    t->n = (size_t)(l->p - t->s);
    return true;
}

static bool
is(const Tok *t, const char *s)
{
    return t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

static bool
word(const Tok *t)
{
    return isalpha((unsigned char)*t->s) || *t->s == '_';
}

/* ---- definitions ---- */

/* The '(' that closes at v[n - 1], or n. */
static uint32_t
opening(const Tok *v, uint32_t n)
{
    int depth = 0;

    for (uint32_t i = n; i-- > 0;) {
        depth += is(&v[i], ")");
        depth -= is(&v[i], "(");
        if (depth == 0)
            return i;
    }
    return n;
}

/* How many tokens the attributes before the type are. */
static uint32_t
attributes(const Tok *v, uint32_t n)
{
    uint32_t i = 0;

    while (i + 1 < n && is(&v[i], "__attribute__") && is(&v[i + 1], "(")) {
        int depth = 0;
        for (i++; i < n; i++) {
            depth += is(&v[i], "(");
            depth -= is(&v[i], ")");
            if (depth == 0)
                break;
        }
        i++;
    }
    return i < n ? i : n;
}

static void
add_def(Cx *cx, const SnSrc *src, const Tok *v, uint32_t n)
{
    uint32_t front = attributes(v, n);

    v += front;
    n -= front;
    while (n && is(&v[n - 1], ")")) {
        uint32_t k = opening(v, n);
        if (k == n || k == 0 || !word(&v[k - 1]))
            return;
        if (is(&v[k - 1], "__attribute__")) {
            n = k - 1;
            continue;
        }
        Def d = {.src = src,
                 .name = v[k - 1],
                 .ntok = n,
                 .tok = sn_memdup(cx->a, v, n * sizeof *v)};
        SN_PUSH(cx->a, cx->def, cx->ndef, d);
        return;
    }
}

static void
scan(Cx *cx, const SnSrc *src)
{
    Lex l = {src->text, src->text + src->nbyte, src->text, 1, true};
    Tok t, *v = NULL;
    uint32_t n = 0;
    int depth = 0;

    while (next(&l, &t)) {
        if (is(&t, "{")) {
            if (depth++ == 0)
                add_def(cx, src, v, n);
            v = NULL;
            n = 0;
        } else if (is(&t, "}")) {
            depth -= depth > 0;
            v = NULL;
            n = 0;
        } else if (depth == 0 && is(&t, ";")) {
            v = NULL;
            n = 0;
        } else if (depth == 0) {
            SN_PUSH(cx->a, v, n, t);
        }
    }
}

/* ---- comparing ---- */

static bool
noise(const Tok *t)
{
    static const char *const w[] = {"extern", "const", "register", "restrict",
                                    "volatile"};

    for (size_t i = 0; i < sizeof w / sizeof *w; i++)
        if (is(t, w[i]))
            return true;
    return false;
}

/* Tokens as text, one blank between words. */
static const char *
spell(SnArena *a, const Tok *v, uint32_t n)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < n; i++) {
        bool glue = i == 0 || is(&v[i], ")") || is(&v[i], ",") ||
                    is(&v[i], "(") || is(&v[i - 1], "(") || is(&v[i - 1], "*");
        sn_putf(&b, "%s%.*s", glue ? "" : " ", (int)v[i].n, v[i].s);
    }
    return sn_buf_str(&b);
}

/* One parameter (or result): "const SnCall *" fits const SnCall *c. */
static bool
fits(const Tok *v, uint32_t n, const char *want, bool named)
{
    bool is_const = false, star = false;
    const Tok *type = NULL;
    uint32_t nword = 0;

    for (uint32_t i = 0; i < n; i++) {
        is_const |= !star && is(&v[i], "const");
        if (is(&v[i], "*")) {
            if (star)
                return false;
            star = true;
        } else if (!word(&v[i])) {
            return false;
        } else if (!noise(&v[i])) {
            if (nword++ == 0)
                type = &v[i];
            else if (!named || nword > 2)
                return false;
        }
    }
    bool want_const = !strncmp(want, "const ", 6);
    want += want_const ? 6 : 0;
    size_t k = strcspn(want, " ");
    return type && is_const == want_const &&
           star == (strchr(want, '*') != NULL) && type->n == k &&
           !memcmp(type->s, want, k);
}

/* "SnStatus(const SnCall *)": the result, then parameters by commas. */
static bool
has_type(SnArena *a, const Def *d, const char *want)
{
    uint32_t at = opening(d->tok, d->ntok), from = at + 1;
    const char *p = strchr(want, '(') + 1;

    if (!fits(d->tok, at - 1, sn_strndup(a, want, (size_t)(p - want) - 1),
              false))
        return false;
    for (uint32_t i = from; i < d->ntok; i++) {
        bool last = i + 1 == d->ntok;
        if (!last && !is(&d->tok[i], ","))
            continue;
        size_t k = strcspn(p, ",)");
        if (!k || !fits(d->tok + from, i - from, sn_strndup(a, p, k), true) ||
            last != (p[k] == ')'))
            return false;
        p += k + 1;
        p += *p == ' ';
        from = i + 1;
    }
    return true;
}

/* ---- functions that declarations name ---- */

static void
check(Cx *cx, const char *what, const char *fn, SnPos at, const char *want,
      const char *header)
{
    const Def *d = NULL;

    for (uint32_t i = 0; i < cx->ndef && !d; i++)
        if (is(&cx->def[i].name, fn))
            d = &cx->def[i];
    const char *paren = strchr(want, '(');
    const char *full =
        sn_format(cx->a, "%.*s %s%s", (int)(paren - want), want, fn, paren);
    if (!d) {
        sn_error(cx->d, at, "SN703", "%s %s is defined in no source file", what,
                 fn);
        sn_diag_help(cx->d, "%s (%s)", full, header);
        return;
    }
    if (has_type(cx->a, d, want))
        return;
    SnPos there = {d->src, d->name.line, d->name.col, (uint32_t)d->name.n};
    sn_error(cx->d, at, "SN701", "%s %s has the wrong prototype; see %s", what,
             fn, header);
    sn_diag_span(cx->d, there, "%s", spell(cx->a, d->tok, d->ntok));
    sn_diag_help(cx->d, "%s", full);
}

static void
check_kernels(Cx *cx, SnDefKernel *const *k, uint32_t n, const char *header)
{
    for (uint32_t i = 0; i < n; i++) {
        check(cx, "kernel", k[i]->fn, k[i]->pos, "SnStatus(const SnCall *)",
              header);
        if (k[i]->prepare)
            check(cx, "prepare", k[i]->prepare, k[i]->pos, "bool(SnPrep *)",
                  header);
    }
}

void
sn_check_sources(const SnDefs *s, SnDiag *d, uint32_t n,
                 const char *const *path)
{
    Cx cx = {.a = s->arena, .d = d};

    for (uint32_t i = 0; i < n; i++) {
        SnSrc *src = SN_NEW(s->arena, SnSrc);
        char *text;
        if (sn_file_read(s->arena, d, path[i], 0, &text, &src->nbyte) != SN_OK)
            return;
        src->name = path[i];
        src->text = text;
        scan(&cx, src);
    }
    for (uint32_t i = 0; i < s->nbackend; i++) {
        const SnDefBackend *b = s->backend[i];
        const char *h = sn_emit_kernels_name(s, b);
        if (!sn_defs_mine(s, b))
            continue;
        for (uint32_t k = 0; k < s->nnode; k++)
            if (s->node[k]->backend == b)
                check_kernels(&cx, s->node[k]->kernel, s->node[k]->nkernel, h);
        for (uint32_t k = 0; k < b->nkernels; k++)
            check_kernels(&cx, b->kernels[k]->kernel, b->kernels[k]->nkernel,
                          h);
        for (uint32_t k = 0; k < b->nhook; k++)
            check(&cx, "hook", b->hook_fn[k], b->pos,
                  "int(const SnGraph *, SnId)", h);
        for (uint32_t k = 0; k < s->nrule; k++)
            if (s->rule[k]->backend == b && s->rule[k]->builder)
                check(&cx, "builder", s->rule[k]->builder, s->rule[k]->pos,
                      "bool(SnGraph *, SnRewriter *, SnId)",
                      sn_emit_name(s, "rules.h"));
    }
}
