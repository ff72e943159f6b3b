// SPDX-License-Identifier: Apache-2.0
/* The text form, read: one statement makes one node.  Values are defined
 * before they are used, so no cycle can be written. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/budget.h"
#include "base/file/file.h"
#include "graph/text/text.h"
#include "graph/text/text_priv.h"

/* A statement as read, before the node exists. */
typedef struct Stmt {
    SnPos pos; /* the kind */
    SnKind kind;
    const SnKindDesc *d;
    unsigned nname;
    const char *name[SN_MAXRES]; /* NULL for _ */
    SnPos name_pos[SN_MAXRES];
    SnRef *in;
    uint32_t nin;
    void *attr;
    bool calibrated;
    SnDataText data;
    unsigned ntype;
    const SnType *type[SN_MAXRES]; /* NULL for _ */
    const SnShape *shape[SN_MAXRES];
    SnPos type_pos[SN_MAXRES];
} Stmt;

/* ---- left side ---- */

static bool
read_names(SnReader *r, Stmt *s)
{
    for (;;) {
        const SnTextTok *t = &r->m.t;
        if (s->nname == SN_MAXRES)
            return sn_rd_fail(r, t->pos, "more than %d results", SN_MAXRES);
        s->name_pos[s->nname] = t->pos;
        if (sn_rd_is(r, '_') && s->nname > 0) {
            s->name[s->nname++] = NULL;
        } else if (t->kind == SN_TOK_NAME) {
            SnRef old = sn_names_find(r->g->names, t->s);
            if (old) {
                sn_rd_fail(r, t->pos, "%%%s is defined twice", t->s);
                sn_diag_span(r->d, r->def[SN_NODE(old)], "first here");
                return false;
            }
            for (unsigned k = 0; k < s->nname; k++)
                if (s->name[k] && !strcmp(s->name[k], t->s))
                    return sn_rd_fail(r, t->pos, "%%%s is defined twice", t->s);
            s->name[s->nname++] = t->s;
        } else {
            return sn_rd_wanted(r, "a result's name");
        }
        sn_rd_next(r);
        if (sn_rd_take(r, '='))
            return true;
        if (!sn_rd_expect(r, ',', "or '=' after a result"))
            return false;
    }
}

/* ---- operands ---- */

/* The names of a graph, for "did you mean". */
static const char *
closest_value(SnReader *r, const char *word)
{
    const char **cand = NULL;
    size_t n = 0;

    for (SnId id = 1; id < r->g->nnode; id++)
        for (unsigned k = 0; k < sn_node(r->g, id)->nres; k++)
            if (sn_node(r->g, id)->res[k].name)
                SN_PUSH(r->a, cand, n, sn_node(r->g, id)->res[k].name);
    return sn_closest(word, cand, n);
}

static bool
read_value(SnReader *r, SnRef *ref)
{
    SnPos pos = r->m.t.pos;
    const char *name = r->m.t.s;
    int64_t k;

    *ref = sn_names_find(r->g->names, name);
    if (!*ref) {
        const char *near = closest_value(r, name);
        sn_rd_fail(r, pos, "%%%s is not defined above", name);
        if (near)
            sn_diag_help(r->d, "did you mean %%%s?", near);
        return false;
    }
    sn_rd_next(r);
    if (!sn_rd_take(r, ':'))
        return !r->failed;
    SnPos at = r->m.t.pos;
    if (!sn_rd_int(r, 0, SN_MAXRES - 1, &k))
        return false;
    const SnNode *n = sn_def(r->g, *ref);
    if (SN_RES(*ref) != 0 || k >= n->nres || !n->res[k].type)
        return sn_rd_fail(r, at, "%%%s has no result %lld", name, (long long)k);
    *ref = SN_REF(SN_NODE(*ref), k);
    return true;
}

static bool
read_operands(SnReader *r, Stmt *s)
{
    if (!sn_rd_expect(r, '(', "after the node kind"))
        return false;
    while (!sn_rd_is(r, ')')) {
        SnRef ref = 0;
        if (s->nin > 0 && !sn_rd_expect(r, ',', "or ')' after an operand"))
            return false;
        if (r->m.t.kind == SN_TOK_NAME) {
            if (!read_value(r, &ref))
                return false;
        } else if (!sn_rd_take(r, '_')) {
            return sn_rd_wanted(r, "an operand, %name or _");
        }
        SN_PUSH(r->tmp, s->in, s->nin, ref);
    }
    sn_rd_next(r);
    return !r->failed;
}

/* ---- attributes ---- */

static bool
attr_unknown(SnReader *r, const Stmt *s, const char *name, SnPos pos)
{
    const char **cand = NULL;
    size_t n = 0;

    for (uint32_t i = 0; i < s->d->nattr; i++)
        SN_PUSH(r->a, cand, n, s->d->attr[i].name);
    const char *near = sn_closest(name, cand, n);
    sn_rd_fail(r, pos, "%s has no attribute '%s'", s->d->name, name);
    if (near)
        sn_diag_help(r->d, "did you mean %s?", near);
    return false;
}

static bool
read_hash(SnReader *r, Stmt *s)
{
    const SnTextTok *t = &r->m.t;

    if (t->kind != SN_TOK_STR || strlen(t->s) != 16 ||
        strspn(t->s, "0123456789abcdef") != 16)
        return sn_rd_wanted(r, "a string of 16 hex digits");
    s->data.hash = t->s;
    sn_rd_next(r);
    return !r->failed;
}

static bool
read_calibrated(SnReader *r, Stmt *s, SnPos pos)
{
    bool yes = r->m.t.kind == SN_TOK_IDENT && !strcmp(r->m.t.s, "true");

    if (!yes && (r->m.t.kind != SN_TOK_IDENT || strcmp(r->m.t.s, "false")))
        return sn_rd_wanted(r, "true or false");
    if (yes && s->d->clamp < 0)
        return sn_rd_fail(r, pos, "%s has no clamp to calibrate", s->d->name);
    s->calibrated = yes;
    sn_rd_next(r);
    return !r->failed;
}

/* The names every node, or every constant, has besides its declared ones. */
enum { X_CALIBRATED, X_DATA, X_SPLAT, X_HASH, X_COUNT };
static const char *const extra[X_COUNT] = {"calibrated", "data", "splat",
                                           "hash"};

static unsigned
extra_named(const SnKindDesc *d, const char *name)
{
    unsigned i = 0;

    while (i < X_COUNT && strcmp(name, extra[i]) != 0)
        i++;
    return i == X_CALIBRATED || sn_holds_data(d) ? i : X_COUNT;
}

/* One NAME = VALUE; seen has the declared attributes, then the extra ones. */
static bool
read_attr(SnReader *r, Stmt *s, bool *seen)
{
    SnPos pos = r->m.t.pos;
    const char *name = r->m.t.s;

    if (r->m.t.kind != SN_TOK_IDENT)
        return sn_rd_wanted(r, "an attribute's name");
    const SnAttrDesc *at = sn_attr_named(s->d, name);
    unsigned x = at ? X_COUNT : extra_named(s->d, name);
    if (!at && x == X_COUNT)
        return attr_unknown(r, s, name, pos);
    bool *once = &seen[at ? (unsigned)(at - s->d->attr) : s->d->nattr + x];
    if (*once)
        return sn_rd_fail(r, pos, "'%s' is given twice", name);
    *once = true;
    sn_rd_next(r);
    if (!sn_rd_expect(r, '=', "after an attribute's name"))
        return false;
    if (at)
        return sn_rd_attr(r, at, s->attr);
    if ((x == X_DATA || x == X_SPLAT) && s->data.form != SN_TEXT_NONE)
        return sn_rd_fail(r, pos, "either data or splat, not both");
    return x == X_CALIBRATED ? read_calibrated(r, s, pos)
           : x == X_DATA     ? sn_rd_data(r, &s->data)
           : x == X_SPLAT    ? sn_rd_splat(r, &s->data)
                             : read_hash(r, s);
}

static bool
read_attrs(SnReader *r, Stmt *s)
{
    bool *seen = SN_NEW_N(r->tmp, bool, s->d->nattr + X_COUNT);
    bool first = true;

    s->attr = sn_attr_new(r->tmp, s->d);
    if (sn_rd_take(r, '{')) {
        while (!sn_rd_is(r, '}')) {
            if (!first && !sn_rd_expect(r, ',', "or '}' after an attribute"))
                return false;
            first = false;
            if (!read_attr(r, s, seen))
                return false;
        }
        sn_rd_next(r);
    }
    for (uint32_t i = 0; i < s->d->nattr; i++)
        if (!seen[i] && !s->d->attr[i].has_default)
            return sn_rd_fail(r, s->pos, "%s needs the attribute '%s'",
                              s->d->name, s->d->attr[i].name);
    if (sn_holds_data(s->d) && s->data.form == SN_TEXT_NONE)
        return sn_rd_fail(r, s->pos, "%s needs data or splat", s->d->name);
    return !r->failed;
}

/* ---- types ---- */

static bool
read_one_type(SnReader *r, Stmt *s)
{
    unsigned k = s->ntype;

    if (k >= s->d->nout)
        return sn_rd_fail(r, r->m.t.pos, "%s has %u result%s", s->d->name,
                          s->d->nout, s->d->nout == 1 ? "" : "s");
    s->type_pos[k] = r->m.t.pos;
    s->ntype++;
    if (k > 0 && sn_rd_take(r, '_'))
        return true;
    return sn_rd_type(r, &s->type[k]) && sn_rd_shape(r, &s->shape[k]);
}

static bool
read_types(SnReader *r, Stmt *s)
{
    if (s->d->nout == 0)
        return true;
    if (!sn_rd_expect(r, ':', "and the result's type"))
        return false;
    if (!sn_rd_take(r, '('))
        return read_one_type(r, s);
    do {
        if (!read_one_type(r, s))
            return false;
    } while (sn_rd_take(r, ','));
    return sn_rd_expect(r, ')', "or ',' after a type");
}

/* ---- pinned types ---- */

/* Equal but for 2^-20 of the scale. */
static bool
nearly(const SnType *have, const SnType *want)
{
    if (have->elem != want->elem || have->axis != want->axis ||
        have->nq != want->nq)
        return false;
    for (uint32_t i = 0; i < want->nq; i++) {
        double by = (double)have->scale[i] - (double)want->scale[i];
        if (by < 0)
            by = -by;
        if (have->zp[i] != want->zp[i] || by > (double)want->scale[i] * 0x1p-20)
            return false;
    }
    return true;
}

/* May the type of r change without anything but its meaning changing? */
static bool
retypable(const SnGraph *g, SnRef r)
{
    const SnKindDesc *d = sn_desc(sn_kind(g, r));

    return sn_is_source(d) || d->out[SN_RES(r)].fact == SN_FREE;
}

static void
snap_pins(SnReader *r, SnId id)
{
    const SnNode *n = sn_node(r->g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    const SnTuple *t = sn_node_tuple(r->g, id);

    for (uint32_t i = 0; t && i < d->nin; i++) {
        uint32_t s, count;
        if (d->in[i].fact != SN_PIN)
            continue;
        sn_port_slots(d, n->nin, i, &s, &count);
        SnRef b = count ? n->in[s].ref : 0;
        if (!b || !sn_elem_quant(sn_type(r->g, b)->elem) || !retypable(r->g, b))
            continue;
        SnArena *tmp = sn_arena_new();
        const SnType *want =
            sn_pin_type(r->g->pool, tmp, d, &d->in[i], &t->in[i], n->nin,
                        sn_in_types(r->g, id, tmp));
        sn_arena_free(tmp);
        if (want && nearly(sn_type(r->g, b), want))
            sn_res(r->g, b)->type = want;
    }
}

/* ---- statements ---- */

static const char plugins[] =
    "if a plugin declares it, load the plugin: --backend-plugin FILE";

/* A name that is close to a kind of the program's own is that one misspelt;
 * another may be a plugin's. */
static bool
kind_unknown(SnReader *r, SnPos pos, const char *name)
{
    const char *op;
    SnKind k = sn_kind_closest(r->a, name, &op);

    sn_rd_fail(r, pos, "there is no node kind '%s'", name);
    if (k)
        sn_diag_help(r->d, "did you mean %s%s%s?", sn_desc(k)->name,
                     op ? ", which imports ONNX's " : "", op ? op : "");
    if (!sn_more_kinds.nkind && (!k || sn_desc(k)->backend))
        sn_diag_help(r->d, "%s", plugins);
    return false;
}

static bool
read_kind(SnReader *r, Stmt *s)
{
    const char *name = r->m.t.s;

    s->pos = r->m.t.pos;
    if (r->m.t.kind != SN_TOK_IDENT)
        return sn_rd_wanted(r, "a node kind");
    s->kind = sn_kind_named(name);
    if (!s->kind)
        return kind_unknown(r, s->pos, name);
    s->d = sn_desc(s->kind);
    sn_rd_next(r);
    if (s->d->nout == 0 && s->nname > 0)
        return sn_rd_fail(r, s->name_pos[0], "%s has no result", name);
    if (s->d->nout > 0 && s->nname == 0)
        return sn_rd_fail(r, s->pos, "the result of %s needs a name", name);
    if (s->nname > s->d->nout)
        return sn_rd_fail(r, s->name_pos[s->d->nout], "%s has %u result%s",
                          name, s->d->nout, s->d->nout == 1 ? "" : "s");
    return !r->failed;
}

static bool
check_results(SnReader *r, const Stmt *s, SnId id)
{
    const SnNode *n = sn_node(r->g, id);
    SnBuf b;

    for (unsigned k = 0; k < s->ntype; k++) {
        if (!s->type[k] || n->res[k].shape == s->shape[k])
            continue;
        sn_buf_init(&b, r->a);
        sn_puts(&b, "the shape is ");
        sn_put_shape(&b, n->res[k].shape);
        sn_puts(&b, ", but the text says ");
        sn_put_shape(&b, s->shape[k]);
        return sn_rd_fail(r, s->type_pos[k], "%s", sn_buf_str(&b));
    }
    for (unsigned k = s->ntype; k < s->nname; k++)
        if (s->name[k] && !n->res[k].type)
            return sn_rd_fail(r, s->name_pos[k], "result %u needs a type", k);
    return true;
}

static bool
build(SnReader *r, Stmt *s)
{
    const void *data = NULL;
    const char *why;

    if (sn_holds_data(s->d) &&
        !sn_rd_bytes(r, &s->data, s->type[0], s->shape[0], &data))
        return false;
    SnSpec spec = {.kind = s->kind,
                   .name = s->nname ? s->name[0] : NULL,
                   .nin = s->nin,
                   .in = s->in,
                   .attr = s->attr,
                   .type = s->type,
                   .shape = s->shape[0],
                   .data = data,
                   .borrow = true,
                   .calibrated = s->calibrated};
    SnId id = sn_try_add(r->g, &spec, &why);
    if (!id) {
        SnPos at = s->nname ? s->name_pos[0] : s->pos;
        if (s->nname)
            return sn_rd_fail(r, at, "%s (%s): %s", s->name[0], s->d->name,
                              why);
        return sn_rd_fail(r, at, "%s: %s", s->d->name, why);
    }
    if (s->data.hash) {
        sn_node(r->g, id)->hash = strtoull(s->data.hash, NULL, 16);
        sn_node(r->g, id)->unread = r->lazy && s->data.form == SN_TEXT_SIDE;
    }
    while (r->ndef < r->g->nnode)
        SN_PUSH(r->tmp, r->def, r->ndef, s->nname ? s->name_pos[0] : s->pos);
    for (unsigned k = 1; k < s->nname; k++)
        if (s->name[k])
            sn_rename(r->g, SN_REF(id, k), s->name[k]);
    if (!check_results(r, s, id))
        return false;
    snap_pins(r, id);
    return true;
}

static bool
statement(SnReader *r)
{
    Stmt s = {.nname = 0};

    if (r->m.t.kind == SN_TOK_NAME && !read_names(r, &s))
        return false;
    return read_kind(r, &s) && read_operands(r, &s) && read_attrs(r, &s) &&
           read_types(r, &s) && build(r, &s);
}

/* ---- the file ---- */

/* sinter-graph 1 */
static bool
header(SnReader *r)
{
    static const char magic[] = "sinter-graph";
    int64_t version;
    size_t n = sizeof magic - 1;

    sn_rd_next(r);
    SnPos pos = r->m.t.pos;
    if (r->failed)
        return false;
    size_t left = r->src->nbyte - (size_t)(r->m.t.at - r->src->text);
    if (r->m.t.kind != SN_TOK_IDENT || strcmp(r->m.t.s, "sinter") != 0 ||
        left < n || memcmp(r->m.t.at, magic, n) != 0)
        return sn_rd_wanted(r, "'sinter-graph 1' on the first line");
    r->m.i += n - r->m.t.pos.len;
    pos.len = (uint32_t)n;
    sn_rd_next(r);
    if (!sn_rd_int(r, 0, INT64_MAX, &version))
        return false;
    if (version != 1)
        return sn_rd_fail(r, pos,
                          "the text has version %lld; this reader "
                          "knows version 1",
                          (long long)version);
    return !r->failed;
}

/* "0123456789abcdef": what the arithmetic computes is what it did when the
 * graph was made. */
static bool
rounding_hash(SnReader *r, const SnArith *a)
{
    const char *want =
        a->hash ? sn_format(r->a, "%016llx", (unsigned long long)a->hash)
                : NULL;
    bool given = r->m.t.kind == SN_TOK_STR;

    if (!want && given)
        return sn_rd_fail(r, r->m.t.pos,
                          "arithmetic %s is one of sinter's own and has no "
                          "hash: expected '{'",
                          a->name);
    if (want && !given)
        return sn_rd_wanted(r,
                            sn_format(r->a, "the hash of arithmetic %s, \"%s\"",
                                      a->name, want));
    if (want && strcmp(r->m.t.s, want) != 0)
        return sn_rd_fail(r, r->m.t.pos,
                          "the graph was made for another arithmetic %s, of "
                          "hash \"%s\"; this one's is \"%s\": load the backend "
                          "that it was made for, or quantize it again",
                          a->name, r->m.t.s, want);
    if (given)
        sn_rd_next(r);
    return true;
}

/* `rounding double`, before the nodes; without it: float. */
static bool
rounding(SnReader *r)
{
    if (r->m.t.kind != SN_TOK_IDENT || strcmp(r->m.t.s, "rounding") != 0)
        return true;
    sn_rd_next(r);
    if (r->m.t.kind == SN_TOK_IDENT &&
        (uint32_t)sn_arith_named(r->m.t.s) < sn_arith_end()) {
        r->g->rounding = sn_arith_named(r->m.t.s);
        sn_rd_next(r);
        return rounding_hash(r, sn_arith_at(r->g->rounding));
    }
    SnBuf b;
    sn_buf_init(&b, r->a);
    for (uint32_t i = 0; i < sn_arith_end(); i++)
        sn_putf(&b, "%s%s",
                i == 0                    ? ""
                : i + 1 == sn_arith_end() ? " or "
                                          : ", ",
                sn_arith_at((SnRounding)i)->name);
    sn_puts(&b, " after 'rounding'");
    bool named = r->m.t.kind == SN_TOK_IDENT;
    sn_rd_wanted(r, sn_buf_str(&b));
    if (named && !sn_more_kinds.narith)
        sn_diag_help(r->d, "%s", plugins);
    return false;
}

static bool
graph(SnReader *r)
{
    if (!header(r))
        return false;
    if (r->m.t.kind != SN_TOK_IDENT || strcmp(r->m.t.s, "graph") != 0)
        return sn_rd_wanted(r, "'graph'");
    sn_rd_next(r);
    if (r->m.t.kind != SN_TOK_STR)
        return sn_rd_wanted(r, "the graph's name in double quotes");
    r->g = sn_graph_new(r->a, r->m.t.s);
    sn_rd_next(r);
    if (!rounding(r) || !sn_rd_expect(r, '{', "after the graph's name"))
        return false;
    while (!sn_rd_is(r, '}'))
        if (!statement(r))
            return false;
    sn_rd_next(r);
    if (r->failed || r->m.t.kind == SN_TOK_END)
        return !r->failed;
    return sn_rd_wanted(r, "nothing after the graph");
}

/* Frees the arena at ctx, if that was not done. */
static void
free_once(void *ctx)
{
    SnArena **a = ctx;

    sn_arena_free(*a);
    *a = NULL;
}

static SnStatus
parse(SnArena *a, const SnSrc *src, const char *dir, bool lazy,
      SnTextFile *file, SnDiag *d, SnGraph **out)
{
    SnReader r = {.a = a,
                  .d = d,
                  .src = src,
                  .dir = dir,
                  .m = {.line = 1},
                  .lazy = lazy,
                  .file = file};

    *out = NULL;
    if (src->nbyte > 0 && src->text[0] == 8) /* the tag of ir_version */
        return sn_fail(d, SN_EINPUT, src->name,
                       "is not a graph in text form; the name of an ONNX model "
                       "must end in .onnx");
    SnArena **tmp = SN_NEW(a, SnArena *);
    sn_arena_at_free(a, free_once, tmp);
    r.tmp = *tmp = sn_arena_new();
    bool ok = graph(&r);
    free_once(tmp);
    if (!ok)
        return SN_EINPUT;
    sn_arena_unload_all(a); /* until somebody uses them */
    *out = r.g;
    return SN_OK;
}

SnStatus
sn_parse(SnArena *a, const SnSrc *src, const char *dir, SnDiag *d,
         SnGraph **out)
{
    return parse(a, src, dir, false, NULL, d, out);
}

/* file NULL: standard input. */
static SnStatus
load_once(SnArena *a, const char *path, bool lazy, SnTextFile *file, SnDiag *d,
          SnGraph **out)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    SnFileMap m;

    SN_TRY(sn_file_map(a, d, path, 0, &m));
    src->text = m.p;
    src->nbyte = m.n;
    src->name = sn_strdup(a, file ? path : "<stdin>");
    sn_budget_model(m.n);
    sn_budget_at("reading", src->name);
    SN_TRY(
        parse(a, src, file ? sn_path_dir(a, path) : NULL, lazy, file, d, out));
    sn_file_forget(&m, m.p, m.n);
    return SN_OK;
}

/* Again where another process has replaced the text meanwhile, and with it the
 * sidecar file that the old one names. */
static SnStatus
load(SnArena *a, const char *path, bool lazy, SnDiag *d, SnGraph **out)
{
    enum { MOST = 100 };
    SnStatus st;

    for (int i = 1;; i++) {
        SnTextFile f = {.path = path};
        *out = NULL;
        (void)sn_text_file(&f); /* where there is none, opening it says why */
        st = load_once(a, path, lazy, strcmp(path, "-") ? &f : NULL, d, out);
        if (!f.replaced)
            return st;
        if (i == MOST)
            return sn_fail(d, SN_EINPUT, path,
                           "is replaced repeatedly while it is read");
    }
}

SnStatus
sn_text_load(SnArena *a, const char *path, SnDiag *d, SnGraph **out)
{
    return load(a, path, false, d, out);
}

SnStatus
sn_text_load_lazy(SnArena *a, const char *path, SnDiag *d, SnGraph **out)
{
    return load(a, path, true, d, out);
}

SnStatus
sn_text_check(const SnGraph *g, SnId id, SnDiag *d)
{
    SnNode *n = sn_node(g, id);

    if (!n->unread)
        return SN_OK;
    size_t nbyte = sn_tensor_nbyte(n->res[0].type, n->res[0].shape);
    uint64_t hash = XXH64(n->data, nbyte, 0);
    if (hash != n->hash)
        return sn_fail(d, SN_EINPUT, sn_name(g, SN_REF(id, 0)),
                       "its data have hash %016llx, not %016llx; the file is "
                       "not the one this text was written with",
                       (unsigned long long)hash, (unsigned long long)n->hash);
    n->unread = false;
    return SN_OK;
}
