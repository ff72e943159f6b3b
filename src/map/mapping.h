// SPDX-License-Identifier: Apache-2.0
/* A mapping: a declaration of a map, bound to the operands' shapes and the
 * parameters of a node. Opening it checks the node and gives the result's
 * shape; evaluators then ask which elements it reads. */
#ifndef SN_MAPPING_H
#define SN_MAPPING_H

#include "map/term.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_MAP_RANK = 8, SN_MAP_WHY = 200, SN_MAP_NPOOL = 128 };
enum { SN_MAP_EACH_VAR = SN_MAP_NVAR - 1 };
/* No dimension is as large as this. */
#define SN_MAP_DIM (INT64_C(1) << 40)

typedef struct SnMapBox {
    int rank; /* to SN_MAP_RANK */
    const int64_t *dim;
} SnMapBox;

/* What a node gives for one parameter. */
typedef struct SnMapArg {
    const char *name; /* what the node calls it, for messages */
    bool given;
    bool fixed;          /* a list whose length no graph can change */
    uint32_t n;          /* operands, or elements of a list */
    const SnMapBox *box; /* [n] operands */
    const int64_t *ints; /* [n] numbers, truth values, words by their place */
    const float *reals;  /* [n] */
    const void *data;    /* of an operand that is read, when it is known: */
    int width;           /* integers of so many bytes */
    int64_t low;         /* the lowest code of its type */
} SnMapArg;

/* A number (n -1), or a list. */
typedef struct SnMapVal {
    int64_t n;
    SnMapNum one, *v;
} SnMapVal;

/* What is read of an operand for a tap. */
typedef struct SnMapRead {
    int param;
    uint32_t which; /* of the operands of the parameter */
    bool one_of;    /* a tap reads one of these, not each */
    SnMapElse els;
    SnMapBox box;
    SnMapNum at[SN_MAP_RANK]; /* one index for each axis */
    bool inside[SN_MAP_RANK]; /* it is never outside */
    uint32_t nwhen;           /* all of them must hold */
    SnMapNum when[SN_MAP_RANK];
    SnMapNum off; /* row-major, of those inside */
} SnMapRead;

/* A variable: a place along a result axis or in the box of taps, or a part of
 * one (splits): place = the sum of var * step. */
typedef struct SnMapVar {
    bool tap;
    uint8_t axis; /* of the result, or number of the tap's bound */
    int64_t step;
    SnMapNum bound; /* it is below; a term only for taps */
} SnMapVar;

/* Cut the places of a result axis (or tap) into parts of `by`. */
typedef struct SnMapSplit {
    bool tap;
    uint8_t axis;
    int64_t by;
} SnMapSplit;

typedef struct SnMapping {
    const SnMapDecl *decl;
    const SnMapArg *arg; /* [decl->nparam] */
    char *why;           /* [SN_MAP_WHY], in the caller's hands; or NULL */
    SnArena *a;          /* for long lists, and for reads */
    /* opened */
    int rank;
    int64_t dim[SN_MAP_RANK];
    int64_t ntap; /* of a set; 1 without taps; -1: it depends */
    int none;     /* the axis that leaves sets empty, -1: another reason */
    bool deep;    /* refused: the result has more than SN_MAP_RANK dimensions */
    /* with reads */
    uint32_t nvar;
    SnMapVar var[SN_MAP_NVAR];
    SnMapTerms T;
    uint32_t nread, ntapdim;
    SnMapRead *read;
    SnMapRead centre; /* param -1: none */
    uint32_t nbeside;
    SnMapNum beside[SN_MAP_RANK];
    SnMapNum divisor, number, parts; /* undefined: as always */
    bool primitive, whole;
    /* Set between sn_mapping_open and sn_mapping_reads: elements of operands
     * are not known, and conditions on them are not checked but listed, as
     * terms over variable SN_MAP_EACH_VAR, which is each element in turn. */
    bool open;
    bool asks; /* a condition on elements of operands is being evaluated */
    uint32_t nlate;
    SnMapNum late[4];
    /* private */
    SnMapVal *slot;
    int8_t length[32]; /* of runs that a parameter fixes, by slot; -1 */
    uint32_t nsplit;
    const SnMapSplit *split;
    const SnMapNum *summed; /* the list whose sums were last asked for: */
    SnMapVal sums;          /* of numbers, which all operands share */
    uint32_t npool;
    SnMapNum pool[SN_MAP_NPOOL];
    SnMapVal slots[32];
} SnMapping;

/* Checks the operands and parameters and finds the shape; false: why, where it
 * is not NULL, says what is wrong.  arg and a live as long as u; nothing has to
 * be closed. */
bool sn_mapping_open(SnMapping *u, const SnMapDecl *d, const SnMapArg *arg,
                     SnArena *a, char *why);
/* After sn_mapping_open: what a result reads.  Conditions on elements of
 * operands are checked; operands that the map reads have data.  split may be
 * NULL. */
bool sn_mapping_reads(SnMapping *u, uint32_t nsplit, const SnMapSplit *split);
/* Where places should be cut so that fewer indices are quotients; into a list
 * in u->a. */
uint32_t sn_mapping_splits(const SnMapping *u, SnMapSplit **split);
/* After sn_terms_run: the offset of a read, -1 where it is skipped or filled,
 * -2 where it is outside and nothing says what then. */
int64_t sn_read_offset(const SnMapRead *r, const int64_t *val);

#ifdef __cplusplus
}
#endif

#endif
