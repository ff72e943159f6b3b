// SPDX-License-Identifier: Apache-2.0
/* The texts that run plans: the code of conv_run.c and of a variant's tiles,
 * and a table of the tiles that a program's plans call. */
#include <math.h>
#include <string.h>

#include "aot/blocks/pick.h"
#include "aot/tuned/tuned.h"
#include "base/diag.h"
#include "kernel/conv/conv_wino.h"

/* ---- which tiles ----
 * A plan is run without data, by tiles that note in the block's filter, which
 * they find in w, that they were called. */

static SnTunedUse *
use_of(const void *w)
{
    return (SnTunedUse *)(uintptr_t)w;
}

static void
no_widen(const int8_t *x, int64_t n, int32_t z, void *y)
{
    (void)x;
    (void)n;
    (void)z;
    (void)y;
}

static void
no_sum(const SnPx *px, int64_t n, int64_t x0, const SnConvRun *run,
       int64_t nrun, int64_t len, int32_t *to)
{
    (void)px;
    (void)n;
    (void)x0;
    (void)run;
    (void)nrun;
    (void)len;
    (void)to;
}

#define NOTE(N, M)                               \
    static void note##N##M(const SnTile *t)      \
    {                                            \
        use_of(t->w)->tile[N - 1][M - 1] = true; \
    }
#define NOTES(N) \
    NOTE(N, 1)   \
    NOTE(N, 2) NOTE(N, 3) NOTE(N, 4) NOTE(N, 5) NOTE(N, 6) NOTE(N, 7) NOTE(N, 8)
NOTES(1)
NOTES(2)
NOTES(3)
NOTES(4)

static void
note_dw(const SnDw *d)
{
    use_of(d->w)->dw = true;
}

static void
note_dw31(const SnDw3 *d)
{
    use_of(d->w)->dw3[0] = true;
}

static void
note_dw32(const SnDw3 *d)
{
    use_of(d->w)->dw3[1] = true;
}

#define ROW(N)                                                      \
    {                                                               \
        note##N##1, note##N##2, note##N##3, note##N##4, note##N##5, \
            note##N##6, note##N##7, note##N##8                      \
    }

void
sn_tuned_use(const SnTuned *p, SnTunedUse *u)
{
    SnArena *a = sn_arena_new();
    const SnConvGeo *o = &p->q->geo;
    SnConvTiles t = {
        .widen = no_widen,
        .sum = no_sum,
        .tile = {ROW(1), ROW(2), ROW(3), ROW(4)},
        .dw = note_dw,
        .dw3 = {note_dw31, note_dw32},
    };
    SnConvBlock *b = SN_NEW_N(a, SnConvBlock, p->q->nblock + 1);
    SnConvQ8 q = *p->q;

    u->plan = true;
    u->wino = u->wino || q.wino;
    u->sum = u->sum || q.rowsum;
    t.esize = q.t->esize;
    t.offset = q.t->offset;
    t.inside = q.t->inside;
    memcpy(t.mtile, q.t->mtile, sizeof t.mtile);
    for (uint32_t i = 0; i < q.nblock; i++) {
        b[i] = q.block[i];
        b[i].w = u;
    }
    q.t = &t;
    q.block = b;
    int8_t *x = SN_NEW_N(a, int8_t, (size_t)(o->n * o->h * o->w * o->c) + 1);
    int8_t *y = SN_NEW_N(a, int8_t, (size_t)(o->n * o->oh * o->ow * o->oc) + 1);
    if (!q.wino)
        sn_conv_q8_run(&q, x, y, o->oc, sn_alloc(a, sn_conv_q8_work(p->q) + 64),
                       0, sn_conv_q8_units(p->q));
    sn_arena_free(a);
}

/* ---- texts ---- */

/* Names of a variant's functions. */
typedef struct Variant {
    SnIsa isa;
    const char *const *tiles;
    const char *const *wino, *const *dwtext; /* or NULL */
    const char *sum, *dw, *dw3[2];
    const char *set; /* how its parts' names end */
    const char *const *head, *const *part[SN_TUNED_PARTS]; /* or NULL */
} Variant;

static const Variant variants[] = {
    {.isa = SN_ISA_AVX2,
     .tiles = sn_tuned_text_avx2,
     .wino = sn_tuned_text_avx2_wino,
     .sum = "0",
     .dw = "dw",
     .dw3 = {"0", "0"},
     .set = "avx2",
     .head = sn_tuned_text_head_avx2,
     .part = {sn_tuned_text_sum_avx2, sn_tuned_text_quant_avx2,
              sn_tuned_text_max_avx2, sn_tuned_text_avg_avx2,
              sn_tuned_text_lrn_avx2}},
    {.isa = SN_ISA_VNNI,
     .tiles = sn_tuned_text_vnni,
     .dwtext = sn_tuned_text_vnni_dw,
     .sum = "sum",
     .dw = "sn_dw_vnni",
     .dw3 = {"sn_dw3_vnni_step1", "sn_dw3_vnni_step2"},
     .set = "avx512",
     .head = sn_tuned_text_head_avx512,
     .part = {sn_tuned_text_sum_avx512, sn_tuned_text_quant_avx512,
              sn_tuned_text_max_avx512, sn_tuned_text_avg_avx512,
              sn_tuned_text_lrn_avx512}},
    {.isa = SN_ISA_NEON,
     .tiles = sn_tuned_text_neon,
     .sum = "sum",
     .dw = "dw",
     .dw3 = {"0", "0"},
     .set = "c"},
};

static const Variant *
variant(SnIsa isa)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (variants[i].isa == isa)
            return &variants[i];
    sn_bug("no text runs plans of %s", sn_isa_name(isa));
}

/* What replaces the includes of base/num.h: `need` for the first, nothing for
 * others. */
static void
put_lines(SnArena *a, SnBuf *b, const char *const *line, const char **need)
{
    for (; *line; line++)
        if (strncmp(*line, "#include \"base/num.h\"", 21)) {
            sn_putf(b, "%s\n", *line);
        } else if (*need) {
            sn_puts(b, sn_pick(a, *need, NULL, false));
            *need = NULL;
        }
}

/* Parts in C, which those by instructions may call, and what they call. */
static const struct Part {
    const char *name;
    const char *const *text;
    const char *need;
} parts[SN_TUNED_PARTS] = {
    {"sum", sn_tuned_text_sum, " fmaf"},
    {"quant", sn_tuned_text_quant, ""},
    {"max", sn_tuned_text_max, ""},
    {"avg", sn_tuned_text_avg, " sn_mulf"},
    {"lrn", sn_tuned_text_lrn, " fmaf sqrtf sn_dequant"},
};

static bool
has_parts(const SnTunedUse *u)
{
    bool any = false;

    for (int i = 0; i < SN_TUNED_PARTS; i++)
        any = any || u->part[i];
    return any;
}

const char *
sn_tuned_types(SnArena *a, SnIsa isa, const SnTunedUse *u)
{
    const char *need = NULL;
    SnBuf b;

    (void)variant(isa);
    sn_buf_init(&b, a);
    put_lines(a, &b, sn_tuned_text_sizes, &need);
    if (has_parts(u))
        put_lines(a, &b, sn_tuned_text_shared_types, &need);
    if (u->plan) {
        put_lines(a, &b, sn_tuned_text_types, &need);
        sn_puts(&b, "extern const SnConvTiles sn_tiles;\n");
    }
    return sn_buf_str(&b);
}

bool
sn_tuned_sum(SnSum8 *s, const int8_t *table)
{
    /* below the limit that all instruction sets can convert */
    float most = 128 * (fabsf(s->ra) + fabsf(s->rb)) + fabsf(s->f);

    return most < 0x1p30f && sn_sum8_fit_by(sn_sum8_c, s, table);
}

const char *
sn_tuned_name(SnArena *a, SnIsa isa, SnTunedPart part)
{
    return sn_format(a, "sn_%s8_%s", parts[part].name, variant(isa)->set);
}

static void
put_table(SnBuf *b, const Variant *v, const SnTunedUse *u, const SnConvTiles *t)
{
    sn_putf(b,
            "\n/* The tiles that are called. */\n"
            "const SnConvTiles sn_tiles = {\n    %d, %d, %s, {%d, %d, %d, %d}, "
            "widen, %s,\n    {\n",
            t->esize, t->offset, t->inside ? "true" : "false", t->mtile[0],
            t->mtile[1], t->mtile[2], t->mtile[3], u->sum ? v->sum : "0");
    for (int n = 0; n < SN_TILE_N / SN_LANE; n++) {
        sn_puts(b, "        {");
        for (int m = 0; m < SN_TILE_M; m++) {
            if (u->tile[n][m])
                sn_putf(b, "tile%d%d", n + 1, m + 1);
            else
                sn_putc(b, '0');
            sn_puts(b, m + 1 < SN_TILE_M ? ", " : "},\n");
        }
    }
    sn_putf(b, "    },\n    %s, {%s, %s}, %s, 0,\n};\n", u->dw ? v->dw : "0",
            u->dw3[0] ? v->dw3[0] : "0", u->dw3[1] ? v->dw3[1] : "0",
            u->wino ? "&sn_wino_avx2" : "0");
}

static void
put_plans(SnArena *a, SnBuf *b, const Variant *v, const SnTunedUse *u)
{
    /* equivalents in C, not compiled where the instructions exist */
    const char *need = !has_parts(u) ? "sn_rne_clamp sn_mulf"
                       : u->part[SN_TUNED_AVG] || u->part[SN_TUNED_LRN]
                           ? NULL
                           : "sn_mulf";

    put_lines(a, b, sn_tuned_text_run, &need);
    if (u->wino)
        put_lines(a, b, sn_tuned_text_wino, &need);
    put_lines(a, b, v->tiles, &need);
    if (v->dwtext && (u->dw || u->dw3[0] || u->dw3[1]))
        put_lines(a, b, v->dwtext, &need);
    if (u->wino)
        put_lines(a, b, v->wino, &need);
    put_table(b, v, u, sn_gemm(v->isa)->tiles);
}

static void
put_parts(SnArena *a, SnBuf *b, const Variant *v, const SnTunedUse *u)
{
    const char *need = "sn_rne_clamp";
    bool pool = false;

    for (int i = 0; i < SN_TUNED_PARTS; i++) {
        if (u->part[i])
            need = sn_format(a, "%s%s", need, parts[i].need);
        pool = pool || (u->part[i] && i >= SN_TUNED_MAX);
    }
    for (int i = 0; i < SN_TUNED_MAX; i++)
        if (u->part[i])
            put_lines(a, b, parts[i].text, &need);
    if (pool)
        put_lines(a, b, sn_tuned_text_pool, &need);
    for (int i = SN_TUNED_MAX; i < SN_TUNED_PARTS; i++)
        if (u->part[i])
            put_lines(a, b, parts[i].text, &need);
    if (v->head)
        put_lines(a, b, v->head, &need);
    for (int i = 0; i < SN_TUNED_PARTS; i++)
        if (u->part[i] && v->head)
            put_lines(a, b, v->part[i], &need);
}

const char *
sn_tuned_code(SnArena *a, SnIsa isa, const SnTunedUse *u)
{
    const Variant *v = variant(isa);
    SnBuf b;

    sn_buf_init(&b, a);
    if (has_parts(u))
        put_parts(a, &b, v, u);
    if (u->plan)
        put_plans(a, &b, v, u);
    return sn_buf_str(&b);
}
