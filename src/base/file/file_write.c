// SPDX-License-Identifier: Apache-2.0
/* Writing files: whole, by a temporary beside them and a rename. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"

enum { PATH_SIZE = 4096 };

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

/* ---- files that go when the process ends before they are done ---- */

/* Written by threads, read by signal handlers: a path is complete while its
 * state is ARMED.  Slots are used again and never freed, so that a handler can
 * walk the list at any time. */
enum { FREE, TAKEN, ARMED };
typedef struct Slot Slot;
struct Slot {
    _Atomic int state;
    Slot *next;
    char path[PATH_SIZE];
};
static Slot *_Atomic doomed;

/* A slot that nobody has; NULL: memory ran out. */
static Slot *
take_slot(void)
{
    for (Slot *s = atomic_load(&doomed); s; s = s->next) {
        int want = FREE;
        if (atomic_compare_exchange_strong(&s->state, &want, TAKEN))
            return s;
    }
    Slot *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->state, TAKEN);
    s->next = atomic_load(&doomed);
    while (!atomic_compare_exchange_weak(&doomed, &s->next, s))
        ;
    return s;
}

/* The slot that has path from now on, or NULL. */
static Slot *
doom(const char *path)
{
    size_t n = strlen(path);
    Slot *s = n < PATH_SIZE ? take_slot() : NULL;

    if (!s)
        return NULL;
    memcpy(s->path, path, n + 1);
    atomic_store(&s->state, ARMED);
    return s;
}

static void
spare(Slot *s)
{
    if (s)
        atomic_store(&s->state, FREE);
}

void
sn_file_drop_temporaries(void)
{
    int err = errno;

    for (Slot *s = atomic_load(&doomed); s; s = s->next)
        if (atomic_load(&s->state) == ARMED)
            unlink(s->path);
    errno = err;
}

static void
end_by(int sig)
{
    sn_file_drop_temporaries();
    signal(sig, SIG_DFL);
    raise(sig);
}

void
sn_file_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction sa = {.sa_handler = end_by}, was;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(ends[i], &sa, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- a temporary and its rename ---- */

/* A file that is written whole under another name, and not yet in place. */
typedef struct Staged {
    char tmp[PATH_SIZE], target[PATH_MAX];
    Slot *slot; /* of doomed, for tmp */
} Staged;

static void
block_signals(sigset_t *was)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, was);
}

/* Creates a file beside s->target under an unused name. */
static int
open_temporary(Staged *s)
{
    sigset_t was;

    for (unsigned i = 0; i < 1000; i++) {
        int n = snprintf(s->tmp, PATH_SIZE, "%s.tmp%ld.%u", s->target,
                         (long)getpid(), i);
        if (n < 0 || n >= PATH_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        block_signals(&was); /* none between creating and noting it */
        int fd = open(s->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        int err = errno;
        if (fd >= 0)
            s->slot = doom(s->tmp);
        pthread_sigmask(SIG_SETMASK, &was, NULL);
        errno = err;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void
drop(const Staged *s)
{
    int err = errno;

    unlink(s->tmp);
    spare(s->slot);
    errno = err;
}

/* Writes s->tmp, for s->target. */
static bool
stage_at(Staged *s, const mode_t *mode, const SnPiece *v, size_t n)
{
    int fd = open_temporary(s);

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

/* The directory of path, open to be locked or synced; -1: it cannot be. */
static int
open_dir(const char *path)
{
    char dir[PATH_SIZE];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 1;

    if (n >= sizeof dir)
        return -1;
    memcpy(dir, slash ? path : ".", n);
    dir[n] = '\0';
    return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The rename is on disk.  A directory that cannot be read, or a file system
 * without the operation, is left to the system. */
static bool
sync_dir(const char *path)
{
    int fd = open_dir(path);

    if (fd < 0)
        return true;
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == EBADF;
    int err = errno;
    close(fd);
    errno = err;
    return ok;
}

static bool
put_in_place(const Staged *s)
{
    if (rename(s->tmp, s->target) != 0) {
        drop(s);
        return false;
    }
    spare(s->slot);
    return sync_dir(s->target);
}

/* Where path leads: what a symbolic link names, also where that is not there
 * yet. */
static bool
resolve(const char *path, char target[PATH_MAX])
{
    char link[PATH_MAX];

    if (realpath(path, target))
        return true;
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(target, path, strlen(path) + 1);
    for (int i = 0; i < 40; i++) {
        ssize_t n = readlink(target, link, sizeof link);
        if (n < 0) /* no link, or nothing */
            return true;
        const char *slash = strrchr(target, '/');
        size_t dir = slash && link[0] != '/' ? (size_t)(slash - target) + 1 : 0;
        if (dir + (size_t)n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(target + dir, link, (size_t)n);
        target[dir + (size_t)n] = '\0';
    }
    errno = ELOOP;
    return false;
}

/* Stages a regular file with the mode that `like` has, if it is there.  A
 * symbolic link keeps pointing where it did: its target is replaced. */
static bool
stage(Staged *s, const char *path, const char *like, const SnPiece *v, size_t n)
{
    struct stat st;
    bool there = stat(like, &st) == 0;
    mode_t mode = there ? st.st_mode & 07777 : 0;

    if (there && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return resolve(path, s->target) && stage_at(s, there ? &mode : NULL, v, n);
}

/* If an input file was cut short, the output made from it is not put in
 * place. */
static SnStatus
check_inputs(SnDiag *d, const Staged *s)
{
    SnStatus st = sn_file_mapped_check(d);

    if (st != SN_OK)
        drop(s);
    return st;
}

/* Where a write fails its bytes may be what is missing. */
static SnStatus
cannot_write(SnDiag *d, const char *path)
{
    SN_TRY(sn_file_mapped_check(d));
    return sn_fail(d, SN_EOUTPUT, path, "cannot write: %s", strerror(errno));
}

static SnStatus
write_path(SnDiag *d, const char *path, const SnPiece *v, size_t n)
{
    Staged s;

    if (sn_file_in_place(path))
        return write_in_place(path, v, n) ? SN_OK : cannot_write(d, path);
    if (!stage(&s, path, path, v, n))
        return cannot_write(d, path);
    SN_TRY(check_inputs(d, &s));
    return put_in_place(&s) ? SN_OK : cannot_write(d, path);
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
    if (strcmp(path, "-") != 0)
        return write_path(d, path, v, n);
    return write_stdout(v, n) ? SN_OK : cannot_write(d, "standard output");
}

SnStatus
sn_file_write(SnDiag *d, const char *path, const void *p, size_t n)
{
    const SnPiece one = {p, n};

    return sn_file_write_pieces(d, path, &one, 1);
}

/* Makes s what its target is, and what lies at side_slot a file that stays.
 * No signal comes between the steps.  False with errno: *done says whether the
 * rename was made. */
static bool
commit(const Staged *s, Slot *side_slot, const char *const *stale, bool *done)
{
    sigset_t was;
    bool ok;

    block_signals(&was);
    *done = rename(s->tmp, s->target) == 0;
    ok = *done && sync_dir(s->target);
    int err = errno;
    if (*done) {
        spare(side_slot);
        spare(s->slot);
    }
    for (; ok && stale && *stale; stale++)
        unlink(*stale);
    errno = err;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return ok;
}

SnStatus
sn_file_write_beside(SnDiag *d, const char *path, SnPiece text,
                     const char *side_path, SnPiece side,
                     const char *const *stale)
{
    bool there = !side_path || sn_file_holds(side_path, side.p, side.n);
    bool ok = true, done = false;
    SnStatus st = SN_OK;
    const char *at = path;
    Staged t, s;
    Slot *slot = NULL;

    if (!there) {
        at = side_path;
        if (!stage(&s, side_path, path, &side, 1))
            return cannot_write(d, at);
        SN_TRY(check_inputs(d, &s));
        slot = doom(s.target); /* until somebody names it */
        ok = put_in_place(&s);
    }
    if (ok) {
        at = path;
        ok = stage(&t, path, path, &text, 1);
        if (ok && (st = check_inputs(d, &t)) != SN_OK)
            ok = false;
        else if (ok && !(ok = commit(&t, slot, stale, &done)) && !done)
            drop(&t);
    }
    if (ok)
        return SN_OK;
    if (st == SN_OK)
        st = cannot_write(d, at);
    if (!there && !done) {
        unlink(s.target);
        spare(slot);
    }
    return st;
}

/* Renames what is staged; no signal comes between.  The number of files that
 * are in place, with errno where one is not. */
static size_t
place_all(const Staged *s, size_t n)
{
    sigset_t was;
    size_t i = 0;

    block_signals(&was);
    for (; i < n && (!s[i].tmp[0] || rename(s[i].tmp, s[i].target) == 0); i++)
        if (s[i].tmp[0])
            spare(s[i].slot);
    int err = errno;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = err;
    return i;
}

SnStatus
sn_file_write_all(SnArena *a, SnDiag *d, const char *const *path,
                  const SnPiece *v, size_t n)
{
    Staged *s = SN_NEW_N(a, Staged, n);
    size_t i, done = 0;
    bool ok = true;

    for (i = 0; i < n && ok; i++) {
        s[i].tmp[0] = '\0'; /* of a device or a pipe: nothing is staged */
        ok = sn_file_in_place(path[i])
                 ? write_in_place(path[i], &v[i], 1)
                 : stage(&s[i], path[i], path[i], &v[i], 1);
    }
    SnStatus st = ok ? sn_file_mapped_check(d) : cannot_write(d, path[i - 1]);
    if (!ok)
        i--; /* which has dropped its own */
    if (st == SN_OK && (done = place_all(s, n)) < n)
        st = cannot_write(d, path[done]);
    for (; done < i; done++)
        if (s[done].tmp[0])
            drop(&s[done]);
    if (st == SN_OK && n > 0 && !sync_dir(path[0]))
        st = cannot_write(d, path[0]);
    return st;
}

int
sn_file_lock(const char *path)
{
    int fd = open_dir(path), r;

    if (fd < 0)
        return -1;
    do
        r = flock(fd, LOCK_EX);
    while (r < 0 && errno == EINTR);
    if (r == 0)
        return fd;
    close(fd);
    return -1;
}

void
sn_file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

SnStatus
sn_file_update(SnDiag *d, const char *path, const void *p, size_t n)
{
    if (strcmp(path, "-") != 0 && sn_file_holds(path, p, n))
        return SN_OK;
    return sn_file_write(d, path, p, n);
}
