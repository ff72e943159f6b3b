// SPDX-License-Identifier: Apache-2.0
/* What the exporter writes, in ONNX Runtime: random graphs of one to seven
 * nodes (tests/random), written both ways, must load and give what the
 * evaluators give; and every kind that the exporter's table writes must have
 * been loaded, at an input, at an output and between other nodes.
 *
 *   written --ort LIB [--n N] [--seed S]
 *
 * Values of one node are held to a step of codes or 1e-4 of reals, those of
 * more nodes to as many steps: steps add up. */
#include "differ/peer.h"
#include "onnx/export/export.h"
#include "random/graph_check.h"
#include "random/graph_gen.h"
#include "run/exec.h"
#include "sn_kinds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_INPUT, AT_OUTPUT, BETWEEN, NPLACE, SHOWN = 40, MAXPORT = 16 };
static const char *const place_name[NPLACE] = {"at an input", "at an output",
                                               "between"};

typedef struct Tally {
    Ort *ort;
    uint32_t *loaded[NPLACE]; /* [sn_kind_end()] */
    uint32_t nloaded, nrefused, nempty, nbad, nfar;
} Tally;

static SnDtype
dtype_of(const SnType *t)
{
    switch (t->elem) {
    case SN_QI8:
    case SN_I8:
        return SN_D_I8;
    case SN_QI16:
        return SN_D_I16;
    case SN_QI32:
    case SN_I32:
        return SN_D_I32;
    case SN_I64:
        return SN_D_I64;
    case SN_BOOL:
        return SN_D_BOOL;
    default:
        return SN_D_F32;
    }
}

static OrtIo
io_of(const SnPort *p, const void *data)
{
    OrtIo io = {.name = p->name};

    io.data.dtype = p->u8 ? SN_D_U8 : dtype_of(p->type);
    io.data.rank = p->shape->rank;
    memcpy(io.data.dim, p->shape->dim,
           (size_t)p->shape->rank * sizeof *io.data.dim);
    io.data.data = data;
    return io;
}

static bool
is_border(const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    return n->data != NULL || sn_desc(n->kind)->effect;
}

static void
count_loaded(Tally *t, const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        bool in = false, out = false;
        if (n->dead || is_border(g, id))
            continue;
        for (uint32_t s = 0; s < n->nin; s++)
            in |= n->in[s].ref && is_border(g, SN_NODE(n->in[s].ref)) &&
                  !sn_def(g, n->in[s].ref)->data;
        for (unsigned k = 0; k < n->nres; k++)
            for (const SnUse *u = n->res[k].uses; u; u = u->next)
                out |= sn_desc(sn_node(g, u->user)->kind)->effect;
        t->loaded[AT_INPUT][n->kind] += in;
        t->loaded[AT_OUTPUT][n->kind] += out;
        t->loaded[BETWEEN][n->kind] += !in && !out;
    }
}

/* How far the peer is off at worst: steps of codes, or multiples of 1e-4. */
static double
distance(const SnPort *p, const void *ours, const SnData *theirs)
{
    OrtIo io = io_of(p, ours);
    int64_t n = sn_data_count(&io.data);
    double worst = 0;

    if (theirs->dtype != io.data.dtype || sn_data_count(theirs) != n)
        return INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double a = sn_data_real(&io.data, i), b = sn_data_real(theirs, i);
        if (isnan(a) && isnan(b))
            continue;
        double off = a == b ? 0 : fabs(a - b);
        if (io.data.dtype == SN_D_F32)
            off /= 1e-4 * fmax(1, fabs(a));
        worst = off <= worst ? worst : off;
    }
    return worst;
}

static void
bad(Tally *t, SnArena *a, const SnGraph *g, uint64_t seed, const char *form,
    const char *why)
{
    if (t->nbad++ < SHOWN)
        printf("not ok written %s seed %llu: %s\n%s", form,
               (unsigned long long)seed, why, sn_graph_str(a, g));
}

/* Not-a-numbers are quantized in ways of their own. */
static void
see_nan(void *ctx, SnRef ref, const SnTensor *t)
{
    bool *nan = ctx;
    int64_t n = t->type->elem == SN_F32 ? sn_shape_count(t->shape) : 0;

    (void)ref;
    for (int64_t i = 0; i < n; i++)
        *nan |= isnan(((const float *)t->data)[i]);
}

/* Division of integers by 0 is an error there, a number here. */
static bool
by_zero(const char *why)
{
    return strstr(why, "division by zero") != NULL;
}

/* ONNX Runtime refuses a value without elements in several operators, checks
 * indices that nothing reads, and divides by such a size. */
static bool
any_empty(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        for (unsigned k = 0; !n->dead && k < n->nres; k++)
            if (n->res[k].shape && sn_shape_count(n->res[k].shape) == 0)
                return true;
    }
    return false;
}

/* 0 / 0 inside a node whose values are codes. */
static bool
divides_codes(const SnGraph *g)
{
    for (SnId id = 1; id < g->nnode; id++) {
        const SnNode *n = sn_node(g, id);
        if (!n->dead && n->kind == SN_K_DIV && sn_type(g, n->in[1].ref)->nq)
            return true;
    }
    return false;
}

static double
steps_allowed(const SnGraph *g)
{
    double n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead && !is_border(g, id);
    return n;
}

/* One model in ONNX Runtime against a run of the graph. */
static void
compare(Tally *t, SnArena *a, const SnGraph *g, uint64_t seed, const char *form,
        const void *p, size_t n)
{
    const SnExec *x;
    SnDiag *d = sn_diag_new(a);
    OrtIo in[MAXPORT], out[MAXPORT];
    const char *why = "";
    uint64_t state = seed;
    double far = 0;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK || x->ninput > MAXPORT ||
        x->noutput > MAXPORT || x->noutput == 0)
        return;
    SnRun *r = sn_run_new(a, x);
    for (uint32_t i = 0; i < x->ninput; i++) {
        sn_random_finite(&state, x->input[i].type, x->input[i].shape,
                         sn_run_input(r, i));
        void *data = sn_run_input(r, i);
        in[i] = io_of(
            &x->input[i],
            sn_memdup(a, data,
                      sn_tensor_nbyte(x->input[i].type, x->input[i].shape)));
    }
    bool nan = false;
    r->hook = see_nan;
    r->hook_ctx = &nan;
    bool ran = sn_run(r) == SN_OK;
    for (uint32_t i = 0; i < x->noutput; i++)
        out[i] = (OrtIo){.name = x->output[i].name};
    if (ran &&
        !ort_run(t->ort, a, p, n, x->ninput, in, x->noutput, out, &why)) {
        if (!by_zero(why))
            bad(t, a, g, seed, form, why);
    } else if (ran) {
        t->nloaded++;
        count_loaded(t, g);
        for (uint32_t i = 0; i < x->noutput; i++)
            far = fmax(far, distance(&x->output[i], sn_run_output(r, i),
                                     &out[i].data));
        t->nfar += far > 1;
        if (far > steps_allowed(g) && !nan && !divides_codes(g))
            bad(t, a, g, seed, form, sn_format(a, "values %g off", far));
    }
    sn_run_free(r);
}

static void
one(Tally *t, uint64_t seed)
{
    SnArena *a = sn_arena_new();
    SnRandomOpts o = {.seed = seed,
                      .nnode = 1 + 2 * (uint32_t)(seed % 4),
                      .flavour = (SnRandomFlavour)(seed / 4 % SN_NRANDOM)};
    SnGraph *g = sn_random_graph(a, &o);
    bool empty = any_empty(g);

    t->nempty += empty;
    for (uint32_t f = 0; f < 2 && !empty; f++) {
        SnOnnxExport e = {.form = f ? SN_ONNX_QOPERATOR : SN_ONNX_QDQ,
                          .opset = seed % 5 ? 21 : 17};
        void *p;
        size_t n;
        if (sn_onnx_pack(a, g, &e, "t.onnx", sn_diag_new(a), &p, &n) == SN_OK)
            compare(t, a, g, seed, sn_onnx_forms()[f], p, n);
        else
            t->nrefused++;
    }
    sn_arena_free(a);
}

/* Kinds that random graphs do not bring everywhere. */
static const struct {
    const char *kind, *why;
} excused[] = {
    {"EmbeddingSum", "fused tables are not drawn"},
    {"IntegerConv2D", "reads differences of codes"},
    {"IntegerMatMul", "reads differences of codes"},
};

static bool
is_excused(SnKind k)
{
    for (size_t i = 0; i < sizeof excused / sizeof *excused; i++)
        if (!strcmp(sn_desc(k)->name, excused[i].kind))
            return true;
    return false;
}

static uint32_t
missing(const Tally *t)
{
    uint32_t n = 0;

    for (SnKind k = 1; k < sn_kind_end(); k++) {
        if (!sn_onnx_writes(k, 21))
            continue;
        printf("| %-28s", sn_desc(k)->name);
        for (int i = 0; i < NPLACE; i++)
            printf(" %7u", t->loaded[i][k]);
        printf("\n");
        for (int i = 0; i < NPLACE; i++)
            if (!t->loaded[i][k] && !is_excused(k) && ++n)
                printf("not ok written %s: never %s\n", sn_desc(k)->name,
                       place_name[i]);
    }
    return n;
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();
    const char *lib = "", *why = "";
    uint64_t n = 4000, seed = 0;
    Tally t = {0};

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--ort"))
            lib = argv[i + 1];
        else if (!strcmp(argv[i], "--n"))
            n = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            seed = strtoull(argv[i + 1], NULL, 10);
    }
    t.ort = ort_open(a, lib, NULL, &why);
    if (!t.ort) {
        printf("not ok written: %s\n", why);
        return 1;
    }
    for (int i = 0; i < NPLACE; i++)
        t.loaded[i] = SN_NEW_N(a, uint32_t, sn_kind_end());
    for (uint64_t i = 0; i < n; i++)
        one(&t, seed + i);
    uint32_t nmissing = missing(&t);
    printf("| %u models loaded, %u refused by the exporter, %u graphs with "
           "empty values left out, %u models more than a step off\n",
           t.nloaded, t.nrefused, t.nempty, t.nfar);
    if (t.nbad + nmissing == 0)
        printf("ok written\n");
    sn_arena_free(a);
    return t.nbad + nmissing > 0;
}
