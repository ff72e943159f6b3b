// SPDX-License-Identifier: Apache-2.0
/* Words of declarations that both programs know: sinter-gen reads them, the
 * tables that it writes and the program that compiles models name their
 * numbers.  One list each; what a word is called elsewhere stands in its row.
 * Arrays by these numbers are in lang.c. */
#ifndef SN_LANG_H
#define SN_LANG_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_LANG_ID(ID, ...) SN_##ID,
#define SN_LANG_ONE(...) +1

/* Element types: X(ID, in graphs, as declared, in messages of the prover,
 * in C). */
#define SN_ELEMS(X)                                                \
    X(F32, "f32", "f32", "f32", "float")                           \
    X(F16, "f16", "f16", "f16", "uint16_t") /* storage */          \
    X(QI8, "qi8", "quant(i8)", "q8", "int8_t")                     \
    X(QI16, "qi16", "quant(i16)", "q16", "int16_t")                \
    X(QI32, "qi32", "quant(i32)", "q32", "int32_t")                \
    /* rows of u8 codes, each followed by its f32 scale, offset */ \
    X(ROW8, "row8", "fused(u8)", "row8", "uint8_t")                \
    X(I8, "i8", "i8", "i8", "int8_t")                              \
    X(I32, "i32", "i32", "i32", "int32_t")                         \
    X(I64, "i64", "i64", "i64", "int64_t")                         \
    X(BOOL, "bool", "bool", "bool", "bool")
typedef enum SnElem { SN_ELEMS(SN_LANG_ID) SN_NELEM } SnElem;
/* The element of a port that a tuple leaves out. */
enum { SN_ABSENT = -1 };
typedef struct SnElemWord {
    const char *name, *word, *brief, *c;
    const char *id; /* "SN_QI8" */
} SnElemWord;
extern const SnElemWord sn_elem_words[SN_NELEM];
/* The one that is declared so, "f32" or "quant(i8)"; SN_ABSENT: none. */
int sn_elem_declared(const char *word);

/* How a type is written: int, int[], range(y), enum {..}. */
typedef enum SnTypeForm {
    SN_TF_PLAIN,
    SN_TF_LIST,
    SN_TF_OF,
    SN_TF_WORDS
} SnTypeForm;
/* Types of attributes: X(ID, as declared, its form, in C). */
#define SN_ATTR_KINDS(X)                                          \
    X(A_INT, "int", PLAIN, "int64_t ")                            \
    X(A_REAL, "real", PLAIN, "float ")                            \
    X(A_BOOL, "bool", PLAIN, "bool ")                             \
    X(A_STR, "str", PLAIN, "const char *") /* never NULL */       \
    X(A_ENUM, "enum", WORDS, "int32_t ")   /* index into words */ \
    X(A_INTS, "int", LIST, "SnInts ")                             \
    X(A_REALS, "real", LIST, "SnReals ")                          \
    X(A_TYPE, "type", PLAIN, "const SnType *")                    \
    X(A_RANGE, "range", OF, "SnRange ")
typedef enum SnAttrKind { SN_ATTR_KINDS(SN_LANG_ID) } SnAttrKind;
enum { SN_NATTRKIND = 0 SN_ATTR_KINDS(SN_LANG_ONE) };
typedef struct SnAttrKindWord {
    const char *word, *c, *id;
    SnTypeForm form;
} SnAttrKindWord;
extern const SnAttrKindWord sn_attr_kind_words[SN_NATTRKIND];
/* The one with that word and form, SN_NATTRKIND where there is none. */
int sn_attr_kind_declared(const char *word, SnTypeForm form);

/* What a port says of its scale: X(ID, as declared, the meaning). */
#define SN_FACTS(X)                                         \
    X(FACT_NONE, "nothing", "never quantized")              \
    X(FREE, "free", "any scale will do")                    \
    X(SAME, "same", "codes are read raw, the scales agree") \
    X(FIXED, "fixed", "this scale and zero point")          \
    X(PIN, "pin", "the product of other ports' scales")     \
    X(GIVEN, "given", "no rewrite changes its type")
typedef enum SnFact { SN_FACTS(SN_LANG_ID) } SnFact;
enum { SN_NFACT = 0 SN_FACTS(SN_LANG_ONE) };
typedef struct SnLangWord {
    const char *word, *doc, *id;
} SnLangWord;
extern const SnLangWord sn_fact_words[SN_NFACT];

/* Classes of meaning: X(ID, as declared, the meaning). */
#define SN_CLASSES(X)                                       \
    X(C_SOURCE, "source", "data, not computed")             \
    X(C_CONVERT, "convert", "from one type to another")     \
    X(C_CONTRACT, "contract", "a sum of products")          \
    X(C_POINT, "point", "element by element")               \
    X(C_WINDOW, "window", "over a set of elements")         \
    X(C_MOVE, "move", "codes as they are, in other places") \
    X(C_OPAQUE, "opaque", "no formula")
typedef enum SnClass { SN_CLASSES(SN_LANG_ID) } SnClass;
enum { SN_NCLASS = 0 SN_CLASSES(SN_LANG_ONE) };
extern const SnLangWord sn_class_words[SN_NCLASS];

/* What a rule promises: X(ID, as declared, the meaning). */
#define SN_CLAIMS(X)                                                   \
    X(CLAIM_NONE, "nothing", "changes only an interface; opt-in only") \
    X(CLAIM_EXACT, "exact", "the same codes")                          \
    X(CLAIM_WITHIN, "within", "n lsb")                                 \
    X(CLAIM_REFINES, "refines", "no worse in the worst case")          \
    X(CLAIM_REAL, "real", "within E of the largest |value|; f32")      \
    X(CLAIM_LOSSY, "lossy", "what it says; opt-in only")
typedef enum SnClaimKind { SN_CLAIMS(SN_LANG_ID) } SnClaimKind;
enum { SN_NCLAIM = 0 SN_CLAIMS(SN_LANG_ONE) };
extern const SnLangWord sn_claim_words[SN_NCLAIM];

/* Families of rules: X(ID, as declared or "", the meaning). */
#define SN_FAMILIES(X)                                     \
    X(FAM_WRITTEN, "", "a rule as written")                \
    X(FAM_ABSORB, "absorb", "a Rescale into an input")     \
    X(FAM_MERGE, "merge", "a Rescale into the producer")   \
    X(FAM_SINK, "sink", "a Rescale moves below")           \
    X(FAM_LAYOUT, "", "sink Transpose")                    \
    X(FAM_REGROUP, "", "sink Reshape")                     \
    X(FAM_DEQUANT, "", "sink Dequantize")                  \
    X(FAM_INTEGERIZE, "integerize", "the quantized tuple") \
    X(FAM_LOWER, "", "a node into its components")         \
    X(FAM_CUSTOM, "", "a rule in C")
typedef enum SnFamilyId { SN_FAMILIES(SN_LANG_ID) } SnFamilyId;
enum { SN_NFAM = 0 SN_FAMILIES(SN_LANG_ONE) };
extern const SnLangWord sn_family_words[SN_NFAM];

/* The row with that word among n, n where there is none. */
size_t sn_lang_named(const SnLangWord *v, size_t n, const char *s);

#ifdef __cplusplus
}
#endif

#endif
