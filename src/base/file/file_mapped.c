// SPDX-License-Identifier: Apache-2.0
/* Which files are mapped where.  Touching a page of a file that is not there
 * any more is a signal, bytes behind the new end of its last page read as zero,
 * and what is written over may be read in part: all are told by the file's
 * name. */
#include "base/file/file.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/budget.h"

/* Written under the lock; signal handlers read it without: what is in it is
 * complete while p is not 0.  Never freed, but used again. */
typedef struct Mapped {
    struct Mapped *next;
    _Atomic uintptr_t p;
    size_t n;
    bool told; /* that it was changed */
    dev_t dev;
    ino_t ino;
    bool whole; /* a later change counts, too; when it changed last: */
    struct timespec at;
    char path[PATH_MAX];
} Mapped;

static _Atomic(Mapped *) first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ctx: where the arena keeps the one to forget, or NULL. */
static void
forget(void *ctx)
{
    Mapped *m = *(Mapped **)ctx;

    if (!m)
        return;
    pthread_mutex_lock(&lock);
    atomic_store(&m->p, 0);
    pthread_mutex_unlock(&lock);
}

/* With the lock. */
static Mapped *
unused(void)
{
    Mapped *m = atomic_load(&first);

    while (m && atomic_load(&m->p))
        m = m->next;
    if (m || !(m = calloc(1, sizeof *m)))
        return m;
    m->next = atomic_load(&first);
    atomic_store(&first, m);
    return m;
}

void
sn_file_mapped_add(SnArena *a, const char *path, const void *p,
                   const struct stat *st, bool whole)
{
    Mapped **m = SN_NEW(a, Mapped *);

    sn_arena_at_free(a, forget, m);
    pthread_mutex_lock(&lock);
    *m = unused();
    if (*m) {
        (*m)->n = (size_t)st->st_size;
        (*m)->told = false;
        (*m)->dev = st->st_dev;
        (*m)->ino = st->st_ino;
        (*m)->at = st->st_mtim;
        (*m)->whole = whole;
        snprintf((*m)->path, sizeof(*m)->path, "%s", path);
        atomic_store(&(*m)->p, (uintptr_t)p);
    }
    pthread_mutex_unlock(&lock);
    if (!*m)
        sn_out_of_memory();
}

const char *
sn_file_mapped_at(const void *at)
{
    for (const Mapped *m = atomic_load(&first); m; m = m->next) {
        uintptr_t p = atomic_load(&m->p);
        if (p && (uintptr_t)at >= p && (uintptr_t)at - p < m->n)
            return m->path;
    }
    return NULL;
}

/* What happened to the file, or NULL.  Another one under that name leaves the
 * mapped one as it is. */
static const char *
change_of(const Mapped *m)
{
    struct stat st;

    if (!atomic_load(&m->p) || stat(m->path, &st) != 0 || st.st_dev != m->dev ||
        st.st_ino != m->ino)
        return NULL;
    if ((uintmax_t)st.st_size < m->n)
        return SN_FILE_CUT;
    return m->whole && (st.st_mtim.tv_sec != m->at.tv_sec ||
                        st.st_mtim.tv_nsec != m->at.tv_nsec)
               ? SN_FILE_CHANGED
               : NULL;
}

SnStatus
sn_file_mapped_check(SnDiag *d)
{
    char path[PATH_MAX];
    int err = errno;
    const char *what = NULL;
    bool told = false;

    pthread_mutex_lock(&lock);
    for (Mapped *m = atomic_load(&first); m && !what; m = m->next)
        if ((what = change_of(m))) {
            memcpy(path, m->path, sizeof path);
            told = m->told;
            m->told = true;
        }
    pthread_mutex_unlock(&lock);
    errno = err;
    if (!what || told)
        return what ? SN_EINPUT : SN_OK;
    return sn_fail(d, SN_EINPUT, path, "%s", what);
}
