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

/* Each list of words is an X-list: sinter-gen writes their names in C. */

/* ---- expressions ---- */

/* What an expression is.  Operators work on lists element by element, a number
 * going with each; functions take as many arguments as sn_map_fns says. */
#define SN_MAP_OPS(X)                                                      \
    X(INT)  /* v */                                                        \
    X(REAL) /* r */                                                        \
    X(NAME) /* slot v; of an operand of integers, in a `require`: each of  \
               its elements */                                             \
    X(ELEM) /* kid 0, a list: its element kid 1, or the list of those that \
               kid 1, a list, names */                                     \
    X(HALF) /* kid 0, two lists one after the other (int[2, s]): the half  \
               v, 0 or 1 */                                                \
    X(DATA) /* the element of operand v (a parameter's number) at the      \
               kids, one for each item of its pattern */                   \
    X(NEG)                                                                 \
    X(NOT)                                                                 \
    X(ADD)                                                                 \
    X(SUB)                                                                 \
    X(MUL)                                                                 \
    X(DIV) /* of integers: floor; of reals: binary32 */                    \
    X(MOD) /* what floor leaves */                                         \
    X(EQ)                                                                  \
    X(NE)                                                                  \
    X(LT)                                                                  \
    X(LE)                                                                  \
    X(GT)                                                                  \
    X(GE)                                                                  \
    X(AND)                                                                 \
    X(OR)                                                                  \
    X(IN)      /* is kid 0 an element of the list kid 1? */                \
    X(SELECT)  /* (c, a, c2, a2, ..., b) */                                \
    X(AXIS)    /* (list): 0, 1, ..., its length - 1; (number): below it */ \
    X(COUNT)   /* (list) */                                                \
    X(PRODUCT) /* (list) */                                                \
    X(SUM)     /* (list) */                                                \
    X(LAST)    /* (list) */                                                \
    X(BEFORE)  /* (list): the sums of what stands before each element */   \
    X(FLAT)    /* (list, list): row-major number of a place in a box;      \
                  (operand): of a tap, its offset there */                 \
    X(UNFLAT)  /* (number, list): and back */                              \
    X(INVERSE) /* (list): where each number is, the last place of several; \
                  undefined: nowhere */                                    \
    X(DEFINED) /* (any) */                                                 \
    X(ASCENDS) /* (operand) */                                             \
    X(RANK)    /* (operand): of its first one */                           \
    X(LOW)     /* (operand): the lowest code of its type */                \
    X(FLOOR)   /* (real) */                                                \
    X(CEIL)    /* (real) */                                                \
    X(TOREAL)  /* real(number) */                                          \
    X(ABS)                                                                 \
    X(MIN)                                                                 \
    X(MAX)
#define SN_MO_ID(ID) SN_MO_##ID,
typedef enum SnMapOp { SN_MAP_OPS(SN_MO_ID) SN_NMAPOP } SnMapOp;
#undef SN_MO_ID

typedef struct SnMapExpr {
    uint8_t op; /* SnMapOp */
    uint8_t nkid;
    uint16_t kid; /* the first in SnMapDecl.expr; kids lie side by side */
    float r;
    int64_t v; /* SN_MO_RANK and the other functions of an operand: its number
                  among the parameters, and nkid 0 */
} SnMapExpr;

/* ---- operands and parameters ---- */

#define SN_MAP_ITEMS(X)                                               \
    X(DIM)   /* n: one dimension */                                   \
    X(RUN)   /* d...: what is left */                                 \
    X(ALONG) /* k[s]...: one for each of s */                         \
    X(JOIN)  /* 1|d...: each 1 or d's; missing ones in front are 1 */ \
    X(MAYBE) /* p?: may be absent, and is then 1 */                   \
    X(AT)    /* d @ axis */
#define SN_MI_ID(ID) SN_MI_##ID,
typedef enum SnMapItemKind { SN_MAP_ITEMS(SN_MI_ID) } SnMapItemKind;
#undef SN_MI_ID

typedef struct SnMapItem {
    uint8_t kind; /* SnMapItemKind */
    bool vary;    /* d[x] @ axis: slot is a list, one for each operand */
    int16_t slot;
    int16_t along; /* ALONG: the slot of s; AT: the slot of the axis */
} SnMapItem;

#define SN_MAP_PARAMS(X)                        \
    X(OPERAND)                                  \
    X(INT)  /* int, int[], int[s], int[2, s] */ \
    X(BOOL) /* bool */                          \
    X(REAL) /* real, real[s] */                 \
    X(ENUM) /* enum { .. } */                   \
    X(AXIS) /* axis(x): from 0 on when bound */ \
    X(AXES) /* axes(x): the same, none twice */
#define SN_MP_ID(ID) SN_MP_##ID,
typedef enum SnMapParamKind { SN_MAP_PARAMS(SN_MP_ID) } SnMapParamKind;
#undef SN_MP_ID

#define SN_MAP_LENGTHS(X)                       \
    X(ONE)  /* int */                           \
    X(OWN)  /* int[] */                         \
    X(RUN)  /* int[s]: as long as slot along */ \
    X(PAIR) /* int[2, s]: twice as long */
#define SN_ML_ID(ID) SN_ML_##ID,
typedef enum SnMapLength { SN_MAP_LENGTHS(SN_ML_ID) } SnMapLength;
#undef SN_ML_ID

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

#define SN_MAP_STMTS(X)                                                    \
    X(LET)                                                                 \
    X(REQUIRE)                                                             \
    X(RESULT)                                                              \
    X(TAPS)                                                                \
    X(READ)                                                                \
    X(CENTRE)                                                              \
    X(BESIDE)                                                              \
    X(DIVISOR)                                                             \
    X(NUMBER)                                                              \
    X(PARTS)                                                               \
    X(WHOLE) /* a mean of such sets starts at +0 (numerics.md, AvgPool) */ \
    X(PRIMITIVE)
#define SN_MS_ID(ID) SN_MS_##ID,
typedef enum SnMapStmtKind { SN_MAP_STMTS(SN_MS_ID) } SnMapStmtKind;
#undef SN_MS_ID

/* i < e when c. */
typedef struct SnMapBound {
    int16_t slot;
    int32_t e, when; /* when -1: always */
} SnMapBound;

#define SN_MAP_ELSES(X)                                            \
    X(NONE) /* it cannot happen */                                 \
    X(SKIP) /* the tap is left out of the set, for all operands */ \
    X(FILL) /* the formula's `else` */
#define SN_ME_ID(ID) SN_ME_##ID,
typedef enum SnMapElse { SN_MAP_ELSES(SN_ME_ID) } SnMapElse;
#undef SN_ME_ID

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
