// SPDX-License-Identifier: Apache-2.0
/* Reading .def files: finds and opens them, feeds the parser token by token,
 * and resumes after a fault. */
#include "dsl/syntax/parse.h"

#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>
#include "base/buf.h"
#include "base/file/file.h"
#include "gram.h"

SnDefs *
sn_defs_new(SnArena *a)
{
    SnDefs *f = SN_NEW(a, SnDefs);

    f->arena = a;
    return f;
}

void
sn_defs_plugin(SnDefs *f)
{
    f->is_plugin = true;
    f->core_hash = f->hash;
    f->core_nmap = f->nmap;
    f->core_nnode = f->nnode;
    f->core_nbackend = f->nbackend;
    f->core_npass = f->npass;
    f->core_npipeline = f->npipeline;
    f->core_nclass = f->nclass;
    f->core_ntest = f->ntest;
}

/* ---- tokens into the parser ---- */

/* Counts brackets before the token is passed on.  False: too deep. */
static bool
count_brackets(SnParser *P, int code, const SnTok *t)
{
    switch (code) {
    case T_LP:
    case T_LK:
        P->nparen++;
        break;
    case T_RP:
    case T_RK:
        P->nparen -= P->nparen > 0;
        break;
    case T_LB:
        if (P->nbrace < SN_PARSE_DEPTH)
            P->brace[P->nbrace] = t->pos;
        P->nbrace++;
        break;
    case T_RB:
        P->nbrace -= P->nbrace > 0;
        break;
    case T_SEMI: /* is not in brackets */
        P->nparen = 0;
        break;
    default:
        break;
    }
    if (P->nparen + P->nbrace <= SN_PARSE_DEPTH)
        return true;
    sn_parse_too_deep(P, t->pos);
    P->stop = true;
    return false;
}

bool
sn_parse_begins_item(int code, const SnTok *t)
{
    if (t->pos.col != 1)
        return false;

    return code == T_NODE || code == T_PASS || code == T_LOWERING ||
           code == T_BACKEND || code == T_REFINE || code == T_INCLUDE ||
           code == T_PIPELINE || code == T_MAP || code == T_ONNX;
}

static void
forget_blocks(SnParser *P)
{
    P->nparen = P->nbrace = 0;
    P->node = NULL;
    P->pass = NULL;
    P->test = NULL;
    P->map = NULL;
}

static void
feed(SnParser *P, SnGram *g, int code, SnTok t)
{
    sn_gram(g, code, t);
    if (P->overflow) {
        P->overflow = false;
        if (!P->stop)
            sn_parse_too_deep(P, t.pos);
        P->stop = true;
    }
}

/* Should the parser, which looks for the end of a faulty statement, see the
 * token?  before: braces open before it; *group: the token before closed a
 * brace of the statement itself. */
static bool
resync_takes(SnParser *P, SnGram *g, int code, const SnTok *t, uint32_t before,
             bool *group)
{
    uint32_t outer = 0;
    bool was_group = *group;

    *group = false;
    sn_gram_lost(g, &outer);
    if (code == 0)
        return true;
    if (sn_parse_begins_item(code, t)) {
        sn_gram_reset(g, P);
        forget_blocks(P);
        return true;
    }
    if (was_group && sn_gram_takes(g, code) == SN_TAKE_YES) {
        feed(P, g, T_SEMI, *t);
        return true;
    }
    if (code == T_SEMI)
        return before == outer;
    if (code == T_RB && before > outer) {
        *group = before == outer + 1;
        return false;
    }
    return code == T_RB;
}

/* Is the token allowed here?  The start of an item is not a name in an unclosed
 * block above it. */
static bool
accepts(SnParser *P, const SnGram *g, int code, const SnTok *t)
{
    SnTake take = sn_gram_takes(g, code);

    if (take == SN_TAKE_AS_NAME && P->nbrace && sn_parse_begins_item(code, t))
        return false;
    return take != SN_TAKE_NO;
}

static void
parse(SnParser *P)
{
    bool group = false;
    int code;

    if (P->gram)
        sn_gram_reset(P->gram, P);
    else
        P->gram = sn_gram_new(P);
    SnGram *g = P->gram;
    if (P->in_hole)
        feed(P, g, T_HOLE, P->prev);
    do {
        SnTok t;
        uint32_t before = P->nbrace, outer;

        code = sn_lex(P, &t);
        if (P->stop)
            break;
        if (code == 0 && P->prev.raw) { /* points after the last token */
            t.pos = P->prev.pos;
            t.pos.col += t.pos.len;
            t.pos.len = 1;
        }
        if (!P->prev.raw && code != T_VERSION) {
            sn_error(P->d, t.pos, "SN002",
                     "a file begins with the version of the language");
            sn_diag_help(P->d, "version 2;");
        }
        if (!count_brackets(P, code, &t))
            break;
        if (!sn_gram_lost(g, &outer) && !accepts(P, g, code, &t)) {
            sn_parse_unexpected(P, g, code, &t);
            feed(P, g, T_BAD, t);
            group = false;
        }
        if (!sn_gram_lost(g, &outer) ||
            resync_takes(P, g, code, &t, before, &group))
            feed(P, g, code, t);
        if (code) {
            sn_parse_limit(P, t.pos);
            P->defs->hash = XXH64(t.raw, t.pos.len, P->defs->hash);
        }
        P->prev = t;
    } while (code && !P->stop);
    sn_gramFinalize(g);
}

/* ---- files ---- */

static SnSrc *
new_src(SnDefs *defs, const char *name, const char *text, size_t nbyte)
{
    SnSrc *s = SN_NEW(defs->arena, SnSrc);

    s->name = sn_strdup(defs->arena, name);
    s->text = text;
    s->nbyte = nbyte;
    s->order = defs->nsrc;
    SN_PUSH(defs->arena, defs->src, defs->nsrc, s);
    return s;
}

static void
parse_src(SnParser *up, SnDefs *defs, SnDiag *d, const SnSrc *src,
          const char *const *dirs, uint32_t ndir)
{
    SnParser *P = defs->parser ? defs->parser : SN_NEW(defs->arena, SnParser);

    *P = (SnParser){.defs = defs,
                    .d = d,
                    .a = defs->arena,
                    .src = src,
                    .up = up,
                    .dirs = dirs,
                    .ndir = ndir,
                    .cur = src->text,
                    .bol = src->text,
                    .end = src->text + src->nbyte,
                    .line = 1,
                    .col = 1,
                    .gram = P->gram,
                    .nerror0 = sn_diag_nerror(d),
                    .in = P->in};
    defs->parser = NULL;
    parse(P);
    sn_parse_own(P);
    defs->parser = P;
}

SnExpr *
sn_parse_hole(SnParser *up, SnPos at, const char *text, size_t n)
{
    SnParser *P = up->in ? up->in : SN_NEW(up->a, SnParser);
    SnGram *g = P->gram;

    *P = (SnParser){.defs = up->defs,
                    .d = up->d,
                    .a = up->a,
                    .src = up->src,
                    .gram = g,
                    .line = at.line,
                    .col = at.col,
                    .nerror0 = up->nerror0,
                    .in_hole = true};
    P->cur = P->bol = sn_strndup(up->a, text, n);
    P->end = P->cur + n;
    at.len = 1;
    at.col--;
    P->prev = (SnTok){.pos = at, .raw = P->cur};
    parse(P);
    up->in = P;
    up->stop |= P->stop;
    return P->hole;
}

void
sn_def_parse_text(SnDefs *defs, SnDiag *d, const char *name, const char *text,
                  size_t nbyte, const char *const *dirs, uint32_t ndir)
{
    char *copy = sn_strndup(defs->arena, "", 0);

    if (nbyte) {
        copy = sn_alloc(defs->arena, nbyte + 1);
        memcpy(copy, text, nbyte);
    }
    parse_src(NULL, defs, d, new_src(defs, name, copy, nbyte), dirs, ndir);
}

/* Why a file cannot be read as a .def file, or NULL. */
static const char *
unreadable(const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return "is a directory";
    if (S_ISREG(st->st_mode) && (uintmax_t)st->st_size > SN_PARSE_NBYTE)
        return "is larger than 16 MB";
    return NULL;
}

static const SnSrc *
already_read(const SnDefs *defs, const char *path, const struct stat *st)
{
    for (uint32_t i = 0; i < defs->nsrc; i++) {
        struct stat o;

        if (!strcmp(defs->src[i]->name, path))
            return defs->src[i];
        if (!stat(defs->src[i]->name, &o) && o.st_dev == st->st_dev &&
            o.st_ino == st->st_ino)
            return defs->src[i];
    }
    return NULL;
}

static void
read_and_parse(SnParser *up, SnDefs *defs, SnDiag *d, const char *path,
               const char *const *dirs, uint32_t ndir)
{
    char *text;
    size_t nbyte;

    if (sn_file_read(defs->arena, d, path, SN_PARSE_NBYTE, &text, &nbyte))
        return;
    parse_src(up, defs, d, new_src(defs, path, text, nbyte), dirs, ndir);
}

void
sn_def_parse(SnDefs *defs, SnDiag *d, const char *path, const char *const *dirs,
             uint32_t ndir)
{
    struct stat st;
    const char *why;

    if (!stat(path, &st)) {
        if (already_read(defs, path, &st))
            return;
        why = unreadable(&st);
        if (why) {
            (void)sn_fail(d, SN_EINPUT, path, "%s", why);
            return;
        }
    }
    read_and_parse(NULL, defs, d, path, dirs, ndir);
}

/* ---- include ---- */

/* Next to the including file, then in the given directories. */
static const char *
find(SnParser *P, const char *name, struct stat *st)
{
    const char *path =
        sn_path_join(P->a, sn_path_dir(P->a, P->src->name), name);

    if (!stat(path, st))
        return path;
    for (uint32_t i = 0; i < P->ndir; i++) {
        path = sn_path_join(P->a, P->dirs[i], name);
        if (!stat(path, st))
            return path;
    }
    return NULL;
}

static void
not_found(SnParser *P, SnTok t)
{
    SnBuf b;

    sn_error(P->d, t.pos, "SN010", "no file '%s'", t.str);
    if (t.str[0] == '/')
        return;
    sn_buf_init(&b, P->a);
    sn_putf(&b, "'%s'", sn_path_dir(P->a, P->src->name));
    for (uint32_t i = 0; i < P->ndir; i++)
        sn_putf(&b, ", '%s'", P->dirs[i]);
    sn_diag_help(P->d, "looked in %s; -I DIR adds one", sn_buf_str(&b));
}

/* The chain of files from the one included again down to this one. */
static void
cycle(SnParser *P, SnTok t, const SnSrc *again)
{
    SnBuf b;
    const SnParser *up = P;

    sn_buf_init(&b, P->a);
    sn_puts(&b, again->name);
    while (up->src != again) {
        char *rest = sn_strdup(P->a, sn_buf_str(&b));

        sn_buf_init(&b, P->a);
        sn_putf(&b, "%s -> %s", up->src->name, rest);
        up = up->up;
    }
    sn_error(P->d, t.pos, "SN011", "'%s' includes itself", again->name);
    sn_diag_line(P->d, "%s -> %s", again->name, sn_buf_str(&b));
}

void
sn_parse_include(SnParser *P, SnTok t)
{
    struct stat st;
    const char *path = find(P, t.str, &st), *why;
    const SnSrc *again;
    uint32_t nopen = 0;

    if (!path) {
        not_found(P, t);
        return;
    }
    again = already_read(P->defs, path, &st);
    for (const SnParser *up = P; up; up = up->up) {
        if (again && up->src == again) {
            cycle(P, t, again);
            return;
        }
        nopen++;
    }
    if (again)
        return;
    why = unreadable(&st);
    if (why)
        sn_error(P->d, t.pos, "SN009", "'%s' %s", path, why);
    else if (nopen >= SN_PARSE_NINCLUDE)
        sn_error(P->d, t.pos, "SN011", "more than %d files include one another",
                 SN_PARSE_NINCLUDE);
    else
        read_and_parse(P, P->defs, P->d, path, P->dirs, P->ndir);
}
