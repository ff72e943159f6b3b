// SPDX-License-Identifier: Apache-2.0
/* Files of a test program's own: a directory, for which make_dir and remove_dir
 * are fixtures of the group, or single files. */
#ifndef SN_TEST_SCRATCH_H
#define SN_TEST_SCRATCH_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"

#define SCRATCH "/tmp/sinter-test-XXXXXX"

static char dir[] = SCRATCH;

static inline int
make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

/* Fails where a test has left a file. */
static inline int
remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

/* The path of file `name` in the directory, in arena to. */
static inline const char *
in_dir(SnArena *to, const char *name)
{
    return sn_format(to, "%s/%s", dir, name);
}

/* The sidecar file of NAME.sn in the directory, or NULL. */
static inline const char *
side_of(SnArena *to, const char *name)
{
    const char *path = NULL;
    glob_t g;

    if (glob(sn_format(to, "%s/%s.????????????????.snw", dir, name), 0, NULL,
             &g) == 0) {
        assert_int_equal(g.gl_pathc, 1);
        path = sn_strdup(to, g.gl_pathv[0]);
    }
    globfree(&g);
    return path;
}

/* Removes NAME.sn and its sidecar file, if they are there. */
static inline void
remove_sn(const char *name)
{
    SnArena *t = sn_arena_new();
    const char *side = side_of(t, name);

    unlink(sn_format(t, "%s/%s.sn", dir, name));
    if (side)
        unlink(side);
    sn_arena_free(t);
}

/* The path, in arena to, of a new empty file, which the test removes. */
static inline const char *
new_file(SnArena *to)
{
    char *path = sn_strdup(to, SCRATCH);
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    return path;
}

#endif
