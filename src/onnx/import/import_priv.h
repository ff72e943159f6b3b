// SPDX-License-Identifier: Apache-2.0
/* The import of one model, as the mapping and the hooks see it.  A hook is
 * named in nodes.def; it maps a whole ONNX node, or works out one attribute or
 * result of a node that is otherwise mapped by its entries. */
#ifndef SN_IMPORT_PRIV_H
#define SN_IMPORT_PRIV_H

#include "base/data.h"
#include "base/file/file.h"
#include "graph/desc.h"
#include "graph/late/late.h"
#include "onnx/import/import_opts.h"
#include "onnx.pb-c.h"

/* An ONNX value as it is in the graph: axis i as stored is ONNX axis
 * perm[i]. */
typedef struct SnImportForm {
    int perm[SN_MAXRANK];
    SnRef ref;
    struct SnImportForm *next;
} SnImportForm;

/* Scales of codes, in sinter's terms: uint8 codes and zero points are shifted
 * by -128 already. */
typedef struct SnImportScales {
    SnElem elem;
    int axis; /* of the ONNX value; -1 per tensor */
    uint32_t n;
    const float *scale; /* [n] */
    const int32_t *zp;  /* [n] */
    bool u8;            /* the file has uint8 or uint16 */
} SnImportScales;

typedef struct SnImportVal {
    const char *name;
    bool made;
    int rank; /* rank and dim are in ONNX's order, known once it is made */
    int64_t dim[SN_MAXRANK];
    const SnData *data;      /* known at import, or NULL; of an initializer
                                perhaps at any address, see sn_import_settle */
    const SnImportScales *q; /* data are codes; the value is what they mean */
    const char *data_name;   /* name of the codes' own value, with q */
    SnImportForm *form;      /* made so far */
    const SnData *known;     /* of a form, when it was looked for */
    bool looked;
    bool u8;            /* qi8 or i8 here, uint8 in the file: less 128;
                           or qi16 here, uint16 there: less 32768 */
    bool waits;         /* an 8-bit input, made by who gives it a scale */
    uint32_t maker;     /* node index + 1; 0: input or initializer */
    uint32_t nuse;      /* by nodes that matter, and as an output */
    uint32_t ncode;     /* of these, as codes with a scale beside them */
    uint32_t reader;    /* one of these nodes, */
    uint32_t reader_in; /* and its input number */
    bool is_output;
    const Onnx__ValueInfoProto *info; /* what the file says, or NULL */
    const Onnx__TensorProto *unread;  /* an initializer of elements that nothing
                                         here holds */
    struct SnImportVal *next;         /* in its hash chain */
} SnImportVal;

/* Whether 8-bit results are uint8 in the file. */
typedef enum SnImportSign {
    SN_IMPORT_AS_INPUTS, /* if an operand is */
    SN_IMPORT_U8,
    SN_IMPORT_I8
} SnImportSign;

typedef struct SnImport {
    SnArena *a;
    SnDiag *d;
    SnGraph *g;
    const char *file, *dir;
    const SnOnnxOpts *opts;
    const Onnx__ModelProto *model;
    const Onnx__GraphProto *pb;
    SnImportVal **bucket; /* hash chains; nbucket is a power of two */
    size_t nbucket;
    const char *other_real; /* an element type that is taken as f32 */
    const char *unsorted;   /* a node that stands before what it reads */
    const char *stale;      /* the first value whose shape is not what the
                               file says, in words, */
    uint32_t nstale;        /* and how many there are */
    SnFileMap map;          /* the file, where its initializers may lie */
    const void **copied;    /* large tensors in memory of a alone, which only */
    size_t ncopied;         /* Constants may refer to (import_own.c) */
    struct SnImportDims *dims;
    /* the node under way */
    const Onnx__NodeProto *n;
    SnOnnxOp op;
    const char *where; /* "m.onnx: node 'conv1' (Conv)" */
    int64_t version;   /* opset of its domain */
    bool *used;        /* [n_attribute] */
    SnImportSign sign; /* of the 8-bit results of this node */
} SnImport;

/* m is NULL for a whole node; else the entry, attr the attribute struct being
 * filled, in the operands by slot. */
typedef struct SnImportCall {
    const SnOnnxDesc *desc;
    const SnOnnxMap *m;
    void *attr;
    uint32_t nin;
    SnRef *in; /* a hook may put another operand in place */
} SnImportCall;

/* An error about the node under way; returns s. */
SnStatus sn_import_fail(SnImport *x, SnStatus s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- attributes of the node (import_attr.c) ----
 * Each marks the attribute as used; def is the value of an absent one.  The
 * wrong type is an error. */
bool sn_import_has_attr(const SnImport *x, const char *name);
SnStatus sn_import_int(SnImport *x, const char *name, int64_t def,
                       int64_t *out);
SnStatus sn_import_real(SnImport *x, const char *name, float def, float *out);
SnStatus sn_import_str(SnImport *x, const char *name, const char *def,
                       const char **out);
/* Absent: n is 0 and v NULL. */
SnStatus sn_import_ints(SnImport *x, const char *name, SnInts *out);
SnStatus sn_import_reals(SnImport *x, const char *name, SnReals *out);
SnStatus sn_import_tensor(SnImport *x, const char *name, const SnData **out);
void sn_import_ignore(SnImport *x, const char *name);
/* Refuses a node without an attribute that the standard requires. */
SnStatus sn_import_attrs_needed(SnImport *x);
/* Refuses attributes that nothing used and that aren't at their default. */
SnStatus sn_import_attrs_done(SnImport *x);

/* ---- element types (import_elem.c) ---- */
/* The type in which elements are seen here: of FLOAT16, BFLOAT16 and DOUBLE
 * that is f32, with a warning for the model.  *name is ONNX's name. */
SnDtype sn_import_dtype(SnImport *x, int64_t number, const char **name);
/* Elements of plain values of this type; of others SN_D_NONE. */
SnDtype sn_import_dtype_of(const SnType *t);
/* The boundary of an input or output of these reals: the same words for
 * Placeholders and Saves. */
int32_t sn_import_boundary(const Onnx__ValueInfoProto *vi);
/* The elements of t, as sn_tensor_pb gives them, in that type. */
SnStatus sn_import_tensor_pb(SnImport *x, const Onnx__TensorProto *t,
                             const char *where, SnData *out);
/* Integers of 16 bits as int32, other unsigned ones as int64; what a graph
 * has is left as it is.  name is for the message. */
SnStatus sn_import_wider(SnImport *x, const char *name, const SnData **t);

/* ---- values (import_val.c) ---- */
/* The graph's type of plain numbers for elements of a file, or NULL. */
const SnType *sn_import_plain_type(SnImport *x, SnDtype t);
SnImportVal *sn_import_val(SnImport *x,
                           const char *name); /* NULL when unknown */
SnImportVal *sn_import_new_val(SnImport *x, const char *name);
SnImportVal *sn_import_in(SnImport *x, uint32_t i); /* NULL: not given */
SnImportVal *sn_import_out(SnImport *x,
                           uint32_t k); /* NULL: not given or not used */
/* Input i must be given. */
SnStatus sn_import_need(SnImport *x, uint32_t i, SnImportVal **out);
/* The value with its axes in ONNX's order, with channels last, or permuted;
 * a Transpose or a transposed Constant is made where that is needed. */
SnStatus sn_import_plain(SnImport *x, SnImportVal *v, SnRef *out);
SnStatus sn_import_last(SnImport *x, SnImportVal *v, SnRef *out);
SnStatus sn_import_get(SnImport *x, SnImportVal *v, const int *perm,
                       SnRef *out);
void sn_import_last_perm(int rank, int *perm);
/* Elements of a value that is known at import, or NULL. */
const SnData *sn_import_const(SnImport *x, SnImportVal *v);
/* p, of n bytes, was allocated in x->a for the elements of values. */
void sn_import_copied(SnImport *x, const void *p, size_t n);
/* Once all nodes are there: which Constants own their data. */
void sn_import_own(SnImport *x);
/* t where its elements are aligned; else a copy that is. */
const SnData *sn_import_settle(SnImport *x, const SnData *t);
/* Input i as integers, all known; absent: n is 0 and v NULL. */
SnStatus sn_import_ints_in(SnImport *x, uint32_t i, const char *what,
                           SnInts *out);
/* Input i as one real, known; absent: def. */
SnStatus sn_import_real_in(SnImport *x, uint32_t i, const char *what, float def,
                           float *out);
/* The same in the elements of v: a code of v where v is codes. */
SnStatus sn_import_real_like(SnImport *x, const SnImportVal *v, uint32_t i,
                             const char *what, float def, float *out);

/* Unsigned codes, uint8 or uint16, as signed ones, or back. */
void sn_import_shift_codes(SnDtype t, void *p, size_t nbyte);

/* ---- results ---- */
SnStatus sn_import_put(SnImport *x, uint32_t k, SnRef ref); /* ONNX's order */
SnStatus sn_import_put_last(SnImport *x, uint32_t k,
                            SnRef ref); /* channels last */
SnStatus sn_import_put_data(SnImport *x, uint32_t k, const SnData *t);
SnStatus sn_import_alias(SnImport *x, uint32_t k, SnImportVal *v);
/* Is t of the element type that is stated? */
bool sn_import_elem_agrees(SnImport *x, const SnData *t,
                           const Onnx__ValueInfoProto *vi);
/* Memory for a tensor worked out at import, charged as folded. */
SnStatus sn_import_new_data(SnImport *x, SnDtype t, int rank,
                            const int64_t *dim, SnData **out);
/* A tensor of one repeated element; a large one takes no memory. */
SnStatus sn_import_splat(SnImport *x, SnDtype t, int rank, const int64_t *dim,
                         const void *one, SnData **out);
/* The name wanted for result k, or for a part of it. */
const char *sn_import_name(SnImport *x, uint32_t k);
const char *sn_import_part(SnImport *x, const char *part);

/* ---- nodes (import_add.c) ---- */
SnStatus sn_import_kind(SnImport *x, const char *name, SnKind *out);
/* Adds a node; *out is its first result.  Types follow from the operands
 * unless s->type gives them. */
SnStatus sn_import_add(SnImport *x, SnSpec *s, SnRef *out);
/* A Constant; data is borrowed. */
SnStatus sn_import_constant(SnImport *x, const char *name, const SnType *t,
                            const SnShape *shape, const void *data, SnRef *out);
void *sn_import_attr(SnImport *x, SnKind k); /* a struct with defaults */
void sn_import_set_int(SnKind k, void *attr, const char *name, int64_t v);
void sn_import_set_real(SnKind k, void *attr, const char *name, float v);
void sn_import_set_ints(SnImport *x, SnKind k, void *attr, const char *name,
                        uint32_t n, const int64_t *v);
const SnInts *sn_import_get_ints(SnKind k, const void *attr, const char *name);

/* ---- nodes put together (import_make.c) ---- */
/* attr NULL: defaults.  type NULL: it follows from the operands. */
SnStatus sn_import_node(SnImport *x, const char *kind, const char *name,
                        uint32_t nin, SnRef *in, void *attr, const SnType *type,
                        SnRef *out);
SnStatus sn_import_unary(SnImport *x, const char *kind, const char *name,
                         SnRef in, SnRef *out);
SnStatus sn_import_binary(SnImport *x, const char *kind, const char *name,
                          SnRef a, SnRef b, SnRef *out);
SnStatus sn_import_cast(SnImport *x, const char *name, SnRef in, SnElem to,
                        SnRef *out);
SnStatus sn_import_reshaped(SnImport *x, const char *name, SnRef in, int rank,
                            const int64_t *dim, SnRef *out);
SnStatus sn_import_permute(SnImport *x, const char *name, SnRef in, int rank,
                           const int *perm, SnRef *out);
/* n elements along one axis, from number `from` on. */
SnStatus sn_import_box(SnImport *x, const char *name, SnRef in, int axis,
                       int64_t from, int64_t n, SnRef *out);
/* Constants; v is copied.  sn_import_reals_room makes room for a v, charged as
 * folded, all zeros. */
SnStatus sn_import_reals_room(SnImport *x, int rank, const int64_t *dim,
                              float **v);
SnStatus sn_import_reals_const(SnImport *x, const char *name, int rank,
                               const int64_t *dim, const float *v, SnRef *out);
SnStatus sn_import_scalar(SnImport *x, const char *name, float v, SnRef *out);
SnStatus sn_import_int_const(SnImport *x, const char *name, SnElem e, int64_t v,
                             SnRef *out); /* e: SN_I32 or SN_I64 */
void sn_import_set_flag(SnKind k, void *attr, const char *name, bool v);
void sn_import_set_enum(SnKind k, void *attr, const char *name,
                        const char *word);

/* ---- codes (import_codes.c) ---- */
/* Is input i of the node codes whose scale and zero point are inputs too, and
 * which? */
bool sn_import_code_slot(const Onnx__NodeProto *n, uint32_t i, uint32_t *scale,
                         uint32_t *zp);
/* Scales and zero points at inputs is and iz, which must be constant.  codes is
 * the element type in the file.  More than one scale lies along axis of v; v
 * NULL: there is one. */
SnStatus sn_import_scales(SnImport *x, const SnImportVal *v, SnDtype codes,
                          uint32_t is, uint32_t iz, int64_t axis,
                          SnImportScales *q);
/* The type of codes of that rank whose axes were permuted (NULL: not), or
 * NULL. */
const SnType *sn_import_scales_type(SnImport *x, const SnImportScales *q,
                                    int rank, const int *perm);
/* Makes the Placeholder of an 8-bit input that waits, when the scale that the
 * node under way gives it is known already. */
SnStatus sn_import_code_input(SnImport *x, SnImportVal *v);
/* A waiting 8-bit input with these scales, or without one. */
SnStatus sn_import_make_input(SnImport *x, SnImportVal *v,
                              const SnImportScales *q);
SnStatus sn_import_plain_input(SnImport *x, SnImportVal *v);
/* The file's element type of a value of codes. */
SnStatus sn_import_codes_of(SnImport *x, const SnImportVal *v, SnDtype *out);
/* The codes `in` of v as type t. */
SnStatus sn_import_relabelled(SnImport *x, const SnImportVal *v, SnRef in,
                              const SnType *t, SnRef *out);
/* Input i with the type that its scale and zero point give it, with axes
 * permuted (NULL: ONNX's order).  More than one scale lies along axis, -1:
 * there may be one only. */
SnStatus sn_import_codes(SnImport *x, uint32_t i, int axis, const int *perm,
                         SnRef *out);
/* The type that inputs `scale` and `zp` give to result 0, and x->sign. */
SnStatus sn_import_code_type(SnImport *x, uint32_t scale, uint32_t zp,
                             const SnType **out);
/* A plain 8-bit operand that is not changed by what reads it. */
SnStatus sn_import_plain_codes(SnImport *x, SnImportVal *v, SnRef *out);
/* Plain codes as numbers, f32 or integers. */
SnStatus sn_import_code_numbers(SnImport *x, const char *name, SnRef in,
                                bool u8, SnElem to, SnRef *out);

/* ---- mapping ---- */
/* The line that maps the operator of this full name to this kind by its
 * entries. */
const SnOnnxDesc *sn_import_entries(SnKind kind, const char *op);
/* The attributes of a node of kind k (e's or a form of it) on these operands,
 * by the entries and attribute hooks of e. */
SnStatus sn_import_entry_attrs(SnImport *x, const SnOnnxDesc *e, SnKind k,
                               uint32_t nin, SnRef *in, void **attr);
/* The word of e's layout for a port, or NULL. */
const char *sn_import_layout_word(const SnOnnxDesc *e, const char *port);
/* The permutation for the layout that e's entries give a port, and its word;
 * NULL: as the file has it. */
SnStatus sn_import_layout(SnImport *x, const SnOnnxDesc *e, const char *port,
                          int rank, int *perm, const char **word);
/* The operands by slot that an operator on codes has, the type of its result
 * and the kind, e's or a form of it, that takes these types
 * (import_on_codes.c). */
SnStatus sn_import_on_codes(SnImport *x, const SnOnnxDesc *e, SnKind *kind,
                            uint32_t *nin, SnRef **in, const SnType **type);
/* k, or the form of it that takes operands and a result of these types. */
SnKind sn_import_form(SnImport *x, SnKind k, uint32_t nin, const SnRef *in,
                      const SnType *type);
/* Operand `port` of k, int32 at input i or nothing, on the grid that k pins it
 * to; of shape s, which has as many elements (NULL: as the file has it). */
SnStatus sn_import_pinned(SnImport *x, SnKind k, uint32_t nin, SnRef *in,
                          uint32_t port, uint32_t i, const SnShape *s);
/* Result k: positions r in the NHWC picture `in` as positions in NCHW. */
SnStatus sn_import_nchw_positions(SnImport *x, uint32_t k, SnRef r, SnRef in);
/* One attribute of the ONNX node into one of a node, at p. */
SnStatus sn_import_take_attr(SnImport *x, const SnAttrDesc *a, const char *onnx,
                             void *p);
/* Refuses another number of values than an attribute of a fixed one has. */
SnStatus sn_import_check_count(SnImport *x, const SnAttrDesc *a,
                               const char *what, uint32_t n);
/* Input number `input`, called name, into one at p, which stays as it is where
 * the node has no such input and the attribute a default. */
SnStatus sn_import_take_input(SnImport *x, const SnAttrDesc *a,
                              const char *name, uint32_t input, void *p);
/* Maps the node by e, of its operator and opset, or by a later declaration of
 * the same: a term over nodes (import_term.c). */
SnStatus sn_import_term(SnImport *x, const SnOnnxDesc *e);
/* The same of other operands, one for each that the node has. */
SnStatus sn_import_term_of(SnImport *x, const SnOnnxDesc *e, const SnRef *in,
                           const char *name, SnRef *out);
/* Is there one that names this type? */
bool sn_import_term_takes(const SnOnnxDesc *e, SnElem elem);
/* Maps the node by its entries (import_map.c). */
SnStatus sn_import_map(SnImport *x, const SnOnnxDesc *e);
/* The line of nodes.def for this operator and opset, or NULL; *other is a
 * line for another opset. */
const SnOnnxDesc *sn_import_desc(SnOnnxOp op, int64_t version,
                                 const SnOnnxDesc **other);
/* Adds what an operator of that line is to the graph. */
typedef SnStatus SnImportMake(SnImport *x, const SnOnnxDesc *e);
/* Evaluates the node, which `make` adds, at import where all its inputs are
 * known and the operator is one of those that are folded; *done says whether
 * (import_fold.c). */
SnStatus sn_import_fold(SnImport *x, SnImportMake *make, bool *done);

/* ---- moves of known tensors (import_const.c) ---- */
SnStatus sn_import_permuted(SnImport *x, const SnData *t, const int *perm,
                            const SnData **out);
/* As sn_import_permuted, for a late Constant, if the options allow it; *out has
 * its addresses as data.  NULL: t is small, is no weight of reals, or needs no
 * copy. */
SnLate *sn_import_late(SnImport *x, const SnData *t, const int *perm,
                       const SnData **out);
/* The data that the rows of l are read from. */
const void *sn_import_late_from(const SnLate *l);
SnStatus sn_import_sliced(SnImport *x, const SnData *t, const int64_t *start,
                          const int64_t *size, const int64_t *step,
                          const SnData **out);

/* ---- operators (import_node.c) ---- */
/* n's operator; "ai.onnx" is ONNX's own domain. */
SnOnnxOp sn_import_op_of(const Onnx__NodeProto *n);
/* Is the node under way the operator of this full name? */
static inline bool
sn_import_is(const SnImport *x, const char *op)
{
    return sn_onnx_is(x->op, op);
}

#endif
