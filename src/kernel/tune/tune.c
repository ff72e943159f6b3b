// SPDX-License-Identifier: Apache-2.0
#include "kernel/tune/tune.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file/file.h"
#include "kernel/conv/conv_q8.h"
#include "kernel/conv_f32/conv_f32.h"
#include "sn_pack_id.h"

/* The file: a first line with the build of the kernels, the instruction set
 * and the number of threads; a line for each layer, sizes and pick; a last line
 * with their number. */
#define MAGIC "sinter-tune 1"
#define LEGEND                                                            \
    "# n h w c oh ow oc kh kw sh sw dh dw pt pl group kind: rows panels " \
    "clip by_panel tiles\n"
enum {
    NGEO = 16,
    NKEY = NGEO + 1,
    NPICK = 5,
    MOST_BYTES = 1 << 20, /* ten thousand layers */
    MOST_SIZE = 1 << 30   /* products of two sizes fit an int64_t */
};

static uint64_t
hash_of(const SnConvGeo *geo, SnTuneKind kind)
{
    return XXH64(geo, sizeof *geo, (uint64_t)kind);
}

static SnTuneLayer *
find(SnTune *t, const SnConvGeo *geo, SnTuneKind kind)
{
    size_t probe = 0;
    uint32_t i;

    while ((i = sn_hashes_next(&t->of_geo, hash_of(geo, kind), &probe)) !=
           SN_HASHES_END)
        if (t->layer[i].kind == kind &&
            !memcmp(&t->layer[i].geo, geo, sizeof *geo))
            return &t->layer[i];
    return NULL;
}

static void
add(SnTune *t, const SnTuneLayer *l)
{
    sn_hashes_add(&t->of_geo, hash_of(&l->geo, l->kind), t->nlayer);
    SN_PUSH(t->a, t->layer, t->nlayer, *l);
}

SnTune *
sn_tune_new(SnArena *a, SnIsa isa, unsigned nthread)
{
    SnTune *t = SN_NEW(a, SnTune);

    *t = (SnTune){.a = a, .isa = isa, .nthread = nthread};
    sn_hashes_init(&t->of_geo, a);
    return t;
}

SnTune *
sn_tune_copy(SnArena *a, const SnTune *t)
{
    SnTune *c = SN_NEW(a, SnTune);

    *c = *t;
    c->a = a;
    c->layer = NULL;
    c->nlayer = 0;
    sn_hashes_init(&c->of_geo, a);
    for (uint32_t i = 0; i < t->nlayer; i++)
        add(c, &t->layer[i]);
    return c;
}

SnConvPick
sn_tune_rules(SnIsa isa, const SnConvGeo *geo, SnTuneKind kind)
{
    if (kind == SN_TUNE_REALS)
        return sn_conv_f32_rules(isa, geo);
    return sn_conv_q8_rules(isa, geo, kind == SN_TUNE_TILES);
}

bool
sn_tune_fits(SnIsa isa, const SnConvGeo *geo, SnTuneKind kind,
             const SnConvPick *k)
{
    if (kind == SN_TUNE_REALS)
        return sn_conv_f32_fits(isa, geo, k);
    return sn_conv_q8_fits(isa, geo, kind == SN_TUNE_TILES, k);
}

uint32_t
sn_tune_ask(SnTune *t, const SnConvGeo *geo, SnTuneKind kind)
{
    const SnTuneLayer *l = find(t, geo, kind);

    if (l)
        return (uint32_t)(l - t->layer) + 1;
    if (t->closed) {
        if (t->nmissed++ == 0) {
            t->missed = *geo;
            t->missed_kind = kind;
        }
        return 0;
    }
    SnTuneLayer new_ = {*geo, kind, sn_tune_rules(t->isa, geo, kind)};
    add(t, &new_);
    return t->nlayer;
}

SnConvPick
sn_tune_pick(SnTune *t, const SnConvGeo *geo, SnTuneKind kind, uint32_t *layer)
{
    *layer = t ? sn_tune_ask(t, geo, kind) : 0;
    return *layer ? t->layer[*layer - 1].pick
                  : sn_tune_rules(sn_isa(), geo, kind);
}

/* ---- text ---- */

/* "3" or "3x5" */
static const char *
both(SnArena *a, int64_t h, int64_t w)
{
    return h == w ? sn_format(a, "%lld", (long long)h)
                  : sn_format(a, "%lldx%lld", (long long)h, (long long)w);
}

const char *
sn_tune_name(SnArena *a, const SnConvGeo *o, SnTuneKind kind)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b, "%lldx%lld", (long long)o->kh, (long long)o->kw);
    if (o->sh != 1 || o->sw != 1)
        sn_putf(&b, "/%s", both(a, o->sh, o->sw));
    sn_putf(&b, " %lld>%lld @%lldx%lld", (long long)o->c, (long long)o->oc,
            (long long)o->h, (long long)o->w);
    if (o->group != 1)
        sn_putf(&b, " g%lld", (long long)o->group);
    if (o->dh != 1 || o->dw != 1)
        sn_putf(&b, " d%s", both(a, o->dh, o->dw));
    if (o->n != 1)
        sn_putf(&b, " b%lld", (long long)o->n);
    if (kind == SN_TUNE_REALS)
        sn_puts(&b, " f32");
    return sn_buf_str(&b);
}

const char *
sn_tune_text(SnArena *a, const SnConvPick *k)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putf(&b, "rows %lld", (long long)k->rows);
    if (k->npanel)
        sn_putf(&b, ", panels %d%s%s", k->npanel, k->clip ? ", clip" : "",
                k->tiles ? ", tiles" : "");
    sn_puts(&b, k->by_block ? ", by panel" : "");
    return sn_buf_str(&b);
}

static void
put_layer(SnBuf *b, const SnTuneLayer *l)
{
    int64_t v[NGEO];

    memcpy(v, &l->geo, sizeof v);
    for (int i = 0; i < NGEO; i++)
        sn_putf(b, "%lld ", (long long)v[i]);
    sn_putf(b, "%d: %lld %d %d %d %d\n", (int)l->kind, (long long)l->pick.rows,
            l->pick.npanel, l->pick.clip, l->pick.by_block, l->pick.tiles);
}

void
sn_tune_put(const SnTune *t, SnBuf *b)
{
    sn_putf(b, "%s %s %s %u\n%s", MAGIC, SN_PACK_ID, sn_isa_name(t->isa),
            t->nthread, LEGEND);
    for (uint32_t i = 0; i < t->nlayer; i++)
        put_layer(b, &t->layer[i]);
    sn_putf(b, "end %u\n", t->nlayer);
}

SnStatus
sn_tune_write(const SnTune *t, const char *path, SnDiag *d)
{
    SnArena *s = sn_arena_new();
    SnBuf b;

    sn_buf_init(&b, s);
    sn_tune_put(t, &b);
    SnStatus st = sn_file_write_text(d, path, b.s, b.n);
    sn_arena_free(s);
    return st;
}

/* ---- reading ---- */

typedef struct Reader {
    SnDiag *d;
    const SnSrc *src;
    SnTune *t;
    const char *at; /* the line, and its number */
    uint32_t line;
} Reader;

_Static_assert(sizeof(SnConvGeo) == NGEO * sizeof(int64_t),
               "sizes of a layer are NGEO numbers");

static SnStatus
wrong(const Reader *r, const char *what)
{
    SnPos at = {.src = r->src, .line = r->line, .col = 1, .len = 1};

    sn_error(r->d, at, NULL,
             "%s; 'sinter bench MODEL --tune' writes such "
             "files",
             what);
    return SN_EINPUT;
}

/* To the next line, if there is one. */
static bool
next_line(Reader *r)
{
    const char *end = strchr(r->at, '\n');

    if (!end)
        return false;
    r->at = end + 1;
    r->line++;
    return true;
}

/* A number of up to ten digits, followed by `after`. */
static bool
number(const char **s, char after, int64_t *out)
{
    const char *p = *s;
    int64_t v = 0;
    int n = 0;

    for (; *p >= '0' && *p <= '9' && n < 10; p++, n++)
        v = v * 10 + (*p - '0');
    if (n == 0 || *p != after || v > MOST_SIZE)
        return false;
    *out = v;
    *s = p + 1;
    return true;
}

/* Sizes that a convolution can have, none of them negative: it may have no
 * elements, but must have taps. */
static bool
sane(const SnConvGeo *o)
{
    return o->kh > 0 && o->kw > 0 && o->sh > 0 && o->sw > 0 && o->dh > 0 &&
           o->dw > 0 && o->group > 0 && o->c % o->group == 0 &&
           o->oc % o->group == 0;
}

static SnStatus
read_layer(Reader *r)
{
    int64_t v[NKEY], k[NPICK];
    const char *s = r->at;
    SnTuneLayer l = {0};
    bool ok = true;

    for (int i = 0; i < NKEY && ok; i++)
        ok = number(&s, i < NKEY - 1 ? ' ' : ':', &v[i]);
    ok = ok && *s++ == ' ';
    for (int i = 0; i < NPICK && ok; i++)
        ok = number(&s, i < NPICK - 1 ? ' ' : '\n', &k[i]);
    if (!ok || v[NGEO] > SN_TUNE_REALS || k[2] > 1 || k[3] > 1 || k[4] > 1)
        return wrong(r, "expected a layer, 17 numbers, a colon and 5 numbers, "
                        "or 'end' and the number of layers");
    memcpy(&l.geo, v, sizeof l.geo);
    l.kind = (SnTuneKind)v[NGEO];
    l.pick = (SnConvPick){.rows = k[0],
                          .npanel = (int)k[1],
                          .clip = k[2] != 0,
                          .by_block = k[3] != 0,
                          .tiles = k[4] != 0};
    if (!sane(&l.geo))
        return wrong(r, "no convolution has these sizes");
    if (!sn_tune_fits(r->t->isa, &l.geo, l.kind, &l.pick))
        return wrong(r, "the layer cannot be computed in this way");
    if (find(r->t, &l.geo, l.kind))
        return wrong(r, "the layer is listed twice");
    add(r->t, &l);
    return SN_OK;
}

/* The next word of s, cut off in place. */
static const char *
word(SnArena *a, const char **s)
{
    const char *p = *s;
    size_t n = strcspn(p, " \n");

    *s += n + (p[n] == ' ');
    return sn_strndup(a, p, n);
}

static SnStatus
read_head(Reader *r)
{
    const char *s = r->at, *isa;
    SnArena *a = r->t->a;

    if (strncmp(s, MAGIC " ", sizeof MAGIC) != 0)
        return wrong(r, "is not a file of measured picks");
    s += sizeof MAGIC;
    if (strcmp(word(a, &s), SN_PACK_ID) != 0)
        return wrong(r, "was measured with other kernels than those of this "
                        "sinter");
    isa = word(a, &s);
    if (strcmp(isa, sn_isa_name(r->t->isa)) != 0)
        return wrong(r, sn_format(a,
                                  "was measured with the instructions '%s', "
                                  "and this run uses '%s'",
                                  isa, sn_isa_name(r->t->isa)));
    int64_t n;
    if (!number(&s, '\n', &n) || n < 1)
        return wrong(r, "expected the number of threads");
    if (n != r->t->nthread)
        return wrong(r, sn_format(a,
                                  "was measured with --threads %lld, and "
                                  "this run has %u",
                                  (long long)n, r->t->nthread));
    return SN_OK;
}

static SnStatus
read_all(Reader *r)
{
    SN_TRY(read_head(r));
    while (next_line(r) && *r->at) {
        const char *s = r->at;
        int64_t n;
        if (*s == '#')
            continue;
        if (strncmp(s, "end ", 4) != 0) {
            SN_TRY(read_layer(r));
            continue;
        }
        s += 4;
        if (!number(&s, '\n', &n) || n != r->t->nlayer ||
            s != r->src->text + r->src->nbyte)
            return wrong(r, sn_format(r->t->a,
                                      "expected 'end %u' and nothing "
                                      "after it",
                                      r->t->nlayer));
        return SN_OK;
    }
    return wrong(r, "the file has been cut short");
}

SnStatus
sn_tune_read(SnArena *a, const char *path, SnIsa isa, unsigned nthread,
             SnDiag *d, SnTune **out)
{
    SnSrc *src = SN_NEW(a, SnSrc);
    Reader r = {.d = d, .src = src, .line = 1};
    char *text;

    *out = NULL;
    SN_TRY(sn_file_read(a, d, path, MOST_BYTES, &text, &src->nbyte));
    src->name = sn_strdup(a, path);
    src->text = text;
    r.at = text;
    r.t = sn_tune_new(a, isa, nthread);
    SN_TRY(read_all(&r));
    r.t->closed = true;
    *out = r.t;
    return SN_OK;
}
