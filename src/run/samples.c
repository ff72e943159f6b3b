// SPDX-License-Identifier: Apache-2.0
#include "run/samples.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/file/file.h"
#include "base/num.h"
#include "onnx/proto/tensor_pb.h"

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

const char *
sn_dims_str(SnArena *a, int rank, const int64_t *dim)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_putc(&b, '[');
    for (int i = 0; i < rank; i++)
        sn_putf(&b, "%s%lld", i ? ", " : "", (long long)dim[i]);
    sn_putc(&b, ']');
    return sn_buf_str(&b);
}

static bool
same_dims(const SnData *t, const SnShape *s, int from)
{
    if (t->rank != s->rank)
        return false;
    for (int i = from; i < s->rank; i++)
        if (t->dim[i] != s->dim[i])
            return false;
    return true;
}

static void
set_image(SnFileData *f, const SnData *t)
{
    f->n = t->dim[0] / f->rows;
    f->h = t->dim[1];
    f->w = t->dim[2];
    f->c = t->rank == 4 ? t->dim[3] : 1;
    f->last = true;
}

/* Images [N, H, W, C] for a model with channels first. */
static bool
fits_permuted(const SnFileData *f, const SnShape *s)
{
    const SnData *t = &f->file.data;

    if (t->rank != 4)
        return false;
    if (s->rank == 4)
        return s->dim[1] == t->dim[3] && s->dim[2] == t->dim[1] &&
               s->dim[3] == t->dim[2];
    return t->dim[0] > 0 &&
           sn_data_count(t) / t->dim[0] == sn_shape_count(s) / f->rows;
}

/* [N, *the model's shape]. */
static bool
is_stack(const SnData *t, const SnShape *s)
{
    return t->rank == s->rank + 1 &&
           memcmp(t->dim + 1, s->dim, (size_t)s->rank * sizeof *s->dim) == 0;
}

/* Already in the model's shape: one sample, or N of them. */
static bool
fits_as_is(SnFileData *f, const SnShape *s, SnLayout layout)
{
    const SnData *t = &f->file.data;

    if (same_dims(t, s, 0))
        f->n = 1;
    else if (same_dims(t, s, 1) && s->rank > 0)
        f->n = t->dim[0] / f->rows;
    else if (is_stack(t, s))
        f->n = t->dim[0];
    else
        return false;
    f->stack = t->rank > s->rank;
    f->c = 1;
    if (s->rank == 4) {
        f->last = layout == SN_LAYOUT_NHWC;
        f->h = s->dim[f->last ? 1 : 2];
        f->w = s->dim[f->last ? 2 : 3];
        f->c = s->dim[f->last ? 3 : 1];
    }
    return true;
}

/* A picture without an axis for its number, [H, W, C] or [C, H, W], is one
 * picture. */
static void
lead_one(SnFileData *f, const SnShape *s)
{
    SnFileData one = *f;
    SnData *t = &one.file.data;

    if (t->rank != 3 || s->rank != 4 || f->rows != 1)
        return;
    memmove(t->dim + 1, t->dim, 3 * sizeof *t->dim);
    t->dim[0] = 1;
    t->rank = 4;
    if (same_dims(t, s, 0) || fits_permuted(&one, s))
        f->file.data = *t;
}

/* Axes that are longer than 1. */
static int
wide_axes(int rank, const int64_t *dim, int64_t *out)
{
    int n = 0;

    for (int i = 0; i < rank; i++)
        if (dim[i] != 1)
            out[n++] = dim[i];
    return n;
}

/* Elements in other axes than the model's, as many as there are.  A row of
 * numbers has no axes that could differ. */
static bool
other_axes(const SnData *t, const SnShape *s, int from)
{
    int64_t have[SN_DATA_MAXRANK], want[SN_MAXRANK];
    int n = wide_axes(t->rank - from, t->dim + from, have);
    int m = wide_axes(s->rank - from, s->dim + from, want);

    return n > 1 && m > 1 &&
           (n != m || memcmp(have, want, (size_t)n * sizeof *have) != 0);
}

static bool
fits_flat(SnFileData *f, const SnShape *s)
{
    const SnData *t = &f->file.data;
    int64_t want = sn_shape_count(s), all = sn_data_count(t);

    f->c = 1;
    if (t->rank > 0 && t->dim[0] > 0 && all / t->dim[0] == want / f->rows &&
        all % t->dim[0] == 0) {
        f->n = t->dim[0] / f->rows;
        if (t->rank == 4)
            set_image(f, t);
        return s->rank == 0 || !other_axes(t, s, 1);
    }
    f->n = 1;
    f->rows = 1;
    return all == want && !other_axes(t, s, 0);
}

static SnStatus
does_not_fit(SnArena *a, const SnFileData *f, const SnPort *p, SnDiag *d)
{
    const SnData *t = &f->file.data;
    const SnShape *s = p->shape;

    sn_fail(d, SN_EINPUT, f->file.path, "holds %s%s, but input '%s' is %s",
            sn_dtype_name(t->dtype), sn_dims_str(a, t->rank, t->dim), p->name,
            sn_dims_str(a, s->rank, s->dim));
    if (sn_data_count(t) == sn_shape_count(s) ||
        (t->rank > 0 && t->dim[0] > 0 &&
         sn_data_count(t) / t->dim[0] == sn_shape_count(s) / f->rows))
        sn_diag_help(
            d, "transpose the file to the model's order of axes; only pictures "
               "[N, H, W, C] are transposed for a model with channels first");
    return SN_EINPUT;
}

static SnStatus
fit_file(SnArena *a, SnFileData *f, const SnPort *p, SnLayout layout,
         bool image, SnDiag *d)
{
    const SnData *t = &f->file.data;

    /* The leading dimension counts samples within a sample. */
    f->rows = p->shape->rank > 0 && p->shape->dim[0] > 0 ? p->shape->dim[0] : 1;
    lead_one(f, p->shape);
    if (image && layout == SN_LAYOUT_NCHW && fits_permuted(f, p->shape)) {
        set_image(f, t);
        f->permute = f->c > 1;
    } else if (fits_as_is(f, p->shape, layout)) {
        f->permute = false;
    } else if (image && layout == SN_LAYOUT_AUTO && p->shape->rank == 4 &&
               fits_permuted(f, p->shape)) {
        set_image(f, t);
        f->permute = f->c > 1;
    } else if (!fits_flat(f, p->shape)) {
        return does_not_fit(a, f, p, d);
    }
    if (f->rows > 1 && !f->stack && t->rank > 0 && t->dim[0] % f->rows)
        return sn_fail(d, SN_EINPUT, f->file.path,
                       "holds %lld samples, not "
                       "a multiple of the batch of %lld",
                       (long long)t->dim[0], (long long)f->rows);
    if (f->n < 1)
        return sn_fail(d, SN_EINPUT, f->file.path, "holds no sample");
    return SN_OK;
}

/* Pictures have the size of the input; only the order of axes may differ. */
static SnStatus
fit_pictures(SnFileData *f, const SnPort *p, SnDiag *d)
{
    const SnPictures *v = f->pictures;

    f->file.data =
        (SnData){.dtype = SN_D_U8, .rank = 4, .dim = {v->n, v->h, v->w, v->c}};
    f->rows = p->shape->dim[0];
    set_image(f, &f->file.data);
    f->permute = v->first && v->c > 1;
    if (v->numbers)
        f->px = (SnPixels){.nmul = (uint32_t)v->c,
                           .mul = v->mul,
                           .nadd = (uint32_t)v->c,
                           .add = v->add};
    return v->n % f->rows == 0
               ? SN_OK
               : sn_fail(d, SN_EINPUT, f->file.path,
                         "holds %lld pictures, not a multiple of the batch of "
                         "%lld",
                         (long long)v->n, (long long)f->rows);
}

static SnStatus
check_pixels(const SnFileData *f, const SnPort *p, const SnPixels *px,
             SnDiag *d)
{
    const struct {
        const char *opt;
        uint32_t n;
    } v[2] = {{"--mul", px->nmul}, {"--add", px->nadd}};

    for (int i = 0; i < 2; i++) {
        if (v[i].n > 1 && v[i].n != (uint64_t)f->c)
            return sn_fail(d, SN_EUSAGE, v[i].opt,
                           "gives %u numbers, but %s "
                           "has %lld channel%s",
                           v[i].n, f->file.path, (long long)f->c,
                           f->c == 1 ? "" : "s");
        if (v[i].n && p->type->elem != SN_F32 && !p->type->nq)
            return sn_fail(d, SN_EUSAGE, v[i].opt,
                           "cannot be applied to "
                           "input '%s', which is %s",
                           p->name, sn_elem_name(p->type->elem));
    }
    return SN_OK;
}

static SnStatus
add_file(SnArena *a, SnSamples *s, SnFeed *feed, const char *path, SnDiag *d)
{
    SnFileData f = {.file.path = path};
    bool pb = ends_with(path, ".pb");
    const SnElem e = feed->port->type->elem;

    if (e == SN_F16 || e == SN_ROW8 || feed->port->type->nq > 1)
        return sn_fail(d, SN_EUNSUPPORTED, path,
                       "input '%s' has type %s, "
                       "which files cannot hold",
                       feed->port->name, sn_type_str(a, feed->port->type));
    f.px = s->px;
    if (s->px.pictures)
        SN_TRY(s->px.pictures(s->px.pictures_ctx, a, path, feed->port, d,
                              &f.pictures));
    if (f.pictures) {
        SN_TRY(fit_pictures(&f, feed->port, d));
    } else {
        SN_TRY(pb ? sn_pb_read(a, path, d, &f.file.data)
                  : sn_npy_open(a, path, d, &f.file));
        SN_TRY(fit_file(a, &f, feed->port, s->px.layout, !pb, d));
    }
    SN_TRY(check_pixels(&f, feed->port, &f.px, d));
    if (feed->nfile)
        f.first =
            feed->file[feed->nfile - 1].first + feed->file[feed->nfile - 1].n;
    SN_PUSH(a, feed->file, feed->nfile, f);
    return SN_OK;
}

/* "NAME=FILE" where NAME is an input; *path is FILE. */
static SnFeed *
named_feed(SnSamples *s, const char *arg, const char **path)
{
    for (uint32_t i = 0; i < s->ninput; i++) {
        size_t n = strlen(s->feed[i].port->name);
        if (strncmp(arg, s->feed[i].port->name, n) == 0 && arg[n] == '=') {
            *path = arg + n + 1;
            return &s->feed[i];
        }
    }
    return NULL;
}

/* "NAME=FILE" where NAME is not an input and no such file exists. */
static SnStatus
check_name(SnArena *a, const SnSamples *s, const char *arg, SnDiag *d)
{
    const char *eq = strchr(arg, '=');
    const char **cand = SN_NEW_N(a, const char *, s->ninput + 1);
    SnBuf b;

    if (!eq || sn_file_exists(arg) || s->ninput == 0)
        return SN_OK;
    const char *name = sn_strndup(a, arg, (size_t)(eq - arg));
    sn_buf_init(&b, a);
    for (uint32_t i = 0; i < s->ninput; i++) {
        cand[i] = s->feed[i].port->name;
        sn_putf(&b, "%s'%s'", i ? ", " : "", cand[i]);
    }
    const char *near = sn_closest(name, cand, s->ninput);
    if (near)
        return sn_fail(d, SN_EUSAGE, arg,
                       "no input is named '%s'; did you "
                       "mean '%s'?",
                       name, near);
    return sn_fail(d, SN_EUSAGE, arg, "no input is named '%s'; there %s %s",
                   name, s->ninput == 1 ? "is" : "are", sn_buf_str(&b));
}

static SnFeed *
next_feed(SnSamples *s)
{
    if (s->ninput == 1)
        return &s->feed[0];
    for (uint32_t i = 0; i < s->ninput; i++)
        if (s->feed[i].nfile == 0)
            return &s->feed[i];
    return NULL;
}

static SnStatus
count_samples(SnSamples *s, int64_t limit, SnDiag *d)
{
    for (uint32_t i = 0; i < s->ninput; i++) {
        const SnFeed *f = &s->feed[i];
        if (f->nfile == 0)
            return sn_fail(d, SN_EUSAGE, "input", "no file gives input '%s'",
                           f->port->name);
        const SnFileData *last = &f->file[f->nfile - 1];
        int64_t n = last->first + last->n;
        if (i > 0 && n != s->n)
            return sn_fail(d, SN_EINPUT, last->file.path,
                           "gives %lld samples "
                           "of '%s', but '%s' has %lld",
                           (long long)n, f->port->name, s->feed[0].port->name,
                           (long long)s->n);
        s->n = n;
    }
    if (s->ninput == 0)
        s->n = 1; /* every sample would be the same */
    s->all = s->n;
    if (limit >= 0 && limit < s->n)
        s->n = limit;
    return SN_OK;
}

SnStatus
sn_samples_open(SnArena *a, uint32_t ninput, const SnPort *input,
                uint32_t nfile, const char *const *files, const SnPixels *px,
                int64_t limit, SnDiag *d, SnSamples **out)
{
    SnSamples *s = SN_NEW(a, SnSamples);

    if (limit == 0)
        return sn_fail(d, SN_EUSAGE, "-n", "asks for no sample");
    s->px = *px;
    s->ninput = ninput;
    s->feed = SN_NEW_N(a, SnFeed, ninput + 1);
    for (uint32_t i = 0; i < ninput; i++)
        s->feed[i].port = &input[i];
    for (uint32_t i = 0; i < nfile; i++) {
        const char *path = files[i];
        SnFeed *f = named_feed(s, files[i], &path);
        if (!f) {
            SN_TRY(check_name(a, s, files[i], d));
            f = next_feed(s);
        }
        if (ninput == 0)
            return sn_fail(d, SN_EUSAGE, path, "the model has no input");
        if (!f)
            return sn_fail(d, SN_EUSAGE, path,
                           "the graph has %u input%s "
                           "and each has a file already",
                           ninput, ninput == 1 ? "" : "s");
        SN_TRY(add_file(a, s, f, path, d));
    }
    SN_TRY(count_samples(s, limit, d));
    *out = s;
    return SN_OK;
}

/* ---- filling ---- */

typedef struct Pixel { /* conversion of one element from file to input */
    const SnPixels *px;
    const SnType *type;
    bool raw; /* integers are codes */
    int64_t shift;
} Pixel;

static void
store(const Pixel *p, const SnData *t, int64_t from, int64_t channel, void *dst,
      int64_t to)
{
    const SnType *ty = p->type;

    if (p->raw || (!ty->nq && ty->elem != SN_F32)) {
        int64_t v = sn_data_int(t, from) - p->shift;
        switch (ty->elem) {
        case SN_QI8:
        case SN_I8:
            ((int8_t *)dst)[to] = (int8_t)v;
            break;
        case SN_QI16:
            ((int16_t *)dst)[to] = (int16_t)v;
            break;
        case SN_QI32:
        case SN_I32:
            ((int32_t *)dst)[to] = (int32_t)v;
            break;
        case SN_BOOL:
            ((uint8_t *)dst)[to] = v != 0;
            break;
        default:
            ((int64_t *)dst)[to] = v;
        }
        return;
    }
    float v = (float)sn_data_real(t, from);
    if (p->px->nmul)
        v *= p->px->mul[p->px->nmul > 1 ? channel : 0];
    if (p->px->nadd)
        v += p->px->add[p->px->nadd > 1 ? channel : 0];
    int32_t lo = (int32_t)sn_elem_lo(ty->elem);
    int32_t hi = (int32_t)sn_elem_hi(ty->elem);
    if (ty->elem == SN_F32)
        ((float *)dst)[to] = v;
    else if (ty->elem == SN_QI32)
        ((int32_t *)dst)[to] = sn_quant32(v, ty->scale[0], lo, hi);
    else if (ty->elem == SN_QI16)
        ((int16_t *)dst)[to] =
            (int16_t)sn_quant(v, ty->scale[0], ty->zp[0], lo, hi);
    else
        ((int8_t *)dst)[to] =
            (int8_t)sn_quant(v, ty->scale[0], ty->zp[0], lo, hi);
}

typedef struct Fill { /* conversion of one sample */
    Pixel p;
    const SnFileData *f;
    int64_t row, area; /* elements of one row, of one channel in it */
    void *dst;
} Fill;

static void
fill_part(void *ctx, const SnData *part, int64_t i, int64_t n)
{
    const Fill *fi = ctx;
    const SnFileData *f = fi->f;

    for (int64_t k = 0; k < n; k++, i++) {
        int64_t channel = f->last ? i % f->c : i / fi->area % f->c;
        int64_t to = i, in_row = i % fi->row;
        if (f->permute)
            to += channel * fi->area + in_row / f->c - in_row;
        store(&fi->p, part, k, channel, fi->dst, to);
    }
}

/* Sample i of f, from pictures; NULL, or why it failed, in a. */
static const char *
fill_pictures(Fill *fi, int64_t i, int64_t count, SnArena *a, const char **path)
{
    const SnFileData *f = fi->f;
    uint8_t *v = sn_alloc(a, (size_t)count);
    const SnData all = {.dtype = SN_D_U8, .rank = 1, .dim = {count}, .data = v};

    for (int64_t r = 0; r < f->rows; r++) {
        int64_t k = i * f->rows + r;
        const char *why = f->pictures->make(f->pictures, k, a, v + r * fi->row);
        *path = f->pictures->path[k];
        if (why)
            return why;
    }
    fill_part(fi, &all, 0, count);
    return NULL;
}

static SnStatus
fill_feed(const SnFeed *feed, int64_t sample, SnRun *r, void *dst)
{
    uint32_t k = 0;
    Fill fi = {.p = {.type = feed->port->type}, .dst = dst};

    while (sample >= feed->file[k].first + feed->file[k].n)
        k++;
    const SnFileData *f = fi.f = &feed->file[k];
    SnDtype dt = f->file.data.dtype;
    fi.p.px = &f->px;
    fi.p.raw = fi.p.type->nq && !f->px.nmul && !f->px.nadd &&
               (dt == SN_D_U8 || dt == SN_D_I8);
    fi.p.shift = (fi.p.raw && dt == SN_D_U8) || feed->port->u8 ? 128 : 0;
    int64_t count = sn_shape_count(feed->port->shape);
    fi.row = count / f->rows;
    fi.area = f->c > 0 ? fi.row / f->c : fi.row;
    r->where = f->file.path;
    if (f->pictures) {
        SnArena *a = sn_arena_new();
        const char *why =
            fill_pictures(&fi, sample - f->first, count, a, &r->where);
        snprintf(r->why, sizeof r->why, "%s", why ? why : "");
        sn_arena_free(a);
        return why ? SN_EINPUT : SN_OK;
    }
    if (sn_npy_part(&f->file, (sample - f->first) * count, count, fill_part,
                    &fi))
        return SN_OK;
    snprintf(r->why, sizeof r->why, "cannot read: %s",
             errno ? strerror(errno) : "the file became shorter");
    return SN_EINPUT;
}

SnStatus
sn_samples_fill(void *ctx, int64_t sample, SnRun *r)
{
    const SnSamples *s = ctx;

    for (uint32_t i = 0; i < s->ninput; i++)
        SN_TRY(fill_feed(&s->feed[i], s->skip + sample, r, sn_run_input(r, i)));
    return SN_OK;
}
