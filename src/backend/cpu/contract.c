// SPDX-License-Identifier: Apache-2.0
/* Convolutions and matrix products on 8-bit codes, for filters that are
 * constants: packed once, run by kernel/conv/conv_q8.h. */
#include "backend/cpu/contract.h"

#include <string.h>

#include "backend/cpu/geo.h"
#include "base/buf.h"
#include "cpu_kernels.h"
#include "kernel/pack.h"
#include "kernel/eval/rows.h"
#include "kernel/tune/tune.h"

static bool
is_q8(const SnTensor *t)
{
    return t->type && t->type->elem == SN_QI8;
}

bool
sn_cpu_conv_numbers(SnArena *tmp, const SnCall *c, const SnType *y,
                    SnRange clamp, SnConvNum *num)
{
    const SnSem *s = &c->kind->sem[0];
    const SnTensor *x = sn_map_port(c, s, 0), *w = sn_map_port(c, s, 1);
    const SnTensor *b = sn_opnd(c, 2);

    if (!is_q8(x) || !is_q8(w) || y->elem != SN_QI8 || x->type->nq != 1 ||
        y->nq != 1 || (b->type && !b->data))
        return false;
    SnLim lim = sn_lim(y, clamp);
    *num = (SnConvNum){
        .xz = x->type->zp[0],
        .yz = y->zp[0],
        .lo = lim.lo,
        .hi = lim.hi,
        .mul = sn_mults(tmp, x->type, w->type, y),
        .nmul = w->type->nq,
        .wz = w->type->zp,
        .nwz = w->type->nq,
        .bias = b->data,
    };
    return true;
}

/* What was measured, or what the rules choose. */
static SnConvPick
pick_for(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num)
{
    SnTuneKind kind =
        sn_conv_q8_tiles(sn_isa(), geo, num) ? SN_TUNE_TILES : SN_TUNE_CODES;

    return sn_tune_pick(p->tune, geo, kind, &p->layer);
}

static void
put_number(SnBuf *b, int64_t v)
{
    sn_putn(b, (const char *)&v, sizeof v);
}

/* What the packed panels depend on: the set, how taps and channels lie and are
 * cut, zero points, the codes. */
static SnBuf
panels_key(const SnPrep *p, SnArena *tmp, const SnConvGeo *o,
           const SnConvNum *num, bool transposed)
{
    const SnTensor *w = sn_map_port(p->call, &p->call->kind->sem[0], 1);
    const int64_t v[] = {o->c,
                         o->oc,
                         o->group,
                         o->kh,
                         o->kw,
                         o->dw,
                         transposed,
                         num->pick->npanel,
                         num->pick->tiles,
                         sn_conv_q8_column(o)};
    const char *isa = sn_isa_name(sn_isa());
    SnBuf b;

    sn_buf_init(&b, tmp);
    sn_putn(&b, isa, strlen(isa) + 1);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        put_number(&b, v[i]);
    for (uint32_t i = 0; i < num->nwz; i++)
        put_number(&b, num->wz[i]);
    put_number(&b, (int64_t)p->hash[w - p->call->in]);
    return b;
}

/* Biases contain sums of the codes: they depend on these, on which taps lie in
 * the picture, the zero point of x and the bias itself. */
static void
set_pack(const SnPrep *p, SnArena *tmp, const SnConvGeo *o, SnConvNum *num,
         bool transposed)
{
    const SnTensor *bias = sn_opnd(p->call, 2);
    const int64_t v[] = {o->h,  o->w,  o->oh, o->ow,           o->sh,  o->sw,
                         o->dh, o->pt, o->pl, num->pick->clip, num->xz};

    if (!p->pack || (o->group > 1 && o->group == o->c))
        return;
    SnBuf b = panels_key(p, tmp, o, num, transposed);
    num->panels = sn_pack_item(p->pack, b.s, b.n);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        put_number(&b, v[i]);
    put_number(&b, bias->type ? (int64_t)p->hash[bias - p->call->in] : 0);
    num->biases = sn_pack_item(p->pack, b.s, b.n);
}

static const SnConvQ8 *
finish(SnPrep *p, const SnConvGeo *geo, const SnConvNum *num, const int8_t *w)
{
    const SnConvQ8 *plan =
        sn_conv_q8_plan(p->call->scratch, sn_isa(), geo, num, w);

    p->prep = plan;
    if (sn_pack_ready(num->panels) && sn_pack_ready(num->biases))
        p->packed = 6; /* w and b */
    p->nwork = sn_conv_q8_work(plan);
    p->nunit = sn_conv_q8_units(plan);
    p->cost = sn_conv_q8_cost(plan);
    p->pitched = sn_conv_q8_pitched(plan);
    return plan;
}

/* The filter's codes; NULL: not one that the kernel can do. */
static const int8_t *
conv_numbers(SnArena *tmp, const SnCall *c, const SnType *y, SnRange clamp,
             SnConvNum *num, SnConvGeo *geo)
{
    const SnTensor *w = sn_map_port(c, &c->kind->sem[0], 1);

    return w->data && sn_cpu_conv_numbers(tmp, c, y, clamp, num) &&
                   sn_cpu_conv_geo(c, geo) && sn_conv_q8_holds(geo)
               ? w->data
               : NULL;
}

static const SnConvQ8 *
open_conv(SnPrep *p, SnArena *tmp, const SnType *y, SnRange clamp)
{
    SnConvNum num;
    SnConvGeo geo;
    const int8_t *w = conv_numbers(tmp, p->call, y, clamp, &num, &geo);

    if (!w || p->call->rounding != SN_ROUNDING_FLOAT)
        return NULL;
    SnConvPick pick = pick_for(p, &geo, &num);
    num.pick = &pick;
    num.from = p->constants;
    set_pack(p, tmp, &geo, &num, true);
    return finish(p, &geo, &num, w);
}

const SnConvQ8 *
sn_cpu_conv_open(SnPrep *p, const SnType *y, SnRange clamp)
{
    SnArena *tmp = sn_arena_new();
    const SnConvQ8 *plan = open_conv(p, tmp, y, clamp);

    sn_arena_free(tmp);
    return plan;
}

/* Under another arithmetic than float. */
static bool
conv_rows(SnPrep *p)
{
    const SnCall *c = p->call;
    SnArena *tmp = sn_arena_new();
    SnConvNum num;
    SnConvGeo geo;
    const int8_t *w =
        conv_numbers(tmp, c, c->out[0].type, sn_cpu_clamp(c), &num, &geo);
    bool ok = w && sn_cpu_rows_open(p, &geo, &num, w, c->out[0].type);

    sn_arena_free(tmp);
    return ok;
}

bool
sn_cpu_conv_q8_prepare(SnPrep *p)
{
    if (p->call->rounding != SN_ROUNDING_FLOAT)
        return conv_rows(p);
    return sn_cpu_conv_open(p, p->call->out[0].type, sn_cpu_clamp(p->call)) !=
           NULL;
}

enum { STRIP = 64 }; /* rows transposed before their pages are released */

/* Codes [rows, cols] at w, to be transposed. */
typedef struct Transpose {
    const int8_t *w;
    int64_t rows, cols;
    const SnArena *from;
    SnArena *to;
} Transpose;

/* [cols, rows], in pages; those that were read are released. */
static const int8_t *
transpose(void *ctx)
{
    const Transpose *u = ctx;
    int8_t *t = sn_arena_pages(u->to, (size_t)(u->rows * u->cols) + 1);

    for (int64_t i0 = 0, i1; i0 < u->rows; i0 = i1) {
        i1 = u->rows - i0 < STRIP ? u->rows : i0 + STRIP;
        for (int64_t j = 0; j < u->cols; j++)
            for (int64_t i = i0; i < i1; i++)
                t[j * u->rows + i] = u->w[i * u->cols + j];
        sn_arena_unload(u->from, u->w, (size_t)(i1 * u->cols));
    }
    return t;
}

static bool
prepare_matmul(SnPrep *p, SnArena *tmp)
{
    const SnCall *c = p->call;
    const SnTensor *w = sn_map_port(c, &c->kind->sem[0], 1);
    SnConvNum num;
    SnConvGeo geo;
    bool transposed;

    if (!w->data ||
        !sn_cpu_conv_numbers(tmp, c, c->out[0].type, sn_cpu_clamp(c), &num) ||
        !sn_cpu_matmul_geo(c, &geo, &transposed))
        return false;
    Transpose job = {w->data, geo.c, geo.oc, p->constants, tmp};
    num.from = transposed ? p->constants : tmp;
    num.filter = transpose;
    num.ctx = &job;
    if (c->rounding != SN_ROUNDING_FLOAT)
        return sn_cpu_rows_open(p, &geo, &num, transposed ? w->data : NULL,
                                c->out[0].type);
    SnConvPick pick = pick_for(p, &geo, &num);
    num.pick = &pick;
    set_pack(p, tmp, &geo, &num, transposed);
    return finish(p, &geo, &num, transposed ? w->data : NULL) != NULL;
}

bool
sn_cpu_matmul_q8_prepare(SnPrep *p)
{
    SnArena *tmp = sn_arena_new();
    bool ok = prepare_matmul(p, tmp);

    sn_arena_free(tmp);
    return ok;
}

SnStatus
sn_cpu_contract_q8(const SnCall *c)
{
    const SnShape *y = c->out[0].shape;
    int64_t pitch = c->ypitch ? c->ypitch : y->dim[y->rank - 1];

    if (c->rounding != SN_ROUNDING_FLOAT) {
        sn_cpu_rows_run(c, pitch);
        return SN_OK;
    }
    sn_conv_q8_run(c->prep, c->in[0].data, c->out[0].data, pitch, c->work,
                   c->u0, c->u1);
    return SN_OK;
}
