// SPDX-License-Identifier: Apache-2.0
#include "run/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file/file.h"

/* NumPy's names of the supported element types. */
static const struct {
    const char *descr;
    SnDtype dtype;
} descrs[] = {
    {"|u1", SN_D_U8},  {"<u2", SN_D_U16}, {"<u4", SN_D_U32}, {"<u8", SN_D_U64},
    {"|i1", SN_D_I8},  {"<i2", SN_D_I16}, {"<i4", SN_D_I32}, {"<i8", SN_D_I64},
    {"<f2", SN_D_F16}, {"<f4", SN_D_F32}, {"<f8", SN_D_F64}, {"|b1", SN_D_BOOL},
};
enum { NDESCR = sizeof descrs / sizeof descrs[0] };

/* ---- the header: a Python dictionary of three known keys ---- */

typedef struct Head {
    const char *p, *end;
    char descr[16];
    bool fortran;
    SnData t;
    unsigned seen; /* bit per key */
} Head;

static void
space(Head *h)
{
    while (h->p < h->end && (*h->p == ' ' || *h->p == '\n'))
        h->p++;
}

static bool
take(Head *h, char c)
{
    space(h);
    if (h->p == h->end || *h->p != c)
        return false;
    h->p++;
    return true;
}

static bool
quoted(Head *h, char *out, size_t cap)
{
    char q;
    size_t n = 0;

    space(h);
    if (h->p == h->end || (*h->p != '\'' && *h->p != '"'))
        return false;
    q = *h->p++;
    while (h->p < h->end && *h->p != q) {
        if (n + 1 >= cap)
            return false;
        out[n++] = *h->p++;
    }
    out[n] = '\0';
    return take(h, q);
}

static bool
word(Head *h, const char *w)
{
    size_t n = strlen(w);

    space(h);
    if ((size_t)(h->end - h->p) < n || memcmp(h->p, w, n) != 0)
        return false;
    h->p += n;
    return true;
}

static bool
number(Head *h, int64_t *out)
{
    int64_t v = 0;
    const char *from;

    space(h);
    from = h->p;
    while (h->p < h->end && *h->p >= '0' && *h->p <= '9') {
        if (v > (INT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (*h->p++ - '0');
    }
    *out = v;
    return h->p > from;
}

static bool
shape(Head *h)
{
    h->t.rank = 0;
    if (!take(h, '('))
        return false;
    while (!take(h, ')')) {
        if (h->t.rank == SN_DATA_MAXRANK)
            return false;
        if (!number(h, &h->t.dim[h->t.rank++]))
            return false;
        if (!take(h, ',')) {
            if (!take(h, ')'))
                return false;
            return h->t.rank > 1; /* (3) is a number, (3,) a tuple */
        }
    }
    return true;
}

static bool
entry(Head *h)
{
    char key[24];
    unsigned bit;

    if (!quoted(h, key, sizeof key) || !take(h, ':'))
        return false;
    if (strcmp(key, "descr") == 0) {
        bit = 1;
        if (!quoted(h, h->descr, sizeof h->descr))
            return false;
    } else if (strcmp(key, "fortran_order") == 0) {
        bit = 2;
        h->fortran = word(h, "True");
        if (!h->fortran && !word(h, "False"))
            return false;
    } else if (strcmp(key, "shape") == 0) {
        bit = 4;
        if (!shape(h))
            return false;
    } else {
        return false;
    }
    if (h->seen & bit)
        return false;
    h->seen |= bit;
    return true;
}

static bool
dictionary(Head *h)
{
    if (!take(h, '{'))
        return false;
    while (!take(h, '}')) {
        if (!entry(h))
            return false;
        if (!take(h, ',')) {
            if (!take(h, '}'))
                return false;
            break;
        }
    }
    space(h);
    return h->p == h->end && h->seen == 7;
}

/* ---- elements ---- */

/* Fortran order: the first index runs fastest. */
static void *
to_c_order(SnArena *a, const SnData *t, const char *src)
{
    size_t size = sn_dtype_size(t->dtype);
    int64_t n = sn_data_count(t), idx[SN_DATA_MAXRANK] = {0};
    int64_t stride[SN_DATA_MAXRANK], s = 1, at = 0;
    char *dst = sn_alloc_n(a, (size_t)n, size);

    for (int i = 0; i < t->rank; i++) {
        stride[i] = s;
        s *= t->dim[i];
    }
    for (int64_t k = 0; k < n; k++) {
        memcpy(dst + (size_t)k * size, src + (size_t)at * size, size);
        for (int i = t->rank - 1; i >= 0; i--) {
            at += stride[i];
            if (++idx[i] < t->dim[i])
                break;
            at -= stride[i] * t->dim[i];
            idx[i] = 0;
        }
    }
    return dst;
}

static SnStatus
find_dtype(const char *name, Head *h, SnDiag *d)
{
    char *s = h->descr;

    if (s[0] == '=' || (s[0] == '<' && s[1] != '\0' && s[2] == '1'))
        s[0] = s[1] != '\0' && s[2] == '1' ? '|' : '<';
    for (int i = 0; i < NDESCR; i++)
        if (strcmp(s, descrs[i].descr) == 0) {
            h->t.dtype = descrs[i].dtype;
            return SN_OK;
        }
    sn_fail(d, SN_EUNSUPPORTED, name, "elements of type '%s' are not supported",
            s);
    sn_diag_help(d, "supported are integers of 8 to 64 bits, float16, float32, "
                    "float64 and bool, little-endian");
    return SN_EUNSUPPORTED;
}

/* The header in p[0..n), the file's first bytes; *at is where the elements
 * start. */
static SnStatus
header(const char *name, const void *p, size_t n, SnDiag *d, Head *h,
       size_t *at)
{
    const uint8_t *b = p;
    size_t len;

    memset(h, 0, sizeof *h);
    if (n < 10 || memcmp(b, "\x93NUMPY", 6) != 0)
        return sn_fail(d, SN_EINPUT, name, "not a .npy file");
    if (b[6] < 1 || b[6] > 3)
        return sn_fail(
            d, SN_EUNSUPPORTED, name,
            ".npy version %d.%d is not supported: expected 1, 2 or 3", b[6],
            b[7]);
    if (b[6] == 1) {
        *at = 10;
        len = (size_t)b[8] | (size_t)b[9] << 8;
    } else {
        if (n < 12)
            return sn_fail(d, SN_EINPUT, name, "the header is cut off");
        *at = 12;
        len = (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 |
              (size_t)b[11] << 24;
    }
    if (len > n - *at)
        return sn_fail(d, SN_EINPUT, name, "the header is cut off");
    h->p = (const char *)b + *at;
    h->end = h->p + len;
    *at += len;
    if (!dictionary(h))
        return sn_fail(d, SN_EINPUT, name,
                       "the header is not {'descr': ..., 'fortran_order': "
                       "..., 'shape': (...)} of at most %d dimensions",
                       SN_DATA_MAXRANK);
    return find_dtype(name, h, d);
}

/* n is the number of bytes after the header. */
static SnStatus
check_size(const char *name, const Head *h, size_t n, SnDiag *d)
{
    int64_t count = sn_data_count(&h->t);

    if (count < 0)
        return sn_fail(d, SN_EINPUT, name, "the shape is too large");
    size_t need = (size_t)count * sn_dtype_size(h->t.dtype);
    if (need != n)
        return sn_fail(
            d, SN_EINPUT, name,
            "holds %zu bytes of elements, but its header announces %zu", n,
            need);
    return SN_OK;
}

static SnStatus
check_bool(const char *name, const uint8_t *p, size_t n, SnDiag *d)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] > 1)
            return sn_fail(d, SN_EINPUT, name,
                           "a bool element is %u, neither 0 nor 1",
                           (unsigned)p[i]);
    return SN_OK;
}

SnStatus
sn_npy_parse(SnArena *a, const char *name, const void *p, size_t n, SnDiag *d,
             SnData *out)
{
    const char *from;
    size_t at;
    Head h;

    SN_TRY(header(name, p, n, d, &h, &at));
    SN_TRY(check_size(name, &h, n - at, d));
    from = (const char *)p + at;
    *out = h.t;
    if (h.fortran && h.t.rank > 1)
        out->data = to_c_order(a, &h.t, from);
    else
        out->data = sn_memdup(a, from, n - at);
    if (h.t.dtype == SN_D_BOOL)
        SN_TRY(check_bool(name, out->data, n - at, d));
    return SN_OK;
}

SnStatus
sn_npy_read(SnArena *a, const char *path, SnDiag *d, SnData *out)
{
    char *text;
    size_t n;

    SN_TRY(sn_file_read(a, d, path, 0, &text, &n));
    return sn_npy_parse(a, path, text, n, d, out);
}

/* ---- by parts ---- */

enum { HEAD_MOST = 1 << 16, PART = 1 << 15 };

/* false with errno 0: the file ends before. */
static bool
read_at(int fd, void *p, size_t n, size_t at)
{
    char *to = p;

    while (n > 0) {
        ssize_t r = pread(fd, to, n, (off_t)at);
        if (r < 0 && errno == EINTR)
            continue;
        if (r == 0)
            errno = 0;
        if (r <= 0)
            return false;
        to += r;
        at += (size_t)r;
        n -= (size_t)r;
    }
    return true;
}

static SnStatus
cannot_read(const char *path, SnDiag *d)
{
    return sn_fail(d, SN_EINPUT, path, "cannot read: %s",
                   errno ? strerror(errno) : "it became shorter");
}

static SnStatus
check_bools(const SnNpy *f, int fd, SnDiag *d)
{
    size_t n = sn_data_nbyte(&f->data);
    uint8_t part[PART];

    for (size_t i = 0; i < n; i += PART) {
        size_t k = n - i < PART ? n - i : PART;
        if (!read_at(fd, part, k, f->at + i))
            return cannot_read(f->path, d);
        SN_TRY(check_bool(f->path, part, k, d));
    }
    return SN_OK;
}

/* For a regular file of `size` bytes.  *whole: its elements must be moved, so
 * it has to be read at once. */
static SnStatus
open_parts(int fd, size_t size, SnDiag *d, SnNpy *f, bool *whole)
{
    char head[HEAD_MOST];
    size_t n = size < sizeof head ? size : sizeof head;
    Head h;

    if (!read_at(fd, head, n, 0))
        return cannot_read(f->path, d);
    SN_TRY(header(f->path, head, n, d, &h, &f->at));
    SN_TRY(check_size(f->path, &h, size - f->at, d));
    f->data = h.t;
    *whole = h.fortran && h.t.rank > 1;
    return h.t.dtype == SN_D_BOOL && !*whole ? check_bools(f, fd, d) : SN_OK;
}

SnStatus
sn_npy_open(SnArena *a, const char *path, SnDiag *d, SnNpy *out)
{
    bool whole = true;
    SnStatus s = SN_OK;
    struct stat st;
    int fd = -1;

    *out = (SnNpy){.path = path};
    /* A pipe can be opened only once, by its reader. */
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0)
        s = open_parts(fd, (size_t)st.st_size, d, out, &whole);
    if (fd >= 0)
        close(fd);
    if (s != SN_OK || !whole)
        return s;
    return sn_npy_read(a, path, d, &out->data);
}

bool
sn_npy_part(const SnNpy *f, int64_t first, int64_t n, SnNpyEach *each,
            void *ctx)
{
    size_t size = sn_dtype_size(f->data.dtype);
    SnData part = f->data;
    union {
        char byte[PART];
        double align;
    } buf;

    if (f->data.data) {
        part.data = (const char *)f->data.data + (size_t)first * size;
        each(ctx, &part, 0, n);
        return true;
    }
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    part.data = buf.byte;
    int64_t most = (int64_t)(PART / size);
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i += most) {
        int64_t k = n - i < most ? n - i : most;
        ok = read_at(fd, buf.byte, (size_t)k * size,
                     f->at + (size_t)(first + i) * size);
        if (ok)
            each(ctx, &part, i, k);
    }
    close(fd);
    return ok;
}

SnStatus
sn_npy_write(SnArena *a, SnDiag *d, const char *path, const SnData *t)
{
    const char *descr = NULL;
    SnBuf b;
    size_t pad;

    for (int i = 0; i < NDESCR; i++)
        if (descrs[i].dtype == t->dtype)
            descr = descrs[i].descr;
    if (descr == NULL)
        return sn_fail(d, SN_EUNSUPPORTED, path,
                       "elements of type %s cannot be written",
                       sn_dtype_name(t->dtype));
    sn_buf_init(&b, a);
    sn_putn(&b, "\x93NUMPY\x01\x00..", 10);
    sn_putf(&b, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < t->rank; i++)
        sn_putf(&b, i > 0 ? ", %" PRId64 : "%" PRId64, t->dim[i]);
    sn_puts(&b, t->rank == 1 ? ",), }" : "), }");
    for (pad = (64 - (b.n + 1) % 64) % 64; pad > 0; pad--)
        sn_putc(&b, ' ');
    sn_putc(&b, '\n');
    b.s[8] = (char)((b.n - 10) & 255);
    b.s[9] = (char)((b.n - 10) >> 8);
    sn_putn(&b, t->data, sn_data_nbyte(t));
    return sn_file_write(d, path, b.s, b.n);
}
