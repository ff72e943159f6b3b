// SPDX-License-Identifier: Apache-2.0
/* Contexts in ONNX Runtime: models are compiled into a folder, and what comes
 * of the compiled ones is compared with the first session, bit by bit.
 *
 *   ep_context ONNXRUNTIME PROVIDER DIR MODEL...
 *
 * Of each model: with contexts in the node and in files, under both kinds of
 * bits, whole and with some operators left to ONNX Runtime.  Of the first two
 * also files that are damaged, and sessions that are asked for something else.
 * Prints "ok" or "not ok" lines; called by tests/long/ep.sh. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/data.h"
#include "base/diag.h"
#include "base/file/file.h"
#include "differ/peer.h"
#include "sinter.h"

enum { MAXIO = 16 };

typedef struct Job {
    SnArena *a;
    const char *lib, *dir, *path;
    OrtOpts with;
    uint32_t nin, nout;
    SnData in[MAXIO];
    size_t nbyte[MAXIO]; /* of outputs */
    unsigned nwritten;   /* models with contexts */
    double fresh, kept;  /* seconds that making a session takes */
} Job;

static int nbad;

static void
say(bool ok, const char *what, const char *why)
{
    printf("%s ep context: %s%s%s\n", ok ? "ok" : "not ok", what,
           ok ? "" : ": ", ok ? "" : why);
    fflush(stdout);
    nbad += !ok;
}

static SnDtype
dtype_of(SinterElem e)
{
    switch (e) {
    case SINTER_FLOAT32:
        return SN_D_F32;
    case SINTER_INT8:
        return SN_D_I8;
    case SINTER_UINT8:
        return SN_D_U8;
    case SINTER_INT64:
        return SN_D_I64;
    case SINTER_INT32:
        return SN_D_I32;
    default:
        return SN_D_NONE;
    }
}

/* Inputs with numbers that differ from place to place. */
static bool
open_job(Job *j, const char **why)
{
    const char *at = strchr(j->path, '@');
    const char *shape[] = {at ? at + 1 : NULL, NULL};
    SinterImport io = {.size = sizeof io, .shapes = shape};
    SinterError *e = SN_NEW(j->a, SinterError);
    SinterModel *m;

    *why = e->message;
    if (at)
        j->path = sn_strndup(j->a, j->path, (size_t)(at - j->path));
    if (sinter_model_load(NULL, j->path, at ? &io : NULL, &m, e) != SINTER_OK)
        return false;
    j->nin = sinter_model_ninput(m);
    j->nout = sinter_model_noutput(m);
    for (uint32_t i = 0; i < j->nin && i < MAXIO; i++) {
        const SinterPort *p = sinter_model_input(m, i);
        SnData d = {.dtype = dtype_of(p->elem), .rank = p->rank};
        uint8_t *x = sn_alloc(j->a, p->nbyte);
        memcpy(d.dim, p->dim, sizeof p->dim);
        for (size_t k = 0; k < p->nbyte; k++)
            x[k] = (uint8_t)(k * 37 % 127);
        if (d.dtype == SN_D_F32)
            for (size_t k = 0; k < p->nbyte / 4; k++)
                ((float *)(void *)x)[k] = (float)(k * 37 % 127) / 63 - 1;
        d.data = x;
        j->in[i] = d;
    }
    for (uint32_t i = 0; i < j->nout && i < MAXIO; i++)
        j->nbyte[i] = sinter_model_output(m, i)->nbyte;
    sinter_model_free(m);
    return j->nin <= MAXIO && j->nout <= MAXIO;
}

/* A session of path with these entries of its configuration, run once. */
static OrtHeld *
hold(Job *j, const char *path, uint32_t nentry, const char *const (*entry)[2],
     double *seconds, const char **why)
{
    OrtOpts o = j->with;

    o.nentry = nentry;
    for (uint32_t i = 0; i < nentry; i++) {
        o.entry[i] = entry[i][0];
        o.entry_value[i] = entry[i][1];
    }
    Ort *ort = ort_open(j->a, j->lib, &o, why);
    double t = sn_now();
    OrtHeld *h = ort ? ort_hold(ort, j->a, path, j->nin, j->in, why) : NULL;
    *seconds = sn_now() - t;
    if (h && !ort_again(h, why)) {
        ort_drop(h);
        return NULL;
    }
    return h;
}

static bool
same(Job *j, OrtHeld *x, OrtHeld *y)
{
    bool ok = true;

    for (uint32_t i = 0; i < j->nout; i++)
        ok = ok && ort_result(x, i) && ort_result(y, i) &&
             !memcmp(ort_result(x, i), ort_result(y, i), j->nbyte[i]);
    return ok;
}

/* Compiles into out, and loads that again. */
static bool
try_model(Job *j, const char *embed, const char *out, const char **why)
{
    const char *const entry[][2] = {{"ep.context_enable", "1"},
                                    {"ep.context_file_path", out},
                                    {"ep.context_embed_mode", embed}};
    double t;

    remove(out);
    OrtHeld *plain = hold(j, j->path, 0, NULL, &j->fresh, why);
    OrtHeld *first = plain ? hold(j, j->path, 3, entry, &t, why) : NULL;
    bool written = first && access(out, R_OK) == 0;
    j->nwritten += written;
    if (first && !written) { /* nothing was claimed */
        bool alike = same(j, plain, first);
        ort_drop(plain);
        ort_drop(first);
        return alike;
    }
    OrtHeld *again = first ? hold(j, out, 0, NULL, &j->kept, why) : NULL;
    bool ok = again != NULL;

    if (ok && (!same(j, plain, first) || !same(j, plain, again))) {
        *why = "outputs differ";
        ok = false;
    }
    ort_drop(plain);
    ort_drop(first);
    ort_drop(again);
    return ok;
}

static const char *
name_of(Job *j)
{
    const char *slash = strrchr(j->path, '/'), *s = slash;

    while (s && s > j->path && s[-1] != '/')
        s--;
    return s && slash ? sn_strndup(j->a, s, (size_t)(slash - s)) : j->path;
}

static void
try_all(Job *j)
{
    static const char *const bits[] = {"contract", "same"},
                             *const left[] = {"", "QLinearAdd,Relu,MaxPool,#7"};
    const char *why = "";
    bool ok = open_job(j, &why);
    double fresh[2] = {0, 0}, kept[2] = {0, 0};

    for (int b = 0; b < 2 && ok; b++)
        for (int l = 0; l < 2 && ok; l++)
            for (int e = 0; e < 2 && ok; e++) {
                j->with.nkey = 3;
                j->with.key[0] = "bits";
                j->with.value[0] = bits[b];
                j->with.key[1] = "small";
                j->with.value[1] = "1";
                j->with.key[2] = "leave";
                j->with.value[2] = left[l];
                ok = try_model(j, e ? "1" : "0",
                               sn_format(j->a, "%s/%s_%d%d%d.onnx", j->dir,
                                         name_of(j), b, l, e),
                               &why);
                if (b == 0 && l == 0) {
                    fresh[e] = j->fresh;
                    kept[e] = j->kept;
                }
            }
    say(ok && j->nwritten > 0,
        sn_format(j->a,
                  "%s, %u of 8 have contexts, a session in %.1f ms, of files "
                  "%.1f, of nodes %.1f",
                  name_of(j), j->nwritten, fresh[0] * 1e3, kept[0] * 1e3,
                  kept[1] * 1e3),
        why);
}

/* ---- what is wrong ---- */

/* Whether a session of the compiled model fails with this text. */
static void
expect(Job *j, const char *path, uint32_t nentry, const char *const (*entry)[2],
       const char *text)
{
    const char *why = "it is taken";
    double t;
    OrtHeld *h = hold(j, path, nentry, entry, &t, &why);

    say(!h && strstr(why, text), text, why);
    ort_drop(h);
}

static void
change_file(Job *j, const char *path, size_t at, size_t keep)
{
    SnDiag *d = sn_diag_new(j->a);
    char *text;
    size_t n;

    if (sn_file_read(j->a, d, path, 0, &text, &n) != SN_OK) {
        say(false, path, "cannot be read");
        return;
    }
    if (at < n)
        text[at] ^= 0x55;
    sn_file_write(d, path, text, keep < n ? keep : n);
}

/* The file of packed weights beside it, or NULL. */
static const char *
pack_of(Job *j, const char *context)
{
    static const char *const isa[] = {"vnni", "avx512", "avx2", "scalar"};

    for (size_t k = 0; k < sizeof isa / sizeof *isa; k++) {
        const char *s = sn_format(j->a, "%sw.pack-%s", context, isa[k]);
        if (access(s, R_OK) == 0)
            return s;
    }
    return NULL;
}

static void
try_damage(Job *j)
{
    const char *out = sn_format(j->a, "%s/damaged.onnx", j->dir), *why = "";
    const char *text = sn_format(j->a, "%s/damaged_sinter_0.sn", j->dir);
    const char *const enable[][2] = {
        {"ep.context_enable", "1"},
        {"ep.context_file_path", sn_format(j->a, "%s/again.onnx", j->dir)}};
    const char *const wrong[][2] = {{"ep.context_enable", "yes"}};
    double t;

    j->with.nkey = 1;
    j->with.key[0] = "bits";
    j->with.value[0] = "contract";
    say(try_model(j, "0", out, &why), "is compiled", why);
    if (access(text, R_OK) != 0)
        text = sn_format(j->a, "%s/damaged_sinter_0.onnx", j->dir);
    const char *pack = pack_of(j, text);
    say(pack != NULL, "packed weights are in a file", text);
    if (pack) { /* is packed anew */
        OrtHeld *x = hold(j, j->path, 0, NULL, &t, &why);
        change_file(j, pack, 20, SIZE_MAX);
        OrtHeld *y = hold(j, out, 0, NULL, &t, &why);
        say(x && y && same(j, x, y), "damaged packed weights are not used",
            why);
        ort_drop(x);
        ort_drop(y);
    }
    remove(enable[1][1]);
    expect(j, out, 2, enable, "holds contexts already");
    expect(j, j->path, 1, wrong, "ep.context_enable is neither");
    j->with.value[0] = "same";
    expect(
        j, out, 0, NULL,
        "option bits: is 'same', the model's contexts are of 'bits=contract");
    j->with.value[0] = "contract";
    change_file(j, text, SIZE_MAX, 100);
    expect(j, out, 0, NULL, "sinter: ");
    remove(text);
    expect(j, out, 0, NULL, "damaged_sinter_0");
}

int
main(int argc, char **argv)
{
    SnArena *a = sn_arena_new();

    if (argc < 5) {
        fprintf(stderr, "ep_context ONNXRUNTIME PROVIDER DIR MODEL...\n");
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        Job j = {.a = a,
                 .lib = argv[1],
                 .dir = argv[3],
                 .path = argv[i],
                 .with = {.nthread = 1, .provider = argv[2]}};
        try_all(&j);
        if (i < 6)
            try_damage(&j);
    }
    sn_arena_free(a);
    return nbad != 0;
}
