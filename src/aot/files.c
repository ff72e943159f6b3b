// SPDX-License-Identifier: Apache-2.0
/* The program's files on disk, in place of those of an earlier program. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "aot/aot.h"
#include "aot/program.h"
#include "base/file/file.h"

/* ---- files that an earlier program had ---- */

/* The largest text that is read to see who wrote it. */
enum { TEXT_MOST = 1 << 30 };

static bool
is_text(const char *s, size_t n)
{
    static const char by[] = "Written by sinter ";
    const char *end = memchr(s, '\n', n);

    return end && memmem(s, (size_t)(end - s), by, sizeof by - 1);
}

/* Begins with the hash of the rest. */
static bool
is_weights(const char *s, size_t n)
{
    uint64_t tag = 0;

    if (n < SN_AOT_TAG)
        return false;
    for (int i = SN_AOT_TAG; i-- > 0;)
        tag = tag << 8 | (uint8_t)s[i];
    return tag == XXH64(s + SN_AOT_TAG, n - SN_AOT_TAG, 0);
}

/* Did sinter write it, as far as its bytes tell? */
static bool
is_written(const char *path, bool text)
{
    SnArena *a = sn_arena_new();
    SnFileMap m;
    bool is = sn_file_map(a, sn_diag_new(a), path, TEXT_MOST, &m) == SN_OK &&
              (text ? is_text(m.p, m.n) : is_weights(m.p, m.n));

    sn_arena_free(a);
    return is;
}

static bool
has_file(const SnAot *p, const char *name)
{
    for (uint32_t i = 0; i < p->nfile; i++)
        if (strcmp(p->file[i], name) == 0)
            return true;
    return false;
}

/* Removes what another --weights or --target wrote under the program's name;
 * what sinter did not write stays, with a warning. */
static SnStatus
remove_stale(SnArena *a, const SnAot *p, const char *dir, SnDiag *d)
{
    static const struct {
        const char *suffix;
        bool text;
    } some[] = {{"_weights.c", true},
                {"_weights.bin", false},
                {"_tuned.h", true},
                {"_tuned.c", true}};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const char *name = sn_format(a, "%s%s", p->name, some[i].suffix);
        const char *path = sn_format(a, "%s/%s", dir, name);
        struct stat st;
        if (has_file(p, name) || lstat(path, &st) != 0)
            continue;
        if (!S_ISREG(st.st_mode) || !is_written(path, some[i].text))
            sn_warn(d, (SnPos){0}, NULL,
                    "%s: is not a file of this program, and was not written "
                    "by sinter: it stays",
                    path);
        else if (unlink(path) != 0)
            return sn_fail(d, SN_EOUTPUT, path, "cannot remove: %s",
                           strerror(errno));
    }
    return SN_OK;
}

/* ---- all of them ---- */

SnStatus
sn_aot_write(const SnAot *p, const char *dir, SnDiag *d)
{
    SnArena *a = sn_arena_new();
    const char **path = SN_NEW_N(a, const char *, p->nfile);
    SnPiece *v = SN_NEW_N(a, SnPiece, p->nfile);
    bool made = mkdir(dir, 0777) == 0;
    struct stat st;
    SnStatus s = SN_OK;

    if (!made && errno != EEXIST)
        s = sn_fail(d, SN_EOUTPUT, dir, "cannot make the directory: %s",
                    strerror(errno));
    else if (!made && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        s = sn_fail(d, SN_EOUTPUT, dir, "is not a directory");
    for (uint32_t i = 0; i < p->nfile; i++) {
        path[i] = sn_format(a, "%s/%s", dir, p->file[i]);
        v[i] = (SnPiece){p->text[i], p->size[i]};
    }
    if (s == SN_OK)
        s = sn_file_write_all(a, d, path, v, p->nfile);
    if (s != SN_OK && made)
        rmdir(dir);
    if (s == SN_OK)
        s = remove_stale(a, p, dir, d);
    sn_arena_free(a);
    return s;
}
