// SPDX-License-Identifier: Apache-2.0
/* The export of one graph, as the mapping and the hooks see it.  A value of
 * the graph may exist as several tensors: with its axes in another order, as
 * codes or as what they mean.  Whoever reads a value says how; what is missing
 * (a Transpose, a DequantizeLinear) is written then, once. */
#ifndef SN_EXPORT_HOOKS_H
#define SN_EXPORT_HOOKS_H

#include "base/data.h"
#include "base/index.h"
#include "graph/desc.h"
#include "onnx/export/export.h"
#include "onnx.pb-c.h"

typedef enum SnXpAs {
    SN_XP_REAL, /* plain elements; the reals that codes mean */
    SN_XP_CODE, /* codes as they are stored */
    SN_XP_U8    /* 8-bit codes + 128, with a scale or without one */
} SnXpAs;

/* Axis i of the tensor is axis perm[i] of the value, which is first brought
 * to this rank by leading axes of 1.  Rank 0 of a Constant of more: its only
 * or first element. */
typedef struct SnXpForm {
    SnXpAs as;
    int rank;
    int perm[SN_MAXRANK];
    const char *name;
    struct SnXpForm *next; /* in order of making */
} SnXpForm;

/* A tensor that a graph output wants to be called by its name. */
typedef struct SnXpWish {
    SnXpForm form;
    bool met;
    struct SnXpWish *next; /* of the same value, in order */
} SnXpWish;

typedef struct SnXpName { /* a name in use or kept for a value */
    const char *name;
    SnRef owner;
    bool taken;
    unsigned tried; /* suffixes ".1" to this are in use */
    struct SnXpName *next;
} SnXpName;

typedef struct SnXpParam { /* scale or zero point, shared by type */
    const SnType *type;
    int part;
    const char *name;
} SnXpParam;

typedef struct SnXp {
    SnArena *a;
    SnDiag *d;
    const SnGraph *g;
    const char *file;
    SnOnnxForm form;
    int opset;
    SnXpAs codes;      /* how qi8 values are written in this model */
    bool *u8;          /* [nnode] codes without a scale that are uint8 there */
    bool microsoft;    /* an operator of com.microsoft is in use */
    uint32_t nrounded; /* nodes that round after, written as before */
    SnId rounded;
    Onnx__NodeProto **node;
    uint32_t nnode;
    Onnx__TensorProto **init;
    uint32_t ninit;
    SnXpForm **value; /* [by SnRef] tensors of a value so far */
    SnXpWish **wish;  /* [by SnRef] */
    SnXpName **bucket;
    size_t nbucket; /* a power of two */
    SnXpParam *param;
    uint32_t nparam;
    SnIndex of_param; /* by type and part */
    /* the node under way */
    SnId id;
    const SnNode *n;
    const SnKindDesc *kd;
    const SnOnnxDesc *e; /* its line of nodes.def, or NULL */
    void *attr;          /* its attributes, in the order of axes written */
    SnXpAs as;           /* how quantized operands and results are */
    const char *where;
} SnXp;

typedef SnStatus SnXpHook(SnXp *x);
/* Writes the node as an operator on codes; *done false: it has none that
 * computes the same. */
typedef SnStatus SnXpCodes(SnXp *x, bool *done);

/* An error about the node under way; returns SN_EUNSUPPORTED. */
SnStatus sn_xp_refuse(SnXp *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- names and tensors (export_val.c) ---- */
void sn_xp_keep(SnXp *x, const char *name, SnRef owner);
/* The name if it is kept for the owner and not taken, or new; else NULL. */
const char *sn_xp_own(SnXp *x, const char *name, SnRef owner);
/* base, or base with the first free suffix ".1", ".2", ... */
const char *sn_xp_fresh(SnXp *x, const char *base);
/* A fresh name made of the node's and a part: "conv1.pads". */
const char *sn_xp_part(SnXp *x, const char *part);

Onnx__NodeProto *sn_xp_node(SnXp *x, const char *domain, const char *op,
                            uint32_t nin, const char *const *in,
                            const char *out);
void sn_xp_attr_int(SnXp *x, Onnx__NodeProto *n, const char *name, int64_t v);
void sn_xp_attr_real(SnXp *x, Onnx__NodeProto *n, const char *name, float v);
void sn_xp_attr_str(SnXp *x, Onnx__NodeProto *n, const char *name,
                    const char *v);
void sn_xp_attr_ints(SnXp *x, Onnx__NodeProto *n, const char *name, SnInts v);
void sn_xp_attr_reals(SnXp *x, Onnx__NodeProto *n, const char *name, SnReals v);

/* An initializer; data is borrowed.  Returns the name. */
const char *sn_xp_init(SnXp *x, const char *name, int dtype, int rank,
                       const int64_t *dim, const void *data, size_t nbyte);
const char *sn_xp_ints(SnXp *x, const char *part, SnInts v);
const char *sn_xp_real(SnXp *x, const char *part, float v);
/* One code of a quantized type, or one integer. */
const char *sn_xp_one_code(SnXp *x, const char *part, const SnType *t,
                           SnXpAs as, int64_t code);
const char *sn_xp_scale(SnXp *x, const SnType *t, const char *base);
const char *sn_xp_zp(SnXp *x, const SnType *t, SnXpAs as, const char *base);

/* TensorProto.DataType; 0: none. */
int sn_xp_dtype(const SnType *t, SnXpAs as);
/* `as` where it makes a difference for values of this type. */
SnXpAs sn_xp_as(const SnType *t, SnXpAs as);

/* The value behind Transposes; perm follows. */
SnRef sn_xp_root(const SnXp *x, SnRef r, int rank, int *perm);
bool sn_xp_constant(const SnXp *x, SnRef r); /* Constant or Splat */
/* The elements of a Constant or Splat in this order, fresh; dim gets the
 * dimensions. */
const void *sn_xp_elements(SnXp *x, SnRef r, int rank, const int *perm,
                           int64_t *dim);
/* The tensor of a value; written now if there is none yet. */
const char *sn_xp_get(SnXp *x, SnRef r, int rank, const int *perm, SnXpAs as);
const char *sn_xp_plain(SnXp *x, SnRef r, SnXpAs as); /* in its own order */
/* The name that a new tensor of a value gets. */
const char *sn_xp_name(SnXp *x, SnRef r, int rank, const int *perm, SnXpAs as);
void sn_xp_add(SnXp *x, SnRef r, int rank, const int *perm, SnXpAs as,
               const char *name);
/* DequantizeLinear or QuantizeLinear of a value; as is that of the codes. */
void sn_xp_convert(SnXp *x, const char *op, SnRef r, int rank, const int *perm,
                   SnXpAs as, const char *from, const char *to);
extern const int sn_xp_identity[SN_MAXRANK];
bool sn_xp_same(int rank, const int *p, const int *q);

/* ---- what callers bind (export_plain.c) ---- */
bool sn_xp_bound_u8(const SnNode *n);
/* The TensorProto.DataType of an input or output n whose reals, of type t here,
 * have another width for callers; 0: it is as t says. */
int sn_xp_bound_real(const SnNode *n, const SnType *t);
void sn_xp_cast_real(SnXp *x, const char *from, const char *to, int dtype);
/* Fills x->u8; x->codes is known. */
void sn_xp_find_u8(SnXp *x, const SnId *topo, uint32_t n);
/* Does node id read v alone, past the node that adds or takes 128? */
bool sn_xp_reads_past(const SnXp *x, SnId id, SnRef *v);
/* Writes the node under way if it casts to or from uint8; otherwise sets x->as
 * for a move of such elements. */
bool sn_xp_put_u8(SnXp *x);
/* The tensor of plain codes r, of which there is one of the other sign. */
const char *sn_xp_other_sign(SnXp *x, SnRef r, int rank, const int *perm,
                             SnXpAs as);

/* ---- a node (export_map.c) ---- */
/* The order of axes for a node whose map lets Transposes through: one in which
 * operands are at hand.  x->attr is renumbered for it. */
void sn_xp_choose(SnXp *x, int *perm);
/* An order that the operand has a tensor in; its own where it has one. */
void sn_xp_at_hand(SnXp *x, uint32_t slot, int *perm);
const char *sn_xp_operand(SnXp *x, uint32_t slot, const int *perm, SnXpAs as);
/* Result k: the name its operator writes, and what follows it (clamp,
 * QuantizeLinear). */
const char *sn_xp_open(SnXp *x, uint32_t k, const int *perm);
void sn_xp_close(SnXp *x, uint32_t k, const int *perm, const char *got);
/* ONNX's order of a port with this layout. */
bool sn_xp_layout(const SnXp *x, const char *port, int rank, int *perm);
/* Writes the attributes that the line of nodes.def gives, for an operator that
 * has them all but those that come later. */
SnStatus sn_xp_attrs(SnXp *x, Onnx__NodeProto *n, const char *op);
SnStatus sn_xp_map(SnXp *x); /* by the line of nodes.def */
const SnOnnxDesc *sn_xp_line(const SnXp *x, SnKind k);
bool sn_xp_is_default(const SnXp *x, const char *attr);
const void *sn_xp_attr(const SnXp *x, const char *attr, SnAttrKind kind);
bool sn_xp_rounds_after(const SnXp *x);

/* ---- hooks (export_ops.c, export_fn.c, export_qop.c) ---- */
/* By the name of a kind, or of the hook that imports its operator; NULL:
 * none. */
SnXpHook *sn_xp_hook(const char *name);
/* export_fn.c */
SnXpHook sn_xp_cast, sn_xp_codes, sn_xp_label, sn_xp_conv_transpose,
    sn_xp_depth_to_space, sn_xp_reduce, sn_xp_arg, sn_xp_normalize,
    sn_xp_difference, sn_xp_conv_integer, sn_xp_matmul_integer;
extern SnXpHook sn_xp_embedding_sum;         /* export_bag.c */
extern SnXpHook sn_xp_batch_norm, sn_xp_lrn; /* export_norm.c */
SnXpCodes *sn_xp_codes_hook(const SnXp *x);
/* Does ONNX Runtime run this operator on 8-bit codes? */
bool sn_xp_runs_codes(const char *op);

#endif
