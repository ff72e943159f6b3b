// SPDX-License-Identifier: Apache-2.0
/* Between binding, evaluating and reading. */
#ifndef SN_MAPPING_PRIV_H
#define SN_MAPPING_PRIV_H

#include "map/term_priv.h"
#include "map/mapping.h"

/* The variable that is each element of an operand in turn. */
enum { SN_MAP_EACH = SN_MAP_EACH_VAR };

bool sn_mapping_fail(SnMapping *u, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- values (value.c) ---- */

static inline SnMapVal
sn_val(SnMapNum x)
{
    return (SnMapVal){-1, x, NULL};
}
/* A list of n numbers, which are to be set. */
SnMapVal sn_val_list(SnMapping *u, int64_t n);
static inline SnMapNum
sn_val_at(SnMapVal x, int64_t i) /* a number: at any place */
{
    return x.n < 0 ? x.one : x.v[i];
}
SnMapVal sn_mapping_eval(SnMapping *u, int32_t e);

/* ---- operands and parameters (bind.c) ---- */

bool sn_mapping_bind(SnMapping *u);
/* How many axes of an operand with this rank fall to each item of its pattern,
 * once names are bound; -1 for one that is absent.  False: none fits. */
bool sn_mapping_lengths(const SnMapping *u, const SnMapParam *p, int rank,
                        int8_t *len);

/* ---- reads (read.c) ---- */

/* Indices, one for each item of the pattern, as one for each axis. */
bool sn_mapping_place(SnMapping *u, const SnMapParam *p, const SnMapBox *box,
                      const SnMapVal *index, SnMapNum *at);
/* The row-major offset of a place. */
SnMapNum sn_mapping_offset(SnMapping *u, const SnMapBox *box,
                           const SnMapNum *at);

/* The message of a condition that fails at element i of the list it is. */
bool sn_mapping_refuse(SnMapping *u, const SnMapStmt *s, int64_t i);

#endif
