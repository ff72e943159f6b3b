// SPDX-License-Identifier: Apache-2.0
/* The kernels around integer products against the generated evaluators, bit
 * for bit, on every instruction set and in parts: differences of codes, sums of
 * their products, and element by element nodes of plain numbers with operands
 * that repeat.  Which NaN a result is, numerics.md leaves open. */
#include "unit/kernel_graph.h"

#include "base/fmath.h"
#include "kernel/each/erf_f32.h"

static SnRef
numbers(SnElem e, const SnShape *s)
{
    return input(plain(e), s);
}

static SnRef
node(const char *kind, uint32_t nin, const SnRef *in, SnElem to)
{
    const SnType *t = plain(to);
    SnSpec s = {.kind = sn_kind_named(kind), .nin = nin, .in = in, .type = &t};
    SnId id = sn_add(g, &s, sn_diag_new(arena));

    assert_int_not_equal(id, 0);
    return SN_REF(id, 0);
}

static SnRef
binary(const char *kind, SnRef a, SnRef b)
{
    SnElem e = sn_type(g, a)->elem;

    return node(kind, 2, (SnRef[]){a, b}, e == SN_F32 ? SN_F32 : SN_I32);
}

/* ---- what inputs hold: four patterns ---- */

static float
real(int pattern)
{
    static const float odd[] = {0.0f,      -0.0f,     1.5f,     -2.5f,
                                0x1p-149f, -0x1p127f, INFINITY, -INFINITY,
                                NAN,       0.5f,      1e10f,    -0.4999f};
    uint32_t v = rnd();

    if (pattern == 1)
        return v % 2 ? 0.0f : -0.0f;
    if (pattern == 2 && v % 8 == 0)
        return odd[v / 16 % (sizeof odd / sizeof *odd)];
    return (float)((int32_t)v >> 8) * 0x1p-18f;
}

/* Differences of codes; all of one sign; with some that no codes have. */
static int32_t
whole(int pattern)
{
    uint32_t v = rnd();

    if (pattern == 1)
        return (int32_t)(v % 256);
    if (pattern == 2)
        return -(int32_t)(v % 256);
    if (pattern == 3)
        return v % 64 ? (int32_t)(v >> 8) % 200 : (int32_t)rnd();
    return (int32_t)(v % 255) - 100;
}

static int8_t
code(int pattern)
{
    return pattern == 1 ? -128 : pattern == 2 ? 127 : (int8_t)(rnd() >> 24);
}

static void
fill(SnRun *r, int pattern)
{
    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        int64_t n = sn_shape_count(p->shape);
        void *v = sn_run_input(r, i);
        for (int64_t k = 0; k < n; k++)
            if (p->type->elem == SN_F32)
                ((float *)v)[k] = real(pattern);
            else if (p->type->elem == SN_I32)
                ((int32_t *)v)[k] = whole(pattern);
            else
                ((int8_t *)v)[k] = code(pattern);
    }
}

/* ---- products ---- */

/* How a filter's numbers lie: codes; differences from a zero point; from one
 * for each channel, so that no one zero point serves all; 9 bits, which no
 * codes have. */
enum { CODES, DIFFERENCES, CHANNELS, WIDE, NFORM };

static const int32_t *
filter(int64_t oc, int64_t taps, bool transposed, int form)
{
    int32_t *w = SN_NEW_N(arena, int32_t, oc * taps);

    for (int64_t c = 0; c < oc; c++)
        for (int64_t t = 0; t < taps; t++) {
            int32_t v = (int8_t)(rnd() >> 24);
            if (form == DIFFERENCES)
                v -= 100;
            if (form == CHANNELS)
                v += (int32_t)(c * 37 % 256) - 127;
            if (form == WIDE && t == 0)
                v = 256 + (v & 127);
            w[transposed ? c * taps + t : t * oc + c] = v;
        }
    return w;
}

static const Geo geos[] = {
    {1, 5, 5, 1, 1, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 7, 7, 64, 64, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {2, 3, 5, 63, 65, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {1, 6, 6, 67, 47, 1, 1, 1, {2, 2}, {0}, {1, 1}},
    {1, 9, 4, 17, 33, 1, 1, 1, {1, 3}, {1, 2, 0, 1}, {1, 1}},
    {1, 28, 28, 1, 8, 5, 5, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 14, 14, 8, 16, 5, 5, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 17, 19, 3, 96, 7, 7, 1, {2, 2}, {3, 3, 3, 3}, {1, 1}},
    {2, 9, 7, 13, 15, 3, 3, 1, {2, 1}, {1, 0, 2, 1}, {1, 1}},
    {1, 11, 11, 5, 70, 3, 3, 1, {2, 2}, {2, 2, 2, 2}, {2, 2}},
    {1, 3, 3, 8, 8, 3, 3, 1, {1, 1}, {5, 5, 5, 5}, {1, 1}},
    {2, 7, 9, 64, 144, 3, 3, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 40, 21, 48, 24, 1, 1, 1, {1, 1}, {0}, {1, 1}},
    {3, 30, 14, 16, 8, 3, 3, 1, {3, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 8, 8, 12, 20, 3, 3, 4, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {1, 7, 7, 64, 128, 3, 3, 2, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 7, 9, 5, 5, 3, 3, 5, {1, 2}, {1, 1, 1, 1}, {1, 1}},
    {1, 10, 10, 64, 64, 3, 3, 64, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    /* one row, which threads share; one that stays as it is */
    {2, 1, 90, 32, 40, 1, 5, 1, {1, 2}, {0, 3, 0, 1}, {1, 2}},
    {3, 1, 61, 20, 12, 1, 3, 2, {2, 1}, {0, 1, 0, 2}, {1, 1}},
    {2, 1, 61, 5, 24, 1, 3, 1, {1, 1}, {0, 1, 0, 1}, {1, 1}},
};

/* x is the difference of codes and a computed zero point, or plain. */
static SnRef
operand(const SnShape *s, bool codes)
{
    if (!codes)
        return numbers(SN_I32, s);
    SnRef x = numbers(SN_I8, s);
    return binary("CodeDifference", x,
                  numbers(SN_I8, sn_shape(g->pool, 0, NULL)));
}

static void
conv(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof geos / sizeof *geos; i++)
        for (int form = 0; form < NFORM; form++) {
            const Geo *o = &geos[i];
            int64_t cig = o->c / o->group, kernel[2] = {o->kh, o->kw};
            SnIntegerConv2DAttr at = {{2, kernel},
                                      {2, o->stride},
                                      {4, o->pads},
                                      {2, o->dilate},
                                      o->group};
            SnRef x = operand(SHAPE(o->n, o->h, o->w, o->c), i % 2);
            SnRef w = con(plain(SN_I32), SHAPE(o->oc, o->kh, o->kw, cig),
                          filter(o->oc, o->kh * o->kw * cig, true, form));
            SnRef y = SN_REF(
                sn_integer_conv2d_new(g, NULL, x, w, &at, plain(SN_I32)), 0);
            compare(y, form == WIDE,
                    sn_format(arena, "convolution %zu, filter %d", i, form));
        }
}

static void
matmul(void **state)
{
    static const int64_t size[][3] = {{1, 1, 1},   {1, 784, 512}, {1, 256, 10},
                                      {5, 33, 70}, {64, 48, 130}, {131, 64, 64},
                                      {7, 1, 16},  {20, 259, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int form = 0; form < NFORM; form++)
            for (int codes = 0; codes < 2; codes++) {
                int64_t m = size[i][0], k = size[i][1], n = size[i][2];
                SnRef x = operand(i % 2 ? SHAPE(m, k) : SHAPE(1, m, k), codes);
                SnRef w =
                    con(plain(SN_I32), SHAPE(k, n), filter(n, k, false, form));
                compare(binary("IntegerMatMul", x, w), form == WIDE,
                        sn_format(arena, "product %zu, filter %d, codes %d", i,
                                  form, codes));
            }
}

/* Both operands computed, or several products; leading dimensions that repeat,
 * numbers that are of no codes. */
static void
matrices(void **state)
{
    static const struct {
        int na, nb;
        int64_t a[4], b[4];
    } v[] = {
        {2, 2, {1, 256}, {256, 10}},      {2, 2, {33, 70}, {70, 65}},
        {3, 3, {4, 12, 17}, {4, 17, 30}}, {4, 4, {2, 1, 9, 8}, {1, 3, 8, 16}},
        {2, 3, {7, 12}, {5, 12, 4}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        for (int codes = 0; codes < 2; codes++) {
            SnRef a = operand(sn_shape(g->pool, v[i].na, v[i].a), codes);
            SnRef b = operand(sn_shape(g->pool, v[i].nb, v[i].b), codes);
            compare(binary("IntegerMatMul", a, b), v[i].a[v[i].na - 2] < 4,
                    sn_format(arena, "matrices %zu, codes %d", i, codes));
        }
    SnRef a = operand(SHAPE(2, 4, 5), true);
    SnRef b = con(plain(SN_I32), SHAPE(2, 5, 7), filter(7, 10, false, CODES));
    compare(binary("IntegerMatMul", a, b), 0, "constant matrices");
}

/* ---- element by element ---- */

typedef struct Shapes {
    int na, nb;
    int64_t a[4], b[4];
} Shapes;
static const Shapes shapes[] = {
    {0, 0, {0}, {0}},
    {1, 1, {5}, {5}},
    {2, 2, {3, 4111}, {3, 4111}},
    /* one number, on either side */
    {2, 0, {37, 41}, {0}},
    {0, 2, {0}, {37, 41}},
    {1, 1, {1}, {9000}},
    {3, 1, {2, 5, 64}, {1}},
    /* rows: short ones are laid out many times */
    {4, 4, {1, 28, 28, 8}, {1, 1, 1, 8}},
    {2, 1, {1000, 3}, {3}},
    {2, 1, {3, 5000}, {5000}},
    {3, 2, {2, 130, 17}, {130, 17}},
    {1, 2, {8}, {700, 8}},
    {2, 1, {2, 16}, {16}},
    /* columns, and both */
    {2, 2, {70, 33}, {70, 1}},
    {2, 2, {70, 1}, {70, 33}},
    {2, 2, {70, 1}, {1, 33}},
    {4, 4, {2, 3, 1, 5}, {1, 3, 40, 1}},
    {3, 3, {4, 300, 1}, {1, 300, 1}},
    {3, 3, {1, 3, 1}, {2, 1, 6}},
};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

static void
pairs(void **state)
{
    static const char *const kind[] = {"Add", "Sub", "Mul",           "Div",
                                       "Max", "Min", "CodeDifference"};

    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (size_t i = 0; i < NSHAPES; i++) {
            const Shapes *s = &shapes[i];
            SnElem e = k < 6 ? SN_F32 : SN_I8;
            SnRef a = numbers(e, sn_shape(g->pool, s->na, s->a));
            SnRef b = numbers(e, sn_shape(g->pool, s->nb, s->b));
            compare(binary(kind[k], a, b), 0,
                    sn_format(arena, "%s %zu", kind[k], i));
        }
}

static void
singles(void **state)
{
    static const char *const kind[] = {"Round",   "ReduceMin",  "ReduceMax",
                                       "Erf",     "Gelu",       "Normalize",
                                       "CPUGelu", "CPUGeluMul", "CPUGeluEarly"};
    static const int64_t n[] = {1, 7, 8, 31, 32, 47, 64, 1000, 20001};

    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        const char *what = sn_format(arena, "%d elements", (int)n[i]);
        SnRef i32 = numbers(SN_I32, SHAPE(n[i]));
        compare(node("Cast", 1, &i32, SN_F32), 0, what);
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
            SnRef x = numbers(SN_F32, SHAPE(n[i]));
            compare(node(kind[k], 1, &x, SN_F32), 0,
                    sn_format(arena, "%s of %d", kind[k], (int)n[i]));
        }
    }
}

/* Gelu of the COUNT floats at x in each of its forms, in place. */
static void
gelu_everywhere(const float *x, size_t count, float *y)
{
    for (int k = 0; k < 4 * SN_NISA; k++) {
        SnGeluF32 p = {.divides = k & 1, .early = k & 2};
        SnIsa isa = (SnIsa)(k / 4);
        if (!sn_isa_have(isa))
            continue;
        memcpy(y, x, count * sizeof *y);
        sn_geluf_run(isa, &p, y, (int64_t)count, y);
        for (size_t i = 0; i < count; i++) {
            float a = p.divides ? x[i] / 1.4142135624f : x[i] * 0.707106781f;
            float e = sn_erff(a) + 1;
            float want = p.early ? x[i] * 0.5f * e : x[i] * e * 0.5f;
            if (!alike(SN_F32, &y[i], &want))
                fail_msg("gelu %d of %a on %s is %a, not %a", k & 3,
                         (double)x[i], sn_isa_name(isa), (double)y[i],
                         (double)want);
        }
    }
}

/* The whole line: all exponents, both signs, around the intervals' ends; and
 * arguments where the approximation in binary64, or the one in binary32, rounds
 * to the wrong float. */
static void
erf_everywhere(void **state)
{
    static const float hard[] = {
        0x1.208bd8p-10f, 0x1.4c1c3p-10f, 0x1.27d14ap-9f, 0x1.af11d4p-9f,
        0x1.bbb18ap-9f,  0x1.f83128p-9f, 0x1.8b55ecp-7f, -0x1.f93d3ep-7f,
        0x1.0874eap-1f,  0x1.b530ep-2f,  -0x1.b533p-2f,  0x1.cbdbap-2f,
        0x1.ce378p-2f,   0x1.95824p-3f,  0x1.95b42p-3f,  0x1.9692p-3f,
        0x1.2aa0cp-4f,   0x1.2b18cp-4f,  0x1.2c184p-4f};
    enum { COUNT = 1 << 18, NHARD = sizeof hard / sizeof *hard };
    float *x = SN_NEW_N(arena, float, COUNT);
    float *want = SN_NEW_N(arena, float, COUNT);
    float *y = SN_NEW_N(arena, float, COUNT);

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i << 14 | (i * 2654435761u) >> 18;
        if (i % 2)
            x[i] = (float)(i % 40) * 0.125f + (float)(i >> 6) * 0x1p-22f;
        else
            memcpy(&x[i], &bits, sizeof bits);
        if (i % 64 == 7)
            x[i] = hard[i / 64 % NHARD];
        want[i] = sn_erff(x[i]);
    }
    for (int i = 0; i < SN_NISA; i++) {
        if (!sn_isa_have((SnIsa)i))
            continue;
        sn_erff_run((SnIsa)i, x, COUNT, y);
        for (size_t k = 0; k < COUNT; k++)
            if (!alike(SN_F32, &y[k], &want[k]))
                fail_msg("erf %a on %s is %a, not %a", (double)x[k],
                         sn_isa_name((SnIsa)i), (double)y[k], (double)want[k]);
    }
    gelu_everywhere(x, COUNT - 3, y);
}

/* Rows and columns of Normalize, beside whole panels of rows. */
static void
normalize(void **state)
{
    static const int64_t size[][2] = {{16, 8}, {33, 50}, {5, 257}, {128, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        SnRef x = numbers(SN_F32, SHAPE(2, size[i][0], size[i][1]));
        compare(node("Normalize", 1, &x, SN_F32), 0,
                sn_format(arena, "rows %zu", i));
    }
}

/* Sums of the elements up to each: along any axis, from either end. */
static void
running(void **state)
{
    static const SnElem elem[] = {SN_F32, SN_I32, SN_I64};
    static const int64_t dim[][3] = {{1, 9, 1}, {3, 40, 1}, {2, 7, 33},
                                     {5, 1, 4}, {2, 0, 3},  {1, 300, 20}};

    (void)state;
    for (size_t i = 0; i < 3 * sizeof dim / sizeof *dim; i++)
        for (int k = 0; k < 4; k++)
            for (int64_t axis = -3; axis < 3; axis++) {
                const int64_t *d = dim[i / 3];
                SnRunningSumAttr a = {axis, k & 1, k >> 1};
                SnRef x = numbers(elem[i % 3], SHAPE(d[0], d[1], d[2]));
                SnId n = sn_running_sum_new(g, NULL, x, &a, plain(elem[i % 3]));
                compare(SN_REF(n, 0), 0,
                        sn_format(arena, "running sum %zu, %d, axis %d", i, k,
                                  (int)axis));
            }
}

/* A layer as `sinter run` prepares it: codes without a scale take no step, and
 * the rest writes over what it reads. */
static void
layer(void **state)
{
    enum { M = 130, K = 33, N = 70 };
    SnSaveAttr at = {.name = "y", .boundary = SN_SAVE_BOUNDARY_NONE};
    SnQuantizeAttr qa = {.clamp = {0}};
    SnRef x = numbers(SN_F32, SHAPE(M, K)), scale = numbers(SN_F32, SHAPE(1));
    SnRef q = SN_REF(sn_quantize_new(g, NULL, x, &qa, q8(0.25f, -3)), 0);
    SnRef c = node("Codes", 1, &q, SN_I8);
    SnRef d = binary("CodeDifference", c, numbers(SN_I8, SHAPE(1, 1)));
    SnRef w = con(plain(SN_I32), SHAPE(K, N), filter(N, K, false, CHANNELS));
    SnRef m = binary("IntegerMatMul", d, w);
    SnRef f = node("Cast", 1, &m, SN_F32);
    SnRef y = binary("Mul", f, scale);
    y = binary("Add", y, numbers(SN_F32, SHAPE(N)));
    sn_save_new(g, "y", y, &at);

    uint32_t nf;
    const float *want = result(NULL, 1, 5, 0, &nf);
    SnIsa best = sn_isa();
    (void)state;
    for (int i = 0; i < SN_NISA; i++) {
        const SnExec *e;
        if (!sn_isa_set((SnIsa)i))
            continue;
        assert_int_equal(sn_exec_prepare_fast(arena, g, sn_backend_named("CPU"),
                                              sn_diag_new(arena), &e),
                         SN_OK);
        assert_int_equal(e->nfallback, 0);
        assert_int_equal(e->nstep, 6); /* of seven nodes */
        SnRun *r = sn_run_parts(arena, e, 2);
        seed = 5;
        fill(r, 0);
        assert_int_equal(sn_run(r), SN_OK);
        assert_memory_equal(sn_run_output(r, 0), want, M * N * sizeof *want);
        sn_run_free(r);
    }
    sn_isa_set(best);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv),      cmocka_unit_test(matmul),
        cmocka_unit_test(matrices),  cmocka_unit_test(pairs),
        cmocka_unit_test(singles),   cmocka_unit_test(erf_everywhere),
        cmocka_unit_test(normalize), cmocka_unit_test(running),
        cmocka_unit_test(layer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
