// SPDX-License-Identifier: Apache-2.0
/* The export of one graph, as the mapping and the hooks see it.  A value of
 * the graph may exist as several tensors: with its axes in another order, as
 * codes or as the reals they mean.  Each reader of a value says in which form;
 * a missing Transpose or DequantizeLinear is written then, once. */
#ifndef SN_EXPORT_PRIV_H
#define SN_EXPORT_PRIV_H

#include "base/data.h"
#include "base/hashes.h"
#include "graph/desc.h"
#include "onnx/export/export.h"
#include "onnx.pb-c.h"

typedef enum SnExportAs {
    SN_EXPORT_REAL, /* plain elements; the reals that codes mean */
    SN_EXPORT_CODE, /* codes as they are stored */
    SN_EXPORT_U8    /* 8-bit codes + 128, with a scale or without one */
} SnExportAs;

/* Axis i of the tensor is axis perm[i] of the value, which is first brought
 * to this rank by leading axes of 1.  Rank 0 of a Constant of more: its only
 * or first element. */
typedef struct SnExportForm {
    SnExportAs as;
    int rank;
    int perm[SN_MAXRANK];
    const char *name;
    struct SnExportForm *next; /* in order of creation */
} SnExportForm;

/* A tensor that takes the name of a graph output. */
typedef struct SnExportWish {
    SnExportForm form;
    bool met;
    struct SnExportWish *next; /* of the same value, in order */
} SnExportWish;

typedef struct SnExportName { /* a name in use or kept for a value */
    const char *name;
    SnRef owner;
    bool taken;
    unsigned tried; /* suffixes ".1" to this are in use */
    struct SnExportName *next;
} SnExportName;

typedef struct SnExportParam { /* scale or zero point, shared by type */
    const SnType *type;
    int part;
    const char *name;
} SnExportParam;

typedef struct SnExport {
    SnArena *a;
    SnDiag *d;
    const SnGraph *g;
    const char *file;
    SnOnnxForm form;
    int opset;
    SnExportAs codes; /* how qi8 values are written in this model */
    bool *u8;         /* [nnode] codes without a scale that are uint8 there */
    const char **domain; /* used in addition to ONNX's own */
    uint32_t ndomain;
    size_t nsplat;     /* bytes of initializers of one repeated element */
    uint32_t nrounded; /* nodes that round after, written as before */
    SnId rounded;
    SnOnnxTwins twins; /* bounds of the nodes so far */
    Onnx__NodeProto **node;
    uint32_t nnode;
    Onnx__TensorProto **init;
    uint32_t ninit;
    SnExportForm **value; /* [by SnRef] tensors of a value so far */
    SnExportWish **wish;  /* [by SnRef] */
    SnExportName **bucket;
    size_t nbucket; /* a power of two */
    SnExportParam *param;
    uint32_t nparam;
    SnHashes of_param; /* by type and part */
    /* the current node */
    SnId id;
    const SnNode *n;
    const SnKindDesc *kd;
    const SnOnnxDesc *e; /* its line of nodes.def, or NULL */
    void *attr;          /* its attributes, in the order of axes written */
    SnExportAs as;       /* how quantized operands and results are */
    const char *where;
} SnExport;

typedef SnStatus SnExportHook(SnExport *x);
/* Writes the node as an operator on codes; *done false: no operator computes
 * the same. */
typedef SnStatus SnExportCodes(SnExport *x, bool *done);

/* An error about the current node; returns SN_EUNSUPPORTED. */
SnStatus sn_export_refuse(SnExport *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- names and tensors (export_val.c) ---- */
void sn_export_keep(SnExport *x, const char *name, SnRef owner);
/* The name if it is kept for the owner and not taken, or new; else NULL. */
const char *sn_export_own(SnExport *x, const char *name, SnRef owner);
/* base, or base with the first free suffix ".1", ".2", ... */
const char *sn_export_fresh(SnExport *x, const char *base);
/* A fresh name made of the node's and a part: "conv1.pads". */
const char *sn_export_part(SnExport *x, const char *part);

Onnx__NodeProto *sn_export_node(SnExport *x, const char *domain, const char *op,
                                uint32_t nin, const char *const *in,
                                const char *out);
void sn_export_attr_int(SnExport *x, Onnx__NodeProto *n, const char *name,
                        int64_t v);
void sn_export_attr_real(SnExport *x, Onnx__NodeProto *n, const char *name,
                         float v);
void sn_export_attr_str(SnExport *x, Onnx__NodeProto *n, const char *name,
                        const char *v);
void sn_export_attr_ints(SnExport *x, Onnx__NodeProto *n, const char *name,
                         SnInts v);
void sn_export_attr_reals(SnExport *x, Onnx__NodeProto *n, const char *name,
                          SnReals v);

/* An initializer; data is borrowed.  Returns the name. */
const char *sn_export_init(SnExport *x, const char *name, int dtype, int rank,
                           const int64_t *dim, const void *data, size_t nbyte);
const char *sn_export_ints(SnExport *x, const char *part, SnInts v);
const char *sn_export_real(SnExport *x, const char *part, float v);
/* One code of a quantized type, or one integer. */
const char *sn_export_one_code(SnExport *x, const char *part, const SnType *t,
                               SnExportAs as, int64_t code);
const char *sn_export_scale(SnExport *x, const SnType *t, const char *base);
const char *sn_export_zp(SnExport *x, const SnType *t, SnExportAs as,
                         const char *base);

/* TensorProto.DataType; 0: none. */
int sn_export_dtype(const SnType *t, SnExportAs as);
/* `as` if it makes a difference for values of this type. */
SnExportAs sn_export_as(const SnType *t, SnExportAs as);

/* The value behind Transposes; perm follows. */
SnRef sn_export_root(const SnExport *x, SnRef r, int rank, int *perm);
bool sn_export_constant(const SnExport *x, SnRef r); /* Constant or Splat */
/* The elements of a Constant or Splat in this order, fresh; dim gets the
 * dimensions. */
const void *sn_export_elements(SnExport *x, SnRef r, int rank, const int *perm,
                               int64_t *dim);
/* The tensor of a value; written now if it does not exist yet. */
const char *sn_export_get(SnExport *x, SnRef r, int rank, const int *perm,
                          SnExportAs as);
const char *sn_export_plain(SnExport *x, SnRef r,
                            SnExportAs as); /* in its own order */
/* The rank of operand s of a MatMul, and the order that its flag gives it. */
int sn_export_factor(SnExport *x, uint32_t s, int *perm);
/* The name that a new tensor of a value gets. */
const char *sn_export_name(SnExport *x, SnRef r, int rank, const int *perm,
                           SnExportAs as);
void sn_export_add(SnExport *x, SnRef r, int rank, const int *perm,
                   SnExportAs as, const char *name);
/* DequantizeLinear or QuantizeLinear of a value; `as` is the form of the
 * codes. */
void sn_export_convert(SnExport *x, const char *op, SnRef r, int rank,
                       const int *perm, SnExportAs as, const char *from,
                       const char *to);
extern const int sn_export_identity[SN_MAXRANK];
bool sn_export_same(int rank, const int *p, const int *q);

/* ---- what callers bind (export_plain.c) ---- */
bool sn_export_bound_u8(const SnNode *n);
/* The TensorProto.DataType of an input or output n whose reals, of type t here,
 * have another width for callers; 0: the width of t. */
int sn_export_bound_real(const SnNode *n, const SnType *t);
void sn_export_cast_real(SnExport *x, const char *from, const char *to,
                         int dtype);
/* Fills x->u8; x->codes is known. */
void sn_export_find_u8(SnExport *x, const SnId *topo, uint32_t n);
/* Is node id the only reader of v, not counting the node that adds or subtracts
 * 128? */
bool sn_export_reads_past(const SnExport *x, SnId id, SnRef *v);
/* Writes the current node if it casts to or from uint8; otherwise sets x->as
 * for a move of such elements. */
bool sn_export_put_u8(SnExport *x);
/* The tensor of plain codes r, made from the existing one of the other
 * signedness. */
const char *sn_export_other_sign(SnExport *x, SnRef r, int rank,
                                 const int *perm, SnExportAs as);

/* ---- bounds (export_twin.c) ---- */
void sn_export_twin(SnExport *x, SnId id); /* of a written node */
void sn_export_metadata(SnExport *x, Onnx__ModelProto *m);

/* ---- a node (export_map.c) ---- */
/* The order of axes for a node whose map lets Transposes through: one in which
 * operands are available.  x->attr is renumbered for it. */
void sn_export_choose(SnExport *x, int *perm);
/* An order in which the operand has a tensor; its own order if it has one in
 * that. */
void sn_export_available_order(SnExport *x, uint32_t slot, int *perm);
const char *sn_export_operand(SnExport *x, uint32_t slot, const int *perm,
                              SnExportAs as);
/* Result k: the name its operator writes, and what follows it (clamp,
 * QuantizeLinear). */
const char *sn_export_open(SnExport *x, uint32_t k, const int *perm);
void sn_export_close(SnExport *x, uint32_t k, const int *perm, const char *got);
/* ONNX's order of a port with this layout. */
bool sn_export_layout(const SnExport *x, const char *port, int rank, int *perm);
/* Is the line of the opset that is written? */
bool sn_export_has_line(const SnExport *x, const SnOnnxDesc *e);
/* Writes the attributes that the line of nodes.def gives, for an operator that
 * has all of them except those that come later. */
SnStatus sn_export_attrs(SnExport *x, Onnx__NodeProto *n);
/* The version of a domain in models that are written. */
int sn_export_version(const SnExport *x, const char *domain);
SnStatus sn_export_map(SnExport *x); /* by the line of nodes.def */
/* by a line that is a term of one node (export_ops.c) */
SnStatus sn_export_term(SnExport *x);
bool sn_export_is_default(const SnExport *x, const char *attr);
const void *sn_export_attr(const SnExport *x, const char *attr,
                           SnAttrKind kind);
bool sn_export_rounds_after(const SnExport *x);

/* ---- hooks (export_ops.c, export_fn.c, export_qop.c) ---- */
/* Found by the name of a kind, or by the hook that imports its operator; NULL:
 * none. */
SnExportHook *sn_export_hook(const char *kind);
SnExportHook *sn_export_read_by(SnOnnxHook *read);
/* export_fn.c */
SnExportHook sn_export_cast, sn_export_codes, sn_export_label,
    sn_export_conv_transpose, sn_export_depth_to_space, sn_export_reduce,
    sn_export_arg, sn_export_normalize, sn_export_rms, sn_export_difference,
    sn_export_conv_integer, sn_export_matmul_integer;
extern SnExportHook sn_export_embedding_sum;             /* export_bag.c */
extern SnExportHook sn_export_batch_norm, sn_export_lrn; /* export_norm.c */
SnExportCodes *sn_export_codes_hook(const SnExport *x);
/* Does ONNX Runtime run this operator on 8-bit codes? */
bool sn_export_runs_codes(SnOnnxOp op);

#endif
