// SPDX-License-Identifier: Apache-2.0
/* Pictures of 8 bits a channel, red, green and blue. */
#ifndef SN_IMAGE_H
#define SN_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct SnImage {
    int64_t w, h;
    uint8_t *rgb; /* [h][w][3] */
} SnImage;

/* Pixels of a picture, at most: 8192 by 8192. */
#define SN_IMAGE_PIXELS ((int64_t)1 << 26)

/* By its name: .png, .jpg or .jpeg, in any case. */
bool sn_image_named(const char *path);

/* Reads a PNG or JPEG file, whichever its first bytes say.  Gray values and
 * palettes become red, green and blue; 16 bits lose their lower ones; alpha and
 * a rotation in the metadata are not looked at, as Pillow's convert("RGB") has
 * it.  Returns NULL, or why there is no picture: a file that cannot be read, is
 * of another format, damaged, cut short, has four colours, or more than
 * SN_IMAGE_PIXELS.  The picture and the text live in a.  Threads may read at
 * once. */
const char *sn_image_read(SnArena *a, const char *path, SnImage *out);
/* The same of the n bytes of a file. */
const char *sn_image_decode(SnArena *a, const void *file, size_t n,
                            SnImage *out);

/* x in the size w by h, both at least 1: each pixel is the mean of those below
 * a triangle as wide as two of its own, or of the source's where these are
 * wider; columns first, then rows, each rounded to 8 bits from weights of 22.
 * The same bytes as Pillow's resize with BILINEAR (Pillow documentation,
 * "Filters"). */
void sn_image_resize(SnArena *a, const SnImage *x, int64_t w, int64_t h,
                     SnImage *out);

#endif
