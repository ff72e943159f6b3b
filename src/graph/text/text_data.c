// SPDX-License-Identifier: Apache-2.0
/* Reading the data of constants: lists, splats, and sidecar files.  Nothing is
 * allocated by a size that was not first compared with what the text or the
 * file holds; splats together stay below SN_SPLAT_MAX. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/budget.h"
#include "base/file/file.h"
#include "graph/text/text_priv.h"

/* ---- what stands in the text ---- */

/* Skips a list and counts its elements; they are read when the type is
 * known. */
static bool
skip_list(SnReader *r, SnDataText *t)
{
    t->form = SN_TEXT_LIST;
    t->at = r->m;
    t->nelem = 0;
    sn_rd_next(r);
    while (!sn_rd_is(r, ']')) {
        if (t->nelem > 0 && !sn_rd_expect(r, ',', "or ']' in a list"))
            return false;
        if (r->m.t.kind != SN_TOK_NUM && r->m.t.kind != SN_TOK_IDENT)
            return sn_rd_wanted(r, "a number");
        t->nelem++;
        sn_rd_next(r);
    }
    sn_rd_next(r);
    return !r->failed;
}

bool
sn_rd_data(SnReader *r, SnDataText *t)
{
    t->pos = r->m.t.pos;
    if (sn_rd_is(r, '['))
        return skip_list(r, t);
    if (r->m.t.kind == SN_TOK_IDENT && !strcmp(r->m.t.s, "elided"))
        return sn_rd_fail(r, t->pos,
                          "the values were omitted when this was printed "
                          "(--elide): expected a list, or \"file\"@offset");
    if (r->m.t.kind != SN_TOK_STR)
        return sn_rd_wanted(r, "a list, or \"file\"@offset");
    t->form = SN_TEXT_SIDE;
    t->file = r->m.t.s;
    sn_rd_next(r);
    return sn_rd_expect(r, '@', "and an offset after the file name") &&
           sn_rd_int(r, 0, INT64_MAX, &t->offset);
}

bool
sn_rd_splat(SnReader *r, SnDataText *t)
{
    t->pos = r->m.t.pos;
    t->form = SN_TEXT_SPLAT;
    t->at = r->m;
    if (r->m.t.kind != SN_TOK_NUM && r->m.t.kind != SN_TOK_IDENT)
        return sn_rd_wanted(r, "a number");
    sn_rd_next(r);
    return !r->failed;
}

/* ---- elements ---- */

static bool
read_half(SnReader *r, unsigned char *p)
{
    const SnTextTok *t = &r->m.t;
    uint16_t h;
    float v;

    if (t->kind == SN_TOK_NUM && t->pos.len == 6 && t->at[1] == 'x') {
        char s[5] = {t->at[2], t->at[3], t->at[4], t->at[5], 0}, *end;
        h = (uint16_t)strtoul(s, &end, 16);
        if (end != s + 4)
            return sn_rd_fail(r, t->pos, "expected 4 hex digits");
        sn_rd_next(r);
    } else {
        if (!sn_rd_real(r, &v))
            return false;
        h = sn_half_from_f32(v);
    }
    memcpy(p, &h, sizeof h);
    return !r->failed;
}

static bool
read_flag(SnReader *r, unsigned char *p)
{
    int64_t v;

    if (r->m.t.kind == SN_TOK_IDENT &&
        (!strcmp(r->m.t.s, "true") || !strcmp(r->m.t.s, "false"))) {
        *p = *r->m.t.s == 't';
        sn_rd_next(r);
        return !r->failed;
    }
    if (!sn_rd_int(r, 0, 1, &v))
        return false;
    *p = (unsigned char)v;
    return true;
}

static bool
read_elem(SnReader *r, SnElem e, unsigned char *p)
{
    int64_t v;
    float f;

    if (e == SN_F32) {
        if (!sn_rd_real(r, &f))
            return false;
        memcpy(p, &f, sizeof f);
        return true;
    }
    if (e == SN_F16)
        return read_half(r, p);
    if (e == SN_BOOL)
        return read_flag(r, p);
    if (!sn_rd_int(r, sn_elem_lo(e), sn_elem_hi(e), &v))
        return false;
    /* two's complement, narrowed: the low bytes, whatever the byte order */
    if (sn_elem_size(e) == 1) {
        *p = (unsigned char)v;
    } else if (sn_elem_size(e) == 2) {
        uint16_t h = (uint16_t)v;
        memcpy(p, &h, sizeof h);
    } else if (sn_elem_size(e) == 4) {
        uint32_t w = (uint32_t)v;
        memcpy(p, &w, sizeof w);
    } else {
        memcpy(p, &v, sizeof v);
    }
    return true;
}

/* Numbers a list holds for this type; the pair behind every row of row8
 * counts. */
static uint64_t
list_len(const SnType *t, const SnShape *s)
{
    uint64_t n = (uint64_t)sn_shape_count(s);

    if (t->elem == SN_ROW8)
        n += (sn_tensor_nbyte(t, s) - n) / 4;
    return n;
}

static bool
read_list(SnReader *r, const SnDataText *t, const SnType *type,
          const SnShape *shape, const void **data)
{
    uint64_t want = list_len(type, shape);
    int64_t cols = shape->rank ? shape->dim[shape->rank - 1] : 1, col = 0;
    SnMark after = r->m;

    if (t->nelem != want)
        return sn_rd_fail(r, t->pos, "%llu elements, but the type has %llu",
                          (unsigned long long)t->nelem,
                          (unsigned long long)want);
    unsigned char *p = sn_alloc(r->a, sn_tensor_nbyte(type, shape));
    *data = p;
    r->m = t->at;
    sn_rd_next(r);
    for (uint64_t i = 0; i < want; i++) {
        bool pair = type->elem == SN_ROW8 && col >= cols;
        SnElem e = pair ? SN_F32 : type->elem;
        if (i > 0)
            sn_rd_next(r);
        if (!read_elem(r, e, p))
            return false;
        p += sn_elem_size(e);
        if (type->elem == SN_ROW8)
            col = col == cols + 1 ? 0 : col + 1;
    }
    r->m = after;
    return true;
}

/* n bytes of one element; long ones do not stay in memory when they are not
 * looked at. */
static const void *
fill_splat(SnArena *a, const unsigned char one[8], size_t size, size_t n)
{
    enum { LONG = 1 << 16 };
    const void *p = n < LONG ? NULL : sn_arena_repeat(a, one, size, n);

    if (p)
        return p;
    unsigned char *v = sn_alloc(a, n);
    if (size == 1)
        memset(v, one[0], n);
    for (size_t i = 0; size > 1 && i < n; i += size)
        memcpy(v + i, one, size);
    return v;
}

/* The last splat of the same element with n bytes at least, or a new one. */
static const void *
find_splat(SnReader *r, const unsigned char one[8], size_t size, size_t n)
{
    SnSplat *s = r->splat;

    for (int k = 0; k < SN_NSPLAT; k++, s++)
        if (s->size == size && s->n >= n && !memcmp(s->one, one, 8))
            return s->data;
    s = &r->splat[r->isplat++ % SN_NSPLAT];
    *s = (SnSplat){.size = size, .n = n};
    memcpy(s->one, one, 8);
    s->data = fill_splat(r->a, one, size, n);
    return s->data;
}

static bool
read_splat(SnReader *r, const SnDataText *t, const SnType *type,
           const SnShape *shape, const void **data)
{
    size_t size = sn_elem_size(type->elem), n = sn_tensor_nbyte(type, shape);
    SnMark after = r->m;
    unsigned char one[8] = {0};

    if (type->elem == SN_ROW8)
        return sn_rd_fail(r, t->pos, "row8 cannot be written as a splat");
    if (n > SN_SPLAT_MAX - r->nsplat)
        return sn_rd_fail(r, t->pos,
                          "the splats of one file may not exceed "
                          "%d bytes",
                          SN_SPLAT_MAX);
    r->m = t->at;
    if (!read_elem(r, type->elem, one))
        return false;
    r->m = after;
    r->nsplat += n;
    *data = find_splat(r, one, size, n);
    return true;
}

/* ---- sidecar files ---- */

static bool
was_replaced(SnReader *r)
{
    SnTextFile *f = r->file, now = {0};

    if (!f)
        return false;
    now.path = f->path;
    f->replaced =
        sn_text_file(&now) && (now.dev != f->dev || now.ino != f->ino ||
                               now.changed.tv_sec != f->changed.tv_sec ||
                               now.changed.tv_nsec != f->changed.tv_nsec);
    r->failed |= f->replaced;
    return f->replaced;
}

/* For a file that cannot be opened (errno): it may be removed at any moment,
 * together with the text that names it. */
static bool
no_side(SnReader *r, const SnDataText *t, const char *path)
{
    int why = errno;

    if (why == ENOENT && was_replaced(r))
        return false;
    return sn_rd_fail(r, t->pos, "cannot open %s: %s", path, strerror(why));
}

/* Maps a regular file that lies directly in the reader's directory. */
static bool
load_side(SnReader *r, const SnDataText *t, SnSide *s)
{
    const char *path = sn_path_join(r->a, r->dir, s->name);
    struct stat st, now;

    if (lstat(path, &st))
        return no_side(r, t, path);
    if (!S_ISREG(st.st_mode))
        return sn_rd_fail(r, t->pos, "%s is %s, not a regular file", path,
                          S_ISLNK(st.st_mode)   ? "a symbolic link"
                          : S_ISDIR(st.st_mode) ? "a directory"
                                                : "a device");
    s->n = (size_t)st.st_size;
    s->data = "";
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return no_side(r, t, path);
    bool ok =
        !fstat(fd, &now) && S_ISREG(now.st_mode) && now.st_size == st.st_size;
    if (ok && s->n > 0)
        ok = (s->data = sn_arena_map(r->a, fd, s->n)) != NULL;
    bool full = !s->data && errno == ENOMEM;
    close(fd);
    if (full)
        sn_out_of_memory();
    if (ok && s->n > 0)
        sn_file_mapped_add(r->a, path, s->data, &now, false);
    sn_budget_beside(s->n);
    return ok || sn_rd_fail(r, t->pos, "cannot read all of %s", path);
}

static bool
find_side(SnReader *r, const SnDataText *t, const SnSide **side)
{
    SnSide s = {.name = t->file};

    for (size_t i = 0; i < r->nside; i++)
        if (!strcmp(r->side[i].name, t->file)) {
            *side = &r->side[i];
            return true;
        }
    if (!r->dir)
        return sn_rd_fail(r, t->pos,
                          "files beside the text are not allowed "
                          "here");
    if (!*t->file || strchr(t->file, '/') || !strcmp(t->file, ".") ||
        !strcmp(t->file, ".."))
        return sn_rd_fail(r, t->pos, "'%s' must be a plain file name", t->file);
    if (!load_side(r, t, &s))
        return false;
    SN_PUSH(r->a, r->side, r->nside, s);
    *side = &r->side[r->nside - 1];
    return true;
}

static bool
read_side(SnReader *r, const SnDataText *t, const SnType *type,
          const SnShape *shape, const void **data)
{
    size_t n = sn_tensor_nbyte(type, shape);
    uint64_t at = (uint64_t)t->offset;
    const SnSide *s = NULL;

    if (!t->hash)
        return sn_rd_fail(r, t->pos, "data in a file requires its hash");
    if (!find_side(r, t, &s))
        return false;
    if (at % SN_SIDE_ALIGN != 0)
        return sn_rd_fail(r, t->pos, "offset %llu is not a multiple of %d",
                          (unsigned long long)at, SN_SIDE_ALIGN);
    if (at > s->n || n > s->n - at)
        return sn_rd_fail(r, t->pos,
                          "%s has %zu bytes, too few for %zu at "
                          "%llu",
                          t->file, s->n, n, (unsigned long long)at);
    *data = s->data + at;
    return true;
}

/* A hash, wherever the bytes come from, must be theirs. */
static bool
check_hash(SnReader *r, const SnDataText *t, const void *data, size_t n)
{
    char hash[17];

    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)XXH64(data, n, 0));
    if (!strcmp(hash, t->hash))
        return true;
    if (t->form != SN_TEXT_SIDE)
        return sn_rd_fail(r, t->pos, "the data have hash %s, not %s", hash,
                          t->hash);
    return sn_rd_fail(r, t->pos,
                      "%s at %lld has hash %s, not %s; it is not the file "
                      "this text was written with",
                      t->file, (long long)t->offset, hash, t->hash);
}

bool
sn_rd_bytes(SnReader *r, const SnDataText *t, const SnType *type,
            const SnShape *shape, const void **data)
{
    bool ok = t->form == SN_TEXT_LIST    ? read_list(r, t, type, shape, data)
              : t->form == SN_TEXT_SPLAT ? read_splat(r, t, type, shape, data)
                                         : read_side(r, t, type, shape, data);

    if (!ok || !t->hash || (r->lazy && t->form == SN_TEXT_SIDE))
        return ok;
    return check_hash(r, t, *data, sn_tensor_nbyte(type, shape));
}
