// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs of runs in the caller's memory (run/bind.c). */
#include <math.h>
#include <stdlib.h>

#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "run/fence.h"
#include "sinter.h"
#include "unit/parse.h"

static SnRun *
run_of(const char *body)
{
    const SnExec *x;
    SnBuf t;

    sn_fence_set(false); /* which has its own places */
    sn_buf_init(&t, a);
    sn_putf(&t, "sinter-graph 1\ngraph \"t\" {\n%s}\n", body);
    SnGraph *g = parse(sn_buf_str(&t));
    if (sn_exec_prepare_fast(a, g, sn_backend_named("CPU"), d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    SnRun *r = sn_run_new(a, x);
    sn_run_bindable(a, r);
    return r;
}

/* A float input of four numbers; nothing but outputs is written. */
static const float ramp[4] = {0, 1, -6, 3.25F};

static void
run(SnRun *r)
{
    const float was[4] = {0, 1, -6, 3.25F};

    assert_int_equal(sn_run(r), SN_OK);
    assert_memory_equal(ramp, was, sizeof was);
}

static const char line[] = "  %x = Placeholder() : f32[1,4]\n"
                           "  %y = Relu(%x) : f32[1,4]\n"
                           "  Save(%y) {name = \"y\"}\n";

static void
test_in_place(void **state)
{
    static const float want[4] = {0, 1, 0, 3.25F};
    SnRun *r = run_of(line);
    float *x = aligned_alloc(16, 16), *y = aligned_alloc(16, 16);

    (void)state;
    memcpy(x, ramp, 16);
    assert_true(sn_run_bind_input(r, 0, x));
    assert_true(sn_run_bind_output(r, 0, y));
    assert_ptr_equal(r->in[0].data, x);
    assert_ptr_equal(r->out[0].data, y);
    assert_ptr_equal(sn_run_output(r, 0), y);
    run(r);
    assert_memory_equal(y, want, sizeof want);
    assert_memory_equal(x, ramp, sizeof ramp);
    free(x);
    free(y);
}

/* Back in the arena, where there is no buffer or one of another alignment, and
 * out of it again. */
static void
test_back(void **state)
{
    static const float want[4] = {0, 1, 0, 3.25F};
    SnRun *r = run_of(line);
    const void *in = sn_run_input(r, 0), *out = sn_run_output(r, 0);
    float *x = aligned_alloc(16, 32), *y = aligned_alloc(16, 32);

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        size_t at = i % 3; /* floats; 0: aligned */
        memcpy(x + at, ramp, sizeof ramp);
        memset(y, 0x55, 32);
        assert_int_equal(sn_run_bind_input(r, 0, i == 5 ? NULL : x + at),
                         at == 0);
        assert_int_equal(sn_run_bind_output(r, 0, i == 5 ? NULL : y + at),
                         at == 0);
        if (at) {
            assert_ptr_equal(sn_run_input(r, 0), in);
            assert_ptr_equal(sn_run_output(r, 0), out);
            memcpy(sn_run_input(r, 0), x + at, sizeof ramp);
        }
        run(r);
        assert_memory_equal(sn_run_output(r, 0), want, sizeof want);
        if (at)
            assert_int_equal(((uint8_t *)y)[0], 0x55);
    }
    free(x);
    free(y);
}

/* What has no memory that is its alone stays where it is. */
static void
test_stays(void **state)
{
    SnRun *r = run_of("  %x = Placeholder() : f32[1,4]\n"
                      "  %k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]\n"
                      "  %y = Relu(%x) : f32[1,4]\n"
                      "  Save(%x) {name = \"x\"}\n"
                      "  Save(%k) {name = \"k\"}\n"
                      "  Save(%y) {name = \"y\"}\n"
                      "  Save(%y) {name = \"z\"}\n");
    float *v = aligned_alloc(16, 5 * 16);

    (void)state;
    memcpy(v, ramp, sizeof ramp);
    assert_true(sn_run_bind_input(r, 0, v));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(sn_run_bind_output(r, i, v + 4 + 4 * i), i == 2);
    run(r);
    assert_ptr_equal(sn_run_output(r, 0), v);
    assert_true(((const float *)sn_run_output(r, 1))[3] == 4);
    assert_ptr_equal(sn_run_output(r, 2), v + 12);
    assert_ptr_equal(sn_run_output(r, 3), v + 12);
    assert_true(v[12] == 0 && v[14] == 0 && v[15] == 3.25F);
    free(v);
}

/* Parts of a Concat are written at their places in the caller's buffer. */
static void
test_parts(void **state)
{
    static const float want[8] = {0, 1, 0, 3.25F, -0.0F, -1, 6, -3.25F};
    SnRun *r = run_of("  %x = Placeholder() : f32[1,4]\n"
                      "  %p = Relu(%x) : f32[1,4]\n"
                      "  %q = Neg(%x) : f32[1,4]\n"
                      "  %y = Concat(%p, %q) {axis = 1} : f32[1,8]\n"
                      "  %z = Reshape(%y) {dims = [2, 4]} : f32[2,4]\n"
                      "  Save(%z) {name = \"z\"}\n");
    float *y = aligned_alloc(16, 32);

    (void)state;
    memcpy(sn_run_input(r, 0), ramp, sizeof ramp);
    assert_true(sn_run_bind_output(r, 0, y));
    assert_int_equal(r->x->nstep, 2); /* the Concat and Reshape have gone */
    assert_ptr_equal(r->out[0].data, y);
    assert_ptr_equal(r->out[1].data, y + 4);
    run(r);
    for (int i = 0; i < 8; i++)
        assert_true(y[i] == want[i]);
    free(y);
}

/* With fences everything is in the arena. */
static void
test_fenced(void **state)
{
    SnRun *r = run_of(line);
    float *y = aligned_alloc(16, 16);

    (void)state;
    sn_fence_set(true);
    r = sn_run_new(a, r->x);
    sn_run_bindable(a, r);
    assert_false(sn_run_bind_input(r, 0, y));
    assert_false(sn_run_bind_output(r, 0, y));
    sn_fence_set(false);
    free(y);
}

/* Buffers of any alignment, others in each run, and inputs that stay. */
static void
test_buffers(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"p\" {\n"
        "  %x = Placeholder() : f32[1,4]\n"
        "  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : "
        "f32[3,4]\n"
        "  %f = FullyConnected(%x, %w) : f32[1,3]\n"
        "  %y = Relu(%f) : f32[1,3]\n"
        "  Save(%y) {name = \"out\"}\n"
        "  Save(%f) {name = \"raw\"}\n}\n";
    SinterSession *s;
    SinterModel *m;
    float *room = aligned_alloc(64, 64 * sizeof(float));

    (void)state;
    assert_int_equal(sinter_model_parse(NULL, SINTER_FORMAT_SN, text,
                                        strlen(text), NULL, NULL, NULL, &m,
                                        NULL),
                     SINTER_OK);
    assert_int_equal(sinter_session_new(m, NULL, &s, NULL), SINTER_OK);
    sinter_model_free(m);
    for (size_t i = 0; i < 16; i++) {
        float *x = room + i % 4, *y = room + 16 + i / 4, *z = room + 32 + i % 3;
        const float from[4] = {1, -2, (float)i, 4},
                    raw[] = {1, -2, 3 + (float)i};
        const void *in[] = {x};
        void *out[] = {i == 7 ? NULL : y, z};
        memset(room, 0x7f, 64 * sizeof *room);
        memcpy(x, from, sizeof from);
        assert_int_equal(sinter_session_run(s, in, out, NULL), SINTER_OK);
        assert_memory_equal(x, from, sizeof from);
        assert_memory_equal(z, raw, sizeof raw);
        for (int k = 0; k < 3 && i != 7; k++)
            assert_true(y[k] == fmaxf(raw[k], 0));
        assert_int_equal(*(unsigned char *)(y + (i == 7 ? 0 : 3)), 0x7f);
    }
    free(room);
    sinter_session_free(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fenced, setup, teardown),
        cmocka_unit_test(test_buffers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
