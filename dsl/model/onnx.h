// SPDX-License-Identifier: Apache-2.0
/* Operators of ONNX: lines of nodes, and terms over nodes. */
#ifndef SN_DSL_ONNX_H
#define SN_DSL_ONNX_H

#include "dsl/model/model.h"

/* ---- a line of a node: onnx "Op" 8..12 { .. } or hook f; ---- */

typedef struct SnDefOnnxEnt {
    SnPos pos;
    enum { SN_OE_ATTR, SN_OE_INPUT, SN_OE_HOOK, SN_OE_LAYOUT, SN_OE_ANY } kind;
    const char *name, *value;
    const char *unless; /* of a layout: the attribute that is 0 then, or NULL */
    int64_t input;
} SnDefOnnxEnt;
/* codes(x, w, y): inputs of an operator on codes, in their order */
typedef struct SnDefOnnxCode {
    const char *name;
    SnPos pos;
    /* resolved */
    const SnDefPort *port;
    uint32_t ninput; /* 3: codes, scale, zero point; 2, of the result: scale,
                        zero point; 1: what has no scale of its own */
} SnDefOnnxCode;
typedef struct SnDefOnnx {
    SnPos pos;
    const char *op;       /* "Conv", "com.microsoft:QLinearAdd" */
    int64_t since, until; /* until 0: open */
    const char *hook;     /* or NULL */
    SnPos hook_pos;
    /* what the hook restricts, or NULL; resolved: from any of its lines */
    const char *note;
    SnPos note_pos;
    SnPos codes_pos;
    uint32_t ncode;
    SnDefOnnxCode *code;
    uint32_t nent;
    SnDefOnnxEnt *ent;
} SnDefOnnx;

/* ---- a term: onnx "Op" 8.. (x, y?) {a = 1} for f32 | i32 let .. => TERM; ----
 */

typedef enum SnOpIn { SN_OP_ONE, SN_OP_MAYBE, SN_OP_LIST } SnOpIn;
typedef struct SnDefOpIn { /* x, y?, z..., c : bool, axes : int[] = [] */
    const char *name;
    SnPos pos;
    SnOpIn what;
    const char *type; /* NULL: the type shared by such operands */
    SnPos type_pos;
    SnDefAttr *value;   /* a number or list for the term, or NULL */
    const char *layout; /* nchw: with channels last for the term; or NULL */
    SnPos layout_pos;
    /* resolved */
    SnDefConc conc; /* of type */
    bool used;
} SnDefOpIn;

/* {a = 1} is a condition, {a = 1?} also holds if a is absent, {a : int = 1}
 * names a value. */
typedef struct SnDefOpAttr {
    const char *name;
    SnPos pos;
    SnExpr *is;      /* the value it must have, or NULL: */
    bool maybe;      /* it may also be absent */
    SnDefAttr *type; /* with its default, or without */
    SnDefOpIn *in;   /* the operand that gives the value; NULL: the attribute */
    /* resolved */
    bool used;
} SnDefOpAttr;

typedef struct SnDefOpLet {
    const char *name;
    SnPos pos;
    SnTerm *term; /* or NULL: */
    SnExpr *num;  /* a number */
    /* resolved */
    bool used;
} SnDefOpLet;

/* What a variable of the term is; one of these. */
typedef struct SnDefOpVal {
    SnDefOpIn *in; /* an operand, or */
    bool count;    /* of a let that is the length of the list */
    SnDefOpAttr *attr;
    SnDefOpLet *let;
} SnDefOpVal;

typedef struct SnDefOp {
    SnPos pos;
    const char *op;
    int64_t since, until; /* until 0: open */
    const char *text;     /* the declaration up to its result, */
    const char *whole;    /* and all of it, as in the file */
    const SnDefBackend *backend;
    uint32_t nin;
    SnDefOpIn *in;
    uint32_t nattr;
    SnDefOpAttr *attr;
    uint32_t ntype; /* for f32 | i32; 0: the types that the term takes */
    const char **type;
    SnPos *type_pos;
    uint32_t nlet;
    SnDefOpLet *let;
    uint32_t nresult; /* those after the first are made at their use */
    SnTerm **result;
    /* resolved */
    bool bad;
    uint32_t nconc; /* element types that operands may share */
    SnDefConc *conc;
} SnDefOp;

#endif
