// SPDX-License-Identifier: Apache-2.0
/* Filters that come with each run: a copy of the plan in working memory, with
 * its own panels and biases. */
#include <assert.h>
#include <string.h>

#include "kernel/conv/conv_priv.h"

static size_t
whole(size_t n)
{
    return (n + 63) / 64 * 64;
}

/* Bytes of a block's panel. */
static size_t
panel(const SnConvQ8 *p, const SnConvBlock *b)
{
    return (size_t)(p->nstep * b->npanel * SN_LANE * p->g->kstep * p->t->esize);
}

/* Of one array of biases. */
static size_t
biases(const SnConvBlock *b)
{
    return (size_t)(b->npanel * SN_LANE) * sizeof(int32_t);
}

size_t
sn_conv_q8_packed(const SnConvQ8 *p)
{
    size_t n = whole(sizeof *p) + whole(p->nblock * sizeof *p->block);

    for (uint32_t i = 0; i < p->nblock; i++)
        n += whole(panel(p, &p->block[i])) + whole(biases(&p->block[i])) +
             whole(p->nclass * sizeof(int32_t *));
    return n;
}

/* The places of channels in a panel, as in sn_conv_q8_plan. */
static void
places(const SnConvQ8 *p, const SnConvBlock *b, int *place)
{
    SnPlaceFn *fn = b->npanel == p->g->ntile && !p->sums ? p->g->place : NULL;

    for (int i = 0; i < b->ncol; i++)
        place[i] = fn ? fn(i) : i;
}

typedef struct From {
    const int8_t *w;
    int64_t step_c, step_k;
    int32_t wz;
} From;

/* Bytes from four of 16 channels to the next four, if the channels of each
 * four, and the fours, are neighbours in the panel; else 0. */
static int64_t
apart(const int *place)
{
    int by = place[4] - place[0];

    for (int i = 0; i < 16; i++)
        if (place[i] != place[0] + i / 4 * by + i % 4)
            return 0;
    return by * 4;
}

/* Packs as many sixteens of the channels of b as the variant can; returns how
 * many. */
static int
pack_sixteens(const SnConvQ8 *p, const SnConvBlock *b, const From *f,
              const int *place, char *to, int32_t *sum)
{
    int i = 0;

    for (; p->g->pack16 && i + 16 <= b->ncol; i += 16) {
        SnPack16 k = {.w = f->w + (b->c0 + i) * f->step_c,
                      .step_c = f->step_c,
                      .step_k = f->step_k,
                      .len = p->len,
                      .to = to + 4 * place[i],
                      .line = (int64_t)b->npanel * SN_LANE * 4,
                      .apart = apart(place + i),
                      .flip = p->t->flip};
        if (!k.apart || !p->g->pack16(&k, sum + i))
            break;
    }
    return i;
}

/* Four codes of each channel a step; sum gets the sums over all steps. */
static void
pack_codes(const SnConvQ8 *p, const SnConvBlock *b, const From *f,
           const int *place, char *to, int32_t *sum)
{
    int first = pack_sixteens(p, b, f, place, to, sum);
    size_t line = (size_t)(b->npanel * SN_LANE) * 4;

    for (int64_t k = 0; first < b->ncol && k < p->len; k += 4, to += line) {
        const int8_t *w = f->w + (b->c0 + first) * f->step_c + k * f->step_k;
        int64_t left = p->len - k < 4 ? p->len - k : 4;
        for (int i = first; i < b->ncol; i++, w += f->step_c) {
            sn_conv_four(p, w, f->step_k, left, to + 4 * place[i]);
            for (int64_t e = 0; e < left; e++)
                sum[i] += w[e * f->step_k];
        }
    }
}

/* kstep differences, of 16 bits, of each channel a step. */
static void
pack_differences(const SnConvQ8 *p, const SnConvBlock *b, const From *f,
                 const int *place, int16_t *to)
{
    int64_t ks = p->g->kstep;

    for (int64_t k = 0; k < p->len; k += ks, to += b->npanel * SN_LANE * ks) {
        const int8_t *w = f->w + b->c0 * f->step_c + k * f->step_k;
        int64_t left = p->len - k < ks ? p->len - k : ks;
        for (int i = 0; i < b->ncol; i++, w += f->step_c)
            for (int64_t e = 0; e < left; e++)
                to[place[i] * ks + e] = (int16_t)(w[e * f->step_k] - f->wz);
    }
}

/* Copies block b with a filter and biases at `at`; returns where they end. */
static char *
pack_block(const SnConvQ8 *p, SnConvBlock *b, const From *f, char *at)
{
    /* Widened x is codes and an offset (conv_q8.h); a plan of sums holds what
     * the taps add for each 1 of it. */
    uint32_t shift = p->sums ? UINT32_MAX : (uint32_t)(p->xz + p->t->offset);
    uint32_t zeros = (uint32_t)p->len * (uint32_t)f->wz;
    const int32_t **bias = (void *)at;
    int32_t *v = (void *)(at += whole(p->nclass * sizeof *bias));
    int32_t sum[SN_TILE_N] = {0};
    int place[SN_TILE_N];

    at += whole(biases(b));
    memset(v, 0, biases(b));
    memset(at, 0, panel(p, b));
    places(p, b, place);
    if (p->t->esize == 1)
        pack_codes(p, b, f, place, at, sum);
    else
        pack_differences(p, b, f, place, (void *)at);
    for (int i = 0; p->t->esize == 1 && i < b->ncol; i++)
        v[place[i]] = (int32_t)(0 - shift * ((uint32_t)sum[i] - zeros));
    for (uint32_t i = 0; i < p->nclass; i++)
        bias[i] = v;
    b->w = at;
    b->bias = bias;
    return at + whole(panel(p, b));
}

const SnConvQ8 *
sn_conv_q8_pack(const SnConvQ8 *p, const int8_t *w, int64_t step_c,
                int64_t step_k, int32_t wz, void *to)
{
    From f = {w, step_c, step_k, wz};
    SnConvQ8 *q = to;
    SnConvBlock *block = (void *)((char *)to + whole(sizeof *q));
    char *at = (char *)block + whole(p->nblock * sizeof *block);

    assert(p->nrun == 1 && !p->depthwise && !p->wino);
    *q = *p;
    q->block = block;
    for (uint32_t i = 0; i < p->nblock; i++) {
        block[i] = p->block[i];
        at = pack_block(p, &block[i], &f, at);
    }
    return q;
}
