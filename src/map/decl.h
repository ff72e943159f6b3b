// SPDX-License-Identifier: Apache-2.0
/* Index maps as data: what sinter-gen makes of a `map` declaration
 * (docs/language.md, "Maps").  A map says which elements of the operands make
 * each element of the result.  Everything else reads it from here: shapes,
 * verifier, evaluators, and, before there is C, the prover.
 *
 * Names of a map have slots: dimensions that a pattern binds, parameters, lets,
 * and the places in the result and in the set of taps.  A name is a
 * number (truth values are 0 and 1, words of an enum their index) or a list
 * along a run of axes; which is known statically, and all lists that meet in an
 * expression are of one length. */
#ifndef SN_MAP_DECL_H
#define SN_MAP_DECL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- expressions ---- */

/* What an expression is.  Operators work on lists element by element, a number
 * going with each; functions take as many arguments as sn_map_fns says. */
typedef enum SnMapOp {
    SN_MO_INT,  /* v */
    SN_MO_REAL, /* r */
    SN_MO_NAME, /* slot v; of an operand of integers, in a `require`: each of
                   its elements */
    SN_MO_ELEM, /* kid 0, a list: its element kid 1, or the list of those that
                   kid 1, a list, names */
    SN_MO_HALF, /* kid 0, two lists one after the other (int[2, s]): the half v,
                   0 or 1 */
    SN_MO_DATA, /* the element of operand v (a parameter's number) at the kids,
                   one for each item of its pattern */
    SN_MO_NEG,
    SN_MO_NOT,
    SN_MO_ADD,
    SN_MO_SUB,
    SN_MO_MUL,
    SN_MO_DIV, /* of integers: floor; of reals: binary32 */
    SN_MO_MOD, /* what floor leaves */
    SN_MO_EQ,
    SN_MO_NE,
    SN_MO_LT,
    SN_MO_LE,
    SN_MO_GT,
    SN_MO_GE,
    SN_MO_AND,
    SN_MO_OR,
    SN_MO_IN, /* is kid 0 an element of the list kid 1? */
    /* functions */
    SN_MO_SELECT,  /* (c, a, c2, a2, ..., b) */
    SN_MO_AXIS,    /* (list): 0, 1, ..., its length - 1; (number): below it */
    SN_MO_COUNT,   /* (list) */
    SN_MO_PRODUCT, /* (list) */
    SN_MO_SUM,     /* (list) */
    SN_MO_LAST,    /* (list) */
    SN_MO_BEFORE,  /* (list): the sums of what stands before each element */
    SN_MO_FLAT,    /* (list, list): row-major number of a place in a box;
                      (operand): of a tap, its offset there */
    SN_MO_UNFLAT,  /* (number, list): and back */
    SN_MO_INVERSE, /* (list): where each number is, the last place of several;
                      undefined: nowhere */
    SN_MO_DEFINED, /* (any) */
    SN_MO_ASCENDS, /* (operand) */
    SN_MO_RANK,    /* (operand): of its first one */
    SN_MO_LOW,     /* (operand): the lowest code of its type */
    SN_MO_FLOOR,   /* (real) */
    SN_MO_CEIL,    /* (real) */
    SN_MO_TOREAL,  /* real(number) */
    SN_MO_ABS,
    SN_MO_MIN,
    SN_MO_MAX,
    SN_NMAPOP
} SnMapOp;

typedef struct SnMapExpr {
    uint8_t op; /* SnMapOp */
    uint8_t nkid;
    uint16_t kid; /* the first in SnMapDecl.expr; kids lie side by side */
    float r;
    int64_t v; /* SN_MO_RANK and the other functions of an operand: its number
                  among the parameters, and nkid 0 */
} SnMapExpr;

/* ---- operands and parameters ---- */

typedef enum SnMapItemKind {
    SN_MI_DIM,   /* n: one dimension */
    SN_MI_RUN,   /* d...: what is left */
    SN_MI_ALONG, /* k[s]...: one for each of s */
    SN_MI_JOIN,  /* 1|d...: each 1 or d's; missing ones in front are 1 */
    SN_MI_MAYBE, /* p?: may be absent, and is then 1 */
    SN_MI_AT     /* d @ axis */
} SnMapItemKind;

typedef struct SnMapItem {
    uint8_t kind; /* SnMapItemKind */
    bool vary;    /* d[x] @ axis: slot is a list, one for each operand */
    int16_t slot;
    int16_t along; /* ALONG: the slot of s; AT: the slot of the axis */
} SnMapItem;

typedef enum SnMapParamKind {
    SN_MP_OPERAND,
    SN_MP_INT,  /* int, int[], int[s], int[2, s] */
    SN_MP_BOOL, /* bool */
    SN_MP_REAL, /* real, real[s] */
    SN_MP_ENUM, /* enum { .. } */
    SN_MP_AXIS, /* axis(x): from 0 on when bound */
    SN_MP_AXES  /* axes(x): the same, none twice */
} SnMapParamKind;

typedef enum SnMapLength {
    SN_ML_ONE, /* int */
    SN_ML_OWN, /* int[] */
    SN_ML_RUN, /* int[s]: as long as slot along */
    SN_ML_PAIR /* int[2, s]: twice as long */
} SnMapLength;

typedef struct SnMapParam {
    const char *name;
    uint8_t kind;   /* SnMapParamKind */
    uint8_t length; /* SnMapLength */
    bool variadic;  /* x...[..]: one or more operands */
    char data;      /* operand whose elements the map reads: 'i' integers, 'c'
                       codes; else 0 */
    int16_t slot;
    int16_t along; /* RUN, PAIR: a slot; AXIS, AXES: the operand's number */
    int32_t dflt;  /* expression, which also replaces an empty list; -1 */
    uint8_t nitem;
    const SnMapItem *item;   /* OPERAND */
    const char *const *word; /* ENUM: NULL at the end */
} SnMapParam;

/* ---- statements ---- */

typedef enum SnMapStmtKind {
    SN_MS_LET,
    SN_MS_REQUIRE,
    SN_MS_RESULT,
    SN_MS_TAPS,
    SN_MS_READ,
    SN_MS_CENTRE,
    SN_MS_BESIDE,
    SN_MS_DIVISOR,
    SN_MS_NUMBER,
    SN_MS_PARTS,
    SN_MS_WHOLE, /* a mean of such sets starts at +0 (numerics.md, AvgPool) */
    SN_MS_PRIMITIVE
} SnMapStmtKind;

/* i < e when c. */
typedef struct SnMapBound {
    int16_t slot;
    int32_t e, when; /* when -1: always */
} SnMapBound;

typedef enum SnMapElse {
    SN_ME_NONE, /* it cannot happen */
    SN_ME_SKIP, /* the tap is left out of the set, for all operands */
    SN_ME_FILL  /* the formula's `else` */
} SnMapElse;

typedef struct SnMapStmt {
    uint8_t kind; /* SnMapStmtKind */
    uint8_t els;  /* READ: SnMapElse */
    bool late; /* it, or a name in it, is known only where elements are: places
                  in the result, taps, elements of operands.  Shapes need none
                  of these */
    uint8_t n; /* bounds, or indices */
    int16_t slot;  /* LET */
    int16_t param; /* READ, CENTRE: the operand's number */
    int32_t e;     /* LET, REQUIRE, WHOLE, DIVISOR, NUMBER, PARTS */
    int32_t when;  /* READ, DIVISOR, PARTS; -1: always */
    int32_t which; /* READ of a variadic operand: which one; else -1 */
    const SnMapBound *bound; /* RESULT, TAPS */
    const int32_t *index;    /* READ, CENTRE, BESIDE: expressions */
    /* REQUIRE: what is wrong where e fails.  {0}, {1}, ... are the values of
     * these expressions there; a parameter's name in single quotes is what the
     * node calls it.  NULL: the condition as written */
    const char *text;
    uint8_t nhole;
    const int32_t *hole;
} SnMapStmt;

typedef struct SnMapSlot {
    const char *name;
    bool list;
} SnMapSlot;

typedef struct SnMapDecl {
    const char *name, *doc, *where; /* doc: or NULL; where: "maps.def:7" */
    uint16_t nparam, nstmt, nexpr, nslot;
    const SnMapParam *param;
    const SnMapStmt *stmt;
    const SnMapExpr *expr;
    const SnMapSlot *slot;
} SnMapDecl;

/* The map's statement of a kind, the first of them; NULL: none. */
static inline const SnMapStmt *
sn_map_stmt(const SnMapDecl *d, SnMapStmtKind kind)
{
    for (unsigned i = 0; i < d->nstmt; i++)
        if (d->stmt[i].kind == kind)
            return &d->stmt[i];
    return (const SnMapStmt *)0;
}

/* How many statements of a kind it has. */
static inline unsigned
sn_map_count(const SnMapDecl *d, SnMapStmtKind kind)
{
    unsigned n = 0;

    for (unsigned i = 0; i < d->nstmt; i++)
        n += d->stmt[i].kind == kind;
    return n;
}

/* ---- the words of the language ---- */

typedef struct SnMapFn {
    const char *name;
    SnMapOp op;
    uint8_t min, max; /* arguments; 255: any number */
    const char *doc;
} SnMapFn;
extern const SnMapFn sn_map_fns[];
extern const unsigned sn_map_nfn;

#ifdef __cplusplus
}
#endif

#endif
