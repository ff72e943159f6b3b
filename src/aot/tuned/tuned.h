// SPDX-License-Identifier: Apache-2.0
/* Sums of products as plans of kernel/conv/conv_q8.h, made for a processor that
 * may differ from this one, and written as C with the texts that run them. */
#ifndef SN_TUNED_H
#define SN_TUNED_H

#include "base/buf.h"
#include "kernel/conv/conv_q8.h"
#include "kernel/point/pool_q8.h"
#include "kernel/point/sum_q8.h"

enum { SN_TUNED_VARS = 32, SN_TUNED_RANK = 8 };

typedef enum SnTunedRole {
    SN_TUNED_TAP,
    SN_TUNED_PIXEL,
    SN_TUNED_FILTER,
    SN_TUNED_GROUP
} SnTunedRole;

/* base + the sum of k[v] * variable v. */
typedef struct SnTunedIndex {
    int64_t k[SN_TUNED_VARS], base;
} SnTunedIndex;

/* What a node reads and writes, as sums over variables of its map. */
typedef struct SnTunedMap {
    uint32_t nvar;
    int64_t bound[SN_TUNED_VARS];
    SnTunedRole role[SN_TUNED_VARS];
    int rank; /* of x */
    int64_t dim[SN_TUNED_RANK];
    SnTunedIndex at[SN_TUNED_RANK]; /* along each axis of x */
    SnTunedIndex w;                 /* element of the filter */
    SnTunedIndex channel;           /* number of bias and multiplier */
    int64_t step[SN_TUNED_VARS];    /* elements of the result */
} SnTunedMap;

/* The sizes of the convolution that the map describes, with the result's pixels
 * and channels side by side; false: it is not a convolution. */
bool sn_tuned_geo(const SnTunedMap *m, SnConvGeo *geo);
/* Filters in the order of plans: [channel][row][column][channel of x]. */
const int8_t *sn_tuned_filter(SnArena *a, const SnTunedMap *m,
                              const SnConvGeo *geo, const int8_t *w);

typedef struct SnTuned {
    SnIsa isa;
    const SnConvQ8 *q;
    size_t *at; /* of each block's filter in pack */
    const int8_t *pack;
    size_t npack;
} SnTuned;

/* NULL: no plan has these sizes. */
const SnTuned *sn_tuned_open(SnArena *a, SnIsa isa, const SnConvGeo *geo,
                             const SnConvNum *num, const int8_t *filter);

/* Names in C. */
typedef struct SnTunedNames {
    const char *prefix; /* of tables */
    const char *x, *w, *y, *work;
} SnTunedNames;
/* Appends tables, with their bytes, and the lines of a function. */
void sn_tuned_put(SnArena *a, const SnTuned *p, const SnTunedNames *n,
                  SnBuf *data, size_t *nbyte, SnBuf *out);

/* The sum that gives what table has for all pairs of codes (sn_sum8_fit_by);
 * ra, rb, f as far as they are known.  False: there is none. */
bool sn_tuned_sum(SnSum8 *s, const int8_t *table);
/* What a program calls. */
typedef enum SnTunedPart {
    SN_TUNED_SUM,
    SN_TUNED_QUANT,
    SN_TUNED_MAX,
    SN_TUNED_AVG,
    SN_TUNED_LRN,
    SN_TUNED_PARTS
} SnTunedPart;
/* The function of a part, by its name in C. */
const char *sn_tuned_name(SnArena *a, SnIsa isa, SnTunedPart part);
typedef struct SnTunedUse {
    bool plan, part[SN_TUNED_PARTS];
    bool tile[SN_TILE_N / SN_LANE][SN_TILE_M], dw, dw3[2], wino, sum;
} SnTunedUse;
void sn_tuned_use(const SnTuned *p, SnTunedUse *u);
/* The types, as the text of a header, and the functions that run them, with
 * sinter's names. */
const char *sn_tuned_types(SnArena *a, SnIsa isa, const SnTunedUse *u);
const char *sn_tuned_code(SnArena *a, SnIsa isa, const SnTunedUse *u);

/* ---- for tuned_text.c: tools/tuned_text.sh ---- */

/* Lines of files, NULL-ended. */
typedef const char *const SnTunedText[];
extern SnTunedText sn_tuned_text_sizes, sn_tuned_text_types, sn_tuned_text_run;
extern SnTunedText sn_tuned_text_wino, sn_tuned_text_avx2, sn_tuned_text_neon;
extern SnTunedText sn_tuned_text_avx2_wino, sn_tuned_text_vnni;
extern SnTunedText sn_tuned_text_vnni_dw, sn_tuned_text_shared_types;
extern SnTunedText sn_tuned_text_sum, sn_tuned_text_pool, sn_tuned_text_max;
extern SnTunedText sn_tuned_text_avg, sn_tuned_text_lrn;
extern SnTunedText sn_tuned_text_head_avx2, sn_tuned_text_head_avx512;
extern SnTunedText sn_tuned_text_sum_avx2, sn_tuned_text_sum_avx512;
extern SnTunedText sn_tuned_text_quant;
extern SnTunedText sn_tuned_text_quant_avx2, sn_tuned_text_quant_avx512;
extern SnTunedText sn_tuned_text_max_avx2, sn_tuned_text_max_avx512;
extern SnTunedText sn_tuned_text_avg_avx2, sn_tuned_text_avg_avx512;
extern SnTunedText sn_tuned_text_lrn_avx2, sn_tuned_text_lrn_avx512;

#endif
