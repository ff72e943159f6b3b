// SPDX-License-Identifier: Apache-2.0
/* Files of samples: which shapes fit an input and how their elements get there,
 * which are refused with what words, and which file goes to which input.  The
 * elements of a file are 0, 1, 2, ... */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "run/npy.h"
#include "run/samples.h"
#include "unit/parse.h"
#include "unit/scratch.h"

typedef struct Case {
    const char *type; /* of the input */
    const char *file; /* "u8 2x3": elements and dimensions of the file */
    const char *px;   /* "mul=N add=N nchw n=N at=N": see pixels */
    const char *want; /* "N: v v v", samples and the values of one; or what
                         is said, after the name of the file */
    SnStatus status;
} Case;

static const Case cases[] = {
    /* as it is; sample 1 of two */
    {"f32[1,3,2,1]", "f32 2x3x2x1", "at=1", "2: 6 7 8 9 10 11", SN_OK},
    {"f32[1,3,2,1]", "u8 1x3x2x1", "mul=1", "1: 0 2 4 6 8 10", SN_OK},
    {"f32[1,3,2,1]", "u8 1x3x2x1", "nchw mul=3 add=1",
     "1: 100 102 106 109 116 120", SN_OK},
    {"f32[1,2,1,3]", "u8 1x2x1x3", "nhwc mul=3 add=3",
     "1: 100 203 308 106 212 320", SN_OK},
    /* channels come first in the model, and last in the file */
    {"f32[1,3,2,1]", "f32 2x2x1x3", "at=1", "2: 6 9 7 10 8 11", SN_OK},
    {"f32[1,3,2,1]", "f32 1x2x1x3", "nchw", "1: 0 3 1 4 2 5", SN_OK},
    {"f32[1,3,2]", "f32 1x2x1x3", "nchw", "1: 0 3 1 4 2 5", SN_OK},
    {"f32[1,1,2,3]", "f32 4x2x3x1", "nchw n=2", "2: 0 1 2 3 4 5", SN_OK},
    /* without an axis of their number */
    {"f32[1,3,2,1]", "f32 3x2x1", "", "1: 0 1 2 3 4 5", SN_OK},
    {"f32[1,3,2,1]", "f32 2x1x3", "", "1: 0 3 1 4 2 5", SN_OK},
    {"f32[2,3,2,1]", "f32 3x2x1", "",
     "holds f32[3, 2, 1], but input 'x' is [2, 3, 2, 1]", SN_EINPUT},
    /* a batch of two rows is one sample; a stack has an axis more */
    {"f32[2,3]", "f32 4x3", "at=1", "2: 6 7 8 9 10 11", SN_OK},
    {"f32[2,3]", "f32 3x3", "",
     "holds 3 samples, not a multiple of the batch of 2", SN_EINPUT},
    {"f32[2,3]", "f32 3x2x3", "at=2", "3: 12 13 14 15 16 17", SN_OK},
    {"f32[2,3]", "f32 1x3", "",
     "holds 1 samples, not a multiple of the batch of 2", SN_EINPUT},
    {"f32[2,3]", "f32 0x3", "", "holds no sample", SN_EINPUT},
    {"f32[1,3,2,1]", "f32 0x3x2x1", "", "holds no sample", SN_EINPUT},
    {"f32[]", "f32 4", "at=3", "4: 3", SN_OK},
    {"f32[]", "f32 .", "", "1: 0", SN_OK},
    /* rows of numbers, and axes that are others */
    {"f32[1,2,3]", "f32 2x6", "at=1", "2: 6 7 8 9 10 11", SN_OK},
    {"f32[1,2,3]", "f32 6", "", "1: 0 1 2 3 4 5", SN_OK},
    {"f32[1,6]", "f32 2x1x2x3", "at=1", "2: 6 7 8 9 10 11", SN_OK},
    {"f32[2,3]", "f32 3x2", "",
     "holds f32[3, 2], but input 'x' is [2, 3]\n   help: transpose the file to "
     "the model's order of axes; only pictures [N, H, W, C] are transposed for "
     "a model with channels first",
     SN_EINPUT},
    {"f32[1,6]", "f32 .", "", "holds f32[], but input 'x' is [1, 6]",
     SN_EINPUT},
    {"f32[1,6]", "f32 0", "", "holds f32[0], but input 'x' is [1, 6]",
     SN_EINPUT},
    {"f32[1,6]", "f32 5", "", "holds f32[5], but input 'x' is [1, 6]",
     SN_EINPUT},
    {"f32[1,3,2,1]", "f32 1x2x2x3", "nchw",
     "holds f32[1, 2, 2, 3], but input 'x' is [1, 3, 2, 1]", SN_EINPUT},
    {"f32[1,3,2,1]", "f32 1x2x1x2", "",
     "holds f32[1, 2, 1, 2], but input 'x' is [1, 3, 2, 1]", SN_EINPUT},
    {"f32[1,3,2,1]", "f32 1x1x2x3", "nchw",
     "holds f32[1, 1, 2, 3], but input 'x' is [1, 3, 2, 1]\n   help: transpose "
     "the file to the model's order of axes; only pictures [N, H, W, C] are "
     "transposed for a model with channels first",
     SN_EINPUT},
    /* elements */
    {"qi8<0.5, -3>[1,3]", "u8 1x3", "", "1: -128 -127 -126", SN_OK},
    {"qi8<0.5, -3>[1,3]", "i8 1x3", "", "1: 0 1 2", SN_OK},
    {"qi8<0.5, -3>[1,3]", "i16 1x3", "", "1: -3 -1 1", SN_OK},
    {"qi8<0.5, -3>[1,3]", "u8 1x3", "mul=1", "1: -3 1 5", SN_OK},
    {"qi8<0.5, -3>[1,3]", "i8 1x3", "add=1", "1: 127 127 127", SN_OK},
    {"qi16<0.5, -3>[1,3]", "i8 1x3", "", "1: 0 1 2", SN_OK},
    {"qi16<0.5, -3>[1,3]", "f32 1x3", "", "1: -3 -1 1", SN_OK},
    {"qi32<0.5, 0>[1,3]", "f32 1x3", "add=1", "1: 200 202 204", SN_OK},
    {"qi32<0.5, 0>[1,3]", "u8 1x3", "", "1: -128 -127 -126", SN_OK},
    {"i32[1,3]", "i64 1x3", "", "1: 0 1 2", SN_OK},
    {"i64[1,3]", "u8 1x3", "", "1: 0 1 2", SN_OK},
    {"bool[1,3]", "u8 1x3", "", "1: 0 1 1", SN_OK},
    {"i64[1,3]", "u8 1x3", "add=1",
     "--add: cannot be applied to input 'x', which is i64", SN_EUSAGE},
    {"i64[1,3]", "u8 1x3", "mul=1",
     "--mul: cannot be applied to input 'x', which is i64", SN_EUSAGE},
    {"f32[1,1,2,3]", "u8 1x1x2x3", "add=3",
     "--add: gives 3 numbers, but FILE has 1 channel", SN_EUSAGE},
    {"f32[1,2,1,3]", "u8 1x2x1x3", "mul=3",
     "--mul: gives 3 numbers, but FILE has 2 channels", SN_EUSAGE},
    {"qi8<axis=0, [0.5, 1], [0, 0]>[2,1]", "u8 1x2", "",
     "input 'x' has type qi8<axis=0, [0.5, 1], [0, 0]>, which files cannot "
     "hold",
     SN_EUNSUPPORTED},
    /* how many */
    {"f32[1,2]", "f32 3x2", "n=2", "2: 0 1", SN_OK},
    {"f32[1,2]", "f32 3x2", "n=9", "3: 0 1", SN_OK},
    {"f32[1,2]", "f32 3x2", "n=0", "-n: asks for no sample", SN_EUSAGE},
};

static const SnExec *
prepare(const char *text)
{
    const SnExec *x;

    if (sn_exec_prepare(a, parse(text), NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

/* Writes a file of 0, 1, 2, ... of these elements and dimensions. */
static void
write_file(const char *path, const char *what)
{
    static const struct {
        const char *name;
        SnDtype dtype;
    } types[] = {{"u8", SN_D_U8},   {"i8", SN_D_I8},   {"i16", SN_D_I16},
                 {"i64", SN_D_I64}, {"f32", SN_D_F32}, {NULL, SN_D_NONE}};
    size_t len = strcspn(what, " "), k = 0;
    SnData t = {.rank = 0};

    while (types[k].name && strncmp(types[k].name, what, len) != 0)
        k++;
    assert_non_null(types[k].name);
    t.dtype = types[k].dtype;
    for (const char *s = what + len + 1; *s && *s != '.'; s += *s == 'x')
        t.dim[t.rank++] = strtoll(s, (char **)(uintptr_t)&s, 10);
    int64_t n = sn_data_count(&t);
    char *p = sn_alloc(a, sn_data_nbyte(&t) + 8);
    for (int64_t i = 0; i < n; i++)
        if (t.dtype == SN_D_F32)
            ((float *)(void *)p)[i] = (float)i;
        else
            memcpy(p + (size_t)i * sn_dtype_size(t.dtype), &i,
                   sn_dtype_size(t.dtype));
    t.data = p;
    assert_int_equal(sn_npy_write(a, d, path, &t), SN_OK);
}

/* What a case says of the pixels, how many samples are wanted and which is
 * looked at. */
static SnPixels
pixels(const char *s, int64_t *limit, int64_t *at)
{
    static const float mul[] = {2, 3, 4}, add[] = {100, 200, 300};
    SnPixels px = {.mul = mul, .add = add};
    const char *p;

    if (strstr(s, "nchw"))
        px.layout = SN_LAYOUT_NCHW;
    if (strstr(s, "nhwc"))
        px.layout = SN_LAYOUT_NHWC;
    if ((p = strstr(s, "mul=")))
        px.nmul = (uint32_t)atoi(p + 4);
    if ((p = strstr(s, "add=")))
        px.nadd = (uint32_t)atoi(p + 4);
    *limit = (p = strstr(s, "n=")) ? atoi(p + 2) : -1;
    *at = (p = strstr(s, "at=")) ? atoi(p + 3) : 0;
    return px;
}

/* "N: v v v" of one sample. */
static const char *
values(const SnExec *x, SnSamples *s, int64_t at)
{
    const SnPort *p = &x->input[0];
    SnRun *r = sn_run_new(a, x);
    const void *v = sn_run_input(r, 0);
    int64_t n = sn_shape_count(p->shape);
    SnBuf b;

    assert_int_equal(sn_samples_fill(s, at, r), SN_OK);
    sn_buf_init(&b, a);
    sn_putf(&b, "%d:", (int)s->n);
    for (int64_t i = 0; i < n; i++)
        switch (p->type->elem) {
        case SN_F32:
            sn_putf(&b, " %g", (double)((const float *)v)[i]);
            break;
        case SN_QI16:
            sn_putf(&b, " %d", ((const int16_t *)v)[i]);
            break;
        case SN_QI32:
        case SN_I32:
            sn_putf(&b, " %d", ((const int32_t *)v)[i]);
            break;
        case SN_I64:
            sn_putf(&b, " %d", (int)((const int64_t *)v)[i]);
            break;
        default:
            sn_putf(&b, " %d", ((const int8_t *)v)[i]);
        }
    sn_run_free(r);
    return sn_buf_str(&b);
}

/* The messages of d without its end, with "FILE" for the path, and without
 * "FILE: " in front. */
static const char *
messages(const char *path)
{
    const char *s = sn_diag_text(d, a);
    SnBuf b;

    if (!strncmp(s, path, strlen(path)))
        s += strlen(path) + 2;
    sn_buf_init(&b, a);
    while (*s && (*s != '\n' || s[1]))
        if (!strncmp(s, path, strlen(path))) {
            sn_puts(&b, "FILE");
            s += strlen(path);
        } else {
            sn_putc(&b, *s++);
        }
    return sn_buf_str(&b);
}

static void
test_one_input(void **state)
{
    const char *path = in_dir(a, "x.npy");
    uint32_t nbad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        const SnExec *x = prepare(sn_format(
            a,
            "sinter-graph 1\ngraph \"n\" {\n  %%x = Placeholder() : %s\n  "
            "Save(%%x) {name = \"y\"}\n}\n",
            c->type));
        int64_t limit, at;
        SnPixels px = pixels(c->px, &limit, &at);
        SnSamples *s;
        d = sn_diag_new(a);
        write_file(path, c->file);
        SnStatus st =
            sn_samples_open(a, 1, x->input, 1, &path, &px, limit, d, &s);
        const char *got = st == SN_OK ? values(x, s, at) : messages(path);
        if (st != c->status || strcmp(got, c->want) != 0) {
            print_message("%s, %s, %s: %d %s\n  expected %d %s\n", c->type,
                          c->file, c->px, (int)st, got, (int)c->status,
                          c->want);
            nbad++;
        }
    }
    unlink(path);
    assert_int_equal(nbad, 0);
}

/* ---- several inputs ---- */

static const struct {
    uint32_t ninput;
    const char *files; /* names of files in the directory */
    const char *want;  /* what is said; NULL: samples[0] of each input */
    SnStatus status;
    int64_t n;
} feeds[] = {
    {2, "p q", "a=p b=q", SN_OK, 2},
    {2, "b=p q", "a=q b=p", SN_OK, 2},
    {2, "b=p a=q", "a=q b=p", SN_OK, 2},
    {1, "p q", "a=pq", SN_OK, 4},
    {1, "a=p a=q", "a=pq", SN_OK, 4},
    {2, "a=p a=q b=p b=q", "a=pq b=pq", SN_OK, 4},
    {2, "p", "input: no file gives input 'b'", SN_EUSAGE, 0},
    {2, "", "input: no file gives input 'a'", SN_EUSAGE, 0},
    {2, "p q p", "p: the graph has 2 inputs and each has a file already",
     SN_EUSAGE, 0},
    {2, "p a=q q", "q: gives 2 samples of 'b', but 'a' has 4", SN_EINPUT, 0},
    {2, "aa=p", "aa=p: no input is named 'aa'; did you mean 'a'?", SN_EUSAGE,
     0},
    {2, "weights=p",
     "weights=p: no input is named 'weights'; there are 'a', "
     "'b'",
     SN_EUSAGE, 0},
    {1, "weights=p", "weights=p: no input is named 'weights'; there is 'a'",
     SN_EUSAGE, 0},
    {1, "gone", "gone: cannot open: No such file or directory", SN_EINPUT, 0},
    {0, "p", "p: the model has no input", SN_EUSAGE, 0},
    {0, "w=p", "w=p: the model has no input", SN_EUSAGE, 0},
    {0, "", "", SN_OK, 1},
};

static const char *const graphs[] = {
    "sinter-graph 1\ngraph \"n\" {\n  %k = Constant() {data = [1, 2]} : "
    "f32[1,2]\n  Save(%k) {name = \"y\"}\n}\n",
    "sinter-graph 1\ngraph \"n\" {\n  %a = Placeholder() : f32[1,2]\n  "
    "Save(%a) {name = \"y\"}\n}\n",
    "sinter-graph 1\ngraph \"n\" {\n  %a = Placeholder() : f32[1,2]\n  %b = "
    "Placeholder() : f32[1,2]\n  %y = Add(%a, %b) : f32[1,2]\n  Save(%y) "
    "{name = \"y\"}\n}\n",
};

/* "a=pq b=p": which files each input has. */
static const char *
who(const SnSamples *s)
{
    SnBuf b;

    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < s->ninput; i++) {
        sn_putf(&b, "%s%s=", i ? " " : "", s->feed[i].port->name);
        for (uint32_t k = 0; k < s->feed[i].nfile; k++)
            sn_puts(&b, s->feed[i].file[k].file.path);
    }
    return sn_buf_str(&b);
}

static void
test_inputs(void **state)
{
    char back[256];

    (void)state;
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(dir), 0);
    write_file("p", "f32 2x2");
    write_file("q", "f32 2x2");
    for (size_t i = 0; i < sizeof feeds / sizeof feeds[0]; i++) {
        const SnExec *x = prepare(graphs[feeds[i].ninput]);
        const char *files[8];
        char *save, *list = sn_strdup(a, feeds[i].files);
        uint32_t n = 0;
        SnSamples *s;
        d = sn_diag_new(a);
        for (char *f = strtok_r(list, " ", &save); f;
             f = strtok_r(NULL, " ", &save))
            files[n++] = f;
        SnStatus st = sn_samples_open(a, x->ninput, x->input, n, files,
                                      &(SnPixels){0}, -1, d, &s);
        const char *got = st == SN_OK ? who(s) : sn_diag_text(d, a);
        if (st != feeds[i].status ||
            strncmp(got, feeds[i].want, strlen(feeds[i].want)) != 0)
            fail_msg("%s: %d %s", feeds[i].files, (int)st, got);
        if (st == SN_OK)
            assert_int_equal(s->n, feeds[i].n);
    }
    unlink("p");
    unlink("q");
    assert_int_equal(chdir(back), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_input, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inputs, setup, teardown),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
