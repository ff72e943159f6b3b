// SPDX-License-Identifier: Apache-2.0
/* Files when the system says no: each call of base/file on the system fails
 * once, is interrupted, or moves a few bytes only.  The linker puts the
 * functions here in the place of the system's (tests.mk). */
#include "unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/file/file.h"

enum { BIG = 40000, PIECE = 7 };
enum { OTHER, RESUMED }; /* calls; those that begin again when interrupted */

static long ncall, at; /* the call that fails, from 1; 0: none */
static int err;
static bool resumed_only, pieces, armed;
static long nclose, bad_close; /* the close that failed; 0: none */

static SnArena *a;
static SnDiag *d;

static bool
faulty(int kind)
{
    if (!armed || (resumed_only && kind != RESUMED) || ++ncall != at)
        return false;
    errno = err;
    return true;
}

static size_t
piece(size_t n)
{
    return armed && pieces && n > PIECE ? PIECE : n;
}

/* ---- in the place of the system's ---- */

int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __real_write(int fd, const void *p, size_t n);
int __real_close(int fd);
int __real_fstat(int fd, struct stat *st);
int __real_fsync(int fd);
int __real_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
int __real_flock(int fd, int how);
void *__real_mmap(void *p, size_t n, int prot, int flags, int fd, off_t off);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
int __wrap_close(int fd);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fsync(int fd);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_flock(int fd, int how);
void *__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t off);

int
__wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    if (flags & O_CREAT) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    return faulty(OTHER) ? -1 : __real_open(path, flags, mode);
}

ssize_t
__wrap_read(int fd, void *p, size_t n)
{
    return faulty(RESUMED) ? -1 : __real_read(fd, p, piece(n));
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
    return faulty(RESUMED) ? -1 : __real_write(fd, p, piece(n));
}

/* Closed in any case, as Linux does. */
int
__wrap_close(int fd)
{
    bool bad = faulty(OTHER);
    int r = __real_close(fd);

    nclose += armed;
    if (bad) {
        errno = err;
        bad_close = nclose;
    }
    return bad ? -1 : r;
}

int
__wrap_fstat(int fd, struct stat *st)
{
    return faulty(OTHER) ? -1 : __real_fstat(fd, st);
}

int
__wrap_fsync(int fd)
{
    return faulty(OTHER) ? -1 : __real_fsync(fd);
}

int
__wrap_fchmod(int fd, mode_t mode)
{
    return faulty(OTHER) ? -1 : __real_fchmod(fd, mode);
}

int
__wrap_rename(const char *from, const char *to)
{
    return faulty(OTHER) ? -1 : __real_rename(from, to);
}

int
__wrap_mkdir(const char *path, mode_t mode)
{
    return faulty(OTHER) ? -1 : __real_mkdir(path, mode);
}

int
__wrap_flock(int fd, int how)
{
    return faulty(RESUMED) ? -1 : __real_flock(fd, how);
}

void *
__wrap_mmap(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
    return faulty(OTHER) ? MAP_FAILED : __real_mmap(p, n, prot, flags, fd, off);
}

/* ---- files of the tests ---- */

static const char old_text[] = "the old text\n";
static const char new_text[] = "the new text, which is longer\n";
static const char old_side[] = "old weights", new_side[] = "new weights!";

static void
put(const char *name, const char *p, size_t n)
{
    assert_int_equal(sn_file_write(d, in_dir(a, name), p, n), SN_OK);
}

static bool
holds(const char *name, const char *text)
{
    return sn_file_holds(in_dir(a, name), text, strlen(text));
}

static bool
is_there(const char *name)
{
    return sn_file_exists(in_dir(a, name));
}

static size_t
ntemporary(void)
{
    glob_t g;
    size_t n = glob(in_dir(a, "*.tmp*"), 0, NULL, &g) == 0 ? g.gl_pathc : 0;

    globfree(&g);
    return n;
}

static void
clear(void)
{
    static const char *const name[] = {"f", "big", "side.old", "side.new"};

    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        unlink(in_dir(a, name[i]));
    rmdir(in_dir(a, "x/y"));
    rmdir(in_dir(a, "x"));
}

static void
reset(void)
{
    static char big[BIG];

    clear();
    memset(big, 'b', sizeof big);
    put("f", old_text, strlen(old_text));
    put("big", big, sizeof big);
    put("side.old", old_side, strlen(old_side));
    d = sn_diag_new(a);
}

/* ---- what is done ---- */

static SnStatus
read_file(void)
{
    char *text;
    size_t n;
    SnStatus st = sn_file_read(a, d, in_dir(a, "f"), 0, &text, &n);

    if (st == SN_OK)
        assert_string_equal(text, old_text);
    return st;
}

static SnStatus
map_file(void)
{
    SnArena *own = sn_arena_new();
    SnFileMap m;
    SnStatus st = sn_file_map(own, d, in_dir(a, "big"), 0, &m);

    if (st == SN_OK) {
        assert_int_equal(m.n, BIG);
        assert_int_equal(m.p[BIG - 1], 'b');
    }
    armed = false; /* the arena gives its memory back */
    sn_arena_free(own);
    return st;
}

static SnStatus
write_file(void)
{
    return sn_file_write(d, in_dir(a, "f"), new_text, strlen(new_text));
}

static SnStatus
write_text(void)
{
    return sn_file_write_text(d, in_dir(a, "f"), new_text, strlen(new_text));
}

static SnStatus
update_file(void)
{
    return sn_file_update(d, in_dir(a, "f"), new_text, strlen(new_text));
}

static SnStatus
write_beside(void)
{
    const char *const stale[] = {in_dir(a, "side.old"), NULL};

    return sn_file_write_beside(
        d, in_dir(a, "f"), (SnPiece){new_text, strlen(new_text)},
        in_dir(a, "side.new"), (SnPiece){new_side, strlen(new_side)}, stale);
}

static SnStatus
make_dirs(void)
{
    return sn_file_mkdirs(d, in_dir(a, "x/y"));
}

typedef struct Act {
    SnStatus (*fn)(void);
    SnStatus fails; /* with this */
    bool writes;    /* f becomes new_text */
} Act;

static const Act acts[] = {
    {read_file, SN_EINPUT, false},   {map_file, SN_EINPUT, false},
    {write_file, SN_EOUTPUT, true},  {write_text, SN_EOUTPUT, true},
    {update_file, SN_EOUTPUT, true}, {write_beside, SN_EOUTPUT, true},
    {make_dirs, SN_EOUTPUT, false},
};
enum { NACT = sizeof acts / sizeof acts[0] };

static SnStatus
act(const Act *t, long which)
{
    reset();
    ncall = nclose = bad_close = 0;
    at = which;
    armed = true;
    SnStatus st = t->fn();
    armed = false;
    return st;
}

/* Old or new, whole, and nothing else. */
static void
check_files(const Act *t, SnStatus st)
{
    bool is_old = holds("f", old_text);

    assert_true(is_old || holds("f", new_text));
    assert_int_equal(ntemporary(), 0);
    if (st == SN_OK)
        assert_int_equal(is_old, !t->writes);
    if (t->fn != write_beside)
        return;
    if (is_old) {
        assert_true(holds("side.old", old_side));
        assert_false(is_there("side.new"));
    } else {
        assert_true(holds("side.new", new_side));
    }
}

/* ---- tests ---- */

static void
each_call_fails_once(void **state)
{
    (void)state;
    err = EIO;
    for (int i = 0; i < NACT; i++) {
        const Act *t = &acts[i];
        assert_int_equal(act(t, 0), SN_OK);
        long n = ncall, nfail = 0;
        assert_true(n > 0);
        for (long k = 1; k <= n; k++) {
            SnStatus st = act(t, k);
            if (st != SN_OK) {
                nfail++;
                assert_int_equal(st, t->fails);
                assert_non_null(strstr(sn_diag_text(d, a), strerror(EIO)));
                assert_non_null(strstr(sn_diag_text(d, a), dir));
            }
            check_files(t, st);
            /* The first is that of the new file: its bytes may be lost. */
            if (t->fn == write_file && bad_close == 1)
                assert_int_equal(st, SN_EOUTPUT);
        }
        assert_true(nfail > 0 || t->fn == map_file);
    }
    clear();
}

static void
interrupted_calls_are_resumed(void **state)
{
    (void)state;
    err = EINTR;
    resumed_only = true;
    for (int i = 0; i < NACT; i++) {
        assert_int_equal(act(&acts[i], 0), SN_OK);
        for (long k = 1, n = ncall; k <= n; k++) {
            assert_int_equal(act(&acts[i], k), SN_OK);
            check_files(&acts[i], SN_OK);
        }
    }
    ncall = 0;
    at = 1;
    armed = true;
    int lock = sn_file_lock(in_dir(a, "f"));
    armed = false;
    assert_true(lock >= 0);
    assert_int_equal(ncall, 2);
    sn_file_unlock(lock);
    resumed_only = false;
    clear();
}

static void
few_bytes_at_a_time(void **state)
{
    (void)state;
    pieces = true;
    for (int i = 0; i < NACT; i++) {
        assert_int_equal(act(&acts[i], 0), SN_OK);
        check_files(&acts[i], SN_OK);
    }
    pieces = false;
    clear();
}

static void
no_lock(void **state)
{
    (void)state;
    err = EIO;
    for (long k = 1; k <= 2; k++) { /* open, flock */
        ncall = 0;
        at = k;
        armed = true;
        int lock = sn_file_lock(in_dir(a, "f"));
        armed = false;
        assert_int_equal(lock, -1);
        sn_file_unlock(lock);
    }
}

static void
says(const char *what)
{
    if (!strstr(sn_diag_text(d, a), what))
        fail_msg("got: %s\nwant: %s", sn_diag_text(d, a), what);
    d = sn_diag_new(a);
}

static void
what_is_no_file(void **state)
{
    static char name[5000];
    char *text;
    size_t n;

    (void)state;
    reset();
    memset(name, 'n', sizeof name - 1);
    assert_int_equal(sn_file_read(a, d, dir, 0, &text, &n), SN_EINPUT);
    says("cannot read: Is a directory");
    assert_int_equal(sn_file_read(a, d, in_dir(a, "none"), 0, &text, &n),
                     SN_EINPUT);
    says("cannot open: No such file");
    assert_int_equal(sn_file_read(a, d, in_dir(a, "f"), 5, &text, &n),
                     SN_EINPUT);
    says("too large: more than 5 bytes");
    assert_int_equal(sn_file_read(a, d, "/dev/zero", 100000, &text, &n),
                     SN_EINPUT);
    says("too large: more than 100000 bytes");
    assert_int_equal(sn_file_write(d, dir, "x", 1), SN_EOUTPUT);
    says("cannot write: Is a directory");
    assert_int_equal(sn_file_write(d, name, "x", 1), SN_EOUTPUT);
    says("cannot write: File name too long");
    assert_int_equal(sn_file_write(d, "/dev/full", "x", 1), SN_EOUTPUT);
    says("/dev/full: cannot write: No space left");
    assert_int_equal(sn_file_write(d, in_dir(a, "f/g"), "x", 1), SN_EOUTPUT);
    says("cannot write: Not a directory");
    assert_int_equal(sn_file_mkdirs(d, ""), SN_EOUTPUT);
    says("cannot make the directory: No such file");
    assert_int_equal(sn_file_mkdirs(d, name), SN_EOUTPUT);
    says("cannot make the directory: File name too long");
    assert_int_equal(sn_file_mkdirs(d, in_dir(a, "f/g")), SN_EOUTPUT);
    says("cannot make the directory: Not a directory");
    assert_false(sn_file_holds(in_dir(a, "none"), "x", 1));
    assert_false(sn_file_holds(dir, "x", 1));
    assert_true(sn_file_in_place("-"));
    assert_true(sn_file_in_place("/dev/null"));
    assert_false(sn_file_in_place(in_dir(a, "none")));
    clear();
}

/* Text is UTF-8: where it ends being that is told. */
static void
what_is_text(void **state)
{
    static const struct {
        const char *s, *says; /* NULL: it is text */
    } c[] = {
        {"plain\ttext\n", NULL},
        {"\303\251 \342\202\254 \360\237\230\200\n", NULL},
        {"ab\001", "byte 0x01 at offset 2"},
        {"a\177", "byte 0x7f at offset 1"},
        {"\300\200", "byte 0xc0 at offset 0"},
        {"\365\200\200\200", "byte 0xf5 at offset 0"},
        {"x\342\202y", "byte 0x79 at offset 3"},
        {"x\342\202", "byte 0x82 at offset 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        put("f", c[i].s, strlen(c[i].s));
        assert_int_equal(write_text(), c[i].says ? SN_EOUTPUT : SN_OK);
        assert_true(holds("f", c[i].says ? c[i].s : new_text));
        if (c[i].says)
            says(c[i].says);
    }
    clear();
}

/* Bytes of a file that stays open are read, others copied.  Bytes behind the
 * end of a file that was cut short are copied from its mapping. */
static void
fetched(void **state)
{
    SnArena *own = sn_arena_new();
    SnFileMap m, plain;
    char got[600], beside[600] = "beside";

    (void)state;
    reset();
    assert_int_equal(sn_file_map_whole(own, d, in_dir(a, "big"), 0, &m), SN_OK);
    assert_int_equal(sn_file_map(own, d, in_dir(a, "big"), 0, &plain), SN_OK);
    assert_true(m.fd && !plain.fd);
    assert_true(sn_file_within(&m, m.p, BIG));
    assert_true(sn_file_within(&m, m.p + BIG, 0));
    assert_false(sn_file_within(&m, m.p + 1, BIG));
    assert_false(sn_file_within(&m, m.p - 1, 1));
    assert_false(sn_file_within(&m, m.p + BIG + 1, 0));
    FILE *f = fopen(in_dir(a, "big"), "r+");
    assert_int_equal(fseek(f, 4090, SEEK_SET), 0);
    assert_int_equal(fputs("0123456789", f) >= 0 && fclose(f) == 0, true);
    sn_file_fetch(&m, m.p + 4089, 12, got);
    assert_memory_equal(got, "b0123456789b", 12);
    sn_file_fetch(&plain, plain.p + 4089, 12, got);
    assert_memory_equal(got, "b0123456789b", 12);
    sn_file_fetch(&m, beside, sizeof beside, got);
    assert_memory_equal(got, beside, sizeof beside);
    assert_int_equal(truncate(in_dir(a, "big"), BIG - 100), 0);
    memset(got, 'x', sizeof got);
    sn_file_fetch(&m, m.p + BIG - 300, 300, got); /* 200 read, 100 mapped */
    assert_int_equal(got[199], 'b');
    assert_int_equal(got[200], 0); /* of the last page */
    assert_int_equal(sn_file_mapped_check(d), SN_EINPUT);
    says("big: " SN_FILE_CUT);
    int fd = *m.fd;
    sn_arena_free(own);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* A file that is read as a whole must not be written to; others may be. */
static void
written_over(void **state)
{
    SnArena *own = sn_arena_new();
    struct timespec old[2] = {{1, 0}, {1, 0}};
    SnFileMap m;

    (void)state;
    reset();
    assert_int_equal(sn_file_map(own, d, in_dir(a, "big"), 0, &m), SN_OK);
    assert_int_equal(utimensat(AT_FDCWD, in_dir(a, "big"), old, 0), 0);
    assert_int_equal(sn_file_mapped_check(d), SN_OK);
    assert_int_equal(sn_file_map_whole(own, d, in_dir(a, "big"), 0, &m), SN_OK);
    assert_int_equal(sn_file_mapped_check(d), SN_OK);
    old[1].tv_nsec = 1;
    assert_int_equal(utimensat(AT_FDCWD, in_dir(a, "big"), old, 0), 0);
    assert_int_equal(sn_file_mapped_check(d), SN_EINPUT);
    says("big: " SN_FILE_CHANGED);
    sn_arena_free(own);
    assert_int_equal(sn_file_mapped_check(d), SN_OK);
}

static void
mapped_files(void **state)
{
    SnArena *own = sn_arena_new();
    SnFileMap m, small;

    (void)state;
    reset();
    assert_int_equal(sn_file_map(own, d, in_dir(a, "big"), 0, &m), SN_OK);
    assert_int_equal(sn_file_map(own, d, in_dir(a, "f"), 0, &small), SN_OK);
    assert_true(m.mapped);
    assert_false(small.mapped);
    assert_string_equal(sn_file_mapped_at(m.p + BIG - 1), in_dir(a, "big"));
    assert_null(sn_file_mapped_at(m.p + BIG));
    assert_null(sn_file_mapped_at(small.p));
    sn_file_forget(&m, m.p, m.n);
    sn_file_forget(&m, m.p + 1, 1);
    sn_file_forget(&m, small.p, small.n);
    sn_file_forget(&small, small.p, small.n);
    assert_int_equal(m.p[5000], 'b');
    assert_int_equal(sn_file_mapped_check(d), SN_OK);
    assert_int_equal(truncate(in_dir(a, "big"), BIG - 1), 0);
    assert_int_equal(write_file(), SN_EINPUT);
    says("big: " SN_FILE_CUT);
    assert_int_equal(sn_file_mapped_check(d), SN_EINPUT);
    assert_string_equal(sn_diag_text(d, a), ""); /* told once */
    assert_true(holds("f", old_text));
    assert_int_equal(ntemporary(), 0);
    sn_arena_free(own);
    assert_int_equal(sn_file_mapped_check(d), SN_OK);
    clear();
}

static void
paths(void **state)
{
    (void)state;
    assert_string_equal(sn_path_dir(a, "x"), ".");
    assert_string_equal(sn_path_dir(a, "/x"), "/");
    assert_string_equal(sn_path_dir(a, "a/b/x"), "a/b");
    assert_string_equal(sn_path_base("a/b/x"), "x");
    assert_string_equal(sn_path_base("x"), "x");
    assert_string_equal(sn_path_join(a, "d", "x"), "d/x");
    assert_string_equal(sn_path_join(a, "d/", "x"), "d/x");
    assert_string_equal(sn_path_join(a, "d", "/x"), "/x");
    assert_string_equal(sn_path_join(a, ".", "x"), "x");
    assert_string_equal(sn_path_join(a, "", "x"), "x");
}

static int
begin(void **state)
{
    a = sn_arena_new();
    d = sn_diag_new(a);
    return make_dir(state);
}

static int
end(void **state)
{
    int r = remove_dir(state);

    sn_arena_free(a);
    return r;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_fails_once),
        cmocka_unit_test(interrupted_calls_are_resumed),
        cmocka_unit_test(few_bytes_at_a_time),
        cmocka_unit_test(no_lock),
        cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(what_is_text),
        cmocka_unit_test(fetched),
        cmocka_unit_test(written_over),
        cmocka_unit_test(mapped_files),
        cmocka_unit_test(paths),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
