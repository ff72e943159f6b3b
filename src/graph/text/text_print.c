// SPDX-License-Identifier: Apache-2.0
/* The text form, written.  Nodes come in sn_topo's order, so that reading the
 * text and writing it again gives the same order. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file/file.h"
#include "graph/graph_priv.h"
#include "graph/text/text.h"
#include "graph/text/text_priv.h"

typedef struct Print {
    const SnGraph *g;
    SnBuf *out;
    const char *side_name;
    SnBuf *side;
    bool brief;      /* no data of large constants */
    size_t nsplat;   /* bytes of constants written as splats so far */
    size_t *named;   /* where side_name ends in out, */
    uint32_t nnamed; /* how often */
} Print;

static bool
is_ident(const char *s)
{
    if (!(*s == '_' || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z')))
        return false;
    while (*s && (*s == '_' || *s == '.' || (*s >= 'A' && *s <= 'Z') ||
                  (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9')))
        s++;
    return *s == '\0';
}

/* "%x", quoted unless x is an identifier. */
static void
put_value_name(SnBuf *b, const char *name)
{
    sn_putc(b, '%');
    if (is_ident(name))
        sn_puts(b, name);
    else
        sn_put_quoted(b, name);
}

static void
put_ref(Print *p, SnRef r)
{
    const SnNode *n = r ? sn_def(p->g, r) : NULL;

    if (!n) {
        sn_putc(p->out, '_');
    } else if (n->res[SN_RES(r)].name) {
        put_value_name(p->out, n->res[SN_RES(r)].name);
    } else {
        put_value_name(p->out, n->res[0].name);
        sn_putf(p->out, ":%u", SN_RES(r));
    }
}

/* ---- elements of constants ---- */

static void
put_f32_at(SnBuf *b, const unsigned char *p)
{
    float v;

    memcpy(&v, p, sizeof v);
    sn_put_real(b, v);
}

/* binary16 as its value; the NaNs whose bits that would lose, in hex. */
static void
put_half(SnBuf *b, uint16_t h)
{
    if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff) && h != 0x7e00)
        sn_putf(b, "0x%04x", (unsigned)h);
    else
        sn_put_f32(b, sn_half_to_f32(h));
}

void
sn_put_elem(SnBuf *b, SnElem e, const void *p)
{
    uint16_t h;
    int16_t s;
    int32_t i;
    int64_t l;

    switch (e) {
    case SN_F32:
        put_f32_at(b, p);
        break;
    case SN_F16:
        memcpy(&h, p, sizeof h);
        put_half(b, h);
        break;
    case SN_QI16:
        memcpy(&s, p, sizeof s);
        sn_putf(b, "%d", s);
        break;
    case SN_QI32:
    case SN_I32:
        memcpy(&i, p, sizeof i);
        sn_putf(b, "%d", (int)i);
        break;
    case SN_I64:
        memcpy(&l, p, sizeof l);
        sn_putf(b, "%lld", (long long)l);
        break;
    case SN_QI8:
    case SN_I8:
        sn_putf(b, "%d", *(const signed char *)p);
        break;
    default: /* row8 codes, bool */
        sn_putf(b, "%d", *(const unsigned char *)p);
        break;
    }
}

static void
put_elems(SnBuf *b, const SnResult *r, const unsigned char *p)
{
    size_t size = sn_elem_size(r->type->elem);
    int64_t n = sn_shape_count(r->shape), cols = 0;

    if (r->type->elem == SN_ROW8 && r->shape->rank > 0) {
        cols = r->shape->dim[r->shape->rank - 1];
        if (cols == 0)
            n = (int64_t)sn_tensor_nbyte(r->type, r->shape) / 8;
    }
    sn_putc(b, '[');
    for (int64_t i = 0; i < n; i++) {
        sn_puts(b, i ? ", " : "");
        if (r->type->elem != SN_ROW8 || cols > 0) {
            sn_put_elem(b, r->type->elem, p);
            p += size;
        }
        if (r->type->elem == SN_ROW8 && (cols == 0 || (i + 1) % cols == 0)) {
            sn_puts(b, cols ? ", " : "");
            put_f32_at(b, p);
            sn_puts(b, ", ");
            put_f32_at(b, p + 4);
            p += 8;
        }
    }
    sn_putc(b, ']');
}

/* More than one element, and all of the same bytes. */
static bool
is_splat(const SnResult *r, const void *data)
{
    size_t size = sn_elem_size(r->type->elem);
    size_t nbyte = sn_tensor_nbyte(r->type, r->shape);

    return r->type->elem != SN_ROW8 && nbyte > size &&
           !memcmp(data, (const char *)data + size, nbyte - size);
}

/* Appends to the sidecar, aligned; returns the offset. */
static size_t
put_side(SnBuf *side, const void *data, size_t n)
{
    while (side->n % SN_SIDE_ALIGN)
        sn_putc(side, '\0');
    size_t at = side->n;
    sn_putn(side, data, n);
    return at;
}

static void
put_data(Print *p, SnId id)
{
    const SnNode *n = sn_node(p->g, id);
    const void *data = sn_node_data(p->g, id);
    const SnResult *r = &n->res[0];
    size_t nbyte = sn_tensor_nbyte(r->type, r->shape);
    SnBuf *b = p->out;

    if (nbyte <= SN_SPLAT_MAX - p->nsplat && is_splat(r, data)) {
        p->nsplat += nbyte;
        sn_puts(b, "splat = ");
        sn_put_elem(b, r->type->elem, data);
    } else if (p->brief && nbyte > SN_BRIEF_MAX) {
        sn_puts(b, "data = elided");
    } else if (p->side_name && nbyte > SN_INLINE_MAX) {
        sn_puts(b, "data = ");
        sn_put_quoted(b, p->side_name);
        SN_PUSH(p->g->arena, p->named, p->nnamed, b->n);
        sn_putf(b, "@%zu, hash = \"%016llx\"", put_side(p->side, data, nbyte),
                (unsigned long long)XXH64(data, nbyte, 0));
    } else {
        sn_puts(b, "data = ");
        put_elems(b, r, data);
    }
}

/* ---- attributes ---- */

static void
next_attr(SnBuf *out, uint32_t *n)
{
    sn_puts(out, (*n)++ ? ", " : " {");
}

static void
put_attr_list(SnBuf *out, const SnNode *n, uint32_t *nattr)
{
    const SnKindDesc *d = sn_desc(n->kind);

    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        if (at->has_default && sn_attr_equal(at, n->attr, d->defaults))
            continue;
        next_attr(out, nattr);
        sn_putf(out, "%s = ", at->name);
        sn_put_attr(out, at, n->attr);
    }
    if (n->calibrated) {
        next_attr(out, nattr);
        sn_puts(out, "calibrated = true");
    }
}

void
sn_put_attrs(const SnNode *n, SnBuf *out)
{
    uint32_t nattr = 0;

    put_attr_list(out, n, &nattr);
    sn_puts(out, nattr ? "}" : "");
}

static void
put_attrs(Print *p, SnId id, const SnKindDesc *d)
{
    const SnNode *n = sn_node(p->g, id);
    uint32_t nattr = 0;

    if (sn_holds_data(d)) {
        next_attr(p->out, &nattr);
        put_data(p, id);
    }
    put_attr_list(p->out, n, &nattr);
    if (nattr)
        sn_putc(p->out, '}');
}

/* ---- results ---- */

/* Would the reader give these types to the results from m on? */
static bool
recovered(const SnGraph *g, const SnNode *n, const SnKindDesc *d, unsigned m)
{
    const SnType *out[SN_MAXRES] = {NULL};
    const SnType **in = SN_NEW_N(g->arena, const SnType *, n->nin);

    for (uint32_t s = 0; s < n->nin; s++)
        in[s] = n->in[s].ref ? sn_type(g, n->in[s].ref) : NULL;
    for (unsigned k = 0; k < m; k++)
        out[k] = n->res[k].type;
    sn_force_types(g->pool, g->arena, d, n->nin, in, out);
    for (unsigned k = m; k < n->nres; k++)
        if (out[k] != n->res[k].type)
            return false;
    return true;
}

/* How many results must be written: up to the last one that is named, used or
 * of a type which the facts do not force. */
static unsigned
shown(const SnGraph *g, const SnNode *n, const SnKindDesc *d)
{
    unsigned m = n->nres;

    while (m > 1 && !n->res[m - 1].name && !n->res[m - 1].uses)
        m--;
    while (m < n->nres && !recovered(g, n, d, m))
        m++;
    return m;
}

static void
put_left(Print *p, const SnNode *n)
{
    unsigned m = n->nres;

    while (m > 1 && !n->res[m - 1].name)
        m--;
    for (unsigned k = 0; k < m; k++) {
        sn_puts(p->out, k ? ", " : "");
        if (n->res[k].name)
            put_value_name(p->out, n->res[k].name);
        else
            sn_putc(p->out, '_');
    }
    sn_puts(p->out, " = ");
}

static void
put_types(Print *p, const SnNode *n, unsigned m)
{
    sn_puts(p->out, m > 1 ? " : (" : " : ");
    for (unsigned k = 0; k < m; k++) {
        sn_puts(p->out, k ? ", " : "");
        sn_put_type(p->out, n->res[k].type);
        if (n->res[k].type)
            sn_put_shape(p->out, n->res[k].shape);
    }
    sn_puts(p->out, m > 1 ? ")" : "");
}

static void
put_node(Print *p, SnId id)
{
    const SnNode *n = sn_node(p->g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    uint32_t nin = n->nin;

    sn_puts(p->out, "  ");
    if (n->nres)
        put_left(p, n);
    sn_putf(p->out, "%s(", d->name);
    while (nin > 0 && nin <= d->nin && !n->in[nin - 1].ref &&
           !d->in[d->nin - 1].variadic)
        nin--;
    for (uint32_t s = 0; s < nin; s++) {
        sn_puts(p->out, s ? ", " : "");
        put_ref(p, n->in[s].ref);
    }
    sn_putc(p->out, ')');
    put_attrs(p, id, d);
    if (n->nres)
        put_types(p, n, shown(p->g, n, d));
    sn_putc(p->out, '\n');
}

static void
put_rounding(Print *p, const SnArith *a)
{
    sn_putf(p->out, " rounding %s", a->name);
    if (a->hash)
        sn_putf(p->out, " \"%016llx\"", (unsigned long long)a->hash);
}

static void
put_graph(Print *p)
{
    uint32_t n;
    SnId *order = sn_topo(p->g, p->g->arena, &n);

    sn_puts(p->out, "sinter-graph 1\ngraph ");
    sn_put_quoted(p->out, p->g->name);
    if (p->g->rounding != SN_ROUNDING_FLOAT)
        put_rounding(p, sn_arith_at(p->g->rounding));
    sn_puts(p->out, " {\n");
    for (uint32_t i = 0; i < n; i++)
        put_node(p, order[i]);
    sn_puts(p->out, "}\n");
}

void
sn_print(const SnGraph *g, SnBuf *out, const char *side_name, SnBuf *side)
{
    put_graph(
        &(Print){.g = g, .out = out, .side_name = side_name, .side = side});
}

void
sn_print_brief(const SnGraph *g, SnBuf *out)
{
    put_graph(&(Print){.g = g, .out = out, .brief = true});
}

/* ---- files ---- */

enum { DIGITS = 16 };
static const char suffix[] = ".snw";

/* What a file is called before the last suffix .sn. */
static char *
stem_of(SnArena *a, const char *path)
{
    const char *base = sn_path_base(path);
    size_t n = strlen(base);
    bool sn = n > 3 && !strcmp(base + n - 3, ".sn");

    return sn_strndup(a, base, sn ? n - 3 : n);
}

static const char *
side_path(SnArena *a, const char *path, const char *stem, const char *digits)
{
    return sn_path_join(
        a, sn_path_dir(a, path),
        sn_format(a, "%s.%.*s%s", stem, DIGITS, digits, suffix));
}

/* The sidecar files that old, the text that was at path, named, but for `now`:
 * NULL-ended, and only such as this program names. */
static const char *const *
stale_sides(SnArena *a, const char *path, const char *stem,
            const SnFileMap *old, const char *now)
{
    const char *at = old->p, *end = at + old->n, **v = NULL;
    size_t n = 0;
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, "data = ");
    sn_put_quoted(&b, stem);
    b.s[b.n - 1] = '.';
    while (at && (at = memmem(at, (size_t)(end - at), b.s, b.n))) {
        at += b.n;
        if ((size_t)(end - at) < DIGITS + sizeof suffix ||
            strspn(at, "0123456789abcdef") != DIGITS ||
            memcmp(at + DIGITS, suffix, sizeof suffix - 1) ||
            at[DIGITS + sizeof suffix - 1] != '"')
            continue;
        const char *side = side_path(a, path, stem, at);
        if ((!now || strcmp(side, now)) && (!n || strcmp(side, v[n - 1])))
            SN_PUSH(a, v, n, side);
    }
    SN_PUSH(a, v, n, NULL);
    return v;
}

/* The text at path, if there is any: nothing to say where it cannot be read. */
static SnFileMap
old_text(SnArena *a, const char *path)
{
    SnFileMap m = {0};

    if (sn_file_exists(path) && !sn_file_in_place(path))
        (void)sn_file_map(a, sn_diag_new(a), path, 0, &m);
    return m;
}

/* Gives the sidecar file its name in the text, by what it holds. */
static const char *
name_side(SnArena *a, Print *p, const char *path, const char *stem)
{
    char digits[DIGITS + 1];

    snprintf(digits, sizeof digits, "%016llx",
             (unsigned long long)XXH64(p->side->s, p->side->n, 0));
    for (uint32_t i = 0; i < p->nnamed; i++)
        memcpy(p->out->s + p->named[i] - sizeof suffix - DIGITS, digits,
               DIGITS);
    return side_path(a, path, stem, digits);
}

SnStatus
sn_text_save(const SnGraph *g, const char *path, SnDiag *d)
{
    return sn_text_save_noted(g, "", path, d);
}

SnStatus
sn_text_save_noted(const SnGraph *g, const char *notes, const char *path,
                   SnDiag *d)
{
    SnArena *a = g->arena;
    bool pipe = sn_file_in_place(path); /* no file beside it */
    char *stem = stem_of(a, path);
    SnBuf out, side;
    Print p = {.g = g, .out = &out, .side = &side};

    SN_TRY(sn_file_text_check(d, path, path));
    sn_buf_init(&out, a);
    sn_buf_init(&side, a);
    sn_puts(&out, notes);
    if (!pipe)
        p.side_name = sn_format(a, "%s.%0*d%s", stem, DIGITS, 0, suffix);
    put_graph(&p);
    if (pipe)
        return sn_file_write(d, path, out.s, out.n);
    const char *now = side.n ? name_side(a, &p, path, stem) : NULL;
    int lock = sn_file_lock(path);
    SnGuard gu;
    if (setjmp(gu.env)) { /* memory ran out: a program goes on without it */
        sn_file_unlock(lock);
        sn_guard_jump();
    }
    sn_guard_push(&gu);
    /* Without the lock another writer may name them again. */
    SnFileMap old = {0};
    if (lock >= 0)
        old = old_text(a, path);
    SnStatus st = sn_file_write_beside(d, path, (SnPiece){out.s, out.n}, now,
                                       (SnPiece){side.s, side.n},
                                       stale_sides(a, path, stem, &old, now));
    sn_guard_pop(&gu);
    sn_file_unlock(lock);
    return st;
}
