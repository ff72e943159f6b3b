// SPDX-License-Identifier: Apache-2.0
/* The words of the language, each with its number.  The parser gives every
 * name, member and call the number of its word, everything else switches on
 * numbers; a new word is a new row of these lists, and the compiler reports
 * where it must be handled.  Names chosen by declarations are not words. */
#ifndef SN_WORDS_H
#define SN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lang/lang.h"

/* The place of an expression: which names and functions it may have. */
typedef enum SnScopeKind {
    SN_SC_CONST,   /* defaults: no names except words, full, types */
    SN_SC_ATTR,    /* where, keep: attributes of node */
    SN_SC_SHAPE,   /* invariant, shape: attributes and ports */
    SN_SC_FORMULA, /* sem: attributes and ports as codes */
    SN_SC_RULE,    /* pattern variables */
    SN_SC_TEST     /* values of a test; count(Kind) */
} SnScopeKind;
enum {
    SN_IN_ATTR = 1 << SN_SC_ATTR,
    SN_IN_SHAPE = 1 << SN_SC_SHAPE,
    SN_IN_RULE = 1 << SN_SC_RULE,
    SN_IN_TEST = 1 << SN_SC_TEST,
    SN_IN_RULES = SN_IN_RULE | SN_IN_TEST,
    SN_IN_SHAPES = SN_IN_SHAPE | SN_IN_RULES,
    SN_IN_ANY = SN_IN_ATTR | SN_IN_SHAPES
};

/* Types of expressions. */
typedef enum SnTy {
    SN_TY_NONE, /* not yet known, or an error was reported */
    SN_TY_INT,
    SN_TY_REAL,
    SN_TY_BOOL,
    SN_TY_STR,
    SN_TY_ENUM, /* a word of an enum attribute: ref = SnDefAttr */
    SN_TY_INTS,
    SN_TY_REALS,
    SN_TY_ETYPE, /* an element type with its scales: x.type, q8, f32 */
    SN_TY_RANGE, /* a clamp */
    SN_TY_REACH, /* exact real bounds: reach(x) */
    SN_TY_SHAPE, /* shape(x) */
    SN_TY_VALUE, /* a tensor value: a pattern variable */
    SN_TY_NODE,  /* a matched node (@n): also usable as its first result */
    SN_TY_CODE   /* in formulas: a raw code */
} SnTy;

/* ---- functions ---- */

/* Of formulas: X(ID, word, least and most arguments, C or NULL: more than a
 * call, meaning). */
#define SN_FORMULA_FNS(X)                                                     \
    X(D, "d", 1, 1, NULL, "the real value of a code")                         \
    X(Q, "q", 1, 3, NULL, "the code of a real")                               \
    X(SUM, "sum", 1, 1, NULL, "of the map's set")                             \
    X(MEAN, "mean", 1, 1, NULL, "of the map's set")                           \
    X(ARGMAX, "argmax", 1, 1, NULL, "where the set has its largest element")  \
    X(ARGMIN, "argmin", 1, 1, NULL, "where the set has its smallest element") \
    X(SELECT, "select", 3, 3, NULL, "select(c, a, b): a where c, else b")     \
    X(EXP, "exp", 1, 1, "sn_expf", "binary32")                                \
    X(LOG, "log", 1, 1, "sn_logf", "binary32")                                \
    X(TANH, "tanh", 1, 1, "sn_tanhf", "binary32")                             \
    X(ERF, "erf", 1, 1, "sn_erff", "binary32")                                \
    X(POW, "pow", 2, 2, "sn_powf", "binary32")                                \
    X(FLOOR, "floor", 1, 1, "floorf", "the next integer below")               \
    X(CEIL, "ceil", 1, 1, "ceilf", "the next integer above")                  \
    X(ROUND, "round", 1, 1, "rintf", "to an integer, ties to even")

/* Of formulas and guards: X(ID, word, arguments in a formula, C there,
 * arguments elsewhere, type, meaning); of a set where a formula names one. */
#define SN_NUMBER_FNS(X)                                                   \
    X(MIN, "min", 1, 2, NULL, "NN", SN_TY_INT, "the smaller, or of a set") \
    X(MAX, "max", 1, 2, NULL, "NN", SN_TY_INT, "the larger, or of a set")  \
    X(ABS, "abs", 1, 1, "fabsf", "N", SN_TY_INT, "without the sign")       \
    X(SQRT, "sqrt", 1, 1, "sn_sqrtf", "N", SN_TY_REAL, "the square root")

/* Of guards, invariants, values of attributes and tests: X(ID, word,
 * arguments, places, type, cost of a test, C in a rule, C in a constraint,
 * meaning).
 *
 * Arguments: V a value, I an int, N a number, L ints, R a clamp, C a clamp,
 * type or reach, T a type or something that has one, O a number or _, K a kind,
 * A an attribute's name, E a type's name.  In C $0 is the first argument; NULL:
 * it is not as simple (gen/expr), or has no place there. */
#define SN_GUARD_FNS(X)                                                        \
    X(DIM, "dim", "VI", SN_IN_SHAPES, SN_TY_INT, 3, "sn_dim(g, $0, $1)",       \
      "sn_inv_dim($0, $1)", "a dimension, from the end where below 0")         \
    X(RANK, "rank", "V", SN_IN_SHAPES, SN_TY_INT, 3,                           \
      "sn_shape_of(g, $0)->rank", "sn_inv_rank($0)", "how many dimensions")    \
    X(COUNT, "count", "V", SN_IN_SHAPE | SN_IN_RULE, SN_TY_INT, 3, NULL, NULL, \
      "how many operands x... has")                                            \
    X(COUNT_KIND, "count", "K", SN_IN_TEST, SN_TY_INT, 3, NULL, NULL,          \
      "how many nodes of a kind")                                              \
    X(PRESENT, "present", "V", SN_IN_SHAPES, SN_TY_BOOL, 0, "$0 != 0",         \
      "$0 != NULL", "is the operand there?")                                   \
    X(SHAPE, "shape", "V", SN_IN_SHAPES, SN_TY_SHAPE, 3, "sn_shape_of(g, $0)", \
      "$0", "the shape")                                                       \
    X(DIMS, "dims", "V", SN_IN_SHAPES, SN_TY_INTS, 5,                          \
      "sn_dims(sn_scratch(rw), sn_shape_of(g, $0))", "sn_inv_dims($0)",        \
      "the shape as a list")                                                   \
    X(ONES, "ones", "I", SN_IN_ANY, SN_TY_INTS, 3,                             \
      "sn_ints_fill(sn_scratch(rw), $0, 1)", "sn_ints_fill(scratch, $0, 1)",   \
      "so many 1")                                                             \
    X(ZEROS, "zeros", "I", SN_IN_ANY, SN_TY_INTS, 3,                           \
      "sn_ints_fill(sn_scratch(rw), $0, 0)", "sn_ints_fill(scratch, $0, 0)",   \
      "so many 0")                                                             \
    X(COMPOSE, "compose", "LL", SN_IN_ANY, SN_TY_INTS, 7,                      \
      "sn_compose(sn_scratch(rw), $0, $1)", "sn_compose(scratch, $0, $1)",     \
      "compose(p, q): element i is p[q[i]]")                                   \
    X(IDENTITY, "identity", "L", SN_IN_ANY, SN_TY_BOOL, 3,                     \
      "sn_ints_identity($0)", "sn_ints_identity($0)", "is it 0, 1, 2, ...?")   \
    X(CONST, "const", "V", SN_IN_RULE, SN_TY_BOOL, 4, "sn_is_const(g, $0)",    \
      NULL, "made of constants only?")                                         \
    X(UNUSED, "unused", "V", SN_IN_RULE, SN_TY_BOOL, 3, NULL, NULL,            \
      "does nobody read the result?")                                          \
    X(COVERS, "covers", "CC", SN_IN_RULE, SN_TY_BOOL, 6, "sn_covers($0, $1)",  \
      NULL, "do the first bounds contain the second?")                         \
    X(LO, "lo", "C", SN_IN_RULE, SN_TY_REAL, 6, "$0.lo", NULL,                 \
      "the lower bound")                                                       \
    X(HI, "hi", "C", SN_IN_RULE, SN_TY_REAL, 6, "$0.hi", NULL,                 \
      "the upper bound")                                                       \
    X(ROUNDS_ALIKE, "rounds_alike", "NTT", SN_IN_RULE, SN_TY_BOOL, 6,          \
      "sn_alike(g->rounding, $0, $1, $2)", NULL,                               \
      "is the code of v in A, rescaled to B, its code in B?")                  \
    X(REACH, "reach", "V", SN_IN_RULE, SN_TY_REACH, 6, "sn_reach(g, $0)",      \
      NULL, "the reals that it may be")                                        \
    X(MEET, "meet", "RR", SN_IN_RULE, SN_TY_RANGE, 3, "sn_meet($0, $1)", NULL, \
      "saturates to the second, then to the first")                            \
    X(IMAGE, "image", "RTT", SN_IN_RULE, SN_TY_RANGE, 7, NULL, NULL,           \
      "a clamp as it is after a conversion")                                   \
    X(BOUNDS, "bounds", "TOO", SN_IN_RULE, SN_TY_RANGE, 3, NULL, NULL,         \
      "a clamp of codes whose reals lie between two numbers")                  \
    X(HAS, "has", "VA", SN_IN_RULE, SN_TY_BOOL, 3, NULL, NULL,                 \
      "has the node that attribute?")                                          \
    X(SUPPORTS, "supports", "KE", SN_IN_RULE, SN_TY_BOOL, 5, NULL, NULL,       \
      "has the backend the kind on that type?")                                \
    X(FOLD, "fold", "V", SN_IN_RULE, SN_TY_VALUE, 3, NULL, NULL,               \
      "the constant that it is")                                               \
    X(REGRID, "regrid", "V", SN_IN_RULES, SN_TY_VALUE, 3, NULL, NULL,          \
      "a bias on its new grid")

/* Elsewhere: X(ID, word, meaning). */
#define SN_OTHER_FNS(X)                                                  \
    X(SEM, "sem", "which nodes: of that class of meaning")               \
    X(SAME, "same", "which nodes: the ports are `same`")                 \
    X(FREE, "free", "which nodes: the ports are `free`")                 \
    X(LAYOUT, "layout", "which nodes: a Transpose may move below")       \
    X(QUANT, "quant", "a type: codes of that size, maybe along an axis") \
    X(FUSED, "fused", "a type: rows with scale and offset of their own") \
    X(ALL, "all", "what a backend supports")

/* How shr and div round: X(ID, word, meaning); num.h has sn_quot_ and the word
 * for each. */
#define SN_MODES(X)                                    \
    X(FLOOR, floor, "the integer below")               \
    X(ZERO, zero, "toward zero")                       \
    X(HALF_UP, half_up, "to nearest, ties upward")     \
    X(HALF_AWAY, half_away, "to nearest, ties from 0") \
    X(HALF_EVEN, half_even, "to nearest, ties to even")
#define SN_MODE_ID(ID, ...) SN_MODE_##ID,
typedef enum SnMode { SN_MODE_NONE, SN_MODES(SN_MODE_ID) } SnMode;
enum { SN_NMODE = 1 SN_MODES(SN_LANG_ONE) };
#undef SN_MODE_ID
extern const char *const sn_mode_words[SN_NMODE];
SnMode sn_mode_named(const char *s);

/* Of formulas, on integers of 64 bits: X(ID, word, arguments, C, type,
 * meaning).  Arguments: I an int, M a mode, W a width of 1 to 64 bits, R a
 * real, N a number.  With a mode C gives what the mode rounds. */
#define SN_WHOLE_FNS(X)                                                        \
    X(SHR, "shr", "IIM", "sn_quot_shr", SN_TY_INT, "shr(v, n, mode): v / 2^n") \
    X(DIV, "div", "IIM", "sn_quot_div", SN_TY_INT, "div(a, b, mode): a / b")   \
    X(SHL, "<<", "II", "sn_int_shl", SN_TY_INT, "v << n: v * 2^n")             \
    X(SAT, "sat", "IW", "sn_int_sat", SN_TY_INT, "saturated to so many bits")  \
    X(WRAP, "wrap", "IW", "sn_int_wrap", SN_TY_INT, "modulo 2^bits")           \
    X(RNE, "rne", "R", "sn_int_rne", SN_TY_INT, "the nearest int")             \
    X(F32, "f32", "N", NULL, SN_TY_REAL, "as binary32")

/* Only for rows of arithmetics: X(ID, word, arguments, C, type, meaning). */
#define SN_ROW_FNS(X)                                                       \
    X(MULSHR, "mulshr", "IIIM", "sn_quot_mulshr", SN_TY_INT,                \
      "mulshr(a, b, n, mode): a * b / 2^n, the product exact")              \
    X(FMA, "fma", "RRR", "fmaf", SN_TY_REAL, "fma(a, b, c): a * b + c")     \
    X(EXPONENT, "exponent", "R", "sn_exponent", SN_TY_INT,                  \
      "exponent(r): n where 2^n <= |r| < 2^(n + 1)")                        \
    X(LDEXP, "ldexp", "RI", "sn_ldexp", SN_TY_REAL, "ldexp(r, n): r * 2^n") \
    X(LUT, "lut", "WWM", NULL, SN_TY_INT,                                   \
      "lut(n, linear, mode): a function by n entries")

#define SN_FN_ID(ID, ...) SN_FN_##ID,
typedef enum SnFn {
    SN_FN_NONE, /* the name of a type, or unknown */
    SN_FORMULA_FNS(SN_FN_ID) SN_GUARD_FNS(SN_FN_ID) SN_NUMBER_FNS(SN_FN_ID)
        SN_OTHER_FNS(SN_FN_ID) SN_WHOLE_FNS(SN_FN_ID) SN_ROW_FNS(SN_FN_ID)
} SnFn;
enum {
    SN_NFN = 1 SN_FORMULA_FNS(SN_LANG_ONE) SN_GUARD_FNS(SN_LANG_ONE)
        SN_NUMBER_FNS(SN_LANG_ONE) SN_OTHER_FNS(SN_LANG_ONE)
            SN_WHOLE_FNS(SN_LANG_ONE) SN_ROW_FNS(SN_LANG_ONE)
};

/* The cases of a switch for the functions that are not allowed there. */
#define SN_FN_CASE(ID, ...) case SN_FN_##ID:
#define SN_CASE_NO_FORMULA   \
    SN_GUARD_FNS(SN_FN_CASE) \
    SN_OTHER_FNS(SN_FN_CASE) \
    SN_ROW_FNS(SN_FN_CASE)   \
    case SN_FN_NONE
#define SN_CASE_NO_GUARD       \
    SN_FORMULA_FNS(SN_FN_CASE) \
    SN_OTHER_FNS(SN_FN_CASE)   \
    SN_WHOLE_FNS(SN_FN_CASE)   \
    SN_ROW_FNS(SN_FN_CASE)     \
    case SN_FN_NONE

typedef struct SnFnWord {
    const char *word;
    uint8_t min, max;        /* arguments in a formula; max 0: not in
                                formulas */
    const char *formula;     /* C there */
    const char *whole;       /* of SN_WHOLE_FNS: arguments there */
    const char *row_c, *row; /* of SN_ROW_FNS: C, and arguments */
    const char *args;        /* elsewhere */
    unsigned in;             /* bit per SnScopeKind: these places */
    SnTy ty;
    int cost;               /* of a test */
    const char *rule, *inv; /* C there */
    const char *doc;
} SnFnWord;
extern const SnFnWord sn_fns[SN_NFN];
/* The first with that word, SN_FN_NONE where there is none. */
SnFn sn_fn_named(const char *s);

/* With one argument a value of the map's set? */
static inline bool
sn_fn_reduces(SnFn f)
{
    return f == SN_FN_SUM || f == SN_FN_MEAN || f == SN_FN_MAX ||
           f == SN_FN_MIN || f == SN_FN_ARGMAX || f == SN_FN_ARGMIN;
}

/* ---- other words ---- */

/* Members, values and flags that are only a name. */
#define SN_WORDS(X)                                                            \
    X(TYPE, "type", "x.type: the type of a value")                             \
    X(SCALE, "scale", "x.scale: of its type")                                  \
    X(ZP, "zp", "x.zp: of its type")                                           \
    X(CALIBRATED, "calibrated", "may its saturation be dropped?")              \
    X(CLAMP, "clamp", "an attribute: the saturation of the first result")      \
    X(ROUND, "round", "an attribute: before or after the zero point is added") \
    X(ZP_SHIFT, "zp_shift", "an attribute: what that adds to zero points")     \
    X(BEFORE, "before", "round: the zero point is added to the code")          \
    X(AFTER, "after", "round: the zero point is added before rounding")        \
    X(FULL, "full", "a clamp that cuts nothing off")                           \
    X(OUTPUT, "output", "which nodes: the first result")                       \
    X(INPUTS, "inputs", "which nodes: some operand")                           \
    X(AXIS, "axis", "of a type: has a scale for each slice")                   \
    X(SPLAT, "splat", "tests: a constant of one element")                      \
    X(DATA, "data", "tests: the elements of a constant")                       \
    X(NOTHING, "nothing", "tests: no saturation may be dropped")               \
    X(FIRST, "first", "ties: of equal values the first")                       \
    X(LAST, "last", "ties: of equal values the last")                          \
    X(INF, "inf", "maps: above every real")                                    \
    X(IO, "io", "an effect: the program sees it")                              \
    X(LOWER, "lower", "a hook of backends")                                    \
    X(ELEMENTS, "elements", "what 'place' minimizes")                          \
    X(REFLECT, "reflect", "of map pad: the prover's draws keep to its limits")
/* Rows of arithmetic that `by` names. */
#define SN_ROWS(X)                                                  \
    X(LRN, "lrn", "local response normalization")                   \
    X(SOFTMAX, "softmax", "of codes")                               \
    X(NORMALIZE, "normalize", "of codes: to mean 0 and variance 1") \
    X(RMS, "rms", "of codes: to mean square 1")
#define SN_ROW_ID(ID, ...) SN_ROW_##ID,
typedef enum SnRow { SN_ROW_NONE, SN_ROWS(SN_ROW_ID) } SnRow;
enum { SN_NROW = 1 SN_ROWS(SN_LANG_ONE) };
#undef SN_ROW_ID
extern const char *const sn_row_words[SN_NROW];
SnRow sn_row_named(const char *s);

/* Types of parameters of maps: X(ID, word, type in expressions, may it be a
 * list, does it refer to an operand: axis(x)). */
#define SN_MAP_TYPES(X)                       \
    X(INT, "int", SN_TY_INT, true, false)     \
    X(BOOL, "bool", SN_TY_BOOL, false, false) \
    X(REAL, "real", SN_TY_REAL, true, false)  \
    X(ENUM, "enum", SN_TY_ENUM, false, false) \
    X(AXIS, "axis", SN_TY_INT, false, true)   \
    X(AXES, "axes", SN_TY_INT, false, true)   \
    X(CODE, "code", SN_TY_CODE, false, false) /* of an operand's elements */
#define SN_MAP_TYPE_ID(ID, ...) SN_MT_##ID,
typedef enum SnMapType { SN_MT_NONE, SN_MAP_TYPES(SN_MAP_TYPE_ID) } SnMapType;
enum { SN_NMAPTYPE = 1 SN_MAP_TYPES(SN_LANG_ONE) };
#undef SN_MAP_TYPE_ID
typedef struct SnMapTypeWord {
    const char *word;
    SnTy ty;
    bool list, of;
} SnMapTypeWord;
extern const SnMapTypeWord sn_map_types[SN_NMAPTYPE];
SnMapType sn_map_type_named(const char *s);

/* Maps that C knows by name: those of maps.def for which the prover has its own
 * draws, and those that a family is about.  What a map does comes from its
 * declaration, never from here. */
#define SN_KNOWN_MAPS(X)                \
    X(EACH, "each")                     \
    X(FILL, "fill")                     \
    X(BROADCAST, "broadcast")           \
    X(CONV, "conv")                     \
    X(CONV_TRANSPOSE, "conv_transpose") \
    X(MATMUL, "matmul")                 \
    X(POOL, "pool")                     \
    X(ROW, "row")                       \
    X(REDUCE, "reduce")                 \
    X(WINDOW_CHANNEL, "window_channel") \
    X(PERMUTE, "permute")               \
    X(RESHAPE, "reshape")               \
    X(CONCAT, "concat")                 \
    X(SLICE, "slice")                   \
    X(TILE, "tile")                     \
    X(FLIP, "flip")                     \
    X(SPACE_TO_DEPTH, "space_to_depth") \
    X(DEPTH_TO_SPACE, "depth_to_space") \
    X(PAD, "pad")                       \
    X(GATHER, "gather")                 \
    X(NEAREST, "nearest")               \
    X(TABLE, "table")                   \
    X(BAG, "bag")                       \
    X(TOPK, "topk")
#define SN_MAP_ID(ID, ...) SN_MW_##ID,
typedef enum SnMapWord { SN_MW_NONE, SN_KNOWN_MAPS(SN_MAP_ID) } SnMapWord;
enum { SN_NMAPWORD = 1 SN_KNOWN_MAPS(SN_LANG_ONE) };
#undef SN_MAP_ID
SnMapWord sn_known_map(const char *s);

#define SN_WORD_ID(ID, ...) SN_W_##ID,
typedef enum SnWord { SN_W_NONE, SN_WORDS(SN_WORD_ID) } SnWord;
enum { SN_NWORD = 1 SN_WORDS(SN_LANG_ONE) };
extern const char *const sn_words[SN_NWORD];
SnWord sn_word_named(const char *s);

#endif
