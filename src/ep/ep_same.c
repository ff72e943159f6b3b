// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_same.h"

#include <float.h>
#include <string.h>

/* ---- the operators ---- */

/* Element types, by ONNX's numbers. */
#define T(number) (1u << (number))
enum {
    F32 = T(1),
    CODE = T(2) | T(3),   /* uint8, int8 */
    CODE16 = T(4) | T(5), /* uint16, int16 */
    INT = T(6) | T(7),    /* int32, int64 */
    BOOL = T(9),
    NUM = F32 | CODE | INT,
    ANY = NUM | BOOL | CODE16
};

/* Conditions on a node besides its types. */
enum {
    WORK = 1,     /* nothing; it is worth a call */
    PLAIN = 2,    /* reals that are neither NaN nor -0: what ONNX Runtime makes
                     of those depends on their places, and its Where loses
                     signs */
    PAIRS = 4,    /* a processor on which ONNX Runtime does not add pairs of
                     products of codes in 16 bits, which saturate */
    FUSED = 8,    /* one on which it rounds once where numerics.md has fmaf */
    SMALL = 16,   /* ratios of scales below 2^20: it wraps beyond 2^31 steps */
    ONE = 32,     /* no second result */
    OLD = 64,     /* a window without dilations that counts no padding, and is
                     not the whole image without pads */
    NARROW = 128, /* no cast of reals to integers, whose range they may leave */
    SUMS = 256    /* of dequantized weights and what is not known before a run:
                     sinter makes a sum of codes of it only where ONNX Runtime's
                     reals hold each partial sum, in whatever order */
};

typedef struct Row {
    const char *op;   /* with its domain, if that is not ai.onnx */
    unsigned in, out; /* types of operand 0 and result 0 */
    unsigned how;
} Row;

/* Each group of rows is for one reason.  Numbers of elements compared are in
 * docs/numerics.md, whose rows were fitted to ONNX Runtime bit by bit.  Not
 * here: what calls a function (Exp, Sigmoid, Softmax, QLinearSigmoid), what
 * sums reals in an order of its own (means, norms). */
static const Row rows[] = {
    /* elements are moved */
    {"Identity", ANY, ANY, 0},
    {"Reshape", ANY, ANY, 0},
    {"Flatten", ANY, ANY, 0},
    {"Squeeze", ANY, ANY, 0},
    {"Unsqueeze", ANY, ANY, 0},
    {"Transpose", ANY, ANY, 0},
    {"Slice", ANY, ANY, 0},
    {"Split", ANY, ANY, 0},
    {"Concat", ANY, ANY, 0},
    {"Tile", ANY, ANY, 0},
    {"Expand", ANY, ANY, 0},
    {"SpaceToDepth", ANY, ANY, 0},
    {"DepthToSpace", ANY, ANY, 0},
    {"Gather", ANY, ANY, 0},
    {"GatherElements", ANY, ANY, 0},
    {"Pad", ANY, ANY, 0},
    {"Trilu", ANY, ANY, 0},
    {"Where", BOOL, ANY, PLAIN},
    {"com.microsoft:QLinearWhere", BOOL, CODE, WORK},
    /* shapes */
    {"Shape", ANY, INT, 0},
    {"Size", ANY, INT, 0},
    {"ConstantOfShape", INT, ANY, 0},
    /* one operation of IEEE 754, or none; integers modulo 2^n */
    {"Add", F32 | INT, F32 | INT, 0},
    {"Sub", F32 | INT, F32 | INT, 0},
    {"Mul", F32 | INT, F32 | INT, 0},
    {"Div", F32, F32, 0},
    {"Sqrt", F32, F32, 0},
    {"Abs", F32 | CODE, F32 | CODE, 0},
    {"Neg", F32 | INT, F32 | INT, 0},
    {"Floor", F32, F32, 0},
    {"Ceil", F32, F32, 0},
    {"Relu", F32 | CODE, F32 | CODE, 0},
    {"Clip", NUM, NUM, 0},
    {"LeakyRelu", F32, F32, 0},
    {"PRelu", F32, F32, 0},
    {"ThresholdedRelu", F32, F32, 0},
    {"Max", NUM, NUM, PLAIN},
    {"Min", NUM, NUM, PLAIN},
    {"Cast", ANY, NUM | BOOL, NARROW},
    /* comparisons and truth */
    {"Equal", F32 | INT | BOOL, BOOL, 0},
    {"Less", F32 | INT, BOOL, 0},
    {"LessOrEqual", F32 | INT, BOOL, 0},
    {"Greater", F32 | INT, BOOL, 0},
    {"GreaterOrEqual", F32 | INT, BOOL, 0},
    {"And", BOOL, BOOL, 0},
    {"Or", BOOL, BOOL, 0},
    {"Xor", BOOL, BOOL, 0},
    {"Not", BOOL, BOOL, 0},
    /* an element of a set */
    {"MaxPool", F32 | CODE, F32 | CODE, PLAIN | ONE},
    {"GlobalMaxPool", F32, F32, PLAIN},
    {"ReduceMax", NUM, NUM, PLAIN},
    {"ReduceMin", NUM, NUM, PLAIN},
    {"ArgMax", NUM, INT, PLAIN},
    {"ArgMin", NUM, INT, PLAIN},
    /* sums of integers, modulo 2^32 */
    {"ConvInteger", CODE, INT, WORK | PAIRS},
    {"MatMulInteger", CODE, INT, WORK | PAIRS},
    /* sums of reals, where they need no rounding */
    {"Conv", F32, F32, WORK | SUMS},
    {"ConvTranspose", F32, F32, WORK | SUMS},
    {"Gemm", F32, F32, WORK | SUMS},
    {"MatMul", F32, F32, WORK | SUMS},
    /* rows of numerics.md */
    {"QuantizeLinear", F32, CODE | CODE16, 0},
    {"DequantizeLinear", CODE | CODE16 | INT, F32, 0},
    {"AveragePool", F32, F32, OLD},
    {"QLinearConv", CODE, CODE, WORK | PAIRS},
    {"com.microsoft:QLinearConv", CODE, CODE, WORK | PAIRS},
    {"QLinearMatMul", CODE, CODE, WORK | PAIRS},
    {"com.microsoft:QGemm", CODE, CODE, WORK | PAIRS},
    {"com.microsoft:QLinearAdd", CODE, CODE, WORK | FUSED | SMALL},
    {"com.microsoft:QLinearMul", CODE, CODE, WORK | SMALL},
    {"com.microsoft:QLinearConcat", F32, CODE, WORK},
    {"com.microsoft:QLinearLeakyRelu", CODE, CODE, WORK},
    {"com.microsoft:QLinearAveragePool", CODE, CODE, WORK | SMALL},
    {"com.microsoft:QLinearGlobalAveragePool", CODE, CODE, WORK | FUSED},
};

static const Row *
row_of(const Onnx__NodeProto *p)
{
    size_t n = strlen(p->domain);

    if (!strcmp(p->domain, "ai.onnx"))
        n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *op = rows[i].op;
        if (n && (strncmp(op, p->domain, n) != 0 || op[n] != ':'))
            continue;
        if (!strcmp(op + (n ? n + 1 : 0), p->op_type))
            return &rows[i];
    }
    return NULL;
}

bool
sn_ep_works(const SnEpWhole *w, uint32_t i)
{
    const Row *r = row_of(w->node[i].p);

    return r && r->how & WORK;
}

bool
sn_ep_adds_up(const SnEpWhole *w, uint32_t i)
{
    const Row *r = row_of(w->node[i].p);

    return r && r->how & SUMS;
}

/* ---- values ---- */

static unsigned
types_of(const SnEpWhole *w, size_t n, const uint32_t *value, size_t i)
{
    if (i >= n || value[i] == SN_EP_NONE)
        return 0;
    int t = w->value[value[i]].port.type;
    return t > 0 && t < 32 ? T(t) : 0;
}

static bool
is_plain_data(const Onnx__TensorProto *t)
{
    for (size_t i = 0; t && i + 4 <= t->raw_data.len; i += 4) {
        uint32_t bits;
        memcpy(&bits, t->raw_data.data + i, 4);
        if (bits == 0x80000000 || (bits & 0x7fffffff) > 0x7f800000)
            return false;
    }
    return t != NULL;
}

/* Codes are no NaN, and 0 times a scale is not -0 where that is above 0. */
static bool
has_plain_scales(SnEpWhole *w, const SnEpNode *n)
{
    const Onnx__TensorProto *t = NULL;
    float s;

    if (types_of(w, n->nread, n->read, 1) & F32)
        t = sn_ep_constant(w, n->read[1]);
    for (size_t i = 0; t && i + sizeof s <= t->raw_data.len; i += sizeof s) {
        memcpy(&s, t->raw_data.data + i, sizeof s);
        if (!(s > 0 && s <= FLT_MAX))
            return false;
    }
    return t != NULL;
}

static bool reads_plain(SnEpWhole *w, const SnEpNode *n, int depth);

static bool
is_standard(const SnEpNode *n)
{
    return !*n->p->domain || !strcmp(n->p->domain, "ai.onnx");
}

/* Whether no element of the value is NaN or -0. */
static bool
is_plain(SnEpWhole *w, uint32_t v, int depth)
{
    static const char *const keep[] = {
        "Identity",  "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Slice",
        "Transpose", "Relu",    "MaxPool", "Concat",  "Max",       "Min",
    };
    const SnEpNode *n;
    bool moved = false;

    if (v == SN_EP_NONE || depth == 0)
        return false;
    if (w->value[v].plain)
        return w->value[v].plain == 1;
    w->value[v].plain = 2;
    if (!w->value[v].maker) {
        moved = is_plain_data(sn_ep_constant(w, v));
        w->value[v].plain = moved ? 1 : 2;
        return moved;
    }
    n = &w->node[w->value[v].maker - 1];
    for (size_t k = 0; k < sizeof keep / sizeof *keep; k++)
        moved = moved || !strcmp(n->p->op_type, keep[k]);
    moved = is_standard(n) && moved && reads_plain(w, n, depth - 1);
    if (!strcmp(n->p->op_type, "DequantizeLinear"))
        moved = has_plain_scales(w, n);
    w->value[v].plain = moved ? 1 : 2;
    return moved;
}

/* The same of all reals that the node reads. */
static bool
reads_plain(SnEpWhole *w, const SnEpNode *n, int depth)
{
    for (size_t r = 0; r < n->nread; r++)
        if (types_of(w, n->nread, n->read, r) & F32 &&
            !is_plain(w, n->read[r], depth))
            return false;
    return true;
}

/* A constant of one real; NaN where it is none. */
static double
scale_of(SnEpWhole *w, const SnEpNode *n, size_t i)
{
    const Onnx__TensorProto *t = NULL;
    float s;

    if (types_of(w, n->nread, n->read, i) & F32)
        t = sn_ep_constant(w, n->read[i]);
    if (!t || t->raw_data.len != sizeof s)
        return (double)__builtin_nanf("");
    memcpy(&s, t->raw_data.data, sizeof s);
    return (double)s;
}

static bool
is_small(SnEpWhole *w, const SnEpNode *n)
{
    const char *op = n->p->op_type;
    double a = scale_of(w, n, 1), most = 1048576;

    if (!strcmp(op, "QLinearAveragePool"))
        return a / scale_of(w, n, 3) < most;
    double b = scale_of(w, n, 4), y = scale_of(w, n, 6);
    if (!strcmp(op, "QLinearMul"))
        return a * b / y < most / 256;
    return a / y < most && b / y < most;
}

static const SnEpNode *
maker_of(const SnEpWhole *w, const SnEpNode *n, size_t i)
{
    if (i >= n->nread || n->read[i] == SN_EP_NONE ||
        !w->value[n->read[i]].maker)
        return NULL;
    return &w->node[w->value[n->read[i]].maker - 1];
}

/* Weights as codes, and data that sinter cannot work out before a run: what it
 * works out, it adds up in an order of its own. */
static bool
sums_codes(const SnEpWhole *w, const SnEpNode *n)
{
    const SnEpNode *of = maker_of(w, n, 1), *x = n;
    int left = 64;

    if (!of || strcmp(of->p->op_type, "DequantizeLinear") != 0 || !of->nread ||
        of->read[0] == SN_EP_NONE || !w->value[of->read[0]].constant)
        return false;
    for (; x && left > 0; left--) {
        if (!strcmp(x->p->op_type, "Shape") || !strcmp(x->p->op_type, "Size") ||
            !x->nread || x->read[0] == SN_EP_NONE ||
            w->value[x->read[0]].constant)
            return false;
        x = maker_of(w, x, 0);
    }
    return left > 0;
}

/* ---- processors ---- */

static bool
adds_pairs(void)
{
#if defined(__x86_64__)
    return !__builtin_cpu_supports("avx512vnni"); /* others: not measured */
#else
    return true;
#endif
}

static bool
rounds_once(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

const char *
sn_ep_processor(void)
{
    if (adds_pairs())
        return rounds_once() ? "fma" : "neither fma nor vnni";
    return rounds_once() ? "vnni fma" : "vnni";
}

/* ---- nodes ---- */

static const Onnx__AttributeProto *
attr_of(const Onnx__NodeProto *p, const char *name)
{
    for (size_t i = 0; i < p->n_attribute; i++)
        if (!strcmp(p->attribute[i]->name, name))
            return p->attribute[i];
    return NULL;
}

static bool
counts_padding(const Onnx__NodeProto *p)
{
    const Onnx__AttributeProto *a = attr_of(p, "count_include_pad");

    return a && a->i != 0;
}

static bool
has_pads(const Onnx__NodeProto *p)
{
    const Onnx__AttributeProto *automatic = attr_of(p, "auto_pad");
    const Onnx__AttributeProto *a = attr_of(p, "pads");

    if (automatic &&
        strncmp((char *)automatic->s.data, "NOTSET", automatic->s.len) != 0)
        return false;
    for (size_t i = 0; a && i < a->n_ints; i++)
        if (a->ints[i] > 0)
            return true;
    return false;
}

/* May the window be the whole image, without pads?  Shapes of what a node has
 * made are not relied on (keep_inputs in ep_claim.c). */
static bool
may_be_whole(const SnEpWhole *w, const SnEpNode *n)
{
    const Onnx__AttributeProto *k = attr_of(n->p, "kernel_shape");
    const SnEpValue *x = &w->value[n->read[0]];

    if (has_pads(n->p))
        return false;
    if (!k || x->maker || x->port.rank != k->n_ints + 2)
        return true;
    for (size_t i = 0; i < k->n_ints; i++)
        if (x->port.dim[i + 2] >= 0 && x->port.dim[i + 2] != k->ints[i])
            return false;
    return true;
}

static const char *
more_reasons(SnEpWhole *w, const SnEpNode *n, const Row *r, unsigned in,
             unsigned out)
{
    if (r->how & PAIRS && adds_pairs())
        return "bits: on this processor ONNX Runtime adds products in 16 bits";
    if (r->how & FUSED && !rounds_once())
        return "bits: on this processor ONNX Runtime rounds more often";
    if (r->how & PLAIN && !reads_plain(w, n, 16))
        return "bits: of reals that may be NaN or -0 the result depends on "
               "their places in ONNX Runtime";
    if (r->how & SMALL && !is_small(w, n))
        return "bits: scales that are not constant, or so far apart that ONNX "
               "Runtime wraps";
    if (r->how & ONE && n->nmade > 1)
        return "bits: its second result is not known to be the same";
    if (r->how & OLD &&
        (sn_ep_opset(w, "") >= 19 || attr_of(n->p, "dilations") ||
         counts_padding(n->p) || may_be_whole(w, n)))
        return "bits: windows with dilations, those that count padding, and "
               "those that may be the whole image are summed in another order "
               "by ONNX Runtime";
    if (r->how & NARROW && in & F32 && out & (CODE | INT))
        return "bits: reals beyond the range of an integer may become another "
               "one";
    if (r->how & SUMS && !sums_codes(w, n))
        return "bits: it sums reals, in another order than ONNX Runtime";
    if (attr_of(n->p, "block_size") || attr_of(n->p, "precision"))
        return "bits: scales by blocks, and their precision, are not known to "
               "be the same";
    return NULL;
}

const char *
sn_ep_differs(SnEpWhole *w, uint32_t i)
{
    const SnEpNode *n = &w->node[i];
    const Row *r = row_of(n->p);
    unsigned in = types_of(w, n->nread, n->read, 0);
    unsigned out = types_of(w, n->nmade, n->made, 0);

    if (!r)
        return "bits: the operator is not known to have the same ones in ONNX "
               "Runtime";
    if (!(in & r->in) || !(out & r->out))
        return "bits: with these types the operator is not known to have the "
               "same ones in ONNX Runtime";
    return more_reasons(w, n, r, in, out);
}
