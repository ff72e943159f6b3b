// SPDX-License-Identifier: Apache-2.0
#include "image/image.h"

#include <errno.h>
#include <spng.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <turbojpeg.h>

#include "base/buf.h"

enum {
    FILE_MOST = 1 << 28,  /* bytes */
    SIDE_MOST = 1 << 16,  /* pixels */
    CHUNK_MOST = 1 << 24, /* bytes of what a PNG says besides */
    CACHE_MOST = 1 << 25
};

typedef struct Bytes {
    const uint8_t *p;
    size_t n;
} Bytes;

bool
sn_image_named(const char *path)
{
    static const char *const end[] = {".png", ".jpg", ".jpeg"};
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
        size_t m = strlen(end[i]);
        if (n > m && strcasecmp(path + n - m, end[i]) == 0)
            return true;
    }
    return false;
}

/* ---- the file ---- */

static void
close_file(void *f)
{
    fclose(f);
}

static const char *
read_file(SnArena *a, const char *path, Bytes *out)
{
    SnArena *own = sn_arena_new(); /* has the file, should memory run out */
    FILE *f = fopen(path, "rb");
    const char *why = NULL;
    long size = -1;

    if (!f) {
        why = sn_format(a, "cannot open: %s", strerror(errno));
        sn_arena_free(own);
        return why;
    }
    sn_arena_at_free(own, close_file, f);
    if (fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) {
        why = sn_format(a, "cannot read: %s", strerror(errno));
    } else if (size > FILE_MOST) {
        why = sn_format(a, "has %ld bytes, more than %d", size, FILE_MOST);
    } else {
        uint8_t *p = sn_alloc(a, (size_t)size + 1);
        out->p = p;
        out->n = fread(p, 1, (size_t)size, f);
        if (out->n != (size_t)size)
            why = sn_format(a, "cannot read: %s",
                            ferror(f) ? strerror(errno) : "it became shorter");
    }
    sn_arena_free(own);
    return why;
}

/* Room for a picture of this size. */
static const char *
get_room(SnArena *a, int64_t w, int64_t h, SnImage *out)
{
    if (w < 1 || h < 1 || w > SIDE_MOST || h > SIDE_MOST ||
        w * h > SN_IMAGE_PIXELS)
        return sn_format(
            a, "has %lld x %lld pixels, expected at most %lld in all",
            (long long)w, (long long)h, (long long)SN_IMAGE_PIXELS);
    *out = (SnImage){w, h, sn_alloc_n(a, (size_t)w * (size_t)h, 3)};
    return NULL;
}

/* ---- PNG ---- */

static void
free_png(void *ctx)
{
    spng_ctx_free(ctx);
}

static const char *
png_why(SnArena *a, int err)
{
    return sn_format(a, "is not a complete PNG file: %s", spng_strerror(err));
}

static const char *
read_png(SnArena *a, SnArena *own, Bytes b, SnImage *out)
{
    struct spng_ihdr ihdr;
    size_t n;
    spng_ctx *ctx = spng_ctx_new(0);

    if (!ctx)
        return "no memory";
    sn_arena_at_free(own, free_png, ctx);
    int err = spng_set_image_limits(ctx, SIDE_MOST, SIDE_MOST);
    if (!err)
        err = spng_set_chunk_limits(ctx, CHUNK_MOST, CACHE_MOST);
    if (!err)
        err = spng_set_png_buffer(ctx, b.p, b.n);
    if (!err)
        err = spng_get_ihdr(ctx, &ihdr);
    if (err)
        return png_why(a, err);
    const char *why = get_room(a, ihdr.width, ihdr.height, out);
    if (why)
        return why;
    err = spng_decoded_image_size(ctx, SPNG_FMT_RGB8, &n);
    if (!err && n != (size_t)out->w * (size_t)out->h * 3)
        return "is a PNG file whose data does not have the size of its header";
    if (!err)
        err = spng_decode_image(ctx, out->rgb, n, SPNG_FMT_RGB8, 0);
    return err ? png_why(a, err) : NULL;
}

/* ---- JPEG ---- */

static void
free_jpeg(void *ctx)
{
    tjDestroy(ctx);
}

/* What is left of a file that was cut short is gray, with a warning. */
static bool
is_cut(const char *message)
{
    return strstr(message, "remature end") != NULL;
}

static const char *
read_jpeg(SnArena *a, SnArena *own, Bytes b, SnImage *out)
{
    int w = 0, h = 0, sub, space = 0; /* a file may hold tables alone */
    tjhandle t = tjInitDecompress();

    if (!t)
        return "no memory";
    sn_arena_at_free(own, free_jpeg, t);
    if (tjDecompressHeader3(t, b.p, (unsigned long)b.n, &w, &h, &sub, &space) !=
        0)
        return sn_format(a, "is not a JPEG file: %s", tjGetErrorStr2(t));
    if (w == 0 || h == 0)
        return "is not a JPEG file: it ends before its size";
    if (space == TJCS_CMYK || space == TJCS_YCCK)
        return "is a JPEG file with four colors (CMYK): expected gray or RGB";
    const char *why = get_room(a, w, h, out);
    if (why)
        return why;
    if (tjDecompress2(t, b.p, (unsigned long)b.n, out->rgb, w, 0, h, TJPF_RGB,
                      TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0 &&
        (tjGetErrorCode(t) != TJERR_WARNING || is_cut(tjGetErrorStr2(t))))
        return sn_format(a, "is not a complete JPEG file: %s",
                         tjGetErrorStr2(t));
    return NULL;
}

const char *
sn_image_decode(SnArena *a, const void *file, size_t n, SnImage *out)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xff, 0xd8};
    const Bytes b = {file, n};
    SnArena *own = sn_arena_new();
    const char *why;

    if (n > sizeof png && memcmp(file, png, sizeof png) == 0)
        why = read_png(a, own, b, out);
    else if (n > sizeof jpeg && memcmp(file, jpeg, sizeof jpeg) == 0)
        why = read_jpeg(a, own, b, out);
    else
        why = n ? "is neither a PNG nor a JPEG file" : "is empty";
    if (why) /* it may be the decoder's own text */
        why = sn_strndup(a, why, strlen(why));
    sn_arena_free(own);
    return why;
}

const char *
sn_image_read(SnArena *a, const char *path, SnImage *out)
{
    Bytes b = {0};
    const char *why = read_file(a, path, &b);

    return why ? why : sn_image_decode(a, b.p, b.n, out);
}
