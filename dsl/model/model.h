// SPDX-License-Identifier: Apache-2.0
/* What .def files say, after parsing (syntax only) and after sn_def_resolve
 * (names, types and facts known).  The parser fills the fields that mirror the
 * text; fields under "resolved" are filled by resolve.  Everything lives in one
 * arena.  The checker and the emitters only read. */
#ifndef SN_MODEL_H
#define SN_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/lang/lang.h"
#include "base/num.h"
#include "dsl/model/named.h"
#include "dsl/model/words.h"
#include "map/decl.h"

/* ---- expressions (facts, formulas, guards, attribute values) ---- */

typedef enum SnEk {
    SN_E_INT,    /* i */
    SN_E_REAL,   /* r; text in s */
    SN_E_STR,    /* s */
    SN_E_BOOL,   /* i */
    SN_E_WILD,   /* _ */
    SN_E_NAME,   /* s */
    SN_E_LIST,   /* [kid, ...] */
    SN_E_MEMBER, /* kid[0] . s */
    SN_E_INDEX,  /* kid[0] [ kid[1], ... ]  (types with shape; lists) */
    SN_E_CALL,   /* s ( kid, ... ); same(..), free(..), sem(..) too */
    SN_E_ARG,    /* s = kid[0], a named argument inside a call */
    SN_E_NEG,    /* - kid[0] */
    SN_E_NOT,
    SN_E_BIN,  /* kid[0] op kid[1]; op below */
    SN_E_IN,   /* kid[0] in [kid[1], ...] */
    SN_E_RATIO /* kid[0] : kid[1], the argument of an arithmetic's scale */
} SnEk;

typedef enum SnOp {
    SN_OP_ADD,
    SN_OP_SUB,
    SN_OP_MUL,
    SN_OP_DIV,
    SN_OP_EQ,
    SN_OP_NE,
    SN_OP_LT,
    SN_OP_LE,
    SN_OP_GT,
    SN_OP_GE,
    SN_OP_AND,
    SN_OP_OR,
    /* in maps only */
    SN_OP_MOD,
    SN_OP_AMONG /* kid[0] in kid[1], a list */
} SnOp;

typedef enum SnRk {
    SN_R_NONE,
    SN_R_PORT,  /* ref: SnDefPort */
    SN_R_ATTR,  /* ref: SnDefAttr */
    SN_R_VAR,   /* ref: SnDefVar */
    SN_R_TYPE,  /* ref: SnDefType */
    SN_R_NODE,  /* ref: SnDefNode */
    SN_R_CLASS, /* ref: SnDefClass */
    SN_R_WORD,  /* a word of an enum: index in i, attr in ref */
    SN_R_MODE,  /* how shr and div round: SnMode in i */
    SN_R_MAP,   /* ref: SnDefMap; a call: the sizes of its result */
    SN_R_FUNC   /* a function (fn), or the word full */
} SnRk;

typedef struct SnExpr {
    SnEk ek;
    SnOp op;
    SnPos pos;
    const char *s;
    SnFn fn;     /* CALL: s, if it is a function */
    SnWord word; /* NAME, MEMBER, ARG: s, if it is a word */
    int64_t i;
    double r;
    uint32_t nkid;
    struct SnExpr **kid;
    uint32_t depth; /* of the tree, 1 for a leaf; bounded by the parser */
    /* resolved */
    SnTy ty;
    SnRk rk;
    const void *ref;
} SnExpr;

/* ---- types ---- */

/* One concrete port type: an element type and an axis or -1. */
typedef struct SnDefConc {
    int8_t elem; /* SnElem or SN_ABSENT */
    int8_t axis; /* -1 per tensor */
} SnDefConc;
static inline bool
sn_conc_quant(SnDefConc c)
{
    return c.elem == SN_QI8 || c.elem == SN_QI16 || c.elem == SN_QI32 ||
           c.elem == SN_ROW8;
}

typedef struct SnDefType {
    const char *name;
    SnPos pos;
    const char *text;
    uint32_t nalt; /* as written: names, or quant(..)/fused(..) calls */
    SnExpr **alt;
    /* resolved: the flat alternation */
    uint32_t nconc;
    SnDefConc *conc;
} SnDefType;

/* ---- maps ---- */

typedef struct SnIds { /* a list of names */
    uint32_t n;
    const char **s;
    SnPos *pos;
} SnIds;

typedef struct SnDefMapItem {
    SnMapItemKind kind;
    const char *name;
    SnPos pos;
    const char *along; /* ALONG: the run; AT: the axis */
    SnPos along_pos;
    const char *each; /* d[x] @ axis: x */
    SnPos each_pos;
} SnDefMapItem;

typedef struct SnDefMapParam {
    const char *name;
    SnPos pos;
    /* for an operand: */
    uint32_t nitem;
    SnDefMapItem *item;
    bool variadic;
    /* its elements: "int", "code" or NULL; else the type: "int", "axis" */
    const char *type;
    SnPos type_pos;
    bool listed; /* int[len, ...] */
    uint32_t nlen;
    SnExpr **len;
    const char *of; /* axis(of), or NULL */
    SnPos of_pos;
    SnIds word;  /* enum */
    SnExpr *def; /* default, or NULL */
} SnDefMapParam;

typedef struct SnDefMapBound { /* name < e when c */
    const char *name;
    SnPos pos;
    SnExpr *e, *when;
} SnDefMapBound;

typedef struct SnDefMapStmt {
    SnMapStmtKind kind;
    SnPos pos;
    const char *name; /* LET */
    SnPos name_pos;
    SnExpr *e;    /* the statement's expression; READ, CENTRE: x[..] or
                     x[k][..] */
    SnExpr *when; /* or NULL */
    SnMapElse els;
    uint32_t nbound; /* RESULT, TAPS */
    SnDefMapBound *bound;
    uint32_t nindex; /* BESIDE */
    SnExpr **index;
    const char *text; /* REQUIRE: {0}, {1}, ... are the holes; or NULL */
    uint32_t nhole;
    SnExpr **hole;
} SnDefMapStmt;

/* The reads of a map for operands and parameters of a test, written out. */
typedef struct SnDefMapTestArg {
    SnExpr *e;    /* dimensions, for several operands lists of these; a number,
                     word or list */
    SnExpr *data; /* elements of an operand that the map looks at, or NULL */
} SnDefMapTestArg;

typedef struct SnDefMapTestList {
    SnMapStmtKind kind; /* READ: of operand `what`, x or x[k]; CENTRE, DIVISOR;
                           BESIDE, of one index, NUMBER, PARTS: of each tap;
                           WHOLE: e is not a list */
    SnExpr *what, *e;
} SnDefMapTestList;

typedef struct SnDefMapTest {
    SnPos pos;
    uint32_t narg;
    SnDefMapTestArg *arg;
    const char *text; /* the error message contains this, or NULL: */
    SnExpr *shape;
    uint32_t nlist;
    SnDefMapTestList *list;
} SnDefMapTest;

typedef struct SnDefMap {
    const char *name, *doc;
    SnPos pos;
    const char *text; /* source from `map` to `}` */
    uint32_t nparam;
    SnDefMapParam **param;
    uint32_t nstmt;
    SnDefMapStmt **stmt;
    uint32_t ntest;
    SnDefMapTest **test;
    /* resolved */
    const SnMapDecl *decl; /* NULL if errors were reported */
} SnDefMap;

/* ---- nodes ---- */

typedef struct SnDefPort {
    const char *name;
    SnPos pos;
    bool out, variadic, optional;
    uint32_t index; /* among ins or outs */
    /* resolved */
    SnFact fact;
    SnPos fact_pos;
    SnExpr *scale, *zp; /* fixed, pin: as written */
    uint32_t npin;      /* pin: the ports whose scales are multiplied */
    uint32_t pin[3];
    double fixed_scale;
    int64_t fixed_zp;
    const char *because; /* same ... because, pin ... else */
} SnDefPort;

typedef struct SnDefAttr {
    const char *name;
    SnWord says; /* name, if it is a word: clamp, round, zp_shift */
    SnPos pos;
    SnAttrKind ty;
    uint32_t fixed; /* int[2]: 2; int[]: 0 */
    uint32_t nword; /* enum */
    const char **word;
    const char *range_of; /* range(y): "y" */
    SnExpr *def;          /* default, or NULL */
    SnExpr *where;        /* constraint, or NULL */
    uint32_t index;
    /* resolved */
    const SnDefPort *range_port;        /* range of a port ... */
    const struct SnDefAttr *range_attr; /* ... or of a `type` attribute */
} SnDefAttr;

/* One line of a kinds block as written; `(T, T) -> T for T in act`. */
typedef struct SnDefTupleSrc {
    SnPos pos;
    uint32_t nin, nout;
    SnExpr **in, **out;   /* NAME (type or the variable), WILD; x... is a NAME
                             with i == 1 */
    const char *var, *of; /* for var in of; NULL without */
    SnPos of_pos;
} SnDefTupleSrc;

typedef struct SnDefTuple {
    SnPos pos;
    SnDefConc *in, *out; /* [nin ports], [nout ports] of the node */
    bool quant;
} SnDefTuple;

typedef struct SnDefSem {
    SnPos pos;
    const char *cls_name; /* contract, point, window, move, convert */
    const char *out_name;
    SnExpr *formula;    /* NULL: opaque, source */
    const char *within; /* attribute name, or NULL */
    SnPos within_pos;
    const char *map; /* over MAP(args), or NULL */
    SnMapWord over;  /* map, if C knows it */
    SnPos map_pos;
    uint32_t narg;
    SnExpr **arg;
    SnExpr *els; /* else EXPR */
    const char *ties, *by, *trusted;
    /* resolved */
    SnClass cls;
    SnRow row; /* by */
    bool last; /* ties last, not first */
    const SnDefPort *out;
    const SnDefAttr *clamp;
    const SnDefMap *decl; /* of `map` */
    bool monotone, raw, mean, nonempty, nan;
} SnDefSem;

typedef struct SnDefKernel {
    SnPos pos;
    SnDefTupleSrc sig;
    const char *fn;
    const char *prepare; /* NULL: none */
    bool late;           /* prepare reads late operands itself */
    /* resolved: tuple indices it covers (an alternation may cover several) */
    uint32_t ntuple;
    uint32_t *tuple;
} SnDefKernel;

typedef struct SnDefInv {
    SnPos pos;
    SnExpr *expr;
    const char *els;
} SnDefInv;

/* Which derived families a node joins, and the reason if it does not. */
typedef struct SnDefFamily {
    uint32_t absorb; /* bit per input port */
    bool merge, sink, sink_unused_rest, sink_bounded;
    bool sink_const; /* the meaning holds constants */
    const char *why_absorb, *why_merge, *why_sink;
} SnDefFamily;

/* A fact line as written, before it is distributed to ports. */
typedef struct SnDefFactSrc {
    SnPos pos;
    SnFact fact;
    uint32_t nname;
    const char **name;
    SnPos *name_pos;
    SnExpr *scale, *zp;
    const char *text; /* because / else */
} SnDefFactSrc;

typedef struct SnDefNode {
    const char *name, *doc;
    SnPos pos;
    const char *text;    /* source from `node` or `refine` to `}` */
    const char *form_of; /* as written */
    SnPos form_pos;
    const struct SnDefBackend *backend; /* NULL: core */
    uint32_t nport;                     /* own ports as written, ins and outs */
    SnDefPort **port;
    uint32_t nattr; /* own attributes as written */
    SnDefAttr **attr;
    uint32_t nsig_in, nsig_out; /* kinds (x, w, b) -> y */
    SnExpr **sig_in, **sig_out;
    SnPos kinds_pos;
    uint32_t ntuple_src;
    SnDefTupleSrc **tuple_src;
    uint32_t nfact_src;
    SnDefFactSrc **fact_src;
    uint32_t nsem;
    SnDefSem **sem;
    uint32_t ncommutes;
    const char **commutes;
    SnPos *commutes_pos;
    SnExpr *commutes_when; /* or NULL */
    uint32_t ninv;
    SnDefInv **inv;
    uint32_t nkernel;
    SnDefKernel **kernel;
    uint32_t nonnx;
    struct SnDefOnnx **onnx; /* onnx.h */
    uint32_t neffect;
    const char **effect;
    SnExpr *cost;
    const char *shape_of;
    SnExpr *shape; /* rare: shape y = EXPR */
    /* resolved; a form has those of its base merged in */
    uint32_t kind;                /* number: 1, 2, ... in file order */
    const struct SnDefNode *base; /* form of */
    uint32_t nin, nout;
    SnDefPort **in, **out;
    uint32_t nall;
    SnDefAttr **all; /* attributes, inherited first */
    uint32_t ntuple;
    SnDefTuple *tuple;
    SnDefSem **rsem; /* [max(nout, 1)] one per result */
    SnDefInv **rinv;
    uint32_t nrinv;
    const SnDefAttr *clamp; /* range(result 0) named clamp, or NULL */
    int8_t comm[2];         /* commuting input ports, or -1 */
    SnPos comm_pos;
    const SnExpr *comm_when; /* on a variable with the first result's name,
                                bound to the node; NULL: always */
    bool has_effect;
    SnDefFamily family;
} SnDefNode;

/* ---- rules ---- */

typedef enum SnVk {
    SN_V_VALUE, /* a pattern variable: one operand */
    SN_V_NODE,  /* @name: the matched node */
    SN_V_LIST,  /* x...: the operands of a variadic port */
    SN_V_LET    /* let f = TERM */
} SnVk;
typedef struct SnDefVar {
    const char *name;
    SnPos pos;
    SnVk vk;
    uint32_t index;               /* in the rule's table */
    const SnDefNode *node;        /* V_NODE: its kind when it is one kind */
    const struct SnPat *pat;      /* where it is bound */
    const struct SnTerm *let;     /* V_LET */
    bool each;                    /* bound under `each`: per element */
    const struct SnDefOpVal *val; /* of an operator's declaration (onnx.h) */
} SnDefVar;

typedef enum SnPk {
    SN_P_WILD,  /* _ : anything, also a missing operand */
    SN_P_VAR,   /* x */
    SN_P_LIST,  /* x... */
    SN_P_CALL,  /* Kind(args) {attrs} */
    SN_P_FORMS, /* forms Kind(args) */
    SN_P_ANY,   /* any CLASS */
    SN_P_EACH   /* each PAT: every element of a variadic port; arg[0] */
} SnPk;

typedef struct SnAsg { /* name = expr in { } */
    const char *name;
    SnWord word; /* name, if it is one: calibrated, splat, data */
    SnPos pos;
    SnExpr *e;
    /* resolved */
    const SnDefAttr *attr; /* NULL for the flag `calibrated` and for tests'
                              data, splat */
} SnAsg;

typedef struct SnPat {
    SnPk pk;
    SnPos pos;
    const char *name; /* variable, kind or class */
    const char *port; /* x = PAT: a named argument; else NULL */
    uint32_t narg;
    struct SnPat **arg;
    uint32_t nasg;
    SnAsg *asg;          /* {trans_b = true}: must be equal */
    const char *capture; /* @m */
    int64_t nuse;        /* :1, else 0 */
    uint32_t ntype;
    const char **type; /* :{q8, q16} */
    SnPos type_pos;
    /* resolved */
    const SnDefNode *node;        /* P_CALL, P_FORMS */
    const struct SnDefClass *cls; /* P_ANY */
    const SnDefVar *var;          /* P_VAR, P_LIST */
    const SnDefVar *cap;          /* @m */
    struct SnPat **by_port; /* [node->nin] argument of each input port; NULL:
                               not written (matches anything) */
    uint32_t nconc;         /* the flat set of :{...} */
    SnDefConc *conc;
} SnPat;

typedef enum SnTk {
    SN_T_VAR,  /* a value, list, node (its result 0) or let variable */
    SN_T_CALL, /* Kind(args) like o {a = e} : T as c */
    SN_T_COPY, /* copy n {a = e} : T */
    SN_T_FUNC, /* fold(x), regrid(b): value functions */
    SN_T_EACH, /* each TERM */
    SN_T_NONE  /* _ : a missing optional operand */
} SnTk;

typedef struct SnTerm {
    SnTk tk;
    SnPos pos;
    const char *name; /* variable, kind, function */
    SnFn fn;          /* T_FUNC */
    const char *port; /* x = TERM */
    uint32_t narg;
    struct SnTerm **arg;
    const char *like; /* like o */
    SnPos like_pos;
    uint32_t nasg;
    SnAsg *asg;
    SnExpr *type;      /* : T, or NULL */
    const char *as;    /* component name */
    const char *named; /* named w */
    /* resolved */
    const SnDefNode *node;
    const SnDefVar *var; /* T_VAR, T_COPY */
    const SnDefVar *like_var;
    const SnDefVar *named_var;
    struct SnTerm **by_port; /* [node->nin]; NULL: missing; of a variadic
                                port the first operand */
    uint32_t nlist;
    struct SnTerm **list;  /* all operands of the variadic port */
    SnExpr *forced;        /* type when none is written but the facts force
                              one: an ETYPE expression */
    uint32_t ntakes;       /* the types that tuples of the kind give, if */
    SnDefConc *takes;      /* others are possible (SN208), for which the rule
                              does not apply; 0: all possible types */
    const SnDefVar *chain; /* a node of two operands, applied to this list of an
                              operator from the left; or NULL */
} SnTerm;

typedef struct SnDefClaim {
    SnClaimKind kind;
    SnPos pos;
    SnExpr *bound;    /* WITHIN */
    double real;      /* REAL */
    const char *text; /* LOSSY */
    double n;         /* resolved: WITHIN's number */
} SnDefClaim;

typedef struct SnDefRule {
    const char *name;
    SnPos pos;
    bool lower;  /* lower R: ... */
    bool custom; /* custom rule */
    struct SnDefPass *pass;
    const struct SnDefBackend *backend;
    const char *text; /* source from `rule` to `;` */
    SnPat *pat;
    uint32_t nlet;
    const char **let_name;
    SnPos *let_pos;
    SnTerm **let;
    SnTerm *rhs;    /* NULL with a builder */
    uint32_t nmore; /* (a, b) => several results: rhs of result 1.. */
    SnTerm **more;
    const char *builder;
    uint32_t ncomponent;
    const char **component;
    SnExpr *need;  /* when: the conditions of the claim */
    SnExpr *worth; /* only if it pays; proved without it */
    SnExpr *when;  /* both */
    SnDefClaim claim;
    uint32_t nunder;
    struct SnDefUnder *under; /* if it is another one */
    SnDefClaim other;         /* else: under all others except float */
    const char *trusted, *optin, *note;
    SnExpr *requires;
    const char *on, *doc; /* custom */
    SnPos on_pos;
    uint32_t nmakes, nremoves;
    const char **makes, **removes;
    SnPos *makes_pos, *removes_pos;
    /* resolved */
    uint32_t id; /* number in sn_rules */
    uint32_t nvar;
    SnDefVar **var;
    const SnDefNode *root; /* NULL: any class */
} SnDefRule;

/* A separate claim under an arithmetic. */
typedef struct SnDefUnder {
    const char *name;
    SnPos pos;
    SnDefClaim claim;
    SnRounding by; /* resolved */
} SnDefUnder;

/* The claim of r if the graph's rounding is `by`. */
static inline const SnDefClaim *
sn_def_claim(const SnDefRule *r, SnRounding by)
{
    for (uint32_t i = 0; by != SN_ROUNDING_FLOAT && i < r->nunder; i++)
        if (r->under[i].by == by)
            return &r->under[i].claim;
    return by != SN_ROUNDING_FLOAT && r->other.kind != SN_CLAIM_NONE
               ? &r->other
               : &r->claim;
}

/* A rule, or one node of a derived one, that is not proved under an arithmetic:
 * it is switched off there. */
typedef struct SnDefOff {
    const SnDefRule *rule;            /* or NULL */
    const struct SnDefDerive *derive; /* both NULL: node does not commute */
    const struct SnDefNode *node;     /* NULL: all */
    SnRounding by;
} SnDefOff;

typedef struct SnDefClass {
    const char *name;
    SnPos pos;
    const char *text;
    SnExpr *e;
    /* resolved: member kinds, bit per kind number */
    uint64_t *member;
} SnDefClass;

typedef struct SnDefDerive {
    SnPos pos;
    const char *family; /* as written */
    SnFamilyId fam;     /* SN_FAM_WRITTEN: unknown */
    const char *what;   /* Rescale, or NULL */
    SnExpr *over;       /* through/into CALL, or NULL */
    /* resolved */
    uint32_t id;      /* number in sn_rules, after the written ones */
    uint32_t kind;    /* of what it is derived from; 0: none, or not declared */
    uint64_t *member; /* kinds it applies to, bit per kind number */
} SnDefDerive;

typedef struct SnDefPrefer {
    SnPos pos;
    uint32_t na, nb;
    const char **a, **b;
    SnPos *a_pos, *b_pos;
    const char *why;
} SnDefPrefer;

/* A line of a test block. */
typedef struct SnDefTestLine {
    enum {
        SN_TL_VALUE,  /* name = TERM; */
        SN_TL_INPUT,  /* name : TYPE[dims]; */
        SN_TL_EXPECT, /* expect name = TERM; */
        SN_TL_COND,   /* expect EXPR; */
        SN_TL_REJECT, /* reject "text"; */
        SN_TL_USING,  /* using a, b; */
        SN_TL_ASSUME  /* assume calibrated | nothing; */
    } kind;
    SnPos pos;
    const char *name;
    SnTerm *term;
    SnExpr *e;
    uint32_t nname;
    const char **names;
} SnDefTestLine;
typedef struct SnDefTest {
    const char *name;
    SnPos pos;
    struct SnDefPass *pass;
    const struct SnDefBackend *backend;
    uint32_t nline;
    SnDefTestLine **line;
} SnDefTest;

typedef struct SnDefPass {
    const char *name, *doc;
    SnPos pos;
    bool lowering;
    const struct SnDefBackend *backend; /* the implicit pass `backend` */
    uint32_t nallow;
    SnDefClaim *allow;
    uint32_t nrule;
    SnDefRule **rule;
    uint32_t nderive;
    SnDefDerive **derive;
    uint32_t nprefer;
    SnDefPrefer **prefer;
    uint32_t norder;
    const char **order;
    SnPos *order_pos;
    const char *place, *place_min; /* place Rescale minimizing elements */
    SnPos place_pos;
    uint32_t ntest;
    SnDefTest **test;
    /* resolved: the steps tried at a node, in order.  Rules and families in
     * prefer order (topological, ties by position in the file). */
    uint32_t nstep;
    struct SnDefStep *step;
    /* by sn_def_order (dsl/order/order.h): one sweep is not enough */
    bool worklist;
} SnDefPass;
typedef struct SnDefStep {
    const SnDefRule *rule; /* or */
    const SnDefDerive *derive;
} SnDefStep;

typedef struct SnDefPipeline {
    const char *name;
    SnPos pos;
    uint32_t npass;
    const char **pass;
    SnPos *pass_pos;
} SnDefPipeline;

typedef struct SnDefCap { /* `ID expr ;` in a backend block */
    const char *name;
    SnPos pos;
    SnExpr *e;
} SnDefCap;
typedef struct SnDefKernelsOf { /* `kernel NODE { }` in a backend block */
    const char *name;
    SnPos pos;
    uint32_t nkernel;
    SnDefKernel **kernel;
    /* resolved */
    const SnDefNode *node; /* NULL: unknown or faulty */
} SnDefKernelsOf;
typedef struct SnDefBackend {
    const char *name;
    SnPos pos;
    uint32_t ncap;
    SnDefCap *cap; /* supports, rounding, kernels, fallback */
    uint32_t nkeep;
    const char **keep;
    SnPos *keep_pos;
    SnExpr **keep_when; /* NULL entries: always */
    uint32_t nhook;
    const char **hook, **hook_fn;
    uint32_t nkernels; /* kernels for nodes declared elsewhere */
    SnDefKernelsOf **kernels;
    /* resolved */
    SnRounding rounding;
    const char *kernels_h;
    bool fallback_reference, fallback_kernels;
    uint32_t nenable; /* enable "quantized-io": opt-in rules that are on */
    const char **enable;
    uint32_t nsupport; /* supports all(q8, f32): the flat set */
    SnDefConc *support;
} SnDefBackend;

/* A node of the core as a backend narrows it (resolve_refine.c). */
typedef struct SnDefRefined {
    SnPos pos;
    SnDefNode *node, *as; /* as: the node with the backend's facts */
    const SnDefBackend *backend;
    uint64_t *joins; /* bit per derive line, then per class */
    bool shown;      /* node and `as` are exchanged (sn_def_view) */
} SnDefRefined;

typedef struct SnDefs {
    SnArena *arena;
    struct SnParser *parser; /* of a file that was read, used again; or NULL */
    uint32_t nsrc;
    SnSrc **src;
    uint32_t ntype;
    SnDefType **type;
    uint32_t nop; /* operators that are terms (onnx.h) */
    struct SnDefOp **op;
    uint32_t nmap;
    SnDefMap **map;
    uint32_t nnode;
    SnDefNode **node;
    uint32_t nrefine;
    SnDefNode **refine; /* refine N { facts }: name, pos, fact_src, backend */
    uint32_t nrefined;
    SnDefRefined **refined; /* the same, resolved */
    uint32_t narith;
    struct SnDefArith **arith; /* arith.h */
    uint32_t noff;
    struct SnDefOff *off; /* proved: does not hold */
    uint32_t nclass;
    SnDefClass **cls;
    uint32_t npass;
    SnDefPass **pass;
    uint32_t npipeline;
    SnDefPipeline **pipeline;
    uint32_t nbackend;
    SnDefBackend **backend;
    uint32_t ntest; /* tests at top level of a backend file */
    SnDefTest **test;
    uint32_t nrule; /* all written rules, in id order */
    SnDefRule **rule;
    uint32_t nderive;
    SnDefDerive **derive;
    uint64_t hash; /* of the tokens of all files parsed so far, in order */
    /* a plugin (sn_defs_plugin): the counts before it */
    bool is_plugin;
    uint64_t core_hash;
    uint32_t core_nmap, core_nnode, core_nbackend, core_npass, core_npipeline,
        core_nclass, core_ntest;
    const SnDefBackend *plugin; /* resolved: the one backend it adds */
} SnDefs;

/* From here on, parsed declarations are a plugin's (SN704, SN705 by
 * sn_def_resolve). */
void sn_defs_plugin(SnDefs *defs);
/* Does sinter-gen write this: all backends, or that of the plugin? */
static inline bool
sn_defs_mine(const SnDefs *defs, const SnDefBackend *b)
{
    return !defs->is_plugin || b == defs->plugin;
}

/* Parses path and what it includes (each file once; includes are searched next
 * to the including file, then in dirs) into defs.  All syntax errors are
 * reported; parsing continues after each. */
void sn_def_parse(SnDefs *defs, SnDiag *d, const char *path,
                  const char *const *dirs, uint32_t ndir);
SnDefs *sn_defs_new(SnArena *a);
/* Sets r->when from r->need and r->worth. */
void sn_rule_when(SnArena *a, SnDefRule *r);

/* Fills every "resolved" field and runs all checks; errors go to d. */
void sn_def_resolve(SnDefs *defs, SnDiag *d);
/* The same after errors of sn_def_parse: resolves what was read, and reports
 * only errors that the skipped text cannot have caused. */
void sn_def_resolve_rest(SnDefs *defs, SnDiag *d);

/* Shows declarations as backend b has them: until the next call, the nodes it
 * refines, and the members of derive lines and classes, are those of b; b NULL:
 * as declared, which every caller restores. */
void sn_def_view(SnDefs *defs, const SnDefBackend *b);

/* Lookups (NULL when unknown). */
const SnDefNode *sn_def_node(const SnDefs *defs, const char *name);
const SnDefType *sn_def_type(const SnDefs *defs, const char *name);
const SnDefMap *sn_def_map(const SnDefs *defs, const char *name);
const SnDefAttr *sn_def_attr(const SnDefNode *n, const char *name);
const SnDefPort *sn_def_port(const SnDefNode *n, const char *name);
const SnDefPort *sn_def_operand(const SnDefNode *n, const char *name);
/* Resolved: are its results data from outside? */
static inline bool
sn_def_source(const SnDefNode *n)
{
    return n->nin == 0 && n->nout > 0 && n->rsem[0]->cls == SN_C_SOURCE;
}
/* The fact line of n that names the port, or NULL. */
const SnDefFactSrc *sn_def_fact_line(const SnDefNode *n, const char *port);

#endif
