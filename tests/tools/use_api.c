// SPDX-License-Identifier: Apache-2.0
/* A program that does with a float model what sinter.h offers, for
 * tests/long/faults.sh: reads it, quantizes it, writes the int8 model in both
 * forms, reads them again, runs them.  Its exit code is the first status that
 * is not 0, whose message it prints; 70 where values differ.  Usage: use_api
 * MODEL DIRECTORY */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sinter.h"

enum { NIN = 28 * 28, NOUT = 10, NSAMPLE = 4, DEFECT = 70 };

static float image[NSAMPLE][NIN], first[NSAMPLE][NOUT], again[NSAMPLE][NOUT];
static SinterError err;

static int
fill(void *ctx, int64_t sample, void *const *input)
{
    (void)ctx;
    if (sample == NSAMPLE)
        return 1;
    memcpy(input[0], image[sample], sizeof image[sample]);
    return 0;
}

static bool
fine(SinterStatus s)
{
    return s == SINTER_OK;
}

/* Runs samples one by one and all at once, with packed weights in a file. */
static bool
run(SinterModel *m, const char *pack, float (*y)[NOUT])
{
    SinterSessionConfig c = {
        .size = sizeof c, .threads = 2, .pack = pack, .pack_save = 1};
    SinterSession *s = NULL;
    static float all[NSAMPLE][NOUT];
    const void *in[] = {image};
    void *out[] = {all};
    bool ok = fine(sinter_session_new(m, &c, &s, &err));

    for (int i = 0; i < NSAMPLE && ok; i++) {
        const void *x[] = {image[i]};
        void *to[] = {y[i]};
        ok = fine(sinter_session_run(s, x, to, &err));
    }
    ok = ok && fine(sinter_session_run_batch(s, NSAMPLE, 2, in, out, &err));
    if (ok && memcmp(all, y, sizeof all) != 0) {
        err.status = (SinterStatus)DEFECT;
        ok = false;
    }
    sinter_session_free(s);
    return ok;
}

/* Writes m to the path, reads it again and runs that. */
static bool
round_trip(SinterModel *m, const char *path, const char *pack)
{
    SinterModel *back = NULL;
    bool ok = fine(sinter_model_save(m, path, NULL, &err)) &&
              fine(sinter_model_load(NULL, path, NULL, &back, &err)) &&
              fine(sinter_model_optimize(back, NULL, &err)) &&
              fine(sinter_model_verify(back, &err)) && run(back, pack, again);

    if (ok && memcmp(first, again, sizeof first) != 0) {
        err.status = (SinterStatus)DEFECT;
        ok = false;
    }
    sinter_model_free(back);
    return ok;
}

static bool
use(const char *model, const char *dir)
{
    SinterQuantize q = {.size = sizeof q, .fill = fill};
    SinterModel *m = NULL, *int8 = NULL;
    char sn[512], onnx[512], pack[512];
    void *p = NULL;
    size_t n;

    snprintf(sn, sizeof sn, "%s/m.sn", dir);
    snprintf(onnx, sizeof onnx, "%s/m.onnx", dir);
    snprintf(pack, sizeof pack, "%s/m.snw", dir);
    bool ok =
        fine(sinter_model_load(NULL, model, NULL, &m, &err)) &&
        fine(sinter_model_quantize(m, &q, &int8, &err)) &&
        run(int8, pack, first) &&
        fine(sinter_model_pack(int8, SINTER_FORMAT_ONNX, NULL, &p, &n, &err)) &&
        round_trip(int8, sn, pack) && round_trip(int8, onnx, pack);
    sinter_free(p);
    sinter_model_free(int8);
    sinter_model_free(m);
    return ok;
}

int
main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "use_api MODEL DIRECTORY\n");
        return SINTER_EUSAGE;
    }
    for (int i = 0; i < NSAMPLE * NIN; i++)
        image[i / NIN][i % NIN] = (float)(i * 29 % 31) / 31;
    if (use(argv[1], argv[2]))
        return 0;
    fprintf(stderr, "%s: %s\n", err.where, err.message);
    return (int)err.status;
}
