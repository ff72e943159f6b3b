// SPDX-License-Identifier: Apache-2.0
/* Quantizes a float model with pictures of one byte a pixel, and shows the
 * result of the int8 model for the first of them.  Usage: embed MODEL.onnx
 * IMAGES.npy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sinter.h>

typedef struct Images {
    unsigned char *pixel;
    size_t n, each; /* pictures, pixels of one */
} Images;

/* A .npy file of bytes: its header says how long it is. */
static int
read_images(const char *path, size_t each, Images *im)
{
    unsigned char head[10];
    FILE *f = fopen(path, "rb");
    long size = 0, skip = 0;

    if (f && fread(head, 1, 10, f) == 10 && fseek(f, 0, SEEK_END) == 0) {
        skip = 10 + head[8] + 256 * head[9];
        size = ftell(f) - skip;
    }
    im->each = each;
    im->n = size > 0 ? (size_t)size / each : 0;
    im->pixel = (unsigned char *)malloc(im->n * each + 1);
    int ok = im->n && im->pixel && fseek(f, skip, SEEK_SET) == 0 &&
             fread(im->pixel, each, im->n, f) == im->n;
    if (f)
        fclose(f);
    return ok;
}

/* Calibration data: the model expects numbers from 0 to 1. */
static int
fill(void *ctx, int64_t sample, void *const *input)
{
    const Images *im = (const Images *)ctx;
    float *x = (float *)input[0];

    if ((size_t)sample >= im->n)
        return 1;
    for (size_t i = 0; i < im->each; i++)
        x[i] = (float)im->pixel[(size_t)sample * im->each + i] / 255;
    return 0;
}

static SinterStatus
classify(SinterSession *s, Images *im, SinterError *err)
{
    const SinterPort *in = sinter_session_input(s, 0);
    const SinterPort *out = sinter_session_output(s, 0);
    void *x = malloc(in->nbyte), *y = malloc(out->nbyte);
    SinterStatus st = x && y ? SINTER_OK : SINTER_ENOMEM;

    for (int k = 0; k < 8 && st == SINTER_OK && fill(im, k, &x) == 0; k++) {
        const void *xs[1] = {x};
        size_t best = 0;
        st = sinter_session_run(s, xs, &y, err);
        for (size_t i = 1; i < out->nbyte / sizeof(float); i++)
            if (((float *)y)[i] > ((float *)y)[best])
                best = i;
        printf("%s%d", k ? " " : "", (int)best);
    }
    printf("\n");
    free(x);
    free(y);
    return st;
}

int
main(int argc, char **argv)
{
    SinterModel *model = NULL, *int8 = NULL;
    SinterSession *session = NULL;
    SinterError err = {SINTER_EUSAGE, 0, 0, "", "embed", "two arguments", ""};
    Images im = {NULL, 0, 0};
    SinterQuantize q;
    SinterStatus st = SINTER_EUSAGE;

    memset(&q, 0, sizeof q);
    q.size = sizeof q;
    q.fill = fill;
    q.fill_ctx = &im;
    if (argc == 3)
        st = sinter_model_load(NULL, argv[1], NULL, &model, &err);
    if (st == SINTER_OK &&
        !read_images(argv[2],
                     sinter_model_input(model, 0)->nbyte / sizeof(float),
                     &im)) {
        fprintf(stderr, "%s: cannot be read\n", argv[2]);
        sinter_model_free(model);
        return SINTER_EINPUT;
    }
    if (st == SINTER_OK)
        st = sinter_model_quantize(model, &q, &int8, &err);
    if (st == SINTER_OK)
        st = sinter_session_new(int8, NULL, &session, &err);
    if (st == SINTER_OK)
        st = classify(session, &im, &err);
    if (st != SINTER_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    sinter_session_free(session);
    sinter_model_free(int8);
    sinter_model_free(model);
    free(im.pixel);
    return st;
}
