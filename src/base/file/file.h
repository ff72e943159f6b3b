// SPDX-License-Identifier: Apache-2.0
/* Whole files: read at once, written by temporary and rename. */
#ifndef SN_FILE_H
#define SN_FILE_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads path ("-" is standard input) into a; *text gets one NUL byte more
 * than *nbyte.  Refuses directories and files above max (0: 2^31 - 1). */
SnStatus sn_file_read(SnArena *a, SnDiag *d, const char *path, size_t max,
                      char **text, size_t *nbyte);
/* The bytes of a file, mapped where it is a regular file of 32 KiB or more and
 * read otherwise; they last as long as the arena.  A mapped file that is cut
 * short while it is in use is a signal, SIGBUS, where its bytes are read: see
 * sn_file_mapped_at. */
typedef struct SnFileMap {
    const char *p;
    size_t n;
    bool mapped;
    const int *fd; /* of sn_file_map_whole, open as long as a; or NULL */
} SnFileMap;
SnStatus sn_file_map(SnArena *a, SnDiag *d, const char *path, size_t max,
                     SnFileMap *out);
/* As sn_file_map, for a file that is read as a whole soon: some MiB of it are
 * in memory at a time.  It stays open. */
SnStatus sn_file_map_whole(SnArena *a, SnDiag *d, const char *path, size_t max,
                           SnFileMap *out);
/* Whether n bytes from p on lie in m. */
bool sn_file_within(const SnFileMap *m, const void *p, size_t n);
/* Copies n bytes from p.  Those of m, if it is open, are read: where page
 * faults are slow, as on some virtual machines, that takes less time than
 * mapping their pages.  Bytes that the file has no more are taken from its
 * mapping, as after sn_file_map.  Threads may call it at once. */
void sn_file_fetch(const SnFileMap *m, const void *p, size_t n, void *to);
/* A file that is mapped at p, of which st says what it is, until a is freed.
 * whole: it is of sn_file_map_whole, and must not be written to meanwhile. */
struct stat;
void sn_file_mapped_add(SnArena *a, const char *path, const void *p,
                        const struct stat *st, bool whole);
/* For handlers of SIGBUS: the path of the file that is mapped there, or NULL.
 * The library installs none; sinter's own (src/cli/signals.c) ends it with
 * SN_EINPUT and SN_FILE_CUT. */
const char *sn_file_mapped_at(const void *at);
#define SN_FILE_CUT "was cut short while it was read"
#define SN_FILE_CHANGED "was changed while it was read"
/* SN_EINPUT when a file that is mapped is shorter than it was, so that what was
 * read of its last page may be zeros, or one of sn_file_map_whole was written
 * to.  Asked before a file is put in place; the message comes once. */
SnStatus sn_file_mapped_check(SnDiag *d);
/* Gives back the memory of bytes that were read and are not needed soon; they
 * can be read again.  Bytes that are not in m are left alone. */
void sn_file_forget(const SnFileMap *m, const void *p, size_t n);
/* Writes path by a temporary beside it, fsync, rename and fsync of the
 * directory ("-" is standard
 * output); an existing file keeps its mode, a symbolic link its target's
 * place; devices and pipes are written in place.  Nothing is left behind on
 * failure. */
SnStatus sn_file_write(SnDiag *d, const char *path, const void *p, size_t n);
/* The same of bytes that lie in n pieces. */
typedef struct SnPiece {
    const void *p;
    size_t n;
} SnPiece;
SnStatus sn_file_write_pieces(SnDiag *d, const char *path, const SnPiece *v,
                              size_t n);
/* Writes v[i] to path[i], n files of one directory, each as sn_file_write does:
 * none is replaced before all are on disk. */
SnStatus sn_file_write_all(SnArena *a, SnDiag *d, const char *const *path,
                           const SnPiece *v, size_t n);
/* Writes path and a file that it names, which lies in the same directory and
 * whose name says what it holds: it is on disk before path is replaced, so that
 * the old path or the new one is whole at any time.  One that holds these bytes
 * already is left alone.  A new file gets the mode of path.  side_path NULL:
 * there is none.  stale: other files, which nobody names afterwards and which
 * are removed; NULL-ended, or NULL. */
SnStatus sn_file_write_beside(SnDiag *d, const char *path, SnPiece text,
                              const char *side_path, SnPiece side,
                              const char *const *stale);
/* Waits until no other process that asks has the directory of path, and has it
 * until sn_file_unlock; -1: it cannot be had. */
int sn_file_lock(const char *path);
void sn_file_unlock(int lock);
/* For signal handlers, and when control leaves a write by a jump: removes what
 * is being written. */
void sn_file_drop_temporaries(void);
/* For programs: SIGHUP, SIGINT and SIGTERM do so before they end the process,
 * and a file that grows too large is a write that fails. */
void sn_file_signals(void);
/* As sn_file_write, for text: refuses to replace a regular file that is not
 * text (SN_EOUTPUT). */
SnStatus sn_file_write_text(SnDiag *d, const char *path, const void *p,
                            size_t n);
/* The refusal alone, for before the work: where says what asks, an option or
 * the path.  SN_OK where there is no file, or a device. */
SnStatus sn_file_text_check(SnDiag *d, const char *where, const char *path);
/* Standard output, a device or a pipe: written in place, not by a rename. */
bool sn_file_in_place(const char *path);
/* As sn_file_write, but leaves an identical file untouched (its mtime too). */
SnStatus sn_file_update(SnDiag *d, const char *path, const void *p, size_t n);
/* Whether path is a regular file that holds exactly p[0..n). */
bool sn_file_holds(const char *path, const void *p, size_t n);
bool sn_file_exists(const char *path);
/* Creates the directory and its parents. */
SnStatus sn_file_mkdirs(SnDiag *d, const char *path);
/* Everything before the last '/' ("/" for "/x"), or "."; everything after
 * it.  sn_path_join gives name alone when it is absolute or dir is ".". */
const char *sn_path_dir(SnArena *a, const char *path);
const char *sn_path_base(const char *path);
const char *sn_path_join(SnArena *a, const char *dir, const char *name);

#ifdef __cplusplus
}
#endif

#endif
