// SPDX-License-Identifier: Apache-2.0
/* Estimates how many instructions a step takes on a Cortex-M4, or a Cortex-M55
 * for vectors, from the shapes of its loops; and chooses the form of a step by
 * these estimates where memory is limited.  Coefficients come from programs
 * that gcc 12 compiled at -O2, counted by qemu; tests/long/compile.sh holds the
 * sums against counts. */
#include <math.h>

#include "aot/band/band.h"
#include "aot/program.h"
#include "aot/node/tile.h"
#include "kernel/eval/eval.h"

/* Elements of the planes that lie in the operand, and their rows. */
static double
plane_size(const SnAotTile *t, double *rows)
{
    double n = 1;

    *rows = 1;
    for (uint32_t i = 0; i < t->naxis; i++) {
        const SnTileAxis *a = &t->axis[i];
        int64_t lo = a->first < 0 ? -a->first : 0;
        int64_t hi = a->dim - a->first < a->n ? a->dim - a->first : a->n;
        double k = hi > lo ? (double)(hi - lo) : 0;
        n *= k;
        *rows = i + 1 < t->naxis ? k : *rows;
    }
    return n;
}

static double
of_plane(const SnAotTile *t)
{
    double rows, all = plane_size(t, &rows), k = (double)t->k;
    double out = (double)t->npixel;
    if (t->mve) /* an eighth: results that are computed twice */
        return (double)t->ngroup *
               (110 + all / 2 + rows * 24 + out * 1.125 / 4 * (k * 2 + 19));
    double each = t->twos  ? k * 0.8 + 11.5
                  : t->dsp ? k * 1.6 + 18
                           : k * 2.5 + 17;

    return (double)t->ngroup *
           (70 + all * (t->twos ? 4.5 : 6) + rows * 18 + out * each);
}

/* Windows are gathered, then multiplied by all filters. */
static double
of_windows(const SnAotTile *t)
{
    double k = (double)t->kp, m = (double)t->mp;
    double runs = (double)(t->k / t->nrun);
    bool rows = t->form == SN_TILE_ROWS;
    double tiles = rows ? 1 : (double)((t->npixel + 3) / 4);
    double windows = rows ? 1 : 4;
    double gather = t->quads ? k / 4 * 7.5 + runs * 14 + 16
                             : k * (t->dsp ? 8 : 4) + runs * 14 + 16;
    if (t->mve)
        return (double)t->ngroup * tiles *
               ((t->direct ? 0 : 4 * (k * 0.3 + runs * 40)) +
                m * (((double)t->k + 15) / 16 * 11 + 50));
    double sums = rows ? m / 4 * (k * (t->dsp ? 5 : 10.4) + (t->dsp ? 70 : 110))
                  : t->dsp ? m / 2 * (k * 8 * 0.86 + 88)
                           : m * 4 * (k * 2.1 + 22);

    return (double)t->ngroup * tiles * (windows * gather + sums);
}

static double
of_loops(const SnProgram *p, SnId id)
{
    const SnNode *n = sn_node(p->g, id);
    double out = 0, ops = sn_node_ops(p->g, id);

    for (unsigned r = 0; r < n->nres; r++)
        out += (double)sn_aot_count_of(n->res[r].type, n->res[r].shape);
    switch (sn_desc(n->kind)->sem[0].cls) {
    case SN_C_MOVE:
        return out * (p->o->target->dsp ? 3.5 : 7.5);
    case SN_C_CONVERT:
        return out * 14;
    case SN_C_POINT:
        return out * 24;
    case SN_C_CONTRACT:
        return ops * 4.5 + out * 25;
    default:
        return ops * 9 + out * 20;
    }
}

const char *
sn_aot_processor(const SnAotTarget *t)
{
    if (t->isa != SN_ISA_PORTABLE || t->wide)
        return NULL;
    return t->mve ? "Cortex-M55" : "Cortex-M4";
}

/* Approximate cycles per instruction.  M4: of the inner loop of four windows, a
 * load counted as 2, two as 3, a taken branch as 3, memory without wait states
 * (1.21 cycles and .86 instructions a product).  M55: of the loops of mve.h, an
 * instruction on vectors counted as 2, of its two beats.  No board was
 * measured. */
double
sn_aot_cycles(const SnAotTarget *t)
{
    return t->mve ? 1.7 : 1.4;
}

double
sn_aot_form_instructions(const SnProgram *p, uint32_t s, const SnAotTile *t)
{
    SnId id = p->x->step[s].node;

    if (!t)
        return of_loops(p, id);
    if (t->plan) /* for a host: less than any other form, not an estimate */
        return sn_node_ops(p->g, id) / 16;
    return t->form == SN_TILE_PLANE ? of_plane(t) : of_windows(t);
}

double
sn_aot_instructions(const SnProgram *p, uint32_t s)
{
    if (p->skipped[s] || !sn_aot_processor(p->o->target))
        return 0;
    double one = sn_aot_form_instructions(p, s, p->tile[s]);
    const SnBand *b = &p->band[s];
    if (!b->on)
        return one;
    /* a tile is that of one call; loops without one are not counted this way */
    return (p->tile[s] ? one * (double)(b->nrow / b->count) : one) +
           sn_band_copying(b);
}

/* ---- forms ---- */

void
sn_aot_use_form(SnProgram *p, uint32_t s, uint32_t form)
{
    p->at[s] = (uint8_t)form;
    p->tile[s] = p->form[s][form].tile;
    p->trail[s] = p->form[s][form].trail;
}

/* Another form of a step. */
typedef struct Move {
    uint32_t step, form;
    double price; /* instructions per byte */
} Move;

static double
slower(const SnProgram *p, uint32_t s, uint32_t form)
{
    return sn_aot_form_instructions(p, s, p->form[s][form].tile) -
           sn_aot_form_instructions(p, s, p->tile[s]);
}

/* Bytes in use above the limit, over all steps: the sum falls when one of
 * several peaks falls, where the size of the arena may not. */
static size_t
above(const SnProgram *p)
{
    size_t sum = p->arena > p->o->max_ram ? p->arena - p->o->max_ram : 0;

    for (uint32_t s = 0; s < p->x->nstep; s++)
        if (p->live[s] > p->o->max_ram)
            sum += p->live[s] - p->o->max_ram;
    return sum;
}

/* Does the step have forms after its current one? */
static bool
has_more(const SnProgram *p, uint32_t s)
{
    return !p->band[s].on && p->at[s] + 1 < p->nform[s];
}

/* The best form of a step at a peak, found by planning memory for each. */
static void
try_forms(SnProgram *p, uint32_t s, size_t arena, size_t over, Move *best)
{
    uint32_t was = p->at[s];

    for (uint32_t i = was + 1; i < p->nform[s]; i++) {
        double more = slower(p, s, i);
        sn_aot_use_form(p, s, i);
        sn_aot_place(p);
        size_t now = above(p);
        if (p->arena <= arena && now < over &&
            more < best->price * (double)(over - now))
            *best = (Move){s, i, more / (double)(over - now)};
        sn_aot_use_form(p, s, was);
    }
}

void
sn_aot_fit_ram(SnProgram *p)
{
    while (p->o->max_ram && p->arena > p->o->max_ram) {
        size_t arena = p->arena, over = above(p), *live = p->live;
        Move best = {0, 0, HUGE_VAL};
        for (uint32_t s = 0; s < p->x->nstep; s++)
            if (live[s] > p->o->max_ram && has_more(p, s))
                try_forms(p, s, arena, over, &best);
        if (best.form)
            sn_aot_use_form(p, best.step, best.form);
        sn_aot_place(p);
        if (!best.form)
            return;
    }
}

/* Bytes of the filters of a step that has tiles, as a form reads them. */
static size_t
filters(const SnProgram *p, uint32_t s, uint32_t form)
{
    const SnAotTile *t = p->form[s][form].tile, *any = p->form[s][0].tile;
    SnRef w = sn_node(p->g, p->x->step[s].node)->in[any->w].ref;

    return t && t->pack
               ? t->npack
               : sn_tensor_nbyte(sn_type(p->g, w), sn_shape_of(p->g, w));
}

static Move
least_flash(const SnProgram *p, const bool *tried)
{
    Move best = {0, 0, HUGE_VAL};

    for (uint32_t s = 0; s < p->x->nstep; s++)
        for (uint32_t i = p->at[s] + 1u;
             i < p->nform[s] && !tried[s] && !p->band[s].on; i++) {
            size_t has = filters(p, s, p->at[s]), to = filters(p, s, i);
            double price = slower(p, s, i) / ((double)has - (double)to);
            if (to < has && price < best.price)
                best = (Move){s, i, price};
        }
    return best;
}

bool
sn_aot_fit_flash(SnProgram *p, size_t less)
{
    bool *tried = SN_NEW_N(p->a, bool, p->x->nstep + 1), any = false;
    size_t saved = 0;

    while (saved < less) {
        Move m = least_flash(p, tried);
        uint32_t was = p->at[m.step];
        size_t arena = p->arena;
        if (!m.form)
            return any;
        size_t bytes = filters(p, m.step, was) - filters(p, m.step, m.form);
        sn_aot_use_form(p, m.step, m.form);
        sn_aot_place(p);
        tried[m.step] = true;
        if (p->o->max_ram && p->arena > p->o->max_ram && p->arena > arena) {
            sn_aot_use_form(p, m.step, was);
            sn_aot_place(p);
            continue;
        }
        saved += bytes;
        any = true;
    }
    return any;
}
