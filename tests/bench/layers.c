/* Times single layers on the CPU backend: the shapes of well-known networks.
 * Usage: layers [MATCH] prints, for each layer whose name contains MATCH,
 * microseconds (median), GOPS and the ratio to the generated evaluator when
 * asked by the environment variable EVALUATOR=1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/isa.h"
#include "run/exec.h"
#include "sn_kinds.h"

typedef struct Layer {
    const char *name;
    int64_t h, c, oc, k, stride, pad, group;
} Layer;

static const Layer layers[] = {
    {"r50 conv1 7x7/2 3>64 @224", 224, 3, 64, 7, 2, 3, 1},
    {"r50 1x1 64>64 @56", 56, 64, 64, 1, 1, 0, 1},
    {"r50 3x3 64>64 @56", 56, 64, 64, 3, 1, 1, 1},
    {"r50 1x1 64>256 @56", 56, 64, 256, 1, 1, 0, 1},
    {"r50 1x1 256>64 @56", 56, 256, 64, 1, 1, 0, 1},
    {"r50 3x3/2 128>128 @56", 56, 128, 128, 3, 2, 1, 1},
    {"r50 1x1/2 256>512 @56", 56, 256, 512, 1, 2, 0, 1},
    {"r50 1x1 128>512 @28", 28, 128, 512, 1, 1, 0, 1},
    {"r50 1x1 512>128 @28", 28, 512, 128, 1, 1, 0, 1},
    {"r50 3x3 128>128 @28", 28, 128, 128, 3, 1, 1, 1},
    {"r50 1x1 256>1024 @14", 14, 256, 1024, 1, 1, 0, 1},
    {"r50 1x1 1024>256 @14", 14, 1024, 256, 1, 1, 0, 1},
    {"r50 3x3 256>256 @14", 14, 256, 256, 3, 1, 1, 1},
    {"r50 1x1 512>2048 @7", 7, 512, 2048, 1, 1, 0, 1},
    {"r50 1x1 2048>512 @7", 7, 2048, 512, 1, 1, 0, 1},
    {"r50 3x3 512>512 @7", 7, 512, 512, 3, 1, 1, 1},
    {"mbv2 dw3x3 32 @112", 112, 32, 32, 3, 1, 1, 32},
    {"mbv2 dw3x3/2 96 @112", 112, 96, 96, 3, 2, 1, 96},
    {"mbv2 dw3x3 144 @56", 56, 144, 144, 3, 1, 1, 144},
    {"mbv2 dw3x3 384 @14", 14, 384, 384, 3, 1, 1, 384},
    {"mbv2 dw3x3 960 @7", 7, 960, 960, 3, 1, 1, 960},
    {"mbv2 1x1 24>144 @56", 56, 24, 144, 1, 1, 0, 1},
    {"mbv2 1x1 144>24 @56", 56, 144, 24, 1, 1, 0, 1},
    {"mbv2 1x1 320>1280 @7", 7, 320, 1280, 1, 1, 0, 1},
    {"alex conv1 11x11/4 3>96 @227", 227, 3, 96, 11, 4, 0, 1},
    {"alex conv2 5x5 g2 96>256 @27", 27, 96, 256, 5, 1, 2, 2},
    {"goog 5x5 32>64 @14", 14, 32, 64, 5, 1, 2, 1},
    {"fc 2048>1000", 1, 2048, 1000, 1, 1, 0, 1},
    {"fc 1024>1024", 1, 1024, 1024, 1, 1, 0, 1},
    {"fc 9216>4096", 1, 9216, 4096, 1, 1, 0, 1},
};

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t seed = 1;
static int8_t
code(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (int8_t)(seed >> 24);
}

static SnGraph *
build(SnArena *a, const Layer *l)
{
    SnGraph *g = sn_graph_new(a, "layer");
    int64_t wd[] = {l->oc, l->k, l->k, l->c / l->group};
    int64_t xd[] = {1, l->h, l->h, l->c}, kernel[] = {l->k, l->k};
    int64_t stride[] = {l->stride, l->stride}, one[] = {1, 1};
    int64_t pads[] = {l->pad, l->pad, l->pad, l->pad};
    const SnShape *ws = sn_shape(g->pool, 4, wd);
    int64_t nw = sn_shape_count(ws);
    int8_t *w = SN_NEW_N(a, int8_t, nw);
    SnPlaceholderAttr pa = {0};
    SnSaveAttr sa = {.name = "y"};
    SnConv2DAttr at = {.kernel = {2, kernel},
                       .stride = {2, stride},
                       .pads = {4, pads},
                       .dilate = {2, one},
                       .group = l->group};

    for (int64_t i = 0; i < nw; i++)
        w[i] = code();
    const SnType *xt = sn_type_quant(g->pool, SN_QI8, 0.02f, -5);
    SnId x =
        sn_placeholder_new(g, "x", sn_shape(g->pool, 4, xd), NULL, &pa, xt);
    SnId wn = sn_constant_new(g, "w", ws, w,
                              sn_type_quant(g->pool, SN_QI8, 0.01f, 0));
    SnId y = sn_conv2d_new(g, "y", SN_REF(x, 0), SN_REF(wn, 0), 0, &at,
                           sn_type_quant(g->pool, SN_QI8, 0.5f, 3));
    sn_save_new(g, "y", SN_REF(y, 0), &sa);
    return g;
}

static int
ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Median seconds of a run. */
static double
measure(SnArena *a, const SnGraph *g, const SnBackendDesc *b)
{
    enum { MOST = 201 };
    const SnExec *x;
    double t[MOST], first;
    int n = 0;

    if (sn_exec_prepare(a, g, b, sn_diag_new(a), &x) != SN_OK)
        exit(1);
    SnRun *r = sn_run_new(a, x);
    int8_t *in = sn_run_input(r, 0);
    int64_t nin = sn_shape_count(x->input[0].shape);
    for (int64_t i = 0; i < nin; i++)
        in[i] = code();
    sn_run(r);
    for (first = now(); n < MOST && (n < 3 || now() - first < 0.3); n++) {
        double t0 = now();
        sn_run(r);
        t[n] = now() - t0;
    }
    sn_run_free(r);
    qsort(t, (size_t)n, sizeof *t, ascending);
    return t[n / 2];
}

int
main(int argc, char **argv)
{
    const char *match = argc > 1 ? argv[1] : "";

    printf("%-32s %9s %9s   (%s)\n", "layer", "us", "GOPS",
           sn_isa_name(sn_isa()));
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const Layer *l = &layers[i];
        if (!strstr(l->name, match))
            continue;
        SnArena *a = sn_arena_new();
        SnGraph *g = build(a, l);
        int64_t o = (l->h + 2 * l->pad - l->k) / l->stride + 1;
        double op = 2.0 * (double)(o * o * l->oc * l->k * l->k * l->c) /
                    (double)l->group;
        double s = measure(a, g, sn_backend_named("CPU"));
        printf("%-32s %9.1f %9.1f", l->name, s * 1e6, op / s * 1e-9);
        if (getenv("EVALUATOR"))
            printf(" %7.1fx", measure(a, g, NULL) / s);
        putchar('\n');
        sn_arena_free(a);
    }
    return 0;
}
