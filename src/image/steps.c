// SPDX-License-Identifier: Apache-2.0
#include "image/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum { SIDE_MOST = 1 << 14 };

/* Means and deviations of ImageNet's training pictures, as torchvision's
 * documentation has them for its classifiers; [-1, 1], as Keras documents for
 * TensorFlow's ("tf" mode of preprocess_input). */
const SnImagePreset sn_image_presets[] = {
    {"imagenet",
     "resize=256 crop=224 channels=rgb mean=0.485,0.456,0.406 "
     "std=0.229,0.224,0.225",
     "PyTorch's classifiers"},
    {"tf", "channels=rgb mean=0.5 std=0.5", "-1 to 1, TensorFlow's"},
    {"raw", "raw", "0 to 255"},
    {NULL, NULL, NULL}};

static const char *const channel_names[] = {"", "rgb", "bgr", "gray"};

/* ---- reading ---- */

typedef struct Word {
    const char *s; /* its value, or the word itself */
    size_t n;
    const char *name;
} Word;

static const char *
wrong(SnArena *a, const Word *w, const char *wanted)
{
    return sn_format(a, "%s: '%.*s' is not %s", w->name, (int)w->n, w->s,
                     wanted);
}

/* "N" or "WxH". */
static const char *
take_size(SnArena *a, const Word *w, int64_t out[2])
{
    const char *p = w->s, *end = p + w->n;
    int64_t v[2] = {0};
    int n = 0;

    for (;;) {
        const char *from = p;
        while (p < end && *p >= '0' && *p <= '9' && v[n] <= SIDE_MOST)
            v[n] = v[n] * 10 + (*p++ - '0');
        if (p == from || v[n] < 1 || v[n] > SIDE_MOST)
            return wrong(a, w, "a size: expected N or WxH, 1 to 16384");
        if (p == end)
            break;
        if (*p++ != 'x' || n++)
            return wrong(a, w, "a size: expected N or WxH, 1 to 16384");
    }
    out[0] = v[0];
    out[1] = v[1];
    return NULL;
}

static const char *
take_numbers(SnArena *a, const Word *w, bool positive, float *v, uint32_t *n)
{
    const char *text = sn_strndup(a, w->s, w->n), *p = text;
    const char *wanted =
        positive ? "one to three numbers above 0" : "one to three numbers";

    for (*n = 0;;) {
        char *end;
        float x = strtof(p, &end);
        if (end == p || (*end && *end != ',') || !(x - x == 0) || *n == 3 ||
            (positive && !(x > 0)))
            return wrong(a, w, wanted);
        v[(*n)++] = x;
        if (!*end)
            return *n == 2 ? wrong(a, w, "one number or three") : NULL;
        p = end + 1;
    }
}

static const char *
take_channels(SnArena *a, const Word *w, SnImageChannels *out)
{
    for (unsigned i = SN_IMAGE_RGB; i <= SN_IMAGE_GRAY; i++)
        if (strlen(channel_names[i]) == w->n &&
            memcmp(channel_names[i], w->s, w->n) == 0) {
            *out = (SnImageChannels)i;
            return NULL;
        }
    return wrong(a, w, "an order of channels: expected rgb, bgr or gray");
}

static const char *
take(SnArena *a, const char *name, size_t nname, Word *w, SnImageSteps *s)
{
    static const char *const names[] = {"resize", "crop", "channels",
                                        "mean",   "std",  "raw"};
    size_t k = 0;

    while (k < 6 &&
           (strlen(names[k]) != nname || memcmp(names[k], name, nname) != 0))
        k++;
    if (k == 6 || (k == 5) != (w->n == 0))
        return sn_format(a,
                         "'%.*s' is not a step: expected resize=, crop=, "
                         "channels=, mean=, std= or raw",
                         (int)(nname < 40 ? nname : 40), name);
    w->name = names[k];
    switch (k) {
    case 0:
        return take_size(a, w, s->resize);
    case 1: {
        const char *why = take_size(a, w, s->crop);
        if (!why && s->crop[1] == 0)
            s->crop[1] = s->crop[0];
        return why;
    }
    case 2:
        return take_channels(a, w, &s->channels);
    case 3:
        s->numbers = SN_IMAGE_SCALED;
        return take_numbers(a, w, false, s->mean, &s->nmean);
    case 4:
        s->numbers = SN_IMAGE_SCALED;
        return take_numbers(a, w, true, s->std, &s->nstd);
    default:
        s->numbers = SN_IMAGE_RAW;
        s->nmean = s->nstd = 0;
        return NULL;
    }
}

const char *
sn_image_steps(SnArena *a, const char *text, SnImageSteps *out)
{
    *out = (SnImageSteps){0};
    for (const char *p = text;;) {
        p += strspn(p, " ");
        if (!*p)
            return NULL;
        size_t n = strcspn(p, " "), m = strcspn(p, " =");
        Word w = {p + n, 0, NULL};
        if (m < n)
            w = (Word){p + m + 1, n - m - 1, NULL};
        const char *why = take(a, p, m, &w, out);
        if (why)
            return why;
        p += n;
    }
}

/* ---- writing ---- */

static void
put_size(SnBuf *b, const char *name, const int64_t v[2], bool square)
{
    if (v[0] == 0)
        return;
    sn_putf(b, "%s%s=%lld", b->n ? " " : "", name, (long long)v[0]);
    if (v[1] && !(square && v[0] == v[1]))
        sn_putf(b, "x%lld", (long long)v[1]);
}

static void
put_numbers(SnBuf *b, const char *name, const float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0)
            sn_putf(b, "%s%s=", b->n ? " " : "", name);
        else
            sn_putc(b, ',');
        sn_put_f32(b, v[i]);
    }
}

const char *
sn_image_steps_str(SnArena *a, const SnImageSteps *s)
{
    SnBuf b;

    sn_buf_init(&b, a);
    put_size(&b, "resize", s->resize, false);
    put_size(&b, "crop", s->crop, true);
    if (s->channels)
        sn_putf(&b, "%schannels=%s", b.n ? " " : "",
                channel_names[s->channels]);
    put_numbers(&b, "mean", s->mean, s->nmean);
    put_numbers(&b, "std", s->std, s->nstd);
    if (s->numbers == SN_IMAGE_RAW)
        sn_putf(&b, "%sraw", b.n ? " " : "");
    return sn_buf_str(&b);
}

/* ---- doing ---- */

bool
sn_image_numbers(const SnImageSteps *s, float mul[3], float add[3])
{
    for (unsigned c = 0; c < 3; c++) {
        double mean = s->nmean ? (double)s->mean[s->nmean > 1 ? c : 0] : 0;
        double std = s->nstd ? (double)s->std[s->nstd > 1 ? c : 0] : 1;
        mul[c] = (float)(1 / (255 * std));
        add[c] = (float)(-mean / std);
    }
    return s->numbers == SN_IMAGE_SCALED;
}

const char *
sn_image_steps_fit(SnArena *a, const SnImageSteps *s, int64_t w, int64_t h,
                   int64_t c)
{
    uint32_t n = s->nmean > s->nstd ? s->nmean : s->nstd;

    if (c != 1 && c != 3)
        return sn_format(a, "has %lld channels, but pictures have 1 or 3",
                         (long long)c);
    if (s->channels != SN_IMAGE_ANY &&
        (c == 1) != (s->channels == SN_IMAGE_GRAY))
        return sn_format(a, "has %lld channel%s, not those of channels=%s",
                         (long long)c, c == 1 ? "" : "s",
                         channel_names[s->channels]);
    if (n > 1 && c == 1)
        return "has one channel, but mean or std has three numbers";
    if (s->crop[0] && (s->crop[0] != w || s->crop[1] != h))
        return sn_format(a, "takes %lld x %lld pixels, not crop=%lldx%lld",
                         (long long)w, (long long)h, (long long)s->crop[0],
                         (long long)s->crop[1]);
    if (s->resize[1] && (s->resize[0] < w || s->resize[1] < h))
        return sn_format(a,
                         "takes %lld x %lld pixels, more than resize=%lldx%lld",
                         (long long)w, (long long)h, (long long)s->resize[0],
                         (long long)s->resize[1]);
    if (s->resize[0] && !s->resize[1] && s->resize[0] < (w < h ? w : h))
        return sn_format(a, "takes %lld x %lld pixels, more than resize=%lld",
                         (long long)w, (long long)h, (long long)s->resize[0]);
    return NULL;
}

/* The size of x before it is cut, for w by h. */
static void
target(const SnImageSteps *s, const SnImage *x, int64_t w, int64_t h,
       int64_t to[2])
{
    int64_t side = s->resize[0];

    to[0] = x->w;
    to[1] = x->h;
    if (s->resize[1]) {
        to[0] = s->resize[0];
        to[1] = s->resize[1];
    } else if (side) {
        bool tall = x->w <= x->h;
        to[0] = tall ? side : side * x->w / x->h;
        to[1] = tall ? side * x->h / x->w : side;
    } else if (x->w * h <= x->h * w) {
        to[0] = w;
        to[1] = x->h * w / x->w;
    } else {
        to[0] = x->w * h / x->h;
        to[1] = h;
    }
}

/* Half of what is left over, halves to even. */
static int64_t
margin(int64_t all, int64_t part)
{
    int64_t d = all - part;

    return d / 2 + (d % 2 && d / 2 % 2);
}

/* Pillow's weights of convert("L"): 0.299, 0.587, 0.114 in 16 bits. */
static uint8_t
gray(const uint8_t *p)
{
    return (uint8_t)((p[0] * 19595u + p[1] * 38470u + p[2] * 7471u + 0x8000u) >>
                     16);
}

static void
cut(const SnImage *x, const SnImageSteps *s, int64_t w, int64_t h, int64_t c,
    uint8_t *out)
{
    int64_t x0 = margin(x->w, w), y0 = margin(x->h, h);

    for (int64_t i = 0; i < h; i++)
        for (int64_t k = 0; k < w; k++, out += c) {
            const uint8_t *p = x->rgb + ((y0 + i) * x->w + x0 + k) * 3;
            for (int64_t j = 0; j < c; j++)
                out[j] = c == 1                        ? gray(p)
                         : s->channels == SN_IMAGE_BGR ? p[2 - j]
                                                       : p[j];
        }
}

const char *
sn_image_prepare(SnArena *a, const char *path, const SnImageSteps *s, int64_t w,
                 int64_t h, int64_t c, uint8_t *out)
{
    SnImage x;
    int64_t to[2];
    const char *why = sn_image_read(a, path, &x);

    if (why)
        return why;
    target(s, &x, w, h, to);
    if (to[0] < w || to[1] < h)
        return sn_format(a,
                         "is %lld x %lld pixels after resizing, smaller than "
                         "the crop of %lld x %lld",
                         (long long)to[0], (long long)to[1], (long long)w,
                         (long long)h);
    if (to[0] > SIDE_MOST || to[1] > SIDE_MOST)
        return sn_format(
            a,
            "is %lld x %lld pixels: resizing would make a side longer than %d",
            (long long)x.w, (long long)x.h, SIDE_MOST);
    if (to[0] != x.w || to[1] != x.h) {
        SnImage y;
        sn_image_resize(a, &x, to[0], to[1], &y);
        x = y;
    }
    cut(&x, s, w, h, c, out);
    return NULL;
}
