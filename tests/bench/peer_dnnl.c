// SPDX-License-Identifier: Apache-2.0
/* oneDNN 2.x (libdnnl-dev), C API.  Its threads are OpenMP's:
 * OMP_NUM_THREADS. */
#include "bench/peers.h"

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct State {
    dnnl_primitive_t prim;
    dnnl_stream_t stream;
    dnnl_exec_arg_t arg[4];
} State;

typedef struct Build {
    const Layer *l;
    dnnl_engine_t engine;
    dnnl_data_type_t x, w, b, y;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    bool ok;
} Build;

static void
need(Build *b, dnnl_status_t st)
{
    b->ok = b->ok && st == dnnl_success;
}

static dnnl_memory_desc_t
desc(Build *b, int n, const dnnl_dim_t *dim, dnnl_data_type_t type,
     dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t d;
    dnnl_dims_t dims;

    for (int i = 0; i < n; i++)
        dims[i] = dim[i];
    need(b, dnnl_memory_desc_init_by_tag(&d, n, dims, type, tag));
    return d;
}

static void
describe_product(Build *b)
{
    const Layer *l = b->l;
    dnnl_inner_product_desc_t d;
    dnnl_memory_desc_t x = desc(b, 2, (dnnl_dim_t[]){1, l->c}, b->x, dnnl_nc);
    dnnl_memory_desc_t w =
        desc(b, 2, (dnnl_dim_t[]){l->oc, l->c}, b->w, dnnl_format_tag_any);
    dnnl_memory_desc_t bias = desc(b, 1, (dnnl_dim_t[]){l->oc}, b->b, dnnl_x);
    dnnl_memory_desc_t y = desc(b, 2, (dnnl_dim_t[]){1, l->oc}, b->y, dnnl_nc);

    need(b, dnnl_inner_product_forward_desc_init(&d, dnnl_forward_inference, &x,
                                                 &w, &bias, &y));
    if (b->ok)
        need(b,
             dnnl_primitive_desc_create(&b->pd, &d, b->attr, b->engine, NULL));
}

static void
describe_conv(Build *b)
{
    const Layer *l = b->l;
    int64_t o = sn_layer_out(l), g = l->group;
    dnnl_convolution_desc_t d;
    dnnl_dims_t stride = {l->stride, l->stride}, pad = {l->pad, l->pad};
    dnnl_memory_desc_t x =
        desc(b, 4, (dnnl_dim_t[]){1, l->c, l->h, l->h}, b->x, dnnl_nhwc);
    dnnl_dim_t wd[] = {g, l->oc / g, l->c / g, l->k, l->k};
    dnnl_memory_desc_t w =
        desc(b, g > 1 ? 5 : 4, g > 1 ? wd : wd + 1, b->w, dnnl_format_tag_any);
    dnnl_memory_desc_t bias = desc(b, 1, (dnnl_dim_t[]){l->oc}, b->b, dnnl_x);
    dnnl_memory_desc_t y =
        desc(b, 4, (dnnl_dim_t[]){1, l->oc, o, o}, b->y, dnnl_nhwc);

    need(b, dnnl_convolution_forward_desc_init(&d, dnnl_forward_inference,
                                               dnnl_convolution_direct, &x, &w,
                                               &bias, &y, stride, pad, pad));
    if (b->ok)
        need(b,
             dnnl_primitive_desc_create(&b->pd, &d, b->attr, b->engine, NULL));
}

/* Memory of operand i0 of kind `what`, filled with bytes that are small
 * numbers. */
static dnnl_memory_t
memory(Build *b, dnnl_query_t what, int i0)
{
    const dnnl_memory_desc_t *d = dnnl_primitive_desc_query_md(b->pd, what, i0);
    size_t n = dnnl_memory_desc_get_size(d);
    uint8_t *p = aligned_alloc(64, (n + 63) / 64 * 64);
    dnnl_memory_t m = NULL;

    for (size_t i = 0; p && i < n; i++)
        p[i] = d->data_type == dnnl_f32 ? (i % 4 == 3 ? 0x3c : (uint8_t)i)
                                        : (uint8_t)(i * 7 % 60);
    need(b, p ? dnnl_memory_create(&m, d, b->engine, p) : dnnl_out_of_memory);
    return m;
}

static void
run(void *state)
{
    State *s = state;

    if (dnnl_primitive_execute(s->prim, s->stream, 4, s->arg) != dnnl_success ||
        dnnl_stream_wait(s->stream) != dnnl_success) {
        fputs("oneDNN failed\n", stderr);
        exit(1);
    }
}

bool
sn_dnnl_layer(const Layer *l, bool int8, Peer *p)
{
    Build b = {.l = l, .ok = true};
    State *s = calloc(1, sizeof *s);
    float *scale = malloc((size_t)l->oc * sizeof *scale);

    b.x = b.y = int8 ? dnnl_u8 : dnnl_f32;
    b.w = int8 ? dnnl_s8 : dnnl_f32;
    b.b = int8 ? dnnl_s32 : dnnl_f32;
    need(&b, dnnl_engine_create(&b.engine, dnnl_cpu, 0));
    need(&b,
         dnnl_stream_create(&s->stream, b.engine, dnnl_stream_default_flags));
    need(&b, dnnl_primitive_attr_create(&b.attr));
    for (int64_t i = 0; i < l->oc; i++)
        scale[i] = 0.001f + (float)i * 1e-6f;
    if (b.ok && int8)
        need(&b,
             dnnl_primitive_attr_set_output_scales(b.attr, l->oc, 2, scale));
    if (b.ok && l->h == 1)
        describe_product(&b);
    else if (b.ok)
        describe_conv(&b);
    if (b.ok)
        need(&b, dnnl_primitive_create(&s->prim, b.pd));
    if (!b.ok)
        return false;
    s->arg[0] =
        (dnnl_exec_arg_t){DNNL_ARG_SRC, memory(&b, dnnl_query_src_md, 0)};
    s->arg[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS,
                                  memory(&b, dnnl_query_weights_md, 0)};
    s->arg[2] =
        (dnnl_exec_arg_t){DNNL_ARG_BIAS, memory(&b, dnnl_query_weights_md, 1)};
    s->arg[3] =
        (dnnl_exec_arg_t){DNNL_ARG_DST, memory(&b, dnnl_query_dst_md, 0)};
    *p = (Peer){run, s};
    return b.ok;
}

#else
bool
sn_dnnl_layer(const Layer *l, bool int8, Peer *p)
{
    (void)l;
    (void)int8;
    (void)p;
    return false;
}
#endif
