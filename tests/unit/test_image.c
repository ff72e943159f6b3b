// SPDX-License-Identifier: Apache-2.0
/* Pictures: decoding, resizing and cutting give the bytes that Pillow gives
 * (tests/images/vectors.py); steps as text; folders; damaged files. */
#include <string.h>
#include <sys/stat.h>

#include "image/folder.h"
#include "image/steps.h"
#include "unit/scratch.h"

static SnArena *a;

static int
setup(void **state)
{
    a = sn_arena_new();
    return make_dir(state);
}

static int
teardown(void **state)
{
    sn_arena_free(a);
    return remove_dir(state);
}

/* FNV-1a of 64 bits. */
static uint64_t
fnv(const uint8_t *p, int64_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (int64_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static SnImage
picture(int64_t w, int64_t h, int64_t k)
{
    SnImage p = {w, h, SN_NEW_N(a, uint8_t, w * h * 3)};
    uint8_t *v = p.rgb;

    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            *v++ = (uint8_t)(x * 7 + y * 3 + k * 40);
            *v++ = (uint8_t)(x * x + y * 5);
            *v++ = (uint8_t)(x * y + k * 13);
        }
    return p;
}

static const char *
given(const char *name)
{
    return sn_format(a, "tests/images/%s", name);
}

/* ---- the bytes of Pillow ---- */

static void
check_file(const char *name, uint64_t want)
{
    SnImage p;
    const char *why = sn_image_read(a, given(name), &p);

    if (why)
        fail_msg("%s: %s", name, why);
    assert_int_equal(p.w, 23);
    assert_int_equal(p.h, 17);
    if (fnv(p.rgb, 23 * 17 * 3) != want)
        fail_msg("%s: other pixels than Pillow's", name);
}

static void
check_resized(int64_t w, int64_t h, int64_t to_w, int64_t to_h, uint64_t want)
{
    SnImage p = picture(w, h, 1), q;

    sn_image_resize(a, &p, to_w, to_h, &q);
    assert_int_equal(q.w, to_w);
    assert_int_equal(q.h, to_h);
    if (fnv(q.rgb, to_w * to_h * 3) != want)
        fail_msg("%dx%d to %dx%d: other pixels than Pillow's", (int)w, (int)h,
                 (int)to_w, (int)to_h);
}

/* A picture as a file: without compression, a PNG is its bytes and sums. */
static void put_png(const char *path, const SnImage *p);

static void
check_cut(int64_t w, int64_t h, int64_t side, int64_t cw, int64_t ch,
          uint64_t rgb, uint64_t gray)
{
    SnImage p = picture(w, h, 3);
    const char *path = in_dir(a, "p.png");
    uint8_t *v = SN_NEW_N(a, uint8_t, cw * ch * 3),
            *b = SN_NEW_N(a, uint8_t, cw * ch * 3);
    SnImageSteps s = {.resize = {side, 0}};

    put_png(path, &p);
    assert_null(sn_image_prepare(a, path, &s, cw, ch, 3, v));
    assert_true(fnv(v, cw * ch * 3) == rgb);
    s.channels = SN_IMAGE_BGR;
    assert_null(sn_image_prepare(a, path, &s, cw, ch, 3, b));
    for (int64_t i = 0; i < cw * ch * 3; i++)
        assert_int_equal(b[i], v[i / 3 * 3 + 2 - i % 3]);
    s.channels = SN_IMAGE_GRAY;
    assert_null(sn_image_prepare(a, path, &s, cw, ch, 1, v));
    assert_true(fnv(v, cw * ch) == gray);
    unlink(path);
}

#define FILE_IS(name, want) check_file(name, want);
#define RESIZED(w, h, to_w, to_h, want) check_resized(w, h, to_w, to_h, want);
#define CUT(w, h, side, cw, ch, rgb, gray) \
    check_cut(w, h, side, cw, ch, rgb, gray);

static void
test_pillow(void **state)
{
    (void)state;
#include "images/vectors.inc"
}

/* ---- PNG, written plainly ---- */

static uint32_t
crc_of(const uint8_t *p, size_t n)
{
    uint32_t c = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
    }
    return ~c;
}

static void
put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void
put_chunk(FILE *f, const char *name, const uint8_t *v, size_t n)
{
    uint8_t *p = SN_NEW_N(a, uint8_t, n + 12);

    put32(p, (uint32_t)n);
    memcpy(p + 4, name, 4);
    if (n)
        memcpy(p + 8, v, n);
    put32(p + 8 + n, crc_of(p + 4, n + 4));
    assert_int_equal(fwrite(p, 1, n + 12, f), n + 12);
}

/* Stored blocks of zlib, one a row. */
static void
put_png(const char *path, const SnImage *p)
{
    size_t row = (size_t)p->w * 3 + 1, n = 0;
    uint8_t head[13] = {0},
            *z = SN_NEW_N(a, uint8_t, (row + 5) * (size_t)p->h + 6);
    uint32_t s1 = 1, s2 = 0;
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
    put32(head, (uint32_t)p->w);
    put32(head + 4, (uint32_t)p->h);
    head[8] = 8;
    head[9] = 2;
    put_chunk(f, "IHDR", head, sizeof head);
    z[n++] = 0x78;
    z[n++] = 0x01;
    for (int64_t y = 0; y < p->h; y++) {
        z[n++] = y + 1 == p->h;
        z[n++] = (uint8_t)row;
        z[n++] = (uint8_t)(row >> 8);
        z[n++] = (uint8_t)~row;
        z[n++] = (uint8_t)(~row >> 8);
        uint8_t *from = z + n;
        *from = 0;
        memcpy(from + 1, p->rgb + y * p->w * 3, row - 1);
        n += row;
        for (size_t i = 0; i < row; i++) {
            s1 = (s1 + from[i]) % 65521;
            s2 = (s2 + s1) % 65521;
        }
    }
    put32(z + n, s2 << 16 | s1);
    put_chunk(f, "IDAT", z, n + 4);
    put_chunk(f, "IEND", NULL, 0);
    assert_int_equal(fclose(f), 0);
}

/* ---- what is refused ---- */

static void
refuse(const char *path, const char *text)
{
    SnImage p;
    const char *why = sn_image_read(a, path, &p);

    if (!why || !strstr(why, text))
        fail_msg("%s: says '%s', not '%s'", path, why ? why : "nothing", text);
}

static size_t
bytes_of(const char *name, uint8_t **out)
{
    FILE *f = fopen(given(name), "rb");
    uint8_t *v = SN_NEW_N(a, uint8_t, 1 << 16);

    assert_non_null(f);
    size_t n = fread(v, 1, 1 << 16, f);
    fclose(f);
    *out = v;
    return n;
}

static void
put_bytes(const char *path, const uint8_t *v, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(v, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void
test_refused(void **state)
{
    const char *path = in_dir(a, "x.png");
    uint8_t *v;

    (void)state;
    refuse(given("none.png"), "cannot open: No such file");
    refuse(given("vectors.py"), "is neither a PNG nor a JPEG file");
    refuse(given("cmyk.jpg"), "four colors (CMYK)");
    put_bytes(path, (const uint8_t *)"", 0);
    refuse(path, "is empty");
    size_t n = bytes_of("rgb.png", &v);
    put_bytes(path, v, n / 2);
    refuse(path, "is not a complete PNG file");
    put32(v + 16, 60000); /* the width, and its sum */
    put32(v + 20, 60000);
    put32(v + 29, crc_of(v + 12, 17));
    put_bytes(path, v, n);
    refuse(path, "has 60000 x 60000 pixels, expected at most 67108864");
    n = bytes_of("rgb.jpg", &v);
    put_bytes(path, v, n - 40);
    refuse(path, "is not a complete JPEG file");
    put_bytes(path, v, 20);
    refuse(path, "is not a JPEG file");
    unlink(path);
}

/* Bytes changed at random, and ends cut off: a picture or a reason, and nothing
 * else. */
static void
test_mutated(void **state)
{
    static const char *const from[] = {"rgb.png",   "gray.png", "palette.png",
                                       "bits.png",  "rgba.png", "rgb.jpg",
                                       "full.JPEG", "gray.jpg"};
    enum { NFROM = sizeof from / sizeof *from, ALL = 10000 };
    uint8_t *v[NFROM];
    size_t n[NFROM];
    uint32_t seed = 7, nread = 0;

    (void)state;
    for (size_t k = 0; k < NFROM; k++)
        n[k] = bytes_of(from[k], &v[k]);
    for (size_t i = 0; i < ALL; i++) {
        SnArena *b = sn_arena_new();
        size_t k = i % NFROM, m = n[k];
        uint8_t *w = sn_alloc(b, m);
        SnImage p;
        memcpy(w, v[k], m);
        for (size_t c = 0; c < 1 + i / NFROM % 4; c++) {
            seed = seed * 1664525u + 1013904223u;
            w[4 + (seed >> 8) % (m - 4)] = (uint8_t)(seed >> 24);
        }
        if (i / NFROM % 5 == 0)
            m -= (seed >> 8) % (m / 2);
        /* A copy that ends where the file does: reading on is noticed. */
        uint8_t *exact = malloc(m);
        assert_non_null(exact);
        memcpy(exact, w, m);
        const char *why = sn_image_decode(b, exact, m, &p);
        assert_true(why || (p.w > 0 && p.w * p.h <= SN_IMAGE_PIXELS));
        nread += !why;
        free(exact);
        sn_arena_free(b);
    }
    assert_true(nread > ALL / 20); /* JPEGs have no sums */
}

/* ---- steps ---- */

static void
test_steps(void **state)
{
    static const char *const good[][2] = {
        {"", ""},
        {"resize=256 crop=224", "resize=256 crop=224"},
        {"crop=3x4 resize=10x9", "resize=10x9 crop=3x4"},
        {"std=0.5 mean=1,2,3 channels=bgr", "channels=bgr mean=1,2,3 std=0.5"},
        {"mean=1 raw", "raw"},
        {"raw mean=0.25", "mean=0.25"},
        {"  crop=5   crop=6x6 ", "crop=6"}};
    static const char *const bad[][2] = {
        {"resize=0", "resize: '0' is not a size"},
        {"resize=3x", "resize: '3x' is not a size"},
        {"crop=1x2x3", "crop: '1x2x3' is not a size"},
        {"crop=99999999999999999999", "is not a size"},
        {"mean=1,2", "mean: '1,2' is not one number or three"},
        {"mean=nan", "mean: 'nan' is not one to three numbers"},
        {"std=0", "std: '0' is not one to three numbers above 0"},
        {"std=1,2,3,4", "std: "},
        {"channels=cmyk", "expected rgb, bgr or gray"},
        {"raw=1", "'raw' is not a step"},
        {"size=3", "'size' is not a step: expected resize="}};
    SnImageSteps s;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_null(sn_image_steps(a, good[i][0], &s));
        assert_string_equal(sn_image_steps_str(a, &s), good[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = sn_image_steps(a, bad[i][0], &s);
        if (!why || !strstr(why, bad[i][1]))
            fail_msg("'%s': says '%s'", bad[i][0], why ? why : "nothing");
    }
    for (const SnImagePreset *p = sn_image_presets; p->name; p++) {
        assert_null(sn_image_steps(a, p->text, &s));
        assert_string_equal(sn_image_steps_str(a, &s), p->text);
    }
}

static void
test_numbers(void **state)
{
    float mul[3], add[3];
    SnImageSteps s;

    (void)state;
    assert_null(sn_image_steps(a, "mean=0.5 std=0.5", &s));
    assert_true(sn_image_numbers(&s, mul, add));
    assert_true(mul[1] == 1 / 127.5f && add[1] == -1);
    assert_null(sn_image_steps(a, "mean=0.485,0.456,0.406 std=1,2,4", &s));
    assert_true(sn_image_numbers(&s, mul, add));
    assert_true(add[2] == -0.406f / 4 && mul[2] == (float)(1 / 1020.0));
    assert_null(sn_image_steps(a, "raw", &s));
    assert_false(sn_image_numbers(&s, mul, add));
}

static void
no_fit(const char *text, int64_t w, int64_t h, int64_t c, const char *say)
{
    SnImageSteps s;

    assert_null(sn_image_steps(a, text, &s));
    const char *why = sn_image_steps_fit(a, &s, w, h, c);
    if (!why != !say || (say && !strstr(why, say)))
        fail_msg("'%s': says '%s'", text, why ? why : "nothing");
}

static void
test_fit(void **state)
{
    (void)state;
    no_fit("resize=8 crop=6", 6, 6, 3, NULL);
    no_fit("channels=gray", 6, 6, 1, NULL);
    no_fit("", 6, 6, 2, "has 2 channels, but pictures have 1 or 3");
    no_fit("channels=gray", 6, 6, 3, "not those of channels=gray");
    no_fit("channels=bgr", 6, 6, 1, "not those of channels=bgr");
    no_fit("mean=1,2,3", 6, 6, 1, "mean or std has three numbers");
    no_fit("crop=5", 6, 6, 3, "takes 6 x 6 pixels, not crop=5x5");
    no_fit("resize=5", 6, 8, 3, "takes 6 x 8 pixels, more than resize=5");
    no_fit("resize=9x5", 6, 8, 3, "more than resize=9x5");
}

/* Without steps a picture is made as small as it may be. */
static void
test_covers(void **state)
{
    SnImage p = picture(40, 20, 1), q, r;
    SnImageSteps s = {0};
    const char *path = in_dir(a, "p.png");
    uint8_t v[10 * 8 * 3];

    (void)state;
    put_png(path, &p);
    assert_null(sn_image_prepare(a, path, &s, 10, 8, 3, v));
    sn_image_resize(a, &p, 16, 8, &q);
    r = q;
    for (int y = 0; y < 8; y++)
        assert_memory_equal(v + y * 30, r.rgb + (y * 16 + 3) * 3, 30);
    s.resize[0] = 8;
    assert_string_equal(
        sn_image_prepare(a, path, &s, 10, 9, 3, v),
        "is 16 x 8 pixels after resizing, smaller than the crop of 10 x 9");
    unlink(path);
}

/* ---- folders ---- */

static void
touch(const char *name)
{
    put_bytes(in_dir(a, name), (const uint8_t *)"x", 1);
}

static void
test_folder(void **state)
{
    static const char *const files[] = {"d/b.png", "d/a.JPG", "d/c.txt",
                                        "d/.e.png"};
    SnDiag *d = sn_diag_new(a);
    SnImageFolder f;

    (void)state;
    assert_int_equal(sn_image_folder(a, in_dir(a, "d"), d, &f), SN_EINPUT);
    assert_int_equal(mkdir(in_dir(a, "d"), 0700), 0);
    assert_int_equal(sn_image_folder(a, in_dir(a, "d"), d, &f), SN_EINPUT);
    for (int i = 0; i < 4; i++)
        touch(files[i]);
    assert_int_equal(sn_image_folder(a, in_dir(a, "d//"), d, &f), SN_OK);
    assert_int_equal(f.n, 2);
    assert_int_equal(f.nclass, 0);
    assert_string_equal(f.path[0], in_dir(a, "d/a.JPG"));
    assert_string_equal(f.path[1], in_dir(a, "d/b.png"));
    mkdir(in_dir(a, "d/x"), 0700);
    assert_int_equal(sn_image_folder(a, in_dir(a, "d"), d, &f), SN_EINPUT);
    rmdir(in_dir(a, "d/x"));
    for (int i = 0; i < 4; i++)
        unlink(in_dir(a, files[i]));
    rmdir(in_dir(a, "d"));
}

/* One of each class, then the next of each. */
static void
test_classes(void **state)
{
    static const char *const files[] = {"d/dog/1.png", "d/dog/2.png",
                                        "d/cat/9.jpg", "d/dog/3.jpeg"};
    static const int want[] = {2, 0, 1, 3};
    SnDiag *d = sn_diag_new(a);
    SnImageFolder f;

    (void)state;
    mkdir(in_dir(a, "d"), 0700);
    mkdir(in_dir(a, "d/dog"), 0700);
    mkdir(in_dir(a, "d/cat"), 0700);
    for (int i = 0; i < 2; i++)
        touch(files[i]);
    assert_int_equal(sn_image_folder(a, in_dir(a, "d"), d, &f), SN_EINPUT);
    for (int i = 2; i < 4; i++)
        touch(files[i]);
    assert_int_equal(sn_image_folder(a, in_dir(a, "d"), d, &f), SN_OK);
    assert_int_equal(f.n, 4);
    assert_int_equal(f.nclass, 2);
    assert_string_equal(f.name[0], "cat");
    assert_string_equal(f.name[1], "dog");
    for (int i = 0; i < 4; i++) {
        assert_string_equal(f.path[i], in_dir(a, files[want[i]]));
        assert_int_equal(f.of[i], want[i] != 2);
        unlink(in_dir(a, files[want[i]]));
    }
    rmdir(in_dir(a, "d/dog"));
    rmdir(in_dir(a, "d/cat"));
    rmdir(in_dir(a, "d"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pillow),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mutated), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_fit),
        cmocka_unit_test(test_covers),  cmocka_unit_test(test_folder),
        cmocka_unit_test(test_classes),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
