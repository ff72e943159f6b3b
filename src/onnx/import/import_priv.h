// SPDX-License-Identifier: Apache-2.0
/* The import of one model, as the mapping and the hooks see it.  A hook is
 * named in nodes.def; it maps a whole ONNX node, or works out one attribute or
 * result of a node that is otherwise mapped by its entries. */
#ifndef SN_HOOKS_H
#define SN_HOOKS_H

#include "base/data.h"
#include "base/file/file.h"
#include "graph/desc.h"
#include "onnx/import/import.h"
#include "onnx.pb-c.h"

/* An ONNX value as it is in the graph: axis i as stored is ONNX axis
 * perm[i]. */
typedef struct SnOxForm {
    int perm[SN_MAXRANK];
    SnRef ref;
    struct SnOxForm *next;
} SnOxForm;

/* Scales of codes, in sinter's terms: uint8 codes and zero points are shifted
 * by -128 already. */
typedef struct SnOxScales {
    SnElem elem;
    int axis; /* of the ONNX value; -1 per tensor */
    uint32_t n;
    const float *scale; /* [n] */
    const int32_t *zp;  /* [n] */
    bool u8;            /* the file has uint8 or uint16 */
} SnOxScales;

typedef struct SnOxVal {
    const char *name;
    bool made;
    int rank; /* rank and dim are in ONNX's order, known once it is made */
    int64_t dim[SN_MAXRANK];
    const SnData *data;    /* known at import, or NULL; of an initializer
                              perhaps at any address, see sn_ox_settle */
    const SnOxScales *q;   /* data are codes; the value is what they mean */
    const char *data_name; /* name of the codes' own value, with q */
    SnOxForm *form;        /* made so far */
    const SnData *known;   /* of a form, when it was looked for */
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
    struct SnOxVal *next;             /* in its hash chain */
} SnOxVal;

/* Whether 8-bit results are uint8 in the file. */
typedef enum SnOxSign {
    SN_OX_AS_INPUTS, /* if an operand is */
    SN_OX_U8,
    SN_OX_I8
} SnOxSign;

struct SnOx;
struct SnOxCall;
typedef SnStatus SnOxHook(struct SnOx *x, const struct SnOxCall *c);

typedef struct SnOx {
    SnArena *a;
    SnDiag *d;
    SnGraph *g;
    const char *file, *dir;
    const SnOnnxOpts *opts;
    const Onnx__ModelProto *model;
    const Onnx__GraphProto *pb;
    SnOxVal **bucket; /* hash chains; nbucket is a power of two */
    size_t nbucket;
    uint64_t nbyte;         /* of tensors worked out at import */
    const char *other_real; /* an element type that is taken as f32 */
    const char *unsorted;   /* a node that stands before what it reads */
    const char *stale;      /* the first value whose shape is not what the
                               file says, in words, */
    uint32_t nstale;        /* and how many there are */
    SnMap map;              /* the file, where its initializers may lie */
    struct SnOxDims *dims;
    /* the node under way */
    const Onnx__NodeProto *n;
    const char *where; /* "m.onnx: node 'conv1' (Conv)" */
    int64_t version;   /* opset of its domain */
    bool *used;        /* [n_attribute] */
    SnOxSign sign;     /* of the 8-bit results of this node */
    SnOxHook *(*hook_named)(const char *name); /* NULL when unknown */
} SnOx;

/* m is NULL for a whole node; else the entry, attr the attribute struct being
 * filled, in the operands by slot. */
typedef struct SnOxCall {
    const SnOnnxDesc *desc;
    const SnOnnxMap *m;
    void *attr;
    uint32_t nin;
    SnRef *in; /* a hook may put another operand in place */
} SnOxCall;
/* NULL when unknown.  hooks.c; others ask x->hook_named. */
SnOxHook *sn_ox_hook_named(const char *name);

/* An error about the node under way; returns s. */
SnStatus sn_ox_fail(SnOx *x, SnStatus s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- attributes of the node (import_attr.c) ----
 * Each marks the attribute as used; def is the value of an absent one.  The
 * wrong type is an error. */
bool sn_ox_has_attr(const SnOx *x, const char *name);
SnStatus sn_ox_int(SnOx *x, const char *name, int64_t def, int64_t *out);
SnStatus sn_ox_real(SnOx *x, const char *name, float def, float *out);
SnStatus sn_ox_str(SnOx *x, const char *name, const char *def,
                   const char **out);
/* Absent: n is 0 and v NULL. */
SnStatus sn_ox_ints(SnOx *x, const char *name, SnInts *out);
SnStatus sn_ox_reals(SnOx *x, const char *name, SnReals *out);
SnStatus sn_ox_tensor(SnOx *x, const char *name, const SnData **out);
void sn_ox_ignore(SnOx *x, const char *name);
/* Refuses a node without an attribute that the standard wants. */
SnStatus sn_ox_attrs_needed(SnOx *x);
/* Refuses attributes that nothing used and that aren't at their default. */
SnStatus sn_ox_attrs_done(SnOx *x);

/* ---- element types (import_elem.c) ---- */
/* The type in which elements are seen here: of FLOAT16, BFLOAT16 and DOUBLE
 * that is f32, with a warning for the model.  *name is ONNX's name. */
SnDtype sn_ox_dtype(SnOx *x, int64_t number, const char **name);
/* The boundary of an input or output of these reals: the same words for
 * Placeholders and Saves. */
int32_t sn_ox_boundary(const Onnx__ValueInfoProto *vi);
/* The elements of t, as sn_tensor_pb gives them, in that type. */
SnStatus sn_ox_tensor_pb(SnOx *x, const Onnx__TensorProto *t, const char *where,
                         SnData *out);
/* Integers of 16 bits as int32, other unsigned ones as int64; what a graph
 * has is left as it is.  name is for the message. */
SnStatus sn_ox_wider(SnOx *x, const char *name, const SnData **t);

/* ---- values (import_val.c) ---- */
/* The graph's type of plain numbers for elements of a file, or NULL. */
const SnType *sn_ox_plain_type(SnOx *x, SnDtype t);
SnOxVal *sn_ox_val(SnOx *x, const char *name); /* NULL when unknown */
SnOxVal *sn_ox_new_val(SnOx *x, const char *name);
SnOxVal *sn_ox_in(SnOx *x, uint32_t i);  /* NULL: not given */
SnOxVal *sn_ox_out(SnOx *x, uint32_t k); /* NULL: not given or not used */
/* Input i must be given. */
SnStatus sn_ox_need(SnOx *x, uint32_t i, SnOxVal **out);
/* The value with its axes in ONNX's order, with channels last, or permuted;
 * a Transpose or a transposed Constant is made where that is needed. */
SnStatus sn_ox_plain(SnOx *x, SnOxVal *v, SnRef *out);
SnStatus sn_ox_last(SnOx *x, SnOxVal *v, SnRef *out);
SnStatus sn_ox_get(SnOx *x, SnOxVal *v, const int *perm, SnRef *out);
void sn_ox_last_perm(int rank, int *perm);
/* Elements of a value that is known at import, or NULL. */
const SnData *sn_ox_const(SnOx *x, SnOxVal *v);
/* t where its elements are aligned; else a copy that is. */
const SnData *sn_ox_settle(SnOx *x, const SnData *t);
/* Input i as integers, all known; absent: n is 0 and v NULL. */
SnStatus sn_ox_ints_in(SnOx *x, uint32_t i, const char *what, SnInts *out);
/* Input i as one real, known; absent: def. */
SnStatus sn_ox_real_in(SnOx *x, uint32_t i, const char *what, float def,
                       float *out);
/* The same in the elements of v: a code of v where v is codes. */
SnStatus sn_ox_real_like(SnOx *x, const SnOxVal *v, uint32_t i,
                         const char *what, float def, float *out);

/* ---- results ---- */
SnStatus sn_ox_put(SnOx *x, uint32_t k, SnRef ref);      /* ONNX's order */
SnStatus sn_ox_put_last(SnOx *x, uint32_t k, SnRef ref); /* channels last */
SnStatus sn_ox_put_data(SnOx *x, uint32_t k, const SnData *t);
SnStatus sn_ox_alias(SnOx *x, uint32_t k, SnOxVal *v);
/* Is t of the element type that is stated? */
bool sn_ox_elem_agrees(SnOx *x, const SnData *t,
                       const Onnx__ValueInfoProto *vi);
/* Memory for a tensor worked out at import, within the limit. */
SnStatus sn_ox_new_data(SnOx *x, SnDtype t, int rank, const int64_t *dim,
                        SnData **out);
/* The name wanted for result k, or for a part of it. */
const char *sn_ox_name(SnOx *x, uint32_t k);
const char *sn_ox_part(SnOx *x, const char *part);

/* ---- nodes ---- */
SnStatus sn_ox_kind(SnOx *x, const char *name, SnKind *out);
/* Adds a node; *out is its first result.  Types follow from the operands
 * unless s->type gives them. */
SnStatus sn_ox_add(SnOx *x, SnSpec *s, SnRef *out);
/* A Constant; data is borrowed. */
SnStatus sn_ox_constant(SnOx *x, const char *name, const SnType *t,
                        const SnShape *shape, const void *data, SnRef *out);
void *sn_ox_attr(SnOx *x, SnKind k); /* a struct with defaults */
void sn_ox_set_int(SnKind k, void *attr, const char *name, int64_t v);
void sn_ox_set_real(SnKind k, void *attr, const char *name, float v);
void sn_ox_set_ints(SnOx *x, SnKind k, void *attr, const char *name, uint32_t n,
                    const int64_t *v);
const SnInts *sn_ox_get_ints(SnKind k, const void *attr, const char *name);

/* ---- nodes put together (import_make.c) ---- */
/* attr NULL: defaults.  type NULL: it follows from the operands. */
SnStatus sn_ox_node(SnOx *x, const char *kind, const char *name, uint32_t nin,
                    SnRef *in, void *attr, const SnType *type, SnRef *out);
SnStatus sn_ox_unary(SnOx *x, const char *kind, const char *name, SnRef in,
                     SnRef *out);
SnStatus sn_ox_binary(SnOx *x, const char *kind, const char *name, SnRef a,
                      SnRef b, SnRef *out);
SnStatus sn_ox_cast(SnOx *x, const char *name, SnRef in, SnElem to, SnRef *out);
SnStatus sn_ox_reshaped(SnOx *x, const char *name, SnRef in, int rank,
                        const int64_t *dim, SnRef *out);
SnStatus sn_ox_permute(SnOx *x, const char *name, SnRef in, int rank,
                       const int *perm, SnRef *out);
/* n elements along one axis, from number `from` on. */
SnStatus sn_ox_box(SnOx *x, const char *name, SnRef in, int axis, int64_t from,
                   int64_t n, SnRef *out);
/* Constants; v is copied.  sn_ox_reals_room makes room for a v, within the
 * limit, all zeros. */
SnStatus sn_ox_reals_room(SnOx *x, int rank, const int64_t *dim, float **v);
SnStatus sn_ox_reals_const(SnOx *x, const char *name, int rank,
                           const int64_t *dim, const float *v, SnRef *out);
SnStatus sn_ox_scalar(SnOx *x, const char *name, float v, SnRef *out);
SnStatus sn_ox_int_const(SnOx *x, const char *name, SnElem e, int64_t v,
                         SnRef *out); /* e: SN_I32 or SN_I64 */
void sn_ox_set_flag(SnKind k, void *attr, const char *name, bool v);
/* The same for a word of the file; what is its attribute there. */
SnStatus sn_ox_set_word(SnOx *x, SnKind k, void *attr, const char *name,
                        const char *what, const char *word);
void sn_ox_set_enum(SnKind k, void *attr, const char *name, const char *word);

/* ---- codes (hooks_quant.c) ---- */
/* Is input i of the node codes whose scale and zero point are inputs too, and
 * which? */
bool sn_ox_code_slot(const Onnx__NodeProto *n, uint32_t i, uint32_t *scale,
                     uint32_t *zp);
/* Input i with the type that its scale and zero point give it, with axes
 * permuted (NULL: ONNX's order).  More than one scale lies along axis, -1:
 * there may be one only. */
SnStatus sn_ox_codes(SnOx *x, uint32_t i, int axis, const int *perm,
                     SnRef *out);
/* The type that inputs `scale` and `zp` give to result 0, and x->sign. */
SnStatus sn_ox_code_type(SnOx *x, uint32_t scale, uint32_t zp,
                         const SnType **out);
/* A plain 8-bit operand that is not changed by what reads it. */
SnStatus sn_ox_plain_codes(SnOx *x, SnOxVal *v, SnRef *out);
/* Unsigned codes, uint8 or uint16, as signed ones, or back. */
void sn_ox_shift_codes(SnDtype t, void *p, size_t nbyte);
/* The numbers that plain codes stand for, as f32 or integers. */
SnStatus sn_ox_code_numbers(SnOx *x, const char *name, SnRef in, bool u8,
                            SnElem to, SnRef *out);

/* ---- mapping ---- */
/* The line that maps operator `op` to this kind by its entries. */
const SnOnnxDesc *sn_ox_entries(SnKind kind, const char *op);
/* The attributes of a node of kind k (e's or a form of it) on these operands,
 * by the entries and attribute hooks of e. */
SnStatus sn_ox_entry_attrs(SnOx *x, const SnOnnxDesc *e, SnKind k, uint32_t nin,
                           SnRef *in, void **attr);
/* Result k: positions r in the NHWC picture `in` as positions in NCHW. */
SnStatus sn_ox_nchw_positions(SnOx *x, uint32_t k, SnRef r, SnRef in);
/* A one-dimensional picture is seen as one of height 1 (import_lift.c);
 * *done says whether the node was one. */
SnStatus sn_ox_lift(SnOx *x, const SnOnnxDesc *e, bool *done);
/* Element types that a node does not take, by casts (hooks_int.c). */
SnStatus sn_ox_other_types(SnOx *x, bool *done);
/* int32 modulo 256, as result 0 of 8 bits. */
SnStatus sn_ox_put_narrow(SnOx *x, SnRef y, bool u8);
/* Maps the node by its entries (import_map.c). */
SnStatus sn_ox_map(SnOx *x, const SnOnnxDesc *e);
/* The line of nodes.def for this operator and opset, or NULL; *other is a
 * line for another opset. */
const SnOnnxDesc *sn_ox_desc(const char *domain, const char *op,
                             int64_t version, const SnOnnxDesc **other);
/* Operators without a line (import_const.c); NULL when it is not one. */
typedef SnStatus SnOxOp(SnOx *x);
SnOxOp *sn_ox_structural(const char *op);
/* Works the node out when all its inputs are known; *done says whether. */
SnStatus sn_ox_fold(SnOx *x, bool *done);
bool sn_ox_foldable(const char *op);

/* Makes the Placeholder of an 8-bit input that waits, when the scale that the
 * node under way gives it is known already (hooks_quant.c). */
SnStatus sn_ox_code_input(SnOx *x, SnOxVal *v);

/* ---- moves of known tensors (import_const.c) ---- */
SnStatus sn_ox_permuted(SnOx *x, const SnData *t, const int *perm,
                        const SnData **out);
SnStatus sn_ox_sliced(SnOx *x, const SnData *t, const int64_t *start,
                      const int64_t *size, const int64_t *step,
                      const SnData **out);

static inline bool
sn_ox_is(const SnOx *x, const char *op)
{
    const char *s = x->n->op_type, *t = op;

    while (*s != '\0' && *s == *t)
        s++, t++;
    return *s == *t;
}

#endif
