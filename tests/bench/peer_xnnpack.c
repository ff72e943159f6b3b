// SPDX-License-Identifier: Apache-2.0
/* XNNPACK (libxnnpack-dev, 2022), one thread. */
#include "bench/peers.h"

#if __has_include(<xnnpack.h>) && __has_include(<pthreadpool.h>)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xnnpack.h>

static void
run(void *state)
{
    if (xnn_run_operator(state, NULL) != xnn_status_success) {
        fputs("XNNPACK failed\n", stderr);
        exit(1);
    }
}

/* XNNPACK may read a few bytes past a tensor. */
static void *
filled(size_t n, size_t size)
{
    uint8_t *p = malloc(n * size + XNN_EXTRA_BYTES);

    for (size_t i = 0; p && i < n * size; i++)
        p[i] = size == 4 ? (i % 4 == 3 ? 0x3c : (uint8_t)i)
                         : (uint8_t)(i * 7 % 60);
    return p;
}

static bool
open_int8(const Layer *l, size_t nx, size_t ny, xnn_operator_t *op)
{
    uint32_t pad = (uint32_t)l->pad, k = (uint32_t)l->k;
    uint32_t stride = (uint32_t)l->stride, g = (uint32_t)l->group;
    size_t ci = (size_t)l->c / g, co = (size_t)l->oc / g;
    float *scale = malloc((size_t)l->oc * sizeof *scale);
    int32_t *bias = calloc((size_t)l->oc, sizeof *bias);

    for (int64_t i = 0; i < l->oc; i++)
        scale[i] = 0.01f + (float)i * 1e-5f;
    return xnn_create_convolution2d_nhwc_qc8(
               pad, pad, pad, pad, k, k, stride, stride, 1, 1, g, ci, co,
               (size_t)l->c, (size_t)l->oc, -5, 0.02f, scale,
               filled((size_t)l->oc * ci * k * k, 1), bias, 3, 0.5f, -128, 127,
               0, op) == xnn_status_success &&
           xnn_setup_convolution2d_nhwc_qc8(*op, 1, (size_t)l->h, (size_t)l->h,
                                            filled(nx, 1), filled(ny, 1),
                                            NULL) == xnn_status_success;
}

static bool
open_f32(const Layer *l, size_t nx, size_t ny, xnn_operator_t *op)
{
    uint32_t pad = (uint32_t)l->pad, k = (uint32_t)l->k;
    uint32_t stride = (uint32_t)l->stride, g = (uint32_t)l->group;
    size_t ci = (size_t)l->c / g, co = (size_t)l->oc / g;
    float *bias = calloc((size_t)l->oc, sizeof *bias);

    return xnn_create_convolution2d_nhwc_f32(
               pad, pad, pad, pad, k, k, stride, stride, 1, 1, g, ci, co,
               (size_t)l->c, (size_t)l->oc,
               filled((size_t)l->oc * ci * k * k, 4), bias, -INFINITY, INFINITY,
               0, op) == xnn_status_success &&
           xnn_setup_convolution2d_nhwc_f32(*op, 1, (size_t)l->h, (size_t)l->h,
                                            filled(nx, 4), filled(ny, 4),
                                            NULL) == xnn_status_success;
}

bool
sn_xnnpack_layer(const Layer *l, bool int8, Peer *p)
{
    size_t o = (size_t)sn_layer_out(l), nx = (size_t)(l->h * l->h * l->c);
    size_t ny = o * o * (size_t)l->oc;
    xnn_operator_t op = NULL;

    if (xnn_initialize(NULL) != xnn_status_success ||
        !(int8 ? open_int8 : open_f32)(l, nx, ny, &op))
        return false;
    *p = (Peer){run, op};
    return true;
}

#else
bool
sn_xnnpack_layer(const Layer *l, bool int8, Peer *p)
{
    (void)l;
    (void)int8;
    (void)p;
    return false;
}
#endif
