// SPDX-License-Identifier: Apache-2.0
/* Samples for a graph's inputs, from .npy files and TensorProto .pb files.
 *
 * A .npy file holds images [N, H, W, C] or [N, H, W], or samples already in
 * the model's own shape; a .pb file holds one sample (or N) in the model's
 * shape.  Either may hold a stack of samples, with one axis more in front.
 * Values become reals, x * mul + add per channel, in the order of the model's
 * layout.  A quantized input read from integers without mul and add
 * takes them as codes (uint8 less 128).  From .npy files only the requested
 * sample is read.  A model with a leading dimension of B takes B rows of a file
 * as one sample.
 *
 * Pictures are opened by a function of the caller (SnPixels.pictures): this
 * folder decodes none. */
#ifndef SN_SAMPLES_H
#define SN_SAMPLES_H

#include "run/exec.h"
#include "run/npy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnLayout {
    SN_LAYOUT_AUTO, /* whichever fits the file's shape */
    SN_LAYOUT_NHWC,
    SN_LAYOUT_NCHW,
    SN_NLAYOUT
} SnLayout;

/* Pictures that are decoded when their sample is filled: n of them, each h by w
 * pixels of c bytes, the size of the input. */
typedef struct SnPictures {
    int64_t n, h, w, c;
    bool first;   /* the input has its channels first */
    bool numbers; /* reals are v * mul + add, one of each per channel */
    float mul[3], add[3];
    const uint32_t *of; /* [n] their classes, or NULL */
    uint32_t nclass;
    const char *const *name; /* [nclass] */
    const char *const *path; /* [n] their files */
    /* Writes picture i to `to`.  NULL, or why there is none, in a.  Threads
     * call it at once. */
    const char *(*make)(const struct SnPictures *p, int64_t i, SnArena *a,
                        uint8_t *to);
    const void *of_make;
} SnPictures;

/* Opens what is at path for the input; *out is NULL for a file of another
 * kind. */
typedef SnStatus SnPicturesOpen(void *ctx, SnArena *a, const char *path,
                                const SnPort *port, SnDiag *d,
                                const SnPictures **out);

typedef struct SnPixels {
    SnLayout layout;     /* of the model's input */
    uint32_t nmul, nadd; /* 0, 1 or one per channel */
    const float *mul, *add;
    SnPicturesOpen *pictures; /* NULL: only files of numbers */
    void *pictures_ctx;
} SnPixels;

typedef struct SnFileData {     /* one file's part of an input */
    SnNpy file;                 /* a .pb file has its data here */
    const SnPictures *pictures; /* NULL: numbers */
    SnPixels px;
    int64_t first, n; /* sample numbers it holds */
    int64_t rows;     /* pictures or rows of a sample: the model's batch */
    bool stack;       /* the file's first axis counts samples, not rows */
    bool permute;     /* NHWC in the file, NCHW in the model */
    int64_t h, w, c;  /* of one sample; c is 1 without channels */
    bool last;        /* channels are the file's last axis */
} SnFileData;

typedef struct SnFeed {
    const SnPort *port;
    uint32_t nfile;
    SnFileData *file;
} SnFeed;

typedef struct SnSamples {
    int64_t n;
    int64_t skip; /* sample 0 is number `skip` of the files */
    int64_t all;  /* samples that the files hold */
    uint32_t ninput;
    SnFeed *feed; /* [ninput] */
    SnPixels px;
} SnSamples;

/* "[1, 3, 32, 32]" */
const char *sn_dims_str(SnArena *a, int rank, const int64_t *dim);
/* files: "FILE" or "INPUT=FILE".  With one input all files are its samples in
 * order; with several, files without a name go to the inputs in order.
 * limit -1: all samples. */
SnStatus sn_samples_open(SnArena *a, uint32_t ninput, const SnPort *input,
                         uint32_t nfile, const char *const *files,
                         const SnPixels *px, int64_t limit, SnDiag *d,
                         SnSamples **out);
/* SnBatch.fill; ctx is the SnSamples.  Fails (SN_EINPUT) when a file can no
 * longer be read. */
SnStatus sn_samples_fill(void *ctx, int64_t sample, SnRun *r);

#ifdef __cplusplus
}
#endif

#endif
