// SPDX-License-Identifier: Apache-2.0
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"

enum { PATH_SIZE = 4096, CHUNK = 65536, MAP_FROM = 1 << 15 };

static ssize_t
read_some(int fd, void *p, size_t n)
{
    ssize_t r;

    do
        r = read(fd, p, n);
    while (r < 0 && errno == EINTR);
    return r;
}

/* Reads to the end of fd, at most max + 1 bytes; the result's *nbyte > max
 * says that the file is too large.  hint is the size it is thought to have.
 * NULL with errno set when reading fails. */
static char *
read_all(SnArena *a, int fd, size_t hint, size_t max, size_t *nbyte)
{
    size_t cap = (hint < max ? hint : max) + 2, n = 0;
    char *s = sn_alloc(a, cap);

    for (;;) {
        ssize_t r = read_some(fd, s + n, cap - 1 - n);
        if (r < 0)
            return NULL;
        n += (size_t)r;
        if (r == 0 || n > max)
            break;
        if (n == cap - 1) {
            size_t wider = cap > max / 2 ? max + 2 : 2 * cap;
            char *t = sn_alloc(a, wider);
            memcpy(t, s, n);
            s = t;
            cap = wider;
        }
    }
    s[n] = 0;
    *nbyte = n;
    return s;
}

static SnStatus
read_guarded(SnArena *a, int fd, size_t hint, size_t max, char **text,
             size_t *nbyte)
{
    SnGuard gu;

    if (setjmp(gu.env))
        return SN_ENOMEM;
    sn_guard_push(&gu);
    *text = read_all(a, fd, hint, max, nbyte);
    sn_guard_pop(&gu);
    return *text ? SN_OK : SN_EINPUT;
}

SnStatus
sn_file_read(SnArena *a, SnDiag *d, const char *path, size_t max, char **text,
             size_t *nbyte)
{
    bool std = strcmp(path, "-") == 0;
    const char *where = std ? "standard input" : path;
    struct stat st;
    size_t hint = CHUNK;

    sn_budget_at("reading", where);
    *text = NULL;
    *nbyte = 0;
    if (max == 0)
        max = INT32_MAX;
    else if (max > PTRDIFF_MAX - 2)
        max = PTRDIFF_MAX - 2;
    int fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sn_fail(d, SN_EINPUT, where, "cannot open: %s", strerror(errno));
    SnStatus s = SN_OK;
    int err = 0;
    bool big = false;
    if (fstat(fd, &st) < 0) {
        s = SN_EINPUT;
        err = errno;
    } else if (S_ISDIR(st.st_mode)) {
        s = SN_EINPUT;
        err = EISDIR;
    } else if (S_ISREG(st.st_mode) && st.st_size > 0) {
        hint = (size_t)st.st_size;
        big = !std && hint > max;
    }
    if (s == SN_OK && !big) {
        s = read_guarded(a, fd, hint, max, text, nbyte);
        err = errno;
        big = s == SN_OK && *nbyte > max;
    }
    if (!std)
        close(fd);
    if (s == SN_OK && !big)
        return SN_OK;
    *text = NULL;
    *nbyte = 0;
    if (big)
        return sn_fail(d, SN_EINPUT, where, "too large: more than %zu bytes",
                       max);
    if (s == SN_ENOMEM)
        return sn_fail_trip(d, sn_budget_trip());
    return sn_fail(d, s, where, "cannot read: %s", strerror(err));
}

static void
close_file(void *fd)
{
    if (*(const int *)fd >= 0)
        close(*(const int *)fd);
}

/* A place for a descriptor, -1 at first, that is closed when a is freed. */
static int *
open_file(SnArena *a)
{
    int *fd = SN_NEW(a, int);

    *fd = -1;
    sn_arena_at_free(a, close_file, fd);
    return fd;
}

/* Maps a regular file of a size worth it; false: read it instead. */
static bool
map_file(SnArena *a, const char *path, size_t max, bool whole, SnFileMap *out)
{
    struct stat st;
    const void *p = NULL;
    int *kept = open_file(a), fd;

    *kept = fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= MAP_FROM &&
        (uintmax_t)st.st_size <= max)
        p = (whole ? sn_arena_map_whole : sn_arena_map)(a, fd,
                                                        (size_t)st.st_size);
    if (!p || !whole) {
        close(fd);
        *kept = -1;
    }
    if (!p)
        return false;
    *out = (SnFileMap){p, (size_t)st.st_size, true, whole ? kept : NULL};
    sn_file_mapped_add(a, path, p, &st, whole);
    return true;
}

static SnStatus
map_or_read(SnArena *a, SnDiag *d, const char *path, size_t max, bool whole,
            SnFileMap *out)
{
    char *text;

    *out = (SnFileMap){0};
    if (strcmp(path, "-") != 0 &&
        map_file(a, path, max != 0 ? max : INT32_MAX, whole, out))
        return SN_OK;
    SN_TRY(sn_file_read(a, d, path, max, &text, &out->n));
    out->p = text;
    return SN_OK;
}

SnStatus
sn_file_map(SnArena *a, SnDiag *d, const char *path, size_t max, SnFileMap *out)
{
    return map_or_read(a, d, path, max, false, out);
}

SnStatus
sn_file_map_whole(SnArena *a, SnDiag *d, const char *path, size_t max,
                  SnFileMap *out)
{
    return map_or_read(a, d, path, max, true, out);
}

bool
sn_file_within(const SnFileMap *m, const void *p, size_t n)
{
    uintptr_t base = (uintptr_t)m->p, at = (uintptr_t)p;

    return at >= base && at - base <= m->n && n <= m->n - (at - base);
}

void
sn_file_fetch(const SnFileMap *m, const void *p, size_t n, void *to)
{
    const char *from = p;
    char *at = to;
    ssize_t got = 1;

    while (m->fd && sn_file_within(m, from, n) && n > 0 && got > 0) {
        got = pread(*m->fd, at, n, (off_t)(from - m->p));
        if (got < 0 && errno == EINTR)
            got = 1; /* again */
        else if (got > 0) {
            at += got;
            from += got;
            n -= (size_t)got;
        }
    }
    memcpy(at, from, n);
}

void
sn_file_forget(const SnFileMap *m, const void *p, size_t n)
{
    uintptr_t at = (uintptr_t)p, end = at + n;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    if (!m->mapped || !sn_file_within(m, p, n))
        return;
    at = (at + page - 1) / page * page;
    end = end / page * page;
    if (at < end) /* a refusal costs memory only */
        (void)madvise((void *)at, end - at, MADV_DONTNEED);
}

bool
sn_file_holds(const char *path, const void *p, size_t n)
{
    struct stat st;
    char chunk[4096];
    const char *s = p;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return false;
    bool same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                (uintmax_t)st.st_size == n;
    while (same && n > 0) {
        ssize_t r = read_some(fd, chunk, n < sizeof chunk ? n : sizeof chunk);
        same = r > 0 && memcmp(chunk, s, (size_t)r) == 0;
        if (same) {
            s += r;
            n -= (size_t)r;
        }
    }
    close(fd);
    return same;
}

bool
sn_file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

static bool
make_dir(const char *path)
{
    struct stat st;

    if (mkdir(path, 0777) == 0)
        return true;
    int err = errno;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        err = ENOTDIR;
    }
    errno = err;
    return false;
}

SnStatus
sn_file_mkdirs(SnDiag *d, const char *path)
{
    char s[PATH_SIZE];
    size_t n = strlen(path);
    bool ok = n > 0 && n < sizeof s;

    if (!ok) {
        errno = n ? ENAMETOOLONG : ENOENT;
    } else {
        memcpy(s, path, n + 1);
        for (size_t i = 1; ok && i < n; i++) {
            if (s[i] != '/' || s[i - 1] == '/')
                continue;
            s[i] = 0;
            ok = make_dir(s);
            s[i] = '/';
        }
        ok = ok && make_dir(s);
    }
    if (ok)
        return SN_OK;
    return sn_fail(d, SN_EOUTPUT, path, "cannot make the directory: %s",
                   strerror(errno));
}

const char *
sn_path_dir(SnArena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return ".";
    if (slash == path)
        return "/";
    return sn_strndup(a, path, (size_t)(slash - path));
}

const char *
sn_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *
sn_path_join(SnArena *a, const char *dir, const char *name)
{
    size_t n = strlen(dir);

    if (name[0] == '/' || n == 0 || strcmp(dir, ".") == 0)
        return sn_strdup(a, name);
    return sn_format(a, dir[n - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}
