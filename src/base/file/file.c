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
        return sn_fail(d, s, where, "out of memory while reading");
    return sn_fail(d, s, where, "cannot read: %s", strerror(err));
}

static void
unmap(void *ctx)
{
    const SnMap *m = ctx;

    munmap((void *)(uintptr_t)m->p, m->n);
}

/* Maps a regular file of a size worth it; false: read it instead. */
static bool
map_file(SnArena *a, const char *path, size_t max, SnMap *out)
{
    struct stat st;
    void *p = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= MAP_FROM &&
        (uintmax_t)st.st_size <= max)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return false;
    *out = (SnMap){p, (size_t)st.st_size, true};
    sn_arena_at_free(a, unmap, sn_memdup(a, out, sizeof *out));
    return true;
}

SnStatus
sn_file_map(SnArena *a, SnDiag *d, const char *path, size_t max, SnMap *out)
{
    char *text;

    *out = (SnMap){0};
    if (strcmp(path, "-") != 0 &&
        map_file(a, path, max != 0 ? max : INT32_MAX, out))
        return SN_OK;
    SN_TRY(sn_file_read(a, d, path, max, &text, &out->n));
    out->p = text;
    return SN_OK;
}

void
sn_map_forget(const SnMap *m, const void *p, size_t n)
{
    uintptr_t base = (uintptr_t)m->p, at = (uintptr_t)p, end = at + n;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    if (!m->mapped || at < base || end > base + m->n)
        return;
    at = (at + page - 1) / page * page;
    end = end / page * page;
    if (at < end) /* a refusal costs memory only */
        (void)madvise((void *)at, end - at, MADV_DONTNEED);
}

static bool
write_all(int fd, const void *p, size_t n)
{
    const char *s = p;

    while (n > 0) {
        ssize_t r = write(fd, s, n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return false;
        s += r;
        n -= (size_t)r;
    }
    return true;
}

static bool
write_pieces(int fd, const SnPiece *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!write_all(fd, v[i].p, v[i].n))
            return false;
    return true;
}

bool
sn_file_in_place(const char *path)
{
    struct stat st;

    return !strcmp(path, "-") || (stat(path, &st) == 0 &&
                                  !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static bool
write_in_place(const char *path, const SnPiece *v, size_t n)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    bool ok = write_pieces(fd, v, n);
    int err = errno;
    if (close(fd) < 0 && ok)
        return false;
    errno = err;
    return ok;
}

/* Creates a file beside path under a name nobody else has; tmp gets it. */
static int
open_temporary(const char *path, char tmp[PATH_SIZE])
{
    for (unsigned i = 0; i < 1000; i++) {
        int n =
            snprintf(tmp, PATH_SIZE, "%s.tmp%ld.%u", path, (long)getpid(), i);
        if (n < 0 || n >= PATH_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* A file that is written whole under another name, and not yet in place. */
typedef struct Staged {
    char tmp[PATH_SIZE], target[PATH_MAX];
} Staged;

static void
drop(const Staged *s)
{
    int err = errno;

    unlink(s->tmp);
    errno = err;
}

/* Writes s->tmp, for s->target. */
static bool
stage_at(Staged *s, const mode_t *mode, const SnPiece *v, size_t n)
{
    int fd = open_temporary(s->target, s->tmp);

    if (fd < 0)
        return false;
    bool ok = write_pieces(fd, v, n) && (!mode || fchmod(fd, *mode) == 0) &&
              (fsync(fd) == 0 || errno == EINVAL);
    int err = errno;
    if (close(fd) < 0 && ok) {
        ok = false;
        err = errno;
    }
    errno = err;
    if (!ok)
        drop(s);
    return ok;
}

static bool
put_in_place(const Staged *s)
{
    if (rename(s->tmp, s->target) == 0)
        return true;
    drop(s);
    return false;
}

/* Stages a regular file.  A symbolic link keeps pointing where it did: its
 * target is replaced. */
static bool
stage(Staged *s, const char *path, const SnPiece *v, size_t n)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    mode_t mode = there ? st.st_mode & 07777 : 0;

    if (there && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!there || !realpath(path, s->target)) {
        if (strlen(path) >= sizeof s->target) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(s->target, path, strlen(path) + 1);
    }
    return stage_at(s, there ? &mode : NULL, v, n);
}

static bool
write_path(const char *path, const SnPiece *v, size_t n)
{
    Staged s;

    if (sn_file_in_place(path))
        return write_in_place(path, v, n);
    return stage(&s, path, v, n) && put_in_place(&s);
}

static bool
write_stdout(const SnPiece *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].n > 0 && fwrite(v[i].p, 1, v[i].n, stdout) != v[i].n)
            return false;
    return fflush(stdout) == 0;
}

SnStatus
sn_file_write_pieces(SnDiag *d, const char *path, const SnPiece *v, size_t n)
{
    bool out = strcmp(path, "-") == 0;

    if (out ? write_stdout(v, n) : write_path(path, v, n))
        return SN_OK;
    return sn_fail(d, SN_EOUTPUT, out ? "standard output" : path,
                   "cannot write: %s", strerror(errno));
}

SnStatus
sn_file_write(SnDiag *d, const char *path, const void *p, size_t n)
{
    const SnPiece one = {p, n};

    return sn_file_write_pieces(d, path, &one, 1);
}

SnStatus
sn_file_write_two(SnDiag *d, const char *const path[2], const SnPiece v[2])
{
    Staged s[2];

    for (int i = 0; i < 2; i++)
        if (!stage(&s[i], path[i], &v[i], 1)) {
            if (i)
                drop(&s[0]);
            return sn_fail(d, SN_EOUTPUT, path[i], "cannot write: %s",
                           strerror(errno));
        }
    for (int i = 0; i < 2; i++)
        if (!put_in_place(&s[i])) {
            if (!i)
                drop(&s[1]);
            return sn_fail(d, SN_EOUTPUT, path[i], "cannot write: %s",
                           strerror(errno));
        }
    return SN_OK;
}

/* Whether path is a regular file that holds exactly p[0..n). */
static bool
holds(const char *path, const void *p, size_t n)
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

SnStatus
sn_file_update(SnDiag *d, const char *path, const void *p, size_t n)
{
    if (strcmp(path, "-") != 0 && holds(path, p, n))
        return SN_OK;
    return sn_file_write(d, path, p, n);
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
