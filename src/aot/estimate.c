// SPDX-License-Identifier: Apache-2.0
/* About how many instructions a step takes on a Cortex-M4, a Cortex-M55 for
 * vectors, from the shapes of its loops.  Coefficients are those of programs
 * that gcc 12 made at -O2, counted by qemu; tests/long/compile.sh holds the
 * sums against counts. */
#include "aot/program.h"
#include "aot/tile.h"
#include "kernel/eval/eval.h"

/* Elements of planes that the operand has, and their rows. */
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
    if (t->mve) /* an eighth: results that are made twice */
        return (double)t->ngroup *
               (110 + all / 2 + rows * 24 + out * 1.125 / 4 * (k * 2 + 19));
    double each = t->twos  ? k * 0.8 + 11.5
                  : t->dsp ? k * 1.6 + 18
                           : k * 2.5 + 17;

    return (double)t->ngroup *
           (70 + all * (t->twos ? 4.5 : 6) + rows * 18 + out * each);
}

/* Windows are gathered, then met by all filters. */
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
    return t->mve ? "Cortex-M55" : "Cortex-M4";
}

/* Cycles of an instruction, about.  M4: of the inner loop of four windows, a
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
sn_aot_instructions(const SnProgram *p, uint32_t s)
{
    const SnAotTile *t = p->tile[s];

    if (p->skipped[s])
        return 0;
    if (!t || t->plan)
        return of_loops(p, p->x->step[s].node);
    return t->form == SN_TILE_PLANE ? of_plane(t) : of_windows(t);
}
