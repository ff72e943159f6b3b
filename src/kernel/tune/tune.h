// SPDX-License-Identifier: Apache-2.0
/* Measured picks: how each convolution or product of a model is best cut on
 * this machine, by its sizes; kept in a small text file.
 *
 * A set belongs to one instruction set and one number of threads.  Results do
 * not depend on picks, times do: a file that was measured with other kernels,
 * or for another model, is refused rather than half used. */
#ifndef SN_TUNE_H
#define SN_TUNE_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/hashes.h"
#include "kernel/conv_geo.h"
#include "kernel/isa.h"

/* What is computed: on codes, where sn_conv_q8_tiles is false or true, or on
 * reals. */
typedef enum SnTuneKind {
    SN_TUNE_CODES,
    SN_TUNE_TILES,
    SN_TUNE_REALS
} SnTuneKind;

typedef struct SnTuneLayer {
    SnConvGeo geo;
    SnTuneKind kind;
    SnConvPick pick;
} SnTuneLayer;

typedef struct SnTune {
    SnArena *a;
    SnIsa isa;
    unsigned nthread;
    uint32_t nlayer;
    SnTuneLayer *layer;
    SnHashes of_geo; /* of layers, by size and kind */
    bool closed;     /* read from a file: a missing layer is counted as
                        missed */
    uint32_t nmissed;
    SnConvGeo missed; /* the first one */
    SnTuneKind missed_kind;
} SnTune;

SnTune *sn_tune_new(SnArena *a, SnIsa isa, unsigned nthread);
/* A copy whose picks may be changed. */
SnTune *sn_tune_copy(SnArena *a, const SnTune *t);

/* The number of a layer, from 1; a layer that is not in the set is added with
 * what the rules choose or, if the set is closed, counted as missed: 0. */
uint32_t sn_tune_ask(SnTune *t, const SnConvGeo *geo, SnTuneKind kind);
/* The pick of the set for the instruction set in use, or that of the rules
 * without a set (NULL) or if it lacks the layer; *layer is the layer's number
 * or 0. */
SnConvPick sn_tune_pick(SnTune *t, const SnConvGeo *geo, SnTuneKind kind,
                        uint32_t *layer);
/* What the rules choose. */
SnConvPick sn_tune_rules(SnIsa isa, const SnConvGeo *geo, SnTuneKind kind);
/* Whether a pick can be followed. */
bool sn_tune_fits(SnIsa isa, const SnConvGeo *geo, SnTuneKind kind,
                  const SnConvPick *k);

/* The set as text; written to path, by rename. */
void sn_tune_put(const SnTune *t, SnBuf *b);
SnStatus sn_tune_write(const SnTune *t, const char *path, SnDiag *d);
/* A closed set.  SN_EINPUT, with the line, for a file that is not what
 * sn_tune_write writes; that another build wrote; that belongs to another
 * instruction set or number of threads. */
SnStatus sn_tune_read(SnArena *a, const char *path, SnIsa isa, unsigned nthread,
                      SnDiag *d, SnTune **out);

/* "3x3/2 64>128 @56x56", with " gG", " dD", " bN" where there are groups, gaps
 * between taps, or several images, and " f32" for reals. */
const char *sn_tune_name(SnArena *a, const SnConvGeo *geo, SnTuneKind kind);
/* "rows 8, panels 4, clip"; "rows 8, panels 1, tiles, by panel" */
const char *sn_tune_text(SnArena *a, const SnConvPick *k);

#endif
