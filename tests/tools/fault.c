// SPDX-License-Identifier: Apache-2.0
/* Preloaded: the FAULT_AT-th call of a set fails, or the process gets a signal
 * before it is made, or FAULT_RUN is run before it.  FAULT_SET is "alloc",
 * "io" or "thread" (one that starts), FAULT_HOW "fail", "run" or the number of
 * a signal; how many calls there were is written to FAULT_COUNT at exit.  Of
 * the set "cut" the FAULT_AT-th mapping of a file is made, and the file cut to
 * FAULT_SIZE bytes (less than 0: by so many) behind it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NONE, ALLOC, IO, CUT, THREAD };

static int set;
static int sig; /* 0: the call fails */
static const char *run;
static long at;
static atomic_long ncall;

/* glibc's own, which dlsym does not have to look for. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static void
begin(void)
{
    const char *what = getenv("FAULT_SET"), *how = getenv("FAULT_HOW");
    const char *n = getenv("FAULT_AT");

    sig = how ? atoi(how) : 0;
    run = how && !strcmp(how, "run") ? getenv("FAULT_RUN") : NULL;
    at = n ? atol(n) : 0;
    set = !what                     ? NONE
          : !strcmp(what, "alloc")  ? ALLOC
          : !strcmp(what, "cut")    ? CUT
          : !strcmp(what, "thread") ? THREAD
                                    : IO;
}

static void
finish(void)
{
    const char *path = getenv("FAULT_COUNT");
    char s[32];
    int n = snprintf(s, sizeof s, "%ld\n", atomic_load(&ncall));

    set = NONE;
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0 && write(fd, s, (size_t)n) == n)
        close(fd);
}

/* The next definition of the function this is called in. */
#define NEXT(type, name, ...)                         \
    static type (*next)(__VA_ARGS__);                 \
    do {                                              \
        if (!next)                                    \
            *(void **)&next = dlsym(RTLD_NEXT, name); \
    } while (0)

/* Calls count from main to the end of what main registers with atexit.  What a
 * compiler's runtime does before and after, such as writing counters of
 * coverage, is no part of the program. */
typedef int Main(int argc, char **argv, char **env);
static Main *program;

static int
counted(int argc, char **argv, char **env)
{
    begin();
    return atexit(finish) == 0 ? program(argc, argv, env) : 99;
}

int __libc_start_main(Main *of, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*ld_fini)(void), void *stack);

int
__libc_start_main(Main *of, int argc, char **argv, void (*init)(void),
                  void (*fini)(void), void (*ld_fini)(void), void *stack)
{
    NEXT(int, "__libc_start_main", Main *, int, char **, void (*)(void),
         void (*)(void), void (*)(void), void *);
    program = of;
    return next(counted, argc, argv, init, fini, ld_fini, stack);
}

static bool
faulty(int of, int err)
{
    if (set != of || atomic_fetch_add(&ncall, 1) + 1 != at)
        return false;
    if (run) {
        set = NONE;
        unsetenv("LD_PRELOAD");
        return system(run) == -1;
    }
    errno = err;
    return !sig || raise(sig) != 0;
}

static void
cut(int fd)
{
    const char *s = getenv("FAULT_SIZE");
    long size = s ? atol(s) : 0;
    char path[64];
    struct stat st;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (syscall(SYS_fstat, fd, &st) == 0 &&
        truncate(path, size < 0 ? st.st_size + size : size) != 0)
        _exit(99);
}

/* ---- threads ---- */

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
               void *(*fn)(void *), void *arg)
{
    NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *,
         void *(*)(void *), void *);
    return faulty(THREAD, EAGAIN) ? EAGAIN : next(thread, attr, fn, arg);
}

/* ---- memory ---- */

void *
malloc(size_t n)
{
    return faulty(ALLOC, ENOMEM) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
    return faulty(ALLOC, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
    return faulty(ALLOC, ENOMEM) ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
    return faulty(ALLOC, ENOMEM) ? NULL : __libc_memalign(align, n);
}

int
posix_memalign(void **p, size_t align, size_t n)
{
    if (faulty(ALLOC, ENOMEM))
        return ENOMEM;
    *p = __libc_memalign(align, n);
    return *p ? 0 : ENOMEM;
}

void *
mmap(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
    if (faulty(fd < 0 ? ALLOC : IO, ENOMEM))
        return MAP_FAILED;
    void *q = (void *)syscall(SYS_mmap, p, n, prot, flags, fd, off);
    if (fd >= 0 && faulty(CUT, 0))
        cut(fd);
    return q;
}

/* ---- files ---- */

int
open(const char *path, int flags, ...)
{
    va_list ap;

    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (faulty(IO, EMFILE))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
close(int fd)
{
    bool bad = faulty(IO, EIO);
    int r = (int)syscall(SYS_close, fd);

    errno = bad ? EIO : errno;
    return bad ? -1 : r;
}

ssize_t
read(int fd, void *p, size_t n)
{
    return faulty(IO, EIO) ? -1 : (ssize_t)syscall(SYS_read, fd, p, n);
}

ssize_t
pread(int fd, void *p, size_t n, off_t off)
{
    return faulty(IO, EIO) ? -1 : (ssize_t)syscall(SYS_pread64, fd, p, n, off);
}

ssize_t
write(int fd, const void *p, size_t n)
{
    return faulty(IO, ENOSPC) ? -1 : (ssize_t)syscall(SYS_write, fd, p, n);
}

size_t
fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    NEXT(size_t, "fwrite", const void *, size_t, size_t, FILE *);
    return f != stderr && faulty(IO, ENOSPC) ? 0 : next(p, size, n, f);
}

int
fflush(FILE *f)
{
    NEXT(int, "fflush", FILE *);
    return faulty(IO, ENOSPC) ? EOF : next(f);
}

int
fsync(int fd)
{
    return faulty(IO, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int
fchmod(int fd, mode_t mode)
{
    return faulty(IO, EPERM) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int
flock(int fd, int op)
{
    return faulty(IO, ENOLCK) ? -1 : (int)syscall(SYS_flock, fd, op);
}

int
rename(const char *from, const char *to)
{
    if (faulty(IO, EIO))
        return -1;
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

/* Nothing can be done where it fails. */
int
unlink(const char *path)
{
    if (sig)
        (void)faulty(IO, EIO);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int
fstat(int fd, struct stat *st)
{
    NEXT(int, "fstat", int, struct stat *);
    return faulty(IO, EIO) ? -1 : next(fd, st);
}

int
stat(const char *path, struct stat *st)
{
    NEXT(int, "stat", const char *, struct stat *);
    return faulty(IO, EIO) ? -1 : next(path, st);
}

int
lstat(const char *path, struct stat *st)
{
    NEXT(int, "lstat", const char *, struct stat *);
    return faulty(IO, EIO) ? -1 : next(path, st);
}

int
mkdir(const char *path, mode_t mode)
{
    return faulty(IO, EIO) ? -1
                           : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
