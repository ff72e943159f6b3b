// SPDX-License-Identifier: Apache-2.0
/* Times single layers: the shapes of well-known networks, on the CPU backend,
 * oneDNN and XNNPACK, in turn.
 *
 *     layers [-f] [-t THREADS] [-r ROUNDS] [-j FILE] [MATCH]
 *
 * -f: f32 instead of int8; -j also writes JSON.  Prints, for each layer whose
 * name contains MATCH, median microseconds over rounds, GOPS, the share of the
 * measured ceiling, how much faster sinter is than each rival, and what is
 * wanted; then the sum over the 53 convolutions of ResNet-50.  Data is warm: a
 * layer alone, again and again.  XNNPACK runs on one thread only.
 *
 * Wanted: as fast as oneDNN or faster, by what the table says; depthwise codes
 * also faster than oneDNN's depthwise reals; fully connected layers whose
 * filter is in memory no slower than reading as many bytes, by 0.85; 0.85 of
 * oneDNN in all where both use AVX2 (SINTER_CPU=avx2 ONEDNN_MAX_CPU_ISA=AVX2):
 * it saturates in 16 bits, we must not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/peers.h"
#include "kernel/isa.h"
#include "kernel/peak.h"
#include "run/exec.h"
#include "sn_kinds.h"

static const Layer layers[] = {
    /* name, h, c, oc, k, stride, pad, group; times in ResNet-50; wanted */
    {"r50 conv1 7x7/2 3>64 @224", 224, 3, 64, 7, 2, 3, 1, 1, 1.1},
    {"r50 1x1 64>64 @56", 56, 64, 64, 1, 1, 0, 1, 1, 1.1},
    {"r50 3x3 64>64 @56", 56, 64, 64, 3, 1, 1, 1, 3, 0},
    {"r50 1x1 64>256 @56", 56, 64, 256, 1, 1, 0, 1, 4, 1.1},
    {"r50 1x1 256>64 @56", 56, 256, 64, 1, 1, 0, 1, 2, 0},
    {"r50 1x1 256>128 @56", 56, 256, 128, 1, 1, 0, 1, 1, 0},
    {"r50 3x3/2 128>128 @56", 56, 128, 128, 3, 2, 1, 1, 1, 0},
    {"r50 1x1/2 256>512 @56", 56, 256, 512, 1, 2, 0, 1, 1, 0},
    {"r50 1x1 128>512 @28", 28, 128, 512, 1, 1, 0, 1, 4, 0},
    {"r50 1x1 512>128 @28", 28, 512, 128, 1, 1, 0, 1, 3, 0},
    {"r50 3x3 128>128 @28", 28, 128, 128, 3, 1, 1, 1, 3, 0},
    {"r50 1x1 512>256 @28", 28, 512, 256, 1, 1, 0, 1, 1, 0},
    {"r50 3x3/2 256>256 @28", 28, 256, 256, 3, 2, 1, 1, 1, 0},
    {"r50 1x1/2 512>1024 @28", 28, 512, 1024, 1, 2, 0, 1, 1, 0},
    {"r50 1x1 256>1024 @14", 14, 256, 1024, 1, 1, 0, 1, 6, 0},
    {"r50 1x1 1024>256 @14", 14, 1024, 256, 1, 1, 0, 1, 5, 0},
    {"r50 3x3 256>256 @14", 14, 256, 256, 3, 1, 1, 1, 5, 0},
    {"r50 1x1 1024>512 @14", 14, 1024, 512, 1, 1, 0, 1, 1, 0},
    {"r50 3x3/2 512>512 @14", 14, 512, 512, 3, 2, 1, 1, 1, 0},
    {"r50 1x1/2 1024>2048 @14", 14, 1024, 2048, 1, 2, 0, 1, 1, 0},
    {"r50 1x1 512>2048 @7", 7, 512, 2048, 1, 1, 0, 1, 3, 0},
    {"r50 1x1 2048>512 @7", 7, 2048, 512, 1, 1, 0, 1, 2, 0},
    {"r50 3x3 512>512 @7", 7, 512, 512, 3, 1, 1, 1, 2, 0},
    {"mbv2 dw3x3 32 @112", 112, 32, 32, 3, 1, 1, 32, 0, 1.8},
    {"mbv2 dw3x3/2 96 @112", 112, 96, 96, 3, 2, 1, 96, 0, 1.8},
    {"mbv2 dw3x3 144 @56", 56, 144, 144, 3, 1, 1, 144, 0, 1.8},
    {"mbv2 dw3x3 192 @28", 28, 192, 192, 3, 1, 1, 192, 0, 1.8},
    {"mbv2 dw3x3 384 @14", 14, 384, 384, 3, 1, 1, 384, 0, 1.8},
    {"mbv2 dw3x3 960 @7", 7, 960, 960, 3, 1, 1, 960, 0, 1.8},
    {"mbv2 1x1 24>144 @56", 56, 24, 144, 1, 1, 0, 1, 0, 0},
    {"mbv2 1x1 144>24 @56", 56, 144, 24, 1, 1, 0, 1, 0, 0},
    {"mbv2 1x1 96>576 @14", 14, 96, 576, 1, 1, 0, 1, 0, 0},
    {"mbv2 1x1 320>1280 @7", 7, 320, 1280, 1, 1, 0, 1, 0, 0},
    {"alex conv1 11x11/4 3>96 @227", 227, 3, 96, 11, 4, 0, 1, 0, 0},
    {"alex conv2 5x5 g2 96>256 @27", 27, 96, 256, 5, 1, 2, 2, 0, 0},
    {"alex conv3 3x3 256>384 @13", 13, 256, 384, 3, 1, 1, 1, 0, 0},
    {"goog 5x5 32>64 @14", 14, 32, 64, 5, 1, 2, 1, 0, 0},
    {"fc 2048>1000", 1, 2048, 1000, 1, 1, 0, 1, 0, 0},
    {"fc 1024>1024", 1, 1024, 1024, 1, 1, 0, 1, 0, 0},
    {"fc 9216>4096", 1, 9216, 4096, 1, 1, 0, 1, 0, 0},
};

static uint32_t seed = 1;
static int8_t
code(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (int8_t)(seed >> 24);
}

/* One convolution on codes or reals. */
static SnGraph *
build(SnArena *a, const Layer *l, bool int8)
{
    SnGraph *g = sn_graph_new(a, "layer");
    int64_t wd[] = {l->oc, l->k, l->k, l->c / l->group};
    int64_t xd[] = {1, l->h, l->h, l->c}, kernel[] = {l->k, l->k};
    int64_t stride[] = {l->stride, l->stride}, one[] = {1, 1};
    int64_t pads[] = {l->pad, l->pad, l->pad, l->pad};
    const SnShape *ws = sn_shape(g->pool, 4, wd);
    int64_t nw = sn_shape_count(ws);
    int8_t *w = SN_NEW_N(a, int8_t, nw);
    float *wf = SN_NEW_N(a, float, nw);
    const SnType *f32 = sn_type_plain(g->pool, SN_F32);
    SnPlaceholderAttr pa = {0};
    SnSaveAttr sa = {.name = "y"};
    SnConv2DAttr at = {.kernel = {2, kernel},
                       .stride = {2, stride},
                       .pads = {4, pads},
                       .dilate = {2, one},
                       .group = l->group};

    for (int64_t i = 0; i < nw; i++) {
        w[i] = code();
        wf[i] = (float)w[i] * 0.01f;
    }
    SnId x = sn_placeholder_new(g, "x", sn_shape(g->pool, 4, xd), NULL, &pa,
                                int8 ? sn_type_quant(g->pool, SN_QI8, 0.02f, -5)
                                     : f32);
    SnId wn =
        sn_constant_new(g, "w", ws, int8 ? (const void *)w : wf,
                        int8 ? sn_type_quant(g->pool, SN_QI8, 0.01f, 0) : f32);
    SnId y =
        sn_conv2d_new(g, "y", SN_REF(x, 0), SN_REF(wn, 0), 0, &at,
                      int8 ? sn_type_quant(g->pool, SN_QI8, 0.5f, 3) : f32);
    sn_save_new(g, "y", SN_REF(y, 0), &sa);
    return g;
}

static void
run_ours(void *state)
{
    sn_run(state);
}

static SnRun *
open_ours(SnArena *a, const Layer *l, bool int8, unsigned nthread)
{
    const SnExec *x;

    if (sn_exec_prepare(a, build(a, l, int8), sn_backend_named("CPU"),
                        sn_diag_new(a), &x) != SN_OK)
        exit(1);
    SnRun *r = sn_run_team(a, x, nthread);
    int64_t n = sn_shape_count(x->input[0].shape);
    for (int64_t i = 0; i < n; i++)
        if (int8)
            ((int8_t *)sn_run_input(r, 0))[i] = code();
        else
            ((float *)sn_run_input(r, 0))[i] = (float)code() * 0.01f;
    return r;
}

/* OTHER: depthwise, oneDNN on reals; fully connected, reading the filter. */
enum { OURS, DNNL, XNN, OTHER, NPEER, NCOLUMN = OTHER };
enum { MOST_ROUNDS = 51, LEAST = 7 };
static const char *const names[] = {"sinter", "oneDNN", "XNNPACK", "other"};
static const double READ_SHARE = 0.85, AVX2_SHARE = 0.85;
static const double FAR_BYTES = 4 << 20; /* read from memory, not a cache */
static const double SECONDS = 0.02;      /* of a peer in a round */

typedef struct Args {
    bool f32;
    unsigned nthread;
    int nround;
    const char *json, *match;
} Args;

/* Median seconds of a run, for a round. */
static double
round_of(const Peer *p)
{
    enum { MOST = 2001 };
    static double t[MOST];
    int n = 0;

    for (double first = sn_now();
         n < MOST && (n < LEAST || sn_now() - first < SECONDS); n++) {
        double t0 = sn_now();
        p->run(p->state);
        t[n] = sn_now() - t0;
    }
    sn_sort(t, (size_t)n);
    return t[n / 2];
}

typedef struct Bytes {
    void *p;
    size_t n;
} Bytes;

static void
read_bytes(void *state)
{
    const Bytes *b = state;

    sn_peak_read(sn_isa(), b->p, b->n);
}

static bool
open_other(const Args *g, const Layer *l, Bytes *b, Peer *p)
{
    if (g->f32 || g->nthread > 1)
        return false;
    if (l->group > 1 && l->group == l->c)
        return sn_dnnl_layer(l, false, p);
    if (l->h > 1)
        return false;
    b->n = (size_t)(l->oc * l->c) / 128 * 128;
    b->p = aligned_alloc(128, b->n);
    if (b->p)
        memset(b->p, 1, b->n);
    *p = (Peer){read_bytes, b};
    return b->p != NULL;
}

/* Seconds of each peer; NAN for one that is not there. */
static void
measure(const Args *g, const Layer *l, double s[NPEER])
{
    static double v[NPEER][MOST_ROUNDS];
    SnArena *a = sn_arena_new();
    SnRun *r = open_ours(a, l, !g->f32, g->nthread);
    Peer p[NPEER] = {{run_ours, r}};
    bool have[NPEER] = {true};
    Bytes bytes = {0};

    have[DNNL] = sn_dnnl_layer(l, !g->f32, &p[DNNL]);
    have[XNN] = g->nthread == 1 && sn_xnnpack_layer(l, !g->f32, &p[XNN]);
    have[OTHER] = open_other(g, l, &bytes, &p[OTHER]);
    for (int k = 0; k < g->nround; k++)
        for (int i = 0; i < NPEER; i++)
            v[i][k] = have[i] ? round_of(&p[i]) : NAN;
    for (int i = 0; i < NPEER; i++) {
        sn_sort(v[i], (size_t)g->nround);
        s[i] = v[i][g->nround / 2];
    }
    free(bytes.p);
    sn_run_free(r);
    sn_arena_free(a);
}

static double
ops(const Layer *l)
{
    int64_t o = sn_layer_out(l);

    return 2.0 * (double)(o * o * l->oc * l->k * l->k * l->c) /
           (double)l->group;
}

static void
put_row(const char *name, double op, double peak, const double s[NPEER],
        double wanted)
{
    printf("%-30s", name);
    for (int i = 0; i < NCOLUMN; i++)
        if (isnan(s[i]))
            printf(" %9s %7s %5s", "-", "-", "-");
        else
            printf(" %9.1f %7.1f %4.0f%%", s[i] * 1e6, op / s[i] * 1e-9,
                   peak > 0 ? 100 * op / s[i] / peak : 0);
    for (int i = 1; i < NCOLUMN; i++)
        if (isnan(s[i]))
            printf(" %6s", "-");
        else
            printf(" %5.2fx", s[i] / s[OURS]);
    if (wanted > 0 && !isnan(s[DNNL]))
        printf("  %.2fx %s", wanted,
               s[DNNL] >= wanted * s[OURS] ? "met" : "missed");
}

/* What is wanted beside the other: of oneDNN's reals, of reading. */
static void
put_other(const Layer *l, const double s[NPEER])
{
    if (isnan(s[OTHER]))
        return;
    double ratio = s[OTHER] / s[OURS], size = (double)(l->oc * l->c);
    if (l->h > 1) {
        printf(", reals %.2fx, 1.00x %s", ratio, ratio > 1 ? "met" : "missed");
        return;
    }
    printf("  %.1f GB/s, %.0f%% of reading alone", size / s[OURS] * 1e-9,
           100 * ratio);
    if (size > FAR_BYTES)
        printf(", %.0f%% %s", 100 * READ_SHARE,
               ratio >= READ_SHARE ? "met" : "missed");
}

static void
put_json(FILE *f, const Args *g, const Layer *l, const double s[NPEER])
{
    fprintf(f,
            "{\"layer\": \"%s\", \"type\": \"%s\", \"threads\": %u, "
            "\"cpu\": \"%s\", \"ops\": %.0f",
            l->name, g->f32 ? "f32" : "int8", g->nthread, sn_isa_name(sn_isa()),
            ops(l));
    for (int i = 0; i < NPEER; i++)
        if (!isnan(s[i]))
            fprintf(f, ", \"%s_us\": %.3f", names[i], s[i] * 1e6);
    fputs("}\n", f);
}

static void
put_head(const Args *g, const SnPeak *k, double peak)
{
    printf("%s, %u thread%s, %s; ceiling %.0f GOPS, memory %.1f GB/s\n",
           g->f32 ? "f32" : "int8", g->nthread, g->nthread > 1 ? "s" : "",
           sn_isa_name(sn_isa()), peak * 1e-9, k->read * 1e-9);
    printf("%-30s", "layer: us, GOPS, of the ceiling");
    for (int i = 0; i < NCOLUMN; i++)
        printf(" %23s", names[i]);
    printf(" oneDNN XNNPACK wanted\n");
}

static void
all_layers(const Args *g)
{
    SnPeak k = sn_peak(sn_isa(), g->nthread);
    double peak = g->f32 ? k.ops32 : k.ops8, op = 0, sum[NPEER] = {0};
    bool narrow = sn_isa() == SN_ISA_AVX2, each = !g->f32 && !narrow;
    FILE *f = g->json ? fopen(g->json, "a") : NULL;
    int count = 0;

    put_head(g, &k, peak);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const Layer *l = &layers[i];
        double s[NPEER];
        if (!strstr(l->name, g->match))
            continue;
        measure(g, l, s);
        put_row(l->name, ops(l), peak, s, each ? l->wanted : 0);
        put_other(l, s);
        putchar('\n');
        if (f)
            put_json(f, g, l, s);
        for (int p = 0; p < NPEER; p++)
            sum[p] += l->count ? s[p] * l->count : 0;
        op += ops(l) * l->count;
        count += l->count;
        fflush(stdout);
    }
    if (count == 53) {
        put_row("ResNet-50's 53 convolutions", op, peak, sum,
                g->f32   ? 0
                : narrow ? AVX2_SHARE
                         : 1);
        putchar('\n');
    }
    if (f)
        fclose(f);
}

/* OpenMP reads its number of threads when the program starts. */
static void
with_threads(const Args *g, char **argv)
{
    char n[16];

    if (getenv("OMP_NUM_THREADS"))
        return;
    snprintf(n, sizeof n, "%u", g->nthread);
    setenv("OMP_NUM_THREADS", n, 1);
    execv("/proc/self/exe", argv);
}

int
main(int argc, char **argv)
{
    Args g = {.nthread = 1, .nround = 5, .match = ""};

    for (int c; (c = getopt(argc, argv, "ft:r:j:")) != -1;) {
        if (c == 'f')
            g.f32 = true;
        else if (c == 't')
            g.nthread = (unsigned)atoi(optarg);
        else if (c == 'r')
            g.nround = atoi(optarg);
        else if (c == 'j')
            g.json = optarg;
        else
            return 2;
    }
    if (g.nthread < 1 || g.nthread > SN_MAXTHREAD || g.nround < 1 ||
        g.nround > MOST_ROUNDS) {
        fputs("usage: layers [-f] [-t THREADS] [-r ROUNDS] [-j FILE] "
              "[MATCH]\n",
              stderr);
        return 2;
    }
    if (optind < argc)
        g.match = argv[optind];
    with_threads(&g, argv);
    all_layers(&g);
    return 0;
}
