// SPDX-License-Identifier: Apache-2.0
/* What is done to a picture before a model sees it, as one line of text:
 *     resize=256 crop=224 channels=rgb mean=0.485,0.456,0.406 std=0.229
 * Later words replace earlier ones, so that lines may be put one after the
 * other. */
#ifndef SN_IMAGE_STEPS_H
#define SN_IMAGE_STEPS_H

#include "image/image.h"

typedef enum SnImageChannels {
    SN_IMAGE_ANY, /* rgb, or gray where the model has one channel */
    SN_IMAGE_RGB,
    SN_IMAGE_BGR,
    SN_IMAGE_GRAY
} SnImageChannels;

typedef enum SnImageNumbers {
    SN_IMAGE_UNSAID,
    SN_IMAGE_RAW,   /* 0 to 255 */
    SN_IMAGE_SCALED /* (v / 255 - mean) / std */
} SnImageNumbers;

typedef struct SnImageSteps {
    int64_t resize[2]; /* width, height; height 0: of the shorter side; 0, 0:
                          the least size that covers what is cut out */
    int64_t crop[2];   /* width, height, from the middle; 0, 0: the model's */
    SnImageChannels channels;
    SnImageNumbers numbers;
    uint32_t nmean, nstd; /* 1, or one for each channel; 0: 0 and 1 */
    float mean[3], std[3];
} SnImageSteps;

/* Presets, and the text of each: NULL, NULL at the end. */
typedef struct SnImagePreset {
    const char *name, *text, *help;
} SnImagePreset;
extern const SnImagePreset sn_image_presets[];

/* Reads text; NULL, or what is wrong with which word. */
const char *sn_image_steps(SnArena *a, const char *text, SnImageSteps *out);
/* The text of s, each word once, in a fixed order. */
const char *sn_image_steps_str(SnArena *a, const SnImageSteps *s);
/* Number v * mul[c] + add[c] of channel c, from the pixel v; false: pixels as
 * they are, 0 to 255, or nothing was said. */
bool sn_image_numbers(const SnImageSteps *s, float mul[3], float add[3]);
/* Whether the steps fit a model that takes w by h pixels of c channels: NULL,
 * or why not. */
const char *sn_image_steps_fit(SnArena *a, const SnImageSteps *s, int64_t w,
                               int64_t h, int64_t c);
/* Reads the file and writes its pixels to out, [h][w][c].  NULL, or why
 * not; the text lives in a. */
const char *sn_image_prepare(SnArena *a, const char *path,
                             const SnImageSteps *s, int64_t w, int64_t h,
                             int64_t c, uint8_t *out);

#endif
