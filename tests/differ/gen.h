// SPDX-License-Identifier: Apache-2.0
/* Random small models: float, quantized with float operators between
 * DequantizeLinear and QuantizeLinear (QDQ), and with operators on codes
 * (QOperator).  The same seed gives the same model; what ONNX Runtime refuses
 * to run is left out, so models depend on its version too. */
#ifndef SN_TEST_DIFFER_GEN_H
#define SN_TEST_DIFFER_GEN_H

#include "model.h"

typedef enum GenForm { GEN_FLOAT, GEN_QDQ, GEN_QOP, GEN_NFORM } GenForm;

typedef struct Gen {
    Dm *m;
    Ort *ort;
    uint64_t state;
    GenForm form;
    bool u8;         /* activations of a QOperator model */
    bool wide;       /* int8 weights beyond 7 bits */
    uint32_t nref;   /* nodes ONNX Runtime refused, */
    const char *why; /* and the last reason */
    uint32_t npool;
    int pool[DM_MAXVAL];        /* values operators may read */
    const char *op[DM_MAXNODE]; /* the operators under test, in order */
    uint32_t nop;
    bool exact; /* scales are powers of two, few 3 or 5 times one */
} Gen;

/* Number of operator choices of a form, and the name of each. */
uint32_t gen_nop(GenForm f);
const char *gen_op_name(GenForm f, uint32_t i);
/* A model of nop operators, the first of them choice `first`.  false: ONNX
 * Runtime refused the first, g->why tells. */
bool gen_model(Gen *g, uint32_t first, uint32_t nop);
/* What the model holds whose result in ONNX Runtime depends on the instruction
 * set of the machine, or is wrong; or NULL. */
const char *gen_excluded(const Gen *g);
/* Steps that the one operator may be off: 1; for LRN, which writes on the grid
 * of its input and is rescaled after, half a step of that grid more. */
double gen_steps(const Gen *g);

/* ---- for the generators ---- */

typedef bool GenFn(Gen *g, const char *op);
enum {
    GEN_FIRST = 1, /* only on new inputs: it makes much of small differences */
    GEN_REAL = 2   /* not between DequantizeLinear and QuantizeLinear */
};
typedef struct GenOp {
    const char *name;
    GenFn *fn;
    unsigned how;
} GenOp;
extern const GenOp gen_reals[], gen_codes[];
extern const uint32_t gen_nreals, gen_ncodes;

uint32_t gen_below(Gen *g, uint32_t n);
int64_t gen_in(Gen *g, int64_t lo, int64_t hi); /* both included */
bool gen_chance(Gen *g, uint32_t one_in);
float gen_uniform(Gen *g, float lo, float hi);
/* Near v: a power of two, a short decimal, or any. */
float gen_scale(Gen *g, float v);
/* Often odd, sometimes an end of the range. */
int32_t gen_zp(Gen *g, SnDtype t);
/* n codes of t, within `bits` bits for int8; biased to the ends. */
void *gen_codes_data(Gen *g, SnDtype t, int bits, int64_t n);
/* A pooled value of this rank (0: any), made as a new input when there is
 * none. */
int gen_pick(Gen *g, int rank);
/* A new input of this shape, in the pool. */
int gen_input(Gen *g, int rank, const int64_t *dim);
void gen_keep(Gen *g, int value);
/* Works out the newest node; false takes it back. */
bool gen_done(Gen *g);
int gen_const(Gen *g, SnDtype t, int rank, const int64_t *dim,
              const void *data);
/* Root mean square of what a value stands for. */
double gen_rms(const Gen *g, int value);
/* Float operators: a value to compute on (pooled floats, or codes behind a
 * DequantizeLinear; -1: refused); the result, kept as it is or quantized to a
 * type near its range; weights, floats or int8 codes with a scale for all or
 * for each slice of axis (scale[] gets them, or NULL). */
int gen_real(Gen *g, int v);
bool gen_result(Gen *g, DmNode *n);
int gen_weights(Gen *g, int rank, const int64_t *dim, int axis, float *scale);
GenFn gen_resize, gen_deconv, gen_divide, gen_function, gen_prelu, gen_where,
    gen_sum, gen_norm, gen_recurrent, gen_shuffle, gen_blocks, gen_gather,
    gen_split, gen_order, gen_cumulate, gen_dynamic, gen_fused;
/* Attributes of a window that fits [n, c, h, w]. */
void gen_window(Gen *g, DmNode *n, const int64_t *dim, int64_t *kernel,
                bool pool);

#endif
